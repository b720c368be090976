//! A page of documentation as clean Markdown, plain text and metadata.
//!
//! Each step is a module:
//!
//! 1. `tree` reads the HTML once into a flat list of nodes, at most 512 levels deep;
//! 2. `classify` decides what each element is: content, boilerplate, a note, a tab, a line number;
//! 3. `content` finds the main content: by framework, by `main`, or by where most of the text is;
//! 4. `write` turns that part into Markdown and text in one walk;
//! 5. `confidence` rates how reliable the result is.
//!
//! Once all pages of a site are known, a [`Corpus`] removes the blocks that appear on many of them. A page served as
//! Markdown goes through [`from_markdown`] instead. Everything is pure: the same bytes give the same result.

mod anchors;
mod chosen;
mod classify;
mod confidence;
mod content;
mod corpus;
mod framework;
mod listing;
mod markdown;
mod marks;
mod metadata;
mod raw_html;
mod removal;
mod sections;
mod title;
mod tokens;
mod tree;
mod write;

use serde::{Deserialize, Serialize};
use url::Url;

pub use bluesnake_html::{Selector, SelectorProblem};

pub use anchors::{Anchor, MOST_ANCHORS, insert_anchors};
pub use corpus::{BlockFingerprint, BlockKind, Corpus};
pub use framework::Framework;
pub use markdown::{from_markdown, is_markdown};
pub use metadata::{JsonLd, Metadata};
pub use removal::{Reason, Removed};
pub use sections::{MOST_SECTIONS, Section};
pub use tokens::{Tokens, tokens};

use classify::Classified;
use content::{Content, Found};
use metadata::Head;
use tree::{Attr, NodeId, ROOT, Tree};

/// A page as fetched.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub html: &'a str,
    /// The base of relative links, unless the page declares another.
    pub url: &'a Url,
}

/// How much of the page to extract.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    pub scope: Scope,
    /// If the page has such elements, they are its content, whatever they are.
    pub include: Vec<Selector>,
    /// Elements to drop.
    pub exclude: Vec<Selector>,
}

/// Which part of a page to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Its content, without boilerplate.
    #[default]
    Content,
    /// The whole body, still without navigation, hidden parts and other boilerplate.
    WholePage,
}

/// The extracted page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extracted {
    pub markdown: String,
    /// The same without markup, with normalized white space: used for comparison and search.
    pub text: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub language: Option<String>,
    pub metadata: Metadata,
    pub framework: Option<Framework>,
    /// From 0 to 1. Below 0.5, prefer the plain text.
    pub confidence: f32,
    pub removed: Vec<Removed>,
    pub sections: Vec<Section>,
    pub blocks: Vec<BlockFingerprint>,
    /// Ids other than those of headings, at most [`MOST_ANCHORS`]; see [`Extracted::with_anchors`].
    #[serde(default)]
    pub anchors: Vec<Anchor>,
    /// Whether it is an index or a search form that the generator made, without text of its own.
    #[serde(skip)]
    pub is_listing: bool,
}

impl Extracted {
    pub fn section_text(&self, section: &Section) -> &str {
        &self.text[section.text.clone()]
    }
}

/// Extracts a page.
pub fn extract(page: &Page<'_>, options: &Options) -> Extracted {
    let tree = Tree::parse_selecting(page.html, &options.include, &options.exclude);
    let head = Head::read(&tree, page.url);
    let generator = head.metadata.generator.as_deref().and_then(Framework::of_generator);
    let mut classified = classify::classify(&tree, generator);
    let chosen = chosen::find(&tree, &mut classified);
    let is_listing = chosen.is_none() && listing::is_listing(&tree, classified.framework);
    let content = match (chosen, options.scope) {
        (Some(content), _) => content,
        (None, Scope::Content) => content::find(&tree, &mut classified),
        (None, Scope::WholePage) => Content { title: None, root: ROOT, notes: None, found: Found::Named },
    };
    let base = head.base.as_deref().and_then(|base| page.url.join(base).ok());
    let written = write::write(&tree, &classified, &content, base.as_ref().unwrap_or(page.url));
    Extracted {
        confidence: confidence::of(&written, &tree, &classified, &content),
        title: title::of(&written.sections, &head, classified.framework),
        description: head.metadata.description.clone().or_else(|| head.metadata.og_description.clone()),
        language: head.language,
        framework: classified.framework,
        metadata: head.metadata,
        removed: removed(&tree, &classified, &content),
        markdown: written.markdown,
        text: written.text,
        sections: written.sections,
        blocks: written.blocks,
        anchors: written.anchors,
        is_listing,
    }
}

/// What is in the page but not in the result, outermost elements only.
fn removed(tree: &Tree, classified: &Classified, content: &Content) -> Vec<Removed> {
    let mut removed = Vec::new();
    let mut push = |what, reason, chars| removed.push(Removed { what, reason, chars });
    let root = content.root;
    let elsewhere: u32 = [content.title, content.notes].iter().flatten().map(|id| classified.mark(*id).all_text).sum();
    let outside = classified.mark(ROOT).all_text - classified.mark(root).all_text - elsewhere;
    if outside > 0 {
        push(describe(tree, root), Reason::Outside, outside as usize);
    }
    let (mut id, end) = (root, tree.end(root));
    while id < end {
        let mark = classified.mark(id);
        if let Some(reason) = mark.drop.filter(|_| mark.all_text > 0) {
            push(describe(tree, id), reason, mark.all_text as usize);
        }
        id = if mark.drop.is_some() { tree.end(id) } else { id + 1 };
    }
    if tree.cut > 0 {
        push(format!("{} elements", tree.cut), Reason::TooDeep, 0);
    }
    if tree.left_out > 0 {
        push(format!("{} nodes", tree.left_out), Reason::TooMany, 0);
    }
    removed
}

/// `nav#menu`, `div.sidebar`, or just the tag.
fn describe(tree: &Tree, id: NodeId) -> String {
    let mut what = tree.tag(id).map_or_else(|| "text".to_owned(), |tag| format!("{tag:?}").to_ascii_lowercase());
    let class = || Some(('.', tree.classes(id).next()?));
    if let Some((sign, name)) = tree.attr(id, Attr::Id).map(|id| ('#', id)).or_else(class) {
        what.push(sign);
        what.extend(name.chars().take(60));
    }
    what
}
