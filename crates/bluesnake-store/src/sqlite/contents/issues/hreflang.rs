//! Language versions of a page.

super::checks! {
    "hreflang-non-200" "Hreflang: Non-200 Hreflang URLs" Issue High
    why "Search engines ignore a version that does not return a page."
    fix "Use the final URL of an existing page."
    page "broken_version IS NOT NULL" "broken_version";

    "hreflang-missing-return" "Hreflang: Missing Return Links" Issue High
    why "Search engines ignore versions that do not link back to each other."
    fix "Make every version list all the others."
    sql "SELECT a.number, min(a.url) FROM hreflang AS a
         LEFT JOIN hreflang AS b ON b.number = a.target AND b.target = a.number
         WHERE a.target <> a.number AND a.has_links AND b.number IS NULL AND NOT EXISTS (SELECT 1 FROM sitemap_language)
         GROUP BY a.number";

    "hreflang-incorrect-code" "Hreflang: Incorrect Language & Region Codes" Issue High
    why "Search engines ignore a version with an unknown code."
    fix "Use ISO 639-1 for the language and ISO 3166-1 alpha-2 for the region, as in en-GB."
    sql "WITH parts AS (
             SELECT number, code, substr(code || '-', 1, instr(code || '-', '-') - 1) AS language,
                 substr(code, instr(code || '-', '-') + 1) AS rest
             FROM hreflang WHERE code <> 'x-default'),
         parted AS (
             -- A script of four letters may stand between language and region.
             SELECT number, code, language, CASE WHEN rest GLOB '[a-z][a-z][a-z][a-z]' THEN ''
                 WHEN rest GLOB '[a-z][a-z][a-z][a-z]-*' THEN substr(rest, 6) ELSE rest END AS region
             FROM parts)
         SELECT number, min(code) FROM parted
         WHERE instr(' \
            aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de \
            dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id \
            ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu \
            lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu \
            rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr \
            ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ', ' ' || language || ' ') = 0
            OR region <> '' AND instr(' \
            ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt \
            bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh \
            er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht \
            hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls \
            lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni \
            nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg \
            sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug \
            um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw ', ' ' || region || ' ') = 0
         GROUP BY number";

    "hreflang-missing-self" "Hreflang: Missing Self Reference" Warning Low
    why "A set of versions should include the page itself."
    fix "Add the page's own language and URL."
    page "has_own_language = 0 AND NOT has_sitemap_languages";

    "hreflang-missing-x-default" "Hreflang: Missing X-Default" Warning Low
    why "Without it, search engines choose a version for visitors with other languages."
    fix "Declare a default version as x-default."
    page "has_default_language = 0 AND NOT has_sitemap_languages";

    "hreflang-outside-head" "Hreflang: Outside <head>" Issue Medium
    why "Search engines ignore versions declared outside the head."
    fix "Move them into the head, before any element that is not allowed there."
    page "hreflangs_outside_head > 0" "hreflangs_outside_head";

    "hreflang-multiple-entries" "Hreflang: Multiple Entries" Issue High
    why "Two URLs for one language contradict each other."
    fix "Use one URL per language."
    multiple "hreflang" "code";

    "hreflang-not-canonical" "Hreflang: Not Using Canonical" Issue High
    why "The page has another URL as its canonical, but does not list that URL as a version."
    fix "Use canonical URLs in the set of versions."
    sql "SELECT h.number, c.url FROM hreflang AS h JOIN canonical AS c ON c.number = h.number
         GROUP BY h.number HAVING max(h.target = c.target) = 0";

    "hreflang-inconsistent-return" "Hreflang: Inconsistent Language & Region Return Links" Issue High
    why "The page assigns the other version a different language code than that version assigns itself."
    fix "Use the same code for a page everywhere."
    sql "SELECT b.number, min(b.url) FROM hreflang AS b
         LEFT JOIN hreflang AS a ON a.number = b.target AND a.target = b.target AND a.code = b.code
         WHERE a.number IS NULL AND b.target <> b.number AND b.code <> 'x-default'
            AND b.target IN (SELECT number FROM hreflang WHERE target = number AND code <> 'x-default')
         GROUP BY b.number";

    "hreflang-non-canonical-return" "Hreflang: Non-Canonical Return Links" Issue High
    why "The other version declares a different canonical URL."
    fix "Use the canonical URL of the version."
    sql "SELECT h.number, min(h.url) FROM hreflang AS h JOIN canonical AS c ON c.number = h.target
         WHERE h.target <> h.number AND c.target <> c.number GROUP BY h.number";

    "hreflang-noindex-return" "Hreflang: Noindex Return Links" Issue High
    why "The other version has noindex, so it cannot be shown to anyone."
    fix "Allow the version to be indexed, or remove it from the set."
    page "noindex_version IS NOT NULL" "noindex_version";

    "hreflang-unlinked" "Hreflang: Unlinked Hreflang URLs" Issue Medium
    why "Visitors cannot reach the version through any link."
    fix "Link to it, for example from a language menu."
    unlinked "hreflang";
}
