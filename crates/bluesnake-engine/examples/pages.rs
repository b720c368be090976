//! Prints the pages of a site: `cargo run --example pages -- https://example.com`

use bluesnake_engine::{AuditInput, AuditPlan, CrawlError, Crawler};

#[tokio::main]
async fn main() -> Result<(), CrawlError> {
    let mut input = AuditInput::default();
    input.fetch.allow_private = Some(true); // the address is yours to choose, so it may be on your own machine
    let plan = AuditPlan::new(std::env::args().skip(1), input)?;
    let crawl = Crawler::new(plan)
        .on_page(|page| {
            let status = page.status().map_or_else(|| page.error().unwrap_or_default(), |status| status.to_string());
            println!("{status}  {}  {}", page.url(), page.title().unwrap_or("-"));
        })
        .start()?;
    let finished = crawl.wait().await?;
    println!("\n{}", finished.receipt);
    Ok(())
}
