//! Audits in memory, of runs that have none stored: those in progress or paused, captures, and old runs.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use bluesnake_audit::{Finding, Findings};
use bluesnake_engine::plan::AuditSettings;
use bluesnake_store::state::RunState;
use bluesnake_store::{AuditRow, Database, DatabaseError, FindingRow, IssueCount, IssueRow, RunCounts, Window};
use tokio::sync::Semaphore;

use super::keep::{full_name, not_checked, shared};
use super::{Audited, make, settings_of};
use crate::app::{App, outliving};
use crate::error::AppError;

/// How many audits are kept, and how many are made at a time.
const KEPT: usize = 2;
/// Runs with more URLs are audited again only when they have grown by a sixteenth: a page that polls would otherwise
/// audit them all the time.
const ALWAYS_EXACT: i64 = 10_000;
/// How many examples a check has.
const EXAMPLES: usize = 3;

/// The audits kept in memory.
#[derive(Debug)]
pub(crate) struct LiveAudits {
    /// By run, the last used at the end.
    slots: Mutex<Vec<(i64, Slot)>>,
    places: Arc<Semaphore>,
    #[cfg(test)]
    made: std::sync::atomic::AtomicUsize,
}

/// The audit of a run. Locked while it is made, so that it is made once.
type Slot = Arc<tokio::sync::Mutex<Option<Arc<LiveAudit>>>>;

impl Default for LiveAudits {
    fn default() -> Self {
        Self {
            slots: Mutex::default(),
            places: Arc::new(Semaphore::new(KEPT)),
            #[cfg(test)]
            made: std::sync::atomic::AtomicUsize::new(0),
        }
    }
}

impl LiveAudits {
    /// The slot of a run. Makes room by dropping the audits used least recently, but none that is being made.
    fn slot(&self, run: i64) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let known = slots.iter().position(|(known, _)| *known == run).map(|at| slots.remove(at).1);
        while slots.len() >= KEPT {
            let Some(idle) = slots.iter().position(|(_, slot)| Arc::strong_count(slot) == 1) else { break };
            slots.remove(idle);
        }
        let slot = known.unwrap_or_default();
        slots.push((run, Arc::clone(&slot)));
        slot
    }

    fn forget(&self, run: i64) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| *known != run);
    }
}

/// An audit in memory.
#[derive(Debug)]
pub(crate) struct LiveAudit {
    run: i64,
    /// The state and the counts of the run before it was made.
    was: (RunState, RunCounts),
    audited: Audited,
}

impl App {
    /// The audit of a run that has none stored; `None` if it has one.
    pub(crate) async fn live_audit(&self, run: i64) -> Result<Option<Arc<LiveAudit>>, AppError> {
        if self.contents().audit(run).await?.is_some() {
            self.live_audits().forget(run);
            return Ok(None);
        }
        let head = self.catalog().run_head(run).await?;
        let mut slot = self.live_audits().slot(run).lock_owned().await;
        let now = (head.state, self.catalog().counts(run, self.live_pending(head.project, run)).await?);
        if let Some(known) = slot.as_ref().filter(|known| known.is_good_enough(now)) {
            return Ok(Some(Arc::clone(known)));
        }
        // Two audits of a large run would take twice the memory.
        *slot = None;
        let row = self.catalog().run(run).await?;
        let (is_completed, settings) = (head.state == RunState::Completed, settings_of(&row, Default::default())?);
        let app = self.clone();
        // Reading the run cannot be interrupted, so the result is kept even if the caller stops waiting.
        outliving(async move {
            let _place = app.live_audits().places.acquire().await;
            let audited = make(app.database().clone(), run, is_completed, settings).await?;
            #[cfg(test)]
            app.live_audits().made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let made = Arc::new(LiveAudit { run, was: now, audited });
            *slot = Some(Arc::clone(&made));
            Ok(Some(made))
        })
        .await
    }
}

impl LiveAudit {
    fn is_good_enough(&self, now: (RunState, RunCounts)) -> bool {
        let work = |counts: RunCounts| counts.seen + counts.visited;
        let (then, now_done) = (work(self.was.1), work(now.1));
        let is_hardly_older = now.0 == RunState::InProgress && self.was.0 == now.0 && then > ALWAYS_EXACT;
        self.was == now || (is_hardly_older && now_done - then < then / 16)
    }

    /// The settings it was made with.
    pub(crate) fn settings(&self) -> &AuditSettings {
        &self.audited.settings
    }

    /// The numbers of the URLs that a check found, ascending.
    pub(crate) fn numbers(&self, check: &str) -> Arc<[u32]> {
        let mut numbers: Vec<u32> = self.findings_of(check).map(|finding| finding.number).collect();
        numbers.dedup();
        numbers.into()
    }

    /// The documents that link to a URL.
    pub(crate) fn sources(&self, number: u32) -> Vec<u32> {
        self.audited.report.inlinks.of(number).to_vec()
    }

    /// What was found on one URL: ids of checks, and details.
    pub(crate) fn issues_of(&self, number: u32) -> Vec<(String, Option<String>)> {
        let mut issues = Vec::new();
        for found in &self.audited.report.checks {
            let findings = found.findings.iter().skip_while(|finding| finding.number < number);
            let own = findings.take_while(|finding| finding.number == number);
            issues.extend(own.map(|finding| (found.check.id.to_owned(), detail(finding))));
        }
        issues
    }

    /// A window of the findings of a check, without their URLs.
    pub(crate) fn findings(&self, check: &str, offset: u64, limit: usize) -> Window<FindingRow> {
        let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
        let items = self.findings_of(check).skip(skipped).take(limit).map(without_url).collect();
        let total = self.found_by(check).map_or(0, |found| found.findings.len() as u64);
        Window { total, offset, version: self.audited.urls.into(), items }
    }

    /// The audit as it would be stored, without the URLs of examples.
    pub(crate) fn counts(&self) -> (AuditRow, Vec<IssueCount>) {
        let Audited { urls, is_completed, settings, report } = &self.audited;
        let row = AuditRow {
            id: 0,
            urls: (*urls).into(),
            pages: report.pages.into(),
            settings: serde_json::to_string(settings).expect("settings are JSON"),
            is_completed: *is_completed,
        };
        let count = |found: &Findings| IssueCount {
            check_id: found.check.id.to_owned(),
            name: full_name(found.check, settings),
            kind: found.check.kind.as_str().to_owned(),
            priority: found.check.priority.as_str().to_owned(),
            findings: found.findings.len() as u64,
            urls: found.findings.urls() as u64,
            not_checked: not_checked(found.verdict).map(str::to_owned),
            shared: shared(&found.shared),
            examples: found.findings.iter().take(EXAMPLES).map(without_url).collect(),
        };
        (row, report.checks.iter().map(count).collect())
    }

    /// Reads the table of issues as a stored audit has it, on this thread.
    pub(crate) fn scan(
        &self,
        database: &Database,
        mut each: impl FnMut(&IssueRow<'_>) -> ControlFlow<()>,
    ) -> Result<(), DatabaseError> {
        let (_, mut counts) = self.counts();
        counts.sort_by(|one, other| one.check_id.cmp(&other.check_id));
        for count in &counts {
            let findings = self.findings_of(&count.check_id).map(|finding| (finding.number, finding.detail));
            if database.contents().show_issues(self.run, count, findings, &mut each)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn findings_of(&self, check: &str) -> impl Iterator<Item = Finding<'_>> {
        self.found_by(check).into_iter().flat_map(|found| found.findings.iter())
    }

    fn found_by(&self, check: &str) -> Option<&Findings> {
        self.audited.report.checks.iter().find(|found| found.check.id == check)
    }
}

fn without_url(finding: Finding<'_>) -> FindingRow {
    FindingRow { number: finding.number, url: String::new(), detail: detail(finding) }
}

fn detail(finding: Finding<'_>) -> Option<String> {
    finding.detail.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::{AppOptions, AuditRequest, Caller};

    /// A paused run of a site of five pages.
    async fn paused(app: &App, site: &testsite::Running) -> i64 {
        let mut request = AuditRequest { urls: vec![site.url("/")], ..AuditRequest::default() };
        request.settings.politeness.rate = Some(0.0);
        request.settings.limits.session_budget = Some(2);
        app.start(request, Caller::operator()).await.unwrap().wait().await.run.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_audit_is_made_once_even_if_its_first_caller_leaves() {
        let site = testsite::scenarios::high_fan_out(5).start().await;
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let run = paused(&app, &site).await;
        // It cannot be made before the first caller has left.
        let places = app.live_audits().places.clone().acquire_many_owned(KEPT as u32).await.unwrap();
        let mut callers = tokio::task::JoinSet::new();
        let caller = app.clone();
        callers.spawn(async move { caller.live_audit(run).await.map(drop) });
        let slot = app.live_audits().slot(run);
        while slot.try_lock().is_ok() {
            tokio::task::yield_now().await;
        }
        callers.shutdown().await;
        drop((places, slot));
        let found = app.live_audit(run).await.unwrap().expect("it has no stored audit");
        assert_eq!(app.live_audits().made.load(Ordering::Relaxed), 1);
        assert_eq!(found.run, run);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn runs_do_not_wait_for_each_other() {
        let site = testsite::scenarios::high_fan_out(5).start().await;
        let folder = tempfile::tempdir().unwrap();
        let app = App::open(AppOptions::new(folder.path().join("bluesnake.db"))).await.unwrap();
        let (first, second) = (paused(&app, &site).await, paused(&app, &site).await);
        let _being_made = app.live_audits().slot(first).lock_owned().await;
        assert!(app.live_audit(second).await.unwrap().is_some());
    }
}
