//! Canonical URLs.

super::checks! {
    "canonical-missing" "Canonicals: Missing" Warning Medium
    why "Without it, search engines decide which URL of a page to show."
    fix "Declare the page's own URL as its canonical."
    page "is_indexable AND has_links AND canonicals IS NULL AND number NOT IN (SELECT number FROM canonical)";

    "canonicalised" "Canonicals: Canonicalised" Warning High
    why "The page asks search engines to show another page instead."
    fix "Check that this is intended, and link to the canonical page."
    page "canonical_target <> number" "canonical_url";

    "canonical-multiple" "Canonicals: Multiple" Warning Low
    why "One is enough; several can contradict each other."
    fix "Keep one canonical."
    page "canonical_links > 1" "canonical_links";

    "canonical-conflicting" "Canonicals: Multiple Conflicting" Issue High
    why "Search engines ignore contradictory canonicals."
    fix "Keep the correct one."
    page "canonical_targets > 1" "canonical_targets";

    "canonical-relative" "Canonicals: Canonical Is Relative" Warning Low
    why "A relative canonical is wrong as soon as the page is served from another host or path."
    fix "Write the full URL."
    canonical "c.value ->> '$.path_type' IN ('relative', 'root-relative')";

    "canonical-outside-head" "Canonicals: Outside <head>" Issue High
    why "Search engines ignore a canonical outside the head."
    fix "Move it into the head, before any element that is not allowed there."
    canonical "c.value ->> '$.outside_head'";

    "canonical-non-indexable" "Canonicals: Non-Indexable Canonical" Issue High
    why "The canonical page cannot be indexed, so neither page may be shown."
    fix "Use a page that returns 200 and may be indexed."
    page "canonical_target <> number
        AND (canonical_fate IN ('redirect', 'error', 'silence', 'blocked') OR canonical_indexable = 'No')" "canonical_url";

    "canonical-chain" "Canonicals: Canonical Chain" Warning Medium
    why "Search engines may not follow a chain of canonicals."
    fix "Use the last page of the chain."
    sql "SELECT a.number, b.url FROM canonical AS a JOIN canonical AS b ON b.number = a.target
         WHERE a.target <> a.number AND b.target <> b.number";

    "canonical-redirect" "Canonicals: Canonical Is A Redirect" Issue Medium
    why "A canonical must be the final URL."
    fix "Use the redirect's target."
    page "canonical_target <> number AND canonical_fate = 'redirect'" "canonical_url";

    "canonical-unlinked" "Canonicals: Unlinked Canonical" Warning Low
    why "No link points to the URL that is declared as the right one."
    fix "Link to the canonical URL instead of its variants."
    unlinked "canonical";

    "canonical-fragment" "Canonicals: Contains Fragment URL" Issue High
    why "Search engines index pages, not parts of pages."
    fix "Remove the fragment."
    canonical "c.value ->> '$.has_fragment'";

    "canonical-invalid-attribute" "Canonicals: Invalid Attribute In Annotation" Issue High
    why "Search engines ignore a canonical that has hreflang, lang, media or type."
    fix "Remove these attributes."
    canonical "c.value ->> '$.has_invalid_attribute'";
}
