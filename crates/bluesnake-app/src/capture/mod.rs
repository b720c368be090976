//! Captures: documentation sites as clean Markdown.
//!
//! A capture is a run like any other, with a reader at its side: `reader.rs` makes a document of each page, the store
//! keeps it, `settle.rs` takes from what is searched what all pages repeat, `pages.rs` gives the documents back, and
//! `search.rs` finds words in them.

mod masked;
pub mod output;
mod pages;
mod preview;
mod reader;
mod search;
mod settle;
mod view;
mod write;

pub use pages::{CapturedPage, DocumentsQuery, Heading};
pub use preview::{Previewed, preview};
pub use search::Found;
pub use view::{CaptureBase, CaptureError, CaptureStatus, CaptureView};

pub(crate) use pages::Repeated;
pub(crate) use reader::{earlier, read};
pub(crate) use settle::settle;
