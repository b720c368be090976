//! The pair of files that <https://cosmograph.app> reads: nodes with positions and edges with widths.

use std::fmt::{self, Display, Formatter};
use std::io::{self, Write};

use super::Picture;
use crate::formats::{buffered, xml::Short};

impl Picture<'_> {
    /// `id,label,x,y,size,color,cluster`
    pub fn write_nodes_csv(&self, out: impl Write) -> io::Result<()> {
        buffered(out, |out| {
            out.write_all(b"id,label,x,y,size,color,cluster\n")?;
            for (id, node) in self.graph.nodes() {
                let (x, y) = self.place(id);
                let (label, radius) = (Field(node.host), self.radii[id.index()]);
                let (x, y, size) = (Short(x, 3), Short(y, 3), Short(2.0 * radius, 3));
                writeln!(out, "{},{label},{x},{y},{size},{},{}", id.0, self.colour(id), self.group(id))?;
            }
            Ok(())
        })
    }

    /// `source,target,width,color`
    pub fn write_edges_csv(&self, out: impl Write) -> io::Result<()> {
        buffered(out, |out| {
            out.write_all(b"source,target,width,color\n")?;
            for edge in self.graph.edges() {
                let width = Short(f64::from(edge.weight).sqrt().min(10.0), 2);
                writeln!(out, "{},{},{width},{}", edge.from.0, edge.to.0, self.colour(edge.from))?;
            }
            Ok(())
        })
    }
}

/// A CSV field as in RFC 4180. Text that a spreadsheet would run as a formula gets a leading `'`.
struct Field<'a>(&'a str);

impl Display for Field<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let quote = if self.0.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
        if self.0.contains(['"', ',', '\n', '\r']) {
            write!(out, "\"{quote}{}\"", self.0.replace('"', "\"\""))
        } else {
            write!(out, "{quote}{}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_csv_fields_when_needed() {
        for (text, expected) in [
            ("a.example", "a.example"),
            ("a,b", "\"a,b\""),
            ("a\"b\n", "\"a\"\"b\n\""),
            ("=1+1", "'=1+1"),
            ("@x,", "\"'@x,\""),
        ] {
            assert_eq!(Field(text).to_string(), expected);
        }
    }
}
