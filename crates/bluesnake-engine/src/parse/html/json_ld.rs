//! Types, items and URLs in JSON-LD.
//!
//! The JSON is walked while it is parsed, so only what is found is kept. The parser refuses more than 128 levels,
//! which bounds the walk. Identifiers (`@id`, `sameAs`, `@context`) are not links. A script that is not JSON is
//! repaired and read again.

use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::repair::repaired;
use crate::link::LinkKind;
use crate::parse::facts::Page;
use crate::parse::text::cut;

/// Longer scripts are ignored.
const LONGEST: usize = 1 << 20;
/// How many objects to look at for items; most of them have no type.
const OBJECTS: usize = 1_000;
/// How much of a property's name to keep.
const NAME_CHARS: usize = 60;

/// What a script contains.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) references: Vec<(LinkKind, String)>,
    pub(super) types: Vec<String>,
    /// Objects in the order in which they begin, with their types and the names of their properties.
    objects: Vec<Object>,
    /// Whether it is JSON.
    pub(super) state: State,
}

/// Whether a script is JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// It is, or it is empty.
    #[default]
    Valid,
    /// It is after repairing.
    Recovered,
    /// It is not; what was found before the error counts.
    Broken,
}

#[derive(Debug, Default)]
struct Object {
    types: Vec<String>,
    properties: Vec<String>,
    place: Place,
}

impl Object {
    /// Whether it describes the page: it is not just a part of another object, nor a reference to one.
    fn is_item(&self) -> bool {
        let is_opinion = || self.types.iter().any(|kind| matches!(kind.as_str(), "Review" | "AggregateRating"));
        !self.properties.is_empty() && (self.place == Place::Main || is_opinion())
    }
}

/// What an object is to the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// A subject of the page: a root, a member of a graph, a main entity, or an item of such a list.
    Main,
    /// An entry of a list, which may name an item.
    Entry,
    /// A part of another object.
    #[default]
    Part,
}

impl Place {
    /// The place of a value of an object in this place.
    fn below(self, key: &str) -> Self {
        match (self, key) {
            (Self::Main, "@graph" | "mainEntity") | (Self::Entry, "item") => Self::Main,
            (Self::Main, "itemListElement") => Self::Entry,
            _ => Self::Part,
        }
    }
}

impl Found {
    /// Each type of each object that describes the page, with the names of the object's properties that have a value.
    pub(super) fn items(&mut self) -> impl Iterator<Item = (String, Vec<String>)> + '_ {
        let objects = std::mem::take(&mut self.objects).into_iter().filter(Object::is_item);
        objects
            .flat_map(|Object { types, properties, .. }| types.into_iter().map(move |kind| (kind, properties.clone())))
    }
}

pub(super) fn read(json: &str) -> Found {
    if json.len() > LONGEST || json.trim_ascii().is_empty() {
        return Found::default();
    }
    let found = walk(json);
    if found.state == State::Valid {
        return found;
    }
    let recovered = walk(&repaired(json));
    match recovered.state {
        State::Valid => Found { state: State::Recovered, ..recovered },
        _ => found,
    }
}

fn walk(json: &str) -> Found {
    let mut found = Found::default();
    let mut parser = serde_json::Deserializer::from_str(json);
    let walk = Walk { found: &mut found, key: Key::Other, place: Place::Main, is_in_image: false, object: None };
    if walk.deserialize(&mut parser).and_then(|_| parser.end()).is_err() {
        found.state = State::Broken;
    }
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
    place: Place,
    /// Inside the value of an image key, where `url` is the image's.
    is_in_image: bool,
    /// The index of the object whose value this is.
    object: Option<usize>,
}

/// Whether a value says anything: a property that is null or empty is missing.
type HasValue = bool;

impl Walk<'_> {
    fn again(&mut self, key: Key, place: Place, is_in_image: bool) -> Walk<'_> {
        Walk { found: self.found, key, place, is_in_image, object: self.object }
    }

    fn note_type(self, kind: &str) {
        self.found.types.push(kind.to_owned());
        if let Some(object) = self.object.and_then(|object| self.found.objects.get_mut(object))
            && object.types.len() < Page::ITEMS
        {
            object.types.push(cut(plain_type(kind), NAME_CHARS).to_owned());
        }
    }

    /// Keeps the name of a property of this object.
    fn note_property(&mut self, name: String) {
        if let Some(object) = self.object.and_then(|object| self.found.objects.get_mut(object))
            && object.properties.len() < Page::ITEM_PROPERTIES
            && !object.properties.contains(&name)
        {
            object.properties.push(name);
        }
    }
}

/// A type of schema.org without its vocabulary.
fn plain_type(kind: &str) -> &str {
    let prefixes = ["https://schema.org/", "http://schema.org/", "schema:"];
    prefixes.iter().find_map(|prefix| kind.strip_prefix(prefix)).unwrap_or(kind)
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = HasValue;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<HasValue, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = HasValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, value: &str) -> Result<HasValue, E> {
        match self.key {
            Key::Address if !self.is_in_image => self.found.references.push((LinkKind::JsonLd, value.to_owned())),
            Key::Address | Key::Image => self.found.references.push((LinkKind::JsonLdImage, value.to_owned())),
            Key::Type => self.note_type(value),
            Key::Other => {}
        }
        Ok(!value.trim_ascii().is_empty())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<HasValue, A::Error> {
        let (key, place, is_in_image) = (self.key, self.place, self.is_in_image);
        let mut has_value = false;
        while let Some(has_one) = items.next_element_seed(self.again(key, place, is_in_image))? {
            has_value |= has_one;
        }
        Ok(has_value)
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<HasValue, A::Error> {
        let is_image = self.key == Key::Image;
        self.object = (self.found.objects.len() < OBJECTS).then_some(self.found.objects.len());
        let place = self.place;
        self.found.objects.extend(self.object.map(|_| Object { place, ..Object::default() }));
        let mut has_value = false;
        while let Some((key, place, name)) = entries.next_key_seed(KeySeed(place))? {
            let is_in_image = is_image && matches!(key, Key::Type | Key::Address);
            if entries.next_value_seed(self.again(key, place, is_in_image))? {
                has_value = true;
                name.into_iter().for_each(|name| self.note_property(name));
            }
        }
        Ok(has_value)
    }

    fn visit_bool<E>(self, _: bool) -> Result<HasValue, E> {
        Ok(true)
    }

    fn visit_i64<E>(self, _: i64) -> Result<HasValue, E> {
        Ok(true)
    }

    fn visit_u64<E>(self, _: u64) -> Result<HasValue, E> {
        Ok(true)
    }

    fn visit_f64<E>(self, _: f64) -> Result<HasValue, E> {
        Ok(true)
    }

    fn visit_unit<E>(self) -> Result<HasValue, E> {
        Ok(false)
    }
}

/// Reads a key of an object in this place: what it says about its value, and its name if it is a property.
struct KeySeed(Place);

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = (Key, Place, Option<String>);

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed {
    type Value = (Key, Place, Option<String>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok((Key::of(key), self.0.below(key), (!key.starts_with('@')).then(|| cut(key, NAME_CHARS).to_owned())))
    }
}
