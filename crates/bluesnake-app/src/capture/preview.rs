//! What a capture would have, without keeping any of it.

use std::sync::Arc;

use bluesnake_engine::{Crawler, Disposition, MemoryStore, PlanInput, Task};
use serde::Serialize;

use super::reader;
use crate::error::AppError;
use crate::start::StartRequest;

/// What would become of a URL.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Previewed {
    /// The URL.
    pub url: String,
    /// Whether it would be a page of the capture.
    pub is_captured: bool,
    /// Why not: the reason for a refusal, a failure, or that another page says the same.
    pub reason: Option<String>,
    /// The page that it is a copy of.
    pub duplicate_of: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its tokens by o200k_base.
    pub tokens: Option<u32>,
    /// How sure it is that the text is that of the page.
    pub confidence: Option<f32>,
}

/// Crawls as a capture would and tells what it would have, in the order in which it would have it.
pub async fn preview(request: &StartRequest) -> Result<Vec<Previewed>, AppError> {
    let plan = request.plan(PlanInput::default())?;
    let store = Arc::new(MemoryStore::default());
    Crawler::new(plan).store(store.clone()).read_documents(reader::read).start()?.wait().await?;
    let urls = store.urls();
    let mut previewed = Vec::with_capacity(urls.len());
    for row in &urls {
        let visit = store.visit(row.url.as_str());
        let document = visit.as_ref().and_then(|visit| visit.document.as_ref());
        let original = visit.as_ref().and_then(|visit| visit.duplicate_of);
        let original = original.and_then(|number| urls.iter().find(|other| other.number == number));
        let is_captured = visit.as_ref().is_some_and(|visit| visit.is_unique_page && visit.document.is_some());
        let is_guide = matches!(row.task, Task::Sitemap | Task::Robots);
        if is_guide && row.disposition == Disposition::Fetched {
            continue;
        }
        let reason = match (is_captured, original) {
            (true, _) => None,
            (false, Some(_)) => Some("says the same as another page".to_owned()),
            (false, None) => Some(row.reason.replace('_', " ")),
        };
        previewed.push(Previewed {
            url: row.url.as_str().to_owned(),
            is_captured,
            reason,
            duplicate_of: original.map(|original| original.url.as_str().to_owned()),
            title: document.and_then(|document| document.title.clone()),
            tokens: document.map(|document| document.tokens.o200k),
            confidence: document.map(|document| document.confidence),
        });
    }
    Ok(previewed)
}
