//! `bluesnake runs`: logical crawls of a site.

use std::path::Path;
use std::time::Duration;

use bluesnake_app::view::RunView;
use bluesnake_app::{App, RunKind};

use super::{is_confirmed, project_id};
use crate::args::{RunArgument, RunsCommand};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::table::Grid;
use crate::output::{bluesnake, counted, print, print_json, say, thousands, time};

pub(crate) async fn run(db: Option<&Path>, command: &RunsCommand) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    match command {
        RunsCommand::List { project, job, shown } => list(&app, project.as_deref(), *job, shown.json).await,
        RunsCommand::Show(argument) => show(&app, argument).await,
        RunsCommand::Delete { run, yes } => {
            let found = app.run_view(*run).await?;
            let what = format!("run {run} of {} with {}", found.domain, counted(found.urls_seen, "URL"));
            if is_confirmed(&what, *yes)? {
                app.delete_run(*run).await?;
                say(&format!("removed run {run}"));
            }
            Ok(Exit::Done)
        }
    }
}

async fn list(app: &App, project: Option<&str>, job: Option<RunKind>, as_json: bool) -> anyhow::Result<Exit> {
    let project = project_id(app, project).await?;
    let runs = app.runs(project, job).await?;
    if as_json {
        print_json(&runs);
        return Ok(Exit::Done);
    }
    let mut grid =
        Grid::new(&["run", "project", "kind", "state", "seen", "visited", "pending", "pages", "sessions", "started"])
            .right(&[0, 4, 5, 6, 7, 8]);
    for run in runs {
        grid.row([
            run.id.to_string(),
            run.domain.clone(),
            run.kind.to_owned(),
            state(&run),
            thousands(run.urls_seen),
            thousands(run.urls_visited),
            thousands(run.urls_pending),
            thousands(run.total_pages_crawled),
            run.crawls.len().to_string(),
            time::moment(run.created_at),
        ]);
    }
    print(&grid.text());
    Ok(Exit::Done)
}

fn state(run: &RunView) -> String {
    match &run.reason {
        Some(reason) => format!("{} ({reason})", run.state),
        None => run.state.to_owned(),
    }
}

async fn show(app: &App, argument: &RunArgument) -> anyhow::Result<Exit> {
    let run = app.run_view(app.find_run(&argument.run).await?.id).await?;
    if argument.shown.json {
        print_json(&run);
        return Ok(Exit::Done);
    }
    print(&format!("run {} ({}) of {}: {}\n", run.id, run.kind, crate::output::visible(&run.domain), state(&run)));
    if let Some(detail) = &run.detail {
        print(&format!("{}\n", crate::output::visible(detail)));
    }
    print(&format!("started from {}\n", seeds(&run.seeds)));
    print(&format!(
        "{} seen, {} visited, {} pending, {}\n\n",
        counted(run.urls_seen, "URL"),
        thousands(run.urls_visited),
        thousands(run.urls_pending),
        counted(run.total_pages_crawled, "page")
    ));
    print(&sessions(&run.crawls));
    if matches!(run.state, "paused" | "failed") {
        say(&format!("resume with: {} resume {}", bluesnake(), run.id));
    }
    Ok(Exit::Done)
}

/// The first seeds; a list can have a hundred thousand.
fn seeds(seeds: &[String]) -> String {
    const NAMED: usize = 5;
    let named: Vec<_> = seeds.iter().take(NAMED).map(|seed| crate::output::visible(seed)).collect();
    let more = match seeds.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", thousands(more as u64)),
    };
    format!("{}{more}", named.join(", "))
}

/// A table of sessions.
pub(super) fn sessions(sessions: &[bluesnake_app::view::SessionView]) -> String {
    let mut grid =
        Grid::new(&["session", "run", "state", "reason", "visited", "pages", "failed", "MB", "took", "started"])
            .right(&[0, 1, 4, 5, 6, 7]);
    for session in sessions {
        grid.row([
            session.id.to_string(),
            session.run_id.to_string(),
            session.state.to_owned(),
            session.reason.clone().unwrap_or_default(),
            thousands(session.urls_visited),
            thousands(session.pages_crawled),
            thousands(session.failed),
            format!("{:.1}", session.bytes as f64 / 1e6),
            time::span(Duration::from_millis(session.crawl_duration.max(0) as u64)),
            time::moment(session.crawl_date_time),
        ]);
    }
    grid.text()
}
