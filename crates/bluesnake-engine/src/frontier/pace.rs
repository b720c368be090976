//! How fast hosts are requested: one clock per host, shared by every worker and every crawl of the process.
//!
//! Each crawl has its own rate. Shared are the time of the last request and the number of requests in flight.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The clocks of all hosts, by authority.
#[derive(Clone, Debug, Default)]
pub struct Paces(Arc<Mutex<HashMap<Box<str>, Pace>>>);

#[derive(Debug, Default)]
struct Pace {
    last_start: Option<Instant>,
    last_end: Option<Instant>,
    under_way: usize,
}

/// One crawl's limits for one host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Between the starts of two requests.
    pub(crate) spacing: Duration,
    /// After the end of a request, so that a slow host gets more rest.
    pub(crate) delay: Duration,
    pub(crate) at_once: usize,
}

/// Whether a host may be requested now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Yes; the request counts as started.
    Granted,
    /// Not before this moment.
    NotBefore(Instant),
    /// The maximum number of requests is in flight.
    Busy,
}

impl Paces {
    /// The default clocks, shared by all crawls of this process.
    pub fn of_this_process() -> Self {
        static PACES: OnceLock<Paces> = OnceLock::new();
        PACES.get_or_init(Self::default).clone()
    }

    pub(crate) fn request(&self, authority: &str, now: Instant, limits: Limits) -> Permission {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pace = match paces.get_mut(authority) {
            Some(pace) => pace,
            None => {
                prune(&mut paces, now);
                paces.entry(authority.into()).or_default()
            }
        };
        if pace.under_way >= limits.at_once {
            return Permission::Busy;
        }
        let after_start = pace.last_start.map(|start| start + limits.spacing);
        let after_end = pace.last_end.map(|end| end + limits.delay);
        match after_start.max(after_end) {
            Some(moment) if moment > now => Permission::NotBefore(moment),
            _ => {
                pace.last_start = Some(now);
                pace.under_way += 1;
                Permission::Granted
            }
        }
    }

    pub(crate) fn done(&self, authority: &str, now: Instant) {
        let mut paces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pace = paces.get_mut(authority).expect("a host that was asked has a clock");
        pace.under_way = pace.under_way.checked_sub(1).expect("a request ends once");
        pace.last_end = Some(now);
    }
}

/// Forgets hosts that have been idle for a while, whenever the number of hosts has doubled.
fn prune(paces: &mut HashMap<Box<str>, Pace>, now: Instant) {
    const LONG_AGO: Duration = Duration::from_secs(120);
    if paces.len() >= 4096 && paces.len().is_power_of_two() {
        let is_recent = |moment: Option<Instant>| moment.is_some_and(|moment| now.duration_since(moment) < LONG_AGO);
        paces.retain(|_, pace| pace.under_way > 0 || is_recent(pace.last_start) || is_recent(pace.last_end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(spacing_ms: u64, delay_ms: u64, at_once: usize) -> Limits {
        Limits { spacing: Duration::from_millis(spacing_ms), delay: Duration::from_millis(delay_ms), at_once }
    }

    #[test]
    fn two_crawls_share_the_clock_of_a_host() {
        let paces = Paces::default();
        let (one, other) = (paces.clone(), paces);
        let now = Instant::now();
        assert_eq!(one.request("a", now, limits(100, 0, 9)), Permission::Granted);
        let soon = now + Duration::from_millis(100);
        assert_eq!(other.request("a", now, limits(100, 0, 9)), Permission::NotBefore(soon));
        assert_eq!(other.request("b", now, limits(100, 0, 9)), Permission::Granted);
        assert_eq!(other.request("a", soon, limits(100, 0, 9)), Permission::Granted);
    }

    #[test]
    fn requests_under_way_are_limited_over_all_crawls() {
        let paces = Paces::default();
        let now = Instant::now();
        assert_eq!(paces.request("a", now, limits(0, 0, 1)), Permission::Granted);
        assert_eq!(paces.request("a", now, limits(0, 0, 1)), Permission::Busy);
        paces.done("a", now);
        assert_eq!(paces.request("a", now, limits(0, 0, 1)), Permission::Granted);
    }

    #[test]
    fn a_delay_counts_from_the_end_of_the_response() {
        let paces = Paces::default();
        let start = Instant::now();
        assert_eq!(paces.request("a", start, limits(0, 1000, 1)), Permission::Granted);
        let end = start + Duration::from_secs(5);
        paces.done("a", end);
        assert_eq!(paces.request("a", end, limits(0, 1000, 1)), Permission::NotBefore(end + Duration::from_secs(1)));
    }
}
