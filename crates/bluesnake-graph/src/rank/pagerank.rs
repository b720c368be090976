//! PageRank by power iteration: the probability that a random surfer, who follows links and sometimes jumps to a random
//! node, is at a node.
//!
//! Defined as in networkx: all ranks start equal, and a node without links spreads its rank evenly over all nodes. Only
//! the stop condition differs: networkx stops by default at a change of 10⁻⁶ per node, which a million nodes reach after
//! a step or two; we stop at a total change of 10⁻¹⁰. A tolerance of 10⁻⁶ × nodes stops where networkx does.

use std::num::NonZero;

use crate::graph::{Graph, NodeId};
use crate::parallel;

#[derive(Clone, Debug)]
pub struct PageRankOptions {
    /// The probability of following a link rather than jumping.
    pub damping: f64,
    pub edges: EdgeValue,
    /// Ranks have converged when the total change of one step is below this.
    pub tolerance: f64,
    pub max_steps: usize,
}

impl Default for PageRankOptions {
    fn default() -> Self {
        Self { damping: 0.85, edges: EdgeValue::Weight, tolerance: 1e-10, max_steps: 500 }
    }
}

/// How a node's rank is divided among its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeValue {
    Weight,
    One,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PageRank {
    values: Vec<f64>,
    /// The number of steps until convergence.
    pub steps: usize,
}

impl PageRank {
    pub fn value(&self, id: NodeId) -> f64 {
        self.values[id.index()]
    }

    /// In node order; their sum is 1.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn of(graph: &Graph, options: &PageRankOptions, threads: NonZero<usize>) -> Self {
        let count = graph.node_count();
        let even = 1.0 / count as f64;
        let leaving: Vec<f64> = graph.ids().map(|id| leaving(graph, id, options.edges)).collect();
        let (mut values, mut next, mut share) = (vec![even; count], vec![0.0; count], vec![0.0; count]);
        let mut steps = 0;
        while steps < options.max_steps && count > 0 {
            let mut stranded = 0.0;
            for ((share, value), leaving) in share.iter_mut().zip(&values).zip(&leaving) {
                if *leaving > 0.0 {
                    *share = value / leaving;
                } else {
                    stranded += value;
                }
            }
            let to_everyone = options.damping * stranded * even + (1.0 - options.damping) * even;
            pass_on(graph, options, threads, &share, to_everyone, &mut next);
            std::mem::swap(&mut values, &mut next);
            steps += 1;
            // Summed in node order, so that the last step is the same at any number of threads.
            let change: f64 = values.iter().zip(&next).map(|(now, before)| (now - before).abs()).sum();
            if change < options.tolerance {
                break;
            }
        }
        Self { values, steps }
    }
}

fn leaving(graph: &Graph, id: NodeId, edges: EdgeValue) -> f64 {
    match edges {
        EdgeValue::Weight => graph.out_weight(id) as f64,
        EdgeValue::One => graph.out_degree(id) as f64,
    }
}

/// Every node sums its shares from the nodes that link to it, in their order.
fn pass_on(
    graph: &Graph,
    options: &PageRankOptions,
    threads: NonZero<usize>,
    share: &[f64],
    to_everyone: f64,
    next: &mut [f64],
) {
    let taken = |index: usize| -> f64 {
        let (sources, weights) = graph.incoming.row(index);
        match options.edges {
            EdgeValue::Weight => {
                sources.iter().zip(weights).map(|(source, weight)| share[*source as usize] * f64::from(*weight)).sum()
            }
            EdgeValue::One => sources.iter().map(|source| share[*source as usize]).sum(),
        }
    };
    parallel::fill(
        threads,
        next,
        || (),
        |(), start, block| {
            for (place, value) in block.iter_mut().enumerate() {
                *value = options.damping * taken(start + place) + to_everyone;
            }
        },
    );
}
