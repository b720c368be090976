//! Tables that fit the terminal; untruncated when redirected.

use std::io::IsTerminal;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde_json::Value;

use super::{visible, without_controls};

/// A table with these headings.
pub(crate) struct Grid {
    table: Table,
}

impl Grid {
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        // Not coloured: a cell would count the colour codes as text and break them.
        table.set_header(headings.iter().map(|heading| visible(heading).into_owned()));
        if std::io::stdout().is_terminal() {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            let (_, width) = console::Term::stdout().size();
            table.set_width(width.max(40));
        }
        Self { table }
    }

    /// Right-aligns these columns.
    pub(crate) fn right(mut self, columns: &[usize]) -> Self {
        for column in columns {
            if let Some(column) = self.table.column_mut(*column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self
    }

    /// Adds a row; text from the web is made safe.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.table.add_row(cells.into_iter().map(|cell| visible(&cell).into_owned()));
    }

    /// Adds a row of settings, which stay exact.
    pub(crate) fn exact_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.table.add_row(cells.into_iter().map(|cell| without_controls(&cell).into_owned()));
    }

    /// The table as lines without trailing blanks.
    pub(crate) fn text(&self) -> String {
        self.table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// A query result as a cell.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
