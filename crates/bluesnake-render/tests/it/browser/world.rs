//! A little world for each test: a crawl of a local site with a browser, and what came out.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bluesnake_engine::plan::{CheckExternal, Mechanisms, RenderWhen};
use bluesnake_engine::{AuditInput, AuditPlan, Committed, CrawlPlan, Crawler, MemoryStore, Paces};
use bluesnake_render::Chromium;

/// The browser of `tools/browser`, or the one that is installed.
pub(crate) fn browser() -> PathBuf {
    let in_target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser/chromium-headless-shell");
    if in_target.is_file() { in_target } else { PathBuf::new() }
}

/// Settings for a server on loopback that need not be spared, with rendering.
pub(crate) fn local() -> AuditInput {
    let mut input = AuditInput::default();
    input.politeness.rate = Some(0.0);
    input.politeness.parallelism = Some(8);
    input.fetch.allow_private = Some(true);
    input.discover.mechanisms = Some(Mechanisms::Spider);
    input.resources.check_external = Some(CheckExternal::None);
    input.render.when = Some(RenderWhen::On);
    input.render.browser = Some(browser());
    // A busy machine is slow; no test waits this long for something that happens.
    input.render.timeout_ms = Some(120_000);
    input
}

/// What a crawl found.
pub(crate) struct Crawled {
    pub(crate) store: Arc<MemoryStore>,
}

/// Crawls a seed to the end.
pub(crate) async fn crawl(seed: &str, input: AuditInput) -> Crawled {
    let plan = AuditPlan::new([seed], input).expect("the plan of a test is valid");
    let browser = Chromium::new(&CrawlPlan::from(plan.clone())).await.expect("a browser; run tools/browser");
    let (browser, store) = (Arc::new(browser), Arc::new(MemoryStore::default()));
    let crawler = Crawler::new(plan).store(store.clone()).paces(Paces::default()).renderer(browser.clone());
    let finished = crawler.start().unwrap().wait().await.unwrap();
    assert!(finished.is_complete(), "{:?}", finished.reason);
    browser.close().await;
    Crawled { store }
}

impl Crawled {
    /// The visit of a path.
    pub(crate) fn visit(&self, path: &str) -> Arc<Committed> {
        let visits = self.store.visits();
        visits.into_iter().find(|visit| visit.url().path_and_query() == path).unwrap_or_else(|| panic!("no {path}"))
    }

    /// Everything that a crawl found and that must not depend on time, as text.
    pub(crate) fn story(&self) -> String {
        let mut visits = self.store.visits();
        visits.sort_by_key(|visit| visit.number());
        let mut story = String::new();
        for visit in visits {
            let _ = writeln!(story, "{} {} {:?}", visit.number().0, visit.url().path_and_query(), visit.reason);
            for (link, target) in visit.links.to_vec().iter().zip(&visit.targets) {
                let (kind, origin) = (link.kind.as_str(), link.origin.as_str());
                let _ = writeln!(story, "  {} {kind} {origin} {}", target.0, link.target.path_and_query());
            }
            let render = visit.page.as_ref().and_then(|page| page.render.as_ref());
            let _ = writeln!(story, "  {render:?}");
            let html = visit.rendered.as_ref().map(|html| String::from_utf8_lossy(html).into_owned());
            let _ = writeln!(story, "  {html:?}");
        }
        // The port differs from test to test.
        story
    }
}
