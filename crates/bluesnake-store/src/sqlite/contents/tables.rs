//! The exportable tables: fixed columns, rows in a fixed order, read one by one.
//!
//! Without `times` a table contains nothing that depends on when, how fast or in which session something was fetched,
//! so equal runs yield equal tables.

use std::ops::ControlFlow;

use rusqlite::types::ValueRef;

use super::graph::FROM_EDGES;
use super::read::ENDS;
use super::{Contents, IssueRow};
use crate::error::DatabaseError;
use crate::sqlite::functions::FROM_LINKS;
use crate::sqlite::{Failure, catalog};
use crate::state::words;

words! {
    /// A table of a run.
    Table {
        /// Every URL ever seen.
        Urls = "urls",
        /// HTML pages with their facts.
        Pages = "pages",
        /// Every link.
        Links = "links",
        /// Issues found by the audit checks.
        Issues = "issues",
        /// The count of every disposition and reason.
        Receipt = "receipt",
        /// The hosts of a graph.
        Nodes = "nodes",
        /// The links of a graph.
        Edges = "edges",
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Real,
    /// Text.
    Text,
    /// 0 or 1.
    Boolean,
}

/// One column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnKind,
    expression: &'static str,
    is_history: bool,
}

impl Column {
    pub(super) const fn new(name: &'static str, kind: ColumnKind, expression: &'static str, is_history: bool) -> Self {
        Self { name, kind, expression, is_history }
    }

    /// Its SQL.
    pub(super) fn expression(&self) -> &'static str {
        self.expression
    }

    /// Whether it differs between equal runs: times, attempts and sessions.
    pub fn is_history(&self) -> bool {
        self.is_history
    }
}

/// One value of a table or of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// Declares columns: name, kind, SQL.
macro_rules! columns {
    ($( $name:literal $kind:ident $expression:literal $($history:ident)? ),* $(,)?) => {
        &[ $( Column::new($name, ColumnKind::$kind, $expression, columns!(@ $($history)?)) ),* ]
    };
    (@ history) => { true };
    (@) => { false };
}
pub(super) use columns;

/// The pixel columns have the text; the exporter measures it.
const URLS: &[Column] = columns![
    "number" Integer "u.number",
    "url" Text "u.url",
    "source" Text "u.source",
    "parent_url" Text "p.url",
    "depth" Integer "u.depth",
    "action" Text "u.action",
    "disposition" Text "u.disposition",
    "reason" Text "u.reason",
    "status" Integer "v.status",
    "content_type" Text "v.content_type",
    "title" Text "v.title",
    "title_length" Integer "length(v.title)",
    "title_pixels" Integer "v.title",
    "meta_description" Text "v.description",
    "meta_description_length" Integer "length(v.description)",
    "meta_description_pixels" Integer "v.description",
    "kind" Text "u.kind",
    "task" Text "u.task",
    "is_internal" Boolean "u.is_internal",
    "hops" Integer "u.hops",
    "redirect_url" Text "r.url",
    "indexable" Text "coalesce(v.indexable, '-')",
    "indexable_reason" Text "v.indexable_reason",
    "canonical_url" Text "v.canonical",
    "meta_robots" Text "(SELECT group_concat(d.value, ', ') FROM json_each(v.facts, '$.directives') AS d)",
    "x_robots_tag" Text "(SELECT group_concat(h.value ->> 1, ', ') FROM json_each((SELECT fields FROM headers
        WHERE run = v.run AND id = v.headers)) AS h WHERE h.value ->> 0 = 'x-robots-tag')",
    "word_count" Integer "v.word_count",
    "main_words" Integer "v.main_words",
    "inlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.inlinks, 0))",
    "unique_inlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.unique_inlinks, 0))",
    "outlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.outlinks, 0))",
    "unique_outlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.unique_outlinks, 0))",
    "external_outlinks" Integer "iif(a.id IS NULL, NULL, coalesce(f.external_outlinks, 0))",
    "link_score" Real "f.link_score",
    "near_duplicate_of" Text "(SELECT url FROM urls WHERE run = u.run AND number = f.near_duplicate_of)",
    "similarity" Integer "f.similarity",
    "body_bytes" Integer "v.body_bytes",
    "wire_bytes" Integer "v.wire_bytes",
    "error" Text "v.error",
    "detail" Text "v.detail",
    "crawl_id" Integer "coalesce(v.session, u.session)" history,
    "visited_at_ms" Integer "v.visited_at" history,
    "attempts" Integer "v.attempts" history,
    "first_byte_ms" Real "v.first_byte_us / 1000.0" history,
    "total_ms" Real "v.total_us / 1000.0" history,
];
/// Every URL `u` with its visit `v`, where it was first found (`p`) and where it redirects to (`r`).
pub(in crate::sqlite) const URLS_FROM: &str = "urls AS u
    LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
    LEFT JOIN urls AS p ON p.run = u.run AND p.number = u.parent
    LEFT JOIN urls AS r ON r.run = u.run AND r.number = v.redirect_to";

/// The figures `f` of its audit `a`, if its run has one.
const FIGURES_FROM: &str = "LEFT JOIN audits AS a ON a.run = u.run
    LEFT JOIN figures AS f ON f.run = a.run AND f.number = u.number";

const PAGES: &[Column] = columns![
    "number" Integer "u.number",
    "url" Text "u.url",
    "status" Integer "v.status",
    "content_type" Text "v.content_type",
    "depth" Integer "u.depth",
    "indexable" Text "v.indexable",
    "indexable_reason" Text "v.indexable_reason",
    "title" Text "v.title",
    "title_length" Integer "length(v.title)",
    "title_pixels" Integer "v.title",
    "meta_description" Text "v.description",
    "meta_description_length" Integer "length(v.description)",
    "meta_description_pixels" Integer "v.description",
    "h1" Text "v.h1",
    "h1_length" Integer "length(v.h1)",
    "h2" Text "v.h2",
    "h2_length" Integer "length(v.h2)",
    "canonical_url" Text "v.canonical",
    "meta_robots" Text "(SELECT group_concat(w.value, ', ') FROM json_each(v.facts, '$.directives') AS w)",
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
    "content_hash" Text "v.content_hash",
    "duplicate_of" Text "d.url",
    "identical_to" Text "i.url",
    "near_duplicate_of" Text "n.url",
    "similarity" Integer "f.similarity",
    "extracted" Text "v.extracted",
    "facts" Text "v.facts",
    "crawl_id" Integer "v.session" history,
    "visited_at_ms" Integer "v.visited_at" history,
    "first_byte_ms" Real "v.first_byte_us / 1000.0" history,
    "total_ms" Real "v.total_us / 1000.0" history,
];
const PAGES_FROM: &str = "visits AS v
    JOIN urls AS u ON u.run = v.run AND u.number = v.number
    LEFT JOIN urls AS d ON d.run = v.run AND d.number = v.duplicate_of
    LEFT JOIN urls AS i ON i.run = v.run AND i.number = v.identical_to
    LEFT JOIN audits AS a ON a.run = v.run
    LEFT JOIN figures AS f ON f.run = a.run AND f.number = v.number
    LEFT JOIN urls AS n ON n.run = v.run AND n.number = f.near_duplicate_of
    WHERE v.run = ?1 AND v.facts IS NOT NULL ORDER BY v.number";

const LINKS: &[Column] = columns![
    "source_number" Integer "l.source",
    "source_url" Text "s.url",
    "ordinal" Integer "j.key",
    "target_number" Integer "t.number",
    "target_url" Text "t.url",
    "type" Text "k.word",
    "text" Text "a.text",
    "context" Text "link_context(c.packed, j.key, a.text)",
    "position" Text "p.position",
    "dom_path" Text "p.dom_path",
    "path_type" Text "p.path_type",
    "origin" Text "p.origin",
    "is_nofollow" Boolean "p.rel & 1",
    "is_internal" Boolean "t.is_internal",
    "status" Integer "v.status",
    "action" Text "t.action",
];
const RECEIPT: &[Column] = columns![
    "disposition" Text "u.disposition",
    "reason" Text "u.reason",
    "count" Integer "count(*)",
];

/// Ranks are computed from the whole graph and not stored; the exporter adds them.
const NODES: &[Column] = columns![
    "number" Integer "n.number",
    "host" Text "n.host",
    "domain" Text "n.domain",
    "description" Text "n.description",
    "depth" Integer "n.depth",
    "crawl_count" Integer "n.crawl_count",
    "pages_cut" Integer "n.pages_cut",
    "partial_pages" Integer "n.partial_pages",
    "is_kept" Boolean "n.is_kept",
    "mentions_cut" Integer "n.mentions_cut",
    "disposition" Text "n.disposition",
    "reason" Text "n.reason",
    "in_degree" Integer "NULL",
    "out_degree" Integer "NULL",
    "in_weight" Integer "NULL",
    "out_weight" Integer "NULL",
    "pagerank" Real "NULL",
    "harmonic" Real "NULL",
    "weak_component" Integer "NULL",
    "strong_component" Integer "NULL",
];
const EDGES: &[Column] = columns![
    "from" Text "s.host",
    "to" Text "t.host",
    "weight" Integer "e.weight",
];

/// Read by [`Contents::scan_issues`], not by SQL.
const ISSUES: &[Column] = columns![
    "check_id" Text "",
    "name" Text "",
    "type" Text "",
    "priority" Text "",
    "number" Integer "",
    "url" Text "",
    "detail" Text "",
    "pages" Integer "",
];

impl Table {
    /// Its columns, with or without those for times and sessions.
    pub fn columns(self, times: bool) -> Vec<Column> {
        let all = match self {
            Self::Urls => URLS,
            Self::Pages => PAGES,
            Self::Links => LINKS,
            Self::Issues => ISSUES,
            Self::Receipt => RECEIPT,
            Self::Nodes => NODES,
            Self::Edges => EDGES,
        };
        all.iter().copied().filter(|column| times || !column.is_history).collect()
    }

    fn sql(self, columns: &[Column]) -> String {
        let list: Vec<&str> = columns.iter().map(|column| column.expression).collect();
        let list = list.join(", ");
        match self {
            Self::Urls => {
                format!("SELECT {list} FROM {URLS_FROM} {FIGURES_FROM} WHERE u.run = ?1 ORDER BY u.number")
            }
            Self::Pages => format!("SELECT {list} FROM {PAGES_FROM}"),
            Self::Links => format!("SELECT {list} FROM {FROM_LINKS} WHERE l.run = ?1 ORDER BY l.source, j.key"),
            Self::Receipt => format!(
                "SELECT {list} FROM ({ENDS}) AS u GROUP BY u.disposition, u.reason ORDER BY u.disposition, u.reason"
            ),
            Self::Nodes => format!("SELECT {list} FROM nodes AS n WHERE n.run = ?1 ORDER BY n.number"),
            Self::Edges => format!("SELECT {list} FROM {FROM_EDGES} WHERE e.run = ?1 ORDER BY e.source, e.target"),
            Self::Issues => unreachable!("issues are not read by SQL"),
        }
    }
}

impl Contents<'_> {
    /// Reads the rows of a table in order, on this thread, until all are read or `each` stops it. The table of issues
    /// needs a stored audit.
    pub fn scan(
        self,
        run: i64,
        table: Table,
        columns: &[Column],
        mut each: impl FnMut(&[Value<'_>]) -> ControlFlow<()>,
    ) -> Result<(), DatabaseError> {
        if table == Table::Issues {
            let is_stored = self.scan_issues(run, |row| each(&row.values(columns)))?;
            let absent = || DatabaseError::NotFound(format!("run {run} has no stored audit"));
            return if is_stored { Ok(()) } else { Err(absent()) };
        }
        self.read_here("cannot read the table", |connection| {
            catalog::find_head(connection, run)?;
            let mut select = connection.prepare(&table.sql(columns))?;
            let mut rows = select.query([run])?;
            while let Some(row) = rows.next()? {
                let values: Result<Vec<Value<'_>>, Failure> =
                    (0..columns.len()).map(|at| Ok(value(row.get_ref(at)?))).collect();
                if each(&values?).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl IssueRow<'_> {
    /// Its values in columns of [`Table::Issues`].
    pub fn values(&self, columns: &[Column]) -> Vec<Value<'_>> {
        let value = |column: &Column| match column.name {
            "check_id" => Value::Text(self.check_id),
            "name" => Value::Text(self.name),
            "type" => Value::Text(self.kind),
            "priority" => Value::Text(self.priority),
            "number" => Value::Integer(self.number.into()),
            "url" => Value::Text(self.url),
            "detail" => self.detail.map_or(Value::Null, Value::Text),
            "pages" => Value::Integer(self.pages.into()),
            _ => Value::Null,
        };
        columns.iter().map(value).collect()
    }
}

/// A value as stored; the file cannot contain text that is not UTF-8.
pub(in crate::sqlite) fn value(stored: ValueRef<'_>) -> Value<'_> {
    match stored {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => str::from_utf8(text).map_or(Value::Bytes(text), Value::Text),
        ValueRef::Blob(bytes) => Value::Bytes(bytes),
    }
}
