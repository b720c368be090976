//! What sitemaps list, compared with what links lead to.

super::checks! {
    "orphan-url" "Sitemaps: Orphan URLs" Issue Medium
    why "No chain of links leads from the start page to this page, so visitors cannot find it."
    fix "Link to it, or remove it from the sitemap."
    page "is_whole AND sitemap IS NOT NULL AND depth IS NULL"
        "(SELECT url FROM urls WHERE run = ?1 AND number = sitemap)";

    "non-indexable-in-sitemap" "Sitemaps: Non-Indexable URLs In Sitemap" Issue Medium
    why "A sitemap should list indexable pages only; other entries waste crawl budget."
    fix "Remove it from the sitemap, or make it indexable."
    sql "SELECT s.number, coalesce(s.indexable_reason, s.fate) FROM state AS s JOIN listed AS l ON l.number = s.number
         WHERE s.is_internal AND (s.fate IN ('redirect', 'error', 'silence', 'blocked') OR s.indexable = 'No')";

    "url-in-multiple-sitemaps" "Sitemaps: URLs In Multiple Sitemaps" Warning Low
    why "Entries in several sitemaps can contradict each other."
    fix "List each URL once."
    sql "SELECT number, sitemaps FROM listed WHERE sitemaps > 1";

    "url-not-in-sitemap" "Sitemaps: URLs Not In Sitemap" Issue Medium
    why "Search engines find and revisit pages sooner if a sitemap lists them."
    fix "Add the page to the sitemap."
    page "is_indexable AND is_whole AND sitemap IS NULL AND EXISTS (SELECT 1 FROM listed)
        AND NOT EXISTS (
        SELECT 1 FROM urls AS u LEFT JOIN visits AS v ON v.run = u.run AND v.number = u.number
        WHERE u.run = ?1 AND u.task = 'sitemap'
        AND (u.disposition IN ('failed', 'refused') OR v.status >= 500 OR v.note IS NOT NULL OR v.cut IS NOT NULL))";

    "nested-sitemap" "Sitemaps: Nested Sitemap Listed As Page URL" Warning Medium
    why "Search engines treat a urlset entry as a page and do not read it as a sitemap."
    fix "List other sitemaps in a sitemap index, or in robots.txt."
    sql "SELECT number, NULL FROM listed
         WHERE number IN (SELECT source FROM edge WHERE kind IN ('sitemap-entry', 'sitemap'))";
}
