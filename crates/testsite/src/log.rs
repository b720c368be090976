//! What the server saw: the only source that politeness tests trust.
//!
//! A request is recorded when its head has arrived and closed when its response is about to be complete. Start with
//! [`Summary`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its position among all requests, from 0.
    pub order: usize,
    /// When its head was complete.
    pub at: Instant,
    /// When its response was complete or its connection closed; `None` while it is in flight.
    pub answered: Option<Instant>,
    /// The requested host, without port, in lower case.
    pub host: String,
    /// Its method.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// Its headers in the order sent.
    pub headers: Vec<(String, String)>,
    /// The connection that carried it, numbered from 0 in the order of acceptance.
    pub connection: u64,
    /// Its protocol.
    pub protocol: Protocol,
}

impl Seen {
    /// The value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn is_robots(&self) -> bool {
        self.target == "/robots.txt"
    }
}

/// The protocol of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.0 or HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

/// A summary of all requests so far.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    log: Vec<Seen>,
}

impl Summary {
    /// The requests in order of arrival.
    pub fn log(&self) -> &[Seen] {
        &self.log
    }

    pub(crate) fn into_log(self) -> Vec<Seen> {
        self.log
    }

    /// The number of requests.
    pub fn requests(&self) -> usize {
        self.log.len()
    }

    /// How often this path (with its query, if any) was requested, on any host.
    pub fn count(&self, path: &str) -> usize {
        self.log.iter().filter(|seen| seen.target == path).count()
    }

    /// How often this path was requested on one host.
    pub fn count_on(&self, host: &str, path: &str) -> usize {
        self.log.iter().filter(|seen| seen.host == host && seen.target == path).count()
    }

    /// Paths with queries, in request order.
    pub fn paths(&self) -> Vec<String> {
        self.log.iter().map(|seen| seen.target.clone()).collect()
    }

    /// The requested hosts, each once, in alphabetical order.
    pub fn hosts(&self) -> Vec<String> {
        self.log.iter().map(|seen| seen.host.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Paths that were requested more than once from one host, in alphabetical order.
    pub fn requested_more_than_once(&self) -> Vec<String> {
        let mut counts = BTreeMap::new();
        for seen in &self.log {
            *counts.entry((&seen.target, &seen.host)).or_insert(0) += 1;
        }
        counts.into_iter().filter(|(_, count)| *count > 1).map(|((target, _), _)| target.clone()).collect()
    }

    /// The highest number of concurrent requests.
    pub fn most_at_once(&self) -> usize {
        most_at_once(self.log.iter())
    }

    /// The highest number of concurrent requests to one host.
    pub fn most_at_once_on(&self, host: &str) -> usize {
        most_at_once(self.log.iter().filter(|seen| seen.host == host))
    }

    /// The shortest time between the starts of two requests to the same host; [`Duration::MAX`] if there are none.
    pub fn shortest_gap(&self) -> Duration {
        shortest_gap(self.log.iter())
    }

    /// As [`Summary::shortest_gap`], without requests for `/robots.txt`.
    pub fn shortest_gap_without_robots(&self) -> Duration {
        shortest_gap(self.log.iter().filter(|seen| !seen.is_robots()))
    }

    /// The shortest time between the end of a response and the next start on the same host; zero if they overlap.
    pub fn shortest_rest(&self) -> Duration {
        let mut last: BTreeMap<&str, Option<Instant>> = BTreeMap::new();
        let mut shortest = Duration::MAX;
        for seen in &self.log {
            if let Some(answered) = last.insert(&seen.host, seen.answered) {
                let rest = answered.map_or(Duration::ZERO, |end| seen.at.saturating_duration_since(end));
                shortest = shortest.min(rest);
            }
        }
        shortest
    }

    /// The number of connections used.
    pub fn connections(&self) -> usize {
        self.log.iter().map(|seen| seen.connection).collect::<BTreeSet<_>>().len()
    }
}

fn most_at_once<'a>(log: impl Iterator<Item = &'a Seen>) -> usize {
    let mut moments = Vec::new();
    for seen in log {
        moments.push((seen.at, 1));
        moments.extend(seen.answered.map(|end| (end, -1)));
    }
    // At the same instant an end sorts before a start, so that back-to-back requests do not overlap.
    moments.sort_unstable();
    let mut under_way: isize = 0;
    let most = moments.into_iter().map(|(_, change)| {
        under_way += change;
        under_way
    });
    most.max().unwrap_or(0).unsigned_abs()
}

fn shortest_gap<'a>(log: impl Iterator<Item = &'a Seen>) -> Duration {
    let mut last: BTreeMap<&str, Instant> = BTreeMap::new();
    let gaps = log.filter_map(|seen| last.insert(&seen.host, seen.at).map(|before| seen.at - before));
    gaps.min().unwrap_or(Duration::MAX)
}

/// The log while the server writes it.
#[derive(Debug)]
pub(crate) struct Log {
    summary: Mutex<Summary>,
    changed: Notify,
    is_kept: bool,
}

impl Log {
    pub(crate) fn new(is_kept: bool) -> Self {
        Self { summary: Mutex::default(), changed: Notify::new(), is_kept }
    }

    pub(crate) fn snapshot(&self) -> Summary {
        self.lock().clone()
    }

    pub(crate) async fn wait_for(&self, mut is_reached: impl FnMut(&Summary) -> bool) {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            changed.as_mut().enable();
            if is_reached(&self.lock()) {
                return;
            }
            changed.await;
        }
    }

    /// Records a request; `describe` runs only if a log is kept. Fills in the position.
    pub(crate) fn record(self: &Arc<Self>, describe: impl FnOnce() -> Seen) -> Exchange {
        if !self.is_kept {
            return Exchange { log: Arc::clone(self), order: None };
        }
        let mut seen = describe();
        let mut summary = self.lock();
        let order = summary.log.len();
        // Taken under the lock, so that positions and times have the same order.
        seen.order = order;
        seen.at = Instant::now();
        summary.log.push(seen);
        drop(summary);
        self.changed.notify_waiters();
        Exchange { log: Arc::clone(self), order: Some(order) }
    }

    fn lock(&self) -> MutexGuard<'_, Summary> {
        self.summary.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in flight. It counts as finished at the latest when this is dropped.
#[derive(Debug)]
pub(crate) struct Exchange {
    log: Arc<Log>,
    order: Option<usize>,
}

impl Exchange {
    /// Called just before the last bytes are sent: a client that reacts to them must not overlap with this request.
    pub(crate) fn answered(&mut self) {
        let Some(order) = self.order.take() else { return };
        self.log.lock().log[order].answered = Some(Instant::now());
        self.log.changed.notify_waiters();
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.answered();
    }
}
