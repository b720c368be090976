//! A link, and the links of a page.

use bluesnake_engine::link::Rel;
use bluesnake_store::LinkRow;
use serde::Serialize;
use utoipa::ToSchema;

view! {
    /// A link with details of both ends.
    pub struct LinkView from link: LinkRow {
        /// The number of the page that contains it.
        pub source_number: i64,
        /// The page that contains it.
        pub source_url: String,
        /// The number of the target.
        pub target_number: i64,
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
        /// Which form of the page has it: html, rendered or both.
        pub origin: String,
        /// Whether it is followed.
        pub follow: bool = !Rel::from_bits(link.rel as u8).has(Rel::NOFOLLOW),
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
