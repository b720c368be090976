//! How many URLs have which value: facets, and histograms of numbers.

use std::sync::Arc;

use bluesnake_engine::{Disposition, Reason};

use super::columns::{Grid, HAS_INDEX_STATE, INDEXABLE, INTERNAL, NO_DEPTH, NONE};
use super::filter::RowFilter;
use super::select::Bits;
use crate::error::DatabaseError;
use crate::sqlite::contents::{Contents, PageType};
use crate::state::words;

words! {
    /// What to count URLs by.
    Facet {
        /// Where they ended up.
        Disposition = "disposition",
        /// Why, as `disposition/reason`.
        Reason = "reason",
        /// HTTP status.
        Status = "status",
        /// Type of the response.
        Type = "type",
        /// Media type.
        ContentType = "contentType",
        /// Links from a seed.
        Depth = "depth",
        /// Whether they are indexable: `Yes`, `No` or `-`.
        Indexable = "indexable",
        /// Where they were first found.
        Source = "source",
        /// Whether they belong to the site: `true` or `false`.
        Internal = "internal",
    }
}

words! {
    /// A number to draw a histogram of.
    HistogramOf {
        /// Milliseconds of the visit.
        ResponseTime = "responseTime",
        /// Bytes of the body.
        Size = "size",
        /// Links from a seed.
        Depth = "depth",
        /// Words on the page.
        Words = "words",
        /// Links to it.
        Inlinks = "inlinks",
    }
}

/// What to count, of which URLs.
#[derive(Clone, Debug)]
pub struct FacetsQuery {
    /// Of which run.
    pub run: i64,
    /// Which URLs.
    pub filter: RowFilter,
    /// By what.
    pub by: Vec<Facet>,
}

/// How many URLs have a value; URLs without one are counted under the empty value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCount {
    /// The value.
    pub value: String,
    /// How many.
    pub count: u64,
}

/// Which histogram, of which URLs.
#[derive(Clone, Debug)]
pub struct HistogramQuery {
    /// Of which run.
    pub run: i64,
    /// Which URLs.
    pub filter: RowFilter,
    /// Of what.
    pub of: HistogramOf,
    /// Maximum number of buckets, at least 2.
    pub buckets: usize,
}

/// A histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// How many URLs of the run it knows.
    pub version: u64,
    /// URLs without a value.
    pub missing: u64,
    /// Adjacent buckets, ascending.
    pub buckets: Vec<Bucket>,
}

/// A bar of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The lowest value in it.
    pub from: u64,
    /// The highest value in it.
    pub to: u64,
    /// How many URLs.
    pub count: u64,
}

/// Facets of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetCounts {
    /// How many URLs of the run they know.
    pub version: u64,
    /// How many URLs match the filter.
    pub total: u64,
    /// The counts, in the order of the query.
    pub facets: Vec<(Facet, Vec<FacetCount>)>,
}

impl FacetCounts {
    /// What it takes in memory besides itself.
    fn weight(&self) -> usize {
        let counts = self.facets.iter().flat_map(|(_, counts)| counts);
        counts.map(|count| size_of::<FacetCount>() + count.value.len()).sum()
    }
}

impl Contents<'_> {
    /// How many URLs match, and how many of them have which value: the most frequent values first, those of status and
    /// depth in their own order.
    pub async fn facets(self, query: FacetsQuery) -> Result<FacetCounts, DatabaseError> {
        self.with_filtered(query.run, query.filter, move |connection, view, filter| {
            let count = || {
                let bits = view.select(connection, filter)?;
                let facets = query.by.iter().map(|facet| (*facet, view.grid.count(&bits, *facet))).collect();
                Ok(FacetCounts { version: view.grid.len() as u64, total: bits.count() as u64, facets })
            };
            let key = (view.id, filter.clone(), query.by.clone());
            let counted = view.kept.facets.get_or_make(&key, FacetCounts::weight, count);
            counted.map(Arc::unwrap_or_clone)
        })
        .await
    }

    /// A histogram of the URLs of a run.
    pub async fn histogram(self, query: HistogramQuery) -> Result<Histogram, DatabaseError> {
        self.with_filtered(query.run, query.filter, move |connection, view, filter| {
            let count = || {
                let bits = view.select(connection, filter)?;
                Ok(view.grid.histogram(&bits, query.of, query.buckets))
            };
            let key = (view.id, filter.clone(), (query.of, query.buckets));
            let weight = |histogram: &Histogram| size_of_val(histogram.buckets.as_slice());
            let counted = view.kept.histograms.get_or_make(&key, weight, count);
            counted.map(Arc::unwrap_or_clone)
        })
        .await
    }
}

impl Grid {
    fn count(&self, bits: &Bits, facet: Facet) -> Vec<FacetCount> {
        let names = &self.names;
        match facet {
            Facet::Disposition => {
                let counts = tally(bits, names.reasons.len(), |at| self.reason[at].into());
                let of = |wanted: Disposition| {
                    let reasons = names.reasons.iter().zip(&counts);
                    reasons.filter(|(reason, _)| reason.disposition() == wanted).map(|(_, count)| count).sum()
                };
                by_frequency(Disposition::ALL.map(|one| (one.as_str().to_owned(), of(one))))
            }
            Facet::Reason => {
                let name = |reason: &Reason| format!("{}/{}", reason.disposition().as_str(), reason.as_str());
                let counts = tally(bits, names.reasons.len(), |at| self.reason[at].into());
                by_frequency(names.reasons.iter().map(name).zip(counts))
            }
            Facet::Status => {
                let counts = tally(bits, 1 << 16, |at| self.status[at].into());
                let name = |status: usize| if status == 0 { String::new() } else { status.to_string() };
                present(counts.into_iter().enumerate().map(|(status, count)| (name(status), count)))
            }
            Facet::Type => {
                let counts = tally(bits, PageType::ALL.len(), |at| self.kind[at].into());
                let name = |page_type: &PageType| match page_type {
                    PageType::All => String::new(),
                    page_type => page_type.as_str().to_owned(),
                };
                by_frequency(PageType::ALL.iter().map(name).zip(counts))
            }
            Facet::ContentType => {
                let counts = tally(bits, names.media.len(), |at| self.media[at].into());
                by_frequency(names.media.iter().cloned().zip(counts))
            }
            Facet::Depth => {
                let counts = tally(bits, 1 << 16, |at| self.depth[at].wrapping_add(1).into());
                let name = |depth: usize| depth.checked_sub(1).map_or(String::new(), |depth| depth.to_string());
                present(counts.into_iter().enumerate().map(|(depth, count)| (name(depth), count)))
            }
            Facet::Indexable => {
                let state = |flags: u8| match flags & (HAS_INDEX_STATE | INDEXABLE) {
                    0 => 2,
                    HAS_INDEX_STATE => 1,
                    _ => 0,
                };
                let counts = tally(bits, 3, |at| state(self.flags[at]));
                by_frequency(["Yes", "No", "-"].map(str::to_owned).into_iter().zip(counts))
            }
            Facet::Source => {
                let counts = tally(bits, names.sources.len(), |at| self.source[at].into());
                by_frequency(names.sources.iter().map(|source| source.as_str().to_owned()).zip(counts))
            }
            Facet::Internal => {
                let counts = tally(bits, 2, |at| usize::from(self.flags[at] & INTERNAL == 0));
                by_frequency(["true", "false"].map(str::to_owned).into_iter().zip(counts))
            }
        }
    }

    fn histogram(&self, bits: &Bits, of: HistogramOf, buckets: usize) -> Histogram {
        let value = |at: usize| -> Option<u32> {
            let column = match of {
                HistogramOf::ResponseTime => &self.time,
                HistogramOf::Size => &self.bytes,
                HistogramOf::Words => &self.words,
                HistogramOf::Inlinks => &self.inlinks,
                HistogramOf::Depth => {
                    return Some(self.depth[at]).filter(|depth| *depth != NO_DEPTH).map(u32::from);
                }
            };
            Some(column[at]).filter(|value| *value != NONE)
        };
        let mut highest: Option<u32> = None;
        bits.for_each(|at| highest = highest.max(value(at)));
        let starts = highest.map_or_else(Vec::new, |highest| starts(highest.into(), buckets.max(2)));
        let (mut counts, mut missing) = (vec![0; starts.len()], 0);
        bits.for_each(|at| match value(at) {
            Some(value) => counts[starts.partition_point(|start| *start <= u64::from(value)) - 1] += 1,
            None => missing += 1,
        });
        let ends = starts.iter().skip(1).map(|start| start - 1).chain(highest.map(u64::from));
        let buckets = starts.iter().zip(ends).zip(&counts);
        let buckets = buckets.map(|((from, to), count)| Bucket { from: *from, to, count: *count }).collect();
        Histogram { version: self.len() as u64, missing, buckets }
    }
}

/// Where buckets for values up to a highest one begin: every value its own, or steps 1, 2, 5, 10, 20 …, or 1, 10, 100 …
/// as their number allows, the last one open to the top.
fn starts(highest: u64, buckets: usize) -> Vec<u64> {
    if highest < buckets as u64 {
        return (0..=highest).collect();
    }
    let powers = || std::iter::successors(Some(1_u64), |power| power.checked_mul(10));
    let fine: Vec<u64> =
        powers().flat_map(|power| [power, 2 * power, 5 * power]).take_while(|at| *at <= highest).collect();
    let coarse: Vec<u64> = powers().take_while(|at| *at <= highest).collect();
    let chosen = if fine.len() < buckets { fine } else { coarse };
    [0].into_iter().chain(chosen).take(buckets).collect()
}

/// How many URLs have which index.
fn tally(bits: &Bits, indexes: usize, index: impl Fn(usize) -> usize) -> Vec<u64> {
    let mut counts = vec![0; indexes];
    bits.for_each(|at| counts[index(at)] += 1);
    counts
}

/// The values that occur.
fn present(counts: impl IntoIterator<Item = (String, u64)>) -> Vec<FacetCount> {
    counts.into_iter().filter(|(_, count)| *count > 0).map(|(value, count)| FacetCount { value, count }).collect()
}

/// The same, the most frequent first, and equally frequent ones by name.
fn by_frequency(counts: impl IntoIterator<Item = (String, u64)>) -> Vec<FacetCount> {
    let mut counts = present(counts);
    counts.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.value.cmp(&other.value)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_begin_at_round_numbers_and_never_exceed_their_limit() {
        assert_eq!(starts(4, 10), [0, 1, 2, 3, 4]);
        assert_eq!(starts(70, 10), [0, 1, 2, 5, 10, 20, 50]);
        assert_eq!(starts(12_345, 6), [0, 1, 10, 100, 1_000, 10_000]);
        assert_eq!(starts(12_345, 3), [0, 1, 10]);
        for highest in [0, 1, 9, 10, 99, 1_000_000, u64::from(u32::MAX)] {
            for buckets in [2, 3, 10, 50] {
                let starts = starts(highest, buckets);
                assert!(
                    starts.len() <= buckets && starts[0] == 0 && starts.is_sorted(),
                    "{highest} {buckets}: {starts:?}"
                );
                assert!(starts.iter().all(|start| *start <= highest), "{highest} {buckets}: {starts:?}");
            }
        }
    }
}
