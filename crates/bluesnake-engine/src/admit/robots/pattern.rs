//! How the path of a rule is compared with the path of a URL (RFC 9309 sections 2.2.2 and 2.2.3).
//!
//! Both sides are normalized first: percent-encodings in upper case, unreserved characters decoded, all other non-URL
//! characters encoded. In that form, `*` and a final `$` of a pattern are wildcard and anchor, and a literal `*` or
//! `$` is `%2A` or `%24` on both sides.

use std::fmt::Write as _;

use memchr::memmem;

/// The normalized path and query of a URL.
pub(super) fn normalize_path(path: &str) -> String {
    normalize(path.as_bytes(), false)
}

/// The normalized path of a rule.
pub(super) fn normalize_pattern(path: &[u8]) -> String {
    match path.split_last() {
        Some((b'$', before)) => normalize(before, true) + "$",
        _ => normalize(path, true),
    }
}

fn normalize(path: &[u8], star_is_wildcard: bool) -> String {
    let mut normal = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            push(&mut normal, byte, is_plain(byte) || (byte == b'*' && star_is_wildcard));
        } else if let Some(encoded) = encoded_byte(after) {
            rest = &after[2..];
            push(&mut normal, encoded, is_unreserved(encoded));
        } else {
            normal.push('%');
        }
    }
    normal
}

fn push(normal: &mut String, byte: u8, is_plain: bool) {
    if is_plain {
        normal.push(char::from(byte));
    } else {
        write!(normal, "%{byte:02X}").expect("a string takes everything");
    }
}

fn encoded_byte(after_percent: &[u8]) -> Option<u8> {
    let digit = |at: usize| after_percent.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// Whether a byte is unescaped in a URL. So is the apostrophe, but browsers encode it in queries.
fn is_plain(byte: u8) -> bool {
    is_unreserved(byte) || b"/?:@!&()+,;=#[]".contains(&byte)
}

/// The pattern of the folder whose index page this pattern names: a rule that allows `/a/index.html` also allows
/// `/a/`. This is Google's addition to the RFC.
pub(super) fn folder_of_index_page(pattern: &str) -> Option<String> {
    let folder_end = pattern.rfind('/')? + 1;
    let is_index = pattern[folder_end..].starts_with("index.htm");
    is_index.then(|| format!("{}$", &pattern[..folder_end]))
}

/// Whether a pattern matches the start of a path, or all of it if the pattern ends with `$`.
///
/// Between two wildcards the leftmost match is as good as any, so the path is scanned once and no pattern can make
/// this slow.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_anchored) = match pattern.strip_suffix('$') {
        Some(before) => (before, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = pieces.next_back() else {
        return !is_anchored || rest.is_empty();
    };
    for piece in pieces {
        let Some(at) = memmem::find(rest.as_bytes(), piece.as_bytes()) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    if is_anchored { rest.ends_with(last) } else { memmem::find(rest.as_bytes(), last.as_bytes()).is_some() }
}
