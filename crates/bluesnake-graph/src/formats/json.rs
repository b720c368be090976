//! JSON in networkx's "node-link" form: nodes and edges as lists of objects. d3 reads it too.

use std::io::{self, Write};

use super::buffered;
use super::columns::{COLUMNS, Value, method, values};
use crate::graph::Graph;
use crate::rank::Ranks;

pub fn write_json(out: impl Write, graph: &Graph, ranks: &Ranks) -> io::Result<()> {
    buffered(out, |out| {
        let method = method(ranks);
        writeln!(out, "{{\"directed\":true,\"multigraph\":false,\"graph\":{{\"harmonic_method\":\"{method}\"}},")?;
        write_nodes(out, graph, ranks)?;
        write_edges(out, graph)
    })
}

fn write_nodes(out: &mut impl Write, graph: &Graph, ranks: &Ranks) -> io::Result<()> {
    out.write_all(b"\"nodes\":[")?;
    for id in graph.ids() {
        write!(out, "{}\n{{\"id\":{}", if id.0 == 0 { "" } else { "," }, id.0)?;
        for ((name, _), value) in COLUMNS.iter().zip(values(graph, ranks, id)) {
            write!(out, ",\"{name}\":")?;
            match value {
                Value::Nothing => out.write_all(b"null")?,
                Value::Text(text) => serde_json::to_writer(&mut *out, text)?,
                Value::Integer(value) => write!(out, "{value}")?,
                Value::Real(value) => serde_json::to_writer(&mut *out, &value)?,
            }
        }
        out.write_all(b"}")?;
    }
    out.write_all(b"\n],\n")
}

fn write_edges(out: &mut impl Write, graph: &Graph) -> io::Result<()> {
    out.write_all(b"\"edges\":[")?;
    for (number, edge) in graph.edges().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let (from, to, weight) = (edge.from.0, edge.to.0, edge.weight);
        write!(out, "{comma}\n{{\"source\":{from},\"target\":{to},\"weight\":{weight}}}")?;
    }
    out.write_all(b"\n]}\n")
}
