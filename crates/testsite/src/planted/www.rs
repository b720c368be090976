//! `www.planted.test`: a page for nearly every check.

use std::time::Duration;

use super::leaf::{Leaf, page};
use super::plot::Plot;
use super::{canonicals, content, directives, headings, hreflang, links, pagination, responses, security, structure};
use super::{titles, urls};
use crate::fault::Fault;
use crate::random::Dice;
use crate::reply::Reply;
use crate::site::Site;

/// How long the slow page takes: more than any other page on a busy machine.
const SLOW: Duration = Duration::from_secs(3);

/// Pages of the section whose menu has a broken link.
const ARCHIVE_PAGES: usize = 40;

const SECTIONS: [&str; 19] = [
    "responses",
    "security",
    "urls",
    "titles",
    "descriptions",
    "headings",
    "content",
    "images",
    "canonicals",
    "directives",
    "links",
    "hreflang",
    "pagination",
    "sitemaps",
    "data",
    "validation",
    "amp",
    "performance",
    "archive",
];

const THEMES: [&[Leaf<'_>]; 12] = [
    responses::PAGES,
    security::PAGES,
    urls::PAGES,
    titles::PAGES,
    headings::PAGES,
    content::PAGES,
    canonicals::PAGES,
    directives::PAGES,
    links::PAGES,
    hreflang::PAGES,
    pagination::PAGES,
    structure::PAGES,
];

pub(super) fn site() -> Site {
    let mut plot = Plot::new(&SECTIONS);
    plot.leaf(
        &page("/", &[], &[("[links]", "<p>This site has a problem on nearly every page.</p>")]).named("the start"),
    );
    plant_pages(&mut plot);
    plant_archive(&mut plot);
    plant_responses(&mut plot);
    plant_files(&mut plot);
    plant_sitemaps(&mut plot);
    plot.finish()
}

fn plant_pages(plot: &mut Plot) {
    let internal = format!("<ul>{}</ul>", "<li><a href=\"{self}/about\">About this site</a></li>\n".repeat(1001));
    let external = format!("<ul>{}</ul>", "<li><a href=\"{host:other.test}/\">Another site</a></li>\n".repeat(101));
    let comment = format!("[text]<!-- {} -->", words(2 << 20));
    let (internal, external, comment) = ([("[links]", &*internal)], [("[links]", &*external)], [("[text]", &*comment)]);
    let made = [
        page("/links/many-internal", &["high-internal-outlinks"], &internal),
        page("/links/many-external", &["high-external-outlinks=101"], &external),
        page("/validation/large", &["html-too-large"], &comment),
        page("/performance/slow", &["slow-response"], &[]).after(SLOW),
    ];
    for section in SECTIONS.iter().filter(|name| **name != "archive") {
        let hub = format!("/{section}/");
        let all = THEMES.into_iter().flatten().chain(&made);
        plot.section(&hub, all.filter(|leaf| leaf.path.starts_with(&hub)));
    }
}

/// Forty pages whose own menu has a link that leads nowhere.
fn plant_archive(plot: &mut Plot) {
    let trail = "<nav class=\"breadcrumb\"><a href=\"{self}/\">Start page</a> <a href=\"{self}/archive/\">The archive</a> \
                 <a href=\"{self}/archive/lost\">The lost volume</a></nav>\n";
    let slots = [("[trail]", trail)];
    let reports = ["outlinks-to-broken-pages={self}/archive/lost"];
    let paths: Vec<String> = (1..=ARCHIVE_PAGES).map(|number| format!("/archive/volume-{number}")).collect();
    let leaves: Vec<Leaf<'_>> = paths.iter().map(|path| page(path, &reports, &slots)).collect();
    plot.section("/archive/", leaves.iter());
    plot.reply("/archive/lost", Reply::status(404), &["internal-client-error=404"]);
}

fn plant_responses(plot: &mut Plot) {
    plot.fault("/responses/silent", Fault::DropBeforeHeaders, &["internal-no-response"]);
    plot.reply("/responses/gone", Reply::status(404), &["internal-client-error=404", "non-indexable-in-sitemap"]);
    plot.reply("/responses/removed", Reply::status(410), &["internal-client-error=410"]);
    plot.reply("/responses/forbidden", Reply::status(403), &["internal-client-error=403"]);
    plot.reply("/responses/error", Reply::status(500), &["internal-server-error=500"]);
    plot.reply("/responses/bad-gateway", Reply::status(502), &["internal-server-error=502"]);
    plot.reply("/media/gone.png", Reply::status(404), &["internal-client-error=404"]);
    plot.reports("/private/page", &["internal-blocked-by-robots", "non-indexable-in-sitemap"]);
    plot.redirect("/responses/moved", 301, "{self}/about", &["non-indexable-in-sitemap"]);
    plot.redirect("/responses/found", 302, "{self}/about", &[]);
    plot.redirect("/responses/see-other", 303, "{self}/about", &[]);
    plot.redirect("/responses/temporary", 307, "{self}/about", &[]);
    plot.redirect("/responses/permanent", 308, "{self}/about", &[]);
    let chain = ["internal-redirect-chain={self}/about"];
    plot.redirect("/responses/chain-1", 301, "{self}/responses/chain-2", &chain);
    plot.redirect("/responses/chain-2", 301, "{self}/responses/chain-3", &chain);
    plot.redirect("/responses/chain-3", 301, "{self}/about", &[]);
    plot.redirect("/responses/loop-1", 302, "{self}/responses/loop-2", &["internal-redirect-loop"]);
    plot.redirect("/responses/loop-2", 302, "{self}/responses/loop-1", &["internal-redirect-loop"]);
    let to_gone = ["redirect-to-broken-page={self}/responses/gone"];
    plot.redirect("/responses/moved-to-gone", 301, "{self}/responses/gone", &to_gone);
    let to_silent = ["redirect-to-broken-page={self}/responses/silent"];
    plot.redirect("/responses/moved-to-silent", 301, "{self}/responses/silent", &to_silent);
    plot.reports("//other.test/gone", &["external-client-error=404"]);
    plot.reports("//other.test/gone.png", &["external-client-error=404"]);
    plot.reports("//other.test/error", &["external-server-error=500"]);
    plot.reports("//other.test/silent", &["external-no-response"]);
    plot.reports("https://dead.invalid/", &["external-no-response"]);
    plot.reports("http://localhost:1/", &["external-no-response"]);
    for (path, status) in
        [("unauthorized", 401), ("forbidden", 403), ("unacceptable", 406), ("legal", 451), ("denied", 999)]
    {
        plot.reports(&format!("//other.test/{path}"), &[&format!("external-refused-check={status}")]);
    }
    plot.reports("//busy.test/", &["external-refused-check=429"]);
    plot.reports("//challenge.test/", &["external-refused-check"]);
}

/// Files that pages refer to.
fn plant_files(plot: &mut Plot) {
    let css = "body { background: white; color: black }\n".repeat(50);
    let script = "console.log('a line of a script');\n".repeat(50);
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", "<path d=\"M0 0 L10 10\"/>\n".repeat(50));
    let uncompressed = ["compression-missing"];
    plot.reply("/media/logo.png", super::png(0), &[]);
    plot.reply("/media/large.png", super::png(110_000), &["image-too-large"]);
    plot.reply("/media/really-a-png.jpg", super::png(0).header("Content-Type", "image/jpeg"), &["bad-content-type"]);
    plot.reply("/media/uncompressed.css", Reply::text("text/css", &*css), &uncompressed);
    plot.reply("/media/uncompressed.js", Reply::text("text/javascript", &*script), &uncompressed);
    plot.reply("/media/uncompressed.svg", Reply::text("image/svg+xml", svg), &uncompressed);
    plot.reply("/media/compressed.css", Reply::text("text/css", css).encode("gzip"), &[]);
    plot.reply("/media/small.css", Reply::text("text/css", "body { color: black }\n"), &[]);
    let large = format!("// {}", words(2 << 20));
    plot.reply("/media/large.js", Reply::text("text/javascript", large).encode("gzip"), &["resource-too-large"]);
}

/// One sitemap with every page, one that lists a page again, and that one as a page of the first.
fn plant_sitemaps(plot: &mut Plot) {
    let others = ["/responses/gone", "/responses/moved", "/private/page", "/second.xml"];
    plot.sitemap("/sitemap.xml", &others);
    plot.reports("/second.xml", &["nested-sitemap"]);
    plot.sitemap("/second.xml", &["/sitemaps/twice"]);
    plot.edit(|site| {
        site.robots("User-agent: *\nDisallow: /private\nSitemap: {self}/sitemap.xml\nSitemap: {self}/second.xml\n")
    });
}

/// Words of at least this many bytes. They compress like text, so that no client takes them for a bomb.
fn words(bytes: usize) -> String {
    let mut dice = Dice::new(15);
    let mut text = String::with_capacity(bytes + 1_000);
    while text.len() < bytes {
        text.push_str(&crate::words::some(&mut dice, 50));
        text.push(' ');
    }
    text
}
