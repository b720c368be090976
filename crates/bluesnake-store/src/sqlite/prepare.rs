//! The part of a commit that needs no database: texts, packed links, compressed documents.

use std::sync::Arc;

use bluesnake_engine::store::{LateLinks, StoredVisit};
use bluesnake_engine::{Batch, Disposition, Link, Number, Outcome, UrlRow, Visit};
use rusqlite::Connection;

use super::bodies::PackedBody;
use super::intern::{Interner, New};
use super::packed::{self, ContextPacker};
use super::pages::PageType;
use super::{Database, facts};
use crate::rows::TypeCounts;
use crate::sqlite::commit::StoredLink;

/// A batch that only has to be written.
#[derive(Debug)]
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
    pub(super) figures: Figures,
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
    pub(super) visits: i64,
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

impl Prepared {
    pub(super) fn of(batch: Batch, database: &Database, bench: &mut Workbench) -> Self {
        let mut links = Vec::new();
        let mut pack = |bench: &mut Workbench, source, of: &[Link], targets: &[Number]| {
            if !of.is_empty() {
                links.push(bench.pack(database, source, of, targets));
            }
        };
        let mut figures = Figures::default();
        let mut visits = Vec::with_capacity(batch.visits.len());
        for visit in batch.visits {
            pack(bench, visit.number(), &visit.links, &visit.targets);
            let prepared = PreparedVisit::of(visit, &mut bench.interner);
            figures.count(&prepared.visit, prepared.remembered.was_fetched);
            visits.push(prepared);
        }
        let mut late = Vec::new();
        for LateLinks { from, links, targets } in &batch.late_links {
            pack(bench, *from, links, targets);
            late.push((*from, links.len(), targets.first().copied()));
        }
        let deferred = batch.deferred.iter().map(|deferred| {
            let links: Vec<StoredLink<'_>> = deferred.links.iter().map(StoredLink::of).collect();
            let links = serde_json::to_string(&links).expect("links are JSON");
            (deferred.from.number, deferred.says_nofollow, links)
        });
        Self {
            urls: batch.urls,
            visits,
            settled: batch.settled,
            deferred: deferred.collect(),
            late,
            links,
            new: bench.interner.take_new(),
            figures,
        }
    }
}

impl Workbench {
    fn pack(&mut self, database: &Database, source: Number, links: &[Link], targets: &[Number]) -> PackedLinks {
        let anchors = links.iter().map(|link| self.interner.anchor(database, link));
        let pairs: Vec<(u32, u32)> = targets.iter().map(|target| target.0).zip(anchors).collect();
        PackedLinks { source, list: packed::list(&pairs), contexts: self.contexts.pack(links) }
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
            visit,
        }
    }
}

impl Figures {
    fn count(&mut self, visit: &Visit, was_fetched: bool) {
        self.visits += 1;
        let number = i64::from(visit.number().0);
        let (lowest, highest) = self.numbers.unwrap_or((number, number));
        self.numbers = Some((lowest.min(number), highest.max(number)));
        if was_fetched {
            self.fetched += 1;
            *self.types.of(PageType::of(visit.content_type())) += 1;
        }
        self.pages += i64::from(visit.page.is_some());
        self.failed += i64::from(matches!(visit.outcome, Outcome::Failed(_)));
        self.bytes += visit.answer.as_ref().map_or(0, |answer| answer.wire_bytes as i64);
    }
}
