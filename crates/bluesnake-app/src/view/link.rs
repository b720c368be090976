//! A link, and the links of a page.

use bluesnake_engine::link::Rel;
use bluesnake_store::LinkRow;
use serde::Serialize;
use utoipa::ToSchema;

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
