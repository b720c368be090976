//! How a host has behaved, and what its next request may be.
//!
//! Attempts are charged to URLs, always; this is about the host alone: how long it rests, whether it is probed with
//! robots.txt before the next URL, and when it is given up. A probe tells a host that is down from URLs that always
//! fail: while a host is down nothing but robots.txt is requested, so an outage costs hardly any URL its attempts.
//! Pure: time comes in as an argument.

use std::time::{Duration, Instant};

use super::host::Closed;
use super::wait::WaitReason;
use crate::fetch::Failure;
use crate::plan::PolitenessSettings;

/// The longest rest after 429 or 503 without Retry-After.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// Throttled requests in a row after which a host with many waiting URLs, or one that throttles robots.txt too, is
/// given up.
const MAX_THROTTLES: u32 = 12;
/// With no more waiting URLs than these, throttled requests are the URLs' own failures rather than a reason to give up.
const FEW: usize = 30;
/// Probes that a throttling host answers well before throttled requests are put down to the URLs.
const ENOUGH_PROBES: u32 = 3;
/// How often the number of failures that calls for a probe doubles at most: each needless probe doubles it once.
const MAX_PATIENCE: u32 = 4;
/// Failures in a row after which a host is given up although it answers probes: a cache may answer robots.txt for it.
const MAX_FAILURES: u32 = 1_000;
/// From this response time on a host gets fewer requests at once.
const SLOW: Duration = Duration::from_secs(1);

/// How one host has behaved.
#[derive(Debug, Default)]
pub(super) struct Health {
    rest: Option<(Instant, WaitReason)>,
    /// What the adaptive slow-down adds to the spacing of requests.
    penalty: Duration,
    probe: Probe,
    /// Failures in a row since the last good response or the last probe that was answered.
    failures: u32,
    /// Failures in a row since the last good response.
    all_failures: u32,
    throttles: u32,
    /// When the last throttled response arrived: requests that were under way then say nothing new.
    throttled_at: Option<Instant>,
    successful_probes: u32,
    failed_probes: u32,
    patience: u32,
    last_failure: Option<Failure>,
    response_time: Option<Duration>,
}

/// Whether robots.txt is requested before the next URL, to see whether the host is alive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Probe {
    #[default]
    NotNeeded,
    Due,
    UnderWay,
}

/// What a probe found.
#[derive(Debug)]
pub(super) enum Probed {
    /// The host answers.
    Alive,
    /// It answers that there are too many requests, and perhaps when to come back.
    Throttled(Option<Duration>),
    /// It does not answer, or with a server error.
    Down(Failure),
}

/// What the host's behaviour leads to.
#[derive(Debug)]
pub(super) enum Reaction {
    /// Nothing.
    None,
    /// It is left alone for a while.
    Rests(Duration),
    /// It is given up for this session.
    GivenUp(Closed),
}

impl Health {
    /// When the host may be asked again, and what for it rests, if it does.
    pub(super) fn rests_until(&self, now: Instant) -> Option<(Instant, WaitReason)> {
        self.rest.filter(|(until, _)| *until > now)
    }

    /// Why a URL that is put aside until that moment waits: for its host's rest, or for its own next attempt.
    pub(super) fn reason_until(&self, moment: Instant) -> WaitReason {
        // A throttled URL lets another one go first, so it comes back just after the rest.
        let rest = self.rest.filter(|(until, _)| *until + Duration::from_millis(1) >= moment);
        rest.map_or(WaitReason::Retry, |(_, reason)| reason)
    }

    pub(super) fn penalty(&self) -> Duration {
        self.penalty
    }

    /// What the host is slowed down for.
    pub(super) fn penalty_reason(&self) -> WaitReason {
        if self.throttles > 0 { WaitReason::Throttled } else { WaitReason::Down }
    }

    /// Whether robots.txt goes before the next URL.
    pub(super) fn needs_probe(&self) -> bool {
        self.probe == Probe::Due
    }

    pub(super) fn is_being_probed(&self) -> bool {
        self.probe == Probe::UnderWay
    }

    pub(super) fn probe_begins(&mut self) {
        self.probe = Probe::UnderWay;
    }

    /// How many requests the host gets at once: one while it recovers, fewer the slower it responds.
    pub(super) fn at_once(&self, limit: usize) -> usize {
        let is_recovering = self.throttles > 0 && self.successful_probes < ENOUGH_PROBES;
        if is_recovering || self.failed_probes > 0 {
            return 1;
        }
        match self.response_time.filter(|time| *time > SLOW) {
            Some(time) => ((limit as f64 * SLOW.as_secs_f64() / time.as_secs_f64()) as usize).max(1),
            None => limit,
        }
    }

    /// A good response, after so long.
    pub(super) fn went_well(&mut self, took: Duration) {
        (self.failures, self.all_failures, self.throttles) = (0, 0, 0);
        (self.successful_probes, self.failed_probes) = (0, 0);
        // Requests from before the trouble may still be answered; only a probe that is not on its way yet is needless.
        if self.probe == Probe::Due {
            self.probe = Probe::NotNeeded;
        }
        self.penalty = if self.penalty < Duration::from_millis(20) { Duration::ZERO } else { self.penalty / 2 };
        self.response_time = Some(self.response_time.map_or(took, |before| (before * 3 + took) / 4));
    }

    /// The host says that its quota is used up.
    pub(super) fn rest(&mut self, until: Instant, reason: WaitReason) {
        if self.rest.is_none_or(|(before, _)| before < until) {
            self.rest = Some((until, reason));
        }
    }

    /// A connection failed, or a gateway could not reach its server.
    pub(super) fn failed(&mut self, failure: &Failure, plan: &PolitenessSettings) -> Reaction {
        self.last_failure = Some(failure.clone());
        if plan.adaptive {
            self.penalty = (self.penalty * 3 / 2).max(Duration::from_millis(50)).min(Duration::from_secs(2));
        }
        self.had_server_error(plan);
        if plan.breaker_failures > 0 && self.all_failures >= MAX_FAILURES {
            return Reaction::GivenUp(Closed::Down(failure.clone()));
        }
        Reaction::None
    }

    /// The server broke on a request. That may be the page's fault or the host's; a probe tells.
    pub(super) fn had_server_error(&mut self, plan: &PolitenessSettings) {
        self.failures += 1;
        self.all_failures += 1;
        let enough = plan.breaker_failures.saturating_mul(1 << self.patience);
        if plan.breaker_failures > 0 && self.failures >= enough && self.probe == Probe::NotNeeded {
            self.probe = Probe::Due;
        }
    }

    /// The host answered a request that began at `began` with 429 or 503; `waiting` URLs wait for it.
    pub(super) fn was_throttled(
        &mut self,
        requested: Option<Duration>,
        began: Instant,
        now: Instant,
        waiting: usize,
        plan: &PolitenessSettings,
    ) -> Reaction {
        // What was under way when the host asked for a rest says nothing about whether the rest was long enough.
        if self.throttled_at.is_none_or(|at| began >= at) {
            self.throttles += 1;
            self.throttled_at = Some(now);
        }
        if self.throttles >= 2 && self.successful_probes < ENOUGH_PROBES && self.probe == Probe::NotNeeded {
            self.probe = Probe::Due;
        }
        if self.throttles > MAX_THROTTLES && waiting > FEW {
            return Reaction::GivenUp(Closed::Throttling);
        }
        let is_the_urls_own = self.successful_probes >= ENOUGH_PROBES;
        self.back_off(requested, now, plan, is_the_urls_own)
    }

    /// Rests as long as the host asks, or twice as long as the last time.
    fn back_off(
        &mut self,
        requested: Option<Duration>,
        now: Instant,
        plan: &PolitenessSettings,
        is_the_urls_own: bool,
    ) -> Reaction {
        if requested.is_some_and(|wait| wait > Duration::from_millis(plan.max_retry_after_ms)) {
            return Reaction::GivenUp(Closed::Throttling);
        }
        if plan.adaptive {
            self.penalty = (self.penalty * 2).max(Duration::from_millis(100)).min(Duration::from_secs(10));
        }
        let doubled = Duration::from_millis(plan.backoff_ms).saturating_mul(1 << (self.throttles.clamp(1, 16) - 1));
        let back_off = if is_the_urls_own { Duration::ZERO } else { doubled.min(MAX_BACKOFF) };
        let wait = requested.unwrap_or_default().max(back_off);
        if wait.is_zero() {
            return Reaction::None;
        }
        self.rest(now + wait, WaitReason::Throttled);
        Reaction::Rests(wait)
    }

    /// robots.txt was requested to see whether the host is alive.
    pub(super) fn probed(&mut self, probed: Probed, now: Instant, plan: &PolitenessSettings) -> Reaction {
        match probed {
            Probed::Alive => {
                self.probe = Probe::NotNeeded;
                self.successful_probes += 1;
                self.failed_probes = 0;
                if self.failures > 0 {
                    self.failures = 0;
                    self.penalty = Duration::ZERO;
                    self.patience = (self.patience + 1).min(MAX_PATIENCE);
                }
                Reaction::None
            }
            Probed::Throttled(requested) => {
                self.probe = Probe::Due;
                self.throttles += 1;
                self.throttled_at = Some(now);
                if self.throttles > MAX_THROTTLES {
                    return Reaction::GivenUp(Closed::Throttling);
                }
                self.back_off(requested, now, plan, false)
            }
            Probed::Down(failure) => {
                self.probe = Probe::Due;
                self.failed_probes += 1;
                if self.failed_probes > plan.breaker_trips {
                    return Reaction::GivenUp(Closed::Down(self.last_failure.clone().unwrap_or(failure)));
                }
                let pause = Duration::from_millis(plan.breaker_pause_ms);
                self.rest(now + pause, WaitReason::Down);
                Reaction::Rests(pause)
            }
        }
    }
}
