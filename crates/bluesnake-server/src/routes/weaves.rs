//! Weaves: graphs of hosts, woven, listed and counted. Its files come from `/runs/{id}/export`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use bluesnake_app::weave::{
    EdgeView, EdgesQuery, GraphView, Neighbourhood, NodeView, NodesQuery, Selection, StatisticsView, WeaveView,
};
use bluesnake_app::{Page, WeaveRequest};
use serde::Deserialize;
use utoipa::IntoParams;

use super::projects::Paging;
use super::request::{InRequest, WeaveBody};
use super::start::{StartedSession, caller, started};
use crate::error::{Code, Problem};
use crate::extract::{InPath, InQuery};
use crate::state::Server;

/// Continues the newest graph, or starts one.
#[utoipa::path(post, path = "/weaves", tag = "weaves", request_body = WeaveBody,
    responses((status = 202, description = "It runs, or waits for its turn", body = StartedSession)))]
pub(crate) async fn start(
    State(server): State<Server>,
    InRequest(request): InRequest<WeaveRequest>,
) -> Result<(StatusCode, Json<StartedSession>), Problem> {
    let handle = server.app.start(request, caller(&server.options)).await?;
    started(&server, handle).await
}

/// Graphs, newest first; without figures that need counting.
#[utoipa::path(get, path = "/weaves", tag = "weaves", params(Paging),
    responses((status = 200, body = Page<WeaveView>)))]
pub(crate) async fn list(
    State(server): State<Server>,
    InQuery(paging): InQuery<Paging>,
) -> Result<Json<Page<WeaveView>>, Problem> {
    Ok(Json(server.app.weaves_page(paging.limit, paging.cursor.as_deref()).await?))
}

/// A graph with its figures.
#[utoipa::path(get, path = "/weaves/{id}", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave")), responses((status = 200, body = GraphView)))]
pub(crate) async fn show(State(server): State<Server>, InPath(id): InPath<i64>) -> Result<Json<GraphView>, Problem> {
    let run = server.app.find_weave(Some(&id.to_string())).await?;
    Ok(Json(server.app.graph(&run).await?))
}

/// The hosts of a graph.
#[utoipa::path(get, path = "/weaves/{id}/nodes", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), NodesQuery),
    responses((status = 200, body = Page<NodeView>)))]
pub(crate) async fn nodes(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
    InQuery(query): InQuery<NodesQuery>,
) -> Result<Json<Page<NodeView>>, Problem> {
    server.app.find_weave(Some(&id.to_string())).await?;
    Ok(Json(server.app.graph_nodes(id, query).await?))
}

/// The links of a graph.
#[utoipa::path(get, path = "/weaves/{id}/edges", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), EdgesQuery),
    responses((status = 200, body = Page<EdgeView>)))]
pub(crate) async fn edges(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
    InQuery(query): InQuery<EdgesQuery>,
) -> Result<Json<Page<EdgeView>>, Problem> {
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

impl Part {
    pub(super) fn selection(&self) -> Selection {
        Selection {
            min_weight: self.min_weight.unwrap_or(0),
            around: self.root.clone().map(|root| Neighbourhood::new(root, self.depth)),
            remove_isolated: self.remove_isolated,
        }
    }
}

/// Statistics of a graph or subgraph: hosts, links, density, degrees, components, top domains.
#[utoipa::path(get, path = "/weaves/{id}/statistics", tag = "weaves",
    params(("id" = i64, Path, description = "The run of the weave"), Part),
    responses((status = 200, body = StatisticsView)))]
pub(crate) async fn statistics(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
    InQuery(part): InQuery<Part>,
) -> Result<Json<StatisticsView>, Problem> {
    let place = Arc::clone(&server.queries).try_acquire_owned();
    let place = place.map_err(|_| Problem::busy(Code::TooManyQueries, "too many queries are running"))?;
    let statistics = server.app.graph_statistics(place, id, part.selection()).await?;
    Ok(Json(statistics.into()))
}
