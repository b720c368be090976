//! Tables as XLSX, written as a stream: texts are inline, so nothing is kept for the end of the file.
//!
//! Cells are never formulas; texts that look like one also get a style that keeps a spreadsheet from turning them
//! into one on the next edit. What Excel cannot represent is marked in place: see [`cut`] and [`append_text`]. The
//! file around the sheets is in [`workbook`], what makes them pleasant to read in [`sheet`].

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

use quick_xml::escape::escape;

use super::table::looks_like_formula;
use super::{Cell, Column, ExportError, xml};
use sheet::Links;
use workbook::Workbook;

mod sheet;
mod workbook;

/// Excel's last row is 1,048,576, and the header is one of them.
const ROWS_PER_SHEET: u32 = 1_048_575;
/// Well below 4 GiB, above which a sheet would need zip64, which not every spreadsheet reads from a stream.
const BYTES_PER_SHEET: u64 = 3 * 1024 * 1024 * 1024;
const UNITS_PER_CELL: usize = 32_767;
/// Excel computes with 15 digits; longer numbers would be rounded.
const LARGEST_NUMBER: u64 = 999_999_999_999_999;

pub(super) struct XlsxTable<W: Write> {
    workbook: Workbook<W>,
    header: Vec<Column>,
    letters: Vec<String>,
    /// Whether each column has URLs.
    are_urls: Vec<bool>,
    /// Of this sheet.
    links: Links,
    rows_per_sheet: u32,
    bytes_per_sheet: u64,
    /// Of this sheet, without its header.
    rows: u32,
    bytes: u64,
    line: String,
}

impl<W: Write> XlsxTable<W> {
    pub(super) fn new(columns: &[Column], out: W) -> Result<Self, ExportError> {
        Self::with_limits(columns, out, ROWS_PER_SHEET, BYTES_PER_SHEET)
    }

    fn with_limits(columns: &[Column], out: W, rows_per_sheet: u32, bytes_per_sheet: u64) -> Result<Self, ExportError> {
        let workbook = Workbook::new(out)?;
        let letters = (0..columns.len()).map(column_letters).collect();
        let mut table = Self {
            workbook,
            header: columns.to_vec(),
            letters,
            are_urls: columns.iter().map(sheet::is_url).collect(),
            links: Links::default(),
            rows_per_sheet,
            bytes_per_sheet,
            rows: 0,
            bytes: 0,
            line: String::new(),
        };
        table.start_sheet()?;
        Ok(table)
    }

    pub(super) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        if self.rows >= self.rows_per_sheet || self.bytes >= self.bytes_per_sheet {
            self.end_sheet()?;
            self.start_sheet()?;
        }
        self.rows += 1;
        let number = self.start_line(self.rows + 1);
        for (at, cell) in cells.iter().enumerate() {
            let letters = &self.letters[at];
            match cell {
                Cell::Text(url) if self.are_urls[at] && self.links.add(at, number, url) => {
                    append_string(&mut self.line, letters, number, Style::Link, &cut(url));
                }
                cell => append_cell(&mut self.line, letters, number, cell),
            }
        }
        self.write_line()
    }

    fn start_sheet(&mut self) -> Result<(), ExportError> {
        self.workbook.start_sheet(&sheet::columns(&self.header))?;
        (self.rows, self.bytes) = (0, 0);
        let number = self.start_line(1);
        for (letters, column) in self.letters.iter().zip(&self.header) {
            append_string(&mut self.line, letters, number, Style::Header, &column.name);
        }
        self.write_line()
    }

    fn end_sheet(&mut self) -> Result<(), ExportError> {
        let links = std::mem::take(&mut self.links);
        let last = self.letters.last().map_or("A", String::as_str);
        self.workbook.end_sheet(last, self.rows + 1, &links.element(&self.letters), links.relationships())
    }

    fn start_line(&mut self, number: u32) -> u32 {
        self.line.clear();
        let _ = write!(self.line, "<row r=\"{number}\">");
        number
    }

    fn write_line(&mut self) -> Result<(), ExportError> {
        self.line.push_str("</row>");
        self.bytes += self.line.len() as u64;
        self.workbook.append(self.line.as_bytes())
    }

    pub(super) fn finish(mut self) -> Result<W, ExportError> {
        self.end_sheet()?;
        self.workbook.finish()
    }
}

/// The styles of `styles.xml`, by index.
#[derive(Clone, Copy)]
enum Style {
    Plain = 0,
    Header = 1,
    QuotePrefix = 2,
    Link = 3,
}

fn append_cell(line: &mut String, letters: &str, row: u32, cell: &Cell<'_>) {
    let _ = match cell {
        Cell::Integer(value) if value.unsigned_abs() <= LARGEST_NUMBER => {
            write!(line, "<c r=\"{letters}{row}\"><v>{value}</v></c>")
        }
        Cell::Integer(value) => {
            append_string(line, letters, row, Style::Plain, &value.to_string());
            Ok(())
        }
        Cell::Real(value) if value.is_finite() => write!(line, "<c r=\"{letters}{row}\"><v>{value:?}</v></c>"),
        Cell::Real(_) | Cell::Null => Ok(()),
        Cell::Boolean(value) => write!(line, "<c r=\"{letters}{row}\" t=\"b\"><v>{}</v></c>", u8::from(*value)),
        Cell::Text(text) => {
            let style = if looks_like_formula(text) { Style::QuotePrefix } else { Style::Plain };
            append_string(line, letters, row, style, &cut(text));
            Ok(())
        }
    };
}

fn append_string(line: &mut String, letters: &str, row: u32, style: Style, text: &str) {
    let style = style as u8;
    let _ = write!(line, "<c r=\"{letters}{row}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">");
    append_text(line, text);
    line.push_str("</t></is></c>");
}

/// Escapes what XML cannot represent as `_x0001_` (ECMA-376, ST_Xstring), and texts that already look like such an
/// escape.
fn append_text(line: &mut String, text: &str) {
    let mut held = String::with_capacity(text.len());
    for (place, character) in text.char_indices() {
        match character {
            '_' if is_escape(&text.as_bytes()[place..]) => held.push_str("_x005F_"),
            character if xml::survives(character) => held.push(character),
            character => {
                let _ = write!(held, "_x{:04X}_", u32::from(character));
            }
        }
    }
    line.push_str(&escape(held));
}

fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', a, b, c, d, b'_', ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()))
}

/// A cell holds 32,767 UTF-16 units; a longer text is cut and ends with a note.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= UNITS_PER_CELL || text.encode_utf16().count() <= UNITS_PER_CELL {
        return Cow::Borrowed(text);
    }
    let note = format!(" … [cut: {} characters in all]", text.chars().count());
    let mut room = UNITS_PER_CELL - note.encode_utf16().count();
    let fits = |character: &char| {
        let left = room.checked_sub(character.len_utf16());
        room = left.unwrap_or(0);
        left.is_some()
    };
    Cow::Owned(text.chars().take_while(fits).chain(note.chars()).collect())
}

/// A, B, … Z, AA, …
fn column_letters(mut place: usize) -> String {
    let mut letters = String::new();
    loop {
        letters.insert(0, char::from(b'A' + (place % 26) as u8));
        if place < 26 {
            return letters;
        }
        place = place / 26 - 1;
    }
}

#[cfg(test)]
mod tests;
