//! The form of URLs, and URLs that differ only in a slash or in case.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/urls/UpperCase", &["url-uppercase"], &[]),
    page("/urls/under_score", &["url-underscores"], &[]),
    page("/urls/%C3%A9t%C3%A9", &["url-non-ascii"], &[]),
    page("/urls/parameter?a=1", &["url-parameters=?a=1"], &[]),
    page("/urls/double//slash", &["url-multiple-slashes"], &[]),
    page("/urls/a%20space", &["url-contains-space"], &[]),
    page("/urls/again/again/page", &["url-repetitive-path=again"], &[]),
    page("/urls/tracked?utm_source=x", &["url-parameters=?utm_source=x", "url-tracking-parameters=?utm_source=x"], &[]),
    page("/urls/a-path-that-goes-on-and-on-with-so-many-words-that-nobody-can-remember-them-all-or-would-like-to-write-them", &["url-too-long"], &[]),
    page("/urls/search?q=x", &["url-parameters=?q=x", "url-internal-search"], &[]),
    page("/urls/slash", &["slash-twin"], &[]).named("the form without a slash"),
    page("/urls/slash/", &["slash-twin"], &[]).named("the form with a slash"),
    page("/urls/case", &["case-twin"], &[]).named("the form in lower case"),
    page("/urls/Case", &["case-twin", "url-uppercase"], &[]).named("the form with a capital"),
];
