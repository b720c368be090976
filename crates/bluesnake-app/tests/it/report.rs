//! The HTML report of a run: harmless, complete, and never too large.

use std::collections::BTreeSet;

use bluesnake_app::{App, AuditRequest, Caller, Kind, WeaveRequest};
use testsite::{Page, Reply, Running, Site};

use crate::running::{open, request};

/// What a hostile site says, and something harmless of the same kind.
const HOSTILE: [(&str, &str); 6] = [
    ("<script>alert(1)</script>", "one"),
    ("\"><img src=x onerror=alert(1)>", "two"),
    ("</title></style></svg><iframe src=//evil.test>", "three"),
    ("' onmouseover='alert(1)", "four"),
    ("<!-- --><a href=javascript:alert(1)>x</a>", "five"),
    ("&lt;b&gt; &amp; \u{202e}txet\u{0}", "six"),
];

async fn crawl(app: &App, request: AuditRequest) -> i64 {
    app.start(request, Caller::operator()).await.unwrap().wait().await.run.expect("it has a run")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A site that says what `pick` takes of [`HOSTILE`] wherever a site can say something; its second crawl differs.
fn site(pick: fn(&(&'static str, &'static str)) -> &'static str) -> Site {
    let mut home = Page::titled(pick(&HOSTILE[0]));
    let mut site = Site::new();
    for (at, both) in HOSTILE.iter().enumerate() {
        let (path, text) = (format!("/page-{at}"), pick(both));
        home = home.link_text(&path, text).link_text(&format!("/missing-{at}"), text);
        let quoted = escaped(text);
        let page = |suffix: &str| {
            let html = format!("<h1>{quoted}</h1><h1>{quoted}</h1><img src=\"/none-{at}.png\" alt=\"{quoted}\">");
            let page = Page::titled(&format!("{text}{suffix}")).meta("description", text).html(&html);
            Reply::html(page.to_html()).header("X-Robots-Tag", "noindex").header("Server", "x/1.0")
        };
        site = site.reply(&path, Reply::sequence([page(""), page(" again")]));
    }
    site.page("/", home)
}

/// The tags of a document in order, with the names of their attributes.
fn tags(html: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let (mut rest, mut is_style) = (html, false);
    while let Some(at) = rest.find(if is_style { "</style" } else { "<" }) {
        rest = &rest[at + 1..];
        let (mut tag, mut quote, mut end) = (String::new(), None, rest.len());
        for (at, character) in rest.char_indices() {
            match (quote, character) {
                (None, '>') => {
                    end = at;
                    break;
                }
                (None, '"' | '\'') => quote = Some(character),
                (Some(open), _) if open == character => quote = None,
                (Some(_), _) => {}
                (None, _) => tag.push(character),
            }
        }
        rest = &rest[end..];
        is_style = tag == "style";
        tags.push(tag);
    }
    tags
}

async fn reports(name: &str, site: Running) -> (App, i64, i64, String) {
    let app = open(name).await;
    let (first, second) = (crawl(&app, request(&site)).await, crawl(&app, request(&site)).await);
    let report = app.report(app.run_view(second).await.unwrap(), Some(first)).await.unwrap();
    (app, first, second, report)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hostile_site_says_stays_text() {
    let (.., hostile) = reports("report_hostile", site(|(hostile, _)| hostile).start().await).await;
    let (.., harmless) = reports("report_harmless", site(|(_, harmless)| harmless).start().await).await;
    let kinds = |report: &str| tags(report).into_iter().collect::<BTreeSet<String>>();
    // Charts are ours; which of them there are depends on response times.
    let is_chart = |tag: &String| ["svg", "text ", "rect "].iter().any(|start| tag.starts_with(start));
    let foreign: Vec<String> =
        kinds(&hostile).difference(&kinds(&harmless)).filter(|tag| !is_chart(tag)).cloned().collect();
    assert_eq!(foreign, [""; 0], "the site made elements or attributes");
    let styled: Vec<String> = tags(&hostile).into_iter().filter(|tag| tag.contains("style=")).collect();
    assert_eq!(styled, [""; 0], "the policy of the server allows style sheets only");
    for never in ["<script", "<img", "<iframe", "<link", "javascript:\"", "@import", "\u{202e}", "\u{0}"] {
        assert!(!hostile.contains(never), "{never}");
    }
    assert!(hostile.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is there as text");
    let links = tags(&hostile).into_iter().filter(|tag| tag.starts_with("a ") && tag.contains("class=")).count();
    assert_eq!(hostile.matches(" rel=\"noopener noreferrer nofollow\"").count(), links);
    assert!(links > 20, "{links}");
    let urls: Vec<&str> = hostile.match_indices("url(").map(|(at, _)| &hostile[at..at + 10]).collect();
    assert!(urls.iter().all(|url| *url == "url(#hatch"), "{urls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_shows_findings_changes_and_a_receipt_that_adds_up() {
    let (app, first, second, report) = reports("report_whole", site(|(_, harmless)| harmless).start().await).await;
    let issues = app.issues(second).await.unwrap();
    let found: Vec<_> = issues.checks.iter().filter(|check| check.urls > 0).collect();
    assert!(found.len() > 5, "{}", found.len());
    for check in &found {
        assert!(report.contains(&format!("id=\"{}\"", check.id)), "{}", check.id);
        assert!(report.contains(&escaped(check.why)), "{}: {}", check.id, check.why);
        assert!(report.contains(&escaped(check.fix)), "{}: {}", check.id, check.fix);
    }
    for text in ["Changes since run 1", "Receipt", "URLs seen", "Slowest pages", "prefers-color-scheme"] {
        assert!(report.contains(text), "{text}");
    }
    let view = app.compare(first, second).await.unwrap();
    assert!(report.contains(&format!("= <b>{}</b>", view.a.urls)), "the parts of the first run add up");
    let run = app.run_view(second).await.unwrap();
    assert_eq!(report, app.report(run.clone(), Some(first)).await.unwrap(), "same run, same bytes");
    let alone = app.report(run, None).await.unwrap();
    assert!(!alone.contains("Changes since"), "no comparison unless requested");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_in_urls_are_masked_and_not_linked() {
    let home = Page::titled("Home").link("/page?token=canary").link("/gone?token=canary");
    let site = Site::new().page("/", home).page("/page", Page::titled("")).reply("/gone", Reply::status(404));
    let (.., report) = reports("report_secrets", site.start().await).await;
    assert!(report.contains("token=***"), "it shows the rest of the URL");
    assert!(!report.contains("canary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_has_at_most_a_megabyte() {
    let path = |at: usize| format!("/{at}/{}", "u-long-path-".repeat(100));
    let home = (0..60).fold(Page::titled("Home"), |page, at| page.link_text(&path(at), &"text ".repeat(300)));
    let mut site = Site::new().page("/", home);
    for at in 0..60 {
        let page = Page::titled(&"title ".repeat(100)).meta("description", &"word ".repeat(500));
        site = site.page(&path(at), page.html("<h1></h1><h1></h1><img src=\"/x.png\">").link("/nowhere"));
    }
    let (app, .., second, report) = reports("report_large", site.start().await).await;
    assert!(report.len() <= 1_000_000, "{} bytes", report.len());
    assert!(app.issues(second).await.unwrap().checks.iter().filter(|check| check.urls >= 20).count() > 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weave_has_no_report() {
    let site = testsite::scenarios::small().start().await;
    let app = open("report_weave").await;
    let request = WeaveRequest { urls: vec![site.url("/")], ..WeaveRequest::default() };
    let run = app.start(request, Caller::operator()).await.unwrap().wait().await.run.unwrap();
    let error = app.report(app.run_view(run).await.unwrap(), None).await.unwrap_err();
    assert_eq!(error.to_string(), format!("run {run} is a weave; only audits and captures have reports"));
    assert_eq!(error.kind(), Kind::Invalid);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_shows_no_more_of_a_run_than_the_caller_passes() {
    let site = testsite::scenarios::small().start().await;
    let app = open("report_concealed").await;
    let run = crawl(&app, request(&site)).await;
    let mut view = app.run_view(run).await.unwrap();
    view.plan["fetch"]["proxy"] = "http://proxy.internal:3128".into();
    (view.state, view.detail) = ("failed", Some("concealed by the caller".to_owned()));
    let report = app.report(view, None).await.unwrap();
    assert!(report.contains("concealed by the caller"));
    assert!(!report.contains("proxy.internal"), "settings of this machine are not in reports");
}
