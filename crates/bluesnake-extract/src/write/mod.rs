//! From the content of a page to Markdown and plain text, in one walk.
//!
//! [`write`] goes over the tree without recursion. What an element opened (a list item, a style, a cell) is a
//! [`Frame`] and is closed when the element is left. Running text gathers in [`Inline`] and becomes a block of
//! [`Output`] when the next block begins.

mod code;
mod escape;
mod html;
mod inline;
mod links;
mod lists;
mod math;
mod notes;
mod output;
mod table;

use url::Url;

use crate::classify::Classified;
use crate::content::Content;
use crate::corpus::{BlockFingerprint, BlockKind};
use crate::marks::Shape;
use crate::sections::{self, Section};
use crate::tree::{Attr, NodeId, Step, Tag, Tree};

use inline::{Inline, Place, Style};
use links::Links;
use lists::{LastList, List};
use output::{Output, Spacing};
use table::{Rows, TableKind};

/// What the walk produced.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) markdown: String,
    pub(crate) text: String,
    pub(crate) sections: Vec<Section>,
    pub(crate) blocks: Vec<BlockFingerprint>,
    pub(crate) counts: Counts,
}

/// How often things occur, for the confidence.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) links: usize,
    pub(crate) headings: usize,
    pub(crate) second_headings: usize,
    pub(crate) lists: usize,
    pub(crate) code_blocks: usize,
    pub(crate) tables: usize,
}

pub(crate) fn write(tree: &Tree, classified: &Classified, content: &Content, base: &Url) -> Written {
    let mut writer = Writer::new(tree, classified, base);
    for part in content.title.into_iter().chain([content.root]) {
        writer.walk(part);
    }
    writer.finish()
}

/// Whether the walk goes on below an element.
#[derive(Debug, PartialEq, Eq)]
enum Below {
    Walk,
    Skip,
}

/// What is to be closed when an element is left.
#[derive(Debug)]
enum Frame {
    Block,
    Style,
    Container,
    Heading {
        level: u8,
        anchor: Option<String>,
    },
    /// A paragraph in bold: the title of a note, the label of a tab.
    Label,
    List,
    Item,
    Definitions,
    Term,
    Table(TableKind),
    Cell {
        align: &'static str,
        around: Inline,
    },
    Caption {
        around: Inline,
    },
    /// A link around blocks: the first of them carries it.
    Card,
}

struct Writer<'a> {
    tree: &'a Tree,
    classified: &'a Classified,
    links: Links<'a>,
    output: Output,
    inline: Inline,
    frames: Vec<(NodeId, Frame)>,
    lists: Vec<List>,
    tables: Vec<Rows>,
    /// Labels of tabs whose panels are still to come.
    tab_labels: std::collections::VecDeque<String>,
    /// The link around the blocks being written, until one of them has it.
    card: Option<Style>,
    /// So that the next list is not taken for its rest.
    last_list: Option<LastList>,
    counts: Counts,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree, classified: &'a Classified, base: &'a Url) -> Self {
        Self {
            tree,
            classified,
            links: Links::new(base),
            output: Output::default(),
            inline: Inline::default(),
            frames: Vec::new(),
            lists: Vec::new(),
            tables: Vec::new(),
            tab_labels: std::collections::VecDeque::new(),
            card: None,
            last_list: None,
            counts: Counts::default(),
        }
    }

    fn walk(&mut self, root: NodeId) {
        let mut next = Some(Step::Enter(root));
        while let Some(step) = next {
            let skip = match step {
                Step::Enter(id) => self.enter(id) == Below::Skip,
                Step::Leave(id) => {
                    self.leave(id);
                    false
                }
            };
            next = self.tree.step(root, step, skip);
        }
    }

    fn enter(&mut self, id: NodeId) -> Below {
        if let Some(text) = self.tree.text(id) {
            self.inline.push_text(text);
            return Below::Skip;
        }
        if self.classified.is_dropped(id) || self.is_footnote_label(id) || self.is_list_of_code_group(id) {
            return Below::Skip;
        }
        let tag = self.tree.tag(id).unwrap_or(Tag::Other);
        match self.enter_shape(id, tag) {
            Some(below) => below,
            None => self.enter_tag(id, tag),
        }
    }

    fn enter_shape(&mut self, id: NodeId, tag: Tag) -> Option<Below> {
        match self.classified.shape(id) {
            Shape::Plain | Shape::CodeTable => None,
            Shape::Admonition => self.enter_admonition(id, tag),
            Shape::AdmonitionTitle => Some(self.enter_label(id)),
            Shape::Katex | Shape::KatexDisplay | Shape::Math => self.enter_math(id),
            Shape::FootnoteReference => self.enter_footnote_reference(id),
            Shape::Footnote => self.enter_footnote(id, tag),
            Shape::Footnotes => None,
            Shape::TabList => self.enter_tab_list(id),
            Shape::TabLabel => Some(self.enter_label(id)),
            Shape::TabPanel => {
                self.enter_tab_panel();
                None
            }
            Shape::CodeGroup => self.enter_code_group(id),
            Shape::Signature => self.enter_signature(id, tag),
        }
    }

    fn enter_tag(&mut self, id: NodeId, tag: Tag) -> Below {
        match tag {
            Tag::Pre | Tag::Listing | Tag::Xmp => self.code_block(id),
            Tag::Code | Tag::Samp | Tag::Tt | Tag::Kbd => self.code_span(id),
            Tag::A => self.enter_link(id),
            Tag::Img => self.image(id),
            Tag::Br => self.line_break(),
            Tag::Hr => self.rule(),
            Tag::Wbr => Below::Skip,
            Tag::Strong | Tag::B => self.open_style(id, Style::Strong),
            Tag::Em | Tag::I | Tag::Cite | Tag::Dfn | Tag::Var => self.open_style(id, Style::Emphasis),
            Tag::Del | Tag::S | Tag::Strike => self.open_style(id, Style::Deleted),
            Tag::Sub => self.open_style(id, Style::Html("sub")),
            Tag::Sup if self.holds_footnote_reference(id) => Below::Walk,
            Tag::Sup => self.open_style(id, Style::Html("sup")),
            Tag::Ul | Tag::Ol | Tag::Menu | Tag::Dir => self.enter_list(id, tag),
            Tag::Li => self.enter_item(id),
            Tag::Dl => self.enter_definitions(id),
            Tag::Dt => self.enter_term(id),
            Tag::Dd => self.enter_definition(id),
            Tag::Input => self.check_box(id),
            Tag::Table => self.enter_table(id),
            Tag::Tr => self.enter_row(id),
            Tag::Td | Tag::Th => self.enter_cell(id),
            Tag::Caption => self.enter_caption(id),
            Tag::Blockquote => self.enter_quote(id),
            Tag::Summary => self.enter_label(id),
            Tag::Math => self.enter_math(id).unwrap_or(Below::Walk),
            Tag::Script => self.math_script(id),
            Tag::Style
            | Tag::Template
            | Tag::Svg
            | Tag::Noscript
            | Tag::Iframe
            | Tag::Textarea
            | Tag::Title
            | Tag::Rp => Below::Skip,
            Tag::Video | Tag::Audio | Tag::Canvas | Tag::Object => Below::Skip,
            _ => match tag.heading_level() {
                Some(level) => self.enter_heading(id, level),
                None if tag.is_block() => self.enter_block(id),
                None => Below::Walk,
            },
        }
    }

    fn leave(&mut self, id: NodeId) {
        while self.frames.last().is_some_and(|(opened_by, _)| *opened_by == id) {
            let (_, frame) = self.frames.pop().expect("there is a last one");
            self.close(frame);
        }
    }

    fn close(&mut self, frame: Frame) {
        match frame {
            Frame::Block => self.separate(),
            Frame::Style => self.inline.close(),
            Frame::Container => {
                self.separate();
                self.output.close_container();
            }
            Frame::Heading { level, anchor } => self.leave_heading(level, anchor),
            Frame::Label => self.leave_label(),
            Frame::List => self.leave_list(),
            Frame::Item => self.leave_item(),
            Frame::Definitions => self.leave_definitions(),
            Frame::Term => {
                self.inline.close();
                self.separate();
            }
            Frame::Table(kind) => self.leave_table(kind),
            Frame::Cell { align, around } => self.leave_cell(align, around),
            Frame::Caption { around } => self.leave_caption(around),
            Frame::Card => self.card = None,
        }
    }

    fn push(&mut self, id: NodeId, frame: Frame) {
        self.frames.push((id, frame));
    }

    /// Ends the block being written. Where everything must stay on one line, a space or a break does.
    fn separate(&mut self) {
        match self.inline.place {
            Place::Paragraph => self.flush(),
            Place::Heading => self.inline.space(),
            Place::Cell if !self.inline.is_empty() => self.inline.line_break(),
            Place::Cell => {}
        }
    }

    fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline.take();
            return;
        }
        let (markdown, text) = self.inline.take();
        match self.card.take() {
            Some(Style::Link { target, .. }) if !markdown.contains("](") => {
                let mut linked = format!("[{markdown}](");
                escape::push_target(&mut linked, &target, None);
                linked.push(')');
                self.output.paragraph(&linked, &text);
            }
            _ => self.output.paragraph(&markdown, &text),
        }
    }

    fn enter_block(&mut self, id: NodeId) -> Below {
        self.separate();
        self.push(id, Frame::Block);
        Below::Walk
    }

    fn open_style(&mut self, id: NodeId, style: Style) -> Below {
        // A style around blocks cannot be said in Markdown, and one in a heading need not.
        let is_idle =
            self.classified.mark(id).has_block || self.inline.place == Place::Heading && style == Style::Strong;
        if !is_idle {
            self.inline.open(style);
            self.push(id, Frame::Style);
        }
        Below::Walk
    }

    fn line_break(&mut self) -> Below {
        self.inline.line_break();
        if self.inline.ends_paragraph() {
            self.flush();
        }
        Below::Skip
    }

    fn rule(&mut self) -> Below {
        self.separate();
        if self.inline.place == Place::Paragraph {
            self.output.verbatim(BlockKind::Rule, "* * *", "");
        }
        Below::Skip
    }

    fn enter_quote(&mut self, id: NodeId) -> Below {
        if self.inline.place != Place::Paragraph {
            return self.enter_block(id);
        }
        self.flush();
        self.output.begin_group(BlockKind::Text);
        self.output.open_container("> ", "> ", Spacing::Loose);
        self.push(id, Frame::Container);
        Below::Walk
    }

    fn enter_heading(&mut self, id: NodeId, level: u8) -> Below {
        if self.inline.place != Place::Paragraph {
            return self.enter_block(id);
        }
        self.flush();
        self.inline.place = Place::Heading;
        let anchor = self.anchor(id);
        self.push(id, Frame::Heading { level, anchor });
        Below::Walk
    }

    fn leave_heading(&mut self, level: u8, anchor: Option<String>) {
        let (markdown, text) = self.inline.take();
        self.inline.place = Place::Paragraph;
        if text.trim().is_empty() && markdown.is_empty() {
            return;
        }
        self.counts.headings += 1;
        self.counts.second_headings += usize::from(level == 2);
        let markdown = match self.card.take() {
            Some(Style::Link { target, .. }) if !markdown.contains("](") => {
                let mut linked = format!("[{markdown}](");
                escape::push_target(&mut linked, &target, None);
                linked.push(')');
                linked
            }
            _ => markdown,
        };
        self.output.heading(level, &markdown, &text, anchor);
    }

    /// Where a link to the heading leads: its id, that of the section it opens, or that of the link in it.
    fn anchor(&self, heading: NodeId) -> Option<String> {
        let own = self.tree.attr(heading, Attr::Id);
        let in_link = || self.tree.subtree(heading).skip(1).take(6).find_map(|id| self.link_anchor(id));
        let of_section = || {
            let parent = self.tree.parent(heading)?;
            let is_first = self.tree.elements(parent).next() == Some(heading);
            self.tree.attr(parent, Attr::Id).filter(|_| is_first)
        };
        own.or_else(in_link).or_else(of_section).filter(|id| !id.is_empty()).map(str::to_owned)
    }

    fn link_anchor(&self, id: NodeId) -> Option<&'a str> {
        let tree = self.tree;
        tree.tag(id)?;
        let name = || tree.attr(id, Attr::Name).filter(|_| tree.is(id, Tag::A));
        let fragment = || tree.attr(id, Attr::Href).and_then(|href| href.strip_prefix('#'));
        tree.attr(id, Attr::Id).or_else(name).or_else(fragment)
    }

    /// The title of a note, the label of a tab or the summary of details: a paragraph in bold.
    fn enter_label(&mut self, id: NodeId) -> Below {
        self.separate();
        if self.classified.mark(id).has_heading {
            self.push(id, Frame::Block);
        } else {
            self.inline.open(Style::Strong);
            self.push(id, Frame::Label);
        }
        Below::Walk
    }

    fn leave_label(&mut self) {
        self.inline.close();
        self.separate();
    }

    fn enter_link(&mut self, id: NodeId) -> Below {
        let href = self.tree.attr(id, Attr::Href).unwrap_or_default();
        if self.is_mark_of_heading(id, href) {
            return if is_glyph(self.tree, id) { Below::Skip } else { Below::Walk };
        }
        let Some(target) = self.links.absolute(href) else { return Below::Walk };
        self.counts.links += 1;
        let title = self.tree.attr(id, Attr::Title).map(str::to_owned);
        let link = Style::Link { target, title };
        if self.classified.mark(id).has_block && self.inline.place == Place::Paragraph {
            self.separate();
            self.card = Some(link);
            self.push(id, Frame::Card);
            self.push(id, Frame::Block);
        } else {
            self.inline.open(link);
            self.push(id, Frame::Style);
        }
        Below::Walk
    }

    /// A link from a heading to itself says nothing, and one that is only a sign need not be seen.
    fn is_mark_of_heading(&self, id: NodeId, href: &str) -> bool {
        let is_local = href.starts_with('#');
        (self.inline.place == Place::Heading && (is_local || href.is_empty())) || (is_local && is_glyph(self.tree, id))
    }

    fn image(&mut self, id: NodeId) -> Below {
        let Some(source) = self.links.image(self.tree, id) else { return Below::Skip };
        let mut markdown = String::from("![");
        let alt = crate::metadata::clean(self.tree.attr(id, Attr::Alt).unwrap_or_default()).unwrap_or_default();
        escape::push_text(&mut markdown, &alt, self.inline.place == Place::Cell);
        markdown.push_str("](");
        let title = self.tree.attr(id, Attr::Title).filter(|title| !title.trim().is_empty());
        escape::push_target(&mut markdown, &source, title);
        markdown.push(')');
        self.inline.push_raw(&markdown, "");
        Below::Skip
    }

    fn code_block(&mut self, id: NodeId) -> Below {
        // mdBook puts a <pre> around the <pre>.
        if self.tree.elements(id).any(|child| self.tree.is(child, Tag::Pre)) {
            return self.enter_block(id);
        }
        let code = code::text(self.tree, self.classified, id);
        if self.inline.place != Place::Paragraph {
            self.inline.push_code(&code);
            return Below::Skip;
        }
        self.flush();
        if !code.trim().is_empty() && !code::is_number_column(self.tree, id, &code) {
            self.counts.code_blocks += 1;
            if self.is_in_code_group(id) {
                self.enter_tab_panel();
            }
            self.output.code(&code::language(self.tree, id), &code);
        }
        Below::Skip
    }

    /// Code with line breaks is a block, although it is not said to be one.
    fn code_span(&mut self, id: NodeId) -> Below {
        if self.tree.subtree(id).any(|below| self.tree.is(below, Tag::Pre)) {
            return Below::Walk;
        }
        let has_breaks = self.tree.subtree(id).any(|below| self.tree.is(below, Tag::Br));
        if has_breaks && self.inline.place == Place::Paragraph && self.lists.is_empty() {
            return self.code_block(id);
        }
        let code = code::text(self.tree, self.classified, id);
        match self.only_link(id) {
            Some(link) => {
                self.inline.open(link);
                self.inline.push_code(&code);
                self.inline.close();
            }
            None => self.inline.push_code(&code),
        }
        Below::Skip
    }

    /// A link that is all there is in a piece of code goes around it.
    fn only_link(&self, id: NodeId) -> Option<Style> {
        let mut inside = self.tree.children(id);
        let only = inside.next().filter(|_| inside.next().is_none())?;
        let href = self.tree.attr(only, Attr::Href).filter(|_| self.tree.is(only, Tag::A))?;
        let is_in_link = self.frames.iter().any(|(id, _)| self.tree.is(*id, Tag::A));
        let target = self.links.absolute(href).filter(|_| !is_in_link && self.inline.place != Place::Heading)?;
        Some(Style::Link { target, title: None })
    }

    fn enter_table(&mut self, id: NodeId) -> Below {
        if self.inline.place == Place::Cell {
            return self.enter_block(id);
        }
        self.separate();
        let kind = table::kind(self.tree, self.classified, id);
        match kind {
            TableKind::Complex => {
                let html = html::table(self.tree, self.classified, &self.links, id);
                self.counts.tables += 1;
                self.output.verbatim(BlockKind::Table, &html.markup, &html.text);
                return Below::Skip;
            }
            TableKind::Simple => self.tables.push(Rows::default()),
            TableKind::Layout => {}
        }
        self.push(id, Frame::Table(kind));
        Below::Walk
    }

    fn leave_table(&mut self, kind: TableKind) {
        self.separate();
        if kind == TableKind::Layout {
            return;
        }
        let Some(rows) = self.tables.pop() else { return };
        if let Some((markdown, text)) = &rows.caption {
            self.output.paragraph(markdown, text);
        }
        if !rows.is_empty() {
            self.counts.tables += 1;
            let (markdown, text) = rows.finish();
            self.output.verbatim(BlockKind::Table, &markdown, &text);
        }
    }

    /// Is the innermost table one whose cells become cells?
    fn is_in_rows(&self) -> bool {
        let innermost = self.frames.iter().rev().find_map(|(_, frame)| match frame {
            Frame::Table(kind) => Some(*kind),
            _ => None,
        });
        innermost == Some(TableKind::Simple) && self.inline.place != Place::Cell
    }

    fn enter_row(&mut self, id: NodeId) -> Below {
        if !self.is_in_rows() {
            return self.enter_block(id);
        }
        let is_in_head = self.tree.parent(id).is_some_and(|parent| self.tree.is(parent, Tag::Thead));
        let mut cells = self.tree.elements(id).filter(|cell| self.tree.tag(*cell).is_some_and(Tag::is_cell)).peekable();
        let is_header = is_in_head || cells.peek().is_some() && cells.all(|cell| self.tree.is(cell, Tag::Th));
        if let Some(rows) = self.tables.last_mut() {
            rows.start_row(is_header);
        }
        Below::Walk
    }

    fn enter_cell(&mut self, id: NodeId) -> Below {
        if !self.is_in_rows() {
            return self.enter_block(id);
        }
        self.flush();
        let around = std::mem::replace(&mut self.inline, Inline::new(Place::Cell));
        self.push(id, Frame::Cell { align: table::align(self.tree, id), around });
        Below::Walk
    }

    fn leave_cell(&mut self, align: &'static str, around: Inline) {
        let cell = std::mem::replace(&mut self.inline, around).take();
        if let Some(rows) = self.tables.last_mut() {
            rows.push_cell(cell, align);
        }
    }

    fn enter_caption(&mut self, id: NodeId) -> Below {
        if !self.is_in_rows() {
            return self.enter_block(id);
        }
        let around = std::mem::replace(&mut self.inline, Inline::new(Place::Heading));
        self.push(id, Frame::Caption { around });
        Below::Walk
    }

    fn leave_caption(&mut self, around: Inline) {
        let caption = std::mem::replace(&mut self.inline, around).take();
        if let Some(rows) = self.tables.last_mut().filter(|_| !caption.0.is_empty()) {
            rows.caption = Some(caption);
        }
    }

    fn finish(mut self) -> Written {
        self.flush();
        let blocks = self.output.blocks();
        let sections = sections::cut(&self.output.text, std::mem::take(&mut self.output.headings));
        Written { markdown: self.output.markdown, text: self.output.text, sections, blocks, counts: self.counts }
    }
}

/// Signs that stand for a link to the place itself.
const GLYPHS: &[&str] = &[
    "¶",
    "#",
    "§",
    "🔗",
    "∞",
    "⚓",
    "↩",
    "↩︎",
    "^",
    "​",
    "\u{f0c1}",
    "link",
    "Link to this heading",
    "[link]",
    "Permalink",
    "permalink",
];

fn is_glyph(tree: &Tree, id: NodeId) -> bool {
    if tree.subtree(id).any(|below| tree.is(below, Tag::Img)) {
        return false;
    }
    let mut text = String::new();
    for below in tree.subtree(id) {
        text.push_str(tree.text(below).unwrap_or_default());
        if text.len() > 40 {
            return false;
        }
    }
    let text = text.trim();
    text.is_empty() || GLYPHS.contains(&text)
}
