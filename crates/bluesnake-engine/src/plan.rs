//! Settings: what a user writes, and the plan that is made of it.
//!
//! [`PlanInput`] is the one shape of settings for file, flags and requests: every field optional, unknown fields refused.
//! Layers are merged with [`PlanInput::over`]; [`CrawlPlan::new`] checks the result and tells all problems at once.
//! Defaults exist once, in the tables below. Each group is named after the part of the engine that reads it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::link::LinkKind;
use crate::url::CanonicalUrl;

/// Declares one group of settings twice: as written (all optional) and as planned (all there).
macro_rules! group {
    (
        $(#[$doc:meta])*
        $input:ident, $settings:ident { $( $(#[$field_doc:meta])* $field:ident : $type:ty = $default:expr, )* }
    ) => {
        $(#[$doc])*
        ///
        /// As written by a user: what is absent comes from the layer below.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $input {
            $( $(#[$field_doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>, )*
        }

        impl $input {
            /// Every field with its default.
            pub fn defaults() -> Self {
                Self { $( $field: Some($default), )* }
            }

            /// These settings where they are given, else those of the layer below.
            #[must_use]
            pub fn over(self, below: Self) -> Self {
                Self { $( $field: self.$field.or(below.$field), )* }
            }

            /// The names of the fields of this group.
            pub const FIELDS: &'static [&'static str] = &[ $( stringify!($field), )* ];
        }

        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize)]
        pub struct $settings {
            $( $(#[$field_doc])* pub $field: $type, )*
        }

        impl From<$input> for $settings {
            fn from(input: $input) -> Self {
                let complete = input.over($input::defaults());
                Self { $( $field: complete.$field.expect("defaults fill every field"), )* }
            }
        }

        impl Default for $settings {
            fn default() -> Self {
                $input::default().into()
            }
        }
    };
}

group! {
    /// Where candidates come from.
    DiscoverInput, DiscoverSettings {
        /// `spider`, `sitemap`, `both`, or `sitemap_then_spider` (links are followed only when no sitemap names a page).
        mechanisms: Mechanisms = Mechanisms::Both,
        /// Sitemaps to read; when empty, those of robots.txt, else /sitemap.xml, else /sitemap_index.xml.
        sitemaps: Vec<String> = Vec::new(),
        /// Whether resources (images, scripts, stylesheets …) are fetched at all.
        check_resources: bool = true,
        /// Which kinds of resources: image, script, stylesheet, font, video, audio, track, icon, manifest, css-url; empty = all.
        resource_kinds: Vec<String> = Vec::new(),
    }
}

group! {
    /// Which URLs belong to the crawl.
    ScopeInput, ScopeSettings {
        /// Whether subdomains of the seeds' hosts belong to the site.
        include_subdomains: bool = false,
        /// Further hosts that belong to the site.
        hosts: Vec<String> = Vec::new(),
        /// Hosts that are never asked, with their subdomains.
        exclude_hosts: Vec<String> = Vec::new(),
        /// `any` path of the host, or the seed's path as a prefix: `strict` on segment boundaries, or `loose`.
        paths: PathMatch = PathMatch::Any,
        /// When not empty, a URL must match one of these regular expressions.
        include: Vec<String> = Vec::new(),
        /// A URL that matches one of these is refused, whatever `include` says.
        exclude: Vec<String> = Vec::new(),
        /// How many links away from a seed a page may be; 0 = any.
        max_depth: u32 = 0,
        /// How many steps outside the site are followed, 0 to 5.
        external_hops: u32 = 0,
        /// Which URLs outside the site are asked whether they exist: `none`, `resources` or `all`.
        check_external: CheckExternal = CheckExternal::All,
        /// Follow links within the site that say nofollow.
        follow_internal_nofollow: bool = false,
        /// Follow (or check) links out of the site that say nofollow.
        follow_external_nofollow: bool = false,
        /// A meta robots noindex makes a page not indexable.
        respect_meta_noindex: bool = true,
        /// An X-Robots-Tag noindex makes a page not indexable.
        respect_header_noindex: bool = true,
        /// Visit the seeds alone, with their resources.
        single_page: bool = false,
        /// Refuse links to files that are no pages (archives, office documents, media …) by their extension.
        skip_files: bool = false,
    }
}

group! {
    /// How much is enough. 0 means no limit.
    LimitInput, LimitSettings {
        /// URLs fetched in this session; the rest stays pending.
        session_budget: u64 = 0,
        /// URLs fetched in the whole run.
        max_urls: u64 = 0,
        /// Unique pages for each seed.
        page_limit: u64 = 0,
        /// Whether the two budgets count `all` fetched URLs or `pages` only.
        budget_counts: BudgetCounts = BudgetCounts::All,
        /// Seconds that a session may take; then it pauses.
        max_seconds: u64 = 0,
        /// Characters of a URL.
        url_length: usize = 2048,
        /// A path in which one segment stands this often is a trap.
        path_repetition: usize = 4,
        /// Query variants of one path; more are a trap.
        query_variants: u64 = 1000,
        /// Dates (year/month/day paths or parameters) under one prefix; more are a calendar without end.
        calendar_dates: u64 = 2000,
        /// Pages whose URLs differ in numbers only and whose content is that of an earlier page; more are a maze.
        same_content: u64 = 500,
        /// Links taken from one page.
        links_per_page: usize = 50_000,
        /// URLs fetched from one host.
        urls_per_host: u64 = 0,
        /// Redirects in a row.
        redirects: u32 = 10,
        /// URLs taken from one sitemap file.
        sitemap_urls: usize = 50_000,
        /// Index files above a sitemap.
        sitemap_depth: u32 = 2,
        /// Sitemap files of one run.
        sitemap_files: u64 = 500,
        /// Bytes of fetched but not yet committed visits that may be held.
        window_bytes: usize = 256 * 1024 * 1024,
        /// URLs waiting in memory; the others wait in the store.
        backlog_urls: usize = 20_000,
    }
}

group! {
    /// How gently hosts are asked.
    PolitenessInput, PolitenessSettings {
        /// Requests under way at once, over all hosts; 1 to 1000.
        parallelism: usize = 5,
        /// Requests per second and host; 0 = as fast as it answers.
        rate: f64 = 10.0,
        /// Requests under way at once on one host; 0 = as many as `parallelism`.
        per_host: usize = 0,
        /// `respect`, `ignore`, or `ignore-report` (crawl anyway and say what would have been refused).
        robots: RobotsMode = RobotsMode::Respect,
        /// The name that robots.txt groups are matched against.
        robots_token: String = "bluesnake".to_owned(),
        /// The longest Crawl-delay that is obeyed, in milliseconds.
        max_crawl_delay_ms: u64 = 30_000,
        /// Waits before robots.txt is asked again after a server error.
        robots_retry_ms: Vec<u64> = vec![30_000, 120_000, 600_000],
        /// Slow down when a host answers 429 or 503, times out or breaks connections.
        adaptive: bool = true,
        /// The first wait after 429 or 503 without Retry-After; it doubles up to a minute.
        backoff_ms: u64 = 1_000,
        /// The longest Retry-After that is waited for; beyond it the host is given up for this session.
        max_retry_after_ms: u64 = 3_600_000,
        /// Failures in a row after which a host is left alone for a while; 0 = never.
        breaker_failures: u32 = 20,
        /// How long it is left alone.
        breaker_pause_ms: u64 = 30_000,
        /// How often that may happen in a row before the host is given up for this session.
        breaker_trips: u32 = 3,
        /// How long requests under way may still take after a stop.
        grace_ms: u64 = 10_000,
    }
}

group! {
    /// How one request is made.
    FetchInput, FetchSettings {
        /// The User-Agent header.
        user_agent: String = "bluesnake/1.0 (+https://snake.blue)".to_owned(),
        /// Further request headers; sent to the hosts of the crawl only.
        headers: BTreeMap<String, String> = BTreeMap::new(),
        /// The Accept-Language header; empty = none.
        accept_language: String = "en;q=0.9,*;q=0.5".to_owned(),
        /// `USER:PASSWORD` per origin or host, for HTTP basic authentication.
        auth: BTreeMap<String, String> = BTreeMap::new(),
        /// Keep and send cookies, each to the host that set it.
        cookies: bool = true,
        /// `NAME=VALUE` cookies to start with; sent to the seeds' hosts only.
        initial_cookies: Vec<String> = Vec::new(),
        /// `http://`, `https://` or `socks5://` proxy; empty = none.
        proxy: String = String::new(),
        /// `HOST:ADDRESS[:PORT]`: where to connect instead; the host may start with `*.`.
        resolve: Vec<String> = Vec::new(),
        /// Use HTTP/2 where the server offers it.
        http2: bool = true,
        /// Ask with HEAD first and fetch only what is a page.
        head_first: bool = false,
        /// A PEM file of further certificate authorities; empty = none.
        ca_file: PathBuf = PathBuf::new(),
        /// Hosts whose certificate is not checked; what is wrong with it is still told.
        insecure_hosts: Vec<String> = Vec::new(),
        /// May addresses that are not global (private, loopback, link-local) be reached?
        allow_private: bool = false,
        /// Milliseconds until the connection stands.
        connect_timeout_ms: u64 = 10_000,
        /// Milliseconds until the answer begins.
        timeout_ms: u64 = 20_000,
        /// Milliseconds without a byte of the body.
        idle_timeout_ms: u64 = 15_000,
        /// Milliseconds for the whole answer.
        total_timeout_ms: u64 = 60_000,
        /// Bytes per second below which a body that takes longer than 20 s is given up; 0 = never.
        min_rate: u64 = 1_000,
        /// Attempts in all, for failures that may pass: timeouts, broken connections, 429 and 5xx.
        attempts: u32 = 3,
        /// Waits before the second, third … attempt; the last one repeats.
        retry_delays_ms: Vec<u64> = vec![1_000, 2_000, 4_000],
        /// How much longer each further attempt may take than the one before.
        timeout_step_ms: u64 = 0,
        /// Bytes of a decoded body.
        body_limit: usize = 10 * 1024 * 1024,
        /// Bytes of a decoded sitemap.
        sitemap_body_limit: usize = 50 * 1024 * 1024,
        /// Bytes of all header fields of an answer.
        header_bytes: usize = 64 * 1024,
        /// Header fields of an answer.
        header_count: usize = 200,
        /// Decoded bytes per byte on the wire, once a MiB is decoded; more is taken for a bomb.
        max_ratio: usize = 200,
        /// Folder in which answers are kept and found again; empty = no cache.
        cache_dir: PathBuf = PathBuf::new(),
        /// Age in seconds from which a cached answer is asked for again; 0 = never too old.
        cache_seconds: u64 = 0,
    }
}

group! {
    /// What is read from a document.
    ParseInput, ParseSettings {
        /// Read the bodies of answers other than 2xx too.
        error_pages: bool = false,
        /// Guess the encoding of a document that does not say it.
        detect_charset: bool = true,
        /// A page whose bytes equal those of an earlier one is recorded, not expanded.
        skip_identical: bool = true,
        /// Fingerprint of the page's content: `xxhash`, `md5`, `sha256`, or `off`.
        content_hash: HashAlgorithm = HashAlgorithm::Xxhash,
        /// Elements that do not count as content.
        hash_exclude_tags: Vec<String> = ["script", "style", "nav", "footer"].map(str::to_owned).to_vec(),
        /// When not empty, only these elements count as content.
        hash_include_only_tags: Vec<String> = Vec::new(),
        /// Leave dates and times out of the fingerprint.
        hash_strip_timestamps: bool = true,
        /// Leave analytics and tracking snippets out of it.
        hash_strip_analytics: bool = true,
        /// Leave comments out of it.
        hash_strip_comments: bool = true,
        /// Treat any run of white space as one space.
        hash_collapse_whitespace: bool = true,
        /// Keep the document with the visit.
        keep_html: bool = false,
        /// Keep the visible text with the visit.
        keep_text: bool = false,
    }
}

/// Declares an enum whose variants are words in settings, columns and JSON.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal, )* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $( $(#[$variant_doc])* #[serde(rename = $word)] $variant, )* }

        impl $name {
            /// Every word, in order.
            pub const WORDS: &'static [&'static str] = &[ $( $word, )* ];

            /// The word for it.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $( $word => Ok(Self::$variant), )*
                    _ => Err(format!("`{word}` is none of {}", Self::WORDS.join(", "))),
                }
            }
        }
    };
}

words! {
    /// Where candidates come from.
    Mechanisms {
        /// Links of pages.
        Spider = "spider",
        /// Sitemaps alone.
        Sitemap = "sitemap",
        /// Links and sitemaps.
        Both = "both",
        /// Sitemaps; links only when these name no page.
        SitemapThenSpider = "sitemap_then_spider",
    }
}

impl Mechanisms {
    /// Whether sitemaps are looked for.
    pub fn uses_sitemaps(self) -> bool {
        self != Self::Spider
    }
}

words! {
    /// Which paths of the seeds' hosts belong to the crawl.
    PathMatch {
        /// All of them.
        Any = "any",
        /// Those under the seed's path, on segment boundaries: `/docs` has `/docs/a`, not `/documentation`.
        Strict = "strict",
        /// Those that start with the seed's path.
        Loose = "loose",
    }
}

words! {
    /// Which URLs outside the site are asked whether they exist.
    CheckExternal {
        /// None.
        None = "none",
        /// Images, scripts, stylesheets … that the site's pages use.
        Resources = "resources",
        /// Resources and links.
        All = "all",
    }
}

words! {
    /// What the budgets count.
    BudgetCounts {
        /// Every URL that is fetched.
        All = "all",
        /// Only those that are linked as pages.
        Pages = "pages",
    }
}

words! {
    /// What robots.txt means to us.
    RobotsMode {
        /// What it disallows is not fetched.
        Respect = "respect",
        /// It is not asked.
        Ignore = "ignore",
        /// What it disallows is fetched, and said.
        IgnoreReport = "ignore-report",
    }
}

words! {
    /// How content is fingerprinted.
    HashAlgorithm {
        /// xxh3, 64 bits.
        Xxhash = "xxhash",
        /// MD5, as other crawlers print it.
        Md5 = "md5",
        /// SHA-256.
        Sha256 = "sha256",
        /// Not at all.
        Off = "off",
    }
}

words! {
    /// A job's set of defaults.
    Preset {
        /// An audit of a site: everything on its host, external links checked, 10 requests a second.
        Site = "site",
        /// Documentation: what lies under the seed's path, no resources, 5 requests a second, one attempt.
        Docs = "docs",
        /// The graph of domains: one step outside, no resources, one request a second.
        Graph = "graph",
    }
}

/// Settings as written: every field optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlanInput {
    /// Where candidates come from.
    pub discover: DiscoverInput,
    /// Which URLs belong to the crawl.
    pub scope: ScopeInput,
    /// How much is enough.
    pub limits: LimitInput,
    /// How gently hosts are asked.
    pub politeness: PolitenessInput,
    /// How one request is made.
    pub fetch: FetchInput,
    /// What is read from a document.
    pub parse: ParseInput,
}

impl PlanInput {
    /// Every field with its default.
    pub fn defaults() -> Self {
        Self {
            discover: DiscoverInput::defaults(),
            scope: ScopeInput::defaults(),
            limits: LimitInput::defaults(),
            politeness: PolitenessInput::defaults(),
            fetch: FetchInput::defaults(),
            parse: ParseInput::defaults(),
        }
    }

    /// What a preset changes.
    pub fn preset(preset: Preset) -> Self {
        let mut input = Self::default();
        match preset {
            Preset::Site => {}
            Preset::Docs => {
                input.scope.paths = Some(PathMatch::Strict);
                input.scope.check_external = Some(CheckExternal::None);
                input.scope.skip_files = Some(true);
                input.discover.check_resources = Some(false);
                input.politeness.rate = Some(5.0);
                input.fetch.attempts = Some(1);
            }
            Preset::Graph => {
                input.scope.check_external = Some(CheckExternal::None);
                input.scope.external_hops = Some(1);
                input.scope.skip_files = Some(true);
                input.discover.check_resources = Some(false);
                input.discover.mechanisms = Some(Mechanisms::Spider);
                input.politeness.parallelism = Some(3);
                input.politeness.rate = Some(1.0);
                input.fetch.timeout_ms = Some(5_000);
                input.fetch.timeout_step_ms = Some(2_000);
                input.fetch.retry_delays_ms = Some(vec![5_000]);
            }
        }
        input
    }

    /// These settings where they are given, else those of the layer below.
    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self {
            discover: self.discover.over(below.discover),
            scope: self.scope.over(below.scope),
            limits: self.limits.over(below.limits),
            politeness: self.politeness.over(below.politeness),
            fetch: self.fetch.over(below.fetch),
            parse: self.parse.over(below.parse),
        }
    }
}

/// The settings of a run, checked and frozen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrawlPlan {
    /// Where the crawl starts; never empty, no two the same.
    #[serde(serialize_with = "as_strings")]
    pub seeds: Vec<CanonicalUrl>,
    /// Where candidates come from.
    pub discover: DiscoverSettings,
    /// Which URLs belong to the crawl.
    pub scope: ScopeSettings,
    /// How much is enough.
    pub limits: LimitSettings,
    /// How gently hosts are asked.
    pub politeness: PolitenessSettings,
    /// How one request is made.
    pub fetch: FetchSettings,
    /// What is read from a document.
    pub parse: ParseSettings,
}

fn as_strings<S: serde::Serializer>(seeds: &[CanonicalUrl], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seeds.iter().map(CanonicalUrl::as_str))
}

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

impl CrawlPlan {
    /// Checks seeds and settings; all problems are told at once.
    ///
    /// A user name and password in a seed become the credentials of that seed's origin and are kept nowhere else.
    pub fn new<S: AsRef<str>>(seeds: impl IntoIterator<Item = S>, input: PlanInput) -> Result<Self, PlanProblems> {
        let mut check = Check::default();
        let mut input = input;
        let seeds = check.seeds(seeds, &mut input);
        let plan = Self {
            seeds,
            discover: input.discover.into(),
            scope: input.scope.into(),
            limits: input.limits.into(),
            politeness: input.politeness.into(),
            fetch: input.fetch.into(),
            parse: input.parse.into(),
        };
        check.discover(&plan.discover);
        check.scope(&plan.scope);
        check.limits(&plan.limits);
        check.politeness(&plan.politeness);
        check.fetch(&plan.fetch);
        if check.problems.is_empty() { Ok(plan) } else { Err(PlanProblems(check.problems)) }
    }

    /// How many ordered visits may be under way or waiting for an earlier one.
    pub fn window(&self) -> usize {
        let by_rate = self.politeness.rate * self.timeout().as_secs_f64();
        (64 * self.politeness.parallelism).max(by_rate as usize)
    }

    /// How long an answer may take to begin.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.fetch.timeout_ms)
    }

    /// How long requests under way may still take after a stop.
    pub fn grace(&self) -> Duration {
        Duration::from_millis(self.politeness.grace_ms)
    }
}

#[derive(Default)]
struct Check {
    problems: Vec<Problem>,
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

    fn seeds<S: AsRef<str>>(&mut self, texts: impl IntoIterator<Item = S>, input: &mut PlanInput) -> Vec<CanonicalUrl> {
        let mut seeds: Vec<CanonicalUrl> = Vec::new();
        for text in texts {
            let text = text.as_ref();
            let seed = match CanonicalUrl::from_user_input(text) {
                Ok(seed) => seed,
                Err(problem) => {
                    self.wrong("seeds", format!("`{text}` cannot be crawled: {problem}"));
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

    fn discover(&mut self, discover: &DiscoverSettings) {
        for sitemap in &discover.sitemaps {
            if let Err(problem) = CanonicalUrl::parse(sitemap) {
                self.wrong("discover.sitemaps", format!("`{sitemap}` cannot be read: {problem}"));
            }
        }
        for kind in &discover.resource_kinds {
            let is_known =
                LinkKind::ALL.iter().any(|known| known.role() == crate::link::Role::Resource && known.as_str() == kind);
            self.require(is_known, "discover.resource_kinds", &format!("`{kind}` is no kind of resource"));
        }
    }

    fn scope(&mut self, scope: &ScopeSettings) {
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

    fn limits(&mut self, limits: &LimitSettings) {
        self.require(limits.path_repetition != 1, "limits.path_repetition", "must be 0 (off) or at least 2");
        self.require(limits.window_bytes >= 1 << 20, "limits.window_bytes", "must be at least 1048576");
        self.require(limits.backlog_urls >= 100, "limits.backlog_urls", "must be at least 100");
    }

    fn politeness(&mut self, politeness: &PolitenessSettings) {
        let in_range = (1..=1000).contains(&politeness.parallelism);
        self.require(in_range, "politeness.parallelism", "must be 1 to 1000");
        let is_rate = politeness.rate.is_finite() && politeness.rate >= 0.0;
        self.require(is_rate, "politeness.rate", "must be 0 (no limit) or a positive number");
        let is_token = !politeness.robots_token.is_empty()
            && politeness.robots_token.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
        self.require(is_token, "politeness.robots_token", "must consist of letters, `-` and `_`");
    }

    fn fetch(&mut self, fetch: &FetchSettings) {
        self.require(fetch.attempts >= 1, "fetch.attempts", "must be at least 1");
        self.require(fetch.timeout_ms >= 1, "fetch.timeout_ms", "must be at least 1");
        self.require(fetch.connect_timeout_ms >= 1, "fetch.connect_timeout_ms", "must be at least 1");
        self.require(
            fetch.total_timeout_ms >= fetch.timeout_ms,
            "fetch.total_timeout_ms",
            "must not be below timeout_ms",
        );
        self.require(!fetch.retry_delays_ms.is_empty(), "fetch.retry_delays_ms", "must name at least one wait");
        for (field, message) in crate::fetch::problems(fetch) {
            self.wrong(field, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_told_at_once() {
        let mut input = PlanInput::default();
        input.scope.external_hops = Some(9);
        input.scope.include = Some(vec!["(".to_owned()]);
        input.politeness.parallelism = Some(0);
        let PlanProblems(problems) = CrawlPlan::new(["mailto:a@b.c"], input).unwrap_err();
        let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["seeds", "scope.external_hops", "scope.include", "politeness.parallelism"]);
    }

    #[test]
    fn a_layer_above_wins_and_a_layer_below_fills_in() {
        let mut flags = PlanInput::default();
        flags.politeness.rate = Some(2.0);
        let plan = CrawlPlan::new(["a.example"], flags.over(PlanInput::preset(Preset::Docs))).unwrap();
        assert_eq!((plan.politeness.rate, plan.scope.paths), (2.0, PathMatch::Strict));
        assert_eq!(plan.fetch.attempts, 1);
    }

    #[test]
    fn seeds_are_unique_and_their_passwords_become_credentials_of_their_origin() {
        let plan = CrawlPlan::new(["https://me:secret@a.example/x#y", "https://a.example/x"], PlanInput::default());
        let plan = plan.unwrap();
        assert_eq!(plan.seeds, [CanonicalUrl::parse("https://a.example/x").unwrap()]);
        assert_eq!(plan.fetch.auth["https://a.example"], "me:secret");
    }

    #[test]
    fn no_seed_at_all_is_a_problem() {
        assert!(CrawlPlan::new(Vec::<String>::new(), PlanInput::default()).is_err());
    }

    #[test]
    fn the_window_follows_parallelism_or_the_rate() {
        let plan = CrawlPlan::new(["a.example"], PlanInput::default()).unwrap();
        assert_eq!(plan.window(), 320);
    }
}
