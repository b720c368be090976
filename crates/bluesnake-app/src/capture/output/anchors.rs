//! Which ids, other than those of headings, the links between captured pages lead to.
//!
//! Files get an anchor only where a link needs one. Which ids pages have and which ones links want is known after all pages
//! were read once, so both are kept as hashes meanwhile.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use percent_encoding::percent_decode_str;

use super::links::{destinations, split_fragment};
use crate::capture::CapturedPage;

/// How many ids of all pages are remembered; links to others keep their web URLs.
const MOST_IDS: usize = 2_000_000;

/// An id of a page: the page's place in the capture, and the id's hash.
type Id = (usize, u64);

/// Collects ids and links while the pages are read.
#[derive(Debug, Default)]
pub(super) struct LinkedIds {
    known: HashSet<Id>,
    /// A number for each page that links with fragments lead to, by URL.
    pages: HashMap<String, usize>,
    wanted: HashSet<(usize, u64)>,
}

/// The ids that links lead to.
#[derive(Debug, Default)]
pub(super) struct NeededIds(HashSet<Id>);

impl LinkedIds {
    pub(super) fn add(&mut self, place: usize, page: &CapturedPage) {
        let room = MOST_IDS.saturating_sub(self.known.len());
        self.known.extend(page.anchors.iter().take(room).map(|anchor| (place, hash(&anchor.id))));
        for destination in destinations(&page.markdown).filter(|destination| destination.contains('#')) {
            let Some((page, Some(fragment))) = split_fragment(destination) else { continue };
            if self.wanted.len() < MOST_IDS {
                let number = self.pages.len();
                let page = *self.pages.entry(page).or_insert(number);
                self.wanted.insert((page, hash(&percent_decode_str(&fragment).decode_utf8_lossy())));
            }
        }
    }

    /// What is both wanted and there.
    pub(super) fn needed(self, place_of: impl Fn(&str) -> Option<usize>) -> NeededIds {
        let places: HashMap<usize, usize> =
            self.pages.iter().filter_map(|(page, number)| Some((*number, place_of(page)?))).collect();
        let ids = self.wanted.into_iter().filter_map(|(page, id)| Some((*places.get(&page)?, id)));
        NeededIds(ids.filter(|id| self.known.contains(id)).collect())
    }
}

impl NeededIds {
    /// Whether a link leads to this id of the page at this place, which has it.
    pub(super) fn contains(&self, place: usize, id: &str) -> bool {
        self.0.contains(&(place, hash(id)))
    }
}

/// Always the same for the same id.
fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use bluesnake_extract::Anchor;

    use super::*;

    #[test]
    fn only_ids_that_exist_and_are_linked_are_needed() {
        let page = |markdown: &str, ids: &[&str]| CapturedPage {
            markdown: markdown.to_owned(),
            anchors: ids.iter().map(|id| Anchor { id: (*id).to_owned(), at: 0 }).collect(),
            ..CapturedPage::default()
        };
        let mut linked = LinkedIds::default();
        linked.add(0, &page("[a](https://a.test/b#one) [b](<https://a.test/b#t%C3%A9> \"x\")", &["own"]));
        linked.add(1, &page("[c](https://a.test/b#gone) [d](https://elsewhere.test/#one)", &["one", "té", "unlinked"]));
        let needed =
            linked.needed(|url| ["https://a.test/a", "https://a.test/b"].iter().position(|known| *known == url));
        assert!(needed.contains(1, "one") && needed.contains(1, "té"));
        assert!(!needed.contains(0, "own") && !needed.contains(1, "unlinked") && !needed.contains(1, "gone"));
    }
}
