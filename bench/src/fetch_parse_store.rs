//! The lower bound for the product: the engine's fetcher, the engine's parser and a plain database, in a loop over known URLs.
//!
//! No ledger, no ordering, no politeness and no discovery. The difference to the product is the cost of crawling.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, ensure};
use bluesnake_engine::fetch::{Accept, Fetcher, Request, Response, Take};
use bluesnake_engine::parse::{charset, html};
use bluesnake_engine::{AuditPlan, CanonicalUrl};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::bare_store::{BareStore, ResponseFacts};
use crate::process::{cpu_seconds, peak_rss_bytes, rounded};
use crate::{plan, truth};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File of URLs to request: a URL and its status on each line
    list: PathBuf,
    /// Base URL of the paths in the list
    #[arg(long)]
    base: String,
    /// Database file to create
    #[arg(long)]
    db: PathBuf,
    /// Concurrent requests
    #[arg(long, default_value_t = 16)]
    parallelism: usize,
    /// Certificate to trust, as PEM
    #[arg(long)]
    ca_file: Option<PathBuf>,
}

/// Fetches, parses and stores everything once and prints the cost, not counting the CPU time of reading the list.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut plan = plan::without_politeness(&arguments.base, arguments.parallelism, &[])?;
    plan.fetch.ca_file = arguments.ca_file.clone().unwrap_or_default();
    let urls = truth::read(&arguments.list, &plan.seeds[0])?.into_iter().map(|(url, _)| url).collect();
    let fetcher = Fetcher::new(&plan.fetch, [plan.seeds[0].origin().to_owned()])?;
    let errand =
        Arc::new(Errand { plan, fetcher, urls, next: 0.into(), pages: 0.into(), links: 0.into(), failed: 0.into() });

    let (started, cpu_before) = (Instant::now(), cpu_seconds()?);
    let store = BareStore::open(&arguments.db)?;
    let mut workers = JoinSet::new();
    for _ in 0..arguments.parallelism {
        workers.spawn(work(Arc::clone(&errand), store.pages.clone()));
    }
    while let Some(worker) = workers.join_next().await {
        worker.context("a worker panicked")?;
    }
    store.close()?;
    let (wall_s, cpu_s) = (started.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before);

    let (pages, failed) = (errand.pages.load(Relaxed), errand.failed.load(Relaxed));
    ensure!(failed == 0, "{failed} requests failed");
    let disk_bytes = fs::metadata(&arguments.db)?.len();
    println!(
        "{}",
        json!({
            "pages": pages,
            "visits": errand.urls.len(),
            "links": errand.links.load(Relaxed),
            "wall_s": rounded(wall_s),
            "cpu_s": rounded(cpu_s),
            "cpu_ms_per_page": rounded(cpu_s * 1000.0 / pages as f64),
            "pages_per_s": rounded(pages as f64 / wall_s),
            "peak_rss_bytes": peak_rss_bytes()?,
            "disk_bytes": disk_bytes,
        })
    );
    Ok(())
}

struct Errand {
    plan: AuditPlan,
    fetcher: Fetcher,
    urls: Vec<CanonicalUrl>,
    next: AtomicUsize,
    pages: AtomicU64,
    links: AtomicU64,
    failed: AtomicU64,
}

async fn work(errand: Arc<Errand>, store: mpsc::Sender<ResponseFacts>) {
    while let Some(url) = errand.urls.get(errand.next.fetch_add(1, Relaxed)) {
        let take = Take::Body(errand.plan.fetch.body_limit);
        let request = Request { url, accept: Accept::Page, attempt: 1, take, known: None };
        let Ok(response) = errand.fetcher.fetch(&request).await.result else {
            errand.failed.fetch_add(1, Relaxed);
            continue;
        };
        let responded = errand.read(url, &response);
        errand.pages.fetch_add(u64::from(responded.facts.is_some()), Relaxed);
        errand.links.fetch_add(responded.links.len() as u64, Relaxed);
        if store.send(responded).await.is_err() {
            // The writer has ended with an error, which it returns when it is closed.
            return;
        }
    }
}

impl Errand {
    fn read(&self, url: &CanonicalUrl, response: &Response) -> ResponseFacts {
        let content_type =
            response.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (mut facts, mut links) = (None, Vec::new());
        if response.status == 200 && content_type.starts_with("text/html") {
            let decoded = charset::decode(&response.body.bytes, Some(content_type), self.plan.fetch.detect_charset);
            let reading = html::read(html::Document {
                url,
                html: &decoded.text,
                encoding: decoded.encoding,
                settings: &self.plan.parse,
                links_limit: self.plan.limits.links_per_page,
                hooks: &[],
                columns: &[],
            });
            (facts, links) = (Some(Box::new(reading.page)), reading.links);
        }
        let (status, body_bytes) = (response.status, response.body.bytes.len());
        ResponseFacts { url: url.clone(), status, content_type: content_type.to_owned(), body_bytes, facts, links }
    }
}
