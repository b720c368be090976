//! The form of page URLs.

use std::borrow::Cow;

use crate::catalogue::grouped;
use crate::rule::over;

super::checks! { Urls
    "url-uppercase" "Uppercase" Warning Low;
    why "URLs are case-sensitive, so mixed case invites duplicates and broken links."
    fix "Use lower case and redirect other spellings to it."
    says "{URL contains|URLs contain} uppercase letters"
    page when |page| has_uppercase(page.path());

    "url-underscores" "Underscores" Opportunity Low;
    why "Search engines treat hyphens, not underscores, as word separators."
    fix "Use hyphens in new URLs."
    says "{URL contains|URLs contain} underscores"
    page when |page| page.path().contains('_');

    "url-non-ascii" "Non ASCII Characters" Warning Low;
    why "Such characters are percent-encoded when the URL is copied, which makes it long and unreadable."
    fix "Use letters from a to z, digits and hyphens."
    says "{URL contains|URLs contain} non-ASCII characters"
    page when |page| has_encoded_letters(page.path_and_query());

    "url-parameters" "Parameters" Warning Low;
    why "Parameters often create many URLs for one page."
    fix "Use plain paths for pages that should be found."
    says "{URL has|URLs have} parameters"
    page text |page| page.query().map(Cow::Borrowed);

    "url-multiple-slashes" "Multiple Slashes" Issue Low;
    why "An empty path segment is a mistake, and a second URL for the same page."
    fix "Fix the links and redirect to the URL with single slashes."
    says "{URL contains|URLs contain} several slashes in a row"
    page when |page| page.path().contains("//");

    "url-contains-space" "Contains A Space" Issue Low;
    why "Many programs cut a URL at a space."
    fix "Use hyphens instead."
    says "{URL contains|URLs contain} spaces"
    page when |page| page.path_and_query().contains("%20");

    "url-repetitive-path" "Repetitive Path" Warning Low;
    why "A repeated segment often means a wrong relative link, which can create endless URLs."
    fix "Fix the relative links that lead there."
    says "{URL repeats|URLs repeat} a path segment"
    page text |page| repeated_segment(page.path()).map(Cow::Borrowed);

    "url-tracking-parameters" "GA Tracking Parameters" Warning Low;
    why "Campaign tags on internal links distort analytics and create duplicates."
    fix "Remove utm_ parameters from internal links."
    says "{URL has|URLs have} campaign parameters"
    page text |page|
        page.query().filter(|query| has_parameter(query, |name| name.starts_with("utm_"))).map(Cow::Borrowed);

    "url-too-long" "Over {} Characters" Opportunity Low, limit |settings| grouped(settings.url_max);
    why "Long URLs are hard to read, share and remember."
    fix "Use shorter paths for new pages."
    says "{URL is|URLs are} too long"
    page number |page| over(page.url.chars().count(), page.settings.url_max);

    "url-internal-search" "Internal Search" Warning Low;
    why "Site search results are endless pages without content of their own."
    fix "Do not link to search results, and block crawlers from them."
    says "{URL shows|URLs show} results of the site search"
    page when |page| is_search(page.path(), page.query());

    "slash-twin" "With And Without Trailing Slash" Warning Medium;
    why "Two URLs that differ only in their last slash both return a page, so links and rankings are split."
    fix "Redirect one form to the other, and link to that form only."
    says "{page exists|pages exist} with and without a trailing slash"
    page target |page| page.site.slash_twins.of(page.number);

    "case-twin" "Differs Only In Case" Warning Medium;
    why "Two URLs that differ only in upper and lower case both respond, so links and rankings are split."
    fix "Redirect other spellings to the one in lower case."
    says "{URL differs|URLs differ} from another only in case"
    url target |url| url.site.case_twins.of(url.number);
}

/// Whether a path has upper-case letters; the digits of percent-encodings do not count.
fn has_uppercase(path: &str) -> bool {
    let bytes = path.as_bytes();
    let is_digit_of_encoding = |at: usize| (1..=2).any(|before| at >= before && bytes[at - before] == b'%');
    bytes.iter().enumerate().any(|(at, byte)| byte.is_ascii_uppercase() && !is_digit_of_encoding(at))
}

/// Whether bytes beyond ASCII are percent-encoded.
fn has_encoded_letters(text: &str) -> bool {
    text.as_bytes().windows(3).any(|code| {
        code[0] == b'%' && matches!(code[1], b'8' | b'9' | b'A'..=b'F' | b'a'..=b'f') && code[2].is_ascii_hexdigit()
    })
}

/// The first segment that occurs again; numbers do not count.
fn repeated_segment(path: &str) -> Option<&str> {
    let segments = || path.split('/').filter(|segment| segment.bytes().any(|byte| !byte.is_ascii_digit()));
    let mut rest = segments();
    while let Some(segment) = rest.next() {
        if rest.clone().any(|other| other == segment) {
            return Some(segment);
        }
    }
    None
}

fn has_parameter(query: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    query.trim_start_matches('?').split('&').any(|pair| is_wanted(pair.split('=').next().unwrap_or_default()))
}

fn is_search(path: &str, query: Option<&str>) -> bool {
    path.ends_with("/search")
        || path.contains("/search/")
        || query.is_some_and(|query| has_parameter(query, |name| matches!(name, "q" | "s" | "search" | "query")))
}
