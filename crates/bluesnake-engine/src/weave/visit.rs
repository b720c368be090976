//! One host: its front page first, then the pages that it links to, in the order of the links.
//!
//! All of it happens one request after the other, and what comes of a host depends on that host alone: not on other
//! hosts, not on timing, not on parallelism. Start with [`visit`].

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::host::{Exclusions, Host};
use super::store::{Mention, NodePage, NodeRow, NodeVisit};
use super::way::{NO_NETWORK, further, is_lasting, is_lasting_here, is_worth_another, may_respond_over_http};
use crate::admit::robots::RobotsVerdict;
use crate::admit::scope::names_a_file;
use crate::admit::{Depth, Refusal, Task, UrlRow};
use crate::discover::default_action;
use crate::fetch::{FailureKind, Fetched, Take, Verdict, judge, rate_limit};
use crate::frontier::{HostRobots, Limits, Paces, Permission, RetryPolicy, RulesResponse};
use crate::link::LinkKind;
use crate::parse::text::{collapse, cut};
use crate::plan::RobotsMode;
use crate::receipt::{Action, Number, Reason, Source};
use crate::url::CanonicalUrl;
use crate::visit::{Outcome, Visit};
use crate::worker::Workbench;

/// The most characters of a description.
pub const DESCRIPTION: usize = 60;
/// How many addresses of a host are remembered as candidates for its next page.
const CANDIDATES: usize = 1000;
/// How soon to look again at a host that another crawl of this process keeps busy.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What every visit needs.
#[derive(Debug)]
pub(super) struct Loom {
    pub(super) bench: Workbench,
    pub(super) paces: Paces,
    pub(super) exclusions: Exclusions,
    /// When it is cancelled, no request is begun any more.
    pub(super) stop: CancellationToken,
    /// Requests under way, until what they brought has been read.
    pub(super) under_way: watch::Sender<usize>,
}

/// Visits a host.
pub(super) async fn visit(loom: &Loom, node: NodeRow) -> NodeVisit {
    let mut visitor = Visitor::new(loom, node);
    visitor.front_page().await;
    while let Some(url) = visitor.next_page() {
        let page = visitor.fetch_within_host(url).await;
        visitor.take(&page);
    }
    visitor.found
}

/// Whether anybody answers at a host, whatever it is.
pub(super) async fn responds(loom: &Loom, host: Host) -> bool {
    let node = NodeRow { number: Number(0), host, depth: 0, reason: Reason::Queued };
    let visitor = Visitor::new(loom, node);
    for scheme in ["https", "http"] {
        let url = visitor.node.host.front_page(scheme).at_path("/robots.txt");
        let turn = visitor.turn(&url).await;
        let response = loom.bench.rules_or_panic(&url).await;
        drop(turn);
        match response {
            RulesResponse::Failed(failure)
                if NO_NETWORK.contains(&failure.kind)
                    || matches!(failure.kind, FailureKind::AddressRefused | FailureKind::Exhausted) => {}
            RulesResponse::Failed(_) | RulesResponse::Rules(_) | RulesResponse::ServerError { .. } => return true,
        }
    }
    false
}

/// A visit under way.
struct Visitor<'a> {
    loom: &'a Loom,
    node: NodeRow,
    retries: RetryPolicy,
    /// What robots.txt of an origin says: rules, or what its pages come to without any.
    rules: HashMap<String, Result<Option<Arc<HostRobots>>, Outcome>>,
    crawl_delay: Duration,
    /// The host wants to be left alone until then.
    rest_until: Option<Instant>,
    /// It keeps saying that there are too many requests.
    is_throttled: bool,
    /// Whether it is still to be found out if the host speaks https at all.
    is_first_look: bool,
    /// The number of the next first attempt.
    first_attempt: u32,
    /// Paths that were asked for; one path by http and by https is one page.
    requested: HashSet<String>,
    candidates: VecDeque<CanonicalUrl>,
    /// Paths that are candidates, or were.
    queued: HashSet<String>,
    places: HashMap<Host, usize>,
    found: NodeVisit,
}

impl<'a> Visitor<'a> {
    fn new(loom: &'a Loom, node: NodeRow) -> Self {
        let found = NodeVisit {
            number: node.number,
            reason: node.reason,
            description: String::new(),
            pages: Vec::new(),
            mentions: Vec::new(),
            pages_cut: 0,
            pages_limit: loom.bench.plan.weave.max_crawls_per_node,
            partial_pages: 0,
            mentions_cut: 0,
            mentions_limit: loom.bench.plan.weave.max_outbound_links,
        };
        Self {
            loom,
            node,
            retries: RetryPolicy::of(&loom.bench.plan.fetch),
            rules: HashMap::new(),
            crawl_delay: Duration::ZERO,
            rest_until: None,
            is_throttled: false,
            is_first_look: false,
            first_attempt: 1,
            requested: HashSet::new(),
            candidates: VecDeque::new(),
            queued: HashSet::new(),
            places: HashMap::new(),
            found,
        }
    }

    /// The front page stands for the host. It is asked for by https, and by http when https cannot be had.
    async fn front_page(&mut self) {
        self.is_first_look = true;
        let secure = self.fetch_within_host(self.node.host.front_page("https")).await;
        let speaks_https = !std::mem::take(&mut self.is_first_look);
        let page = match &secure.outcome {
            Outcome::Failed(failure) if may_respond_over_http(failure.kind) => {
                let plain = self.front_page_by_http().await;
                let may_retry = self.retries.attempts > 1;
                match plain.outcome {
                    // What went wrong by https says more about a host that speaks it.
                    Outcome::Failed(_) if speaks_https => secure,
                    Outcome::Failed(_) if may_retry && is_worth_another(&secure, &plain) => {
                        self.front_page_again(plain).await
                    }
                    _ => further(secure, plain),
                }
            }
            _ => secure,
        };
        self.found.reason = page.own_reason();
        self.take(&page);
    }

    async fn front_page_by_http(&mut self) -> Visit {
        self.look_again_at_https();
        self.fetch_within_host(self.node.host.front_page("http")).await
    }

    /// Whatever leads to https from now on, the host gets another chance there.
    fn look_again_at_https(&mut self) {
        self.requested.clear();
        let https = self.node.host.front_page("https");
        if matches!(self.rules.get(https.origin()), Some(Err(_))) {
            self.rules.remove(https.origin());
        }
    }

    /// The first look at https was a short one. Nobody was there by http either, so that it is asked for once more.
    async fn front_page_again(&mut self, plain: Visit) -> Visit {
        let url = self.node.host.front_page("https");
        self.sleep(self.retries.delay(1)).await;
        self.look_again_at_https();
        self.first_attempt = 2;
        let secure = self.fetch_within_host(url).await;
        self.first_attempt = 1;
        if matches!(secure.outcome, Outcome::Failed(_)) { further(secure, plain) } else { secure }
    }

    /// The next address of the host, as long as it may be asked for more pages.
    fn next_page(&mut self) -> Option<CanonicalUrl> {
        if self.is_throttled {
            return None;
        }
        self.candidates.retain(|url| !self.requested.contains(url.path_and_query()));
        if self.found.crawl_count() >= self.loom.bench.plan.weave.max_crawls_per_node {
            self.found.pages_cut = self.candidates.len() as u32;
            return None;
        }
        self.candidates.pop_front()
    }

    /// Asks for an address, and follows redirects as long as they stay on the host. The attempts are those of the chain.
    async fn fetch_within_host(&mut self, url: CanonicalUrl) -> Visit {
        let mut chain = vec![url];
        let mut attempts = 0;
        loop {
            let url = chain.last().expect("a chain begins with an address").clone();
            self.requested.insert(url.path_and_query().to_owned());
            let mut visit = self.request(&url).await;
            attempts += visit.attempts;
            visit.attempts = attempts;
            let Outcome::Redirected { to: Some(to) } = &visit.outcome else { return visit };
            if Host::of(to).as_ref() != Some(&self.node.host) {
                return visit;
            }
            if chain.contains(to) {
                return Visit { outcome: Outcome::RedirectLoop, ..visit };
            }
            // A page that was had before this chain is not asked for again; from http to https it is the same page.
            let is_of_chain = chain.iter().any(|earlier| earlier.path_and_query() == to.path_and_query());
            if self.requested.contains(to.path_and_query()) && !is_of_chain {
                return visit;
            }
            if chain.len() > self.loom.bench.plan.limits.redirects as usize {
                return Visit { attempts, ..Visit::refused(visit.row, Refusal::TooManyRedirects, "") };
            }
            chain.push(to.clone());
        }
    }

    /// Asks for one address, as robots.txt and the pace of the host allow, and again when it may pass.
    async fn request(&mut self, url: &CanonicalUrl) -> Visit {
        let row = self.row(url);
        let robots = match self.rules_of(url).await {
            Ok(robots) => robots,
            Err(outcome) => {
                let attempts = u32::from(matches!(outcome, Outcome::Failed(_)));
                return Visit { attempts, ..Visit::without_response(row, outcome) };
            }
        };
        let report = robots.and_then(|robots| forbidding_line(&robots, url));
        if let Some(line) = report.clone().filter(|_| self.mode() == RobotsMode::Respect) {
            return Visit::refused(row, Refusal::Robots, line);
        }
        let mut attempt = self.first_attempt;
        loop {
            let turn = self.turn(url).await;
            let fetched = self.loom.bench.fetch(&row, Take::Body(self.loom.bench.plan.fetch.body_limit), attempt).await;
            let busy = turn.end();
            let Some(wait) = self.wait_before_another(&fetched, attempt) else {
                let timings = fetched.timings;
                let parsed = self.loom.bench.parse(&row, fetched).await;
                let visit = Visit { attempts: attempt, robots_report: report, timings, ..Visit::of(row, parsed) };
                tracing::debug!(url = %url.for_log(), attempt, status = visit.status(), "visited");
                return visit;
            };
            drop(busy);
            self.sleep(wait).await;
            attempt += 1;
        }
    }

    /// How long to wait before another attempt, if one is worth making.
    fn wait_before_another(&mut self, fetched: &Fetched, attempt: u32) -> Option<Duration> {
        let now = SystemTime::now();
        let longest = Duration::from_millis(self.loom.bench.plan.politeness.max_retry_after_ms);
        let verdict = judge(fetched, now);
        if let (Verdict::Keep, Ok(response)) = (verdict, &fetched.result) {
            let rest = rate_limit(&response.headers, now).filter(|rest| *rest <= longest);
            self.rest_until = rest.map(|rest| Instant::now() + rest);
        }
        let requested_wait = match verdict {
            Verdict::Keep => return None,
            // Where nobody listens, somebody will not begin to in a few seconds.
            Verdict::Retry if is_lasting_here(fetched, self.is_first_look) => return None,
            Verdict::Retry => Duration::ZERO,
            Verdict::Throttled { wait } => wait.unwrap_or_default(),
        };
        let is_last = attempt >= self.retries.attempts || requested_wait > longest;
        // A host that still wants to be left alone was asked often enough for now.
        self.is_throttled |= is_last && matches!(verdict, Verdict::Throttled { .. });
        (!is_last).then(|| requested_wait.max(self.retries.delay(attempt)))
    }

    /// What robots.txt says; it is asked for once.
    async fn rules_of(&mut self, url: &CanonicalUrl) -> Result<Option<Arc<HostRobots>>, Outcome> {
        if self.mode() == RobotsMode::Ignore {
            return Ok(None);
        }
        if let Some(rules) = self.rules.get(url.origin()) {
            return rules.clone();
        }
        let rules = self.request_rules(&url.at_path("/robots.txt")).await;
        if let Ok(Some(robots)) = &rules {
            self.is_first_look = false;
            let longest = Duration::from_millis(self.loom.bench.plan.politeness.max_crawl_delay_ms);
            self.crawl_delay = self.crawl_delay.max(robots.rules.crawl_delay().unwrap_or_default().min(longest));
        }
        self.rules.insert(url.origin().to_owned(), rules.clone());
        rules
    }

    async fn request_rules(&self, url: &CanonicalUrl) -> Result<Option<Arc<HostRobots>>, Outcome> {
        let mut attempt = self.first_attempt;
        loop {
            let turn = self.turn(url).await;
            let response = self.loom.bench.rules_or_panic(url).await;
            drop(turn);
            let longest = Duration::from_millis(self.loom.bench.plan.politeness.max_retry_after_ms);
            let requested_wait = match &response {
                RulesResponse::ServerError { wait, .. } => wait.unwrap_or_default(),
                RulesResponse::Rules(_) | RulesResponse::Failed(_) => Duration::ZERO,
            };
            let is_last = attempt >= self.retries.attempts || requested_wait > longest;
            match response {
                RulesResponse::Rules(robots) => return Ok(Some(Arc::new(robots))),
                RulesResponse::ServerError { .. } if is_last && self.mode() == RobotsMode::IgnoreReport => {
                    return Ok(None);
                }
                RulesResponse::ServerError { status, .. } if is_last => {
                    let detail = format!("its robots.txt is unavailable: status {status}").into();
                    return Err(Outcome::Refused { refusal: Refusal::RobotsUnreachable, detail });
                }
                RulesResponse::Failed(failure) if is_last || is_lasting(failure.kind, self.is_first_look) => {
                    return Err(Outcome::Failed(failure));
                }
                RulesResponse::ServerError { .. } | RulesResponse::Failed(_) => {}
            }
            self.sleep(self.retries.delay(attempt).max(requested_wait)).await;
            attempt += 1;
        }
    }

    /// Waits; when the weave is stopped, for ever: whoever stopped it ends this visit.
    async fn sleep(&self, time: Duration) {
        if self.loom.stop.is_cancelled() {
            std::future::pending().await
        }
        // The timer takes a millisecond for nothing.
        if time.is_zero() {
            return;
        }
        tokio::select! {
            () = self.loom.stop.cancelled() => std::future::pending().await,
            () = tokio::time::sleep(time) => {}
        }
    }

    /// Waits until the host may be asked.
    async fn turn(&self, url: &CanonicalUrl) -> Slot<'a> {
        if let Some(until) = self.rest_until {
            self.sleep(until.saturating_duration_since(Instant::now())).await;
        }
        let politeness = &self.loom.bench.plan.politeness;
        let spacing = if politeness.rate > 0.0 { 1.0 / politeness.rate } else { 0.0 };
        // This visit makes one request at a time; another crawl of the process may be asking the host, too.
        let at_once = politeness.parallelism;
        let limits = Limits { spacing: Duration::from_secs_f64(spacing), delay: self.crawl_delay, at_once };
        let authority: Box<str> = url.authority().into();
        loop {
            // Nothing is begun after a stop.
            self.sleep(Duration::ZERO).await;
            match self.loom.paces.request(&authority, Instant::now(), limits) {
                Permission::Granted => {
                    let busy = Busy::new(&self.loom.under_way);
                    return Slot { paces: &self.loom.paces, authority, busy: Some(busy) };
                }
                Permission::NotBefore(moment) => {
                    self.sleep(moment.saturating_duration_since(Instant::now())).await;
                }
                Permission::Busy => self.sleep(LOOK_AGAIN).await,
            }
        }
    }

    fn mode(&self) -> RobotsMode {
        self.loom.bench.plan.politeness.robots
    }

    /// The fetcher's idea of a page of this host.
    fn row(&self, url: &CanonicalUrl) -> UrlRow {
        UrlRow {
            number: self.node.number,
            url: url.clone(),
            parent: None,
            source: Source::Spider,
            kind: LinkKind::Anchor,
            depth: Depth { steps: self.node.depth, from_seed: true },
            hops: 0,
            redirects: 0,
            base: 0,
            is_internal: true,
            action: Action::Crawl,
            task: Task::Page,
            turn: None,
            reason: Reason::Queued,
        }
    }

    /// Takes down what a page says about its host, and which hosts and pages it links to.
    fn take(&mut self, visit: &Visit) {
        self.found.pages.push(page_of(visit));
        self.found.partial_pages += u32::from(what_is_missing(visit).is_some());
        if let Some(page) = visit.page.as_ref().filter(|_| self.found.description.is_empty()) {
            let texts = [page.title.as_deref(), page.description.as_deref()];
            let described = texts.into_iter().flatten().map(collapse).find(|text| !text.is_empty());
            self.found.description =
                described.map(|text| cut(&text, DESCRIPTION).trim_end().to_owned()).unwrap_or_default();
        }
        self.take_hosts(visit);
        let says_nofollow = visit.directives.nofollow;
        let follows_all = self.loom.bench.plan.scope.follow_internal_nofollow;
        let skips_files = self.loom.bench.plan.scope.skip_files;
        let longest_url = self.loom.bench.plan.limits.url_length;
        for link in visit.links.iter().filter(|link| is_hyperlink(link.kind)) {
            let is_followed = follows_all || link.is_followed(says_nofollow);
            let target = link.target();
            let is_own = Host::of(&target).as_ref() == Some(&self.node.host);
            let is_file = skips_files && names_a_file(target.path());
            let is_page = !is_file && default_action(&target) == Action::Crawl;
            let is_short = longest_url == 0 || target.as_str().len() <= longest_url;
            let is_short = is_short && target.is_whole();
            let is_wanted = is_own && is_followed && is_page && is_short && self.candidates.len() < CANDIDATES;
            if is_wanted && self.queued.insert(target.path_and_query().to_owned()) {
                self.candidates.push_back(target);
            }
        }
    }

    /// The hosts that a page links to: each once, in the order of the links, as many as a page may add.
    fn take_hosts(&mut self, visit: &Visit) {
        let limit = self.loom.bench.plan.weave.max_outbound_links;
        let mut on_this_page = HashSet::new();
        let (mut taken, mut taken_excluded) = (0, 0);
        let leads_to = |kind| is_hyperlink(kind) || kind == LinkKind::Redirect;
        for link in visit.links.iter().filter(|link| leads_to(link.kind)) {
            let Some(host) = Host::of(&link.target()).filter(|host| *host != self.node.host) else { continue };
            if !on_this_page.insert(host.clone()) {
                continue;
            }
            let is_excluded = self.loom.exclusions.has(&host);
            let taken = if is_excluded { &mut taken_excluded } else { &mut taken };
            if limit > 0 && *taken == limit {
                self.found.mentions_cut += u32::from(!is_excluded);
                continue;
            }
            *taken += 1;
            let place = *self.places.entry(host.clone()).or_insert_with(|| {
                self.found.mentions.push(Mention { host, pages: 0, is_excluded });
                self.found.mentions.len() - 1
            });
            self.found.mentions[place].pages += 1;
        }
    }
}

/// A request that counts as under way for everybody who asks the host.
struct Slot<'a> {
    paces: &'a Paces,
    authority: Box<str>,
    busy: Option<Busy<'a>>,
}

impl<'a> Slot<'a> {
    /// The request is over; what it brought is still to be read.
    fn end(mut self) -> Option<Busy<'a>> {
        self.busy.take()
    }
}

/// Something that a stop waits for.
struct Busy<'a>(&'a watch::Sender<usize>);

impl<'a> Busy<'a> {
    fn new(under_way: &'a watch::Sender<usize>) -> Self {
        under_way.send_modify(|count| *count += 1);
        Self(under_way)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.paces.done(&self.authority, Instant::now());
    }
}

fn page_of(visit: &Visit) -> NodePage {
    let detail = match &visit.outcome {
        Outcome::Refused { detail, .. } => Some(detail.clone()),
        Outcome::Failed(failure) => Some(failure.detail.clone()),
        _ => visit.robots_report.clone().or_else(|| what_is_missing(visit)),
    };
    NodePage {
        url: visit.url().clone(),
        reason: visit.own_reason(),
        detail: detail.filter(|detail| !detail.is_empty()),
        status: visit.status(),
        attempts: visit.attempts,
        elapsed: visit.elapsed(),
        bytes: visit.response.as_ref().map_or(0, |response| response.wire_bytes),
    }
}

/// What of a page was not read, because of a limit or because it never came.
fn what_is_missing(visit: &Visit) -> Option<Box<str>> {
    let cut = visit.response.as_ref().and_then(|response| response.cut);
    match (cut, visit.links_cut) {
        (Some(cut), _) => Some(format!("only a part of it was read: {cut}").into()),
        (None, 0) => None,
        (None, links) => {
            Some(format!("{links} of its links were not read: it has more than limits.links_per_page").into())
        }
    }
}

/// What people click on.
fn is_hyperlink(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::Anchor | LinkKind::Area)
}

fn forbidding_line(robots: &HostRobots, url: &CanonicalUrl) -> Option<Box<str>> {
    match robots.rules.verdict(url) {
        RobotsVerdict::Allowed => None,
        RobotsVerdict::Disallowed { line, rule } => Some(format!("line {line}: {rule}").into()),
        RobotsVerdict::Unreachable => Some("robots.txt cannot be had".into()),
    }
}
