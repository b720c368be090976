//! Lists of a million URLs, for grids: any window of a filtered and sorted list, totals, facets, histograms, the tree.
//!
//! A [`Grid`] holds what lists are filtered and sorted by, a few bytes per URL in memory. Sealing a run stores it; for
//! a run that is not sealed one scan makes it, and it is kept while the run does not grow.

mod cache;
mod columns;
mod details;
mod extracted;
mod facets;
mod filter;
mod folders;
mod links;
mod order;
mod rows;
mod select;
mod texts;

use std::sync::Arc;

use rusqlite::Connection;

use self::cache::GridId;
use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, one};
use crate::sqlite::{Database, Failure, catalog};
use crate::state::RunState;

pub use details::{Hop, UrlDetails};
pub use facets::{Bucket, Facet, FacetCount, FacetCounts, FacetsQuery, Histogram, HistogramOf, HistogramQuery};
pub use filter::{Bounds, IssueFilter, RowFilter};
pub use folders::FolderRow;
pub use links::InlinkRow;
pub use rows::{Cell, RowSort, RowsQuery, Window, row_columns};

pub(in crate::sqlite) use cache::Kept;
pub(in crate::sqlite) use columns::{Derived, Grid};
pub(in crate::sqlite) use folders::Folder;
pub(in crate::sqlite) use links::sources_of;

const WHAT: &str = "cannot read the URLs of a run";
/// A run in progress with at least so many URLs is shown as of a moment ago.
const LARGE: u64 = 10_000;
/// By which share it may have grown since: one of so many.
const GROWTH: u64 = 20;

/// A run as lists show it.
struct View<'a> {
    run: i64,
    id: GridId,
    grid: Arc<Grid>,
    /// The id of its stored audit.
    audit: Option<i64>,
    kept: &'a Kept,
}

impl Contents<'_> {
    /// Runs a job with the grid of a run. Everything the job reads is of one moment.
    async fn with_grid<T: Send + 'static>(
        self,
        run: i64,
        job: impl FnOnce(&Connection, &View<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let database = self.0.clone();
        self.read(WHAT, move |connection| in_moment(&database, connection, run, job)).await
    }

    /// The same for a list that a filter selects. One that reads the texts of a whole run has limited time.
    async fn with_filtered<T: Send + 'static>(
        self,
        run: i64,
        filter: RowFilter,
        job: impl FnOnce(&Connection, &View<'_>, &RowFilter) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        if !filter.reads_texts() {
            return self.with_grid(run, move |connection, view| job(connection, view, &filter)).await;
        }
        let database = self.0.clone();
        self.read_in_time(WHAT, move |connection| {
            in_moment(&database, connection, run, |connection, view| job(connection, view, &filter))
        })
        .await
    }
}

fn in_moment<T>(
    database: &Database,
    connection: &Connection,
    run: i64,
    job: impl FnOnce(&Connection, &View<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let moment = connection.unchecked_transaction()?;
    job(&moment, &View::of(database, &moment, run)?)
}

impl<'a> View<'a> {
    fn of(database: &'a Database, connection: &Connection, run: i64) -> Result<Self, Failure> {
        let row = catalog::find_head(connection, run)?;
        let kept = &database.shared.lists;
        let sql = "SELECT id, urls FROM audits WHERE run = ?1";
        if let Some((audit, urls)) = first::<(i64, usize)>(connection, sql, [run])? {
            let id = GridId::Sealed { audit };
            let load = || match Grid::load(connection, run, urls)? {
                Some(grid) => Ok::<_, Failure>(grid),
                None => Ok(Grid::scan(connection, run, Some(Derived::read(connection, run, urls)?))?),
            };
            let grid = kept.grids.get_or_make(&id, Grid::weight, load)?;
            return Ok(Self { run, id, grid, audit: Some(audit), kept });
        }
        let now = size(connection, run, row.updated_at)?;
        let id = match row.state {
            RunState::InProgress => kept.grids.find(|id| id.is_nearly(now)).unwrap_or(now),
            _ => now,
        };
        let scan = || Ok::<_, Failure>(Grid::scan(connection, run, None)?);
        let grid = kept.grids.get_or_make(&id, Grid::weight, scan)?;
        // Its folders may have been made since.
        kept.grids.weigh(&id, grid.weight());
        Ok(Self { run, id, grid, audit: None, kept })
    }
}

/// How far a run without an audit has come.
fn size(connection: &Connection, run: i64, changed_at: i64) -> rusqlite::Result<GridId> {
    let urls = one(connection, "SELECT coalesce(max(number), 0) FROM urls WHERE run = ?1", [run])?;
    let visits = one(connection, "SELECT coalesce(sum(visits + guides), 0) FROM sessions WHERE run = ?1", [run])?;
    Ok(GridId::Live { run, urls, visits, changed_at })
}

impl GridId {
    /// Whether a run in progress has hardly grown since.
    fn is_nearly(&self, now: Self) -> bool {
        match (*self, now) {
            (Self::Live { run, urls, visits, .. }, Self::Live { run: same, urls: all, visits: made, .. }) => {
                run == same && all >= LARGE && (all - urls.min(all)) + (made - visits.min(made)) < (all + made) / GROWTH
            }
            _ => false,
        }
    }
}
