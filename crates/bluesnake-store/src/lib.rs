//! Storage for crawls: projects, runs and all their results, in one SQLite file.
//!
//! [`Database`] opens the file and owns its only writer. Its API has three parts: the [`Catalog`] of projects, runs
//! and sessions; the [`Contents`] of runs for readers; and [`RunStore`], the engine's port for one session. State
//! changes of runs and sessions are checked in [`state`]. Nothing here decides what is crawled.

#![warn(missing_docs)]

mod error;
mod sqlite;
pub mod state;

pub use crate::error::DatabaseError;
pub use crate::sqlite::{
    Body, BrokenUrl, CaptureFigures, Catalog, Check, Claim, Column, ColumnKind, ConfigRow, Contents, CutUrl, Database,
    DocumentRow, EdgeRecord, FailedPage, Favicon, FoundSection, GraphFigures, KeptResponse, Kind, Limits, LinkFilter,
    LinkPosition, LinkRow, LinksQuery, NodeRecord, Order, PageType, Priority, ProjectFigures, ProjectRow, QueryResult,
    Repaired, RepairedTable, RunCounts, RunFigures, RunRow, RunStore, SeedFate, SessionEnd, SessionRow, Slice,
    SlowPage, StartedSession, StatusFilter, Table, TypeCounts, UrlFilter, UrlPosition, UrlRecord, UrlSort, UrlsOf,
    UrlsQuery, Value, all_checks, repair,
};
