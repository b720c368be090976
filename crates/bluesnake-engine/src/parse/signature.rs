//! The signature of a text: a few bytes that tell how much two texts have in common.
//!
//! MinHash over shingles of five words, by one-permutation hashing: every shingle belongs to one slot, and a slot keeps
//! its smallest shingle. Slots without a shingle borrow from others (optimal densification, Shrivastava 2017), so the
//! share of equal slots estimates the share of common shingles for short texts too.
//!
//! Every word of every page comes through here, so `Sketch::add_text` looks at eight bytes at a time, and a word counts
//! with its first eight bytes only.

/// How many slots a signature has.
pub const SLOTS: usize = 64;
/// How many words a shingle has.
const SHINGLE: usize = 5;
/// Shorter texts have no signature: a few common words would make them alike.
const FEWEST_WORDS: usize = 20;

/// How far each word moves the ones before it in the rolling hash; after as many words as a shingle has, a word is out.
const SHIFT: u32 = u64::BITS.div_ceil(SHINGLE as u32);
/// An odd number with random bits.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// The MinHash signature of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature([u16; SLOTS]);

impl Signature {
    /// Two bytes per slot, little-endian.
    pub fn to_bytes(&self) -> [u8; 2 * SLOTS] {
        let mut bytes = [0; 2 * SLOTS];
        for (bytes, slot) in bytes.chunks_exact_mut(2).zip(self.0) {
            bytes.copy_from_slice(&slot.to_le_bytes());
        }
        bytes
    }
}

const WIDTH: usize = size_of::<u64>();
const ONES: u64 = u64::from_le_bytes([1; WIDTH]);
const HIGH: u64 = u64::from_le_bytes([0x80; WIDTH]);
/// The bit that makes a letter lower case, also in many alphabets in UTF-8. Some signs become others, which hardly
/// matters.
const CASE: u64 = u64::from_le_bytes([0x20; WIDTH]);

/// What a text begins with that was added to a sketch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Starts {
    /// Places where a word begins.
    pub(super) words: usize,
    /// Whether there are Chinese or Japanese characters, which all count as the start of a word.
    pub(super) has_ideographs: bool,
}

/// A hash of two numbers.
#[inline]
fn mix(hash: u64, part: u64) -> u64 {
    let product = u128::from(hash ^ part) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
    product as u64 ^ (product >> 64) as u64
}

/// A signature while its text is read, word by word.
#[derive(Debug)]
pub(super) struct Sketch {
    /// The smallest shingle of each slot.
    least: [u64; SLOTS],
    /// The last words: all bits of the last one, fewer of those before it.
    rolling: u64,
    words: usize,
}

impl Sketch {
    pub(super) fn new() -> Self {
        Self { least: [u64::MAX; SLOTS], rolling: 0, words: 0 }
    }

    /// Adds the words of a text. Everything up to the space is white space.
    pub(super) fn add_text(&mut self, text: &[u8]) -> Starts {
        let before = self.words;
        let (mut has_ideographs, mut after_gap) = (false, 0x80);
        for at in (0..text.len()).step_by(WIDTH) {
            let chunk = eight_bytes(text, at);
            let gaps = gaps(chunk);
            let mut starts = !gaps & HIGH & (gaps << 8 | after_gap);
            after_gap = gaps >> 56;
            if chunk & HIGH != 0 {
                let ideographs = ideographs(chunk);
                starts |= ideographs;
                has_ideographs |= ideographs != 0;
            }
            while starts != 0 {
                let start = at + starts.trailing_zeros() as usize / 8;
                self.add(mix(first_word(eight_bytes(text, start)) | CASE, BASE));
                starts &= starts - 1;
            }
        }
        Starts { words: self.words - before, has_ideographs }
    }

    /// Adds the hash of the next word.
    #[inline]
    fn add(&mut self, word: u64) {
        self.rolling = (self.rolling << SHIFT).wrapping_add(word);
        self.words += 1;
        if self.words >= SHINGLE {
            let shingle = mix(self.rolling, BASE);
            let slot = &mut self.least[(shingle >> 58) as usize];
            *slot = shingle.min(*slot);
        }
    }

    /// The signature; `None` if the text is too short for one.
    pub(super) fn finish(self) -> Option<Signature> {
        (self.words >= FEWEST_WORDS).then(|| {
            // The high bits choose the slot and the smallest, so the low ones are still random.
            let slot = |at: usize| self.least[self.filled(at)] as u16;
            Signature(std::array::from_fn(slot))
        })
    }

    /// The slot itself if it has a shingle, otherwise one that has; always the same ones in the same order.
    fn filled(&self, slot: usize) -> usize {
        let tried = |attempt: u64| (mix(slot as u64 + 1, attempt.wrapping_mul(BASE)) >> 58) as usize;
        let candidates = std::iter::once(slot).chain((1..).map(tried));
        let is_filled = |slot: &usize| self.least[*slot] != u64::MAX;
        candidates.take(64 * SLOTS).find(is_filled).unwrap_or(slot)
    }
}

/// Eight bytes from here; beyond the end are spaces.
#[inline]
fn eight_bytes(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + WIDTH) {
        Some(chunk) => u64::from_le_bytes(chunk.try_into().expect("eight bytes")),
        None => bytes[at..].iter().rev().fold(ONES * u64::from(b' '), |chunk, &byte| chunk << 8 | u64::from(byte)),
    }
}

/// The high bit of each byte that is white space.
#[inline]
fn gaps(chunk: u64) -> u64 {
    // No sum reaches the next byte.
    let above = (chunk & !HIGH) + ONES * u64::from(0x7F - b' ');
    !(above | chunk) & HIGH
}

/// The bytes of a chunk before its first white space, the others zero.
#[inline]
fn first_word(chunk: u64) -> u64 {
    match gaps(chunk) {
        0 => chunk,
        gaps => chunk & ((gaps & gaps.wrapping_neg()) >> 7).wrapping_sub(1),
    }
}

/// The high bit of each byte that may begin a Chinese or Japanese character.
#[cold]
fn ideographs(chunk: u64) -> u64 {
    let is_lead = |byte: u8| matches!(byte, 0xE3..=0xE9 | 0xF0);
    u64::from_le_bytes(chunk.to_le_bytes().map(|byte| if is_lead(byte) { 0x80 } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(words: impl IntoIterator<Item = u64>) -> Option<Signature> {
        let mut sketch = Sketch::new();
        words.into_iter().for_each(|word| sketch.add(mix(word, BASE)));
        sketch.finish()
    }

    fn equal_slots(one: &Signature, other: &Signature) -> usize {
        one.0.iter().zip(&other.0).filter(|(one, other)| one == other).count()
    }

    #[test]
    fn short_texts_have_no_signature() {
        assert!(signature(0..19).is_none());
        assert!(signature(0..20).is_some());
    }

    #[test]
    fn the_signature_depends_on_the_text_alone() {
        let bytes = signature(0..500).unwrap().to_bytes();
        assert_eq!(bytes, signature(0..500).unwrap().to_bytes());
        assert_eq!(bytes[..8], [85, 188, 252, 48, 32, 133, 224, 210], "stored signatures stay comparable");
    }

    #[test]
    fn words_begin_after_white_space() {
        let starts = |text: &str| Sketch::new().add_text(text.as_bytes());
        for (text, words) in
            [("", 0), (" ", 0), ("a", 1), ("\na b\n", 2), ("seven77 eight888 nine99999 x", 4), ("über ñ", 2)]
        {
            assert_eq!(starts(text), Starts { words, has_ideographs: false }, "{text:?}");
        }
        assert_eq!(starts("日本 x"), Starts { words: 3, has_ideographs: true });
    }

    #[test]
    fn a_word_ends_at_white_space() {
        let word = |text: &str| first_word(eight_bytes(text.as_bytes(), 0)).to_le_bytes();
        assert_eq!(&word("ab cd"), b"ab\0\0\0\0\0\0");
        assert_eq!(&word("ab\nc d e f"), b"ab\0\0\0\0\0\0");
        assert_eq!(&word("abcdefghi"), b"abcdefgh");
        assert_eq!(&word("abcdefg h"), b"abcdefg\0");
        assert_eq!(&word("é"), "é\0\0\0\0\0\0".as_bytes());
    }

    #[test]
    fn unrelated_texts_have_no_slots_in_common() {
        for (words, most) in [(20, 3), (200, 3), (20_000, 3)] {
            let (one, other) = (signature(0..words).unwrap(), signature(1_000_000..1_000_000 + words).unwrap());
            assert!(equal_slots(&one, &other) <= most, "{words} words: {}", equal_slots(&one, &other));
        }
    }

    /// The estimate has a standard deviation of 3 to 6 points for one pair; over many pairs it must be right.
    #[test]
    fn equal_slots_estimate_the_common_shingles() {
        for (length, changed) in [(40, 2), (300, 30), (3_000, 60), (3_000, 600)] {
            let (mut estimated, mut exact) = (0.0, 0.0);
            for sample in 0..200u64 {
                let start = sample * 1_000_000;
                let one: Vec<u64> = (start..start + length).collect();
                // The last words are different ones.
                let other: Vec<u64> =
                    (start..start + length - changed).chain(start + 500_000..start + 500_000 + changed).collect();
                let (kept, all) = ((length - changed - 4) as f64, (length - 4) as f64);
                exact += kept / (2.0 * all - kept);
                let slots = equal_slots(&signature(one).unwrap(), &signature(other).unwrap());
                estimated += slots as f64 / SLOTS as f64;
            }
            let off = (estimated - exact).abs() / 200.0;
            assert!(off < 0.01, "{changed} of {length} words: {estimated} instead of {exact}");
        }
    }

    #[test]
    fn the_order_of_words_matters() {
        let (one, other) = (signature(0..100).unwrap(), signature((0..100).rev()).unwrap());
        assert!(equal_slots(&one, &other) <= 3);
    }
}
