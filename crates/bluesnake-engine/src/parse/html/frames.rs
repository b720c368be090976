//! Frameset documents: `<frameset>` replaces the body, and only frames count in it.

use bluesnake_html::{AttributeName as Name, Attributes, Tag, Tags};

use super::stack::TABLE_PARTS;
use super::{Part, Reader};

/// Elements that rule out a later `<frameset>`, because the document then has visible content.
#[rustfmt::skip]
const SHOWN: Tags = Tags::of(&[
    Tag::Applet, Tag::Area, Tag::Br, Tag::Button, Tag::Dd, Tag::Dt, Tag::Embed, Tag::Hr, Tag::Iframe, Tag::Image,
    Tag::Img, Tag::Input, Tag::Keygen, Tag::Li, Tag::Listing, Tag::Marquee, Tag::Object, Tag::Pre, Tag::Select, Tag::Table,
    Tag::Template, Tag::Textarea, Tag::Wbr, Tag::Xmp,
]);

/// Whether a `<frameset>` may still follow, and what it would replace.
#[derive(Debug, Default)]
pub(super) struct Frames {
    are_ruled_out: bool,
    /// How many links were kept and how many cut before the body.
    links_before_body: (usize, usize),
}

impl Frames {
    pub(super) fn rule_out(&mut self) {
        self.are_ruled_out = true;
    }

    pub(super) fn body_begins(&mut self, kept: usize, cut: usize) {
        self.links_before_body = (kept, cut);
    }

    /// Called for each element, which may rule them out.
    #[inline]
    pub(super) fn see(&mut self, tag: Tag, attributes: &Attributes<'_>) {
        if !self.are_ruled_out && SHOWN.has(tag) {
            let kind = attributes.value(Name::Type).filter(|_| tag == Tag::Input);
            self.are_ruled_out = !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
        }
    }
}

impl Reader<'_> {
    /// Whether a start tag is ignored at this place.
    #[inline]
    pub(super) fn is_ignored(&self, tag: Tag) -> bool {
        match tag {
            // After the outermost frameset only fallback text may follow.
            Tag::Frame => self.part != Part::Frames || self.open.len() == 1,
            Tag::Frameset if self.part == Part::Frames => self.open.len() == 1,
            Tag::Frameset => self.open.surroundings().is_inert || self.part == Part::Body && self.frames.are_ruled_out,
            Tag::Head | Tag::Body if self.part == Part::Frames => true,
            Tag::Html | Tag::Head | Tag::Body => self.open.surroundings().is_inert,
            Tag::Noframes => false,
            // Parts of a table are ignored outside of one.
            _ if TABLE_PARTS.has(tag) => !self.open.is_in_table() && !self.open.surroundings().is_inert,
            _ => self.part == Part::Frames,
        }
    }

    /// The outermost `<frameset>` begins; a body without visible content is discarded.
    pub(super) fn open_frames(&mut self) {
        self.close_down_to(1);
        if self.part == Part::Body {
            let (kept, cut) = self.frames.links_before_body;
            self.links.cut = cut;
            self.links.found.truncate(kept);
            self.fragments.truncate(kept);
            self.captions.retain(|caption| caption.link() < kept);
            self.form = None;
        }
        self.is_head_open = false;
        self.part = Part::Frames;
    }
}
