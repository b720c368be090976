//! Memory that tasks share: each takes what it needs before it needs it, and waits until there is enough.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of bytes to share. Clones share the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    kibibytes: Arc<Semaphore>,
    size: u32,
}

/// What a task took; it is given back when the last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl Space {
    pub(crate) fn new(bytes: usize) -> Self {
        let size = u32::try_from(bytes / 1024).unwrap_or(u32::MAX).clamp(1, (Semaphore::MAX_PERMITS >> 1) as u32);
        Self { kibibytes: Arc::new(Semaphore::new(size as usize)), size }
    }

    /// Waits until there are so many bytes, first come, first served. Whoever wants more than there are gets all of them.
    ///
    /// A task must take all that it will need at once: two that wait for more while they hold some would wait for ever.
    pub(crate) async fn take(&self, bytes: u64) -> Taken {
        let wanted = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).min(self.size);
        let permit = Arc::clone(&self.kibibytes).acquire_many_owned(wanted).await;
        Taken { _permit: Arc::new(permit.expect("the space is never closed")) }
    }
}
