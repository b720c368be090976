//! Health, version, figures, and the description of the interface.

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{Code, Problem};
use crate::metrics::Now;
use crate::state::Server;

/// Whether the server works.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// ok.
    status: &'static str,
    /// ok: the database answers.
    database: &'static str,
}

/// Whether the server lives and its database answers.
#[utoipa::path(get, path = "/health", tag = "system", responses((status = 200, body = Health)), security(()))]
pub(crate) async fn health(State(server): State<Server>) -> Result<Json<Health>, Problem> {
    server.app.check_database().await.map_err(|error| {
        tracing::error!(story = error.story(), "the database does not answer");
        Problem::busy(Code::Unavailable, "the database does not answer")
    })?;
    Ok(Json(Health { status: "ok", database: "ok" }))
}

/// Which version it is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    /// bluesnake.
    name: &'static str,
    /// Of the program.
    version: &'static str,
    /// Of the interface.
    api: &'static str,
}

/// Which version it is.
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

/// Figures for Prometheus: requests, how long they took, crawls, pages, streams of events.
#[utoipa::path(get, path = "/metrics", tag = "system",
    responses((status = 200, description = "Prometheus text", content_type = "text/plain", body = String)))]
pub(crate) async fn metrics(State(server): State<Server>) -> impl IntoResponse {
    let free = server.event_streams.available_permits();
    let now = Now {
        crawls: server.app.active_sessions().len(),
        event_streams: server.options.limits.event_streams.saturating_sub(free),
    };
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.text(now))
}
