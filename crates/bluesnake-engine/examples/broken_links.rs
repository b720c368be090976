//! Finds broken links and the pages they stand on: `cargo run --example broken_links -- https://example.com`

use std::collections::HashSet;
use std::sync::Arc;

use bluesnake_engine::{AuditInput, AuditPlan, CrawlError, Crawler, MemoryStore, Reason};

#[tokio::main]
async fn main() -> Result<(), CrawlError> {
    let mut input = AuditInput::default();
    input.fetch.allow_private = Some(true); // the address is yours to choose, so it may be on your own machine
    let plan = AuditPlan::new(std::env::args().skip(1), input)?;
    let store = Arc::new(MemoryStore::default());
    let finished = Crawler::new(plan).store(store.clone()).start()?.wait().await?;

    let is_broken = |reason| matches!(reason, Reason::ClientError | Reason::ServerError | Reason::Failed(_));
    let broken: HashSet<_> = store.urls().iter().filter(|row| is_broken(row.reason)).map(|row| row.number).collect();
    for page in store.visits() {
        for (link, target) in store.links_from(page.number()).iter().filter(|(_, target)| broken.contains(target)) {
            println!("{}\n  on {} ({}, \"{}\"), link {target}", link.target, page.url(), link.kind.as_str(), link.text);
        }
    }
    println!("\n{}", finished.receipt);
    Ok(())
}
