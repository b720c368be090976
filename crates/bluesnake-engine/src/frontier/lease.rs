//! What goes in and out of the frontier: leases, what to do next, and how requests went.

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
    /// When it was given out.
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
    /// The line that disallows it, in the mode that only reports.
    pub(crate) robots_report: Option<Box<str>>,
}

impl Assignment {
    pub(crate) fn admitted(&self) -> &Admitted {
        &self.waiting.admitted
    }

    /// Whether the URL is to be asked for in full, because HEAD was asked already.
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
    /// Nothing before a moment, and why.
    WaitUntil(Wait),
    /// Nothing before a request under way has ended.
    WaitForVisits,
    /// Nothing waits and nothing is under way.
    Empty,
}

/// How a request went, as far as the host is concerned.
#[derive(Debug)]
pub(crate) enum Signal {
    /// It responded; perhaps it asks for a rest.
    Fine {
        /// How long, when its rate-limit headers say so.
        rest: Option<Duration>,
    },
    /// It failed in a way that may pass.
    Failed(Failure),
    /// HEAD was answered; GET comes next.
    NeedsGet,
    /// The server broke on this URL; it may work the next time.
    ServerError,
    /// It failed in a way that another attempt would not change.
    Hopeless,
    /// It responded with 429 or 503.
    Throttled {
        /// How long it asks us to wait.
        wait: Option<Duration>,
    },
}

/// What the answer to robots.txt means.
#[derive(Debug)]
pub(crate) enum RulesResponse {
    /// Rules, perhaps none.
    Rules(HostRobots),
    /// The server is in trouble: nothing may be fetched, ask again later.
    ServerError {
        /// Its status.
        status: u16,
        /// How long it asks us to wait.
        wait: Option<Duration>,
    },
    /// The host cannot be reached at all.
    Failed(Failure),
}

/// Something about a host that people should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostNews {
    /// It is left alone for a while.
    Resting {
        /// The host.
        host: String,
        /// For how long.
        pause: Duration,
        /// Why.
        why: String,
    },
    /// It is given up for this session.
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
    /// With all of its attempts.
    Full,
    /// Once, unless the host turns out to speak https: what does not is not waited for.
    Once,
    /// After the wait that follows a first attempt, which was made before; whatever closed the host is forgotten.
    Again,
}

/// How often a failing URL is requested, and the waits in between.
#[derive(Clone, Debug)]
pub(crate) struct RetryPolicy {
    pub(crate) attempts: u32,
    pub(crate) delays: Vec<Duration>,
    /// Whether a refused connection is worth another attempt. A site may be restarting; of many hosts some are always
    /// down.
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

    /// Whether a failure will not pass within a few seconds.
    pub(super) fn is_final(&self, kind: FailureKind, is_first_look: bool) -> bool {
        let is_refused = matches!(kind, FailureKind::Refused | FailureKind::Unreachable);
        !kind.is_transient() || (is_refused && !self.retries_refused) || (is_first_look && suggests_no_https(kind))
    }
}

/// Whether a failure looks as if the host did not speak https.
pub(crate) fn suggests_no_https(kind: FailureKind) -> bool {
    use FailureKind::*;
    matches!(kind, Reset | ClosedEarly | Malformed | ConnectTimeout | TlsFailed | TlsTimeout)
}
