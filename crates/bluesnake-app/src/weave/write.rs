//! Writes a graph for other programs, or as a picture.

use std::cell::LazyCell;

use bluesnake_graph::formats::{self, CommonCrawl, GexfVersion};
use bluesnake_graph::{ColourBy, Picture, PictureOptions, Selection};

use super::graph::RankedGraph;
use crate::export::{ExportError, Output};

/// How many domains the statistics list.
pub(super) const TOP_DOMAINS: usize = 10;

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// GEXF 1.3, for Gephi and others.
    Gexf,
    /// GEXF 1.2draft, for older programs.
    Gexf12,
    /// GraphML.
    Graphml,
    /// DOT, for Graphviz.
    Dot,
    /// Nodes and edges in one JSON object.
    Json,
    /// A picture.
    Svg,
    /// Files of vertices, edges and ranks, as Common Crawl publishes them.
    CommonCrawl,
    /// Files of nodes with positions and of edges, for viewers such as Cosmograph.
    CsvPair,
}

impl GraphFormat {
    /// The names of the files of a format; empty if it is a single file.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::CommonCrawl => &["vertices.txt", "edges.txt", "ranks.txt"],
            Self::CsvPair => &["nodes.csv", "edges.csv"],
            _ => &[],
        }
    }
}

/// What to write of a graph, and how.
#[derive(Clone, Debug)]
pub struct GraphExport {
    /// The format.
    pub format: GraphFormat,
    /// The part of the graph.
    pub selection: Selection,
    /// What colours mean, in pictures and in pairs of CSV files.
    pub colour_by: ColourBy,
    /// Maximum number of labels in a picture; none = as many as are readable.
    pub max_labels: Option<usize>,
}

impl GraphExport {
    /// The whole graph in a format.
    pub fn of(format: GraphFormat) -> Self {
        Self { format, selection: Selection::default(), colour_by: ColourBy::Cluster, max_labels: None }
    }
}

/// Writes files of a format, by their index in [`GraphFormat::files`]. A format that is one file ignores the index.
pub(super) fn write(
    ranked: &RankedGraph,
    export: &GraphExport,
    outputs: impl IntoIterator<Item = (usize, Output)>,
) -> Result<(), ExportError> {
    let RankedGraph { graph, ranks } = ranked;
    let vertices = LazyCell::new(|| CommonCrawl::of(graph));
    let picture = LazyCell::new(|| picture(ranked, export));
    for (part, mut output) in outputs {
        let out = &mut output;
        match (export.format, part) {
            (GraphFormat::Gexf, _) => formats::write_gexf(out, graph, ranks, GexfVersion::V1_3),
            (GraphFormat::Gexf12, _) => formats::write_gexf(out, graph, ranks, GexfVersion::V1_2Draft),
            (GraphFormat::Graphml, _) => formats::write_graphml(out, graph, ranks),
            (GraphFormat::Dot, _) => formats::write_dot(out, graph, ranks),
            (GraphFormat::Json, _) => formats::write_json(out, graph, ranks),
            (GraphFormat::Svg, _) => picture.write_svg(out),
            (GraphFormat::CommonCrawl, 0) => vertices.write_vertices(out),
            (GraphFormat::CommonCrawl, 1) => vertices.write_edges(out),
            (GraphFormat::CommonCrawl, _) => vertices.write_ranks(out, ranks),
            (GraphFormat::CsvPair, 0) => picture.write_nodes_csv(out),
            (GraphFormat::CsvPair, _) => picture.write_edges_csv(out),
        }?;
        output.finish()?;
    }
    Ok(())
}

fn picture<'a>(ranked: &'a RankedGraph, export: &GraphExport) -> Picture<'a> {
    let defaults = PictureOptions::default();
    let max_labels = export.max_labels.unwrap_or(defaults.max_labels);
    let options = PictureOptions { colour_by: export.colour_by, max_labels, ..defaults };
    Picture::of(&ranked.graph, &ranked.ranks.pagerank, &options)
}
