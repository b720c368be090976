//! Documents of captures: the text of pages.

use bluesnake_engine::document::Document;
use bluesnake_engine::{Committed, Number};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use super::bodies::unpacked;
use super::{Contents, sections};
use crate::error::DatabaseError;
use crate::rows::DocumentRow;
use crate::sqlite::Failure;
use crate::sqlite::pack::unpacked_sections;

/// The columns of [`document_row`], except for the content.
const FACTS: &str = "v.number, u.url, v.canonical, v.visited_at, said.content_hash, d.title, d.description, d.language, \
                     d.framework, d.is_own_markdown, d.confidence, d.words, d.tokens_o200k, d.tokens_cl100k";
const CONTENT: &str = "d.bytes, d.content";
const NO_CONTENT: &str = "0, NULL";

/// The pages of a run and their documents. A page also served as Markdown is read from that; among copies, only such
/// twins have a document.
const PAGES: &str = "
    FROM visits AS v
    JOIN urls AS u ON u.run = v.run AND u.number = v.number
    JOIN documents AS d ON d.run = v.run AND d.number = coalesce(
        (SELECT twin.number FROM visits AS twin JOIN documents AS own ON own.run = twin.run AND own.number = twin.number
         WHERE twin.run = v.run AND twin.duplicate_of = v.number),
        v.number)
    JOIN visits AS said ON said.run = d.run AND said.number = d.number
    WHERE v.run = ?1 AND v.is_unique_page";

/// The Markdown of the page `?2` of the run `?1`, if its server offers it.
const TWIN: &str = "(SELECT twin.number FROM visits AS twin
                     JOIN documents AS own ON own.run = twin.run AND own.number = twin.number
                     WHERE twin.run = ?1 AND twin.duplicate_of = ?2)";

/// The content of a document to be stored.
#[derive(Debug)]
pub(in crate::sqlite) struct PackedContent<'a> {
    pub(in crate::sqlite) bytes: usize,
    pub(in crate::sqlite) zstd: &'a [u8],
    pub(in crate::sqlite) sections_bytes: usize,
    pub(in crate::sqlite) sections_zstd: &'a [u8],
}

impl PackedContent<'_> {
    /// Stores the document of the first page with this content, or of the Markdown form of such a page.
    pub(in crate::sqlite) fn store(
        &self,
        transaction: &Transaction<'_>,
        run: i64,
        visit: &Committed,
    ) -> rusqlite::Result<()> {
        let document = visit.document.as_ref().expect("it was packed");
        if !(visit.is_unique_page || (visit.is_twin && document.is_own_markdown)) {
            return Ok(());
        }
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
        let sections = unpacked_sections(&unpacked(self.sections_zstd, self.sections_bytes)?);
        let page = visit.duplicate_of.unwrap_or(visit.number());
        sections::put(transaction, run, page, document.title.as_deref(), &sections)
    }
}

impl Contents<'_> {
    /// Replaces the sections, words and tokens of pages. Their contents stay.
    pub async fn amend_documents(self, run: i64, pages: Vec<(Number, Document)>) -> Result<(), DatabaseError> {
        if pages.is_empty() {
            return Ok(());
        }
        self.write("cannot change documents", move |transaction| {
            let mut update = transaction.prepare_cached(&format!(
                "UPDATE documents SET words = ?3, tokens_o200k = ?4, tokens_cl100k = ?5
                 WHERE run = ?1 AND number = coalesce({TWIN}, ?2)"
            ))?;
            for (page, document) in &pages {
                let tokens = document.tokens;
                update.execute(params![run, page.0, document.words, tokens.o200k, tokens.cl100k])?;
                sections::put(transaction, run, *page, document.title.as_deref(), &document.sections)?;
            }
            Ok(())
        })
        .await
    }

    /// How many documents a capture has. On this thread.
    pub fn documents_in(self, run: i64) -> Result<i64, DatabaseError> {
        self.read_here("cannot read documents", move |connection| {
            let mut count = connection.prepare_cached("SELECT count(*) FROM documents WHERE run = ?1")?;
            Ok(count.query_row([run], |row| row.get(0))?)
        })
    }

    /// The first document of a capture with a number above `after`: one per page, without copies.
    pub fn next_document(self, run: i64, after: Number) -> Result<Option<DocumentRow>, DatabaseError> {
        self.read_here("cannot read documents", move |connection| {
            let sql = format!("SELECT {FACTS}, {CONTENT} {PAGES} AND v.number > ?2 ORDER BY v.number LIMIT 1");
            let mut next = connection.prepare_cached(&sql)?;
            let Some(mut document) = next.query_row(params![run, after.0], document_row).optional()? else {
                return Ok(None);
            };
            document.alternate_urls = alternates(connection, run, document.number)?;
            Ok(Some(document))
        })
    }

    /// Documents of a capture with numbers above `after`, without their contents.
    pub async fn documents_after(self, run: i64, after: i64, limit: usize) -> Result<Vec<DocumentRow>, DatabaseError> {
        self.read("cannot read documents", move |connection| {
            let sql = format!("SELECT {FACTS}, {NO_CONTENT} {PAGES} AND v.number > ?2 ORDER BY v.number LIMIT ?3");
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map(params![run, after, limit], document_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }

    /// The document of a page, or of the page it is a copy of.
    pub async fn document_of(self, run: i64, number: Number) -> Result<Option<DocumentRow>, DatabaseError> {
        self.read("cannot read the document", move |connection| {
            let sql = format!(
                "SELECT {FACTS}, {CONTENT} {PAGES}
                 AND v.number = (SELECT coalesce(duplicate_of, number) FROM visits WHERE run = ?1 AND number = ?2)"
            );
            let mut find = connection.prepare_cached(&sql)?;
            let Some(mut document) = find.query_row(params![run, number.0], document_row).optional()? else {
                return Ok(None);
            };
            document.alternate_urls = alternates(connection, run, document.number)?;
            Ok(Some(document))
        })
        .await
    }
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
