//! Responses and failures.

super::checks! {
    "internal-no-response" "Response Codes: Internal No Response" Issue High
    why "Visitors and search engines get no response from this URL."
    fix "Find out why the server does not respond, or remove the links to it."
    url "is_internal AND fate = 'silence'" "error";

    "internal-client-error" "Response Codes: Internal Client Error (4XX)" Issue High
    why "Links to this URL send visitors and search engines to an error page."
    fix "Restore the page, redirect it to its replacement, or fix the links to it."
    url "is_internal AND status BETWEEN 400 AND 499" "status";

    "internal-server-error" "Response Codes: Internal Server Error (5XX)" Issue High
    why "The server failed. Search engines crawl less of a site that fails often."
    fix "Check the server log for the cause."
    url "is_internal AND status BETWEEN 500 AND 599" "status";

    "internal-blocked-by-robots" "Response Codes: Internal Blocked by Robots.txt" Warning High
    why "Search engines that obey robots.txt cannot read this page, and its links count for nothing."
    fix "Remove the rule from robots.txt if the page should be found."
    url "is_internal AND robots_line IS NOT NULL" "robots_line";

    "internal-redirection" "Response Codes: Internal Redirection (3XX)" Warning Low
    why "Every redirect costs visitors time and crawlers a request."
    fix "Link to the final URL."
    url "is_internal AND fate = 'redirect'" "(SELECT url FROM urls WHERE run = ?1 AND number = redirect_to)";

    "internal-meta-refresh" "Response Codes: Internal Redirection (Meta Refresh)" Warning Low
    why "A meta refresh is slower than a redirect and interrupts the visitor."
    fix "Redirect on the server with status 301 or 308."
    sql "SELECT number, min(url) FROM relation WHERE kind = 'refresh' AND target <> number GROUP BY number";

    "internal-redirect-chain" "Response Codes: Internal Redirect Chain" Warning Medium
    why "Every hop takes time, and crawlers give up after a few."
    fix "Redirect directly to the final URL."
    sql "SELECT d.start, t.url FROM destination AS d CROSS JOIN urls AS t ON t.run = ?1 AND t.number = d.number
         WHERE d.hops BETWEEN 2 AND 49 AND d.number <> d.start";

    "internal-redirect-loop" "Response Codes: Internal Redirect Loop" Issue High
    why "The page can never be reached."
    fix "Make one of the redirects point to a page."
    sql "SELECT d.start, t.url FROM destination AS d CROSS JOIN visits AS v ON v.run = ?1 AND v.number = d.start
         CROSS JOIN urls AS t ON t.run = ?1 AND t.number = v.redirect_to
         WHERE d.number = d.start OR d.hops = 50";

    "redirect-to-broken-page" "Response Codes: Redirect To Broken Page" Issue High
    why "The redirect target does not exist."
    fix "Redirect to an existing page, or return 404 or 410."
    sql "SELECT d.start, t.url FROM destination AS d JOIN state AS t ON t.number = d.number
         WHERE t.fate IN ('error', 'silence')";

    "external-no-response" "Response Codes: External No Response" Warning Low
    why "Visitors who follow the link get no response."
    fix "Fix or remove the link."
    url "NOT is_internal AND fate = 'silence'" "error";

    "external-client-error" "Response Codes: External Client Error (4XX)" Warning Low
    why "Visitors who follow the link get an error page."
    fix "Fix or remove the link."
    url "NOT is_internal AND status BETWEEN 400 AND 499 AND status NOT IN (401, 403, 406, 429)" "status";

    "external-server-error" "Response Codes: External Server Error (5XX)" Warning Low
    why "Visitors who follow the link get a server error."
    fix "Check the link again later, and remove it if the error persists."
    url "NOT is_internal AND status BETWEEN 500 AND 599" "status";

    "external-refused-check" "Response Codes: External Refused An Automated Check (401, 403, 406, 429, 999)" Warning Low
    why "The site blocks automated requests, so the link could not be verified."
    fix "Open the link in a browser."
    url "NOT is_internal AND status IN (401, 403, 406, 429, 999)" "status";
}
