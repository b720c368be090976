//! robots.txt as RFC 9309 describes it.

use bluesnake_engine::admit::robots::{Access, COPY_LASTS, Robots, access};
use bluesnake_engine::url::CanonicalUrl;

fn page(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse("https://example.com/").unwrap().at_path(path)
}

fn is_allowed(file: &[u8], agent: &str, path: &str) -> bool {
    Robots::parse(file, agent).verdict(&page(path)).is_allowed()
}

#[track_caller]
fn check(file: &str, agent: &str, path: &str, expected: bool) {
    assert_eq!(is_allowed(file.as_bytes(), agent, path), expected, "{agent} {path}\n{file}");
}

/// Whether `Disallow: rule` leaves the path allowed.
#[track_caller]
fn check_rule(rule: &str, path: &str, expected: bool) {
    check(&format!("User-agent: *\r\nDisallow: {rule}\r\nAllow: /"), "mybot", path, expected);
}

/// RFC 9309 section 2.2.2: both sides are normalised, and an escaped delimiter is not the delimiter.
#[test]
fn escaped_paths_equal_plain_ones() {
    check_rule("/*%20", "/", true);
    check_rule("/*%20", "/a%20b", false);
    check_rule("/*%20", "/ab", true);
    check_rule("/a%20b", "/a b", false);
    check_rule("/*%2F*", "/a/b", true);
    check_rule("/*%2F*", "/a%2Fb", false);
    check_rule("/a%2Fb", "/a%2fb", false);
    check_rule("/a%2fb", "/a%2Fb", false);
    check_rule("/a/b", "/a%2Fb", true);
    check_rule("/q?*type=text%2Fhtml", "/q?type=text%2Fhtml", false);
    check_rule("/foo/bar/\u{30c4}", "/foo/bar/%E3%83%84", false);
    check_rule("/foo/bar/%E3%83%84", "/foo/bar/\u{30c4}", false);
    check_rule("/foo/bar/%e3%83%84", "/foo/bar/\u{30c4}", false);
    check_rule("/foo/bar/%62%61%7A", "/foo/bar/baz", false);
    check_rule("/foo/bar/baz", "/foo/bar/%62%61%7A", false);
    check_rule("/caf\u{e9}", "/caf%C3%A9", false);
    check_rule("/%7Euser", "/~user", false);
    check_rule("/~user", "/%7euser", false);
    check_rule("/a%3Fb", "/a?b", true);
    check_rule("/a%3Fb", "/a%3Fb", false);
}

#[test]
fn stars_and_dollars_match_as_wildcards_unless_escaped() {
    check_rule("/$", "/", false);
    check_rule("/$", "/a", true);
    check_rule("/*.gif$", "/x/y.gif", false);
    check_rule("/*.gif$", "/x/y.gif?z", true);
    check_rule("/*/*/c", "/a/b/c", false);
    check_rule("/a**b", "/axb", false);
    check_rule("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", false);
    check_rule("/path/file-with-a-%2A.html", "/path/file-with-a-x.html", true);
    check_rule("/path/foo-%24", "/path/foo-$", false);
    check_rule("/path/foo-%24", "/path/foo-", true);
    check_rule("/a$b", "/a$b", false);
}

#[test]
fn an_empty_rule_forbids_nothing() {
    check_rule("", "/", true);
    check("User-agent: *\nDisallow:\n", "mybot", "/a", true);
    check("User-agent: *\nDisallow: /\nAllow:\n", "mybot", "/a", false);
}

#[test]
fn the_longest_rule_wins_and_allow_wins_a_tie() {
    let file = "User-agent: *\nDisallow: /docs\nAllow: /docs/public\nDisallow: /docs/public/*.pdf\n";
    check(file, "mybot", "/docs", false);
    check(file, "mybot", "/docs/public/a", true);
    check(file, "mybot", "/docs/public/a.pdf", false);
    check("User-agent: *\nDisallow: /a\nAllow: /a\n", "mybot", "/a", true);
    check("User-agent: *\nAllow: /a\nDisallow: /a\n", "mybot", "/a", true);
}

#[test]
fn groups_of_one_agent_are_merged() {
    let file = "User-agent: one\nUser-agent: two\nDisallow: /both\n\nUser-agent: *\nDisallow: /rest\n\n\
                User-agent: TWO\nDisallow: /second\n";
    check(file, "one", "/both", false);
    check(file, "one", "/second", true);
    check(file, "two", "/both", false);
    check(file, "two", "/second", false);
    check(file, "two", "/rest", true);
    check(file, "three", "/rest", false);
    check(file, "three", "/both", true);
}

#[test]
fn other_records_neither_end_a_group_nor_join_one() {
    let file = "User-agent: one\nCrawl-delay: 7\nUser-agent: two\nSitemap: /s.xml\nDisallow: /x\n";
    check(file, "one", "/x", false);
    check(file, "two", "/x", false);
    let robots = Robots::parse(file.as_bytes(), "one");
    assert_eq!(robots.sitemaps(), ["/s.xml"]);
    let repeated = Robots::parse(b"Sitemap: https://a.example/S.xml\nSitemap: https://a.example/S.xml\n", "one");
    assert_eq!(repeated.sitemaps(), ["https://a.example/S.xml"]);
    let slow = Robots::parse(b"User-agent: *\r\nCrawl-delay: 1\r\nDisallow: /x\r\n", "one");
    assert_eq!(slow.crawl_delay().unwrap().as_secs(), 1);
}

#[test]
fn byte_order_marks_encodings_and_line_ends_do_not_matter() {
    let file = "User-agent: *\nDisallow: /profile\n";
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| [0xFEFF].into_iter().chain(file.encode_utf16()).flat_map(bytes).collect();
    let files: [Vec<u8>; 6] = [
        [b"\xEF\xBB\xBF", file.as_bytes()].concat(),
        utf_16(u16::to_be_bytes),
        utf_16(u16::to_le_bytes),
        file.replace('\n', "\r\n").into_bytes(),
        file.replace('\n', "\r").into_bytes(),
        file.trim_end().as_bytes().to_vec(),
    ];
    for file in files {
        let shown = String::from_utf8_lossy(&file);
        assert!(!is_allowed(&file, "mybot", "/profile"), "{shown:?}");
        assert!(is_allowed(&file, "mybot", "/"), "{shown:?}");
    }
}

#[test]
fn common_mistakes_are_understood() {
    check("useragent: *\ndissalow: /x\n", "mybot", "/x", false);
    check("user agent: *\ndisalow: /x\n", "mybot", "/x", false);
    check("User-agent: *\nDisallow /x\n", "mybot", "/x", false);
    check("User-agent : *\n Disallow : /x # why\n", "mybot", "/x", false);
    check("User-agent: mybot/1.0\nDisallow: /x\n", "mybot", "/x", false);
    check("User-agent: *\nDesallow: /x\n", "mybot", "/x", true);
    check("User-agent: *\nDisallow: /a%3Mb/\n", "mybot", "/a%3Mb/c", false);
}

#[test]
fn a_thousand_agents_share_a_group() {
    // A product token has no digits.
    let letters =
        |number: u32| number.to_string().bytes().map(|digit| char::from(digit + b'a' - b'0')).collect::<String>();
    let agents: String = (0..1_000).map(|number| format!("User-agent: bot-{}\n", letters(number))).collect();
    let file = format!("{agents}Disallow: /\n\nUser-agent: *\nDisallow: /trap\n");
    check(&file, "bot-jjj", "/", false);
    check(&file, "bot", "/", true);
    check(&file, "bot", "/trap", false);
}

const RULES: &[u8] = b"user-agent: *\ndisallow: /private\n";

#[derive(Debug, PartialEq)]
enum Meaning {
    Rules,
    AllowAll,
    DisallowAll,
}

fn meaning(status: u16, body: &[u8]) -> Meaning {
    let robots = match access(status) {
        Access::Rules => Robots::parse(body, "bluesnake"),
        Access::AllowAll => Robots::allow_all(),
        Access::DisallowAll => Robots::disallow_all(),
    };
    let is_allowed = |path| robots.verdict(&page(path)).is_allowed();
    match (is_allowed("/public"), is_allowed("/private")) {
        (true, true) => Meaning::AllowAll,
        (true, false) => Meaning::Rules,
        _ => Meaning::DisallowAll,
    }
}

/// RFC 9309 section 2.3.1; `safety.rs` serves redirects and failures over HTTP. 429 counts as a server error, as it does for Google: the host wants fewer requests.
#[test]
fn a_status_of_robots_txt_means_what_the_rfc_says() {
    assert_eq!(meaning(200, RULES), Meaning::Rules);
    assert_eq!(meaning(200, b""), Meaning::AllowAll);
    assert_eq!(meaning(200, b"<!doctype html><p>Not found"), Meaning::AllowAll);
    let long = [RULES, &b"# filler\n".repeat(100_000)].concat();
    assert_eq!(meaning(200, &long), Meaning::Rules);
    for status in [204, 400, 401, 403, 404, 410, 418, 451, 499] {
        assert_eq!(meaning(status, RULES), Meaning::AllowAll, "{status}");
    }
    for status in [429, 500, 502, 503, 504, 599] {
        assert_eq!(meaning(status, RULES), Meaning::DisallowAll, "{status}");
    }
    assert_eq!(COPY_LASTS.as_secs(), 24 * 60 * 60);
}
