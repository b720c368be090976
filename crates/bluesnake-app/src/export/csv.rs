//! Tables as CSV: RFC 4180 with a header line and `\n` line ends. Null is an empty field, and so is an empty text.

use std::io::Write;

use ::csv::Writer;

use super::table::looks_like_formula;
use super::{Cell, Column, ExportError, Formulas};

pub(super) struct CsvTable<W: Write> {
    lines: Writer<W>,
    formulas: Formulas,
    field: String,
}

impl<W: Write> CsvTable<W> {
    pub(super) fn new(columns: &[Column], out: W, formulas: Formulas) -> Result<Self, ExportError> {
        let mut lines = Writer::from_writer(out);
        lines.write_record(columns.iter().map(|column| column.name.as_ref()))?;
        Ok(Self { lines, formulas, field: String::new() })
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        for cell in cells {
            self.fill_field(cell);
            self.lines.write_field(&self.field)?;
        }
        self.lines.write_record(None::<&[u8]>)?;
        Ok(())
    }

    fn fill_field(&mut self, cell: &Cell<'_>) {
        use std::fmt::Write;
        self.field.clear();
        let written = match cell {
            Cell::Null => Ok(()),
            Cell::Integer(value) => write!(self.field, "{value}"),
            Cell::Real(value) => write!(self.field, "{value:?}"),
            Cell::Boolean(value) => write!(self.field, "{value}"),
            Cell::Text(text) if self.formulas == Formulas::Escaped && looks_like_formula(text) => {
                write!(self.field, "'{text}")
            }
            Cell::Text(text) => self.field.write_str(text),
        };
        written.expect("a String takes every text");
    }

    pub(super) fn finish(self) -> Result<W, ExportError> {
        self.lines.into_inner().map_err(|error| ExportError::Write(error.into_error()))
    }
}

#[cfg(test)]
mod tests {
    use ::csv::ReaderBuilder;

    use super::super::Format;
    use super::super::naughty::{COLUMNS, example_rows, texts, write, write_texts};
    use super::*;

    fn read_texts(bytes: &[u8]) -> Vec<String> {
        let mut reader = ReaderBuilder::new().has_headers(true).from_reader(bytes);
        reader.records().map(|record| record.unwrap()[0].to_owned()).collect()
    }

    #[test]
    fn each_kind_of_cell_has_its_form() {
        let bytes = write(Format::Csv, &COLUMNS, &example_rows(), Formulas::Escaped);

        let expected = "url,status,score,is_indexable\n\
            \"https://a.example/?a=1,2&b=\"\"c\"\"\",200,0.1,true\n\
            ,,,\n\
            \"'=HYPERLINK(\"\"x\"\")\",-9223372036854775808,-1e300,false\n";
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn raw_texts_come_back_exactly() {
        assert_eq!(read_texts(&write_texts(Format::Csv, &texts(), Formulas::Raw)), texts());
    }

    #[test]
    fn no_escaped_text_starts_like_a_formula() {
        let read = read_texts(&write_texts(Format::Csv, &texts(), Formulas::Escaped));

        for (before, after) in texts().iter().zip(&read) {
            assert!(!after.starts_with(['=', '@', '\t', '\r']), "{after:?}");
            let is_value = ["+", "-", "-2", "+4"].contains(&after.as_str());
            assert!(is_value || !after.starts_with(['+', '-']), "{after:?}");
            assert!(after == before || *after == format!("'{before}"), "{before:?} became {after:?}");
        }
        assert_eq!(read.len(), texts().len());
    }

    #[test]
    fn an_empty_table_is_a_header() {
        assert_eq!(write(Format::Csv, &COLUMNS, &[], Formulas::Raw), b"url,status,score,is_indexable\n");
    }
}
