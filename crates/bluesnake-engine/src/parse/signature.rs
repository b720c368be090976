//! The signature of a text: a few bytes that tell how much two texts have in common.
//!
//! MinHash over shingles of five words, by one-permutation hashing: every shingle belongs to one slot, and a slot keeps
//! its smallest shingle. Slots without a shingle borrow from others (optimal densification, Shrivastava 2017), so the
//! share of equal slots estimates the share of common shingles for short texts too. Start with `Sketch::add`.

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

/// The hash of a word, continued with more of it.
#[inline]
pub(super) fn mix(hash: u64, part: u64) -> u64 {
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

    /// Adds the hash of the next word.
    #[inline]
    pub(super) fn add(&mut self, word: u64) {
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
