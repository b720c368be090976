//! How an encoding is found in a page without a header.

use bluesnake_engine::parse::charset::{CharsetSource, decode};

#[track_caller]
fn check(page: &[u8], expected: &str) {
    let decoded = decode(page, None, false);
    assert_eq!(decoded.encoding, expected, "{}", String::from_utf8_lossy(page));
}

#[test]
fn a_byte_order_mark_decides() {
    check(b"\xEF\xBB\xBF<meta charset=koi8-r>x", "UTF-8");
    check(b"\xFE\xFF\0<\0p\0>", "UTF-16BE");
    check(b"\xFF\xFE<\0p\0>\0", "UTF-16LE");
}

#[test]
fn a_meta_element_decides() {
    check(b"<!doctype html><meta charset=\"koi8-r\">\xC1", "KOI8-R");
    check(b"<meta charset=iso-8859-2><p>\xC1", "ISO-8859-2");
    check(b"<!-- <meta charset=koi8-r> --><meta charset=iso-8859-5>\xC1", "ISO-8859-5");
    check(b"<!--><meta charset=iso-8859-2>\xC1", "ISO-8859-2");
    check(b"<a title='<meta charset=koi8-r>'><meta charset=iso-8859-5>\xC1", "ISO-8859-5");
    check(b"<meta http-equiv=Content-Type content=text/html;charset=windows-874>\xC1", "windows-874");
    check(b"<meta content='text/html; charset=windows-1251 ' http-equiv='content-type'>\xC1", "windows-1251");
    check(b"<meta http-equiv=content-type content='charset charset=iso-8859-2'>\xC1", "ISO-8859-2");
    check(b"<META CHARSET = 'Shift_JIS' >\x83\x41", "Shift_JIS");
}

#[test]
fn a_meta_element_cannot_declare_utf_16_or_user_defined() {
    for label in ["utf-16", "utf-16be", "utf-16le"] {
        check(format!("<meta charset={label}>\u{e4}").as_bytes(), "UTF-8");
    }
    check(b"<meta charset=x-user-defined>\xE4", "windows-1252");
}

#[test]
fn without_a_declaration_the_bytes_decide() {
    check(b"<p>\xE4 x", "windows-1252");
    check(b"<meta http-equiv=refresh content='0; charset=koi8-r'>\xE4 x", "windows-1252");
    // A truncated last character does not rule out UTF-8.
    check(b"<p>x \xE4", "UTF-8");
    let decoded = decode("<p>ä".as_bytes(), None, false);
    assert_eq!((decoded.encoding, decoded.source), ("UTF-8", CharsetSource::Utf8));
}
