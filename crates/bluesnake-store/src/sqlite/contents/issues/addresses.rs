//! The form of page URLs.

super::checks! {
    "url-uppercase" "URL: Uppercase" Warning Low
    why "URLs are case-sensitive, so mixed case invites duplicates and broken links."
    fix "Use lower case and redirect other spellings to it."
    // Percent-encodings use upper-case digits and do not count.
    page "url_path GLOB '*[G-Z]*' OR '--' || url_path GLOB '*[^%][^%][A-F]*'";

    "url-underscores" "URL: Underscores" Opportunity Low
    why "Search engines treat hyphens, not underscores, as word separators."
    fix "Use hyphens in new URLs."
    page "instr(url_path, '_') > 0";

    "url-non-ascii" "URL: Non ASCII Characters" Warning Low
    why "Such characters are percent-encoded when the URL is copied, which makes it long and unreadable."
    fix "Use letters from a to z, digits and hyphens."
    page "path_and_query GLOB '*%[89A-Fa-f][0-9A-Fa-f]*'";

    "url-parameters" "URL: Parameters" Warning Low
    why "Parameters often create many URLs for one page."
    fix "Use plain paths for pages that should be found."
    page "instr(path_and_query, '?') > 0" "substr(path_and_query, instr(path_and_query, '?'))";

    "url-multiple-slashes" "URL: Multiple Slashes" Issue Low
    why "An empty path segment is a mistake, and a second URL for the same page."
    fix "Fix the links and redirect to the URL with single slashes."
    page "instr(url_path, '//') > 0";

    "url-contains-space" "URL: Contains A Space" Issue Low
    why "Many programs cut a URL at a space."
    fix "Use hyphens instead."
    page "instr(path_and_query, '%20') > 0";

    "url-repetitive-path" "URL: Repetitive Path" Warning Low
    why "A repeated segment often means a wrong relative link, which can create endless URLs."
    fix "Fix the relative links that lead there."
    sql "SELECT number, min(segment) FROM (
             SELECT p.number, s.value AS segment
             FROM subject AS p, json_each('[' || replace(json_quote(substr(url_path, 2)), '/', '\",\"') || ']') AS s
             WHERE url_path GLOB '/*/*' AND s.value GLOB '*[^0-9]*'
             GROUP BY p.number, s.value HAVING count(*) > 1)
         GROUP BY number";

    "url-tracking-parameters" "URL: GA Tracking Parameters" Warning Low
    why "Campaign tags on internal links distort analytics and create duplicates."
    fix "Remove utm_ parameters from internal links."
    page "path_and_query GLOB '*[?&]utm_*'" "substr(path_and_query, instr(path_and_query, '?'))";

    "url-too-long" "URL: Over 115 Characters" Opportunity Low
    why "Long URLs are hard to read, share and remember."
    fix "Use shorter paths for new pages."
    page "length(url) > 115" "length(url)";

    "url-internal-search" "URL: Internal Search" Warning Low
    why "Site search results are endless pages without content of their own."
    fix "Do not link to search results, and block crawlers from them."
    page "path_and_query GLOB '*/search' OR path_and_query GLOB '*/search[/?]*' OR path_and_query GLOB '*[?&]q=*'
        OR path_and_query GLOB '*[?&]s=*' OR path_and_query GLOB '*[?&]search=*' OR path_and_query GLOB '*[?&]query=*'";
}
