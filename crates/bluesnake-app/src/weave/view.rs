//! Views of graphs: lists of weaves, and the figures, hosts and links of one.

use std::collections::BTreeMap;

use bluesnake_graph::{DomainCount, HarmonicOptions, Statistics};
use bluesnake_store::{EdgeRecord, GraphFigures, NodeRecord, RunFigures};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::results::paging::Limit;
use crate::view::{Run, view};

view! {
    /// A weave in a list, without figures that need counting.
    pub struct WeaveView from figures: RunFigures {
        /// The run.
        pub run_id: i64 = figures.run.id,
        /// The project.
        #[serde(rename = "projectID")]
        pub project_id: i64 = figures.run.project,
        /// Its seeds.
        pub seeds: Vec<String> = figures.run.seeds,
        /// in_progress, paused, completed or failed.
        pub state: &'static str = figures.run.state.as_str(),
        /// Why it is paused, or how it was completed.
        pub reason: Option<String> = figures.run.reason,
        /// Hosts in the graph.
        pub nodes: i64 = figures.counts.seen,
        /// Unix time in seconds.
        pub created_at: i64 = figures.run.created_at,
        /// Unix time in seconds.
        pub updated_at: i64 = figures.run.updated_at,
    }
}

/// A graph with its figures.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphView {
    /// The run.
    pub run_id: i64,
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Its seeds.
    pub seeds: Vec<String>,
    /// State of the run: in_progress, paused, completed or failed.
    pub state: String,
    /// Hosts in the graph.
    pub nodes: i64,
    /// Hosts with at least one page read.
    pub nodes_crawled: i64,
    /// Pending hosts.
    pub pending: i64,
    /// The greatest depth of a host.
    pub depth: i64,
    /// Links.
    pub edges: i64,
    /// Pages read.
    pub pages_fetched: i64,
    /// Failed pages.
    pub pages_failed: i64,
    /// Total response time.
    pub total_fetch_time_ms: i64,
    /// Hosts with more pages than the limit.
    pub hosts_with_pages_cut: i64,
    /// Hosts with a page that links to more hosts than the limit.
    pub hosts_with_mentions_cut: i64,
    /// Pages read in part.
    pub partial_pages: i64,
    /// Hosts whose revisit failed and whose earlier results were kept.
    pub hosts_kept: i64,
}

view! {
    /// A host of a graph.
    pub struct NodeView from row: NodeRecord {
        /// Its number in the graph.
        pub number: u32,
        /// Host and port.
        pub host: String,
        /// Its registrable domain.
        pub domain: String,
        /// Its title or description.
        pub description: String,
        /// Distance from the nearest seed in links.
        pub depth: u32,
        /// Number of pages requested.
        pub crawl_count: u32,
        /// Known pages that were not requested because of the limit per host.
        pub pages_cut: u32,
        /// Pages read in part because they were too large or incomplete.
        pub partial_pages: u32,
        /// Linked hosts beyond the limit per page.
        pub mentions_cut: u32,
        /// Where it ended up.
        pub disposition: &'static str = row.reason.disposition().as_str(),
        /// Why.
        pub reason: &'static str = row.reason.as_str(),
    }
}

view! {
    /// A link of a graph.
    pub struct EdgeView from row: EdgeRecord {
        /// The host that links.
        pub from: String,
        /// The host it links to.
        pub to: String,
        /// Number of linking pages.
        pub weight: u32,
    }
}

view! {
    /// Statistics of a graph.
    pub struct StatisticsView from counts: Statistics {
        /// Hosts.
        pub nodes: usize,
        /// Links.
        pub edges: usize,
        /// Links divided by possible links.
        pub density: f64,
        /// Average links per host, in both directions.
        pub average_degree: f64,
        /// Number of hosts by in-degree.
        pub in_degrees: BTreeMap<usize, usize>,
        /// Number of hosts by out-degree.
        pub out_degrees: BTreeMap<usize, usize>,
        /// Hosts without links.
        pub isolated_nodes: usize,
        /// Weakly connected components.
        pub weak_components: usize,
        /// Hosts in the largest of them.
        pub largest_weak_component: usize,
        /// Strongly connected components.
        pub strong_components: usize,
        /// Hosts in the largest of them.
        pub largest_strong_component: usize,
        /// The most linked domains.
        pub top_domains: Vec<DomainView> = counts.top_domains.into_iter().map(DomainView::from).collect(),
        /// How harmonic centrality is computed for this size: exactly, or estimated.
        pub harmonic: String = HarmonicOptions::default().method(counts.nodes).to_string(),
    }
}

view! {
    /// A domain of a graph.
    pub struct DomainView from count: DomainCount {
        /// The registrable domain.
        pub domain: String,
        /// Its hosts in the graph.
        pub hosts: usize,
        /// Incoming links from hosts of other domains.
        pub edges_from_others: usize,
    }
}

/// Which hosts to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct NodesQuery {
    /// Only hosts whose name or description contains this text.
    pub search: Option<String>,
    /// Cursor from the previous page.
    pub cursor: Option<String>,
    /// Maximum number of rows, 1 to 1,000.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
}

/// Which links to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct EdgesQuery {
    /// Only links from or to this host.
    pub host: Option<String>,
    /// Cursor from the previous page.
    pub cursor: Option<String>,
    /// Maximum number of rows, 1 to 1,000.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
}

impl GraphView {
    pub(super) fn of(run: Run, figures: GraphFigures) -> Self {
        Self {
            run_id: run.id,
            project_id: run.project,
            seeds: run.seeds,
            state: run.state.to_string(),
            nodes: figures.nodes,
            nodes_crawled: figures.crawled,
            pending: figures.pending,
            depth: figures.depth,
            edges: figures.edges,
            pages_fetched: figures.pages_fetched,
            pages_failed: figures.pages_failed,
            total_fetch_time_ms: figures.fetch_ms,
            hosts_with_pages_cut: figures.with_pages_cut,
            hosts_with_mentions_cut: figures.with_mentions_cut,
            partial_pages: figures.partial_pages,
            hosts_kept: figures.kept,
        }
    }
}
