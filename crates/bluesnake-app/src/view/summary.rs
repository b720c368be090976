//! The summary of a run.

use bluesnake_store::{BrokenUrl, SlowPage};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::receipt;
use crate::results::Summary;

/// Number of visits with a status.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusCount {
    /// The status; 0 = no response.
    pub status: i64,
    /// The number.
    pub count: i64,
}

view! {
    /// A broken URL.
    pub struct BrokenView from url: BrokenUrl {
        /// Its URL.
        pub url: String,
        /// Status, if there was a response.
        pub status: Option<i64>,
        /// The reason, as a word.
        pub reason: &'static str = url.reason.as_str(),
        /// The page where it was first found.
        pub found_at: Option<String>,
    }
}

view! {
    /// A page and its duration.
    pub struct SlowPageView from page: SlowPage {
        /// Its URL.
        pub url: String,
        /// Milliseconds.
        pub total_ms: f64 = page.total_us as f64 / 1000.0,
    }
}

/// The summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryView {
    /// Where every URL ended up.
    #[schema(value_type = Object)]
    pub receipt: Value,
    /// Visits by status.
    pub statuses: Vec<StatusCount>,
    /// Number of URLs that refuse automated requests (401, 403 or 429) and so could not be verified.
    pub refused_count: i64,
    /// Number of broken URLs.
    pub broken_count: i64,
    /// The first of them.
    pub broken: Vec<BrokenView>,
    /// The slowest pages.
    pub slowest: Vec<SlowPageView>,
    /// Number of URLs that limits cut.
    pub cut_count: i64,
}

impl From<Summary> for SummaryView {
    fn from(summary: Summary) -> Self {
        Self {
            receipt: receipt(&summary.receipt),
            refused_count: summary.refused(),
            statuses: summary.statuses.into_iter().map(|(status, count)| StatusCount { status, count }).collect(),
            broken_count: summary.broken.1,
            broken: summary.broken.0.into_iter().map(BrokenView::from).collect(),
            slowest: summary.slowest.into_iter().map(SlowPageView::from).collect(),
            cut_count: summary.cut.1,
        }
    }
}
