//! `llms.planted.test`: an llms.txt with every fault that one with a title can have.

use super::leaf::page;
use super::plot::Plot;
use crate::reply::Reply;
use crate::site::Site;

const LLMS: &str = "# A site for machines\n\nThis file has no summary.\n\n## Pages\n\n\
    - [The guide]({self}/pages/guide): a good link\n\
    - [A page that is gone]({self}/gone): a broken link\n\
    - [A hidden page]({self}/pages/hidden): robots may not index it\n\
    - [A page that refuses robots]({host:other.test}/forbidden): nobody can check it\n\
    - The guide, whose link is missing\n\
    - [A link that is not closed]({self}/pages/guide\n";

pub(super) fn site() -> Site {
    let mut plot = Plot::new(&["pages"]);
    plot.leaf(&page("/", &[], &[]).named("a site for machines"));
    let noindex = [("[icon]", "[icon]<meta name=robots content=noindex>")];
    let leaves = [page("/pages/guide", &[], &[]), page("/pages/hidden", &["noindex"], &noindex).unlisted()];
    plot.section("/pages/", leaves.iter());
    plot.reply("/gone", Reply::status(404), &["internal-client-error=404"]);
    plot.reports("//other.test/forbidden", &["external-refused-check=403"]);
    let faults = [
        "llms-txt-no-summary",
        "llms-txt-malformed-links=2",
        "llms-txt-broken-link={self}/gone",
        "llms-txt-non-indexable-link={self}/pages/hidden",
        "llms-txt-unverified-link={host:other.test}/forbidden",
    ];
    plot.reply("/llms.txt", Reply::text("text/plain; charset=utf-8", LLMS), &faults);
    plot.reply("/llms-full.txt", Reply::html("<!doctype html><title>Any path</title>"), &["llms-full-txt-missing"]);
    plot.sitemap("/sitemap.xml", &[]);
    plot.finish()
}
