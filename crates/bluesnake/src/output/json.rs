//! JSON lines: one object per visit, in the order of commits, and one at the end.

use bluesnake_engine::{Disposition, Finished, Outcome, Receipt, Visit};
use serde_json::{Value, json};

/// One visit.
pub(crate) fn visit(visit: &Visit) -> Value {
    let (disposition, reason) = visit.disposition();
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
        "disposition": disposition.as_str(),
        "reason": reason,
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
        "bytes": visit.answer.as_ref().map(|answer| answer.body_bytes),
        "elapsedMs": visit.elapsed().as_millis() as u64,
        "error": visit.error(),
    })
}

/// The end of a crawl.
pub(crate) fn finished(finished: &Finished) -> Value {
    json!({
        "type": "finished",
        "reason": finished.reason.as_str(),
        "complete": finished.is_complete(),
        "elapsedMs": finished.elapsed.as_millis() as u64,
        "visits": finished.progress.visits,
        "pages": finished.progress.pages,
        "receipt": receipt(&finished.receipt),
    })
}

/// The receipt: every disposition with its reasons.
pub(crate) fn receipt(receipt: &Receipt) -> Value {
    let classes = Disposition::ALL.into_iter().map(|disposition| {
        let reasons: Value =
            receipt.reasons(disposition).map(|(word, count)| (word.to_owned(), json!(count))).collect();
        (disposition.as_str().to_owned(), json!({ "count": receipt.count(disposition), "reasons": reasons }))
    });
    let classes: Value = classes.collect();
    json!({ "seen": receipt.seen(), "classes": classes })
}
