//! Language versions of a page. Each set is complete except for its one fault.

use super::leaf::{Leaf, page};

/// The page itself, in English and by default.
macro_rules! own {
    ($more:literal) => {
        concat!(
            "[data]<link rel=alternate hreflang=en href=\"[url]\"><link rel=alternate hreflang=x-default href=\"[url]\">",
            $more
        )
    };
}

/// A German page whose English version is at a path.
macro_rules! german_of {
    ($path:literal) => {
        concat!(
            "[data]<link rel=alternate hreflang=de href=\"[url]\"><link rel=alternate hreflang=en href=\"{self}",
            $path,
            "\"><link rel=alternate hreflang=x-default href=\"{self}",
            $path,
            "\">"
        )
    };
}

const NOINDEX: &str = "<meta name=robots content=noindex>";

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/hreflang/gone", &["hreflang-non-200={self}/responses/gone"], &[("[data]", own!("<link rel=alternate hreflang=de href=\"{self}/responses/gone\">"))]),
    page("/hreflang/alone", &["hreflang-missing-return={self}/hreflang/alone-de"], &[("[data]", own!("<link rel=alternate hreflang=de href=\"{self}/hreflang/alone-de\">"))]),
    page("/hreflang/alone-de", &[], &[]),
    page("/hreflang/region", &["hreflang-incorrect-code"], &[("[data]", "[data]<link rel=alternate hreflang=en-UK href=\"[url]\"><link rel=alternate hreflang=x-default href=\"[url]\">")]),
    page("/hreflang/language", &["hreflang-incorrect-code"], &[("[data]", "[data]<link rel=alternate hreflang=english href=\"[url]\"><link rel=alternate hreflang=x-default href=\"[url]\">")]),
    page("/hreflang/no-self", &["hreflang-missing-self", "hreflang-not-canonical={self}/hreflang/no-self"], &[("[data]", "[data]<link rel=alternate hreflang=de href=\"{self}/hreflang/no-self-de\"><link rel=alternate hreflang=x-default href=\"{self}/hreflang/no-self-de\">")]),
    page("/hreflang/no-self-de", &[], &[("[data]", "[data]<link rel=alternate hreflang=de href=\"[url]\"><link rel=alternate hreflang=en href=\"{self}/hreflang/no-self\"><link rel=alternate hreflang=x-default href=\"[url]\">")]),
    page("/hreflang/no-default", &["hreflang-missing-x-default"], &[("[data]", "[data]<link rel=alternate hreflang=en href=\"[url]\">")]),
    page("/hreflang/in-body", &["hreflang-outside-head=2"], &[("[text]", "<link rel=alternate hreflang=en href=\"[url]\"><link rel=alternate hreflang=x-default href=\"[url]\">[text]")]),
    page("/hreflang/twice", &["hreflang-multiple-entries=en"], &[("[data]", own!("<link rel=alternate hreflang=en href=\"{self}/hreflang/and-twice\">"))]),
    page("/hreflang/and-twice", &["hreflang-multiple-entries=en"], &[("[data]", own!("<link rel=alternate hreflang=en href=\"{self}/hreflang/twice\">"))]),
    page("/hreflang/elsewhere", &["canonicalised={self}/about", "hreflang-not-canonical={self}/about"], &[("[canonical]", "<link rel=canonical href=\"{self}/about\">"), ("[data]", own!(""))]).unlisted(),
    page("/hreflang/english", &["hreflang-inconsistent-return={self}/hreflang/austrian"], &[("[data]", own!("<link rel=alternate hreflang=de href=\"{self}/hreflang/austrian\">"))]),
    page("/hreflang/austrian", &[], &[("[data]", "[data]<link rel=alternate hreflang=de-AT href=\"[url]\"><link rel=alternate hreflang=en href=\"{self}/hreflang/english\"><link rel=alternate hreflang=x-default href=\"{self}/hreflang/english\">")]),
    page("/hreflang/to-copy", &["hreflang-non-canonical-return={self}/hreflang/copy-de"], &[("[data]", own!("<link rel=alternate hreflang=de href=\"{self}/hreflang/copy-de\">"))]),
    page("/hreflang/copy-de", &["canonicalised={self}/about", "hreflang-not-canonical={self}/about"], &[("[canonical]", "<link rel=canonical href=\"{self}/about\">"), ("[data]", german_of!("/hreflang/to-copy"))]).unlisted(),
    page("/hreflang/to-noindex", &["hreflang-noindex-return={self}/hreflang/noindex-de"], &[("[data]", own!("<link rel=alternate hreflang=de href=\"{self}/hreflang/noindex-de\">"))]),
    page("/hreflang/noindex-de", &["noindex"], &[("[icon]", NOINDEX), ("[data]", german_of!("/hreflang/to-noindex"))]).unlisted(),
    page("/hreflang/hidden", &[], &[("[data]", own!("<link rel=alternate hreflang=de href=\"{self}/hreflang/only-hreflang\">"))]),
    page("/hreflang/only-hreflang", &["hreflang-unlinked"], &[("[data]", german_of!("/hreflang/hidden"))]).unlinked(),
];
