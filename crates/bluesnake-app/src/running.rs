//! The app: one database, and the crawls that run now.
//!
//! One live crawl for each project, at most so many at once; the others wait in a queue. Every crawl is a task of this
//! process; when the app is shut down they pause.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bluesnake_engine::CrawlError;
use bluesnake_store::state::{PauseReason, RunKind, RunState};
use bluesnake_store::{Database, DatabaseError, ProjectRow, RunRow, StartedSession};
use tokio::sync::{Semaphore, broadcast, oneshot, watch};
use tokio::task::JoinSet;

use crate::capture::Repeated;
use crate::error::{AppError, Conflict};
use crate::results::off_the_runtime;
use crate::session::{Ended, Session, ended};
use crate::snapshot::{Phase, Snapshot};

/// How many events a slow listener may be behind before it misses some.
const EVENTS: usize = 256;

/// How many crawls may wait for their turn.
const MOST_WAITING: usize = 100;
/// How long the end of the program waits for its crawls.
const LAST_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// How the app works.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The database file.
    pub database: PathBuf,
    /// What is to be done with it.
    pub access: Access,
    /// How many crawls run at once; 0 = any number.
    pub max_concurrent_sessions: usize,
}

impl AppOptions {
    /// Two crawls at once, in this file.
    pub fn new(database: impl Into<PathBuf>) -> Self {
        Self { database: database.into(), access: Access::Create, max_concurrent_sessions: 2 }
    }
}

/// What is to be done with a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Write; it is made when it is not there.
    Create,
    /// Write; it must be there.
    Write,
    /// Read; it must be there, and may be where nothing can be written.
    Read,
}

/// Something that happened; it carries ids only, whoever wants to know more asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEvent {
    /// `crawl:started`.
    Started {
        /// The project.
        project: i64,
        /// The run.
        run: i64,
        /// The session.
        session: i64,
    },
    /// `crawl:completed`: it reached its end or its budget.
    Completed {
        /// The project.
        project: i64,
        /// Where that leaves its run.
        end: SessionEnded,
    },
    /// `crawl:stopped`: it ended before that.
    Stopped {
        /// The project.
        project: i64,
        /// Where that leaves its run.
        end: SessionEnded,
    },
}

/// The end of a session in ids and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEnded {
    /// The run; none when it never began.
    pub run: Option<i64>,
    /// The session; none when it never began.
    pub session: Option<i64>,
    /// Where the run is now.
    pub state: RunState,
    /// Why it is paused.
    pub reason: Option<PauseReason>,
}

/// What bluesnake can do. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    database: Database,
    active: Mutex<ActiveSessions>,
    slots: Option<Semaphore>,
    tasks: Mutex<JoinSet<()>>,
    events: broadcast::Sender<AppEvent>,
    repeated: Repeated,
}

/// The crawls that run or wait, by project.
#[derive(Debug, Default)]
pub(crate) struct ActiveSessions {
    sessions: BTreeMap<i64, Arc<Active>>,
    /// Whether the program ends. Beside the crawls, so that none comes in after they were told to stop.
    is_closing: bool,
}

/// Who asked a crawl to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A person.
    User,
    /// A signal to the program, or its end.
    Signal,
}

/// A crawl that runs, or waits for its place.
#[derive(Debug)]
pub(crate) struct Active {
    pub(crate) project: ProjectRow,
    pub(crate) kind: RunKind,
    also_paused: Vec<RunRow>,
    pub(crate) snapshots: watch::Sender<Snapshot>,
    pub(crate) stop: watch::Sender<Option<Stop>>,
    pub(crate) end: watch::Sender<Option<Arc<Ended>>>,
}

impl Active {
    pub(crate) fn new(project: ProjectRow, kind: RunKind, also_paused: Vec<RunRow>) -> Self {
        Self {
            project,
            kind,
            also_paused,
            snapshots: watch::Sender::new(Snapshot::default()),
            stop: watch::Sender::new(None),
            end: watch::Sender::new(None),
        }
    }

    /// It is stored, and starts or waits for its turn.
    fn is_accepted(&self, started: &StartedSession, phase: Phase) {
        self.snapshots.send_modify(|snapshot| {
            (snapshot.phase, snapshot.run_id, snapshot.crawl_id) = (phase, Some(started.run), Some(started.session));
        });
    }

    fn stop(&self, who: Stop) {
        self.stop.send_if_modified(|stop| stop.is_none() && stop.replace(who).is_none());
    }
}

/// A crawl that was started: watch it, stop it, wait for it.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    pub(crate) active: Arc<Active>,
}

impl SessionHandle {
    /// The project.
    pub fn project(&self) -> &ProjectRow {
        &self.active.project
    }

    /// What it is for.
    pub fn kind(&self) -> RunKind {
        self.active.kind
    }

    /// Other runs of the project that were not completed when this one started: of the same kind, or of any kind when
    /// none was named. They can still be resumed.
    pub fn also_paused(&self) -> &[RunRow] {
        &self.active.also_paused
    }

    /// The figures of now, and of every later moment, at most four times a second.
    pub fn snapshots(&self) -> watch::Receiver<Snapshot> {
        self.active.snapshots.subscribe()
    }

    /// Stops it; requests under way get their grace period.
    pub fn stop(&self) {
        self.active.stop(Stop::User);
    }

    /// Stops it because the program is told to end.
    pub fn stop_by_signal(&self) {
        self.active.stop(Stop::Signal);
    }

    /// Waits for its end.
    pub async fn wait(&self) -> Arc<Ended> {
        ended(self.active.end.subscribe()).await
    }
}

impl App {
    /// Opens the database. Runs whose program is gone become paused, and interrupted removals are finished.
    pub async fn open(options: AppOptions) -> Result<Self, AppError> {
        let database = match open_to_write(&options).await {
            Err(error @ (DatabaseError::Unwritable { .. } | DatabaseError::Full(_)))
                if options.access == Access::Read =>
            {
                let path = options.database.clone();
                // When it cannot be read, either, that it cannot be written says more.
                off_the_runtime(move || match Database::open_to_read(&path) {
                    Err(DatabaseError::Unwritable { .. } | DatabaseError::Full(_)) => Err(error.into()),
                    opened => Ok(opened?),
                })
                .await?
            }
            opened => opened?,
        };
        let slots = options.max_concurrent_sessions;
        Ok(Self {
            shared: Arc::new(Shared {
                database,
                active: Mutex::default(),
                slots: (slots > 0).then(|| Semaphore::new(slots)),
                tasks: Mutex::default(),
                events: broadcast::Sender::new(EVENTS),
                repeated: Repeated::default(),
            }),
        })
    }

    pub(crate) fn database(&self) -> &Database {
        &self.shared.database
    }

    pub(crate) fn repeated(&self) -> &Repeated {
        &self.shared.repeated
    }

    /// What happens from now on.
    pub fn events(&self) -> broadcast::Receiver<AppEvent> {
        self.shared.events.subscribe()
    }

    /// A task of its own: whoever asked may go away while the run is being stored.
    pub(crate) fn spawn(&self, session: Session, accept: oneshot::Sender<Result<(), AppError>>) {
        let app = self.clone();
        let mut tasks = self.shared.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that have ended are not kept.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move { app.drive(session, accept).await });
    }

    /// Stores the run, which is accepted then; waits for a place, runs the session, and reports its end, also when it
    /// panics.
    async fn drive(self, mut session: Session, accept: oneshot::Sender<Result<(), AppError>>) {
        let active = Arc::clone(&session.active);
        let project = active.project.id;
        let started = match session.begin().await {
            Ok(started) => started,
            Err(error) => {
                self.forget(&active);
                active.end.send_replace(Some(Arc::new(Ended::NEVER_BEGAN)));
                let _ = accept.send(Err(error));
                return;
            }
        };
        let free = self.free_place();
        active.is_accepted(&started, if free.is_some() { Phase::Starting } else { Phase::Queued });
        let _ = accept.send(Ok(()));
        let mut stop = active.stop.subscribe();
        let permit = match free {
            Some(permit) => Some(permit),
            None => tokio::select! {
                biased;
                _ = stop.wait_for(Option::is_some) => None,
                permit = self.permit() => Some(permit),
            },
        };
        let end = match &permit {
            None => session.end_in_the_queue(started).await,
            Some(_) => {
                let begun = AppEvent::Started { project, run: started.run, session: started.session };
                let _ = self.shared.events.send(begun);
                let mut task = JoinSet::new();
                task.spawn(session.run(started));
                match task.join_next().await.expect("there is one task") {
                    Ok(end) => end,
                    // The runtime ends, and this task with it.
                    Err(end) if end.is_cancelled() => std::future::pending().await,
                    Err(panic) => {
                        let bug = CrawlError::Bug(panic.to_string());
                        // The claim went with the task, so the run can be taken for what it is.
                        let _ = self.database().reconcile().await;
                        Ended::before_it_began(bug.into())
                    }
                }
            }
        };
        drop(permit);
        self.forget(&active);
        let is_completed = end.finished.as_ref().is_some_and(|finished| !finished.was_stopped()) && end.error.is_none();
        let told = SessionEnded { run: end.run, session: end.session, state: end.state, reason: end.reason };
        let event = match is_completed {
            true => AppEvent::Completed { project, end: told },
            false => AppEvent::Stopped { project, end: told },
        };
        active.end.send_replace(Some(Arc::new(end)));
        let _ = self.shared.events.send(event);
    }

    /// A place that is free now: a permit, or none where any number of crawls may run.
    fn free_place(&self) -> Option<Option<tokio::sync::SemaphorePermit<'_>>> {
        match &self.shared.slots {
            None => Some(None),
            Some(slots) => slots.try_acquire().ok().map(Some),
        }
    }

    pub(crate) async fn permit(&self) -> Option<tokio::sync::SemaphorePermit<'_>> {
        match &self.shared.slots {
            None => None,
            Some(slots) => Some(slots.acquire().await.expect("it is never closed")),
        }
    }

    /// The crawls that run or wait, in the order of projects.
    pub fn active_sessions(&self) -> Vec<SessionHandle> {
        self.active().sessions.values().map(|active| SessionHandle { active: Arc::clone(active) }).collect()
    }

    /// The crawl of a project that runs or waits.
    pub fn active_session(&self, project: i64) -> Option<SessionHandle> {
        self.active().sessions.get(&project).map(|active| SessionHandle { active: Arc::clone(active) })
    }

    /// Stops the crawl of a project.
    pub fn stop_session(&self, project: i64) -> Result<(), AppError> {
        let handle = self.active_session(project).ok_or_else(|| AppError::Conflict {
            reason: Conflict::NotRunning,
            message: format!("project {project} is not being crawled by this process"),
            hint: "`bluesnake projects list` shows what runs".to_owned(),
        })?;
        handle.stop();
        Ok(())
    }

    /// Stops the crawl of a run, which can be resumed.
    pub fn pause_run(&self, run: &RunRow) -> Result<(), AppError> {
        if run.state == RunState::InProgress {
            return self.stop_session(run.project);
        }
        Err(AppError::Conflict {
            reason: Conflict::NotRunning,
            message: format!("run {} is {} and not being crawled", run.id, run.state),
            hint: "`bluesnake runs list` shows what runs".to_owned(),
        })
    }

    /// Refuses to start anything at the end of the program, and while as many crawls wait as may wait.
    pub fn check_room(&self) -> Result<(), AppError> {
        self.active().check_room()
    }

    /// Starts nothing any more.
    pub fn close(&self) {
        self.active().is_closing = true;
    }

    /// Starts nothing any more, pauses every crawl and waits for their ends, but not for ever: what takes too long is found again as crashed.
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

    /// A crawl is over. The next one of the project may have begun already.
    fn forget(&self, over: &Arc<Active>) {
        let sessions = &mut self.active().sessions;
        if sessions.get(&over.project.id).is_some_and(|known| Arc::ptr_eq(known, over)) {
            sessions.remove(&over.project.id);
        }
    }

    pub(crate) fn active(&self) -> MutexGuard<'_, ActiveSessions> {
        self.shared.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens the database; runs whose program is gone become paused, and interrupted removals are finished.
async fn open_to_write(options: &AppOptions) -> Result<Database, DatabaseError> {
    let open = if options.access == Access::Create { Database::open } else { Database::open_existing };
    let path = options.database.clone();
    let opened = tokio::task::spawn_blocking(move || open(&path)).await;
    let database = opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
    for run in database.reconcile().await? {
        tracing::info!(run, "a run whose program is gone can be resumed");
    }
    database.remove_hidden(None).await?;
    Ok(database)
}

impl ActiveSessions {
    pub(crate) fn admit(&mut self, active: &Arc<Active>) -> Result<(), AppError> {
        self.check_room()?;
        self.sessions.insert(active.project.id, Arc::clone(active));
        Ok(())
    }

    fn check_room(&self) -> Result<(), AppError> {
        if self.is_closing {
            return Err(AppError::Conflict {
                reason: Conflict::Closing,
                message: "the program is about to end and starts no crawl".to_owned(),
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
            message: format!("{waiting} crawls wait for their turn already"),
            hint: "wait until some of them have ended, or stop some".to_owned(),
        })
    }
}
