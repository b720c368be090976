//! `bluesnake export`: the results of a run, for other programs.

use std::path::Path;

use bluesnake_app::export::{Existing, ExportFormat, Format, Formulas, Output, TableExport, is_reader_gone, is_stdout};
use bluesnake_app::view::Run;
use bluesnake_app::weave::{GraphExport, GraphFormat, Selection};
use bluesnake_app::{App, AppError, Table};

use crate::args::ExportArguments;
use crate::exit::Exit;
use crate::home::{self, Access};
use crate::output::{counted, say, secrets, weave};
use crate::report::Usage;

pub(crate) async fn run(db: Option<&Path>, arguments: &ExportArguments) -> anyhow::Result<Exit> {
    let format = format_of(arguments)?;
    let app = home::open(db, Access::Read, 1).await?;
    let run = match wanted(format, arguments.table) {
        Some(table) => app.find_run_with(table, &arguments.run).await?,
        None => app.find_run(&arguments.run).await?,
    };
    if let ExportFormat::Graph(format) = format {
        if arguments.table.is_some() {
            return Err(
                Usage("a graph is exported as a whole: omit --table, or choose a table format".to_owned()).into()
            );
        }
        return graph(&app, &run, format, arguments).await;
    }
    if arguments.selection.selection() != Selection::default() {
        return Err(
            Usage("a subgraph can be exported as gexf, graphml, dot, json, svg …, not as a table".to_owned()).into()
        );
    }
    let format = match format {
        ExportFormat::Sitemap => return sitemap(&app, &run, arguments).await,
        ExportFormat::Table(format) => format,
        _ => {
            let written = app.export_warc(run.id, output(arguments)?, secrets()).await;
            return report(written, &run, arguments, |count| counted(count, "document"));
        }
    };
    let table = arguments.table.unwrap_or(run.main_table());
    let export = TableExport {
        table,
        format,
        columns: arguments.columns.clone(),
        times: arguments.times,
        formulas: Formulas::raw_if(arguments.raw),
        secrets: secrets(),
    };
    let written = app.export_table(run.id, export, output(arguments)?).await;
    report(written, &run, arguments, |count| {
        if let Some(about) = weave::about_ranks(count as usize).filter(|_| table == Table::Nodes) {
            say(&about);
        }
        counted(count, "row")
    })
}

/// Reports what was written. A reader that closed the pipe, as `head` does, has what it wanted.
fn report<T>(
    written: Result<T, AppError>,
    run: &Run,
    arguments: &ExportArguments,
    describe: impl FnOnce(T) -> String,
) -> anyhow::Result<Exit> {
    match written {
        Ok(written) => {
            let what = describe(written);
            if !is_stdout(&arguments.output) {
                say(&format!("wrote {what} of run {} to {}", run.id, arguments.output.display()));
            }
            Ok(Exit::Done)
        }
        Err(error) if is_reader_gone(&error) => Ok(Exit::Done),
        Err(error) => Err(error.into()),
    }
}

/// Writes a graph for other programs.
async fn graph(app: &App, run: &Run, format: GraphFormat, arguments: &ExportArguments) -> anyhow::Result<Exit> {
    let export = GraphExport { selection: arguments.selection.selection(), ..GraphExport::of(format) };
    if format.files().is_empty() {
        let written = app.export_graph(run.id, export, 0, output(arguments)?).await;
        return report(written, run, arguments, |(nodes, edges)| {
            if let Some(about) = weave::about_ranks(nodes).filter(|_| format != GraphFormat::Svg) {
                say(&about);
            }
            format!("{} and {}", counted(nodes, "host"), counted(edges, "link"))
        });
    }
    if is_stdout(&arguments.output) {
        return Err(Usage("this format has several files: choose a folder with -o".to_owned()).into());
    }
    for file in app.export_graph_files(run.id, export, &arguments.output, existing(arguments)).await? {
        say(&format!("wrote {}", file.display()));
    }
    Ok(Exit::Done)
}

async fn sitemap(app: &App, run: &Run, arguments: &ExportArguments) -> anyhow::Result<Exit> {
    if is_stdout(&arguments.output) {
        return Err(Usage("a sitemap may have several files: name the first with -o sitemap.xml".to_owned()).into());
    }
    let base = arguments.base_url.clone().unwrap_or_else(|| run.site_root());
    let written = app.export_sitemap(run.id, arguments.output.clone(), base, existing(arguments), secrets()).await?;
    for file in written.files {
        say(&format!("wrote {}", file.display()));
    }
    if written.skipped > 0 {
        say(&format!(
            "skipped {} with secrets in the URL; --show-secrets writes them",
            counted(written.skipped, "page")
        ));
    }
    Ok(Exit::Done)
}

fn output(arguments: &ExportArguments) -> Result<Output, AppError> {
    Ok(Output::create(&arguments.output, existing(arguments))?)
}

fn existing(arguments: &ExportArguments) -> Existing {
    Existing::replaced_if(arguments.replace)
}

/// The format given, or the one inferred from the file extension; CSV for standard output.
fn format_of(arguments: &ExportArguments) -> anyhow::Result<ExportFormat> {
    if let Some(format) = arguments.format {
        return Ok(format);
    }
    if is_stdout(&arguments.output) {
        return Ok(ExportFormat::default());
    }
    let name = arguments.output.display();
    let found = by_extension(&arguments.output);
    found.ok_or_else(|| Usage(format!("cannot infer the format from `{name}`; use --format")).into())
}

/// The format of a table that the extension of a file names; CSV for standard output.
pub(super) fn table_format(path: &Path) -> Result<Format, Usage> {
    match by_extension(path) {
        _ if is_stdout(path) => Ok(Format::Csv),
        Some(ExportFormat::Table(format)) => Ok(format),
        _ => {
            let name = path.display();
            Err(Usage(format!("cannot infer the format from `{name}`; end it in .csv, .jsonl, .parquet or .xlsx")))
        }
    }
}

/// The format that the extension of a file names.
fn by_extension(path: &Path) -> Option<ExportFormat> {
    let name = path.to_string_lossy();
    let endings = [
        (".csv", ExportFormat::Table(Format::Csv)),
        (".jsonl", ExportFormat::Table(Format::Jsonl)),
        (".ndjson", ExportFormat::Table(Format::Jsonl)),
        (".parquet", ExportFormat::Table(Format::Parquet)),
        (".xlsx", ExportFormat::Table(Format::Xlsx)),
        (".xml", ExportFormat::Sitemap),
        (".warc.gz", ExportFormat::Warc),
        (".gexf", ExportFormat::Graph(GraphFormat::Gexf)),
        (".graphml", ExportFormat::Graph(GraphFormat::Graphml)),
        (".dot", ExportFormat::Graph(GraphFormat::Dot)),
        (".gv", ExportFormat::Graph(GraphFormat::Dot)),
        (".json", ExportFormat::Graph(GraphFormat::Json)),
        (".svg", ExportFormat::Graph(GraphFormat::Svg)),
    ];
    endings.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format)
}

/// The table that the run must have.
fn wanted(format: ExportFormat, table: Option<Table>) -> Option<Table> {
    match format {
        ExportFormat::Sitemap | ExportFormat::Warc => Some(Table::Pages),
        ExportFormat::Graph(_) => Some(Table::Nodes),
        _ => table,
    }
}
