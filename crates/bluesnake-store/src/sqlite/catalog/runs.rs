//! Runs and their sessions. Every state change is checked and durable.

use bluesnake_engine::Reason;
use rusqlite::{Connection, Params, Transaction, params};

use super::lists::CURRENT_FIRST;
use super::{Catalog, Claim, owners};
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, list, one, rows};
use crate::sqlite::{Failure, RunStore, now};
use crate::state::{PauseReason, RunKind, RunState, SessionState};

pub(in crate::sqlite) const RUN_COLUMNS: &str = "id, project, kind, state, reason, detail, seeds, json_array_length(seeds), plan, is_incremental, created_at, updated_at";
/// The same with the first seeds only: a list of runs need not read millions of them.
pub(in crate::sqlite) const LISTED_RUN_COLUMNS: &str = "id, project, kind, state, reason, detail,
    (SELECT json_group_array(value) FROM (SELECT value FROM json_each(seeds) LIMIT 10)), json_array_length(seeds),
    plan, is_incremental, created_at, updated_at";
pub(in crate::sqlite) const SESSION_COLUMNS: &str =
    "id, run, state, reason, started_at, ended_at, duration_ms, visits, pages, failed, bytes";
/// How many queued URLs to clear per transaction: a few milliseconds.
const CLEARED_AT_ONCE: usize = 5_000;

rows! {
    /// What is known about a run without reading its seeds and its plan, which can be large.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RunHead {
        /// Its number.
        pub id: i64,
        /// The project it belongs to.
        pub project: i64,
        /// Its purpose.
        pub kind: RunKind,
        /// Its state.
        pub state: RunState,
        /// Unix time in seconds.
        pub updated_at: i64,
    }

    /// One logical crawl of a project.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RunRow {
        /// Its number.
        pub id: i64,
        /// The project it belongs to.
        pub project: i64,
        /// Its purpose.
        pub kind: RunKind,
        /// Its state.
        pub state: RunState,
        /// Why it is paused, or how it was completed.
        pub reason: Option<String>,
        /// The same as a sentence.
        pub detail: Option<String>,
        /// The URLs it starts from; in lists of runs the first ten.
        pub seeds: Vec<String> = json,
        /// How many URLs it starts from.
        pub seed_count: u64,
        /// JSON of the frozen settings, without secrets.
        pub plan: String,
        /// Whether a new start of the project resumes it.
        pub is_incremental: bool,
        /// Unix time in seconds.
        pub created_at: i64,
        /// Unix time in seconds.
        pub updated_at: i64,
    }

    /// One session of a run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SessionRow {
        /// Its number.
        pub id: i64,
        /// The run it belongs to.
        pub run: i64,
        /// Its state.
        pub state: SessionState,
        /// Why it ended.
        pub reason: Option<String>,
        /// Unix time in seconds.
        pub started_at: i64,
        /// Unix time in seconds.
        pub ended_at: Option<i64>,
        /// How long it ran.
        pub duration_ms: i64,
        /// Visited URLs.
        pub visits: i64,
        /// HTML pages among them.
        pub pages: i64,
        /// Visits that failed.
        pub failed: i64,
        /// Bytes of bodies on the wire.
        pub bytes: i64,
    }
}

impl RunRow {
    /// Whether it can be resumed.
    pub fn can_resume(&self) -> bool {
        matches!(self.state, RunState::Paused | RunState::Failed)
    }

    /// Whether it was paused because its process ended, rather than by the user.
    pub fn was_interrupted(&self) -> bool {
        let reason = self.reason.as_deref().and_then(PauseReason::from_word);
        matches!(reason, Some(PauseReason::Signal | PauseReason::Crashed))
    }
}

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
                // A crash may have come between the audit and the end of the run; what follows is not in it.
                transaction.execute("DELETE FROM audits WHERE run = ?1", [run])?;
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
            let run = one(transaction, "SELECT run FROM sessions WHERE id = ?1", [session])?;
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

    /// A run by its number, without its seeds and its plan.
    pub async fn run_head(self, id: i64) -> Result<RunHead, DatabaseError> {
        self.read("cannot read the run", move |connection| find_head(connection, id)).await
    }

    /// Runs with their first seeds, newest first; of one project or all.
    pub async fn runs(self, project: Option<i64>) -> Result<Vec<RunRow>, DatabaseError> {
        let sql = format!(
            "SELECT {LISTED_RUN_COLUMNS} FROM runs
             WHERE is_deleted = 0 AND (?1 IS NULL OR project = ?1) ORDER BY id DESC"
        );
        self.list("cannot read runs", sql, [project]).await
    }

    /// The completed runs before a run that have its project, kind and seeds, newest first.
    pub async fn completed_before(self, run: i64) -> Result<Vec<RunRow>, DatabaseError> {
        let sql = format!(
            "SELECT {LISTED_RUN_COLUMNS} FROM runs WHERE is_deleted = 0 AND id < ?1 AND state = 'completed'
                AND (project, kind, seeds) = (SELECT project, kind, seeds FROM runs WHERE id = ?1)
             ORDER BY id DESC"
        );
        self.list("cannot read runs", sql, [run]).await
    }

    /// Runs marked as in progress, oldest first.
    pub async fn runs_in_progress(self) -> Result<Vec<RunRow>, DatabaseError> {
        self.list_runs("state = 'in_progress' ORDER BY id", ()).await
    }

    /// The newest run of a kind, over all projects.
    pub async fn newest_run_of(self, kind: RunKind) -> Result<Option<RunRow>, DatabaseError> {
        Ok(self.list_runs("kind = ?1 ORDER BY id DESC LIMIT 1", [kind.as_str()]).await?.pop())
    }

    /// The newest run of a project, of one kind or all.
    pub async fn newest_run(self, project: i64, kind: Option<RunKind>) -> Result<Option<RunRow>, DatabaseError> {
        let newest = "project = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY id DESC LIMIT 1";
        Ok(self.list_runs(newest, (project, kind.map(RunKind::as_str))).await?.pop())
    }

    /// The current run of a project, of one kind or all: one that is not completed, else the newest.
    pub async fn current_run(self, project: i64, kind: Option<RunKind>) -> Result<Option<RunRow>, DatabaseError> {
        let current = format!("project = ?1 AND (?2 IS NULL OR kind = ?2) ORDER BY {CURRENT_FIRST} LIMIT 1");
        Ok(self.list_runs(&current, (project, kind.map(RunKind::as_str))).await?.pop())
    }

    /// The runs of a project that are in progress, paused or failed, of one kind or all; most recently active first.
    pub async fn open_runs(self, project: i64, kind: Option<RunKind>) -> Result<Vec<RunRow>, DatabaseError> {
        let open =
            format!("project = ?1 AND state <> 'completed' AND (?2 IS NULL OR kind = ?2) ORDER BY {CURRENT_FIRST}");
        self.list_runs(&open, (project, kind.map(RunKind::as_str))).await
    }

    async fn list_runs(self, wanted: &str, params: impl Params + Send + 'static) -> Result<Vec<RunRow>, DatabaseError> {
        let sql = format!("SELECT {RUN_COLUMNS} FROM runs WHERE is_deleted = 0 AND {wanted}");
        self.list("cannot read runs", sql, params).await
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
        let sql = "SELECT count(DISTINCT node) FROM node_pages
                   WHERE run = (SELECT run FROM sessions WHERE id = ?1) AND session = ?1";
        self.read("cannot read the budget of a weave", move |connection| Ok(one(connection, sql, [session])?)).await
    }

    /// How many URLs of its budget a session has spent.
    pub async fn spent(self, session: i64, counts_pages_only: bool) -> Result<u64, DatabaseError> {
        let tasks = if counts_pages_only { "u.task = 'page'" } else { "u.task NOT IN ('sitemap', 'robots')" };
        let sql = format!(
            "SELECT count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
             WHERE v.run = (SELECT run FROM sessions WHERE id = ?1) AND v.session = ?1 AND v.was_fetched AND {tasks}"
        );
        self.read("cannot read the budget of a session", move |connection| Ok(one(connection, &sql, [session])?)).await
    }
}

pub(in crate::sqlite) fn find_run(connection: &Connection, id: i64) -> Result<RunRow, Failure> {
    let select = format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1 AND is_deleted = 0");
    let found = first(connection, &select, [id])?;
    Ok(found.ok_or_else(|| DatabaseError::not_found(format!("no run {id}")))?)
}

/// The same without its seeds and its plan.
pub(in crate::sqlite) fn find_head(connection: &Connection, id: i64) -> Result<RunHead, Failure> {
    let select = "SELECT id, project, kind, state, updated_at FROM runs WHERE id = ?1 AND is_deleted = 0";
    let found = first(connection, select, [id])?;
    Ok(found.ok_or_else(|| DatabaseError::not_found(format!("no run {id}")))?)
}

pub(in crate::sqlite) fn find_session(connection: &Connection, id: i64) -> Result<SessionRow, Failure> {
    let select = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?1");
    let found = first(connection, &select, [id])?;
    Ok(found.ok_or_else(|| DatabaseError::not_found(format!("there is no session {id}")))?)
}

pub(in crate::sqlite) fn sessions_of(connection: &Connection, run: i64) -> rusqlite::Result<Vec<SessionRow>> {
    list(connection, &format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE run = ?1 ORDER BY id"), [run])
}

fn new_session(transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<i64> {
    let insert = "INSERT INTO sessions (run, state, started_at) VALUES (?1, 'in_progress', ?2)";
    transaction.execute(insert, params![run, now()])?;
    Ok(transaction.last_insert_rowid())
}

/// The last session of a run, if it died with its process.
fn crashed_session(transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<Option<SessionRow>> {
    let sql = format!("SELECT {SESSION_COLUMNS} FROM sessions WHERE run = ?1 ORDER BY id DESC LIMIT 1");
    let last = first(transaction, &sql, [run])?;
    Ok(last.filter(|session: &SessionRow| session.state.may_become(SessionState::InProgress, has_crashed(session))))
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
    let run = find_head(transaction, id)?;
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
