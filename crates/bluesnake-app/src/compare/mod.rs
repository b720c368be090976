//! Two runs compared: which URLs appeared, are gone, changed or were not visited this time, and what happened to issues.
//!
//! Everything is symmetric: comparing the runs the other way round gives the mirror image, row by row. A comparison is
//! made once, in bounded memory (`make.rs`), and kept (`cache.rs`); windows over it (`rows.rs`) read only what they
//! show.

mod cache;
mod checks;
mod export;
mod fields;
mod make;
mod pairs;
mod plans;
mod previous;
mod rows;
mod side;
mod summary;
mod view;
mod words;

use std::sync::Arc;

use bluesnake_store::state::RunKind;
use bluesnake_store::{Contents, DatabaseError, RunFigures, RunRow};

use crate::app::{App, Work, off_the_runtime, outliving};
use crate::error::AppError;
use crate::export::{ExportError, Format, Formulas, Output, TableWriter};
use crate::results::Window;
use crate::secrets::Secrets;

use self::cache::Version;
use self::checks::{Audits, Changes};
use self::make::Compared;
use self::rows::{Filter, Orders, Rows};

pub use self::view::{
    ChangeView, CheckChange, ClassCount, CompareFileQuery, CompareQuery, ComparedRun, ComparisonView, FieldChange,
    FieldCount, IssueChangeView, NotCompared, ReasonCount, SettingDifference,
};
pub use self::words::{Class, Field, IssueChange};

pub(crate) use self::cache::Comparisons;

/// For runs that cannot be compared.
const HINT: &str = "`bluesnake runs list` shows what each run is for";

/// How to export the rows of a comparison.
#[derive(Clone, Debug)]
pub struct ComparisonExport {
    /// Which rows; its offset and limit are ignored.
    pub rows: CompareQuery,
    /// The format.
    pub format: Format,
    /// What to do with texts that a spreadsheet would treat as formulas.
    pub formulas: Formulas,
    /// The current masking of secrets in URLs.
    pub secrets: Secrets,
}

impl ComparisonExport {
    /// The rows that a query for a file asks for.
    pub fn of_file(query: CompareFileQuery, secrets: Secrets) -> Self {
        let CompareFileQuery { class, field, check, change, search, format, raw } = query;
        let rows = CompareQuery { class, field, check, change, search, ..CompareQuery::default() };
        Self { rows, format, formulas: Formulas::raw_if(raw), secrets }
    }
}

/// A comparison that was made.
#[derive(Debug)]
pub(crate) struct Comparison {
    versions: (Version, Version),
    compared: Compared,
    /// `None` if the runs are not audits.
    audits: Option<Audits>,
    changes: Changes,
    view: ComparisonView,
    orders: Orders,
}

impl App {
    /// Compares two runs of the same job.
    pub fn compare(&self, a: i64, b: i64) -> Work<'_, ComparisonView> {
        Box::pin(async move { Ok(self.comparison(a, b).await?.view.clone()) })
    }

    /// Rows of a comparison.
    pub fn compare_rows(&self, a: i64, b: i64, query: CompareQuery) -> Work<'_, Window<ChangeView>> {
        Box::pin(async move {
            let (offset, limit) = (query.offset, query.limit.get());
            let filter = Filter::try_from(query)?;
            let comparison = self.comparison(a, b).await?;
            let order = self.compared_order(&comparison, filter).await?;
            let database = self.database().clone();
            off_the_runtime(move || {
                Ok(database.contents().for_comparison(|runs| {
                    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
                    let places = order.iter().skip(skipped).take(limit);
                    let mut rows = Rows::new(&comparison, runs)?;
                    let items = places.map(|place| rows.read(*place)).collect::<Result<_, _>>()?;
                    let version = comparison.view.a.urls + comparison.view.b.urls;
                    Ok(Window { total: order.len() as u64, offset, version, items })
                })?)
            })
            .await
        })
    }

    /// Writes the rows of a comparison as a table; returns their number.
    pub fn export_comparison(&self, a: i64, b: i64, export: ComparisonExport, output: Output) -> Work<'_, u64> {
        Box::pin(async move {
            let filter = Filter::try_from(export.rows)?;
            let comparison = self.comparison(a, b).await?;
            let order = self.compared_order(&comparison, filter).await?;
            let database = self.database().clone();
            off_the_runtime(move || {
                let mut writer = TableWriter::new(export.format, &export::columns(), output, export.formulas)?;
                let mut written: Result<u64, ExportError> = Ok(0);
                database.contents().for_comparison(|runs| {
                    let mut rows = Rows::new(&comparison, runs)?;
                    for (count, place) in (1..).zip(order.iter()) {
                        let row = rows.read(*place)?;
                        written = writer.row(&export::cells(&row, export.secrets)).map(|()| count);
                        if written.is_err() {
                            break;
                        }
                    }
                    Ok(())
                })?;
                let rows = written?;
                writer.finish()?.finish()?;
                Ok(rows)
            })
            .await
        })
    }

    /// The comparison of two runs as they are now.
    pub(crate) async fn comparison(&self, a: i64, b: i64) -> Result<Arc<Comparison>, AppError> {
        let a = self.catalog().run_figures(self.catalog().run(a).await?).await?;
        let b = self.catalog().run_figures(self.catalog().run(b).await?).await?;
        check_kinds(&a, &b)?;
        let stored = (self.contents().audit(a.run.id).await?, self.contents().audit(b.run.id).await?);
        let versions = (Version::of(&a, stored.0.as_ref()), Version::of(&b, stored.1.as_ref()));
        if let Some(known) = self.comparisons().of(versions) {
            return Ok(known);
        }
        // Reading two runs cannot be interrupted, so the result is kept even if the caller stops waiting.
        let app = self.clone();
        outliving(async move { app.make_comparison(a, b, versions).await }).await
    }

    async fn make_comparison(
        &self,
        a: RunFigures,
        b: RunFigures,
        versions: (Version, Version),
    ) -> Result<Arc<Comparison>, AppError> {
        let _making = self.comparisons().making.lock().await;
        // Another caller may have made it meanwhile.
        if let Some(known) = self.comparisons().of(versions) {
            return Ok(known);
        }
        let audits = match a.run.kind {
            RunKind::Crawl => self.audit_to_compare(a.run.id).await?.zip(self.audit_to_compare(b.run.id).await?),
            RunKind::Capture | RunKind::Weave => None,
        };
        let audits = audits.map(|(a, b)| Audits { a, b });
        let database = self.database().clone();
        let comparison =
            off_the_runtime(move || Ok(Comparison::make(database.contents(), versions, [&a, &b], audits)?)).await?;
        let comparison = Arc::new(comparison);
        self.comparisons().keep(Arc::clone(&comparison));
        Ok(comparison)
    }

    /// The places of the rows that a filter selects, in order; kept for the next window of them.
    async fn compared_order(&self, comparison: &Arc<Comparison>, filter: Filter) -> Result<Arc<[u32]>, AppError> {
        if let Some(order) = comparison.orders.of(&filter) {
            return Ok(order);
        }
        let found = match &filter.search {
            Some(text) => {
                let ComparisonView { a, b, .. } = &comparison.view;
                let in_a = self.contents().urls_with_text(a.run_id, text.clone()).await?;
                Some((in_a, self.contents().urls_with_text(b.run_id, text.clone()).await?))
            }
            None => None,
        };
        let (comparison, database) = (Arc::clone(comparison), self.database().clone());
        off_the_runtime(move || {
            let order = database.contents().for_comparison(|runs| comparison.order(runs, &filter, found))?;
            comparison.orders.keep(filter, Arc::clone(&order));
            Ok(order)
        })
        .await
    }
}

impl Comparison {
    /// Its memory.
    fn bytes(&self) -> usize {
        self.compared.bytes() + self.changes.bytes() + self.orders.bytes()
    }

    fn make(
        contents: Contents<'_>,
        versions: (Version, Version),
        [a, b]: [&RunFigures; 2],
        audits: Option<Audits>,
    ) -> Result<Self, DatabaseError> {
        contents.for_comparison(|runs| {
            versions.0.check(runs)?;
            versions.1.check(runs)?;
            let compared = Compared::make(runs, a, b)?;
            let mut view = compared.summary(a, b, audits.as_ref());
            let mut changes = Changes::default();
            if let Some(audits) = &audits {
                (view.checks, changes) = audits.compare(runs, &compared)?;
            }
            Ok(Self { versions, compared, audits, changes, view, orders: Orders::default() })
        })
    }
}

/// Only URLs can be compared, and only those of runs that looked for the same.
fn check_kinds(a: &RunFigures, b: &RunFigures) -> Result<(), AppError> {
    let job = |figures: &RunFigures| match figures.run.kind {
        RunKind::Crawl => "an audit",
        RunKind::Capture => "a capture",
        RunKind::Weave => "a weave",
    };
    let hint = HINT.to_owned();
    if a.run.kind != b.run.kind {
        let message = format!(
            "run {} is {} and run {} is {}; only runs of the same job can be compared",
            a.run.id,
            job(a),
            b.run.id,
            job(b)
        );
        return Err(AppError::Rejected { message, hint });
    }
    check_kind(&a.run)
}

/// A weave has hosts, not URLs.
fn check_kind(run: &RunRow) -> Result<(), AppError> {
    match run.kind {
        RunKind::Crawl | RunKind::Capture => Ok(()),
        RunKind::Weave => Err(AppError::Rejected {
            message: format!("run {} is a weave; only audits and captures can be compared", run.id),
            hint: HINT.to_owned(),
        }),
    }
}
