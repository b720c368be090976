//! The state of a capture, as shown to users.

use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{DatabaseError, FailedPages, RunRow};
use serde::Serialize;
use utoipa::ToSchema;

use super::errors::CaptureError;
use crate::app::App;
use crate::error::AppError;

/// The maximum number of errors to list.
const MOST_ERRORS: usize = 1_000;

/// The status of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptureStatus {
    /// It is running.
    InProgress,
    /// It is done.
    Completed,
    /// It is done; some pages failed.
    CompletedWithErrors,
    /// It was stopped and can be resumed.
    Interrupted,
}

/// A start URL of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaptureBase {
    /// Its URL.
    pub url: String,
    /// Unique pages that belong to it.
    pub pages: i64,
    /// Its page limit.
    pub page_limit: Option<u64>,
}

/// A capture with its figures. Every URL is done, failed, a duplicate, skipped or pending.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CaptureView {
    /// The run.
    pub run_id: i64,
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Start URLs with their page counts.
    pub bases: Vec<CaptureBase>,
    /// Its status.
    pub status: CaptureStatus,
    /// URLs seen.
    pub pages_found: i64,
    /// Unique pages.
    pub pages_processed: i64,
    /// Number of failed pages.
    pub pages_failed: i64,
    /// Duplicate URLs.
    pub duplicates: i64,
    /// URLs that are not pages of the capture: refused, files, redirects, robots.txt and sitemaps.
    pub left_out: i64,
    /// Pending URLs.
    pub queue_size: i64,
    /// Current requests, if this process runs the capture.
    pub in_progress: Vec<String>,
    /// Downloaded pages.
    pub downloaded: i64,
    /// Pages that the server reported as unchanged.
    pub not_modified: i64,
    /// Pages used from the cache without a request.
    pub from_cache: i64,
    /// Words of all pages; repeated blocks are excluded once the capture is complete.
    pub words: i64,
    /// Tokens of all pages (o200k_base); repeated blocks are excluded once the capture is complete.
    pub tokens_o200k: i64,
    /// Tokens of all pages (cl100k_base); repeated blocks are excluded once the capture is complete.
    pub tokens_cl100k: i64,
    /// Failed pages.
    pub errors: Vec<CaptureError>,
}

/// A run, if it is a capture.
pub(super) async fn captured_run(app: &App, run: i64) -> Result<RunRow, AppError> {
    let row = app.catalog().run(run).await?;
    if row.kind != RunKind::Capture {
        return Err(AppError::Absent {
            message: format!("run {run} is not a capture"),
            hint: "`bluesnake runs list` shows what each run is for".to_owned(),
        });
    }
    Ok(row)
}

/// The state of a capture.
pub(super) async fn capture(app: &App, run: i64) -> Result<CaptureView, AppError> {
    let row = captured_run(app, run).await?;
    let (figures, counts) = app.contents().capture_figures(run).await?;
    let failed = FailedPages { run: Some(run), ..FailedPages::default() };
    let errors = app.contents().failed_pages(failed, None, MOST_ERRORS).await?;
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
    let plan: serde_json::Value = serde_json::from_str(&run.plan).map_err(unreadable)?;
    let page_limit = plan["scope"]["page_limit"].as_u64().filter(|limit| *limit > 0);
    let counts = app.contents().capture_bases(run.id).await?;
    let pages = |at: usize| counts.iter().find(|(base, _)| *base == at as i64).map_or(0, |(_, pages)| *pages);
    Ok(run
        .seeds
        .iter()
        .cloned()
        .enumerate()
        .map(|(at, url)| CaptureBase { url, pages: pages(at), page_limit })
        .collect())
}
