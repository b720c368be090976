//! The ledger: which URL gets which number, and where every URL ends up.
//!
//! Single-threaded and pure: no IO, no clock, no hash-map order. It receives visits in turn order and returns new
//! rows; its state follows only from the plan and the site's responses. Start with [`Ledger::commit`]. Budgets are
//! counted here too ([`Ledger::take_turn`]), in the same order.

mod contents;
mod restore;
mod turn;

use std::collections::HashMap;
use std::sync::Arc;

use crate::admit::endless::{self, Leads};
use crate::admit::{Gatekeeper, Note, Refusal, Task, UrlRow, Verdict};
use crate::budget::{Budget, Reservation};
use crate::discover::{self, Candidate, Discovered};
use crate::link::{LinkKind, Role};
use crate::links::{Links, PackedLink};
use crate::plan::{CrawlPlan, Mechanisms};
use crate::receipt::{Action, Number, Reason, Receipt, Turn};
use crate::seen::Seen;
use crate::store::Deferred;
use crate::url::{CanonicalUrl, UrlKey};
use crate::visit::{Committed, Outcome, Visit};

pub(crate) use self::turn::{Admitted, Turned};

use self::contents::Contents;

/// Decides what to do with a URL; called exactly once for each.
pub(crate) type Classifier = Arc<dyn Fn(&Discovered<'_>) -> Action + Send + Sync>;

/// The page that contains a link, and the link.
type Origin<'a> = (&'a UrlRow, PackedLink<'a>);

pub(crate) struct Ledger {
    plan: Arc<CrawlPlan>,
    classify: Classifier,
    gate: Gatekeeper,
    seen: Seen,
    turns: u32,
    budget: Budget,
    contents: Contents,
    redirects: HashMap<Number, Number>,
    sitemap_pages: u64,
    /// Whether it is still undecided if page links are followed: sitemaps come first, and may be enough.
    is_undecided: bool,
    receipt: Receipt,
    /// Stored notes that must be counted in turn order.
    to_replay: Vec<(Turn, Note)>,
}

/// What a commit changed.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// New rows, and formerly refused rows that are now admitted.
    pub(crate) urls: Vec<UrlRow>,
    /// URLs whose reason has changed.
    pub(crate) settled: Vec<(Number, Reason)>,
    /// Origins that joined the scope.
    pub(crate) new_origins: Vec<String>,
    /// Links to number when everything else is done.
    pub(crate) deferred: Option<Deferred>,
}

impl Ledger {
    pub(crate) fn new(plan: Arc<CrawlPlan>, classify: Classifier) -> Self {
        Self {
            gate: Gatekeeper::new(Arc::clone(&plan)),
            budget: Budget::new(&plan.limits, &plan.scope, plan.seeds.len()),
            seen: Seen::default(),
            turns: 0,
            contents: Contents::new(plan.capture.fold_urls),
            redirects: HashMap::new(),
            sitemap_pages: 0,
            is_undecided: plan.discover.mechanisms == Mechanisms::SitemapThenSpider,
            receipt: Receipt::default(),
            to_replay: Vec::new(),
            classify,
            plan,
        }
    }

    /// Numbers the seeds, then robots.txt and sitemaps, so that sitemaps enter at a fixed point of the sequence.
    pub(crate) fn begin(&mut self) -> Changes {
        let plan = Arc::clone(&self.plan);
        let mut changes = Changes::default();
        for (base, seed) in (0..).zip(&plan.seeds) {
            self.enter_or_find(&Candidate::seed(seed, base), None, &mut changes);
        }
        for (base, seed) in (0..).zip(&plan.seeds) {
            for guide in discover::guides(&plan, seed, base) {
                self.enter_or_find(&guide, None, &mut changes);
            }
        }
        changes
    }

    /// Everything known is done, so all sitemaps have been read: links are followed only if the sitemaps listed no
    /// page.
    pub(crate) fn decide_on_links(&mut self) {
        if std::mem::take(&mut self.is_undecided) {
            self.gate.follow_links(self.sitemap_pages == 0);
        }
    }

    /// Commits a visit in its turn: compares it with earlier pages and numbers the URLs it mentions.
    pub(crate) fn commit(&mut self, mut visit: Box<Visit>) -> (Committed, Changes) {
        let mut changes = Changes::default();
        let likeness = self.contents.compare(&visit);
        self.note(Note::page(&visit.row, likeness.is_copy(), visit.shape));
        self.grow_scope(&visit, &mut changes);
        let (mut targets, mut led_to) = (Vec::new(), None);
        if self.plan.parse.skip_identical && likeness.identical_to.is_some() {
            visit.links = Links::default();
            led_to = visit.can_lead_on().then(Leads::default);
        } else if self.is_undecided && visit.is_read {
            changes.deferred = defer_links(&mut visit);
        } else {
            let (known, found) = (self.seen.len(), changes.urls.len());
            targets = self.expand(&visit.row, &visit.links, visit.directives.nofollow, &mut changes);
            led_to = visit.can_lead_on().then(|| leads(&visit, &targets, known, &changes.urls[found..]));
        }
        self.note(Note::leads(&visit.row, led_to, likeness.is_copy(), visit.shape));
        self.look_for_more_guides(&visit, &mut changes);
        let redirect = targets.first().filter(|_| matches!(visit.outcome, Outcome::Redirected { .. }));
        let loops = redirect.is_some_and(|to| self.note_redirect(visit.row.number, *to));
        let committed = Committed {
            reason: if loops { Reason::RedirectLoop } else { visit.own_reason() },
            targets,
            identical_to: likeness.identical_to,
            duplicate_of: likeness.duplicate_of,
            is_twin: likeness.is_twin,
            is_unique_page: visit.row.task == Task::Page && visit.shape.is_some() && !likeness.is_copy(),
            leads: led_to,
            visit,
        };
        self.settle(&committed);
        (committed, changes)
    }

    /// Commits a visit out of turn: the URLs it mentions are numbered when everything else is done.
    pub(crate) fn commit_leaf(&mut self, mut visit: Box<Visit>) -> (Committed, Changes) {
        let deferred = defer_links(&mut visit);
        let committed = Committed {
            reason: visit.own_reason(),
            targets: Vec::new(),
            identical_to: None,
            duplicate_of: None,
            is_twin: false,
            is_unique_page: false,
            leads: None,
            visit,
        };
        self.settle(&committed);
        (committed, Changes { deferred, ..Changes::default() })
    }

    /// Numbers deferred links, once everything else is done.
    pub(crate) fn commit_deferred(&mut self, deferred: &Deferred, changes: &mut Changes) -> Vec<Number> {
        let Deferred { from, links, says_nofollow } = deferred;
        let targets = self.expand(from, links, *says_nofollow, changes);
        let redirect = links.iter().zip(&targets).find(|(link, _)| link.kind == LinkKind::Redirect);
        if redirect.is_some_and(|(_, to)| self.note_redirect(from.number, *to)) {
            self.receipt.change(Reason::Redirect, Reason::RedirectLoop);
            changes.settled.push((from.number, Reason::RedirectLoop));
        }
        targets
    }

    /// Ends a URL without a visit.
    fn refuse(&mut self, refusal: Refusal) -> Reason {
        self.receipt.change(Reason::Queued, refusal.into());
        refusal.into()
    }

    /// Decides on a URL whose turn has come. Called in turn order.
    pub(crate) fn take_turn(&mut self, row: UrlRow) -> Turned {
        let reservation = match self.gate.check_turn(&row) {
            Ok(()) => self.budget.reserve(&row),
            Err(refusal) => Reservation::Refused(refusal),
        };
        match reservation {
            Reservation::Granted => Turned::Admitted(Admitted::in_turn(row)),
            Reservation::Refused(refusal) => Turned::Ended(row.number, self.refuse(refusal)),
            Reservation::Wait => Turned::Waits(row),
            Reservation::SessionSpent => Turned::SessionSpent(row),
        }
    }

    /// Whether a visit is too late: its URL was leased before visits with earlier turns closed its part of the site.
    /// It counts as never made, so that the stored result does not depend on how far requests ran ahead.
    pub(crate) fn refuse_late(&mut self, visit: &Visit) -> Option<Reason> {
        let refusal = self.gate.check_turn(&visit.row).err()?;
        self.budget.settle(&visit.row, false, false);
        Some(self.refuse(refusal))
    }

    /// Whether the run has used up its byte budget, counting bytes not committed yet.
    pub(crate) fn are_bytes_spent(&self, not_committed: u64) -> bool {
        self.budget.are_bytes_spent(not_committed)
    }

    pub(crate) fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    pub(crate) fn urls_seen(&self) -> usize {
        self.seen.len()
    }

    /// Whether the run depends on the host of a URL: it is a seed's, or a seed redirected to it.
    pub(crate) fn is_seed_host(&self, url: &CanonicalUrl) -> bool {
        self.gate.scope.is_seed_host(url.authority())
    }

    pub(crate) fn origins(&self) -> impl Iterator<Item = &str> {
        self.gate.scope.origins()
    }

    fn settle(&mut self, visit: &Committed) {
        self.receipt.change(Reason::Queued, visit.reason);
        self.budget.settle(&visit.row, visit.was_fetched(), visit.is_unique_page);
        self.budget.count_bytes(visit.wire_bytes());
    }

    fn note(&mut self, note: Option<Note>) {
        if let Some(note) = note {
            self.gate.note(note);
        }
    }

    fn grow_scope(&mut self, visit: &Visit, changes: &mut Changes) {
        let Outcome::Redirected { to: Some(to) } = &visit.outcome else { return };
        let row = &visit.row;
        if !row.stands_for_a_seed() || !self.gate.scope.grow(&row.url, to, row.base) {
            return;
        }
        // Headers and cookies meant for https never go over http.
        if to.is_https() || !row.url.is_https() {
            changes.new_origins.push(to.origin().to_owned());
        }
        if to.origin() != row.url.origin() && self.plan.discover.sitemaps.is_empty() {
            let plan = Arc::clone(&self.plan);
            for guide in discover::guides(&plan, to, row.base) {
                self.enter_or_find(&guide, None, changes);
            }
        }
    }

    fn look_for_more_guides(&mut self, visit: &Visit, changes: &mut Changes) {
        let names_anything = !visit.links.is_empty();
        if let Some(guide) = discover::next_guide(&self.plan, &visit.row, names_anything) {
            self.enter_or_find(&guide, None, changes);
        }
    }

    fn expand(&mut self, from: &UrlRow, links: &Links, says_nofollow: bool, changes: &mut Changes) -> Vec<Number> {
        // Look up all of them before anything changes: the table is larger than the processor's caches, and this way
        // many entries are loaded in parallel.
        let decided = |key: &UrlKey| self.seen.find(*key).filter(|number| self.seen.open_refusal(*number).is_none());
        let known: Vec<Option<Number>> = links.keys().iter().map(decided).collect();
        if known.iter().all(Option::is_some) {
            return known.into_iter().flatten().collect();
        }
        let numbers = links.iter().zip(known).map(|(link, known)| {
            known.unwrap_or_else(|| {
                let candidate = Candidate::of_link(&link, from, says_nofollow);
                self.enter_or_find(&candidate, Some((from, link)), changes)
            })
        });
        numbers.collect()
    }

    /// The number of a candidate's URL, new or existing. A refusal that depended on an earlier link is reconsidered
    /// with this one.
    fn enter_or_find(&mut self, candidate: &Candidate, origin: Option<Origin<'_>>, changes: &mut Changes) -> Number {
        match self.seen.find(candidate.url.key()) {
            Some(number) => {
                if let Some(refusal) = self.seen.open_refusal(number) {
                    self.reconsider(number, refusal, candidate, changes);
                }
                number
            }
            None => self.enter(candidate, origin, changes),
        }
    }

    fn enter(&mut self, candidate: &Candidate, origin: Option<Origin<'_>>, changes: &mut Changes) -> Number {
        let number = self.seen.insert(candidate.url.key());
        let action = match origin.filter(|_| candidate.kind.role() != Role::Guide) {
            Some((from, link)) => {
                let (url, source) = (&candidate.url, candidate.source);
                (self.classify)(&Discovered { url, source, from: &from.url, link })
            }
            // The classifier does not decide about seeds, robots.txt and sitemaps.
            None => Action::Crawl,
        };
        let verdict = match action {
            Action::Crawl => self.gate.admit(candidate),
            Action::Record => self.gate.place_only(candidate, Refusal::Recorded),
            Action::Skip => self.gate.place_only(candidate, Refusal::Skipped),
        };
        if let Err(refusal) = verdict.task
            && refusal.depends_on_the_link()
        {
            self.seen.leave_open(number, refusal);
        }
        let row = self.row(number, candidate, action, &verdict);
        self.receipt.enter(row.reason);
        changes.urls.push(row);
        number
    }

    fn reconsider(&mut self, number: Number, refusal: Refusal, candidate: &Candidate, changes: &mut Changes) {
        let verdict = self.gate.admit(candidate);
        if verdict.task.is_err() {
            return;
        }
        self.seen.close(number);
        self.receipt.change(refusal.into(), Reason::Queued);
        let row = self.row(number, candidate, Action::Crawl, &verdict);
        changes.urls.push(row);
    }

    fn row(&mut self, number: Number, candidate: &Candidate, action: Action, verdict: &Verdict) -> UrlRow {
        let (task, turn, reason) = match verdict.task {
            Ok(task) => (task, Some(self.next_turn()), Reason::Queued),
            Err(refusal) => (Task::Page, None, refusal.into()),
        };
        let row = UrlRow {
            number,
            url: candidate.url.clone(),
            parent: candidate.parent,
            source: candidate.source,
            kind: candidate.kind,
            depth: candidate.depth,
            hops: if verdict.is_internal { 0 } else { candidate.hops },
            redirects: candidate.redirects,
            base: verdict.base,
            is_internal: verdict.is_internal,
            action,
            task,
            turn,
            reason,
        };
        self.sitemap_pages += u64::from(is_listed_page(&row));
        if row.turn.is_some() {
            self.note(Note::admitted(&row));
        }
        row
    }

    fn next_turn(&mut self) -> Turn {
        self.turns += 1;
        Turn(self.turns)
    }

    /// Records a redirect and returns whether it closes a loop.
    fn note_redirect(&mut self, from: Number, to: Number) -> bool {
        self.redirects.insert(from, to);
        let mut at = to;
        for _ in 0..=self.plan.limits.redirects {
            if at == from {
                return true;
            }
            match self.redirects.get(&at) {
                Some(next) => at = *next,
                None => return false,
            }
        }
        false
    }
}

/// What the links of a visit led to: `known` URLs existed before it, `found` are the rows it added or changed.
fn leads(visit: &Visit, targets: &[Number], known: usize, found: &[UrlRow]) -> Leads {
    let is_waiting = |target: Number| target > visit.row.number && target.0 as usize <= known;
    let mut links = visit.links.iter().zip(targets);
    // An image without an extension may turn out to be a page, but the page does not lead to it.
    let is_page = |row: &&UrlRow| row.turn.is_some() && row.task == Task::Page && row.kind.role() == Role::Page;
    let pages = found.iter().filter(is_page);
    let (mut onward, mut elsewhere) = (false, false);
    for row in pages {
        match endless::is_same_part(&row.url, &visit.row.url) {
            true => onward = true,
            false => elsewhere = true,
        }
    }
    let to_waiting = links.any(|(link, target)| link.kind.role() == Role::Page && is_waiting(*target));
    Leads { onward, elsewhere, to_waiting }
}

/// Takes the links out of a visit, to be numbered later.
fn defer_links(visit: &mut Visit) -> Option<Deferred> {
    let links = std::mem::take(&mut visit.links);
    let says_nofollow = visit.directives.nofollow;
    (!links.is_empty()).then(|| Deferred { from: visit.row.clone(), links, says_nofollow })
}

/// Whether it is a page of the site listed in a sitemap.
fn is_listed_page(row: &UrlRow) -> bool {
    row.kind == LinkKind::SitemapEntry && row.task == Task::Page && row.turn.is_some()
}
