//! Numbers, sizes, times and dates for people.

use crate::export::date::date;

/// With digits in groups of three.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 page`, `2 pages`.
pub(super) fn count(number_of: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(number_of), if number_of == 1 { one } else { many })
}

/// A share of a whole in percent. What is not nothing is never shown as 0 %, and what is not all never as 100 %.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_owned();
    }
    if part == whole {
        return "100 %".to_owned();
    }
    let percent = (part as f64 / whole as f64 * 100.0).clamp(0.1, 99.9);
    if (10.0..=99.0).contains(&percent) { format!("{percent:.0} %") } else { format!("{percent:.1} %") }
}

/// Bytes, in decimal units.
pub(super) fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// The time of one response.
pub(super) fn milliseconds(ms: f64) -> String {
    if ms < 999.5 { format!("{ms:.0} ms") } else { format!("{:.2} s", ms / 1000.0) }
}

/// The duration of a run.
pub(super) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 => format!("{ms} ms"),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// `16 Nov 2026, 09:14 UTC`.
pub(super) fn moment(unix_seconds: i64) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let iso = date(unix_seconds.saturating_mul(1000));
    let month = iso.get(5..7).and_then(|month| month.parse::<usize>().ok()).unwrap_or(1);
    let day = iso.get(8..10).unwrap_or_default().trim_start_matches('0');
    let (year, time) = (iso.get(..4).unwrap_or_default(), iso.get(11..16).unwrap_or_default());
    format!("{day} {} {year}, {time} UTC", MONTHS[month.clamp(1, 12) - 1])
}

/// A name of ours as words: `too_many_redirects` becomes `too many redirects`.
pub(super) fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// The same at the beginning of a line.
pub(super) fn title(name: &str) -> String {
    let words = words(name);
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_like_those_of_people() {
        assert_eq!([0, 999, 1_000, 4_812_000].map(number), ["0", "999", "1,000", "4,812,000"]);
        assert_eq!(count(1, "page", "pages"), "1 page");
        assert_eq!(count(1_200, "page", "pages"), "1,200 pages");
        let shares = [(0, 9), (1, 100_000), (1, 200), (1, 3), (2, 3), (99_999, 100_000), (9, 9), (0, 0)];
        let expected = ["0 %", "0.1 %", "0.5 %", "33 %", "67 %", "99.9 %", "100 %", "0 %"];
        assert_eq!(shares.map(|(part, whole)| percent(part, whole)), expected);
        assert_eq!([999, 1_000, 2_500_000, 7_000_000_000].map(bytes), ["999 B", "1.0 kB", "2.5 MB", "7.0 GB"]);
        assert_eq!([0.4, 88.0, 999.4, 2_140.0].map(milliseconds), ["0 ms", "88 ms", "999 ms", "2.14 s"]);
        assert_eq!([12, 59_000, 278_000, 7_500_000].map(duration), ["12 ms", "59 s", "4 min 38 s", "2 h 5 min"]);
        assert_eq!(moment(1_794_820_440), "16 Nov 2026, 09:14 UTC");
        assert_eq!(title("not_visited"), "Not visited");
    }
}
