//! What a crawl reports while it runs: events in commit order, and progress at any moment.

use std::sync::Arc;
use std::time::Duration;

use crate::admit::UrlRow;
use crate::frontier::{HostNews, Wait};
use crate::receipt::Receipt;
use crate::visit::Committed;

/// An event. A slow listener misses events; it never slows the crawl.
#[derive(Clone, Debug)]
pub enum Event {
    /// A URL was mentioned for the first time, or admitted after all.
    Discovered(Arc<UrlRow>),
    /// A visit was committed.
    Visited(Arc<Committed>),
    /// A host rests or we gave up on it.
    Host(HostNews),
    /// The crawl has ended; nothing comes after this.
    Finished(Arc<Finished>),
}

/// The progress of a crawl at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// URLs ever seen.
    pub seen: u64,
    /// URLs whose turn has not come, or that are in flight.
    pub pending: u64,
    /// Requests in flight.
    pub in_flight: usize,
    /// Visits committed in this session, without robots.txt and sitemaps.
    pub visits: u64,
    /// HTML pages among them.
    pub pages: u64,
    /// Pages among them that are empty without JavaScript and were not rendered, because rendering is off.
    pub shells: u64,
    /// Visits that failed.
    pub failed: u64,
    /// Bytes of bodies on the wire.
    pub bytes: u64,
    /// URLs dropped for lack of capacity: always 0.
    pub dropped: u64,
    /// Why no further request is made although workers are idle.
    pub waiting: Option<Wait>,
}

/// Why a crawl ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Every URL has had its turn.
    Exhausted,
    /// The session's budget is spent; URLs are pending.
    BudgetSpent,
    /// The session's time limit is reached; URLs are pending.
    TimeSpent,
    /// The run's byte budget is spent; URLs are pending.
    BytesSpent,
    /// The caller stopped it.
    Stopped,
    /// We gave up on a host that the crawl depends on; URLs are pending.
    HostGivenUp {
        /// The host.
        host: String,
        /// Why.
        why: String,
    },
    /// It could not continue without a working store; URLs may be pending.
    BrokenOff(String),
}

impl EndReason {
    /// Its name in columns, JSON and text.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::BudgetSpent => "budget_reached",
            Self::TimeSpent => "time_reached",
            Self::BytesSpent => "bytes_reached",
            Self::Stopped => "stopped",
            Self::HostGivenUp { .. } => "breaker",
            Self::BrokenOff(_) => "error",
        }
    }
}

/// How a crawl ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Why.
    pub reason: EndReason,
    /// Where every URL ended up; empty if the session was stopped before it had loaded the stored state.
    pub receipt: Receipt,
    /// The last figures.
    pub progress: Progress,
    /// How long the session took.
    pub elapsed: Duration,
}

impl Finished {
    /// Whether nothing is pending: the run is complete.
    pub fn is_complete(&self) -> bool {
        self.progress.pending == 0 && self.reason == EndReason::Exhausted
    }

    /// Whether the caller stopped the crawl before its end.
    pub fn was_stopped(&self) -> bool {
        self.reason == EndReason::Stopped
    }
}
