//! The audit: every check finds the page built to trigger it, and no check reports anything on a sound site.
//!
//! A page is a template with slots; a faulty page has other content in some of them.

use std::collections::BTreeSet;

use bluesnake_app::plan::{CheckExternal, Mechanisms};
use bluesnake_app::{App, AuditRequest, Caller, RunState, Span};
use serde_json::json;
use testsite::{Fault, Reply, Running, Site, Tls, sitemap};

use crate::running::open;

const HOST: &str = "www.site.test";
const OTHER: &str = "other.test";

const TEMPLATE: &str = "<!doctype html>\n<html[lang]><head><meta charset=\"utf-8\">[title][description][viewport][canonical]\
    [data]</head><body>[h1][h2][text][links]</body></html>";

/// The slots of a sound page; `[name]` is the name of the page, `[path]` its path.
const SOUND: &[(&str, &str)] = &[
    ("[lang]", " lang=\"en\""),
    ("[title]", "<title>A page of the test site about [name]</title>"),
    (
        "[description]",
        "<meta name=description content=\"Everything that a visitor of this site may want to know about [name], in few words.\">",
    ),
    ("[viewport]", "<meta name=viewport content=\"width=device-width\">"),
    ("[canonical]", "<link rel=canonical href=\"{self}[path]\">"),
    ("[data]", "<script type=\"application/ld+json\">{\"@type\": \"WebPage\", \"name\": \"[name]\"}</script>"),
    ("[h1]", "<h1>All about [name]</h1>"),
    ("[h2]", "<h2>More about [name]</h2>"),
    ("[links]", "<p><a href=\"/\">Back to the start</a></p>"),
];

/// Faulty pages: path, the checks that must report it, and the slots that differ.
type FaultyPage = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

#[rustfmt::skip]
const FAULTY: &[FaultyPage] = &[
    ("/title-missing", &["title-missing"], &[("[title]", "")]),
    ("/title-twin", &["title-duplicate"], &[("[title]", "<title>Two pages of this site share their title</title>")]),
    ("/title-other-twin", &["title-duplicate"], &[("[title]", "<title>Two pages of this site share their title</title>")]),
    ("/title-long", &["title-too-long"], &[("[title]", "<title>This title goes on and on, and would not end at the sixtieth character</title>")]),
    ("/title-short", &["title-too-short"], &[("[title]", "<title>Short</title>")]),
    ("/title-as-heading", &["title-same-as-h1"], &[("[title]", "<title>All about [name]</title>")]),
    ("/title-twice", &["title-multiple"], &[("[title]", "[title][title]")]),
    ("/title-in-body", &["title-outside-head"], &[("[text]", "<title>A title that stands in the body</title>[text]")]),
    ("/description-missing", &["description-missing"], &[("[description]", "")]),
    ("/description-twin", &["description-duplicate"], &[("[description]", "<meta name=description content=\"Two pages of this site are described in the same words, so nobody can tell them apart.\">")]),
    ("/description-other-twin", &["description-duplicate"], &[("[description]", "<meta name=description content=\"Two pages of this site are described in the same words, so nobody can tell them apart.\">")]),
    ("/description-long", &["description-too-long"], &[("[description]", "<meta name=description content=\"A description that goes on and on, adds one thing to another, forgets what it was about, remembers it again, and still does not come to an end before the limit.\">")]),
    ("/description-short", &["description-too-short"], &[("[description]", "<meta name=description content=Short>")]),
    ("/description-twice", &["description-multiple"], &[("[description]", "[description][description]")]),
    ("/description-in-body", &["description-outside-head"], &[("[text]", "[description][text]")]),
    ("/keywords-twice", &["keywords-multiple"], &[("[data]", "[data]<meta name=keywords content=a><meta name=keywords content=b>")]),
    ("/h1-missing", &["h1-missing"], &[("[h1]", "")]),
    ("/h1-empty", &["h1-missing"], &[("[h1]", "<h1> </h1>")]),
    ("/h1-twin", &["h1-duplicate"], &[("[h1]", "<h1>The same heading</h1>")]),
    ("/h1-other-twin", &["h1-duplicate"], &[("[h1]", "<h1>The same heading</h1>")]),
    ("/h1-long", &["h1-too-long"], &[("[h1]", "<h1>A heading that goes on and on and would not end at the seventieth character</h1>")]),
    ("/h1-twice", &["h1-multiple"], &[("[h1]", "[h1]<h1>Another heading</h1>")]),
    ("/h1-late", &["h1-non-sequential"], &[("[h1]", "<h3>First of all</h3>[h1]")]),
    ("/h1-image", &["h1-alt-text"], &[("[h1]", "<h1><img src=/logo.png width=1 height=1 alt=\"The logo\"></h1>")]),
    ("/h2-missing", &["h2-missing"], &[("[h2]", "")]),
    ("/h2-twin", &["h2-duplicate"], &[("[h2]", "<h2>The same part</h2>")]),
    ("/h2-other-twin", &["h2-duplicate"], &[("[h2]", "<h2>The same part</h2>")]),
    ("/h2-long", &["h2-too-long"], &[("[h2]", "<h2>A heading that goes on and on and would not end at the seventieth character</h2>")]),
    ("/h2-twice", &["h2-multiple"], &[("[h2]", "[h2]<h2>Another part</h2>")]),
    ("/h2-late", &["h2-non-sequential"], &[("[h2]", "<h3>A level too deep</h3>[h2]")]),
    ("/few-words", &["low-content"], &[("[text]", "<p>Few words.</p>")]),
    ("/lorem", &["lorem-ipsum"], &[("[text]", "[text]<p>Lorem ipsum dolor sit amet.</p>")]),
    ("/not-there", &["soft-404"], &[("[title]", "<title>We are sorry: page not found</title>")]),
    ("/image-empty-alt", &["image-missing-alt-text"], &[("[text]", "[text]<img src=/logo.png alt=\"\" width=1 height=1>")]),
    ("/image-no-alt", &["image-missing-alt-attribute"], &[("[text]", "[text]<img src=/logo.png width=1 height=1>")]),
    ("/image-long-alt", &["image-alt-too-long"], &[("[text]", "[text]<img src=/logo.png width=1 height=1 alt=\"A picture that is described with so many words that nobody who has to listen to all of them will ever want to hear them\">")]),
    ("/image-no-size", &["image-missing-size"], &[("[text]", "[text]<img src=/logo.png alt=\"The logo\">")]),
    ("/heavy", &[], &[("[text]", "[text]<img src=/large.png alt=\"A large picture\" width=1 height=1><script src=/large.js></script>")]),
    ("/canonical-missing", &["canonical-missing"], &[("[canonical]", "")]),
    ("/canonicalised", &["canonicalised"], &[("[canonical]", "<link rel=canonical href=\"{self}/\">")]),
    ("/canonical-twice", &["canonical-multiple"], &[("[canonical]", "[canonical][canonical]")]),
    ("/canonical-conflict", &["canonical-conflicting"], &[("[canonical]", "[canonical]<link rel=canonical href=\"{self}/\">")]),
    ("/canonical-relative", &["canonical-relative"], &[("[canonical]", "<link rel=canonical href=\"[path]\">")]),
    ("/canonical-in-body", &["canonical-outside-head"], &[("[canonical]", ""), ("[text]", "[text]<link rel=canonical href=\"{self}/\">")]),
    ("/canonical-moved", &["canonical-redirect", "canonical-non-indexable"], &[("[canonical]", "<link rel=canonical href=\"{self}/moved\">")]),
    ("/canonical-chain", &["canonical-chain", "canonical-non-indexable"], &[("[canonical]", "<link rel=canonical href=\"{self}/canonicalised\">")]),
    ("/canonical-hidden", &[], &[("[canonical]", "<link rel=canonical href=\"{self}/only-canonical\">")]),
    ("/canonical-fragment", &["canonical-fragment"], &[("[canonical]", "<link rel=canonical href=\"{self}[path]#part\">")]),
    ("/canonical-typed", &["canonical-invalid-attribute"], &[("[canonical]", "<link rel=canonical type=\"text/html\" href=\"{self}[path]\">")]),
    ("/noindex", &["noindex", "non-indexable-in-sitemap"], &[("[data]", "[data]<meta name=robots content=noindex>"), ("[links]", "[links]<a href=/from-noindex>A page</a>")]),
    ("/nofollow", &["nofollow"], &[("[data]", "[data]<meta name=robots content=nofollow>")]),
    ("/none", &["none", "noindex", "nofollow"], &[("[data]", "[data]<meta name=robots content=none>")]),
    ("/robots-words", &["noimageindex", "nosnippet", "notranslate", "noodp", "noydir"], &[("[data]", "[data]<meta name=robots content=\"noimageindex, nosnippet, notranslate, noodp, noydir\">")]),
    ("/unavailable", &["unavailable-after"], &[("[data]", "[data]<meta name=robots content=\"unavailable_after: 25 Jun 2030 15:00:00 PST\">")]),
    ("/robots-in-body", &["directives-outside-head"], &[("[text]", "[text]<meta name=robots content=index>")]),
    ("/no-way-out", &["no-internal-outlinks"], &[("[links]", "")]),
    ("/nofollow-links", &["internal-nofollow-outlinks"], &[("[links]", "[links]<a href=/only-nofollow rel=nofollow>One</a> <a href=/mixed-inlinks rel=nofollow>Two</a>")]),
    ("/mixed-inlinks", &["follow-and-nofollow-inlinks"], &[]),
    ("/vague-link", &["non-descriptive-anchor-text"], &[("[links]", "[links]<a href=/few-words>Click here</a>")]),
    ("/wordless-link", &["no-anchor-text"], &[("[links]", "[links]<a href=/few-words><img src=/logo.png alt=\"\"></a>")]),
    ("/link-to-localhost", &["localhost-outlinks"], &[("[links]", "[links]<a href=\"http://localhost/\">My own machine</a>")]),
    ("/link-to-moved", &["outlinks-to-redirects"], &[("[links]", "[links]<a href=/moved>The old address</a>")]),
    ("/link-to-gone", &["outlinks-to-broken-pages"], &[("[links]", "[links]<a href=/gone>Nothing</a>")]),
    ("/script-link", &["uncrawlable-outlinks"], &[("[links]", "[links]<a href=\"javascript:go()\">Somewhere</a>")]),
    ("/deep-1", &[], &[("[links]", "[links]<a href=/deep-2>Deeper</a>")]),
    ("/hreflang-gone", &["hreflang-non-200", "hreflang-missing-x-default"], &[("[data]", "<link rel=alternate hreflang=en href=[path]><link rel=alternate hreflang=de href=/gone>")]),
    ("/hreflang-alone", &["hreflang-missing-return", "hreflang-missing-self"], &[("[data]", "<link rel=alternate hreflang=de href=/title-long>")]),
    ("/hreflang-code", &["hreflang-incorrect-code"], &[("[data]", "<link rel=alternate hreflang=en-UK href=[path]>")]),
    ("/hreflang-language", &["hreflang-incorrect-code"], &[("[data]", "<link rel=alternate hreflang=english href=[path]>")]),
    ("/hreflang-in-body", &["hreflang-outside-head"], &[("[text]", "[text]<link rel=alternate hreflang=en href=[path]>")]),
    ("/hreflang-twice", &["hreflang-multiple-entries"], &[("[data]", "<link rel=alternate hreflang=en href=[path]><link rel=alternate hreflang=en href=/title-long>")]),
    ("/hreflang-elsewhere", &["hreflang-not-canonical"], &[("[canonical]", "<link rel=canonical href=\"{self}/\"><link rel=alternate hreflang=en href=[path]>")]),
    ("/hreflang-english", &["hreflang-inconsistent-return"], &[("[data]", "<link rel=alternate hreflang=en href=[path]><link rel=alternate hreflang=de href=/hreflang-austrian>")]),
    ("/hreflang-austrian", &[], &[("[data]", "<link rel=alternate hreflang=de-AT href=[path]><link rel=alternate hreflang=en href=/hreflang-english>")]),
    ("/hreflang-to-copy", &["hreflang-non-canonical-return"], &[("[data]", "<link rel=alternate hreflang=de href=/canonicalised>")]),
    ("/hreflang-to-noindex", &["hreflang-noindex-return"], &[("[data]", "<link rel=alternate hreflang=de href=/noindex>")]),
    ("/hreflang-hidden", &[], &[("[data]", "<link rel=alternate hreflang=de href=/only-hreflang>")]),
    ("/list-gone", &["pagination-non-200"], &[("[data]", "<link rel=next href=/gone>")]),
    ("/list-broken", &["pagination-sequence-error"], &[("[data]", "<link rel=next href=/>")]),
    ("/list-silent", &["pagination-not-in-anchor"], &[("[data]", "<link rel=next href=/only-next>")]),
    ("/list-noindex", &["pagination-non-indexable"], &[("[data]", "<meta name=robots content=noindex><link rel=next href=/>")]),
    ("/list-twice", &["pagination-multiple"], &[("[data]", "<link rel=next href=/><link rel=next href=/title-long>")]),
    ("/list-round", &["pagination-loop"], &[("[data]", "<link rel=next href=/list-and-round>")]),
    ("/list-and-round", &["pagination-loop"], &[("[data]", "<link rel=next href=/list-round>")]),
    ("/data-missing", &["structured-data-missing"], &[("[data]", "")]),
    ("/data-broken", &["structured-data-parse-error"], &[("[data]", "<script type=\"application/ld+json\">{broken</script>")]),
    ("/head-invalid", &["invalid-in-head"], &[("[data]", "[data]<div>No place for this</div>")]),
    ("/lang-missing", &["html-lang-missing"], &[("[lang]", "")]),
    ("/viewport-missing", &["viewport-missing"], &[("[viewport]", "")]),
    ("/refresh", &["internal-meta-refresh"], &[("[data]", "[data]<meta http-equiv=refresh content=\"0; url=/\">")]),
    ("/form", &["form-url-insecure"], &[("[text]", "[text]<form action=\"http://www.site.test/send\"><input name=q></form>")]),
    ("/mixed", &["mixed-content"], &[("[text]", "[text]<img src=\"[plain]/picture.png\" alt=\"A picture\" width=1 height=1>")]),
    ("/new-window", &["unsafe-cross-origin-link"], &[("[links]", "[links]<a href=\"{host:other.test}/\" target=_blank>Elsewhere</a>")]),
    ("/protocol-relative", &["protocol-relative-resource"], &[("[text]", "[text]<script src=\"//www.site.test/x.js\"></script>")]),
    ("/amp-version", &["amp-missing-return"], &[("[lang]", " lang=en amp"), ("[canonical]", "<link rel=canonical href=\"{self}/\">")]),
    ("/UpperCase", &["url-uppercase"], &[]),
    ("/under_score", &["url-underscores"], &[]),
    ("/%C3%A9t%C3%A9", &["url-non-ascii"], &[]),
    ("/parameter?a=1", &["url-parameters"], &[]),
    ("/slash//slash", &["url-multiple-slashes"], &[]),
    ("/a%20space", &["url-contains-space"], &[]),
    ("/same/same/again", &["url-repetitive-path"], &[]),
    ("/tracked?utm_source=x", &["url-tracking-parameters"], &[]),
    ("/a-path-that-goes-on-and-on-with-so-many-words-that-nobody-can-remember-them-all-or-would-like-to-write-them", &["url-too-long"], &[]),
    ("/search?q=x", &["url-internal-search"], &[]),
    ("/outward-links", &[], &[("[links]", "[links]<a href=\"{host:other.test}/gone\">A</a> <a href=\"{host:other.test}/error\">B</a> <a href=\"{host:other.test}/forbidden\">C</a> <a href=\"{host:other.test}/silent\">D</a>")]),
];

/// Documents with broken structure, sent verbatim.
#[rustfmt::skip]
const BROKEN: &[(&str, &[&str], &str)] = &[
    ("/head-missing", &["head-missing"], "<!doctype html><html lang=en><title>Headless</title><body><p>Text</body></html>"),
    ("/head-twice", &["head-multiple"], "<html lang=en><head><title>One</title></head><head></head><body><p>Text</body></html>"),
    ("/body-missing", &["body-missing"], "<html lang=en><head><title>Bodiless</title></head><p>Text</html>"),
    ("/body-twice", &["body-multiple"], "<html lang=en><head><title>Two</title></head><body><p>Text<body><p>Text</body></html>"),
    ("/body-first", &["body-before-html"], "<body><html lang=en><head><title>Reversed</title></head><p>Text</html>"),
    ("/head-late", &["head-not-first"], "<html lang=en><p>Text<head><title>Late</title></head><body></body></html>"),
    ("/copy", &["exact-duplicate"], "<html lang=en><head><title>Copy</title></head><body><p>The same bytes.</body></html>"),
    ("/other-copy", &["exact-duplicate"], "<html lang=en><head><title>Copy</title></head><body><p>The same bytes.</body></html>"),
    (
        "/amp",
        &["amp-missing-canonical", "amp-viewport", "amp-charset", "amp-script", "amp-indexable"],
        "<html amp lang=en><head><title>AMP</title></head><body><p>Text</body></html>",
    ),
];

/// Pages that the start page does not link to.
const UNLINKED: &[(&str, &[&str])] = &[
    ("/orphan", &["orphan-url"]),
    ("/only-nofollow", &["nofollow-inlinks-only"]),
    ("/from-noindex", &["inlinks-from-non-indexable-only"]),
    ("/only-canonical", &["canonical-unlinked"]),
    ("/only-hreflang", &["hreflang-unlinked"]),
    ("/only-next", &["pagination-unlinked"]),
];

/// Other findings on the faulty site.
const OTHERS: &[(&str, &[&str])] = &[
    ("/", &["hsts-missing", "csp-missing", "nosniff-missing", "frame-options-missing", "referrer-policy-missing"]),
    ("/", &["url-in-multiple-sitemaps"]),
    ("/title-long", &["url-not-in-sitemap"]),
    ("/second.xml", &["nested-sitemap"]),
    ("/cookie", &["cookie-without-secure"]),
    ("/large", &["html-too-large"]),
    ("/large.png", &["image-too-large"]),
    ("/large.js", &["resource-too-large"]),
    ("/many-links", &["high-internal-outlinks", "high-external-outlinks"]),
    ("/deep-4", &["high-crawl-depth"]),
    ("/silent", &["internal-no-response"]),
    ("/gone", &["internal-client-error"]),
    ("/error", &["internal-server-error"]),
    ("/private", &["internal-blocked-by-robots"]),
    ("/moved", &["internal-redirection"]),
    ("/chain", &["internal-redirect-chain"]),
    ("/loop", &["internal-redirect-loop"]),
    ("/moved-to-gone", &["redirect-to-broken-page"]),
];

const OUTSIDE: &[(&str, &[&str])] = &[
    ("/gone", &["external-client-error"]),
    ("/error", &["external-server-error"]),
    ("/forbidden", &["external-refused-check"]),
    ("/silent", &["external-no-response"]),
];

/// The page at a path, with these slots replaced.
fn html(path: &str, slots: &[(&str, &str)]) -> String {
    let name: String = path.trim_matches('/').chars().take(28).collect();
    let name = if name.is_empty() { "start" } else { &name };
    let text = "<p>Here is a sentence with exactly nine words.</p>\n".repeat(25);
    let filled = slots.iter().fold(TEMPLATE.to_owned(), |html, (slot, content)| html.replace(slot, content));
    let sound = SOUND.iter().fold(filled, |html, (slot, content)| html.replace(slot, content));
    sound.replace("[text]", &text).replace("[name]", name).replace("[path]", path)
}

fn with_links<'a>(paths: impl IntoIterator<Item = &'a str>) -> String {
    let links: String = paths.into_iter().map(|path| format!("<p><a href=\"{path}\">About {path}</a></p>\n")).collect();
    html("/", &[("[links]", &links)])
}

/// The site with every fault; `plain` is the origin of a site without TLS.
fn faulty(plain: &str) -> Site {
    let own =
        ["/cookie", "/large", "/many-links", "/silent", "/gone", "/error", "/private", "/moved", "/chain", "/loop"];
    let linked =
        FAULTY.iter().map(|page| page.0).chain(BROKEN.iter().map(|page| page.0)).chain(own).chain(["/moved-to-gone"]);
    let mut site = Site::new()
        .robots("User-agent: *\nDisallow: /private\nSitemap: {self}/sitemap.xml\nSitemap: {self}/second.xml\n")
        .reply("/sitemap.xml", sitemap::xml(["/", "/orphan", "/only-nofollow", "/noindex", "/second.xml"]))
        .reply("/second.xml", sitemap::xml(["/"]))
        .reply("/", Reply::html(with_links(linked)))
        .reply("/cookie", Reply::html(html("/cookie", &[])).header("Set-Cookie", "session=1; Path=/"))
        .reply("/large", Reply::html(html("/large", &[]) + &format!("<!-- {} -->", " ".repeat(2 << 20))))
        .reply("/many-links", Reply::html(html("/many-links", &[("[links]", &many_links())])))
        .reply("/logo.png", Reply::bytes("image/png", *b"\x89PNG\r\n\x1a\n"))
        .reply("/large.png", Reply::bytes("image/png", vec![0; 110_000]))
        .reply("/large.js", Reply::bytes("text/javascript", vec![b' '; (2 << 20) + 1]))
        .fault("/silent", Fault::DropBeforeHeaders)
        .reply("/error", Reply::status(500))
        .redirect("/moved", 301, "/title-long")
        .redirect("/chain", 301, "/moved")
        .redirect("/loop", 302, "/loop-on")
        .redirect("/loop-on", 302, "/loop")
        .redirect("/moved-to-gone", 301, "/gone");
    for (path, _, slots) in FAULTY {
        site = site.reply(path, Reply::html(html(path, slots).replace("[plain]", plain)));
    }
    for (path, _, document) in BROKEN {
        site = site.reply(path, Reply::html(*document));
    }
    for (path, _) in UNLINKED {
        site = site.reply(path, Reply::html(html(path, &[])));
    }
    for (path, next) in [("/deep-2", "/deep-3"), ("/deep-3", "/deep-4"), ("/deep-4", "/")] {
        site = site.reply(path, Reply::html(html(path, &[("[links]", &format!("<a href={next}>Deeper</a>"))])));
    }
    site
}

fn many_links() -> String {
    "<a href=/>Start</a> ".repeat(1001) + &"<a href=\"{host:other.test}/\">Elsewhere</a> ".repeat(101)
}

fn elsewhere() -> Site {
    Site::new()
        .reply("/", Reply::html(html("/", &[])))
        .reply("/error", Reply::status(500))
        .reply("/forbidden", Reply::status(403))
        .fault("/silent", Fault::DropBeforeHeaders)
}

/// A site without faults, with pagination, language versions, an image and an external link.
fn healthy() -> Site {
    let versions = "[data]<link rel=alternate hreflang=en href=\"{self}/english\"><link rel=alternate hreflang=de-AT \
        href=\"{self}/german\"><link rel=alternate hreflang=zh-Hant href=\"{self}/chinese\"><link rel=alternate hreflang=x-default \
        href=\"{self}/english\">";
    let image =
        "[text]<img src=/logo.png alt=\"The logo\" width=1 height=1><form action=\"{self}/send\"><input name=q></form>";
    let outward = "[links]<a href=\"{host:other.test}/\" target=_blank rel=noopener>A page of another site</a>";
    let first =
        [("[data]", "[data]<link rel=next href=/list/2>"), ("[links]", "[links]<a href=/list/2>The next page</a>")];
    let second =
        [("[data]", "[data]<link rel=prev href=/list>"), ("[links]", "[links]<a href=/list>The previous page</a>")];
    let pages: [(&str, &[(&str, &str)]); 6] = [
        ("/english", &[("[data]", versions), ("[text]", image)]),
        ("/german", &[("[data]", versions), ("[links]", outward)]),
        ("/chinese", &[("[data]", versions)]),
        ("/list", &first),
        ("/list/2", &second),
        ("/2024/01/01/plain-%5B", &[]),
    ];
    let paths = pages.map(|page| page.0);
    let sound = |html: String| {
        Reply::html(html)
            .header("Strict-Transport-Security", "max-age=31536000")
            .header("Content-Security-Policy", "default-src 'self'")
            .header("X-Content-Type-Options", "nosniff")
            .header("X-Frame-Options", "SAMEORIGIN")
            .header("Referrer-Policy", "strict-origin-when-cross-origin")
            .header("Set-Cookie", "session=1; Path=/; Secure; HttpOnly")
            .header("X-Robots-Tag", "somebot: noindex, nofollow")
    };
    let site = Site::new()
        .robots("User-agent: *\nSitemap: {self}/sitemap.xml\n")
        .reply("/sitemap.xml", sitemap::xml(["/"].into_iter().chain(paths)))
        .reply("/logo.png", Reply::bytes("image/png", *b"\x89PNG\r\n\x1a\n"))
        .reply("/", sound(with_links(paths)));
    pages.iter().fold(site, |site, (path, slots)| site.reply(path, sound(html(path, slots))))
}

fn secure(own: Site) -> Site {
    Site::new().host(HOST, own).host(OTHER, elsewhere()).tls(Tls::trusted())
}

/// A finding: check, URL, detail.
type Finding = (String, String, String);

/// Crawls a site to its end, which audits it.
async fn audit(app: &App, site: &Running, seed: &str) -> Vec<Finding> {
    let ended = app.start(request(site, seed), Caller::operator()).await.unwrap().wait().await;
    assert_eq!(ended.state, RunState::Completed);
    findings(app, ended.run.unwrap()).await
}

/// A crawl of a loopback server, without politeness.
fn request(site: &Running, seed: &str) -> AuditRequest {
    let mut request = AuditRequest { urls: vec![seed.to_owned()], ..AuditRequest::default() };
    let settings = &mut request.settings;
    settings.politeness.rate = Some(0.0);
    settings.politeness.parallelism = Some(8);
    settings.politeness.robots_retry_ms = Some(vec![1]);
    settings.fetch.allow_private = Some(true);
    settings.fetch.attempts = Some(1);
    (settings.fetch.timeout_ms, settings.fetch.idle_timeout_ms) = (Some(500), Some(500));
    settings.fetch.total_timeout_ms = Some(1_000);
    settings.fetch.resolve = Some(vec!["*.test:127.0.0.1".to_owned()]);
    settings.discover.mechanisms = Some(Mechanisms::Both);
    settings.resources.check_external = Some(CheckExternal::All);
    if seed.starts_with("https") {
        let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ca-{}.pem", site.port()));
        std::fs::write(&file, site.ca_pem()).expect("the folder of a test can be written");
        settings.fetch.ca_file = Some(file);
    }
    request
}

async fn findings(app: &App, run: i64) -> Vec<Finding> {
    let mut all = Vec::new();
    for check in app.issues(run).await.unwrap().checks {
        let mut rows = Vec::new();
        while (rows.len() as u64) < check.findings {
            let span: Span = serde_json::from_value(json!({ "offset": rows.len(), "limit": 100 })).unwrap();
            rows.extend(app.issue_rows(run, check.id, span).await.unwrap().items);
        }
        all.extend(rows.into_iter().map(|row| (check.id.to_owned(), row.url, row.detail.unwrap_or_default())));
    }
    all
}

/// Every check with the URLs that it must report on the faulty sites.
fn expected(site: &Running, plain: &Running) -> BTreeSet<(String, String)> {
    let inside = FAULTY.iter().map(|(path, checks, _)| (*path, *checks));
    let inside = inside.chain(BROKEN.iter().map(|(path, checks, _)| (*path, *checks)));
    let inside = inside.chain(UNLINKED.iter().copied()).chain(OTHERS.iter().copied());
    let inside = inside.map(|(path, checks)| (site.url_on(HOST, path), checks));
    let outside = OUTSIDE.iter().map(|(path, checks)| (site.url_on(OTHER, path), *checks));
    let open: &[&str] = &["http-url", "form-on-http-url"];
    let all = inside.chain(outside).chain([(plain.url_on(HOST, "/"), open)]);
    all.flat_map(|(url, checks)| checks.iter().map(move |check| (check.to_string(), url.clone()))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_find_their_faults() {
    let app = open("faults").await;
    let form = html("/", &[("[text]", "[text]<form><input name=q></form>")]);
    let plain = Site::new().host(HOST, Site::new().reply("/", Reply::html(form))).start().await;
    let site = secure(faulty(&plain.url_on(HOST, ""))).start().await;

    let mut found = audit(&app, &site, &site.url_on(HOST, "/")).await;
    found.extend(audit(&app, &plain, &plain.url_on(HOST, "/")).await);

    let expected = expected(&site, &plain);
    let reported: BTreeSet<(String, String)> =
        found.iter().map(|(check, url, _)| (check.clone(), url.clone())).collect();
    let overlooked: Vec<_> = expected.difference(&reported).collect();
    assert!(overlooked.is_empty(), "not reported: {overlooked:#?}");
    let different: BTreeSet<&Finding> = found.iter().collect();
    assert_eq!(different.len(), found.len(), "a check reported a finding twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_site_has_no_findings() {
    let app = open("sound").await;
    let site = secure(healthy()).start().await;
    let mut found = audit(&app, &site, &site.url_on(HOST, "/")).await;
    // The larger healthy site of `audit.rs` is sound in these respects too.
    let others = ["compression-missing", "cookie-without-samesite", "favicon-missing", "open-graph-missing"];
    found.retain(|finding| !others.contains(&finding.0.as_str()));
    assert!(found.is_empty(), "{found:#?}");
}

/// Once, the first canonical was reported, which is the one from the header if there is one.
#[tokio::test(flavor = "multi_thread")]
async fn findings_about_canonicals_show_the_offending_one() {
    let app = open("canonicals").await;
    let faults = [
        ("canonical-relative", "<link rel=canonical href=/relative>", "/relative"),
        ("canonical-fragment", "<link rel=canonical href=\"{self}/#part\">", "#part"),
        ("canonical-invalid-attribute", "<link rel=canonical media=print href=\"{self}/print\">", "/print"),
        ("canonical-outside-head", "<body>Words<link rel=canonical href=\"{self}/body\">", "/body"),
    ];
    let home = Reply::html(faults.map(|(check, ..)| format!("<a href=/{check}>x</a>")).concat());
    let site = faults.iter().fold(Site::new().reply("/", home), |site, (check, html, _)| {
        let page = Reply::html(format!("<title>{check}</title>{html}"));
        site.reply(&format!("/{check}"), page.header("Link", "<http://other.test/fine>; rel=canonical"))
    });
    let site = site.start().await;
    let found = audit(&app, &site, &site.url("/")).await;
    for (check, _, offending) in faults {
        let detail = found.iter().find(|(id, url, _)| id == check && url.ends_with(check)).map(|(.., detail)| detail);
        assert!(detail.is_some_and(|detail| detail.ends_with(offending)), "{check}: {detail:?}");
    }
}

/// A page that was not visited yet may link to it.
#[tokio::test(flavor = "multi_thread")]
async fn missing_things_are_reported_only_on_completed_runs() {
    let app = open("missing").await;
    let site = secure(faulty("http://www.site.test")).start().await;
    let mut request = request(&site, &site.url_on(HOST, "/"));
    request.settings.limits.session_budget = Some(20);
    let ended = app.start(request, Caller::operator()).await.unwrap().wait().await;
    assert_eq!(ended.state, RunState::Paused);
    let run = ended.run.unwrap();
    let found = findings(&app, run).await;
    let reported: BTreeSet<&str> = found.iter().map(|(check, ..)| check.as_str()).collect();
    assert!(reported.contains("title-missing"), "faults of visited pages are reported: {reported:?}");
    let checks = app.issues(run).await.unwrap().checks;
    for absent in
        ["orphan-url", "url-not-in-sitemap", "canonical-unlinked", "hreflang-unlinked", "nofollow-inlinks-only"]
    {
        assert!(!reported.contains(absent), "{absent}");
        let check = checks.iter().find(|check| check.id == absent).unwrap();
        assert!(check.not_checked.is_some(), "{absent} counts as checked");
    }
}
