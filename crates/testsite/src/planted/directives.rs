//! Directives to robots in meta tags and X-Robots-Tag.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/directives/noindex", &["noindex"], &[("[data]", "[data]<meta name=robots content=noindex>")]).unlisted(),
    page("/directives/noindex-header", &["noindex"], &[]).with(&[("X-Robots-Tag", "noindex")]).unlisted(),
    page("/directives/nofollow", &["nofollow"], &[("[data]", "[data]<meta name=robots content=nofollow>")]),
    page("/directives/none", &["none", "noindex", "nofollow"], &[("[data]", "[data]<meta name=robots content=none>")]).unlisted(),
    page("/directives/noimageindex", &["noimageindex"], &[("[data]", "[data]<meta name=robots content=noimageindex>")]),
    page("/directives/nosnippet", &["nosnippet"], &[("[data]", "[data]<meta name=robots content=nosnippet>")]),
    page("/directives/notranslate", &["notranslate"], &[("[data]", "[data]<meta name=robots content=notranslate>")]),
    page("/directives/old-directories", &["noodp", "noydir"], &[("[data]", "[data]<meta name=robots content=\"noodp, noydir\">")]),
    page("/directives/unavailable-after", &["unavailable-after"], &[("[data]", "[data]<meta name=robots content=\"unavailable_after: 25 Jun 2030 15:00:00 PST\">")]),
    page("/directives/in-body", &["directives-outside-head"], &[("[text]", "<meta name=robots content=index>[text]")]),
    // What speaks to one robot only is no problem.
    page("/directives/other-robot", &[], &[]).with(&[("X-Robots-Tag", "somebot: noindex, nofollow")]),
];
