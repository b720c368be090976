//! What an audit found.

use std::sync::Arc;

use crate::catalogue::Check;
use crate::details::{DetailId, Details};

/// The result of an audit.
#[derive(Debug)]
pub struct Report {
    /// The result of every check, in the order of the catalogue.
    pub checks: Vec<Findings>,
    /// What is derived for every URL, by number: the first one belongs to number 1.
    pub urls: Vec<Derived>,
    /// Which URLs link to which.
    pub inlinks: Inlinks,
    /// How many internal HTML pages responded with success: what shares are computed from.
    pub pages: u32,
}

/// The result of one check.
#[derive(Debug)]
pub struct Findings {
    /// The check.
    pub check: &'static Check,
    /// Whether it could be checked.
    pub verdict: Verdict,
    /// What it found, ordered by number; a URL appears once per distinct detail.
    pub findings: FindingList,
    /// Details on so many pages that they must come from a template; the most frequent first.
    pub shared: Vec<Shared>,
}

/// Whether a check could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was made.
    Checked,
    /// It was not made, for this reason, as a sentence: "switched off", "needs a completed run", "needs rendering" …
    NotChecked(&'static str),
}

/// One URL with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding<'a> {
    /// Its number.
    pub number: u32,
    /// What exactly, if there is more to report.
    pub detail: Option<&'a str>,
}

/// The findings of a check, ordered by number.
///
/// A site of a million pages easily has ten million findings, so they are packed: the distance to the number before
/// and the id of the detail, in three or four bytes together.
#[derive(Clone, Debug, Default)]
pub struct FindingList {
    packed: Vec<u8>,
    last: u32,
    findings: u32,
    urls: u32,
    details: Arc<Details>,
}

impl FindingList {
    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.findings as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.findings == 0
    }

    /// How many different URLs they are about.
    pub fn urls(&self) -> usize {
        self.urls as usize
    }

    /// The findings in their order.
    pub fn iter(&self) -> impl Iterator<Item = Finding<'_>> {
        self.ids().map(|(number, detail)| Finding { number, detail: self.details.text(detail) })
    }

    /// Adds a finding; its number is not below that of the last one.
    pub(crate) fn push(&mut self, number: u32, detail: DetailId) {
        debug_assert!(number >= self.last, "findings come in number order");
        self.urls += u32::from(number != self.last);
        self.findings += 1;
        put(&mut self.packed, number - self.last);
        put(&mut self.packed, detail);
        self.last = number;
    }

    /// The numbers and details in their order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (u32, DetailId)> {
        let (mut rest, mut number) = (self.packed.as_slice(), 0);
        std::iter::from_fn(move || {
            number += take(&mut rest)?;
            Some((number, take(&mut rest)?))
        })
    }

    /// Attaches the texts of the details.
    pub(crate) fn finish(mut self, details: &Arc<Details>) -> Self {
        self.packed.shrink_to_fit();
        self.details = Arc::clone(details);
        self
    }
}

/// Writes seven bits a byte, the lowest first.
fn put(packed: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        packed.push(number as u8 | 0x80);
        number >>= 7;
    }
    packed.push(number as u8);
}

fn take(rest: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u32::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

/// A detail that many pages have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The detail; `None` where the check has none.
    pub detail: Option<Box<str>>,
    /// The anchor (of `anchors`) that causes it, if it is a link.
    pub anchor: Option<u32>,
    /// On how many pages.
    pub pages: u32,
    /// The first of them.
    pub first: u32,
}

/// What is derived for one URL from all links and pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Derived {
    /// The smallest number of followed links from a seed.
    pub depth: Option<u32>,
    /// Hyperlinks and embedded resources that refer to it, from other documents.
    pub inlinks: u32,
    /// Documents with such a link.
    pub unique_inlinks: u32,
    /// Hyperlinks on it.
    pub outlinks: u32,
    /// Different URLs its hyperlinks lead to.
    pub unique_outlinks: u32,
    /// Hyperlinks that leave the site.
    pub external_outlinks: u32,
    /// PageRank over internal followed links, as 0 to 100; `None` if it is not an internal page.
    ///
    /// 100 is the page with the highest rank, 0 a page that no other page links to. The scale between is
    /// logarithmic: each multiplication of the rank adds the same number of points.
    pub link_score: Option<f32>,
    /// The first page of its group of near duplicates; `None` without such a group.
    pub near_duplicate_of: Option<u32>,
    /// How similar it is to the page most like it, in percent.
    pub similarity: Option<u8>,
}

/// For every URL the other documents that refer to it in any way, in number order, each once.
#[derive(Debug, Default)]
pub struct Inlinks {
    /// Where the list of each URL begins, by number; one more at the end.
    starts: Vec<u64>,
    sources: Vec<u32>,
}

impl Inlinks {
    /// The lists of all URLs one after the other, and where each begins.
    pub(crate) fn new(starts: Vec<u64>, sources: Vec<u32>) -> Self {
        Self { starts, sources }
    }

    /// The documents that refer to this URL.
    pub fn of(&self, number: u32) -> &[u32] {
        let at = number as usize;
        match (self.starts.get(at.wrapping_sub(1)), self.starts.get(at)) {
            (Some(from), Some(until)) => &self.sources[*from as usize..*until as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_read_back_as_they_were_added() {
        let mut details = Details::default();
        let mut list = FindingList::default();
        let added = [(1, ""), (7, "a"), (7, "b"), (500, ""), (3_000_000_000, "a")];
        for (number, detail) in added {
            list.push(number, details.intern(detail));
        }
        let list = list.finish(&Arc::new(details.finish()));
        let read: Vec<_> = list.iter().map(|finding| (finding.number, finding.detail.unwrap_or_default())).collect();
        assert_eq!(read, added);
        assert_eq!((list.len(), list.urls()), (5, 4));
    }

    #[test]
    fn a_list_without_findings_is_empty() {
        let list = FindingList::default();
        assert!(list.is_empty() && list.iter().next().is_none());
    }
}
