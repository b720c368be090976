//! When each admitted URL may be fetched.
//!
//! A pure state machine: time comes in as an argument and nothing here waits. Start with [`Frontier::next`]. Whether
//! a URL may be fetched at all is decided in [`crate::admit`]; robots.txt is the one rule applied here, because it is
//! the first thing fetched from each host.

mod health;
mod host;
mod lease;
mod pace;
mod rules;
#[cfg(test)]
mod tests;
mod wait;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::admit::robots::RobotsVerdict;
use crate::admit::{Refusal, Task};
use crate::fetch::{Failure, FailureKind};
use crate::ledger::Admitted;
use crate::plan::{PolitenessSettings, RobotsMode};
use crate::receipt::Turn;
use crate::url::CanonicalUrl;
use crate::visit::Visit;

pub use self::host::HostRobots;
pub use self::lease::HostNews;
pub use self::pace::Paces;
pub use self::wait::{Wait, WaitReason};

pub(crate) use self::lease::{
    Assignment, Lease, Look, Next, Purpose, RetryPolicy, RulesResponse, Signal, suggests_no_https,
};

use self::health::{Health, Reaction};
use self::host::{Closed, Filed, Gate, Host, Waiting};
use self::lease::HostId;
use self::pace::{Limits, Permission};

/// When each admitted URL may be fetched.
#[derive(Debug)]
pub(crate) struct Frontier {
    settings: PolitenessSettings,
    retries: RetryPolicy,
    paces: Paces,
    hosts: Vec<Host>,
    /// Free slots in `hosts`.
    free: Vec<HostId>,
    by_origin: HashMap<Box<str>, HostId>,
    /// Hosts that may have something to do now, by the turn of their first URL.
    ready: BTreeSet<(Turn, HostId)>,
    /// Hosts that have something to do later.
    asleep: BTreeSet<(Instant, HostId)>,
    under_way: usize,
    /// Total size of the robots.txt files whose rules are kept.
    rule_bytes: usize,
    news: Vec<HostNews>,
}

/// How soon to check again on a host that another crawl of this process keeps busy.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl Frontier {
    pub(crate) fn new(settings: PolitenessSettings, retries: RetryPolicy, paces: Paces) -> Self {
        Self {
            settings,
            retries,
            paces,
            hosts: Vec::new(),
            free: Vec::new(),
            by_origin: HashMap::new(),
            ready: BTreeSet::new(),
            asleep: BTreeSet::new(),
            under_way: 0,
            rule_bytes: 0,
            news: Vec::new(),
        }
    }

    /// Adds a URL whose turn has come. `is_seed_host` means that the run depends on its host.
    pub(crate) fn push(&mut self, admitted: Admitted, is_seed_host: bool) {
        self.enter(admitted, Look::Full, is_seed_host, None);
    }

    /// Adds a URL of a host that the run does not depend on.
    pub(crate) fn push_look(&mut self, admitted: Admitted, look: Look, now: Instant) {
        let wait_until = (look == Look::Again).then(|| now + self.retries.delay(1));
        if look == Look::Again {
            self.reopen(admitted.row().url.origin());
        }
        self.enter(admitted, look, false, wait_until);
    }

    fn enter(&mut self, admitted: Admitted, look: Look, is_seed_host: bool, wait_until: Option<Instant>) {
        let id = self.host_of(&admitted.row().url, is_seed_host);
        self.withdraw(id);
        let attempts = u32::from(look == Look::Again);
        let waiting = Waiting { admitted, attempts, needs_get: false, is_first_look: look == Look::Once };
        let host = &mut self.hosts[id.0];
        host.robots_tries = host.robots_tries.max(attempts);
        match wait_until {
            Some(at) => host.push_later(waiting, at),
            None => host.push(waiting),
        }
        self.file(id);
    }

    /// Gives a host we gave up on another chance.
    pub(crate) fn reopen(&mut self, origin: &str) {
        let closed = self.by_origin.get(origin).filter(|id| self.hosts[id.0].is_given_up()).copied();
        if let Some(id) = closed {
            self.open(id);
        }
    }

    fn open(&mut self, id: HostId) {
        let gate = self.first_gate();
        let host = &mut self.hosts[id.0];
        (host.gate, host.robots_tries, host.health) = (gate, 0, Health::default());
    }

    fn first_gate(&self) -> Gate {
        match self.settings.robots {
            RobotsMode::Ignore => Gate::Open(None),
            RobotsMode::Respect | RobotsMode::IgnoreReport => Gate::Unknown,
        }
    }

    /// Forgets an origin that nothing waits for.
    pub(crate) fn forget(&mut self, origin: &str) {
        let unused = self.by_origin.get(origin).filter(|id| self.hosts[id.0].is_unused()).copied();
        if let Some(id) = unused {
            self.withdraw(id);
            self.forget_rules(id);
            self.by_origin.remove(origin);
            self.free.push(id);
        }
    }

    /// What to do now.
    pub(crate) fn next(&mut self, now: Instant) -> Next {
        self.wake(now);
        while let Some((_, id)) = self.ready.first().copied() {
            self.withdraw(id);
            if let Some(next) = self.try_host(id, now) {
                return next;
            }
        }
        match self.asleep.first() {
            Some((until, id)) => {
                let host = &self.hosts[id.0];
                Next::WaitUntil(Wait { host: Arc::clone(&host.authority), until: *until, reason: host.wait })
            }
            None if self.under_way > 0 => Next::WaitForVisits,
            None => Next::Empty,
        }
    }

    /// Ends a lease for robots.txt.
    pub(crate) fn rules_arrived(&mut self, lease: &Lease, response: RulesResponse, now: Instant) {
        self.end_request(lease.host, now);
        self.withdraw(lease.host);
        if self.hosts[lease.host.0].health.is_being_probed() {
            self.probe_succeeded(lease.host, response, now);
        } else {
            self.take_rules(lease.host, response, now);
        }
        self.file(lease.host);
    }

    /// Ends a lease whose visit is final, updating the host's state.
    pub(crate) fn done(&mut self, lease: &Lease, signal: &Signal, now: Instant) {
        self.end_request(lease.host, now);
        self.withdraw(lease.host);
        self.react(lease, signal, now);
        self.file(lease.host);
    }

    /// Whether a visit with this signal is worth retrying.
    pub(crate) fn is_worth_another(signal: &Signal) -> bool {
        matches!(signal, Signal::Failed(_) | Signal::ServerError | Signal::Throttled { .. } | Signal::NeedsGet)
    }

    /// Ends a lease whose visit failed after `attempts` attempts, and takes the URL back if it has another attempt.
    /// Returns whether the visit is final instead. Every attempt counts, whatever the state of the host.
    pub(crate) fn again(&mut self, lease: Lease, attempts: u32, signal: &Signal, now: Instant) -> bool {
        let id = lease.host;
        self.end_request(id, now);
        self.withdraw(id);
        self.react(&lease, signal, now);
        let Purpose::Visit(assignment) = lease.purpose else { panic!("only visits are tried again") };
        let is_final = self.take_back(id, Waiting { attempts, ..assignment.waiting }, signal, now);
        self.file(id);
        is_final
    }

    fn take_back(&mut self, id: HostId, waiting: Waiting, signal: &Signal, now: Instant) -> bool {
        let host = &mut self.hosts[id.0];
        let attempts = waiting.attempts;
        if matches!(signal, Signal::NeedsGet) {
            host.push(Waiting { needs_get: true, ..waiting });
            return false;
        }
        let has_rules = matches!(host.gate, Gate::Open(Some(_)));
        let is_final = match signal {
            Signal::Failed(failure) => self.retries.is_final(failure.kind, waiting.is_first_look && !has_rules),
            _ => false,
        };
        // The URL whose response closed its host keeps that response.
        if is_final || attempts >= self.retries.attempts || host.is_given_up() {
            return true;
        }
        let mut wait = self.retries.delay(attempts);
        if matches!(signal, Signal::Throttled { .. }) {
            // Another URL goes first, to distinguish an overloaded host from a URL that always gets 429.
            let rest = host.health.rests_until(now).map_or(Duration::ZERO, |(until, _)| until - now);
            wait = wait.max(rest + Duration::from_millis(1));
        }
        host.push_later(waiting, now + wait);
        false
    }

    /// Takes the host events since the last call.
    pub(crate) fn take_news(&mut self) -> Vec<HostNews> {
        std::mem::take(&mut self.news)
    }

    /// Whether nothing waits and nothing is under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.under_way == 0 && self.ready.is_empty() && self.asleep.is_empty()
    }

    /// Requests in flight.
    pub(crate) fn under_way(&self) -> usize {
        self.under_way
    }

    fn host_of(&mut self, url: &CanonicalUrl, is_seed_host: bool) -> HostId {
        if let Some(id) = self.by_origin.get(url.origin()) {
            self.hosts[id.0].is_seed |= is_seed_host;
            return *id;
        }
        let host = Host::new(url.at_path("/robots.txt"), self.first_gate(), is_seed_host);
        let id = match self.free.pop() {
            Some(id) => {
                self.hosts[id.0] = host;
                id
            }
            None => {
                self.hosts.push(host);
                HostId(self.hosts.len() - 1)
            }
        };
        self.by_origin.insert(url.origin().into(), id);
        id
    }

    /// Files a host: ready, asleep, or nowhere.
    fn file(&mut self, id: HostId) {
        let host = &mut self.hosts[id.0];
        if let Some(turn) = host.first_turn() {
            host.filed = Filed::Ready(turn);
            self.ready.insert((turn, id));
        } else if let Some(at) = host.first_wake() {
            let reason = host.health.reason_until(at);
            self.sleep(id, at, reason);
        }
    }

    /// Removes a host from where it is filed.
    fn withdraw(&mut self, id: HostId) {
        match std::mem::replace(&mut self.hosts[id.0].filed, Filed::Nowhere) {
            Filed::Ready(turn) => self.ready.remove(&(turn, id)),
            Filed::Asleep(at) => self.asleep.remove(&(at, id)),
            Filed::Nowhere => false,
        };
    }

    fn wake(&mut self, now: Instant) {
        while let Some((at, id)) = self.asleep.first().copied().filter(|(at, _)| *at <= now) {
            debug_assert_eq!(self.hosts[id.0].filed, Filed::Asleep(at));
            self.withdraw(id);
            self.hosts[id.0].wake(now);
            self.file(id);
        }
    }

    fn sleep(&mut self, id: HostId, until: Instant, reason: WaitReason) {
        let host = &mut self.hosts[id.0];
        let (until, reason) = match host.first_wake() {
            Some(at) if at < until => (at, host.health.reason_until(at)),
            _ => (until, reason),
        };
        (host.filed, host.wait) = (Filed::Asleep(until), reason);
        self.asleep.insert((until, id));
    }

    /// Handles a host taken out of `ready`.
    fn try_host(&mut self, id: HostId, now: Instant) -> Option<Next> {
        self.hosts[id.0].wake(now);
        match self.hosts[id.0].gate.clone() {
            Gate::Closed(closed) => {
                let next = self.give_up_first(id, &closed);
                self.file(id);
                next
            }
            // The robots.txt response files the host again.
            Gate::Fetching => None,
            Gate::RetryAt(at) if at > now => {
                self.sleep(id, at, WaitReason::Robots);
                None
            }
            // So does the probe's response.
            Gate::Open(_) if self.hosts[id.0].health.is_being_probed() => None,
            Gate::Open(_) if self.hosts[id.0].health.needs_probe() => self.probe(id, now),
            Gate::Unknown | Gate::RetryAt(_) => self.request_rules(id, now),
            Gate::Open(Some(_)) if self.hosts[id.0].rules_until.is_some_and(|until| until <= now) => {
                self.request_rules(id, now)
            }
            Gate::Open(robots) => self.lease_first(id, robots, now),
        }
    }

    fn request_rules(&mut self, id: HostId, now: Instant) -> Option<Next> {
        self.permission(id, now)?;
        self.forget_rules(id);
        self.hosts[id.0].gate = Gate::Fetching;
        Some(self.lease_rules(id, now))
    }

    fn probe(&mut self, id: HostId, now: Instant) -> Option<Next> {
        self.permission(id, now)?;
        self.hosts[id.0].health.probe_begins();
        Some(self.lease_rules(id, now))
    }

    fn lease_rules(&self, id: HostId, now: Instant) -> Next {
        let purpose = Purpose::Rules(self.hosts[id.0].robots_url.clone());
        Next::Lease(Lease { host: id, began: now, purpose })
    }

    fn lease_first(&mut self, id: HostId, robots: Option<Arc<HostRobots>>, now: Instant) -> Option<Next> {
        let first = self.hosts[id.0].first()?;
        let row = first.admitted.row();
        let is_guide = row.task == Task::Robots;
        let verdict = robots.as_ref().map_or(RobotsVerdict::Allowed, |robots| robots.rules.verdict(&row.url));
        let disallowed = match verdict {
            RobotsVerdict::Disallowed { line, rule } => Some(format!("line {line}: {rule}").into_boxed_str()),
            RobotsVerdict::Allowed => None,
            RobotsVerdict::Unreachable => Some("robots.txt is unavailable".into()),
        };
        if let Some(rule) = disallowed.clone().filter(|_| self.settings.robots == RobotsMode::Respect) {
            let waiting = self.take_first(id);
            self.file(id);
            return Some(Next::Visit(Box::new(Visit::refused(waiting.admitted.into_row(), Refusal::Robots, rule))));
        }
        if let Some(robots) = robots.filter(|_| is_guide) {
            // robots.txt was already fetched for its rules; reading its sitemaps needs no second request.
            let waiting = self.take_first(id);
            self.file(id);
            return Some(Next::Visit(Box::new(crate::parse::robots_visit(waiting.admitted.into_row(), &robots))));
        }
        self.permission(id, now)?;
        let waiting = self.take_first(id);
        self.file(id);
        let assignment = Assignment { waiting, robots_report: disallowed };
        Some(Next::Lease(Lease { host: id, began: now, purpose: Purpose::Visit(assignment) }))
    }

    /// Checks the host's clock. If the host has to wait, it is filed accordingly.
    fn permission(&mut self, id: HostId, now: Instant) -> Option<()> {
        let host = &self.hosts[id.0];
        if let Some((until, reason)) = host.health.rests_until(now) {
            self.sleep(id, until, reason);
            return None;
        }
        let limits = self.limits(host);
        match self.paces.request(&host.authority, now, limits) {
            Permission::Granted => {
                self.hosts[id.0].under_way += 1;
                self.under_way += 1;
                Some(())
            }
            Permission::NotBefore(moment) => {
                let reason = match host.crawl_delay {
                    Some(_) => WaitReason::CrawlDelay,
                    None if host.health.penalty() == limits.spacing => host.health.penalty_reason(),
                    None => WaitReason::Rate,
                };
                self.sleep(id, moment, reason);
                None
            }
            // Our own requests file the host again when they end; for requests of other crawls, check again soon.
            Permission::Busy => {
                if host.under_way < limits.at_once {
                    self.sleep(id, now + LOOK_AGAIN, WaitReason::Shared);
                }
                None
            }
        }
    }

    fn limits(&self, host: &Host) -> Limits {
        let by_rate = if self.settings.rate > 0.0 { 1.0 / self.settings.rate } else { 0.0 };
        Limits {
            spacing: Duration::from_secs_f64(by_rate).max(host.health.penalty()),
            delay: host.crawl_delay.unwrap_or_default(),
            at_once: if host.crawl_delay.is_some() { 1 } else { host.health.at_once(self.settings.per_host()) },
        }
    }

    fn end_request(&mut self, id: HostId, now: Instant) {
        let host = &mut self.hosts[id.0];
        host.under_way -= 1;
        self.under_way -= 1;
        self.paces.done(&host.authority, now);
    }

    fn take_first(&mut self, id: HostId) -> Waiting {
        self.hosts[id.0].take_first().expect("the first URL was just looked at")
    }

    fn react(&mut self, lease: &Lease, signal: &Signal, now: Instant) {
        let host = &mut self.hosts[lease.host.0];
        let waiting = host.waiting();
        let (reaction, why) = match signal {
            Signal::Fine { rest } => {
                host.health.went_well(now - lease.began);
                // An excessive Retry-After is a server mistake, not a request.
                let longest = Duration::from_millis(self.settings.max_retry_after_ms);
                let Some(rest) = rest.filter(|rest| *rest <= longest) else { return };
                host.health.rest(now + rest, WaitReason::Throttled);
                (Reaction::Rests(rest), "its rate-limit headers say that our quota is used up".to_owned())
            }
            Signal::Hopeless | Signal::NeedsGet => return,
            Signal::ServerError => return host.health.had_server_error(&self.settings),
            Signal::Failed(failure) => (host.health.failed(failure, &self.settings), failure.to_string()),
            Signal::Throttled { wait } => (
                host.health.was_throttled(*wait, lease.began, now, waiting, &self.settings),
                "it responds with too many requests (429 or 503)".to_owned(),
            ),
        };
        self.take_reaction(lease.host, reaction, &why);
    }

    fn take_reaction(&mut self, id: HostId, reaction: Reaction, why: &str) {
        let host = &self.hosts[id.0];
        match reaction {
            Reaction::None => {}
            Reaction::Rests(pause) => {
                self.news.push(HostNews::Resting { host: host.authority.to_string(), pause, why: why.to_owned() });
            }
            Reaction::GivenUp(closed) => {
                let pauses_run = host.is_seed;
                self.close(id, closed, pauses_run);
            }
        }
    }

    fn close(&mut self, id: HostId, closed: Closed, pauses_run: bool) {
        self.forget_rules(id);
        let host = &mut self.hosts[id.0];
        let news = HostNews::GivenUp { host: host.authority.to_string(), why: closed.why(), pauses_run };
        host.gate = Gate::Closed(Arc::new(closed));
        self.news.push(news);
    }

    /// Resolves a URL of a host we gave up on, without a request.
    fn give_up_first(&mut self, id: HostId, closed: &Closed) -> Option<Next> {
        self.hosts[id.0].first()?;
        let waiting = self.take_first(id);
        // A first look closes nothing.
        if waiting.is_first_look {
            self.open(id);
        }
        let row = waiting.admitted.into_row();
        let visit = match (closed.refusal(), closed) {
            (Some(refusal), closed) => Visit::refused(row, refusal, closed.why()),
            (None, Closed::Down(failure)) => Visit::failed(row, failure.clone()),
            (None, closed) => Visit::failed(row, Failure::new(FailureKind::Throttled, closed.why())),
        };
        Some(Next::Visit(Box::new(visit)))
    }
}

impl Drop for Frontier {
    /// Requests cut off here are over for the clocks shared with other crawls.
    fn drop(&mut self) {
        let now = Instant::now();
        for host in &self.hosts {
            (0..host.under_way).for_each(|_| self.paces.done(&host.authority, now));
        }
    }
}
