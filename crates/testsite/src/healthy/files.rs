//! What is not a page: robots.txt, sitemaps, llms.txt, and the files of the content delivery network.

use super::document::{Document, Tongue};
use crate::reply::Reply;
use crate::site::Site;
use crate::sitemap;

const LLMS: &str = "# Alder House\n\n> A small workshop that makes lamps, tables, chairs, shelves and clocks of wood.\n\n\
    ## About us\n\n- [About our house]({self}/about): who works here\n- [Help]({self}/help/): answers for customers\n\n\
    ## Blog\n\n- [Our blog]({self}/blog/): what we learned\n";

const DRAWING: &str =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"120\" height=\"40\"><rect width=\"120\" height=\"40\"/></svg>\n";

pub(super) fn of_site(documents: &[Document]) -> Site {
    let listed = |tongue| {
        let paths = documents.iter().filter(|document| document.tongue == tongue).map(|document| &document.path);
        sitemap::xml(paths)
    };
    Site::new()
        .robots("User-agent: *\nDisallow: /letters\nSitemap: {self}/sitemap.xml\n")
        .reply("/sitemap.xml", sitemap::index(["/sitemap-en.xml", "/sitemap-de.xml"]))
        .reply("/sitemap-en.xml", listed(Tongue::English))
        .reply("/sitemap-de.xml", listed(Tongue::German))
        .reply("/llms.txt", Reply::text("text/plain; charset=utf-8", LLMS))
        .reply("/llms-full.txt", Reply::text("text/plain; charset=utf-8", LLMS))
        .reply("/favicon.png", crate::planted::png(0))
}

pub(super) fn cdn() -> Site {
    let css = "body { max-width: 60em; margin: auto; font-family: serif }\n".repeat(30);
    let script = "document.documentElement.classList.add('has-script');\n".repeat(30);
    let woods = ["oak", "ash", "pine", "elm", "beech", "maple", "walnut", "cherry", "birch"];
    let site = Site::new()
        .reply("/site.css", Reply::text("text/css", css).encode("gzip"))
        .reply("/site.js", Reply::text("text/javascript", script).encode("gzip"))
        .reply("/logo.svg", Reply::text("image/svg+xml", DRAWING))
        .reply("/house.png", crate::planted::png(0));
    woods.iter().fold(site, |site, wood| site.reply(&format!("/goods/{wood}.png"), crate::planted::png(20_000)))
}
