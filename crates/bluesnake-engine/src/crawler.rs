//! The library's face: build a crawl, watch it, stop it, wait for its end.
//!
//! ```no_run
//! use bluesnake_engine::{AuditInput, AuditPlan, Crawler};
//!
//! # async fn example() -> Result<(), bluesnake_engine::CrawlError> {
//! let plan = AuditPlan::new(["https://example.com"], AuditInput::default())?;
//! let crawl = Crawler::new(plan).on_page(|page| println!("{} {:?}", page.url(), page.status())).start()?;
//! let finished = crawl.wait().await?;
//! println!("{}", finished.receipt);
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::crawl::{Books, Crawl, crawl};
use crate::discover::{Discovered, default_action};
use crate::document::{Document, Reader, Source};
use crate::error::CrawlError;
use crate::event::{Event, Finished, Progress};
use crate::fetch::{Earlier, Response};
use crate::frontier::{Frontier, HostNews, Paces, RetryPolicy};
use crate::ledger::Classifier;
use crate::memory::MemoryStore;
use crate::parse::extract::Extraction;
use crate::parse::selector::{Element, ElementHook, SelectorProblem};
use crate::plan::CrawlPlan;
use crate::receipt::Action;
use crate::render::Renderer;
use crate::site::SiteBooks;
use crate::store::Store;
use crate::url::CanonicalUrl;
use crate::visit::Committed;
use crate::worker::Workbench;

/// How many events a slow listener may lag behind before it misses some.
pub(crate) const EVENTS: usize = 1024;

type VisitHook = Arc<dyn Fn(&Committed) + Send + Sync>;
type RequestHook = Arc<dyn Fn(&CanonicalUrl, u32) + Send + Sync>;
type ResponseHook = Arc<dyn Fn(&CanonicalUrl, &Response) + Send + Sync>;
type HostHook = Arc<dyn Fn(&HostNews) + Send + Sync>;
type EarlierHook = Arc<dyn Fn(&CanonicalUrl) -> Option<Earlier> + Send + Sync>;
type DoneHook = Arc<dyn Fn(&CanonicalUrl) + Send + Sync>;
type CompleteHook = Arc<dyn Fn(&Finished) + Send + Sync>;

/// The caller's callbacks.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    page: Option<VisitHook>,
    resource: Option<VisitHook>,
    done: Option<DoneHook>,
    pub(crate) request: Option<RequestHook>,
    pub(crate) response: Option<ResponseHook>,
    pub(crate) host: Option<HostHook>,
    pub(crate) complete: Option<CompleteHook>,
    pub(crate) elements: Arc<[ElementHook]>,
    pub(crate) reader: Option<Reader>,
    /// Renders pages.
    pub(crate) renderer: Option<Arc<dyn Renderer>>,
    /// What to extract from every page.
    pub(crate) extraction: Option<Arc<Extraction>>,
    earlier: Option<EarlierHook>,
    keeps_whole_visits: bool,
}

impl Hooks {
    /// Whether a listener needs whole visits.
    pub(crate) fn want_visits(&self) -> bool {
        self.keeps_whole_visits || self.page.is_some() || self.resource.is_some()
    }

    pub(crate) fn visited(&self, visit: &Committed) {
        if let Some(hook) = &self.done {
            hook(visit.url());
        }
        let hook = if visit.is_page() { &self.page } else { &self.resource };
        if let Some(hook) = hook {
            hook(visit);
        }
    }

    pub(crate) fn request(&self, url: &CanonicalUrl, attempt: u32) {
        if let Some(hook) = &self.request {
            hook(url, attempt);
        }
    }

    pub(crate) fn response(&self, url: &CanonicalUrl, response: &Response) {
        if let Some(hook) = &self.response {
            hook(url, response);
        }
    }

    /// The response from an earlier crawl; the lookup may take a while.
    pub(crate) async fn earlier(&self, url: &CanonicalUrl) -> Option<Earlier> {
        let (find, url) = (self.earlier.clone()?, url.clone());
        tokio::task::spawn_blocking(move || find(&url)).await.ok()?
    }

    pub(crate) fn host(&self, news: &HostNews) {
        if let Some(hook) = &self.host {
            hook(news);
        }
    }

    pub(crate) fn completed(&self, finished: &Finished) {
        if let Some(hook) = &self.complete {
            hook(finished);
        }
    }
}

/// Declares methods that set callbacks.
macro_rules! callbacks {
    ($( $(#[doc = $doc:literal])* $name:ident: $hook:ident($( $argument:ty ),*) $( -> $result:ty )?; )*) => { $(
        $(#[doc = $doc])*
        #[must_use]
        pub fn $name(mut self, call: impl Fn($( $argument ),*) $( -> $result )? + Send + Sync + 'static) -> Self {
            self.hooks.$hook = Some(Arc::new(call));
            self
        }
    )* };
}

pub(crate) use callbacks;

/// What [`Crawler`] and [`Weaver`](crate::weave::Weaver) have in common.
macro_rules! shared_methods {
    () => {
        /// Renders pages with this. Without it, no page is rendered, whatever the plan says.
        #[must_use]
        pub fn renderer(mut self, renderer: Arc<dyn crate::render::Renderer>) -> Self {
            self.hooks.renderer = Some(renderer);
            self
        }

        /// All events, from the first URL on. [`Running::events`] only delivers events after its call.
        pub fn events(&self) -> broadcast::Receiver<Event> {
            self.events.subscribe()
        }

        /// Uses its own pacing instead of the clocks shared by this process.
        #[must_use]
        pub fn paces(mut self, paces: Paces) -> Self {
            self.paces = paces;
            self
        }

        callbacks! {
            /// Called when a host rests or we give up on it.
            on_host: host(&HostNews);
            /// Called exactly once, after everything else.
            on_complete: complete(&Finished);
            /// Called by a worker before each attempt to fetch a URL, with the attempt number. A request lost with a dead
            /// connection is sent again within the same attempt.
            on_request: request(&CanonicalUrl, u32);
            /// Called by a worker for each response, before it is parsed.
            on_response: response(&CanonicalUrl, &Response);
        }
    };
}

pub(crate) use shared_methods;

/// Builds a crawl from a plan.
pub struct Crawler {
    plan: CrawlPlan,
    hooks: Hooks,
    elements: Vec<ElementHook>,
    classify: Classifier,
    store: Option<Arc<dyn Store>>,
    paces: Paces,
    is_ordered: bool,
    events: broadcast::Sender<Event>,
}

impl Crawler {
    /// A crawl of this plan, with the default classifier and an in-memory store.
    pub fn new(plan: impl Into<CrawlPlan>) -> Self {
        Self {
            plan: plan.into(),
            hooks: Hooks::default(),
            elements: Vec::new(),
            classify: Arc::new(|found| default_action(found.url)),
            store: None,
            paces: Paces::of_this_process(),
            is_ordered: true,
            events: broadcast::channel(EVENTS).0,
        }
    }

    shared_methods!();

    callbacks! {
        /// Called once for each HTML page, fetched or failed, in turn order.
        on_page: page(&Committed);
        /// Called once for everything else that was visited: resources, redirects, checks, sitemaps.
        on_resource: resource(&Committed);
        /// Called once for each visit of any kind, with its URL only. It is cheaper than the other two, which require
        /// that visits waiting for their turn are kept whole.
        on_done: done(&CanonicalUrl);
        /// Provides responses of earlier crawls. A fresh one is used without a request; others are revalidated with the
        /// server.
        earlier_responses: earlier(&CanonicalUrl) -> Option<Earlier>;
        /// Extracts the documents of pages. A document's hash replaces the content fingerprint of its page. Called
        /// concurrently with the crawl, in any order, once or more per response.
        read_documents: reader(&Source<'_>) -> Option<Document>;
    }

    /// Stores the results here. If the store holds an earlier session of the same plan, it is resumed.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Decides what to do with each URL, replacing [`default_action`]; it sees the link that led to the URL. Called
    /// exactly once per URL, in number order, for everything except seeds, robots.txt and sitemaps.
    #[must_use]
    pub fn on_url_discovered(mut self, decide: impl Fn(&Discovered<'_>) -> Action + Send + Sync + 'static) -> Self {
        self.classify = Arc::new(decide);
        self
    }

    /// Keeps visits whole until they are stored, so that those in [`Running::events`] include pages, documents and
    /// headers. Without it, a store may strip these from visits waiting for their turn, which takes much less memory.
    /// [`Crawler::on_page`] and [`Crawler::on_resource`] do the same.
    #[must_use]
    pub fn keep_whole_visits(mut self) -> Self {
        self.hooks.keeps_whole_visits = true;
        self
    }

    /// Called by a worker for each matching element, while the page is parsed.
    pub fn on_element(
        mut self,
        selector: &str,
        call: impl Fn(&Element<'_>) + Send + Sync + 'static,
    ) -> Result<Self, SelectorProblem> {
        self.elements.push(ElementHook { selector: selector.parse()?, call: Arc::new(call) });
        Ok(self)
    }

    /// Commits visits as they arrive, so that a benchmark can measure the cost of ordering. Numbers then depend on
    /// timing.
    #[doc(hidden)]
    #[must_use]
    pub fn without_order(mut self) -> Self {
        self.is_ordered = false;
        self
    }

    /// Starts the crawl on the current tokio runtime.
    pub fn start(self) -> Result<Running, CrawlError> {
        let plan = Arc::new(self.plan);
        let extraction = Extraction::of(&plan.extract).map(Arc::new);
        let hooks = Hooks { elements: self.elements.into(), extraction, ..self.hooks };
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::default()));
        let books = SiteBooks::new(&plan, hooks, self.classify, store, self.events.clone())?;
        let books = if self.is_ordered { books } else { books.without_order() };
        let frontier = Frontier::new(plan.politeness.clone(), RetryPolicy::of(&plan.fetch), self.paces);
        let bench = books.bench();
        Ok(Running::start(books, bench, frontier, self.events))
    }
}

impl std::fmt::Debug for Crawler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawler").field("seeds", &self.plan.seeds).finish_non_exhaustive()
    }
}

/// A running crawl. Dropping it ends it at once; what was stored can be resumed.
#[derive(Debug)]
pub struct Running {
    plan: Arc<CrawlPlan>,
    task: JoinSet<Result<Finished, CrawlError>>,
    progress: watch::Receiver<Progress>,
    events: broadcast::Sender<Event>,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl Running {
    /// Starts a journey.
    pub(crate) fn start<B: Books + 'static>(
        books: B,
        bench: Arc<Workbench>,
        frontier: Frontier,
        events: broadcast::Sender<Event>,
    ) -> Self {
        let (watch, progress) = watch::channel(Progress::default());
        let plan = Arc::clone(&bench.plan);
        let stop = CancellationToken::new();
        let mut task = JoinSet::new();
        task.spawn(crawl(Crawl::new(books, bench, frontier, watch, events.clone()), stop.clone()));
        Self { plan, task, progress, events, _stop_on_drop: stop.clone().drop_guard(), stop }
    }

    /// The plan it follows.
    pub fn plan(&self) -> &CrawlPlan {
        &self.plan
    }

    /// Events from now on, in commit order. Visits are whole only with [`Crawler::keep_whole_visits`].
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// The current progress, and every later one.
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.clone()
    }

    /// A handle to stop the crawl from elsewhere.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Stops dispatching at once; in-flight requests get their grace period, the rest stays pending.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Waits for the end.
    pub async fn wait(mut self) -> Result<Finished, CrawlError> {
        match self.task.join_next().await.expect("a crawl is waited for once") {
            Ok(finished) => finished,
            // Only the end of the runtime cancels it; the caller ends with it, as if the process had been killed.
            Err(end) if end.is_cancelled() => std::future::pending().await,
            Err(panic) => Err(CrawlError::Bug(panic.to_string())),
        }
    }
}

/// Stops a crawl.
#[derive(Clone, Debug)]
pub struct Stopper(CancellationToken);

impl Stopper {
    /// See [`Running::stop`].
    pub fn stop(&self) {
        self.0.cancel();
    }
}
