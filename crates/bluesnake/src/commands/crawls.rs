//! `bluesnake crawls`: the sessions of runs.

use std::path::Path;

use super::{is_confirmed, runs};
use crate::args::CrawlsCommand;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::{print, print_json, say};

pub(crate) async fn run(db: Option<&Path>, command: &CrawlsCommand) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let (crawls, as_json) = match command {
        CrawlsCommand::List { project, shown } => {
            let project = match project {
                Some(text) => Some(app.find_project(text).await?.id),
                None => None,
            };
            (app.crawls(project).await?, shown.json)
        }
        CrawlsCommand::Show { crawl, shown } => (vec![app.crawl_view(*crawl).await?], shown.json),
        CrawlsCommand::Delete { crawl, yes } => {
            app.crawl_view(*crawl).await?;
            if is_confirmed(&format!("crawl {crawl} with everything it found"), *yes)? {
                app.delete_crawl(*crawl).await?;
                say(&format!("removed crawl {crawl}"));
            }
            return Ok(Exit::Done);
        }
    };
    match (as_json, command) {
        (true, CrawlsCommand::Show { .. }) => print_json(&crawls[0]),
        (true, _) => print_json(&crawls),
        (false, _) => print(&runs::sessions(&crawls)),
    }
    Ok(Exit::Done)
}
