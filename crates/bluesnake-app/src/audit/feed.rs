//! Gives the rows of a run to its audit: three readings in number order, all of one moment.

use bluesnake_audit::{Report, Run, Survey, Url};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_store::{AuditRows, Database, DatabaseError};

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
    rows.anchors(|id, row| survey.anchor(id, row))?;
    rows.states(|row| survey.url(row))?;
    rows.links(|source, links| survey.links(source, links.iter()))?;
    let mut audit = survey.finish();
    rows.urls(|row, visited, links| {
        let url = Url { state: *row, visit: visited.copied() };
        audit.url(&url, links.iter());
    })?;
    Ok(audit.finish())
}
