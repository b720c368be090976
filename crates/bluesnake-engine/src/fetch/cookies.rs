//! The cookies of one crawl.
//!
//! RFC 6265 with the rules of current browsers: no cookies for public suffixes or other hosts; `Secure` and the name
//! prefixes are respected. Each registrable domain has its own jar. The order of cookies in a request is fixed.
//! Cookies given by the operator go only to the crawl's own hosts.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use cookie_store::{Cookie, CookieStore, RawCookie};
use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};
use url::Url;

use super::Problems;
use super::guard;
use crate::plan::FetchSettings;
use crate::suffix::public_suffix;
use crate::url::{CanonicalUrl, registrable_domain};

/// The limit of browsers.
const MAX_COOKIE_BYTES: usize = 4096;
const MAX_PER_DOMAIN: usize = 180;
const MAX_DOMAINS: usize = 10_000;
/// Most servers refuse more in one request.
const MAX_HEADER_BYTES: usize = 16 * 1024;

/// The jars of one crawl.
pub(super) struct Cookies {
    is_kept: bool,
    initial: Vec<(String, String)>,
    jars: Mutex<HashMap<Box<str>, CookieStore>>,
    has_any: AtomicBool,
}

/// The `Cookie` header of a request after a response with these headers, for fuzzing.
pub fn cookie_header_after(url: &CanonicalUrl, headers: &HeaderMap) -> Option<HeaderValue> {
    let cookies =
        Cookies { is_kept: true, initial: Vec::new(), jars: Mutex::default(), has_any: AtomicBool::new(false) };
    cookies.keep(url, headers);
    cookies.header(url, true)
}

impl Cookies {
    pub(super) fn new(settings: &FetchSettings, problems: &mut Problems) -> Self {
        Self {
            is_kept: settings.cookies,
            initial: settings.initial_cookies.iter().filter_map(|text| initial_cookie(text, problems)).collect(),
            jars: Mutex::default(),
            has_any: AtomicBool::new(false),
        }
    }

    /// Whether the operator gave cookies for the crawl's own hosts.
    pub(super) fn has_initial(&self) -> bool {
        !self.initial.is_empty()
    }

    /// The `Cookie` header of a request.
    pub(super) fn header(&self, url: &CanonicalUrl, is_own: bool) -> Option<HeaderValue> {
        let has_any = self.has_any.load(Ordering::Relaxed);
        let initial: &[(String, String)] = if is_own { &self.initial } else { &[] };
        if !has_any && initial.is_empty() {
            return None;
        }
        let kept = if has_any { self.matching(url) } else { Vec::new() };
        let is_replaced = |name: &str| kept.iter().any(|(kept, _)| kept == name);
        let initial = initial.iter().filter(|(name, _)| !is_replaced(name));
        let mut header = String::new();
        for (name, value) in initial.chain(&kept) {
            if header.len() + name.len() + value.len() > MAX_HEADER_BYTES {
                break;
            }
            if !header.is_empty() {
                header.push_str("; ");
            }
            header.push_str(name);
            header.push('=');
            header.push_str(value);
        }
        let mut header = HeaderValue::try_from(header).ok().filter(|header| !header.is_empty())?;
        header.set_sensitive(true);
        Some(header)
    }

    /// Stores the cookies that a response sets.
    pub(super) fn keep(&self, url: &CanonicalUrl, headers: &HeaderMap) {
        if !self.is_kept || !headers.contains_key(SET_COOKIE) {
            return;
        }
        let Ok(parsed) = Url::parse(url.as_str()) else { return };
        let accepted = headers.get_all(SET_COOKIE).iter().filter_map(|value| accepted(value.to_str().ok()?, url));
        let mut jars = self.jars.lock().expect("no panic happens while cookies are kept");
        let domain = registrable_domain(url.host());
        if !jars.contains_key(domain) && jars.len() >= MAX_DOMAINS {
            return;
        }
        let jar = jars.entry(domain.into()).or_default();
        for cookie in accepted {
            if has_room(jar, cookie.name()) && jar.insert_raw(&cookie, &parsed).is_ok() {
                self.has_any.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Names and values for a URL: longer paths first, as RFC 6265 requires, then by name, so that runs are
    /// identical.
    fn matching(&self, url: &CanonicalUrl) -> Vec<(String, String)> {
        let jars = self.jars.lock().expect("no panic happens while cookies are kept");
        let Some(jar) = jars.get(registrable_domain(url.host())) else { return Vec::new() };
        let Ok(url) = Url::parse(url.as_str()) else { return Vec::new() };
        let mut cookies: Vec<&Cookie<'_>> = jar.matches(&url);
        cookies.sort_by_key(|cookie| (std::cmp::Reverse(cookie.path.len()), cookie.name()));
        cookies.into_iter().map(|cookie| (cookie.name().to_owned(), cookie.value().to_owned())).collect()
    }
}

/// A full jar accepts no new names; existing cookies may change.
fn has_room(jar: &mut CookieStore, name: &str) -> bool {
    if jar.iter_any().count() < MAX_PER_DOMAIN {
        return true;
    }
    forget_expired(jar);
    jar.iter_any().count() < MAX_PER_DOMAIN || jar.iter_any().any(|cookie| cookie.name() == name)
}

/// The jar keeps expired cookies until they are removed.
fn forget_expired(jar: &mut CookieStore) {
    let place =
        |cookie: &Cookie<'_>| (String::from(&cookie.domain), String::from(&cookie.path), cookie.name().to_owned());
    let expired: Vec<_> = jar.iter_any().filter(|cookie| cookie.is_expired()).map(place).collect();
    for (domain, path, name) in expired {
        jar.remove(&domain, &path, &name);
    }
}

/// The cookie of a `Set-Cookie` line, if this host may set it.
fn accepted(line: &str, url: &CanonicalUrl) -> Option<RawCookie<'static>> {
    if line.len() > MAX_COOKIE_BYTES {
        return None;
    }
    let mut cookie = RawCookie::parse(line.to_owned()).ok()?;
    let is_secure = cookie.secure() == Some(true);
    let keeps_secure = !is_secure || url.is_https();
    // The prefixes are case-insensitive, so that another spelling cannot fool a server.
    let has_prefix =
        |prefix: &str| cookie.name().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let keeps_prefix = if has_prefix("__Host-") {
        is_secure && cookie.domain().is_none() && cookie.path() == Some("/")
    } else {
        is_secure || !has_prefix("__Secure-")
    };
    if !keeps_secure || !keeps_prefix {
        return None;
    }
    let Some(domain) = domain_attribute(line) else { return Some(cookie) };
    let is_address = guard::literal(url.host()).is_some();
    let name = domain.trim_matches('.').to_ascii_lowercase();
    if !is_address && !is_public_suffix(&name) {
        cookie.set_domain(name);
    } else if (if is_address { domain } else { &name }) == url.host() {
        cookie.unset_domain();
    } else {
        return None;
    }
    Some(cookie)
}

/// The last non-empty `Domain`, unchanged; the cookie library strips its leading dot.
fn domain_attribute(line: &str) -> Option<&str> {
    let attributes = line.split(';').skip(1).filter_map(|attribute| attribute.split_once('='));
    let domains = attributes.filter(|(name, _)| name.trim().eq_ignore_ascii_case("domain"));
    domains.map(|(_, value)| value.trim()).filter(|value| !value.is_empty()).last()
}

fn is_public_suffix(domain: &str) -> bool {
    public_suffix(domain) == Some(domain)
}

fn initial_cookie(text: &str, problems: &mut Problems) -> Option<(String, String)> {
    let is_value = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';' || byte == b' ');
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && is_value(name) && is_value(value) => {
            Some((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => {
            // Without a name, the whole text is the secret.
            let which = text.split_once('=').map_or("a cookie".to_owned(), |(name, _)| format!("`{name}`"));
            problems.push(("fetch.initial_cookies", format!("{which} is not of the form NAME=VALUE")));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn cookies(initial: &[&str]) -> Cookies {
        let initial_cookies = initial.iter().map(|text| (*text).to_owned()).collect();
        Cookies::new(&FetchSettings { initial_cookies, ..FetchSettings::default() }, &mut Vec::new())
    }

    fn set(cookies: &Cookies, from: &str, line: &str) {
        let mut headers = HeaderMap::new();
        headers.append(SET_COOKIE, HeaderValue::try_from(line).unwrap());
        cookies.keep(&url(from), &headers);
    }

    fn sent(cookies: &Cookies, to: &str) -> String {
        cookies.header(&url(to), false).map_or_else(String::new, |header| header.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_cookie_goes_back_to_the_host_that_set_it_and_to_no_other() {
        let cookies = cookies(&[]);
        set(&cookies, "https://a.example/", "id=1");
        assert_eq!(sent(&cookies, "https://a.example/x"), "id=1");
        for other in ["https://www.a.example/", "https://b.example/", "https://example/"] {
            assert_eq!(sent(&cookies, other), "", "{other}");
        }
    }

    #[test]
    fn a_cookie_for_a_domain_goes_to_its_subdomains() {
        let cookies = cookies(&[]);
        set(&cookies, "https://www.a.example/", "id=1; Domain=.A.example");
        assert_eq!(sent(&cookies, "https://shop.a.example/"), "id=1");
        assert_eq!(sent(&cookies, "https://nota.example/"), "");
    }

    #[test]
    fn cookies_for_public_suffixes_or_other_hosts_are_refused() {
        let check = |from: &str, domain: &str, to: &str| {
            let cookies = cookies(&[]);
            set(&cookies, from, &format!("id=1; Domain={domain}"));
            assert_eq!(sent(&cookies, to), "", "{domain} from {from}");
        };
        check("https://a.co.uk/", "co.uk", "https://a.co.uk/");
        check("https://a.co.uk/", "CO.UK", "https://b.co.uk/");
        check("https://a.com/", "com", "https://a.com/");
        check("https://me.github.io/", "github.io", "https://you.github.io/");
        check("http://127.0.0.1/", ".127.0.0.1", "http://127.0.0.1/");
        check("http://127.0.0.1/", "0.0.1", "http://127.0.0.1/");
        check("https://a.example/", "b.example", "https://b.example/");
        check("https://a.example/", "www.a.example", "https://www.a.example/");
    }

    #[test]
    fn a_public_suffix_may_set_cookies_for_itself_alone() {
        let cookies = cookies(&[]);
        set(&cookies, "https://github.io/", "id=1; Domain=github.io");
        assert_eq!(sent(&cookies, "https://github.io/"), "id=1");
        assert_eq!(sent(&cookies, "https://you.github.io/"), "");
    }

    #[test]
    fn secure_cookies_are_set_and_sent_over_https_only() {
        let cookies = cookies(&[]);
        set(&cookies, "https://a.example/", "id=1; Secure");
        set(&cookies, "http://a.example/", "forged=1; Secure");
        assert_eq!(sent(&cookies, "https://a.example/"), "id=1");
        assert_eq!(sent(&cookies, "http://a.example/"), "");
    }

    #[test]
    fn the_prefixes_of_names_are_promises() {
        let check = |from: &str, line: &str, expected: &str| {
            let cookies = cookies(&[]);
            set(&cookies, from, line);
            assert_eq!(sent(&cookies, "https://a.example/"), expected, "{line}");
        };
        check("https://a.example/", "__Host-id=1; Secure; Path=/", "__Host-id=1");
        check("https://a.example/", "__Host-id=1; Secure", "");
        check("https://a.example/", "__host-id=1; Secure; Path=/; Domain=a.example", "");
        check("https://a.example/", "__Secure-id=1", "");
        check("https://a.example/", "__Secure-id=1; Secure", "__Secure-id=1");
        check("http://a.example/", "__Secure-id=1; Secure", "");
    }

    #[test]
    fn expired_cookies_are_forgotten_and_paths_are_kept() {
        let cookies = cookies(&[]);
        set(&cookies, "https://a.example/", "b=1; Path=/");
        set(&cookies, "https://a.example/", "a=2; Path=/");
        set(&cookies, "https://a.example/", "deep=3; Path=/docs");
        assert_eq!(sent(&cookies, "https://a.example/docs/x"), "deep=3; a=2; b=1");
        assert_eq!(sent(&cookies, "https://a.example/document"), "a=2; b=1");
        set(&cookies, "https://a.example/", "a=2; Path=/; Max-Age=0");
        assert_eq!(sent(&cookies, "https://a.example/"), "b=1");
    }

    #[test]
    fn the_operators_cookies_go_to_own_hosts_until_the_site_sets_them_anew() {
        let cookies = cookies(&["session=operator"]);
        let header =
            |url: &CanonicalUrl, is_own| cookies.header(url, is_own).map(|header| header.to_str().unwrap().to_owned());
        assert_eq!(header(&url("https://a.example/"), true).unwrap(), "session=operator");
        assert_eq!(header(&url("https://b.example/"), false), None);
        set(&cookies, "https://a.example/", "session=site");
        assert_eq!(header(&url("https://a.example/"), true).unwrap(), "session=site");
    }

    #[test]
    fn a_flood_of_cookies_is_cut() {
        let cookies = cookies(&[]);
        set(&cookies, "https://a.example/", &format!("big={}", "x".repeat(5_000)));
        assert_eq!(sent(&cookies, "https://a.example/"), "");
        for number in 0..1_000 {
            set(&cookies, "https://a.example/", &format!("c{number}={}", "x".repeat(1_000)));
        }
        assert!(sent(&cookies, "https://a.example/").len() <= MAX_HEADER_BYTES);
    }

    #[test]
    fn cookies_that_come_and_go_do_not_fill_the_jar() {
        let cookies = cookies(&[]);
        for number in 0..1_000 {
            set(&cookies, "https://a.example/", &format!("c{number}=1"));
            set(&cookies, "https://a.example/", &format!("c{number}=1; Max-Age=0"));
        }
        set(&cookies, "https://a.example/", "id=1");
        assert_eq!(sent(&cookies, "https://a.example/"), "id=1");
    }
}
