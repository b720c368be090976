//! Links and images with absolute URLs.

use std::cell::Cell;

use url::Url;

use super::inline::{Place, Style};
use super::{Below, Frame, Writer, escape};
use crate::tree::{Attr, NodeId, Tag, Tree, is_block};

#[derive(Debug)]
pub(super) struct Links<'a> {
    base: &'a Url,
    /// The page's URL without a fragment, which `#part` is appended to.
    page: String,
    /// Bytes of URLs written so far.
    spent: Cell<usize>,
}

/// A short link may have a long URL: the limit for all URLs of a page.
const MAX_ADDRESSES: usize = 32 << 20;

impl<'a> Links<'a> {
    pub(super) fn new(base: &'a Url) -> Self {
        let page = base.as_str().split('#').next().unwrap_or_default().to_owned();
        Self { base, page, spent: Cell::new(0) }
    }

    /// `None` for scripts, invalid URLs, and pages over the limit.
    pub(super) fn absolute(&self, href: &str) -> Option<String> {
        let address = self.resolve(href.trim()).filter(|_| self.spent.get() < MAX_ADDRESSES)?;
        self.spent.set(self.spent.get() + address.len());
        Some(address)
    }

    fn resolve(&self, href: &str) -> Option<String> {
        if href.is_empty() || is_script(href) {
            return None;
        }
        if href.starts_with('#') {
            return Some(format!("{}{href}", self.page));
        }
        let is_absolute = href.starts_with("https://") || href.starts_with("http://");
        if is_absolute && href.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\') {
            return Some(href.to_owned());
        }
        self.base.join(href).ok().map(String::from)
    }

    /// The URL of an image; lazy-loaded ones hide it. Inline images have none.
    pub(super) fn image(&self, tree: &Tree, id: NodeId) -> Option<String> {
        let sources = [Attr::Src, Attr::DataSrc].into_iter().filter_map(|name| tree.attr(id, name));
        let mut real = sources.filter(|source| !source.trim_start().starts_with("data:"));
        real.find_map(|source| self.absolute(source))
    }
}

impl<'a> Writer<'a> {
    pub(super) fn enter_link(&mut self, id: NodeId) -> Below {
        let href = self.tree.attr(id, Attr::Href).unwrap_or_default();
        if self.is_mark_of_heading(id, href) {
            return if is_glyph(self.tree, id) { Below::Skip } else { Below::Walk };
        }
        let Some(target) = self.links.absolute(href) else { return Below::Walk };
        self.counts.links += 1;
        if self.classified.mark(id).has_block && self.inline.place == Place::Paragraph {
            self.separate();
            self.card = Some(target);
            self.push(id, Frame::Card);
            self.push(id, Frame::Block);
        } else {
            let title = self.tree.attr(id, Attr::Title).map(str::to_owned);
            self.inline.open(Style::Link { target, title });
            self.push(id, Frame::Style);
        }
        Below::Walk
    }

    /// A link from a heading to itself is redundant, and so is one that is only a sign.
    pub(super) fn is_mark_of_heading(&self, id: NodeId, href: &str) -> bool {
        let is_local = href.starts_with('#');
        (self.inline.place == Place::Heading && (is_local || href.is_empty())) || (is_local && is_glyph(self.tree, id))
    }

    pub(super) fn image(&mut self, id: NodeId) -> Below {
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

    /// The anchor of the heading: its id, one in it, that of its section, or what a link in it leads to. The latter
    /// comes last because it may also lead back to a table of contents.
    pub(super) fn anchor(&self, heading: NodeId) -> Option<String> {
        let own = self.tree.attr(heading, Attr::Id);
        let inside = || self.tree.subtree(heading).skip(1).take(6);
        let in_heading = || inside().find_map(|id| self.tree.fragment(id));
        // What begins with the heading is its section; DocBook puts titles several elements deep.
        let of_section = || {
            let opened = self.tree.with_ancestors(heading).take(DEEPEST_TITLE);
            let sections = opened.map_while(|below| {
                let parent = self.tree.parent(below)?;
                // A heading beyond this does not open the section; searching further would be quadratic in the headings.
                let mut first = self.tree.elements(parent).take(64);
                let begins = match below == heading {
                    true => first.find(|child| self.tree.is_heading(*child)) == Some(heading),
                    false => first.next() == Some(below),
                };
                begins.then_some(parent)
            });
            sections
                .filter(|section| !self.tree.is(*section, Tag::Body))
                .find_map(|section| self.tree.attr(section, Attr::Id))
        };
        let of_link = || inside().find_map(|id| self.tree.attr(id, Attr::Href)?.strip_prefix('#'));
        let anchor = own.or_else(in_heading).or_else(of_section).or_else(of_link);
        anchor.filter(|id| !id.is_empty()).map(str::to_owned)
    }

    /// The id belongs to the next block, or to that which is being written if the element is in its text.
    pub(super) fn note_anchor(&mut self, id: &str, tag: Tag) {
        if is_block(tag) && self.inline.place == Place::Paragraph {
            self.flush();
        }
        self.output.note_anchor(id);
    }
}

fn is_script(href: &str) -> bool {
    let scheme = href.split(':').next().unwrap_or_default();
    ["javascript", "vbscript", "data"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// How deep a title may be in its section.
const DEEPEST_TITLE: usize = 5;

/// Permalink signs, separated by commas.
const GLYPHS: &str = "¶,#,§,🔗,∞,⚓,↩,↩︎,^,\u{200b},\u{f0c1},link,Link to this heading,[link],Permalink,permalink";

pub(super) fn is_glyph(tree: &Tree, id: NodeId) -> bool {
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
    text.is_empty() || GLYPHS.split(',').any(|glyph| glyph == text)
}
