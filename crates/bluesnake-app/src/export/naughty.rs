//! Rows for the tests of the tables: each kind of cell, and texts that break writers.

use std::borrow::Cow;

use super::{Cell, Column, Format, Formulas, Kind, TableWriter};

pub(super) const COLUMNS: [Column; 4] = [
    Column { name: Cow::Borrowed("url"), kind: Kind::Text },
    Column { name: Cow::Borrowed("status"), kind: Kind::Integer },
    Column { name: Cow::Borrowed("score"), kind: Kind::Real },
    Column { name: Cow::Borrowed("is_indexable"), kind: Kind::Boolean },
];

pub(super) const TEXT: [Column; 1] = [Column { name: Cow::Borrowed("title"), kind: Kind::Text }];

pub(super) fn example_rows() -> Vec<Vec<Cell<'static>>> {
    vec![
        vec![text("https://a.example/?a=1,2&b=\"c\""), Cell::Integer(200), Cell::Real(0.1), Cell::Boolean(true)],
        vec![Cell::Null, Cell::Null, Cell::Null, Cell::Null],
        vec![text("=HYPERLINK(\"x\")"), Cell::Integer(i64::MIN), Cell::Real(-1e300), Cell::Boolean(false)],
    ]
}

pub(super) fn text(text: &str) -> Cell<'_> {
    Cell::Text(Cow::Borrowed(text))
}

pub(super) fn write(format: Format, columns: &[Column], rows: &[Vec<Cell<'_>>], formulas: Formulas) -> Vec<u8> {
    let mut table = TableWriter::new(format, columns, Vec::new(), formulas).unwrap();
    for row in rows {
        table.row(row).unwrap();
    }
    table.finish().unwrap()
}

pub(super) fn write_texts(format: Format, texts: &[String], formulas: Formulas) -> Vec<u8> {
    let rows: Vec<_> = texts.iter().map(|each| vec![text(each)]).collect();
    write(format, &TEXT, &rows, formulas)
}

/// Every character up to U+00FF, those at the borders of planes and of XML, and what spreadsheets, JSON, SQL and
/// terminals stumble over.
pub(super) fn texts() -> Vec<String> {
    let characters = ('\0'..='\u{ff}').chain("\u{7ff}\u{800}\u{d7ff}\u{e000}\u{fffd}\u{fffe}\u{ffff}".chars());
    let singles = characters.chain(['\u{10000}', '\u{10ffff}', '\u{202e}', '\u{feff}', '\u{2028}']);
    let phrases = [
        "",
        "=1+1",
        "@SUM(A1)",
        "-2",
        "+4",
        "\t=1",
        "\r=1",
        "'=1",
        "\"",
        "\"\"",
        "a,b;c\td",
        "a\r\nb",
        "a\nb\rc",
        "]]>",
        "<!--",
        "&amp;",
        "_x0041_",
        "_x005F_x0041_",
        "a_x000D_b",
        "_x00_",
        "NULL",
        "true",
        "1e3",
        "0012",
        "  two  ",
        "\\N",
        "\\u0000",
        "{\"a\":1}",
        "👩‍👩‍👧‍👦",
        "مرحبا",
        "田中さん",
        "Z̮̞̠͙͔ͅ",
        "\x1b]52;c;aGk=\x07",
        "' OR 1=1 --",
        "../../etc/passwd",
    ];
    singles.map(String::from).chain(phrases.map(String::from)).collect()
}
