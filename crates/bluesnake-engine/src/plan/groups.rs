//! Every setting with its help and default, in groups. A job has a group as a whole, in its smaller form, or not at all.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::schema::{Field, SettingType};
use super::words::{
    BudgetCounts, CheckExternal, HashAlgorithm, Mechanisms, PathMatch, RenderMode, RenderWhen, RobotsMode,
    WeaveRenderWhen,
};

/// Whether the values of a setting may be secret: they are neither logged nor stored.
pub fn is_secret(field: &str) -> bool {
    matches!(field, "auth" | "headers" | "initial_cookies" | "proxy")
}

fn unless_secret<'a>(field: &str, value: &'a dyn fmt::Debug) -> &'a dyn fmt::Debug {
    if is_secret(field) { &"…" } else { value }
}

/// Declares one group of settings twice: as written (all optional) and as planned (all present). A group with settings
/// that some job has no use for is declared in a smaller form first, then in full.
macro_rules! group {
    (
        #[doc = $doc:literal]
        $smaller_input:ident, $smaller:ident { $( #[doc = $field_doc:literal] $field:ident : $type:ty = $default:expr, )* }
        $input:ident, $settings:ident adds { $( $more:tt )* }
    ) => {
        group! {
            #[doc = $doc]
            $smaller_input, $smaller { $( #[doc = $field_doc] $field: $type = $default, )* }
        }

        group! {
            #[doc = $doc]
            $input, $settings { $( #[doc = $field_doc] $field: $type = $default, )* $( $more )* }
        }

        impl From<$input> for $smaller_input {
            /// Leaves out what the smaller form does not have.
            fn from(input: $input) -> Self {
                Self { $( $field: input.$field, )* }
            }
        }

        impl From<$smaller> for $settings {
            fn from(smaller: $smaller) -> Self {
                Self { $( $field: smaller.$field, )* ..Self::default() }
            }
        }
    };
    (
        #[doc = $doc:literal]
        $input:ident, $settings:ident { $( #[doc = $field_doc:literal] $field:ident : $type:ty = $default:expr, )* }
    ) => {
        #[doc = $doc]
        ///
        /// As written by a user: the layer below fills in absent fields.
        #[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $input {
            $( #[doc = $field_doc] #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>, )*
        }

        impl $input {
            /// What the group is about.
            pub const HELP: &'static str = $doc.trim_ascii();

            /// The fields of the group.
            pub const FIELDS: &'static [Field] = &[
                $( Field {
                    name: stringify!($field), help: $field_doc.trim_ascii(), schema: <$type as SettingType>::schema,
                }, )*
            ];

            /// Every field with its default.
            pub fn defaults() -> Self {
                Self { $( $field: Some($default), )* }
            }

            /// These settings, with absent ones taken from the layer below.
            #[must_use]
            pub fn over(self, below: Self) -> Self {
                Self { $( $field: self.$field.or(below.$field), )* }
            }
        }

        #[doc = $doc]
        #[derive(Clone, PartialEq, Serialize)]
        pub struct $settings {
            $( #[doc = $field_doc] pub $field: $type, )*
        }

        group!(@debug $input $( $field )*);
        group!(@debug $settings $( $field )*);

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
    (@debug $name:ident $( $field:ident )*) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut shown = f.debug_struct(stringify!($name));
                $( shown.field(stringify!($field), unless_secret(stringify!($field), &self.$field)); )*
                shown.finish()
            }
        }
    };
}

group! {
    /// Where URLs come from.
    DiscoverInput, DiscoverSettings {
        /// `spider` (links), `sitemap`, `both`, or `sitemap_then_spider` (follow links only if no sitemap lists a page).
        mechanisms: Mechanisms = Mechanisms::Both,
        /// Sitemaps to read. If empty: those listed in robots.txt, else /sitemap.xml, else /sitemap_index.xml.
        sitemaps: Vec<String> = Vec::new(),
        /// Maximum number of URLs read from one sitemap file; 0 = no limit.
        sitemap_urls: usize = 50_000,
        /// Maximum depth of nested sitemap indexes; 0 = read no sitemap that an index lists.
        sitemap_depth: u32 = 2,
        /// Maximum number of sitemap files per run; 0 = no limit.
        sitemap_files: u64 = 500,
        /// Maximum size of a decoded sitemap, in bytes.
        sitemap_body_limit: usize = 50 * 1024 * 1024,
        /// Read /llms.txt, and the one next to the seed, for the pages they list.
        llms_txt: bool = false,
        /// Send HEAD first and fetch only what is a page.
        head_first: bool = false,
    }
}

group! {
    /// Which URLs belong to the run, and how many.
    ScopeInput, ScopeSettings {
        /// Treat subdomains of the seeds' hosts as part of the site.
        include_subdomains: bool = false,
        /// More hosts that are part of the site.
        hosts: Vec<String> = Vec::new(),
        /// Hosts that are never requested, including their subdomains.
        exclude_hosts: Vec<String> = Vec::new(),
        /// `any` path of the host, or only paths below the seed's: `strict` on segment boundaries, or `loose`.
        paths: PathMatch = PathMatch::Any,
        /// If not empty, a URL must match one of these regular expressions.
        include: Vec<String> = Vec::new(),
        /// Refuse URLs that match one of these regular expressions, whatever `include` says.
        exclude: Vec<String> = Vec::new(),
        /// Maximum number of links between a seed and a page; 0 = no limit.
        max_depth: u32 = 0,
        /// Maximum number of URLs fetched in the whole run; 0 = no limit.
        max_urls: u64 = 0,
        /// Maximum number of unique pages per seed; 0 = no limit.
        page_limit: u64 = 0,
        /// Maximum number of URLs fetched from one host; 0 = no limit.
        urls_per_host: u64 = 0,
        /// Maximum number of body bytes received in the whole run, then it pauses (default: 256 GiB); 0 = no limit.
        max_bytes: u64 = 256 << 30,
        /// Whether `max_urls` and `limits.session_budget` count `all` fetched URLs or only `pages`.
        budget_counts: BudgetCounts = BudgetCounts::All,
        /// Number of steps outside the site to follow, 0 to 5.
        external_hops: u32 = 0,
        /// Follow nofollow links inside the site.
        follow_internal_nofollow: bool = false,
        /// Follow (or check) nofollow links that leave the site.
        follow_external_nofollow: bool = false,
        /// A meta robots noindex makes a page not indexable.
        respect_meta_noindex: bool = true,
        /// An X-Robots-Tag noindex makes a page not indexable.
        respect_header_noindex: bool = true,
        /// Visit only the seeds, with their resources.
        single_page: bool = false,
        /// Refuse links to files that are not pages (archives, office documents, media …), judged by extension.
        skip_files: bool = false,
    }
}

group! {
    /// When a part of a site counts as endless. 0 turns a rule off.
    TrapInput, TrapSettings {
        /// Refuse a path in which one segment appears this many times.
        path_repetition: usize = 4,
        /// Maximum number of query variants of one path.
        query_variants: u64 = 1000,
        /// Maximum number of dates (year/month/day paths or parameters) below one prefix.
        calendar_dates: u64 = 2000,
        /// Maximum number of pages in one folder that repeat an earlier page and have numbered URLs, or lead only to new pages of that folder.
        same_content: u64 = 500,
        /// Maximum number of variants of one URL that differ only in a session id in the path, as in `/(S(…))/` or `;jsessionid`.
        session_variants: u64 = 20,
        /// Maximum number of pages in one folder that lead only to new pages of that folder; 20 times as many if they are numbered or link to each other.
        endless_pages: u64 = 10_000,
    }
}

group! {
    /// Resources and links out of the site that are fetched to check that they work.
    ResourceInput, ResourceSettings {
        /// Fetch resources (images, scripts, stylesheets …).
        check: bool = true,
        /// Which kinds: image, script, stylesheet, font, video, audio, track, icon, manifest, css-url; empty = all.
        kinds: Vec<String> = Vec::new(),
        /// Which URLs outside the site to check: `none`, `resources` or `all`.
        check_external: CheckExternal = CheckExternal::All,
        /// Maximum length of a chain of resources that need each other, such as stylesheets that import stylesheets; 0 = no limit.
        depth: u32 = 10,
        /// Maximum number of stylesheets that one stylesheet imports, directly or indirectly; 0 = no limit.
        nested: u64 = 1_000,
    }
}

group! {
    /// Limits of one session and of one page. 0 means no limit, unless noted otherwise.
    LimitInput, LimitSettings {
        /// Maximum number of URLs fetched (weave: hosts visited) in a session; the rest stays pending.
        session_budget: u64 = 0,
        /// Maximum duration of a session in seconds; then it pauses.
        max_seconds: u64 = 0,
        /// Maximum length of a URL in characters.
        url_length: usize = 2048,
        /// Maximum number of links read from one page.
        links_per_page: usize = 50_000,
        /// Maximum number of redirects in a row; 0 = follow none.
        redirects: u32 = 10,
    }
}

group! {
    /// How much of a run waits in memory.
    MemoryInput, MemorySettings {
        /// Maximum size of fetched visits that wait for their turn and for the database, in bytes.
        window_bytes: usize = 64 * 1024 * 1024,
        /// Maximum number of pending URLs in memory; the rest waits in the store.
        backlog_urls: usize = 5_000,
    }
}

group! {
    /// How fast and how persistently hosts are requested.
    WeavePolitenessInput, WeavePolitenessSettings {
        /// Maximum number of concurrent requests over all hosts, 1 to 1000.
        parallelism: usize = 5,
        /// Maximum requests per second to one host; 0 = as fast as it responds.
        rate: f64 = 10.0,
        /// Maximum number of concurrent requests to one IP address, over all its hosts; 0 = as many as one host gets, but at least 8.
        per_address: usize = 0,
        /// `respect` robots.txt, `ignore` it, or `ignore-report` (fetch anyway and report what it disallows).
        robots: RobotsMode = RobotsMode::Respect,
        /// The name to match robots.txt groups against.
        robots_token: String = "bluesnake".to_owned(),
        /// The longest Crawl-delay to obey, in milliseconds.
        max_crawl_delay_ms: u64 = 30_000,
        /// Slow down when a host responds with 429 or 503, times out or drops connections.
        adaptive: bool = true,
        /// The first wait after a 429 or 503 without Retry-After, in milliseconds; it doubles up to a minute.
        backoff_ms: u64 = 1_000,
        /// The longest Retry-After to wait for, in milliseconds; beyond it, skip the host for this session.
        max_retry_after_ms: u64 = 3_600_000,
        /// Consecutive failures after which a host is probed with robots.txt before the next URL; 0 = never.
        breaker_failures: u32 = 5,
        /// How long a host rests when the probe fails too, in milliseconds.
        breaker_pause_ms: u64 = 30_000,
        /// Number of rests in a row before a host is skipped for this session.
        breaker_trips: u32 = 3,
        /// How long running requests may take after a stop, in milliseconds.
        grace_ms: u64 = 10_000,
    }
    PolitenessInput, PolitenessSettings adds {
        /// Maximum number of concurrent requests to one host; 0 = same as `parallelism`.
        per_host: usize = 0,
        /// Waits before retrying robots.txt after a server error, in milliseconds.
        robots_retry_ms: Vec<u64> = vec![30_000, 120_000, 600_000],
    }
}

group! {
    /// How one request is sent and its response read.
    FetchInput, FetchSettings {
        /// The User-Agent header.
        user_agent: String = "bluesnake/1.0 (+https://snake.blue)".to_owned(),
        /// More request headers, sent only to the hosts of the run.
        headers: BTreeMap<String, String> = BTreeMap::new(),
        /// The Accept-Language header; empty = none.
        accept_language: String = "en;q=0.9,*;q=0.5".to_owned(),
        /// `USER:PASSWORD` by origin or host, for HTTP basic authentication.
        auth: BTreeMap<String, String> = BTreeMap::new(),
        /// Keep cookies and send each to the host that set it.
        cookies: bool = true,
        /// Initial `NAME=VALUE` cookies, sent only to the seeds' hosts.
        initial_cookies: Vec<String> = Vec::new(),
        /// `http://`, `https://` or `socks5://` proxy; empty = none.
        proxy: String = String::new(),
        /// `HOST:ADDRESS[:PORT]`: connect there instead; the host may start with `*.`.
        resolve: Vec<String> = Vec::new(),
        /// Use HTTP/2 if the server offers it.
        http2: bool = true,
        /// Prefer Markdown to HTML in the Accept header.
        prefer_markdown: bool = false,
        /// A PEM file of certificates to trust, in addition to the built-in roots and those of the system (`SSL_CERT_FILE`); empty = none.
        ca_file: PathBuf = PathBuf::new(),
        /// Hosts whose certificates are not verified; problems are still reported.
        insecure_hosts: Vec<String> = Vec::new(),
        /// Allow connections to addresses that are not global (private, loopback, link-local).
        allow_private: bool = false,
        /// Maximum time to connect, in milliseconds.
        connect_timeout_ms: u64 = 10_000,
        /// Maximum time until the response starts, in milliseconds.
        timeout_ms: u64 = 20_000,
        /// Maximum time between two bytes of the body, in milliseconds.
        idle_timeout_ms: u64 = 15_000,
        /// Maximum time for the whole response, in milliseconds.
        total_timeout_ms: u64 = 60_000,
        /// Minimum bytes per second of a body that takes longer than 20 s; 0 = no minimum.
        min_rate: u64 = 1_000,
        /// Maximum number of attempts for failures that may be temporary: timeouts, broken connections, 429 and 5xx.
        attempts: u32 = 3,
        /// Waits before the second, third … attempt, in milliseconds; the last one repeats.
        retry_delays_ms: Vec<u64> = vec![1_000, 2_000, 4_000],
        /// How much more time each further attempt gets, in milliseconds.
        timeout_step_ms: u64 = 0,
        /// Maximum size of a decoded body, in bytes.
        body_limit: usize = 10 * 1024 * 1024,
        /// Maximum size of all header fields of a response, in bytes.
        header_bytes: usize = 64 * 1024,
        /// Maximum number of header fields of a response.
        header_count: usize = 200,
        /// Maximum ratio of decoded to received bytes, once a MiB is decoded.
        max_ratio: usize = 200,
        /// Read the bodies of responses other than 2xx too.
        error_pages: bool = false,
        /// Detect the encoding of a document that does not declare it.
        detect_charset: bool = true,
        /// Folder of cached responses; empty = no cache.
        cache_dir: PathBuf = PathBuf::new(),
        /// Maximum age of a cached response in seconds; 0 = no limit.
        cache_seconds: u64 = 0,
    }
}

group! {
    /// Pages as a browser shows them, with Chrome or Chromium.
    RenderInput, RenderSettings {
        /// Which pages to render: `off` (none), `on` (all), or `auto` (those that are empty without JavaScript).
        when: RenderWhen = RenderWhen::Off,
        /// How much time the scripts of a page get: `fast` (2 s), `balanced` (5 s) or `thorough` (15 s). This time is virtual: idle waits are skipped, and it stops while the page waits for the network.
        mode: RenderMode = RenderMode::Balanced,
        /// Three waits that replace those of `mode`, in milliseconds of virtual time: before scrolling, after scrolling, and at the end.
        waits_ms: Vec<u64> = Vec::new(),
        /// CSS selectors to wait for, up to 15 more seconds of virtual time.
        wait_for: Vec<String> = Vec::new(),
        /// Scroll to the end of the page, for content that is loaded on demand.
        scroll: bool = true,
        /// Give scripts a fixed clock and fixed random numbers, so that the same page always renders the same.
        deterministic: bool = true,
        /// Maximum real time for one page, in milliseconds.
        timeout_ms: u64 = 20_000,
        /// Maximum number of pages rendered at once; 0 = as many as there are cores.
        slots: usize = 0,
        /// Keep a picture of each rendered page.
        screenshot: bool = false,
        /// The browser to use; empty = `BLUESNAKE_BROWSER`, or the Chrome or Chromium that is installed.
        browser: PathBuf = PathBuf::new(),
    }
}

group! {
    /// Pages as a browser shows them, with Chrome or Chromium.
    WeaveRenderInput, WeaveRenderSettings {
        /// Whether to render pages: `off` or `on`.
        when: WeaveRenderWhen = WeaveRenderWhen::Off,
        /// How much time the scripts of a page get: `fast` (2 s), `balanced` (5 s) or `thorough` (15 s) of virtual time.
        mode: RenderMode = RenderMode::Balanced,
        /// Maximum real time for one page, in milliseconds.
        timeout_ms: u64 = 20_000,
        /// Maximum number of pages rendered at once; 0 = as many as there are cores.
        slots: usize = 0,
        /// The browser to use; empty = `BLUESNAKE_BROWSER`, or the Chrome or Chromium that is installed.
        browser: PathBuf = PathBuf::new(),
    }
}

impl From<WeaveRenderSettings> for RenderSettings {
    fn from(settings: WeaveRenderSettings) -> Self {
        let WeaveRenderSettings { when, mode, timeout_ms, slots, browser } = settings;
        Self { when: when.into(), mode, timeout_ms, slots, browser, ..Self::default() }
    }
}

group! {
    /// What is read from a page.
    CaptureParseInput, CaptureParseSettings {
        /// Record a page whose bytes equal those of an earlier one, but do not follow its links.
        skip_identical: bool = true,
        /// Follow forms submitted with GET, using their initial values.
        get_forms: bool = false,
    }
    ParseInput, ParseSettings adds {
        /// Fingerprint of the page's content: `xxhash`, `md5`, `sha256`, or `off`.
        content_hash: HashAlgorithm = HashAlgorithm::Xxhash,
        /// Elements that do not count as content.
        hash_exclude_tags: Vec<String> = ["script", "style", "nav", "footer"].map(str::to_owned).to_vec(),
        /// If not empty, only these elements count as content.
        hash_include_only_tags: Vec<String> = Vec::new(),
        /// Ignore dates and times in the fingerprint.
        hash_strip_timestamps: bool = true,
        /// Ignore analytics and tracking snippets in the fingerprint.
        hash_strip_analytics: bool = true,
        /// Ignore comments in the fingerprint.
        hash_strip_comments: bool = true,
        /// Treat any run of white space as one space in the fingerprint.
        hash_collapse_whitespace: bool = true,
    }
}

group! {
    /// Which checks an audit makes, and from where on something counts as a finding.
    AuditGroupInput, AuditSettings {
        /// Checks to switch off, by id (see `bluesnake checks`).
        off: Vec<String> = Vec::new(),
        /// Minimum length of a title in characters.
        title_min: usize = 30,
        /// Maximum length of a title in characters.
        title_max: usize = 60,
        /// Minimum width of a title in a search result, in pixels.
        title_min_pixels: usize = 200,
        /// Maximum width of a title in a search result, in pixels.
        title_max_pixels: usize = 561,
        /// Minimum length of a meta description in characters.
        description_min: usize = 70,
        /// Maximum length of a meta description in characters.
        description_max: usize = 155,
        /// Minimum width of a meta description in a search result, in pixels.
        description_min_pixels: usize = 400,
        /// Maximum width of a meta description in a search result, in pixels.
        description_max_pixels: usize = 985,
        /// Maximum length of an h1 in characters.
        h1_max: usize = 70,
        /// Maximum length of an h2 in characters.
        h2_max: usize = 70,
        /// Maximum length of a URL in characters.
        url_max: usize = 115,
        /// Maximum length of an image's alt text in characters.
        alt_max: usize = 100,
        /// Minimum number of words of a page, without navigation, header and footer.
        min_words: usize = 200,
        /// Percentage of common text from which pages are near duplicates, 50 to 100.
        near_duplicate_percent: u32 = 90,
        /// Maximum size of an image in bytes.
        image_bytes: u64 = 100 * 1024,
        /// Maximum size of an HTML document in bytes, decoded.
        html_bytes: u64 = 2 * 1024 * 1024,
        /// Maximum size of a script, stylesheet or other resource in bytes, decoded.
        resource_bytes: u64 = 2 * 1024 * 1024,
        /// Maximum time to the first byte of a page, in milliseconds.
        slow_ms: u64 = 1_000,
        /// Number of links from a seed from which a page counts as deep.
        depth: u32 = 4,
        /// Maximum number of internal links on a page.
        internal_outlinks: usize = 1_000,
        /// Maximum number of external links on a page.
        external_outlinks: usize = 100,
        /// Percentage of pages with the same finding from which their template counts as the cause, 10 to 100.
        template_percent: u32 = 50,
        /// Compare titles, descriptions, headings and texts of indexable pages only.
        duplicates_indexable_only: bool = true,
        /// Link texts that do not describe their target.
        vague_texts: Vec<String> = [
            "click here", "click", "here", "right here", "this", "this page", "link", "go", "start", "more", "more info",
            "learn more", "read more", "see more", "view more", "find out more", "details", "continue",
        ].map(str::to_owned).to_vec(),
        /// Texts in a title or h1 that mark a page as not found.
        not_found_texts: Vec<String> = [
            "page not found", "404 not found", "error 404", "404 error", "page does not exist", "page cannot be found",
        ].map(str::to_owned).to_vec(),
    }
}

group! {
    /// What is extracted from every page: at most 50 rules.
    ExtractInput, ExtractSettings {
        /// Values to extract, by name: `css:SELECTOR` (the text of elements), `css:SELECTOR@ATTRIBUTE`, or `regex:PATTERN` on the source (the first group, or the whole match); the first 10 matches, at most 1,000 characters each.
        columns: BTreeMap<String, String> = BTreeMap::new(),
        /// Texts to count in the source, by name: a text (case matters), or `regex:PATTERN`.
        contains: BTreeMap<String, String> = BTreeMap::new(),
    }
}

group! {
    /// What is stored with each visit.
    KeepInput, KeepSettings {
        /// Store the document.
        html: bool = false,
        /// Store the visible text.
        text: bool = false,
    }
}

group! {
    /// What counts as the content of a page, and which pages are duplicates.
    CaptureGroupInput, CaptureSettings {
        /// Treat a page and its Markdown as one if their URLs differ only in `.md`, a trailing slash or tracking parameters.
        fold_urls: bool = true,
        /// CSS selectors of elements that are the content of a page; a page without them is read as usual.
        include: Vec<String> = Vec::new(),
        /// CSS selectors of elements that are not content.
        exclude: Vec<String> = Vec::new(),
    }
}

group! {
    /// Which hosts make up the graph.
    WeaveGroupInput, WeaveSettings {
        /// Maximum number of links between a seed and a visited host; at least 1.
        max_depth: u32 = 5,
        /// Maximum number of pages requested from each host, 1 to 1000: the front page, then pages it links to.
        max_crawls_per_node: u32 = 3,
        /// Maximum number of subdomains of one registrable domain; 0 = no limit.
        max_subdomains_per_root: u32 = 3,
        /// Maximum number of hosts that one page contributes, in the order of its links; 0 = no limit.
        max_outbound_links: u32 = 10,
        /// Hosts to leave out, with everything below them; `ads.*` is every subdomain whose first label is `ads`.
        exclude: Vec<String> = Vec::new(),
        /// Leave out social networks, advertising and analytics too.
        default_exclusions: bool = true,
        /// Follow nofollow links to pages of the same host.
        follow_nofollow: bool = false,
        /// Skip links to files that are not pages (archives, office documents, media …), judged by extension.
        skip_files: bool = true,
    }
}
