//! Sessions: one sitting of a run each, from the request to its final state.
//!
//! `accept.rs` turns a request into a stored run; `drive.rs` waits for a slot and runs the session; `session.rs` is
//! the session itself, whatever way it ends; `progress.rs` its figures while it runs, `handle.rs` the caller's handle
//! to it. Each project has at most one live session, and the number of concurrent sessions is limited; the others
//! wait. Each is a task of this process, and all of them pause when the app shuts down.

mod accept;
mod drive;
mod handle;
mod progress;
mod session;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bluesnake_store::state::{RunState, SessionState};
use bluesnake_store::{RunCounts, RunRow, SessionRow};
use tokio::sync::{Semaphore, SemaphorePermit, broadcast};
use tokio::task::JoinSet;

use self::handle::Active;
use crate::app::App;
use crate::error::{AppError, Conflict};
use crate::view::ActiveSession;

pub use self::drive::{AppEvent, SessionEnded};
pub use self::handle::SessionHandle;
pub use self::progress::{HostState, Phase, Snapshot, Waiting};
pub use self::session::Ended;

/// How many events a slow listener may lag behind before it misses some.
const EVENTS: usize = 256;
/// How many sessions may be queued.
const MOST_WAITING: usize = 100;
/// How long shutdown waits for sessions.
const LAST_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// The sessions of this process.
#[derive(Debug)]
pub(crate) struct Sessions {
    active: Mutex<ActiveSessions>,
    places: Semaphore,
    tasks: Mutex<JoinSet<()>>,
    events: broadcast::Sender<AppEvent>,
}

impl Sessions {
    /// With a limit on concurrent sessions; 0 = unlimited.
    pub(crate) fn new(at_once: usize) -> Self {
        let places = if at_once == 0 { Semaphore::MAX_PERMITS } else { at_once };
        Self {
            active: Mutex::default(),
            places: Semaphore::new(places),
            tasks: Mutex::default(),
            events: broadcast::Sender::new(EVENTS),
        }
    }

    /// Waits for a slot.
    pub(crate) async fn place(&self) -> SemaphorePermit<'_> {
        self.places.acquire().await.expect("places are never closed")
    }

    fn active(&self) -> MutexGuard<'_, ActiveSessions> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a finished session. The next one of the project may have started already.
    fn forget(&self, over: &Arc<Active>) {
        let sessions = &mut self.active().sessions;
        if sessions.get(&over.project.id).is_some_and(|known| Arc::ptr_eq(known, over)) {
            sessions.remove(&over.project.id);
        }
    }
}

/// Running and queued sessions, by project.
#[derive(Debug, Default)]
struct ActiveSessions {
    sessions: BTreeMap<i64, Arc<Active>>,
    /// Whether the process is shutting down. Under the same lock as the sessions, so that none is added after they
    /// were stopped.
    is_closing: bool,
}

impl ActiveSessions {
    fn admit(&mut self, active: &Arc<Active>) -> Result<(), AppError> {
        self.check_room()?;
        self.sessions.insert(active.project.id, Arc::clone(active));
        Ok(())
    }

    fn check_room(&self) -> Result<(), AppError> {
        if self.is_closing {
            return Err(AppError::Conflict {
                reason: Conflict::Closing,
                message: "the process is shutting down and starts no session".to_owned(),
                hint: "start it again".to_owned(),
            });
        }
        let is_waiting = |active: &&Arc<Active>| active.snapshots.borrow().phase == Phase::Queued;
        let waiting = self.sessions.values().filter(is_waiting).count();
        if waiting < MOST_WAITING {
            return Ok(());
        }
        Err(AppError::Conflict {
            reason: Conflict::QueueFull,
            message: format!("{waiting} sessions are already waiting"),
            hint: "wait until some have ended, or stop some".to_owned(),
        })
    }
}

impl App {
    /// Events from now on.
    pub fn events(&self) -> broadcast::Receiver<AppEvent> {
        self.running().events.subscribe()
    }

    /// Running and queued sessions, ordered by project.
    pub fn active_sessions(&self) -> Vec<SessionHandle> {
        self.running().active().sessions.values().map(|active| SessionHandle { active: Arc::clone(active) }).collect()
    }

    /// The running or queued session of a project.
    pub fn active_session(&self, project: i64) -> Option<SessionHandle> {
        self.running().active().sessions.get(&project).map(|active| SessionHandle { active: Arc::clone(active) })
    }

    /// Stops the session of a project.
    pub fn stop_session(&self, project: i64) -> Result<(), AppError> {
        let handle = self.active_session(project).ok_or_else(|| AppError::Conflict {
            reason: Conflict::NotRunning,
            message: format!("project {project} is not being crawled by this process"),
            hint: "`bluesnake projects list` shows what runs".to_owned(),
        })?;
        handle.stop();
        Ok(())
    }

    /// Pauses the session of a run, which can be resumed.
    pub async fn pause_run(&self, run: i64) -> Result<(), AppError> {
        let run = self.run(run).await?;
        if run.state == RunState::InProgress {
            return self.stop_session(run.project);
        }
        Err(AppError::Conflict {
            reason: Conflict::NotRunning,
            message: format!("run {} is {} and not being crawled", run.id, run.state),
            hint: "`bluesnake runs list` shows what runs".to_owned(),
        })
    }

    /// Fails during shutdown, and if the queue is full.
    pub fn check_room(&self) -> Result<(), AppError> {
        self.running().active().check_room()
    }

    /// Stops accepting new sessions.
    pub fn close(&self) {
        self.running().active().is_closing = true;
    }

    /// Stops accepting new sessions, pauses every session and waits for them to end. A session that takes longer than
    /// a minute counts as crashed.
    pub async fn shut_down(&self) {
        self.close();
        let handles = self.active_sessions();
        handles.iter().for_each(SessionHandle::stop_by_signal);
        let ends = async {
            for handle in &handles {
                handle.wait().await;
            }
        };
        if tokio::time::timeout(LAST_WAIT, ends).await.is_err() {
            tracing::warn!("a session did not end in time; it can be resumed like one that crashed");
        }
    }

    /// Every running session: those of this process with live figures, those of others as stored in the database.
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

    /// The sessions of other processes. Their figures are as old as their last commit. Read-only: it does not even
    /// change the state of a run whose process is gone; [`App::take_in_crashed`] does that.
    pub async fn active_elsewhere(&self) -> Result<Vec<ActiveSession>, AppError> {
        let database = self.database();
        let mut elsewhere = Vec::new();
        for run in database.catalog().runs_in_progress().await? {
            if self.active_session(run.project).is_some() || !database.catalog().is_owned(run.project)? {
                continue;
            }
            let sessions = database.catalog().sessions(run.id).await?;
            if let Some(session) = sessions.last().filter(|session| session.state == SessionState::InProgress) {
                let project = database.catalog().project(run.project).await?;
                let counts = database.catalog().counts(run.id, None).await?;
                elsewhere.push(ActiveSession::of(&project.into(), stored_figures(&run, session, counts), false));
            }
        }
        Ok(elsewhere)
    }

    /// Pauses runs whose process is gone, so that they can be resumed.
    pub async fn take_in_crashed(&self) -> Result<(), AppError> {
        self.catalog().reconcile().await?;
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
