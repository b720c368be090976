//! Everything about one URL.

use bluesnake_store::Hop;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{CheckText, LinkView};
use crate::results::RowView;

/// Everything about one URL of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UrlDetail {
    /// The run.
    pub run_id: i64,
    /// How many URLs of the run are known.
    pub version: u64,
    /// Its row of the grid, with every column.
    pub row: RowView,
    /// Other facts about the page; defaults are omitted.
    #[schema(value_type = Option<Object>)]
    pub facts: Option<Value>,
    /// What custom extraction found.
    #[schema(value_type = Option<Object>)]
    pub extracted: Option<Value>,
    /// Response headers.
    pub headers: Vec<HeaderView>,
    /// Where it redirects to, step by step.
    pub chain: Vec<HopView>,
    /// Pages with exactly its bytes; the first 100.
    pub identical: Vec<HopView>,
    /// Pages with its content; the first 100.
    pub duplicates: Vec<HopView>,
    /// Pages of its group of near duplicates; the first 100.
    pub near_duplicates: Vec<HopView>,
    /// What the audit found on it.
    pub issues: Vec<UrlIssueView>,
}

/// A response header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeaderView {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

view! {
    /// Another URL of the run.
    pub struct HopView from hop: Hop {
        /// Its number.
        pub number: u32,
        /// The URL.
        pub url: String,
        /// HTTP status, if there was a response.
        pub status: Option<u16>,
    }
}

/// An issue of a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UrlIssueView {
    /// The check that found it.
    #[serde(flatten)]
    pub check: CheckText,
    /// What exactly, if there is more to report.
    pub detail: Option<String>,
}

/// A document that links to a URL: its first link there.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InlinkView {
    /// The link.
    #[serde(flatten)]
    pub link: LinkView,
    /// How many of its links lead there.
    pub links: u32,
}
