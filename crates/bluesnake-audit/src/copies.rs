//! The canonicals of pages whose links are not stored, because the pages are copies of others.

use xxhash_rust::xxh3::xxh3_64;

use crate::url_texts::UrlTexts;

/// Copies with their canonicals: first as fingerprints of URLs, then as numbers.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// The fingerprint of each canonical, and the copy.
    unresolved: Vec<(u64, u32)>,
    /// Each copy with the number of its canonical; the first copies are at the end.
    resolved: Vec<(u32, u32)>,
}

impl Copies {
    /// Adds a copy with its canonical.
    pub(crate) fn add(&mut self, copy: u32, canonical: &str) {
        self.unresolved.push((xxh3_64(canonical.as_bytes()), copy));
    }

    /// Finds the numbers of the canonicals. Those that the run does not know are dropped.
    pub(crate) fn resolve(&mut self, urls: &UrlTexts) {
        if self.unresolved.is_empty() {
            return;
        }
        let mut unresolved = std::mem::take(&mut self.unresolved);
        unresolved.sort_unstable();
        urls.each(|number, url| {
            let hash = xxh3_64(url);
            let from = unresolved.partition_point(|(known, _)| *known < hash);
            let same = unresolved[from..].iter().take_while(|(known, _)| *known == hash);
            self.resolved.extend(same.map(|(_, copy)| (*copy, number)));
        });
        self.resolved.sort_unstable_by_key(|pair| std::cmp::Reverse(*pair));
    }

    /// The next copy up to this number, with its canonical.
    pub(crate) fn next_until(&mut self, until: u32) -> Option<(u32, u32)> {
        let is_next = self.resolved.last().is_some_and(|(copy, _)| *copy <= until);
        is_next.then(|| self.resolved.pop()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonicals_are_found_by_their_urls_in_the_order_of_copies() {
        let mut urls = UrlTexts::default();
        ["https://a/", "https://a/p", "https://a/p?x"].into_iter().for_each(|url| urls.push(url));
        let mut copies = Copies::default();
        [(9, "https://a/p"), (3, "https://a/p"), (5, "https://a/"), (7, "https://b/")]
            .into_iter()
            .for_each(|(copy, canonical)| copies.add(copy, canonical));
        copies.resolve(&urls);
        assert_eq!([copies.next_until(4), copies.next_until(4)], [Some((3, 2)), None]);
        assert_eq!(
            [copies.next_until(9), copies.next_until(9), copies.next_until(9)],
            [Some((5, 1)), Some((9, 2)), None]
        );
    }
}
