//! Properties of every input: URLs have one canonical form, and parsers accept any bytes.
//!
//! Parsers must return a result for any bytes, and its size is bounded by that of the input. Inputs are half noise, half
//! words of the format in the wrong order.

use bluesnake_engine::CanonicalUrl;
use bluesnake_engine::admit::robots::Robots;
use bluesnake_engine::link::Link;
use bluesnake_engine::parse::sitemap::SitemapLimits;
use bluesnake_engine::parse::{charset, css, headers, html, sitemap};
use bluesnake_engine::plan::ParseSettings;
use bluesnake_engine::url::{Base, registrable_domain, userinfo};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn page() -> CanonicalUrl {
    CanonicalUrl::parse("https://example.com/a/b?c#d").expect("the URL is valid")
}

/// The words of a format in any order, with noise between them.
fn jumble(words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let word = select(words).prop_map(|word| word.as_bytes().to_vec());
    let noise = vec(any::<u8>(), 0..6);
    let text = "\\PC{0,6}".prop_map(String::into_bytes);
    vec(prop_oneof![6 => word, 1 => noise, 1 => text], 0..60).prop_map(|parts| parts.concat())
}

const HTML: &[&str] = &[
    "<!doctype html>",
    "<html lang=de>",
    "<head>",
    "</head>",
    "<title>",
    "</title>",
    "<body>",
    "</body>",
    "<p>",
    "</p>",
    "<a href=\"",
    "<a href='/x'>",
    "<a href=//b/>",
    "\"",
    "'",
    ">",
    "<",
    "</a>",
    "<base href=/z/>",
    "<meta charset=utf-8>",
    "<meta name=robots content=\"noindex, nofollow\">",
    "<meta http-equiv=refresh content=\"0;url=x\">",
    "<!--",
    "-->",
    "--!>",
    "<![CDATA[",
    "]]>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<textarea>",
    "</textarea>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<svg>",
    "</svg>",
    "<math>",
    "<img srcset=\"a 1x, b 2x\">",
    "<table>",
    "<link rel=canonical href=/c>",
    "<link rel=stylesheet href=s.css>",
    "<iframe srcdoc='<a href=q>'>",
    "&amp;",
    "&#x0;",
    "&#99999999;",
    "&notanentity",
    "\0",
    "\u{feff}",
    "<plaintext>",
    "<xmp>",
    "</xmp>",
    "<div ",
    "class=x ",
    "/>",
    "<?php ?>",
    "<script type=\"application/ld+json\">{\"@type\":\"A\"}",
    "<frameset>",
    "<form action=x>",
    "<select><option>",
    "<h1>",
];

const XML: &[&str] = &[
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "<urlset>",
    "</urlset>",
    "<sitemapindex>",
    "</sitemapindex>",
    "<url>",
    "</url>",
    "<sitemap>",
    "</sitemap>",
    "<loc>",
    "</loc>",
    "https://example.com/a",
    "<lastmod>2024</lastmod>",
    "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://example.com/de\"/>",
    "<image:loc>",
    "</image:loc>",
    "<!DOCTYPE urlset [<!ENTITY a \"b\">]>",
    "&a;",
    "&amp;",
    "&#38;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<rss>",
    "<channel>",
    "<item>",
    "</item>",
    "<link>",
    "</link>",
    "<guid>",
    "<feed>",
    "<entry>",
    "<link href=\"/x\"/>",
    "\n",
    "http://",
    "\0",
    "<a a=1 a=2 a=3>",
    "\u{1f}\u{8b}\u{8}",
    "<?x ?>",
];

const ROBOTS: &[&str] = &[
    "User-agent: *\n",
    "User-agent: bluesnake\n",
    "user agent: x\r",
    "Disallow: /\n",
    "Allow: /a*$\n",
    "disalow: /b\n",
    "Crawl-delay: 1e9\n",
    "Crawl-delay: -1\n",
    "Sitemap: /s.xml\n",
    "Disallow: /%2F%zz\n",
    "#",
    ":",
    "\n",
    "\r",
    "*",
    "$",
    "\u{feff}",
    "Disallow: /**********************a\n",
    "\0",
];

const CSS: &[&str] = &[
    "@import ",
    "\"a.css\"",
    "url(",
    ")",
    "'",
    "\"",
    "url(\"b.png\")",
    "/*",
    "*/",
    "{",
    "}",
    ";",
    "\\",
    "\n",
    "@font-face",
    "src:",
    "image-set(",
    "\\75 rl(",
    "url(data:,x)",
    "@charset \"utf-8\";",
    "<!--",
    "\0",
];

const HEADERS: &[&str] = &[
    "<",
    ">",
    ";",
    ",",
    "rel",
    "=",
    "\"",
    "next",
    "canonical",
    "</x>",
    "title*=UTF-8''a",
    "hreflang=de",
    "0",
    "url=",
    "'",
    "noindex",
    ":",
    "bluesnake",
    "unavailable_after",
    "text/html",
    "charset=",
    "utf-8",
    "\\",
    " ",
    "\t",
    "1e309",
    "-",
    "NaN",
];

/// Links are bounded by the bytes they were read from, and every one of them is an address of ours.
fn check_links(links: &[Link], input_len: usize) -> Result<(), TestCaseError> {
    prop_assert!(links.len() <= input_len + 1, "{} links of {input_len} bytes", links.len());
    for link in links {
        let again = CanonicalUrl::parse(link.target.as_str());
        prop_assert_eq!(again.as_ref().map(CanonicalUrl::as_str), Ok(link.target.as_str()));
    }
    Ok(())
}

fn read_html(text: &str) -> html::Reading {
    let settings = ParseSettings::default();
    html::read(html::Document {
        url: &page(),
        html: text,
        encoding: "UTF-8",
        settings: &settings,
        links_limit: 0,
        hooks: &[],
        columns: &[],
    })
}

fn check_html(bytes: &[u8]) -> Result<(), TestCaseError> {
    let decoded = charset::decode(bytes, Some("text/html"), true);
    let reading = read_html(&decoded.text);
    check_links(&reading.links, decoded.text.len())?;
    prop_assert_eq!(reading.links_cut, 0);
    prop_assert!(reading.page.element_count <= decoded.text.len() + 8);
    prop_assert!(reading.page.text.as_ref().is_none_or(|text| text.len() <= 3 * decoded.text.len() + 8));
    let again = read_html(&decoded.text);
    prop_assert_eq!(format!("{reading:?}"), format!("{again:?}"), "the same page reads the same");
    Ok(())
}

fn check_sitemap(bytes: &[u8]) -> Result<(), TestCaseError> {
    let limits = SitemapLimits { urls: 20, decoded_bytes: 4_000 };
    let sitemap = sitemap::read(&page(), Some("application/xml"), bytes, limits);
    prop_assert!(sitemap.entries.len() <= limits.urls);
    let extras: usize = sitemap.entries.iter().map(|entry| entry.alternates.len() + entry.images.len()).sum();
    prop_assert!(extras <= 10 * limits.urls);
    Ok(())
}

fn check_robots(bytes: &[u8]) -> Result<(), TestCaseError> {
    let robots = Robots::parse(bytes, "bluesnake");
    robots.verdict(&page());
    prop_assert!(robots.sitemaps().len() <= bytes.len());
    prop_assert!(robots.crawl_delay().is_none_or(|delay| delay.as_secs() <= 24 * 60 * 60));
    let own = page().at_path("/robots.txt");
    prop_assert!(robots.verdict(&own).is_allowed(), "robots.txt itself is always allowed");
    Ok(())
}

fn check_css(bytes: &[u8]) -> Result<(), TestCaseError> {
    let text = String::from_utf8_lossy(bytes);
    let (links, cut) = css::read(&page(), &text, 0);
    check_links(&links, text.len())?;
    prop_assert_eq!(cut, 0);
    let (some, cut) = css::read(&page(), &text, 2);
    prop_assert_eq!(some.len() + cut, links.len(), "dropped links are counted");
    Ok(())
}

fn check_headers(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(value) = HeaderValue::from_bytes(bytes) else { return Ok(()) };
    let mut map = HeaderMap::new();
    for name in ["link", "refresh", "x-robots-tag", "content-type", "location", "content-location"] {
        map.append(HeaderName::from_static(name), value.clone());
    }
    for status in [StatusCode::OK, StatusCode::FOUND, StatusCode::NOT_FOUND] {
        check_links(&headers::links(status, &map, &Base::of(&page())), 6 * (bytes.len() + 1))?;
    }
    headers::robots_tags(&map);
    let text = headers::text(&value);
    headers::content_type(&text);
    Ok(())
}

fn check_charset(bytes: &[u8], content_type: Option<&str>, detects: bool) -> Result<(), TestCaseError> {
    let decoded = charset::decode(bytes, content_type, detects);
    prop_assert!(decoded.text.len() <= 3 * bytes.len() + 3, "{} bytes of {}", decoded.text.len(), bytes.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_canonical_form_is_its_own_canonical_form(text in "(https?://)?\\PC{0,80}") {
        for parsed in [CanonicalUrl::parse(&text), CanonicalUrl::from_user_input(&text)].into_iter().flatten() {
            let again = CanonicalUrl::parse(parsed.as_str());
            prop_assert_eq!(again.as_ref().map(CanonicalUrl::as_str), Ok(parsed.as_str()));
            prop_assert!(!parsed.as_str().contains('#'));
            prop_assert_eq!(userinfo(parsed.as_str()), None, "no userinfo is left in it");
            prop_assert!(parsed.path().starts_with('/'));
            prop_assert_eq!(format!("{}{}", parsed.origin(), parsed.path_and_query()), parsed.as_str());
        }
    }

    #[test]
    fn a_canonical_url_survives_a_store(path in "\\PC{0,60}", query in proptest::option::of("\\PC{0,40}")) {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let url = CanonicalUrl::parse(&format!("http://a.example:8080/{path}{query}")).unwrap();
        let stored = CanonicalUrl::from_stored(url.as_str().to_owned());
        prop_assert_eq!((stored.key(), &stored), (url.key(), &url));
        let key = bluesnake_engine::UrlKey::from_bytes(url.key().to_bytes());
        prop_assert_eq!(key, url.key());
    }

    #[test]
    fn equal_form_means_equal_key(one in "[a-c%27eE/.~-]{0,12}", other in "[a-c%27eE/.~-]{0,12}") {
        let url = |path: &str| CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap();
        let (one, other) = (url(&one), url(&other));
        if one.as_str() == other.as_str() {
            prop_assert_eq!(one.key(), other.key());
        }
        prop_assert_eq!(one == other, one.key() == other.key());
    }

    #[test]
    fn spellings_that_mean_the_same_have_one_key(path in "[A-Za-z0-9._~-]{1,20}", at in any::<prop::sample::Index>()) {
        let at = at.index(path.len());
        let escaped = |upper: bool| {
            let byte = path.as_bytes()[at];
            let code = if upper { format!("%{byte:02X}") } else { format!("%{byte:02x}") };
            format!("http://a.example/x{}{code}{}", &path[..at], &path[at + 1..])
        };
        let plain = CanonicalUrl::parse(&format!("http://A.EXAMPLE:80/x{path}#f")).unwrap();
        for spelling in [escaped(true), escaped(false)] {
            prop_assert_eq!(CanonicalUrl::parse(&spelling).unwrap().key(), plain.key(), "{}", spelling);
        }
    }

    #[test]
    fn any_reference_resolves_or_is_rejected(reference in "\\PC{0,60}", base in "\\PC{0,30}") {
        let base = Base::of(&page()).with_href(&base);
        if let Ok(url) = base.join(&reference) {
            let again = CanonicalUrl::parse(url.as_str()).unwrap();
            prop_assert_eq!(again.as_str(), url.as_str());
        }
    }

    #[test]
    fn any_host_has_a_domain(host in "\\PC{0,40}") {
        prop_assert!(host.contains(registrable_domain(&host)));
    }

    #[test]
    fn any_bytes_are_read_as_a_page(bytes in prop_oneof![jumble(HTML), vec(any::<u8>(), 0..600)]) {
        check_html(&bytes)?;
    }

    #[test]
    fn any_bytes_are_read_as_a_sitemap(bytes in prop_oneof![jumble(XML), vec(any::<u8>(), 0..600)]) {
        check_sitemap(&bytes)?;
    }

    #[test]
    fn any_bytes_are_read_as_robots_txt(bytes in prop_oneof![jumble(ROBOTS), vec(any::<u8>(), 0..600)]) {
        check_robots(&bytes)?;
    }

    #[test]
    fn any_bytes_are_read_as_a_stylesheet(bytes in prop_oneof![jumble(CSS), vec(any::<u8>(), 0..600)]) {
        check_css(&bytes)?;
    }

    #[test]
    fn any_header_is_read(bytes in prop_oneof![jumble(HEADERS), vec(any::<u8>(), 0..200)]) {
        check_headers(&bytes)?;
    }

    #[test]
    fn any_bytes_become_valid_text(
        bytes in vec(any::<u8>(), 0..600),
        content_type in proptest::option::of("text/html(; ?charset=\\PC{0,12})?"),
        detects in any::<bool>(),
    ) {
        check_charset(&bytes, content_type.as_deref(), detects)?;
    }

    #[test]
    fn a_link_limit_drops_exactly_the_rest(bytes in jumble(HTML), limit in 1_usize..6) {
        let text = String::from_utf8_lossy(&bytes);
        let all = read_html(&text);
        let settings = ParseSettings::default();
        let some = html::read(html::Document { url: &page(), html: &text, encoding: "UTF-8", settings: &settings, links_limit: limit, hooks: &[], columns: &[] });
        prop_assert_eq!(some.links.len() + some.links_cut, all.links.len());
        prop_assert!(some.links.len() <= limit);
    }
}

/// Inputs that make careless readers quadratic or deep; they are read to their end.
#[test]
fn one_word_repeated_without_end_is_read_like_any_other_input() {
    const TIMES: usize = 20_000;
    let repeated = |word: &str| word.repeat(TIMES).into_bytes();
    for word in HTML {
        let text = String::from_utf8(repeated(word)).unwrap();
        let reading = read_html(&text);
        assert!(reading.page.dom_depth <= 512 || reading.page.is_depth_cut, "{word}");
    }
    for (words, check) in [
        (XML, check_sitemap as fn(&[u8]) -> Result<(), TestCaseError>),
        (ROBOTS, check_robots),
        (CSS, check_css),
        (HEADERS, check_headers),
    ] {
        for word in words {
            check(&repeated(word)).unwrap_or_else(|error| panic!("{word}: {error}"));
        }
    }
}
