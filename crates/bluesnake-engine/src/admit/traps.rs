//! Traps: corners of a site that generate URLs without end.
//!
//! Each rule looks at a URL and at those admitted before it, in admission order, never at a clock. A refused URL is
//! recorded with the rule's name.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::plan::TrapSettings;
use crate::url::CanonicalUrl;

use super::Refusal;
use super::pattern::{number_pattern, session_pattern};

/// Counters for potential traps. Keys are 64-bit fingerprints; a collision only merges two counters.
#[derive(Debug, Default)]
pub(crate) struct Traps {
    limits: TrapSettings,
    queries: HashMap<u64, u64>,
    dates: HashMap<u64, u64>,
    sessions: HashMap<u64, u64>,
    same: HashMap<u64, u64>,
    /// Pages by URL pattern and shape; few bits suffice, because a collision only adds one to a counter.
    shapes: HashSet<u32>,
}

impl Traps {
    pub(crate) fn new(traps: &TrapSettings) -> Self {
        Self { limits: traps.clone(), ..Self::default() }
    }

    pub(crate) fn check(&self, url: &CanonicalUrl) -> Result<(), Refusal> {
        if self.limits.path_repetition > 0 && repetition(url.path()) >= self.limits.path_repetition {
            return Err(Refusal::RepeatedPath);
        }
        if is_full(&self.queries, self.limits.query_variants, query_pattern(url)) {
            return Err(Refusal::QueryExplosion);
        }
        if is_full(&self.dates, self.limits.calendar_dates, calendar_pattern(url)) {
            return Err(Refusal::Calendar);
        }
        if is_full(&self.sessions, self.limits.session_variants, session_pattern(url)) {
            return Err(Refusal::SessionIds);
        }
        // Compute patterns only while some are suspect: most sites never repeat themselves that often.
        if !self.same.is_empty() && is_full(&self.same, self.limits.same_content, number_pattern(url)) {
            return Err(Refusal::SameContent);
        }
        Ok(())
    }

    pub(crate) fn count(&mut self, url: &CanonicalUrl) {
        let count = |counts: &mut HashMap<u64, u64>, limit: u64, pattern: Option<u64>| {
            if let Some(pattern) = pattern.filter(|_| limit > 0) {
                *counts.entry(pattern).or_default() += 1;
            }
        };
        count(&mut self.queries, self.limits.query_variants, query_pattern(url));
        count(&mut self.dates, self.limits.calendar_dates, calendar_pattern(url));
        count(&mut self.sessions, self.limits.session_variants, session_pattern(url));
    }

    /// Counts a page that repeats the text of an earlier one of its pattern, exactly or almost.
    pub(crate) fn note_page(&mut self, page: PageOfPattern) {
        let PageOfPattern { pattern, is_copy, shape } = page;
        if self.limits.same_content == 0 {
            return;
        }
        let is_alike = !self.shapes.insert((pattern ^ shape) as u32);
        if is_copy || is_alike {
            *self.same.entry(pattern).or_default() += 1;
        }
    }
}

/// What to compare between pages whose URLs share a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageOfPattern {
    pattern: u64,
    is_copy: bool,
    shape: u64,
}

impl PageOfPattern {
    /// `None` if the URL has no pattern.
    pub(crate) fn of(url: &CanonicalUrl, is_copy: bool, shape: u64) -> Option<Self> {
        Some(Self { pattern: number_pattern(url)?, is_copy, shape })
    }
}

fn is_full(counts: &HashMap<u64, u64>, limit: u64, pattern: Option<u64>) -> bool {
    limit > 0 && pattern.and_then(|pattern| counts.get(&pattern)).is_some_and(|count| *count >= limit)
}

/// How often the most frequent segment occurs in a path.
fn repetition(path: &str) -> usize {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.len() < 3 {
        return 0;
    }
    let mut sorted = segments;
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(<[&str]>::len).max().unwrap_or(0)
}

/// What all query variants of a path have in common.
fn query_pattern(url: &CanonicalUrl) -> Option<u64> {
    url.query()?;
    Some(xxh3_64(&url.as_str().as_bytes()[..url.origin().len() + url.path().len()]))
}

/// What all days of one calendar have in common: the URL without the date at its end.
///
/// Only a URL that ends with a date, in its path or in query values, is a calendar page: `/2024/05/12/an-article` is not.
fn calendar_pattern(url: &CanonicalUrl) -> Option<u64> {
    let text = url.path_and_query().trim_end_matches('/');
    let (mut numbers, mut has_year, mut end) = (0, false, text.len());
    loop {
        let before_word = without_date_word(&text[..end]);
        let digits = before_word.len() - before_word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 || digits > 4 {
            break;
        }
        let start = before_word.len() - digits;
        let number = &text[start..before_word.len()];
        let is_year = digits == 4 && ("1900".."2200").contains(&number);
        // Months, days and weeks; larger numbers mean something else.
        if !is_year && !number.parse().is_ok_and(|number: u32| number <= 53) {
            break;
        }
        has_year |= is_year;
        numbers += 1;
        end = without_date_word(&text[..start]).trim_end_matches(['/', '-', '=', '&', '?']).len();
    }
    (has_year && numbers >= 2).then(|| xxh3_64(format!("{}{}", url.origin(), &text[..end]).as_bytes()))
}

/// Strips a trailing `year=`, `month=` and the like, which precede the numbers of a query.
fn without_date_word(text: &str) -> &str {
    const WORDS: [&str; 8] = ["year", "month", "week", "date", "day", "y", "m", "d"];
    let Some(name) = text.strip_suffix('=') else { return text };
    let found = WORDS.iter().find_map(|word| name.strip_suffix(word).filter(|rest| rest.ends_with(['?', '&'])));
    found.map_or(text, |rest| rest.trim_end_matches(['?', '&']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TrapInput;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn traps(input: TrapInput) -> Traps {
        Traps::new(&input.into())
    }

    fn let_in(traps: &mut Traps, text: &str) -> Result<(), Refusal> {
        let url = url(text);
        traps.check(&url)?;
        traps.count(&url);
        Ok(())
    }

    fn note(traps: &mut Traps, text: &str, is_copy: bool, shape: u64) {
        traps.note_page(PageOfPattern::of(&url(text), is_copy, shape).unwrap());
    }

    #[test]
    fn a_segment_that_repeats_four_times_is_a_trap() {
        let mut traps = traps(TrapInput::default());
        assert_eq!(let_in(&mut traps, "http://a/x/y/x/y/x"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/x/y/x/y/x/y/x"), Err(Refusal::RepeatedPath));
    }

    #[test]
    fn query_variants_are_counted_per_path() {
        let mut traps = traps(TrapInput { query_variants: Some(2), ..Default::default() });
        assert_eq!(let_in(&mut traps, "http://a/shop?c=1"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/shop?c=2"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/shop?c=3"), Err(Refusal::QueryExplosion));
        assert_eq!(let_in(&mut traps, "http://a/other?c=3"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/shop"), Ok(()));
    }

    #[test]
    fn calendars_end_and_dated_articles_do_not() {
        let mut traps = traps(TrapInput { calendar_dates: Some(2), ..Default::default() });
        assert_eq!(let_in(&mut traps, "http://a/calendar/2024/01"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/calendar/2024/02/"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/calendar/2024/03"), Err(Refusal::Calendar));
        for article in 1..9 {
            assert_eq!(let_in(&mut traps, &format!("http://a/2024/05/0{article}/an-article")), Ok(()));
        }
        assert_eq!(let_in(&mut traps, "http://a/cal?year=2024&month=1"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/cal?year=2024&month=2"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/cal?year=2025&month=2"), Err(Refusal::Calendar));
        assert_eq!(let_in(&mut traps, "http://a/item/2024"), Ok(()), "a single number is no date");
        for thread in 2001..2009 {
            assert_eq!(let_in(&mut traps, &format!("http://a/forum-78/{thread}")), Ok(()), "78 is no month");
        }
    }

    #[test]
    fn variants_of_a_page_that_differ_in_their_session_id_are_few() {
        let mut traps = traps(TrapInput { session_variants: Some(2), ..Default::default() });
        assert_eq!(let_in(&mut traps, "http://a/(S(lit3py55t21z5v55))/x"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/(S(mit3py55t21z5v55))/x"), Ok(()));
        assert_eq!(let_in(&mut traps, "http://a/(S(nit3py55t21z5v55))/x"), Err(Refusal::SessionIds));
        assert_eq!(let_in(&mut traps, "http://a/(S(nit3py55t21z5v55))/y"), Ok(()));
    }

    #[test]
    fn a_pattern_of_pages_that_say_the_same_is_left() {
        let mut traps = traps(TrapInput { same_content: Some(2), ..Default::default() });
        note(&mut traps, "http://a/item/1", true, 1);
        assert_eq!(let_in(&mut traps, "http://a/item/3"), Ok(()));
        note(&mut traps, "http://a/item/2", true, 2);
        assert_eq!(let_in(&mut traps, "http://a/item/4"), Err(Refusal::SameContent));
        assert_eq!(let_in(&mut traps, "http://a/other/4"), Ok(()));
    }

    #[test]
    fn a_maze_whose_pages_differ_in_their_links_only_is_left() {
        let mut traps = traps(TrapInput { same_content: Some(2), ..Default::default() });
        for page in ["http://a/maze/00c0ffee", "http://a/maze/deadbeef", "http://a/maze/12345678"] {
            assert_eq!(let_in(&mut traps, page), Ok(()));
            note(&mut traps, page, false, 7);
        }
        assert_eq!(let_in(&mut traps, "http://a/maze/0000aaaa"), Err(Refusal::SameContent));
        note(&mut traps, "http://a/item/1", false, 1);
        note(&mut traps, "http://a/item/2", false, 2);
        note(&mut traps, "http://a/item/3", false, 3);
        assert_eq!(let_in(&mut traps, "http://a/item/4"), Ok(()), "pages that differ are no maze");
    }
}
