//! Same site, same plan, same crawl: at any parallelism, for any split into sessions, after any stop.

use std::sync::Arc;
use std::time::Duration;

use bluesnake_engine::plan::Mechanisms;
use bluesnake_engine::{AuditInput, EndReason, MemoryStore};
use testsite::{Latency, Web};

use crate::world::{Crawled, crawl, crawl_on, crawler, difference, in_sessions_of, local};

/// Random webs to try; set `BLUESNAKE_SEEDS` for a longer run.
fn seeds() -> std::ops::Range<u64> {
    let count = std::env::var("BLUESNAKE_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    0..count
}

async fn start(seed: u64) -> testsite::Running {
    let web = Web::random(seed).pages(30 + (seed * 7) % 60).links_per_page(2..=12).redirects(8).missing(5);
    let latency = Latency::uniform(Duration::ZERO, Duration::from_millis(3));
    web.query_variants(5).resources(20).site().latency(latency, seed).start().await
}

fn at(parallelism: usize) -> AuditInput {
    let mut input = local();
    input.politeness.parallelism = Some(parallelism);
    input.discover.mechanisms = Some(Mechanisms::Both);
    input
}

#[tokio::test(flavor = "multi_thread")]
async fn parallelism_changes_nothing() {
    for seed in seeds() {
        let site = start(seed).await;
        let one = crawl(&site.url("/"), at(1)).await.report();
        for parallelism in [2, 8, 64] {
            let many = crawl(&site.url("/"), at(parallelism)).await.report();
            assert!(one == many, "seed {seed}, parallelism {parallelism}:\n{}", difference(&one, &many));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_split_into_sessions_equals_one_session() {
    for seed in seeds() {
        let site = start(seed).await;
        let budget = 12 + seed % 9;
        let mut straight = at(1);
        straight.limits.session_budget = Some(budget);
        let one = crawl(&site.url("/"), straight).await;
        for (parallelism, parts) in [(8, 2), (64, 3), (2, budget)] {
            let store = Arc::new(MemoryStore::default());
            let mut crawled = None;
            for part in 0..parts {
                let mut input = at(parallelism);
                input.limits.session_budget = Some(budget / parts + u64::from(part < budget % parts));
                crawled = Some(crawl_on(&site.url("/"), input, store.clone()).await);
            }
            let many = crawled.expect("there is a session").report();
            assert!(one.report() == many, "seed {seed}, {parts} parts:\n{}", difference(&one.report(), &many));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sessions_equal_an_uninterrupted_crawl() {
    for seed in seeds().step_by(5) {
        let site = start(seed).await;
        let straight = crawl(&site.url("/"), at(1)).await.report();
        let pieces = in_sessions_of(&site.url("/"), 7, at(16)).await;
        assert!(straight == pieces.report(), "seed {seed}:\n{}", difference(&straight, &pieces.report()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_stopped_at_any_moment_and_resumed_equals_an_uninterrupted_one() {
    for seed in seeds().step_by(5) {
        let site = start(seed).await;
        let straight = crawl(&site.url("/"), at(4)).await.report();
        let store = Arc::new(MemoryStore::default());
        let resumed = loop {
            let running = crawler(&[site.url("/")], at(8), &store).start().unwrap();
            let stop_after = 1 + (seed * 13 + running.progress().borrow().visits) % 17;
            let mut progress = running.progress();
            let stopper = running.stopper();
            let stopping = async {
                if progress.wait_for(|progress| progress.visits >= stop_after).await.is_ok() {
                    stopper.stop();
                }
                std::future::pending::<()>().await;
            };
            let finished = tokio::select! {
                finished = running.wait() => finished.unwrap(),
                () = stopping => unreachable!(),
            };
            if finished.reason == EndReason::Exhausted {
                break Crawled::of(store, finished);
            }
        };
        assert!(straight == resumed.report(), "seed {seed}:\n{}", difference(&straight, &resumed.report()));
    }
}
