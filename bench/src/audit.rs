//! Seals a large run and measures every query of its results, through the app as front doors use it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use bluesnake_app::{App, AppOptions, FacetsQuery, HistogramQuery, RowsQuery, RowsWindow, Span};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::process::{cpu_seconds, peak_rss_bytes, rounded};

/// The run of `fill-audit`: the first of its file.
const RUN: i64 = 1;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Database file, from `fill-audit`
    #[arg(long)]
    db: PathBuf,
    /// Repetitions of each query
    #[arg(long, default_value_t = 200)]
    times: usize,
}

/// Makes and stores the audit of the run, and prints a table of response times and a line of figures.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let app = App::open(AppOptions::new(&arguments.db)).await?;
    let (started, before) = (Instant::now(), cpu_seconds()?);
    let issues = app.audit(RUN, None).await?;
    let (seal_s, seal_cpu_s, seal_rss) = (started.elapsed().as_secs_f64(), cpu_seconds()? - before, peak_rss_bytes()?);
    let findings: u64 = issues.checks.iter().map(|check| check.findings).sum();
    println!("| query | first, ms | p50, ms | p99, ms | items |");
    println!("|---|--:|--:|--:|--:|");
    let mut bench = Bench { app: &app, times: arguments.times, urls: issues.version, worst: 0.0, worst_first: 0.0 };
    bench.ask_all(&issues).await?;
    println!(
        "\n{}",
        json!({
            "urls": issues.version,
            "findings": findings,
            "seal_s": rounded(seal_s),
            "seal_cpu_s": rounded(seal_cpu_s),
            "peak_rss_bytes": seal_rss,
            "worst_p99_ms": rounded(bench.worst),
            "worst_first_ms": rounded(bench.worst_first),
            "bytes": std::fs::metadata(&arguments.db)?.len(),
        })
    );
    Ok(())
}

struct Bench<'a> {
    app: &'a App,
    times: usize,
    urls: u64,
    worst: f64,
    worst_first: f64,
}

impl Bench<'_> {
    async fn ask_all(&mut self, issues: &bluesnake_app::view::IssuesView) -> anyhow::Result<()> {
        let app = self.app;
        let most = issues.checks.iter().max_by_key(|check| check.urls).context("there are checks")?;
        self.ask_rows(most.id).await?;
        for (name, filter) in [
            ("facets, all", json!({})),
            ("facets of 4xx", json!({ "status": "4xx" })),
            ("facets of a folder", json!({ "prefix": "https://www.example.test/section-7/" })),
        ] {
            let query: FacetsQuery = query(filter)?;
            self.measure(name, async |_| Ok(app.facets(RUN, query.clone()).await?.facets.len())).await?;
        }
        for of in ["responseTime", "size", "depth", "words", "inlinks"] {
            let query: HistogramQuery = query(json!({ "of": of, "internal": true }))?;
            let name = format!("histogram of {of}");
            self.measure(&name, async |_| Ok(app.histogram(RUN, query.clone()).await?.buckets.len())).await?;
        }
        for prefix in ["", "https://www.example.test/", "https://www.example.test/section-7/"] {
            let name = if prefix.is_empty() { "tree: hosts".to_owned() } else { format!("tree: {}", &prefix[24..]) };
            self.measure(&name, async |_| Ok(app.tree(RUN, prefix.to_owned()).await?.folders.len())).await?;
        }
        self.measure("issues", async |_| Ok(app.issues(RUN).await?.checks.len())).await?;
        let window = |offset| -> anyhow::Result<Span> { query(json!({ "offset": offset, "limit": 200 })) };
        let name = format!("findings of {} ({})", most.id, most.findings);
        self.measure(&name, async |random| {
            Ok(app.issue_rows(RUN, most.id, window(random % most.findings.max(1))?).await?.items.len())
        })
        .await?;
        let urls = self.urls;
        let anyone = |random: u64| (random % urls) as u32 / 10 * 10 + 1;
        self.measure("one URL", async |random| Ok(app.url(RUN, anyone(random)).await?.issues.len())).await?;
        self.measure("inlinks of the start page", async |random| {
            Ok(app.inlinks(RUN, 1, window(random % (urls / 2))?).await?.items.len())
        })
        .await?;
        self.measure("inlinks of a page", async |random| {
            Ok(app.inlinks(RUN, anyone(random), window(0)?).await?.items.len())
        })
        .await?;
        self.measure("outlinks of a page", async |random| {
            Ok(app.outlinks(RUN, anyone(random), window(0)?).await?.items.len())
        })
        .await
    }

    /// Windows anywhere in lists.
    async fn ask_rows(&mut self, check: &str) -> anyhow::Result<()> {
        let app = self.app;
        for (name, filter) in [
            ("rows by number", json!({})),
            ("rows by URL", json!({ "sort": "url" })),
            ("rows by title, descending", json!({ "sort": "title", "order": "desc" })),
            ("rows by status", json!({ "sort": "status" })),
            ("rows by depth", json!({ "sort": "depth" })),
            ("rows by response time", json!({ "sort": "responseTime", "order": "desc" })),
            ("rows by size", json!({ "sort": "size" })),
            ("rows by words", json!({ "sort": "wordCount" })),
            ("rows by inlinks", json!({ "sort": "inlinks", "order": "desc" })),
            ("rows by link score", json!({ "sort": "linkScore", "order": "desc" })),
            ("rows by media type", json!({ "sort": "contentType" })),
            ("rows of 404 by title", json!({ "status": "404", "sort": "title" })),
            ("rows of a folder by URL", json!({ "prefix": "https://www.example.test/section-7/", "sort": "url" })),
            ("rows of a range of words", json!({ "minWords": 100, "maxWords": 400, "type": "html", "sort": "size" })),
            ("rows of a check by score", json!({ "issue": check, "sort": "linkScore" })),
            ("rows with a text by title", json!({ "search": "name-77", "sort": "title" })),
        ] {
            let base = filter.as_object().cloned().unwrap_or_default();
            let ask = async |offset: u64| -> anyhow::Result<RowsWindow> {
                let mut parts = base.clone();
                parts.extend([("offset".to_owned(), json!(offset)), ("limit".to_owned(), json!(200))]);
                let query: RowsQuery = query(Value::Object(parts))?;
                Ok(app.rows(RUN, query).await?)
            };
            let first = Instant::now();
            let total = ask(0).await?.total;
            let first = first.elapsed();
            let took = repeat(self.times, async |random| Ok(ask(random % total.max(1)).await?.items.len())).await?;
            self.report(&format!("{name} ({total})"), first, took, base.contains_key("search"));
        }
        Ok(())
    }

    async fn measure(&mut self, name: &str, ask: impl AsyncFn(u64) -> anyhow::Result<usize>) -> anyhow::Result<()> {
        let first = Instant::now();
        ask(0).await?;
        let first = first.elapsed();
        let took = repeat(self.times, ask).await?;
        self.report(name, first, took, false);
        Ok(())
    }

    /// Prints a line. The first search of a text reads all of them, which is no goal.
    fn report(&mut self, name: &str, first: Duration, (mut took, items): (Vec<Duration>, usize), is_search: bool) {
        took.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let at = |share: f64| ms(took[((took.len() - 1) as f64 * share).round() as usize]);
        println!("| {name} | {:.1} | {:.1} | {:.1} | {items} |", ms(first), at(0.5), at(0.99));
        self.worst = self.worst.max(at(0.99));
        if !is_search {
            self.worst_first = self.worst_first.max(ms(first));
        }
    }
}

/// Asks again and again, each time with another number.
async fn repeat(
    times: usize,
    ask: impl AsyncFn(u64) -> anyhow::Result<usize>,
) -> anyhow::Result<(Vec<Duration>, usize)> {
    let (mut took, mut items, mut random) = (Vec::with_capacity(times), 0, 1_u64);
    for _ in 0..times.max(1) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let started = Instant::now();
        items = ask(random >> 33).await?;
        took.push(started.elapsed());
    }
    Ok((took, items))
}

fn query<T: DeserializeOwned>(parts: Value) -> anyhow::Result<T> {
    serde_json::from_value(parts).context("a query is well formed")
}
