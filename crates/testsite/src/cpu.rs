//! Time of the processor, for tests of how much work something is: a busy machine does not change it.

use std::time::Duration;

/// How long this thread has had a processor. Unlike the clock on the wall it does not run while others have it; on systems
/// without such a figure it stands still.
pub fn cpu_time() -> Duration {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(schedstat.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).unwrap_or(0))
}
