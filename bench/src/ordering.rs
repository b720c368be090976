//! The cost of committing in order when some responses take twenty times as long as others.

use anyhow::ensure;
use serde_json::Value;

use crate::child::{Site, figure, measure_alone};

const PARALLELISM: &str = "64";
const ROUNDS: usize = 3;
const LATENCY: [&str; 4] = ["--latency-median-ms", "50", "--latency-p99-ms", "1000"];

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File to write the site's truth to
    #[arg(long)]
    truth: String,
    /// Number of pages
    #[arg(long, default_value_t = 10_000)]
    pages: u64,
}

/// Prints the speed of all three, medians of three rounds, and their ratios.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let truth = &arguments.truth;
    let site = Site::serve(arguments.pages, &[&LATENCY[..], &["--truth", truth]].concat())?;
    let crawl = ["crawl", &site.url, "--parallelism", PARALLELISM, "--expect", truth];
    let fetch_only = ["fetch-only", truth, "--base", &site.url, "--parallelism", PARALLELISM];

    let (mut ordered, mut unordered, mut fetched) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ordered.push(pages_per_s(&measure_alone(&crawl)?)?);
        unordered.push(pages_per_s(&measure_alone(&[&crawl[..], &["--unordered"]].concat())?)?);
        fetched.push(pages_per_s(&measure_alone(&fetch_only)?)?);
    }
    let (ordered, unordered, fetched) = (median(ordered), median(unordered), median(fetched));

    println!("| | pages/s | ordered crawl relative to it | goal |");
    println!("|---|--:|--:|---|");
    println!("| crawl, ordered | {ordered:.0} | | |");
    println!(
        "| crawl, unordered | {unordered:.0} | {:.1} % | {} |",
        100.0 * ordered / unordered,
        goal(ordered / unordered, 0.95)
    );
    println!(
        "| fetching alone | {fetched:.0} | {:.1} % | {} |",
        100.0 * ordered / fetched,
        goal(ordered / fetched, 0.90)
    );
    Ok(())
}

/// The speed of a crawl counts only if its results match the truth.
fn pages_per_s(measurement: &Value) -> anyhow::Result<f64> {
    for kind in ["missing", "invented", "wrong_status"] {
        let count = measurement[kind].as_u64().unwrap_or(0);
        ensure!(count == 0, "the crawl differs from the truth: {kind} {count}");
    }
    figure(measurement, "pages_per_s")
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn goal(ratio: f64, least: f64) -> String {
    format!("≥ {:.0} %: {}", least * 100.0, if ratio >= least { "met" } else { "MISSED" })
}
