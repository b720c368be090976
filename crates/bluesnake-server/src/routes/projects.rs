//! Projects: sites that were crawled.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bluesnake_app::Reach;
use bluesnake_app::view::{CrawlView, ProjectView, QueueStatus, RunView};

use crate::error::Problem;
use crate::extract::InPath;
use crate::state::Server;

/// Every project with its latest run.
#[utoipa::path(get, path = "/projects", tag = "projects", responses((status = 200, body = Vec<ProjectView>)))]
pub(crate) async fn list(State(server): State<Server>) -> Result<Json<Vec<ProjectView>>, Problem> {
    Ok(Json(server.app.projects().await?))
}

/// One project with its latest run.
#[utoipa::path(get, path = "/projects/{id}", tag = "projects", params(("id" = i64, Path, description = "The project")),
    responses((status = 200, body = ProjectView)))]
pub(crate) async fn show(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<ProjectView>, Problem> {
    let project = server.app.find_project(&id.to_string()).await?;
    Ok(Json(server.app.project_view(project).await?))
}

/// Removes a project with everything that was found.
#[utoipa::path(delete, path = "/projects/{id}", tag = "projects",
    params(("id" = i64, Path, description = "The project")), responses((status = 204, description = "It is gone")))]
pub(crate) async fn delete(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<StatusCode, Problem> {
    server.app.delete_project(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The sessions of all runs of a project.
#[utoipa::path(get, path = "/projects/{id}/crawls", tag = "projects",
    params(("id" = i64, Path, description = "The project")), responses((status = 200, body = Vec<CrawlView>)))]
pub(crate) async fn crawls(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
) -> Result<Json<Vec<CrawlView>>, Problem> {
    server.app.find_project(&id.to_string()).await?;
    Ok(Json(server.app.crawls(Some(id)).await?))
}

/// The runs of a project, the newest first.
#[utoipa::path(get, path = "/projects/{id}/runs", tag = "projects",
    params(("id" = i64, Path, description = "The project")), responses((status = 200, body = Vec<RunView>)))]
pub(crate) async fn runs(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<Vec<RunView>>, Problem> {
    server.app.find_project(&id.to_string()).await?;
    Ok(Json(server.app.runs(Some(id)).await?))
}

/// How far the newest run of a project is.
#[utoipa::path(get, path = "/projects/{id}/queue", tag = "projects",
    params(("id" = i64, Path, description = "The project")), responses((status = 200, body = QueueStatus)))]
pub(crate) async fn queue(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<QueueStatus>, Problem> {
    Ok(Json(server.app.queue_status(id).await?))
}

/// Gives up what is left of the paused run: it keeps its results, and nothing of it is resumed.
#[utoipa::path(delete, path = "/projects/{id}/queue", tag = "projects",
    params(("id" = i64, Path, description = "The project")), responses((status = 204, description = "It is empty")))]
pub(crate) async fn clear_queue(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<StatusCode, Problem> {
    server.app.clear_queue(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The icon of the site; fetched once and kept.
#[utoipa::path(get, path = "/projects/{id}/favicon", tag = "projects",
    params(("id" = i64, Path, description = "The project")),
    responses((status = 200, description = "The image", content_type = "image/*", body = Vec<u8>)))]
pub(crate) async fn favicon(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Response, Problem> {
    let reach = if server.options.allow_private { Reach::AsSet } else { Reach::Public };
    let icon = server.app.favicon(id, reach).await?;
    // Only what a browser shows as a picture and nothing else: an SVG is a document with scripts.
    let media_type = icon.media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_picture = media_type.starts_with("image/") && !media_type.starts_with("image/svg");
    let media_type = HeaderValue::from_str(&media_type).ok().filter(|_| is_picture && !icon.bytes.is_empty());
    let media_type = media_type.ok_or_else(|| Problem::not_found("the site has no icon"))?;
    let cache = HeaderValue::from_static("private, max-age=3600");
    Ok(([(CONTENT_TYPE, media_type), (CACHE_CONTROL, cache)], icon.bytes).into_response())
}
