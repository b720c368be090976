//! Why nothing can be requested right now, for progress displays.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

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

/// Why a host has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The plan's rate limit per host.
    Rate,
    /// The Crawl-delay of robots.txt.
    CrawlDelay,
    /// The host responded with 429 or 503, or reports that its quota is used up.
    Throttled,
    /// The host keeps failing; it is probed after a rest.
    Down,
    /// robots.txt failed; nothing may be fetched until it succeeds.
    Robots,
    /// A failed request is about to be retried.
    Retry,
    /// Another crawl of this process keeps the host busy.
    Shared,
    /// The limit on open files allows no more connections.
    Connections,
    /// The system has no sockets left.
    Sockets,
    /// Visits waiting for their turn or for the store have reached the memory limit.
    Window,
}

impl Wait {
    /// A wait that is not for a host.
    pub(crate) fn within(reason: WaitReason, now: Instant) -> Self {
        Self { host: Arc::from(""), until: now, reason }
    }
}

impl WaitReason {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::CrawlDelay => "crawl_delay",
            Self::Throttled => "throttled",
            Self::Down => "down",
            Self::Robots => "robots",
            Self::Retry => "retry",
            Self::Shared => "shared",
            Self::Connections => "connections",
            Self::Sockets => "sockets",
            Self::Window => "window",
        }
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rate => "keeping to the rate limit of the settings",
            Self::CrawlDelay => "keeping to the Crawl-delay of robots.txt",
            Self::Throttled => "the host is rate-limiting us",
            Self::Down => "the host keeps failing",
            Self::Robots => "its robots.txt is unavailable",
            Self::Retry => "retrying failed requests",
            Self::Shared => "another crawl is using the host",
            Self::Connections => "all connections that the limit on open files allows are in use",
            Self::Sockets => "this machine has no sockets left",
            Self::Window => "the visits in memory have to be stored first (memory.window_bytes)",
        })
    }
}
