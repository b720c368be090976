//! `bluesnake compare` and `bluesnake report`: what changed between two runs, and a run as a file to send.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use bluesnake_app::compare::{CompareQuery, ComparisonExport, ComparisonView};
use bluesnake_app::export::{Existing, Formulas, Output, is_reader_gone, is_stdout};
use bluesnake_app::{App, AppError, Table, WindowLimit};

use super::export::table_format;
use super::fail_on;
use crate::args::{CompareArguments, Difference, ReportArguments, known_check, word_of};
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::{List, bluesnake, compare as show, counted, print, print_json, say, secrets};
use crate::report::Usage;

/// How many rows are read at a time.
const AT_ONCE: usize = 500;

/// Compares two runs.
pub(crate) async fn run(db: Option<&Path>, arguments: &CompareArguments) -> anyhow::Result<Exit> {
    if let Some(id) = &arguments.check {
        known_check(id).map_err(Usage)?;
    }
    let app = home::open(db, Access::Read, 1).await?;
    let (a, b) = runs(&app, arguments).await?;
    let compared = app.compare(a, b).await.context("cannot compare the runs")?;
    let is_list = arguments.class.is_some() || arguments.check.is_some();
    match &arguments.output {
        Some(path) => export(&app, a, b, path, arguments).await?,
        None if arguments.shown.json && !is_list => print_json(&compared),
        None if is_list => list(&app, a, b, arguments).await?,
        None => print(&show::comparison(&compared)),
    }
    judge(&app, &compared, &arguments.fail_on).await
}

/// The runs to compare. One alone is compared with the completed run before it.
async fn runs(app: &App, arguments: &CompareArguments) -> anyhow::Result<(i64, i64)> {
    let first = app.find_run_with(Table::Issues, &arguments.a).await?;
    if let Some(b) = &arguments.b {
        return Ok((first.id, app.find_run_with(Table::Issues, b).await?.id));
    }
    match app.previous_run(first.id).await? {
        Some(before) => Ok((before, first.id)),
        None => {
            let domain = app.run_view(first.id).await?.domain;
            Err(AppError::Absent {
                message: format!("no completed run of {domain} before run {} has the same seeds and scope", first.id),
                hint: format!("name two runs: `{} runs list {domain}` lists them", bluesnake()),
            }
            .into())
        }
    }
}

fn query(arguments: &CompareArguments) -> CompareQuery {
    CompareQuery { class: arguments.class, check: arguments.check.clone(), ..CompareQuery::default() }
}

/// Lists rows: as lines, or as one JSON array.
async fn list(app: &App, a: i64, b: i64, arguments: &CompareArguments) -> anyhow::Result<()> {
    let mut query = query(arguments);
    query.limit = WindowLimit::new(AT_ONCE)?;
    let mut list = List::new(arguments.shown.json);
    loop {
        let window = app.compare_rows(a, b, query.clone()).await?;
        query.offset += window.items.len() as u64;
        let is_last = window.items.is_empty() || query.offset >= window.total;
        if list.write(&window.items, show::row).is_err() || is_last {
            break;
        }
    }
    list.finish();
    Ok(())
}

/// Writes the differences as a table.
async fn export(app: &App, a: i64, b: i64, path: &Path, arguments: &CompareArguments) -> anyhow::Result<()> {
    let format = table_format(path)?;
    let output = Output::create(path, Existing::replaced_if(arguments.replace)).map_err(AppError::from)?;
    let export = ComparisonExport { rows: query(arguments), format, formulas: Formulas::Escaped, secrets: secrets() };
    match app.export_comparison(a, b, export, output).await {
        Ok(rows) if !is_stdout(path) => say(&format!("wrote {} to {}", counted(rows, "difference"), path.display())),
        Ok(_) => {}
        Err(error) if is_reader_gone(&error) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Checks the conditions of `--fail-on`.
async fn judge(app: &App, compared: &ComparisonView, conditions: &[Difference]) -> anyhow::Result<Exit> {
    let mut failed = Vec::new();
    for condition in conditions {
        match condition {
            Difference::Findings(condition) => {
                let objections = fail_on::new(app, condition, compared).await?;
                failed.extend(objections.iter().flat_map(fail_on::Objection::lines));
            }
            Difference::Urls(class) => {
                let urls = compared.count(*class);
                failed.extend((urls > 0).then(|| format!("  {}: {}", word_of(*class), counted(urls, "URL"))));
            }
        }
    }
    Ok(fail_on::verdict(failed.into_iter()))
}

/// Writes a run as one HTML file.
pub(crate) async fn report(db: Option<&Path>, arguments: &ReportArguments) -> anyhow::Result<Exit> {
    let app = home::open(db, Access::Read, 1).await?;
    let run = app.find_run_with(Table::Issues, &arguments.run).await?.id;
    let against = match &arguments.against {
        Some(text) => Some(app.find_run_with(Table::Issues, text).await?.id),
        None => None,
    };
    let existing = Existing::replaced_if(arguments.replace);
    let mut output = Output::create(&arguments.output, existing).map_err(AppError::from)?;
    let html = app.report(app.run_view(run).await?, against).await.context("cannot write the report")?;
    let written = output.write_all(html.as_bytes()).map_err(bluesnake_app::export::ExportError::from);
    match written.and_then(|()| output.finish()).map_err(AppError::from) {
        Ok(()) if !is_stdout(&arguments.output) => {
            say(&format!("wrote the report of run {run} to {}", arguments.output.display()));
        }
        Err(error) if !is_reader_gone(&error) => return Err(error.into()),
        _ => {}
    }
    Ok(Exit::Done)
}
