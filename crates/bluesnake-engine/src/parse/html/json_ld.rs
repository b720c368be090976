//! Types and URLs in JSON-LD.
//!
//! The JSON is walked while it is parsed, so only what is found is kept. The parser refuses more than 128 levels,
//! which bounds the walk. Identifiers (`@id`, `sameAs`, `@context`) are not links.

use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use crate::link::LinkKind;

/// Longer scripts are ignored.
const LONGEST: usize = 1 << 20;

/// What a script contains.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) references: Vec<(LinkKind, String)>,
    pub(super) types: Vec<String>,
    /// Whether it is invalid JSON; what was found before the error counts.
    pub(super) is_broken: bool,
}

pub(super) fn read(json: &str) -> Found {
    let mut found = Found::default();
    if json.len() > LONGEST || json.trim_ascii().is_empty() {
        return found;
    }
    let mut parser = serde_json::Deserializer::from_str(json);
    let walk = Walk { found: &mut found, key: Key::Other, is_in_image: false };
    let is_read = walk.deserialize(&mut parser).and_then(|()| parser.end()).is_ok();
    found.is_broken = !is_read;
    found
}

/// What a key says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Address,
    Image,
    Type,
    Other,
}

impl Key {
    fn of(key: &str) -> Self {
        match key {
            "url" | "mainEntityOfPage" | "item" => Self::Address,
            "image" | "logo" | "thumbnailUrl" | "contentUrl" => Self::Image,
            "@type" => Self::Type,
            _ => Self::Other,
        }
    }
}

struct Walk<'f> {
    found: &'f mut Found,
    key: Key,
    /// Inside the value of an image key, where `url` is the image's.
    is_in_image: bool,
}

impl Walk<'_> {
    fn again(&mut self, key: Key, is_in_image: bool) -> Walk<'_> {
        Walk { found: self.found, key, is_in_image }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        match self.key {
            Key::Address if !self.is_in_image => self.found.references.push((LinkKind::JsonLd, value.to_owned())),
            Key::Address | Key::Image => self.found.references.push((LinkKind::Image, value.to_owned())),
            Key::Type => self.found.types.push(value.to_owned()),
            Key::Other => {}
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let (key, is_in_image) = (self.key, self.is_in_image);
        while items.next_element_seed(self.again(key, is_in_image))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<(), A::Error> {
        let is_image = self.key == Key::Image;
        while let Some(key) = entries.next_key_seed(KeySeed)? {
            let is_in_image = is_image && matches!(key, Key::Type | Key::Address);
            entries.next_value_seed(self.again(key, is_in_image))?;
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Reads a key without keeping its text.
struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(Key::of(key))
    }
}
