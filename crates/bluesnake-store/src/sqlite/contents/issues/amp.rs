//! AMP pages.

super::checks! {
    "amp-missing-canonical" "AMP: Missing Canonical" Issue High
    why "An AMP page must declare the page it is a version of, or itself, as its canonical."
    fix "Add a canonical."
    page "is_amp AND has_links AND canonicals IS NULL AND number NOT IN (SELECT number FROM canonical)";

    "amp-viewport" "AMP: Missing/Invalid Meta Viewport Tag" Issue High
    why "Without it the page is not valid AMP."
    fix "Add a viewport meta tag with width=device-width."
    page "is_amp AND coalesce(viewport, '') NOT LIKE '%width=device-width%'" "viewport";

    "amp-charset" "AMP: Missing/Invalid Meta Charset Tag" Issue High
    why "Without it the page is not valid AMP."
    fix "Make meta charset=utf-8 the first element of the head."
    page "is_amp AND lower(coalesce(charset, '')) NOT IN ('utf-8', 'utf8')" "charset";

    "amp-script" "AMP: Missing/Invalid AMP Script" Issue High
    why "Without the AMP script the page is not valid AMP."
    fix "Load https://cdn.ampproject.org/v0.js in the head."
    page "is_amp AND has_links AND NOT EXISTS (
        SELECT 1 FROM links AS l CROSS JOIN urls AS t ON t.run = ?1 AND t.number = l.target
        WHERE l.run = ?1 AND l.source = subject.number AND t.url GLOB 'https://cdn.ampproject.org/*v0.*js')";

    "amp-missing-return" "AMP: Missing Non-AMP Return Link" Issue High
    why "The AMP page's canonical does not link back to the AMP page."
    fix "Add a link with rel=amphtml to that page."
    sql "SELECT c.number, c.url FROM canonical AS c
         LEFT JOIN relation AS r ON r.number = c.target AND r.target = c.number AND r.kind = 'amp'
         WHERE c.number IN (SELECT number FROM page WHERE is_amp) AND c.target <> c.number AND c.has_links
            AND r.number IS NULL";

    "amp-indexable" "AMP: Indexable AMP Page" Warning High
    why "The AMP page competes with the page it is a version of."
    fix "Declare the other page as its canonical, unless the AMP page stands alone."
    page "is_amp AND is_indexable";
}
