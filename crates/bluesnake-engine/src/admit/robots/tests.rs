use std::time::Duration;

use proptest::prelude::*;
use testsite::cpu_time;

use super::*;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse("https://a.example/").unwrap().at_path(path)
}

fn is_allowed(rules: &str, path: &str) -> bool {
    let file = format!("user-agent: *\n{rules}");
    let page = CanonicalUrl::parse(&format!("https://a.example{path}")).unwrap();
    Robots::parse(file.as_bytes(), "bluesnake").verdict(&page).is_allowed()
}

#[test]
fn the_longest_rule_wins_and_of_equal_ones_the_one_that_allows() {
    let check = |rules: &str, path, expected| assert_eq!(is_allowed(rules, path), expected, "{rules} {path}");
    check("disallow: /x\nallow: /x/y", "/x/y/z", true);
    check("allow: /x\ndisallow: /x/y", "/x/y/z", false);
    check("disallow: /x\nallow: /x", "/x", true);
    check("allow: /page\ndisallow: /*.html", "/page.html", false);
    check("disallow:", "/x", true);
    check("allow: /\ndisallow: /", "/x", true);
    check("disallow: x", "/x", true);
}

#[test]
fn stars_and_a_final_dollar_are_special_and_can_be_meant_literally() {
    let check = |pattern: &str, path, expected| {
        assert_eq!(!is_allowed(&format!("disallow: {pattern}"), path), expected, "{pattern} {path}");
    };
    check("/*.php$", "/a/b.php", true);
    check("/*.php$", "/a/b.php?c", false);
    check("/fish*$", "/fish/x", true);
    check("/$", "/", true);
    check("/$", "/x", false);
    check("/a$b", "/a$b/c", true);
    check("/**//*", "/a//b", true);
    check("/a*b*c", "/aXcXb", false);
    check("/a*aa$", "/aa", false);
    check("*.gif", "/x.gif", true);
    check("/%2A", "/x", false);
    check("/%2a/", "/*/", true);
    check("/%24", "/$1", true);
}

#[test]
fn both_sides_may_spell_a_character_in_any_way() {
    let check = |pattern: &str, path, expected| {
        assert_eq!(!is_allowed(&format!("disallow: {pattern}"), path), expected, "{pattern} {path}");
    };
    check("/ü", "/%c3%bc", true);
    check("/%C3%bc", "/ü", true);
    check("/%62a%7A", "/baz", true);
    check("/baz", "/%62%61%7a", true);
    check("/a%2fb", "/a/b", false);
    check("/a%2fb", "/a%2Fb", true);
    check("/a b", "/a%20b", true);
    check("/?q='x'", "/?q='x'", true);
    check("/{x}|y", "/{x}|y", true);
    check("/50%", "/50%", true);
    check("/%zz", "/%zz", true);
}

#[test]
fn all_groups_that_name_us_are_one_and_the_star_counts_only_without_them() {
    let file = b"user-agent: *\ndisallow: /all\n\n\
        user-agent: other\nuser-agent: BlueSnake/2.0 (new)\ndisallow: /first\n\
        user-agent: other\ndisallow: /other\n\
        user-agent: bluesnake\ndisallow: /second\n";
    let refused = |token: &str| {
        let robots = Robots::parse(file, token);
        ["/all", "/first", "/other", "/second"]
            .into_iter()
            .filter(|path| !robots.verdict(&url(path)).is_allowed())
            .collect::<Vec<_>>()
    };
    assert_eq!(refused("bluesnake"), ["/first", "/second"]);
    assert_eq!(refused("other"), ["/first", "/other"]);
    assert_eq!(refused("nobody"), ["/all"]);
    assert_eq!(refused("blue"), ["/all"]);
}

#[test]
fn a_group_without_rules_still_keeps_the_star_away() {
    let robots = Robots::parse(b"user-agent: *\ndisallow: /\nuser-agent: bluesnake\n", "bluesnake");
    assert!(robots.verdict(&url("/x")).is_allowed());
}

#[test]
fn lines_of_other_kinds_do_not_end_a_group_and_rules_before_any_agent_are_void() {
    let file = b"disallow: /void\nuser-agent: bluesnake\nsitemap: /s.xml\ncrawl-delay: 2\nfoo: bar\nuser-agent: *\ndisallow: /x";
    let robots = Robots::parse(file, "bluesnake");
    assert!(robots.verdict(&url("/void")).is_allowed());
    assert!(!robots.verdict(&url("/x")).is_allowed());
    assert_eq!(robots.crawl_delay(), Some(Duration::from_secs(2)));
}

#[test]
fn a_verdict_names_the_line_and_the_rule_as_written() {
    let check = |line_end: &str| {
        let file = ["# hello", "User-agent: *", "", "Disallow: /%62ücher # private"].join(line_end);
        let verdict = Robots::parse(file.as_bytes(), "bluesnake").verdict(&url("/b%C3%BCcher/1"));
        assert_eq!(verdict, RobotsVerdict::Disallowed { line: 4, rule: "/%62ücher".into() }, "{line_end:?}");
    };
    check("\n");
    check("\r\n");
    check("\r");
}

#[test]
fn misspelt_lines_are_understood() {
    let check = |file: &str, expected: bool| {
        let verdict = Robots::parse(file.as_bytes(), "bluesnake").verdict(&url("/x"));
        assert_eq!(verdict.is_allowed(), expected, "{file}");
    };
    check("useragent: *\ndisalow: /", false);
    check("USER AGENT: *\nDissallow: /", false);
    check("user-agent *\ndisallow /", false);
    check("user-agent : * all of you\ndisallow : /", false);
    check("user-agent: *\ndisallow / and more", true);
    check("user-agent: *\nforbid: /", true);
}

#[test]
fn allowing_the_index_page_allows_its_folder() {
    let rules = "allow: /docs/index.html\ndisallow: /";
    assert!(is_allowed(rules, "/docs/"));
    assert!(!is_allowed(rules, "/docs/other"));
}

#[test]
fn byte_order_marks_and_other_encodings_are_read() {
    let check = |file: &[u8]| {
        assert!(!Robots::parse(file, "bluesnake").verdict(&url("/caf%C3%A9")).is_allowed(), "{file:?}");
    };
    let text = "user-agent: *\ndisallow: /café\n";
    check(text.as_bytes());
    check(&[b"\xEF\xBB\xBF", text.as_bytes()].concat());
    check(&[b"\xEF\xBB", text.as_bytes()].concat());
    check(&"\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    check(&"\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect::<Vec<_>>());
    let latin1 = Robots::parse(b"user-agent: *\ndisallow: /caf\xE9\n", "bluesnake");
    assert!(!latin1.verdict(&url("/caf%E9")).is_allowed());
}

#[test]
fn a_long_file_is_cut_at_a_line_end_and_says_so() {
    let mut file = b"user-agent: *\ndisallow: /x\n".to_vec();
    assert!(!Robots::parse(&file, "bluesnake").is_cut());
    file.resize(BYTES_READ - 12, b'\n');
    file.extend_from_slice(b"allow: /x/not-to-be-cut-in-the-middle\n");
    let robots = Robots::parse(&file, "bluesnake");
    assert!(robots.is_cut());
    assert!(!robots.verdict(&url("/x/no")).is_allowed(), "half a line is no rule");
}

#[test]
fn sitemaps_are_kept_as_written_and_once() {
    let file =
        b"Sitemap: /a.xml\nuser-agent: x\nsite-map: https://b/b.xml\nsitemap: /a.xml\nsitemap:\nSitemap: c d.xml";
    assert_eq!(Robots::parse(file, "bluesnake").sitemaps(), ["/a.xml", "https://b/b.xml", "c d.xml"]);
}

#[test]
fn delays_are_seconds_of_our_group() {
    let check = |value: &str, expected: Option<f64>| {
        let file = format!(
            "user-agent: bluesnake\ncrawl-delay: {value}\nuser-agent: x\ndisallow:\n\nuser-agent: *\ncrawl-delay: 99"
        );
        let delay = Robots::parse(file.as_bytes(), "bluesnake").crawl_delay();
        assert_eq!(delay, expected.map(Duration::from_secs_f64), "{value}");
    };
    check("1.5", Some(1.5));
    check("10 seconds", Some(10.0));
    check("0", Some(0.0));
    check("-1", None);
    check("soon", None);
    check("", None);
    check("1e9", Some(1.0));
    check("99999999999999999999999", Some(86_400.0));
}

#[test]
fn unreachable_robots_txt_disallows_everything_but_itself() {
    assert_eq!(Robots::disallow_all().verdict(&url("/x")), RobotsVerdict::Unreachable);
    assert!(Robots::disallow_all().verdict(&url("/robots.txt")).is_allowed());
    assert!(is_allowed("disallow: /", "/robots.txt"));
    assert!(!is_allowed("disallow: /", "/sub/robots.txt"));
    assert!(Robots::allow_all().verdict(&url("/x")).is_allowed());
}

#[test]
fn a_status_means_rules_or_everything_or_nothing() {
    let check = |status, expected| assert_eq!(access(status), expected, "{status}");
    check(200, Access::Rules);
    check(204, Access::AllowAll);
    for missing in [304, 400, 401, 403, 404, 410, 451] {
        check(missing, Access::AllowAll);
    }
    for silent in [100, 429, 500, 503, 599, 999] {
        check(silent, Access::DisallowAll);
    }
}

#[test]
fn no_pattern_makes_matching_slow() {
    let stars = "*a".repeat(4000);
    let robots = Robots::parse(format!("user-agent: *\ndisallow: /{stars}*b$").as_bytes(), "bluesnake");
    let page = url(&format!("/{}", "a".repeat(8000)));
    let start = cpu_time();
    for _ in 0..100 {
        assert!(robots.verdict(&page).is_allowed());
    }
    assert!(cpu_time() - start < Duration::from_secs(20), "{:?}", cpu_time() - start);
}

#[test]
fn the_most_hostile_file_is_parsed_and_matched_quickly() {
    let mut file = b"user-agent: *\n".to_vec();
    for number in 0..60_000 {
        file.extend_from_slice(format!("sitemap:{number}\nallow:*{number:x}\n").as_bytes());
    }
    let start = cpu_time();
    let robots = Robots::parse(&file, "bluesnake");
    assert!(robots.is_cut());
    assert!(robots.verdict(&url(&format!("/{}", "z".repeat(2000)))).is_allowed());
    assert!(cpu_time() - start < Duration::from_secs(20), "{:?}", cpu_time() - start);
}

/// Matches a pattern literally as the RFC describes it, ignoring speed.
fn matches_slowly(pattern: &[u8], path: &[u8]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((b'$', [])) => path.is_empty(),
        Some((b'*', rest)) => (0..=path.len()).any(|at| matches_slowly(rest, &path[at..])),
        Some((byte, rest)) => path.first() == Some(byte) && matches_slowly(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_parser_panic(bytes: Vec<u8>, path in "/[ -~]{0,20}") {
        let robots = Robots::parse(&bytes, "bluesnake");
        robots.verdict(&CanonicalUrl::parse(&format!("https://a.example{path}")).unwrap());
    }

    #[test]
    fn no_lines_make_the_parser_panic(lines in prop::collection::vec("(user-agent|allow|disallow|crawl-delay|sitemap)[: ]{0,2}[*$/a%2.#é-]{0,9}", 0..20)) {
        let robots = Robots::parse(lines.join("\n").as_bytes(), "a");
        robots.verdict(&url("/a/a%2Fa$"));
    }

    #[test]
    fn matching_agrees_with_the_letter_of_the_rfc(pattern in "/[ab*]{0,8}[$]?", path in "/[ab]{0,10}") {
        prop_assert_eq!(pattern::matches(&pattern, &path), matches_slowly(pattern.as_bytes(), path.as_bytes()));
    }
}
