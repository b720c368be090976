//! `bluesnake crawl` against a real site.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use testsite::{Fault, Page, Running, Site, scenarios};

fn bluesnake(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bluesnake")).args(arguments).output().expect("the binary runs")
}

async fn crawl(site: &Running, arguments: &[&str]) -> Output {
    let url = site.url("/");
    let arguments: Vec<String> =
        ["crawl", &url, "--rate", "0"].iter().chain(arguments).map(|s| s.to_string()).collect();
    let run = move || bluesnake(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_crawl_ends_with_a_receipt_that_adds_up() {
    let site = scenarios::small().start().await;
    let output = crawl(&site, &[]).await;
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let summary = text(&output.stdout);
    assert!(summary.starts_with("complete: "), "{summary}");
    let receipt: Vec<u64> =
        summary.lines().skip(2).map_while(|line| line.split_whitespace().next()?.parse().ok()).collect();
    let (seen, classes) = receipt.split_last().expect("there is a receipt");
    assert_eq!(*seen, classes.iter().sum::<u64>(), "{summary}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_lines_go_to_stdout_one_per_visit_and_one_at_the_end() {
    let site = scenarios::small().start().await;
    let output = crawl(&site, &["--json"]).await;
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let (last, visits) = lines.split_last().unwrap();
    assert_eq!((last["type"].as_str(), last["complete"].as_bool()), (Some("finished"), Some(true)));
    assert_eq!(last["visits"], visits.len());
    let home = visits.iter().find(|visit| visit["url"] == site.url("/")).unwrap();
    assert_eq!((home["status"].as_u64(), home["source"].as_str()), (Some(200), Some("initial")));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_says_that_urls_are_pending() {
    let site = scenarios::high_fan_out(20).start().await;
    let output = crawl(&site, &["--budget", "5"]).await;
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).starts_with("paused, the budget is spent"), "{}", text(&output.stdout));
}

#[test]
fn wrong_settings_are_told_all_at_once() {
    let output = bluesnake(&["crawl", "mailto:x", "--include", "(", "--external-hops", "9"]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    for part in ["error: cannot start the crawl", "seeds: ", "scope.include: ", "scope.external_hops: ", "hint: "] {
        assert!(message.contains(part), "{part} is missing in:\n{message}");
    }
}

#[test]
fn an_unknown_setting_is_refused() {
    let output = bluesnake(&["crawl", "http://localhost:1/", "--set", "limits.url_lenght=1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("url_lenght"), "{}", text(&output.stderr));
}

#[test]
fn a_server_that_is_not_there_is_an_error_with_a_hint() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let output = bluesnake(&["crawl", &url, "--set", "fetch.attempts=1"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("the connection was refused") && message.contains("hint: "), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn terminal_escapes_of_the_web_are_shown_not_obeyed() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/a%1B%5D52;c;x%07"))
        .reply("/a%1B%5D52;c;x%07", testsite::Reply::status(404))
        .start()
        .await;
    let output = crawl(&site, &[]).await;
    assert!(!output.stdout.contains(&0x1b), "{}", text(&output.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stops_the_crawl_and_still_prints_the_receipt() {
    let mut site = Site::new();
    let mut home = Page::titled("Home");
    for i in 0..10 {
        home = home.link(&format!("/hang/{i}"));
        site = site.fault(&format!("/hang/{i}"), Fault::HangBeforeHeaders);
    }
    let site = site.page("/", home).start().await;
    let child = Command::new(env!("CARGO_BIN_EXE_bluesnake"))
        .args(["crawl", &site.url("/"), "--rate", "0", "--set", "politeness.grace_ms=50"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    site.wait_for(|seen| seen.paths().iter().any(|path| path.starts_with("/hang"))).await;
    let interrupted = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap()).await.unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(interrupted.elapsed() < Duration::from_secs(5));
    assert!(text(&output.stdout).contains("pending"), "{}", text(&output.stdout));
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = text(&bluesnake(&["crawl", "--help"]).stdout);
    assert!(help.contains("Examples:") && help.contains("Exit codes:"), "{help}");
}
