//! What was left out of a page and why, so that nothing disappears silently.

use serde::{Deserialize, Serialize};

/// A part of the page that is not in its Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// The element, as `tag#id` or `tag.class`; or the beginning of a repeated block.
    pub what: String,
    pub reason: Reason,
    /// Characters of text, white space not counted.
    pub chars: usize,
}

/// Why a part was left out.
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
    /// Mostly links, beside a page that is mostly text.
    Links,
    /// Outside the part of the page that holds its content.
    Outside,
    /// The same block stands on many pages of the site.
    Repeated,
    /// Deeper than the tree may grow; the text is kept, its structure is not.
    TooDeep,
    /// More elements and texts than a page may have; the rest of the page is missing.
    TooMany,
    /// More than a page may grow; what was written instead is kept.
    TooLong,
}
