//! Encodings as html5lib, jsdom and the web platform tests know them.

use bluesnake_engine::parse::charset::{CharsetSource, Decoded, decode};

use super::{Tally, base64, bytes, cases, json};

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
    let Some(all) = bytes(file) else { return };
    let mut tally = Tally::of(file);
    for (data, expected) in cases_of(&all) {
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
fn the_first_html5lib_file_holds() {
    check_prescan("charset/html5lib-tests1.dat", 59);
}

#[test]
fn the_second_html5lib_file_holds() {
    check_prescan("charset/html5lib-tests2.dat", 22);
}

#[test]
fn the_html5lib_page_of_yahoo_japan_holds() {
    check_prescan("charset/html5lib-test-yahoo-jp.dat", 1);
}

#[test]
fn we_sniff_what_jsdom_sniffs() {
    let Some(all) = json("charset/jsdom-sniffer.json") else { return };
    let mut tally = Tally::of("charset/jsdom-sniffer.json");
    for case in cases(&all) {
        let document = base64(case["base64"].as_str().unwrap());
        let decoded = decode(&document, None, false);
        tally.check(is_expected(&decoded, case["expected_encoding"].as_str().unwrap()), || format!("{}", case["file"]));
    }
    tally.finish(16);
}

#[test]
fn every_label_of_the_encoding_standard_is_known() {
    let Some(all) = json("charset/wpt-encoding-labels.json") else { return };
    let mut tally = Tally::of("charset/wpt-encoding-labels.json");
    for (label, name) in all.as_object().unwrap() {
        let header = format!("text/html; charset=\"{label}\"");
        let decoded = decode(b"x", Some(&header), false);
        tally.check(decoded.encoding == name && decoded.source == CharsetSource::Header, || {
            format!("{label}: {decoded:?}")
        });
    }
    tally.finish(228);
}
