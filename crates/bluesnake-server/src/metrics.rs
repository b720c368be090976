//! Prometheus metrics: requests by route and status with durations, crawls, pages, streams.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// Upper bounds in seconds.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Counters since the server started.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    routes: Mutex<BTreeMap<(String, String), Route>>,
    /// Pages fetched by crawls of this process.
    pub(crate) pages: AtomicU64,
    /// Open connections.
    pub(crate) connections: AtomicUsize,
}

#[derive(Debug, Default)]
struct Route {
    statuses: BTreeMap<u16, u64>,
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

/// Gauges, read when metrics are requested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Now {
    pub(crate) crawls: usize,
    pub(crate) event_streams: usize,
}

impl Metrics {
    pub(crate) fn answered(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        // Methods are an open set, and a client must not be able to fill the memory.
        let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS];
        let method = if known.contains(method) { method.as_str() } else { "other" };
        let figures = routes.entry((route.to_owned(), method.to_owned())).or_default();
        let seconds = took.as_secs_f64();
        *figures.statuses.entry(status.as_u16()).or_default() += 1;
        figures.count += 1;
        figures.seconds += seconds;
        for (count, bound) in figures.buckets.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= bound);
        }
    }

    /// All metrics in Prometheus text format.
    pub(crate) fn text(&self, now: Now) -> String {
        let mut text = String::new();
        let connections = self.connections.load(Ordering::Relaxed) as u64;
        single(&mut text, "bluesnake_active_crawls", "gauge", "Crawls of this process.", now.crawls as u64);
        let pages = self.pages.load(Ordering::Relaxed);
        single(&mut text, "bluesnake_pages_total", "counter", "Pages fetched by crawls of this process.", pages);
        let streams = now.event_streams as u64;
        single(&mut text, "bluesnake_event_streams", "gauge", "Open event streams.", streams);
        single(&mut text, "bluesnake_connections", "gauge", "Open connections.", connections);
        self.requests(&mut text);
        text
    }

    fn requests(&self, text: &mut String) {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        head(text, "bluesnake_http_requests_total", "counter", "Requests by route and status.");
        for ((route, method), figures) in routes.iter() {
            for (status, count) in &figures.statuses {
                let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
                let _ = writeln!(text, "bluesnake_http_requests_total{{{labels}}} {count}");
            }
        }
        let name = "bluesnake_http_request_seconds";
        head(text, name, "histogram", "Time until responses began.");
        for ((route, method), figures) in routes.iter() {
            let labels = format!("method=\"{method}\",route=\"{route}\"");
            for (bound, count) in BUCKETS.iter().zip(figures.buckets) {
                let _ = writeln!(text, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}");
            }
            let _ = writeln!(text, "{name}_bucket{{{labels},le=\"+Inf\"}} {}", figures.count);
            let _ = writeln!(text, "{name}_sum{{{labels}}} {}", figures.seconds);
            let _ = writeln!(text, "{name}_count{{{labels}}} {}", figures.count);
        }
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn single(text: &mut String, name: &str, kind: &str, help: &str, value: u64) {
    head(text, name, kind, help);
    let _ = writeln!(text, "{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_status_and_time() {
        let metrics = Metrics::default();
        metrics.answered(&Method::GET, "/a/{id}", StatusCode::OK, Duration::from_millis(3));
        metrics.answered(&Method::GET, "/a/{id}", StatusCode::NOT_FOUND, Duration::from_millis(300));
        let text = metrics.text(Now { crawls: 2, event_streams: 0 });
        for line in [
            "bluesnake_active_crawls 2",
            "bluesnake_http_requests_total{method=\"GET\",route=\"/a/{id}\",status=\"404\"} 1",
            "bluesnake_http_request_seconds_bucket{method=\"GET\",route=\"/a/{id}\",le=\"0.005\"} 1",
            "bluesnake_http_request_seconds_bucket{method=\"GET\",route=\"/a/{id}\",le=\"0.5\"} 2",
            "bluesnake_http_request_seconds_count{method=\"GET\",route=\"/a/{id}\"} 2",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
    }
}
