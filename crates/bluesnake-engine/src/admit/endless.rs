//! Endless parts of a site: numbered chains, mazes of random words, trees of soft 404 pages.
//!
//! A real site, however large, shows signs of being finite long before it is exhausted: pages that lead to nothing
//! new, pages that link to pages found elsewhere, lists that lead to articles in another folder. A generator shows
//! none: every page leads to new pages of its own part of the site and to nothing else. `Endless` counts both, for
//! each part of a site (its first folder) and for the site as a whole, and closes a part that shows no such sign for
//! too long.
//!
//! Its state follows from committed visits in turn order, so it is the same at any parallelism and can be rebuilt
//! from stored visits. A closed part stays closed: its URLs are refused when they are found and, because a maze finds
//! URLs much faster than they are fetched, also when their turn comes. Seeds, and URLs listed in a sitemap before a
//! link led to them, are neither counted nor refused.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::pattern::{fold_numbers, number_of, part_of};
use super::{Refusal, Task, UrlRow};
use crate::plan::TrapSettings;
use crate::url::CanonicalUrl;

/// A part stays open while at least one in this many pages shows a sign of an end.
const SIGNS: u64 = 10;
/// How many times longer a part with numbered pages may continue: a large numbered tree is more often real than one
/// of random words.
const NUMBERED: u64 = 20;
/// Pages count as numbered if the highest number is at most this many times the number of pages.
const GAPS: u64 = 4;
/// How many times longer a chain may be if its pages link several pages ahead.
const LINKED_AHEAD: u64 = 3;

/// What the links of a page led to when its visit was committed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leads {
    /// To a new page of the same part of the site.
    pub onward: bool,
    /// To a new page of another part.
    pub elsewhere: bool,
    /// To a page that another page had found and that was still pending.
    pub to_waiting: bool,
}

impl Leads {
    /// As bits, for stores.
    pub fn to_bits(self) -> u8 {
        u8::from(self.onward) | u8::from(self.elsewhere) << 1 | u8::from(self.to_waiting) << 2
    }

    /// The reverse of [`Leads::to_bits`].
    pub fn from_bits(bits: u8) -> Self {
        Self { onward: bits & 1 != 0, elsewhere: bits & 2 != 0, to_waiting: bits & 4 != 0 }
    }
}

/// What a committed visit says about the part of the site it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sign {
    part: u64,
    base: u32,
    steps: u32,
    leads: Leads,
    is_copy: bool,
    shape: Option<u64>,
    /// A fingerprint of the URL with all numbers treated as equal.
    name: u32,
    number: Option<u64>,
}

impl Sign {
    /// `None` for URLs that are not counted.
    pub(crate) fn of(row: &UrlRow, leads: Leads, is_copy: bool, shape: Option<u64>) -> Option<Self> {
        is_counted(row).then(|| Self {
            part: part_of(&row.url),
            base: row.base,
            steps: row.depth.steps,
            leads,
            is_copy,
            shape,
            name: xxh3_64(fold_numbers(&row.url).as_bytes()) as u32,
            number: number_of(&row.url),
        })
    }
}

/// Counters of one part of a site, or of the whole.
#[derive(Clone, Debug, Default)]
struct Part {
    pages: u32,
    /// Pages that lead further into this part and show no sign of an end.
    onward: u32,
    /// The same, not counting links to pending pages as a sign: an endless pager links several pages ahead.
    in_chain: u32,
    /// Pages of `onward` with the content of an earlier page.
    copies: u32,
    /// Pages of `onward` whose URLs differ in more than numbers, without and with a number.
    names: u32,
    numbered_names: u32,
    highest_number: u64,
    /// Pages that lead anywhere and show no sign of an end of the site.
    anywhere: u32,
    closed: Option<Refusal>,
    /// It showed signs of an end when the site as a whole was closed.
    is_trusted: bool,
}

impl Part {
    fn has_signs(&self) -> bool {
        self.are_few(self.onward)
    }

    /// Whether enough of the other pages show a sign of an end.
    fn are_few(&self, leading_on: u32) -> bool {
        u64::from(self.pages - leading_on) * SIGNS >= leading_on.into()
    }

    /// How many pages have names that say nothing about how many there are.
    fn unpredictable(&self) -> u32 {
        let is_numbered = self.highest_number <= u64::from(self.numbered_names) * GAPS;
        if is_numbered { self.names } else { self.names + self.numbered_names }
    }

    /// Whether to close it, after a page `steps` links away from the start of the crawl.
    fn verdict(&self, limits: &TrapSettings, steps: u32, endless: Refusal) -> Option<Refusal> {
        let is_reached = |count: u32, limit: u64| limit > 0 && u64::from(count) >= limit;
        if !self.has_signs() {
            if is_reached(self.copies, limits.same_content) {
                return Some(Refusal::SameContent);
            }
            let is_numbered_tree = is_reached(self.onward, limits.endless_pages.saturating_mul(NUMBERED));
            if is_reached(self.unpredictable(), limits.endless_pages) || is_numbered_tree {
                return Some(endless);
            }
        }
        let is_chain = !self.are_few(self.in_chain);
        let length = limits.endless_pages.saturating_mul(if self.has_signs() { LINKED_AHEAD } else { 1 });
        // Pages of a maze may link to each other too; then links to pending pages are not a sign of an end.
        let is_maze = is_reached(self.in_chain, limits.endless_pages.saturating_mul(NUMBERED));
        (is_chain && (is_reached(steps, length) || is_maze)).then_some(endless)
    }
}

/// The counters of all parts of all sites.
#[derive(Debug, Default)]
pub(crate) struct Endless {
    limits: TrapSettings,
    parts: HashMap<u64, Part>,
    /// Each seed's site as a whole.
    sites: HashMap<u32, Part>,
    /// Fingerprints of shapes and names with their part; a collision shifts a counter by one.
    known: HashSet<u32>,
    is_any_closed: bool,
}

impl Endless {
    pub(crate) fn new(traps: &TrapSettings) -> Self {
        Self { limits: traps.clone(), ..Self::default() }
    }

    /// Refuses a page whose part of the site is endless.
    pub(crate) fn check(&self, url: &CanonicalUrl, base: u32) -> Result<(), Refusal> {
        if !self.is_any_closed {
            return Ok(());
        }
        let part = self.parts.get(&part_of(url));
        if let Some(refusal) = part.and_then(|part| part.closed) {
            return Err(refusal);
        }
        let site = self.sites.get(&base).and_then(|site| site.closed);
        match site.filter(|_| !part.is_some_and(|part| part.is_trusted)) {
            Some(refusal) => Err(refusal),
            None => Ok(()),
        }
    }

    /// The same for a URL whose turn has come.
    pub(crate) fn check_row(&self, row: &UrlRow) -> Result<(), Refusal> {
        if self.is_any_closed && is_counted(row) { self.check(&row.url, row.base) } else { Ok(()) }
    }

    /// Counts a committed visit. Called in turn order.
    pub(crate) fn count(&mut self, sign: Sign) {
        let Sign { part: key, base, steps, leads, .. } = sign;
        let goes_on = leads.onward || leads.elsewhere;
        let is_copy = goes_on && (sign.is_copy || self.is_known(key, sign.shape));
        let is_named = goes_on && !self.is_known(key, Some(sign.name.into()));
        let here = leads.onward && !leads.elsewhere;
        let part = self.parts.entry(key).or_default();
        part.count(here, is_copy, is_named, &sign);
        part.anywhere += u32::from(goes_on && !leads.to_waiting);
        if part.closed.is_none() {
            part.closed = part.verdict(&self.limits, steps, Refusal::EndlessPath);
            self.is_any_closed |= part.closed.is_some();
        }
        let site = self.sites.entry(base).or_default();
        site.count(goes_on, is_copy, is_named, &sign);
        // A part that makes up most of the site is closed by itself; the rest stays open.
        let is_most_of_it = u64::from(part.in_chain) * 2 >= site.in_chain.into();
        if site.closed.is_none() && !is_most_of_it {
            site.closed = site.verdict(&self.limits, steps, Refusal::EndlessSite);
            if site.closed.is_some() {
                self.is_any_closed = true;
                self.parts.values_mut().for_each(|part| part.is_trusted = part.are_few(part.anywhere));
            }
        }
    }

    /// Adds a fingerprint to a part. Returns whether it was already known.
    fn is_known(&mut self, part: u64, fingerprint: Option<u64>) -> bool {
        let Some(fingerprint) = fingerprint else { return false };
        !self.known.insert(xxh3_64_with_seed(&fingerprint.to_le_bytes(), part) as u32)
    }
}

impl Part {
    fn count(&mut self, leads_on: bool, is_copy: bool, is_named: bool, sign: &Sign) {
        self.pages += 1;
        self.in_chain += u32::from(leads_on);
        if !leads_on || sign.leads.to_waiting {
            return;
        }
        self.onward += 1;
        self.copies += u32::from(is_copy);
        match sign.number.filter(|_| is_named) {
            Some(number) => {
                self.numbered_names += 1;
                self.highest_number = self.highest_number.max(number);
            }
            None => self.names += u32::from(is_named),
        }
    }
}

/// Whether a URL is counted and may be refused: a page found only through links.
fn is_counted(row: &UrlRow) -> bool {
    row.task == Task::Page && !row.stands_for_a_seed() && !row.is_listed()
}

/// Whether two pages belong to the same part of a site.
pub(crate) fn is_same_part(one: &CanonicalUrl, other: &CanonicalUrl) -> bool {
    part_of(one) == part_of(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TrapInput;

    const ONWARD: Leads = Leads { onward: true, elsewhere: false, to_waiting: false };
    const NOWHERE: Leads = Leads { onward: false, elsewhere: false, to_waiting: false };
    const ELSEWHERE: Leads = Leads { onward: false, elsewhere: true, to_waiting: false };

    fn endless() -> Endless {
        let input = TrapInput { endless_pages: Some(100), ..Default::default() };
        Endless::new(&input.into())
    }

    fn visit(endless: &mut Endless, path: &str, leads: Leads) {
        let row = UrlRow::sample(2, &format!("http://a{path}"));
        endless.count(Sign::of(&row, leads, false, None).unwrap());
    }

    fn check(endless: &Endless, path: &str) -> Result<(), Refusal> {
        endless.check(&CanonicalUrl::parse(&format!("http://a{path}")).unwrap(), 0)
    }

    /// A name without a number in it.
    fn name(number: u32) -> String {
        number.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
    }

    #[test]
    fn a_folder_that_leads_only_to_itself_is_closed_and_others_stay_open() {
        let mut endless = endless();
        for number in 0..99 {
            visit(&mut endless, &format!("/maze/{}", name(number)), ONWARD);
        }
        assert_eq!(check(&endless, "/maze/x"), Ok(()));
        visit(&mut endless, "/maze/last", ONWARD);
        assert_eq!(check(&endless, "/maze/x"), Err(Refusal::EndlessPath));
        assert_eq!(check(&endless, "/blog/x"), Ok(()));
    }

    #[test]
    fn one_page_in_ten_that_leads_nowhere_keeps_a_folder_open() {
        let mut endless = endless();
        for number in 0..1_000 {
            let leads = if number % 10 == 0 { NOWHERE } else { ONWARD };
            visit(&mut endless, &format!("/catalogue/{}", name(number)), leads);
        }
        assert_eq!(check(&endless, "/catalogue/x"), Ok(()));
    }

    #[test]
    fn a_maze_whose_pages_link_to_each_other_is_closed_later() {
        let mut endless = endless();
        for number in 0..1_999 {
            visit(&mut endless, &format!("/maze/{}", name(number)), Leads { to_waiting: number % 10 > 0, ..ONWARD });
        }
        assert_eq!(check(&endless, "/maze/x"), Ok(()));
        visit(&mut endless, "/maze/last", ONWARD);
        assert_eq!(check(&endless, "/maze/x"), Err(Refusal::EndlessPath));
    }

    #[test]
    fn names_with_numbers_in_a_row_are_let_pass_and_random_numbers_are_not() {
        for (step, expected) in [(1, Ok(())), (997, Err(Refusal::EndlessPath))] {
            let mut endless = endless();
            for number in 0..300 {
                visit(&mut endless, &format!("/articles/{}-{}", name(number), number * step), ONWARD);
            }
            assert_eq!(check(&endless, "/articles/x"), expected, "step {step}");
        }
    }

    #[test]
    fn a_closed_site_keeps_the_folders_open_that_showed_an_end() {
        let mut endless = endless();
        visit(&mut endless, "/blog/a", NOWHERE);
        for number in 0..100 {
            visit(&mut endless, &format!("/{}/x", name(number)), ELSEWHERE);
        }
        assert_eq!(check(&endless, "/whatever/x"), Err(Refusal::EndlessSite));
        assert_eq!(check(&endless, "/blog/b"), Ok(()));
    }

    #[test]
    fn listed_pages_are_not_counted() {
        let listed = super::super::Depth::LISTED;
        let row =
            UrlRow { source: crate::receipt::Source::Sitemap, depth: listed, ..UrlRow::sample(2, "http://a/maze/x") };
        assert!(Sign::of(&row, ONWARD, false, None).is_none());
    }

    #[test]
    fn leads_are_read_back_as_they_were_stored() {
        for bits in 0..8 {
            assert_eq!(Leads::from_bits(bits).to_bits(), bits);
        }
    }
}
