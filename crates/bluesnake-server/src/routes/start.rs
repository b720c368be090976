//! Crawls: started, stopped, resumed, and those that run now.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use bluesnake_app::plan::Preset;
use bluesnake_app::view::{ActiveSession, ProjectView};
use bluesnake_app::{Phase, RunKind, SessionHandle, StartMode, StartRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::settings::settings;
use crate::error::Problem;
use crate::extract::{InBody, InPath, MaybeBody};
use crate::options::ServerOptions;
use crate::state::Server;

/// What to do with a run of the project that is not completed.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Resume it when the project crawls incrementally, else start a new run; the paused one can still be resumed.
    #[default]
    Auto,
    /// Start a new run; a paused one can still be resumed.
    Fresh,
    /// Resume it; a conflict when there is none.
    Resume,
}

/// What to crawl.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct StartBody {
    /// Where to start.
    url: Option<String>,
    /// Or several places; the first one names the project.
    urls: Vec<String>,
    /// Settings in their groups, as docs/settings.md lists them, over those saved for the project.
    #[schema(value_type = Object, example = json!({"limits": {"session_budget": 500}}))]
    settings: Map<String, Value>,
    /// Defaults below the saved settings: site, docs or graph.
    preset: Option<String>,
    /// Whether the project crawls incrementally; without it as it was saved.
    incremental: Option<bool>,
    /// What to do with a run that is not completed.
    mode: Mode,
    /// Resume with other settings than those the run was started with.
    force: bool,
}

/// How to resume.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub(crate) struct ResumeBody {
    /// Settings over those the run was started with: pace and budget may change, and secrets have to be given again.
    #[schema(value_type = Object)]
    settings: Map<String, Value>,
    /// Change other settings, too.
    force: bool,
    /// The run of this job; without it the one that was paused last. Of use with a project only.
    kind: Option<Job>,
}

/// What a run is for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Job {
    /// To know a site: every URL with its facts and links.
    Crawl,
    /// To have its documents.
    Capture,
    /// To know which hosts link to which.
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

/// A crawl that was started: its project, and where the crawl is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartedSession {
    /// The project, whose current run this is.
    #[serde(flatten)]
    project: ProjectView,
    /// Where it is: queued behind other crawls, or on its way.
    phase: Phase,
    /// The session.
    crawl_id: Option<i64>,
    /// Runs of the project that were paused before and still can be resumed.
    paused_run_ids: Vec<i64>,
}

/// Starts a crawl, or resumes a run, as the body and the saved settings say.
#[utoipa::path(post, path = "/crawl", tag = "crawls", request_body = StartBody,
    responses((status = 202, description = "It runs, or waits for its turn", body = StartedSession)))]
pub(crate) async fn start(
    State(server): State<Server>,
    InBody(body): InBody<StartBody>,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let request = request(body, &server.options)?;
    let handle = server.app.start_session(request).await?;
    started(&server, handle).await
}

/// Stops the crawl of a project; its run is paused and can be resumed.
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

/// Resumes the run of a project that was paused last, or that of the job named, with the settings it was started with.
#[utoipa::path(post, path = "/resume-crawl/{projectID}", tag = "crawls", request_body = Option<ResumeBody>,
    params(("projectID" = i64, Path, description = "The project")),
    responses((status = 202, description = "It runs, or waits for its turn", body = StartedSession)))]
pub(crate) async fn resume(
    State(server): State<Server>,
    InPath(project): InPath<i64>,
    MaybeBody(body): MaybeBody<ResumeBody>,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let project = server.app.find_project(&project.to_string()).await?;
    let handle = server.app.resume_project(project, to_resume(body, &server.options)?).await?;
    started(&server, handle).await
}

/// The crawls that run now, of this process and of others on the same database.
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

impl From<Mode> for StartMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Auto => Self::Auto,
            Mode::Fresh => Self::Fresh,
            Mode::Resume => Self::Resume,
        }
    }
}

/// Where to start: one place, or several.
pub(super) fn urls(url: Option<String>, urls: Vec<String>) -> Result<Vec<String>, Problem> {
    match (url, urls) {
        (Some(url), urls) if urls.is_empty() => Ok(vec![url]),
        (None, urls) if !urls.is_empty() => Ok(urls),
        (None, _) => Err(Problem::field("url", "there is no URL to crawl")),
        (Some(_), _) => Err(Problem::field("urls", "give `url` or `urls`, not both")),
    }
}

fn request(body: StartBody, options: &ServerOptions) -> Result<StartRequest, Problem> {
    let urls = urls(body.url, body.urls)?;
    let preset = match body.preset.as_deref().map(str::parse::<Preset>) {
        None => None,
        Some(Ok(preset)) => Some(preset),
        Some(Err(_)) => return Err(Problem::field("preset", "the presets are site, docs and graph")),
    };
    let settings = settings(&body.settings, options)?;
    let (incremental, force, is_operator) = (body.incremental, body.force, options.allow_private);
    let mode = body.mode.into();
    Ok(StartRequest { urls, settings, preset, incremental, mode, force, is_operator, ..StartRequest::default() })
}

/// What resumes a run on behalf of a server, within what its options allow.
pub fn resume_request(options: &ServerOptions) -> StartRequest {
    to_resume(ResumeBody::default(), options).expect("no settings are no wrong ones")
}

/// What resumes a run over the network.
pub(crate) fn to_resume(body: ResumeBody, options: &ServerOptions) -> Result<StartRequest, Problem> {
    let settings = settings(&body.settings, options)?;
    let (force, kind, is_operator) = (body.force, body.kind.map(RunKind::from), options.allow_private);
    Ok(StartRequest { settings, force, kind, is_operator, ..StartRequest::default() })
}
