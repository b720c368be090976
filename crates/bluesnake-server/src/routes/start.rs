//! Crawls: started, stopped, resumed, and those that run now.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use bluesnake_app::view::{ActiveSession, ProjectView};
use bluesnake_app::{AuditRequest, Caller, Phase, ResumeRequest, RunKind, SessionHandle};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::request::{AuditBody, InRequest};
use super::settings::guard;
use crate::error::Problem;
use crate::extract::{InPath, MaybeBody};
use crate::options::ServerOptions;
use crate::state::Server;

/// How to resume.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct ResumeBody {
    /// Settings that override those of the run: rate and budget may change; send secrets again.
    #[schema(value_type = Object)]
    settings: Map<String, Value>,
    /// Allow other settings to change too.
    force: bool,
    /// The job of the run; without it, the run that was paused last. Only for projects.
    kind: Option<Job>,
}

/// The job of a run.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Job {
    /// An audit of a site: every URL with its facts and links.
    #[default]
    #[serde(alias = "audit")]
    Crawl,
    /// Documentation as Markdown.
    Capture,
    /// The graph of which hosts link to which.
    Weave,
}

impl From<Job> for RunKind {
    fn from(job: Job) -> Self {
        match job {
            Job::Crawl => Self::Crawl,
            Job::Capture => Self::Capture,
            Job::Weave => Self::Weave,
        }
    }
}

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

/// Starts an audit, or resumes a run, as the request and the saved settings say.
#[utoipa::path(post, path = "/crawl", tag = "crawls", request_body = AuditBody,
    responses((status = 202, description = "It runs, or waits for its turn", body = StartedSession)))]
pub(crate) async fn start(
    State(server): State<Server>,
    InRequest(request): InRequest<AuditRequest>,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let handle = server.app.start(request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Pauses the active crawl of a project; its run can be resumed.
#[utoipa::path(post, path = "/stop-crawl/{projectID}", tag = "crawls",
    params(("projectID" = i64, Path, description = "The project")),
    responses((status = 202, description = "It is stopping; requests under way get a moment", body = ActiveSession)))]
pub(crate) async fn stop(
    State(server): State<Server>,
    InPath(project): InPath<i64>,
) -> Result<(StatusCode, Json<ActiveSession>), Problem> {
    server.app.find_project(&project.to_string()).await?;
    let crawl = server.app.active_everywhere().await?.into_iter().find(|crawl| crawl.project_id == project);
    server.app.stop_session(project)?;
    let crawl = crawl.ok_or_else(|| Problem::not_found("the crawl has just ended"))?;
    Ok((StatusCode::ACCEPTED, Json(crawl)))
}

/// Resumes the run of a project (or of one job) that was paused last, with its original settings.
#[utoipa::path(post, path = "/resume-crawl/{projectID}", tag = "crawls", request_body = Option<ResumeBody>,
    params(("projectID" = i64, Path, description = "The project")),
    responses((status = 202, description = "It runs, or waits for its turn", body = StartedSession)))]
pub(crate) async fn resume(
    State(server): State<Server>,
    InPath(project): InPath<i64>,
    MaybeBody(body): MaybeBody<ResumeBody>,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let project = server.app.find_project(&project.to_string()).await?;
    let job = body.kind.map(RunKind::from);
    let request = to_resume(body, &server.options)?;
    let handle = server.app.resume_project(project, job, request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Active crawls of this process and of others on the same database.
#[utoipa::path(get, path = "/active-crawls", tag = "crawls", responses((status = 200, body = Vec<ActiveSession>)))]
pub(crate) async fn active(State(server): State<Server>) -> Result<Json<Vec<ActiveSession>>, Problem> {
    Ok(Json(server.app.active_everywhere().await?))
}

/// The answer to a crawl that was started.
pub(crate) async fn started(
    server: &Server,
    handle: SessionHandle,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let mut project = server.app.project_view(handle.project().clone()).await?;
    let now = handle.snapshots().borrow().clone();
    project.run_id = now.run_id;
    let paused_run_ids = handle.also_paused().iter().map(|run| run.id).collect();
    let started = StartedSession { project, phase: now.phase, crawl_id: now.crawl_id, paused_run_ids };
    Ok((StatusCode::ACCEPTED, Json(started)))
}

/// Whoever asks over the network is the operator only where private addresses are allowed.
pub fn caller(options: &ServerOptions) -> Caller {
    Caller { is_operator: options.allow_private, ..Caller::default() }
}

/// The request that resumes a run on behalf of a server, within what its options allow.
pub fn resume_request(options: &ServerOptions) -> ResumeRequest {
    to_resume(ResumeBody::default(), options).expect("no settings are valid settings")
}

/// The request that resumes a run over the network.
pub(crate) fn to_resume(body: ResumeBody, options: &ServerOptions) -> Result<ResumeRequest, Problem> {
    let ResumeBody { mut settings, force, .. } = body;
    match guard(&mut settings, options) {
        problems if problems.is_empty() => Ok(ResumeRequest { settings, force }),
        problems => Err(Problem::fields(problems)),
    }
}
