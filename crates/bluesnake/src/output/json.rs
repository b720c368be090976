//! JSON lines of a crawl: one object per visit, in the order of commits, and one at the end.

use bluesnake_app::engine::weave::store::NodeVisit;
use bluesnake_app::engine::{Committed, Outcome};
use bluesnake_app::view;
use bluesnake_app::{Ended, Snapshot};
use serde_json::{Value, json};

/// One visit.
pub(crate) fn visit(visit: &Committed) -> Value {
    let reason = visit.reason;
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
        "disposition": reason.disposition().as_str(),
        "reason": reason.as_str(),
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

/// The end of a session.
pub(crate) fn ended(host: &str, ended: &Ended) -> Value {
    let finished = ended.finished.as_ref();
    json!({
        "type": "finished",
        "domain": host,
        "runId": ended.run,
        "crawlId": ended.crawl,
        "state": ended.state.as_str(),
        "pauseReason": ended.reason.map(|reason| reason.as_str()),
        "reason": finished.map(|finished| finished.reason.as_str()),
        "complete": finished.is_some_and(|finished| finished.is_complete()),
        "elapsedMs": finished.map(|finished| finished.elapsed.as_millis() as u64),
        "visits": finished.map(|finished| finished.progress.visits),
        "pages": finished.map(|finished| finished.progress.pages),
        "receipt": finished.map(|finished| view::receipt(&finished.receipt)),
        "error": ended.error.as_ref().map(ToString::to_string),
    })
}

/// The figures of a moment.
pub(crate) fn progress(host: &str, snapshot: &Snapshot) -> Value {
    let mut value = serde_json::to_value(snapshot).expect("figures are JSON");
    value["type"] = "progress".into();
    value["domain"] = host.into();
    value
}

/// A host that a weave visited.
pub(crate) fn node(visit: &NodeVisit) -> Value {
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
