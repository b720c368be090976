//! The truth about a site, as written by `testsite`: a URL and its status on each line.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use bluesnake_engine::url::Base;
use bluesnake_engine::{CanonicalUrl, UrlKey};

use crate::store::Response;

/// Reads the URLs of a truth file, absolute or relative to the base, with their statuses.
pub(crate) fn read(path: &Path, base: &CanonicalUrl) -> anyhow::Result<Vec<(CanonicalUrl, u16)>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let base = Base::of(base);
    let line = |line: &str| -> anyhow::Result<(CanonicalUrl, u16)> {
        let (address, status) = line.split_once(' ').with_context(|| format!("`{line}` has no status"))?;
        Ok((base.join(address)?, status.trim().parse()?))
    };
    text.lines().map(line).collect()
}

/// How a crawl differs from the truth.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// URLs of the truth that were not visited.
    pub(crate) missing: usize,
    /// Visits of URLs that are not in the truth, and repeated visits.
    pub(crate) invented: usize,
    /// URLs with another status than in the truth.
    pub(crate) wrong_status: usize,
}

/// Compares the results of a crawl with the truth.
pub(crate) fn compare(truth: &[(CanonicalUrl, u16)], responses: &[Response]) -> Difference {
    let mut expected: HashMap<UrlKey, u16> = truth.iter().map(|(url, status)| (url.key(), *status)).collect();
    let mut difference = Difference::default();
    for response in responses {
        match expected.remove(&response.url) {
            None => difference.invented += 1,
            Some(status) => difference.wrong_status += usize::from(status != response.status),
        }
    }
    difference.missing = expected.len();
    difference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_kind_of_difference() {
        let url = |path: &str| CanonicalUrl::parse(&format!("http://a{path}")).unwrap();
        let truth = [(url("/"), 200), (url("/gone"), 404), (url("/never"), 200)];
        let response = |path: &str, status| Response { url: url(path).key(), status };
        let responses = [response("/", 200), response("/", 200), response("/gone", 200), response("/decoy", 404)];
        assert_eq!(compare(&truth, &responses), Difference { missing: 1, invented: 2, wrong_status: 1 });
    }
}
