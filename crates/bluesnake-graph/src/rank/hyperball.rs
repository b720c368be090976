//! Estimates harmonic centrality of large graphs: Boldi and Vigna, "In-core computation of geometric centralities with
//! HyperBall", 2013.
//!
//! Every node has a HyperLogLog counter of the nodes that reach it within t links: its ball. The ball of radius t + 1
//! is the union of the balls of radius t of the nodes that link here. The estimator is Ertl's, "New cardinality
//! estimation algorithms for HyperLogLog sketches", 2017, which needs no tables and no range correction.

use std::num::NonZero;

use crate::graph::{Graph, NodeId};
use crate::parallel;

pub(super) fn harmonic(graph: &Graph, precision: u32, threads: NonZero<usize>) -> Vec<f64> {
    let mut balls = Balls::of_radius_0(graph.node_count(), precision);
    // Nodes one link away are counted exactly; most nodes of a web graph have few others.
    let mut sums: Vec<f64> = graph.ids().map(|id| others_linking(graph, id) as f64).collect();
    let mut counts: Vec<f64> = sums.iter().map(|others| 1.0 + others).collect();
    let everyone: Vec<u32> = graph.ids().map(|id| id.0).collect();
    let mut grown = balls.grow(graph, &everyone, threads);
    let mut targets = Targets { found_in: vec![0; graph.node_count()], round: 0 };
    let mut radius = 1.0;
    while !grown.is_empty() {
        radius += 1.0;
        // A node can grow only if a node that links to it has just grown.
        grown = balls.grow(graph, &targets.of(graph, &grown), threads);
        for (node, count) in &grown {
            let added = (count - counts[*node as usize]).max(0.0);
            sums[*node as usize] += added / radius;
            counts[*node as usize] += added;
        }
    }
    sums
}

fn others_linking(graph: &Graph, id: NodeId) -> usize {
    graph.edges_to(id).filter(|edge| edge.from != id).count()
}

/// Finds the targets of given nodes in time proportional to their edges: a graph that is one long chain needs as many
/// rounds as it has nodes, each with little work.
struct Targets {
    /// The round in which a node was last found.
    found_in: Vec<u32>,
    round: u32,
}

impl Targets {
    fn of(&mut self, graph: &Graph, nodes: &[(u32, f64)]) -> Vec<u32> {
        self.round += 1;
        let mut targets = Vec::new();
        for to in nodes.iter().flat_map(|(node, _)| graph.outgoing.row(*node as usize).0) {
            if std::mem::replace(&mut self.found_in[*to as usize], self.round) != self.round {
                targets.push(*to);
            }
        }
        // In memory order, for the processor's caches.
        targets.sort_unstable();
        targets
    }
}

struct Balls {
    precision: u32,
    registers: Vec<u8>,
}

impl Balls {
    fn of_radius_0(count: usize, precision: u32) -> Self {
        let size = 1_usize << precision;
        let mut registers = vec![0; count * size];
        for (node, ball) in registers.chunks_exact_mut(size).enumerate() {
            let hash = scatter(node as u64);
            let rest = hash << precision | 1 << (precision - 1);
            ball[(hash >> (64 - precision)) as usize] = rest.leading_zeros() as u8 + 1;
        }
        Self { precision, registers }
    }

    fn size(&self) -> usize {
        1 << self.precision
    }

    fn ball(&self, node: u32) -> &[u8] {
        &self.registers[node as usize * self.size()..][..self.size()]
    }

    /// Widens the balls of these nodes by one link; returns those that grew, with their new counts.
    fn grow(&mut self, graph: &Graph, candidates: &[u32], threads: NonZero<usize>) -> Vec<(u32, f64)> {
        let mut grown = Vec::new();
        // Every ball grows from balls of the previous radius, so new ones are applied only after all are computed.
        let mut unions: Vec<Option<(Box<[u8]>, f64)>> = vec![None; candidates.len()];
        let desk = || vec![0; self.size()];
        parallel::fill(threads, &mut unions, desk, |desk, start, block| {
            for (place, union) in block.iter_mut().enumerate() {
                *union = self.union(graph, candidates[start + place], desk);
            }
        });
        let size = self.size();
        for (node, union) in candidates.iter().zip(unions) {
            if let Some((ball, count)) = union {
                self.registers[*node as usize * size..][..size].copy_from_slice(&ball);
                grown.push((*node, count));
            }
        }
        grown
    }

    /// The new ball of a node and its count, if it grows.
    fn union(&self, graph: &Graph, node: u32, desk: &mut [u8]) -> Option<(Box<[u8]>, f64)> {
        let before = self.ball(node);
        desk.copy_from_slice(before);
        for source in graph.incoming.row(node as usize).0 {
            for (register, other) in desk.iter_mut().zip(self.ball(*source)) {
                *register = (*register).max(*other);
            }
        }
        (*desk != *before).then(|| ((&*desk).into(), estimate(desk, self.precision)))
    }
}

/// SplitMix64. Must not change: ranks depend on it.
fn scatter(value: u64) -> u64 {
    let mut hash = value.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Ertl's improved raw estimator, algorithm 6 of his paper.
fn estimate(registers: &[u8], precision: u32) -> f64 {
    let longest = (64 - precision) as usize;
    let mut histogram = [0_u32; 65];
    for register in registers {
        histogram[*register as usize] += 1;
    }
    let size = registers.len() as f64;
    let mut z = size * tau(1.0 - f64::from(histogram[longest + 1]) / size);
    for count in histogram[1..=longest].iter().rev() {
        z = 0.5 * (z + f64::from(*count));
    }
    z += size * sigma(f64::from(histogram[0]) / size);
    size * size / (2.0 * std::f64::consts::LN_2) / z
}

fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_a_union_within_three_standard_errors() {
        for precision in [6, 8, 10] {
            let error = 1.04 / f64::from(1 << precision).sqrt();
            for count in [1_usize, 10, 100, 1_000, 50_000] {
                let balls = Balls::of_radius_0(count, precision);
                let mut all = vec![0; balls.size()];
                for node in 0..count as u32 {
                    all.iter_mut().zip(balls.ball(node)).for_each(|(all, one)| *all = (*all).max(*one));
                }
                let estimated = estimate(&all, precision);
                let off = (estimated / count as f64 - 1.0).abs();
                assert!(off < 3.0 * error, "{count} counted as {estimated} with precision {precision}");
            }
        }
    }
}
