//! Exports of runs, lists and comparisons: what is written to which file. `download.rs` sends it.

use std::io;

use axum::response::Response;
use bluesnake_app::capture::output::{self, Links, OutputOptions};
use bluesnake_app::compare::{CompareFileQuery, ComparisonExport};
use bluesnake_app::export::{Existing, ExportFormat, Format, Formulas, Output, RowsExport, TableExport};
use bluesnake_app::view::Run;
use bluesnake_app::weave::{GraphExport, GraphFormat, Selection, selection};
use bluesnake_app::{App, AppError, ExportFormats, RowsFileQuery, Secrets, Table, Tables};
use serde::Deserialize;
use utoipa::IntoParams;

use super::download::{Label, Pieces, download};
use crate::error::Problem;
use crate::extract::{Id, InPath, InQuery};
use crate::openapi::File;
use crate::secrets::InSecrets;
use crate::state::Server;

/// What to export, and how.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Asked {
    /// Table: urls, pages, links, issues or receipt; nodes or edges of a weave. Default: urls, or nodes of a weave.
    #[param(value_type = Option<Tables>, inline)]
    table: Option<Table>,
    /// The file format.
    #[serde(default)]
    #[param(value_type = Option<ExportFormats>, inline)]
    format: ExportFormat,
    /// Only these columns, in this order, separated by commas.
    columns: Option<String>,
    /// Adds columns with fetch times and durations.
    #[serde(default)]
    #[param(default = false)]
    times: bool,
    /// CSV with exact text; not safe to open in a spreadsheet.
    #[serde(default)]
    #[param(default = false)]
    raw: bool,
    /// Which file, for formats with several: for a sitemap split at 50,000 pages, 0 is the index that names the
    /// others.
    #[serde(default)]
    #[param(default = 0)]
    part: usize,
    /// More captures to combine with this one, separated by commas, in capture formats. A page that occurs in several
    /// of them comes from the first.
    also: Option<String>,
    /// Captures: how to write links; by default local in ZIP files and absolute elsewhere.
    #[param(inline)]
    links: Option<Links>,
    /// Captures as chunks: the maximum number of tokens of a chunk.
    #[serde(rename = "maxTokens")]
    #[param(rename = "maxTokens", default = 1000, minimum = 64, maximum = 1_000_000)]
    max_tokens: Option<usize>,
    /// Graphs: only links of at least this weight.
    #[serde(rename = "minWeight")]
    #[param(rename = "minWeight")]
    min_weight: Option<u32>,
    /// Graphs: only this host and what it reaches within `depth` links.
    root: Option<String>,
    /// Graphs, with `root`: maximum number of links to follow.
    #[param(default = 2)]
    depth: Option<u32>,
    /// Graphs: omit hosts without links.
    #[serde(default, rename = "removeIsolated")]
    #[param(rename = "removeIsolated", default = false)]
    remove_isolated: bool,
}

/// Exports a run as a download.
#[utoipa::path(get, path = "/runs/{id}/export", tag = "runs",
    params(("id" = i64, Path, description = "The run"), Asked),
    responses((status = 200, description = "The file; its media type depends on the format", content(
        (inline(File) = "*/*"), (inline(File) = "application/octet-stream")),
        headers(("X-Skipped-Pages" = u64, description = "Number of pages that a sitemap omits because their URLs contain \
            secrets; `showSecrets=true` includes them")))))]
pub(crate) async fn export(
    server: Server,
    Id(id): Id,
    InSecrets(secrets): InSecrets,
    InQuery(asked): InQuery<Asked>,
) -> Result<Response, Problem> {
    let run = server.app.run(id).await?;
    let (label, app) = (label(&asked, &run), server.app.clone());
    download(&server, label, |pieces| write(app, run, asked, secrets, pieces)).await
}

/// The rows of a run as a file: the whole list that windows of `/runs/{id}/rows` show parts of, in its order.
#[utoipa::path(get, path = "/runs/{id}/rows/export", tag = "grid",
    params(("id" = i64, Path, description = "The run"), RowsFileQuery),
    responses((status = 200, description = "The file; its media type depends on the format", content(
        (inline(File) = "*/*"), (inline(File) = "application/octet-stream")))))]
pub(crate) async fn rows(
    server: Server,
    Id(id): Id,
    InSecrets(secrets): InSecrets,
    InQuery(query): InQuery<RowsFileQuery>,
) -> Result<Response, Problem> {
    let label = table_label(format!("run-{id}-rows"), query.format);
    let export = RowsExport::of_file(query, secrets)?;
    let app = server.app.clone();
    let write = |pieces| async move { app.export_rows(id, export, Output::stream(pieces)).await };
    download(&server, label, write).await
}

/// The URLs of a comparison as a file.
#[utoipa::path(get, path = "/runs/{a}/compare/{b}/export", tag = "compare",
    params(("a" = i64, Path, description = "The run before"), ("b" = i64, Path, description = "The run after"),
        CompareFileQuery),
    responses((status = 200, description = "The file; its media type depends on the format", content(
        (inline(File) = "*/*"), (inline(File) = "application/octet-stream")))))]
pub(crate) async fn comparison(
    server: Server,
    InPath((a, b)): InPath<(i64, i64)>,
    InSecrets(secrets): InSecrets,
    InQuery(query): InQuery<CompareFileQuery>,
) -> Result<Response, Problem> {
    let label = table_label(format!("compare-{a}-{b}"), query.format);
    let export = ComparisonExport::of_file(query, secrets);
    let app = server.app.clone();
    let write = |pieces| async move { app.export_comparison(a, b, export, Output::stream(pieces)).await };
    download(&server, label, write).await
}

/// The media type and the name of a table.
fn table_label(name: String, format: Format) -> Label {
    let media_type = match format {
        Format::Csv => "text/csv; charset=utf-8",
        Format::Jsonl => "application/x-ndjson",
        Format::Parquet => "application/vnd.apache.parquet",
        Format::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    };
    (media_type, format!("{name}.{}", format.as_str()))
}

/// The media type and the name of an export.
fn label(asked: &Asked, run: &Run) -> Label {
    let (part, id) = (asked.part, run.id);
    let graph = |media_type, ending| (media_type, format!("graph-{id}.{ending}"));
    match asked.format {
        ExportFormat::Table(format) => {
            table_label(format!("run-{id}-{}", asked.table.unwrap_or(run.main_table())), format)
        }
        ExportFormat::Sitemap if part == 0 => ("application/xml", format!("run-{id}-sitemap.xml")),
        ExportFormat::Sitemap => ("application/xml", format!("run-{id}-sitemap-{part}.xml")),
        ExportFormat::Warc => ("application/warc", format!("run-{id}.warc.gz")),
        ExportFormat::Pages(format) => match format {
            output::Format::Single => ("text/markdown; charset=utf-8", format!("capture-{id}.md")),
            output::Format::Text => ("text/plain; charset=utf-8", format!("capture-{id}.txt")),
            output::Format::Tree | output::Format::Zip => ("application/zip", format!("capture-{id}.zip")),
            output::Format::TextZip => ("application/zip", format!("capture-{id}-text.zip")),
            output::Format::Jsonl => ("application/x-ndjson", format!("capture-{id}.jsonl")),
            output::Format::Chunks => ("application/x-ndjson", format!("capture-{id}-chunks.jsonl")),
        },
        ExportFormat::Graph(format) => match format {
            GraphFormat::Gexf | GraphFormat::Gexf12 => graph("application/gexf+xml", "gexf"),
            GraphFormat::Graphml => graph("application/graphml+xml", "graphml"),
            GraphFormat::Dot => graph("text/vnd.graphviz", "dot"),
            GraphFormat::Json => graph("application/json", "json"),
            GraphFormat::Svg => graph("image/svg+xml", "svg"),
            GraphFormat::CommonCrawl | GraphFormat::CsvPair => {
                let name = format.files().get(part).unwrap_or(&format.files()[0]);
                let is_csv = format == GraphFormat::CsvPair;
                let media_type = if is_csv { "text/csv; charset=utf-8" } else { "text/plain; charset=utf-8" };
                (media_type, format!("graph-{id}-{name}"))
            }
        },
    }
}

async fn write(app: App, run: Run, asked: Asked, secrets: Secrets, pieces: Pieces) -> Result<u64, AppError> {
    let part = selection(asked.min_weight, asked.root.clone(), asked.depth, asked.remove_isolated);
    if let ExportFormat::Graph(format) = asked.format {
        if asked.table.is_some() {
            let message = "a graph is exported as a whole: omit `table`, or choose a table format";
            return Err(AppError::Invalid(message.to_owned()));
        }
        let export = GraphExport { selection: part, ..GraphExport::of(format) };
        let written = app.export_graph(run.id, export, asked.part, Output::stream(pieces)).await?;
        return Ok(written.0 as u64);
    }
    // A depth alone selects nothing, and generated clients send the default of every parameter.
    if part != Selection::default() {
        let message = "a subgraph can be exported as gexf, graphml, dot, json, svg …, not as a table";
        return Err(AppError::Invalid(message.to_owned()));
    }
    let format = match asked.format {
        ExportFormat::Sitemap => return write_sitemap(app, run, asked.part, secrets, pieces).await,
        ExportFormat::Pages(format) => return write_captures(app, run, asked, format, secrets, pieces).await,
        ExportFormat::Table(format) => format,
        ExportFormat::Warc | ExportFormat::Graph(_) => {
            return app.export_warc(run.id, Output::stream(pieces), secrets).await;
        }
    };
    let export = TableExport {
        table: asked.table.unwrap_or(run.main_table()),
        format,
        columns: listed(asked.columns.as_deref()).map(str::to_owned).collect(),
        times: asked.times,
        formulas: Formulas::raw_if(asked.raw),
        secrets,
    };
    app.export_table(run.id, export, Output::stream(pieces)).await
}

/// The words of a list with commas.
fn listed(list: Option<&str>) -> impl Iterator<Item = &str> {
    list.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// A sitemap may be several files; they are written to a temporary folder, and the requested one is sent.
async fn write_sitemap(app: App, run: Run, part: usize, secrets: Secrets, pieces: Pieces) -> Result<u64, AppError> {
    let unwritable = |error: io::Error| AppError::Export(error.into());
    let folder = tempfile::tempdir().map_err(unwritable)?;
    let first = folder.path().join("sitemap.xml");
    let written = app.export_sitemap(run.id, first, run.site_root(), Existing::Keep, secrets).await?;
    pieces.note_skipped(written.skipped);
    let count = written.files.len();
    let Some(file) = written.files.into_iter().nth(part) else {
        return Err(AppError::Invalid(format!("the sitemap has no part {part}; the last one is {}", count - 1)));
    };
    send(file, pieces).await
}

/// Captures are written to a temporary folder, because all file names must be known before the first page is written.
async fn write_captures(
    app: App,
    run: Run,
    asked: Asked,
    format: output::Format,
    secrets: Secrets,
    pieces: Pieces,
) -> Result<u64, AppError> {
    let folder = tempfile::tempdir().map_err(|error| AppError::Export(error.into()))?;
    let file = folder.path().join("capture");
    let mut runs = vec![run.id];
    for name in listed(asked.also.as_deref()) {
        runs.push(app.find_run(name).await?.id);
    }
    let options = OutputOptions {
        with_times: asked.times,
        links: asked.links.unwrap_or(Links::default_for(format)),
        max_tokens: asked.max_tokens.unwrap_or(OutputOptions::CHUNK_TOKENS),
        secrets,
        ..OutputOptions::new(format)
    };
    app.write_captures(&runs, &file, options).await?;
    send(file, pieces).await
}

async fn send(file: std::path::PathBuf, mut pieces: Pieces) -> Result<u64, AppError> {
    let unwritable = |error: io::Error| AppError::Export(error.into());
    let copied = tokio::task::spawn_blocking(move || io::copy(&mut std::fs::File::open(file)?, &mut pieces)).await;
    copied.map_err(|panic| unwritable(io::Error::other(panic)))?.map_err(unwritable)
}
