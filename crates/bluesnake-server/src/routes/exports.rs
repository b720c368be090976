//! Exports as streamed downloads: memory does not grow with the run, and a client that disconnects ends the work.

use std::io::{self, Write};
use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;
use bluesnake_app::capture::output::{self, OutputOptions};
use bluesnake_app::export::{Existing, Format, Formulas, Output, TableExport, site_root};
use bluesnake_app::weave::{GraphExport, GraphFormat, Neighbourhood, Selection};
use bluesnake_app::{App, AppError, RunKind, RunRow, Secrets, Table, Tables};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinSet;
use utoipa::{IntoParams, ToSchema};

use crate::error::{Code, Problem};
use crate::extract::{InPath, InQuery};
use crate::openapi::File;
use crate::secrets::InSecrets;
use crate::state::Server;

/// The header of a sitemap with the number of pages omitted because their URLs contain secrets.
pub(crate) const SKIPPED: &str = "x-skipped-pages";
/// Chunks of an export that may wait for the client.
const AHEAD: usize = 4;

/// The file format.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(default = "csv")]
pub(crate) enum FormatName {
    /// Comma-separated values.
    #[default]
    Csv,
    /// One JSON line per row.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// Excel.
    Xlsx,
    /// XML sitemap of the indexable pages; ignores the table.
    Sitemap,
    /// WARC of the stored documents; ignores the table.
    Warc,
    /// The pages of a capture as one Markdown file.
    Markdown,
    /// The pages of a capture as one plain text file.
    Text,
    /// The pages of a capture as Markdown files in a ZIP archive.
    MarkdownZip,
    /// The pages of a capture as plain text files in a ZIP archive.
    TextZip,
    /// One JSON line per page of a capture.
    MarkdownJsonl,
    /// The graph of a weave as GEXF 1.3.
    Gexf,
    /// The graph of a weave as GEXF 1.2draft.
    #[serde(alias = "gexf-1.2")]
    Gexf12,
    /// The graph of a weave as GraphML.
    Graphml,
    /// The graph of a weave as DOT.
    Dot,
    /// The graph of a weave as JSON.
    Json,
    /// The graph of a weave as an SVG picture.
    Svg,
    /// The graph of a weave in Common Crawl's format; `part` 0 is the vertices, 1 the edges, 2 the ranks.
    #[serde(alias = "common-crawl")]
    CommonCrawl,
    /// The graph of a weave for viewers; `part` 0 is the nodes with positions, 1 the edges.
    #[serde(alias = "csv-pair")]
    CsvPair,
}

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
    #[param(inline)]
    format: FormatName,
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

impl Asked {
    /// Whether a subgraph is requested.
    fn has_part_of_graph(&self) -> bool {
        // A depth alone selects nothing, and generated clients send the default of every parameter.
        self.min_weight.is_some() || self.root.is_some() || self.remove_isolated
    }

    fn graph_export(&self, format: GraphFormat) -> GraphExport {
        let selection = Selection {
            min_weight: self.min_weight.unwrap_or(0),
            around: self.root.clone().map(|root| Neighbourhood::new(root, self.depth)),
            remove_isolated: self.remove_isolated,
        };
        GraphExport { selection, ..GraphExport::of(format) }
    }
}

/// Exports a run as a download.
#[utoipa::path(get, path = "/runs/{id}/export", tag = "runs",
    params(("id" = i64, Path, description = "The run"), Asked),
    responses((status = 200, description = "The file; its media type depends on the format", content(
        (inline(File) = "*/*"), (inline(File) = "application/octet-stream")),
        headers(("X-Skipped-Pages" = u64, description = "Of a sitemap: pages that are not in it because their URLs have \
            secrets; with `showSecrets=true` they are")))))]
pub(crate) async fn export(
    State(server): State<Server>,
    InPath(id): InPath<i64>,
    InSecrets(secrets): InSecrets,
    InQuery(asked): InQuery<Asked>,
) -> Result<Response, Problem> {
    let run = server.app.find_run(&id.to_string()).await?;
    let place = Arc::clone(&server.exports).try_acquire_owned();
    let place = place.map_err(|_| Problem::busy(Code::TooManyExports, "too many exports are running"))?;
    let (media_type, name) = labels(&asked, &run);
    let mut export = Export::begin(server.app.clone(), run, asked, secrets, place);
    // Errors in the request surface before the first byte, so they can still be reported.
    let first = export.first().await?;
    let skipped = Arc::clone(&export.skipped);
    let pieces = stream::unfold((first, export), |(first, mut export)| async {
        let piece = match first {
            Some(first) => Ok(first),
            None => export.next().await?,
        };
        Some((piece, (None, export)))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    if let Some(skipped) = skipped.get() {
        headers.insert(SKIPPED, HeaderValue::from(*skipped));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    let disposition = format!("attachment; filename=\"{name}\"");
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_str(&disposition).expect("the name is ASCII"));
    Ok(response)
}

/// The media type and the file name.
fn labels(asked: &Asked, run: &RunRow) -> (&'static str, String) {
    let (table, run) = (table_of(asked.table, run).as_str(), run.id);
    let (media_type, ending) = match asked.format {
        FormatName::Csv => ("text/csv; charset=utf-8", "csv"),
        FormatName::Jsonl => ("application/x-ndjson", "jsonl"),
        FormatName::Parquet => ("application/vnd.apache.parquet", "parquet"),
        FormatName::Xlsx => ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        FormatName::Sitemap if asked.part == 0 => return ("application/xml", format!("run-{run}-sitemap.xml")),
        FormatName::Sitemap => return ("application/xml", format!("run-{run}-sitemap-{}.xml", asked.part)),
        FormatName::Warc => return ("application/warc", format!("run-{run}.warc.gz")),
        FormatName::Markdown => return ("text/markdown; charset=utf-8", format!("capture-{run}.md")),
        FormatName::Text => return ("text/plain; charset=utf-8", format!("capture-{run}.txt")),
        FormatName::MarkdownZip => return ("application/zip", format!("capture-{run}.zip")),
        FormatName::TextZip => return ("application/zip", format!("capture-{run}-text.zip")),
        FormatName::MarkdownJsonl => return ("application/x-ndjson", format!("capture-{run}.jsonl")),
        FormatName::Gexf | FormatName::Gexf12 => return ("application/gexf+xml", format!("graph-{run}.gexf")),
        FormatName::Graphml => return ("application/graphml+xml", format!("graph-{run}.graphml")),
        FormatName::Dot => return ("text/vnd.graphviz", format!("graph-{run}.dot")),
        FormatName::Json => return ("application/json", format!("graph-{run}.json")),
        FormatName::Svg => return ("image/svg+xml", format!("graph-{run}.svg")),
        FormatName::CommonCrawl | FormatName::CsvPair => {
            let files = as_graph(asked.format).map(GraphFormat::files).unwrap_or_default();
            let name = files.get(asked.part).or(files.first()).copied().unwrap_or("graph.txt");
            let media_type =
                if name.ends_with(".csv") { "text/csv; charset=utf-8" } else { "text/plain; charset=utf-8" };
            return (media_type, format!("graph-{run}-{name}"));
        }
    };
    (media_type, format!("run-{run}-{table}.{ending}"))
}

/// An export in progress.
struct Export {
    pieces: mpsc::Receiver<Bytes>,
    /// For sitemaps, known before the first chunk.
    skipped: Arc<OnceLock<u64>>,
    writing: JoinSet<Result<u64, AppError>>,
}

impl Export {
    fn begin(app: App, run: RunRow, asked: Asked, secrets: Secrets, place: OwnedSemaphorePermit) -> Self {
        let (sender, pieces) = mpsc::channel(AHEAD);
        let skipped = Arc::default();
        let mut writing = JoinSet::new();
        // Work on a thread cannot be cancelled: the slot stays taken until it ends.
        writing.spawn(write(app, run, asked, secrets, Pieces { sender, skipped: Arc::clone(&skipped), _place: place }));
        Self { pieces, skipped, writing }
    }

    /// The first chunk, or the error in the request.
    async fn first(&mut self) -> Result<Option<Bytes>, Problem> {
        match self.pieces.recv().await {
            Some(piece) => Ok(Some(piece)),
            None => self.end().await.map(|()| None).map_err(Problem::from),
        }
    }

    /// The next chunk; an error aborts the response, so that a partial export is never mistaken for a complete one.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if let Some(piece) = self.pieces.recv().await {
            return Some(Ok(piece));
        }
        match self.end().await {
            Ok(()) => None,
            Err(error) => {
                tracing::error!(story = error.story(), "an export failed");
                Some(Err(io::Error::other("the export failed")))
            }
        }
    }

    async fn end(&mut self) -> Result<(), AppError> {
        match self.writing.join_next().await {
            None => Ok(()),
            Some(Ok(written)) => written.map(|_| ()),
            Some(Err(panic)) => Err(AppError::Export(io::Error::other(panic).into())),
        }
    }
}

async fn write(app: App, run: RunRow, asked: Asked, secrets: Secrets, pieces: Pieces) -> Result<u64, AppError> {
    if let Some(format) = as_graph(asked.format) {
        if asked.table.is_some() {
            let message = "a graph is exported as a whole: omit `table`, or choose a table format";
            return Err(AppError::Invalid(message.to_owned()));
        }
        let written = app.export_graph(run.id, asked.graph_export(format), asked.part, Output::stream(pieces)).await?;
        return Ok(written.0 as u64);
    }
    if asked.has_part_of_graph() {
        let message = "a subgraph can be exported as gexf, graphml, dot, json, svg …, not as a table";
        return Err(AppError::Invalid(message.to_owned()));
    }
    let capture = |format| OutputOptions { with_times: asked.times, secrets, ..OutputOptions::new(format) };
    let format = match asked.format {
        FormatName::Sitemap => return write_sitemap(app, run, asked.part, secrets, pieces).await,
        FormatName::Warc => return app.export_warc(run.id, Output::stream(pieces), secrets).await,
        FormatName::Markdown => return write_captures(app, run, &asked, capture(output::Format::Single), pieces).await,
        FormatName::Text => return write_captures(app, run, &asked, capture(output::Format::Text), pieces).await,
        FormatName::MarkdownZip => return write_captures(app, run, &asked, capture(output::Format::Zip), pieces).await,
        FormatName::TextZip => return write_captures(app, run, &asked, capture(output::Format::TextZip), pieces).await,
        FormatName::MarkdownJsonl => {
            return write_captures(app, run, &asked, capture(output::Format::Jsonl), pieces).await;
        }
        FormatName::Jsonl => Format::Jsonl,
        FormatName::Parquet => Format::Parquet,
        FormatName::Xlsx => Format::Xlsx,
        _ => Format::Csv,
    };
    let columns = asked.columns.as_deref().unwrap_or_default().split(',').map(str::trim);
    let export = TableExport {
        table: table_of(asked.table, &run),
        format,
        columns: columns.filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        times: asked.times,
        formulas: if asked.raw { Formulas::Raw } else { Formulas::Escaped },
        secrets,
    };
    app.export_table(run.id, export, Output::stream(pieces)).await
}

/// A sitemap may be several files; they are written to a temporary folder, and the requested one is sent.
async fn write_sitemap(app: App, run: RunRow, part: usize, secrets: Secrets, pieces: Pieces) -> Result<u64, AppError> {
    let unwritable = |error: io::Error| AppError::Export(error.into());
    let folder = tempfile::tempdir().map_err(unwritable)?;
    let first = folder.path().join("sitemap.xml");
    let root = site_root(&run);
    let written = app.export_sitemap(run.id, first, root, Existing::Keep, secrets).await?;
    let _ = pieces.skipped.set(written.skipped);
    let count = written.files.len();
    let Some(file) = written.files.into_iter().nth(part) else {
        return Err(AppError::Invalid(format!("the sitemap has no part {part}; the last one is {}", count - 1)));
    };
    send(file, pieces).await
}

/// Captures are written to a temporary folder, because all file names must be known before the first page is written.
async fn write_captures(
    app: App,
    run: RunRow,
    asked: &Asked,
    options: OutputOptions,
    pieces: Pieces,
) -> Result<u64, AppError> {
    let folder = tempfile::tempdir().map_err(|error| AppError::Export(error.into()))?;
    let file = folder.path().join("capture");
    let mut runs = vec![run.id];
    for name in asked.also.as_deref().unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()) {
        runs.push(app.find_run(name).await?.id);
    }
    app.write_captures(&runs, &file, options).await?;
    send(file, pieces).await
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

async fn send(file: std::path::PathBuf, mut pieces: Pieces) -> Result<u64, AppError> {
    let unwritable = |error: io::Error| AppError::Export(error.into());
    let copied = tokio::task::spawn_blocking(move || io::copy(&mut std::fs::File::open(file)?, &mut pieces)).await;
    copied.map_err(|panic| unwritable(io::Error::other(panic)))?.map_err(unwritable)
}

fn table_of(named: Option<Table>, run: &RunRow) -> Table {
    named.unwrap_or(if run.kind == RunKind::Weave { Table::Nodes } else { Table::Urls })
}

/// Passes bytes to the client from a thread that may wait for it.
struct Pieces {
    sender: mpsc::Sender<Bytes>,
    skipped: Arc<OnceLock<u64>>,
    _place: OwnedSemaphorePermit,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Bytes::copy_from_slice(bytes);
        self.sender.blocking_send(piece).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
