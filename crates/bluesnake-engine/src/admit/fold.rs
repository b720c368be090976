//! Which addresses are taken for one page although they differ. This groups pages; what is fetched stays as it is.

use xxhash_rust::xxh3::Xxh3;

use crate::url::CanonicalUrl;

/// Parameters that only say where a visitor came from.
const TRACKING: [&str; 12] =
    ["gclid", "dclid", "fbclid", "msclkid", "twclid", "yclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "ref_src"];

/// A fingerprint that addresses of the same page share: without a slash at the end, the extension of a Markdown twin,
/// and parameters for tracking.
pub(crate) fn key(url: &CanonicalUrl) -> u64 {
    let mut key = Xxh3::new();
    key.update(b"address\0");
    key.update(url.authority().as_bytes());
    key.update(path(url.path()).as_bytes());
    for parameter in url.query().into_iter().flat_map(|query| query.split('&')).filter(|one| !is_tracking(one)) {
        key.update(b"&");
        key.update(parameter.as_bytes());
    }
    key.digest()
}

fn path(path: &str) -> &str {
    let page = match path.strip_suffix(".md") {
        Some(twin) => twin.strip_suffix("/index").unwrap_or(twin),
        None => path,
    };
    page.trim_end_matches('/')
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default();
    name.is_empty() || name.starts_with("utm_") || TRACKING.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_page_share_a_key_and_other_pages_do_not() {
        let key = |text: &str| key(&CanonicalUrl::parse(text).unwrap());
        let same = |one: &str, other: &str| assert_eq!(key(one), key(other), "{one} {other}");
        let differs = |one: &str, other: &str| assert_ne!(key(one), key(other), "{one} {other}");
        same("https://a.example/x", "https://a.example/x/");
        same("https://a.example/x", "http://a.example/x.md");
        same("https://a.example/x/", "https://a.example/x/index.md");
        same("https://a.example/x.html", "https://a.example/x.html.md");
        same("https://a.example/x?b=1", "https://a.example/x/?utm_source=y&b=1&gclid=3");
        same("https://a.example/", "https://a.example/index.md");
        differs("https://a.example/x", "https://a.example/y");
        differs("https://a.example/x", "https://b.example/x");
        differs("https://a.example/x?b=1", "https://a.example/x?b=2");
        differs("https://a.example/x?b=1&c=2", "https://a.example/x?c=2&b=1");
        differs("https://a.example/x", "https://a.example/X");
    }
}
