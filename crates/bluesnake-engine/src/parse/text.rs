//! The words of a page: white space collapsed, blocks on lines of their own, counted.
//!
//! [`VisibleText`] takes the texts of a document in order. Words stand apart by one space, blocks by one line end, so
//! counting and cutting work on the finished text. Which texts are visible is decided in [`crate::parse::html`].

use memchr::memchr2;

/// What is written before the next word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Block,
}

/// The visible text of a page while it is read.
#[derive(Debug, Default)]
pub(crate) struct VisibleText {
    text: String,
    gap: Gap,
}

impl VisibleText {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), gap: Gap::None }
    }

    /// Adds text, each run of white space in it as one space.
    pub(crate) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            let word = skip_space(bytes, at);
            if word > at {
                self.space();
            }
            if word == bytes.len() {
                return;
            }
            at = end_of_clean_run(bytes, word);
            self.open_gap();
            self.text.push_str(&text[word..at]);
        }
    }

    /// Sees to it that the next word stands apart.
    pub(crate) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// Sees to it that the next word begins a block.
    #[inline]
    pub(crate) fn end_block(&mut self) {
        self.gap = Gap::Block;
    }

    /// How many bytes there are so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text so far.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }

    #[inline]
    fn open_gap(&mut self) {
        if !self.text.is_empty() {
            match self.gap {
                Gap::None => {}
                Gap::Space => self.text.push(' '),
                Gap::Block => self.text.push('\n'),
            }
        }
        self.gap = Gap::None;
    }
}

/// White space is every control character, the space, and the no-break space U+00A0 (bytes C2 A0).
#[inline]
fn space_length(bytes: &[u8], at: usize) -> usize {
    match bytes[at] {
        0..=b' ' => 1,
        0xC2 if bytes.get(at + 1) == Some(&0xA0) => 2,
        _ => 0,
    }
}

#[inline]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match space_length(bytes, at) {
            0 => break,
            length => at += length,
        }
    }
    at
}

/// Where the words that already stand apart by exactly one space end.
#[inline]
fn end_of_clean_run(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte > b' ' && byte != 0xC2 {
            at += 1;
        } else if byte == b' ' && at + 1 < bytes.len() && space_length(bytes, at + 1) == 0 {
            at += 2;
        } else if byte == 0xC2 && bytes.get(at + 1) != Some(&0xA0) {
            at += 2;
        } else {
            break;
        }
    }
    at
}

/// The text with each run of white space as one space, and none around it.
pub(crate) fn collapse(text: &str) -> String {
    let mut collapsed = VisibleText::default();
    collapsed.push(text);
    collapsed.into_string()
}

/// At most the first `count` characters.
pub(crate) fn cut(text: &str, count: usize) -> &str {
    if text.len() <= count {
        return text;
    }
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// At most the last `count` characters, of which there is at least one.
pub(crate) fn cut_front(text: &str, count: usize) -> &str {
    if text.len() <= count {
        return text;
    }
    text.char_indices().rev().nth(count - 1).map_or(text, |(start, _)| &text[start..])
}

/// The counts of a text that [`VisibleText`] made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextCounts {
    pub(crate) words: usize,
    pub(crate) chars: usize,
    pub(crate) sentences: usize,
}

impl TextCounts {
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        if bytes.is_empty() {
            return Self::default();
        }
        let continuations = bytes.iter().filter(|&&byte| is_continuation(byte)).count();
        let chars = bytes.len() - continuations;
        let gaps = bytes.iter().filter(|&&byte| byte <= b' ').count();
        let words = if continuations == 0 { gaps + 1 } else { gaps + 1 + words_without_spaces(text) };
        Self { words, chars, sentences: sentences(text) }
    }
}

/// How many words more there are than the gaps tell, because Chinese and Japanese do not write them.
fn words_without_spaces(text: &str) -> usize {
    let is_ideograph = |c: char| matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}');
    let mut more = 0;
    let mut follows_ideograph = false;
    for c in text.chars() {
        let is_one = is_ideograph(c);
        more += usize::from(is_one && follows_ideograph);
        follows_ideograph = is_one;
    }
    more
}

/// Sentences end with `.`, `!`, `?` or their wide forms before a gap, and with the text.
fn sentences(text: &str) -> usize {
    let bytes = text.as_bytes();
    let narrow = memchr::memchr3_iter(b'.', b'!', b'?', bytes)
        .filter(|&at| bytes.get(at + 1).is_some_and(|&next| next <= b' '))
        .count();
    let wide = if text.is_ascii() { 0 } else { text.matches(['。', '！', '？']).count() };
    let ends_in_wide = text.ends_with(['。', '！', '？']);
    narrow + wide + usize::from(!ends_in_wide)
}

#[inline]
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Whether the text holds "lorem ipsum", whatever its case.
pub(crate) fn has_lorem_ipsum(text: &str) -> bool {
    const WORDS: &[u8] = b"lorem ipsum";
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) = memchr2(b'l', b'L', &bytes[from..]) {
        let at = from + found;
        if bytes.get(at..at + WORDS.len()).is_some_and(|words| words.eq_ignore_ascii_case(WORDS)) {
            return true;
        }
        from = at + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_collapsed() {
        let check = |text, expected: &str| assert_eq!(collapse(text), expected, "{text:?}");
        check("", "");
        check(" \n ", "");
        check("a", "a");
        check("  a  b\n\tc ", "a b c");
        check("a b c", "a b c");
        check("a\u{a0}b\u{a0} c", "a b c");
        check("é ü\u{2003}x", "é ü\u{2003}x");
        check("a © b", "a © b");
        check("a \u{a0}", "a");
        check("a\0b", "a b");
        check("日本 語", "日本 語");
    }

    #[test]
    fn blocks_stand_on_lines_of_their_own() {
        let mut text = VisibleText::default();
        text.end_block();
        text.push(" a ");
        text.push("b");
        text.end_block();
        text.push("  ");
        text.end_block();
        text.push("c");
        text.push("d ");
        text.end_block();
        assert_eq!(text.as_str(), "a b\ncd");
    }

    #[test]
    fn words_characters_and_sentences_are_counted() {
        let check = |text, words, chars, sentences| {
            assert_eq!(TextCounts::of(text), TextCounts { words, chars, sentences }, "{text:?}");
        };
        check("", 0, 0, 0);
        check("one", 1, 3, 1);
        check("One two.\nThree!", 3, 15, 2);
        check("v1.2 is out. Get it", 5, 19, 2);
        check("日本語。 です", 5, 7, 2);
        check("naïve café", 2, 10, 1);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("äöü", 2), "äö");
        assert_eq!(cut("äöü", 9), "äöü");
        assert_eq!(cut_front("äöü", 2), "öü");
        assert_eq!(cut_front("äöü", 9), "äöü");
    }

    #[test]
    fn filler_text_is_seen() {
        assert!(has_lorem_ipsum("All Lorem Ipsum dolor"));
        assert!(!has_lorem_ipsum("lorem, ipsum"));
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn collapsing_is_splitting_and_joining(text in "[a-c é©日\\u{a0}\\n]*") {
                let is_gap = |c: char| c <= ' ' || c == '\u{a0}';
                let expected: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
                prop_assert_eq!(collapse(&text), expected.join(" "));
            }
        }
    }
}
