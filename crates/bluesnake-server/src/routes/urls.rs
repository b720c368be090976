//! One URL of a run, by its number: everything about it, and the links from and to it.

use axum::Json;
use bluesnake_app::view::{InlinkView, LinkView, UrlDetail};
use bluesnake_app::{Span, Window};

use crate::extract::{InPath, InQuery, Reply};
use crate::state::Server;

/// Everything about one URL: its row, facts, headers, redirects, duplicates and issues.
#[utoipa::path(get, path = "/runs/{id}/urls/{number}", tag = "grid",
    params(("id" = i64, Path, description = "The run"), ("number" = u32, Path, description = "The number of the URL")),
    responses((status = 200, body = UrlDetail)))]
pub(crate) async fn show(server: Server, InPath((id, number)): InPath<(i64, u32)>) -> Reply<UrlDetail> {
    Ok(Json(server.app.url(id, number).await?))
}

/// The documents that link to a URL, each with its first link there.
#[utoipa::path(get, path = "/runs/{id}/urls/{number}/inlinks", tag = "grid",
    params(("id" = i64, Path, description = "The run"), ("number" = u32, Path, description = "The number of the URL"), Span),
    responses((status = 200, body = Window<InlinkView>)))]
pub(crate) async fn inlinks(
    server: Server,
    InPath((id, number)): InPath<(i64, u32)>,
    InQuery(span): InQuery<Span>,
) -> Reply<Window<InlinkView>> {
    Ok(Json(server.app.inlinks(id, number, span).await?))
}

/// The links of a document, in document order.
#[utoipa::path(get, path = "/runs/{id}/urls/{number}/outlinks", tag = "grid",
    params(("id" = i64, Path, description = "The run"), ("number" = u32, Path, description = "The number of the URL"), Span),
    responses((status = 200, body = Window<LinkView>)))]
pub(crate) async fn outlinks(
    server: Server,
    InPath((id, number)): InPath<(i64, u32)>,
    InQuery(span): InQuery<Span>,
) -> Reply<Window<LinkView>> {
    Ok(Json(server.app.outlinks(id, number, span).await?))
}
