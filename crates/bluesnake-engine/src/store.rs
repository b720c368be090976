//! The engine's only port: where a crawl stores its results.
//!
//! The engine hands over [`Batch`]es in order and reads back only what should not be held in memory: URLs whose turn
//! has not come. A store that applies each batch as one transaction survives a crash at any moment: what is missing
//! is fetched again and gets the same numbers. [`crate::memory::MemoryStore`] is the reference implementation.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::admit::UrlRow;
use crate::admit::endless::Leads;
use crate::links::Links;
use crate::receipt::{Number, Reason, Turn};
use crate::url::CanonicalUrl;
use crate::visit::{Committed, Visit};

/// A future behind a pointer, so that stores can be used as `Arc<dyn Store>`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A store failure. The crawl stops with an error and can be resumed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// What was tried and why it failed, as a sentence.
    pub message: String,
    /// The underlying error.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error without an underlying one.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }
}

/// Links of a visit that was committed out of turn; their targets are numbered once everything else is done.
#[derive(Clone, Debug)]
pub struct Deferred {
    /// The URL they were found at.
    pub from: UrlRow,
    /// The links, in document order.
    pub links: Links,
    /// Whether their page says nofollow.
    pub says_nofollow: bool,
}

/// Deferred links whose targets have been numbered.
#[derive(Clone, Debug)]
pub struct LateLinks {
    /// The URL they were found at.
    pub from: Number,
    /// The links, in document order.
    pub links: Links,
    /// The numbers of their targets.
    pub targets: Vec<Number>,
}

/// A set of changes; a store applies all of them or none.
#[derive(Debug, Default)]
pub struct Batch {
    /// New URLs, or replacements for the row of the same number.
    pub urls: Vec<UrlRow>,
    /// Visits, each with its links; the URL's reason becomes [`Committed::reason`].
    pub visits: Vec<Arc<Committed>>,
    /// URLs that ended without a visit, or whose reason has changed.
    pub settled: Vec<(Number, Reason)>,
    /// Links to keep until their targets are numbered.
    pub deferred: Vec<Deferred>,
    /// Formerly deferred links; the deferred entry of the same number is finished.
    pub late_links: Vec<LateLinks>,
}

impl Batch {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty()
            && self.visits.is_empty()
            && self.settled.is_empty()
            && self.deferred.is_empty()
            && self.late_links.is_empty()
    }
}

/// What the ledger must remember about a visit of an earlier session.
#[derive(Clone, Debug)]
pub struct StoredVisit {
    /// [`Visit::content_key`], if the visit was the first with this content.
    pub content_key: Option<u64>,
    /// The page whose other form this is, see [`Committed::is_twin`].
    pub twin_of: Option<Number>,
    /// Whether the server sent Markdown.
    pub is_own_markdown: bool,
    /// [`Visit::raw_bits`].
    pub raw_bits: u32,
    /// [`Visit::shape`].
    pub shape: Option<u64>,
    /// Whether the content was that of an earlier page.
    pub is_duplicate: bool,
    /// What it redirects to.
    pub redirects_to: Option<(Number, CanonicalUrl)>,
    /// [`Committed::is_unique_page`].
    pub is_unique_page: bool,
    /// Whether a request was made.
    pub was_fetched: bool,
    /// [`Committed::leads`].
    pub leads: Option<Leads>,
    /// [`Visit::wire_bytes`].
    pub wire_bytes: u64,
}

impl StoredVisit {
    /// What to remember about a visit. The store knows where a redirect leads; it may learn that later.
    pub fn of(visit: &Committed, redirects_to: Option<(Number, CanonicalUrl)>) -> Self {
        Self {
            content_key: visit.content_key.filter(|_| visit.says_something_new() && visit.owns_content()),
            twin_of: visit.duplicate_of.filter(|_| visit.is_twin),
            is_own_markdown: visit.is_own_markdown(),
            raw_bits: visit.raw_bits(),
            shape: visit.shape,
            is_duplicate: visit.is_copy(),
            redirects_to,
            is_unique_page: visit.is_unique_page,
            was_fetched: visit.was_fetched(),
            leads: visit.leads,
            wire_bytes: visit.wire_bytes(),
        }
    }
}

/// A URL of an earlier session.
#[derive(Clone, Debug)]
pub struct StoredUrl {
    /// The row, with its current reason.
    pub row: UrlRow,
    /// Its visit, if it had one.
    pub visit: Option<StoredVisit>,
}

/// Where a crawl stores its results.
pub trait Store: Send + Sync {
    /// Converts the large parts of a visit into the form this store writes. The result is returned in
    /// [`Visit::packed`], and while the visit waits for its turn nothing else in it needs to be kept. `None` keeps
    /// the visit whole.
    ///
    /// Workers call this concurrently and in any order, before it is known where the visit ends up. A store must also
    /// commit visits that were not packed.
    fn pack(&self, _visit: &Visit) -> Option<Box<[u8]>> {
        None
    }

    /// Applies a batch, all of it or nothing. Batches arrive one by one, in order.
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>>;

    /// URLs of earlier sessions with numbers above `after`, in number order, at most `limit`.
    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>>;

    /// Pending URLs with turns above `after`, in turn order, at most `limit`.
    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>>;

    /// Deferred links with numbers above `after`, in number order, at most `limit`; each with its current row.
    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>>;
}
