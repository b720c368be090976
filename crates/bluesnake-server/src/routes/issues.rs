//! Issues: the catalogue of checks, what they found in a run, and a new audit with other thresholds.

use axum::Json;
use bluesnake_app::view::{CheckText, IssueRowView, IssuesView};
use bluesnake_app::{Groups, Span, Window, audit_changes};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::error::Problem;
use crate::extract::{Id, InPath, InQuery, MaybeBody, Reply};
use crate::state::Server;

/// Every check, with why it matters and how to fix what it finds.
#[utoipa::path(get, path = "/checks", tag = "issues", responses((status = 200, body = Vec<CheckText>)))]
pub(crate) async fn checks() -> Json<Vec<CheckText>> {
    Json(bluesnake_app::checks())
}

/// The result of every check of a run, highest priority first.
#[utoipa::path(get, path = "/runs/{id}/issues", tag = "issues", params(("id" = i64, Path, description = "The run")),
    responses((status = 200, body = IssuesView)))]
pub(crate) async fn list(server: Server, Id(id): Id) -> Reply<IssuesView> {
    Ok(Json(server.app.issues(id).await?))
}

/// The URLs that a check found, in number order.
#[utoipa::path(get, path = "/runs/{id}/issues/{check}", tag = "issues",
    params(("id" = i64, Path, description = "The run"), ("check" = String, Path, description = "The id of the check"), Span),
    responses((status = 200, body = Window<IssueRowView>)))]
pub(crate) async fn rows(
    server: Server,
    InPath((id, check)): InPath<(i64, String)>,
    InQuery(span): InQuery<Span>,
) -> Reply<Window<IssueRowView>> {
    Ok(Json(server.app.issue_rows(id, &check, span).await?))
}

/// How to audit a run again.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AuditAgain {
    /// Settings of the group `audit`, over those the run was started with; see /settings/schema.
    #[schema(value_type = Object, example = json!({"audit": {"min_words": 100, "off": ["title-too-short"]}}))]
    settings: Groups,
}

/// Audits a completed run again, with other thresholds if given, and stores the result. Requests nothing from the site.
#[utoipa::path(post, path = "/runs/{id}/audit", tag = "issues", request_body = Option<AuditAgain>,
    params(("id" = i64, Path, description = "The run")), responses((status = 200, body = IssuesView)))]
pub(crate) async fn audit(server: Server, Id(id): Id, MaybeBody(again): MaybeBody<AuditAgain>) -> Reply<IssuesView> {
    let changes = audit_changes(&again.settings).map_err(Problem::fields)?;
    Ok(Json(server.in_place(|app| async move { app.audit(id, Some(changes)).await }).await?))
}
