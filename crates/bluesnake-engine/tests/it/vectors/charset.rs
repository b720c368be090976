//! Encodings as html5lib and the Encoding Standard define them.

use bluesnake_engine::parse::charset::{CharsetSource, Decoded, decode};

use super::{Tally, bytes, json};

/// Whether an encoding is the expected one, where windows-1252 may mean that nothing is declared: their answer then is
/// the last resort, while ours is UTF-8 if the bytes are UTF-8.
fn is_expected(decoded: &Decoded<'_>, expected: &str) -> bool {
    match decoded.source {
        CharsetSource::Utf8 => expected.eq_ignore_ascii_case("windows-1252"),
        _ => decoded.encoding.eq_ignore_ascii_case(expected),
    }
}

/// The `#data` and `#encoding` of each case.
fn cases_of(file: &[u8]) -> Vec<(Vec<u8>, String)> {
    let starts: Vec<usize> =
        memchr::memmem::find_iter(file, b"#data\n").filter(|at| is_line_start(file, *at)).collect();
    let ends = starts.iter().skip(1).copied().chain([file.len()]);
    starts.iter().zip(ends).map(|(start, end)| data_and_encoding(&file[start + 6..end])).collect()
}

fn is_line_start(file: &[u8], at: usize) -> bool {
    at == 0 || file[at - 1] == b'\n'
}

fn data_and_encoding(case: &[u8]) -> (Vec<u8>, String) {
    let at = memchr::memmem::find(case, b"\n#encoding\n").expect("a case has an encoding");
    let encoding = String::from_utf8_lossy(&case[at + 11..]).trim().to_owned();
    (case[..at].to_vec(), encoding)
}

fn check_prescan(file: &'static str, count: usize) {
    let mut tally = Tally::of(file);
    for (data, expected) in cases_of(&bytes("html5lib-tests", file)) {
        let decoded = decode(&data, None, false);
        let text = String::from_utf8_lossy(&data);
        if data.len() > 1024 && data.is_ascii() && expected != "windows-1252" {
            assert_eq!(decoded.encoding, "UTF-8", "{text}");
            tally.except(&text, "declared after 1024 bytes, and ASCII is the same text in both encodings");
            continue;
        }
        tally.check(is_expected(&decoded, &expected), || format!("{expected}, not {}: {text}", decoded.encoding));
    }
    tally.finish(count);
}

#[test]
fn the_first_html5lib_file_passes() {
    check_prescan("encoding/tests1.dat", 59);
}

#[test]
fn the_second_html5lib_file_passes() {
    check_prescan("encoding/tests2.dat", 22);
}

#[test]
fn the_html5lib_page_of_yahoo_japan_passes() {
    check_prescan("encoding/test-yahoo-jp.dat", 1);
}

/// Labels that the package omits, because its decoder does not know their encodings.
const OTHER_LABELS: [(&str, &str); 13] = [
    ("csiso2022jp", "ISO-2022-JP"),
    ("iso-2022-jp", "ISO-2022-JP"),
    ("csiso88598i", "ISO-8859-8-I"),
    ("iso-8859-8-i", "ISO-8859-8-I"),
    ("logical", "ISO-8859-8-I"),
    ("x-mac-cyrillic", "x-mac-cyrillic"),
    ("x-mac-ukrainian", "x-mac-cyrillic"),
    ("replacement", "replacement"),
    ("csiso2022kr", "replacement"),
    ("hz-gb-2312", "replacement"),
    ("iso-2022-cn", "replacement"),
    ("iso-2022-cn-ext", "replacement"),
    ("iso-2022-kr", "replacement"),
];

#[test]
fn knows_every_label_of_the_encoding_standard() {
    let all = json("encoding-labels", "labels-to-names.json");
    let mut tally = Tally::of("labels-to-names.json");
    let labels = all.as_object().unwrap().iter().map(|(label, name)| (label.as_str(), name.as_str().unwrap()));
    for (label, name) in labels.chain(OTHER_LABELS) {
        let header = format!("text/html; charset=\"{label}\"");
        let decoded = decode(b"x", Some(&header), false);
        tally.check(decoded.encoding == name && decoded.source == CharsetSource::Header, || {
            format!("{label}: {decoded:?}")
        });
    }
    tally.finish(228);
}
