//! What sitemaps list, beside what links lead to.

super::checks! {
    "orphan-url" "Sitemaps: Orphan URLs" Issue Medium
    why "No way by links leads from the start to this page, so visitors do not find it."
    fix "Link to it, or take it out of the sitemap."
    page "is_whole AND sitemap IS NOT NULL AND depth IS NULL"
        "(SELECT url FROM urls WHERE run = ?1 AND number = sitemap)";

    "non-indexable-in-sitemap" "Sitemaps: Non-Indexable URLs In Sitemap" Issue Medium
    why "A sitemap should list what may be shown; other entries waste the time of crawlers."
    fix "Take it out of the sitemap, or let it be indexed."
    sql "SELECT s.number, coalesce(s.indexable_reason, s.fate) FROM state AS s JOIN listed AS l ON l.number = s.number
         WHERE s.is_internal AND (s.fate IN ('redirect', 'error', 'silence', 'blocked') OR s.indexable = 'No')";

    "url-in-multiple-sitemaps" "Sitemaps: URLs In Multiple Sitemaps" Warning Low
    why "Entries of several sitemaps can contradict each other."
    fix "List each URL once."
    sql "SELECT number, sitemaps FROM listed WHERE sitemaps > 1";

    "url-not-in-sitemap" "Sitemaps: URLs Not In Sitemap" Issue Medium
    why "Search engines find and revisit what a sitemap lists sooner."
    fix "Add the page to the sitemap."
    page "is_indexable AND is_whole AND sitemap IS NULL AND EXISTS (SELECT 1 FROM listed)
        AND NOT EXISTS (
        SELECT 1 FROM urls AS u LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
        WHERE u.run = ?1 AND u.task = 'sitemap'
        AND (u.disposition IN ('failed', 'refused') OR v.status >= 500 OR v.note IS NOT NULL OR v.cut IS NOT NULL))";

    "nested-sitemap" "Sitemaps: Nested Sitemap Listed As Page URL" Warning Medium
    why "Search engines take the entry of a urlset for a page and do not read it as a sitemap."
    fix "Name other sitemaps in a sitemap index, or in robots.txt."
    sql "SELECT number, NULL FROM listed
         WHERE number IN (SELECT source FROM edge WHERE kind IN ('sitemap-entry', 'sitemap'))";
}
