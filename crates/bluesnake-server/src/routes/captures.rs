//! Captures: start, read and search them. Their files come from `/runs/{id}/export`.

use std::io;

use axum::Json;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bluesnake_app::capture::{CaptureView, CapturedPage, ErrorsQuery, Found, LoggedError, Previewed};
use bluesnake_app::view::{CaptureRunView, DocumentView};
use bluesnake_app::{CaptureRequest, CapturesQuery, Page, StartRequest};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use utoipa::IntoParams;

use super::pages::WhichPage;
use super::projects::Paging;
use super::request::{CaptureBody, InRequest};
use super::start::{Started, StartedSession, caller, started};
use crate::error::Problem;
use crate::extract::{Id, InQuery, Reply};
use crate::secrets::InSecrets;
use crate::state::Server;

/// Starts a capture, or resumes one that was interrupted.
#[utoipa::path(post, path = "/captures", tag = "captures", request_body = CaptureBody,
    responses((status = 202, description = "Running or queued", body = StartedSession)))]
pub(crate) async fn start(server: Server, InRequest(request): InRequest<CaptureRequest>) -> Started {
    let handle = server.app.start(request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Captures of all projects, newest first; without figures that need counting.
#[utoipa::path(get, path = "/captures", tag = "captures", params(CapturesQuery),
    responses((status = 200, body = Page<CaptureRunView>)))]
pub(crate) async fn list(server: Server, InQuery(query): InQuery<CapturesQuery>) -> Reply<Page<CaptureRunView>> {
    Ok(Json(server.app.captures_list(query).await?))
}

/// Failed pages of all captures: newest capture first, then in the order of the crawl.
#[utoipa::path(get, path = "/captures/errors", tag = "captures", params(ErrorsQuery),
    responses((status = 200, body = Page<LoggedError>)))]
pub(crate) async fn errors(server: Server, InQuery(query): InQuery<ErrorsQuery>) -> Reply<Page<LoggedError>> {
    Ok(Json(server.app.capture_errors(query).await?))
}

/// Lists what a capture would contain, and what not and why, without storing anything. The response ends with the crawl;
/// disconnecting stops it.
#[utoipa::path(post, path = "/captures/preview", tag = "captures", request_body = CaptureBody,
    responses((status = 200, body = Vec<Previewed>)))]
pub(crate) async fn preview(
    server: Server,
    InSecrets(secrets): InSecrets,
    InRequest(request): InRequest<CaptureRequest>,
) -> Result<Response, Problem> {
    server.app.check_room()?;
    let caller = caller(&server.options);
    // Problems are reported before the response starts; its end may take as long as the site has pages.
    StartRequest::from(request.clone()).check(&caller)?;
    let list = stream::once(async move {
        let previewed = server.app.preview(&request, caller, server.end.cancelled()).await.map_err(|error| {
            tracing::error!(story = error.story(), "a preview failed");
            io::Error::other("the preview failed")
        })?;
        let text = serde_json::to_string(&previewed).expect("a list of texts is JSON");
        Ok::<_, io::Error>(Bytes::from(secrets.show_json(&text).into_owned()))
    });
    Ok(([(CONTENT_TYPE, "application/json")], Body::from_stream(list)).into_response())
}

/// The status of a capture, with figures and failed pages.
#[utoipa::path(get, path = "/captures/{id}", tag = "captures",
    params(("id" = i64, Path, description = "The run of the capture")), responses((status = 200, body = CaptureView)))]
pub(crate) async fn show(server: Server, Id(id): Id) -> Reply<CaptureView> {
    Ok(Json(server.app.capture(id).await?))
}

/// The pages of a capture, without their text.
#[utoipa::path(get, path = "/captures/{id}/pages", tag = "captures",
    params(("id" = i64, Path, description = "The run of the capture"), Paging),
    responses((status = 200, body = Page<DocumentView>)))]
pub(crate) async fn pages(server: Server, Id(id): Id, InQuery(paging): InQuery<Paging>) -> Reply<Page<DocumentView>> {
    Ok(Json(server.app.captured_pages(id, paging.limit, paging.cursor.as_deref()).await?))
}

/// One page of a capture with its text as Markdown.
#[utoipa::path(get, path = "/captures/{id}/page", tag = "captures",
    params(("id" = i64, Path, description = "The run of the capture"), WhichPage),
    responses((status = 200, body = CapturedPage)))]
pub(crate) async fn page(
    server: Server,
    Id(id): Id,
    InSecrets(secrets): InSecrets,
    InQuery(asked): InQuery<WhichPage>,
) -> Reply<CapturedPage> {
    server.app.capture(id).await?;
    Ok(Json(server.app.captured_page(id, &asked.url).await?.shown(secrets)))
}

/// Search parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchParams {
    /// Words or a question; put phrases in quotes.
    #[param(min_length = 1, max_length = 1000)]
    q: String,
    /// Only in the capture of this project.
    #[serde(rename = "projectID")]
    #[param(rename = "projectID")]
    project_id: Option<i64>,
    /// Only in the capture of this run, which need not be the newest or complete.
    run_id: Option<i64>,
    /// Maximum number of sections.
    #[param(minimum = 1, maximum = 1000, default = 10)]
    limit: Option<usize>,
}

/// Sections of captured pages that contain these words, best match first.
#[utoipa::path(get, path = "/captures/search", tag = "captures", params(SearchParams),
    responses((status = 200, body = Vec<Found>)))]
pub(crate) async fn search(
    server: Server,
    InSecrets(secrets): InSecrets,
    InQuery(asked): InQuery<SearchParams>,
) -> Reply<Vec<Found>> {
    let limit = asked.limit.unwrap_or(10);
    if !(1..=1000).contains(&limit) {
        return Err(Problem::bad_request("limit is 1 to 1000"));
    }
    if asked.q.chars().count() > 1000 {
        return Err(Problem::bad_request("q is longer than 1000 characters"));
    }
    Ok(Json(match asked.run_id {
        Some(run) => server.app.search_capture(&asked.q, run, limit, secrets).await?,
        None => server.app.search_captures(&asked.q, asked.project_id, limit, secrets).await?,
    }))
}
