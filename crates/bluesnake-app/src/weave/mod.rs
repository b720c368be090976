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

use bluesnake_store::RunRow;
use bluesnake_store::state::RunKind;

pub use bluesnake_graph::{ColourBy, HarmonicMethod, HarmonicOptions, Neighbourhood, Selection, Statistics};
pub use file::WeaveFile;
pub use metrics::{Metrics, Termination};
pub use view::{DomainView, EdgeView, EdgesQuery, GraphView, NodeView, NodesQuery, StatisticsView, WeaveView};
pub use write::{GraphExport, GraphFormat};

pub(crate) use graph::{RANK_COLUMNS, RankedGraph};

use crate::error::{AppError, Conflict};
use crate::request::StartMode;
use crate::running::{App, CrawlHandle};
use crate::start::Asked;

impl App {
    /// Continues the newest graph, or starts one. Hosts that the graph does not know are added to it.
    pub(crate) async fn weave(&self, asked: Asked) -> Result<CrawlHandle, AppError> {
        if asked.retry_failed && asked.mode == StartMode::Fresh {
            return Err(AppError::Rejected {
                message: "a new graph has no failed hosts to retry".to_owned(),
                hint: "continue the existing graph, or start one without retrying".to_owned(),
            });
        }
        let newest = match asked.mode {
            StartMode::Fresh => None,
            StartMode::Auto | StartMode::Resume => self.database().newest_run_of(RunKind::Weave).await?,
        };
        match newest {
            Some(run) => {
                if !asked.urls.is_empty() {
                    asked.check()?;
                }
                let project = self.database().project(run.project).await?;
                self.go_on(project, asked, run).await
            }
            None if asked.mode == StartMode::Resume => Err(AppError::Conflict {
                reason: Conflict::NoPausedRun,
                message: "there is no graph to continue".to_owned(),
                hint: "name a host to start from, and another mode".to_owned(),
            }),
            None if asked.urls.is_empty() => Err(AppError::Rejected {
                message: match asked.mode {
                    StartMode::Fresh => "a new graph needs a host to start from".to_owned(),
                    StartMode::Auto | StartMode::Resume => "there is no graph to continue".to_owned(),
                },
                hint: "name a host to start from: `bluesnake weave example.com`".to_owned(),
            }),
            None => self.start_project(Asked { mode: StartMode::Fresh, ..asked }).await,
        }
    }

    /// The newest weave, or the one with this number.
    pub async fn find_weave(&self, run: Option<&str>) -> Result<RunRow, AppError> {
        let run = match run {
            Some(text) => self.find_run(text).await?,
            None => self.database().newest_run_of(RunKind::Weave).await?.ok_or_else(|| AppError::Absent {
                message: "there is no graph yet".to_owned(),
                hint: "`bluesnake weave example.com` weaves one".to_owned(),
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
}
