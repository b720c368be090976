//! What protects visitors in transit and in the browser.

super::checks! {
    "http-url" "Security: HTTP URLs" Issue High
    why "Anyone on the network path can read and change unencrypted traffic."
    fix "Serve the page over https and redirect the http URL."
    url "is_internal AND is_insecure AND fate = 'answer'";

    "mixed-content" "Security: Mixed Content" Issue High
    why "Browsers block unencrypted resources on secure pages, or warn about them."
    fix "Load every resource over https."
    page "is_secure AND insecure IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = insecure)";

    "form-url-insecure" "Security: Form URL Insecure" Issue High
    why "Form data is sent unencrypted."
    fix "Submit the form to an https URL."
    page "insecure_forms > 0" "insecure_forms";

    "form-on-http-url" "Security: Form On HTTP URL" Issue High
    why "A form on an insecure page can be modified on its way to the visitor."
    fix "Serve the page over https."
    page "forms > 0 AND NOT is_secure" "forms";

    "unsafe-cross-origin-link" "Security: Unsafe Cross-Origin Links" Warning Low
    why "In older browsers the opened page can control the window that opened it."
    fix "Add rel=noopener to links that open a new window."
    page "unsafe IS NOT NULL" "(SELECT url FROM urls WHERE run = ?1 AND number = unsafe)";

    "protocol-relative-resource" "Security: Protocol-Relative Resource Links" Warning Low
    why "The resource is loaded unencrypted whenever the page is."
    fix "Write https:// at the start of the URL."
    page "protocol_relative > 0" "protocol_relative";

    "hsts-missing" "Security: Missing HSTS Header" Warning Low
    why "Without it, a visitor's first request may use http and be intercepted."
    fix "Send Strict-Transport-Security with every https response."
    page "is_secure AND NOT has_hsts";

    "csp-missing" "Security: Missing Content-Security-Policy Header" Warning Low
    why "The policy limits the damage that injected scripts can do."
    fix "Send Content-Security-Policy with the sources that the page needs."
    page "NOT has_csp";

    "nosniff-missing" "Security: Missing X-Content-Type-Options Header" Warning Low
    why "Browsers may run a harmless file as a script."
    fix "Send X-Content-Type-Options: nosniff."
    page "NOT has_nosniff";

    "frame-options-missing" "Security: Missing X-Frame-Options Header" Warning Low
    why "Another site can embed the page in a frame and capture clicks."
    fix "Send X-Frame-Options: DENY or SAMEORIGIN."
    page "NOT has_frame_options";

    "referrer-policy-missing" "Security: Missing Secure Referrer-Policy Header" Warning Low
    why "Other sites may see the full URLs that visitors come from."
    fix "Send Referrer-Policy: strict-origin-when-cross-origin or a stricter one."
    page "NOT has_referrer_policy";

    "cookie-without-secure" "Security: Cookie Without Secure Attribute" Warning Low
    why "The browser also sends this cookie over http, where it can be read."
    fix "Add the Secure attribute to the cookie."
    page "is_secure AND open_cookie IS NOT NULL" "open_cookie";
}
