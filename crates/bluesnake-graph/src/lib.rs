//! The graph of hosts that a weave finds: ranks, statistics, pictures and files.
//!
//! 1. a [`GraphBuilder`] accepts nodes and edges one by one and builds a [`Graph`] with little extra memory;
//! 2. a [`Selection`] chooses a subgraph;
//! 3. [`Ranks`] measures the importance of each node, [`Statistics`] describes the whole graph;
//! 4. [`Picture`] gives every node a position, a size and a colour;
//! 5. [`formats`] writes files that other programs read.
//!
//! Everything is pure, and the same graph produces the same bytes at any number of threads: floating-point numbers are
//! added in node order, no hash map is iterated, and only `+ - × ÷ √` are used, which are exact on every machine.

mod components;
pub mod formats;
mod graph;
mod parallel;
mod picture;
mod rank;
mod selection;
mod statistics;

pub use components::Components;
pub use graph::{Edge, Graph, GraphBuilder, GraphError, Node, NodeId};
pub use picture::{ColourBy, Picture, PictureOptions};
pub use rank::{EdgeValue, Harmonic, HarmonicMethod, HarmonicOptions, PageRank, PageRankOptions, RankOptions, Ranks};
pub use selection::{Neighbourhood, Selection};
pub use statistics::{DomainCount, Statistics};
