//! Encryption, headers, cookies and what a server reveals.

use super::leaf::{Leaf, page};

#[rustfmt::skip]
pub(super) const PAGES: &[Leaf<'_>] = &[
    page("/security/plain", &["http-url"], &[]).plain(),
    page("/security/plain-form", &["http-url", "form-on-http-url=1"], &[("[text]", "[text]<form action=\"{self}/send\" method=post><input name=word></form>")]).plain(),
    page("/security/mixed", &["mixed-content=http://cdn.planted.test:{port}/picture.png"], &[("[text]", "[text]<img src=\"http://cdn.planted.test:{port}/picture.png\" alt=\"A picture\" width=1 height=1>")]),
    page("/security/form", &["form-url-insecure=1"], &[("[text]", "[text]<form action=\"http://www.planted.test:{port}/send\" method=post><input name=word></form>")]),
    page("/security/new-window", &["unsafe-cross-origin-link={host:other.test}/"], &[("[links]", "<p><a href=\"{host:other.test}/\" target=_blank>Another site</a></p>")]),
    page("/security/safe-new-window", &[], &[("[links]", "<p><a href=\"{host:other.test}/\" target=_blank rel=noopener>Another site</a></p>")]),
    page("/security/protocol-relative", &["protocol-relative-resource={host:cdn.planted.test}/picture.png"], &[("[text]", "[text]<img src=\"//cdn.planted.test:{port}/picture.png\" alt=\"A picture\" width=1 height=1>")]),
    page("/security/no-hsts", &["hsts-missing"], &[]).without(&["Strict-Transport-Security"]),
    page("/security/no-csp", &["csp-missing"], &[]).without(&["Content-Security-Policy"]),
    page("/security/no-nosniff", &["nosniff-missing"], &[]).without(&["X-Content-Type-Options"]),
    page("/security/no-frame-options", &["frame-options-missing"], &[]).without(&["X-Frame-Options"]),
    page("/security/no-referrer-policy", &["referrer-policy-missing"], &[]).without(&["Referrer-Policy"]),
    page("/security/unsafe-referrer-policy", &["referrer-policy-missing"], &[]).without(&["Referrer-Policy"]).with(&[("Referrer-Policy", "unsafe-url")]),
    // The newer directive says the same.
    page("/security/frame-ancestors", &[], &[]).without(&["X-Frame-Options"]).with(&[("Content-Security-Policy", "frame-ancestors 'self'")]),
    page("/security/open-cookie", &["cookie-without-secure=session"], &[]).with(&[("Set-Cookie", "session=1; Path=/security/; HttpOnly; SameSite=Lax")]),
    page("/security/script-cookie", &["cookie-without-httponly=session"], &[]).with(&[("Set-Cookie", "session=1; Path=/security/; Secure; SameSite=Lax")]),
    page("/security/cross-site-cookie", &["cookie-without-samesite=session"], &[]).with(&[("Set-Cookie", "session=1; Path=/security/; Secure; HttpOnly")]),
    page("/security/good-cookie", &[], &[]).with(&[("Set-Cookie", "session=1; Path=/security/; Secure; HttpOnly; SameSite=Lax")]),
    page("/security/server", &["server-banner=Apache/2.4.57 (Debian)"], &[]).with(&[("Server", "Apache/2.4.57 (Debian)")]),
    page("/security/powered-by", &["server-banner=PHP/8.2.7"], &[]).with(&[("X-Powered-By", "PHP/8.2.7")]),
    page("/security/server-without-version", &[], &[]).with(&[("Server", "nginx")]),
    page("/security/odd-types", &[], &[("[text]", "[text]<img src=\"{self}/media/really-a-png.jpg\" alt=\"A picture of another type\" width=1 height=1>")]),
];
