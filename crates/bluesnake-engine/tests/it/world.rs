//! A little world for each test: a plan for a local site, a crawl of it, and what came out.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bluesnake_engine::plan::{CheckExternal, Mechanisms};
use bluesnake_engine::{
    AuditInput, AuditPlan, Committed, Crawler, Disposition, EndReason, Finished, MemoryStore, Paces, Task, UrlRow,
    WeaveInput,
};
use testsite::{Running, Site};

/// Settings for a server on loopback that need not be spared: no rate, private addresses allowed, links only.
pub(crate) fn local() -> AuditInput {
    let mut input = AuditInput::default();
    input.politeness.rate = Some(0.0);
    input.politeness.parallelism = Some(8);
    input.fetch.allow_private = Some(true);
    input.fetch.retry_delays_ms = Some(vec![1]);
    input.discover.mechanisms = Some(Mechanisms::Spider);
    input.resources.check_external = Some(CheckExternal::None);
    input
}

/// Settings for a web of several hosts, all served by one port.
pub(crate) fn local_hosts(port: u16) -> AuditInput {
    let mut input = local();
    input.fetch.resolve = Some(vec![format!("*.test:127.0.0.1:{port}")]);
    input
}

/// The same for a weave.
pub(crate) fn weave_hosts(port: u16) -> WeaveInput {
    let AuditInput { limits, politeness, fetch, .. } = local_hosts(port);
    WeaveInput { limits, politeness: politeness.into(), fetch, ..WeaveInput::default() }
}

/// What came out of a crawl, or of several sessions of it.
pub(crate) struct Crawled {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) finished: Finished,
}

/// A crawler of these seeds with its own pacing.
pub(crate) fn crawler(seeds: &[String], input: AuditInput, store: &Arc<MemoryStore>) -> Crawler {
    let plan = AuditPlan::new(seeds, input).expect("the plan of a test is valid");
    Crawler::new(plan).store(store.clone()).paces(Paces::default())
}

/// Crawls one seed to the end.
pub(crate) async fn crawl(seed: &str, input: AuditInput) -> Crawled {
    crawl_on(seed, input, Arc::new(MemoryStore::default())).await
}

/// Crawls several seeds to the end.
pub(crate) async fn crawl_seeds(seeds: &[String], input: AuditInput) -> Crawled {
    let store = Arc::new(MemoryStore::default());
    let running = crawler(seeds, input, &store).start().expect("a crawl starts");
    Crawled::of(store, end_of(running).await)
}

/// Crawls one seed, resuming from the store.
pub(crate) async fn crawl_on(seed: &str, input: AuditInput, store: Arc<MemoryStore>) -> Crawled {
    let running = crawler(&[seed.to_owned()], input, &store).start().expect("a crawl starts");
    Crawled::of(store, end_of(running).await)
}

/// Waits for the end of a crawl: it always comes, and long before this.
pub(crate) async fn end_of(running: bluesnake_engine::Running) -> Finished {
    let progress = running.progress();
    let end = tokio::time::timeout(Duration::from_secs(300), running.wait()).await;
    let finished = end.unwrap_or_else(|_| panic!("the crawl does not end: {:?}", progress.borrow()));
    finished.expect("a crawl on loopback does not break off")
}

/// Starts a site and crawls it from its root.
pub(crate) async fn crawl_site(site: Site, input: AuditInput) -> (Running, Crawled) {
    let site = site.start().await;
    let crawled = crawl(&site.url("/"), input).await;
    (site, crawled)
}

/// Starts a site of several hosts and crawls it from the root of one of them.
pub(crate) async fn crawl_host(
    site: Site,
    host: &str,
    settings: impl FnOnce(&Running, &mut AuditInput),
) -> (Running, Crawled) {
    let site = site.start().await;
    let mut input = local_hosts(site.port());
    settings(&site, &mut input);
    let crawled = crawl(&site.url_on(host, "/"), input).await;
    (site, crawled)
}

/// Crawls to the end in sessions with this budget.
pub(crate) async fn in_sessions_of(url: &str, budget: u64, mut input: AuditInput) -> Crawled {
    input.limits.session_budget = Some(budget);
    let store = Arc::new(MemoryStore::default());
    loop {
        let crawled = crawl_on(url, input.clone(), store.clone()).await;
        if crawled.finished.reason == EndReason::Exhausted {
            return crawled;
        }
        assert_eq!(crawled.finished.reason, EndReason::BudgetSpent);
        assert_eq!(crawled.finished.progress.visits.min(budget), budget, "a session uses its whole budget");
    }
}

/// Every URL that a site declares, with its status, in the form of [`Crawled::statuses`].
pub(crate) fn truth(site: &Running) -> BTreeMap<String, u16> {
    site.expected().into_iter().map(|(url, truth)| (url, truth.status)).collect()
}

/// The first lines that differ, for the message of a failing test.
pub(crate) fn difference(one: &str, other: &str) -> String {
    let pairs = one.lines().zip(other.lines()).filter(|(a, b)| a != b).take(3);
    let lines: Vec<String> = pairs.map(|(a, b)| format!("- {a}\n+ {b}")).collect();
    format!("{} and {} lines\n{}", one.lines().count(), other.lines().count(), lines.join("\n"))
}

/// A folder for one test, removed when this value is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("it-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A file in it, with this content.
    pub(crate) fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the folder for temporary files can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Leftovers are in the build folder.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

impl Crawled {
    /// Takes the results, and checks that the receipt adds up and agrees with the store, as for every crawl.
    pub(crate) fn of(store: Arc<MemoryStore>, finished: Finished) -> Self {
        let urls = store.urls();
        assert!(finished.receipt.adds_up(), "{}", finished.receipt);
        assert_eq!(finished.receipt.seen(), urls.len() as u64, "every URL seen is stored");
        for disposition in Disposition::ALL {
            let stored = urls.iter().filter(|row| row.reason.disposition() == disposition).count() as u64;
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
        rows.iter().filter(|row| row.reason.disposition() == disposition).map(|row| row.url.to_string()).collect()
    }

    /// Disposition and reason of a URL.
    pub(crate) fn fate(&self, url: &str) -> (Disposition, &'static str) {
        let reason = self.row(url).reason;
        (reason.disposition(), reason.as_str())
    }

    /// How many URLs a rule refused.
    pub(crate) fn refused_by(&self, rule: &str) -> u64 {
        let refused = self.finished.receipt.reasons(Disposition::Refused);
        refused.iter().filter(|(reason, _)| reason.as_str() == rule).map(|(_, count)| count).sum()
    }

    pub(crate) fn row(&self, url: &str) -> UrlRow {
        self.find(url).unwrap_or_else(|| panic!("{url} was never seen; {:#?}", self.all_urls()))
    }

    pub(crate) fn find(&self, url: &str) -> Option<UrlRow> {
        self.store.urls().into_iter().find(|row| row.url.as_str() == url)
    }

    pub(crate) fn visit(&self, url: &str) -> Arc<Committed> {
        self.store.visit(url).unwrap_or_else(|| panic!("{url} was not visited; {}", self.finished.receipt))
    }

    /// Every requested URL, except robots.txt and sitemaps, with its status; 0 if there was no response.
    pub(crate) fn statuses(&self) -> BTreeMap<String, u16> {
        let visits = self.store.visits();
        let requested = visits.iter().filter(|visit| !matches!(visit.row.task, Task::Sitemap | Task::Robots));
        let requested = requested.filter(|visit| visit.reason.disposition() != Disposition::Refused);
        requested.map(|visit| (visit.url().to_string(), visit.status().unwrap_or(0))).collect()
    }

    /// The links of a URL in document order: kind and target.
    pub(crate) fn edges(&self, url: &str) -> Vec<(&'static str, String)> {
        let urls = self.all_urls();
        let links = self.store.links_from(self.row(url).number);
        links.into_iter().map(|(link, to)| (link.kind.as_str(), urls[to.0 as usize - 1].clone())).collect()
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
                row.reason.disposition().as_str(),
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
