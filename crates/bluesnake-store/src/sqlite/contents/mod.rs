//! What runs found, for readers: rows in the order of numbers with chosen columns, rows by number, pages of a filtered
//! and sorted list, links out and in, bodies, sections to search; and what is computed when a run is sealed.
//!
//! Which runs there are is in [`super::catalog`]. What a session stores goes through [`super::RunStore`].

pub(super) mod bodies;
mod captures;
pub(super) mod documents;
mod graph;
mod issues;
pub(super) mod kept_responses;
mod links;
mod read;
mod seal;
pub(super) mod sections;
mod tables;
mod urls;

use std::ops::Deref;

use super::Database;

pub use bodies::Body;
pub use issues::{Check, Kind, Priority, all_checks};
pub use links::{LinkFilter, LinkPosition, LinksQuery};
pub use tables::{Column, ColumnKind, Table};
pub use urls::{Order, PageType, Slice, StatusFilter, UrlFilter, UrlPosition, UrlSort, UrlsOf, UrlsQuery};

pub(super) use read::receipt;
pub(super) use tables::value;

/// What runs found.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a>(&'a Database);

impl Database {
    /// What runs found.
    pub fn contents(&self) -> Contents<'_> {
        Contents(self)
    }
}

/// Connections and transactions are those of the file.
impl Deref for Contents<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.0
    }
}
