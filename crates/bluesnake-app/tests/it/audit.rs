//! The audit against the truth of two sites: one with a planted problem for every check, one without any.
//!
//! A site declares which checks must report which URLs, with which details. The audit must report all of that and
//! nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use bluesnake_app::view::{CheckView, IssuesView};
use bluesnake_app::{App, AuditRequest, Caller, RunState, Span, WindowLimit, checks};
use testsite::{Page, Problem, Reply, Running, Site, healthy, planted};

use crate::running::open;

/// Details by check and URL.
type Findings = BTreeMap<(String, String), BTreeSet<String>>;

/// A finished run.
struct Audited {
    app: App,
    run: i64,
}

impl Audited {
    /// Crawls a host of a site to the end.
    async fn new(site: &Running, host: &str) -> Self {
        let app = open(&format!("audit-{host}")).await;
        let crawl = app.start(request(site, host), Caller::operator()).await.unwrap();
        let ended = crawl.wait().await;
        assert_eq!(ended.state, RunState::Completed, "{:?}", ended.error);
        Self { app, run: ended.run.unwrap() }
    }

    async fn issues(&self) -> IssuesView {
        self.app.issues(self.run).await.unwrap()
    }

    async fn check(&self, id: &str) -> CheckView {
        self.issues().await.checks.into_iter().find(|check| check.id == id).expect("a check of the catalogue")
    }

    /// Every finding, read like a front door reads them: in windows.
    async fn findings(&self) -> Findings {
        let mut findings = Findings::new();
        for check in self.issues().await.checks {
            let mut count = 0;
            while count < check.findings {
                let span = Span { offset: count, limit: WindowLimit::default() };
                let window = self.app.issue_rows(self.run, check.id, span).await.unwrap();
                assert!(
                    !window.items.is_empty(),
                    "{} has {} findings, but only {count} rows",
                    check.id,
                    check.findings
                );
                count += window.items.len() as u64;
                for row in window.items {
                    let details = findings.entry((check.id.to_owned(), row.url)).or_default();
                    assert!(details.insert(row.detail.unwrap_or_default()), "{} is reported twice", check.id);
                }
            }
        }
        findings
    }
}

fn request(site: &Running, host: &str) -> AuditRequest {
    let authority = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("audit-{host}.pem"));
    std::fs::write(&authority, site.ca_pem()).unwrap();
    let mut request = AuditRequest { urls: vec![site.url_on(host, "/")], ..AuditRequest::default() };
    let settings = &mut request.settings;
    (settings.politeness.rate, settings.politeness.parallelism) = (Some(0.0), Some(8));
    (settings.politeness.backoff_ms, settings.politeness.robots_retry_ms) = (Some(1), Some(vec![1]));
    (settings.fetch.attempts, settings.fetch.allow_private) = (Some(1), Some(true));
    (settings.fetch.resolve, settings.fetch.ca_file) = (Some(site.resolve().collect()), Some(authority));
    // One planted host declares nothing about them.
    settings.discover.llms_txt = Some(host != "www.planted.test");
    // The slow page takes three seconds; a busy machine may take one for any page.
    settings.audit.slow_ms = Some(2_000);
    request
}

fn declared(problems: Vec<Problem>) -> Findings {
    let mut findings = Findings::new();
    for Problem { check, url, detail } in problems {
        let details = findings.entry((check, url)).or_default();
        details.extend(Some(detail).filter(|detail| !detail.is_empty()));
    }
    findings
}

/// What differs, for people; empty if nothing does.
fn difference(expected: &Findings, found: &Findings) -> String {
    let mut lines = String::new();
    for ((check, url), details) in expected {
        match found.get(&(check.clone(), url.clone())) {
            None => _ = writeln!(lines, "  not reported:   {check} {url} {details:?}"),
            Some(reported) if !details.is_empty() && details != reported => {
                _ = writeln!(lines, "  other detail:   {check} {url} {reported:?} instead of {details:?}");
            }
            Some(_) => {}
        }
    }
    for ((check, url), details) in found.iter().filter(|(finding, _)| !expected.contains_key(finding)) {
        _ = writeln!(lines, "  wrongly reported: {check} {url} {details:?}");
    }
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn every_planted_problem_is_reported_and_nothing_else() {
    let site = planted::site().start().await;
    let mut differences = String::new();
    for host in planted::HOSTS {
        let expected = declared(site.problems_of(host));
        let found = Audited::new(&site, host).await.findings().await;
        println!("{host}: {} planted, {} reported", expected.len(), found.len());
        let difference = difference(&expected, &found);
        if !difference.is_empty() {
            _ = writeln!(differences, "{host}:\n{difference}");
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_site_has_no_findings_but_links_that_refuse_robots() {
    let site = healthy::site().start().await;
    let [host] = healthy::HOSTS;
    let audited = Audited::new(&site, host).await;
    let difference = difference(&declared(site.problems_of(host)), &audited.findings().await);
    assert!(difference.is_empty(), "\n{difference}");
    let issues = audited.issues().await;
    assert_eq!(issues.pages, healthy::page_count() as u64);
    let not_checked: Vec<&str> =
        issues.checks.iter().filter(|check| check.not_checked.is_some()).map(|check| check.id).collect();
    let others: Vec<&str> = not_checked.into_iter().filter(|id| !needs_rendering(id)).collect();
    assert_eq!(others, [""; 0], "every check was made that needs no browser");
}

#[tokio::test]
async fn every_check_has_a_planted_problem() {
    let site = planted::site().start().await;
    let planted: BTreeSet<String> =
        planted::HOSTS.iter().flat_map(|host| site.problems_of(host)).map(|problem| problem.check).collect();
    let known: BTreeSet<String> = checks().iter().map(|check| check.id.to_owned()).collect();
    assert_eq!(planted.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "checks that do not exist");
    let without_problem: Vec<&String> = known.difference(&planted).filter(|id| !needs_rendering(id)).collect();
    assert_eq!(without_problem, Vec::<&String>::new(), "checks without a problem");
}

/// Whether a check compares a page with its rendered form; these are tested with a browser, on the command line.
fn needs_rendering(id: &str) -> bool {
    checks().iter().any(|check| check.id == id && check.theme == "javascript")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_problem_of_a_template_is_reported_once() {
    let site = planted::site().start().await;
    let audited = Audited::new(&site, "shop.planted.test").await;
    let offers = site.url_on("shop.planted.test", "/offers");
    for (id, detail) in [("hsts-missing", None), ("csp-missing", None), ("outlinks-to-broken-pages", Some(&offers))] {
        let check = audited.check(id).await;
        let [shared] = check.shared.as_slice() else { panic!("{id}: {:?}", check.shared) };
        assert_eq!((shared.pages, shared.of, shared.detail.as_ref()), (32, 32, detail), "{id}");
        assert_eq!(shared.first_url, site.url_on("shop.planted.test", "/"), "{id}");
    }
    let element = audited.check("outlinks-to-broken-pages").await.shared.remove(0).element.unwrap_or_default();
    assert!(element.contains("footer") && element.contains("Offers of the week"), "{element}");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_copies_are_known_if_the_run_keeps_them() {
    let copy = Reply::html("<!doctype html><title>A dead end</title><p>No links here.</p>");
    let home = Page::titled("Home").link("/a").link("/b");
    let site = Site::new().page("/", home).reply("/a", copy.clone()).reply("/b", copy).start().await;
    let app = open("audit-copies").await;
    for (skips, expected) in [(true, 1), (false, 2)] {
        let mut request = crate::running::request(&site);
        request.settings.parse.skip_identical = Some(skips);
        let run = app.start(request, Caller::operator()).await.unwrap().wait().await.run.unwrap();
        let audited = Audited { app: app.clone(), run };
        assert_eq!(audited.check("no-internal-outlinks").await.urls, expected, "skip_identical = {skips}");
        assert_eq!(audited.check("canonical-missing").await.urls, 3, "skip_identical = {skips}");
    }
}
