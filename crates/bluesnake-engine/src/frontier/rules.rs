//! robots.txt in the frontier: when it is fetched again, what its rules lead to, and when a host continues without
//! it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::health::Probed;
use super::host::{Closed, Gate};
use super::lease::HostId;
use super::{Frontier, HostNews, HostRobots, RulesResponse};
use crate::admit::robots::{self, Robots};
use crate::fetch::{Failure, FailureKind};
use crate::plan::RobotsMode;

/// Above this total size of robots.txt files, rules of unused hosts are dropped.
const MAX_RULE_BYTES: usize = 16 * 1024 * 1024;
/// How often robots.txt is requested when connections break, even if a page has a single attempt: without its rules there is
/// no crawl.
const LEAST_ATTEMPTS: u32 = 3;

impl Frontier {
    pub(super) fn take_rules(&mut self, id: HostId, response: RulesResponse, now: Instant) {
        let (host, settings) = (&mut self.hosts[id.0], &self.settings);
        match response {
            RulesResponse::Rules(robots) => {
                let longest = Duration::from_millis(settings.max_crawl_delay_ms);
                host.crawl_delay = robots.rules.crawl_delay().map(|delay| delay.min(longest));
                host.rules_until = Some(now + robots::COPY_LASTS);
                self.rule_bytes += robots.bytes;
                host.gate = Gate::Open(Some(Arc::new(robots)));
                self.forget_rules_of_unused_hosts();
            }
            RulesResponse::ServerError { status, wait } => {
                host.robots_tries += 1;
                match self.wait_for_rules(id, wait.unwrap_or_default()) {
                    Some(pause) => {
                        let host = &mut self.hosts[id.0];
                        host.gate = Gate::RetryAt(now + pause);
                        let why = format!("its robots.txt is unavailable: status {status}");
                        self.news.push(HostNews::Resting { host: host.authority.to_string(), pause, why });
                    }
                    None => self.go_without_rules(id, Closed::RobotsUnreachable(format!("status {status}"))),
                }
            }
            RulesResponse::Failed(failure) => {
                host.robots_tries += 1;
                let is_final = self.retries.is_final(failure.kind, host.is_first_look());
                if is_final || host.robots_tries >= self.retries.attempts.max(LEAST_ATTEMPTS) {
                    self.go_without_rules(id, Closed::Down(failure));
                } else {
                    host.gate = Gate::RetryAt(now + self.retries.delay(host.robots_tries));
                }
            }
        }
    }

    /// How long to wait before requesting robots.txt again after a server error. The site itself has a longer retry
    /// schedule than other hosts.
    fn wait_for_rules(&self, id: HostId, requested: Duration) -> Option<Duration> {
        let (host, longest) = (&self.hosts[id.0], Duration::from_millis(self.settings.max_retry_after_ms));
        if host.is_seed {
            let planned = self.settings.robots_retry_ms.get(host.robots_tries as usize - 1)?;
            return Some(Duration::from_millis(*planned).max(requested.min(longest)));
        }
        let is_last = host.robots_tries >= self.retries.attempts || requested > longest;
        (!is_last).then(|| self.retries.delay(host.robots_tries).max(requested))
    }

    /// robots.txt was requested as a probe; the rules stay those read before.
    pub(super) fn probe_succeeded(&mut self, id: HostId, response: RulesResponse, now: Instant) {
        let probed = match response {
            RulesResponse::Rules(_) => Probed::Alive,
            RulesResponse::ServerError { status: 429 | 503, wait } => Probed::Throttled(wait),
            RulesResponse::ServerError { status, .. } => {
                Probed::Down(Failure::new(FailureKind::ServerErrors, format!("status {status}")))
            }
            RulesResponse::Failed(failure) => Probed::Down(failure),
        };
        let reaction = self.hosts[id.0].health.probed(probed, now, &self.settings);
        self.take_reaction(id, reaction, "it does not respond to a request for robots.txt either");
    }

    /// Drops the rules of unused hosts when all rules together take too much memory.
    fn forget_rules_of_unused_hosts(&mut self) {
        if self.rule_bytes < MAX_RULE_BYTES {
            return;
        }
        for id in (0..self.hosts.len()).map(HostId) {
            if self.hosts[id.0].is_unused() && !self.hosts[id.0].is_seed {
                self.forget_rules(id);
            }
        }
    }

    pub(super) fn forget_rules(&mut self, id: HostId) {
        let gate = &mut self.hosts[id.0].gate;
        if let Gate::Open(Some(robots)) = gate {
            self.rule_bytes = self.rule_bytes.saturating_sub(robots.bytes);
            *gate = Gate::Unknown;
        }
    }

    /// A seed that fails is a result; a whole site that becomes unreachable pauses the run. Report-only mode
    /// continues without rules as long as the host responds at all.
    fn go_without_rules(&mut self, id: HostId, closed: Closed) {
        let host = &mut self.hosts[id.0];
        let only_reports = self.settings.robots == RobotsMode::IgnoreReport;
        if only_reports && matches!(closed, Closed::RobotsUnreachable(_)) {
            let rules = Robots::disallow_all();
            host.gate = Gate::Open(Some(Arc::new(HostRobots { bytes: 0, rules, status: None })));
            return;
        }
        let pauses_run = host.is_seed && host.has_more_than_seeds();
        self.close(id, closed, pauses_run);
    }
}

impl HostRobots {
    /// Rules that allow everything, for a host without robots.txt.
    pub(crate) fn without_rules(status: Option<u16>) -> Self {
        Self { bytes: 0, rules: Robots::allow_all(), status }
    }
}
