//! The stems of English words, by the algorithm of M. F. Porter, which the index of the store uses too.

/// Endings of steps 2 and 3, and what replaces them.
const SECOND: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];
const THIRD: [(&str, &str); 7] =
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];
/// Endings that step 4 removes, the longer ones first.
const FOURTH: [&str; 18] = [
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al",
    "er", "ic", "ou",
];
/// The index does not stem longer words.
const LONGEST: usize = 64;

/// Replaces a word in lower case by its stem. Words with letters other than a to z stay.
pub(super) fn stem(word: &mut String) {
    if !(3..=LONGEST).contains(&word.len()) || !word.is_ascii() {
        return;
    }
    plural(word);
    tense(word);
    if word.ends_with('y') && has_vowel(&word[..word.len() - 1]) {
        replace(word, 1, "i");
    }
    for endings in [&SECOND[..], &THIRD[..]] {
        if let Some((ending, other)) = endings.iter().find(|(ending, _)| word.ends_with(ending))
            && measure(before(word, ending)) > 0
        {
            replace(word, ending.len(), other);
        }
    }
    suffix(word);
    if word.ends_with('e') {
        let start = before(word, "e");
        if measure(start) > 1 || measure(start) == 1 && !is_short(start) {
            replace(word, 1, "");
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        replace(word, 1, "");
    }
}

fn plural(word: &mut String) {
    if word.ends_with("sses") || word.ends_with("ies") {
        replace(word, 2, "");
    } else if word.ends_with('s') && !word.ends_with("ss") {
        replace(word, 1, "");
    }
}

fn tense(word: &mut String) {
    if word.ends_with("eed") {
        if measure(before(word, "eed")) > 0 {
            replace(word, 1, "");
        }
        return;
    }
    let Some(ending) = ["ed", "ing"].into_iter().find(|ending| word.ends_with(ending)) else { return };
    if !has_vowel(before(word, ending)) {
        return;
    }
    replace(word, ending.len(), "");
    let is_double = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() > 1
            && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
            && is_consonant(bytes, bytes.len() - 1)
            && !word.ends_with(['l', 's', 'z'])
    };
    if ["at", "bl", "iz"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if is_double(word) {
        replace(word, 1, "");
    } else if measure(word) == 1 && is_short(word) {
        word.push('e');
    }
}

fn suffix(word: &mut String) {
    if word.ends_with("ion") {
        let start = before(word, "ion");
        if start.ends_with(['s', 't']) && measure(start) > 1 {
            replace(word, 3, "");
        }
    } else if let Some(ending) = FOURTH.iter().find(|ending| word.ends_with(*ending))
        && measure(before(word, ending)) > 1
    {
        replace(word, ending.len(), "");
    }
}

fn before<'w>(word: &'w str, ending: &str) -> &'w str {
    &word[..word.len() - ending.len()]
}

fn replace(word: &mut String, letters: usize, with: &str) {
    word.truncate(word.len() - letters);
    word.push_str(with);
}

fn is_consonant(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => false,
        b'y' => at == 0 || !is_consonant(word, at - 1),
        _ => true,
    }
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|at| !is_consonant(word.as_bytes(), at))
}

/// How often a consonant follows a vowel: roughly the number of syllables.
fn measure(word: &str) -> usize {
    let kinds: Vec<bool> = (0..word.len()).map(|at| is_consonant(word.as_bytes(), at)).collect();
    kinds.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

/// Whether it ends like `hop`: consonant, vowel, and a consonant that may be doubled.
fn is_short(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() > 2
        && is_consonant(bytes, bytes.len() - 3)
        && !is_consonant(bytes, bytes.len() - 2)
        && is_consonant(bytes, bytes.len() - 1)
        && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_other_endings_have_the_same_stem() {
        let check = |words: &[&str], expected: &str| {
            for word in words {
                let mut stemmed = (*word).to_owned();
                stem(&mut stemmed);
                assert_eq!(stemmed, expected, "{word}");
            }
        };
        check(&["connect", "connected", "connecting", "connection", "connections"], "connect");
        check(&["concurrent", "concurrently", "concurrency"], "concurr");
        check(&["queries", "query"], "queri");
        check(&["hopping", "hops"], "hop");
        check(&["hoping", "hope"], "hope");
        check(&["serialize", "serializer", "serialization"], "serial");
        check(&["agreed", "agree"], "agre");
        for word in ["as", "über", "x86"] {
            check(&[word], word);
        }
    }
}
