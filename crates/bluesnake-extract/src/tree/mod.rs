//! A page as a tree: nodes in one list, in document order, and their text in one string.
//!
//! A child always comes after its parent in the list. So inherited values take one forward loop, sums one backward
//! loop, and no walk is recursive. [`Tree::parse`] in [`build`] makes it.

mod build;
mod selecting;
mod tags;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use bluesnake_html::{AttributeName as Attr, Tag, Tags};
pub(crate) use tags::{is_block, is_cell, is_list};

/// A node's index in the list.
pub(crate) type NodeId = u32;

const NONE: NodeId = u32::MAX;

/// The node that contains all others.
pub(crate) const ROOT: NodeId = 0;

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<(Attr, Range<u32>)>,
    strings: String,
    /// Elements of the head, and data scripts.
    pub(crate) head: Vec<NodeId>,
    /// Elements that the caller's selectors match, in document order.
    pub(crate) included: Vec<NodeId>,
    pub(crate) excluded: Vec<NodeId>,
    /// Start tags ignored because of the depth limit.
    pub(crate) cut: usize,
    /// Elements and texts dropped because of the node limit.
    pub(crate) left_out: usize,
}

#[derive(Debug)]
struct Node {
    parent: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    next: NodeId,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Element { tag: Tag, attributes: Range<u32> },
    Text(Range<u32>),
}

/// The position of a walk: every element is entered and left once, every text visited once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

impl Tree {
    pub(crate) fn ids(&self) -> Range<NodeId> {
        0..u32::try_from(self.nodes.len()).expect("the builder stops before ids run out")
    }

    /// `None` for text.
    pub(crate) fn tag(&self, id: NodeId) -> Option<Tag> {
        match self.node(id).kind {
            Kind::Element { tag, .. } => Some(tag),
            Kind::Text(_) => None,
        }
    }

    pub(crate) fn is(&self, id: NodeId, tag: Tag) -> bool {
        self.tag(id) == Some(tag)
    }

    pub(crate) fn is_one_of(&self, id: NodeId, tags: Tags) -> bool {
        self.tag(id).is_some_and(|tag| tags.has(tag))
    }

    /// `None` for elements.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).kind {
            Kind::Text(range) => Some(self.slice(range)),
            Kind::Element { .. } => None,
        }
    }

    /// The text of all nodes below an element.
    pub(crate) fn all_text(&self, id: NodeId) -> String {
        self.subtree(id).filter_map(|below| self.text(below)).collect()
    }

    pub(crate) fn is_heading(&self, id: NodeId) -> bool {
        self.tag(id).is_some_and(Tag::is_heading)
    }

    pub(crate) fn attr(&self, id: NodeId, name: Attr) -> Option<&str> {
        self.attributes(id).iter().find(|(known, _)| *known == name).map(|(_, value)| self.slice(value))
    }

    /// What the fragment of a URL may call this element: its id, or the name of a link.
    pub(crate) fn fragment(&self, id: NodeId) -> Option<&str> {
        let name = || self.attr(id, Attr::Name).filter(|_| self.is(id, Tag::A));
        self.attr(id, Attr::Id).or_else(name)
    }

    /// The names of its attributes as a set of [`Attr::bit`].
    pub(crate) fn attr_names(&self, id: NodeId) -> u64 {
        self.attributes(id).iter().fold(0, |names, (name, _)| names | name.bit())
    }

    fn attributes(&self, id: NodeId) -> &[(Attr, Range<u32>)] {
        match &self.node(id).kind {
            Kind::Element { attributes, .. } => &self.attributes[attributes.start as usize..attributes.end as usize],
            Kind::Text(_) => &[],
        }
    }

    pub(crate) fn classes(&self, id: NodeId) -> impl Iterator<Item = &str> {
        self.attr(id, Attr::Class).unwrap_or_default().split_ascii_whitespace()
    }

    pub(crate) fn has_class(&self, id: NodeId, class: &str) -> bool {
        self.classes(id).any(|known| known == class)
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).parent)
    }

    pub(crate) fn next(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).next)
    }

    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(some(self.node(id).first_child), |child| self.next(*child))
    }

    /// The later children of the same parent.
    pub(crate) fn following(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.next(id), |next| self.next(*next))
    }

    /// The child elements.
    pub(crate) fn elements(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.children(id).filter(|child| self.tag(*child).is_some())
    }

    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.with_ancestors(id).skip(1)
    }

    pub(crate) fn with_ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(id), |above| self.parent(*above))
    }

    /// The node and all below it, in document order.
    pub(crate) fn subtree(&self, id: NodeId) -> Range<NodeId> {
        id..self.end(id)
    }

    /// The first node after the subtree.
    pub(crate) fn end(&self, id: NodeId) -> NodeId {
        self.with_ancestors(id).find_map(|above| self.next(above)).unwrap_or(self.ids().end)
    }

    /// Visits `root` and all below it. `visit` returns whether to skip the content of an element just entered.
    pub(crate) fn walk(&self, root: NodeId, mut visit: impl FnMut(Step) -> bool) {
        let mut step = Step::Enter(root);
        loop {
            let skip = visit(step);
            step = match step {
                Step::Enter(id) => match some(self.node(id).first_child) {
                    Some(child) if !skip => Step::Enter(child),
                    _ => Step::Leave(id),
                },
                Step::Leave(id) if id == root => return,
                Step::Leave(id) => match self.next(id) {
                    Some(next) => Step::Enter(next),
                    None => Step::Leave(self.node(id).parent),
                },
            };
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn slice(&self, range: &Range<u32>) -> &str {
        &self.strings[range.start as usize..range.end as usize]
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}
