//! robots.txt as Google and crawler-commons read it.

use bluesnake_engine::admit::robots::{Access, Robots, RobotsVerdict, access};
use bluesnake_engine::url::CanonicalUrl;
use serde_json::Value;

use super::{Tally, bytes, bytes_of, cases, json, testdata};

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_else(|| panic!("{field} of {case} is text"))
}

fn page(url: &str) -> CanonicalUrl {
    let url = if url.is_empty() { "http://foo.bar/" } else { url };
    CanonicalUrl::parse(url).unwrap()
}

#[test]
fn we_obey_what_google_obeys() {
    // The RFC compares escaped and unescaped spellings as equal; Google's matcher does not normalise the URL.
    const NORMALISED: [&str; 2] = ["http://foo.bar/foo/bar/ツ", "http://foo.bar/foo/bar/baz"];
    let Some(all) = json("robots/google_allowed.json") else { return };
    let mut tally = Tally::of("robots/google_allowed.json");
    for case in cases(&all) {
        let robots = Robots::parse(&bytes_of(&case["robots_txt"]), text(case, "user_agent"));
        let is_allowed = robots.verdict(&page(text(case, "url"))).is_allowed();
        let expected = case["allowed"].as_bool().unwrap();
        if text(case, "test") == "ID_Encoding" && NORMALISED.contains(&text(case, "url")) {
            assert_eq!(is_allowed, !expected, "both sides are normalised first: {case}");
            tally.except(text(case, "url"), "RFC 9309 section 2.2.2 asks to normalise both sides, and we do");
            continue;
        }
        tally.check(is_allowed == expected, || format!("{case}"));
    }
    assert_eq!(tally.exceptions.len(), 3);
    tally.finish(145);
}

/// How many of the two lines of `User-Agent: foo` and `Allow: /AnyValue` were understood, told by their effect.
fn understood(input: &[u8]) -> u64 {
    let robots = Robots::parse(&[input, b"Disallow: /\n"].concat(), "foo");
    let has_agent = !robots.verdict(&page("http://foo.bar/other")).is_allowed();
    let has_allow = robots.verdict(&page("http://foo.bar/AnyValue")).is_allowed();
    u64::from(has_agent) + u64::from(has_allow)
}

fn check_parse(tally: &mut Tally, case: &Value) {
    let (kind, input) = (text(case, "kind"), bytes_of(&case["input"]));
    let written = String::from_utf8_lossy(&input).into_owned();
    let expected = &case["expected"];
    match kind {
        "valid_user_agent" => {
            let file = format!("user-agent: {written}\ndisallow: /\n");
            let is_obeyed = !Robots::parse(file.as_bytes(), &written).verdict(&page("")).is_allowed();
            tally.check(is_obeyed == expected.as_bool().unwrap(), || format!("{case}"));
        }
        "parse_last_line" => {
            let verdict = Robots::parse(&input, "bar").verdict(&page(""));
            let last = u32::try_from(expected.as_u64().unwrap()).unwrap();
            let is_there = matches!(verdict, RobotsVerdict::Disallowed { line, .. } if line == last);
            tally.check(is_there, || format!("{case}: {verdict:?}"));
        }
        "parse_valid_directives" if text(case, "test") == "ID_UTF8ByteOrderMarkIsSkipped" => {
            tally.check(understood(&input) == expected.as_u64().unwrap(), || format!("{case}"));
        }
        "parse_unknown_directives" => {
            tally.check(2 - understood(&input) == expected.as_u64().unwrap(), || format!("{case}"));
        }
        "parse_valid_directives" => tally.except(&written, "directives are not counted; the line number is checked"),
        "parse_sitemap" => {
            let robots = Robots::parse(&input, "any");
            tally.check(robots.sitemaps() == [expected.as_str().unwrap()], || format!("{case}"));
        }
        "path_params_query" => match CanonicalUrl::from_user_input(&written) {
            Err(_) => tally.except(&written, "is no address"),
            Ok(_) if written.starts_with('/') && !written.starts_with("//") => {
                tally.except(&written, "is a path without a host");
            }
            Ok(url) => tally.check(url.path_and_query() == expected, || format!("{case}: {url}")),
        },
        "escape_pattern" => {
            let file = format!("user-agent: *\ndisallow: /*{written}\n");
            let escaped = page("http://foo.bar/").at_path(&format!("/x{}", expected.as_str().unwrap()));
            let verdict = Robots::parse(file.as_bytes(), "any").verdict(&escaped);
            tally.check(!verdict.is_allowed(), || format!("{case}"));
        }
        other => panic!("a new kind of case: {other}"),
    }
}

#[test]
fn lines_are_read_as_google_reads_them() {
    let Some(all) = json("robots/google_parse.json") else { return };
    let mut tally = Tally::of("robots/google_parse.json");
    for case in cases(&all) {
        check_parse(&mut tally, case);
    }
    tally.finish(56);
}

#[test]
fn escaped_paths_are_equal_to_plain_ones() {
    let Some(all) = json("robots/crawlercommons_escaped_paths.json") else { return };
    let mut tally = Tally::of("robots/crawlercommons_escaped_paths.json");
    for case in cases(&all["cases"]) {
        let file = text(&all, "robots_txt").replace("{disallow}", text(case, "disallow"));
        let verdict = Robots::parse(file.as_bytes(), text(&all, "user_agent")).verdict(&page(text(case, "url")));
        tally.check(verdict.is_allowed() == case["allowed"].as_bool().unwrap(), || format!("{case}"));
    }
    tally.finish(31);
}

/// The status and body that a response in words has; none for one without a status of its own.
fn response(words: &str) -> Option<(u16, &'static [u8])> {
    const RULES: &[u8] = b"user-agent: *\ndisallow: /private\n";
    match words {
        "200 empty body" => Some((200, b"")),
        _ if words.ends_with("then 200") => Some((200, RULES)),
        _ if words.starts_with("301 to a non-http scheme") => None,
        _ => words.get(..3).and_then(|status| status.parse().ok()).map(|status| (status, RULES)),
    }
}

fn meaning(status: u16, body: &[u8]) -> &'static str {
    let robots = match access(status) {
        Access::Rules => Robots::parse(body, "bluesnake"),
        Access::AllowAll => Robots::allow_all(),
        Access::DisallowAll => Robots::disallow_all(),
    };
    let is_allowed = |path| robots.verdict(&page("").at_path(path)).is_allowed();
    match (is_allowed("/public"), is_allowed("/private")) {
        (true, true) => "allow_all",
        (true, false) => "rules",
        _ => "disallow_all",
    }
}

#[test]
fn a_status_of_robots_txt_means_what_the_rfc_says() {
    let Some(all) = json("robots/rfc9309_access.json") else { return };
    let mut tally = Tally::of("robots/rfc9309_access.json");
    for case in cases(&all["cases"]) {
        let words = text(case, "answer");
        match response(words) {
            Some((status, body)) => {
                let found = meaning(status, body);
                tally.check(found == text(case, "meaning"), || format!("{case}: {found}"));
            }
            // `safety.rs` serves these over HTTP.
            None => tally.except(words, "it has no status"),
        }
    }
    tally.finish(26);
}

#[test]
fn odd_files_give_sensible_rules() {
    let Some(folder) = testdata() else { return };
    let mut tally = Tally::of("robots/files");
    let mut check = |file: &str, token: &str, path: &str, expected: bool| {
        let robots = Robots::parse(&bytes(&format!("robots/files/{file}")).unwrap(), token);
        let is_allowed = robots.verdict(&page("").at_path(path)).is_allowed();
        tally.check(is_allowed == expected, || format!("{file} {token} {path}: {is_allowed}"));
    };
    check("rfc9309-example-simple-robots.txt", "anybot", "/a/b.gif", false);
    check("rfc9309-example-simple-robots.txt", "anybot", "/a/b.gif?c", true);
    check("rfc9309-example-simple-robots.txt", "foobot", "/example/page.html", true);
    check("rfc9309-example-simple-robots.txt", "foobot", "/publications/", false);
    check("rfc9309-example-simple-robots.txt", "barbot", "/example/page.html", false);
    check("rfc9309-example-simple-robots.txt", "quxbot", "/example/page.html", true);
    check("rfc9309-example-longest-match-robots.txt", "foobot", "/example/page/x", true);
    check("rfc9309-example-longest-match-robots.txt", "foobot", "/example/page/disallowed.gif", false);
    check("rfc9309-example-rule-group-merging.txt", "ExampleBot", "/baz", false);
    check("rfc9309-example-rule-group-merging.txt", "BazBot", "/foo", true);
    check("extensions-group-merging.txt", "mybot", "/private/", false);
    check("extensions-group-merging.txt", "yourbot", "/login/", false);
    check("extensions-group-merging.txt", "anybot", "/x", false);
    check("extensions-group-merging.txt", "anybot", "/llms.txt", true);
    check("crawl-delay-group-merging.txt", "mybot", "/private/", false);
    check("crawl-delay-group-merging.txt", "anybot", "/private/", true);
    check("merge-rules.txt", "wget", "/foo/bar", true);
    check("merge-rules.txt", "wget", "/tmp/bar", false);
    check("merge-rules.txt", "anybot", "/foo/bar", false);
    check("precedence-of-rules.txt", "testy", "/foo/bar", true);
    check("precedence-of-rules.txt", "testy", "/foo/b", false);
    check("precedence-of-rules.txt", "wget", "/foo", true);
    check("precedence-of-rules.txt", "wget", "/other", false);
    check("malformed-path.txt", "anybot", "/wiki/Wikipedia_talk%3Mediation_Committee/", false);
    check("many-user-agents.txt", "complex_network_group", "/", false);
    check("many-user-agents.txt", "anybot", "/bot-trap/x", false);
    check("robots-with-utf8-bom.txt", "anybot", "/profile", false);
    check("robots-with-utf16le-bom.txt", "anybot", "/profile", false);
    check("robots-with-utf16be-bom.txt", "anybot", "/profile", false);
    check("robots-with-utf16be-bom.txt", "anybot", "/", true);
    check("wildcards.txt", "anybot", "/gp/cart/x", false);
    check("directive-typos-robots.txt", "bot", "/dissalow/", false);
    check("directive-typos-robots.txt", "bot", "/desallow/", true);
    check("format-errors-robots.txt", "bot", "/no-colon/", false);
    tally.finish(34);
    let read = |file: &str| Robots::parse(&std::fs::read(folder.join("robots/files").join(file)).unwrap(), "mybot");
    assert_eq!(read("crawl-delay-group-merging.txt").crawl_delay().unwrap().as_secs(), 10);
    assert_eq!(read("astore.amazon.com-robots.txt").crawl_delay().unwrap().as_secs(), 5);
    assert_eq!(read("dos-line-endings.txt").crawl_delay().unwrap().as_secs(), 1);
    assert_eq!(read("relative-sitemap-robots.txt").sitemaps(), ["/sitemap.xml"]);
    assert_eq!(read("sitemap-robots-dedup.txt").sitemaps().len(), 1);
    assert_eq!(read("sitemap-robots.txt").sitemaps()[1], "http://domain.com/dir/MixedCased-sitemap.xml");
}

#[test]
fn no_part_of_an_odd_file_makes_the_parser_panic() {
    let Some(folder) = testdata() else { return };
    let mut tally = Tally::of("robots/files");
    for entry in std::fs::read_dir(folder.join("robots/files")).unwrap() {
        let file = std::fs::read(entry.unwrap().path()).unwrap();
        for end in (0..file.len()).step_by(37) {
            Robots::parse(&file[..end], "mybot").verdict(&page(""));
        }
        tally.check(true, String::new);
    }
    tally.finish(24);
}
