//! Properties of our parsers on any input: they do not panic, the size of their output is bounded by the input, and the
//! same bytes give the same result.
//!
//! Each function is a fuzz target. `cargo fuzz run NAME` calls it with bytes from libFuzzer, and `tests/corpus.rs` with the
//! committed seeds and mutations of them.

use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::admit::robots::Robots;
use bluesnake_engine::fetch::cookie_header_after;
use bluesnake_engine::link::Link;
use bluesnake_engine::parse::extract::{Column, MATCH_CHARS, MATCHES};
use bluesnake_engine::parse::sitemap::SitemapLimits;
use bluesnake_engine::parse::{charset, css as stylesheet, headers as header, html as page, sitemap as map};
use bluesnake_engine::plan::ParseSettings;
use bluesnake_engine::url::{Base, registrable_domain, userinfo};
use bluesnake_extract::{Options, Page, Scope};
use bluesnake_html::{Token, Tokenizer};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

/// A fuzz target.
pub type Check = fn(&[u8]);

/// All targets by name.
pub const TARGETS: [(&str, Check); 9] = [
    ("tokenizer", tokenizer),
    ("html", html),
    ("css", css),
    ("robots", robots),
    ("sitemap", sitemap),
    ("extract", extract),
    ("url", url),
    ("cookies", cookies),
    ("headers", headers),
];

fn base() -> CanonicalUrl {
    CanonicalUrl::parse("https://example.com/a/b?c").expect("the URL is valid")
}

/// Links are canonical, and not more than the input has room for.
fn check_links(links: &[Link], most: usize) {
    assert!(links.len() <= most, "{} links, at most {most} are possible", links.len());
    for link in links {
        let again = CanonicalUrl::parse(link.target.as_str());
        assert_eq!(again.as_ref().map(CanonicalUrl::as_str), Ok(link.target.as_str()));
    }
}

/// HTML as tokens, which come in order and never overlap.
pub fn tokenizer(data: &[u8]) {
    let html = String::from_utf8_lossy(data);
    let mut tokenizer = Tokenizer::new(&html);
    let mut rest = html.len();
    while let Some(token) = tokenizer.next() {
        if let Token::Text(text) = token {
            assert!(text.raw.len() <= rest, "a text is a part of the input");
            assert!(text.decoded().len() <= 3 * text.raw.len());
        }
        assert!(tokenizer.rest().len() < rest, "every token consumes input");
        rest = tokenizer.rest().len();
    }
    // A truncated tag is not a token, so some input may remain.
    assert!(tokenizer.next().is_none(), "the end is final");
}

/// A page, in any encoding.
pub fn html(data: &[u8]) {
    let decoded = charset::decode(data, Some("text/html"), true);
    assert!(decoded.text.len() <= 3 * data.len() + 3, "{} bytes of text", decoded.text.len());
    let rules = ["css:*", "css:div p, a ~ *", "css:form > :not(b):first-child@id"];
    let columns = rules.map(|rule| Column::parse(rule).expect("the rule is valid"));
    let read = |limit| {
        let settings = ParseSettings::default();
        page::read(page::Document {
            url: &base(),
            html: &decoded.text,
            encoding: "UTF-8",
            settings: &settings,
            links_limit: limit,
            hooks: &[],
            columns: &columns,
        })
    };
    let reading = read(0);
    check_links(&reading.links, decoded.text.len() + 1);
    assert!(reading.page.element_count <= decoded.text.len() + 8);
    assert!(reading.page.text.as_ref().is_none_or(|text| text.len() <= 3 * decoded.text.len() + 8));
    assert!(reading.page.main_words <= decoded.text.len());
    assert!(reading.page.fragments.iter().all(|(link, _)| *link < reading.links.len()));
    for values in &reading.columns {
        assert!(values.len() <= MATCHES && values.iter().all(|value| value.chars().count() <= MATCH_CHARS));
    }
    assert_eq!(format!("{reading:?}"), format!("{:?}", read(0)), "a page reads the same twice");
    let some = read(3);
    assert!(some.links.len() <= 3);
    assert_eq!(some.links.len() + some.links_cut, reading.links.len(), "links beyond the limit are counted");
}

/// A stylesheet.
pub fn css(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (links, cut) = stylesheet::read(&base(), &text, 0);
    check_links(&links, text.len() + 1);
    assert_eq!(cut, 0);
    let (some, cut) = stylesheet::read(&base(), &text, 2);
    assert_eq!(some.len() + cut, links.len(), "links beyond the limit are counted");
}

/// robots.txt.
pub fn robots(data: &[u8]) {
    let robots = Robots::parse(data, "bluesnake");
    let is_allowed = robots.verdict(&base()).is_allowed();
    assert_eq!(is_allowed, Robots::parse(data, "bluesnake").verdict(&base()).is_allowed());
    assert!(robots.sitemaps().len() <= data.len());
    assert!(robots.crawl_delay().is_none_or(|delay| delay.as_secs() <= 24 * 60 * 60));
    assert!(robots.verdict(&base().at_path("/robots.txt")).is_allowed(), "robots.txt itself is always allowed");
}

/// A sitemap or feed, compressed or not.
pub fn sitemap(data: &[u8]) {
    let limits = SitemapLimits { urls: 20, decoded_bytes: 4_000 };
    let found = map::read(&base(), Some("application/xml"), data, limits);
    assert!(found.entries.len() <= limits.urls);
    let extras: usize = found.entries.iter().map(|entry| entry.alternates.len() + entry.images.len()).sum();
    assert!(extras <= 10 * limits.urls);
    for entry in &found.entries {
        assert_eq!(CanonicalUrl::parse(entry.url.as_str()).as_ref(), Ok(&entry.url));
    }
}

/// A page as Markdown.
pub fn extract(data: &[u8]) {
    let html = String::from_utf8_lossy(data);
    let url = url::Url::parse("https://example.com/docs/page").expect("the URL is valid");
    for scope in [Scope::WholePage, Options::default().scope] {
        let write =
            || bluesnake_extract::extract(&Page { html: &html, url: &url }, &Options { scope, ..Options::default() });
        let extracted = write();
        assert!((0.0..=1.0).contains(&extracted.confidence), "{}", extracted.confidence);
        assert_eq!(extracted.markdown, write().markdown, "a page is written the same twice");
        for section in &extracted.sections {
            extracted.section_text(section);
        }
    }
}

/// A URL, absolute and as a reference.
pub fn url(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let found = [
        CanonicalUrl::parse(&text),
        CanonicalUrl::from_user_input(&text),
        CanonicalUrl::parse(&format!("http://{text}/")),
        Base::of(&base()).join(&text),
    ];
    for url in found.iter().flatten() {
        assert_eq!(CanonicalUrl::parse(url.as_str()).as_ref(), Ok(url), "a canonical URL is its own canonical form");
        assert_eq!(userinfo(url.as_str()), None);
        assert!(!url.as_str().contains('#') && url.path().starts_with('/'));
        assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), url.as_str());
        assert!(url.host().contains(registrable_domain(url.host())));
    }
}

/// `Set-Cookie` headers, one per line.
pub fn cookies(data: &[u8]) {
    let mut map = HeaderMap::new();
    for value in data.split(|byte| *byte == b'\n').take(200).filter_map(|line| HeaderValue::from_bytes(line).ok()) {
        map.append(http::header::SET_COOKIE, value);
    }
    let Some(sent) = cookie_header_after(&base(), &map) else { return };
    // The limit, and the separators around the last cookie.
    assert!(sent.len() <= 16 * 1024 + 3, "{} bytes of cookies", sent.len());
    assert!(sent.is_sensitive(), "cookies are secret");
    let other = CanonicalUrl::parse("https://example.org/").expect("the URL is valid");
    assert_eq!(cookie_header_after(&other, &HeaderMap::new()), None);
}

/// Values of headers that name URLs or rules.
pub fn headers(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else { return };
    let names = ["link", "refresh", "x-robots-tag", "content-type", "location", "content-location"];
    let map: HeaderMap = names.map(|name| (HeaderName::from_static(name), value.clone())).into_iter().collect();
    for status in [StatusCode::OK, StatusCode::FOUND, StatusCode::NOT_FOUND] {
        check_links(&header::links(status, &map, &Base::of(&base())), 6 * (data.len() + 1));
    }
    header::robots_tags(&map);
    header::content_type(&header::text(&value));
}
