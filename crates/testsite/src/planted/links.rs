//! Hyperlinks: their targets, their texts, their fragments.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/links/no-way-out", &["no-internal-outlinks"], &[("[brand]", ""), ("[menu]", ""), ("[trail]", ""), ("[foot]", "")]),
    page("/links/nofollow", &["internal-nofollow-outlinks={self}/links/only-nofollow", "internal-nofollow-outlinks={self}/links/mixed"], &[("[links]", "<p><a href=\"{self}/links/only-nofollow\" rel=nofollow>One page</a> and <a href=\"{self}/links/mixed\" rel=nofollow>another page</a></p>")]),
    page("/links/mixed", &["follow-and-nofollow-inlinks=1"], &[]),
    page("/links/only-nofollow", &["nofollow-inlinks-only=1", "orphan-url={self}/sitemap.xml"], &[]).unlinked(),
    page("/links/from-noindex", &["noindex"], &[("[data]", "[data]<meta name=robots content=noindex>"), ("[links]", "<p><a href=\"{self}/links/only-from-noindex\">A page that only this one links to</a></p>")]).unlisted(),
    page("/links/only-from-noindex", &["inlinks-from-non-indexable-only=1"], &[]).unlinked(),
    page("/links/vague", &["non-descriptive-anchor-text={self}/about"], &[("[links]", "<p><a href=\"{self}/about\">Click here</a></p>")]),
    page("/links/wordless", &["no-anchor-text={self}/about"], &[("[links]", "<p><a href=\"{self}/about\"><span></span></a></p>")]),
    page("/links/wordless-image", &["no-anchor-text={self}/about", "image-missing-alt-text={self}/media/logo.png"], &[("[links]", "<p><a href=\"{self}/about\"><img src=\"{self}/media/logo.png\" alt=\"\" width=1 height=1></a></p>")]),
    page("/links/localhost", &["localhost-outlinks=http://localhost:1/"], &[("[links]", "<p><a href=\"http://localhost:1/\">My own machine</a></p>")]),
    page("/links/redirects", &["outlinks-to-redirects={self}/responses/moved"], &[("[links]", "<p><a href=\"{self}/responses/moved\">The old address</a></p>")]),
    page("/links/broken", &["outlinks-to-broken-pages={self}/responses/gone"], &[("[links]", "<p><a href=\"{self}/responses/gone\">Nothing there</a></p>")]),
    page("/links/script", &["uncrawlable-outlinks=javascript:go()"], &[("[links]", "<p><a href=\"javascript:go()\">Somewhere else</a></p>")]),
    page("/links/malformed", &["uncrawlable-outlinks=http://["], &[("[links]", "<p><a href=\"http://[\">Nowhere at all</a></p>")]),
    page("/links/deep-1", &[], &[("[links]", "<p><a href=\"{self}/links/deep-2\">Deeper by one</a></p>")]),
    page("/links/deep-2", &[], &[("[links]", "<p><a href=\"{self}/links/deep-3\">Deeper by two</a></p>")]).unlinked(),
    page("/links/deep-3", &["high-crawl-depth=4"], &[("[links]", "<p><a href=\"{self}/links/deep-4\">Deeper by three</a></p>")]).unlinked(),
    page("/links/deep-4", &["high-crawl-depth=5"], &[]).unlinked(),
    page("/links/fragment", &["broken-fragment={self}/links/fragments#nowhere"], &[("[links]", "<p><a href=\"{self}/links/fragments#nowhere\">A part that is not there</a></p>")]),
    page("/links/own-fragment", &["broken-fragment={self}/links/own-fragment#nowhere"], &[("[links]", "<p id=here><a href=\"#nowhere\">A part of this page that is not there</a></p>")]),
    // Fragments that work.
    page("/links/good-fragments", &[], &[("[links]", "<p><a href=\"{self}/links/fragments#part\">An id</a>, <a href=\"{self}/links/fragments#old%20part\">an old name</a>, <a href=\"{self}/links/fragments#top\">the top</a>, <a href=\"{self}/links/fragments#:~:text=All%20about\">some words</a>, <a href=\"{self}/links/fragments#\">nothing</a> and <a href=\"#here\" id=here>this link itself</a></p>")]),
    page("/links/fragments", &[], &[("[links]", "<p id=part>A part. <a name=\"old part\"></a>An old part.</p>")]),
];
