//! Weaves: the graph of which hosts link to which.
//!
//! A weave is a run like any other, with a graph in place of URLs. There is one graph that grows: weaving again goes on
//! with the newest one of the database, and a new address is one more starting point of it, unless a fresh graph is
//! asked for. `graph.rs` gives the graph back with its ranks, `write.rs` writes it for other programs.

mod file;
mod graph;
mod metrics;
mod view;
mod write;

use std::path::{Path, PathBuf};

use bluesnake_store::state::RunKind;
use bluesnake_store::{Database, RunRow};

pub use bluesnake_graph::{ColourBy, HarmonicMethod, HarmonicOptions, Neighbourhood, Selection, Statistics};
pub use file::WeaveFile;
pub use metrics::{Metrics, Termination};
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
    pub async fn find_weave(&self, run: Option<&str>) -> Result<RunRow, AppError> {
        let run = match run {
            Some(text) => self.find_run(text).await?,
            None => self.catalog().newest_run_of(RunKind::Weave).await?.ok_or_else(|| AppError::Absent {
                message: "no graph yet".to_owned(),
                hint: "start one with `bluesnake weave example.com`".to_owned(),
            })?,
        };
        match run.kind {
            RunKind::Weave => Ok(run),
            RunKind::Crawl | RunKind::Capture => Err(AppError::Absent {
                message: format!("run {} is not a weave; it has no graph", run.id),
                hint: "`bluesnake runs list` shows what each run is for".to_owned(),
            }),
        }
    }

    /// Weaves, the newest first, a page at a time.
    pub async fn weaves_page(&self, limit: Limit, cursor: Option<&str>) -> Result<Page<WeaveView>, AppError> {
        let scope = "weaves";
        let before: Option<i64> = position(scope, cursor)?;
        let rows = self.catalog().runs_before(None, Some(RunKind::Weave), before, limit.and_one_more()).await?;
        Ok(Page::cut(rows, limit, scope, |row| row.run.id).map(WeaveView::from))
    }

    /// A graph with its figures.
    pub async fn graph(&self, run: &RunRow) -> Result<GraphView, AppError> {
        GraphView::of(run, self.contents().graph_figures(run.id).await?)
    }

    /// Hosts of a graph in the order of their numbers.
    pub async fn graph_nodes(&self, run: i64, query: NodesQuery) -> Result<Page<NodeView>, AppError> {
        let scope = format!("nodes {run} {:?}", query.search);
        let after = position(&scope, query.cursor.as_deref())?.unwrap_or(0);
        let rows = self.contents().nodes(run, after, query.limit.and_one_more(), query.search).await?;
        Ok(Page::cut(rows, query.limit, &scope, |row| row.number).map(NodeView::from))
    }

    /// Links of a graph in the order of their hosts.
    pub async fn graph_edges(&self, run: i64, query: EdgesQuery) -> Result<Page<EdgeView>, AppError> {
        let scope = format!("edges {run} {:?}", query.host);
        let after = position(&scope, query.cursor.as_deref())?.unwrap_or((0, 0));
        let rows = self.contents().edges(run, after, query.limit.and_one_more(), query.host).await?;
        Ok(Page::cut(rows, query.limit, &scope, |row| (row.source, row.target)).map(EdgeView::from))
    }

    /// Writes the graph of a run to one place, or one of the files of a format that has several; returns how many hosts
    /// and links the graph has.
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
            let mut output = output;
            write::write(&ranked, &export, part, &mut output).map_err(ExportError::from)?;
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
            write::write_files(&ranked, &export, outputs)?;
            Ok(paths)
        })
        .await
    }

    /// Counts of a graph, or of a part of it. What is held is let go when the work ends, and not already when nobody
    /// waits for it any more.
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

    /// The figures of a graph when the program leaves it.
    pub async fn weave_metrics(&self, run: i64, termination_reason: Termination) -> Result<Metrics, AppError> {
        let row = self.catalog().run(run).await?;
        Ok(Metrics::of(&row, &self.contents().graph_figures(run).await?, termination_reason))
    }

    async fn graph_database(&self, run: i64) -> Result<Database, AppError> {
        self.find_weave(Some(&run.to_string())).await?;
        Ok(self.database().clone())
    }
}
