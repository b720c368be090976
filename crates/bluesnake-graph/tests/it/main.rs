//! What the crate promises: on graphs small enough to compute by hand, on random ones, on hostile texts, and to other
//! people's libraries.

mod files;
mod hostile;
mod networkx;
mod pictures;
mod properties;
mod small;
mod world;
