//! The pages of a capture as they are given out: in the order of their numbers, without what every page repeats.

use bluesnake_engine::Number;
use bluesnake_extract::{Corpus, Extracted, Removed};
use bluesnake_store::{DatabaseError, DocumentRow};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::AppError;
use crate::paging::{Limit, Page, position};
use crate::running::App;
use crate::view::DocumentView;

/// A page of a capture.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapturedPage {
    /// Its place in the run.
    pub number: i64,
    /// Where it lies: the first address with this text.
    pub url: String,
    /// What it names as its canonical address.
    pub canonical: Option<String>,
    /// Other addresses with the same text.
    pub alternate_urls: Vec<String>,
    /// Its title.
    pub title: Option<String>,
    /// What it says of itself in a sentence.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// The generator of the site, when it was recognised.
    pub framework: Option<String>,
    /// `html`, or `markdown` when the server gave Markdown.
    pub source: &'static str,
    /// How sure it is that this is the text of the page, from 0 to 1.
    pub confidence: f64,
    /// SHA-256 of the cleaned text.
    pub hash: String,
    /// Words.
    pub words: i64,
    /// Tokens by o200k_base.
    pub tokens_o200k: i64,
    /// Tokens by cl100k_base.
    pub tokens_cl100k: i64,
    /// When it was fetched: unix time in seconds.
    pub crawled_at: i64,
    /// Further facts of its head.
    #[schema(value_type = Object)]
    pub metadata: serde_json::Value,
    /// What was left out, and why.
    #[schema(value_type = Vec<Object>)]
    pub removed: Vec<Removed>,
    /// The text as Markdown.
    pub markdown: String,
}

/// Which pages of a capture are wanted.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct DocumentsQuery {
    /// How many at most.
    pub limit: Limit,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl App {
    /// What every page of a capture repeats, to be left out of each.
    pub fn capture_corpus(&self, run: i64) -> Result<Corpus, AppError> {
        let mut corpus = Corpus::default();
        let mut after = Number(0);
        while let Some(row) = self.database().next_document(run, after)? {
            after = Number(row.number as u32);
            corpus.add(&extracted(&row)?.blocks);
        }
        Ok(corpus)
    }

    /// The first page of a capture with a number above `after`. On this thread.
    pub fn next_captured(&self, run: i64, after: i64, corpus: &Corpus) -> Result<Option<CapturedPage>, AppError> {
        let row = self.database().next_document(run, Number(after as u32))?;
        row.map(|row| page(row, corpus)).transpose()
    }

    /// The pages of a capture, without their texts, a page of them at a time.
    pub async fn captured_pages(&self, run: i64, query: DocumentsQuery) -> Result<Page<DocumentView>, AppError> {
        let scope = format!("documents of {run}");
        let after: Option<i64> = position(&scope, query.cursor.as_deref())?;
        self.capture(run).await?;
        let rows = self.database().documents_after(run, after.unwrap_or(0), query.limit.and_one_more()).await?;
        let views = rows.into_iter().map(DocumentView::from).collect();
        Ok(Page::cut(views, query.limit, &scope, |view: &DocumentView| view.number))
    }

    /// A page of a capture by one of its addresses.
    pub async fn captured_page(&self, run: i64, url: &str) -> Result<CapturedPage, AppError> {
        let number = self.number_of(run, url).await?;
        let row = self.database().document_of(run, number).await?.ok_or_else(|| AppError::Absent {
            message: format!("run {run} has no document of {url}"),
            hint: "captures have documents: `bluesnake capture URL` makes one".to_owned(),
        })?;
        page(row, &Corpus::default())
    }
}

fn extracted(row: &DocumentRow) -> Result<Extracted, AppError> {
    serde_json::from_str(&row.content)
        .map_err(|error| DatabaseError::unreadable(format!("the document of {}", row.url), error).into())
}

fn page(row: DocumentRow, corpus: &Corpus) -> Result<CapturedPage, AppError> {
    let mut document = extracted(&row)?;
    let whole = document.markdown.len();
    corpus.clean(&mut document);
    let is_cleaned = document.markdown.len() != whole;
    // What was counted at the crawl still holds for a page of which nothing else was taken.
    let (words, o200k, cl100k) = if is_cleaned {
        let tokens = bluesnake_extract::tokens(&document.markdown);
        (document.text.split_whitespace().count() as i64, tokens.o200k as i64, tokens.cl100k as i64)
    } else {
        (row.words, row.tokens_o200k, row.tokens_cl100k)
    };
    Ok(CapturedPage {
        number: row.number,
        url: row.url,
        canonical: row.canonical,
        alternate_urls: row.alternate_urls,
        title: row.title,
        description: row.description,
        language: row.language,
        framework: row.framework,
        source: if row.is_own_markdown { "markdown" } else { "html" },
        confidence: (row.confidence * 1000.0).round() / 1000.0,
        hash: row.hash,
        words,
        tokens_o200k: o200k,
        tokens_cl100k: cl100k,
        crawled_at: row.visited_at / 1000,
        metadata: serde_json::to_value(&document.metadata).expect("metadata is JSON"),
        removed: document.removed,
        markdown: document.markdown,
    })
}
