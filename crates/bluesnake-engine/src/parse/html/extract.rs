//! The values of columns that are selectors: attributes and texts of elements.
//!
//! The text of an element is everything written in it, visible or not, with white space collapsed; scripts and styles
//! count only for themselves. Like anchors, open elements remember where their text begins.

use bluesnake_html::{Attributes, Tag, Text, TextKind, decoded_parts};

use super::Reader;
use crate::parse::extract::{Column, Finds, MATCH_CHARS, MATCHES};
use crate::parse::selector::Element;
use crate::parse::text::{VisibleText, collapse, cut};

/// What the columns have found so far.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// The text since the first of the open elements.
    text: VisibleText,
    open: Vec<Capture>,
    values: Vec<Vec<String>>,
}

/// An open element.
#[derive(Debug)]
struct Capture {
    column: usize,
    /// The place of its value.
    value: usize,
    /// How many elements are open, including itself.
    depth: usize,
    start: usize,
}

impl Captures {
    /// An element that a column matches was opened.
    fn add(&mut self, column: usize, finds: &Finds, attributes: &Attributes<'_>, depth: Option<usize>) {
        if self.values.len() <= column {
            self.values.resize_with(column + 1, Vec::new);
        }
        let values = &mut self.values[column];
        if values.len() >= MATCHES {
            return;
        }
        if let Finds::Elements(_, Some(name)) = finds {
            let value = attributes.named(name);
            values.extend(value.map(|value| cut(value.trim(), MATCH_CHARS).to_owned()));
        } else if let Some(depth) = depth.filter(|depth| self.open.last().is_none_or(|last| last.depth <= *depth)) {
            values.push(String::new());
            self.open.push(Capture { column, value: values.len() - 1, depth, start: self.text.len() });
        }
    }

    pub(super) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Separates what follows from what was written before.
    #[inline]
    pub(super) fn space(&mut self) {
        if self.are_open() {
            self.text.space();
        }
    }

    /// The text of a script or style, for the element itself.
    fn set_own(&mut self, text: &str, depth: usize) {
        for capture in self.open.iter().filter(|capture| capture.depth == depth) {
            self.values[capture.column][capture.value] =
                cut(&collapse(cut(text, 8 * MATCH_CHARS)), MATCH_CHARS).to_owned();
        }
    }

    /// Elements were closed until `length` are open.
    #[inline]
    pub(super) fn close_down_to(&mut self, length: usize) {
        while let Some(capture) = self.open.pop_if(|capture| capture.depth > length) {
            let value = &mut self.values[capture.column][capture.value];
            if value.is_empty() {
                *value = cut(self.text.as_str()[capture.start..].trim_ascii(), MATCH_CHARS).to_owned();
            }
            if self.open.is_empty() {
                self.text = VisibleText::default();
            }
        }
    }

    /// An element was closed, but none of those inside it.
    fn remove(&mut self, place: usize) {
        for capture in self.open.iter_mut().filter(|capture| capture.depth > place) {
            capture.depth -= 1;
        }
    }

    pub(super) fn finish(self) -> Vec<Vec<String>> {
        self.values
    }
}

impl<'a> Reader<'a> {
    /// Calls hooks and opens captures for an element that was just read, at this place among the open elements.
    #[inline]
    pub(super) fn match_element(&mut self, name: &'a str, attributes: &Attributes<'a>, place: usize) {
        if self.matcher.is_some() {
            self.match_selectors(name, attributes, place);
        }
    }

    /// The innermost element was opened without a tag of its own; it is part of paths, but nothing is called for it.
    pub(super) fn match_implied(&mut self, name: &str) {
        if let Some(matcher) = &mut self.matcher {
            matcher.read(self.open.len() - 1, name, &Attributes::default());
        }
    }

    fn match_selectors(&mut self, name: &'a str, attributes: &Attributes<'a>, place: usize) {
        let Some(matcher) = &mut self.matcher else { return };
        let matched = matcher.read(place, name, attributes).to_vec();
        for selector in matched {
            match selector.checked_sub(self.document.hooks.len()) {
                None => self.call_hook(selector, name, attributes),
                // What is in a template is not on the page.
                Some(_) if self.open.surroundings().is_inert => {}
                Some(column) => {
                    let (column, finds) = selecting(self.document.columns).nth(column).expect("columns do not change");
                    let depth = (place < self.open.len()).then_some(place + 1);
                    self.captures.add(column, finds, attributes, depth);
                }
            }
        }
    }

    fn call_hook(&mut self, hook: usize, name: &'a str, attributes: &Attributes<'a>) {
        let (dom_path, resolver) = (self.open.path(), self.links.resolver());
        let element = Element { page: self.document.url, name, attributes, dom_path, resolver };
        (self.document.hooks[hook].call)(&element);
    }

    /// Adds a text to the open elements.
    pub(super) fn capture_text(&mut self, text: Text<'a>) {
        if self.open.surroundings().is_inert {
            return;
        }
        match (text.kind, self.open.top().tag) {
            (TextKind::Raw, Tag::Script | Tag::Style) => self.captures.set_own(text.raw, self.open.len()),
            (TextKind::Raw, _) => {}
            _ => decoded_parts(text.raw).for_each(|part| self.captures.text.push(&part)),
        }
    }

    /// Forgets an element that was closed, but none of those inside it.
    pub(super) fn forget(&mut self, place: usize) {
        if let Some(matcher) = &mut self.matcher {
            matcher.remove(place);
        }
        self.captures.remove(place);
    }
}

/// The columns that are selectors, with their places among all columns.
pub(super) fn selecting(columns: &[Column]) -> impl Iterator<Item = (usize, &Finds)> {
    columns.iter().map(|column| &column.0).enumerate().filter(|(_, finds)| matches!(finds, Finds::Elements(..)))
}
