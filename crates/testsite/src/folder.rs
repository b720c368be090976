//! The files of a folder, sent as a plain web server sends them.

use std::path::{Path, PathBuf};

use crate::address::split_query;
use crate::reply::Prepared;

/// The response of a folder to a target; `None` if there is no such file.
///
/// A folder without its slash redirects to the form with one, which is its `index.html`.
pub(crate) fn answer(root: &Path, prefix: &str, target: &str) -> Option<Prepared> {
    let (path, _) = split_query(target);
    let inside = path.strip_prefix(prefix)?;
    let file = find(root, inside)?;
    if file.is_dir() {
        if !path.ends_with('/') {
            return Some(Prepared::redirect(301, format!("{path}/")));
        }
        return send(&file.join("index.html"));
    }
    send(&file)
}

/// The file of a path, if none of its names leaves the folder.
fn find(root: &Path, path: &str) -> Option<PathBuf> {
    let path = decode(path)?;
    let mut file = root.to_owned();
    for name in path.split('/').filter(|name| !name.is_empty()) {
        if name == ".." || name.contains('\0') {
            return None;
        }
        file.push(name);
    }
    Some(file)
}

fn send(file: &Path) -> Option<Prepared> {
    let bytes = std::fs::read(file).ok()?;
    Some(Prepared::resource(media_type(file), bytes.into()))
}

fn media_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "js" => "text/javascript",
        "json" => "application/json",
        "txt" => "text/plain",
        "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "pdf" => "application/pdf",
        _ => "application/octet-stream",
    }
}

/// The text behind percent-encodings; `None` if it is not UTF-8.
fn decode(path: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
