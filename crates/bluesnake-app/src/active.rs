//! What is being crawled now, by this process and by others on the same database.

use bluesnake_store::state::{CrawlState, RunState};
use bluesnake_store::{CrawlRow, RunCounts, RunRow};

use crate::error::AppError;
use crate::running::App;
use crate::snapshot::{Phase, Snapshot};
use crate::view::ActiveCrawl;

impl App {
    /// Every crawl that runs now: those of this process as they are, those of others as the database knows them.
    pub async fn active_everywhere(&self) -> Result<Vec<ActiveCrawl>, AppError> {
        let mut active: Vec<ActiveCrawl> = self
            .active_crawls()
            .iter()
            .map(|handle| ActiveCrawl::of(handle.project(), handle.snapshots().borrow().clone(), true))
            .collect();
        active.extend(self.active_elsewhere().await?);
        active.sort_by_key(|crawl| crawl.project_id);
        Ok(active)
    }

    /// The crawls of other processes. Their figures are as old as their last commit. Nothing is changed, also not the state
    /// of a run whose program is gone; [`App::take_in_crashed`] does that.
    pub async fn active_elsewhere(&self) -> Result<Vec<ActiveCrawl>, AppError> {
        let database = self.database();
        let mut elsewhere = Vec::new();
        for run in database.runs_in_progress().await? {
            if self.active_crawl(run.project).is_some() || !database.is_owned(run.project)? {
                continue;
            }
            let crawls = database.crawls(run.id).await?;
            if let Some(crawl) = crawls.last().filter(|crawl| crawl.state == CrawlState::InProgress) {
                let project = database.project(run.project).await?;
                let counts = database.counts(run.id, None).await?;
                elsewhere.push(ActiveCrawl::of(&project, stored_figures(&run, crawl, counts), false));
            }
        }
        Ok(elsewhere)
    }

    /// Runs whose program is gone become paused, so that they are shown as what they are and can be resumed.
    pub async fn take_in_crashed(&self) -> Result<(), AppError> {
        self.database().reconcile().await?;
        Ok(())
    }
}

fn stored_figures(run: &RunRow, crawl: &CrawlRow, counts: RunCounts) -> Snapshot {
    let seconds = crawl.duration_ms as f64 / 1000.0;
    Snapshot {
        phase: match run.state {
            // Its process may have others to crawl first.
            RunState::InProgress if counts.seen == 0 => Phase::Queued,
            RunState::InProgress => Phase::Crawling,
            _ => Phase::Ended,
        },
        run_id: Some(run.id),
        crawl_id: Some(crawl.id),
        elapsed_ms: crawl.duration_ms as u64,
        seen: counts.seen as u64,
        pending: counts.pending as u64,
        visits: crawl.visits as u64,
        pages: crawl.pages as u64,
        failed: crawl.failed as u64,
        bytes: crawl.bytes as u64,
        rate: if seconds > 0.0 { crawl.visits as f64 / seconds } else { 0.0 },
        ..Snapshot::default()
    }
}
