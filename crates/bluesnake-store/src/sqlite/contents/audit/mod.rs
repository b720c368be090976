//! What the audit of a run found and derived: written once when the run is sealed, then read by window.
//!
//! The audit itself is not made here: [`scan`] yields what it reads, [`write`] keeps its results. A stored audit is
//! visible only once it is complete.

mod issues;
pub(in crate::sqlite) mod numbers;
mod scan;
mod write;

use rusqlite::Connection;

use crate::error::DatabaseError;
use crate::sqlite::columns::{first, rows};
use crate::sqlite::contents::Contents;

pub(in crate::sqlite) use issues::findings_of;
pub use issues::{AnchorRecord, FindingRow, IssueCount, IssueRow, SharedFinding};
pub use scan::{AuditRows, LinkList};
pub use write::{AuditWriter, CheckResult, FigureRow, NewAudit};

rows! {
    /// The stored audit of a run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct AuditRow {
        /// Different for each audit, also of the same run.
        pub id: i64,
        /// How many URLs it knows: its version.
        pub urls: u64,
        /// Internal HTML pages that responded with success: what shares are computed from.
        pub pages: u64,
        /// The settings it was made with: JSON.
        pub settings: String,
        /// Whether the run was completed.
        pub is_completed: bool,
    }
}

impl Contents<'_> {
    /// The stored audit of a run, if it has one.
    pub async fn audit(self, run: i64) -> Result<Option<AuditRow>, DatabaseError> {
        self.read("cannot read the audit of a run", move |connection| Ok(find(connection, run)?)).await
    }
}

/// The tables of an audit besides `audits` itself.
pub(in crate::sqlite) const DERIVED: [&str; 6] =
    ["issue_counts", "issue_lists", "inlink_lists", "figures", "run_columns", "folders"];

/// The key of their rows within a run, and how many rows to remove per transaction.
const REMOVED: [(&str, usize); DERIVED.len()] =
    [("rowid", 50), ("rowid", 100), ("target", 10_000), ("number", 20_000), ("rowid", 1), ("parent, name", 5_000)];

impl Contents<'_> {
    /// Removes the audit of a run, and what an unfinished one left.
    pub(in crate::sqlite) async fn remove_audit(self, run: i64) -> Result<(), DatabaseError> {
        let what = "cannot remove the audit of a run";
        self.write(what, move |transaction| Ok(transaction.execute("DELETE FROM audits WHERE run = ?1", [run])?))
            .await?;
        for (table, (key, at_once)) in DERIVED.iter().zip(REMOVED) {
            let some = format!("SELECT {key} FROM {table} WHERE run = ?1 LIMIT {at_once}");
            let delete = format!("DELETE FROM {table} WHERE run = ?1 AND ({key}) IN ({some})");
            let remove = || {
                let delete = delete.clone();
                self.write(what, move |transaction| Ok(transaction.prepare_cached(&delete)?.execute([run])?))
            };
            while remove().await? > 0 {}
        }
        Ok(())
    }
}

fn find(connection: &Connection, run: i64) -> rusqlite::Result<Option<AuditRow>> {
    first(connection, "SELECT id, urls, pages, settings, is_completed FROM audits WHERE run = ?1", [run])
}
