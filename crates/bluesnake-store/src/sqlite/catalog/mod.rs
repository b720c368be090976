//! The catalog: projects with their settings, runs, sessions and owners.
//!
//! Small tables and plain SQL. The results of runs are in [`super::contents`].

mod delete;
mod lists;
pub(super) mod owners;
mod projects;
mod runs;

use std::ops::Deref;

use super::Database;

pub use lists::{ProjectFigures, RunCounts, RunFigures, RunFilter, TypeCounts};
pub use owners::Claim;
pub use projects::{ConfigRow, Favicon, ProjectRow};
pub use runs::{RunHead, RunRow, SessionEnd, SessionRow, StartedSession};

pub(super) use lists::counts;
pub(super) use runs::{find_head, find_run, find_session};

/// Projects with their settings, runs, sessions and owners.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a>(&'a Database);

impl Database {
    /// Projects with their settings, runs, sessions and owners.
    pub fn catalog(&self) -> Catalog<'_> {
        Catalog(self)
    }
}

/// Connections and transactions are those of the file.
impl Deref for Catalog<'_> {
    type Target = Database;

    fn deref(&self) -> &Database {
        self.0
    }
}
