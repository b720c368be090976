//! JSON lines of a session: its figures while it runs, and how it ended.

use bluesnake_app::{Ended, Snapshot, view};
use serde_json::{Value, json};

/// The end of a session.
pub(crate) fn ended(host: &str, ended: &Ended) -> Value {
    let finished = ended.finished.as_ref();
    json!({
        "type": "finished",
        "domain": host,
        "runId": ended.run,
        "crawlId": ended.session,
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

/// The current figures.
pub(crate) fn progress(host: &str, snapshot: &Snapshot) -> Value {
    let mut value = serde_json::to_value(snapshot).expect("figures serialise to JSON");
    value["type"] = "progress".into();
    value["domain"] = host.into();
    value
}
