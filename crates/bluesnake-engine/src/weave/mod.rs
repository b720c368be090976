//! The graph of which hosts link to which.
//!
//! A weave spans many hosts, and a single order of all pages would wait for the slowest. So it goes level by level:
//! the hosts of a level are visited in any order, and when the last one is done, the hosts they mention are numbered
//! by (number of the host, position of the mention). Numbers, links and weights therefore depend only on the web and
//! the plan: they are the same at any parallelism, for any split into sessions, after any crash. The journey is that
//! of every crawl, in `crawl.rs`; `books.rs` holds what differs, and `walk.rs` handles one host.

mod admit;
mod books;
mod host;
pub mod memory;
pub mod store;
mod walk;
mod way;

use std::sync::Arc;

use tokio::sync::broadcast;

use self::books::WeaveBooks;
use self::store::{NodeVisit, WeaveStore};
use self::walk::Loom;
use crate::crawler::{EVENTS, Hooks, Running, callbacks, shared_methods};
use crate::error::CrawlError;
use crate::event::{Event, Finished};
use crate::fetch::Response;
use crate::frontier::{Frontier, HostNews, Paces, RetryPolicy};
use crate::plan::{CrawlPlan, WeavePlan};
use crate::url::CanonicalUrl;
use crate::worker::Workbench;

pub use self::host::{DEFAULT_EXCLUSIONS, Host};
pub use self::walk::DESCRIPTION;

pub(crate) use self::host::is_exclusion;

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
    events: broadcast::Sender<Event>,
}

type VisitHook = Arc<dyn Fn(&NodeVisit) + Send + Sync>;

impl Weaver {
    /// A weave of this plan. If the store holds an earlier session, it is resumed; new seeds are added.
    pub fn new(plan: WeavePlan, store: Arc<dyn WeaveStore>) -> Self {
        Self {
            plan: plan.into(),
            hooks: Hooks::default(),
            store,
            paces: Paces::of_this_process(),
            on_visit: None,
            retries_failed: false,
            visited_before: 0,
            events: broadcast::channel(EVENTS).0,
        }
    }

    shared_methods!();

    /// Retries hosts that failed in earlier sessions.
    #[must_use]
    pub fn retry_failed(mut self) -> Self {
        self.retries_failed = true;
        self
    }

    /// Sets how many hosts of the session's budget were visited before it was interrupted.
    #[must_use]
    pub fn visited_before(mut self, hosts: u64) -> Self {
        self.visited_before = hosts;
        self
    }

    /// Called for each visited host, in any order.
    #[must_use]
    pub fn on_visit(mut self, call: impl Fn(&NodeVisit) + Send + Sync + 'static) -> Self {
        self.on_visit = Some(Arc::new(call));
        self
    }

    /// Starts it on the current tokio runtime.
    pub fn start(self) -> Result<Running, CrawlError> {
        let plan = Arc::new(self.plan);
        let own_hosts = plan.seeds.iter().map(|seed| seed.origin().to_owned());
        let bench = Arc::new(Workbench::new(&plan, self.hooks, own_hosts, 1, None)?);
        let retries = RetryPolicy { retries_refused: false, ..RetryPolicy::of(&plan.fetch) };
        let frontier = Frontier::new(plan.politeness.clone(), retries, self.paces);
        let exclusions = host::Exclusions::of(&plan.weave);
        let loom = Loom { plan: Arc::clone(&plan), exclusions };
        let books = WeaveBooks::new(loom, self.store, self.on_visit, self.retries_failed, self.visited_before);
        Ok(Running::start(books, bench, frontier, self.events))
    }
}

impl std::fmt::Debug for Weaver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Weaver").field("seeds", &self.plan.seeds).finish_non_exhaustive()
    }
}
