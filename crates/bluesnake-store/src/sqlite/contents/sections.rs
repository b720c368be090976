//! The text of captured pages by heading, and full-text search.
//!
//! The column `title` has the whole path of a section, so that a section is found by what its page is about.
//!
//! A row id consists of the run, the page's number and the section's index in the page, from the high bits down.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use bluesnake_engine::Number;
use bluesnake_engine::document::{Document, Section};
use rusqlite::{Connection, Transaction, params};
use xxhash_rust::xxh3::xxh3_128;

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::columns::{one, rows};

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

/// A section that has words of a query.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The title of its page and the headings above it.
    pub path: &'a str,
    /// Its heading.
    pub heading: &'a str,
    /// Its text, or the first part of a very long one.
    pub text: &'a str,
    /// Its score in the index; higher is better.
    pub score: f64,
}

/// How many sections are compared at least. More do not change the first results.
const CANDIDATES: usize = 150;
/// How many characters of a section are compared.
const LONGEST_TEXT: usize = 1 << 18;

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
    let mut above: Vec<(u8, &str)> = Vec::new();
    for (row, Section { level, heading, text, anchor }) in rows.zip(sections) {
        above.retain(|(other, _)| other < level);
        let path = path(title, &above, heading);
        insert.execute(params![row, path, heading, text, anchor])?;
        above.push((*level, heading));
    }
    Ok(())
}

/// Where a section is: the title of its page and the headings above it, each once.
fn path(title: Option<&str>, above: &[(u8, &str)], heading: &str) -> String {
    let mut path: Vec<&str> = Vec::new();
    for part in title.into_iter().chain(above.iter().map(|(_, heading)| *heading)) {
        if !part.is_empty() && part != heading && !path.contains(&part) {
            path.push(part);
        }
    }
    path.join(" > ")
}

/// How much a word counts in a path, a heading and a text.
const WEIGHTS: &str = "2.0, 4.0, 1.0";

impl Contents<'_> {
    /// Whether a word, or one that begins like it, is in any section.
    pub async fn is_indexed(self, query: String) -> Result<bool, DatabaseError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM sections WHERE sections MATCH ?1)";
        self.read("cannot search captures", move |connection| Ok(one(connection, sql, [query])?)).await
    }

    /// The words of all sections that begin with a letter, as the index has them: without endings. With each, in how
    /// many sections it is.
    pub async fn indexed_words(self, first: char) -> Result<Vec<(String, i64)>, DatabaseError> {
        let sql = "SELECT term, doc FROM section_words WHERE term >= ?1 AND term < ?2";
        let next = char::from_u32(u32::from(first) + 1).unwrap_or(char::MAX);
        self.read("cannot search captures", move |connection| {
            let mut select = connection.prepare_cached(sql)?;
            let words =
                select.query_map((first.to_string(), next.to_string()), |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(words.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// How many sections there are, and how many match each query.
    pub async fn section_counts(self, queries: Vec<String>) -> Result<(i64, Vec<i64>), DatabaseError> {
        self.read("cannot search captures", move |connection| {
            let all = one(connection, "SELECT count(*) FROM sections_docsize", [])?;
            let mut count = connection.prepare_cached("SELECT count(*) FROM sections WHERE sections MATCH ?1")?;
            let counts = queries.iter().map(|query| count.query_row([query], |row| row.get(0)));
            Ok((all, counts.collect::<rusqlite::Result<_>>()?))
        })
        .await
    }

    /// The best matches among the sections of these runs: the index chooses candidates, and `score` returns how well each
    /// matches, and the part of it that does. Sections that match by a part that a better one has too are last.
    pub async fn search_sections(
        self,
        runs: Vec<i64>,
        query: String,
        limit: usize,
        score: impl Fn(&Candidate<'_>) -> (f64, String) + Send + 'static,
    ) -> Result<Vec<FoundSection>, DatabaseError> {
        self.read("cannot search captures", move |connection| {
            let mut ranked = candidates(connection, &runs, &query, limit.max(CANDIDATES), score)?;
            add_pages(&mut ranked);
            ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
            let mut seen = BTreeSet::new();
            let (mut ranked, repeated): (Vec<_>, Vec<_>) =
                ranked.into_iter().partition(|section| seen.insert(section.content));
            ranked.extend(repeated);
            ranked.truncate(limit);
            let found = ranked.into_iter().map(|Ranked { row, score, .. }| found(connection, &query, row, score));
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

struct Ranked {
    row: i64,
    score: f64,
    /// Of the run, the heading and the part that matches.
    content: u128,
}

/// The sections with the highest scores in the index. Only one text is in memory at a time.
fn candidates(
    connection: &Connection,
    runs: &[i64],
    query: &str,
    most: usize,
    score: impl Fn(&Candidate<'_>) -> (f64, String),
) -> rusqlite::Result<Vec<Ranked>> {
    let runs = serde_json::to_string(runs).expect("numbers are JSON");
    let mut best = connection.prepare_cached(&format!(
        "SELECT rowid, -bm25(sections, {WEIGHTS}) FROM sections
         WHERE sections MATCH ?1 AND (rowid >> {RUN_BITS}) IN (SELECT value FROM json_each(?2))
         ORDER BY bm25(sections, {WEIGHTS}), rowid LIMIT ?3"
    ))?;
    let rows = best.query_map((query, runs, most), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(i64, f64)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut read =
        connection.prepare_cached("SELECT title, heading, substr(text, 1, ?2) FROM sections WHERE rowid = ?1")?;
    let ranked = rows.into_iter().map(|(row, in_index)| {
        read.query_row((row, LONGEST_TEXT), |columns| {
            let text = |at| Ok::<_, rusqlite::Error>(columns.get_ref(at)?.as_str_or_null()?.unwrap_or_default());
            let candidate = Candidate { path: text(0)?, heading: text(1)?, text: text(2)?, score: in_index };
            let (score, part) = score(&candidate);
            let content = xxh3_128(format!("{}\n{}\n{part}", row >> RUN_BITS, candidate.heading).as_bytes());
            Ok(Ranked { row, score, content })
        })
    });
    ranked.collect()
}

/// How much of the score of the best other section of its page a section gets.
const PAGE: f64 = 0.1;

/// A section is more likely to be meant if another one of its page is.
fn add_pages(ranked: &mut [Ranked]) {
    let mut pages: BTreeMap<i64, Vec<(f64, i64)>> = BTreeMap::new();
    for section in &*ranked {
        pages.entry(section.row >> ORDINAL_BITS).or_default().push((section.score, section.row));
    }
    for section in ranked {
        let of_page = pages[&(section.row >> ORDINAL_BITS)].iter();
        let others = of_page.filter(|(_, row)| *row != section.row).map(|(score, _)| *score);
        section.score += PAGE * others.fold(0.0, f64::max);
    }
}

fn found(connection: &Connection, query: &str, row: i64, score: f64) -> rusqlite::Result<FoundSection> {
    let sql = format!(
        "SELECT f.rowid >> {RUN_BITS}, u.url, d.title, f.heading, f.anchor,
                snippet(sections, -1, char(2), char(3), '…', 24), ?3
         FROM sections AS f
         JOIN urls AS u ON u.run = f.rowid >> {RUN_BITS} AND u.number = (f.rowid >> {ORDINAL_BITS}) & {NUMBER_MASK}
         JOIN documents AS d ON d.run = u.run AND d.number = u.number
         WHERE sections MATCH ?1 AND f.rowid = ?2"
    );
    one(connection, &sql, (query, row, score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_every_heading_above_once() {
        let above = [(1, "Tasks"), (2, "Running")];
        assert_eq!(path(Some("Tasks"), &above, "Gather"), "Tasks > Running");
        assert_eq!(path(Some("Tasks"), &[], "Tasks"), "");
        assert_eq!(path(None, &above[..1], "Gather"), "Tasks");
    }

    #[test]
    fn a_section_gains_by_the_best_other_one_of_its_page() {
        let (page, other) = (*of_page(7, Number(1)).start(), *of_page(7, Number(2)).start());
        let ranked = |row, score| Ranked { row, score, content: 0 };
        let mut sections = [ranked(page, 3.0), ranked(page + 1, 10.0), ranked(page + 2, 5.0), ranked(other, 4.0)];
        add_pages(&mut sections);
        assert_eq!(sections.map(|section| section.score), [4.0, 10.5, 6.0, 4.0]);
    }

    #[test]
    fn row_ids_of_pages_and_runs_do_not_overlap() {
        let (one, next) = (of_page(7, Number(1)), of_page(7, Number(2)));
        assert_eq!(one.end() + 1, *next.start());
        let last = of_page(7, Number(NUMBER_MASK as u32));
        assert_eq!(last.end(), of_run(7).end());
        assert_eq!(of_run(7).end() + 1, *of_run(8).start());
    }
}
