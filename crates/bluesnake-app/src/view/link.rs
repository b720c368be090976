//! A link, and the links of a page.

use bluesnake_engine::link::Rel;
use bluesnake_store::LinkRow;
use serde::Serialize;
use utoipa::ToSchema;

/// A link with details of both ends.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkView {
    /// The page that contains it.
    pub source_url: String,
    /// The target.
    pub target_url: String,
    /// The kind of link.
    #[serde(rename = "type")]
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
    /// Whether it is followed.
    pub follow: bool,
    /// Whether the target belongs to the site.
    pub is_internal: bool,
    /// Status of the target, if there was a response.
    pub status: Option<i64>,
    /// Title of the target.
    pub title: Option<String>,
    /// Media type of the target.
    pub content_type: Option<String>,
    /// The action for the target: crawl, record or skip.
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

/// Links on a page and links to it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageLinks {
    /// The page.
    pub url: String,
    /// Incoming links, in the order of their pages.
    pub inlinks: Vec<LinkView>,
    /// Its own links, in document order.
    pub outlinks: Vec<LinkView>,
}
