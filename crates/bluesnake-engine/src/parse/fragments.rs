//! Fragments: the ids of a page, and the places in pages that its links lead to.
//!
//! Ids are kept as hashes of three bytes, so that an audit can hold those of a whole site. One of a thousand fragments
//! on a page with many ids is found by accident; that hides a broken one and never invents one.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use percent_encoding::percent_decode_str;
use xxhash_rust::xxh3::xxh3_64;

use super::facts::Page;

/// How long a fragment may be; longer ones are ignored.
const LONGEST: usize = 500;
/// How many bytes of fragments to keep of one page.
const BYTES: usize = 64 * 1024;

/// The hash of an id, or of the fragment that leads to it, as written: 24 bits.
pub fn fragment_hash(text: &str) -> u32 {
    let decoded = match text.contains('%') {
        true => percent_decode_str(text).decode_utf8_lossy(),
        false => Cow::Borrowed(text),
    };
    xxh3_64(decoded.as_bytes()) as u32 & 0x00FF_FFFF
}

/// The ids and fragments of a page while it is read.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    ids: Vec<u32>,
    /// The index of a link, and the fragment it has.
    of_links: Vec<(usize, Box<str>)>,
    /// Those of links within the page.
    own: Vec<Box<str>>,
    bytes: usize,
}

impl Fragments {
    /// An element has this id or, if it is an anchor, this name.
    pub(super) fn add_id(&mut self, id: &str) {
        if !id.is_empty() {
            self.ids.push(fragment_hash(id));
        }
    }

    /// The link with this index was written as this reference.
    pub(super) fn add_link(&mut self, link: usize, reference: &str) {
        if self.of_links.len() < Page::FRAGMENTS
            && let Some(fragment) = reference.split_once('#').and_then(|(_, fragment)| meaningful(fragment))
            && self.has_room_for(fragment)
        {
            self.of_links.push((link, fragment.into()));
        }
    }

    /// A link leads to this fragment of the page itself.
    pub(super) fn add_own(&mut self, fragment: &str) {
        if self.own.len() < Page::FRAGMENTS
            && let Some(fragment) = meaningful(fragment)
            && self.has_room_for(fragment)
        {
            self.own.push(fragment.into());
        }
    }

    fn has_room_for(&mut self, fragment: &str) -> bool {
        self.bytes += fragment.len();
        self.bytes <= BYTES
    }

    /// Forgets the links from this index on.
    pub(super) fn truncate(&mut self, links: usize) {
        self.of_links.retain(|(link, _)| *link < links);
    }

    /// Adds the links of a document inside this one, which have places in the same list.
    pub(super) fn adopt(&mut self, nested: Self) {
        let room = Page::FRAGMENTS.saturating_sub(self.of_links.len());
        self.of_links.extend(nested.of_links.into_iter().take(room));
    }

    pub(super) fn finish(mut self, page: &mut Page) {
        self.ids.sort_unstable();
        self.ids.dedup();
        let is_missing = |fragment: &str| self.ids.binary_search(&fragment_hash(fragment)).is_err();
        self.own.retain(|fragment| is_missing(fragment));
        self.own.sort_unstable();
        self.own.dedup();
        page.missing_fragments = self.own.into_iter().take(Page::MISSING_FRAGMENTS).map(String::from).collect();
        page.fragments = self.of_links.into_iter().map(|(link, fragment)| (link, fragment.into())).collect();
        self.ids.truncate(Page::IDS);
        let bytes: Vec<u8> = self.ids.iter().flat_map(|id| id.to_le_bytes().into_iter().take(3)).collect();
        page.ids = (!bytes.is_empty()).then(|| STANDARD_NO_PAD.encode(bytes));
    }
}

/// The part of a fragment that names an id. `#top` is always there, and a text directive searches for words.
fn meaningful(fragment: &str) -> Option<&str> {
    let id = fragment.split_once(":~:").map_or(fragment, |(id, _)| id);
    (!id.is_empty() && id.len() <= LONGEST && !id.eq_ignore_ascii_case("top")).then_some(id)
}
