//! One run of a comparison: what it knows, and whether it would know a URL if the site had it.

use bluesnake_engine::{Disposition, Reason, Refusal};
use bluesnake_store::{ComparedUrl, DatabaseError};

use super::pairs::Pair;

/// How often to follow doubts through links that lead back to URLs found earlier. Links mostly lead to URLs found later,
/// for which one pass is enough.
const PASSES: usize = 8;

/// What became of a URL in a run that knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It responded.
    There,
    /// It responded with 404 or 410, named by this word.
    Missing(&'static str),
    /// It was not visited, for this reason.
    Unvisited(&'static str),
}

impl Ending {
    pub(super) fn of(url: &ComparedUrl<'_>) -> Self {
        match (url.reason.disposition(), url.status) {
            (Disposition::Fetched, Some(404)) => Self::Missing("status_404"),
            (Disposition::Fetched, Some(410)) => Self::Missing("status_410"),
            (Disposition::Fetched | Disposition::Redirected, _) => Self::There,
            _ => Self::Unvisited(url.reason.as_str()),
        }
    }
}

/// What a response lets its run know about a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Response {
    /// The page, or a definite statement that there is none; also if there was no response, which the class tells.
    #[default]
    Clear,
    /// Another URL: there is no page here.
    Redirect,
    /// Nothing: the server failed, or refused this request (401, 403, 429, 5xx).
    Unreadable,
}

impl Response {
    pub(super) fn of(url: &ComparedUrl<'_>) -> Self {
        match (url.reason.disposition(), url.status) {
            (Disposition::Redirected, _) => Self::Redirect,
            (Disposition::Fetched, Some(200..=299 | 404 | 410)) => Self::Clear,
            (Disposition::Fetched, Some(300..=399)) => Self::Redirect,
            (Disposition::Fetched, Some(_)) => Self::Unreadable,
            _ => Self::Clear,
        }
    }
}

/// What a run says about a URL that it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absence {
    /// The site does not have it, as far as links can tell.
    NotThere,
    /// Nothing: the run is not completed.
    NotCompleted,
    /// Nothing: limits kept it from seeing the whole site.
    Limits,
    /// Nothing: the other run had it from a seed or a sitemap that this one did not have.
    OtherSources,
    /// Nothing: the page that linked to it was not visited.
    LinkingPage,
}

impl Absence {
    /// Why nothing is known; `None` if it is known.
    pub(super) fn unknown(self) -> Option<&'static str> {
        Some(match self {
            Self::NotThere => return None,
            Self::NotCompleted => "run_not_completed",
            Self::Limits => "limits",
            Self::OtherSources => "other_sources",
            Self::LinkingPage => "linking_page_not_visited",
        })
    }
}

/// A run, as far as it has been read.
#[derive(Debug)]
pub(super) struct Side {
    is_completed: bool,
    /// Whether URLs wait for their turn.
    has_pending: bool,
    /// Whether a limit kept pages from being visited.
    is_limited: bool,
    /// The URL that led to each URL, by number; 0 = none.
    parents: Vec<u32>,
    /// Whether the links of each URL were seen, by number.
    shows_links: Vec<bool>,
    /// The place of each URL in the list of pairs, by number.
    places: Vec<u32>,
}

impl Side {
    pub(super) fn new(is_completed: bool, pairs: &[Pair], number: impl Fn(&Pair) -> u32) -> Self {
        let last = pairs.iter().map(&number).max().unwrap_or(0) as usize;
        let mut places = vec![0; last + 1];
        for (place, pair) in pairs.iter().enumerate() {
            // The entry of number 0 is never read.
            places[number(pair) as usize] = place as u32;
        }
        let (parents, shows_links) = (vec![0; last + 1], vec![false; last + 1]);
        Self { is_completed, has_pending: false, is_limited: false, parents, shows_links, places }
    }

    /// The place of a URL in the list of pairs.
    pub(super) fn place_of(&self, number: u32) -> usize {
        self.places[number as usize] as usize
    }

    /// The same for a number that may be unknown, as in findings of a run that went on meanwhile.
    pub(super) fn known_place(&self, number: u32) -> Option<u32> {
        self.places.get(number as usize).copied().filter(|_| number > 0)
    }

    /// Takes note of a URL.
    pub(super) fn take(&mut self, url: &ComparedUrl<'_>) {
        let number = url.number as usize;
        self.parents[number] = url.parent.unwrap_or(0);
        self.shows_links[number] = shows_links(url);
        self.has_pending |= url.reason == Reason::Queued;
        self.is_limited |= is_limit(url.reason);
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.places.as_slice())
    }

    /// Whether a URL that ended for this reason means that parts of the site were not seen.
    pub(super) fn is_cut_by(reason: Reason) -> bool {
        reason == Reason::Queued || is_limit(reason)
    }

    /// Forgets what only absences need.
    pub(super) fn shrink(&mut self) {
        (self.parents, self.shows_links) = (Vec::new(), Vec::new());
    }

    /// Whether it saw the whole site.
    pub(super) fn is_whole(&self) -> bool {
        self.is_completed && !self.has_pending && !self.is_limited
    }

    /// What this run says about URLs that only the other run knows: for each place in `pairs` whose number here is 0.
    /// `sources` are the documents that link to a URL in the other run, by its number there.
    pub(super) fn absences(
        &self,
        other: &Self,
        pairs: &[Pair],
        number: impl Fn(&Pair) -> u32,
        sources: impl Fn(u32) -> Result<Vec<u32>, DatabaseError>,
    ) -> Result<Vec<Option<Absence>>, DatabaseError> {
        let mut known = vec![None; pairs.len()];
        let mut way = Vec::new();
        for place in (0..pairs.len()).filter(|place| number(&pairs[*place]) == 0) {
            let mut at = place;
            let found = loop {
                if let Some(known) = known[at] {
                    break known;
                }
                // If parents ever formed a circle, its URLs would be linked from nowhere else.
                known[at] = Some(Absence::NotThere);
                way.push(at);
                match self.step(other, pairs[at], pairs, &number) {
                    Step::Told(absence) => break absence,
                    Step::AskParent(parent) => at = parent,
                }
            };
            way.drain(..).for_each(|at| known[at] = Some(found));
        }
        for _ in 0..PASSES {
            if !self.doubt(other, pairs, &number, &sources, &mut known)? {
                break;
            }
        }
        Ok(known)
    }

    /// Takes back what is known of URLs that were also linked from a document that this run did not read. Returns
    /// whether there were any: then nothing is known of what they link to, either.
    fn doubt(
        &self,
        other: &Self,
        pairs: &[Pair],
        number: impl Fn(&Pair) -> u32,
        sources: impl Fn(u32) -> Result<Vec<u32>, DatabaseError>,
        known: &mut [Option<Absence>],
    ) -> Result<bool, DatabaseError> {
        let mut has_changed = false;
        for place in 0..pairs.len() {
            if known[place] != Some(Absence::NotThere) {
                continue;
            }
            let is_unread = |source: u32| {
                let Some(source) = other.known_place(source).map(|place| place as usize) else { return false };
                match number(&pairs[source]) {
                    0 => known[source].is_some_and(|absence| absence.unknown().is_some()),
                    here => !self.shows_links[here as usize],
                }
            };
            if sources(pairs[place].a.max(pairs[place].b))?.into_iter().any(is_unread) {
                known[place] = Some(Absence::LinkingPage);
                has_changed = true;
            }
        }
        Ok(has_changed)
    }

    fn step(&self, other: &Self, pair: Pair, pairs: &[Pair], number: &impl Fn(&Pair) -> u32) -> Step {
        if !self.is_completed || self.has_pending {
            return Step::Told(Absence::NotCompleted);
        }
        if self.is_limited {
            return Step::Told(Absence::Limits);
        }
        let parent = other.parents[pair.a.max(pair.b) as usize];
        if parent == 0 {
            return Step::Told(Absence::OtherSources);
        }
        let place = other.place_of(parent);
        match number(&pairs[place]) {
            0 => Step::AskParent(place),
            here if self.shows_links[here as usize] => Step::Told(Absence::NotThere),
            _ => Step::Told(Absence::LinkingPage),
        }
    }
}

/// What is known of a URL before its parents are considered.
enum Step {
    Told(Absence),
    AskParent(usize),
}

/// Whether everything a URL leads to is known. A page that is gone leads nowhere.
fn shows_links(url: &ComparedUrl<'_>) -> bool {
    matches!(url.status, Some(200..=399 | 404 | 410)) && !url.is_cut
}

/// Whether such a reason means that parts of the site were not seen.
fn is_limit(reason: Reason) -> bool {
    use Refusal::{EndlessSite, HostBudget, MaxUrls, PageLimit, SitemapDepth, SitemapFiles, TooDeep};
    match reason {
        Reason::Cleared => true,
        Reason::Refused(refusal) => {
            matches!(refusal, TooDeep | MaxUrls | PageLimit | HostBudget | EndlessSite | SitemapDepth | SitemapFiles)
        }
        _ => false,
    }
}
