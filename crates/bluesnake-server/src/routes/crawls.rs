//! Sessions of runs, called crawls in the API.

use axum::Json;
use axum::http::StatusCode;
use bluesnake_app::view::{SessionView, UrlView};
use bluesnake_app::{Limit, Page, PageType, PageTypes, PagesOf, PagesQuery};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::error::Problem;
use crate::extract::{Id, InQuery, Reply};
use crate::state::Server;

/// Which URLs of a session.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// Kind: all, html, css, javascript, images, fonts or others.
    #[serde(default, rename = "type")]
    #[param(rename = "type", value_type = Option<PageTypes>, inline)]
    kind: PageType,
    /// Maximum number of rows.
    #[serde(default)]
    #[param(value_type = usize, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
    /// `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Search parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Searched {
    /// Text in the URL, title or description.
    q: String,
    /// Kind: all, html, css, javascript, images, fonts or others.
    #[serde(default, rename = "type")]
    #[param(rename = "type", value_type = Option<PageTypes>, inline)]
    kind: PageType,
    /// Maximum number of rows.
    #[serde(default)]
    #[param(value_type = usize, minimum = 1, maximum = 1000, default = 100)]
    limit: Limit,
    /// `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// A session with some of the URLs it visited.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CrawlResults {
    /// The session.
    #[serde(flatten)]
    crawl: SessionView,
    /// URLs in number order.
    results: Vec<UrlView>,
    /// Cursor of the next page.
    next_cursor: Option<String>,
    /// Whether there are more.
    has_more: bool,
}

/// One session with the URLs it visited, paged.
#[utoipa::path(get, path = "/crawls/{id}", tag = "crawls",
    params(("id" = i64, Path, description = "The crawl"), Wanted), responses((status = 200, body = CrawlResults)))]
pub(crate) async fn show(server: Server, Id(id): Id, InQuery(wanted): InQuery<Wanted>) -> Reply<CrawlResults> {
    let crawl = server.app.session_view(id).await?;
    let Wanted { kind: page_type, limit, cursor } = wanted;
    let query = PagesQuery { page_type, limit, cursor, ..PagesQuery::default() };
    let Page { items: results, next_cursor, has_more } = server.app.pages(PagesOf::Session(id), query).await?;
    Ok(Json(CrawlResults { crawl, results, next_cursor, has_more }))
}

/// Searches the URLs of a session by URL, title and description.
#[utoipa::path(get, path = "/search/{crawlId}", tag = "pages",
    params(("crawlId" = i64, Path, description = "The crawl"), Searched),
    responses((status = 200, body = Page<UrlView>)))]
pub(crate) async fn search(server: Server, Id(id): Id, InQuery(asked): InQuery<Searched>) -> Reply<Page<UrlView>> {
    server.app.session_view(id).await?;
    let Searched { q, kind: page_type, limit, cursor } = asked;
    let query = PagesQuery { page_type, search: Some(q), limit, cursor, ..PagesQuery::default() };
    Ok(Json(server.app.pages(PagesOf::Session(id), query).await?))
}

/// Deletes a crawl that is the only session of its run, with all its results.
#[utoipa::path(delete, path = "/crawls/{id}", tag = "crawls", params(("id" = i64, Path, description = "The crawl")),
    responses((status = 204, description = "Deleted")))]
pub(crate) async fn delete(server: Server, Id(id): Id) -> Result<StatusCode, Problem> {
    server.app.delete_session(id).await?;
    Ok(StatusCode::NO_CONTENT)
}
