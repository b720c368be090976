//! The media type that the first bytes of a body show, where it contradicts the one the server sent.
//!
//! Only formats that a browser recognises with certainty count, by the signatures of the WHATWG's MIME Sniffing
//! Standard. Generic types (`application/octet-stream`) and families (a `.docx` is a zip) contradict nothing.

/// How many bytes are looked at.
pub(crate) const SNIFFED_BYTES: usize = 512;

/// The type of a body, if it contradicts the essence of its Content-Type. Nothing contradicts a type that was not sent.
pub(crate) fn contradiction(body: &[u8], essence: &str) -> Option<&'static str> {
    if essence.is_empty() || body.is_empty() {
        return None;
    }
    let found = sniff(&body[..body.len().min(SNIFFED_BYTES)])?;
    (!agrees(essence, found)).then_some(found)
}

/// Signatures at the start of a body; a zero byte of the mask stands for any byte.
#[rustfmt::skip]
const SIGNATURES: &[(&[u8], &[u8], &str)] = &[
    (b"%PDF-", b"", "application/pdf"),
    (b"\x89PNG\r\n\x1A\n", b"", "image/png"),
    (b"GIF87a", b"", "image/gif"),
    (b"GIF89a", b"", "image/gif"),
    (b"\xFF\xD8\xFF", b"", "image/jpeg"),
    (b"RIFF\0\0\0\0WEBPVP", b"\xFF\xFF\xFF\xFF\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF", "image/webp"),
    (b"RIFF\0\0\0\0WAVE", b"\xFF\xFF\xFF\xFF\0\0\0\0\xFF\xFF\xFF\xFF", "audio/wav"),
    (b"RIFF\0\0\0\0AVI ", b"\xFF\xFF\xFF\xFF\0\0\0\0\xFF\xFF\xFF\xFF", "video/avi"),
    (b"\0\0\x01\0", b"", "image/x-icon"),
    (b"\0\0\0\0ftypavif", b"\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "image/avif"),
    (b"\0\0\0\0ftyp", b"\0\0\0\0\xFF\xFF\xFF\xFF", "video/mp4"),
    (b"\x1A\x45\xDF\xA3", b"", "video/webm"),
    (b"OggS\0", b"", "application/ogg"),
    (b"ID3", b"", "audio/mpeg"),
    (b"wOFF", b"", "font/woff"),
    (b"wOF2", b"", "font/woff2"),
    (b"\0\x01\0\0\0", b"", "font/ttf"),
    (b"OTTO", b"", "font/otf"),
    (b"PK\x03\x04", b"", "application/zip"),
    (b"\x1F\x8B\x08", b"", "application/gzip"),
    (b"Rar!\x1A\x07", b"", "application/vnd.rar"),
    (b"7z\xBC\xAF\x27\x1C", b"", "application/x-7z-compressed"),
];

/// Tags that begin a page, after white space.
const HTML_TAGS: [&[u8]; 5] = [b"<!doctype html", b"<html", b"<head", b"<body", b"<title"];

fn sniff(body: &[u8]) -> Option<&'static str> {
    let has = |signature: &[u8], mask: &[u8]| match mask {
        [] => body.starts_with(signature),
        _ => {
            let bytes = body.get(..signature.len());
            bytes.is_some_and(|bytes| {
                bytes.iter().zip(mask).map(|(byte, mask)| byte & mask).eq(signature.iter().copied())
            })
        }
    };
    let known = SIGNATURES.iter().find(|(signature, mask, _)| has(signature, mask)).map(|(_, _, found)| *found);
    known.or_else(|| is_html(body).then_some("text/html"))
}

fn is_html(body: &[u8]) -> bool {
    let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body).trim_ascii_start();
    let begins = |tag: &[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    // The name must end there: `<header>` begins no page.
    HTML_TAGS.iter().any(|tag| begins(tag) && matches!(text.get(tag.len()), Some(b'>' | b' ' | b'\n' | b'\r' | b'\t')))
}

/// Whether a body of the type `found` may be sent as `essence`.
fn agrees(essence: &str, found: &str) -> bool {
    let (class, name) = essence.split_once('/').unwrap_or((essence, ""));
    if essence == found || matches!(name, "octet-stream" | "x-download" | "force-download") || class == "binary" {
        return true;
    }
    match found {
        // Text is shown as text, and XML, feeds and framework data may begin like a page.
        "text/html" => {
            matches!(essence, "application/xhtml+xml" | "text/plain" | "text/markdown") || name.contains("xml")
        }
        "image/jpeg" => matches!(name, "jpg" | "pjpeg"),
        // Browsers take any image for an icon.
        "image/png" | "image/gif" if is_icon(name) => true,
        "image/png" => matches!(name, "x-png" | "apng" | "vnd.mozilla.apng"),
        "image/x-icon" => is_icon(name) || matches!(name, "ico" | "icon"),
        "image/avif" | "video/mp4" | "video/webm" | "video/avi" | "audio/wav" | "audio/mpeg" | "application/ogg" => {
            matches!(class, "audio" | "video")
                || found == "image/avif" && matches!(name, "avif-sequence" | "heic" | "heif")
                || found == "video/mp4" && matches!(name, "heic" | "heif" | "mp4" | "heic-sequence" | "heif-sequence")
                || found == "application/ogg" && class == "application"
        }
        _ if found.starts_with("font/") => class == "font" || name.contains("font"),
        // Office documents, packages and archives are zip files, and tarballs are compressed.
        "application/zip" | "application/gzip" | "application/vnd.rar" | "application/x-7z-compressed" => {
            class == "application" && !matches!(name, "json" | "javascript" | "pdf" | "xhtml+xml")
        }
        "application/pdf" => name == "x-pdf",
        _ => false,
    }
}

fn is_icon(name: &str) -> bool {
    matches!(name, "x-icon" | "vnd.microsoft.icon")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_contradict_their_type_are_seen() {
        let check = |body: &[u8], essence: &str, expected: Option<&str>| {
            assert_eq!(contradiction(body, essence), expected, "{essence}: {:?}", String::from_utf8_lossy(body));
        };
        let png = b"\x89PNG\r\n\x1A\nrest".as_slice();
        check(png, "image/png", None);
        check(png, "image/jpeg", Some("image/png"));
        check(png, "text/html", Some("image/png"));
        check(png, "image/x-icon", None);
        check(png, "application/octet-stream", None);
        check(png, "", None);
        check(b"\xFF\xD8\xFF\xE0", "image/jpg", None);
        check(b"\xFF\xD8\xFF\xE0", "image/webp", Some("image/jpeg"));
        check(b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp", None);
        check(b"RIFF\x01\x02\x03\x04WEBPVP8 ", "image/png", Some("image/webp"));
        check(b"\0\0\0\x20ftypavif", "image/avif", None);
        check(b"\0\0\0\x20ftypavif", "image/png", Some("image/avif"));
        check(b"\0\0\0\x20ftypisom", "video/quicktime", None);
        check(b"\0\0\0\x20ftypM4A ", "audio/mp4", None);
        check(b"\0\0\0\x20ftypisom", "text/html", Some("video/mp4"));
        check(b"OggS\0", "audio/ogg", None);
        check(b"wOF2....", "application/font-woff2", None);
        check(b"wOF2....", "text/plain", Some("font/woff2"));
        check(b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", None);
        check(b"PK\x03\x04", "text/html", Some("application/zip"));
        check(b"\x1F\x8B\x08", "application/x-tar", None);
        check(b"\x1F\x8B\x08", "text/css", Some("application/gzip"));
        check(b"%PDF-1.7", "text/html", Some("application/pdf"));
        check(b"\xEF\xBB\xBF\n <!DOCTYPE html>", "image/png", Some("text/html"));
        check(b"<html lang=en>", "text/css", Some("text/html"));
        check(b"<html>", "application/json", Some("text/html"));
        check(b"<!doctype html>", "text/plain", None);
        check(b"<html>", "application/xml", None);
        check(b"<header>", "text/css", None);
        check(b"<svg>", "image/svg+xml", None);
        check(b"body { color: red }", "text/html", None);
        check(b"", "text/html", None);
    }
}
