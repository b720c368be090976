//! The findings of an audit: every check with its texts and counts, and the URLs it found.

use std::ops::Deref;

use bluesnake_audit::Check;
use bluesnake_store::FindingRow;
use serde::Serialize;
use utoipa::ToSchema;

/// A check of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckText {
    /// Its stable name for programs.
    pub id: &'static str,
    /// What it is about: responses, titles, links …
    pub theme: &'static str,
    /// Its name for people, with its threshold.
    pub name: String,
    /// issue, warning or opportunity.
    pub kind: &'static str,
    /// high, medium or low.
    pub priority: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

impl CheckText {
    /// The texts of a check, under a name that has its threshold.
    pub(crate) fn of(check: &'static Check, name: String) -> Self {
        let &Check { id, theme, kind, priority, why, fix, .. } = check;
        Self { id, theme: theme.as_str(), name, kind: kind.as_str(), priority: priority.as_str(), why, fix }
    }
}

/// The result of every check of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuesView {
    /// The run.
    pub run_id: i64,
    /// URLs in the run when it was audited; grows while the run is in progress.
    pub version: u64,
    /// Whether the run is completed. Checks for missing things are made only then, and only if no limit cut the site.
    pub is_completed: bool,
    /// Internal HTML pages that responded with success: what shares are computed from.
    pub pages: u64,
    /// Every check, also those without findings: highest priority first, then issues before warnings and opportunities,
    /// then by number of URLs.
    pub checks: Vec<CheckView>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    /// The check.
    #[serde(flatten)]
    pub text: CheckText,
    /// What it found, in one line: "12 pages share a title". None without findings.
    pub summary: Option<String>,
    /// How many findings; a URL can have several.
    pub findings: u64,
    /// How many URLs have one.
    pub urls: u64,
    /// Their share of all pages, from 0 to 1; none if the check looks at other URLs.
    pub share: Option<f64>,
    /// Why it was not checked; none if it was.
    pub not_checked: Option<String>,
    /// The first three findings.
    pub examples: Vec<IssueRowView>,
    /// Findings that pages have because of their template, most frequent first.
    pub shared: Vec<SharedView>,
}

/// A result is shown as one object with its check, and is read like one.
impl Deref for CheckView {
    type Target = CheckText;

    fn deref(&self) -> &CheckText {
        &self.text
    }
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueRowView {
    /// The number of the URL.
    pub number: u32,
    /// The URL.
    pub url: String,
    /// What exactly, if there is more to report.
    pub detail: Option<String>,
}

impl From<FindingRow> for IssueRowView {
    fn from(row: FindingRow) -> Self {
        let FindingRow { number, url, detail } = row;
        Self { number, url, detail }
    }
}

/// A finding that many pages have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedView {
    /// What exactly.
    pub detail: Option<String>,
    /// The link that causes it, by its place and text: `nav > ul > li > a "Old docs"`.
    pub element: Option<String>,
    /// On how many pages.
    pub pages: u64,
    /// How many pages there are.
    pub of: u64,
    /// The number of the first page that has it.
    pub first_number: u32,
    /// Its URL.
    pub first_url: String,
}
