//! Weaves: start, list and read graphs of hosts. Their files come from `/runs/{id}/export`.

use axum::Json;
use bluesnake_app::weave::{
    EdgeView, EdgesQuery, GraphView, NodeView, NodesQuery, PictureQuery, PictureView, StatisticsView, WeaveView,
    selection,
};
use bluesnake_app::{Page, WeaveRequest};
use serde::Deserialize;
use utoipa::IntoParams;

use super::projects::Paging;
use super::request::{InRequest, WeaveBody};
use super::start::{Started, StartedSession, caller, started};
use crate::extract::{Id, InQuery, Reply};
use crate::state::Server;

/// Continues the newest graph, or starts one.
#[utoipa::path(post, path = "/weaves", tag = "weaves", request_body = WeaveBody,
    responses((status = 202, description = "Running or queued", body = StartedSession)))]
pub(crate) async fn start(server: Server, InRequest(request): InRequest<WeaveRequest>) -> Started {
    let handle = server.app.start(request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Graphs, newest first; without figures that need counting.
#[utoipa::path(get, path = "/weaves", tag = "weaves", params(Paging),
    responses((status = 200, body = Page<WeaveView>)))]
pub(crate) async fn list(server: Server, InQuery(paging): InQuery<Paging>) -> Reply<Page<WeaveView>> {
    Ok(Json(server.app.weaves_page(paging.limit, paging.cursor.as_deref()).await?))
}

/// A graph with its figures.
#[utoipa::path(get, path = "/weaves/{id}", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave")), responses((status = 200, body = GraphView)))]
pub(crate) async fn show(server: Server, Id(id): Id) -> Reply<GraphView> {
    Ok(Json(server.app.graph(id).await?))
}

/// The hosts of a graph.
#[utoipa::path(get, path = "/weaves/{id}/nodes", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), NodesQuery),
    responses((status = 200, body = Page<NodeView>)))]
pub(crate) async fn nodes(server: Server, Id(id): Id, InQuery(query): InQuery<NodesQuery>) -> Reply<Page<NodeView>> {
    server.app.find_weave(Some(&id.to_string())).await?;
    Ok(Json(server.app.graph_nodes(id, query).await?))
}

/// The links of a graph.
#[utoipa::path(get, path = "/weaves/{id}/edges", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), EdgesQuery),
    responses((status = 200, body = Page<EdgeView>)))]
pub(crate) async fn edges(server: Server, Id(id): Id, InQuery(query): InQuery<EdgesQuery>) -> Reply<Page<EdgeView>> {
    server.app.find_weave(Some(&id.to_string())).await?;
    Ok(Json(server.app.graph_edges(id, query).await?))
}

/// Selects a subgraph.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct Part {
    /// Only links of at least this weight.
    min_weight: Option<u32>,
    /// Omit hosts without links.
    remove_isolated: bool,
    /// Only this host and what it reaches.
    root: Option<String>,
    /// Maximum number of links to follow.
    #[param(default = 2)]
    depth: Option<u32>,
}

/// Statistics of a graph or subgraph: hosts, links, density, degrees, components, top domains.
#[utoipa::path(get, path = "/weaves/{id}/statistics", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), Part),
    responses((status = 200, body = StatisticsView)))]
pub(crate) async fn statistics(server: Server, Id(id): Id, InQuery(part): InQuery<Part>) -> Reply<StatisticsView> {
    let place = server.place()?;
    let part = selection(part.min_weight, part.root, part.depth, part.remove_isolated);
    Ok(Json(server.app.graph_statistics(place, id, part).await?.into()))
}

/// The highest-ranked hosts of a graph or subgraph with their places in a picture, and the links between them.
#[utoipa::path(get, path = "/weaves/{id}/picture", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), PictureQuery),
    responses((status = 200, body = PictureView)))]
pub(crate) async fn picture(server: Server, Id(id): Id, InQuery(query): InQuery<PictureQuery>) -> Reply<PictureView> {
    let place = server.place()?;
    Ok(Json(server.app.graph_picture(place, id, query).await?))
}
