//! A little world for each test: a plan for a local site, a crawl of it, and what came out.

use std::fmt::Write;
use std::sync::Arc;

use bluesnake_engine::plan::{CheckExternal, Mechanisms};
use bluesnake_engine::{CrawlPlan, Crawler, Disposition, Finished, MemoryStore, Paces, PlanInput, UrlRow, Visit};

/// Settings for a server on loopback that need not be spared: no rate, private addresses allowed, links only.
pub(crate) fn local() -> PlanInput {
    let mut input = PlanInput::default();
    input.politeness.rate = Some(0.0);
    input.politeness.parallelism = Some(8);
    input.fetch.allow_private = Some(true);
    input.fetch.retry_delays_ms = Some(vec![1]);
    input.discover.mechanisms = Some(Mechanisms::Spider);
    input.scope.check_external = Some(CheckExternal::None);
    input
}

/// Settings for a web of several hosts, all served by one port.
pub(crate) fn local_hosts(port: u16) -> PlanInput {
    let mut input = local();
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{port}")]);
    input
}

/// What came out of a crawl, or of several sessions of it.
pub(crate) struct Crawled {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) finished: Finished,
}

/// A crawler of these seeds that shares its pace with nobody.
pub(crate) fn crawler(seeds: &[String], input: PlanInput, store: &Arc<MemoryStore>) -> Crawler {
    let plan = CrawlPlan::new(seeds, input).expect("the plan of a test is valid");
    Crawler::new(plan).store(store.clone()).paces(Paces::default())
}

/// Crawls one seed to the end.
pub(crate) async fn crawl(seed: &str, input: PlanInput) -> Crawled {
    crawl_on(seed, input, Arc::new(MemoryStore::default())).await
}

/// Crawls one seed, going on with what the store holds.
pub(crate) async fn crawl_on(seed: &str, input: PlanInput, store: Arc<MemoryStore>) -> Crawled {
    let running = crawler(&[seed.to_owned()], input, &store).start().expect("a crawl starts");
    let finished = running.wait().await.expect("a crawl on loopback does not break off");
    Crawled::of(store, finished)
}

impl Crawled {
    /// Takes the results, and checks what holds for every crawl: the receipt adds up and agrees with the store.
    pub(crate) fn of(store: Arc<MemoryStore>, finished: Finished) -> Self {
        let urls = store.urls();
        assert!(finished.receipt.adds_up(), "{}", finished.receipt);
        assert_eq!(finished.receipt.seen(), urls.len() as u64, "every URL seen is stored");
        for disposition in Disposition::ALL {
            let stored = urls.iter().filter(|row| row.disposition == disposition).count() as u64;
            assert_eq!(finished.receipt.count(disposition), stored, "{}: {}", disposition.as_str(), finished.receipt);
        }
        assert_eq!(finished.progress.dropped, 0);
        let keys: std::collections::HashSet<_> = urls.iter().map(|row| row.url.key()).collect();
        assert_eq!(keys.len(), urls.len(), "no URL is stored twice");
        Self { store, finished }
    }

    /// The URLs in a disposition, in the order of numbers.
    pub(crate) fn urls_in(&self, disposition: Disposition) -> Vec<String> {
        let rows = self.store.urls();
        rows.iter().filter(|row| row.disposition == disposition).map(|row| row.url.to_string()).collect()
    }

    /// Disposition and reason of a URL.
    pub(crate) fn fate(&self, url: &str) -> (Disposition, &'static str) {
        let row = self.row(url);
        (row.disposition, row.reason)
    }

    pub(crate) fn row(&self, url: &str) -> UrlRow {
        self.find(url).unwrap_or_else(|| panic!("{url} was never seen; {:#?}", self.all_urls()))
    }

    pub(crate) fn find(&self, url: &str) -> Option<UrlRow> {
        self.store.urls().into_iter().find(|row| row.url.as_str() == url)
    }

    pub(crate) fn visit(&self, url: &str) -> Arc<Visit> {
        self.store.visit(url).unwrap_or_else(|| panic!("{url} was not visited; {}", self.finished.receipt))
    }

    pub(crate) fn all_urls(&self) -> Vec<String> {
        self.store.urls().iter().map(|row| row.url.to_string()).collect()
    }

    /// Everything that must not depend on timing, as text.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        for row in self.store.urls() {
            let _ = writeln!(
                text,
                "{} {} from {:?} by {} {} depth {:?} hops {} redirects {} base {} {} {} turn {:?} {} {}",
                row.number,
                row.url,
                row.parent,
                row.source.as_str(),
                row.kind.as_str(),
                row.depth.shown(),
                row.hops,
                row.redirects,
                row.base,
                row.action.as_str(),
                row.task.as_str(),
                row.turn,
                row.disposition.as_str(),
                row.reason,
            );
        }
        for visit in self.store.visits() {
            let _ = writeln!(
                text,
                "visit {} {:?} {} {:?} identical {:?} duplicate {:?} unique {} {}",
                visit.number(),
                visit.status(),
                visit.content_type(),
                visit.title(),
                visit.identical_to,
                visit.duplicate_of,
                visit.is_unique_page,
                visit.indexability.as_str(),
            );
            for (link, target) in self.store.links_from(visit.number()) {
                let _ = writeln!(text, "  {} {} {} {}", link.kind.as_str(), target, link.text, link.dom_path);
            }
        }
        text
    }
}
