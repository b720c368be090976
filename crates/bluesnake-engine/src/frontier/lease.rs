//! The frontier's inputs and outputs: leases, what to do next, and how requests went.

use std::time::{Duration, Instant};

use super::host::{HostRobots, Waiting};
use super::wait::Wait;
use crate::fetch::{Failure, FailureKind};
use crate::ledger::Admitted;
use crate::plan::FetchSettings;
use crate::url::CanonicalUrl;
use crate::visit::Visit;

/// The right to make one request. It is returned to the frontier exactly once.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(super) host: HostId,
    /// When it was issued.
    pub(super) began: Instant,
    pub(crate) purpose: Purpose,
}

/// What a lease is for.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// The host's robots.txt, for its rules.
    Rules(CanonicalUrl),
    /// A URL whose turn has come.
    Visit(Assignment),
}

/// A URL whose turn has come.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(super) waiting: Waiting,
    /// The line that disallows it, in report-only mode.
    pub(crate) robots_report: Option<Box<str>>,
}

impl Assignment {
    pub(crate) fn admitted(&self) -> &Admitted {
        &self.waiting.admitted
    }

    /// Whether to send GET because HEAD has been sent already.
    pub(crate) fn needs_get(&self) -> bool {
        self.waiting.needs_get
    }

    /// Which attempt this is, from 1.
    pub(crate) fn attempt(&self) -> u32 {
        self.waiting.attempts + 1
    }
}

/// What to do now.
#[derive(Debug)]
pub(crate) enum Next {
    /// Make this request.
    Lease(Lease),
    /// No request is needed: commit this visit.
    Visit(Box<Visit>),
    /// Nothing until a given time, and why.
    WaitUntil(Wait),
    /// Nothing until an in-flight request ends.
    WaitForVisits,
    /// Nothing waits and nothing is in flight.
    Empty,
}

/// How a request went, from the host's point of view.
#[derive(Debug)]
pub(crate) enum Signal {
    /// It responded, perhaps asking for a rest.
    Fine {
        /// How long, by its rate-limit headers.
        rest: Option<Duration>,
    },
    /// A temporary failure.
    Failed(Failure),
    /// HEAD succeeded; GET comes next.
    NeedsGet,
    /// A server error for this URL; a retry may succeed.
    ServerError,
    /// A permanent failure.
    Hopeless,
    /// It responded with 429 or 503.
    Throttled {
        /// Its Retry-After.
        wait: Option<Duration>,
    },
}

/// The result of fetching robots.txt.
#[derive(Debug)]
pub(crate) enum RulesResponse {
    /// Rules, possibly empty.
    Rules(HostRobots),
    /// A server error: nothing may be fetched; retry later.
    ServerError {
        /// The HTTP status.
        status: u16,
        /// Its Retry-After.
        wait: Option<Duration>,
    },
    /// The host cannot be reached.
    Failed(Failure),
}

/// An event about a host, for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostNews {
    /// It rests for a while.
    Resting {
        /// The host.
        host: String,
        /// For how long.
        pause: Duration,
        /// Why.
        why: String,
    },
    /// We gave up on it for this session.
    GivenUp {
        /// The host.
        host: String,
        /// Why.
        why: String,
        /// Whether it is a seed's host, so that the run pauses.
        pauses_run: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HostId(pub(super) usize);

/// How the first request for a URL is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// With all attempts.
    Full,
    /// Once, unless the host turns out to support https; other hosts are not waited for.
    Once,
    /// After the wait that follows a first attempt made earlier; forgets why the host was closed.
    Again,
}

/// How often to retry a failing URL, and the waits in between.
#[derive(Clone, Debug)]
pub(crate) struct RetryPolicy {
    pub(crate) attempts: u32,
    pub(crate) delays: Vec<Duration>,
    /// Whether to retry refused connections. A single site may be restarting; among many hosts some are always down.
    pub(crate) retries_refused: bool,
}

impl RetryPolicy {
    /// The attempts that the settings allow.
    pub(crate) fn of(settings: &FetchSettings) -> Self {
        let delays = settings.retry_delays_ms.iter().map(|ms| Duration::from_millis(*ms)).collect();
        Self { attempts: settings.attempts, delays, retries_refused: true }
    }

    /// The wait after the n-th attempt.
    pub(crate) fn delay(&self, attempts: u32) -> Duration {
        let at = (attempts.max(1) as usize - 1).min(self.delays.len() - 1);
        self.delays[at]
    }

    /// Whether a failure will persist beyond a few seconds.
    pub(super) fn is_final(&self, kind: FailureKind, is_first_look: bool) -> bool {
        let is_refused = matches!(kind, FailureKind::Refused | FailureKind::Unreachable);
        !kind.is_transient() || (is_refused && !self.retries_refused) || (is_first_look && suggests_no_https(kind))
    }
}

/// Whether a failure suggests that the host does not support https.
pub(crate) fn suggests_no_https(kind: FailureKind) -> bool {
    use FailureKind::*;
    matches!(kind, Reset | ClosedEarly | Malformed | ConnectTimeout | TlsFailed | TlsTimeout)
}
