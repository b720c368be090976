//! Crawls: start, stop, resume, and list active ones.

use axum::Json;
use axum::http::StatusCode;
use bluesnake_app::view::{ActiveSession, ProjectView};
use bluesnake_app::{AuditRequest, Caller, Phase, ResumeRequest, SessionHandle};
use serde::Serialize;
use utoipa::ToSchema;

use super::request::{AuditBody, InRequest};
use super::settings::guard;
use crate::error::Problem;
use crate::extract::{Id, MaybeBody, Reply};
use crate::options::ServerOptions;
use crate::state::Server;

/// The response of a handler that starts or resumes a run.
pub(crate) type Started = Result<(StatusCode, Json<StartedSession>), Problem>;

/// A started crawl with its project.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedSession {
    /// The project; this is its current run.
    #[serde(flatten)]
    project: ProjectView,
    /// Its phase: queued or running.
    phase: Phase,
    /// The session.
    crawl_id: Option<i64>,
    /// Other paused runs of the project, which can still be resumed.
    paused_run_ids: Vec<i64>,
}

/// Starts an audit, or resumes a run, according to the request and the saved settings.
#[utoipa::path(post, path = "/crawl", tag = "crawls", request_body = AuditBody,
    responses((status = 202, description = "Running or queued", body = StartedSession)))]
pub(crate) async fn start(server: Server, InRequest(request): InRequest<AuditRequest>) -> Started {
    let handle = server.app.start(request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Pauses the active crawl of a project; its run can be resumed.
#[utoipa::path(post, path = "/stop-crawl/{projectID}", tag = "crawls",
    params(("projectID" = i64, Path, description = "The project")),
    responses((status = 202, description = "Stopping; requests in flight may finish", body = ActiveSession)))]
pub(crate) async fn stop(server: Server, Id(project): Id) -> Result<(StatusCode, Json<ActiveSession>), Problem> {
    server.app.find_project(&project.to_string()).await?;
    let crawl = server.app.active_everywhere().await?.into_iter().find(|crawl| crawl.project_id == project);
    server.app.stop_session(project)?;
    let crawl = crawl.ok_or_else(|| Problem::not_found("the crawl has just ended"))?;
    Ok((StatusCode::ACCEPTED, Json(crawl)))
}

/// Resumes the run of a project (or of one job) that was paused last, with its original settings.
#[utoipa::path(post, path = "/resume-crawl/{projectID}", tag = "crawls", request_body = Option<ResumeRequest>,
    params(("projectID" = i64, Path, description = "The project")),
    responses((status = 202, description = "Running or queued", body = StartedSession)))]
pub(crate) async fn resume(server: Server, Id(project): Id, MaybeBody(request): MaybeBody<ResumeRequest>) -> Started {
    let request = guarded(request, &server.options)?;
    let handle = server.app.resume_project(project, request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Active crawls of this process and of others on the same database.
#[utoipa::path(get, path = "/active-crawls", tag = "crawls", responses((status = 200, body = Vec<ActiveSession>)))]
pub(crate) async fn active(server: Server) -> Reply<Vec<ActiveSession>> {
    Ok(Json(server.app.active_everywhere().await?))
}

/// The response for a started session.
pub(crate) async fn started(server: &Server, handle: SessionHandle) -> Started {
    let mut project = server.app.project_view(handle.project().id).await?;
    let now = handle.snapshots().borrow().clone();
    project.run_id = now.run_id;
    let paused_run_ids = handle.also_paused().iter().map(|run| run.id).collect();
    let started = StartedSession { project, phase: now.phase, crawl_id: now.crawl_id, paused_run_ids };
    Ok((StatusCode::ACCEPTED, Json(started)))
}

/// A caller over the network is the operator only where private addresses are allowed.
pub fn caller(options: &ServerOptions) -> Caller {
    Caller { is_operator: options.allow_private, ..Caller::default() }
}

/// The request that resumes a run on behalf of a server, within what its options allow.
pub fn resume_request(options: &ServerOptions) -> ResumeRequest {
    guarded(ResumeRequest::default(), options).expect("no settings are valid settings")
}

/// A request to resume a run, limited to what is allowed over the network.
pub(crate) fn guarded(mut request: ResumeRequest, options: &ServerOptions) -> Result<ResumeRequest, Problem> {
    let problems = guard(&mut request.settings, options);
    if problems.is_empty() { Ok(request) } else { Err(Problem::fields(problems)) }
}
