//! Handles to a running or queued session, for callers and for the app itself.

use std::sync::Arc;

use bluesnake_store::StartedSession;
use bluesnake_store::state::RunKind;
use tokio::sync::watch;

use super::progress::{Phase, Snapshot};
use super::session::{Ended, ended};
use crate::view::{Project, Run};

/// Who requested a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The user.
    User,
    /// A signal to the process, or its shutdown.
    Signal,
}

/// A running or queued session.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) project: Project,
    pub(super) kind: RunKind,
    also_paused: Vec<Run>,
    pub(super) snapshots: watch::Sender<Snapshot>,
    pub(super) stop: watch::Sender<Option<Stop>>,
    pub(super) end: watch::Sender<Option<Arc<Ended>>>,
}

impl Active {
    pub(super) fn new(project: Project, kind: RunKind, also_paused: Vec<Run>) -> Self {
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
    pub(super) fn is_accepted(&self, started: &StartedSession, phase: Phase) {
        self.snapshots.send_modify(|snapshot| {
            (snapshot.phase, snapshot.run_id, snapshot.crawl_id) = (phase, Some(started.run), Some(started.session));
        });
    }

    pub(super) fn stop(&self, who: Stop) {
        self.stop.send_if_modified(|stop| stop.is_none() && stop.replace(who).is_none());
    }
}

/// A session that was started: watch it, stop it, wait for it.
#[derive(Clone, Debug)]
pub struct SessionHandle {
    pub(super) active: Arc<Active>,
}

impl SessionHandle {
    /// The project.
    pub fn project(&self) -> &Project {
        &self.active.project
    }

    /// Its purpose.
    pub fn kind(&self) -> RunKind {
        self.active.kind
    }

    /// Other runs of the project that were not completed when this one started: of the same kind, or of any kind if
    /// none was specified. They can still be resumed.
    pub fn also_paused(&self) -> &[Run] {
        &self.active.also_paused
    }

    /// The current progress and every later one, at most four times a second.
    pub fn snapshots(&self) -> watch::Receiver<Snapshot> {
        self.active.snapshots.subscribe()
    }

    /// Stops it; in-flight requests get their grace period.
    pub fn stop(&self) {
        self.active.stop(Stop::User);
    }

    /// Stops it because the process was asked to end.
    pub fn stop_by_signal(&self) {
        self.active.stop(Stop::Signal);
    }

    /// Waits for its end.
    pub async fn wait(&self) -> Arc<Ended> {
        ended(self.active.end.subscribe()).await
    }
}
