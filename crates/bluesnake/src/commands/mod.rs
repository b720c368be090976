//! One file per command or group of commands.

pub(crate) mod capture;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod crawl;
pub(crate) mod errors;
pub(crate) mod export;
mod fail_on;
pub(crate) mod issues;
mod list;
pub(crate) mod mcp;
pub(crate) mod page;
pub(crate) mod pages;
pub(crate) mod projects;
pub(crate) mod repair;
pub(crate) mod results;
pub(crate) mod runs;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod urls;
pub(crate) mod weave;

use std::io::{BufRead, IsTerminal};

use bluesnake_app::App;

use crate::output::say;
use crate::report::Usage;

/// Asks before deleting something; without a terminal, `--yes` is required.
fn is_confirmed(what: &str, yes: bool) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        return Err(Usage(format!("{what} would be deleted; confirm with --yes")).into());
    }
    say(&format!("{what} will be deleted. Type yes to continue:"));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim() == "yes")
}

/// The number of a project that may be given.
async fn project_id(app: &App, project: Option<&str>) -> anyhow::Result<Option<i64>> {
    match project {
        Some(text) => Ok(Some(app.find_project(text).await?.id)),
        None => Ok(None),
    }
}
