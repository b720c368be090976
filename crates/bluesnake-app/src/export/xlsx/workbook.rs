//! The file around the sheets of an XLSX table: a zip stream with fixed times and no document properties.

use std::fmt::Write as _;
use std::io::Write;

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::super::ExportError;
use super::super::muted::Muted;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

// Sheets are the default, so this can come first, where `file` looks for it, before their number is known.
const CONTENT_TYPES: &str = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
    <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
    <Default Extension=\"xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>\
    <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
    <Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>\
    </Types>";

const PACKAGE_RELATIONS: &str = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
    <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/>\
    </Relationships>";

const STYLES: &str = "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
    <fonts count=\"3\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font><font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font>\
    <font><u/><sz val=\"11\"/><color rgb=\"FF0563C1\"/><name val=\"Calibri\"/></font></fonts>\
    <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>\
    <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
    <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
    <cellXfs count=\"4\">\
    <xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
    <xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>\
    <xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" quotePrefix=\"1\"/>\
    <xf numFmtId=\"0\" fontId=\"2\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>\
    </cellXfs>\
    <cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>\
    </styleSheet>";

/// The header stays visible when the sheet is scrolled.
const SHEET_START: &str = "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
    <sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>";

pub(super) struct Workbook<W: Write> {
    zip: ZipWriter<StreamWriter<Muted<W>>>,
    /// The cells of each sheet, as `$A$1:$D$4`.
    sheets: Vec<String>,
}

impl<W: Write> Workbook<W> {
    pub(super) fn new(out: W) -> Result<Self, ExportError> {
        let zip = ZipWriter::new_stream(Muted::new(out));
        let mut workbook = Self { zip, sheets: Vec::new() };
        workbook.write_part("[Content_Types].xml", CONTENT_TYPES)?;
        workbook.write_part("_rels/.rels", PACKAGE_RELATIONS)?;
        workbook.write_part("xl/styles.xml", STYLES)?;
        Ok(workbook)
    }

    pub(super) fn start_sheet(&mut self, columns: &str) -> Result<(), ExportError> {
        let name = format!("xl/worksheets/sheet{}.xml", self.sheets.len() + 1);
        self.write_part(&name, SHEET_START)?;
        self.append(columns.as_bytes())?;
        self.append(b"<sheetData>")
    }

    /// Appends to the part that was started last.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        Ok(self.zip.write_all(bytes)?)
    }

    /// Completes a sheet of this size, with a filter on every column, and its links.
    pub(super) fn end_sheet(
        &mut self,
        last_column: &str,
        rows: u32,
        links: &str,
        relationships: Option<String>,
    ) -> Result<(), ExportError> {
        self.append(format!("</sheetData><autoFilter ref=\"A1:{last_column}{rows}\"/>").as_bytes())?;
        self.append(links.as_bytes())?;
        self.append(b"</worksheet>")?;
        self.sheets.push(format!("$A$1:${last_column}${rows}"));
        match relationships {
            Some(part) => self.write_part(&format!("xl/worksheets/_rels/sheet{}.xml.rels", self.sheets.len()), &part),
            None => Ok(()),
        }
    }

    pub(super) fn finish(mut self) -> Result<W, ExportError> {
        let (sheets, relations) = self.list_sheets();
        self.write_part("xl/workbook.xml", &sheets)?;
        self.write_part("xl/_rels/workbook.xml.rels", &relations)?;
        Ok(self.zip.finish()?.into_inner().finish()?)
    }

    fn write_part(&mut self, name: &str, start: &str) -> Result<(), ExportError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(3))
            .last_modified_time(DateTime::default());
        self.zip.start_file(name, options)?;
        self.append(DECLARATION.as_bytes())?;
        self.append(start.as_bytes())
    }

    fn list_sheets(&self) -> (String, String) {
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let mut sheets = format!(
            "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"{office}\">\
            <bookViews><workbookView/></bookViews><sheets>"
        );
        let mut relations = format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
            <Relationship Id=\"rIdStyles\" Type=\"{office}/styles\" Target=\"styles.xml\"/>"
        );
        let mut filters = String::new();
        for (sheet, cells) in (1..).zip(&self.sheets) {
            let _ = write!(sheets, "<sheet name=\"Sheet{sheet}\" sheetId=\"{sheet}\" r:id=\"rId{sheet}\"/>");
            let _ = write!(
                relations,
                "<Relationship Id=\"rId{sheet}\" Type=\"{office}/worksheet\" Target=\"worksheets/sheet{sheet}.xml\"/>"
            );
            // Excel keeps a filter under this name too.
            let _ = write!(
                filters,
                "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"{}\" hidden=\"1\">Sheet{sheet}!{cells}</definedName>",
                sheet - 1
            );
        }
        let _ = write!(sheets, "</sheets><definedNames>{filters}</definedNames></workbook>");
        relations.push_str("</Relationships>");
        (sheets, relations)
    }
}
