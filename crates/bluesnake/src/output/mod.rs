//! Output: progress on stderr, data on stdout.

pub(crate) mod capture;
pub(crate) mod ci;
pub(crate) mod compare;
pub(crate) mod issues;
pub(crate) mod json;
mod lines;
pub(crate) mod paint;
pub(crate) mod progress;
pub(crate) mod summary;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod urls;
pub(crate) mod weave;

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use bluesnake_app::{Secrets, readable_hosts};

/// Whether secrets in URLs are printed.
static SECRETS: OnceLock<Secrets> = OnceLock::new();

static OUTPUT_ERROR: OnceLock<std::io::Error> = OnceLock::new();

/// Prints secrets in URLs from now on.
pub(crate) fn show_secrets() {
    let _ = SECRETS.set(Secrets::Shown);
}

/// The current masking of secrets in URLs.
pub(crate) fn secrets() -> Secrets {
    SECRETS.get().copied().unwrap_or_default()
}

/// Prints a line on stderr. Ignores errors: a closed terminal is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", secrets().show(line));
}

/// Prints data on stdout. A reader that stops early, such as `head`, is not an error.
pub(crate) fn print(text: &str) {
    print_exactly(&secrets().show(text));
}

/// The same for text in which all secrets are already masked.
pub(crate) fn print_exactly(text: &str) {
    let mut stdout = std::io::stdout();
    if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        OUTPUT_ERROR.get_or_init(|| error);
    }
}

/// Why standard output is incomplete, if it is. A reader that stops early, such as `head`, has what it wanted.
pub(crate) fn output_error() -> Option<&'static std::io::Error> {
    OUTPUT_ERROR.get().filter(|error| error.kind() != std::io::ErrorKind::BrokenPipe)
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl serde::Serialize) {
    print_exactly(&secrets().show_json(&json_text(value)));
}

/// A list on stdout, written as it is read: as lines, or as one JSON array.
#[derive(Debug)]
pub(crate) struct List {
    is_json: bool,
    is_begun: bool,
}

impl List {
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json, is_begun: false }
    }

    /// Writes some items. Fails if the reader stops early, such as `head`: it has what it wanted.
    pub(crate) fn write<T: serde::Serialize>(
        &mut self,
        items: &[T],
        line: impl Fn(&T) -> String,
    ) -> std::io::Result<()> {
        let text = match self.is_json {
            false => secrets().show(&items.iter().map(line).collect::<String>()).into_owned(),
            true => items.iter().map(|item| self.json_item(item)).collect(),
        };
        std::io::stdout().write_all(text.as_bytes())
    }

    fn json_item(&mut self, item: &impl serde::Serialize) -> String {
        let start = if std::mem::replace(&mut self.is_begun, true) { "," } else { "[" };
        let item = json_text(item);
        format!("{start}\n  {}", secrets().show_json(item.trim_end()).replace('\n', "\n  "))
    }

    /// Closes the array.
    pub(crate) fn finish(self) {
        match (self.is_json, self.is_begun) {
            (false, _) => {}
            (true, true) => print_exactly("\n]\n"),
            (true, false) => print_exactly("[]\n"),
        }
    }
}

/// A value as indented JSON with a final newline.
pub(crate) fn json_text(value: &impl serde::Serialize) -> String {
    format!("{}\n", serde_json::to_string_pretty(value).expect("output values serialise to JSON"))
}

/// Text from the web, safe for a terminal: control characters are escaped, secrets masked, and Unicode hosts made
/// readable.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let masked = secrets().show(text);
    let readable = readable_hosts(&masked);
    match without_controls(&readable) {
        shown if shown == text => Cow::Borrowed(text),
        shown => Cow::Owned(shown.into_owned()),
    }
}

/// The same for text that must otherwise stay exact.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    // Besides the C0 and C1 sets, the characters that change the text direction.
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

/// A whole number with thousands separators.
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

/// The singular or plural form for a count.
pub(crate) fn plural<'a>(number: i64, one: &'a str, several: &'a str) -> &'a str {
    if number == 1 { one } else { several }
}

/// A count with its noun: `1 page`, `2 pages`, `1,000 pages`.
pub(crate) fn counted(number: impl TryInto<u64>, thing: &str) -> String {
    let number = number.try_into().unwrap_or(0);
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// The database that suggested commands must name, if it is not the default.
static DATABASE: OnceLock<String> = OnceLock::new();

/// Makes suggested commands name this database from now on.
pub(crate) fn name_database(path: &Path) {
    let _ = DATABASE.set(in_shell(&path.to_string_lossy()));
}

/// The program name, with `--db` if needed, for suggested commands.
pub(crate) fn bluesnake() -> String {
    DATABASE.get().map_or_else(|| "bluesnake".to_owned(), |path| format!("bluesnake --db {path}"))
}

/// A shell-quoted word: URLs may contain `;`, `&` and `$(`, and people copy the commands we print.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:/%@+,=".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", without_controls(word).replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_characters() {
        assert_eq!(visible("a\x1b]52;c;x\x07\r\nb"), "a\\x1b]52;c;x\\x07\\x0d\\x0ab");
        assert_eq!(visible("\u{202e}gpj.exe"), "\\u{202e}gpj.exe");
        assert_eq!(visible("日本 ü"), "日本 ü");
        assert_eq!(visible("http://xn--mnchen-3ya.de/\x1b"), "http://münchen.de/\\x1b");
        assert_eq!(visible("http://a.test/?password=Pa)ss1"), "http://a.test/?password=***");
    }

    #[test]
    fn counts_use_the_right_plural() {
        assert_eq!([0, 1, 2, 1000].map(|n| counted(n, "page")), ["0 pages", "1 page", "2 pages", "1,000 pages"]);
        assert_eq!(counted(-1_i64, "page"), "0 pages");
    }

    #[test]
    fn groups_digits_by_thousands() {
        let check = |number: u64, shown| assert_eq!(thousands(number), shown);
        check(0, "0");
        check(999, "999");
        check(1_000, "1,000");
        check(1_234_567, "1,234,567");
    }
}
