//! What protects visitors in transit and in the browser.

super::checks! {
    "http-url" "Security: HTTP URLs" Issue High
    why "Anybody on the way can read and change what is sent without encryption."
    fix "Serve it over https and redirect the http address."
    url "is_internal AND is_insecure AND fate = 'answer'";

    "mixed-content" "Security: Mixed Content" Issue High
    why "Browsers block or warn of what a secure page loads without encryption."
    fix "Load every resource over https."
    page "is_secure AND insecure IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = insecure)";

    "form-url-insecure" "Security: Form URL Insecure" Issue High
    why "What visitors enter is sent without encryption."
    fix "Let the form send to an https address."
    page "insecure_forms > 0" "insecure_forms";

    "form-on-http-url" "Security: Form On HTTP URL" Issue High
    why "A form on an insecure page can be changed on the way to the visitor."
    fix "Serve the page over https."
    page "forms > 0 AND NOT is_secure" "forms";

    "unsafe-cross-origin-link" "Security: Unsafe Cross-Origin Links" Warning Low
    why "In older browsers the opened page can take over the window it came from."
    fix "Add rel=noopener to links that open a new window."
    page "unsafe IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = unsafe)";

    "protocol-relative-resource" "Security: Protocol-Relative Resource Links" Warning Low
    why "Such a resource is loaded without encryption wherever the page is."
    fix "Write https:// in front of the address."
    page "protocol_relative > 0" "protocol_relative";

    "hsts-missing" "Security: Missing HSTS Header" Warning Low
    why "Without it the first request of a visitor may go over http and be intercepted."
    fix "Send Strict-Transport-Security with every answer over https."
    page "is_secure AND NOT has_hsts";

    "csp-missing" "Security: Missing Content-Security-Policy Header" Warning Low
    why "The policy limits the harm that injected scripts can do."
    fix "Send Content-Security-Policy with the sources that the page needs."
    page "NOT has_csp";

    "nosniff-missing" "Security: Missing X-Content-Type-Options Header" Warning Low
    why "Browsers may take a harmless file for a script."
    fix "Send X-Content-Type-Options: nosniff."
    page "NOT has_nosniff";

    "frame-options-missing" "Security: Missing X-Frame-Options Header" Warning Low
    why "Another site can show the page in a frame and catch the clicks."
    fix "Send X-Frame-Options: DENY or SAMEORIGIN."
    page "NOT has_frame_options";

    "referrer-policy-missing" "Security: Missing Secure Referrer-Policy Header" Warning Low
    why "Other sites may learn the full addresses that visitors come from."
    fix "Send Referrer-Policy: strict-origin-when-cross-origin or a stricter one."
    page "NOT has_referrer_policy";

    "cookie-without-secure" "Security: Cookie Without Secure Attribute" Warning Low
    why "The browser sends such a cookie over http, too, where it can be read."
    fix "Add the attribute Secure to the cookie."
    page "is_secure AND open_cookie IS NOT NULL" "open_cookie";
}
