//! The floor of the product: the engine's fetcher, the engine's reader and a plain database, in a loop over known addresses.
//!
//! No ledger, no order, no politeness, and nothing is discovered. What the product costs beyond this is the price of being a
//! crawler.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, ensure};
use bluesnake_engine::fetch::{Accept, Answer, Ask, Fetcher, Take};
use bluesnake_engine::parse::{charset, html};
use bluesnake_engine::{AuditPlan, CanonicalUrl};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::bare_store::{Answered, BareStore};
use crate::process::{cpu_seconds, peak_rss_bytes, rounded};
use crate::{plan, truth};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A file with the addresses to ask for: an address and its status on each line
    list: PathBuf,
    /// What paths in the list are relative to
    #[arg(long)]
    base: String,
    /// Where to make the database
    #[arg(long)]
    db: PathBuf,
    /// Requests under way at once
    #[arg(long, default_value_t = 16)]
    parallelism: usize,
    /// A certificate to trust, as PEM
    #[arg(long)]
    ca_file: Option<PathBuf>,
}

/// Fetches, reads and stores everything once and prints what it cost. The CPU time of reading the list does not count.
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

async fn work(errand: Arc<Errand>, store: mpsc::Sender<Answered>) {
    while let Some(url) = errand.urls.get(errand.next.fetch_add(1, Relaxed)) {
        let take = Take::Body(errand.plan.fetch.body_limit);
        let ask = Ask { url, accept: Accept::Page, attempt: 1, take, referer: None, known: None };
        let Ok(answer) = errand.fetcher.fetch(&ask).await.result else {
            errand.failed.fetch_add(1, Relaxed);
            continue;
        };
        let answered = errand.read(url, &answer);
        errand.pages.fetch_add(u64::from(answered.facts.is_some()), Relaxed);
        errand.links.fetch_add(answered.links.len() as u64, Relaxed);
        if store.send(answered).await.is_err() {
            // The writer has ended with an error, which it tells when it is closed.
            return;
        }
    }
}

impl Errand {
    fn read(&self, url: &CanonicalUrl, answer: &Answer) -> Answered {
        let content_type = answer.headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (mut facts, mut links) = (None, Vec::new());
        if answer.status == 200 && content_type.starts_with("text/html") {
            let decoded = charset::decode(&answer.body.bytes, Some(content_type), self.plan.fetch.detect_charset);
            let reading = html::read(html::Document {
                url,
                html: &decoded.text,
                encoding: decoded.encoding,
                settings: &self.plan.parse,
                links_limit: self.plan.limits.links_per_page,
                hooks: &[],
            });
            (facts, links) = (Some(Box::new(reading.page)), reading.links);
        }
        let (status, body_bytes) = (answer.status, answer.body.bytes.len());
        Answered { url: url.clone(), status, content_type: content_type.to_owned(), body_bytes, facts, links }
    }
}
