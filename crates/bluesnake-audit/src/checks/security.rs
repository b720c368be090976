//! What protects visitors in transit and in the browser.

use crate::anchors::AnchorDigest;
use crate::headers::Cookie;
use crate::notes::Found;
use crate::rule::positive;
use crate::state::Fate;
use crate::subject::Subject;

super::checks! { Security
    "http-url" "HTTP URLs" Issue High;
    why "Anyone on the network path can read and change unencrypted traffic."
    fix "Serve the page over https and redirect the http URL."
    says "{internal URL is|internal URLs are} served over http"
    url when |url| url.is_internal() && url.state.is_insecure() && url.fate() == Fate::Answer;

    "mixed-content" "Mixed Content" Issue High;
    why "Browsers block unencrypted resources on secure pages, or warn about them."
    fix "Load every resource over https."
    says "{secure page loads|secure pages load} insecure resources"
    page link |page, link| page.is_secure() && link.is_resource() && link.to.is_insecure();

    "form-url-insecure" "Form URL Insecure" Issue High;
    why "Form data is sent unencrypted."
    fix "Submit the form to an https URL."
    says "{page submits|pages submit} a form over http"
    page number |page| positive(page.facts.insecure_forms);

    "form-on-http-url" "Form On HTTP URL" Issue High;
    why "A form on an insecure page can be modified on its way to the visitor."
    fix "Serve the page over https."
    says "{page has a form and is|pages have a form and are} served over http"
    page number |page| positive(page.facts.forms).filter(|_| !page.is_secure());

    "unsafe-cross-origin-link" "Unsafe Cross-Origin Links" Warning Low;
    why "In older browsers the opened page can control the window that opened it."
    fix "Add rel=noopener to links that open a new window."
    says "{page opens|pages open} external links in an unsafe way"
    page link |_, link| link.is_hyperlink() && !link.to.is_internal() && link.anchor.has(AnchorDigest::OPENS_UNSAFELY);

    "protocol-relative-resource" "Protocol-Relative Resource Links" Warning Low;
    why "The resource is loaded unencrypted whenever the page is."
    fix "Write https:// at the start of the URL."
    says "{page loads|pages load} resources by protocol-relative URLs"
    page link |_, link| link.is_resource() && link.anchor.has(AnchorDigest::IS_PROTOCOL_RELATIVE);

    "hsts-missing" "Missing HSTS Header" Warning Low;
    why "Without it, a visitor's first request may use http and be intercepted."
    fix "Send Strict-Transport-Security with every https response."
    says "{page lacks|pages lack} the Strict-Transport-Security header"
    page when |page| page.is_secure() && !page.header.has_hsts;

    "csp-missing" "Missing Content-Security-Policy Header" Warning Low;
    why "The policy limits the damage that injected scripts can do."
    fix "Send a Content-Security-Policy header that allows only the sources the page needs."
    says "{page lacks|pages lack} the Content-Security-Policy header"
    page when |page| !page.header.has_csp;

    "nosniff-missing" "Missing X-Content-Type-Options Header" Warning Low;
    why "Browsers may guess the content type and run a file as a script."
    fix "Send X-Content-Type-Options: nosniff."
    says "{page lacks|pages lack} the X-Content-Type-Options header"
    page when |page| !page.header.has_nosniff;

    "frame-options-missing" "Missing X-Frame-Options Header" Warning Low;
    why "Another site can embed the page in a frame and capture clicks."
    fix "Send Content-Security-Policy with frame-ancestors, or X-Frame-Options: DENY or SAMEORIGIN."
    says "{page|pages} can be embedded in frames of other sites"
    page when |page| !page.header.limits_frames;

    "referrer-policy-missing" "Missing Secure Referrer-Policy Header" Warning Low;
    why "Older browsers send the full URL of the page to other sites."
    fix "Send Referrer-Policy: strict-origin-when-cross-origin or a stricter one."
    says "{page lacks|pages lack} a secure Referrer-Policy header"
    page when |page| !page.header.has_referrer_policy;

    "cookie-without-secure" "Cookie Without Secure Attribute" Warning Low;
    why "The browser also sends this cookie over http, where it can be read."
    fix "Add the Secure attribute to the cookie."
    says "{page sets|pages set} a cookie without the Secure attribute"
    page each |page, found| cookies(page, found, |cookie| page.is_secure() && !cookie.is_secure);

    "cookie-without-httponly" "Cookie Without HttpOnly Attribute" Warning Low;
    why "Injected scripts can read this cookie and take over a session."
    fix "Add the HttpOnly attribute unless scripts of the site need the cookie."
    says "{page sets|pages set} a cookie without the HttpOnly attribute"
    page each |page, found| cookies(page, found, |cookie| !cookie.is_http_only);

    "cookie-without-samesite" "Cookie Without SameSite Attribute" Warning Low;
    why "Browsers differ in their default, and other sites may send requests with the visitor's cookies."
    fix "Add SameSite=Lax or SameSite=Strict to the cookie."
    says "{page sets|pages set} a cookie without the SameSite attribute"
    page each |page, found| cookies(page, found, |cookie| !cookie.has_same_site);

    "server-banner" "Server Version Exposed" Warning Low;
    why "Attackers search for versions with known vulnerabilities."
    fix "Remove the version from the Server and X-Powered-By headers."
    says "{page reveals|pages reveal} the version of the server's software"
    page each |page, found| page.header.banners.iter().for_each(|banner| found.text(banner));

    "bad-content-type" "Bad Content Type" Warning Low;
    why "The Content-Type header does not match the content. Browsers may block the file or display it incorrectly."
    fix "Send the correct Content-Type header."
    says "{URL declares|URLs declare} a wrong content type"
    url text |url| url.contradiction();
}

/// Reports the cookies that lack something.
fn cookies(page: &Subject<'_>, found: &mut Found<'_>, lacks: impl Fn(&Cookie) -> bool) {
    page.header.cookies.iter().filter(|cookie| lacks(cookie)).for_each(|cookie| found.text(&cookie.name));
}
