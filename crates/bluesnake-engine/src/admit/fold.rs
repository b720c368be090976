//! Which different URLs may be the same page. This only groups pages; every URL is still fetched as written.
//!
//! A URL alone groups nothing: different texts at such URLs are different pages, unless one is the Markdown form of
//! the other. The ledger compares them.

use xxhash_rust::xxh3::Xxh3;

use crate::url::CanonicalUrl;

/// The form of a page; a site may offer the same page in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Html,
    /// Markdown served by the site itself.
    Markdown,
}

impl Form {
    pub(crate) fn of(is_own_markdown: bool) -> Self {
        if is_own_markdown { Self::Markdown } else { Self::Html }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Html => Self::Markdown,
            Self::Markdown => Self::Html,
        }
    }
}

/// Parameters that only track where a visitor came from.
const TRACKING: [&str; 12] =
    ["gclid", "dclid", "fbclid", "msclkid", "twclid", "yclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "ref_src"];

/// A fingerprint shared by URLs of the same page in the same form: ignores a trailing slash or `index.html`, the
/// extension of a Markdown twin, and tracking parameters.
pub(crate) fn key(url: &CanonicalUrl, form: Form) -> u64 {
    let mut key = Xxh3::new();
    key.update(match form {
        Form::Html => b"html\0".as_slice(),
        Form::Markdown => b"markdown\0",
    });
    key.update(url.authority().as_bytes());
    key.update(path(url.path()).as_bytes());
    for parameter in url.query().into_iter().flat_map(|query| query.split('&')).filter(|one| !is_tracking(one)) {
        key.update(b"&");
        key.update(parameter.as_bytes());
    }
    key.digest()
}

fn path(path: &str) -> &str {
    let page = path.strip_suffix(".md").unwrap_or(path);
    let folder = ["/index", "/index.html", "/index.htm"].iter().find_map(|name| page.strip_suffix(name));
    folder.unwrap_or(page).trim_end_matches('/')
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
        let key = |text: &str| key(&CanonicalUrl::parse(text).unwrap(), Form::Html);
        let same = |one: &str, other: &str| assert_eq!(key(one), key(other), "{one} {other}");
        let differs = |one: &str, other: &str| assert_ne!(key(one), key(other), "{one} {other}");
        same("https://a.example/x", "https://a.example/x/");
        same("https://a.example/x", "http://a.example/x.md");
        same("https://a.example/x/", "https://a.example/x/index.md");
        same("https://a.example/x.html", "https://a.example/x.html.md");
        same("https://a.example/x?b=1", "https://a.example/x/?utm_source=y&b=1&gclid=3");
        same("https://a.example/", "https://a.example/index.md");
        same("https://a.example/x/", "https://a.example/x/index.html.md");
        differs("https://a.example/x", "https://a.example/y");
        differs("https://a.example/x", "https://b.example/x");
        differs("https://a.example/x?b=1", "https://a.example/x?b=2");
        differs("https://a.example/x?b=1&c=2", "https://a.example/x?c=2&b=1");
        differs("https://a.example/x", "https://a.example/X");
    }

    #[test]
    fn the_forms_of_a_page_have_keys_of_their_own() {
        let url = CanonicalUrl::parse("https://a.example/x").unwrap();
        assert_ne!(key(&url, Form::Html), key(&url, Form::Markdown));
        assert_eq!(key(&url, Form::Html), key(&url, Form::Markdown.other()));
    }
}
