//! The lower bound for fetching: the engine's fetcher on known URLs, and nothing else.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use anyhow::{Context, ensure};
use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::fetch::{Accept, Fetcher, Request, Take};
use serde_json::json;
use tokio::task::JoinSet;

use crate::process::{cpu_seconds, peak_rss_bytes, rounded};
use crate::{plan, truth};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File of URLs to request: a URL and its status on each line
    list: PathBuf,
    /// Base URL of the paths in the list
    #[arg(long)]
    base: String,
    /// Concurrent requests
    #[arg(long, default_value_t = 16)]
    parallelism: usize,
    /// `HOST:ADDRESS[:PORT]` to connect to instead; may be repeated
    #[arg(long)]
    resolve: Vec<String>,
}

/// Fetches everything once and prints the cost, not counting the CPU time of reading the list.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let plan = plan::without_politeness(&arguments.base, arguments.parallelism, &arguments.resolve)?;
    let urls = truth::read(&arguments.list, &plan.seeds[0])?.into_iter().map(|(url, _)| url).collect();
    let fetcher = Fetcher::new(&plan.fetch, [plan.seeds[0].origin().to_owned()])?;
    let errand = Arc::new(Errand { urls, ..Errand::default() });

    let (started, cpu_before) = (Instant::now(), cpu_seconds()?);
    let mut workers = JoinSet::new();
    for _ in 0..arguments.parallelism {
        workers.spawn(work(fetcher.clone(), Arc::clone(&errand), plan.fetch.body_limit));
    }
    while let Some(worker) = workers.join_next().await {
        worker.context("a worker panicked")?;
    }
    let (wall_s, cpu_s) = (started.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before);

    let (pages, failed) = (errand.pages.load(Relaxed), errand.failed.load(Relaxed));
    ensure!(failed == 0, "{failed} requests failed");
    println!(
        "{}",
        json!({
            "pages": pages,
            "visits": errand.urls.len(),
            "body_bytes": errand.body_bytes.load(Relaxed),
            "wall_s": rounded(wall_s),
            "cpu_s": rounded(cpu_s),
            "cpu_ms_per_page": rounded(cpu_s * 1000.0 / pages as f64),
            "pages_per_s": rounded(pages as f64 / wall_s),
            "peak_rss_bytes": peak_rss_bytes()?,
        })
    );
    Ok(())
}

#[derive(Default)]
struct Errand {
    urls: Vec<CanonicalUrl>,
    next: AtomicUsize,
    pages: AtomicU64,
    body_bytes: AtomicU64,
    failed: AtomicU64,
}

async fn work(fetcher: Fetcher, errand: Arc<Errand>, body_limit: usize) {
    while let Some(url) = errand.urls.get(errand.next.fetch_add(1, Relaxed)) {
        let request = Request { url, accept: Accept::Page, attempt: 1, take: Take::Body(body_limit), known: None };
        match fetcher.fetch(&request).await.result {
            Ok(response) => {
                let content_type = response.headers.get("content-type").map_or(&b""[..], |value| value.as_bytes());
                let is_page = response.status == 200 && content_type.starts_with(b"text/html");
                errand.pages.fetch_add(u64::from(is_page), Relaxed);
                errand.body_bytes.fetch_add(response.body.bytes.len() as u64, Relaxed);
            }
            Err(_) => {
                errand.failed.fetch_add(1, Relaxed);
            }
        }
    }
}
