//! The link score of pages: PageRank over the followed hyperlinks between them, as 0 to 100.

use crate::graph::{Edge, Graph};
use crate::site::RedirectEnd;

/// The share of visitors who follow a link instead of starting anew on any page.
const DAMPING: f64 = 0.85;
/// Where to stop: the average change of a rank; the average rank is 1.
const TOLERANCE: f64 = 1e-5;
const MOST_ROUNDS: usize = 60;

/// The PageRank of all pages.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// By number from 0; their average is 1. URLs that are not pages have none.
    ranks: Vec<f64>,
    /// The rank of a page that no other page links to.
    least: f64,
}

impl Ranks {
    /// Computes ranks in the order of numbers, so that the result is always the same to the last bit.
    pub(crate) fn of(graph: &Graph, pages: &Pages) -> Self {
        let count = pages.iter().count() as f64;
        let links = |page: u32| {
            let passing = graph.of(page).filter(|edge| edge.has(Edge::PASSES_RANK)).map(Edge::target);
            passing.filter_map(|target| pages.behind(target)).filter(move |target| *target != page)
        };
        let degrees: Vec<u32> = pages.iter().map(|page| links(page).count() as u32).collect();
        let mut ranks = vec![0.0; pages.urls as usize + 1];
        pages.iter().for_each(|page| ranks[page as usize] = 1.0);
        let mut next = vec![0.0; ranks.len()];
        let mut least = 1.0 - DAMPING;
        for _ in 0..MOST_ROUNDS {
            let dead_ends = pages.iter().zip(&degrees).filter(|(_, degree)| **degree == 0);
            let stranded: f64 = dead_ends.map(|(page, _)| ranks[page as usize]).sum();
            least = 1.0 - DAMPING + DAMPING * stranded / count;
            pages.iter().for_each(|page| next[page as usize] = least);
            for (page, degree) in pages.iter().zip(&degrees) {
                let given = DAMPING * ranks[page as usize] / f64::from(*degree);
                links(page).for_each(|target| next[target as usize] += given);
            }
            std::mem::swap(&mut ranks, &mut next);
            let change: f64 = ranks.iter().zip(&next).map(|(new, old)| (new - old).abs()).sum();
            if change <= TOLERANCE * count {
                break;
            }
        }
        Self { ranks, least }
    }

    /// The score of every page: 100 for the highest rank, 0 for a page that no other page links to, and in between
    /// the same number of points for each multiplication of the rank. With one decimal, so that the last bits of a
    /// logarithm, which differ between machines, do not show.
    pub(crate) fn scores(&self, pages: &Pages) -> impl Iterator<Item = (u32, f32)> {
        let highest = self.ranks.iter().copied().fold(self.least, f64::max);
        let span = (highest / self.least).ln();
        pages.iter().map(move |page| {
            let score = 100.0 * (self.ranks[page as usize] / self.least).ln() / span;
            let score = if span > 1e-9 { score.clamp(0.0, 100.0) } else { 0.0 };
            (page, (score * 10.0).round() as f32 / 10.0)
        })
    }
}

/// Which numbers are pages, in one bit each: it is asked for every link in every round.
#[derive(Debug)]
pub(crate) struct Pages {
    bits: Vec<u64>,
    urls: u32,
    /// Redirects with the pages they lead to, in order.
    redirects: Vec<(u32, u32)>,
}

impl Pages {
    pub(crate) fn new(
        urls: u32,
        is_page: impl Fn(u32) -> bool,
        redirects_of: impl Fn(u32) -> Option<RedirectEnd>,
    ) -> Self {
        let mut bits = vec![0; urls as usize / 64 + 1];
        for number in (1..=urls).filter(|number| is_page(*number)) {
            bits[number as usize / 64] |= 1 << (number % 64);
        }
        let lead_to_page = |number| {
            let end = redirects_of(number).filter(|end| !end.is_loop && is_page(end.number))?;
            Some((number, end.number))
        };
        let redirects = (1..=urls).filter_map(lead_to_page).collect();
        Self { bits, urls, redirects }
    }

    /// The page that a link to this URL leads to.
    fn behind(&self, number: u32) -> Option<u32> {
        if self.contains(number) {
            return Some(number);
        }
        let at = self.redirects.binary_search_by_key(&number, |(redirect, _)| *redirect).ok()?;
        Some(self.redirects[at].1)
    }

    fn contains(&self, number: u32) -> bool {
        self.bits[number as usize / 64] >> (number % 64) & 1 == 1
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        (1..=self.urls).filter(|number| self.contains(*number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(urls: u32, links: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        for source in 1..=urls {
            let of_source = links.iter().filter(|(from, _)| *from == source);
            let mut edges: Vec<Edge> = of_source.map(|(_, to)| Edge::new(*to, Edge::PASSES_RANK)).collect();
            drop(graph.push(source, &mut edges));
        }
        graph.finish(urls);
        graph
    }

    fn scores(urls: u32, links: &[(u32, u32)]) -> Vec<f32> {
        let pages = Pages::new(urls, |_| true, |_| None);
        Ranks::of(&graph(urls, links), &pages).scores(&pages).map(|(_, score)| score).collect()
    }

    /// By the definition, with a full matrix and many rounds.
    fn naive(urls: usize, links: &[(u32, u32)], is_page: &[bool]) -> Vec<f64> {
        let count = is_page.iter().filter(|is_page| **is_page).count() as f64;
        let mut leads = vec![vec![false; urls]; urls];
        for (from, to) in links.iter().map(|(from, to)| (*from as usize - 1, *to as usize - 1)) {
            leads[from][to] = from != to && is_page[from] && is_page[to];
        }
        let mut ranks: Vec<f64> = is_page.iter().map(|is_page| f64::from(u8::from(*is_page))).collect();
        for _ in 0..100 {
            let mut next = vec![0.0; urls];
            for from in (0..urls).filter(|from| is_page[*from]) {
                let degree = leads[from].iter().filter(|leads| **leads).count();
                for to in (0..urls).filter(|to| is_page[*to]) {
                    let chance = match degree {
                        0 => 1.0 / count,
                        _ if leads[from][to] => 1.0 / degree as f64,
                        _ => 0.0,
                    };
                    next[to] += ranks[from] * (0.85 * chance + 0.15 / count);
                }
            }
            ranks = next;
        }
        ranks
    }

    proptest! {
        #[test]
        fn ranks_are_those_of_the_definition(
            links in prop::collection::vec((1u32..=12, 1u32..=12), 0..60),
            is_page in prop::collection::vec(prop::bool::weighted(0.8), 12),
        ) {
            let mut links = links;
            links.sort_unstable();
            let pages = Pages::new(12, |number| is_page[number as usize - 1], |_| None);
            let ranks = Ranks::of(&graph(12, &links), &pages);
            for (at, expected) in naive(12, &links, &is_page).iter().enumerate() {
                let rank = ranks.ranks[at + 1];
                prop_assert!((rank - expected).abs() < 1e-3, "{}: {rank} instead of {expected}", at + 1);
            }
        }
    }

    #[test]
    fn the_page_all_others_link_to_has_the_highest_score() {
        let scores = scores(4, &[(1, 4), (2, 4), (3, 4), (4, 1)]);
        assert_eq!((scores[3], scores[1], scores[2]), (100.0, 0.0, 0.0));
        assert!(scores[0] > 50.0 && scores[0] < 100.0, "{}", scores[0]);
    }

    #[test]
    fn pages_without_links_have_no_points() {
        assert_eq!(scores(3, &[]), [0.0, 0.0, 0.0]);
        assert_eq!(scores(1, &[(1, 1)]), [0.0]);
        assert_eq!(scores(0, &[]), [0.0; 0]);
    }

    #[test]
    fn equal_pages_have_equal_scores() {
        assert_eq!(scores(3, &[(1, 2), (2, 3), (3, 1)]), [100.0, 100.0, 100.0]);
    }
}
