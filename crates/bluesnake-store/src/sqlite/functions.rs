//! Custom SQL functions, which unpack links and contexts.
//!
//! `link_json(list)` returns `[[target, anchor], …]`, for json_each; `link_context(packed, ordinal, text)` returns
//! the text around a link. User connections get views that use them, instead of the slow portable ones.
//! `page_type(media type)` returns the name of a [`PageType`]; `contains_text(text, part)` is a plain substring
//! search that ignores the case of ASCII letters.

use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::functions::{Context as Call, FunctionFlags};
use rusqlite::types::ValueRef;

use bluesnake_engine::links::Context;

use super::contents::PageType;
use super::packed;

/// Adds the functions to a connection.
pub(super) fn add(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("link_json", 1, flags, |call| Ok(link_json(call.get_raw(0).as_blob()?)))?;
    connection.create_scalar_function("page_type", 1, flags, |call| {
        let media_type = call.get_raw(0).as_str_or_null()?.unwrap_or_default();
        Ok(PageType::of(media_type).as_str())
    })?;
    connection.create_scalar_function("contains_text", 2, flags, |call| {
        let text = call.get_raw(0).as_bytes_or_null()?.unwrap_or_default();
        Ok(contains(text, call.get_raw(1).as_bytes()?))
    })?;
    // The links of one document are read in sequence.
    let last: Mutex<(Vec<u8>, Vec<Context>)> = Mutex::default();
    connection.create_scalar_function("link_context", 3, flags, move |call| link_context(call, &last))
}

pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    let Some(first) = part.first() else { return true };
    let Some(last_start) = text.len().checked_sub(part.len()) else { return false };
    let mut starts = memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), &text[..=last_start]);
    starts.any(|at| text[at..at + part.len()].eq_ignore_ascii_case(part))
}

fn link_json(list: &[u8]) -> String {
    let mut json = String::with_capacity(2 + 3 * list.len());
    json.push('[');
    for (target, anchor) in packed::links(list) {
        if json.len() > 1 {
            json.push(',');
        }
        json.push_str(&format!("[{target},{anchor}]"));
    }
    json.push(']');
    json
}

fn link_context(call: &Call<'_>, last: &Mutex<(Vec<u8>, Vec<Context>)>) -> rusqlite::Result<String> {
    let ValueRef::Blob(packed) = call.get_raw(0) else { return Ok(String::new()) };
    let ordinal: usize = call.get(1)?;
    let text = call.get_raw(2).as_str()?;
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.0 != packed {
        *last = (packed.to_vec(), packed::unpack_contexts(packed).unwrap_or_default());
    }
    Ok(last.1.get(ordinal).map(|context| context.with(text)).unwrap_or_default())
}

/// Every link as `j` (its ordinal is the key) of a document `l`, with both ends (`s`, `t`), anchor, place, kind,
/// context and the visit of its target (`v`). The join order is deliberate.
pub(super) const FROM_LINKS: &str = "link_lists AS l
    CROSS JOIN urls AS s ON s.run = l.run AND s.number = l.source
    CROSS JOIN json_each(link_json(l.list)) AS j
    CROSS JOIN urls AS t ON t.run = l.run AND t.number = j.value ->> 0
    CROSS JOIN anchors AS a ON a.run = l.run AND a.id = j.value ->> 1
    CROSS JOIN places AS p ON p.run = l.run AND p.id = a.place
    CROSS JOIN link_kinds AS k ON k.id = p.kind
    LEFT JOIN contexts AS c ON c.id = (l.run << 32) + l.source
    LEFT JOIN visits AS v ON v.run = l.run AND v.number = t.number";

/// Links as in the plain view `links`.
const UNPACKED: &str =
    "SELECT l.run, l.source, j.key AS ordinal, j.value ->> 0 AS target, p.kind, p.rel, j.value ->> 1 AS anchor
    FROM link_lists AS l
    CROSS JOIN json_each(link_json(l.list)) AS j
    CROSS JOIN anchors AS a ON a.run = l.run AND a.id = j.value ->> 1
    CROSS JOIN places AS p ON p.run = l.run AND p.id = a.place";

/// Gives a connection fast link views that include contexts.
pub(super) fn add_views(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "CREATE TEMP VIEW links AS {UNPACKED};
         CREATE TEMP VIEW page_links AS
         SELECT l.run AS run_id, coalesce(sv.session, s.session) AS crawl_id, s.url AS source_url, t.url AS target_url,
                k.word AS type, a.text, link_context(c.packed, j.key, a.text) AS context, t.is_internal, v.status,
                v.title, v.content_type, p.position, p.dom_path, t.action AS url_action, p.path_type, p.origin, p.rel,
                j.key AS ordinal
         FROM {FROM_LINKS}
         LEFT JOIN visits AS sv ON sv.run = l.run AND sv.number = l.source;",
    ))
}
