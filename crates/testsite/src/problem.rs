//! What an audit of a site must report.

use crate::address::Addresses;

/// A problem that an audit must report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The id of the check.
    pub check: String,
    /// The URL that has the problem.
    pub url: String,
    /// What exactly the check reports; empty if that is not declared.
    pub detail: String,
}

impl Problem {
    /// With absolute URLs; `own` is the origin of the declaring site.
    pub(crate) fn filled(&self, addresses: &Addresses, own: &str) -> Self {
        let url = addresses.fill(&self.url, own);
        let is_path = url.starts_with('/') && !url.starts_with("//");
        let url = if is_path { format!("{own}{url}") } else { addresses.absolute(&url) };
        Self { check: self.check.clone(), url, detail: addresses.fill(&self.detail, own) }
    }
}
