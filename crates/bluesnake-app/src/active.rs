//! What is being crawled now, by this process and by others on the same database.

use bluesnake_store::state::{RunState, SessionState};
use bluesnake_store::{RunCounts, RunRow, SessionRow};

use crate::error::AppError;
use crate::running::App;
use crate::snapshot::{Phase, Snapshot};
use crate::view::ActiveSession;

impl App {
    /// Every crawl that runs now: those of this process as they are, those of others as the database knows them.
    pub async fn active_everywhere(&self) -> Result<Vec<ActiveSession>, AppError> {
        let mut active: Vec<ActiveSession> = self
            .active_sessions()
            .iter()
            .map(|handle| ActiveSession::of(handle.project(), handle.snapshots().borrow().clone(), true))
            .collect();
        active.extend(self.active_elsewhere().await?);
        active.sort_by_key(|session| session.project_id);
        Ok(active)
    }

    /// The sessions of other processes. Their figures are as old as their last commit. Nothing is changed, also not the state
    /// of a run whose program is gone; [`App::take_in_crashed`] does that.
    pub async fn active_elsewhere(&self) -> Result<Vec<ActiveSession>, AppError> {
        let database = self.database();
        let mut elsewhere = Vec::new();
        for run in database.runs_in_progress().await? {
            if self.active_session(run.project).is_some() || !database.is_owned(run.project)? {
                continue;
            }
            let sessions = database.sessions(run.id).await?;
            if let Some(session) = sessions.last().filter(|session| session.state == SessionState::InProgress) {
                let project = database.project(run.project).await?;
                let counts = database.counts(run.id, None).await?;
                elsewhere.push(ActiveSession::of(&project, stored_figures(&run, session, counts), false));
            }
        }
        Ok(elsewhere)
    }

    /// Runs whose program is gone become paused, so that they are shown as what they are and can be resumed.
    pub async fn take_in_crashed(&self) -> Result<(), AppError> {
        self.database().reconcile().await?;
        Ok(())
    }
}

fn stored_figures(run: &RunRow, session: &SessionRow, counts: RunCounts) -> Snapshot {
    let seconds = session.duration_ms as f64 / 1000.0;
    Snapshot {
        phase: match run.state {
            // Its process may have others to crawl first.
            RunState::InProgress if counts.seen == 0 => Phase::Queued,
            RunState::InProgress => Phase::Crawling,
            _ => Phase::Ended,
        },
        run_id: Some(run.id),
        crawl_id: Some(session.id),
        elapsed_ms: session.duration_ms as u64,
        seen: counts.seen as u64,
        pending: counts.pending as u64,
        visits: session.visits as u64,
        pages: session.pages as u64,
        failed: session.failed as u64,
        bytes: session.bytes as u64,
        rate: if seconds > 0.0 { session.visits as f64 / seconds } else { 0.0 },
        ..Snapshot::default()
    }
}
