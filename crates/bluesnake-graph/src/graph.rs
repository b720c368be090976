//! Nodes and edges in compressed rows: about 24 bytes per edge in both directions, and the node texts concatenated.
//!
//! Start with [`GraphBuilder`]. Nodes keep their insertion order; edges are sorted by (from, to), whatever their
//! insertion order.

use std::collections::HashSet;

/// The index of a node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A host of the web.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    pub host: &'a str,
    /// The registrable domain of the host.
    pub domain: &'a str,
    pub description: &'a str,
    /// Links from the nearest seed; `None` if unknown.
    pub depth: Option<u32>,
    pub crawl_count: u32,
}

/// `weight` pages of `from` link to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub weight: u32,
}

/// An invalid graph, or a query for a host that is not in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    #[error("a graph has at most {} nodes", u32::MAX)]
    TooManyNodes,
    #[error("duplicate host {host:?}")]
    HostTwice { host: String },
    /// Rejected, because adding up the weights would hide double counting.
    #[error("duplicate edge from {from:?} to {to:?}")]
    EdgeTwice { from: String, to: String },
    #[error("an edge from {from:?} has weight 0")]
    WeightZero { from: String },
    #[error("an edge ends at node {index}, which is not in the graph")]
    NoSuchNode { index: usize },
    #[error("the host {host:?} is not in the graph")]
    NoSuchHost { host: String },
}

/// Accepts nodes and edges one by one.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    nodes: Nodes,
    edges: Vec<Edge>,
}

impl GraphBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node and returns the id by which edges refer to it.
    pub fn node(&mut self, node: Node<'_>) -> Result<NodeId, GraphError> {
        let id = u32::try_from(self.nodes.len()).ok().filter(|id| *id != u32::MAX).ok_or(GraphError::TooManyNodes)?;
        self.nodes.push(node);
        Ok(NodeId(id))
    }

    /// Adds an edge; both ends must have been added before.
    pub fn edge(&mut self, edge: Edge) -> Result<(), GraphError> {
        for end in [edge.from, edge.to] {
            if end.index() >= self.nodes.len() {
                return Err(GraphError::NoSuchNode { index: end.index() });
            }
        }
        if edge.weight == 0 {
            return Err(GraphError::WeightZero { from: self.nodes.get(edge.from.index()).host.to_owned() });
        }
        self.edges.push(edge);
        Ok(())
    }

    pub fn build(self) -> Result<Graph, GraphError> {
        let Self { nodes, edges } = self;
        nodes.check_that_hosts_differ()?;
        // Each transposition sorts by the other end, so two of them sort the edges without comparisons.
        let by_target = Rows::by_target(nodes.len(), edges);
        let outgoing = by_target.transposed();
        drop(by_target);
        if let Some((from, to)) = outgoing.first_twin() {
            let host = |index: usize| nodes.get(index).host.to_owned();
            return Err(GraphError::EdgeTwice { from: host(from), to: host(to) });
        }
        let incoming = outgoing.transposed();
        Ok(Graph { nodes, outgoing, incoming })
    }
}

/// A directed graph of hosts with weighted edges.
#[derive(Debug)]
pub struct Graph {
    nodes: Nodes,
    pub(crate) outgoing: Rows,
    pub(crate) incoming: Rows,
}

impl Graph {
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    pub fn edge_count(&self) -> usize {
        self.outgoing.ends.len()
    }

    pub fn node(&self, id: NodeId) -> Node<'_> {
        self.nodes.get(id.index())
    }

    /// The node at an index, if it exists.
    pub fn id_at(&self, place: usize) -> Option<NodeId> {
        (place < self.node_count()).then_some(NodeId(place as u32))
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        // The builder assigns only ids that fit.
        (0..self.node_count() as u32).map(NodeId)
    }

    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, Node<'_>)> {
        self.ids().map(|id| (id, self.node(id)))
    }

    /// All edges, by (from, to).
    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.ids().flat_map(|from| self.edges_from(from))
    }

    pub fn edges_from(&self, from: NodeId) -> impl Iterator<Item = Edge> + '_ {
        let (ends, weights) = self.outgoing.row(from.index());
        ends.iter().zip(weights).map(move |(to, weight)| Edge { from, to: NodeId(*to), weight: *weight })
    }

    pub fn edges_to(&self, to: NodeId) -> impl Iterator<Item = Edge> + '_ {
        let (ends, weights) = self.incoming.row(to.index());
        ends.iter().zip(weights).map(move |(from, weight)| Edge { from: NodeId(*from), to, weight: *weight })
    }

    pub fn out_degree(&self, id: NodeId) -> usize {
        self.outgoing.row(id.index()).0.len()
    }

    pub fn in_degree(&self, id: NodeId) -> usize {
        self.incoming.row(id.index()).0.len()
    }

    /// The sum of the weights of the edges from here.
    pub fn out_weight(&self, id: NodeId) -> u64 {
        self.outgoing.weight(id.index())
    }

    /// The sum of the weights of the edges to here.
    pub fn in_weight(&self, id: NodeId) -> u64 {
        self.incoming.weight(id.index())
    }

    pub fn find(&self, host: &str) -> Option<NodeId> {
        self.ids().find(|id| self.node(*id).host == host)
    }
}

/// The nodes' values; their texts are concatenated in one string, three per node.
#[derive(Debug, Default)]
struct Nodes {
    text: String,
    text_ends: Vec<[usize; 3]>,
    depths: Vec<Option<u32>>,
    crawl_counts: Vec<u32>,
}

impl Nodes {
    fn len(&self) -> usize {
        self.text_ends.len()
    }

    fn push(&mut self, node: Node<'_>) {
        let text_ends = [node.host, node.domain, node.description].map(|text| {
            self.text.push_str(text);
            self.text.len()
        });
        self.text_ends.push(text_ends);
        self.depths.push(node.depth);
        self.crawl_counts.push(node.crawl_count);
    }

    fn get(&self, index: usize) -> Node<'_> {
        let start = if index == 0 { 0 } else { self.text_ends[index - 1][2] };
        let [host, domain, description] = self.text_ends[index];
        Node {
            host: &self.text[start..host],
            domain: &self.text[host..domain],
            description: &self.text[domain..description],
            depth: self.depths[index],
            crawl_count: self.crawl_counts[index],
        }
    }

    fn check_that_hosts_differ(&self) -> Result<(), GraphError> {
        let mut seen = HashSet::with_capacity(self.len());
        match (0..self.len()).map(|index| self.get(index).host).find(|host| !seen.insert(*host)) {
            Some(host) => Err(GraphError::HostTwice { host: host.to_owned() }),
            None => Ok(()),
        }
    }
}

/// For each node, the other ends of its edges and their weights.
#[derive(Debug)]
pub(crate) struct Rows {
    starts: Vec<usize>,
    ends: Vec<u32>,
    weights: Vec<u32>,
}

impl Rows {
    pub(crate) fn row(&self, index: usize) -> (&[u32], &[u32]) {
        let range = self.starts[index]..self.starts[index + 1];
        (&self.ends[range.clone()], &self.weights[range])
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn weight(&self, index: usize) -> u64 {
        self.row(index).1.iter().map(|weight| u64::from(*weight)).sum()
    }

    fn by_target(node_count: usize, edges: Vec<Edge>) -> Self {
        Self::sorted(node_count, edges.len(), || edges.iter().map(|edge| (edge.to.0, edge.from.0, edge.weight)))
    }

    fn transposed(&self) -> Self {
        Self::sorted(self.len(), self.ends.len(), || {
            (0..self.len() as u32).flat_map(|index| {
                let (ends, weights) = self.row(index as usize);
                ends.iter().zip(weights).map(move |(end, weight)| (*end, index, *weight))
            })
        })
    }

    /// A stable counting sort of (row, end, weight) by row.
    fn sorted<I: Iterator<Item = (u32, u32, u32)>>(rows: usize, entries: usize, all: impl Fn() -> I) -> Self {
        let mut starts = vec![0_usize; rows + 1];
        for (row, ..) in all() {
            starts[row as usize + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let (mut next, mut ends, mut weights) = (starts.clone(), vec![0; entries], vec![0; entries]);
        for (row, end, weight) in all() {
            let place = &mut next[row as usize];
            (ends[*place], weights[*place]) = (end, weight);
            *place += 1;
        }
        Self { starts, ends, weights }
    }

    /// The first duplicate edge in sorted rows.
    fn first_twin(&self) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|index| {
            let twin = self.row(index).0.windows(2).find(|pair| pair[0] == pair[1])?;
            Some((index, twin[0] as usize))
        })
    }
}
