//! Lists a page at a time out of a large database, while somebody writes to it.
//!
//! The rows are made by SQL, so that a million of them take seconds; their sizes are those of a real site.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use bluesnake_engine::admit::Depth;
use bluesnake_engine::{
    Action, Batch, CanonicalUrl, Disposition, LinkKind, Number, Reason, Source, Store, Task, Turn, UrlRow,
};
use bluesnake_store::state::RunKind;
use bluesnake_store::{
    Database, LinkFilter, LinksQuery, Order, PageType, StatusFilter, UrlFilter, UrlPosition, UrlSort, UrlsOf, UrlsQuery,
};
use rusqlite::Connection;
use serde_json::json;
use tokio::task::JoinSet;

use crate::process::rounded;

/// The run that has the rows, and its crawl; the first of a new file.
const RUN: i64 = 1;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The database file; it must not be there yet
    #[arg(long)]
    db: PathBuf,
    /// URLs of the run
    #[arg(long, default_value_t = 1_000_000)]
    urls: u64,
    /// Crawls of a second project
    #[arg(long, default_value_t = 10_000)]
    crawls: u64,
    /// How often each question is asked
    #[arg(long, default_value_t = 200)]
    times: usize,
    /// Whether nobody writes meanwhile
    #[arg(long)]
    quiet: bool,
}

/// Fills a database, asks every question many times, and prints a table of how long that took.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    ensure!(!arguments.db.exists(), "{} is there already", arguments.db.display());
    let database = Database::open(&arguments.db)?;
    let started = Instant::now();
    fill(&arguments.db, arguments.urls, arguments.crawls).context("the database cannot be filled")?;
    let megabytes = std::fs::metadata(&arguments.db)?.len() / 1_000_000;
    eprintln!("filled {megabytes} MB in {:.1} s", started.elapsed().as_secs_f64());

    let (is_over, written) = (Arc::new(AtomicBool::new(arguments.quiet)), Arc::new(AtomicU64::new(0)));
    let mut writer = JoinSet::new();
    writer.spawn(write(database.clone(), Arc::clone(&is_over), Arc::clone(&written)));
    let before = Instant::now();
    println!("| question | p50 ms | p99 ms | most ms | rows |");
    println!("|---|--:|--:|--:|--:|");
    ask_all(&database, arguments).await?;
    is_over.store(true, Ordering::Relaxed);
    writer.join_next().await.context("there is a writer")???;
    let rows_per_s = written.load(Ordering::Relaxed) as f64 / before.elapsed().as_secs_f64();
    println!("\n{}", json!({ "urls": arguments.urls, "rows_written_per_s": rounded(rows_per_s) }));
    Ok(())
}

async fn ask_all(database: &Database, arguments: &Arguments) -> anyhow::Result<()> {
    let times = arguments.times;
    let all = UrlFilter::default;
    let page = |filter: UrlFilter, sort: UrlSort, after: Option<u64>| {
        let after = after.map(|number| {
            serde_json::from_value::<UrlPosition>(json!([number, number])).expect("a place in the order of numbers")
        });
        UrlsQuery { of: UrlsOf::Run(RUN), filter, sort, order: Order::Ascending, after, limit: 100 }
    };
    let deep = Some(arguments.urls * 9 / 10);
    let search = |text: &str| UrlFilter { search: Some(text.to_owned()), ..all() };
    let by_number = UrlSort::Number;
    let pages = [
        ("first page", page(all(), by_number, None), times),
        ("deep page", page(all(), by_number, deep), times),
        ("page of images", page(UrlFilter { page_type: PageType::Images, ..all() }, by_number, None), times),
        (
            "page of pending",
            page(UrlFilter { disposition: Some(Disposition::Pending), ..all() }, by_number, deep),
            times,
        ),
        ("page of a crawl", UrlsQuery { of: UrlsOf::Crawl(RUN), ..page(all(), by_number, None) }, times),
        (
            "status 404, one in a hundred",
            page(UrlFilter { status: Some(StatusFilter::Exact(404)), ..all() }, by_number, None),
            times,
        ),
        ("search, one in ten", page(search("Title 7"), by_number, None), times),
        ("search, nowhere: 50,000 rows", page(search("nowhere"), by_number, None), times / 10),
        ("by url: the whole run", page(all(), UrlSort::Url, None), times / 40),
        ("by title: the whole run", page(all(), UrlSort::Title, None), times / 40),
        ("by response time: the whole run", page(all(), UrlSort::ResponseTime, None), times / 40),
    ];
    for (name, query, times) in pages {
        measure(name, times, async || Ok(database.urls_page(query.clone()).await?.rows.len())).await?;
    }
    let links = |filter| LinksQuery { run: RUN, filter, after: None, limit: 100 };
    let query = links(LinkFilter::default());
    measure("links", times, async || Ok(database.links_page(query.clone()).await?.rows.len())).await?;
    let query = links(LinkFilter { target: Some(77), ..LinkFilter::default() });
    measure("links to a page", times, async || Ok(database.links_page(query.clone()).await?.rows.len())).await?;
    measure("projects", times, async || Ok(database.projects_before(None, 101).await?.len())).await?;
    measure("runs", times, async || Ok(database.runs_before(Some(2), None, None, 101).await?.len())).await?;
    measure("crawls", times, async || Ok(database.crawls_before(Some(2), None, 101).await?.len())).await?;
    let deep = Some(arguments.crawls as i64 / 10);
    measure("crawls, deep", times, async || Ok(database.crawls_before(Some(2), deep, 101).await?.len())).await?;
    measure("active stats", times, async || Ok(database.type_counts(RUN, Some(0)).await?.0.seen as usize)).await?;
    measure("active stats, the queue counted", times, async || {
        Ok(database.type_counts(RUN, None).await?.0.seen as usize)
    })
    .await?;
    let last = CanonicalUrl::parse(&address(arguments.urls))?;
    measure("number of a URL: the whole run", times / 10, async || {
        Ok(database.number_of(RUN, &last).await?.map_or(0, |number| number.0 as usize))
    })
    .await
}

async fn measure(name: &str, times: usize, request: impl AsyncFn() -> anyhow::Result<usize>) -> anyhow::Result<()> {
    let mut took: Vec<Duration> = Vec::with_capacity(times);
    let mut rows = 0;
    for _ in 0..times.max(1) {
        let started = Instant::now();
        rows = request().await?;
        took.push(started.elapsed());
    }
    took.sort();
    let at = |share: f64| took[((took.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1000.0;
    println!("| {name} | {:.1} | {:.1} | {:.1} | {rows} |", at(0.5), at(0.99), at(1.0));
    Ok(())
}

fn address(number: u64) -> String {
    format!("https://www.example.test/section-{}/some-page-with-a-name-{number}", number % 97)
}

/// Adds URLs to a run of a third project, as fast as the writer takes them.
async fn write(database: Database, is_over: Arc<AtomicBool>, written: Arc<AtomicU64>) -> anyhow::Result<()> {
    let project = database.get_or_create_project("writer.test", "https://writer.test/").await?;
    let claim = database.claim(project.id).await?;
    let store = database.start_run(&claim, RunKind::Crawl, "[]".to_owned(), "{}".to_owned(), false).await?.store;
    let mut next = 1;
    while !is_over.load(Ordering::Relaxed) {
        let urls = (next..next + 200).map(pending).collect();
        store.commit(Batch { urls, ..Batch::default() }).await?;
        next += 200;
        written.store(u64::from(next), Ordering::Relaxed);
    }
    Ok(())
}

fn pending(number: u32) -> UrlRow {
    UrlRow {
        number: Number(number),
        url: CanonicalUrl::parse(&address(number.into())).expect("an address"),
        parent: None,
        source: Source::Spider,
        kind: LinkKind::Anchor,
        depth: Depth { steps: 1, from_seed: true },
        hops: 0,
        redirects: 0,
        base: 0,
        is_internal: true,
        action: Action::Crawl,
        task: Task::Page,
        turn: Some(Turn(number)),
        reason: Reason::Queued,
    }
}

/// A project whose run has so many URLs, six of ten visited; and one with so many crawls.
fn fill(path: &Path, urls: u64, crawls: u64) -> anyhow::Result<()> {
    let mut connection = Connection::open(path)?;
    let all = connection.transaction()?;
    all.execute_batch(
        "INSERT INTO projects (id, host, url, created_at) VALUES
             (1, 'www.example.test', 'https://www.example.test/', 1), (2, 'many.test', 'https://many.test/', 2);
         INSERT INTO runs (id, project, state, reason, seeds, plan, is_incremental, created_at, updated_at)
         VALUES (1, 1, 'paused', 'user', '[]', '{}', 0, 1, 1);
         INSERT INTO crawls (id, run, state, started_at) VALUES (1, 1, 'stopped', 1);
         INSERT INTO places (run, id, kind, rel, position, path_type, dom_path)
         SELECT 1, 1, id, 0, 'content', 'relative', 'html/body/a' FROM link_kinds LIMIT 1;
         INSERT INTO anchors (run, id, place, text) VALUES (1, 1, 1, 'words of a link');",
    )?;
    let numbers = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)";
    let insert = format!(
        "{numbers} INSERT INTO urls (run, number, url, hash, parent, source, kind, steps, is_from_seed, depth, hops,
             redirects, base, is_internal, action, task, turn, disposition, reason, crawl)
         SELECT 1, n, 'https://www.example.test/section-' || (n % 97) || '/some-page-with-a-name-' || n, random(),
             iif(n > 1, 1 + n / 60, NULL), 'spider', 'anchor', 1 + n % 6, 1, 1 + n % 6, 0, 0, 0, 1, 'crawl', 'page', n,
             iif(n * 10 <= ?1 * 6, 'fetched', 'pending'), iif(n * 10 <= ?1 * 6, 'page', 'queued'), 1 FROM n"
    );
    all.execute(&insert, [urls])?;
    let insert = format!(
        "{numbers} INSERT INTO visits (run, number, crawl, visited_at, was_fetched, status, content_type, wire_bytes,
             body_bytes, is_from_cache, attempts, total_us, links, links_cut, title, description, h1, canonical, lang,
             indexable, is_nofollow, word_count, content_hash, is_unique_page, facts)
         SELECT 1, n, 1, n, 1, iif(n % 100 = 0, 404, 200),
             CASE n % 10 WHEN 0 THEN 'image/png' WHEN 1 THEN 'text/css' ELSE 'text/html' END, 9000, 30000 + n % 977, 0, 1,
             n * 7919 % 100003, 60, 0, 'Title ' || (n % 10) || ' of the page with the number ' || n,
             'A description of about the length that descriptions have, for the page with the number ' || n,
             'Heading ' || n, 'https://www.example.test/section-' || (n % 97) || '/some-page-with-a-name-' || n, 'en',
             'Yes', 0, n % 1500, printf('%016x%016x', n, n * 7919), 1,
             '{{\"text_bytes\":' || n || ',\"facts\":\"' || hex(zeroblob(250)) || '\"}}' FROM n"
    );
    all.execute(&insert, [urls * 6 / 10])?;
    fill_links(&all, urls)?;
    let insert = format!(
        "{numbers} INSERT INTO runs (id, project, state, seeds, plan, is_incremental, created_at, updated_at, left_pending)
         SELECT 1 + n, 2, 'completed', '[]', '{{\"plan\":\"' || hex(zeroblob(1000)) || '\"}}', 0, n, n, 0 FROM n"
    );
    all.execute(&insert, [crawls])?;
    let insert = format!(
        "{numbers} INSERT INTO crawls (id, run, state, started_at, visits, pages, fetched)
         SELECT 1 + n, 1 + n, 'completed', n, 100, 90, 100 FROM n"
    );
    all.execute(&insert, [crawls])?;
    all.commit()?;
    Ok(())
}

/// Sixty links on each of twenty thousand pages.
fn fill_links(all: &rusqlite::Transaction<'_>, urls: u64) -> anyhow::Result<()> {
    let mut insert = all.prepare("INSERT INTO link_lists (run, source, list) VALUES (1, ?1, ?2)")?;
    for source in 1..=(urls / 50) {
        let mut list = vec![6];
        for link in 0..60 {
            let target = (source * 31 + link * 7) % urls + 1;
            list.extend_from_slice(&target.to_be_bytes()[5..]);
            list.extend_from_slice(&[0, 0, 1]);
        }
        insert.execute(rusqlite::params![source, list])?;
    }
    Ok(())
}
