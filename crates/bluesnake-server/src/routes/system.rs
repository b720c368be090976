//! Health, version, metrics, and the API description.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{Code, Problem};
use crate::extract::Reply;
use crate::metrics::Now;
use crate::state::Server;

/// The health of the server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// ok.
    status: &'static str,
    /// ok: the database responds.
    database: &'static str,
}

/// Health check: the server and its database respond.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, body = Health)), security(()))]
pub(crate) async fn health(server: Server) -> Reply<Health> {
    server.app.check_database().await.map_err(|error| {
        tracing::error!(story = error.story(), "the database does not respond");
        Problem::busy(Code::Unavailable, "the database does not respond")
    })?;
    Ok(Json(Health { status: "ok", database: "ok" }))
}

/// The version.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    /// bluesnake.
    name: &'static str,
    /// Version of the program.
    version: &'static str,
    /// Version of the API.
    api: &'static str,
}

/// The version.
#[utoipa::path(get, path = "/version", tag = "system", responses((status = 200, body = Version)))]
pub(crate) async fn version() -> Json<Version> {
    Json(Version { name: "bluesnake", version: bluesnake_app::VERSION, api: "v1" })
}

/// This description, as OpenAPI 3.1.
#[utoipa::path(get, path = "/openapi.json", tag = "system",
    responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json", body = Object)))]
pub(crate) async fn openapi() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], crate::openapi::document())
}

/// Prometheus metrics: requests, durations, crawls, pages, event streams.
#[utoipa::path(get, path = "/metrics", tag = "system",
    responses((status = 200, description = "Prometheus text", content_type = "text/plain", body = String)))]
pub(crate) async fn metrics(server: Server) -> impl IntoResponse {
    let free = server.event_streams.available_permits();
    let now = Now {
        crawls: server.app.active_sessions().len(),
        event_streams: server.options.limits.event_streams.saturating_sub(free),
    };
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.text(now))
}
