//! The books of a site: fetch out of order, commit in order.
//!
//! A URL is numbered when the visit that mentions it is committed, and visits are committed in turn order, so numbers
//! depend on the site and the plan, never on timing. The [`Ledger`] assigns the numbers; this module adds the
//! backlog, the visits waiting for their turn, and the store.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::admit::{Task, UrlRow};
use crate::backlog::Backlog;
use crate::commit::Writer;
use crate::crawl::Books;
use crate::crawler::Hooks;
use crate::doubt::{Doubt, MOST_HELD, Network, Sign, network_lost};
use crate::error::CrawlError;
use crate::event::{EndReason, Event, Progress};
use crate::frontier::Frontier;
use crate::ledger::{Admitted, Changes, Classifier, Ledger, Turned};
use crate::plan::{CrawlPlan, Mechanisms};
use crate::receipt::{Disposition, Number, Receipt, Turn};
use crate::store::{Batch, LateLinks, Store, StoreError};
use crate::url::CanonicalUrl;
use crate::visit::{Committed, Outcome, Visit};
use crate::worker::{Packing, Workbench};

/// Limit on leaves in flight, waiting for their hosts or held back. They are small and block nothing.
const LEAVES: usize = MOST_HELD;
/// How many seeds to request again to check whether the network is down.
const WITNESSES: usize = 3;
/// How many URLs to refuse in a row before checking for other events, such as a stop.
const REFUSED_AT_ONCE: usize = 1_000;

pub(crate) struct SiteBooks {
    plan: Arc<CrawlPlan>,
    store: Arc<dyn Store>,
    bench: Arc<Workbench>,
    ledger: Ledger,
    backlog: Backlog,
    writer: Writer<Batch>,
    /// In-flight turns that are committed in order, with the visits that have arrived.
    order: VecDeque<Turn>,
    arrived: HashMap<Turn, Box<Visit>>,
    arrived_bytes: usize,
    /// Wire bytes of those visits, not yet counted by the ledger.
    arrived_wire_bytes: u64,
    is_ordered: bool,
    leaves_under_way: usize,
    has_deferred: bool,
    /// Whether the ledger has loaded everything earlier sessions stored.
    is_loaded: bool,
    is_budget_spent: bool,
    /// Leaves that may have failed because the network is down. The site itself has a circuit breaker.
    doubt: Doubt<Box<Visit>>,
    /// The last URL that responded in this session.
    responded: Option<CanonicalUrl>,
    is_network_lost: bool,
    progress: Progress,
    events: broadcast::Sender<Event>,
}

impl SiteBooks {
    pub(crate) fn new(
        plan: &Arc<CrawlPlan>,
        hooks: Hooks,
        classify: Classifier,
        store: Arc<dyn Store>,
        events: broadcast::Sender<Event>,
    ) -> Result<Self, CrawlError> {
        let ledger = Ledger::new(Arc::clone(plan), classify);
        let packing = Packing {
            store: Arc::clone(&store),
            has_listeners: hooks.want_visits(),
            may_put_off: plan.discover.mechanisms == Mechanisms::SitemapThenSpider,
        };
        let own_hosts = ledger.origins().map(str::to_owned);
        let bench = Workbench::new(plan, hooks, own_hosts, plan.politeness.per_host(), Some(packing))?;
        Ok(Self {
            backlog: Backlog::new(plan.memory.backlog_urls),
            writer: Writer::to(Arc::clone(&store)),
            order: VecDeque::new(),
            arrived: HashMap::new(),
            arrived_bytes: 0,
            arrived_wire_bytes: 0,
            is_ordered: true,
            leaves_under_way: 0,
            has_deferred: false,
            is_loaded: true,
            is_budget_spent: false,
            doubt: Doubt::new(plan.politeness.breaker_failures),
            responded: None,
            is_network_lost: false,
            progress: Progress::default(),
            plan: Arc::clone(plan),
            bench: Arc::new(bench),
            ledger,
            store,
            events,
        })
    }

    /// Commits visits as they arrive.
    pub(crate) fn without_order(self) -> Self {
        Self { is_ordered: false, ..self }
    }

    pub(crate) fn bench(&self) -> Arc<Workbench> {
        Arc::clone(&self.bench)
    }

    /// Leases may run ahead of the commits by a window of visits.
    fn has_room_for(&self, row: &UrlRow) -> bool {
        if row.task.is_leaf() {
            return self.leaves_under_way < LEAVES;
        }
        self.order.len() < self.plan.window()
    }

    fn lease_out(&mut self, admitted: Admitted, frontier: &mut Frontier) {
        if admitted.row().task.is_leaf() {
            self.leaves_under_way += 1;
        } else {
            self.order.push_back(admitted.turn());
        }
        let is_seed_host = self.ledger.is_seed_host(&admitted.row().url);
        frontier.push(admitted, is_seed_host);
    }

    /// Queues new URLs.
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

    /// Reports a committed visit to all listeners and passes it to the writer.
    fn record(&mut self, visit: Committed) {
        let visit = Arc::new(visit);
        let is_guide = !visit.row.task.is_counted();
        self.progress.visits += u64::from(!is_guide);
        self.progress.pages += u64::from(visit.is_read);
        self.progress.shells += u64::from(visit.is_shell);
        self.progress.failed += u64::from(matches!(visit.outcome, Outcome::Failed(_)) && !is_guide);
        self.progress.bytes += visit.wire_bytes();
        self.bench.hooks.visited(&visit);
        if self.events.receiver_count() > 0 {
            let _ = self.events.send(Event::Visited(Arc::clone(&visit)));
        }
        self.writer.push(visit);
    }

    /// The hosts are to blame: what was held back is recorded.
    fn believe(&mut self) {
        let leaves = self.doubt.believe();
        self.commit_leaves(leaves);
    }

    fn commit_leaves(&mut self, leaves: impl IntoIterator<Item = Box<Visit>>) {
        for visit in leaves {
            self.leaves_under_way -= 1;
            let (committed, changes) = self.ledger.commit_leaf(visit);
            self.apply(changes);
            self.record(committed);
        }
    }

    /// When only leaves with network-like failures remain, requests another URL to find out whether the network is
    /// down.
    fn settle_doubts(&mut self, frontier: &mut Frontier) {
        if self.doubt.is_settled() || !frontier.is_empty() {
            return;
        }
        let known = self.responded.iter().chain(self.plan.seeds.iter().take(WITNESSES)).cloned();
        let witnesses: Vec<CanonicalUrl> = if self.doubt.is_many() { known.collect() } else { Vec::new() };
        let network = self.doubt.question(true, witnesses);
        self.take_news_of_network(network, frontier);
    }

    fn take_news_of_network(&mut self, network: Option<Network>, frontier: &mut Frontier) {
        match network {
            None => {}
            Some(Network::Probe(url)) => {
                frontier.push(Admitted::outside_the_ledger(UrlRow::probe(url, Task::Check)), false)
            }
            Some(Network::There) => self.believe(),
            Some(Network::Lost) => self.is_network_lost = true,
        }
    }

    /// Numbers the URLs mentioned by leaves, in the order of the leaves' numbers.
    async fn take_up_deferred(&mut self) -> Result<(), CrawlError> {
        const CHUNK: usize = 1000;
        self.ledger.decide_on_links();
        if self.has_deferred {
            self.writer.flush().await?;
        }
        // All of it goes into one batch: after a crash in between, the rest would be numbered after URLs found
        // through the first part.
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
}

impl Books for SiteBooks {
    type Batch = Batch;

    async fn begin(&mut self, stop: &CancellationToken) -> Result<Option<EndReason>, CrawlError> {
        const CHUNK: usize = 10_000;
        let mut last = Number(0);
        loop {
            let stored = self.store.load(last, CHUNK).await?;
            if stop.is_cancelled() && !stored.is_empty() {
                self.is_loaded = false;
                return Ok(Some(EndReason::Stopped));
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
        Ok(None)
    }

    /// In turn order.
    async fn take_turns(&mut self, frontier: &mut Frontier) -> Result<(), CrawlError> {
        self.is_budget_spent = false;
        self.settle_doubts(frontier);
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
                Turned::Admitted(admitted) => self.lease_out(admitted, frontier),
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

    fn may_request(&self) -> bool {
        !self.ledger.are_bytes_spent(self.arrived_wire_bytes)
    }

    fn held_bytes(&self) -> usize {
        self.arrived_bytes + self.doubt.held_bytes() + self.writer.held_bytes()
    }

    /// Commits leaves at once, other visits when their turn comes.
    fn accept(&mut self, visit: Box<Visit>, frontier: &mut Frontier) {
        if visit.row.is_probe() {
            let network = self.doubt.probed(&visit);
            return self.take_news_of_network(network, frontier);
        }
        let sign = Sign::of(&visit);
        if sign == Sign::Response {
            self.responded = Some(visit.url().clone());
            self.believe();
        }
        if visit.row.task.is_leaf() {
            let bytes = visit.weight();
            let leaves = self.doubt.sort_out(visit, bytes, sign);
            self.commit_leaves(leaves);
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

    /// In turn order. A single visit can mention fifty thousand URLs.
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

    fn can_commit(&self) -> bool {
        self.order.front().is_some_and(|turn| self.arrived.contains_key(turn))
    }

    fn has_more(&self) -> bool {
        !self.backlog.is_empty() || !self.doubt.is_settled()
    }

    /// When everything known is done, continues with the URLs mentioned by leaves.
    async fn ended(&mut self) -> Result<Option<EndReason>, CrawlError> {
        if self.is_network_lost {
            return Ok(Some(network_lost()));
        }
        let is_at_rest = self.order.is_empty() && self.leaves_under_way == 0;
        let is_done = is_at_rest && self.backlog.is_empty();
        if !is_done && !self.may_request() {
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

    fn believe_doubted(&mut self) {
        if !self.doubt.is_many() {
            self.believe();
        }
    }

    async fn close(&mut self) -> Result<(), CrawlError> {
        Ok(self.writer.flush().await?)
    }

    fn writer(&mut self) -> &mut Writer<Batch> {
        &mut self.writer
    }

    fn figures(&self) -> Progress {
        let pending = self.ledger.receipt().count(Disposition::Pending);
        Progress { seen: self.ledger.urls_seen() as u64, pending, ..self.progress.clone() }
    }

    /// A partial receipt would be wrong; an empty one tells the caller to read it from the store.
    fn receipt(&self) -> Receipt {
        if self.is_loaded { self.ledger.receipt().clone() } else { Receipt::default() }
    }
}
