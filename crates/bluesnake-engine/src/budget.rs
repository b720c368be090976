//! How much may still be fetched, counted in turn order.
//!
//! A place in a budget is reserved before a URL is fetched and returned if no request was made, so that a budget of N
//! means exactly N fetches, and always the same N.

use std::collections::HashMap;

use crate::admit::{Refusal, Task, UrlRow};
use crate::plan::{BudgetCounts, LimitSettings, ScopeSettings};

/// Whether a URL whose turn has come may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reservation {
    /// Fetch it.
    Granted,
    /// Try again when an in-flight visit has been committed: it may return its place.
    Wait,
    /// It will not be fetched in this run.
    Refused(Refusal),
    /// The session's budget is spent; the URL stays pending.
    SessionSpent,
}

/// How much may still be fetched.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    limits: LimitSettings,
    scope: ScopeSettings,
    session_used: u64,
    run_used: u64,
    /// For each seed: unique pages committed, and places held by pages in flight.
    saved: Vec<u64>,
    held: Vec<u64>,
    /// Counted URLs in flight.
    outstanding: u64,
    bytes: u64,
    /// Counted URLs per host, kept only if there is a limit.
    hosts: HashMap<Box<str>, u64>,
}

impl Budget {
    pub(crate) fn new(limits: &LimitSettings, scope: &ScopeSettings, seeds: usize) -> Self {
        let (saved, held) = (vec![0; seeds], vec![0; seeds]);
        Self { limits: limits.clone(), scope: scope.clone(), saved, held, ..Self::default() }
    }

    /// Counts a visit of an earlier session.
    pub(crate) fn restore(&mut self, row: &UrlRow, is_unique_page: bool) {
        if self.is_counted(row) {
            self.run_used += 1;
            self.count_host(row);
        }
        self.saved[row.base as usize] += u64::from(is_unique_page);
    }

    pub(crate) fn reserve(&mut self, row: &UrlRow) -> Reservation {
        let base = row.base as usize;
        let is_page = row.task == Task::Page;
        let page_limit = self.scope.page_limit;
        if is_page && page_limit > 0 && self.saved[base] + self.held[base] >= page_limit {
            let is_final = self.saved[base] >= page_limit;
            return if is_final { Reservation::Refused(Refusal::PageLimit) } else { Reservation::Wait };
        }
        if self.is_counted(row) {
            let is_spent = |limit: u64, used: u64| limit > 0 && used >= limit;
            let of_host = self.hosts.get(row.url.authority()).copied().unwrap_or(0);
            let end = if is_spent(self.scope.max_urls, self.run_used) {
                Some(Reservation::Refused(Refusal::MaxUrls))
            } else if is_spent(self.limits.session_budget, self.session_used) {
                Some(Reservation::SessionSpent)
            } else if is_spent(self.scope.urls_per_host, of_host) {
                Some(Reservation::Refused(Refusal::HostBudget))
            } else {
                None
            };
            if let Some(end) = end {
                return if self.outstanding > 0 { Reservation::Wait } else { end };
            }
            self.run_used += 1;
            self.session_used += 1;
            self.outstanding += 1;
            self.count_host(row);
        }
        self.held[base] += u64::from(is_page);
        Reservation::Granted
    }

    /// Settles a granted visit that has been committed.
    pub(crate) fn settle(&mut self, row: &UrlRow, was_fetched: bool, is_unique_page: bool) {
        if self.is_counted(row) {
            self.outstanding -= 1;
            if !was_fetched {
                self.run_used -= 1;
                self.session_used -= 1;
                if let Some(used) = self.hosts.get_mut(row.url.authority()) {
                    *used -= 1;
                }
            }
        }
        let base = row.base as usize;
        self.held[base] -= u64::from(row.task == Task::Page);
        self.saved[base] += u64::from(is_unique_page);
    }

    /// Counts bytes of a body, received now or in an earlier session.
    pub(crate) fn count_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Whether the run has used up its byte budget, including bytes not counted yet.
    pub(crate) fn are_bytes_spent(&self, not_counted: u64) -> bool {
        self.scope.max_bytes > 0 && self.bytes + not_counted >= self.scope.max_bytes
    }

    fn count_host(&mut self, row: &UrlRow) {
        if self.scope.urls_per_host > 0 {
            *self.hosts.entry(row.url.authority().into()).or_default() += 1;
        }
    }

    fn is_counted(&self, row: &UrlRow) -> bool {
        match self.scope.budget_counts {
            BudgetCounts::All => row.task.is_counted(),
            BudgetCounts::Pages => row.task == Task::Page,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{LimitInput, ScopeInput};

    fn row(task: Task) -> UrlRow {
        UrlRow { task, ..UrlRow::sample(1, "http://a/") }
    }

    fn budget(session: u64, scope: ScopeInput) -> Budget {
        let limits = LimitInput { session_budget: Some(session), ..Default::default() };
        Budget::new(&limits.into(), &scope.into(), 1)
    }

    #[test]
    fn a_session_budget_grants_exactly_that_many_and_guides_are_free() {
        let mut budget = budget(2, ScopeInput::default());
        assert_eq!(budget.reserve(&row(Task::Sitemap)), Reservation::Granted);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        assert_eq!(budget.reserve(&row(Task::Resource)), Reservation::Granted);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Wait, "a place may still come back");
        budget.settle(&row(Task::Page), true, true);
        budget.settle(&row(Task::Resource), true, false);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::SessionSpent);
    }

    #[test]
    fn unfetched_urls_return_their_place() {
        let mut budget = budget(0, ScopeInput { max_urls: Some(1), ..Default::default() });
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        budget.settle(&row(Task::Page), false, false);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        budget.settle(&row(Task::Page), true, true);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Refused(Refusal::MaxUrls));
    }

    #[test]
    fn duplicates_and_failures_do_not_count_toward_the_page_limit() {
        let mut budget = budget(0, ScopeInput { page_limit: Some(1), ..Default::default() });
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Wait);
        assert_eq!(budget.reserve(&row(Task::Resource)), Reservation::Granted);
        budget.settle(&row(Task::Page), true, false);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        budget.settle(&row(Task::Page), true, true);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Refused(Refusal::PageLimit));
    }

    #[test]
    fn each_host_has_its_own_budget() {
        let mut budget = budget(0, ScopeInput { urls_per_host: Some(1), ..Default::default() });
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        budget.settle(&row(Task::Page), false, false);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted, "nothing was fetched");
        budget.settle(&row(Task::Page), true, true);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Refused(Refusal::HostBudget));
    }

    #[test]
    fn bytes_of_earlier_sessions_count() {
        let mut budget = budget(0, ScopeInput { max_bytes: Some(10), ..Default::default() });
        budget.count_bytes(9);
        assert!(!budget.are_bytes_spent(0));
        assert!(budget.are_bytes_spent(1));
        budget.count_bytes(1);
        assert!(budget.are_bytes_spent(0));
    }

    #[test]
    fn a_budget_of_pages_leaves_resources_free() {
        let mut budget = budget(1, ScopeInput { budget_counts: Some(BudgetCounts::Pages), ..Default::default() });
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Granted);
        assert_eq!(budget.reserve(&row(Task::Resource)), Reservation::Granted);
        assert_eq!(budget.reserve(&row(Task::Page)), Reservation::Wait);
    }
}
