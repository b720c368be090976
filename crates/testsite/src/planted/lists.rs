//! `lists.planted.test`: a sitemap with more than 50,000 URLs and one of more than 50 MB, made while they are sent, and
//! an llms.txt without a title.

use bytes::Bytes;

use super::leaf::page;
use super::plot::Plot;
use crate::reply::{Pieces, Reply};
use crate::site::Site;

const TOO_MANY: usize = 50_001;
const TOO_LARGE: usize = 50 * 1024 * 1024;
const OPEN: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
const CLOSE: &str = "</urlset>\n";

pub(super) fn site() -> Site {
    let mut plot = Plot::new(&["pages"]);
    plot.leaf(&page("/", &[], &[]).named("the long lists").unlisted());
    plot.section("/pages/", [page("/pages/one", &[], &[]), page("/pages/two", &[], &[]).unlisted()].iter());
    plot.sitemap("/sitemap.xml", &[]);
    plot.reply("/many.xml", Reply::streamed_by("application/xml", many), &["sitemap-too-many-urls"]);
    plot.reply("/large.xml", Reply::streamed_by("application/xml", large), &["sitemap-too-large"]);
    plot.reply("/llms.txt", Reply::text("text/plain; charset=utf-8", "Ask us for a list.\n"), &["llms-txt-invalid"]);
    plot.reports("/llms-full.txt", &["llms-full-txt-missing"]);
    plot.edit(|site| {
        let sitemaps = ["sitemap", "many", "large"].map(|name| format!("Sitemap: {{self}}/{name}.xml\n")).concat();
        site.robots(&format!("User-agent: *\n{sitemaps}"))
    });
    plot.finish()
}

/// One page, over and over: a reader that follows the list has nothing to fetch.
fn many(origin: &str) -> Pieces {
    let entries = Bytes::from(entry(origin, "/").repeat(1_000));
    let rest = Bytes::from(entry(origin, "/").repeat(TOO_MANY % 1_000));
    framed(std::iter::repeat_n(entries, TOO_MANY / 1_000).chain([rest]))
}

/// One page, and a lot of white space.
fn large(origin: &str) -> Pieces {
    let space = Bytes::from(" ".repeat(1 << 20));
    framed([Bytes::from(entry(origin, "/pages/two"))].into_iter().chain(std::iter::repeat_n(space, TOO_LARGE >> 20)))
}

fn entry(origin: &str, path: &str) -> String {
    format!("<url><loc>{origin}{path}</loc></url>\n")
}

fn framed(entries: impl Iterator<Item = Bytes> + Send + 'static) -> Pieces {
    Box::new(
        [Bytes::from_static(OPEN.as_bytes())].into_iter().chain(entries).chain([Bytes::from_static(CLOSE.as_bytes())]),
    )
}
