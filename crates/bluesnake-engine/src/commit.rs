//! From the ledger to the store: batches, in order, written while the crawl continues.
//!
//! Numbering comes first; writing follows. One task writes one batch at a time, so a crash loses at most the batches
//! not yet written, always the newest, and their URLs are fetched again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::store::{Batch, BoxFuture, Deferred, Store, StoreError};
use crate::visit::Committed;

/// How many visits make a batch worth writing at once.
pub(crate) const FULL_BATCH: usize = 64;
/// How many bytes of visits make such a batch.
const FULL_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// How old a batch may get before it is written.
const BATCH_AGE: Duration = Duration::from_millis(25);
/// How many batches may queue for the writer before the crawl waits.
const WAITING_BATCHES: usize = 1;

/// What a store writes in one transaction.
pub(crate) trait Writes: Default + Send + 'static {
    fn is_empty(&self) -> bool;

    /// Whether it has enough entries to be written.
    fn is_full(&self) -> bool;
}

impl Writes for Batch {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn is_full(&self) -> bool {
        self.visits.len() + self.settled.len() >= FULL_BATCH || self.urls.len() >= 50 * FULL_BATCH
    }
}

/// Collects changes and passes them to the writing task.
#[derive(Debug)]
pub(crate) struct Writer<B> {
    batch: B,
    bytes: usize,
    /// When [`Writer::send_what_is_due`] first saw the oldest entry of the batch.
    since: Option<Instant>,
    /// Bytes of batches handed over but not stored yet.
    under_way: Arc<AtomicUsize>,
    sender: mpsc::Sender<(B, usize)>,
    sent: u64,
    written: watch::Receiver<u64>,
    task: JoinSet<Result<(), StoreError>>,
}

impl<B: Writes> Writer<B> {
    /// A writer that commits one batch after the other.
    pub(crate) fn new(
        commit: impl Fn(B) -> BoxFuture<'static, Result<(), StoreError>> + Send + Sync + 'static,
    ) -> Self {
        let (sender, mut batches) = mpsc::channel::<(B, usize)>(WAITING_BATCHES);
        let (done, written) = watch::channel(0);
        let under_way = Arc::new(AtomicUsize::new(0));
        let stored = Arc::clone(&under_way);
        let mut task = JoinSet::new();
        task.spawn(async move {
            while let Some((batch, bytes)) = batches.recv().await {
                commit(batch).await?;
                stored.fetch_sub(bytes, Ordering::Relaxed);
                done.send_modify(|count| *count += 1);
            }
            Ok(())
        });
        Self { batch: B::default(), bytes: 0, since: None, under_way, sender, sent: 0, written, task }
    }

    /// The changes since the last batch; add to it.
    pub(crate) fn batch(&mut self) -> &mut B {
        &mut self.batch
    }

    /// The same, to add something of this many bytes.
    pub(crate) fn batch_with(&mut self, bytes: usize) -> &mut B {
        self.bytes += bytes;
        &mut self.batch
    }

    /// Bytes of visits not stored yet.
    pub(crate) fn held_bytes(&self) -> usize {
        self.bytes + self.under_way.load(Ordering::Relaxed)
    }

    /// Whether a batch is large enough to be sent.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= FULL_BATCH_BYTES || self.batch.is_full()
    }

    /// When the batch must be sent because of its age.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.since.map(|since| since + BATCH_AGE)
    }

    /// Sends a batch that is full, or old enough.
    pub(crate) async fn send_what_is_due(&mut self) -> Result<(), StoreError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.is_full() || since.elapsed() >= BATCH_AGE { self.send().await } else { Ok(()) }
    }

    /// Hands the batch over, waiting if the writer is behind.
    pub(crate) async fn send(&mut self) -> Result<(), StoreError> {
        self.since = None;
        if self.batch.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.bytes);
        let batch = std::mem::take(&mut self.batch);
        self.under_way.fetch_add(bytes, Ordering::Relaxed);
        if self.sender.send((batch, bytes)).await.is_err() {
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

    /// Waits until the writer fails; otherwise never returns.
    pub(crate) async fn failure(&mut self) -> StoreError {
        match self.task.join_next().await {
            Some(Ok(Err(error))) => error,
            Some(Err(panic)) => StoreError { message: "the store panicked".to_owned(), source: Some(panic.into()) },
            Some(Ok(Ok(()))) | None => StoreError::new("the store stopped taking batches"),
        }
    }
}

impl Writer<Batch> {
    /// A writer of a site's batches.
    pub(crate) fn to(store: Arc<dyn Store>) -> Self {
        Self::new(move |batch| {
            let store = Arc::clone(&store);
            Box::pin(async move { store.commit(batch).await })
        })
    }

    /// Adds a visit.
    pub(crate) fn push(&mut self, visit: Arc<Committed>) {
        self.batch_with(visit.weight()).visits.push(visit);
    }

    /// Adds links to be numbered later.
    pub(crate) fn push_deferred(&mut self, deferred: Deferred) {
        self.batch_with(deferred.links.weight()).deferred.push(deferred);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admit::Refusal;
    use crate::admit::UrlRow;
    use crate::ledger::Turned;
    use crate::link::{Link, LinkKind};
    use crate::links::Links;
    use crate::memory::MemoryStore;
    use crate::plan::{AuditInput, AuditPlan};
    use crate::receipt::{Number, Turn};
    use crate::store::StoredUrl;
    use crate::url::CanonicalUrl;
    use crate::visit::Visit;
    use tokio::sync::Semaphore;

    /// A store that commits a batch when the test allows it.
    struct Gated {
        inner: MemoryStore,
        gate: Semaphore,
    }

    impl Store for Gated {
        fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<(), StoreError>> {
            Box::pin(async move {
                self.gate.acquire().await.expect("the gate is there").forget();
                self.inner.commit(batch).await
            })
        }

        fn load(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<StoredUrl>, StoreError>> {
            self.inner.load(after, limit)
        }

        fn pending(&self, after: Turn, limit: usize) -> BoxFuture<'_, Result<Vec<UrlRow>, StoreError>> {
            self.inner.pending(after, limit)
        }

        fn deferred(&self, after: Number, limit: usize) -> BoxFuture<'_, Result<Vec<Deferred>, StoreError>> {
            self.inner.deferred(after, limit)
        }
    }

    #[tokio::test]
    async fn visits_are_counted_until_they_are_stored() {
        let store = Arc::new(Gated { inner: MemoryStore::default(), gate: Semaphore::new(0) });
        let mut writer = Writer::to(store.clone());
        let plan = AuditPlan::new(["http://a.test/"], AuditInput::default()).unwrap();
        let mut ledger = crate::ledger::Ledger::new(Arc::new(plan.into()), Arc::new(|_| crate::Action::Crawl));
        let rows = ledger.begin().urls;
        let weight = |row: &UrlRow| Visit::refused(row.clone(), Refusal::Robots, "").weight();
        writer.batch().urls.clone_from(&rows);
        for row in &rows[..2] {
            let Turned::Admitted(admitted) = ledger.take_turn(row.clone()) else { panic!("nothing is spent") };
            let visit = Visit::refused(admitted.into_row(), Refusal::Robots, "");
            let (committed, _) = ledger.commit(Box::new(visit));
            writer.push(Arc::new(committed));
            assert!(writer.held_bytes() >= weight(row), "a visit counts in its batch");
            writer.send().await.unwrap();
        }
        let both = rows[..2].iter().map(weight).sum::<usize>();
        assert_eq!(writer.held_bytes(), both, "and while its batch waits");
        store.gate.add_permits(2);
        writer.flush().await.unwrap();
        assert_eq!(writer.held_bytes(), 0, "and no longer");
    }

    /// A page gives up its links when they are deferred, so they were not counted anywhere.
    #[tokio::test]
    async fn links_that_are_put_off_are_counted_until_they_are_stored() {
        let mut writer = Writer::to(Arc::new(MemoryStore::default()));
        let plan = AuditPlan::new(["http://a.test/"], AuditInput::default()).unwrap();
        let mut ledger = crate::ledger::Ledger::new(Arc::new(plan.into()), Arc::new(|_| crate::Action::Crawl));
        let urls = ledger.begin().urls;
        let targets = (0..1_000).map(|number| CanonicalUrl::parse(&format!("http://a.test/{number}")).unwrap());
        let links: Vec<Link> = targets.map(|target| Link::bare(target, LinkKind::Anchor)).collect();
        let from = urls[0].clone();
        writer.batch().urls = urls;
        writer.push_deferred(Deferred { from, links: Links::of(&links), says_nofollow: false });
        assert!(writer.held_bytes() > 1_000 * "/123".len(), "{}", writer.held_bytes());
        writer.flush().await.unwrap();
        assert_eq!(writer.held_bytes(), 0);
    }
}
