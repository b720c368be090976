//! The list parameters, for the OpenAPI description; the app parses them itself.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::crawls::TypeName;

/// Filter and order of URLs.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what the app parses; a test compares the two")]
pub(crate) struct PagesParams {
    /// all, html, css, javascript, images, fonts or others.
    #[param(inline)]
    r#type: Option<TypeName>,
    /// fetched, redirected, failed, refused, recorded, skipped or pending.
    #[param(inline)]
    disposition: Option<DispositionName>,
    /// crawl, record or skip.
    #[param(inline)]
    action: Option<ActionName>,
    /// Status (`404`) or class (`4xx`).
    #[param(pattern = "^[1-5]([0-9]{2}|xx)$")]
    status: Option<String>,
    /// Prefix of the media type.
    content_type: Option<String>,
    /// Minimum depth.
    #[param(minimum = 0)]
    min_depth: Option<u32>,
    /// Maximum depth.
    #[param(minimum = 0)]
    max_depth: Option<u32>,
    /// Text in the URL, title or description.
    #[param(max_length = 1000)]
    search: Option<String>,
    /// number, url, status, depth, responseTime, size, title, wordCount or contentType.
    #[param(inline)]
    sort: Option<SortName>,
    /// asc or desc.
    #[param(inline)]
    order: Option<OrderName>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
    /// `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Filter of links.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes what the app parses; a test compares the two")]
pub(crate) struct LinksParams {
    /// URL of the page that contains the link.
    source: Option<String>,
    /// Number of that page.
    source_number: Option<u32>,
    /// URL of the target.
    target: Option<String>,
    /// Number of the target.
    target_number: Option<u32>,
    /// The kind of link.
    r#type: Option<String>,
    /// Position on the page.
    position: Option<String>,
    /// Whether the link is followed.
    follow: Option<bool>,
    /// Whether the target belongs to the site.
    is_internal: Option<bool>,
    /// Status of the target (`404`) or class (`4xx`).
    #[param(pattern = "^[1-5]([0-9]{2}|xx)$")]
    status: Option<String>,
    /// Text in the anchor or the URL of the target.
    #[param(max_length = 1000)]
    search: Option<String>,
    /// Maximum number of rows.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
    /// `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Where a URL ended up.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DispositionName {
    Fetched,
    Redirected,
    Failed,
    Refused,
    Recorded,
    Skipped,
    Pending,
}

/// The action for a URL.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionName {
    Crawl,
    Record,
    Skip,
}

/// Sort key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SortName {
    Number,
    Url,
    Status,
    Depth,
    ResponseTime,
    Size,
    Title,
    WordCount,
    ContentType,
}

/// Sort direction.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderName {
    Asc,
    Desc,
}
