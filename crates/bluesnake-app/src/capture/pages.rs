//! The pages of a capture as exported: in number order, without what every page repeats.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use bluesnake_engine::Number;
use bluesnake_extract::{Anchor, Corpus, Extracted, Metadata, Removed};
use bluesnake_store::{Database, DatabaseError, DocumentRow};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::AppError;
use crate::secrets::Secrets;

use super::masked::mask_markdown;
use super::reader;

/// A page of a capture. Hash, words and tokens refer to the text shown here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapturedPage {
    /// Its number in the run.
    pub number: i64,
    /// The first URL with this text.
    pub url: String,
    /// Its canonical URL.
    pub canonical: Option<String>,
    /// Other URLs with the same text.
    pub alternate_urls: Vec<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// The generator of the site, if recognised.
    pub framework: Option<String>,
    /// `html`, or `markdown` if the server sent Markdown.
    pub source: &'static str,
    /// Confidence that this is the content of the page, from 0 to 1.
    pub confidence: f64,
    /// SHA-256 of the cleaned text.
    pub hash: String,
    /// Words.
    pub words: i64,
    /// Tokens by o200k_base.
    pub tokens_o200k: i64,
    /// Tokens by cl100k_base.
    pub tokens_cl100k: i64,
    /// When it was fetched: Unix time in seconds.
    pub crawled_at: i64,
    /// Other metadata from its head.
    #[schema(value_type = Object)]
    pub metadata: Metadata,
    /// What was removed, and why.
    #[schema(value_type = Vec<Object>)]
    pub removed: Vec<Removed>,
    /// The text as Markdown. Links in it are absolute.
    pub markdown: String,
    /// The text without any marks.
    #[serde(skip)]
    pub text: String,
    /// Its headings in their order, for links that lead to them.
    #[serde(skip)]
    pub headings: Vec<Heading>,
    /// Its other ids, for links that lead to them.
    #[serde(skip)]
    pub anchors: Vec<Anchor>,
}

impl CapturedPage {
    /// The page with secrets in URLs masked as configured. Code stays as it is.
    #[must_use]
    pub fn shown(mut self, secrets: Secrets) -> Self {
        self.mask_facts(secrets);
        if secrets == Secrets::Masked
            && let Cow::Owned(masked) = mask_markdown(&self.markdown)
        {
            self.markdown = masked;
        }
        self
    }

    /// Masks everything except the text itself.
    pub(super) fn mask_facts(&mut self, secrets: Secrets) {
        let named = [&mut self.canonical, &mut self.title, &mut self.description].into_iter().flatten();
        let urls = self.alternate_urls.iter_mut().chain([&mut self.url]);
        let removed = self.removed.iter_mut().map(|removed| &mut removed.what);
        named.chain(urls).chain(self.metadata.texts_mut()).chain(removed).for_each(|text| secrets.apply(text));
    }
}

/// A heading of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// Its text.
    pub words: String,
    /// Its anchor id on the web.
    pub anchor: Option<String>,
    /// Other ids that lead to it.
    pub other_anchors: Vec<String>,
}

/// What the pages of a capture repeat, cached for the last requested capture, because computing it reads all pages.
#[derive(Debug, Default)]
pub(crate) struct Repeated(Mutex<Option<KnownCorpus>>);

#[derive(Debug)]
struct KnownCorpus {
    run: i64,
    documents: i64,
    corpus: Arc<Corpus>,
}

impl Repeated {
    fn of(&self, run: i64, documents: i64) -> Option<Arc<Corpus>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_right = |known: &&KnownCorpus| (known.run, known.documents) == (run, documents);
        known.as_ref().filter(is_right).map(|known| Arc::clone(&known.corpus))
    }

    fn keep(&self, known: KnownCorpus) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }
}

/// What every page of a capture repeats and is removed from each. On this thread.
pub(super) fn corpus(app: &App, run: i64) -> Result<Arc<Corpus>, AppError> {
    let documents = app.contents().documents_in(run)?;
    if let Some(corpus) = app.repeated().of(run, documents) {
        return Ok(corpus);
    }
    let corpus = Arc::new(corpus_of(app.database(), run)?);
    app.repeated().keep(KnownCorpus { run, documents, corpus: Arc::clone(&corpus) });
    Ok(corpus)
}

/// The pages of a capture in order. On this thread.
pub(super) fn captured(
    database: &Database,
    run: i64,
    corpus: &Corpus,
) -> impl Iterator<Item = Result<CapturedPage, AppError>> {
    let mut after = Number(0);
    std::iter::from_fn(move || {
        let page = database.contents().next_document(run, after).map_err(AppError::from).transpose()?;
        let page = page.and_then(|row| page_of(row, corpus));
        after = page.as_ref().map_or(after, |page| Number(page.number as u32));
        Some(page)
    })
}

/// What the pages of a capture repeat, computed by reading them all. On this thread.
pub(super) fn corpus_of(database: &Database, run: i64) -> Result<Corpus, AppError> {
    let mut corpus = Corpus::default();
    let mut after = Number(0);
    while let Some(row) = database.contents().next_document(run, after)? {
        after = Number(row.number as u32);
        corpus.add(&extracted(&row)?);
    }
    Ok(corpus)
}

pub(super) fn extracted(row: &DocumentRow) -> Result<Extracted, AppError> {
    serde_json::from_str(&row.content)
        .map_err(|error| DatabaseError::unreadable(format!("the document of {}", row.url), error).into())
}

pub(super) fn page_of(row: DocumentRow, corpus: &Corpus) -> Result<CapturedPage, AppError> {
    let mut document = extracted(&row)?;
    let whole = document.markdown.len();
    corpus.clean(&mut document);
    // The counts from the crawl still hold for a page from which nothing else was removed.
    let (words, o200k, cl100k, hash) = if document.markdown.len() == whole {
        (row.words, row.tokens_o200k, row.tokens_cl100k, row.hash)
    } else {
        let tokens = bluesnake_extract::tokens(&document.markdown);
        let words = document.text.split_whitespace().count();
        let hash = reader::hash(&document, row.is_own_markdown);
        (words as i64, tokens.o200k as i64, tokens.cl100k as i64, hash)
    };
    let headings = document.sections.iter().filter(|section| section.level > 0);
    let headings = headings.map(|section| Heading {
        words: section.heading.clone(),
        anchor: section.anchor.clone(),
        other_anchors: section.other_anchors.clone(),
    });
    Ok(CapturedPage {
        number: row.number,
        url: row.url,
        canonical: row.canonical,
        alternate_urls: row.alternate_urls,
        title: document.title,
        description: row.description,
        language: row.language,
        framework: row.framework,
        source: if row.is_own_markdown { "markdown" } else { "html" },
        confidence: (row.confidence * 1000.0).round() / 1000.0,
        hash,
        words,
        tokens_o200k: o200k,
        tokens_cl100k: cl100k,
        crawled_at: row.visited_at / 1000,
        headings: headings.collect(),
        anchors: document.anchors,
        metadata: document.metadata,
        removed: document.removed,
        markdown: document.markdown,
        text: document.text,
    })
}

#[cfg(test)]
mod tests {
    use bluesnake_extract::{Options, Page, extract};
    use sha2::{Digest, Sha256};

    use super::*;

    fn row(number: i64) -> DocumentRow {
        let words = format!("Page number {number} says something that no other page of the site says. ").repeat(5);
        let notice = "<p>A notice that stands on every page.</p>";
        let html = format!("<main><h1 id=top>Page {number}</h1><p>{words}</p>{notice}</main>");
        let url = format!("https://a.example/{number}");
        let read = extract(&Page { html: &html, url: &url.parse().unwrap() }, &Options::default());
        DocumentRow {
            number,
            url,
            hash: reader::hash(&read, false),
            words: read.text.split_whitespace().count() as i64,
            content: serde_json::to_string(&read).unwrap(),
            canonical: None,
            visited_at: 0,
            title: read.title,
            description: None,
            language: None,
            framework: None,
            is_own_markdown: false,
            confidence: 0.9,
            tokens_o200k: 0,
            tokens_cl100k: 0,
            alternate_urls: Vec::new(),
        }
    }

    #[test]
    fn no_fact_of_a_page_shows_a_secret() {
        let url = "http://a.test/?password=CaN)aRy";
        let fact = || Some(format!("see {url}"));
        let metadata: Metadata = serde_json::from_value(serde_json::json!({
            "description": fact(), "keywords": fact(), "author": fact(), "generator": fact(), "og_title": fact(),
            "og_description": fact(), "og_type": fact(), "og_site_name": fact(), "article_section": fact(),
            "article_tags": [fact()], "canonical": url,
            "json_ld": [{"type": fact(), "headline": fact(), "description": fact(), "name": fact(), "author": fact()}],
        }))
        .unwrap();
        let page = CapturedPage {
            url: url.to_owned(),
            canonical: Some(url.to_owned()),
            alternate_urls: vec![url.to_owned()],
            title: fact(),
            description: fact(),
            metadata,
            ..CapturedPage::default()
        };
        let shown = serde_json::to_string(&page.clone().shown(Secrets::Masked)).unwrap();
        assert_eq!(shown.matches("***").count(), 21, "{shown}");
        assert!(!shown.contains("CaN") && !shown.contains("aRy"), "{shown}");
        assert_eq!(page.clone().shown(Secrets::Shown), page);
    }

    #[test]
    fn hash_words_and_tokens_are_those_of_the_text_that_is_given() {
        let rows: Vec<DocumentRow> = (1..=6).map(row).collect();
        let mut corpus = Corpus::default();
        rows.iter().for_each(|row| corpus.add(&extracted(row).unwrap()));

        let page = page_of(rows[2].clone(), &corpus).unwrap();

        assert!(!page.text.contains("A notice") && page.text.contains("Page number 3"), "{}", page.text);
        let digest: String = Sha256::digest(page.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(page.hash, digest);
        assert_eq!(page.words, page.text.split_whitespace().count() as i64);
        assert_eq!(page.tokens_o200k, bluesnake_extract::tokens(&page.markdown).o200k as i64);
        assert_eq!(
            page.headings,
            [Heading { words: "Page 3".to_owned(), anchor: Some("top".to_owned()), other_anchors: Vec::new() }]
        );
    }
}
