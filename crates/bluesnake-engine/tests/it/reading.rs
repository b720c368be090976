//! Facts about a page that follow from its header fields, status and body together.

use bluesnake_engine::Disposition;
use bluesnake_engine::fetch::Cut;
use bluesnake_engine::visit::Indexability;
use testsite::{Page, Reply, Site};

use crate::world::{crawl, crawl_site, local};

/// A page in an unknown encoding was parsed as if it were plain, and lacked title, words and everything else.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_in_an_unknown_encoding_is_not_read() {
    let html = "<title>T</title><a href=/behind>x</a>";
    let (site, crawled) = crawl_site(
        Site::new()
            .page("/", Page::titled("Home").link("/unknown").link("/charset").link("/missing").stylesheet("/style.css"))
            .reply("/unknown", Reply::html(html).header("Content-Encoding", "compress"))
            .reply("/charset", Reply::html(html).header("Content-Encoding", "UTF-8"))
            .reply("/missing", Reply::html(html).with_status(404).header("Content-Encoding", "x-lzma"))
            .reply(
                "/style.css",
                Reply::text("text/css", "p{background:url(/i.png)}").header("Content-Encoding", "x-lzma"),
            )
            .page("/behind", Page::titled("Behind")),
        local(),
    )
    .await;
    let unknown = crawled.visit(&site.url("/unknown"));
    assert_eq!(crawled.fate(&site.url("/unknown")), (Disposition::Failed, "not_parsed"));
    assert_eq!((unknown.status(), unknown.response.as_ref().unwrap().cut), (Some(200), Some(Cut::Encoding)));
    assert!(unknown.page.is_none() && unknown.links.is_empty());
    assert_eq!(unknown.error().unwrap(), "the document could not be parsed: Content-Encoding: compress");
    assert_eq!(crawled.visit(&site.url("/charset")).title(), Some("T"), "this is not a content encoding");
    assert_eq!(crawled.fate(&site.url("/missing")), (Disposition::Fetched, "client_error"));
    assert_eq!(crawled.fate(&site.url("/style.css")), (Disposition::Failed, "not_parsed"));
    assert!(crawled.find(&site.url("/i.png")).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_body_of_a_300_lists_the_choices() {
    let choice = Reply::html("<title>Choose</title><a href=/en>en</a><a href=/de>de</a>").with_status(300);
    let (site, crawled) = crawl_site(
        Site::new().reply("/", choice).page("/en", Page::titled("English")).page("/de", Page::titled("Deutsch")),
        local(),
    )
    .await;
    for path in ["/en", "/de"] {
        assert_eq!(crawled.fate(&site.url(path)), (Disposition::Fetched, "page"), "{path}");
    }
    assert_eq!(crawled.visit(&site.url("/")).indexability, Indexability::No("redirected"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canonical_in_a_header_counts_like_one_in_the_head() {
    let (site, crawled) = crawl_site(
        Site::new()
            .page("/", Page::titled("Home").link("/copy").link("/own"))
            .reply("/copy", Reply::html("<title>Copy</title>").header("Link", "</own>; rel=\"canonical\""))
            .page("/own", Page::titled("Own").canonical("/own")),
        local(),
    )
    .await;
    let copy = crawled.visit(&site.url("/copy"));
    assert_eq!(copy.page.as_ref().unwrap().canonical().unwrap().as_str(), site.url("/own"));
    assert_eq!(copy.indexability, Indexability::No("canonicalised"));
    assert_eq!(crawled.visit(&site.url("/own")).indexability, Indexability::Yes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canonical_in_the_body_is_ignored() {
    let body = "<title>T</title><body><p>words</p><link rel=canonical href=/other>";
    let site = Site::new().reply("/", Reply::html(body)).page("/other", Page::titled("Other")).start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    let visit = crawled.visit(&site.url("/"));
    assert_eq!(visit.indexability, Indexability::Yes);
    let page = visit.page.as_ref().unwrap();
    assert_eq!((page.canonical(), page.canonicals.len()), (None, 1));
    assert_eq!(crawled.edges(&site.url("/")), [("canonical", site.url("/other"))], "it is still named");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_refreshes_at_once_to_another_is_not_indexable() {
    let meta = |content: &str| Reply::html(format!("<meta http-equiv=refresh content='{content}'><title>T</title>"));
    let site = Site::new()
        .page("/", Page::titled("Home").links(["/meta", "/later", "/self", "/header", "/both", "/reload"]))
        .reply("/meta", meta("0; url=/new"))
        .reply("/later", meta("5; url=/new"))
        .reply("/self", meta("0; url=/self"))
        .reply("/header", Reply::html("<title>H</title>").header("Refresh", "0; url=/new"))
        .reply("/both", meta("0; url=/new").header("Refresh", "7"))
        .reply("/reload", Reply::html("<title>R</title>").header("Refresh", "0"))
        .page("/new", Page::titled("New"))
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    let check = |path: &str, expected, seconds| {
        let visit = crawled.visit(&site.url(path));
        let refresh = visit.page.as_ref().unwrap().refresh.as_ref().map(|refresh| refresh.seconds);
        assert_eq!((visit.indexability, refresh), (expected, Some(seconds)), "{path}");
    };
    check("/meta", Indexability::No("refreshed"), 0);
    check("/later", Indexability::Yes, 5);
    check("/self", Indexability::Yes, 0);
    check("/header", Indexability::No("refreshed"), 0);
    check("/both", Indexability::Yes, 7);
    check("/reload", Indexability::Yes, 0);
}

/// What was counted only was stored with its transferred size, as if nothing had to be decoded.
#[tokio::test(flavor = "multi_thread")]
async fn both_sizes_of_a_body_are_known() {
    let (html, script) = (format!("<title>T</title>{}", "words ".repeat(1_000)), "x();".repeat(1_000));
    let site = Site::new()
        .page("/", Page::titled("Home").link("/page").script("/script.js"))
        .reply("/page", Reply::gzip(html.clone()))
        .reply("/script.js", Reply::text("text/javascript", script.clone()).encode("gzip"))
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    for (path, decoded) in [("/page", html.len()), ("/script.js", script.len())] {
        let visit = crawled.visit(&site.url(path));
        let response = visit.response.as_ref().unwrap();
        assert_eq!(response.body_bytes, decoded as u64, "{path}");
        assert!(
            response.wire_bytes > 0 && response.wire_bytes < response.body_bytes / 5,
            "{path}: {}",
            response.wire_bytes
        );
    }
}
