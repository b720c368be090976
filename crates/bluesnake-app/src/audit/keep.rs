//! Stores the report of an audit.

use bluesnake_audit::{Check, Derived, Findings, Shared, Verdict};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_store::{CheckResult, Database, FigureRow, NewAudit, SharedFinding};

use super::Audited;
use crate::error::AppError;

/// Stores an audit. The caller owns the project.
pub(super) async fn keep(database: &Database, run: i64, audited: Audited) -> Result<(), AppError> {
    let Audited { urls, is_completed, settings, report } = audited;
    let mut writer = database.contents().begin_audit(run).await?;
    for found in report.checks {
        let result = result(&found, &settings);
        writer.check(result, found.findings.iter().map(|finding| (finding.number, finding.detail))).await?;
    }
    writer.inlinks((1..=urls).map(|number| (number, report.inlinks.of(number)))).await?;
    // Millions of links; what follows needs memory of its own.
    drop(report.inlinks);
    writer.figures(report.urls.iter().map(figures)).await?;
    let settings = serde_json::to_string(&settings).expect("settings are JSON");
    Ok(writer.finish(NewAudit { urls, pages: report.pages, settings, is_completed }).await?)
}

/// The result of a check, without its findings.
fn result(found: &Findings, settings: &AuditSettings) -> CheckResult {
    let check = found.check;
    CheckResult {
        id: check.id,
        name: full_name(check, settings),
        kind: check.kind.as_str(),
        priority: check.priority.as_str(),
        not_checked: not_checked(found.verdict),
        shared: shared(&found.shared),
    }
}

/// Its name where nothing else tells what it is about: "Page Titles: Over 60 Characters".
pub(super) fn full_name(check: &Check, settings: &AuditSettings) -> String {
    format!("{}: {}", check.theme.title(), check.title(settings))
}

pub(super) fn not_checked(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Checked => None,
        Verdict::NotChecked(why) => Some(why),
    }
}

pub(super) fn shared(found: &[Shared]) -> Vec<SharedFinding> {
    let stored = |shared: &Shared| SharedFinding {
        detail: shared.detail.as_deref().map(str::to_owned),
        anchor: shared.anchor,
        pages: shared.pages,
        first: shared.first,
    };
    found.iter().map(stored).collect()
}

fn figures(derived: &Derived) -> FigureRow {
    FigureRow {
        depth: derived.depth,
        inlinks: derived.inlinks,
        unique_inlinks: derived.unique_inlinks,
        outlinks: derived.outlinks,
        unique_outlinks: derived.unique_outlinks,
        external_outlinks: derived.external_outlinks,
        link_score: derived.link_score,
        near_duplicate_of: derived.near_duplicate_of,
        similarity: derived.similarity,
    }
}
