//! The grid of a run: windows of its URLs, counts by value, and the tree of its folders.

use axum::Json;
use bluesnake_app::{FacetsQuery, FacetsView, HistogramQuery, HistogramView, RowsQuery, RowsWindow, TreeView};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{Id, InQuery, Reply};
use crate::state::Server;

/// URLs of a run, filtered and sorted: any window of the list, with its total.
#[utoipa::path(get, path = "/runs/{id}/rows", tag = "grid",
    params(("id" = i64, Path, description = "The run"), RowsQuery), responses((status = 200, body = RowsWindow)))]
pub(crate) async fn rows(server: Server, Id(id): Id, InQuery(query): InQuery<RowsQuery>) -> Reply<RowsWindow> {
    Ok(Json(server.app.rows(id, query).await?))
}

/// How many URLs of a run have which status, type, depth and so on. Every value works as a filter of that name.
#[utoipa::path(get, path = "/runs/{id}/facets", tag = "grid",
    params(("id" = i64, Path, description = "The run"), FacetsQuery), responses((status = 200, body = FacetsView)))]
pub(crate) async fn facets(server: Server, Id(id): Id, InQuery(query): InQuery<FacetsQuery>) -> Reply<FacetsView> {
    Ok(Json(server.app.facets(id, query).await?))
}

/// A histogram of response times, sizes, depths, words or inlinks.
#[utoipa::path(get, path = "/runs/{id}/histogram", tag = "grid",
    params(("id" = i64, Path, description = "The run"), HistogramQuery),
    responses((status = 200, body = HistogramView)))]
pub(crate) async fn histogram(
    server: Server,
    Id(id): Id,
    InQuery(query): InQuery<HistogramQuery>,
) -> Reply<HistogramView> {
    Ok(Json(server.app.histogram(id, query).await?))
}

/// Which folder.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Folder {
    /// The path of a folder, as the tree shows it; without it, the hosts of the site.
    #[param(value_type = Option<String>, max_length = 4096)]
    prefix: String,
}

/// The folders directly in a folder of a site, with the number of URLs, indexable pages and errors below each.
#[utoipa::path(get, path = "/runs/{id}/tree", tag = "grid",
    params(("id" = i64, Path, description = "The run"), Folder), responses((status = 200, body = TreeView)))]
pub(crate) async fn tree(server: Server, Id(id): Id, InQuery(folder): InQuery<Folder>) -> Reply<TreeView> {
    Ok(Json(server.app.tree(id, folder.prefix).await?))
}
