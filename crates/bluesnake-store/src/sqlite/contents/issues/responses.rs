//! How URLs answered.

super::checks! {
    "internal-no-response" "Response Codes: Internal No Response" Issue High
    why "Visitors and search engines get nothing from a URL that does not answer."
    fix "Find out why the server does not answer, or remove the links to it."
    url "is_internal AND fate = 'silence'" "error";

    "internal-client-error" "Response Codes: Internal Client Error (4XX)" Issue High
    why "Links to it lead visitors and search engines into nothing."
    fix "Restore the page, redirect it to its successor, or correct the links to it."
    url "is_internal AND status BETWEEN 400 AND 499" "status";

    "internal-server-error" "Response Codes: Internal Server Error (5XX)" Issue High
    why "The server failed, and search engines crawl less of a site that does so."
    fix "Look into the log of the server for the cause."
    url "is_internal AND status BETWEEN 500 AND 599" "status";

    "internal-blocked-by-robots" "Response Codes: Internal Blocked by Robots.txt" Warning High
    why "Search engines that obey robots.txt cannot read it, and links on it count for nothing."
    fix "Take the line out of robots.txt if the page should be found."
    url "is_internal AND robots_line IS NOT NULL" "robots_line";

    "internal-redirection" "Response Codes: Internal Redirection (3XX)" Warning Low
    why "Every redirect costs visitors time and crawlers a request."
    fix "Let links name the final address."
    url "is_internal AND fate = 'redirect'" "(SELECT url FROM urls WHERE run = ?1 AND number = redirect_to)";

    "internal-meta-refresh" "Response Codes: Internal Redirection (Meta Refresh)" Warning Low
    why "A refresh is slower than a redirect and takes visitors away from what they read."
    fix "Redirect on the server with status 301 or 308."
    sql "SELECT number, min(url) FROM relation WHERE kind = 'refresh' AND target <> number GROUP BY number";

    "internal-redirect-chain" "Response Codes: Internal Redirect Chain" Warning Medium
    why "Each hop costs time, and crawlers give up after some of them."
    fix "Redirect to the final address at once."
    sql "SELECT d.start, t.url FROM destination AS d CROSS JOIN urls AS t ON t.run = ?1 AND t.number = d.number
         WHERE d.hops BETWEEN 2 AND 49 AND d.number <> d.start";

    "internal-redirect-loop" "Response Codes: Internal Redirect Loop" Issue High
    why "Nobody ever arrives."
    fix "Let one of the redirects lead to a page."
    sql "SELECT d.start, t.url FROM destination AS d CROSS JOIN visits AS v ON v.run = ?1 AND v.number = d.start
         CROSS JOIN urls AS t ON t.run = ?1 AND t.number = v.redirect_to
         WHERE d.number = d.start OR d.hops = 50";

    "redirect-to-broken-page" "Response Codes: Redirect To Broken Page" Issue High
    why "The redirect promises a page that is not there."
    fix "Redirect to a page that exists, or answer with 404 or 410."
    sql "SELECT d.start, t.url FROM destination AS d JOIN state AS t ON t.number = d.number
         WHERE t.fate IN ('error', 'silence')";

    "external-no-response" "Response Codes: External No Response" Warning Low
    why "Visitors who follow the link get nothing."
    fix "Correct or remove the link."
    url "NOT is_internal AND fate = 'silence'" "error";

    "external-client-error" "Response Codes: External Client Error (4XX)" Warning Low
    why "Visitors who follow the link find nothing."
    fix "Correct or remove the link."
    url "NOT is_internal AND status BETWEEN 400 AND 499 AND status NOT IN (401, 403, 406, 429)" "status";

    "external-server-error" "Response Codes: External Server Error (5XX)" Warning Low
    why "Visitors who follow the link meet an error."
    fix "Try the link again later, and remove it if the error stays."
    url "NOT is_internal AND status BETWEEN 500 AND 599" "status";

    "external-refused-check" "Response Codes: External Refused An Automated Check (401, 403, 406, 429, 999)" Warning Low
    why "The other site refuses programs, so nobody knows whether the link works for people."
    fix "Open the link in a browser."
    url "NOT is_internal AND status IN (401, 403, 406, 429, 999)" "status";
}
