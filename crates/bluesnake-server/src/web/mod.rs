//! The web UI, embedded in the binary. Its sources are in `web/`; `tools/web` builds them and writes `files.rs`.
//!
//! Files are stored compressed, and decompressed only for clients that do not accept brotli. Every path outside the
//! API is a view of the one page, which reads the path itself.

mod files;

use std::io::Read;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use brotli_decompressor::Decompressor;
use sha2::{Digest, Sha256};

use crate::error::no_such_path;
use crate::options::hex;

/// The page, in which paths of files start with `./`.
const PAGE: &str = include_str!("../../../../web/dist/index.html");

/// Paths that belong to the API, and everything below them.
const API: [&str; 3] = ["/api", "/metrics", "/mcp"];

/// Whether a path is a view or a file of the web UI. Both are public: the page contains nothing but the program.
pub(crate) fn is_web(path: &str) -> bool {
    !API.iter().any(|api| path.strip_prefix(api).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// A file of the web UI, or its page for any other path outside the API.
pub(crate) async fn web(request: Request) -> Response {
    let path = request.uri().path();
    if !is_web(path) || !matches!(*request.method(), Method::GET | Method::HEAD) {
        return no_such_path().await.into_response();
    }
    match path.strip_prefix("/assets/") {
        Some(name) => file(name, request.headers()).await,
        None if is_view(path) => page(path, request.uri().query(), request.headers()),
        None => no_such_path().await.into_response(),
    }
}

/// Whether a path could be that of a view: words and numbers, perhaps with a slash at the end.
fn is_view(path: &str) -> bool {
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let parts = path.strip_prefix('/').map(|rest| rest.strip_suffix('/').unwrap_or(rest));
    path == "/" || parts.is_some_and(|parts| parts.split('/').all(is_word))
}

/// A file never changes: its name contains a hash of its content.
async fn file(name: &str, headers: &HeaderMap) -> Response {
    let Some((_, content)) = files::FILES.iter().find(|(known, _)| *known == name) else {
        return no_such_path().await.into_response();
    };
    let fixed = [(CONTENT_TYPE, media_type(name)), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
    let vary = (VARY, "accept-encoding");
    if accepts_brotli(headers) {
        return (fixed, [vary, (CONTENT_ENCODING, "br")], Body::from(*content)).into_response();
    }
    (fixed, [vary], Body::from(decompressed(content))).into_response()
}

/// The page of a view. Its files are named relative to the path, so that the UI also works below the path of a proxy.
fn page(path: &str, query: Option<&str>, headers: &HeaderMap) -> Response {
    // `/r/12/` has the same view as `/r/12`, but other relative paths.
    if let Some(view) = path.strip_suffix('/').filter(|view| !view.is_empty()) {
        let last = view.rsplit('/').next().unwrap_or_default();
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        return (StatusCode::PERMANENT_REDIRECT, [(LOCATION, format!("../{last}{query}"))]).into_response();
    }
    let up = "../".repeat(path.matches('/').count().saturating_sub(1));
    let text = PAGE.replace("\"./", &format!("\"./{up}"));
    let tag = format!("\"{}\"", hex(&Sha256::digest(&text)[..12]));
    let tag_header = HeaderValue::from_str(&tag).expect("hexadecimal digits are ASCII");
    let known =
        headers.get_all(IF_NONE_MATCH).iter().any(|known| known.to_str().is_ok_and(|known| known.contains(&tag)));
    let fixed = [(ETAG, tag_header), (CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    if known {
        return (StatusCode::NOT_MODIFIED, fixed).into_response();
    }
    (fixed, [(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
}

fn accepts_brotli(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.any(|value| {
        value.split(',').any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            name.trim() == "br" && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
        })
    })
}

fn decompressed(content: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    Decompressor::new(content, 4096).read_to_end(&mut text).expect("files are compressed by tools/web");
    text
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_decompresses_and_has_a_media_type() {
        assert!(files::FILES.len() > 2);
        for (name, content) in files::FILES {
            assert!(!decompressed(content).is_empty(), "{name}");
            assert_ne!(media_type(name), "application/octet-stream", "{name}");
        }
    }

    #[test]
    fn the_page_names_only_files_that_exist() {
        let named: Vec<&str> = PAGE.split("\"./assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(named.len() > 1);
        for name in named {
            assert!(files::FILES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }

    #[test]
    fn paths_of_the_api_are_not_views() {
        for path in ["/api", "/api/v1/nothing", "/metrics", "/mcp", "/mcp/x"] {
            assert!(!is_web(path), "{path}");
        }
        for path in ["/", "/r/12", "/apis", "/assets/x.js"] {
            assert!(is_web(path), "{path}");
        }
        for path in ["/", "/r/12", "/r/12/", "/r/12/vs/9"] {
            assert!(is_view(path), "{path}");
        }
        for path in ["//", "//etc/passwd", "/../etc", "/r/12//", "/favicon.ico", "/%2e%2e"] {
            assert!(!is_view(path), "{path}");
        }
    }
}
