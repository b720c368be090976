//! A graph for other programs, and as a picture.

use std::io::Write;

use bluesnake_graph::formats::{self, CommonCrawl, GexfVersion};
use bluesnake_graph::{ColourBy, Picture, PictureOptions, Selection};

use super::graph::RankedGraph;
use crate::export::{ExportError, Output};

/// How many domains the statistics name.
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
    /// Files of nodes with their places and of edges, for viewers such as Cosmograph.
    CsvPair,
}

impl GraphFormat {
    /// The files of a format that is more than one.
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
    /// What colours stand for, in pictures and in pairs of CSV files.
    pub colour_by: ColourBy,
    /// How many names a picture has at most; none = as many as are readable.
    pub max_labels: Option<usize>,
}

impl GraphExport {
    /// The whole graph in a format.
    pub fn of(format: GraphFormat) -> Self {
        Self { format, selection: Selection::default(), colour_by: ColourBy::Cluster, max_labels: None }
    }
}

/// Writes a format that is one file, or a part of one that is several.
pub(super) fn write(
    ranked: &RankedGraph,
    export: &GraphExport,
    part: usize,
    out: &mut impl Write,
) -> std::io::Result<()> {
    let RankedGraph { graph, ranks } = ranked;
    match export.format {
        GraphFormat::Gexf => formats::write_gexf(out, graph, ranks, GexfVersion::V1_3),
        GraphFormat::Gexf12 => formats::write_gexf(out, graph, ranks, GexfVersion::V1_2Draft),
        GraphFormat::Graphml => formats::write_graphml(out, graph, ranks),
        GraphFormat::Dot => formats::write_dot(out, graph, ranks),
        GraphFormat::Json => formats::write_json(out, graph, ranks),
        GraphFormat::Svg => picture(ranked, export).write_svg(out),
        GraphFormat::CommonCrawl => match part {
            0 => CommonCrawl::of(graph).write_vertices(out),
            1 => CommonCrawl::of(graph).write_edges(out),
            _ => CommonCrawl::of(graph).write_ranks(out, ranks),
        },
        GraphFormat::CsvPair => match part {
            0 => picture(ranked, export).write_nodes_csv(out),
            _ => picture(ranked, export).write_edges_csv(out),
        },
    }
}

/// Writes the files of a format that is several, in the order of [`GraphFormat::files`].
pub(super) fn write_files(ranked: &RankedGraph, export: &GraphExport, outputs: Vec<Output>) -> Result<(), ExportError> {
    type Part<'a> = Box<dyn Fn(&mut Output) -> std::io::Result<()> + 'a>;
    let (vertices, drawn) = match export.format {
        GraphFormat::CommonCrawl => (Some(CommonCrawl::of(&ranked.graph)), None),
        _ => (None, Some(picture(ranked, export))),
    };
    let parts: Vec<Part<'_>> = match (&vertices, &drawn) {
        (Some(graph), _) => vec![
            Box::new(|out| graph.write_vertices(out)),
            Box::new(|out| graph.write_edges(out)),
            Box::new(|out| graph.write_ranks(out, &ranked.ranks)),
        ],
        (None, Some(picture)) => {
            vec![Box::new(|out| picture.write_nodes_csv(out)), Box::new(|out| picture.write_edges_csv(out))]
        }
        (None, None) => Vec::new(),
    };
    for (mut output, part) in outputs.into_iter().zip(parts) {
        part(&mut output)?;
        output.finish()?;
    }
    Ok(())
}

fn picture<'a>(ranked: &'a RankedGraph, export: &GraphExport) -> Picture<'a> {
    let defaults = PictureOptions::default();
    let max_labels = export.max_labels.unwrap_or(defaults.max_labels);
    let options = PictureOptions { colour_by: export.colour_by, max_labels, ..defaults };
    Picture::of(&ranked.graph, &ranked.ranks, &options)
}
