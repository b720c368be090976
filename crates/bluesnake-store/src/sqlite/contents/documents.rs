//! Documents of captures: the text of pages.

use bluesnake_engine::document::Document;
use bluesnake_engine::{Committed, Number};
use rusqlite::{Transaction, params};

use super::{Contents, sections};
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, one, rows};
use crate::sqlite::pack::unpacked_sections;

rows! {
    /// The document of a page in a capture.
    #[derive(Clone, Debug, PartialEq)]
    pub struct DocumentRow {
        /// The number of its URL.
        pub number: i64,
        /// The URL.
        pub url: String,
        /// Its canonical URL.
        pub canonical: Option<String>,
        /// When it was fetched: unix time in milliseconds.
        pub visited_at: i64,
        /// Fingerprint of its text.
        pub hash: String,
        /// Its title.
        pub title: Option<String>,
        /// Its own description.
        pub description: Option<String>,
        /// Its language.
        pub language: Option<String>,
        /// The generator of the site.
        pub framework: Option<String>,
        /// Whether the server sent Markdown.
        pub is_own_markdown: bool,
        /// The reader's confidence, from 0 to 1.
        pub confidence: f64,
        /// Words.
        pub words: i64,
        /// Tokens by o200k_base.
        pub tokens_o200k: i64,
        /// Tokens by cl100k_base.
        pub tokens_cl100k: i64,
        /// The full text, in the reader's format.
        pub content: String = decompressed_text,
        /// Other URLs of the same text, in order of discovery.
        pub alternate_urls: Vec<String> = json,
    }
}

/// The columns of a [`DocumentRow`], except for content and alternate URLs.
const FACTS: &str = "v.number, u.url, v.canonical, v.visited_at, coalesce(said.content_hash, ''), d.title,
    d.description, d.language, d.framework, d.is_own_markdown, d.confidence, d.words, d.tokens_o200k, d.tokens_cl100k";
const CONTENT: &str = "d.bytes, d.content, (
    SELECT json_group_array(copied.url ORDER BY copy.number) FROM visits AS copy
    JOIN urls AS copied ON copied.run = copy.run AND copied.number = copy.number
    WHERE copy.run = v.run AND copy.duplicate_of = v.number)";
const NO_CONTENT: &str = "0, NULL, '[]'";

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
        let sections = zstd::bulk::decompress(self.sections_zstd, self.sections_bytes).expect("we compressed it");
        let sections = unpacked_sections(&sections);
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
        let sql = "SELECT count(*) FROM documents WHERE run = ?1";
        self.read_here("cannot read documents", |connection| Ok(one(connection, sql, [run])?))
    }

    /// The first document of a capture with a number above `after`: one per page, without copies.
    pub fn next_document(self, run: i64, after: Number) -> Result<Option<DocumentRow>, DatabaseError> {
        let sql = format!("SELECT {FACTS}, {CONTENT} {PAGES} AND v.number > ?2 ORDER BY v.number LIMIT 1");
        self.read_here("cannot read documents", |connection| Ok(first(connection, &sql, (run, after.0))?))
    }

    /// Documents of a capture with numbers above `after`, without their contents.
    pub async fn documents_after(self, run: i64, after: i64, limit: usize) -> Result<Vec<DocumentRow>, DatabaseError> {
        let sql = format!("SELECT {FACTS}, {NO_CONTENT} {PAGES} AND v.number > ?2 ORDER BY v.number LIMIT ?3");
        self.list("cannot read documents", sql, (run, after, limit)).await
    }

    /// The document of a page, or of the page it is a copy of.
    pub async fn document_of(self, run: i64, number: Number) -> Result<Option<DocumentRow>, DatabaseError> {
        let sql = format!(
            "SELECT {FACTS}, {CONTENT} {PAGES}
             AND v.number = (SELECT coalesce(duplicate_of, number) FROM visits WHERE run = ?1 AND number = ?2)"
        );
        self.first("cannot read the document", sql, (run, number.0)).await
    }
}
