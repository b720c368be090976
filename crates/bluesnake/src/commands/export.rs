//! `bluesnake export`: what a run found, for other programs.

use std::path::Path;

use bluesnake_app::export::{Existing, Format, Formulas, Output, TableExport, is_reader_gone, site_root};
use bluesnake_app::weave::{GraphExport, GraphFormat};
use bluesnake_app::{App, RunKind, RunRow, Table};

use crate::args::{ExportArguments, FormatName};
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
    if let Some(format) = as_graph(format) {
        if arguments.table.is_some() {
            return Err(
                Usage("a graph is exported as a whole: omit --table, or choose a table format".to_owned()).into()
            );
        }
        return graph(&app, &run, format, arguments).await;
    }
    if arguments.selection.is_given() {
        return Err(
            Usage("a subgraph can be exported as gexf, graphml, dot, json, svg …, not as a table".to_owned()).into()
        );
    }
    let written = match format {
        FormatName::Sitemap => return sitemap(&app, &run, arguments).await,
        FormatName::Warc => app.export_warc(run.id, output(arguments)?, secrets()).await.map(|rows| (rows, "document")),
        table => {
            let export = TableExport {
                table: table_of(arguments.table, &run),
                format: as_table(table),
                columns: arguments.columns.clone(),
                times: arguments.times,
                formulas: if arguments.raw { Formulas::Raw } else { Formulas::Escaped },
                secrets: secrets(),
            };
            app.export_table(run.id, export, output(arguments)?).await.map(|rows| (rows, "row"))
        }
    };
    match written {
        Ok((count, what)) => {
            let has_ranks = what == "row" && table_of(arguments.table, &run) == Table::Nodes;
            if let Some(about) = weave::about_ranks(count as usize).filter(|_| has_ranks) {
                say(&about);
            }
            if !is_stdout(&arguments.output) {
                let what = counted(count, what);
                say(&format!("wrote {what} of run {} to {}", run.id, arguments.output.display()));
            }
            Ok(Exit::Done)
        }
        Err(error) if is_reader_gone(&error) => Ok(Exit::Done),
        Err(error) => Err(error.into()),
    }
}

/// Writes a graph for other programs.
async fn graph(app: &App, run: &RunRow, format: GraphFormat, arguments: &ExportArguments) -> anyhow::Result<Exit> {
    let export = GraphExport { selection: arguments.selection.selection(), ..GraphExport::of(format) };
    if format.files().is_empty() {
        let written = app.export_graph(run.id, export, 0, output(arguments)?).await;
        return match written {
            Ok((nodes, edges)) => {
                if let Some(about) = weave::about_ranks(nodes).filter(|_| format != GraphFormat::Svg) {
                    say(&about);
                }
                if !is_stdout(&arguments.output) {
                    let (nodes, edges) = (counted(nodes, "host"), counted(edges, "link"));
                    say(&format!("wrote {nodes} and {edges} of run {} to {}", run.id, arguments.output.display()));
                }
                Ok(Exit::Done)
            }
            Err(error) if is_reader_gone(&error) => Ok(Exit::Done),
            Err(error) => Err(error.into()),
        };
    }
    if is_stdout(&arguments.output) {
        return Err(Usage("this format has several files: choose a folder with -o".to_owned()).into());
    }
    for file in app.export_graph_files(run.id, export, &arguments.output, existing(arguments)).await? {
        say(&format!("wrote {}", file.display()));
    }
    Ok(Exit::Done)
}

async fn sitemap(app: &App, run: &RunRow, arguments: &ExportArguments) -> anyhow::Result<Exit> {
    if is_stdout(&arguments.output) {
        return Err(Usage("a sitemap may have several files: name the first with -o sitemap.xml".to_owned()).into());
    }
    let base = arguments.base_url.clone().unwrap_or_else(|| site_root(run));
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

fn output(arguments: &ExportArguments) -> anyhow::Result<Output> {
    match is_stdout(&arguments.output) {
        true => Ok(Output::stdout()),
        false => Ok(Output::file(&arguments.output, existing(arguments)).map_err(bluesnake_app::AppError::from)?),
    }
}

fn existing(arguments: &ExportArguments) -> Existing {
    if arguments.replace { Existing::Replace } else { Existing::Keep }
}

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The format asked for, or the one that the file's name tells; CSV for standard output.
fn format_of(arguments: &ExportArguments) -> anyhow::Result<FormatName> {
    if let Some(format) = arguments.format {
        return Ok(format);
    }
    if is_stdout(&arguments.output) {
        return Ok(FormatName::Csv);
    }
    let name = arguments.output.to_string_lossy();
    let endings = [
        (".csv", FormatName::Csv),
        (".jsonl", FormatName::Jsonl),
        (".ndjson", FormatName::Jsonl),
        (".parquet", FormatName::Parquet),
        (".xlsx", FormatName::Xlsx),
        (".xml", FormatName::Sitemap),
        (".warc.gz", FormatName::Warc),
        (".gexf", FormatName::Gexf),
        (".graphml", FormatName::Graphml),
        (".dot", FormatName::Dot),
        (".gv", FormatName::Dot),
        (".json", FormatName::Json),
        (".svg", FormatName::Svg),
    ];
    let found = endings.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format);
    found.ok_or_else(|| Usage(format!("cannot infer the format from `{name}`; use --format")).into())
}

fn as_table(format: FormatName) -> Format {
    match format {
        FormatName::Jsonl => Format::Jsonl,
        FormatName::Parquet => Format::Parquet,
        FormatName::Xlsx => Format::Xlsx,
        _ => Format::Csv,
    }
}

fn as_graph(format: FormatName) -> Option<GraphFormat> {
    Some(match format {
        FormatName::Gexf => GraphFormat::Gexf,
        FormatName::Gexf12 => GraphFormat::Gexf12,
        FormatName::Graphml => GraphFormat::Graphml,
        FormatName::Dot => GraphFormat::Dot,
        FormatName::Json => GraphFormat::Json,
        FormatName::Svg => GraphFormat::Svg,
        FormatName::CommonCrawl => GraphFormat::CommonCrawl,
        FormatName::CsvPair => GraphFormat::CsvPair,
        _ => return None,
    })
}

/// The table that a run must have, if that follows from what was asked for.
fn wanted(format: FormatName, table: Option<Table>) -> Option<Table> {
    match format {
        FormatName::Sitemap | FormatName::Warc => Some(Table::Pages),
        format if as_graph(format).is_some() => Some(Table::Nodes),
        _ => table,
    }
}

/// The table asked for; without a word the one that a run of this kind is about.
fn table_of(named: Option<Table>, run: &RunRow) -> Table {
    named.unwrap_or(if run.kind == RunKind::Weave { Table::Nodes } else { Table::Urls })
}
