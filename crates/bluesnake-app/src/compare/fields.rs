//! What differs between two visits of one URL.

use bluesnake_engine::CanonicalUrl;
use bluesnake_store::ComparedUrl;

use super::words::Field;

/// A set of fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields(u16);

impl Fields {
    pub(super) const NONE: Self = Self(0);

    pub(super) fn has(self, field: Field) -> bool {
        self.0 & (1 << field as u16) != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn put(&mut self, field: Field, is_in: bool) {
        self.0 |= u16::from(is_in) << field as u16;
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().filter(move |field| self.has(*field))
    }
}

/// A URL in one run, with what is known about it from elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight<'a> {
    pub(super) url: &'a ComparedUrl<'a>,
    /// Links to it; `None` if they were not counted in both runs.
    pub(super) inlinks: Option<u32>,
}

impl Sight<'_> {
    /// What differs. Depths are compared only if both are final.
    pub(super) fn differences(&self, other: &Self, with_depth: bool) -> Fields {
        let (a, b) = (self.url, other.url);
        let mut fields = Fields::default();
        fields.put(Field::Status, a.status != b.status);
        fields.put(Field::Redirect, !is_same_url(a.redirect, b.redirect));
        fields.put(Field::Title, a.title != b.title);
        fields.put(Field::Description, a.description != b.description);
        fields.put(Field::H1, a.h1 != b.h1);
        fields.put(Field::Canonical, a.canonical != b.canonical);
        fields.put(Field::Robots, !a.has_robots_of(b));
        fields.put(Field::Indexable, (a.indexable, a.indexable_reason) != (b.indexable, b.indexable_reason));
        fields.put(Field::Content, a.content_hash != b.content_hash);
        fields.put(Field::Words, a.word_count != b.word_count);
        fields.put(Field::Depth, with_depth && a.depth != b.depth);
        fields.put(Field::Inlinks, self.inlinks != other.inlinks);
        fields
    }

    /// What differs if neither run visited it.
    pub(super) fn unvisited_differences(&self, other: &Self, with_depth: bool) -> Fields {
        let (a, b) = (self.url, other.url);
        let mut fields = Fields::default();
        fields.put(Field::Depth, with_depth && a.depth != b.depth);
        fields.put(Field::Inlinks, self.inlinks != other.inlinks);
        fields.put(Field::Reason, a.reason != b.reason);
        fields
    }

    /// The value of a field as text.
    pub(super) fn value(&self, field: Field) -> Option<String> {
        let url = self.url;
        let text = |text: Option<&str>| text.map(str::to_owned);
        match field {
            Field::Status => url.status.map(|status| status.to_string()),
            Field::Redirect => text(url.redirect),
            Field::Title => text(url.title),
            Field::Description => text(url.description),
            Field::H1 => text(url.h1),
            Field::Canonical => text(url.canonical),
            Field::Robots => Some(url.robots()).filter(|robots| !robots.is_empty()),
            Field::Indexable => match (url.indexable, url.indexable_reason) {
                (Some(indexable), Some(reason)) => Some(format!("{indexable}: {reason}")),
                (indexable, _) => text(indexable),
            },
            Field::Content => text(url.content_hash),
            Field::Words => url.word_count.map(|words| words.to_string()),
            Field::Depth => url.depth.map(|depth| depth.to_string()),
            Field::Inlinks => self.inlinks.map(|inlinks| inlinks.to_string()),
            Field::Reason => Some(url.reason.as_str().to_owned()),
        }
    }
}

/// Whether two URLs are the same; runs may spell them differently.
pub(super) fn is_same_url(one: Option<&str>, other: Option<&str>) -> bool {
    let key = |url: &str| CanonicalUrl::from_stored(url.to_owned()).key();
    one == other || one.zip(other).is_some_and(|(one, other)| key(one) == key(other))
}
