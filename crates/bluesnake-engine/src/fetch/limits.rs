//! Time and size limits of a request, and the clock that enforces them.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::Take;
use super::body::{Extent, Pace};
use crate::plan::FetchSettings;

/// The longest possible wait, whatever the settings say, so that adding times never overflows.
const LONGEST_WAIT_MS: u64 = 24 * 60 * 60 * 1000;
/// How long a body may stay below the minimum rate.
const SLOWNESS_PATIENCE: Duration = Duration::from_secs(20);

/// The limits of one request.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) timeout: Duration,
    timeout_step: Duration,
    total: Duration,
    pub(super) idle: Duration,
    min_rate: u64,
    pub(super) header_count: usize,
    count_limit: u64,
    max_ratio: u64,
}

/// The deadlines of an attempt.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) head: Instant,
    pub(super) total: Instant,
}

impl Limits {
    pub(super) fn of(settings: &FetchSettings) -> Self {
        Self {
            timeout: wait(settings.timeout_ms),
            timeout_step: wait(settings.timeout_step_ms),
            total: wait(settings.total_timeout_ms),
            idle: wait(settings.idle_timeout_ms),
            min_rate: settings.min_rate,
            header_count: settings.header_count,
            count_limit: if settings.body_limit == 0 { u64::MAX } else { settings.body_limit as u64 },
            max_ratio: settings.max_ratio as u64,
        }
    }

    /// Each retry gets one step more time than the previous attempt.
    pub(super) fn times(&self, attempt: u32, began: Instant) -> Times {
        let more = self.timeout_step * attempt.saturating_sub(1);
        let total = began + self.total + more;
        Times { head: total.min(began + self.timeout + more), total }
    }

    pub(super) fn extent(&self, take: Take) -> Extent {
        Extent { take, count_limit: self.count_limit, max_ratio: self.max_ratio }
    }

    pub(super) fn pace(&self, times: Times) -> Pace {
        Pace { idle: self.idle, deadline: times.total, min_rate: self.min_rate, patience: SLOWNESS_PATIENCE }
    }
}

/// The result of the work, or `None` after the deadline. The timer may fire early and is then reset.
pub(super) async fn by<T>(deadline: Instant, mut alarm: Pin<&mut Sleep>, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    std::future::poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Some(done));
        }
        while alarm.as_mut().poll(cx).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(None);
            }
            alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    })
    .await
}

/// Opening a connection has its own timeout, to distinguish a name server or host that hangs from a slow response.
pub(super) fn connect_limit(settings: &FetchSettings) -> Duration {
    let most_of_the_wait = settings.timeout_ms - settings.timeout_ms / 10;
    wait(settings.connect_timeout_ms.min(most_of_the_wait))
}

fn wait(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds.min(LONGEST_WAIT_MS))
}
