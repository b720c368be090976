//! Classifies each element of a page: content, boilerplate, or something with its own format.
//!
//! One forward loop reads tags, roles and class names ([`crate::marks`]). Then [`settle`] adds up the text and decides
//! which of the suspected boilerplate is dropped: never what contains the content, and never the header with its title.

mod settle;

use hashbrown::HashMap;

use crate::framework::Framework;
use crate::marks::{self, Meaning, Shape};
use crate::removal::Reason;
use crate::tree::{Attr, NodeId, ROOT, Tag, Tree, is_block};

/// The evidence for dropping an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Evidence {
    /// Its tag or role, or that it is hidden.
    #[default]
    Sure,
    /// Its class or its id, which may also be derived from a heading; or only a word in it.
    Name { is_id: bool, is_exact: bool },
}

/// What is known about one node.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    pub(crate) drop: Option<Reason>,
    pub(crate) shape: Shape,
    /// The node or an ancestor is dropped.
    pub(crate) is_dropped: bool,
    pub(crate) has_block: bool,
    pub(crate) has_heading: bool,
    has_title: bool,
    /// It is or contains an element that is marked as the content.
    has_root: bool,
    /// It is in an element that certainly is the content.
    is_in_root: bool,
    /// A reader can type or choose something in it.
    has_field: bool,
    /// It contains a `<pre>` that is not certainly dropped.
    pub(crate) has_code: bool,
    evidence: Evidence,
    /// Characters other than white space, including dropped parts.
    pub(crate) all_text: u32,
    /// Of these, characters in links.
    pub(crate) all_links: u32,
    /// Of these, characters outside links in paragraphs, code, or cells.
    all_prose: u32,
    /// The same without dropped parts.
    pub(crate) text: u32,
    /// Of these, characters in links.
    pub(crate) link_text: u32,
    /// Text in paragraphs, code, or cells: what content is made of.
    pub(crate) prose: u32,
}

impl Mark {
    /// Characters outside links, including dropped parts.
    pub(crate) fn all_words(&self) -> u32 {
        self.all_text - self.all_links
    }

    /// Characters outside links.
    pub(crate) fn words(&self) -> u32 {
        self.text - self.link_text
    }

    /// Only a name spoke against it.
    pub(crate) fn is_dropped_by_name(&self) -> bool {
        self.drop.is_some() && self.evidence != Evidence::Sure
    }

    /// Unambiguous names. Others, and words in names, may be what code is about.
    fn is_surely_dropped(&self) -> bool {
        let is_name = matches!(self.evidence, Evidence::Name { is_exact: true, .. });
        match self.drop {
            None => false,
            Some(Reason::LineNumbers | Reason::Hidden) => true,
            Some(
                Reason::Navigation
                | Reason::Footer
                | Reason::Sidebar
                | Reason::Popup
                | Reason::Cookies
                | Reason::Comments
                | Reason::Advertisement,
            ) if is_name => true,
            Some(_) => self.evidence == Evidence::Sure,
        }
    }
}

/// A classified page.
#[derive(Debug)]
pub(crate) struct Classified {
    marks: Vec<Mark>,
    /// Elements that may contain the content, each with its rank.
    pub(crate) roots: Vec<(u8, NodeId)>,
    /// The framework that made the page: named in its head, or recognised by its traces.
    pub(crate) framework: Option<Framework>,
    /// Most of the page looked like boilerplate and is kept nevertheless.
    pub(crate) has_restored_most: bool,
}

impl Classified {
    pub(crate) fn mark(&self, id: NodeId) -> &Mark {
        &self.marks[id as usize]
    }

    pub(crate) fn shape(&self, id: NodeId) -> Shape {
        self.mark(id).shape
    }

    pub(crate) fn is_dropped(&self, id: NodeId) -> bool {
        self.mark(id).is_dropped
    }

    /// Reverses dropping an element; its text is added back to the sums above it.
    pub(crate) fn restore(&mut self, tree: &Tree, id: NodeId) {
        self.marks[id as usize].drop = None;
        for below in tree.subtree(id) {
            let is_below_dropped = tree.parent(below).is_some_and(|parent| self.mark(parent).is_dropped);
            let mark = &mut self.marks[below as usize];
            mark.is_dropped = is_below_dropped || mark.drop.is_some();
        }
        let text = self.mark(id).all_text;
        for above in tree.with_ancestors(id) {
            self.marks[above as usize].text += text;
        }
    }

    /// Drops an element after all; its text is subtracted from the sums above it.
    pub(crate) fn drop(&mut self, tree: &Tree, id: NodeId, reason: Reason) {
        let Mark { text, link_text, prose, .. } = *self.mark(id);
        self.marks[id as usize].drop = Some(reason);
        for above in tree.with_ancestors(id) {
            let mark = &mut self.marks[above as usize];
            mark.text -= text;
            mark.link_text -= link_text;
            mark.prose -= prose;
        }
        for below in tree.subtree(id) {
            self.marks[below as usize].is_dropped = true;
        }
    }
}

/// The attributes that can tell what an element is. Most elements have none of them.
const TELLING: u64 = Attr::Class.bit()
    | Attr::Id.bit()
    | Attr::DataFootnoteRef.bit()
    | Attr::Itemprop.bit()
    | Attr::Role.bit()
    | Attr::Hidden.bit()
    | Attr::AriaHidden.bit()
    | Attr::Style.bit();

/// `generator` is the framework named in the head of the page.
pub(crate) fn classify(tree: &Tree, generator: Option<Framework>) -> Classified {
    let mut classifier = Classifier { tree, meanings: HashMap::new(), roots: Vec::new(), frameworks: Vec::new() };
    let mut marks: Vec<Mark> = tree.ids().map(|id| classifier.mark(id)).collect();
    obey_selectors(tree, &mut marks);
    for (rank, id) in &classifier.roots {
        let mark = &mut marks[*id as usize];
        mark.is_in_root |= marks::is_certain(*rank);
        mark.has_root |= marks::is_certain(*rank) || *rank <= marks::LIKELY_RANK;
    }
    settle::add_up(tree, &mut marks);
    let framework = generator.or_else(|| most_frequent(&classifier.frameworks));
    let has_restored_most = settle::settle(tree, &mut marks, framework);
    settle::add_up_what_is_kept(tree, &mut marks);
    Classified { marks, roots: classifier.roots, framework, has_restored_most }
}

/// What the caller chose is not doubted.
fn obey_selectors(tree: &Tree, marks: &mut [Mark]) {
    for id in &tree.included {
        let mark = &mut marks[*id as usize];
        (mark.drop, mark.has_root, mark.is_in_root) = (None, true, true);
    }
    for id in &tree.excluded {
        let mark = &mut marks[*id as usize];
        (mark.drop, mark.evidence) = (Some(Reason::Excluded), Evidence::Sure);
    }
}

struct Classifier<'t> {
    tree: &'t Tree,
    meanings: HashMap<&'t str, Meaning>,
    roots: Vec<(u8, NodeId)>,
    frameworks: Vec<Framework>,
}

impl Classifier<'_> {
    fn mark(&mut self, id: NodeId) -> Mark {
        let Some(tag) = self.tree.tag(id) else {
            let text = self.tree.text(id).unwrap_or_default();
            return Mark { all_text: visible_chars(text), ..Mark::default() };
        };
        let mut mark = Mark {
            drop: reason_of_tag(tag),
            has_block: is_block(tag),
            has_heading: tag.is_heading(),
            has_title: tag == Tag::H1,
            has_field: self.is_field(id, tag),
            ..Mark::default()
        };
        match tag {
            Tag::Main => self.roots.push((marks::MAIN_RANK, id)),
            Tag::Article => self.roots.push((marks::ARTICLE_RANK, id)),
            _ => {}
        }
        if id != ROOT && self.tree.attr_names(id) & TELLING != 0 {
            self.read_names(id, tag, &mut mark);
            self.read_role(id, &mut mark);
            self.read_hiding(id, &mut mark);
        }
        if matches!(tag, Tag::Body | Tag::Html | Tag::Main | Tag::Article) {
            mark.drop = None;
        }
        mark
    }

    /// A check box may also be a task in a list.
    fn is_field(&self, id: NodeId, tag: Tag) -> bool {
        match tag {
            Tag::Textarea | Tag::Select => true,
            Tag::Input => !matches!(self.tree.attr(id, Attr::Type), Some("checkbox" | "radio" | "hidden")),
            _ => false,
        }
    }

    fn read_names(&mut self, id: NodeId, tag: Tag, mark: &mut Mark) {
        let tree = self.tree;
        let names =
            tree.classes(id).map(|class| (class, false)).chain(tree.attr(id, Attr::Id).map(|name| (name, true)));
        for (name, is_id) in names {
            let meaning = *self.meanings.entry(name).or_insert_with(|| Meaning::of(name));
            let had_reason = mark.drop.is_some();
            mark.drop = mark.drop.or(meaning.drop.filter(|reason| may_be(&meaning, *reason, tag)));
            if !had_reason && (is_id || mark.drop.is_some()) {
                mark.evidence = Evidence::Name { is_id, is_exact: meaning.is_exact };
            }
            let is_open = matches!(mark.shape, Shape::Plain | Shape::MaybeAdmonition | Shape::MaybePager);
            if is_open && (!is_id || name == "footnotes") {
                mark.shape = if meaning.shape == Shape::Plain { mark.shape } else { meaning.shape };
            }
            if let Some(rank) = meaning.root.filter(|_| may_hold_content(tag)) {
                self.roots.push((rank, id));
            }
            self.frameworks.extend(meaning.framework);
        }
        match mark.shape {
            Shape::MaybeAdmonition => {
                mark.shape = if self.is_note(id, tag) { Shape::Admonition } else { Shape::Plain };
            }
            Shape::MaybePager => {
                mark.shape = Shape::Plain;
                if tag == Tag::Div && self.leads_to_neighbours(id) {
                    (mark.drop, mark.evidence) = (Some(Reason::Pager), Evidence::Sure);
                }
            }
            _ => {}
        }
        if matches!(mark.shape, Shape::Admonition | Shape::Footnote | Shape::Footnotes) {
            mark.drop = None;
        }
        // Only together do these two names mean the local table of contents of docutils.
        if tree.has_class(id, "contents") && tree.has_class(id, "topic") {
            (mark.drop, mark.evidence) = (Some(Reason::TableOfContents), Evidence::Sure);
        }
        if tree.attr(id, Attr::DataFootnoteRef).is_some() {
            mark.shape = Shape::FootnoteReference;
        }
        if tree.attr(id, Attr::Itemprop) == Some("articleBody") {
            self.roots.push((marks::BODY_RANK, id));
        }
    }

    /// A box that begins with its title, or is laid out as a table beside an icon.
    fn is_note(&self, id: NodeId, tag: Tag) -> bool {
        let tree = self.tree;
        let is_title = |child| tree.is_heading(child) && tree.has_class(child, "title") || tree.is(child, Tag::Table);
        match tag {
            Tag::Div => tree.elements(id).next().is_some_and(is_title),
            // Doxygen writes the title as a term.
            Tag::Dl => tree.has_class(id, "section"),
            _ => false,
        }
    }

    /// `Next: …, Previous: …, Up: …`, each with a link. Only the line at the top says so in its attributes.
    fn leads_to_neighbours(&self, id: NodeId) -> bool {
        let tree = self.tree;
        let below = || tree.subtree(id).skip(1).take(64);
        let first = below().filter_map(|below| tree.text(below)).map(str::trim_start).find(|text| !text.is_empty());
        let begins = |text: &str| ["Next:", "Previous:", "Prev:", "Up:"].iter().any(|word| text.starts_with(word));
        first.is_some_and(begins) && below().any(|id| tree.is(id, Tag::A)) && !below().any(|id| tree.is_heading(id))
    }

    fn read_role(&mut self, id: NodeId, mark: &mut Mark) {
        let Some(role) = self.tree.attr(id, Attr::Role) else { return };
        let is_plain = mark.shape == Shape::Plain && mark.drop.is_none();
        if let Some(reason) =
            reason_of_role(role).filter(|reason| is_plain || !matches!(reason, Reason::Sidebar | Reason::Button))
        {
            (mark.drop, mark.evidence) = (Some(reason), Evidence::Sure);
        }
        match role {
            "main" => {
                self.roots.push((marks::ROLE_RANK, id));
                mark.drop = None;
            }
            "tablist" => (mark.shape, mark.drop) = (Shape::TabList, None),
            "tab" => mark.drop = None,
            "tabpanel" => (mark.shape, mark.drop) = (Shape::TabPanel, None),
            "note" if mark.shape == Shape::Plain => mark.shape = Shape::Admonition,
            "doc-noteref" => mark.shape = Shape::FootnoteReference,
            "doc-endnotes" => mark.shape = Shape::Footnotes,
            "doc-footnote" => mark.shape = Shape::Footnote,
            _ => {}
        }
    }

    /// A tab that is not open is hidden only until it is clicked, and the title of a note only from screen readers,
    /// which read it elsewhere.
    fn read_hiding(&self, id: NodeId, mark: &mut Mark) {
        if matches!(mark.shape, Shape::TabPanel | Shape::AdmonitionTitle) {
            return;
        }
        let tree = self.tree;
        let is_hidden = tree.attr(id, Attr::Hidden).is_some_and(|value| value != "until-found")
            || tree.attr(id, Attr::AriaHidden) == Some("true")
            || tree.attr(id, Attr::Style).is_some_and(hides)
            || (tree.has_class(id, "hidden") && !tree.classes(id).any(|class| class.contains(':')));
        if is_hidden {
            (mark.drop, mark.evidence) = (Some(Reason::Hidden), Evidence::Sure);
        }
    }
}

fn reason_of_tag(tag: Tag) -> Option<Reason> {
    Some(match tag {
        Tag::Nav => Reason::Navigation,
        Tag::Footer => Reason::Footer,
        Tag::Header => Reason::Header,
        Tag::Aside => Reason::Sidebar,
        Tag::Dialog => Reason::Popup,
        Tag::Button => Reason::Button,
        Tag::Select | Tag::Search => Reason::Form,
        _ => return None,
    })
}

fn reason_of_role(role: &str) -> Option<Reason> {
    Some(match role {
        "navigation" | "menu" | "menubar" | "toolbar" | "directory" => Reason::Navigation,
        "banner" => Reason::Header,
        "contentinfo" => Reason::Footer,
        "complementary" => Reason::Sidebar,
        "button" => Reason::Button,
        "search" => Reason::Form,
        "dialog" | "alertdialog" | "tooltip" => Reason::Popup,
        "doc-backlink" => Reason::Permalink,
        "doc-toc" => Reason::TableOfContents,
        _ => return None,
    })
}

/// Which elements a class name can mark as boilerplate: a permalink is a link, a line number is in code, and a word
/// within a name says nothing about a paragraph, a table or a piece of code.
fn may_be(meaning: &Meaning, reason: Reason, tag: Tag) -> bool {
    match reason {
        Reason::Permalink => matches!(tag, Tag::A | Tag::Span | Tag::Div | Tag::Button | Tag::Other),
        Reason::LineNumbers => !matches!(tag, Tag::Table | Tag::Code),
        Reason::Button => !matches!(tag, Tag::Pre | Tag::Code | Tag::Table),
        Reason::Hidden => true,
        _ if tag.is_heading() || matches!(tag, Tag::Pre | Tag::Code | Tag::Table | Tag::Dt) => false,
        _ if meaning.is_exact => true,
        _ => {
            (is_block(tag) && !matches!(tag, Tag::P | Tag::Td | Tag::Tr | Tag::Dd))
                || matches!(tag, Tag::Other | Tag::A)
        }
    }
}

fn may_hold_content(tag: Tag) -> bool {
    matches!(tag, Tag::Body | Tag::Div | Tag::Section | Tag::Article | Tag::Main | Tag::Td | Tag::Other)
}

fn hides(style: &str) -> bool {
    if !style.contains("none") && !style.contains("hidden") {
        return false;
    }
    let mut declarations = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    declarations.any(|(property, value)| {
        let value = value.trim().trim_end_matches("!important").trim_end();
        matches!((property.trim(), value), ("display", "none") | ("visibility", "hidden"))
    })
}

fn most_frequent(frameworks: &[Framework]) -> Option<Framework> {
    let count = |wanted: &Framework| frameworks.iter().filter(|framework| *framework == wanted).count();
    let mut distinct: Vec<Framework> = frameworks.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.into_iter().max_by_key(|framework| (count(framework), std::cmp::Reverse(*framework)))
}

/// Characters of a text other than white space.
pub(crate) fn visible_chars(text: &str) -> u32 {
    let is_counted = |byte: &&u8| !byte.is_ascii_whitespace() && (**byte < 0x80 || **byte >= 0xC0);
    text.as_bytes().iter().filter(is_counted).count() as u32
}
