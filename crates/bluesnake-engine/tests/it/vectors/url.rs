//! Addresses as the web platform tests and crawler-commons know them.

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
    let Some(all) = json("url/wpt-urltestdata.json") else { return };
    let mut tally = Tally::of("url/wpt-urltestdata.json");
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
    tally.finish(891);
}

#[test]
fn host_names_become_ascii_as_in_browsers() {
    let Some(all) = json("url/wpt-toascii.json") else { return };
    let mut tally = Tally::of("url/wpt-toascii.json");
    for case in cases(&all).iter().filter(|case| case.is_object()) {
        let input = case["input"].as_str().unwrap();
        let url = CanonicalUrl::parse(&format!("https://{input}/x"));
        let host = url.as_ref().ok().map(CanonicalUrl::host);
        match why_it_is_refused(input).filter(|_| host.is_none() && case["output"].is_string()) {
            Some(reason) => tally.except(input, reason),
            None => tally.check(host == case["output"].as_str(), || format!("{case}: {host:?}")),
        }
    }
    assert!(tally.exceptions.len() <= 7);
    tally.finish(87);
}

/// The fields of a CSV line; a quoted field holds commas, and `""` in it is a quote.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => fields.last_mut().unwrap().push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().unwrap().push(character),
        }
    }
    fields.iter().map(|field| field.trim_start_matches(' ').to_owned()).collect()
}

fn lines(file: &str) -> Option<Vec<Vec<String>>> {
    let text = String::from_utf8(bytes(file)?).unwrap();
    Some(text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(fields).collect())
}

#[test]
fn references_are_resolved_as_crawler_commons_does() {
    let Some(all) = lines("url/crawlercommons-url-resolve.csv") else { return };
    let mut tally = Tally::of("url/crawlercommons-url-resolve.csv");
    let count = all.len();
    for case in all {
        let [input, base, expected] = case.as_slice() else { panic!("three fields: {case:?}") };
        if !is_web(expected) {
            tally.except(input, "is no page");
            continue;
        }
        let base = CanonicalUrl::parse(base).ok();
        let found = base.map_or_else(|| CanonicalUrl::parse(input), |base| Base::of(&base).join(input));
        tally.check(found.as_ref().is_ok_and(|url| url.as_str() == bare(expected)), || format!("{case:?}: {found:?}"));
    }
    tally.finish(count);
}

#[test]
fn what_is_no_url_is_refused() {
    let Some(all) = lines("url/crawlercommons-invalidUrls.csv") else { return };
    let mut tally = Tally::of("url/crawlercommons-invalidUrls.csv");
    for case in &all {
        tally.check(CanonicalUrl::parse(&case[0]).is_err(), || case[0].clone());
    }
    tally.finish(2);
}

/// Why a crawler that folds more than the URL standard has another form for it than we have.
fn why_we_keep_it(weird: &str, normal: &str) -> Option<&'static str> {
    let query = weird.split_once('?').map(|(_, query)| query.split('#').next().unwrap());
    let path = weird.split('?').next().unwrap();
    let has_empty_segment = path.split_once("://").is_some_and(|(_, rest)| rest.contains("//"));
    let query_has = |characters: &[char]| query.is_some_and(|query| query.contains(characters));
    let reasons = [
        (!is_web(&weird.to_ascii_lowercase()), "is no http address"),
        (normal == "http:/", "has no host"),
        (has_empty_segment, "empty path segments are a path of their own"),
        (normal.contains("%25"), "a bare % is sent as it stands"),
        (weird.contains("org./"), "a host's final dot is kept"),
        (query_has(&['[', '^', '`', '|']), "browsers send these plain in a query"),
        (query == Some("") || query_has(&['&', '=']), "queries are kept as they are"),
    ];
    reasons.iter().find(|(holds, _)| *holds).map(|(_, reason)| *reason)
}

#[test]
fn weird_urls_are_one_where_the_url_standard_promises_it() {
    let Some(all) = lines("url/crawlercommons-weirdToNormalizedUrls.csv") else { return };
    let mut tally = Tally::of("url/crawlercommons-weirdToNormalizedUrls.csv");
    let count = all.len();
    for case in all {
        let [weird, normal] = case.as_slice() else { panic!("two fields: {case:?}") };
        let (found, expected) = (CanonicalUrl::parse(weird), CanonicalUrl::parse(normal));
        // Equal keys are equal pages, also where the fetched spelling keeps `%66`.
        if found.is_ok() && found == expected {
            tally.check(true, String::new);
        } else if let Some(reason) = why_we_keep_it(weird, normal) {
            tally.except(weird, reason);
        } else {
            tally.check(false, || format!("{weird} -> {normal}: {found:?}"));
        }
    }
    tally.finish(count);
}

#[test]
fn naughty_strings_are_addresses_or_not_but_never_a_panic() {
    let Some(all) = json("naughty/blns.json") else { return };
    let mut tally = Tally::of("naughty/blns.json");
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
    tally.finish(515);
}
