//! What happens to issues between two runs, and which runs are compared.

use bluesnake_app::Kind;
use bluesnake_app::compare::{Class, CompareQuery, ComparisonView, IssueChange, IssueChangeView};
use testsite::{Page, Reply, Site};

use crate::compare::{crawl, crawl_twice, first_then, impatient, page, then};
use crate::running::open;

#[tokio::test(flavor = "multi_thread")]
async fn issues_are_new_fixed_still_there_or_gone_with_their_page() {
    let page = |title: &str| Page::titled(title).meta("description", "What this page is about, in one sentence.");
    let untitled = || Page::titled("").text("some words");
    let site = Site::new()
        .reply(
            "/",
            first_then(
                page("Home").links(["/still", "/fixed", "/new", "/left"]),
                page("Home").links(["/still", "/fixed", "/new", "/arrived"]),
            ),
        )
        .page("/still", untitled())
        .reply("/fixed", first_then(untitled(), page("Fixed")))
        .reply("/new", first_then(page("New"), untitled()))
        .page("/left", untitled())
        .page("/arrived", untitled())
        .start()
        .await;
    let app = open("compare_issues").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let view = app.compare(a, b).await.unwrap();
    let check = view.checks.iter().find(|check| check.id == "title-missing").expect("titles are missing");
    let counts = (check.new, check.new_with_page, check.fixed, check.still, check.gone_with_page);
    assert_eq!(counts, (2, 1, 1, 1, 1));
    assert_eq!((check.before, check.after), (3, 3));
    for (change, paths) in [
        (None, vec!["/still", "/fixed", "/new", "/left", "/arrived"]),
        (Some(IssueChange::New), vec!["/new", "/arrived"]),
        (Some(IssueChange::Fixed), vec!["/fixed"]),
        (Some(IssueChange::Still), vec!["/still"]),
        (Some(IssueChange::GoneWithPage), vec!["/left"]),
    ] {
        let query = CompareQuery { check: Some("title-missing".to_owned()), change, ..CompareQuery::default() };
        let rows = app.compare_rows(a, b, query).await.unwrap();
        let mut found: Vec<String> = rows.items.iter().map(|row| row.url.replace(&site.origin(), "")).collect();
        found.sort();
        let mut paths = paths;
        paths.sort_unstable();
        assert_eq!(found, paths, "{change:?}");
    }
    let rows = async |change| {
        let query = CompareQuery { change, ..CompareQuery::default() };
        let rows = app.compare_rows(a, b, query).await.unwrap();
        rows.items.iter().map(|row| row.url.replace(&site.origin(), "")).collect::<Vec<_>>()
    };
    assert_eq!(rows(Some(IssueChange::GoneWithPage)).await, ["/left"], "without `check`, all of them count");
    assert_eq!(rows(Some(IssueChange::Fixed)).await, ["/fixed", "/new"], "a title that is missing is not too short");
    let unknown = CompareQuery { check: Some("title-mising".to_owned()), ..CompareQuery::default() };
    let error = app.compare_rows(a, b, unknown).await.unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (Kind::NotFound, "no check `title-mising`".to_owned()));
}

/// What happened to the findings of one check, as (new, fixed, gone with page, not visited, not visited before).
fn fates(view: &ComparisonView, id: &str) -> (u64, u64, u64, u64, u64) {
    let check = view.checks.iter().find(|check| check.id == id).unwrap_or_else(|| panic!("{id} found nothing"));
    (check.new, check.fixed, check.gone_with_page, check.not_visited, check.not_visited_before)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_neither_fixes_issues_nor_makes_them_new() {
    let untitled = || Page::titled("").text("some words");
    let html = |page: Page| Reply::html(page.to_html());
    let site = Site::new()
        .page("/", page("Home").links(["/down", "/refused", "/moved"]))
        .reply("/down", then(html(untitled()), html(untitled()).with_status(503)))
        .reply("/refused", then(html(untitled()), Reply::status(403)))
        .reply("/moved", then(html(untitled()), Reply::redirect(301, "/")))
        .start()
        .await;
    let app = open("compare_outage").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let (there, back) = (app.compare(a, b).await.unwrap(), app.compare(b, a).await.unwrap());
    assert_eq!(fates(&there, "title-missing"), (0, 0, 1, 2, 0), "what redirects is gone");
    assert_eq!(fates(&back, "title-missing"), (1, 0, 0, 0, 2));
    assert_eq!(back.checks.iter().find(|check| check.id == "title-missing").unwrap().new_with_page, 1);
    for id in ["internal-server-error", "internal-client-error", "internal-redirection"] {
        assert_eq!((fates(&there, id), fates(&back, id)), ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0)), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_a_difference_is_listed_if_its_issues_changed() {
    // The page itself is the same; it is a duplicate because of another one.
    let titled = |title: &str| page(title).meta("description", title);
    let site = Site::new()
        .page("/", titled("Home").links(["/one", "/two"]))
        .page("/one", titled("The same title").text("one"))
        .reply("/two", first_then(titled("Another title").text("two"), titled("The same title").text("two")))
        .start()
        .await;
    let app = open("compare_same_page").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let rows = app.compare_rows(a, b, CompareQuery::default()).await.unwrap().items;
    let one = rows.iter().find(|row| row.url == site.url("/one")).expect("it has a new issue");
    assert_eq!(one.class, Class::Same);
    let new = IssueChangeView { id: "title-duplicate", change: IssueChange::New };
    assert!(one.issues.contains(&new), "{one:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_previous_run_is_one_that_saw_the_same_and_all_of_it() {
    let site = testsite::scenarios::high_fan_out(10).start().await;
    let app = open("compare_previous").await;
    let whole = crawl(&app, impatient(&site)).await;
    let mut limited = impatient(&site);
    limited.settings.scope.max_urls = Some(3);
    let limited = crawl(&app, limited).await;
    let mut list = impatient(&site);
    list.urls = vec![site.url("/"), site.url("/page/1")];
    let list = crawl(&app, list).await;
    let mut paused = impatient(&site);
    paused.settings.limits.session_budget = Some(2);
    crawl(&app, paused).await;
    let last = crawl(&app, impatient(&site)).await;
    assert_eq!(app.previous_run(last).await.unwrap(), Some(whole));
    for first_of_its_kind in [whole, limited, list] {
        assert_eq!(app.previous_run(first_of_its_kind).await.unwrap(), None, "{first_of_its_kind}");
    }
    assert_eq!(app.previous_run(99).await.unwrap_err().kind(), Kind::NotFound);
}
