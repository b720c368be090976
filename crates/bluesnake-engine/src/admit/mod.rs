//! Whether a candidate may be fetched: the one place that admits URLs.
//!
//! `Gatekeeper::admit` checks scope, limits and traps in a fixed order and returns the [`Task`] of the visit, or a
//! [`Refusal`]. robots.txt is checked later, by the frontier, because it is the first fetch of a host.

pub mod endless;
pub(crate) mod fold;
mod nesting;
mod pattern;
mod refusal;
pub mod robots;
pub(crate) mod scope;
mod traps;

use std::sync::Arc;

use crate::discover::Candidate;
use crate::link::{LinkKind, Role};
use crate::plan::{CheckExternal, CrawlPlan, Mechanisms, ResourceSettings};
use crate::receipt::{Action, Number, Reason, Source, Turn};
use crate::url::CanonicalUrl;
use crate::words::words;

pub use self::refusal::Refusal;

use self::endless::{Endless, Leads, Sign};
use self::nesting::{Nested, Nesting};
use self::scope::{Place, Scope};
use self::traps::{PageOfPattern, Traps};

words! {
    /// What to do when a URL's turn comes.
    Task {
        /// Fetch it and parse it for facts and links.
        Page = "page",
        /// Fetch it and parse it for further resources.
        Stylesheet = "stylesheet",
        /// Check that it exists.
        Resource = "resource",
        /// Check that something outside the site exists.
        Check = "check",
        /// Read it for URLs.
        Sitemap = "sitemap",
        /// Read robots.txt for sitemaps.
        Robots = "robots",
    }
}

impl Task {
    /// Whether such a visit normally finds nothing new, so that it need not be committed in turn.
    pub fn is_leaf(self) -> bool {
        matches!(self, Self::Resource | Self::Check)
    }

    /// Whether such a visit counts toward budgets and is shown as a visit; crawler files such as robots.txt do not.
    pub fn is_counted(self) -> bool {
        !matches!(self, Self::Sitemap | Self::Robots)
    }
}

/// How far a URL is from the start of the crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Depth {
    /// Links followed since the seed, or since the sitemap that listed an ancestor.
    pub steps: u32,
    /// Whether the path began at a seed; a page known only from sitemaps has no depth.
    pub from_seed: bool,
}

impl Depth {
    /// The depth of a URL listed in a sitemap.
    pub(crate) const LISTED: Self = Self { steps: 0, from_seed: false };

    /// The depth to show; `None` for pages known only from sitemaps.
    pub fn shown(self) -> Option<u32> {
        self.from_seed.then_some(self.steps)
    }

    pub(crate) fn next(self) -> Self {
        Self { steps: self.steps + 1, ..self }
    }
}

/// One URL of a run, as in the ledger and the store.
#[derive(Clone, Debug)]
pub struct UrlRow {
    /// Its number among all URLs of the run.
    pub number: Number,
    /// The URL.
    pub url: CanonicalUrl,
    /// The URL whose visit led to it; `None` for seeds.
    pub parent: Option<Number>,
    /// How it was found.
    pub source: Source,
    /// The kind of link that led to it; a redirect inherits the kind of its source.
    pub kind: LinkKind,
    /// How far from a seed it is.
    pub depth: Depth,
    /// Steps outside the site.
    pub hops: u32,
    /// Consecutive redirects that led to it.
    pub redirects: u32,
    /// Which seed it belongs to, counted from 0.
    pub base: u32,
    /// Whether it is in scope.
    pub is_internal: bool,
    /// The classifier's decision.
    pub action: Action,
    /// What to do when its turn comes.
    pub task: Task,
    /// Its place in the queue; `None` if it is not to be fetched.
    pub turn: Option<Turn>,
    /// Where it ended up and why, or that it is pending.
    pub reason: Reason,
}

impl UrlRow {
    /// A URL requested only to see whether it responds, with number 0.
    pub(crate) fn probe(url: CanonicalUrl, task: Task) -> Self {
        Self::of_host(Number(0), 0, url, task)
    }

    /// Whether it is requested only to see whether it responds.
    pub(crate) fn is_probe(&self) -> bool {
        self.number == Number(0)
    }

    /// A URL of a host mentioned `steps` from a seed, with the host's number.
    pub(crate) fn of_host(number: Number, steps: u32, url: CanonicalUrl, task: Task) -> Self {
        Self {
            number,
            url,
            parent: None,
            source: Source::Spider,
            kind: LinkKind::Anchor,
            depth: Depth { steps, from_seed: true },
            hops: 0,
            redirects: 0,
            base: 0,
            is_internal: true,
            action: Action::Crawl,
            task,
            turn: Some(Turn(number.0)),
            reason: Reason::Queued,
        }
    }

    /// Whether it is a seed, or the target of a seed's redirect.
    pub(crate) fn stands_for_a_seed(&self) -> bool {
        match self.source {
            Source::Initial => true,
            Source::Redirect => self.depth.steps == 0 && self.depth.from_seed,
            _ => false,
        }
    }

    /// Whether a sitemap lists it.
    pub(crate) fn is_listed(&self) -> bool {
        is_listed(self.source, self.depth)
    }
}

/// URLs that a page lists in sitemap format count as ordinary links.
fn is_listed(source: Source, depth: Depth) -> bool {
    source == Source::Sitemap && depth == Depth::LISTED
}

#[cfg(test)]
impl UrlRow {
    /// A sample page, for tests that need a row.
    pub(crate) fn sample(turn: u32, url: &str) -> Self {
        let url = CanonicalUrl::parse(url).unwrap();
        Self { parent: Some(Number(1)), ..Self::of_host(Number(turn), 1, url, Task::Page) }
    }
}

/// The admission rules and their counters.
#[derive(Debug)]
pub(crate) struct Gatekeeper {
    pub(crate) scope: Scope,
    traps: Traps,
    endless: Endless,
    nesting: Nesting,
    plan: Arc<CrawlPlan>,
    /// Whether the links of pages are followed.
    follows_links: bool,
    sitemap_files: u64,
}

/// What admission must know about admitted URLs and about visits, in turn order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Note {
    /// A resource that may need others was admitted.
    Nested(Nested),
    /// Content and shape of a page.
    Page(PageOfPattern),
    /// What the links of a page led to.
    Sign(Sign),
}

impl Note {
    pub(crate) fn admitted(row: &UrlRow) -> Option<Self> {
        Nested::of(row).map(Self::Nested)
    }

    pub(crate) fn page(row: &UrlRow, is_copy: bool, shape: Option<u64>) -> Option<Self> {
        PageOfPattern::of(&row.url, is_copy, shape?).map(Self::Page)
    }

    pub(crate) fn leads(row: &UrlRow, leads: Option<Leads>, is_copy: bool, shape: Option<u64>) -> Option<Self> {
        Sign::of(row, leads?, is_copy, shape).map(Self::Sign)
    }
}

/// What admission decided.
pub(crate) struct Verdict {
    pub(crate) is_internal: bool,
    pub(crate) base: u32,
    pub(crate) task: Result<Task, Refusal>,
}

impl Verdict {
    fn at(place: Place, candidate: &Candidate, task: Result<Task, Refusal>) -> Self {
        let is_internal = matches!(place, Place::Inside { .. });
        Self { is_internal, base: place.base(candidate), task }
    }
}

impl Gatekeeper {
    pub(crate) fn new(plan: Arc<CrawlPlan>) -> Self {
        Self {
            scope: Scope::new(&plan.seeds, &plan.scope),
            traps: Traps::new(&plan.traps),
            endless: Endless::new(&plan.traps),
            nesting: Nesting::new(&plan.resources),
            follows_links: matches!(plan.discover.mechanisms, Mechanisms::Spider | Mechanisms::Both),
            plan,
            sitemap_files: 0,
        }
    }

    /// Decides on a candidate and counts it if it is admitted.
    pub(crate) fn admit(&mut self, candidate: &Candidate) -> Verdict {
        let place = self.scope.place(&candidate.url);
        let task = self.task_for(candidate, place);
        if let Ok(task) = task {
            self.count(&candidate.url, task);
        }
        Verdict::at(place, candidate, task)
    }

    /// A candidate refused before any rule is checked.
    pub(crate) fn place_only(&self, candidate: &Candidate, refusal: Refusal) -> Verdict {
        Verdict::at(self.scope.place(&candidate.url), candidate, Err(refusal))
    }

    /// Whether the links of pages are followed, for plans that read sitemaps.
    pub(crate) fn follow_links(&mut self, follow: bool) {
        self.follows_links = follow;
    }

    /// Counts a URL admitted now or in an earlier session.
    pub(crate) fn count(&mut self, url: &CanonicalUrl, task: Task) {
        if task == Task::Sitemap {
            self.sitemap_files += 1;
        } else if task.is_counted() {
            self.traps.count(url);
        }
    }

    /// Records what depends on turn order.
    pub(crate) fn note(&mut self, note: Note) {
        match note {
            Note::Nested(resource) => self.nesting.count(resource),
            Note::Page(page) => self.traps.note_page(page),
            Note::Sign(sign) => self.endless.count(sign),
        }
    }

    /// Whether an admitted URL may still be fetched now that its turn has come.
    pub(crate) fn check_turn(&self, row: &UrlRow) -> Result<(), Refusal> {
        self.endless.check_row(row)
    }

    fn task_for(&self, candidate: &Candidate, place: Place) -> Result<Task, Refusal> {
        let limits = &self.plan.limits;
        let is_long = limits.url_length > 0 && candidate.url.as_str().len() > limits.url_length;
        if is_long || !candidate.url.is_whole() {
            return Err(Refusal::UrlTooLong);
        }
        if candidate.redirects > limits.redirects {
            return Err(Refusal::TooManyRedirects);
        }
        if self.scope.excludes_host(candidate.url.host()) {
            return Err(Refusal::ExcludedHost);
        }
        match candidate.kind.role() {
            Role::Mention => Err(Refusal::Mentioned),
            Role::Guide => self.guide(candidate),
            Role::Resource => self.resource(candidate, place),
            Role::Page if candidate.source == Source::Initial => Ok(Task::Page),
            Role::Page => self.page(candidate, place),
        }
    }

    fn guide(&self, candidate: &Candidate) -> Result<Task, Refusal> {
        if candidate.kind == LinkKind::RobotsFile {
            return Ok(Task::Robots);
        }
        if candidate.depth.steps > self.plan.discover.sitemap_depth {
            return Err(Refusal::SitemapDepth);
        }
        let most = self.plan.discover.sitemap_files;
        if most > 0 && self.sitemap_files >= most {
            return Err(Refusal::SitemapFiles);
        }
        Ok(Task::Sitemap)
    }

    fn resource(&self, candidate: &Candidate, place: Place) -> Result<Task, Refusal> {
        let ResourceSettings { check, kinds, check_external, .. } = &self.plan.resources;
        let is_image = candidate.kind == LinkKind::JsonLdImage;
        let is_it = |kind: &String| kind == candidate.kind.as_str() || is_image && kind == LinkKind::Image.as_str();
        let is_wanted = kinds.is_empty() || kinds.iter().any(is_it);
        if !*check || !is_wanted {
            return Err(Refusal::ResourceKind);
        }
        // A site's images often have other paths than its pages, so paths do not matter here.
        let is_outside = place == Place::Outside;
        if is_outside && *check_external == CheckExternal::None {
            return Err(Refusal::OutsideScope);
        }
        self.filters(candidate, place)?;
        let task = match candidate.kind {
            LinkKind::Stylesheet if !is_outside => Task::Stylesheet,
            // Other pages may link to it as a page; it is fetched only once, so it is parsed and keeps its turn.
            _ if !is_outside && !scope::has_the_extension_of_a_file(candidate.url.path()) => Task::Page,
            _ => Task::Resource,
        };
        self.nesting.check(candidate, task)?;
        if task == Task::Page {
            self.endless(candidate, place)?;
        }
        Ok(task)
    }

    fn page(&self, candidate: &Candidate, place: Place) -> Result<Task, Refusal> {
        // What a seed redirects to within the site counts as the seed.
        let is_seed = candidate.depth == Depth { steps: 0, from_seed: true } && candidate.source == Source::Redirect;
        if is_seed && matches!(place, Place::Inside { .. }) {
            return Ok(Task::Page);
        }
        if self.plan.scope.single_page && !is_seed {
            return Err(Refusal::SinglePage);
        }
        // A listed page that has moved is still the listed page: a redirect inherits the kind of its source.
        let is_listed = candidate.kind == LinkKind::SitemapEntry;
        if !self.follows_links && !is_seed && !is_listed {
            return Err(Refusal::NotInSitemap);
        }
        match place {
            Place::Inside { .. } => self.inside_page(candidate, place),
            Place::OutsidePath if self.plan.scope.external_hops == 0 => Err(Refusal::OutsidePath),
            Place::OutsidePath | Place::Outside => self.outside_page(candidate, place),
        }
    }

    fn inside_page(&self, candidate: &Candidate, place: Place) -> Result<Task, Refusal> {
        if candidate.is_nofollow && !self.plan.scope.follow_internal_nofollow {
            return Err(Refusal::Nofollow);
        }
        self.page_rules(candidate, place)?;
        Ok(Task::Page)
    }

    fn outside_page(&self, candidate: &Candidate, place: Place) -> Result<Task, Refusal> {
        if candidate.is_nofollow && !self.plan.scope.follow_external_nofollow {
            return Err(Refusal::Nofollow);
        }
        if candidate.hops <= self.plan.scope.external_hops && self.plan.scope.external_hops > 0 {
            self.page_rules(candidate, place)?;
            return Ok(Task::Page);
        }
        let is_checked = self.plan.resources.check_external == CheckExternal::All && place == Place::Outside;
        // Only targets the site itself links to are checked, not those of pages outside.
        if is_checked && (candidate.hops <= 1 || candidate.source == Source::Redirect) {
            self.filters(candidate, place)?;
            return Ok(Task::Check);
        }
        Err(if self.plan.scope.external_hops > 0 { Refusal::TooManyHops } else { Refusal::OutsideScope })
    }

    fn page_rules(&self, candidate: &Candidate, place: Place) -> Result<(), Refusal> {
        let is_listed = candidate.source == Source::Sitemap;
        if self.plan.scope.max_depth > 0 && candidate.depth.steps > self.plan.scope.max_depth && !is_listed {
            return Err(Refusal::TooDeep);
        }
        if self.plan.scope.skip_files && scope::names_a_file(candidate.url.path()) {
            return Err(Refusal::FileType);
        }
        self.filters(candidate, place)?;
        self.endless(candidate, place)
    }

    fn endless(&self, candidate: &Candidate, place: Place) -> Result<(), Refusal> {
        if is_listed(candidate.source, candidate.depth) {
            return Ok(());
        }
        self.endless.check(&candidate.url, place.base(candidate))
    }

    fn filters(&self, candidate: &Candidate, place: Place) -> Result<(), Refusal> {
        self.scope.filters(&candidate.url, matches!(place, Place::Inside { .. }))?;
        self.traps.check(&candidate.url)
    }
}
