//! Valid HTTP with bad content: encodings, bombs, redirects to invalid targets, charsets.
//!
//! Because the protocol is intact, these work over HTTP/2 as well.

use crate::encode::{brotli_bomb, encode, gzip, gzip_bomb, zstd_bomb, zstd_huge_window};
use crate::fault::Fault;
use crate::page::Page;
use crate::reply::Reply;

const HTML: &str = "text/html";
const HTML_UTF8: &str = "text/html; charset=utf-8";

/// The reply of a content fault; `None` for a protocol fault.
pub(crate) fn reply(fault: &Fault) -> Option<Reply> {
    Some(match fault {
        Fault::BadGzip => encoded("gzip", page().into_bytes()),
        Fault::TruncatedGzip => {
            let whole = gzip(page().as_bytes());
            encoded("gzip", whole[..whole.len() / 2].to_vec())
        }
        Fault::GzipTrailingGarbage => encoded("gzip", [gzip(page().as_bytes()), b"and garbage".to_vec()].concat()),
        Fault::DoubleGzip => encoded("gzip, gzip", gzip(&gzip(page().as_bytes()))),
        Fault::NestedEncodings => nested(["gzip", "deflate", "br", "zstd", "gzip"]),
        Fault::GzipBomb { decoded } => {
            let decoded = *decoded;
            Reply::streamed(HTML_UTF8, move || gzip_bomb(decoded)).header("Content-Encoding", "gzip")
        }
        Fault::BrotliBomb { decoded } => {
            let decoded = *decoded;
            Reply::streamed(HTML_UTF8, move || brotli_bomb(decoded)).header("Content-Encoding", "br")
        }
        Fault::ZstdBomb { decoded } => {
            let decoded = *decoded;
            Reply::streamed(HTML_UTF8, move || zstd_bomb(decoded)).header("Content-Encoding", "zstd")
        }
        Fault::ZstdHugeWindow => encoded("zstd", zstd_huge_window()),
        Fault::RedirectWithoutLocation => Reply::status(302),
        Fault::RedirectToFile => Reply::redirect(302, "file:///etc/passwd"),
        Fault::RedirectToFtp => Reply::redirect(302, "ftp://127.0.0.1/secret"),
        Fault::RedirectToData => Reply::redirect(302, "data:text/html,<h1>data</h1>"),
        Fault::RedirectToJavascript => Reply::redirect(302, "javascript:alert(1)"),
        Fault::MetaRefreshSelf => refresh_to(""),
        _ => return badly_spelled(fault),
    })
}

/// A page that refreshes immediately; to itself if the URL is empty.
pub(crate) fn refresh_to(address: &str) -> Reply {
    let content = if address.is_empty() { "0".to_owned() } else { format!("0; url={address}") };
    let tag = format!("<meta http-equiv=\"refresh\" content=\"{content}\">");
    Reply::html(Page::titled("Refreshing").head(&tag).to_html())
}

fn badly_spelled(fault: &Fault) -> Option<Reply> {
    Some(match fault {
        Fault::CharsetHeaderAgainstBom => {
            Reply::bytes("text/html; charset=windows-1252", format!("\u{feff}{}", titled("Grüße", "utf-8")))
        }
        Fault::CharsetMetaLies => Reply::bytes(HTML, titled("Grüße", "utf-16")),
        Fault::CharsetHeaderLies => Reply::bytes(HTML_UTF8, windows_1252(&titled("Grüße", "utf-8"))),
        Fault::Utf16WithBom => Reply::bytes(HTML, utf16(&titled("Grüße", "utf-16"))),
        Fault::InvalidUtf8 => {
            let broken = b"<p>\xff\xfe \xc3( \xe2\x82 \xf0\x28\x8c\xbc</p>";
            Reply::bytes(HTML_UTF8, [titled("Broken", "utf-8").as_bytes(), broken].concat())
        }
        Fault::Utf7 => Reply::bytes("text/html; charset=utf-7", titled("+ADw-script+AD4-alert(1)", "utf-7")),
        _ => return None,
    })
}

fn page() -> String {
    Page::titled("Encoded").text("A page behind an encoding.").link("/").to_html()
}

fn titled(title: &str, charset: &str) -> String {
    format!(
        "<!doctype html><html><head><meta charset=\"{charset}\"><title>{title}</title></head><body>{title}</body></html>"
    )
}

fn encoded(encoding: &str, bytes: Vec<u8>) -> Reply {
    Reply::bytes(HTML_UTF8, bytes).header("Content-Encoding", encoding)
}

fn nested(encodings: [&str; 5]) -> Reply {
    let body = encodings.iter().fold(page().into_bytes(), |body, encoding| encode(encoding, &body));
    encoded(&encodings.join(", "), body)
}

fn utf16(text: &str) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Only for Latin-1 text, where both encodings agree.
fn windows_1252(text: &str) -> Vec<u8> {
    text.chars().map(|letter| letter as u8).collect()
}
