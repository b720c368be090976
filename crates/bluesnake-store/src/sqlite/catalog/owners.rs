//! Who crawls a project: at most one live session per project, across all processes using a database.
//!
//! A file lock shows whether the owner is alive: the system releases it when the process ends, however it ends, and
//! no clock is involved. The row next to it identifies the owner, and its token fences every commit.

use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;

use rusqlite::{Transaction, params};

use super::Catalog;
use crate::error::DatabaseError;
use crate::sqlite::{Failure, now, open};
use crate::state::{PauseReason, RunState, SessionState};

/// The right to crawl a project, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
    project: i64,
    token: i64,
}

impl Claim {
    /// The project.
    pub fn project(&self) -> i64 {
        self.project
    }

    pub(in crate::sqlite) fn token(&self) -> i64 {
        self.token
    }
}

impl Catalog<'_> {
    /// Claims a project. Fails while another session of it is running, here or in another process.
    pub async fn claim(self, project: i64) -> Result<Claim, DatabaseError> {
        match self.try_lock(project)? {
            Some(lock) => Ok(Claim { _lock: lock, project, token: random_token() }),
            None => Err(self.already_owned(project).await?),
        }
    }

    /// Records that the owner of a project is alive.
    pub async fn heartbeat(self, claim: &Claim) -> Result<(), DatabaseError> {
        let (project, token) = (claim.project, claim.token);
        self.write("cannot store the sign of life of a session", move |transaction| {
            let sql = "UPDATE owners SET heartbeat_at = ?3 WHERE project = ?1 AND token = ?2";
            transaction.prepare_cached(sql)?.execute(params![project, token, now()])?;
            Ok(())
        })
        .await
    }

    /// Pauses runs marked as in progress whose owner is gone, and marks their sessions failed. Returns the runs.
    pub async fn reconcile(self) -> Result<Vec<i64>, DatabaseError> {
        let mut crashed = Vec::new();
        let sql = "SELECT id, project FROM runs WHERE state = 'in_progress'";
        for (run, project) in self.list::<(i64, i64)>("cannot read runs", sql, ()).await? {
            // Held until the state is written, so that no other process claims the project in between.
            let Some(_lock) = self.try_lock(project)? else { continue };
            self.write_durably("cannot take over a crashed run", move |transaction| mark_crashed(transaction, run))
                .await?;
            crashed.push(run);
        }
        Ok(crashed)
    }

    /// Whether a session is crawling a project now. Read-only: neither creates the lock file nor keeps it locked.
    pub fn is_owned(self, project: i64) -> Result<bool, DatabaseError> {
        let path = self.locks().join(project.to_string());
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(DatabaseError::unwritable(&path, error)),
        };
        Ok(matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    async fn already_owned(self, project: i64) -> Result<DatabaseError, DatabaseError> {
        let sql = "SELECT pid, started_at, heartbeat_at FROM owners WHERE project = ?1";
        let owner = self.first::<(i64, i64, i64)>("cannot read the owner of a project", sql, [project]).await?;
        let who = owner.map(|(pid, started_at, heartbeat_at)| {
            let ago = |moment: i64| (now() - moment).max(0);
            let (since, life) = (ago(started_at), ago(heartbeat_at));
            format!(" by process {pid}, since {since} s, with a sign of life {life} s ago")
        });
        Ok(DatabaseError::InProgress(who.unwrap_or_default()))
    }

    fn try_lock(self, project: i64) -> Result<Option<File>, DatabaseError> {
        let folder = self.locks();
        std::fs::create_dir_all(&folder).map_err(|error| DatabaseError::unwritable(&folder, error))?;
        let path = folder.join(project.to_string());
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| DatabaseError::unwritable(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(DatabaseError::unwritable(&path, error)),
        }
    }

    fn locks(self) -> PathBuf {
        open::beside(self.path(), ".locks")
    }
}

/// A commit is accepted only while its session owns the project.
pub(in crate::sqlite) fn check(transaction: &Transaction<'_>, session: i64, token: i64) -> Result<(), Failure> {
    let mut find = transaction.prepare_cached("SELECT 1 FROM owners WHERE session = ?1 AND token = ?2")?;
    if find.exists(params![session, token])? {
        return Ok(());
    }
    Err(DatabaseError::Conflict("another program has taken this run over".to_owned()).into())
}

pub(in crate::sqlite) fn take(
    transaction: &Transaction<'_>,
    claim: (i64, i64),
    run: i64,
    session: i64,
) -> rusqlite::Result<()> {
    let (project, token) = claim;
    let sql = "INSERT OR REPLACE INTO owners (project, run, session, token, pid, started_at, heartbeat_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    transaction.execute(sql, params![project, run, session, token, std::process::id(), now()])?;
    Ok(())
}

fn mark_crashed(transaction: &Transaction<'_>, run: i64) -> Result<(), Failure> {
    let crashed = PauseReason::Crashed.as_str();
    let detail = "the program that crawled it ended without saying so";
    let runs = "UPDATE runs SET state = ?2, reason = ?3, detail = ?4, updated_at = ?5 WHERE id = ?1 AND state = ?6";
    let (paused, live) = (RunState::Paused.as_str(), RunState::InProgress.as_str());
    transaction.execute(runs, params![run, paused, crashed, detail, now(), live])?;
    let sessions = "UPDATE sessions SET state = ?2, reason = ?3, ended_at = ?4 WHERE run = ?1 AND state = ?5";
    let (failed, live) = (SessionState::Failed.as_str(), SessionState::InProgress.as_str());
    transaction.execute(sessions, params![run, failed, crashed, now(), live])?;
    transaction.execute("DELETE FROM owners WHERE run = ?1", [run])?;
    Ok(())
}

fn random_token() -> i64 {
    // Seeded by the system for each process and each `RandomState`.
    RandomState::new().hash_one(std::process::id()) as i64
}
