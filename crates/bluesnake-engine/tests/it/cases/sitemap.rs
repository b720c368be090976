//! Sitemaps and feeds as sites publish them: wrong media types, compressed, with extensions, broken.

use std::io::Write as _;

use bluesnake_engine::parse::sitemap::{Sitemap, SitemapKind, SitemapLimits, read};
use bluesnake_engine::url::CanonicalUrl;

fn parse_as(content_type: Option<&str>, body: &[u8]) -> Sitemap {
    let url = CanonicalUrl::parse("https://example.com/maps/sitemap.xml").unwrap();
    read(&url, content_type, body, SitemapLimits { urls: 50_000, decoded_bytes: 50 << 20 })
}

fn parse(body: &str) -> Sitemap {
    parse_as(None, body.as_bytes())
}

fn urls(sitemap: &Sitemap) -> Vec<&str> {
    sitemap.entries.iter().map(|entry| entry.url.as_str()).collect()
}

#[track_caller]
fn check(body: &str, kind: SitemapKind, expected: &[&str]) {
    let sitemap = parse(body);
    assert_eq!((sitemap.kind, urls(&sitemap).as_slice()), (kind, expected), "{body}");
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

const FIVE: &str = "<?xml version='1.0' encoding='UTF-8'?>\n\
    <urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n\
    <url><loc>https://example.com/</loc><lastmod>2024-01-01</lastmod></url>\n\
    <url><loc>https://example.com/catalog?item=1&amp;page=2</loc><changefreq>weekly</changefreq></url>\n\
    <url><loc> https://example.com/3 </loc><priority>0.3</priority></url>\n\
    <url><loc>/4</loc></url><url><loc>5</loc></url></urlset>";

const FIVE_URLS: [&str; 5] = [
    "https://example.com/",
    "https://example.com/catalog?item=1&page=2",
    "https://example.com/3",
    "https://example.com/4",
    "https://example.com/maps/5",
];

#[test]
fn the_media_type_does_not_matter() {
    let text = FIVE_URLS.join("\n");
    let types = [
        "text/xml",
        "application/xml",
        "application/x-xml",
        "application/atom+xml",
        "application/rss+xml",
        "text/plain",
        "text/html",
        "application/gzip",
        "application/x-gzip",
        "application/x-gunzip",
        "application/gzipped",
        "application/gzip-compressed",
        "gzip/document",
        "application/octet-stream",
        "application/bogus",
        "",
    ];
    for content_type in types.into_iter().map(Some).chain([None]) {
        for body in [FIVE.as_bytes().to_vec(), gzip(FIVE)] {
            let sitemap = parse_as(content_type, &body);
            assert_eq!((sitemap.kind, urls(&sitemap)), (SitemapKind::UrlSet, FIVE_URLS.to_vec()), "{content_type:?}");
            assert_eq!(sitemap.entries[0].last_modified.as_deref(), Some("2024-01-01"));
        }
        for body in [text.as_bytes().to_vec(), gzip(&text)] {
            let sitemap = parse_as(content_type, &body);
            assert_eq!((sitemap.kind, urls(&sitemap)), (SitemapKind::Text, FIVE_URLS.to_vec()), "{content_type:?}");
        }
    }
}

#[test]
fn byte_order_marks_and_white_space_before_a_sitemap_are_skipped() {
    check(&format!("\u{feff}\n \t\r\n{FIVE}"), SitemapKind::UrlSet, &FIVE_URLS);
    check(
        "\u{feff}https://a.example/1\r\nhttps://a.example/2",
        SitemapKind::Text,
        &["https://a.example/1", "https://a.example/2"],
    );
    check(
        "<sitemapindex><sitemap><loc>\u{a0}\u{2003}/1.xml\u{3000}</loc></sitemap></sitemapindex>",
        SitemapKind::Index,
        &["https://example.com/1.xml"],
    );
}

#[test]
fn namespaces_do_not_matter() {
    for namespace in
        ["http://www.sitemaps.org/schemas/sitemap/0.9", "http://www.google.com/schemas/sitemap/0.84", "wrong"]
    {
        let plain = format!("<urlset xmlns='{namespace}'><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>");
        check(&plain, SitemapKind::UrlSet, &["https://example.com/1", "https://example.com/2"]);
        let prefixed = format!("<s:urlset xmlns:s='{namespace}'><s:url><s:loc>/1</s:loc></s:url></s:urlset>");
        check(&prefixed, SitemapKind::UrlSet, &["https://example.com/1"]);
    }
}

#[test]
fn the_urls_of_extensions_are_not_pages() {
    let inside = |extension: &str| format!("<urlset><url><loc>/page</loc>{extension}</url></urlset>");
    let extensions = [
        "<image:image><image:loc>/a.png</image:loc></image:image>",
        "<video:video><video:thumbnail_loc>/t.jpg</video:thumbnail_loc><video:content_loc>/v.mp4</video:content_loc>\
         <video:player_loc allow_embed='yes'>/player</video:player_loc></video:video>",
        "<news:news><news:publication><news:name>N</news:name></news:publication><news:title>T</news:title></news:news>",
        "<mobile:mobile/>",
        "<PageMap><DataObject type='document'><Attribute name='a' value='/x'/></DataObject></PageMap>",
        "<xhtml:link rel='alternate' hreflang='de' href='/de'/>",
    ];
    for extension in extensions {
        check(&inside(extension), SitemapKind::UrlSet, &["https://example.com/page"]);
    }
    let sitemap = parse(&inside(&extensions.concat()));
    assert_eq!(sitemap.entries[0].images[0].as_str(), "https://example.com/a.png");
    assert_eq!(sitemap.entries[0].alternates[0].0, "de");
}

#[test]
fn feeds_are_sitemaps() {
    let rss = "<?xml version='1.0'?><rss version='2.0'><channel><title>t</title><link>https://example.com/</link>\
        <item><link>/1</link><pubDate>Wed, 02 Oct 2002 08:00:00 EST</pubDate></item>\
        <item><link>/2</link><pubDate>Wed, 02 Oct 2002 13:00</pubDate></item><item><link>/3</link></item></channel></rss>";
    check(rss, SitemapKind::Rss, &["https://example.com/1", "https://example.com/2", "https://example.com/3"]);
    let dates: Vec<Option<String>> = parse(rss).entries.into_iter().map(|entry| entry.last_modified).collect();
    let expected = [Some("Wed, 02 Oct 2002 08:00:00 EST".to_owned()), Some("Wed, 02 Oct 2002 13:00".to_owned()), None];
    assert_eq!(dates, expected, "dates are kept as written");
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='/'/>\
        <entry><link href='/1'/><updated>2003-12-13T18:30:02Z</updated></entry></feed>";
    check(atom, SitemapKind::Atom, &["https://example.com/1"]);
    assert_eq!(parse(atom).entries[0].last_modified.as_deref(), Some("2003-12-13T18:30:02Z"));
}

#[test]
fn what_comes_before_an_error_is_kept() {
    let cut = &FIVE[..FIVE.find("<priority>").unwrap()];
    check(cut, SitemapKind::UrlSet, &FIVE_URLS[..3]);
    check("<urlset><url><loc>/1</loc></url></sitemap>", SitemapKind::UrlSet, &["https://example.com/1"]);
    check(
        "<sitemapindex><sitemap><loc>/1</loc></sitemap><sitemap><loc>/2</lo",
        SitemapKind::Index,
        &["https://example.com/1", "https://example.com/2"],
    );
    check("<urlset><url><loc><url>/1</url></loc></url></urlset>", SitemapKind::UrlSet, &["https://example.com/1"]);
}

#[test]
fn entries_without_a_location_are_skipped_with_their_dates() {
    let index = "<sitemapindex><sitemap><loc>/1</loc><lastmod>2001-01-01</lastmod><sitemap><loc>/2</loc>\
        <sitemap><lastmod>2003-03-03</lastmod></sitemap><sitemap><loc>/4</loc></sitemap></sitemapindex>";
    check(index, SitemapKind::Index, &["https://example.com/1", "https://example.com/2", "https://example.com/4"]);
    let dates: Vec<Option<String>> = parse(index).entries.into_iter().map(|entry| entry.last_modified).collect();
    assert_eq!(dates, [Some("2001-01-01".to_owned()), None, None]);
}

#[test]
fn nothing_outside_the_file_is_read() {
    let external =
        "<!DOCTYPE urlset [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&x;</loc></url></urlset>";
    let sitemap = parse(external);
    assert!(sitemap.entries.is_empty() && sitemap.problem.is_some(), "{sitemap:?}");
    let included = "<urlset xmlns:xi='http://www.w3.org/2001/XInclude'><url><loc>/1</loc></url>\
        <url><loc><xi:include href='file:///etc/passwd' parse='text'/></loc></url></urlset>";
    check(included, SitemapKind::UrlSet, &["https://example.com/1"]);
}

#[test]
fn other_texts_are_not_sitemaps() {
    let sitemap = parse_as(Some("application/octet-stream"), b"this is not a sitemap");
    assert!(sitemap.entries.is_empty() && sitemap.problem.is_some(), "{sitemap:?}");
}
