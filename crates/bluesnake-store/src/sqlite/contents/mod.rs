//! The results of runs, for readers: rows in number order with chosen columns, rows by number, pages of a filtered
//! and sorted list, links out and in, bodies, sections to search; and what is computed when a run is sealed.
//!
//! The runs themselves are in [`super::catalog`]. Sessions store their results through [`super::RunStore`].

mod audit;
pub(super) mod bodies;
mod captures;
mod compare;
pub(super) mod documents;
mod filters;
mod graph;
mod grid;
pub(super) mod kept_responses;
mod links;
mod names;
mod read;
mod seal;
pub(super) mod sections;
mod tables;
mod urls;
mod walk;

use std::ops::Deref;

use super::Database;

pub use audit::*;
pub use bodies::{Body, BodyForm};
pub use captures::{CaptureFigures, FailedPage, FailedPages};
pub use compare::{ComparedRuns, ComparedUrl, RobotsHeaders, UrlIdentity, UrlReader};
pub use documents::DocumentRow;
pub use filters::{PageType, StatusFilter, UrlFilter};
pub use graph::{EdgeRecord, GraphFigures, NodeRecord};
pub use grid::*;
pub use kept_responses::KeptResponse;
pub use links::{LinkFilter, LinkPosition, LinkRow, LinksQuery};
pub use read::{BrokenUrl, CutUrl, SeedFate, SlowPage};
pub use sections::{Candidate, FoundSection};
pub use tables::{Column, ColumnKind, Table, Value};
pub use urls::{Order, Slice, UrlPosition, UrlRecord, UrlSort, UrlsOf, UrlsQuery};

pub(super) use audit::DERIVED;
pub(super) use grid::Kept;
pub(super) use read::receipt;
pub(super) use tables::value;

/// The results of runs.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a>(&'a Database);

impl Database {
    /// The results of runs.
    pub fn contents(&self) -> Contents<'_> {
        Contents(self)
    }
}

/// Uses the connections and transactions of the file.
impl Deref for Contents<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.0
    }
}
