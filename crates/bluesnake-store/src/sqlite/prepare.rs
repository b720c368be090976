//! The part of a commit that needs no database: texts, packed links, compressed documents.

use std::sync::Arc;

use bluesnake_engine::store::{Deferred, LateLinks, StoredVisit};
use bluesnake_engine::{Batch, Disposition, Link, Number, Outcome, UrlRow, Visit};
use rusqlite::Connection;

use super::bodies::PackedBody;
use super::documents::PackedDocument;
use super::intern::{Interner, New};
use super::packed::{self, ContextPacker};
use super::pages::PageType;
use super::{Database, facts};
use crate::rows::TypeCounts;
use crate::sqlite::commit::StoredLink;

/// How many visits are prepared before they are handed to the writer, which works on them meanwhile.
const VISITS_PER_PART: usize = 8;

/// A part of a batch that only has to be written.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    pub(super) urls: Vec<UrlRow>,
    pub(super) visits: Vec<PreparedVisit>,
    pub(super) links: Vec<PackedLinks>,
    pub(super) settled: Vec<(Number, Disposition, &'static str)>,
    /// Number, whether the page says nofollow, and its links as JSON.
    pub(super) deferred: Vec<(Number, bool, String)>,
    /// Number, how many links, and the first target.
    pub(super) late: Vec<(Number, usize, Option<Number>)>,
    pub(super) new: New,
}

/// A visit with everything that has to be made for its row.
#[derive(Debug)]
pub(super) struct PreparedVisit {
    pub(super) visit: Arc<Visit>,
    pub(super) remembered: StoredVisit,
    pub(super) headers: Option<u32>,
    pub(super) facts: Option<String>,
    pub(super) html: Option<PackedBody>,
    pub(super) text: Option<PackedBody>,
    pub(super) document: Option<PackedDocument>,
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
    /// robots.txt and sitemaps, which count toward no budget, are not among them.
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

/// What is kept from batch to batch.
#[derive(Debug)]
pub(super) struct Workbench {
    interner: Interner,
    contexts: ContextPacker,
}

impl Workbench {
    pub(super) fn of(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        Ok(Self { interner: Interner::of(connection, run)?, contexts: ContextPacker::new() })
    }
}

/// Prepares a batch in parts, in the order in which they are to be written: URLs, visits, the rest.
pub(super) fn in_parts(batch: Batch, database: &Database, bench: &mut Workbench, mut give: impl FnMut(Prepared)) {
    let Batch { urls, visits, settled, deferred, late_links } = batch;
    give(Prepared { urls, ..Prepared::default() });
    let mut visits = visits.into_iter().peekable();
    while visits.peek().is_some() {
        give(bench.visits(database, visits.by_ref().take(VISITS_PER_PART)));
    }
    let mut rest = Prepared { settled, ..Prepared::default() };
    for LateLinks { from, links, targets } in &late_links {
        rest.links.extend(bench.pack(database, *from, links, targets));
        rest.late.push((*from, links.len(), targets.first().copied()));
    }
    for Deferred { from, links, says_nofollow } in &deferred {
        let links: Vec<StoredLink<'_>> = links.iter().map(StoredLink::of).collect();
        let links = serde_json::to_string(&links).expect("links are JSON");
        rest.deferred.push((from.number, *says_nofollow, links));
    }
    rest.new = bench.interner.take_new();
    give(rest);
}

impl Workbench {
    fn visits(&mut self, database: &Database, visits: impl Iterator<Item = Arc<Visit>>) -> Prepared {
        let mut part = Prepared::default();
        for visit in visits {
            part.links.extend(self.pack(database, visit.number(), &visit.links, &visit.targets));
            part.visits.push(PreparedVisit::of(visit, &mut self.interner));
        }
        part.new = self.interner.take_new();
        part
    }

    fn pack(&mut self, database: &Database, source: Number, links: &[Link], targets: &[Number]) -> Option<PackedLinks> {
        if links.is_empty() {
            return None;
        }
        let anchors = self.interner.anchors(database, links);
        let pairs: Vec<(u32, u32)> = targets.iter().map(|target| target.0).zip(anchors).collect();
        Some(PackedLinks { source, list: packed::list(&pairs), contexts: self.contexts.pack(links) })
    }
}

impl PreparedVisit {
    fn of(visit: Arc<Visit>, interner: &mut Interner) -> Self {
        let page = visit.page.as_deref();
        Self {
            remembered: StoredVisit::of(&visit, None),
            headers: visit.answer.as_ref().map(|answer| interner.headers(&answer.headers)),
            facts: page.map(facts::facts),
            html: visit.html.as_ref().map(|html| PackedBody::of(html)),
            text: page.and_then(|page| page.text.as_ref()).map(|text| PackedBody::of(text.as_bytes())),
            document: PackedDocument::of(&visit),
            visit,
        }
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
        self.pages += i64::from(visit.page.is_some());
        self.failed += i64::from(matches!(visit.outcome, Outcome::Failed(_)) && !is_guide);
        self.bytes += visit.answer.as_ref().map_or(0, |answer| answer.wire_bytes as i64);
    }
}
