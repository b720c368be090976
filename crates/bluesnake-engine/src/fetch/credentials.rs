//! Which hosts receive the operator's extra headers and passwords, and our `Referer`.
//!
//! A password is bound to one origin (scheme, host, port) and is never sent anywhere else, whatever redirects and
//! links say; extra headers go to the crawl's own origins. A `Referer` contains only the origin, and only for the
//! same host. Cookies have their [own rules](super::cookies).

use std::collections::{HashMap, HashSet};
use std::sync::RwLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{self, AUTHORIZATION};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::Problems;
use super::guard;
use crate::plan::FetchSettings;
use crate::url::CanonicalUrl;

/// Which credentials go to which hosts in one crawl.
pub(super) struct Credentials {
    headers: Vec<(HeaderName, HeaderValue)>,
    /// `Authorization` by origin.
    passwords: HashMap<String, HeaderValue>,
    /// Origins, and authorities that cover both http and https.
    own: RwLock<HashSet<String>>,
}

impl Credentials {
    pub(super) fn new(settings: &FetchSettings, problems: &mut Problems) -> Self {
        Self {
            headers: extra_headers(settings, problems),
            passwords: passwords(settings, problems),
            own: RwLock::default(),
        }
    }

    /// Adds an origin (`https://a.example`) or an authority (`a.example`, any scheme) to the crawl's own. A plain
    /// http origin also covers its https twin, but never the other way round.
    pub(super) fn add_own(&self, host: &str) {
        let mut own = self.own.write().expect("no panic happens while hosts are added");
        if let Some(authority) = host.strip_prefix("http://") {
            own.insert(format!("https://{authority}"));
        }
        own.insert(host.to_owned());
    }

    /// Whether a URL is on one of the crawl's own hosts.
    pub(super) fn is_own(&self, url: &CanonicalUrl) -> bool {
        let own = self.own.read().expect("no panic happens while hosts are added");
        own.contains(url.origin()) || own.contains(url.authority())
    }

    /// Adds the headers that may be sent to this URL's host.
    pub(super) fn apply(&self, url: &CanonicalUrl, headers: &mut HeaderMap) {
        if !self.headers.is_empty() && self.is_own(url) {
            for (name, value) in &self.headers {
                headers.insert(name.clone(), value.clone());
            }
        }
        if !self.passwords.is_empty()
            && let Some(password) = self.passwords.get(url.origin())
        {
            headers.insert(AUTHORIZATION, password.clone());
        }
    }
}

fn extra_headers(settings: &FetchSettings, problems: &mut Problems) -> Vec<(HeaderName, HeaderValue)> {
    let mut headers = Vec::new();
    for (name, value) in &settings.headers {
        let field = match (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => (name, value),
            (Err(_), _) => {
                problems.push(("fetch.headers", format!("`{name}` is not a header name")));
                continue;
            }
            (_, Err(_)) => {
                problems
                    .push(("fetch.headers", format!("the value of `{name}` has characters that no header may have")));
                continue;
            }
        };
        if is_ours(&field.0) {
            problems.push(("fetch.headers", format!("`{name}` is set by the connection itself")));
        }
        headers.push(field);
    }
    headers
}

/// Fields that frame the message; overriding them would break it.
fn is_ours(name: &HeaderName) -> bool {
    const FRAMING: [HeaderName; 8] = [
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::EXPECT,
        header::PROXY_AUTHORIZATION,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
    ];
    FRAMING.contains(name)
}

fn passwords(settings: &FetchSettings, problems: &mut Problems) -> HashMap<String, HeaderValue> {
    let mut passwords = HashMap::new();
    for (place, login) in &settings.auth {
        let Some((user, password)) = login.split_once(':') else {
            problems.push(("fetch.auth", format!("what is given for `{place}` is not of the form USER:PASSWORD")));
            continue;
        };
        let Some(origins) = origins_of(place) else {
            problems
                .push(("fetch.auth", format!("`{place}` is neither an origin such as https://example.com nor a host")));
            continue;
        };
        for origin in origins {
            passwords.insert(origin, basic(user, password));
        }
    }
    passwords
}

/// The origins that a key of `auth` covers. A bare host means https: a password must not be sent in plain text
/// because a page links to `http://`. Loopback is exempt.
fn origins_of(place: &str) -> Option<Vec<String>> {
    if place.contains("://") {
        let url = CanonicalUrl::parse(place).ok()?;
        return (url.path_and_query() == "/").then(|| vec![url.origin().to_owned()]);
    }
    let https = CanonicalUrl::parse(&format!("https://{place}")).ok().filter(|url| url.path_and_query() == "/")?;
    let mut origins = vec![https.origin().to_owned()];
    if guard::is_this_machine(https.host()) {
        origins.push(CanonicalUrl::parse(&format!("http://{place}")).ok()?.origin().to_owned());
    }
    Some(origins)
}

/// `Basic` with user name and password, marked as sensitive so that it is never printed.
pub(super) fn basic(user: &str, password: &str) -> HeaderValue {
    let encoded = BASE64_STANDARD.encode(format!("{user}:{password}"));
    let mut value = HeaderValue::try_from(format!("Basic {encoded}")).expect("base64 is fit for a header");
    value.set_sensitive(true);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn credentials(auth: &[(&str, &str)], headers: &[(&str, &str)], own: &[&str]) -> Credentials {
        let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let settings = FetchSettings { auth: pairs(auth), headers: pairs(headers), ..FetchSettings::default() };
        let mut problems = Vec::new();
        let credentials = Credentials::new(&settings, &mut problems);
        assert_eq!(problems, []);
        own.iter().for_each(|host| credentials.add_own(host));
        credentials
    }

    fn sent(credentials: &Credentials, to: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        credentials.apply(&url(to), &mut headers);
        headers
    }

    #[test]
    fn secrets_never_leave_the_origin_they_were_given_for() {
        let credentials =
            credentials(&[("https://a.example", "me:secret")], &[("x-key", "secret")], &["https://a.example"]);
        let at_home = sent(&credentials, "https://a.example/x");
        assert_eq!(at_home[AUTHORIZATION], "Basic bWU6c2VjcmV0");
        assert_eq!(at_home["x-key"], "secret");
        let elsewhere = [
            "https://b.example/",           // another domain
            "https://www.a.example/",       // a subdomain
            "https://example/",             // the parent
            "https://a.example:8443/",      // another port
            "http://a.example/",            // another scheme
            "https://93.184.216.34/",       // its address instead of its name
            "https://a.example@b.example/", // userinfo that looks like it
            "https://a.example.b.example/",
        ];
        for to in elsewhere {
            assert!(sent(&credentials, to).is_empty(), "{to}");
        }
    }

    #[test]
    fn a_password_for_a_bare_host_goes_over_https_only_except_to_this_machine() {
        let credentials = credentials(&[("a.example", "me:secret"), ("127.0.0.1:8080", "me:secret")], &[], &[]);
        assert!(sent(&credentials, "https://a.example/").contains_key(AUTHORIZATION));
        assert!(sent(&credentials, "http://a.example/").is_empty());
        assert!(sent(&credentials, "http://127.0.0.1:8080/").contains_key(AUTHORIZATION));
        assert!(sent(&credentials, "http://127.0.0.1:8081/").is_empty());
    }

    #[test]
    fn an_own_http_origin_is_also_own_over_https() {
        let credentials = credentials(&[], &[("x-key", "1")], &["http://a.example"]);
        assert!(!sent(&credentials, "http://a.example/").is_empty());
        assert!(!sent(&credentials, "https://a.example/").is_empty());
    }

    #[test]
    fn the_scope_may_grow() {
        let credentials = credentials(&[], &[("x-key", "1")], &["https://a.example"]);
        assert!(sent(&credentials, "https://b.example/").is_empty());
        credentials.add_own("https://b.example");
        assert!(!sent(&credentials, "https://b.example/").is_empty());
    }

    #[test]
    fn all_problems_are_reported_without_passwords() {
        let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let settings = FetchSettings {
            auth: pairs(&[("https://a.example", "secret"), ("https://a.example/path", "me:secret")]),
            headers: pairs(&[("bad name", "x"), ("x-bad", "a\nb"), ("Content-Length", "1")]),
            ..FetchSettings::default()
        };
        let mut problems = Vec::new();
        Credentials::new(&settings, &mut problems);
        assert_eq!(problems.len(), 5);
        assert!(problems.iter().all(|(_, message)| !message.contains("secret")), "{problems:?}");
    }
}
