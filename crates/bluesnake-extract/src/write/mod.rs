//! Writes the content of a page as Markdown and plain text, in one walk.
//!
//! [`write`] walks the tree without recursion. What an element opened (a list item, a style, a cell) is a [`Frame`],
//! closed when the element is left. Running text is collected in [`Inline`] and becomes a block of [`Output`] when
//! the next block begins.

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

use crate::anchors::Anchor;
use crate::classify::Classified;
use crate::content::Content;
use crate::corpus::{BlockFingerprint, BlockKind};
use crate::marks::Shape;
use crate::sections::{self, Section};
use crate::tree::{NodeId, Step, Tag, Tags, Tree, is_block};

use inline::{Inline, Place, Style};
use links::Links;
use lists::{LastList, List};
use output::{Output, Spacing};
use table::{Rows, TableKind};

#[rustfmt::skip]
const NEVER_WRITTEN: Tags = Tags::of(&[
    Tag::Style, Tag::Template, Tag::Svg, Tag::Noscript, Tag::Iframe, Tag::Textarea, Tag::Title, Tag::Rp, Tag::Wbr,
    Tag::Video, Tag::Audio, Tag::Canvas, Tag::Object,
]);

/// The result of the walk.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) markdown: String,
    pub(crate) text: String,
    pub(crate) sections: Vec<Section>,
    pub(crate) blocks: Vec<BlockFingerprint>,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) counts: Counts,
}

/// Counts used for the confidence.
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
    for part in content.title.into_iter().chain([content.root]).chain(content.notes) {
        writer.walk(part);
    }
    writer.finish()
}

/// Whether the walk continues below an element.
#[derive(Debug, PartialEq, Eq)]
enum Below {
    Walk,
    Skip,
}

/// What to close when an element is left.
#[derive(Debug)]
enum Frame {
    Block,
    Style,
    Container,
    Heading {
        level: u8,
        anchor: Option<String>,
    },
    /// A paragraph in bold: the title of a note, the label of a tab, a term.
    Label,
    List,
    Item,
    Definitions,
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
    /// The target of the link around the blocks being written, until one of them has it.
    card: Option<String>,
    /// So that the next list is not read as its continuation.
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
        self.tree.walk(root, |step| match step {
            Step::Enter(id) => self.enter(id) == Below::Skip,
            Step::Leave(id) => {
                self.leave(id);
                false
            }
        });
    }

    fn enter(&mut self, id: NodeId) -> Below {
        if self.classified.is_dropped(id) {
            return Below::Skip;
        }
        if let Some(text) = self.tree.text(id) {
            self.inline.push_text(self.after_number(id, text));
            return Below::Skip;
        }
        if self.is_footnote_label(id) || self.is_list_of_code_group(id) {
            return Below::Skip;
        }
        let tag = self.tree.tag(id).unwrap_or(Tag::Other);
        if let Some(name) = self.tree.fragment(id) {
            self.note_anchor(name, tag);
        }
        match self.enter_shape(id, tag) {
            Some(below) => below,
            None => self.enter_tag(id, tag),
        }
    }

    fn enter_shape(&mut self, id: NodeId, tag: Tag) -> Option<Below> {
        match self.classified.shape(id) {
            Shape::Plain | Shape::CodeTable | Shape::Footnotes | Shape::MaybeAdmonition | Shape::MaybePager => None,
            Shape::Admonition => self.enter_admonition(id, tag),
            Shape::AdmonitionTitle | Shape::TabLabel => Some(self.enter_label(id)),
            Shape::Katex | Shape::KatexDisplay | Shape::Math => self.enter_math(id),
            Shape::FootnoteReference => self.enter_footnote_reference(id),
            Shape::Footnote => self.enter_footnote(id, tag),
            Shape::TabList => self.enter_tab_list(id),
            Shape::TabPanel => {
                self.enter_tab_panel();
                None
            }
            Shape::CodeGroup => self.enter_code_group(id),
            Shape::Signature => self.enter_signature(id, tag),
            Shape::Operation => self.enter_operation(id, tag),
            Shape::Title => Some(self.enter_heading(id, 1)),
            Shape::Code => self.enter_lines(id),
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
            _ if NEVER_WRITTEN.has(tag) => Below::Skip,
            _ => match tag.heading_level() {
                Some(level) => self.enter_heading(id, level),
                None if is_block(tag) => self.enter_block(id),
                None => Below::Walk,
            },
        }
    }

    fn leave(&mut self, id: NodeId) {
        while let Some((_, frame)) = self.frames.pop_if(|(opened_by, _)| *opened_by == id) {
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
            Frame::Label => {
                self.inline.close();
                self.separate();
            }
            Frame::List => self.leave_list(),
            Frame::Item => self.leave_item(),
            Frame::Definitions => self.leave_definitions(),
            Frame::Table(kind) => self.leave_table(kind),
            Frame::Cell { align, around } => self.leave_cell(align, around),
            Frame::Caption { around } => self.leave_caption(around),
            Frame::Card => self.card = None,
        }
    }

    fn push(&mut self, id: NodeId, frame: Frame) {
        self.frames.push((id, frame));
    }

    /// Ends the current block. Where everything must stay on one line, writes a space or a break instead.
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
        let markdown = self.with_card(markdown);
        self.output.paragraph(&markdown, &text);
    }

    /// The block as a link, if it is the first one of a card.
    fn with_card(&mut self, markdown: String) -> String {
        match self.card.take() {
            Some(target) if !markdown.contains("](") => {
                let mut linked = format!("[{markdown}](");
                escape::push_target(&mut linked, &target, None);
                linked.push(')');
                linked
            }
            _ => markdown,
        }
    }

    fn enter_block(&mut self, id: NodeId) -> Below {
        self.separate();
        self.push(id, Frame::Block);
        Below::Walk
    }

    fn open_style(&mut self, id: NodeId, style: Style) -> Below {
        // Markdown cannot express a style around blocks, and one in a heading is redundant.
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
        self.open_box(id, "> ", "> ");
        Below::Walk
    }

    /// A quote, a note or a footnote, whose lines have a prefix.
    fn open_box(&mut self, id: NodeId, first: impl Into<String>, rest: &str) {
        self.flush();
        self.output.begin_group(BlockKind::Text);
        self.output.open_container(first, rest, Spacing::Loose);
        self.push(id, Frame::Container);
    }

    fn enter_heading(&mut self, id: NodeId, level: u8) -> Below {
        if self.inline.place != Place::Paragraph {
            return self.enter_block(id);
        }
        if self.is_title_of_note(id) {
            return self.enter_bold(id);
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
        let markdown = self.with_card(markdown);
        self.output.heading(level, &markdown, &text, anchor);
    }

    /// The title of a note, the label of a tab or the summary of details: a paragraph in bold.
    fn enter_label(&mut self, id: NodeId) -> Below {
        if self.classified.mark(id).has_heading {
            return self.enter_block(id);
        }
        self.enter_bold(id)
    }

    fn enter_bold(&mut self, id: NodeId) -> Below {
        self.separate();
        self.inline.open(Style::Strong);
        self.push(id, Frame::Label);
        Below::Walk
    }

    fn finish(mut self) -> Written {
        self.flush();
        let blocks = self.output.blocks();
        let sections = sections::cut(&self.output.text, std::mem::take(&mut self.output.headings));
        let anchors = self.output.finish_anchors();
        Written {
            markdown: self.output.markdown,
            text: self.output.text,
            sections,
            blocks,
            anchors,
            counts: self.counts,
        }
    }
}
