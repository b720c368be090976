//! One measured crawl.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::ensure;
use bluesnake_engine::{Crawler, EndReason, MemoryStore};
use serde_json::json;

use crate::process::{cpu_seconds, peak_rss_bytes, rounded};
use crate::store::NullStore;
use crate::{plan, truth};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Start URL
    url: String,
    /// Concurrent requests
    #[arg(long, default_value_t = 16)]
    parallelism: usize,
    /// Commit visits as they arrive
    #[arg(long)]
    unordered: bool,
    /// Keep all results in memory, as a crawl that leaks would
    #[arg(long, conflicts_with = "expect")]
    in_memory: bool,
    /// `HOST:ADDRESS[:PORT]` to connect to instead; may be repeated
    #[arg(long)]
    resolve: Vec<String>,
    /// Truth file to compare with: a URL and its status on each line
    #[arg(long)]
    expect: Option<PathBuf>,
}

/// Crawls, then prints the cost and the differences from the truth.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let plan = plan::without_politeness(&arguments.url, arguments.parallelism, &arguments.resolve)?;
    let seed = plan.seeds[0].clone();
    let store = Arc::new(NullStore::new(arguments.expect.is_some()));
    let crawler = Crawler::new(plan);
    let crawler = match arguments.in_memory {
        true => crawler.store(Arc::new(MemoryStore::default())),
        false => crawler.store(store.clone()),
    };
    let crawler = if arguments.unordered { crawler.without_order() } else { crawler };

    let started = Instant::now();
    let finished = crawler.start()?.wait().await?;
    let wall_s = started.elapsed().as_secs_f64();
    let (cpu_s, peak_rss_bytes) = (cpu_seconds()?, peak_rss_bytes()?);

    ensure!(finished.reason == EndReason::Exhausted, "the crawl ended early: {:?}", finished.reason);
    let pages = finished.progress.pages as f64;
    let mut line = json!({
        "pages": finished.progress.pages,
        "visits": finished.progress.visits,
        "failed": finished.progress.failed,
        "urls_known": finished.receipt.seen(),
        "wall_s": rounded(wall_s),
        "cpu_s": rounded(cpu_s),
        "cpu_ms_per_page": rounded(cpu_s * 1000.0 / pages),
        "pages_per_s": rounded(pages / wall_s),
        "peak_rss_bytes": peak_rss_bytes,
        "queue_peak_bytes": store.queue_peak_bytes(),
    });
    if let Some(path) = &arguments.expect {
        let difference = truth::compare(&truth::read(path, &seed)?, &store.responses());
        line["missing"] = difference.missing.into();
        line["invented"] = difference.invented.into();
        line["wrong_status"] = difference.wrong_status.into();
    }
    println!("{line}");
    Ok(())
}
