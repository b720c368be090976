//! Errors of the engine itself. Failures of the web are an [`crate::visit::Outcome`], never an error.

use crate::fetch::{Failure, FetchError};
use crate::plan::PlanProblems;
use crate::store::StoreError;

/// Why a crawl could not start or continue.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// The settings are invalid and must be changed.
    #[error("invalid plan")]
    Plan(#[from] PlanProblems),
    /// The HTTP client could not be set up; a setting or a file must be changed.
    #[error("cannot send requests with these settings")]
    Fetch(#[from] FetchError),
    /// The store failed; the crawl can be resumed once it works again.
    #[error("cannot store the crawl")]
    Store(#[from] StoreError),
    /// This machine cannot open more connections; the crawl can be resumed once it can.
    #[error("cannot open any more connections")]
    Shortage(#[source] Failure),
    /// A bug; the crawl can be resumed.
    #[error("the crawl failed: {0}")]
    Bug(String),
}
