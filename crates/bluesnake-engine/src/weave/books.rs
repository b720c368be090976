//! The books of a weave: hosts are nodes, visited level by level.
//!
//! Within a level, walks end in any order. At its end, the hosts they mention are numbered by (number of the host,
//! position), in chunks of one transaction each; they form the next level. A stop or a crash leaves the rest for the
//! next session.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::VisitHook;
use super::admit::Admission;
use super::host::Host;
use super::store::{Again, Growth, NodePage, NodeRow, NodeVisit, Standing, WeaveStore};
use super::walk::{Loom, Step, Walk};
use crate::admit::{Task, UrlRow};
use crate::commit::{FULL_BATCH, Writer, Writes};
use crate::crawl::Books;
use crate::doubt::{Doubt, NO_NETWORK, Network, Sign, network_lost};
use crate::error::CrawlError;
use crate::event::{EndReason, Progress};
use crate::frontier::{Frontier, Look};
use crate::ledger::Admitted;
use crate::receipt::{Disposition, Number, Reason, Receipt};
use crate::visit::Visit;

/// How many hosts to read from the store at once, and how many mentions to number in one transaction.
const CHUNK: usize = 2_000;
/// How many hosts may be in progress per worker; most of them are waiting.
const HOSTS_PER_WORKER: usize = 4;

impl Writes for Vec<NodeVisit> {
    fn is_empty(&self) -> bool {
        Self::is_empty(self)
    }

    fn is_full(&self) -> bool {
        self.len() >= FULL_BATCH
    }
}

/// The current step.
enum Phase {
    /// Read the state of the graph from the store.
    Look,
    /// Number the mentions of the hosts at this depth.
    Number { depth: u32, has_shortcuts: bool },
    /// Visit the hosts of a level.
    Visit(Level),
}

/// The hosts of one depth.
struct Level {
    depth: u32,
    waiting: VecDeque<NodeRow>,
    /// The last host read from the store.
    last: Number,
    is_read: bool,
}

/// The books of a weave.
pub(super) struct WeaveBooks {
    loom: Arc<Loom>,
    store: Arc<dyn WeaveStore>,
    writer: Writer<Vec<NodeVisit>>,
    on_visit: Option<VisitHook>,
    retries_failed: bool,
    standing: Standing,
    phase: Phase,
    walks: HashMap<Number, Walk>,
    doubt: Doubt<NodeVisit>,
    /// The last host that responded in this session.
    responded: Option<Host>,
    is_network_lost: bool,
    /// Hosts visited or being visited in this session.
    handed_out: u64,
    progress: Progress,
}

impl WeaveBooks {
    pub(super) fn new(
        loom: Loom,
        store: Arc<dyn WeaveStore>,
        on_visit: Option<VisitHook>,
        retries_failed: bool,
        visited_before: u64,
    ) -> Self {
        let commits = Arc::clone(&store);
        let writer = Writer::new(move |visits| {
            let store = Arc::clone(&commits);
            Box::pin(async move { store.commit(visits).await })
        });
        Self {
            doubt: Doubt::new(loom.plan.politeness.breaker_failures),
            loom: Arc::new(loom),
            store,
            writer,
            on_visit,
            retries_failed,
            standing: Standing::default(),
            phase: Phase::Look,
            walks: HashMap::new(),
            responded: None,
            is_network_lost: false,
            handed_out: visited_before,
            progress: Progress::default(),
        }
    }

    /// Reads the state of the graph from the store. Between reads the receipt is kept up to date, except for refused
    /// hosts: only the store knows whether they are new.
    async fn look(&mut self) -> Result<(), CrawlError> {
        self.writer.flush().await?;
        self.standing = self.store.standing().await?;
        Ok(())
    }

    /// A level is visited once every mention from the levels above has its number.
    fn next_phase(&self) -> Option<Phase> {
        let number = |depth| Phase::Number { depth, has_shortcuts: false };
        match (self.standing.mentions_depth, self.standing.pending_depth) {
            (Some(mentions), Some(pending)) if mentions < pending => Some(number(mentions)),
            (_, Some(depth)) => {
                Some(Phase::Visit(Level { depth, waiting: VecDeque::new(), last: Number(0), is_read: false }))
            }
            (Some(mentions), None) => Some(number(mentions)),
            (None, None) => None,
        }
    }

    /// Numbers one chunk of mentions at a depth. Returns the next phase.
    async fn number_mentions(&mut self, depth: u32, has_shortcuts: bool) -> Result<Phase, CrawlError> {
        let mentions = self.store.mentions(depth, CHUNK).await?;
        if mentions.is_empty() {
            if has_shortcuts {
                self.store.settle_depths(self.loom.plan.weave.max_depth).await?;
            }
            return Ok(Phase::Look);
        }
        let loom = Arc::clone(&self.loom);
        let hosts = mentions.iter().map(|mentioned| mentioned.mention.host.clone()).collect();
        let mut admission = Admission::new(&loom.plan.weave, self.store.known(hosts).await?, self.standing.nodes);
        mentions.into_iter().for_each(|mentioned| admission.take_up(depth, mentioned));
        let has_shortcuts = self.grow(admission.into_growth()).await? || has_shortcuts;
        Ok(Phase::Number { depth, has_shortcuts })
    }

    /// Grows the graph up to this number. Returns whether hosts moved up.
    async fn grow(&mut self, (growth, last): (Growth, u32)) -> Result<bool, CrawlError> {
        let has_shortcuts = !growth.nearer.is_empty();
        growth.nodes.iter().for_each(|node| self.standing.receipt.enter(node.reason));
        self.store.grow(growth).await?;
        self.standing.nodes = last;
        Ok(has_shortcuts)
    }

    /// Starts walks, within window and budget.
    fn begin_walks(&mut self, frontier: &mut Frontier) {
        let window = HOSTS_PER_WORKER * self.loom.plan.politeness.parallelism;
        let is_held_up = self.doubt.is_open() || self.doubt.is_full();
        while self.walks.len() < window && !self.is_budget_spent() && !is_held_up {
            let Phase::Visit(level) = &mut self.phase else { return };
            let Some(node) = level.waiting.pop_front() else { return };
            self.handed_out += 1;
            let number = node.number;
            let (walk, first) = Walk::begin(&self.loom, node);
            self.walks.insert(number, walk);
            self.take_step(number, first, frontier);
        }
    }

    fn take_step(&mut self, number: Number, step: Step, frontier: &mut Frontier) {
        match step {
            Step::Request(admitted, look) => frontier.push_look(admitted, look, Instant::now()),
            Step::Done => {
                let (visit, origins) = self.walks.remove(&number).expect("a walk ends once").end();
                origins.iter().for_each(|origin| frontier.forget(origin));
                let sign = sign_of(&visit);
                if sign == Sign::Response {
                    let responded = visit.pages.first().and_then(|page| Host::of(&page.url));
                    self.responded = responded.or_else(|| self.responded.take());
                }
                let bytes = visit.weight();
                for visit in self.doubt.sort_out(visit, bytes, sign) {
                    self.record(visit);
                }
            }
        }
    }

    /// Whether every host of the level was visited, or the budget is spent.
    fn is_level_over(&self) -> bool {
        self.walks.is_empty() && (self.is_level_read() || self.is_budget_spent())
    }

    /// Whether no host of the level is waiting.
    fn is_level_read(&self) -> bool {
        matches!(&self.phase, Phase::Visit(level) if level.waiting.is_empty() && level.is_read)
    }

    fn is_budget_spent(&self) -> bool {
        let budget = self.loom.plan.limits.session_budget;
        budget > 0 && self.handed_out >= budget
    }

    fn take_news_of_network(&mut self, network: Option<Network>, frontier: &mut Frontier) {
        match network {
            None => {}
            Some(Network::Probe(url)) => {
                frontier.push_look(
                    Admitted::outside_the_ledger(UrlRow::probe(url, Task::Robots)),
                    Look::Once,
                    Instant::now(),
                );
            }
            Some(Network::There) => self.believe(),
            Some(Network::Lost) => self.is_network_lost = true,
        }
    }

    fn believe(&mut self) {
        for visit in self.doubt.believe() {
            self.record(visit);
        }
    }

    fn record(&mut self, visit: NodeVisit) {
        if let Some(call) = &self.on_visit {
            call(&visit);
        }
        let is_failure = |page: &&NodePage| page.was_requested() && !page.is_page();
        self.progress.visits += 1;
        self.progress.pages += visit.pages_read() as u64;
        self.progress.failed += visit.pages.iter().filter(is_failure).count() as u64;
        self.progress.bytes += visit.pages.iter().map(|page| page.bytes).sum::<u64>();
        self.standing.receipt.change(Reason::Queued, visit.reason);
        self.writer.batch_with(visit.weight()).push(visit);
    }
}

impl Books for WeaveBooks {
    type Batch = Vec<NodeVisit>;

    async fn begin(&mut self, _: &CancellationToken) -> Result<Option<EndReason>, CrawlError> {
        self.look().await?;
        let loom = Arc::clone(&self.loom);
        let hosts: Vec<Host> = loom.plan.seeds.iter().filter_map(Host::of).collect();
        let known = self.store.known(hosts.clone()).await?;
        let weave = &loom.plan.weave;
        let mut admission = Admission::new(weave, known, self.standing.nodes);
        hosts.into_iter().for_each(|host| admission.start_at(host));
        let goes_on = self.standing.nodes > 0;
        self.grow(admission.into_growth()).await?;
        if goes_on {
            // The plan may reach further than in the last session, and a new seed may be an old host.
            let again = Again {
                failed: self.retries_failed,
                pages: weave.max_crawls_per_node,
                mentions: weave.max_outbound_links,
                depth: weave.max_depth,
            };
            self.store.visit_again(again).await?;
            self.store.settle_depths(weave.max_depth).await?;
        }
        Ok(None)
    }

    async fn take_turns(&mut self, frontier: &mut Frontier) -> Result<(), CrawlError> {
        let Phase::Visit(level) = &mut self.phase else { return Ok(()) };
        if level.waiting.is_empty() && !level.is_read {
            let nodes = self.store.pending(level.depth, level.last, CHUNK).await?;
            level.is_read = nodes.len() < CHUNK;
            level.last = nodes.last().map_or(level.last, |node| node.number);
            level.waiting.extend(nodes);
        }
        self.begin_walks(frontier);
        let is_over = self.is_level_over() || (self.walks.is_empty() && self.doubt.is_full());
        let of_host = |host: &Host| ["https", "http"].map(|scheme| host.front_page(scheme).at_path("/robots.txt"));
        let witnesses = self.responded.iter().chain(&self.standing.responded).flat_map(of_host);
        let question = self.doubt.question(is_over, witnesses);
        self.take_news_of_network(question, frontier);
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        self.doubt.held_bytes() + self.writer.held_bytes()
    }

    fn accept(&mut self, visit: Box<Visit>, frontier: &mut Frontier) {
        let number = visit.number();
        if visit.row.is_probe() {
            frontier.forget(visit.url().origin());
            let network = self.doubt.probed(&visit);
            return self.take_news_of_network(network, frontier);
        }
        let walk = self.walks.get_mut(&number).expect("a visit belongs to a walk");
        let step = walk.take(visit);
        self.take_step(number, step, frontier);
    }

    fn has_more(&self) -> bool {
        true
    }

    async fn ended(&mut self) -> Result<Option<EndReason>, CrawlError> {
        if self.is_network_lost {
            return Ok(Some(network_lost()));
        }
        match &self.phase {
            Phase::Look => {
                self.look().await?;
                let Some(phase) = self.next_phase() else { return Ok(Some(EndReason::Exhausted)) };
                self.phase = phase;
            }
            &Phase::Number { depth, has_shortcuts } => {
                self.phase = self.number_mentions(depth, has_shortcuts).await?;
            }
            Phase::Visit(_) if !self.is_level_over() || !self.doubt.is_settled() => {}
            Phase::Visit(_) if !self.is_level_read() => return Ok(Some(EndReason::BudgetSpent)),
            Phase::Visit(_) => self.phase = Phase::Look,
        }
        Ok(None)
    }

    fn believe_doubted(&mut self) {
        // Unreachable hosts are to blame as long as another host responded.
        if self.responded.is_some() {
            self.believe();
        }
    }

    async fn close(&mut self) -> Result<(), CrawlError> {
        self.writer.flush().await?;
        if let Phase::Number { has_shortcuts: true, .. } = self.phase {
            self.store.settle_depths(self.loom.plan.weave.max_depth).await?;
        }
        self.look().await
    }

    fn writer(&mut self) -> &mut Writer<Vec<NodeVisit>> {
        &mut self.writer
    }

    fn figures(&self) -> Progress {
        let receipt = &self.standing.receipt;
        Progress { seen: receipt.seen(), pending: receipt.count(Disposition::Pending), ..self.progress.clone() }
    }

    fn receipt(&self) -> Receipt {
        self.standing.receipt.clone()
    }
}

/// What a visit says about the network.
fn sign_of(visit: &NodeVisit) -> Sign {
    match visit.reason {
        Reason::Failed(kind) if NO_NETWORK.contains(&kind) => Sign::Silence,
        Reason::Refused(_) => Sign::None,
        _ => Sign::Response,
    }
}
