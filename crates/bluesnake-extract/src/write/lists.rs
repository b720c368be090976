//! Lists, their items, and definitions.

use super::{Below, Frame, Place, Spacing, Style, Writer};
use crate::corpus::BlockKind;
use crate::marks::Shape;
use crate::tree::{Attr, NodeId, Tag, is_list};

/// A list that is open.
#[derive(Debug)]
pub(super) struct List {
    kind: ListKind,
    /// Differs from that of a list right before it.
    marker: char,
    /// The number of the next item.
    next: u64,
    is_tight: bool,
    has_items: bool,
}

/// The list that ended last.
#[derive(Debug)]
pub(super) struct LastList {
    /// The length of the Markdown when it ended.
    end: usize,
    marker: char,
    is_definitions: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListKind {
    Bullets,
    /// Whole sections as items, as in Javadoc: their headings say more than bullets would.
    Layout,
    Numbers,
    Footnotes,
    /// `is_open`: a term's container is open. `after_term`: a term came last, not its definition.
    Definitions {
        is_open: bool,
        after_term: bool,
    },
}

impl Writer<'_> {
    pub(super) fn enter_list(&mut self, id: NodeId, tag: Tag) -> Below {
        if self.inline.place != Place::Paragraph {
            return self.enter_block(id);
        }
        self.counts.lists += 1;
        let kind = if tag != Tag::Ol && self.classified.mark(id).has_heading {
            ListKind::Layout
        } else if tag != Tag::Ol {
            ListKind::Bullets
        } else if self.is_in_footnotes(id) {
            ListKind::Footnotes
        } else {
            ListKind::Numbers
        };
        self.open_list(id, kind, self.is_tight(id));
        self.push(id, Frame::List);
        Below::Walk
    }

    fn open_list(&mut self, id: NodeId, kind: ListKind, is_tight: bool) {
        self.flush();
        self.output.begin_group(BlockKind::List);
        let next = self.number(id, Attr::Start).unwrap_or(1);
        self.lists.push(List { kind, marker: self.marker(kind), next, is_tight, has_items: false });
    }

    fn number(&self, id: NodeId, name: Attr) -> Option<u64> {
        self.tree.attr(id, name)?.trim().parse().ok()
    }

    pub(super) fn leave_list(&mut self) {
        self.flush();
        let Some(list) = self.lists.pop() else { return };
        if list.has_items {
            let is_definitions = matches!(list.kind, ListKind::Definitions { .. });
            self.last_list = Some(LastList { end: self.output.markdown.len(), marker: list.marker, is_definitions });
        }
    }

    /// Two adjacent lists would be read as one unless their markers differ. For definitions that is fine: a reference
    /// wraps each function in its own list.
    fn marker(&self, kind: ListKind) -> char {
        let (usual, other) = if kind == ListKind::Numbers { ('.', ')') } else { ('-', '*') };
        let is_definitions = matches!(kind, ListKind::Definitions { .. });
        let follows_list = |last: &LastList| {
            last.end == self.output.markdown.len() && last.marker == usual && !(is_definitions && last.is_definitions)
        };
        if self.last_list.as_ref().is_some_and(follows_list) { other } else { usual }
    }

    /// Whether all items are single lines, or lines with lists below them.
    fn is_tight(&self, list: NodeId) -> bool {
        self.tree.elements(list).all(|item| {
            let is_block = |id: &NodeId| self.classified.mark(*id).has_block && !self.classified.is_dropped(*id);
            self.tree.elements(item).filter(is_block).all(|child| self.tree.tag(child).is_some_and(is_list))
        })
    }

    fn is_in_footnotes(&self, id: NodeId) -> bool {
        self.tree.with_ancestors(id).take(3).any(|above| self.classified.shape(above) == Shape::Footnotes)
    }

    pub(super) fn enter_item(&mut self, id: NodeId) -> Below {
        if self.inline.place != Place::Paragraph || self.is_outside_list() {
            return self.enter_block(id);
        }
        self.flush();
        let value = self.number(id, Attr::Value);
        let list = self.lists.last_mut().expect("an item is in a list");
        let first = list.next_marker(value);
        let spacing = if list.is_tight { Spacing::Tight { is_first: !list.has_items } } else { Spacing::Loose };
        let rest = " ".repeat(if list.kind == ListKind::Footnotes { 4 } else { first.len() });
        self.output.open_container(first, rest, spacing);
        self.push(id, Frame::Item);
        Below::Walk
    }

    /// An item without a list around it, or in one without markers.
    fn is_outside_list(&self) -> bool {
        self.lists.last().is_none_or(|list| matches!(list.kind, ListKind::Definitions { .. } | ListKind::Layout))
    }

    pub(super) fn leave_item(&mut self) {
        self.flush();
        let has_content = self.output.close_container();
        if let Some(list) = self.lists.last_mut() {
            list.has_items |= has_content;
        }
    }

    pub(super) fn enter_definitions(&mut self, id: NodeId) -> Below {
        if self.inline.place != Place::Paragraph {
            return self.enter_block(id);
        }
        self.open_list(id, ListKind::Definitions { is_open: false, after_term: false }, false);
        self.push(id, Frame::Definitions);
        Below::Walk
    }

    pub(super) fn leave_definitions(&mut self) {
        self.flush();
        self.close_definition();
        self.leave_list();
    }

    /// A term is a list item in bold; its definition follows in the same item.
    pub(super) fn enter_term(&mut self, id: NodeId) -> Below {
        if self.is_in_note(id) {
            return self.enter_bold(id);
        }
        if !self.open_term() {
            return self.enter_block(id);
        }
        let holds_block = self.tree.children(id).any(|child| self.classified.mark(child).has_block);
        if holds_block || self.starts_with_code(id) {
            self.push(id, Frame::Block);
        } else {
            self.inline.open(Style::Strong);
            self.push(id, Frame::Label);
        }
        Below::Walk
    }

    fn starts_with_code(&self, term: NodeId) -> bool {
        let visible = |id: &NodeId| self.tree.text(*id).is_none_or(|text| !text.trim().is_empty());
        let first = self.tree.children(term).find(visible);
        first.and_then(|id| self.tree.tag(id)).is_some_and(|tag| matches!(tag, Tag::Code | Tag::Strong | Tag::B))
    }

    /// Opens the container of a term, unless the previous term still waits for its definition.
    pub(super) fn open_term(&mut self) -> bool {
        if self.inline.place != Place::Paragraph {
            return false;
        }
        let Some(ListKind::Definitions { is_open, after_term }) = self.lists.last().map(|list| list.kind) else {
            return false;
        };
        self.flush();
        if !(is_open && after_term) {
            self.close_definition();
            let marker = self.lists.last().expect("definitions are open").marker;
            self.output.open_container(format!("{marker} "), "  ", Spacing::Loose);
        }
        self.set_definitions(true, true);
        true
    }

    pub(super) fn enter_definition(&mut self, id: NodeId) -> Below {
        let is_open =
            matches!(self.lists.last().map(|list| list.kind), Some(ListKind::Definitions { is_open: true, .. }));
        if is_open && !self.is_in_note(id) {
            self.flush();
            self.set_definitions(true, false);
        }
        self.enter_block(id)
    }

    fn close_definition(&mut self) {
        let Some(ListKind::Definitions { is_open: true, .. }) = self.lists.last().map(|list| list.kind) else { return };
        self.output.close_container();
        self.set_definitions(false, false);
    }

    fn set_definitions(&mut self, is_open: bool, after_term: bool) {
        let list = self.lists.last_mut().expect("definitions are open");
        list.kind = ListKind::Definitions { is_open, after_term };
        list.has_items = true;
    }

    /// A task list checkbox.
    pub(super) fn check_box(&mut self, id: NodeId) -> Below {
        let is_task = self.tree.attr(id, Attr::Type) == Some("checkbox")
            && self.inline.is_empty()
            && self.frames.iter().rev().take(3).any(|(_, frame)| matches!(frame, Frame::Item));
        if is_task {
            let is_done = self.tree.attr(id, Attr::Checked).is_some();
            self.inline.push_raw(if is_done { "[x]" } else { "[ ]" }, "");
            self.inline.space();
        }
        Below::Skip
    }
}

impl List {
    fn next_marker(&mut self, value: Option<u64>) -> String {
        let number = value.unwrap_or(self.next);
        self.next = number.saturating_add(1);
        match self.kind {
            ListKind::Bullets | ListKind::Layout | ListKind::Definitions { .. } => format!("{} ", self.marker),
            ListKind::Numbers => format!("{number}{} ", self.marker),
            ListKind::Footnotes => format!("[^{number}]: "),
        }
    }
}
