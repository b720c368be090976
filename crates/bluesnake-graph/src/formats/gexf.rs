//! GEXF, the format of Gephi: <https://gexf.net/>.

use std::io::{self, Write};

use super::columns::{COLUMNS, Value, method, values};
use super::{buffered, xml::Escaped};
use crate::graph::Graph;
use crate::rank::Ranks;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GexfVersion {
    V1_3,
    V1_2Draft,
}

pub fn write_gexf(out: impl Write, graph: &Graph, ranks: &Ranks, version: GexfVersion) -> io::Result<()> {
    buffered(out, |out| {
        write_head(out, ranks, version)?;
        write_nodes(out, graph, ranks)?;
        write_edges(out, graph)?;
        out.write_all(b"</graph>\n</gexf>\n")
    })
}

fn write_head(out: &mut impl Write, ranks: &Ranks, version: GexfVersion) -> io::Result<()> {
    let (namespace, number) = match version {
        GexfVersion::V1_3 => ("http://gexf.net/1.3", "1.3"),
        GexfVersion::V1_2Draft => ("http://www.gexf.net/1.2draft", "1.2"),
    };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<gexf xmlns=\"{namespace}\" version=\"{number}\">")?;
    writeln!(out, "<meta><creator>bluesnake</creator><description>harmonic: {}</description></meta>", method(ranks))?;
    writeln!(out, "<graph mode=\"static\" defaultedgetype=\"directed\">\n<attributes class=\"node\" mode=\"static\">")?;
    for (number, (name, kind)) in COLUMNS.iter().enumerate().skip(1) {
        writeln!(out, "<attribute id=\"{number}\" title=\"{name}\" type=\"{kind}\"/>")?;
    }
    out.write_all(b"</attributes>\n")
}

/// The first column is the label, the others are attributes.
fn write_nodes(out: &mut impl Write, graph: &Graph, ranks: &Ranks) -> io::Result<()> {
    out.write_all(b"<nodes>\n")?;
    for (id, node) in graph.nodes() {
        write!(out, "<node id=\"{}\" label=\"{}\"><attvalues>", id.0, Escaped(node.host))?;
        for (number, value) in values(graph, ranks, id).iter().enumerate().skip(1) {
            if !matches!(value, Value::Nothing) {
                write!(out, "<attvalue for=\"{number}\" value=\"{value}\"/>")?;
            }
        }
        out.write_all(b"</attvalues></node>\n")?;
    }
    out.write_all(b"</nodes>\n")
}

fn write_edges(out: &mut impl Write, graph: &Graph) -> io::Result<()> {
    out.write_all(b"<edges>\n")?;
    for (number, edge) in graph.edges().enumerate() {
        let (from, to, weight) = (edge.from.0, edge.to.0, edge.weight);
        writeln!(out, "<edge id=\"{number}\" source=\"{from}\" target=\"{to}\" weight=\"{weight}\"/>")?;
    }
    out.write_all(b"</edges>\n")
}
