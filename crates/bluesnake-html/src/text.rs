//! Text and its character references.

use std::borrow::Cow;

use memchr::memchr;

/// Text as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// What the document says.
    pub raw: &'a str,
    /// How it is read.
    pub kind: TextKind,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Among elements: character references count.
    Markup,
    /// In `<title>` and `<textarea>`: character references count, tags do not.
    Title,
    /// In `<script>`, `<style>` and the like, and in CDATA: nothing but text.
    Raw,
}

impl<'a> Text<'a> {
    /// The text with its character references replaced.
    pub fn decoded(self) -> Cow<'a, str> {
        match self.kind {
            TextKind::Markup => decode_text(self.raw),
            TextKind::Title => without_nul(decode_text(self.raw)),
            TextKind::Raw => without_nul(Cow::Borrowed(self.raw)),
        }
    }
}

/// The parts of a text in order, with character references replaced: joined, they are [`decode_text`].
///
/// Long texts with few references are common, and this way only the references are copied.
#[inline]
pub fn decoded_parts(raw: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let next = match rest.as_bytes().first()? {
            b'&' => reference_end(rest),
            _ => memchr(b'&', rest.as_bytes()).unwrap_or(rest.len()),
        };
        let (part, after) = rest.split_at(next);
        rest = after;
        Some(if part.starts_with('&') { decode_reference(part) } else { Cow::Borrowed(part) })
    })
}

/// Where the characters end that can belong to the reference at the start.
fn reference_end(text: &str) -> usize {
    let inner = text.bytes().skip(1).position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'#'));
    inner.map_or(text.len(), |length| 1 + length + usize::from(text.as_bytes()[1 + length] == b';'))
}

/// The frequent references without a search.
fn decode_reference(reference: &str) -> Cow<'_, str> {
    match reference {
        "&amp;" => Cow::Borrowed("&"),
        "&lt;" => Cow::Borrowed("<"),
        "&gt;" => Cow::Borrowed(">"),
        "&quot;" => Cow::Borrowed("\""),
        "&#39;" => Cow::Borrowed("'"),
        "&nbsp;" => Cow::Borrowed("\u{a0}"),
        _ => htmlize::unescape(reference),
    }
}

/// Replaces the character references of a text.
pub fn decode_text(raw: &str) -> Cow<'_, str> {
    if memchr(b'&', raw.as_bytes()).is_none() { Cow::Borrowed(raw) } else { htmlize::unescape(raw) }
}

/// The document with every kind of line break as `\n`: what the standard does before anything else. The tokenizer does
/// not do it, because most callers collapse white space anyway.
pub fn with_plain_line_breaks(html: &str) -> Cow<'_, str> {
    match memchr(b'\r', html.as_bytes()) {
        Some(_) => Cow::Owned(html.replace("\r\n", "\n").replace('\r', "\n")),
        None => Cow::Borrowed(html),
    }
}

/// The standard replaces NUL by U+FFFD, except in the text among elements.
pub(crate) fn without_nul(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr(0, text.as_bytes()).is_none() { text } else { Cow::Owned(text.replace('\0', "\u{FFFD}")) }
}
