//! Lists over several pages.

use super::leaf::{Leaf, page};

/// A link to the next page in the head, and an anchor.
macro_rules! next {
    ($path:literal) => {
        [
            ("[data]", concat!("[data]<link rel=next href=\"{self}", $path, "\">")),
            ("[links]", concat!("<p><a href=\"{self}", $path, "\">The next page</a></p>")),
        ]
    };
}

/// A link to the previous page in the head, and an anchor.
macro_rules! prev {
    ($path:literal) => {
        [
            ("[data]", concat!("[data]<link rel=prev href=\"{self}", $path, "\">")),
            ("[links]", concat!("<p><a href=\"{self}", $path, "\">The previous page</a></p>")),
        ]
    };
}

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/pagination/gone", &["pagination-non-200={self}/responses/gone", "outlinks-to-broken-pages={self}/responses/gone"], &next!("/responses/gone")),
    page("/pagination/forgetful", &["pagination-sequence-error={self}/pagination/forgetful-2"], &next!("/pagination/forgetful-2")),
    page("/pagination/forgetful-2", &[], &[]),
    page("/pagination/silent", &["pagination-not-in-anchor={self}/pagination/silent-2"], &[("[data]", "[data]<link rel=next href=\"{self}/pagination/silent-2\">")]),
    page("/pagination/silent-2", &[], &prev!("/pagination/silent")),
    page("/pagination/noindex", &["noindex", "pagination-non-indexable=noindex"], &[("[data]", "[data]<meta name=robots content=noindex><link rel=next href=\"{self}/pagination/noindex-2\">"), ("[links]", "<p><a href=\"{self}/pagination/noindex-2\">The next page</a></p>")]).unlisted(),
    page("/pagination/noindex-2", &[], &prev!("/pagination/noindex")),
    page("/pagination/forked", &["pagination-multiple=next"], &[("[data]", "[data]<link rel=next href=\"{self}/pagination/forked-2\"><link rel=next href=\"{self}/pagination/forked-3\">"), ("[links]", "<p><a href=\"{self}/pagination/forked-2\">One next page</a> and <a href=\"{self}/pagination/forked-3\">another next page</a></p>")]),
    page("/pagination/forked-2", &[], &prev!("/pagination/forked")),
    page("/pagination/forked-3", &[], &prev!("/pagination/forked")),
    page("/pagination/round", &["pagination-loop=2"], &[("[data]", "[data]<link rel=next href=\"{self}/pagination/and-round\"><link rel=prev href=\"{self}/pagination/and-round\">"), ("[links]", "<p><a href=\"{self}/pagination/and-round\">The next page</a></p>")]),
    page("/pagination/and-round", &["pagination-loop=2"], &[("[data]", "[data]<link rel=next href=\"{self}/pagination/round\"><link rel=prev href=\"{self}/pagination/round\">"), ("[links]", "<p><a href=\"{self}/pagination/round\">The next page</a></p>")]),
    page("/pagination/hidden", &["pagination-not-in-anchor={self}/pagination/only-next"], &[("[data]", "[data]<link rel=next href=\"{self}/pagination/only-next\">")]),
    page("/pagination/only-next", &["pagination-unlinked"], &prev!("/pagination/hidden")).unlinked(),
];
