//! The summary of a run.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::receipt;
use crate::results::Summary;

/// How many visits had a status.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusCount {
    /// The status; 0 = no answer.
    pub status: i64,
    /// How many.
    pub count: i64,
}

/// A URL that does not answer as it should.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenView {
    /// Its URL.
    pub url: String,
    /// Status, when it answered.
    pub status: Option<i64>,
    /// The reason, as a word.
    pub reason: String,
    /// Where it was found first.
    pub found_at: Option<String>,
}

/// A page and how long it took.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlowPageView {
    /// Its URL.
    pub url: String,
    /// Milliseconds.
    pub total_ms: f64,
}

/// The summary of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryView {
    /// Where every URL ended up.
    #[schema(value_type = Object)]
    pub receipt: Value,
    /// How many visits had which status.
    pub statuses: Vec<StatusCount>,
    /// How many URLs do not answer as they should.
    pub broken_count: i64,
    /// The first of them.
    pub broken: Vec<BrokenView>,
    /// The pages that took longest.
    pub slowest: Vec<SlowPageView>,
    /// Of how many URLs limits cut something off.
    pub cut_count: i64,
}

impl From<Summary> for SummaryView {
    fn from(summary: Summary) -> Self {
        let broken = summary.broken.0.into_iter().map(|broken| BrokenView {
            url: broken.url,
            status: broken.status,
            reason: broken.reason,
            found_at: broken.found_at,
        });
        let slowest = summary.slowest.into_iter();
        Self {
            receipt: receipt(&summary.receipt),
            statuses: summary.statuses.into_iter().map(|(status, count)| StatusCount { status, count }).collect(),
            broken_count: summary.broken.1,
            broken: broken.collect(),
            slowest: slowest
                .map(|page| SlowPageView { url: page.url, total_ms: page.total_us as f64 / 1000.0 })
                .collect(),
            cut_count: summary.cut.1,
        }
    }
}
