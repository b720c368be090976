//! `bluesnake weave`: the graph of hosts, woven, drawn and counted.

use std::path::{Path, PathBuf};
use std::pin::Pin;

use anyhow::Context;
use bluesnake_app::export::{Existing, Output, is_reader_gone};
use bluesnake_app::weave::{ColourBy, GraphExport, GraphFormat, StatisticsView, Termination};
use bluesnake_app::{App, AppError, Caller, SessionHandle, StartRequest};

use super::crawl;
use crate::args::{ColourName, RenderArguments, StatsArguments, WeaveArguments, WeaveCommand};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::interrupt::Interrupts;
use crate::output::{counted, name_database, print, print_json, say, weave as show};

pub(crate) async fn run(db: Option<&Path>, arguments: &WeaveArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        None => weave(db, arguments).await,
        Some(WeaveCommand::Render(arguments)) => render(db, arguments).await,
        Some(WeaveCommand::Stats(arguments)) => stats(db, arguments).await,
    }
}

/// Starts or continues a weave.
async fn weave(db: Option<&Path>, arguments: &WeaveArguments) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen();
    let file = arguments.file()?;
    let request = arguments.request(&file)?;
    if !request.urls.is_empty() {
        // A typo makes no database.
        StartRequest::from(request.clone()).check(&Caller::operator()).context("cannot start the weave")?;
    }
    let metrics = arguments.metrics(&file);
    if let Some(path) = &metrics {
        Output::check(path, Existing::Replace).map_err(AppError::from).context("cannot write the metrics")?;
    }
    let named_by_file = file.database(std::env::var_os("BLUESNAKE_HOME").is_some()).filter(|_| db.is_none());
    let db = db.or(named_by_file.as_deref());
    if let Some(path) = &named_by_file {
        name_database(path);
    }
    let access = if request.urls.is_empty() { Access::Write } else { Access::Create };
    let app = home::open(db, access, 1).await.context("cannot start the weave")?;
    let handle = app.start(request, crawl::caller(&arguments.session)).await.context("cannot start the weave")?;
    crawl::say_what_is_paused(&handle, &arguments.session);
    let leaves = Leaves { app: app.clone(), metrics: metrics.clone() };
    let last_words = |handle: &SessionHandle| {
        let run = handle.snapshots().borrow().run_id;
        Box::pin(leaves.write(run, Termination::ForcedExit)) as Pin<Box<dyn Future<Output = ()> + '_>>
    };
    let exit = crawl::follow_with(&app, vec![handle.clone()], &arguments.session, &mut interrupts, &last_words).await?;
    let ended = handle.wait().await;
    if let (Some(path), Some(run)) = (metrics, ended.run) {
        let figures = app.weave_metrics(run, Termination::of(&ended)).await?;
        figures.write(&path).context("cannot write the metrics")?;
        if !arguments.session.quiet {
            say(&format!("wrote the metrics to {}", path.display()));
        }
    }
    Ok(exit)
}

/// What is still done when somebody cannot wait.
struct Leaves {
    app: App,
    metrics: Option<PathBuf>,
}

impl Leaves {
    async fn write(&self, run: Option<i64>, reason: Termination) {
        let (Some(path), Some(run)) = (&self.metrics, run) else { return };
        let written = match self.app.weave_metrics(run, reason).await {
            Ok(figures) => figures.write(path),
            Err(error) => Err(error),
        };
        if let Err(error) = written {
            say(&format!("cannot write the metrics: {error}"));
        }
    }
}

/// Draws a graph.
async fn render(db: Option<&Path>, arguments: &RenderArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_weave(arguments.run.as_deref()).await?;
    let is_stdout = arguments.output.as_os_str() == "-";
    let existing = if arguments.replace { Existing::Replace } else { Existing::Keep };
    let output = match is_stdout {
        true => Output::stdout(),
        false => Output::file(&arguments.output, existing).map_err(AppError::from)?,
    };
    let export = GraphExport {
        selection: arguments.selection.selection(),
        colour_by: match arguments.colour {
            ColourName::Cluster => ColourBy::Cluster,
            ColourName::Component => ColourBy::Component,
        },
        max_labels: arguments.labels,
        ..GraphExport::of(GraphFormat::Svg)
    };
    match app.export_graph(run.id, export, 0, output).await {
        Ok((nodes, edges)) => {
            if !is_stdout {
                let (nodes, edges) = (counted(nodes, "host"), counted(edges, "link"));
                say(&format!("drew {nodes} and {edges} of run {} in {}", run.id, arguments.output.display()));
            }
            Ok(Exit::Done)
        }
        Err(error) if is_reader_gone(&error) => Ok(Exit::Done),
        Err(error) => Err(error.into()),
    }
}

/// Counts a graph.
async fn stats(db: Option<&Path>, arguments: &StatsArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_weave(arguments.run.as_deref()).await?;
    let statistics = app.graph_statistics((), run.id, arguments.selection.selection()).await?;
    match arguments.shown.json {
        true => print_json(&StatisticsView::from(statistics)),
        false => print(&show::statistics(run.id, &statistics)),
    }
    Ok(Exit::Done)
}
