//! What happened to issues: for each check the URLs on which it found something, before and after.
//!
//! Counted in URLs, not in findings: a page that has two images without a text instead of three still has the issue.

use std::collections::BTreeMap;
use std::sync::Arc;

use bluesnake_audit::{Check, Scope, Theme, all_checks};
use bluesnake_store::{AuditRow, ComparedRuns, DatabaseError, IssueCount};

use super::make::{Compared, Outcome};
use super::side::{Response, Side};
use super::view::{CheckChange, IssueChangeView};
use super::words::{Class, IssueChange};
use crate::app::App;
use crate::audit::LiveAudit;
use crate::error::AppError;

/// The audit of a run.
#[derive(Debug)]
pub(super) struct Audit {
    run: i64,
    pub(super) row: AuditRow,
    counts: BTreeMap<String, IssueCount>,
    /// Where its findings are, unless they are stored.
    live: Option<Arc<LiveAudit>>,
}

impl App {
    /// The audit of a run, stored or made now.
    pub(super) async fn audit_to_compare(&self, run: i64) -> Result<Option<Audit>, AppError> {
        let live = self.live_audit(run).await?;
        let found = match &live {
            Some(live) => Some(live.counts()),
            None => self.contents().issue_counts(run).await?,
        };
        Ok(found.map(|(row, counts)| {
            let counts = counts.into_iter().map(|count| (count.check_id.clone(), count)).collect();
            Audit { run, row, counts, live }
        }))
    }
}

impl Audit {
    /// The numbers of the URLs on which a check found something.
    fn found(&self, runs: &ComparedRuns<'_>, check: &str) -> Result<Arc<[u32]>, DatabaseError> {
        match &self.live {
            Some(live) => Ok(live.numbers(check)),
            None => Ok(runs.found(self.run, check)?.into()),
        }
    }

    /// Why a check was not made.
    fn not_checked(&self, check: &str) -> Option<String> {
        let why = match self.counts.get(check) {
            Some(count) => count.not_checked.as_deref()?,
            None => "its version of bluesnake does not have this check",
        };
        Some(format!("run {}: {why}", self.run))
    }

    fn urls(&self, check: &str) -> u64 {
        self.counts.get(check).map_or(0, |count| count.urls)
    }
}

/// The audits of both runs.
#[derive(Debug)]
pub(super) struct Audits {
    pub(super) a: Audit,
    pub(super) b: Audit,
}

/// What happened to the issues of two runs.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Ordered by place.
    all: Vec<Change>,
}

/// An issue of the URL at a place that is not the same in both runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    place: u32,
    /// Index in the catalogue.
    check: u16,
    change: IssueChange,
}

impl Changes {
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.all.as_slice())
    }

    /// Whether the URL at a place has any.
    pub(super) fn has(&self, place: u32) -> bool {
        self.all.binary_search_by_key(&place, |change| change.place).is_ok()
    }

    /// The issues of the URL at a place.
    pub(super) fn at(&self, place: u32) -> Vec<IssueChangeView> {
        let from = self.all.partition_point(|change| change.place < place);
        let own = self.all[from..].iter().take_while(|change| change.place == place);
        let id = |index: u16| all_checks().nth(index.into()).map_or("", |check| check.id);
        own.map(|change| IssueChangeView { id: id(change.check), change: change.change }).collect()
    }
}

/// What happened to an issue, as far as it can be known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Still,
    Fixed,
    GoneWithPage,
    New,
    NewWithPage,
    NotVisited,
    NotVisitedBefore,
}

impl Fate {
    /// The fate of an issue that at least one run found, of a check about pages or about responses of any kind.
    fn of(had: bool, has: bool, outcome: Outcome, is_about_responses: bool) -> Self {
        let (before, after) = if is_about_responses { Default::default() } else { outcome.responses };
        match (had, has, outcome.class) {
            (true, true, _) => Self::Still,
            (true, false, Class::Gone) => Self::GoneWithPage,
            (true, false, Class::NotVisited) => Self::NotVisited,
            (true, false, _) => match (before, after) {
                (_, Response::Unreadable) => Self::NotVisited,
                (Response::Clear | Response::Unreadable, Response::Redirect) => Self::GoneWithPage,
                _ => Self::Fixed,
            },
            (false, _, Class::Appeared) => Self::NewWithPage,
            (false, _, Class::NotVisitedBefore) => Self::NotVisitedBefore,
            (false, ..) => match (before, after) {
                (Response::Unreadable, _) => Self::NotVisitedBefore,
                (Response::Redirect, Response::Clear | Response::Unreadable) => Self::NewWithPage,
                _ => Self::New,
            },
        }
    }

    /// What is known.
    fn change(self) -> Option<IssueChange> {
        match self {
            Self::Still => Some(IssueChange::Still),
            Self::Fixed => Some(IssueChange::Fixed),
            Self::GoneWithPage => Some(IssueChange::GoneWithPage),
            Self::New | Self::NewWithPage => Some(IssueChange::New),
            Self::NotVisited | Self::NotVisitedBefore => None,
        }
    }
}

/// Whether a check finds something in responses without a page, too: then a failure is a result, not a gap.
fn is_about_responses(check: &str) -> bool {
    bluesnake_audit::check(check).is_some_and(|check| (check.theme, check.scope) == (Theme::Responses, Scope::Urls))
}

impl Audits {
    /// Compares every check that found something, except those whose findings depend on the speed of a server.
    pub(super) fn compare(
        &self,
        runs: &ComparedRuns<'_>,
        compared: &Compared,
    ) -> Result<(Vec<CheckChange>, Changes), DatabaseError> {
        let mut checks: Vec<(&Check, CheckChange)> = Vec::new();
        let mut all = Vec::new();
        for (index, check) in all_checks().enumerate().filter(|(_, check)| !check.depends_on_time()) {
            let mut row = self.row(check);
            if row.before + row.after == 0 {
                continue;
            }
            if row.not_checked.is_none() {
                self.each(runs, compared, check.id, |place, fate| {
                    row.count(fate);
                    let change = fate.change().filter(|change| *change != IssueChange::Still);
                    all.extend(change.map(|change| Change { place, check: index as u16, change }));
                })?;
            }
            checks.push((check, row));
        }
        all.sort_unstable();
        checks.sort_by_key(|(check, _)| (check.priority, check.kind));
        Ok((checks.into_iter().map(|(_, row)| row).collect(), Changes { all }))
    }

    /// The places of the URLs on which a check, or any check, found something in either run, or for which this happened.
    pub(super) fn places(
        &self,
        runs: &ComparedRuns<'_>,
        compared: &Compared,
        check: Option<&str>,
        change: Option<IssueChange>,
    ) -> Result<Vec<u32>, DatabaseError> {
        let is_wanted = |known: &&Check| match check {
            Some(check) => known.id == check,
            None => !known.depends_on_time() && self.row(known).not_checked.is_none(),
        };
        let mut places = Vec::new();
        for check in all_checks().filter(is_wanted) {
            self.each(runs, compared, check.id, |place, fate| {
                if change.is_none_or(|change| fate.change() == Some(change)) {
                    places.push(place);
                }
            })?;
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// Calls back for every URL on which a check found something.
    fn each(
        &self,
        runs: &ComparedRuns<'_>,
        compared: &Compared,
        check: &str,
        mut each: impl FnMut(u32, Fate),
    ) -> Result<(), DatabaseError> {
        let places = |side: &Side, found: Arc<[u32]>| {
            let mut places: Vec<u32> = found.iter().filter_map(|number| side.known_place(*number)).collect();
            places.sort_unstable();
            places
        };
        let before = places(&compared.a, self.a.found(runs, check)?);
        let after = places(&compared.b, self.b.found(runs, check)?);
        let (mut before, mut after) = (before.as_slice(), after.as_slice());
        let is_about_responses = is_about_responses(check);
        while let Some(place) = before.first().into_iter().chain(after.first()).copied().min() {
            let [had, has] = [&mut before, &mut after].map(|rest| {
                let is_next = rest.first() == Some(&place);
                *rest = &rest[usize::from(is_next)..];
                is_next
            });
            each(place, Fate::of(had, has, compared.outcomes[place as usize], is_about_responses));
        }
        Ok(())
    }

    fn row(&self, check: &Check) -> CheckChange {
        let named = self.b.counts.get(check.id).or(self.a.counts.get(check.id));
        CheckChange {
            id: check.id,
            name: named.map_or_else(|| check.name.to_owned(), |count| count.name.clone()),
            priority: check.priority.as_str(),
            kind: check.kind.as_str(),
            before: self.a.urls(check.id),
            after: self.b.urls(check.id),
            new: 0,
            new_with_page: 0,
            fixed: 0,
            still: 0,
            gone_with_page: 0,
            not_visited: 0,
            not_visited_before: 0,
            not_checked: self.a.not_checked(check.id).or_else(|| self.b.not_checked(check.id)),
        }
    }
}

impl CheckChange {
    fn count(&mut self, fate: Fate) {
        let count = match fate {
            Fate::Still => &mut self.still,
            Fate::Fixed => &mut self.fixed,
            Fate::GoneWithPage => &mut self.gone_with_page,
            Fate::New | Fate::NewWithPage => &mut self.new,
            Fate::NotVisited => &mut self.not_visited,
            Fate::NotVisitedBefore => &mut self.not_visited_before,
        };
        *count += 1;
        self.new_with_page += u64::from(fate == Fate::NewWithPage);
    }
}
