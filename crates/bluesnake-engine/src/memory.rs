//! A store in memory: the reference implementation that other stores are tested against, and enough for small crawls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::admit::UrlRow;
use crate::link::Link;
use crate::links::Links;
use crate::receipt::{Number, Reason, Turn};
use crate::store::{Batch, BoxFuture, Deferred, LateLinks, Store, StoreError, StoredUrl, StoredVisit};
use crate::visit::{Committed, Outcome};

/// Keeps everything, in number order.
#[derive(Debug, Default)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    urls: Vec<UrlRow>,
    pending: BTreeMap<Turn, Number>,
    visits: BTreeMap<Number, Arc<Committed>>,
    deferred: BTreeMap<Number, Deferred>,
    late_links: BTreeMap<Number, LateLinks>,
}

impl MemoryStore {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every URL, in number order.
    pub fn urls(&self) -> Vec<UrlRow> {
        self.contents().urls.clone()
    }

    /// Every visit, in number order.
    pub fn visits(&self) -> Vec<Arc<Committed>> {
        self.contents().visits.values().cloned().collect()
    }

    /// The visit of a URL.
    pub fn visit(&self, url: &str) -> Option<Arc<Committed>> {
        self.contents().visits.values().find(|visit| visit.url().as_str() == url).cloned()
    }

    /// The links of a URL with the numbers of their targets, in document order.
    pub fn links_from(&self, number: Number) -> Vec<(Link, Number)> {
        let contents = self.contents();
        let parts = contents.links_from(number);
        parts.flat_map(|(links, targets)| links.to_vec().into_iter().zip(targets.iter().copied())).collect()
    }

    /// For every URL, in number order, the smallest number of links from a seed; `None` if no link leads there.
    ///
    /// A redirect is a step like a link. Links that were not followed (nofollow, forms, hints) do not count.
    pub fn depths(&self) -> Vec<Option<u32>> {
        self.contents().depths()
    }
}

impl Contents {
    /// The targets of a URL's followed links.
    fn followed_from(&self, number: Number) -> impl Iterator<Item = Number> {
        let says_nofollow = self.visits.get(&number).is_some_and(|visit| visit.directives.nofollow);
        let links = self.links_from(number).flat_map(|(links, targets)| links.iter().zip(targets));
        links.filter(move |(link, _)| link.is_followed(says_nofollow)).map(|(_, target)| *target)
    }

    /// The links of a URL with the numbers of their targets: its own and deferred ones.
    fn links_from(&self, number: Number) -> impl Iterator<Item = (&Links, &[Number])> {
        let own = self.visits.get(&number).map(|visit| (&visit.links, visit.targets.as_slice()));
        let late = self.late_links.get(&number).map(|late| (&late.links, late.targets.as_slice()));
        own.into_iter().chain(late)
    }

    fn depths(&self) -> Vec<Option<u32>> {
        let mut depths = vec![None; self.urls.len()];
        let mut level: Vec<Number> =
            self.urls.iter().filter(|row| row.parent.is_none() && row.depth.from_seed).map(|row| row.number).collect();
        let mut depth = 0;
        while !level.is_empty() {
            let mut next = Vec::new();
            for number in level {
                let known: &mut Option<u32> = &mut depths[number.0 as usize - 1];
                if known.is_some() {
                    continue;
                }
                *known = Some(depth);
                next.extend(self.followed_from(number));
            }
            level = next;
            depth += 1;
        }
        depths
    }

    fn apply(&mut self, batch: Batch) {
        for row in batch.urls {
            self.put(row);
        }
        for visit in batch.visits {
            let number = visit.number();
            self.settle(number, visit.reason);
            self.visits.insert(number, visit);
        }
        for (number, reason) in batch.settled {
            self.settle(number, reason);
        }
        for deferred in batch.deferred {
            self.deferred.insert(deferred.from.number, deferred);
        }
        for late in batch.late_links {
            self.deferred.remove(&late.from);
            self.late_links.insert(late.from, late);
        }
    }

    fn put(&mut self, row: UrlRow) {
        if let Some(turn) = row.turn {
            self.pending.insert(turn, row.number);
        }
        let at = row.number.0 as usize - 1;
        assert!(at <= self.urls.len(), "numbers have no gaps");
        if at == self.urls.len() { self.urls.push(row) } else { self.urls[at] = row }
    }

    fn settle(&mut self, number: Number, reason: Reason) {
        let row = &mut self.urls[number.0 as usize - 1];
        row.reason = reason;
        if let Some(turn) = row.turn {
            self.pending.remove(&turn);
        }
    }

    fn stored(&self, row: &UrlRow) -> StoredUrl {
        let visit = self.visits.get(&row.number).map(|visit| self.stored_visit(visit));
        StoredUrl { row: row.clone(), visit }
    }

    fn stored_visit(&self, visit: &Committed) -> StoredVisit {
        let is_redirect = matches!(visit.outcome, Outcome::Redirected { .. });
        let mut links = self.links_from(visit.number()).flat_map(|(links, targets)| links.iter().zip(targets));
        let to = links.next().filter(|_| is_redirect).map(|(link, target)| (*target, link.target()));
        StoredVisit::of(visit, to)
    }
}

impl Store for MemoryStore {
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.contents().apply(batch);
        Box::pin(std::future::ready(Ok(())))
    }

    fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        let contents = self.contents();
        let rows = contents.urls.iter().skip(after.0 as usize).take(limit);
        let stored = rows.map(|row| contents.stored(row)).collect();
        Box::pin(std::future::ready(Ok(stored)))
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        let contents = self.contents();
        let numbers = contents.pending.range(Turn(after.0 + 1)..).take(limit);
        let rows = numbers.map(|(_, number)| contents.urls[number.0 as usize - 1].clone()).collect();
        Box::pin(std::future::ready(Ok(rows)))
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        let contents = self.contents();
        let deferred = contents.deferred.range(Number(after.0 + 1)..).take(limit);
        let row_of_now = |number: &Number| contents.urls[number.0 as usize - 1].clone();
        let deferred =
            deferred.map(|(number, deferred)| Deferred { from: row_of_now(number), ..deferred.clone() }).collect();
        Box::pin(std::future::ready(Ok(deferred)))
    }
}
