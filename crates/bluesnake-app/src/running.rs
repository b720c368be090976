//! The app: one database, and the crawls that run now.
//!
//! One live crawl for each project, at most so many at once; the others wait in a queue. Every crawl is a task of this
//! process; when the app is shut down they pause.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bluesnake_store::state::{PauseReason, RunKind, RunState};
use bluesnake_store::{Claim, Database, ProjectRow, RunRow};
use tokio::sync::{Semaphore, broadcast, watch};
use tokio::task::JoinSet;

use crate::capture::Repeated;
use crate::error::{AppError, Conflict};
use crate::session::{Ended, Session, ended};
use crate::snapshot::{Phase, Snapshot};
use crate::start::{StartMode, StartRequest, project_address, run_to_resume};

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
    /// Whether the file must be there already.
    pub must_exist: bool,
    /// How many crawls run at once; 0 = any number.
    pub max_concurrent_crawls: usize,
}

impl AppOptions {
    /// Two crawls at once, in this file.
    pub fn new(database: impl Into<PathBuf>) -> Self {
        Self { database: database.into(), must_exist: false, max_concurrent_crawls: 2 }
    }
}

/// Something that happened; it carries ids only, whoever wants to know more asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEvent {
    /// `crawl:started`.
    Started {
        /// The project.
        project: i64,
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
    pub crawl: Option<i64>,
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
    active: Mutex<ActiveCrawls>,
    slots: Option<Semaphore>,
    tasks: Mutex<JoinSet<()>>,
    events: broadcast::Sender<AppEvent>,
    repeated: Repeated,
}

/// The crawls that run or wait, by project.
#[derive(Debug, Default)]
struct ActiveCrawls {
    crawls: BTreeMap<i64, Arc<Active>>,
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
    pub(crate) snapshots: watch::Sender<Snapshot>,
    pub(crate) stop: watch::Sender<Option<Stop>>,
    pub(crate) end: watch::Sender<Option<Arc<Ended>>>,
}

impl Active {
    fn new(project: ProjectRow, kind: RunKind) -> Self {
        Self {
            project,
            kind,
            snapshots: watch::Sender::new(Snapshot::default()),
            stop: watch::Sender::new(None),
            end: watch::Sender::new(None),
        }
    }

    pub(crate) fn began(&self, run: i64, crawl: i64) {
        self.snapshots.send_modify(|snapshot| {
            (snapshot.phase, snapshot.run_id, snapshot.crawl_id) = (Phase::Starting, Some(run), Some(crawl));
        });
    }

    fn stop(&self, who: Stop) {
        self.stop.send_if_modified(|stop| stop.is_none() && stop.replace(who).is_none());
    }
}

/// A crawl that was started: watch it, stop it, wait for it.
#[derive(Clone, Debug)]
pub struct CrawlHandle {
    active: Arc<Active>,
}

impl CrawlHandle {
    /// The project.
    pub fn project(&self) -> &ProjectRow {
        &self.active.project
    }

    /// What it is for.
    pub fn kind(&self) -> RunKind {
        self.active.kind
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
        let open = if options.must_exist { Database::open_existing } else { Database::open };
        let path = options.database;
        let opened = tokio::task::spawn_blocking(move || open(&path)).await;
        let database = opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        for run in database.reconcile().await? {
            tracing::info!(run, "a run whose program is gone can be resumed");
        }
        database.remove_hidden(None).await?;
        let slots = options.max_concurrent_crawls;
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

    /// Starts a crawl, or resumes a run, as the request and the saved settings say.
    pub async fn start_crawl(&self, request: StartRequest) -> Result<CrawlHandle, AppError> {
        // Checked before anything is stored, so that a typo makes no project; and all of it, so that all is told at once.
        let request = StartRequest { kind: request.kind.or(Some(RunKind::Crawl)), ..request };
        request.check()?;
        let address = project_address(&request.urls)?;
        self.check_room()?;
        let url = format!("{}/", address.origin());
        let project = self.database().get_or_create_project(address.authority(), &url).await?;
        self.start(project, request).await
    }

    /// Resumes the open run of a project, with the settings it was started with.
    pub async fn resume_crawl(&self, project: ProjectRow, request: StartRequest) -> Result<CrawlHandle, AppError> {
        self.start(project, StartRequest { mode: StartMode::Resume, urls: Vec::new(), ..request }).await
    }

    /// Resumes this very run, with the settings it was started with.
    pub async fn resume_run(&self, run: &RunRow, request: StartRequest) -> Result<CrawlHandle, AppError> {
        if !run.can_resume() {
            let (reason, message) = match run.state {
                RunState::InProgress => (Conflict::InProgress, format!("run {} is being crawled", run.id)),
                _ => (Conflict::NoPausedRun, format!("no paused run to resume: run {} is {}", run.id, run.state)),
            };
            let hint = "`bluesnake runs list` shows what can be resumed".to_owned();
            return Err(AppError::Conflict { reason, message, hint });
        }
        let project = self.database().project(run.project).await?;
        // A project has at most one open run of a kind.
        self.resume_crawl(project, StartRequest { kind: Some(run.kind), ..request }).await
    }

    /// Resumes every run that was interrupted by the end of a program, as the request says, and tells what could not be.
    pub async fn resume_interrupted(
        &self,
        request: &StartRequest,
    ) -> Result<Vec<Result<CrawlHandle, AppError>>, AppError> {
        let mut resumed = Vec::new();
        for run in self.database().runs(None).await? {
            if run.can_resume() && run.was_interrupted() {
                resumed.push(self.resume_run(&run, request.clone()).await);
            }
        }
        Ok(resumed)
    }

    async fn start(&self, project: ProjectRow, request: StartRequest) -> Result<CrawlHandle, AppError> {
        self.check_room()?;
        // What somebody may want to resume was left by a program that is gone.
        self.take_in_crashed().await?;
        let claim = self.database().claim(project.id).await?;
        let (_, is_saved_incremental) = self.saved_settings(project.id).await?;
        let is_incremental = request.is_incremental(is_saved_incremental);
        let open = self.database().open_run(project.id, request.kind).await?;
        let resumes = run_to_resume(&request, &project, open, is_incremental)?;
        self.begin(claim, project, request, resumes, is_incremental).await
    }

    /// Goes on with this very run, whatever its state.
    pub(crate) async fn go_on(
        &self,
        project: ProjectRow,
        request: StartRequest,
        run: RunRow,
    ) -> Result<CrawlHandle, AppError> {
        self.check_room()?;
        self.take_in_crashed().await?;
        let claim = self.database().claim(project.id).await?;
        let run = self.database().run(run.id).await?;
        let is_incremental = run.is_incremental;
        self.begin(claim, project, request, Some(run), is_incremental).await
    }

    async fn begin(
        &self,
        claim: Claim,
        project: ProjectRow,
        request: StartRequest,
        resumes: Option<RunRow>,
        is_incremental: bool,
    ) -> Result<CrawlHandle, AppError> {
        let (saved, _) = self.saved_settings(project.id).await?;
        let plan = match &resumes {
            None => request.plan(saved)?,
            Some(run) => request.plan_to_resume(run, saved)?,
        };
        let kind = resumes.as_ref().map(|run| run.kind).or(request.kind).unwrap_or(RunKind::Crawl);
        let seeds: Vec<&str> = plan.seeds.iter().map(|seed| seed.as_str()).collect();
        let active = Arc::new(Active::new(project, kind));
        let session = Session {
            database: self.database().clone(),
            claim,
            seeds: serde_json::to_string(&seeds).expect("addresses are JSON"),
            plan,
            kind,
            refresh: request.refresh,
            retry_failed: request.retry_failed,
            resumes,
            is_incremental,
            hooks: request.hooks,
            active: Arc::clone(&active),
        };
        self.active().admit(&active)?;
        let app = self.clone();
        let mut tasks = self.shared.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that have ended are not kept.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move { app.drive(session).await });
        Ok(CrawlHandle { active })
    }

    /// Waits for a place, runs the session, and tells its end, also when it panics.
    async fn drive(self, session: Session) {
        let active = Arc::clone(&session.active);
        let project = active.project.id;
        let mut stop = active.stop.subscribe();
        let permit = tokio::select! {
            biased;
            _ = stop.wait_for(Option::is_some) => None,
            permit = self.permit() => Some(permit),
        };
        let end = match &permit {
            None => session.end_in_the_queue().await,
            Some(_) => {
                let _ = self.shared.events.send(AppEvent::Started { project });
                let mut task = JoinSet::new();
                task.spawn(session.run());
                match task.join_next().await.expect("there is one task") {
                    Ok(end) => end,
                    // The runtime ends, and this task with it.
                    Err(end) if end.is_cancelled() => std::future::pending().await,
                    Err(panic) => {
                        let bug = bluesnake_engine::CrawlError::Bug(panic.to_string());
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
        let told = SessionEnded { run: end.run, crawl: end.crawl, state: end.state, reason: end.reason };
        let event = match is_completed {
            true => AppEvent::Completed { project, end: told },
            false => AppEvent::Stopped { project, end: told },
        };
        active.end.send_replace(Some(Arc::new(end)));
        let _ = self.shared.events.send(event);
    }

    pub(crate) async fn permit(&self) -> Option<tokio::sync::SemaphorePermit<'_>> {
        match &self.shared.slots {
            None => None,
            Some(slots) => Some(slots.acquire().await.expect("it is never closed")),
        }
    }

    /// The crawls that run or wait, in the order of projects.
    pub fn active_crawls(&self) -> Vec<CrawlHandle> {
        self.active().crawls.values().map(|active| CrawlHandle { active: Arc::clone(active) }).collect()
    }

    /// The crawl of a project that runs or waits.
    pub fn active_crawl(&self, project: i64) -> Option<CrawlHandle> {
        self.active().crawls.get(&project).map(|active| CrawlHandle { active: Arc::clone(active) })
    }

    /// Stops the crawl of a project.
    pub fn stop_crawl(&self, project: i64) -> Result<(), AppError> {
        let handle = self.active_crawl(project).ok_or_else(|| AppError::Conflict {
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
            return self.stop_crawl(run.project);
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
        let handles = self.active_crawls();
        handles.iter().for_each(CrawlHandle::stop_by_signal);
        let ends = async {
            for handle in &handles {
                handle.wait().await;
            }
        };
        if tokio::time::timeout(LAST_WAIT, ends).await.is_err() {
            tracing::warn!("a crawl did not come to its end in time; it can be resumed like one that crashed");
        }
    }

    /// A crawl is over. The next one of the project may have begun already.
    fn forget(&self, over: &Arc<Active>) {
        let crawls = &mut self.active().crawls;
        if crawls.get(&over.project.id).is_some_and(|known| Arc::ptr_eq(known, over)) {
            crawls.remove(&over.project.id);
        }
    }

    fn active(&self) -> MutexGuard<'_, ActiveCrawls> {
        self.shared.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveCrawls {
    fn admit(&mut self, active: &Arc<Active>) -> Result<(), AppError> {
        self.check_room()?;
        self.crawls.insert(active.project.id, Arc::clone(active));
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
        let waiting = self.crawls.values().filter(is_waiting).count();
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
