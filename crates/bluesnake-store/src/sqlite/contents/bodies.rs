//! Stored documents and texts, compressed, once per distinct content.

use std::borrow::Cow;

use bluesnake_engine::{Number, words};
use rusqlite::{Transaction, params};
use sha2::{Digest, Sha256};

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, rows};

/// Fast, and within a few percent of higher levels on HTML.
const LEVEL: i32 = 3;

words! {
    /// Which form of a page is stored.
    BodyForm {
        /// The document as received.
        Html = "html",
        /// The rendered document.
        Rendered = "rendered",
        /// A picture of the rendered page.
        Screenshot = "screenshot",
    }
}

/// The stored documents of a run, with the columns of a [`Body`].
const BODIES: &str =
    "SELECT v.number, u.url, v.status, coalesce(v.content_type, ''), coalesce(h.fields, '[]'), v.visited_at,
            v.cut IS NOT NULL, b.bytes, b.zstd
     FROM visits AS v
     JOIN urls AS u ON u.run = v.run AND u.number = v.number
     JOIN bodies AS b ON b.run = v.run AND b.key = v.html
     LEFT JOIN headers AS h ON h.run = v.run AND h.id = v.headers
     WHERE v.run = ?1";

rows! {
    /// A stored document with the facts of its response.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Body {
        /// The number of its URL.
        pub number: i64,
        /// The URL.
        pub url: String,
        /// HTTP status.
        pub status: i64,
        /// Media type.
        pub content_type: String,
        /// The kept header fields.
        pub headers: Vec<(String, String)> = json,
        /// When it was fetched: unix time in milliseconds.
        pub visited_at: i64,
        /// Whether it is incomplete.
        pub is_cut: bool,
        /// The document, decoded.
        pub bytes: Vec<u8> = decompressed,
    }
}

/// Content to be stored.
#[derive(Debug)]
pub(in crate::sqlite) struct PackedBody<'a> {
    pub(in crate::sqlite) key: [u8; 32],
    pub(in crate::sqlite) bytes: usize,
    pub(in crate::sqlite) zstd: Cow<'a, [u8]>,
}

/// Compresses contents.
pub(in crate::sqlite) struct BodyPacker(zstd::bulk::Compressor<'static>);

impl BodyPacker {
    pub(in crate::sqlite) fn new() -> Self {
        Self(zstd::bulk::Compressor::new(LEVEL).expect("the level exists"))
    }

    pub(in crate::sqlite) fn pack(&mut self, content: &[u8]) -> PackedBody<'static> {
        let zstd = self.compress(content).into();
        PackedBody { key: Sha256::digest(content).into(), bytes: content.len(), zstd }
    }

    pub(in crate::sqlite) fn compress(&mut self, content: &[u8]) -> Vec<u8> {
        self.0.compress(content).expect("memory can be compressed into memory")
    }
}

impl PackedBody<'_> {
    /// Stores the content unless it exists, and returns its key.
    pub(in crate::sqlite) fn store(&self, transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<[u8; 32]> {
        let mut insert = transaction.prepare_cached(
            "INSERT INTO bodies (run, key, bytes, zstd) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
        )?;
        insert.execute(params![run, self.key, self.bytes, self.zstd])?;
        Ok(self.key)
    }
}

impl Contents<'_> {
    /// The first stored document with a number above `after`.
    pub fn next_body(self, run: i64, after: Number) -> Result<Option<Body>, DatabaseError> {
        let sql = format!("{BODIES} AND v.number > ?2 ORDER BY v.number LIMIT 1");
        self.read_here("cannot read stored documents", |connection| Ok(first(connection, &sql, (run, after.0))?))
    }

    /// A stored form of a URL, if it has one.
    pub async fn body_of(self, run: i64, number: Number, form: BodyForm) -> Result<Option<Body>, DatabaseError> {
        let sql = format!("{BODIES} AND v.number = ?2").replace("v.html", &format!("v.{}", form.as_str()));
        self.first("cannot read the stored document", sql, (run, number.0)).await
    }
}
