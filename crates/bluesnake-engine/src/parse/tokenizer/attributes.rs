//! The attributes of a start tag, found by name.
//!
//! Values stay as they were written until somebody asks; then their character references are replaced.

use std::borrow::Cow;

use memchr::memchr2;

use super::{AttributeName, without_nul};

/// An attribute as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute<'a> {
    pub(crate) known: AttributeName,
    pub(crate) name: &'a str,
    pub(crate) raw: &'a str,
}

impl<'a> Attribute<'a> {
    /// The value with its character references replaced.
    pub(crate) fn value(&self) -> Cow<'a, str> {
        if memchr2(b'&', 0, self.raw.as_bytes()).is_none() {
            return Cow::Borrowed(self.raw);
        }
        without_nul(htmlize::unescape_attribute(self.raw))
    }
}

/// How many attributes with names unknown to us a tag may have before we stop keeping them.
pub(super) const OTHER_ATTRIBUTES: usize = 1_000;

/// The attributes of a start tag; of those with the same name only the first counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes<'a> {
    pub(super) list: Vec<Attribute<'a>>,
    known: u64,
}

impl<'a> Attributes<'a> {
    /// The value of a known attribute with its character references replaced.
    pub(crate) fn value(&self, name: AttributeName) -> Option<Cow<'a, str>> {
        self.find(name).map(Attribute::value)
    }

    /// The value of a known attribute as it was written.
    pub(crate) fn raw(&self, name: AttributeName) -> Option<&'a str> {
        self.find(name).map(|attribute| attribute.raw)
    }

    /// Whether a known attribute is there.
    #[inline]
    pub(crate) fn has(&self, name: AttributeName) -> bool {
        self.known & name.bit() != 0
    }

    /// Whether any attribute of a set made of [`AttributeName::bit`] is there.
    #[inline]
    pub(crate) fn has_any(&self, set: u64) -> bool {
        self.known & set != 0
    }

    /// The value of any attribute by its name, whatever its case.
    pub(crate) fn named(&self, name: &str) -> Option<Cow<'a, str>> {
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

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.known = 0;
    }

    #[inline]
    pub(super) fn push(&mut self, attribute: Attribute<'a>) {
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
