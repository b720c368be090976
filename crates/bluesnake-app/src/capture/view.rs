//! How a capture stands, as it is shown.

use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{DatabaseError, FailedPage, RunRow};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::AppError;

/// The most errors that are listed.
const MOST_ERRORS: usize = 1_000;

/// Where a capture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptureStatus {
    /// It runs.
    InProgress,
    /// It is done.
    Completed,
    /// It is done, and some pages could not be had.
    CompletedWithErrors,
    /// It was stopped and can be resumed.
    Interrupted,
}

/// A page that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaptureError {
    /// Its address.
    pub url: String,
    /// The same in the form by which pages are known. Addresses are kept in this form only, so both are equal.
    pub canonical_url: String,
    /// Why.
    pub error: String,
    /// When it was asked for: unix time in seconds.
    pub timestamp: i64,
}

impl From<FailedPage> for CaptureError {
    fn from(page: FailedPage) -> Self {
        let FailedPage { url, error, visited_at } = page;
        Self { canonical_url: url.clone(), url, error, timestamp: visited_at / 1000 }
    }
}

/// A place where a capture starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaptureBase {
    /// Its address.
    pub url: String,
    /// Pages that belong to it, each text once.
    pub pages: i64,
    /// How many it may have at most.
    pub page_limit: Option<u64>,
}

/// A capture with its figures. What was found is done, failed, a copy, left out or pending, at all times.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaptureView {
    /// The run.
    pub run_id: i64,
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Where it starts, and how many pages it has of each.
    pub bases: Vec<CaptureBase>,
    /// Where it is.
    pub status: CaptureStatus,
    /// Addresses ever seen.
    pub pages_found: i64,
    /// Pages, each text once.
    pub pages_processed: i64,
    /// Pages that could not be had.
    pub pages_failed: i64,
    /// Addresses whose text is that of another page.
    pub duplicates: i64,
    /// Addresses that are no page of the capture: refused, files, guides, redirects.
    pub left_out: i64,
    /// Addresses whose turn has not come.
    pub queue_size: i64,
    /// Addresses that are asked for now, as far as this process does it.
    pub in_progress: Vec<String>,
    /// Pages that came over the network.
    pub downloaded: i64,
    /// Pages of which the server said that nothing changed.
    pub not_modified: i64,
    /// Pages that nobody was asked for.
    pub from_cache: i64,
    /// Words of all pages, without what they repeat as soon as the capture is complete.
    pub words: i64,
    /// Tokens of all pages by o200k_base, without what they repeat as soon as the capture is complete.
    pub tokens_o200k: i64,
    /// Tokens of all pages by cl100k_base, without what they repeat as soon as the capture is complete.
    pub tokens_cl100k: i64,
    /// The pages that could not be had.
    pub errors: Vec<CaptureError>,
}

/// How a capture stands.
pub(super) async fn capture(app: &App, run: i64) -> Result<CaptureView, AppError> {
    let row = app.catalog().run(run).await?;
    if row.kind != RunKind::Capture {
        return Err(AppError::Absent {
            message: format!("run {run} is not a capture"),
            hint: "`bluesnake runs list` shows what each run is for".to_owned(),
        });
    }
    let (figures, counts) = app.contents().capture_figures(run).await?;
    let errors = app.contents().capture_errors(run, MOST_ERRORS).await?;
    let status = match row.state {
        RunState::InProgress => CaptureStatus::InProgress,
        RunState::Completed if figures.failed > 0 => CaptureStatus::CompletedWithErrors,
        RunState::Completed => CaptureStatus::Completed,
        RunState::Paused | RunState::Failed => CaptureStatus::Interrupted,
    };
    let accounted = figures.pages + figures.duplicates + figures.failed + counts.pending;
    Ok(CaptureView {
        run_id: run,
        project_id: row.project,
        bases: bases(app, &row).await?,
        status,
        pages_found: counts.seen,
        pages_processed: figures.pages,
        pages_failed: figures.failed,
        duplicates: figures.duplicates,
        left_out: counts.seen - accounted,
        queue_size: counts.pending,
        in_progress: in_progress(app, &row),
        downloaded: figures.downloaded,
        not_modified: figures.not_modified,
        from_cache: figures.from_cache,
        words: figures.words,
        tokens_o200k: figures.tokens_o200k,
        tokens_cl100k: figures.tokens_cl100k,
        errors: errors.into_iter().map(CaptureError::from).collect(),
    })
}

fn in_progress(app: &App, run: &RunRow) -> Vec<String> {
    let active = app.active_session(run.project);
    let now = active.map(|active| active.snapshots().borrow().clone()).unwrap_or_default();
    if now.run_id == Some(run.id) { now.current } else { Vec::new() }
}

async fn bases(app: &App, run: &RunRow) -> Result<Vec<CaptureBase>, AppError> {
    let unreadable = |error| DatabaseError::unreadable(format!("the plan of run {}", run.id), error);
    let seeds: Vec<String> = serde_json::from_str(&run.seeds).map_err(unreadable)?;
    let plan: serde_json::Value = serde_json::from_str(&run.plan).map_err(unreadable)?;
    let page_limit = plan["limits"]["page_limit"].as_u64().filter(|limit| *limit > 0);
    let counts = app.contents().capture_bases(run.id).await?;
    let pages = |at: usize| counts.iter().find(|(base, _)| *base == at as i64).map_or(0, |(_, pages)| *pages);
    Ok(seeds.into_iter().enumerate().map(|(at, url)| CaptureBase { url, pages: pages(at), page_limit }).collect())
}
