//! Every setting with its default, in groups named after the part of the engine that reads them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::words::{BudgetCounts, CheckExternal, HashAlgorithm, Mechanisms, PathMatch, RobotsMode};

/// What is shown of a setting where programs show values: passwords and the like are not.
fn unless_secret<'a>(field: &str, value: &'a dyn fmt::Debug) -> &'a dyn fmt::Debug {
    if matches!(field, "auth" | "headers" | "initial_cookies" | "proxy") { &"…" } else { value }
}

/// Declares one group of settings twice: as written (all optional) and as planned (all there).
macro_rules! group {
    (
        #[doc = $doc:literal]
        $input:ident, $settings:ident { $( #[doc = $field_doc:literal] $field:ident : $type:ty = $default:expr, )* }
    ) => {
        #[doc = $doc]
        ///
        /// As written by a user: what is absent comes from the layer below.
        #[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $input {
            $( #[doc = $field_doc] #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>, )*
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

            /// What the group is about, and what each of its fields means, in the order of [`Self::FIELDS`].
            pub const MEANINGS: (&'static str, &'static [&'static str]) = ($doc, &[ $( $field_doc, )* ]);
        }

        #[doc = $doc]
        #[derive(Clone, PartialEq, Serialize)]
        pub struct $settings {
            $( #[doc = $field_doc] pub $field: $type, )*
        }

        impl fmt::Debug for $input {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut shown = f.debug_struct(stringify!($input));
                $( shown.field(stringify!($field), unless_secret(stringify!($field), &self.$field)); )*
                shown.finish()
            }
        }

        impl fmt::Debug for $settings {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut shown = f.debug_struct(stringify!($settings));
                $( shown.field(stringify!($field), unless_secret(stringify!($field), &self.$field)); )*
                shown.finish()
            }
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
        /// Read /llms.txt, and the one beside the seed, for the pages it names.
        llms_txt: bool = false,
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
        /// Captures: take a page and its Markdown for one when their addresses differ in `.md`, a slash at the end or tracking parameters only.
        fold_addresses: bool = false,
    }
}

group! {
    /// How much is enough. 0 means no limit, unless it is said otherwise.
    LimitInput, LimitSettings {
        /// URLs fetched in this session; the rest stays pending.
        session_budget: u64 = 0,
        /// URLs fetched in the whole run.
        max_urls: u64 = 0,
        /// Bytes received in bodies in the whole run (default: 256 GiB); then it pauses.
        max_bytes: u64 = 256 << 30,
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
        /// Pages of one folder that repeat an earlier page and have numbered URLs, or lead only to new pages of that folder, before it counts as a maze.
        same_content: u64 = 500,
        /// Variants of one URL that differ only in a session id in the path, as in `/(S(…))/` or `;jsessionid`; more are a trap.
        session_variants: u64 = 20,
        /// Pages of one folder that lead only to new pages of that folder before it counts as endless; 20 times as many if they are numbered or link to each other.
        endless_pages: u64 = 10_000,
        /// Resources in a row of which each needs the next, such as stylesheets that import stylesheets.
        resource_depth: u32 = 10,
        /// Stylesheets that one stylesheet imports, directly or through others.
        nested_resources: u64 = 1_000,
        /// Links taken from one page.
        links_per_page: usize = 50_000,
        /// URLs fetched from one host.
        urls_per_host: u64 = 0,
        /// Redirects in a row; 0 follows none.
        redirects: u32 = 10,
        /// URLs taken from one sitemap file.
        sitemap_urls: usize = 50_000,
        /// Index files above a sitemap; 0 reads none that an index names.
        sitemap_depth: u32 = 2,
        /// Sitemap files of one run.
        sitemap_files: u64 = 500,
        /// Bytes of fetched visits that may wait in memory for their turn and for the database.
        window_bytes: usize = 64 * 1024 * 1024,
        /// URLs waiting in memory; the others wait in the store.
        backlog_urls: usize = 5_000,
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
        /// Requests under way at once to one IP address, over all hosts on it; 0 = as many as one host gets, but at least 8.
        per_address: usize = 0,
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
        /// Failures in a row after which a host is probed with robots.txt before the next URL; 0 = never.
        breaker_failures: u32 = 5,
        /// How long a host rests when the probe fails too.
        breaker_pause_ms: u64 = 30_000,
        /// How many rests it gets in a row before it is given up for this session.
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
        /// Ask for pages as Markdown first.
        prefer_markdown: bool = false,
        /// Ask with HEAD first and fetch only what is a page.
        head_first: bool = false,
        /// A PEM file of certificates to trust besides the built-in roots and those of the system (`SSL_CERT_FILE`); empty = none.
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
        /// Follow forms submitted with GET, using their initial values.
        get_forms: bool = false,
        /// Keep the document with the visit.
        keep_html: bool = false,
        /// Keep the visible text with the visit.
        keep_text: bool = false,
    }
}

group! {
    /// Which hosts make the graph of a weave.
    WeaveInput, WeaveSettings {
        /// How many links away from a starting point a host may be to be visited; at least 1.
        max_depth: u32 = 5,
        /// Pages asked for on each host: the front page, then pages it links to; 1 to 1000.
        max_crawls_per_node: u32 = 3,
        /// Subdomains of one registrable domain in the graph; 0 = any number.
        max_subdomains_per_root: u32 = 3,
        /// Hosts that one page links to and that are taken, in the order of the links; 0 = any number.
        max_outbound_links: u32 = 10,
        /// Hosts that are left out, with everything below them; `ads.*` stands for every subdomain whose first label is `ads`.
        exclude: Vec<String> = Vec::new(),
        /// Leave out social networks, advertising and analytics too.
        default_exclusions: bool = true,
    }
}
