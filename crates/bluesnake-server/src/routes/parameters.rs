//! The parameters of lists, for the description: the app reads them by itself.

use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::crawls::TypeName;

/// Which URLs are wanted, in which order.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes what the app reads, and a test compares the two")]
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
    /// A status (`404`) or a class of them (`4xx`).
    #[param(pattern = "^[1-5]([0-9]{2}|xx)$")]
    status: Option<String>,
    /// How the media type begins.
    content_type: Option<String>,
    /// At least so deep.
    #[param(minimum = 0)]
    min_depth: Option<u32>,
    /// At most so deep.
    #[param(minimum = 0)]
    max_depth: Option<u32>,
    /// What URL, title or description contains.
    #[param(max_length = 1000)]
    search: Option<String>,
    /// number, url, status, depth, responseTime, size, title, wordCount or contentType.
    #[param(inline)]
    sort: Option<SortName>,
    /// asc or desc.
    #[param(inline)]
    order: Option<OrderName>,
    /// How many rows at most.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
    /// `nextCursor` of the page before.
    cursor: Option<String>,
}

/// Which links are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "it describes what the app reads, and a test compares the two")]
pub(crate) struct LinksParams {
    /// The URL of the page they stand on.
    source: Option<String>,
    /// The number of that page.
    source_number: Option<u32>,
    /// The URL of what they lead to.
    target: Option<String>,
    /// The number of that.
    target_number: Option<u32>,
    /// The kind of link.
    r#type: Option<String>,
    /// Where on the page they stand.
    position: Option<String>,
    /// Whether they are to be followed.
    follow: Option<bool>,
    /// Whether their target belongs to the site.
    is_internal: Option<bool>,
    /// How their target answered: a status (`404`) or a class of them (`4xx`).
    #[param(pattern = "^[1-5]([0-9]{2}|xx)$")]
    status: Option<String>,
    /// What their words or the URL of their target contains.
    #[param(max_length = 1000)]
    search: Option<String>,
    /// How many rows at most.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    limit: Option<usize>,
    /// `nextCursor` of the page before.
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

/// What is done with a URL.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActionName {
    Crawl,
    Record,
    Skip,
}

/// What rows are sorted by.
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

/// In which direction.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderName {
    Asc,
    Desc,
}
