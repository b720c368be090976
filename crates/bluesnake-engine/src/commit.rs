//! From the ledger to the store: batches, in order, written while the crawl goes on.
//!
//! Numbering is done before anything is written; durability follows. One task writes one batch at a time, so a crash
//! loses at most the batches that were not yet written, always the newest ones, and they are fetched again.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::store::{Batch, Store, StoreError};
use crate::visit::Visit;

/// How many visits make a batch that is worth writing at once.
const FULL_BATCH: usize = 64;
/// How many bytes of visits make such a batch.
const FULL_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// How many batches may wait for the writer before the crawl waits for it.
const WAITING_BATCHES: usize = 1;

/// Collects what changed and hands it to the task that writes.
#[derive(Debug)]
pub(crate) struct Writer {
    batch: Batch,
    bytes: usize,
    sender: mpsc::Sender<Batch>,
    sent: u64,
    written: watch::Receiver<u64>,
    task: JoinSet<Result<(), StoreError>>,
}

impl Writer {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        let (sender, mut batches) = mpsc::channel::<Batch>(WAITING_BATCHES);
        let (done, written) = watch::channel(0);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Some(batch) = batches.recv().await {
                store.commit(batch).await?;
                done.send_modify(|count| *count += 1);
            }
            Ok(())
        });
        Self { batch: Batch::default(), bytes: 0, sender, sent: 0, written, task }
    }

    /// What changed since the last batch; additions go here.
    pub(crate) fn batch(&mut self) -> &mut Batch {
        &mut self.batch
    }

    /// Adds a visit.
    pub(crate) fn push(&mut self, visit: Arc<Visit>) {
        self.bytes += visit.weight();
        self.batch.visits.push(visit);
    }

    /// Whether a batch is worth sending by its size.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= FULL_BATCH_BYTES
            || self.batch.visits.len() + self.batch.settled.len() >= FULL_BATCH
            || self.batch.urls.len() >= 50 * FULL_BATCH
    }

    pub(crate) fn has_something(&self) -> bool {
        !self.batch.is_empty()
    }

    /// Hands the batch over, and waits when the writer is behind.
    pub(crate) async fn send(&mut self) -> Result<(), StoreError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        if self.sender.send(batch).await.is_err() {
            return Err(self.failure().await);
        }
        self.sent += 1;
        Ok(())
    }

    /// Waits until everything is written.
    pub(crate) async fn flush(&mut self) -> Result<(), StoreError> {
        self.send().await?;
        let sent = self.sent;
        if self.written.wait_for(|written| *written == sent).await.is_err() {
            return Err(self.failure().await);
        }
        Ok(())
    }

    /// Waits until the writer fails; it never ends otherwise.
    pub(crate) async fn failed(&mut self) -> StoreError {
        self.failure().await
    }

    async fn failure(&mut self) -> StoreError {
        match self.task.join_next().await {
            Some(Ok(Err(error))) => error,
            Some(Err(panic)) => StoreError { message: "the store panicked".to_owned(), source: Some(panic.into()) },
            Some(Ok(Ok(()))) | None => StoreError::new("the store stopped taking batches"),
        }
    }
}
