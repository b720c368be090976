//! The open elements at a place in the document, and what follows from them.
//!
//! A stack as in the standard's tree construction, without the tree: implied ends of paragraphs, list items, cells
//! and the like are found here; formatting elements are not reopened. It is never deeper than [`DEPTH`], and each
//! element stores what it inherits, so every query looks at a bounded number of elements.

use std::sync::Arc;

use bluesnake_html::{Tag, Tags};

use crate::link::Position;
use crate::parse::hash::Counted;

/// The maximum depth; deeper elements become children of the deepest.
pub(super) const DEPTH: usize = 512;
/// The maximum length of a DOM path; deeper elements are omitted.
const PATH_BYTES: usize = 500;
/// How much of an unknown element's name to keep in a DOM path.
const NAME_CHARS: usize = 40;

/// The properties of a place that follow from the elements around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    pub(super) position: Position,
    /// In `<main>` or `<article>`, whose own header and footer are not those of the page.
    pub(super) is_article: bool,
    /// In `<noscript>` and the like: parsed, but not visible.
    pub(super) is_hidden: bool,
    /// In `<template>`: not part of the document.
    pub(super) is_inert: bool,
    /// In a quote or in code.
    pub(super) is_quoted: bool,
    /// In SVG or MathML.
    pub(super) is_foreign: bool,
    /// In MathML, whose elements contain no URLs.
    pub(super) is_math: bool,
    /// For the content fingerprint.
    pub(super) counted: Counted,
    pub(super) is_content: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Open<'a> {
    pub(super) tag: Tag,
    pub(super) name: &'a str,
    /// Whether it is an element of SVG or MathML itself.
    is_foreign: bool,
    pub(super) surroundings: Surroundings,
    /// The length of the path without this element, once it was requested.
    path_length: usize,
    implied: Implied,
}

/// Positions, counted from 1, of the elements that a start tag here would close; 0 means none.
#[derive(Clone, Copy, Debug, Default)]
struct Implied {
    paragraph: u16,
    list_item: u16,
    description: u16,
}

impl Implied {
    fn within(self, tag: Tag, place: u16) -> Self {
        let mut implied = self;
        if tag.holds_scope() || tag == Tag::Button {
            implied.paragraph = 0;
        }
        if tag.is_special() && !matches!(tag, Tag::Address | Tag::Div | Tag::P) {
            (implied.list_item, implied.description) = (0, 0);
        }
        match tag {
            Tag::P => implied.paragraph = place,
            Tag::Li => implied.list_item = place,
            Tag::Dd | Tag::Dt => implied.description = place,
            _ => {}
        }
        implied
    }
}

impl Open<'_> {
    /// Whether the end tag of an outer element cannot close it, as in the standard; in SVG and MathML, those are the
    /// elements where HTML may begin again.
    fn is_special(&self) -> bool {
        match self.is_foreign {
            false => self.tag.is_special(),
            true => !self.surroundings.is_foreign,
        }
    }

    /// Whether elements open outside it are out of scope for those inside.
    fn holds_scope(&self) -> bool {
        if self.is_foreign { self.is_special() } else { self.tag.holds_scope() }
    }
}

#[derive(Debug)]
pub(super) struct OpenElements<'a> {
    open: Vec<Open<'a>>,
    /// How many elements of each known name are open.
    counts: [u16; Tag::COUNT],
    /// How many elements are open beyond the maximum depth.
    beyond: usize,
    path: String,
    /// How many of the open elements are in `path`; the others are added on demand.
    in_path: usize,
    /// The most recent path at each depth.
    recent_paths: Vec<Option<Arc<str>>>,
    pub(super) deepest: usize,
    /// The place of an element that was just closed while those inside it stay open.
    pub(super) removed: Option<usize>,
}

impl<'a> OpenElements<'a> {
    /// In `<html>`, inside the elements of `path`.
    pub(super) fn new(path: String) -> Self {
        let mut elements = Self {
            open: Vec::with_capacity(32),
            counts: [0; Tag::COUNT],
            beyond: 0,
            path,
            in_path: 0,
            recent_paths: Vec::new(),
            deepest: 0,
            removed: None,
        };
        elements.push(Tag::Html, "html", Surroundings::default());
        elements
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// The innermost open element.
    #[inline]
    pub(super) fn top(&self) -> &Open<'a> {
        self.open.last().expect("the html element is never closed")
    }

    /// The properties of this place.
    #[inline]
    pub(super) fn surroundings(&self) -> Surroundings {
        self.top().surroundings
    }

    /// The place of `<html>`, `<head>` or `<body>`, or the next one if it is not open.
    pub(super) fn place_of_frame(&self, tag: Tag) -> usize {
        match tag {
            Tag::Html => 0,
            _ if self.open.get(1).is_some_and(|open| open.tag == tag) => 1,
            _ => self.open.len(),
        }
    }

    /// The parent of the innermost open element.
    pub(super) fn parent(&self) -> Tag {
        self.open.iter().rev().nth(1).map_or(Tag::Other, |open| open.tag)
    }

    /// Opens an element; returns false if it is too deep.
    pub(super) fn push(&mut self, tag: Tag, name: &'a str, surroundings: Surroundings) -> bool {
        if self.open.len() >= DEPTH {
            self.beyond += 1;
            self.deepest = self.deepest.max(DEPTH + self.beyond);
            return false;
        }
        let (outside, is_foreign) = self
            .open
            .last()
            .map_or((Implied::default(), false), |outer| (outer.implied, outer.surroundings.is_foreign));
        let is_foreign = is_foreign || matches!(tag, Tag::Svg | Tag::Math);
        let implied = match is_foreign {
            false => outside.within(tag, self.open.len() as u16 + 1),
            true if surroundings.is_foreign => outside,
            true => Implied::default(),
        };
        self.open.push(Open { tag, name, is_foreign, surroundings, path_length: 0, implied });
        self.counts[tag as usize] += 1;
        self.deepest = self.deepest.max(self.open.len());
        true
    }

    /// Closes the innermost element.
    pub(super) fn pop(&mut self) -> Open<'a> {
        let open = self.open.pop().expect("the html element is never closed");
        self.counts[open.tag as usize] -= 1;
        if self.in_path > self.open.len() {
            self.path.truncate(open.path_length);
            self.in_path = self.open.len();
        }
        open
    }

    /// The open elements as `body > main > p`.
    pub(super) fn path(&mut self) -> &str {
        while let Some(open) = self.open.get_mut(self.in_path) {
            open.path_length = self.path.len();
            extend_path(&mut self.path, open.tag, open.name);
            self.in_path += 1;
        }
        &self.path
    }

    /// The same, shared between links at the same place.
    pub(super) fn shared_path(&mut self) -> Arc<str> {
        self.path();
        let depth = self.open.len();
        if self.recent_paths.len() <= depth {
            self.recent_paths.resize(depth + 1, None);
        }
        let recent = &mut self.recent_paths[depth];
        match recent {
            Some(path) if **path == *self.path => path.clone(),
            _ => recent.insert(Arc::from(self.path.as_str())).clone(),
        }
    }

    /// The stack length to close down to before this start tag, because it implies ends.
    pub(super) fn implied_end(&self, tag: Tag) -> Option<usize> {
        let implied = self.top().implied;
        let place = match tag {
            Tag::Li => earliest(implied.list_item, implied.paragraph).into(),
            Tag::Dd | Tag::Dt => earliest(implied.description, implied.paragraph).into(),
            Tag::Td | Tag::Th => self.lowest(&CELLS),
            Tag::Tr => self.lowest(&BEFORE_ROW),
            Tag::Tbody | Tag::Thead | Tag::Tfoot => self.lowest(&BEFORE_ROW_GROUP),
            Tag::Option | Tag::Optgroup if self.top().tag == Tag::Option => self.open.len(),
            _ if !tag.closes_paragraph() => 0,
            // A heading inside a paragraph ends with it.
            _ if implied.paragraph > 0 => implied.paragraph.into(),
            _ if tag.is_heading() && self.top().tag.is_heading() => self.open.len(),
            _ => 0,
        };
        place.checked_sub(1)
    }

    /// The position of the outermost of these in the innermost table, counted from 1.
    fn lowest(&self, tags: &Tags) -> usize {
        let in_table =
            self.open.iter().enumerate().rev().take_while(|(_, open)| !matches!(open.tag, Tag::Table | Tag::Template));
        in_table.filter(|(_, open)| tags.has(open.tag) && !open.is_foreign).last().map_or(0, |(at, _)| at + 1)
    }

    /// The stack length that this end tag closes down to; `None` if it closes nothing.
    pub(super) fn explicit_end(&mut self, tag: Tag, name: &str) -> Option<usize> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return None;
        }
        if tag != Tag::Other && self.top().tag == tag {
            return Some(self.open.len() - 1);
        }
        if !tag.is_heading() && self.counts[tag as usize] == 0 {
            // Rows and row groups may be implied.
            return match tag {
                Tag::Tr => self.lowest(&CELLS).checked_sub(1),
                Tag::Tbody => self.lowest(&CELLS_AND_ROWS).checked_sub(1),
                _ => None,
            };
        }
        let is_same = |open: &Open<'_>| match tag {
            Tag::Other => open.tag == Tag::Other && open.name.eq_ignore_ascii_case(name),
            _ => open.tag == tag,
        };
        // In SVG and MathML an end tag closes the element of its name, whatever is open inside.
        let mut foreign = self.open.iter().enumerate().rev().take_while(|(_, open)| open.is_foreign);
        if let Some((at, _)) = foreign.find(|(_, open)| is_same(open)) {
            return Some(at);
        }
        let is_ended = |open: &Open<'_>| is_same(open) || tag.is_heading() && open.tag.is_heading();
        let is_last = |open: &Open<'_>| is_ended(open) && !open.is_foreign || holds(open, tag);
        let at = self.open.iter().rposition(is_last)?;
        match is_ended(&self.open[at]) && !self.open[at].is_foreign {
            true => Some(at),
            false => self.end_across(tag, at),
        }
    }

    /// Handles an end tag whose element is outside the one at `held`, which it cannot close.
    fn end_across(&mut self, tag: Tag, held: usize) -> Option<usize> {
        let place = self.find_in_scope(tag)?;
        if tag == Tag::Form {
            self.remove(place);
        }
        (tag.is_formatting() && held + 1 < self.open.len()).then(|| self.length_without(place))
    }

    /// Removes an element but keeps those open inside it.
    fn remove(&mut self, place: usize) {
        let removed = self.open.remove(place);
        self.removed = Some(place);
        self.counts[removed.tag as usize] -= 1;
        if self.in_path > place {
            self.path.truncate(removed.path_length);
            self.in_path = place;
        }
        for open in &mut self.open[place..] {
            let Implied { paragraph, list_item, description } = &mut open.implied;
            for implied in [paragraph, list_item, description] {
                *implied -= u16::from(usize::from(*implied) > place + 1);
            }
        }
    }

    /// Whether a table is open.
    pub(super) fn is_in_table(&self) -> bool {
        self.is_open(Tag::Table)
    }

    /// Whether an element of this name is open, in HTML, SVG or MathML.
    pub(super) fn is_open(&self, tag: Tag) -> bool {
        self.counts[tag as usize] > 0
    }

    /// The position of the innermost open element of this name, unless another table cell or object is in between.
    pub(super) fn find_in_scope(&self, tag: Tag) -> Option<usize> {
        if self.counts[tag as usize] == 0 {
            return None;
        }
        let in_scope = self.open.iter().enumerate().rev().take_while(|(_, open)| !open.holds_scope());
        in_scope.filter(|(_, open)| open.tag == tag && !open.is_foreign).map(|(at, _)| at).next()
    }

    /// The stack length after closing the formatting element at `place`: blocks opened inside it stay open.
    pub(super) fn length_without(&self, place: usize) -> usize {
        self.open[place + 1..].iter().rposition(Open::is_special).map_or(place, |above| place + 1 + above + 1)
    }

    /// The innermost length at which no SVG or MathML is open.
    pub(super) fn length_without_foreign(&self) -> usize {
        self.open.iter().rposition(|open| !open.surroundings.is_foreign).map_or(1, |at| at + 1)
    }
}

fn extend_path(path: &mut String, tag: Tag, name: &str) {
    if tag == Tag::Html || path.len() > PATH_BYTES {
        return;
    }
    if !path.is_empty() {
        path.push_str(" > ");
    }
    match tag {
        Tag::Other => path.extend(name.chars().take(NAME_CHARS).map(|c| c.to_ascii_lowercase())),
        known => path.push_str(known.as_str()),
    }
}

const CELLS: Tags = Tags::of(&[Tag::Td, Tag::Th]);
const CELLS_AND_ROWS: Tags = CELLS.and(&[Tag::Tr]);
/// Elements that a row start closes.
const BEFORE_ROW: Tags = CELLS_AND_ROWS.and(&[Tag::Caption, Tag::Colgroup]);
/// Elements that a row group start closes.
const BEFORE_ROW_GROUP: Tags = BEFORE_ROW.and(&[Tag::Tbody, Tag::Thead, Tag::Tfoot]);
/// Elements that end implicitly when an outer element ends.
const IMPLIED_ENDS: Tags = Tags::of(&[Tag::Dd, Tag::Dt, Tag::Li, Tag::Optgroup, Tag::Option, Tag::P]);
/// Elements that only occur in tables.
pub(super) const TABLE_PARTS: Tags = BEFORE_ROW_GROUP.and(&[Tag::Col]);
const TABLE_AND_PARTS: Tags = TABLE_PARTS.and(&[Tag::Table]);

/// The outer of two positions, where 0 means none.
fn earliest(one: u16, other: u16) -> u16 {
    if one == 0 || other == 0 { one.max(other) } else { one.min(other) }
}

/// Whether an end tag cannot close anything outside this element.
fn holds(open: &Open<'_>, end: Tag) -> bool {
    match end {
        _ if open.is_foreign => {
            end == Tag::Form || open.is_special() && end != Tag::Template && !TABLE_AND_PARTS.has(end)
        }
        // It closes whatever is open inside, including cells, tables and objects.
        Tag::Template => false,
        _ if TABLE_AND_PARTS.has(end) => matches!(open.tag, Tag::Table | Tag::Template | Tag::Html),
        // It does not close elements inside it, except in a template.
        Tag::Form if !open.surroundings.is_inert => !IMPLIED_ENDS.has(open.tag),
        Tag::P => open.tag.holds_scope() || open.tag == Tag::Button,
        Tag::Li => open.tag.holds_scope() || matches!(open.tag, Tag::Ul | Tag::Ol),
        _ if end.is_special() => open.tag.holds_scope(),
        _ => open.is_special(),
    }
}
