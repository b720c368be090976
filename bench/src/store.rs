//! A store that keeps only what the engine reads back: the queue, and deferred links.
//!
//! With it a measurement covers the engine, not a database. It can record the status of each URL, 32 bytes per visit,
//! so that the crawl can be compared with the truth.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bluesnake_engine::store::{BoxFuture, Deferred, StoredUrl};
use bluesnake_engine::{Batch, Number, Store, StoreError, Turn, UrlKey, UrlRow};

use crate::queue::Queue;

/// The result of one URL; status 0 if there was no response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Response {
    pub(crate) url: UrlKey,
    pub(crate) status: u16,
}

/// The store.
#[derive(Debug)]
pub(crate) struct NullStore {
    contents: Mutex<Contents>,
}

#[derive(Debug)]
struct Contents {
    queue: Queue,
    deferred: BTreeMap<Number, Deferred>,
    responses: Option<Vec<Response>>,
}

impl NullStore {
    pub(crate) fn new(notes_responses: bool) -> Self {
        let responses = notes_responses.then(Vec::new);
        Self { contents: Mutex::new(Contents { queue: Queue::default(), deferred: BTreeMap::new(), responses }) }
    }

    /// The results of the URLs, if recorded.
    pub(crate) fn responses(&self) -> Vec<Response> {
        self.contents().responses.clone().unwrap_or_default()
    }

    /// The peak size of the queue in bytes.
    pub(crate) fn queue_peak_bytes(&self) -> usize {
        self.contents().queue.peak_bytes()
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn apply(&mut self, batch: Batch) {
        batch.urls.iter().filter(|row| row.turn.is_some()).for_each(|row| self.queue.push(row));
        for visit in batch.visits {
            self.queue.visited(visit.row.turn.expect("a visit has a turn"));
            if let Some(responses) = &mut self.responses {
                responses.push(Response { url: visit.url().key(), status: visit.status().unwrap_or(0) });
            }
        }
        batch.settled.iter().for_each(|(number, ..)| self.queue.settled(*number));
        self.deferred.extend(batch.deferred.into_iter().map(|deferred| (deferred.from.number, deferred)));
        batch.late_links.iter().for_each(|late| {
            self.deferred.remove(&late.from);
        });
    }
}

impl Store for NullStore {
    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
        self.contents().apply(batch);
        Box::pin(std::future::ready(Ok(())))
    }

    fn load(&self, _after: Number, _limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
        let rows = self.contents().queue.waiting(after, limit);
        Box::pin(std::future::ready(Ok(rows)))
    }

    fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
        let contents = self.contents();
        let deferred = contents.deferred.range(Number(after.0 + 1)..).take(limit);
        let deferred = deferred.map(|(_, deferred)| deferred.clone()).collect();
        Box::pin(std::future::ready(Ok(deferred)))
    }
}
