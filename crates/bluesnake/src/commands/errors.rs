//! `bluesnake errors`: the pages that captures could not fetch.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use bluesnake_app::capture::{ErrorsQuery, LoggedError};
use bluesnake_app::{App, Limit};

use super::capture::captured_run;
use super::project_id;
use crate::args::ErrorsArguments;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::table::Grid;
use crate::output::{counted, print, print_json, say, time};

pub(crate) async fn run(db: Option<&Path>, arguments: &ErrorsArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let since = arguments.days.map(|days| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        now as i64 - i64::from(days) * 24 * 60 * 60
    });
    let run_id = match &arguments.run {
        Some(run) => Some(captured_run(&app, run).await?),
        None => None,
    };
    let project_id = project_id(&app, arguments.project.as_deref()).await?;
    let query = ErrorsQuery { run_id, project_id, since, ..ErrorsQuery::default() };
    let (errors, has_more) = list(&app, query, arguments.limit).await?;
    if arguments.shown.json {
        print_json(&errors);
    } else if errors.is_empty() {
        say("no failed pages");
    } else {
        let mut grid = Grid::new(&["run", "requested", "error", "url"]).right(&[0]);
        for error in &errors {
            grid.row([error.run_id.to_string(), time::moment(error.timestamp), error.error.clone(), error.url.clone()]);
        }
        print(&grid.text());
    }
    if has_more {
        say(&format!("only the first {}; raise --limit for more", counted(errors.len(), "page")));
    }
    Ok(Exit::Done)
}

/// Up to `limit` failed pages, and whether there are more.
async fn list(app: &App, mut query: ErrorsQuery, limit: usize) -> anyhow::Result<(Vec<LoggedError>, bool)> {
    let mut errors = Vec::new();
    loop {
        query.limit = Limit::new((limit - errors.len()).min(<Limit>::MAX))?;
        let page = app.capture_errors(query.clone()).await?;
        errors.extend(page.items);
        query.cursor = page.next_cursor;
        if query.cursor.is_none() || errors.len() >= limit {
            return Ok((errors, query.cursor.is_some()));
        }
    }
}
