//! The rows of a run, as a store reads them back in number order. Checks work from these.

use crate::admit::Task;
use crate::link::{LinkKind, PathType, Position, Rel};
use crate::receipt::{Reason, Source};

/// The state of one URL: what checks of other URLs need to know about it.
#[derive(Clone, Copy, Debug)]
pub struct StateRow<'a> {
    /// Its number.
    pub number: u32,
    /// The URL.
    pub url: &'a str,
    /// Where it was first found.
    pub source: Source,
    /// The kind of the first link to it.
    pub kind: LinkKind,
    /// What it was requested for.
    pub task: Task,
    /// Whether it belongs to the site.
    pub is_internal: bool,
    /// Whether depths are counted from it.
    pub is_seed: bool,
    /// Where it ended up, and why.
    pub reason: Reason,
    /// How often it was requested.
    pub attempts: u32,
    /// HTTP status.
    pub status: Option<u16>,
    /// The number of the URL it redirects to.
    pub redirect_to: Option<u32>,
    /// `Some(true)` for an indexable page, `Some(false)` for another page.
    pub is_indexable: Option<bool>,
    /// Why it is not indexable.
    pub indexable_reason: Option<&'a str>,
    /// Whether robots must not follow its links.
    pub is_nofollow: bool,
    /// Whether it was read as an HTML page.
    pub is_page: bool,
    /// Whether its links are stored: not for a copy of another page, nor while they are deferred.
    pub has_links: bool,
    /// The id of its response headers.
    pub headers: Option<u32>,
    /// The effective canonical URL of a page whose links are not stored; those of other pages are among their links.
    pub canonical: Option<&'a str>,
}

/// What a visit stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitRow<'a> {
    /// The media type without parameters.
    pub content_type: Option<&'a str>,
    /// The id of its response headers.
    pub headers: Option<u32>,
    /// Bytes of the body as transferred.
    pub wire_bytes: Option<u64>,
    /// Bytes of the body after decoding.
    pub body_bytes: Option<u64>,
    /// Why the body is incomplete.
    pub cut: Option<&'a str>,
    /// Anything else to report about the visit.
    pub note: Option<&'a str>,
    /// The error, as a sentence.
    pub error: Option<&'a str>,
    /// Details of a refusal, for example the line of robots.txt.
    pub detail: Option<&'a str>,
    /// The line of robots.txt that was ignored.
    pub robots_report: Option<&'a str>,
    /// Microseconds from the request to the first byte.
    pub first_byte_us: Option<u64>,
    /// Fingerprint of the raw body.
    pub raw_hash: Option<i64>,
    /// The first page with exactly these bytes.
    pub identical_to: Option<u32>,
    /// The media type of the content, if it contradicts the header.
    pub sniffed: Option<&'a str>,
    /// JSON: what was extracted on request, and what an llms.txt looks like.
    pub extracted: Option<&'a str>,
    /// Its facts, if it is an HTML page.
    pub page: Option<PageFacts<'a>>,
}

/// The facts of an HTML page.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageFacts<'a> {
    /// The first title.
    pub title: Option<&'a str>,
    /// The first meta description.
    pub description: Option<&'a str>,
    /// The first h1.
    pub h1: Option<&'a str>,
    /// The first h2.
    pub h2: Option<&'a str>,
    /// `<html lang>`.
    pub lang: Option<&'a str>,
    /// Words of the visible text.
    pub word_count: u32,
    /// Words without navigation, header, footer and sidebar; `None` if they were not counted.
    pub main_words: Option<u32>,
    /// All other facts: JSON without defaults, as the store writes it.
    pub facts: &'a str,
    /// The MinHash of its main text: two bytes per slot.
    pub signature: Option<&'a [u8]>,
}

/// The place and text that links have in common.
#[derive(Clone, Copy, Debug)]
pub struct AnchorRow<'a> {
    /// The kind of link.
    pub kind: LinkKind,
    /// Its `rel` words and target.
    pub rel: Rel,
    /// Where on the page it is.
    pub position: Position,
    /// How the reference was written.
    pub path_type: PathType,
    /// Its text, or the text of its image.
    pub text: &'a str,
}
