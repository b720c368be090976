//! Responses cached on disk, so that repeating a crawl while tuning a plan requests nothing twice.
//!
//! One file per URL and kind of request: written to a temporary file and renamed, so it is complete or absent, with a
//! checksum that turns corruption into a miss. The cache is a convenience: its errors are logged as warnings and
//! never fail a fetch.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{CONNECTION, SET_COOKIE, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::task::spawn_blocking;
use tracing::warn;
use xxhash_rust::xxh3::xxh3_64;

use super::{Accept, Body, Cut, HttpVersion, Response};
use crate::url::CanonicalUrl;

const MAGIC: &[u8; 8] = b"bsnake01";

/// The cache of one crawl.
pub(super) struct Cache {
    folder: PathBuf,
    max_age: Option<Duration>,
    /// Makes the names of temporary files unique within this process.
    written: AtomicU64,
}

impl Cache {
    /// A cache in a folder; 0 seconds means that entries never expire.
    pub(super) fn new(folder: &Path, max_age_seconds: u64) -> Self {
        let max_age = (max_age_seconds > 0).then(|| Duration::from_secs(max_age_seconds));
        Self { folder: folder.to_owned(), max_age, written: AtomicU64::new(0) }
    }

    /// The cached response, cut at a limit; `None` if it is expired, corrupt or missing.
    pub(super) async fn find(&self, url: &CanonicalUrl, accept: Accept, limit: usize) -> Option<Response> {
        let (path, max_age) = (self.path(url, accept), self.max_age);
        let bytes = spawn_blocking(move || read_fresh(&path, max_age)).await.ok()??;
        let mut response = decode(bytes, url)?;
        if limit > 0 && response.body.bytes.len() > limit {
            response.body.bytes.truncate(limit);
            response.body.decoded_bytes = limit as u64;
            response.body.cut = Some(Cut::Limit);
        }
        Some(response)
    }

    /// Caches a response if it is complete and neither a server error nor a 429.
    pub(super) async fn keep(&self, url: &CanonicalUrl, accept: Accept, response: &Response) {
        if response.body.cut.is_some() || response.status >= 500 || response.status == 429 {
            return;
        }
        let path = self.path(url, accept);
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let aside = path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let bytes = encode(response, url);
        let result = spawn_blocking(move || write_aside_and_rename(&aside, &path, &bytes)).await;
        if let Ok(Err(error)) = result {
            warn!(folder = %self.folder.display(), %error, "cannot cache a response");
        }
    }

    fn path(&self, url: &CanonicalUrl, accept: Accept) -> PathBuf {
        let key = format!("{:?}", url.key());
        self.folder.join(&key[..2]).join(format!("{key}-{}", accept.as_str()))
    }
}

fn read_fresh(path: &Path, max_age: Option<Duration>) -> Option<Vec<u8>> {
    if let Some(max_age) = max_age {
        let written = path.metadata().ok()?.modified().ok()?;
        // A file from the future (the clock was set back) counts as fresh.
        let age = SystemTime::now().duration_since(written).unwrap_or_default();
        if age >= max_age {
            return None;
        }
    }
    std::fs::read(path).ok()
}

fn write_aside_and_rename(aside: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let written = std::fs::write(aside, bytes).and_then(|()| std::fs::rename(aside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(aside);
    }
    written
}

/// Magic, checksum of the rest, then the URL, version, status, wire bytes, header fields and body, each with its length.
fn encode(response: &Response, url: &CanonicalUrl) -> Vec<u8> {
    let mut rest = Vec::with_capacity(response.body.bytes.len() + 1024);
    put(&mut rest, url.as_str().as_bytes());
    put(&mut rest, response.version.as_str().as_bytes());
    rest.extend_from_slice(&response.status.to_le_bytes());
    rest.extend_from_slice(&response.body.wire_bytes.to_le_bytes());
    let kept: Vec<_> = response.headers.iter().filter(|(name, _)| !is_of_the_connection(name)).collect();
    rest.extend_from_slice(&(kept.len() as u32).to_le_bytes());
    for (name, value) in kept {
        put(&mut rest, name.as_str().as_bytes());
        put(&mut rest, value.as_bytes());
    }
    put(&mut rest, &response.body.bytes);
    [&MAGIC[..], &xxh3_64(&rest).to_le_bytes(), &rest].concat()
}

/// Fields of one connection or session do not belong to the page.
fn is_of_the_connection(name: &HeaderName) -> bool {
    [SET_COOKIE, CONNECTION, TRANSFER_ENCODING].contains(name)
}

fn put(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.extend_from_slice(&(field.len() as u32).to_le_bytes());
    bytes.extend_from_slice(field);
}

fn decode(file: Vec<u8>, url: &CanonicalUrl) -> Option<Response> {
    let mut rest = file.strip_prefix(MAGIC)?;
    let checksum = u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?);
    if xxh3_64(rest) != checksum || field(&mut rest)? != url.as_str().as_bytes() {
        return None;
    }
    let version = HttpVersion::named(field(&mut rest)?)?;
    let status = u16::from_le_bytes(take(&mut rest, 2)?.try_into().ok()?);
    let wire_bytes = u64::from_le_bytes(take(&mut rest, 8)?.try_into().ok()?);
    let count = u32::from_le_bytes(take(&mut rest, 4)?.try_into().ok()?);
    let mut headers = HeaderMap::new();
    for _ in 0..count {
        let name = HeaderName::from_bytes(field(&mut rest)?).ok()?;
        headers.append(name, HeaderValue::from_bytes(field(&mut rest)?).ok()?);
    }
    let bytes = Bytes::copy_from_slice(field(&mut rest)?);
    let body = Body { decoded_bytes: bytes.len() as u64, bytes, wire_bytes, cut: None };
    Some(Response {
        status,
        headers,
        body,
        version,
        remote: None,
        reused: false,
        kept: None,
        certificate_problem: None,
    })
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_le_bytes(take(rest, 4)?.try_into().ok()?);
    take(rest, length as usize)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}
