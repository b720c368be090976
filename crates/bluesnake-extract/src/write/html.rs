//! Tables that Markdown cannot express, kept as plain HTML: merged cells, and lists, code or tables in cells.
//!
//! Only meaningful elements are kept, with absolute links, and no line is empty: that would end the block.

use crate::classify::Classified;
use crate::metadata::on_one_line;
use crate::tree::{Attr, NodeId, Step, Tag, Tags, Tree, is_block};

use super::code;
use super::links::Links;

#[derive(Default)]
pub(super) struct Html {
    pub(super) markup: String,
    pub(super) text: String,
}

pub(super) fn table(tree: &Tree, classified: &Classified, links: &Links, root: NodeId) -> Html {
    let mut writer = HtmlWriter { tree, classified, links, html: Html::default() };
    tree.walk(root, |step| match step {
        Step::Enter(id) => writer.enter(id),
        Step::Leave(id) => {
            writer.leave(id);
            false
        }
    });
    writer.html
}

struct HtmlWriter<'a> {
    tree: &'a Tree,
    classified: &'a Classified,
    links: &'a Links<'a>,
    html: Html,
}

impl HtmlWriter<'_> {
    /// Returns whether the content has been handled.
    fn enter(&mut self, id: NodeId) -> bool {
        let Some(tag) = self.tree.tag(id) else {
            self.text(id);
            return true;
        };
        if self.is_left_out(id, tag) {
            return true;
        }
        if tag == Tag::Pre {
            self.pre(id);
            return true;
        }
        if let Some(name) = name(tag) {
            self.start_line(tag);
            self.html.markup.push('<');
            self.html.markup.push_str(name);
            self.attributes(id, tag);
            self.html.markup.push('>');
        }
        if is_block(tag) || tag == Tag::Br {
            self.separate();
        }
        false
    }

    fn leave(&mut self, id: NodeId) {
        let Some(tag) = self.tree.tag(id) else { return };
        if self.is_left_out(id, tag) || tag == Tag::Pre || tag.is_void() {
            return;
        }
        if let Some(name) = name(tag) {
            if tag == Tag::Table {
                self.start_line(tag);
            }
            self.html.markup.push_str("</");
            self.html.markup.push_str(name);
            self.html.markup.push('>');
        }
        if is_block(tag) {
            self.separate();
        }
    }

    fn is_left_out(&self, id: NodeId, tag: Tag) -> bool {
        self.classified.is_dropped(id)
            || matches!(tag, Tag::Script | Tag::Style | Tag::Svg | Tag::Template | Tag::Noscript)
    }

    fn start_line(&mut self, tag: Tag) {
        let is_line = matches!(tag, Tag::Table | Tag::Tr | Tag::Thead | Tag::Tbody | Tag::Tfoot | Tag::Caption);
        if is_line && !self.html.markup.is_empty() && !self.html.markup.ends_with('\n') {
            self.html.markup.push('\n');
        }
    }

    fn separate(&mut self) {
        let text = &mut self.html.text;
        text.push_str(if text.is_empty() || text.ends_with([' ', '\n']) { "" } else { " " });
    }

    fn text(&mut self, id: NodeId) {
        let text = self.tree.text(id).unwrap_or_default();
        let mut words = text.split_ascii_whitespace().peekable();
        if text.starts_with(|letter: char| letter.is_ascii_whitespace()) {
            self.space();
        }
        while let Some(word) = words.next() {
            push_escaped(&mut self.html.markup, word);
            self.html.text.push_str(word);
            if words.peek().is_some() || text.ends_with(|letter: char| letter.is_ascii_whitespace()) {
                self.space();
            }
        }
    }

    fn space(&mut self) {
        let markup = &mut self.html.markup;
        markup.push_str(if markup.ends_with([' ', '>', '\n']) && !ends_inline(markup) { "" } else { " " });
        self.separate();
    }

    fn pre(&mut self, id: NodeId) {
        let code = code::text(self.tree, self.classified, id);
        self.html.markup.push_str("<pre>");
        for (at, line) in code.strip_suffix('\n').unwrap_or(&code).split('\n').enumerate() {
            if at > 0 {
                self.html.markup.push('\n');
            }
            // An empty line would end the block of HTML, and readers drop a line break right after the tag.
            if line.trim().is_empty() {
                self.html.markup.push_str("<!-- -->");
            }
            push_escaped(&mut self.html.markup, line);
        }
        self.html.markup.push_str("</pre>");
        self.separate();
        self.html.text.push_str(&code);
        self.separate();
    }

    fn attributes(&mut self, id: NodeId, tag: Tag) {
        match tag {
            Tag::Td | Tag::Th => {
                self.attribute(id, Attr::Colspan);
                self.attribute(id, Attr::Rowspan);
            }
            Tag::Ol => self.attribute(id, Attr::Start),
            Tag::A => {
                let href = self.tree.attr(id, Attr::Href).and_then(|href| self.links.absolute(href));
                self.value("href", href.as_deref());
            }
            Tag::Img => {
                let src = self.links.image(self.tree, id);
                self.value("src", src.as_deref());
                self.attribute(id, Attr::Alt);
            }
            _ => {}
        }
    }

    fn attribute(&mut self, id: NodeId, name: Attr) {
        self.value(name.as_str(), self.tree.attr(id, name));
    }

    fn value(&mut self, name: &str, value: Option<&str>) {
        let Some(value) = value.filter(|value| !value.trim().is_empty()) else { return };
        self.html.markup.push(' ');
        self.html.markup.push_str(name);
        self.html.markup.push_str("=\"");
        push_escaped(&mut self.html.markup, &on_one_line(value));
        self.html.markup.push('"');
    }
}

/// Whether it ends with an inline element, after which a space matters.
fn ends_inline(markup: &str) -> bool {
    ["</a>", "</code>", "</strong>", "</em>", "</sub>", "</sup>", "</del>", "</kbd>"]
        .iter()
        .any(|end| markup.ends_with(end))
        || markup.ends_with("-->")
        || markup.rsplit_once('<').is_some_and(|(_, last)| last.starts_with("img"))
}

fn push_escaped(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(letter),
        }
    }
}

/// Elements written under their own name.
#[rustfmt::skip]
const KEPT: Tags = Tags::of(&[
    Tag::Table, Tag::Caption, Tag::Thead, Tag::Tbody, Tag::Tfoot, Tag::Tr, Tag::Th, Tag::Td, Tag::P, Tag::Ul, Tag::Ol,
    Tag::Li, Tag::Dl, Tag::Dt, Tag::Dd, Tag::Blockquote, Tag::Code, Tag::A, Tag::Img, Tag::Strong, Tag::Em, Tag::Del,
    Tag::Sub, Tag::Sup, Tag::Kbd, Tag::Br, Tag::Hr,
]);

fn name(tag: Tag) -> Option<&'static str> {
    Some(match tag {
        Tag::Menu | Tag::Dir => "ul",
        Tag::Samp | Tag::Tt => "code",
        Tag::I => "em",
        Tag::S | Tag::Strike => "del",
        _ if tag == Tag::B || tag.is_heading() => "strong",
        _ if KEPT.has(tag) => tag.as_str(),
        _ => return None,
    })
}
