//! All links of a run in four bytes each: first by source, for depths and ranks, then by target, for inlinks.

use crate::report::Inlinks;

/// Who links to whom, each pair once; documents are added in number order.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// Where the targets of each document begin, by number from 0; one more at the end.
    starts: Vec<u64>,
    /// Targets with their marks.
    targets: Vec<u32>,
}

/// The links from one document to one URL, put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge(u32);

impl Edge {
    /// One of them is followed by a crawl.
    pub(crate) const IS_FOLLOWED: u32 = 1;
    /// One of them is a hyperlink that robots follow.
    pub(crate) const PASSES_RANK: u32 = 2;
    /// One of them is a hyperlink or an embedded resource.
    pub(crate) const COUNTS: u32 = 4;
    const BITS: u32 = 3;
    /// The largest number that leaves room for the marks.
    pub(crate) const LARGEST: u32 = u32::MAX >> Self::BITS;

    pub(crate) fn new(target: u32, marks: u32) -> Self {
        Self(target << Self::BITS | marks)
    }

    pub(crate) fn target(self) -> u32 {
        self.0 >> Self::BITS
    }

    pub(crate) fn has(self, mark: u32) -> bool {
        self.0 & mark != 0
    }
}

impl Graph {
    /// Adds a document with its links, which are sorted and put together here.
    pub(crate) fn push(&mut self, source: u32, edges: &mut [Edge]) -> impl Iterator<Item = Edge> {
        self.starts.resize(source as usize + 1, self.targets.len() as u64);
        let from = self.targets.len();
        edges.sort_unstable_by_key(|edge| edge.0);
        for edge in edges {
            match self.targets[from..].last_mut() {
                Some(last) if Edge(*last).target() == edge.target() => *last |= edge.0,
                _ => self.targets.push(edge.0),
            }
        }
        self.targets[from..].iter().map(|edge| Edge(*edge))
    }

    /// Ends the list of documents: there are this many URLs.
    pub(crate) fn finish(&mut self, urls: u32) {
        self.starts.resize(urls as usize + 2, self.targets.len() as u64);
    }

    /// The links of a document.
    pub(crate) fn of(&self, source: u32) -> impl Iterator<Item = Edge> {
        let at = source as usize;
        let edges = &self.targets[self.starts[at] as usize..self.starts[at + 1] as usize];
        edges.iter().map(|edge| Edge(*edge))
    }

    /// The smallest number of followed links from a seed, by number.
    pub(crate) fn depths(&self, seeds: impl Iterator<Item = u32>, mut set: impl FnMut(u32, u32) -> bool) {
        let mut level: Vec<u32> = seeds.filter(|seed| set(*seed, 0)).collect();
        let mut next = Vec::new();
        for depth in 1.. {
            for source in level.drain(..) {
                let followed = self.of(source).filter(|edge| edge.has(Edge::IS_FOLLOWED));
                next.extend(followed.map(Edge::target).filter(|target| set(*target, depth)));
            }
            if next.is_empty() {
                return;
            }
            std::mem::swap(&mut level, &mut next);
        }
    }

    /// The same links by target, without those of a document to itself.
    pub(crate) fn inlinks(self, urls: u32) -> Inlinks {
        // First how many there are for each target, then where the next one goes, and so in the end where each ends.
        let mut places = vec![0u64; urls as usize + 1];
        self.pairs().for_each(|(_, target)| places[target as usize] += 1);
        let mut sum = 0;
        for place in &mut places {
            sum += std::mem::replace(place, sum);
        }
        let mut sources = vec![0; sum as usize];
        for (source, target) in self.pairs() {
            let place = &mut places[target as usize];
            sources[*place as usize] = source;
            *place += 1;
        }
        Inlinks::new(places, sources)
    }

    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let documents = 0..self.starts.len().saturating_sub(1) as u32;
        documents
            .flat_map(|source| self.of(source).map(move |edge| (source, edge.target())))
            .filter(|(source, target)| source != target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(urls: u32, links: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        for source in 1..=urls {
            let of_source = links.iter().filter(|(from, _)| *from == source);
            let mut edges: Vec<Edge> = of_source.map(|(_, to)| Edge::new(*to, Edge::IS_FOLLOWED)).collect();
            if !edges.is_empty() {
                drop(graph.push(source, &mut edges));
            }
        }
        graph.finish(urls);
        graph
    }

    #[test]
    fn links_of_a_document_to_one_url_are_put_together() {
        let mut graph = Graph::default();
        let mut edges = [Edge::new(7, Edge::COUNTS), Edge::new(3, 0), Edge::new(7, Edge::IS_FOLLOWED)];
        let merged: Vec<Edge> = graph.push(2, &mut edges).collect();
        assert_eq!(merged, [Edge::new(3, 0), Edge::new(7, Edge::COUNTS | Edge::IS_FOLLOWED)]);
    }

    #[test]
    fn inlinks_are_in_order_and_exclude_the_document_itself() {
        let graph = graph(4, &[(1, 2), (1, 2), (2, 2), (3, 2), (3, 1), (4, 2)]);
        let inlinks = graph.inlinks(4);
        assert_eq!(inlinks.of(2), [1, 3, 4]);
        assert_eq!(inlinks.of(1), [3]);
        assert!(inlinks.of(3).is_empty() && inlinks.of(4).is_empty() && inlinks.of(5).is_empty());
    }

    #[test]
    fn depths_are_those_of_the_shortest_ways() {
        let graph = graph(5, &[(1, 2), (2, 3), (3, 4), (1, 4), (5, 1)]);
        let mut depths = [u32::MAX; 6];
        graph.depths([1].into_iter(), |number, depth| {
            let known = &mut depths[number as usize];
            let is_new = *known == u32::MAX;
            *known = depth.min(*known);
            is_new
        });
        assert_eq!(depths[1..], [0, 1, 2, 1, u32::MAX]);
    }
}
