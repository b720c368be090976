//! Projects: crawled sites.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bluesnake_app::view::{ActiveStats, ClearedQueue, ProjectView, QueueStatus, RunView, SessionView};
use bluesnake_app::{Favicon, Job, Limit, Page, Reach, RunKind, RunsQuery, job};
use serde::Deserialize;
use utoipa::IntoParams;

use super::hidden;
use crate::error::Problem;
use crate::extract::{Id, InQuery, Reply};
use crate::openapi::File;
use crate::state::Server;

/// Position in a list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// Maximum number of rows.
    #[serde(default)]
    #[param(value_type = usize, minimum = 1, maximum = 1000, default = 100)]
    pub(super) limit: Limit,
    /// `nextCursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// Which job.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfJob {
    /// The current run of this job. By default that of any job: the active one, otherwise the one paused last,
    /// otherwise the newest.
    #[serde(default, deserialize_with = "job")]
    #[param(value_type = Option<Job>, inline)]
    kind: Option<RunKind>,
}

/// Projects with their current run, newest first.
#[utoipa::path(get, path = "/projects", tag = "projects", params(Paging),
    responses((status = 200, body = Page<ProjectView>)))]
pub(crate) async fn list(server: Server, InQuery(paging): InQuery<Paging>) -> Reply<Page<ProjectView>> {
    Ok(Json(server.app.projects_page(paging.limit, paging.cursor.as_deref()).await?))
}

/// One project with its current run.
#[utoipa::path(get, path = "/projects/{id}", tag = "projects", params(("id" = i64, Path, description = "The project")),
    responses((status = 200, body = ProjectView)))]
pub(crate) async fn show(server: Server, Id(id): Id) -> Reply<ProjectView> {
    Ok(Json(server.app.project_view(id).await?))
}

/// Deletes a project with all its results.
#[utoipa::path(delete, path = "/projects/{id}", tag = "projects",
    params(("id" = i64, Path, description = "The project")), responses((status = 204, description = "Deleted")))]
pub(crate) async fn delete(server: Server, Id(id): Id) -> Result<StatusCode, Problem> {
    server.app.delete_project(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The sessions of all runs of a project, newest first.
#[utoipa::path(get, path = "/projects/{id}/crawls", tag = "projects",
    params(("id" = i64, Path, description = "The project"), Paging), responses((status = 200, body = Page<SessionView>)))]
pub(crate) async fn crawls(server: Server, Id(id): Id, InQuery(paging): InQuery<Paging>) -> Reply<Page<SessionView>> {
    Ok(Json(server.app.sessions_page(Some(id), paging.limit, paging.cursor.as_deref()).await?))
}

/// The runs of a project, newest first.
#[utoipa::path(get, path = "/projects/{id}/runs", tag = "projects",
    params(("id" = i64, Path, description = "The project"), Paging), responses((status = 200, body = Page<RunView>)))]
pub(crate) async fn runs(server: Server, Id(id): Id, InQuery(paging): InQuery<Paging>) -> Reply<Page<RunView>> {
    let page = server.app.runs_list(RunsQuery::of_project(id, paging.limit, paging.cursor)).await?;
    Ok(Json(page.map(|run| hidden::run(run, &server.options))))
}

/// Progress of the current run of a project, by media type. Cheap, even during a crawl.
#[utoipa::path(get, path = "/projects/{id}/active-stats", tag = "projects",
    params(("id" = i64, Path, description = "The project"), OfJob), responses((status = 200, body = ActiveStats)))]
pub(crate) async fn active_stats(server: Server, Id(id): Id, InQuery(of): InQuery<OfJob>) -> Reply<ActiveStats> {
    Ok(Json(server.app.active_stats(id, of.kind).await?))
}

/// Progress of the current run of a project.
#[utoipa::path(get, path = "/projects/{id}/queue", tag = "projects",
    params(("id" = i64, Path, description = "The project"), OfJob), responses((status = 200, body = QueueStatus)))]
pub(crate) async fn queue(server: Server, Id(id): Id, InQuery(of): InQuery<OfJob>) -> Reply<QueueStatus> {
    Ok(Json(server.app.queue_status(id, of.kind).await?))
}

/// Discards the pending URLs of the run that was paused last and completes it; its results stay.
#[utoipa::path(delete, path = "/projects/{id}/queue", tag = "projects",
    params(("id" = i64, Path, description = "The project"), OfJob), responses((status = 200, body = ClearedQueue)))]
pub(crate) async fn clear_queue(server: Server, Id(id): Id, InQuery(of): InQuery<OfJob>) -> Reply<ClearedQueue> {
    Ok(Json(server.app.clear_queue(id, of.kind).await?))
}

/// The icon of the site, if it was fetched before.
#[utoipa::path(get, path = "/projects/{id}/favicon", tag = "projects",
    params(("id" = i64, Path, description = "The project")),
    responses((status = 200, description = "The image", content(
        (inline(File) = "image/*"), (inline(File) = "application/octet-stream")))))]
pub(crate) async fn favicon(server: Server, Id(id): Id) -> Result<Response, Problem> {
    let kept = server.app.kept_favicon(id).await?;
    let hint = "POST to the same path to fetch it from the site";
    picture(kept.ok_or_else(|| Problem::not_found("no icon is stored for this site").hint(hint))?)
}

/// Fetches and stores the icon of the site, unless it is stored already.
#[utoipa::path(post, path = "/projects/{id}/favicon", tag = "projects",
    params(("id" = i64, Path, description = "The project")),
    responses((status = 200, description = "The image", content(
        (inline(File) = "image/*"), (inline(File) = "application/octet-stream")))))]
pub(crate) async fn fetch_favicon(server: Server, Id(id): Id) -> Result<Response, Problem> {
    let reach = if server.options.allow_private { Reach::AsSet } else { Reach::Public };
    picture(server.app.favicon(id, reach).await?)
}

/// Only image types that cannot run scripts, so no SVG.
fn picture(icon: Favicon) -> Result<Response, Problem> {
    let media_type = icon.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_picture = media_type.starts_with("image/") && !media_type.starts_with("image/svg");
    let media_type = HeaderValue::from_str(&media_type).ok().filter(|_| is_picture && !icon.bytes.is_empty());
    let media_type = media_type.ok_or_else(|| Problem::not_found("the site has no icon"))?;
    let cache = HeaderValue::from_static("private, max-age=3600");
    Ok(([(CONTENT_TYPE, media_type), (CACHE_CONTROL, cache)], icon.bytes).into_response())
}
