//! One host in the frontier: what waits for it, and how it has behaved.
//!
//! Pure: time comes in as an argument. The queue is ordered by turn; retries come back to their place in it, after a
//! wait of their own. Back-off and the circuit breaker slow the host, never a single URL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::admit::robots::Robots;
use crate::admit::{Admitted, Refusal};
use crate::fetch::Failure;
use crate::plan::PolitenessSettings;
use crate::receipt::Turn;

/// What a host's robots.txt says, and how it was answered.
#[derive(Debug)]
pub struct HostRobots {
    /// How long the file was, for the sum of what is kept.
    pub(crate) bytes: usize,
    /// The rules.
    pub rules: Robots,
    /// The status of the answer, when there was one.
    pub status: Option<u16>,
}

/// Whether the host's robots.txt lets us in.
#[derive(Clone, Debug)]
pub(crate) enum Gate {
    /// robots.txt is asked before anything else.
    Unasked,
    /// It is being asked.
    Asking,
    /// Its rules are known; none in the mode that ignores them.
    Open(Option<Arc<HostRobots>>),
    /// It could not be had; asked again at a later moment.
    AskAgain(Instant),
    /// Nothing of the host may be fetched.
    Closed(Arc<Closed>),
}

/// Why a host is given up for this session.
#[derive(Clone, Debug)]
pub(crate) enum Closed {
    /// robots.txt keeps answering with server errors.
    RobotsUnreachable(String),
    /// It cannot be reached; the last failure stands for all.
    Down(Failure),
    /// It keeps telling us to come back later.
    Throttling,
}

impl Closed {
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        matches!(self, Self::RobotsUnreachable(_)).then_some(Refusal::RobotsUnreachable)
    }

    pub(crate) fn why(&self) -> String {
        match self {
            Self::RobotsUnreachable(why) => format!("its robots.txt cannot be had: {why}"),
            Self::Down(failure) => format!("it does not answer: {failure}"),
            Self::Throttling => "it keeps answering that there are too many requests".to_owned(),
        }
    }
}

/// A URL that waits for its host.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) admitted: Admitted,
    /// Attempts made so far.
    pub(crate) attempts: u32,
    /// Answers of "too many requests" that were not charged as attempts.
    pub(crate) put_off: u32,
    /// How many answers of the host had been fine when this URL was last put off.
    pub(crate) fine_then: u64,
    /// Whether HEAD was asked already, so that it is asked for in full now.
    pub(crate) is_asked_in_full: bool,
}

impl Waiting {
    /// A URL whose turn has just come.
    pub(crate) fn new(admitted: Admitted) -> Self {
        Self { admitted, attempts: 0, put_off: 0, fine_then: 0, is_asked_in_full: false }
    }
}

/// Where the frontier has filed a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filed {
    /// It has nothing to do, or its own requests under way will file it again.
    Nowhere,
    /// Its first URL may be taken.
    Ready(Turn),
    /// It has something to do at that moment.
    Asleep(Instant),
}

/// One host: its queue and its behaviour.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) filed: Filed,
    pub(crate) authority: Box<str>,
    pub(crate) robots_url: crate::url::CanonicalUrl,
    pub(crate) gate: Gate,
    pub(crate) robots_tries: usize,
    /// Whether it belongs to a seed: such a host is never given up silently, the run pauses instead.
    pub(crate) is_seed: bool,
    /// Whether robots.txt is asked only to see whether the host is alive at all.
    pub(crate) is_probed: bool,
    /// When the rules have to be asked for again.
    pub(crate) rules_until: Option<Instant>,
    pub(crate) under_way: usize,
    queue: BTreeMap<Turn, Waiting>,
    later: BTreeSet<(Instant, Turn)>,
    put_aside: BTreeMap<Turn, Waiting>,
    pub(crate) crawl_delay: Option<Duration>,
    rest_until: Option<Instant>,
    penalty: Duration,
    fine: u64,
    failures_in_a_row: u32,
    throttles_in_a_row: u32,
    trips: u32,
    /// Server errors went on for so long that they are taken for what the pages are like.
    believes_errors: bool,
    last_failure: Option<Failure>,
}

/// What the host's behaviour leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Nothing.
    None,
    /// It is left alone for a while.
    Resting(Duration),
    /// It does not recover: is it alive at all?
    Doubted,
    /// It is given up for this session.
    GivenUp,
}

/// How long a slowed-down host waits between requests at the most.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// Answers of "too many requests" in a row, over all URLs, before the host is given up.
const MAX_THROTTLES: u32 = 12;
/// How often a URL may meet "too many requests" without being charged for it.
const PATIENCE: u32 = 4;
/// Failures in a row, over all URLs, from which on they cost a URL no attempt.
const DISTRESS: u32 = 5;
/// How many times the breaker's number of failures in a row is believed of a host that answers robots.txt.
const BELIEVED: u32 = 5;
/// When no more URLs than these wait, failures are put down to them rather than to their host.
const FEW: usize = 10;

impl Host {
    pub(crate) fn new(robots_url: crate::url::CanonicalUrl, gate: Gate, is_seed: bool) -> Self {
        Self {
            filed: Filed::Nowhere,
            authority: robots_url.authority().into(),
            robots_url,
            gate,
            robots_tries: 0,
            is_seed,
            is_probed: false,
            rules_until: None,
            under_way: 0,
            queue: BTreeMap::new(),
            later: BTreeSet::new(),
            put_aside: BTreeMap::new(),
            crawl_delay: None,
            rest_until: None,
            penalty: Duration::ZERO,
            fine: 0,
            failures_in_a_row: 0,
            throttles_in_a_row: 0,
            trips: 0,
            believes_errors: false,
            last_failure: None,
        }
    }

    pub(crate) fn push(&mut self, waiting: Waiting) {
        self.queue.insert(waiting.admitted.turn(), waiting);
    }

    /// Puts a URL back to its place, to be taken again after a wait.
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

    pub(crate) fn rests_until(&self, now: Instant) -> Option<Instant> {
        self.rest_until.filter(|until| *until > now)
    }

    /// What the adaptive slow-down adds to the spacing of requests.
    pub(crate) fn penalty(&self) -> Duration {
        self.penalty
    }

    /// After a rest, one request at a time until one is answered well.
    pub(crate) fn is_on_probation(&self) -> bool {
        !self.believes_errors && (self.throttles_in_a_row > 0 || self.trips > 0)
    }

    pub(crate) fn rest(&mut self, until: Instant) {
        self.rest_until = Some(self.rest_until.map_or(until, |before| before.max(until)));
    }

    /// An answer that shows the host is well.
    pub(crate) fn went_well(&mut self) {
        self.fine += 1;
        self.failures_in_a_row = 0;
        self.throttles_in_a_row = 0;
        self.trips = 0;
        self.believes_errors = false;
        self.penalty = if self.penalty < Duration::from_millis(20) { Duration::ZERO } else { self.penalty / 2 };
    }

    /// A request failed in a way that may be the host's state rather than the URL's.
    pub(crate) fn went_wrong(&mut self, failure: &Failure, now: Instant, plan: &PolitenessSettings) -> Reaction {
        self.last_failure = Some(failure.clone());
        self.slow_down(plan);
        if !self.is_one_too_many(plan) {
            return Reaction::None;
        }
        if self.believes_errors {
            // Something in front of a dead server may answer robots.txt; so much is believed, and no more.
            let is_enough = self.failures_in_a_row >= BELIEVED * plan.breaker_failures;
            return if is_enough { Reaction::GivenUp } else { Reaction::None };
        }
        if self.trips >= plan.breaker_trips {
            return Reaction::Doubted;
        }
        self.trip(now, plan)
    }

    /// The host answers something, so what it refuses to answer is the URLs' own fault.
    pub(crate) fn believe_errors(&mut self) {
        self.believes_errors = true;
        self.penalty = Duration::ZERO;
        self.failures_in_a_row = 0;
    }

    /// The server broke on a request. Many in a row may be a storm that passes, so the host gets its rests; if they do
    /// not help, the errors are what these pages are like, and nobody is served by giving up the others.
    pub(crate) fn had_server_error(&mut self, now: Instant, plan: &PolitenessSettings) -> Reaction {
        if self.believes_errors {
            return Reaction::None;
        }
        let is_one_too_many = self.is_one_too_many(plan);
        if self.is_in_distress() {
            self.slow_down(plan);
        }
        if !is_one_too_many {
            return Reaction::None;
        }
        if self.trips >= plan.breaker_trips {
            self.believe_errors();
            return Reaction::None;
        }
        self.trip(now, plan)
    }

    /// Whether a failure is put down to the host rather than to the URL that met it, so that it costs no attempt.
    pub(crate) fn excuses(&self, waiting: &Waiting, is_throttled: bool, plan: &PolitenessSettings) -> bool {
        let others_went_well = waiting.put_off > 0 && self.fine > waiting.fine_then;
        if others_went_well {
            return false;
        }
        if is_throttled {
            return waiting.put_off < PATIENCE && self.throttles_in_a_row <= MAX_THROTTLES;
        }
        plan.breaker_failures > 0 && self.is_in_distress() && self.waiting() >= FEW
    }

    /// Whether a URL that met "too many requests" once more is not asked again, whatever attempts it has left.
    pub(crate) fn is_out_of_patience(&self) -> bool {
        self.throttles_in_a_row > MAX_THROTTLES
    }

    fn is_in_distress(&self) -> bool {
        !self.believes_errors && (self.failures_in_a_row >= DISTRESS || self.trips > 0)
    }

    /// How many URLs wait for it.
    fn waiting(&self) -> usize {
        self.queue.len() + self.put_aside.len()
    }

    /// Whether anything else than seeds and files that guide crawlers waits for it.
    pub(crate) fn has_more_than_seeds(&self) -> bool {
        let waiting = self.queue.values().chain(self.put_aside.values());
        waiting.into_iter().any(|waiting| {
            let row = waiting.admitted.row();
            row.task.is_counted() && !row.stands_for_a_seed()
        })
    }

    /// Whether nothing waits for it and nothing is under way.
    pub(crate) fn is_unused(&self) -> bool {
        self.waiting() == 0 && self.under_way == 0
    }

    fn slow_down(&mut self, plan: &PolitenessSettings) {
        if plan.adaptive {
            self.penalty = (self.penalty * 3 / 2).max(Duration::from_millis(50)).min(Duration::from_secs(2));
        }
    }

    fn is_one_too_many(&mut self, plan: &PolitenessSettings) -> bool {
        self.failures_in_a_row += 1;
        plan.breaker_failures > 0 && self.failures_in_a_row >= plan.breaker_failures
    }

    fn trip(&mut self, now: Instant, plan: &PolitenessSettings) -> Reaction {
        self.failures_in_a_row = 0;
        self.trips += 1;
        let pause = Duration::from_millis(plan.breaker_pause_ms);
        self.rest(now + pause);
        Reaction::Resting(pause)
    }

    /// The host answered that there are too many requests.
    pub(crate) fn was_throttled(
        &mut self,
        asked: Option<Duration>,
        now: Instant,
        plan: &PolitenessSettings,
    ) -> Reaction {
        self.throttles_in_a_row += 1;
        if self.is_out_of_patience() && self.waiting() >= FEW {
            return Reaction::GivenUp;
        }
        if asked.is_some_and(|wait| wait > Duration::from_millis(plan.max_retry_after_ms)) {
            return Reaction::GivenUp;
        }
        let doubled = Duration::from_millis(plan.backoff_ms).saturating_mul(1 << (self.throttles_in_a_row.min(16) - 1));
        let wait = asked.unwrap_or_default().max(doubled.min(MAX_BACKOFF));
        if plan.adaptive {
            self.penalty = (self.penalty * 2).max(Duration::from_millis(100)).min(Duration::from_secs(10));
        }
        self.rest(now + wait);
        Reaction::Resting(wait)
    }

    pub(crate) fn fine_answers(&self) -> u64 {
        self.fine
    }

    pub(crate) fn down(&self) -> Closed {
        self.last_failure.clone().map_or(Closed::Throttling, Closed::Down)
    }
}
