//! Results of a run: paged URLs and links, and details of one page, whose URL is a percent-encoded path segment or the
//! parameter `url`.

use axum::Json;
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use bluesnake_app::view::{LinkView, PageForm, PageLinks, UrlView};
use bluesnake_app::{LinksQuery, Page, PagesOf, PagesQuery};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::error::Problem;
use crate::extract::{Id, InPath, InQuery, Reply};
use crate::openapi::File;
use crate::state::Server;

/// Default number of links per direction.
const MOST_LINKS: usize = 1000;

/// How many links.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LinkLimit {
    /// Maximum number of links per direction.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Which page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WhichPage {
    /// The page, by any of its URLs.
    pub(super) url: String,
}

/// Which form of a page.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WhichForm {
    /// Which form.
    #[param(inline)]
    form: Option<PageForm>,
}

/// Which page, and which form of it.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FormOfPage {
    /// The page, by any of its URLs.
    url: String,
    /// Which form.
    #[param(inline)]
    form: Option<PageForm>,
}

/// Which page, and how many links.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageOfCrawl {
    /// The page.
    url: String,
    /// Maximum number of links per direction.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Links on a page, and links to it.
#[utoipa::path(get, path = "/crawls/{id}/pages/{url}/links", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), ("url" = String, Path, description = "The page, percent-encoded"), LinkLimit),
    responses((status = 200, body = PageLinks)))]
pub(crate) async fn links_of_page(
    server: Server,
    InPath((id, url)): InPath<(i64, String)>,
    InQuery(asked): InQuery<LinkLimit>,
) -> Reply<PageLinks> {
    links(&server, id, &url, asked.limit).await
}

/// Like `/crawls/{id}/pages/{url}/links`, with the page as a parameter.
#[utoipa::path(get, path = "/crawls/{id}/page/links", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), PageOfCrawl), responses((status = 200, body = PageLinks)))]
pub(crate) async fn links_of_url(server: Server, Id(id): Id, InQuery(asked): InQuery<PageOfCrawl>) -> Reply<PageLinks> {
    links(&server, id, &asked.url, asked.limit).await
}

async fn links(server: &Server, crawl: i64, url: &str, limit: Option<usize>) -> Reply<PageLinks> {
    let limit = limit.unwrap_or(MOST_LINKS);
    if !(1..=MOST_LINKS).contains(&limit) {
        return Err(Problem::bad_request(format!("limit is 1 to {MOST_LINKS}")));
    }
    let run = server.app.session_view(crawl).await?.run_id;
    Ok(Json(server.app.page_links(run, url, limit).await?))
}

/// The stored document of a page, as plain text or as a download: never as something a browser would run.
#[utoipa::path(get, path = "/crawls/{id}/pages/{url}/content", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), ("url" = String, Path, description = "The page, percent-encoded"), WhichForm),
    responses((status = 200, description = "The document", content_type = "text/plain", body = inline(File))))]
pub(crate) async fn content_of_page(
    server: Server,
    InPath((id, url)): InPath<(i64, String)>,
    InQuery(asked): InQuery<WhichForm>,
) -> Result<Response, Problem> {
    content(&server, id, &url, asked.form).await
}

/// Like `/crawls/{id}/pages/{url}/content`, with the page as a parameter.
#[utoipa::path(get, path = "/crawls/{id}/page/content", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), FormOfPage),
    responses((status = 200, description = "The document", content_type = "text/plain", body = inline(File))))]
pub(crate) async fn content_of_url(
    server: Server,
    Id(id): Id,
    InQuery(asked): InQuery<FormOfPage>,
) -> Result<Response, Problem> {
    content(&server, id, &asked.url, asked.form).await
}

async fn content(server: &Server, crawl: i64, url: &str, form: Option<PageForm>) -> Result<Response, Problem> {
    let form = form.unwrap_or_default();
    let run = server.app.session_view(crawl).await?.run_id;
    let page = server.app.page_content(run, url, form).await?;
    let mut response = Response::new(Body::from(page.bytes));
    let headers = response.headers_mut();
    // A stored page is shown as source; its own media type is in a separate header.
    let shown_as = if form == PageForm::Screenshot { "image/png" } else { "text/plain; charset=utf-8" };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(shown_as));
    let content_type = HeaderValue::from_str(&page.content_type).unwrap_or(HeaderValue::from_static("unknown"));
    headers.insert("x-page-content-type", content_type);
    headers.insert("x-page-status", HeaderValue::from(page.status));
    headers.insert("x-page-is-cut", HeaderValue::from_static(if page.is_cut { "true" } else { "false" }));
    Ok(response)
}

/// URLs of a run, filtered, sorted and searched.
#[utoipa::path(get, path = "/runs/{id}/pages", tag = "pages",
    params(("id" = i64, Path, description = "The run"), PagesQuery), responses((status = 200, body = Page<UrlView>)))]
pub(crate) async fn pages_of_run(
    server: Server,
    Id(id): Id,
    InQuery(query): InQuery<PagesQuery>,
) -> Reply<Page<UrlView>> {
    server.app.run(id).await?;
    Ok(Json(server.app.pages(PagesOf::Run(id), query).await?))
}

/// URLs visited by a session, filtered, sorted and searched.
#[utoipa::path(get, path = "/crawls/{id}/pages", tag = "pages",
    params(("id" = i64, Path, description = "The crawl"), PagesQuery), responses((status = 200, body = Page<UrlView>)))]
pub(crate) async fn pages_of_crawl(
    server: Server,
    Id(id): Id,
    InQuery(query): InQuery<PagesQuery>,
) -> Reply<Page<UrlView>> {
    server.app.session_view(id).await?;
    Ok(Json(server.app.pages(PagesOf::Session(id), query).await?))
}

/// Links of a run, filtered and searched, in document order.
#[utoipa::path(get, path = "/runs/{id}/links", tag = "pages",
    params(("id" = i64, Path, description = "The run"), LinksQuery), responses((status = 200, body = Page<LinkView>)))]
pub(crate) async fn links_of_run(
    server: Server,
    Id(id): Id,
    InQuery(query): InQuery<LinksQuery>,
) -> Reply<Page<LinkView>> {
    server.app.run(id).await?;
    Ok(Json(server.app.links(id, query).await?))
}
