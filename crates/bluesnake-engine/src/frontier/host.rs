//! One host in the frontier: its robots.txt and the URLs waiting for it.
//!
//! Pure: time comes in as an argument. The queue is in turn order; retries return to their place in it after a wait.
//! How the host has behaved is in [`Health`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::admit::Refusal;
use crate::admit::robots::Robots;
use crate::fetch::Failure;
use crate::ledger::Admitted;
use crate::receipt::Turn;

use super::health::Health;
use super::wait::WaitReason;

/// A host's robots.txt rules and its HTTP status.
#[derive(Debug)]
pub struct HostRobots {
    /// The size of the file, for the total kept in memory.
    pub(crate) bytes: usize,
    /// The rules.
    pub rules: Robots,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
}

/// Whether the host's robots.txt lets us in.
#[derive(Clone, Debug)]
pub(crate) enum Gate {
    /// robots.txt must be fetched first.
    Unknown,
    /// robots.txt is being fetched.
    Fetching,
    /// The rules are known; `None` if the plan ignores them.
    Open(Option<Arc<HostRobots>>),
    /// Fetching failed; retry at this time.
    RetryAt(Instant),
    /// Nothing on this host may be fetched.
    Closed(Arc<Closed>),
}

/// Why we gave up on a host for this session.
#[derive(Clone, Debug)]
pub(crate) enum Closed {
    /// robots.txt keeps failing with server errors.
    RobotsUnreachable(String),
    /// It cannot be reached; the last failure is recorded for all its URLs.
    Down(Failure),
    /// It keeps rate-limiting us.
    Throttling,
}

impl Closed {
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        matches!(self, Self::RobotsUnreachable(_)).then_some(Refusal::RobotsUnreachable)
    }

    pub(crate) fn why(&self) -> String {
        match self {
            Self::RobotsUnreachable(why) => format!("its robots.txt is unavailable: {why}"),
            Self::Down(failure) => format!("its requests keep failing: {failure}"),
            Self::Throttling => "it keeps responding with too many requests (429 or 503)".to_owned(),
        }
    }
}

/// A URL waiting for its host.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) admitted: Admitted,
    /// Attempts made so far.
    pub(crate) attempts: u32,
    /// Whether HEAD has been sent, so that GET comes next.
    pub(crate) needs_get: bool,
    /// Whether we do not know yet if the host supports https.
    pub(crate) is_first_look: bool,
}

/// Where the frontier has filed a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filed {
    /// It has nothing to do, or its in-flight requests will file it again.
    Nowhere,
    /// Its first URL may be fetched.
    Ready(Turn),
    /// It has something to do at that time.
    Asleep(Instant),
}

/// One host: its queue and its behaviour.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) filed: Filed,
    /// Why it sleeps, if it does.
    pub(crate) wait: WaitReason,
    pub(crate) authority: Arc<str>,
    pub(crate) robots_url: crate::url::CanonicalUrl,
    pub(crate) gate: Gate,
    pub(crate) robots_tries: u32,
    /// Whether it is a seed's host. Giving up on one pauses the run.
    pub(crate) is_seed: bool,
    /// When the rules must be fetched again.
    pub(crate) rules_until: Option<Instant>,
    pub(crate) under_way: usize,
    queue: BTreeMap<Turn, Waiting>,
    later: BTreeSet<(Instant, Turn)>,
    put_aside: BTreeMap<Turn, Waiting>,
    pub(crate) crawl_delay: Option<Duration>,
    pub(crate) health: Health,
}

impl Host {
    pub(crate) fn new(robots_url: crate::url::CanonicalUrl, gate: Gate, is_seed: bool) -> Self {
        Self {
            filed: Filed::Nowhere,
            wait: WaitReason::Rate,
            authority: robots_url.authority().into(),
            robots_url,
            gate,
            robots_tries: 0,
            is_seed,
            rules_until: None,
            under_way: 0,
            queue: BTreeMap::new(),
            later: BTreeSet::new(),
            put_aside: BTreeMap::new(),
            crawl_delay: None,
            health: Health::default(),
        }
    }

    pub(crate) fn push(&mut self, waiting: Waiting) {
        self.queue.insert(waiting.admitted.turn(), waiting);
    }

    /// Puts a URL back in its place, to be fetched after a wait.
    pub(crate) fn push_later(&mut self, waiting: Waiting, at: Instant) {
        let turn = waiting.admitted.turn();
        self.later.insert((at, turn));
        self.put_aside.insert(turn, waiting);
    }

    /// Moves URLs whose wait is over back into the queue.
    pub(crate) fn wake(&mut self, now: Instant) {
        while let Some((at, turn)) = self.later.first().copied().filter(|(at, _)| *at <= now) {
            self.later.remove(&(at, turn));
            let waiting = self.put_aside.remove(&turn).expect("what waits is put aside");
            self.queue.insert(turn, waiting);
        }
    }

    pub(crate) fn first_turn(&self) -> Option<Turn> {
        self.queue.first_key_value().map(|(turn, _)| *turn)
    }

    pub(crate) fn first_wake(&self) -> Option<Instant> {
        self.later.first().map(|(at, _)| *at)
    }

    pub(crate) fn first(&self) -> Option<&Waiting> {
        self.queue.first_key_value().map(|(_, waiting)| waiting)
    }

    pub(crate) fn take_first(&mut self) -> Option<Waiting> {
        self.queue.pop_first().map(|(_, waiting)| waiting)
    }

    /// Whether its first URL is a first look at a host that may not support https.
    pub(crate) fn is_first_look(&self) -> bool {
        self.first().is_some_and(|first| first.is_first_look)
    }

    /// Whether we gave up on it without pausing the run.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self.gate, Gate::Closed(_)) && !self.is_seed
    }

    /// How many URLs wait for it.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.len() + self.put_aside.len()
    }

    /// Whether anything other than seeds and crawler files such as robots.txt waits for it.
    pub(crate) fn has_more_than_seeds(&self) -> bool {
        let waiting = self.queue.values().chain(self.put_aside.values());
        waiting.into_iter().any(|waiting| {
            let row = waiting.admitted.row();
            row.task.is_counted() && !row.stands_for_a_seed()
        })
    }

    /// Whether nothing waits for it and nothing is in flight.
    pub(crate) fn is_unused(&self) -> bool {
        self.waiting() == 0 && self.under_way == 0
    }
}
