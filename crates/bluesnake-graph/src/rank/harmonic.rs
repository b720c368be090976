//! Harmonic centrality: the sum of 1/distance over all nodes that reach a node, as defined by networkx.
//!
//! One search per node computes it exactly, in nodes × edges steps. Larger graphs are estimated: see
//! [`super::hyperball`].

use std::fmt;
use std::num::NonZero;

use super::hyperball;
use crate::graph::{Graph, NodeId};
use crate::parallel;

#[derive(Clone, Debug)]
pub struct HarmonicOptions {
    /// Graphs with more nodes than this are estimated.
    pub exact_up_to: usize,
    /// The estimate uses 2^this registers per node, between 4 and 16; its relative error is about 1.04 / √registers.
    pub log2_registers: u32,
}

impl HarmonicOptions {
    /// The method for a graph of this many nodes.
    pub fn method(&self, nodes: usize) -> HarmonicMethod {
        if nodes <= self.exact_up_to {
            return HarmonicMethod::Exact;
        }
        let registers = 1_usize << self.precision();
        HarmonicMethod::HyperBall { registers, relative_error: 1.04 / (registers as f64).sqrt() }
    }

    fn precision(&self) -> u32 {
        self.log2_registers.clamp(4, 16)
    }
}

impl Default for HarmonicOptions {
    fn default() -> Self {
        Self { exact_up_to: 10_000, log2_registers: 8 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HarmonicMethod {
    Exact,
    /// `relative_error` is the expected standard error.
    HyperBall {
        registers: usize,
        relative_error: f64,
    },
}

impl fmt::Display for HarmonicMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::HyperBall { registers, relative_error } => {
                write!(
                    f,
                    "estimated by HyperBall with {registers} registers, standard error {:.1} %",
                    relative_error * 100.0
                )
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Harmonic {
    values: Vec<f64>,
    pub method: HarmonicMethod,
}

impl Harmonic {
    pub fn value(&self, id: NodeId) -> f64 {
        self.values[id.index()]
    }

    /// In node order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn of(graph: &Graph, options: &HarmonicOptions, threads: NonZero<usize>) -> Self {
        let method = options.method(graph.node_count());
        let values = match method {
            HarmonicMethod::Exact => exact(graph, threads),
            HarmonicMethod::HyperBall { .. } => hyperball::harmonic(graph, options.precision(), threads),
        };
        Self { values, method }
    }
}

fn exact(graph: &Graph, threads: NonZero<usize>) -> Vec<f64> {
    let mut values = vec![0.0; graph.node_count()];
    let search = || Search { found_for: vec![u32::MAX; graph.node_count()], level: Vec::new(), next: Vec::new() };
    parallel::fill(threads, &mut values, search, |search, start, block| {
        for (place, value) in block.iter_mut().enumerate() {
            *value = search.harmonic(graph, (start + place) as u32);
        }
    });
    values
}

/// A breadth-first search against the direction of links.
struct Search {
    /// The search that last reached each node; avoids clearing between searches.
    found_for: Vec<u32>,
    level: Vec<u32>,
    next: Vec<u32>,
}

impl Search {
    fn harmonic(&mut self, graph: &Graph, node: u32) -> f64 {
        self.level.clear();
        self.level.push(node);
        self.found_for[node as usize] = node;
        let (mut sum, mut distance) = (0.0, 1.0);
        while !self.level.is_empty() {
            self.next.clear();
            for source in self.level.iter().flat_map(|found| graph.incoming.row(*found as usize).0) {
                if std::mem::replace(&mut self.found_for[*source as usize], node) != node {
                    self.next.push(*source);
                }
            }
            sum += self.next.len() as f64 / distance;
            distance += 1.0;
            std::mem::swap(&mut self.level, &mut self.next);
        }
        sum
    }
}
