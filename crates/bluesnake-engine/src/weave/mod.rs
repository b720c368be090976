//! The graph of which hosts link to which.
//!
//! A weave spans many hosts, where one order of all pages would wait for the slowest of them. So it goes level by level:
//! the hosts of a level are visited in any order, and when the last of them is home, what they mention is numbered by
//! (number of the host, position of the mention). Numbers, links and weights are therefore a function of the web and
//! the plan: the same at any parallelism, for any split into sessions, after any crash. `journey` is all of it.

mod admit;
mod host;
pub mod memory;
pub mod store;
mod visit;
mod way;

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::admit::Admission;
use self::store::{Again, Growth, Known, NodePage, NodeRow, NodeVisit, Standing, WeaveStore};
use self::visit::Loom;
use self::way::NO_NETWORK;
use crate::crawl::sleep_until;
use crate::crawler::{Hooks, Running};
use crate::error::CrawlError;
use crate::event::{EndReason, Event, Finished, Progress};
use crate::fetch::{Failure, FailureKind, Fetcher};
use crate::frontier::Paces;
use crate::plan::{CrawlPlan, WeavePlan};
use crate::receipt::{Disposition, Number, Reason};
use crate::url::CanonicalUrl;
use crate::worker::{Desk, Workbench};

pub use self::host::{DEFAULT_EXCLUSIONS, Host};
pub use self::visit::DESCRIPTION;

pub(crate) use self::host::is_exclusion;

/// How many hosts are read from the store at once, and how many mentions are numbered in one transaction.
const CHUNK: usize = 2_000;
/// How many visits make a batch that is worth writing at once.
const FULL_BATCH: usize = 64;
/// How old a batch may grow before it is written.
const BATCH_AGE: Duration = Duration::from_millis(50);
/// Why a weave pauses on a machine without network.
const NO_HOST: &str = "no host can be reached any more";
/// How many events a slow listener may be behind before it misses some.
const EVENTS: usize = 16;

/// Builds a weave out of a plan: its seeds are the starting points.
///
/// ```no_run
/// use std::sync::Arc;
/// use bluesnake_engine::weave::{Weaver, memory::MemoryGraph};
/// use bluesnake_engine::{WeaveInput, WeavePlan};
///
/// # async fn example() -> Result<(), bluesnake_engine::CrawlError> {
/// let plan = WeavePlan::new(["https://example.com"], WeaveInput::default())?;
/// let graph = Arc::new(MemoryGraph::default());
/// let finished = Weaver::new(plan, graph.clone()).start()?.wait().await?;
/// println!("{}\n{} links", finished.receipt, graph.edges().len());
/// # Ok(())
/// # }
/// ```
pub struct Weaver {
    plan: CrawlPlan,
    hooks: Hooks,
    store: Arc<dyn WeaveStore>,
    paces: Paces,
    on_visit: Option<VisitHook>,
    retries_failed: bool,
    visited_before: u64,
}

type VisitHook = Arc<dyn Fn(&NodeVisit) + Send + Sync>;

impl Weaver {
    /// A weave of this plan. A store that holds an earlier session is resumed; seeds that it does not know are added.
    pub fn new(plan: WeavePlan, store: Arc<dyn WeaveStore>) -> Self {
        Self {
            plan: plan.into(),
            hooks: Hooks::default(),
            store,
            paces: Paces::of_this_process(),
            on_visit: None,
            retries_failed: false,
            visited_before: 0,
        }
    }

    /// Paces hosts apart from the other crawls of this process.
    #[must_use]
    pub fn paces(mut self, paces: Paces) -> Self {
        self.paces = paces;
        self
    }

    /// Asks hosts again that could not be had in earlier sessions.
    #[must_use]
    pub fn retry_failed(mut self) -> Self {
        self.retries_failed = true;
        self
    }

    /// So many hosts of the session's budget were visited before it was interrupted.
    #[must_use]
    pub fn visited_before(mut self, hosts: u64) -> Self {
        self.visited_before = hosts;
        self
    }

    /// Called before each attempt to fetch a page, with its number.
    #[must_use]
    pub fn on_request(mut self, call: impl Fn(&CanonicalUrl, u32) + Send + Sync + 'static) -> Self {
        self.hooks = self.hooks.with_request(call);
        self
    }

    /// Called for each host that was visited, in any order.
    #[must_use]
    pub fn on_visit(mut self, call: impl Fn(&NodeVisit) + Send + Sync + 'static) -> Self {
        self.on_visit = Some(Arc::new(call));
        self
    }

    /// Starts it on the current tokio runtime.
    pub fn start(self) -> Result<Running, CrawlError> {
        let (watch, progress) = watch::channel(Progress::default());
        let (events, _) = broadcast::channel(EVENTS);
        let plan = Arc::new(self.plan);
        let own_hosts = plan.seeds.iter().map(|seed| seed.origin().to_owned());
        // A host is asked for one page at a time.
        let fetcher = Fetcher::new(&plan.fetch, own_hosts)?
            .per_address(plan.politeness.per_address(1))
            .with_space_for_bodies(plan.memory.window_bytes);
        let bench = Workbench {
            desk: Desk::new(plan.memory.window_bytes),
            plan: Arc::clone(&plan),
            fetcher,
            hooks: self.hooks,
            packing: None,
        };
        let loom = Loom {
            bench,
            paces: self.paces,
            exclusions: host::Exclusions::of(&plan.weave),
            stop: CancellationToken::new(),
            under_way: watch::Sender::new(0),
        };
        let weave = Weave {
            plan: Arc::clone(&plan),
            store: self.store,
            loom: Arc::new(loom),
            on_visit: self.on_visit,
            retries_failed: self.retries_failed,
            standing: Standing::default(),
            visits: JoinSet::new(),
            arrived: Vec::new(),
            doubted: Vec::new(),
            shortage: None,
            responded: None,
            arrived_since: None,
            handed_out: self.visited_before,
            started: Instant::now(),
            progress: Progress::default(),
            watch,
            events: events.clone(),
        };
        Ok(Running::of(plan, progress, events, |stop| weave.run(stop)))
    }
}

impl std::fmt::Debug for Weaver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Weaver").field("seeds", &self.plan.seeds).finish_non_exhaustive()
    }
}

/// The whole journey, from the starting points to the last level.
async fn journey(weave: &mut Weave, stop: &CancellationToken) -> Result<EndReason, CrawlError> {
    weave.begin().await?; // the starting points, where the store does not know them
    loop {
        let ended = match weave.next_step().await? {
            Step::Number(depth) => weave.number_mentions(depth, stop).await?, // what a level mentions becomes the next one
            Step::Visit(depth) => weave.visit_level(depth, stop).await?,
            Step::End => Some(EndReason::Exhausted),
        };
        if let Some(reason) = ended {
            break Ok(reason);
        }
    }
}

/// What is to be done next.
enum Step {
    /// Number what the hosts of this depth mention.
    Number(u32),
    /// Visit the hosts of this depth.
    Visit(u32),
    /// Nothing.
    End,
}

/// The state of a weave.
struct Weave {
    plan: Arc<CrawlPlan>,
    store: Arc<dyn WeaveStore>,
    loom: Arc<Loom>,
    on_visit: Option<VisitHook>,
    retries_failed: bool,
    standing: Standing,
    visits: JoinSet<NodeVisit>,
    /// Visits that are to be stored.
    arrived: Vec<NodeVisit>,
    /// Visits in a row that look as if this machine had no network. They are stored once another one looks better.
    doubted: Vec<NodeVisit>,
    /// What this machine lacks to make requests.
    shortage: Option<Failure>,
    /// The last host that answered in this session.
    responded: Option<Host>,
    arrived_since: Option<Instant>,
    /// Hosts that were visited in this session, or are being visited.
    handed_out: u64,
    started: Instant,
    progress: Progress,
    watch: watch::Sender<Progress>,
    events: broadcast::Sender<Event>,
}

impl Weave {
    async fn run(mut self, stop: CancellationToken) -> Result<Finished, CrawlError> {
        let journey = match journey(&mut self, &stop).await {
            Ok(reason) => self.look().await.map(|()| reason),
            Err(error) => Err(error),
        };
        let finished = Finished {
            reason: journey.as_ref().map_or_else(|error| EndReason::BrokenOff(error.to_string()), EndReason::clone),
            receipt: self.standing.receipt.clone(),
            progress: self.progress.clone(),
            elapsed: self.started.elapsed(),
        };
        let _ = self.events.send(Event::Finished(Arc::new(finished.clone())));
        journey.map(|_| finished)
    }

    /// Enters the starting points.
    async fn begin(&mut self) -> Result<(), CrawlError> {
        self.look().await?;
        let hosts: Vec<Host> = self.plan.seeds.iter().filter_map(Host::of).collect();
        let known = self.store.known(hosts.clone()).await?;
        let mut admission = Admission::new(&self.plan.weave, known, self.standing.nodes);
        hosts.into_iter().for_each(|host| admission.start_at(host));
        let goes_on = self.standing.nodes > 0;
        self.grow(admission.into_growth()).await?;
        if goes_on {
            // The plan may reach further than that of the last session, and a seed of now may be a host of then.
            let weave = &self.plan.weave;
            let again = Again {
                failed: self.retries_failed,
                pages: weave.max_crawls_per_node,
                mentions: weave.max_outbound_links,
                depth: weave.max_depth,
            };
            self.store.visit_again(again).await?;
            self.store.settle_depths(weave.max_depth).await?;
        }
        Ok(())
    }

    /// A level is visited when everything that the levels above it mention has its number.
    async fn next_step(&mut self) -> Result<Step, CrawlError> {
        self.look().await?;
        Ok(match (self.standing.mentions_depth, self.standing.pending_depth) {
            (Some(mentions), Some(pending)) if mentions < pending => Step::Number(mentions),
            (_, Some(pending)) => Step::Visit(pending),
            (Some(mentions), None) => Step::Number(mentions),
            (None, None) => Step::End,
        })
    }

    /// Numbers what the hosts of a level mention. Each chunk is one transaction; a stop or a crash leaves the rest for the
    /// next time. Returns why it ended before the level did.
    async fn number_mentions(&mut self, depth: u32, stop: &CancellationToken) -> Result<Option<EndReason>, CrawlError> {
        let mut has_shortcuts = false;
        loop {
            let mentions = self.store.mentions(depth, CHUNK).await?;
            let reason = self.reason_to_stop(stop);
            if mentions.is_empty() || reason.is_some() {
                if has_shortcuts {
                    self.store.settle_depths(self.plan.weave.max_depth).await?;
                }
                return Ok(reason);
            }
            let hosts = mentions.iter().map(|mentioned| mentioned.mention.host.clone()).collect();
            let known: Known = self.store.known(hosts).await?;
            let mut admission = Admission::new(&self.plan.weave, known, self.standing.nodes);
            mentions.into_iter().for_each(|mentioned| admission.take_up(depth, mentioned));
            has_shortcuts |= self.grow(admission.into_growth()).await?;
            self.tell();
        }
    }

    /// Lets the graph grow, up to this number. Returns whether hosts came nearer.
    async fn grow(&mut self, (growth, last): (Growth, u32)) -> Result<bool, CrawlError> {
        let has_shortcuts = !growth.nearer.is_empty();
        growth.nodes.iter().for_each(|node| self.standing.receipt.enter(node.reason));
        self.store.grow(growth).await?;
        self.standing.nodes = last;
        Ok(has_shortcuts)
    }

    fn reason_to_stop(&self, stop: &CancellationToken) -> Option<EndReason> {
        let is_late = self.deadline().is_some_and(|deadline| Instant::now() >= deadline);
        match (stop.is_cancelled(), is_late) {
            (true, _) => Some(EndReason::Stopped),
            (false, true) => Some(EndReason::TimeSpent),
            (false, false) => None,
        }
    }

    /// Visits the hosts of a level in any order. Returns why it ended before the level did.
    async fn visit_level(&mut self, depth: u32, stop: &CancellationToken) -> Result<Option<EndReason>, CrawlError> {
        let mut waiting = VecDeque::new();
        let mut last = Number(0);
        let mut is_read = false;
        loop {
            if waiting.is_empty() && !is_read {
                let nodes = self.store.pending(depth, last, CHUNK).await?;
                is_read = nodes.len() < CHUNK;
                last = nodes.last().map_or(last, |node| node.number);
                waiting.extend(nodes);
            }
            while self.visits.len() < self.plan.politeness.parallelism && !self.is_budget_spent() {
                let Some(node) = waiting.pop_front() else { break };
                self.send_out(node);
            }
            self.tell();
            let is_all = waiting.is_empty() && is_read;
            let is_over = self.visits.is_empty() && (is_all || self.is_budget_spent());
            if self.is_in_doubt(is_over) {
                let has_network = tokio::select! {
                    biased;
                    () = stop.cancelled() => return self.wind_down(EndReason::Stopped).await,
                    has_network = self.has_network() => has_network,
                };
                if !has_network {
                    let (host, why) = ("the network".to_owned(), NO_HOST.to_owned());
                    return self.wind_down(EndReason::HostGivenUp { host, why }).await;
                }
                self.believe();
            }
            if is_over {
                self.store_arrived().await?;
                return Ok((!is_all).then_some(EndReason::BudgetSpent));
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => return self.wind_down(EndReason::Stopped).await,
                () = sleep_until(self.deadline()) => return self.wind_down(EndReason::TimeSpent).await,
                Some(visit) = self.visits.join_next() => self.arrive(visit.expect("a visit catches its panics")),
                () = sleep_until(self.arrived_since.map(|since| since + BATCH_AGE)) => self.store_arrived().await?,
            }
            if let Some(failure) = self.shortage.take() {
                self.wind_down(EndReason::Stopped).await?;
                return Err(CrawlError::Shortage(failure));
            }
            if self.arrived.len() >= FULL_BATCH {
                self.store_arrived().await?;
            }
        }
    }

    fn send_out(&mut self, node: NodeRow) {
        self.handed_out += 1;
        let loom = Arc::clone(&self.loom);
        self.visits.spawn(async move {
            let lost = node.clone();
            let journey = AssertUnwindSafe(visit::visit(&loom, node)).catch_unwind();
            journey.await.unwrap_or_else(|_| broken(&lost))
        });
    }

    fn arrive(&mut self, visit: NodeVisit) {
        // The host stays pending: it is not to blame.
        if let Some(failure) = shortage_of(&visit) {
            self.shortage.get_or_insert(failure);
            return;
        }
        if is_as_without_network(&visit) && self.plan.politeness.breaker_failures > 0 {
            self.doubted.push(visit);
            return;
        }
        // A host that may not be asked says nothing about the network.
        if visit.reason.disposition() != Disposition::Refused {
            self.responded = visit.pages.first().and_then(|page| Host::of(&page.url)).or_else(|| self.responded.take());
            self.believe();
        }
        self.take_in(visit);
    }

    /// Whether it is time to find out if hosts that could not be reached are to blame for it: nobody else is to come, or
    /// there are many in a row, and somebody is known who can be asked.
    fn is_in_doubt(&self, is_over: bool) -> bool {
        let is_many = self.doubted.len() >= self.plan.politeness.breaker_failures as usize;
        !self.doubted.is_empty() && (is_over || (is_many && self.that_responded().next().is_some()))
    }

    /// Whether one of the hosts that answered once still does. When none ever did, a few that do not are no reason to doubt.
    async fn has_network(&self) -> bool {
        for host in self.that_responded() {
            if visit::responds(&self.loom, host.clone()).await {
                return true;
            }
        }
        let is_few = self.doubted.len() < self.plan.politeness.breaker_failures as usize;
        is_few && self.that_responded().next().is_none()
    }

    /// Hosts that answered, the last one first.
    fn that_responded(&self) -> impl Iterator<Item = &Host> {
        self.responded.iter().chain(&self.standing.responded)
    }

    /// What could not be reached is to blame for it.
    fn believe(&mut self) {
        for visit in std::mem::take(&mut self.doubted) {
            self.take_in(visit);
        }
    }

    fn take_in(&mut self, visit: NodeVisit) {
        if let Some(call) = &self.on_visit {
            call(&visit);
        }
        self.arrived_since.get_or_insert_with(Instant::now);
        let is_failure = |page: &&NodePage| page.was_requested() && !page.is_page();
        self.progress.visits += 1;
        self.progress.pages += visit.pages.iter().filter(|page| page.is_page()).count() as u64;
        self.progress.failed += visit.pages.iter().filter(is_failure).count() as u64;
        self.progress.bytes += visit.pages.iter().map(|page| page.bytes).sum::<u64>();
        self.arrived.push(visit);
    }

    async fn store_arrived(&mut self) -> Result<(), CrawlError> {
        self.arrived_since = None;
        if self.arrived.is_empty() {
            return Ok(());
        }
        for visit in &self.arrived {
            self.standing.receipt.change(Reason::Queued, visit.reason);
        }
        self.store.commit(std::mem::take(&mut self.arrived)).await?;
        Ok(())
    }

    /// Lets requests under way end within the grace period; none is begun. Hosts that are not home by then stay pending.
    async fn wind_down(&mut self, reason: EndReason) -> Result<Option<EndReason>, CrawlError> {
        self.loom.stop.cancel();
        // Whoever stops it takes no hosts back that could not be reached while others could.
        if self.responded.is_some() && !matches!(reason, EndReason::HostGivenUp { .. }) {
            self.believe();
        }
        self.store_arrived().await?;
        let deadline = Instant::now() + self.plan.grace();
        let mut under_way = self.loom.under_way.subscribe();
        while !self.visits.is_empty() {
            let arrived = tokio::select! {
                biased;
                arrived = self.visits.join_next() => arrived,
                _ = under_way.wait_for(|count| *count == 0) => None,
                () = sleep_until(Some(deadline)) => None,
            };
            let Some(visit) = arrived else { break };
            self.arrive(visit.expect("a visit catches its panics"));
            self.tell();
        }
        self.visits.shutdown().await;
        self.store_arrived().await?;
        Ok(Some(reason))
    }

    fn is_budget_spent(&self) -> bool {
        let budget = self.plan.limits.session_budget;
        budget > 0 && self.handed_out >= budget
    }

    fn deadline(&self) -> Option<Instant> {
        let limit = self.plan.limits.max_seconds;
        (limit > 0).then(|| self.started + Duration::from_secs(limit))
    }

    /// Asks the store where the graph stands. Between two looks the receipt is kept up to date, but for refused hosts,
    /// of which only the store knows whether they are new.
    async fn look(&mut self) -> Result<(), CrawlError> {
        self.standing = self.store.standing().await?;
        self.tell();
        Ok(())
    }

    fn tell(&mut self) {
        self.progress.seen = self.standing.receipt.seen();
        self.progress.pending = self.standing.receipt.count(Disposition::Pending);
        self.progress.in_flight = self.visits.len();
        self.watch.send_replace(self.progress.clone());
    }
}

/// What this machine lacked, if that kept it from asking for a page of the host.
fn shortage_of(visit: &NodeVisit) -> Option<Failure> {
    let kind = FailureKind::Exhausted;
    let page = visit.pages.iter().find(|page| page.reason == Reason::Failed(kind))?;
    Some(Failure::new(kind, page.detail.clone().unwrap_or_default()))
}

/// Whether a host failed as every host does on a machine without network.
fn is_as_without_network(visit: &NodeVisit) -> bool {
    matches!(visit.reason, Reason::Failed(kind) if NO_NETWORK.contains(&kind))
}

/// A host whose visit broke our own code.
fn broken(node: &NodeRow) -> NodeVisit {
    NodeVisit {
        number: node.number,
        reason: Reason::Failed(FailureKind::Panic),
        description: String::new(),
        pages: Vec::new(),
        mentions: Vec::new(),
        pages_cut: 0,
        pages_limit: 0,
        partial_pages: 0,
        mentions_cut: 0,
        mentions_limit: 0,
    }
}
