//! The results of a run: its receipt and summary, its URLs and links, its issues, and SQL queries.
//!
//! There are two kinds of lists. Pages (`pages.rs`) continue after a cursor and work while a run grows. Windows (`rows.rs`)
//! begin at any offset of a list that is known as a whole; with them come totals, facets and the tree.

mod details;
mod facets;
pub(crate) mod filter;
mod issues;
mod pages;
pub(crate) mod paging;
mod rows;
mod window;
pub(crate) mod words;

use bluesnake_engine::Receipt;
use bluesnake_store::state::RunKind;
use bluesnake_store::{BrokenUrl, CutUrl, Limits, QueryResult, SeedFate, SlowPage, Table};

use crate::app::App;
use crate::error::AppError;
use crate::export::has_table;

pub use self::facets::{
    BucketView, FacetValue, FacetView, FacetsQuery, FacetsView, FolderView, HistogramQuery, HistogramView, TreeView,
};
pub(crate) use self::issues::changed;
pub use self::issues::{check, checks, depends_on_time};
pub use self::pages::{LinksQuery, PagesOf, PagesQuery};
pub use self::paging::{Limit, Page, Span, WindowLimit};
pub(crate) use self::rows::columns_of_file;
pub use self::rows::{RowView, RowsFileQuery, RowsQuery, RowsWindow, Shape};
pub use self::window::Window;
pub use self::words::{ExportFormats, Job, PageTypes, RunStates, Tables, job};

/// An overview of a run.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Where every URL ended up.
    pub receipt: Receipt,
    /// Visits by status.
    pub statuses: Vec<(i64, i64)>,
    /// The first URLs with errors, and how many there are.
    pub broken: (Vec<BrokenUrl>, i64),
    /// The slowest pages.
    pub slowest: Vec<SlowPage>,
    /// The first URLs truncated by limits, and how many there are.
    pub cut: (Vec<CutUrl>, i64),
}

impl Summary {
    /// How many URLs refuse automated requests, so that nothing is known about them.
    pub fn refused(&self) -> i64 {
        let refusals = self.statuses.iter().filter(|(status, _)| matches!(status, 401 | 403 | 429));
        refusals.map(|(_, count)| count).sum()
    }
}

impl App {
    /// Fails if a run has no such table.
    pub(crate) async fn has_table(&self, run: i64, table: Table) -> Result<(), AppError> {
        let kind = self.catalog().run_head(run).await?.kind;
        if has_table(kind, table) {
            return Ok(());
        }
        let what = if kind == RunKind::Weave { "a weave" } else { "not a weave" };
        Err(AppError::Absent {
            message: format!("run {run} is {what}; it has no {table}"),
            hint: "`bluesnake runs list` shows what each run is for".to_owned(),
        })
    }

    /// Where every URL of a run ended up.
    pub async fn receipt(&self, run: i64) -> Result<Receipt, AppError> {
        Ok(self.contents().receipt(run).await?)
    }

    /// An overview of a run, with at most `listed` broken and truncated URLs.
    pub async fn summary(&self, run: i64, listed: usize) -> Result<Summary, AppError> {
        let receipt = self.receipt(run).await?;
        self.summary_with(run, receipt, listed).await
    }

    /// The same with the receipt a session ended with: reading it takes seconds if millions of URLs are pending.
    pub async fn summary_with(&self, run: i64, receipt: Receipt, listed: usize) -> Result<Summary, AppError> {
        let database = self.database();
        Ok(Summary {
            receipt,
            statuses: database.contents().statuses(run).await?,
            broken: database.contents().broken(run, listed).await?,
            slowest: database.contents().slowest(run, 3).await?,
            cut: database.contents().cut(run, listed).await?,
        })
    }

    /// Where the seeds of a run ended up.
    pub async fn seed_fates(&self, run: i64) -> Result<Vec<SeedFate>, AppError> {
        Ok(self.contents().seed_fates(run).await?)
    }

    /// Runs a SELECT over the documented tables and views.
    pub async fn query(&self, sql: &str, limits: Limits) -> Result<QueryResult, AppError> {
        Ok(self.database().query(sql, limits).await?)
    }

    /// The same, holding a value until the work ends, even if the caller stops waiting earlier.
    pub async fn query_holding<T: Send + 'static>(
        &self,
        held: T,
        sql: &str,
        limits: Limits,
    ) -> Result<QueryResult, AppError> {
        Ok(self.database().query_holding(held, sql, limits).await?)
    }
}
