//! The tokenizer of the WHATWG standard over valid UTF-8, without its error reports.
//!
//! It copies nothing, jumps from `<` to `<`, and decodes character references only on demand ([`crate::Text::decoded`],
//! [`crate::Attribute::value`]). It looks at every byte a bounded number of times. Start with [`Tokenizer::next`].
//!
//! We have our own because reading HTML is most of the work on a page. On 45 pages of documentation, 33 KB on average, it
//! takes 0.6 million instructions a page where html5gum takes 2.1 million, all texts and attributes decoded; extracting
//! these pages takes 3.4 million instead of 6.5 million. `cargo run --release -p bluesnake-html --example tokenize DIR`
//! compares the two by time. All 6,686 cases of html5lib-tests that UTF-8 can express pass in the data state
//! (`tests/html5lib.rs`).

use memchr::memchr;

use crate::attributes::{ATTRIBUTE_LETTERS, Attribute, AttributeName, Attributes};
use crate::script;
use crate::tag::{TAG_LETTERS, Tag};
use crate::text::{Text, TextKind};

/// One piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `<name …>`; its attributes are those of [`Tokenizer::attributes`] until the next token is read.
    Start(StartTag<'a>),
    /// `</name>`.
    End(EndTag<'a>),
    /// What is between tags.
    Text(Text<'a>),
    /// `<!-- … -->` and whatever else browsers take for a comment.
    Comment(&'a str),
    /// `<!doctype …>`.
    Doctype,
}

/// A start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartTag<'a> {
    /// The name as a number.
    pub tag: Tag,
    /// The name as it was written.
    pub name: &'a str,
    /// Whether it ends in `/>`, which means something in SVG and MathML only.
    pub is_self_closing: bool,
}

/// An end tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndTag<'a> {
    /// The name as a number.
    pub tag: Tag,
    /// The name as it was written.
    pub name: &'a str,
}

/// Where the next text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
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
    #[inline]
    fn after_start_of(tag: Tag) -> Self {
        match tag {
            Tag::Title | Tag::Textarea => Self::Title(tag),
            Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => Self::Raw(tag),
            Tag::Script => Self::Script,
            Tag::Plaintext => Self::Plaintext,
            _ => Self::Markup,
        }
    }

    #[inline]
    fn text_kind(self) -> TextKind {
        match self {
            Self::Markup => TextKind::Markup,
            Self::Title(_) => TextKind::Title,
            Self::Raw(_) | Self::Script | Self::Plaintext => TextKind::Raw,
        }
    }
}

/// Reads a document piece by piece; an iterator over its [`Token`]s.
#[derive(Debug)]
pub struct Tokenizer<'a> {
    input: &'a str,
    at: usize,
    pub(crate) mode: Mode,
    attributes: Attributes<'a>,
    is_foreign: bool,
}

impl<'a> Iterator for Tokenizer<'a> {
    type Item = Token<'a>;

    /// The next piece, or `None` at the end. A tag cut off by the end of the document is not a piece.
    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
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
}

impl<'a> Tokenizer<'a> {
    /// Reads a whole document.
    pub fn new(input: &'a str) -> Self {
        Self { input, at: 0, mode: Mode::Markup, attributes: Attributes::default(), is_foreign: false }
    }

    /// The attributes of the tag that was read last.
    #[inline]
    pub fn attributes(&self) -> &Attributes<'a> {
        &self.attributes
    }

    /// Takes them out; giving them back with [`Tokenizer::reuse`] saves an allocation.
    #[inline]
    pub fn take_attributes(&mut self) -> Attributes<'a> {
        std::mem::take(&mut self.attributes)
    }

    /// Takes back the memory of attributes.
    #[inline]
    pub fn reuse(&mut self, attributes: Attributes<'a>) {
        self.attributes = attributes;
    }

    /// Sets whether the innermost open element belongs to SVG or MathML, where no element holds raw text and CDATA is
    /// text.
    #[inline]
    pub fn set_foreign(&mut self, is_foreign: bool) {
        self.is_foreign = is_foreign;
    }

    /// Reads what follows the start tag just read as markup, whatever its name implies.
    pub fn read_markup(&mut self) {
        self.mode = Mode::Markup;
    }

    /// Reads the content of the element just opened as raw text, whatever its name implies.
    pub fn read_raw_text(&mut self, tag: Tag) {
        self.mode = Mode::Raw(tag);
    }

    /// What was not read yet.
    #[inline]
    pub fn rest(&self) -> &'a str {
        &self.input[self.at..]
    }

    /// The next `<` that opens a tag or a comment; any other is text.
    #[inline]
    fn start_of_markup(&self) -> Option<usize> {
        let bytes = self.input.as_bytes();
        let mut from = self.at;
        loop {
            // After a text we are already there.
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

    #[inline]
    fn take_text(&mut self, end: usize, kind: TextKind) -> Text<'a> {
        let raw = &self.input[self.at..end];
        self.at = end;
        Text { raw, kind }
    }

    /// The piece at `open`; `None` for `</>` and for a tag cut off by the end of the document.
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
        let (end, packed) = TAG_LETTERS.read(self.input.as_bytes(), start);
        let name = &self.input[start..end];
        let tag = Tag::of(packed, name);
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
        let (end, packed) = TAG_LETTERS.read(self.input.as_bytes(), start);
        let name = &self.input[start..end];
        self.finish_tag(end)?;
        Some(Token::End(EndTag { tag: Tag::of(packed, name), name }))
    }

    /// Reads attributes up to the end of the tag and returns whether it closes itself; `None` if the document ends first.
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

    #[inline]
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

    /// Reads one attribute and returns where it ends.
    #[inline]
    fn read_attribute(&mut self, start: usize) -> Option<usize> {
        let bytes = self.input.as_bytes();
        // An equals sign that comes first is part of the name.
        let (name_end, packed) = match bytes[start] {
            b'=' => (ATTRIBUTE_LETTERS.read(bytes, start + 1).0, 0),
            _ => ATTRIBUTE_LETTERS.read(bytes, start),
        };
        let sign = skip_space(bytes, name_end);
        let (value, end) = match bytes.get(sign)? {
            b'=' => self.read_value(skip_space(bytes, sign + 1))?,
            _ => ("", sign),
        };
        let name = &self.input[start..name_end];
        self.attributes.push(Attribute { known: AttributeName::of(packed, name), name, raw: value });
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

/// Where a byte comes next. Most texts and values are so short that looking at the first bytes saves the search.
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

/// How much text comes before the end tag of `name`.
fn raw_length(rest: &[u8], name: &str) -> usize {
    memchr::memchr_iter(b'<', rest).find(|&open| is_end_tag(&rest[open..], name)).unwrap_or(rest.len())
}

/// Whether this begins with `</name` and something that ends the name.
pub(crate) fn is_end_tag(text: &[u8], name: &str) -> bool {
    text.get(1) == Some(&b'/') && begins_with_name(&text[2..], name)
}

pub(crate) fn begins_with_name(text: &[u8], name: &str) -> bool {
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
