//! The text of anchors and headings, and the text around anchors.
//!
//! While a page is read, only their positions in the visible text are recorded. When the text is complete, [`fill`]
//! cuts text and context out of it.

use std::borrow::Cow;

use crate::link::Link;
use crate::parse::facts::{Heading, Page};
use crate::parse::text::{VisibleText, collapse, cut, cut_front};

/// How much of a link's text to keep.
const TEXT_CHARS: usize = 500;
/// How much of the text before and after a link to keep.
const CONTEXT_CHARS: usize = 40;
/// How much of a link's text to include in its context.
const CONTEXT_TEXT_CHARS: usize = 200;
/// How much of a heading to keep.
const HEADING_CHARS: usize = 1_000;

/// An anchor that is still open.
#[derive(Debug)]
pub(super) struct OpenAnchor<'a> {
    link: Option<usize>,
    /// What it is called if it has no text.
    label: Option<Cow<'a, str>>,
    start: usize,
    /// Its text, if it is not simply part of the visible text: images have an `alt`, `<noscript>` is not visible.
    words: Option<VisibleText>,
}

impl<'a> OpenAnchor<'a> {
    /// An anchor that begins here and whose words belong to a link, if it is one.
    pub(super) fn new(link: Option<usize>, label: Option<Cow<'a, str>>, visible: &VisibleText) -> Self {
        Self { link, label, start: visible.len(), words: None }
    }

    /// Adds visible text, which was already added to `visible`.
    #[inline]
    pub(super) fn add_visible(&mut self, text: &str) {
        if let Some(words) = &mut self.words {
            words.push(text);
        }
    }

    /// Adds words that are not visible as text.
    pub(super) fn add_hidden(&mut self, text: &str, visible: &VisibleText) {
        let words = self.words.get_or_insert_with(|| {
            let mut words = VisibleText::default();
            words.push(&visible.as_str()[self.start..]);
            words
        });
        words.space();
        words.push(text);
        words.space();
    }

    /// Its place, when it is a link.
    pub(super) fn close(self, visible: &VisibleText) -> Option<Caption> {
        let mut words = self.words.map(VisibleText::into_string);
        let is_wordless = |words: &str| words.trim_ascii().is_empty();
        if let Some(label) = self.label
            && is_wordless(words.as_deref().unwrap_or(&visible.as_str()[self.start..]))
        {
            words = Some(collapse(&label));
        }
        Some(Caption { link: self.link?, start: self.start, end: visible.len(), words })
    }
}

/// Where the words of a link stand in the visible text.
#[derive(Debug)]
pub(super) struct Caption {
    link: usize,
    start: usize,
    end: usize,
    words: Option<String>,
}

impl Caption {
    /// The place of its link.
    pub(super) fn link(&self) -> usize {
        self.link
    }
}

/// Sets the text and context of links.
pub(super) fn fill(links: &mut [Link], captions: Vec<Caption>, visible: &str) {
    for caption in captions {
        let inner = &visible[caption.start..caption.end];
        let link = &mut links[caption.link];
        link.text = match &caption.words {
            Some(words) => cut(words, TEXT_CHARS).into(),
            None => one_line(cut(inner.trim_ascii(), TEXT_CHARS)),
        };
        link.context = context(visible, caption.start, caption.end);
    }
}

/// A few words before and after within the block, with the link's text between them; empty if the link stands alone.
fn context(visible: &str, start: usize, end: usize) -> Box<str> {
    if stands_alone(visible.as_bytes(), start, end) {
        return Box::default();
    }
    let inner = &visible[start..end];
    let before = if inner.starts_with('\n') { "" } else { end_of_block(&visible[..start]) };
    let after = start_of_block(&visible[end..]);
    if before.trim_ascii().is_empty() && after.trim_ascii().is_empty() {
        return Box::default();
    }
    let inner = cut(inner, CONTEXT_TEXT_CHARS);
    let mut context = String::with_capacity(before.len() + inner.len() + after.len());
    context.push_str(before.trim_ascii_start());
    context.push_str(inner);
    context.push_str(after.trim_ascii_end());
    one_line(context.trim_ascii())
}

/// Whether a link is the only content of its block, as in a menu.
fn stands_alone(visible: &[u8], start: usize, end: usize) -> bool {
    let begins = start == 0 || visible[start - 1] == b'\n' || visible.get(start) == Some(&b'\n');
    begins && visible.get(end).is_none_or(|&next| next == b'\n')
}

fn end_of_block(text: &str) -> &str {
    let near =
        cut_front(&text[text.floor_char_boundary(text.len().saturating_sub(4 * CONTEXT_CHARS))..], CONTEXT_CHARS);
    memchr::memrchr(b'\n', near.as_bytes()).map_or(near, |end| &near[end + 1..])
}

fn start_of_block(text: &str) -> &str {
    let near = cut(&text[..text.floor_char_boundary(4 * CONTEXT_CHARS)], CONTEXT_CHARS);
    memchr::memchr(b'\n', near.as_bytes()).map_or(near, |end| &near[..end])
}

/// The text with its blocks on one line.
fn one_line(text: &str) -> Box<str> {
    if memchr::memchr(b'\n', text.as_bytes()).is_none() { text.into() } else { text.replace('\n', " ").into() }
}

/// A heading that is still open.
#[derive(Debug)]
pub(super) struct OpenHeading {
    level: u8,
    start: usize,
    alt: String,
}

impl OpenHeading {
    pub(super) fn new(level: u8, visible: &VisibleText) -> Self {
        Self { level, start: visible.len(), alt: String::new() }
    }

    /// Adds the `alt` of an image.
    pub(super) fn add_alt(&mut self, alt: &str) {
        if !self.alt.is_empty() {
            self.alt.push(' ');
        }
        self.alt.push_str(cut(alt, HEADING_CHARS));
    }

    /// Records the heading.
    pub(super) fn close(self, visible: &VisibleText, page: &mut Page) {
        page.h1_count += usize::from(self.level == 1);
        page.h2_count += usize::from(self.level == 2);
        if page.headings.len() < Page::HEADINGS {
            let text = cut(visible.as_str()[self.start..].trim_ascii(), HEADING_CHARS);
            page.headings.push(Heading {
                level: self.level,
                text: one_line(text).into(),
                alt: cut(&self.alt, HEADING_CHARS).to_owned(),
            });
        }
    }
}
