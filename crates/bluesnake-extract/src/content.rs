//! Which part of the page is its content.
//!
//! A framework says so by a class name of its own. Else the page says so by `main` or `article`. Else the content is the
//! smallest element that still holds most of the text. What is mostly links beside it goes.

use crate::classify::Classified;
use crate::marks::SURE_RANK;
use crate::removal::Reason;
use crate::tree::{NodeId, ROOT, Tag, Tree};

/// Shares of a page's text, in hundredths.
const MOST: u32 = 40;
const NEARLY_ALL: u32 = 85;

/// The element that holds the content.
pub(crate) fn find(tree: &Tree, classified: &mut Classified) -> NodeId {
    let root = named(tree, classified).unwrap_or_else(|| densest(tree, classified));
    drop_link_boxes(tree, classified, root);
    root
}

fn named(tree: &Tree, classified: &Classified) -> Option<NodeId> {
    let whole = classified.mark(ROOT).text;
    let mut roots = classified.roots.clone();
    roots.sort_by_key(|(rank, id)| (*rank, *id));
    let mut rest = roots.as_slice();
    while let Some((rank, _)) = rest.first() {
        let same = rest.iter().take_while(|(other, _)| other == rank).count();
        let (of_rank, others) = rest.split_at(same);
        rest = others;
        let Some(root) = holding(tree, classified, of_rank) else { continue };
        let share = if *rank <= SURE_RANK { 10 } else { MOST };
        if u64::from(classified.mark(root).text) * 100 >= u64::from(whole) * u64::from(share) {
            return Some(root);
        }
    }
    None
}

/// The element of this rank that has nearly all the text they have together; else what holds them all.
fn holding(tree: &Tree, classified: &Classified, of_rank: &[(u8, NodeId)]) -> Option<NodeId> {
    let kept: Vec<NodeId> = of_rank
        .iter()
        .map(|(_, id)| *id)
        .filter(|id| !classified.is_dropped(*id) && classified.mark(*id).text > 0)
        .collect();
    let largest = kept.iter().copied().max_by_key(|id| (classified.mark(*id).text, std::cmp::Reverse(*id)))?;
    let together: u32 = outermost(tree, &kept).map(|id| classified.mark(id).text).sum();
    let is_enough = u64::from(classified.mark(largest).text) * 100 >= u64::from(together) * u64::from(NEARLY_ALL);
    if is_enough { Some(largest) } else { kept.into_iter().reduce(|a, b| common_ancestor(tree, a, b)) }
}

/// Without those that lie in another one. They come in document order.
fn outermost<'a>(tree: &'a Tree, ids: &'a [NodeId]) -> impl Iterator<Item = NodeId> + 'a {
    let mut end = 0;
    ids.iter().copied().filter(move |id| {
        let is_outside = *id >= end;
        if is_outside {
            end = tree.end(*id);
        }
        is_outside
    })
}

fn common_ancestor(tree: &Tree, a: NodeId, b: NodeId) -> NodeId {
    let holds_b = |above: &NodeId| tree.subtree(*above).contains(&b);
    std::iter::once(a).chain(tree.ancestors(a)).find(holds_b).unwrap_or(ROOT)
}

/// Goes down from the root as long as one child has nearly all that reads like content.
fn densest(tree: &Tree, classified: &Classified) -> NodeId {
    let worth = |id: NodeId| {
        let mark = classified.mark(id);
        if mark.is_dropped { 0 } else { mark.text - mark.link_text + mark.prose }
    };
    let mut here = ROOT;
    loop {
        let best = tree.elements(here).max_by_key(|id| (worth(*id), std::cmp::Reverse(*id)));
        match best {
            Some(child)
                if is_container(tree, child) && worth(child) * 100 >= worth(here) * NEARLY_ALL && worth(child) > 0 =>
            {
                here = child
            }
            _ => return here,
        }
    }
}

fn is_container(tree: &Tree, id: NodeId) -> bool {
    matches!(
        tree.tag(id),
        Some(
            Tag::Body
                | Tag::Div
                | Tag::Section
                | Tag::Article
                | Tag::Main
                | Tag::Form
                | Tag::Table
                | Tag::Tbody
                | Tag::Tr
                | Tag::Td
                | Tag::Center
                | Tag::Other
        )
    )
}

/// Drops lists and boxes of links from a page that is mostly text.
fn drop_link_boxes(tree: &Tree, classified: &mut Classified, root: NodeId) {
    let whole = classified.mark(root).text;
    let mut id = root + 1;
    let end = tree.end(root);
    while id < end {
        let mark = *classified.mark(id);
        if mark.is_dropped {
            id = tree.end(id);
        } else if is_link_box(tree, classified, id, whole) {
            classified.drop(tree, id, Reason::Links);
            id = tree.end(id);
        } else {
            id += 1;
        }
    }
}

fn is_link_box(tree: &Tree, classified: &Classified, id: NodeId, whole: u32) -> bool {
    let mark = classified.mark(id);
    matches!(tree.tag(id), Some(Tag::Div | Tag::Ul | Tag::Section | Tag::Aside | Tag::Ol))
        && mark.text > 60
        && mark.text < whole / 5
        && mark.link_text * 100 >= mark.text * 90
        && !mark.has_heading
}
