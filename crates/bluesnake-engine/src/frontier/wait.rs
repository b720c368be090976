//! Why nothing can be requested right now, for progress displays.

use std::sync::Arc;
use std::time::Instant;

use crate::words::words;

/// What the crawl is waiting for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The host of the next request; empty if the wait is not about a host.
    pub host: Arc<str>,
    /// When that request may be made.
    pub until: Instant,
    /// Why not before.
    pub reason: WaitReason,
}

words! {
    /// Why a host has to wait.
    WaitReason {
        /// The plan's rate limit per host.
        Rate = "rate": "keeping to the rate limit of the settings",
        /// The Crawl-delay of robots.txt.
        CrawlDelay = "crawl_delay": "keeping to the Crawl-delay of robots.txt",
        /// The host responded with 429 or 503, or reports that its quota is used up.
        Throttled = "throttled": "the host is rate-limiting us",
        /// The host keeps failing; it is probed after a rest.
        Down = "down": "the host keeps failing",
        /// robots.txt failed; nothing may be fetched until it succeeds.
        Robots = "robots": "its robots.txt is unavailable",
        /// A failed request is about to be retried.
        Retry = "retry": "retrying failed requests",
        /// Another crawl of this process keeps the host busy.
        Shared = "shared": "another crawl is using the host",
        /// The limit on open files allows no more connections.
        Connections = "connections": "all connections that the limit on open files allows are in use",
        /// The system has no sockets left.
        Sockets = "sockets": "this machine has no sockets left",
        /// Visits waiting for their turn or for the store have reached the memory limit.
        Window = "window": "the visits in memory have to be stored first (memory.window_bytes)",
    }
}

impl Wait {
    /// A wait that is not for a host.
    pub(crate) fn within(reason: WaitReason, now: Instant) -> Self {
        Self { host: Arc::from(""), until: now, reason }
    }
}
