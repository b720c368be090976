//! The memory of crawls: projects, runs and everything they found, in one SQLite file.
//!
//! [`Database`] opens the file and owns its one writer; [`RunStore`] is the engine's port for one run. What happens to a
//! run is checked by the state machine in [`state`]. Nothing here decides what is crawled.

#![warn(missing_docs)]

mod error;
mod rows;
mod sqlite;
pub mod state;

pub use crate::error::DatabaseError;
pub use crate::rows::{
    BrokenUrl, CaptureFigures, ConfigRow, CrawlRow, CutUrl, DocumentRow, EdgeRecord, FailedPage, Favicon, FoundSection,
    GraphFigures, KeptResponse, LinkRow, NodeRecord, ProjectFigures, ProjectRow, RunCounts, RunFigures, RunRow,
    SeedFate, SlowPage, TypeCounts, UrlRecord, Value,
};
pub use crate::sqlite::{
    Body, Check, Claim, Column, ColumnKind, Database, Kind, Limits, LinkFilter, LinkPosition, LinksQuery, Order,
    PageType, Priority, QueryResult, Repaired, RepairedTable, RunStore, SessionEnd, Slice, StartedCrawl, StatusFilter,
    Table, UrlFilter, UrlPosition, UrlSort, UrlsOf, UrlsQuery, repair,
};
