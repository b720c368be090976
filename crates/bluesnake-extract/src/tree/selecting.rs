//! Applies the caller's selectors while the tree is built.

use bluesnake_html::{Attributes, Matcher, Selector};

use super::{NodeId, Tree};

#[derive(Debug)]
pub(super) struct Selecting<'s> {
    matcher: Matcher<'s>,
    /// The selectors before this one include elements, the others exclude them.
    included: usize,
    /// How many elements the matcher has open. Those that the tree has closed since are the last of them.
    open: usize,
}

impl<'s> Selecting<'s> {
    /// `None` if there are no selectors.
    pub(super) fn new(include: &'s [Selector], exclude: &'s [Selector]) -> Option<Self> {
        let mut matcher = Matcher::new(include.iter().chain(exclude))?;
        matcher.push();
        // Every page has it, whether it is written or not.
        matcher.read(0, "html", &Attributes::default());
        Some(Self { matcher, included: include.len(), open: 1 })
    }

    /// Reads the tag of an element that comes at this depth, after all that were open there.
    pub(super) fn read(&mut self, tree: &mut Tree, id: NodeId, depth: usize, name: &str, attributes: &Attributes<'_>) {
        debug_assert!(depth <= self.open, "the elements around it were read");
        self.matcher.truncate(depth);
        self.matcher.push();
        self.open = depth + 1;
        let matched = self.matcher.read(depth, name, attributes);
        if matched.iter().any(|selector| *selector < self.included) {
            tree.included.push(id);
        }
        if matched.iter().any(|selector| *selector >= self.included) {
            tree.excluded.push(id);
        }
    }

    /// Closes an element but none of those inside it.
    pub(super) fn remove(&mut self, depth: usize) {
        self.matcher.remove(depth);
        self.open -= 1;
    }
}
