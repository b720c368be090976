//! What checks read, as common table expressions: each is computed once for all checks.
//!
//! SQLite expands a view wherever it is named and allows at most a thousand cursors, so most checks are conditions on a
//! row of `subject` or `state`. Queries on `links` read it in one pass: there is no index by target, so incoming links
//! are counted for all URLs at once.

/// The views, to be placed after `WITH RECURSIVE`.
///
/// `BETWEEN ?1 AND ?1` instead of `= ?1` is deliberate: SQLite knows nothing about the size of a run, would expect a
/// handful of rows, and would scan a view for each of a million links instead of indexing it.
///
/// - `state`: every URL except robots.txt and sitemaps, with its `fate`, which is NULL until it is known
/// - `header`: response header fields
/// - `page`: facts about internal HTML pages with a successful response
/// - `outline`: positions of the headings of a page
/// - `edge`: links other than hyperlinks and resources
/// - `relation`: what pages declare about related pages; `canonical`, `hreflang` and `pager` are parts of it
/// - `versions`: facts about the language versions of a page
/// - `outgoing`, `incoming`: hyperlinks and resources, counted by page
/// - `listed`: what sitemaps list
/// - `sitemap_language`: a row if sitemaps declare versions too; which page these belong to is not stored
/// - `chain`: where redirects lead, step by step; `destination` is the last step
/// - `subject`: a page with everything known about it
/// - `whole`: a row if the whole site was seen, so that something can be reported missing
pub(super) fn sql() -> String {
    let facts = FACTS.split_whitespace().map(|name| format!("v.facts ->> '$.{name}' AS {name}"));
    let counts = COUNTS.iter().map(|(name, usual)| format!("coalesce(v.facts ->> '$.{name}', {usual}) AS {name}"));
    SQL.replace("[facts]", &facts.chain(counts).collect::<Vec<_>>().join(", "))
}

/// Facts of a page, which are NULL if they are not stored.
const FACTS: &str = "titles_outside_head descriptions_outside_head keywords_count canonicals directives_outside_head \
    hreflangs_outside_head viewport charset json_ld_errors has_lorem_ipsum images_without_alt images_with_empty_alt \
    images_without_size forms insecure_forms is_body_before_html is_head_not_first invalid_head_elements is_amp";
/// Facts that are not stored if they have their usual value.
const COUNTS: &[(&str, u8)] =
    &[("titles", 1), ("descriptions", 1), ("h1_count", 1), ("h2_count", 0), ("head_tags", 1), ("body_tags", 1)];

const SQL: &str = r#"
state AS MATERIALIZED (
    SELECT u.number, u.url, u.depth, u.is_internal, u.task, u.kind, u.url LIKE 'http:%' AS is_insecure, v.status, v.error,
        v.body_bytes, v.redirect_to, coalesce(v.is_nofollow, 0) AS is_nofollow, v.indexable, v.indexable_reason,
        v.facts IS NOT NULL AND u.is_internal AND v.status BETWEEN 200 AND 299 AS is_page,
        -- The links of a copy, and those that were put off, are not stored.
        v.facts IS NOT NULL AND v.identical_to IS NULL AND d.number IS NULL AS has_links,
        CASE WHEN u.reason = 'robots' THEN coalesce(v.detail, '') ELSE v.robots_report END AS robots_line,
        CASE
            WHEN u.disposition = 'redirected' THEN 'redirect'
            WHEN u.reason IN ('client_error', 'server_error') THEN 'error'
            WHEN u.reason = 'robots' THEN 'blocked'
            WHEN u.disposition = 'fetched' THEN 'answer'
            WHEN u.disposition = 'failed' AND v.attempts > 0
                AND u.reason NOT IN ('exhausted', 'proxy', 'throttled', 'not_parsed', 'panic') THEN 'silence'
        END AS fate
    FROM urls AS u
    LEFT JOIN visits AS v ON v.run = ?1 AND v.number = u.number
    LEFT JOIN deferred AS d ON d.run = ?1 AND d.number = u.number
    WHERE u.run BETWEEN ?1 AND ?1 AND u.task NOT IN ('robots', 'sitemap')
),
header AS MATERIALIZED (
    SELECT h.id,
        max(f.value ->> 0 = 'strict-transport-security') AS has_hsts,
        max(f.value ->> 0 = 'content-security-policy') AS has_csp,
        max(f.value ->> 0 = 'x-content-type-options' AND f.value ->> 1 LIKE '%nosniff%') AS has_nosniff,
        max(f.value ->> 0 = 'x-frame-options'
            AND lower(trim(f.value ->> 1)) IN ('deny', 'sameorigin')) AS has_frame_options,
        max(f.value ->> 0 = 'referrer-policy' AND (f.value ->> 1 LIKE '%no-referrer%'
            OR f.value ->> 1 LIKE '%strict-origin%' OR f.value ->> 1 LIKE '%same-origin%')) AS has_referrer_policy,
        min(substr(f.value ->> 1, 1, instr(f.value ->> 1, '=') - 1)) FILTER (WHERE f.value ->> 0 = 'set-cookie'
            AND ';' || replace(lower(f.value ->> 1), ' ', '') || ';' NOT LIKE '%;secure;%') AS open_cookie,
        -- A line that begins with the name of a robot speaks to that robot alone.
        group_concat('"' || replace(replace(lower(f.value ->> 1), ' ', ''), ',', '","') || '"') FILTER (
            WHERE f.value ->> 0 = 'x-robots-tag' AND (f.value ->> 1 NOT LIKE '%:%'
            OR f.value ->> 1 LIKE 'unavailable_after%' OR f.value ->> 1 LIKE 'max-%'
            OR instr(f.value ->> 1, ',') BETWEEN 1 AND instr(f.value ->> 1, ':'))) AS directives
    FROM headers AS h, json_each(h.fields) AS f
    WHERE h.run BETWEEN ?1 AND ?1
    GROUP BY h.id
),
page AS MATERIALIZED (
    SELECT s.number, s.url, s.depth, substr(s.url, 8 + instr(substr(s.url, 9), '/')) AS path_and_query,
        trim(coalesce(v.title, '')) AS title, trim(coalesce(v.description, '')) AS description,
        trim(coalesce(v.h1, '')) AS h1, trim(coalesce(v.h2, '')) AS h2, trim(coalesce(v.lang, '')) AS lang,
        v.indexable = 'Yes' AS is_indexable, v.indexable_reason, v.word_count, v.body_bytes, v.raw_hash, v.cut,
        NOT s.is_insecure AS is_secure, s.has_links,
        coalesce(h.has_hsts, 0) AS has_hsts, coalesce(h.has_csp, 0) AS has_csp, coalesce(h.has_nosniff, 0) AS has_nosniff,
        coalesce(h.has_frame_options, 0) AS has_frame_options, coalesce(h.has_referrer_policy, 0) AS has_referrer_policy,
        h.open_cookie,
        trim(coalesce(v.facts ->> '$.directives', ''), '[]') || ',' || coalesce(h.directives, '') AS directives,
        coalesce(v.facts ->> '$.json_ld_types', v.facts ->> '$.microdata_types', v.facts ->> '$.rdfa_types')
            AS data_types,
        [facts],
        coalesce(v.facts ->> '$.javascript', 0) + coalesce(v.facts ->> '$.unusable_count', 0) AS uncrawlable
    FROM state AS s
    CROSS JOIN visits AS v ON v.run = ?1 AND v.number = s.number
    LEFT JOIN header AS h ON h.id = v.headers
    WHERE s.is_page
),
outline AS MATERIALIZED (
    SELECT v.number,
        min(h.key) FILTER (WHERE h.value ->> 0 = 1) AS first_h1,
        min(h.key) FILTER (WHERE h.value ->> 0 = 2) AS first_h2,
        min(h.key) FILTER (WHERE h.value ->> 0 > 2) AS first_deeper,
        max(h.value ->> 2) FILTER (WHERE h.value ->> 0 = 1) AS h1_alt
    FROM visits AS v, json_each(v.facts, '$.headings') AS h
    WHERE v.run = ?1 AND v.facts IS NOT NULL
    GROUP BY v.number
),
edge AS MATERIALIZED (
    SELECT l.source, l.ordinal, l.target, k.word AS kind, l.anchor
    FROM links AS l CROSS JOIN link_kinds AS k ON k.id = l.kind
    WHERE l.run BETWEEN ?1 AND ?1
        AND k.word IN ('canonical', 'hreflang', 'next', 'prev', 'amp', 'refresh', 'sitemap-entry', 'sitemap')
),
relation AS MATERIALIZED (
    SELECT e.source AS number, e.ordinal, e.kind, e.target, lower(trim(a.text)) AS code, p.position,
        t.url, t.is_internal, t.status, t.fate, t.indexable, t.indexable_reason, t.is_page AND t.has_links AS has_links
    FROM edge AS e
    CROSS JOIN state AS s ON s.number = e.source AND s.is_page
    CROSS JOIN state AS t ON t.number = e.target
    CROSS JOIN anchors AS a ON a.run = ?1 AND a.id = e.anchor
    CROSS JOIN places AS p ON p.run = ?1 AND p.id = a.place
    WHERE e.kind NOT IN ('sitemap-entry', 'sitemap')
),
canonical AS MATERIALIZED (
    -- SQLite takes the other columns from the row with the smallest ordinal.
    SELECT number, target, url, is_internal, has_links, fate, indexable, min(ordinal), count(*) AS links,
        count(DISTINCT target) AS targets
    -- One in the body, which has a position, is ignored by search engines.
    FROM relation WHERE kind = 'canonical' AND position = 'unknown' GROUP BY number
),
hreflang AS MATERIALIZED (
    SELECT number, target, code, url, is_internal, has_links, status, fate, indexable_reason
    FROM relation WHERE kind = 'hreflang'
),
versions AS MATERIALIZED (
    SELECT number, max(target = number) AS has_own_language, max(code = 'x-default') AS has_default_language,
        min(url) FILTER (WHERE status <> 200 OR fate = 'silence') AS broken_version,
        min(url) FILTER (WHERE target <> number AND indexable_reason = 'noindex') AS noindex_version
    FROM hreflang GROUP BY number
),
pager AS MATERIALIZED (
    SELECT number, target, kind, url, is_internal, has_links, status, fate FROM relation WHERE kind IN ('next', 'prev')
),
link_class AS MATERIALIZED (
    SELECT id, word IN ('anchor', 'area') AS is_hyperlink, word = 'image' AS is_image
    FROM link_kinds
    WHERE word IN ('anchor', 'area', 'image', 'script', 'stylesheet', 'font', 'video', 'audio', 'track', 'icon',
        'manifest', 'css-url', 'iframe', 'embed')
),
odd_anchor AS MATERIALIZED (
    SELECT a.id, a.text = '' AS is_wordless, length(a.text) > 100 AS is_long,
        lower(a.text) IN ('click here', 'click', 'here', 'right here', 'this', 'this page', 'link', 'go', 'start', 'more',
            'more info', 'learn more', 'read more', 'see more', 'view more', 'find out more', 'details', 'continue')
            AS is_vague,
        p.path_type = 'protocol-relative' AS is_protocol_relative
    FROM anchors AS a CROSS JOIN places AS p ON p.run = ?1 AND p.id = a.place
    WHERE a.run BETWEEN ?1 AND ?1 AND (is_wordless OR is_long OR is_vague OR is_protocol_relative)
),
outgoing AS MATERIALIZED (
    SELECT l.source AS number,
        count(*) FILTER (WHERE k.is_hyperlink AND t.is_internal) AS internal,
        count(*) FILTER (WHERE k.is_hyperlink AND NOT t.is_internal) AS external,
        count(*) FILTER (WHERE k.is_hyperlink AND t.is_internal AND l.rel & 1) AS nofollow,
        count(*) FILTER (WHERE k.is_hyperlink AND t.is_internal AND a.is_wordless) AS wordless,
        count(*) FILTER (WHERE k.is_hyperlink AND t.is_internal AND a.is_vague) AS vague,
        count(*) FILTER (WHERE k.is_image AND a.is_long) AS long_alts,
        count(*) FILTER (WHERE NOT k.is_hyperlink AND a.is_protocol_relative) AS protocol_relative,
        -- 32 is a new window, 8 and 16 are noopener and noreferrer.
        min(l.target) FILTER (WHERE k.is_hyperlink AND NOT t.is_internal AND l.rel & 32 AND NOT l.rel & 24) AS unsafe,
        min(l.target) FILTER (WHERE k.is_hyperlink AND NOT t.is_internal AND (t.url GLOB 'http*://localhost[:/]*'
            OR t.url GLOB 'http*://127.0.0.1[:/]*')) AS localhost,
        min(l.target) FILTER (WHERE NOT k.is_hyperlink AND t.is_insecure) AS insecure,
        min(l.target) FILTER (WHERE k.is_hyperlink AND t.is_internal AND t.fate = 'redirect') AS redirect,
        min(l.target) FILTER (WHERE k.is_hyperlink AND t.is_internal AND t.fate IN ('error', 'silence')) AS broken
    FROM links AS l
    CROSS JOIN link_class AS k ON k.id = l.kind
    CROSS JOIN state AS t ON t.number = l.target
    LEFT JOIN odd_anchor AS a ON a.id = l.anchor
    WHERE l.run = ?1 AND l.source IN (SELECT number FROM state WHERE is_page)
    GROUP BY l.source
),
incoming AS MATERIALIZED (
    SELECT l.target AS number,
        count(*) FILTER (WHERE NOT (l.rel & 1 OR s.is_nofollow)) AS followed,
        count(*) FILTER (WHERE l.rel & 1 OR s.is_nofollow) AS nofollow,
        count(*) FILTER (WHERE s.indexable = 'Yes') AS from_indexable
    FROM state AS s
    CROSS JOIN links AS l ON l.run = ?1 AND l.source = s.number
    WHERE s.is_page AND l.target <> s.number AND l.kind IN (SELECT id FROM link_kinds WHERE word IN ('anchor', 'area'))
    GROUP BY l.target
),
listed AS MATERIALIZED (
    SELECT target AS number, min(source) AS sitemap, count(DISTINCT source) AS sitemaps
    FROM edge WHERE kind = 'sitemap-entry' GROUP BY target
),
sitemap_language AS MATERIALIZED (
    SELECT 1 FROM edge
    WHERE kind = 'hreflang' AND source IN (SELECT source FROM edge WHERE kind = 'sitemap-entry') LIMIT 1
),
chain (start, number, hops) AS (
    SELECT number, redirect_to, 1 FROM state WHERE fate = 'redirect' AND redirect_to IS NOT NULL AND is_internal
    UNION ALL
    SELECT c.start, v.redirect_to, c.hops + 1
    FROM chain AS c CROSS JOIN visits AS v ON v.run = ?1 AND v.number = c.number
    WHERE v.redirect_to IS NOT NULL AND c.number <> c.start AND c.hops < 50
),
destination AS MATERIALIZED (
    SELECT start, number, max(hops) AS hops FROM chain GROUP BY start
),
whole AS MATERIALIZED (
    SELECT 1 FROM runs
    WHERE id = ?1 AND state = 'completed'
        AND NOT EXISTS (SELECT 1 FROM deferred WHERE run = ?1)
        AND NOT EXISTS (
            SELECT 1 FROM urls
            WHERE run = ?1 AND (disposition = 'pending' OR is_internal AND reason IN ('too_deep', 'single_page',
                'not_in_sitemap', 'host_budget', 'max_urls', 'page_limit', 'sitemap_depth', 'sitemap_files')))
),
subject AS MATERIALIZED (
    SELECT p.*, substr(p.path_and_query, 1, instr(p.path_and_query || '?', '?') - 1) AS url_path,
        o.first_h1, o.first_h2, o.first_deeper, o.h1_alt,
        c.target AS canonical_target, c.url AS canonical_url, c.fate AS canonical_fate,
        c.indexable AS canonical_indexable, c.links AS canonical_links, c.targets AS canonical_targets,
        v.has_own_language, v.has_default_language, v.broken_version, v.noindex_version,
        coalesce(l.internal, 0) AS internal, l.external, l.nofollow, l.wordless, l.vague, l.long_alts,
        l.protocol_relative, l.unsafe, l.localhost, l.insecure, l.redirect, l.broken,
        i.followed AS followed_inlinks, i.nofollow AS nofollow_inlinks, i.from_indexable AS indexable_inlinks,
        s.sitemap, (SELECT count(*) FROM whole) AS is_whole,
        (SELECT count(*) FROM sitemap_language) AS has_sitemap_languages
    FROM page AS p
    LEFT JOIN outline AS o ON o.number = p.number
    LEFT JOIN canonical AS c ON c.number = p.number
    LEFT JOIN versions AS v ON v.number = p.number
    LEFT JOIN outgoing AS l ON l.number = p.number
    LEFT JOIN incoming AS i ON i.number = p.number
    LEFT JOIN listed AS s ON s.number = p.number
)"#;
