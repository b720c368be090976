//! Weaves: the graph of which hosts link to which.
//!
//! A weave is a run like any other, with a graph in place of URLs. The graph grows: weaving again continues the newest one
//! of the database, and a new host becomes another seed of it, unless a fresh graph is requested. `graph.rs` reads the
//! graph with its ranks, `write.rs` writes it for other programs.

mod file;
mod graph;
mod metrics;
mod picture;
mod view;
mod write;

use std::path::{Path, PathBuf};

use bluesnake_store::state::RunKind;
use bluesnake_store::{Database, RunFilter};

use bluesnake_graph::Neighbourhood;
pub use bluesnake_graph::{ColourBy, HarmonicMethod, HarmonicOptions, Selection, Statistics};
pub use file::WeaveFile;
use metrics::Metrics;
pub use metrics::Termination;
pub use picture::{PictureQuery, PictureView, PlaceView};
pub use view::{DomainView, EdgeView, EdgesQuery, GraphView, NodeView, NodesQuery, StatisticsView, WeaveView};
pub use write::{GraphExport, GraphFormat};

pub(crate) use graph::{RANK_COLUMNS, RankedGraph};

use crate::app::{App, off_the_runtime};
use crate::error::{AppError, Conflict};
use crate::export::{Existing, ExportError, Output};
use crate::request::StartMode;
use crate::results::paging::{Limit, Page, position};
use crate::sessions::SessionHandle;
use crate::start::Asked;
use crate::view::Run;

/// The part of a graph with links of at least a weight, around a host, or without isolated hosts.
pub fn selection(
    min_weight: Option<u32>,
    root: Option<String>,
    depth: Option<u32>,
    remove_isolated: bool,
) -> Selection {
    let around = root.map(|root| Neighbourhood::new(root, depth));
    Selection { min_weight: min_weight.unwrap_or(0), around, remove_isolated }
}

impl App {
    /// Continues the newest graph, or starts one. Hosts that the graph does not know are added to it.
    pub(crate) async fn weave(&self, asked: Asked) -> Result<SessionHandle, AppError> {
        if asked.retry_failed && asked.mode == StartMode::Fresh {
            return Err(AppError::Rejected {
                message: "a new graph has no failed hosts to retry".to_owned(),
                hint: "continue the existing graph, or start one without retrying".to_owned(),
            });
        }
        let newest = match asked.mode {
            StartMode::Fresh => None,
            StartMode::Auto | StartMode::Resume => self.catalog().newest_run_of(RunKind::Weave).await?,
        };
        match newest {
            Some(run) => {
                if !asked.urls.is_empty() {
                    asked.check()?;
                }
                let project = self.catalog().project(run.project).await?;
                self.go_on(project, asked, run).await
            }
            None if asked.mode == StartMode::Resume => Err(AppError::Conflict {
                reason: Conflict::NoPausedRun,
                message: "there is no graph to continue".to_owned(),
                hint: "give a host to start from, and another mode".to_owned(),
            }),
            None if asked.urls.is_empty() => Err(AppError::Rejected {
                message: match asked.mode {
                    StartMode::Fresh => "a new graph needs a host to start from".to_owned(),
                    StartMode::Auto | StartMode::Resume => "there is no graph to continue".to_owned(),
                },
                hint: "give a host to start from: `bluesnake weave example.com`".to_owned(),
            }),
            None => self.start_project(Asked { mode: StartMode::Fresh, ..asked }).await,
        }
    }

    /// The newest weave, or the one with this number.
    pub async fn find_weave(&self, run: Option<&str>) -> Result<Run, AppError> {
        let run = match run {
            Some(text) => self.find_run(text).await?,
            None => {
                self.catalog().newest_run_of(RunKind::Weave).await?.map(Run::from).ok_or_else(|| AppError::Absent {
                    message: "no graph yet".to_owned(),
                    hint: "start one with `bluesnake weave example.com`".to_owned(),
                })?
            }
        };
        match run.kind {
            RunKind::Weave => Ok(run),
            RunKind::Crawl | RunKind::Capture => Err(AppError::Absent {
                message: format!("run {} is not a weave; it has no graph", run.id),
                hint: "`bluesnake runs list` shows what each run is for".to_owned(),
            }),
        }
    }

    /// One page of weaves, newest first.
    pub async fn weaves_page(&self, limit: Limit, cursor: Option<&str>) -> Result<Page<WeaveView>, AppError> {
        let scope = "weaves";
        let before: Option<i64> = position(scope, cursor)?;
        let filter = RunFilter { kind: Some(RunKind::Weave), ..RunFilter::default() };
        let rows = self.catalog().runs_before(filter, before, limit.and_one_more()).await?;
        Ok(Page::cut(rows, limit, scope, |row| row.run.id).map(WeaveView::from))
    }

    /// A graph with its figures.
    pub async fn graph(&self, run: i64) -> Result<GraphView, AppError> {
        let run = self.find_weave(Some(&run.to_string())).await?;
        let figures = self.contents().graph_figures(run.id).await?;
        Ok(GraphView::of(run, figures))
    }

    /// One page of the hosts of a graph, in number order.
    pub async fn graph_nodes(&self, run: i64, query: NodesQuery) -> Result<Page<NodeView>, AppError> {
        let scope = format!("nodes {run} {:?}", query.search);
        let after = position(&scope, query.cursor.as_deref())?.unwrap_or(0);
        let rows = self.contents().nodes(run, after, query.limit.and_one_more(), query.search).await?;
        Ok(Page::cut(rows, query.limit, &scope, |row| row.number).map(NodeView::from))
    }

    /// One page of the links of a graph, in the order of their hosts.
    pub async fn graph_edges(&self, run: i64, query: EdgesQuery) -> Result<Page<EdgeView>, AppError> {
        let scope = format!("edges {run} {:?}", query.host);
        let after = position(&scope, query.cursor.as_deref())?.unwrap_or((0, 0));
        let rows = self.contents().edges(run, after, query.limit.and_one_more(), query.host).await?;
        Ok(Page::cut(rows, query.limit, &scope, |row| (row.source, row.target)).map(EdgeView::from))
    }

    /// Writes the graph of a run, or one file of a format that has several; returns the number of hosts and links.
    pub async fn export_graph(
        &self,
        run: i64,
        export: GraphExport,
        part: usize,
        output: Output,
    ) -> Result<(usize, usize), AppError> {
        let parts = export.format.files().len().max(1);
        if part >= parts {
            return Err(AppError::Invalid(format!("the graph has no part {part}; the last one is {}", parts - 1)));
        }
        let database = self.graph_database(run).await?;
        off_the_runtime(move || {
            let ranked = RankedGraph::read(&database, run, &export.selection)?;
            write::write(&ranked, &export, [(part, output)])?;
            Ok((ranked.graph.node_count(), ranked.graph.edge_count()))
        })
        .await
    }

    /// Writes the files of a format that has several into a folder. A file appears only when it is complete.
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
            write::write(&ranked, &export, outputs.into_iter().enumerate())?;
            Ok(paths)
        })
        .await
    }

    /// Statistics of a graph, or of a part of it. Holds a value until the work ends, even if the caller stops waiting
    /// earlier.
    pub async fn graph_statistics<T: Send + 'static>(
        &self,
        held: T,
        run: i64,
        selection: Selection,
    ) -> Result<Statistics, AppError> {
        let database = self.graph_database(run).await?;
        off_the_runtime(move || {
            let _held = held;
            Ok(Statistics::of(&graph::selected(&database, run, &selection)?, write::TOP_DOMAINS))
        })
        .await
    }

    /// Writes the metrics of a weave to a file; replaces the file of an earlier session.
    pub async fn write_metrics(&self, run: i64, reason: Termination, path: &Path) -> Result<(), AppError> {
        let row = self.catalog().run(run).await?;
        Metrics::of(&row, &self.contents().graph_figures(run).await?, reason).write(path)
    }

    async fn graph_database(&self, run: i64) -> Result<Database, AppError> {
        self.find_weave(Some(&run.to_string())).await?;
        Ok(self.database().clone())
    }
}
