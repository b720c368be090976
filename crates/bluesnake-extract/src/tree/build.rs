//! From tags to a tree, as browsers do for typical pages.
//!
//! The tokenizer follows the standard. The tree is the browser's wherever end tags match, and where the standard lets
//! authors omit them (`p`, `li`, `dt`, `tr`, …). Misnested text styles are closed without moving nodes, and text
//! between the rows of a table stays there. In return, time is linear in the length of a page: no tag looks further
//! up than [`MAX_DEPTH`].

use std::ops::Range;

use bluesnake_html::{
    Attributes, Selector, StartTag, Tags, Text, TextKind, Token, Tokenizer, decoded_parts, with_plain_line_breaks,
};

use super::selecting::Selecting;
use super::{Attr, Kind, NONE, Node, NodeId, ROOT, Tag, Tree};

/// Maximum nesting; deeper content becomes text of the deepest element.
pub(crate) const MAX_DEPTH: usize = 512;

/// Maximum number of nodes; further ones are dropped. A node takes about 100 bytes of memory until the page is
/// written, and three bytes of markup make one. Real pages have less than a hundredth of this.
pub(crate) const MAX_NODES: usize = 1_000_000;

/// Maximum bytes of text and attributes, so that positions fit in 32 bits.
const MAX_BYTES: usize = u32::MAX as usize / 2;

/// The attributes to keep. A page has thousands of others that are never read.
const KEPT: u64 = {
    use Attr as A;
    #[rustfmt::skip]
    let names = [
        A::Align, A::Alt, A::AriaHidden, A::Checked, A::Class, A::Colspan, A::Content, A::DataFootnoteRef, A::DataLang,
        A::DataLanguage, A::DataSrc, A::Encoding, A::Hidden, A::Href, A::Id, A::Itemprop, A::Lang, A::Name, A::Property,
        A::Rel, A::Role, A::Rowspan, A::Src, A::Start, A::Style, A::Title, A::Type, A::Value,
    ];
    let (mut kept, mut at) = (0, 0);
    while at < names.len() {
        kept |= names[at].bit();
        at += 1;
    }
    kept
};

/// Elements whose content is discarded.
#[rustfmt::skip]
const SKIPPED: Tags = Tags::of(&[
    Tag::Script, Tag::Style, Tag::Noscript, Tag::Noembed, Tag::Iframe, Tag::Textarea, Tag::Template, Tag::Svg,
]);

impl Tree {
    pub(crate) fn parse(html: &str) -> Self {
        Self::parse_selecting(html, &[], &[])
    }

    /// Also finds the elements that selectors match: they may ask for attributes that the tree does not keep.
    pub(crate) fn parse_selecting(html: &str, include: &[Selector], exclude: &[Selector]) -> Self {
        let html = with_plain_line_breaks(html);
        let mut tokenizer = Tokenizer::new(&html);
        let mut builder = Builder::new(html.len(), Selecting::new(include, exclude));
        while let Some(token) = tokenizer.next() {
            match token {
                Token::Start(start) => builder.start_tag(start, &mut tokenizer),
                Token::End(end) => builder.end_tag(end.tag, &mut tokenizer),
                Token::Text(text) => builder.text(text),
                Token::Comment(_) | Token::Doctype => {}
            }
        }
        builder.tree
    }
}

struct Builder<'s> {
    tree: Tree,
    /// `None` for most pages: the caller has no selectors.
    selecting: Option<Selecting<'s>>,
    /// The elements that are open, outermost first. [`ROOT`] is always the first.
    open: Vec<(NodeId, Tag)>,
    /// How many open elements are paragraphs, so that most start tags need not search.
    open_paragraphs: usize,
    /// Start tags ignored because of depth whose end tags are still to come.
    too_deep: usize,
    /// The element whose content is being discarded, and its nesting depth in itself.
    skipping: Option<(Tag, usize)>,
    /// `<pre>` was just opened: a line break right after it is ignored.
    after_pre: bool,
}

impl<'s> Builder<'s> {
    fn new(bytes: usize, selecting: Option<Selecting<'s>>) -> Self {
        let root =
            Node { parent: NONE, first_child: NONE, last_child: NONE, next: NONE, kind: element(Tag::Html, 0..0) };
        let mut nodes = Vec::with_capacity((bytes / 24 + 16).min(MAX_NODES));
        nodes.push(root);
        let strings = String::with_capacity(bytes.min(1 << 20));
        let tree = Tree { nodes, attributes: Vec::with_capacity(bytes / 64), strings, ..Tree::default() };
        let open = vec![(ROOT, Tag::Html)];
        Self { tree, selecting, open, open_paragraphs: 0, too_deep: 0, skipping: None, after_pre: false }
    }

    fn start_tag(&mut self, start: StartTag<'_>, tokenizer: &mut Tokenizer<'_>) {
        self.after_pre = false;
        let closes_itself = start.tag == Tag::Svg && start.is_self_closing;
        if let Some((skipped, depth)) = &mut self.skipping {
            // In discarded content only the nesting of its element matters.
            *depth += usize::from(*skipped == start.tag && !closes_itself);
        } else if self.has_room() {
            self.start(start.tag, start.name, tokenizer.attributes());
            self.skipping.take_if(|_| closes_itself);
        } else {
            self.tree.left_out += 1;
        }
        match start.tag {
            // Browsers with scripting treat it as text.
            Tag::Noscript => tokenizer.read_raw_text(Tag::Noscript),
            // A frameset page has no other text.
            Tag::Noframes => tokenizer.read_markup(),
            _ => {}
        }
        tokenizer.set_foreign(self.is_in_svg());
    }

    fn start(&mut self, tag: Tag, name: &str, attributes: &Attributes<'_>) {
        match tag {
            Tag::Html | Tag::Body => return self.merge(tag, attributes),
            Tag::Head => return,
            Tag::Form if self.is_between_rows() => return,
            _ => {}
        }
        self.close_implied(tag);
        if self.open.len() >= MAX_DEPTH {
            return self.ignore_deep(tag);
        }
        let id = self.append_element(tag, attributes);
        self.select(id, name, attributes);
        match tag {
            Tag::Meta | Tag::Link | Tag::Title | Tag::Base => self.tree.head.push(id),
            Tag::Script if self.holds_data(id) => self.tree.head.push(id),
            _ if SKIPPED.has(tag) => {
                self.skipping = Some((tag, 1));
                return;
            }
            _ => {}
        }
        self.after_pre = matches!(tag, Tag::Pre | Tag::Listing);
        if !tag.is_void() {
            self.push(id, tag);
        }
    }

    /// JSON-LD, and formulas that MathJax reads from scripts.
    fn holds_data(&self, id: NodeId) -> bool {
        self.tree.attr(id, Attr::Type).is_some_and(|kind| kind.contains("ld+json") || kind.starts_with("math/tex"))
    }

    /// `<html>` is the root even if not written; only its attributes matter. The same goes for `<body>`.
    fn merge(&mut self, tag: Tag, attributes: &Attributes<'_>) {
        match tag {
            Tag::Html => {
                let kept = self.keep_attributes(attributes);
                if let Some(selecting) = self.selecting.as_mut().filter(|_| self.open.len() == 1) {
                    selecting.read(&mut self.tree, ROOT, 0, "html", attributes);
                }
                if let Kind::Element { attributes: of_root, .. } = &mut self.tree.nodes[ROOT as usize].kind
                    && of_root.start == of_root.end
                {
                    *of_root = kept;
                }
            }
            _ if self.open.len() == 1 => {
                let id = self.append_element(tag, attributes);
                self.select(id, "body", attributes);
                self.push(id, tag);
            }
            _ => {}
        }
    }

    fn ignore_deep(&mut self, tag: Tag) {
        self.tree.cut += 1;
        if SKIPPED.has(tag) {
            self.skipping = Some((tag, 1));
        } else if !tag.is_void() {
            self.too_deep += 1;
        }
    }

    /// Closes what a start tag closes implicitly.
    fn close_implied(&mut self, tag: Tag) {
        if tag.closes_paragraph() && self.open_paragraphs > 0 {
            self.close_nearest(|tag| tag == Tag::P, |tag| is_scope(tag) || tag == Tag::Button);
        }
        match tag {
            Tag::Li => self.close_item(&[Tag::Li]),
            Tag::Dt | Tag::Dd => self.close_item(&[Tag::Dt, Tag::Dd]),
            Tag::A => self.close_formatting(Tag::A),
            Tag::Option | Tag::Optgroup if self.top() == Tag::Option => self.pop(),
            Tag::Td | Tag::Th => self.open_row(),
            Tag::Tr => self.pop_to(&[Tag::Table, Tag::Tbody, Tag::Thead, Tag::Tfoot]),
            Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Colgroup => self.pop_to(&[Tag::Table]),
            _ if tag.is_heading() && self.top().is_heading() => self.pop(),
            _ => {}
        }
    }

    /// A cell needs a row, which the page may omit.
    fn open_row(&mut self) {
        self.pop_to(&[Tag::Tr, Tag::Table, Tag::Tbody, Tag::Thead, Tag::Tfoot]);
        if matches!(self.top(), Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot) && self.open.len() < MAX_DEPTH {
            let row = self.append(element(Tag::Tr, 0..0));
            self.select(row, "tr", &Attributes::default());
            self.push(row, Tag::Tr);
        }
    }

    /// Closes the previous item, unless a list or another block is in between.
    fn close_item(&mut self, items: &[Tag]) {
        for at in (1..self.open.len()).rev() {
            let tag = self.open[at].1;
            if items.contains(&tag) {
                return self.truncate(at);
            }
            if tag.is_special() && !matches!(tag, Tag::Address | Tag::Div | Tag::P) {
                return;
            }
        }
    }

    /// Pops to the nearest of `tags` if their table is open; the table stays open.
    fn pop_to(&mut self, tags: &[Tag]) {
        let found = self.open.iter().rposition(|(_, tag)| tags.contains(tag) || is_scope(*tag));
        if let Some(at) = found.filter(|at| tags.contains(&self.open[*at].1)) {
            self.truncate(at + 1);
        } else if let Some(at) = found.filter(|at| matches!(self.open[*at].1, Tag::Td | Tag::Th | Tag::Caption)) {
            self.truncate(at);
            self.pop_to(tags);
        }
    }

    fn end_tag(&mut self, tag: Tag, tokenizer: &mut Tokenizer<'_>) {
        self.after_pre = false;
        if let Some((skipped, depth)) = &mut self.skipping {
            *depth -= usize::from(*skipped == tag);
            if *depth == 0 {
                self.skipping = None;
                tokenizer.set_foreign(false);
            }
            return;
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        self.close(tag);
    }

    fn close(&mut self, tag: Tag) {
        match tag {
            Tag::Html | Tag::Body | Tag::Head => {}
            Tag::Br if self.has_room() => drop(self.append(element(Tag::Br, 0..0))),
            Tag::Br => self.tree.left_out += 1,
            Tag::Form => self.close_formatting(Tag::Form),
            _ if tag.is_formatting() => self.close_formatting(tag),
            _ if tag.is_heading() => self.close_nearest(Tag::is_heading, is_scope),
            // The end of a row also ends its cells.
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr => {
                self.close_nearest(|open| open == tag, |open| open == Tag::Table);
            }
            _ if tag.is_special() => self.close_nearest(|open| open == tag, is_scope),
            _ => self.close_nearest(|open| open == tag, Tag::is_special),
        }
    }

    /// Closes the innermost element that is wanted, unless a barrier is inside it.
    fn close_nearest(&mut self, is_wanted: impl Fn(Tag) -> bool, is_barrier: impl Fn(Tag) -> bool) {
        let found = self.open.iter().rposition(|(_, open)| is_wanted(*open) || is_barrier(*open));
        if let Some(at) = found.filter(|at| is_wanted(self.open[*at].1)) {
            self.truncate(at);
        }
    }

    /// Blocks inside a text style stay open when it ends, so that their own end tags still find them.
    fn close_formatting(&mut self, tag: Tag) {
        let Some(at) = self.open.iter().rposition(|(_, open)| *open == tag || is_scope(*open)) else { return };
        if self.open[at].1 != tag {
            return;
        }
        if self.open[at + 1..].iter().any(|(_, open)| open.is_special()) {
            self.open.remove(at);
            if let Some(selecting) = &mut self.selecting {
                selecting.remove(at);
            }
        } else {
            self.truncate(at);
        }
    }

    fn text(&mut self, text: Text<'_>) {
        if self.skipping.is_some() {
            return;
        }
        if !self.has_room() {
            self.tree.left_out += 1;
            return;
        }
        let mut range = self.keep(text);
        if std::mem::take(&mut self.after_pre) && self.tree.slice(&range).starts_with('\n') {
            range.start += 1;
        }
        if !range.is_empty() {
            self.append(Kind::Text(range));
        }
    }

    fn keep(&mut self, text: Text<'_>) -> Range<u32> {
        let strings = &mut self.tree.strings;
        let start = strings.len() as u32;
        match text.kind {
            TextKind::Markup => decoded_parts(text.raw).for_each(|part| strings.push_str(&part)),
            TextKind::Title | TextKind::Raw => strings.push_str(&text.decoded()),
        }
        start..strings.len() as u32
    }

    /// Tells the selectors about an element that is about to be opened.
    fn select(&mut self, id: NodeId, name: &str, attributes: &Attributes<'_>) {
        if let Some(selecting) = &mut self.selecting {
            selecting.read(&mut self.tree, id, self.open.len(), name, attributes);
        }
    }

    fn append_element(&mut self, tag: Tag, attributes: &Attributes<'_>) -> NodeId {
        let attributes = self.keep_attributes(attributes);
        self.append(element(tag, attributes))
    }

    fn keep_attributes(&mut self, attributes: &Attributes<'_>) -> Range<u32> {
        let first = self.tree.attributes.len() as u32;
        if attributes.has_any(KEPT) {
            for attribute in attributes.iter().filter(|attribute| KEPT & attribute.known.bit() != 0) {
                let start = self.tree.strings.len() as u32;
                self.tree.strings.push_str(&attribute.value());
                self.tree.attributes.push((attribute.known, start..self.tree.strings.len() as u32));
            }
        }
        first..self.tree.attributes.len() as u32
    }

    fn append(&mut self, kind: Kind) -> NodeId {
        let id = self.tree.nodes.len() as NodeId;
        let parent = self.open.last().expect("the root is always open").0;
        self.tree.nodes.push(Node { parent, first_child: NONE, last_child: NONE, next: NONE, kind });
        let before = std::mem::replace(&mut self.tree.nodes[parent as usize].last_child, id);
        match before {
            NONE => self.tree.nodes[parent as usize].first_child = id,
            _ => self.tree.nodes[before as usize].next = id,
        }
        id
    }

    fn push(&mut self, id: NodeId, tag: Tag) {
        self.open_paragraphs += usize::from(tag == Tag::P);
        self.open.push((id, tag));
    }

    fn pop(&mut self) {
        self.truncate(self.open.len() - 1);
    }

    /// Closes everything from `at` on, except the root.
    fn truncate(&mut self, at: usize) {
        let closed = self.open.drain(at.max(1)..);
        self.open_paragraphs -= closed.filter(|(_, tag)| *tag == Tag::P).count();
    }

    fn top(&self) -> Tag {
        self.open.last().expect("the root is always open").1
    }

    fn is_between_rows(&self) -> bool {
        matches!(self.top(), Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr)
    }

    fn is_in_svg(&self) -> bool {
        matches!(self.skipping, Some((Tag::Svg, _)))
    }

    fn has_room(&self) -> bool {
        self.tree.strings.len() < MAX_BYTES && self.tree.nodes.len() < MAX_NODES
    }
}

fn element(tag: Tag, attributes: Range<u32>) -> Kind {
    Kind::Element { tag, attributes }
}

/// No end tag closes anything outside these.
fn is_scope(tag: Tag) -> bool {
    tag.holds_scope() || tag == Tag::Body
}
