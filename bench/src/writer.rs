//! The store's writer alone: batches of a real crawl, recorded once and stored repeatedly.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::ensure;
use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl};
use bluesnake_engine::{Batch, Crawler, MemoryStore, Number, Store, StoreError, Turn, UrlRow, Visit};
use bluesnake_store::state::RunKind;
use bluesnake_store::{Claim, Database, RunStore};
use serde_json::json;

use crate::plan;
use crate::process::{cpu_seconds, rounded};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Site whose pages are stored
    url: String,
    /// Database file; must not exist
    #[arg(long)]
    db: PathBuf,
    /// URLs to record
    #[arg(long, default_value_t = 30_000)]
    urls: u64,
    /// Maximum links per page; on the site of `bench/run` 86 make sixty on average
    #[arg(long, default_value_t = 86)]
    links: usize,
    /// How often to store them, each time as a new run
    #[arg(long, default_value_t = 1)]
    times: u64,
}

/// Records a crawl, stores it several times, and prints the speed and the size on disk.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    ensure!(!arguments.db.exists(), "{} already exists", arguments.db.display());
    let mut plan = plan::without_politeness(&arguments.url, 16, &[])?;
    plan.scope.max_urls = arguments.urls;
    plan.limits.links_per_page = arguments.links;
    let database = Database::open(&arguments.db)?;
    let (_claim, packer) = begin(&database, "recorded.test", &arguments.url).await?;
    let recorder = Arc::new(Recorder { packer, memory: MemoryStore::default(), batches: Mutex::default() });
    Crawler::new(plan).store(recorder.clone()).start()?.wait().await?;
    let batches = recorder.take();
    let (pages, links) = count(&batches);

    let (mut wall_s, cpu_before) = (0.0, cpu_seconds()?);
    for time in 0..arguments.times {
        let (_claim, store) = begin(&database, &format!("site-{time}.test"), &arguments.url).await?;
        let copies: Vec<Batch> = batches.iter().map(copy).collect();
        let started = Instant::now();
        for batch in copies {
            store.commit(batch).await?;
        }
        wall_s += started.elapsed().as_secs_f64();
    }
    let cpu_s = cpu_seconds()? - cpu_before;
    drop(database);
    let stored = (pages * arguments.times) as f64;
    let bytes = std::fs::metadata(&arguments.db)?.len() as f64;
    println!(
        "{}",
        json!({
            "pages": stored,
            "links_per_page": rounded(links as f64 / pages as f64),
            "wall_s": rounded(wall_s),
            "pages_per_s": rounded(stored / wall_s),
            "cpu_ms_per_page": rounded(cpu_s * 1000.0 / stored),
            "bytes_per_page": (bytes / stored).round(),
        })
    );
    Ok(())
}

async fn begin(database: &Database, host: &str, url: &str) -> anyhow::Result<(Claim, RunStore)> {
    let project = database.catalog().get_or_create_project(host, url).await?;
    let claim = database.catalog().claim(project.id).await?;
    let started = database.catalog().start_run(&claim, RunKind::Crawl, "[]".to_owned(), "{}".to_owned(), false).await?;
    Ok((claim, started.store))
}

fn count(batches: &[Batch]) -> (u64, usize) {
    let pages = || batches.iter().flat_map(|batch| &batch.visits).filter(|visit| visit.is_read);
    (pages().count() as u64, pages().map(|visit| visit.links.len()).sum())
}

fn copy(batch: &Batch) -> Batch {
    Batch {
        urls: batch.urls.clone(),
        visits: batch.visits.clone(),
        settled: batch.settled.clone(),
        deferred: batch.deferred.clone(),
        late_links: batch.late_links.clone(),
    }
}

/// Keeps every batch as packed by workers, and otherwise behaves like the in-memory store.
#[derive(Debug)]
struct Recorder {
    packer: RunStore,
    memory: MemoryStore,
    batches: Mutex<Vec<Batch>>,
}

impl Recorder {
    fn take(&self) -> Vec<Batch> {
        std::mem::take(&mut self.batches.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store for Recorder {
    fn pack(&self, visit: &Visit) -> Option<Box<[u8]>> {
        self.packer.pack(visit)
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).push(copy(&batch));
        self.memory.commit(batch)
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        self.memory.load(after, limit)
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        self.memory.pending(after, limit)
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        self.memory.deferred(after, limit)
    }
}
