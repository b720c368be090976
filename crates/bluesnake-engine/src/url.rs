//! URLs: what we fetch, and how we tell that two of them are the same.
//!
//! A [`CanonicalUrl`] can only be made by parsing, so it is always valid: http or https, WHATWG form, no fragment, no
//! userinfo. It is fetched exactly as written. Its [`UrlKey`] is its identity everywhere: in the ledger, in the store
//! and on disk. Grouping rules (trailing slash, `www`, tracking parameters) live elsewhere and never change a URL.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use encoding_rs::{EncoderResult, Encoding, UTF_8};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use crate::secrets::mask_url;
use crate::suffix;

/// The 128-bit fingerprint of a canonical URL: its identity in memory and on disk.
///
/// Spellings that RFC 3986 calls equivalent (`%7e`, `%7E` and `~`) have the same key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey(u128);

impl UrlKey {
    /// The key of a string that already is a canonical URL.
    fn of(canonical: &str) -> Self {
        Self(xxh3_128(equivalent_form(canonical).as_bytes()))
    }

    /// The key as the sixteen bytes a database stores.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    /// The key that [`UrlKey::to_bytes`] wrote.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// 64 evenly distributed bits of the key, for hash tables.
    pub(crate) fn hash_bits(self) -> u64 {
        self.0 as u64
    }
}

impl fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// No request can carry a longer URL. Of longer ones we keep a readable prefix with the length and fingerprint.
pub(crate) const LONGEST: usize = 65_534;
const KEPT_OF_LONGER: usize = 2_000;
/// A percent-encoded ellipsis.
const ELLIPSIS: &str = "%E2%80%A6";

fn shortened(text: String) -> Result<String, UrlProblem> {
    if text.len() <= LONGEST {
        return Ok(text);
    }
    let beginning = text.get(..KEPT_OF_LONGER).filter(|beginning| beginning.matches('/').count() > 2);
    // No host name is this long.
    let beginning = beginning.ok_or(UrlProblem::Malformed)?;
    Ok(format!("{beginning}{ELLIPSIS}{}-bytes-{:?}", text.len(), UrlKey::of(&text)))
}

/// Upper-cases percent-encodings and decodes unreserved characters: the two rewrites that, by RFC 3986 section 6.2.2,
/// never change the meaning of a URL.
fn equivalent_form(canonical: &str) -> Cow<'_, str> {
    if memchr::memchr(b'%', canonical.as_bytes()).is_none() {
        return Cow::Borrowed(canonical);
    }
    let mut form = String::with_capacity(canonical.len());
    let mut rest = canonical;
    while let Some(at) = rest.find('%') {
        form.push_str(&rest[..at]);
        let digits = rest.get(at + 1..at + 3).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(byte) = digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()) else {
            form.push('%');
            rest = &rest[at + 1..];
            continue;
        };
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            form.push(char::from(byte));
        } else {
            form.push_str(&rest[at..at + 3].to_ascii_uppercase());
        }
        rest = &rest[at + 3..];
    }
    form.push_str(rest);
    Cow::Owned(form)
}

/// Why a string is not a URL we can crawl. Its `Display` text is shown to users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum UrlProblem {
    /// The URL parser refused it.
    #[error("it is not a valid URL")]
    Malformed,
    /// `mailto:`, `javascript:`, `data:`, `file:` and the like.
    #[error("only http and https can be crawled")]
    Scheme,
}

/// An http or https URL in its canonical form; two spellings of one URL are equal.
///
/// `Display` never shows credentials, because a canonical URL never holds any.
#[derive(Clone)]
pub struct CanonicalUrl {
    text: Box<str>,
    key: UrlKey,
}

impl CanonicalUrl {
    /// Parses an absolute URL. Fragment and userinfo are removed; see [`userinfo`] for the latter.
    pub fn parse(text: &str) -> Result<Self, UrlProblem> {
        Self::of(Url::parse(text).map_err(|_| UrlProblem::Malformed)?)
    }

    /// Parses user input: ignores surrounding white space and adds `https://` if there is no scheme.
    pub fn from_user_input(text: &str) -> Result<Self, UrlProblem> {
        let text = text.trim();
        if text.is_empty() {
            return Err(UrlProblem::Malformed);
        }
        Self::parse(&with_scheme(text))
    }

    fn of(mut url: Url) -> Result<Self, UrlProblem> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlProblem::Scheme);
        }
        url.set_fragment(None);
        if url.has_authority() && (!url.username().is_empty() || url.password().is_some()) {
            url.set_username("").map_err(|()| UrlProblem::Malformed)?;
            url.set_password(None).map_err(|()| UrlProblem::Malformed)?;
        }
        // The URL standard encodes `^` in paths since 2023; the URL parser does not yet.
        if memchr::memchr(b'^', url.path().as_bytes()).is_some() {
            url.set_path(&url.path().replace('^', "%5E"));
        }
        shortened(url.into()).map(Self::from_stored)
    }

    /// Restores a URL from [`CanonicalUrl::as_str`] without parsing it again.
    pub fn from_stored(text: String) -> Self {
        let key = UrlKey::of(&text);
        Self { text: text.into(), key }
    }

    /// The same, with a known key.
    pub(crate) fn with_key(text: String, key: UrlKey) -> Self {
        debug_assert!(key == UrlKey::of(&text), "{text} has another key");
        Self { text: text.into(), key }
    }

    /// The URL as it is fetched.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the URL is complete; URLs too long for any request are truncated.
    pub fn is_whole(&self) -> bool {
        !self.text.get(KEPT_OF_LONGER..).is_some_and(|rest| rest.starts_with(ELLIPSIS))
    }

    /// Its identity.
    pub fn key(&self) -> UrlKey {
        self.key
    }

    /// Whether the scheme is https.
    pub fn is_https(&self) -> bool {
        self.text.starts_with("https:")
    }

    /// Scheme, host and port: `https://example.com:8080`.
    pub fn origin(&self) -> &str {
        &self.text[..self.path_start()]
    }

    /// Host with a port that is not the scheme's own: `example.com:8080`. The unit of politeness and of projects.
    pub fn authority(&self) -> &str {
        &self.text[self.authority_start()..self.path_start()]
    }

    /// The host alone; an IPv6 address keeps its brackets.
    pub fn host(&self) -> &str {
        split_port(self.authority()).0
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        let default = if self.is_https() { 443 } else { 80 };
        split_port(self.authority()).1.and_then(|port| port.parse().ok()).unwrap_or(default)
    }

    /// Path without query; it starts with a slash.
    pub fn path(&self) -> &str {
        let path_and_query = self.path_and_query();
        path_and_query.split_once('?').map_or(path_and_query, |(path, _)| path)
    }

    /// The query without its question mark.
    pub fn query(&self) -> Option<&str> {
        self.path_and_query().split_once('?').map(|(_, query)| query)
    }

    /// The request target.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path_start()..]
    }

    /// The same origin with another absolute path, for `/robots.txt` and `/sitemap.xml`.
    pub fn at_path(&self, path: &str) -> Self {
        Self::from_stored(format!("{}{path}", self.origin()))
    }

    /// The URL for display and logs: values of secret-looking parameters are masked.
    pub fn for_log(&self) -> Cow<'_, str> {
        mask_url(&self.text)
    }

    fn authority_start(&self) -> usize {
        if self.is_https() { "https://".len() } else { "http://".len() }
    }

    fn path_start(&self) -> usize {
        let start = self.authority_start();
        memchr::memchr(b'/', &self.text.as_bytes()[start..]).map_or(self.text.len(), |at| start + at)
    }
}

pub(crate) fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

impl PartialEq for CanonicalUrl {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for CanonicalUrl {}

impl Hash for CanonicalUrl {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn with_scheme(text: &str) -> Cow<'_, str> {
    let has_scheme = text.split_once(':').is_some_and(|(scheme, rest)| {
        rest.starts_with("//") || matches!(scheme, "mailto" | "javascript" | "data" | "file" | "tel")
    });
    if has_scheme { Cow::Borrowed(text) } else { Cow::Owned(format!("https://{text}")) }
}

/// User input without the user name and password in it.
pub(crate) fn without_userinfo(text: &str) -> Cow<'_, str> {
    let authority = text.find("://").map_or(0, |at| at + 3);
    let end = text[authority..].find(['/', '?', '#']).map_or(text.len(), |at| authority + at);
    match text[authority..end].rfind('@') {
        Some(at) => Cow::Owned(format!("{}{}", &text[..authority], &text[authority + at + 1..])),
        None => Cow::Borrowed(text),
    }
}

/// User name and password from a URL; they apply to that URL's origin only.
pub fn userinfo(text: &str) -> Option<(String, String)> {
    let url = Url::parse(&with_scheme(text.trim())).ok()?;
    let has_any = !url.username().is_empty() || url.password().is_some();
    let plain = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    has_any.then(|| (plain(url.username()), plain(url.password().unwrap_or(""))))
}

/// What relative references on a page are resolved against: its URL, or its `<base href>`.
#[derive(Clone, Debug)]
pub struct Base {
    url: Url,
    /// The encoding of queries; `None` means UTF-8.
    query_encoding: Option<&'static Encoding>,
}

impl Base {
    /// The base of a page without `<base href>`.
    pub fn of(page: &CanonicalUrl) -> Self {
        Self { url: Url::parse(page.as_str()).expect("a canonical URL parses"), query_encoding: None }
    }

    /// The base for references in a document of this encoding, which also encodes the queries of its links.
    #[must_use]
    pub fn in_encoding(self, name: &str) -> Self {
        let encoding = Encoding::for_label(name.as_bytes()).map(Encoding::output_encoding);
        Self { query_encoding: encoding.filter(|encoding| *encoding != UTF_8), ..self }
    }

    pub(crate) fn len(&self) -> usize {
        self.url.as_str().len()
    }

    /// The base after a `<base href>`. One that does not parse is ignored.
    #[must_use]
    pub fn with_href(&self, href: &str) -> Self {
        Self { url: self.resolve(href).unwrap_or_else(|_| self.url.clone()), ..*self }
    }

    /// Resolves a reference as a browser would.
    pub fn join(&self, reference: &str) -> Result<CanonicalUrl, UrlProblem> {
        CanonicalUrl::of(self.resolve(reference).map_err(|_| UrlProblem::Malformed)?)
    }

    fn resolve(&self, reference: &str) -> Result<Url, url::ParseError> {
        let reference = one_authority(reference);
        let options = Url::options().base_url(Some(&self.url));
        match self.query_encoding {
            None => options.parse(&reference),
            Some(encoding) => {
                options.encoding_override(Some(&|query| encoded_query(query, encoding))).parse(&reference)
            }
        }
    }
}

/// Encodes a query in the document's encoding. Unencodable characters become character references, as in forms.
fn encoded_query<'q>(query: &'q str, encoding: &'static Encoding) -> Cow<'q, [u8]> {
    if query.is_ascii() && encoding.is_ascii_compatible() {
        return Cow::Borrowed(query.as_bytes());
    }
    let (mut encoder, mut bytes, mut rest) = (encoding.new_encoder(), Vec::new(), query);
    loop {
        // Large enough that the encoder never runs out of space.
        let most = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(most.unwrap_or(0));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(bytes),
            EncoderResult::Unmappable(missing) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(missing)).as_bytes());
            }
            EncoderResult::OutputFull => {}
        }
    }
}

/// Browsers read `///host/path` as `//host/path`, even with tabs and line breaks in between; the URL parser does not.
fn one_authority(reference: &str) -> Cow<'_, str> {
    let trimmed = trim(reference);
    let path = trimmed.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let slashes = trimmed[..trimmed.len() - path.len()].bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    if slashes > 2 { Cow::Owned(format!("//{path}")) } else { Cow::Borrowed(reference) }
}

/// Strips leading and trailing control characters and spaces, as the URL standard does.
pub(crate) fn trim(reference: &str) -> &str {
    reference.trim_matches(|c: char| c <= ' ')
}

/// The registrable domain of a host by the public suffix list: `example.co.uk` of `a.b.example.co.uk`.
/// IP addresses and single labels are their own domain.
pub fn registrable_domain(host: &str) -> &str {
    if host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    suffix::domain(host.trim_end_matches('.')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(CanonicalUrl::parse(input).unwrap().as_str(), expected, "{input}");
    }

    #[test]
    fn a_canonical_url_has_no_fragment_and_no_userinfo() {
        check("HTTP://User:Secret@Example.COM:80/a/../b?x=1#top", "http://example.com/b?x=1");
        check("https://example.com", "https://example.com/");
        check("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC");
        check("http://example.com//a//index.html", "http://example.com//a//index.html");
    }

    #[test]
    fn a_caret_in_a_path_is_encoded_and_in_a_query_it_is_not() {
        check("https://a.example/x^y/^?a^b", "https://a.example/x%5Ey/%5E?a^b");
        let base = Base::of(&CanonicalUrl::parse("https://a.example/").unwrap());
        assert_eq!(base.join("/x^y").unwrap().as_str(), "https://a.example/x%5Ey");
    }

    #[test]
    fn control_characters_in_references_are_handled_like_browsers() {
        let base = Base::of(&CanonicalUrl::parse("https://a.example/docs/x").unwrap());
        let check = |reference: &str, expected: &str| {
            assert_eq!(base.join(reference).unwrap().as_str(), expected, "{reference:?}");
        };
        check("\u{1}\u{1f} b \u{0}", "https://a.example/docs/b");
        check("/a\u{1}b\u{7f}", "https://a.example/a%01b%7F");
        check("ht\ntps:/\t/b.example\r/c", "https://b.example/c");
        check("\u{1}///b.example/c", "https://b.example/c");
        check("/\t/\n/b.example/c", "https://b.example/c");
    }

    #[test]
    fn a_no_break_space_is_part_of_a_reference() {
        let base = Base::of(&CanonicalUrl::parse("https://a.example/docs/x").unwrap());
        assert_eq!(base.join("\u{a0}///b").unwrap().as_str(), "https://a.example/docs/%C2%A0///b");
        assert_eq!(base.join("/b\u{a0}").unwrap().as_str(), "https://a.example/b%C2%A0");
    }

    #[test]
    fn queries_are_written_in_the_encoding_of_the_document() {
        let page = CanonicalUrl::parse("https://a.example/").unwrap();
        let check = |encoding: &str, reference: &str, expected: &str| {
            let base = Base::of(&page).in_encoding(encoding);
            assert_eq!(base.join(reference).unwrap().path_and_query(), expected, "{encoding} {reference}");
        };
        check("UTF-8", "/ü?q=ü", "/%C3%BC?q=%C3%BC");
        check("windows-1252", "/ü?q=ü", "/%C3%BC?q=%FC");
        check("windows-1251", "?q=поиск", "/?q=%EF%EE%E8%F1%EA");
        check("Shift_JIS", "?q=検索&x=1", "/?q=%8C%9F%8D%F5&x=1");
        check("windows-1252", "?q=a字b", "/?q=a%26%2323383%3Bb");
        check("UTF-16LE", "?q=ü", "/?q=%C3%BC");
        check("windows-1252", "?q=%E2%82%AC", "/?q=%E2%82%AC");
    }

    #[test]
    fn only_http_and_https_are_accepted() {
        for other in ["mailto:a@b.c", "javascript:void(0)", "data:text/html,x", "file:///etc/passwd", "ftp://a/"] {
            assert_eq!(CanonicalUrl::parse(other).unwrap_err(), UrlProblem::Scheme, "{other}");
        }
        assert_eq!(CanonicalUrl::parse("http://").unwrap_err(), UrlProblem::Malformed);
    }

    #[test]
    fn equivalent_spellings_share_a_key_and_others_do_not() {
        let key = |text: &str| CanonicalUrl::parse(text).unwrap().key();
        assert_eq!(key("http://a/%7euser/%c3%bc"), key("http://A:80/~user/%C3%BC#x"));
        assert_ne!(key("http://a/%2Fb"), key("http://a//b"), "an encoded slash is another path");
        assert_ne!(key("http://a/b"), key("http://a/b/"));
        assert_ne!(key("http://a/b?"), key("http://a/b"));
        assert_ne!(key("http://a/%+f"), key("http://a/%+F"), "that is no percent-encoding");
    }

    #[test]
    fn a_url_of_megabytes_is_not_kept_whole_but_keeps_its_identity() {
        let long = |end: &str| CanonicalUrl::parse(&format!("http://a.example/{}{end}", "x".repeat(9 << 20))).unwrap();
        let url = long("?a");
        assert!(!url.is_whole() && url.as_str().len() < 2_100 && url.as_str().contains("9437203-bytes-"), "{url}");
        assert_eq!((url.host(), url.path().starts_with("/xxx")), ("a.example", true));
        assert_eq!(url, long("?a"));
        assert_ne!(url, long("?b"));
        assert_eq!(CanonicalUrl::from_stored(url.to_string()), url, "read back from a store");
        assert_eq!(CanonicalUrl::parse(url.as_str()).unwrap().as_str(), url.as_str());
        let host = format!("http://{}.example/", "a.".repeat(50_000));
        assert_eq!(CanonicalUrl::parse(&host).unwrap_err(), UrlProblem::Malformed);
        let longest = CanonicalUrl::parse(&format!("http://a.example/{}", "x".repeat(LONGEST - 17))).unwrap();
        assert!(longest.is_whole() && longest.as_str().len() == LONGEST);
    }

    #[test]
    fn the_parts_of_a_url_are_found_without_parsing_it_again() {
        let url = CanonicalUrl::parse("https://[2001:db8::1]:8443/a/b?c=d/e").unwrap();
        assert_eq!((url.host(), url.port()), ("[2001:db8::1]", 8443));
        assert_eq!((url.path(), url.query()), ("/a/b", Some("c=d/e")));
        assert_eq!(url.origin(), "https://[2001:db8::1]:8443");
        let url = CanonicalUrl::parse("http://example.com").unwrap();
        assert_eq!((url.host(), url.port(), url.authority()), ("example.com", 80, "example.com"));
    }

    #[test]
    fn people_may_leave_the_scheme_out() {
        let typed = |text: &str| CanonicalUrl::from_user_input(text).map(|url| url.to_string());
        assert_eq!(typed("  Example.com/Docs ").unwrap(), "https://example.com/Docs");
        assert_eq!(typed("localhost:8080").unwrap(), "https://localhost:8080/");
        assert_eq!(typed("http://a.b/").unwrap(), "http://a.b/");
        assert!(typed("mailto:me@example.com").is_err());
        assert!(typed("").is_err());
    }

    #[test]
    fn registrable_domains_follow_the_public_suffix_list() {
        let check = |host, expected| assert_eq!(registrable_domain(host), expected);
        check("a.b.example.co.uk", "example.co.uk");
        check("www.example.com", "example.com");
        check("127.0.0.1", "127.0.0.1");
        check("localhost", "localhost");
    }
}
