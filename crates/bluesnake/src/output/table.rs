//! Tables that fit the terminal; untruncated when redirected.
//!
//! If a terminal is so narrow that words would be broken into pieces, each row becomes a list of its cells instead.

use std::io::IsTerminal;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use console::measure_text_width;
use serde_json::Value;

use super::lines::Lines;
use super::{visible, without_controls};

/// The width at which a column of longer texts can still be read.
const READABLE: usize = 14;

/// A table with these headings.
pub(crate) struct Grid {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
    /// Of the terminal, if there is one.
    width: Option<usize>,
}

impl Grid {
    pub(crate) fn new(headings: &[&str]) -> Self {
        let width = std::io::stdout().is_terminal().then(|| usize::from(console::Term::stdout().size().1).max(40));
        let headings = headings.iter().map(|heading| visible(heading).into_owned()).collect();
        Self { headings, rows: Vec::new(), right: Vec::new(), width }
    }

    /// Right-aligns these columns.
    pub(crate) fn right(mut self, columns: &[usize]) -> Self {
        self.right = columns.to_vec();
        self
    }

    /// Adds a row; text from the web is made safe.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| visible(&cell).into_owned()).collect());
    }

    /// Adds a row of settings, which stay exact.
    pub(crate) fn exact_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| without_controls(&cell).into_owned()).collect());
    }

    /// The table as lines without trailing blanks.
    pub(crate) fn text(&self) -> String {
        match self.width {
            Some(width) if self.least_width() > width => self.records(width),
            width => self.table(width),
        }
    }

    /// The width at which short cells stay whole and long ones can be read.
    fn least_width(&self) -> usize {
        let least = |(at, heading): (usize, &String)| {
            let widest = self.rows.iter().filter_map(|row| row.get(at)).map(|cell| measure_text_width(cell)).max();
            2 + widest.unwrap_or(0).min(READABLE).max(measure_text_width(heading))
        };
        self.headings.iter().enumerate().map(least).sum()
    }

    fn table(&self, width: Option<usize>) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        // Not coloured: a cell would count the colour codes as text and break them.
        table.set_header(&self.headings);
        if let Some(width) = width {
            table.set_content_arrangement(ContentArrangement::Dynamic);
            table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        }
        for column in &self.right {
            if let Some(column) = table.column_mut(*column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self.rows.iter().for_each(|row| {
            table.add_row(row);
        });
        table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// Each row as lines of heading and cell; empty cells are omitted.
    fn records(&self, width: usize) -> String {
        let lines = Lines::of(width);
        let label_width = self.headings.iter().map(|heading| measure_text_width(heading)).max().unwrap_or(0);
        let record = |row: &Vec<String>| {
            let cells = self.headings.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            let line = |(heading, cell): (&String, &String)| {
                let padding = " ".repeat(label_width - measure_text_width(heading));
                lines.paragraph(&format!(" {heading}{padding}  "), cell)
            };
            cells.map(line).collect::<String>()
        };
        self.rows.iter().map(record).collect::<Vec<_>>().join("\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(width: usize) -> String {
        let mut grid = Grid::new(&["run", "project", "state", "visited", "started"]).right(&[0, 3]);
        grid.width = Some(width);
        grid.row(["3", "www.example.com", "completed", "12,345", "2026-11-18 01:30"].map(str::to_owned));
        grid.row(["2", "www.example.com", "", "7", "2026-11-17 01:30"].map(str::to_owned));
        grid.text()
    }

    #[test]
    fn a_table_that_fits_is_a_table() {
        let expected = " run  project          state      visited  started\n   \
                        3  www.example.com  completed   12,345  2026-11-18 01:30\n   \
                        2  www.example.com                   7  2026-11-17 01:30\n";
        assert_eq!(runs(70), expected);
    }

    #[test]
    fn rows_become_lists_where_a_table_could_not_be_read() {
        let expected = " run      3\n project  www.example.com\n state    completed\n visited  12,345\n started  2026-11-18 01:30\n\n \
                        run      2\n project  www.example.com\n visited  7\n started  2026-11-17 01:30\n";
        assert_eq!(runs(50), expected);
    }
}
