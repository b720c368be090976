//! The progress of a running crawl as shown to users: at most four updates a second.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bluesnake_engine::{CanonicalUrl, HostNews, Progress, Wait, WaitReason};
use serde::Serialize;
use utoipa::ToSchema;

/// How often progress is published.
pub(super) const INTERVAL: Duration = Duration::from_millis(250);
/// The window for computing the rate.
const RATE_OVER: Duration = Duration::from_secs(5);
/// How many URLs in flight to show.
const CURRENT: usize = 16;
/// How many to track: robots.txt requests that are never answered stay until newer ones replace them.
const NOTED: usize = 1024;

/// The phase of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It waits for another crawl to end.
    #[default]
    Queued,
    /// It reads what an earlier session left.
    Starting,
    /// It crawls.
    Crawling,
    /// It is stopping; requests in flight may finish.
    Stopping,
    /// Everything is fetched; depths are being computed.
    Finishing,
    /// It is over.
    Ended,
}

/// A host that is resting or was given up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostState {
    /// The host.
    pub host: String,
    /// The reason, as a sentence.
    pub message: String,
}

/// Current figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// The phase of the session.
    pub phase: Phase,
    /// The run, once it has begun.
    pub run_id: Option<i64>,
    /// The session, once it has begun.
    pub crawl_id: Option<i64>,
    /// Since the session began.
    pub elapsed_ms: u64,
    /// URLs seen in this run.
    pub seen: u64,
    /// URLs pending or in flight.
    pub pending: u64,
    /// Requests in flight.
    pub in_flight: usize,
    /// Visits of this session.
    pub visits: u64,
    /// HTML pages among them.
    pub pages: u64,
    /// Visits that failed.
    pub failed: u64,
    /// Bytes of bodies on the wire.
    pub bytes: u64,
    /// URLs dropped for lack of capacity: always 0.
    pub dropped: u64,
    /// Recent visits per second.
    pub rate: f64,
    /// Estimated remaining time for the known URLs.
    pub eta_ms: Option<u64>,
    /// Current requests, oldest first.
    pub current: Vec<String>,
    /// Why no request is being sent.
    pub waiting: Option<Waiting>,
    /// Hosts that are resting or were given up recently.
    pub hosts: Vec<HostState>,
}

/// Why no request is being sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// The host of the next request; empty if the wait is not for a host.
    pub host: String,
    /// `rate`, `crawl_delay`, `throttled`, `down`, `robots`, `retry`, `shared`, `connections`, `sockets` or `window`.
    pub reason: &'static str,
    /// Remaining time.
    pub remaining_ms: u64,
    /// The wait, as a sentence.
    pub message: String,
    /// Whether it is more than the ordinary pace of the crawl.
    #[serde(skip)]
    pub is_notable: bool,
}

impl Waiting {
    fn of(wait: &Wait, in_flight: usize, now: Instant) -> Self {
        let remaining = wait.until.saturating_duration_since(now);
        let is_pace = matches!(wait.reason, WaitReason::Rate | WaitReason::Shared);
        Self {
            host: wait.host.to_string(),
            reason: wait.reason.as_str(),
            remaining_ms: remaining.as_millis() as u64,
            message: match &*wait.host {
                "" => format!("waiting: {}", wait.reason),
                host => format!("waiting {:.0} s for {host}: {}", remaining.as_secs_f64().ceil(), wait.reason),
            },
            is_notable: wait.host.is_empty() || in_flight == 0 && (!is_pace || remaining >= Duration::from_secs(1)),
        }
    }
}

/// What engine hooks record between two snapshots.
#[derive(Debug, Default)]
pub(super) struct Notes {
    current: Mutex<VecDeque<CanonicalUrl>>,
    hosts: Mutex<BTreeMap<String, (String, Instant)>>,
}

impl Notes {
    pub(super) fn asked(&self, url: &CanonicalUrl) {
        let mut current = lock(&self.current);
        current.retain(|known| known != url);
        if current.len() >= NOTED {
            current.pop_front();
        }
        current.push_back(url.clone());
    }

    /// It responded, or is finished.
    pub(super) fn had(&self, url: &CanonicalUrl) {
        lock(&self.current).retain(|known| known != url);
    }

    pub(super) fn host(&self, news: &HostNews) {
        let (host, message, pause) = match news {
            HostNews::Resting { host, pause, why } => {
                (host, format!("paused for {:.1} s: {why}", pause.as_secs_f64()), *pause)
            }
            HostNews::GivenUp { host, why, .. } => (host, format!("given up: {why}"), Duration::from_secs(30)),
        };
        lock(&self.hosts).insert(host.clone(), (message, Instant::now() + pause));
    }

    fn current(&self, in_flight: usize) -> Vec<String> {
        let current = lock(&self.current);
        let older = current.len().saturating_sub(in_flight.min(CURRENT));
        current.iter().skip(older).map(|url| url.for_log().into_owned()).collect()
    }

    fn hosts(&self, now: Instant) -> Vec<HostState> {
        let mut hosts = lock(&self.hosts);
        hosts.retain(|_, (_, until)| *until > now);
        hosts.iter().map(|(host, (message, _))| HostState { host: host.clone(), message: message.clone() }).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns the engine's progress into snapshots.
#[derive(Debug)]
pub(super) struct Meter {
    started: Instant,
    samples: VecDeque<(Instant, u64)>,
}

impl Meter {
    pub(super) fn new(started: Instant) -> Self {
        Self { started, samples: VecDeque::new() }
    }

    pub(super) fn snapshot(&mut self, phase: Phase, progress: Progress, notes: &Notes, now: Instant) -> Snapshot {
        self.samples.push_back((now, progress.visits));
        while self.samples.len() > 2 && now.duration_since(self.samples[0].0) > RATE_OVER {
            self.samples.pop_front();
        }
        let (since, visits) =
            self.samples.front().copied().filter(|_| self.samples.len() > 1).unwrap_or((self.started, 0));
        let rate = (progress.visits - visits) as f64 / now.duration_since(since).as_secs_f64().max(0.001);
        Snapshot {
            phase,
            elapsed_ms: now.duration_since(self.started).as_millis() as u64,
            seen: progress.seen,
            pending: progress.pending,
            in_flight: progress.in_flight,
            visits: progress.visits,
            pages: progress.pages,
            failed: progress.failed,
            bytes: progress.bytes,
            dropped: progress.dropped,
            rate,
            eta_ms: eta_ms(&progress, rate),
            current: notes.current(progress.in_flight),
            waiting: progress.waiting.as_ref().map(|wait| Waiting::of(wait, progress.in_flight, now)),
            hosts: notes.hosts(now),
            ..Snapshot::default()
        }
    }
}

/// Estimated only after a tenth of the known URLs is done, since every page may add new ones.
fn eta_ms(progress: &Progress, rate: f64) -> Option<u64> {
    let done = progress.seen.saturating_sub(progress.pending);
    let is_known = rate > 0.1 && done * 10 > progress.seen && progress.visits > 20;
    is_known.then(|| (progress.pending as f64 / rate * 1000.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_reported_with_its_host_its_reason_and_the_time_left() {
        let now = Instant::now();
        let wait =
            |reason, seconds| Wait { host: "a.example".into(), until: now + Duration::from_secs(seconds), reason };
        let waiting = Waiting::of(&wait(WaitReason::Throttled, 12), 0, now);
        assert_eq!(waiting.message, "waiting 12 s for a.example: the host is rate-limiting us");
        assert_eq!((waiting.reason, waiting.remaining_ms, waiting.is_notable), ("throttled", 12_000, true));
        assert!(!Waiting::of(&wait(WaitReason::Rate, 0), 0, now).is_notable, "every crawl waits for its rate");
        assert!(!Waiting::of(&wait(WaitReason::Retry, 2), 3, now).is_notable, "requests are in flight");
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let start = Instant::now();
        let mut meter = Meter::new(start);
        let notes = Notes::default();
        let mut at = |ms, visits| {
            let progress = Progress { visits, seen: 1000, pending: 1000 - visits, ..Progress::default() };
            meter.snapshot(Phase::Crawling, progress, &notes, start + Duration::from_millis(ms))
        };
        at(0, 0);
        assert_eq!(at(1000, 100).rate, 100.0);
        at(2000, 100);
        at(8000, 100);
        assert_eq!(at(9000, 100).rate, 0.0);
    }

    #[test]
    fn current_urls_are_requested_and_unanswered() {
        let url = |path: &str| CanonicalUrl::parse(&format!("http://a.example{path}")).unwrap();
        let notes = Notes::default();
        ["/1", "/2", "/3", "/2"].iter().for_each(|path| notes.asked(&url(path)));
        notes.had(&url("/3"));
        assert_eq!(notes.current(2), ["http://a.example/1", "http://a.example/2"]);
        assert_eq!(notes.current(1), ["http://a.example/2"]);
        assert!(notes.current(0).is_empty());
    }

    #[test]
    fn no_end_is_promised_before_enough_is_known() {
        let progress = |seen, pending, visits| Progress { seen, pending, visits, ..Progress::default() };
        assert_eq!(eta_ms(&progress(1000, 950, 50), 10.0), None);
        assert_eq!(eta_ms(&progress(1000, 500, 500), 10.0), Some(50_000));
        assert_eq!(eta_ms(&progress(1000, 500, 500), 0.0), None);
    }
}
