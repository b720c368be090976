//! Responses and failures.

use crate::catalogue::grouped;
use crate::state::Fate;
use crate::subject::Subject;

super::checks! { Responses
    "internal-no-response" "Internal No Response" Issue High;
    why "Visitors and search engines get no response from this URL."
    fix "Find out why the server does not respond, or remove the links to it."
    says "{internal URL does|internal URLs do} not respond"
    url text |url| (url.is_internal() && url.fate() == Fate::Silence).then(|| url.error());

    "internal-client-error" "Internal Client Error (4XX)" Issue High;
    why "Links to this URL send visitors and search engines to an error page."
    fix "Restore the page, redirect it to its replacement, or fix the links to it."
    says "{internal URL returns|internal URLs return} a client error"
    url number |url| url.status_within(400..500).filter(|_| url.is_internal());

    "internal-server-error" "Internal Server Error (5XX)" Issue High;
    why "The server failed. Search engines crawl less of a site that fails often."
    fix "Check the server log for the cause."
    says "{internal URL returns|internal URLs return} a server error"
    url number |url| url.status_within(500..600).filter(|_| url.is_internal());

    "internal-blocked-by-robots" "Internal Blocked by Robots.txt" Warning High;
    why "Search engines that obey robots.txt cannot crawl the page or follow its links."
    fix "Remove the rule from robots.txt if the page should be found."
    says "{internal URL is|internal URLs are} blocked by robots.txt"
    url text |url| url.robots_line().filter(|_| url.is_internal());

    "internal-redirection" "Internal Redirection (3XX)" Warning Low;
    why "Every redirect costs visitors time and crawlers a request."
    fix "Link to the final URL."
    says "{internal URL redirects|internal URLs redirect}"
    url target |url| (url.is_internal() && url.fate() == Fate::Redirect).then_some(url.state.redirect_to);

    "internal-meta-refresh" "Internal Redirection (Meta Refresh)" Warning Low;
    why "A meta refresh is slower than a redirect and interrupts the visitor."
    fix "Redirect on the server with status 301 or 308."
    says "{page redirects|pages redirect} with a meta refresh"
    page text |page| page.refresh();

    "javascript-redirect" "Internal Redirection (JavaScript)" Warning Low;
    why "Crawlers that do not run scripts see an empty page."
    fix "Redirect on the server with status 301 or 308."
    says "{page redirects|pages redirect} with a script"
    page text |page| page.facts.script_redirect.clone().filter(|_| page.all_words <= FEW_WORDS).map(|target| target.0);

    "internal-redirect-chain" "Internal Redirect Chain" Warning Medium;
    why "Every hop takes time, and crawlers give up after a few."
    fix "Redirect directly to the final URL."
    says "{internal URL starts|internal URLs start} a chain of redirects"
    url target |url| url.redirects().filter(|end| end.hops > 1 && !end.is_loop).map(|end| end.number);

    "internal-redirect-loop" "Internal Redirect Loop" Issue High;
    why "The page can never be reached."
    fix "Make one of the redirects point to a page."
    says "{internal URL ends|internal URLs end} in a redirect loop"
    url target |url| url.redirects().filter(|end| end.is_loop).map(|_| url.state.redirect_to);

    "redirect-to-broken-page" "Redirect To Broken Page" Issue High;
    why "The redirect target does not exist."
    fix "Redirect to an existing page, or return 404 or 410."
    says "{redirect leads|redirects lead} to a broken page"
    url target |url| url.redirects().filter(|end| url.site.state(end.number).is_broken()).map(|end| end.number);

    "external-no-response" "External No Response" Warning Low;
    why "Visitors who follow the link get no response."
    fix "Fix or remove the link."
    says "{external URL does|external URLs do} not respond"
    url text |url| (!url.is_internal() && url.fate() == Fate::Silence).then(|| url.error());

    "external-client-error" "External Client Error (4XX)" Warning Low;
    why "Visitors who follow the link get an error page."
    fix "Fix or remove the link."
    says "{external URL returns|external URLs return} a client error"
    url number |url| url.status_within(400..500).filter(|_| is_external_error(url));

    "external-server-error" "External Server Error (5XX)" Warning Low;
    why "Visitors who follow the link get a server error."
    fix "Check the link again later, and remove it if the error persists."
    says "{external URL returns|external URLs return} a server error"
    url number |url| url.status_within(500..600).filter(|_| is_external_error(url));

    "external-refused-check" "External Unverifiable (401, 403, 429, Bot Challenge)" Warning Low;
    why "The site refuses automated requests, so the link could not be verified. It probably works for visitors."
    fix "Open the link in a browser."
    says "{external URL|external URLs} could not be verified"
    url text |url| (url.fate() == Fate::Unverified).then(|| url.status_or_error());

    "slow-response" "Slow Response (Over {} ms)" Warning Medium, limit |settings| grouped(settings.slow_ms as usize);
    why "Visitors leave slow pages, and search engines crawl fewer of them."
    fix "Look for slow queries, slow upstream services and missing caches."
    says "{page responds|pages respond} slowly"
    page text |page| page.slowness();
}

/// A page that only redirects has next to no text.
const FEW_WORDS: u32 = 20;

fn is_external_error(url: &Subject<'_>) -> bool {
    !url.is_internal() && url.fate() == Fate::Error
}
