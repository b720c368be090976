//! Rows of a comparison: filtered by class, field, check and text, then read by window.

use std::sync::{Arc, Mutex, PoisonError};

use bluesnake_store::{ComparedRuns, DatabaseError, UrlReader};

use super::Comparison;
use super::fields::Sight;
use super::view::{ChangeView, CompareQuery, FieldChange};
use super::words::{Class, Field, IssueChange};
use crate::error::AppError;
use crate::results::filter::{known_check, text};

/// How many filtered orders to remember for each comparison.
const REMEMBERED: usize = 8;
/// The longest search text.
const LONGEST_SEARCH: usize = 1_000;
/// What is shown of a URL that cannot be compared field by field.
const SHOWN: [Field; 2] = [Field::Status, Field::Title];

/// Which rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    class: Option<Class>,
    field: Option<Field>,
    check: Option<String>,
    change: Option<IssueChange>,
    pub(super) search: Option<String>,
}

impl TryFrom<CompareQuery> for Filter {
    type Error = AppError;

    fn try_from(query: CompareQuery) -> Result<Self, AppError> {
        let CompareQuery { class, field, change, check, search, .. } = query;
        let check = check.filter(|check| !check.is_empty());
        if let Some(check) = &check {
            known_check(check)?;
        }
        Ok(Self { class, field, check, change, search: text("search", search.as_ref(), LONGEST_SEARCH)? })
    }
}

/// Filtered orders, the last used at the end.
#[derive(Debug, Default)]
pub(super) struct Orders(Mutex<Vec<(Filter, Arc<[u32]>)>>);

impl Orders {
    pub(super) fn bytes(&self) -> usize {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|(_, order)| size_of_val(&**order)).sum()
    }

    pub(super) fn of(&self, filter: &Filter) -> Option<Arc<[u32]>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = known.iter().position(|(one, _)| one == filter)?;
        let used = known.remove(at);
        let order = Arc::clone(&used.1);
        known.push(used);
        Some(order)
    }

    pub(super) fn keep(&self, filter: Filter, order: Arc<[u32]>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push((filter, order));
    }
}

impl Comparison {
    /// The places of the rows that a filter selects, in order, on this thread. `found` are the numbers in both runs of the
    /// URLs that contain its text.
    pub(super) fn order(
        &self,
        runs: &ComparedRuns<'_>,
        filter: &Filter,
        found: Option<(Vec<u32>, Vec<u32>)>,
    ) -> Result<Arc<[u32]>, DatabaseError> {
        self.versions.0.check(runs)?;
        self.versions.1.check(runs)?;
        let found = found.map(|found| self.places_of(found));
        let (outcomes, class) = (&self.compared.outcomes, filter.class);
        let of_check = match (&self.audits, filter.check.is_some() || filter.change.is_some()) {
            (_, false) => None,
            (None, true) => Some(Vec::new()),
            (Some(audits), true) => {
                Some(audits.places(runs, &self.compared, filter.check.as_deref(), filter.change)?)
            }
        };
        let has_class = |place: usize| match class {
            Some(class) => outcomes[place].class == class,
            None => outcomes[place].class != Class::Same || of_check.is_some() || self.changes.has(place as u32),
        };
        let has_check =
            |place: usize| of_check.as_ref().is_none_or(|places| places.binary_search(&(place as u32)).is_ok());
        let has_field = |place: usize| filter.field.is_none_or(|field| outcomes[place].fields.has(field));
        let has_text = |place: usize| found.as_ref().is_none_or(|found| found[place]);
        let is_in = |place: &usize| has_class(*place) && has_field(*place) && has_text(*place) && has_check(*place);
        Ok((0..outcomes.len()).filter(is_in).map(|place| place as u32).collect())
    }

    /// Whether the URL at each place has one of these numbers, in either run.
    fn places_of(&self, (in_a, in_b): (Vec<u32>, Vec<u32>)) -> Vec<bool> {
        let mut found = vec![false; self.compared.pairs.len()];
        for (numbers, side) in [(in_a, &self.compared.a), (in_b, &self.compared.b)] {
            for place in numbers.into_iter().filter_map(|number| side.known_place(number)) {
                found[place as usize] = true;
            }
        }
        found
    }
}

/// Reads rows of a comparison, one after the other.
pub(super) struct Rows<'a> {
    comparison: &'a Comparison,
    a: UrlReader<'a>,
    b: UrlReader<'a>,
}

/// What one run knows about a URL.
#[derive(Default)]
struct Side {
    url: Option<String>,
    values: Vec<Option<String>>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(comparison: &'a Comparison, runs: &'a ComparedRuns<'a>) -> Result<Self, DatabaseError> {
        let (of_a, of_b) = &comparison.compared.known.robots;
        let a = runs.reader(comparison.view.a.run_id, of_a)?;
        let b = runs.reader(comparison.view.b.run_id, of_b)?;
        Ok(Self { comparison, a, b })
    }

    /// The row at a place.
    pub(super) fn read(&mut self, place: u32) -> Result<ChangeView, DatabaseError> {
        let compared = &self.comparison.compared;
        let (pair, outcome) = (compared.pairs[place as usize], compared.outcomes[place as usize]);
        let fields: Vec<Field> = match outcome.class {
            Class::Changed | Class::Same => outcome.fields.iter().collect(),
            _ => SHOWN.to_vec(),
        };
        let side = |sight: Sight<'_>| Side {
            url: Some(sight.url.url.to_owned()),
            values: fields.iter().map(|field| sight.value(*field)).collect(),
        };
        let number = |number: u32| (number > 0).then_some(number);
        let a = number(pair.a).map(|number| self.a.read(number, |url| side(compared.known.in_a(url)))).transpose()?;
        let b = number(pair.b).map(|number| self.b.read(number, |url| side(compared.known.in_b(url)))).transpose()?;
        let (a, b) = (a.flatten().unwrap_or_default(), b.flatten().unwrap_or_default());
        let fields = fields.iter().enumerate().map(|(at, field)| {
            let value = |side: &Side| side.values.get(at).cloned().flatten();
            FieldChange { name: *field, before: value(&a), after: value(&b) }
        });
        Ok(ChangeView {
            class: outcome.class,
            // Runs may spell a URL differently; the choice must not depend on their order.
            url: a.url.iter().chain(&b.url).min().cloned().unwrap_or_default(),
            number_a: number(pair.a),
            number_b: number(pair.b),
            reason: compared.reason(outcome),
            fields: fields.filter(|field| field.before != field.after).collect(),
            issues: self.comparison.changes.at(place),
        })
    }
}
