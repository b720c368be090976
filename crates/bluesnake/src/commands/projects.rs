//! `bluesnake projects`: crawled sites.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use bluesnake_app::App;
use serde_json::json;

use super::is_confirmed;
use crate::args::ProjectsCommand;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::table::Grid;
use crate::output::{bluesnake, counted, print, print_json, say, thousands, time};

pub(crate) async fn run(db: Option<&Path>, command: &ProjectsCommand) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    match command {
        ProjectsCommand::List(shown) => list(&app, shown.json).await,
        ProjectsCommand::Show { project, favicon, shown } => show(&app, project, favicon.as_deref(), shown.json).await,
        ProjectsCommand::Delete { project, yes } => {
            let project = app.find_project(project).await?;
            if is_confirmed(&format!("{} and all results", project.host), *yes)? {
                app.delete_project(project.id).await?;
                say(&format!("removed {}", project.host));
            }
            Ok(Exit::Done)
        }
    }
}

async fn list(app: &App, as_json: bool) -> anyhow::Result<Exit> {
    let projects = app.projects().await?;
    if as_json {
        print_json(&projects);
        return Ok(Exit::Done);
    }
    if projects.is_empty() {
        say("no projects yet; start one with `bluesnake crawl URL`");
    }
    let mut grid = Grid::new(&["id", "project", "current run", "state", "pages", "crawled at", "took", "runs"])
        .right(&[0, 2, 4, 7]);
    for project in projects {
        let took = project.crawl_duration.map(|ms| time::span(Duration::from_millis(ms.max(0) as u64)));
        grid.row([
            project.id.to_string(),
            project.domain,
            project.run_id.map(|run| run.to_string()).unwrap_or_default(),
            project.run_state.unwrap_or_default().to_owned(),
            thousands(project.pages_crawled),
            project.crawl_date_time.map(time::moment).unwrap_or_default(),
            took.unwrap_or_default(),
            project.runs.to_string(),
        ]);
    }
    print(&grid.text());
    Ok(Exit::Done)
}

async fn show(app: &App, text: &str, favicon: Option<&Path>, as_json: bool) -> anyhow::Result<Exit> {
    let project = app.find_project(text).await?;
    let queue = app.queue_status(project.id, None).await?;
    let view = app.project_view(project.id).await?;
    if let Some(path) = favicon {
        let icon = app.favicon(project.id, bluesnake_app::Reach::AsSet).await?;
        if icon.bytes.is_empty() {
            say(&format!("{} has no favicon", project.host));
        } else {
            std::fs::write(path, &icon.bytes).with_context(|| format!("cannot write {}", path.display()))?;
            say(&format!("wrote {} ({}, {})", path.display(), icon.media_type, counted(icon.bytes.len(), "byte")));
        }
    }
    if as_json {
        print_json(&json!({ "project": view, "queue": queue }));
        return Ok(Exit::Done);
    }
    let mut grid = Grid::new(&["", ""]);
    let mut line = |name: &str, value: String| grid.row([name.to_owned(), value]);
    line("project", format!("{} ({})", view.domain, view.id));
    line("url", view.url);
    line("runs", view.runs.to_string());
    line("current run", view.run_id.map(|run| run.to_string()).unwrap_or_default());
    line("state", view.run_state.unwrap_or_default().to_owned());
    line("pages", thousands(view.pages_crawled));
    line("visited", thousands(queue.visited));
    line("pending", thousands(queue.pending));
    print(grid.text().trim_start_matches('\n'));
    if queue.can_resume {
        say(&format!("resume with: {} resume {}", bluesnake(), project.host));
    }
    Ok(Exit::Done)
}
