use std::io::Read;

use flate2::bufread::GzDecoder;

use super::*;

const HOUR_MS: i64 = 1_700_000_000_123;

fn page<'a>() -> WarcResponse<'a> {
    WarcResponse {
        url: "https://a.example/x",
        fetched_at_ms: HOUR_MS,
        status: 200,
        headers: &[
            ("content-type", "text/html"),
            ("Content-Encoding", "gzip"),
            ("transfer-encoding", "chunked"),
            ("content-length", "7"),
        ],
        body: b"<p>hello</p>",
        is_cut: false,
    }
}

fn write(responses: &[WarcResponse<'_>]) -> Vec<u8> {
    let mut warc = WarcWriter::new(Vec::new(), "bluesnake/1.0", HOUR_MS, Secrets::Masked).unwrap();
    for response in responses {
        warc.response(response).unwrap();
    }
    warc.finish().unwrap()
}

/// Each gzip member on its own, as a reader that seeks to a record gets it.
fn records(mut bytes: &[u8]) -> Vec<String> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let mut member = GzDecoder::new(bytes);
        let mut record = String::new();
        member.read_to_string(&mut record).unwrap();
        records.push(record);
        bytes = member.into_inner();
    }
    records
}

fn field<'a>(record: &'a str, name: &str) -> &'a str {
    let (head, _) = record.split_once("\r\n\r\n").unwrap();
    let named = head.split("\r\n").filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let values: Vec<_> = named.collect();
    assert_eq!(values.len(), 1, "{name} in {head}");
    values[0]
}

#[test]
fn a_file_is_a_warcinfo_and_response_records_each_in_its_own_gzip_member() {
    let records = records(&write(&[page(), page()]));

    let types: Vec<_> = records.iter().map(|record| field(record, "WARC-Type")).collect();
    assert_eq!(types, ["warcinfo", "response", "response"]);
    for record in &records {
        let (_, block) = record.split_once("\r\n\r\n").unwrap();
        assert_eq!(field(record, "Content-Length").parse::<usize>().unwrap() + "\r\n\r\n".len(), block.len());
        assert!(record.starts_with("WARC/1.1\r\n"));
    }
}

#[test]
fn headers_describe_the_stored_body_not_the_wire() {
    let record = records(&write(&[page()])).remove(1);

    let (_, block) = record.split_once("\r\n\r\n").unwrap();
    let expected = "HTTP/1.1 200 \r\ncontent-type: text/html\r\nContent-Length: 12\r\n\r\n<p>hello</p>\r\n\r\n";
    assert_eq!(block, expected);
    assert_eq!(field(&record, "WARC-Target-URI"), "https://a.example/x");
    assert_eq!(field(&record, "WARC-Date"), "2023-11-14T22:13:20.123Z");
}

#[test]
fn digests_are_sha1_in_base32() {
    assert_eq!(digest(&[]), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    assert_eq!(digest(&[b"a", b"bc"]), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");

    let record = records(&write(&[page()])).remove(1);
    assert_eq!(field(&record, "WARC-Payload-Digest"), digest(&[b"<p>hello</p>"]));
    assert_ne!(field(&record, "WARC-Block-Digest"), field(&record, "WARC-Payload-Digest"));
}

#[test]
fn ids_are_uuids_that_depend_on_url_date_and_body() {
    let later = WarcResponse { fetched_at_ms: HOUR_MS + 1, ..page() };
    let elsewhere = WarcResponse { url: "https://a.example/y", ..page() };
    let changed = WarcResponse { body: b"", ..page() };

    let records = records(&write(&[page(), later, elsewhere, changed]));

    let mut ids: Vec<_> = records.iter().map(|record| field(record, "WARC-Record-ID")).collect();
    assert!(ids.iter().all(|id| id.len() == 47 && &id[24..25] == "5" && "89ab".contains(&id[29..30])), "{ids:?}");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[test]
fn equal_responses_give_equal_bytes() {
    assert_eq!(write(&[page()]), write(&[page()]));
}

#[test]
fn nothing_from_the_web_starts_a_line() {
    let hostile = WarcResponse {
        url: "https://a.example/\r\nWARC-Type: request",
        headers: &[("x", "1\r\nSet-Cookie: a=b"), ("y\r\nz", "1"), ("", "1"), ("n", "a\u{85}b\0c")],
        ..page()
    };

    let record = records(&write(&[hostile])).remove(1);

    assert_eq!(field(&record, "WARC-Target-URI"), "https://a.example/%0D%0AWARC-Type:%20request");
    let (_, block) = record.split_once("\r\n\r\n").unwrap();
    assert!(
        block.starts_with("HTTP/1.1 200 \r\nx: 1  Set-Cookie: a=b\r\nn: a b c\r\nContent-Length: 12\r\n\r\n"),
        "{block}"
    );
}

#[test]
fn a_truncated_body_is_marked() {
    let record = records(&write(&[WarcResponse { is_cut: true, ..page() }])).remove(1);
    assert_eq!(field(&record, "WARC-Truncated"), "unspecified");
}

#[test]
fn dates_are_right_at_the_edges() {
    let check = |unix_ms, expected| assert_eq!(date(unix_ms), expected);
    check(0, "1970-01-01T00:00:00.000Z");
    check(-1, "1969-12-31T23:59:59.999Z");
    check(951_782_400_000, "2000-02-29T00:00:00.000Z");
    check(951_868_800_000, "2000-03-01T00:00:00.000Z");
    check(4_107_542_399_999, "2100-02-28T23:59:59.999Z");
    check(4_107_542_400_000, "2100-03-01T00:00:00.000Z");
}
