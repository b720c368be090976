//! A filtered and sorted list of URLs as a file: the rows of the grid, all of them.

use std::ops::ControlFlow;

use bluesnake_store::{Column, Order, RowFilter, RowSort, Table};

use super::run::{cells_of, check_table, header};
use super::{Cell, Format, Formulas, Output, Rules, TableWriter};
use crate::app::{App, Work, off_the_runtime};
use crate::error::AppError;
use crate::results::{RowsFileQuery, RowsQuery, columns_of_file};
use crate::secrets::Secrets;

/// Which list of URLs to export, and how.
#[derive(Clone, Debug)]
pub struct RowsExport {
    filter: RowFilter,
    sort: RowSort,
    order: Order,
    columns: Option<String>,
    /// The format.
    pub format: Format,
    /// Whether to include columns for times and sessions if none are chosen.
    pub times: bool,
    /// What to do with texts that a spreadsheet would treat as formulas.
    pub formulas: Formulas,
    /// The current masking of secrets in URLs.
    pub secrets: Secrets,
}

impl RowsExport {
    /// The whole list that windows of a query are part of, as CSV.
    pub fn of(query: &RowsQuery) -> Result<Self, AppError> {
        Ok(Self {
            filter: query.filter()?,
            sort: query.sort,
            order: query.order,
            columns: query.columns.clone(),
            format: Format::Csv,
            times: false,
            formulas: Formulas::Escaped,
            secrets: Secrets::Masked,
        })
    }

    /// The list that a query for a file asks for.
    pub fn of_file(query: RowsFileQuery, secrets: Secrets) -> Result<Self, AppError> {
        Ok(Self {
            filter: query.filter()?,
            sort: query.sort,
            order: query.order,
            columns: query.columns,
            format: query.format,
            times: query.times,
            formulas: Formulas::raw_if(query.raw),
            secrets,
        })
    }
}

impl App {
    /// Writes a list of URLs as a table, in the order of the list; returns the number of rows.
    pub fn export_rows(&self, run: i64, export: RowsExport, output: Output) -> Work<'_, u64> {
        Box::pin(async move {
            let row = self.catalog().run(run).await?;
            check_table(&row, Table::Urls)?;
            let rules = Rules::of_plan(&row.plan);
            let (names, columns): (Vec<&'static str>, Vec<Column>) =
                columns_of_file(export.columns.as_deref(), export.times)?.into_iter().unzip();
            let filter = self.usable(run, export.filter).await?;
            let numbers = self.contents().row_numbers(run, filter, export.sort, export.order).await?;
            let database = self.database().clone();
            off_the_runtime(move || {
                let headers = names.iter().zip(&columns).flat_map(|(name, column)| header(name, column, &rules));
                let shape: Vec<super::Column> = headers.collect();
                let mut writer = TableWriter::new(export.format, &shape, output, export.formulas)?;
                let (mut rows, mut written) = (0, Ok(()));
                database.contents().scan_rows(run, &numbers, &columns, |row| {
                    let values = row.iter().zip(&columns);
                    let cells: Vec<Cell<'_>> =
                        values.flat_map(|(value, column)| cells_of(*value, column, &rules, export.secrets)).collect();
                    written = writer.row(&cells);
                    rows += 1;
                    if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })?;
                written?;
                writer.finish()?.finish()?;
                Ok(rows)
            })
            .await
        })
    }
}
