//! Dates and durations for people.

use std::time::Duration;

/// Unix time in seconds as `2026-11-15 23:59`, in UTC.
pub(crate) fn moment(seconds: i64) -> String {
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", of_day / 3600, of_day / 60 % 60)
}

/// The date this many days after 1 January 1970. Counts from 1 March, after which month lengths repeat.
fn date(days: i64) -> (i64, i64, i64) {
    let since_march_0 = days + 719_468;
    let era = since_march_0.div_euclid(146_097);
    let day_of_era = since_march_0.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
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
