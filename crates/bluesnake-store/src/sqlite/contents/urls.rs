//! Paged lists of a run's URLs: filtered, sorted, with bounded work per page.
//!
//! In number order a page reads at most [`SCANNED`] rows; if too few of them match, it ends early with the position
//! to continue from. Any other order reads all rows of the run for each page and keeps only the best: one to two
//! seconds for a million URLs. A time limit stops queries that take too long.

use bluesnake_engine::{Action, Reason, Source, Task};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use serde::{Deserialize, Serialize};

use super::Contents;
use super::filters::{Conditions, UrlFilter};
use super::tables::URLS_FROM;
use crate::error::DatabaseError;
use crate::sqlite::columns::{Columns, FromColumns, list, one, rows};
use crate::sqlite::{Failure, catalog};
use crate::state::words;

/// How many rows to read for one page in number order.
const SCANNED: i64 = 50_000;
/// How many characters of a text to compare when sorting.
const SORTED_CHARACTERS: u32 = 256;
/// The columns of a [`UrlRecord`], of [`URLS_FROM`].
const RECORD: &str = "u.number, u.url, u.source, p.url, u.depth, u.action, u.disposition, u.reason, v.status,
    v.content_type, v.title, v.description, v.h1, v.h2, v.canonical, v.lang, v.word_count, v.links, v.content_hash,
    coalesce(v.session, u.session), u.kind, u.task, u.is_internal, r.url, coalesce(v.indexable, '-'), v.indexable_reason,
    v.body_bytes, v.wire_bytes, v.error, v.detail, v.visited_at, v.first_byte_us / 1000.0, v.total_us / 1000.0";

rows! {
    /// A URL of a run with its facts.
    #[derive(Clone, Debug, PartialEq)]
    pub struct UrlRecord {
        /// Its number.
        pub number: i64,
        /// The URL.
        pub url: String,
        /// Where it was first found.
        pub source: Source,
        /// The first page that links to it.
        pub parent_url: Option<String>,
        /// Distance from a seed in links.
        pub depth: Option<i64>,
        /// The classifier's decision.
        pub action: Action,
        /// Where it ended up, and why.
        pub reason: Reason,
        /// HTTP status.
        pub status: Option<i64>,
        /// Media type.
        pub content_type: Option<String>,
        /// Title.
        pub title: Option<String>,
        /// Meta description.
        pub description: Option<String>,
        /// The first h1.
        pub h1: Option<String>,
        /// The first h2.
        pub h2: Option<String>,
        /// The canonical URL declared by the page.
        pub canonical: Option<String>,
        /// Its language.
        pub lang: Option<String>,
        /// Words on it.
        pub word_count: Option<i64>,
        /// Links on it.
        pub links: Option<i64>,
        /// Fingerprint of its content.
        pub content_hash: Option<String>,
        /// The session that visited or found it.
        pub session: i64,
        /// The kind of the first link to it.
        pub kind: String,
        /// Its task.
        pub task: Task,
        /// Whether it belongs to the site.
        pub is_internal: bool,
        /// Where it redirects to.
        pub redirect_url: Option<String>,
        /// Yes, No or -.
        pub indexable: String,
        /// Why not.
        pub indexable_reason: Option<String>,
        /// Bytes of the body, decoded.
        pub body_bytes: Option<i64>,
        /// Bytes of the body as transferred.
        pub wire_bytes: Option<i64>,
        /// The error, as a sentence.
        pub error: Option<String>,
        /// Details of the rule that refused it.
        pub detail: Option<String>,
        /// Unix time in milliseconds.
        pub visited_at_ms: Option<i64>,
        /// Time to the first byte of the response.
        pub first_byte_ms: Option<f64>,
        /// Time of the whole visit.
        pub total_ms: Option<f64>,
    }
}

words! {
    /// What to sort URLs by. Missing values come first; equal values are in number order.
    #[derive(Default)]
    UrlSort {
        #[default]
        /// The number: cheap, whatever the size of the run.
        Number = "number",
        /// The URL.
        Url = "url",
        /// HTTP status.
        Status = "status",
        /// Links from a seed.
        Depth = "depth",
        /// How long the visit took.
        ResponseTime = "responseTime",
        /// Bytes of the body.
        Size = "size",
        /// Title.
        Title = "title",
        /// Words on the page.
        WordCount = "wordCount",
        /// Media type.
        ContentType = "contentType",
    }
}

words! {
    /// Sort direction.
    #[derive(Default)]
    Order {
        /// Ascending.
        #[default]
        Ascending = "asc",
        /// Descending.
        Descending = "desc",
    }
}

/// Which URLs to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlsOf {
    /// Everything a run has seen.
    Run(i64),
    /// What one session visited.
    Session(i64),
}

/// One page of URLs.
#[derive(Clone, Debug)]
pub struct UrlsQuery {
    /// Of which run or session.
    pub of: UrlsOf,
    /// Which.
    pub filter: UrlFilter,
    /// Sort key.
    pub sort: UrlSort,
    /// Sort direction.
    pub order: Order,
    /// Where the previous page ended.
    pub after: Option<UrlPosition>,
    /// Maximum number of rows.
    pub limit: usize,
}

/// A position between two rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlPosition(i64, SortKey);

/// The value that a row is sorted by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum SortKey {
    Integer(i64),
    Text(String),
}

/// Rows, and where to continue; `None` if these are the last.
#[derive(Clone, Debug)]
pub struct Slice<R, P> {
    /// The rows.
    pub rows: Vec<R>,
    /// Where the next page begins. There may be one even if this one is not full.
    pub next: Option<P>,
}

impl UrlSort {
    /// The sort key, from the tables `u` and `v`; never NULL.
    fn key(self) -> String {
        let text = |column| format!("substr(coalesce({column}, ''), 1, {SORTED_CHARACTERS})");
        let number = |column| format!("coalesce({column}, -1)");
        match self {
            Self::Number => number("u.number"),
            Self::Url => text("u.url"),
            Self::Status => number("v.status"),
            Self::Depth => number("u.depth"),
            Self::ResponseTime => number("v.total_us"),
            Self::Size => number("v.body_bytes"),
            Self::Title => text("v.title"),
            Self::WordCount => number("v.word_count"),
            Self::ContentType => text("v.content_type"),
        }
    }
}

impl Order {
    /// The direction in SQL, and the comparison with a value that comes later.
    fn sql(self) -> (&'static str, &'static str) {
        match self {
            Self::Ascending => ("ASC", ">"),
            Self::Descending => ("DESC", "<"),
        }
    }
}

impl Contents<'_> {
    /// One page of the URLs of a run or of a session.
    pub async fn urls_page(self, query: UrlsQuery) -> Result<Slice<UrlRecord, UrlPosition>, DatabaseError> {
        self.read_in_time("cannot read the URLs of a run", move |connection| {
            let range = Range::of(connection, query.of)?;
            match query.sort {
                UrlSort::Number => by_number(connection, &query, range),
                _ => by_key(connection, &query, range),
            }
        })
        .await
    }
}

/// The range of wanted rows.
#[derive(Clone, Copy, Debug)]
struct Range {
    run: i64,
    session: Option<i64>,
    first: i64,
    last: i64,
}

impl Range {
    fn of(connection: &Connection, of: UrlsOf) -> Result<Self, Failure> {
        let (run, session, bounds) = match of {
            UrlsOf::Run(run) => (run, None, (None, None)),
            UrlsOf::Session(session) => {
                let run = catalog::find_session(connection, session)?.run;
                let sql = "SELECT first_number, last_number FROM sessions WHERE id = ?1";
                (run, Some(session), one(connection, sql, [session])?)
            }
        };
        catalog::find_head(connection, run)?;
        let highest = one(connection, "SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1", [run])?;
        Ok(Self { run, session, first: bounds.0.unwrap_or(1), last: bounds.1.unwrap_or(highest) })
    }
}

/// A page in number order: reads a limited stretch of the table.
fn by_number(
    connection: &Connection,
    query: &UrlsQuery,
    range: Range,
) -> Result<Slice<UrlRecord, UrlPosition>, Failure> {
    let after = query.after.as_ref().map(|position| position.0);
    let (lowest, highest, end) = match query.order {
        Order::Ascending => {
            let from = after.map_or(range.first, |after| range.first.max(after.saturating_add(1)));
            let until = range.last.min(from.saturating_add(SCANNED - 1));
            (from, until, until)
        }
        Order::Descending => {
            let from = after.map_or(range.last, |after| range.last.min(after.saturating_sub(1)));
            let until = range.first.max(from.saturating_sub(SCANNED - 1));
            (until, from, until)
        }
    };
    let mut all = query.filter.conditions(range.run, range.session);
    all.between("u.number", lowest, highest);
    let (limit, (direction, _)) = (all.bind(query.limit as i64 + 1), query.order.sql());
    let sql =
        format!("SELECT {RECORD}, 0 FROM {URLS_FROM} WHERE {} ORDER BY u.number {direction} LIMIT {limit}", all.sql);
    let (rows, last) = read(connection, &sql, &all, query.limit)?;
    let next = last.map_or(end, |last| last.0);
    let has_more = match query.order {
        Order::Ascending => next < range.last,
        Order::Descending => next > range.first,
    };
    Ok(Slice { rows, next: has_more.then_some(UrlPosition(next, SortKey::Integer(next))) })
}

/// A page in any other order: the best of all rows after the last page.
fn by_key(connection: &Connection, query: &UrlsQuery, range: Range) -> Result<Slice<UrlRecord, UrlPosition>, Failure> {
    let (key, (direction, comes_after)) = (query.sort.key(), query.order.sql());
    let mut all = query.filter.conditions(range.run, range.session);
    if range.session.is_some() {
        all.between("u.number", range.first, range.last);
    }
    if let Some(UrlPosition(number, value)) = &query.after {
        let value = match value.clone() {
            SortKey::Integer(number) => all.bind(number),
            SortKey::Text(text) => all.bind(text),
        };
        let number = all.bind(*number);
        all.and(&format!("({key}, u.number) {comes_after} ({value}, {number})"));
    }
    let limit = all.bind(query.limit as i64 + 1);
    let sql = format!(
        "WITH best AS MATERIALIZED (
             SELECT u.number AS number, {key} AS sort_key
             FROM urls AS u LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
             WHERE {} ORDER BY sort_key {direction}, u.number {direction} LIMIT {limit})
         SELECT {RECORD}, best.sort_key FROM best CROSS JOIN {URLS_FROM}
         WHERE u.run = ?1 AND u.number = best.number ORDER BY best.sort_key {direction}, best.number {direction}",
        all.sql,
    );
    let (rows, next) = read(connection, &sql, &all, query.limit)?;
    Ok(Slice { rows, next })
}

/// Reads at most `limit` rows; if there is another one, also returns the position after the last.
fn read(
    connection: &Connection,
    sql: &str,
    all: &Conditions,
    limit: usize,
) -> Result<(Vec<UrlRecord>, Option<UrlPosition>), Failure> {
    let mut rows: Vec<(UrlRecord, SortKey)> = list(connection, sql, params_from_iter(&all.values))?;
    let is_full = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| is_full).map(|(row, key)| UrlPosition(row.number, key.clone()));
    Ok((rows.into_iter().map(|(row, _)| row).collect(), next))
}

impl FromColumns for SortKey {
    fn from_columns(columns: &mut Columns<'_>) -> rusqlite::Result<Self> {
        Ok(match columns.column()? {
            Sql::Text(text) => Self::Text(text),
            Sql::Integer(number) => Self::Integer(number),
            _ => Self::Integer(-1),
        })
    }
}
