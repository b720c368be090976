//! `bluesnake urls`: the URLs of a run, filtered and sorted.

use std::io::IsTerminal;
use std::path::Path;

use bluesnake_app::export::{Existing, Formulas, Output, RowsExport, is_reader_gone, is_stdout};
use bluesnake_app::{App, AppError, Shape, Table, WindowLimit};
use serde_json::Value;

use super::export::table_format;
use crate::args::{UrlsArguments, known_check};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::urls::Aligned;
use crate::output::{List, counted, print, say, secrets, thousands};
use crate::report::Usage;

/// What people want to see of a URL first.
const COLUMNS: &str = "status,type,inlinks,url";
/// How many URLs a terminal shows.
const ON_TERMINAL: u64 = 50;
/// How many URLs are read at a time.
const AT_ONCE: u64 = 500;

/// Lists or exports URLs of a run.
pub(crate) async fn run(db: Option<&Path>, arguments: &UrlsArguments) -> anyhow::Result<Exit> {
    if let Some(id) = arguments.issue() {
        known_check(id).map_err(Usage)?;
    }
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_run_with(Table::Urls, &arguments.run).await?.id;
    match &arguments.output {
        Some(path) => export(&app, run, path, arguments).await?,
        None => list(&app, run, arguments).await?,
    }
    Ok(Exit::Done)
}

/// Lists rows: as aligned lines, or as one JSON array.
async fn list(app: &App, run: i64, arguments: &UrlsArguments) -> anyhow::Result<()> {
    let is_json = arguments.shown.json;
    let is_for_people = !is_json && std::io::stdout().is_terminal();
    let wanted = arguments.limit(is_for_people.then_some(ON_TERMINAL)).unwrap_or(u64::MAX);
    let mut query = arguments.query();
    if !is_json {
        query.shape = Shape::Rows;
        query.columns.get_or_insert_with(|| COLUMNS.to_owned());
    }
    let (mut list, mut aligned) = (List::new(is_json), None);
    let total = loop {
        query.limit = WindowLimit::new(AT_ONCE.min(wanted - query.offset) as usize)?;
        let window = app.rows(run, query.clone()).await?;
        let rows = window.rows.unwrap_or_default();
        let count = rows.len() + window.items.len();
        query.offset += count as u64;
        let written = match is_json {
            true => list.write(&window.items, |_| String::new()),
            false => {
                let aligned = aligned.get_or_insert_with(|| begin(&window.columns, &rows));
                list.write(&rows, |row| aligned.line(row))
            }
        };
        if written.is_err() || count == 0 || query.offset >= window.total.min(wanted) {
            break window.total;
        }
    };
    list.finish();
    if !is_json {
        say(&ending(query.offset, total));
    }
    Ok(())
}

/// Prints the headings of rows, if there are any.
fn begin(columns: &[&str], rows: &[Vec<Value>]) -> Aligned {
    let aligned = Aligned::new(columns, rows);
    if !rows.is_empty() {
        print(&aligned.headings());
    }
    aligned
}

/// The last line. It is not data, so it does not go to a pipe.
fn ending(listed: u64, total: u64) -> String {
    let all = counted(total, "URL");
    match total.saturating_sub(listed) {
        0 => all,
        more => format!("… and {} more of {all}; --all lists them, -o FILE.csv writes them", thousands(more)),
    }
}

/// Writes all rows as a table.
async fn export(app: &App, run: i64, path: &Path, arguments: &UrlsArguments) -> anyhow::Result<()> {
    let mut export = RowsExport::of(&arguments.query())?;
    export.format = table_format(path)?;
    export.times = arguments.times;
    export.formulas = Formulas::raw_if(arguments.raw);
    export.secrets = secrets();
    let output = Output::create(path, Existing::replaced_if(arguments.replace)).map_err(AppError::from)?;
    match app.export_rows(run, export, output).await {
        Ok(rows) if !is_stdout(path) => {
            say(&format!("wrote {} of run {run} to {}", counted(rows, "URL"), path.display()));
        }
        Ok(_) => {}
        Err(error) if is_reader_gone(&error) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
