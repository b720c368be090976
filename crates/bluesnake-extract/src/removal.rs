//! What was removed from a page and why, so that nothing disappears silently.

use serde::{Deserialize, Serialize};

/// A part of the page that is not in its Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// The element, as `tag#id` or `tag.class`; or the beginning of a repeated block.
    pub what: String,
    pub reason: Reason,
    /// Characters of text, excluding white space.
    pub chars: usize,
}

/// Why a part was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    Hidden,
    Navigation,
    Header,
    Footer,
    Sidebar,
    TableOfContents,
    Breadcrumbs,
    Cookies,
    EditLink,
    Pager,
    Feedback,
    Button,
    Form,
    Share,
    Advertisement,
    Related,
    Comments,
    Newsletter,
    Popup,
    LineNumbers,
    Permalink,
    /// Mostly links, on a page that is mostly text.
    Links,
    /// The caller excluded it.
    Excluded,
    /// Outside the main content.
    Outside,
    /// The same block appears on many pages of the site.
    Repeated,
    /// Deeper than the tree limit; the text is kept, its structure is not.
    TooDeep,
    /// Beyond the node limit; the rest of the page is missing.
    TooMany,
    /// Beyond the output limit; a shorter form is kept.
    TooLong,
}
