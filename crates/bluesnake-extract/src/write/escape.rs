//! Escapes characters with a meaning in Markdown, only where needed.

use crate::metadata::on_one_line;

/// Appends running text.
pub(super) fn push_text(out: &mut String, text: &str, in_table: bool) {
    let around = Around { before: out.chars().next_back(), in_table, may_strike: text.matches('~').nth(1).is_some() };
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if is_active(byte) && needs_escape(text, at, &around) {
            out.push_str(&text[start..at]);
            out.push('\\');
            start = at;
        }
    }
    out.push_str(&text[start..]);
}

/// What decides about a character besides its neighbours.
struct Around {
    /// The character before the text.
    before: Option<char>,
    in_table: bool,
    /// A single `~` does not strike through.
    may_strike: bool,
}

fn is_active(byte: u8) -> bool {
    matches!(byte, b'\\' | b'*' | b'_' | b'`' | b'[' | b']' | b'<' | b'&' | b'|' | b'~')
}

fn needs_escape(text: &str, at: usize, around: &Around) -> bool {
    let next = text[at + 1..].chars().next();
    match text.as_bytes()[at] {
        b'_' => {
            let last = text[..at].chars().next_back().or(around.before);
            !(last.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric))
        }
        b'<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
        b'&' => is_reference(&text.as_bytes()[at..]),
        b'|' => around.in_table,
        b'~' => around.may_strike,
        b'\\' => next.is_none_or(|next| next.is_ascii_punctuation()),
        _ => true,
    }
}

/// `&name;` or `&#1;`
fn is_reference(bytes: &[u8]) -> bool {
    let name = bytes[1..].iter().take(33).position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#');
    name.is_some_and(|length| length > 0 && bytes[1 + length] == b';')
}

/// The byte offset at which a backslash keeps the line from being a heading, a list, a quote, a rule or a fence.
pub(super) fn line_escape(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let ends_marker = |at: usize| bytes.get(at).is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    match bytes.first()? {
        b'#' => {
            let hashes = bytes.iter().take_while(|byte| **byte == b'#').count();
            (hashes <= 6 && ends_marker(hashes)).then_some(0)
        }
        b'>' => Some(0),
        b'+' => ends_marker(1).then_some(0),
        b'-' => (ends_marker(1) || is_rule(bytes, b'-')).then_some(0),
        b'=' => is_rule(bytes, b'=').then_some(0),
        b':' => (ends_marker(1) && bytes.len() > 1).then_some(0),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_marker = digits <= 9 && matches!(bytes.get(digits), Some(b'.' | b')')) && ends_marker(digits + 1);
            is_marker.then_some(digits)
        }
        _ => None,
    }
}

fn is_rule(bytes: &[u8], mark: u8) -> bool {
    bytes.iter().all(|byte| *byte == mark || *byte == b' ')
}

/// A code span, delimited by more backticks than it contains.
pub(super) fn push_code_span(out: &mut String, code: &str, in_table: bool) {
    // A fence of one backtick is ended only by a run of exactly one.
    let needs_longer = backtick_runs(code).any(|run| run == 1);
    let fence = "`".repeat(if needs_longer { backtick_runs(code).max().unwrap_or(0) + 1 } else { 1 });
    let is_padded = code.starts_with('`')
        || code.ends_with('`')
        || (code.starts_with(' ') && code.ends_with(' ') && !code.trim().is_empty());
    let pad = if is_padded { " " } else { "" };
    out.push_str(&fence);
    out.push_str(pad);
    if in_table && code.contains('|') {
        out.push_str(&code.replace('|', "\\|"));
    } else {
        out.push_str(code);
    }
    out.push_str(pad);
    out.push_str(&fence);
}

/// The length of each run of backticks.
pub(super) fn backtick_runs(text: &str) -> impl Iterator<Item = usize> {
    text.as_bytes().chunk_by(|a, b| a == b).filter(|run| run[0] == b'`').map(<[u8]>::len)
}

/// The target of a link, in angle brackets if it contains characters that would end it.
pub(super) fn push_target(out: &mut String, target: &str, title: Option<&str>) {
    let needs_brackets =
        target.is_empty() || target.bytes().any(|byte| byte <= b' ' || matches!(byte, b'(' | b')' | b'<' | b'>'));
    if needs_brackets {
        out.push('<');
        out.push_str(&target.replace('<', "%3C").replace('>', "%3E").replace(['\n', '\r'], ""));
        out.push('>');
    } else {
        out.push_str(target);
    }
    if let Some(title) = title {
        out.push_str(" \"");
        out.push_str(&on_one_line(title).replace('\\', r"\\").replace('"', r#"\""#));
        out.push('"');
    }
}
