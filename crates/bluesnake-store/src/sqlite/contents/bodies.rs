//! Stored documents and texts, compressed, once per distinct content.

use std::borrow::Cow;

use bluesnake_engine::Number;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use sha2::{Digest, Sha256};

use super::Contents;
use crate::error::DatabaseError;

/// Fast, and within a few percent of higher levels on HTML.
const LEVEL: i32 = 3;

/// The stored documents of a run, with the columns of [`body`].
const BODIES: &str =
    "SELECT v.number, u.url, v.status, coalesce(v.content_type, ''), coalesce(h.fields, '[]'), v.visited_at,
            b.bytes, b.zstd, v.cut IS NOT NULL
     FROM visits AS v
     JOIN urls AS u ON u.run = v.run AND u.number = v.number
     JOIN bodies AS b ON b.run = v.run AND b.key = v.html
     LEFT JOIN headers AS h ON h.run = v.run AND h.id = v.headers
     WHERE v.run = ?1";

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
    pub headers: Vec<(String, String)>,
    /// When it was fetched: unix time in milliseconds.
    pub visited_at: i64,
    /// Whether it is incomplete.
    pub is_cut: bool,
    /// The document, decoded.
    pub bytes: Vec<u8>,
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
        self.read_here("cannot read stored documents", move |connection| {
            let mut next =
                connection.prepare_cached(&format!("{BODIES} AND v.number > ?2 ORDER BY v.number LIMIT 1"))?;
            Ok(next.query_row(params![run, after.0], body).optional()?)
        })
    }

    /// The stored document of a URL, if it has one.
    pub async fn body_of(self, run: i64, number: Number) -> Result<Option<Body>, DatabaseError> {
        self.read("cannot read the stored document", move |connection| {
            let mut find = connection.prepare_cached(&format!("{BODIES} AND v.number = ?2"))?;
            Ok(find.query_row(params![run, number.0], body).optional()?)
        })
        .await
    }
}

fn body(row: &Row<'_>) -> rusqlite::Result<Body> {
    let fields: String = row.get(4)?;
    let (bytes, packed): (usize, Vec<u8>) = (row.get(6)?, row.get(7)?);
    Ok(Body {
        number: row.get(0)?,
        url: row.get(1)?,
        status: row.get(2)?,
        content_type: row.get(3)?,
        headers: serde_json::from_str(&fields).unwrap_or_default(),
        visited_at: row.get(5)?,
        is_cut: row.get(8)?,
        bytes: unpacked(&packed, bytes)?,
    })
}

pub(in crate::sqlite) fn unpacked(packed: &[u8], bytes: usize) -> rusqlite::Result<Vec<u8>> {
    zstd::bulk::decompress(packed, bytes)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(7, rusqlite::types::Type::Blob, error.into()))
}
