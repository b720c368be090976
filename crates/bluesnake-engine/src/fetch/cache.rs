//! Responses cached on disk, so that repeating a crawl while tuning a plan requests nothing twice.
//!
//! One file per URL and kind of request: written to a temporary file and renamed, so it is complete or absent, with a
//! checksum that turns corruption into a miss. The cache is a convenience: its errors are logged as warnings and
//! never fail a fetch. It serves every kind of request of every job and asks no server; responses kept by captures
//! ([`Earlier`](super::Earlier)) are pages only, and are revalidated.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{CONNECTION, SET_COOKIE, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tracing::warn;
use xxhash_rust::xxh3::xxh3_64;

use super::{Accept, Body, Cut, HttpVersion, Response};
use crate::url::CanonicalUrl;

const MAGIC: &[u8; 8] = b"bsnake02";

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

/// Everything but the body, as one line of JSON.
#[derive(Serialize, Deserialize)]
struct Head {
    url: String,
    version: String,
    status: u16,
    wire_bytes: u64,
    headers: Vec<(String, Vec<u8>)>,
}

/// Magic, checksum of the rest, then the head and the body.
fn encode(response: &Response, url: &CanonicalUrl) -> Vec<u8> {
    let kept = response.headers.iter().filter(|(name, _)| !is_of_the_connection(name));
    let head = Head {
        url: url.as_str().to_owned(),
        version: response.version.as_str().to_owned(),
        status: response.status,
        wire_bytes: response.body.wire_bytes,
        headers: kept.map(|(name, value)| (name.to_string(), value.as_bytes().to_owned())).collect(),
    };
    let head = serde_json::to_vec(&head).expect("a head is JSON");
    let rest = [&head[..], b"\n", &response.body.bytes].concat();
    [&MAGIC[..], &xxh3_64(&rest).to_le_bytes(), &rest].concat()
}

/// Fields of one connection or session do not belong to the page.
fn is_of_the_connection(name: &HeaderName) -> bool {
    [SET_COOKIE, CONNECTION, TRANSFER_ENCODING].contains(name)
}

fn decode(file: Vec<u8>, url: &CanonicalUrl) -> Option<Response> {
    let (checksum, rest) = file.strip_prefix(MAGIC)?.split_first_chunk()?;
    if xxh3_64(rest) != u64::from_le_bytes(*checksum) {
        return None;
    }
    let end = memchr::memchr(b'\n', rest)?;
    let head: Head = serde_json::from_slice(&rest[..end]).ok().filter(|head: &Head| head.url == url.as_str())?;
    let mut headers = HeaderMap::new();
    for (name, value) in head.headers {
        headers.append(HeaderName::try_from(name).ok()?, HeaderValue::try_from(value).ok()?);
    }
    let bytes = Bytes::copy_from_slice(&rest[end + 1..]);
    Some(Response {
        status: head.status,
        headers,
        body: Body {
            decoded_bytes: bytes.len() as u64,
            bytes,
            first: Box::default(),
            wire_bytes: head.wire_bytes,
            cut: None,
        },
        version: HttpVersion::from_word(&head.version)?,
        remote: None,
        reused: false,
        kept: None,
        certificate_problem: None,
    })
}
