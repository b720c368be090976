//! One session of a run, from its place in the queue to its final state, whatever way it ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bluesnake_engine::plan::{BudgetCounts, CaptureSettings};
use bluesnake_engine::render::Renderer;
use bluesnake_engine::weave::Weaver;
use bluesnake_engine::{CrawlError, CrawlPlan, Crawler, EndReason, Finished, Job, Running, WeavePlan};
use bluesnake_render::Chromium;
use bluesnake_store::state::{PauseReason, RunKind, RunState, SessionState};
use bluesnake_store::{Claim, Database, RunRow, SessionEnd, StartedSession};
use tokio::sync::watch;

use super::handle::{Active, Stop};
use super::progress::{INTERVAL, Meter, Notes, Phase, Snapshot};
use crate::audit;
use crate::capture;
use crate::error::AppError;
use crate::frozen;
use crate::start::Hooks;
use crate::view::{host_visit, url_visit};

/// How often the owner of a project sends a heartbeat.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// How a session ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The run; `None` if it was stopped before it began.
    pub run: Option<i64>,
    /// The session.
    pub session: Option<i64>,
    /// The state of the run.
    pub state: RunState,
    /// Why it is paused.
    pub reason: Option<PauseReason>,
    /// The engine's final report; `None` if it failed.
    pub finished: Option<Arc<Finished>>,
    /// The internal error, if any.
    pub error: Option<Arc<AppError>>,
}

/// What a session needs.
pub(super) struct Session {
    pub(super) database: Database,
    pub(super) claim: Claim,
    pub(super) plan: Job,
    pub(super) browser: Option<Arc<Chromium>>,
    pub(super) seeds: String,
    pub(super) kind: RunKind,
    pub(super) refresh: bool,
    pub(super) retry_failed: bool,
    pub(super) resumes: Option<RunRow>,
    pub(super) is_incremental: bool,
    pub(super) hooks: Hooks,
    pub(super) active: Arc<Active>,
}

impl Session {
    /// Runs the session to its end; whatever happens, the run's state records it.
    pub(super) async fn run(mut self, mut started: StartedSession) -> Ended {
        let (run, session) = (started.run, started.session);
        started.store.start_clock();
        self.active.snapshots.send_modify(|snapshot| snapshot.phase = Phase::Starting);
        let (host, kind) = (self.active.project.host.as_str(), self.kind.as_str());
        tracing::info!(host, kind, run, session, resumed = self.resumes.is_some(), "session started");
        let result = self.crawl(started).await;
        let end = self.end(run, session, result).await;
        self.log_end(&end);
        self.active.snapshots.send_modify(|snapshot| snapshot.phase = Phase::Ended);
        end
    }

    /// Ends a session that was still queued. A new run stopped by then has nothing to resume and is deleted.
    pub(super) async fn end_in_the_queue(self, started: StartedSession) -> Ended {
        let StartedSession { run, session, .. } = started;
        let reason = stopped_by(*self.active.stop.borrow());
        let is_withdrawn = reason == PauseReason::User && self.resumes.is_none();
        let stored = match is_withdrawn {
            true => self.database.catalog().withdraw(&self.claim, run).await,
            false => {
                let end = SessionEnd {
                    session: SessionState::Stopped,
                    session_reason: EndReason::Stopped.as_str().to_owned(),
                    run: RunState::Paused,
                    run_reason: Some(reason),
                    detail: None,
                };
                self.database.catalog().end_session(&self.claim, session, end).await
            }
        };
        Ended {
            run: (!is_withdrawn).then_some(run),
            session: (!is_withdrawn).then_some(session),
            state: RunState::Paused,
            reason: Some(reason),
            finished: None,
            error: stored.err().map(|error| Arc::new(error.into())),
        }
    }

    fn log_end(&self, end: &Ended) {
        let host = self.active.project.host.as_str();
        let (run, session, state) = (end.run, end.session, end.state.as_str());
        let reason = end.reason.map(PauseReason::as_str);
        let figures = end.finished.as_ref().map(|finished| finished.progress.clone()).unwrap_or_default();
        let (visits, pages, failed, pending) = (figures.visits, figures.pages, figures.failed, figures.pending);
        tracing::info!(host, run, session, state, reason, visits, pages, failed, pending, "session ended");
    }

    /// Stores that the run is accepted; from then on its session is live in the database.
    pub(super) async fn begin(&mut self) -> Result<StartedSession, AppError> {
        let plan = frozen::to_text(&self.plan);
        let started = match &self.resumes {
            None => {
                let seeds = self.seeds.clone();
                self.database.catalog().start_run(&self.claim, self.kind, seeds, plan, self.is_incremental).await?
            }
            Some(run) => {
                // A different budget applies to what is left, and so to a new session.
                let may_go_on = frozen::session_budget(&run.plan) == self.plan.limits().session_budget;
                self.database.catalog().resume_run(&self.claim, run.id, self.seeds.clone(), plan, may_go_on).await?
            }
        };
        Ok(started)
    }

    async fn crawl(&mut self, started: StartedSession) -> Result<Finished, AppError> {
        if let Some(finished) = self.rest_of_budget(&started).await? {
            return Ok(finished);
        }
        let run = started.run;
        let notes = Arc::new(Notes::default());
        let running = match self.plan.clone() {
            Job::Weave(plan) => self.weaver(plan, started, &notes).await?.start()?,
            plan @ (Job::Audit(_) | Job::Capture(_)) => self.crawler(plan, started, &notes).start()?,
        };
        let finished = self.watch(running, &notes).await;
        if let Some(browser) = self.browser.take() {
            browser.close().await;
        }
        let mut finished = finished?;
        if finished.receipt.seen() == 0 && self.kind != RunKind::Weave {
            finished.receipt = self.database.contents().receipt(run).await?;
            finished.progress.seen = finished.receipt.seen();
            finished.progress.pending = finished.receipt.count(bluesnake_engine::Disposition::Pending);
        }
        if finished.is_complete() {
            self.active.snapshots.send_modify(|snapshot| snapshot.phase = Phase::Finishing);
            match self.plan.clone() {
                Job::Audit(plan) => audit::seal(&self.database, run, plan.audit).await?,
                Job::Capture(_) => {
                    self.database.contents().seal(run).await?;
                    capture::settle(&self.database, run).await?;
                }
                Job::Weave(_) => {}
            }
        }
        Ok(finished)
    }

    /// A crashed session continues with the rest of its budget. If nothing is left, it is over. A weave counts by
    /// itself, because mentioned hosts must still be numbered then.
    async fn rest_of_budget(&mut self, started: &StartedSession) -> Result<Option<Finished>, AppError> {
        let budget = self.plan.limits().session_budget;
        if budget == 0 || !started.goes_on || self.kind == RunKind::Weave {
            return Ok(None);
        }
        let counts_pages_only = CrawlPlan::from(self.plan.clone()).scope.budget_counts == BudgetCounts::Pages;
        let spent = self.database.catalog().spent(started.session, counts_pages_only).await?;
        if spent < budget {
            self.plan.limits_mut().session_budget = budget - spent;
            return Ok(None);
        }
        let receipt = self.database.contents().receipt(started.run).await?;
        let pending = receipt.count(bluesnake_engine::Disposition::Pending);
        if pending == 0 {
            return Ok(None);
        }
        let progress = bluesnake_engine::Progress { seen: receipt.seen(), pending, ..Default::default() };
        Ok(Some(Finished { reason: EndReason::BudgetSpent, receipt, progress, elapsed: Duration::ZERO }))
    }

    fn crawler(&self, plan: Job, started: StartedSession, notes: &Arc<Notes>) -> Crawler {
        let (asked, answered) = (Arc::clone(notes), Arc::clone(notes));
        let (visited, heard) = (Arc::clone(notes), Arc::clone(notes));
        let crawler = Crawler::new(plan)
            .store(Arc::new(started.store))
            .on_request(move |url, _| asked.asked(url))
            .on_response(move |url, _| answered.had(url))
            .on_host(move |news| heard.host(news))
            .on_done(move |url| visited.had(url));
        let crawler = match self.renderer() {
            Some(renderer) => crawler.renderer(renderer),
            None => crawler,
        };
        let crawler = match self.hooks.visit.clone() {
            None => crawler,
            Some(call) => {
                let other = Arc::clone(&call);
                crawler
                    .on_page(move |page| call(url_visit(page)))
                    .on_resource(move |resource| other(url_visit(resource)))
            }
        };
        match &self.plan {
            Job::Capture(plan) => self.reading(crawler, &plan.capture),
            Job::Audit(_) | Job::Weave(_) => crawler,
        }
    }

    fn renderer(&self) -> Option<Arc<dyn Renderer>> {
        self.browser.clone().map(|browser| browser as Arc<dyn Renderer>)
    }

    async fn weaver(&self, plan: WeavePlan, started: StartedSession, notes: &Arc<Notes>) -> Result<Weaver, AppError> {
        let (asked, answered, heard) = (Arc::clone(notes), Arc::clone(notes), Arc::clone(notes));
        let goes_on = started.goes_on && plan.limits.session_budget > 0;
        let visited = if goes_on { self.database.catalog().hosts_visited(started.session).await? } else { 0 };
        let weaver = Weaver::new(plan, Arc::new(started.store))
            .visited_before(visited)
            .on_request(move |url, _| asked.asked(url))
            .on_response(move |url, _| answered.had(url))
            .on_host(move |news| heard.host(news));
        let weaver = match self.renderer() {
            Some(renderer) => weaver.renderer(renderer),
            None => weaver,
        };
        let weaver = if self.retry_failed { weaver.retry_failed() } else { weaver };
        Ok(match self.hooks.visit.clone() {
            None => weaver,
            Some(call) => weaver.on_visit(move |host| call(host_visit(host))),
        })
    }

    /// A capture extracts documents, and revalidates known ones instead of fetching them again.
    fn reading(&self, crawler: Crawler, settings: &CaptureSettings) -> Crawler {
        let crawler = crawler.read_documents(capture::reader(settings));
        if self.refresh {
            return crawler;
        }
        let database = self.database.clone();
        crawler.earlier_responses(move |url| capture::earlier(&database, url))
    }

    /// Publishes progress and heartbeats until the crawl ends.
    async fn watch(&self, running: Running, notes: &Notes) -> Result<Finished, CrawlError> {
        let (progress, stopper) = (running.progress(), running.stopper());
        let mut meter = Meter::new(Instant::now());
        let mut ticks = tokio::time::interval(INTERVAL);
        let mut beats = tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
        let mut stop = self.active.stop.subscribe();
        // A stop may have been requested before we listened.
        if stop.borrow().is_some() {
            stop.mark_changed();
        }
        let mut phase = Phase::Starting;
        let mut end = std::pin::pin!(running.wait());
        loop {
            tokio::select! {
                finished = &mut end => {
                    self.tell(meter.snapshot(phase, progress.borrow().clone(), notes, Instant::now()));
                    return finished;
                }
                _ = ticks.tick() => {
                    let figures = progress.borrow().clone();
                    if phase == Phase::Starting && figures.seen > 0 {
                        phase = Phase::Crawling;
                    }
                    self.tell(meter.snapshot(phase, figures, notes, Instant::now()));
                }
                _ = beats.tick() => {
                    // A heartbeat is only informational; a database that cannot be written stops the crawl by itself.
                    let _ = self.database.catalog().heartbeat(&self.claim).await;
                }
                Ok(()) = stop.changed(), if phase != Phase::Stopping => {
                    phase = Phase::Stopping;
                    stopper.stop();
                }
            }
        }
    }

    fn tell(&self, snapshot: Snapshot) {
        self.active.snapshots.send_modify(|told| {
            *told = Snapshot { run_id: told.run_id, crawl_id: told.crawl_id, ..snapshot };
        });
    }

    async fn end(&self, run: i64, session: i64, result: Result<Finished, AppError>) -> Ended {
        let stop = *self.active.stop.borrow();
        let end = match &result {
            Ok(finished) => end_of(finished, stop),
            Err(error) => end_by(error),
        };
        let (state, reason) = (end.run, end.run_reason);
        let stored = self.database.catalog().end_session(&self.claim, session, end).await;
        let (finished, error) = match (result, stored) {
            (Ok(finished), Ok(())) => (Some(Arc::new(finished)), None),
            (Ok(finished), Err(error)) => (Some(Arc::new(finished)), Some(Arc::new(error.into()))),
            (Err(error), _) => (None, Some(Arc::new(error))),
        };
        Ended { run: Some(run), session: Some(session), state, reason, finished, error }
    }
}

impl Ended {
    /// A refused session; the caller has the reason.
    pub(super) const NEVER_BEGAN: Self =
        Self { run: None, session: None, state: RunState::Failed, reason: None, finished: None, error: None };

    /// A session that never had a run.
    pub(super) fn before_it_began(error: AppError) -> Self {
        Self { error: Some(Arc::new(error)), ..Self::NEVER_BEGAN }
    }
}

fn stopped_by(stop: Option<Stop>) -> PauseReason {
    if stop == Some(Stop::Signal) { PauseReason::Signal } else { PauseReason::User }
}

/// The states that follow from the end of a crawl.
fn end_of(finished: &Finished, stop: Option<Stop>) -> SessionEnd {
    let is_done = finished.progress.pending == 0;
    let (session, pause, detail) = match &finished.reason {
        EndReason::Exhausted => (SessionState::Completed, None, None),
        EndReason::BudgetSpent | EndReason::TimeSpent => (SessionState::Completed, Some(PauseReason::Budget), None),
        EndReason::BytesSpent => {
            let detail = "byte limit reached; raise scope.max_bytes and resume".to_owned();
            (SessionState::Completed, Some(PauseReason::Budget), Some(detail))
        }
        EndReason::Stopped => (SessionState::Stopped, Some(stopped_by(stop)), None),
        EndReason::HostGivenUp { host, why } => {
            (SessionState::Stopped, Some(PauseReason::Breaker), Some(format!("gave up on {host}: {why}")))
        }
        EndReason::BrokenOff(why) => (SessionState::Failed, Some(PauseReason::Error), Some(why.clone())),
    };
    // Only a crawl that ended by itself knows that nothing is left: links may still be deferred.
    let is_completed = is_done && finished.reason == EndReason::Exhausted;
    SessionEnd {
        session,
        session_reason: finished.reason.as_str().to_owned(),
        run: if is_completed { RunState::Completed } else { RunState::Paused },
        run_reason: pause.filter(|_| !is_completed),
        detail,
    }
}

/// The states that follow from an internal error: a bug fails the run, anything else pauses it.
fn end_by(error: &AppError) -> SessionEnd {
    let is_bug = matches!(error, AppError::Crawl(CrawlError::Bug(_)));
    SessionEnd {
        session: SessionState::Failed,
        session_reason: "error".to_owned(),
        run: if is_bug { RunState::Failed } else { RunState::Paused },
        run_reason: Some(PauseReason::Error).filter(|_| !is_bug),
        detail: Some(error.story()),
    }
}

/// Waits until the session is over.
pub(super) async fn ended(mut end: watch::Receiver<Option<Arc<Ended>>>) -> Arc<Ended> {
    match end.wait_for(Option::is_some).await {
        Ok(value) => value.clone().expect("it was just looked at"),
        Err(_) => {
            let bug = CrawlError::Bug("the session ended without saying how".to_owned());
            Arc::new(Ended::before_it_began(AppError::Crawl(bug)))
        }
    }
}
