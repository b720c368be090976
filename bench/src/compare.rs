//! Compares two large runs, through the app as front doors use it.

use std::path::PathBuf;
use std::time::Instant;

use bluesnake_app::compare::{Class, CompareQuery};
use bluesnake_app::{App, AppOptions};
use serde_json::json;

use crate::process::{cpu_seconds, peak_rss_bytes, rounded};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Database file, from `fill-audit` and `fill-audit --again`
    #[arg(long)]
    db: PathBuf,
    /// Only audit this run and store the result: comparing needs both audits
    #[arg(long, value_name = "RUN")]
    seal: Option<i64>,
}

/// Prints a line of figures: making the comparison, and a window of it afterwards.
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let app = App::open(AppOptions::new(&arguments.db)).await?;
    if let Some(run) = arguments.seal {
        app.audit(run, None).await?;
        return Ok(());
    }
    let (started, before) = (Instant::now(), cpu_seconds()?);
    let compared = app.compare(1, 2).await?;
    let (compare_s, cpu_s) = (started.elapsed().as_secs_f64(), cpu_seconds()? - before);
    let started = Instant::now();
    let window = app.compare_rows(1, 2, CompareQuery::default()).await?;
    println!(
        "{}",
        json!({
            "urls": compared.b.urls,
            "changed": compared.count(Class::Changed),
            "listed": window.total,
            "new_issues": compared.new_issues(),
            "compare_s": rounded(compare_s),
            "compare_cpu_s": rounded(cpu_s),
            "rows_ms": rounded(started.elapsed().as_secs_f64() * 1e3),
            "peak_rss_bytes": peak_rss_bytes()?,
        })
    );
    Ok(())
}
