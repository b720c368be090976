//! What to do after a response or a failure: keep it, retry, or let the host rest.
//!
//! Pure: time comes in as an argument and nothing here waits. The crawl decides how often and how long. Start with
//! [`judge`].

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::HeaderMap;
use http::header::RETRY_AFTER;

use super::{Cut, Fetched, Response};

/// What to do with the result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is final.
    Keep,
    /// It may pass: a retry is worthwhile.
    Retry,
    /// The host asks for a rest, perhaps of a given length.
    Throttled {
        /// Its Retry-After.
        wait: Option<Duration>,
    },
}

/// Judges one attempt.
pub fn judge(fetched: &Fetched, now: SystemTime) -> Verdict {
    match &fetched.result {
        Err(failure) if failure.kind.is_transient() => Verdict::Retry,
        Err(_) => Verdict::Keep,
        Ok(response) => judge_response(response, now),
    }
}

fn judge_response(response: &Response, now: SystemTime) -> Verdict {
    match response.status {
        429 | 503 => {
            let wait = retry_after(&response.headers, now).or_else(|| rate_limit(&response.headers, now));
            Verdict::Throttled { wait }
        }
        500..=599 => Verdict::Retry,
        _ if response.body.cut == Some(Cut::Truncated) => Verdict::Retry,
        _ => Verdict::Keep,
    }
}

/// `Retry-After` in seconds or as a date; a past date means no wait.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Some(wait) = seconds(value) {
        return Some(wait);
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// How long to rest because the host reports that its quota is used up.
///
/// Reads `RateLimit: limit=…, remaining=0, reset=…`, its newer form `"policy";r=0;t=…`, and the `RateLimit-Remaining`
/// and `X-RateLimit-Remaining` families.
pub fn rate_limit(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    if let Some(fields) = text(headers, "ratelimit") {
        return combined_rate_limit(fields, now);
    }
    const FAMILIES: [(&str, &str); 3] = [
        ("ratelimit-remaining", "ratelimit-reset"),
        ("x-ratelimit-remaining", "x-ratelimit-reset"),
        ("x-rate-limit-remaining", "x-rate-limit-reset"),
    ];
    FAMILIES.into_iter().find_map(|(remaining, reset)| {
        if is_zero(text(headers, remaining)?) { reset_wait(text(headers, reset)?, now) } else { None }
    })
}

fn combined_rate_limit(fields: &str, now: SystemTime) -> Option<Duration> {
    let parameter = |names: [&str; 2]| {
        let parts = fields.split([',', ';']).filter_map(|part| part.split_once('='));
        parts
            .map(|(name, value)| (name.trim(), value.trim()))
            .find(|(name, _)| names.contains(name))
            .map(|(_, value)| value)
    };
    if is_zero(parameter(["remaining", "r"])?) { reset_wait(parameter(["reset", "t"])?, now) } else { None }
}

/// Some hosts send the seconds to wait, others the Unix time at which the quota resets.
fn reset_wait(value: &str, now: SystemTime) -> Option<Duration> {
    const LONGER_THAN_ANY_WAIT: Duration = Duration::from_secs(1_000_000_000);
    let reported = seconds(value)?;
    if reported < LONGER_THAN_ANY_WAIT {
        return Some(reported);
    }
    let renewed = UNIX_EPOCH.checked_add(reported)?;
    Some(renewed.duration_since(now).unwrap_or_default())
}

/// Whole or decimal seconds; never negative, and never too large for a `Duration`.
fn seconds(value: &str) -> Option<Duration> {
    let number: f64 = value.trim().parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(Duration::from_secs_f64(number.clamp(0.0, 4e9)))
}

fn is_zero(value: &str) -> bool {
    seconds(value) == Some(Duration::ZERO)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;
    use crate::fetch::{Body, FailureKind, HttpVersion, Timings};

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        let field = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        fields.iter().map(field).collect()
    }

    fn responded(status: u16, fields: &[(&'static str, &'static str)]) -> Fetched {
        let response = Response {
            status,
            headers: headers(fields),
            body: Body::default(),
            version: HttpVersion::Http11,
            remote: None,
            reused: false,
            kept: None,
            certificate_problem: None,
        };
        Fetched { result: Ok(response), timings: Timings::default(), sends: 1, room: None }
    }

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn wait(seconds: u64) -> Verdict {
        Verdict::Throttled { wait: Some(Duration::from_secs(seconds)) }
    }

    #[test]
    fn server_errors_are_retried_and_other_responses_kept() {
        for status in [500, 501, 502, 504, 520, 524, 599] {
            assert_eq!(judge(&responded(status, &[]), now()), Verdict::Retry, "{status}");
        }
        for status in [200, 204, 301, 304, 400, 401, 403, 404, 410, 451] {
            assert_eq!(judge(&responded(status, &[]), now()), Verdict::Keep, "{status}");
        }
    }

    #[test]
    fn transient_failures_are_tried_again_and_lasting_ones_kept() {
        let failed =
            |kind: FailureKind| Fetched { result: Err(kind.into()), timings: Timings::default(), sends: 1, room: None };
        assert_eq!(judge(&failed(FailureKind::Reset), now()), Verdict::Retry);
        assert_eq!(judge(&failed(FailureKind::DnsNotFound), now()), Verdict::Keep);
    }

    #[test]
    fn a_truncated_response_is_retried() {
        let mut fetched = responded(200, &[]);
        fetched.result.as_mut().unwrap().body.cut = Some(Cut::Truncated);
        assert_eq!(judge(&fetched, now()), Verdict::Retry);
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let check =
            |value, expected| assert_eq!(judge(&responded(429, &[("retry-after", value)]), now()), expected, "{value}");
        check("120", wait(120));
        check(" 0 ", wait(0));
        check("Sun, 06 Nov 1994 08:50:37 GMT", wait(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", wait(0));
        check("-5", wait(0));
        check("soon", Verdict::Throttled { wait: None });
        check("NaN", Verdict::Throttled { wait: None });
        assert_eq!(judge(&responded(503, &[]), now()), Verdict::Throttled { wait: None });
    }

    #[test]
    fn a_year_long_retry_after_is_returned_unchanged() {
        assert_eq!(judge(&responded(503, &[("retry-after", "31536000")]), now()), wait(31_536_000));
    }

    #[test]
    fn an_exhausted_quota_means_a_rest() {
        let check = |fields: &[(&'static str, &'static str)], expected: Option<u64>| {
            assert_eq!(rate_limit(&headers(fields), now()), expected.map(Duration::from_secs), "{fields:?}");
        };
        check(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "30")], Some(30));
        check(&[("x-ratelimit-remaining", "1"), ("x-ratelimit-reset", "30")], None);
        check(&[("ratelimit-remaining", "0"), ("ratelimit-reset", "7")], Some(7));
        check(&[("ratelimit", "limit=100, remaining=0, reset=50")], Some(50));
        check(&[("ratelimit", "\"default\";r=0;t=12")], Some(12));
        check(&[("ratelimit", "\"default\";r=3;t=12")], None);
        check(&[("x-ratelimit-remaining", "0")], None);
        check(&[], None);
    }

    #[test]
    fn a_reset_given_as_a_moment_is_counted_from_now() {
        let now = UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let fields = headers(&[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000090")]);
        assert_eq!(rate_limit(&fields, now), Some(Duration::from_secs(90)));
        assert_eq!(rate_limit(&fields, now + Duration::from_secs(900)), Some(Duration::ZERO));
    }
}
