//! Storage for crawls: projects, runs and all their results, in one SQLite file.
//!
//! [`Database`] opens the file and owns its only writer. Its API has three parts: the [`Catalog`] of projects, runs
//! and sessions; the [`Contents`] of runs for readers; and [`RunStore`], the engine's port for one session. State
//! changes of runs and sessions are checked in [`state`]. Nothing here decides what is crawled.

#![warn(missing_docs)]

mod error;
mod rows;
mod sqlite;
pub mod state;

pub use crate::error::DatabaseError;
pub use crate::rows::{
    BrokenUrl, CaptureFigures, ConfigRow, CutUrl, DocumentRow, EdgeRecord, FailedPage, Favicon, FoundSection,
    GraphFigures, KeptResponse, LinkRow, NodeRecord, ProjectFigures, ProjectRow, RunCounts, RunFigures, RunRow,
    SeedFate, SessionRow, SlowPage, TypeCounts, UrlRecord, Value,
};
pub use crate::sqlite::{
    Body, Catalog, Check, Claim, Column, ColumnKind, Contents, Database, Kind, Limits, LinkFilter, LinkPosition,
    LinksQuery, Order, PageType, Priority, QueryResult, Repaired, RepairedTable, RunStore, SessionEnd, Slice,
    StartedSession, StatusFilter, Table, UrlFilter, UrlPosition, UrlSort, UrlsOf, UrlsQuery, all_checks, repair,
};
