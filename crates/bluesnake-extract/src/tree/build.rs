//! From tags to a tree, the way browsers do it for pages as they are written.
//!
//! The tokenizer follows the standard. The tree is the browser's wherever end tags match, and where the standard lets
//! them be left out (`p`, `li`, `dt`, `tr`, …). Misnested text styles are closed without moving nodes about, and what
//! stands between the rows of a table stays there. In return every page costs time in proportion to its length: no
//! start tag looks further up than [`MAX_DEPTH`], and attributes are compared with the few that are kept.

use std::convert::Infallible;
use std::ops::Range;

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

use super::{Attr, Kind, NONE, Node, NodeId, ROOT, Tag, Tree};

/// How deep elements nest; what is deeper becomes text of the deepest one.
pub(crate) const MAX_DEPTH: usize = 512;

/// How many nodes a page may have; further ones are left out. A node takes some 100 bytes of memory until the page is
/// written, and three bytes of markup make one. Real pages have fewer than one in a hundred of this.
pub(crate) const MAX_NODES: usize = 1_000_000;

/// The most text and attribute bytes, so that positions fit in 32 bits.
const MAX_BYTES: usize = u32::MAX as usize / 2;

impl Tree {
    pub(crate) fn parse(html: &str) -> Self {
        let mut builder = Builder::new(html.len());
        let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
            builder.take(event);
            None
        });
        emitter.naively_switch_states(true);
        let Ok(()) = Tokenizer::new_with_emitter(html, emitter).finish();
        builder.tree
    }
}

struct Builder {
    tree: Tree,
    /// The elements that are open, outermost first. [`ROOT`] is always the first.
    open: Vec<(NodeId, Tag)>,
    /// How many open elements are paragraphs, so that most start tags need not look.
    open_paragraphs: usize,
    /// Start tags ignored for depth whose end tags are still to come.
    too_deep: usize,
    /// The element whose content is thrown away, and how often it is nested in itself.
    skipping: Option<(Tag, usize)>,
    /// The start tag being read.
    pending: Option<Pending>,
    /// `<pre>` was just opened: a line break right behind it does not count.
    after_pre: bool,
}

struct Pending {
    tag: Tag,
    first_attribute: u32,
    /// The attribute whose value comes next, if it is one to keep.
    attribute: Option<Attr>,
}

impl Builder {
    fn new(bytes: usize) -> Self {
        let root =
            Node { parent: NONE, first_child: NONE, last_child: NONE, next: NONE, kind: element(Tag::Html, 0..0) };
        let mut nodes = Vec::with_capacity((bytes / 24 + 16).min(MAX_NODES));
        nodes.push(root);
        let strings = String::with_capacity(bytes.min(1 << 20));
        let tree =
            Tree { nodes, attributes: Vec::with_capacity(bytes / 64), strings, head: Vec::new(), cut: 0, left_out: 0 };
        Self {
            tree,
            open: vec![(ROOT, Tag::Html)],
            open_paragraphs: 0,
            too_deep: 0,
            skipping: None,
            pending: None,
            after_pre: false,
        }
    }

    fn take(&mut self, event: CallbackEvent<'_>) {
        match event {
            CallbackEvent::OpenStartTag { name } => self.open_tag(name),
            CallbackEvent::AttributeName { name } => self.attribute_name(name),
            CallbackEvent::AttributeValue { value } => self.attribute_value(value),
            CallbackEvent::CloseStartTag { self_closing } => self.close_tag(self_closing),
            CallbackEvent::EndTag { name } => self.end_tag(Tag::find(name).unwrap_or(Tag::Other)),
            CallbackEvent::String { value } => self.text(value),
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => {}
        }
    }

    fn open_tag(&mut self, name: &[u8]) {
        let first_attribute = self.tree.attributes.len() as u32;
        let tag = Tag::find(name).unwrap_or(Tag::Other);
        self.pending = Some(Pending { tag, first_attribute, attribute: None });
    }

    /// The first of two attributes of one name counts. A value may not follow, when it is empty.
    fn attribute_name(&mut self, name: &[u8]) {
        let Some(pending) = &mut self.pending else { return };
        let first = pending.first_attribute as usize;
        let known = &self.tree.attributes[first..];
        pending.attribute = Attr::find(name).filter(|name| known.iter().all(|(seen, _)| seen != name));
        if let Some(name) = pending.attribute {
            self.tree.attributes.push((name, 0..0));
        }
    }

    fn attribute_value(&mut self, value: &[u8]) {
        let is_kept = self.pending.as_mut().is_some_and(|pending| pending.attribute.take().is_some());
        if is_kept {
            let range = self.keep(value);
            self.tree.attributes.last_mut().expect("its name was pushed").1 = range;
        }
    }

    fn close_tag(&mut self, self_closing: bool) {
        let Some(Pending { tag, first_attribute, .. }) = self.pending.take() else { return };
        let attributes = first_attribute..self.tree.attributes.len() as u32;
        self.after_pre = false;
        if self.skips(tag, self_closing) || !self.has_room() {
            self.tree.left_out += usize::from(self.skipping.is_none());
            self.tree.attributes.truncate(first_attribute as usize);
        } else {
            self.start(tag, attributes);
        }
    }

    /// Within content that is thrown away only the nesting of its element counts.
    fn skips(&mut self, tag: Tag, self_closing: bool) -> bool {
        match &mut self.skipping {
            Some((skipped, depth)) => {
                *depth += usize::from(*skipped == tag && !self_closing);
                true
            }
            None => false,
        }
    }

    fn start(&mut self, tag: Tag, attributes: Range<u32>) {
        match tag {
            Tag::Html | Tag::Body => return self.merge(tag, attributes),
            Tag::Head => return,
            Tag::Form if self.is_between_rows() => return,
            _ => {}
        }
        self.close_implied(tag);
        if self.open.len() >= MAX_DEPTH {
            return self.ignore_deep(tag);
        }
        let id = self.append(element(tag, attributes));
        match tag {
            Tag::Meta | Tag::Link | Tag::Title | Tag::Base => self.tree.head.push(id),
            Tag::Script if self.holds_data(id) => self.tree.head.push(id),
            Tag::Script | Tag::Style | Tag::Noscript | Tag::Iframe | Tag::Textarea | Tag::Template | Tag::Svg => {
                self.skipping = Some((tag, 1));
                return;
            }
            _ => {}
        }
        self.after_pre = matches!(tag, Tag::Pre | Tag::Listing);
        if !tag.is_void() {
            self.push(id, tag);
        }
    }

    /// JSON-LD, and formulas that MathJax reads from scripts.
    fn holds_data(&self, id: NodeId) -> bool {
        self.tree.attr(id, Attr::Type).is_some_and(|kind| kind.contains("ld+json") || kind.starts_with("math/tex"))
    }

    /// `<html>` is the root whether it is written or not; only its attributes are news. The same goes for `<body>`.
    fn merge(&mut self, tag: Tag, attributes: Range<u32>) {
        match tag {
            Tag::Html => {
                let Kind::Element { attributes: of_root, .. } = &mut self.tree.nodes[ROOT as usize].kind else {
                    return;
                };
                if of_root.start == of_root.end {
                    *of_root = attributes;
                }
            }
            _ if self.open.len() == 1 => {
                let id = self.append(element(tag, attributes));
                self.push(id, tag);
            }
            _ => {}
        }
    }

    fn ignore_deep(&mut self, tag: Tag) {
        self.tree.cut += 1;
        if matches!(
            tag,
            Tag::Script | Tag::Style | Tag::Noscript | Tag::Iframe | Tag::Textarea | Tag::Template | Tag::Svg
        ) {
            self.skipping = Some((tag, 1));
        } else if !tag.is_void() {
            self.too_deep += 1;
        }
    }

    /// Closes what a start tag closes without saying so.
    fn close_implied(&mut self, tag: Tag) {
        if tag.closes_paragraph() && self.open_paragraphs > 0 {
            self.close_paragraph();
        }
        match tag {
            Tag::Li => self.close_item(&[Tag::Li]),
            Tag::Dt | Tag::Dd => self.close_item(&[Tag::Dt, Tag::Dd]),
            Tag::A => self.close_formatting(Tag::A),
            Tag::Option | Tag::Optgroup if self.top() == Tag::Option => self.pop(),
            Tag::Td | Tag::Th => self.open_row(),
            Tag::Tr => self.pop_to(&[Tag::Table, Tag::Tbody, Tag::Thead, Tag::Tfoot]),
            Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Colgroup => self.pop_to(&[Tag::Table]),
            _ if tag.heading_level().is_some() && self.top().heading_level().is_some() => self.pop(),
            _ => {}
        }
    }

    /// A cell needs a row; a table may leave it out.
    fn open_row(&mut self) {
        self.pop_to(&[Tag::Tr, Tag::Table, Tag::Tbody, Tag::Thead, Tag::Tfoot]);
        if matches!(self.top(), Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot) && self.open.len() < MAX_DEPTH {
            let row = self.append(element(Tag::Tr, 0..0));
            self.push(row, Tag::Tr);
        }
    }

    fn close_paragraph(&mut self) {
        let found = self.open.iter().rposition(|(_, tag)| *tag == Tag::P || is_scope(*tag) || *tag == Tag::Button);
        if let Some(at) = found.filter(|at| self.open[*at].1 == Tag::P) {
            self.truncate(at);
        }
    }

    /// Closes the item before, unless a list or another block lies between.
    fn close_item(&mut self, items: &[Tag]) {
        for at in (1..self.open.len()).rev() {
            let tag = self.open[at].1;
            if items.contains(&tag) {
                return self.truncate(at);
            }
            if is_special(tag) && !matches!(tag, Tag::Address | Tag::Div | Tag::P) {
                return;
            }
        }
    }

    /// Pops to the nearest of `tags` if the table they belong to is open; it stays open itself.
    fn pop_to(&mut self, tags: &[Tag]) {
        let found = self.open.iter().rposition(|(_, tag)| tags.contains(tag) || is_scope(*tag));
        if let Some(at) = found.filter(|at| tags.contains(&self.open[*at].1)) {
            self.truncate(at + 1);
        } else if let Some(at) = found.filter(|at| matches!(self.open[*at].1, Tag::Td | Tag::Th | Tag::Caption)) {
            self.truncate(at);
            self.pop_to(tags);
        }
    }

    fn end_tag(&mut self, tag: Tag) {
        self.pending = None;
        self.after_pre = false;
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth -= usize::from(*skipped == tag);
            if *depth == 0 {
                self.skipping = None;
            }
            return;
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        self.close(tag);
    }

    fn close(&mut self, tag: Tag) {
        match tag {
            Tag::Html | Tag::Body | Tag::Head => {}
            Tag::Br if self.has_room() => drop(self.append(element(Tag::Br, 0..0))),
            Tag::Br => self.tree.left_out += 1,
            Tag::Form => self.close_formatting(Tag::Form),
            _ if tag.is_formatting() => self.close_formatting(tag),
            _ if tag.heading_level().is_some() => self.close_block(|open| open.heading_level().is_some()),
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr => self.close_of_table(tag),
            _ if is_special(tag) => self.close_block(|open| open == tag),
            _ => self.close_inline(tag),
        }
    }

    fn close_block(&mut self, is_wanted: impl Fn(Tag) -> bool) {
        let found = self.open.iter().rposition(|(_, tag)| is_wanted(*tag) || is_scope(*tag));
        if let Some(at) = found.filter(|at| *at > 0 && is_wanted(self.open[*at].1)) {
            self.truncate(at);
        }
    }

    /// The end of a row also ends the cells in it.
    fn close_of_table(&mut self, tag: Tag) {
        let found = self.open.iter().rposition(|(_, open)| *open == tag || *open == Tag::Table);
        if let Some(at) = found.filter(|at| self.open[*at].1 == tag) {
            self.truncate(at);
        }
    }

    /// Blocks inside a text style stay open when it ends, so that their own end tags still find them.
    fn close_formatting(&mut self, tag: Tag) {
        let Some(at) = self.open.iter().rposition(|(_, open)| *open == tag || is_scope(*open)) else { return };
        if self.open[at].1 != tag {
            return;
        }
        if self.open[at + 1..].iter().any(|(_, open)| is_special(*open)) {
            self.open.remove(at);
        } else {
            self.truncate(at);
        }
    }

    fn close_inline(&mut self, tag: Tag) {
        let found = self.open.iter().rposition(|(_, open)| *open == tag || is_special(*open));
        if let Some(at) = found.filter(|at| self.open[*at].1 == tag) {
            self.truncate(at);
        }
    }

    fn text(&mut self, value: &[u8]) {
        if self.skipping.is_some() {
            return;
        }
        if !self.has_room() {
            self.tree.left_out += 1;
            return;
        }
        let skips_line_break = std::mem::take(&mut self.after_pre);
        let value = if skips_line_break { value.strip_prefix(b"\n").unwrap_or(value) } else { value };
        if value.is_empty() {
            return;
        }
        let range = self.keep(value);
        self.append(Kind::Text(range));
    }

    fn keep(&mut self, value: &[u8]) -> Range<u32> {
        let start = self.tree.strings.len();
        match std::str::from_utf8(value) {
            Ok(text) => self.tree.strings.push_str(text),
            Err(_) => self.tree.strings.push_str(&String::from_utf8_lossy(value)),
        }
        start as u32..self.tree.strings.len() as u32
    }

    fn append(&mut self, kind: Kind) -> NodeId {
        let id = self.tree.nodes.len() as NodeId;
        let parent = self.open.last().expect("the root is always open").0;
        self.tree.nodes.push(Node { parent, first_child: NONE, last_child: NONE, next: NONE, kind });
        let before = std::mem::replace(&mut self.tree.nodes[parent as usize].last_child, id);
        match before {
            NONE => self.tree.nodes[parent as usize].first_child = id,
            _ => self.tree.nodes[before as usize].next = id,
        }
        id
    }

    fn push(&mut self, id: NodeId, tag: Tag) {
        self.open_paragraphs += usize::from(tag == Tag::P);
        self.open.push((id, tag));
    }

    fn pop(&mut self) {
        self.truncate(self.open.len() - 1);
    }

    /// Closes all from `at` on, but never the root.
    fn truncate(&mut self, at: usize) {
        let closed = self.open.drain(at.max(1)..);
        self.open_paragraphs -= closed.filter(|(_, tag)| *tag == Tag::P).count();
    }

    fn top(&self) -> Tag {
        self.open.last().expect("the root is always open").1
    }

    fn is_between_rows(&self) -> bool {
        matches!(self.top(), Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr)
    }

    fn has_room(&self) -> bool {
        self.tree.strings.len() < MAX_BYTES && self.tree.nodes.len() < MAX_NODES
    }
}

fn element(tag: Tag, attributes: Range<u32>) -> Kind {
    Kind::Element { tag, attributes }
}

/// No end tag reaches out of these.
fn is_scope(tag: Tag) -> bool {
    matches!(tag, Tag::Html | Tag::Table | Tag::Td | Tag::Th | Tag::Caption | Tag::Object | Tag::Body)
}

/// Elements that a stray inline end tag does not cross.
fn is_special(tag: Tag) -> bool {
    tag.is_block() || is_scope(tag) || matches!(tag, Tag::Button | Tag::Select | Tag::Colgroup)
}
