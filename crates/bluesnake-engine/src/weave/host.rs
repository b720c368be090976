//! Hosts as graph nodes, and the exclusion list.

use std::collections::HashSet;
use std::fmt;

use crate::plan::WeaveSettings;
use crate::url::{CanonicalUrl, registrable_domain, split_port};

/// A host: its lower-case ASCII name without a trailing dot, and its port unless it is the default.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host(Box<str>);

impl Host {
    /// The host of a URL; `None` if its name consists of dots or is too long.
    pub fn of(url: &CanonicalUrl) -> Option<Self> {
        const LONGEST_NAME: usize = 253;
        let name = url.host().trim_end_matches('.');
        let host = match url.port() {
            // https on port 80 and http on port 443 are mistakes, not other hosts.
            80 | 443 => name.to_owned(),
            port => format!("{name}:{port}"),
        };
        (1..=LONGEST_NAME).contains(&name.len()).then(|| Self(host.into()))
    }

    /// Restores a host from [`Host::as_str`].
    pub fn from_stored(text: String) -> Self {
        Self(text.into())
    }

    /// The host as it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name alone.
    pub fn name(&self) -> &str {
        split_port(&self.0).0
    }

    /// The registrable domain, by the public suffix list.
    pub fn domain(&self) -> &str {
        registrable_domain(self.name())
    }

    /// Whether it is below its registrable domain rather than the domain itself. A different port counts as below.
    pub fn is_subdomain(&self) -> bool {
        self.domain() != self.as_str()
    }

    /// The URL of its front page.
    pub fn front_page(&self, scheme: &str) -> CanonicalUrl {
        CanonicalUrl::from_stored(format!("{scheme}://{}/", self.0))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Social networks, advertising and analytics: almost every site links to them, which says nothing about the site.
pub const DEFAULT_EXCLUSIONS: [&str; 26] = [
    "facebook.com",
    "facebook.net",
    "fb.com",
    "fb.me",
    "fbcdn.net",
    "twitter.com",
    "twimg.com",
    "t.co",
    "x.com",
    "instagram.com",
    "linkedin.com",
    "lnkd.in",
    "youtube.com",
    "youtube-nocookie.com",
    "youtu.be",
    "ytimg.com",
    "google-analytics.com",
    "googletagmanager.com",
    "googlesyndication.com",
    "googleadservices.com",
    "googleapis.com",
    "doubleclick.net",
    "ad.*",
    "ads.*",
    "analytic.*",
    "analytics.*",
];

/// Which hosts are excluded. `example.com` matches that host and everything below it; `ads.*` matches every host
/// below a domain whose first label is `ads`. Names are compared label by label, so `fb.com` does not match
/// `xfb.com`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exclusions {
    domains: HashSet<String>,
    first_labels: HashSet<String>,
}

impl Exclusions {
    pub(crate) fn of(settings: &WeaveSettings) -> Self {
        let defaults = DEFAULT_EXCLUSIONS.iter().filter(|_| settings.default_exclusions).copied();
        let mut exclusions = Self::default();
        for pattern in defaults.chain(settings.exclude.iter().map(String::as_str)) {
            match Pattern::of(pattern) {
                Some(Pattern::Domain(domain)) => exclusions.domains.insert(domain),
                Some(Pattern::FirstLabel(label)) => exclusions.first_labels.insert(label),
                // A host with a port; only plain names can be excluded.
                None => false,
            };
        }
        exclusions
    }

    pub(crate) fn has(&self, host: &Host) -> bool {
        let name = host.name();
        let mut rests = std::iter::successors(Some(name), |rest| rest.split_once('.').map(|(_, rest)| rest));
        let first = name.split_once('.').map(|(label, _)| label).filter(|_| name != host.domain());
        rests.any(|rest| self.domains.contains(rest)) || first.is_some_and(|first| self.first_labels.contains(first))
    }
}

/// One line of the list.
#[derive(Debug, PartialEq)]
enum Pattern {
    Domain(String),
    FirstLabel(String),
}

impl Pattern {
    fn of(text: &str) -> Option<Self> {
        if let Some(label) = text.strip_suffix(".*") {
            let is_label = !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            return is_label.then(|| Self::FirstLabel(label.to_ascii_lowercase()));
        }
        let url = CanonicalUrl::parse(&format!("http://{text}/")).ok()?;
        let has_port = text.contains(':') && !text.ends_with(']');
        let is_name = url.path_and_query() == "/" && !has_port && !text.contains(['/', '@', '*']);
        Some(Self::Domain(url.host().trim_end_matches('.').to_owned())).filter(|_| is_name)
    }
}

/// Whether a line is valid in the exclusion list.
pub(crate) fn is_exclusion(text: &str) -> bool {
    Pattern::of(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(url: &str) -> Host {
        Host::of(&CanonicalUrl::parse(url).unwrap()).unwrap()
    }

    #[test]
    fn spellings_of_one_host_are_one_node() {
        for same in
            ["https://Example.COM/a", "http://example.com./", "http://example.com:80/", "https://example.com:80/"]
        {
            assert_eq!(host(same).as_str(), "example.com", "{same}");
        }
        assert_eq!(host("http://example.com:8080/").as_str(), "example.com:8080");
        assert_eq!(host("https://bücher.example/").as_str(), "xn--bcher-kva.example");
        assert_eq!(host("http://2130706433/").as_str(), "127.0.0.1");
        assert_eq!(host("http://[::1]:8080/").as_str(), "[::1]:8080");
        assert_eq!(host("http://[::1]:8080/").name(), "[::1]");
        assert_eq!(host("http://[::1]/").name(), "[::1]");
        assert_eq!(Host::of(&CanonicalUrl::from_stored("http://../".to_owned())), None);
    }

    #[test]
    fn domains_follow_the_public_suffix_list() {
        assert_eq!(host("http://a.b.example.co.uk:81/").domain(), "example.co.uk");
        assert!(host("http://www.example.co.uk/").is_subdomain());
        assert!(!host("http://example.co.uk/").is_subdomain());
        assert!(host("http://example.co.uk:81/").is_subdomain(), "ports count, or they would go round the limit");
        assert!(!host("http://10.1.2.3/").is_subdomain());
    }

    #[test]
    fn exclusions_match_label_by_label() {
        let settings = WeaveSettings { exclude: vec!["Example.ORG".to_owned()], ..WeaveSettings::default() };
        let left_out = Exclusions::of(&settings);
        for name in ["fb.com", "www.fb.com", "example.org", "a.example.org", "ads.shop.test", "analytics.shop.test"] {
            assert!(left_out.has(&host(&format!("http://{name}/"))), "{name}");
        }
        for name in
            ["xfb.com", "fb.com.test", "myexample.org", "loads.shop.test", "ads", "shop.ads", "ad.nl", "ads.com"]
        {
            assert!(!left_out.has(&host(&format!("http://{name}/"))), "{name}");
        }
        let none = WeaveSettings { default_exclusions: false, ..WeaveSettings::default() };
        assert!(!Exclusions::of(&none).has(&host("http://fb.com/")));
    }

    #[test]
    fn lines_of_the_list_are_host_names_or_first_labels() {
        for right in ["example.com", "ads.*", "xn--bcher-kva.example", "localhost", "10.0.0.1"] {
            assert!(is_exclusion(right), "{right}");
        }
        for wrong in ["", "*.example.com", "http://example.com", "a/b", "a b", "example.com:80", ".*", "a.b.*", "u@h"] {
            assert!(!is_exclusion(wrong), "{wrong}");
        }
    }
}
