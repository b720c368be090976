//! A session as a task: it waits for a slot, runs, and reports its end, even if it panics.

use std::sync::{Arc, PoisonError};

use bluesnake_engine::CrawlError;
use bluesnake_store::state::{PauseReason, RunState};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::progress::Phase;
use super::session::{Ended, Session};
use crate::app::App;
use crate::error::AppError;

/// An event with ids only; listeners query for more.
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
        /// The resulting state of its run.
        end: SessionEnded,
    },
    /// `crawl:stopped`: it ended before that.
    Stopped {
        /// The project.
        project: i64,
        /// The resulting state of its run.
        end: SessionEnded,
    },
}

/// The end of a session, as ids and states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEnded {
    /// The run; `None` if it never began.
    pub run: Option<i64>,
    /// The session; `None` if it never began.
    pub session: Option<i64>,
    /// The state of the run.
    pub state: RunState,
    /// Why it is paused.
    pub reason: Option<PauseReason>,
}

/// Runs a session as its own task: the caller may go away while the run is being stored.
pub(super) fn spawn(app: &App, session: Session, accept: oneshot::Sender<Result<(), AppError>>) {
    let mut tasks = app.running().tasks.lock().unwrap_or_else(PoisonError::into_inner);
    // Drop tasks that have ended.
    while tasks.try_join_next().is_some() {}
    tasks.spawn(drive(app.clone(), session, accept));
}

/// Stores the run, which is then accepted; waits for a slot; runs the session.
async fn drive(app: App, mut session: Session, accept: oneshot::Sender<Result<(), AppError>>) {
    let (active, sessions) = (Arc::clone(&session.active), app.running());
    let project = active.project.id;
    let started = match session.begin().await {
        Ok(started) => started,
        Err(error) => {
            sessions.forget(&active);
            active.end.send_replace(Some(Arc::new(Ended::NEVER_BEGAN)));
            let _ = accept.send(Err(error));
            return;
        }
    };
    let free = sessions.places.try_acquire().ok();
    active.is_accepted(&started, if free.is_some() { Phase::Starting } else { Phase::Queued });
    let _ = accept.send(Ok(()));
    let mut stop = active.stop.subscribe();
    let place = match free {
        Some(place) => Some(place),
        None => tokio::select! {
            biased;
            _ = stop.wait_for(Option::is_some) => None,
            place = sessions.place() => Some(place),
        },
    };
    let end = match &place {
        None => session.end_in_the_queue(started).await,
        Some(_) => {
            let begun = AppEvent::Started { project, run: started.run, session: started.session };
            let _ = sessions.events.send(begun);
            let mut task = JoinSet::new();
            task.spawn(session.run(started));
            match task.join_next().await.expect("there is one task") {
                Ok(end) => end,
                // The runtime is shutting down, and this task with it.
                Err(end) if end.is_cancelled() => std::future::pending().await,
                Err(panic) => {
                    let bug = CrawlError::Bug(panic.to_string());
                    // The claim was dropped with the task, so the run can be marked as crashed.
                    let _ = app.catalog().reconcile().await;
                    Ended::before_it_began(bug.into())
                }
            }
        }
    };
    drop(place);
    sessions.forget(&active);
    let is_completed = end.finished.as_ref().is_some_and(|finished| !finished.was_stopped()) && end.error.is_none();
    let told = SessionEnded { run: end.run, session: end.session, state: end.state, reason: end.reason };
    let event = match is_completed {
        true => AppEvent::Completed { project, end: told },
        false => AppEvent::Stopped { project, end: told },
    };
    active.end.send_replace(Some(Arc::new(end)));
    let _ = sessions.events.send(event);
}
