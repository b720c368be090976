//! GraphML: <http://graphml.graphdrawing.org/>.

use std::io::{self, Write};

use super::buffered;
use super::columns::{COLUMNS, Value, method, values};
use crate::graph::Graph;
use crate::rank::Ranks;

pub fn write_graphml(out: impl Write, graph: &Graph, ranks: &Ranks) -> io::Result<()> {
    buffered(out, |out| {
        write_head(out, ranks)?;
        write_nodes(out, graph, ranks)?;
        for edge in graph.edges() {
            let (from, to, weight) = (edge.from.0, edge.to.0, edge.weight);
            writeln!(out, "<edge source=\"n{from}\" target=\"n{to}\"><data key=\"weight\">{weight}</data></edge>")?;
        }
        out.write_all(b"</graph>\n</graphml>\n")
    })
}

fn write_head(out: &mut impl Write, ranks: &Ranks) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    writeln!(out, "<key id=\"harmonic_method\" for=\"graph\" attr.name=\"harmonic_method\" attr.type=\"string\"/>")?;
    for (name, kind) in COLUMNS {
        writeln!(out, "<key id=\"{name}\" for=\"node\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
    }
    writeln!(out, "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"long\"/>")?;
    writeln!(out, "<graph id=\"web\" edgedefault=\"directed\">")?;
    writeln!(out, "<data key=\"harmonic_method\">{}</data>", method(ranks))
}

fn write_nodes(out: &mut impl Write, graph: &Graph, ranks: &Ranks) -> io::Result<()> {
    for id in graph.ids() {
        write!(out, "<node id=\"n{}\">", id.0)?;
        for ((name, _), value) in COLUMNS.iter().zip(values(graph, ranks, id)) {
            if !matches!(value, Value::Nothing) {
                write!(out, "<data key=\"{name}\">{value}</data>")?;
            }
        }
        out.write_all(b"</node>\n")?;
    }
    Ok(())
}
