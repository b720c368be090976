//! A crawl finds what the site declares: by links, sitemaps, redirects, headers and stylesheets.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bluesnake_engine::plan::{CheckExternal, Mechanisms, PathMatch, RobotsMode};
use bluesnake_engine::{Action, AuditInput, Disposition, EndReason, LinkKind, MemoryStore, Refusal, Source, Task};
use testsite::{Fault, Latency, Monster, Page, Reply, Site, Web, scenarios, sitemap};

use crate::world::{
    Crawled, crawl, crawl_host, crawl_seeds, crawl_site, crawler, difference, in_sessions_of, local, local_hosts, truth,
};

const FETCHED_PAGE: (Disposition, &str) = (Disposition::Fetched, "page");
const MENTIONED: (Disposition, &str) = (Disposition::Recorded, "mentioned");

fn by(mechanisms: Mechanisms) -> AuditInput {
    let mut input = local();
    input.discover.mechanisms = Some(mechanisms);
    input
}

mod truths {
    use super::*;

    /// Endless sites, and the one that never responds, have separate tests.
    const WITHOUT_END: [&str; 3] = ["traps", "session-ids", "hostile"];

    #[tokio::test(flavor = "multi_thread")]
    async fn every_scenario_matches_its_declared_truth() {
        for (name, site) in scenarios::all().into_iter().filter(|(name, _)| !WITHOUT_END.contains(name)) {
            let mut input = local();
            input.politeness.robots = Some(RobotsMode::Ignore);
            input.limits.redirects = Some(20);
            let (site, crawled) = crawl_site(site, input).await;
            let mut expected = truth(&site);
            if name == "resources" {
                // Named by a stylesheet, which a declaration does not look into.
                expected.insert(site.url("/background.png"), 404);
            }
            assert_eq!(crawled.statuses(), expected, "{name}");
            assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new(), "{name}");
            assert_eq!(crawled.finished.reason, EndReason::Exhausted, "{name}");
        }
    }

    /// The depth is that of the shortest way.
    #[tokio::test(flavor = "multi_thread")]
    async fn random_webs_match_their_declared_truth_and_depths() {
        for seed in 0..60 {
            let web = Web::random(seed).pages(20 + seed * 3).links_per_page(1..=9).redirects(9).missing(6);
            let site = web.query_variants(6).resources(30).external(4).start().await;
            let crawled = crawl(&site.url("/"), local()).await;
            assert_eq!(crawled.statuses(), truth(&site), "seed {seed}");
            let depths = crawled.store.depths();
            for (url, truth) in site.expected() {
                let row = crawled.row(&url);
                assert_eq!(row.depth.shown(), Some(truth.depth), "seed {seed}: {url}");
                assert_eq!(depths[row.number.0 as usize - 1], Some(truth.depth), "seed {seed}: {url}");
            }
            assert!(
                !crawled.all_urls().iter().any(|url| url.contains("/decoy/")),
                "seed {seed}: a decoy is not a link"
            );
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn random_webs_of_several_hosts_match_their_declared_truth() {
        for seed in 0..20 {
            let hosts = 2 + seed % 5;
            let web = Web::random(seed).pages(40 + seed).links_per_page(2..=8).hosts(hosts).redirects(9).missing(6);
            let web = web.query_variants(6).resources(30).external(4);
            let names = web.host_names();
            let site = web.start().await;
            let mut input = local_hosts(site.port());
            input.scope.hosts = Some(names);
            let crawled = crawl(&site.url_on("h0.test", "/"), input).await;
            assert_eq!(crawled.statuses(), truth(&site), "seed {seed}");
            assert_eq!(site.seen().hosts().len() as u64, hosts, "seed {seed}: no other host is requested");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn subdomains_of_a_seed_are_crawled_if_in_scope() {
        let site = Site::new()
            .host("a.test", Site::new().page("/", Page::titled("A").link("{host:docs.a.test}/").link("{host:b.test}/")))
            .host(
                "docs.a.test",
                Site::new().page("/", Page::titled("Docs").link("/guide")).page("/guide", Page::titled("Guide")),
            )
            .host("b.test", Site::new().page("/", Page::titled("B")));
        let (site, crawled) = crawl_host(site, "a.test", |_, input| input.scope.include_subdomains = Some(true)).await;
        let found: Vec<String> = crawled.statuses().into_keys().collect();
        let expected =
            [site.url_on("a.test", "/"), site.url_on("docs.a.test", "/"), site.url_on("docs.a.test", "/guide")];
        assert_eq!(found, expected);
        assert_eq!(site.seen().hosts(), ["a.test", "docs.a.test"]);
    }

    /// A link graph without a gap: every declared link is an edge, in document order.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_links_of_every_page_are_kept_in_document_order() {
        for seed in 100..110 {
            let site = Web::random(seed).pages(50).redirects(8).missing(5).external(5).start().await;
            let crawled = crawl(&site.url("/"), local()).await;
            for (url, truth) in site.expected() {
                let edges = crawled.edges(&url);
                let anchors: Vec<String> =
                    edges.into_iter().filter(|(kind, _)| *kind == "anchor").map(|(_, to)| to).collect();
                assert_eq!(anchors, truth.links, "seed {seed}: {url}");
            }
        }
    }

    /// Nothing is folded: these are different URLs unless a site declares otherwise.
    #[tokio::test(flavor = "multi_thread")]
    async fn slashes_index_files_case_and_queries_make_different_urls() {
        let paths = [
            "/a",
            "/a/",
            "/A",
            "/a//",
            "//a".trim_start_matches('/'),
            "/x//y",
            "/x/y",
            "/index.html",
            "/a?b=1&c=2",
            "/a?c=2&b=1",
            "/a?",
        ];
        let paths =
            paths.map(|path| if path.starts_with('/') { path.to_owned() } else { format!("/{path}/index.html") });
        let home = paths.iter().fold(Page::titled("Home"), |page, path| page.link(path));
        let (site, crawled) = crawl_site(Site::new().page("/", home.link("/a#part").link("/a#other")), local()).await;
        let mut requested = site.seen().paths();
        requested.retain(|path| path != "/" && path != "/robots.txt");
        requested.sort();
        let mut expected = paths.to_vec();
        expected.sort();
        assert_eq!(requested, expected);
        assert_eq!(crawled.finished.receipt.seen(), paths.len() as u64 + 1, "a fragment makes no URL");
    }
}

mod sitemaps {
    use super::*;

    /// The pages that were found by sitemap, as paths.
    fn listed(site: &testsite::Running, crawled: &Crawled) -> Vec<String> {
        let rows = crawled.store.urls();
        let listed = rows.iter().filter(|row| row.kind == LinkKind::SitemapEntry && row.turn.is_some());
        let mut paths: Vec<String> = listed.map(|row| row.url.as_str()[site.origin().len()..].to_owned()).collect();
        paths.sort();
        paths
    }

    /// robots.txt, an index, and every format.
    #[tokio::test(flavor = "multi_thread")]
    async fn every_format_in_a_sitemap_index_is_read_and_its_pages_have_no_depth() {
        let (site, crawled) = crawl_site(scenarios::sitemap_only(), by(Mechanisms::Both)).await;
        assert_eq!(listed(&site, &crawled), ["/atom", "/gzip", "/plain", "/rss", "/text"]);
        for name in ["atom", "gzip", "plain", "rss", "text"] {
            let row = crawled.row(&site.url(&format!("/{name}")));
            assert_eq!((row.reason.disposition(), row.reason.as_str()), FETCHED_PAGE, "{name}");
            assert_eq!((row.source, row.depth.shown()), (Source::Sitemap, None), "{name}");
            assert_eq!(crawled.store.depths()[row.number.0 as usize - 1], None, "{name}");
        }
        assert_eq!(crawled.row(&site.url("/")).depth.shown(), Some(0));
        assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn sitemaps_enter_at_a_fixed_point_of_the_sequence() {
        let latency = Latency::uniform(Duration::ZERO, Duration::from_millis(20));
        for seed in 0..5 {
            let site = scenarios::sitemap_only().latency(latency, seed).start().await;
            let report = async |parallelism| {
                let mut input = by(Mechanisms::Both);
                input.politeness.parallelism = Some(parallelism);
                crawl(&site.url("/"), input).await.report()
            };
            let (one, many) = (report(1).await, report(64).await);
            assert!(one == many, "seed {seed}: {}", difference(&one, &many));
            let pieces = in_sessions_of(&site.url("/"), 2, by(Mechanisms::Both)).await.report();
            assert!(one == pieces, "seed {seed}: {}", difference(&one, &pieces));
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn without_a_sitemap_in_robots_txt_the_usual_urls_are_tried_in_turn() {
        let plain = || Site::new().page("/", Page::titled("Home")).page("/found", Page::titled("Found"));
        let check = async |site: Site, files: &[&str]| {
            let (site, crawled) = crawl_site(site, by(Mechanisms::Both)).await;
            assert_eq!(listed(&site, &crawled), ["/found"]);
            let requested: Vec<String> =
                site.seen().paths().into_iter().filter(|path| path.contains("sitemap")).collect();
            assert_eq!(requested, files);
        };
        check(plain().sitemap("/sitemap.xml", ["/found"]), &["/sitemap.xml"]).await;
        check(plain().sitemap("/sitemap_index.xml", ["/found"]), &["/sitemap.xml", "/sitemap_index.xml"]).await;
        let empty = plain().robots("User-agent: *\nAllow: /\n").sitemap("/sitemap.xml", Vec::<String>::new());
        let index = sitemap::index(["/my-sitemap.xml"]);
        let site = empty.reply("/sitemap_index.xml", index).sitemap("/my-sitemap.xml", ["/found"]);
        check(site, &["/sitemap.xml", "/sitemap_index.xml", "/my-sitemap.xml"]).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_explicit_sitemap_list_replaces_all_others() {
        let site = Site::new()
            .robots("Sitemap: {origin}/unwanted.xml\n")
            .page("/", Page::titled("Home"))
            .sitemap("/unwanted.xml", ["/no"])
            .sitemap("/sitemap.xml", ["/no-more"])
            .sitemap("/one.xml", ["/a"])
            .sitemap("/two.xml", ["/b"])
            .start()
            .await;
        let mut input = by(Mechanisms::Both);
        input.discover.sitemaps = Some(vec![site.url("/one.xml"), site.url("/two.xml")]);
        let crawled = crawl(&site.url("/"), input).await;
        assert_eq!(listed(&site, &crawled), ["/a", "/b"]);
        assert_eq!((site.seen().count("/unwanted.xml"), site.seen().count("/sitemap.xml")), (0, 0));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn relative_urls_in_robots_txt_and_sitemaps_are_resolved() {
        let relative = "<urlset><url><loc>/rooted</loc></url><url><loc>beside</loc></url></urlset>";
        let site = Site::new()
            .robots("Sitemap: /deep/map.xml\n")
            .page("/", Page::titled("Home"))
            .reply("/deep/map.xml", Reply::text("application/xml", relative));
        let (site, crawled) = crawl_site(site, by(Mechanisms::Both)).await;
        assert_eq!(listed(&site, &crawled), ["/deep/beside", "/rooted"]);
    }

    /// One bad file never stops the others.
    #[tokio::test(flavor = "multi_thread")]
    async fn bad_sitemaps_stop_neither_the_good_ones_nor_the_crawl() {
        let names = ["laughs", "entity", "hang", "reset", "error", "garbage", "gzip", "bomb", "self", "page", "sound"];
        let robots: String = names.iter().map(|name| format!("Sitemap: {{origin}}/{name}.xml\n")).collect();
        let site = Site::new()
            .robots(&robots)
            .page("/", Page::titled("Home").link("/linked"))
            .page("/linked", Page::titled("Linked"))
            .reply("/laughs.xml", Monster::BillionLaughs.reply())
            .reply("/entity.xml", Monster::ExternalEntity.reply())
            .fault("/hang.xml", Fault::HangBeforeHeaders)
            .fault("/reset.xml", Fault::ResetMidBody)
            .reply("/error.xml", Reply::status(500))
            .reply("/garbage.xml", Reply::bytes("application/xml", vec![0x80, 0xff, 0, 1, 2]))
            .reply("/gzip.xml", Reply::bytes("application/gzip", *b"\x1f\x8bnot gzip"))
            .fault("/bomb.xml", Fault::GzipBomb { decoded: 100 << 20 })
            .reply("/self.xml", sitemap::index(["/self.xml"]))
            .page("/page.xml", Page::titled("No sitemap").link("/from-a-page"))
            .sitemap("/sound.xml", ["/found"])
            .page("/found", Page::titled("Found"));
        let mut input = by(Mechanisms::Both);
        input.fetch.timeout_ms = Some(200);
        input.fetch.attempts = Some(1);
        let (site, crawled) = crawl_site(site, input).await;
        assert_eq!(listed(&site, &crawled), ["/found"]);
        assert_eq!(crawled.fate(&site.url("/linked")), FETCHED_PAGE);
        assert_eq!(crawled.fate(&site.url("/hang.xml")), (Disposition::Failed, "headers_timeout"));
        assert_eq!(site.seen().count("/self.xml"), 1, "an index that names itself is read once");
        assert!(crawled.find(&site.url("/from-a-page")).is_none(), "a page in place of a sitemap names nothing");
        assert!(crawled.visit(&site.url("/laughs.xml")).note.is_some(), "its problem is recorded");
        assert_eq!(crawled.finished.reason, EndReason::Exhausted);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn sitemap_indexes_are_followed_up_to_the_depth_limit() {
        let site = (0..5).fold(Site::new().robots("Sitemap: {origin}/index/0\n"), |site, depth| {
            site.reply(&format!("/index/{depth}"), sitemap::index([format!("/index/{}", depth + 1)]))
        });
        let mut input = by(Mechanisms::Both);
        input.discover.sitemap_depth = Some(2);
        let (site, crawled) = crawl_site(site, input).await;
        let requested: Vec<usize> = (0..5).map(|depth| site.seen().count(&format!("/index/{depth}"))).collect();
        assert_eq!(requested, [1, 1, 1, 0, 0]);
        assert_eq!(crawled.fate(&site.url("/index/3")), (Disposition::Refused, "sitemap_depth"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn sitemap_files_and_urls_are_read_up_to_their_limits() {
        let robots: String = (0..5).map(|file| format!("Sitemap: {{origin}}/{file}.xml\n")).collect();
        let site = (0..5).fold(Site::new().robots(&robots), |site, file| {
            site.sitemap(&format!("/{file}.xml"), (0..4).map(|page| format!("/{file}/{page}")))
        });
        let mut input = by(Mechanisms::Both);
        (input.discover.sitemap_files, input.discover.sitemap_urls) = (Some(3), Some(2));
        let (site, crawled) = crawl_site(site, input).await;
        assert_eq!(listed(&site, &crawled), ["/0/0", "/0/1", "/1/0", "/1/1", "/2/0", "/2/1"]);
        assert_eq!(crawled.finished.receipt.count_of(Refusal::SitemapFiles), 2);
        assert!(crawled.visit(&site.url("/0.xml")).note.is_some(), "the limit is recorded");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn robots_txt_and_sitemaps_count_toward_no_budget() {
        for limit in ["session_budget", "max_urls"] {
            let site = scenarios::sitemap_only().start().await;
            let mut input = by(Mechanisms::Both);
            let slot = if limit == "max_urls" { &mut input.scope.max_urls } else { &mut input.limits.session_budget };
            *slot = Some(3);
            let crawled = crawl(&site.url("/"), input).await;
            assert_eq!(crawled.statuses().len(), 3, "{limit}");
            let files = site.seen().paths().iter().filter(|path| path.contains('.')).count();
            assert_eq!(files, 7, "{limit}: robots.txt, the index and its five files are read all the same");
        }
    }

    /// A page that is listed and linked has the depth of its links.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_listed_page_that_is_linked_too_has_the_depth_of_its_link() {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/a"))
            .page("/a", Page::titled("A").link("/b"))
            .page("/b", Page::titled("B").link("/listed"))
            .page("/listed", Page::titled("Listed"))
            .sitemap("/sitemap.xml", ["/listed"]);
        let (site, crawled) = crawl_site(site, by(Mechanisms::Both)).await;
        let row = crawled.row(&site.url("/listed"));
        assert_eq!((row.source, crawled.store.depths()[row.number.0 as usize - 1]), (Source::Sitemap, Some(3)));
    }

    /// Only followed links make a way.
    #[tokio::test(flavor = "multi_thread")]
    async fn links_that_are_not_followed_give_a_listed_page_no_depth() {
        let site = Site::new()
            .page("/", Page::titled("Home").nofollow_link("/one").form("/two").link("/silent"))
            .page("/silent", Page::titled("Silent").meta("robots", "nofollow").link("/three"))
            .sitemap("/sitemap.xml", ["/one", "/two", "/three"]);
        let (site, crawled) = crawl_site(site, by(Mechanisms::Both)).await;
        for path in ["/one", "/two", "/three"] {
            let row = crawled.row(&site.url(path));
            assert_eq!((row.reason.disposition(), row.depth.shown()), (Disposition::Fetched, None), "{path}");
            assert_eq!(crawled.store.depths()[row.number.0 as usize - 1], None, "{path}");
        }
    }

    fn linked_and_listed() -> Site {
        Site::new()
            .page("/", Page::titled("Home").link("/linked"))
            .page("/linked", Page::titled("Linked"))
            .page("/listed", Page::titled("Listed").link("/").link("/behind").image("/logo.png"))
    }

    /// What the sitemap lists, and the base URL itself.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_mechanism_sitemap_visits_what_is_listed_and_follows_no_link() {
        let (site, crawled) =
            crawl_site(linked_and_listed().sitemap("/sitemap.xml", ["/listed"]), by(Mechanisms::Sitemap)).await;
        let requested: BTreeSet<String> = crawled.statuses().into_keys().collect();
        assert_eq!(requested, BTreeSet::from(["/", "/listed", "/logo.png"].map(|path| site.url(path))));
        assert_eq!(crawled.fate(&site.url("/linked")), (Disposition::Refused, "not_in_sitemap"));
        assert_eq!(crawled.fate(&site.url("/behind")), (Disposition::Refused, "not_in_sitemap"));
    }

    /// A redirect is not a link of a page, so listed URLs are followed to their end.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_moved_listed_page_is_followed_to_its_new_url() {
        let site = Site::new()
            .page("/", Page::titled("Home"))
            .redirect("/old", 301, "/new")
            .page("/new", Page::titled("New"))
            .sitemap("/sitemap.xml", ["/old"]);
        for mechanisms in [Mechanisms::Sitemap, Mechanisms::SitemapThenSpider, Mechanisms::Both] {
            let (site, crawled) = crawl_site(site.clone(), by(mechanisms)).await;
            assert_eq!(crawled.fate(&site.url("/new")), FETCHED_PAGE, "{mechanisms}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_moved_sitemap_is_read_at_its_new_url() {
        let site = Site::new()
            .page("/", Page::titled("Home"))
            .redirect("/sitemap.xml", 302, "/maps/main.xml")
            .sitemap("/maps/main.xml", ["/found"]);
        let (site, crawled) = crawl_site(site, by(Mechanisms::Both)).await;
        assert_eq!(listed(&site, &crawled), ["/found"]);
        assert_eq!(crawled.row(&site.url("/maps/main.xml")).task, Task::Sitemap);
    }

    /// Ignoring the rules does not ignore the list of sitemaps.
    #[tokio::test(flavor = "multi_thread")]
    async fn sitemaps_in_robots_txt_are_read_even_if_its_rules_are_ignored() {
        for robots in [RobotsMode::Ignore, RobotsMode::IgnoreReport, RobotsMode::Respect] {
            let mut input = by(Mechanisms::Both);
            input.politeness.robots = Some(robots);
            let (site, crawled) = crawl_site(scenarios::sitemap_only(), input).await;
            assert_eq!(listed(&site, &crawled).len(), 5, "{robots}");
            assert_eq!(site.seen().count("/robots.txt"), 1, "{robots}");
        }
    }

    /// The library's default when only `spider` is configured.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_mechanism_spider_fetches_no_sitemap() {
        let (site, crawled) =
            crawl_site(linked_and_listed().sitemap("/sitemap.xml", ["/listed"]), by(Mechanisms::Spider)).await;
        assert_eq!(site.seen().count("/sitemap.xml"), 0);
        assert!(crawled.find(&site.url("/listed")).is_none());
    }

    /// Links are the fallback when sitemaps give no URL; also when the crawl is cut into sessions.
    #[tokio::test(flavor = "multi_thread")]
    async fn links_are_followed_only_when_no_sitemap_names_a_page() {
        let listed = linked_and_listed().sitemap("/sitemap.xml", ["/listed"]);
        let unlisted = linked_and_listed().sitemap("/sitemap.xml", Vec::<String>::new());
        for (site, expected) in [(listed, vec!["/", "/listed", "/logo.png"]), (unlisted, vec!["/", "/linked"])] {
            let site = site.start().await;
            let crawled = crawl(&site.url("/"), by(Mechanisms::SitemapThenSpider)).await;
            let requested: Vec<String> = crawled.statuses().into_keys().collect();
            assert_eq!(requested, expected.iter().map(|path| site.url(path)).collect::<Vec<_>>());
            let pieces = in_sessions_of(&site.url("/"), 1, by(Mechanisms::SitemapThenSpider)).await;
            assert!(crawled.report() == pieces.report(), "{}", difference(&crawled.report(), &pieces.report()));
        }
    }

    /// Filtered to the base path, by the same rule as links.
    #[tokio::test(flavor = "multi_thread")]
    async fn listed_pages_outside_the_path_of_the_seed_are_refused() {
        let site = Site::new()
            .page("/docs/", Page::titled("Docs"))
            .sitemap("/sitemap.xml", ["/docs/a", "/docs-old/b", "/blog/c"])
            .start()
            .await;
        let mut input = by(Mechanisms::Both);
        input.scope.paths = Some(PathMatch::Strict);
        let crawled = crawl(&site.url("/docs/"), input).await;
        assert_eq!(crawled.row(&site.url("/docs/a")).reason.disposition(), Disposition::Fetched);
        for path in ["/docs-old/b", "/blog/c"] {
            assert_eq!(crawled.fate(&site.url(path)), (Disposition::Refused, "outside_path"));
        }
    }
}

mod redirects {
    use super::*;

    /// A→B→C gives three rows.
    #[tokio::test(flavor = "multi_thread")]
    async fn every_hop_is_a_row_with_its_own_status() {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/a"))
            .redirect("/a", 301, "/b")
            .redirect("/b", 302, "/c")
            .page("/c", Page::titled("C"));
        let (site, crawled) = crawl_site(site, local()).await;
        let rows: Vec<_> = crawled
            .store
            .urls()
            .iter()
            .skip(1)
            .map(|row| {
                (row.url.path().to_owned(), crawled.visit(row.url.as_str()).status(), row.source, row.depth.shown())
            })
            .collect();
        let expected = [
            ("/a".to_owned(), Some(301), Source::Spider, Some(1)),
            ("/b".to_owned(), Some(302), Source::Redirect, Some(2)),
            ("/c".to_owned(), Some(200), Source::Redirect, Some(3)),
        ];
        assert_eq!(rows, expected);
        assert_eq!(crawled.edges(&site.url("/a")), [("redirect", site.url("/b"))]);
        assert_eq!(crawled.fate(&site.url("/a")), (Disposition::Redirected, "redirect"));
        assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn every_redirecting_status_is_followed_and_no_other() {
        let statuses = [301, 302, 303, 307, 308, 300, 304, 305];
        let mut home = Page::titled("Home");
        let mut site = Site::new();
        for status in statuses {
            home = home.link(&format!("/from/{status}"));
            site = site.redirect(&format!("/from/{status}"), status, &format!("/to/{status}"));
        }
        let (site, crawled) = crawl_site(site.page("/", home), local()).await;
        let is_redirect =
            |status: &u16| crawled.fate(&site.url(&format!("/from/{status}"))).0 == Disposition::Redirected;
        let is_requested = |status: &u16| site.seen().count(&format!("/to/{status}")) == 1;
        let followed: Vec<u16> = statuses.into_iter().filter(is_redirect).collect();
        assert_eq!(followed, [301, 302, 303, 307, 308]);
        // The Location of a 300 is a link among others.
        let requested: Vec<u16> = statuses.into_iter().filter(is_requested).collect();
        assert_eq!(requested, [301, 302, 303, 307, 308, 300]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_redirect_loop_is_distinguished_from_a_long_chain() {
        let site = Site::new()
            .page("/", Page::titled("Home").links(["/loop/1", "/self", "/chain/12"]))
            .redirect_loop("/loop", 3)
            .redirect("/self", 302, "/self")
            .redirect_chain("/chain", 12)
            .start()
            .await;
        let crawled = crawl(&site.url("/"), local()).await;
        let fate = |path: &str| crawled.fate(&site.url(path));
        assert_eq!(fate("/loop/1"), (Disposition::Redirected, "redirect"));
        assert_eq!(fate("/loop/3"), (Disposition::Redirected, "redirect_loop"));
        assert_eq!(fate("/self"), (Disposition::Redirected, "redirect_loop"));
        assert_eq!(fate("/chain/2"), (Disposition::Redirected, "redirect"));
        assert_eq!(fate("/chain/1"), (Disposition::Refused, "too_many_redirects"), "after ten redirects in a row");
        assert_eq!((site.seen().count("/chain/1"), site.seen().count("/chain/2")), (0, 1));
        assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
        assert!(crawled.finished.is_complete());
        let pieces = in_sessions_of(&site.url("/"), 1, local()).await;
        assert!(crawled.report() == pieces.report(), "{}", difference(&crawled.report(), &pieces.report()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_loop_longer_than_the_limit_ends_as_a_long_chain() {
        let site = Site::new().page("/", Page::titled("Home").link("/loop/1")).redirect_loop("/loop", 30);
        let (site, crawled) = crawl_site(site, local()).await;
        assert_eq!(crawled.fate(&site.url("/loop/12")), (Disposition::Refused, "too_many_redirects"));
        assert_eq!(crawled.finished.receipt.count(Disposition::Redirected), 11);
    }

    /// The end of a chain that is too long on one way may be near on another.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_end_of_a_long_chain_is_fetched_when_a_link_leads_there() {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/chain/3").link("/a"))
            .page("/a", Page::titled("A").link("/b"))
            .page("/b", Page::titled("B").link("/c"))
            .page("/c", Page::titled("C").link("/d"))
            .page("/d", Page::titled("D").link("/chain/0"))
            .redirect_chain("/chain", 3);
        let mut input = local();
        input.limits.redirects = Some(2);
        let (site, crawled) = crawl_site(site, input).await;
        assert_eq!(crawled.fate(&site.url("/chain/0")), FETCHED_PAGE);
        assert_eq!(crawled.row(&site.url("/chain/0")).source, Source::Spider);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_refused_hop_is_recorded_and_not_fetched() {
        let main = Site::new()
            .robots("User-agent: *\nDisallow: /private\n")
            .page("/", Page::titled("Home").links(["/to-private", "/to-outside", "/to-excluded"]))
            .redirect("/to-private", 302, "/private")
            .redirect("/to-outside", 302, "{host:b.test}/page")
            .redirect("/to-excluded", 302, "/excluded");
        let site = Site::new().host("a.test", main).host("b.test", Site::new());
        let (site, crawled) =
            crawl_host(site, "a.test", |_, input| input.scope.exclude = Some(vec!["/excluded".to_owned()])).await;
        let fate = |host, path| crawled.fate(&site.url_on(host, path));
        assert_eq!(fate("a.test", "/private"), (Disposition::Refused, "robots"));
        assert_eq!(fate("b.test", "/page"), (Disposition::Refused, "outside_scope"));
        assert_eq!(fate("a.test", "/excluded"), (Disposition::Refused, "excluded"));
        assert_eq!(site.seen().hosts(), ["a.test"]);
        assert_eq!(site.seen().count("/private") + site.seen().count("/excluded"), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_redirect_to_nowhere_is_data() {
        let faults = [
            Fault::RedirectWithoutLocation,
            Fault::RedirectToFile,
            Fault::RedirectToFtp,
            Fault::RedirectToData,
            Fault::RedirectToJavascript,
        ];
        let home = faults.iter().fold(Page::titled("Home"), |page, fault| page.link(&format!("/{}", fault.name())));
        let site = faults
            .iter()
            .fold(Site::new().page("/", home), |site, fault| site.fault(&format!("/{}", fault.name()), fault.clone()));
        let (site, crawled) = crawl_site(site, local()).await;
        for fault in faults {
            let url = site.url(&format!("/{}", fault.name()));
            assert_eq!(crawled.fate(&url), (Disposition::Redirected, "bad_location"), "{}", fault.name());
            assert!(crawled.visit(&url).note.is_some(), "{}", fault.name());
        }
        assert_eq!(crawled.finished.receipt.seen(), 6);
    }

    /// A leaf that redirects is followed when everything else is done; sessions and parallelism change nothing.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_redirected_image_leads_to_an_image_in_any_split_into_sessions() {
        let site = Site::new()
            .page("/", Page::titled("Home").image("/old.png").image("/loop/1").image("/long/12").link("/a"))
            .page("/a", Page::titled("A").image("/other-old.png").link("/b"))
            .page("/b", Page::titled("B"))
            .redirect("/old.png", 301, "/older.png")
            .redirect("/older.png", 302, "/new.png")
            .redirect("/other-old.png", 301, "/new.png")
            .reply("/new.png", Reply::bytes("image/png", *b"\x89PNG"))
            .redirect_loop("/loop", 2)
            .redirect_chain("/long", 12)
            .start()
            .await;
        let straight = crawl(&site.url("/"), local()).await;
        let row = straight.row(&site.url("/new.png"));
        assert_eq!((row.kind, row.source, row.task), (LinkKind::Image, Source::Redirect, Task::Resource));
        assert_eq!(straight.visit(&site.url("/new.png")).status(), Some(200));
        assert_eq!(straight.edges(&site.url("/other-old.png")), [("redirect", site.url("/new.png"))]);
        assert_eq!(straight.fate(&site.url("/loop/2")), (Disposition::Redirected, "redirect_loop"));
        assert_eq!(straight.fate(&site.url("/long/1")), (Disposition::Refused, "too_many_redirects"));
        assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
        for budget in [1, 2, 5] {
            let pieces = in_sessions_of(&site.url("/"), budget, local()).await;
            assert!(
                straight.report() == pieces.report(),
                "{budget}: {}",
                difference(&straight.report(), &pieces.report())
            );
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_redirected_check_of_an_outside_link_is_followed_in_any_split_into_sessions() {
        let main = Site::new()
            .page("/", Page::titled("Home").link("{host:b.test}/old").link("/a"))
            .page("/a", Page::titled("A").link("{host:b.test}/new"));
        let outside = Site::new()
            .redirect("/old", 301, "/older")
            .redirect("/older", 302, "{host:c.test}/end")
            .page("/new", Page::titled("New"));
        let end = Site::new().page("/end", Page::titled("End").link("/further"));
        let site = Site::new().host("a.test", main).host("b.test", outside).host("c.test", end).start().await;
        let mut input = local_hosts(site.port());
        input.resources.check_external = Some(CheckExternal::All);
        let straight = crawl(&site.url_on("a.test", "/"), input.clone()).await;
        let row = straight.row(&site.url_on("c.test", "/end"));
        assert_eq!(
            (row.task, row.source, row.reason.disposition()),
            (Task::Check, Source::Redirect, Disposition::Fetched)
        );
        assert!(straight.find(&site.url_on("c.test", "/further")).is_none(), "a check is not read");
        for budget in [1, 3] {
            let pieces = in_sessions_of(&site.url_on("a.test", "/"), budget, input.clone()).await;
            assert!(
                straight.report() == pieces.report(),
                "{budget}: {}",
                difference(&straight.report(), &pieces.report())
            );
        }
    }
}

mod references {
    use super::*;

    /// A page with URLs in every place that HTML allows; each path begins with the expected kind of link.
    const EVERY_WAY: &str = r#"<!doctype html><html><head>
        <link rel=canonical href="/canonical">
        <link rel=alternate hreflang=de href="/hreflang">
        <link rel=next href="/next"><link rel=prev href="/prev">
        <link rel=amphtml href="/amp">
        <link rel=alternate type="application/rss+xml" href="/alternate">
        <link rel=author href="/related">
        <meta http-equiv=refresh content="5; url=/refresh">
        <link rel=stylesheet href="/stylesheet">
        <link rel="shortcut icon" href="/icon">
        <link rel=manifest href="/manifest">
        <link rel=preload as=image href="/hint-preload">
        <style>@import "/stylesheet-import"; p { background: url('/css-url-style') }
               @font-face { font-family: x; src: url(/font) format("woff2") }</style>
        <script src="/script"></script>
        <script type="application/ld+json">{"@type": "Article", "url": "/json-ld"}</script>
        </head><body background="/image-background">
        <a href="/anchor" ping="/hint-ping">x</a>
        <map><area href="/area"></map>
        <iframe src="/iframe"></iframe>
        <embed src="/embed"><object data="/embed-object"></object>
        <img src="/image" srcset="/image-small 1x, /image-large 2x" longdesc="/hint-longdesc">
        <picture><source srcset="/image-picture"><img src="/image"></picture>
        <video src="/video" poster="/image-poster"><source src="/video-source"><track src="/track"></video>
        <audio src="/audio"><source src="/audio-source"></audio>
        <p style="background: url(/css-url-attribute)">x</p>
        <svg><image href="/image-svg"/><a href="/anchor-svg"><text>x</text></a></svg>
        <noscript><img src="/image-noscript"><a href="/anchor-noscript">x</a></noscript>
        <form action="/form"><button formaction="/form-button">x</button></form>
        <blockquote cite="/hint-cite">x</blockquote>
        </body></html>"#;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_kind_of_reference_is_a_link_of_its_own_kind() {
        let (site, crawled) = crawl_site(Site::new().reply("/", Reply::html(EVERY_WAY)), local()).await;
        let edges = crawled.edges(&site.url("/"));
        let named = EVERY_WAY.split(['"', '\'', '(', ')', ' ', ';', '=', ',']).filter(|part| part.starts_with('/'));
        let named: BTreeSet<&str> = named.filter(|part| part.len() > 1 && !part.contains('<')).collect();
        let found: BTreeSet<&str> = edges.iter().map(|(_, to)| &to[site.origin().len()..]).collect();
        assert_eq!(found, named.iter().map(|path| path.trim_end_matches(['"', '}'])).collect());
        for (kind, target) in edges {
            let path = &target[site.origin().len()..];
            assert!(path[1..].starts_with(kind), "{path} is kept as {kind}");
            let is_mention = kind == "form" || kind == "hint";
            let expected = if is_mention { MENTIONED } else { (Disposition::Fetched, "client_error") };
            assert_eq!(crawled.fate(&target), expected, "{path}");
            assert_eq!(site.seen().count(path), usize::from(!is_mention), "{path}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn lookalikes_are_not_links() {
        let decoys = r#"<!doctype html><title>Decoys</title>
            <template><a href="/decoy/1">x</a><img src="/decoy/2"></template>
            <script>let link = "<a href='/decoy/3'>x</a>"; fetch("/decoy/4");</script>
            <script type="text/template"><a href="/decoy/5">x</a></script>
            <!-- <a href="/decoy/6">x</a> -->
            <textarea><a href="/decoy/7">x</a></textarea>
            <title><a href="/decoy/8">x</a></title>
            <p>See http://127.0.0.1/decoy/9 or &lt;a href="/decoy/10"&gt;.</p>
            <div data-href="/decoy/11" onclick="location='/decoy/12'">x</div>
            <a href="mailto:decoy@example.test">x</a><a href="javascript:go('/decoy/13')">x</a>
            <a href="tel:+1">x</a><a href="data:text/html,<a href=/decoy/14>">x</a><a href="\#">x</a><a>x</a>
            <img src="data:image/png;base64,AAAA">"#;
        let (site, crawled) =
            crawl_site(Site::new().reply("/", Reply::html(decoys.replace("\\#", "#"))), local()).await;
        assert_eq!(crawled.all_urls(), [site.url("/")]);
        assert_eq!(site.seen().requests(), 2, "robots.txt and the page");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_base_element_moves_every_reference_of_the_page_and_none_of_its_headers() {
        let html = r#"<head><link rel=canonical href="before"><base href="/deep/er/"><base href="/ignored/"></head>
            <a href="page">x</a><a href="../up">x</a><a href="/rooted">x</a><img src="image"><a href="?q">x</a>"#;
        let site = Site::new().reply("/", Reply::html(html).header("Link", "<header>; rel=next"));
        let (site, crawled) = crawl_site(site, local()).await;
        let expected = [
            ("next", "/header"),
            ("canonical", "/deep/er/before"),
            ("anchor", "/deep/er/page"),
            ("anchor", "/deep/up"),
            ("anchor", "/rooted"),
            ("image", "/deep/er/image"),
            ("anchor", "/deep/er/?q"),
        ];
        assert_eq!(crawled.edges(&site.url("/")), expected.map(|(kind, path)| (kind, site.url(path))));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn header_fields_contain_links_too() {
        let page = Reply::html("<p>x")
            .header("Link", "</canonical>; rel=\"canonical\", </next>; rel=next, </style>; rel=stylesheet")
            .header("Link", "</german>; rel=alternate; hreflang=de, </preload>; rel=preload; as=image")
            .header("Refresh", "3; url=/refresh")
            .header("Content-Location", "/content-location");
        let created = Reply::html("<p>y").with_status(201).header("Location", "/created");
        let site = Site::new().reply("/", page).reply("/next", created);
        let (site, crawled) = crawl_site(site, local()).await;
        let expected = [
            ("canonical", "/canonical"),
            ("next", "/next"),
            ("stylesheet", "/style"),
            ("hreflang", "/german"),
            ("hint", "/preload"),
            ("refresh", "/refresh"),
            ("content-location", "/content-location"),
        ];
        assert_eq!(crawled.edges(&site.url("/")), expected.map(|(kind, path)| (kind, site.url(path))));
        assert_eq!(crawled.edges(&site.url("/next")), [("location", site.url("/created"))]);
        assert_eq!(site.seen().count("/created"), 1);
        assert_eq!(site.seen().count("/preload"), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn sources_record_how_a_url_was_first_found() {
        let html = "<link rel=canonical href=/c><link rel=alternate hreflang=de href=/h><a href=/s>x</a><img src=/r>";
        let (site, crawled) = crawl_site(Site::new().reply("/", Reply::html(html)), local()).await;
        let sources = ["/", "/c", "/h", "/s", "/r"].map(|path| crawled.row(&site.url(path)).source);
        let expected = [Source::Initial, Source::Canonical, Source::Hreflang, Source::Spider, Source::Resource];
        assert_eq!(sources, expected);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn stylesheets_are_read_for_imports_images_and_fonts() {
        let site = Site::new()
            .page("/", Page::titled("Home").stylesheet("/css/site.css").stylesheet("/css/missing.css"))
            .reply(
                "/css/site.css",
                Reply::text(
                    "text/css",
                    "@import 'more.css'; @import url(\"/print.css\") print;\n/* url(comment.png) */\n\
                     body { background: url( back.png ) } @font-face { src: url(font.woff2), local('x') }\n\
                     p::after { content: 'url(string.png)' } i { cursor: url(data:image/png;base64,A) }",
                ),
            )
            .reply("/css/more.css", Reply::text("text/css", "@import 'site.css'; b { background: url(deep.png) }"))
            .reply("/css/missing.css", Reply::html("<p style=background:url(/from-a-page.png)>"));
        let (site, crawled) = crawl_site(site, local()).await;
        let expected = [
            ("stylesheet", "/css/more.css"),
            ("stylesheet", "/print.css"),
            ("css-url", "/css/back.png"),
            ("font", "/css/font.woff2"),
        ];
        assert_eq!(crawled.edges(&site.url("/css/site.css")), expected.map(|(kind, path)| (kind, site.url(path))));
        assert_eq!(site.seen().count("/css/deep.png"), 1, "an imported stylesheet is read too");
        assert!(crawled.find(&site.url("/from-a-page.png")).is_none(), "a page in place of a stylesheet names nothing");
        assert_eq!(
            site.seen().requested_more_than_once(),
            Vec::<String>::new(),
            "stylesheets that import each other end"
        );
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_moved_stylesheet_is_read_at_its_new_url() {
        let site = Site::new()
            .page("/", Page::titled("Home").stylesheet("/old.css"))
            .redirect("/old.css", 301, "/deep/new.css")
            .reply("/deep/new.css", Reply::text("text/css", "p { background: url(back.png) }"));
        let (site, crawled) = crawl_site(site, local()).await;
        assert_eq!(crawled.edges(&site.url("/deep/new.css")), [("css-url", site.url("/deep/back.png"))]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_external_stylesheet_is_checked_but_not_parsed() {
        let main = Site::new().page("/", Page::titled("Home").stylesheet("{host:cdn.test}/x.css"));
        let cdn = Site::new().reply("/x.css", Reply::text("text/css", "p { background: url(/never.png) }"));
        let site = Site::new().host("a.test", main).host("cdn.test", cdn);
        let (site, crawled) =
            crawl_host(site, "a.test", |_, input| input.resources.check_external = Some(CheckExternal::Resources))
                .await;
        assert_eq!(crawled.fate(&site.url_on("cdn.test", "/x.css")), (Disposition::Fetched, "resource"));
        assert_eq!(site.seen().count("/never.png"), 0);
    }
}

mod resources {
    use super::*;

    fn of_every_kind() -> Site {
        let html = "<link rel=stylesheet href=/stylesheet><link rel=icon href=/icon><link rel=manifest href=/manifest>\
            <script src=/script></script><style>p{background:url(/css-url)} @font-face{src:url(/font)}</style>\
            <img src=/image><video src=/video><track src=/track></video><audio src=/audio></audio>";
        Site::new().reply("/", Reply::html(html))
    }

    const KINDS: [&str; 10] =
        ["audio", "css-url", "font", "icon", "image", "manifest", "script", "stylesheet", "track", "video"];

    async fn kinds_asked_for(settings: impl Fn(&mut AuditInput)) -> Vec<String> {
        let mut input = local();
        settings(&mut input);
        let (site, crawled) = crawl_site(of_every_kind(), input).await;
        let refused = crawled.finished.receipt.count_of(Refusal::ResourceKind);
        let mut requested = site.seen().paths();
        requested.retain(|path| path.len() > 1 && path != "/robots.txt");
        assert_eq!(requested.len() as u64 + refused, KINDS.len() as u64);
        requested.sort();
        requested.iter().map(|path| path[1..].to_owned()).collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn resources_of_the_kinds_in_the_plan_are_checked() {
        assert_eq!(kinds_asked_for(|_| {}).await, KINDS, "all of them when none is named");
        for kind in KINDS {
            let requested = kinds_asked_for(|input| input.resources.kinds = Some(vec![kind.to_owned()])).await;
            assert_eq!(requested, [kind]);
        }
        let none = kinds_asked_for(|input| input.resources.check = Some(false)).await;
        assert_eq!(none, Vec::<String>::new());
    }

    /// Promise 2: a wrong first mention hides nothing.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_first_used_as_an_image_is_parsed_when_linked() {
        let site = Site::new()
            .page("/", Page::titled("Home").image("/hub").link("/hub").link("/other"))
            .page("/other", Page::titled("Other").link("/hub"))
            .page("/hub", Page::titled("Hub").link("/behind"))
            .page("/behind", Page::titled("Behind"));
        let (site, crawled) = crawl_site(site, local()).await;
        assert_eq!(crawled.statuses(), truth(&site));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_image_also_linked_as_a_page_is_fetched_even_if_images_are_not_checked() {
        let home = Page::titled("Home").image("/photo.png").link("/a");
        let site = Site::new().page("/", home).page("/a", Page::titled("A").link("/photo.png"));
        let mut input = local();
        input.resources.check = Some(false);
        let (site, crawled) = crawl_site(site, input).await;
        assert_eq!(site.seen().count("/photo.png"), 1);
        assert_eq!(crawled.row(&site.url("/photo.png")).task, Task::Page);
    }
}

mod classification {
    use super::*;

    /// The examples of the default classifier.
    #[tokio::test(flavor = "multi_thread")]
    async fn by_default_analytics_are_skipped_and_framework_data_is_recorded() {
        let home = Page::titled("Home").script("/gtag/js?id=1").link("/_next/data/1/a.json").link("/a");
        let (site, crawled) = crawl_site(Site::new().page("/", home).page("/a", Page::titled("A")), local()).await;
        assert_eq!(crawled.fate(&site.url("/gtag/js?id=1")), (Disposition::Skipped, "skipped"));
        assert_eq!(crawled.fate(&site.url("/_next/data/1/a.json")), (Disposition::Recorded, "recorded"));
        assert_eq!(crawled.fate(&site.url("/a")), FETCHED_PAGE);
        assert_eq!(site.seen().requests(), 3, "robots.txt and two pages");
    }

    /// Called once per URL, at any parallelism, over all sessions, in number order.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_classifier_is_called_exactly_once_per_url() {
        for seed in 0..5 {
            let web = Web::random(seed).pages(150).redirects(8).missing(5).query_variants(5).resources(30).external(5);
            let site =
                web.site().latency(Latency::uniform(Duration::ZERO, Duration::from_millis(3)), seed).start().await;
            let store = Arc::new(MemoryStore::default());
            let requested = Arc::new(Mutex::new(Vec::new()));
            let mut input = local();
            input.politeness.parallelism = Some(64);
            input.limits.session_budget = Some(60);
            let crawled = loop {
                let log = Arc::clone(&requested);
                let decide = move |found: &bluesnake_engine::Discovered<'_>| {
                    log.lock().unwrap().push(found.url.to_string());
                    Action::Crawl
                };
                let crawler = crawler(&[site.url("/")], input.clone(), &store).on_url_discovered(decide);
                let finished = crawler.start().unwrap().wait().await.unwrap();
                if finished.reason == EndReason::Exhausted {
                    break Crawled::of(store, finished);
                }
            };
            let but_the_seed = crawled.all_urls().split_off(1);
            assert_eq!(*requested.lock().unwrap(), but_the_seed, "seed {seed}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_classifier_knows_the_link_that_led_to_a_url() {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/a").link("/moved").image("/logo.png"))
            .page("/a", Page::titled("A").link("/a").link("/b").link("/"))
            .redirect("/moved", 301, "/target")
            .start()
            .await;
        let links = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&links);
        let crawler = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()));
        let crawler = crawler.on_url_discovered(move |found| {
            assert_eq!(found.link.target(), *found.url);
            let (from, to) = (found.from.path().to_owned(), found.url.path().to_owned());
            log.lock().unwrap().push((from, to, found.link.kind, found.source));
            Action::Crawl
        });
        crawler.start().unwrap().wait().await.unwrap();
        let expected = [
            ("/", "/a", LinkKind::Anchor, Source::Spider),
            ("/", "/moved", LinkKind::Anchor, Source::Spider),
            ("/", "/logo.png", LinkKind::Image, Source::Resource),
            ("/a", "/b", LinkKind::Anchor, Source::Spider),
            ("/moved", "/target", LinkKind::Redirect, Source::Redirect),
        ];
        let expected = expected.map(|(from, to, kind, source)| (from.to_owned(), to.to_owned(), kind, source));
        assert_eq!(*links.lock().unwrap(), expected);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_reconsidered_url_is_not_classified_again() {
        let site = Site::new()
            .page("/", Page::titled("Home").nofollow_link("/later").form("/sent").link("/a"))
            .page("/a", Page::titled("A").link("/later").link("/sent"))
            .start()
            .await;
        let calls = Arc::new(Mutex::new(HashMap::<String, usize>::new()));
        let count = Arc::clone(&calls);
        let crawler = crawler(&[site.url("/")], local(), &Arc::new(MemoryStore::default()));
        let crawler = crawler.on_url_discovered(move |found| {
            *count.lock().unwrap().entry(found.url.path().to_owned()).or_default() += 1;
            Action::Crawl
        });
        crawler.start().unwrap().wait().await.unwrap();
        let expected = [("/a", 1), ("/later", 1), ("/sent", 1)].map(|(path, times)| (path.to_owned(), times));
        assert_eq!(*calls.lock().unwrap(), HashMap::from(expected));
    }

    /// Recorded and skipped URLs are never requested, however they are found.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_classifier_decides_what_is_recorded_and_skipped() {
        let site = Site::new()
            .page(
                "/",
                Page::titled("Home")
                    .links(["/record/a", "/skip/a", "/a", "/moved"])
                    .image("/record/b")
                    .image("/skip/b"),
            )
            .page("/a", Page::titled("A").links(["/record/a", "/skip/a"]))
            .redirect("/moved", 301, "/skip/c")
            .start()
            .await;
        let store = Arc::new(MemoryStore::default());
        let crawler = crawler(&[site.url("/")], local(), &store).on_url_discovered(|found| match found.url.path() {
            path if path.starts_with("/record/") => Action::Record,
            path if path.starts_with("/skip/") => Action::Skip,
            _ => Action::Crawl,
        });
        let crawled = Crawled::of(store, crawler.start().unwrap().wait().await.unwrap());
        for path in ["/record/a", "/record/b"] {
            assert_eq!(crawled.fate(&site.url(path)), (Disposition::Recorded, "recorded"));
            assert_eq!((crawled.row(&site.url(path)).action, site.seen().count(path)), (Action::Record, 0));
        }
        for path in ["/skip/a", "/skip/b", "/skip/c"] {
            assert_eq!(crawled.fate(&site.url(path)), (Disposition::Skipped, "skipped"));
            assert_eq!((crawled.row(&site.url(path)).action, site.seen().count(path)), (Action::Skip, 0));
        }
        let edges = crawled.edges(&site.url("/"));
        assert!(edges.contains(&("anchor", site.url("/record/a"))), "recorded URLs stay in the links");
    }
}

mod duplicates {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn identical_bodies_are_recorded_and_not_expanded() {
        let site = scenarios::identical_shells(20).start().await;
        let edges = |crawled: &Crawled| crawled.statuses().keys().filter(|url| !crawled.edges(url).is_empty()).count();
        let once = crawl(&site.url("/"), local()).await;
        let first = once.row(&site.url("/")).number;
        assert_eq!(once.statuses().len(), 21);
        assert!(once.store.visits().iter().skip(1).all(|visit| visit.identical_to == Some(first)));
        assert_eq!(edges(&once), 1, "only the first is expanded");
        let mut input = local();
        input.parse.skip_identical = Some(false);
        let all = crawl(&site.url("/"), input).await;
        assert_eq!(edges(&all), 21);
        assert!(all.store.visits().iter().skip(1).all(|visit| visit.identical_to == Some(first)), "still said");
    }

    /// A client-routed shell mints new addresses at every address, and the crawl ends all the same.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_shell_that_generates_urls_is_abandoned_after_its_first_copy() {
        let shell = || Page::titled("App").links(["deeper/", "sideways/"]);
        let paths = ["/", "/deeper/", "/sideways/", "/deeper/deeper/", "/deeper/sideways/"];
        let site = paths.into_iter().fold(Site::new(), |site, path| site.page(path, shell()));
        let (site, crawled) = crawl_site(site, local()).await;
        assert_eq!(crawled.statuses().len(), 3);
        assert_eq!(site.seen().count("/deeper/deeper/"), 0);
    }

    /// The lowest number owns the content, whichever page responds first.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_smallest_number_owns_a_group_of_duplicates_at_any_latency() {
        let copy = |number: u64| {
            let html = format!("<title>Same</title><p>The same words.<!-- copy {number} -->");
            Reply::html(html).delay(Duration::from_millis(30 - 3 * number))
        };
        let home = Page::titled("Home").links((0..10).map(|number| format!("/copy/{number}")));
        let site = (0..10)
            .fold(Site::new().page("/", home), |site, number| site.reply(&format!("/copy/{number}"), copy(number)));
        let site = site.start().await;
        for parallelism in [1, 16] {
            let mut input = local();
            input.politeness.parallelism = Some(parallelism);
            let crawled = crawl(&site.url("/"), input).await;
            let owner = crawled.row(&site.url("/copy/0")).number;
            assert_eq!(crawled.visit(&site.url("/copy/0")).duplicate_of, None);
            for number in 1..10 {
                let visit = crawled.visit(&site.url(&format!("/copy/{number}")));
                assert_eq!((visit.duplicate_of, visit.identical_to), (Some(owner), None), "copy {number}");
                assert!(!visit.is_unique_page);
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn identical_error_pages_are_not_duplicates() {
        let home = Page::titled("Home").links(["/gone/1", "/gone/2"]);
        let mut input = local();
        input.fetch.error_pages = Some(true);
        let (_, crawled) = crawl_site(Site::new().page("/", home), input).await;
        let owners: BTreeMap<_, _> =
            crawled.store.visits().iter().map(|visit| (visit.number(), visit.duplicate_of)).collect();
        assert!(owners.values().all(Option::is_none), "{owners:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn several_seeds_find_their_own_pages_and_share_common_ones() {
        let site = Site::new()
            .page("/a/", Page::titled("A").link("/shared").link("/a/1"))
            .page("/b/", Page::titled("B").link("/shared").link("/b/1"))
            .page("/shared", Page::titled("Shared"))
            .start()
            .await;
        let crawled = crawl_seeds(&[site.url("/a/"), site.url("/b/")], local()).await;
        assert_eq!(crawled.statuses().len(), 5);
        assert_eq!(site.seen().count("/shared"), 1);
    }
}

/// Links that wait for the sitemaps keep their attributes.
#[tokio::test(flavor = "multi_thread")]
async fn links_that_waited_for_the_sitemaps_are_still_nofollow() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/a"))
        .page("/a", Page::titled("A").meta("robots", "nofollow").link("/b"))
        .page("/b", Page::titled("B"))
        .start()
        .await;
    let mut input = local();
    input.discover.mechanisms = Some(Mechanisms::SitemapThenSpider);
    let on_a_page = crawl(&site.url("/"), input.clone()).await;
    assert_eq!(on_a_page.fate(&site.url("/b")), (Disposition::Refused, "nofollow"));
    let on_the_seed = crawl(&site.url("/a"), input).await;
    assert_eq!(on_the_seed.fate(&site.url("/b")), (Disposition::Refused, "nofollow"));
}
