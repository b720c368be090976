//! Language versions of a page.

use crate::anchors::CodeId;
use crate::notes::Found;
use crate::relations::Version;
use crate::rule::positive;
use crate::state::{Indexing, State};
use crate::subject::Subject;

super::checks! { Hreflang
    "hreflang-non-200" "Non-200 Hreflang URLs" Issue High;
    why "Search engines ignore a version that does not return a page."
    fix "Use the final URL of an existing page."
    says "{page lists|pages list} a version that does not return 200"
    page each |page, found| versions(page, found, |version| page.site.state(version.target).is_not_ok());

    "hreflang-missing-return" "Missing Return Links" Issue High;
    why "Search engines ignore versions that do not link back to each other."
    fix "Make every version list all the others."
    says "{page lists|pages list} a version that does not link back"
    page each |page, found| versions(page, found, |version| does_not_link_back(page, version));

    "hreflang-incorrect-code" "Incorrect Language & Region Codes" Issue High;
    why "Search engines ignore a version with an unknown code."
    fix "Use ISO 639-1 for the language and ISO 3166-1 alpha-2 for the region, as in en-GB."
    says "{page uses|pages use} an unknown language or region code"
    page each |page, found| page.versions().map(|version| page.site.anchors.codes.get(version.code))
        .filter(|code| !code.is_correct).for_each(|code| found.text(&code.text));

    "hreflang-missing-self" "Missing Self Reference" Warning Low;
    why "A set of versions should include the page itself."
    fix "Add the page's own language and URL."
    says "{page does not list itself|pages do not list themselves} among the versions"
    page when |page| is_set(page) && page.versions().all(|version| version.target != page.number);

    "hreflang-missing-x-default" "Missing X-Default" Warning Low;
    why "Without it, search engines choose a version for visitors with other languages."
    fix "Declare a default version as x-default."
    says "{page has|pages have} versions but no x-default"
    page when |page| is_set(page) && page.versions().all(|version| !page.site.anchors.codes.get(version.code).is_default);

    "hreflang-outside-head" "Outside <head>" Issue Medium;
    why "Search engines ignore versions declared outside the head."
    fix "Move them into the head, before any element that is not allowed there."
    says "{page declares|pages declare} versions outside the head"
    page number |page| positive(page.facts.hreflangs_outside_head);

    "hreflang-multiple-entries" "Multiple Entries" Issue High;
    why "Two URLs for one language contradict each other."
    fix "Use one URL per language."
    says "{page lists|pages list} several URLs for one language"
    page each |page, found| codes_of_several(page).into_iter()
        .for_each(|code| found.text(&page.site.anchors.codes.get(code).text));

    "hreflang-not-canonical" "Not Using Canonical" Issue High;
    why "The page has another URL as its canonical, but does not list that URL as a version."
    fix "Use canonical URLs in the set of versions."
    says "{page does|pages do} not list {its|their} canonical among the versions"
    page target |page| page.canonical().filter(|canonical|
        page.versions().next().is_some() && page.versions().all(|version| version.target != *canonical));

    "hreflang-inconsistent-return" "Inconsistent Language & Region Return Links" Issue High;
    why "The page assigns the other version a different language code than that version assigns itself."
    fix "Use the same code for a page everywhere."
    says "{page lists|pages list} a version under a different code than the version uses for itself"
    page each |page, found| versions(page, found, |version| calls_itself_otherwise(page, version));

    "hreflang-non-canonical-return" "Non-Canonical Return Links" Issue High;
    why "The other version declares a different canonical URL."
    fix "Use the canonical URL of the version."
    says "{page lists|pages list} a version that declares another canonical"
    page each |page, found|
        others(page, found, |version| page.site.other_canonical_of(version.target).is_some());

    "hreflang-noindex-return" "Noindex Return Links" Issue High;
    why "The other version has noindex, so it cannot be shown to anyone."
    fix "Allow the version to be indexed, or remove it from the set."
    says "{page lists|pages list} a version with noindex"
    page each |page, found|
        others(page, found, |version| page.site.state(version.target).indexing == Indexing::Noindex);

    "hreflang-unlinked" "Unlinked Hreflang URLs" Issue Medium, needs WholeSite;
    why "Visitors cannot reach the version through any link."
    fix "Link to it, for example from a language menu."
    says "{language version is|language versions are} not linked from any page"
    url when |url| url.state.has(State::IS_VERSION) && url.is_unlinked();
}

/// Whether the page has a set of versions.
fn is_set(page: &Subject<'_>) -> bool {
    page.versions().next().is_some()
}

/// Reports the versions with this problem.
fn versions(page: &Subject<'_>, found: &mut Found<'_>, is_wrong: impl Fn(&Version) -> bool) {
    page.versions().filter(is_wrong).for_each(|version| found.target(version.target));
}

/// The same for the versions other than the page itself.
fn others(page: &Subject<'_>, found: &mut Found<'_>, is_wrong: impl Fn(&Version) -> bool) {
    versions(page, found, |version| version.target != page.number && is_wrong(version));
}

fn does_not_link_back(page: &Subject<'_>, version: &Version) -> bool {
    let site = page.site;
    let is_known = version.target != page.number && site.state(version.target).shows_links();
    is_known && site.relations.codes_of(version.target, page.number).next().is_none()
}

/// The codes that several URLs have.
fn codes_of_several(page: &Subject<'_>) -> Vec<CodeId> {
    let mut versions: Vec<(CodeId, u32)> = page.versions().map(|version| (version.code, version.target)).collect();
    versions.sort_unstable();
    versions.dedup();
    let several = versions.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() > 1);
    several.map(|same| same[0].0).collect()
}

/// Whether the version declares itself, but not with the code it has here.
fn calls_itself_otherwise(page: &Subject<'_>, version: &Version) -> bool {
    let is_default = |code| page.site.anchors.codes.get(code).is_default;
    if version.target == page.number || is_default(version.code) {
        return false;
    }
    let own = page.site.relations.codes_of(version.target, version.target);
    let mut own = own.filter(|code| !is_default(*code)).peekable();
    own.peek().is_some() && own.all(|code| code != version.code)
}
