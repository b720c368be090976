//! Runs: logical crawls of a project.

use axum::Json;
use axum::http::StatusCode;
use bluesnake_app::view::{self, RunView, SummaryView};
use bluesnake_app::{Page, ResumeRequest, RunsQuery};
use serde_json::Value;

use super::hidden;
use super::start::{Started, StartedSession, caller, guarded, started};
use crate::error::Problem;
use crate::extract::{Id, InQuery, MaybeBody, Reply};
use crate::state::Server;

/// Maximum number of broken URLs in a summary.
const LISTED: usize = 20;

/// Runs of all projects, newest first.
#[utoipa::path(get, path = "/runs", tag = "runs", params(RunsQuery), responses((status = 200, body = Page<RunView>)))]
pub(crate) async fn list(server: Server, InQuery(query): InQuery<RunsQuery>) -> Reply<Page<RunView>> {
    let page = server.app.runs_list(query).await?;
    Ok(Json(page.map(|run| hidden::run(run, &server.options))))
}

/// A run with its sessions and figures.
#[utoipa::path(get, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = RunView)))]
pub(crate) async fn show(server: Server, Id(id): Id) -> Reply<RunView> {
    Ok(Json(hidden::run(server.app.run_view(id).await?, &server.options)))
}

/// Like `/runs/{id}`.
#[utoipa::path(get, path = "/run/{runID}", tag = "runs", params(("runID" = i64, Path, description = "The run")),
    responses((status = 200, body = RunView)))]
pub(crate) async fn show_run(server: Server, id: Id) -> Reply<RunView> {
    show(server, id).await
}

/// Deletes a run with all its results.
#[utoipa::path(delete, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 204, description = "Deleted")))]
pub(crate) async fn delete(server: Server, Id(id): Id) -> Result<StatusCode, Problem> {
    server.app.delete_run(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Where every URL of a run ended up, and why.
#[utoipa::path(get, path = "/runs/{id}/receipt", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = Object)))]
pub(crate) async fn receipt(server: Server, Id(id): Id) -> Reply<Value> {
    server.app.run(id).await?;
    Ok(Json(view::receipt(&server.app.receipt(id).await?)))
}

/// The summary of a run.
#[utoipa::path(get, path = "/runs/{id}/summary", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = SummaryView)))]
pub(crate) async fn summary(server: Server, Id(id): Id) -> Reply<SummaryView> {
    server.app.run(id).await?;
    Ok(Json(server.app.summary(id, LISTED).await?.into()))
}

/// Pauses the active session of a run, which can be resumed.
#[utoipa::path(post, path = "/runs/{id}/pause", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 202, description = "Stopping; requests in flight may finish", body = RunView)))]
pub(crate) async fn pause(server: Server, Id(id): Id) -> Result<(StatusCode, Json<RunView>), Problem> {
    server.app.pause_run(id).await?;
    Ok((StatusCode::ACCEPTED, Json(hidden::run(server.app.run_view(id).await?, &server.options))))
}

/// Resumes a paused run, with the settings it was started with.
#[utoipa::path(post, path = "/runs/{id}/resume", tag = "runs", request_body = Option<ResumeRequest>,
    params(("id" = i64, Path, description = "The run")),
    responses((status = 202, description = "Running or queued", body = StartedSession)))]
pub(crate) async fn resume(server: Server, Id(id): Id, MaybeBody(request): MaybeBody<ResumeRequest>) -> Started {
    let request = guarded(request, &server.options)?;
    let handle = server.app.resume_run(id, request, caller(&server.options)).await?;
    started(&server, handle).await
}
