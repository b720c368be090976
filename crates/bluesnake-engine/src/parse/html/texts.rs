//! Text by where it appears: visible text, titles, scripts, styles, comments.
//!
//! Each goes to the visible text, to the fingerprint, to the page's facts, or nowhere.

use bluesnake_html::{Tag, Text, TextKind, decoded_parts};

use super::{Part, Reader};
use crate::parse::script;
use crate::parse::text::{collapse, cut};

/// How much of a title to keep.
const TITLE_CHARS: usize = 2_000;

impl<'a> Reader<'a> {
    pub(super) fn comment(&mut self, comment: &'a str) {
        if !self.document.settings.hash_strip_comments
            && let Some(hash) = self.hash_here()
        {
            hash.add_comment(comment);
        }
    }

    pub(super) fn text(&mut self, text: Text<'a>) {
        if self.captures.are_open() {
            self.capture_text(text);
        }
        match (text.kind, self.open.top().tag) {
            (TextKind::Markup, _) => self.markup_text(text),
            (TextKind::Title, Tag::Title) => self.title_text(text),
            (TextKind::Raw, Tag::Script) => self.script_text(text.raw),
            (TextKind::Raw, Tag::Style) => self.style_text(text.raw),
            // Fallback content for clients without frames.
            (TextKind::Raw, Tag::Noframes) => self.read_nested(text.raw),
            (TextKind::Title, Tag::Textarea) => self.textarea_text(text),
            // CDATA is ordinary text; the raw text of other elements is fallback content.
            (TextKind::Raw, _) if self.open.surroundings().is_foreign => self.visible_text(&text.decoded()),
            _ => {}
        }
    }

    fn markup_text(&mut self, text: Text<'a>) {
        if text.raw.bytes().all(|byte| byte <= b' ') {
            self.text.space();
            return self.hash_raw(text.raw);
        }
        if self.part == Part::Frames {
            return;
        }
        self.frames.rule_out();
        self.begin_body();
        if !self.open.surroundings().is_hidden && self.text.push_plain(text.raw) {
            return self.after_visible_text(text.raw);
        }
        for part in decoded_parts(text.raw) {
            self.visible_text(&part);
        }
    }

    fn visible_text(&mut self, text: &str) {
        let surroundings = self.open.surroundings();
        if !surroundings.is_hidden {
            self.text.push(text);
            self.after_visible_text(text);
        } else if !surroundings.is_inert
            && let Some(anchor) = &mut self.anchor
        {
            anchor.add_hidden(text, &self.text);
        }
    }

    /// Passes newly added visible text to everything else that needs it.
    #[inline]
    fn after_visible_text(&mut self, text: &str) {
        if let Some(anchor) = &mut self.anchor {
            anchor.add_visible(text);
        }
        self.hash_raw(text);
    }

    /// Passes the raw text to the fingerprint, if it uses that.
    #[inline]
    fn hash_raw(&mut self, text: &str) {
        if let Some(hashed) = &mut self.hash
            && hashed.is_content
            && !hashed.hash.collapses()
            && !self.open.surroundings().is_hidden
        {
            hashed.hash.add_raw(text);
        }
    }

    fn title_text(&mut self, text: Text<'a>) {
        if self.open.surroundings().is_inert || self.open.surroundings().is_foreign {
            return;
        }
        let title = collapse(&text.decoded());
        if let Some(hash) = self.hash_here() {
            hash.add(&title);
        }
        if self.page.titles == 1 {
            self.page.title = Some(cut(&title, TITLE_CHARS).to_owned());
        }
    }

    fn script_text(&mut self, script: &'a str) {
        if self.open.surroundings().is_inert {
            return;
        }
        self.page.inline_script_bytes += script.len();
        if self.is_json_ld {
            self.json_ld(script);
        } else if self.page.script_redirect.is_none() {
            self.page.script_redirect = script::redirect(script).map(str::to_owned);
        }
        if let Some(hash) = self.hash_here() {
            hash.add_code(script);
        }
    }

    fn style_text(&mut self, css: &'a str) {
        if self.open.surroundings().is_inert {
            return;
        }
        self.page.inline_style_bytes += css.len();
        self.css_references(css);
        if let Some(hash) = self.hash_here() {
            hash.add_code(css);
        }
    }
}
