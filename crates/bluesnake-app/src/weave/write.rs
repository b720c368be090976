//! A graph for other programs, and as a picture.

use std::io::Write;
use std::path::{Path, PathBuf};

use bluesnake_graph::formats::{self, CommonCrawl, GexfVersion};
use bluesnake_graph::{ColourBy, Picture, PictureOptions, Selection, Statistics};

use super::graph::RankedGraph;
use crate::error::AppError;
use crate::export::{Existing, ExportError, Output};
use crate::results::off_the_runtime;
use crate::running::App;

/// How many domains the statistics name.
const TOP_DOMAINS: usize = 10;

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

impl App {
    /// Writes the graph of a run to one place; returns how many hosts and links were written.
    pub async fn export_graph(
        &self,
        run: i64,
        export: GraphExport,
        output: Output,
    ) -> Result<(usize, usize), AppError> {
        if let Some(first) = export.format.files().first() {
            return Err(AppError::Invalid(format!("this format is several files, {first} among them: name a folder")));
        }
        let database = self.graph_database(run).await?;
        off_the_runtime(move || {
            let ranked = RankedGraph::read(&database, run, &export.selection)?;
            let mut output = output;
            write(&ranked, &export, "", &mut output).map_err(ExportError::from)?;
            output.finish()?;
            Ok((ranked.graph.node_count(), ranked.graph.edge_count()))
        })
        .await
    }

    /// Writes the files of a format that has several into a folder, each whole or not at all.
    pub async fn export_graph_files(
        &self,
        run: i64,
        export: GraphExport,
        folder: &Path,
        existing: Existing,
    ) -> Result<Vec<PathBuf>, AppError> {
        let database = self.graph_database(run).await?;
        let folder = folder.to_owned();
        off_the_runtime(move || {
            let ranked = RankedGraph::read(&database, run, &export.selection)?;
            std::fs::create_dir_all(&folder).map_err(ExportError::from)?;
            let paths: Vec<PathBuf> = export.format.files().iter().map(|name| folder.join(name)).collect();
            let outputs: Vec<Output> =
                paths.iter().map(|path| Output::file(path, existing)).collect::<Result<_, _>>()?;
            for (mut output, name) in outputs.into_iter().zip(export.format.files()) {
                write(&ranked, &export, name, &mut output).map_err(ExportError::from)?;
                output.finish()?;
            }
            Ok(paths)
        })
        .await
    }

    /// Counts of a graph, or of a part of it.
    pub async fn graph_statistics(&self, run: i64, selection: Selection) -> Result<Statistics, AppError> {
        let database = self.graph_database(run).await?;
        off_the_runtime(move || {
            let ranked = RankedGraph::read(&database, run, &selection)?;
            Ok(Statistics::of(&ranked.graph, TOP_DOMAINS))
        })
        .await
    }

    async fn graph_database(&self, run: i64) -> Result<bluesnake_store::Database, AppError> {
        self.find_weave(Some(&run.to_string())).await?;
        Ok(self.database().clone())
    }
}

fn write(ranked: &RankedGraph, export: &GraphExport, file: &str, out: &mut impl Write) -> std::io::Result<()> {
    let RankedGraph { graph, ranks } = ranked;
    let picture = || {
        let defaults = PictureOptions::default();
        let max_labels = export.max_labels.unwrap_or(defaults.max_labels);
        Picture::of(graph, ranks, &PictureOptions { colour_by: export.colour_by, max_labels, ..defaults })
    };
    match (export.format, file) {
        (GraphFormat::Gexf, _) => formats::write_gexf(out, graph, ranks, GexfVersion::V1_3),
        (GraphFormat::Gexf12, _) => formats::write_gexf(out, graph, ranks, GexfVersion::V1_2Draft),
        (GraphFormat::Graphml, _) => formats::write_graphml(out, graph, ranks),
        (GraphFormat::Dot, _) => formats::write_dot(out, graph, ranks),
        (GraphFormat::Json, _) => formats::write_json(out, graph, ranks),
        (GraphFormat::Svg, _) => picture().write_svg(out),
        (GraphFormat::CommonCrawl, "vertices.txt") => CommonCrawl::of(graph).write_vertices(out),
        (GraphFormat::CommonCrawl, "edges.txt") => CommonCrawl::of(graph).write_edges(out),
        (GraphFormat::CommonCrawl, _) => CommonCrawl::of(graph).write_ranks(out, ranks),
        (GraphFormat::CsvPair, "nodes.csv") => picture().write_nodes_csv(out),
        (GraphFormat::CsvPair, _) => picture().write_edges_csv(out),
    }
}
