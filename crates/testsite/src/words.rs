//! Meaningless words.

use crate::random::Dice;

const SYLLABLES: [&str; 32] = [
    "ba", "co", "di", "fu", "ga", "he", "ji", "ko", "la", "me", "ni", "po", "qua", "ro", "sa", "te", "u", "vi", "wo",
    "xa", "ye", "zu", "bri", "cha", "dro", "fle", "gri", "plo", "sta", "tru", "ven", "mor",
];

/// A word of two to four syllables.
pub(crate) fn one(dice: &mut Dice) -> String {
    (0..2 + dice.below(3)).map(|_| SYLLABLES[dice.below(32) as usize]).collect()
}

/// This many words.
pub(crate) fn some(dice: &mut Dice, count: u64) -> String {
    (0..count).map(|_| one(dice)).collect::<Vec<_>>().join(" ")
}

/// A short text, of 20 to 100 words.
pub(crate) fn text(dice: &mut Dice) -> String {
    let count = 20 + dice.below(80);
    some(dice, count)
}
