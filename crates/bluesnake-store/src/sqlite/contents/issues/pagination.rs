//! Lists over several pages: `<link rel=next>` and `<link rel=prev>`.

super::checks! {
    "pagination-non-200" "Pagination: Non-200 Pagination URLs" Issue High
    why "The next or previous page of the list does not exist."
    fix "Use URLs that return 200."
    sql "SELECT number, min(url) FROM pager WHERE status <> 200 OR fate = 'silence' GROUP BY number";

    "pagination-sequence-error" "Pagination: Sequence Error" Issue Low
    why "The next page does not name this one as its previous page, or vice versa."
    fix "Make neighbouring pages name each other."
    sql "SELECT a.number, min(a.url) FROM pager AS a
         LEFT JOIN pager AS b ON b.number = a.target AND b.target = a.number AND b.kind <> a.kind
         WHERE a.has_links AND b.number IS NULL GROUP BY a.number";

    "pagination-not-in-anchor" "Pagination: Pagination URL Not In Anchor Tag" Issue High
    why "Crawlers follow anchors and may ignore links in the head."
    fix "Link to the next and previous page in the body."
    sql "SELECT number, min(url) FROM pager AS a
         WHERE NOT EXISTS (
             SELECT 1 FROM links AS l JOIN link_kinds AS k ON k.id = l.kind
             WHERE l.run = ?1 AND l.source = a.number AND l.target = a.target AND k.word IN ('anchor', 'area'))
         GROUP BY number";

    "pagination-non-indexable" "Pagination: Non-Indexable" Warning High
    why "Items listed on this page may not be found."
    fix "Make every page of the list indexable, each with its own canonical."
    page "NOT is_indexable AND number IN (SELECT number FROM pager)" "indexable_reason";

    "pagination-multiple" "Pagination: Multiple Pagination URLs" Issue Low
    why "A page can have only one next and one previous page."
    fix "Keep the correct one."
    multiple "pager" "kind";

    "pagination-loop" "Pagination: Pagination Loop" Issue Low
    why "The list returns to an earlier page and never ends."
    fix "Remove the next link from the last page."
    sql "WITH RECURSIVE step (start, number, hops) AS (
             SELECT number, target, 1 FROM pager WHERE kind = 'next'
             UNION
             SELECT s.start, p.target, s.hops + 1
             FROM step AS s CROSS JOIN pager AS p ON p.number = s.number AND p.kind = 'next'
             WHERE s.number <> s.start AND s.hops < 10)
         SELECT start, min(hops) FROM step WHERE number = start GROUP BY start";

    "pagination-unlinked" "Pagination: Unlinked Pagination URLs" Issue Medium
    why "Visitors cannot reach this page of the list through any link."
    fix "Link to it from its neighbours."
    unlinked "pager";
}
