//! What similar URLs have in common: numbers, session ids and random names are treated as equal.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::url::CanonicalUrl;

/// Characters between the words of a URL.
const SEPARATORS: [char; 7] = ['/', '?', '&', '=', '-', '_', '.'];
/// From this length on, a mix of letters and digits counts as a random name.
const RANDOM_NAME: usize = 10;
/// From this length on, a value may be a session id.
const SESSION_ID: usize = 8;
/// Names of session ids in paths, in lower case.
const SESSION_NAMES: [&str; 8] =
    ["jsessionid", "phpsessid", "aspsessionid", "sessionid", "session", "sess", "sid", "cftoken"];

/// Which part of a site a URL belongs to: its host and first folder, with numbers, session ids and random names
/// treated as equal. Pages at the top level are one part, except for numbered names such as `/page-17`.
pub(crate) fn part_of(url: &CanonicalUrl) -> u64 {
    let mut segments = url.path().split('/').filter(|segment| !segment.is_empty());
    let first = segments.next().unwrap_or_default();
    let has_digit = first.bytes().any(|byte| byte.is_ascii_digit());
    let mut part = Xxh3::new();
    part.update(url.authority().as_bytes());
    if segments.next().is_some() {
        part.update(b"/");
    } else if !has_digit {
        return part.digest();
    }
    if is_random(first) || session_id(first).is_some() {
        part.update(b"/#");
    } else {
        push_folded(first, &mut |text| part.update(text.as_bytes()));
    }
    part.digest()
}

/// The URL with all runs of digits treated as equal.
pub(crate) fn fold_numbers(url: &CanonicalUrl) -> String {
    let mut folded = String::with_capacity(url.as_str().len());
    push_folded(url.as_str(), &mut |text| folded.push_str(text));
    folded
}

/// The number in a path: its last word made of digits.
pub(crate) fn number_of(url: &CanonicalUrl) -> Option<u64> {
    let words = url.path().rsplit(SEPARATORS);
    words.filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).find_map(|word| word.parse().ok())
}

fn push_folded(text: &str, push: &mut impl FnMut(&str)) {
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        push(&rest[..start]);
        push("#");
        rest = rest[start..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    push(rest);
}

/// A fingerprint of the URL with all numbers treated as equal, in decimal or, where one fills a whole part of the
/// URL, hexadecimal: `/item/17` and `/item/19` share a pattern, `/item/17?p=2` has another. `None` if it contains no
/// number.
pub(crate) fn number_pattern(url: &CanonicalUrl) -> Option<u64> {
    let mut pattern = String::with_capacity(url.as_str().len());
    let mut has_number = false;
    for part in url.path_and_query().split_inclusive(SEPARATORS) {
        let word = part.trim_end_matches(SEPARATORS);
        if word.len() >= 6 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            has_number = true;
            pattern.push('#');
            pattern.push_str(&part[word.len()..]);
        } else {
            has_number |= part.bytes().any(|byte| byte.is_ascii_digit());
            push_folded(part, &mut |text| pattern.push_str(text));
        }
    }
    has_number.then(|| xxh3_64(format!("{}{pattern}", url.origin()).as_bytes()))
}

/// A fingerprint of the URL without the session ids in its path; `None` if it has none.
pub(crate) fn session_pattern(url: &CanonicalUrl) -> Option<u64> {
    let path = url.path();
    // Most URLs return here.
    if !path.bytes().any(|byte| matches!(byte, b'(' | b';' | b'=')) && !may_name_a_session(path) {
        return None;
    }
    let mut has_session = false;
    let mut after_name = false;
    let mut pattern = Xxh3::new();
    pattern.update(url.origin().as_bytes());
    for segment in path.split('/') {
        pattern.update(b"/");
        let found = if after_name && is_id(segment) { Some("") } else { session_id(segment) };
        has_session |= found.is_some();
        pattern.update(found.map_or(segment, |kept| kept).as_bytes());
        after_name = SESSION_NAMES.iter().any(|name| segment.eq_ignore_ascii_case(name));
    }
    pattern.update(url.query().unwrap_or_default().as_bytes());
    has_session.then(|| pattern.digest())
}

fn may_name_a_session(path: &str) -> bool {
    path.split(['/', '_', '-']).any(|word| SESSION_NAMES.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

/// A segment without its session id: `(S(…))`, `page;jsessionid=…`, `sid_…`; `None` if it has none.
fn session_id(segment: &str) -> Option<&str> {
    if is_cookieless(segment) {
        return Some("");
    }
    if let Some((page, parameter)) = segment.split_once(';') {
        return names_a_session(parameter).then_some(page);
    }
    names_a_session(segment).then_some("")
}

/// The ASP.NET form: one or more of `S(…)`, `A(…)`, `F(…)` in parentheses.
fn is_cookieless(segment: &str) -> bool {
    let Some(mut rest) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let is_empty = rest.is_empty();
    while !rest.is_empty() {
        let inner = rest.strip_prefix(['S', 'A', 'F', 's', 'a', 'f', 'X']).and_then(|rest| rest.strip_prefix('('));
        let Some((_, after)) = inner.and_then(|inner| inner.split_once(')')) else { return false };
        rest = after;
    }
    !is_empty
}

/// `sid=…`, `sid_…` or `sid-…` followed by something that looks like an id.
fn names_a_session(text: &str) -> bool {
    let Some((name, value)) = text.split_once(['=', '_', '-']) else { return false };
    SESSION_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) && is_id(value)
}

fn is_id(value: &str) -> bool {
    value.len() >= SESSION_ID && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a segment is a random name: long, of letters and digits, and neither a number nor a word ending in a
/// number.
fn is_random(segment: &str) -> bool {
    let letters = segment.trim_end_matches(|c: char| c.is_ascii_digit());
    segment.len() >= RANDOM_NAME
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && letters.bytes().any(|byte| byte.is_ascii_digit())
        && letters.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{path}")).unwrap()
    }

    #[test]
    fn a_part_of_a_site_is_its_first_folder() {
        let check = |one: &str, other: &str, is_same: bool| {
            assert_eq!(part_of(&url(one)) == part_of(&url(other)), is_same, "{one} {other}");
        };
        check("/blog/a", "/blog/2024/05/b", true);
        check("/blog/a", "/shop/a", false);
        check("/about", "/contact", true);
        check("/about", "/blog/a", false);
        check("/page-17", "/page-18", true);
        check("/page-17", "/about", false);
        check("/2023/05/a", "/2024/06/b", true);
        check("/x8f3k2m9q1z7/a", "/p0d4j7v2n6b8/a", true);
        check("/(S(lit3py55t21z5v55vlm25s55))/a", "/(S(aaaaaaaaaaaaaaaaaaaaaaaa))/b", true);
    }

    #[test]
    fn the_number_of_a_page_is_the_last_one_in_its_path() {
        let check = |path: &str, expected| assert_eq!(number_of(&url(path)), expected, "{path}");
        check("/2024/05/an-article-17.html?page=3", Some(17));
        check("/17-an-article/", Some(17));
        check("/a7/b2c", None);
        check("/", None);
    }

    #[test]
    fn session_ids_in_paths_are_found() {
        let check = |one: &str, other: &str| {
            let found = (session_pattern(&url(one)), session_pattern(&url(other)));
            assert!(found.0.is_some() && found.0 == found.1, "{one} {other}");
        };
        check("/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "/(S(zit3py55t21z5v55vlm25s56))/a.aspx");
        check("/(S(lit3py55)F(x1))/a", "/(S(zit3py55)F(x2))/a");
        check("/a.jsp;jsessionid=0123ABCDEF?p=1", "/a.jsp;jsessionid=9123ABCDEF?p=1");
        check("/sid_8f3a9c1d22/a", "/sid_0f3a9c1d22/a");
        check("/shop/session/8f3a9c1d22/a", "/shop/session/0f3a9c1d22/a");
        assert_ne!(session_pattern(&url("/(S(a1))/a")), session_pattern(&url("/(S(a1))/b")));
    }

    #[test]
    fn other_paths_have_no_session_id() {
        for path in ["/", "/a/b", "/wiki/Foo_(bar)", "/a;v=1", "/session/keynote", "/sid/vicious", "/x=12345678"] {
            assert_eq!(session_pattern(&url(path)), None, "{path}");
        }
    }
}
