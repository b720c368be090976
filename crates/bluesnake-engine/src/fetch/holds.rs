//! How many requests wait before they are sent, and for what.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a request can wait for before it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// The limit on open files allows no more connections.
    Connections,
    /// The system has no sockets left.
    Sockets,
}

/// The waiting requests of one crawl.
#[derive(Debug, Default)]
pub(super) struct Holds([AtomicUsize; 2]);

impl Holds {
    /// Counts a request as waiting while this future runs.
    pub(super) async fn during<T>(&self, hold: Hold, work: impl Future<Output = T>) -> T {
        struct Counted<'a>(&'a AtomicUsize);
        impl Drop for Counted<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let count = &self.0[hold as usize];
        count.fetch_add(1, Ordering::Relaxed);
        let _counted = Counted(count);
        work.await
    }

    /// What most of them wait for, if at least `requests` wait.
    pub(super) fn of_all(&self, requests: usize) -> Option<Hold> {
        let holds = [Hold::Connections, Hold::Sockets];
        let count = |hold: Hold| self.0[hold as usize].load(Ordering::Relaxed);
        let are_all = requests > 0 && holds.into_iter().map(count).sum::<usize>() >= requests;
        holds.into_iter().max_by_key(|hold| count(*hold)).filter(|_| are_all)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn requests_are_held_up_when_all_of_them_wait() {
        let holds = Holds::default();
        let wait = |hold| {
            let mut waiting = Box::pin(holds.during(hold, std::future::pending::<()>()));
            assert!(waiting.as_mut().now_or_never().is_none());
            waiting
        };
        assert_eq!(holds.of_all(0), None);
        let one = wait(Hold::Connections);
        assert_eq!((holds.of_all(1), holds.of_all(2)), (Some(Hold::Connections), None));
        let others = [wait(Hold::Sockets), wait(Hold::Sockets)];
        assert_eq!(holds.of_all(3), Some(Hold::Sockets));
        drop((one, others));
        assert_eq!(holds.of_all(1), None, "also when they are called off");
    }
}
