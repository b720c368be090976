//! Decides which of the suspected boilerplate is dropped.
//!
//! Sums run from the leaves to the root, decisions from the root to the leaves.

use super::{Evidence, Mark};
use crate::framework::Framework;
use crate::marks::Shape;
use crate::removal::Reason;
use crate::tree::{Attr, NodeId, ROOT, Tag, Tags, Tree};

/// Sums are added up to the parents, which come before their children.
pub(super) fn add_up(tree: &Tree, marks: &mut [Mark]) {
    for id in tree.ids().rev() {
        let Some(parent) = tree.parent(id) else { continue };
        let mark = &mut marks[id as usize];
        mark.has_code |= tree.is(id, Tag::Pre) && mark.all_text > 0;
        if tree.is_one_of(id, PROSE) {
            mark.all_prose = mark.all_prose.max(mark.all_words());
        }
        if tree.is(id, Tag::A) && !is_card(mark.has_heading, mark.all_prose) {
            mark.all_links = mark.all_text;
        }
        let mark = *mark;
        let above = &mut marks[parent as usize];
        above.has_code |= mark.has_code && !mark.is_surely_dropped();
        above.has_root |= mark.has_root;
        above.has_field |= mark.has_field;
        above.has_block |= mark.has_block;
        above.has_heading |= mark.has_heading;
        above.has_title |= mark.has_title;
        above.all_text += mark.all_text;
        above.all_links += mark.all_links;
        above.all_prose += mark.all_prose;
    }
}

/// What holds running text.
const PROSE: Tags = Tags::of(&[Tag::P, Tag::Pre, Tag::Td, Tag::Dd, Tag::Li, Tag::Blockquote]);

/// A link around a heading with a description, or around a paragraph: what it says is text, not the name of a page.
fn is_card(has_heading: bool, prose: u32) -> bool {
    has_heading && prose > 0 || prose >= SENTENCE
}

/// Reverses decisions about what only looks like boilerplate. Returns whether that includes most of the page, whatever
/// spoke against it.
pub(super) fn settle(tree: &Tree, marks: &mut [Mark], framework: Option<Framework>) -> bool {
    let mut has_restored_most = false;
    let has_root = marks.iter().any(|mark| mark.is_in_root);
    let page = Page { framework, words: marks[ROOT as usize].all_words(), has_root };
    for id in tree.ids() {
        let above = tree.parent(id).map(|parent| marks[parent as usize]).unwrap_or_default();
        marks[id as usize].is_in_root |= above.is_in_root;
        let is_suspected = marks[id as usize].drop.is_some();
        let is_content = is_suspected && is_restored(tree, marks, id, &page);
        let mark = &mut marks[id as usize];
        let is_most = is_suspected && !is_content && is_most_of_page(tree, id, mark, &page);
        has_restored_most |= is_most;
        if is_content || is_most {
            match mark.drop.take() {
                Some(Reason::Sidebar) if is_box_of_content(tree, id) => mark.shape = Shape::Admonition,
                Some(Reason::Button) if is_operation(tree, id) => mark.shape = Shape::Operation,
                _ => {}
            }
        }
        mark.is_dropped = above.is_dropped || mark.drop.is_some();
    }
    has_restored_most
}

/// Facts about the whole page.
struct Page {
    framework: Option<Framework>,
    /// Characters outside links.
    words: u32,
    /// An element marks the content with certainty.
    has_root: bool,
}

fn is_restored(tree: &Tree, marks: &[Mark], id: NodeId, page: &Page) -> bool {
    let mark = &marks[id as usize];
    let of_heading = part_of_heading(tree, marks, id);
    match mark.drop {
        None | Some(Reason::LineNumbers | Reason::Excluded) => false,
        Some(_) if mark.has_root && !tree.is(id, Tag::Nav) => true,
        Some(_) if mark.has_code && !mark.is_surely_dropped() => true,
        Some(Reason::Permalink) => mark.all_text > SIGN && of_heading == PartOfHeading::All,
        Some(Reason::Header) if mark.has_title => true,
        Some(Reason::Button) => {
            of_heading == PartOfHeading::All
                || tree.attr(id, Attr::Role) == Some("tab")
                || page.framework == Some(Framework::Redoc) && (mark.all_prose > 0 || is_operation(tree, id))
        }
        Some(Reason::Sidebar) if is_box_of_content(tree, id) => true,
        Some(Reason::Hidden | Reason::EditLink) => false,
        Some(_) => is_misnamed(tree, id, mark, page, of_heading),
    }
}

/// A box with content next to the text, as in Sphinx.
fn is_box_of_content(tree: &Tree, id: NodeId) -> bool {
    tree.elements(id).any(|child| tree.has_class(child, "sidebar-title"))
}

/// A button with the method and the path of an operation; it shows the servers.
fn is_operation(tree: &Tree, id: NodeId) -> bool {
    tree.elements(id).any(|child| tree.has_class(child, "http-verb"))
}

/// Whether only a name speaks against this element, and its content speaks for it.
fn is_misnamed(tree: &Tree, id: NodeId, mark: &Mark, page: &Page, of_heading: PartOfHeading) -> bool {
    let Evidence::Name { is_id, is_exact } = mark.evidence else { return false };
    let is_word_of_heading = of_heading != PartOfHeading::None && !mark.has_block;
    // Ids in documentation say what a part is about, not what it is for.
    let is_about = is_id && !is_exact && page.framework.is_some();
    let prose = if is_id && !mark.has_block { mark.all_words() } else { mark.all_prose };
    is_word_of_heading
        || is_about
        || (is_id || !is_exact) && mark.has_heading && is_slug_of_heading(tree, id)
        || mark.all_words() >= mark.all_links && prose >= least_prose(mark, page)
}

/// How much text outweighs the name of an element. A menu, a pager or a table of contents consists of links, so a few
/// sentences prove that it is none; advertisements and comments are sentences themselves.
fn least_prose(mark: &Mark, page: &Page) -> u32 {
    let is_exact = mark.evidence == (Evidence::Name { is_id: false, is_exact: true });
    let is_in_content = mark.is_in_root || page.framework.is_some();
    let is_doubtful = is_exact || mark.has_field;
    match mark.drop {
        Some(Reason::Comments | Reason::EditLink | Reason::Feedback) => u32::MAX,
        Some(Reason::Related) if page.framework.is_none() => u32::MAX,
        _ if !is_in_content && (is_doubtful || !mark.has_heading) => u32::MAX,
        _ if !is_in_content => PARAGRAPH,
        Some(Reason::Popup) if is_doubtful || !mark.has_heading => PARAGRAPH,
        Some(reason) if is_made_of_links(reason) || reason == Reason::Popup => {
            if is_doubtful {
                PARAGRAPH
            } else {
                SENTENCE
            }
        }
        _ if mark.has_field => u32::MAX,
        _ => PARAGRAPH,
    }
}

/// Characters of a short sentence.
const SENTENCE: u32 = 40;
/// Characters of a few sentences.
const PARAGRAPH: u32 = 200;

fn is_made_of_links(reason: Reason) -> bool {
    use Reason as R;
    matches!(
        reason,
        R::Navigation | R::Sidebar | R::TableOfContents | R::Breadcrumbs | R::Pager | R::Header | R::Footer
    )
}

/// Whether the page would be nearly empty without this part. Menus are not text, however long they are, and beside an
/// element that certainly contains the content nothing counts.
fn is_most_of_page(tree: &Tree, id: NodeId, mark: &Mark, page: &Page) -> bool {
    use Reason as R;
    if matches!(mark.drop, Some(R::LineNumbers | R::Permalink | R::Button | R::Pager | R::Excluded)) {
        return false;
    }
    let is_beside_root = page.has_root && !mark.is_in_root;
    let is_never_text = tree.is(id, Tag::Nav) || mark.drop == Some(Reason::Footer);
    !is_beside_root && !is_never_text && mark.all_words() > (page.words / 2).max(mark.all_links)
}

/// Whether the id of this section is derived from its heading; then its words say what the section is about.
fn is_slug_of_heading(tree: &Tree, id: NodeId) -> bool {
    let Some(heading) = tree.subtree(id).take(12).find(|below| tree.is_heading(*below)) else { return false };
    let letters = |text: &str| text.replace(|letter: char| !letter.is_alphanumeric(), "").to_ascii_lowercase();
    let name = letters(tree.attr(id, Attr::Id).unwrap_or_default());
    !name.is_empty() && letters(&tree.all_text(heading)).contains(&name)
}

/// What part of a heading or a term an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartOfHeading {
    None,
    Some,
    /// All of it but for a sign: a button that opens a section, a link to itself or back to the table of contents.
    All,
}

fn part_of_heading(tree: &Tree, marks: &[Mark], id: NodeId) -> PartOfHeading {
    let is_heading = |above: &NodeId| tree.is_heading(*above) || tree.is(*above, Tag::Dt);
    let Some(heading) = tree.ancestors(id).take(3).find(is_heading) else { return PartOfHeading::None };
    let rest = marks[heading as usize].all_text - marks[id as usize].all_text;
    if rest <= SIGN { PartOfHeading::All } else { PartOfHeading::Some }
}

/// Characters of a permalink sign.
const SIGN: u32 = 2;

pub(super) fn add_up_what_is_kept(tree: &Tree, marks: &mut [Mark]) {
    for id in tree.ids().rev() {
        let Some(parent) = tree.parent(id) else { continue };
        let mark = &mut marks[id as usize];
        if mark.is_dropped {
            continue;
        }
        if tree.tag(id).is_none() {
            mark.text = mark.all_text;
        }
        if tree.is(id, Tag::A) && !is_card(mark.has_heading, mark.prose) {
            mark.link_text = mark.text;
        }
        if tree.is_one_of(id, PROSE) {
            mark.prose = mark.prose.max(mark.words());
        }
        let mark = *mark;
        let above = &mut marks[parent as usize];
        above.text += mark.text;
        above.link_text += mark.link_text;
        above.prose += mark.prose;
    }
}
