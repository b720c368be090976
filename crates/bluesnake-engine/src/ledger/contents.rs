//! Which pages have the same content: the one with the earliest turn owns it, later ones refer to it.

use std::collections::HashMap;

use crate::admit::UrlRow;
use crate::admit::fold::{self, Form};
use crate::receipt::Number;
use crate::store::StoredVisit;
use crate::url::CanonicalUrl;
use crate::visit::Visit;

/// The contents of all pages so far.
pub(super) struct Contents {
    /// The first page with this content, and at this URL in this form.
    originals: HashMap<u64, Original>,
    /// Whether a page and its Markdown are one page.
    folds_urls: bool,
}

/// The first of several pages with the same content.
#[derive(Clone, Copy, Debug)]
struct Original {
    number: Number,
    /// Some bits of the fingerprint of its bytes; `None` if the bytes are those of its other form.
    raw_bits: Option<u32>,
}

/// What a page has in common with an earlier one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Likeness {
    pub(super) identical_to: Option<Number>,
    pub(super) duplicate_of: Option<Number>,
    pub(super) is_twin: bool,
}

impl Likeness {
    pub(super) fn is_copy(self) -> bool {
        self.duplicate_of.is_some() || self.identical_to.is_some()
    }
}

impl Contents {
    pub(super) fn new(folds_urls: bool) -> Self {
        Self { originals: HashMap::new(), folds_urls }
    }

    /// Compares a page with earlier ones. New content is a new page, or the other form of a known one.
    pub(super) fn compare(&mut self, visit: &Visit) -> Likeness {
        let Some(key) = visit.content_key.filter(|_| visit.shape.is_some()) else { return Likeness::default() };
        if let Some(original) = self.originals.get(&key) {
            return Likeness {
                identical_to: (original.raw_bits == Some(visit.raw_bits())).then_some(original.number),
                duplicate_of: visit.has_content.then_some(original.number),
                is_twin: false,
            };
        }
        let form = Form::of(visit.is_own_markdown());
        let twin = self.other_form(&visit.row.url, form);
        self.remember(key, &visit.row, form, twin, visit.raw_bits());
        Likeness { identical_to: None, duplicate_of: twin, is_twin: twin.is_some() }
    }

    /// Restores a page of an earlier session.
    pub(super) fn restore(&mut self, row: &UrlRow, visit: &StoredVisit) {
        if let Some(key) = visit.content_key {
            self.remember(key, row, Form::of(visit.is_own_markdown), visit.twin_of, visit.raw_bits);
        }
    }

    /// The page at a URL in the other form, unless this form is already known.
    fn other_form(&self, url: &CanonicalUrl, form: Form) -> Option<Number> {
        if !self.folds_urls || self.originals.contains_key(&fold::key(url, form)) {
            return None;
        }
        self.originals.get(&fold::key(url, form.other())).map(|original| original.number)
    }

    /// Of two pages at one URL the one with the lower number wins, so that a resumed crawl finds the same one.
    fn remember(&mut self, content: u64, row: &UrlRow, form: Form, twin: Option<Number>, raw_bits: u32) {
        let original = match twin {
            Some(number) => Original { number, raw_bits: None },
            None => Original { number: row.number, raw_bits: Some(raw_bits) },
        };
        self.originals.insert(content, original);
        if self.folds_urls {
            let known = self.originals.entry(fold::key(&row.url, form)).or_insert(original);
            if original.number < known.number {
                *known = original;
            }
        }
    }
}
