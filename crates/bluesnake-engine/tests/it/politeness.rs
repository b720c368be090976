//! Politeness, according to the server's log.

use std::sync::Arc;
use std::time::Duration;

use bluesnake_engine::plan::{CheckExternal, RobotsMode};
use bluesnake_engine::{Disposition, EndReason, MemoryStore, Progress, Reason, WaitReason};
use testsite::{Mode, Page, Reply, Site, scenarios};

use crate::world::{crawl, crawler, end_of, local};

#[tokio::test(flavor = "multi_thread")]
async fn the_rate_limit_is_per_host_at_any_parallelism() {
    let site = scenarios::high_fan_out(8).start().await;
    let mut input = local();
    input.politeness.rate = Some(8.0);
    input.politeness.parallelism = Some(16);
    crawl(&site.url("/"), input).await;
    // A request is timestamped on arrival, and transit times vary a little.
    assert!(site.seen().shortest_gap() >= Duration::from_millis(60), "{:?}", site.seen().shortest_gap());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_crawls_of_one_process_share_the_pace_of_a_host() {
    let site = scenarios::high_fan_out(8).start().await;
    let paces = bluesnake_engine::Paces::default();
    let start = || {
        let mut input = local();
        input.politeness.rate = Some(8.0);
        let plan = bluesnake_engine::AuditPlan::new([site.url("/")], input).unwrap();
        bluesnake_engine::Crawler::new(plan).paces(paces.clone()).start().unwrap().wait()
    };
    let (one, other) = tokio::join!(start(), start());
    assert!(one.unwrap().is_complete() && other.unwrap().is_complete());
    assert!(site.seen().shortest_gap() >= Duration::from_millis(60), "{:?}", site.seen().shortest_gap());
}

#[tokio::test(flavor = "multi_thread")]
async fn parallelism_is_exact() {
    let site = scenarios::high_fan_out(60).latency(testsite::Latency::fixed(Duration::from_millis(20)), 1);
    let site = site.start().await;
    let mut input = local();
    input.politeness.parallelism = Some(6);
    crawl(&site.url("/"), input).await;
    assert_eq!(site.seen().most_at_once(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_hosts_on_one_address_share_a_limit() {
    let names: Vec<String> = (0..30).map(|number| format!("n{number}.test")).collect();
    let home = Page::titled("Home").links(names.iter().map(|name| format!("{{host:{name}}}/")));
    let late = testsite::Latency::fixed(Duration::from_millis(30));
    let host = |name: &String| Site::new().page("/", Page::titled(name)).latency(late, 1);
    let site = names.iter().fold(Site::new().page("/", home), |site, name| site.host(name, host(name)));
    for (per_address, expected) in [(0, 8), (3, 3)] {
        let site = site.clone().start().await;
        let mut input = local();
        input.resources.check_external = Some(CheckExternal::All);
        input.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
        input.fetch.timeout_ms = Some(1_000);
        input.politeness.parallelism = Some(30);
        input.politeness.per_host = Some(2);
        input.politeness.per_address = Some(per_address);
        let crawled = crawl(&site.url("/"), input).await;
        assert_eq!(site.seen().most_at_once(), expected);
        assert_eq!(crawled.finished.receipt.count(Disposition::Failed), 0, "{}", crawled.finished.receipt);
        assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), 31, "{}", crawled.finished.receipt);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_delay_in_robots_txt_is_kept() {
    let site = scenarios::high_fan_out(4).robots("User-agent: *\nCrawl-delay: 0.1\n").start().await;
    crawl(&site.url("/"), local()).await;
    assert!(site.seen().shortest_gap_without_robots() >= Duration::from_millis(95));
    assert_eq!(site.seen().most_at_once(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn disallowed_urls_are_never_requested() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/open").link("/private/a"))
        .page("/open", Page::titled("Open"))
        .page("/private/a", Page::titled("Private"))
        .robots("User-agent: *\nDisallow: /private\n")
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert_eq!(crawled.fate(&site.url("/private/a")), (Disposition::Refused, "robots"));
    assert_eq!(site.seen().count("/private/a"), 0);
    assert_eq!(site.seen().count("/robots.txt"), 1);
    assert_eq!(site.seen().paths()[0], "/robots.txt");
}

#[tokio::test(flavor = "multi_thread")]
async fn ignore_report_fetches_and_reports_what_would_have_been_refused() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/private/a"))
        .page("/private/a", Page::titled("Private"))
        .robots("User-agent: *\nDisallow: /private\n")
        .start()
        .await;
    let mut input = local();
    input.politeness.robots = Some(RobotsMode::IgnoreReport);
    let crawled = crawl(&site.url("/"), input.clone()).await;
    let report = crawled.visit(&site.url("/private/a")).robots_report.clone();
    assert_eq!(report.as_deref(), Some("line 2: /private"));
    input.politeness.robots = Some(RobotsMode::Ignore);
    let ignored = crawl(&site.url("/"), input).await;
    assert_eq!(ignored.fate(&site.url("/private/a")), (Disposition::Fetched, "page"));
    assert_eq!(site.seen().count("/robots.txt"), 1, "robots.txt is not requested when ignored");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_429_is_waited_out_and_nothing_is_lost() {
    let storm = Mode::Outage { status: 429, requests: 1..9 };
    let site = scenarios::high_fan_out(30).mode(storm).start().await;
    let mut input = local();
    input.politeness.adaptive = Some(false);
    input.politeness.backoff_ms = Some(5);
    input.politeness.parallelism = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), site.expected().len() as u64);
    assert_eq!(crawled.finished.receipt.count_of(Reason::ClientError), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_kept_by_the_whole_host() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/a").link("/b"))
        .reply("/a", Reply::sequence([Reply::status(503).header("Retry-After", "1"), Reply::html("<p>fine</p>")]))
        .page("/b", Page::titled("B"))
        .start()
        .await;
    let mut input = local();
    input.politeness.parallelism = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.visit(&site.url("/a")).status(), Some(200));
    let log = site.log();
    let refused = log.iter().position(|seen| seen.target == "/a").unwrap();
    assert!(log[refused + 1].at - log[refused].at >= Duration::from_millis(990), "the next request waits a second");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_host_pauses_the_run_instead_of_recording_false_errors() {
    let site = scenarios::high_fan_out(200).mode(Mode::RandomResets { percent: 100.0, seed: 1 }).start().await;
    let mut input = local();
    input.politeness.breaker_failures = Some(5);
    input.politeness.breaker_pause_ms = Some(5);
    input.politeness.breaker_trips = Some(1);
    input.politeness.robots = Some(RobotsMode::Ignore);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(matches!(crawled.finished.reason, EndReason::HostGivenUp { .. } | EndReason::Exhausted));
    assert!(crawled.finished.receipt.count(Disposition::Failed) <= 10, "{}", crawled.finished.receipt);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_on_which_some_pages_always_fail_is_crawled_to_the_end() {
    for status in [500, 502, 429, 503] {
        for failing in [12, 25] {
            let site = scenarios::always_failing(40, failing, status).start().await;
            let mut input = local();
            input.politeness.backoff_ms = Some(1);
            input.politeness.adaptive = Some(false);
            let crawled = crawl(&site.url("/"), input).await;
            assert!(crawled.finished.is_complete(), "{failing} × {status}: {:?}", crawled.finished.reason);
            for number in 0..40 {
                let path = format!("/page/{number}");
                let requests = if number >= 40 - failing { 3 } else { 1 };
                assert_eq!(site.seen().count(&path), requests, "{path}: {failing} × {status}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_outage_loses_no_page() {
    let outage = Mode::Outage { status: 500, requests: 10..18 };
    let site = scenarios::high_fan_out(60).mode(outage).start().await;
    let mut input = local();
    input.politeness.parallelism = Some(1);
    input.politeness.breaker_pause_ms = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete(), "{:?}", crawled.finished.reason);
    assert_eq!(crawled.finished.receipt.count_of(Reason::Page), 61);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wait_has_a_reason_in_the_progress() {
    let busy = Reply::sequence([Reply::status(429).header("Retry-After", "1"), Reply::html("ok")]);
    let site = Site::new().page("/", Page::titled("Home").link("/busy")).reply("/busy", busy).start().await;
    let store = Arc::new(MemoryStore::default());
    let running = crawler(&[site.url("/")], local(), &store).start().expect("a crawl starts");
    let mut progress = running.progress();
    let waits =
        |progress: &Progress| progress.waiting.as_ref().is_some_and(|wait| wait.reason == WaitReason::Throttled);
    let waiting = progress.wait_for(waits).await.expect("the wait is reported").clone();
    assert_eq!(*waiting.waiting.unwrap().host, *site.addr().to_string());
    assert_eq!(waiting.in_flight, 0);
    assert!(end_of(running).await.is_complete());
    assert_eq!(progress.borrow().waiting, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn server_errors_are_retried_and_other_errors_are_not() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/flaky").link("/gone").link("/broken"))
        .reply("/flaky", Reply::sequence([Reply::status(500), Reply::status(502), Reply::html("<p>fine</p>")]))
        .reply("/gone", Reply::status(404))
        .reply("/broken", Reply::status(500))
        .start()
        .await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert_eq!(crawled.visit(&site.url("/flaky")).status(), Some(200));
    assert_eq!(crawled.visit(&site.url("/flaky")).attempts, 3);
    assert_eq!((site.seen().count("/gone"), site.seen().count("/broken")), (1, 3));
    assert_eq!(crawled.fate(&site.url("/broken")), (Disposition::Fetched, "server_error"));
}
