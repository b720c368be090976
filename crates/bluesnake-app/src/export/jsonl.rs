//! Tables as JSON Lines: one object per row, keys in column order. Always exact; null is `null`.

use std::io::{self, Write};

use super::{Cell, Column, ExportError};

pub(super) struct JsonlTable<W: Write> {
    out: W,
    /// `{"url":`, `,"status":` and so on: what precedes each cell.
    before_cells: Vec<Vec<u8>>,
    line: Vec<u8>,
}

impl<W: Write> JsonlTable<W> {
    pub(super) fn new(columns: &[Column], out: W) -> Self {
        let opening = |(place, column): (usize, &Column)| {
            let opener = if place == 0 { '{' } else { ',' };
            format!("{opener}{}:", serde_json::Value::from(column.name.as_ref())).into_bytes()
        };
        Self { out, before_cells: columns.iter().enumerate().map(opening).collect(), line: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        self.line.clear();
        for (before, cell) in self.before_cells.iter().zip(cells) {
            self.line.extend_from_slice(before);
            append(&mut self.line, cell)?;
        }
        self.line.extend_from_slice(b"}\n");
        self.out.write_all(&self.line)?;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<W, ExportError> {
        self.out.flush()?;
        Ok(self.out)
    }
}

fn append(line: &mut Vec<u8>, cell: &Cell<'_>) -> io::Result<()> {
    match cell {
        Cell::Null => line.write_all(b"null"),
        Cell::Integer(value) => write!(line, "{value}"),
        Cell::Boolean(value) => write!(line, "{value}"),
        Cell::Real(value) => Ok(serde_json::to_writer(line, value)?),
        Cell::Text(text) => Ok(serde_json::to_writer(line, text)?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::naughty::{COLUMNS, example_rows, texts, write, write_texts};
    use super::super::{Format, Formulas};
    use super::*;

    #[test]
    fn a_row_is_an_object_with_the_columns_as_keys_in_their_order() {
        let bytes = write(Format::Jsonl, &COLUMNS, &example_rows(), Formulas::Escaped);

        let expected = r#"{"url":"https://a.example/?a=1,2&b=\"c\"","status":200,"score":0.1,"is_indexable":true}
{"url":null,"status":null,"score":null,"is_indexable":null}
{"url":"=HYPERLINK(\"x\")","status":-9223372036854775808,"score":-1e+300,"is_indexable":false}
"#;
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn texts_come_back_exactly_each_on_one_line() {
        let bytes = write_texts(Format::Jsonl, &texts(), Formulas::Escaped);

        let lines = bytes.strip_suffix(b"\n").unwrap().split(|byte| *byte == b'\n');
        let read: Vec<_> = lines.map(|line| serde_json::from_slice::<Value>(line).unwrap()["title"].clone()).collect();
        assert_eq!(read, texts());
    }

    #[test]
    fn non_finite_numbers_are_null() {
        let rows = [f64::NAN, f64::INFINITY].map(|value| vec![Cell::Real(value)]);
        let bytes = write(Format::Jsonl, &COLUMNS[2..3], &rows, Formulas::Escaped);
        assert_eq!(bytes, b"{\"score\":null}\n{\"score\":null}\n");
    }

    #[test]
    fn an_empty_table_is_an_empty_file() {
        assert_eq!(write(Format::Jsonl, &COLUMNS, &[], Formulas::Escaped), b"");
    }
}
