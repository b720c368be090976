//! Checks of settings. Reports all problems at once, each with its field.

use std::collections::HashSet;
use std::fmt;

use super::groups::*;
use crate::link::{LinkKind, Role};
use crate::parse::extract::{self, in_one_line};
use crate::parse::selector::Selector;
use crate::url::{CanonicalUrl, without_userinfo};

/// What is wrong with one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path of the setting: `limits.url_length`.
    pub field: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// All problems of the settings of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProblems(pub Vec<Problem>);

impl fmt::Display for PlanProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> =
            self.0.iter().map(|problem| format!("{}: {}", problem.field, problem.message)).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for PlanProblems {}

/// All of them are matched against every element of every page.
const MOST_SELECTORS: usize = 50;
const ONE_DAY_MS: u64 = 24 * 3600 * 1000;

#[derive(Default)]
pub(super) struct Check {
    pub(super) problems: Vec<Problem>,
}

impl Check {
    fn wrong(&mut self, field: &str, message: impl Into<String>) {
        self.problems.push(Problem { field: field.to_owned(), message: message.into() });
    }

    fn require(&mut self, holds: bool, field: &str, message: &str) {
        if !holds {
            self.wrong(field, message);
        }
    }

    pub(super) fn seeds<S: AsRef<str>>(
        &mut self,
        texts: impl IntoIterator<Item = S>,
        fetch: &mut FetchInput,
    ) -> Vec<CanonicalUrl> {
        let (mut seeds, mut known) = (Vec::new(), HashSet::new());
        for text in texts {
            let text = text.as_ref();
            let seed = match CanonicalUrl::from_user_input(text) {
                Ok(seed) => seed,
                Err(problem) => {
                    self.wrong("seeds", format!("`{}` cannot be crawled: {problem}", without_userinfo(text)));
                    continue;
                }
            };
            if let Some((user, password)) = crate::url::userinfo(text) {
                let auth = fetch.auth.get_or_insert_default();
                auth.entry(seed.origin().to_owned()).or_insert_with(|| format!("{user}:{password}"));
            }
            if known.insert(seed.key()) {
                seeds.push(seed);
            }
        }
        if seeds.is_empty() && self.problems.is_empty() {
            self.wrong("seeds", "no URL given; name at least one, for example https://example.com/");
        }
        seeds
    }
}

/// A group of settings whose values can be wrong.
pub(super) trait Checked {
    fn check(&self, _: &mut Check) {}
}

impl Checked for ParseSettings {}
impl Checked for CaptureParseSettings {}
impl Checked for KeepSettings {}

impl Checked for CaptureSettings {
    fn check(&self, check: &mut Check) {
        for (field, selectors) in [("capture.include", &self.include), ("capture.exclude", &self.exclude)] {
            let wrong = selectors.iter().filter_map(|selector| Some((selector, selector.parse::<Selector>().err()?)));
            wrong.for_each(|(selector, problem)| {
                check.wrong(field, format!("invalid selector `{selector}`: {problem}"))
            });
            check.require(selectors.len() <= MOST_SELECTORS, field, &format!("at most {MOST_SELECTORS} selectors"));
        }
    }
}

impl Checked for AuditSettings {
    fn check(&self, check: &mut Check) {
        let percent = 50..=100;
        check.require(
            percent.contains(&self.near_duplicate_percent),
            "audit.near_duplicate_percent",
            "must be 50 to 100",
        );
        let percent = 10..=100;
        check.require(percent.contains(&self.template_percent), "audit.template_percent", "must be 10 to 100");
    }
}

impl Checked for ExtractSettings {
    fn check(&self, check: &mut Check) {
        for (field, message) in extract::problems(self) {
            check.wrong(field, message);
        }
    }
}

impl Checked for DiscoverSettings {
    fn check(&self, check: &mut Check) {
        for sitemap in &self.sitemaps {
            if let Err(problem) = CanonicalUrl::parse(sitemap) {
                let message = format!("cannot read `{}`: {problem}", without_userinfo(sitemap));
                check.wrong("discover.sitemaps", message);
            }
        }
    }
}

impl Checked for ResourceSettings {
    fn check(&self, check: &mut Check) {
        for kind in &self.kinds {
            let is_known = LinkKind::ALL.iter().any(|known| known.role() == Role::Resource && known.as_str() == kind);
            check.require(is_known, "resources.kinds", &format!("`{kind}` is not a kind of resource"));
        }
    }
}

impl Checked for ScopeSettings {
    fn check(&self, check: &mut Check) {
        check.require(self.external_hops <= 5, "scope.external_hops", "must be 0 to 5");
        for (field, patterns) in [("scope.include", &self.include), ("scope.exclude", &self.exclude)] {
            for pattern in patterns {
                if let Err(error) = crate::admit::scope::pattern(pattern) {
                    check.wrong(field, format!("invalid regular expression `{pattern}`: {}", in_one_line(&error)));
                }
            }
        }
        for (field, hosts) in [("scope.hosts", &self.hosts), ("scope.exclude_hosts", &self.exclude_hosts)] {
            for host in hosts {
                let is_host = CanonicalUrl::parse(&format!("http://{host}/")).is_ok_and(|url| url.path() == "/");
                check.require(is_host, field, &format!("`{host}` is not a host name"));
            }
        }
    }
}

impl Checked for TrapSettings {
    fn check(&self, check: &mut Check) {
        check.require(self.path_repetition != 1, "traps.path_repetition", "must be 0 (off) or at least 2");
    }
}

impl Checked for MemorySettings {
    fn check(&self, check: &mut Check) {
        check.require(self.window_bytes >= 1 << 20, "memory.window_bytes", "must be at least 1048576");
        check.require(self.backlog_urls >= 100, "memory.backlog_urls", "must be at least 100");
    }
}

impl Checked for LimitSettings {
    fn check(&self, check: &mut Check) {
        let is_time = self.max_seconds <= 10 * 365 * 24 * 3600;
        check.require(is_time, "limits.max_seconds", "must be at most ten years");
    }
}

impl Checked for PolitenessSettings {
    fn check(&self, check: &mut Check) {
        let in_range = (1..=1000).contains(&self.parallelism);
        check.require(in_range, "politeness.parallelism", "must be 1 to 1000");
        let is_rate = self.rate == 0.0 || (0.0001..=100_000.0).contains(&self.rate);
        check.require(is_rate, "politeness.rate", "must be 0 (no limit) or between 0.0001 and 100000");
        for (field, wait) in [
            ("politeness.backoff_ms", self.backoff_ms),
            ("politeness.breaker_pause_ms", self.breaker_pause_ms),
            ("politeness.grace_ms", self.grace_ms),
            ("politeness.max_crawl_delay_ms", self.max_crawl_delay_ms),
            ("politeness.max_retry_after_ms", self.max_retry_after_ms),
            ("politeness.robots_retry_ms", self.robots_retry_ms.iter().copied().max().unwrap_or(0)),
        ] {
            check.require(wait <= ONE_DAY_MS, field, "must be at most a day");
        }
        let is_token = !self.robots_token.is_empty()
            && self.robots_token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
        check.require(is_token, "politeness.robots_token", "must consist of letters, `-` and `_`");
    }
}

impl Checked for WeavePolitenessSettings {
    fn check(&self, check: &mut Check) {
        PolitenessSettings::from(self.clone()).check(check);
    }
}

impl Checked for FetchSettings {
    fn check(&self, check: &mut Check) {
        check.require(self.attempts >= 1, "fetch.attempts", "must be at least 1");
        check.require(self.timeout_ms >= 1, "fetch.timeout_ms", "must be at least 1");
        check.require(self.connect_timeout_ms >= 1, "fetch.connect_timeout_ms", "must be at least 1");
        let is_total = self.total_timeout_ms >= self.timeout_ms;
        check.require(is_total, "fetch.total_timeout_ms", "must not be below timeout_ms");
        check.require(!self.retry_delays_ms.is_empty(), "fetch.retry_delays_ms", "must have at least one wait");
        let longest = self.retry_delays_ms.iter().copied().max().unwrap_or(0);
        check.require(longest <= ONE_DAY_MS, "fetch.retry_delays_ms", "must be at most a day");
        for (field, message) in crate::fetch::problems(self) {
            check.wrong(field, message);
        }
    }
}

impl Checked for RenderSettings {
    fn check(&self, check: &mut Check) {
        let wrong = self.wait_for.iter().filter_map(|selector| Some((selector, selector.parse::<Selector>().err()?)));
        wrong.for_each(|(selector, problem)| {
            check.wrong("render.wait_for", format!("invalid selector `{selector}`: {problem}"))
        });
        check.require(self.wait_for.len() <= MOST_SELECTORS, "render.wait_for", "at most 50 selectors");
        let is_waits = self.waits_ms.is_empty() || self.waits_ms.len() == 3;
        check.require(is_waits, "render.waits_ms", "must be three waits or none");
        let longest = self.waits_ms.iter().copied().max().unwrap_or(0);
        check.require(longest <= 30_000, "render.waits_ms", "must be at most 30000 each");
        let is_time = (1_000..=600_000).contains(&self.timeout_ms);
        check.require(is_time, "render.timeout_ms", "must be 1000 to 600000");
        check.require(self.slots <= 64, "render.slots", "must be at most 64");
    }
}

impl Checked for WeaveRenderSettings {
    fn check(&self, check: &mut Check) {
        RenderSettings::from(self.clone()).check(check);
    }
}

impl Checked for WeaveSettings {
    fn check(&self, check: &mut Check) {
        check.require(self.max_depth >= 1, "weave.max_depth", "must be at least 1");
        // A host is stored as a whole, so one with more pages would start over at every stop.
        let is_a_few = (1..=1000).contains(&self.max_crawls_per_node);
        check.require(is_a_few, "weave.max_crawls_per_node", "must be 1 to 1000");
        for host in &self.exclude {
            let message = format!("`{host}` is neither a host name nor a first label like `ads.*`");
            check.require(crate::weave::is_exclusion(host), "weave.exclude", &message);
        }
    }
}
