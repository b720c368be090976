//! The document of a page: its text as Markdown, without the site around it.
//!
//! The engine does not extract documents itself. The caller provides a [`Reader`] (see
//! [`crate::Crawler::read_documents`]); its result travels with the visit, and its hash decides which pages are
//! duplicates.

use std::sync::Arc;

use crate::space::weight_of;
use crate::url::CanonicalUrl;

/// Extracts a document from a response; `None` if there is none.
pub type Reader = Arc<dyn Fn(&Source<'_>) -> Option<Document> + Send + Sync>;

/// The input of a reader.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its URL.
    pub url: &'a CanonicalUrl,
    /// The media type, in lower case and without parameters.
    pub content_type: &'a str,
    /// The decoded text.
    pub text: &'a str,
}

/// The main text of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The full text, in the reader's own format.
    pub content: String,
    /// Fingerprint of the cleaned text; pages with the same one are duplicates.
    pub hash: Box<str>,
    /// Its title.
    pub title: Option<String>,
    /// Its own description, in a sentence.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// The generator of the site, if recognised.
    pub framework: Option<Box<str>>,
    /// Whether the server sent Markdown, so that no HTML was converted.
    pub is_own_markdown: bool,
    /// How confident the reader is that this is the text of the page, from 0 to 1.
    pub confidence: f32,
    /// Number of words.
    pub words: usize,
    /// Its token counts for language models.
    pub tokens: Tokens,
    /// The text by heading, for search; at most [`Document::MOST_SECTIONS`].
    pub sections: Vec<Section>,
}

/// The token counts of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// By the encoding o200k_base.
    pub o200k: u32,
    /// By the encoding cl100k_base.
    pub cl100k: u32,
}

/// A heading and the text below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// 1 to 6; 0 for the text before the first heading.
    pub level: u8,
    /// Its text.
    pub heading: String,
    /// Its anchor id.
    pub anchor: Option<String>,
    /// The text up to the next heading.
    pub text: String,
}

impl Document {
    /// The maximum number of sections per page that can be stored and searched.
    pub const MOST_SECTIONS: usize = 1 << 12;

    /// Its memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        let texts = [&self.title, &self.description, &self.language].into_iter().flatten().map(String::len);
        let sections = weight_of(&self.sections, |section| {
            section.heading.len() + section.anchor.as_ref().map_or(0, String::len) + section.text.len()
        });
        size_of::<Self>() + self.content.len() + self.hash.len() + texts.sum::<usize>() + sections
    }
}

/// Whether this is a media type of Markdown.
pub(crate) fn is_markdown_type(content_type: &str) -> bool {
    matches!(content_type, "text/markdown" | "text/x-markdown")
}

/// Whether a response may be Markdown: by its media type, or plain text with a Markdown file name.
pub(crate) fn may_be_markdown(url: &CanonicalUrl, content_type: &str) -> bool {
    is_markdown_type(content_type) || (content_type == "text/plain" && url.path().ends_with(".md"))
}
