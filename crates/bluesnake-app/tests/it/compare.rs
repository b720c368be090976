//! Two runs compared, on sites that change between their first and their second crawl.

use std::collections::BTreeMap;
use std::time::Duration;

use bluesnake_app::compare::{
    ChangeView, CheckChange, Class, ClassCount, CompareQuery, ComparisonExport, ComparisonView, Field, FieldChange,
    IssueChange, IssueChangeView, SettingDifference,
};
use bluesnake_app::export::{Existing, Format, Formulas, Output};
use bluesnake_app::{App, AuditRequest, Caller, CaptureRequest, Kind, Secrets, WindowLimit};
use testsite::{Page, Reply, Running, Site};

use crate::running::{open, request};

/// A page that is one thing in the first crawl and another one in the second.
pub(crate) fn first_then(before: Page, after: Page) -> Reply {
    then(Reply::html(before.to_html()), Reply::html(after.to_html()))
}

pub(crate) fn then(before: Reply, after: Reply) -> Reply {
    Reply::sequence([before, after])
}

pub(crate) fn page(title: &str) -> Page {
    Page::titled(title).text("some words")
}

/// Crawls once more.
pub(crate) async fn crawl(app: &App, request: AuditRequest) -> i64 {
    let session = app.start(request, Caller::operator()).await.unwrap();
    session.wait().await.run.expect("it has a run")
}

/// Requests whose failures are quick.
pub(crate) fn impatient(site: &Running) -> AuditRequest {
    let mut request = request(site);
    request.settings.fetch.attempts = Some(1);
    request.settings.fetch.timeout_ms = Some(400);
    request
}

pub(crate) async fn crawl_twice(app: &App, site: &Running) -> (i64, i64) {
    (crawl(app, impatient(site)).await, crawl(app, impatient(site)).await)
}

/// Every row, those without a difference too.
async fn all_rows(app: &App, a: i64, b: i64) -> Vec<ChangeView> {
    let mut rows: Vec<ChangeView> = Vec::new();
    for class in [None, Some(Class::Same)] {
        let query = CompareQuery { class, limit: WindowLimit::new(500).unwrap(), ..CompareQuery::default() };
        let window = app.compare_rows(a, b, query).await.unwrap();
        assert_eq!(window.total, window.items.len() as u64);
        // The first list has those whose issues changed, too.
        rows.extend(window.items.into_iter().filter(|row| class.is_none() || row.issues.is_empty()));
    }
    rows
}

/// Class, reason and changed fields by path.
async fn verdicts(app: &App, site: &Running, a: i64, b: i64) -> BTreeMap<String, String> {
    let path = |row: &ChangeView| row.url.strip_prefix(&site.origin()).unwrap_or(&row.url).to_owned();
    let verdict = |row: &ChangeView| {
        let fields = row.fields.iter().filter(|_| row.class == Class::Changed).map(|field| field.name.as_str());
        let words = [row.class.as_str()].into_iter().chain(row.reason).chain(fields);
        words.collect::<Vec<_>>().join(" ")
    };
    all_rows(app, a, b).await.iter().map(|row| (path(row), verdict(row))).collect()
}

fn check(verdicts: &BTreeMap<String, String>, expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> =
        expected.iter().map(|(path, _)| (*path, verdicts.get(*path).map_or("", String::as_str))).collect();
    assert_eq!(found, expected);
}

/// A site with a URL for every class and every field.
fn changing() -> Site {
    let paths = [
        "/same",
        "/title",
        "/description",
        "/h1",
        "/canonical",
        "/robots",
        "/header",
        "/content",
        "/status",
        "/moved",
        "/gone",
        "/gone-for-good",
        "/back",
        "/slow",
        "/blocked",
        "/open",
        "/far",
    ];
    let home = || Page::titled("Home").links(paths).nofollow_link("/mentioned");
    let html = |page: Page| Reply::html(page.to_html());
    Site::new()
        .reply("/", first_then(home().links(["/unlinked", "/mentioned-once"]), home().links(["/new", "/from-far"])))
        .page("/same", page("Same"))
        .page("/unlinked", page("Unlinked"))
        .page("/mentioned-once", page("Mentioned once"))
        .page("/new", page("New").link("/newer"))
        .page("/newer", page("Newer"))
        .page("/mentioned", page("Mentioned"))
        .page("/far", page("Far").link("/from-far"))
        .page("/from-far", page("From far"))
        .reply("/title", first_then(page("Before"), page("After")))
        .reply("/description", first_then(page("D").meta("description", "one"), page("D")))
        .reply("/h1", first_then(page("H").html("<h1>one</h1>"), page("H").html("<h1>two</h1>")))
        .reply("/canonical", first_then(page("C").canonical("/canonical"), page("C").canonical("/same")))
        .reply("/robots", first_then(page("R").meta("robots", "noarchive"), page("R").meta("robots", "nosnippet")))
        .reply("/header", then(html(page("X")), html(page("X")).header("X-Robots-Tag", "noindex")))
        .reply("/content", first_then(page("W"), page("W").text("more words than before")))
        .reply("/status", then(html(page("S")), html(page("S")).with_status(500)))
        .reply("/moved", then(Reply::redirect(301, "/same"), Reply::redirect(301, "/title")))
        .reply("/gone", then(html(page("G")), Reply::status(404)))
        .reply("/gone-for-good", then(html(page("G")), Reply::status(410)))
        .reply("/back", then(Reply::status(404), html(page("Back"))))
        .reply("/slow", then(html(page("Slow").link("/child")), Reply::html("late").delay(Duration::from_secs(2))))
        .page("/child", page("Child").link("/grandchild"))
        .page("/grandchild", page("Grandchild"))
        .page("/blocked", page("Blocked"))
        .page("/open", page("Open"))
        .reply(
            "/robots.txt",
            then(
                Reply::text("text/plain", "User-agent: *\nDisallow: /open\n"),
                Reply::text("text/plain", "User-agent: *\nDisallow: /blocked\n"),
            ),
        )
}

#[tokio::test(flavor = "multi_thread")]
async fn every_url_is_in_its_class_with_its_reason_and_fields() {
    let site = changing().start().await;
    let app = open("compare_classes").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let verdicts = verdicts(&app, &site, a, b).await;
    check(
        &verdicts,
        &[
            ("/same", "same"),
            ("/mentioned", "same"),
            ("/title", "changed title h1 content"),
            ("/description", "changed description"),
            ("/h1", "changed content"),
            ("/canonical", "changed canonical indexable"),
            ("/robots", "changed robots"),
            ("/header", "changed robots indexable"),
            ("/content", "changed content words"),
            ("/status", "changed status title h1 indexable content words"),
            ("/moved", "changed redirect"),
            ("/from-far", "changed depth inlinks"),
            ("/gone", "gone status_404"),
            ("/gone-for-good", "gone status_410"),
            ("/unlinked", "gone not_linked"),
            ("/back", "appeared status_404"),
            ("/new", "appeared not_linked"),
            ("/newer", "appeared not_linked"),
            ("/slow", "not_visited headers_timeout"),
            ("/child", "not_visited linking_page_not_visited"),
            ("/grandchild", "not_visited linking_page_not_visited"),
            ("/blocked", "not_visited robots"),
            ("/open", "not_visited_before robots"),
        ],
    );
}

/// The comparison as it would be with the runs in the other order.
fn mirrored(view: ComparisonView) -> ComparisonView {
    let mut classes: Vec<_> = view.classes.iter().map(|count| (count.class.mirrored(), count)).collect();
    classes.sort_by_key(|(class, _)| *class);
    let classes = classes.into_iter().map(|(class, count)| ClassCount {
        class,
        urls: count.urls,
        in_a: count.in_b,
        in_b: count.in_a,
    });
    let settings = view.plans_differ.into_iter().map(|difference| SettingDifference {
        setting: difference.setting,
        before: difference.after,
        after: difference.before,
    });
    let checks = view.checks.into_iter().map(|check| CheckChange {
        before: check.after,
        after: check.before,
        new: check.fixed + check.gone_with_page,
        new_with_page: check.gone_with_page,
        fixed: check.new - check.new_with_page,
        gone_with_page: check.new_with_page,
        not_visited: check.not_visited_before,
        not_visited_before: check.not_visited,
        ..check
    });
    ComparisonView {
        a: view.b,
        b: view.a,
        plans_differ: settings.collect(),
        not_compared: view.not_compared,
        classes: classes.collect(),
        fields: view.fields,
        not_visited: view.not_visited_before,
        not_visited_before: view.not_visited,
        checks: checks.collect(),
    }
}

fn mirrored_row(row: ChangeView) -> ChangeView {
    let redirected = row.fields.iter().any(|field| (field.name, field.after.is_none()) == (Field::Redirect, true));
    let issues = row.issues.into_iter().map(|issue| IssueChangeView {
        change: match (issue.change, row.class) {
            (IssueChange::New, Class::Appeared) => IssueChange::GoneWithPage,
            (IssueChange::New, Class::Changed) if redirected => IssueChange::GoneWithPage,
            (IssueChange::New, _) => IssueChange::Fixed,
            (IssueChange::Fixed | IssueChange::GoneWithPage, _) => IssueChange::New,
            (IssueChange::Still, _) => IssueChange::Still,
        },
        ..issue
    });
    let issues: Vec<_> = issues.collect();
    let fields = row.fields.into_iter().map(|FieldChange { name, before, after }| FieldChange {
        name,
        before: after,
        after: before,
    });
    ChangeView {
        class: row.class.mirrored(),
        url: row.url,
        number_a: row.number_b,
        number_b: row.number_a,
        reason: row.reason,
        fields: fields.collect(),
        issues,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn comparing_the_other_way_round_is_the_mirror_image_byte_for_byte() {
    let site = changing().start().await;
    let app = open("compare_mirror").await;
    let (whole, second) = crawl_twice(&app, &site).await;
    let mut cut = impatient(&site);
    cut.settings.scope.max_urls = Some(9);
    let cut = crawl(&app, cut).await;
    for (a, b) in [(whole, second), (whole, cut), (second, cut), (cut, cut)] {
        let (there, back) = (app.compare(a, b).await.unwrap(), app.compare(b, a).await.unwrap());
        assert_eq!(json(&mirrored(there)), json(&back), "{a} and {b}");
        let (there, back) = (all_rows(&app, a, b).await, all_rows(&app, b, a).await);
        let there: Vec<ChangeView> = there.into_iter().map(mirrored_row).collect();
        assert_eq!(json(&there), json(&back), "rows of {a} and {b}");
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_sum_adds_up_to_the_urls_of_a_run() {
    let site = changing().start().await;
    let app = open("compare_sums").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let view = app.compare(a, b).await.unwrap();
    let sum = |of: fn(&ClassCount) -> u64| view.classes.iter().map(of).sum::<u64>();
    assert_eq!(sum(|count| count.in_a), app.receipt(a).await.unwrap().seen());
    assert_eq!(sum(|count| count.in_b), app.receipt(b).await.unwrap().seen());
    assert_eq!((view.a.urls, view.b.urls), (sum(|count| count.in_a), sum(|count| count.in_b)));
    let rows = all_rows(&app, a, b).await;
    assert_eq!(rows.len() as u64, sum(|count| count.urls));
    assert_eq!(view.not_visited.iter().map(|count| count.urls).sum::<u64>(), view.count(Class::NotVisited));
    for count in &view.fields {
        let changed = rows.iter().filter(|row| row.class == Class::Changed);
        let with_field = changed.filter(|row| row.fields.iter().any(|field| field.name == count.field));
        assert_eq!(with_field.count() as u64, count.urls, "{:?}", count.field);
    }
    for check in &view.checks {
        let before = check.still + check.fixed + check.gone_with_page + check.not_visited;
        let after = check.still + check.new + check.not_visited_before;
        assert_eq!((before, after), (check.before, check.after), "{}", check.id);
        let changes = |change: IssueChange| {
            let issues = rows.iter().flat_map(|row| &row.issues);
            issues.filter(|issue| issue.id == check.id && issue.change == change).count() as u64
        };
        assert_eq!(changes(IssueChange::New), check.new, "{}", check.id);
        assert_eq!(changes(IssueChange::Fixed), check.fixed, "{}", check.id);
        assert_eq!(changes(IssueChange::GoneWithPage), check.gone_with_page, "{}", check.id);
    }
    assert_eq!(view.plans_differ, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_url_is_not_gone_if_a_page_that_linked_to_it_was_not_read() {
    let html = |page: Page| Reply::html(page.to_html());
    let site = Site::new()
        .reply("/", first_then(page("Home").links(["/a", "/b", "/target"]), page("Home").links(["/a", "/b"])))
        .page("/a", page("A"))
        // It may still link to the target, nobody knows.
        .reply("/b", then(html(page("B").link("/target")), Reply::html("late").delay(Duration::from_secs(2))))
        .page("/target", page("Target").link("/below"))
        .page("/below", page("Below"))
        .start()
        .await;
    let app = open("compare_all_sources").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let expected = [
        ("/b", "not_visited headers_timeout"),
        ("/target", "not_visited linking_page_not_visited"),
        ("/below", "not_visited linking_page_not_visited"),
    ];
    check(&verdicts(&app, &site, a, b).await, &expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn urls_that_a_run_did_not_reach_are_not_gone() {
    let site = testsite::scenarios::high_fan_out(20).start().await;
    let app = open("compare_limits").await;
    let whole = crawl(&app, impatient(&site)).await;
    let mut limited = impatient(&site);
    limited.settings.scope.max_urls = Some(5);
    let limited = crawl(&app, limited).await;
    let mut paused = impatient(&site);
    paused.settings.limits.session_budget = Some(5);
    let paused = crawl(&app, paused).await;
    for (run, reason) in [(limited, "max_urls"), (paused, "queued")] {
        let view = app.compare(whole, run).await.unwrap();
        assert!(view.a.is_whole && !view.b.is_whole);
        assert_eq!((view.count(Class::Gone), view.count(Class::Appeared)), (0, 0));
        assert!(view.count(Class::NotVisited) >= 15, "{view:?}");
        assert_eq!(view.not_visited[0].reason, reason);
    }
    let view = app.compare(whole, paused).await.unwrap();
    assert_eq!(view.not_compared[0].field, Field::Depth, "depths of a paused run are not final");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_differ_are_named_with_both_values() {
    let site = testsite::scenarios::small().start().await;
    let app = open("compare_plans").await;
    let first = crawl(&app, impatient(&site)).await;
    let mut other = impatient(&site);
    other.settings.scope.max_depth = Some(3);
    other.settings.politeness.parallelism = Some(2);
    other.settings.fetch.headers = Some([("X-Key".to_owned(), "canary".to_owned())].into());
    other.settings.audit.title_max = Some(10);
    other.urls.push(site.url("/other"));
    let second = crawl(&app, other).await;
    let view = app.compare(first, second).await.unwrap();
    let named: Vec<&str> = view.plans_differ.iter().map(|difference| difference.setting.as_str()).collect();
    assert_eq!(named, ["seeds", "audit.title_max", "fetch.headers", "scope.max_depth"]);
    let list: Vec<String> = (0..1_204).map(|number| site.url(&format!("/{number}"))).collect();
    let mut long = impatient(&site);
    (long.urls, long.settings.scope.max_urls) = (list, Some(1));
    let long = crawl(&app, long).await;
    let seeds = &app.compare(first, long).await.unwrap().plans_differ[0];
    assert_eq!((seeds.setting.as_str(), seeds.after.as_deref()), ("seeds", Some("1,204 URLs")));
    let listed = app.runs(None, None).await.unwrap();
    let (shown, all) = (listed[0].seeds.len(), listed[0].seed_count);
    assert_eq!((listed[0].id, shown, all), (long, 10, 1_204));
    assert_eq!(app.run_view(long).await.unwrap().seeds.len(), 1_204);
    let depth = &view.plans_differ[3];
    assert_eq!((depth.before.as_deref(), depth.after.as_deref()), (Some("0"), Some("3")));
    assert!(!json(&view).contains("canary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_runs_of_the_same_job_are_compared() {
    let site = testsite::scenarios::small().start().await;
    let app = open("compare_kinds").await;
    let audit = crawl(&app, impatient(&site)).await;
    let mut request = CaptureRequest { urls: vec![site.url("/")], ..CaptureRequest::default() };
    request.settings.politeness.rate = Some(0.0);
    let capture = app.start(request, Caller::operator()).await.unwrap().wait().await.run.unwrap();
    let error = app.compare(audit, capture).await.unwrap_err();
    let message =
        format!("run {audit} is an audit and run {capture} is a capture; only runs of the same job can be compared");
    assert_eq!((error.kind(), error.to_string()), (Kind::Invalid, message));
    let view = app.compare(capture, capture).await.unwrap();
    assert_eq!(view.count(Class::Same), view.a.urls);
    assert!(!view.a.has_issues && view.checks.is_empty());
    assert_eq!(app.compare(audit, 99).await.unwrap_err().kind(), Kind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_filtered_and_read_in_windows() {
    let site = changing().start().await;
    let app = open("compare_rows").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let urls = async |query: CompareQuery| -> Vec<String> {
        let rows = app.compare_rows(a, b, query).await.unwrap();
        rows.items.into_iter().map(|row| row.url.replace(&site.origin(), "")).collect()
    };
    let all = urls(CompareQuery::default()).await;
    assert!(all.len() > 15 && !all.contains(&"/same".to_owned()), "{all:?}");
    let window = CompareQuery { offset: 3, limit: WindowLimit::new(2).unwrap(), ..CompareQuery::default() };
    assert_eq!(urls(window).await, all[3..5]);
    let beyond = CompareQuery { offset: u64::MAX, ..CompareQuery::default() };
    assert_eq!(app.compare_rows(a, b, beyond.clone()).await.unwrap().total, all.len() as u64);
    assert!(urls(beyond).await.is_empty());
    let status = CompareQuery { field: Some(Field::Status), ..CompareQuery::default() };
    assert_eq!(urls(status).await, ["/status"]);
    let child = CompareQuery { search: Some("CHILD".to_owned()), ..CompareQuery::default() };
    assert_eq!(urls(child.clone()).await, ["/child", "/grandchild"]);
    let changed = CompareQuery { class: Some(Class::Changed), ..child };
    assert!(urls(changed).await.is_empty());
    let long = CompareQuery { search: Some("x".repeat(2_000)), ..CompareQuery::default() };
    assert_eq!(app.compare_rows(a, b, long).await.unwrap_err().kind(), Kind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_exported_with_values_before_and_after() {
    let site = changing().start().await;
    let app = open("compare_export").await;
    let (a, b) = crawl_twice(&app, &site).await;
    let export = async |format: Format, name: &str| -> String {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let output = Output::create(&path, Existing::Replace).unwrap();
        let rows = CompareQuery { class: Some(Class::Changed), ..CompareQuery::default() };
        let export = ComparisonExport { rows, format, formulas: Formulas::Escaped, secrets: Secrets::Masked };
        let written = app.export_comparison(a, b, export, output).await.unwrap();
        assert_eq!(written, app.compare(a, b).await.unwrap().count(Class::Changed));
        std::fs::read_to_string(path).unwrap()
    };
    let csv = export(Format::Csv, "changes.csv").await;
    assert!(csv.starts_with("class,url,reason,number_before,number_after,fields,status_before,status_after,"), "{csv}");
    assert!(csv.contains(",Before,After,"), "{csv}");
    let jsonl = export(Format::Jsonl, "changes.jsonl").await;
    let rows: Vec<serde_json::Value> = jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let title = rows.iter().find(|row| row["url"].as_str().unwrap().ends_with("/title")).unwrap();
    assert_eq!((title["title_before"].as_str(), title["title_after"].as_str()), (Some("Before"), Some("After")));
    assert!(title["fields"].as_str().unwrap().starts_with("title h1 content"), "{title}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_knows_what_a_run_found_since() {
    let site = testsite::scenarios::high_fan_out(20).start().await;
    let app = open("compare_again").await;
    let whole = crawl(&app, impatient(&site)).await;
    let mut budget = impatient(&site);
    budget.settings.limits.session_budget = Some(5);
    let session = app.start(budget, Caller::operator()).await.unwrap();
    let run = session.wait().await.run.unwrap();
    assert!(app.compare(whole, run).await.unwrap().count(Class::NotVisited) > 0);
    crate::running::resume(&app, session.project().clone(), &impatient(&site)).await.unwrap().wait().await;
    let view = app.compare(whole, run).await.unwrap();
    assert_eq!((view.count(Class::Same), view.a.urls), (view.b.urls, view.b.urls));
}
