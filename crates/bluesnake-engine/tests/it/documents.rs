//! Documents extracted during the crawl: their hash groups pages, Markdown served by the site is used, and earlier
//! responses are revalidated instead of fetched again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bluesnake_engine::document::{Document, Source};
use bluesnake_engine::fetch::{Earlier, Kept, Response};
use bluesnake_engine::plan::{Mechanisms, PathMatch};
use bluesnake_engine::{AuditInput, CaptureInput, CapturePlan, Crawler, MemoryStore, Paces};
use testsite::{Page, Reply, Running, Site};

use crate::world::local;

/// A reader whose documents are the words of a page up to the first bar.
fn words(source: &Source<'_>) -> Option<Document> {
    let is_markdown = source.content_type == "text/markdown";
    let text = source.text.split("<p>").nth(1).unwrap_or(source.text).split('|').next()?;
    Some(Document {
        content: text.to_owned(),
        hash: format!("{:?}", text).into(),
        is_own_markdown: is_markdown,
        ..Document::default()
    })
}

fn settings() -> CaptureInput {
    let AuditInput { limits, politeness, fetch, .. } = local();
    let mut input = CaptureInput { limits, politeness, fetch, ..CaptureInput::default() };
    input.discover.mechanisms = Some(Mechanisms::Both);
    input.scope.paths = Some(PathMatch::Any);
    input
}

async fn capture(site: &Running, crawler: impl FnOnce(Crawler) -> Crawler) -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::default());
    let plan = CapturePlan::new([site.url("/")], settings()).unwrap();
    let crawler = crawler(Crawler::new(plan).store(store.clone()).paces(Paces::default()).read_documents(words));
    crawler.start().unwrap().wait().await.unwrap();
    store
}

fn said(text: &str) -> Reply {
    Reply::html(format!("<title>x</title><p>{text}</p>"))
}

/// Pages with equal documents are duplicates, whatever their boilerplate; their links are followed.
#[tokio::test(flavor = "multi_thread")]
async fn the_hash_of_a_document_groups_pages() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/one").link("/other"))
        .reply("/one", said("The same.| at noon"))
        .reply("/other", said("The same.| at night <a href=/behind>behind</a>"))
        .reply("/behind", said("Another."))
        .start()
        .await;
    let store = capture(&site, |crawler| crawler).await;
    let visit = |path: &str| store.visit(&site.url(path)).unwrap_or_else(|| panic!("{path} was not visited"));
    assert_eq!(visit("/other").duplicate_of, Some(visit("/one").number()));
    assert_eq!(visit("/one").document.as_ref().unwrap().content, "The same.");
    assert!(visit("/one").is_unique_page && !visit("/other").is_unique_page && visit("/behind").is_unique_page);
}

/// A page that comes as Markdown is a page with links, and the twin of the one in HTML.
#[tokio::test(flavor = "multi_thread")]
async fn markdown_of_a_site_is_read_as_a_page() {
    let site = Site::new()
        .reply("/llms.txt", Reply::text("text/plain", "- [Twin](/twin.md)"))
        .page("/", Page::titled("Home").link("/twin").link("/negotiated"))
        .reply("/twin", said("In other words."))
        .reply("/twin.md", Reply::text("text/markdown", "[deep](/deep) is a link|"))
        .reply("/deep", said("Deep."))
        .reply("/negotiated", said("HTML.").markdown("[deeper](/deeper) is a link|"))
        .reply("/deeper", said("Deeper."))
        .start()
        .await;
    let store = capture(&site, |crawler| crawler).await;
    let visit = |path: &str| store.visit(&site.url(path)).unwrap_or_else(|| panic!("{path} was not visited"));
    assert_eq!(visit("/twin.md").duplicate_of, Some(visit("/twin").number()));
    assert!(visit("/twin.md").document.as_ref().unwrap().is_own_markdown);
    assert!(visit("/negotiated").document.as_ref().unwrap().is_own_markdown);
    assert_eq!((visit("/deep").status(), visit("/deeper").status()), (Some(200), Some(200)));
}

fn markdown(text: &str) -> Reply {
    Reply::text("text/markdown", format!("{text}|"))
}

/// URLs that look like the same page, some with different text.
async fn alike() -> Running {
    let links = ["/a", "/a/", "/b", "/b/?utm_source=x", "/a.md", "/a.md?utm_source=y", "/c.md", "/c", "/c/"];
    Site::new()
        .page("/", Page::titled("Home").links(links))
        .reply("/a", said("One text.|"))
        .reply("/a/", said("Another text.|"))
        .reply("/b", said("The same.|"))
        .reply("/b/?utm_source=x", said("The same.|"))
        .reply("/a.md", markdown("One text, in Markdown."))
        .reply("/a.md?utm_source=y", markdown("A third text."))
        .reply("/c.md", markdown("Markdown came first."))
        .reply("/c", said("HTML came second.|"))
        .reply("/c/", said("And said something else.|"))
        .start()
        .await
}

/// Each visit with the page it duplicates, and whether in another format.
fn grouped(store: &MemoryStore) -> Vec<(String, Option<String>, bool)> {
    let urls = store.urls();
    let path = |number: bluesnake_engine::Number| {
        let url = &urls[number.0 as usize - 1].url;
        url.as_str()[url.origin().len()..].to_owned()
    };
    let pages = store.visits().into_iter().filter(|visit| visit.document.is_some());
    pages.map(|visit| (path(visit.number()), visit.duplicate_of.map(path), visit.is_twin)).collect()
}

/// No text is lost: URLs that differ in a slash or in tracking parameters are one page only if their content is equal, or
/// if one is the Markdown of the other.
#[tokio::test(flavor = "multi_thread")]
async fn similar_urls_are_one_page_only_if_their_content_is_equal() {
    let site = alike().await;
    let store = capture(&site, |crawler| crawler).await;
    let own = |path: &str| (path.to_owned(), None, false);
    let copy = |path: &str, of: &str, is_twin| (path.to_owned(), Some(of.to_owned()), is_twin);
    let expected = [
        own("/"),
        own("/a"),
        own("/a/"),
        own("/b"),
        copy("/b/?utm_source=x", "/b", false),
        copy("/a.md", "/a", true),
        own("/a.md?utm_source=y"),
        own("/c.md"),
        copy("/c", "/c.md", true),
        own("/c/"),
    ];
    assert_eq!(grouped(&store), expected);
}

/// What groups pages is remembered from session to session.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_in_many_sessions_groups_pages_like_one_session() {
    let site = alike().await;
    let straight = capture(&site, |crawler| crawler).await;
    let store = Arc::new(MemoryStore::default());
    let mut sessions = 0;
    loop {
        let mut input = settings();
        input.limits.session_budget = Some(1);
        let plan = CapturePlan::new([site.url("/")], input).unwrap();
        let crawler = Crawler::new(plan).store(store.clone()).paces(Paces::default()).read_documents(words);
        let finished = crawler.start().unwrap().wait().await.unwrap();
        sessions += 1;
        if finished.is_complete() {
            break;
        }
    }
    assert!(sessions >= 10, "{sessions} sessions");
    assert_eq!(grouped(&store), grouped(&straight));
}

/// Known and unchanged pages are not sent again, and fresh ones are not requested.
#[tokio::test(flavor = "multi_thread")]
async fn earlier_responses_are_reused() {
    let home = Page::titled("Home").links(["/same", "/changed", "/fresh"]).to_html();
    let site = Site::new()
        .reply("/", Reply::html(home).header("ETag", "\"home\""))
        .reply("/same", said("Same.").header("ETag", "\"1\""))
        .reply(
            "/changed",
            Reply::sequence([said("Old.").header("ETag", "\"1\""), said("New.").header("ETag", "\"2\"")]),
        )
        .reply("/fresh", said("Fresh."))
        .start()
        .await;
    let responses: Arc<Mutex<HashMap<String, Response>>> = Arc::default();
    let keep = responses.clone();
    let keeping = move |url: &bluesnake_engine::CanonicalUrl, response: &Response| {
        keep.lock().unwrap().insert(url.as_str().to_owned(), response.clone());
    };
    let first = capture(&site, |crawler| crawler.on_response(keeping)).await;
    let requested = site.seen().requests();
    let find = move |url: &bluesnake_engine::CanonicalUrl| {
        let response = responses.lock().unwrap().get(url.as_str())?.clone();
        Some(Earlier { response, is_fresh: url.path() == "/fresh" })
    };
    let second = capture(&site, |crawler| crawler.earlier_responses(find)).await;
    let how = |path: &str| {
        let visit = second.visit(&site.url(path)).unwrap();
        let content = visit.document.as_ref().unwrap().content.clone();
        (visit.response.as_ref().unwrap().kept, visit.status(), content)
    };
    assert_eq!(how("/same"), (Some(Kept::NotModified), Some(200), "Same.</p>".to_owned()));
    assert_eq!(how("/changed"), (None, Some(200), "New.</p>".to_owned()));
    assert_eq!(how("/fresh"), (Some(Kept::Fresh), Some(200), "Fresh.</p>".to_owned()));
    assert_eq!(how("/").0, Some(Kept::NotModified));
    assert_eq!(first.urls().len(), second.urls().len());
    assert_eq!(site.seen().requests() - requested, requested - 1, "only fresh responses are not requested");
}

/// Only HTML got the canonical of its Link header.
#[tokio::test(flavor = "multi_thread")]
async fn header_fields_are_facts_of_markdown_pages_too() {
    let markdown = Reply::text("text/markdown", "Words about it|").header("Link", "</own>; rel=canonical");
    let site = Site::new()
        .page("/", Page::titled("Home").link("/page.md").link("/own"))
        .reply("/page.md", markdown.header("Refresh", "0; url=/own"))
        .reply("/own", said("Own."))
        .start()
        .await;
    let store = capture(&site, |crawler| crawler).await;
    let visit = store.visit(&site.url("/page.md")).unwrap();
    let page = visit.page.as_ref().unwrap();
    assert_eq!(page.canonical().map(|url| url.as_str()), Some(site.url("/own").as_str()));
    assert_eq!(page.refresh.as_ref().and_then(|refresh| refresh.url.as_ref()).unwrap().as_str(), site.url("/own"));
}
