//! CPU time, for tests of how much work something is: load on the machine does not change it.

use std::time::Duration;

/// CPU time of this thread. Unlike wall time it does not advance while other threads run; always zero on systems that
/// do not report it.
pub fn cpu_time() -> Duration {
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(schedstat.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok()).unwrap_or(0))
}
