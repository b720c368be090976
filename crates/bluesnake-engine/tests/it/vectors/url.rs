//! URLs and host names of the web platform tests, and the big list of naughty strings.

use bluesnake_engine::url::{Base, CanonicalUrl, UrlProblem};
use serde_json::Value;

use super::{Tally, bytes, cases, json};

fn is_web(url: &str) -> bool {
    url.starts_with("http:") || url.starts_with("https:")
}

/// A URL without fragment and userinfo, as ours are.
fn bare(href: &str) -> String {
    let href = href.split('#').next().unwrap();
    let (scheme, rest) = href.split_once("//").unwrap();
    let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}//{host}{path}")
}

/// Why the URL parser that we use refuses an address that browsers take.
fn why_it_is_refused(input: &str) -> Option<&'static str> {
    if input.to_ascii_lowercase().contains("xn--") {
        return Some("a label that is not valid Punycode names no host that can be looked up");
    }
    input.starts_with("///").then_some("the url crate takes no more than two slashes before a host")
}

#[test]
fn we_parse_and_resolve_as_browsers_do() {
    // JavaScript replaces lone surrogates, which a Rust string cannot contain, before it parses a URL.
    let text = String::from_utf8(bytes("wpt-url", "urltestdata.json")).unwrap();
    let text = text.replace(r"\uD800\uD801\uDFFE\uDFFF", r"\uFFFD\uD801\uDFFE\uFFFD");
    let all: Value = serde_json::from_str(&text).unwrap();
    let mut tally = Tally::of("urltestdata.json");
    for case in cases(&all).iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        let base = case["base"].as_str();
        let base = base.filter(|base| is_web(base)).map(|base| Base::of(&CanonicalUrl::parse(base).unwrap()));
        let found = base.map_or_else(|| CanonicalUrl::parse(input), |base| base.join(input));
        match case["href"].as_str() {
            None => tally.check(found == Err(UrlProblem::Malformed), || format!("{input} must fail: {found:?}")),
            Some(href) if is_web(href) => {
                let expected = bare(href);
                let is_same = found.as_ref().is_ok_and(|url| url.as_str() == expected);
                match why_it_is_refused(input).filter(|_| found.is_err()) {
                    Some(reason) => tally.except(input, reason),
                    None => tally.check(is_same, || format!("{input} is {expected}: {found:?}")),
                }
            }
            Some(href) => tally.check(found.is_err(), || format!("{input} is {href}, no page: {found:?}")),
        }
    }
    assert!(tally.exceptions.len() <= 14);
    tally.finish(820);
}

#[test]
fn converts_host_names_to_ascii_as_browsers_do() {
    let mut tally = Tally::of("toascii.json");
    for case in cases(&json("wpt-url", "toascii.json")).iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        let url = CanonicalUrl::parse(&format!("https://{input}/x"));
        let host = url.as_ref().ok().map(CanonicalUrl::host);
        match why_it_is_refused(input).filter(|_| host.is_none() && case["output"].is_string()) {
            Some(reason) => tally.except(input, reason),
            None => tally.check(host == case["output"].as_str(), || format!("{case}: {host:?}")),
        }
    }
    assert!(tally.exceptions.len() <= 7, "{:?}", tally.exceptions);
    tally.finish(39);
}

#[test]
fn naughty_strings_never_panic_and_parse_the_same_twice() {
    let all = json("naughty-strings", "blns.json");
    let mut tally = Tally::of("blns.json");
    let base = Base::of(&CanonicalUrl::parse("https://a.example/dir/").unwrap());
    for string in cases(&all).iter().filter_map(Value::as_str) {
        let found = [
            CanonicalUrl::parse(string),
            CanonicalUrl::from_user_input(string),
            CanonicalUrl::parse(&format!("http://{string}/")),
            base.join(string),
        ];
        let is_stable = found.iter().flatten().all(|url| CanonicalUrl::parse(url.as_str()).as_ref() == Ok(url));
        tally.check(is_stable, || format!("{string:?} is another URL when it is parsed again"));
    }
    tally.finish(485);
}
