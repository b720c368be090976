//! From bytes to text: the encoding of a document, and its text.
//!
//! The order is the web platform's: byte order mark, HTTP header, `<meta>` in the first 1024 bytes, XML declaration;
//! then valid UTF-8 is UTF-8, then a late `<meta>`, then an optional detector, and finally windows-1252. The text is
//! always valid Unicode, and borrowed if the bytes already are that text. Start with [`decode`].

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::headers::content_type;

/// How far to search for `<meta>` (HTML section 13.2.3.2).
const PRESCAN_BYTES: usize = 1024;

/// How far to search for a late `<meta>`. Browsers restart when they find one, wherever it is.
const LATE_META_BYTES: usize = 64 * 1024;

/// How much the detector sees. It is slow, and more text seldom changes the result.
const DETECT_BYTES: usize = 64 * 1024;

/// A document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: Cow<'a, str>,
    /// The encoding's name in the Encoding Standard: `UTF-8`, `windows-1252` …
    pub encoding: &'static str,
    /// How the encoding was determined.
    pub source: CharsetSource,
    /// Whether some bytes were invalid in that encoding and became U+FFFD.
    pub had_errors: bool,
}

/// How an encoding was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharsetSource {
    /// By the byte order mark.
    Bom,
    /// By the Content-Type header.
    Header,
    /// By the document itself: `<meta>` or its XML declaration.
    Meta,
    /// Nothing is declared, and the bytes are valid UTF-8.
    Utf8,
    /// Nothing is declared; this encoding is the most likely.
    Detected,
    /// Nothing is known.
    Fallback,
}

/// Decodes a document. `content_type` is the header's value; `detect` allows a guess where nothing is declared.
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, detect: bool) -> Decoded<'a> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decode_as(encoding, CharsetSource::Bom, &bytes[mark..]);
    }
    if let Some(encoding) = content_type.and_then(of_header) {
        return decode_as(encoding, CharsetSource::Header, bytes);
    }
    if let Some(encoding) = of_document(bytes) {
        return decode_as(encoding, CharsetSource::Meta, bytes);
    }
    if is_utf8(bytes) {
        return decode_as(UTF_8, CharsetSource::Utf8, bytes);
    }
    if let Some(encoding) = prescan(bytes, LATE_META_BYTES) {
        return decode_as(encoding, CharsetSource::Meta, bytes);
    }
    if detect {
        return decode_as(guess(bytes), CharsetSource::Detected, bytes);
    }
    decode_as(WINDOWS_1252, CharsetSource::Fallback, bytes)
}

fn decode_as<'a>(encoding: &'static Encoding, source: CharsetSource, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, had_errors) = encoding.decode_without_bom_handling(bytes);
    Decoded { text, encoding: encoding.name(), source, had_errors }
}

fn of_header(value: &str) -> Option<&'static Encoding> {
    Encoding::for_label(content_type(value).charset?.as_bytes())
}

/// Whether the bytes are UTF-8, ignoring a truncated last character.
fn is_utf8(bytes: &[u8]) -> bool {
    // This check is several times as fast as the standard library's, which only checks the rest.
    let rest = &bytes[Encoding::utf8_valid_up_to(bytes)..];
    str::from_utf8(rest).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The detector's guess, starting at the first non-ASCII byte: long scripts before the text tell it nothing.
fn guess(bytes: &[u8]) -> &'static Encoding {
    // A few words before it help the detector judge the first letter.
    let start = Encoding::ascii_valid_up_to(bytes).saturating_sub(64);
    let sample = &bytes[start..bytes.len().min(start + DETECT_BYTES)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, start + sample.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

/// The encoding that a document declares in its first bytes.
fn of_document(bytes: &[u8]) -> Option<&'static Encoding> {
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    prescan(bytes, PRESCAN_BYTES).or_else(|| of_xml_declaration(bytes))
}

fn prescan(bytes: &[u8], limit: usize) -> Option<&'static Encoding> {
    Prescan { bytes: &bytes[..bytes.len().min(limit)], at: 0 }.run()
}

/// What a declaration inside a document means: if it could be read, the document is not UTF-16.
fn of_declaration(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(match encoding {
        _ if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

/// `<?xml … encoding="…"?>` ("get an XML encoding").
fn of_xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes[..bytes.len().min(PRESCAN_BYTES)].strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let after = skip_spaces(&declaration[at + b"encoding".len()..]).strip_prefix(b"=")?;
    let (quote, value) = skip_spaces(after).split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    of_declaration(&value[..memchr::memchr(*quote, value)?])
}

fn skip_spaces(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len())..]
}

/// The search for `<meta>` in the head of a document ("prescan a byte stream to determine its encoding").
///
/// Every step returns `None` at the end of the bytes, because a truncated declaration does not count.
struct Prescan<'a> {
    bytes: &'a [u8],
    at: usize,
}

type Attribute = (Vec<u8>, Vec<u8>);

impl Prescan<'_> {
    fn run(&mut self) -> Option<&'static Encoding> {
        loop {
            self.at += memchr::memchr(b'<', self.rest())?;
            let rest = self.rest();
            if rest.starts_with(b"<!--") {
                // The dashes of `<!-->` may be those that open the comment.
                self.at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
            } else if is_meta(rest) {
                self.at += b"<meta".len();
                if let Some(encoding) = self.meta()? {
                    return Some(encoding);
                }
            } else if is_tag(rest) {
                self.at += rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
                while self.attribute()?.is_some() {}
            } else if matches!(rest.get(1)?, b'!' | b'/' | b'?') {
                self.at += memchr::memchr(b'>', rest)? + 1;
            } else {
                self.at += 1;
            }
        }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at.min(self.bytes.len())..]
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// What the attributes of a `<meta>` declare; the outer `None` means the end of the bytes.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut is_pragma = false;
        let mut declared: Option<Declared> = None;
        while let Some((name, value)) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match name.as_slice() {
                b"http-equiv" => is_pragma = value == b"content-type",
                b"content" if declared.is_none() => {
                    declared =
                        of_content(&value).map(|encoding| Declared { encoding: Some(encoding), needs_pragma: true });
                }
                b"charset" => declared = Some(Declared { encoding: of_declaration(&value), needs_pragma: false }),
                _ => {}
            }
            seen.push(name);
        }
        Some(declared.filter(|declared| is_pragma || !declared.needs_pragma).and_then(|declared| declared.encoding))
    }

    /// The next attribute, both parts in lower case ("get an attribute"); the inner `None` means the end of the tag.
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        while is_space(self.byte()?) || self.byte()? == b'/' {
            self.at += 1;
        }
        if self.byte()? == b'>' {
            return Some(None);
        }
        let mut name = Vec::new();
        loop {
            match self.byte()? {
                b'=' if !name.is_empty() => break,
                byte if is_space(byte) => break,
                b'/' | b'>' => return Some(Some((name, Vec::new()))),
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        self.skip_spaces()?;
        if self.byte()? != b'=' {
            return Some(Some((name, Vec::new())));
        }
        self.at += 1;
        self.skip_spaces()?;
        Some(Some((name, self.value()?)))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let quote = self.byte().filter(|byte| matches!(byte, b'"' | b'\''));
        self.at += usize::from(quote.is_some());
        let end = self.rest().iter().position(|byte| match quote {
            Some(quote) => *byte == quote,
            None => is_space(*byte) || *byte == b'>',
        })?;
        let value = self.rest()[..end].to_ascii_lowercase();
        self.at += end + usize::from(quote.is_some());
        Some(value)
    }

    fn skip_spaces(&mut self) -> Option<()> {
        while is_space(self.byte()?) {
            self.at += 1;
        }
        Some(())
    }
}

/// What a `<meta>` has declared so far.
struct Declared {
    /// `None` if the label is unknown.
    encoding: Option<&'static Encoding>,
    /// Whether it counts only with `http-equiv=content-type`.
    needs_pragma: bool,
}

fn is_meta(rest: &[u8]) -> bool {
    let has_name = rest.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"<meta"));
    has_name && rest.get(5).is_some_and(|byte| is_space(*byte) || *byte == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").or(rest.strip_prefix(b"<"));
    name.and_then(<[u8]>::first).is_some_and(u8::is_ascii_alphabetic)
}

/// HTML white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

/// The charset in the `content` of a `<meta>`, already in lower case ("extracting a character encoding").
fn of_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let at = memchr::memmem::find(rest, b"charset")?;
        rest = trim_start(&rest[at + b"charset".len()..]);
        let Some(value) = rest.strip_prefix(b"=") else { continue };
        let value = trim_start(value);
        let end = match value.first()? {
            quote @ (b'"' | b'\'') => return of_declaration(&value[1..=memchr::memchr(*quote, &value[1..])?]),
            _ => value.iter().position(|byte| is_space(*byte) || *byte == b';').unwrap_or(value.len()),
        };
        return of_declaration(&value[..end]);
    }
}

fn trim_start(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().position(|byte| !is_space(*byte)).unwrap_or(bytes.len())..]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(bytes: &[u8], content_type: Option<&str>, expected: (&str, CharsetSource)) {
        let decoded = decode(bytes, content_type, true);
        assert_eq!((decoded.encoding, decoded.source), expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn the_mark_beats_the_header_and_the_header_beats_the_document() {
        let document = b"<meta charset=koi8-r>";
        check(document, None, ("KOI8-R", CharsetSource::Meta));
        check(document, Some("text/html; charset=latin1"), ("windows-1252", CharsetSource::Header));
        check(document, Some("text/html; charset=unheard-of"), ("KOI8-R", CharsetSource::Meta));
        check(b"\xEF\xBB\xBFx", Some("text/html; charset=latin1"), ("UTF-8", CharsetSource::Bom));
        check(b"\xFF\xFEx\0", Some("text/html; charset=utf-8"), ("UTF-16LE", CharsetSource::Bom));
    }

    #[test]
    fn a_document_declares_its_encoding_in_many_ways() {
        let check = |document: &str, expected: &str| check(document.as_bytes(), None, (expected, CharsetSource::Meta));
        check("<!doctype html><html lang=ru><META charset = 'windows-1251' >", "windows-1251");
        check("<meta http-equiv=Content-Type content='text/html; charset=euc-jp'>", "EUC-JP");
        check("<meta content=\"text/html;charset='gbk'\" http-equiv=content-type>", "GBK");
        check("<!-- <meta charset=koi8-r> --><meta charset=big5>", "Big5");
        check("<!--><meta charset=big5>", "Big5");
        check("<p title='<meta charset=koi8-r>'><meta charset=big5>", "Big5");
        check("<meta charset=utf-16>", "UTF-8");
        check("<meta charset=x-user-defined>", "windows-1252");
        check("<meta charset=unheard-of><meta charset=big5>", "Big5");
        check("<?xml version='1.0' encoding = \"ISO-8859-2\"?><rss/>", "ISO-8859-2");
        check("<?xml version='1.0' encoding='UTF-16'?><rss/>", "UTF-8");
    }

    #[test]
    fn truncated_or_late_declarations_are_ignored() {
        let late = format!("<!--{}--><meta charset=big5>", "x".repeat(1024));
        for document in
            ["<meta charset=big5", "<meta charset='big5>", "<meta content='text/html; charset=big5'>", late.as_str()]
        {
            check(document.as_bytes(), None, ("UTF-8", CharsetSource::Utf8));
        }
    }

    #[test]
    fn a_late_declaration_counts_where_the_bytes_are_not_utf8() {
        let late = [b"<!--", [b'x'; 2000].as_slice(), b"--><meta charset=koi8-r>\xC1"].concat();
        check(&late, None, ("KOI8-R", CharsetSource::Meta));
    }

    #[test]
    fn xml_in_utf16_is_known_without_a_mark() {
        let document: Vec<u8> = "<?xml version='1.0'?>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&document, None, false).text, "<?xml version='1.0'?>");
    }

    #[test]
    fn undeclared_text_is_utf8_if_it_can_be_and_else_a_guess() {
        check("Grüße aus Köln".as_bytes(), None, ("UTF-8", CharsetSource::Utf8));
        let russian = encoding_rs::WINDOWS_1251.encode("Привет, это обычный русский текст без объявления кодировки.").0;
        check(&russian, None, ("windows-1251", CharsetSource::Detected));
        let after_scripts = [&[b' '; 100_000], &*russian].concat();
        check(&after_scripts, None, ("windows-1251", CharsetSource::Detected));
        let decoded = decode(&russian, None, false);
        assert_eq!((decoded.encoding, decoded.source), ("windows-1252", CharsetSource::Fallback));
    }

    #[test]
    fn a_character_that_was_cut_off_does_not_make_it_another_encoding() {
        let decoded = decode("Größe €".as_bytes().split_last().unwrap().1, None, true);
        assert_eq!((decoded.encoding, &*decoded.text, decoded.had_errors), ("UTF-8", "Größe \u{FFFD}", true));
    }

    #[test]
    fn valid_utf8_is_borrowed() {
        for document in ["<meta charset=utf-8>ü", "ü", "\u{feff}ü"] {
            assert!(matches!(decode(document.as_bytes(), None, true).text, Cow::Borrowed(_)), "{document}");
        }
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        let decoded = decode(b"a\xFFb", Some("text/html; charset=utf-8"), true);
        assert_eq!((&*decoded.text, decoded.had_errors), ("a\u{FFFD}b", true));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, header: String, detect: bool) {
            decode(&bytes, Some(&header), detect);
        }

        #[test]
        fn no_markup_makes_it_panic(markup in "(<meta |<!--|-->|charset|content|http-equiv|=|'|\"|<|>|/|<\\?xml |encoding| |utf-8|é){0,30}") {
            decode(markup.as_bytes(), None, true);
        }
    }
}
