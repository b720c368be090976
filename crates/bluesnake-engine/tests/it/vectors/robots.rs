//! robots.txt as Google reads it, and the robots.txt files of thousands of sites.

use bluesnake_engine::admit::robots::{Robots, RobotsVerdict};
use bluesnake_engine::url::CanonicalUrl;
use serde_json::Value;

use super::{Tally, bytes_of, cases, folder, json};

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_else(|| panic!("{field} of {case} is text"))
}

fn page(url: &str) -> CanonicalUrl {
    let url = if url.is_empty() { "http://foo.bar/" } else { url };
    CanonicalUrl::parse(url).unwrap()
}

#[test]
fn robots_rules_match_google() {
    // The RFC compares escaped and unescaped spellings as equal; Google's matcher does not normalise the URL.
    const NORMALISED: [&str; 2] = ["http://foo.bar/foo/bar/ツ", "http://foo.bar/foo/bar/baz"];
    let mut tally = Tally::of("allowed.json");
    for case in cases(&json("google-robots", "allowed.json")) {
        let robots = Robots::parse(&bytes_of(&case["robots_txt"]), text(case, "user_agent"));
        let is_allowed = robots.verdict(&page(text(case, "url"))).is_allowed();
        let expected = case["allowed"].as_bool().unwrap();
        if text(case, "test") == "test_ID_Encoding" && NORMALISED.contains(&text(case, "url")) {
            assert_eq!(is_allowed, !expected, "both sides are normalised first: {case}");
            tally.except(text(case, "url"), "RFC 9309 section 2.2.2 asks to normalise both sides, and we do");
            continue;
        }
        tally.check(is_allowed == expected, || format!("{case}"));
    }
    assert_eq!(tally.exceptions.len(), 3);
    tally.finish(145);
}

/// How many of the two lines `User-Agent: foo` and `Allow: /AnyValue` were understood, judged by their effect.
fn understood(input: &[u8]) -> u64 {
    let robots = Robots::parse(&[input, b"Disallow: /\n"].concat(), "foo");
    let has_agent = !robots.verdict(&page("http://foo.bar/other")).is_allowed();
    let has_allow = robots.verdict(&page("http://foo.bar/AnyValue")).is_allowed();
    u64::from(has_agent) + u64::from(has_allow)
}

/// What the parser reported: numbers of directives, the last line, the sitemap.
fn check_report(tally: &mut Tally, case: &Value) {
    let (input, expected) = (bytes_of(&case["input"]), &case["expected"]);
    let number = |field: &str| expected[field].as_u64().unwrap();
    let passes = match text(case, "test") {
        "test_ID_LinesNumbersAreCountedCorrectly" => {
            let verdict = Robots::parse(&input, "bar").verdict(&page(""));
            matches!(verdict, RobotsVerdict::Disallowed { line, .. } if u64::from(line) == number("last_line_seen"))
        }
        "test_ID_UTF8ByteOrderMarkIsSkipped" => {
            let found = understood(&input);
            found == number("valid_directives") && 2 - found == number("unknown_directives")
        }
        "test_ID_NonStandardLineExample_Sitemap" => {
            Robots::parse(&input, "any").sitemaps() == [text(expected, "sitemap")]
        }
        other => panic!("unknown test {other}"),
    };
    tally.check(passes, || format!("{case}"));
}

fn check_parsed(tally: &mut Tally, case: &Value) {
    let expected = &case["expected"];
    match text(case, "kind") {
        "report" => check_report(tally, case),
        "valid_user_agent" => {
            let agent = text(case, "input");
            let file = format!("user-agent: {agent}\ndisallow: /\n");
            let is_obeyed = !Robots::parse(file.as_bytes(), agent).verdict(&page("")).is_allowed();
            tally.check(is_obeyed == expected.as_bool().unwrap(), || format!("{case}"));
        }
        "path_params_query" => match (text(case, "input"), CanonicalUrl::from_user_input(text(case, "input"))) {
            (input, Err(_)) => tally.except(input, "not a URL"),
            (input, Ok(_)) if input.starts_with('/') && !input.starts_with("//") => {
                tally.except(input, "a path without a host");
            }
            (_, Ok(url)) => tally.check(url.path_and_query() == expected, || format!("{case}: {url}")),
        },
        "escape_pattern" => {
            let file = format!("user-agent: *\ndisallow: /*{}\n", text(case, "input"));
            let escaped = page("http://foo.bar/").at_path(&format!("/x{}", expected.as_str().unwrap()));
            let verdict = Robots::parse(file.as_bytes(), "any").verdict(&escaped);
            tally.check(!verdict.is_allowed(), || format!("{case}"));
        }
        other => panic!("unknown kind of case {other}"),
    }
}

#[test]
fn robots_lines_match_google() {
    let mut tally = Tally::of("parsed.json");
    for case in cases(&json("google-robots", "parsed.json")) {
        check_parsed(&mut tally, case);
    }
    tally.finish(44);
}

/// No part of a real file makes the parser panic, and a whole file gives the same verdict at every parse.
#[test]
fn files_of_real_sites_never_panic() {
    let mut tally = Tally::of("robots-files");
    for entry in std::fs::read_dir(folder("robots-files")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name == ".sha256") {
            continue;
        }
        let file = std::fs::read(&path).unwrap();
        for end in (0..file.len()).step_by(file.len() / 7 + 1) {
            Robots::parse(&file[..end], "mybot").verdict(&page(""));
        }
        let verdict = || Robots::parse(&file, "mybot").verdict(&page("http://foo.bar/search?q=1")).is_allowed();
        tally.check(verdict() == verdict(), || path.display().to_string());
    }
    tally.finish(4231);
}
