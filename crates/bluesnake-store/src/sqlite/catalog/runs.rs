//! Runs and their sessions. Every state change is checked and durable.

use bluesnake_engine::Reason;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::lists::CURRENT_FIRST;
use super::{Catalog, Claim, owners};
use crate::error::DatabaseError;
use crate::rows::{RunRow, SessionRow};
use crate::sqlite::{Failure, RunStore, now};
use crate::state::{PauseReason, RunKind, RunState, SessionState};

pub(in crate::sqlite) const RUN_COLUMNS: &str =
    "id, project, state, reason, detail, seeds, plan, is_incremental, created_at, updated_at, kind";
pub(in crate::sqlite) const SESSION_COLUMNS: &str =
    "id, run, state, reason, started_at, ended_at, duration_ms, visits, pages, failed, bytes";
/// How many queued URLs to clear per transaction: a few milliseconds.
const CLEARED_AT_ONCE: usize = 5_000;

/// A started session.
#[derive(Debug)]
pub struct StartedSession {
    /// The run.
    pub run: i64,
    /// The session.
    pub session: i64,
    /// Whether it continues a crashed session.
    pub goes_on: bool,
    /// Where its results go.
    pub store: RunStore,
}

/// How a session ends.
#[derive(Clone, Debug)]
pub struct SessionEnd {
    /// The state of the session.
    pub session: SessionState,
    /// Why it ended, as a stable name.
    pub session_reason: String,
    /// The state of the run.
    pub run: RunState,
    /// Why the run is paused.
    pub run_reason: Option<PauseReason>,
    /// The same as a sentence, if there is more to say.
    pub detail: Option<String>,
}

impl Catalog<'_> {
    /// Starts a run of the claimed project. Its paused runs stay as they are.
    pub async fn start_run(
        self,
        claim: &Claim,
        kind: RunKind,
        seeds: String,
        plan: String,
        is_incremental: bool,
    ) -> Result<StartedSession, DatabaseError> {
        let owner = (claim.project(), claim.token());
        let (run, session) = self
            .write_durably("cannot start the run", move |transaction| {
                let insert =
                    "INSERT INTO runs (project, state, seeds, plan, is_incremental, created_at, updated_at, kind)
                              VALUES (?1, 'in_progress', ?2, ?3, ?4, ?5, ?5, ?6)";
                transaction.execute(insert, params![owner.0, seeds, plan, is_incremental, now(), kind.as_str()])?;
                let run = transaction.last_insert_rowid();
                let session = new_session(transaction, run)?;
                owners::take(transaction, owner, run, session)?;
                Ok((run, session))
            })
            .await?;
        let store = RunStore::new(self.0.clone(), run, session, claim.token(), 0);
        Ok(StartedSession { run, session, goes_on: false, store })
    }

    /// Resumes a run of the claimed project with the given plan and seeds; a weave may add seeds. A crashed session
    /// continues.
    pub async fn resume_run(
        self,
        claim: &Claim,
        run: i64,
        seeds: String,
        plan: String,
        may_go_on: bool,
    ) -> Result<StartedSession, DatabaseError> {
        let owner = (claim.project(), claim.token());
        let (session, goes_on) = self
            .write_durably("cannot resume the run", move |transaction| {
                change_run(transaction, run, RunState::InProgress, None, None)?;
                let update = "UPDATE runs SET plan = ?2, seeds = ?3, left_pending = NULL WHERE id = ?1";
                transaction.execute(update, params![run, plan, seeds])?;
                let (session, goes_on) = match crashed_session(transaction, run)?.filter(|_| may_go_on) {
                    Some(session) => (reopen(transaction, session)?, true),
                    None => (new_session(transaction, run)?, false),
                };
                owners::take(transaction, owner, run, session)?;
                Ok((session, goes_on))
            })
            .await?;
        let earlier_ms = self.session(session).await?.duration_ms;
        let store = RunStore::new(self.0.clone(), run, session, claim.token(), earlier_ms);
        Ok(StartedSession { run, session, goes_on, store })
    }

    /// Ends a session and sets the state of its run.
    pub async fn end_session(self, claim: &Claim, session: i64, end: SessionEnd) -> Result<(), DatabaseError> {
        self.check_in_place()?;
        let (project, token) = (claim.project(), claim.token());
        self.write_durably("cannot store the end of the session", move |transaction| {
            owners::check(transaction, session, token)?;
            let run: i64 =
                transaction.query_row("SELECT run FROM sessions WHERE id = ?1", [session], |row| row.get(0))?;
            let reason = end.run_reason.map(PauseReason::as_str);
            change_run(transaction, run, end.run, reason, end.detail.as_deref())?;
            change_session(transaction, session, end.session, &end.session_reason)?;
            transaction.execute("DELETE FROM owners WHERE project = ?1", [project])?;
            Ok(())
        })
        .await
    }

    /// Discards the queue of a run of the claimed project; returns how many URLs were pending. Results stay, and the
    /// run is completed: it can no longer be resumed. If interrupted, it can be called again.
    pub async fn clear_queue(self, claim: &Claim, run: i64) -> Result<usize, DatabaseError> {
        let mut cleared = 0;
        loop {
            let now = self.write("cannot clear the queue", move |transaction| {
                let (skipped, reason) = (Reason::Cleared.disposition().as_str(), Reason::Cleared.as_str());
                let mut cleared = 0;
                for table in ["urls", "nodes"] {
                    let sql = format!(
                        "UPDATE {table} SET disposition = ?3, reason = ?4 WHERE run = ?1 AND number IN (
                             SELECT number FROM {table} WHERE run = ?1 AND disposition = 'pending' LIMIT ?2)"
                    );
                    cleared += transaction.execute(&sql, params![run, CLEARED_AT_ONCE, skipped, reason])?;
                }
                Ok(cleared)
            });
            let now = now.await?;
            cleared += now;
            if now < CLEARED_AT_ONCE {
                break;
            }
        }
        self.contents().seal(run).await?;
        let project = claim.project();
        self.write_durably("cannot clear the queue", move |transaction| {
            transaction.execute("DELETE FROM deferred WHERE run = ?1", [run])?;
            transaction.execute("DELETE FROM mentions WHERE run = ?1", [run])?;
            change_run(transaction, run, RunState::Completed, Some(Reason::Cleared.as_str()), None)?;
            transaction.execute("DELETE FROM owners WHERE project = ?1", [project])?;
            Ok(())
        })
        .await?;
        Ok(cleared)
    }

    /// A run by its number.
    pub async fn run(self, id: i64) -> Result<RunRow, DatabaseError> {
        self.read("cannot read the run", move |connection| find_run(connection, id)).await
    }

    /// Runs, newest first; of one project or all.
    pub async fn runs(self, project: Option<i64>) -> Result<Vec<RunRow>, DatabaseError> {
        self.read("cannot read runs", move |connection| {
            let mut select = connection.prepare_cached(&format!(
                "SELECT {RUN_COLUMNS} FROM runs WHERE is_deleted = 0 AND (?1 IS NULL OR project = ?1) ORDER BY id DESC"
            ))?;
            let rows = select.query_map([project], run_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// Runs marked as in progress, oldest first.
    pub async fn runs_in_progress(self) -> Result<Vec<RunRow>, DatabaseError> {
        self.read("cannot read runs", move |connection| {
            let sql =
                format!("SELECT {RUN_COLUMNS} FROM runs WHERE is_deleted = 0 AND state = 'in_progress' ORDER BY id");
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map([], run_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The newest run of a kind, over all projects.
    pub async fn newest_run_of(self, kind: RunKind) -> Result<Option<RunRow>, DatabaseError> {
        self.read("cannot read runs", move |connection| {
            let sql =
                format!("SELECT {RUN_COLUMNS} FROM runs WHERE kind = ?1 AND is_deleted = 0 ORDER BY id DESC LIMIT 1");
            Ok(connection.prepare_cached(&sql)?.query_row([kind.as_str()], run_row).optional()?)
        })
        .await
    }

    /// The runs of a project that are in progress, paused or failed, of one kind or all; most recently active first.
    pub async fn open_runs(self, project: i64, kind: Option<RunKind>) -> Result<Vec<RunRow>, DatabaseError> {
        self.read("cannot read runs", move |connection| {
            let sql = format!(
                "SELECT {RUN_COLUMNS} FROM runs WHERE project = ?1 AND state <> 'completed' AND is_deleted = 0
                    AND (?2 IS NULL OR kind = ?2) ORDER BY {CURRENT_FIRST}"
            );
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map(params![project, kind.map(RunKind::as_str)], run_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// Removes a run that never started: it was accepted, and stopped before its turn came.
    pub async fn withdraw(self, claim: &Claim, run: i64) -> Result<(), DatabaseError> {
        let project = claim.project();
        self.write_durably("cannot withdraw the run", move |transaction| {
            transaction.execute("DELETE FROM owners WHERE project = ?1", [project])?;
            transaction.execute("DELETE FROM sessions WHERE run = ?1", [run])?;
            transaction.execute("DELETE FROM runs WHERE id = ?1", [run])?;
            Ok(())
        })
        .await
    }

    /// A session by its number.
    pub async fn session(self, id: i64) -> Result<SessionRow, DatabaseError> {
        self.read("cannot read the session", move |connection| find_session(connection, id)).await
    }

    /// The sessions of a run, oldest first.
    pub async fn sessions(self, run: i64) -> Result<Vec<SessionRow>, DatabaseError> {
        self.read("cannot read sessions", move |connection| Ok(sessions_of(connection, run)?)).await
    }

    /// How many hosts a session of a weave has visited.
    pub async fn hosts_visited(self, session: i64) -> Result<u64, DatabaseError> {
        self.read("cannot read the budget of a weave", move |connection| {
            let sql = "SELECT count(DISTINCT node) FROM node_pages
                       WHERE run = (SELECT run FROM sessions WHERE id = ?1) AND session = ?1";
            Ok(connection.query_row(sql, [session], |row| row.get(0))?)
        })
        .await
    }

    /// How many URLs of its budget a session has spent.
    pub async fn spent(self, session: i64, counts_pages_only: bool) -> Result<u64, DatabaseError> {
        self.read("cannot read the budget of a session", move |connection| {
            let tasks = if counts_pages_only { "u.task = 'page'" } else { "u.task NOT IN ('sitemap', 'robots')" };
            let sql = format!(
                "SELECT count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 WHERE v.run = (SELECT run FROM sessions WHERE id = ?1) AND v.session = ?1 AND v.was_fetched AND {tasks}"
            );
            Ok(connection.query_row(&sql, [session], |row| row.get(0))?)
        })
        .await
    }
}

pub(in crate::sqlite) fn find_run(connection: &Connection, id: i64) -> Result<RunRow, Failure> {
    let select = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1 AND is_deleted = 0");
    let found = connection.query_row(&select, [id], run_row).optional()?;
    Ok(found.ok_or_else(|| DatabaseError::not_found(format!("no run {id}")))?)
}

pub(in crate::sqlite) fn find_session(connection: &Connection, id: i64) -> Result<SessionRow, Failure> {
    let select = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?1");
    let found = connection.query_row(&select, [id], session_row).optional()?;
    Ok(found.ok_or_else(|| DatabaseError::not_found(format!("there is no session {id}")))?)
}

pub(in crate::sqlite) fn sessions_of(connection: &Connection, run: i64) -> rusqlite::Result<Vec<SessionRow>> {
    let sql = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE run = ?1 ORDER BY id");
    let mut select = connection.prepare_cached(&sql)?;
    let rows = select.query_map([run], session_row)?;
    rows.collect()
}

fn new_session(transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<i64> {
    let insert = "INSERT INTO sessions (run, state, started_at) VALUES (?1, 'in_progress', ?2)";
    transaction.execute(insert, params![run, now()])?;
    Ok(transaction.last_insert_rowid())
}

/// The last session of a run, if it died with its process.
fn crashed_session(transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<Option<SessionRow>> {
    let sql = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE run = ?1 ORDER BY id DESC LIMIT 1");
    let last = transaction.query_row(&sql, [run], session_row).optional()?;
    Ok(last.filter(|session| session.state.may_become(SessionState::InProgress, has_crashed(session))))
}

fn has_crashed(session: &SessionRow) -> bool {
    session.reason.as_deref() == Some(PauseReason::Crashed.as_str())
}

fn reopen(transaction: &Transaction<'_>, session: SessionRow) -> rusqlite::Result<i64> {
    let update = "UPDATE sessions SET state = 'in_progress', reason = NULL, ended_at = NULL WHERE id = ?1";
    transaction.execute(update, [session.id])?;
    Ok(session.id)
}

/// The one place that changes the state of a run.
fn change_run(
    transaction: &Transaction<'_>,
    id: i64,
    next: RunState,
    reason: Option<&str>,
    detail: Option<&str>,
) -> Result<(), Failure> {
    let run = find_run(transaction, id)?;
    if !run.state.may_become(next, run.kind) {
        return Err(DatabaseError::Conflict(format!("run {id} is {}; it cannot become {next}", run.state)).into());
    }
    let update = "UPDATE runs SET state = ?2, reason = ?3, detail = ?4, updated_at = ?5 WHERE id = ?1";
    transaction.execute(update, params![id, next.as_str(), reason, detail, now()])?;
    if next == RunState::Completed {
        let left =
            "UPDATE runs SET left_pending = (SELECT count(*) FROM urls WHERE run = ?1 AND disposition = 'pending')
                + (SELECT count(*) FROM nodes WHERE run = ?1 AND disposition = 'pending') WHERE id = ?1";
        transaction.execute(left, [id])?;
    }
    Ok(())
}

/// The one place that ends a session.
fn change_session(transaction: &Transaction<'_>, id: i64, next: SessionState, reason: &str) -> Result<(), Failure> {
    let session = find_session(transaction, id)?;
    if !session.state.may_become(next, has_crashed(&session)) {
        let message = format!("session {id} is {}; it cannot become {next}", session.state);
        return Err(DatabaseError::Conflict(message).into());
    }
    let update = "UPDATE sessions SET state = ?2, reason = ?3, ended_at = ?4 WHERE id = ?1";
    transaction.execute(update, params![id, next.as_str(), reason, now()])?;
    Ok(())
}

pub(in crate::sqlite) fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get(0)?,
        project: row.get(1)?,
        state: state(row, 2, RunState::from_word)?,
        reason: row.get(3)?,
        detail: row.get(4)?,
        seeds: row.get(5)?,
        plan: row.get(6)?,
        is_incremental: row.get(7)?,
        created_at: row.get(8)?,
        updated_at: row.get(9)?,
        kind: state(row, 10, RunKind::from_word)?,
    })
}

pub(in crate::sqlite) fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: row.get(0)?,
        run: row.get(1)?,
        state: state(row, 2, SessionState::from_word)?,
        reason: row.get(3)?,
        started_at: row.get(4)?,
        ended_at: row.get(5)?,
        duration_ms: row.get(6)?,
        visits: row.get(7)?,
        pages: row.get(8)?,
        failed: row.get(9)?,
        bytes: row.get(10)?,
    })
}

/// A state, already validated by the table's CHECK.
fn state<T>(row: &Row<'_>, column: usize, read: fn(&str) -> Option<T>) -> rusqlite::Result<T> {
    let word: String = row.get(column)?;
    Ok(read(&word).expect("the table knows no other states"))
}
