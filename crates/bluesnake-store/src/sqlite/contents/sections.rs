//! The text of captured pages by heading, and full-text search.
//!
//! A row id consists of the run, the page's number and the section's index in the page, from the high bits down.

use std::ops::RangeInclusive;

use bluesnake_engine::Number;
use bluesnake_engine::document::{Document, Section};
use rusqlite::{Transaction, params};

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::columns::rows;

rows! {
    /// A search match in captures.
    #[derive(Clone, Debug, PartialEq)]
    pub struct FoundSection {
        /// The capture.
        pub run: i64,
        /// The page.
        pub url: String,
        /// Its title.
        pub title: Option<String>,
        /// The heading of the section.
        pub heading: String,
        /// Its anchor id.
        pub anchor: Option<String>,
        /// Text around the match, which is enclosed in U+0002 and U+0003.
        pub snippet: String,
        /// The score; higher is better.
        pub score: f64,
    }
}

/// How many low bits hold the section index within a page.
const ORDINAL_BITS: u32 = 12;
/// How many low bits identify a section within a run.
const RUN_BITS: u32 = 40;
const NUMBER_MASK: i64 = (1 << (RUN_BITS - ORDINAL_BITS)) - 1;
const _: () = assert!(Document::MOST_SECTIONS == 1 << ORDINAL_BITS, "each section of a document has a row");

/// The row ids of a run.
pub(in crate::sqlite) fn of_run(run: i64) -> RangeInclusive<i64> {
    (run << RUN_BITS)..=((run + 1) << RUN_BITS) - 1
}

/// The row ids of a page.
fn of_page(run: i64, number: Number) -> RangeInclusive<i64> {
    let first = (run << RUN_BITS) + (i64::from(number.0) << ORDINAL_BITS);
    first..=first + (1 << ORDINAL_BITS) - 1
}

/// Sets the sections of a page, replacing existing ones.
pub(in crate::sqlite) fn put(
    transaction: &Transaction<'_>,
    run: i64,
    page: Number,
    title: Option<&str>,
    sections: &[Section],
) -> rusqlite::Result<()> {
    let rows = of_page(run, page);
    let mut delete = transaction.prepare_cached("DELETE FROM sections WHERE rowid BETWEEN ?1 AND ?2")?;
    delete.execute(params![rows.start(), rows.end()])?;
    let sql = "INSERT INTO sections (rowid, title, heading, text, anchor) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = transaction.prepare_cached(sql)?;
    for (row, Section { heading, text, anchor, .. }) in rows.zip(sections) {
        // The title counts once per page, not once per section.
        let title = title.filter(|_| row == *of_page(run, page).start());
        insert.execute(params![row, title, heading, text, anchor])?;
    }
    Ok(())
}

impl Contents<'_> {
    /// The best matches among the sections of these runs.
    pub async fn search_sections(
        self,
        runs: Vec<i64>,
        query: String,
        limit: usize,
    ) -> Result<Vec<FoundSection>, DatabaseError> {
        let runs = serde_json::to_string(&runs).expect("numbers are JSON");
        let sql = format!(
            "SELECT f.rowid >> {RUN_BITS}, u.url, d.title, f.heading, f.anchor,
                    snippet(sections, -1, char(2), char(3), '…', 24), -bm25(sections, 6.0, 3.0, 1.0)
             FROM sections AS f
             JOIN urls AS u ON u.run = f.rowid >> {RUN_BITS} AND u.number = (f.rowid >> {ORDINAL_BITS}) & {NUMBER_MASK}
             JOIN documents AS d ON d.run = u.run AND d.number = u.number
             WHERE sections MATCH ?1 AND (f.rowid >> {RUN_BITS}) IN (SELECT value FROM json_each(?2))
             ORDER BY bm25(sections, 6.0, 3.0, 1.0), f.rowid LIMIT ?3"
        );
        self.list("cannot search captures", sql, (query, runs, limit)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_ids_of_pages_and_runs_do_not_overlap() {
        let (one, next) = (of_page(7, Number(1)), of_page(7, Number(2)));
        assert_eq!(one.end() + 1, *next.start());
        let last = of_page(7, Number(NUMBER_MASK as u32));
        assert_eq!(last.end(), of_run(7).end());
        assert_eq!(of_run(7).end() + 1, *of_run(8).start());
    }
}
