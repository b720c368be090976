//! URLs: references resolved as RFC 3986 shows, spellings that are one URL, and spellings that are not.

use bluesnake_engine::url::{Base, CanonicalUrl};

/// The examples of RFC 3986 section 5.4, strict, with fragments removed.
#[test]
fn resolves_the_references_of_rfc_3986() {
    let base = Base::of(&CanonicalUrl::parse("http://a/b/c/d;p?q").unwrap());
    let check = |reference: &str, expected: &str| {
        assert_eq!(base.join(reference).unwrap().as_str(), expected, "{reference}");
    };
    check("g", "http://a/b/c/g");
    check("./g", "http://a/b/c/g");
    check("g/", "http://a/b/c/g/");
    check("/g", "http://a/g");
    check("//g", "http://g/");
    check("?y", "http://a/b/c/d;p?y");
    check("g?y", "http://a/b/c/g?y");
    check("#s", "http://a/b/c/d;p?q");
    check("g#s", "http://a/b/c/g");
    check("g?y#s", "http://a/b/c/g?y");
    check(";x", "http://a/b/c/;x");
    check("g;x", "http://a/b/c/g;x");
    check("g;x?y#s", "http://a/b/c/g;x?y");
    check("", "http://a/b/c/d;p?q");
    check(".", "http://a/b/c/");
    check("./", "http://a/b/c/");
    check("..", "http://a/b/");
    check("../", "http://a/b/");
    check("../g", "http://a/b/g");
    check("../..", "http://a/");
    check("../../", "http://a/");
    check("../../g", "http://a/g");
    check("../../../g", "http://a/g");
    check("../../../../g", "http://a/g");
    check("/./g", "http://a/g");
    check("/../g", "http://a/g");
    check("g.", "http://a/b/c/g.");
    check(".g", "http://a/b/c/.g");
    check("g..", "http://a/b/c/g..");
    check("..g", "http://a/b/c/..g");
    check("./../g", "http://a/b/g");
    check("./g/.", "http://a/b/c/g/");
    check("g/./h", "http://a/b/c/g/h");
    check("g/../h", "http://a/b/c/h");
    check("g;x=1/./y", "http://a/b/c/g;x=1/y");
    check("g;x=1/../y", "http://a/b/c/y");
    check("g?y/./x", "http://a/b/c/g?y/./x");
    check("g?y/../x", "http://a/b/c/g?y/../x");
    check("g#s/./x", "http://a/b/c/g");
    check("http:g", "http://a/b/c/g");
    assert!(base.join("g:h").is_err(), "another scheme is not a page");
}

/// Both spellings are one page.
#[test]
fn folds_spellings_that_the_url_standard_calls_equal() {
    let check = |one: &str, other: &str| {
        let (one, other) = (CanonicalUrl::parse(one).unwrap(), CanonicalUrl::parse(other).unwrap());
        assert_eq!(one, other);
    };
    check("HTTP://Example.COM/", "http://example.com/");
    check("http://example.com", "http://example.com/");
    check("http://example.com:80/", "http://example.com/");
    check("https://example.com:443/", "https://example.com/");
    check("http://example.com:/", "http://example.com/");
    check(" http://example.com/\t", "http://example.com/");
    check("http://exa\nmple.com/", "http://example.com/");
    check("http://example%2Ecom/", "http://example.com/");
    check("http://b\u{fc}cher.example/", "http://xn--bcher-kva.example/");
    check("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/");
    check("http://user:secret@example.com/", "http://example.com/");
    check("http://example.com/#part", "http://example.com/");
    check("http://example.com/a/./b/../c", "http://example.com/a/c");
    check("http://example.com/../../a", "http://example.com/a");
    check("http://example.com/a/%2e%2E/b", "http://example.com/b");
    check("http://example.com\\a\\b", "http://example.com/a/b");
    check("http:example.com/a", "http://example.com/a");
    check("http://example.com/a b", "http://example.com/a%20b");
    check("http://example.com/caf\u{e9}", "http://example.com/caf%C3%A9");
    check("http://example.com/%66oo", "http://example.com/foo");
    check("http://example.com/fo%6f", "http://example.com/foo");
    check("http://example.com/a%c3%a9", "http://example.com/a%C3%A9");
    check("http://example.com/a%2fb", "http://example.com/a%2Fb");
    check("http://0x7f.1/", "http://127.0.0.1/");
    check("http://[::0:1]/", "http://[::1]/");
}

/// What a crawler could fold, but would then miss pages.
#[test]
fn keeps_urls_distinct_that_a_server_may_distinguish() {
    let check = |one: &str, other: &str| {
        let (one, other) = (CanonicalUrl::parse(one).unwrap(), CanonicalUrl::parse(other).unwrap());
        assert_ne!(one, other);
    };
    check("http://example.com/", "https://example.com/");
    check("http://example.com/", "http://www.example.com/");
    check("http://example.com/", "http://example.com./");
    check("http://example.com/", "http://example.com:8080/");
    check("http://example.com/a", "http://example.com/A");
    check("http://example.com/a", "http://example.com/a/");
    check("http://example.com/a", "http://example.com/a?");
    check("http://example.com/a", "http://example.com//a");
    check("http://example.com/a/b", "http://example.com/a%2Fb");
    check("http://example.com/a?b&c", "http://example.com/a?c&b");
    check("http://example.com/a?b", "http://example.com/a?b=");
    check("http://example.com/a?b+c", "http://example.com/a?b%20c");
    check("http://example.com/index.html", "http://example.com/");
    check("http://example.com/a;session=1", "http://example.com/a");
}

#[test]
fn refuses_what_is_not_a_web_url() {
    let bad = [
        "",
        "x",
        "//",
        "http://",
        "https:///",
        "http://a b/",
        "http://[::1/",
        "http://a:65536/",
        "http://a:b/",
        "http://%zz/",
        "http://256.256.256.256/",
        "http://a<b/",
        "ftp://example.com/",
        "mailto:a@example.com",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
    ];
    for text in bad {
        assert!(CanonicalUrl::parse(text).is_err(), "{text:?}");
    }
}
