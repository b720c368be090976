//! Faults of a whole site, whatever the request.
//!
//! All but an outage spare `/robots.txt`: a host whose robots.txt fails is not crawled, which has its own tests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::fault::Fault;
use crate::random::Dice;
use crate::reply::Reply;

/// A fault of the whole site.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// `429 Too Many Requests` with `Retry-After`, then normal service.
    TooManyRequests {
        /// How long the storm lasts.
        until: Until,
        /// The value of `Retry-After`, in seconds.
        retry_after_s: u64,
    },
    /// A server error, then normal service.
    Failing {
        /// The status, such as 503.
        status: u16,
        /// How long the storm lasts.
        until: Until,
    },
    /// A server error for every request in a range, `/robots.txt` included.
    Outage {
        /// The status, such as 500.
        status: u16,
        /// The requests that fail, counted from 0.
        requests: std::ops::Range<u64>,
    },
    /// Resets a share of the requests; the seed and the request's number decide which.
    RandomResets {
        /// Percentage of requests.
        percent: f64,
        /// The seed of the choice.
        seed: u64,
    },
    /// Responds to this many requests, then hangs.
    HangAfter(u64),
    /// Accepts connections and never responds, not even to `/robots.txt`.
    SilentAfterAccept,
    /// HTTP/2: sends GOAWAY on each connection after this many requests.
    GoAwayAfter(u64),
}

/// When a storm ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// After this many requests.
    Requests(u64),
    /// This long after the first request.
    Elapsed(Duration),
}

/// What a mode does to one request.
pub(crate) enum Effect {
    Reply(Box<Reply>),
    Fault(Fault),
}

/// The state of a mode while the site runs.
#[derive(Debug)]
pub(crate) struct Weather {
    mode: Mode,
    asked: AtomicU64,
    first: std::sync::OnceLock<Instant>,
}

impl Weather {
    pub(crate) fn new(mode: Mode) -> Self {
        Self { mode, asked: AtomicU64::new(0), first: std::sync::OnceLock::new() }
    }

    pub(crate) fn mode(&self) -> &Mode {
        &self.mode
    }

    /// Counts the request and returns its effect, if any.
    pub(crate) fn strike(&self, target: &str) -> Option<Effect> {
        let spares_robots = !matches!(self.mode, Mode::Outage { .. });
        if spares_robots && target == "/robots.txt" {
            return None;
        }
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        match &self.mode {
            Mode::Outage { status, requests } => requests
                .contains(&number)
                .then(|| Effect::Reply(Box::new(Reply::status(*status).body("something is wrong")))),
            Mode::TooManyRequests { until, retry_after_s } => self.is_within(*until, number).then(|| {
                let reply = Reply::status(429).header("Retry-After", &retry_after_s.to_string());
                Effect::Reply(Box::new(reply.body("too many requests")))
            }),
            Mode::Failing { status, until } => self
                .is_within(*until, number)
                .then(|| Effect::Reply(Box::new(Reply::status(*status).body("something is wrong")))),
            Mode::RandomResets { percent, seed } => {
                Dice::of(*seed, number).percent(*percent).then_some(Effect::Fault(Fault::ResetBeforeHeaders))
            }
            Mode::HangAfter(answered) => (number >= *answered).then_some(Effect::Fault(Fault::HangBeforeHeaders)),
            Mode::SilentAfterAccept | Mode::GoAwayAfter(_) => None,
        }
    }

    fn is_within(&self, until: Until, number: u64) -> bool {
        match until {
            Until::Requests(count) => number < count,
            Until::Elapsed(time) => self.first.get_or_init(Instant::now).elapsed() < time,
        }
    }
}
