//! A crawl always ends, and reports why.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bluesnake_engine::fetch::FailureKind;
use bluesnake_engine::plan::CheckExternal;
use bluesnake_engine::{Disposition, EndReason, MemoryStore, Refusal};
use testsite::{Fault, Monster, Page, Reply, Site, scenarios};

use crate::world::{Crawled, crawl, crawl_on, crawler, local, local_hosts};

#[tokio::test(flavor = "multi_thread")]
async fn high_fan_out_never_ends_early() {
    let site = scenarios::high_fan_out(60).start().await;
    let expected = site.expected().len() as u64;
    for run in 0..200 {
        let mut input = local();
        input.politeness.parallelism = Some(1 + run % 32);
        let crawled = crawl(&site.url("/"), input).await;
        assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), expected, "run {run}");
        assert_eq!(crawled.finished.reason, EndReason::Exhausted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_balance_the_count() {
    let site = scenarios::half_refused(200).start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert!(crawled.finished.is_complete());
    assert!(crawled.finished.receipt.count_of(Refusal::Robots) >= 90, "{}", crawled.finished.receipt);
    let requested_in_vain = crawled.urls_in(Disposition::Refused);
    for url in requested_in_vain {
        let path = url.strip_prefix(&site.origin()).expect("everything is on this site");
        assert_eq!(site.seen().count(path), 0, "{path} is disallowed and was fetched");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_worker_with_ten_thousand_children_and_a_small_backlog_ends() {
    let site = Site::new().reply("/", Monster::ManyLinks(10_000).reply()).start().await;
    let mut input = local();
    input.politeness.parallelism = Some(1);
    input.memory.backlog_urls = Some(100);
    input.limits.links_per_page = Some(0);
    let crawled = crawl(&site.url("/"), input).await;
    assert!(crawled.finished.is_complete());
    assert_eq!(crawled.finished.receipt.seen(), 10_001);
    assert_eq!(site.seen().requested_more_than_once(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_million_links_on_a_page_are_all_kept() {
    let site = Site::new().reply("/", Monster::ManyLinks(1_000_000).reply()).start().await;
    let mut input = local();
    input.limits.links_per_page = Some(0);
    input.scope.max_urls = Some(50);
    input.fetch.body_limit = Some(200 << 20);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.finished.receipt.seen(), 1_000_001);
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), 50);
    assert_eq!(crawled.finished.receipt.count_of(Refusal::MaxUrls), 1_000_001 - 50);
    assert_eq!(crawled.finished.reason, EndReason::Exhausted, "URLs beyond max_urls do not prevent the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_beyond_the_limit_of_a_page_are_counted_with_it() {
    let site = Site::new().reply("/", Monster::ManyLinks(500).reply()).start().await;
    let mut input = local();
    input.limits.links_per_page = Some(100);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.finished.receipt.seen(), 101);
    assert_eq!(crawled.visit(&site.url("/")).links_cut, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_one_visit_neither_hangs_nor_shrinks_the_pool() {
    let site = scenarios::high_fan_out(40).start().await;
    let store = Arc::new(MemoryStore::default());
    let mut input = local();
    input.politeness.parallelism = Some(1);
    let crawler = crawler(&[site.url("/")], input, &store);
    let requested = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requested);
    let running = crawler
        .on_response(move |_, _| assert_ne!(count.fetch_add(1, Ordering::SeqCst), 3, "the fourth response panics"))
        .start()
        .unwrap();
    let crawled = Crawled::of(store, running.wait().await.unwrap());
    assert!(crawled.finished.is_complete());
    assert_eq!(crawled.finished.receipt.count_of(FailureKind::Panic), 1);
    assert_eq!(crawled.finished.receipt.count(Disposition::Fetched), site.expected().len() as u64 - 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_returns_within_the_grace_period_while_servers_hang() {
    let mut home = Page::titled("Home").link("/good");
    let mut site = Site::new().page("/good", Page::titled("Good"));
    for i in 0..20 {
        home = home.link(&format!("/hang/{i}"));
        site = site.fault(&format!("/hang/{i}"), Fault::HangBeforeHeaders);
    }
    let site = site.page("/", home).start().await;
    let mut input = local();
    input.politeness.grace_ms = Some(200);
    // Without an end to its waiting, it would wait for these servers.
    (input.fetch.timeout_ms, input.fetch.total_timeout_ms) = (Some(600_000), Some(600_000));
    let store = Arc::new(MemoryStore::default());
    let running = crawler(&[site.url("/")], input, &store).start().unwrap();
    site.wait_for(|seen| seen.paths().iter().filter(|path| path.starts_with("/hang")).count() >= 7).await;
    let stopped = Instant::now();
    running.stop();
    let crawled = Crawled::of(store, running.wait().await.unwrap());
    assert!(stopped.elapsed() < Duration::from_secs(300), "{:?}", stopped.elapsed());
    assert_eq!(crawled.finished.reason, EndReason::Stopped);
    assert_eq!(crawled.finished.receipt.count(Disposition::Failed), 0, "a stop is never recorded as an error");
    assert_eq!(crawled.finished.receipt.count(Disposition::Pending), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_is_an_outcome() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/hang"))
        .fault("/hang", Fault::HangBeforeHeaders)
        .start()
        .await;
    let mut input = local();
    input.fetch.timeout_ms = Some(100);
    input.fetch.attempts = Some(1);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.fate(&site.url("/hang")), (Disposition::Failed, "headers_timeout"));
    assert!(crawled.finished.is_complete());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_ends_exactly_at_its_budget_is_complete() {
    let site = scenarios::high_fan_out(10).start().await;
    let mut input = local();
    input.limits.session_budget = Some(site.expected().len() as u64);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.finished.reason, EndReason::Exhausted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_n_makes_exactly_n_requests() {
    let site = scenarios::high_fan_out(50).start().await;
    let mut input = local();
    input.limits.session_budget = Some(20);
    input.politeness.parallelism = Some(16);
    let crawled = crawl(&site.url("/"), input).await;
    let requested = site.seen().paths().iter().filter(|path| *path != "/robots.txt").count();
    assert_eq!((requested, crawled.finished.progress.visits), (20, 20));
    assert_eq!(crawled.finished.receipt.count(Disposition::Pending), site.expected().len() as u64 - 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_url_is_attempted_exactly_as_often_as_configured() {
    let mut home = Page::titled("Home");
    for i in 0..5 {
        home = home.link(&format!("/page/{i}"));
    }
    let mut site = Site::new().page("/", home).fault("/broken", Fault::DropBeforeHeaders);
    for i in 0..5 {
        site = site.page(&format!("/page/{i}"), Page::titled("Page").link("/broken"));
    }
    let site = site.start().await;
    let crawled = crawl(&site.url("/"), local()).await;
    assert_eq!(site.seen().count("/broken"), 3, "three attempts, however often it is linked");
    assert_eq!(crawled.fate(&site.url("/broken")).0, Disposition::Failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_limit_pauses_the_crawl() {
    let site = Site::new()
        .page("/", Page::titled("Home").link("/hang"))
        .reply("/hang", Reply::html("late").delay(Duration::from_secs(600)))
        .start()
        .await;
    let mut input = local();
    input.limits.max_seconds = Some(1);
    input.politeness.grace_ms = Some(10);
    let crawled = crawl(&site.url("/"), input).await;
    assert_eq!(crawled.finished.reason, EndReason::TimeSpent);
    assert_eq!(crawled.finished.receipt.count(Disposition::Pending), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_callback_comes_once_and_last() {
    let site = scenarios::small().start().await;
    let log = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (pages, end) = (Arc::clone(&log), Arc::clone(&log));
    let store = Arc::new(MemoryStore::default());
    let running = crawler(&[site.url("/")], local(), &store)
        .on_page(move |_| pages.lock().unwrap().push("page"))
        .on_complete(move |_| end.lock().unwrap().push("complete"))
        .start()
        .unwrap();
    running.wait().await.unwrap();
    let log = log.lock().unwrap();
    assert_eq!(log.iter().filter(|entry| **entry == "complete").count(), 1);
    assert_eq!(log.last(), Some(&"complete"));
    assert!(log.len() > 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_obeyed_while_thousands_of_urls_are_refused_in_their_turns() {
    let site = Site::new().reply("/", Monster::ManyLinks(100_000).reply()).start().await;
    let store = Arc::new(MemoryStore::default());
    let mut input = local();
    (input.limits.links_per_page, input.scope.max_urls) = (Some(0), Some(1));
    let running = crawler(&[site.url("/")], input, &store).start().unwrap();
    let (mut progress, stopper) = (running.progress(), running.stopper());
    let stop = async {
        let is_refusing = |progress: &bluesnake_engine::Progress| progress.seen > progress.pending + 1;
        progress.wait_for(is_refusing).await.expect("it is refusing before it ends");
        stopper.stop();
    };
    let (end, ()) = tokio::join!(running.wait(), stop);
    let crawled = Crawled::of(store, end.unwrap());
    assert_eq!(crawled.finished.reason, EndReason::Stopped, "{}", crawled.finished.receipt);
    assert!(crawled.finished.receipt.count(Disposition::Pending) > 0);
}

/// On a runtime of one thread: nothing of the crawl runs before the test waits for it.
#[tokio::test]
async fn a_stop_is_obeyed_before_stored_urls_are_loaded() {
    let site = scenarios::high_fan_out(20).start().await;
    let mut input = local();
    input.limits.session_budget = Some(5);
    let store = Arc::new(MemoryStore::default());
    let first = crawler(&[site.url("/")], input.clone(), &store).start().unwrap().wait().await.unwrap();
    assert_eq!(first.reason, EndReason::BudgetSpent);
    let requested = site.seen().requests();
    let running = crawler(&[site.url("/")], input, &store).start().unwrap();
    running.stop();
    let second = running.wait().await.unwrap();
    assert_eq!((second.reason, second.receipt.seen()), (EndReason::Stopped, 0), "half a receipt is none");
    assert_eq!(site.seen().requests(), requested);
    assert_eq!(store.urls().len() as u64, first.receipt.seen(), "nothing is lost");
}

/// A page of `a.test` that links to thirty other hosts.
async fn thirty_links() -> testsite::Running {
    let links = (0..30).map(|number| format!("http://n{number}.test/"));
    Site::new().host("a.test", Site::new().page("/", Page::titled("Home").links(links))).start().await
}

/// No machine connects to everybody at once.
const NOWHERE: &str = "*.test:255.255.255.255:80";

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_without_network_pauses_and_records_no_broken_links() {
    let site = thirty_links().await;
    let store = Arc::new(MemoryStore::default());
    let mut input = local_hosts(site.port());
    input.resources.check_external = Some(CheckExternal::All);
    input.limits.session_budget = Some(1);
    crawl_on("http://a.test/", input.clone(), store.clone()).await;
    input.limits.session_budget = Some(0);
    let mut without = input.clone();
    without.fetch.resolve = Some(vec![NOWHERE.to_owned()]);
    let paused = crawl_on("http://a.test/", without, store.clone()).await.finished;
    assert!(matches!(paused.reason, EndReason::HostGivenUp { .. }), "it continued: {:?}", paused.reason);
    assert_eq!((paused.receipt.count(Disposition::Failed), paused.receipt.count(Disposition::Pending)), (0, 30));
    let finished = crawl_on("http://a.test/", input, store).await.finished;
    assert_eq!((finished.reason, finished.receipt.count(Disposition::Pending)), (EndReason::Exhausted, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn links_to_unreachable_hosts_are_broken_while_the_site_responds() {
    let site = thirty_links().await;
    let mut input = local_hosts(site.port());
    input.resources.check_external = Some(CheckExternal::All);
    input.fetch.resolve = Some(vec![format!("a.test:127.0.0.1:{}", site.port()), NOWHERE.to_owned()]);
    let finished = crawl("http://a.test/", input).await.finished;
    assert_eq!(finished.reason, EndReason::Exhausted);
    assert_eq!(finished.receipt.count_of(FailureKind::Unreachable), 30);
}
