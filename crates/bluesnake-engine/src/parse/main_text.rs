//! The main text of a page: its words, its readability, and its signature.
//!
//! [`MainText`] receives the parts of the visible text that are neither navigation nor header, footer, sidebar,
//! breadcrumbs or pagination.

use super::facts::ReadingSample;
use super::signature::{Signature, Sketch};
use super::text::{SENTENCE_ENDS, TextCounts};

/// How many words to count sentences and syllables of. Flesch's formula was made for samples of a hundred words.
const SAMPLE_WORDS: usize = 300;

/// The number of words of a main text, a sample of it, and its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MainFacts {
    pub(super) words: usize,
    pub(super) sample: Option<ReadingSample>,
    pub(super) signature: Option<Signature>,
}

/// A main text while it is read.
#[derive(Debug)]
pub(super) struct MainText {
    words: usize,
    /// The first words; `None` if the page is not in English, whose rules for syllables we use.
    sample: Option<ReadingSample>,
    sketch: Sketch,
}

impl MainText {
    pub(super) fn new(is_english: bool) -> Self {
        Self { words: 0, sample: is_english.then(ReadingSample::default), sketch: Sketch::new() }
    }

    /// Adds a part of a [`super::text::VisibleText`]: words with one space or line break between them.
    pub(super) fn add(&mut self, part: &str) {
        if let Some(sample) = &mut self.sample {
            sample.add(part.trim_ascii_start());
        }
        let starts = self.sketch.add_text(part.as_bytes());
        self.words += if starts.has_ideographs { TextCounts::of(part).words } else { starts.words };
    }

    pub(super) fn finish(self) -> MainFacts {
        MainFacts {
            words: self.words,
            sample: self.sample.filter(|sample| sample.words > 0),
            signature: self.sketch.finish(),
        }
    }
}

impl ReadingSample {
    /// Adds words, separated by one space or line break, until there are enough.
    fn add(&mut self, text: &str) {
        let mut rest = text;
        while self.words < SAMPLE_WORDS && !rest.is_empty() {
            let end = rest.bytes().position(|byte| byte <= b' ').unwrap_or(rest.len());
            let is_block_end = rest.as_bytes().get(end).is_none_or(|&gap| gap != b' ');
            let word = &rest[..end];
            self.words += 1;
            self.sentences += usize::from(is_block_end || ends_sentence(word.as_bytes()));
            self.syllables += syllables(word);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }
}

/// The syllables of an English word: its groups of vowels without a silent e, but at least one.
fn syllables(word: &str) -> usize {
    let groups =
        if word.is_ascii() { groups(word.bytes().map(is_ascii_vowel)) } else { groups(word.chars().map(is_vowel)) };
    if groups > 1 && ends_silently(word.as_bytes()) { groups - 1 } else { groups.max(1) }
}

fn groups(vowels: impl Iterator<Item = bool>) -> usize {
    let mut was_vowel = false;
    vowels.map(|is_vowel| usize::from(!std::mem::replace(&mut was_vowel, is_vowel) && is_vowel)).sum()
}

/// Whether it ends in an e that is not spoken: `made`, `makes`, `walked`; but not `table`, `boxes`, `wanted`.
fn ends_silently(word: &[u8]) -> bool {
    let length = word.iter().rposition(u8::is_ascii_alphabetic).map_or(0, |last| last + 1);
    let letter = |from_end: usize| length.checked_sub(from_end).map_or(0, |at| word[at] | 0x20);
    let (stem, ending) = if letter(1) == b'e' { (1, b'e') } else { (2, letter(1)) };
    if letter(stem) != b'e' {
        return false;
    }
    match (letter(stem + 1), ending) {
        (b'a' | b'e' | b'i' | b'o' | b'u' | b'y', _) => false,
        (b'l', b'e' | b's') => is_ascii_vowel(letter(stem + 2)),
        (_, b'e') => true,
        (b't' | b'd', b'd') | (b's' | b'x' | b'z' | b'c' | b'g' | b'h', b's') => false,
        (before, b'd' | b's') => before.is_ascii_lowercase(),
        _ => false,
    }
}

fn is_ascii_vowel(byte: u8) -> bool {
    matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn is_vowel(c: char) -> bool {
    u8::try_from(c).is_ok_and(|byte| byte.is_ascii() && is_ascii_vowel(byte))
        // Latin letters with accents; the rest of the range are two signs and four consonants.
        || matches!(c, 'À'..='ÿ' if !matches!(c, '×' | '÷' | 'Ç' | 'ç' | 'Ñ' | 'ñ' | 'Ð' | 'ð' | 'Þ' | 'þ' | 'ß'))
}

/// Whether a word ends its sentence, perhaps inside quotes or brackets.
fn ends_sentence(word: &[u8]) -> bool {
    let last = |word: &[u8]| word.last().copied().unwrap_or(b' ');
    match last(word) {
        b'.' | b'!' | b'?' => true,
        b'"' | b'\'' | b')' | b']' => matches!(last(&word[..word.len() - 1]), b'.' | b'!' | b'?'),
        0x80.. => ends_sentence_in_unicode(word),
        _ => false,
    }
}

fn ends_sentence_in_unicode(word: &[u8]) -> bool {
    let word = str::from_utf8(word).unwrap_or_default().trim_end_matches(['”', '’', '»', '」', '』']);
    word.ends_with(['.', '!', '?']) || word.ends_with(SENTENCE_ENDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(parts: &[&str]) -> MainFacts {
        let mut main = MainText::new(true);
        parts.iter().for_each(|part| main.add(part));
        main.finish()
    }

    #[test]
    fn words_and_sentences_are_counted() {
        let check = |parts: &[&str], words, sentences| {
            let facts = facts(parts);
            assert_eq!((facts.words, facts.sample.unwrap_or_default().sentences), (words, sentences), "{parts:?}");
        };
        check(&[], 0, 0);
        check(&["", " ", "\n"], 0, 0);
        check(&["one"], 1, 1);
        check(&["One two. Three!"], 3, 2);
        check(&["A heading\nOne two. Three"], 5, 3);
        check(&["v1.2 is out. Get it"], 5, 2);
        check(&["He said \"no.\" (She left.) Why?"], 6, 3);
        check(&["“No.” She left"], 3, 2);
        check(&["\nfirst part", " second part."], 4, 2);
        check(&["exactly8 sixteen.letters. x"], 3, 2);
        check(&["日本語。 です"], 5, 2);
        check(&["naïve café"], 2, 1);
    }

    #[test]
    fn syllables_follow_the_rules_of_english() {
        for (word, expected) in [
            ("cat", 1),
            ("the", 1),
            ("she", 1),
            ("made", 1),
            ("makes", 1),
            ("walked", 1),
            ("wanted", 2),
            ("boxes", 2),
            ("table", 2),
            ("tables", 2),
            ("pale", 1),
            ("reading", 2),
            ("difficult", 3),
            ("university", 5),
            ("hmm", 1),
            ("1234", 1),
            ("&", 1),
            ("Made.", 1),
            ("(people)", 2),
            ("crocodile", 3),
            ("beautiful", 3),
            ("rhythm", 1),
            ("don’t", 1),
            ("café", 2),
            ("bee", 1),
            ("see", 1),
            ("documentation", 5),
            ("internationalisation", 8),
        ] {
            assert_eq!(facts(&[word]).sample.unwrap().syllables, expected, "{word}");
        }
        let mut german = MainText::new(false);
        german.add("Eine kleine Geschichte");
        assert_eq!(german.finish().sample, None);
    }

    #[test]
    fn only_the_first_words_are_sampled() {
        let sample = facts(&["a.", &"makes ".repeat(1_000)]).sample.unwrap();
        assert_eq!(sample, ReadingSample { words: 300, sentences: 1, syllables: 300 });
    }

    const TEXT: &str = "The quick brown fox jumps over the lazy dog while twenty other Animals are watching it from \
                        behind the old fence of Müller’s garden.";

    #[test]
    fn the_signature_ignores_case_and_white_space_between_parts() {
        let expected = facts(&[TEXT]).signature;
        assert!(expected.is_some());
        assert_eq!(facts(&[&TEXT.to_uppercase()]).signature, expected);
        let (one, other) = TEXT.split_at(TEXT.find("while").unwrap());
        assert_eq!(facts(&[one.trim_end(), other]).signature, expected);
        assert_ne!(facts(&[&TEXT.replace("dog", "cat")]).signature, expected);
    }

    #[test]
    fn chinese_texts_have_signatures_by_character() {
        let text = "天地玄黃宇宙洪荒日月盈昃辰宿列張寒來暑往秋收冬藏";
        let (one, other) = (facts(&[text]), facts(&[&text.replace('日', "目")]));
        assert_eq!(one.words, 24);
        let (one, other) = (one.signature.unwrap().to_bytes(), other.signature.unwrap().to_bytes());
        let equal = one.chunks(2).zip(other.chunks(2)).filter(|(one, other)| one == other).count();
        assert!((10..60).contains(&equal), "{equal}");
    }

    mod properties {
        use super::*;
        use crate::parse::text::{TextCounts, collapse};
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn words_are_counted_as_in_the_visible_text(text in "([a-zA-Z.]{0,20}|[é日本。語 ]|\\PC)*") {
                let text = collapse(&text);
                prop_assert_eq!(facts(&[&text]).words, TextCounts::of(&text).words);
            }
        }
    }
}
