//! No inert option: every setting, changed alone, makes a difference that can be observed from outside.
//!
//! Each case is a little site, the settings both crawls share, and the change of one field. A crawl is summarized as an
//! [`observe`]d text: the requests, the outcome of every URL and the contents of its visit. Two crawls without the
//! change must give the same text, and the one with the change a different one. A field without a case fails the test.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use bluesnake_engine::document::{Document, Source};
use bluesnake_engine::plan::{
    AuditGroupInput, BudgetCounts, CaptureGroupInput, CheckExternal, DiscoverInput, ExtractInput, FetchInput, Group,
    HashAlgorithm, KeepInput, LimitInput, Mechanisms, MemoryInput, ParseInput, PathMatch, PolitenessInput,
    ResourceInput, RobotsMode, ScopeInput, TrapInput, WeaveGroupInput,
};
use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl};
use bluesnake_engine::{
    AuditInput, AuditPlan, Batch, CaptureInput, CapturePlan, Committed, CrawlPlan, Crawler, Event, Finished, JobInput,
    MemoryStore, Number, Paces, Store, StoreError, Turn, UrlRow, WeaveInput,
};
use testsite::{Fault, Large, Latency, Mode, Monster, Page, Reply, Running, Site, Tls, scenarios};
use tokio::task::JoinSet;

use crate::world::{Folder, end_of, local};

/// The settings of a case: the groups of all jobs.
#[derive(Clone, Default)]
pub(crate) struct Written {
    pub(crate) discover: DiscoverInput,
    pub(crate) scope: ScopeInput,
    pub(crate) traps: TrapInput,
    pub(crate) resources: ResourceInput,
    pub(crate) limits: LimitInput,
    pub(crate) memory: MemoryInput,
    pub(crate) politeness: PolitenessInput,
    pub(crate) fetch: FetchInput,
    pub(crate) parse: ParseInput,
    pub(crate) extract: ExtractInput,
    pub(crate) keep: KeepInput,
    pub(crate) capture: CaptureGroupInput,
    pub(crate) weave: WeaveGroupInput,
}

impl Written {
    fn local() -> Self {
        let AuditInput { discover, resources, politeness, fetch, .. } = local();
        Self { discover, resources, politeness, fetch, ..Self::default() }
    }

    fn audit(self) -> AuditInput {
        let Self { discover, scope, traps, resources, limits, memory, politeness, fetch, parse, extract, keep, .. } =
            self;
        let audit = AuditGroupInput::default();
        AuditInput {
            audit,
            discover,
            scope,
            traps,
            resources,
            limits,
            memory,
            politeness,
            fetch,
            parse,
            extract,
            keep,
            ..AuditInput::default()
        }
    }

    /// Over the defaults of the groups, so that cases are the same for every job.
    fn capture(self) -> CaptureInput {
        let Self { capture, discover, scope, limits, politeness, fetch, .. } = self;
        let (scope, fetch) = (scope.over(ScopeInput::defaults()), fetch.over(FetchInput::defaults()));
        CaptureInput { capture, discover, scope, limits, politeness, fetch, ..CaptureInput::default() }
    }

    /// Over the defaults of the groups, so that cases are the same for every job.
    pub(crate) fn weave(self) -> WeaveInput {
        WeaveInput {
            weave: self.weave,
            limits: self.limits,
            politeness: self.politeness.over(PolitenessInput::defaults()).into(),
            fetch: self.fetch.over(FetchInput::defaults()),
            ..WeaveInput::default()
        }
    }
}

/// One field and how its effect shows.
pub(crate) struct Case {
    pub(crate) field: &'static str,
    pub(crate) site: fn() -> Site,
    /// The path of the seed, or a whole URL; `{port}` is the site's port.
    pub(crate) seed: &'static str,
    /// What both crawls share.
    pub(crate) shared: fn(&mut Written, &World),
    /// The change of one field.
    pub(crate) change: fn(&mut Written, &World),
    /// What else to look at, such as times at the server; it must be the same in every crawl with the same settings.
    also: fn(&Observed<'_>) -> String,
    /// How many sessions: the second uses the cache that the first one filled.
    pub(crate) sessions: u32,
    /// Whether both crawls are captures.
    reads_documents: bool,
}

/// What the settings of a case may need to know.
pub(crate) struct World {
    pub(crate) site: Running,
    pub(crate) folder: Folder,
}

impl World {
    fn ca_file(&self) -> std::path::PathBuf {
        self.folder.file("ca.pem", &self.site.ca_pem())
    }
}

/// A crawl that is over.
struct Observed<'a> {
    site: &'a Running,
    store: &'a MemoryStore,
    finished: &'a Finished,
    pending_reads: u32,
    news: &'a [String],
}

impl Observed<'_> {
    fn visit(&self, path: &str) -> Arc<Committed> {
        self.store.visit(&self.site.url(path)).unwrap_or_else(|| panic!("{path} was not visited"))
    }

    /// Whether the shortest time between two requests, that for robots.txt aside, is at least this long.
    fn has_gaps_of(&self, milliseconds: u64) -> bool {
        self.site.seen().shortest_gap_without_robots() >= Duration::from_millis(milliseconds)
    }

    /// Whether some time between two requests is at least this long.
    fn has_a_gap_of(&self, milliseconds: u64) -> bool {
        let log = self.site.log();
        log.windows(2).any(|pair| pair[1].at - pair[0].at >= Duration::from_millis(milliseconds))
    }
}

pub(crate) fn case(field: &'static str, site: fn() -> Site, change: fn(&mut Written, &World)) -> Case {
    Case {
        field,
        site,
        seed: "/",
        shared: |_, _| {},
        change,
        also: |_| String::new(),
        sessions: 1,
        reads_documents: false,
    }
}

impl Case {
    pub(crate) fn shared(self, shared: fn(&mut Written, &World)) -> Self {
        Self { shared, ..self }
    }

    pub(crate) fn seed(self, seed: &'static str) -> Self {
        Self { seed, ..self }
    }

    fn also(self, also: fn(&Observed<'_>) -> String) -> Self {
        Self { also, ..self }
    }

    fn sessions(self, sessions: u32) -> Self {
        Self { sessions, ..self }
    }

    fn reading_documents(self) -> Self {
        Self { reads_documents: true, ..self }
    }

    /// The site with where to start and how, with the change or without.
    pub(crate) async fn begin(&self, change: Change) -> (World, String, Written) {
        let world = World { site: (self.site)().start().await, folder: Folder::new() };
        let mut input = Written::local();
        input.politeness.parallelism = Some(1);
        input.weave.max_crawls_per_node = Some(100);
        (self.shared)(&mut input, &world);
        if change == Change::Yes {
            (self.change)(&mut input, &world);
        }
        let seed = match self.seed.strip_prefix('/') {
            Some(_) => world.site.url(self.seed),
            None => self.seed.replace("{port}", &world.site.port().to_string()),
        };
        (world, seed, input)
    }
}

pub(crate) fn page(title: &str) -> Page {
    Page::titled(title)
}

/// A home page with these links, and a page behind each.
fn linked(paths: &[&str]) -> Site {
    let site = Site::new().page("/", page("Home").links(paths));
    paths.iter().fold(site, |site, path| site.page(path, page(path)))
}

fn one_page(html: &str) -> Site {
    Site::new().reply("/", Reply::html(format!("<!doctype html><title>Home</title>{html}")))
}

/// Two pages that differ in these pieces only.
fn twins(one: &str, other: &str) -> Site {
    let twin = |piece: &str| Reply::html(format!("<!doctype html><title>Twin</title><p>The same words. {piece}</p>"));
    Site::new()
        .page("/", page("Home").link("/one").link("/other"))
        .reply("/one", twin(one))
        .reply("/other", twin(other))
}

pub(crate) fn two_hosts() -> Site {
    let own = Site::new().page(
        "/",
        page("Home")
            .link_text("{host:sub.a.test}/x", "sub")
            .link_text("{host:b.test}/y", "other")
            .html("<a href=\"{host:b.test}/z\" rel=nofollow>not followed</a>"),
    );
    let sub = Site::new().page("/x", page("Sub").link("/x2")).page("/x2", page("Sub 2"));
    let other = Site::new().page("/y", page("Other").link("/y2")).page("/y2", page("Other 2")).page("/z", page("Z"));
    Site::new().host("a.test", own).host("sub.a.test", sub).host("b.test", other)
}

pub(crate) fn with_hosts(input: &mut Written, _: &World) {
    input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
}

fn with_sitemaps(input: &mut Written, _: &World) {
    input.discover.mechanisms = Some(Mechanisms::Both);
}

/// A sound home page with twenty links that all break the connection.
fn breaking() -> Site {
    let paths: Vec<String> = (0..20).map(|number| format!("/broken/{number}")).collect();
    let site = Site::new().page("/", page("Home").links(&paths));
    let site = paths.iter().fold(site, |site, path| site.page(path, page("Sound")));
    site.mode(Mode::Outage { status: 500, requests: 3..1_000_000 })
}

fn broken_home() -> Site {
    Site::new().fault("/", Fault::ResetBeforeHeaders)
}

fn with_a_quick_breaker(input: &mut Written, _: &World) {
    input.politeness.breaker_failures = Some(1);
    input.politeness.breaker_pause_ms = Some(5);
    input.politeness.breaker_trips = Some(1);
    input.politeness.adaptive = Some(false);
}

fn discover_cases() -> Vec<Case> {
    vec![
        case("discover.mechanisms", scenarios::sitemap_only, |input, _| {
            input.discover.mechanisms = Some(Mechanisms::Both);
        }),
        case(
            "discover.sitemaps",
            || linked(&["/a"]).sitemap("/odd.xml", ["/listed"]),
            |input, world| {
                input.discover.sitemaps = Some(vec![world.site.url("/odd.xml")]);
            },
        )
        .shared(with_sitemaps),
        case("discover.llms_txt", llms_listed, |input, _| input.discover.llms_txt = Some(true)).shared(with_sitemaps),
        case("resources.check", scenarios::resources, |input, _| input.resources.check = Some(false)),
        case("resources.kinds", scenarios::resources, |input, _| {
            input.resources.kinds = Some(vec!["script".to_owned()]);
        }),
    ]
}

/// A Markdown list with a page that nothing links to.
fn llms_listed() -> Site {
    let list = Reply::text("text/plain", "# Site\n- [Listed](/listed)\n");
    Site::new().page("/", page("Home")).page("/listed", page("Listed")).reply("/llms.txt", list)
}

fn scope_cases() -> Vec<Case> {
    vec![
        case("scope.include_subdomains", two_hosts, |input, _| input.scope.include_subdomains = Some(true))
            .shared(with_hosts)
            .seed("http://a.test:{port}/"),
        case(
            "capture.fold_urls",
            || linked(&["/twin", "/twin.md"]).reply("/twin.md", Reply::text("text/markdown", "# Other words")),
            |input, _| input.capture.fold_urls = Some(false),
        )
        .reading_documents(),
        case("scope.hosts", two_hosts, |input, _| input.scope.hosts = Some(vec!["b.test".to_owned()]))
            .shared(with_hosts)
            .seed("http://a.test:{port}/"),
        case("scope.exclude_hosts", two_hosts, |input, _| input.scope.exclude_hosts = Some(vec!["b.test".to_owned()]))
            .shared(|input, world| {
                with_hosts(input, world);
                input.resources.check_external = Some(CheckExternal::All);
            })
            .seed("http://a.test:{port}/"),
        case(
            "scope.paths",
            || linked(&["/docs/a", "/documentation"]).page("/docs", page("Docs").links(["/docs/a", "/documentation"])),
            |input, _| {
                input.scope.paths = Some(PathMatch::Strict);
            },
        )
        .seed("/docs"),
        case("scope.include", || linked(&["/a", "/b"]), |input, _| input.scope.include = Some(vec!["/a$".to_owned()])),
        case("scope.exclude", || linked(&["/a", "/b"]), |input, _| input.scope.exclude = Some(vec!["/a$".to_owned()])),
        case(
            "scope.max_depth",
            || linked(&["/a"]).page("/a", page("A").link("/b")).page("/b", page("B")),
            |input, _| {
                input.scope.max_depth = Some(1);
            },
        ),
        case("scope.external_hops", two_hosts, |input, _| input.scope.external_hops = Some(1))
            .shared(with_hosts)
            .seed("http://a.test:{port}/"),
        case("resources.check_external", two_hosts, |input, _| {
            input.resources.check_external = Some(CheckExternal::All)
        })
        .shared(with_hosts)
        .seed("http://a.test:{port}/"),
        case(
            "scope.follow_internal_nofollow",
            || Site::new().page("/", page("Home").nofollow_link("/a")).page("/a", page("A")),
            |input, _| {
                input.scope.follow_internal_nofollow = Some(true);
            },
        ),
        case("scope.follow_external_nofollow", two_hosts, |input, _| input.scope.follow_external_nofollow = Some(true))
            .shared(|input, world| {
                with_hosts(input, world);
                input.resources.check_external = Some(CheckExternal::All);
            })
            .seed("http://a.test:{port}/"),
        case(
            "scope.respect_meta_noindex",
            || Site::new().page("/", page("Home").noindex()),
            |input, _| {
                input.scope.respect_meta_noindex = Some(false);
            },
        ),
        case(
            "scope.respect_header_noindex",
            || Site::new().reply("/", Reply::html("<p>x").header("X-Robots-Tag", "noindex")),
            |input, _| {
                input.scope.respect_header_noindex = Some(false);
            },
        ),
        case("scope.single_page", || linked(&["/a"]), |input, _| input.scope.single_page = Some(true)),
        case("scope.skip_files", || linked(&["/a.zip"]), |input, _| input.scope.skip_files = Some(true)),
    ]
}

fn limit_cases() -> Vec<Case> {
    let three = || linked(&["/1", "/2", "/3"]);
    vec![
        case("limits.session_budget", three, |input, _| input.limits.session_budget = Some(2)),
        case("scope.max_urls", three, |input, _| input.scope.max_urls = Some(2)),
        case("scope.page_limit", three, |input, _| input.scope.page_limit = Some(2)),
        case(
            "scope.budget_counts",
            || Site::new().page("/", page("Home").image("/a.png").image("/b.png").link("/1")).page("/1", page("1")),
            |input, _| {
                input.scope.budget_counts = Some(BudgetCounts::Pages);
            },
        )
        .shared(|input, _| input.scope.max_urls = Some(2)),
        case(
            "limits.max_seconds",
            || Site::new().reply("/", Reply::html("late").delay(Duration::from_millis(2_500))),
            |input, _| {
                input.limits.max_seconds = Some(1);
            },
        )
        .shared(|input, _| input.politeness.grace_ms = Some(1)),
        case(
            "limits.url_length",
            || linked(&["/a-rather-long-address-of-a-page-that-would-be-fine-otherwise"]),
            |input, _| {
                input.limits.url_length = Some(50);
            },
        ),
        case("traps.path_repetition", || linked(&["/a/b/a"]), |input, _| input.traps.path_repetition = Some(2)),
        case(
            "traps.query_variants",
            || linked(&["/a?1", "/a?2", "/a?3"]),
            |input, _| input.traps.query_variants = Some(2),
        ),
        case(
            "traps.calendar_dates",
            || linked(&["/c/2024/01", "/c/2024/02", "/c/2024/03"]),
            |input, _| {
                input.traps.calendar_dates = Some(2);
            },
        ),
        case("traps.same_content", same_content, |input, _| input.traps.same_content = Some(1)),
        case(
            "traps.session_variants",
            || linked(&["/(S(a1b2c3d4))/a", "/(S(a1b2c3d5))/a", "/(S(a1b2c3d6))/a"]),
            |input, _| input.traps.session_variants = Some(2),
        ),
        case(
            "traps.endless_pages",
            || Site::new().large("", Large::Posts { posts: 8 }),
            |input, _| {
                input.traps.endless_pages = Some(4);
            },
        ),
        case("resources.depth", nested_stylesheets, |input, _| input.resources.depth = Some(2)),
        case("resources.nested", nested_stylesheets, |input, _| input.resources.nested = Some(1)),
        case("scope.max_bytes", three, |input, _| input.scope.max_bytes = Some(1)),
        case("limits.links_per_page", three, |input, _| input.limits.links_per_page = Some(2)),
        case("scope.urls_per_host", three, |input, _| input.scope.urls_per_host = Some(2)),
        case("limits.redirects", || scenarios::redirect_chain(4), |input, _| input.limits.redirects = Some(2)),
        case("discover.sitemap_urls", scenarios::sitemap_only, |input, _| input.discover.sitemap_urls = Some(1))
            .shared(with_sitemaps),
        case("discover.sitemap_depth", scenarios::sitemap_only, |input, _| input.discover.sitemap_depth = Some(0))
            .shared(with_sitemaps),
        case("discover.sitemap_files", scenarios::sitemap_only, |input, _| input.discover.sitemap_files = Some(2))
            .shared(with_sitemaps),
        case("memory.window_bytes", a_slow_page_before_large_ones, |input, _| {
            input.memory.window_bytes = Some(1 << 20)
        })
        .shared(|input, _| {
            input.keep.html = Some(true);
            input.politeness.parallelism = Some(2);
        })
        .also(|observed| format!("ran ahead: {}", large_pages_before_the_slow_one(observed) >= 15)),
        case(
            "memory.backlog_urls",
            || Site::new().reply("/", Monster::ManyLinks(300).reply()),
            |input, _| {
                input.memory.backlog_urls = Some(100);
            },
        )
        .also(|observed| format!("reads the store for more: {}", observed.pending_reads > 0)),
    ]
}

/// A stylesheet that imports one that imports another one.
fn nested_stylesheets() -> Site {
    let css = |import: &str| Reply::text("text/css", format!("@import '{import}';"));
    Site::new()
        .page("/", page("Home").stylesheet("/a.css"))
        .reply("/a.css", css("b.css"))
        .reply("/b.css", css("c.css"))
        .reply("/c.css", Reply::text("text/css", "p{}"))
}

/// Pages whose addresses differ in numbers only, each with the same content and a link to the next.
fn same_content() -> Site {
    let next = |number: u32| {
        format!("<title>Same</title><p>Nothing here.<a href=\"/item/{}\" title=\"{number}\"></a>", number + 1)
    };
    (0..6).fold(Site::new().page("/", page("Home").link("/item/0")), |site, number| {
        site.reply(&format!("/item/{number}"), Reply::html(next(number)))
    })
}

fn a_slow_page_before_large_ones() -> Site {
    let paths: Vec<String> = (0..20).map(|number| format!("/large/{number}")).collect();
    let site = Site::new().page("/", page("Home").link("/slow").links(&paths));
    let site = site.reply("/slow", Reply::html("<p>slow").delay(Duration::from_millis(1_500)));
    paths.iter().fold(site, |site, path| site.page(path, page(path).pad_to(300_000)))
}

fn large_pages_before_the_slow_one(observed: &Observed<'_>) -> usize {
    let log = observed.site.log();
    let slow = log.iter().find(|seen| seen.target == "/slow").expect("it was requested");
    let responded = slow.answered.expect("it got a response");
    log.iter().filter(|seen| seen.target.starts_with("/large") && seen.at < responded).count()
}

fn politeness_cases() -> Vec<Case> {
    let slow_fan = || scenarios::high_fan_out(12).latency(Latency::fixed(Duration::from_millis(40)), 1);
    let robots_of_two =
        || linked(&["/a", "/b"]).robots("User-agent: bluesnake\nDisallow: /a\n\nUser-agent: other\nDisallow: /b\n");
    vec![
        case("politeness.parallelism", slow_fan, |input, _| input.politeness.parallelism = Some(3))
            .also(|observed| format!("at once: {}", observed.site.seen().most_at_once())),
        case("politeness.rate", || linked(&["/a", "/b"]), |input, _| input.politeness.rate = Some(8.0))
            .also(|observed| format!("spaced: {}", observed.has_gaps_of(100))),
        case("politeness.per_host", slow_fan, |input, _| input.politeness.per_host = Some(2))
            .shared(|input, _| input.politeness.parallelism = Some(4))
            .also(|observed| format!("at once: {}", observed.site.seen().most_at_once())),
        case("politeness.per_address", slow_fan, |input, _| input.politeness.per_address = Some(2))
            .shared(|input, _| input.politeness.parallelism = Some(4))
            .also(|observed| format!("at once: {}", observed.site.seen().most_at_once())),
        case("politeness.robots", robots_of_two, |input, _| input.politeness.robots = Some(RobotsMode::Ignore)),
        case("politeness.robots_token", robots_of_two, |input, _| {
            input.politeness.robots_token = Some("other".to_owned())
        }),
        case(
            "politeness.max_crawl_delay_ms",
            || linked(&["/a", "/b"]).robots("User-agent: *\nCrawl-delay: 60\n"),
            |input, _| {
                input.politeness.max_crawl_delay_ms = Some(1);
            },
        )
        .shared(|input, _| input.politeness.max_crawl_delay_ms = Some(200))
        .also(|observed| format!("spaced: {}", observed.has_gaps_of(180))),
        case(
            "politeness.robots_retry_ms",
            || linked(&["/a"]).reply("/robots.txt", Reply::status(500)),
            |input, _| {
                input.politeness.robots_retry_ms = Some(vec![1, 1]);
            },
        )
        .shared(|input, _| input.politeness.robots_retry_ms = Some(Vec::new())),
        case("politeness.adaptive", broken_home, |input, _| input.politeness.adaptive = Some(true))
            .shared(|input, _| {
                input.politeness.adaptive = Some(false);
                input.fetch.attempts = Some(5);
            })
            .also(|observed| format!("slowed down: {}", observed.has_a_gap_of(100))),
        case(
            "politeness.backoff_ms",
            || linked(&["/a"]).reply("/a", Reply::sequence([Reply::status(429), Reply::html("ok")])),
            |input, _| {
                input.politeness.backoff_ms = Some(3_000);
            },
        )
        .shared(|input, _| {
            input.politeness.backoff_ms = Some(1);
            input.politeness.adaptive = Some(false);
        })
        .also(|observed| format!("backed off: {}", observed.has_a_gap_of(2_900))),
        case(
            "politeness.max_retry_after_ms",
            || {
                linked(&["/a"])
                    .reply("/a", Reply::sequence([Reply::status(429).header("Retry-After", "1"), Reply::html("ok")]))
            },
            |input, _| input.politeness.max_retry_after_ms = Some(500),
        ),
        case("politeness.breaker_failures", breaking, |input, _| input.politeness.breaker_failures = Some(3))
            .shared(with_a_quick_breaker),
        case("politeness.breaker_pause_ms", breaking, |input, _| input.politeness.breaker_pause_ms = Some(3_000))
            .shared(with_a_quick_breaker)
            .also(|observed| format!("rested: {}", observed.has_a_gap_of(2_900))),
        case("politeness.breaker_trips", breaking, |input, _| input.politeness.breaker_trips = Some(2))
            .shared(with_a_quick_breaker),
        case(
            "politeness.grace_ms",
            || Site::new().reply("/", Reply::html("late").delay(Duration::from_millis(2_000))),
            |input, _| {
                input.politeness.grace_ms = Some(1);
            },
        )
        .shared(|input, _| input.limits.max_seconds = Some(1)),
    ]
}

fn secure() -> Site {
    linked(&["/a"]).tls(Tls::trusted())
}

fn trusting(input: &mut Written, world: &World) {
    input.fetch.ca_file = Some(world.ca_file());
}

fn elsewhere() -> Site {
    Site::new().host("a.invalid", linked(&["/a"]))
}

fn one_attempt(input: &mut Written, _: &World) {
    input.fetch.attempts = Some(1);
}

fn late(milliseconds: u64) -> Site {
    Site::new().reply("/", Reply::html("<p>late").delay(Duration::from_millis(milliseconds)))
}

fn fetch_cases() -> Vec<Case> {
    let three = || linked(&["/a", "/b"]);
    vec![
        case("fetch.user_agent", three, |input, _| input.fetch.user_agent = Some("somebody/2".to_owned())),
        case("fetch.headers", three, |input, _| {
            input.fetch.headers = Some([("X-A".to_owned(), "1".to_owned())].into())
        }),
        case("fetch.accept_language", three, |input, _| input.fetch.accept_language = Some("de".to_owned())),
        case("fetch.auth", three, |input, world| {
            input.fetch.auth = Some([(world.site.origin(), "me:secret".to_owned())].into());
        }),
        case(
            "fetch.cookies",
            || linked(&["/a"]).reply("/", Reply::html("<a href=/a>a</a>").header("Set-Cookie", "a=1")),
            |input, _| {
                input.fetch.cookies = Some(false);
            },
        ),
        case("fetch.initial_cookies", three, |input, _| input.fetch.initial_cookies = Some(vec!["a=1".to_owned()])),
        case("fetch.proxy", elsewhere, |input, world| input.fetch.proxy = Some(world.site.origin()))
            .seed("http://a.invalid/"),
        case("fetch.resolve", elsewhere, |input, world| {
            input.fetch.resolve = Some(vec![format!("a.invalid:{}", world.site.addr())]);
        })
        .seed("http://a.invalid/"),
        case("fetch.http2", || secure().http2(), |input, _| input.fetch.http2 = Some(false)).shared(trusting),
        case("fetch.prefer_markdown", three, |input, _| input.fetch.prefer_markdown = Some(true)),
        case("discover.head_first", three, |input, _| input.discover.head_first = Some(true)),
        case("fetch.ca_file", secure, trusting),
        case("fetch.insecure_hosts", secure, |input, _| {
            input.fetch.insecure_hosts = Some(vec!["127.0.0.1".to_owned()])
        }),
        case("fetch.allow_private", three, |input, _| input.fetch.allow_private = Some(false)),
        case(
            "fetch.connect_timeout_ms",
            || secure().tls(Tls::handshake_stall()),
            |input, _| {
                input.fetch.connect_timeout_ms = Some(1);
            },
        )
        .shared(|input, world| {
            one_attempt(input, world);
            input.politeness.robots = Some(RobotsMode::Ignore);
            input.fetch.connect_timeout_ms = Some(15_000);
        })
        .also(|observed| format!("soon: {}", observed.visit("/").timings.total < Duration::from_secs(15))),
        case("fetch.timeout_ms", || late(900), |input, _| input.fetch.timeout_ms = Some(100)).shared(one_attempt),
        case(
            "fetch.idle_timeout_ms",
            || Site::new().fault("/", Fault::SlowBody { every: Duration::from_millis(400) }),
            |input, _| {
                input.fetch.idle_timeout_ms = Some(50);
            },
        )
        .shared(|input, world| {
            one_attempt(input, world);
            input.fetch.timeout_ms = Some(1_000);
            input.fetch.total_timeout_ms = Some(1_000);
        }),
        case(
            "fetch.total_timeout_ms",
            || Site::new().fault("/", Fault::SlowBody { every: Duration::from_millis(40) }),
            |input, _| {
                input.fetch.total_timeout_ms = Some(400);
            },
        )
        .shared(|input, world| {
            one_attempt(input, world);
            input.fetch.timeout_ms = Some(400);
            input.fetch.total_timeout_ms = Some(15_000);
        })
        .also(|observed| format!("soon: {}", observed.visit("/").timings.total < Duration::from_secs(15))),
        case(
            "fetch.min_rate",
            || Site::new().fault("/", Fault::SlowBody { every: Duration::from_millis(100) }),
            |input, _| {
                input.fetch.min_rate = Some(0);
            },
        )
        .shared(|input, world| {
            one_attempt(input, world);
            input.fetch.total_timeout_ms = Some(23_000);
        }),
        case(
            "fetch.attempts",
            || linked(&["/a"]).reply("/a", Reply::status(500)),
            |input, _| input.fetch.attempts = Some(2),
        ),
        case(
            "fetch.retry_delays_ms",
            || linked(&["/a"]).reply("/a", Reply::status(500)),
            |input, _| {
                input.fetch.retry_delays_ms = Some(vec![3_000]);
            },
        )
        .also(|observed| format!("waited: {}", observed.has_a_gap_of(2_900))),
        case("fetch.timeout_step_ms", || late(500), |input, _| input.fetch.timeout_step_ms = Some(3_000)).shared(
            |input, _| {
                input.fetch.attempts = Some(2);
                input.fetch.timeout_ms = Some(200);
            },
        ),
        case(
            "fetch.body_limit",
            || Site::new().page("/", page("Home").pad_to(5_000)),
            |input, _| {
                input.fetch.body_limit = Some(1_000);
            },
        ),
        case(
            "discover.sitemap_body_limit",
            || linked(&[]).sitemap("/sitemap.xml", (0..50).map(|number| format!("/{number}"))),
            |input, _| {
                input.discover.sitemap_body_limit = Some(500);
            },
        )
        .shared(|input, world| {
            with_sitemaps(input, world);
            input.scope.max_urls = Some(1);
        }),
        case(
            "fetch.header_bytes",
            || Site::new().reply("/", Reply::html("x").header("X-Long", &"x".repeat(20_000))),
            |input, _| {
                input.fetch.header_bytes = Some(8_192);
            },
        ),
        case(
            "fetch.header_count",
            || Site::new().reply("/", many_headers()),
            |input, _| {
                input.fetch.header_count = Some(10);
            },
        ),
        case(
            "fetch.max_ratio",
            || Site::new().fault("/", Fault::GzipBomb { decoded: 3 << 20 }),
            |input, _| {
                input.fetch.max_ratio = Some(1_000_000);
            },
        ),
        case("fetch.cache_dir", three, |input, world| input.fetch.cache_dir = Some(world.folder.path().join("cache")))
            .sessions(2),
        case("fetch.cache_seconds", three, |input, _| input.fetch.cache_seconds = Some(60))
            .shared(|input, world| input.fetch.cache_dir = Some(world.folder.path().join("cache")))
            .sessions(2),
    ]
}

fn many_headers() -> Reply {
    (0..30).fold(Reply::html("x"), |reply, number| reply.header(&format!("X-{number}"), "1"))
}

fn parse_cases() -> Vec<Case> {
    let comment_and_script = || one_page("<p>words <!-- note --> more<script>gtag('config', 'G-1')</script>");
    vec![
        case(
            "fetch.error_pages",
            || Site::new().page("/", page("Gone").status(404).link("/a")).page("/a", page("A")),
            |input, _| {
                input.fetch.error_pages = Some(true);
            },
        ),
        case(
            "fetch.detect_charset",
            || {
                let cyrillic =
                    b"<title>\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0, \xea\xe0\xea \xe4\xe5\xeb\xe0</title>".to_vec();
                Site::new().reply("/", Reply::bytes("text/html", cyrillic))
            },
            |input, _| input.fetch.detect_charset = Some(false),
        ),
        case(
            "parse.skip_identical",
            || scenarios::identical_shells(3).page("/page-1/x", page("X")),
            |input, _| {
                input.parse.skip_identical = Some(false);
            },
        )
        .also(|observed| {
            let links: Vec<usize> = observed.store.visits().iter().map(|visit| visit.links.len()).collect();
            format!("{links:?}")
        }),
        case("parse.content_hash", || linked(&[]), |input, _| input.parse.content_hash = Some(HashAlgorithm::Md5)),
        case(
            "parse.hash_exclude_tags",
            || one_page("<aside>aside</aside><p>words"),
            |input, _| {
                input.parse.hash_exclude_tags = Some(vec!["aside".to_owned()]);
            },
        ),
        case(
            "parse.hash_include_only_tags",
            || one_page("<main>main</main><p>words"),
            |input, _| {
                input.parse.hash_include_only_tags = Some(vec!["main".to_owned()]);
            },
        ),
        case(
            "parse.hash_strip_timestamps",
            || twins("2024-05-17 10:11:12", "2024-05-18 09:08:07"),
            |input, _| {
                input.parse.hash_strip_timestamps = Some(false);
            },
        ),
        case("parse.hash_strip_analytics", comment_and_script, |input, _| {
            input.parse.hash_strip_analytics = Some(false)
        })
        .shared(|input, _| input.parse.hash_exclude_tags = Some(Vec::new())),
        case("parse.hash_strip_comments", comment_and_script, |input, _| input.parse.hash_strip_comments = Some(false)),
        case(
            "parse.hash_collapse_whitespace",
            || twins("a b", "a  \n b"),
            |input, _| {
                input.parse.hash_collapse_whitespace = Some(false);
            },
        ),
        case(
            "parse.get_forms",
            || one_page("<form action=/search><input name=q value=words></form>"),
            |input, _| {
                input.parse.get_forms = Some(true);
            },
        ),
        case(
            "extract.columns",
            || linked(&[]),
            |input, _| {
                input.extract.columns = Some([("title".to_owned(), "css:title".to_owned())].into());
            },
        ),
        case(
            "extract.contains",
            || linked(&[]),
            |input, _| {
                input.extract.contains = Some([("tags".to_owned(), "<".to_owned())].into());
            },
        ),
        case("keep.html", || linked(&[]), |input, _| input.keep.html = Some(true)),
        case("keep.text", || linked(&[]), |input, _| input.keep.text = Some(true)),
    ]
}

pub(crate) fn cases() -> Vec<Case> {
    let groups = [discover_cases(), scope_cases(), limit_cases(), politeness_cases(), fetch_cases(), parse_cases()];
    groups.into_iter().flatten().collect()
}

/// Every setting of these groups, as `group.field`.
pub(crate) fn fields(groups: &[Group]) -> BTreeSet<String> {
    let named = |group: Group| group.fields.iter().map(move |field| format!("{}.{}", group.name, field.name));
    groups.iter().copied().flat_map(named).collect()
}

/// A new setting without a case fails here. Those of the audit change findings, not the crawl: `bluesnake-audit` has
/// their cases. The selectors of a capture are for its reader; the command line tests them.
#[test]
fn every_setting_has_a_case() {
    let covered: BTreeSet<String> = cases().iter().map(|case| case.field.to_owned()).collect();
    let all = fields(AuditInput::GROUPS).into_iter().chain(fields(CaptureInput::GROUPS));
    // Settings of rendering are tested with a browser, in `bluesnake-render`.
    let is_elsewhere = |field: &str| {
        field.starts_with("audit.")
            || field.starts_with("render.")
            || matches!(field, "capture.include" | "capture.exclude")
    };
    let all: BTreeSet<String> = all.filter(|field| !is_elsewhere(field)).collect();
    assert_eq!(covered, all);
}

#[tokio::test]
async fn every_setting_makes_a_difference() {
    let inert = check_all(cases(), check).await;
    assert!(inert.is_empty(), "{} of {} settings:\n{}", inert.len(), cases().len(), inert.join("\n"));
}

/// What is wrong with these settings, eight at a time.
pub(crate) async fn check_all(cases: Vec<Case>, check: fn(Case) -> Checked) -> Vec<String> {
    let mut checks = JoinSet::new();
    let mut wrong = Vec::new();
    for case in cases {
        checks.spawn(check(case));
        if checks.len() >= 8 {
            wrong.extend(checks.join_next().await.expect("checks are under way").expect("a check does not panic"));
        }
    }
    while let Some(checked) = checks.join_next().await {
        wrong.extend(checked.expect("a check does not panic"));
    }
    wrong
}

/// What is wrong with a setting, once it was looked at.
pub(crate) type Checked = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// What is wrong with a setting, if anything.
fn check(case: Case) -> Checked {
    Box::pin(async move {
        let (one, other, changed) =
            tokio::join!(observe(&case, Change::No), observe(&case, Change::No), observe(&case, Change::Yes));
        if one != other {
            return Some(format!("{}: two crawls without the change differ:\n{one}\n--- and ---\n{other}", case.field));
        }
        (one == changed).then(|| format!("{} makes no difference:\n{one}", case.field))
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    No,
    Yes,
}

async fn observe(case: &Case, change: Change) -> String {
    let (world, seed, input) = case.begin(change).await;
    let mut text = String::new();
    for _ in 0..case.sessions {
        text = crawl_and_report(case, &world, &seed, &input).await;
        grow_old(&world);
    }
    text.replace(&format!(":{}", world.site.port()), "")
}

/// Reads Markdown and HTML alike.
fn all_of_it(source: &Source<'_>) -> Option<Document> {
    let is_own_markdown = source.content_type == "text/markdown";
    Some(Document { hash: source.text.into(), is_own_markdown, ..Document::default() })
}

async fn crawl_and_report(case: &Case, world: &World, seed: &str, input: &Written) -> String {
    let store = Arc::new(Watched::default());
    let plan: Result<CrawlPlan, _> = match case.reads_documents {
        true => CapturePlan::new([seed], input.clone().capture()).map(Into::into),
        false => AuditPlan::new([seed], input.clone().audit()).map(Into::into),
    };
    let plan = plan.unwrap_or_else(|problems| panic!("{}: {problems}", case.field));
    let crawler = Crawler::new(plan).store(store.clone()).paces(Paces::default());
    let crawler = if case.reads_documents { crawler.read_documents(all_of_it) } else { crawler };
    let running = crawler.start().expect("a crawl starts");
    let mut events = running.events();
    let finished = end_of(running).await;
    let mut news = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let Event::Host(host) = event {
            news.push(format!("{host:?}"));
        }
    }
    let observed = Observed {
        site: &world.site,
        store: &store.inner,
        finished: &finished,
        pending_reads: store.pending_reads.load(Ordering::Relaxed),
        news: &news,
    };
    format!("{}{}\n", tell(&observed), (case.also)(&observed))
}

/// Everything that is seen of a crawl from outside and does not depend on the clock.
fn tell(observed: &Observed<'_>) -> String {
    let mut text = format!("ended: {:?}\n", observed.finished.reason.as_str());
    text += &requests_of(observed.site);
    for row in observed.store.urls() {
        writeln!(text, "{} {} {} {}", row.url, row.task.as_str(), row.reason.disposition().as_str(), row.reason)
            .unwrap();
    }
    for visit in observed.store.visits() {
        let page = visit.page.as_ref();
        let response = visit.response.as_ref();
        writeln!(
            text,
            "{} {:?} attempts {} {:?} cut {:?} links {} + {} hash {:?} copy {:?} {:?} html {:?} text {:?} {} {:?} {:?} cached {:?} {:?}",
            visit.url(),
            visit.status(),
            visit.attempts,
            visit.title(),
            response.and_then(|response| response.cut),
            visit.links.len(),
            visit.links_cut,
            page.and_then(|page| page.content_hash.clone()),
            visit.duplicate_of,
            visit.identical_to,
            visit.html.as_ref().map(|html| html.len()),
            page.and_then(|page| page.text.clone()),
            visit.indexability.as_str(),
            visit.note,
            response.and_then(|response| response.certificate_problem.clone()),
            response.map(|response| response.kept.is_some()),
            visit.extracted,
        )
        .unwrap();
    }
    writeln!(text, "{:?}", observed.news).unwrap();
    text
}

/// The requests the server got, in an order that does not depend on timing.
pub(crate) fn requests_of(site: &Running) -> String {
    let request = |seen: &testsite::Seen| {
        let headers: Vec<String> = seen.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        format!("{} {} {} {:?} {}\n", seen.method, seen.host, seen.target, seen.protocol, headers.join(" | "))
    };
    let mut requests: Vec<String> = site.log().iter().map(request).collect();
    requests.sort();
    requests.concat()
}

/// Makes every file of a cache two minutes old, so that no test has to wait for that.
pub(crate) fn grow_old(world: &World) {
    let then = SystemTime::now() - Duration::from_secs(120);
    let mut folders = vec![world.folder.path().join("cache")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let file =
                    std::fs::File::options().write(true).open(entry.path()).expect("a cached response can be opened");
                file.set_modified(then).expect("a file can be made older");
            }
        }
    }
}

/// A store that counts how often pending URLs are read.
#[derive(Default)]
struct Watched {
    inner: MemoryStore,
    pending_reads: AtomicU32,
}

impl Store for Watched {
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.commit(batch)
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        self.inner.load(after, limit)
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        self.pending_reads.fetch_add(1, Ordering::Relaxed);
        self.inner.pending(after, limit)
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        self.inner.deferred(after, limit)
    }
}

#[test]
fn defaults_round_trip() {
    let defaults = AuditInput::defaults();
    let text = serde_json::to_string(&defaults).unwrap();
    assert_eq!(serde_json::from_str::<AuditInput>(&text).unwrap(), defaults);
    assert_eq!(serde_json::from_str::<AuditInput>("{}").unwrap(), AuditInput::default());
    assert_eq!(AuditInput::default().over(defaults.clone()), defaults);
}

#[test]
fn every_default_is_given_under_its_name() {
    let defaults = serde_json::to_value(AuditInput::defaults()).unwrap();
    for field in fields(AuditInput::GROUPS) {
        let (group, name) = field.split_once('.').unwrap();
        assert!(defaults[group].get(name).is_some(), "{field} has no default");
    }
}

#[test]
fn unknown_groups_and_fields_are_refused() {
    for wrong in [
        r#"{"speed": {}}"#,
        r#"{"scope": {"max_url": 1}}"#,
        r#"{"limits": {"max_urls": 1}}"#,
        r#"{"weave": {"max_depth": 1}}"#,
        r#"{"scope": {"Paths": "any"}}"#,
        r#"{"fetch": {"x": 1}}"#,
    ] {
        let refused = serde_json::from_str::<AuditInput>(wrong).unwrap_err().to_string();
        assert!(refused.contains("unknown field"), "{wrong}: {refused}");
    }
    assert!(serde_json::from_str::<AuditInput>(r#"{"scope": {"paths": "some"}}"#).is_err());
}

#[test]
fn defaults_make_a_valid_plan() {
    AuditPlan::new(["https://example.com"], AuditInput::defaults()).unwrap();
}
