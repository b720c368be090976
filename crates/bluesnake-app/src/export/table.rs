//! Tables: typed columns and rows of cells, written in one of four formats.
//!
//! Start with [`TableWriter`]. JSONL and Parquet contain exactly what they were given. CSV and XLSX are opened with
//! spreadsheets, so they make sure that a page's title is never run as a formula (CWE-1236).

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use super::csv::CsvTable;
use super::jsonl::JsonlTable;
use super::parquet::ParquetTable;
use super::xlsx::XlsxTable;
use super::{ExportError, Kind};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Csv,
    Jsonl,
    Parquet,
    Xlsx,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Csv, Self::Jsonl, Self::Parquet, Self::Xlsx];

    /// The format's name, which is also its file extension.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Xlsx => "xlsx",
        }
    }
}

/// A column; its name is the header of CSV, Parquet and XLSX, and the key in JSONL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Kind,
}

/// One value. Every column may hold `Null`, otherwise only its own kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(i64),
    /// JSONL and XLSX cannot represent non-finite numbers and write null instead.
    Real(f64),
    Text(Cow<'a, str>),
    Boolean(bool),
}

impl Cell<'_> {
    fn belongs_to(&self, column: &Column) -> bool {
        match self {
            Self::Null => true,
            Self::Integer(_) => column.kind == Kind::Integer,
            Self::Real(_) => column.kind == Kind::Real,
            Self::Text(_) => column.kind == Kind::Text,
            Self::Boolean(_) => column.kind == Kind::Boolean,
        }
    }
}

/// What CSV does with texts that a spreadsheet would treat as formulas; no other format needs to change a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulas {
    /// They get a leading apostrophe.
    #[default]
    Escaped,
    /// They are exact. For programs, not for spreadsheets.
    Raw,
}

impl Formulas {
    /// Exact on request.
    pub fn raw_if(is_raw: bool) -> Self {
        if is_raw { Self::Raw } else { Self::Escaped }
    }
}

/// Texts that spreadsheets run, following OWASP's list. A sign alone or before a plain number is a value, not a
/// formula.
pub(super) fn looks_like_formula(text: &str) -> bool {
    match text.strip_prefix(['+', '-']) {
        Some(rest) => !is_plain_number(rest) && !rest.is_empty(),
        None => text.starts_with(['=', '@', '\t', '\r']),
    }
}

/// Digits with at most one point between them.
fn is_plain_number(text: &str) -> bool {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').map_or_else(|| is_digits(text), |(whole, part)| is_digits(whole) && is_digits(part))
}

/// Writes rows as they arrive, to a buffered writer such as [`Output`](super::Output). Nothing is complete before
/// [`TableWriter::finish`].
pub(crate) struct TableWriter<W: Write + Send> {
    columns: Vec<Column>,
    encoder: Encoder<W>,
}

enum Encoder<W: Write + Send> {
    Csv(Box<CsvTable<W>>),
    Jsonl(JsonlTable<W>),
    Parquet(Box<ParquetTable<W>>),
    Xlsx(Box<XlsxTable<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    pub(crate) fn new(format: Format, columns: &[Column], out: W, formulas: Formulas) -> Result<Self, ExportError> {
        let encoder = match format {
            Format::Csv => Encoder::Csv(Box::new(CsvTable::new(columns, out, formulas)?)),
            Format::Jsonl => Encoder::Jsonl(JsonlTable::new(columns, out)),
            Format::Parquet => Encoder::Parquet(Box::new(ParquetTable::new(columns, out)?)),
            Format::Xlsx => Encoder::Xlsx(Box::new(XlsxTable::new(columns, out)?)),
        };
        Ok(Self { columns: columns.to_vec(), encoder })
    }

    /// # Panics
    /// When the cells are not those of the columns: such a row is a bug of the caller.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        assert_eq!(cells.len(), self.columns.len(), "a row has one cell per column");
        for (cell, column) in cells.iter().zip(&self.columns) {
            assert!(cell.belongs_to(column), "{cell:?} is not of the kind of the column {}", column.name);
        }
        match &mut self.encoder {
            Encoder::Csv(table) => table.row(cells),
            Encoder::Jsonl(table) => table.row(cells),
            Encoder::Parquet(table) => table.row(cells),
            Encoder::Xlsx(table) => table.row(cells),
        }
    }

    /// Completes the table and returns its writer.
    pub(crate) fn finish(self) -> Result<W, ExportError> {
        match self.encoder {
            Encoder::Csv(table) => table.finish(),
            Encoder::Jsonl(table) => table.finish(),
            Encoder::Parquet(table) => table.finish(),
            Encoder::Xlsx(table) => table.finish(),
        }
    }
}

impl<W: Write + Send> fmt::Debug for TableWriter<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TableWriter").field("columns", &self.columns).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::naughty::{COLUMNS, example_rows, write};
    use super::*;

    #[test]
    fn a_sign_alone_or_before_a_plain_number_is_not_a_formula() {
        for value in ["-", "+", "-2", "+4", "-1.5", "-00.10", "", "a", "1-2", "'=1", " =1"] {
            assert!(!looks_like_formula(value), "{value:?}");
        }
        for formula in ["=1", "-1+2", "+1e3", "--1", "-A1", "-.5", "-5.", "-1.2.3", "- 1", "@x", "\t=1", "\r", "-²"] {
            assert!(looks_like_formula(formula), "{formula:?}");
        }
    }

    #[test]
    fn equal_rows_give_equal_bytes() {
        for format in Format::ALL {
            let [first, second] = [0, 1].map(|_| write(format, &COLUMNS, &example_rows(), Formulas::Escaped));
            assert!(first == second, "{format:?}");
        }
    }

    #[test]
    #[should_panic(expected = "is not of the kind of the column url")]
    fn a_cell_of_another_kind_is_a_bug() {
        let mut table = TableWriter::new(Format::Csv, &COLUMNS[..1], Vec::new(), Formulas::Raw).unwrap();
        table.row(&[Cell::Integer(1)]).unwrap();
    }

    #[test]
    fn a_full_disk_is_an_error_in_every_format() {
        for format in Format::ALL {
            let written = TableWriter::new(format, &COLUMNS, FullDisk, Formulas::Escaped).and_then(|mut table| {
                example_rows().iter().try_for_each(|row| table.row(row))?;
                table.finish()
            });
            let Err(ExportError::Write(cause)) = written else { panic!("{format:?} found room on a full disk") };
            assert_eq!(cause.kind(), std::io::ErrorKind::StorageFull, "{format:?}");
        }
    }

    #[derive(Debug)]
    struct FullDisk;

    impl Write for FullDisk {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
