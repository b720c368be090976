//! Documents of captures: what pages say, search in it, and answers that can be used again.

use std::ops::RangeInclusive;

use bluesnake_engine::document::{Document, Section};
use bluesnake_engine::fetch::Kept;
use bluesnake_engine::visit::Answered;
use bluesnake_engine::{CanonicalUrl, Number, Visit};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LAST_MODIFIED};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::bodies::unpacked;
use super::commit::hash_of;
use super::{Database, Failure};
use crate::error::DatabaseError;
use crate::rows::{CaptureFigures, DocumentRow, FoundSection, KeptAnswer};

/// Fast, and good enough for text.
const LEVEL: i32 = 3;
/// Sections of one page that can be found.
const SECTIONS: usize = 1 << 12;
const ORDINAL_BITS: u32 = 12;
const RUN_BITS: u32 = 40;

/// The documents of a run, with the columns of [`document_row`]. A page whose server gives it as Markdown elsewhere, at
/// an address that is taken for the same page, is read from there.
const DOCUMENTS: &str = "
    SELECT v.number, u.url, v.canonical, v.visited_at, v.content_hash, d.title, d.description, d.language, d.framework,
           d.is_own_markdown, d.confidence, d.words, d.tokens_o200k, d.tokens_cl100k, d.bytes, d.content
    FROM visits AS v
    JOIN urls AS u ON u.run = v.run AND u.number = v.number
    JOIN documents AS d ON d.run = v.run AND d.number = coalesce(
        (SELECT min(twin.number) FROM visits AS twin
         JOIN documents AS own ON own.run = twin.run AND own.number = twin.number AND own.is_own_markdown
         WHERE twin.run = v.run AND twin.duplicate_of = v.number AND NOT EXISTS (
             SELECT 1 FROM documents AS first WHERE first.run = v.run AND first.number = v.number AND first.is_own_markdown)),
        v.number)
    WHERE v.run = ?1 AND v.is_unique_page";

/// A document on its way into the database.
#[derive(Debug)]
pub(super) struct PackedDocument {
    bytes: usize,
    zstd: Vec<u8>,
}

impl PackedDocument {
    /// The document of a page that is the first to say this, or that says it in Markdown of its own.
    pub(super) fn of(visit: &Visit) -> Option<Self> {
        let document = visit.document.as_ref()?;
        let is_kept = visit.is_unique_page || (document.is_own_markdown && visit.duplicate_of.is_some());
        is_kept.then(|| Self {
            bytes: document.content.len(),
            zstd: zstd::bulk::compress(document.content.as_bytes(), LEVEL).expect("memory can be compressed"),
        })
    }

    pub(super) fn store(&self, transaction: &Transaction<'_>, run: i64, visit: &Visit) -> rusqlite::Result<()> {
        let document = visit.document.as_ref().expect("it was packed");
        let mut insert = transaction.prepare_cached(
            "INSERT INTO documents (run, number, title, description, language, framework, is_own_markdown, confidence,
                words, tokens_o200k, tokens_cl100k, bytes, content)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?;
        insert.execute(params![
            run,
            visit.number().0,
            document.title,
            document.description,
            document.language,
            document.framework,
            document.is_own_markdown,
            f64::from(document.confidence),
            document.words,
            document.tokens.o200k,
            document.tokens.cl100k,
            self.bytes,
            self.zstd,
        ])?;
        if visit.is_unique_page {
            put_sections(transaction, run, visit.number(), document)?;
        }
        Ok(())
    }
}

fn put_sections(transaction: &Transaction<'_>, run: i64, number: Number, document: &Document) -> rusqlite::Result<()> {
    let sql = "INSERT INTO sections (rowid, title, heading, text, anchor) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = transaction.prepare_cached(sql)?;
    let first = (run << RUN_BITS) + (i64::from(number.0) << ORDINAL_BITS);
    for (ordinal, Section { heading, text, anchor, .. }) in (0..).zip(document.sections.iter().take(SECTIONS)) {
        // The title counts once for a page, not for each of its sections.
        let title = document.title.as_deref().filter(|_| ordinal == 0);
        insert.execute(params![first + ordinal, title, heading, text, anchor])?;
    }
    Ok(())
}

/// Remembers the answer of a page, so that a later capture can ask whether it still holds.
pub(super) fn keep_answer(transaction: &Transaction<'_>, run: i64, visit: &Visit) -> rusqlite::Result<()> {
    // One that nobody was asked about does not become younger by being used.
    let is_new = |answer: &&Answered| answer.kept != Some(Kept::Fresh) && answer.status == 200 && answer.cut.is_none();
    let Some(answer) = visit.answer.as_ref().filter(is_new) else { return Ok(()) };
    let field = |name| answer.headers.get(name).and_then(|value| value.to_str().ok());
    let mut upsert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO kept_answers (hash, run, number, content_type, etag, last_modified, max_age)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let max_age = field(CACHE_CONTROL).and_then(max_age);
    upsert.execute(params![
        hash_of(visit.url()),
        run,
        visit.number().0,
        field(CONTENT_TYPE),
        field(ETAG),
        field(LAST_MODIFIED),
        max_age
    ])?;
    Ok(())
}

/// How long an answer may be used without asking, as its server says.
fn max_age(cache_control: &str) -> Option<i64> {
    let mut seconds = None;
    for directive in cache_control.split(',').map(str::trim) {
        match directive.split_once('=') {
            None if ["no-cache", "no-store"].iter().any(|word| directive.eq_ignore_ascii_case(word)) => return None,
            Some((name, value)) if name.eq_ignore_ascii_case("max-age") => {
                seconds = value.trim_matches('"').parse().ok()
            }
            _ => {}
        }
    }
    seconds
}

impl Database {
    /// The first document of a capture with a number above `after`: one for each page, copies left out.
    pub fn next_document(&self, run: i64, after: Number) -> Result<Option<DocumentRow>, DatabaseError> {
        self.read_here("documents cannot be read", move |connection| {
            let mut next =
                connection.prepare_cached(&format!("{DOCUMENTS} AND v.number > ?2 ORDER BY v.number LIMIT 1"))?;
            let Some(mut document) = next.query_row(params![run, after.0], document_row).optional()? else {
                return Ok(None);
            };
            document.alternate_urls = alternates(connection, run, document.number)?;
            Ok(Some(document))
        })
    }

    /// Documents of a capture with numbers above `after`, without their contents.
    pub async fn documents_after(&self, run: i64, after: i64, limit: usize) -> Result<Vec<DocumentRow>, DatabaseError> {
        self.read("documents cannot be read", move |connection| {
            let sql = DOCUMENTS.replace("d.bytes, d.content", "0, NULL");
            let mut select =
                connection.prepare_cached(&format!("{sql} AND v.number > ?2 ORDER BY v.number LIMIT ?3"))?;
            let rows = select.query_map(params![run, after, limit], document_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The document of a page, or of the page that it is a copy of.
    pub async fn document_of(&self, run: i64, number: Number) -> Result<Option<DocumentRow>, DatabaseError> {
        self.read("the document cannot be read", move |connection| {
            let mut find = connection.prepare_cached(&format!(
                "{DOCUMENTS} AND v.number = (SELECT coalesce(duplicate_of, number) FROM visits WHERE run = ?1 AND number = ?2)"
            ))?;
            let Some(mut document) = find.query_row(params![run, number.0], document_row).optional()? else {
                return Ok(None);
            };
            document.alternate_urls = alternates(connection, run, document.number)?;
            Ok(Some(document))
        })
        .await
    }

    /// How a capture stands.
    pub async fn capture_figures(&self, run: i64) -> Result<CaptureFigures, DatabaseError> {
        self.read("the capture cannot be read", move |connection| Ok(figures(connection, run)?)).await
    }

    /// How many pages of a capture belong to each place where it starts, by the order of these.
    pub async fn capture_bases(&self, run: i64) -> Result<Vec<(i64, i64)>, DatabaseError> {
        self.read("the capture cannot be read", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT u.base, count(*) FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 WHERE v.run = ?1 AND v.is_unique_page GROUP BY u.base ORDER BY u.base",
            )?;
            let rows = select.query_map([run], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The pages of a capture that could not be had, and why; the first of them.
    pub async fn capture_errors(&self, run: i64, limit: usize) -> Result<Vec<(String, String)>, DatabaseError> {
        self.read("the capture cannot be read", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT u.url, coalesce(v.error, 'HTTP ' || v.status, u.reason)
                 FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
                 WHERE v.run = ?1 AND (u.disposition = 'failed' OR (u.task = 'page' AND v.status >= 400))
                 ORDER BY v.number LIMIT ?2",
            )?;
            let rows = select.query_map(params![run, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The sections of captures that match words best. Of these runs.
    pub async fn search_sections(
        &self,
        runs: Vec<i64>,
        query: String,
        limit: usize,
    ) -> Result<Vec<FoundSection>, DatabaseError> {
        self.read("captures cannot be searched", move |connection| {
            let runs = serde_json::to_string(&runs).expect("numbers are JSON");
            let mut select = connection.prepare_cached(
                "SELECT f.rowid >> 40, u.url, d.title, f.heading, f.anchor,
                        snippet(sections, -1, char(2), char(3), '…', 24), -bm25(sections, 6.0, 3.0, 1.0)
                 FROM sections AS f
                 JOIN urls AS u ON u.run = f.rowid >> 40 AND u.number = (f.rowid >> 12) & 0xfffffff
                 JOIN documents AS d ON d.run = u.run AND d.number = u.number
                 WHERE sections MATCH ?1 AND (f.rowid >> 40) IN (SELECT value FROM json_each(?2))
                 ORDER BY bm25(sections, 6.0, 3.0, 1.0), f.rowid LIMIT ?3",
            )?;
            let rows = select.query_map(params![query, runs, limit], |row| {
                Ok(FoundSection {
                    run: row.get(0)?,
                    url: row.get(1)?,
                    title: row.get(2)?,
                    heading: row.get(3)?,
                    anchor: row.get(4)?,
                    snippet: row.get(5)?,
                    score: row.get(6)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The newest captures that have documents, one for each place where captures of a project start; the newest first.
    pub async fn captured_runs(&self, project: Option<i64>) -> Result<Vec<i64>, DatabaseError> {
        self.read("captures cannot be read", move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT max(id) FROM runs WHERE kind = 'capture' AND is_deleted = 0 AND (?1 IS NULL OR project = ?1)
                    AND EXISTS (SELECT 1 FROM documents WHERE run = runs.id)
                 GROUP BY project, seeds ORDER BY 1 DESC",
            )?;
            let rows = select.query_map([project], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The newest answer of a URL that an earlier capture kept. On this thread.
    pub fn kept_answer(&self, url: &CanonicalUrl) -> Result<Option<KeptAnswer>, DatabaseError> {
        self.read_here("kept answers cannot be read", |connection| {
            let mut select = connection.prepare_cached(
                "SELECT k.etag, k.last_modified, k.max_age, v.visited_at, k.content_type, b.bytes, b.zstd,
                        coalesce(h.fields, '[]')
                 FROM kept_answers AS k
                 JOIN urls AS u ON u.run = k.run AND u.number = k.number AND u.url = ?2
                 JOIN visits AS v ON v.run = k.run AND v.number = k.number
                 JOIN bodies AS b ON b.run = v.run AND b.key = v.html
                 LEFT JOIN headers AS h ON h.run = v.run AND h.id = v.headers
                 WHERE k.hash = ?1",
            )?;
            let row = select.query_row(params![hash_of(url), url.as_str()], |row| {
                let (bytes, packed): (usize, Vec<u8>) = (row.get(5)?, row.get(6)?);
                let fields: String = row.get(7)?;
                Ok(KeptAnswer {
                    etag: row.get(0)?,
                    last_modified: row.get(1)?,
                    max_age: row.get(2)?,
                    visited_at: row.get(3)?,
                    content_type: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
                    headers: serde_json::from_str(&fields).unwrap_or_default(),
                    body: unpacked(&packed, bytes)?,
                })
            });
            Ok(row.optional()?)
        })
    }
}

/// The rows of a run in the index for search.
pub(super) fn sections_of(run: i64) -> RangeInclusive<i64> {
    (run << RUN_BITS)..=((run + 1) << RUN_BITS) - 1
}

fn alternates(connection: &Connection, run: i64, number: i64) -> Result<Vec<String>, Failure> {
    let mut select = connection.prepare_cached(
        "SELECT u.url FROM visits AS v JOIN urls AS u ON u.run = v.run AND u.number = v.number
         WHERE v.run = ?1 AND v.duplicate_of = ?2 ORDER BY v.number",
    )?;
    let rows = select.query_map(params![run, number], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn document_row(row: &Row<'_>) -> rusqlite::Result<DocumentRow> {
    let (bytes, packed): (usize, Option<Vec<u8>>) = (row.get(14)?, row.get(15)?);
    let content = packed.map(|packed| unpacked(&packed, bytes)).transpose()?.unwrap_or_default();
    Ok(DocumentRow {
        number: row.get(0)?,
        url: row.get(1)?,
        canonical: row.get(2)?,
        visited_at: row.get(3)?,
        hash: row.get::<_, Option<String>>(4)?.unwrap_or_default(),
        title: row.get(5)?,
        description: row.get(6)?,
        language: row.get(7)?,
        framework: row.get(8)?,
        is_own_markdown: row.get(9)?,
        confidence: row.get(10)?,
        words: row.get(11)?,
        tokens_o200k: row.get(12)?,
        tokens_cl100k: row.get(13)?,
        content: String::from_utf8_lossy(&content).into_owned(),
        alternate_urls: Vec::new(),
    })
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
    let sql = "SELECT coalesce(sum(d.words), 0), coalesce(sum(d.tokens_o200k), 0), coalesce(sum(d.tokens_cl100k), 0)
               FROM documents AS d JOIN visits AS v ON v.run = d.run AND v.number = d.number
               WHERE d.run = ?1 AND v.is_unique_page";
    connection.prepare_cached(sql)?.query_row([run], |row| {
        (figures.words, figures.tokens_o200k, figures.tokens_cl100k) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(())
    })?;
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_an_answer_holds_is_read_from_its_header() {
        assert_eq!(max_age("public, max-age=600"), Some(600));
        assert_eq!(max_age("Max-Age=\"60\", must-revalidate"), Some(60));
        assert_eq!(max_age("max-age=60, no-cache"), None);
        assert_eq!(max_age("NO-STORE, max-age=60"), None);
        assert_eq!(max_age("public"), None);
        assert_eq!(max_age("max-age=soon"), None);
    }
}
