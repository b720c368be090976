//! A visit: the result of one turn of the queue.
//!
//! Workers make visits and decide nothing. The ledger turns each into a [`Committed`], with the numbers of its links'
//! targets and its similarity to earlier pages, in turn order.

use std::ops::Deref;
use std::time::Duration;

use bytes::Bytes;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::admit::endless::Leads;
use crate::admit::{Refusal, Task, UrlRow};
use crate::document::Document;
use crate::fetch::{Cut, Failure, HttpVersion, Kept, Timings};
use crate::link::Role;
use crate::links::Links;
use crate::parse::facts::{Directives, Page};
use crate::parse::headers;
use crate::receipt::{Disposition, Number, Reason};
use crate::url::CanonicalUrl;

/// How a visit ended. Failures of the web are data here, never errors.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It responded, whatever the status.
    Responded,
    /// It responded with a redirect.
    Redirected {
        /// The target; `None` if the Location is missing or not a URL we crawl.
        to: Option<CanonicalUrl>,
    },
    /// Its redirects led back to where they began. Only weaves follow redirects within a visit.
    RedirectLoop,
    /// It was not requested.
    Refused {
        /// The rule.
        refusal: Refusal,
        /// Details of the rule, for example the line of robots.txt.
        detail: Box<str>,
    },
    /// It did not respond, or not with a readable response.
    Failed(Failure),
}

/// What is known about a response.
#[derive(Clone, Debug)]
pub struct ResponseFacts {
    /// The HTTP status.
    pub status: u16,
    /// The HTTP version.
    pub version: HttpVersion,
    /// The header fields.
    pub headers: http::HeaderMap,
    /// The media type without parameters, in lower case; empty if none was sent.
    pub content_type: Box<str>,
    /// The media type that the first bytes of the body show, if it contradicts [`Self::content_type`].
    pub sniffed: Option<&'static str>,
    /// Bytes of the body on the wire.
    pub wire_bytes: u64,
    /// Bytes of the body after decoding.
    pub body_bytes: u64,
    /// Why the body is incomplete, if it is.
    pub cut: Option<Cut>,
    /// Whether the body is a kept one.
    pub kept: Option<Kept>,
    /// What is wrong with the certificate of a host in `insecure_hosts`.
    pub certificate_problem: Option<String>,
}

/// Whether a page may appear in a search engine, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexability {
    /// Yes.
    Yes,
    /// No, for this reason.
    No(&'static str),
    /// It is not a page.
    NotAPage,
}

impl Indexability {
    /// `Yes`, `No` or `-`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "Yes",
            Self::No(_) => "No",
            Self::NotAPage => "-",
        }
    }

    /// Why not.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::No(reason) => Some(reason),
            Self::Yes | Self::NotAPage => None,
        }
    }
}

/// A committed visit: the worker's result, to which it dereferences, and what the ledger added.
#[derive(Debug)]
#[non_exhaustive]
pub struct Committed {
    /// The worker's result, without links that are numbered later or never.
    pub visit: Box<Visit>,
    /// Where the URL ends up because of it, and why.
    pub reason: Reason,
    /// The numbers of the links' targets, in link order.
    pub targets: Vec<Number>,
    /// The first page with exactly these bytes.
    pub identical_to: Option<Number>,
    /// The first page with this content.
    pub duplicate_of: Option<Number>,
    /// Whether that page is the other form of this one: one is HTML, the other the site's own Markdown.
    pub is_twin: bool,
    /// Whether it counts toward the page limit of its seed.
    pub is_unique_page: bool,
    /// What its links led to, for documents whose links were or could have been followed.
    pub leads: Option<Leads>,
}

impl Deref for Committed {
    type Target = Visit;

    fn deref(&self) -> &Visit {
        &self.visit
    }
}

impl Committed {
    /// Whether an earlier page has the same content.
    pub fn is_copy(&self) -> bool {
        self.duplicate_of.is_some() || self.identical_to.is_some()
    }

    /// Whether no earlier page has this content.
    pub(crate) fn says_something_new(&self) -> bool {
        self.is_twin || !self.is_copy()
    }

    /// Its memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.visit.weight() + size_of_val(&*self.targets)
    }
}

/// The result of one turn of the queue.
#[derive(Debug)]
#[non_exhaustive]
pub struct Visit {
    /// The URL, as in the ledger when it was admitted.
    pub row: UrlRow,
    /// How it ended.
    pub outcome: Outcome,
    /// The response, if there was one.
    pub response: Option<ResponseFacts>,
    /// Whether it was parsed as a page.
    pub is_read: bool,
    /// Whether it is a page that is empty without JavaScript and was not rendered, because rendering is off.
    pub is_shell: bool,
    /// The page's facts. Once a store has packed them, they are kept only for listeners that need whole visits; see
    /// [`crate::Crawler::keep_whole_visits`].
    pub page: Option<Box<Page>>,
    /// The directives of the page and its header.
    pub directives: Directives,
    /// Whether a search engine may show it.
    pub indexability: Indexability,
    /// All links, in document order.
    pub links: Links,
    /// Links beyond the limit per page, which were dropped.
    pub links_cut: usize,
    /// Fingerprint of the raw body of a page.
    pub raw_hash: Option<u64>,
    /// The key that copies of a page share: the fingerprint of its content or, without one, of its bytes.
    pub content_key: Option<u64>,
    /// Whether the content has its own fingerprint.
    pub has_content: bool,
    /// A fingerprint of a page apart from its text: pages of a maze differ only in their links.
    pub shape: Option<u64>,
    /// The line of robots.txt that would have refused it, in report-only mode.
    pub robots_report: Option<Box<str>>,
    /// Anything else to report: a broken sitemap, a truncated response.
    pub note: Option<Box<str>>,
    /// Timings of the last attempt, by phase.
    pub timings: Timings,
    /// How many attempts were made.
    pub attempts: u32,
    /// The page as received, if the plan keeps it.
    pub html: Option<Bytes>,
    /// The rendered document, if the plan keeps documents.
    pub rendered: Option<Bytes>,
    /// A picture of the rendered page, as PNG.
    pub screenshot: Option<Bytes>,
    /// What the plan extracts from the page, and what was read from an llms.txt, as a JSON object.
    pub extracted: Option<Box<str>>,
    /// Its text, if documents are extracted.
    pub document: Option<Box<Document>>,
    /// The store's packed form, from [`crate::Store::pack`].
    pub packed: Option<Box<[u8]>>,
}

impl Visit {
    /// A visit that ended before anything could be parsed.
    pub(crate) fn without_response(row: UrlRow, outcome: Outcome) -> Self {
        Self {
            row,
            outcome,
            response: None,
            is_read: false,
            is_shell: false,
            page: None,
            directives: Directives::default(),
            indexability: Indexability::NotAPage,
            links: Links::default(),
            links_cut: 0,
            raw_hash: None,
            content_key: None,
            has_content: false,
            shape: None,
            robots_report: None,
            note: None,
            timings: Timings::default(),
            attempts: 0,
            html: None,
            rendered: None,
            screenshot: None,
            extracted: None,
            document: None,
            packed: None,
        }
    }

    /// A URL that was not requested.
    pub(crate) fn refused(row: UrlRow, refusal: Refusal, detail: impl Into<Box<str>>) -> Self {
        Self::without_response(row, Outcome::Refused { refusal, detail: detail.into() })
    }

    /// A URL that failed.
    pub(crate) fn failed(row: UrlRow, failure: Failure) -> Self {
        Self::without_response(row, Outcome::Failed(failure))
    }

    /// The URL.
    pub fn url(&self) -> &CanonicalUrl {
        &self.row.url
    }

    /// Its number among all URLs of the run.
    pub fn number(&self) -> Number {
        self.row.number
    }

    /// The HTTP status, if there was a response.
    pub fn status(&self) -> Option<u16> {
        self.response.as_ref().map(|response| response.status)
    }

    /// The media type, if there was a response.
    pub fn content_type(&self) -> &str {
        self.response.as_ref().map_or("", |response| &response.content_type)
    }

    /// The title of the page.
    pub fn title(&self) -> Option<&str> {
        self.page.as_ref().and_then(|page| page.title.as_deref())
    }

    /// Why it failed, as a sentence.
    pub fn error(&self) -> Option<String> {
        match &self.outcome {
            Outcome::Failed(failure) => Some(failure.to_string()),
            _ => None,
        }
    }

    /// Whether it is a page: parsed as HTML, or expected to be a page and failed.
    pub fn is_page(&self) -> bool {
        match self.outcome {
            Outcome::Responded => {
                self.is_read || (self.row.task == Task::Page && headers::is_html(self.content_type()))
            }
            Outcome::Failed(_) => self.row.task == Task::Page,
            _ => false,
        }
    }

    /// How long the server took until the response or the failure.
    pub fn elapsed(&self) -> Duration {
        self.timings.total
    }

    /// Where the URL ends up, judged by the visit alone; only a ledger knows whether a redirect closes a loop.
    pub(crate) fn own_reason(&self) -> Reason {
        match &self.outcome {
            Outcome::Responded => self.class(),
            Outcome::Redirected { to: Some(_) } => Reason::Redirect,
            Outcome::Redirected { to: None } => Reason::BadLocation,
            Outcome::RedirectLoop => Reason::RedirectLoop,
            Outcome::Refused { refusal, .. } => Reason::Refused(*refusal),
            Outcome::Failed(failure) => failure.kind.into(),
        }
    }

    fn class(&self) -> Reason {
        match self.status().unwrap_or(0) {
            400..=499 => Reason::ClientError,
            500..=599 => Reason::ServerError,
            _ if self.row.task == Task::Sitemap => Reason::Sitemap,
            _ if self.row.task == Task::Robots => Reason::RobotsFile,
            _ if self.is_read => Reason::Page,
            _ => Reason::Resource,
        }
    }

    /// Enough bits of the byte fingerprint to distinguish exact copies from pages with the same content.
    pub fn raw_bits(&self) -> u32 {
        self.raw_hash.unwrap_or_default() as u32
    }

    /// Whether the server sent Markdown.
    pub(crate) fn is_own_markdown(&self) -> bool {
        self.document.as_ref().is_some_and(|document| document.is_own_markdown)
    }

    /// Whether a request was made, so that it counts toward budgets.
    pub(crate) fn was_fetched(&self) -> bool {
        self.own_reason().disposition() != Disposition::Refused
    }

    /// Its memory in bytes, for the window's byte limit.
    pub fn weight(&self) -> usize {
        let parts = [
            size_of::<Self>() + self.row.url.as_str().len(),
            self.response.as_ref().map_or(0, ResponseFacts::weight),
            self.page.as_ref().map_or(0, |page| page.weight()),
            self.links.weight(),
            self.document.as_ref().map_or(0, |document| document.weight()),
            [&self.html, &self.rendered, &self.screenshot].map(|body| body.as_ref().map_or(0, Bytes::len)).iter().sum(),
            self.extracted.as_ref().map_or(0, |extracted| extracted.len()),
            self.packed.as_ref().map_or(0, |packed| packed.len()),
        ];
        parts.iter().sum()
    }

    /// Drops what a store has packed. Links that may be deferred are stored separately later, with the text around
    /// them.
    pub(crate) fn drop_what_is_packed(&mut self, may_be_put_off: bool) {
        (self.page, self.extracted) = (None, None);
        (self.html, self.rendered, self.screenshot) = (None, None, None);
        if let Some(document) = &mut self.document {
            (document.content, document.sections) = (String::new(), Vec::new());
        }
        if let Some(response) = &mut self.response {
            response.headers = http::HeaderMap::new();
        }
        if !may_be_put_off {
            self.links.drop_contexts();
        }
    }

    /// Copies the header fields, which are slices of the connection's read buffer and would keep all of it alive.
    pub(crate) fn detach_headers(&mut self) {
        if let Some(response) = &mut self.response {
            response.headers = detached(&response.headers);
        }
    }
}

fn detached(headers: &http::HeaderMap) -> http::HeaderMap {
    let copy = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let copy = Bytes::copy_from_slice(value.as_bytes());
        let copy = http::HeaderValue::from_maybe_shared(copy).expect("the value of a header is one");
        (name.clone(), copy)
    };
    headers.iter().map(copy).collect()
}

impl Visit {
    /// Fingerprints what was read.
    pub(crate) fn take_fingerprints(&mut self) {
        let Some(page) = self.page.as_deref() else { return };
        self.is_read = true;
        self.has_content = page.content_hash.is_some();
        self.content_key = page.content_hash.as_ref().map(|hash| xxh3_64(hash.as_bytes())).or(self.raw_hash);
        let is_whole = self.response.as_ref().is_some_and(ResponseFacts::is_whole);
        self.shape = is_whole.then(|| shape(page));
    }

    /// Whether later pages are compared with it: a truncated page does not count.
    pub(crate) fn owns_content(&self) -> bool {
        self.is_read && self.response.as_ref().is_some_and(ResponseFacts::is_whole)
    }

    /// Bytes of the body on the wire.
    pub fn wire_bytes(&self) -> u64 {
        self.response.as_ref().map_or(0, |response| response.wire_bytes)
    }

    /// Whether it could have led to further pages: a document, or a file linked like a page.
    pub(crate) fn can_lead_on(&self) -> bool {
        let is_linked_to = self.row.task == Task::Page && self.row.kind.role() == Role::Page;
        matches!(self.outcome, Outcome::Responded) && (self.is_read || !self.links.is_empty() || is_linked_to)
    }
}

/// See [`Visit::shape`].
fn shape(page: &Page) -> u64 {
    let mut shape = Xxh3::new();
    shape.update(page.title.as_deref().unwrap_or_default().as_bytes());
    page.headings.iter().for_each(|heading| shape.update(heading.text.as_bytes()));
    for count in [page.word_count, page.element_count, page.headings.len()] {
        shape.update(&count.to_le_bytes());
    }
    shape.digest()
}

impl ResponseFacts {
    fn is_whole(&self) -> bool {
        (200..300).contains(&self.status) && self.cut.is_none()
    }

    fn weight(&self) -> usize {
        let field = size_of::<(http::HeaderName, http::HeaderValue)>();
        let headers = self.headers.values().map(|value| field + value.len()).sum::<usize>();
        headers + self.content_type.len() + self.certificate_problem.as_ref().map_or(0, String::len)
    }

    /// A response of which only the status is known.
    pub(crate) fn with_status(status: u16) -> Self {
        Self {
            status,
            version: HttpVersion::Http11,
            headers: http::HeaderMap::new(),
            content_type: Box::default(),
            sniffed: None,
            wire_bytes: 0,
            body_bytes: 0,
            cut: None,
            kept: None,
            certificate_problem: None,
        }
    }
}
