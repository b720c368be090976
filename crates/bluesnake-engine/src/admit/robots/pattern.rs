//! How the path of a rule is compared with the path of a URL (RFC 9309 section 2.2.2 and 2.2.3).
//!
//! Both sides are brought into one form first: percent-encodings in upper case, unreserved characters plain, everything
//! else that is no URL character encoded. In that form `*` and a final `$` of a pattern are wildcard and anchor, and a
//! literal `*` or `$` is `%2A` or `%24` on both sides.

use std::fmt::Write as _;

use memchr::memmem;

/// The path and query of a URL in the form that is compared.
pub(super) fn normalize_path(path: &str) -> String {
    normalize(path.as_bytes(), false)
}

/// The path of a rule in the form that is compared.
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

/// Whether a byte stands for itself in a URL. The apostrophe does too, but browsers encode it in queries.
fn is_plain(byte: u8) -> bool {
    is_unreserved(byte) || b"/?:@!&()+,;=#[]".contains(&byte)
}

/// The pattern of the folder whose index page this pattern names: who allows `/a/index.html` allows `/a/`.
/// That is an addition of Google's to the RFC.
pub(super) fn folder_of_index_page(pattern: &str) -> Option<String> {
    let folder_end = pattern.rfind('/')? + 1;
    let is_index = pattern[folder_end..].starts_with("index.htm");
    is_index.then(|| format!("{}$", &pattern[..folder_end]))
}

/// Whether a pattern matches the beginning of a path, or all of it where it ends with `$`.
///
/// Between two wildcards the leftmost place is as good as any other, so the path is walked once and no pattern can
/// make this slow.
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
