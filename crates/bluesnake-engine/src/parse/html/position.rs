//! Where on the page an element is, by its name, its role and the words in its id and classes.
//!
//! The nearest element that says something decides; the header and footer of an article are content.

use bluesnake_html::{AttributeName, Attributes, Tag, Tags};

use crate::link::Position;

/// Elements whose ids and classes are worth reading: those that contain parts of a page.
#[rustfmt::skip]
const CONTAINERS: Tags = Tags::of(&[
    Tag::Div, Tag::Section, Tag::Nav, Tag::Header, Tag::Footer, Tag::Aside, Tag::Main, Tag::Article, Tag::Ul, Tag::Ol,
    Tag::Dl, Tag::Menu, Tag::Form, Tag::Table, Tag::Td, Tag::P, Tag::Search, Tag::Other,
    // Rarely containers, but their classes are meaningful.
    Tag::Abbr, Tag::Annotation, Tag::Big, Tag::Canvas, Tag::Cite, Tag::Dfn, Tag::Font, Tag::Kbd, Tag::Label, Tag::Legend,
    Tag::Map, Tag::Mark, Tag::Nobr, Tag::Rp, Tag::Rt, Tag::Ruby, Tag::Samp, Tag::Strike, Tag::Time, Tag::Tt, Tag::Var,
]);

const WORDS: u64 = AttributeName::Id.bit()
    | AttributeName::Class.bit()
    | AttributeName::Role.bit()
    | AttributeName::AriaLabel.bit()
    | AttributeName::Itemtype.bit();

/// The position an element implies for its content, if any.
#[inline]
pub(super) fn of(tag: Tag, name: &str, attributes: &Attributes<'_>, is_in_article: bool) -> Option<Position> {
    if !CONTAINERS.has(tag) {
        return None;
    }
    let by_name = by_name(tag, name);
    let by_words = if attributes.has_any(WORDS) { by_words(attributes) } else { None };
    let said = match (by_words, by_name) {
        // The words of an element only refine its name: `<nav class="breadcrumb">`.
        (Some(words), Some(name)) => Some(if rank(words) > rank(name) { words } else { name }),
        (words, name) => words.or(name),
    };
    // A note within the text is a part of it, unless its words say otherwise.
    if tag == Tag::Aside && is_in_article && by_words.is_none() {
        return None;
    }
    said.filter(|position| !(is_in_article && matches!(position, Position::Header | Position::Footer)))
}

/// Whether it begins the main content.
pub(super) fn is_article(tag: Tag, attributes: &Attributes<'_>) -> bool {
    matches!(tag, Tag::Main | Tag::Article)
        || attributes.has(AttributeName::Role) && matches!(by_role(attributes), Some(Position::Content))
}

fn by_name(tag: Tag, name: &str) -> Option<Position> {
    match tag {
        Tag::Nav | Tag::Menu => Some(Position::Navigation),
        Tag::Header => Some(Position::Header),
        Tag::Footer => Some(Position::Footer),
        Tag::Aside => Some(Position::Sidebar),
        Tag::Main | Tag::Article => Some(Position::Content),
        // Names of custom elements are treated like classes.
        Tag::Other if name.contains('-') => best_word(name),
        _ => None,
    }
}

fn by_words(attributes: &Attributes<'_>) -> Option<Position> {
    let raw = |name| attributes.raw(name).unwrap_or("");
    let by_label =
        best_word(raw(AttributeName::AriaLabel)).filter(|&position| rank(position) >= rank(Position::Pagination));
    let by_type = raw(AttributeName::Itemtype).ends_with("/BreadcrumbList").then_some(Position::Breadcrumbs);
    let by_class = higher(best_word(raw(AttributeName::Id)), best_word(raw(AttributeName::Class)));
    higher(higher(by_class, by_type), higher(by_label, by_role(attributes)))
}

fn by_role(attributes: &Attributes<'_>) -> Option<Position> {
    match attributes.raw(AttributeName::Role)? {
        "navigation" | "menu" | "menubar" => Some(Position::Navigation),
        "banner" => Some(Position::Header),
        "contentinfo" => Some(Position::Footer),
        "complementary" => Some(Position::Sidebar),
        "main" | "article" => Some(Position::Content),
        _ => None,
    }
}

fn higher(one: Option<Position>, other: Option<Position>) -> Option<Position> {
    if one.map(rank) >= other.map(rank) { one } else { other }
}

/// Which of two words wins: the more specific one.
fn rank(position: Position) -> u8 {
    match position {
        Position::Unknown => 0,
        Position::Content => 1,
        Position::Header => 2,
        Position::Footer => 3,
        Position::Sidebar => 4,
        Position::Navigation => 5,
        Position::Pagination => 6,
        Position::Breadcrumbs => 7,
    }
}

/// The most specific word of a text, where words are runs of letters.
fn best_word(text: &str) -> Option<Position> {
    let mut best = None;
    let mut is_denied = false;
    for word in text.split(|c: char| !c.is_ascii_alphabetic()) {
        let said = if is_denied { None } else { by_word(word) };
        best = higher(best, said);
        // `has-sidebar` and `no-header` describe the page, not this element.
        is_denied = matches!(word, "has" | "with" | "no" | "without");
    }
    best
}

fn by_word(word: &str) -> Option<Position> {
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    match word.len() {
        3 if is(&["nav"]) => Some(Position::Navigation),
        4 if is(&["menu"]) => Some(Position::Navigation),
        4 if is(&["main"]) => Some(Position::Content),
        5 if is(&["aside"]) => Some(Position::Sidebar),
        5 if is(&["pager"]) => Some(Position::Pagination),
        6 if is(&["navbar", "topnav", "subnav"]) => Some(Position::Navigation),
        6 if is(&["header"]) => Some(Position::Header),
        6 if is(&["footer"]) => Some(Position::Footer),
        7 if is(&["content", "article"]) => Some(Position::Content),
        7 if is(&["sidebar", "sidenav"]) => Some(Position::Sidebar),
        7 if is(&["menubar"]) => Some(Position::Navigation),
        8 if is(&["masthead"]) => Some(Position::Header),
        9 if is(&["paginator"]) => Some(Position::Pagination),
        10 if is(&["navigation"]) => Some(Position::Navigation),
        10 if is(&["pagination"]) => Some(Position::Pagination),
        10 if is(&["breadcrumb"]) => Some(Position::Breadcrumbs),
        11 if is(&["breadcrumbs"]) => Some(Position::Breadcrumbs),
        14 if is(&["breadcrumblist"]) => Some(Position::Breadcrumbs),
        _ => None,
    }
}
