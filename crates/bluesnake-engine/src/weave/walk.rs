//! One host: its front page first, then the pages it links to, in link order.
//!
//! Pure: a walk returns the next URL, one at a time, and receives its visit. The result of a host depends on that
//! host alone: not on other hosts, timing or parallelism. Start with [`Walk::take`].

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::host::{Exclusions, Host};
use super::store::{Mention, NodePage, NodeRow, NodeVisit};
use super::way::{further, is_worth_another, may_respond_over_http};
use crate::admit::scope::names_a_file;
use crate::admit::{Refusal, Task, UrlRow};
use crate::discover::default_action;
use crate::fetch::FailureKind;
use crate::frontier::Look;
use crate::ledger::Admitted;
use crate::link::LinkKind;
use crate::parse::text::{collapse, cut};
use crate::plan::{CrawlPlan, RobotsMode};
use crate::receipt::Action;
use crate::url::CanonicalUrl;
use crate::visit::{Outcome, Visit};

/// Maximum length of a description, in characters.
pub const DESCRIPTION: usize = 60;
/// How many URLs of a host to remember as candidates for its next page.
const CANDIDATES: usize = 1000;

/// State shared by all walks.
#[derive(Debug)]
pub(super) struct Loom {
    pub(super) plan: Arc<CrawlPlan>,
    pub(super) exclusions: Exclusions,
}

/// What a walk needs next.
pub(super) enum Step {
    /// A visit of this URL.
    Request(Admitted, Look),
    /// Nothing: the host is done.
    Done,
}

/// Which page of the host is being requested.
enum Stage {
    /// The front page over https, to see whether the host supports it.
    Https,
    /// The front page over http, after https failed like this.
    Http { secure: Box<Visit> },
    /// The front page over https again: the first look was short, and http failed like this.
    HttpsAgain { plain: Box<Visit> },
    /// Further pages.
    Pages,
}

/// A walk through the pages of one host.
pub(super) struct Walk {
    loom: Arc<Loom>,
    node: NodeRow,
    stage: Stage,
    /// Whether robots.txt showed that the host supports https.
    speaks_https: bool,
    /// Whether the host keeps rate-limiting us.
    is_throttled: bool,
    /// The requested URL and its redirects.
    chain: Vec<CanonicalUrl>,
    /// Attempts of the chain so far.
    attempts: u32,
    origins: Vec<Box<str>>,
    /// Requested paths; the same path over http and https is one page.
    requested: HashSet<String>,
    candidates: VecDeque<CanonicalUrl>,
    /// Paths that are or were candidates.
    queued: HashSet<String>,
    places: HashMap<Host, usize>,
    found: NodeVisit,
}

impl Walk {
    /// Starts with the front page.
    pub(super) fn begin(loom: &Arc<Loom>, node: NodeRow) -> (Self, Step) {
        let found = NodeVisit {
            number: node.number,
            reason: node.reason,
            description: String::new(),
            pages: Vec::new(),
            mentions: Vec::new(),
            pages_cut: 0,
            pages_limit: loom.plan.weave.max_crawls_per_node,
            partial_pages: 0,
            mentions_cut: 0,
            mentions_limit: loom.plan.weave.max_outbound_links,
        };
        let front_page = node.host.front_page("https");
        let mut walk = Self {
            loom: Arc::clone(loom),
            node,
            stage: Stage::Https,
            speaks_https: false,
            is_throttled: false,
            chain: Vec::new(),
            attempts: 0,
            origins: Vec::new(),
            requested: HashSet::new(),
            candidates: VecDeque::new(),
            queued: HashSet::new(),
            places: HashMap::new(),
            found,
        };
        let first = walk.request(front_page, Look::Once);
        (walk, first)
    }

    /// Ends the walk. Returns its result and the origins requested.
    pub(super) fn end(self) -> (NodeVisit, Vec<Box<str>>) {
        (self.found, self.origins)
    }

    /// Takes the visit of the last requested URL. Follows redirects within the host.
    pub(super) fn take(&mut self, mut visit: Box<Visit>) -> Step {
        let reads_robots = self.loom.plan.politeness.robots != RobotsMode::Ignore;
        // A page is requested only after robots.txt responded.
        self.speaks_https |= matches!(self.stage, Stage::Https) && reads_robots && visit.attempts > 0;
        self.is_throttled |= is_throttled(&visit);
        // If robots.txt failed, that was the attempt.
        self.attempts += visit.attempts.max(u32::from(matches!(visit.outcome, Outcome::Failed(_))));
        visit.attempts = self.attempts;
        if let Some(next) = self.redirect_within_host(&mut visit) {
            let is_first_look = matches!(self.stage, Stage::Https) && !self.speaks_https;
            return self.request(next, if is_first_look { Look::Once } else { Look::Full });
        }
        match std::mem::replace(&mut self.stage, Stage::Pages) {
            Stage::Https => match &visit.outcome {
                Outcome::Failed(failure) if may_respond_over_http(failure.kind) => {
                    self.front_page(Stage::Http { secure: visit }, "http", Look::Full)
                }
                _ => self.take_front_page(&visit),
            },
            Stage::Http { secure } => {
                let is_failed = matches!(visit.outcome, Outcome::Failed(_));
                let may_retry = self.loom.plan.fetch.attempts > 1;
                if is_failed && self.speaks_https {
                    // For a host that supports https, the https failure says more.
                    self.take_front_page(&secure)
                } else if is_failed && may_retry && is_worth_another(&secure, &visit) {
                    self.front_page(Stage::HttpsAgain { plain: visit }, "https", Look::Again)
                } else {
                    self.take_front_page(&further(secure, visit))
                }
            }
            Stage::HttpsAgain { plain } => {
                let is_failed = matches!(visit.outcome, Outcome::Failed(_));
                let page = if is_failed { further(visit, plain) } else { visit };
                self.take_front_page(&page)
            }
            Stage::Pages => {
                self.take_down(&visit);
                self.next_page()
            }
        }
    }

    /// Requests the front page another way. A later redirect to https gives the host another chance there.
    fn front_page(&mut self, stage: Stage, scheme: &str, look: Look) -> Step {
        self.stage = stage;
        self.requested.clear();
        self.begin_chain(self.node.host.front_page(scheme), look)
    }

    /// The front page's result is the host's result.
    fn take_front_page(&mut self, page: &Visit) -> Step {
        self.found.reason = page.own_reason();
        self.take_down(page);
        self.next_page()
    }

    /// The next page of the host, within the page limit.
    fn next_page(&mut self) -> Step {
        self.candidates.retain(|url| !self.requested.contains(url.path_and_query()));
        let is_enough = self.found.crawl_count() >= self.loom.plan.weave.max_crawls_per_node;
        if is_enough && !self.is_throttled {
            self.found.pages_cut = self.candidates.len() as u32;
        }
        match self.candidates.pop_front().filter(|_| !is_enough && !self.is_throttled) {
            Some(url) => self.begin_chain(url, Look::Full),
            None => Step::Done,
        }
    }

    fn begin_chain(&mut self, url: CanonicalUrl, look: Look) -> Step {
        self.chain.clear();
        self.attempts = 0;
        self.request(url, look)
    }

    fn request(&mut self, url: CanonicalUrl, look: Look) -> Step {
        self.requested.insert(url.path_and_query().to_owned());
        if !self.origins.iter().any(|origin| **origin == *url.origin()) {
            self.origins.push(url.origin().into());
        }
        self.chain.push(url.clone());
        Step::Request(
            Admitted::outside_the_ledger(UrlRow::of_host(self.node.number, self.node.depth, url, Task::Page)),
            look,
        )
    }

    /// The target of a redirect within the host, if it is to be followed.
    fn redirect_within_host(&self, visit: &mut Box<Visit>) -> Option<CanonicalUrl> {
        let Outcome::Redirected { to: Some(to) } = &visit.outcome else { return None };
        if Host::of(to).as_ref() != Some(&self.node.host) {
            return None;
        }
        if self.chain.contains(to) {
            visit.outcome = Outcome::RedirectLoop;
            return None;
        }
        // A page fetched before this chain is not requested again; from http to https it is the same page.
        let is_of_chain = self.chain.iter().any(|earlier| earlier.path_and_query() == to.path_and_query());
        if self.requested.contains(to.path_and_query()) && !is_of_chain {
            return None;
        }
        if self.chain.len() > self.loom.plan.limits.redirects as usize {
            let refused = Visit::refused(visit.row.clone(), Refusal::TooManyRedirects, "");
            **visit = Visit { attempts: visit.attempts, ..refused };
            return None;
        }
        Some(to.clone())
    }

    /// Records what a page says about its host, and the hosts and pages it links to.
    fn take_down(&mut self, visit: &Visit) {
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
        let follows_all = self.loom.plan.scope.follow_internal_nofollow;
        let skips_files = self.loom.plan.scope.skip_files;
        let longest_url = self.loom.plan.limits.url_length;
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

    /// The hosts a page links to, each once, in link order, up to the limit per page.
    fn take_hosts(&mut self, visit: &Visit) {
        let limit = self.loom.plan.weave.max_outbound_links;
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

/// Whether the last attempt got 429, so that the host is left alone.
fn is_throttled(visit: &Visit) -> bool {
    let is_given_up = matches!(&visit.outcome, Outcome::Failed(failure) if failure.kind == FailureKind::Throttled);
    is_given_up || matches!(visit.status(), Some(429 | 503))
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

/// Which part of a page was not read, because of a limit or a broken connection.
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

/// Links that users click.
fn is_hyperlink(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::Anchor | LinkKind::Area)
}
