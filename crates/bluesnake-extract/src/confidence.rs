//! How reliable a result is: much text, some structure, not mostly links, and found where content is marked.

use crate::classify::{Classified, visible_chars};
use crate::content::{Content, Found};
use crate::tree::{ROOT, Tree};
use crate::write::Written;

pub(crate) fn of(written: &Written, tree: &Tree, classified: &Classified, content: &Content) -> f32 {
    let chars = visible_chars(&written.text) as usize;
    if chars == 0 {
        return 0.0;
    }
    let counts = written.counts;
    let has_structure = counts.headings > 0 && counts.lists + counts.code_blocks > 0;
    let points = 85
        - points(30, chars < 200)
        - points(20, counts.links * 100 > chars * 3)
        - points(10, counts.second_headings > 20)
        + points(5, chars > 1000)
        + points(10, has_structure)
        + points(5, counts.tables > 0)
        - doubts(tree, classified, content);
    points.clamp(0, 100) as f32 / 100.0
}

/// What often goes wrong, each with its price.
fn doubts(tree: &Tree, classified: &Classified, content: &Content) -> i32 {
    let (mark, page) = (classified.mark(content.root), classified.mark(ROOT));
    let is_marked = content.found == Found::Marked;
    let of_root = match content.found {
        Found::Marked | Found::Named => 0,
        Found::Guessed => points(10, classified.framework.is_none()),
        Found::Widened => 30,
    };
    // Documentation has pages that only lead to others.
    let is_mostly_links = mark.link_text > mark.words() && classified.framework.is_none();
    let is_beside_more = page.all_words() / 5 > mark.words();
    let lost = words_dropped_by_name(tree, classified, content);
    of_root
        + points(25, !is_marked && is_mostly_links)
        + points(25, !is_marked && is_beside_more)
        + points(25, lost > 100 && lost > mark.words() / 2)
}

/// Characters outside links that only a name removed from the content.
fn words_dropped_by_name(tree: &Tree, classified: &Classified, content: &Content) -> u32 {
    let (mut id, end, mut words) = (content.root, tree.end(content.root), 0);
    while id < end {
        let mark = classified.mark(id);
        if mark.is_dropped_by_name() {
            words += mark.all_words();
        }
        id = if mark.drop.is_some() { tree.end(id) } else { id + 1 };
    }
    words
}

fn points(points: i32, applies: bool) -> i32 {
    if applies { points } else { 0 }
}
