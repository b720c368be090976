//! What pages declare about each other: canonicals, language versions, neighbours in a list, AMP pages.
//!
//! Documents come in number order, so every list is sorted by its source and is searched by halving. At the end the
//! targets of a source are sorted, too: a page may declare thousands.

use std::ops::Range;

use crate::anchors::CodeId;

/// Everything declared, by source.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    /// The first canonical of each page.
    canonicals: Edges<()>,
    versions: Edges<CodeId>,
    pagers: Edges<Direction>,
    amps: Edges<()>,
    /// The first next page of each page.
    nexts: Vec<(u32, u32)>,
    /// The pages of lists that never end, each with the number of pages in its circle.
    circles: Vec<(u32, u32)>,
}

/// The direction of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    Next,
    Previous,
}

/// A declared version of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) target: u32,
    pub(crate) code: CodeId,
}

/// A declared neighbour of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pager {
    pub(crate) target: u32,
    pub(crate) direction: Direction,
}

impl Relations {
    /// Adds a canonical, unless the page has one. Returns whether it was added.
    pub(crate) fn add_canonical(&mut self, source: u32, target: u32) -> bool {
        let is_first = self.canonicals.sources.last().is_none_or(|(last, _)| *last != source);
        if is_first {
            self.canonicals.push(source, target, ());
        }
        is_first
    }

    pub(crate) fn add_version(&mut self, source: u32, target: u32, code: CodeId) {
        self.versions.push(source, target, code);
    }

    pub(crate) fn add_pager(&mut self, source: u32, target: u32, direction: Direction) {
        self.pagers.push(source, target, direction);
        if direction == Direction::Next && self.nexts.last().is_none_or(|(last, _)| *last != source) {
            self.nexts.push((source, target));
        }
    }

    pub(crate) fn add_amp(&mut self, source: u32, target: u32) {
        self.amps.push(source, target, ());
    }

    /// Ends the lists, with versions that sitemaps declare: page, version and code.
    pub(crate) fn finish(&mut self, in_sitemaps: Vec<(u32, u32, CodeId)>) {
        self.versions.merge(in_sitemaps);
        self.versions.sort();
        self.pagers.sort();
        self.circles = circles(&std::mem::take(&mut self.nexts));
    }

    pub(crate) fn canonical_of(&self, page: u32) -> Option<u32> {
        self.canonicals.of(page).next().map(|(target, ())| target)
    }

    pub(crate) fn versions_of(&self, page: u32) -> impl Iterator<Item = Version> {
        self.versions.of(page).map(|(target, code)| Version { target, code })
    }

    /// The codes by which a page declares another one as its version.
    pub(crate) fn codes_of(&self, page: u32, version: u32) -> impl Iterator<Item = CodeId> {
        self.versions.between(page, version)
    }

    /// Whether a page declares another one as its neighbour in this direction.
    pub(crate) fn has_pager(&self, page: u32, pager: Pager) -> bool {
        self.pagers.between(page, pager.target).any(|direction| direction == pager.direction)
    }

    /// After how many next pages a page comes again.
    pub(crate) fn circle_of(&self, page: u32) -> Option<u32> {
        self.circles.binary_search_by_key(&page, |(page, _)| *page).ok().map(|at| self.circles[at].1)
    }

    pub(crate) fn pagers_of(&self, page: u32) -> impl Iterator<Item = Pager> {
        self.pagers.of(page).map(|(target, direction)| Pager { target, direction })
    }

    pub(crate) fn amps_of(&self, page: u32) -> impl Iterator<Item = u32> {
        self.amps.of(page).map(|(target, ())| target)
    }
}

/// The pages that come again after some next pages, and after how many. Looks at every page once.
fn circles(nexts: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let place_of = |page: u32| nexts.binary_search_by_key(&page, |(page, _)| *page).ok();
    // By which walk each page was reached; 0 for none.
    let mut reached_by = vec![0; nexts.len()];
    let (mut circles, mut way) = (Vec::new(), Vec::new());
    for start in 0..nexts.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(place) = at.filter(|place| reached_by[*place] == 0) {
            reached_by[place] = walk;
            way.push(place);
            at = place_of(nexts[place].1);
        }
        let again = at.filter(|place| reached_by[*place] == walk);
        if let Some(from) = again.and_then(|again| way.iter().position(|place| *place == again)) {
            let length = (way.len() - from) as u32;
            circles.extend(way[from..].iter().map(|place| (nexts[*place].0, length)));
        }
        way.clear();
    }
    circles.sort_unstable();
    circles
}

/// Pairs of numbers with something about each.
#[derive(Debug)]
struct Edges<T> {
    /// The sources, and where the targets of each begin.
    sources: Vec<(u32, u32)>,
    targets: Vec<u32>,
    labels: Vec<T>,
}

impl<T> Default for Edges<T> {
    fn default() -> Self {
        Self { sources: Vec::new(), targets: Vec::new(), labels: Vec::new() }
    }
}

impl<T: Copy + Ord> Edges<T> {
    /// Adds pairs in any order, each once.
    fn merge(&mut self, more: Vec<(u32, u32, T)>) {
        if more.is_empty() {
            return;
        }
        let mut all = more;
        for at in 0..self.sources.len() {
            let (source, range) = (self.sources[at].0, self.range(at));
            let pairs = self.targets[range.clone()].iter().zip(&self.labels[range]);
            all.extend(pairs.map(|(target, label)| (source, *target, *label)));
        }
        all.sort_unstable();
        all.dedup();
        *self = Self::default();
        all.into_iter().for_each(|(source, target, label)| self.push(source, target, label));
    }

    /// Sorts the targets of each source, with their labels.
    fn sort(&mut self) {
        let mut pairs: Vec<(u32, T)> = Vec::new();
        for at in 0..self.sources.len() {
            let range = self.range(at);
            pairs.clear();
            pairs.extend(self.targets[range.clone()].iter().copied().zip(self.labels[range.clone()].iter().copied()));
            if !pairs.is_sorted() {
                pairs.sort_unstable();
                for (place, (target, label)) in range.zip(&pairs) {
                    (self.targets[place], self.labels[place]) = (*target, *label);
                }
            }
        }
    }

    /// The labels from a source to a target, once targets are sorted.
    fn between(&self, source: u32, target: u32) -> impl Iterator<Item = T> {
        let range = self.range_of(source);
        let targets = &self.targets[range.clone()];
        let from = targets.partition_point(|known| *known < target);
        let count = targets[from..].iter().take_while(|known| **known == target).count();
        self.labels[range.start + from..range.start + from + count].iter().copied()
    }
}

impl<T: Copy> Edges<T> {
    fn push(&mut self, source: u32, target: u32, label: T) {
        if self.sources.last().is_none_or(|(last, _)| *last != source) {
            self.sources.push((source, self.targets.len() as u32));
        }
        self.targets.push(target);
        self.labels.push(label);
    }

    fn of(&self, source: u32) -> impl Iterator<Item = (u32, T)> {
        let range = self.range_of(source);
        self.targets[range.clone()].iter().copied().zip(self.labels[range].iter().copied())
    }

    fn range_of(&self, source: u32) -> Range<usize> {
        let at = self.sources.binary_search_by_key(&source, |(source, _)| *source);
        at.map_or(0..0, |at| self.range(at))
    }

    /// Where the targets of the source at this place are.
    fn range(&self, at: usize) -> Range<usize> {
        let until = self.sources.get(at + 1).map_or(self.targets.len(), |(_, next)| *next as usize);
        self.sources[at].1 as usize..until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_found_by_their_source() {
        let mut relations = Relations::default();
        for (source, target, code) in [(2, 9, 0), (2, 8, 1), (5, 2, 0)] {
            relations.add_version(source, target, code);
        }
        let targets = |page| relations.versions_of(page).map(|version| version.target).collect::<Vec<_>>();
        assert_eq!((targets(1), targets(2), targets(5), targets(6)), (vec![], vec![9, 8], vec![2], vec![]));
    }

    #[test]
    fn versions_in_sitemaps_are_added_to_those_of_pages() {
        let mut relations = Relations::default();
        [(2, 9, 0), (2, 8, 1), (5, 2, 0)]
            .into_iter()
            .for_each(|(source, to, code)| relations.add_version(source, to, code));
        relations.finish(vec![(5, 1, 3), (2, 9, 0), (3, 2, 1), (2, 9, 4)]);
        let targets = |page| relations.versions_of(page).map(|version| version.target).collect::<Vec<_>>();
        assert_eq!((targets(2), targets(3), targets(5)), (vec![8, 9, 9], vec![2], vec![1, 2]));
        assert_eq!(relations.codes_of(2, 9).collect::<Vec<_>>(), [0, 4]);
        assert_eq!((relations.codes_of(2, 7).count(), relations.codes_of(4, 9).count()), (0, 0));
    }

    #[test]
    fn circles_are_found_at_any_length_and_without_what_leads_to_them() {
        let long: Vec<(u32, u32)> = (1..=5_000).map(|page| (page, page % 5_000 + 1)).collect();
        assert_eq!(circles(&long), (1..=5_000).map(|page| (page, 5_000)).collect::<Vec<_>>());
        let nexts = [(1, 2), (2, 3), (3, 2), (4, 4), (5, 1), (6, 7), (8, 3)];
        assert_eq!(circles(&nexts), [(2, 2), (3, 2), (4, 1)]);
    }

    #[test]
    fn the_first_canonical_counts() {
        let mut relations = Relations::default();
        assert!(relations.add_canonical(3, 7) && !relations.add_canonical(3, 8) && relations.add_canonical(4, 9));
        assert_eq!((relations.canonical_of(3), relations.canonical_of(4)), (Some(7), Some(9)));
    }
}
