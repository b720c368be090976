//! Pages with almost the same text, by the MinHash signatures of their main texts.
//!
//! A signature has 64 slots; the share of equal slots estimates the share of common text. Of each slot the lowest
//! byte is kept, which is enough to tell slots apart. Pages are compared only if a band of slots is equal (locality
//! sensitive hashing), and within a band only with a few representatives, so time grows with the number of pages.

use xxhash_rust::xxh3::xxh3_64;

const SLOTS: usize = 64;
/// With how many different texts of one band a page is compared.
const REPRESENTATIVES: usize = 16;

/// Pages with their signatures.
#[derive(Debug, Default)]
pub(crate) struct NearDuplicates {
    numbers: Vec<u32>,
    signatures: Vec<[u8; SLOTS]>,
    /// For each page how many slots of the page most like it are equal, and which page that is.
    best: Vec<(usize, u32)>,
}

/// A page and the page most like it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) number: u32,
    /// The page most like it, of those that were compared; the first of several.
    pub(crate) other: u32,
    /// The first page of the group. Groups are chains: not every page of one is like its first page.
    pub(crate) first: u32,
    /// How similar it is to the other one, in percent.
    pub(crate) similarity: u8,
}

impl NearDuplicates {
    /// Adds a page with its signature of two bytes per slot. Pages come in number order.
    pub(crate) fn add(&mut self, number: u32, signature: &[u8]) {
        if signature.len() == 2 * SLOTS {
            self.numbers.push(number);
            self.signatures.push(std::array::from_fn(|slot| signature[2 * slot]));
        }
    }

    /// Groups of pages whose texts are alike to this percentage, without pages that are copies of others.
    pub(crate) fn finish(mut self, percent: u32, is_copy: impl Fn(u32) -> bool) -> Vec<Match> {
        self.drop_copies(is_copy);
        let mut groups = UnionFind::new(self.numbers.len());
        self.best = vec![(0, 0); self.numbers.len()];
        // The more slots a band has, the fewer pages meet in it by chance; but those to be found must meet.
        let rows = match percent {
            85.. => 5,
            70.. => 3,
            _ => 2,
        };
        for band in 0..SLOTS / rows {
            self.join_band(band * rows..(band + 1) * rows, percent, &mut groups);
        }
        self.matches(groups)
    }

    fn drop_copies(&mut self, is_copy: impl Fn(u32) -> bool) {
        let mut numbers = self.numbers.iter();
        self.signatures.retain(|_| numbers.next().is_some_and(|number| !is_copy(*number)));
        self.numbers.retain(|number| !is_copy(*number));
    }

    /// Joins pages that are alike and equal in these slots.
    fn join_band(&mut self, slots: std::ops::Range<usize>, percent: u32, groups: &mut UnionFind) {
        let key = |(at, signature): (u64, &[u8; SLOTS])| xxh3_64(&signature[slots.clone()]) >> 32 << 32 | at;
        let mut keys: Vec<u64> = (0..).zip(&self.signatures).map(key).collect();
        keys.sort_unstable();
        let mut representatives: Vec<u32> = Vec::with_capacity(REPRESENTATIVES);
        for bucket in keys.chunk_by(|one, other| one >> 32 == other >> 32).filter(|bucket| bucket.len() > 1) {
            representatives.clear();
            for at in bucket.iter().map(|key| *key as u32) {
                let mut is_like_any = false;
                for other in &representatives {
                    if groups.are_joined(at, *other) {
                        is_like_any = true;
                        continue;
                    }
                    let equal = self.equal_slots(at, *other);
                    if equal * 100 >= percent as usize * SLOTS {
                        groups.join(at, *other);
                        self.pair(at, *other, equal);
                        is_like_any = true;
                    }
                }
                if !is_like_any && representatives.len() < REPRESENTATIVES {
                    representatives.push(at);
                }
            }
        }
    }

    /// Remembers that two pages are alike, if each is more like the other than like those before.
    fn pair(&mut self, one: u32, other: u32, equal: usize) {
        for (page, like) in [(one, other), (other, one)] {
            let best = &mut self.best[page as usize];
            if equal > best.0 || equal == best.0 && like < best.1 {
                *best = (equal, like);
            }
        }
    }

    fn matches(&self, mut groups: UnionFind) -> Vec<Match> {
        let number = |at: u32| self.numbers[at as usize];
        let matched = |(at, (equal, other)): (u32, &(usize, u32))| Match {
            number: number(at),
            other: number(*other),
            first: number(groups.first_of(at)),
            similarity: ((equal * 100 + SLOTS / 2) / SLOTS) as u8,
        };
        (0..).zip(&self.best).filter(|(_, (equal, _))| *equal > 0).map(matched).collect()
    }

    fn equal_slots(&self, one: u32, other: u32) -> usize {
        let (one, other) = (&self.signatures[one as usize], &self.signatures[other as usize]);
        one.iter().zip(other).filter(|(one, other)| one == other).count()
    }
}

/// Groups of positions, each led by its smallest.
struct UnionFind(Vec<u32>);

impl UnionFind {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn first_of(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at
    }

    fn are_joined(&mut self, one: u32, other: u32) -> bool {
        self.first_of(one) == self.first_of(other)
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first_of(one), self.first_of(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A text as its set of shingles, here just numbers.
    type Text = BTreeSet<u64>;

    fn mix(value: u64) -> u64 {
        xxh3_64(&value.to_le_bytes())
    }

    /// The MinHash by its definition: the smallest of all shingles under 64 different orders.
    fn signature(text: &Text) -> Vec<u8> {
        let least = |slot: u64| text.iter().map(|shingle| mix(mix(*shingle) ^ slot)).min().unwrap();
        // The low bits of a minimum are random.
        (0..SLOTS as u64).flat_map(|slot| (least(slot) as u16).to_le_bytes()).collect()
    }

    fn jaccard(one: &Text, other: &Text) -> f64 {
        one.intersection(other).count() as f64 / one.union(other).count() as f64
    }

    /// A text of this many shingles, and one in which some of them are different.
    fn pair(seed: u64, shingles: u64, changed: u64) -> (Text, Text) {
        let one: Text = (0..shingles).map(|at| mix(seed << 32 | at)).collect();
        let other =
            (0..shingles).map(|at| if at < changed { mix(seed << 32 | at | 1 << 31) } else { mix(seed << 32 | at) });
        (one, other.collect())
    }

    #[test]
    fn similar_texts_are_found_and_others_are_not() {
        for percent in [50, 75, 90] {
            let (mut expected, mut found_of_expected, mut false_pairs, mut pairs) = (0, 0, 0, 0);
            for seed in 0..150 {
                let (one, other) = pair(seed, 400, seed * 2);
                let mut pages = NearDuplicates::default();
                pages.add(1, &signature(&one));
                pages.add(2, &signature(&other));
                let is_found = !pages.finish(percent, |_| false).is_empty();
                let exact = jaccard(&one, &other) * 100.0;
                // The estimate is off by a few points, so pairs near the threshold prove nothing.
                let is_clear = exact >= f64::from(percent) + 12.0 || (exact > 97.0);
                expected += usize::from(is_clear);
                found_of_expected += usize::from(is_clear && is_found);
                let is_different = exact < f64::from(percent) - 15.0;
                pairs += usize::from(is_different);
                false_pairs += usize::from(is_different && is_found);
            }
            assert!(expected > 2 && pairs > 10, "{expected} {pairs}");
            assert!(found_of_expected * 100 >= expected * 98, "{found_of_expected} of {expected} at {percent} %");
            assert!(false_pairs * 100 <= pairs * 2, "{false_pairs} of {pairs} at {percent} %");
        }
    }

    #[test]
    fn the_similarity_is_that_of_the_texts() {
        let mut off = 0.0;
        for seed in 0..50 {
            let (one, other) = pair(seed, 500, 20);
            let mut pages = NearDuplicates::default();
            pages.add(7, &signature(&one));
            pages.add(9, &signature(&other));
            let matches = pages.finish(75, |_| false);
            assert_eq!((matches[1].number, matches[1].other), (9, 7));
            off += f64::from(matches[1].similarity) - jaccard(&one, &other) * 100.0;
        }
        assert!((off / 50.0).abs() < 2.0, "{off}");
    }

    #[test]
    fn groups_are_led_by_their_first_page_and_copies_are_left_out() {
        let text = signature(&pair(1, 300, 0).0);
        let mut pages = NearDuplicates::default();
        [3, 5, 8, 9].into_iter().for_each(|number| pages.add(number, &text));
        pages.add(10, &signature(&pair(2, 300, 0).0));
        pages.add(11, b"too short");
        let found = pages.finish(90, |number| number == 5);
        let expected = [(3, 8, 3), (8, 3, 3), (9, 3, 3)];
        assert_eq!(found.iter().map(|page| (page.number, page.other, page.first)).collect::<Vec<_>>(), expected);
        assert!(found.iter().all(|page| page.similarity == 100));
    }

    /// Two pages that are alike to a third need not be alike.
    #[test]
    fn a_page_is_reported_with_the_page_most_like_it() {
        let slots = |changed: std::ops::Range<u16>| -> Vec<u8> {
            let slot = |slot: u16| if changed.contains(&slot) { slot + 1_000 } else { slot };
            (0..SLOTS as u16).flat_map(|at| slot(at).to_le_bytes().into_iter().take(1).chain([0])).collect()
        };
        let mut pages = NearDuplicates::default();
        for (number, changed) in [(1, 0..0), (2, 0..6), (3, 0..12)] {
            pages.add(number, &slots(changed));
        }
        let found = pages.finish(90, |_| false);
        let all: Vec<_> = found.iter().map(|page| (page.number, page.other, page.first, page.similarity)).collect();
        assert_eq!(all, [(1, 2, 1, 91), (2, 1, 1, 91), (3, 2, 1, 91)]);
    }

    /// Pages of a large template are alike in many bands without being near duplicates.
    #[test]
    fn many_half_similar_pages_are_compared_in_linear_time() {
        let mut pages = NearDuplicates::default();
        for number in 0..2_000u32 {
            let slots = (0..SLOTS as u64).flat_map(|slot| {
                let value = if mix(slot ^ u64::from(number) << 8) % 10 < 6 {
                    slot
                } else {
                    mix(slot << 32 | u64::from(number))
                };
                (value as u16).to_le_bytes()
            });
            pages.add(number + 1, &slots.collect::<Vec<u8>>());
        }
        assert!(pages.finish(90, |_| false).is_empty());
    }
}
