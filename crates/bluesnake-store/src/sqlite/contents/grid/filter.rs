//! Filters of grids.

use std::sync::Arc;

use bluesnake_engine::{Disposition, Source};

use crate::sqlite::contents::{PageType, StatusFilter};

/// A range of numbers, both ends included. A URL without the number is in no range that has an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The lowest.
    pub min: Option<u32>,
    /// The highest.
    pub max: Option<u32>,
}

/// Filters URLs; unset fields match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RowFilter {
    /// Type of the response.
    pub page_type: PageType,
    /// Where it ended up.
    pub disposition: Option<Disposition>,
    /// Why, by name; names are unique within a disposition.
    pub reason: Option<String>,
    /// Its status.
    pub status: Option<StatusFilter>,
    /// Prefix of its media type, case-insensitive.
    pub content_type: Option<String>,
    /// Links from a seed.
    pub depth: Bounds,
    /// Words on the page.
    pub words: Bounds,
    /// Bytes of the body, decoded.
    pub bytes: Bounds,
    /// Milliseconds of the visit.
    pub time_ms: Bounds,
    /// Links to it. Unknown, and so in no range, before the run is sealed.
    pub inlinks: Bounds,
    /// `true` for indexable pages, `false` for pages that are not.
    pub is_indexable: Option<bool>,
    /// Whether it belongs to the site.
    pub is_internal: Option<bool>,
    /// Whether it was read as an HTML page.
    pub is_page: Option<bool>,
    /// Where it was first found.
    pub source: Option<Source>,
    /// What a check found.
    pub issue: Option<IssueFilter>,
    /// Substring of its URL, title or description, ignoring the case of ASCII letters.
    pub search: Option<String>,
    /// Start of its URL, for example a folder.
    pub prefix: Option<String>,
    /// Pages on which the extraction rule of this name found something.
    pub contains: Option<String>,
    /// Pages that the extraction rule of this name read without finding anything.
    pub lacks: Option<String>,
}

impl RowFilter {
    /// Whether it reads texts of all URLs or pages of a run.
    pub(super) fn reads_texts(&self) -> bool {
        [&self.search, &self.contains, &self.lacks].into_iter().any(Option::is_some)
    }

    /// What it takes in memory besides itself.
    pub(super) fn weight(&self) -> usize {
        let texts = [&self.reason, &self.content_type, &self.search, &self.prefix, &self.contains, &self.lacks];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        let issue = |issue: &IssueFilter| issue.check.len() + issue.numbers.as_deref().map_or(0, size_of_val);
        texts + self.issue.as_ref().map_or(0, issue)
    }
}

/// The URLs that a check found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IssueFilter {
    /// The id of the check.
    pub check: String,
    /// Their numbers, ascending, from an audit in memory; `None` if the run has a stored audit.
    pub numbers: Option<Arc<[u32]>>,
}
