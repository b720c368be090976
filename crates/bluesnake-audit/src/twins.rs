//! URLs that differ only in their last slash, or only in case.

use xxhash_rust::xxh3::xxh3_64;

/// URLs that are the same but for one thing, while all of them are read.
#[derive(Debug, Default)]
pub(crate) struct TwinFinder {
    /// Fingerprint of what they have in common, in two halves, and number. Halves need no padding.
    entries: Vec<[u32; 3]>,
    common: Vec<u8>,
}

impl TwinFinder {
    /// Adds a URL by what it has in common with its twins.
    pub(crate) fn add(&mut self, number: u32, common: impl Iterator<Item = u8>) {
        self.common.clear();
        self.common.extend(common);
        let hash = xxh3_64(&self.common);
        self.entries.push([(hash >> 32) as u32, hash as u32, number]);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All twins.
    pub(crate) fn finish(&mut self) -> Twins {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable();
        let mut pairs = Vec::new();
        for group in entries.chunk_by(|one, other| one[..2] == other[..2]) {
            // The first of a group stands for the others, so that large groups stay small.
            if let [first, others @ ..] = group
                && let Some(second) = others.first()
            {
                pairs.push((first[2], second[2]));
                pairs.extend(others.iter().map(|other| (other[2], first[2])));
            }
        }
        pairs.sort_unstable();
        Twins(pairs)
    }
}

/// Each twin with another one, in order.
#[derive(Debug, Default)]
pub(crate) struct Twins(Vec<(u32, u32)>);

impl Twins {
    /// The twin of a URL.
    pub(crate) fn of(&self, number: u32) -> Option<u32> {
        self.0.binary_search_by_key(&number, |(one, _)| *one).ok().map(|at| self.0[at].1)
    }
}

/// A URL without the last slash of its path; `None` for the path of a whole host.
pub(crate) fn without_slash(url: &str) -> Option<impl Iterator<Item = u8>> {
    let (before, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    let path = before.find("://").and_then(|scheme| before[scheme + 3..].find('/').map(|at| scheme + 3 + at))?;
    let bare = before.strip_suffix('/').unwrap_or(before);
    (bare.len() > path).then(|| bare.bytes().chain(query.bytes()))
}

/// A URL in lower case, but for its query: values of parameters differ in case.
pub(crate) fn in_lower_case(url: &str) -> impl Iterator<Item = u8> {
    let (before, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    before.bytes().map(|byte| byte.to_ascii_lowercase()).chain(query.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_a_query_counts() {
        let lower = |url| String::from_utf8(in_lower_case(url).collect()).unwrap();
        assert_eq!(lower("https://a/B?C=D"), "https://a/b?C=D");
        assert_eq!(lower("https://a/B"), "https://a/b");
    }

    #[test]
    fn the_last_slash_of_the_path_does_not_count() {
        let check = |url, expected: Option<&str>| {
            let bare = without_slash(url).map(|bytes| String::from_utf8(bytes.collect()).unwrap());
            assert_eq!(bare.as_deref(), expected, "{url}");
        };
        check("https://a/b/", Some("https://a/b"));
        check("https://a/b", Some("https://a/b"));
        check("https://a/b/?c=/", Some("https://a/b?c=/"));
        check("https://a/", None);
    }

    #[test]
    fn every_twin_of_a_group_is_found() {
        let mut finder = TwinFinder::default();
        for (number, common) in [(4, "a"), (1, "b"), (2, "a"), (9, "a")] {
            finder.add(number, common.bytes());
        }
        let twins = finder.finish();
        assert_eq!([2, 4, 9, 1].map(|number| twins.of(number)), [Some(4), Some(2), Some(2), None]);
    }
}
