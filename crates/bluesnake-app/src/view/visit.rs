//! Each visit of a running session as a JSON object.

use bluesnake_engine::weave::store::NodeVisit;
use bluesnake_engine::{Committed, Outcome};
use serde_json::{Value, json};

/// A URL.
pub(crate) fn url_visit(visit: &Committed) -> Value {
    let row = &visit.row;
    let redirect = match &visit.outcome {
        Outcome::Redirected { to } => to.as_ref().map(|to| to.as_str()),
        _ => None,
    };
    json!({
        "type": "visit",
        "number": row.number.0,
        "url": row.url.as_str(),
        "source": row.source.as_str(),
        "parent": row.parent.map(|parent| parent.0),
        "depth": row.depth.shown(),
        "task": row.task.as_str(),
        "internal": row.is_internal,
        "disposition": visit.reason.disposition().as_str(),
        "reason": visit.reason.as_str(),
        "status": visit.status(),
        "contentType": visit.content_type(),
        "redirect": redirect,
        "title": visit.title(),
        "metaDescription": visit.page.as_ref().and_then(|page| page.description.as_deref()),
        "indexable": visit.indexability.as_str(),
        "wordCount": visit.page.as_ref().map(|page| page.word_count),
        "contentHash": visit.page.as_ref().and_then(|page| page.content_hash.as_deref()),
        "duplicateOf": visit.duplicate_of.map(|number| number.0),
        "links": visit.links.len(),
        "bytes": visit.response.as_ref().map(|response| response.body_bytes),
        "elapsedMs": visit.elapsed().as_millis() as u64,
        "error": visit.error(),
    })
}

/// A host of a weave.
pub(crate) fn host_visit(visit: &NodeVisit) -> Value {
    json!({
        "type": "host",
        "number": visit.number.0,
        "url": visit.pages.first().map(|page| page.url.as_str()),
        "disposition": visit.reason.disposition().as_str(),
        "reason": visit.reason.as_str(),
        "description": visit.description,
        "pages": visit.crawl_count(),
        "hosts_linked_to": visit.mentions.iter().filter(|mention| !mention.is_excluded).count(),
    })
}
