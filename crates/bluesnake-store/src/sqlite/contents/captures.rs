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
        /// Its URL.
        pub url: String,
        /// Why.
        pub error: String,
        /// When it was requested: unix time in milliseconds.
        pub visited_at: i64,
    }
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

    /// The first failed pages of a capture.
    pub async fn capture_errors(self, run: i64, limit: usize) -> Result<Vec<FailedPage>, DatabaseError> {
        let sql = format!(
            "SELECT u.url, coalesce(v.error, 'HTTP ' || v.status, u.reason), v.visited_at
             FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
             WHERE v.run = ?1 AND {HAS_FAILED} ORDER BY v.number LIMIT ?2"
        );
        self.list("cannot read the capture", sql, (run, limit)).await
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
