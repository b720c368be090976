//! The crate's promises: on graphs small enough to compute by hand, on random ones, on hostile text, and to other
//! libraries.

mod files;
mod hostile;
mod networkx;
mod pictures;
mod properties;
mod small;
mod world;
