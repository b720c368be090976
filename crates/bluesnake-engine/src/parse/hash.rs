//! The fingerprint of a page's content: equal for pages that differ only in what changes from visit to visit.
//!
//! `ContentHash` receives the texts and media URLs of a page in order and hashes what the settings keep of them.
//! Session ids, CSRF tokens and cache-busting parameters never count. Dates are found by `date_length` and its parts,
//! in one pass over the digits. Which elements count is set by `ContentHash::within`.

use bluesnake_html::{Tag, Tags};
use md5::{Digest, Md5};
use sha2::Sha256;
use xxhash_rust::xxh3::Xxh3;

use crate::parse::text::collapse;
use crate::plan::{HashAlgorithm, ParseSettings};

/// Whether an element's text is content, given the elements around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    is_excluded: bool,
    is_included: bool,
}

enum State {
    Xxhash(Box<Xxh3>),
    Md5(Md5),
    Sha256(Sha256),
}

impl State {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Xxhash(state) => state.update(bytes),
            Self::Md5(state) => state.update(bytes),
            Self::Sha256(state) => state.update(bytes),
        }
    }
}

/// The fingerprint while the page is read.
pub(crate) struct ContentHash<'a> {
    state: State,
    settings: &'a ParseSettings,
    excluded: TagSet<'a>,
    included: TagSet<'a>,
    has_content: bool,
}

impl<'a> ContentHash<'a> {
    /// `None` if the settings ask for no fingerprint.
    pub(crate) fn new(settings: &'a ParseSettings) -> Option<Self> {
        let state = match settings.content_hash {
            HashAlgorithm::Off => return None,
            HashAlgorithm::Xxhash => State::Xxhash(Box::new(Xxh3::new())),
            HashAlgorithm::Md5 => State::Md5(Md5::new()),
            HashAlgorithm::Sha256 => State::Sha256(Sha256::new()),
        };
        let excluded = TagSet::of(&settings.hash_exclude_tags);
        let included = TagSet::of(&settings.hash_include_only_tags);
        Some(Self { state, settings, excluded, included, has_content: false })
    }

    /// The state inside an element whose surroundings have the state `outside`.
    #[inline]
    pub(crate) fn within(&self, outside: Counted, tag: Tag, name: &str) -> Counted {
        let (is_excluded, is_included) = match tag {
            Tag::Other => (self.excluded.names(name), self.included.names(name)),
            tag => (self.excluded.known.has(tag), self.included.known.has(tag)),
        };
        Counted { is_excluded: outside.is_excluded | is_excluded, is_included: outside.is_included | is_included }
    }

    /// Whether text there is content.
    #[inline]
    pub(crate) fn counts(&self, place: Counted) -> bool {
        !place.is_excluded && (place.is_included || self.included.is_empty())
    }

    /// Whether to hash texts as in [`crate::parse::text::VisibleText`] rather than as written.
    pub(crate) fn collapses(&self) -> bool {
        self.settings.hash_collapse_whitespace
    }

    /// Adds text as written.
    pub(crate) fn add_raw(&mut self, text: &str) {
        if self.collapses() { self.add(&collapse(text)) } else { self.add_normalised(text) }
    }

    /// Adds text with its white space collapsed.
    pub(crate) fn add(&mut self, text: &str) {
        let text = text.trim_ascii();
        if !text.is_empty() {
            self.add_normalised(text);
            self.state.update(b"\n");
        }
    }

    /// Adds a script's or style's text.
    pub(crate) fn add_code(&mut self, text: &str) {
        if !(self.settings.hash_strip_analytics && is_analytics(text)) {
            self.add_raw(text);
        }
    }

    /// Adds a comment.
    pub(crate) fn add_comment(&mut self, text: &str) {
        if !self.settings.hash_strip_comments {
            self.add_raw(text);
        }
    }

    /// Adds the URL of an image, a video, a frame …
    pub(crate) fn add_address(&mut self, address: &str) {
        // Analytics services are on hosts of their own.
        if !(self.settings.hash_strip_analytics && address.contains("//") && is_analytics(address)) {
            self.add(address);
        }
    }

    /// The fingerprint in hexadecimal; `None` for a page without content, which would equal every other empty page.
    pub(crate) fn finish(self) -> Option<String> {
        self.has_content.then(|| match self.state {
            State::Xxhash(state) => format!("{:016x}", state.digest()),
            State::Md5(state) => hexadecimal(&state.finalize()),
            State::Sha256(state) => hexadecimal(&state.finalize()),
        })
    }

    fn add_normalised(&mut self, text: &str) {
        self.has_content |= !text.trim_ascii().is_empty();
        let mut kept = 0;
        let mut at = 0;
        while let Some((mark, is_digit)) = next_mark(text.as_bytes(), at) {
            let cut = match is_digit {
                true if self.settings.hash_strip_timestamps => date_at(text, mark),
                true => None,
                false => token_at(text, mark),
            };
            at = match cut {
                Some((start, end)) if start >= kept => {
                    self.state.update(&text.as_bytes()[kept..start]);
                    kept = end;
                    end
                }
                _ if is_digit => skip_digits(text.as_bytes(), mark),
                _ => mark + 1,
            };
        }
        self.state.update(&text.as_bytes()[kept..]);
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names of elements: known ones as bits, others as text.
struct TagSet<'a> {
    known: Tags,
    others: Vec<&'a str>,
}

impl<'a> TagSet<'a> {
    fn of(names: &'a [String]) -> Self {
        let mut set = Self { known: Tags::default(), others: Vec::new() };
        for name in names {
            match Tag::named(name) {
                Tag::Other => set.others.push(name),
                tag => set.known = set.known.and(&[tag]),
            }
        }
        set
    }

    fn names(&self, name: &str) -> bool {
        self.others.iter().any(|other| other.eq_ignore_ascii_case(name))
    }

    fn is_empty(&self) -> bool {
        self.known == Tags::default() && self.others.is_empty()
    }
}

/// The next place where a date or a token may be, and whether it is a digit.
fn next_mark(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let is_mark = |byte: u8| matches!(byte, b'0'..=b':' | b'=');
    let rest = &bytes[from..];
    // Most blocks contain no mark; the compiler turns this check into a few vector instructions.
    let blocks = rest.chunks_exact(32).take_while(|block| !block.iter().fold(false, |any, &byte| any | is_mark(byte)));
    let skipped = blocks.count() * 32;
    let mark = from + skipped + rest[skipped..].iter().position(|&byte| is_mark(byte))?;
    Some((mark, bytes[mark].is_ascii_digit()))
}

fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// Words in scripts and URLs of analytics services.
const ANALYTICS: &[&str] = &[
    "google-analytics",
    "googletagmanager",
    "gtag(",
    "dataLayer",
    "_gaq",
    "fbq(",
    "facebook.com/tr",
    "connect.facebook.net",
    "_paq",
    "matomo",
    "piwik",
    "plausible.io",
    "hotjar",
    "clarity.ms",
    "doubleclick",
    "segment.com",
    "mixpanel",
    "newrelic",
    "nr-data",
    "cloudflareinsights",
    "quantserve",
    "scorecardresearch",
    "mc.yandex",
];

fn is_analytics(text: &str) -> bool {
    ANALYTICS.iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Parameters, fields and keys whose values change from visit to visit, in lower case without `-` and `_`.
const TOKENS: &[&str] = &[
    "authenticitytoken",
    "cachebust",
    "cachebuster",
    "cb",
    "cfduid",
    "csrf",
    "csrfmiddlewaretoken",
    "csrftoken",
    "jsessionid",
    "nocache",
    "nonce",
    "phpsessid",
    "rand",
    "random",
    "requestverificationtoken",
    "sessid",
    "session",
    "sessionid",
    "sid",
    "t",
    "timestamp",
    "token",
    "ts",
    "v",
    "ver",
    "version",
    "viewstate",
    "xsrf",
    "xsrftoken",
];

/// From the name before the `=` or `:` at `sign` to the end of its value, if the name is a token's.
fn token_at(text: &str, sign: usize) -> Option<(usize, usize)> {
    let before = text[..sign].trim_end_matches(['"', '\'', ' ']);
    // A JSON key is in quotes; without them the colon is punctuation.
    if text.as_bytes()[sign] == b':' && !text[before.len()..sign].contains(['"', '\'']) {
        return None;
    }
    let name_length =
        before.bytes().rev().take(40).take_while(|&byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)).count();
    let start = before.len() - name_length;
    if !is_token_name(&before[start..]) {
        return None;
    }
    let value = &text[sign + 1..];
    let quoted = value.trim_start_matches(['"', '\'', ' ']);
    let length = quoted.bytes().take_while(|&byte| byte.is_ascii_alphanumeric() || b"-_.+/%~=".contains(&byte)).count();
    Some((start, text.len() - quoted.len() + length))
}

fn is_token_name(name: &str) -> bool {
    // `_` and `_=1234` are jQuery's cache busters.
    let name = if name == "_" { "t" } else { name };
    let letters = || name.bytes().filter(|byte| !b"-_".contains(byte)).map(|byte| byte.to_ascii_lowercase());
    TOKENS.iter().any(|token| letters().eq(token.bytes()))
}

/// The range of the date or time whose first digit is at `digit`.
fn date_at(text: &str, digit: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if digit > 0 && bytes[digit - 1].is_ascii_alphanumeric() {
        return None;
    }
    let rest = &bytes[digit..];
    if let Some(length) = date_length(rest) {
        let with_time = length + time_after(&rest[length..]);
        return Some((digit, digit + with_time));
    }
    let length = day_and_year(rest)?;
    let start = month_before(text, digit)?;
    Some((start, digit + length))
}

/// The length of a numeric date, of a date with the month between day and year, of a time, or of a Unix timestamp.
fn date_length(text: &[u8]) -> Option<usize> {
    let first = skip_digits(text, 0);
    match first {
        1 | 2 => {
            time_length(text).or_else(|| numbers(text, first, &[1..=2, 4..=4])).or_else(|| written_date(text, first))
        }
        4 => numbers(text, first, &[1..=2, 1..=2]),
        10 | 13 if text[0] == b'1' => Some(first),
        _ => None,
    }
}

/// More numbers of these lengths, each after the same separator: `2024-01-31`, `31.1.2024`.
fn numbers(text: &[u8], first: usize, lengths: &[std::ops::RangeInclusive<usize>]) -> Option<usize> {
    let sign = *text.get(first)?;
    if !matches!(sign, b'-' | b'/' | b'.') {
        return None;
    }
    let mut at = first;
    for length in lengths {
        if text.get(at) != Some(&sign) {
            return None;
        }
        let end = skip_digits(text, at + 1);
        if !length.contains(&(end - at - 1)) {
            return None;
        }
        at = end;
    }
    Some(at)
}

/// `12:30`, `12:30:59.123`, followed by `Z`, `+01:00`, `am` or ` PM`.
fn time_length(text: &[u8]) -> Option<usize> {
    let hours = skip_digits(text, 0);
    let mut at = colon_and_two_digits(text, hours)?;
    if let Some(seconds) = colon_and_two_digits(text, at) {
        at = seconds;
        if text.get(at) == Some(&b'.') {
            at = skip_digits(text, at + 1);
        }
    }
    Some(at + zone_length(&text[at..]))
}

fn colon_and_two_digits(text: &[u8], at: usize) -> Option<usize> {
    (text.get(at) == Some(&b':') && skip_digits(text, at + 1) == at + 3).then_some(at + 3)
}

fn zone_length(text: &[u8]) -> usize {
    let half = usize::from(text.first() == Some(&b' '));
    match text.get(half..) {
        Some([b'a' | b'A' | b'p' | b'P', b'm' | b'M', ..]) => half + 2,
        _ => match text {
            [b'Z', ..] => 1,
            [b'+' | b'-', rest @ ..] if skip_digits(rest, 0) == 4 => 5,
            [b'+' | b'-', rest @ ..] if skip_digits(rest, 0) == 2 => {
                colon_and_two_digits(rest, 2).map_or(0, |end| end + 1)
            }
            _ => 0,
        },
    }
}

/// A time that follows a date after `T`, a space, or a comma and a space.
fn time_after(text: &[u8]) -> usize {
    let gap = match text {
        [b',', b' ', ..] => 2,
        [b'T' | b't' | b' ', ..] => 1,
        _ => return 0,
    };
    let is_time = (1..=2).contains(&skip_digits(&text[gap..], 0));
    time_length(&text[gap..]).filter(|_| is_time).map_or(0, |length| gap + length)
}

/// `31 January 2024`, `31. Jan 2024`.
fn written_date(text: &[u8], first: usize) -> Option<usize> {
    let gap = text[first..].iter().take_while(|byte| matches!(byte, b' ' | b'.' | b'-')).count();
    let month = month_length(&text[first + gap..])?;
    let after = first + gap + month;
    let gap = text[after..].iter().take_while(|byte| matches!(byte, b' ' | b'.' | b',' | b'-')).count();
    let end = skip_digits(text, after + gap);
    (gap > 0 && end == after + gap + 4).then_some(end)
}

/// `31, 2024` and `31 2024`, after the name of a month.
fn day_and_year(text: &[u8]) -> Option<usize> {
    let day = skip_digits(text, 0);
    let gap = text[day..].iter().take_while(|byte| matches!(byte, b' ' | b',')).count();
    let end = skip_digits(text, day + gap);
    ((1..=2).contains(&day) && gap > 0 && end == day + gap + 4).then(|| end + time_after(&text[end..]))
}

/// Where the month name that ends before `at` begins.
fn month_before(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].trim_end_matches([' ', '.']);
    let length = before.bytes().rev().take(10).take_while(u8::is_ascii_alphabetic).count();
    let word = &before.as_bytes()[before.len() - length..];
    (month_length(word) == Some(length)).then_some(before.len() - length)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The length of the word that begins here, if it is a month name or an abbreviation of one.
fn month_length(text: &[u8]) -> Option<usize> {
    if !text.first()?.is_ascii_alphabetic() {
        return None;
    }
    let length = text.iter().take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = &text[..length];
    let is_month = |month: &&str| month.len() >= length && month.as_bytes()[..length].eq_ignore_ascii_case(word);
    (length >= 3 && MONTHS.iter().any(is_month)).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(settings: &ParseSettings, texts: &[&str]) -> String {
        let mut hash = ContentHash::new(settings).unwrap();
        texts.iter().for_each(|text| hash.add_raw(text));
        hash.finish().unwrap_or_default()
    }

    fn same(one: &str, other: &str) {
        let settings = ParseSettings::default();
        assert_eq!(hash(&settings, &[one]), hash(&settings, &[other]), "{one:?} {other:?}");
    }

    fn differ(one: &str, other: &str) {
        let settings = ParseSettings::default();
        assert_ne!(hash(&settings, &[one]), hash(&settings, &[other]), "{one:?} {other:?}");
    }

    #[test]
    fn dates_and_times_do_not_count() {
        for date in [
            "2024-01-31",
            "2024/1/31",
            "31.12.2024",
            "1/31/2024",
            "2024-01-31T12:30:59.123Z",
            "2024-01-31 12:30",
            "12:30",
            "9:05 pm",
            "12:30:59+01:00",
            "31 January 2024",
            "31. Dec 2024",
            "Jan 31, 2024",
            "January 31 2024, 12:30",
            "1706700000",
            "1706700000123",
        ] {
            same(&format!("Updated {date} by me"), "Updated 2020-02-02 by me");
        }
    }

    #[test]
    fn other_numbers_count() {
        for (one, other) in [
            ("costs 12.30", "costs 12.31"),
            ("2024 was", "2023 was"),
            ("call 555-1234", "call 555-1235"),
            ("v1.2.3", "v1.2.4"),
            ("10 items", "11 items"),
            ("Mayor 31", "Mayor 32"),
            ("1234567", "1234568"),
        ] {
            differ(one, other);
        }
    }

    #[test]
    fn dates_count_if_configured() {
        let settings = ParseSettings { hash_strip_timestamps: false, ..ParseSettings::default() };
        assert_ne!(hash(&settings, &["2024-01-31"]), hash(&settings, &["2024-01-30"]));
    }

    #[test]
    fn session_ids_tokens_and_cache_parameters_never_count() {
        same("/a;jsessionid=ABC123?x=1", "/a;jsessionid=DEF?x=1");
        same("/a.png?v=12", "/a.png?v=13");
        same("/a.png?_=12&x=1", "/a.png?_=13&x=1");
        same("{\"csrfToken\": \"a+/=\", \"x\":1}", "{\"csrfToken\": \"b\", \"x\":1}");
        same("csrf_token=aa end", "csrf_token=bb end");
        differ("/a.png?page=1", "/a.png?page=2");
        differ("Version: one", "Version: two");
    }

    #[test]
    fn white_space_counts_only_if_configured() {
        same("a  b\n", " a b");
        let settings = ParseSettings { hash_collapse_whitespace: false, ..ParseSettings::default() };
        assert_ne!(hash(&settings, &["a  b"]), hash(&settings, &["a b"]));
    }

    #[test]
    fn analytics_scripts_and_comments_count_only_if_configured() {
        let add = |settings: &ParseSettings| {
            let mut hash = ContentHash::new(settings).unwrap();
            hash.add_code("window.dataLayer = []; gtag('x')");
            hash.add_comment("rendered by 7");
            hash.add_address("https://www.google-analytics.com/collect");
            hash.finish()
        };
        let empty = ContentHash::new(&ParseSettings::default()).unwrap().finish();
        assert_eq!(add(&ParseSettings::default()), empty);
        assert_ne!(add(&ParseSettings { hash_strip_analytics: false, ..ParseSettings::default() }), empty);
        assert_ne!(add(&ParseSettings { hash_strip_comments: false, ..ParseSettings::default() }), empty);
    }

    #[test]
    fn every_algorithm_prints_hexadecimal_digits() {
        for (content_hash, length) in
            [(HashAlgorithm::Xxhash, 16), (HashAlgorithm::Md5, 32), (HashAlgorithm::Sha256, 64)]
        {
            let settings = ParseSettings { content_hash, ..ParseSettings::default() };
            assert_eq!(hash(&settings, &["a"]).len(), length);
        }
        let settings = ParseSettings { content_hash: HashAlgorithm::Off, ..ParseSettings::default() };
        assert!(ContentHash::new(&settings).is_none());
        let md5 = ParseSettings { content_hash: HashAlgorithm::Md5, ..ParseSettings::default() };
        assert_eq!(hash(&md5, &["a"]), "60b725f10c9c85c70d97880dfe8191b3", "of `a` and the end of its line");
        assert_eq!(hash(&md5, &[]), "", "nothing has no fingerprint");
    }

    #[test]
    fn elements_count_by_the_elements_around_them() {
        let settings = ParseSettings {
            hash_include_only_tags: vec!["main".to_owned(), "my-part".to_owned()],
            ..ParseSettings::default()
        };
        let hash = ContentHash::new(&settings).unwrap();
        let main = hash.within(Counted::default(), Tag::Main, "main");
        assert!(!hash.counts(Counted::default()) && hash.counts(main));
        assert!(hash.counts(hash.within(Counted::default(), Tag::Other, "MY-PART")));
        assert!(!hash.counts(hash.within(main, Tag::Nav, "nav")), "navigation is excluded also in there");
    }

    mod properties {
        use super::*;
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn any_text_has_a_fingerprint(text in "([0-9]{1,5}|[-/.: T,=]|Jan|March|csrf|\"|é|\\PC)*") {
                hash(&ParseSettings::default(), &[&text]);
            }
        }
    }
}
