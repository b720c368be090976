//! Files that other programs read. Each is written in one pass, holds no time and no order of a hash map, and so is the
//! same for the same graph.
//!
//! Nodes are called by their place in the graph, except in [`CommonCrawl`], which has an order of its own. What a text
//! may not contain in a format is written as `U+FFFD`; what must be escaped is escaped.

mod columns;
mod common_crawl;
mod dot;
mod gexf;
mod graphml;
mod json;
pub(crate) mod xml;

use std::io::{self, BufWriter, Write};

pub use common_crawl::CommonCrawl;
pub use dot::write_dot;
pub use gexf::{GexfVersion, write_gexf};
pub use graphml::write_graphml;
pub use json::write_json;

/// Lets `write` write through a buffer and passes on what is left in it.
pub(crate) fn buffered<W: Write>(out: W, write: impl FnOnce(&mut BufWriter<W>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}
