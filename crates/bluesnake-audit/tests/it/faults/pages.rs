//! Faults of texts, images and documents.

use bluesnake_engine::link::Rel;
use bluesnake_engine::{LinkKind, Task};
use serde_json::json;

use super::{Case, just, signature};
use crate::world::{Node, Reference};

/// A page with a title that is too long in every respect.
const LONG: &str = "A text that goes on and on, adds one thing to another, forgets what it was about, remembers it again, and \
    still does not come to an end before the limit, whichever it is, and then some more of it";

pub(super) const TEXTS: &[Case] = &[
    ("title-missing", "/x", "", |world| world.page("/x").text().title = " ".into()),
    ("title-duplicate", "/x", "Two pages of this site share their title", |world| {
        world.page("/x").text().title = "Two pages of this site share their title".into();
        world.page("/y").text().title = "Two pages of this site share their title ".into();
    }),
    ("title-too-long", "/x", "61", |world| world.page("/x").text().title = "i".repeat(61)),
    ("title-too-short", "/x", "29", |world| world.page("/x").text().title = "m".repeat(29)),
    ("title-too-wide", "/x", "576", |world| world.page("/x").text().title = "m".repeat(32)),
    ("title-too-narrow", "/x", "195", |world| world.page("/x").text().title = "i".repeat(39)),
    ("title-same-as-h1", "/x", "The very same text as the heading", |world| {
        let text = world.page("/x").text();
        text.title = "The very same text as the heading".into();
        text.h1 = text.title.clone();
    }),
    ("title-multiple", "/x", "2", |world| just(world.page("/x").fact("titles", json!(2)))),
    ("title-outside-head", "/x", "", |world| just(world.page("/x").fact("titles_outside_head", json!(1)))),
    ("description-missing", "/x", "", |world| world.page("/x").text().description = String::new()),
    (
        "description-duplicate",
        "/x",
        "Two pages of this site are described in the same words, which helps nobody.",
        |world| {
            for path in ["/x", "/y"] {
                world.page(path).text().description =
                    "Two pages of this site are described in the same words, which helps nobody.".into();
            }
        },
    ),
    ("description-too-long", "/x", "156", |world| world.page("/x").text().description = "i".repeat(156)),
    ("description-too-short", "/x", "69", |world| world.page("/x").text().description = "m".repeat(69)),
    ("description-too-wide", "/x", "1150", |world| world.page("/x").text().description = "m".repeat(100)),
    ("description-too-narrow", "/x", "307", |world| world.page("/x").text().description = "i".repeat(100)),
    ("description-multiple", "/x", "2", |world| just(world.page("/x").fact("descriptions", json!(2)))),
    ("description-outside-head", "/x", "", |world| {
        world.page("/x").fact("descriptions_outside_head", json!(1));
    }),
    ("keywords-multiple", "/x", "2", |world| just(world.page("/x").fact("keywords_count", json!(2)))),
    ("open-graph-missing", "/x", "og:description, og:image", |world| {
        world.page("/x").fact("open_graph", json!([["og:title", "t"], ["og:image", ""]]));
    }),
    ("favicon-missing", "/", "", |world| {
        world.node("/").fact("icons", json!(null));
        world.add(Node::responded("/favicon.ico", 404));
    }),
    ("h1-missing", "/x", "", |world| just(world.page("/x").fact("h1_count", json!(0)))),
    ("h1-missing", "/x", "", |world| world.page("/x").text().h1 = String::new()),
    ("h1-duplicate", "/x", "The same heading", |world| {
        world.page("/x").text().h1 = "The same heading".into();
        world.page("/y").text().h1 = "The same heading".into();
    }),
    ("h1-too-long", "/x", "71", |world| world.page("/x").text().h1 = "ä".repeat(71)),
    ("h1-multiple", "/x", "3", |world| just(world.page("/x").fact("h1_count", json!(3)))),
    ("h1-non-sequential", "/x", "", |world| {
        world.page("/x").fact("headings", json!([[3, "first"], [1, "h1"], [2, "h2"]]));
    }),
    ("h1-alt-text", "/x", "The logo", |world| {
        world.page("/x").fact("headings", json!([[1, "", "The logo"], [2, "h2"]]));
    }),
    ("h2-missing", "/x", "", |world| just(world.page("/x").fact("h2_count", json!(null)))),
    ("h2-duplicate", "/x", "The same part", |world| {
        world.page("/x").text().h2 = "The same part".into();
        world.page("/y").text().h2 = "The same part".into();
    }),
    ("h2-too-long", "/x", "71", |world| world.page("/x").text().h2 = "h".repeat(71)),
    ("h2-multiple", "/x", "2", |world| just(world.page("/x").fact("h2_count", json!(2)))),
    ("h2-non-sequential", "/x", "", |world| {
        world.page("/x").fact("headings", json!([[1, "h1"], [3, "too deep"], [2, "h2"]]));
    }),
    ("h2-non-sequential", "/x", "", |world| {
        world.page("/x").fact("headings", json!([[2, "h2"], [1, "h1"]]));
    }),
    ("low-content", "/x", "199", |world| world.page("/x").text().main_words = 199),
    ("exact-duplicate", "/y", "/x", |world| {
        world.page("/x").raw_hash = 77;
        world.page("/y").raw_hash = 77;
    }),
    ("exact-duplicate", "/x", "/y", |world| {
        world.page("/x").raw_hash = 77;
        world.page("/y").raw_hash = 77;
    }),
    ("near-duplicate", "/y", "97% similar to /x", |world| {
        world.page("/x").text().signature = Some(signature(64));
        world.page("/y").text().signature = Some(signature(62));
    }),
    ("lorem-ipsum", "/x", "1", |world| just(world.page("/x").fact("lorem_blocks", json!(1)))),
    ("soft-404", "/x", "We are sorry: Page Not Found on this site", |world| {
        world.page("/x").text().title = "We are sorry: Page Not Found on this site".into();
    }),
    ("readability-difficult", "/x", "43", |world| {
        world.page("/x").fact("reading_sample", json!([300, 15, 508]));
    }),
    ("readability-very-difficult", "/x", "15", |world| {
        world.page("/x").fact("reading_sample", json!([300, 10, 570]));
    }),
    ("image-missing-alt-text", "/x", "2", |world| {
        world.page("/x").fact("images_with_empty_alt", json!(2));
    }),
    ("image-missing-alt-text", "/x", "/logo.png", |world| {
        let logo = Reference::new("/logo.png", LinkKind::Image).rel(Rel::EMPTY_ALT).text("");
        world.page("/x").fact("images_with_empty_alt", json!(2)).link(logo);
    }),
    ("image-missing-alt-attribute", "/x", "/logo.png", |world| {
        let logo = Reference::new("/logo.png", LinkKind::Image).rel(Rel::NO_ALT).text("");
        world.page("/x").fact("images_without_alt", json!(1)).link(logo);
    }),
    ("image-missing-size", "/x", "/logo.png", |world| {
        let logo = Reference::new("/logo.png", LinkKind::Image).rel(Rel::NO_SIZE);
        world.page("/x").fact("images_without_size", json!(1)).link(logo);
    }),
    ("image-missing-alt-attribute", "/x", "1", |world| {
        world.page("/x").fact("images_without_alt", json!(1));
    }),
    ("image-alt-too-long", "/x", "/logo.png", |world| {
        world.page("/x").link(Reference::new("/logo.png", LinkKind::Image).text(LONG));
    }),
    ("image-missing-size", "/x", "4", |world| just(world.page("/x").fact("images_without_size", json!(4)))),
    ("image-too-large", "/x.png", "102401", |world| {
        let mut node = Node::responded("/x.png", 200);
        (node.kind, node.task, node.body_bytes) = (LinkKind::Image, Task::Resource, 102_401);
        world.add(node);
        world.page("/x").link(Reference::new("/x.png", LinkKind::Image));
    }),
];

pub(super) const DOCUMENTS: &[Case] = &[
    ("structured-data-missing", "/x", "", |world| just(world.page("/x").fact("json_ld_types", json!(null)))),
    ("structured-data-parse-error", "/x", "1", |world| {
        world.page("/x").fact("json_ld_errors", json!(1));
    }),
    ("structured-data-recovered", "/x", "1", |world| {
        world.page("/x").fact("json_ld_recovered", json!(1));
    }),
    ("structured-data-missing-required", "/x", "Event: location", |world| {
        world.page("/x").fact("json_ld_items", json!([["Event", ["name", "startDate"]]]));
    }),
    ("structured-data-missing-recommended", "/x", "Article: author", |world| {
        world.page("/x").fact("json_ld_items", json!([["Article", ["headline", "image", "datePublished"]]]));
    }),
    ("head-missing", "/x", "", |world| just(world.page("/x").fact("head_tags", json!(0)))),
    ("head-multiple", "/x", "2", |world| just(world.page("/x").fact("head_tags", json!(2)))),
    ("body-missing", "/x", "", |world| just(world.page("/x").fact("body_tags", json!(0)))),
    ("body-multiple", "/x", "2", |world| just(world.page("/x").fact("body_tags", json!(2)))),
    ("body-before-html", "/x", "", |world| just(world.page("/x").fact("is_body_before_html", json!(true)))),
    ("head-not-first", "/x", "", |world| just(world.page("/x").fact("is_head_not_first", json!(true)))),
    ("invalid-in-head", "/x", "div", |world| {
        world.page("/x").fact("invalid_head_elements", json!(["img", "div"]));
    }),
    ("html-too-large", "/x", "2097153", |world| world.page("/x").body_bytes = 2_097_153),
    ("charset-missing", "/x", "", |world| just(world.page("/x").fact("charset", json!(null)))),
    ("html-lang-missing", "/x", "", |world| world.page("/x").text().lang = String::new()),
    ("html-lang-invalid", "/x", "en_US", |world| world.page("/x").text().lang = "en_US".into()),
    ("resource-too-large", "/x.js", "2097153", |world| {
        let mut node = Node::responded("/x.js", 200);
        (node.kind, node.task, node.body_bytes) = (LinkKind::Script, Task::Resource, 2_097_153);
        world.add(node);
    }),
    ("compression-missing", "/x", "5000", |world| just(world.page("/x").header("content-encoding", None))),
    ("compression-missing", "/x.svg", "1024", |world| {
        let mut node = Node::responded("/x.svg", 200);
        (node.content_type, node.task, node.body_bytes) = ("image/svg+xml", Task::Resource, 1_024);
        world.add(node);
    }),
    ("viewport-missing", "/x", "", |world| just(world.page("/x").fact("viewport", json!(" ")))),
    ("viewport-missing", "/x", "", |world| just(world.page("/x").fact("viewport", json!(null)))),
    ("amp-missing-canonical", "/x", "", |world| {
        let page = world.page("/x").fact("is_amp", json!(true)).fact("canonicals", json!(null));
        page.links.retain(|link| link.kind != "canonical");
    }),
    ("amp-viewport", "/x", "width=500", |world| {
        world.page("/x").fact("is_amp", json!(true)).fact("viewport", json!("width=500"));
    }),
    ("amp-charset", "/x", "latin1", |world| {
        world.page("/x").fact("is_amp", json!(true)).fact("charset", json!("latin1"));
    }),
    ("amp-script", "/x", "", |world| just(world.page("/x").fact("is_amp", json!(true)))),
    ("amp-missing-return", "/x", "/a", |world| {
        world.page("/x").fact("is_amp", json!(true)).canonical("/a");
    }),
    ("amp-indexable", "/x", "", |world| just(world.page("/x").fact("is_amp", json!(true)))),
];
