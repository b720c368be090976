//! AMP pages.

use std::borrow::Cow;

use crate::state::State;
use crate::subject::Subject;

super::checks! { Amp
    "amp-missing-canonical" "Missing Canonical" Issue High;
    why "An AMP page must declare the page it is a version of, or itself, as its canonical."
    fix "Add a canonical."
    says "{AMP page has|AMP pages have} no canonical"
    page when |page| page.facts.is_amp && page.lacks_canonical();

    "amp-viewport" "Missing/Invalid Meta Viewport Tag" Issue High;
    why "Without it the page is not valid AMP."
    fix "Add a viewport meta tag with width=device-width."
    says "{AMP page has|AMP pages have} no valid viewport"
    page text |page| amp_value(page, page.facts.viewport.as_deref(), |viewport| viewport.contains("width=device-width"));

    "amp-charset" "Missing/Invalid Meta Charset Tag" Issue High;
    why "Without it the page is not valid AMP."
    fix "Make meta charset=utf-8 the first element of the head."
    says "{AMP page does|AMP pages do} not declare UTF-8"
    page text |page| amp_value(page, page.facts.charset.as_deref(), |charset| matches!(charset, "utf-8" | "utf8"));

    "amp-script" "Missing/Invalid AMP Script" Issue High;
    why "Without the AMP script the page is not valid AMP."
    fix "Load https://cdn.ampproject.org/v0.js in the head."
    says "{AMP page does|AMP pages do} not load the AMP script"
    page when |page| page.facts.is_amp && page.state.has(State::HAS_LINKS)
        && !page.each_link().any(|(link, _)| link.to.has(State::IS_AMP_SCRIPT));

    "amp-missing-return" "Missing Non-AMP Return Link" Issue High;
    why "The AMP page's canonical does not link back to the AMP page."
    fix "Add a link with rel=amphtml to that page."
    says "{AMP page is|AMP pages are} not linked from {its|their} canonical"
    page target |page| page.other_canonical().filter(|canonical| page.facts.is_amp
        && page.site.state(*canonical).shows_links()
        && page.site.relations.amps_of(*canonical).all(|amp| amp != page.number));

    "amp-indexable" "Indexable AMP Page" Warning High;
    why "The AMP page competes with the page it is a version of."
    fix "Declare the other page as its canonical, unless the AMP page stands alone."
    says "{AMP page is|AMP pages are} indexable"
    page when |page| page.facts.is_amp && page.is_indexable();
}

/// The value of a meta tag of an AMP page, if it is missing or wrong.
fn amp_value<'a>(page: &Subject<'a>, value: Option<&str>, is_right: fn(&str) -> bool) -> Option<Cow<'a, str>> {
    let value = value.unwrap_or_default();
    (page.facts.is_amp && !is_right(&value.to_ascii_lowercase().replace(' ', ""))).then(|| value.to_owned().into())
}
