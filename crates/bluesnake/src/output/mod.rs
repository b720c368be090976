//! What people and programs see: progress on stderr, data on stdout.

pub(crate) mod capture;
pub(crate) mod json;
pub(crate) mod paint;
pub(crate) mod progress;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod weave;

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

/// Prints a line for people on stderr. A terminal that has gone away is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints data on stdout. Whoever reads only the first lines, as `head` does, has seen enough.
pub(crate) fn print(text: &str) {
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints a value as JSON, readable by people too.
pub(crate) fn print_json(value: &impl serde::Serialize) {
    print(&format!("{}\n", serde_json::to_string_pretty(value).expect("what we show is JSON")));
}

/// Text of the web made safe for a terminal: control characters are shown, not obeyed.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    // Besides the C0 and C1 sets, the characters that turn the direction of text around.
    let is_unsafe = |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|c| match c {
        c if !is_unsafe(c) => c.to_string(),
        c if (c as u32) < 0x100 => format!("\\x{:02x}", c as u32),
        c => format!("\\u{{{:x}}}", c as u32),
    });
    Cow::Owned(shown.collect())
}

/// A whole number with its thousands apart.
pub(crate) fn thousands(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(0).to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The database that commands are for which people are told to type, when it is not the usual one.
static DATABASE: OnceLock<String> = OnceLock::new();

/// From now on, commands that are told name this database.
pub(crate) fn name_database(path: &Path) {
    let _ = DATABASE.set(in_shell(&path.to_string_lossy()));
}

/// How the program is called in commands that people are told to type.
pub(crate) fn bluesnake() -> String {
    DATABASE.get().map_or_else(|| "bluesnake".to_owned(), |path| format!("bluesnake --db {path}"))
}

/// A word that a shell takes as it is: URLs may hold `;`, `&` and `$(`, and people copy what we print.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:/%@+,=".contains(c);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", visible(word).replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_are_shown_not_obeyed() {
        assert_eq!(visible("a\x1b]52;c;x\x07\r\nb"), "a\\x1b]52;c;x\\x07\\x0d\\x0ab");
        assert_eq!(visible("\u{202e}gpj.exe"), "\\u{202e}gpj.exe");
        assert_eq!(visible("日本 ü"), "日本 ü");
    }

    #[test]
    fn thousands_stand_apart() {
        let check = |number: u64, shown| assert_eq!(thousands(number), shown);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(1_234_567, "1,234,567");
    }
}
