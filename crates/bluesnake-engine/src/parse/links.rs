//! Collects links: resolves references, applies limits, records what is unusable.
//!
//! `Links` receives references one by one in document order. Which attribute holds a reference, and its kind, is
//! decided in [`crate::parse::html`]; whether it is followed, in [`crate::admit`].

use std::borrow::Cow;
use std::sync::Arc;

use crate::link::{Link, LinkKind, LinkOrigin, PathType, Position, Rel};
use crate::parse::facts::{SchemeCounts, Unusable};
use crate::parse::text::cut;
pub(crate) use crate::url::trim;
use crate::url::{Base, CanonicalUrl, LONGEST, UrlProblem};

/// How much of an unusable reference to keep.
const UNUSABLE_CHARS: usize = 200;
/// How many bytes of resolved URLs a document may have: a fixed part, and a part per byte of the document.
///
/// References are resolved against a base that may be thousands of times as long as they are. Real documents need a
/// small fraction of this.
const TARGET_BYTES: usize = 4 << 20;
const TARGET_BYTES_PER_BYTE: usize = 4;
/// Approximate bytes of a page per link.
const BYTES_PER_LINK: usize = 256;
/// Maximum initial capacity, in links.
const ROOM_AT_FIRST: usize = 1_000;

/// Where a link is and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) kind: LinkKind,
    pub(crate) rel: Rel,
    pub(crate) position: Position,
    pub(crate) text: Box<str>,
}

/// The links of a document while it is read.
#[derive(Debug)]
pub(crate) struct Links {
    resolver: Resolver,
    pub(crate) found: Vec<Link>,
    limit: usize,
    /// How many more bytes of URLs may be resolved.
    bytes_left: usize,
    /// Links beyond these limits.
    pub(crate) cut: usize,
    pub(crate) unusable: Vec<Unusable>,
    pub(crate) unusable_count: usize,
    /// Different hyperlinks that lead nowhere, as written.
    pub(crate) uncrawlable: Vec<String>,
    pub(crate) schemes: SchemeCounts,
}

impl Links {
    /// For a document of this length. A limit of 0 keeps all links, as long as their URLs are not much longer than
    /// the document.
    pub(crate) fn new(resolver: Resolver, limit: usize, document_bytes: usize) -> Self {
        let limit = if limit == 0 { usize::MAX } else { limit };
        Self {
            resolver,
            found: Vec::with_capacity((document_bytes / BYTES_PER_LINK).min(ROOM_AT_FIRST)),
            limit,
            bytes_left: target_bytes(document_bytes),
            cut: 0,
            unusable: Vec::new(),
            unusable_count: 0,
            uncrawlable: Vec::new(),
            schemes: SchemeCounts::default(),
        }
    }

    /// Resolves a reference; one that we cannot crawl is recorded and returns `None`. Once the document's URLs exceed
    /// the byte limit, nothing more is resolved.
    pub(crate) fn resolve(&mut self, reference: &str) -> Option<CanonicalUrl> {
        if self.bytes_left == 0 {
            self.cut += 1;
            return None;
        }
        let reference = trim(reference);
        match self.resolver.resolve(reference) {
            Ok(url) => self.charge(url, reference),
            Err(UrlProblem::Scheme) => {
                self.count_scheme(reference);
                None
            }
            Err(UrlProblem::Malformed) => {
                self.note_unusable(reference);
                None
            }
        }
    }

    /// The same for a hyperlink, which visitors expect to lead somewhere: scripts and malformed URLs are kept.
    pub(crate) fn resolve_hyperlink(&mut self, reference: &str) -> Option<CanonicalUrl> {
        let before = (self.schemes.javascript, self.unusable_count);
        let resolved = self.resolve(reference);
        if resolved.is_none()
            && before != (self.schemes.javascript, self.unusable_count)
            && self.uncrawlable.len() < super::facts::Page::UNCRAWLABLE
        {
            let reference = cut(trim(reference), UNUSABLE_CHARS);
            if !self.uncrawlable.iter().any(|known| known == reference) {
                self.uncrawlable.push(reference.to_owned());
            }
        }
        resolved
    }

    /// Counts the bytes of a resolved reference.
    fn charge(&mut self, url: CanonicalUrl, reference: &str) -> Option<CanonicalUrl> {
        let bytes = if url.is_whole() { url.as_str().len() } else { self.resolver.base.len() + reference.len() };
        match self.bytes_left.checked_sub(bytes) {
            Some(left) => {
                self.bytes_left = left;
                Some(url)
            }
            None => {
                (self.bytes_left, self.cut) = (0, self.cut + 1);
                None
            }
        }
    }

    /// Keeps a link and returns its index, unless the limit is reached.
    pub(crate) fn add(
        &mut self,
        target: CanonicalUrl,
        path_type: PathType,
        place: Place,
        dom_path: Arc<str>,
    ) -> Option<usize> {
        if self.found.len() >= self.limit {
            self.cut += 1;
            return None;
        }
        let Place { kind, rel, position, text } = place;
        let origin = LinkOrigin::Html;
        let context = Box::default();
        self.found.push(Link { target, kind, rel, path_type, position, origin, text, context, dom_path });
        Some(self.found.len() - 1)
    }

    /// Resolves against a `<base href>` from now on.
    pub(crate) fn rebase(&mut self, href: &str) -> Option<CanonicalUrl> {
        let (resolver, base) = self.resolver.clone().with_base(href);
        self.resolver = resolver;
        base
    }

    /// Whether nothing has been resolved yet.
    pub(crate) fn is_untouched(&self) -> bool {
        self.found.is_empty() && self.unusable_count == 0 && self.cut == 0
    }

    /// What references are resolved against.
    pub(crate) fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    fn count_scheme(&mut self, reference: &str) {
        let counts = &mut self.schemes;
        // Browsers ignore tabs and line breaks in a URL, even in its scheme.
        let mut scheme: String = reference.chars().take(64).filter(|c| !c.is_ascii_control()).collect();
        scheme.truncate(scheme.find(':').unwrap_or(0));
        scheme.make_ascii_lowercase();
        *match scheme.as_str() {
            "mailto" => &mut counts.mailto,
            "tel" => &mut counts.tel,
            "javascript" => &mut counts.javascript,
            "data" => &mut counts.data,
            _ => &mut counts.other,
        } += 1;
    }

    fn note_unusable(&mut self, reference: &str) {
        self.unusable_count += 1;
        if self.unusable.len() < super::facts::Page::UNUSABLE {
            self.unusable
                .push(Unusable { href: cut(reference, UNUSABLE_CHARS).to_owned(), why: UrlProblem::Malformed });
        }
    }
}

/// How many bytes of resolved URLs a document of this length may have.
pub(crate) fn target_bytes(document_bytes: usize) -> usize {
    document_bytes.saturating_mul(TARGET_BYTES_PER_BYTE).saturating_add(TARGET_BYTES)
}

/// Resolves references against the page's base.
///
/// Most references on real pages consist of plain characters only. For these the result is a prefix of the base
/// followed by the reference; all others go through the URL parser.
#[derive(Clone, Debug)]
pub(crate) struct Resolver {
    base: Base,
    url: CanonicalUrl,
    path_start: usize,
    /// Where the last path segment starts.
    name_start: usize,
    path_end: usize,
}

impl Resolver {
    pub(crate) fn of(page: &CanonicalUrl) -> Self {
        Self::against(Base::of(page), page.clone())
    }

    /// For references in a document of this encoding.
    pub(crate) fn in_encoding(self, name: &str) -> Self {
        Self { base: self.base.in_encoding(name), ..self }
    }

    /// After a `<base href>`. One that we cannot crawl is ignored.
    pub(crate) fn with_base(self, href: &str) -> (Self, Option<CanonicalUrl>) {
        match self.base.join(trim(href)) {
            Ok(url) => (Self::against(self.base.with_href(trim(href)), url.clone()), Some(url)),
            Err(_) => (self, None),
        }
    }

    fn against(base: Base, url: CanonicalUrl) -> Self {
        let path_start = url.origin().len();
        let name_start = path_start + url.path().rfind('/').map_or(0, |slash| slash + 1);
        let path_end = path_start + url.path().len();
        Self { base, url, path_start, name_start, path_end }
    }

    /// Resolves a trimmed reference as a browser would.
    pub(crate) fn resolve(&self, reference: &str) -> Result<CanonicalUrl, UrlProblem> {
        if let Some(url) = self.resolve_plain(reference) {
            return Ok(url);
        }
        match scheme(reference) {
            Some(scheme) if !is_web(scheme) => Err(UrlProblem::Scheme),
            _ => self.base.join(reference),
        }
    }

    fn resolve_plain(&self, reference: &str) -> Option<CanonicalUrl> {
        let base = self.url.as_str();
        if base.len() + reference.len() > LONGEST {
            return None;
        }
        match reference.as_bytes().first()? {
            b'/' => match reference.strip_prefix("//") {
                Some(rest) => plain_absolute(if self.url.is_https() { HTTPS } else { HTTP }, rest),
                None => Some(joined(&base[..self.path_start], plain_path(reference)?)),
            },
            b'h' if reference.starts_with(HTTPS) => plain_absolute(HTTPS, &reference[HTTPS.len()..]),
            b'h' if reference.starts_with(HTTP) => plain_absolute(HTTP, &reference[HTTP.len()..]),
            // Only the beginning of an overlong base is known here.
            _ if !self.url.is_whole() => None,
            b'?' => Some(joined(&base[..self.path_end], plain_path(reference)?)),
            // A fragment-only reference leads to the base with its query.
            b'#' => None,
            b'.' => {
                let (directory, rest) = self.climb(reference);
                Some(joined(directory, plain_path(rest)?))
            }
            _ if may_have_scheme(reference) => None,
            _ => Some(joined(&base[..self.name_start], plain_path(reference)?)),
        }
    }

    /// Strips leading `./` and `../`; returns the resulting directory and the rest.
    fn climb<'r>(&self, reference: &'r str) -> (&str, &'r str) {
        let path = &self.url.as_str()[self.path_start..self.name_start];
        let (mut directory, mut rest) = (path, reference);
        loop {
            if let Some(below) = rest.strip_prefix("./") {
                rest = below;
            } else if let Some(above) = rest.strip_prefix("../") {
                rest = above;
                let name_end = directory.len().saturating_sub(1);
                directory = &directory[..directory[..name_end].rfind('/').map_or(1, |slash| slash + 1)];
            } else {
                return (&self.url.as_str()[..self.path_start + directory.len()], rest);
            }
        }
    }
}

const HTTPS: &str = "https://";
const HTTP: &str = "http://";

fn may_have_scheme(reference: &str) -> bool {
    let end_of_scheme = reference.bytes().find(|byte| matches!(byte, b':' | b'/' | b'?' | b'#'));
    end_of_scheme == Some(b':')
}

/// The scheme with the host and path of `rest`, if both are plain.
fn plain_absolute(scheme: &str, rest: &str) -> Option<CanonicalUrl> {
    let host_end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    let (host, after) = rest.split_at(host_end);
    if !is_plain_host(host) {
        return None;
    }
    let path = match after.as_bytes().first() {
        Some(b'/') => plain_path(after)?,
        Some(_) => return None,
        None => "/",
    };
    let mut url = String::with_capacity(scheme.len() + host.len() + path.len());
    for part in [scheme, host, path] {
        url.push_str(part);
    }
    Some(CanonicalUrl::from_stored(url))
}

fn joined(start: &str, end: &str) -> CanonicalUrl {
    let mut url = String::with_capacity(start.len() + end.len());
    url.push_str(start);
    url.push_str(end);
    CanonicalUrl::from_stored(url)
}

/// Whether a host name is already canonical: lower case, not numeric like an IP address, no IDNA.
fn is_plain_host(host: &str) -> bool {
    let is_plain_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'.' || byte == b'-';
    let last_label = host.rsplit('.').next().unwrap_or("");
    last_label.bytes().next().is_some_and(|first| first.is_ascii_lowercase())
        && host.bytes().all(is_plain_byte)
        && !host.starts_with(['.', '-'])
        && !host.contains("..")
        && !host.contains("--")
}

/// Characters the URL parser leaves unchanged in a path, except for the dot, which needs another look.
static PLAIN_IN_PATH: [bool; 256] = letters_digits_and(b"-_~!$&'()*+,;=:@/");
/// Characters the URL parser leaves unchanged in a query.
static PLAIN_IN_QUERY: [bool; 256] = letters_digits_and(b"-._~!$&()*+,;=:@/?%");

const fn letters_digits_and(more: &[u8]) -> [bool; 256] {
    let (mut plain, mut byte, mut at) = ([false; 256], 0, 0);
    while byte < 128 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    while at < more.len() {
        plain[more[at] as usize] = true;
        at += 1;
    }
    plain
}

/// Path and query without the fragment, if the URL parser would leave them unchanged.
fn plain_path(reference: &str) -> Option<&str> {
    let bytes = reference.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|&byte| !PLAIN_IN_PATH[usize::from(byte)]).unwrap_or(bytes.len() - at);
        match bytes.get(at) {
            None => return Some(reference),
            Some(b'?') => return plain_query(reference, at),
            Some(b'#') => return Some(&reference[..at]),
            // A segment that begins with a dot may be `.` or `..`.
            Some(b'.') if at > 0 && bytes[at - 1] != b'/' => at += 1,
            Some(_) => return None,
        }
    }
}

fn plain_query(reference: &str, start: usize) -> Option<&str> {
    let query = &reference.as_bytes()[start..];
    let length = query.iter().position(|&byte| !PLAIN_IN_QUERY[usize::from(byte)]).unwrap_or(query.len());
    match query.get(length) {
        None | Some(b'#') => Some(&reference[..start + length]),
        Some(_) => None,
    }
}

/// The scheme that a reference begins with.
fn scheme(reference: &str) -> Option<&str> {
    let end = reference.bytes().position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)))?;
    let is_scheme = reference.as_bytes()[end] == b':' && reference.as_bytes()[0].is_ascii_alphabetic();
    is_scheme.then(|| &reference[..end])
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Whether a reference is an http or https URL or starts at the site's root: the only strings in JSON we trust.
pub(crate) fn is_sure_reference(reference: &str) -> bool {
    reference.starts_with('/') || scheme(reference).is_some_and(is_web)
}

/// The flags in a `rel` attribute.
pub(crate) fn rel_flags(rel: &str) -> Rel {
    let mut flags = Rel::default();
    for word in rel.split_ascii_whitespace() {
        let flag = match word.len() {
            3 if word.eq_ignore_ascii_case("ugc") => Rel::UGC,
            8 if word.eq_ignore_ascii_case("nofollow") => Rel::NOFOLLOW,
            8 if word.eq_ignore_ascii_case("noopener") => Rel::NOOPENER,
            9 if word.eq_ignore_ascii_case("sponsored") => Rel::SPONSORED,
            10 if word.eq_ignore_ascii_case("noreferrer") => Rel::NOREFERRER,
            _ => continue,
        };
        flags = flags.and(flag);
    }
    flags
}

/// Whether a `target` opens another window.
pub(crate) fn opens_window(target: &str) -> bool {
    !target.is_empty() && !["_self", "_parent", "_top"].iter().any(|own| own.eq_ignore_ascii_case(target))
}

/// The references of a `srcset`, by the standard's algorithm: a URL may contain commas, but not end with one.
pub(crate) fn srcset(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (candidate, after) = rest.split_at(end);
        let reference = candidate.trim_end_matches(',');
        rest = if reference.len() < candidate.len() { after } else { skip_descriptors(after) };
        (!reference.is_empty()).then_some(reference)
    })
}

/// What follows the comma that ends a candidate's descriptors, ignoring commas in parentheses.
fn skip_descriptors(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// The delay and the reference of a refresh, by the standard's algorithm: `5; url='x'`, `0,x`, `5`.
pub(crate) fn refresh(content: &str) -> Option<(u32, Option<Cow<'_, str>>)> {
    let content = content.trim_ascii_start();
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !content.starts_with('.') {
        return None;
    }
    let seconds = content[..digits].parse().unwrap_or(if digits == 0 { 0 } else { u32::MAX });
    let rest = content[digits..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.is_empty() && !rest.starts_with(|c: char| c == ';' || c == ',' || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    Some((seconds, refresh_reference(rest)))
}

fn refresh_reference(text: &str) -> Option<Cow<'_, str>> {
    let named = text
        .get(..3)
        .filter(|word| word.eq_ignore_ascii_case("url"))
        .and_then(|_| text[3..].trim_ascii_start().strip_prefix('='));
    let reference = named.map_or(text, str::trim_ascii_start);
    let unquoted = match reference.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => reference[1..].split(char::from(*quote)).next().unwrap_or(""),
        _ => reference,
    };
    (!text.is_empty()).then_some(Cow::Borrowed(unquoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolver(page: &str) -> Resolver {
        Resolver::of(&CanonicalUrl::parse(page).unwrap())
    }

    #[test]
    fn references_are_resolved_against_the_page() {
        let page = resolver("https://a.example/docs/x?y=1");
        let check = |reference, expected: &str| {
            assert_eq!(page.resolve(reference).map(|url| url.to_string()).as_deref(), Ok(expected), "{reference}");
        };
        check("/b", "https://a.example/b");
        check("b/c.html?d=%20#e", "https://a.example/docs/b/c.html?d=%20");
        check("../b", "https://a.example/b");
        check("./b", "https://a.example/docs/b");
        check("?z", "https://a.example/docs/x?z");
        check("", "https://a.example/docs/x?y=1");
        check("//b.example", "https://b.example/");
        check("http://B.example/x y", "http://b.example/x%20y");
        check("https://b.example/%2e%2e/c", "https://b.example/c");
        check("https://127.1/", "https://127.0.0.1/");
        check("https:b", "https://a.example/docs/b");
    }

    #[test]
    fn a_base_counts_only_if_it_is_a_url() {
        let page = resolver("https://a.example/docs/x");
        let (moved, base) = page.clone().with_base(" /other/ ");
        assert_eq!(base.unwrap().as_str(), "https://a.example/other/");
        assert_eq!(moved.resolve("b").unwrap().as_str(), "https://a.example/other/b");
        let (same, base) = page.with_base("data:x");
        assert_eq!((same.resolve("b").unwrap().as_str(), base), ("https://a.example/docs/b", None));
    }

    #[test]
    fn schemes_that_are_not_crawled_are_counted_and_nonsense_is_kept() {
        let mut links = Links::new(resolver("http://a.example/"), 0, 0);
        for reference in [
            "mailto:x@y",
            "tel:1",
            "JavaScript:void(0)",
            "data:,x",
            "ftp://x/",
            "java\nscript:x",
            "http://",
            "http://[x",
        ] {
            assert_eq!(links.resolve(reference), None);
        }
        let expected = SchemeCounts { mailto: 1, tel: 1, javascript: 2, data: 1, other: 1 };
        assert_eq!((links.schemes, links.unusable_count), (expected, 2));
        assert_eq!(links.unusable[1], Unusable { href: "http://[x".to_owned(), why: UrlProblem::Malformed });
    }

    #[test]
    fn the_candidates_of_a_srcset_are_split_as_browsers_do() {
        let check = |value, expected: &[&str]| assert_eq!(srcset(value).collect::<Vec<_>>(), expected, "{value}");
        check("a.jpg 1x, b.jpg 2x", &["a.jpg", "b.jpg"]);
        check("a.jpg, b.jpg", &["a.jpg", "b.jpg"]);
        check("a,b.jpg 1x,c.jpg", &["a,b.jpg", "c.jpg"]);
        check("data:image/png;base64,AAAA 1x, /b 2x", &["data:image/png;base64,AAAA", "/b"]);
        check(" , ,a.jpg (x,y) 1x , b", &["a.jpg", "b"]);
        check("", &[]);
        check(",", &[]);
    }

    #[test]
    fn a_refresh_has_a_delay_and_an_optional_url() {
        let check = |content, expected: Option<(u32, Option<&str>)>| {
            assert_eq!(
                refresh(content).map(|(seconds, url)| (seconds, url.map(String::from))),
                expected.map(|(s, u)| (s, u.map(str::to_owned))),
                "{content}"
            );
        };
        check("5", Some((5, None)));
        check("0;url=/x", Some((0, Some("/x"))));
        check(" 3.5 ; URL = '/x y' z", Some((3, Some("/x y"))));
        check("0,/x", Some((0, Some("/x"))));
        check("0 /x", Some((0, Some("/x"))));
        check("url=/x", None);
        check("0;url=\u{a0}/x", Some((0, Some("\u{a0}/x"))));
        check("5x", None);
        check("99999999999;a", Some((u32::MAX, Some("a"))));
    }

    #[test]
    fn rel_words_and_targets_become_flags() {
        assert_eq!(rel_flags("NoFollow ugc  noopener next"), Rel::NOFOLLOW.and(Rel::UGC).and(Rel::NOOPENER));
        assert!(opens_window("_blank") && opens_window("other"));
        assert!(!opens_window("") && !opens_window("_SELF"));
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        fn reference() -> impl Strategy<Value = String> {
            let parts: &[&str] = &[
                "/",
                "//",
                "a",
                "b.html",
                ".",
                "..",
                "?",
                "#",
                "%2e",
                "%",
                "x=1",
                "&",
                ":",
                "http:",
                "https://",
                "http://",
                "é",
                "host.example",
                "HOST",
                "127.0.0.1",
                "0x7f",
                "xn--bcher-kva",
                "-",
                "\\",
                " ",
                "'",
                "^",
                "|",
                "@",
                "[::1]",
                ":80",
                ":443",
                "mailto:",
                "{",
                "~",
                "a--b",
                "_",
                "../",
                "./",
                "../../",
            ];
            proptest::collection::vec(proptest::sample::select(parts.to_vec()), 0..8).prop_map(|parts| parts.concat())
        }

        proptest! {
            #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

            #[test]
            fn the_short_way_leads_where_the_long_one_does(reference in reference()) {
                for page in ["https://a.example/docs/x?y=1", "http://b.example:8080/", "http://b.example//c/d//e/"] {
                    let resolver = resolver(page);
                    let reference = trim(&reference);
                    let long = resolver.base.join(reference);
                    let short = resolver.resolve(reference);
                    prop_assert_eq!(
                        short.as_ref().map(CanonicalUrl::as_str).ok(),
                        long.as_ref().map(CanonicalUrl::as_str).ok(),
                        "{:?}", reference
                    );
                }
            }
        }
    }
}
