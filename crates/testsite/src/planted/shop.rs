//! `shop.planted.test`: every page has the faults of its template, and the site lacks an icon and llms.txt.

use super::leaf::{Leaf, page};
use super::plot::Plot;
use crate::reply::Reply;
use crate::site::Site;

const GOODS: usize = 30;

/// What the template does wrong on each page.
const FAULTS: &[&str] = &[
    "hsts-missing",
    "csp-missing",
    "server-banner",
    "open-graph-missing",
    "structured-data-missing",
    "outlinks-to-broken-pages={self}/offers",
    "outlinks-to-redirects={self}/basket",
];

const FOOT: &str = "<p><a href=\"{self}/offers\">Offers of the week</a> <a href=\"{self}/basket\">Your basket</a> \
    <a href=\"{self}/goods/\">All goods</a></p>";

/// Makes a crawl request the icon.
const ICON: &str = "<p><img src=\"{self}/favicon.ico\" alt=\"The sign above the door\" width=1 height=1></p>";

pub(super) fn site() -> Site {
    let mut plot = Plot::bare(&["goods"]);
    let paths: Vec<String> = (1..=GOODS).map(|number| format!("/goods/article-{number}")).collect();
    let links: String =
        paths.iter().map(|path| format!("<li><a href=\"{{self}}{path}\">See {path}</a></li>")).collect();
    let links = format!("<ul>{links}</ul>");
    plot.leaf(&faulty("/", &slots(ICON)).named("the whole shop"));
    plot.leaf(&faulty("/goods/", &slots(&links)));
    for path in &paths {
        plot.leaf(&faulty(path, &slots("")));
    }
    plot.reply("/offers", Reply::status(404), &["internal-client-error=404"]);
    plot.redirect("/basket", 302, "{self}/", &[]);
    plot.reports("/", &["favicon-missing"]);
    plot.reply("/favicon.ico", Reply::status(404), &["internal-client-error=404"]);
    plot.reports("/llms.txt", &["llms-txt-missing"]);
    plot.reports("/llms-full.txt", &["llms-full-txt-missing"]);
    plot.sitemap("/sitemap.xml", &[]);
    plot.finish()
}

fn slots(links: &str) -> [(&str, &str); 5] {
    [("[icon]", ""), ("[social]", ""), ("[data]", ""), ("[foot]", FOOT), ("[links]", links)]
}

fn faulty<'a>(path: &'a str, slots: &'a [(&'a str, &'a str)]) -> Leaf<'a> {
    page(path, FAULTS, slots)
        .without(&["Strict-Transport-Security", "Content-Security-Policy"])
        .with(&[("Server", "Apache/2.4.57 (Debian)")])
}
