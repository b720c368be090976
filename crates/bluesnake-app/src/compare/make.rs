//! Makes a comparison: pairs the URLs of two runs, reads both, and sorts every URL into a class.

use std::sync::Arc;

use bluesnake_store::state::RunState;
use bluesnake_store::{ComparedRuns, ComparedUrl, DatabaseError, RobotsHeaders, RunFigures};

use super::fields::{Fields, Sight, is_same_url};
use super::pairs::{self, Pair};
use super::side::{Absence, Ending, Response, Side};
use super::words::Class;

/// What happened to every URL of two runs.
#[derive(Debug)]
pub(super) struct Compared {
    pub(super) pairs: Vec<Pair>,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) a: Side,
    pub(super) b: Side,
    pub(super) known: Arc<Known>,
    reasons: Reasons,
}

/// What happened to one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) class: Class,
    reason: u8,
    pub(super) fields: Fields,
    /// The responses that both runs got.
    pub(super) responses: (Response, Response),
}

impl Outcome {
    const UNKNOWN: Self =
        Self { class: Class::Same, reason: 0, fields: Fields::NONE, responses: (Response::Clear, Response::Clear) };
}

/// What is known about the URLs of both runs beyond their rows.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Links to each URL, by number from 1, of both runs.
    pub(super) inlinks: Option<(Vec<u32>, Vec<u32>)>,
    /// Whether depths are final.
    pub(super) depths: bool,
    pub(super) robots: (RobotsHeaders, RobotsHeaders),
}

impl Known {
    pub(super) fn in_a<'a>(&self, url: &'a ComparedUrl<'a>) -> Sight<'a> {
        Sight { url, inlinks: self.inlinks.as_ref().map(|(a, _)| at(a, url.number)) }
    }

    pub(super) fn in_b<'a>(&self, url: &'a ComparedUrl<'a>) -> Sight<'a> {
        Sight { url, inlinks: self.inlinks.as_ref().map(|(_, b)| at(b, url.number)) }
    }
}

fn at(inlinks: &[u32], number: u32) -> u32 {
    inlinks.get(number as usize - 1).copied().unwrap_or(0)
}

/// The words for why URLs are in their classes; few for millions of URLs.
#[derive(Debug)]
struct Reasons(Vec<&'static str>);

impl Reasons {
    fn code(&mut self, reason: &'static str) -> u8 {
        let known = self.0.iter().position(|known| *known == reason).unwrap_or_else(|| {
            self.0.push(reason);
            self.0.len() - 1
        });
        u8::try_from(known).expect("there are fewer reasons than 256")
    }
}

impl Compared {
    /// Its memory.
    pub(super) fn bytes(&self) -> usize {
        let inlinks = self.known.inlinks.as_ref().map_or(0, |(a, b)| size_of_val(&**a) + size_of_val(&**b));
        let rows = size_of_val(self.pairs.as_slice()) + size_of_val(self.outcomes.as_slice());
        rows + inlinks + self.a.bytes() + self.b.bytes()
    }

    /// Why a URL is in its class, if there is more to say.
    pub(super) fn reason(&self, outcome: Outcome) -> Option<&'static str> {
        Some(self.reasons.0[usize::from(outcome.reason)]).filter(|reason| !reason.is_empty())
    }

    /// Compares two runs, on this thread.
    pub(super) fn make(runs: &ComparedRuns<'_>, a: &RunFigures, b: &RunFigures) -> Result<Self, DatabaseError> {
        let mut collisions = Vec::new();
        loop {
            let pairs = pairs::pairs(runs, a.run.id, b.run.id, &collisions)?;
            let mut reading = Reading::new(runs, a, b, pairs)?;
            reading.read_both()?;
            if reading.collisions.is_empty() {
                return reading.finish();
            }
            collisions.append(&mut reading.collisions);
        }
    }
}

/// A comparison in the making.
struct Reading<'a> {
    runs: &'a ComparedRuns<'a>,
    run_a: i64,
    run_b: i64,
    compared: Compared,
    /// Numbers of URLs of `a` whose partners turned out to be other URLs.
    collisions: Vec<u32>,
}

impl<'a> Reading<'a> {
    fn new(
        runs: &'a ComparedRuns<'a>,
        a: &RunFigures,
        b: &RunFigures,
        pairs: Vec<Pair>,
    ) -> Result<Self, DatabaseError> {
        let [is_a_completed, is_b_completed] = [a, b].map(|figures| figures.run.state == RunState::Completed);
        let inlinks = runs.inlinks(a.run.id)?.zip(runs.inlinks(b.run.id)?);
        let robots = (runs.robots_headers(a.run.id)?, runs.robots_headers(b.run.id)?);
        let known = Known { inlinks, depths: is_a_completed && is_b_completed, robots };
        let compared = Compared {
            outcomes: vec![Outcome::UNKNOWN; pairs.len()],
            a: Side::new(is_a_completed, &pairs, |pair| pair.a),
            b: Side::new(is_b_completed, &pairs, |pair| pair.b),
            known: Arc::new(known),
            reasons: Reasons(vec![""]),
            pairs,
        };
        Ok(Self { runs, run_a: a.run.id, run_b: b.run.id, compared, collisions: Vec::new() })
    }

    /// Reads all of the one run in order, and what the other one has of it.
    fn read_both(&mut self) -> Result<(), DatabaseError> {
        let known = Arc::clone(&self.compared.known);
        let (compared, collisions) = (&mut self.compared, &mut self.collisions);
        let mut reader = self.runs.reader(self.run_b, &known.robots.1)?;
        self.runs.scan(self.run_a, &known.robots.0, |in_a| {
            compared.a.take(in_a);
            let place = compared.a.place_of(in_a.number);
            let Pair { b: number, .. } = compared.pairs[place];
            if number > 0 {
                reader.read(number, |in_b| match is_same_url(Some(in_a.url), Some(in_b.url)) {
                    true => compared.settle(place, in_a, in_b),
                    false => collisions.push(in_a.number),
                })?;
            }
            Ok(())
        })
    }

    /// Reads what only the other run knows.
    fn finish(mut self) -> Result<Compared, DatabaseError> {
        let known = Arc::clone(&self.compared.known);
        let mut reader = self.runs.reader(self.run_b, &known.robots.1)?;
        for pair in self.compared.pairs.iter().filter(|pair| pair.a == 0) {
            reader.read(pair.b, |url| self.compared.b.take(url))?;
        }
        self.settle_absent()?;
        self.compared.a.shrink();
        self.compared.b.shrink();
        Ok(self.compared)
    }

    /// Sorts URLs that one run does not know, which depends on what that run saw as a whole.
    fn settle_absent(&mut self) -> Result<(), DatabaseError> {
        let Self { runs, run_a, run_b, compared, .. } = self;
        let not_in_a =
            compared.a.absences(&compared.b, &compared.pairs, |pair| pair.a, |number| runs.sources(*run_b, number))?;
        let not_in_b =
            compared.b.absences(&compared.a, &compared.pairs, |pair| pair.b, |number| runs.sources(*run_a, number))?;
        compared.settle_absent(not_in_a, not_in_b);
        Ok(())
    }
}

impl Compared {
    /// Sorts a URL that both runs know into its class.
    fn settle(&mut self, place: usize, in_a: &ComparedUrl<'_>, in_b: &ComparedUrl<'_>) {
        self.b.take(in_b);
        let (a, b, depths) = (self.known.in_a(in_a), self.known.in_b(in_b), self.known.depths);
        let (class, reason, fields) = match (Ending::of(in_a), Ending::of(in_b)) {
            (Ending::Unvisited(_), Ending::Unvisited(_)) => differing(a.unvisited_differences(&b, depths)),
            (_, Ending::Unvisited(reason)) => (Class::NotVisited, reason, Fields::NONE),
            (Ending::Unvisited(reason), _) => (Class::NotVisitedBefore, reason, Fields::NONE),
            (Ending::There, Ending::Missing(status)) => (Class::Gone, status, Fields::NONE),
            (Ending::Missing(status), Ending::There) => (Class::Appeared, status, Fields::NONE),
            _ => differing(a.differences(&b, depths)),
        };
        let responses = (Response::of(in_a), Response::of(in_b));
        self.outcomes[place] = Outcome { class, reason: self.reasons.code(reason), fields, responses };
    }

    fn settle_absent(&mut self, not_in_a: Vec<Option<Absence>>, not_in_b: Vec<Option<Absence>>) {
        for (place, absences) in not_in_a.into_iter().zip(not_in_b).enumerate() {
            let (known, unknown, absence) = match absences {
                (Some(absence), _) => (Class::Appeared, Class::NotVisitedBefore, absence),
                (_, Some(absence)) => (Class::Gone, Class::NotVisited, absence),
                (None, None) => continue,
            };
            let (class, reason) = match absence.unknown() {
                Some(reason) => (unknown, reason),
                None => (known, "not_linked"),
            };
            self.outcomes[place] = Outcome { class, reason: self.reasons.code(reason), ..Outcome::UNKNOWN };
        }
    }
}

fn differing(fields: Fields) -> (Class, &'static str, Fields) {
    (if fields.is_empty() { Class::Same } else { Class::Changed }, "", fields)
}
