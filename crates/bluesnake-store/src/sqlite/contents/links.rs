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
use super::read::{link_row, links_of_page};
use super::urls::{Conditions, Slice, StatusFilter};
use crate::error::DatabaseError;
use crate::rows::LinkRow;
use crate::sqlite::{Failure, catalog, packed};

/// The work limit for one page, in links that are only unpacked.
const WORK: usize = 1_000_000;
/// The cost of a link whose text and ends are looked up.
const LOOKED_UP: usize = 20;

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
            catalog::find_run(connection, query.run)?;
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
    let sql = links_of_page(&format!("{} AND j.key > ?3 ORDER BY j.key LIMIT ?4", filter.sql()));
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
        let found = links.query_map(params_from_iter(place.iter().chain(filter.values())), link_row)?;
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
        if let Some(target) = self.target {
            let target = all.bind(target);
            all.and(&format!("j.value ->> 0 = {target}"));
        }
        if let Some(kind) = self.kind {
            let word = all.bind(kind.as_str().to_owned());
            all.and(&format!("k.word = {word}"));
        }
        if let Some(position) = self.position {
            let word = all.bind(position.as_str().to_owned());
            all.and(&format!("p.position = {word}"));
        }
        if let Some(follow) = self.follow {
            let nofollow = all.bind(!follow);
            all.and(&format!("p.rel & 1 = {nofollow}"));
        }
        if let Some(is_internal) = self.is_internal {
            let is_internal = all.bind(is_internal);
            all.and(&format!("t.is_internal = {is_internal}"));
        }
        if let Some(text) = self.search.as_deref().filter(|text| !text.is_empty()) {
            all.contains(&["a.text", "t.url"], text);
        }
        if let Some(status) = self.status {
            all.status(status);
        }
        all
    }
}
