//! Content that the caller chose by selectors, instead of what [`crate::content`] would find.

use crate::classify::Classified;
use crate::content::{Content, Found, common_ancestor, outermost};
use crate::removal::Reason;
use crate::tree::{NodeId, Tree};

/// The included elements: everything else around them is dropped. `None` if the page has none of them.
pub(crate) fn find(tree: &Tree, classified: &mut Classified) -> Option<Content> {
    let chosen: Vec<NodeId> = outermost(tree, &tree.included).collect();
    let root = chosen.iter().copied().reduce(|a, b| common_ancestor(tree, a, b))?;
    let mut waiting = chosen.iter().copied().peekable();
    let (mut id, end) = (root, tree.end(root));
    while id < end {
        match waiting.peek() {
            Some(next) if *next == id => {
                waiting.next();
                id = tree.end(id);
            }
            Some(next) if *next < tree.end(id) => id += 1,
            _ => {
                if !classified.is_dropped(id) {
                    classified.drop(tree, id, Reason::Outside);
                }
                id = tree.end(id);
            }
        }
    }
    Some(Content { title: None, root, notes: None, found: Found::Marked })
}
