//! Faults of a whole site.

use std::time::Duration;

use testsite::{Mode, Page, Running, Site, Until};

use crate::client::{End, ask, fetch, fetch_on};

async fn site_in(mode: Mode) -> Running {
    Site::new().page("/", Page::titled("Home")).robots("").mode(mode).start().await
}

async fn statuses(site: &Running, count: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..count {
        statuses.push(fetch(site, "/").await.status());
    }
    statuses
}

#[tokio::test]
async fn storm_of_429_ends_after_its_requests_and_spares_robots() {
    let site = site_in(Mode::TooManyRequests { until: Until::Requests(2), retry_after_s: 7 }).await;
    assert_eq!(fetch(&site, "/robots.txt").await.status(), 200);
    assert_eq!(fetch(&site, "/").await.header("retry-after").as_deref(), Some("7"));
    assert_eq!(statuses(&site, 3).await, [429, 200, 200]);
}

#[tokio::test]
async fn storm_on_one_host_spares_the_others() {
    let storm = Mode::Failing { status: 500, until: Until::Requests(u64::MAX) };
    let site = Site::new()
        .page("/", Page::titled("Calm"))
        .host("stormy.test", Site::new().page("/", Page::titled("Stormy")).mode(storm))
        .start()
        .await;
    assert_eq!(fetch_on(&site, "stormy.test", "/").await.status(), 500);
    assert_eq!(fetch(&site, "/").await.status(), 200);
}

#[tokio::test]
async fn storm_of_503_lasts_for_its_duration() {
    let brief = Duration::from_millis(50);
    let site = site_in(Mode::Failing { status: 503, until: Until::Elapsed(brief) }).await;
    assert_eq!(statuses(&site, 1).await, [503]);
    while statuses(&site, 1).await == [503] {}
    let log = site.log();
    // The last request may have arrived before the end of the storm and been handled after it.
    let calm = log[log.len() - 1].answered.expect("it has a response");
    assert!(calm - log[0].at >= brief);
}

#[tokio::test]
async fn equal_seeds_reset_the_same_requests() {
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        let site = site_in(Mode::RandomResets { percent: 30.0, seed }).await;
        let mut resets = Vec::new();
        for request in 0..100 {
            if fetch(&site, "/").await.end == End::Reset {
                resets.push(request);
            }
        }
        assert!((15..45).contains(&resets.len()), "{}", resets.len());
        runs.push(resets);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test]
async fn a_site_can_hang_after_some_requests() {
    let site = site_in(Mode::HangAfter(2)).await;
    assert_eq!(statuses(&site, 2).await, [200, 200]);
    let waiting = ask(&site, "127.0.0.1", "/").await;
    site.wait_for(|seen| seen.requests() == 3).await;
    assert!(site.log()[2].answered.is_none());
    drop(waiting);
}

#[tokio::test]
async fn silent_site_accepts_and_never_responds() {
    let site = site_in(Mode::SilentAfterAccept).await;
    let mut waiting = ask(&site, "127.0.0.1", "/robots.txt").await;
    let answer = tokio::time::timeout(Duration::from_millis(50), crate::client::read(&mut waiting, 1)).await;
    assert!(answer.is_err(), "nothing came");
    assert_eq!(site.seen().requests(), 0);
}
