//! Sitemaps as crawler-commons reads them.

use bluesnake_engine::parse::sitemap::{Sitemap, SitemapKind, SitemapLimits, read};
use bluesnake_engine::url::CanonicalUrl;
use serde_json::Value;

use super::{Tally, bytes, cases, json};

fn sitemap_of(case: &Value) -> Sitemap {
    let url = CanonicalUrl::parse(case["sitemap_url"].as_str().unwrap()).unwrap();
    let body = match case["body"].as_str() {
        Some(body) => body.as_bytes().to_vec(),
        None => bytes(&format!("sitemaps/{}", case["file"].as_str().unwrap())).unwrap(),
    };
    read(&url, case["content_type"].as_str(), &body, SitemapLimits { urls: 50_000, decoded_bytes: 50 << 20 })
}

fn is_kind(sitemap: &Sitemap, expected: &str) -> bool {
    match expected.split(' ').next().unwrap() {
        "urlset" => sitemap.kind == SitemapKind::UrlSet,
        "index" => sitemap.kind == SitemapKind::Index,
        "text" => sitemap.kind == SitemapKind::Text,
        "feed" => matches!(sitemap.kind, SitemapKind::Rss | SitemapKind::Atom),
        "error" => sitemap.problem.is_some() || !sitemap.entries.is_empty(),
        other => panic!("a new kind of case: {other}"),
    }
}

fn has_urls(sitemap: &Sitemap, expected: &[Value]) -> bool {
    let found: Vec<&str> = sitemap.entries.iter().map(|entry| entry.url.as_str()).collect();
    found == expected.iter().map(|url| url.as_str().unwrap()).collect::<Vec<_>>()
}

/// Dates are compared by their first 19 letters, because we keep them as written and do not convert zones.
fn has_date(sitemap: &Sitemap, url: &str, expected: Option<&str>) -> bool {
    let moment = |date: &str| date.chars().take(19).collect::<String>();
    let entry = sitemap.entries.iter().find(|entry| entry.url.as_str() == url).unwrap();
    entry.last_modified.as_deref().map(moment) == expected.map(moment)
}

#[test]
fn we_read_what_crawler_commons_reads() {
    let Some(all) = json("sitemaps/cases.json") else { return };
    let mut tally = Tally::of("sitemaps/cases.json");
    for case in cases(&all) {
        let (name, sitemap) = (case["name"].as_str().unwrap(), sitemap_of(case));
        if name.starts_with("external entity") {
            assert!(sitemap.entries.is_empty() && sitemap.problem.is_some(), "{sitemap:?}");
            tally.check(true, String::new);
            continue;
        }
        let has_kind = is_kind(&sitemap, case["expect_kind"].as_str().unwrap());
        let has_count = case["expect_count"].as_u64().is_none_or(|count| sitemap.entries.len() as u64 == count);
        let has_urls = case["expect_urls"].as_array().is_none_or(|urls| has_urls(&sitemap, urls));
        let has_dates = case["expect_lastmod"]
            .as_object()
            .is_none_or(|dates| dates.iter().all(|(url, date)| has_date(&sitemap, url, date.as_str())));
        let is_whole = has_kind && has_count && has_urls && has_dates;
        tally.check(is_whole && (has_entries(case) != sitemap.entries.is_empty()), || format!("{name}: {sitemap:?}"));
    }
    tally.finish(40);
}

/// Whether any entry is to be found: everywhere but in the one body that is no sitemap.
fn has_entries(case: &Value) -> bool {
    case["expect_count"] != 0
}

#[test]
fn the_dates_of_a_feed_are_kept_as_written() {
    let Some(body) = bytes("sitemaps/xmlRss_pubDate.xml") else { return };
    let url = CanonicalUrl::parse("http://www.example.com/rss.xml").unwrap();
    let sitemap = read(&url, None, &body, SitemapLimits { urls: 100, decoded_bytes: 1 << 20 });
    let dated: Vec<bool> = sitemap.entries.iter().map(|entry| entry.last_modified.is_some()).collect();
    // The reference drops the fifth, which has no time zone.
    assert_eq!(dated, [true, true, true, true, true, false, false]);
}

#[test]
fn alternates_and_images_are_found() {
    let Some(links) = bytes("sitemaps/sitemap-links.xml") else { return };
    let images = bytes("sitemaps/sitemap-images.xml").unwrap();
    let url = CanonicalUrl::parse("http://www.example.com/sitemap.xml").unwrap();
    let limits = SitemapLimits { urls: 100, decoded_bytes: 1 << 20 };
    let with_links = read(&url, None, &links, limits);
    assert!(with_links.entries.iter().all(|entry| entry.alternates.len() == 3), "{with_links:?}");
    assert_eq!(with_links.entries[0].alternates[1].0, "de-ch");
    let with_images = read(&url, None, &images, limits);
    assert_eq!(with_images.entries[0].images[1].as_str(), "http://example.com/photo.jpg");
}
