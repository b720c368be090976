//! Graphs as they are shown: all of them, and of one its figures, hosts and links; lists a page at a time.

use std::collections::BTreeMap;

use bluesnake_graph::{HarmonicOptions, Statistics};
use bluesnake_store::{EdgeRecord, GraphFigures, NodeRecord, RunFigures, RunRow};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::error::AppError;
use crate::results::paging::Limit;

/// A weave in a list: what is known of its graph without counting.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeaveView {
    /// The run.
    pub run_id: i64,
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Where it starts.
    pub seeds: Vec<String>,
    /// in_progress, paused, completed or failed.
    pub state: &'static str,
    /// Why it is paused, or how it was completed.
    pub reason: Option<String>,
    /// Hosts that are nodes.
    pub nodes: i64,
    /// Unix time in seconds.
    pub created_at: i64,
    /// Unix time in seconds.
    pub updated_at: i64,
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
    /// Where it starts.
    pub seeds: Vec<String>,
    /// Where the run is: in_progress, paused, completed or failed.
    pub state: String,
    /// Hosts that are nodes.
    pub nodes: i64,
    /// Hosts of which at least one page was read.
    pub nodes_crawled: i64,
    /// Hosts that are still to be visited.
    pub pending: i64,
    /// The greatest depth of a host.
    pub depth: i64,
    /// Links.
    pub edges: i64,
    /// Pages that were read.
    pub pages_fetched: i64,
    /// Pages that were asked for and could not be read.
    pub pages_failed: i64,
    /// How long all answers took.
    pub total_fetch_time_ms: i64,
    /// Hosts that had more pages than were asked for.
    pub hosts_with_pages_cut: i64,
    /// Hosts with a page that mentions more hosts than were taken.
    pub hosts_with_mentions_cut: i64,
    /// Pages of which only a part was read.
    pub partial_pages: i64,
    /// Hosts that were visited once more in vain, and are what they were.
    pub hosts_kept: i64,
}

/// A host of a graph.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// Its place among all hosts of the graph.
    pub number: u32,
    /// Host and port.
    pub host: String,
    /// Its registrable domain.
    pub domain: String,
    /// Its title or description.
    pub description: String,
    /// How many links it is away from a starting point.
    pub depth: u32,
    /// How many of its pages were asked for.
    pub crawl_count: u32,
    /// Its pages that were known and not asked for, because a host is asked for so many only.
    pub pages_cut: u32,
    /// Its pages of which only a part was read, because they are too large or broke off.
    pub partial_pages: u32,
    /// Hosts that it mentions beyond the limit for a page.
    pub mentions_cut: u32,
    /// Where it ended up.
    pub disposition: String,
    /// Why.
    pub reason: String,
}

/// A link of a graph.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeView {
    /// The host that links.
    pub from: String,
    /// The host it links to.
    pub to: String,
    /// On how many pages.
    pub weight: u32,
}

/// Counts of a graph.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatisticsView {
    /// Hosts.
    pub nodes: usize,
    /// Links.
    pub edges: usize,
    /// Links as compared with all that are possible.
    pub density: f64,
    /// Links of a host, in both directions.
    pub average_degree: f64,
    /// How many hosts are linked to by so many others.
    pub in_degrees: BTreeMap<usize, usize>,
    /// How many hosts link to so many others.
    pub out_degrees: BTreeMap<usize, usize>,
    /// Hosts without any link.
    pub isolated_nodes: usize,
    /// Parts that are not connected to each other.
    pub weak_components: usize,
    /// Hosts of the largest of them.
    pub largest_weak_component: usize,
    /// Parts within which every host can be reached from every other.
    pub strong_components: usize,
    /// Hosts of the largest of them.
    pub largest_strong_component: usize,
    /// The domains that are linked to most.
    pub top_domains: Vec<DomainView>,
    /// How harmonic centrality is found for a graph of this size: exact, or estimated.
    pub harmonic: String,
}

/// A domain of a graph.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainView {
    /// The registrable domain.
    pub domain: String,
    /// Its hosts in the graph.
    pub hosts: usize,
    /// Links to them from hosts of other domains.
    pub edges_from_others: usize,
}

impl From<Statistics> for StatisticsView {
    fn from(counts: Statistics) -> Self {
        let domain = |count: bluesnake_graph::DomainCount| DomainView {
            domain: count.domain,
            hosts: count.hosts,
            edges_from_others: count.edges_from_others,
        };
        Self {
            nodes: counts.nodes,
            edges: counts.edges,
            density: counts.density,
            average_degree: counts.average_degree,
            in_degrees: counts.in_degrees,
            out_degrees: counts.out_degrees,
            isolated_nodes: counts.isolated_nodes,
            weak_components: counts.weak_components,
            largest_weak_component: counts.largest_weak_component,
            strong_components: counts.strong_components,
            largest_strong_component: counts.largest_strong_component,
            top_domains: counts.top_domains.into_iter().map(domain).collect(),
            harmonic: HarmonicOptions::default().method(counts.nodes).to_string(),
        }
    }
}

/// Which hosts to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct NodesQuery {
    /// Hosts whose name or description has this text.
    pub search: Option<String>,
    /// Where the page begins: what the page before said.
    pub cursor: Option<String>,
    /// How many rows, 1 to 1,000.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
}

/// Which links to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct EdgesQuery {
    /// Links from or to this host.
    pub host: Option<String>,
    /// Where the page begins: what the page before said.
    pub cursor: Option<String>,
    /// How many rows, 1 to 1,000.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
}

impl GraphView {
    pub(super) fn of(run: &RunRow, figures: GraphFigures) -> Result<Self, AppError> {
        let unreadable = |error| AppError::Invalid(format!("the seeds of run {} cannot be read: {error}", run.id));
        Ok(Self {
            run_id: run.id,
            project_id: run.project,
            seeds: serde_json::from_str(&run.seeds).map_err(unreadable)?,
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
        })
    }
}

impl WeaveView {
    pub(super) fn of(figures: RunFigures) -> Self {
        let RunFigures { run, counts, .. } = figures;
        Self {
            run_id: run.id,
            project_id: run.project,
            seeds: serde_json::from_str(&run.seeds).unwrap_or_default(),
            state: run.state.as_str(),
            reason: run.reason,
            nodes: counts.seen,
            created_at: run.created_at,
            updated_at: run.updated_at,
        }
    }
}

impl From<NodeRecord> for NodeView {
    fn from(row: NodeRecord) -> Self {
        let NodeRecord { number, host, domain, description, depth, disposition, reason, .. } = row;
        let NodeRecord { crawl_count, pages_cut, partial_pages, mentions_cut, .. } = row;
        Self {
            number,
            host,
            domain,
            description,
            depth,
            crawl_count,
            pages_cut,
            partial_pages,
            mentions_cut,
            disposition,
            reason,
        }
    }
}

impl From<EdgeRecord> for EdgeView {
    fn from(row: EdgeRecord) -> Self {
        Self { from: row.from, to: row.to, weight: row.weight }
    }
}
