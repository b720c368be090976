//! Workers: each takes a lease, makes the request, reads the answer and hands over a visit. They decide nothing.
//!
//! The pool has a fixed size. A worker owns its request from beginning to end, so two requests never share state, and a
//! panic while reading a document ends that visit, not the worker.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::admit::robots::{self, Access, Robots, RobotsAnswer, access};
use crate::admit::{Task, UrlRow};
use crate::crawler::Hooks;
use crate::fetch::{Accept, Ask, Body, Cut, Failure, FailureKind, Fetched, Fetcher, Take, Verdict, judge, rate_limit};
use crate::frontier::{Assignment, HostRobots, Lease, Purpose, RulesAnswer, Signal};
use crate::parse::{self, Parsed};
use crate::plan::CrawlPlan;
use crate::url::{Base, CanonicalUrl};
use crate::visit::Visit;

/// Documents up to this size are read where they arrive; larger ones on a thread of their own, so that they do not
/// hold up other requests.
const READ_IN_PLACE: usize = 512 * 1024;

/// What a worker brings back.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) worker: usize,
    pub(crate) lease: Lease,
    pub(crate) result: Brought,
}

/// What came of a lease.
#[derive(Debug)]
pub(crate) enum Brought {
    /// What robots.txt says.
    Rules(RulesAnswer),
    /// A visit; it is worth another attempt if the signal says so and attempts are left.
    Visit(Box<Visit>, Signal),
}

/// The pool: a channel to each worker, and one back.
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

    /// Hands a lease to an idle worker.
    pub(crate) fn hand_out(&mut self, lease: Lease) {
        let worker = self.idle.pop().expect("a lease is only taken for an idle worker");
        self.leases[worker].try_send(lease).expect("an idle worker waits for its lease");
    }

    pub(crate) fn is_idle_again(&mut self, worker: usize) {
        self.idle.push(worker);
    }

    /// Ends every worker at once.
    pub(crate) async fn shut_down(&mut self) {
        self.tasks.shutdown().await;
    }
}

async fn work(worker: usize, bench: Arc<Workbench>, mut leases: mpsc::Receiver<Lease>, reports: mpsc::Sender<Report>) {
    while let Some(lease) = leases.recv().await {
        let result = match &lease.purpose {
            Purpose::Rules(url) => Brought::Rules(bench.rules(url).await),
            Purpose::Visit(assignment) => bench.visit(assignment).await,
        };
        if reports.send(Report { worker, lease, result }).await.is_err() {
            return;
        }
    }
}

/// What every worker needs.
#[derive(Debug)]
pub(crate) struct Workbench {
    pub(crate) plan: Arc<CrawlPlan>,
    pub(crate) fetcher: Fetcher,
    pub(crate) hooks: Hooks,
}

impl Workbench {
    /// One URL's journey as far as a worker takes it; the ledger does the rest, in order.
    async fn visit(&self, assignment: &Assignment) -> Brought {
        let row = assignment.admitted().row();
        let journey = AssertUnwindSafe(self.fetch_and_read(row, assignment.attempt())).catch_unwind();
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
        Brought::Visit(Box::new(visit), signal)
    }

    async fn fetch_and_read(&self, row: &UrlRow, attempt: u32) -> (Visit, Signal) {
        let fetched = self.fetch(row, attempt).await; // what the web said, or how it failed
        let signal = signal(&fetched);
        let (timings, sends) = (fetched.timings, fetched.sends);
        let parsed = self.parse(row, fetched).await; // what the document says
        (Visit { attempts: sends, ..Visit::of(row.clone(), parsed, timings) }, signal)
    }

    async fn fetch(&self, row: &UrlRow, attempt: u32) -> Fetched {
        self.hooks.request(&row.url, attempt);
        let limit = self.plan.fetch.body_limit;
        let (accept, take) = match row.task {
            Task::Page => (Accept::Page, Take::Body(limit)),
            Task::Stylesheet => (Accept::Resource, Take::Body(limit)),
            Task::Resource => (Accept::Resource, Take::Count),
            Task::Check => (Accept::Page, Take::Head),
            Task::Sitemap => (Accept::Sitemap, Take::Body(self.plan.fetch.sitemap_body_limit)),
            Task::Robots => (Accept::Robots, Take::Body(ROBOTS_LIMIT)),
        };
        let ask = |take| Ask { url: &row.url, accept, attempt, take, referer: None };
        if row.task == Task::Page && self.plan.fetch.head_first {
            let head = self.fetcher.fetch(&ask(Take::Head)).await;
            if !parse::is_worth_a_get(&head) {
                return self.answered(row, head);
            }
        }
        let fetched = self.fetcher.fetch(&ask(take)).await;
        // Not every server knows HEAD: a link is called broken only when GET says so too.
        let is_doubtful = take == Take::Head && fetched.result.as_ref().is_ok_and(|answer| answer.status >= 400);
        if is_doubtful {
            return self.answered(row, self.fetcher.fetch(&ask(Take::Count)).await);
        }
        self.answered(row, fetched)
    }

    fn answered(&self, row: &UrlRow, fetched: Fetched) -> Fetched {
        if let Ok(answer) = &fetched.result {
            self.hooks.response(&row.url, answer);
        }
        fetched
    }

    async fn parse(&self, row: &UrlRow, fetched: Fetched) -> Parsed {
        let size = fetched.result.as_ref().map_or(0, |answer| answer.body.bytes.len());
        if size <= READ_IN_PLACE {
            return parse::parse(row, fetched, &self.plan, &self.hooks.elements);
        }
        let (row, plan, elements) = (row.clone(), Arc::clone(&self.plan), self.hooks.elements.clone());
        let reading = tokio::task::spawn_blocking(move || parse::parse(&row, fetched, &plan, &elements));
        match reading.await {
            Ok(parsed) => parsed,
            Err(error) => Parsed::failed(Failure::new(FailureKind::Panic, error.to_string())),
        }
    }

    /// Asks for robots.txt, following redirects as RFC 9309 has it.
    async fn rules(&self, url: &CanonicalUrl) -> RulesAnswer {
        let mut at = url.clone();
        for _ in 0..=robots::REDIRECTS_FOLLOWED {
            let ask =
                Ask { url: &at, accept: Accept::Robots, attempt: 1, take: Take::Body(ROBOTS_LIMIT), referer: None };
            let answer = match self.fetcher.fetch(&ask).await.result {
                Ok(answer) => answer,
                Err(failure) => return RulesAnswer::Failed(failure),
            };
            if !(300..400).contains(&answer.status) || answer.status == 304 {
                return self.rules_of(answer.status, &answer.body);
            }
            match parse::location(&Base::of(&at), &answer.headers) {
                Some(next) => at = next,
                None => return rules_without_body(access(RobotsAnswer::BadRedirectTarget), Some(answer.status)),
            }
        }
        rules_without_body(access(RobotsAnswer::RedirectsExhausted), None)
    }

    fn rules_of(&self, status: u16, body: &Body) -> RulesAnswer {
        match (access(RobotsAnswer::Status(status)), broken_off(body)) {
            (Access::Rules, Some(failure)) => RulesAnswer::Failed(failure),
            (Access::Rules, None) => {
                let rules = Robots::parse(&body.bytes, &self.plan.politeness.robots_token);
                RulesAnswer::Rules(HostRobots { rules, status: Some(status) })
            }
            (other, _) => rules_without_body(other, Some(status)),
        }
    }
}

/// Half a robots.txt is no robots.txt: the lines that are missing may be those that say no.
fn broken_off(body: &Body) -> Option<Failure> {
    match body.cut? {
        Cut::Truncated => Some(FailureKind::ClosedEarly.into()),
        Cut::Encoding => Some(Failure::new(FailureKind::Malformed, Cut::Encoding.to_string())),
        Cut::Limit | Cut::Ratio => None,
    }
}

/// More than is read, so that the reader knows whether something was cut.
const ROBOTS_LIMIT: usize = robots::BYTES_READ + 4096;

fn rules_without_body(access: Access, status: Option<u16>) -> RulesAnswer {
    match access {
        Access::Rules | Access::AllowAll => RulesAnswer::Rules(HostRobots::without_rules(status)),
        Access::DisallowAll => RulesAnswer::ServerError(
            status.map_or_else(String::new, |status| format!("it answers with status {status}")),
        ),
    }
}

fn signal(fetched: &Fetched) -> Signal {
    let now = SystemTime::now();
    match (judge(fetched, now), &fetched.result) {
        (Verdict::Throttled { wait }, _) => Signal::Throttled { wait },
        (Verdict::Retry, Err(failure)) => Signal::Failed(failure.clone()),
        // A gateway that cannot reach its server speaks for the host; a page that breaks its server, for itself.
        (Verdict::Retry, Ok(answer)) if answer.status > 501 => {
            Signal::Failed(Failure::new(FailureKind::ServerErrors, format!("status {}", answer.status)))
        }
        (Verdict::Retry, Ok(_)) => Signal::ServerError,
        (Verdict::Keep, Ok(answer)) => Signal::Fine { rest: rate_limit(&answer.headers, now) },
        (Verdict::Keep, Err(_)) => Signal::Hopeless,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".to_owned())
}
