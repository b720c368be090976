//! Finds the main content of a page.
//!
//! A known framework marks it with a class name, and a careful page with `main`; such an element is the content
//! however short it is. Weaker marks need a share of the text. Otherwise it is the smallest element that still contains
//! most of the text. Link-heavy parts next to it are dropped.

use crate::classify::Classified;
use crate::marks::Shape;
use crate::marks::{self, FRAMEWORK_RANK, LIKELY_RANK, MAIN_RANK, ROLE_RANK, WEAK_RANK};
use crate::metadata::on_one_line;
use crate::removal::Reason;
use crate::tree::{Attr, NodeId, ROOT, Tag, Tags, Tree};

/// Characters of a few sentences.
const FEW_WORDS: u32 = 600;
/// Characters of a sentence or two.
const SENTENCE: u32 = 250;
/// Characters of a button or field label.
const LABEL: u32 = 40;

/// Shares of a page's text, in hundredths.
const LITTLE: u32 = 10;
const MOST: u32 = 40;
const MUCH: u32 = 60;
const NEARLY_ALL: u32 = 85;
const ALL: u32 = 100;

fn is_share(part: u32, whole: u32, hundredths: u32) -> bool {
    u64::from(part) * 100 >= u64::from(whole) * u64::from(hundredths)
}

/// The parts of a page that make up its content.
#[derive(Debug)]
pub(crate) struct Content {
    /// The title, if it comes before the rest rather than in it.
    pub(crate) title: Option<NodeId>,
    pub(crate) root: NodeId,
    /// Footnotes, if they come after the rest rather than in it.
    pub(crate) notes: Option<NodeId>,
    pub(crate) found: Found,
}

/// How the content was found, the most reliable way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// An element that can be nothing else.
    Marked,
    /// An element with a usual name and a share of the text; or the page was taken whole.
    Named,
    /// The part with most of the text.
    Guessed,
    /// What was first found or kept was almost empty, so boilerplate may be in this.
    Widened,
}

/// Finds the content. Decides on the way about boilerplate that can only be recognised in context.
pub(crate) fn find(tree: &Tree, classified: &mut Classified) -> Content {
    let (root, found) = root(tree, classified);
    keep_contents_of_chapters(tree, classified, root);
    if classified.framework.is_none() {
        drop_tails(tree, classified, root);
        drop_asides(tree, classified, root);
        drop_link_boxes(tree, classified, root);
    }
    let is_widened = classified.has_restored_most || keep_misnamed(tree, classified, root);
    let found = if is_widened { Found::Widened } else { found };
    Content { title: title_before(tree, classified, root), root, notes: notes_after(tree, classified, root), found }
}

fn notes_after(tree: &Tree, classified: &Classified, root: NodeId) -> Option<NodeId> {
    let are_notes = |id: &NodeId| {
        let is_box = tree.is_one_of(*id, Tags::of(&[Tag::Div, Tag::Section, Tag::Aside]));
        is_box && matches!(classified.shape(*id), Shape::Footnotes | Shape::Footnote)
    };
    (tree.end(root)..tree.ids().end).find(are_notes).filter(|id| classified.mark(*id).text > 0)
}

fn root(tree: &Tree, classified: &Classified) -> (NodeId, Found) {
    match named(tree, classified) {
        Some((root, rank)) if marks::is_certain(rank) => (root, Found::Marked),
        Some((root, _)) if is_almost_empty(classified, root) => (densest(tree, classified), Found::Widened),
        Some((root, _)) => (root, Found::Named),
        None => (densest(tree, classified), Found::Guessed),
    }
}

/// A sentence on a page of many.
fn is_almost_empty(classified: &Classified, root: NodeId) -> bool {
    let words = classified.mark(root).words();
    words <= SENTENCE && words < classified.mark(ROOT).words() / 4
}

/// If almost nothing is left of the content, its names misled us: restores what only its name spoke against.
fn keep_misnamed(tree: &Tree, classified: &mut Classified, root: NodeId) -> bool {
    let left = classified.mark(root).text;
    if left > SENTENCE {
        return false;
    }
    let is_text = |id: &NodeId| {
        let mark = classified.mark(*id);
        mark.is_dropped_by_name() && mark.all_text > left.max(SENTENCE) && mark.all_words() >= mark.all_links
    };
    let kept: Vec<NodeId> = tree.subtree(root).filter(is_text).collect();
    kept.iter().for_each(|id| classified.restore(tree, *id));
    !kept.is_empty()
}

/// The title with a few words next to it, if the content has no title of its own.
fn title_before(tree: &Tree, classified: &Classified, root: NodeId) -> Option<NodeId> {
    let is_title = |id: &NodeId| {
        let is_heading = tree.is(*id, Tag::H1) || classified.shape(*id) == Shape::Title;
        is_heading && !classified.is_dropped(*id) && classified.mark(*id).text > 0
    };
    if tree.subtree(root).any(|id| is_title(&id)) {
        return None;
    }
    // A heading that was never closed contains the content; it does not come before it.
    let title = (ROOT..root).find(|id| is_title(id) && tree.end(*id) <= root)?;
    let is_short = |id: &NodeId| {
        let mark = classified.mark(*id);
        tree.end(*id) <= root && mark.text <= 200 && mark.link_text * 4 <= mark.text
    };
    let around = tree.ancestors(title).take_while(is_short).last();
    Some(around.unwrap_or(title))
}

/// The element that is marked as the content. One that is marked with certainty wins over everything around it, even
/// if it is empty; the others must contain their share of the page.
fn named(tree: &Tree, classified: &Classified) -> Option<(NodeId, u8)> {
    let mut roots = classified.roots.clone();
    roots.retain(|(_, id)| !classified.is_dropped(*id));
    roots.sort_by_key(|(rank, id)| (*rank, *id));
    let mut empty = None;
    for of_rank in roots.chunk_by(|(a, _), (b, _)| a == b) {
        let (rank, first) = of_rank[0];
        if rank > MAIN_RANK && empty.is_some() {
            break;
        }
        match holding(tree, classified, of_rank, rank) {
            Some(root) if marks::is_certain(rank) || holds_its_share(classified, root, rank) => {
                return Some((root, rank));
            }
            None if is_known_to_be_empty(classified, rank) => empty = empty.or(Some((first, rank))),
            _ => {}
        }
    }
    empty
}

/// Words in links count only if that favours the element: a page may consist of links, and so may the menu beside it.
fn holds_its_share(classified: &Classified, root: NodeId, rank: u8) -> bool {
    let share = match rank {
        ..=LIKELY_RANK => LITTLE,
        WEAK_RANK.. => MUCH,
        _ => MOST,
    };
    let (part, whole) = (classified.mark(root), classified.mark(ROOT));
    is_share(part.text, whole.text, share) || part.words() > 0 && is_share(part.words(), whole.words(), share)
}

/// An empty `<main>` may also be a target of links on a page that has its text elsewhere.
fn is_known_to_be_empty(classified: &Classified, rank: u8) -> bool {
    marks::is_certain(rank) && (!matches!(rank, MAIN_RANK | ROLE_RANK) || classified.mark(ROOT).words() <= FEW_WORDS)
}

/// The element of this rank that has nearly all the text of all such elements; otherwise their common ancestor.
///
/// A framework that splits its content into several such elements means all of them.
fn holding(tree: &Tree, classified: &Classified, of_rank: &[(u8, NodeId)], rank: u8) -> Option<NodeId> {
    let kept: Vec<NodeId> = of_rank.iter().map(|(_, id)| *id).filter(|id| classified.mark(*id).text > 0).collect();
    let largest = kept.iter().copied().max_by_key(|id| (classified.mark(*id).text, std::cmp::Reverse(*id)))?;
    let together: u32 = outermost(tree, &kept).map(|id| classified.mark(id).text).sum();
    if rank > FRAMEWORK_RANK && is_share(classified.mark(largest).text, together, NEARLY_ALL) {
        Some(largest)
    } else {
        kept.into_iter().reduce(|a, b| common_ancestor(tree, a, b))
    }
}

/// Without those nested in another one. They come in document order.
pub(crate) fn outermost<'a>(tree: &'a Tree, ids: &'a [NodeId]) -> impl Iterator<Item = NodeId> + 'a {
    let mut end = 0;
    ids.iter().copied().filter(move |id| {
        let is_outside = *id >= end;
        if is_outside {
            end = tree.end(*id);
        }
        is_outside
    })
}

pub(crate) fn common_ancestor(tree: &Tree, a: NodeId, b: NodeId) -> NodeId {
    let holds_b = |above: &NodeId| tree.subtree(*above).contains(&b);
    tree.with_ancestors(a).find(holds_b).unwrap_or(ROOT)
}

/// Descends from the root while one child has nearly all of the prose. Known frameworks put no advertisements next to
/// their text: there a child must have all of it.
fn densest(tree: &Tree, classified: &Classified) -> NodeId {
    let worth = |id: NodeId| {
        let mark = classified.mark(id);
        if mark.is_dropped { 0 } else { mark.words() + mark.prose }
    };
    let enough = if classified.framework.is_some() { ALL } else { NEARLY_ALL };
    let holds_enough = |part: u32, whole: u32| part > 0 && is_share(part, whole, enough);
    let (mut here, mut found) = (ROOT, ROOT);
    loop {
        let best = tree.elements(here).max_by_key(|id| (worth(*id), std::cmp::Reverse(*id)));
        let Some(child) =
            best.filter(|child| tree.is_one_of(*child, CONTAINERS) && holds_enough(worth(*child), worth(here)))
        else {
            return found;
        };
        here = child;
        // Keep the rows of a table together, unless one cell has nearly all of the text.
        if !matches!(tree.tag(child), Some(Tag::Table | Tag::Tbody | Tag::Tr)) {
            found = child;
        }
    }
}

#[rustfmt::skip]
const CONTAINERS: Tags = Tags::of(&[
    Tag::Body, Tag::Div, Tag::Section, Tag::Article, Tag::Main, Tag::Form, Tag::Table, Tag::Tbody, Tag::Tr, Tag::Td,
    Tag::Center, Tag::Other,
]);

/// On the first page of a chapter the table of contents is the content, unless it only lists the headings below.
fn keep_contents_of_chapters(tree: &Tree, classified: &mut Classified, root: NodeId) {
    let is_contents = |classified: &Classified, id: NodeId| classified.mark(id).drop == Some(Reason::TableOfContents);
    let rest = u64::from(classified.mark(root).text);
    let leads_elsewhere = |id| {
        let mut targets = tree.subtree(id).filter_map(|below| tree.attr(below, Attr::Href));
        targets.next().is_some_and(|target| !target.starts_with('#'))
    };
    let is_main_part = |id: &NodeId| {
        is_contents(classified, *id)
            && u64::from(classified.mark(*id).all_text) * 2 > rest
            && !tree.is(*id, Tag::Nav)
            && leads_elsewhere(*id)
    };
    let kept: Vec<NodeId> = tree.subtree(root).filter(is_main_part).collect();
    let kept: Vec<NodeId> = outermost(tree, &kept).collect();
    for id in kept {
        classified.restore(tree, id);
        for below in tree.subtree(id).filter(|below| is_contents(classified, *below)).collect::<Vec<_>>() {
            classified.restore(tree, below);
        }
    }
}

/// Drops boxes of links from a page that is mostly text. Lists of links stay: they may be the subject of the page.
fn drop_link_boxes(tree: &Tree, classified: &mut Classified, root: NodeId) {
    let whole = classified.mark(root).text;
    drop_below(tree, classified, root, |classified, id| {
        is_link_box(tree, classified, id, whole).then_some(Reason::Links)
    });
}

/// Drops the elements below `root` for which there is a reason.
fn drop_below(
    tree: &Tree,
    classified: &mut Classified,
    root: NodeId,
    reason: impl Fn(&Classified, NodeId) -> Option<Reason>,
) {
    let (mut id, end) = (root + 1, tree.end(root));
    while id < end {
        if !classified.is_dropped(id)
            && let Some(reason) = reason(classified, id)
        {
            classified.drop(tree, id, reason);
        }
        id = if classified.is_dropped(id) { tree.end(id) } else { id + 1 };
    }
}

fn is_link_box(tree: &Tree, classified: &Classified, id: NodeId, whole: u32) -> bool {
    let mark = classified.mark(id);
    matches!(tree.tag(id), Some(Tag::Div | Tag::Section | Tag::Aside))
        && !mark.has_code
        && (200..whole / 5).contains(&mark.text)
        && is_share(mark.link_text, mark.text, 90)
        && !tree.ancestors(id).any(|above| matches!(tree.tag(above), Some(Tag::Li | Tag::Dd | Tag::Td)))
}

/// Headings of what sites put after an article, separated by commas.
const TAILS: &str = "related posts,related articles,you might also like,you may also like,share,share this,\
    recommended reading,read next,more from this author,leave a comment,leave a reply,similar threads,\
    about the author,popular posts,latest posts,similar posts,was this page helpful,was this helpful,\
    give feedback,follow us,recent posts";

/// Drops a heading that indicates boilerplate, with everything below it.
fn drop_tails(tree: &Tree, classified: &mut Classified, root: NodeId) {
    let (mut id, end) = (root, tree.end(root));
    while id < end {
        if classified.is_dropped(id) {
            id = tree.end(id);
            continue;
        }
        let level = tree.tag(id).and_then(Tag::heading_level);
        if let Some(level) = level.filter(|_| classified.mark(id).text < 40 && names_tail(&tree.all_text(id))) {
            drop_part(tree, classified, &part_of(tree, classified, id, level, root));
        }
        id += 1;
    }
}

/// Boilerplate is buttons and links; long text or code stays, whatever its heading.
fn drop_part(tree: &Tree, classified: &mut Classified, part: &[NodeId]) {
    let said = |id: &NodeId| classified.mark(*id).text - classified.mark(*id).link_text;
    let shows_code = part.iter().any(|id| classified.mark(*id).has_code);
    if !shows_code && part.iter().map(said).sum::<u32>() <= FEW_WORDS {
        for id in part.iter().filter(|id| !classified.is_dropped(**id)).copied().collect::<Vec<_>>() {
            classified.drop(tree, id, Reason::Related);
        }
    }
}

fn names_tail(text: &str) -> bool {
    let text = on_one_line(text).to_lowercase();
    let words = text.trim_end_matches([':', '.', '…', '!', '?', ' ']);
    TAILS.split(',').any(|tail| tail == words)
}

/// Drops what sites insert between the paragraphs of an article, judged by content rather than name.
fn drop_asides(tree: &Tree, classified: &mut Classified, root: NodeId) {
    let is_article = classified.mark(root).words() > FEW_WORDS;
    drop_below(tree, classified, root, |classified, id| aside(tree, classified, id, is_article));
}

fn aside(tree: &Tree, classified: &Classified, id: NodeId, is_article: bool) -> Option<Reason> {
    let mark = classified.mark(id);
    if mark.text == 0 || mark.has_code {
        return None;
    }
    match tree.tag(id)? {
        Tag::P if is_pointer(tree, classified, id) => Some(Reason::Related),
        Tag::P | Tag::Div if mark.text <= SENTENCE && is_disclosure(tree, id) => Some(Reason::Advertisement),
        Tag::Div | Tag::Form if mark.text <= LABEL && has_field(tree, id) => Some(Reason::Form),
        Tag::A if is_article && mark.text <= LABEL && is_call_to_action(tree, classified, id) => Some(Reason::Button),
        _ => None,
    }
}

/// A paragraph that says "You might also like:" and continues with links only.
fn is_pointer(tree: &Tree, classified: &Classified, id: NodeId) -> bool {
    let mark = classified.mark(id);
    if mark.link_text == 0 || mark.words() > LABEL {
        return false;
    }
    let is_in_link = |text: NodeId| tree.ancestors(text).take_while(|above| *above != id).any(|a| tree.is(a, Tag::A));
    let outside = tree.subtree(id).filter(|below| !is_in_link(*below));
    names_tail(&outside.filter_map(|below| tree.text(below)).collect::<String>())
}

/// Legally required disclosures next to advertisements.
const DISCLOSURES: &[&str] = &["affiliate links", "affiliate commission", "earn a commission"];

fn is_disclosure(tree: &Tree, id: NodeId) -> bool {
    let text = on_one_line(&tree.all_text(id)).to_lowercase();
    let is_of_the_site = ["this ", "we ", "our ", "some "].iter().any(|word| text.starts_with(word));
    is_of_the_site && DISCLOSURES.iter().any(|words| text.contains(words))
}

/// An input field, so that the words next to it are its label or placeholder.
fn has_field(tree: &Tree, id: NodeId) -> bool {
    let is_typed_into = |kind: Option<&str>| matches!(kind, None | Some("text" | "search" | "email" | "tel"));
    tree.elements(id).any(|child| {
        let is_input = tree.is(child, Tag::Input) && is_typed_into(tree.attr(child, Attr::Type));
        is_input || tree.is(child, Tag::Textarea)
    })
}

/// A button-like link on its own, in a page that is mostly text: "Open an account", not a reference.
fn is_call_to_action(tree: &Tree, classified: &Classified, id: NodeId) -> bool {
    let is_button = |class: &str| class.split(['-', '_']).any(|word| matches!(word, "btn" | "button"));
    let around = tree.ancestors(id).find(|above| tree.tag(*above).is_some_and(Tag::is_block));
    tree.classes(id).any(is_button)
        && around.is_some_and(|around| {
            matches!(tree.tag(around), Some(Tag::Div | Tag::P))
                && classified.mark(around).text == classified.mark(id).text
        })
}

/// The box whose first text is the heading; otherwise the heading and what follows it up to the next one.
fn part_of(tree: &Tree, classified: &Classified, heading: NodeId, level: u8, root: NodeId) -> Vec<NodeId> {
    let boxes =
        tree.ancestors(heading).take_while(|above| *above != root && is_first(tree, classified, *above, heading));
    let outermost = boxes.last().unwrap_or(heading);
    let begins_another = |id: &NodeId| {
        let mut levels = tree.subtree(*id).filter_map(|below| tree.tag(below)?.heading_level());
        classified.mark(*id).has_heading && levels.any(|other| other <= level)
    };
    let is_one_part = !tree.elements(outermost).any(|child| child > heading && begins_another(&child));
    if outermost != heading && is_one_part {
        return vec![outermost];
    }
    std::iter::once(outermost).chain(tree.following(outermost).take_while(|id| !begins_another(id))).collect()
}

/// A box that begins with its heading has few nodes before it.
fn is_first(tree: &Tree, classified: &Classified, above: NodeId, heading: NodeId) -> bool {
    let is_silent = |id| tree.text(id).is_none_or(|text| text.trim().is_empty() || classified.is_dropped(id));
    heading - above <= 64 && (above..heading).all(is_silent)
}
