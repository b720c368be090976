//! Faults of links between pages, and of lists of pages.

use bluesnake_engine::link::Rel;
use bluesnake_engine::{LinkKind, Reason};
use serde_json::json;

use super::{Case, just, versions};
use crate::world::{Node, Reference, World};

pub(super) const LINKS: &[Case] = &[
    ("high-internal-outlinks", "/x", "1001", |world| {
        let page = world.page("/x");
        (0..1_000).for_each(|_| just(page.anchor("/b")));
    }),
    ("high-external-outlinks", "/x", "101", |world| {
        let page = world.page("/x");
        (0..101).for_each(|_| just(page.anchor("https://other.test/")));
    }),
    ("no-internal-outlinks", "/x", "", |world| world.page("/x").links.retain(|link| link.kind != "anchor")),
    ("internal-nofollow-outlinks", "/x", "/a", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Anchor).rel(Rel::NOFOLLOW));
    }),
    ("non-descriptive-anchor-text", "/x", "/a", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Anchor).text("Click here"));
    }),
    ("no-anchor-text", "/x", "/a", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Anchor).text(""));
    }),
    ("localhost-outlinks", "/x", "http://localhost:8080/", |world| {
        world.page("/x").anchor("http://localhost:8080/");
    }),
    ("high-crawl-depth", "/d4", "4", |world| {
        world.page("/d1").anchor("/d2");
        for (path, next) in [("/d2", "/d3"), ("/d3", "/d4"), ("/d4", "/")] {
            world.listed(path).anchor(next);
        }
    }),
    ("outlinks-to-redirects", "/x", "/moved", |world| {
        world.redirect("/moved", "/a");
        world.node("/").links.retain(|link| !link.to.ends_with("/moved"));
        world.page("/x").anchor("/moved");
    }),
    ("outlinks-to-broken-pages", "/x", "/gone", |world| {
        world.add(Node::responded("/gone", 404));
        world.page("/x").anchor("/gone");
    }),
    ("broken-fragment", "/x", "/a#nowhere", |world| {
        // The canonical and the link to the start come first.
        world.page("/x").anchor("/a").fact("fragments", json!([[2, "nowhere"]]));
    }),
    ("broken-fragment", "/a", "/x#nowhere", |world| {
        world.node("/a").anchor("/x").fact("fragments", json!([[2, "nowhere"]]));
        world.page("/x").fact("ids", json!("AAECAwQF"));
    }),
    ("broken-fragment", "/x", "/x#nowhere", |world| {
        world.page("/x").fact("missing_fragments", json!(["nowhere"]));
    }),
    ("nofollow-inlinks-only", "/x", "1", |world| {
        world.node("/").link(Reference::new("/x", LinkKind::Anchor).rel(Rel::NOFOLLOW));
        world.listed("/x");
    }),
    ("inlinks-from-non-indexable-only", "/x", "1", |world| {
        world.page("/hidden").noindex().anchor("/x");
        world.listed("/x");
    }),
    ("uncrawlable-outlinks", "/x", "javascript:go()", |world| {
        world.page("/x").fact("uncrawlable", json!(["http://[", "javascript:go()"]));
    }),
    ("follow-and-nofollow-inlinks", "/a", "1", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Anchor).rel(Rel::NOFOLLOW));
    }),
];

pub(super) const VERSIONS: &[Case] = &[
    ("hreflang-non-200", "/en", "/gone", |world| {
        versions(world, &[("/en", "en"), ("/de", "de")]);
        world.node("/en").hreflang("fr", "/gone");
        world.add(Node::responded("/gone", 404));
    }),
    ("hreflang-missing-return", "/en", "/a", |world| {
        versions(world, &[("/en", "en"), ("/de", "de")]);
        world.node("/en").hreflang("fr", "/a");
    }),
    ("hreflang-incorrect-code", "/en", "en-uk", |world| versions(world, &[("/en", "en-UK")])),
    ("hreflang-missing-self", "/x", "", |world| just(world.page("/x").hreflang("de", "/a"))),
    ("hreflang-missing-x-default", "/x", "", |world| just(world.page("/x").hreflang("en", "/x"))),
    ("hreflang-outside-head", "/x", "2", |world| {
        world.page("/x").fact("hreflangs_outside_head", json!(2));
    }),
    ("hreflang-multiple-entries", "/en", "de", |world| {
        versions(world, &[("/en", "en"), ("/de", "de"), ("/at", "de")]);
    }),
    ("hreflang-not-canonical", "/de", "/a", |world| {
        versions(world, &[("/en", "en"), ("/de", "de")]);
        world.node("/de").canonical("/a");
    }),
    ("hreflang-inconsistent-return", "/en", "/at", |world| {
        world.page("/en").hreflang("en", "/en").hreflang("de", "/at");
        world.page("/at").hreflang("de-AT", "/at").hreflang("en", "/en");
    }),
    ("hreflang-non-canonical-return", "/en", "/de", |world| {
        versions(world, &[("/en", "en"), ("/de", "de")]);
        world.node("/de").canonical("/a");
    }),
    ("hreflang-noindex-return", "/en", "/de", |world| {
        versions(world, &[("/en", "en"), ("/de", "de")]);
        world.node("/de").noindex();
    }),
    ("hreflang-unlinked", "/de", "", |world| {
        world.page("/en").hreflang("de", "/de");
        world.listed("/de");
    }),
];

pub(super) const LISTS: &[Case] = &[
    ("pagination-non-200", "/x", "/gone", |world| {
        world.page("/x").link(Reference::new("/gone", LinkKind::Next));
        world.add(Node::responded("/gone", 404));
    }),
    ("pagination-sequence-error", "/x", "/a", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Next));
    }),
    ("pagination-not-in-anchor", "/x", "/a", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Next));
    }),
    ("pagination-non-indexable", "/x", "noindex", |world| {
        world.page("/x").noindex().link(Reference::new("/a", LinkKind::Prev));
    }),
    ("pagination-multiple", "/x", "next", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Next)).link(Reference::new("/b", LinkKind::Next));
    }),
    ("pagination-loop", "/x", "2", |world| {
        world.page("/x").link(Reference::new("/y", LinkKind::Next));
        world.page("/y").link(Reference::new("/x", LinkKind::Next));
    }),
    ("pagination-unlinked", "/y", "", |world| {
        world.page("/x").link(Reference::new("/y", LinkKind::Next));
        world.listed("/y");
    }),
    ("orphan-url", "/x", "/sitemap.xml", |world| just(world.listed("/x"))),
    ("non-indexable-in-sitemap", "/x", "noindex", |world| just(world.page("/x").noindex())),
    ("non-indexable-in-sitemap", "/gone", "error", |world| {
        world.node("/sitemap.xml").link(Reference::new("/gone", LinkKind::SitemapEntry));
        world.add(Node::responded("/gone", 404));
    }),
    ("url-in-multiple-sitemaps", "/a", "2", |world| {
        world.add_guide("/other.xml").link(Reference::new("/a", LinkKind::SitemapEntry));
    }),
    ("url-not-in-sitemap", "/x", "", |world| {
        world.page("/x");
        world.node("/sitemap.xml").links.retain(|link| !link.to.ends_with("/x"));
    }),
    ("nested-sitemap", "/other.xml", "", |world| {
        world.node("/sitemap.xml").link(Reference::new("/other.xml", LinkKind::SitemapEntry));
        world.add_guide("/other.xml").link(Reference::new("/a", LinkKind::SitemapEntry));
    }),
    ("sitemap-too-many-urls", "/sitemap.xml", "50001", |world| {
        let entry = Reference::new("/a", LinkKind::SitemapEntry);
        world.node("/sitemap.xml").links = vec![entry; 50_001];
    }),
    ("sitemap-too-large", "/sitemap.xml", "52428801", |world| world.node("/sitemap.xml").body_bytes = 52_428_801),
];

pub(super) const LLMS: &[Case] = &[
    ("llms-txt-missing", "/llms.txt", "", |world| {
        let node = world.node("/llms.txt");
        (node.status, node.reason, node.extracted) = (Some(404), Reason::ClientError, None);
    }),
    ("llms-txt-invalid", "/llms.txt", "", |world| llms(world, json!({"title": false, "summary": false}))),
    ("llms-txt-no-summary", "/llms.txt", "", |world| llms(world, json!({"title": true, "summary": false}))),
    ("llms-txt-malformed-links", "/llms.txt", "2", |world| {
        llms(world, json!({"title": true, "summary": true, "malformed": 2}));
    }),
    ("llms-full-txt-missing", "/llms-full.txt", "", |world| {
        let node = world.node("/llms-full.txt");
        (node.status, node.reason) = (Some(404), Reason::ClientError);
    }),
    ("llms-txt-broken-link", "/llms.txt", "/gone", |world| {
        world.node("/llms.txt").link(Reference::new("/gone", LinkKind::SitemapEntry));
        world.add(Node::responded("/gone", 404));
    }),
    ("llms-txt-non-indexable-link", "/llms.txt", "/x", |world| {
        world.node("/llms.txt").link(Reference::new("/x", LinkKind::SitemapEntry));
        world.page("/x").noindex();
    }),
    ("llms-txt-unverified-link", "/llms.txt", "https://other.test/x", |world| {
        world.node("/llms.txt").link(Reference::new("https://other.test/x", LinkKind::SitemapEntry));
    }),
];

fn llms(world: &mut World, facts: serde_json::Value) {
    world.node("/llms.txt").extracted = Some(json!({ "llms": facts }).to_string());
}
