//! Windows of filtered and sorted lists of URLs, with chosen columns.

use std::ops::ControlFlow;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use super::WHAT;
use super::filter::RowFilter;
use super::order::Order;
use crate::error::DatabaseError;
use crate::sqlite::columns::one;
use crate::sqlite::contents::tables::{columns, value};
use crate::sqlite::contents::{Column, ColumnKind, Contents, Order as Direction, Value};
use crate::sqlite::{Failure, catalog};
use crate::state::words;

words! {
    /// What to sort URLs by. Missing values come first; equal values are in number order.
    #[derive(Default)]
    RowSort {
        #[default]
        /// The number.
        Number = "number",
        /// The URL.
        Url = "url",
        /// Title.
        Title = "title",
        /// HTTP status.
        Status = "status",
        /// Links from a seed.
        Depth = "depth",
        /// How long the visit took.
        ResponseTime = "responseTime",
        /// Bytes of the body.
        Size = "size",
        /// Words on the page.
        WordCount = "wordCount",
        /// Links to it.
        Inlinks = "inlinks",
        /// Link score.
        LinkScore = "linkScore",
        /// Media type.
        ContentType = "contentType",
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window<T> {
    /// How many items the whole list has.
    pub total: u64,
    /// The index of the first of these items.
    pub offset: u64,
    /// How many URLs of the run the list knows.
    pub version: u64,
    /// The items.
    pub items: Vec<T>,
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number; 0 or 1 in a Boolean column.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
}

/// A window of a list of URLs.
#[derive(Clone, Debug)]
pub struct RowsQuery {
    /// Of which run.
    pub run: i64,
    /// Which.
    pub filter: RowFilter,
    /// Sort key.
    pub sort: RowSort,
    /// Direction; descending is the exact reverse of ascending.
    pub order: Direction,
    /// How many rows to skip.
    pub offset: u64,
    /// Maximum number of rows.
    pub limit: usize,
    /// Columns of [`row_columns`].
    pub columns: Vec<Column>,
}

/// The columns of a row, of [`FROM`].
const COLUMNS: &[Column] = columns![
    "number" Integer "u.number",
    "url" Text "u.url",
    "status" Integer "v.status",
    "type" Text "iif(v.was_fetched, page_type(v.content_type), NULL)",
    "content_type" Text "v.content_type",
    "disposition" Text "u.disposition",
    "reason" Text "u.reason",
    "indexable" Text "coalesce(v.indexable, '-')",
    "indexable_reason" Text "v.indexable_reason",
    "depth" Integer "u.depth",
    "title" Text "v.title",
    "title_length" Integer "length(v.title)",
    "meta_description" Text "v.description",
    "meta_description_length" Integer "length(v.description)",
    "h1" Text "v.h1",
    "h1_length" Integer "length(v.h1)",
    "h2" Text "v.h2",
    "h2_length" Integer "length(v.h2)",
    "canonical_url" Text "v.canonical",
    "meta_robots" Text "(SELECT group_concat(d.value, ', ') FROM json_each(v.facts, '$.directives') AS d)",
    "x_robots_tag" Text "(SELECT group_concat(h.value ->> 1, ', ') FROM json_each((SELECT fields FROM headers
        WHERE run = v.run AND id = v.headers)) AS h WHERE h.value ->> 0 = 'x-robots-tag')",
    "lang" Text "v.lang",
    "word_count" Integer "v.word_count",
    "main_words" Integer "v.main_words",
    "body_bytes" Integer "v.body_bytes",
    "wire_bytes" Integer "v.wire_bytes",
    "links" Integer "v.links",
    "inlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.inlinks, 0))",
    "unique_inlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.unique_inlinks, 0))",
    "outlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.outlinks, 0))",
    "unique_outlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.unique_outlinks, 0))",
    "external_outlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.external_outlinks, 0))",
    "link_score" Real "f.link_score",
    "near_duplicate_of" Text "(SELECT url FROM urls WHERE run = u.run AND number = f.near_duplicate_of)",
    "similarity" Integer "f.similarity",
    "duplicate_of" Text "(SELECT url FROM urls WHERE run = u.run AND number = v.duplicate_of)",
    "identical_to" Text "(SELECT url FROM urls WHERE run = u.run AND number = v.identical_to)",
    "content_hash" Text "v.content_hash",
    "is_internal" Boolean "u.is_internal",
    "source" Text "u.source",
    "kind" Text "u.kind",
    "task" Text "u.task",
    "action" Text "u.action",
    "hops" Integer "u.hops",
    "parent_url" Text "p.url",
    "redirect_url" Text "r.url",
    "error" Text "v.error",
    "detail" Text "v.detail",
    "cut" Text "v.cut",
    "note" Text "v.note",
    "sniffed" Text "v.sniffed",
    "extracted" Text "v.extracted",
    "http_version" Text "v.http_version",
    "crawl_id" Integer "coalesce(v.session, u.session)" history,
    "visited_at_ms" Integer "v.visited_at" history,
    "attempts" Integer "v.attempts" history,
    "first_byte_ms" Real "v.first_byte_us / 1000.0" history,
    "total_ms" Real "v.total_us / 1000.0" history,
];
/// A URL `u` with its visit `v`, parent `p`, redirect `r` and, if its run has an audit `a`, figures `f`.
const FROM: &str = "urls AS u
    LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
    LEFT JOIN urls AS p ON p.run = u.run AND p.number = u.parent
    LEFT JOIN urls AS r ON r.run = u.run AND r.number = v.redirect_to
    LEFT JOIN audits AS a ON a.run = u.run
    LEFT JOIN figures AS f ON f.run = a.run AND f.number = u.number
    WHERE u.run = ?1 AND u.number = ?2";

/// Every column that a row can have.
pub fn row_columns() -> &'static [Column] {
    COLUMNS
}

impl Contents<'_> {
    /// A window of the URLs of a run: one cell for each chosen column.
    pub async fn rows(self, mut query: RowsQuery) -> Result<Window<Vec<Cell>>, DatabaseError> {
        let filter = std::mem::take(&mut query.filter);
        self.with_order(query.run, filter, query.sort, move |connection, order, version| {
            window(connection, &query, order, version)
        })
        .await
    }

    /// The numbers of a whole list, in its order: four bytes for each URL.
    pub async fn row_numbers(
        self,
        run: i64,
        filter: RowFilter,
        sort: RowSort,
        direction: Direction,
    ) -> Result<Vec<u32>, DatabaseError> {
        self.with_order(run, filter, sort, move |_, order, _| {
            Ok((0..order.len()).map(|position| order.directed(direction, position)).collect())
        })
        .await
    }

    /// Runs a job with the order of a list, and how many URLs of the run it knows.
    async fn with_order<T: Send + 'static>(
        self,
        run: i64,
        filter: RowFilter,
        sort: RowSort,
        job: impl FnOnce(&Connection, &Order, u64) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        // Numbers have no gaps, so this list is known without being made, and grows at its end.
        if filter == RowFilter::default() && sort == RowSort::Number {
            return self
                .read(WHAT, move |connection| {
                    let moment = connection.unchecked_transaction()?;
                    catalog::find_head(&moment, run)?;
                    let last = one(&moment, "SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1", [run])?;
                    Ok(job(&moment, &Order::Dense(last), u64::from(last))?)
                })
                .await;
        }
        self.with_filtered(run, filter, move |connection, view, filter| {
            let order = view.order(connection, filter, sort)?;
            Ok(job(connection, &order, view.grid.len() as u64)?)
        })
        .await
    }

    /// Reads the rows of these numbers in this order, on this thread, until all are read or `each` stops it.
    pub fn scan_rows(
        self,
        run: i64,
        numbers: &[u32],
        columns: &[Column],
        mut each: impl FnMut(&[Value<'_>]) -> ControlFlow<()>,
    ) -> Result<(), DatabaseError> {
        self.read_here(WHAT, |connection| {
            catalog::find_head(connection, run)?;
            let mut select = connection.prepare(&select_of(columns))?;
            for number in numbers {
                let mut rows = select.query((run, number))?;
                let Some(row) = rows.next()? else { continue };
                let values: Result<Vec<Value<'_>>, Failure> =
                    (0..columns.len()).map(|at| Ok(value(row.get_ref(at)?))).collect();
                if each(&values?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The rows of these numbers, in this order; unknown numbers are omitted.
    pub async fn rows_of(
        self,
        run: i64,
        numbers: Vec<u32>,
        columns: Vec<Column>,
    ) -> Result<Vec<Vec<Cell>>, DatabaseError> {
        self.read(WHAT, move |connection| {
            catalog::find_head(connection, run)?;
            Ok(read(connection, run, numbers.into_iter(), &columns)?)
        })
        .await
    }
}

fn window(
    connection: &Connection,
    query: &RowsQuery,
    order: &Order,
    version: u64,
) -> rusqlite::Result<Window<Vec<Cell>>> {
    let (total, offset) = (order.len(), query.offset);
    let positions = offset.min(total)..offset.saturating_add(query.limit as u64).min(total);
    let numbers = positions.map(|position| order.directed(query.order, position));
    Ok(Window { total, offset, version, items: read(connection, query.run, numbers, &query.columns)? })
}

/// The rows of these numbers.
pub(super) fn read(
    connection: &Connection,
    run: i64,
    numbers: impl Iterator<Item = u32>,
    columns: &[Column],
) -> rusqlite::Result<Vec<Vec<Cell>>> {
    let mut select = connection.prepare_cached(&select_of(columns))?;
    let mut items = Vec::new();
    for number in numbers {
        let cells = |row: &Row<'_>| (0..columns.len()).map(|at| Ok(Cell::of(row.get_ref(at)?))).collect();
        items.extend(select.query_row((run, number), cells).optional()?);
    }
    Ok(items)
}

/// Selects one row.
fn select_of(columns: &[Column]) -> String {
    let list: Vec<&str> = columns.iter().map(Column::expression).collect();
    let list = if list.is_empty() { "NULL".to_owned() } else { list.join(", ") };
    format!("SELECT {list} FROM {FROM}")
}

impl Cell {
    pub(super) fn of(stored: ValueRef<'_>) -> Self {
        match value(stored) {
            Value::Null => Self::Null,
            Value::Integer(number) => Self::Integer(number),
            Value::Real(number) => Self::Real(number),
            Value::Text(text) => Self::Text(text.to_owned()),
            Value::Bytes(bytes) => Self::Text(String::from_utf8_lossy(bytes).into_owned()),
        }
    }
}
