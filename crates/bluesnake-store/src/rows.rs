//! Rows as read from the database.

use crate::state::{PauseReason, RunKind, RunState, SessionState};

/// A site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRow {
    /// Its number.
    pub id: i64,
    /// `host[:port]`.
    pub host: String,
    /// The URL entered when it was created, in canonical form.
    pub url: String,
    /// Unix time in seconds.
    pub created_at: i64,
}

/// The saved settings of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigRow {
    /// The settings that differ from the defaults, as JSON.
    pub settings: String,
    /// Whether a new start resumes a paused run.
    pub is_incremental: bool,
}

/// One logical crawl of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its number.
    pub id: i64,
    /// The project it belongs to.
    pub project: i64,
    /// Its purpose.
    pub kind: RunKind,
    /// Its state.
    pub state: RunState,
    /// Why it is paused, or how it was completed.
    pub reason: Option<String>,
    /// The same as a sentence.
    pub detail: Option<String>,
    /// JSON list of URLs.
    pub seeds: String,
    /// JSON of the frozen settings, without secrets.
    pub plan: String,
    /// Whether a new start of the project resumes it.
    pub is_incremental: bool,
    /// Unix time in seconds.
    pub created_at: i64,
    /// Unix time in seconds.
    pub updated_at: i64,
}

impl RunRow {
    /// Whether it can be resumed.
    pub fn can_resume(&self) -> bool {
        matches!(self.state, RunState::Paused | RunState::Failed)
    }

    /// Whether it was paused because its process ended, rather than by the user.
    pub fn was_interrupted(&self) -> bool {
        let reason = self.reason.as_deref().and_then(PauseReason::from_word);
        matches!(reason, Some(PauseReason::Signal | PauseReason::Crashed))
    }
}

/// One session of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its number.
    pub id: i64,
    /// The run it belongs to.
    pub run: i64,
    /// Its state.
    pub state: SessionState,
    /// Why it ended.
    pub reason: Option<String>,
    /// Unix time in seconds.
    pub started_at: i64,
    /// Unix time in seconds.
    pub ended_at: Option<i64>,
    /// How long it ran.
    pub duration_ms: i64,
    /// Visited URLs.
    pub visits: i64,
    /// HTML pages among them.
    pub pages: i64,
    /// Visits that failed.
    pub failed: i64,
    /// Bytes of bodies on the wire.
    pub bytes: i64,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// URLs ever seen.
    pub seen: i64,
    /// Requested URLs, without robots.txt and sitemaps.
    pub visited: i64,
    /// Visits of robots.txt and sitemaps.
    pub guides: i64,
    /// Pending URLs.
    pub pending: i64,
    /// HTML pages.
    pub pages: i64,
}

/// How many URLs of a run have which type; the sum is the number of requested URLs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeCounts {
    /// HTML.
    pub html: i64,
    /// Stylesheets.
    pub css: i64,
    /// Scripts.
    pub javascript: i64,
    /// Images.
    pub images: i64,
    /// Fonts.
    pub fonts: i64,
    /// Anything else, including failed URLs.
    pub others: i64,
}

/// A run with its sessions and figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFigures {
    /// The run.
    pub run: RunRow,
    /// `host[:port]` of its project.
    pub host: String,
    /// Its counts.
    pub counts: RunCounts,
    /// Its sessions, oldest first.
    pub sessions: Vec<SessionRow>,
}

/// A project with its latest run and session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFigures {
    /// The project.
    pub project: ProjectRow,
    /// Number of runs.
    pub runs: i64,
    /// Its current run and its state.
    pub current_run: Option<(i64, RunState)>,
    /// Pages of that run.
    pub pages: i64,
    /// The latest session of that run.
    pub latest_session: Option<SessionRow>,
}

/// A URL of a run with its facts.
#[derive(Clone, Debug, PartialEq)]
pub struct UrlRecord {
    /// Its number.
    pub number: i64,
    /// The URL.
    pub url: String,
    /// Where it was first found, by name.
    pub source: String,
    /// The first page that links to it.
    pub parent_url: Option<String>,
    /// Distance from a seed in links.
    pub depth: Option<i64>,
    /// The classifier's decision, by name.
    pub action: String,
    /// Where it ended up, by name.
    pub disposition: String,
    /// Why, by name.
    pub reason: String,
    /// HTTP status.
    pub status: Option<i64>,
    /// Media type.
    pub content_type: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Meta description.
    pub description: Option<String>,
    /// The first h1.
    pub h1: Option<String>,
    /// The first h2.
    pub h2: Option<String>,
    /// The canonical URL declared by the page.
    pub canonical: Option<String>,
    /// Its language.
    pub lang: Option<String>,
    /// Words on it.
    pub word_count: Option<i64>,
    /// Links on it.
    pub links: Option<i64>,
    /// Fingerprint of its content.
    pub content_hash: Option<String>,
    /// The session that visited or found it.
    pub session: i64,
    /// The kind of the first link to it.
    pub kind: String,
    /// Its task, by name.
    pub task: String,
    /// Whether it belongs to the site.
    pub is_internal: bool,
    /// Steps outside the site.
    pub hops: i64,
    /// Where it redirects to.
    pub redirect_url: Option<String>,
    /// Yes, No or -.
    pub indexable: String,
    /// Why not.
    pub indexable_reason: Option<String>,
    /// Bytes of the body, decoded.
    pub body_bytes: Option<i64>,
    /// Bytes of the body as transferred.
    pub wire_bytes: Option<i64>,
    /// The error, as a sentence.
    pub error: Option<String>,
    /// Details of the rule that refused it.
    pub detail: Option<String>,
    /// Unix time in milliseconds.
    pub visited_at_ms: Option<i64>,
    /// Requests made.
    pub attempts: Option<i64>,
    /// Time to the first byte of the response.
    pub first_byte_ms: Option<f64>,
    /// Time of the whole visit.
    pub total_ms: Option<f64>,
}

/// A favicon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Favicon {
    /// The image; empty if the site has none.
    pub bytes: Vec<u8>,
    /// Its media type.
    pub media_type: String,
    /// Unix time in seconds.
    pub checked_at: i64,
}

/// A link, with facts about both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// The page that contains it.
    pub source_number: i64,
    /// Its URL.
    pub source_url: String,
    /// Its index among the links of that page, from 0.
    pub ordinal: i64,
    /// The target.
    pub target_number: i64,
    /// Its URL.
    pub target_url: String,
    /// The kind of link.
    pub kind: String,
    /// The anchor text.
    pub text: String,
    /// Text around the link.
    pub context: String,
    /// Position on the page.
    pub position: String,
    /// The DOM path.
    pub dom_path: String,
    /// The form of the reference.
    pub path_type: String,
    /// `rel` and `target` flags.
    pub rel: i64,
    /// Whether the target belongs to the site.
    pub is_internal: bool,
    /// Status of the target, if there was a response.
    pub status: Option<i64>,
    /// Title of the target.
    pub title: Option<String>,
    /// Media type of the target.
    pub content_type: Option<String>,
    /// The classifier's decision on the target.
    pub action: String,
}

/// A URL with an error, and where it is linked from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenUrl {
    /// Its number.
    pub number: i64,
    /// Its URL.
    pub url: String,
    /// Status, if there was a response.
    pub status: Option<i64>,
    /// The reason, by name.
    pub reason: String,
    /// The page where it was first found.
    pub found_at: Option<String>,
}

/// Where a seed ended up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedFate {
    /// Its URL.
    pub url: String,
    /// Where it ended up, by name.
    pub disposition: String,
    /// Why, by name.
    pub reason: String,
    /// The error, as a sentence.
    pub error: Option<String>,
    /// Details of the rule that refused it.
    pub detail: Option<String>,
    /// The session that visited it.
    pub session: Option<i64>,
    /// The status of its response, if there was one.
    pub status: Option<i64>,
}

/// A page and its duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowPage {
    /// Its URL.
    pub url: String,
    /// Microseconds.
    pub total_us: i64,
}

/// A URL truncated by a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutUrl {
    /// Its URL.
    pub url: String,
    /// Links beyond the limit per page.
    pub links_cut: i64,
    /// Why the body is incomplete, by name.
    pub cut: Option<String>,
    /// Anything else to report.
    pub note: Option<String>,
}

/// One value of a table or of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
}

/// The document of a page in a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentRow {
    /// The number of its URL.
    pub number: i64,
    /// The URL.
    pub url: String,
    /// Its canonical URL.
    pub canonical: Option<String>,
    /// When it was fetched: unix time in milliseconds.
    pub visited_at: i64,
    /// Fingerprint of its text.
    pub hash: String,
    /// Its title.
    pub title: Option<String>,
    /// Its own description.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// The generator of the site.
    pub framework: Option<String>,
    /// Whether the server sent Markdown.
    pub is_own_markdown: bool,
    /// The reader's confidence, from 0 to 1.
    pub confidence: f64,
    /// Words.
    pub words: i64,
    /// Tokens by o200k_base.
    pub tokens_o200k: i64,
    /// Tokens by cl100k_base.
    pub tokens_cl100k: i64,
    /// The full text, in the reader's format.
    pub content: String,
    /// Other URLs of the same text, in order of discovery.
    pub alternate_urls: Vec<String>,
}

/// The figures of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaptureFigures {
    /// Unique pages.
    pub pages: i64,
    /// Duplicate URLs.
    pub duplicates: i64,
    /// Number of failed pages.
    pub failed: i64,
    /// Downloaded pages.
    pub downloaded: i64,
    /// Pages that the server reported as unchanged.
    pub not_modified: i64,
    /// Pages used from the cache without a request.
    pub from_cache: i64,
    /// Words of all pages.
    pub words: i64,
    /// Tokens of all pages by o200k_base.
    pub tokens_o200k: i64,
    /// Tokens of all pages by cl100k_base.
    pub tokens_cl100k: i64,
}

/// A failed page of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedPage {
    /// Its URL.
    pub url: String,
    /// Why.
    pub error: String,
    /// When it was requested: unix time in milliseconds.
    pub visited_at: i64,
}

/// A search match in captures.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSection {
    /// The capture.
    pub run: i64,
    /// The page.
    pub url: String,
    /// Its title.
    pub title: Option<String>,
    /// The heading of the section.
    pub heading: String,
    /// Its anchor id.
    pub anchor: Option<String>,
    /// Text around the match, which is enclosed in U+0002 and U+0003.
    pub snippet: String,
    /// The score; higher is better.
    pub score: f64,
}

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
    pub headers: Vec<(String, String)>,
    /// The decoded body.
    pub body: Vec<u8>,
}

/// A host of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRecord {
    /// Its number among all hosts of the graph, from 1.
    pub number: u32,
    /// Host and port.
    pub host: String,
    /// Its registrable domain.
    pub domain: String,
    /// Its title or description.
    pub description: String,
    /// Distance from the nearest seed in links.
    pub depth: u32,
    /// Number of pages requested.
    pub crawl_count: u32,
    /// Where it ended up.
    pub disposition: String,
    /// Why.
    pub reason: String,
    /// Its pages that were known and not asked for.
    pub pages_cut: u32,
    /// Linked hosts beyond the limit per page.
    pub mentions_cut: u32,
    /// Its pages of which only a part was read.
    pub partial_pages: u32,
}

/// A link of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRecord {
    /// The number of the host that links.
    pub source: u32,
    /// The number of the host it links to.
    pub target: u32,
    /// The host that links.
    pub from: String,
    /// The host it links to.
    pub to: String,
    /// Number of linking pages.
    pub weight: u32,
}

/// The figures of a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphFigures {
    /// Hosts in the graph.
    pub nodes: i64,
    /// Hosts with at least one page read.
    pub crawled: i64,
    /// Pending hosts.
    pub pending: i64,
    /// The greatest depth of a node.
    pub depth: i64,
    /// Links.
    pub edges: i64,
    /// Pages read.
    pub pages_fetched: i64,
    /// Failed pages.
    pub pages_failed: i64,
    /// How long the answers took, in milliseconds.
    pub fetch_ms: i64,
    /// Hosts with more pages than the limit.
    pub with_pages_cut: i64,
    /// Hosts with a page that links to more hosts than the limit.
    pub with_mentions_cut: i64,
    /// Pages read in part.
    pub partial_pages: i64,
    /// Hosts whose revisit failed and whose earlier results were kept.
    pub kept: i64,
}
