//! Crawls: the sessions of runs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use bluesnake_app::view::CrawlView;

use crate::error::Problem;
use crate::extract::InPath;
use crate::state::Server;

/// One session.
#[utoipa::path(get, path = "/crawls/{id}", tag = "crawls", params(("id" = i64, Path, description = "The crawl")),
    responses((status = 200, body = CrawlView)))]
pub(crate) async fn show(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<CrawlView>, Problem> {
    Ok(Json(server.app.crawl_view(id).await?))
}

/// Removes a crawl that is the only session of its run, with everything it found.
#[utoipa::path(delete, path = "/crawls/{id}", tag = "crawls", params(("id" = i64, Path, description = "The crawl")),
    responses((status = 204, description = "It is gone")))]
pub(crate) async fn delete(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<StatusCode, Problem> {
    server.app.delete_crawl(id).await?;
    Ok(StatusCode::NO_CONTENT)
}
