//! The words of a page: white space collapsed, one line per block, counted.
//!
//! `VisibleText` receives the texts of a document in order. Words are separated by one space, blocks by one line
//! break, so counting and cutting work on the finished text. Which texts are visible is decided in
//! [`crate::parse::html`].

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

    /// Adds text, collapsing each run of white space to one space.
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
            let run = &text[word..at];
            self.text.push_str(run.strip_suffix(' ').unwrap_or(run));
            if run.ends_with(' ') {
                self.space();
            }
        }
    }

    /// Adds text unchanged and returns true, if it needs no collapsing and contains no character reference. It must
    /// contain a word.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &str) -> bool {
        let is_plain = is_clean_text(text.as_bytes());
        if is_plain {
            let words = text.strip_prefix(' ').unwrap_or(text);
            if words.len() < text.len() {
                self.space();
            }
            self.open_gap();
            self.text.push_str(words.strip_suffix(' ').unwrap_or(words));
            if words.ends_with(' ') {
                self.space();
            }
        }
        is_plain
    }

    /// Separates the next word from the previous one.
    pub(crate) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// Starts a new block with the next word.
    #[inline]
    pub(crate) fn end_block(&mut self) {
        self.gap = Gap::Block;
    }

    /// Length in bytes so far.
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

/// How many bytes to check at once; the compiler turns it into a few vector instructions.
const BLOCK: usize = 16;

/// The end of the words that are already separated by exactly one space, with a single space after them.
#[inline]
fn end_of_clean_run(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        while at + BLOCK < bytes.len() && is_clean(&bytes[at..at + BLOCK], &bytes[at + 1..=at + BLOCK]) {
            at += BLOCK;
        }
        if at + BLOCK >= bytes.len() && is_clean_end(&bytes[start..]) {
            return bytes.len();
        }
        let block_end = bytes.len().min(at + BLOCK);
        while at < block_end {
            if !is_clean_byte(bytes, at) {
                return at;
            }
            at += 1;
        }
        if at >= bytes.len() {
            return bytes.len();
        }
    }
}

/// Whether a text certainly needs no collapsing and contains no ampersand.
#[inline]
fn is_clean_text(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at + BLOCK < bytes.len() {
        if !is_clean(&bytes[at..at + BLOCK], &bytes[at + 1..=at + BLOCK]) {
            return false;
        }
        at += BLOCK;
    }
    is_clean_end(bytes)
}

/// Whether a block, given with the byte that follows each of its bytes, needs no collapsing.
///
/// These checks are conservative: true is certain, but they also return false for ampersands and for some bytes that
/// [`is_clean_byte`] checks again.
#[inline]
fn is_clean(block: &[u8], following: &[u8]) -> bool {
    let mut is_dirty = false;
    for (&byte, &next) in block.iter().zip(following) {
        is_dirty |= (byte < b' ') | (byte == 0xC2) | (byte == b'&') | ((byte == b' ') & (next == b' '));
    }
    !is_dirty
}

/// Whether the last bytes (a block and one more, or a shorter text as a whole) need no collapsing.
#[inline]
fn is_clean_end(bytes: &[u8]) -> bool {
    if bytes.len() <= BLOCK {
        return is_clean_short(bytes);
    }
    let last = bytes.len() - 1;
    bytes[last] >= b' ' && bytes[last] != b'&' && is_clean(&bytes[last - BLOCK..last], &bytes[last - BLOCK + 1..=last])
}

/// The same for at most a block: most texts are links and cells of a few words.
#[inline]
fn is_clean_short(bytes: &[u8]) -> bool {
    const WORD: usize = size_of::<u64>();
    let Some(last) = bytes.len().checked_sub(WORD) else {
        // Missing bytes are filled with ones, which are clean.
        return is_clean_word(bytes.iter().rev().fold(u64::MAX, |word, &byte| word << 8 | u64::from(byte)));
    };
    let word_at = |at| u64::from_le_bytes(bytes[at..at + WORD].try_into().expect("eight bytes"));
    // Adjacent words overlap by a byte, so that no pair of bytes is missed.
    [0, last.min(WORD - 1), last].into_iter().all(|at| is_clean_word(word_at(at)))
}

/// The same for eight bytes at once, the first in the lowest byte.
#[inline]
fn is_clean_word(word: u64) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // A high bit is set if any byte is less than `limit`, which is at most 0x80.
    let less = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let equal = |byte: u8| less(word ^ (ONES * u64::from(byte)), 1);
    let no_spaces = word ^ (ONES * u64::from(b' '));
    let spaces = !((no_spaces & !HIGH).wrapping_add(!HIGH) | no_spaces) & HIGH;
    less(word, 0x20) | equal(0xC2) | equal(b'&') | spaces & spaces >> 8 == 0
}

/// Whether the byte is part of a word, or a space not followed by another.
#[inline]
fn is_clean_byte(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        0..0x20 => false,
        b' ' => bytes.get(at + 1) != Some(&b' '),
        0xC2 => bytes.get(at + 1) != Some(&0xA0),
        _ => true,
    }
}

/// The text with each run of white space as one space, trimmed.
pub(crate) fn collapse(text: &str) -> String {
    let mut collapsed = VisibleText::default();
    collapsed.push(text);
    collapsed.into_string()
}

/// At most the first `count` characters.
pub(crate) fn cut(text: &str, count: usize) -> &str {
    match text.as_bytes().get(..count) {
        None => text,
        Some(start) if start.is_ascii() => &text[..count],
        Some(_) => {
            let mut starts = (0..text.len()).filter(|&at| !is_continuation(text.as_bytes()[at]));
            &text[..starts.nth(count).unwrap_or(text.len())]
        }
    }
}

/// At most the last `count` characters; `count` is at least one.
pub(crate) fn cut_front(text: &str, count: usize) -> &str {
    match text.len().checked_sub(count) {
        None => text,
        Some(start) if text.as_bytes()[start..].is_ascii() => &text[start..],
        Some(_) => {
            let mut starts = (0..text.len()).rev().filter(|&at| !is_continuation(text.as_bytes()[at]));
            &text[starts.nth(count - 1).unwrap_or(0)..]
        }
    }
}

/// The counts of a [`VisibleText`].
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
        let gaps = count(bytes, |byte| byte <= b' ');
        let (chars, wide) = match text.is_ascii() {
            true => (bytes.len(), WideCounts::default()),
            false => (bytes.len() - count(bytes, is_continuation), WideCounts::of(text)),
        };
        let words = gaps + 1 + wide.more_words;
        let sentences = sentences(bytes) + wide.sentence_ends + usize::from(!text.ends_with(SENTENCE_ENDS));
        Self { words, chars, sentences }
    }
}

/// Counts matching bytes, in chunks whose result fits a byte, which the compiler vectorizes.
fn count(bytes: &[u8], is_so: impl Fn(u8) -> bool) -> usize {
    let in_step = |step: &[u8]| usize::from(step.iter().fold(0u8, |sum, &byte| sum + u8::from(is_so(byte))));
    bytes.chunks(128).map(in_step).sum()
}

/// Chinese and Japanese sentence terminators.
pub(super) const SENTENCE_ENDS: [char; 3] = ['。', '！', '？'];

/// What Chinese and Japanese add to the counts, because they use no spaces.
#[derive(Default)]
struct WideCounts {
    more_words: usize,
    sentence_ends: usize,
}

impl WideCounts {
    fn of(text: &str) -> Self {
        // Letters and punctuation of these scripts begin with such a byte; those of European scripts and Arabic do
        // not.
        let is_wide = |byte: u8| byte >= 0xE3;
        let mut counts = Self::default();
        if count(text.as_bytes(), is_wide) == 0 {
            return counts;
        }
        let mut end_of_ideograph = usize::MAX;
        for (at, _) in text.bytes().enumerate().filter(|&(_, byte)| is_wide(byte)) {
            let Some(c) = text[at..].chars().next() else { break };
            if is_ideograph(c) {
                counts.more_words += usize::from(at == end_of_ideograph);
                end_of_ideograph = at + c.len_utf8();
            }
            counts.sentence_ends += usize::from(SENTENCE_ENDS.contains(&c));
        }
        counts
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Sentences that end with `.`, `!` or `?` before a gap; the last one ends with the text.
fn sentences(bytes: &[u8]) -> usize {
    let ends = memchr::memchr3_iter(b'.', b'!', b'?', bytes);
    ends.filter(|&at| bytes.get(at + 1).is_some_and(|&next| next <= b' ')).count()
}

#[inline]
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
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
    fn blocks_are_on_separate_lines() {
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

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn collapsing_is_splitting_and_joining(text in "([a-c ]{1,20}|[é©日\\u{a0}\\n ])*") {
                let is_gap = |c: char| c <= ' ' || c == '\u{a0}';
                let expected: Vec<&str> = text.split(is_gap).filter(|word| !word.is_empty()).collect();
                prop_assert_eq!(collapse(&text), expected.join(" "));
            }

            #[test]
            fn plain_text_is_added_as_any_other(before in "[a ]{0,3}", text in "[a-c ]{0,20}[a-c&©\\u{a0}\\n ]{0,2}[a-c][a-c& ]{0,20}") {
                let with = |add: &dyn Fn(&mut VisibleText) -> bool| {
                    let mut all = VisibleText::default();
                    all.push(&before);
                    let is_added = add(&mut all);
                    all.push("z");
                    is_added.then(|| all.into_string())
                };
                let plain = with(&|all| all.push_plain(&text));
                let any = with(&|all| { all.push(&text); true });
                let is_plain = !text.contains(['&', '©', '\u{a0}', '\n']) && !text.contains("  ");
                prop_assert_eq!(plain, any.filter(|_| is_plain));
            }
        }
    }
}
