//! The part of a commit that needs no database: texts, packed links, compressed documents.

use std::sync::Arc;

use bluesnake_engine::store::{Deferred, LateLinks, StoredVisit};
use bluesnake_engine::{Batch, Committed, Links, Number, Outcome, Reason, UrlRow};
use rusqlite::Connection;

use super::Database;
use super::catalog::TypeCounts;
use super::contents::PageType;
use super::intern::{Interner, New};
use super::pack::{self, Packer, Unpacked};
use super::packed::{self, ContextPacker};
use crate::sqlite::commit::StoredLink;

/// How many visits to prepare before passing them to the writer, which works in parallel.
const VISITS_PER_PART: usize = 8;

/// A part of a batch, ready to be written.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    pub(super) urls: Vec<UrlRow>,
    pub(super) visits: Vec<PreparedVisit>,
    pub(super) links: Vec<PackedLinks>,
    pub(super) settled: Vec<(Number, Reason)>,
    /// Number, whether the page says nofollow, and its links as JSON.
    pub(super) deferred: Vec<(Number, bool, String)>,
    /// Number, how many links, and the first target.
    pub(super) late: Vec<(Number, usize, Option<Number>)>,
    pub(super) new: New,
}

/// A visit with everything needed for its row.
#[derive(Debug)]
pub(super) struct PreparedVisit {
    pub(super) visit: Arc<Committed>,
    pub(super) remembered: StoredVisit,
    pub(super) headers: Option<u32>,
    /// Set if no worker packed the visit.
    packed: Option<Box<[u8]>>,
}

/// The links of one document.
#[derive(Debug)]
pub(super) struct PackedLinks {
    pub(super) source: Number,
    pub(super) list: Vec<u8>,
    pub(super) contexts: Option<Vec<u8>>,
}

/// What a batch adds to the figures of its session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    /// Without robots.txt and sitemaps, which count toward no budget.
    pub(super) visits: i64,
    pub(super) guides: i64,
    pub(super) pages: i64,
    pub(super) failed: i64,
    pub(super) bytes: i64,
    pub(super) fetched: i64,
    pub(super) types: TypeCounts,
    /// The lowest and the highest number.
    pub(super) numbers: Option<(i64, i64)>,
}

/// State kept from batch to batch.
#[derive(Debug)]
pub(super) struct Workbench {
    interner: Interner,
    contexts: ContextPacker,
    packer: Packer,
}

impl Workbench {
    pub(super) fn of(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        Ok(Self { interner: Interner::of(connection, run)?, contexts: ContextPacker::new(), packer: Packer::new() })
    }
}

/// Prepares a batch in parts, in write order: URLs, visits, the rest.
pub(super) fn in_parts(batch: Batch, database: &Database, bench: &mut Workbench, mut give: impl FnMut(Prepared)) {
    let Batch { urls, visits, settled, deferred, late_links } = batch;
    give(Prepared { urls, ..Prepared::default() });
    let mut visits = visits.into_iter().peekable();
    while visits.peek().is_some() {
        give(bench.visits(database, visits.by_ref().take(VISITS_PER_PART)));
    }
    let mut rest = Prepared { settled, ..Prepared::default() };
    for LateLinks { from, links, targets } in &late_links {
        let contexts = bench.contexts.pack(links.contexts());
        rest.links.extend(bench.list(database, *from, links, targets).map(|links| PackedLinks { contexts, ..links }));
        rest.late.push((*from, links.len(), targets.first().copied()));
    }
    for Deferred { from, links, says_nofollow } in &deferred {
        let links = links.to_vec();
        let links: Vec<StoredLink<'_>> = links.iter().map(StoredLink::of).collect();
        let links = serde_json::to_string(&links).expect("links are JSON");
        rest.deferred.push((from.number, *says_nofollow, links));
    }
    rest.new = bench.interner.take_new();
    give(rest);
}

impl Workbench {
    fn visits(&mut self, database: &Database, visits: impl Iterator<Item = Arc<Committed>>) -> Prepared {
        let mut part = Prepared::default();
        for visit in visits {
            part.links.extend(self.list(database, visit.number(), &visit.links, &visit.targets));
            part.visits.push(self.visit(visit));
        }
        part.new = self.interner.take_new();
        part
    }

    /// Targets and anchors, without the text around the links.
    fn list(&mut self, database: &Database, source: Number, links: &Links, targets: &[Number]) -> Option<PackedLinks> {
        if links.is_empty() {
            return None;
        }
        let anchors = self.interner.anchors(database, links);
        let pairs: Vec<(u32, u32)> = targets.iter().map(|target| target.0).zip(anchors).collect();
        Some(PackedLinks { source, list: packed::list(&pairs), contexts: None })
    }

    fn visit(&mut self, visit: Arc<Committed>) -> PreparedVisit {
        let packed = visit.packed.is_none().then(|| self.packer.pack(&visit));
        let mut prepared = PreparedVisit { remembered: StoredVisit::of(&visit, None), headers: None, packed, visit };
        let headers = pack::headers(prepared.packed()).map(|fields| self.interner.headers(fields));
        prepared.headers = headers;
        prepared
    }
}

impl PreparedVisit {
    /// The unpacked fields.
    pub(super) fn unpacked(&self) -> Unpacked<'_> {
        Unpacked::of(self.packed())
    }

    fn packed(&self) -> &[u8] {
        self.packed.as_deref().or(self.visit.packed.as_deref()).expect("a visit is packed when it is prepared")
    }
}

impl Figures {
    pub(super) fn count(&mut self, prepared: &PreparedVisit) {
        let visit = &prepared.visit;
        let is_guide = !visit.row.task.is_counted();
        self.visits += i64::from(!is_guide);
        self.guides += i64::from(is_guide);
        let number = i64::from(visit.number().0);
        let (lowest, highest) = self.numbers.unwrap_or((number, number));
        self.numbers = Some((lowest.min(number), highest.max(number)));
        if prepared.remembered.was_fetched && !is_guide {
            self.fetched += 1;
            *self.types.of(PageType::of(visit.content_type())) += 1;
        }
        self.pages += i64::from(visit.is_read);
        self.failed += i64::from(matches!(visit.outcome, Outcome::Failed(_)) && !is_guide);
        self.bytes += visit.response.as_ref().map_or(0, |response| response.wire_bytes as i64);
    }
}
