//! The exportable tables: fixed columns, rows in a fixed order, read one by one.
//!
//! Without `times` a table contains nothing that depends on when, how fast or in which session something was fetched,
//! so equal runs yield equal tables.

use std::ops::ControlFlow;

use rusqlite::types::ValueRef;

use super::Contents;
use super::graph::FROM_EDGES;
use super::read::ENDS;
use crate::error::DatabaseError;
use crate::sqlite::functions::{self, FROM_LINKS};
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
        &[ $( Column {
            name: $name,
            kind: ColumnKind::$kind,
            expression: $expression,
            is_history: columns!(@ $($history)?),
        } ),* ]
    };
    (@ history) => { true };
    (@) => { false };
}

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
    "kind" Text "u.kind",
    "task" Text "u.task",
    "is_internal" Boolean "u.is_internal",
    "hops" Integer "u.hops",
    "redirect_url" Text "r.url",
    "indexable" Text "coalesce(v.indexable, '-')",
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

const PAGES: &[Column] = columns![
    "number" Integer "u.number",
    "url" Text "u.url",
    "status" Integer "v.status",
    "content_type" Text "v.content_type",
    "depth" Integer "u.depth",
    "title" Text "v.title",
    "meta_description" Text "v.description",
    "h1" Text "v.h1",
    "h2" Text "v.h2",
    "canonical_url" Text "v.canonical",
    "lang" Text "v.lang",
    "indexable" Text "v.indexable",
    "indexable_reason" Text "v.indexable_reason",
    "word_count" Integer "v.word_count",
    "body_bytes" Integer "v.body_bytes",
    "wire_bytes" Integer "v.wire_bytes",
    "links" Integer "v.links",
    "content_hash" Text "v.content_hash",
    "duplicate_of" Text "d.url",
    "identical_to" Text "i.url",
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

const ISSUES: &[Column] = columns![
    "check_id" Text "check_id",
    "name" Text "name",
    "type" Text "type",
    "priority" Text "priority",
    "number" Integer "number",
    "url" Text "url",
    "detail" Text "detail",
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
            Self::Urls => format!("SELECT {list} FROM {URLS_FROM} WHERE u.run = ?1 ORDER BY u.number"),
            Self::Pages => format!("SELECT {list} FROM {PAGES_FROM}"),
            Self::Links => format!("SELECT {list} FROM {FROM_LINKS} WHERE l.run = ?1 ORDER BY l.source, j.key"),
            Self::Receipt => format!(
                "SELECT {list} FROM ({ENDS}) AS u GROUP BY u.disposition, u.reason ORDER BY u.disposition, u.reason"
            ),
            Self::Nodes => format!("SELECT {list} FROM nodes AS n WHERE n.run = ?1 ORDER BY n.number"),
            Self::Edges => format!("SELECT {list} FROM {FROM_EDGES} WHERE e.run = ?1 ORDER BY e.source, e.target"),
            Self::Issues => format!("SELECT {list} FROM ({}) ORDER BY check_id, number", super::issues::sql()),
        }
    }
}

impl Contents<'_> {
    /// Reads the rows of a table in order, on this thread, until all are read or `each` stops it.
    pub fn scan(
        self,
        run: i64,
        table: Table,
        columns: &[Column],
        mut each: impl FnMut(&[Value<'_>]) -> ControlFlow<()>,
    ) -> Result<(), DatabaseError> {
        self.read_here("cannot read the table", |connection| {
            catalog::find_run(connection, run)?;
            if table == Table::Issues {
                functions::unpack_links(connection, run)?;
            }
            let mut select = connection.prepare(&table.sql(columns))?;
            let mut rows = select.query([run])?;
            while let Some(row) = rows.next()? {
                let values: Result<Vec<Value<'_>>, Failure> =
                    (0..columns.len()).map(|at| Ok(value(row.get_ref(at)?))).collect();
                if each(&values?).is_break() {
                    break;
                }
            }
            drop(rows);
            drop(select);
            if table == Table::Issues {
                functions::drop_unpacked(connection)?;
            }
            Ok(())
        })
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
