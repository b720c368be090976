//! Paged lists of a run's URLs: filtered, sorted, with bounded work per page.
//!
//! In number order a page reads at most [`SCANNED`] rows; if too few of them match, it ends early with the position
//! to continue from. Any other order reads all rows of the run for each page and keeps only the best: one to two
//! seconds for a million URLs. A time limit stops queries that take too long.

use std::str::FromStr;

use bluesnake_engine::{Action, Disposition};
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params_from_iter};
use serde::{Deserialize, Serialize};

use super::Contents;
use super::tables::{URLS_FROM, columns_named};
use crate::error::DatabaseError;
use crate::rows::{TypeCounts, UrlRecord};
use crate::sqlite::{Failure, catalog};
use crate::state::words;

/// How many rows to read for one page in number order.
const SCANNED: i64 = 50_000;
/// How many characters of a text to compare when sorting.
const SORTED_CHARACTERS: u32 = 256;

words! {
    /// The type of the response, by its media type.
    #[derive(Default)]
    PageType {
        /// Any, including URLs that were not requested.
        #[default]
        All = "all",
        /// HTML.
        Html = "html",
        /// Stylesheets.
        Css = "css",
        /// Scripts.
        Javascript = "javascript",
        /// Images.
        Images = "images",
        /// Fonts.
        Fonts = "fonts",
        /// Any other requested URL, including failed ones.
        Others = "others",
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

/// Filters by status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusFilter {
    /// One status.
    Exact(u16),
    /// Every status with this first digit.
    Class(u8),
}

/// Filters URLs; unset fields match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlFilter {
    /// Type of the response.
    pub page_type: PageType,
    /// Where it ended up.
    pub disposition: Option<Disposition>,
    /// The classifier's decision.
    pub action: Option<Action>,
    /// Its status.
    pub status: Option<StatusFilter>,
    /// Prefix of its media type, case-insensitive.
    pub content_type: Option<String>,
    /// Minimum depth.
    pub min_depth: Option<u32>,
    /// Maximum depth.
    pub max_depth: Option<u32>,
    /// Substring of its URL, title or description, ignoring the case of ASCII letters.
    pub search: Option<String>,
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

impl FromStr for StatusFilter {
    type Err = ();

    /// Parses `404` or `4xx`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let is_number = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.as_bytes() {
            [digit @ b'1'..=b'9', b'x' | b'X', b'x' | b'X'] => Ok(Self::Class(digit - b'0')),
            _ if is_number => text.parse().map(Self::Exact).map_err(|_| ()),
            _ => Err(()),
        }
    }
}

impl PageType {
    /// The type of a media type; never `All`.
    pub fn of(media_type: &str) -> Self {
        let lower = media_type.to_ascii_lowercase();
        match lower.as_str() {
            "text/html" | "application/xhtml+xml" => Self::Html,
            "text/css" => Self::Css,
            "application/vnd.ms-fontobject" => Self::Fonts,
            word if word.ends_with("javascript") || word.ends_with("ecmascript") => Self::Javascript,
            word if word.starts_with("image/") => Self::Images,
            word if ["font/", "application/font-", "application/x-font-"]
                .iter()
                .any(|start| word.starts_with(start)) =>
            {
                Self::Fonts
            }
            _ => Self::Others,
        }
    }
}

impl TypeCounts {
    /// The count of one type.
    pub(in crate::sqlite) fn of(&mut self, page_type: PageType) -> &mut i64 {
        match page_type {
            PageType::Html => &mut self.html,
            PageType::Css => &mut self.css,
            PageType::Javascript => &mut self.javascript,
            PageType::Images => &mut self.images,
            PageType::Fonts => &mut self.fonts,
            PageType::Others | PageType::All => &mut self.others,
        }
    }
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
    fn direction(self) -> &'static str {
        match self {
            Self::Ascending => "ASC",
            Self::Descending => "DESC",
        }
    }

    fn is_behind(self) -> &'static str {
        match self {
            Self::Ascending => ">",
            Self::Descending => "<",
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

/// The columns of [`record`], by their names in exports.
const COLUMNS: [&str; 35] = [
    "number",
    "url",
    "source",
    "parent_url",
    "depth",
    "action",
    "disposition",
    "reason",
    "status",
    "content_type",
    "title",
    "meta_description",
    "h1",
    "h2",
    "canonical_url",
    "lang",
    "word_count",
    "links",
    "content_hash",
    "crawl_id",
    "kind",
    "task",
    "is_internal",
    "hops",
    "redirect_url",
    "indexable",
    "indexable_reason",
    "body_bytes",
    "wire_bytes",
    "error",
    "detail",
    "visited_at_ms",
    "attempts",
    "first_byte_ms",
    "total_ms",
];

fn columns() -> String {
    columns_named(&COLUMNS)
}

fn record(row: &Row<'_>) -> rusqlite::Result<UrlRecord> {
    Ok(UrlRecord {
        number: row.get(0)?,
        url: row.get(1)?,
        source: row.get(2)?,
        parent_url: row.get(3)?,
        depth: row.get(4)?,
        action: row.get(5)?,
        disposition: row.get(6)?,
        reason: row.get(7)?,
        status: row.get(8)?,
        content_type: row.get(9)?,
        title: row.get(10)?,
        description: row.get(11)?,
        h1: row.get(12)?,
        h2: row.get(13)?,
        canonical: row.get(14)?,
        lang: row.get(15)?,
        word_count: row.get(16)?,
        links: row.get(17)?,
        content_hash: row.get(18)?,
        session: row.get(19)?,
        kind: row.get(20)?,
        task: row.get(21)?,
        is_internal: row.get(22)?,
        hops: row.get(23)?,
        redirect_url: row.get(24)?,
        indexable: row.get(25)?,
        indexable_reason: row.get(26)?,
        body_bytes: row.get(27)?,
        wire_bytes: row.get(28)?,
        error: row.get(29)?,
        detail: row.get(30)?,
        visited_at_ms: row.get(31)?,
        attempts: row.get(32)?,
        first_byte_ms: row.get(33)?,
        total_ms: row.get(34)?,
    })
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
                let bounds =
                    connection.prepare_cached(sql)?.query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))?;
                (run, Some(session), bounds)
            }
        };
        catalog::find_run(connection, run)?;
        let sql = "SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1";
        let highest: i64 = connection.prepare_cached(sql)?.query_row([run], |row| row.get(0))?;
        Ok(Self { run, session, first: bounds.0.unwrap_or(1), last: bounds.1.unwrap_or(highest) })
    }
}

/// Conditions and their values; values are only ever bound.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct Conditions {
    sql: String,
    values: Vec<Sql>,
    /// How many other values are bound before these.
    behind: usize,
}

impl Conditions {
    pub(in crate::sqlite) fn behind(others: usize) -> Self {
        Self { behind: others, ..Self::default() }
    }

    /// Adds a value and returns its placeholder.
    pub(in crate::sqlite) fn bind(&mut self, value: impl Into<Sql>) -> String {
        self.values.push(value.into());
        format!("?{}", self.behind + self.values.len())
    }

    pub(in crate::sqlite) fn and(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    pub(in crate::sqlite) fn status(&mut self, status: StatusFilter) {
        let (lowest, highest) = match status {
            StatusFilter::Exact(status) => (i64::from(status), i64::from(status)),
            StatusFilter::Class(digit) => (i64::from(digit) * 100, i64::from(digit) * 100 + 99),
        };
        let (lowest, highest) = (self.bind(lowest), self.bind(highest));
        self.and(&format!("v.status BETWEEN {lowest} AND {highest}"));
    }

    /// Requires one of these columns to contain a text.
    pub(in crate::sqlite) fn contains(&mut self, columns: &[&str], text: &str) {
        let text = self.bind(text.to_owned());
        let any: Vec<String> = columns.iter().map(|column| format!("contains_text({column}, {text})")).collect();
        self.and(&format!("({})", any.join(" OR ")));
    }

    pub(in crate::sqlite) fn sql(&self) -> &str {
        &self.sql
    }

    pub(in crate::sqlite) fn values(&self) -> impl Iterator<Item = &Sql> {
        self.values.iter()
    }
}

impl UrlFilter {
    fn conditions(&self, range: Range) -> Conditions {
        let mut all = Conditions::default();
        let run = all.bind(range.run);
        all.sql.push_str(&format!("u.run = {run}"));
        if let Some(disposition) = self.disposition {
            let word = all.bind(disposition.as_str().to_owned());
            all.and(&format!("u.disposition = {word}"));
        }
        if let Some(action) = self.action {
            let word = all.bind(action.as_str().to_owned());
            all.and(&format!("u.action = {word}"));
        }
        for (depth, compares) in [(self.min_depth, ">="), (self.max_depth, "<=")] {
            if let Some(depth) = depth {
                let depth = all.bind(depth);
                all.and(&format!("u.depth {compares} {depth}"));
            }
        }
        if let Some(session) = range.session {
            let session = all.bind(session);
            all.and(&format!("v.session = {session}"));
        }
        if self.page_type != PageType::All {
            let word = all.bind(self.page_type.as_str().to_owned());
            all.and(&format!("v.was_fetched = 1 AND page_type(v.content_type) = {word}"));
        }
        if let Some(status) = self.status {
            all.status(status);
        }
        if let Some(start) = &self.content_type {
            let start = all.bind(start.to_ascii_lowercase());
            all.and(&format!("substr(lower(v.content_type), 1, length({start})) = {start}"));
        }
        if let Some(text) = self.search.as_deref().filter(|text| !text.is_empty()) {
            all.contains(&["u.url", "v.title", "v.description"], text);
        }
        all
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
    let mut all = query.filter.conditions(range);
    let (low, high, limit) = (all.bind(lowest), all.bind(highest), all.bind(query.limit as i64 + 1));
    let sql = format!(
        "SELECT {}, 0 FROM {URLS_FROM} WHERE {} AND u.number BETWEEN {low} AND {high} ORDER BY u.number {} LIMIT {limit}",
        columns(),
        all.sql,
        query.order.direction()
    );
    let mut rows = read(connection, &sql, &all)?;
    let is_full = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = rows.last().filter(|_| is_full).map_or(end, |(last, _)| last.number);
    let next = Some(next).filter(|next| match query.order {
        Order::Ascending => *next < range.last,
        Order::Descending => *next > range.first,
    });
    let next = next.map(|number| UrlPosition(number, SortKey::Integer(number)));
    Ok(Slice { rows: rows.into_iter().map(|(row, _)| row).collect(), next })
}

/// A page in any other order: the best of all rows after the last page.
fn by_key(connection: &Connection, query: &UrlsQuery, range: Range) -> Result<Slice<UrlRecord, UrlPosition>, Failure> {
    let (key, direction) = (query.sort.key(), query.order.direction());
    let mut all = query.filter.conditions(range);
    if range.session.is_some() {
        let (low, high) = (all.bind(range.first), all.bind(range.last));
        all.and(&format!("u.number BETWEEN {low} AND {high}"));
    }
    if let Some(UrlPosition(number, value)) = &query.after {
        let value = match value.clone() {
            SortKey::Integer(number) => all.bind(number),
            SortKey::Text(text) => all.bind(text),
        };
        let number = all.bind(*number);
        all.and(&format!("({key}, u.number) {} ({value}, {number})", query.order.is_behind()));
    }
    let limit = all.bind(query.limit as i64 + 1);
    let sql = format!(
        "WITH best AS MATERIALIZED (
             SELECT u.number AS number, {key} AS sort_key
             FROM urls AS u LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
             WHERE {} ORDER BY sort_key {direction}, u.number {direction} LIMIT {limit})
         SELECT {}, best.sort_key FROM best CROSS JOIN {URLS_FROM}
         WHERE u.run = ?1 AND u.number = best.number ORDER BY best.sort_key {direction}, best.number {direction}",
        all.sql,
        columns(),
    );
    let mut rows = read(connection, &sql, &all)?;
    let is_full = rows.len() > query.limit;
    rows.truncate(query.limit);
    let next = rows.last().filter(|_| is_full).map(|(row, key)| UrlPosition(row.number, key.clone()));
    Ok(Slice { rows: rows.into_iter().map(|(row, _)| row).collect(), next })
}

fn read(connection: &Connection, sql: &str, all: &Conditions) -> Result<Vec<(UrlRecord, SortKey)>, Failure> {
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map(params_from_iter(all.values()), |row| {
        let key = match row.get(COLUMNS.len())? {
            Sql::Text(text) => SortKey::Text(text),
            Sql::Integer(number) => SortKey::Integer(number),
            _ => SortKey::Integer(-1),
        };
        Ok((record(row)?, key))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
