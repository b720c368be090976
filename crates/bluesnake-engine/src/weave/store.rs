//! Where a graph is stored: the store port of a weave.
//!
//! A store applies each call as one transaction, so a weave killed at any moment resumes where it was: a host is
//! pending until its whole result is stored, and its mentions are kept until they are numbered.

use std::collections::HashMap;
use std::time::Duration;

use super::host::Host;
use crate::admit::Refusal;
use crate::receipt::{Disposition, Number, Reason, Receipt};
use crate::space::weight_of;
use crate::store::{BoxFuture, StoreError};
use crate::url::CanonicalUrl;

/// One host of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    /// Its number among all hosts of the graph, from 1.
    pub number: Number,
    /// The host.
    pub host: Host,
    /// How many links it is away from a seed.
    pub depth: u32,
    /// Where it ended up and why, or that it is pending.
    pub reason: Reason,
}

/// One requested page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePage {
    /// Its URL; after redirects within the host, the last one.
    pub url: CanonicalUrl,
    /// Its result.
    pub reason: Reason,
    /// Details, if any.
    pub detail: Option<Box<str>>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// Requests made for it.
    pub attempts: u32,
    /// The response time of the last attempt.
    pub elapsed: Duration,
    /// Bytes of the body on the wire.
    pub bytes: u64,
}

impl NodePage {
    /// Whether the response was a readable page rather than an error page, a redirect or a file.
    pub fn is_page(&self) -> bool {
        self.reason == Reason::Page
    }

    /// Whether a request was made at all.
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
    /// Whether it is on the exclusion list.
    pub is_excluded: bool,
}

/// The complete result of visiting one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeVisit {
    /// The host.
    pub number: Number,
    /// Where it ended up: the result of its front page.
    pub reason: Reason,
    /// Its title or description, at most [`DESCRIPTION`](super::DESCRIPTION) characters.
    pub description: String,
    /// The requested pages, in order.
    pub pages: Vec<NodePage>,
    /// The hosts its pages mention, in order of first mention.
    pub mentions: Vec<Mention>,
    /// How many known pages were not requested because of the page limit.
    pub pages_cut: u32,
    /// That limit.
    pub pages_limit: u32,
    /// How many pages were read only in part, because they are too large or were cut off.
    pub partial_pages: u32,
    /// How many mentioned hosts exceeded the limit per page.
    pub mentions_cut: u32,
    /// That limit; 0 = none.
    pub mentions_limit: u32,
}

impl NodeVisit {
    /// Whether the host failed in a way that may pass.
    pub fn is_unreachable(&self) -> bool {
        is_unreachable(self.reason, self.pages.first().and_then(|page| page.status))
    }

    /// Whether it found less than an earlier visit because of a failure that may pass.
    pub fn falls_short(&self, was_reachable_earlier: bool, pages_earlier: usize) -> bool {
        let may_pass = |page: &NodePage| is_unreachable(page.reason, page.status);
        let lost_pages = self.pages_read() < pages_earlier && self.pages.iter().any(may_pass);
        was_reachable_earlier && (self.is_unreachable() || lost_pages)
    }

    /// How many pages were read.
    pub fn pages_read(&self) -> usize {
        self.pages.iter().filter(|page| page.is_page()).count()
    }

    /// Its memory in bytes.
    pub(crate) fn weight(&self) -> usize {
        let of_page = |page: &NodePage| page.url.as_str().len() + page.detail.as_deref().map_or(0, str::len);
        let mentions = weight_of(&self.mentions, |mention| mention.host.as_str().len());
        size_of::<Self>() + self.description.len() + weight_of(&self.pages, of_page) + mentions
    }

    /// How many pages were requested.
    pub fn crawl_count(&self) -> u32 {
        self.pages.iter().filter(|page| page.was_requested()).count() as u32
    }
}

/// A stored mention that has not been numbered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMention {
    /// The host that mentions it.
    pub from: Number,
    /// Its position among the mentions of that host.
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

/// The changes from numbering some mentions; a store applies all of them or none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// New hosts. Hosts refused earlier are no longer refused.
    pub nodes: Vec<NodeRow>,
    /// Hosts found at a smaller depth, with their new depths. Hosts they link to may move up too.
    pub nearer: Vec<(Number, u32)>,
    /// Links.
    pub edges: Vec<Edge>,
    /// Hosts that do not become nodes, and why. Hosts already refused stay as they are.
    pub refused: Vec<(Host, Refusal)>,
    /// The mentions that are now numbered, by host and position.
    pub taken: Vec<(Number, u32)>,
}

/// Which visited hosts to visit again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Those that failed, in the first or a repeated visit.
    pub failed: bool,
    /// Those with pages left whose page limit was below this.
    pub pages: u32,
    /// Those that mention more hosts than were taken and whose limit was below this; 0 = unlimited.
    pub mentions: u32,
    /// Only hosts up to this depth.
    pub depth: u32,
}

impl Again {
    /// Whether to revisit a host with this result.
    pub fn includes(&self, visit: &NodeVisit) -> bool {
        let has_more_pages = visit.pages_cut > 0 && visit.pages_limit < self.pages;
        let takes_more = visit.mentions_limit > 0 && (self.mentions == 0 || visit.mentions_limit < self.mentions);
        let is_throttled = visit.pages.iter().any(|page| page.status == Some(TOO_MANY_REQUESTS));
        let has_failed = visit.is_unreachable() || is_throttled;
        has_more_pages || (visit.mentions_cut > 0 && takes_more) || (self.failed && has_failed)
    }
}

/// Outcomes of hosts that respond, but with errors that may pass.
pub const MAY_PASS: [Reason; 2] = [Reason::ServerError, Reason::Refused(Refusal::RobotsUnreachable)];
/// The status of a rate-limiting host.
pub const TOO_MANY_REQUESTS: u16 = 429;

/// Whether a host with this front-page result was unreachable.
pub fn is_unreachable(reason: Reason, status: Option<u16>) -> bool {
    reason.disposition() == Disposition::Failed || MAY_PASS.contains(&reason) || status == Some(TOO_MANY_REQUESTS)
}

/// What is known of some hosts and domains.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Hosts that are nodes: number and depth.
    pub nodes: HashMap<Host, (Number, u32)>,
    /// For each domain, how many of its subdomains are nodes; domains without any may be missing.
    pub subdomains: HashMap<String, u32>,
}

/// How many responding hosts to report.
pub const ANSWERED: usize = 3;

/// The state of a graph.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// How many hosts are nodes; also the highest number.
    pub nodes: u32,
    /// The smallest depth of pending hosts.
    pub pending_depth: Option<u32>,
    /// The smallest depth of hosts with unnumbered mentions.
    pub mentions_depth: Option<u32>,
    /// Where every host ended up, refused ones included.
    pub receipt: Receipt,
    /// The first few hosts that responded.
    pub responded: Vec<Host>,
}

/// Where a weave stores its graph.
pub trait WeaveStore: Send + Sync {
    /// The state of the graph.
    fn standing(&self) -> BoxFuture<'_, Result<Standing, StoreError>>;

    /// Pending hosts of a depth with numbers above `after`, in number order, at most `limit`.
    fn pending(&self, depth: u32, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<NodeRow>, StoreError>>;

    /// Stores the results of hosts. A host that is not pending keeps its result. A new result replaces an earlier one
    /// unless it [falls short](NodeVisit::falls_short); then only the limits are updated, so that the host is not
    /// revisited for the same reason.
    fn commit(&self, visits: Vec<NodeVisit>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Unnumbered mentions of hosts of a depth, ordered by (number, position), at most `limit`.
    fn mentions(&self, depth: u32, limit: usize) -> BoxFuture<'_, Result<Vec<StoredMention>, StoreError>>;

    /// What is known about these hosts and their domains.
    fn known(&self, hosts: Vec<Host>) -> BoxFuture<'_, Result<Known, StoreError>>;

    /// Applies growth to the graph.
    fn grow(&self, growth: Growth) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Makes hosts pending that are to be revisited. Their results stay until the next visit is stored.
    fn visit_again(&self, again: Again) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Makes unvisited hosts pending up to this depth, and too deep beyond it. Hosts beyond it that were waiting for
    /// a revisit keep their state.
    fn settle_depths(&self, max_depth: u32) -> BoxFuture<'_, Result<(), StoreError>>;
}
