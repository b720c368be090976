//! `bluesnake errors`: the pages that captures could not fetch.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use bluesnake_app::Limit;
use bluesnake_app::capture::ErrorsQuery;

use super::project_id;
use crate::args::ErrorsArguments;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::table::Grid;
use crate::output::{counted, print, print_json, say, time};

pub(crate) async fn run(db: Option<&Path>, arguments: &ErrorsArguments) -> anyhow::Result<Exit> {
    let limit = Limit::new(arguments.limit)?;
    let app = home::open(db, Access::Read, 1).await?;
    let since = arguments.days.map(|days| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        now as i64 - i64::from(days) * 24 * 60 * 60
    });
    let project_id = project_id(&app, arguments.project.as_deref()).await?;
    let query = ErrorsQuery { run_id: arguments.run, project_id, since, limit, cursor: None };
    let errors = app.capture_errors(query).await?;
    if arguments.shown.json {
        print_json(&errors.items);
    } else if errors.items.is_empty() {
        say("no failed pages");
    } else {
        let mut grid = Grid::new(&["run", "requested", "error", "url"]).right(&[0]);
        for error in &errors.items {
            grid.row([error.run_id.to_string(), time::moment(error.timestamp), error.error.clone(), error.url.clone()]);
        }
        print(&grid.text());
    }
    if errors.has_more {
        say(&format!("only the first {}; raise --limit for more", counted(errors.items.len() as u64, "page")));
    }
    Ok(Exit::Done)
}
