//! Node positions: linked nodes attract, all nodes repel each other, and gravity pulls everything to the centre.
//!
//! Forces and step sizes follow Jacomy et al., "ForceAtlas2", 2014. Two changes help untangle the graph: clusters start
//! apart, and links between clusters pull less than links inside one. The layout uses no randomness, and no function
//! whose last digit depends on the machine.

use std::num::NonZero;

use super::tree::{Point, Tree};
use crate::components::Components;
use crate::graph::{Graph, NodeId};
use crate::parallel;

const REPULSION: f64 = 10.0;
const GRAVITY: f64 = 8.0;
/// The pull of a link between two clusters, relative to a link inside one.
const PULL_BETWEEN_CLUSTERS: f64 = 0.2;
/// The smallest squared distance used for repulsion.
const NEAREST_SQUARED: f64 = 1e-2;
/// The cosine and sine of the golden angle: points placed in steps of it never line up.
const GOLDEN_ANGLE: Point = [-0.737_368_878_078_319_7, 0.675_490_294_261_523_8];

/// Enough steps for a readable picture in seconds; fewer for very many nodes.
pub(super) fn usual_steps(nodes: usize) -> usize {
    (2_000_000 / nodes.max(1)).clamp(20, 500)
}

pub(super) fn places(graph: &Graph, clusters: &Components, steps: usize, threads: NonZero<usize>) -> Vec<Point> {
    let mut bodies = Bodies::of(graph, clusters);
    let mut pace = Pace { speed: 1.0, efficiency: 1.0 };
    for _ in 0..steps {
        let forces = bodies.forces(graph, clusters, threads);
        pace.adapt(&bodies, &forces);
        bodies.follow(forces, pace.speed);
    }
    bodies.places
}

struct Bodies {
    places: Vec<Point>,
    masses: Vec<f64>,
    /// The forces of the previous step.
    forces: Vec<Point>,
}

impl Bodies {
    fn of(graph: &Graph, clusters: &Components) -> Self {
        let mass = |id: NodeId| 1.0 + (graph.in_degree(id) + graph.out_degree(id)) as f64;
        Self {
            places: start(graph, clusters),
            masses: graph.ids().map(mass).collect(),
            forces: vec![[0.0; 2]; graph.node_count()],
        }
    }

    fn forces(&self, graph: &Graph, clusters: &Components, threads: NonZero<usize>) -> Vec<Point> {
        let tree = Tree::of(&self.places, &self.masses);
        let mut forces = vec![[0.0; 2]; self.places.len()];
        parallel::fill(threads, &mut forces, Vec::new, |stack, start, block| {
            for (place, force) in block.iter_mut().enumerate() {
                let id = NodeId((start + place) as u32);
                *force = self.push(id, &tree, stack);
                self.pull(id, graph, clusters, force);
            }
        });
        forces
    }

    fn push(&self, id: NodeId, tree: &Tree, stack: &mut Vec<u32>) -> Point {
        let (place, mass) = (self.places[id.index()], self.masses[id.index()]);
        let mut force = [0.0; 2];
        tree.others(id.0, place, stack, |way, other_mass| {
            let squared = (way[0] * way[0] + way[1] * way[1]).max(NEAREST_SQUARED);
            let factor = REPULSION * mass * other_mass / squared;
            force[0] += way[0] * factor;
            force[1] += way[1] * factor;
        });
        let distance = length(place).max(1e-9);
        force[0] -= GRAVITY * mass * place[0] / distance;
        force[1] -= GRAVITY * mass * place[1] / distance;
        force
    }

    fn pull(&self, id: NodeId, graph: &Graph, clusters: &Components, force: &mut Point) {
        let place = self.places[id.index()];
        let there = graph.edges_from(id).map(|edge| edge.to);
        let back = graph.edges_to(id).map(|edge| edge.from);
        for other in there.chain(back) {
            let factor = if clusters.of(id) == clusters.of(other) { 1.0 } else { PULL_BETWEEN_CLUSTERS };
            force[0] += factor * (self.places[other.index()][0] - place[0]);
            force[1] += factor * (self.places[other.index()][1] - place[1]);
        }
    }

    /// A node that oscillates takes smaller steps.
    fn follow(&mut self, forces: Vec<Point>, speed: f64) {
        for (index, force) in forces.iter().enumerate() {
            let swing = self.masses[index] * swing(self.forces[index], *force);
            let factor = speed / (1.0 + (speed * swing).sqrt());
            self.places[index][0] += force[0] * factor;
            self.places[index][1] += force[1] * factor;
        }
        self.forces = forces;
    }
}

/// Clusters around the centre, largest first, each a disc of its nodes.
fn start(graph: &Graph, clusters: &Components) -> Vec<Point> {
    const APART: f64 = 30.0;
    let mut middles = Vec::with_capacity(clusters.count());
    let (mut direction, mut before) = ([1.0, 0.0], 0.0);
    for size in clusters.sizes() {
        let distance = APART * f64::sqrt(before) * 1.5;
        middles.push([direction[0] * distance, direction[1] * distance]);
        direction = turned(direction, GOLDEN_ANGLE);
        before += f64::from(*size);
    }
    let mut placed = vec![([1.0, 0.0], 0.0); clusters.count()];
    let place = |id: NodeId| {
        let cluster = clusters.of(id) as usize;
        let (direction, count) = &mut placed[cluster];
        let distance = APART * f64::sqrt(*count + 0.5);
        let place = [middles[cluster][0] + direction[0] * distance, middles[cluster][1] + direction[1] * distance];
        *direction = turned(*direction, GOLDEN_ANGLE);
        *count += 1.0;
        place
    };
    graph.ids().map(place).collect()
}

fn turned(direction: Point, angle: Point) -> Point {
    [direction[0] * angle[0] - direction[1] * angle[1], direction[0] * angle[1] + direction[1] * angle[0]]
}

fn length(way: Point) -> f64 {
    (way[0] * way[0] + way[1] * way[1]).sqrt()
}

fn swing(before: Point, now: Point) -> f64 {
    length([now[0] - before[0], now[1] - before[1]])
}

/// The global speed: higher when nodes keep their directions.
struct Pace {
    speed: f64,
    efficiency: f64,
}

impl Pace {
    fn adapt(&mut self, bodies: &Bodies, forces: &[Point]) {
        let (mut swinging, mut moving) = (0.0, 0.0);
        for ((before, now), mass) in bodies.forces.iter().zip(forces).zip(&bodies.masses) {
            swinging += mass * swing(*before, *now);
            moving += mass * length([before[0] + now[0], before[1] + now[1]]) / 2.0;
        }
        if swinging <= 0.0 || moving <= 0.0 {
            return;
        }
        let count = forces.len() as f64;
        let usual = 0.05 * count.sqrt();
        let mut tolerance = usual.sqrt().max((usual * moving / (count * count)).min(10.0));
        if swinging / moving > 2.0 {
            self.lose_efficiency(0.5);
            tolerance = tolerance.max(1.0);
        }
        let target = tolerance * self.efficiency * moving / swinging;
        if swinging > tolerance * moving {
            self.lose_efficiency(0.7);
        } else if self.speed < 1000.0 {
            self.efficiency *= 1.3;
        }
        self.speed += (target - self.speed).min(0.5 * self.speed);
    }

    fn lose_efficiency(&mut self, factor: f64) {
        if self.efficiency > 0.05 {
            self.efficiency *= factor;
        }
    }
}
