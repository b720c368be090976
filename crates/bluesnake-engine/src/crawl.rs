//! START HERE: a crawl, from its first URL to its receipt.
//!
//! [`journey`] is the whole of it in one function. URLs are fetched out of order and committed in order: a URL gets its
//! number when the visit that mentions it is committed, so numbers are a function of the site and the plan, never of
//! timing. Only this task decides; workers fetch and read. See ARCHITECTURE.md for the words.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::admit::UrlRow;
use crate::backlog::Backlog;
use crate::commit::Writer;
use crate::crawler::Hooks;
use crate::error::CrawlError;
use crate::event::{EndReason, Event, Finished, Progress};
use crate::fetch::{Failure, Fetcher, Hold};
use crate::frontier::{Frontier, HostNews, Next, Paces, RetryPolicy, Signal, Wait, WaitReason};
use crate::ledger::{Admitted, Changes, Classifier, Ledger, Turned};
use crate::plan::{CrawlPlan, Mechanisms};
use crate::receipt::{Disposition, Number, Receipt, Turn};
use crate::store::{LateLinks, Store, StoreError};
use crate::visit::{Committed, Outcome, Visit};
use crate::worker::{Desk, LeaseResult, Packing, Pool, Report, Workbench};

/// How many leaves may be under way or waiting for their hosts; they are small, and they hold nothing up.
const LEAVES: usize = 10_000;
/// How many URLs are refused in their turns before anything else gets its chance, such as a stop.
const REFUSED_AT_ONCE: usize = 1_000;
/// How soon to see again whether requests under way are held up.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// How old a batch may grow before it is written.
const BATCH_AGE: Duration = Duration::from_millis(25);

/// Crawls until every URL has had its turn, a budget is spent, or somebody stops it. The end is told exactly once.
pub(crate) async fn crawl(mut crawl: Crawl, stop: CancellationToken) -> Result<Finished, CrawlError> {
    let journey = journey(&mut crawl, stop).await;
    crawl.finish(journey)
}

/// The whole journey, from the seeds to the end.
async fn journey(crawl: &mut Crawl, stop: CancellationToken) -> Result<EndReason, CrawlError> {
    crawl.begin(&stop).await?; // the seeds, or what an earlier session left
    let reason = loop {
        crawl.take_turns().await?; // URLs whose turn has come go to the frontier, as far as window and budgets allow
        crawl.dispatch(); // the frontier's leases go to idle workers
        crawl.commit(); // visits that arrived are committed in the order of their turns; what they mention is queued
        crawl.write().await?; // what changed goes to the store, in batches
        if let Some(reason) = crawl.ended().await? {
            break reason;
        }
        crawl.wait(&stop).await?; // for a visit, for a host's next moment, for the end
    };
    crawl.wind_down().await?; // requests under way get their grace period
    Ok(reason)
}

/// The state of a crawl: the ledger decides, the frontier knows when, the pool fetches, the writer stores.
pub(crate) struct Crawl {
    plan: Arc<CrawlPlan>,
    hooks: Hooks,
    store: Arc<dyn Store>,
    bench: Arc<Workbench>,
    ledger: Ledger,
    backlog: Backlog,
    frontier: Frontier,
    pool: Pool,
    writer: Writer,
    /// Turns under way that are committed in order, and the visits of theirs that have arrived.
    order: VecDeque<Turn>,
    arrived: HashMap<Turn, Box<Visit>>,
    arrived_bytes: usize,
    /// Bytes that these visits have brought over the wire and that the ledger does not know of yet.
    arrived_wire_bytes: u64,
    is_ordered: bool,
    leaves_under_way: usize,
    has_deferred: bool,
    /// Whether the ledger knows everything that earlier sessions stored.
    is_loaded: bool,
    is_budget_spent: bool,
    given_up: Option<EndReason>,
    /// What this machine lacks to make requests.
    shortage: Option<Failure>,
    /// When the frontier has something to do again.
    wake_at: Option<Instant>,
    batch_since: Option<Instant>,
    started: Instant,
    progress: Progress,
    watch: watch::Sender<Progress>,
    events: broadcast::Sender<Event>,
}

/// What a crawl is made of.
pub(crate) struct Parts {
    pub(crate) plan: Arc<CrawlPlan>,
    pub(crate) hooks: Hooks,
    pub(crate) classify: Classifier,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) paces: Paces,
    pub(crate) is_ordered: bool,
    pub(crate) watch: watch::Sender<Progress>,
    pub(crate) events: broadcast::Sender<Event>,
}

impl Crawl {
    pub(crate) fn new(parts: Parts) -> Result<Self, CrawlError> {
        let Parts { plan, hooks, classify, store, paces, is_ordered, watch, events } = parts;
        let ledger = Ledger::new(Arc::clone(&plan), classify);
        let per_address = plan.politeness.per_address(plan.politeness.per_host());
        let fetcher = Fetcher::new(&plan.fetch, ledger.origins().map(str::to_owned))?
            .per_address(per_address)
            .with_space_for_bodies(plan.memory.window_bytes);
        let packing = Arc::new(Packing {
            store: Arc::clone(&store),
            has_listeners: hooks.want_visits(),
            may_put_off: plan.discover.mechanisms == Mechanisms::SitemapThenSpider,
        });
        let bench = Arc::new(Workbench {
            desk: Desk::new(plan.memory.window_bytes),
            plan: Arc::clone(&plan),
            fetcher,
            hooks: hooks.clone(),
            packing: Some(packing),
        });
        let retries = RetryPolicy::of(&plan.fetch);
        Ok(Self {
            ledger,
            backlog: Backlog::new(plan.memory.backlog_urls),
            frontier: Frontier::new(plan.politeness.clone(), retries, paces),
            pool: Pool::new(plan.politeness.parallelism, Arc::clone(&bench)),
            writer: Writer::new(Arc::clone(&store)),
            order: VecDeque::new(),
            arrived: HashMap::new(),
            arrived_bytes: 0,
            arrived_wire_bytes: 0,
            is_ordered,
            leaves_under_way: 0,
            has_deferred: false,
            is_loaded: true,
            is_budget_spent: false,
            given_up: None,
            shortage: None,
            wake_at: None,
            batch_since: None,
            started: Instant::now(),
            progress: Progress::default(),
            plan,
            hooks,
            store,
            bench,
            watch,
            events,
        })
    }

    /// Numbers the seeds, or takes over what an earlier session left.
    async fn begin(&mut self, stop: &CancellationToken) -> Result<(), CrawlError> {
        const CHUNK: usize = 10_000;
        let mut last = Number(0);
        loop {
            let stored = self.store.load(last, CHUNK).await?;
            if stop.is_cancelled() && !stored.is_empty() {
                (self.given_up, self.is_loaded) = (Some(EndReason::Stopped), false);
                return Ok(());
            }
            for url in &stored {
                if url.row.base as usize >= self.plan.seeds.len() {
                    return Err(StoreError::new("the store holds a crawl of another plan").into());
                }
                self.ledger.restore(url);
                last = url.row.number;
            }
            if stored.len() < CHUNK {
                break;
            }
        }
        if last == Number(0) {
            let changes = self.ledger.begin();
            self.apply(changes);
        } else {
            self.ledger.restored();
            self.backlog = Backlog::all_stored(self.plan.memory.backlog_urls);
            self.has_deferred = true;
            for origin in self.ledger.origins() {
                self.bench.fetcher.own_host(origin);
            }
        }
        Ok(())
    }

    /// Hands URLs to the frontier in the order of their turns.
    async fn take_turns(&mut self) -> Result<(), CrawlError> {
        self.is_budget_spent = false;
        if !self.goes_on() {
            return Ok(());
        }
        let mut refused = 0;
        while refused < REFUSED_AT_ONCE {
            if let Some(after) = self.backlog.to_read() {
                self.writer.flush().await?;
                let rows = self.store.pending(after, self.backlog.capacity()).await?;
                self.backlog.refill(rows);
            }
            if !self.backlog.first().is_some_and(|row| self.has_room_for(row)) {
                return Ok(());
            }
            let row = self.backlog.take_first().expect("there is a first row");
            match self.ledger.take_turn(row) {
                Turned::Admitted(admitted) => self.lease_out(admitted),
                Turned::Ended(number, reason) => {
                    self.writer.batch().settled.push((number, reason));
                    refused += 1;
                    if self.writer.is_full() {
                        self.writer.send().await?;
                    }
                }
                Turned::Waits(row) => {
                    self.backlog.put_back(row);
                    return Ok(());
                }
                Turned::SessionSpent(row) => {
                    self.backlog.put_back(row);
                    self.is_budget_spent = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Whether requests are still begun.
    fn goes_on(&self) -> bool {
        self.given_up.is_none() && self.shortage.is_none() && !self.are_bytes_spent()
    }

    /// Leases may run ahead of the commits by a window of visits.
    fn has_room_for(&self, row: &UrlRow) -> bool {
        if row.task.is_leaf() {
            return self.leaves_under_way < LEAVES;
        }
        self.order.len() < self.plan.window()
    }

    /// Visits that wait for their turn or for the store may hold so many bytes; beyond them one request at a time goes
    /// out, the earliest first.
    fn has_room_for_bytes(&self) -> bool {
        let held = self.arrived_bytes + self.writer.held_bytes();
        held < self.plan.memory.window_bytes || self.frontier.under_way() == 0
    }

    fn lease_out(&mut self, admitted: Admitted) {
        if admitted.row().task.is_leaf() {
            self.leaves_under_way += 1;
        } else {
            self.order.push_back(admitted.turn());
        }
        let is_seed_host = self.ledger.is_seed_host(&admitted.row().url);
        self.frontier.push(admitted, is_seed_host);
    }

    /// Hands leases to idle workers.
    fn dispatch(&mut self) {
        self.wake_at = None;
        self.progress.waiting = None;
        let now = Instant::now();
        while self.pool.has_idle() && self.goes_on() && self.has_room_for_bytes() {
            match self.frontier.next(now) {
                Next::Lease(lease) => self.pool.hand_out(lease),
                Next::Visit(visit) => self.accept(visit),
                Next::WaitUntil(wait) => {
                    self.wake_at = Some(wait.until);
                    self.progress.waiting = Some(wait);
                    break;
                }
                Next::WaitForVisits | Next::Empty => break,
            }
            self.report_news();
        }
        if self.pool.has_idle() && self.goes_on() && !self.has_room_for_bytes() {
            self.progress.waiting = Some(Wait::within(WaitReason::Window, now));
        }
    }

    /// Takes what a worker brought.
    fn receive(&mut self, report: Report) {
        let now = Instant::now();
        self.pool.is_idle_again(report.worker);
        match report.result {
            LeaseResult::Rules(response) => self.frontier.rules_arrived(&report.lease, response, now),
            LeaseResult::Visit(visit, signal) if Frontier::is_worth_another(&signal) => {
                if self.frontier.again(report.lease, visit.attempts, &signal, now).is_some() {
                    self.accept(visit);
                }
            }
            LeaseResult::Visit(visit, signal) => {
                self.frontier.done(&report.lease, &signal, now);
                self.accept(visit);
            }
            // The URL stays pending, and its host is not to blame.
            LeaseResult::Shortage(failure) => {
                self.frontier.done(&report.lease, &Signal::Fine { rest: None }, now);
                self.shortage.get_or_insert(failure);
            }
        }
        self.report_news();
    }

    /// A visit is there. Leaves are committed at once, others when their turn comes.
    fn accept(&mut self, visit: Box<Visit>) {
        if visit.row.task.is_leaf() {
            self.leaves_under_way -= 1;
            let (committed, changes) = self.ledger.commit_leaf(visit);
            self.apply(changes);
            self.record(committed);
        } else {
            let turn = visit.row.turn.expect("a visit has a turn");
            if !self.is_ordered {
                let place = self.order.iter().position(|waiting| *waiting == turn).expect("it was leased out");
                self.order.remove(place);
                self.order.push_front(turn);
            }
            self.arrived_bytes += visit.weight();
            self.arrived_wire_bytes += visit.wire_bytes();
            self.arrived.insert(turn, visit);
        }
    }

    /// Commits the visits whose turn has come, as many as make a batch: one visit can name fifty thousand URLs.
    fn commit(&mut self) {
        while let Some(turn) = self.order.front().filter(|_| !self.writer.is_full()) {
            let Some(visit) = self.arrived.remove(turn) else { break };
            self.order.pop_front();
            self.arrived_bytes -= visit.weight();
            self.arrived_wire_bytes -= visit.wire_bytes();
            if let Some(reason) = self.ledger.refuse_late(&visit) {
                self.writer.batch().settled.push((visit.number(), reason));
                continue;
            }
            let (committed, changes) = self.ledger.commit(visit);
            self.apply(changes);
            self.record(committed);
        }
    }

    /// Queues what is new.
    fn apply(&mut self, changes: Changes) {
        for origin in &changes.new_origins {
            self.bench.fetcher.own_host(origin);
        }
        for row in changes.urls {
            if self.events.receiver_count() > 0 {
                let _ = self.events.send(Event::Discovered(Arc::new(row.clone())));
            }
            if row.turn.is_some() {
                self.backlog.push(row.clone());
            }
            self.writer.batch().urls.push(row);
        }
        self.writer.batch().settled.extend(changes.settled);
        self.has_deferred |= changes.deferred.is_some();
        if let Some(deferred) = changes.deferred {
            self.writer.push_deferred(deferred);
        }
    }

    /// Reports a committed visit to everyone who listens, and hands it to the writer.
    fn record(&mut self, visit: Committed) {
        let visit = Arc::new(visit);
        let is_guide = !visit.row.task.is_counted();
        self.progress.visits += u64::from(!is_guide);
        self.progress.pages += u64::from(visit.is_read);
        self.progress.failed += u64::from(matches!(visit.outcome, Outcome::Failed(_)) && !is_guide);
        self.progress.bytes += visit.wire_bytes();
        self.hooks.visited(&visit);
        if self.events.receiver_count() > 0 {
            let _ = self.events.send(Event::Visited(Arc::clone(&visit)));
        }
        self.writer.push(visit);
    }

    /// Sends a batch that is full, or old enough.
    async fn write(&mut self) -> Result<(), CrawlError> {
        self.publish_progress();
        if !self.writer.has_something() {
            self.batch_since = None;
            return Ok(());
        }
        let since = *self.batch_since.get_or_insert_with(Instant::now);
        if self.writer.is_full() || since.elapsed() >= BATCH_AGE {
            self.batch_since = None;
            self.writer.send().await?;
        }
        Ok(())
    }

    /// Why the crawl is over, if it is. When everything known is done, what leaves mentioned is taken up.
    async fn ended(&mut self) -> Result<Option<EndReason>, CrawlError> {
        if let Some(failure) = self.shortage.clone() {
            self.wind_down().await?;
            return Err(CrawlError::Shortage(failure));
        }
        if let Some(reason) = self.given_up.take() {
            return Ok(Some(reason));
        }
        let is_at_rest = self.order.is_empty() && self.leaves_under_way == 0;
        if self.are_bytes_spent() && !(is_at_rest && self.backlog.is_empty()) {
            return Ok(Some(EndReason::BytesSpent));
        }
        if !is_at_rest || !(self.backlog.is_empty() || self.is_budget_spent) {
            return Ok(None);
        }
        if self.is_budget_spent {
            return Ok(Some(EndReason::BudgetSpent));
        }
        self.take_up_deferred().await?;
        Ok(self.backlog.is_empty().then_some(EndReason::Exhausted))
    }

    /// Numbers what leaves mentioned, in the order of their numbers.
    async fn take_up_deferred(&mut self) -> Result<(), CrawlError> {
        const CHUNK: usize = 1000;
        self.ledger.decide_on_links();
        if self.has_deferred {
            self.writer.flush().await?;
        }
        // All of it goes into one batch: a crash in between would number the rest after what the first part leads to.
        let mut last = Number(0);
        while std::mem::take(&mut self.has_deferred) {
            let deferred = self.store.deferred(last, CHUNK).await?;
            self.has_deferred = deferred.len() == CHUNK;
            for deferred in deferred {
                last = deferred.from.number;
                let mut changes = Changes::default();
                let targets = self.ledger.commit_deferred(&deferred, &mut changes);
                self.writer.batch().late_links.push(LateLinks { from: last, links: deferred.links, targets });
                self.apply(changes);
            }
        }
        Ok(())
    }

    /// Whether the visit of the next turn is there.
    fn can_commit(&self) -> bool {
        self.order.front().is_some_and(|turn| self.arrived.contains_key(turn))
    }

    /// Whether the run has received as many bytes as it may.
    fn are_bytes_spent(&self) -> bool {
        self.ledger.are_bytes_spent(self.arrived_wire_bytes)
    }

    /// Waits for whatever comes next, and takes it.
    async fn wait(&mut self, stop: &CancellationToken) -> Result<(), CrawlError> {
        // A commit may have made room for URLs that had to wait: then there is nothing to wait for.
        let is_idle = self.frontier.under_way() == 0 && self.wake_at.is_none();
        if (is_idle && !self.backlog.is_empty()) || self.can_commit() {
            if stop.is_cancelled() {
                self.given_up = Some(EndReason::Stopped);
            }
            return Ok(());
        }
        let look_again = (self.frontier.under_way() > 0).then(|| Instant::now() + LOOK_AGAIN);
        let wake_at = [self.wake_at, self.batch_since.map(|since| since + BATCH_AGE), self.deadline(), look_again];
        let wake_at = wake_at.into_iter().flatten().min();
        tokio::select! {
            biased;
            () = stop.cancelled() => self.given_up = Some(EndReason::Stopped),
            Some(report) = self.pool.reports.recv() => self.receive_all(report),
            error = self.writer.failed() => return Err(error.into()),
            () = sleep_until(wake_at) => {}
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

    /// Lets requests under way end within the grace period and commits what can be committed. The rest stays pending.
    async fn wind_down(&mut self) -> Result<(), CrawlError> {
        let deadline = Instant::now() + self.plan.grace();
        // Whoever is too impatient for the grace period loses nothing that was committed.
        self.batch_since = None;
        self.writer.send().await?;
        while self.frontier.under_way() > 0 {
            let report = tokio::select! {
                report = self.pool.reports.recv() => report,
                () = sleep_until(Some(deadline)) => None,
            };
            let Some(report) = report else { break };
            self.receive(report);
            self.commit();
            self.write().await?;
        }
        // What has arrived but cannot be committed in time is fetched again.
        while self.can_commit() && Instant::now() < deadline {
            self.commit();
            self.writer.send().await?;
        }
        self.pool.shut_down().await;
        self.writer.flush().await?;
        Ok(())
    }

    fn finish(mut self, journey: Result<EndReason, CrawlError>) -> Result<Finished, CrawlError> {
        self.publish_progress();
        let finished = Finished {
            reason: journey.as_ref().map_or_else(|error| EndReason::BrokenOff(error.to_string()), EndReason::clone),
            // Half a receipt would be wrong; one without any URL says that it has to be read from the store.
            receipt: if self.is_loaded { self.ledger.receipt().clone() } else { Receipt::default() },
            progress: self.progress.clone(),
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
        self.progress.seen = self.ledger.urls_seen() as u64;
        self.progress.pending = self.ledger.receipt().count(Disposition::Pending);
        self.progress.in_flight = self.frontier.under_way();
        if self.progress.waiting.is_none()
            && let Some(hold) = self.bench.fetcher.held_up(self.progress.in_flight)
        {
            let reason = match hold {
                Hold::Connections => WaitReason::Connections,
                Hold::Sockets => WaitReason::Sockets,
            };
            self.progress.waiting = Some(Wait::within(reason, Instant::now()));
        }
        self.watch.send_replace(self.progress.clone());
    }
}

impl std::fmt::Debug for Crawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawl").field("ledger", &self.ledger).finish_non_exhaustive()
    }
}

pub(crate) async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}
