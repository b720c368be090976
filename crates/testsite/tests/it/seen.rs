//! The log is reliable: order, gaps and concurrency are right.

use std::time::Duration;

use testsite::{Fault, Latency, Page, Protocol, Site};

use crate::client::{ask, fetch, fetch_on};

#[tokio::test]
async fn log_has_complete_requests_in_order() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    for path in ["/robots.txt", "/", "/a?b=c", "/"] {
        fetch(&site, path).await;
    }
    let log = site.log();
    assert_eq!(log.iter().map(|seen| seen.order).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(log.iter().all(|seen| seen.answered.is_some_and(|end| end >= seen.at)));
    assert!(log.windows(2).all(|pair| pair[0].at <= pair[1].at && pair[0].connection < pair[1].connection));
    assert_eq!((log[2].method.as_str(), log[2].host.as_str(), log[2].protocol), ("GET", "127.0.0.1", Protocol::Http1));
    assert_eq!(log[2].header("CONNECTION"), Some("close"));

    let seen = site.seen();
    assert_eq!(seen.paths(), ["/robots.txt", "/", "/a?b=c", "/"]);
    assert_eq!((seen.requests(), seen.count("/"), seen.count("/a?b=c"), seen.count("/a")), (4, 2, 1, 0));
    assert_eq!(seen.requested_more_than_once(), ["/"]);
}

#[tokio::test]
async fn sequential_requests_never_overlap() {
    let site = Site::new().page("/", Page::titled("Home").pad_to(200_000)).start().await;
    for _ in 0..50 {
        fetch(&site, "/").await;
    }
    assert_eq!(site.seen().most_at_once(), 1);
}

#[tokio::test]
async fn concurrent_requests_are_counted_per_host() {
    let site = Site::new().fault("/hang", Fault::HangBeforeHeaders).start().await;
    let mut waiting = Vec::new();
    for host in ["a.test", "a.test", "b.test"] {
        waiting.push(ask(&site, host, "/hang").await);
    }
    site.wait_for(|seen| seen.requests() == 3).await;
    drop(waiting);
    site.wait_for(|seen| seen.log().iter().all(|seen| seen.answered.is_some())).await;

    let seen = site.seen();
    assert_eq!((seen.most_at_once(), seen.most_at_once_on("a.test"), seen.most_at_once_on("b.test")), (3, 2, 1));
    assert_eq!(seen.hosts(), ["a.test", "b.test"]);
}

#[tokio::test]
async fn gaps_are_per_host_and_can_ignore_robots() {
    let latency = Duration::from_millis(30);
    let site = Site::new().latency(Latency::fixed(latency), 1).start().await;
    assert_eq!(site.seen().shortest_gap(), Duration::MAX);

    // Each response takes its latency, so requests to one host start at least that far apart.
    fetch_on(&site, "a.test", "/1").await;
    fetch_on(&site, "b.test", "/1").await;
    fetch_on(&site, "a.test", "/robots.txt").await;
    fetch_on(&site, "a.test", "/2").await;

    let seen = site.seen();
    assert!(seen.shortest_gap() >= latency);
    assert!(seen.shortest_gap() < seen.shortest_gap_without_robots());
    assert!(seen.shortest_gap_without_robots() >= 3 * latency);
    assert!(seen.shortest_rest() + latency <= seen.shortest_gap());
}

#[tokio::test]
async fn site_without_a_log_still_responds() {
    let site = Site::new().page("/", Page::titled("Home")).without_log().start().await;
    assert_eq!(fetch(&site, "/").await.status(), 200);
    assert_eq!(site.seen().requests(), 0);
}
