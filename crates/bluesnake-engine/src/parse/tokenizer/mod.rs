//! HTML as a stream of tags, texts and comments.
//!
//! The tokenizer of the WHATWG standard over text that is valid UTF-8, without its error reports: it copies nothing,
//! jumps from `<` to `<`, and leaves character references alone until somebody asks (`decode_text`,
//! `Attribute::value`). Every byte is looked at a bounded number of times. Start with `Tokenizer::next`.
//! What tags mean for each other is decided in [`crate::parse::html`].

mod attributes;
mod names;
mod script;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use memchr::memchr;

pub(crate) use self::attributes::Attributes;
pub(crate) use self::names::{AttributeName, Tag};

use self::attributes::Attribute;

/// One piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `<name …>`; its attributes are those of [`Tokenizer::attributes`] until the next token is read.
    Start(StartTag<'a>),
    /// `</name>`.
    End(EndTag<'a>),
    /// What stands between tags.
    Text(Text<'a>),
    /// `<!-- … -->` and whatever else browsers take for a comment.
    Comment(&'a str),
    /// `<!doctype …>`.
    Doctype,
}

/// A start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StartTag<'a> {
    pub(crate) tag: Tag,
    /// The name as it was written.
    pub(crate) name: &'a str,
    /// Whether it ends in `/>`, which means something in SVG and MathML only.
    pub(crate) is_self_closing: bool,
}

/// An end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndTag<'a> {
    pub(crate) tag: Tag,
    /// The name as it was written.
    pub(crate) name: &'a str,
}

/// Text as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text<'a> {
    pub(crate) raw: &'a str,
    pub(crate) kind: TextKind,
}

/// How a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Among elements: character references count.
    Markup,
    /// In `<title>` and `<textarea>`: character references count, tags do not.
    Title,
    /// In `<script>`, `<style>` and the like, and in CDATA: nothing but text.
    Raw,
}

impl<'a> Text<'a> {
    /// The text with its character references replaced.
    pub(crate) fn decoded(self) -> Cow<'a, str> {
        match self.kind {
            TextKind::Markup => decode_text(self.raw),
            TextKind::Title => without_nul(decode_text(self.raw)),
            TextKind::Raw => without_nul(Cow::Borrowed(self.raw)),
        }
    }
}

/// The parts of a text in order, with its character references replaced: joined, they are [`decode_text`].
///
/// Long texts with few references are common, and this way only the references are copied.
pub(crate) fn decoded_parts(raw: &str) -> impl Iterator<Item = Cow<'_, str>> {
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

/// Where the characters end that can belong to the reference at the beginning.
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
pub(crate) fn decode_text(raw: &str) -> Cow<'_, str> {
    if memchr(b'&', raw.as_bytes()).is_none() { Cow::Borrowed(raw) } else { htmlize::unescape(raw) }
}

/// The standard puts U+FFFD where a NUL stands, except in the text among elements.
fn without_nul(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr(0, text.as_bytes()).is_none() { text } else { Cow::Owned(text.replace('\0', "\u{FFFD}")) }
}

/// Where the next text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// At the next tag or comment.
    Markup,
    /// At the end tag of this element, character references count.
    Title(Tag),
    /// At the end tag of this element.
    Raw(Tag),
    /// At the end tag of a script, which may hide in a comment.
    Script,
    /// At the end of the document.
    Plaintext,
}

impl Mode {
    fn after_start_of(tag: Tag) -> Self {
        match tag {
            Tag::Title | Tag::Textarea => Self::Title(tag),
            Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => Self::Raw(tag),
            Tag::Script => Self::Script,
            Tag::Plaintext => Self::Plaintext,
            _ => Self::Markup,
        }
    }

    fn text_kind(self) -> TextKind {
        match self {
            Self::Markup => TextKind::Markup,
            Self::Title(_) => TextKind::Title,
            Self::Raw(_) | Self::Script | Self::Plaintext => TextKind::Raw,
        }
    }
}

/// Reads a document piece by piece.
#[derive(Debug)]
pub(crate) struct Tokenizer<'a> {
    input: &'a str,
    at: usize,
    mode: Mode,
    attributes: Attributes<'a>,
    is_foreign: bool,
}

impl<'a> Tokenizer<'a> {
    pub(crate) fn new(input: &'a str) -> Self {
        Self { input, at: 0, mode: Mode::Markup, attributes: Attributes::default(), is_foreign: false }
    }

    /// The attributes of the start tag that was read last, taken out; giving them back with [`Tokenizer::reuse`] saves an
    /// allocation.
    pub(crate) fn take_attributes(&mut self) -> Attributes<'a> {
        std::mem::take(&mut self.attributes)
    }

    pub(crate) fn reuse(&mut self, attributes: Attributes<'a>) {
        self.attributes = attributes;
    }

    /// Says whether the innermost open element belongs to SVG or MathML, where no element holds raw text and CDATA is
    /// text.
    #[inline]
    pub(crate) fn set_foreign(&mut self, is_foreign: bool) {
        self.is_foreign = is_foreign;
    }

    /// Says that the start tag just read makes no element: what follows is markup, whatever its name promises.
    pub(crate) fn ignore_start_tag(&mut self) {
        self.mode = Mode::Markup;
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a str {
        &self.input[self.at..]
    }

    /// The next piece, or `None` at the end. A tag that the end of the document cuts off is no piece.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        if self.mode != Mode::Markup
            && let Some(text) = self.raw_text()
        {
            return Some(Token::Text(text));
        }
        while self.at < self.input.len() {
            match self.start_of_markup() {
                Some(open) if open == self.at => {
                    if let Some(token) = self.markup(open) {
                        return Some(token);
                    }
                }
                open => return Some(Token::Text(self.take_text(open.unwrap_or(self.input.len()), TextKind::Markup))),
            }
        }
        None
    }

    /// The next `<` that opens a tag or a comment; any other is text.
    #[inline]
    fn start_of_markup(&self) -> Option<usize> {
        let bytes = self.input.as_bytes();
        let mut from = self.at;
        loop {
            // After a text we already stand there.
            let open = if bytes.get(from) == Some(&b'<') { from } else { from + find_near(b'<', &bytes[from..])? };
            match bytes.get(open + 1) {
                Some(b'/') if bytes.len() > open + 2 => return Some(open),
                Some(b'!' | b'?') => return Some(open),
                Some(byte) if byte.is_ascii_alphabetic() => return Some(open),
                _ => from = open + 1,
            }
        }
    }

    /// The text in an element that holds nothing else, up to its end tag.
    fn raw_text(&mut self) -> Option<Text<'a>> {
        let rest = &self.input.as_bytes()[self.at..];
        let length = match self.mode {
            Mode::Markup => 0,
            Mode::Plaintext => rest.len(),
            Mode::Script => script::length(rest),
            Mode::Title(tag) | Mode::Raw(tag) => raw_length(rest, tag.as_str()),
        };
        let kind = self.mode.text_kind();
        self.mode = Mode::Markup;
        (length > 0).then(|| self.take_text(self.at + length, kind))
    }

    fn take_text(&mut self, end: usize, kind: TextKind) -> Text<'a> {
        let raw = &self.input[self.at..end];
        self.at = end;
        Text { raw, kind }
    }

    /// What stands at `open`; nothing for `</>` and for what the end of the document cuts off.
    #[inline]
    fn markup(&mut self, open: usize) -> Option<Token<'a>> {
        match self.input.as_bytes()[open + 1] {
            b'!' => Some(self.declaration(open + 2)),
            b'?' => Some(self.bogus_comment(open + 1)),
            b'/' => self.end_tag(open + 2),
            _ => self.start_tag(open + 1),
        }
    }

    #[inline]
    fn start_tag(&mut self, start: usize) -> Option<Token<'a>> {
        let (end, packed) = names::TAGS.read(self.input.as_bytes(), start);
        let (tag, name) = (Tag::of(packed), &self.input[start..end]);
        let is_self_closing = self.finish_tag(end)?;
        if !self.is_foreign {
            self.mode = Mode::after_start_of(tag);
        }
        Some(Token::Start(StartTag { tag, name, is_self_closing }))
    }

    #[inline]
    fn end_tag(&mut self, start: usize) -> Option<Token<'a>> {
        let first = self.input.as_bytes()[start];
        if first == b'>' {
            self.at = start + 1;
            return None;
        }
        if !first.is_ascii_alphabetic() {
            return Some(self.bogus_comment(start));
        }
        let (end, packed) = names::TAGS.read(self.input.as_bytes(), start);
        self.finish_tag(end)?;
        Some(Token::End(EndTag { tag: Tag::of(packed), name: &self.input[start..end] }))
    }

    /// Reads attributes up to the end of the tag and says whether it closes itself; `None` when the document ends first.
    #[inline]
    fn finish_tag(&mut self, name_end: usize) -> Option<bool> {
        self.attributes.clear();
        if self.input.as_bytes().get(name_end) == Some(&b'>') {
            self.at = name_end + 1;
            return Some(false);
        }
        let finished = self.read_attributes(name_end);
        self.at = finished.map_or(self.input.len(), |(end, _)| end);
        finished.map(|(_, is_self_closing)| is_self_closing)
    }

    fn read_attributes(&mut self, name_end: usize) -> Option<(usize, bool)> {
        let bytes = self.input.as_bytes();
        let mut at = name_end;
        loop {
            at = skip_space(bytes, at);
            match *bytes.get(at)? {
                b'>' => return Some((at + 1, false)),
                b'/' if *bytes.get(at + 1)? == b'>' => return Some((at + 2, true)),
                b'/' => at += 1,
                _ => at = self.read_attribute(at)?,
            }
        }
    }

    /// Reads one attribute and says where it ends.
    #[inline]
    fn read_attribute(&mut self, start: usize) -> Option<usize> {
        let bytes = self.input.as_bytes();
        // An equals sign that comes first is part of the name.
        let (name_end, packed) = match bytes[start] {
            b'=' => (names::ATTRIBUTES.read(bytes, start + 1).0, 0),
            _ => names::ATTRIBUTES.read(bytes, start),
        };
        let sign = skip_space(bytes, name_end);
        let (value, end) = match bytes.get(sign)? {
            b'=' => self.read_value(skip_space(bytes, sign + 1))?,
            _ => ("", sign),
        };
        let known = AttributeName::of(packed);
        self.attributes.push(Attribute { known, name: &self.input[start..name_end], raw: value });
        Some(end)
    }

    /// Reads the value that begins at `start`: quoted, or up to white space or `>`.
    #[inline]
    fn read_value(&self, start: usize) -> Option<(&'a str, usize)> {
        let bytes = self.input.as_bytes();
        match *bytes.get(start)? {
            quote @ (b'"' | b'\'') => {
                let end = start + 1 + find_near(quote, &bytes[start + 1..])?;
                Some((&self.input[start + 1..end], end + 1))
            }
            _ => {
                let length = bytes[start..].iter().position(|&byte| is_space(byte) || byte == b'>')?;
                Some((&self.input[start..start + length], start + length))
            }
        }
    }

    /// `<!…`: a comment, a doctype, CDATA in foreign content, or a comment by mistake.
    fn declaration(&mut self, start: usize) -> Token<'a> {
        let rest = &self.input[start..];
        if rest.starts_with("--") {
            return self.comment(start + 2);
        }
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("doctype")) {
            self.bogus_comment(start);
            return Token::Doctype;
        }
        match rest.strip_prefix("[CDATA[") {
            Some(text) if self.is_foreign => self.cdata(text),
            _ => self.bogus_comment(start),
        }
    }

    fn cdata(&mut self, rest: &'a str) -> Token<'a> {
        let (raw, after) = rest.split_once("]]>").unwrap_or((rest, ""));
        self.at = self.input.len() - after.len();
        Token::Text(Text { raw, kind: TextKind::Raw })
    }

    fn comment(&mut self, start: usize) -> Token<'a> {
        let rest = &self.input[start..];
        for abrupt_end in [">", "->"] {
            if rest.starts_with(abrupt_end) {
                self.at = start + abrupt_end.len();
                return Token::Comment("");
            }
        }
        let ends = memchr::memchr_iter(b'>', rest.as_bytes());
        for end in ends {
            let before = &rest[..end];
            if let Some(text) = before.strip_suffix("--").or_else(|| before.strip_suffix("--!")) {
                self.at = start + end + 1;
                return Token::Comment(text);
            }
        }
        self.at = self.input.len();
        let unfinished_end = ["--!", "--", "-"].into_iter().find_map(|end| rest.strip_suffix(end));
        Token::Comment(unfinished_end.unwrap_or(rest))
    }

    fn bogus_comment(&mut self, start: usize) -> Token<'a> {
        let rest = &self.input[start..];
        let end = memchr(b'>', rest.as_bytes()).unwrap_or(rest.len());
        self.at = (start + end + 1).min(self.input.len());
        Token::Comment(&rest[..end])
    }
}

/// Where a byte stands next. Most texts and values are so short that a look at the first bytes saves the search.
#[inline]
fn find_near(byte: u8, bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let (words, _) = bytes.get(..16).unwrap_or_default().as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let others = u64::from_le_bytes(*word) ^ (ONES * u64::from(byte));
        // The lowest bit of it is in the first byte that is zero.
        let found = others.wrapping_sub(ONES) & !others & HIGH;
        if found != 0 {
            return Some(8 * at + found.trailing_zeros() as usize / 8);
        }
    }
    memchr(byte, bytes)
}

/// How much text stands before the end tag of `name`.
fn raw_length(rest: &[u8], name: &str) -> usize {
    memchr::memchr_iter(b'<', rest).find(|&open| is_end_tag(&rest[open..], name)).unwrap_or(rest.len())
}

/// Whether this begins with `</name` and something that ends the name.
fn is_end_tag(text: &[u8], name: &str) -> bool {
    text.get(1) == Some(&b'/') && begins_with_name(&text[2..], name)
}

fn begins_with_name(text: &[u8], name: &str) -> bool {
    let ends_name = |&byte: &u8| is_space(byte) || byte == b'/' || byte == b'>';
    text.len() > name.len()
        && text[..name.len()].eq_ignore_ascii_case(name.as_bytes())
        && text.get(name.len()).is_some_and(ends_name)
}

#[inline]
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'\x0c')
}
