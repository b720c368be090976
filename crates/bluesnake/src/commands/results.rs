//! `bluesnake receipt`, `links` and `sql`: the results of a run.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use bluesnake_app::view::{self, LinkView};
use bluesnake_app::{QueryLimits, RunKind, Table};
use serde_json::{Map, Value};

use crate::args::{LinksArguments, RunArgument, SqlArguments};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::paint::Paint;
use crate::output::table::{Grid, cell};
use crate::output::{counted, print, print_json, say, summary, thousands, visible};
use crate::report::Usage;

/// Where every URL of a run ended up.
pub(crate) async fn receipt(db: Option<&Path>, argument: &RunArgument) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_run(&argument.run).await?;
    let receipt = app.receipt(run.id).await?;
    match argument.shown.json {
        true => print_json(&view::receipt(&receipt)),
        false => {
            let thing = if run.kind == RunKind::Weave { "host" } else { "URL" };
            print(&summary::receipt(&receipt, thing, Paint::stdout()));
        }
    }
    Ok(Exit::Done)
}

/// Links of a page, and links that lead to it.
pub(crate) async fn links(db: Option<&Path>, arguments: &LinksArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_run_with(Table::Links, &arguments.run).await?;
    let url = match arguments.url.starts_with('/') {
        true => format!("{}{}", run.site_root(), &arguments.url[1..]),
        false => arguments.url.clone(),
    };
    let mut links = app.page_links(run.id, &url, arguments.limit).await?;
    if arguments.inlinks {
        links.outlinks.clear();
    }
    if arguments.outlinks {
        links.inlinks.clear();
    }
    if arguments.shown.json {
        print_json(&links);
        return Ok(Exit::Done);
    }
    if !arguments.outlinks {
        print_links("links to", &links.url, &links.inlinks, |link| &link.source_url);
    }
    if !arguments.inlinks {
        print_links("links of", &links.url, &links.outlinks, |link| &link.target_url);
    }
    Ok(Exit::Done)
}

fn print_links(title: &str, url: &str, links: &[LinkView], other: impl Fn(&LinkView) -> &String) {
    let paint = Paint::stdout();
    print(&format!("{} {} ({})\n", paint.bold(title), visible(url), thousands(links.len() as u64)));
    if links.is_empty() {
        return print("\n");
    }
    let mut grid = Grid::new(&["status", "type", "position", "text", "url"]).right(&[0]);
    for link in links {
        grid.row([
            link.status.map(|status| status.to_string()).unwrap_or_default(),
            if link.follow { link.kind.clone() } else { format!("{} nofollow", link.kind) },
            link.position.clone(),
            link.text.clone(),
            other(link).clone(),
        ]);
    }
    print(&format!("{}\n", grid.text()));
}

/// Runs a SELECT.
pub(crate) async fn sql(db: Option<&Path>, arguments: &SqlArguments) -> anyhow::Result<Exit> {
    let query = match arguments.query.as_str() {
        "-" => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        text => text.to_owned(),
    };
    let time = Duration::try_from_secs_f64(arguments.timeout)
        .map_err(|_| Usage("--timeout must be a number of seconds".to_owned()))?;
    let app = home::open(db, Access::Read, 1).await?;
    let answer = app.query(&query, QueryLimits { rows: arguments.limit, time }).await?;
    let count = answer.rows.len() as u64;
    if arguments.shown.json {
        let rows: Vec<Map<String, Value>> =
            answer.rows.into_iter().map(|row| answer.columns.iter().cloned().zip(row).collect()).collect();
        print_json(&rows);
    } else {
        let headings: Vec<&str> = answer.columns.iter().map(String::as_str).collect();
        let mut grid = Grid::new(&headings);
        answer.rows.iter().for_each(|row| grid.row(row.iter().map(cell)));
        print(&grid.text());
    }
    if answer.is_cut {
        let hint =
            if count == arguments.limit as u64 { "; raise --limit for more" } else { ": the size limit is reached" };
        say(&format!("only the first {}{hint}", counted(count, "row")));
    }
    Ok(Exit::Done)
}
