//! What pages declare about each other: canonicals, language versions, neighbours in a list, AMP pages.
//!
//! Documents come in number order, so every list is sorted by its source and is searched by halving.

use crate::anchors::CodeId;

/// Everything declared, by source.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    /// The first canonical of each page.
    canonicals: Edges<()>,
    versions: Edges<CodeId>,
    pagers: Edges<Direction>,
    amps: Edges<()>,
}

/// The direction of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    }

    pub(crate) fn add_amp(&mut self, source: u32, target: u32) {
        self.amps.push(source, target, ());
    }

    pub(crate) fn canonical_of(&self, page: u32) -> Option<u32> {
        self.canonicals.of(page).next().map(|(target, ())| target)
    }

    pub(crate) fn versions_of(&self, page: u32) -> impl Iterator<Item = Version> {
        self.versions.of(page).map(|(target, code)| Version { target, code })
    }

    pub(crate) fn pagers_of(&self, page: u32) -> impl Iterator<Item = Pager> {
        self.pagers.of(page).map(|(target, direction)| Pager { target, direction })
    }

    pub(crate) fn amps_of(&self, page: u32) -> impl Iterator<Item = u32> {
        self.amps.of(page).map(|(target, ())| target)
    }
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

impl<T: Copy> Edges<T> {
    fn push(&mut self, source: u32, target: u32, label: T) {
        if self.sources.last().is_none_or(|(last, _)| *last != source) {
            self.sources.push((source, self.targets.len() as u32));
        }
        self.targets.push(target);
        self.labels.push(label);
    }

    fn of(&self, source: u32) -> impl Iterator<Item = (u32, T)> {
        let range = match self.sources.binary_search_by_key(&source, |(source, _)| *source) {
            Ok(at) => {
                let until = self.sources.get(at + 1).map_or(self.targets.len(), |(_, next)| *next as usize);
                self.sources[at].1 as usize..until
            }
            Err(_) => 0..0,
        };
        self.targets[range.clone()].iter().copied().zip(self.labels[range].iter().copied())
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
    fn the_first_canonical_counts() {
        let mut relations = Relations::default();
        assert!(relations.add_canonical(3, 7) && !relations.add_canonical(3, 8) && relations.add_canonical(4, 9));
        assert_eq!((relations.canonical_of(3), relations.canonical_of(4)), (Some(7), Some(9)));
    }
}
