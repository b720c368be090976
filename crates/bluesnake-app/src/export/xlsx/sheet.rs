//! What a sheet needs besides its rows: column widths, a filter, and links.

use std::fmt::Write as _;

use quick_xml::escape::escape;

use super::super::{Column, Kind};

/// Links follow the rows in the file, so they are kept until then; URLs beyond this many bytes are plain text. Excel
/// opens no sheet with more than 65,530 links, which even the shortest URLs do not reach this way.
const LINK_BYTES: usize = 512 << 10;
/// Excel's limit on the URL of a link.
const LONGEST_LINK: usize = 2_079;

/// Columns of long texts.
const LONG: [&str; 10] =
    ["title", "meta_description", "h1", "h2", "text", "context", "detail", "error", "facts", "description"];

/// Whether the cells of a column are URLs.
pub(super) fn is_url(column: &Column) -> bool {
    column.kind == Kind::Text && (column.name == "url" || column.name.ends_with("_url"))
}

/// `<cols>`. Widths come before the rows of a streamed sheet, so they depend on the columns only.
pub(super) fn columns(columns: &[Column]) -> String {
    let mut cols = "<cols>".to_owned();
    for (at, column) in (1..).zip(columns) {
        let width = width(column);
        let _ = write!(cols, "<col min=\"{at}\" max=\"{at}\" width=\"{width}\" customWidth=\"1\"/>");
    }
    cols + "</cols>"
}

/// In characters. The heading and the button of its filter always fit.
fn width(column: &Column) -> usize {
    let content = match column.kind {
        Kind::Text if is_url(column) => 60,
        Kind::Text if LONG.contains(&column.name.as_ref()) => 45,
        Kind::Text => 16,
        Kind::Integer | Kind::Real | Kind::Boolean => 8,
    };
    content.max(column.name.len() + 4)
}

/// The links of one sheet.
#[derive(Debug, Default)]
pub(super) struct Links {
    links: Vec<Link>,
    /// Of their URLs.
    bytes: usize,
}

#[derive(Debug)]
struct Link {
    column: u16,
    row: u32,
    url: Box<str>,
}

impl Links {
    /// Makes a cell a link if its text is a URL that leads somewhere; masked ones do not.
    pub(super) fn add(&mut self, column: usize, row: u32, text: &str) -> bool {
        let is_web = text.starts_with("https://") || text.starts_with("http://");
        let is_link = is_web && !text.contains("***");
        let url = if is_link { as_uri(text) } else { String::new() };
        if url.is_empty() || url.len() > LONGEST_LINK || self.bytes + url.len() > LINK_BYTES {
            return false;
        }
        self.bytes += url.len();
        self.links.push(Link { column: column as u16, row, url: url.into() });
        true
    }

    /// `<hyperlinks>`, empty without links.
    pub(super) fn element(&self, letters: &[String]) -> String {
        if self.links.is_empty() {
            return String::new();
        }
        let mut element = "<hyperlinks>".to_owned();
        for (id, Link { column, row, .. }) in (1..).zip(&self.links) {
            let _ = write!(element, "<hyperlink ref=\"{}{row}\" r:id=\"rId{id}\"/>", letters[usize::from(*column)]);
        }
        element + "</hyperlinks>"
    }

    /// The relationships that the links refer to, if there are any.
    pub(super) fn relationships(&self) -> Option<String> {
        if self.links.is_empty() {
            return None;
        }
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let package = "http://schemas.openxmlformats.org/package/2006/relationships";
        let mut part = format!("<Relationships xmlns=\"{package}\">");
        for (id, Link { url, .. }) in (1..).zip(&self.links) {
            let url = escape(&**url);
            let _ = write!(
                part,
                "<Relationship Id=\"rId{id}\" Type=\"{office}/hyperlink\" Target=\"{url}\" TargetMode=\"External\"/>"
            );
        }
        Some(part + "</Relationships>")
    }
}

/// The URL with everything escaped that RFC 3986 does not allow: one such character makes the whole file unreadable
/// for some programs.
fn as_uri(url: &str) -> String {
    let mut uri = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => uri.push(char::from(byte)),
            _ if b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte) => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_valid_uri() {
        assert_eq!(as_uri("https://a.example/?a=1&b[]=|x|"), "https://a.example/?a=1&b[]=%7Cx%7C");
        assert_eq!(as_uri("https://a.example/ü"), "https://a.example/%C3%BC");
    }

    #[test]
    fn only_urls_that_lead_somewhere_are_links_and_no_more_than_excel_opens() {
        let mut links = Links::default();
        assert!(!links.add(0, 2, "javascript:alert(1)"));
        assert!(!links.add(0, 2, "https://a.example/?token=***"));
        assert!(!links.add(0, 2, &format!("https://a.example/{}", "x".repeat(LONGEST_LINK))));
        let url = "https://a.example/";
        let added = (2..).take_while(|row| links.add(0, *row, url)).count();
        assert_eq!(added, LINK_BYTES / url.len());
    }

    #[test]
    fn headings_fit_their_columns() {
        let wide = Column { name: "external_outlinks".into(), kind: Kind::Integer };
        assert!(width(&wide) > wide.name.len());
    }
}
