//! Chooses a subgraph. The result is a graph of its own: ranks and statistics describe what is shown.

use crate::graph::{Edge, Graph, GraphBuilder, GraphError, NodeId};

/// What to drop, in this order: light edges, nodes far from the root, nodes without edges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Drops edges of a smaller weight.
    pub min_weight: u32,
    pub around: Option<Neighbourhood>,
    /// Drops nodes without edges, except the root.
    pub remove_isolated: bool,
}

/// A host and everything within a number of links from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbourhood {
    pub root: String,
    pub depth: u32,
}

impl Neighbourhood {
    /// The default number of links to follow.
    pub const DEPTH: u32 = 2;

    /// Everything within `depth` links of a host, by default [`Self::DEPTH`].
    pub fn new(root: String, depth: Option<u32>) -> Self {
        Self { root, depth: depth.unwrap_or(Self::DEPTH) }
    }
}

impl Selection {
    pub fn of(&self, graph: &Graph) -> Result<Graph, GraphError> {
        let mut is_kept = vec![true; graph.node_count()];
        let mut has_edge = vec![false; graph.node_count()];
        if let Some(Neighbourhood { root, depth }) = &self.around {
            let id = graph.find(root).ok_or_else(|| GraphError::NoSuchHost { host: root.clone() })?;
            is_kept = self.near(graph, id, *depth);
            has_edge[id.index()] = true;
        }
        if self.remove_isolated {
            for edge in self.edges(graph, &is_kept) {
                has_edge[edge.from.index()] = true;
                has_edge[edge.to.index()] = true;
            }
            is_kept.iter_mut().zip(has_edge).for_each(|(is_kept, has_edge)| *is_kept &= has_edge);
        }
        self.copy(graph, &is_kept)
    }

    fn is_heavy(&self, edge: &Edge) -> bool {
        edge.weight >= self.min_weight
    }

    fn edges<'a>(&'a self, graph: &'a Graph, is_kept: &'a [bool]) -> impl Iterator<Item = Edge> + 'a {
        let is_wanted = |edge: &Edge| self.is_heavy(edge) && is_kept[edge.from.index()] && is_kept[edge.to.index()];
        graph.edges().filter(is_wanted)
    }

    fn near(&self, graph: &Graph, root: NodeId, depth: u32) -> Vec<bool> {
        let mut is_near = vec![false; graph.node_count()];
        is_near[root.index()] = true;
        let mut level = vec![root];
        for _ in 0..depth {
            let mut next = Vec::new();
            for edge in level.iter().flat_map(|id| graph.edges_from(*id)).filter(|edge| self.is_heavy(edge)) {
                if !std::mem::replace(&mut is_near[edge.to.index()], true) {
                    next.push(edge.to);
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        is_near
    }

    fn copy(&self, graph: &Graph, is_kept: &[bool]) -> Result<Graph, GraphError> {
        let mut builder = GraphBuilder::new();
        let mut names = vec![None; graph.node_count()];
        for (id, node) in graph.nodes().filter(|(id, _)| is_kept[id.index()]) {
            names[id.index()] = Some(builder.node(node)?);
        }
        for edge in self.edges(graph, is_kept) {
            if let (Some(from), Some(to)) = (names[edge.from.index()], names[edge.to.index()]) {
                builder.edge(Edge { from, to, weight: edge.weight })?;
            }
        }
        builder.build()
    }
}
