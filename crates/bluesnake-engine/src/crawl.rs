//! START HERE: a crawl, from its first URL to its receipt.
//!
//! [`journey`] is the whole crawl in one function, for audits, captures and weaves. Only this task decides; workers
//! fetch and parse. Shared by all three jobs and defined here: frontier, worker pool, waits, and how a crawl ends.
//! What differs is in their [`Books`]: `site.rs` numbers URLs in turn order, `weave/books.rs` numbers hosts level by
//! level. ARCHITECTURE.md has the glossary.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::commit::{Writer, Writes};
use crate::crawler::Hooks;
use crate::error::CrawlError;
use crate::event::{EndReason, Event, Finished, Progress};
use crate::fetch::{Failure, Hold};
use crate::frontier::{Frontier, HostNews, Next, Signal, Wait, WaitReason};
use crate::plan::CrawlPlan;
use crate::receipt::Receipt;
use crate::visit::Visit;
use crate::worker::{LeaseResult, Pool, Report, Workbench};

/// How often to check whether in-flight requests are held up.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Crawls until every URL has had its turn, a budget is spent, or the caller stops it. Reports the end exactly once.
pub(crate) async fn crawl<B: Books>(mut crawl: Crawl<B>, stop: CancellationToken) -> Result<Finished, CrawlError> {
    let journey = journey(&mut crawl, stop).await;
    crawl.finish(journey)
}

/// The whole journey, from the seeds to the end.
async fn journey<B: Books>(crawl: &mut Crawl<B>, stop: CancellationToken) -> Result<EndReason, CrawlError> {
    crawl.given_up = crawl.books.begin(&stop).await?; // the seeds, or what an earlier session left
    let reason = loop {
        crawl.take_turns().await?; // URLs whose turn has come go to the frontier, as far as window and budgets allow
        crawl.dispatch(); // the frontier's leases go to idle workers
        crawl.books.commit(); // visits that arrived are committed; what they mention is queued
        crawl.write().await?; // what changed goes to the store, in batches
        if let Some(reason) = crawl.ended().await? {
            break reason;
        }
        crawl.wait(&stop).await?; // for a visit, for a host's next moment, for the end
    };
    crawl.wind_down(&reason).await?; // requests under way get their grace period
    Ok(reason)
}

/// The bookkeeping of a crawl: which URLs come next, what visits change, what is stored, and when the crawl ends.
pub(crate) trait Books: Send {
    /// What the store writes in one transaction.
    type Batch: Writes;

    /// Adds the seeds, or loads the state an earlier session left. Returns a reason if the crawl must end at once.
    fn begin(&mut self, stop: &CancellationToken)
    -> impl Future<Output = Result<Option<EndReason>, CrawlError>> + Send;

    /// Passes URLs whose turn has come to the frontier.
    fn take_turns(&mut self, frontier: &mut Frontier) -> impl Future<Output = Result<(), CrawlError>> + Send;

    /// Whether the run may download more bytes.
    fn may_request(&self) -> bool {
        true
    }

    /// Bytes held by visits waiting to be committed or stored.
    fn held_bytes(&self) -> usize;

    /// Accepts a final visit.
    fn accept(&mut self, visit: Box<Visit>, frontier: &mut Frontier);

    /// Commits pending visits, up to one batch.
    fn commit(&mut self) {}

    /// Whether a visit can be committed.
    fn can_commit(&self) -> bool {
        false
    }

    /// Whether there is work to do even though no request is in flight and no host is due to wake.
    fn has_more(&self) -> bool;

    /// Why the crawl is over, if it is.
    fn ended(&mut self) -> impl Future<Output = Result<Option<EndReason>, CrawlError>> + Send;

    /// Decides about failures held back while the network may be down: a few are recorded, many stay pending.
    fn believe_doubted(&mut self);

    /// Stores whatever is left after the last visit.
    fn close(&mut self) -> impl Future<Output = Result<(), CrawlError>> + Send;

    fn writer(&mut self) -> &mut Writer<Self::Batch>;

    /// Current figures, without requests and waits.
    fn figures(&self) -> Progress;

    fn receipt(&self) -> Receipt;
}

/// The state of a crawl: the books decide what to fetch, the frontier when, and the pool fetches it.
pub(crate) struct Crawl<B> {
    plan: Arc<CrawlPlan>,
    hooks: Hooks,
    bench: Arc<Workbench>,
    books: B,
    frontier: Frontier,
    pool: Pool,
    given_up: Option<EndReason>,
    /// The local resource that ran out, if requests cannot be made.
    shortage: Option<Failure>,
    /// When the frontier next has something to do.
    wake_at: Option<Instant>,
    waiting: Option<Wait>,
    started: Instant,
    watch: watch::Sender<Progress>,
    events: broadcast::Sender<Event>,
}

impl<B: Books> Crawl<B> {
    pub(crate) fn new(
        books: B,
        bench: Arc<Workbench>,
        frontier: Frontier,
        watch: watch::Sender<Progress>,
        events: broadcast::Sender<Event>,
    ) -> Self {
        Self {
            plan: Arc::clone(&bench.plan),
            hooks: bench.hooks.clone(),
            pool: Pool::new(bench.plan.politeness.parallelism, Arc::clone(&bench)),
            bench,
            books,
            frontier,
            given_up: None,
            shortage: None,
            wake_at: None,
            waiting: None,
            started: Instant::now(),
            watch,
            events,
        }
    }

    /// Passes URLs to the frontier, unless the crawl is about to end.
    async fn take_turns(&mut self) -> Result<(), CrawlError> {
        if self.goes_on() { self.books.take_turns(&mut self.frontier).await } else { Ok(()) }
    }

    /// Whether new requests are still started.
    fn goes_on(&self) -> bool {
        self.given_up.is_none() && self.shortage.is_none() && self.books.may_request()
    }

    /// Limits the bytes held by visits waiting for their turn or for the store. Over the limit, requests go out one
    /// at a time, earliest turn first.
    fn has_room(&self) -> bool {
        self.books.held_bytes() < self.plan.memory.window_bytes || self.frontier.under_way() == 0
    }

    /// Assigns leases to idle workers.
    fn dispatch(&mut self) {
        (self.wake_at, self.waiting) = (None, None);
        let now = Instant::now();
        while self.pool.has_idle() && self.goes_on() && self.has_room() {
            match self.frontier.next(now) {
                Next::Lease(lease) => self.pool.hand_out(lease),
                Next::Visit(visit) => self.books.accept(visit, &mut self.frontier),
                Next::WaitUntil(wait) => {
                    self.wake_at = Some(wait.until);
                    self.waiting = Some(wait);
                    break;
                }
                Next::WaitForVisits | Next::Empty => break,
            }
            self.report_news();
        }
        if self.pool.has_idle() && self.goes_on() && !self.has_room() {
            self.waiting = Some(Wait::within(WaitReason::Window, now));
        }
    }

    /// Handles a worker's report.
    fn receive(&mut self, report: Report) {
        let now = Instant::now();
        self.pool.is_idle_again(report.worker);
        match report.result {
            LeaseResult::Rules(response) => self.frontier.rules_arrived(&report.lease, response, now),
            LeaseResult::Visit(visit, signal) if Frontier::is_worth_another(&signal) => {
                if self.frontier.again(report.lease, visit.attempts, &signal, now) {
                    self.books.accept(visit, &mut self.frontier);
                }
            }
            LeaseResult::Visit(visit, signal) => {
                self.frontier.done(&report.lease, &signal, now);
                self.books.accept(visit, &mut self.frontier);
            }
            // The URL stays pending; the host is not to blame.
            LeaseResult::Shortage(failure) => {
                self.frontier.done(&report.lease, &Signal::Fine { rest: None }, now);
                self.shortage.get_or_insert(failure);
            }
        }
        self.report_news();
    }

    /// Publishes progress, and sends the batch if it is full or old enough.
    async fn write(&mut self) -> Result<(), CrawlError> {
        self.publish_progress();
        Ok(self.books.writer().send_what_is_due().await?)
    }

    /// Why the crawl is over, if it is.
    async fn ended(&mut self) -> Result<Option<EndReason>, CrawlError> {
        if let Some(failure) = self.shortage.clone() {
            self.wind_down(&EndReason::Stopped).await?;
            return Err(CrawlError::Shortage(failure));
        }
        match self.given_up.take() {
            Some(reason) => Ok(Some(reason)),
            None => self.books.ended().await,
        }
    }

    /// Waits for the next event and handles it.
    async fn wait(&mut self, stop: &CancellationToken) -> Result<(), CrawlError> {
        // A commit may have made room for URLs that had to wait; if so, do not wait.
        let is_idle = self.frontier.under_way() == 0 && self.wake_at.is_none();
        if (is_idle && self.books.has_more()) || self.books.can_commit() {
            if stop.is_cancelled() {
                self.given_up = Some(EndReason::Stopped);
            }
        } else {
            let look_again = (self.frontier.under_way() > 0).then(|| Instant::now() + LOOK_AGAIN);
            let wake_at = [self.wake_at, self.books.writer().due(), self.deadline(), look_again];
            let wake_at = wake_at.into_iter().flatten().min();
            tokio::select! {
                biased;
                () = stop.cancelled() => self.given_up = Some(EndReason::Stopped),
                Some(report) = self.pool.reports.recv() => self.receive_all(report),
                error = self.books.writer().failure() => return Err(error.into()),
                () = sleep_until(wake_at) => {}
            }
        }
        if self.deadline().is_some_and(|deadline| Instant::now() >= deadline) {
            self.given_up.get_or_insert(EndReason::TimeSpent);
        }
        Ok(())
    }

    fn receive_all(&mut self, report: Report) {
        self.receive(report);
        while let Ok(report) = self.pool.reports.try_recv() {
            self.receive(report);
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let limit = self.plan.limits.max_seconds;
        (limit > 0).then(|| self.started + Duration::from_secs(limit))
    }

    /// Gives in-flight requests a grace period to finish and commits what it can. The rest stays pending.
    async fn wind_down(&mut self, reason: &EndReason) -> Result<(), CrawlError> {
        let deadline = Instant::now() + self.plan.grace();
        let is_network_known = !matches!(reason, EndReason::HostGivenUp { .. });
        if is_network_known {
            self.books.believe_doubted();
        }
        // Killing the process during the grace period must not lose anything already committed.
        self.books.writer().send().await?;
        while self.frontier.under_way() > 0 {
            let report = tokio::select! {
                report = self.pool.reports.recv() => report,
                () = sleep_until(Some(deadline)) => None,
            };
            let Some(report) = report else { break };
            self.receive(report);
            self.books.commit();
            self.write().await?;
        }
        if is_network_known {
            self.books.believe_doubted();
        }
        // Visits that arrived but cannot be committed in time are fetched again next session.
        while self.books.can_commit() && Instant::now() < deadline {
            self.books.commit();
            self.books.writer().send().await?;
        }
        self.pool.shut_down().await;
        self.books.close().await
    }

    fn finish(mut self, journey: Result<EndReason, CrawlError>) -> Result<Finished, CrawlError> {
        self.publish_progress();
        let finished = Finished {
            reason: journey.as_ref().map_or_else(|error| EndReason::BrokenOff(error.to_string()), EndReason::clone),
            receipt: self.books.receipt(),
            progress: self.watch.borrow().clone(),
            elapsed: self.started.elapsed(),
        };
        self.hooks.completed(&finished);
        let _ = self.events.send(Event::Finished(Arc::new(finished.clone())));
        journey.map(|_| finished)
    }

    fn report_news(&mut self) {
        for news in self.frontier.take_news() {
            tracing::warn!(?news, "a host is in trouble");
            if let HostNews::GivenUp { host, why, pauses_run: true } = &news {
                self.given_up.get_or_insert(EndReason::HostGivenUp { host: host.clone(), why: why.clone() });
            }
            self.hooks.host(&news);
            let _ = self.events.send(Event::Host(news));
        }
    }

    fn publish_progress(&mut self) {
        let in_flight = self.frontier.under_way();
        if self.waiting.is_none()
            && let Some(hold) = self.bench.fetcher.held_up(in_flight)
        {
            let reason = match hold {
                Hold::Connections => WaitReason::Connections,
                Hold::Sockets => WaitReason::Sockets,
            };
            self.waiting = Some(Wait::within(reason, Instant::now()));
        }
        self.watch.send_replace(Progress { in_flight, waiting: self.waiting.clone(), ..self.books.figures() });
    }
}

async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}
