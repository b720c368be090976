//! Statistics of a whole graph.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::components::Components;
use crate::graph::{Graph, NodeId};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    pub nodes: usize,
    pub edges: usize,
    /// Edges divided by possible edges, not counting loops.
    pub density: f64,
    /// Edges per node, in either direction.
    pub average_degree: f64,
    /// For each in-degree that occurs, the number of nodes that have it; likewise below.
    pub in_degrees: BTreeMap<usize, usize>,
    pub out_degrees: BTreeMap<usize, usize>,
    pub isolated_nodes: usize,
    pub weak_components: usize,
    pub largest_weak_component: usize,
    pub strong_components: usize,
    pub largest_strong_component: usize,
    /// The domains with the most incoming edges from other domains.
    pub top_domains: Vec<DomainCount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DomainCount {
    pub domain: String,
    pub hosts: usize,
    /// Edges to hosts of this domain from hosts of other domains.
    pub edges_from_others: usize,
}

impl Statistics {
    /// Lists at most `top_domains` domains.
    pub fn of(graph: &Graph, top_domains: usize) -> Self {
        let (nodes, edges) = (graph.node_count(), graph.edge_count());
        let (weak, strong) = (Components::weak(graph), Components::strong(graph));
        let is_isolated = |id: &NodeId| graph.in_degree(*id) + graph.out_degree(*id) == 0;
        Self {
            nodes,
            edges,
            density: ratio(edges as f64, nodes as f64 * (nodes as f64 - 1.0)),
            average_degree: ratio(2.0 * edges as f64, nodes as f64),
            in_degrees: distribution(graph.ids().map(|id| graph.in_degree(id))),
            out_degrees: distribution(graph.ids().map(|id| graph.out_degree(id))),
            isolated_nodes: graph.ids().filter(is_isolated).count(),
            weak_components: weak.count(),
            largest_weak_component: largest(&weak),
            strong_components: strong.count(),
            largest_strong_component: largest(&strong),
            top_domains: domains(graph, top_domains),
        }
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn distribution(degrees: impl Iterator<Item = usize>) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for degree in degrees {
        *counts.entry(degree).or_default() += 1;
    }
    counts
}

fn largest(components: &Components) -> usize {
    components.sizes().first().map_or(0, |size| *size as usize)
}

fn domains(graph: &Graph, limit: usize) -> Vec<DomainCount> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (id, node) in graph.nodes() {
        let from_others = graph.edges_to(id).filter(|edge| graph.node(edge.from).domain != node.domain).count();
        let (edges, hosts) = counts.entry(node.domain).or_default();
        *edges += from_others;
        *hosts += 1;
    }
    let to_count = |(domain, (edges_from_others, hosts)): (&str, (usize, usize))| DomainCount {
        domain: domain.to_owned(),
        hosts,
        edges_from_others,
    };
    let mut domains: Vec<DomainCount> = counts.into_iter().map(to_count).collect();
    // The sort is stable: equal domains stay in name order.
    domains.sort_by_key(|count| std::cmp::Reverse((count.edges_from_others, count.hosts)));
    domains.truncate(limit);
    domains
}
