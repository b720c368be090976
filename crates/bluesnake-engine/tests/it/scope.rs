//! Which URLs are in scope, how limits apply, and how traps end.

use std::collections::BTreeSet;
use std::sync::Arc;

use bluesnake_engine::plan::{BudgetCounts, CheckExternal, Mechanisms, PathMatch};
use bluesnake_engine::visit::Indexability;
use bluesnake_engine::{AuditInput, Disposition, EndReason, MemoryStore, Refusal, Source, Task};
use testsite::{Page, Reply, Running, Site, Tls, Trap, scenarios};

use crate::world::{
    Crawled, crawl, crawl_host, crawl_on, crawl_seeds, crawl_site, difference, in_sessions_of, local, local_hosts,
};

fn refused(reason: &'static str) -> (Disposition, &'static str) {
    (Disposition::Refused, reason)
}

/// The requested paths of the main site, except robots.txt, in alphabetical order.
fn requested(site: &Running) -> Vec<String> {
    let mut paths = site.seen().paths();
    paths.retain(|path| path != "/robots.txt");
    paths.sort();
    paths
}

/// A page for each path, without links, and a home that links to all of them.
fn flat<'a>(paths: impl IntoIterator<Item = &'a str>) -> Site {
    let paths: Vec<&str> = paths.into_iter().collect();
    let site = Site::new().page("/", Page::titled("Home").links(&paths));
    paths.iter().fold(site, |site, path| site.page(path, Page::titled(path)))
}

mod hosts {
    use super::*;

    /// `a.test` links to every other host.
    fn neighbours(names: &[&str]) -> Site {
        let home = Page::titled("A").links(names.iter().map(|name| format!("{{host:{name}}}/")));
        let site = Site::new().host("a.test", Site::new().page("/", home));
        names.iter().fold(site, |site, name| site.host(name, Site::new().page("/", Page::titled(name))))
    }

    async fn hosts_requested(names: &[&str], settings: impl FnOnce(&mut AuditInput)) -> Vec<String> {
        let (site, crawled) = crawl_host(neighbours(names), "a.test", |_, input| settings(input)).await;
        assert_eq!(crawled.finished.receipt.seen(), names.len() as u64 + 1, "refused URLs are recorded");
        site.seen().hosts()
    }

    const NAMES: [&str; 5] = ["www.a.test", "docs.a.test", "x.docs.a.test", "ba.test", "b.test"];

    #[tokio::test(flavor = "multi_thread")]
    async fn only_the_host_of_the_seed_is_in_scope_by_default() {
        assert_eq!(hosts_requested(&NAMES, |_| {}).await, ["a.test"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn subdomains_are_in_scope_if_configured() {
        let requested = hosts_requested(&NAMES, |input| input.scope.include_subdomains = Some(true)).await;
        assert_eq!(requested, ["a.test", "docs.a.test", "www.a.test", "x.docs.a.test"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn additional_hosts_are_in_scope_by_exact_name() {
        let further = |input: &mut AuditInput| input.scope.hosts = Some(vec!["B.test".to_owned()]);
        assert_eq!(hosts_requested(&["b.test", "www.b.test", "bb.test"], further).await, ["a.test", "b.test"]);
    }

    /// On label boundaries, and before every other rule.
    #[tokio::test(flavor = "multi_thread")]
    async fn excluded_hosts_are_excluded_with_their_subdomains_and_no_others() {
        let names = ["fb.test", "www.fb.test", "xfb.test"];
        let requested = hosts_requested(&names, |input| {
            input.scope.hosts = Some(names.map(str::to_owned).to_vec());
            input.scope.exclude_hosts = Some(vec!["fb.test".to_owned()]);
        });
        assert_eq!(requested.await, ["a.test", "xfb.test"]);
        let requested = hosts_requested(&names, |input| {
            input.resources.check_external = Some(CheckExternal::All);
            input.scope.exclude_hosts = Some(vec!["fb.test".to_owned()]);
        });
        assert_eq!(requested.await, ["a.test", "xfb.test"], "nor are they checked");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn another_port_is_another_site() {
        let other = Site::new().page("/", Page::titled("Other")).start().await;
        let (_, crawled) = crawl_site(Site::new().page("/", Page::titled("Home").link(&other.url("/"))), local()).await;
        assert_eq!(crawled.fate(&other.url("/")), refused("outside_scope"));
        assert_eq!(other.seen().requests(), 0);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn external_robots_txt_is_not_fetched_if_external_links_are_not_checked() {
        let home =
            Page::titled("A").link("{host:b.test}/").image("{host:c.test}/x.png").stylesheet("{host:d.test}/x.css");
        let site = Site::new().host("a.test", Site::new().page("/", home));
        let (site, crawled) = crawl_host(site, "a.test", |_, _| {}).await;
        assert_eq!(site.seen().hosts(), ["a.test"]);
        assert_eq!(crawled.finished.receipt.count_of(Refusal::OutsideScope), 3);
    }
}

mod paths {
    use super::*;

    async fn fates(seeds: &[&str], paths: PathMatch, requested: &[&str]) -> Vec<bool> {
        let links = |page: Page| page.links(requested);
        let site = seeds.iter().fold(Site::new(), |site, seed| site.page(seed, links(Page::titled(seed))));
        let site = site.start().await;
        let mut input = local();
        input.scope.paths = Some(paths);
        let crawled = crawl_seeds(&seeds.iter().map(|seed| site.url(seed)).collect::<Vec<_>>(), input).await;
        let is_inside = |path: &&str| {
            let is_requested = site.seen().count(path) == 1;
            let (disposition, reason) = crawled.fate(&site.url(path));
            let expected = if is_requested { (Disposition::Fetched, reason) } else { refused("outside_path") };
            assert_eq!((disposition, reason), expected, "{path}");
            is_requested
        };
        requested.iter().map(is_inside).collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn strict_paths_match_on_segment_boundaries_and_loose_ones_by_letters() {
        let seeds = ["/financial-apis"];
        let requested = ["/financial-apis/overview", "/financial-apis?x=1", "/financial-apis-blog", "/other"];
        assert_eq!(fates(&seeds, PathMatch::Strict, &requested).await, [true, true, false, false]);
        assert_eq!(fates(&seeds, PathMatch::Loose, &requested).await, [true, true, true, false]);
        assert_eq!(fates(&seeds, PathMatch::Any, &requested).await, [true, true, true, true]);
    }

    /// A URL under any of them is internal.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_url_under_any_of_several_bases_is_inside() {
        let requested = ["/docs/a", "/api/v1", "/docs-old", "/apiary", "/blog"];
        assert_eq!(fates(&["/docs/", "/api"], PathMatch::Strict, &requested).await, [true, true, false, false, false]);
    }

    /// The root matches everything on its host.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_root_base_has_everything_under_it() {
        assert_eq!(fates(&["/"], PathMatch::Strict, &["/a", "/b/c"]).await, [true, true]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn resources_of_a_page_are_checked_anywhere_on_the_host() {
        let site = Site::new().page("/docs/", Page::titled("Docs").image("/images/logo.png")).start().await;
        let mut input = local();
        input.scope.paths = Some(PathMatch::Strict);
        crawl(&site.url("/docs/"), input).await;
        assert_eq!(site.seen().count("/images/logo.png"), 1);
    }
}

mod outside {
    use super::*;

    const CHAIN: [&str; 8] = ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test", "g.test", "h.test"];

    /// Each host links to the next one and to one of its own pages.
    fn chain() -> Site {
        CHAIN.iter().zip(CHAIN.iter().skip(1)).fold(Site::new(), |site, (name, next)| {
            site.host(name, Site::new().page("/", Page::titled(name).link(&format!("{{host:{next}}}/"))))
        })
    }

    /// Each step outside counts, and no more than the plan allows are made.
    #[tokio::test(flavor = "multi_thread")]
    async fn external_steps_are_followed_up_to_the_limit() {
        for hops in 0..=5 {
            let (site, crawled) =
                crawl_host(chain(), "a.test", |_, input| input.scope.external_hops = Some(hops)).await;
            let hops = hops as usize;
            assert_eq!(site.seen().hosts(), CHAIN[..=hops]);
            let beyond = crawled.row(&site.url_on(CHAIN[hops + 1], "/"));
            let reason = if hops == 0 { "outside_scope" } else { "too_many_hops" };
            assert_eq!(
                (beyond.reason.disposition(), beyond.reason.as_str(), beyond.hops as usize),
                (Disposition::Refused, reason, hops + 1)
            );
        }
    }

    /// Internal is 0, always.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_step_back_inside_resets_the_count() {
        let inside = Site::new()
            .page("/", Page::titled("A").link("{host:b.test}/"))
            .page("/back", Page::titled("Back").link("{host:c.test}/"));
        let site = Site::new()
            .host("a.test", inside)
            .host("b.test", Site::new().page("/", Page::titled("B").link("{host:a.test}/back").link("/own")))
            .host("c.test", Site::new().page("/", Page::titled("C")));
        let (site, crawled) = crawl_host(site, "a.test", |_, input| input.scope.external_hops = Some(1)).await;
        let hops = |host, path| crawled.row(&site.url_on(host, path)).hops;
        assert_eq!((hops("b.test", "/"), hops("a.test", "/back"), hops("c.test", "/")), (1, 0, 1));
        assert_eq!(site.seen().count_on("c.test", "/"), 1);
        assert_eq!(crawled.fate(&site.url_on("b.test", "/own")), refused("too_many_hops"));
    }

    /// A page outside may link to one that was refused from deeper outside.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_that_was_too_far_outside_is_fetched_when_the_site_links_to_it_later() {
        let inside = Site::new()
            .page("/", Page::titled("A").link("{host:b.test}/").link("/1"))
            .page("/1", Page::titled("1").link("/2"))
            .page("/2", Page::titled("2").link("{host:b.test}/far"));
        let outside = Site::new().page("/", Page::titled("B").link("/far")).page("/far", Page::titled("Far"));
        let site = Site::new().host("a.test", inside).host("b.test", outside);
        let (site, crawled) = crawl_host(site, "a.test", |_, input| input.scope.external_hops = Some(1)).await;
        assert_eq!(crawled.row(&site.url_on("b.test", "/far")).reason.disposition(), Disposition::Fetched);
        assert_eq!(crawled.row(&site.url_on("b.test", "/far")).hops, 1);
    }

    /// Most sites redirect their bare address; that is not a step further away.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_redirect_outside_is_not_another_step() {
        let site = Site::new()
            .host("a.test", Site::new().page("/", Page::titled("A").link("{host:b.test}/")))
            .host("b.test", Site::new().redirect("/", 301, "{host:www.b.test}/"))
            .host("www.b.test", Site::new().page("/", Page::titled("B").link("/further")));
        let (site, crawled) = crawl_host(site, "a.test", |_, input| input.scope.external_hops = Some(1)).await;
        assert_eq!(crawled.fate(&site.url_on("www.b.test", "/")), (Disposition::Fetched, "page"));
        assert_eq!(crawled.fate(&site.url_on("www.b.test", "/further")), refused("too_many_hops"));
    }

    fn with_neighbours() -> Site {
        let home =
            Page::titled("A").link("{host:b.test}/page").image("{host:b.test}/image.png").link("{host:b.test}/gone");
        let outside = Site::new()
            .page("/page", Page::titled("Page").link("/behind"))
            .reply("/image.png", Reply::bytes("image/png", *b"\x89PNG"))
            .reply("/gone", Reply::status(404));
        Site::new().host("a.test", Site::new().page("/", home)).host("b.test", outside)
    }

    /// External links are checked as configured, and never parsed.
    #[tokio::test(flavor = "multi_thread")]
    async fn external_links_are_checked_as_configured() {
        let check = async |which, expected: &[&str]| {
            let (site, crawled) =
                crawl_host(with_neighbours(), "a.test", |_, input| input.resources.check_external = Some(which)).await;
            let outside: BTreeSet<String> =
                site.log().iter().filter(|seen| seen.host == "b.test").map(|seen| seen.target.clone()).collect();
            assert_eq!(outside, expected.iter().map(|path| (*path).to_owned()).collect());
            crawled
        };
        check(CheckExternal::None, &[]).await;
        check(CheckExternal::Resources, &["/image.png", "/robots.txt"]).await;
        let crawled = check(CheckExternal::All, &["/gone", "/image.png", "/page", "/robots.txt"]).await;
        assert!(!crawled.all_urls().iter().any(|url| url.ends_with("/behind")), "a check is not read for links");
        let tasks: BTreeSet<_> =
            crawled.store.urls().iter().filter(|row| !row.is_internal).map(|row| row.task.as_str()).collect();
        assert_eq!(tasks, BTreeSet::from(["check", "resource"]));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn external_links_use_head_and_are_broken_only_if_get_fails() {
        let home = Page::titled("A").link("{host:b.test}/good").link("{host:b.test}/gone");
        let site = Site::new()
            .host("a.test", Site::new().page("/", home))
            .host("b.test", Site::new().page("/good", Page::titled("Good")));
        let (site, crawled) =
            crawl_host(site, "a.test", |_, input| input.resources.check_external = Some(CheckExternal::All)).await;
        let methods = |path: &str| -> Vec<String> {
            site.log().iter().filter(|seen| seen.target == path).map(|seen| seen.method.clone()).collect()
        };
        assert_eq!(methods("/good"), ["HEAD"]);
        assert_eq!(methods("/gone"), ["HEAD", "GET"]);
        assert_eq!(crawled.visit(&site.url_on("b.test", "/gone")).status(), Some(404));
        assert_eq!(crawled.visit(&site.url_on("b.test", "/good")).status(), Some(200));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn robots_txt_of_other_hosts_applies_to_checks_too() {
        let site = Site::new()
            .host("a.test", Site::new().page("/", Page::titled("A").link("{host:b.test}/private")))
            .host("b.test", Site::new().robots("User-agent: *\nDisallow: /private\n"));
        let (site, crawled) =
            crawl_host(site, "a.test", |_, input| input.resources.check_external = Some(CheckExternal::All)).await;
        assert_eq!(crawled.fate(&site.url_on("b.test", "/private")), refused("robots"));
        assert_eq!(site.seen().count("/private"), 0);
    }
}

mod nofollow {
    use super::*;

    fn site() -> Site {
        let home = Page::titled("A").nofollow_link("/inside").nofollow_link("{host:b.test}/outside");
        Site::new()
            .host("a.test", Site::new().page("/", home).page("/inside", Page::titled("Inside")))
            .host("b.test", Site::new().page("/outside", Page::titled("Outside")))
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nofollow_links_are_followed_as_configured() {
        for (inside, outside) in [(false, false), (true, false), (false, true), (true, true)] {
            let (site, crawled) = crawl_host(site(), "a.test", |_, input| {
                input.resources.check_external = Some(CheckExternal::All);
                input.scope.follow_internal_nofollow = Some(inside);
                input.scope.follow_external_nofollow = Some(outside);
            })
            .await;
            let seen = site.seen();
            assert_eq!((seen.count("/inside") == 1, seen.count("/outside") == 1), (inside, outside));
            let refusals = crawled.finished.receipt.count_of(Refusal::Nofollow);
            assert_eq!(refusals, u64::from(!inside) + u64::from(!outside));
        }
    }

    /// `nofollow` in the head of a page applies to all its links and none of its images.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_can_mark_all_its_links_nofollow() {
        let silent = || Page::titled("Silent").link("/linked").image("/image.png");
        let in_header = |value: &str| Reply::html(silent().to_html()).header("X-Robots-Tag", value);
        let check = async |reply: Reply, is_followed: bool| {
            let (site, _) = crawl_site(Site::new().reply("/", reply), local()).await;
            assert_eq!((site.seen().count("/linked"), site.seen().count("/image.png")), (usize::from(is_followed), 1));
        };
        check(Reply::html(silent().meta("robots", "noindex, NoFollow").to_html()), false).await;
        check(Reply::html(silent().meta("robots", "none").to_html()), false).await;
        check(Reply::html(silent().meta("bluesnake", "nofollow").to_html()), false).await;
        check(Reply::html(silent().meta("googlebot", "nofollow").to_html()), true).await;
        check(in_header("nofollow"), false).await;
        check(in_header("bluesnake: nofollow"), false).await;
        check(in_header("otherbot: nofollow"), true).await;
        check(in_header("noindex"), true).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_nofollow_page_is_followed_if_configured() {
        let site = Site::new().page("/", Page::titled("Home").meta("robots", "nofollow").link("/linked"));
        let mut input = local();
        input.scope.follow_internal_nofollow = Some(true);
        let (site, _) = crawl_site(site, input).await;
        assert_eq!(site.seen().count("/linked"), 1);
    }
}

/// A refusal that hangs on the link is reconsidered with the next link.
mod second_thoughts {
    use super::*;

    /// What was first only mentioned keeps its number and takes its turn from the later link.
    async fn check(site: Site, path: &str, first_reason: &str, settings: impl Fn(&mut AuditInput)) {
        let mut input = local();
        settings(&mut input);
        let site = site.start().await;
        let crawled = crawl(&site.url("/"), input.clone()).await;
        let row = crawled.row(&site.url(path));
        assert_eq!(row.reason.disposition(), Disposition::Fetched, "{path} was {first_reason} first: {}", row.reason);
        assert_eq!(site.seen().count(path), 1);
        let earlier = |other: &bluesnake_engine::UrlRow| {
            other.number > row.number && other.turn.is_some_and(|turn| turn < row.turn.unwrap())
        };
        assert!(crawled.store.urls().iter().any(earlier), "{path} was {first_reason} before the others were visited");
        for budget in [1, 2] {
            let pieces = in_sessions_of(&site.url("/"), budget, input.clone()).await;
            assert!(
                crawled.report() == pieces.report(),
                "{budget}: {}",
                difference(&crawled.report(), &pieces.report())
            );
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_nofollow_link_then_a_followed_one() {
        let site = Site::new()
            .page("/", Page::titled("Home").nofollow_link("/later").link("/a"))
            .page("/a", Page::titled("A").link("/b").link("/later"))
            .page("/later", Page::titled("Later"));
        check(site, "/later", "nofollow", |_| {}).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_form_then_an_anchor() {
        let site = Site::new()
            .page("/", Page::titled("Home").form("/search").link("/a"))
            .page("/a", Page::titled("A").link("/search"))
            .page("/search", Page::titled("Search"));
        check(site, "/search", "mentioned", |_| {}).await;
    }

    /// A chain that begins in a sitemap is shorter than the one from the seed.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_path_that_is_too_deep_then_a_short_one() {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/1"))
            .page("/1", Page::titled("1").link("/2"))
            .page("/2", Page::titled("2").link("/deep"))
            .page("/listed", Page::titled("Listed").link("/near"))
            .page("/near", Page::titled("Near").link("/deep"))
            .page("/deep", Page::titled("Deep"))
            .sitemap("/sitemap.xml", ["/listed"]);
        check(site, "/deep", "too_deep", |input| {
            input.discover.mechanisms = Some(Mechanisms::Both);
            input.scope.max_depth = Some(2);
        })
        .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_deep_link_then_a_sitemap() {
        let site = Site::new()
            .page("/", Page::titled("Home").link("/1"))
            .page("/1", Page::titled("1").link("/deep").link("/deeper"))
            .page("/deep", Page::titled("Deep"))
            .reply("/sitemap.xml", testsite::sitemap::index(["/nested.xml"]))
            .sitemap("/nested.xml", ["/deep"]);
        check(site, "/deep", "too_deep", |input| {
            input.discover.mechanisms = Some(Mechanisms::Both);
            input.scope.max_depth = Some(1);
        })
        .await;
    }
}

mod filters {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn pages_are_followed_up_to_the_depth_limit() {
        let site = || {
            (0..5).fold(Site::new().page("/", Page::titled("0").link("/1")), |site, depth| {
                site.page(
                    &format!("/{depth}"),
                    Page::titled("Page").text(&depth.to_string()).link(&format!("/{}", depth + 1)),
                )
            })
        };
        for (max_depth, expected) in [(0, 6), (1, 2), (2, 3), (3, 4)] {
            let mut input = local();
            input.scope.max_depth = Some(max_depth);
            let (_, crawled) = crawl_site(site(), input).await;
            assert_eq!(crawled.statuses().len(), expected, "max_depth {max_depth}");
            let too_deep = crawled.finished.receipt.count_of(Refusal::TooDeep);
            assert_eq!(too_deep, u64::from(max_depth > 0));
        }
    }

    /// Exclude first, then include; a seed needs neither.
    #[tokio::test(flavor = "multi_thread")]
    async fn include_and_exclude_patterns_apply() {
        let mut input = local();
        input.scope.include = Some(vec!["/blog/".to_owned(), "^http://[^/]+/shop$".to_owned()]);
        input.scope.exclude = Some(vec!["draft".to_owned()]);
        let (site, crawled) = crawl_site(flat(["/blog/a", "/blog/draft", "/shop", "/shop/b", "/about"]), input).await;
        assert_eq!(requested(&site), ["/", "/blog/a", "/shop"]);
        assert_eq!(crawled.fate(&site.url("/blog/draft")), refused("excluded"));
        assert_eq!(crawled.fate(&site.url("/about")), refused("not_included"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn links_to_files_are_refused_by_extension_if_configured() {
        let paths = ["/a.html", "/report.PDF", "/v1.2/intro", "/x.tar.gz", "/data.json", "/page.php?file=a.pdf"];
        let (all, _) = crawl_site(flat(paths), local()).await;
        assert_eq!(requested(&all).len(), 7);
        let mut input = local();
        input.scope.skip_files = Some(true);
        let (site, crawled) = crawl_site(flat(paths), input).await;
        assert_eq!(requested(&site), ["/", "/a.html", "/page.php?file=a.pdf", "/v1.2/intro"]);
        assert_eq!(crawled.finished.receipt.count_of(Refusal::FileType), 3);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_image_is_checked_although_links_to_files_are_refused() {
        let home = Page::titled("Home").link("/photo.png").image("/photo.png");
        let mut input = local();
        input.scope.skip_files = Some(true);
        let (site, _) = crawl_site(Site::new().page("/", home), input).await;
        assert_eq!(site.seen().count("/photo.png"), 1);
    }

    /// Contradiction 33: the seeds alone, with their resources.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_single_page_is_visited_with_its_resources_and_nothing_else() {
        let site = Site::new()
            .redirect("/", 302, "/home")
            .page("/home", Page::titled("Home").link("/a").image("/logo.png").stylesheet("/site.css"))
            .sitemap("/sitemap.xml", ["/listed"]);
        let mut input = local();
        input.discover.mechanisms = Some(Mechanisms::Both);
        input.scope.single_page = Some(true);
        let (site, crawled) = crawl_site(site, input).await;
        assert_eq!(requested(&site), ["/", "/home", "/logo.png", "/site.css"]);
        assert_eq!(crawled.fate(&site.url("/a")), refused("single_page"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_url_of_megabytes_is_refused_and_not_stored_whole() {
        let long = format!("/?{}", "x".repeat(1 << 20));
        let home =
            Reply::html(format!("<a href='{long}'>one</a><a href='{long}'>again</a><a href='{long}y'>other</a>"));
        let site = Site::new().reply("/", home).start().await;
        let mut input = local();
        for url_length in [2048, 0] {
            input.limits.url_length = Some(url_length);
            let crawled = crawl(&site.url("/"), input.clone()).await;
            let refused: Vec<_> = crawled.all_urls().into_iter().filter(|url| url.contains("-bytes-")).collect();
            assert_eq!(refused.len(), 2, "two URLs that differ in their last byte");
            for url in refused {
                assert!(url.len() < 2_100 && url.starts_with(&site.url("/?xxx")), "{}", url.len());
                assert_eq!(crawled.fate(&url), (Disposition::Refused, "url_too_long"));
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn urls_longer_than_the_limit_are_refused() {
        let long = format!("/{}", "x".repeat(3000));
        let (site, crawled) =
            crawl_site(Site::new().page("/", Page::titled("Home").link(&long).link("/short")), local()).await;
        assert_eq!(crawled.fate(&site.url(&long)), refused("url_too_long"));
        assert_eq!(requested(&site), ["/", "/short"]);
        let mut input = local();
        input.limits.url_length = Some(0);
        let crawled = crawl(&site.url("/"), input).await;
        assert_eq!(crawled.row(&site.url(&long)).reason.disposition(), Disposition::Fetched, "0 means no limit");
    }

    /// The answer has a reason.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_is_indexable_or_has_a_reason() {
        let site = Site::new()
            .page(
                "/",
                Page::titled("Home").links([
                    "/meta",
                    "/header",
                    "/canonical",
                    "/own",
                    "/gone",
                    "/moved",
                    "/data",
                    "/broken",
                ]),
            )
            .page("/meta", Page::titled("Meta").noindex().link("/behind"))
            .reply("/header", Reply::html("<p>x").header("X-Robots-Tag", "noindex"))
            .page("/canonical", Page::titled("Canonical").canonical("/"))
            .page("/own", Page::titled("Own").canonical("/own"))
            .redirect("/moved", 301, "/")
            .reply("/data", Reply::text("application/json", "{}"))
            .reply("/broken", Reply::html("<p>x").with_status(500))
            .start()
            .await;
        let crawled = crawl(&site.url("/"), local()).await;
        let of = |crawled: &Crawled, path| crawled.visit(&site.url(path)).indexability;
        let expected = [
            ("/", Indexability::Yes),
            ("/meta", Indexability::No("noindex")),
            ("/header", Indexability::No("noindex")),
            ("/canonical", Indexability::No("canonicalised")),
            ("/own", Indexability::Yes),
            ("/gone", Indexability::No("client_error")),
            ("/broken", Indexability::No("server_error")),
            ("/moved", Indexability::No("redirected")),
            ("/data", Indexability::NotAPage),
        ];
        for (path, indexability) in expected {
            assert_eq!(of(&crawled, path), indexability, "{path}");
        }
        assert_eq!(site.seen().count("/behind"), 1, "links of a noindex page are followed");
        let mut input = local();
        input.scope.respect_meta_noindex = Some(false);
        let careless = crawl(&site.url("/"), input.clone()).await;
        assert_eq!(
            (of(&careless, "/meta"), of(&careless, "/header")),
            (Indexability::Yes, Indexability::No("noindex"))
        );
        (input.scope.respect_meta_noindex, input.scope.respect_header_noindex) = (None, Some(false));
        let careless = crawl(&site.url("/"), input).await;
        assert_eq!(
            (of(&careless, "/meta"), of(&careless, "/header")),
            (Indexability::No("noindex"), Indexability::Yes)
        );
    }
}

/// A seed that redirects to its own other form.
mod seeds_that_move {
    use super::*;

    fn moving(from: &str, to: &str) -> Site {
        let new = Site::new()
            .page("/", Page::titled("Home").link("/a").link(&format!("{{host:{from}}}/old")))
            .page("/a", Page::titled("A"))
            .page("/listed", Page::titled("Listed"))
            .sitemap("/sitemap.xml", ["/listed"]);
        let old = Site::new().redirect("/", 301, &format!("{{host:{to}}}/")).page("/old", Page::titled("Old"));
        Site::new().host(from, old).host(to, new)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_seed_redirect_to_www_or_apex_extends_the_scope() {
        for (from, to) in [("a.test", "www.a.test"), ("www.a.test", "a.test")] {
            let (site, crawled) = crawl_host(moving(from, to), from, |_, _| {}).await;
            assert_eq!(crawled.row(&site.url_on(to, "/")).depth.shown(), Some(0), "it replaces the seed");
            for url in [site.url_on(to, "/a"), site.url_on(from, "/old")] {
                assert_eq!(crawled.fate(&url), (Disposition::Fetched, "page"), "{url}");
                assert!(crawled.row(&url).is_internal, "{url}");
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn sitemaps_of_a_moved_seed_are_read() {
        let (site, crawled) = crawl_host(moving("a.test", "www.a.test"), "a.test", |_, input| {
            input.discover.mechanisms = Some(Mechanisms::Both);
        })
        .await;
        assert_eq!(crawled.fate(&site.url_on("www.a.test", "/listed")), (Disposition::Fetched, "page"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_grown_scope_survives_a_split_into_sessions() {
        let site = moving("a.test", "www.a.test").start().await;
        let mut input = local_hosts(site.port());
        input.discover.mechanisms = Some(Mechanisms::Both);
        let straight = crawl(&site.url_on("a.test", "/"), input.clone()).await;
        let pieces = in_sessions_of(&site.url_on("a.test", "/"), 1, input).await;
        assert!(straight.report() == pieces.report(), "{}", difference(&straight.report(), &pieces.report()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_seed_redirect_to_https_extends_the_scope() {
        let secure = Site::new()
            .tls(Tls::trusted())
            .host("a.test", Site::new().page("/", Page::titled("Home").link("/a")).page("/a", Page::titled("A")));
        let secure = secure.start().await;
        let plain =
            Site::new().host("a.test", Site::new().redirect("/", 301, &secure.url_on("a.test", "/"))).start().await;
        let mut input = local();
        input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
        input.fetch.insecure_hosts = Some(vec!["a.test".to_owned()]);
        let crawled = crawl(&plain.url_on("a.test", "/"), input).await;
        assert_eq!(crawled.fate(&secure.url_on("a.test", "/a")), (Disposition::Fetched, "page"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_seed_may_move_twice_and_keeps_its_path() {
        let site = Site::new()
            .host("a.test", Site::new().redirect("/docs/", 301, "{host:www.a.test}/docs/"))
            .host(
                "www.a.test",
                Site::new()
                    .redirect("/docs/", 302, "/docs/en/")
                    .page("/docs/en/", Page::titled("Docs").link("/docs/de/").link("/blog")),
            )
            .start()
            .await;
        let mut input = local_hosts(site.port());
        input.scope.paths = Some(PathMatch::Strict);
        let straight = crawl(&site.url_on("a.test", "/docs/"), input.clone()).await;
        let row = straight.row(&site.url_on("www.a.test", "/docs/en/"));
        assert_eq!((row.reason.disposition(), row.depth.shown()), (Disposition::Fetched, Some(0)));
        assert_eq!(straight.row(&site.url_on("www.a.test", "/docs/de/")).reason.disposition(), Disposition::Fetched);
        assert_eq!(straight.fate(&site.url_on("www.a.test", "/blog")), refused("outside_path"));
        let pieces = in_sessions_of(&site.url_on("a.test", "/docs/"), 1, input).await;
        assert!(straight.report() == pieces.report(), "{}", difference(&straight.report(), &pieces.report()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_single_page_may_move_too() {
        let (site, crawled) = crawl_host(moving("a.test", "www.a.test"), "a.test", |_, input| {
            input.scope.single_page = Some(true);
        })
        .await;
        assert_eq!(crawled.fate(&site.url_on("www.a.test", "/")), (Disposition::Fetched, "page"));
        assert_eq!(crawled.statuses().len(), 2);
    }

    /// Anywhere else is outside, and is not crawled.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_seed_redirect_to_another_site_does_not_extend_the_scope() {
        let (site, crawled) = crawl_host(moving("a.test", "b.test"), "a.test", |_, _| {}).await;
        assert_eq!(crawled.fate(&site.url_on("b.test", "/")), refused("outside_scope"));
        assert_eq!(site.seen().hosts(), ["a.test"]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_page_redirect_to_www_does_not_extend_the_scope() {
        let site = Site::new()
            .host(
                "a.test",
                Site::new().page("/", Page::titled("A").link("/moved")).redirect("/moved", 301, "{host:www.a.test}/"),
            )
            .host("www.a.test", Site::new().page("/", Page::titled("WWW")));
        let (site, crawled) = crawl_host(site, "a.test", |_, _| {}).await;
        assert_eq!(crawled.fate(&site.url_on("www.a.test", "/")), refused("outside_scope"));
    }
}

mod jobs {
    use super::*;
    use bluesnake_engine::{AuditPlan, CaptureInput, CapturePlan, CrawlPlan, Crawler, Paces};

    fn docs() -> Site {
        let home = Page::titled("Docs").links(["/docs/a", "/docs/a.zip", "/blog", "{host:b.test}/"]).image("/logo.png");
        Site::new()
            .host("a.test", Site::new().page("/docs/", home))
            .host("b.test", Site::new().page("/", Page::titled("B").link("{host:c.test}/")))
            .host("c.test", Site::new().page("/", Page::titled("C")))
    }

    async fn urls_requested(plan: impl FnOnce([String; 1], AuditInput) -> CrawlPlan) -> Vec<String> {
        let site = docs().start().await;
        let mut input = local_hosts(site.port());
        (input.resources.check_external, input.discover.mechanisms) = (None, None);
        let plan = plan([site.url_on("a.test", "/docs/")], input);
        Crawler::new(plan).paces(Paces::default()).start().unwrap().wait().await.unwrap();
        let log = site.log();
        let requested = log.iter().filter(|seen| !seen.target.contains("robots") && !seen.target.contains("sitemap"));
        let requested: BTreeSet<String> = requested.map(|seen| format!("{}{}", seen.host, seen.target)).collect();
        requested.into_iter().collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_audit_covers_the_host_and_a_capture_the_path_of_the_seed() {
        let everything =
            ["a.test/blog", "a.test/docs/", "a.test/docs/a", "a.test/docs/a.zip", "a.test/logo.png", "b.test/"];
        let audited = urls_requested(|seeds, input| AuditPlan::new(seeds, input).unwrap().into()).await;
        assert_eq!(audited, everything);
        let captured = urls_requested(|seeds, AuditInput { limits, politeness, fetch, .. }| {
            let input = CaptureInput { limits, politeness, fetch, ..CaptureInput::default() };
            CapturePlan::new(seeds, input).unwrap().into()
        })
        .await;
        assert_eq!(captured, ["a.test/docs/", "a.test/docs/a", "a.test/docs/llms.txt", "a.test/llms.txt"]);
    }
}

mod budgets {
    use super::*;

    /// Thirty pages in one branch: good ones, copies of the first and missing ones, in turn.
    fn mixed(base: &str) -> Site {
        let paths: Vec<String> = (0..30).map(|number| format!("{base}{number}")).collect();
        let site = Site::new().page(base, Page::titled(base).links(&paths));
        paths.iter().enumerate().fold(site, |site, (number, path)| match number % 3 {
            0 => site.page(path, Page::titled(path)),
            1 => site.page(path, Page::titled("Copy")),
            _ => site.reply(path, Reply::status(404)),
        })
    }

    fn unique_pages(crawled: &Crawled, base: u32) -> usize {
        crawled.store.visits().iter().filter(|visit| visit.is_unique_page && visit.row.base == base).count()
    }

    /// Unique pages count; copies and failures do not.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_page_limit_is_exact_at_any_parallelism() {
        let site = mixed("/").start().await;
        // The home, ten good pages and the first copy are unique: twelve in all.
        for limit in [1, 5, 11, 12, 20] {
            let mut reports = Vec::new();
            for parallelism in [1, 10] {
                let mut input = local();
                input.scope.page_limit = Some(limit);
                input.politeness.parallelism = Some(parallelism);
                let crawled = crawl(&site.url("/"), input).await;
                assert_eq!(unique_pages(&crawled, 0) as u64, limit.min(12), "limit {limit}, parallelism {parallelism}");
                assert_eq!(crawled.finished.reason, EndReason::Exhausted);
                let refusals = crawled.finished.receipt.count_of(Refusal::PageLimit);
                assert_eq!(refusals > 0, limit <= 12, "limit {limit}: URLs beyond it are refused");
                reports.push(crawled.report());
            }
            assert!(reports[0] == reports[1], "limit {limit}: {}", difference(&reports[0], &reports[1]));
        }
    }

    /// Per base URL.
    #[tokio::test(flavor = "multi_thread")]
    async fn the_page_limit_holds_for_each_base() {
        let base = |name: &str| {
            let paths: Vec<String> = (0..9).map(|number| format!("{name}{number}")).collect();
            (Page::titled(name).links(&paths), paths)
        };
        let ((a, a_paths), (b, b_paths)) = (base("/a/"), base("/b/"));
        let site = Site::new().page("/a/", a).page("/b/", b);
        let site = a_paths.iter().chain(&b_paths).fold(site, |site, path| site.page(path, Page::titled(path)));
        let site = site.start().await;
        let mut input = local();
        input.scope.paths = Some(PathMatch::Strict);
        input.scope.page_limit = Some(4);
        let crawled = crawl_seeds(&[site.url("/a/"), site.url("/b/")], input).await;
        assert_eq!((unique_pages(&crawled, 0), unique_pages(&crawled, 1)), (4, 4));
        assert_eq!(site.seen().requests(), 9, "robots.txt and the eight pages: none is fetched in vain");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_page_limit_continues_over_sessions() {
        let site = mixed("/").start().await;
        let mut input = local();
        input.scope.page_limit = Some(7);
        let straight = crawl(&site.url("/"), input.clone()).await;
        let pieces = in_sessions_of(&site.url("/"), 3, input).await;
        assert_eq!(unique_pages(&pieces, 0), 7);
        assert!(straight.report() == pieces.report(), "{}", difference(&straight.report(), &pieces.report()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn max_urls_is_exact_over_all_sessions_and_the_rest_is_refused() {
        let site = scenarios::high_fan_out(40).start().await;
        let mut input = local();
        (input.scope.max_urls, input.limits.session_budget) = (Some(25), Some(10));
        let store = Arc::new(MemoryStore::default());
        let mut reasons = Vec::new();
        for _ in 0..3 {
            reasons.push(crawl_on(&site.url("/"), input.clone(), store.clone()).await.finished.reason);
        }
        assert_eq!(reasons, [EndReason::BudgetSpent, EndReason::BudgetSpent, EndReason::Exhausted]);
        assert_eq!(requested(&site).len(), 25);
        let refused = store.urls().iter().filter(|row| row.reason == Refusal::MaxUrls.into()).count();
        assert_eq!(refused, 41 - 25);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_budget_that_counts_pages_leaves_resources_free() {
        let pages = ["/a", "/b", "/c", "/d"];
        let home = Page::titled("Home").image("/1.png").image("/2.png").script("/3.js").links(pages);
        let site = pages.iter().fold(Site::new().page("/", home), |site, path| site.page(path, Page::titled(path)));
        let site = site.start().await;
        let requests = async |counts| {
            let before = requested(&site).len();
            let mut input = local();
            (input.limits.session_budget, input.scope.budget_counts) = (Some(3), Some(counts));
            crawl(&site.url("/"), input).await;
            requested(&site).len() - before
        };
        assert_eq!(requests(BudgetCounts::All).await, 3);
        assert_eq!(requests(BudgetCounts::Pages).await, 6, "three pages and three resources");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn hosts_can_have_their_own_budget() {
        let outside = (0..9).map(|number| format!("{{host:b.test}}/{number}"));
        let inside = ["/1", "/2"];
        let site = Site::new()
            .host("a.test", Site::new().page("/", Page::titled("A").links(outside).links(inside)))
            .host("b.test", Site::new());
        let (site, crawled) = crawl_host(site, "a.test", |_, input| {
            input.resources.check_external = Some(CheckExternal::All);
            input.scope.urls_per_host = Some(3);
        })
        .await;
        let tasks = |task| crawled.store.visits().iter().filter(|visit| visit.row.task == task).count();
        assert_eq!((tasks(Task::Page), tasks(Task::Check)), (3, 3));
        assert_eq!(crawled.finished.receipt.count_of(Refusal::HostBudget), 6);
        assert_eq!(site.seen().count_on("b.test", "/8"), 0);
    }

    /// What was counted in one session counts in the next.
    #[tokio::test(flavor = "multi_thread")]
    async fn counts_of_hosts_hops_and_sitemaps_continue_over_sessions() {
        let links = |host: &str| (0..5).map(|number| format!("{{host:{host}}}/{number}")).collect::<Vec<_>>();
        let page = |host: &str, next: &str| Page::titled(host).links(links(host)).link(&format!("{{host:{next}}}/"));
        let robots: String = (0..4).map(|file| format!("Sitemap: {{self}}/{file}.xml\n")).collect();
        let home = Site::new().robots(&robots).page("/", page("a.test", "b.test"));
        let home = (0..4).fold(home, |site, file| site.sitemap(&format!("/{file}.xml"), [format!("/listed/{file}")]));
        let site = Site::new()
            .host("a.test", home)
            .host("b.test", Site::new().page("/", page("b.test", "c.test")))
            .host("c.test", Site::new().page("/", page("c.test", "a.test")))
            .start()
            .await;
        let mut input = local_hosts(site.port());
        input.discover.mechanisms = Some(Mechanisms::Both);
        (input.scope.urls_per_host, input.discover.sitemap_files) = (Some(4), Some(2));
        input.scope.external_hops = Some(2);
        let straight = crawl(&site.url_on("a.test", "/"), input.clone()).await;
        for reason in ["host_budget", "sitemap_files", "too_many_hops"] {
            assert!(straight.refused_by(reason) > 0, "{reason}");
        }
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

/// No budget is charged for what robots.txt disallows.
#[tokio::test(flavor = "multi_thread")]
async fn disallowed_urls_cost_no_budget() {
    let paths = ["/private/1", "/private/2", "/private/3", "/1", "/2", "/3"];
    let site = flat(paths).robots("User-agent: *\nDisallow: /private/\n").start().await;
    let check = async |name: &str, settings: fn(&mut AuditInput)| {
        let before = requested(&site).len();
        let mut input = local();
        settings(&mut input);
        crawl(&site.url("/"), input).await;
        assert_eq!(requested(&site).len() - before, 4, "{name}");
    };
    check("max_urls", |input| input.scope.max_urls = Some(4)).await;
    check("session_budget", |input| input.limits.session_budget = Some(4)).await;
    check("page_limit", |input| input.scope.page_limit = Some(4)).await;
    check("urls_per_host", |input| input.scope.urls_per_host = Some(4)).await;
}

/// Each run ends by itself, and the receipt names the rule that ended it.
mod traps {
    use super::*;

    async fn check(trap: Trap, entry: &str, rule: &str, settings: impl FnOnce(&mut AuditInput)) -> Crawled {
        let prefix = format!("/{}", entry.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default());
        let site = Site::new()
            .page("/", Page::titled("Home").link(entry).link("/good"))
            .page("/good", Page::titled("Good").link("/better"))
            .page("/better", Page::titled("Better"))
            .trap(&prefix, trap)
            .start()
            .await;
        let mut input = local();
        // Only a crawl that does not end by itself comes this far.
        input.scope.max_urls = Some(5000);
        settings(&mut input);
        let crawled = crawl(&site.url("/"), input).await;
        let receipt = &crawled.finished.receipt;
        assert_eq!(crawled.finished.reason, EndReason::Exhausted);
        assert_eq!(receipt.count_of(Refusal::MaxUrls), 0, "it ends by itself: {receipt}");
        assert!(crawled.refused_by(rule) > 0, "{rule}: {receipt}");
        assert_eq!(crawled.fate(&site.url("/better")), (Disposition::Fetched, "page"), "the rest is crawled");
        crawled
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_endless_calendar_is_abandoned() {
        let crawled =
            check(Trap::Calendar, "/calendar/2024/01", "calendar", |input| input.traps.calendar_dates = Some(50)).await;
        assert_eq!(crawled.statuses().len(), 50 + 3);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn session_ids_are_abandoned() {
        check(Trap::SessionIds, "/session?page=1", "query_explosion", |input| input.traps.query_variants = Some(50))
            .await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_repeating_path_is_abandoned() {
        let crawled = check(Trap::PathRepetition, "/a/", "repeated_path", |_| {}).await;
        assert_eq!(crawled.statuses().len(), 3 + 3, "up to three of a kind");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn facets_are_abandoned() {
        let crawled =
            check(Trap::Facets, "/shop", "query_explosion", |input| input.traps.query_variants = Some(100)).await;
        assert_eq!(crawled.statuses().len(), 100 + 4);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_maze_of_soft_errors_is_abandoned() {
        check(Trap::SoftNotFound, "/maze/start", "same_content", |input| input.traps.same_content = Some(50)).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn identical_numbered_pages_are_abandoned() {
        let item = |number: u32| Page::titled("Item").link_text(&format!("/item/{}", number + 1), "next");
        let site = (0..60).fold(Site::new().page("/", Page::titled("Home").link("/item/0")), |site, number| {
            site.page(&format!("/item/{number}"), item(number))
        });
        let mut input = local();
        input.traps.same_content = Some(10);
        let (site, crawled) = crawl_site(site, input).await;
        assert_eq!(crawled.statuses().len(), 1 + 11, "the home page, the first item and ten duplicates");
        assert_eq!(crawled.fate(&site.url("/item/11")), refused("same_content"));
    }

    /// With the limits everybody has.
    #[tokio::test(flavor = "multi_thread")]
    async fn calendars_session_ids_and_facets_end_with_the_default_limits_too() {
        check(Trap::Calendar, "/calendar/2024/01", "calendar", |_| {}).await;
        check(Trap::SessionIds, "/session?page=1", "query_explosion", |_| {}).await;
        check(Trap::Facets, "/shop", "query_explosion", |_| {}).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_disabled_trap_rule_does_not_apply() {
        let site = Site::new().page("/", Page::titled("Home").link("/a/")).trap("/a", Trap::PathRepetition);
        let mut input = local();
        (input.traps.path_repetition, input.scope.max_urls) = (Some(0), Some(30));
        let (_, crawled) = crawl_site(site, input).await;
        assert_eq!(crawled.statuses().len(), 30);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn traps_end_at_the_same_url_at_any_parallelism_and_session_split() {
        let site = Site::new()
            .page("/", Page::titled("Home").links(["/calendar/2024/01", "/shop", "/a/"]))
            .trap("/calendar", Trap::Calendar)
            .trap("/shop", Trap::Facets)
            .trap("/a", Trap::PathRepetition)
            .start()
            .await;
        let mut input = local();
        (input.traps.calendar_dates, input.traps.query_variants) = (Some(30), Some(60));
        input.politeness.parallelism = Some(1);
        let one = crawl(&site.url("/"), input.clone()).await.report();
        input.politeness.parallelism = Some(32);
        let many = crawl(&site.url("/"), input.clone()).await.report();
        assert!(one == many, "{}", difference(&one, &many));
        let pieces = in_sessions_of(&site.url("/"), 20, input).await.report();
        assert!(one == pieces, "{}", difference(&one, &pieces));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seed_is_visited_whatever_the_filters_say() {
    let site = Site::new().page("/start.pdf", Page::titled("Start").link("/a")).start().await;
    let mut input = local();
    input.scope.skip_files = Some(true);
    input.scope.exclude = Some(vec!["start".to_owned()]);
    let crawled = crawl(&site.url("/start.pdf"), input).await;
    assert_eq!(crawled.row(&site.url("/start.pdf")).source, Source::Initial);
    assert_eq!(requested(&site), ["/a", "/start.pdf"]);
}
