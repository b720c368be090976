//! What looks like a fault, but is not one.

use bluesnake_engine::link::Position;
use bluesnake_engine::{LinkKind, Reason, Task};
use serde_json::json;

use super::{just, signature, versions};
use crate::world::{Node, Reference, World};

/// A check that must find nothing, and what looks like its fault.
type Harmless = (&'static str, fn(&mut World));

const HARMLESS: &[Harmless] = &[
    ("title-too-long", |world| world.page("/x").text().title = "i".repeat(60)),
    ("title-too-short", |world| world.page("/x").text().title = "m".repeat(30)),
    ("title-too-short", |world| world.page("/x").text().title = String::new()),
    ("description-too-short", |world| world.page("/x").text().description = String::new()),
    ("title-duplicate", |world| {
        world.page("/x").text().title = "Two pages of this site share their title".into();
        world.page("/y").noindex().text().title = "Two pages of this site share their title".into();
    }),
    ("low-content", |world| world.page("/x").text().main_words = 200),
    ("h1-missing", |world| {
        world.page("/x").fact("headings", json!([[1, "", "The logo"], [2, "h2"]])).text().h1 = String::new();
    }),
    ("exact-duplicate", |world| {
        world.page("/x").raw_hash = 77;
        world.page("/y").raw_hash = 77;
        world.node("/y").body_bytes = 5_001;
    }),
    ("near-duplicate", |world| {
        world.page("/x").text().signature = Some(signature(64));
        world.page("/y").text().signature = Some(signature(55));
    }),
    ("near-duplicate", |world| {
        for path in ["/x", "/y"] {
            world.page(path).raw_hash = 77;
            world.node(path).text().signature = Some(signature(64));
        }
    }),
    ("readability-difficult", |world| {
        let page = world.page("/x").fact("reading_sample", json!([300, 15, 508]));
        page.text().lang = "de".into();
    }),
    ("url-uppercase", |world| just(world.page("/%C3%BC"))),
    ("url-repetitive-path", |world| just(world.page("/2024/01/01/x"))),
    ("url-internal-search", |world| just(world.page("/research?seq=1"))),
    ("slash-twin", |world| just(world.redirect("/a/", "/a"))),
    ("case-twin", |world| just(world.redirect("/A", "/a"))),
    ("case-twin", |world| {
        world.page("/x?id=a");
        world.page("/x?id=A");
    }),
    ("case-twin", |world| {
        ["/i.png", "/I.png"].into_iter().for_each(|path| _ = world.linked(Node::responded(path, 200)))
    }),
    ("mixed-content", |world| {
        world.page("/x").link(Reference::new("http://other.test/logo.png", LinkKind::JsonLdImage));
    }),
    ("image-missing-alt-text", |world| just(world.page("/x").link(Reference::new("/i.png", LinkKind::Image)))),
    ("readability-difficult", |world| {
        let page = world.page("/x").fact("reading_sample", json!([300, 40, 400]));
        page.text().lang = "en_US".into();
    }),
    ("javascript-redirect", |world| just(world.page("/x").fact("script_redirect", json!("/next")))),
    ("canonical-conflicting", |world| {
        world.page("/x").link(Reference::new("/x", LinkKind::Canonical));
    }),
    ("canonicalised", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Canonical).at(Position::Content));
    }),
    ("canonical-non-indexable", |world| just(world.page("/x").canonical("/a"))),
    ("canonical-missing", |world| {
        let page = world.page("/x").noindex().fact("canonicals", json!(null));
        page.links.retain(|link| link.kind != "canonical");
    }),
    ("noindex", |world| just(world.page("/x").header("x-robots-tag", Some("otherbot: noindex")))),
    ("charset-missing", |world| {
        world.page("/x").fact("charset", json!(null)).fact("header_charset", json!("utf-8"));
    }),
    ("charset-missing", |world| {
        world.page("/x").fact("charset", json!(null)).fact("has_bom", json!(true));
    }),
    ("compression-missing", |world| {
        let page = world.page("/x");
        page.header("content-encoding", None);
        page.body_bytes = 1_023;
    }),
    ("compression-missing", |world| {
        let mut node = Node::responded("/x.png", 200);
        (node.content_type, node.task, node.body_bytes) = ("image/png", Task::Resource, 50_000);
        world.add(node);
    }),
    ("favicon-missing", |world| {
        world.node("/").fact("icons", json!(null));
        world.add(Node::responded("/favicon.ico", 200));
    }),
    ("favicon-missing", |world| just(world.page("/x").fact("icons", json!(null)))),
    ("broken-fragment", |world| {
        world.page("/x").anchor("/a").fact("fragments", json!([[2, "/route"]]));
    }),
    ("broken-fragment", |world| {
        world.page("/x").anchor("https://other.test/").fact("fragments", json!([[2, "part"]]));
    }),
    ("hreflang-missing-return", |world| versions(world, &[("/en", "en"), ("/de", "de-AT"), ("/zh", "zh-Hant")])),
    ("hreflang-missing-x-default", |world| versions(world, &[("/en", "en"), ("/de", "de")])),
    ("hreflang-incorrect-code", |world| versions(world, &[("/en", "en"), ("/de", "de-AT"), ("/zh", "zh-Hant")])),
    ("hreflang-inconsistent-return", |world| versions(world, &[("/en", "en"), ("/de", "de-AT")])),
    ("hreflang-missing-self", |world| {
        world.page("/x").hreflang("de", "/a");
        let sitemap = world.add_guide("/versions.xml");
        sitemap.link(Reference::new("/x", LinkKind::SitemapEntry)).hreflang("en", "/x");
    }),
    ("pagination-sequence-error", |world| {
        world.page("/x").link(Reference::new("/y", LinkKind::Next)).anchor("/y");
        world.page("/y").link(Reference::new("/x", LinkKind::Prev)).anchor("/x");
    }),
    ("pagination-loop", |world| {
        world.page("/x").link(Reference::new("/y", LinkKind::Next)).anchor("/y");
        world.page("/y").link(Reference::new("/x", LinkKind::Prev)).anchor("/x");
    }),
    ("structured-data-missing-required", |world| {
        world
            .page("/x")
            .fact("json_ld_items", json!([["Review", ["author", "reviewRating", "itemReviewed"]], ["Product", []]]));
    }),
    ("internal-client-error", |world| {
        let node = world.node("/llms.txt");
        (node.status, node.reason) = (Some(404), Reason::ClientError);
    }),
    ("amp-script", |world| {
        world
            .page("/x")
            .fact("is_amp", json!(true))
            .link(Reference::new("https://cdn.ampproject.org/v0.js", LinkKind::Script));
    }),
    ("amp-missing-return", |world| {
        world.page("/x").fact("is_amp", json!(true)).canonical("/y");
        world.page("/y").link(Reference::new("/x", LinkKind::Amp));
    }),
    ("llms-txt-unverified-link", |world| {
        world.node("/llms.txt").link(Reference::new("https://other.test/", LinkKind::SitemapEntry));
    }),
    ("bad-content-type", |world| just(world.linked(Node::responded("/x.png", 200)))),
];

#[test]
fn harmless_variants_are_not_reported() {
    for (check, make) in HARMLESS {
        let mut world = World::sound();
        make(&mut world);
        assert_eq!(world.audit().found(check), [], "{check}");
    }
}
