//! A URL of a run, and what is stored of it.

use bluesnake_engine::Disposition;
use bluesnake_store::{DocumentRow, UrlRecord};
use serde::Deserialize;
use utoipa::ToSchema;

view! {
    /// A URL of a run with its facts.
    pub struct UrlView from url: UrlRecord {
        /// Its number.
        pub number: i64,
        /// The URL.
        pub url: String,
        /// How it was first found: initial, sitemap, spider, network, resource, redirect, canonical or hreflang.
        pub source: &'static str = url.source.as_str(),
        /// The first page that links to it.
        pub parent_url: Option<String>,
        /// Distance from a seed in links.
        pub depth: Option<i64>,
        /// The action: crawl, record or skip.
        pub action: &'static str = url.action.as_str(),
        /// Where it ended up: fetched, redirected, failed, refused, recorded, skipped or pending.
        pub disposition: &'static str = url.reason.disposition().as_str(),
        /// Why.
        pub reason: &'static str = url.reason.as_str(),
        /// Whether it was requested.
        pub visited: bool = was_visited(url.reason.disposition()),
        /// HTTP status, if there was a response.
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
        pub crawl_id: i64 = url.session,
        /// The kind of the first link to it.
        pub kind: String,
        /// What it is requested as: page, stylesheet, resource, check, sitemap or robots.
        pub task: &'static str = url.task.as_str(),
        /// Whether it belongs to the site.
        pub is_internal: bool,
        /// Where it redirects to.
        pub redirect_url: Option<String>,
        /// Yes, No or -.
        pub indexable: String,
        /// Why not.
        pub indexable_reason: Option<String>,
        /// Bytes of the body, decoded.
        pub size: Option<i64> = url.body_bytes,
        /// Bytes of the body as transferred.
        pub transfer_size: Option<i64> = url.wire_bytes,
        /// The error, as a sentence.
        pub error: Option<String>,
        /// Details of the rule that refused it.
        pub detail: Option<String>,
        /// When it was visited: Unix time in milliseconds.
        pub visited_at_ms: Option<i64>,
        /// Time to the first byte of the response, in milliseconds.
        pub first_byte_time: Option<f64> = url.first_byte_ms,
        /// Duration of the whole visit, in milliseconds.
        pub response_time: Option<f64> = url.total_ms,
    }
}

fn was_visited(disposition: Disposition) -> bool {
    matches!(disposition, Disposition::Fetched | Disposition::Redirected | Disposition::Failed)
}

/// Which form of a page to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(default = "html")]
pub enum PageForm {
    /// The document as received.
    #[default]
    Html,
    /// The rendered document.
    Rendered,
    /// A picture of the rendered page, as PNG.
    Screenshot,
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
    /// Whether it is incomplete.
    pub is_cut: bool,
    /// The document as it was sent, without transfer encodings; or its other form.
    pub bytes: Vec<u8>,
}

view! {
    /// A page of a capture, without its text.
    pub struct DocumentView from row: DocumentRow {
        /// Its number in the run.
        pub number: i64,
        /// The first URL with this text.
        pub url: String,
        /// Its title.
        pub title: Option<String>,
        /// Its description.
        pub description: Option<String>,
        /// Its language.
        pub language: Option<String>,
        /// Confidence that this is the content of the page, from 0 to 1.
        pub confidence: f64 = (row.confidence * 1000.0).round() / 1000.0,
        /// SHA-256 of the cleaned text.
        pub hash: String,
        /// Words.
        pub words: i64,
        /// Tokens by o200k_base.
        pub tokens_o200k: i64,
        /// Tokens by cl100k_base.
        pub tokens_cl100k: i64,
    }
}
