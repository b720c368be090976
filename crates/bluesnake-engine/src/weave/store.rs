//! Where a graph is kept: the port of a weave.
//!
//! A store applies each call as one transaction, so a weave that is killed at any moment goes on where it was: a host is
//! pending until all it brought is stored, and what it mentions is kept until it has been numbered.

use std::collections::HashMap;
use std::time::Duration;

use super::host::Host;
use crate::admit::Refusal;
use crate::receipt::{Disposition, Number, Reason, Receipt};
use crate::store::{BoxFuture, StoreError};
use crate::url::CanonicalUrl;

/// One host of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Its place among all hosts of the graph, from 1.
    pub number: Number,
    /// The host.
    pub host: Host,
    /// How many links it is away from a starting point.
    pub depth: u32,
    /// Where it ended up and why, or that it waits.
    pub reason: Reason,
}

/// One page that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePage {
    /// Its address; after redirects within the host, the last one.
    pub url: CanonicalUrl,
    /// What came of it.
    pub reason: Reason,
    /// More about it, where there is more to say.
    pub detail: Option<Box<str>>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// Requests that were made for it.
    pub attempts: u32,
    /// How long the answer took, in the last attempt.
    pub elapsed: Duration,
    /// Bytes of the body on the wire.
    pub bytes: u64,
}

impl NodePage {
    /// Whether an answer came that could be read as what it is: an error page, a redirect and a file are none.
    pub fn is_page(&self) -> bool {
        self.reason == Reason::Page
    }

    /// Whether anybody was asked at all.
    pub fn was_requested(&self) -> bool {
        self.attempts > 0
    }
}

/// A host that a page mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The host.
    pub host: Host,
    /// On how many pages it is mentioned.
    pub pages: u32,
    /// Whether it is on the list of hosts that are left out.
    pub is_excluded: bool,
}

/// Everything one host brought home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeVisit {
    /// The host.
    pub number: Number,
    /// Where it ended up: what came of its front page.
    pub reason: Reason,
    /// Its title or description, at most [`DESCRIPTION`](super::DESCRIPTION) characters.
    pub description: String,
    /// The pages that were asked for, in order.
    pub pages: Vec<NodePage>,
    /// The hosts that its pages mention, in the order of first mention.
    pub mentions: Vec<Mention>,
    /// How many of its pages were known and not asked for, because a host is asked for so many only.
    pub pages_cut: u32,
    /// So many.
    pub pages_limit: u32,
    /// How many of its pages were read in part only, because they are too large or broke off.
    pub partial_pages: u32,
    /// How many hosts were mentioned beyond the limit for a page.
    pub mentions_cut: u32,
    /// That limit; 0 = there was none.
    pub mentions_limit: u32,
}

impl NodeVisit {
    /// Whether the host could not be had, and may be another time.
    pub fn is_unreachable(&self) -> bool {
        is_unreachable(self.reason, self.pages.first().and_then(|page| page.status))
    }

    /// Whether it brought less than an earlier visit of the host because something failed that may do better another time.
    pub fn falls_short(&self, was_reachable_earlier: bool, pages_earlier: usize) -> bool {
        let may_pass = |page: &NodePage| is_unreachable(page.reason, page.status);
        let lost_pages = self.pages_read() < pages_earlier && self.pages.iter().any(may_pass);
        was_reachable_earlier && (self.is_unreachable() || lost_pages)
    }

    /// How many pages were read.
    pub fn pages_read(&self) -> usize {
        self.pages.iter().filter(|page| page.is_page()).count()
    }

    /// How many pages were asked for.
    pub fn crawl_count(&self) -> u32 {
        self.pages.iter().filter(|page| page.was_requested()).count() as u32
    }
}

/// A mention that was stored and is to be numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMention {
    /// The host that mentions it.
    pub from: Number,
    /// Its place among the mentions of that host.
    pub position: u32,
    /// What is mentioned.
    pub mention: Mention,
}

/// One link of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The host whose pages link.
    pub from: Number,
    /// The host they link to.
    pub to: Number,
    /// On how many pages.
    pub weight: u32,
}

/// What numbering some mentions changes; a store applies all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// Hosts that are new. One that was refused before is not refused any more.
    pub nodes: Vec<NodeRow>,
    /// Hosts that turn out to be nearer than they were, with their new depths. What they link to may come nearer by it, too.
    pub nearer: Vec<(Number, u32)>,
    /// Links.
    pub edges: Vec<Edge>,
    /// Hosts that do not become nodes, and why. One that is refused already stays as it is.
    pub refused: Vec<(Host, Refusal)>,
    /// The mentions that were taken up, by host and position; they are done with.
    pub taken: Vec<(Number, u32)>,
}

/// Which of the hosts that were visited are to be visited once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Those that could not be had, now or when they were visited once more.
    pub failed: bool,
    /// Those with pages left, where a host was asked for fewer than these.
    pub pages: u32,
    /// Those that mention more hosts than were taken, where the limit was less than this; 0 = any number.
    pub mentions: u32,
    /// Only hosts up to this depth.
    pub depth: u32,
}

impl Again {
    /// Whether a host is to be visited once more that was left with this.
    pub fn includes(&self, visit: &NodeVisit) -> bool {
        let has_more_pages = visit.pages_cut > 0 && visit.pages_limit < self.pages;
        let takes_more = visit.mentions_limit > 0 && (self.mentions == 0 || visit.mentions_limit < self.mentions);
        let is_throttled = visit.pages.iter().any(|page| page.status == Some(TOO_MANY_REQUESTS));
        let has_failed = visit.is_unreachable() || is_throttled;
        has_more_pages || (visit.mentions_cut > 0 && takes_more) || (self.failed && has_failed)
    }
}

/// How hosts end that answer, but not with what was asked for, and may do better another time.
pub const MAY_PASS: [Reason; 2] = [Reason::ServerError, Reason::Refused(Refusal::RobotsUnreachable)];
/// The answer of a host that wants to be left alone for a while.
pub const TOO_MANY_REQUESTS: u16 = 429;

/// Whether a host could not be had whose front page came to this.
pub fn is_unreachable(reason: Reason, status: Option<u16>) -> bool {
    reason.disposition() == Disposition::Failed || MAY_PASS.contains(&reason) || status == Some(TOO_MANY_REQUESTS)
}

/// What is known of some hosts and domains.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Hosts that are nodes: number and depth.
    pub nodes: HashMap<Host, (Number, u32)>,
    /// For each domain, how many of its subdomains are nodes; those without any may be missing.
    pub subdomains: HashMap<String, u32>,
}

/// How many hosts are named as ones that answered.
pub const ANSWERED: usize = 3;

/// Where a graph stands.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// How many hosts are nodes; it is the highest number.
    pub nodes: u32,
    /// The smallest depth of hosts that are pending.
    pub pending_depth: Option<u32>,
    /// The smallest depth of hosts whose mentions are not numbered.
    pub mentions_depth: Option<u32>,
    /// Where every host ended up; refused ones count too.
    pub receipt: Receipt,
    /// The first hosts that answered, a few of them.
    pub responded: Vec<Host>,
}

/// Where a weave keeps its graph.
pub trait WeaveStore: Send + Sync {
    /// Where the graph stands.
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>>;

    /// Pending hosts of a depth with numbers above `after`, in the order of numbers, at most `limit`.
    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>>;

    /// Stores what hosts brought home. A host that is not pending keeps what it has. What it brought in an earlier visit
    /// gives way, unless the new one [falls short](NodeVisit::falls_short): then only the limits are taken down, so that it is
    /// not asked for the same again.
    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Mentions of hosts of a depth that are not numbered, in the order of (number, position), at most `limit`.
    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>>;

    /// What is known of these hosts and of their domains.
    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>>;

    /// Lets the graph grow.
    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Makes hosts pending that are to be visited once more. What they brought stays until the next visit is stored.
    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Sees to it that hosts which were not visited are pending up to this depth, and too deep beyond it. Those that were
    /// to be visited once more, and are beyond it, stay as they were.
    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>>;
}
