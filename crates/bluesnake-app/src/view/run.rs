//! A run with its sessions, and what of it runs now.

use bluesnake_engine::{Disposition, Receipt};
use bluesnake_store::{ProjectRow, RunFigures, SessionRow};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::sessions::Snapshot;

/// One session of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    /// Its number.
    pub id: i64,
    /// The run it belongs to.
    pub run_id: i64,
    /// in_progress, completed, stopped or failed.
    pub state: &'static str,
    /// Why it ended.
    pub reason: Option<String>,
    /// When it started: Unix time in seconds.
    pub crawl_date_time: i64,
    /// How long it ran, in milliseconds.
    pub crawl_duration: i64,
    /// Visited URLs.
    pub urls_visited: i64,
    /// HTML pages among them.
    pub pages_crawled: i64,
    /// Visits that failed.
    pub failed: i64,
    /// Bytes of bodies on the wire.
    pub bytes: i64,
}

impl From<&SessionRow> for SessionView {
    fn from(session: &SessionRow) -> Self {
        Self {
            id: session.id,
            run_id: session.run,
            state: session.state.as_str(),
            reason: session.reason.clone(),
            crawl_date_time: session.started_at,
            crawl_duration: session.duration_ms,
            urls_visited: session.visits,
            pages_crawled: session.pages,
            failed: session.failed,
            bytes: session.bytes,
        }
    }
}

/// A run with its sessions.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// Its number.
    pub id: i64,
    /// The project it belongs to.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// `host[:port]` of the project.
    pub domain: String,
    /// in_progress, paused, completed or failed.
    pub state: &'static str,
    /// Why it is paused, or how it was completed.
    pub reason: Option<String>,
    /// The same as a sentence.
    pub detail: Option<String>,
    /// Its seeds.
    pub seeds: Vec<String>,
    /// Its job: crawl, capture or weave.
    pub kind: &'static str,
    /// Whether a new start of the project resumes it.
    pub is_incremental: bool,
    /// URLs ever seen.
    pub urls_seen: i64,
    /// URLs that were requested.
    pub urls_visited: i64,
    /// Pending URLs.
    pub urls_pending: i64,
    /// HTML pages of all sessions.
    pub total_pages_crawled: i64,
    /// Unix time in seconds.
    pub created_at: i64,
    /// Unix time in seconds.
    pub updated_at: i64,
    /// Its sessions, oldest first.
    pub crawls: Vec<SessionView>,
    /// The settings it was started with, without secrets.
    #[schema(value_type = Object)]
    pub plan: Value,
}

impl RunView {
    pub(crate) fn of(figures: RunFigures) -> Self {
        let RunFigures { run, host: domain, counts, sessions } = figures;
        Self {
            id: run.id,
            project_id: run.project,
            domain,
            state: run.state.as_str(),
            reason: run.reason,
            detail: run.detail,
            seeds: serde_json::from_str(&run.seeds).unwrap_or_default(),
            kind: run.kind.as_str(),
            is_incremental: run.is_incremental,
            urls_seen: counts.seen,
            urls_visited: counts.visited,
            urls_pending: counts.pending,
            total_pages_crawled: counts.pages,
            created_at: run.created_at,
            updated_at: run.updated_at,
            crawls: sessions.iter().map(SessionView::from).collect(),
            plan: serde_json::from_str(&run.plan).unwrap_or_default(),
        }
    }
}

/// An active crawl.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveSession {
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Its URL.
    pub url: String,
    /// `host[:port]`.
    pub domain: String,
    /// Whether this process runs it.
    pub is_here: bool,
    /// Its figures.
    pub progress: Snapshot,
}

impl ActiveSession {
    pub(crate) fn of(project: &ProjectRow, progress: Snapshot, is_here: bool) -> Self {
        let (url, domain) = (project.url.clone(), project.host.clone());
        Self { project_id: project.id, url, domain, is_here, progress }
    }
}

/// Every disposition of a receipt with its reasons.
pub fn receipt(receipt: &Receipt) -> Value {
    let classes: Map<String, Value> = Disposition::ALL
        .into_iter()
        .map(|disposition| {
            let reasons: Map<String, Value> = receipt
                .reasons(disposition)
                .into_iter()
                .map(|(reason, count)| (reason.as_str().to_owned(), count.into()))
                .collect();
            let class = serde_json::json!({ "count": receipt.count(disposition), "reasons": reasons });
            (disposition.as_str().to_owned(), class)
        })
        .collect();
    serde_json::json!({ "seen": receipt.seen(), "classes": classes, "addsUp": receipt.adds_up() })
}
