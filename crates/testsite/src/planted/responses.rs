//! Responses, failures, sitemaps and speed.

use super::leaf::{Leaf, page};

/// Links to URLs, each with a text.
macro_rules! links {
    ($($url:literal)*) => {
        ("[links]", concat!("<ul>", $("<li><a href=\"", $url, "\">The page ", $url, "</a></li>",)* "</ul>"))
    };
}

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/responses/links-to-broken", &["outlinks-to-broken-pages={self}/responses/silent", "outlinks-to-broken-pages={self}/responses/gone", "outlinks-to-broken-pages={self}/responses/removed", "outlinks-to-broken-pages={self}/responses/error", "outlinks-to-broken-pages={self}/responses/bad-gateway"], &[links!("{self}/responses/silent" "{self}/responses/gone" "{self}/responses/removed" "{self}/responses/forbidden" "{self}/responses/error" "{self}/responses/bad-gateway")]),
    page("/responses/links-to-moved", &["outlinks-to-redirects={self}/responses/moved", "outlinks-to-redirects={self}/responses/found", "outlinks-to-redirects={self}/responses/see-other", "outlinks-to-redirects={self}/responses/temporary", "outlinks-to-redirects={self}/responses/permanent", "outlinks-to-redirects={self}/responses/chain-1", "outlinks-to-redirects={self}/responses/loop-1", "outlinks-to-redirects={self}/responses/moved-to-gone", "outlinks-to-redirects={self}/responses/moved-to-silent"], &[links!("{self}/responses/moved" "{self}/responses/found" "{self}/responses/see-other" "{self}/responses/temporary" "{self}/responses/permanent" "{self}/responses/chain-1" "{self}/responses/loop-1" "{self}/responses/moved-to-gone" "{self}/responses/moved-to-silent")]),
    page("/responses/link-to-private", &[], &[links!("{self}/private/page")]),
    page("/responses/broken-image", &[], &[("[text]", "[text]<img src=\"{self}/media/gone.png\" alt=\"A picture that is gone\" width=1 height=1>")]),
    page("/responses/refresh", &["internal-meta-refresh={self}/about"], &[("[data]", "[data]<meta http-equiv=refresh content=\"0; url={self}/about\">")]).unlisted(),
    page("/responses/script-redirect", &["javascript-redirect", "low-content", "no-internal-outlinks"], &[("[brand]", ""), ("[menu]", ""), ("[trail]", ""), ("[foot]", ""), ("<p>[summary]</p>", ""), ("[text]", "<script>window.location.href = \"{self}/about\";</script>")]),
    page("/responses/links-outside", &[], &[links!("{host:other.test}/" "{host:other.test}/gone" "{host:other.test}/error" "{host:other.test}/silent" "https://dead.invalid/")]),
    page("/responses/unverifiable", &[], &[links!("{host:other.test}/unauthorized" "{host:other.test}/forbidden" "{host:other.test}/unacceptable" "{host:other.test}/legal" "{host:other.test}/denied" "{host:busy.test}/" "{host:challenge.test}/")]),
    page("/responses/resource-outside", &[], &[("[text]", "[text]<img src=\"{host:other.test}/gone.png\" alt=\"A picture of another site\" width=1 height=1>")]),
    page("/performance/uncompressed", &["compression-missing"], &[]).uncompressed(),
    page("/performance/resources", &[], &[("[data]", "[data]<link rel=stylesheet href=\"{self}/media/uncompressed.css\"><link rel=stylesheet href=\"{self}/media/compressed.css\"><link rel=stylesheet href=\"{self}/media/small.css\">"), ("[text]", "[text]<script src=\"{self}/media/uncompressed.js\"></script><script src=\"{self}/media/large.js\"></script><img src=\"{self}/media/uncompressed.svg\" alt=\"A drawing\" width=1 height=1>")]),
    page("/sitemaps/orphan", &["orphan-url={self}/sitemap.xml"], &[]).unlinked(),
    page("/sitemaps/unlisted", &["url-not-in-sitemap"], &[]).unlisted(),
    page("/sitemaps/twice", &["url-in-multiple-sitemaps=2"], &[]),
    page("/sitemaps/noindex", &["noindex", "non-indexable-in-sitemap=noindex"], &[("[data]", "[data]<meta name=robots content=noindex>")]),
];
