//! Canonical addresses.

super::checks! {
    "canonical-missing" "Canonicals: Missing" Warning Medium
    why "Without it search engines choose themselves which address of a page they show."
    fix "Let the page name its own address as the canonical."
    page "is_indexable AND has_links AND canonicals IS NULL AND number NOT IN (SELECT number FROM canonical)";

    "canonicalised" "Canonicals: Canonicalised" Warning High
    why "The page asks not to be shown, in favour of another one."
    fix "Check that the other page is meant, and link to that one."
    page "canonical_target <> number" "canonical_url";

    "canonical-multiple" "Canonicals: Multiple" Warning Low
    why "One is enough, and several invite contradictions."
    fix "Keep one canonical."
    page "canonical_links > 1" "canonical_links";

    "canonical-conflicting" "Canonicals: Multiple Conflicting" Issue High
    why "Search engines ignore canonicals that contradict each other."
    fix "Keep the right one."
    page "canonical_targets > 1" "canonical_targets";

    "canonical-relative" "Canonicals: Canonical Is Relative" Warning Low
    why "A relative canonical is wrong as soon as the page is served under another host or path."
    fix "Write the whole address."
    page "EXISTS (SELECT 1 FROM json_each(canonicals) AS c
        WHERE c.value ->> '$.path_type' IN ('relative', 'root-relative'))"
        "(SELECT c.value ->> '$.raw' FROM json_each(canonicals) AS c
          WHERE c.value ->> '$.path_type' IN ('relative', 'root-relative') LIMIT 1)";

    "canonical-outside-head" "Canonicals: Outside <head>" Issue High
    why "Search engines ignore a canonical that does not stand in the head."
    fix "Put it into the head, before anything that may not stand there."
    page "EXISTS (SELECT 1 FROM json_each(canonicals) AS c WHERE c.value ->> '$.outside_head')"
        "(SELECT c.value ->> '$.raw' FROM json_each(canonicals) AS c WHERE c.value ->> '$.outside_head' LIMIT 1)";

    "canonical-non-indexable" "Canonicals: Non-Indexable Canonical" Issue High
    why "The page refers to one that cannot be shown, so neither may be."
    fix "Name a page that answers with 200 and may be indexed."
    page "canonical_target <> number
        AND (canonical_fate IN ('redirect', 'error', 'silence', 'blocked') OR canonical_indexable = 'No')" "canonical_url";

    "canonical-chain" "Canonicals: Canonical Chain" Warning Medium
    why "Search engines may not follow from one canonical to the next."
    fix "Name the last page of the chain."
    sql "SELECT a.number, b.url FROM canonical AS a JOIN canonical AS b ON b.number = a.target
         WHERE a.target <> a.number AND b.target <> b.number";

    "canonical-redirect" "Canonicals: Canonical Is A Redirect" Issue Medium
    why "A canonical must be the final address."
    fix "Name the address that the redirect leads to."
    page "canonical_target <> number AND canonical_fate = 'redirect'" "canonical_url";

    "canonical-unlinked" "Canonicals: Unlinked Canonical" Warning Low
    why "No link leads to the address that is said to be the right one."
    fix "Link to the canonical address instead of its variants."
    sql "SELECT DISTINCT target, NULL FROM canonical
         WHERE target <> number AND is_internal AND target NOT IN (SELECT number FROM incoming)
            AND target NOT IN (SELECT number FROM urls WHERE run = ?1 AND source = 'initial')
            AND EXISTS (SELECT 1 FROM whole)";

    "canonical-fragment" "Canonicals: Contains Fragment URL" Issue High
    why "Search engines know pages, not parts of pages, as canonicals."
    fix "Take the fragment off."
    page "EXISTS (SELECT 1 FROM json_each(canonicals) AS c WHERE c.value ->> '$.has_fragment')"
        "(SELECT c.value ->> '$.raw' FROM json_each(canonicals) AS c WHERE c.value ->> '$.has_fragment' LIMIT 1)";

    "canonical-invalid-attribute" "Canonicals: Invalid Attribute In Annotation" Issue High
    why "With hreflang, lang, media or type it is no canonical for search engines."
    fix "Take these attributes off."
    page "EXISTS (SELECT 1 FROM json_each(canonicals) AS c WHERE c.value ->> '$.has_invalid_attribute')"
        "(SELECT c.value ->> '$.raw' FROM json_each(canonicals) AS c WHERE c.value ->> '$.has_invalid_attribute' LIMIT 1)";
}
