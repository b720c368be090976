//! The importance of each node. Start with [`Ranks::of`].

mod harmonic;
mod hyperball;
mod pagerank;

use std::num::NonZero;

use crate::components::Components;
use crate::graph::{Graph, NodeId};
use crate::parallel;

pub use harmonic::{Harmonic, HarmonicMethod, HarmonicOptions};
pub use pagerank::{EdgeValue, PageRank, PageRankOptions};

#[derive(Clone, Debug)]
pub struct RankOptions {
    pub pagerank: PageRankOptions,
    pub harmonic: HarmonicOptions,
    /// Affects only the running time.
    pub threads: NonZero<usize>,
}

impl Default for RankOptions {
    fn default() -> Self {
        let threads = parallel::all_threads();
        Self { pagerank: PageRankOptions::default(), harmonic: HarmonicOptions::default(), threads }
    }
}

/// Everything computed about a node. Degrees come from the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    pub pagerank: PageRank,
    pub harmonic: Harmonic,
    pub weak: Components,
    pub strong: Components,
}

impl Ranks {
    pub fn of(graph: &Graph, options: &RankOptions) -> Self {
        Self {
            pagerank: PageRank::of(graph, &options.pagerank, options.threads),
            harmonic: Harmonic::of(graph, &options.harmonic, options.threads),
            weak: Components::weak(graph),
            strong: Components::strong(graph),
        }
    }
}

/// Nodes by value, greatest first; ties stay in node order.
pub(crate) fn descending(values: &[f64]) -> Vec<NodeId> {
    let mut ids: Vec<NodeId> = (0..values.len() as u32).map(NodeId).collect();
    ids.sort_by(|one, other| values[other.index()].total_cmp(&values[one.index()]));
    ids
}
