//! Skips analytics, records the data paths of frameworks, and leaves `/admin` alone:
//! `cargo run --example actions -- https://example.com`

use bluesnake_engine::{Action, AuditInput, AuditPlan, CrawlError, Crawler, Disposition, default_action};

#[tokio::main]
async fn main() -> Result<(), CrawlError> {
    let mut input = AuditInput::default();
    input.fetch.allow_private = Some(true); // the address is yours to choose, so it may be on your own machine
    let plan = AuditPlan::new(std::env::args().skip(1), input)?;
    let crawl = Crawler::new(plan)
        .on_url_discovered(|found| match found.url.path() {
            path if path.starts_with("/admin") => Action::Record, // kept in the links, never fetched
            _ => default_action(found.url),                       // skips analytics, records framework data
        })
        .start()?;
    let receipt = crawl.wait().await?.receipt;
    println!("{} fetched", receipt.count(Disposition::Fetched));
    println!("{} recorded, not fetched", receipt.count(Disposition::Recorded));
    println!("{} skipped", receipt.count(Disposition::Skipped));
    Ok(())
}
