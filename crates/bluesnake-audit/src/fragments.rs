//! Links to parts of pages: whether the part exists.
//!
//! A page's ids are stored as hashes of 24 bits. Links to pages that were read before are checked at once, links to
//! later ones at the end.

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::details::{DetailId, Details};
use crate::site::Site;
use crate::subject::Subject;

/// How many ids of a page are stored.
const MOST_IDS: usize = 2_000;

/// The ids of all pages so far, and links to parts of later pages.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    /// Sorted hashes of each list of ids. Pages of one template often have the same ids.
    lists: Vec<Box<[[u8; 3]]>>,
    known_lists: HashMap<u64, u32>,
    /// The list of each page.
    list_of: HashMap<u32, u32>,
    /// Parts of later pages: page and hash, and their place in `names`.
    awaited: HashMap<(u32, [u8; 3]), u32>,
    names: Vec<Box<str>>,
    /// Links to parts of later pages: source, and the place of the part in `names`.
    links: Vec<(u32, u32)>,
    broken: Vec<(u32, DetailId)>,
}

impl Fragments {
    /// Reads a page. Pages come in number order.
    pub(crate) fn add(&mut self, page: &Subject<'_>, details: &mut Details) {
        self.add_ids(page);
        for fragment in page.facts.missing_fragments.iter().filter(|fragment| names_a_part(fragment)) {
            self.broken.push((page.number, details.intern_text(&format!("{}#{}", page.url, &**fragment))));
        }
        for (at, fragment) in page.facts.fragments.iter().filter(|(_, fragment)| names_a_part(fragment)) {
            let Some((target, _)) = page.links.get(*at as usize) else { continue };
            if !page.site.state(*target).is_page() {
                continue;
            }
            let hash = hash_of(fragment);
            if *target > page.number {
                self.wait_for(page.number, *target, hash, fragment);
            } else if self.lacks(*target, hash) {
                let detail = details.intern_text(&format!("{}#{}", page.site.urls.text(*target), &**fragment));
                self.broken.push((page.number, detail));
            }
        }
    }

    fn add_ids(&mut self, page: &Subject<'_>) {
        if !page.has_newer_facts() {
            return;
        }
        let ids = page.facts.ids.as_deref().unwrap_or_default();
        let next = self.lists.len() as u32;
        let list = *self.known_lists.entry(xxh3_64(ids.as_bytes())).or_insert_with(|| {
            let mut hashes = decode(ids);
            hashes.sort_unstable();
            self.lists.push(hashes.into());
            next
        });
        self.list_of.insert(page.number, list);
    }

    /// Whether it is certain that a page has no such part.
    fn lacks(&self, page: u32, hash: [u8; 3]) -> bool {
        let ids = self.list_of.get(&page).map(|list| &self.lists[*list as usize]);
        // Only the smallest hashes of a page with very many ids are stored.
        let is_covered = |ids: &[[u8; 3]]| ids.len() < MOST_IDS || ids.last().is_some_and(|last| hash <= *last);
        ids.is_some_and(|ids| is_covered(ids) && ids.binary_search(&hash).is_err())
    }

    fn wait_for(&mut self, source: u32, target: u32, hash: [u8; 3], fragment: &str) {
        let next = self.names.len() as u32;
        let name = *self.awaited.entry((target, hash)).or_insert_with(|| {
            self.names.push(fragment.into());
            next
        });
        self.links.push((source, name));
    }

    /// The pages with links to parts that do not exist, in number order.
    pub(crate) fn finish(mut self, site: &Site, details: &mut Details) -> Vec<(u32, DetailId)> {
        let mut missing = vec![0; self.names.len()];
        let mut awaited: Vec<(u32, [u8; 3], u32)> =
            self.awaited.iter().map(|((target, hash), name)| (*target, *hash, *name)).collect();
        awaited.sort_unstable();
        for (target, hash, name) in awaited {
            if self.lacks(target, hash) {
                let detail = format!("{}#{}", site.urls.text(target), self.names[name as usize]);
                missing[name as usize] = details.intern_text(&detail);
            }
        }
        let later = self.links.iter().map(|(source, name)| (*source, missing[*name as usize]));
        self.broken.extend(later.filter(|(_, detail)| *detail != 0));
        self.broken.sort_unstable();
        self.broken.dedup();
        self.broken
    }
}

/// Routes of applications look like fragments.
fn names_a_part(fragment: &str) -> bool {
    !fragment.starts_with(['/', '!'])
}

/// The hash of an id: the low 24 bits of the hash of its text without percent-encoding, the highest byte first.
fn hash_of(fragment: &str) -> [u8; 3] {
    let decoded = percent_decoded(fragment);
    let hash = xxh3_64(String::from_utf8_lossy(&decoded).as_bytes()).to_be_bytes();
    [hash[5], hash[6], hash[7]]
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| (*byte as char).to_digit(16));
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high << 4 | low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

/// The hash in every four characters of base64, the highest byte first.
fn decode(base64: &str) -> Vec<[u8; 3]> {
    let value = |character: u8| match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    };
    let bytes = |four: &[u8]| {
        let number = four.iter().fold(0, |number, character| number << 6 | u32::from(value(*character)));
        let [low, middle, high, _] = (number << 8).to_be_bytes();
        [high, middle, low]
    };
    base64.as_bytes().chunks_exact(4).map(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_in_groups_of_three_bytes() {
        assert_eq!(decode("AAECAwQF"), [[2, 1, 0], [5, 4, 3]]);
        assert_eq!(decode("/+7d"), [[0xdd, 0xee, 0xff]]);
        assert!(decode("").is_empty());
    }

    #[test]
    fn percent_encoding_does_not_change_the_hash() {
        assert_eq!(hash_of("%C3%BCber%20uns"), hash_of("über uns"));
        assert_ne!(hash_of("100%"), hash_of("100"));
    }
}
