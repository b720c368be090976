//! Dates and durations for people.

use std::time::Duration;

/// Unix time in seconds as `2026-11-15 23:59`, in UTC.
pub(crate) fn moment(seconds: i64) -> String {
    let date = bluesnake_app::date(seconds.saturating_mul(1000));
    let (day, time) = date.split_once('T').expect("a date has a time");
    format!("{day} {}", &time[..5])
}

/// A duration: `0.3 s`, `12 s`, `3:05`, `1:02:03`.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_unix_time_as_date() {
        let check = |seconds, shown| assert_eq!(moment(seconds), shown);
        check(0, "1970-01-01 00:00");
        check(951_782_400, "2000-02-29 00:00");
        check(1_794_787_199, "2026-11-15 23:59");
        check(4_107_542_400, "2100-03-01 00:00");
        check(-1, "1969-12-31 23:59");
    }

    #[test]
    fn formats_durations() {
        let check = |ms, shown| assert_eq!(span(Duration::from_millis(ms)), shown);
        check(300, "0.3 s");
        check(12_000, "12 s");
        check(185_000, "3:05");
        check(3_723_000, "1:02:03");
    }
}
