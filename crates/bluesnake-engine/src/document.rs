//! What a reader makes of a page: its text as Markdown, without the site around it.
//!
//! The engine does not read documents itself. Whoever captures them gives it a [`Reader`] (see
//! [`crate::Crawler::read_documents`]); what that returns travels with the visit, and its hash decides which pages say
//! the same.

use std::sync::Arc;

use crate::url::CanonicalUrl;

/// Reads documents out of responses; `None` when there is none in it.
pub type Reader = Arc<dyn Fn(&Source<'_>) -> Option<Document> + Send + Sync>;

/// What a reader is given.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Where it comes from.
    pub url: &'a CanonicalUrl,
    /// The media type, in lower case and without parameters.
    pub content_type: &'a str,
    /// The decoded text.
    pub text: &'a str,
}

/// The text of a page that is worth keeping.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// All of it, in the form in which the reader wants to find it again.
    pub content: String,
    /// Fingerprint of the cleaned text; pages with the same one say the same.
    pub hash: Box<str>,
    /// Its title.
    pub title: Option<String>,
    /// What it says of itself in a sentence.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// The generator of the site, when it was recognised.
    pub framework: Option<Box<str>>,
    /// Whether the server gave Markdown; there was nothing to make of HTML then.
    pub is_own_markdown: bool,
    /// How sure the reader is that this is the text of the page, from 0 to 1.
    pub confidence: f32,
    /// Number of words.
    pub words: usize,
    /// How many tokens it is for language models.
    pub tokens: Tokens,
    /// The text by headings, for search; at most [`Document::MOST_SECTIONS`].
    pub sections: Vec<Section>,
}

/// How many tokens a text is.
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
    /// 1 to 6; 0 is what stands before the first heading.
    pub level: u8,
    /// Its words.
    pub heading: String,
    /// The id by which it can be linked to.
    pub anchor: Option<String>,
    /// The text up to the next heading.
    pub text: String,
}

impl Document {
    /// As many sections of a page can be stored and found by themselves.
    pub const MOST_SECTIONS: usize = 1 << 12;

    /// What it occupies in memory.
    pub(crate) fn weight(&self) -> usize {
        let texts = [&self.title, &self.description, &self.language].into_iter().flatten().map(String::len);
        let sections = self.sections.iter().map(Section::weight);
        size_of::<Self>() + self.content.len() + self.hash.len() + texts.chain(sections).sum::<usize>()
    }
}

impl Section {
    fn weight(&self) -> usize {
        let anchor = self.anchor.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.heading.len() + anchor + self.text.len()
    }
}

/// Media types of Markdown.
pub(crate) fn is_markdown_type(content_type: &str) -> bool {
    matches!(content_type, "text/markdown" | "text/x-markdown")
}

/// Whether a response may be a document in Markdown: by its media type, or plain text by the name of a Markdown file.
pub(crate) fn may_be_markdown(url: &CanonicalUrl, content_type: &str) -> bool {
    is_markdown_type(content_type) || (content_type == "text/plain" && url.path().ends_with(".md"))
}
