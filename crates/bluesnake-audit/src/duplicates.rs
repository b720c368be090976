//! Pages that have a text or all their bytes in common.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::details::{DetailId, Details};

/// Pages by a fingerprint of what they may have in common, in two halves, and number. Halves need no padding.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    entries: Vec<[u32; 3]>,
}

impl Groups {
    /// Adds a page.
    pub(crate) fn add(&mut self, number: u32, hash: u64) {
        self.entries.push([(hash >> 32) as u32, hash as u32, number]);
    }

    /// Groups of several pages: their fingerprint, and their numbers in order.
    pub(crate) fn finish(mut self, mut each: impl FnMut(u64, &mut dyn Iterator<Item = u32>)) {
        self.entries.sort_unstable();
        for group in self.entries.chunk_by(|one, other| one[..2] == other[..2]).filter(|group| group.len() > 1) {
            let hash = u64::from(group[0][0]) << 32 | u64::from(group[0][1]);
            each(hash, &mut group.iter().map(|entry| entry[2]));
        }
    }
}

/// Pages by one of their texts.
#[derive(Debug)]
pub(crate) struct SameTexts {
    groups: Groups,
    /// One bit for every fingerprint seen, by its lowest bits: most texts are unique and need not be kept.
    seen: Vec<u64>,
    /// The texts that were probably seen before.
    texts: HashMap<u64, DetailId>,
}

impl SameTexts {
    /// Prepares for this many pages.
    pub(crate) fn new(pages: u32) -> Self {
        let words = (pages as usize / 4).next_power_of_two();
        Self { groups: Groups::default(), seen: vec![0; words], texts: HashMap::new() }
    }

    /// Adds a page with its text; an empty one does not count.
    pub(crate) fn add(&mut self, number: u32, text: &str, details: &mut Details) {
        if text.is_empty() {
            return;
        }
        let hash = xxh3_64(text.as_bytes());
        self.groups.add(number, hash);
        let word = (hash >> 6) as usize & (self.seen.len() - 1);
        let bit = 1 << (hash & 63);
        if self.seen[word] & bit != 0 {
            self.texts.entry(hash).or_insert_with(|| details.intern_text(text));
        }
        self.seen[word] |= bit;
    }

    /// The pages that share their text, with that text, in number order.
    pub(crate) fn finish(self) -> Vec<(u32, DetailId)> {
        let Self { groups, texts, .. } = self;
        let mut found = Vec::new();
        groups.finish(|hash, pages| found.extend(pages.map(|page| (page, texts[&hash]))));
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_the_same_text_are_found() {
        let mut details = Details::default();
        let mut same = SameTexts::new(5);
        for (number, text) in [(1, "a"), (2, "b"), (3, ""), (4, "a"), (5, ""), (6, "a")] {
            same.add(number, text, &mut details);
        }
        let found: Vec<_> = same.finish().into_iter().map(|(page, text)| (page, details.text(text))).collect();
        assert_eq!(found, [(1, Some("a")), (4, Some("a")), (6, Some("a"))]);
    }

    #[test]
    fn few_unique_texts_are_kept() {
        let mut details = Details::default();
        let mut same = SameTexts::new(1_000);
        (1..=1_000).for_each(|number| same.add(number, &format!("Title {number}"), &mut details));
        assert!(same.texts.len() < 100, "{}", same.texts.len());
        assert!(same.finish().is_empty());
    }
}
