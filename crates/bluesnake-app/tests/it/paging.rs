//! Lists as front ends request them: cursors, user input, stored documents, and cleared queues.

use std::time::Duration;

use bluesnake_app::view::{LinkView, PageForm, SessionView, UrlView};
use bluesnake_app::{
    App, AppError, Caller, Conflict, Disposition, Kind, Limit, LinksQuery, Order, Page, PageType, PagesOf, PagesQuery,
    Reason, RunState, RunsQuery, UrlSort,
};
use testsite::{Latency, Running, scenarios};

use crate::running::{open, request, resume};

async fn crawled(name: &str) -> (App, Running, i64, i64) {
    let (app, site) = (open(name).await, scenarios::resources().start().await);
    let mut request = request(&site);
    request.settings.keep.html = Some(true);
    let ended = app.start(request, Caller::operator()).await.unwrap().wait().await;
    (app, site, ended.run.unwrap(), ended.session.unwrap())
}

fn limit(rows: usize) -> Limit {
    Limit::new(rows).unwrap()
}

async fn all_urls(app: &App, of: PagesOf, query: PagesQuery) -> Vec<UrlView> {
    let (mut rows, mut cursor) = (Vec::new(), None);
    loop {
        let page = app.pages(of, PagesQuery { cursor, ..query.clone() }).await.unwrap();
        assert_eq!(page.has_more, page.next_cursor.is_some());
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return rows;
        }
    }
}

async fn all_links(app: &App, run: i64, query: LinksQuery) -> Vec<LinkView> {
    let (mut rows, mut cursor) = (Vec::new(), None);
    loop {
        let page = app.links(run, LinksQuery { cursor, ..query.clone() }).await.unwrap();
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return rows;
        }
    }
}

fn is_rejected<T: std::fmt::Debug>(result: Result<T, AppError>) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    assert!(error.hint().is_some(), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_run_of_its_crawl_and_of_a_search_are_complete() {
    let (app, _site, run, crawl) = crawled("paging").await;
    let receipt = app.receipt(run).await.unwrap();
    let all = all_urls(&app, PagesOf::Run(run), PagesQuery { limit: limit(2), ..PagesQuery::default() }).await;
    assert_eq!(all.iter().map(|url| url.number).collect::<Vec<_>>(), (1..=receipt.seen() as i64).collect::<Vec<_>>());
    for sort in UrlSort::ALL {
        for order in Order::ALL {
            let query = PagesQuery { sort: *sort, order: *order, limit: limit(3), ..PagesQuery::default() };
            let mut found = all_urls(&app, PagesOf::Run(run), query).await;
            found.sort_by_key(|url| url.number);
            assert_eq!(found, all, "{sort} {order}");
        }
    }
    let visited =
        all_urls(&app, PagesOf::Session(crawl), PagesQuery { limit: limit(1), ..PagesQuery::default() }).await;
    assert!(visited.iter().eq(all.iter().filter(|url| url.visited_at_ms.is_some())));
    let stats = app.active_stats(1, None).await.unwrap();
    let seen = receipt.seen() as i64;
    let is_guide = |url: &str| url.ends_with("/robots.txt") || url.contains("/sitemap");
    let of_type = |page_type| {
        let query = PagesQuery { page_type, ..PagesQuery::default() };
        let app = app.clone();
        async move {
            let found = all_urls(&app, PagesOf::Run(run), query).await;
            // robots.txt and sitemaps do not count as visits.
            found.iter().filter(|url| url.visited_at_ms.is_none() || !is_guide(&url.url)).count() as i64
        }
    };
    assert_eq!(stats.html, of_type(PageType::Html).await);
    assert_eq!(stats.css, of_type(PageType::Css).await);
    assert_eq!(stats.javascript, of_type(PageType::Javascript).await);
    assert_eq!(stats.images, of_type(PageType::Images).await);
    assert_eq!(stats.fonts, of_type(PageType::Fonts).await);
    assert_eq!(stats.others, of_type(PageType::Others).await);
    assert_eq!(stats.crawled, stats.html + stats.css + stats.javascript + stats.images + stats.fonts + stats.others);
    let guides = visited.iter().filter(|url| is_guide(&url.url)).count() as i64;
    assert_eq!((stats.total, stats.unvisited), (seen - guides, seen - guides - stats.crawled));
    assert!(stats.html > 0 && stats.css > 0 && stats.images > 0, "{stats:?}");

    let query = PagesQuery { search: Some(".CSS".to_owned()), cursor: Some("0".to_owned()), ..PagesQuery::default() };
    let found = app.pages(PagesOf::Session(crawl), query).await.unwrap();
    assert!(!found.items.is_empty() && found.items.iter().all(|url| url.url.contains(".css")));
    let page = serde_json::to_value(&found).unwrap();
    assert_eq!((page["hasMore"].as_bool(), page["nextCursor"].is_null()), (Some(false), true));
    for field in [
        "number",
        "parentUrl",
        "contentType",
        "crawlId",
        "responseTime",
        "size",
        "transferSize",
        "wordCount",
        "canonical",
    ] {
        assert!(page["items"][0].get(field).is_some(), "{field}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_are_found_by_source_and_by_target() {
    let (app, site, run, _) = crawled("paging_links").await;
    let all = all_links(&app, run, LinksQuery { limit: limit(1), ..LinksQuery::default() }).await;
    assert!(all.len() > 3);
    for url in all.iter().map(|link| link.target_url.clone()).collect::<std::collections::BTreeSet<_>>() {
        let query = LinksQuery { target: Some(url.clone()), ..LinksQuery::default() };
        let found = all_links(&app, run, query).await;
        assert!(found.iter().eq(all.iter().filter(|link| link.target_url == url)), "{url}");
        assert_eq!(app.page_links(run, &url, 1000).await.unwrap().inlinks, found);
    }
    let query = LinksQuery { source_number: Some(1), ..LinksQuery::default() };
    assert!(all_links(&app, run, query).await.iter().eq(all.iter().filter(|link| link.source_url == site.url("/"))));
    let query = LinksQuery { source: Some(site.url("/never-seen")), ..LinksQuery::default() };
    assert_eq!(app.links(run, query).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_another_query_is_refused() {
    let (app, _site, run, crawl) = crawled("paging_cursors").await;
    let ask = |of, query: PagesQuery| {
        let app = app.clone();
        async move { app.pages(of, query).await }
    };
    let one = PagesQuery { limit: limit(1), ..PagesQuery::default() };
    let first: Page<UrlView> = ask(PagesOf::Run(run), one.clone()).await.unwrap();
    let cursor = first.next_cursor;
    assert!(cursor.is_some());
    let again = PagesQuery { cursor: cursor.clone(), ..one.clone() };
    assert!(ask(PagesOf::Run(run), again.clone()).await.is_ok());
    assert!(
        ask(PagesOf::Run(run), PagesQuery { limit: limit(50), ..again.clone() }).await.is_ok(),
        "another size will do"
    );
    is_rejected(ask(PagesOf::Session(crawl), again.clone()).await);
    is_rejected(ask(PagesOf::Run(run), PagesQuery { order: Order::Descending, ..again.clone() }).await);
    is_rejected(ask(PagesOf::Run(run), PagesQuery { sort: UrlSort::Url, ..again.clone() }).await);
    is_rejected(ask(PagesOf::Run(run), PagesQuery { search: Some("a".into()), ..again.clone() }).await);
    is_rejected(app.links(run, LinksQuery { cursor: cursor.clone(), ..LinksQuery::default() }).await);
    is_rejected(app.projects_page(limit(1), cursor.as_deref()).await);
    is_rejected(app.runs_list(RunsQuery { cursor: cursor.clone(), ..RunsQuery::default() }).await);
    is_rejected(app.sessions_page(Some(1), limit(1), cursor.as_deref()).await);
    for wrong in ["1", "abc", "' OR 1=1 --", "%", "\0", "AAAAAAAAAAAAAAAA", &"A".repeat(100_000)] {
        is_rejected(ask(PagesOf::Run(run), PagesQuery { cursor: Some(wrong.to_owned()), ..one.clone() }).await);
    }
    is_rejected(ask(PagesOf::Run(run), PagesQuery { search: Some("x".repeat(1001)), ..one }).await);
    assert_eq!(ask(PagesOf::Run(99), PagesQuery::default()).await.unwrap_err().kind(), Kind::NotFound);
    assert_eq!(ask(PagesOf::Session(99), PagesQuery::default()).await.unwrap_err().kind(), Kind::NotFound);
}

#[test]
fn queries_parse_user_input() {
    let read = |json: &str| serde_json::from_str::<PagesQuery>(json).map_err(|error| error.to_string());
    let query = read(r#"{"type":"images","status":"4xx","sort":"responseTime","order":"desc","limit":7,"cursor":"0"}"#);
    let query = query.unwrap();
    assert_eq!(
        (query.page_type, query.sort, query.order),
        (PageType::Images, UrlSort::ResponseTime, Order::Descending)
    );
    assert_eq!(query.limit.get(), 7);
    assert_eq!(read(r#"{"type":"","disposition":"","status":""}"#).unwrap().page_type, PageType::All);
    assert_eq!(read(r#"{"disposition":"failed"}"#).unwrap().disposition, Some(Disposition::Failed));
    for (wrong, why) in [
        (r#"{"sort":"url; DROP TABLE urls"}"#, "is not one of number, url, status"),
        (r#"{"order":"sideways"}"#, "is not one of asc, desc"),
        (r#"{"type":"pdf"}"#, "is not one of all, html, css, javascript, images, fonts, others"),
        (r#"{"status":"4x"}"#, "neither a status like 404"),
        (r#"{"status":"0xx"}"#, "neither a status like 404"),
        (r#"{"limit":0}"#, "must be 1 to 1000, got"),
        (r#"{"limit":1001}"#, "must be 1 to 1000, got"),
        (r#"{"offset":5}"#, "unknown field"),
    ] {
        let error = read(wrong).unwrap_err();
        assert!(error.contains(why), "{wrong}: {error}");
    }
    assert!(serde_json::from_str::<LinksQuery>(r#"{"type":"anchor","position":"content","isInternal":true}"#).is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_newest_first_without_duplicates() {
    let (app, site, run, crawl) = crawled("paging_lists").await;
    let second = app.start(request(&site), Caller::operator()).await.unwrap().wait().await;
    let other = scenarios::small().start().await;
    let third = app.start(request(&other), Caller::operator()).await.unwrap().wait().await;
    let first = app.sessions_page(Some(1), limit(1), None).await.unwrap();
    let rest = app.sessions_page(Some(1), limit(1), first.next_cursor.as_deref()).await.unwrap();
    let ids = |page: &Page<SessionView>| page.items.iter().map(|crawl| crawl.id).collect::<Vec<_>>();
    assert_eq!((ids(&first), ids(&rest), rest.has_more), (vec![second.session.unwrap()], vec![crawl], false));
    let everything = app.sessions_page(None, Limit::default(), None).await.unwrap();
    assert_eq!(ids(&everything), [third.session.unwrap(), second.session.unwrap(), crawl]);
    let runs = app.runs_list(RunsQuery::of_project(1, Limit::default(), None)).await.unwrap();
    assert_eq!(runs.items, app.runs(Some(1), None).await.unwrap());
    assert_eq!(runs.items.iter().map(|run| run.id).collect::<Vec<_>>(), [second.run.unwrap(), run]);
    let newest = app.projects_page(limit(1), None).await.unwrap();
    assert_eq!((&newest.items[0].domain, newest.has_more), (&other.addr().to_string(), true));
    let oldest = app.projects_page(limit(1), newest.next_cursor.as_deref()).await.unwrap();
    assert_eq!((oldest.items[0].id, oldest.items[0].runs, oldest.has_more), (1, 2, false));
    for missing in [
        app.runs_list(RunsQuery::of_project(9, limit(1), None)).await.err(),
        app.sessions_page(Some(9), limit(1), None).await.err(),
    ] {
        assert_eq!(missing.unwrap().kind(), Kind::NotFound);
    }
    assert_eq!(app.active_stats(9, None).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_document_is_returned_and_a_missing_one_has_a_hint() {
    let (app, site, run, _) = crawled("paging_content").await;
    let content = app.page_content(run, &site.url("/"), PageForm::Html).await.unwrap();
    assert_eq!((content.url, content.status, content.content_type.as_str()), (site.url("/"), 200, "text/html"));
    assert!(String::from_utf8(content.bytes).unwrap().contains("<title>"));
    let without = app.start(request(&site), Caller::operator()).await.unwrap().wait().await;
    let error = app.page_content(without.run.unwrap(), &site.url("/"), PageForm::Html).await.unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(error.hint().unwrap().contains("--store-bodies"));
    assert_eq!(app.page_content(run, &site.url("/unknown"), PageForm::Html).await.unwrap_err().kind(), Kind::NotFound);
    assert_eq!(app.page_content(run, "' OR 1=1", PageForm::Html).await.unwrap_err().kind(), Kind::NotFound);
    assert_eq!(app.page_content(99, &site.url("/"), PageForm::Html).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cleared_queue_is_skipped_and_its_run_is_completed() {
    let site = scenarios::high_fan_out(60).latency(Latency::fixed(Duration::from_millis(20)), 1).start().await;
    let app = open("paging_clear").await;
    let crawl = app.start(request(&site), Caller::operator()).await.unwrap();
    let project = crawl.project().clone();
    site.wait_for(|seen| seen.requests() > 10).await;
    assert_eq!(
        app.clear_queue(project.id, None).await.unwrap_err().kind(),
        Kind::Conflict(Conflict::InProgress),
        "not while it is crawled"
    );
    let stats = app.active_stats(project.id, None).await.unwrap();
    assert_eq!(stats.total, stats.crawled + stats.unvisited);
    crawl.stop();
    let run = crawl.wait().await.run.unwrap();
    let before = app.receipt(run).await.unwrap();
    let pending = before.count(Disposition::Pending);
    assert!(pending > 0);

    let cleared = app.clear_queue(project.id, None).await.unwrap();
    assert_eq!((cleared.run_id, cleared.cleared as u64), (Some(run), pending));
    let after = app.receipt(run).await.unwrap();
    assert!(after.adds_up() && after.seen() == before.seen());
    assert_eq!((after.count(Disposition::Pending), after.count_of(Reason::Cleared)), (0, pending));
    assert_eq!(after.count(Disposition::Fetched), before.count(Disposition::Fetched));
    let view = app.run_view(run).await.unwrap();
    assert_eq!(
        (view.state, view.reason.as_deref(), view.urls_pending),
        (RunState::Completed.as_str(), Some("cleared"), 0)
    );
    let issues = app.issues(run).await.unwrap();
    assert!(issues.is_completed);
    let orphans = issues.checks.iter().find(|check| check.id == "canonical-unlinked").unwrap();
    assert_eq!(orphans.not_checked.as_deref(), Some("needs a run that saw the whole site"));
    let status = app.queue_status(project.id, None).await.unwrap();
    assert_eq!((status.pending, status.can_resume), (0, false));
    assert!(resume(&app, project.clone(), &request(&site)).await.is_err());
    assert_eq!(app.clear_queue(project.id, None).await.unwrap().run_id, None, "nothing remains to be cleared");
    let fresh = app.start(request(&site), Caller::operator()).await.unwrap().wait().await;
    assert_eq!(fresh.state, RunState::Completed);
    assert_ne!(fresh.run, Some(run));
    assert_eq!(app.clear_queue(99, None).await.unwrap_err().kind(), Kind::NotFound);
}
