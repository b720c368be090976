//! Runs: logical crawls of a project.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use bluesnake_app::view::{self, RunView, SummaryView};
use serde_json::Value;

use super::hidden;
use super::start::{ResumeBody, StartedSession, caller, started, to_resume};
use crate::error::Problem;
use crate::extract::{InPath, MaybeBody};
use crate::state::Server;

/// Maximum number of broken URLs in a summary.
const LISTED: usize = 20;

/// A run with its sessions and figures.
#[utoipa::path(get, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = RunView)))]
pub(crate) async fn show(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<RunView>, Problem> {
    let run = server.app.find_run(&id.to_string()).await?;
    Ok(Json(hidden::run(server.app.run_view(run).await?, &server.options)))
}

/// Like `/runs/{id}`.
#[utoipa::path(get, path = "/run/{runID}", tag = "runs", params(("runID" = i64, Path, description = "The run")),
    responses((status = 200, body = RunView)))]
pub(crate) async fn show_run(state: State<Server>, id: InPath<i64>) -> Result<Json<RunView>, Problem> {
    show(state, id).await
}

/// Deletes a run with all its results.
#[utoipa::path(delete, path = "/runs/{id}", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 204, description = "Deleted")))]
pub(crate) async fn delete(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<StatusCode, Problem> {
    server.app.find_run(&id.to_string()).await?;
    server.app.delete_run(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Show where every URL of a run ended up, and why.
#[utoipa::path(get, path = "/runs/{id}/receipt", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = Object)))]
pub(crate) async fn receipt(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<Value>, Problem> {
    server.app.find_run(&id.to_string()).await?;
    Ok(Json(view::receipt(&server.app.receipt(id).await?)))
}

/// The summary of a run.
#[utoipa::path(get, path = "/runs/{id}/summary", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = SummaryView)))]
pub(crate) async fn summary(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
) -> Result<Json<SummaryView>, Problem> {
    server.app.find_run(&id.to_string()).await?;
    Ok(Json(server.app.summary(id, LISTED).await?.into()))
}

/// Pauses the active session of a run, which can be resumed.
#[utoipa::path(post, path = "/runs/{id}/pause", tag = "runs", params(("id" = i64, Path, description = "The run")),
    responses((status = 202, description = "Stopping; requests in flight may finish", body = RunView)))]
pub(crate) async fn pause(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
) -> Result<(StatusCode, Json<RunView>), Problem> {
    let run = server.app.find_run(&id.to_string()).await?;
    server.app.pause_run(&run)?;
    Ok((StatusCode::ACCEPTED, Json(hidden::run(server.app.run_view(run).await?, &server.options))))
}

/// Resumes a paused run, with the settings it was started with.
#[utoipa::path(post, path = "/runs/{id}/resume", tag = "runs", request_body = Option<ResumeBody>,
    params(("id" = i64, Path, description = "The run")),
    responses((status = 202, description = "It runs, or waits for its turn", body = StartedSession)))]
pub(crate) async fn resume(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
    MaybeBody(body): MaybeBody<ResumeBody>,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let run = server.app.find_run(&id.to_string()).await?;
    let handle = server.app.resume_run(&run, to_resume(body, &server.options)?, caller(&server.options)).await?;
    started(&server, handle).await
}
