//! The picture as SVG: edges below nodes, labels on top, and a legend of the groups beside it.

use std::io::{self, Write};

use super::labels::{self, labels, shown};
use super::{COLOURS, GREY, Picture};
use crate::formats::{buffered, xml::Escaped, xml::Short};
use crate::graph::{Edge, NodeId};

const MARGIN: f64 = 60.0;
const LEGEND: f64 = 300.0;
/// Edge widths; an edge gets the first one whose weight it does not exceed.
const WIDTHS: [(u32, f64); 3] = [(2, 0.8), (8, 1.6), (u32::MAX, 3.0)];

impl Picture<'_> {
    pub fn write_svg(&self, out: impl Write) -> io::Result<()> {
        buffered(out, |out| {
            let (width, height) = (self.side + 2.0 * MARGIN + LEGEND, self.side + 2.0 * MARGIN);
            writeln!(
                out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
                 height=\"{height}\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">"
            )?;
            writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
            writeln!(out, "<g transform=\"translate({MARGIN} {MARGIN})\">")?;
            self.write_edges(out)?;
            self.write_nodes(out)?;
            self.write_labels(out)?;
            out.write_all(b"</g>\n")?;
            self.write_legend(out, self.side + 2.0 * MARGIN)?;
            out.write_all(b"</svg>\n")
        })
    }

    /// Edges of equal style share one path, which keeps the file small; those between groups are faint and come first.
    fn write_edges(&self, out: &mut impl Write) -> io::Result<()> {
        let is_between = |edge: &Edge| self.group(edge.from) != self.group(edge.to);
        for (place, (_, width)) in WIDTHS.iter().enumerate() {
            let edges = self.graph.edges().filter(|edge| is_between(edge) && look(edge) == place);
            self.write_path(out, edges, GREY, *width, 0.22)?;
        }
        let mut within: Vec<(usize, Edge)> =
            self.graph.edges().filter(|edge| !is_between(edge)).map(|edge| (self.paint(&edge), edge)).collect();
        within.sort_unstable();
        for edges in within.chunk_by(|one, other| one.0 == other.0) {
            let (paint, first) = edges[0];
            let width = WIDTHS[paint % WIDTHS.len()].1;
            self.write_path(out, edges.iter().map(|(_, edge)| *edge), self.colour(first.from), width, 0.4)?;
        }
        Ok(())
    }

    /// Colour and width as one number.
    fn paint(&self, edge: &Edge) -> usize {
        (self.group(edge.from) as usize).min(COLOURS.len()) * WIDTHS.len() + look(edge)
    }

    fn write_path(
        &self,
        out: &mut impl Write,
        edges: impl Iterator<Item = Edge>,
        colour: &str,
        width: f64,
        opacity: f64,
    ) -> io::Result<()> {
        let mut edges = edges.filter(|edge| edge.from != edge.to).peekable();
        if edges.peek().is_none() {
            return Ok(());
        }
        write!(out, "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" opacity=\"{opacity}\" d=\"")?;
        for edge in edges {
            let ((x, y), (to_x, to_y)) = (self.place(edge.from), self.place(edge.to));
            write!(out, "M{} {}L{} {}", Short(x, 1), Short(y, 1), Short(to_x, 1), Short(to_y, 1))?;
        }
        out.write_all(b"\"/>\n")
    }

    /// Draws small nodes last, so that none is hidden.
    fn write_nodes(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"<g stroke=\"#ffffff\" stroke-width=\"0.8\">\n")?;
        for id in &self.order {
            let ((x, y), radius, node) = (self.place(*id), self.radii[id.index()], self.graph.node(*id));
            let (x, y, radius, colour) = (Short(x, 1), Short(y, 1), Short(radius, 1), self.colour(*id));
            write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{colour}\"><title>")?;
            write!(out, "{}", Escaped(node.host))?;
            if !node.description.is_empty() {
                write!(out, ": {}", Escaped(node.description))?;
            }
            out.write_all(b"</title></circle>\n")?;
        }
        out.write_all(b"</g>\n")
    }

    fn write_labels(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "<g fill=\"#0f172a\" stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">"
        )?;
        for label in labels(self, MARGIN) {
            let (text, size) = (Escaped(&label.text), Short(label.size, 1));
            let length = Short(labels::width(&label.text) * label.size, 1);
            let [x, y] = label.at.map(|value| Short(value, 1));
            // A fixed length matches the measured width in any font.
            write!(out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" textLength=\"{length}\" ")?;
            writeln!(out, "lengthAdjust=\"spacingAndGlyphs\">{text}</text>")?;
        }
        out.write_all(b"</g>\n")
    }

    fn write_legend(&self, out: &mut impl Write, left: f64) -> io::Result<()> {
        let (nodes, edges) = (self.graph.node_count(), self.graph.edge_count());
        writeln!(out, "<g transform=\"translate({left} {MARGIN})\" font-size=\"15\" fill=\"#0f172a\">")?;
        writeln!(out, "<text y=\"20\" font-size=\"22\">{nodes} hosts, {edges} links</text>")?;
        let mut y = 56.0;
        for (group, size) in self.groups.sizes().iter().enumerate().take(COLOURS.len()).filter(|(_, size)| **size > 1) {
            let name = self.first_of(group as u32).map(|id| shown(self.graph.node(id).host)).unwrap_or_default();
            let name: String =
                if name.chars().count() > 26 { name.chars().take(25).chain(['…']).collect() } else { name };
            writeln!(out, "<circle cx=\"8\" cy=\"{}\" r=\"7\" fill=\"{}\"/>", y - 5.0, COLOURS[group])?;
            writeln!(out, "<text x=\"24\" y=\"{y}\">{} ({size})</text>", Escaped(&name))?;
            y += 26.0;
        }
        let others: u32 = self.others().sum();
        if others > 0 {
            writeln!(out, "<circle cx=\"8\" cy=\"{}\" r=\"7\" fill=\"{GREY}\"/>", y - 5.0)?;
            writeln!(out, "<text x=\"24\" y=\"{y}\">others ({others})</text>")?;
        }
        out.write_all(b"</g>\n")
    }

    /// The sizes of groups that the legend does not list.
    fn others(&self) -> impl Iterator<Item = u32> + '_ {
        let is_named = |(place, size): &(usize, &u32)| *place < COLOURS.len() && **size > 1;
        self.groups.sizes().iter().enumerate().filter(move |group| !is_named(group)).map(|(_, size)| *size)
    }

    /// The highest-ranked node of a group.
    fn first_of(&self, group: u32) -> Option<NodeId> {
        self.order.iter().copied().find(|id| self.group(*id) == group)
    }
}

/// The index of an edge's width in [`WIDTHS`].
fn look(edge: &Edge) -> usize {
    WIDTHS.iter().position(|(heaviest, _)| edge.weight <= *heaviest).expect("the last width fits every weight")
}
