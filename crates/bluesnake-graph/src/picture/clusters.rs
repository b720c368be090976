//! Groups of nodes that link to each other more than chance predicts: Blondel et al., "Fast unfolding of
//! communities in large networks", 2008, visiting the nodes in order.

use crate::components::Components;
use crate::graph::{Graph, NodeId};

/// Later rounds change little, so each level stops after this many.
const MAX_ROUNDS: usize = 16;

pub(super) fn clusters(graph: &Graph) -> Components {
    let mut labels: Vec<u32> = (0..graph.node_count() as u32).collect();
    let mut level = Level::of(graph);
    loop {
        let groups = level.settle();
        labels.iter_mut().for_each(|label| *label = groups.of(NodeId(*label)));
        if groups.count() == level.node_count() {
            return Components::numbered(labels);
        }
        level = level.merged(&groups);
    }
}

/// An undirected graph whose nodes are groups of the level below. Every edge is stored at both ends.
struct Level {
    starts: Vec<usize>,
    edges: Vec<(u32, u64)>,
    /// Twice the weight of the edges from a node to itself.
    loops: Vec<u64>,
    /// The total weight of the edges at a node.
    degrees: Vec<u64>,
}

impl Level {
    fn of(graph: &Graph) -> Self {
        let mut level = Self::with_capacity(2 * graph.edge_count());
        for id in graph.ids() {
            let there = graph.edges_from(id).map(|edge| (edge.to.0, edge.weight));
            let back = graph.edges_to(id).map(|edge| (edge.from.0, edge.weight));
            level.push(there.chain(back).map(|(end, weight)| (end, u64::from(weight))));
        }
        level
    }

    fn with_capacity(edges: usize) -> Self {
        Self { starts: vec![0], edges: Vec::with_capacity(edges), loops: Vec::new(), degrees: Vec::new() }
    }

    /// Adds the next node with its edges.
    fn push(&mut self, ends: impl Iterator<Item = (u32, u64)>) {
        let (node, mut own, mut degree) = (self.loops.len() as u32, 0, 0);
        for (end, weight) in ends {
            degree += weight;
            if end == node {
                own += weight;
            } else {
                self.edges.push((end, weight));
            }
        }
        self.loops.push(own);
        self.degrees.push(degree);
        self.starts.push(self.edges.len());
    }

    fn node_count(&self) -> usize {
        self.loops.len()
    }

    fn row(&self, node: u32) -> &[(u32, u64)] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Moves every node to the neighbouring group where it fits best, until none moves.
    fn settle(&self) -> Components {
        let mut group: Vec<u32> = (0..self.node_count() as u32).collect();
        let mut group_degrees = self.degrees.clone();
        let mut weights_to = Tally::of(self.node_count());
        let total = self.degrees.iter().sum::<u64>() as f64;
        for _ in 0..MAX_ROUNDS {
            let mut has_moved = false;
            for node in 0..self.node_count() as u32 {
                let (home, degree) = (group[node as usize], self.degrees[node as usize]);
                self.row(node).iter().for_each(|(end, weight)| weights_to.add(group[*end as usize], *weight));
                group_degrees[home as usize] -= degree;
                let gain = |weight: u64, group: u32| {
                    weight as f64 - group_degrees[group as usize] as f64 * degree as f64 / total
                };
                let mut best = (gain(weights_to.sums[home as usize], home), home);
                weights_to.drain(|group, weight| {
                    let gain = gain(weight, group);
                    if gain > best.0 {
                        best = (gain, group);
                    }
                });
                group_degrees[best.1 as usize] += degree;
                group[node as usize] = best.1;
                has_moved |= best.1 != home;
            }
            if !has_moved {
                break;
            }
        }
        Components::numbered(group)
    }

    /// Collapses every group into one node.
    fn merged(&self, groups: &Components) -> Self {
        let mut members: Vec<u32> = (0..self.node_count() as u32).collect();
        members.sort_by_key(|node| groups.of(NodeId(*node)));
        let mut weights_to = Tally::of(groups.count());
        let mut merged = Self::with_capacity(0);
        for members in members.chunk_by(|one, other| groups.of(NodeId(*one)) == groups.of(NodeId(*other))) {
            let group = groups.of(NodeId(members[0]));
            for member in members {
                weights_to.add(group, self.loops[*member as usize]);
                let ends = self.row(*member).iter();
                ends.for_each(|(end, weight)| weights_to.add(groups.of(NodeId(*end)), *weight));
            }
            let mut row = Vec::new();
            weights_to.drain(|group, weight| row.push((group, weight)));
            merged.push(row.into_iter());
        }
        merged
    }
}

/// Sums by group, returned in the order in which the groups first appear.
struct Tally {
    sums: Vec<u64>,
    touched: Vec<u32>,
}

impl Tally {
    fn of(groups: usize) -> Self {
        Self { sums: vec![0; groups], touched: Vec::new() }
    }

    fn add(&mut self, group: u32, weight: u64) {
        let sum = &mut self.sums[group as usize];
        if *sum == 0 && weight > 0 {
            self.touched.push(group);
        }
        *sum += weight;
    }

    fn drain(&mut self, mut each: impl FnMut(u32, u64)) {
        for group in self.touched.drain(..) {
            each(group, std::mem::take(&mut self.sums[group as usize]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, GraphBuilder, Node};

    fn graph(count: u32, edges: &[(u32, u32)]) -> Graph {
        let mut builder = GraphBuilder::new();
        for number in 0..count {
            let host = format!("h{number}");
            builder.node(Node { host: &host, domain: "", description: "", depth: None, crawl_count: 0 }).unwrap();
        }
        for (from, to) in edges {
            builder.edge(Edge { from: NodeId(*from), to: NodeId(*to), weight: 1 }).unwrap();
        }
        builder.build().unwrap()
    }

    #[test]
    fn bridged_rings_and_a_lone_node_are_three_clusters() {
        let all = |nodes: [u32; 4]| nodes.map(|from| nodes.map(|to| (from, to))).concat();
        let edges = [all([1, 2, 3, 4]), all([5, 6, 7, 8]), vec![(4, 5)]].concat();

        let found = clusters(&graph(9, &edges));

        assert_eq!(found.sizes(), [4, 4, 1]);
        assert_eq!((0..9).map(|node| found.of(NodeId(node))).collect::<Vec<_>>(), [2, 0, 0, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn without_edges_every_node_is_a_cluster() {
        assert_eq!(clusters(&graph(3, &[])).sizes(), [1, 1, 1]);
        assert_eq!(clusters(&graph(0, &[])).count(), 0);
    }
}
