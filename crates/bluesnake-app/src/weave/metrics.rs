//! The metrics of a weave, written when the program ends.

use std::path::Path;

use bluesnake_store::state::PauseReason;
use bluesnake_store::{GraphFigures, RunRow};
use serde::Serialize;

use crate::error::AppError;
use crate::export::date::date;
use crate::export::{Existing, ExportError, Output};
use crate::sessions::Ended;

/// Why a weave ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// No hosts are left to visit.
    QueueEmpty,
    /// A signal or the user stopped it.
    Signal,
    /// The program exited without waiting for visits in flight.
    ForcedExit,
    /// Its budget of hosts or time is spent.
    Budget,
    /// Something failed.
    Error,
}

/// The figures of a graph, over all its sessions.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Metrics {
    /// When the graph was started.
    start_time: String,
    /// When this was written.
    end_time: String,
    /// Hosts in the graph.
    nodes_discovered: i64,
    /// Hosts with at least one page read.
    nodes_crawled: i64,
    /// Links between hosts.
    edges_recorded: i64,
    /// Pages read.
    pages_fetched: i64,
    /// Failed pages.
    pages_failed: i64,
    /// Total response time.
    total_fetch_time_ms: i64,
    /// Average response time.
    avg_fetch_time_ms: f64,
    /// Why the last session ended.
    termination_reason: Termination,
}

impl Termination {
    /// The reason for the end of a session.
    pub fn of(ended: &Ended) -> Self {
        match (ended.reason, &ended.error) {
            (_, Some(_)) => Self::Error,
            (None, None) => Self::QueueEmpty,
            (Some(PauseReason::Signal | PauseReason::User), None) => Self::Signal,
            (Some(PauseReason::Budget), None) => Self::Budget,
            (Some(PauseReason::Error | PauseReason::Breaker | PauseReason::Crashed), None) => Self::Error,
        }
    }
}

impl Metrics {
    pub(super) fn of(run: &RunRow, figures: &GraphFigures, termination_reason: Termination) -> Self {
        let answers = figures.pages_fetched + figures.pages_failed;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self {
            start_time: date(run.created_at * 1000),
            end_time: date(now.map_or(0, |since| since.as_millis() as i64)),
            nodes_discovered: figures.nodes,
            nodes_crawled: figures.crawled,
            edges_recorded: figures.edges,
            pages_fetched: figures.pages_fetched,
            pages_failed: figures.pages_failed,
            total_fetch_time_ms: figures.fetch_ms,
            avg_fetch_time_ms: if answers == 0 { 0.0 } else { figures.fetch_ms as f64 / answers as f64 },
            termination_reason,
        }
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), AppError> {
        let mut output = Output::file(path, Existing::Replace)?;
        let text = serde_json::to_string_pretty(self).expect("figures are JSON");
        std::io::Write::write_all(&mut output, format!("{text}\n").as_bytes()).map_err(ExportError::from)?;
        Ok(output.finish()?)
    }
}
