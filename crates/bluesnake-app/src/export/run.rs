//! Which part of a run is exported: a table, a sitemap, or its stored documents.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::PathBuf;

use bluesnake_audit::Check;
use bluesnake_audit::{description_pixels, title_pixels};
use bluesnake_engine::Number;
use bluesnake_store::state::RunKind;
use bluesnake_store::{Column, ColumnKind, Database, IssueRow, RunRow, Table, Value};

use super::extracted::{EXTRACTED, Rules};
use super::{
    Cell, Existing, ExportError, Format, Formulas, Output, SitemapWriter, TableWriter, WarcResponse, WarcWriter,
};
use crate::app::{App, off_the_runtime};
use crate::audit::LiveAudit;
use crate::error::{AppError, Conflict};
use crate::results::changed;
use crate::secrets::Secrets;
use crate::weave::{RANK_COLUMNS, RankedGraph, Selection};

/// What to export, and how.
#[derive(Clone, Debug)]
pub struct TableExport {
    /// The table.
    pub table: Table,
    /// The format.
    pub format: Format,
    /// Only these columns, in this order; empty = all.
    pub columns: Vec<String>,
    /// Whether to include columns for times and sessions.
    pub times: bool,
    /// What to do with texts that a spreadsheet would treat as formulas.
    pub formulas: Formulas,
    /// The current masking of secrets in URLs.
    pub secrets: Secrets,
}

/// A written sitemap.
#[derive(Clone, Debug)]
pub struct SitemapFiles {
    /// The requested file, then its parts, if any.
    pub files: Vec<PathBuf>,
    /// Pages skipped because their URLs contain secrets.
    pub skipped: u64,
}

impl App {
    /// Writes a table of a run; returns the number of rows.
    pub async fn export_table(&self, run: i64, export: TableExport, output: Output) -> Result<u64, AppError> {
        let row = self.catalog().run(run).await?;
        check_table(&row, export.table)?;
        let rules = Rules::of_plan(&row.plan);
        let database = self.database().clone();
        let live = if export.table == Table::Issues { self.live_audit(run).await? } else { None };
        let write = move || {
            let columns = chosen(export.table, export.times, &export.columns)?;
            let shape: Vec<super::Column> =
                columns.iter().flat_map(|column| header(column.name, column, &rules)).collect();
            let mut writer = TableWriter::new(export.format, &shape, output, export.formulas)?;
            let is_ranked = columns.iter().any(|column| is_rank(export.table, column));
            let ranked = is_ranked.then(|| RankedGraph::read(&database, run, &Selection::default())).transpose()?;
            let mut rows = 0;
            let mut write = |row: &[Value<'_>]| {
                let mut cells: Vec<Cell<'_>> = Vec::with_capacity(shape.len());
                for (value, column) in row.iter().zip(&columns) {
                    match &ranked {
                        Some(ranked) if is_rank(export.table, column) => {
                            cells.push(ranked.cell(rows as usize, column.name).unwrap_or(Cell::Null));
                        }
                        _ => cells.extend(cells_of(*value, column, &rules, export.secrets)),
                    }
                }
                rows += 1;
                writer.row(&cells)
            };
            match export.table {
                Table::Issues => {
                    scan_issues(&database, run, live.as_deref(), export.times, |row| write(&row.values(&columns)))?
                }
                table => scan(&database, run, table, &columns, write)?,
            }
            writer.finish()?.finish()?;
            Ok(rows)
        };
        off_the_runtime(write).await
    }

    /// Writes the indexable pages of a run as a sitemap, or as several with an index. A masked URL would lead
    /// nowhere, so pages with secrets in their URLs are skipped unless secrets are shown.
    pub async fn export_sitemap(
        &self,
        run: i64,
        path: PathBuf,
        base: String,
        existing: Existing,
        secrets: Secrets,
    ) -> Result<SitemapFiles, AppError> {
        check_table(&self.catalog().run(run).await?, Table::Pages)?;
        let database = self.database().clone();
        let write = move || {
            let names = ["url", "status", "indexable"].map(str::to_owned);
            let columns = chosen(Table::Pages, false, &names)?;
            let mut writer = SitemapWriter::create(&path, &base, existing)?;
            let mut skipped = 0;
            scan(&database, run, Table::Pages, &columns, |row| {
                let (Value::Text(url), Value::Integer(200), Value::Text("Yes")) = (row[0], row[1], row[2]) else {
                    return Ok(());
                };
                if matches!(secrets.show(url), Cow::Owned(_)) {
                    skipped += 1;
                    return Ok(());
                }
                writer.add(url)
            })?;
            Ok(SitemapFiles { files: writer.finish()?, skipped })
        };
        off_the_runtime(write).await
    }

    /// Writes the stored documents of a run as a WARC file; returns how many there were.
    pub async fn export_warc(&self, run: i64, output: Output, secrets: Secrets) -> Result<u64, AppError> {
        let row = self.catalog().run(run).await?;
        check_table(&row, Table::Pages)?;
        let created_at = row.created_at;
        let database = self.database().clone();
        let write = move || {
            let mut last = Number(0);
            let Some(mut body) = database.contents().next_body(run, last)? else {
                return Err(AppError::Conflict {
                    reason: Conflict::NoDocuments,
                    message: format!("run {run} has no stored documents"),
                    hint: "crawl with `--store-bodies` to keep them".to_owned(),
                });
            };
            let software = format!("bluesnake/{}", crate::VERSION);
            let mut writer = WarcWriter::new(output, &software, created_at * 1000, secrets)?;
            let mut count = 0;
            loop {
                let mut headers: Vec<(&str, &str)> =
                    body.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
                headers.push(("content-type", &body.content_type));
                writer.response(&WarcResponse {
                    url: &body.url,
                    fetched_at_ms: body.visited_at,
                    status: body.status as u16,
                    headers: &headers,
                    body: &body.bytes,
                    is_cut: body.is_cut,
                })?;
                count += 1;
                last = Number(body.number as u32);
                match database.contents().next_body(run, last)? {
                    Some(next) => body = next,
                    None => break,
                }
            }
            writer.finish()?.finish()?;
            Ok(count)
        };
        off_the_runtime(write).await
    }
}

/// Reads the rows of a table until one cannot be written.
fn scan(
    database: &Database,
    run: i64,
    table: Table,
    columns: &[Column],
    mut write: impl FnMut(&[Value<'_>]) -> Result<(), ExportError>,
) -> Result<(), AppError> {
    let mut written = Ok(());
    database.contents().scan(run, table, columns, |row| {
        written = write(row);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(written?)
}

/// Reads the table of issues, of the stored audit or of one in memory. Equal runs have equal tables, so checks that
/// measure time are left out unless times are wanted.
fn scan_issues(
    database: &Database,
    run: i64,
    live: Option<&LiveAudit>,
    times: bool,
    mut write: impl FnMut(&IssueRow<'_>) -> Result<(), ExportError>,
) -> Result<(), AppError> {
    let mut written = Ok(());
    let each = |row: &IssueRow<'_>| {
        let is_timed = bluesnake_audit::check(row.check_id).is_some_and(Check::depends_on_time);
        if times || !is_timed {
            written = write(row);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    match live {
        Some(live) => live.scan(database, each)?,
        None if database.contents().scan_issues(run, each)? => {}
        None => return Err(changed(run).into()),
    }
    Ok(written?)
}

/// Whether a column is written as one column per rule.
fn is_expanded(column: &Column, rules: &Rules) -> bool {
    column.name == EXTRACTED && !rules.is_empty()
}

/// The header of a column of this name.
pub(super) fn header(name: &'static str, column: &Column, rules: &Rules) -> Vec<super::Column> {
    match is_expanded(column, rules) {
        true => rules.header().collect(),
        false => vec![super::Column { name: name.into(), kind: column.kind }],
    }
}

/// The cells of a value: one, or one per rule.
pub(super) fn cells_of<'a>(
    value: Value<'a>,
    column: &Column,
    rules: &Rules,
    secrets: Secrets,
) -> impl Iterator<Item = Cell<'a>> {
    let cells = match (is_expanded(column, rules), value) {
        (false, value) => vec![cell(value, column)],
        (true, Value::Text(found)) => rules.cells(Some(found)),
        (true, _) => rules.cells(None),
    };
    cells.into_iter().map(move |cell| shown(cell, secrets))
}

/// Whether a column is computed from the whole graph.
fn is_rank(table: Table, column: &Column) -> bool {
    table == Table::Nodes && RANK_COLUMNS.contains(&column.name)
}

/// Whether runs of a kind have a table.
pub(crate) fn has_table(kind: RunKind, table: Table) -> bool {
    match table {
        Table::Receipt => true,
        Table::Nodes | Table::Edges => kind == RunKind::Weave,
        Table::Urls | Table::Pages | Table::Links | Table::Issues => kind != RunKind::Weave,
    }
}

pub(super) fn check_table(run: &RunRow, table: Table) -> Result<(), AppError> {
    if has_table(run.kind, table) {
        return Ok(());
    }
    let table = table.as_str();
    Err(match run.kind {
        RunKind::Weave => AppError::Rejected {
            message: format!("run {} is a weave; it has no {table}", run.id),
            hint: "its tables are nodes, edges and receipt; graph formats such as gexf also work".to_owned(),
        },
        RunKind::Crawl | RunKind::Capture => AppError::Rejected {
            message: format!("run {} is not a weave; it has no {table}", run.id),
            hint: "`bluesnake runs list` shows what each run is for".to_owned(),
        },
    })
}

/// The requested columns, in the requested order.
fn chosen(table: Table, times: bool, names: &[String]) -> Result<Vec<Column>, AppError> {
    let all = table.columns(true);
    if names.is_empty() {
        return Ok(table.columns(times));
    }
    let find = |name: &String| {
        all.iter().copied().find(|column| column.name == name).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|column| column.name).collect();
            AppError::Invalid(format!(
                "the table {} has no column `{name}`; it has {}",
                table.as_str(),
                known.join(", ")
            ))
        })
    };
    names.iter().map(find).collect()
}

/// A value in the type of its column.
fn cell<'a>(value: Value<'a>, column: &Column) -> Cell<'a> {
    match (value, column.kind) {
        (Value::Null, _) => Cell::Null,
        (Value::Integer(number), ColumnKind::Boolean) => Cell::Boolean(number != 0),
        (Value::Integer(number), ColumnKind::Real) => Cell::Real(number as f64),
        (Value::Integer(number), ColumnKind::Text) => Cell::Text(number.to_string().into()),
        (Value::Integer(number), ColumnKind::Integer) => Cell::Integer(number),
        (Value::Real(number), ColumnKind::Text) => Cell::Text(number.to_string().into()),
        (Value::Real(number), _) => Cell::Real(number),
        (Value::Text(text), ColumnKind::Integer) => pixels(text, column).map_or(Cell::Null, Cell::Integer),
        (Value::Text(text), _) => Cell::Text(text.into()),
        (Value::Bytes(bytes), _) => Cell::Text(String::from_utf8_lossy(bytes)),
    }
}

/// The width of a text in search results, for the columns that show it.
fn pixels(text: &str, column: &Column) -> Option<i64> {
    match column.name {
        "title_pixels" => Some(title_pixels(text) as i64),
        "meta_description_pixels" => Some(description_pixels(text) as i64),
        _ => None,
    }
}

/// The cell with secrets masked as configured.
fn shown(cell: Cell<'_>, secrets: Secrets) -> Cell<'_> {
    match cell {
        Cell::Text(Cow::Borrowed(text)) => Cell::Text(secrets.show(text)),
        Cell::Text(Cow::Owned(text)) => Cell::Text(Cow::Owned(secrets.show(&text).into_owned())),
        other => other,
    }
}

/// Whether the reader of an export has closed the pipe, as `head` does.
pub fn is_reader_gone(error: &AppError) -> bool {
    matches!(error, AppError::Export(ExportError::Write(error)) if error.kind() == std::io::ErrorKind::BrokenPipe)
}
