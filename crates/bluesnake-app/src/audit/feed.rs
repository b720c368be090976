//! Gives the rows of a run to its audit: three readings in number order, all of one moment.

use bluesnake_audit::{Anchor, Page, Report, Run, Survey, Url, UrlState, Visit};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_store::{AnchorRow, AuditRows, Database, DatabaseError, PageFacts, StateRow, VisitRow};

use crate::error::AppError;

/// An audit, and what it was made of.
#[derive(Debug)]
pub(crate) struct Audited {
    /// How many URLs it knows.
    pub(crate) urls: u32,
    /// Whether the run is completed. It may still not have seen the whole site, because a limit cut it.
    pub(crate) is_completed: bool,
    /// The settings it was made with.
    pub(crate) settings: AuditSettings,
    /// What it found.
    pub(crate) report: Report,
}

impl Audited {
    /// Makes the audit of a run, on this thread.
    pub(crate) fn read(
        database: &Database,
        run: i64,
        is_completed: bool,
        settings: AuditSettings,
    ) -> Result<Self, AppError> {
        let read = |rows: &AuditRows<'_>| {
            let report = report(rows, is_completed, settings.clone())?;
            Ok(Self { urls: rows.urls, is_completed, settings, report })
        };
        Ok(database.contents().for_audit(run, read)?)
    }
}

fn report(rows: &AuditRows<'_>, is_completed: bool, settings: AuditSettings) -> Result<Report, DatabaseError> {
    let mut survey = Survey::new(Run { urls: rows.urls, is_completed }, settings);
    rows.headers(|id, fields| survey.header(id, fields))?;
    rows.anchors(|id, row| survey.anchor(id, anchor(row)))?;
    rows.states(|row| survey.url(&state(row)))?;
    rows.links(|source, links| survey.links(source, links.iter()))?;
    let mut audit = survey.finish();
    rows.urls(|row, visited, links| {
        let url = Url { state: state(row), visit: visited.map(visit) };
        audit.url(&url, links.iter());
    })?;
    Ok(audit.finish())
}

fn anchor(row: AnchorRow<'_>) -> Anchor<'_> {
    let AnchorRow { kind, rel, position, path_type, text, .. } = row;
    Anchor { kind, rel, position, path_type, text }
}

fn state<'a>(row: &StateRow<'a>) -> UrlState<'a> {
    UrlState {
        number: row.number,
        url: row.url,
        source: row.source,
        kind: row.kind,
        task: row.task,
        is_internal: row.is_internal,
        is_seed: row.is_seed,
        reason: row.reason,
        attempts: row.attempts,
        status: row.status,
        redirect_to: row.redirect_to,
        is_indexable: row.is_indexable,
        indexable_reason: row.indexable_reason,
        is_nofollow: row.is_nofollow,
        is_page: row.is_page,
        has_links: row.has_links,
        headers: row.headers,
        canonical: row.canonical,
    }
}

fn visit<'a>(row: &VisitRow<'a>) -> Visit<'a> {
    Visit {
        content_type: row.content_type,
        headers: row.headers,
        wire_bytes: row.wire_bytes,
        body_bytes: row.body_bytes,
        cut: row.cut,
        note: row.note,
        error: row.error,
        detail: row.detail,
        robots_report: row.robots_report,
        first_byte_us: row.first_byte_us,
        raw_hash: row.raw_hash,
        identical_to: row.identical_to,
        sniffed: row.sniffed,
        extracted: row.extracted,
        page: row.page.map(page),
    }
}

fn page(facts: PageFacts<'_>) -> Page<'_> {
    let PageFacts { title, description, h1, h2, lang, word_count, main_words, facts, signature } = facts;
    Page { title, description, h1, h2, lang, word_count, main_words, facts, signature }
}
