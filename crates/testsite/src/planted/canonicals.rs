//! Canonical URLs.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/canonicals/missing", &["canonical-missing"], &[("[canonical]", "")]),
    page("/canonicals/canonicalised", &["canonicalised={self}/about"], &[("[canonical]", "<link rel=canonical href=\"{self}/about\">")]).unlisted(),
    page("/canonicals/by-header", &["canonicalised={self}/about"], &[("[canonical]", "")]).with(&[("Link", "<{self}/about>; rel=canonical")]).unlisted(),
    page("/canonicals/twice", &["canonical-multiple=2"], &[("[canonical]", "[canonical][canonical]")]),
    page("/canonicals/conflict", &["canonical-multiple=2", "canonical-conflicting"], &[("[canonical]", "[canonical]<link rel=canonical href=\"{self}/about\">")]),
    page("/canonicals/relative", &["canonical-relative=/canonicals/relative"], &[("[canonical]", "<link rel=canonical href=\"/canonicals/relative\">")]),
    page("/canonicals/in-body", &["canonical-outside-head={self}/canonicals/in-body"], &[("[canonical]", ""), ("[text]", "<link rel=canonical href=\"[url]\">[text]")]),
    page("/canonicals/moved", &["canonicalised", "canonical-redirect={self}/responses/moved", "canonical-non-indexable={self}/responses/moved"], &[("[canonical]", "<link rel=canonical href=\"{self}/responses/moved\">")]).unlisted(),
    page("/canonicals/gone", &["canonicalised", "canonical-non-indexable={self}/responses/gone"], &[("[canonical]", "<link rel=canonical href=\"{self}/responses/gone\">")]).unlisted(),
    page("/canonicals/chain", &["canonicalised", "canonical-chain", "canonical-non-indexable={self}/canonicals/canonicalised"], &[("[canonical]", "<link rel=canonical href=\"{self}/canonicals/canonicalised\">")]).unlisted(),
    page("/canonicals/hidden", &["canonicalised={self}/canonicals/only-canonical"], &[("[canonical]", "<link rel=canonical href=\"{self}/canonicals/only-canonical\">")]).unlisted(),
    page("/canonicals/only-canonical", &["canonical-unlinked"], &[]).unlinked(),
    page("/canonicals/fragment", &["canonical-fragment={self}/canonicals/fragment#part"], &[("[canonical]", "<link rel=canonical href=\"[url]#part\">")]),
    page("/canonicals/typed", &["canonical-invalid-attribute={self}/canonicals/typed"], &[("[canonical]", "<link rel=canonical type=\"text/html\" href=\"[url]\">")]),
];
