//! `bluesnake weave`: build, draw and count the graph of hosts.

use std::path::Path;

use anyhow::Context;
use bluesnake_app::export::{Existing, Output, is_reader_gone, is_stdout};
use bluesnake_app::weave::{GraphExport, GraphFormat, StatisticsView, Termination};
use bluesnake_app::{AppError, Caller, StartRequest};

use super::crawl;
use crate::args::{RenderArguments, StatsArguments, WeaveArguments, WeaveCommand};
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
        // A typo creates no database.
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
    let (session, metrics) = (&arguments.session, metrics.as_deref());
    let followed = crawl::Followed { session, metrics, fail_on: &[] };
    let exit = crawl::follow(&app, vec![handle.clone()], followed, &mut interrupts).await?;
    let ended = handle.wait().await;
    if let (Some(path), Some(run)) = (metrics, ended.run) {
        app.write_metrics(run, Termination::of(&ended), path).await.context("cannot write the metrics")?;
        if !session.quiet {
            say(&format!("wrote the metrics to {}", path.display()));
        }
    }
    Ok(exit)
}

/// Draws a graph.
async fn render(db: Option<&Path>, arguments: &RenderArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_weave(arguments.run.as_deref()).await?;
    let output = Output::create(&arguments.output, Existing::replaced_if(arguments.replace)).map_err(AppError::from)?;
    let export = GraphExport {
        selection: arguments.selection.selection(),
        colour_by: arguments.colour,
        max_labels: arguments.labels,
        ..GraphExport::of(GraphFormat::Svg)
    };
    match app.export_graph(run.id, export, 0, output).await {
        Ok((nodes, edges)) => {
            if !is_stdout(&arguments.output) {
                let (nodes, edges) = (counted(nodes, "host"), counted(edges, "link"));
                say(&format!("drew {nodes} and {edges} of run {} in {}", run.id, arguments.output.display()));
            }
            Ok(Exit::Done)
        }
        Err(error) if is_reader_gone(&error) => Ok(Exit::Done),
        Err(error) => Err(error.into()),
    }
}

/// Prints statistics of a graph.
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
