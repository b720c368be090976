//! Header fields that contain URLs or directives.
//!
//! Everything here takes text and returns plain values; nothing decides what follows from them. Start with [`links`]
//! for URLs and [`content_type`] for the type of a body.
//! Values that are not UTF-8 are read as Latin-1, as HTTP once defined.

use std::borrow::Cow;

use http::header::{CONTENT_LOCATION, HeaderMap, HeaderValue, LINK, LOCATION, REFRESH};
use http::{HeaderName, StatusCode};

use crate::link::{Link, LinkKind, PathType};
use crate::parse::facts::{CanonicalRef, Refresh};
use crate::parse::links::refresh;
use crate::url::Base;

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The URLs in header fields, in this order: Link, Refresh, Content-Location, Location.
///
/// They are relative to the response's own URL, never to a `<base href>`. The Location of a redirect is not included,
/// because the redirect itself is the outcome of the visit.
pub fn links(status: StatusCode, headers: &HeaderMap, base: &Base) -> Vec<Link> {
    let mut links = Vec::new();
    for value in headers.get_all(LINK) {
        links.extend(web_links(&text(value)).iter().filter_map(|web_link| web_link.resolve(base)));
    }
    for value in headers.get_all(REFRESH) {
        let value = text(value);
        let target = refresh(&value).and_then(|(_, reference)| reference).filter(|reference| !reference.is_empty());
        links.extend(target.and_then(|reference| link(&reference, LinkKind::Refresh, base)));
    }
    for value in headers.get_all(CONTENT_LOCATION) {
        links.extend(link(text(value).trim_ascii(), LinkKind::ContentLocation, base));
    }
    // The Location of a 300 is the server's preferred choice; it is not a redirect.
    let names_location = status == StatusCode::MULTIPLE_CHOICES || !status.is_redirection();
    for value in headers.get_all(LOCATION).into_iter().filter(|_| names_location) {
        links.extend(link(text(value).trim_ascii(), LinkKind::Location, base));
    }
    links
}

/// The canonical URLs of the document in Link headers.
pub(crate) fn canonicals(headers: &HeaderMap, base: &Base) -> Vec<CanonicalRef> {
    let mut canonicals = Vec::new();
    for value in headers.get_all(LINK) {
        for web_link in web_links(&text(value)) {
            let Some(link) = web_link.resolve(base).filter(|link| link.kind == LinkKind::Canonical) else { continue };
            canonicals.push(CanonicalRef {
                url: Some(link.target),
                path_type: link.path_type,
                is_in_head: true,
                has_fragment: web_link.target.contains('#'),
                has_invalid_attribute: web_link.hreflang.is_some(),
                raw: web_link.target,
            });
        }
    }
    canonicals
}

/// The first usable Refresh header.
pub(crate) fn refresh_of(headers: &HeaderMap, base: &Base) -> Option<Refresh> {
    headers.get_all(REFRESH).into_iter().find_map(|value| {
        let value = text(value);
        let (seconds, reference) = refresh(&value)?;
        let url = reference.filter(|reference| !reference.is_empty()).and_then(|reference| base.join(&reference).ok());
        Some(Refresh { seconds, url })
    })
}

fn link(reference: &str, kind: LinkKind, base: &Base) -> Option<Link> {
    let target = base.join(reference).ok()?;
    Some(Link { path_type: PathType::of(reference), ..Link::bare(target, kind) })
}

/// A header value as text.
pub fn text(value: &HeaderValue) -> Cow<'_, str> {
    match str::from_utf8(value.as_bytes()) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::mem::decode_latin1(value.as_bytes()),
    }
}

/// What `rel` words mean: the first entry with a matching word wins; `alternate` only with a language.
const KINDS_OF_WORDS: [(&[&str], LinkKind); 10] = [
    (&["canonical"], LinkKind::Canonical),
    (&["stylesheet"], LinkKind::Stylesheet),
    (&["alternate"], LinkKind::Hreflang),
    (&["next"], LinkKind::Next),
    (&["prev", "previous"], LinkKind::Prev),
    (&["amphtml"], LinkKind::Amp),
    (&["icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "fluid-icon"], LinkKind::Icon),
    (&["manifest"], LinkKind::Manifest),
    (&["preload", "modulepreload", "prefetch", "prerender", "preconnect", "dns-prefetch", "profile"], LinkKind::Hint),
    (&["alternate"], LinkKind::Alternate),
];

/// The link kind for the `rel` words of a Link header; `None` without any word.
fn kind_of_rel(rel: &str, has_hreflang: bool) -> Option<LinkKind> {
    let has = |names: &[&str]| {
        rel.split_ascii_whitespace().any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name)))
    };
    let applies = |kind| kind != LinkKind::Hreflang || has_hreflang;
    let known = KINDS_OF_WORDS.iter().find(|(names, kind)| applies(*kind) && has(names));
    let has_word = !rel.trim_ascii().is_empty();
    has_word.then(|| known.map_or(LinkKind::Related, |(_, kind)| *kind))
}

/// One link of a Link header (RFC 8288).
#[derive(Default)]
struct WebLink {
    target: String,
    rel: Option<String>,
    hreflang: Option<String>,
    anchor: Option<String>,
}

impl WebLink {
    /// The link, if it has a relation, its URL can be crawled, and it is a link of this document.
    fn resolve(&self, base: &Base) -> Option<Link> {
        let anchor = self.anchor.as_deref().unwrap_or_default();
        if base.join(anchor).ok()? != base.join("").ok()? {
            return None;
        }
        let kind = kind_of_rel(self.rel.as_deref()?, self.hreflang.is_some())?;
        let language = self.hreflang.as_deref().filter(|_| kind == LinkKind::Hreflang).unwrap_or_default();
        Some(Link { text: language.into(), ..link(&self.target, kind, base)? })
    }

    /// Keeps the first of each parameter, as the RFC requires.
    fn take(&mut self, name: &str, value: String) {
        let slot = match name.to_ascii_lowercase().as_str() {
            "rel" => &mut self.rel,
            "hreflang" => &mut self.hreflang,
            "anchor" => &mut self.anchor,
            _ => return,
        };
        slot.get_or_insert(value);
    }
}

/// The links of one header value; anything outside `<>` is skipped (RFC 8288 appendix B.2).
fn web_links(value: &str) -> Vec<WebLink> {
    let mut links = Vec::new();
    let mut rest = value;
    while let Some((target, after)) = rest.split_once('<').and_then(|(_, after)| after.split_once('>')) {
        let mut link = WebLink { target: target.trim_ascii().to_owned(), ..WebLink::default() };
        rest = parameters(after, |name, value| link.take(name, value));
        links.push(link);
    }
    links
}

/// Passes every leading `; name=value` to `take`; returns the text after the last one.
fn parameters(text: &str, mut take: impl FnMut(&str, String)) -> &str {
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix(';') {
        let name_end = after.find(['=', ';', ',']).unwrap_or(after.len());
        let name = after[..name_end].trim();
        rest = &after[name_end..];
        if let Some(after) = rest.strip_prefix('=') {
            let (value, after) = parameter_value(after.trim_start());
            take(name, value);
            rest = after.trim_start();
        }
    }
    rest
}

/// A token or a quoted string; skips the text up to the next `;` or `,`.
fn parameter_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let after = &quoted[at + 1..];
                return (value, &after[after.find([';', ',']).unwrap_or(after.len())..]);
            }
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => value.push(character),
        }
    }
    (value, "")
}

/// What a Content-Type says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentType {
    /// Type and subtype in lower case: `text/html`.
    pub essence: String,
    /// The charset as written.
    pub charset: Option<String>,
}

/// Reads a Content-Type.
pub fn content_type(value: &str) -> ContentType {
    let end = value.find([';', ',']).unwrap_or(value.len());
    let mut charset = None;
    parameters(&value[end..], |name, value| {
        if name.eq_ignore_ascii_case("charset") && !value.is_empty() {
            charset.get_or_insert(value);
        }
    });
    ContentType { essence: value[..end].trim().to_ascii_lowercase(), charset }
}

/// Whether an essence is that of an HTML document.
pub fn is_html(essence: &str) -> bool {
    matches!(essence, "text/html" | "application/xhtml+xml")
}

/// Directives of an X-Robots-Tag, and for which crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsTag {
    /// The crawler they are for; `None` means all.
    pub bot: Option<String>,
    /// The directives as written: `noindex, max-snippet:20`.
    pub directives: String,
}

/// The directives of all X-Robots-Tag headers, in order.
///
/// A name before a colon is a crawler, unless it is a directive that takes a value; it holds until the next name.
pub fn robots_tags(headers: &HeaderMap) -> Vec<RobotsTag> {
    let mut tags: Vec<RobotsTag> = Vec::new();
    for value in headers.get_all(X_ROBOTS_TAG) {
        let mut is_first = true;
        for part in text(value).split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match (bot_and_directive(part), tags.last_mut()) {
                (None, Some(tag)) if !is_first => tag.directives = format!("{}, {part}", tag.directives),
                (None, _) => tags.push(RobotsTag { bot: None, directives: part.to_owned() }),
                (Some((bot, directive)), _) => {
                    tags.push(RobotsTag { bot: Some(bot.to_owned()), directives: directive.to_owned() });
                }
            }
            is_first = false;
        }
    }
    tags
}

fn bot_and_directive(part: &str) -> Option<(&str, &str)> {
    const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    let (name, directive) = part.split_once(':')?;
    let name = name.trim();
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_*.".contains(&byte));
    let is_directive = WITH_VALUE.iter().any(|known| name.eq_ignore_ascii_case(known));
    (is_name && !name.is_empty() && !is_directive).then_some((name, directive.trim()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::url::CanonicalUrl;

    fn base() -> Base {
        Base::of(&CanonicalUrl::parse("https://a.example/dir/page").unwrap())
    }

    fn headers(fields: &[(&'static str, &[u8])]) -> HeaderMap {
        let field = |(name, value): &(&'static str, &[u8])| {
            (HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap())
        };
        fields.iter().map(field).collect()
    }

    fn found(fields: &[(&'static str, &[u8])]) -> Vec<(LinkKind, String, String)> {
        let reported = |link: Link| (link.kind, link.target.to_string(), link.text.into());
        links(StatusCode::CREATED, &headers(fields), &base()).into_iter().map(reported).collect()
    }

    #[test]
    fn link_headers_are_the_links_of_the_head() {
        let check = |value: &str, expected: &[(LinkKind, &str, &str)]| {
            let expected: Vec<_> =
                expected.iter().map(|(kind, url, text)| (*kind, (*url).into(), (*text).into())).collect();
            assert_eq!(found(&[("link", value.as_bytes())]), expected, "{value}");
        };
        check("</c>; rel=canonical", &[(LinkKind::Canonical, "https://a.example/c", "")]);
        check(
            "<x>; rel=\"alternate\"; hreflang=\"de-CH\"",
            &[(LinkKind::Hreflang, "https://a.example/dir/x", "de-CH")],
        );
        check(
            "<?p=2>;REL=next,</?p=0> ; title=\"a, \\\"b\\\"; rel=x\" ; rel = \"prev\"",
            &[(LinkKind::Next, "https://a.example/dir/page?p=2", ""), (LinkKind::Prev, "https://a.example/?p=0", "")],
        );
        check("</f.css>; rel=\"alternate stylesheet\"", &[(LinkKind::Stylesheet, "https://a.example/f.css", "")]);
        check("</f>; rel=preload; as=font; crossorigin", &[(LinkKind::Hint, "https://a.example/f", "")]);
        check("</a,b;c>; rel=\"https://api.w.org/\"", &[(LinkKind::Related, "https://a.example/a,b;c", "")]);
        check("</feed>; rel=alternate; type=\"x\"", &[(LinkKind::Alternate, "https://a.example/feed", "")]);
        check("</c>; rel=canonical; rel=next", &[(LinkKind::Canonical, "https://a.example/c", "")]);
        check("</c>; rel=canonical; anchor=\"#x\"", &[(LinkKind::Canonical, "https://a.example/c", "")]);
    }

    #[test]
    fn broken_links_and_links_of_other_documents_are_left_out() {
        for value in [
            "",
            "</x>",
            "</x>; rel=\"\"",
            "/x; rel=next",
            "<mailto:a@b>; rel=author",
            "</x; rel=next",
            "</x>; rel=canonical; anchor=\"/other\"",
        ] {
            assert_eq!(found(&[("link", value.as_bytes())]), [], "{value}");
        }
    }

    #[test]
    fn other_headers_contain_urls_too() {
        let fields: [(&str, &[u8]); 4] = [
            ("location", b"/made"),
            ("content-location", b"page.en.html"),
            ("refresh", b"0; url=/next"),
            ("link", b"</c>; rel=canonical"),
        ];
        let kinds: Vec<LinkKind> = found(&fields).into_iter().map(|(kind, ..)| kind).collect();
        assert_eq!(kinds, [LinkKind::Canonical, LinkKind::Refresh, LinkKind::ContentLocation, LinkKind::Location]);
        assert!(links(StatusCode::FOUND, &headers(&[("location", b"/moved")]), &base()).is_empty());
        let preferred = links(StatusCode::MULTIPLE_CHOICES, &headers(&[("location", b"/preferred")]), &base());
        assert_eq!(preferred[0].target.as_str(), "https://a.example/preferred");
        assert_eq!(found(&[("refresh", b"30")]), [], "a reload names no other address");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_latin1() {
        let check = |value: &[u8]| assert_eq!(found(&[("location", value)])[0].1, "https://a.example/%C3%BC");
        check(b"/\xFC");
        check("/ü".as_bytes());
    }

    #[test]
    fn a_content_type_has_an_essence_and_perhaps_a_charset() {
        let check = |value: &str, essence: &str, charset: Option<&str>| {
            let expected = ContentType { essence: essence.into(), charset: charset.map(Into::into) };
            assert_eq!(content_type(value), expected, "{value}");
        };
        check("Text/HTML; Charset=\"UTF-8\"", "text/html", Some("UTF-8"));
        check("text/html;charset=latin1;charset=utf-8", "text/html", Some("latin1"));
        check(" text/plain ; format=flowed; charset=x ; y", "text/plain", Some("x"));
        check("text/html; charset=", "text/html", None);
        check("text/html, text/plain; charset=x", "text/html", None);
        check("", "", None);
    }

    #[test]
    fn document_types_are_distinguished() {
        assert!(is_html("text/html") && is_html("application/xhtml+xml") && !is_html("text/plain"));
    }

    #[test]
    fn robots_tags_are_split_by_crawler() {
        let check = |values: &[&str], expected: &[(Option<&str>, &str)]| {
            let headers = values.iter().map(|value| (X_ROBOTS_TAG, HeaderValue::from_str(value).unwrap())).collect();
            let tags = robots_tags(&headers);
            let found: Vec<_> = tags.iter().map(|tag| (tag.bot.as_deref(), tag.directives.as_str())).collect();
            assert_eq!(found, expected, "{values:?}");
        };
        check(&["noindex, nofollow"], &[(None, "noindex, nofollow")]);
        check(&["googlebot: nofollow", "noindex"], &[(Some("googlebot"), "nofollow"), (None, "noindex")]);
        check(&["a: none, b: noindex, nofollow"], &[(Some("a"), "none"), (Some("b"), "noindex, nofollow")]);
        check(&["max-snippet:20, max-image-preview:large"], &[(None, "max-snippet:20, max-image-preview:large")]);
        let date = "unavailable_after: 25 Jun 2010 15:00:00 PST, noarchive";
        check(&[date], &[(None, date)]);
        check(&[", ,"], &[]);
    }

    proptest! {
        #[test]
        fn no_value_makes_these_panic(value: String, bytes: Vec<u8>, piece in "[<>;=,\" a-z\\\\é:]{0,30}") {
            for value in [&value, &piece] {
                content_type(value);
                web_links(value);
            }
            let value = HeaderValue::from_bytes(&bytes).unwrap_or(HeaderValue::from_static(""));
            let headers: HeaderMap = [(LINK, value.clone()), (X_ROBOTS_TAG, value.clone()), (LOCATION, value)].into_iter().collect();
            links(StatusCode::OK, &headers, &base());
            robots_tags(&headers);
        }
    }
}
