//! Reads a run: its counts, what is broken, and what links where.

use bluesnake_engine::{CanonicalUrl, Disposition, Number, Reason, Receipt};
use rusqlite::{Connection, params};

use super::Contents;
use super::grid::sources_of;
use super::links::{LinkRow, links_at, links_of_page, list_of};
use crate::error::DatabaseError;
use crate::sqlite::columns::{list, one, rows};
use crate::sqlite::commit::hash_of;
use crate::sqlite::packed;

rows! {
    /// A URL with an error, and where it is linked from.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BrokenUrl {
        /// Its URL.
        pub url: String,
        /// Status, if there was a response.
        pub status: Option<i64>,
        /// The reason.
        pub reason: Reason,
        /// The page where it was first found.
        pub found_at: Option<String>,
    }

    /// Where a seed ended up.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SeedFate {
        /// Its URL.
        pub url: String,
        /// Where it ended up, and why.
        pub reason: Reason,
        /// The error, as a sentence.
        pub error: Option<String>,
        /// Details of the rule that refused it.
        pub detail: Option<String>,
        /// The session that visited it.
        pub session: Option<i64>,
        /// The status of its response, if there was one.
        pub status: Option<i64>,
    }

    /// A page and its duration.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SlowPage {
        /// Its URL.
        pub url: String,
        /// Microseconds.
        pub total_us: i64,
    }

    /// A URL truncated by a limit.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CutUrl {
        /// Its URL.
        pub url: String,
        /// Links beyond the limit per page.
        pub links_cut: i64,
        /// Why the body is incomplete, by name.
        pub cut: Option<String>,
        /// Anything else to report.
        pub note: Option<String>,
    }
}

/// What counts as broken, of tables called `u` and `v`. Whoever refuses automated requests may have a working page.
const IS_BROKEN: &str = "u.task NOT IN ('sitemap', 'robots') AND coalesce(v.status, 0) NOT IN (401, 403, 429)
    AND (u.disposition = 'failed' OR u.reason IN ('client_error', 'server_error', 'redirect_loop', 'bad_location'))";

impl SeedFate {
    /// Whether it led to no page: it failed, was refused, or responded with an error.
    pub fn is_lost(&self) -> bool {
        self.is_error() || matches!(self.reason.disposition(), Disposition::Failed | Disposition::Refused)
    }

    /// Whether it responded with an error.
    pub fn is_error(&self) -> bool {
        matches!(self.reason, Reason::ClientError | Reason::ServerError)
    }
}

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
            let count = one(connection, &format!("SELECT count(*) FROM {visited} WHERE {is_broken}"), [run])?;
            let sql = format!(
                "SELECT u.url, v.status, u.disposition, u.reason, p.url FROM {visited}
                 LEFT JOIN urls AS p ON p.run = u.run AND p.number = u.parent
                 WHERE {is_broken} ORDER BY v.number LIMIT ?2"
            );
            Ok((list(connection, &sql, params![run, limit])?, count))
        })
        .await
    }

    /// How many visits had which HTTP status, ordered by status.
    pub async fn statuses(self, run: i64) -> Result<Vec<(i64, i64)>, DatabaseError> {
        let sql = "SELECT status, count(*) FROM visits WHERE run = ?1 AND status IS NOT NULL GROUP BY 1 ORDER BY 1";
        self.list("cannot read statuses", sql, [run]).await
    }

    /// The slowest pages.
    pub async fn slowest(self, run: i64, limit: usize) -> Result<Vec<SlowPage>, DatabaseError> {
        let sql = "SELECT u.url, v.total_us FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                   WHERE v.run = ?1 AND v.facts IS NOT NULL ORDER BY v.total_us DESC, v.number LIMIT ?2";
        self.list("cannot read slow pages", sql, (run, limit)).await
    }

    /// URLs truncated by limits, in number order, and how many there are.
    pub async fn cut(self, run: i64, limit: usize) -> Result<(Vec<CutUrl>, i64), DatabaseError> {
        self.read("cannot read what limits cut", move |connection| {
            let is_cut = "v.run = ?1 AND (v.links_cut > 0 OR v.cut IS NOT NULL OR v.note IS NOT NULL)";
            let count = one(connection, &format!("SELECT count(*) FROM visits AS v WHERE {is_cut}"), [run])?;
            let sql = format!(
                "SELECT u.url, v.links_cut, v.cut, v.note FROM visits AS v
                 JOIN urls AS u ON u.run = v.run AND u.number = v.number WHERE {is_cut} ORDER BY v.number LIMIT ?2"
            );
            Ok((list(connection, &sql, params![run, limit])?, count))
        })
        .await
    }

    /// Where the seeds of a run ended up. For a seed that redirects, the target of the redirects counts.
    pub async fn seed_fates(self, run: i64) -> Result<Vec<SeedFate>, DatabaseError> {
        // CROSS JOIN keeps the order; otherwise SQLite may compare every URL with every other.
        let sql = "WITH RECURSIVE way (seed, number, step) AS (
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
         WHERE n.run = ?1 AND n.depth = 0";
        self.list("cannot read the seeds of a run", sql, [run]).await
    }

    /// The icons declared by the first page of a run.
    pub async fn icons(self, run: i64) -> Result<Vec<String>, DatabaseError> {
        let sql = "SELECT coalesce(facts ->> 'icons', '[]') FROM visits
                   WHERE run = ?1 AND facts IS NOT NULL ORDER BY number LIMIT 1";
        let icons: Option<String> = self.first("cannot read the icons of a site", sql, [run]).await?;
        Ok(icons.and_then(|icons| serde_json::from_str(&icons).ok()).unwrap_or_default())
    }

    /// The number of a URL in a run.
    pub async fn number_of(self, run: i64, url: &CanonicalUrl) -> Result<Option<Number>, DatabaseError> {
        // Equivalent spellings share a hash; the exact one comes first.
        let sql = "SELECT number FROM urls WHERE run = ?1 AND hash = ?2 ORDER BY url <> ?3, number LIMIT 1";
        self.first("cannot look up the URL", sql, (run, hash_of(url), url.as_str().to_owned())).await
    }

    /// The links of a page, in document order.
    pub async fn outlinks(self, run: i64, page: Number, limit: usize) -> Result<Vec<LinkRow>, DatabaseError> {
        let sql = links_of_page("ORDER BY j.key LIMIT ?3");
        self.list("cannot read the links of a page", sql, (run, page.0, limit)).await
    }

    /// The links to a URL, ordered by page.
    pub async fn inlinks(self, run: i64, to: Number, limit: usize) -> Result<Vec<LinkRow>, DatabaseError> {
        self.read("cannot read the links to a page", move |connection| {
            let mut links = Vec::new();
            // Without an audit every list is read: that costs less than keeping them sorted by target.
            let sources = match sources_of(connection, run, to.0)? {
                Some(sources) => sources,
                None => list(connection, "SELECT source FROM link_lists WHERE run = ?1 ORDER BY source", [run])?,
            };
            for source in sources {
                let list = list_of(connection, run, source)?;
                let places = packed::links(&list).enumerate().filter(|(_, (target, _))| *target == to.0);
                links.extend(links_at(connection, run, source, places.take(limit - links.len()))?);
                if links.len() == limit {
                    break;
                }
            }
            Ok(links)
        })
        .await
    }
}

/// Where everything a run has seen ended up: URLs, or the hosts of a graph. `?1` is the run.
pub(in crate::sqlite) const ENDS: &str = "SELECT disposition, reason FROM urls WHERE run = ?1
    UNION ALL SELECT disposition, reason FROM nodes WHERE run = ?1
    UNION ALL SELECT 'refused', reason FROM refused_hosts WHERE run = ?1";

pub(in crate::sqlite) fn receipt(connection: &Connection, run: i64) -> rusqlite::Result<Receipt> {
    let sql = format!("SELECT disposition, reason, count(*) FROM ({ENDS}) GROUP BY 1, 2");
    Ok(list::<(Reason, u64)>(connection, &sql, [run])?.into_iter().collect())
}
