//! The picture of a graph as numbers, for programs that draw it themselves.

use bluesnake_graph::{Edge, Graph, GraphBuilder, GraphError, NodeId, PageRank, Picture, PictureOptions, RankOptions};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::graph::{RankedGraph, app_error};
use super::selection;
use crate::app::{App, off_the_runtime};
use crate::error::AppError;

/// The default number of hosts.
const USUAL_HOSTS: usize = 1_000;
/// More than a browser can draw.
const MOST_HOSTS: usize = 10_000;
const MOST_LINKS: usize = 100_000;

/// Which part of a graph to draw.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub struct PictureQuery {
    /// Only links of at least this weight.
    pub min_weight: Option<u32>,
    /// Omit hosts without links.
    pub remove_isolated: bool,
    /// Only this host and what it reaches.
    pub root: Option<String>,
    /// Maximum number of links to follow.
    #[param(default = 2)]
    pub depth: Option<u32>,
    /// Maximum number of hosts, 1 to 10,000; those with the highest PageRank are drawn.
    #[param(minimum = 1, maximum = 10000, default = 1000)]
    pub limit: Option<usize>,
}

/// The highest-ranked hosts of a graph with their positions.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PictureView {
    /// Hosts of the selected part of the graph, drawn or not.
    pub hosts: usize,
    /// Links of that part.
    pub links: usize,
    /// The drawn hosts, highest PageRank first.
    pub nodes: Vec<PlaceView>,
    /// Links between them: the positions of two hosts in `nodes`, and the weight.
    pub edges: Vec<[u64; 3]>,
    /// How many links between them are omitted: the lightest, beyond 100,000.
    pub omitted_links: usize,
}

/// A host in a picture.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    /// Its name.
    pub host: String,
    /// Title of its first page.
    pub description: String,
    /// Horizontal position.
    pub x: f64,
    /// Vertical position.
    pub y: f64,
    /// Its cluster; 0 is the largest.
    pub cluster: u32,
    /// Links from a seed.
    pub depth: Option<u32>,
    /// PageRank in the selected part.
    pub pagerank: f64,
    /// Harmonic centrality in the selected part.
    pub harmonic: f64,
    /// Hosts that link to it.
    pub in_degree: usize,
    /// Hosts it links to.
    pub out_degree: usize,
}

impl App {
    /// The picture of a graph, or of a part of it. Holds a value until the work ends, even if the caller stops waiting
    /// earlier.
    pub async fn graph_picture<T: Send + 'static>(
        &self,
        held: T,
        run: i64,
        query: PictureQuery,
    ) -> Result<PictureView, AppError> {
        let limit = query.limit.unwrap_or(USUAL_HOSTS);
        if !(1..=MOST_HOSTS).contains(&limit) {
            return Err(AppError::Rejected {
                message: format!("`limit` is {limit}"),
                hint: format!("use 1 to {MOST_HOSTS}"),
            });
        }
        let selection = selection(query.min_weight, query.root, query.depth, query.remove_isolated);
        let database = self.graph_database(run).await?;
        off_the_runtime(move || {
            let _held = held;
            drawn(&RankedGraph::read(&database, run, &selection)?, limit)
        })
        .await
    }
}

fn drawn(ranked: &RankedGraph, limit: usize) -> Result<PictureView, AppError> {
    let shown = highest(ranked, limit);
    let part = induced(&ranked.graph, &shown).map_err(app_error)?;
    let RankOptions { pagerank, threads, .. } = RankOptions::default();
    let picture = Picture::of(&part, &PageRank::of(&part, &pagerank, threads), &PictureOptions::default());
    let nodes = part.ids().zip(&shown).map(|(id, whole)| place(ranked, *whole, picture.place(id), picture.group(id)));
    let (edges, omitted_links) = heaviest(&part);
    Ok(PictureView {
        hosts: ranked.graph.node_count(),
        links: ranked.graph.edge_count(),
        nodes: nodes.collect(),
        edges,
        omitted_links,
    })
}

/// The links of a graph as rows, and how many of the lightest are omitted.
fn heaviest(part: &Graph) -> (Vec<[u64; 3]>, usize) {
    let number = |id: NodeId| id.index() as u64;
    let mut edges: Vec<_> = part.edges().map(|edge| [number(edge.from), number(edge.to), edge.weight.into()]).collect();
    let omitted = edges.len().saturating_sub(MOST_LINKS);
    if omitted > 0 {
        edges.sort_by_key(|[from, to, weight]| (std::cmp::Reverse(*weight), *from, *to));
        edges.truncate(MOST_LINKS);
        edges.sort_unstable();
    }
    (edges, omitted)
}

/// The hosts with the highest PageRank, in that order; equal ones in number order.
fn highest(ranked: &RankedGraph, limit: usize) -> Vec<NodeId> {
    let mut ids: Vec<NodeId> = ranked.graph.ids().collect();
    let value = |id: &NodeId| ranked.ranks.pagerank.value(*id);
    ids.sort_by(|one, other| value(other).total_cmp(&value(one)));
    ids.truncate(limit);
    ids
}

/// The part of a graph between these hosts, in this order.
fn induced(graph: &Graph, ids: &[NodeId]) -> Result<Graph, GraphError> {
    let mut builder = GraphBuilder::default();
    let mut places = vec![None; graph.node_count()];
    for id in ids {
        places[id.index()] = Some(builder.node(graph.node(*id))?);
    }
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (places[edge.from.index()], places[edge.to.index()]) {
            builder.edge(Edge { from, to, weight: edge.weight })?;
        }
    }
    builder.build()
}

fn place(ranked: &RankedGraph, id: NodeId, (x, y): (f64, f64), cluster: u32) -> PlaceView {
    let (graph, ranks) = (&ranked.graph, &ranked.ranks);
    let node = graph.node(id);
    PlaceView {
        host: node.host.to_owned(),
        description: node.description.to_owned(),
        x: (x * 10.0).round() / 10.0,
        y: (y * 10.0).round() / 10.0,
        cluster,
        depth: node.depth,
        pagerank: ranks.pagerank.value(id),
        harmonic: ranks.harmonic.value(id),
        in_degree: graph.in_degree(id),
        out_degree: graph.out_degree(id),
    }
}
