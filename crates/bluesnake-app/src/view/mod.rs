//! The shapes that are shown outside: the same for JSON on the command line, REST and MCP.

mod summary;

use bluesnake_engine::{Disposition, Receipt};
use bluesnake_store::{
    CrawlRow, DocumentRow, LinkRow, ProjectFigures, ProjectRow, RunCounts, RunFigures, TypeCounts, UrlRecord,
};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::snapshot::Snapshot;

pub use self::summary::{BrokenView, SlowPageView, StatusCount, SummaryView};

/// A site.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectView {
    /// Its number.
    pub id: i64,
    /// Its address.
    pub url: String,
    /// `host[:port]`.
    pub domain: String,
    /// When its latest crawl began, unix time in seconds.
    pub crawl_date_time: Option<i64>,
    /// How long that took, in milliseconds.
    pub crawl_duration: Option<i64>,
    /// Pages of its latest run.
    pub pages_crawled: i64,
    /// Its latest crawl.
    pub latest_crawl_id: Option<i64>,
    /// Its latest run.
    pub latest_run_id: Option<i64>,
    /// The state of that run.
    pub run_state: Option<&'static str>,
    /// How many runs it has.
    pub runs: usize,
}

impl ProjectView {
    pub(crate) fn of(figures: ProjectFigures) -> Self {
        let ProjectFigures { project, runs, latest_run, pages, latest_crawl } = figures;
        let latest = latest_crawl.as_ref();
        Self {
            id: project.id,
            url: project.url,
            domain: project.host,
            crawl_date_time: latest.map(|crawl| crawl.started_at),
            crawl_duration: latest.map(|crawl| crawl.duration_ms),
            pages_crawled: pages,
            latest_crawl_id: latest.map(|crawl| crawl.id),
            latest_run_id: latest_run.map(|(run, _)| run),
            run_state: latest_run.map(|(_, state)| state.as_str()),
            runs: runs as usize,
        }
    }
}

/// One session of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlView {
    /// Its number.
    pub id: i64,
    /// The run it belongs to.
    #[serde(rename = "runID")]
    pub run_id: i64,
    /// in_progress, completed, stopped or failed.
    pub state: &'static str,
    /// Why it ended.
    pub reason: Option<String>,
    /// When it began, unix time in seconds.
    pub crawl_date_time: i64,
    /// How long it ran, in milliseconds.
    pub crawl_duration: i64,
    /// URLs visited.
    pub urls_visited: i64,
    /// HTML pages among them.
    pub pages_crawled: i64,
    /// Visits that failed.
    pub failed: i64,
    /// Bytes of bodies on the wire.
    pub bytes: i64,
}

impl From<&CrawlRow> for CrawlView {
    fn from(crawl: &CrawlRow) -> Self {
        Self {
            id: crawl.id,
            run_id: crawl.run,
            state: crawl.state.as_str(),
            reason: crawl.reason.clone(),
            crawl_date_time: crawl.started_at,
            crawl_duration: crawl.duration_ms,
            urls_visited: crawl.visits,
            pages_crawled: crawl.pages,
            failed: crawl.failed,
            bytes: crawl.bytes,
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
    /// Where it starts.
    pub seeds: Vec<String>,
    /// What it is for: crawl or capture.
    pub kind: &'static str,
    /// Whether a new start of the project resumes it.
    pub is_incremental: bool,
    /// URLs ever seen.
    pub urls_seen: i64,
    /// URLs that were asked for.
    pub urls_visited: i64,
    /// URLs whose turn has not come.
    pub urls_pending: i64,
    /// HTML pages of all sessions.
    pub total_pages_crawled: i64,
    /// Unix time in seconds.
    pub created_at: i64,
    /// Unix time in seconds.
    pub updated_at: i64,
    /// Its sessions, the first first.
    pub crawls: Vec<CrawlView>,
    /// The settings it was started with, without secrets.
    #[schema(value_type = Object)]
    pub plan: Value,
}

impl RunView {
    pub(crate) fn of(figures: RunFigures) -> Self {
        let RunFigures { run, host: domain, counts, crawls } = figures;
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
            crawls: crawls.iter().map(CrawlView::from).collect(),
            plan: serde_json::from_str(&run.plan).unwrap_or_default(),
        }
    }
}

/// How far the newest run of a project is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueueStatus {
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Whether there is anything in the queue.
    pub has_queue: bool,
    /// URLs that were asked for.
    pub visited: i64,
    /// URLs whose turn has not come.
    pub pending: i64,
    /// Both.
    pub total: i64,
    /// Whether the run can be resumed.
    pub can_resume: bool,
    /// The run.
    #[serde(rename = "currentRunID")]
    pub current_run_id: Option<i64>,
    /// Its state, or nothing.
    pub run_state: &'static str,
    /// Its sessions.
    #[serde(rename = "runCrawlIDs")]
    pub run_crawl_ids: Vec<i64>,
}

/// A crawl that runs now.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveCrawl {
    /// The project.
    #[serde(rename = "projectID")]
    pub project_id: i64,
    /// Its address.
    pub url: String,
    /// `host[:port]`.
    pub domain: String,
    /// Whether this process crawls it; another one is asked by its own means.
    pub is_here: bool,
    /// Its figures.
    pub progress: Snapshot,
}

impl ActiveCrawl {
    pub(crate) fn of(project: &ProjectRow, progress: Snapshot, is_here: bool) -> Self {
        let (url, domain) = (project.url.clone(), project.host.clone());
        Self { project_id: project.id, url, domain, is_here, progress }
    }
}

/// What is saved for a site, and what counts with the defaults below it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigView {
    /// The project; none as long as nobody crawled the site or saved a setting.
    #[serde(rename = "projectID")]
    pub project_id: Option<i64>,
    /// `host[:port]`.
    pub domain: String,
    /// Whether a new crawl goes on with a paused run.
    pub incremental_crawling_enabled: bool,
    /// URLs of one session; 0 = no limit.
    pub crawl_budget: u64,
    /// What is saved.
    #[schema(value_type = Object)]
    pub settings: Value,
    /// Every setting as it counts.
    #[schema(value_type = Object)]
    pub effective: Value,
}

/// How far the newest run of a project is, by what came. `total` is `crawled` and `unvisited`; `crawled` is the sum of
/// html, javascript, css, images, fonts and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActiveStats {
    /// URLs ever seen.
    pub total: i64,
    /// URLs that were asked for.
    pub crawled: i64,
    /// URLs whose turn has not come.
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
    /// URLs that were not asked for: queued, refused, recorded or skipped.
    pub unvisited: i64,
    /// Anything else that was asked for, also what did not answer.
    pub others: i64,
}

impl ActiveStats {
    pub(crate) fn of(counts: RunCounts, types: TypeCounts) -> Self {
        let TypeCounts { html, css, javascript, images, fonts, others } = types;
        Self {
            total: counts.seen,
            crawled: counts.visited,
            // A crawl knows of its queue a moment before the database does.
            queued: counts.pending.min(counts.seen - counts.visited),
            html,
            javascript,
            css,
            images,
            fonts,
            unvisited: counts.seen - counts.visited,
            others,
        }
    }
}

/// What was discarded with a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClearedQueue {
    /// The run it belonged to, which is completed now; none when no run was open.
    #[serde(rename = "runID")]
    pub run_id: Option<i64>,
    /// URLs that were pending.
    pub cleared: usize,
}

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageContent {
    /// Its URL.
    pub url: String,
    /// HTTP status.
    pub status: i64,
    /// Media type, without parameters.
    pub content_type: String,
    /// When it was fetched: unix time in milliseconds.
    pub visited_at_ms: i64,
    /// Whether it is not whole.
    pub is_cut: bool,
    /// The document as it was sent, without transfer encodings.
    pub bytes: Vec<u8>,
}

/// A URL of a run with what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UrlView {
    /// Its number.
    pub number: i64,
    /// The URL.
    pub url: String,
    /// Where it was first found: initial, sitemap, spider, network, resource, redirect, canonical or hreflang.
    pub source: String,
    /// The page that named it first.
    pub parent_url: Option<String>,
    /// Links to follow from a seed.
    pub depth: Option<i64>,
    /// What is done with it: crawl, record or skip.
    pub action: String,
    /// Where it ended up: fetched, redirected, failed, refused, recorded, skipped or pending.
    pub disposition: String,
    /// Why.
    pub reason: String,
    /// Whether it was asked for.
    pub visited: bool,
    /// HTTP status, when it answered.
    pub status: Option<i64>,
    /// Media type.
    pub content_type: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Meta description.
    pub description: Option<String>,
    /// The first heading of the first level.
    pub h1: Option<String>,
    /// The first heading of the second level.
    pub h2: Option<String>,
    /// What the page calls its own address.
    pub canonical: Option<String>,
    /// Its language.
    pub lang: Option<String>,
    /// Words on it.
    pub word_count: Option<i64>,
    /// Links on it.
    pub links: Option<i64>,
    /// Fingerprint of its content.
    pub content_hash: Option<String>,
    /// The session that visited it, or found it.
    #[serde(rename = "crawlID")]
    pub crawl_id: i64,
    /// The kind of link that named it first.
    pub kind: String,
    /// What it is asked for: page, stylesheet, resource, check, sitemap or robots.
    pub task: String,
    /// Whether it belongs to the site.
    pub is_internal: bool,
    /// Where it redirects to.
    pub redirect_url: Option<String>,
    /// Yes, No or -.
    pub indexable: String,
    /// Why not.
    pub indexable_reason: Option<String>,
    /// Bytes of the body.
    pub size: Option<i64>,
    /// What went wrong, as a sentence.
    pub error: Option<String>,
    /// What the rule says that refused it.
    pub detail: Option<String>,
    /// When it was visited: unix time in milliseconds.
    pub visited_at_ms: Option<i64>,
    /// Until the first byte of the answer, in milliseconds.
    pub first_byte_time: Option<f64>,
    /// For the whole visit, in milliseconds.
    pub response_time: Option<f64>,
}

impl From<UrlRecord> for UrlView {
    fn from(url: UrlRecord) -> Self {
        let disposition = Disposition::from_word(&url.disposition);
        Self {
            visited: matches!(disposition, Some(Disposition::Fetched | Disposition::Redirected | Disposition::Failed)),
            number: url.number,
            url: url.url,
            source: url.source,
            parent_url: url.parent_url,
            depth: url.depth,
            action: url.action,
            disposition: url.disposition,
            reason: url.reason,
            status: url.status,
            content_type: url.content_type,
            title: url.title,
            description: url.description,
            h1: url.h1,
            h2: url.h2,
            canonical: url.canonical,
            lang: url.lang,
            word_count: url.word_count,
            links: url.links,
            content_hash: url.content_hash,
            crawl_id: url.crawl_id,
            kind: url.kind,
            task: url.task,
            is_internal: url.is_internal,
            redirect_url: url.redirect_url,
            indexable: url.indexable,
            indexable_reason: url.indexable_reason,
            size: url.body_bytes,
            error: url.error,
            detail: url.detail,
            visited_at_ms: url.visited_at_ms,
            first_byte_time: url.first_byte_ms,
            response_time: url.total_ms,
        }
    }
}

/// A page of a capture, without its text.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentView {
    /// Its place in the run.
    pub number: i64,
    /// Where it lies: the first address with this text.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// What it says of itself in a sentence.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// How sure it is that the text is that of the page, from 0 to 1.
    pub confidence: f64,
    /// SHA-256 of the cleaned text.
    pub hash: String,
    /// Words.
    pub words: i64,
    /// Tokens by o200k_base.
    pub tokens_o200k: i64,
    /// Tokens by cl100k_base.
    pub tokens_cl100k: i64,
}

impl From<DocumentRow> for DocumentView {
    fn from(row: DocumentRow) -> Self {
        Self {
            number: row.number,
            url: row.url,
            title: row.title,
            description: row.description,
            language: row.language,
            confidence: (row.confidence * 1000.0).round() / 1000.0,
            hash: row.hash,
            words: row.words,
            tokens_o200k: row.tokens_o200k,
            tokens_cl100k: row.tokens_cl100k,
        }
    }
}

/// A link with what is known of its two ends.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    /// The page it stands on.
    pub source_url: String,
    /// What it leads to.
    pub target_url: String,
    /// The kind of link.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its words.
    pub text: String,
    /// Some text around it.
    pub context: String,
    /// Where on the page it stands.
    pub position: String,
    /// The elements it sits in.
    pub dom_path: String,
    /// How the reference was written.
    pub path_type: String,
    /// Whether it is to be followed.
    pub follow: bool,
    /// Whether the target belongs to the site.
    pub is_internal: bool,
    /// Status of the target, when it answered.
    pub status: Option<i64>,
    /// Title of the target.
    pub title: Option<String>,
    /// Media type of the target.
    pub content_type: Option<String>,
    /// What is done with the target: crawl, record or skip.
    pub action: String,
}

impl From<LinkRow> for LinkView {
    fn from(link: LinkRow) -> Self {
        use bluesnake_engine::link::Rel;
        Self {
            source_url: link.source_url,
            target_url: link.target_url,
            kind: link.kind,
            text: link.text,
            context: link.context,
            position: link.position,
            dom_path: link.dom_path,
            path_type: link.path_type,
            follow: !Rel::from_bits(link.rel as u8).has(Rel::NOFOLLOW),
            is_internal: link.is_internal,
            status: link.status,
            title: link.title,
            content_type: link.content_type,
            action: link.action,
        }
    }
}

/// The links of a page and those that lead to it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageLinks {
    /// The page.
    pub url: String,
    /// Links that lead to it, in the order of their pages.
    pub inlinks: Vec<LinkView>,
    /// Its own links, in document order.
    pub outlinks: Vec<LinkView>,
}

/// Every disposition of a receipt with its reasons.
pub fn receipt(receipt: &Receipt) -> Value {
    let classes: Map<String, Value> = Disposition::ALL
        .into_iter()
        .map(|disposition| {
            let reasons: Map<String, Value> =
                receipt.reasons(disposition).map(|(word, count)| (word.to_owned(), count.into())).collect();
            let class = serde_json::json!({ "count": receipt.count(disposition), "reasons": reasons });
            (disposition.as_str().to_owned(), class)
        })
        .collect();
    serde_json::json!({ "seen": receipt.seen(), "classes": classes, "addsUp": receipt.adds_up() })
}
