//! The attributes of a start tag, found by name.
//!
//! Values stay as they were written until a caller asks for one; then their character references are replaced.

use std::borrow::Cow;

use memchr::memchr2;

use crate::names::{Alphabet, names};
use crate::text::without_nul;

/// Letters, `-` and `:`.
pub(crate) static ATTRIBUTE_LETTERS: Alphabet = Alphabet::new(b"-:", b"\t\n\x0c\r />=", 5);

names! {
    /// An attribute's name.
    AttributeName by ATTRIBUTE_LETTERS {
        Action = "action", Align = "align", Alt = "alt", Amp = "amp", Archive = "archive", AriaHidden = "aria-hidden",
        AriaLabel = "aria-label", As = "as", Background = "background", Charset = "charset", Checked = "checked",
        Cite = "cite", Class = "class", Code = "code", Codebase = "codebase", Colspan = "colspan", Content = "content",
        Data = "data", DataFootnoteRef = "data-footnote-ref", DataLang = "data-lang", DataLanguage = "data-language",
        DataSrc = "data-src", Dir = "dir", Disabled = "disabled", Dynsrc = "dynsrc", Encoding = "encoding",
        Formaction = "formaction", Height = "height", Hidden = "hidden", Href = "href", Hreflang = "hreflang",
        HttpEquiv = "http-equiv", Id = "id", Imagesrcset = "imagesrcset", Itemprop = "itemprop", Itemtype = "itemtype",
        Lang = "lang", Longdesc = "longdesc", Lowsrc = "lowsrc", Manifest = "manifest", Media = "media",
        Method = "method", Name = "name", Ping = "ping", Poster = "poster", Profile = "profile", Property = "property",
        Rel = "rel", Role = "role", Rowspan = "rowspan", Selected = "selected", Src = "src", Srcdoc = "srcdoc",
        Srcset = "srcset", Start = "start", Style = "style", Target = "target", Title = "title", Type = "type",
        Typeof = "typeof", Value = "value", Width = "width", XlinkHref = "xlink:href",
    }
}

const _: () = assert!(AttributeName::COUNT <= u64::BITS as usize, "a set of attributes is 64 bits");

impl AttributeName {
    /// The set that contains this name alone.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self as u8
    }
}

/// An attribute as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Its name as a number.
    pub known: AttributeName,
    /// Its name.
    pub name: &'a str,
    /// Its value; empty if there is none.
    pub raw: &'a str,
}

impl<'a> Attribute<'a> {
    /// The value with its character references replaced.
    #[inline]
    pub fn value(&self) -> Cow<'a, str> {
        if memchr2(b'&', 0, self.raw.as_bytes()).is_none() {
            return Cow::Borrowed(self.raw);
        }
        without_nul(htmlize::unescape_attribute(self.raw))
    }
}

/// How many attributes a tag may have before we stop keeping those with unknown names.
pub(crate) const OTHER_ATTRIBUTES: usize = 1_000;

/// The attributes of a start tag; of those with the same name only the first counts.
#[derive(Clone, Debug, Default)]
pub struct Attributes<'a> {
    list: Vec<Attribute<'a>>,
    known: u64,
}

impl<'a> Attributes<'a> {
    /// All attributes in the order of the document; an unknown name may appear twice.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Attribute<'a>> {
        self.list.iter()
    }

    /// The value of a known attribute with its character references replaced.
    #[inline]
    pub fn value(&self, name: AttributeName) -> Option<Cow<'a, str>> {
        self.find(name).map(Attribute::value)
    }

    /// The value of a known attribute as it was written.
    #[inline]
    pub fn raw(&self, name: AttributeName) -> Option<&'a str> {
        self.find(name).map(|attribute| attribute.raw)
    }

    /// Whether a known attribute is present.
    #[inline]
    pub fn has(&self, name: AttributeName) -> bool {
        self.known & name.bit() != 0
    }

    /// Whether any attribute of a set made of [`AttributeName::bit`] is present.
    #[inline]
    pub fn has_any(&self, set: u64) -> bool {
        self.known & set != 0
    }

    /// The value of any attribute by its name, ignoring case.
    pub fn named(&self, name: &str) -> Option<Cow<'a, str>> {
        match AttributeName::named(name) {
            AttributeName::Other => {
                self.list.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name)).map(Attribute::value)
            }
            known => self.value(known),
        }
    }

    #[inline]
    fn find(&self, name: AttributeName) -> Option<&Attribute<'a>> {
        if !self.has(name) {
            return None;
        }
        self.list.iter().find(|attribute| attribute.known == name)
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.known = 0;
    }

    #[inline]
    pub(crate) fn push(&mut self, attribute: Attribute<'a>) {
        let is_kept = match attribute.known {
            AttributeName::Other => self.list.len() < OTHER_ATTRIBUTES,
            known => !self.has(known),
        };
        if is_kept {
            self.known |= attribute.known.bit();
            self.list.push(attribute);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_names_in_any_case() {
        assert_eq!(AttributeName::named("HTTP-Equiv"), AttributeName::HttpEquiv);
        assert_eq!(AttributeName::named("data-other"), AttributeName::Other);
        assert_eq!(AttributeName::named("aaaaaaaaaaaaaaaahref"), AttributeName::Other);
    }

    #[test]
    fn finds_every_name_by_its_text() {
        for (number, text) in AttributeName::TEXTS.iter().enumerate().skip(1) {
            assert_eq!(AttributeName::named(text) as usize, number);
        }
    }

    #[test]
    fn compares_the_text_of_a_name_too_long_to_be_packed() {
        let (name, twin) = ("data-footnote-ref", "datc-footnote-reb");
        assert_eq!(ATTRIBUTE_LETTERS.pack(name), ATTRIBUTE_LETTERS.pack(twin));
        assert_eq!(AttributeName::named(name), AttributeName::DataFootnoteRef);
        assert_eq!(AttributeName::named(&name.to_uppercase()), AttributeName::DataFootnoteRef);
        assert_eq!(AttributeName::named(twin), AttributeName::Other);
    }
}
