//! Why nothing may be requested right now, for people who watch.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// What the crawl waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The host that the next request goes to; empty when it is not about a host.
    pub host: Arc<str>,
    /// When that request may be made.
    pub until: Instant,
    /// Why not before.
    pub reason: WaitReason,
}

/// Why a host has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The plan's own rate for a host.
    Rate,
    /// The Crawl-delay of robots.txt.
    CrawlDelay,
    /// The host answered 429 or 503, or says that its quota is used up.
    Throttled,
    /// The host keeps failing; it is probed after a rest.
    Down,
    /// robots.txt failed; until it is answered nothing may be fetched.
    Robots,
    /// A failed request is tried again.
    Retry,
    /// Another crawl of this process keeps the host busy.
    Shared,
    /// Every connection that the limit on open files allows is in use.
    Connections,
    /// The system has no socket left.
    Sockets,
    /// Visits that wait for their turn or for the store hold as much memory as they may.
    Window,
}

impl Wait {
    /// A wait that is not for a host.
    pub(crate) fn within(reason: WaitReason, now: Instant) -> Self {
        Self { host: Arc::from(""), until: now, reason }
    }
}

impl WaitReason {
    /// The word for it in JSON.
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
