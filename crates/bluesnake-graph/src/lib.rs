//! The graph of hosts that a weave finds: its ranks, its numbers, its picture and its files.
//!
//! 1. a [`GraphBuilder`] takes nodes and edges one by one and builds a [`Graph`], never larger than it must be;
//! 2. a [`Selection`] leaves out what is not wanted;
//! 3. [`Ranks`] says how important each node is, [`Statistics`] what the whole looks like;
//! 4. [`Picture`] gives every node a place, a size and a colour;
//! 5. [`formats`] writes files that other programs read.
//!
//! Everything is pure, and the same graph gives the same bytes at any number of threads: floating-point numbers are added
//! in the order of nodes, no hash map is walked, and nothing is computed but by `+ - × ÷ √`, which are the same everywhere.

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
