//! Faults of responses, headers, URLs and directives.

use bluesnake_engine::fetch::FailureKind;
use bluesnake_engine::link::{PathType, Rel};
use bluesnake_engine::{LinkKind, Reason, Refusal};
use serde_json::json;

use super::{Case, just};
use crate::world::{Node, Reference, World, full};

pub(super) const RESPONSES: &[Case] = &[
    ("internal-no-response", "/x", "the connection was reset", |world| {
        let mut node = Node::mentioned("/x");
        (node.reason, node.attempts) = (Reason::Failed(FailureKind::Reset), 3);
        node.error = Some("the connection was reset");
        world.linked(node);
    }),
    ("internal-client-error", "/x", "404", |world| just(world.linked(Node::responded("/x", 404)))),
    ("internal-server-error", "/x", "500", |world| just(world.linked(Node::responded("/x", 500)))),
    ("internal-blocked-by-robots", "/x", "line 2: /x", |world| {
        let mut node = Node::mentioned("/x");
        (node.reason, node.detail) = (Reason::Refused(Refusal::Robots), Some("line 2: /x"));
        world.linked(node);
    }),
    ("internal-redirection", "/x", "/a", |world| just(world.redirect("/x", "/a"))),
    ("internal-meta-refresh", "/x", "/a", |world| {
        world.page("/x").fact("refresh", json!([0, "https://site.test/a"]));
    }),
    ("javascript-redirect", "/x", "/next", |world| {
        world.page("/x").fact("script_redirect", json!("/next")).text().words = 3;
    }),
    ("internal-redirect-chain", "/x", "/a", |world| {
        world.redirect("/x", "/y");
        world.redirect("/y", "/a");
    }),
    ("internal-redirect-loop", "/x", "/y", |world| {
        world.redirect("/x", "/y");
        world.redirect("/y", "/x");
    }),
    ("internal-redirect-loop", "/before", "/x", |world| {
        world.redirect("/before", "/x");
        world.redirect("/x", "/y");
        world.redirect("/y", "/x");
    }),
    ("redirect-to-broken-page", "/x", "/gone", |world| {
        world.redirect("/x", "/gone");
        world.add(Node::responded("/gone", 410));
    }),
    ("external-no-response", "https://dead.test/", "the host name does not resolve", |world| {
        let mut node = Node::mentioned("https://dead.test/");
        (node.reason, node.attempts) = (Reason::Failed(FailureKind::DnsNotFound), 1);
        node.error = Some("the host name does not resolve");
        world.linked(node);
    }),
    ("external-client-error", "https://other.test/x", "404", |world| {
        world.linked(Node::responded("https://other.test/x", 404));
    }),
    ("external-server-error", "https://other.test/x", "503", |world| {
        world.linked(Node::responded("https://other.test/x", 503));
    }),
    ("external-refused-check", "https://other.test/x", "403", |world| {
        world.linked(Node::responded("https://other.test/x", 403));
    }),
    ("slow-response", "/x", "1500 ms", |world| world.page("/x").first_byte_us = 1_500_000),
];

pub(super) const SECURITY: &[Case] = &[
    ("http-url", "http://site.test/x", "", |world| just(world.page("http://site.test/x"))),
    ("mixed-content", "/x", "http://other.test/a.png", |world| {
        world.page("/x").link(Reference::new("http://other.test/a.png", LinkKind::Image));
    }),
    ("form-url-insecure", "/x", "1", |world| just(world.page("/x").fact("insecure_forms", json!(1)))),
    ("form-on-http-url", "http://site.test/x", "2", |world| {
        world.page("http://site.test/x").fact("forms", json!(2));
    }),
    ("unsafe-cross-origin-link", "/x", "https://other.test/", |world| {
        world.page("/x").link(Reference::new("https://other.test/", LinkKind::Anchor).rel(Rel::NEW_WINDOW));
    }),
    ("protocol-relative-resource", "/x", "https://cdn.test/a.js", |world| {
        let script = Reference::new("https://cdn.test/a.js", LinkKind::Script);
        world.page("/x").link(script.path_type(PathType::ProtocolRelative));
    }),
    ("hsts-missing", "/x", "", |world| just(world.page("/x").header("strict-transport-security", None))),
    ("csp-missing", "/x", "", |world| just(world.page("/x").header("content-security-policy", None))),
    ("nosniff-missing", "/x", "", |world| just(world.page("/x").header("x-content-type-options", None))),
    ("frame-options-missing", "/x", "", |world| just(world.page("/x").header("x-frame-options", None))),
    ("referrer-policy-missing", "/x", "", |world| {
        world.page("/x").header("referrer-policy", Some("unsafe-url"));
    }),
    ("cookie-without-secure", "/x", "sid", |world| {
        world.page("/x").header("set-cookie", Some("sid=…; HttpOnly; SameSite=Lax"));
    }),
    ("cookie-without-httponly", "/x", "sid", |world| {
        world.page("/x").header("set-cookie", Some("sid=…; Secure; SameSite=Lax"));
    }),
    ("cookie-without-samesite", "/x", "sid", |world| {
        world.page("/x").header("set-cookie", Some("sid=…; Secure; HttpOnly"));
    }),
    ("server-banner", "/x", "Apache/2.4.41 (Ubuntu)", |world| {
        world.page("/x").header("server", Some("Apache/2.4.41 (Ubuntu)"));
    }),
    ("bad-content-type", "/x.png", "image/png, but looks like text/html", |world| {
        let mut node = Node::responded("/x.png", 200);
        (node.content_type, node.sniffed, node.kind) = ("image/png", Some("text/html"), LinkKind::Image);
        world.linked(node);
    }),
];

pub(super) const URLS: &[Case] = &[
    ("url-uppercase", "/About", "", |world| just(world.page("/About"))),
    ("url-underscores", "/a_b", "", |world| just(world.page("/a_b"))),
    ("url-non-ascii", "/%C3%BCber", "", |world| just(world.page("/%C3%BCber"))),
    ("url-parameters", "/x?page=2", "?page=2", |world| just(world.page("/x?page=2"))),
    ("url-multiple-slashes", "/x//y", "", |world| just(world.page("/x//y"))),
    ("url-contains-space", "/x%20y", "", |world| just(world.page("/x%20y"))),
    ("url-repetitive-path", "/x/y/x/z", "x", |world| just(world.page("/x/y/x/z"))),
    ("url-tracking-parameters", "/x?a=1&utm_source=mail", "?a=1&utm_source=mail", |world| {
        world.page("/x?a=1&utm_source=mail");
    }),
    ("url-too-long", LONG_PATH, "132", |world| just(world.page(LONG_PATH))),
    ("url-internal-search", "/search?text=x", "", |world| just(world.page("/search?text=x"))),
    ("url-internal-search", "/find?q=x", "", |world| just(world.page("/find?q=x"))),
    ("slash-twin", "/a/", "/a", |world| just(world.page("/a/"))),
    ("slash-twin", "/a", "/a/", |world| just(world.page("/a/"))),
    ("case-twin", "/A", "/a", |world| just(world.page("/A"))),
];

const LONG_PATH: &str = "/aaaaaaaaaaaaaaaaaaaa-aaaaaaaaaaaaaaaaaaaaaaa-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

pub(super) const INDEXING: &[Case] = &[
    ("canonical-missing", "/x", "", |world| {
        world.page("/x").fact("canonicals", json!(null)).links.retain(|link| link.kind != "canonical");
    }),
    ("canonicalised", "/x", "/a", |world| just(world.page("/x").canonical("/a"))),
    ("canonical-multiple", "/x", "2", |world| {
        world.page("/x").link(Reference::new("/x", LinkKind::Canonical));
    }),
    ("canonical-conflicting", "/x", "", |world| {
        world.page("/x").link(Reference::new("/a", LinkKind::Canonical));
    }),
    ("canonical-relative", "/x", "x", |world| {
        world.page("/x").fact("canonicals", json!([{"raw": "x", "path_type": "relative"}]));
    }),
    ("canonical-outside-head", "/x", "/x", |world| {
        let canonical = json!([{"raw": full("/x"), "path_type": "absolute", "outside_head": true}]);
        world.page("/x").fact("canonicals", canonical);
    }),
    ("canonical-non-indexable", "/x", "/y", |world| {
        world.page("/x").canonical("/y");
        world.page("/y").noindex();
    }),
    ("canonical-non-indexable", "/x", "/gone", |world| {
        world.page("/x").canonical("/gone");
        world.linked(Node::responded("/gone", 404));
    }),
    ("canonical-chain", "/x", "/a", |world| {
        world.page("/x").canonical("/y");
        world.page("/y").canonical("/a");
    }),
    ("canonical-redirect", "/x", "/moved", |world| {
        world.page("/x").canonical("/moved");
        world.redirect("/moved", "/a");
    }),
    ("canonical-unlinked", "/y", "", |world| {
        world.page("/x").canonical("/y");
        world.listed("/y");
    }),
    ("canonical-fragment", "/x", "/x#part", |world| {
        let canonical = json!([{"raw": full("/x#part"), "path_type": "absolute", "has_fragment": true}]);
        world.page("/x").fact("canonicals", canonical);
    }),
    ("canonical-invalid-attribute", "/x", "/x", |world| {
        let canonical = json!([{"raw": full("/x"), "path_type": "absolute", "has_invalid_attribute": true}]);
        world.page("/x").fact("canonicals", canonical);
    }),
    ("noindex", "/x", "noindex", |world| just(world.page("/x").noindex())),
    ("noindex", "/x", "noindex", |world| just(world.page("/x").header("x-robots-tag", Some("NOINDEX")))),
    ("nofollow", "/x", "nofollow", |world| just(world.page("/x").fact("directives", json!(["nofollow"])))),
    ("none", "/x", "noindex,nofollow,none", |world| {
        world.page("/x").fact("directives", json!(["noindex", "nofollow", "none"]));
    }),
    ("directives-outside-head", "/x", "index", |world| {
        world.page("/x").fact("directives", json!(["index"])).fact("directives_outside_head", json!(1));
    }),
    ("noimageindex", "/x", "noimageindex", |world| directive(world, "noimageindex")),
    ("unavailable-after", "/x", "unavailable_after:25 Jun 2030", |world| {
        directive(world, "unavailable_after:25 Jun 2030");
    }),
    ("nosnippet", "/x", "nosnippet", |world| directive(world, "nosnippet")),
    ("notranslate", "/x", "notranslate", |world| directive(world, "notranslate")),
    ("noodp", "/x", "noodp", |world| directive(world, "noodp")),
    ("noydir", "/x", "noydir", |world| directive(world, "noydir")),
];

fn directive(world: &mut World, directive: &str) {
    world.page("/x").fact("directives", json!([directive]));
}
