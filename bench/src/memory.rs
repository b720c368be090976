//! Whether memory grows with a crawl: a small and a large one, each in its own process.

use serde_json::Value;

use crate::child::{Site, figure, measure_alone};

/// The allowed growth factor of the larger crawl, besides the bytes per known URL.
const FACTOR: f64 = 1.3;
const BYTES_PER_URL: f64 = 40.0;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Pages of the small crawl
    #[arg(long, default_value_t = 10_000)]
    small: u64,
    /// Pages of the large crawl
    #[arg(long, default_value_t = 100_000)]
    large: u64,
}

/// Prints both peaks, and whether the larger one is within the limit.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let small = peak(arguments.small)?;
    let large = peak(arguments.large)?;
    let (small_peak, large_peak) = (figure(&small, "peak_rss_bytes")?, figure(&large, "peak_rss_bytes")?);
    let urls_known = figure(&large, "urls_known")?;
    let bound = FACTOR * small_peak + BYTES_PER_URL * urls_known;

    println!("| pages | URLs known | peak RSS, MB | store queue, MB |");
    println!("|--:|--:|--:|--:|");
    print_row(&small)?;
    print_row(&large)?;
    println!();
    println!(
        "Goal: at most {FACTOR} × the small peak + {BYTES_PER_URL} bytes for each URL known = {:.1} MB: {}; it is {FACTOR} × \
         and {:.0} bytes.",
        bound / 1e6,
        if large_peak <= bound { "met" } else { "MISSED" },
        (large_peak - FACTOR * small_peak).max(0.0) / urls_known
    );
    Ok(())
}

fn peak(pages: u64) -> anyhow::Result<Value> {
    let site = Site::serve(pages, &["--page-bytes", "5000"])?;
    measure_alone(&["crawl", &site.url, "--parallelism", "16"])
}

fn print_row(measurement: &Value) -> anyhow::Result<()> {
    let megabytes = |name| figure(measurement, name).map(|bytes| bytes / 1e6);
    println!(
        "| {} | {} | {:.1} | {:.1} |",
        measurement["pages"],
        measurement["urls_known"],
        megabytes("peak_rss_bytes")?,
        megabytes("queue_peak_bytes")?
    );
    Ok(())
}
