//! A store that fails, is lost or is slow: the crawl ends loudly, loses nothing, and never outruns its store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl};
use bluesnake_engine::{
    AuditInput, Batch, CrawlError, Crawler, Disposition, EndReason, Finished, MemoryStore, Number, Running, Store,
    StoreError, Turn, UrlRow,
};
use bluesnake_engine::{AuditPlan, Paces, plan::Mechanisms};
use testsite::{Latency, Page, Reply, Web};
use tokio::sync::Semaphore;

use crate::world::{Crawled, crawl, crawl_on, local};

/// What a store does instead of working.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    None,
    /// The n-th operation of this kind fails, and every later one too.
    Commit(u64),
    Load(u64),
    Pending(u64),
    Deferred(u64),
    /// The n-th commit panics.
    Panic(u64),
}

/// A store in memory that gets into trouble. A batch that fails is not applied.
struct Faulty {
    inner: Arc<MemoryStore>,
    trouble: Trouble,
    commits: AtomicU64,
    others: AtomicU64,
}

impl Faulty {
    fn new(inner: Arc<MemoryStore>, trouble: Trouble) -> Arc<Self> {
        Arc::new(Self { inner, trouble, commits: AtomicU64::new(0), others: AtomicU64::new(0) })
    }

    fn commits(&self) -> u64 {
        self.commits.load(Ordering::SeqCst)
    }

    fn fails(&self, at: Option<u64>) -> bool {
        at.is_some_and(|at| self.others.fetch_add(1, Ordering::SeqCst) + 1 >= at)
    }
}

fn broken<T: Send + 'static>() -> BoxFuture<'static, Result<T, StoreError>> {
    Box::pin(std::future::ready(Err(StoreError::new("the disk is full"))))
}

impl Store for Faulty {
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        let number = self.commits.fetch_add(1, Ordering::SeqCst) + 1;
        match self.trouble {
            Trouble::Commit(at) if number >= at => broken(),
            Trouble::Panic(at) if number >= at => panic!("a bug of the store"),
            _ => self.inner.commit(batch),
        }
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        let at = if let Trouble::Load(at) = self.trouble { Some(at) } else { None };
        if self.fails(at) { broken() } else { self.inner.load(after, limit) }
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        let at = if let Trouble::Pending(at) = self.trouble { Some(at) } else { None };
        if self.fails(at) { broken() } else { self.inner.pending(after, limit) }
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        let at = if let Trouble::Deferred(at) = self.trouble { Some(at) } else { None };
        if self.fails(at) { broken() } else { self.inner.deferred(after, limit) }
    }
}

fn start(url: &str, input: AuditInput, store: Arc<dyn Store>) -> Running {
    let plan = AuditPlan::new([url], input).expect("the plan of a test is valid");
    Crawler::new(plan).store(store).paces(Paces::default()).start().expect("a crawl starts")
}

async fn crawl_with(url: &str, input: AuditInput, store: Arc<dyn Store>) -> Result<Finished, CrawlError> {
    start(url, input, store).wait().await
}

/// A site with everything that is committed in its own way: pages, resources, redirects of both, sitemaps, copies.
async fn site(seed: u64) -> testsite::Running {
    let web =
        Web::random(seed).pages(30).links_per_page(2..=6).redirects(10).missing(5).query_variants(5).resources(30);
    let latency = Latency::uniform(Duration::ZERO, Duration::from_millis(4));
    let mut site = web.site().latency(latency, seed).robots("User-agent: *\nSitemap: {origin}/listed.xml\n");
    site = site.sitemap("/listed.xml", ["/listed/1", "/listed/2"]);
    for number in 1..=2 {
        let page = Page::titled("Listed").image("/listed/moved.png").link("/");
        site = site.page(&format!("/listed/{number}"), page);
    }
    site.redirect("/listed/moved.png", 302, "/listed/here.png")
        .reply("/listed/here.png", Reply::bytes("image/png", *b"\x89PNG\r\n\x1a\n"))
        .start()
        .await
}

/// Settings with a batch for every few visits, so that there are many commits to fail.
fn settings() -> AuditInput {
    let mut input = local();
    input.discover.mechanisms = Some(Mechanisms::Both);
    input.memory.backlog_urls = Some(100);
    input
}

/// As [`settings`], in sessions so small that each is a batch or two.
fn in_small_sessions() -> AuditInput {
    let mut input = settings();
    input.limits.session_budget = Some(4);
    input
}

/// Continues in sessions until nothing is left.
async fn finish(url: &str, input: &AuditInput, store: Arc<MemoryStore>) -> Crawled {
    loop {
        let crawled = crawl_on(url, input.clone(), store.clone()).await;
        if crawled.finished.reason == EndReason::Exhausted {
            return crawled;
        }
    }
}

/// Fault matrix: the store fails at the n-th commit of a crawl, for every n there is.
#[tokio::test(flavor = "multi_thread")]
async fn a_failed_commit_ends_the_crawl_and_resuming_gives_the_same_crawl() {
    let site = site(11).await;
    let url = site.url("/");
    let straight = crawl(&url, settings()).await.report();
    let mut failures = 0;
    for at in 1.. {
        let memory = Arc::new(MemoryStore::default());
        let store = Faulty::new(memory.clone(), Trouble::Commit(at));
        // Small sessions on one store: the n-th commit falls into each of them in turn.
        let outcome = loop {
            match crawl_with(&url, in_small_sessions(), store.clone()).await {
                Ok(finished) if finished.reason == EndReason::Exhausted => break Ok(finished),
                Ok(finished) => assert_eq!(finished.reason, EndReason::BudgetSpent),
                Err(error) => break Err(error),
            }
        };
        match outcome {
            Err(CrawlError::Store(error)) => assert_eq!(error.to_string(), "the disk is full"),
            Err(other) => panic!("commit {at}: {other:?}"),
            Ok(_) => {
                assert!(store.commits() < at, "a failed commit is an error");
                break;
            }
        }
        failures += 1;
        let resumed = finish(&url, &settings(), memory).await.report();
        assert!(straight == resumed, "commit {at}:\n{}", difference(&straight, &resumed));
    }
    assert!(failures >= 8, "{failures} commits were made to fail");
}

/// Fault matrix: reading fails as loudly as writing.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_cannot_be_read_ends_the_crawl() {
    let site = site(12).await;
    let url = site.url("/");
    let straight = crawl(&url, settings()).await.report();
    for trouble in [Trouble::Load(1), Trouble::Pending(1), Trouble::Deferred(1)] {
        let memory = Arc::new(MemoryStore::default());
        let begun = crawl_on(&url, in_small_sessions(), memory.clone()).await;
        assert_eq!(begun.finished.reason, EndReason::BudgetSpent);
        let outcome = crawl_with(&url, settings(), Faulty::new(memory.clone(), trouble)).await;
        assert!(matches!(outcome, Err(CrawlError::Store(_))), "{trouble:?}: {outcome:?}");
        let resumed = finish(&url, &settings(), memory).await.report();
        assert!(straight == resumed, "{trouble:?}:\n{}", difference(&straight, &resumed));
    }
}

/// A bug of a store is an error of the store; the crawl neither hangs nor panics with it.
#[tokio::test(flavor = "multi_thread")]
async fn a_panicking_store_ends_the_crawl_with_a_store_error() {
    let site = site(13).await;
    let url = site.url("/");
    let straight = crawl(&url, settings()).await.report();
    let memory = Arc::new(MemoryStore::default());
    let outcome = crawl_with(&url, settings(), Faulty::new(memory.clone(), Trouble::Panic(2))).await;
    assert!(matches!(outcome, Err(CrawlError::Store(_))), "{outcome:?}");
    let resumed = finish(&url, &settings(), memory).await.report();
    assert!(straight == resumed, "{}", difference(&straight, &resumed));
}

/// Dropped at any moment, as by a crash, and resumed: the same crawl.
#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_dropped_anywhere_and_resumed_equals_an_uninterrupted_one() {
    for seed in 0..4 {
        let site = site(seed).await;
        let url = site.url("/");
        let straight = crawl(&url, settings()).await.report();
        let whole = site.seen().requests();
        for after in (1..whole).step_by(7) {
            let memory = Arc::new(MemoryStore::default());
            let seen_before = site.seen().requests();
            let running = start(&url, settings(), Faulty::new(memory.clone(), Trouble::None));
            site.wait_for(|seen| seen.requests() >= seen_before + after).await;
            drop(running);
            let resumed = finish(&url, &settings(), memory).await.report();
            assert!(straight == resumed, "seed {seed}, {after} requests:\n{}", difference(&straight, &resumed));
        }
    }
}

/// A crash in every session of many.
#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_dropped_repeatedly_still_finishes() {
    let site = site(21).await;
    let url = site.url("/");
    let straight = crawl(&url, settings()).await.report();
    let memory = Arc::new(MemoryStore::default());
    for round in 1..8 {
        let running = start(&url, settings(), memory.clone());
        let mut progress = running.progress();
        // A session that commits less than the previous one must still make progress.
        let _ = progress.wait_for(|progress| progress.visits >= round * 3).await;
        drop(running);
    }
    let resumed = finish(&url, &settings(), memory).await.report();
    assert!(straight == resumed, "{}", difference(&straight, &resumed));
}

/// A store whose commits wait for permission. It records the order of commits.
struct Slow {
    inner: MemoryStore,
    permits: Semaphore,
    waiting: AtomicU64,
}

impl Store for Slow {
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let before = self.waiting.fetch_add(1, Ordering::SeqCst);
            assert_eq!(before, 0, "batches are sequential");
            self.permits.acquire().await.expect("the semaphore is never closed").forget();
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            self.inner.commit(batch).await
        })
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        self.inner.load(after, limit)
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        self.inner.pending(after, limit)
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        self.inner.deferred(after, limit)
    }
}

/// A crawl does not run ahead of a store that does not keep up; dispatch waits, and nothing is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_store_is_waited_for() {
    const PAGES: usize = 4_000;
    let site = Web::random(5).pages(PAGES as u64).links_per_page(8..=12).start().await;
    let store =
        Arc::new(Slow { inner: MemoryStore::default(), permits: Semaphore::new(0), waiting: AtomicU64::new(0) });
    let running = start(&site.url("/"), local(), store.clone());
    let mut progress = running.progress();
    // Without a single commit the crawl comes to rest by itself: it makes no more requests.
    let at_rest = rest(&site).await;
    assert!(at_rest < PAGES * 3 / 4, "{at_rest} of {PAGES} pages were requested while nothing could be stored");
    assert_eq!(store.inner.visits().len(), 0);
    let seen_at_rest = progress.borrow_and_update().visits as usize;
    assert!(seen_at_rest < PAGES * 3 / 4, "{seen_at_rest} visits are held in memory");
    store.permits.add_permits(1_000_000);
    let finished = running.wait().await.unwrap();
    assert_eq!(finished.reason, EndReason::Exhausted);
    assert_eq!(finished.receipt.count(Disposition::Fetched), store.inner.visits().len() as u64);
    let turns: Vec<Option<Turn>> = store.inner.urls().iter().map(|row| row.turn).collect();
    assert!(turns.is_sorted(), "numbers and turns grow together on a site of plain links");
    let straight = crawl(&site.url("/"), local()).await;
    assert_eq!(straight.store.urls().len(), store.inner.urls().len());
}

/// How many requests had come when for half a second none came any more.
async fn rest(site: &testsite::Running) -> usize {
    loop {
        let before = site.seen().requests();
        let more = site.wait_for(|seen| seen.requests() > before);
        if tokio::time::timeout(Duration::from_millis(500), more).await.is_err() && before > 0 {
            return before;
        }
    }
}

/// The first lines that differ, for the message of a failing test.
fn difference(one: &str, other: &str) -> String {
    let pairs = one.lines().zip(other.lines()).filter(|(a, b)| a != b).take(3);
    let lines: Vec<String> = pairs.map(|(a, b)| format!("- {a}\n+ {b}")).collect();
    format!("{} and {} lines\n{}", one.lines().count(), other.lines().count(), lines.join("\n"))
}
