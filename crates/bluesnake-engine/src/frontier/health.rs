//! How a host has behaved, and which request it may get next.
//!
//! Attempts are always charged to URLs. This module is about the host alone: how long it rests, whether robots.txt is
//! requested as a probe before the next URL, and when to give up on it. A probe distinguishes a host that is down
//! from URLs that always fail: while a host is down only robots.txt is requested, so an outage costs hardly any URL
//! its attempts. Pure: time comes in as an argument.

use std::time::{Duration, Instant};

use super::host::Closed;
use super::wait::WaitReason;
use crate::fetch::Failure;
use crate::plan::PolitenessSettings;

/// The longest rest after 429 or 503 without Retry-After.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// Give up on a host after this many throttled requests in a row, if many URLs wait for it or it throttles robots.txt
/// too.
const MAX_THROTTLES: u32 = 12;
/// With at most this many waiting URLs, throttled requests count as failures of the URLs and are no reason to give
/// up.
const FEW: usize = 30;
/// How many successful probes it takes before throttled requests are blamed on the URLs.
const ENOUGH_PROBES: u32 = 3;
/// How often the failure count that triggers a probe may double; each needless probe doubles it once.
const MAX_PATIENCE: u32 = 4;
/// Give up on a host after this many failures in a row even if it answers probes: a cache may answer robots.txt for
/// it.
const MAX_FAILURES: u32 = 1_000;
/// Hosts slower than this get fewer concurrent requests.
const SLOW: Duration = Duration::from_secs(1);

/// How one host has behaved.
#[derive(Debug, Default)]
pub(super) struct Health {
    rest: Option<(Instant, WaitReason)>,
    /// Delay that adaptive throttling adds between requests.
    penalty: Duration,
    probe: Probe,
    /// Failures in a row since the last success or answered probe.
    failures: u32,
    /// Failures in a row since the last success.
    all_failures: u32,
    throttles: u32,
    /// When the last throttled response arrived. Requests already in flight then carry no new information.
    throttled_at: Option<Instant>,
    successful_probes: u32,
    failed_probes: u32,
    patience: u32,
    last_failure: Option<Failure>,
    response_time: Option<Duration>,
}

/// Whether to request robots.txt before the next URL to check that the host is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Probe {
    #[default]
    NotNeeded,
    Due,
    UnderWay,
}

/// The result of a probe.
#[derive(Debug)]
pub(super) enum Probed {
    /// The host responds.
    Alive,
    /// It is rate-limiting us, perhaps with a Retry-After.
    Throttled(Option<Duration>),
    /// It does not respond, or responds with a server error.
    Down(Failure),
}

/// The consequence of the host's behaviour.
#[derive(Debug)]
pub(super) enum Reaction {
    /// Nothing.
    None,
    /// The host rests for a while.
    Rests(Duration),
    /// We give up on it for this session.
    GivenUp(Closed),
}

impl Health {
    /// When the host may be requested again and why it rests, if it does.
    pub(super) fn rests_until(&self, now: Instant) -> Option<(Instant, WaitReason)> {
        self.rest.filter(|(until, _)| *until > now)
    }

    /// Why a URL waits until that moment: for its host's rest, or for its own next attempt.
    pub(super) fn reason_until(&self, moment: Instant) -> WaitReason {
        // A throttled URL lets another go first, so it is due just after the rest.
        let rest = self.rest.filter(|(until, _)| *until + Duration::from_millis(1) >= moment);
        rest.map_or(WaitReason::Retry, |(_, reason)| reason)
    }

    pub(super) fn penalty(&self) -> Duration {
        self.penalty
    }

    /// Why the host is slowed down.
    pub(super) fn penalty_reason(&self) -> WaitReason {
        if self.throttles > 0 { WaitReason::Throttled } else { WaitReason::Down }
    }

    /// Whether robots.txt must be requested before the next URL.
    pub(super) fn needs_probe(&self) -> bool {
        self.probe == Probe::Due
    }

    pub(super) fn is_being_probed(&self) -> bool {
        self.probe == Probe::UnderWay
    }

    pub(super) fn probe_begins(&mut self) {
        self.probe = Probe::UnderWay;
    }

    /// How many concurrent requests the host gets: one while it recovers, fewer the slower it responds.
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

    /// Records a success and its response time.
    pub(super) fn went_well(&mut self, took: Duration) {
        (self.failures, self.all_failures, self.throttles) = (0, 0, 0);
        (self.successful_probes, self.failed_probes) = (0, 0);
        // Requests from before the trouble may still succeed; only a probe that has not been sent is needless.
        if self.probe == Probe::Due {
            self.probe = Probe::NotNeeded;
        }
        self.penalty = if self.penalty < Duration::from_millis(20) { Duration::ZERO } else { self.penalty / 2 };
        self.response_time = Some(self.response_time.map_or(took, |before| (before * 3 + took) / 4));
    }

    /// The host reports that its quota is used up.
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

    /// A server error. The page or the host may be at fault; a probe decides.
    pub(super) fn had_server_error(&mut self, plan: &PolitenessSettings) {
        self.failures += 1;
        self.all_failures += 1;
        let enough = plan.breaker_failures.saturating_mul(1 << self.patience);
        if plan.breaker_failures > 0 && self.failures >= enough && self.probe == Probe::NotNeeded {
            self.probe = Probe::Due;
        }
    }

    /// A request begun at `began` got 429 or 503; `waiting` URLs wait for the host.
    pub(super) fn was_throttled(
        &mut self,
        requested: Option<Duration>,
        began: Instant,
        now: Instant,
        waiting: usize,
        plan: &PolitenessSettings,
    ) -> Reaction {
        // Requests in flight when the host asked for a rest do not show whether the rest was long enough.
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

    /// Rests as long as the host requests, or twice as long as last time.
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

    /// Records the result of a probe.
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
