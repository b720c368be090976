//! What is wrong with settings: everything at once, each with its field.

use std::fmt;

use super::{
    DiscoverSettings, FetchSettings, LimitSettings, PlanInput, PolitenessSettings, ScopeSettings, WeaveSettings,
};
use crate::link::{LinkKind, Role};
use crate::url::{CanonicalUrl, without_userinfo};

/// What is wrong with one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The setting's path: `limits.url_length`.
    pub field: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

/// Everything that is wrong with the settings of a plan.
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
        input: &mut PlanInput,
    ) -> Vec<CanonicalUrl> {
        let mut seeds: Vec<CanonicalUrl> = Vec::new();
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
                let auth = input.fetch.auth.get_or_insert_default();
                auth.entry(seed.origin().to_owned()).or_insert_with(|| format!("{user}:{password}"));
            }
            if !seeds.contains(&seed) {
                seeds.push(seed);
            }
        }
        if seeds.is_empty() && self.problems.is_empty() {
            self.wrong("seeds", "no URL was given; name at least one, for example https://example.com/");
        }
        seeds
    }

    pub(super) fn discover(&mut self, discover: &DiscoverSettings) {
        for sitemap in &discover.sitemaps {
            if let Err(problem) = CanonicalUrl::parse(sitemap) {
                self.wrong("discover.sitemaps", format!("`{}` cannot be read: {problem}", without_userinfo(sitemap)));
            }
        }
        for kind in &discover.resource_kinds {
            let is_known = LinkKind::ALL.iter().any(|known| known.role() == Role::Resource && known.as_str() == kind);
            self.require(is_known, "discover.resource_kinds", &format!("`{kind}` is no kind of resource"));
        }
    }

    pub(super) fn scope(&mut self, scope: &ScopeSettings) {
        self.require(scope.external_hops <= 5, "scope.external_hops", "must be 0 to 5");
        for (field, patterns) in [("scope.include", &scope.include), ("scope.exclude", &scope.exclude)] {
            for pattern in patterns {
                if let Err(error) = crate::admit::scope::pattern(pattern) {
                    self.wrong(field, format!("`{pattern}` is no regular expression we take: {error}"));
                }
            }
        }
        for (field, hosts) in [("scope.hosts", &scope.hosts), ("scope.exclude_hosts", &scope.exclude_hosts)] {
            for host in hosts {
                let is_host = CanonicalUrl::parse(&format!("http://{host}/")).is_ok_and(|url| url.path() == "/");
                self.require(is_host, field, &format!("`{host}` is no host name"));
            }
        }
    }

    pub(super) fn limits(&mut self, limits: &LimitSettings) {
        self.require(limits.path_repetition != 1, "limits.path_repetition", "must be 0 (off) or at least 2");
        self.require(limits.window_bytes >= 1 << 20, "limits.window_bytes", "must be at least 1048576");
        self.require(limits.backlog_urls >= 100, "limits.backlog_urls", "must be at least 100");
        let is_time = limits.max_seconds <= 10 * 365 * 24 * 3600;
        self.require(is_time, "limits.max_seconds", "must not be longer than ten years");
    }

    pub(super) fn politeness(&mut self, politeness: &PolitenessSettings) {
        let in_range = (1..=1000).contains(&politeness.parallelism);
        self.require(in_range, "politeness.parallelism", "must be 1 to 1000");
        let is_rate = politeness.rate == 0.0 || (0.0001..=100_000.0).contains(&politeness.rate);
        self.require(is_rate, "politeness.rate", "must be 0 (no limit) or between 0.0001 and 100000");
        for (field, wait) in [
            ("politeness.backoff_ms", politeness.backoff_ms),
            ("politeness.breaker_pause_ms", politeness.breaker_pause_ms),
            ("politeness.grace_ms", politeness.grace_ms),
            ("politeness.max_crawl_delay_ms", politeness.max_crawl_delay_ms),
            ("politeness.max_retry_after_ms", politeness.max_retry_after_ms),
            ("politeness.robots_retry_ms", politeness.robots_retry_ms.iter().copied().max().unwrap_or(0)),
        ] {
            self.require(wait <= ONE_DAY_MS, field, "must not be longer than a day");
        }
        let is_token = !politeness.robots_token.is_empty()
            && politeness.robots_token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
        self.require(is_token, "politeness.robots_token", "must consist of letters, `-` and `_`");
    }

    pub(super) fn fetch(&mut self, fetch: &FetchSettings) {
        self.require(fetch.attempts >= 1, "fetch.attempts", "must be at least 1");
        self.require(fetch.timeout_ms >= 1, "fetch.timeout_ms", "must be at least 1");
        self.require(fetch.connect_timeout_ms >= 1, "fetch.connect_timeout_ms", "must be at least 1");
        self.require(
            fetch.total_timeout_ms >= fetch.timeout_ms,
            "fetch.total_timeout_ms",
            "must not be below timeout_ms",
        );
        self.require(!fetch.retry_delays_ms.is_empty(), "fetch.retry_delays_ms", "must name at least one wait");
        let longest = fetch.retry_delays_ms.iter().copied().max().unwrap_or(0);
        self.require(longest <= ONE_DAY_MS, "fetch.retry_delays_ms", "must not be longer than a day");
        for (field, message) in crate::fetch::problems(fetch) {
            self.wrong(field, message);
        }
    }

    pub(super) fn weave(&mut self, weave: &WeaveSettings) {
        self.require(weave.max_depth >= 1, "weave.max_depth", "must be at least 1");
        // A host is stored as a whole, so that one of more pages would begin anew at every stop.
        let is_a_few = (1..=1000).contains(&weave.max_crawls_per_node);
        self.require(is_a_few, "weave.max_crawls_per_node", "must be 1 to 1000");
        for host in &weave.exclude {
            let message = format!("`{host}` is neither a host name nor a first label like `ads.*`");
            self.require(crate::weave::is_exclusion(host), "weave.exclude", &message);
        }
    }
}
