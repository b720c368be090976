//! Responses of captured pages, so that a later capture can revalidate them.

use bluesnake_engine::fetch::Kept;
use bluesnake_engine::visit::ResponseFacts;
use bluesnake_engine::{CanonicalUrl, Visit};
use http::HeaderMap;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LAST_MODIFIED};
use rusqlite::{Transaction, params};

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::columns::{first, rows};
use crate::sqlite::commit::hash_of;

rows! {
    /// A response kept by an earlier capture.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct KeptResponse {
        /// Its ETag.
        pub etag: Option<String>,
        /// Its Last-Modified.
        pub last_modified: Option<String>,
        /// How many seconds it is fresh, according to its server.
        pub max_age: Option<i64>,
        /// When it was fetched: unix time in milliseconds.
        pub visited_at: i64,
        /// Media type.
        pub content_type: String,
        /// Other header fields.
        pub headers: Vec<(String, String)> = json,
        /// The decoded body.
        pub body: Vec<u8> = decompressed,
    }
}

/// The header fields needed to revalidate a response.
#[derive(Clone, Copy, Debug)]
pub(in crate::sqlite) struct KeptFields<'a> {
    pub(in crate::sqlite) content_type: Option<&'a str>,
    pub(in crate::sqlite) etag: Option<&'a str>,
    pub(in crate::sqlite) last_modified: Option<&'a str>,
    pub(in crate::sqlite) cache_control: Option<&'a str>,
}

impl<'a> KeptFields<'a> {
    pub(in crate::sqlite) fn of(headers: &'a HeaderMap) -> Self {
        let field = |name| headers.get(name).and_then(|value| value.to_str().ok());
        Self {
            content_type: field(CONTENT_TYPE),
            etag: field(ETAG),
            last_modified: field(LAST_MODIFIED),
            cache_control: field(CACHE_CONTROL),
        }
    }
}

/// Stores the response of a page.
pub(in crate::sqlite) fn keep(
    transaction: &Transaction<'_>,
    run: i64,
    visit: &Visit,
    fields: &KeptFields<'_>,
) -> rusqlite::Result<()> {
    // Using a response without a request does not make it fresher.
    let is_new = |response: &ResponseFacts| {
        response.kept != Some(Kept::Fresh) && response.status == 200 && response.cut.is_none()
    };
    if !visit.response.as_ref().is_some_and(is_new) {
        return Ok(());
    }
    let mut upsert = transaction.prepare_cached(
        "INSERT OR REPLACE INTO kept_responses (hash, run, number, content_type, etag, last_modified, max_age)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let max_age = fields.cache_control.and_then(max_age);
    upsert.execute(params![
        hash_of(visit.url()),
        run,
        visit.number().0,
        fields.content_type,
        fields.etag,
        fields.last_modified,
        max_age
    ])?;
    Ok(())
}

/// How long a response is fresh, according to its server.
fn max_age(cache_control: &str) -> Option<i64> {
    let mut seconds = None;
    for directive in cache_control.split(',').map(str::trim) {
        match directive.split_once('=') {
            None if ["no-cache", "no-store"].iter().any(|word| directive.eq_ignore_ascii_case(word)) => return None,
            Some((name, value)) if name.eq_ignore_ascii_case("max-age") => {
                seconds = value.trim_matches('"').parse().ok()
            }
            _ => {}
        }
    }
    seconds
}

impl Contents<'_> {
    /// The newest response of a URL kept by an earlier capture. On this thread.
    pub fn kept_response(self, url: &CanonicalUrl) -> Result<Option<KeptResponse>, DatabaseError> {
        let sql = "SELECT k.etag, k.last_modified, k.max_age, v.visited_at, coalesce(k.content_type, ''),
                       coalesce(h.fields, '[]'), b.bytes, b.zstd
                   FROM kept_responses AS k
                   JOIN urls AS u ON u.run = k.run AND u.number = k.number AND u.url = ?2
                   JOIN visits AS v ON v.run = k.run AND v.number = k.number
                   JOIN bodies AS b ON b.run = v.run AND b.key = v.html
                   LEFT JOIN headers AS h ON h.run = v.run AND h.id = v.headers
                   WHERE k.hash = ?1";
        self.read_here("cannot read kept responses", |connection| {
            Ok(first(connection, sql, (hash_of(url), url.as_str()))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_is_read_from_the_header() {
        assert_eq!(max_age("public, max-age=600"), Some(600));
        assert_eq!(max_age("Max-Age=\"60\", must-revalidate"), Some(60));
        assert_eq!(max_age("max-age=60, no-cache"), None);
        assert_eq!(max_age("NO-STORE, max-age=60"), None);
        assert_eq!(max_age("public"), None);
        assert_eq!(max_age("max-age=soon"), None);
    }
}
