//! Memory shared by tasks: each reserves what it needs in advance, and waits until there is enough. And how much
//! memory lists take.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of bytes to share. Clones share the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    kibibytes: Arc<Semaphore>,
    size: u32,
}

/// A task's reservation; released when the last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// The memory of a list in bytes: of its items, and of what each has on the heap.
pub(crate) fn weight_of<T>(items: &[T], on_heap: impl Fn(&T) -> usize) -> usize {
    size_of_val(items) + items.iter().map(on_heap).sum::<usize>()
}

impl Space {
    pub(crate) fn new(bytes: usize) -> Self {
        let size = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).clamp(1, (Semaphore::MAX_PERMITS >> 1) as u32);
        Self { kibibytes: Arc::new(Semaphore::new(size as usize)), size }
    }

    /// Waits until this many bytes are available, first come, first served. A request for more than the total gets
    /// all of it.
    ///
    /// A task must reserve everything it needs at once: two tasks that each hold some and wait for more would
    /// deadlock.
    pub(crate) async fn take(&self, bytes: u64) -> Taken {
        let wanted = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).min(self.size);
        let permit = Arc::clone(&self.kibibytes).acquire_many_owned(wanted).await;
        Taken { _permit: Arc::new(permit.expect("the space is never closed")) }
    }
}
