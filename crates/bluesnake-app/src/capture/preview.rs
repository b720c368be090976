//! What a capture would contain, without storing any of it.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use bluesnake_engine::document::{Document, Source};
use bluesnake_engine::{Committed, CrawlPlan, Crawler, Disposition, MemoryStore, Number, Task, UrlRow};
use serde::Serialize;
use utoipa::ToSchema;

use super::reader;
use crate::config::Saved;
use crate::error::AppError;
use crate::rendering::browser_for;
use crate::request::{CaptureRequest, StartRequest};
use crate::start::{Asked, Caller};

/// The maximum number of URLs in a preview: all of them are in memory.
const MOST_URLS: u64 = 100_000;

/// The preview of one URL.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Previewed {
    /// The URL.
    pub url: String,
    /// Whether it would be a page of the capture.
    pub is_captured: bool,
    /// Why not: refused, failed, or a duplicate.
    pub reason: Option<String>,
    /// The page that it duplicates.
    pub duplicate_of: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its tokens by o200k_base.
    pub tokens: Option<u32>,
    /// Confidence that this is the content of the page, from 0 to 1.
    pub confidence: Option<f32>,
}

/// Crawls as a capture would, with the saved settings, and returns what it would contain, in order. If `stop` fires
/// first, returns what is known by then.
pub async fn preview(
    request: &CaptureRequest,
    caller: Caller,
    saved: Saved,
    stop: impl Future<Output = ()>,
) -> Result<Vec<Previewed>, AppError> {
    let store = Arc::new(MemoryStore::default());
    let plan = plan(request, caller, &saved)?;
    let read = reader::reader(&plan.capture);
    // Keeps only the parts of a document that are listed.
    let read =
        move |source: &Source<'_>| Some(Document { content: String::new(), sections: Vec::new(), ..read(source)? });
    run(plan, |crawler| crawler.store(store.clone()).read_documents(read), stop).await?;
    Ok(list(&store))
}

/// Crawls to the end, or until `stop` fires.
pub(super) async fn run(
    plan: CrawlPlan,
    equip: impl FnOnce(Crawler) -> Crawler,
    stop: impl Future<Output = ()>,
) -> Result<(), AppError> {
    let browser = browser_for(&plan).await?;
    let mut crawler = equip(Crawler::new(plan));
    if let Some(browser) = browser.clone() {
        crawler = crawler.renderer(browser);
    }
    let running = crawler.start()?;
    let stopper = running.stopper();
    let mut end = std::pin::pin!(running.wait());
    let ended = tokio::select! {
        end = &mut end => end,
        () = stop => {
            stopper.stop();
            end.await
        }
    };
    if let Some(browser) = browser {
        browser.close().await;
    }
    ended?;
    Ok(())
}

fn plan(request: &CaptureRequest, caller: Caller, saved: &Saved) -> Result<CrawlPlan, AppError> {
    let asked = Asked { caller, ..StartRequest::from(request.clone()).into() };
    let mut plan: CrawlPlan = asked.plan(saved)?.into();
    plan.keep.html = false;
    if plan.scope.max_urls == 0 || plan.scope.max_urls > MOST_URLS {
        plan.scope.max_urls = MOST_URLS;
    }
    Ok(plan)
}

fn list(store: &MemoryStore) -> Vec<Previewed> {
    let urls = store.urls();
    let visits: HashMap<Number, Arc<Committed>> =
        store.visits().into_iter().map(|visit| (visit.number(), visit)).collect();
    let is_guide = |row: &&UrlRow| {
        matches!(row.task, Task::Sitemap | Task::Robots) && row.reason.disposition() == Disposition::Fetched
    };
    let listed = urls.iter().filter(|row| !is_guide(row));
    listed.map(|row| previewed(row, visits.get(&row.number).map(Arc::as_ref), &urls)).collect()
}

/// URLs are numbered from 1, without gaps.
fn previewed(row: &UrlRow, visit: Option<&Committed>, urls: &[UrlRow]) -> Previewed {
    let document = visit.and_then(|visit| visit.document.as_ref());
    let original = visit.and_then(|visit| visit.duplicate_of).map(|number| &urls[number.0 as usize - 1]);
    let is_captured = document.is_some() && visit.is_some_and(|visit| visit.is_unique_page);
    let reason = match (is_captured, original) {
        (true, _) => None,
        (false, Some(_)) => Some("duplicate of another page".to_owned()),
        (false, None) => Some(row.reason.as_str().replace('_', " ")),
    };
    Previewed {
        url: row.url.as_str().to_owned(),
        is_captured,
        reason,
        duplicate_of: original.map(|original| original.url.as_str().to_owned()),
        title: document.and_then(|document| document.title.clone()),
        tokens: document.map(|document| document.tokens.o200k),
        confidence: document.map(|document| document.confidence),
    }
}
