//! Bodies: valid encodings, broken ones, bombs, charsets.

use std::io::Read;

use testsite::{Fault, Reply, Site, sitemap};

use crate::client::{Received, fetch};

const PLAIN: &str = "<p>hello, hello, hello</p>";

async fn served(reply: Reply) -> Received {
    fetch(&Site::new().reply("/", reply).start().await, "/").await
}

async fn suffered(fault: Fault) -> Received {
    fetch(&Site::new().fault("/", fault).start().await, "/").await
}

fn decoder<'a>(encoding: &str, body: &'a [u8]) -> Box<dyn Read + 'a> {
    match encoding {
        "gzip" => Box::new(flate2::read::GzDecoder::new(body)),
        "deflate" => Box::new(flate2::read::ZlibDecoder::new(body)),
        "br" => Box::new(brotli::Decompressor::new(body, 4096)),
        "zstd" => Box::new(zstd::Decoder::new(body).unwrap()),
        other => panic!("no decoder for {other}"),
    }
}

fn decode(encoding: &str, body: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    decoder(encoding, body).read_to_end(&mut plain).map(|_| plain)
}

#[tokio::test]
async fn encoded_replies_decode_to_what_was_declared() {
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        for reply in [Reply::encoded(encoding, PLAIN), Reply::encoded(encoding, PLAIN).chunked()] {
            let received = served(reply).await;
            assert_eq!(received.header("content-encoding").as_deref(), Some(encoding));
            assert_eq!(decode(encoding, &received.body()).unwrap(), PLAIN.as_bytes(), "{encoding}");
        }
    }
}

#[tokio::test]
async fn placeholders_are_filled_in_before_encoding() {
    let site = Site::new().reply("/", Reply::gzip("{origin}/x")).start().await;
    let plain = decode("gzip", &fetch(&site, "/").await.body()).unwrap();
    assert_eq!(plain, format!("{}/x", site.origin()).as_bytes());
}

#[tokio::test]
async fn a_gzip_file_is_not_a_content_encoding() {
    let received = served(sitemap::gzip_file(["/a"])).await;
    assert_eq!(received.header("content-encoding"), None);
    assert!(String::from_utf8(decode("gzip", &received.body()).unwrap()).unwrap().contains("/a</loc>"));
}

#[tokio::test]
async fn broken_gzip_is_broken_as_declared() {
    assert!(decode("gzip", &suffered(Fault::BadGzip).await.body()).is_err());

    let truncated = suffered(Fault::TruncatedGzip).await.body();
    let error = decode("gzip", &truncated).unwrap_err();
    assert_eq!((&truncated[..2], error.kind()), (&b"\x1f\x8b"[..], std::io::ErrorKind::UnexpectedEof));

    let trailing = suffered(Fault::GzipTrailingGarbage).await.body();
    assert!(trailing.ends_with(b"and garbage"));
    assert!(decode("gzip", &trailing).unwrap().ends_with(b"</html>\n"));

    let double = suffered(Fault::DoubleGzip).await;
    assert_eq!(double.header("content-encoding").as_deref(), Some("gzip, gzip"));
    assert!(decode("gzip", &decode("gzip", &double.body()).unwrap()).unwrap().ends_with(b"</html>\n"));
}

#[tokio::test]
async fn nested_encodings_decode_in_reverse_order() {
    let received = suffered(Fault::NestedEncodings).await;
    let encodings = received.header("content-encoding").unwrap();
    let body = encodings.split(", ").collect::<Vec<_>>().into_iter().rev();
    let plain = body.fold(received.body(), |body, encoding| decode(encoding, &body).unwrap());
    assert!(plain.starts_with(b"<!doctype html>"));
}

#[tokio::test]
async fn bombs_are_small_on_the_wire_and_decode_to_the_declared_size() {
    const DECODED: u64 = 64 << 20;
    let check = async |fault: Fault, encoding: &str| {
        let received = suffered(fault).await;
        assert_eq!(received.header("content-encoding").as_deref(), Some(encoding));
        let body = received.body();
        let decoded = std::io::copy(&mut decoder(encoding, &body), &mut std::io::sink()).unwrap();
        assert!(body.len() as u64 * 200 < DECODED, "{encoding}: {} bytes on the wire", body.len());
        assert!((DECODED..DECODED + 100).contains(&decoded), "{encoding}: {decoded} bytes decoded");
    };
    check(Fault::GzipBomb { decoded: DECODED }, "gzip").await;
    check(Fault::BrotliBomb { decoded: DECODED }, "br").await;
    check(Fault::ZstdBomb { decoded: DECODED }, "zstd").await;
}

#[tokio::test]
async fn careful_decoders_refuse_a_huge_zstd_window() {
    let body = suffered(Fault::ZstdHugeWindow).await.body();
    assert!(decode("zstd", &body).is_err());
    let mut daring = zstd::Decoder::new(body.as_slice()).unwrap();
    daring.window_log_max(31).unwrap();
    let mut plain = Vec::new();
    daring.read_to_end(&mut plain).unwrap();
    assert!(plain.starts_with(b"<!doctype html>"));
}

#[tokio::test]
async fn redirect_faults_have_dangerous_targets() {
    let check = async |fault: Fault, location: Option<&str>| {
        let received = suffered(fault).await;
        assert_eq!((received.status(), received.header("location").as_deref()), (302, location));
    };
    check(Fault::RedirectWithoutLocation, None).await;
    check(Fault::RedirectToFile, Some("file:///etc/passwd")).await;
    check(Fault::RedirectToFtp, Some("ftp://127.0.0.1/secret")).await;
    check(Fault::RedirectToData, Some("data:text/html,<h1>data</h1>")).await;
    check(Fault::RedirectToJavascript, Some("javascript:alert(1)")).await;
}

#[tokio::test]
async fn refresh_faults_loop() {
    assert!(suffered(Fault::MetaRefreshSelf).await.html().contains("http-equiv=\"refresh\" content=\"0\""));
    let site = Site::new().fault("/ping", Fault::MetaRefreshPingPong).start().await;
    assert!(fetch(&site, "/ping").await.html().contains("content=\"0; url=/ping?pong\""));
    assert!(fetch(&site, "/ping?pong").await.html().contains("content=\"0; url=/ping\""));
}

#[tokio::test]
async fn charset_faults_mislabel_bytes() {
    let check = async |fault: Fault, content_type: &str, title: &[u8]| {
        let name = fault.name();
        let received = suffered(fault).await;
        assert_eq!(received.header("content-type").as_deref(), Some(content_type), "{name}");
        assert!(received.body().windows(title.len()).any(|window| window == title), "{name}");
        received.body()
    };
    let against_bom =
        check(Fault::CharsetHeaderAgainstBom, "text/html; charset=windows-1252", "Grüße".as_bytes()).await;
    assert!(against_bom.starts_with(b"\xef\xbb\xbf"));
    check(Fault::CharsetMetaLies, "text/html", "Grüße".as_bytes()).await;
    check(Fault::CharsetHeaderLies, "text/html; charset=utf-8", b"Gr\xfc\xdfe").await;
    let utf16 = check(Fault::Utf16WithBom, "text/html", b"G\0r\0\xfc\0\xdf\0e\0").await;
    assert!(utf16.starts_with(b"\xff\xfe"));
    let invalid = check(Fault::InvalidUtf8, "text/html; charset=utf-8", b"\xff\xfe").await;
    assert!(String::from_utf8(invalid).is_err());
    check(Fault::Utf7, "text/html; charset=utf-7", b"+ADw-script+AD4-").await;
}
