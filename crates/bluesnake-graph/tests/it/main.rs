//! Tests on graphs small enough to compute by hand, on random graphs, with hostile text, and against other libraries.

mod files;
mod hostile;
mod networkx;
mod pictures;
mod properties;
mod small;
mod world;
