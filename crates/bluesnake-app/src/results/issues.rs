//! What the audit of a run found: every check with its texts and counts, and the URLs of one.
//!
//! A completed run has a stored audit. Any other run is audited in memory on request.

use std::collections::BTreeMap;

use bluesnake_audit::{Check, Scope, all_checks};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_store::{AnchorRecord, AuditRow, DatabaseError, FindingRow, IssueCount, SharedFinding, Table};

use super::filter::known_check;
use super::paging::Span;
use super::window::Window;
use crate::app::App;
use crate::error::AppError;
use crate::view::{CheckText, CheckView, IssueRowView, IssuesView, SharedView};

/// Every check, theme by theme, with default thresholds in their names.
pub fn checks() -> Vec<CheckText> {
    let settings = AuditSettings::default();
    all_checks().map(|check| CheckText::of(check, check.title(&settings))).collect()
}

/// The check of this id, with default thresholds in its name.
pub fn check(id: &str) -> Result<CheckText, AppError> {
    let check = known_check(id)?;
    Ok(CheckText::of(check, check.title(&AuditSettings::default())))
}

/// Whether the findings of a check depend on how fast a server was, so that equal runs can differ in them.
pub fn depends_on_time(id: &str) -> bool {
    bluesnake_audit::check(id).is_some_and(Check::depends_on_time)
}

impl App {
    /// The result of every check of a run.
    pub async fn issues(&self, run: i64) -> Result<IssuesView, AppError> {
        self.has_table(run, Table::Issues).await?;
        let (audit, counts) = match self.live_audit(run).await? {
            None => self.contents().issue_counts(run).await?.ok_or_else(|| changed(run))?,
            Some(live) => live.counts(),
        };
        let firsts = counts.iter().flat_map(|count| &count.shared).map(|shared| shared.first);
        let examples = counts.iter().flat_map(|count| &count.examples).map(|example| example.number);
        let urls = self.urls_of(run, firsts.chain(examples).collect()).await?;
        let mut checks = Vec::with_capacity(counts.len());
        for count in counts {
            // A check that another version of this program made has no texts here.
            let Some(check) = bluesnake_audit::check(&count.check_id) else { continue };
            let mut shared = Vec::with_capacity(count.shared.len());
            for finding in &count.shared {
                shared.push(self.shared(run, finding, &audit, &urls).await?);
            }
            checks.push((check, check_view(check, count, shared, &audit, &urls)));
        }
        checks.sort_by_key(|(check, view)| (check.priority, check.kind, std::cmp::Reverse(view.urls)));
        let AuditRow { urls: version, pages, is_completed, .. } = audit;
        let checks = checks.into_iter().map(|(_, view)| view).collect();
        Ok(IssuesView { run_id: run, version, is_completed, pages, checks })
    }

    /// The URLs that a check found, in number order.
    pub async fn issue_rows(&self, run: i64, check: &str, span: Span) -> Result<Window<IssueRowView>, AppError> {
        self.has_table(run, Table::Issues).await?;
        let check = known_check(check)?;
        let (offset, limit) = (span.offset, span.limit.get());
        let mut found = match self.live_audit(run).await? {
            None => {
                let stored = self.contents().issue_rows(run, check.id.to_owned(), offset, limit).await?;
                return Ok(Window::of(stored.ok_or_else(|| changed(run))?, IssueRowView::from));
            }
            Some(live) => live.findings(check.id, offset, limit),
        };
        let urls = self.urls_of(run, found.items.iter().map(|row| row.number).collect()).await?;
        for row in &mut found.items {
            row.url = urls.get(&row.number).cloned().unwrap_or_default();
        }
        Ok(Window::of(found, IssueRowView::from))
    }

    async fn shared(
        &self,
        run: i64,
        shared: &SharedFinding,
        audit: &AuditRow,
        urls: &BTreeMap<u32, String>,
    ) -> Result<SharedView, AppError> {
        let anchor = match shared.anchor {
            Some(id) => self.contents().anchor(run, id).await?,
            None => None,
        };
        Ok(SharedView {
            detail: shared.detail.clone(),
            element: anchor.as_ref().map(element),
            pages: shared.pages.into(),
            of: audit.pages,
            first_number: shared.first,
            first_url: urls.get(&shared.first).cloned().unwrap_or_default(),
        })
    }
}

fn check_view(
    check: &'static Check,
    count: IssueCount,
    shared: Vec<SharedView>,
    audit: &AuditRow,
    urls: &BTreeMap<u32, String>,
) -> CheckView {
    let example = |FindingRow { number, url, detail }| {
        let url = urls.get(&number).cloned().unwrap_or(url);
        IssueRowView { number, url, detail }
    };
    CheckView {
        text: CheckText::of(check, count.name),
        summary: (count.urls > 0).then(|| check.summary(count.urls as usize)),
        findings: count.findings,
        urls: count.urls,
        share: share(check.scope, count.urls, audit.pages),
        not_checked: count.not_checked,
        examples: count.examples.into_iter().map(example).collect(),
        shared,
    }
}

/// Which part of the pages has a finding, with four digits.
fn share(scope: Scope, urls: u64, pages: u64) -> Option<f64> {
    match scope {
        Scope::Urls | Scope::Sitemaps | Scope::LlmsFiles => None,
        Scope::Pages if pages == 0 => Some(0.0),
        Scope::Pages => Some((urls as f64 / pages as f64 * 10_000.0).round() / 10_000.0),
    }
}

/// A link, by its place and text.
fn element(anchor: &AnchorRecord) -> String {
    let text = anchor.text.trim();
    if text.is_empty() { anchor.dom_path.clone() } else { format!("{} \"{text}\"", anchor.dom_path) }
}

/// Another process replaces the audit at this moment.
pub(crate) fn changed(run: i64) -> DatabaseError {
    DatabaseError::Conflict(format!("run {run} is being audited again; retry in a moment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_pages_only() {
        assert_eq!(share(Scope::Pages, 1, 3), Some(0.3333));
        assert_eq!(share(Scope::Pages, 0, 0), Some(0.0));
        assert_eq!(share(Scope::Urls, 1, 3), None);
    }
}
