//! A site: its figures and its saved settings.

use bluesnake_store::{ProjectFigures, ProjectRow, RunCounts, TypeCounts};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A site, without figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its number.
    pub id: i64,
    /// `host[:port]`.
    pub host: String,
    /// The URL entered when it was created, in canonical form.
    pub url: String,
}

impl From<ProjectRow> for Project {
    fn from(row: ProjectRow) -> Self {
        Self { id: row.id, host: row.host, url: row.url }
    }
}

view! {
    /// A site with the figures of its current run.
    pub struct ProjectView from figures: ProjectFigures {
        /// Its number.
        pub id: i64 = figures.project.id,
        /// Its URL.
        pub url: String = figures.project.url,
        /// `host[:port]`.
        pub domain: String = figures.project.host,
        /// When the latest session of its current run started: Unix time in seconds.
        pub crawl_date_time: Option<i64> = figures.latest_session.as_ref().map(|session| session.started_at),
        /// Duration of that session in milliseconds.
        pub crawl_duration: Option<i64> = figures.latest_session.as_ref().map(|session| session.duration_ms),
        /// Pages of its current run.
        pub pages_crawled: i64 = figures.pages,
        /// The latest session of its current run.
        pub latest_crawl_id: Option<i64> = figures.latest_session.as_ref().map(|session| session.id),
        /// Its current run: active or resumable, otherwise the newest.
        pub run_id: Option<i64> = figures.current_run.map(|(run, _)| run),
        /// The state of that run.
        pub run_state: Option<&'static str> = figures.current_run.map(|(_, state)| state.as_str()),
        /// Number of runs.
        pub runs: usize = figures.runs as usize,
    }
}

/// Progress of the current run of a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Whether there is anything in the queue.
    pub has_queue: bool,
    /// URLs that were requested.
    pub visited: i64,
    /// Pending URLs.
    pub pending: i64,
    /// `visited` plus `pending`.
    pub total: i64,
    /// Whether the run can be resumed.
    pub can_resume: bool,
    /// The run.
    #[serde(rename = "currentRunID")]
    pub current_run_id: Option<i64>,
    /// Its state, if any.
    pub run_state: &'static str,
    /// Its sessions.
    #[serde(rename = "runCrawlIDs")]
    pub run_crawl_ids: Vec<i64>,
}

/// The result of clearing a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClearedQueue {
    /// The run, now completed; none if no run was open.
    pub run_id: Option<i64>,
    /// URLs that were pending.
    pub cleared: usize,
}

/// Progress of the current run of a project, by media type; robots.txt and sitemaps are not counted. `total` is `crawled`
/// plus `unvisited`; `crawled` is the sum of html, javascript, css, images, fonts and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveStats {
    /// URLs ever seen.
    pub total: i64,
    /// URLs that were requested.
    pub crawled: i64,
    /// Pending URLs.
    pub queued: i64,
    /// HTML.
    pub html: i64,
    /// Scripts.
    pub javascript: i64,
    /// Stylesheets.
    pub css: i64,
    /// Images.
    pub images: i64,
    /// Fonts.
    pub fonts: i64,
    /// URLs that were not requested: queued, refused, recorded or skipped.
    pub unvisited: i64,
    /// Everything else that was requested, including failures.
    pub others: i64,
}

impl ActiveStats {
    pub(crate) fn of(counts: RunCounts, types: TypeCounts) -> Self {
        let TypeCounts { html, css, javascript, images, fonts, others } = types;
        let seen = counts.seen - counts.guides;
        Self {
            total: seen,
            crawled: counts.visited,
            // A running crawl knows its queue a moment before the database does.
            queued: counts.pending.min(seen - counts.visited),
            html,
            javascript,
            css,
            images,
            fonts,
            unvisited: seen - counts.visited,
            others,
        }
    }
}

/// The saved and the effective settings of a site.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigView {
    /// The project; none until the site is crawled or a setting is saved.
    #[serde(rename = "projectID")]
    pub project_id: Option<i64>,
    /// `host[:port]`.
    pub domain: String,
    /// Whether a new crawl resumes a paused run.
    pub incremental_crawling_enabled: bool,
    /// URLs of one session; 0 = no limit.
    pub crawl_budget: u64,
    /// The saved settings.
    #[schema(value_type = Object)]
    pub settings: Value,
    /// The effective settings.
    #[schema(value_type = Object)]
    pub effective: Value,
}
