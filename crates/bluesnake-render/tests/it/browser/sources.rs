//! Where links come from in a rendered page, and which pages are rendered at all.

use std::collections::BTreeSet;

use bluesnake_engine::plan::RenderWhen;
use bluesnake_engine::render::{RenderOutcome, RenderReason};
use bluesnake_engine::{LinkKind, Source};
use testsite::rendered::{LINK_SOURCES, application, link_sources};
use testsite::{Page, Reply, Site};

use super::world::{crawl, local};

#[tokio::test(flavor = "multi_thread")]
async fn every_source_of_links_is_found_and_none_invented() {
    let site = link_sources().start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    let visits = crawled.store.visits();
    let pages: BTreeSet<&str> = visits.iter().filter(|visit| visit.is_page()).map(|visit| visit.url().path()).collect();
    let expected: BTreeSet<&str> = LINK_SOURCES.iter().map(|(path, _)| *path).chain(["/"]).collect();
    assert_eq!(pages, expected);
    let seen = site.seen();
    assert_eq!(seen.count("/"), 1, "the document is answered from the crawl's response");
    assert_eq!(seen.count("/inert"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_and_requests_say_where_they_come_from() {
    let site = link_sources().start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    let home = crawled.visit("/");
    let links = home.links.to_vec();
    let of = |path: &str| {
        let link = links.iter().find(|link| link.target.path() == path).unwrap_or_else(|| panic!("no {path}"));
        (link.kind, link.origin.as_str())
    };
    assert_eq!(of("/static"), (LinkKind::Anchor, "both"));
    assert_eq!(of("/timer"), (LinkKind::Anchor, "rendered"));
    assert_eq!(of("/pushed"), (LinkKind::History, "rendered"));
    assert_eq!(of("/data.json"), (LinkKind::Network, "rendered"));
    let urls = crawled.store.urls();
    let data = urls.iter().find(|row| row.url.path() == "/data.json").unwrap();
    assert_eq!(data.source, Source::Network);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_application_is_crawled_completely_from_its_shells() {
    let site = application(12).start().await;
    let mut input = local();
    input.render.when = Some(RenderWhen::Auto);
    let crawled = crawl(&site.url("/"), input).await;
    for number in 1..12 {
        let page = crawled.visit(&format!("/page/{number}"));
        assert_eq!(page.title(), Some(format!("Page {number}").as_str()));
        let render = page.page.as_ref().unwrap().render.as_ref().unwrap();
        assert_eq!((render.reason, render.outcome), (RenderReason::EmptyRoot, RenderOutcome::Complete));
        assert_eq!(render.raw.as_ref().unwrap().title.as_deref(), Some("Application"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_renders_shells_and_nothing_else() {
    let text = "word ".repeat(60);
    let site = Site::new()
        .page("/", Page::titled("Home").text(&text).script("/app.js").link("/shell").link("/short"))
        .page("/short", Page::titled("Short").text("A short page with a link.").script("/app.js").link("/"))
        .reply("/shell", Reply::html("<title>x</title><div id=app></div><script src=/app.js></script>"))
        .reply("/app.js", Reply::text("text/javascript", "fetch('/rendered?' + location.pathname)"))
        .reply("/rendered", Reply::status(204))
        .start()
        .await;
    let mut input = local();
    input.render.when = Some(RenderWhen::Auto);
    crawl(&site.url("/"), input).await;
    let rendered: Vec<String> =
        site.log().iter().map(|seen| seen.target.clone()).filter(|path| path.starts_with("/rendered")).collect();
    assert_eq!(rendered.iter().filter(|path| path.ends_with("/shell")).count(), rendered.len(), "{rendered:?}");
    assert!(!rendered.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_are_waited_for_and_missing_ones_reported() {
    let late = "<script>setTimeout(() => { document.body.innerHTML += '<p id=late><a href=/x>x</a>' }, 9000)</script>";
    let site = Site::new().reply("/", Reply::html(format!("<!doctype html><p>x{late}"))).start().await;
    let mut input = local();
    input.render.wait_for = Some(vec!["#late a".into(), ".never".into()]);
    let crawled = crawl(&site.url("/"), input).await;
    let page = crawled.visit("/");
    let render = page.page.as_ref().unwrap().render.as_ref().unwrap();
    assert_eq!(render.missing, [".never"]);
    assert!(page.links.to_vec().iter().any(|link| link.target.path() == "/x"));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_of_scripts_are_recorded_and_crawled_as_pages_of_their_own() {
    let site = Site::new()
        .reply("/", Reply::html("<!doctype html><p>here<script>location.href = '/there'</script>"))
        .page("/there", Page::titled("There"))
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    let home = crawled.visit("/");
    assert!(home.page.as_ref().unwrap().render.as_ref().unwrap().redirect.as_ref().unwrap().ends_with("/there"));
    let link = home.links.to_vec().into_iter().find(|link| link.target.path() == "/there").unwrap();
    assert_eq!(link.kind, LinkKind::ClientRedirect);
    assert_eq!(crawled.visit("/there").title(), Some("There"));
    assert_eq!(site.seen().count("/there"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_and_failed_requests_are_recorded() {
    let html = "<!doctype html><p>x<img src=/missing.png><script>console.error('bad', 1); oops()</script>";
    let site = Site::new().reply("/", Reply::html(html)).start().await;
    let mut input = local();
    input.render.screenshot = Some(true);
    let crawled = crawl(&site.url("/"), input).await;
    let page = crawled.visit("/");
    let render = page.page.as_ref().unwrap().render.as_ref().unwrap();
    assert_eq!(render.errors, ["bad 1", "ReferenceError: oops is not defined"]);
    assert_eq!(render.requests.iter().map(|request| request.status).collect::<Vec<_>>(), [Some(404)]);
    assert!(page.screenshot.as_ref().is_some_and(|picture| picture.starts_with(b"\x89PNG")));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_and_cookies_stay_with_their_origin() {
    let html = "<!doctype html><p>x<script>fetch('/api'); fetch('//b.test/api', {mode: 'no-cors'})</script>";
    let other = Site::new().reply("/api", Reply::status(204));
    let site = Site::new()
        .reply("/", Reply::html(html).header("set-cookie", "page=1"))
        .reply("/api", Reply::status(204))
        .host("b.test", other)
        .start()
        .await;
    let mut input = local();
    input.fetch.resolve = Some(vec![format!("b.test:{}", site.addr())]);
    input.fetch.headers = Some([("X-Secret".to_owned(), "canary".to_owned())].into());
    input.fetch.initial_cookies = Some(vec!["given=2".to_owned()]);
    crawl(&site.url("/"), input).await;
    let log = site.log();
    let own = log.iter().find(|seen| seen.target == "/api" && seen.host.starts_with("127.")).expect("the page's own");
    assert_eq!(own.header("x-secret"), Some("canary"));
    let cookies = own.header("cookie").unwrap_or_default();
    assert!(cookies.contains("given=2") && cookies.contains("page=1"), "{cookies}");
    assert_eq!(own.header("user-agent"), Some("bluesnake/1.0 (+https://snake.blue)"));
    let other = log.iter().find(|seen| seen.host.starts_with("b.test")).expect("the other host");
    assert_eq!((other.header("x-secret"), other.header("cookie")), (None, None));
}
