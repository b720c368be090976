//! A run with its sessions, and active sessions.

use bluesnake_engine::{CanonicalUrl, Disposition, Receipt};
use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{RunFigures, RunRow, SessionRow, Table};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Project;
use crate::sessions::Snapshot;

/// A run, without figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number.
    pub id: i64,
    /// The project it belongs to.
    pub project: i64,
    /// Its job.
    pub kind: RunKind,
    /// Its state.
    pub state: RunState,
    /// Why it is paused, or how it was completed.
    pub reason: Option<String>,
    /// The same as a sentence.
    pub detail: Option<String>,
    /// Its seeds.
    pub seeds: Vec<String>,
    /// Whether it can be resumed.
    pub can_resume: bool,
}

impl From<RunRow> for Run {
    fn from(row: RunRow) -> Self {
        let can_resume = row.can_resume();
        let RunRow { id, project, kind, state, reason, detail, seeds, .. } = row;
        Self { id, project, kind, state, reason, detail, seeds, can_resume }
    }
}

impl Run {
    /// The table that is exported unless another one is named.
    pub fn main_table(&self) -> Table {
        if self.kind == RunKind::Weave { Table::Nodes } else { Table::Urls }
    }

    /// The root of the site that it started from: `https://example.com/`.
    pub fn site_root(&self) -> String {
        site_root(&self.seeds)
    }
}

/// The root of the site of the first seed.
pub(crate) fn site_root(seeds: &[String]) -> String {
    let seed = seeds.first().and_then(|seed| CanonicalUrl::parse(seed).ok());
    seed.map(|seed| format!("{}/", seed.origin())).unwrap_or_default()
}

view! {
    /// One session of a run.
    pub struct SessionView from session: SessionRow {
        /// Its number.
        pub id: i64,
        /// The run it belongs to.
        pub run_id: i64 = session.run,
        /// in_progress, completed, stopped or failed.
        pub state: &'static str = session.state.as_str(),
        /// Why it ended.
        pub reason: Option<String>,
        /// When it started: Unix time in seconds.
        pub crawl_date_time: i64 = session.started_at,
        /// How long it ran, in milliseconds.
        pub crawl_duration: i64 = session.duration_ms,
        /// Visited URLs.
        pub urls_visited: i64 = session.visits,
        /// HTML pages among them.
        pub pages_crawled: i64 = session.pages,
        /// Visits that failed.
        pub failed: i64,
        /// Bytes of bodies on the wire.
        pub bytes: i64,
    }
}

view! {
    /// A run with its sessions.
    pub struct RunView from figures: RunFigures {
        /// Its number.
        pub id: i64 = figures.run.id,
        /// The project it belongs to.
        #[serde(rename = "projectID")]
        pub project_id: i64 = figures.run.project,
        /// `host[:port]` of the project.
        pub domain: String = figures.host,
        /// in_progress, paused, completed or failed.
        pub state: &'static str = figures.run.state.as_str(),
        /// Why it is paused, or how it was completed.
        pub reason: Option<String> = figures.run.reason,
        /// The same as a sentence.
        pub detail: Option<String> = figures.run.detail,
        /// Its seeds; in lists of runs the first ten.
        pub seeds: Vec<String> = figures.run.seeds,
        /// How many seeds it has.
        pub seed_count: u64 = figures.run.seed_count,
        /// Its job: crawl, capture or weave.
        pub kind: &'static str = figures.run.kind.as_str(),
        /// Whether a new start of the project resumes it.
        pub is_incremental: bool = figures.run.is_incremental,
        /// URLs ever seen.
        pub urls_seen: i64 = figures.counts.seen,
        /// URLs that were requested.
        pub urls_visited: i64 = figures.counts.visited,
        /// Pending URLs.
        pub urls_pending: i64 = figures.counts.pending,
        /// HTML pages of all sessions.
        pub total_pages_crawled: i64 = figures.counts.pages,
        /// Findings of its audit; none before it is stored.
        pub findings: Option<i64> = figures.findings,
        /// Unix time in seconds.
        pub created_at: i64 = figures.run.created_at,
        /// Unix time in seconds.
        pub updated_at: i64 = figures.run.updated_at,
        /// Its sessions, oldest first.
        pub crawls: Vec<SessionView> = figures.sessions.into_iter().map(SessionView::from).collect(),
        /// The settings it was started with, without secrets.
        #[schema(value_type = Object)]
        pub plan: Value = serde_json::from_str(&figures.run.plan).unwrap_or_default(),
    }
}

view! {
    /// A capture in a list, without figures that need counting.
    pub struct CaptureRunView from figures: RunFigures {
        /// The run.
        pub run_id: i64 = figures.run.id,
        /// The project.
        #[serde(rename = "projectID")]
        pub project_id: i64 = figures.run.project,
        /// `host[:port]` of the project.
        pub domain: String = figures.host,
        /// Its first ten start URLs.
        pub seeds: Vec<String> = figures.run.seeds,
        /// How many start URLs it has.
        pub seed_count: u64 = figures.run.seed_count,
        /// State of the run: in_progress, paused, completed or failed.
        pub state: &'static str = figures.run.state.as_str(),
        /// Why it is paused, or how it was completed.
        pub reason: Option<String> = figures.run.reason,
        /// URLs seen.
        pub urls_seen: i64 = figures.counts.seen,
        /// HTML pages of all sessions.
        pub pages: i64 = figures.counts.pages,
        /// Pending URLs.
        pub urls_pending: i64 = figures.counts.pending,
        /// Unix time in seconds.
        pub created_at: i64 = figures.run.created_at,
        /// Unix time in seconds.
        pub updated_at: i64 = figures.run.updated_at,
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
    pub(crate) fn of(project: &Project, progress: Snapshot, is_here: bool) -> Self {
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
