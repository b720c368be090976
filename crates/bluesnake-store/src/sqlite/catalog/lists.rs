//! Paged lists of projects, runs and sessions, newest first, with stored figures.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Catalog;
use super::runs::{self, RUN_COLUMNS, SESSION_COLUMNS, run_row, session_row};
use crate::error::DatabaseError;
use crate::rows::{ProjectFigures, ProjectRow, RunCounts, RunFigures, RunRow, SessionRow, TypeCounts};
use crate::sqlite::Failure;
use crate::state::{RunKind, RunState};

/// Orders by what is current: in progress, then last paused, then last completed.
pub(in crate::sqlite) const CURRENT_FIRST: &str =
    "state = 'completed', state <> 'in_progress', CASE WHEN state <> 'completed' THEN updated_at END DESC, id DESC";

/// Projects `p` with the current run `r`, and the figures of [`project_figures`].
fn projects() -> String {
    format!(
        "SELECT p.id, p.host, p.url, p.created_at, r.id, r.state,
            (SELECT count(*) FROM runs WHERE project = p.id AND is_deleted = 0),
            (SELECT coalesce(sum(pages), 0) FROM sessions WHERE run = r.id)
     FROM projects AS p
     LEFT JOIN runs AS r ON r.id = (
            SELECT id FROM runs WHERE project = p.id AND is_deleted = 0 ORDER BY {CURRENT_FIRST} LIMIT 1)"
    )
}

impl Catalog<'_> {
    /// Every project with its current run, ordered by host.
    pub async fn all_project_figures(self) -> Result<Vec<ProjectFigures>, DatabaseError> {
        self.read("cannot read projects", |connection| {
            let mut select = connection.prepare_cached(&format!("{} ORDER BY p.host", projects()))?;
            let rows = select.query_map([], |row| project_figures(connection, row))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// A project with its current run.
    pub async fn project_figures(self, project: i64) -> Result<ProjectFigures, DatabaseError> {
        self.read("cannot read the project", move |connection| {
            let mut select = connection.prepare_cached(&format!("{} WHERE p.id = ?1", projects()))?;
            let found = select.query_row([project], |row| project_figures(connection, row)).optional()?;
            Ok(found.ok_or_else(|| DatabaseError::not_found(format!("no project {project}")))?)
        })
        .await
    }

    /// Projects older than `before`, newest first.
    pub async fn projects_before(
        self,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<ProjectFigures>, DatabaseError> {
        self.read_in_time("cannot read projects", move |connection| {
            let sql = format!("{} WHERE p.id < ?1 ORDER BY p.id DESC LIMIT ?2", projects());
            let mut select = connection.prepare_cached(&sql)?;
            let before = before.unwrap_or(i64::MAX);
            let rows = select.query_map(params![before, limit], |row| project_figures(connection, row))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// Runs older than `before`, newest first, with their sessions; of one project or all, of one kind or all.
    pub async fn runs_before(
        self,
        project: Option<i64>,
        kind: Option<RunKind>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<RunFigures>, DatabaseError> {
        self.read_in_time("cannot read runs", move |connection| {
            let of_project = if project.is_some() { "project = ?1" } else { "?1 IS NULL" };
            let sql = format!(
                "SELECT {RUN_COLUMNS} FROM runs
                 WHERE is_deleted = 0 AND {of_project} AND id < ?2 AND (?4 IS NULL OR kind = ?4)
                 ORDER BY id DESC LIMIT ?3"
            );
            let mut select = connection.prepare_cached(&sql)?;
            let kind = kind.map(RunKind::as_str);
            let rows = select.query_map(params![project, before.unwrap_or(i64::MAX), limit, kind], run_row)?;
            rows.map(|run| run_figures(connection, run?)).collect()
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
            let columns =
                SESSION_COLUMNS.split(", ").map(|column| format!("c.{column}")).collect::<Vec<_>>().join(", ");
            let from = match project {
                Some(_) => {
                    "runs AS r CROSS JOIN sessions AS c ON c.run = r.id
                     WHERE r.project = ?1 AND r.is_deleted = 0 AND c.id < ?2 ORDER BY c.id DESC"
                }
                None => {
                    "sessions AS c CROSS JOIN runs AS r ON r.id = c.run
                     WHERE ?1 IS NULL AND r.is_deleted = 0 AND c.id < ?2 ORDER BY c.id DESC"
                }
            };
            let mut select = connection.prepare_cached(&format!("SELECT {columns} FROM {from} LIMIT ?3"))?;
            let rows = select.query_map(params![project, before.unwrap_or(i64::MAX), limit], session_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The current run of a project, of one kind or all: one that is not completed, else the newest.
    pub async fn current_run(self, project: i64, kind: Option<RunKind>) -> Result<Option<RunRow>, DatabaseError> {
        self.read("cannot read the current run", move |connection| {
            let sql = format!(
                "SELECT {RUN_COLUMNS} FROM runs WHERE project = ?1 AND is_deleted = 0 AND (?2 IS NULL OR kind = ?2)
                 ORDER BY {CURRENT_FIRST} LIMIT 1"
            );
            let kind = kind.map(RunKind::as_str);
            Ok(connection.prepare_cached(&sql)?.query_row(params![project, kind], run_row).optional()?)
        })
        .await
    }

    /// The newest run of a project, of one kind or all.
    pub async fn newest_run(self, project: i64, kind: Option<RunKind>) -> Result<Option<RunRow>, DatabaseError> {
        self.read("cannot read the newest run", move |connection| {
            let sql = format!(
                "SELECT {RUN_COLUMNS} FROM runs WHERE project = ?1 AND is_deleted = 0 AND (?2 IS NULL OR kind = ?2)
                 ORDER BY id DESC LIMIT 1"
            );
            let kind = kind.map(RunKind::as_str);
            Ok(connection.prepare_cached(&sql)?.query_row(params![project, kind], run_row).optional()?)
        })
        .await
    }

    /// The captures to search, one for each seed of a project's captures: the newest complete one, or else the newest
    /// with documents. Newest first.
    pub async fn captured_runs(self, project: Option<i64>) -> Result<Vec<i64>, DatabaseError> {
        self.read("cannot read captures", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT coalesce(max(CASE WHEN state = 'completed' THEN id END), max(id)) FROM runs WHERE kind = 'capture' AND is_deleted = 0 AND (?1 IS NULL OR project = ?1)
                    AND EXISTS (SELECT 1 FROM documents WHERE run = runs.id)
                 GROUP BY project, seeds ORDER BY 1 DESC",
            )?;
            let rows = select.query_map([project], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
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
            Ok((counts(&moment, run, pending)?, type_counts(&moment, run)?))
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
                          + (SELECT coalesce(max(number), 0) FROM nodes WHERE run = ?1), coalesce(sum(fetched), 0),
                      coalesce(?2, (SELECT left_pending FROM runs WHERE id = ?1),
                               (SELECT count(*) FROM urls WHERE run = ?1 AND disposition = 'pending')
                               + (SELECT count(*) FROM nodes WHERE run = ?1 AND disposition = 'pending')),
                      coalesce(sum(pages), 0), coalesce(sum(guides), 0)
               FROM sessions WHERE run = ?1";
    connection.prepare_cached(sql)?.query_row(params![run, pending], |row| {
        Ok(RunCounts {
            seen: row.get(0)?,
            visited: row.get(1)?,
            pending: row.get(2)?,
            pages: row.get(3)?,
            guides: row.get(4)?,
        })
    })
}

fn type_counts(connection: &Connection, run: i64) -> rusqlite::Result<TypeCounts> {
    let sql = "SELECT coalesce(sum(html), 0), coalesce(sum(css), 0), coalesce(sum(javascript), 0),
                      coalesce(sum(images), 0), coalesce(sum(fonts), 0),
                      coalesce(sum(fetched - html - css - javascript - images - fonts), 0)
               FROM sessions WHERE run = ?1";
    connection.prepare_cached(sql)?.query_row([run], |row| {
        Ok(TypeCounts {
            html: row.get(0)?,
            css: row.get(1)?,
            javascript: row.get(2)?,
            images: row.get(3)?,
            fonts: row.get(4)?,
            others: row.get(5)?,
        })
    })
}

fn run_figures(connection: &Connection, run: RunRow) -> Result<RunFigures, Failure> {
    let mut host = connection.prepare_cached("SELECT host FROM projects WHERE id = ?1")?;
    Ok(RunFigures {
        host: host.query_row([run.project], |row| row.get(0))?,
        counts: counts(connection, run.id, None)?,
        sessions: runs::sessions_of(connection, run.id)?,
        run,
    })
}

fn project_figures(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<ProjectFigures> {
    let run: Option<i64> = row.get(4)?;
    let state: Option<String> = row.get(5)?;
    let current_run = run.zip(state.as_deref().and_then(RunState::from_word));
    let sql = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE run = ?1 ORDER BY id DESC LIMIT 1");
    let latest_session = connection.prepare_cached(&sql)?.query_row([run], session_row).optional()?;
    Ok(ProjectFigures {
        project: ProjectRow { id: row.get(0)?, host: row.get(1)?, url: row.get(2)?, created_at: row.get(3)? },
        runs: row.get(6)?,
        current_run,
        pages: row.get(7)?,
        latest_session,
    })
}
