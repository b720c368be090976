//! The form of the addresses of pages.

super::checks! {
    "url-uppercase" "URL: Uppercase" Warning Low
    why "Upper and lower case are different addresses, which invites duplicates and broken links."
    fix "Use lower case and redirect other spellings to it."
    // The digits of a percent-encoding are written in upper case and do not count.
    page "url_path GLOB '*[G-Z]*' OR '--' || url_path GLOB '*[^%][^%][A-F]*'";

    "url-underscores" "URL: Underscores" Opportunity Low
    why "Search engines read a hyphen, not an underscore, as a space between words."
    fix "Use hyphens in new addresses."
    page "instr(url_path, '_') > 0";

    "url-non-ascii" "URL: Non ASCII Characters" Warning Low
    why "Such characters are encoded where the address is copied, which makes it long and hard to read."
    fix "Use letters from a to z, digits and hyphens."
    page "path_and_query GLOB '*%[89A-Fa-f][0-9A-Fa-f]*'";

    "url-parameters" "URL: Parameters" Warning Low
    why "Parameters easily lead to many addresses for one page."
    fix "Use plain paths for pages that should be found."
    page "instr(path_and_query, '?') > 0" "substr(path_and_query, instr(path_and_query, '?'))";

    "url-multiple-slashes" "URL: Multiple Slashes" Issue Low
    why "An empty part of a path is a mistake, and a second address for the same page."
    fix "Correct the links and redirect to the address with single slashes."
    page "instr(url_path, '//') > 0";

    "url-contains-space" "URL: Contains A Space" Issue Low
    why "Many programs cut an address at a space."
    fix "Use hyphens instead."
    page "instr(path_and_query, '%20') > 0";

    "url-repetitive-path" "URL: Repetitive Path" Warning Low
    why "A part that comes again often means a relative link that went wrong, and pages without end."
    fix "Correct the relative links that lead there."
    sql "SELECT number, min(segment) FROM (
             SELECT p.number, s.value AS segment
             FROM subject AS p, json_each('[' || replace(json_quote(substr(url_path, 2)), '/', '\",\"') || ']') AS s
             WHERE url_path GLOB '/*/*' AND s.value GLOB '*[^0-9]*'
             GROUP BY p.number, s.value HAVING count(*) > 1)
         GROUP BY number";

    "url-tracking-parameters" "URL: GA Tracking Parameters" Warning Low
    why "Links within the site that carry campaign tags spoil the statistics and make duplicates."
    fix "Take utm_ parameters off internal links."
    page "path_and_query GLOB '*[?&]utm_*'" "substr(path_and_query, instr(path_and_query, '?'))";

    "url-too-long" "URL: Over 115 Characters" Opportunity Low
    why "Long addresses are hard to read, to share and to remember."
    fix "Use shorter paths for new pages."
    page "length(url) > 115" "length(url)";

    "url-internal-search" "URL: Internal Search" Warning Low
    why "Results of a site search are endless pages without content of their own."
    fix "Do not link to search results, and keep crawlers out of them."
    page "path_and_query GLOB '*/search' OR path_and_query GLOB '*/search[/?]*' OR path_and_query GLOB '*[?&]q=*'
        OR path_and_query GLOB '*[?&]s=*' OR path_and_query GLOB '*[?&]search=*' OR path_and_query GLOB '*[?&]query=*'";
}
