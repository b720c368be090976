//! `issues`, `checks`, `compare` and `report`: what people and builds see of the findings of a run.

use serde_json::Value;
use testsite::{Page, Running, Site};

#[cfg(target_os = "linux")]
use crate::program::on_terminal;
use crate::program::{Home, project};

/// A site with a broken link, two pages with the same title, and a page without one.
async fn site() -> Running {
    Site::new()
        .page("/", Page::titled("Home").links(["/a", "/b", "/untitled", "/gone"]))
        .page("/a", Page::titled("The same title on both of these pages"))
        .page("/b", Page::titled("The same title on both of these pages"))
        .page("/untitled", Page::titled("").text("words"))
        .start()
        .await
}

async fn crawled(name: &str) -> (Home, Running) {
    let (home, site) = (Home::new(name), site().await);
    let done = home.crawl(&site.url("/"), &["-q"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    (home, site)
}

fn check<'a>(issues: &'a Value, id: &str) -> &'a Value {
    let checks = issues["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("{id} is not in {issues}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_listed_by_priority_with_why_fix_and_examples() {
    let (home, site) = crawled("issues_text").await;
    let text = home.ok(&["issues", &project(&site)]).stdout;
    let headline = format!("run 1 of {}: 4 pages, ", project(&site));
    assert!(text.starts_with(&headline), "{text}");
    let order = ["High priority\n", "Medium priority\n", "Low priority\n"].map(|words| text.find(words));
    assert!(order.is_sorted() && order.iter().all(Option::is_some), "{text}");
    let gone = site.url("/gone");
    let expected = [
        "    why  Links to this URL send visitors and search engines to an error page.\n",
        "    fix  Restore the page, redirect it to its replacement, or fix the links to it.\n",
        &format!("    {gone}"),
    ];
    let broken = text.find(expected[0]).unwrap_or_else(|| panic!("{text}"));
    assert!(expected.iter().all(|line| text[broken..].contains(line)), "{text}");
    assert_eq!(home.ok(&["issues", "latest"]).stdout, text);
    assert!(!text.contains('\u{1b}'));
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_narrow_the_list_in_text_and_json() {
    let (home, _site) = crawled("issues_filters").await;
    let found = home.json(&["issues", "1"]);
    assert_eq!((found["runId"].as_i64(), found["isCompleted"].as_bool()), (Some(1), Some(true)));
    let broken = check(&found, "internal-client-error");
    assert_eq!((broken["findings"].as_u64(), broken["kind"].as_str()), (Some(1), Some("issue")));
    assert!(broken["examples"][0]["url"].as_str().unwrap().ends_with("/gone"), "{broken}");
    assert!(broken["why"].is_string() && broken["fix"].is_string() && broken["summary"].is_string(), "{broken}");

    let count = |issues: &Value| issues["checks"].as_array().unwrap().len();
    let high = home.json(&["issues", "1", "--priority", "high"]);
    assert!(high["checks"].as_array().unwrap().iter().all(|check| check["priority"] == "high"));
    let warnings = home.json(&["issues", "1", "--kind", "warning"]);
    assert!(warnings["checks"].as_array().unwrap().iter().all(|check| check["kind"] == "warning"));
    let all = home.json(&["issues", "1", "--all"]);
    assert!(count(&high) < count(&found) && count(&found) < count(&all), "{}", count(&all));
    assert_eq!(count(&all), home.json(&["checks"]).as_array().unwrap().len());
    let text = home.ok(&["issues", "1", "--all"]).stdout;
    assert!(text.contains("not checked  "), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_urls_of_a_check_are_lines_that_can_be_crawled_again() {
    let (home, site) = crawled("issues_check").await;
    let lines = home.ok(&["issues", "1", "--check", "title-duplicate"]).stdout;
    let urls: Vec<&str> = lines.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(urls, [site.url("/a"), site.url("/b")], "{lines}");
    std::fs::write(home.path("again.txt"), &lines).unwrap();
    home.ok(&["crawl", "--urls", "again.txt", "--rate", "0", "-q", "--fresh"]);
    let rows = home.json(&["issues", "1", "--check", "title-duplicate"]);
    assert_eq!((rows.as_array().unwrap().len(), rows[0]["url"].as_str()), (2, Some(&*site.url("/a"))));
    home.run(&["issues", "1", "--check", "title-duplicat"])
        .fails(2, &["no check `title-duplicat`; did you mean `title-duplicate`?"]);
    home.run(&["issues", "9"]).fails(1, &["error: "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_thresholds_need_no_requests() {
    let (home, site) = crawled("issues_set").await;
    let before = site.seen().requests();
    let short = |issues: &Value| check(issues, "title-too-short")["urls"].as_u64();
    assert_eq!(short(&home.json(&["issues", "1", "--all"])), Some(1), "Home");
    let done = home.ok(&["issues", "1", "--all", "--json", "--set", "audit.title_min=3"]);
    assert!(done.stderr.contains("checked run 1 again with audit.title_min=3"), "{}", done.stderr);
    assert_eq!(short(&serde_json::from_str(&done.stdout).unwrap()), Some(0));
    assert_eq!(short(&home.json(&["issues", "1", "--all"])), Some(0), "it is stored");
    assert_eq!(site.seen().requests(), before);
    home.run(&["issues", "1", "--set", "audit.title_mx=3"]).fails(2, &["title_mx"]);
    home.run(&["issues", "1", "--set", "scope.max_urls=3"])
        .fails(2, &["only settings of the group `audit` can change"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_decide_the_exit_code_and_are_named() {
    let (home, site) = crawled("fail_on").await;
    let issues = |condition: &str| home.run(&["issues", "1", "--fail-on", condition]);
    issues("internal-client-error")
        .fails(4, &["--fail-on conditions met:", "  internal-client-error: ", &site.url("/gone")]);
    issues("high").fails(4, &["  high: ", "(internal-client-error)"]);
    issues("issue").fails(4, &["  issue: "]);
    assert_eq!(issues("mixed-content").code, Some(0));
    assert_eq!(issues("slow-response").code, Some(0));
    issues("new").fails(0, &["no earlier completed run"]);
    issues("hihg").fails(2, &["no check `hihg`"]);
    let several = home.run(&["issues", "1", "--fail-on", "mixed-content", "--fail-on", "title-missing"]);
    several.fails(4, &["  title-missing: "]);

    let crawl = |more: &[&str]| home.crawl(&site.url("/"), &[&["-q", "--fresh"], more].concat());
    crawl(&["--fail-on", "high"]).fails(4, &["  high: "]);
    let again = crawl(&["--fail-on", "new"]);
    assert_eq!((again.code, again.stderr.as_str()), (Some(0), ""), "nothing is new");
    assert_eq!(crawl(&["--fail-on", "high", "--budget", "2"]).code, Some(3), "it is not complete");
    let resumed = home.run(&["resume", &project(&site), "--rate", "0", "-q", "--fail-on", "high"]);
    resumed.fails(4, &["  high: "]);
    home.run(&["compare", "1", "2", "--fail-on", "new"]).fails(0, &[]);
    assert_eq!(home.run(&["compare", "1", "2", "--fail-on", "gone"]).code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_ends_with_its_most_important_findings() {
    let (home, site) = (Home::new("most_important"), site().await);
    let text = home.crawl(&site.url("/"), &[]).stdout;
    let (_, findings) = text.split_once("\nfindings (").unwrap_or_else(|| panic!("{text}"));
    let lines: Vec<&str> = findings.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with("  high    4 "), "{text}");
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("  high  ") || line.starts_with("  medium") || line.starts_with("  low   "))
            .count(),
        10
    );
    assert!(lines.last().unwrap().ends_with("where, why and how to fix it: bluesnake issues 1"), "{text}");
    let paused = home.crawl(&site.url("/"), &["--budget", "2", "--fresh"]).stdout;
    assert!(paused.contains("\nfindings"), "{paused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn junit_and_github_formats_name_the_failing_checks() {
    let (home, site) = crawled("ci_formats").await;
    let xml = home.ok(&["issues", "1", "--format", "junit"]).stdout;
    let failed = |xml: &str, id: &str| {
        xml.contains(&format!("name=\"{id}\" classname=\"bluesnake.responses\" time=\"0\">\n      <failure"))
    };
    assert!(failed(&xml, "internal-client-error"), "{xml}");
    assert!(xml.contains(&site.url("/gone")) && xml.contains("<skipped message=\""), "{xml}");
    let count = |name: &str| {
        xml.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split('"').next()?.parse::<usize>().ok())
    };
    assert_eq!(count("tests"), Some(xml.matches("<testcase ").count()));
    assert_eq!(count("failures"), Some(xml.matches("<failure ").count()));
    assert_eq!(count("skipped"), Some(xml.matches("<skipped ").count()));
    let other = home.run(&["issues", "1", "--format", "junit", "--fail-on", "mixed-content"]);
    assert_eq!((other.code, other.stdout.contains("<failure")), (Some(0), false), "only what --fail-on names fails");

    let annotations = home.run(&["issues", "1", "--format", "github", "--fail-on", "internal-client-error"]);
    annotations.fails(4, &["internal-client-error"]);
    let lines: Vec<&str> = annotations.stdout.lines().collect();
    let broken = lines.iter().find(|line| line.starts_with("::error ")).unwrap();
    assert!(broken.contains(&site.url("/gone")) && broken.contains("%0A"), "{broken}");
    assert!(
        lines.iter().all(|line| ["::error ", "::warning ", "::notice "].iter().any(|level| line.starts_with(level)))
    );
    assert_eq!(lines.iter().filter(|line| line.starts_with("::error ")).count(), 1);
}

#[test]
fn the_catalogue_explains_every_check_without_a_database() {
    let home = Home::new("catalogue");
    let all = home.json(&["checks"]);
    let all = all.as_array().unwrap();
    assert!(all.len() > 170, "{}", all.len());
    for check in all {
        for field in ["id", "theme", "name", "kind", "priority", "why", "fix"] {
            assert!(check[field].as_str().is_some_and(|text| !text.is_empty()), "{check}");
        }
    }
    let text = home.ok(&["checks", "near-duplicate"]).stdout;
    assert!(text.contains("near-duplicate") && text.contains("  why  ") && text.contains("  fix  "), "{text}");
    assert!(home.ok(&["checks"]).stdout.contains("near-duplicate"));
    assert_eq!(home.json(&["checks", "near-duplicate"])["id"], "near-duplicate");
    home.run(&["checks", "near-duplicates"]).fails(2, &["did you mean `near-duplicate`?"]);
    assert!(!home.path("data").exists());
}

async fn two_runs(name: &str) -> (Home, Running, Running) {
    let home = Home::new(name);
    let page = |title: &str| Page::titled(title);
    let before = Site::new()
        .page("/", page("Home").links(["/stays", "/goes"]))
        .page("/stays", page("Old title"))
        .page("/goes", page("Goes"))
        .start()
        .await;
    let after = Site::new()
        .page("/", page("Home").links(["/stays", "/comes", "/broken"]))
        .page("/stays", page("New title"))
        .page("/comes", page("Comes"))
        .start()
        .await;
    for site in [&before, &after] {
        let resolve = format!("site.test:{}", site.addr());
        let flags = ["-q", "--fresh", "--allow-private", "--resolve", &resolve, "--rate", "0"];
        let done = home.run(&[&["crawl", "http://site.test/"], &flags[..]].concat());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    }
    (home, before, after)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_shows_urls_by_class_and_findings_by_check() {
    let (home, ..) = two_runs("compare").await;
    let text = home.ok(&["compare", "1", "2"]).stdout;
    assert!(text.starts_with("run 1 and run 2 of site.test\n"), "{text}");
    assert!(text.contains("         1  gone\n") && text.contains("  changed: "), "{text}");
    assert!(text.contains("(4XX)"), "{text}");
    assert_eq!(home.ok(&["compare", "site.test"]).stdout, text, "the newest run and the one before");

    let compared = home.json(&["compare", "1", "2"]);
    let broken = compared["checks"].as_array().unwrap().iter().find(|check| check["id"] == "internal-client-error");
    assert_eq!(broken.unwrap()["new"], 1, "{compared}");
    let gone = home.ok(&["compare", "1", "2", "--class", "gone"]).stdout;
    assert!(gone.starts_with("http://site.test/goes\tgone"), "{gone}");
    assert_eq!(gone.lines().count(), 1, "{gone}");
    let changed = home.json(&["compare", "1", "2", "--class", "changed"]);
    assert_eq!(changed[0]["class"], "changed");
    let count = compared["classes"].as_array().unwrap().iter().find(|count| count["class"] == "changed").unwrap();
    assert_eq!(changed.as_array().unwrap().len() as u64, count["urls"].as_u64().unwrap());
    assert_eq!(home.json(&["compare", "1", "2", "--class", "not-visited"]), serde_json::json!([]));

    home.ok(&["compare", "1", "2", "-o", "changes.csv"]);
    let csv = std::fs::read_to_string(home.path("changes.csv")).unwrap();
    assert!(csv.contains("http://site.test/comes") && csv.contains("http://site.test/goes"), "{csv}");
    home.run(&["compare", "1", "2", "-o", "changes.csv"]).fails(1, &["changes.csv"]);
    home.ok(&["compare", "1", "2", "-o", "changes.jsonl"]);
    home.run(&["compare", "1", "2", "-o", "changes.txt"]).fails(2, &["cannot infer the format from `changes.txt`"]);

    let junit = home.run(&["issues", "2", "--format", "junit", "--fail-on", "new:internal-client-error"]);
    junit.fails(4, &["new:internal-client-error: 1 new"]);
    assert!(
        junit.stdout.contains(" failures=\"1\" ") && junit.stdout.contains("http://site.test/broken"),
        "{}",
        junit.stdout
    );
    let github = home.run(&["issues", "2", "--format", "github", "--fail-on", "new:internal-client-error"]);
    assert_eq!(github.stdout.matches("::error ").count(), 1, "{}", github.stdout);

    let fail_on = |word: &str| home.run(&["compare", "1", "2", "--fail-on", word]);
    fail_on("new").fails(4, &["--fail-on conditions met:", "http://site.test/broken"]);
    fail_on("new-issues").fails(4, &["(internal-client-error)"]);
    fail_on("gone").fails(4, &["  gone: 1 URL"]);
    fail_on("changed").fails(4, &["  changed: "]);
    assert_eq!(fail_on("mixed-content").code, Some(0));
    let equal = home.run(&["compare", "2", "2", "--fail-on", "new", "--fail-on", "gone", "--fail-on", "changed"]);
    assert_eq!(equal.code, Some(0), "{}", equal.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_one_html_file() {
    let (home, ..) = two_runs("report").await;
    let done = home.ok(&["report", "site.test", "--against", "1", "-o", "report.html"]);
    assert!(done.stderr.contains("wrote the report of run 2 to report.html"), "{}", done.stderr);
    let html = std::fs::read_to_string(home.path("report.html")).unwrap();
    assert!(html.starts_with("<!doctype html>") || html.starts_with("<!DOCTYPE html>"), "{}", &html[..100]);
    assert!(!html.contains("<script"));
    assert_eq!(home.ok(&["report", "2", "--against", "1", "-o", "-"]).stdout, html);
    home.run(&["report", "2", "-o", "report.html"]).fails(1, &["report.html"]);
    home.ok(&["report", "2", "-o", "report.html", "--replace"]);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn findings_fit_narrow_and_wide_terminals() {
    let (home, _site) = crawled("issues_terminal").await;
    for columns in [60, 120] {
        for command in [
            "issues 1",
            "issues 1 --all",
            "issues 1 --check title-duplicate",
            "checks",
            "checks near-duplicate",
            "compare 1 1",
        ] {
            let shown = on_terminal(&home, columns, command, "1");
            // URLs and commands stay whole, so that they can be copied.
            let is_whole = |line: &&str| line.contains("http") || line.contains("bluesnake ");
            let too_long = shown.lines().find(|line| line.trim_end().chars().count() > columns && !is_whole(line));
            assert_eq!(too_long, None, "{command} at {columns} columns:\n{shown}");
            assert!(!shown.contains('\u{1b}') && shown.lines().count() > 2, "{shown}");
        }
    }
    assert!(on_terminal(&home, 120, "issues 1", "").contains("\u{1b}[1m"));
}
