//! Paged lists of a run's links, in document order.
//!
//! Links are packed in one list per document. Lists are read from where the last page ended; only documents that can
//! contain a match are examined further. After a bounded amount of work a page ends, full or not.

use bluesnake_engine::LinkKind;
use bluesnake_engine::link::Position;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::Contents;
use super::filters::{Conditions, StatusFilter};
use super::urls::Slice;
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, from_row, rows};
use crate::sqlite::functions::FROM_LINKS;
use crate::sqlite::{Failure, catalog, packed};

/// The work limit for one page, in links that are only unpacked.
const WORK: usize = 1_000_000;
/// The cost of a link whose text and ends are looked up.
const LOOKED_UP: usize = 20;

rows! {
    /// A link, with facts about both ends.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LinkRow {
        /// The page that contains it.
        pub source_number: i64,
        /// Its URL.
        pub source_url: String,
        /// Its index among the links of that page, from 0.
        pub ordinal: i64,
        /// The target.
        pub target_number: i64,
        /// Its URL.
        pub target_url: String,
        /// The kind of link.
        pub kind: String,
        /// The anchor text.
        pub text: String,
        /// Text around the link.
        pub context: String,
        /// Position on the page.
        pub position: String,
        /// The DOM path.
        pub dom_path: String,
        /// The form of the reference.
        pub path_type: String,
        /// Which form of the page has it.
        pub origin: String,
        /// `rel` and `target` flags.
        pub rel: i64,
        /// Whether the target belongs to the site.
        pub is_internal: bool,
        /// Status of the target, if there was a response.
        pub status: Option<i64>,
        /// Title of the target.
        pub title: Option<String>,
        /// Media type of the target.
        pub content_type: Option<String>,
        /// The classifier's decision on the target.
        pub action: String,
    }
}

/// The links of one page of a run, narrowed or ordered by what follows.
pub(in crate::sqlite) fn links_of_page(rest: &str) -> String {
    format!(
        "SELECT l.source, s.url, j.key, t.number, t.url, k.word, a.text, link_context(c.packed, j.key, a.text),
            p.position, p.dom_path, p.path_type, p.origin, p.rel, t.is_internal, v.status, v.title, v.content_type,
            t.action
         FROM {FROM_LINKS} WHERE l.run = ?1 AND l.source = ?2 {rest}"
    )
}

/// One link: `?1` is the run, then its page, its index there, its target and its anchor. The join order is deliberate.
const ONE_LINK: &str = "SELECT s.number, s.url, ?3, t.number, t.url, k.word, a.text,
        link_context(c.packed, ?3, a.text), p.position, p.dom_path, p.path_type, p.origin, p.rel, t.is_internal,
        v.status, v.title, v.content_type, t.action
    FROM urls AS s
    CROSS JOIN urls AS t ON t.run = ?1 AND t.number = ?4
    CROSS JOIN anchors AS a ON a.run = ?1 AND a.id = ?5
    CROSS JOIN places AS p ON p.run = ?1 AND p.id = a.place
    CROSS JOIN link_kinds AS k ON k.id = p.kind
    LEFT JOIN contexts AS c ON c.id = (?1 << 32) + ?2
    LEFT JOIN visits AS v ON v.run = ?1 AND v.number = ?4
    WHERE s.run = ?1 AND s.number = ?2";

/// The links of a document at these places: index, target and anchor.
pub(super) fn links_at(
    connection: &Connection,
    run: i64,
    source: u32,
    places: impl Iterator<Item = (usize, (u32, u32))>,
) -> rusqlite::Result<Vec<LinkRow>> {
    let mut select = connection.prepare_cached(ONE_LINK)?;
    let link = |(ordinal, (target, anchor))| select.query_row((run, source, ordinal, target, anchor), from_row);
    places.map(link).collect()
}

/// The packed links of a document, if it has some.
pub(super) fn list_of(connection: &Connection, run: i64, source: u32) -> rusqlite::Result<Vec<u8>> {
    let sql = "SELECT list FROM link_lists WHERE run = ?1 AND source = ?2";
    Ok(first(connection, sql, (run, source))?.unwrap_or_default())
}

/// Filters links; unset fields match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFilter {
    /// The number of their page.
    pub source: Option<i64>,
    /// The number of their target.
    pub target: Option<i64>,
    /// Their kind.
    pub kind: Option<LinkKind>,
    /// Position on the page.
    pub position: Option<Position>,
    /// Whether the link is followed.
    pub follow: Option<bool>,
    /// Whether the target belongs to the site.
    pub is_internal: Option<bool>,
    /// The status of their target.
    pub status: Option<StatusFilter>,
    /// Substring of their text or their target's URL, ignoring the case of ASCII letters.
    pub search: Option<String>,
}

/// One page of links.
#[derive(Clone, Debug)]
pub struct LinksQuery {
    /// Of which run.
    pub run: i64,
    /// Which.
    pub filter: LinkFilter,
    /// Where the previous page ended.
    pub after: Option<LinkPosition>,
    /// Maximum number of rows.
    pub limit: usize,
}

/// The position after a link: the number of its document, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPosition(i64, i64);

impl Contents<'_> {
    /// One page of the links of a run.
    pub async fn links_page(self, query: LinksQuery) -> Result<Slice<LinkRow, LinkPosition>, DatabaseError> {
        self.read_in_time("cannot read the links of a run", move |connection| {
            catalog::find_head(connection, query.run)?;
            links_page(connection, &query)
        })
        .await
    }
}

fn links_page(connection: &Connection, query: &LinksQuery) -> Result<Slice<LinkRow, LinkPosition>, Failure> {
    let LinkPosition(after_source, after_ordinal) = query.after.unwrap_or(LinkPosition(0, -1));
    let (first, last) = match query.filter.source {
        Some(source) => (source.max(after_source), source),
        None => (after_source, i64::MAX),
    };
    let filter = query.filter.conditions();
    let sql = links_of_page(&format!("{} AND j.key > ?3 ORDER BY j.key LIMIT ?4", filter.sql));
    let mut links = connection.prepare_cached(&sql)?;
    let mut lists = connection.prepare_cached(
        "SELECT source, list FROM link_lists WHERE run = ?1 AND source BETWEEN ?2 AND ?3 ORDER BY source",
    )?;
    let mut documents = lists.query(params![query.run, first, last])?;
    let (mut rows, mut work) = (Vec::new(), 0);
    while let Some(document) = documents.next()? {
        let source: i64 = document.get(0)?;
        if work >= WORK {
            // The previous document was the last one examined.
            return Ok(Slice { rows, next: Some(LinkPosition(source - 1, i64::MAX)) });
        }
        let list = document.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        work += packed::links(list).count();
        let is_named = |target: i64| packed::links(list).any(|(to, _)| i64::from(to) == target);
        if query.filter.target.is_some_and(|target| !is_named(target)) {
            continue;
        }
        work += LOOKED_UP * packed::links(list).count();
        let after = if source == after_source { after_ordinal } else { -1 };
        let wanted = query.limit + 1 - rows.len();
        let place = [query.run, source, after, wanted as i64].map(Sql::Integer);
        let found = links.query_map(params_from_iter(place.iter().chain(&filter.values)), from_row)?;
        rows.extend(found.collect::<rusqlite::Result<Vec<_>>>()?);
        if rows.len() > query.limit {
            rows.truncate(query.limit);
            let next = rows.last().map(|link: &LinkRow| LinkPosition(link.source_number, link.ordinal));
            return Ok(Slice { rows, next });
        }
    }
    Ok(Slice { rows, next: None })
}

impl LinkFilter {
    /// The conditions for one document, after its own four values.
    fn conditions(&self) -> Conditions {
        let mut all = Conditions::behind(4);
        all.compare("j.value ->> 0 =", self.target);
        all.compare_name("k.word =", self.kind.map(LinkKind::as_str));
        all.compare_name("p.position =", self.position.map(Position::as_str));
        all.compare("p.rel & 1 =", self.follow.map(|follow| !follow));
        all.compare("t.is_internal =", self.is_internal);
        all.contains(&["a.text", "t.url"], self.search.as_deref());
        all.status(self.status);
        all
    }
}
