//! The grid of a run: any window of its URLs, filtered and sorted, with chosen columns.

use bluesnake_store::{Cell, Column, ColumnKind, Order, RowSort, Table, row_columns};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use super::filter::query_of_urls;
use super::paging::WindowLimit;
use super::words::{self, Orders, RowSorts, TableFormats};
use crate::app::App;
use crate::error::AppError;
use crate::export::Format;
use crate::spelling::nearest;

/// The columns that identify a row: an object always has them.
const IDENTITY: [&str; 2] = ["number", "url"];

query_of_urls! {
    /// Which rows, in which order, and what of them.
    pub struct RowsQuery {
        /// number, url, title, status, depth, responseTime, size, wordCount, inlinks, linkScore or contentType.
        #[serde(deserialize_with = "words::row_sort")]
        #[param(value_type = Option<RowSorts>, inline)]
        pub sort: RowSort,
        /// asc or desc.
        #[serde(deserialize_with = "words::order")]
        #[param(value_type = Option<Orders>, inline)]
        pub order: Order,
        /// How many rows to skip.
        #[param(value_type = Option<u64>, minimum = 0, default = 0)]
        pub offset: u64,
        /// Maximum number of rows.
        #[param(value_type = Option<usize>, minimum = 1, maximum = 500, default = 100)]
        pub limit: WindowLimit,
        /// Only these columns, in this order, separated by commas. Objects always have `number` and `url`.
        pub columns: Option<String>,
        /// `objects`, or `rows`: arrays with one value per column, half the size.
        #[param(inline)]
        pub shape: Shape,
    }
}

query_of_urls! {
    /// Which list of URLs to write to a file, in which order, and how.
    pub struct RowsFileQuery {
        /// number, url, title, status, depth, responseTime, size, wordCount, inlinks, linkScore or contentType.
        #[serde(deserialize_with = "words::row_sort")]
        #[param(value_type = Option<RowSorts>, inline)]
        pub sort: RowSort,
        /// asc or desc.
        #[serde(deserialize_with = "words::order")]
        #[param(value_type = Option<Orders>, inline)]
        pub order: Order,
        /// Only these columns, in this order, separated by commas.
        pub columns: Option<String>,
        /// Adds columns with fetch times and durations.
        #[param(default = false)]
        pub times: bool,
        /// The file format.
        #[serde(deserialize_with = "words::table_format")]
        #[param(value_type = Option<TableFormats>, inline)]
        pub format: Format,
        /// CSV with exact text; not safe to open in a spreadsheet.
        #[param(default = false)]
        pub raw: bool,
    }
}

/// How rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(default = "objects")]
pub enum Shape {
    /// As objects, in `items`.
    #[default]
    Objects,
    /// As arrays, in `rows`.
    Rows,
}

/// A window of the URLs of a run.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RowsWindow {
    /// URLs that match the filter.
    pub total: u64,
    /// How many of them precede the first one here.
    pub offset: u64,
    /// URLs in the run when this list was made; grows while the run is in progress.
    pub version: u64,
    /// The columns, in order.
    pub columns: Vec<&'static str>,
    /// The rows as objects; empty if `rows` was requested.
    pub items: Vec<RowView>,
    /// The rows as arrays with one value per column; only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Vec<Value>>>)]
    pub rows: Option<Vec<Vec<Value>>>,
}

/// A URL of a run: names of columns with their values, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct RowView(pub Vec<(&'static str, Value)>);

impl RowView {
    /// The value of a column; null if it was not requested.
    pub fn value(&self, column: &str) -> &Value {
        self.0.iter().find(|(name, _)| *name == column).map_or(&Value::Null, |(_, value)| value)
    }
}

impl Serialize for RowView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// A column of the grid.
#[derive(Clone, Copy, Debug)]
struct GridColumn {
    /// Its name in JSON and in `columns`.
    name: &'static str,
    /// Its name in the store.
    stored: &'static str,
    /// What it contains.
    help: &'static str,
}

/// Declares columns: name in JSON, name in the store, help.
macro_rules! grid_columns {
    ($( $name:literal $stored:literal $help:literal, )*) => {
        &[ $( GridColumn { name: $name, stored: $stored, help: $help }, )* ]
    };
}

const COLUMNS: &[GridColumn] = grid_columns![
    "number" "number" "Its number.",
    "url" "url" "The URL.",
    "status" "status" "HTTP status, if there was a response.",
    "type" "type" "The type of the response: html, css, javascript, images, fonts or others.",
    "contentType" "content_type" "Media type.",
    "disposition" "disposition" "Where it ended up: fetched, redirected, failed, refused, recorded, skipped or pending.",
    "reason" "reason" "Why.",
    "indexable" "indexable" "Yes, No or -.",
    "indexableReason" "indexable_reason" "Why not.",
    "depth" "depth" "Distance from a seed in links.",
    "title" "title" "Title.",
    "titleLength" "title_length" "Characters of the title.",
    "description" "meta_description" "Meta description.",
    "descriptionLength" "meta_description_length" "Characters of the meta description.",
    "h1" "h1" "The first heading of the first level.",
    "h1Length" "h1_length" "Characters of that heading.",
    "h2" "h2" "The first heading of the second level.",
    "h2Length" "h2_length" "Characters of that heading.",
    "canonical" "canonical_url" "The canonical URL declared by the page.",
    "metaRobots" "meta_robots" "Directives for robots in the page.",
    "xRobotsTag" "x_robots_tag" "Directives for robots in the response headers.",
    "lang" "lang" "Its language.",
    "wordCount" "word_count" "Words on it.",
    "mainWords" "main_words" "Words without navigation, header, footer and sidebar.",
    "size" "body_bytes" "Bytes of the body, decoded.",
    "transferSize" "wire_bytes" "Bytes of the body as transferred.",
    "links" "links" "Links on it.",
    "inlinks" "inlinks" "Links to it from other documents; none until the run is completed.",
    "uniqueInlinks" "unique_inlinks" "Documents that link to it; none until the run is completed.",
    "outlinks" "outlinks" "Hyperlinks on it; none until the run is completed.",
    "uniqueOutlinks" "unique_outlinks" "Different URLs its hyperlinks lead to; none until the run is completed.",
    "externalOutlinks" "external_outlinks" "Hyperlinks that leave the site; none until the run is completed.",
    "linkScore" "link_score" "Link score from 0 to 100; only internal pages of completed runs have one.",
    "nearDuplicateOf" "near_duplicate_of" "The first page of its group of near duplicates.",
    "similarity" "similarity" "How similar it is to that page, in percent.",
    "duplicateOf" "duplicate_of" "The first page with the same content.",
    "identicalTo" "identical_to" "The first page with exactly the same bytes.",
    "contentHash" "content_hash" "Fingerprint of its content.",
    "isInternal" "is_internal" "Whether it belongs to the site.",
    "source" "source" "How it was first found: initial, sitemap, spider, network, resource, redirect, canonical or hreflang.",
    "kind" "kind" "The kind of the first link to it.",
    "task" "task" "What it is requested as: page, stylesheet, resource, check, sitemap or robots.",
    "action" "action" "The action: crawl, record or skip.",
    "hops" "hops" "Steps outside the site on the way to it.",
    "parentUrl" "parent_url" "The first page that links to it.",
    "redirectUrl" "redirect_url" "Where it redirects to.",
    "error" "error" "The error, as a sentence.",
    "detail" "detail" "Details of the rule that refused it.",
    "cut" "cut" "Why the body is incomplete.",
    "note" "note" "Anything else to report about the visit.",
    "sniffed" "sniffed" "The media type of the content, if it contradicts the header.",
    "extracted" "extracted" "What custom extraction found, as JSON.",
    "httpVersion" "http_version" "The version of HTTP.",
    "crawlId" "crawl_id" "The session that visited or found it.",
    "visitedAtMs" "visited_at_ms" "When it was visited: Unix time in milliseconds.",
    "attempts" "attempts" "How often it was requested.",
    "firstByteTime" "first_byte_ms" "Time to the first byte of the response, in milliseconds.",
    "responseTime" "total_ms" "Duration of the whole visit, in milliseconds.",
];

/// A chosen column, with how the store calls it.
type Chosen = (&'static GridColumn, Column);

impl App {
    /// A window of the URLs of a run.
    pub async fn rows(&self, run: i64, query: RowsQuery) -> Result<RowsWindow, AppError> {
        self.has_table(run, Table::Urls).await?;
        let chosen = chosen(query.columns.as_deref(), query.shape)?;
        let asked = bluesnake_store::RowsQuery {
            run,
            filter: self.usable(run, query.filter()?).await?,
            sort: query.sort,
            order: query.order,
            offset: query.offset,
            limit: query.limit.get(),
            columns: chosen.iter().map(|(_, column)| *column).collect(),
        };
        let found = self.contents().rows(asked).await?;
        let names: Vec<&'static str> = chosen.iter().map(|(column, _)| column.name).collect();
        let rows = found.items.into_iter().map(|cells| values(cells, &chosen));
        let (items, rows) = match query.shape {
            Shape::Objects => (rows.map(|row| RowView(names.iter().copied().zip(row).collect())).collect(), None),
            Shape::Rows => (Vec::new(), Some(rows.collect())),
        };
        Ok(RowsWindow { total: found.total, offset: found.offset, version: found.version, columns: names, items, rows })
    }
}

/// Every column of a row, from the columns of the store.
pub(super) fn whole_row(cells: Vec<(Column, Cell)>) -> RowView {
    let mut values = Vec::with_capacity(COLUMNS.len());
    for (column, cell) in cells {
        if let Some(known) = COLUMNS.iter().find(|known| known.stored == column.name) {
            values.push((known.name, value(cell, column.kind)));
        }
    }
    RowView(values)
}

/// The columns of a list that is written to a file, by name. Equal runs give equal files, so times must be requested.
pub(crate) fn columns_of_file(columns: Option<&str>, times: bool) -> Result<Vec<(&'static str, Column)>, AppError> {
    let is_shown = |column: &Column| times || !column.is_history() || !named(columns).is_empty();
    let chosen = chosen(columns, Shape::Rows)?.into_iter().filter(|(_, column)| is_shown(column));
    Ok(chosen.map(|(known, column)| (known.name, column)).collect())
}

/// The requested columns, in the requested order; all without a request.
fn chosen(columns: Option<&str>, shape: Shape) -> Result<Vec<Chosen>, AppError> {
    let asked = named(columns);
    if asked.is_empty() {
        return Ok(COLUMNS.iter().map(with_stored).collect());
    }
    let identity: &[&str] = if shape == Shape::Objects { &IDENTITY } else { &[] };
    let missing = identity.iter().copied().filter(|name| !asked.contains(name));
    let mut chosen: Vec<Chosen> = Vec::new();
    for name in missing.chain(asked.iter().copied()) {
        let column = COLUMNS.iter().find(|column| column.name == name).ok_or_else(|| unknown(name))?;
        if chosen.iter().any(|(known, _)| known.name == name) {
            return Err(AppError::Rejected {
                message: format!("the column `{name}` is requested twice"),
                hint: "name each column once".to_owned(),
            });
        }
        chosen.push(with_stored(column));
    }
    Ok(chosen)
}

fn named(columns: Option<&str>) -> Vec<&str> {
    columns.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
}

fn with_stored(column: &'static GridColumn) -> Chosen {
    let stored = row_columns().iter().find(|stored| stored.name == column.stored);
    (column, *stored.expect("the store has every column of the grid"))
}

fn unknown(name: &str) -> AppError {
    let known = || COLUMNS.iter().map(|column| column.name);
    AppError::Rejected {
        message: format!("no column `{name}`"),
        hint: match nearest(name, known()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
        },
    }
}

fn values(cells: Vec<Cell>, chosen: &[Chosen]) -> Vec<Value> {
    cells.into_iter().zip(chosen).map(|(cell, (_, column))| value(cell, column.kind)).collect()
}

/// A value in the type of its column.
fn value(cell: Cell, kind: ColumnKind) -> Value {
    match (cell, kind) {
        (Cell::Null, _) => Value::Null,
        (Cell::Integer(number), ColumnKind::Boolean) => (number != 0).into(),
        (Cell::Integer(number), _) => number.into(),
        (Cell::Real(number), _) => number.into(),
        (Cell::Text(text), _) => text.into(),
    }
}

impl PartialSchema for RowView {
    fn schema() -> RefOr<Schema> {
        let mut object = ObjectBuilder::new()
            .description(Some("A URL of a run. With `columns`, only those and `number` and `url`."));
        for (column, stored) in COLUMNS.iter().map(with_stored) {
            let mut types = vec![match stored.kind {
                ColumnKind::Integer => Type::Integer,
                ColumnKind::Real => Type::Number,
                ColumnKind::Text => Type::String,
                ColumnKind::Boolean => Type::Boolean,
            }];
            let is_identity = IDENTITY.contains(&column.name);
            if !is_identity {
                types.push(Type::Null);
            }
            let schema = ObjectBuilder::new().schema_type(SchemaType::from_iter(types)).description(Some(column.help));
            object = object.property(column.name, schema);
            if is_identity {
                object = object.required(column.name);
            }
        }
        object.into()
    }
}

impl ToSchema for RowView {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_the_columns_of_the_store() {
        let mut ours: Vec<&str> = COLUMNS.iter().map(|column| column.stored).collect();
        let mut stored: Vec<&str> = row_columns().iter().map(|column| column.name).collect();
        ours.sort_unstable();
        stored.sort_unstable();
        assert_eq!(ours, stored);
    }

    #[test]
    fn chosen_columns_come_in_the_requested_order() {
        let names = |columns, shape| {
            chosen(columns, shape).map(|chosen| chosen.iter().map(|(column, _)| column.name).collect::<Vec<_>>())
        };
        assert_eq!(names(Some("title, depth"), Shape::Rows).unwrap(), ["title", "depth"]);
        assert_eq!(names(Some("title,url"), Shape::Objects).unwrap(), ["number", "title", "url"]);
        assert_eq!(names(None, Shape::Rows).unwrap().len(), COLUMNS.len());
        assert_eq!(names(Some(","), Shape::Rows).unwrap().len(), COLUMNS.len());
        assert_eq!(names(Some("titel"), Shape::Rows).unwrap_err().hint().unwrap(), "did you mean `title`?");
        assert!(names(Some("url; DROP TABLE urls"), Shape::Rows).is_err());
        assert!(names(Some("url,url"), Shape::Rows).is_err());
    }
}
