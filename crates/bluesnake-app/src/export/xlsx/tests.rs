use std::io::{self, Cursor, Read};
use std::rc::Rc;

use zip::ZipArchive;

use super::super::naughty::{COLUMNS, TEXT, example_rows, text, texts, write, write_texts};
use super::super::{Format, Formulas};
use super::*;

fn part(bytes: &[u8], name: &str) -> String {
    let mut text = String::new();
    ZipArchive::new(Cursor::new(bytes)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn sheet_rows(bytes: &[u8], sheet: u32) -> Vec<String> {
    let xml = part(bytes, &format!("xl/worksheets/sheet{sheet}.xml"));
    let (_, rows) = xml.split_once("<sheetData>").unwrap();
    let (rows, _) = rows.split_once("</sheetData>").unwrap();
    rows.split_inclusive("</row>").map(String::from).collect()
}

/// How a spreadsheet decodes the first cell of a row: XML first, then `_x0001_`.
fn first_text(row: &str) -> String {
    let (_, rest) = row.split_once("preserve\">").unwrap();
    let (xml, _) = rest.split_once("</t>").unwrap();
    let is_lost = |character| matches!(character, '\0'..='\x08' | '\x0b'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    assert!(!xml.contains(is_lost), "{xml:?} does not survive an XML reader");
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    let escaped = entities.iter().fold(xml.to_owned(), |text, (entity, character)| text.replace(entity, character));
    unescape(&escaped)
}

fn unescape(escaped: &str) -> String {
    let (mut text, mut rest) = (String::new(), escaped);
    while let Some(character) = rest.chars().next() {
        let code = is_escape(rest.as_bytes()).then(|| u32::from_str_radix(&rest[2..6], 16).unwrap());
        text.push(code.map_or(character, |code| char::from_u32(code).unwrap()));
        rest = &rest[if code.is_some() { 7 } else { character.len_utf8() }..];
    }
    text
}

#[test]
fn each_kind_of_cell_has_its_form() {
    let rows = sheet_rows(&write(Format::Xlsx, &COLUMNS, &example_rows(), Formulas::Escaped), 1);

    assert!(rows[0].contains("<c r=\"D1\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">is_indexable</t>"));
    assert!(
        rows[1].ends_with("<c r=\"B2\"><v>200</v></c><c r=\"C2\"><v>0.1</v></c><c r=\"D2\" t=\"b\"><v>1</v></c></row>")
    );
    assert_eq!(rows[2], "<row r=\"3\"></row>");
    assert!(rows[3].contains("preserve\">-9223372036854775808</t>"), "more digits than Excel has");
    assert!(rows[3].contains("<v>-1e300</v>"));
}

#[test]
fn texts_come_back_exactly() {
    let rows = sheet_rows(&write_texts(Format::Xlsx, &texts(), Formulas::Escaped), 1);
    let read: Vec<_> = rows[1..].iter().map(|row| first_text(row)).collect();
    assert_eq!(read, texts());
}

#[test]
fn only_texts_like_formulas_get_the_quote_prefix() {
    let bytes = write_texts(Format::Xlsx, &texts(), Formulas::Escaped);

    for (text, row) in texts().iter().zip(&sheet_rows(&bytes, 1)[1..]) {
        let is_value = ["+", "-", "-2", "+4"].contains(&text.as_str());
        let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_value;
        assert_eq!(row.contains(" s=\"2\""), is_formula, "{text:?}");
        assert!(!row.contains("<f>"));
    }
    assert!(part(&bytes, "xl/styles.xml").contains("xfId=\"0\" quotePrefix=\"1\"/>"));
}

#[test]
fn a_text_too_long_for_a_cell_is_cut_between_characters_with_a_note() {
    let fits = "x".repeat(UNITS_PER_CELL);
    assert_eq!(cut(&fits), fits);

    let long = "x😀".repeat(20_000);
    let kept = cut(&long);

    assert!(kept.ends_with(" … [cut: 40000 characters in all]"), "{}", &kept[kept.len() - 60..]);
    assert!(kept.starts_with("x😀x😀"));
    assert!((UNITS_PER_CELL - 1..=UNITS_PER_CELL).contains(&kept.encode_utf16().count()));
}

#[test]
fn a_full_sheet_is_followed_by_another_with_the_header_again() {
    for (rows_per_sheet, bytes_per_sheet) in [(2, u64::MAX), (u32::MAX, 250)] {
        let mut table = XlsxTable::with_limits(&TEXT, Vec::new(), rows_per_sheet, bytes_per_sheet).unwrap();
        for value in ["a", "b", "c"] {
            table.row(&[text(value)]).unwrap();
        }
        let bytes = table.finish().unwrap();

        let read = [1, 2].map(|sheet| sheet_rows(&bytes, sheet).iter().map(|row| first_text(row)).collect::<Vec<_>>());
        assert_eq!(read, [vec!["title", "a", "b"], vec!["title", "c"]]);
        assert!(
            part(&bytes, "xl/workbook.xml").contains("<sheet name=\"Sheet2\" sheetId=\"2\" r:id=\"rId2\"/></sheets>")
        );
    }
}

#[test]
fn every_sheet_has_a_filter_and_column_widths() {
    let bytes = write(Format::Xlsx, &COLUMNS, &example_rows(), Formulas::Escaped);
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("</sheetData><autoFilter ref=\"A1:D4\"/><hyperlinks>"), "{sheet}");
    assert!(sheet.contains("<col min=\"1\" max=\"1\" width=\"60\" customWidth=\"1\"/>"), "{sheet}");
    let filter = "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"0\" hidden=\"1\">Sheet1!$A$1:$D$4<";
    assert!(part(&bytes, "xl/workbook.xml").contains(filter));
}

#[test]
fn urls_are_links_and_formulas_are_not() {
    let bytes = write(Format::Xlsx, &COLUMNS, &example_rows(), Formulas::Escaped);
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(sheet.ends_with("<hyperlinks><hyperlink ref=\"A2\" r:id=\"rId1\"/></hyperlinks></worksheet>"), "{sheet}");
    let relationships = part(&bytes, "xl/worksheets/_rels/sheet1.xml.rels");
    let target = "Target=\"https://a.example/?a=1,2&amp;b=%22c%22\" TargetMode=\"External\"/></Relationships>";
    assert!(relationships.ends_with(target), "{relationships}");
    assert!(sheet_rows(&bytes, 1)[1].contains("<c r=\"A2\" s=\"3\""));
}

#[test]
fn an_empty_table_is_a_sheet_with_a_header() {
    let rows = sheet_rows(&write(Format::Xlsx, &TEXT, &[], Formulas::Escaped), 1);
    assert_eq!(rows.len(), 1);
    assert_eq!(first_text(&rows[0]), "title");
}

#[test]
fn columns_are_lettered_as_in_a_spreadsheet() {
    let letters = [0, 25, 26, 51, 52, 701, 702].map(column_letters);
    assert_eq!(letters, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
}

#[test]
fn a_failed_write_is_reported_once_and_not_retried() {
    let failures = Rc::new(std::cell::Cell::new(0));
    let mut table = XlsxTable::new(&TEXT, SmallDisk { room: 5000, failures: failures.clone() }).unwrap();

    let failed = (0_u32..).map(|number| table.row(&[text(&digest(number))])).find(Result::is_err);
    assert!(matches!(failed, Some(Err(ExportError::Write(_)))));
    assert!(matches!(table.finish(), Err(ExportError::Write(_))));

    assert_eq!(failures.get(), 1);
}

/// Something that does not compress.
fn digest(number: u32) -> String {
    (0..20).map(|round| number.wrapping_mul(2_654_435_761).rotate_left(round).to_string()).collect()
}

struct SmallDisk {
    room: usize,
    failures: Rc<std::cell::Cell<u32>>,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(room) = self.room.checked_sub(bytes.len()) else {
            self.failures.set(self.failures.get() + 1);
            return Err(io::ErrorKind::StorageFull.into());
        };
        self.room = room;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
