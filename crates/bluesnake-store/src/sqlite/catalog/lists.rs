//! Paged lists of projects, runs and sessions, newest first, with stored figures.

use rusqlite::{Connection, params};

use super::Catalog;
use super::projects::ProjectRow;
use super::runs::{self, LISTED_RUN_COLUMNS, RunRow, SESSION_COLUMNS, SessionRow};
use crate::error::DatabaseError;
use crate::sqlite::Failure;
use crate::sqlite::columns::{list, one, rows};
use crate::state::{RunKind, RunState};

/// Orders by what is current: in progress, then last paused, then last completed.
pub(in crate::sqlite) const CURRENT_FIRST: &str =
    "state = 'completed', state <> 'in_progress', CASE WHEN state <> 'completed' THEN updated_at END DESC, id DESC";

rows! {
    /// The counts of a run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct RunCounts {
        /// URLs ever seen.
        pub seen: i64,
        /// Requested URLs, without robots.txt and sitemaps.
        pub visited: i64,
        /// Visits of robots.txt and sitemaps.
        pub guides: i64,
        /// Pending URLs.
        pub pending: i64,
        /// HTML pages.
        pub pages: i64,
    }

    /// How many URLs of a run have which type; the sum is the number of requested URLs.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct TypeCounts {
        /// HTML.
        pub html: i64,
        /// Stylesheets.
        pub css: i64,
        /// Scripts.
        pub javascript: i64,
        /// Images.
        pub images: i64,
        /// Fonts.
        pub fonts: i64,
        /// Anything else, including failed URLs.
        pub others: i64,
    }

    /// A project with its latest run and session.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProjectFigures {
        /// The project.
        pub project: ProjectRow,
        /// Number of runs.
        pub runs: i64,
        /// Its current run and its state.
        pub current_run: Option<(i64, RunState)>,
        /// Pages of that run.
        pub pages: i64,
        /// The latest session of that run.
        pub latest_session: Option<SessionRow>,
    }
}

/// A run with its sessions and figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFigures {
    /// The run.
    pub run: RunRow,
    /// `host[:port]` of its project.
    pub host: String,
    /// Its counts.
    pub counts: RunCounts,
    /// Its sessions, oldest first.
    pub sessions: Vec<SessionRow>,
    /// The findings of its stored audit.
    pub findings: Option<i64>,
}

/// Filters runs; unset fields match everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Their project.
    pub project: Option<i64>,
    /// Their purpose.
    pub kind: Option<RunKind>,
    /// Their state.
    pub state: Option<RunState>,
}

/// The columns of a [`SessionRow`], of a table called `c`.
fn session_columns() -> String {
    format!("c.{}", SESSION_COLUMNS.replace(", ", ", c."))
}

/// Projects `p` with the current run `r` and its latest session `c`, narrowed or ordered by what follows.
fn projects(rest: &str) -> String {
    format!(
        "SELECT p.id, p.host, p.url, p.created_at,
            (SELECT count(*) FROM runs WHERE project = p.id AND is_deleted = 0), r.id, r.state,
            (SELECT coalesce(sum(pages), 0) FROM sessions WHERE run = r.id), {}
         FROM projects AS p
         LEFT JOIN runs AS r ON r.id = (
            SELECT id FROM runs WHERE project = p.id AND is_deleted = 0 ORDER BY {CURRENT_FIRST} LIMIT 1)
         LEFT JOIN sessions AS c ON c.id = (SELECT max(id) FROM sessions WHERE run = r.id)
         {rest}",
        session_columns()
    )
}

impl Catalog<'_> {
    /// Every project with its current run, ordered by host.
    pub async fn all_project_figures(self) -> Result<Vec<ProjectFigures>, DatabaseError> {
        self.list("cannot read projects", projects("ORDER BY p.host"), ()).await
    }

    /// A project with its current run.
    pub async fn project_figures(self, project: i64) -> Result<ProjectFigures, DatabaseError> {
        let found = self.first("cannot read the project", projects("WHERE p.id = ?1"), [project]).await?;
        found.ok_or_else(|| DatabaseError::not_found(format!("no project {project}")))
    }

    /// Projects older than `before`, newest first.
    pub async fn projects_before(
        self,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<ProjectFigures>, DatabaseError> {
        self.read_in_time("cannot read projects", move |connection| {
            let sql = projects("WHERE p.id < ?1 ORDER BY p.id DESC LIMIT ?2");
            Ok(list(connection, &sql, params![before.unwrap_or(i64::MAX), limit])?)
        })
        .await
    }

    /// Runs older than `before` with their first seeds and their sessions, newest first.
    pub async fn runs_before(
        self,
        filter: RunFilter,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<RunFigures>, DatabaseError> {
        self.read_in_time("cannot read runs", move |connection| {
            let RunFilter { project, kind, state } = filter;
            let of_project = if project.is_some() { "project = ?1" } else { "?1 IS NULL" };
            let sql = format!(
                "SELECT {LISTED_RUN_COLUMNS} FROM runs
                 WHERE is_deleted = 0 AND {of_project} AND id < ?2 AND (?4 IS NULL OR kind = ?4)
                    AND (?5 IS NULL OR state = ?5)
                 ORDER BY id DESC LIMIT ?3"
            );
            let (kind, state) = (kind.map(RunKind::as_str), state.map(RunState::as_str));
            let runs = list(connection, &sql, params![project, before.unwrap_or(i64::MAX), limit, kind, state])?;
            runs.into_iter().map(|run| run_figures(connection, run)).collect()
        })
        .await
    }

    /// Sessions older than `before`, newest first; of one project or all.
    pub async fn sessions_before(
        self,
        project: Option<i64>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<SessionRow>, DatabaseError> {
        self.read_in_time("cannot read sessions", move |connection| {
            let (from, of_project) = match project {
                Some(_) => ("runs AS r CROSS JOIN sessions AS c ON c.run = r.id", "r.project = ?1"),
                None => ("sessions AS c CROSS JOIN runs AS r ON r.id = c.run", "?1 IS NULL"),
            };
            let sql = format!(
                "SELECT {} FROM {from} WHERE {of_project} AND r.is_deleted = 0 AND c.id < ?2 ORDER BY c.id DESC LIMIT ?3",
                session_columns()
            );
            Ok(list(connection, &sql, params![project, before.unwrap_or(i64::MAX), limit])?)
        })
        .await
    }

    /// The captures to search, one for each seed of a project's captures: the newest complete one, or else the newest
    /// with documents. Newest first.
    pub async fn captured_runs(self, project: Option<i64>) -> Result<Vec<i64>, DatabaseError> {
        let sql = "SELECT coalesce(max(CASE WHEN state = 'completed' THEN id END), max(id)) FROM runs
                   WHERE kind = 'capture' AND is_deleted = 0 AND (?1 IS NULL OR project = ?1)
                      AND EXISTS (SELECT 1 FROM documents WHERE run = runs.id)
                   GROUP BY project, seeds ORDER BY 1 DESC";
        self.list("cannot read captures", sql, [project]).await
    }

    /// A run with its sessions and figures.
    pub async fn run_figures(self, run: RunRow) -> Result<RunFigures, DatabaseError> {
        self.read("cannot read the figures of a run", move |connection| run_figures(connection, run)).await
    }

    /// The counts of a run. The running session knows how many URLs are pending; otherwise they are counted, 400,000
    /// in 16 ms.
    pub async fn counts(self, run: i64, pending: Option<i64>) -> Result<RunCounts, DatabaseError> {
        self.read("cannot read the figures of a run", move |connection| Ok(counts(connection, run, pending)?)).await
    }

    /// The same, with counts by type.
    pub async fn type_counts(self, run: i64, pending: Option<i64>) -> Result<(RunCounts, TypeCounts), DatabaseError> {
        self.read_in_time("cannot read the figures of a run", move |connection| {
            // Read both in one snapshot, while a session writes.
            let moment = connection.unchecked_transaction()?;
            let sql = "SELECT coalesce(sum(html), 0), coalesce(sum(css), 0), coalesce(sum(javascript), 0),
                              coalesce(sum(images), 0), coalesce(sum(fonts), 0),
                              coalesce(sum(fetched - html - css - javascript - images - fonts), 0)
                       FROM sessions WHERE run = ?1";
            Ok((counts(&moment, run, pending)?, one(&moment, sql, [run])?))
        })
        .await
    }
}

pub(in crate::sqlite) fn counts(
    connection: &Connection,
    run: i64,
    pending: Option<i64>,
) -> rusqlite::Result<RunCounts> {
    // URLs are numbered without gaps, and so are the hosts of a graph.
    let sql = "SELECT (SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1)
                          + (SELECT coalesce(max(number), 0) FROM nodes WHERE run = ?1),
                      coalesce(sum(fetched), 0), coalesce(sum(guides), 0),
                      coalesce(?2, (SELECT left_pending FROM runs WHERE id = ?1),
                               (SELECT count(*) FROM urls WHERE run = ?1 AND disposition = 'pending')
                               + (SELECT count(*) FROM nodes WHERE run = ?1 AND disposition = 'pending')),
                      coalesce(sum(pages), 0)
               FROM sessions WHERE run = ?1";
    one(connection, sql, params![run, pending])
}

/// Counts of an audit that is not complete yet do not count.
const FINDINGS: &str = "SELECT CASE WHEN EXISTS (SELECT 1 FROM audits WHERE run = ?1)
                               THEN (SELECT coalesce(sum(findings), 0) FROM issue_counts WHERE run = ?1) END";

fn run_figures(connection: &Connection, run: RunRow) -> Result<RunFigures, Failure> {
    Ok(RunFigures {
        host: one(connection, "SELECT host FROM projects WHERE id = ?1", [run.project])?,
        counts: counts(connection, run.id, None)?,
        sessions: runs::sessions_of(connection, run.id)?,
        findings: one(connection, FINDINGS, [run.id])?,
        run,
    })
}
