//! A graph as a picture: the position, size and colour of each node. Start with [`Picture::of`].

mod clusters;
mod csv;
mod labels;
mod layout;
mod room;
mod svg;
mod tree;

use std::num::NonZero;

use crate::components::Components;
use crate::graph::{Graph, NodeId};
use crate::parallel;
use crate::rank::{PageRank, descending};
use tree::{Point, bounds};

#[derive(Clone, Debug)]
pub struct PictureOptions {
    pub colour_by: ColourBy,
    /// The maximum number of labelled nodes, if there is room.
    pub max_labels: usize,
    /// Layout steps; `None` chooses by the number of nodes.
    pub layout_steps: Option<usize>,
    /// Affects only the running time.
    pub threads: NonZero<usize>,
}

impl Default for PictureOptions {
    fn default() -> Self {
        let threads = parallel::all_threads();
        Self { colour_by: ColourBy::Cluster, max_labels: 120, layout_steps: None, threads }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourBy {
    /// Nodes that link to each other more than to the rest.
    Cluster,
    /// Weakly connected nodes.
    Component,
}

/// Colours of the largest groups, in order; all others are grey.
const COLOURS: [&str; 12] = [
    "#2563eb", "#ea580c", "#16a34a", "#c026d3", "#ca8a04", "#0891b2", "#dc2626", "#7c3aed", "#65a30d", "#db2777",
    "#0d9488", "#92400e",
];
const GREY: &str = "#94a3b8";

/// The position, size and group of every node of a graph.
#[derive(Debug)]
pub struct Picture<'a> {
    graph: &'a Graph,
    groups: Components,
    places: Vec<Point>,
    radii: Vec<f64>,
    /// Nodes by PageRank, highest first.
    order: Vec<NodeId>,
    side: f64,
    max_labels: usize,
}

impl<'a> Picture<'a> {
    pub fn of(graph: &'a Graph, pagerank: &PageRank, options: &PictureOptions) -> Self {
        let clusters = clusters::clusters(graph);
        let steps = options.layout_steps.unwrap_or_else(|| layout::usual_steps(graph.node_count()));
        let mut places = layout::places(graph, &clusters, steps, options.threads);
        let side = side(graph.node_count());
        let radii = radii(pagerank, side);
        fit(&mut places, side);
        room::make_room(&mut places, &radii);
        fit(&mut places, side);
        let groups = match options.colour_by {
            ColourBy::Cluster => clusters,
            ColourBy::Component => Components::weak(graph),
        };
        let order = descending(pagerank.values());
        Self { graph, groups, places, radii, order, side, max_labels: options.max_labels }
    }

    /// The group that determines a node's colour; 0 is the largest.
    pub fn group(&self, id: NodeId) -> u32 {
        self.groups.of(id)
    }

    /// From the left and from the top.
    pub fn place(&self, id: NodeId) -> (f64, f64) {
        let [x, y] = self.places[id.index()];
        (x, y)
    }

    /// A group of one node is grey.
    fn colour(&self, id: NodeId) -> &'static str {
        let group = self.group(id) as usize;
        COLOURS.get(group).filter(|_| self.groups.sizes()[group] > 1).copied().unwrap_or(GREY)
    }
}

/// Pictures of more nodes are larger.
fn side(nodes: usize) -> f64 {
    (40.0 * (nodes as f64).sqrt()).max(800.0).round()
}

/// Areas grow with PageRank, from a barely visible minimum. Where many ranks are similar, large nodes would hide the
/// edges, so the nodes together cover only part of the picture.
fn radii(pagerank: &PageRank, side: f64) -> Vec<f64> {
    const SMALLEST: f64 = 3.0;
    const PART: f64 = 0.06;
    let values = pagerank.values();
    let highest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let mut growth = (side / 50.0).clamp(14.0, 60.0) - SMALLEST;
    loop {
        let radii: Vec<f64> = values.iter().map(|value| SMALLEST + growth * (value / highest).sqrt()).collect();
        let area: f64 = radii.iter().map(|radius| std::f64::consts::PI * radius * radius).sum();
        if area < PART * side * side || growth < 1.0 {
            return radii;
        }
        growth *= 0.95;
    }
}

/// Moves and scales everything into the square, by the same factor in both directions.
fn fit(places: &mut [Point], side: f64) {
    let (low, high) = bounds(places);
    let extent = (high[0] - low[0]).max(high[1] - low[1]);
    let scale = if extent > 0.0 { side / extent } else { 0.0 };
    for place in places {
        for axis in 0..2 {
            place[axis] = (place[axis] - (low[axis] + high[axis]) / 2.0) * scale + side / 2.0;
        }
    }
}
