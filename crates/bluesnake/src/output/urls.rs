//! Rows of the grid as aligned lines, written as they are read.

use std::borrow::Cow;

use console::measure_text_width;
use serde_json::Value;

use super::table::cell;
use super::visible;

/// Cells are padded to at most this width; longer ones stay whole.
const WIDEST: usize = 60;

/// Aligned lines below headings. The first rows decide the widths.
#[derive(Debug)]
pub(crate) struct Aligned {
    columns: Vec<Width>,
}

#[derive(Debug)]
struct Width {
    heading: String,
    width: usize,
    is_number: bool,
}

impl Aligned {
    /// Lines for rows like these.
    pub(crate) fn new(headings: &[&str], rows: &[Vec<Value>]) -> Self {
        let columns = headings.iter().enumerate().map(|(at, heading)| {
            let values = rows.iter().filter_map(|row| row.get(at)).filter(|value| !value.is_null());
            let widest = values.clone().map(|value| measure_text_width(&visible(&cell(value)))).max();
            Width {
                heading: (*heading).to_owned(),
                width: widest.unwrap_or(0).min(WIDEST).max(measure_text_width(heading)),
                is_number: values.clone().next().is_some() && values.clone().all(Value::is_number),
            }
        });
        Self { columns: columns.collect() }
    }

    /// The headings. A single column needs none, so that its lines can be the input of other programs.
    pub(crate) fn headings(&self) -> String {
        match self.columns.len() {
            1 => String::new(),
            _ => self.of(self.columns.iter().map(|column| Cow::Borrowed(column.heading.as_str()))),
        }
    }

    /// A row.
    pub(crate) fn line(&self, row: &[Value]) -> String {
        let cells = row.iter().map(cell).collect::<Vec<_>>();
        self.of(cells.iter().map(|cell| visible(cell)))
    }

    fn of<'a>(&self, cells: impl Iterator<Item = Cow<'a, str>>) -> String {
        let mut line = String::new();
        for (at, (cell, column)) in cells.zip(&self.columns).enumerate() {
            let gap = if at == 0 { "" } else { "  " };
            let padding = " ".repeat(column.width.saturating_sub(measure_text_width(&cell)));
            let (before, after) = if column.is_number { (padding.as_str(), "") } else { ("", padding.as_str()) };
            line.extend([gap, before, &*cell, after]);
        }
        format!("{}\n", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_right_aligned_and_the_last_column_is_not_padded() {
        let rows = [
            vec![json!(200), json!("html"), json!(1_234), json!("http://a.test/")],
            vec![Value::Null, json!("javascript"), json!(7), json!("http://a.test/\u{1b}b")],
        ];
        let aligned = Aligned::new(&["status", "type", "inlinks", "url"], &rows);
        assert_eq!(aligned.headings(), "status  type        inlinks  url\n");
        assert_eq!(aligned.line(&rows[0]), "   200  html           1234  http://a.test/\n");
        assert_eq!(aligned.line(&rows[1]), "        javascript        7  http://a.test/\\x1bb\n");
    }

    #[test]
    fn a_single_column_has_no_heading() {
        let rows = [vec![json!("http://a.test/")]];
        let aligned = Aligned::new(&["url"], &rows);
        assert_eq!((aligned.headings().as_str(), aligned.line(&rows[0]).as_str()), ("", "http://a.test/\n"));
    }
}
