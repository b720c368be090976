//! The state of captures: their figures, failed pages, and redirects.

use rusqlite::{Connection, params};

use super::Contents;
use crate::error::DatabaseError;
use crate::rows::{CaptureFigures, FailedPage, RunCounts};
use crate::sqlite::catalog::counts;

impl Contents<'_> {
    /// The figures of a capture and its number of URLs, in one snapshot while it is being written.
    pub async fn capture_figures(self, run: i64) -> Result<(CaptureFigures, RunCounts), DatabaseError> {
        self.read("cannot read the capture", move |connection| {
            let moment = connection.unchecked_transaction()?;
            Ok((figures(&moment, run)?, counts(&moment, run, None)?))
        })
        .await
    }

    /// How many pages of a capture belong to each seed, by seed index.
    pub async fn capture_bases(self, run: i64) -> Result<Vec<(i64, i64)>, DatabaseError> {
        self.read("cannot read the capture", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT u.base, count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 WHERE v.run = ?1 AND v.is_unique_page GROUP BY u.base ORDER BY u.base",
            )?;
            let rows = select.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The first failed pages of a capture.
    pub async fn capture_errors(self, run: i64, limit: usize) -> Result<Vec<FailedPage>, DatabaseError> {
        self.read("cannot read the capture", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT u.url, coalesce(v.error, 'HTTP ' || v.status, u.reason), v.visited_at
                 FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 WHERE v.run = ?1 AND (u.disposition = 'failed' OR (u.task = 'page' AND v.status >= 400))
                 ORDER BY v.number LIMIT ?2",
            )?;
            let rows = select.query_map(params![run, limit], |row| {
                Ok(FailedPage { url: row.get(0)?, error: row.get(1)?, visited_at: row.get(2)? })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The redirects of a capture, in number order. On this thread.
    pub fn redirects(self, run: i64) -> Result<Vec<(String, String)>, DatabaseError> {
        self.read_here("cannot read redirects", |connection| {
            let mut select = connection.prepare_cached(
                "SELECT u.url, t.url FROM visits AS v
                 JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 JOIN urls AS t ON t.run = v.run AND t.number = v.redirect_to
                 WHERE v.run = ?1 ORDER BY v.number",
            )?;
            let rows = select.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }
}

fn figures(connection: &Connection, run: i64) -> rusqlite::Result<CaptureFigures> {
    let mut select = connection.prepare_cached(
        "SELECT coalesce(sum(v.is_unique_page), 0),
                coalesce(sum(v.duplicate_of IS NOT NULL), 0),
                coalesce(sum(u.disposition = 'failed' OR (u.task = 'page' AND v.status >= 400)), 0),
                coalesce(sum(v.was_fetched AND u.task = 'page' AND NOT v.is_from_cache), 0),
                coalesce(sum(v.is_from_cache = 2), 0),
                coalesce(sum(v.is_from_cache = 1), 0)
         FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number WHERE v.run = ?1",
    )?;
    let mut figures = select.query_row([run], |row| {
        Ok(CaptureFigures {
            pages: row.get(0)?,
            duplicates: row.get(1)?,
            failed: row.get(2)?,
            downloaded: row.get(3)?,
            not_modified: row.get(4)?,
            from_cache: row.get(5)?,
            ..CaptureFigures::default()
        })
    })?;
    // A page that was also served as Markdown is exported from that, so its own text does not count.
    let sql = "SELECT coalesce(sum(d.words), 0), coalesce(sum(d.tokens_o200k), 0), coalesce(sum(d.tokens_cl100k), 0)
               FROM documents AS d JOIN visits AS v ON v.run = d.run AND v.number = d.number
               WHERE d.run = ?1 AND d.number NOT IN (
                   SELECT twin.duplicate_of FROM documents AS own
                   JOIN visits AS twin ON twin.run = own.run AND twin.number = own.number
                   WHERE own.run = ?1 AND twin.duplicate_of IS NOT NULL)";
    connection.prepare_cached(sql)?.query_row([run], |row| {
        (figures.words, figures.tokens_o200k, figures.tokens_cl100k) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(())
    })?;
    Ok(figures)
}
