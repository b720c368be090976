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
    AnchorRecord, AuditRow, AuditRows, AuditWriter, Body, BodyForm, Bounds, BrokenUrl, Bucket, Candidate,
    CaptureFigures, Catalog, Cell, CheckResult, Claim, Column, ColumnKind, ComparedRuns, ComparedUrl, ConfigRow,
    Contents, CutUrl, Database, DocumentRow, EdgeRecord, Facet, FacetCount, FacetCounts, FacetsQuery, FailedPage,
    FailedPages, Favicon, FigureRow, FindingRow, FolderRow, FoundSection, GraphFigures, Histogram, HistogramOf,
    HistogramQuery, Hop, InlinkRow, IssueCount, IssueFilter, IssueRow, KeptResponse, Limits, LinkFilter, LinkList,
    LinkPosition, LinkRow, LinksQuery, NewAudit, NodeRecord, Order, PageType, ProjectFigures, ProjectRow, QueryResult,
    Repaired, RepairedTable, RobotsHeaders, RowFilter, RowSort, RowsQuery, RunCounts, RunFigures, RunFilter, RunHead,
    RunRow, RunStore, SeedFate, SessionEnd, SessionRow, SharedFinding, Slice, SlowPage, StartedSession, StatusFilter,
    Table, TypeCounts, UrlDetails, UrlFilter, UrlIdentity, UrlPosition, UrlReader, UrlRecord, UrlSort, UrlsOf,
    UrlsQuery, Value, Window, repair, row_columns,
};
