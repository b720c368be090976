//! From the app to the ring: crawls of this process as they progress, crawls of others through the database.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bluesnake_app::view::ActiveSession;
use bluesnake_app::{App, AppEvent, PauseReason, RunState, SessionEnded, SessionHandle, Snapshot};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use super::{EventData, EventHub, EventKind};
use crate::metrics::Metrics;

/// How often figures are polled; the app updates them as often.
const INTERVAL: Duration = Duration::from_millis(250);
/// How often the database is polled for other processes.
const OTHERS: Duration = Duration::from_secs(1);

/// How often crashed processes are looked for.
const CRASHED: Duration = Duration::from_secs(2);

/// A crawl of this process, and the last event about it.
struct Followed {
    figures: watch::Receiver<Snapshot>,
    told: Snapshot,
}

impl Followed {
    fn new(crawl: &SessionHandle) -> Self {
        Self { figures: crawl.snapshots(), told: Snapshot::default() }
    }

    fn is(&self, crawl: &SessionHandle) -> bool {
        self.figures.same_channel(&crawl.snapshots())
    }
}

/// Publishes events about crawls of this process, including running ones, until dropped.
pub(crate) async fn follow(
    app: App,
    mut events: broadcast::Receiver<AppEvent>,
    hub: Arc<EventHub>,
    metrics: Arc<Metrics>,
) {
    let mut ticks = tokio::time::interval(INTERVAL);
    let mut followed: BTreeMap<i64, Followed> = BTreeMap::new();
    follow_all(&app, &mut followed);
    loop {
        tokio::select! {
            biased;
            event = events.recv() => match event {
                Ok(AppEvent::Started { project, run, session }) => {
                    follow_all(&app, &mut followed);
                    hub.publish(&started(project, Some(run), Some(session)));
                }
                Ok(AppEvent::Completed { project, end } | AppEvent::Stopped { project, end }) => {
                    log_error_of_ours(&app, end).await;
                    let last = followed.remove(&project).map(|mut crawl| latest(&mut crawl, &metrics));
                    hub.publish(&ended(project, end, last));
                }
                Err(RecvError::Lagged(_)) => {
                    follow_all(&app, &mut followed);
                    hub.publish(&EventData::reset());
                }
                Err(RecvError::Closed) => return,
            },
            _ = ticks.tick() => {
                for (project, crawl) in &mut followed {
                    if crawl.figures.has_changed().unwrap_or(false) {
                        let figures = latest(crawl, &metrics);
                        hub.publish(&progress(*project, figures));
                    }
                }
                hub.settled.notify_waiters();
            }
        }
    }
}

/// Errors of this machine go to the log, not over the network.
async fn log_error_of_ours(app: &App, end: SessionEnded) {
    let is_ours = end.state == RunState::Failed || end.reason == Some(PauseReason::Error);
    let Some(run) = end.run.filter(|_| is_ours) else { return };
    let detail = app.run(run).await.ok().and_then(|run| run.detail);
    tracing::error!(run, detail, "a crawl failed with an internal error");
}

/// Follows every active or queued crawl; one that is already followed keeps its state.
fn follow_all(app: &App, followed: &mut BTreeMap<i64, Followed>) {
    for crawl in app.active_sessions() {
        let project = crawl.project().id;
        if !followed.get(&project).is_some_and(|known| known.is(&crawl)) {
            followed.insert(project, Followed::new(&crawl));
        }
    }
}

/// The newest figures; pages among them are counted once.
fn latest(crawl: &mut Followed, metrics: &Metrics) -> Snapshot {
    let figures = crawl.figures.borrow_and_update().clone();
    metrics.pages.fetch_add(figures.pages.saturating_sub(crawl.told.pages), Ordering::Relaxed);
    crawl.told = figures.clone();
    figures
}

fn started(project: i64, run_id: Option<i64>, crawl_id: Option<i64>) -> EventData {
    EventData { run_id, crawl_id, ..EventData::new(EventKind::Started, project) }
}

fn progress(project: i64, figures: Snapshot) -> EventData {
    let (run_id, crawl_id) = (figures.run_id, figures.crawl_id);
    EventData { run_id, crawl_id, progress: Some(figures), ..EventData::new(EventKind::Progress, project) }
}

fn ended(project: i64, end: SessionEnded, last: Option<Snapshot>) -> EventData {
    let reason = end.reason.map(|reason| reason.as_str().to_owned());
    EventData {
        run_id: end.run,
        crawl_id: end.session,
        run_state: Some(end.state.as_str().to_owned()),
        reason,
        progress: last,
        ..EventData::new(kind_of(end.state, end.reason), project)
    }
}

fn kind_of(state: RunState, reason: Option<PauseReason>) -> EventKind {
    match (state, reason) {
        (RunState::Completed, _) => EventKind::Completed,
        (RunState::Paused, Some(PauseReason::Budget)) => EventKind::Paused,
        _ => EventKind::Stopped,
    }
}

/// Marks runs of dead processes as paused, so that GET requests can show that without writing.
pub(crate) async fn take_in_crashed(app: App) {
    let mut ticks = tokio::time::interval(CRASHED);
    loop {
        ticks.tick().await;
        // A database that cannot be written is reported to requests that write.
        let _ = app.take_in_crashed().await;
    }
}

/// Publishes events about crawls of other processes while there are subscribers.
pub(crate) async fn follow_others(app: App, hub: Arc<EventHub>) {
    let mut ticks = tokio::time::interval(OTHERS);
    // None without subscribers: a crawl seen at the first poll has not just started.
    let mut known: Option<BTreeMap<i64, ActiveSession>> = None;
    loop {
        ticks.tick().await;
        if hub.newest.receiver_count() == 0 {
            known = None;
            continue;
        }
        // A database that cannot be read is reported to requests; here there are just no events.
        let Ok(active) = app.active_elsewhere().await else { continue };
        let now: BTreeMap<i64, ActiveSession> = active.into_iter().map(|crawl| (crawl.project_id, crawl)).collect();
        let Some(before) = known.replace(now.clone()) else { continue };
        for (project, crawl) in &now {
            match before.get(project) {
                None => hub.publish(&started(*project, crawl.progress.run_id, crawl.progress.crawl_id)),
                Some(last) if last == crawl => {}
                Some(_) => hub.publish(&progress(*project, crawl.progress.clone())),
            }
        }
        for (project, crawl) in &before {
            // A crawl that we took over ourselves publishes its own events.
            if !now.contains_key(project) && app.active_session(*project).is_none() {
                hub.publish(&ended_elsewhere(&app, *project, crawl).await);
            }
        }
    }
}

async fn ended_elsewhere(app: &App, project: i64, last: &ActiveSession) -> EventData {
    // It may have died with its process without a final state; if that cannot be written, its old state is reported.
    let _ = app.take_in_crashed().await;
    let run = match last.progress.run_id {
        Some(run) => app.run(run).await.ok(),
        None => None,
    };
    let (state, reason) = match &run {
        Some(run) => (run.state, run.reason.as_deref().and_then(PauseReason::from_word)),
        None => (RunState::Failed, None),
    };
    let end = SessionEnded { run: last.progress.run_id, session: last.progress.crawl_id, state, reason };
    ended(project, end, None)
}
