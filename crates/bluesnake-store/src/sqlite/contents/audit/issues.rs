//! The findings of a stored audit: counts of every check, windows of one, all of one URL, all as a table.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use bluesnake_engine::LinkKind;
use rusqlite::types::Type;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::{AuditRow, find};
use crate::error::DatabaseError;
use crate::sqlite::catalog;
use crate::sqlite::columns::{Columns, FromColumns, first, list, one, rows};
use crate::sqlite::contents::{Contents, Window};

/// How many findings a stored part has, unless it is the last.
pub(super) const PER_PART: u64 = 1_000;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueCount {
    /// The id of the check.
    pub check_id: String,
    /// Its name, with its threshold.
    pub name: String,
    /// issue, warning or opportunity.
    pub kind: String,
    /// high, medium or low.
    pub priority: String,
    /// How many findings; a URL can have several.
    pub findings: u64,
    /// How many URLs.
    pub urls: u64,
    /// Why it was not checked; `None` if it was.
    pub not_checked: Option<String>,
    /// Findings that a template causes.
    pub shared: Vec<SharedFinding>,
    /// The first three findings.
    pub examples: Vec<FindingRow>,
}

/// A detail that many pages have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedFinding {
    /// The detail.
    pub detail: Option<String>,
    /// The id of the anchor that causes it, if it is a link; see [`Contents::anchor`].
    pub anchor: Option<u32>,
    /// On how many pages.
    pub pages: u32,
    /// The first of them.
    pub first: u32,
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    /// The number of the URL.
    pub number: u32,
    /// The URL.
    pub url: String,
    /// What exactly, if there is more to report.
    pub detail: Option<String>,
}

/// A row of the table of issues: a finding, or one for all findings that a template causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IssueRow<'a> {
    /// The id of the check.
    pub check_id: &'a str,
    /// Its name, with its threshold.
    pub name: &'a str,
    /// issue, warning or opportunity.
    pub kind: &'a str,
    /// high, medium or low.
    pub priority: &'a str,
    /// The number of the URL.
    pub number: u32,
    /// The URL.
    pub url: &'a str,
    /// What exactly.
    pub detail: Option<&'a str>,
    /// How many pages share it: 1 unless a template is the cause.
    pub pages: u32,
}

rows! {
    /// The place and text that links have in common.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct AnchorRecord {
        /// The kind of link.
        pub kind: LinkKind,
        /// Position on the page.
        pub position: String,
        /// The DOM path.
        pub dom_path: String,
        /// The text.
        pub text: String,
    }
}

impl Contents<'_> {
    /// An anchor of the links of a run.
    pub async fn anchor(self, run: i64, id: u32) -> Result<Option<AnchorRecord>, DatabaseError> {
        let sql = "SELECT k.word, p.position, p.dom_path, a.text FROM anchors AS a
                   JOIN places AS p ON p.run = a.run AND p.id = a.place
                   JOIN link_kinds AS k ON k.id = p.kind WHERE a.run = ?1 AND a.id = ?2";
        self.first("cannot read an anchor", sql, (run, id)).await
    }

    /// The result of every check, in the order of the catalogue; `None` if the run has no stored audit.
    pub async fn issue_counts(self, run: i64) -> Result<Option<(AuditRow, Vec<IssueCount>)>, DatabaseError> {
        self.read("cannot read the issues of a run", move |connection| {
            let moment = connection.unchecked_transaction()?;
            catalog::find_head(&moment, run)?;
            let Some(audit) = find(&moment, run)? else { return Ok(None) };
            let sql = format!("SELECT {COUNT} FROM issue_counts WHERE run = ?1 ORDER BY position");
            let stored: Vec<StoredCount> = list(&moment, &sql, [run])?;
            let counts = stored.into_iter().map(|count| count.with_urls(&moment, run));
            Ok(Some((audit, counts.collect::<rusqlite::Result<_>>()?)))
        })
        .await
    }

    /// A window of the findings of a check, in number order; `None` if the run has no stored audit.
    pub async fn issue_rows(
        self,
        run: i64,
        check: String,
        offset: u64,
        limit: usize,
    ) -> Result<Option<Window<FindingRow>>, DatabaseError> {
        self.read("cannot read the findings of a check", move |connection| {
            let moment = connection.unchecked_transaction()?;
            catalog::find_head(&moment, run)?;
            let Some(audit) = find(&moment, run)? else { return Ok(None) };
            let sql = "SELECT findings FROM issue_counts WHERE run = ?1 AND check_id = ?2";
            let total: Option<u64> = first(&moment, sql, (run, &check))?;
            let total = total.ok_or_else(|| DatabaseError::NotFound(format!("unknown check `{check}`")))?;
            let wanted = offset.min(total)..offset.saturating_add(limit as u64).min(total);
            let items = findings_between(&moment, run, &check, wanted)?;
            Ok(Some(Window { total, offset, version: audit.urls, items: with_urls(&moment, run, items)? }))
        })
        .await
    }

    /// Reads the table of issues, on this thread: ordered by check and number, a finding of a template once. Returns
    /// whether the run has a stored audit.
    pub fn scan_issues(
        self,
        run: i64,
        mut each: impl FnMut(&IssueRow<'_>) -> ControlFlow<()>,
    ) -> Result<bool, DatabaseError> {
        self.read_here("cannot read the issues of a run", |connection| {
            let moment = connection.transaction()?;
            catalog::find_head(&moment, run)?;
            if find(&moment, run)?.is_none() {
                return Ok(false);
            }
            let sql = format!("SELECT {COUNT} FROM issue_counts WHERE run = ?1 AND findings > 0 ORDER BY check_id");
            for StoredCount(check, _) in list(&moment, &sql, [run])? {
                if scan_check(&moment, run, &check, &mut each)?.is_break() {
                    break;
                }
            }
            Ok(true)
        })
    }

    /// The rows of the table of issues for findings of a check in memory, on this thread.
    pub fn show_issues<'a>(
        self,
        run: i64,
        check: &IssueCount,
        findings: impl Iterator<Item = (u32, Option<&'a str>)>,
        mut each: impl FnMut(&IssueRow<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, DatabaseError> {
        self.read_here("cannot read the issues of a run", |connection| {
            for finding in findings {
                if show(connection, run, check, finding, &mut each)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }
}

/// The columns of a [`StoredCount`].
const COUNT: &str = "check_id, name, type, priority, findings, urls, not_checked, shared, examples";

/// A row of `issue_counts`.
struct StoredCount(IssueCount, Vec<Finding<'static>>);

impl FromColumns for StoredCount {
    const COUNT: usize = 9;

    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        let count = IssueCount {
            check_id: columns.read()?,
            name: columns.read()?,
            kind: columns.read()?,
            priority: columns.read()?,
            findings: columns.read()?,
            urls: columns.read()?,
            not_checked: columns.read()?,
            shared: columns.json()?,
            examples: Vec::new(),
        };
        let examples = Finding::list(columns.text()?)?;
        Ok(Self(count, examples.iter().map(Finding::to_owned).collect()))
    }
}

impl StoredCount {
    fn with_urls(self, connection: &Connection, run: i64) -> rusqlite::Result<IssueCount> {
        let Self(count, examples) = self;
        Ok(IssueCount { examples: with_urls(connection, run, examples)?, ..count })
    }
}

/// A finding as it is stored: a number, and a detail if there is one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Finding<'a>(u32, #[serde(default, borrow)] Option<Cow<'a, str>>);

impl Finding<'_> {
    fn list(json: &str) -> rusqlite::Result<Vec<Finding<'_>>> {
        let unreadable = |error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error));
        serde_json::from_str(json).map_err(unreadable)
    }

    fn to_owned(&self) -> Finding<'static> {
        Finding(self.0, self.1.as_deref().map(|detail| Cow::Owned(detail.to_owned())))
    }
}

/// The findings of a check at these positions.
fn findings_between(
    connection: &Connection,
    run: i64,
    check: &str,
    wanted: Range<u64>,
) -> rusqlite::Result<Vec<Finding<'static>>> {
    let first = wanted.start / PER_PART;
    let sql =
        "SELECT findings FROM issue_lists WHERE run = ?1 AND check_id = ?2 AND part BETWEEN ?3 AND ?4 ORDER BY part";
    let parts: Vec<String> = list(connection, sql, (run, check, first, wanted.end.saturating_sub(1) / PER_PART))?;
    let mut findings = Vec::new();
    for (part, position) in parts.iter().zip((first * PER_PART..).step_by(PER_PART as usize)) {
        let at = |position: u64| position.clamp(0, PER_PART) as usize;
        let part = Finding::list(part)?;
        let (start, end) = (at(wanted.start.saturating_sub(position)), at(wanted.end.saturating_sub(position)));
        let shown = part.get(start..end.min(part.len())).unwrap_or_default();
        findings.extend(shown.iter().map(Finding::to_owned));
    }
    Ok(findings)
}

fn with_urls(connection: &Connection, run: i64, findings: Vec<Finding<'_>>) -> rusqlite::Result<Vec<FindingRow>> {
    let row = |Finding(number, detail): Finding<'_>| {
        let url = url_of(connection, run, number)?;
        Ok(FindingRow { number, url, detail: detail.map(Cow::into_owned) })
    };
    findings.into_iter().map(row).collect()
}

fn url_of(connection: &Connection, run: i64, number: u32) -> rusqlite::Result<String> {
    one(connection, "SELECT url FROM urls WHERE run = ?1 AND number = ?2", (run, number))
}

/// Reports a finding as a row of the table of issues, unless it comes from a template and is not the first of its pages.
fn show(
    connection: &Connection,
    run: i64,
    check: &IssueCount,
    (number, detail): (u32, Option<&str>),
    each: &mut impl FnMut(&IssueRow<'_>) -> ControlFlow<()>,
) -> rusqlite::Result<ControlFlow<()>> {
    let pages = match check.shared.iter().find(|shared| shared.detail.as_deref() == detail) {
        Some(shared) if shared.first == number => shared.pages,
        Some(_) => return Ok(ControlFlow::Continue(())),
        None => 1,
    };
    let url = &url_of(connection, run, number)?;
    let IssueCount { check_id, name, kind, priority, .. } = check;
    Ok(each(&IssueRow { check_id, name, kind, priority, number, url, detail, pages }))
}

/// Reports the stored findings of a check.
fn scan_check(
    connection: &Connection,
    run: i64,
    check: &IssueCount,
    each: &mut impl FnMut(&IssueRow<'_>) -> ControlFlow<()>,
) -> rusqlite::Result<ControlFlow<()>> {
    let mut select =
        connection.prepare_cached("SELECT findings FROM issue_lists WHERE run = ?1 AND check_id = ?2 ORDER BY part")?;
    let mut parts = select.query((run, &check.check_id))?;
    while let Some(part) = parts.next()? {
        for Finding(number, detail) in Finding::list(part.get_ref(0)?.as_str()?)? {
            if show(connection, run, check, (number, detail.as_deref()), each)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// What every check found on a URL: ids of checks and details, in the order of the catalogue.
pub(in crate::sqlite) fn findings_of(
    connection: &Connection,
    run: i64,
    number: u32,
) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let sql = "SELECT check_id FROM issue_counts WHERE run = ?1 AND findings > 0 ORDER BY position";
    let checks: Vec<String> = list(connection, sql, [run])?;
    let mut found = Vec::new();
    for check in checks {
        for detail in details_of(connection, run, &check, number)? {
            found.push((check.clone(), detail));
        }
    }
    Ok(found)
}

/// What a check found on a URL. Its findings begin in the last part that begins before it, and may continue in others.
fn details_of(connection: &Connection, run: i64, check: &str, number: u32) -> rusqlite::Result<Vec<Option<String>>> {
    let before = "SELECT part FROM issue_lists WHERE run = ?1 AND check_id = ?2 AND first_number < ?3
                  ORDER BY first_number DESC, part DESC LIMIT 1";
    let start: Option<i64> = first(connection, before, (run, check, number))?;
    let sql = "SELECT findings FROM issue_lists
               WHERE run = ?1 AND check_id = ?2 AND part >= ?3 AND first_number <= ?4 ORDER BY part";
    let parts: Vec<String> = list(connection, sql, params![run, check, start.unwrap_or(0), number])?;
    let mut details = Vec::new();
    for part in &parts {
        let findings = Finding::list(part)?;
        let first = findings.partition_point(|finding| finding.0 < number);
        let same = findings[first..].iter().take_while(|finding| finding.0 == number);
        details.extend(same.map(|finding| finding.1.clone().map(Cow::into_owned)));
    }
    Ok(details)
}
