//! The ledger: who gets which number, and what becomes of every URL.
//!
//! Single-threaded and pure: no IO, no clock, no hash-map order. It is fed visits in the order of turns and answers
//! with new rows; all it knows follows from the plan and from what the site said. Start with [`Ledger::commit`].
//! Budgets are counted here too ([`Ledger::reserve`]), in the same order.

use std::collections::HashMap;
use std::sync::Arc;

use crate::admit::endless::{self, Leads};
use crate::admit::fold::{self, Form};
use crate::admit::{Gatekeeper, Note, Refusal, Task, UrlRow, Verdict};
use crate::budget::{Budget, Reservation};
use crate::discover::{self, Candidate};
use crate::link::{LinkKind, Role};
use crate::links::Links;
use crate::plan::{CrawlPlan, Mechanisms};
use crate::receipt::{Action, Disposition, Number, Receipt, Source, Turn};
use crate::seen::Seen;
use crate::store::{Deferred, StoredUrl};
use crate::url::{CanonicalUrl, UrlKey};
use crate::visit::{Outcome, Visit};

/// Says what to do with a URL; asked exactly once for each.
pub(crate) type Classifier = Arc<dyn Fn(&CanonicalUrl) -> Action + Send + Sync>;

const QUEUED: (Disposition, &str) = (Disposition::Pending, "queued");

/// Who gets which number, and what becomes of every URL.
pub(crate) struct Ledger {
    plan: Arc<CrawlPlan>,
    classify: Classifier,
    gate: Gatekeeper,
    seen: Seen,
    turns: u32,
    budget: Budget,
    /// The first page with this content, and at this address in this form.
    contents: HashMap<u64, Original>,
    redirects: HashMap<Number, Number>,
    sitemap_pages: u64,
    /// Whether it is still open if the links of pages are followed: sitemaps come first, and may be enough.
    is_undecided: bool,
    receipt: Receipt,
    /// What was stored and has to be counted in the order of turns.
    to_replay: Vec<(Turn, Note)>,
}

/// The first of several pages that say the same.
#[derive(Clone, Copy, Debug)]
struct Original {
    number: Number,
    /// Some bits of its bytes' fingerprint; none where the bytes are those of its other form.
    raw_bits: Option<u32>,
}

/// What a commit brought about.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// New rows, and rows that were refused before and are admitted now.
    pub(crate) urls: Vec<UrlRow>,
    /// URLs whose reason is known better now.
    pub(crate) settled: Vec<(Number, Disposition, &'static str)>,
    /// Origins that joined the scope.
    pub(crate) new_origins: Vec<String>,
    /// Links that are numbered when everything else is done.
    pub(crate) deferred: Option<Deferred>,
}

impl Ledger {
    pub(crate) fn new(plan: Arc<CrawlPlan>, classify: Classifier) -> Self {
        Self {
            gate: Gatekeeper::new(&plan),
            budget: Budget::new(&plan.limits, &plan.scope, plan.seeds.len()),
            seen: Seen::default(),
            turns: 0,
            contents: HashMap::new(),
            redirects: HashMap::new(),
            sitemap_pages: 0,
            is_undecided: plan.discover.mechanisms == Mechanisms::SitemapThenSpider,
            receipt: Receipt::default(),
            to_replay: Vec::new(),
            classify,
            plan,
        }
    }

    /// Numbers the seeds, then the files that guide crawlers, so that sitemaps enter at a fixed point of the sequence.
    pub(crate) fn begin(&mut self) -> Changes {
        let plan = Arc::clone(&self.plan);
        let mut changes = Changes::default();
        for (base, seed) in (0..).zip(&plan.seeds) {
            self.enter_or_find(&Candidate::seed(seed, base), &mut changes);
        }
        for (base, seed) in (0..).zip(&plan.seeds) {
            for guide in discover::guides(&plan, seed, base) {
                self.enter_or_find(&guide, &mut changes);
            }
        }
        changes
    }

    /// Everything known is done, so all sitemaps have been read: links are followed only if these named no page.
    pub(crate) fn decide_on_links(&mut self) {
        if std::mem::take(&mut self.is_undecided) {
            self.gate.follow_links(self.sitemap_pages == 0);
        }
    }

    /// Takes over a URL of an earlier session. Called in the order of numbers, before anything else.
    pub(crate) fn restore(&mut self, stored: &StoredUrl) {
        let row = &stored.row;
        let number = self.seen.insert(row.url.key());
        assert_eq!(number, row.number, "stored URLs are numbered without gaps");
        self.receipt.enter(row.disposition, row.reason);
        match row.turn {
            Some(turn) => self.restore_admitted(row, turn),
            None => self.restore_refused(row),
        }
        let Some(visit) = &stored.visit else { return };
        if visit.was_fetched {
            self.budget.restore(row, visit.is_unique_page);
        }
        if let Some(key) = visit.content_key {
            let original = match visit.twin_of {
                Some(number) => Original { number, raw_bits: None },
                None => Original { number, raw_bits: Some(visit.raw_bits) },
            };
            self.remember(key, &row.url, form_of(visit.is_own_markdown), original);
        }
        self.budget.count_bytes(visit.wire_bytes);
        if let Some(turn) = row.turn {
            let page = Note::page(row, visit.is_duplicate, visit.shape);
            let leads = Note::leads(row, visit.leads, visit.is_duplicate, visit.shape);
            self.to_replay.extend(page.into_iter().chain(leads).map(|note| (turn, note)));
        }
        if let Some((to, url)) = &visit.redirects_to {
            self.redirects.insert(number, *to);
            if row.stands_for_a_seed() {
                self.gate.scope.grow(&row.url, url, row.base);
            }
        }
    }

    /// Ends the taking over: counts what depends on the order of turns.
    pub(crate) fn restored(&mut self) {
        let mut notes = std::mem::take(&mut self.to_replay);
        notes.sort_by_key(|(turn, _)| *turn);
        notes.into_iter().for_each(|(_, note)| self.gate.note(note));
    }

    fn restore_admitted(&mut self, row: &UrlRow, turn: Turn) {
        self.turns = self.turns.max(turn.0);
        self.to_replay.extend(Note::admitted(row).map(|note| (turn, note)));
        self.gate.count(&row.url, row.task);
        self.sitemap_pages += u64::from(is_listed_page(row));
        if row.source == Source::Spider && std::mem::take(&mut self.is_undecided) {
            self.gate.follow_links(true);
        }
    }

    fn restore_refused(&mut self, row: &UrlRow) {
        if row.reason == Refusal::NotInSitemap.as_str() {
            self.is_undecided = false;
        }
        let refusal = Refusal::ALL.iter().copied().find(|refusal| refusal.as_str() == row.reason);
        if let Some(refusal) = refusal.filter(|refusal| refusal.depends_on_the_link()) {
            self.seen.leave_open(row.number, refusal);
        }
    }

    /// Commits a visit in its turn: completes it and numbers what it mentions.
    pub(crate) fn commit(&mut self, visit: &mut Visit) -> Changes {
        let mut changes = Changes::default();
        self.compare_with_earlier_pages(visit);
        self.grow_scope(visit, &mut changes);
        if !self.is_expanded(visit) {
            visit.links = Links::default();
            visit.leads = visit.can_lead_on().then(Leads::default);
        } else if self.is_undecided && visit.is_read {
            changes.deferred = defer_links(visit);
        } else {
            let known = self.seen.len();
            let found = changes.urls.len();
            visit.targets = self.expand(&visit.row, &visit.links, visit.directives.nofollow, &mut changes);
            visit.leads = visit.can_lead_on().then(|| leads(visit, known, &changes.urls[found..]));
        }
        self.note(Note::leads(&visit.row, visit.leads, visit.is_copy(), visit.shape));
        self.look_for_more_guides(visit, &mut changes);
        if let (Outcome::Redirected { .. }, Some(to)) = (&visit.outcome, visit.targets.first()) {
            visit.redirect_loops = self.note_redirect(visit.row.number, *to);
        }
        self.settle(visit);
        changes
    }

    /// Commits a visit out of turn: what it mentions is numbered when everything else is done.
    pub(crate) fn commit_leaf(&mut self, visit: &mut Visit) -> Changes {
        let deferred = defer_links(visit);
        self.settle(visit);
        Changes { deferred, ..Changes::default() }
    }

    /// Numbers what was put off, once everything else is done.
    pub(crate) fn commit_deferred(&mut self, deferred: &Deferred, changes: &mut Changes) -> Vec<Number> {
        let Deferred { from, links, says_nofollow } = deferred;
        let targets = self.expand(from, links, *says_nofollow, changes);
        let redirect = links.iter().zip(&targets).find(|(link, _)| link.kind == LinkKind::Redirect);
        if redirect.is_some_and(|(_, to)| self.note_redirect(from.number, *to)) {
            let loops = (Disposition::Redirected, "redirect_loop");
            self.receipt.change((Disposition::Redirected, "redirect"), loops);
            changes.settled.push((from.number, loops.0, loops.1));
        }
        targets
    }

    /// Ends a URL without a visit, because a limit was reached when its turn came.
    pub(crate) fn refuse(&mut self, refusal: Refusal) -> (Disposition, &'static str) {
        let class = (refusal.disposition(), refusal.as_str());
        self.receipt.change(QUEUED, class);
        class
    }

    /// May this URL, whose turn has come, be fetched? Asked in the order of turns.
    pub(crate) fn reserve(&mut self, row: &UrlRow) -> Reservation {
        match self.gate.check_turn(row) {
            Ok(()) => self.budget.reserve(row),
            Err(refusal) => Reservation::Refused(refusal),
        }
    }

    /// Whether a visit comes too late: its URL was leased before the visits of earlier turns closed its part of the site.
    /// It counts as never made, so that what is stored does not depend on how far requests ran ahead.
    pub(crate) fn refuse_late(&mut self, visit: &Visit) -> Option<(Disposition, &'static str)> {
        let refusal = self.gate.check_turn(&visit.row).err()?;
        self.budget.settle(&visit.row, false, false);
        Some(self.refuse(refusal))
    }

    /// Whether the run has received as many bytes as it may, with those that are not committed yet.
    pub(crate) fn are_bytes_spent(&self, not_committed: u64) -> bool {
        self.budget.are_bytes_spent(not_committed)
    }

    pub(crate) fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    pub(crate) fn urls_seen(&self) -> usize {
        self.seen.len()
    }

    /// Whether the run depends on the host of a URL: it is a seed's, or what a seed redirected to.
    pub(crate) fn is_seed_host(&self, url: &CanonicalUrl) -> bool {
        self.gate.scope.is_seed_host(url.authority())
    }

    pub(crate) fn origins(&self) -> impl Iterator<Item = &str> {
        self.gate.scope.origins()
    }

    fn settle(&mut self, visit: &Visit) {
        self.receipt.change(QUEUED, visit.disposition());
        self.budget.settle(&visit.row, visit.was_fetched(), visit.is_unique_page);
        self.budget.count_bytes(visit.wire_bytes());
    }

    fn note(&mut self, note: Option<Note>) {
        if let Some(note) = note {
            self.gate.note(note);
        }
    }

    /// The page with the earliest turn owns its bytes and its content; later ones refer to it.
    fn compare_with_earlier_pages(&mut self, visit: &mut Visit) {
        let Some(shape) = visit.shape else { return };
        if let Some(key) = visit.content_key {
            match self.contents.get(&key).copied() {
                Some(original) => {
                    let is_identical = original.raw_bits == Some(visit.raw_bits());
                    visit.duplicate_of = visit.has_content.then_some(original.number);
                    visit.identical_to = is_identical.then_some(original.number);
                }
                None => self.enter_content(visit, key),
            }
        }
        self.note(Note::page(&visit.row, visit.is_copy(), Some(shape)));
        visit.is_unique_page = visit.row.task == Task::Page && !visit.is_copy();
    }

    /// What nobody said before is a page of its own, or the other form of one that is known.
    fn enter_content(&mut self, visit: &mut Visit, key: u64) {
        let form = form_of(visit.is_own_markdown());
        let original = match self.other_form(&visit.row.url, form) {
            Some(page) => {
                (visit.duplicate_of, visit.is_twin) = (Some(page), true);
                Original { number: page, raw_bits: None }
            }
            None => Original { number: visit.row.number, raw_bits: Some(visit.raw_bits()) },
        };
        self.remember(key, &visit.row.url, form, original);
    }

    /// The page that lies at an address in the other form, unless this form of it is there already.
    fn other_form(&self, url: &CanonicalUrl, form: Form) -> Option<Number> {
        if !self.plan.capture.fold_urls || self.contents.contains_key(&fold::key(url, form)) {
            return None;
        }
        self.contents.get(&fold::key(url, form.other())).map(|original| original.number)
    }

    /// Of two pages at one address the one with the lower number counts, so that a resumed crawl finds the same one.
    fn remember(&mut self, content: u64, url: &CanonicalUrl, form: Form, original: Original) {
        self.contents.insert(content, original);
        if self.plan.capture.fold_urls {
            let known = self.contents.entry(fold::key(url, form)).or_insert(original);
            if original.number < known.number {
                *known = original;
            }
        }
    }

    fn grow_scope(&mut self, visit: &Visit, changes: &mut Changes) {
        let Outcome::Redirected { to: Some(to) } = &visit.outcome else { return };
        let row = &visit.row;
        if !row.stands_for_a_seed() || !self.gate.scope.grow(&row.url, to, row.base) {
            return;
        }
        // What was given for https never goes over http.
        if to.is_https() || !row.url.is_https() {
            changes.new_origins.push(to.origin().to_owned());
        }
        if to.origin() != row.url.origin() && self.plan.discover.sitemaps.is_empty() {
            let plan = Arc::clone(&self.plan);
            for guide in discover::guides(&plan, to, row.base) {
                self.enter_or_find(&guide, changes);
            }
        }
    }

    fn is_expanded(&self, visit: &Visit) -> bool {
        !self.plan.parse.skip_identical || visit.identical_to.is_none()
    }

    fn look_for_more_guides(&mut self, visit: &Visit, changes: &mut Changes) {
        let names_anything = !visit.links.is_empty();
        if let Some(guide) = discover::next_guide(&self.plan, &visit.row, names_anything) {
            self.enter_or_find(&guide, changes);
        }
    }

    fn expand(&mut self, from: &UrlRow, links: &Links, says_nofollow: bool, changes: &mut Changes) -> Vec<Number> {
        // All are looked for before anything changes: what is seen is larger than the processor's caches, and this way it
        // fetches many entries at a time.
        let decided = |key: &UrlKey| self.seen.find(*key).filter(|number| self.seen.open_refusal(*number).is_none());
        let known: Vec<Option<Number>> = links.keys().iter().map(decided).collect();
        if known.iter().all(Option::is_some) {
            return known.into_iter().flatten().collect();
        }
        let numbers = links.iter().zip(known).map(|(link, known)| {
            known.unwrap_or_else(|| self.enter_or_find(&Candidate::of_link(&link, from, says_nofollow), changes))
        });
        numbers.collect()
    }

    /// The number of a candidate's URL: a new one, or the one it has. A refusal that depended on an earlier link is
    /// reconsidered with this one.
    fn enter_or_find(&mut self, candidate: &Candidate, changes: &mut Changes) -> Number {
        match self.seen.find(candidate.url.key()) {
            Some(number) => {
                if let Some(refusal) = self.seen.open_refusal(number) {
                    self.reconsider(number, refusal, candidate, changes);
                }
                number
            }
            None => self.enter(candidate, changes),
        }
    }

    fn enter(&mut self, candidate: &Candidate, changes: &mut Changes) -> Number {
        let number = self.seen.insert(candidate.url.key());
        let action = match candidate.source {
            // What the user asked for, and what guides us, is not up to a classifier.
            Source::Initial => Action::Crawl,
            _ if candidate.kind.role() == Role::Guide => Action::Crawl,
            _ => (self.classify)(&candidate.url),
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
        self.receipt.enter(row.disposition, row.reason);
        changes.urls.push(row);
        number
    }

    fn reconsider(&mut self, number: Number, refusal: Refusal, candidate: &Candidate, changes: &mut Changes) {
        let verdict = self.gate.admit(candidate);
        if verdict.task.is_err() {
            return;
        }
        self.seen.close(number);
        self.receipt.change((refusal.disposition(), refusal.as_str()), QUEUED);
        let row = self.row(number, candidate, Action::Crawl, &verdict);
        changes.urls.push(row);
    }

    fn row(&mut self, number: Number, candidate: &Candidate, action: Action, verdict: &Verdict) -> UrlRow {
        let (task, turn, (disposition, reason)) = match verdict.task {
            Ok(task) => (task, Some(self.next_turn()), QUEUED),
            Err(refusal) => (Task::Page, None, (refusal.disposition(), refusal.as_str())),
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
            disposition,
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

    /// Remembers a redirect and tells whether it closes a loop.
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

/// What the links of a visit led to: `known` URLs were there before it, `found` are the rows that it added or changed.
fn leads(visit: &Visit, known: usize, found: &[UrlRow]) -> Leads {
    let is_waiting = |target: Number| target > visit.row.number && target.0 as usize <= known;
    let mut links = visit.links.iter().zip(&visit.targets);
    // An image without an extension may turn out to be a page, but it is not what the page leads to.
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

fn form_of(is_own_markdown: bool) -> Form {
    if is_own_markdown { Form::Markdown } else { Form::Html }
}

/// Takes the links off a visit, to be numbered later.
fn defer_links(visit: &mut Visit) -> Option<Deferred> {
    let links = std::mem::take(&mut visit.links);
    let says_nofollow = visit.directives.nofollow;
    (!links.is_empty()).then(|| Deferred { from: visit.row.clone(), links, says_nofollow })
}

/// Whether a sitemap names it and it is a page of the site.
fn is_listed_page(row: &UrlRow) -> bool {
    row.kind == LinkKind::SitemapEntry && row.task == Task::Page && row.turn.is_some()
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger").field("seen", &self.seen.len()).field("turns", &self.turns).finish_non_exhaustive()
    }
}
