//! What is known of one page. Its URL is a percent-encoded segment of the path, or the parameter `url`.

use axum::Json;
use axum::extract::State;
use bluesnake_app::view::PageLinks;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::Problem;
use crate::extract::{InPath, InQuery};
use crate::state::Server;

/// Links of each direction, unless less is asked for.
const MOST_LINKS: usize = 1000;

/// How many links.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LinkLimit {
    /// At most so many of each direction.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Which page, and how many links.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageOfCrawl {
    /// The page.
    url: String,
    /// At most so many of each direction.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Links of a page, and links that lead to it.
#[utoipa::path(get, path = "/crawls/{id}/pages/{url}/links", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), ("url" = String, Path, description = "The page, percent-encoded"), LinkLimit),
    responses((status = 200, body = PageLinks)))]
pub(crate) async fn links_of_page(
    State(server): State<Server>,
    InPath((id, url)): InPath<(i64, String)>,
    InQuery(asked): InQuery<LinkLimit>,
) -> Result<Json<PageLinks>, Problem> {
    links(&server, id, &url, asked.limit).await
}

/// The same as `/crawls/{id}/pages/{url}/links`, with the page as a parameter.
#[utoipa::path(get, path = "/crawls/{id}/page/links", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), PageOfCrawl), responses((status = 200, body = PageLinks)))]
pub(crate) async fn links_of_url(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
    InQuery(asked): InQuery<PageOfCrawl>,
) -> Result<Json<PageLinks>, Problem> {
    links(&server, id, &asked.url, asked.limit).await
}

async fn links(server: &Server, crawl: i64, url: &str, limit: Option<usize>) -> Result<Json<PageLinks>, Problem> {
    let limit = limit.unwrap_or(MOST_LINKS);
    if !(1..=MOST_LINKS).contains(&limit) {
        return Err(Problem::bad_request(format!("limit is 1 to {MOST_LINKS}")));
    }
    let run = server.app.crawl_view(crawl).await?.run_id;
    Ok(Json(server.app.page_links(run, url, limit).await?))
}
