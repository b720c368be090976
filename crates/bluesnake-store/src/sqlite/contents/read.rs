//! Reads a run: its counts, what is broken, and what links where.

use bluesnake_engine::{CanonicalUrl, Number, Receipt};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::Contents;
use crate::error::DatabaseError;
use crate::rows::{BrokenUrl, CutUrl, LinkRow, SeedFate, SlowPage};
use crate::sqlite::commit::hash_of;
use crate::sqlite::functions::FROM_LINKS;
use crate::sqlite::packed;
use crate::sqlite::queue::reason;

/// The columns of [`link_row`], of [`FROM_LINKS`].
const LINK_COLUMNS: &str = "l.source, s.url, j.key, t.number, t.url, k.word, a.text,
    link_context(c.packed, j.key, a.text), p.position, p.dom_path, p.path_type, p.rel, t.is_internal, v.status, v.title,
    v.content_type, t.action";
/// What counts as broken, of a table called `u`.
const IS_BROKEN: &str = "u.task NOT IN ('sitemap', 'robots')
    AND (u.disposition = 'failed' OR u.reason IN ('client_error', 'server_error', 'redirect_loop', 'bad_location'))";

impl Contents<'_> {
    /// Where every URL of a run ended up.
    pub async fn receipt(self, run: i64) -> Result<Receipt, DatabaseError> {
        self.read("cannot read the receipt", move |connection| Ok(receipt(connection, run)?)).await
    }

    /// URLs with errors, in number order, and how many there are.
    pub async fn broken(self, run: i64, limit: usize) -> Result<(Vec<BrokenUrl>, i64), DatabaseError> {
        self.read("cannot read broken links", move |connection| {
            // Only visited URLs can be broken: millions of pending URLs need not be read.
            let visited = "visits AS v CROSS JOIN urls AS u ON u.run = v.run AND u.number = v.number";
            let is_broken = format!("v.run = ?1 AND (v.status >= 300 OR v.error IS NOT NULL) AND {IS_BROKEN}");
            let sql = format!("SELECT count(*) FROM {visited} WHERE {is_broken}");
            let count = connection.query_row(&sql, [run], |row| row.get(0))?;
            let sql = format!(
                "SELECT u.number, u.url, v.status, u.reason, p.url FROM {visited}
                 LEFT JOIN urls AS p ON p.run = u.run AND p.number = u.parent
                 WHERE {is_broken} ORDER BY v.number LIMIT ?2"
            );
            let mut select = connection.prepare(&sql)?;
            let rows = select.query_map(params![run, limit], |row| {
                Ok(BrokenUrl {
                    number: row.get(0)?,
                    url: row.get(1)?,
                    status: row.get(2)?,
                    reason: row.get(3)?,
                    found_at: row.get(4)?,
                })
            })?;
            Ok((rows.collect::<rusqlite::Result<_>>()?, count))
        })
        .await
    }

    /// How many visits had which HTTP status, ordered by status.
    pub async fn statuses(self, run: i64) -> Result<Vec<(i64, i64)>, DatabaseError> {
        self.read("cannot read statuses", move |connection| {
            let sql = "SELECT status, count(*) FROM visits WHERE run = ?1 AND status IS NOT NULL GROUP BY 1 ORDER BY 1";
            let mut select = connection.prepare_cached(sql)?;
            let rows = select.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The slowest pages.
    pub async fn slowest(self, run: i64, limit: usize) -> Result<Vec<SlowPage>, DatabaseError> {
        self.read("cannot read slow pages", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT u.url, v.total_us FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 WHERE v.run = ?1 AND v.facts IS NOT NULL ORDER BY v.total_us DESC, v.number LIMIT ?2",
            )?;
            let rows = select
                .query_map(params![run, limit], |row| Ok(SlowPage { url: row.get(0)?, total_us: row.get(1)? }))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// URLs truncated by limits, in number order, and how many there are.
    pub async fn cut(self, run: i64, limit: usize) -> Result<(Vec<CutUrl>, i64), DatabaseError> {
        self.read("cannot read what limits cut", move |connection| {
            let is_cut = "v.run = ?1 AND (v.links_cut > 0 OR v.cut IS NOT NULL OR v.note IS NOT NULL)";
            let sql = format!("SELECT count(*) FROM visits AS v WHERE {is_cut}");
            let count = connection.query_row(&sql, [run], |row| row.get(0))?;
            let sql = format!(
                "SELECT u.url, v.links_cut, v.cut, v.note FROM visits AS v
                 JOIN urls AS u ON u.run = v.run AND u.number = v.number WHERE {is_cut} ORDER BY v.number LIMIT ?2"
            );
            let mut select = connection.prepare(&sql)?;
            let rows = select.query_map(params![run, limit], |row| {
                Ok(CutUrl { url: row.get(0)?, links_cut: row.get(1)?, cut: row.get(2)?, note: row.get(3)? })
            })?;
            Ok((rows.collect::<rusqlite::Result<_>>()?, count))
        })
        .await
    }

    /// Where the seeds of a run ended up. For a seed that redirects, the target of the redirects counts.
    pub async fn seed_fates(self, run: i64) -> Result<Vec<SeedFate>, DatabaseError> {
        self.read("cannot read the seeds of a run", move |connection| {
            // CROSS JOIN keeps the order; otherwise SQLite may compare every URL with every other.
            let mut select = connection.prepare_cached(
                "WITH RECURSIVE way (seed, number, step) AS (
                     SELECT number, number, 0 FROM urls
                     WHERE run = ?1 AND source = 'initial' AND parent IS NULL AND task = 'page'
                     UNION ALL
                     SELECT w.seed, v.redirect_to, w.step + 1 FROM way AS w
                     CROSS JOIN visits AS v ON v.run = ?1 AND v.number = w.number
                     CROSS JOIN urls AS u ON u.run = ?1 AND u.number = v.redirect_to AND u.disposition <> 'refused'
                     WHERE w.step < 20
                 ), last (seed, number, step) AS (SELECT seed, number, max(step) FROM way GROUP BY seed)
                 SELECT s.url, u.disposition, u.reason, v.error, v.detail, v.session, v.status FROM last AS l
                 CROSS JOIN urls AS s ON s.run = ?1 AND s.number = l.seed
                 CROSS JOIN urls AS u ON u.run = ?1 AND u.number = l.number
                 LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
                 UNION ALL
                 SELECT n.host, n.disposition, n.reason, NULL, p.detail, p.session, p.status FROM nodes AS n
                 LEFT JOIN node_pages AS p ON p.run = n.run AND p.node = n.number AND p.ordinal = 0
                 WHERE n.run = ?1 AND n.depth = 0",
            )?;
            let rows = select.query_map([run], |row| {
                Ok(SeedFate {
                    url: row.get(0)?,
                    disposition: row.get(1)?,
                    reason: row.get(2)?,
                    error: row.get(3)?,
                    detail: row.get(4)?,
                    session: row.get(5)?,
                    status: row.get(6)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The icons declared by the first page of a run.
    pub async fn icons(self, run: i64) -> Result<Vec<String>, DatabaseError> {
        self.read("cannot read the icons of a site", move |connection| {
            let sql = "SELECT coalesce(facts ->> 'icons', '[]') FROM visits
                       WHERE run = ?1 AND facts IS NOT NULL ORDER BY number LIMIT 1";
            let icons: Option<String> = connection.query_row(sql, [run], |row| row.get(0)).optional()?;
            Ok(icons.and_then(|icons| serde_json::from_str(&icons).ok()).unwrap_or_default())
        })
        .await
    }

    /// The number of a URL in a run.
    pub async fn number_of(self, run: i64, url: &CanonicalUrl) -> Result<Option<Number>, DatabaseError> {
        let (url, hash) = (url.as_str().to_owned(), hash_of(url));
        self.read("cannot look up the URL", move |connection| {
            // Equivalent spellings share a hash; the exact one comes first.
            let sql = "SELECT number FROM urls WHERE run = ?1 AND hash = ?2 ORDER BY url <> ?3, number LIMIT 1";
            let number =
                connection.prepare_cached(sql)?.query_row(params![run, hash, url], |row| row.get(0)).optional()?;
            Ok(number.map(Number))
        })
        .await
    }

    /// The links of a page, in document order.
    pub async fn outlinks(self, run: i64, page: Number, limit: usize) -> Result<Vec<LinkRow>, DatabaseError> {
        self.read("cannot read the links of a page", move |connection| {
            let mut select = connection.prepare_cached(&links_of_page("ORDER BY j.key LIMIT ?3"))?;
            let rows = select.query_map(params![run, page.0, limit], link_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The links to a URL, ordered by page.
    pub async fn inlinks(self, run: i64, to: Number, limit: usize) -> Result<Vec<LinkRow>, DatabaseError> {
        self.read("cannot read the links to a page", move |connection| {
            let places = places_that_name(connection, run, to, limit)?;
            let mut select = connection.prepare_cached(&links_of_page("AND j.key = ?3"))?;
            let rows =
                places.into_iter().map(|(source, ordinal)| select.query_row(params![run, source, ordinal], link_row));
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

/// The links of one page of a run, narrowed or ordered by what follows.
pub(in crate::sqlite) fn links_of_page(rest: &str) -> String {
    format!("SELECT {LINK_COLUMNS} FROM {FROM_LINKS} WHERE l.run = ?1 AND l.source = ?2 {rest}")
}

/// Where everything a run has seen ended up: URLs, or the hosts of a graph. `?1` is the run.
pub(in crate::sqlite) const ENDS: &str = "SELECT disposition, reason FROM urls WHERE run = ?1
    UNION ALL SELECT disposition, reason FROM nodes WHERE run = ?1
    UNION ALL SELECT 'refused', reason FROM refused_hosts WHERE run = ?1";

pub(in crate::sqlite) fn receipt(connection: &Connection, run: i64) -> rusqlite::Result<Receipt> {
    let mut select =
        connection.prepare_cached(&format!("SELECT disposition, reason, count(*) FROM ({ENDS}) GROUP BY 1, 2"))?;
    let rows = select.query_map([run], |row| Ok((reason(row, 0)?, row.get(2)?)))?;
    rows.collect()
}

/// Page and index of the links to a URL. Reading every list costs less than keeping them sorted by target.
fn places_that_name(
    connection: &Connection,
    run: i64,
    to: Number,
    limit: usize,
) -> rusqlite::Result<Vec<(i64, usize)>> {
    let mut found = Vec::new();
    let mut select = connection.prepare_cached("SELECT source, list FROM link_lists WHERE run = ?1 ORDER BY source")?;
    let mut rows = select.query([run])?;
    while let Some(row) = rows.next()? {
        let source = row.get(0)?;
        for (ordinal, (target, _)) in packed::links(row.get_ref(1)?.as_blob()?).enumerate() {
            if target == to.0 {
                found.push((source, ordinal));
            }
            if found.len() == limit {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

pub(in crate::sqlite) fn link_row(row: &Row<'_>) -> rusqlite::Result<LinkRow> {
    Ok(LinkRow {
        source_number: row.get(0)?,
        source_url: row.get(1)?,
        ordinal: row.get(2)?,
        target_number: row.get(3)?,
        target_url: row.get(4)?,
        kind: row.get(5)?,
        text: row.get(6)?,
        context: row.get(7)?,
        position: row.get(8)?,
        dom_path: row.get(9)?,
        path_type: row.get(10)?,
        rel: row.get(11)?,
        is_internal: row.get(12)?,
        status: row.get(13)?,
        title: row.get(14)?,
        content_type: row.get(15)?,
        action: row.get(16)?,
    })
}
