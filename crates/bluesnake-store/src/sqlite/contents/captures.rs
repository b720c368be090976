//! The state of captures: their figures, failed pages, and redirects.

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::catalog::{RunCounts, counts};
use crate::sqlite::columns::{list, one, rows};

rows! {
    /// The figures of a capture.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CaptureFigures {
        /// Unique pages.
        pub pages: i64,
        /// Duplicate URLs.
        pub duplicates: i64,
        /// Number of failed pages.
        pub failed: i64,
        /// Downloaded pages.
        pub downloaded: i64,
        /// Pages that the server reported as unchanged.
        pub not_modified: i64,
        /// Pages used from the cache without a request.
        pub from_cache: i64,
        /// Words of all pages.
        pub words: i64,
        /// Tokens of all pages by o200k_base.
        pub tokens_o200k: i64,
        /// Tokens of all pages by cl100k_base.
        pub tokens_cl100k: i64,
    }

    /// A failed page of a capture.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FailedPage {
        /// The capture.
        pub run: i64,
        /// The project of the capture.
        pub project: i64,
        /// `host[:port]` of the project.
        pub host: String,
        /// Its number in the run.
        pub number: i64,
        /// Its URL.
        pub url: String,
        /// Why.
        pub error: String,
        /// When it was requested: unix time in milliseconds.
        pub visited_at: i64,
    }
}

/// Which failed pages to list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailedPages {
    /// Only of this project.
    pub project: Option<i64>,
    /// Only of this capture.
    pub run: Option<i64>,
    /// Only those requested at this time or later: unix time in milliseconds.
    pub since: Option<i64>,
}

/// Pages that failed, of the tables `u` and `v`.
const HAS_FAILED: &str = "(u.disposition = 'failed' OR (u.task = 'page' AND v.status >= 400))";

impl Contents<'_> {
    /// The figures of a capture and its number of URLs, in one snapshot while it is being written.
    pub async fn capture_figures(self, run: i64) -> Result<(CaptureFigures, RunCounts), DatabaseError> {
        self.read("cannot read the capture", move |connection| {
            let moment = connection.unchecked_transaction()?;
            Ok((one(&moment, &figures(), [run])?, counts(&moment, run, None)?))
        })
        .await
    }

    /// How many pages of a capture belong to each seed, by seed index.
    pub async fn capture_bases(self, run: i64) -> Result<Vec<(i64, i64)>, DatabaseError> {
        let sql = "SELECT u.base, count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                   WHERE v.run = ?1 AND v.is_unique_page GROUP BY u.base ORDER BY u.base";
        self.list("cannot read the capture", sql, [run]).await
    }

    /// The failed pages of captures: newest capture first, then by number; those after a row (run and number).
    pub async fn failed_pages(
        self,
        filter: FailedPages,
        after: Option<(i64, i64)>,
        limit: usize,
    ) -> Result<Vec<FailedPage>, DatabaseError> {
        let runs = "SELECT id FROM runs WHERE kind = 'capture' AND is_deleted = 0 AND id <= ?1
                        AND (?2 IS NULL OR project = ?2) AND (?3 IS NULL OR id = ?3) ORDER BY id DESC";
        let of_run = format!(
            "SELECT r.id, r.project, p.host, u.number, u.url, coalesce(v.error, 'HTTP ' || v.status, u.reason), v.visited_at
             FROM visits AS v
             JOIN urls AS u ON u.run = v.run AND u.number = v.number
             JOIN runs AS r ON r.id = v.run
             JOIN projects AS p ON p.id = r.project
             WHERE v.run = ?1 AND v.number > ?2 AND v.visited_at >= ?3 AND {HAS_FAILED} ORDER BY v.number LIMIT ?4"
        );
        let (first, number) = after.unwrap_or((i64::MAX, 0));
        self.read("cannot read failed pages", move |connection| {
            let mut failed: Vec<FailedPage> = Vec::new();
            for run in list::<i64>(connection, runs, (first, filter.project, filter.run))? {
                let after = if run == first { number } else { 0 };
                let since = filter.since.unwrap_or(i64::MIN);
                failed.extend(list::<FailedPage>(connection, &of_run, (run, after, since, limit - failed.len()))?);
                if failed.len() >= limit {
                    break;
                }
            }
            Ok(failed)
        })
        .await
    }

    /// The redirects of a capture, in number order. On this thread.
    pub fn redirects(self, run: i64) -> Result<Vec<(String, String)>, DatabaseError> {
        let sql = "SELECT u.url, t.url FROM visits AS v
                   JOIN urls AS u ON u.run = v.run AND u.number = v.number
                   JOIN urls AS t ON t.run = v.run AND t.number = v.redirect_to
                   WHERE v.run = ?1 ORDER BY v.number";
        self.read_here("cannot read redirects", |connection| Ok(list(connection, sql, [run])?))
    }
}

/// The query for [`CaptureFigures`]. A page that was also served as Markdown is exported from that, so its own text does
/// not count.
fn figures() -> String {
    format!(
        "SELECT * FROM
            (SELECT coalesce(sum(v.is_unique_page), 0),
                coalesce(sum(v.duplicate_of IS NOT NULL), 0),
                coalesce(sum({HAS_FAILED}), 0),
                coalesce(sum(v.was_fetched AND u.task = 'page' AND NOT v.is_from_cache), 0),
                coalesce(sum(v.is_from_cache = 2), 0),
                coalesce(sum(v.is_from_cache = 1), 0)
             FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number WHERE v.run = ?1),
            (SELECT coalesce(sum(d.words), 0), coalesce(sum(d.tokens_o200k), 0), coalesce(sum(d.tokens_cl100k), 0)
             FROM documents AS d JOIN visits AS v ON v.run = d.run AND v.number = d.number
             WHERE d.run = ?1 AND d.number NOT IN (
                SELECT twin.duplicate_of FROM documents AS own
                JOIN visits AS twin ON twin.run = own.run AND twin.number = own.number
                WHERE own.run = ?1 AND twin.duplicate_of IS NOT NULL))"
    )
}
