//! Canonical URLs.

use crate::facts::CanonicalFact;
use crate::notes::Found;
use crate::rule::over;
use crate::state::{Fate, State};
use crate::subject::Subject;

super::checks! { Canonicals
    "canonical-missing" "Missing" Warning Medium;
    why "Without it, search engines decide which URL of a page to show."
    fix "Declare the page's own URL as its canonical."
    says "{indexable page has|indexable pages have} no canonical"
    page when |page| page.is_indexable() && page.lacks_canonical();

    "canonicalised" "Canonicalised" Warning High;
    why "The page asks search engines to show another page instead."
    fix "Check that this is intended, and link to the canonical page."
    says "{page declares|pages declare} another page as canonical"
    page each |page, found| match page.other_canonical() {
        Some(target) => found.target(target),
        None => page.unknown_canonical().into_iter().for_each(|url| found.text(url)),
    };

    "canonical-multiple" "Multiple" Warning Low;
    why "One is enough; several can contradict each other."
    fix "Keep one canonical."
    says "{page has|pages have} several canonicals"
    page number |page| over(page.canonicals.links as usize, 1);

    "canonical-conflicting" "Multiple Conflicting" Issue High;
    why "Search engines ignore contradictory canonicals."
    fix "Keep the correct one."
    says "{page has|pages have} contradictory canonicals"
    page when |page| page.canonicals.differ;

    "canonical-relative" "Canonical Is Relative" Warning Low;
    why "A relative canonical is wrong as soon as the page is served from another host or path."
    fix "Write the full URL."
    says "{page has|pages have} a relative canonical"
    page each |page, found|
        canonicals(page, found, |canonical| matches!(&*canonical.path_type, "relative" | "root-relative"));

    "canonical-outside-head" "Outside <head>" Issue High;
    why "Search engines ignore a canonical outside the head."
    fix "Move it into the head, before any element that is not allowed there."
    says "{page has|pages have} a canonical outside the head"
    page each |page, found| canonicals(page, found, |canonical| canonical.outside_head);

    "canonical-non-indexable" "Non-Indexable Canonical" Issue High;
    why "The canonical page cannot be indexed, so neither page may be shown."
    fix "Use a page that returns 200 and may be indexed."
    says "{page has|pages have} a canonical that cannot be indexed"
    page target |page| page.other_canonical().filter(|target| page.site.state(*target).is_not_indexable());

    "canonical-chain" "Canonical Chain" Warning Medium;
    why "Search engines may not follow a chain of canonicals."
    fix "Use the last page of the chain."
    says "{page has|pages have} a canonical that declares another canonical"
    page target |page| page.other_canonical().and_then(|target| page.site.other_canonical_of(target));

    "canonical-redirect" "Canonical Is A Redirect" Issue Medium;
    why "A canonical must be the final URL."
    fix "Use the redirect's target."
    says "{page has|pages have} a canonical that redirects"
    page target |page| page.other_canonical().filter(|target| page.site.state(*target).fate == Fate::Redirect);

    "canonical-unlinked" "Unlinked Canonical" Warning Low, needs WholeSite;
    why "No link points to the URL that is declared as the right one."
    fix "Link to the canonical URL instead of its variants."
    says "{canonical URL is|canonical URLs are} not linked from any page"
    url when |url| url.state.has(State::IS_CANONICAL) && url.is_unlinked();

    "canonical-fragment" "Contains Fragment URL" Issue High;
    why "Search engines index pages, not parts of pages."
    fix "Remove the fragment."
    says "{page has|pages have} a canonical with a fragment"
    page each |page, found| canonicals(page, found, |canonical| canonical.has_fragment);

    "canonical-invalid-attribute" "Invalid Attribute In Annotation" Issue High;
    why "Search engines ignore a canonical that has hreflang, lang, media or type."
    fix "Remove these attributes."
    says "{page has|pages have} a canonical with an invalid attribute"
    page each |page, found| canonicals(page, found, |canonical| canonical.has_invalid_attribute);
}

/// Reports the canonicals with this mistake, as written.
fn canonicals(page: &Subject<'_>, found: &mut Found<'_>, is_wrong: fn(&CanonicalFact<'_>) -> bool) {
    page.facts
        .canonicals
        .iter()
        .filter(|canonical| is_wrong(canonical))
        .for_each(|canonical| found.text(&canonical.raw));
}
