//! Workers: each takes a lease, makes the request, parses the response and returns a visit. They decide nothing.
//!
//! The pool has a fixed size. A worker owns its request from start to end, so requests never share state, and a panic
//! while parsing a document ends that visit, not the worker.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::admit::robots::{self, Access, Robots, access};
use crate::admit::{Task, UrlRow};
use crate::crawler::Hooks;
use crate::error::CrawlError;
use crate::fetch::{
    Accept, Body, Cut, Earlier, Failure, FailureKind, Fetched, Fetcher, Request, Response, Take, Verdict, judge,
    rate_limit, retry_after,
};
use crate::frontier::{Assignment, HostRobots, Lease, Purpose, RulesResponse, Signal};
use crate::parse;
use crate::plan::CrawlPlan;
use crate::render::{self, RenderReason, Rendered};
use crate::space::{Space, Taken};
use crate::store::Store;
use crate::url::{Base, CanonicalUrl};
use crate::visit::{Outcome, Visit};

/// Documents up to this size are parsed in place; larger ones on a separate thread, so that they do not block other
/// requests.
const READ_IN_PLACE: usize = 512 * 1024;
/// Approximate memory needed to parse and pack one byte of a large document.
const MEMORY_PER_BYTE: usize = 16;
/// Additional memory per tag or line, for tree nodes and block statistics. Measured on captures of repeated `<h6>a`,
/// which need 83 bytes per input byte.
const MEMORY_PER_MARK: usize = 400;
/// Parsers ignore everything beyond a million nodes (elements and texts).
const MOST_MARKS: usize = 500_000;

/// What a worker sends back.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) worker: usize,
    pub(crate) lease: Lease,
    pub(crate) result: LeaseResult,
}

/// The result of a lease.
#[derive(Debug)]
pub(crate) enum LeaseResult {
    /// The response to robots.txt.
    Rules(RulesResponse),
    /// A visit. It is retried if the signal allows it and attempts are left.
    Visit(Box<Visit>, Signal),
    /// This machine cannot open more connections, which says nothing about the URL.
    Shortage(Failure),
}

impl LeaseResult {
    /// Separates local shortages from failures of the web.
    fn or_shortage(self) -> Self {
        let failure = match &self {
            Self::Rules(RulesResponse::Failed(failure)) => Some(failure),
            Self::Visit(visit, _) => match &visit.outcome {
                Outcome::Failed(failure) => Some(failure),
                _ => None,
            },
            Self::Rules(_) | Self::Shortage(_) => None,
        };
        match failure {
            Some(failure) if failure.kind == FailureKind::Exhausted => Self::Shortage(failure.clone()),
            _ => self,
        }
    }
}

/// The pool: one channel to each worker, and one back.
#[derive(Debug)]
pub(crate) struct Pool {
    leases: Vec<mpsc::Sender<Lease>>,
    idle: Vec<usize>,
    pub(crate) reports: mpsc::Receiver<Report>,
    tasks: JoinSet<()>,
}

impl Pool {
    pub(crate) fn new(size: usize, bench: Arc<Workbench>) -> Self {
        let (sender, reports) = mpsc::channel(size);
        let mut tasks = JoinSet::new();
        let mut leases = Vec::with_capacity(size);
        for worker in 0..size {
            let (lease_sender, lease_receiver) = mpsc::channel(1);
            leases.push(lease_sender);
            tasks.spawn(work(worker, Arc::clone(&bench), lease_receiver, sender.clone()));
        }
        Self { leases, idle: (0..size).rev().collect(), reports, tasks }
    }

    pub(crate) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// Assigns a lease to an idle worker.
    pub(crate) fn hand_out(&mut self, lease: Lease) {
        let worker = self.idle.pop().expect("a lease is only taken for an idle worker");
        self.leases[worker].try_send(lease).expect("an idle worker waits for its lease");
    }

    pub(crate) fn is_idle_again(&mut self, worker: usize) {
        self.idle.push(worker);
    }

    /// Stops every worker at once.
    pub(crate) async fn shut_down(&mut self) {
        self.tasks.shutdown().await;
    }
}

async fn work(worker: usize, bench: Arc<Workbench>, mut leases: mpsc::Receiver<Lease>, reports: mpsc::Sender<Report>) {
    while let Some(lease) = leases.recv().await {
        let result = match &lease.purpose {
            Purpose::Rules(url) => LeaseResult::Rules(bench.rules_or_panic(url).await),
            Purpose::Visit(assignment) => bench.visit(assignment).await,
        };
        let result = result.or_shortage();
        if reports.send(Report { worker, lease, result }).await.is_err() {
            return;
        }
    }
}

/// State shared by all workers.
pub(crate) struct Workbench {
    pub(crate) plan: Arc<CrawlPlan>,
    pub(crate) fetcher: Fetcher,
    pub(crate) hooks: Hooks,
    desk: Desk,
    /// `None` if visits are stored unpacked.
    packing: Option<Arc<Packing>>,
}

/// How visits are packed before they wait for their turn.
pub(crate) struct Packing {
    pub(crate) store: Arc<dyn Store>,
    /// Whether a listener needs whole visits.
    pub(crate) has_listeners: bool,
    /// Whether links may be deferred and stored separately later.
    pub(crate) may_put_off: bool,
}

impl Packing {
    /// Packs a visit and drops the packed parts unless a listener needs them.
    fn pack(&self, visit: &mut Visit) {
        visit.packed = self.store.pack(visit);
        if visit.packed.is_some() && !self.has_listeners {
            visit.drop_what_is_packed(self.may_put_off || visit.row.task.is_leaf());
        } else {
            visit.detach_headers();
        }
    }
}

impl Workbench {
    /// A bench for a plan, with the given number of concurrent requests per host.
    pub(crate) fn new(
        plan: &Arc<CrawlPlan>,
        hooks: Hooks,
        own_hosts: impl IntoIterator<Item = String>,
        per_host: usize,
        packing: Option<Packing>,
    ) -> Result<Self, CrawlError> {
        let fetcher = Fetcher::new(&plan.fetch, own_hosts)?
            .per_address(plan.politeness.per_address(per_host))
            .with_space_for_bodies(plan.memory.window_bytes);
        let desk = Desk::new(plan.memory.window_bytes);
        Ok(Self { plan: Arc::clone(plan), fetcher, hooks, desk, packing: packing.map(Arc::new) })
    }

    /// The part of a URL's journey that a worker handles; the ledger does the rest, in order.
    async fn visit(&self, assignment: &Assignment) -> LeaseResult {
        let row = assignment.admitted().row();
        let journey = AssertUnwindSafe(self.fetch_and_read(assignment)).catch_unwind();
        let (mut visit, signal) = match journey.await {
            Ok(brought) => brought,
            Err(panic) => {
                let failure = Failure::new(FailureKind::Panic, panic_text(panic.as_ref()));
                (Visit::failed(row.clone(), failure), Signal::Hopeless)
            }
        };
        visit.attempts = assignment.attempt() - 1 + visit.attempts.max(1);
        tracing::debug!(url = %row.url.for_log(), attempt = visit.attempts, status = visit.status(), "visited");
        visit.robots_report.clone_from(&assignment.robots_report);
        LeaseResult::Visit(Box::new(visit), signal)
    }

    async fn fetch_and_read(&self, assignment: &Assignment) -> (Visit, Signal) {
        let row = assignment.admitted().row();
        let take = self.take(row, assignment.needs_get());
        let fetched = self.fetch(row, take, assignment.attempt()).await; // what the web said, or how it failed
        let signal = if take == Take::Head { head_signal(row, &fetched) } else { signal(&fetched) };
        let (timings, attempts) = (fetched.timings, fetched.sends);
        let rendered = self.render(row, take, &fetched).await; // what a browser shows
        let visit = self.read(row, fetched, rendered).await; // what the document says
        (Visit { attempts, timings, ..visit }, signal)
    }

    /// Renders a page if the plan asks for it and the response needs it.
    async fn render(&self, row: &UrlRow, take: Take, fetched: &Fetched) -> Option<(RenderReason, Rendered)> {
        let renderer = self.hooks.renderer.as_ref()?;
        let response = fetched.result.as_ref().ok().filter(|_| row.task == Task::Page && take != Take::Head)?;
        let html = parse::decoded_page(response, &self.plan)?;
        let reason = render::reason(self.plan.render.when, &html)?;
        Some((reason, renderer.render(&self.fetcher, &row.url, response).await))
    }

    /// Parses a response and packs the visit; large documents go to the desk.
    async fn read(&self, row: &UrlRow, fetched: Fetched, rendered: Option<(RenderReason, Rendered)>) -> Visit {
        let packing = self.packing.clone();
        let pack = move |mut visit: Visit| {
            if let Some(packing) = &packing {
                packing.pack(&mut visit);
            }
            visit
        };
        let body: &[u8] = fetched.result.as_ref().map_or(&[], |response| &response.body.bytes);
        let rendered_html = rendered.as_ref().and_then(|(_, rendered)| rendered.html.as_deref()).unwrap_or_default();
        let body = if rendered_html.len() > body.len() { rendered_html.as_bytes() } else { body };
        let visit = if body.len() > READ_IN_PLACE {
            let place = self.desk.place_for(body).await;
            let (row, plan, hooks) = (row.clone(), Arc::clone(&self.plan), self.hooks.clone());
            at_desk(place, move || {
                // The document may be stored with the visit, so its body keeps its memory reserved until then.
                let _room = fetched.room.clone();
                pack(parse::parse(row, fetched, rendered, &plan, &hooks))
            })
            .await
        } else {
            let visit = parse::parse(row.clone(), fetched, rendered, &self.plan, &self.hooks);
            if visit.weight() <= READ_IN_PLACE {
                return pack(visit);
            }
            let place = self.desk.place_of(visit.weight()).await;
            at_desk(place, move || pack(visit)).await
        };
        visit.unwrap_or_else(|failure| Visit::failed(row.clone(), failure))
    }

    fn take(&self, row: &UrlRow, needs_get: bool) -> Take {
        match row.task {
            Task::Page if self.plan.discover.head_first && !needs_get => Take::Head,
            Task::Page | Task::Stylesheet => Take::Body(self.plan.fetch.body_limit),
            Task::Check if !needs_get => Take::Head,
            Task::Resource | Task::Check => Take::Count,
            Task::Sitemap => Take::Body(self.plan.discover.sitemap_body_limit),
            Task::Robots => Take::Body(ROBOTS_LIMIT),
        }
    }

    async fn fetch(&self, row: &UrlRow, take: Take, attempt: u32) -> Fetched {
        self.hooks.request(&row.url, attempt);
        let accept = match row.task {
            Task::Page | Task::Check => Accept::Page,
            Task::Stylesheet | Task::Resource => Accept::Resource,
            Task::Sitemap => Accept::Sitemap,
            Task::Robots => Accept::Robots,
        };
        let is_page = row.task == Task::Page && take != Take::Head;
        let earlier = if is_page { self.hooks.earlier(&row.url).await } else { None };
        let fetched = match earlier {
            Some(Earlier { response, is_fresh: true }) => Fetched::kept(response),
            earlier => {
                let known = earlier.as_ref().map(|earlier| &earlier.response);
                let request = Request { url: &row.url, accept, attempt, take, known };
                self.fetcher.fetch(&request).await
            }
        };
        if let Ok(response) = &fetched.result {
            self.hooks.response(&row.url, response);
        }
        fetched
    }

    async fn rules_or_panic(&self, url: &CanonicalUrl) -> RulesResponse {
        let asking = AssertUnwindSafe(self.rules(url)).catch_unwind().await;
        asking
            .unwrap_or_else(|panic| RulesResponse::Failed(Failure::new(FailureKind::Panic, panic_text(panic.as_ref()))))
    }

    /// Fetches robots.txt, following redirects as RFC 9309 requires.
    async fn rules(&self, url: &CanonicalUrl) -> RulesResponse {
        let mut at = url.clone();
        for _ in 0..=robots::REDIRECTS_FOLLOWED {
            let request =
                Request { url: &at, accept: Accept::Robots, attempt: 1, take: Take::Body(ROBOTS_LIMIT), known: None };
            let response = match self.fetcher.fetch(&request).await.result {
                Ok(response) => response,
                Err(failure) => return RulesResponse::Failed(failure),
            };
            if !(300..400).contains(&response.status) || response.status == 304 {
                return self.rules_of(&response);
            }
            match parse::location(&Base::of(&at), &response.headers) {
                Some(next) => at = next,
                // A robots.txt that redirects nowhere counts as missing (RFC 9309, section 2.3.1.2).
                None => return RulesResponse::Rules(HostRobots::without_rules(Some(response.status))),
            }
        }
        RulesResponse::Rules(HostRobots::without_rules(None))
    }

    fn rules_of(&self, response: &Response) -> RulesResponse {
        match (access(response.status), broken_off(&response.body)) {
            (Access::Rules, Some(failure)) => RulesResponse::Failed(failure),
            (Access::Rules, None) => {
                let body = &response.body.bytes;
                let rules = Robots::parse(body, &self.plan.politeness.robots_token);
                RulesResponse::Rules(HostRobots { bytes: body.len(), rules, status: Some(response.status) })
            }
            (Access::DisallowAll, _) => RulesResponse::ServerError {
                status: response.status,
                wait: retry_after(&response.headers, SystemTime::now()),
            },
            (Access::AllowAll, _) => RulesResponse::Rules(HostRobots::without_rules(Some(response.status))),
        }
    }
}

/// Processes a large document on its own thread.
async fn at_desk<T: Send + 'static>(place: Taken, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    let working = tokio::task::spawn_blocking(move || {
        // The work keeps its place until it ends, even if the caller has stopped waiting.
        let _place = place;
        work()
    });
    working.await.map_err(|error| Failure::new(FailureKind::Panic, error.to_string()))
}

/// Where large documents are parsed and packed: at most one per core, within the memory of the window.
///
/// There is no time limit, because it would make results depend on machine load. The body limit bounds the input, so
/// parsing always ends.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    space: Space,
    /// Minimum reservation, in bytes.
    share: u64,
}

impl Desk {
    pub(crate) fn new(bytes: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::for_cores(bytes, cores)
    }

    fn for_cores(bytes: usize, cores: usize) -> Self {
        Self { space: Space::new(bytes), share: (bytes / cores) as u64 }
    }

    /// Waits until there is room to parse a document. One that needs more than the whole budget is parsed alone.
    async fn place_for(&self, document: &[u8]) -> Taken {
        let marks = memchr::memchr2_iter(b'<', b'\n', document).count().min(MOST_MARKS);
        self.place_of(document.len().saturating_mul(MEMORY_PER_BYTE) + marks * MEMORY_PER_MARK).await
    }

    /// Waits until the given number of bytes is available.
    async fn place_of(&self, bytes: usize) -> Taken {
        self.space.take(self.share.max(bytes as u64)).await
    }
}

/// A truncated robots.txt is unusable: the missing lines may be the ones that disallow.
fn broken_off(body: &Body) -> Option<Failure> {
    match body.cut? {
        Cut::Truncated => Some(FailureKind::ClosedEarly.into()),
        Cut::Encoding => Some(Failure::new(FailureKind::Malformed, Cut::Encoding.to_string())),
        Cut::Limit | Cut::Ratio => None,
    }
}

/// More than the parser reads, so that it can tell whether the file was cut.
const ROBOTS_LIMIT: usize = robots::BYTES_READ + 4096;

/// What follows a HEAD response: pages and links that look broken are requested with GET, because not every server
/// supports HEAD. A host that is rate-limiting us is left alone.
fn head_signal(row: &UrlRow, fetched: &Fetched) -> Signal {
    let Ok(response) = &fetched.result else { return signal(fetched) };
    let is_wanted = match row.task {
        Task::Page => parse::is_worth_a_get(fetched),
        _ => response.status >= 400,
    };
    if is_wanted && !matches!(response.status, 429 | 503) { Signal::NeedsGet } else { signal(fetched) }
}

fn signal(fetched: &Fetched) -> Signal {
    let now = SystemTime::now();
    match (judge(fetched, now), &fetched.result) {
        (Verdict::Throttled { wait }, _) => Signal::Throttled { wait },
        (Verdict::Retry, Err(failure)) => Signal::Failed(failure.clone()),
        // A gateway error concerns the host; a server error concerns the page.
        (Verdict::Retry, Ok(response)) if response.status > 501 => {
            Signal::Failed(Failure::new(FailureKind::ServerErrors, format!("status {}", response.status)))
        }
        (Verdict::Retry, Ok(_)) => Signal::ServerError,
        (Verdict::Keep, Ok(response)) => Signal::Fine { rest: rate_limit(&response.headers, now) },
        (Verdict::Keep, Err(_)) => Signal::Hopeless,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".to_owned())
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MIB: usize = 1 << 20;

    fn words(megabytes: usize) -> Vec<u8> {
        vec![b'x'; megabytes * MIB]
    }

    /// 33 pages of 10 MB were parsed at once, and parses abandoned after ten seconds continued in the background.
    #[tokio::test]
    async fn large_documents_are_read_within_the_memory_of_the_window() {
        let desk = Desk::for_cores(256 * MIB, 64);
        let first = desk.place_for(&words(10)).now_or_never().expect("the first has room");
        assert!(desk.place_for(&words(10)).now_or_never().is_none(), "two of them take 320 MiB");
        drop(first);
        assert!(desk.place_for(&words(100)).now_or_never().is_some(), "one that is too large is read alone");
    }

    /// A three-byte tag takes hundreds of bytes of memory.
    #[tokio::test]
    async fn dense_markup_needs_more_room_than_words() {
        let desk = Desk::for_cores(256 * MIB, 64);
        let dense = b"<h6>a".repeat(MIB / 5);
        let _two = [(), ()].map(|()| desk.place_for(&dense).now_or_never().expect("two take 200 MiB"));
        assert!(desk.place_for(&dense).now_or_never().is_none());
        assert!(desk.place_for(&words(1)).now_or_never().is_some());
    }

    #[tokio::test]
    async fn no_more_large_documents_are_read_at_once_than_there_are_cores() {
        let desk = Desk::for_cores(256 * MIB, 2);
        let _both = [(), ()].map(|()| desk.place_for(&words(1)).now_or_never().expect("two have room"));
        assert!(desk.place_for(&words(1)).now_or_never().is_none());
    }
}
