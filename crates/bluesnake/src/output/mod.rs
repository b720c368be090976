//! What people and programs see: progress on stderr, data on stdout.

pub(crate) mod json;
pub(crate) mod progress;
pub(crate) mod summary;

use std::borrow::Cow;

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

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn terminal_escapes_are_shown_not_obeyed() {
        assert_eq!(visible("a\x1b]52;c;x\x07\r\nb"), "a\\x1b]52;c;x\\x07\\x0d\\x0ab");
        assert_eq!(visible("\u{202e}gpj.exe"), "\\u{202e}gpj.exe");
        assert_eq!(visible("日本 ü"), "日本 ü");
    }
}
