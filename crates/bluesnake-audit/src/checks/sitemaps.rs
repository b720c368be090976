//! What sitemaps list, compared with what links lead to.

use crate::rule::over;
use crate::subject::Subject;

super::checks! { Sitemaps
    "orphan-url" "Orphan URLs" Issue Medium, needs SitemapAndSite;
    why "No chain of links leads from the start page to this page, so visitors cannot find it."
    fix "Link to it, or remove it from the sitemap."
    says "{page is|pages are} in a sitemap, or linked from such a page, but cannot be reached from the start page"
    page target |page| match page.state.sitemap {
        0 => page.site.orphan_before(page.number),
        sitemap => page.depth.is_none().then_some(sitemap),
    };

    "non-indexable-in-sitemap" "Non-Indexable URLs In Sitemap" Issue Medium, needs Sitemap;
    why "A sitemap should list indexable pages only; other entries waste crawl budget."
    fix "Remove it from the sitemap, or make it indexable."
    says "{URL in a sitemap is|URLs in sitemaps are} not indexable"
    url text |url| (url.is_internal() && url.state.sitemap != 0 && url.state.is_not_indexable())
        .then(|| why_not_indexable(url).into());

    "url-in-multiple-sitemaps" "URLs In Multiple Sitemaps" Warning Low, needs Sitemap;
    why "Entries in several sitemaps can contradict each other."
    fix "List each URL once."
    says "{URL is|URLs are} in several sitemaps"
    url number |url| over(url.state.sitemaps.into(), 1);

    "url-not-in-sitemap" "URLs Not In Sitemap" Issue Medium, needs CompleteSitemaps;
    why "Search engines find and revisit pages sooner if a sitemap lists them."
    fix "Add the page to the sitemap."
    says "{indexable page is|indexable pages are} not in a sitemap"
    page when |page| page.is_indexable() && page.state.sitemap == 0;

    "nested-sitemap" "Nested Sitemap Listed As Page URL" Warning Medium, needs Sitemap;
    why "Search engines treat a urlset entry as a page and do not read it as a sitemap."
    fix "List other sitemaps in a sitemap index, or in robots.txt."
    says "{sitemap is|sitemaps are} listed like a page"
    sitemap when |sitemap| sitemap.state.sitemap != 0;

    "sitemap-too-many-urls" "XML Sitemap With Over 50,000 URLs" Issue High, needs Sitemap;
    why "Search engines read at most 50,000 URLs of a sitemap."
    fix "Split the sitemap, and list the parts in a sitemap index."
    says "{sitemap has|sitemaps have} too many URLs"
    sitemap number urls_over_limit;

    "sitemap-too-large" "XML Sitemap Over 50 MB" Issue High, needs Sitemap;
    why "Search engines do not read sitemaps of more than 50 MB, uncompressed."
    fix "Split the sitemap, and list the parts in a sitemap index."
    says "{sitemap is|sitemaps are} too large"
    sitemap number bytes_over_limit;
}

/// Limits of the sitemap protocol.
const MOST_URLS: usize = 50_000;
const MOST_BYTES: u64 = 50 * 1024 * 1024;

/// Reading stops at a limit, by default that of the protocol; a note says that there was more.
fn urls_over_limit(sitemap: &Subject<'_>) -> Option<u64> {
    let urls = sitemap.site.sitemap_size(sitemap.number) as usize;
    over(urls, MOST_URLS).or((urls == MOST_URLS && sitemap.visit.note.is_some()).then_some(urls as u64))
}

fn bytes_over_limit(sitemap: &Subject<'_>) -> Option<u64> {
    let bytes = sitemap.visit.body_bytes?;
    (bytes > MOST_BYTES || bytes == MOST_BYTES && sitemap.visit.cut.is_some()).then_some(bytes)
}

fn why_not_indexable<'a>(url: &Subject<'a>) -> &'a str {
    url.input.indexable_reason.unwrap_or(url.fate().as_str())
}
