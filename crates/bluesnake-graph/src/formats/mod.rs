//! Files for other programs. Each is written in one pass and contains no times and no hash-map order, so equal graphs
//! produce equal files.
//!
//! Nodes are identified by their index in the graph, except in [`CommonCrawl`], which has its own order. Characters
//! that a format cannot represent become `U+FFFD`; the rest is escaped as needed.

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

/// Runs `write` with a buffered writer and flushes it.
pub(crate) fn buffered<W: Write>(out: W, write: impl FnOnce(&mut BufWriter<W>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out)?;
    out.flush()
}
