//! One page, fetched and extracted without storing it.

use std::future::Future;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bluesnake_engine::plan::Mechanisms;
use bluesnake_engine::{Committed, CrawlPlan, MemoryStore, Outcome, Refusal};
use bluesnake_extract::Corpus;
use bluesnake_store::DocumentRow;

use super::pages::{self, CapturedPage};
use super::{preview, reader};
use crate::config::Saved;
use crate::error::AppError;
use crate::request::{CaptureRequest, StartRequest};
use crate::start::{Asked, Caller};

/// A page and what it was extracted from.
#[derive(Debug)]
pub struct FetchedPage {
    /// The page, as it would be captured.
    pub page: CapturedPage,
    /// The document: as rendered, or else as received.
    pub html: Vec<u8>,
    /// A picture of the rendered page, as PNG.
    pub screenshot: Option<Vec<u8>>,
}

/// Fetches the first URL of a request, following redirects within its site, and returns its page. Robots.txt and the pace
/// of the plan hold; sitemaps and links are not followed.
pub async fn fetch_page(
    request: &CaptureRequest,
    caller: Caller,
    saved: Saved,
    stop: impl Future<Output = ()>,
) -> Result<FetchedPage, AppError> {
    let asked = Asked { caller, ..StartRequest::from(request.clone()).into() };
    let mut plan: CrawlPlan = asked.plan(&saved)?.into();
    plan.seeds.truncate(1);
    plan.scope.single_page = true;
    plan.discover.mechanisms = Mechanisms::Spider;
    plan.discover.llms_txt = false;
    let store = Arc::new(MemoryStore::default());
    let read = reader::reader(&plan.capture);
    preview::run(plan, |crawler| crawler.store(store.clone()).read_documents(read), stop).await?;
    let visits = store.visits();
    let found = visits.iter().find_map(|visit| Some((visit, visit.document.as_ref()?)));
    let Some((visit, document)) = found else { return Err(why_not(&visits, request)) };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let row = DocumentRow {
        number: i64::from(visit.number().0),
        url: visit.url().as_str().to_owned(),
        canonical: visit.page.as_ref().and_then(|page| page.canonical()).map(|url| url.as_str().to_owned()),
        visited_at: now.as_millis() as i64,
        hash: document.hash.to_string(),
        title: document.title.clone(),
        description: document.description.clone(),
        language: document.language.clone(),
        framework: document.framework.as_ref().map(ToString::to_string),
        is_own_markdown: document.is_own_markdown,
        confidence: f64::from(document.confidence),
        words: document.words as i64,
        tokens_o200k: i64::from(document.tokens.o200k),
        tokens_cl100k: i64::from(document.tokens.cl100k),
        content: document.content.clone(),
        alternate_urls: Vec::new(),
    };
    Ok(FetchedPage {
        page: pages::page_of(row, &Corpus::default())?,
        html: visit.rendered.as_deref().or(visit.html.as_deref()).unwrap_or_default().to_vec(),
        screenshot: visit.screenshot.as_ref().map(|picture| picture.to_vec()),
    })
}

/// Explains a missing page by the last visit, after all redirects.
fn why_not(visits: &[Arc<Committed>], request: &CaptureRequest) -> AppError {
    let url = request.urls.first().cloned().unwrap_or_default();
    let last = visits.iter().rev().find(|visit| visit.url().path() != "/robots.txt").or(visits.last());
    let (why, hint) = match last {
        None => ("stopped before the server responded".to_owned(), "try again".to_owned()),
        Some(visit) => of_visit(visit),
    };
    AppError::Absent { message: format!("cannot read {url}: {why}"), hint }
}

fn of_visit(visit: &Committed) -> (String, String) {
    let (why, hint) = match (&visit.outcome, visit.error(), visit.status()) {
        (Outcome::Redirected { to: Some(to) }, ..) => {
            return (format!("it redirects to {to}, which is not part of this site"), "fetch that URL".to_owned());
        }
        (Outcome::Redirected { to: None }, ..) => ("its redirect leads nowhere".to_owned(), "check the URL"),
        (Outcome::Refused { refusal: Refusal::Robots, detail }, ..) => {
            (format!("blocked by robots.txt: {detail}"), "`politeness.robots = \"ignore\"` fetches it all the same")
        }
        (_, Some(error), _) => (error, "check the URL and the network"),
        (_, None, Some(status @ 400..)) => (format!("HTTP {status}"), "check the URL"),
        (_, None, Some(_)) if visit.is_page() => {
            ("the page is a generated index or search form".to_owned(), "choose its content with `capture.include`")
        }
        (_, None, Some(_)) => {
            (format!("unsupported content type {}", visit.content_type()), "only HTML and Markdown can be read")
        }
        (_, None, None) => (visit.reason.as_str().replace('_', " "), "check the URL and the settings"),
    };
    (why, hint.to_owned())
}
