//! Admonitions, footnotes, tabs, and signatures.

use super::{Below, Place, Writer};
use crate::marks::Shape;
use crate::tree::{NodeId, Tag};

/// The titles of admonitions that have none, by their class names.
const TITLES: &str = "Note Tip Hint Info Important Warning Caution Danger Error Attention Success Example Question Bug";

/// The level of an operation below the heading of its group.
const OPERATION_LEVEL: u8 = 4;

impl Writer<'_> {
    /// A quote that begins with its title in bold.
    pub(super) fn enter_admonition(&mut self, id: NodeId, tag: Tag) -> Option<Below> {
        let is_box =
            matches!(tag, Tag::Div | Tag::Aside | Tag::Section | Tag::Details | Tag::Blockquote | Tag::Dl | Tag::Other);
        if !is_box || self.inline.place != Place::Paragraph || self.classified.mark(id).text == 0 {
            return None;
        }
        self.open_box(id, "> ", "> ");
        if let Some(title) = self.missing_title(id) {
            self.output.paragraph(&format!("**{title}**"), title);
        }
        Some(Below::Walk)
    }

    /// The title of an admonition, if the page does not include it.
    fn missing_title(&self, id: NodeId) -> Option<&'static str> {
        let mut names = self.tree.classes(id).flat_map(|class| class.split(['-', '_']));
        let title = names.find_map(|name| match name {
            _ if name.eq_ignore_ascii_case("seealso") => Some("See also"),
            _ => TITLES.split(' ').find(|title| name.eq_ignore_ascii_case(title)),
        })?;
        let below = || self.tree.subtree(id).skip(1).take(16);
        let has_title = below().any(|below| {
            self.classified.shape(below) == Shape::AdmonitionTitle
                || self.tree.is(below, Tag::Summary)
                || self.tree.classes(below).any(|class| class.starts_with("admonitionHeading") || class == "title")
        });
        let first = below().filter_map(|below| self.tree.text(below)).map(str::trim).find(|text| !text.is_empty());
        let is_written = first
            .is_some_and(|text| text.len() < 40 && text.to_ascii_lowercase().starts_with(&title.to_ascii_lowercase()));
        (!has_title && !is_written).then_some(title)
    }

    /// The heading of a note would otherwise begin a section of the page.
    pub(super) fn is_title_of_note(&self, heading: NodeId) -> bool {
        self.tree.has_class(heading, "title") && self.is_in_note(heading)
    }

    /// Whether this is directly in a note: a table that puts it beside its icon, or the term that is its title.
    pub(super) fn is_in_note(&self, id: NodeId) -> bool {
        self.tree.parent(id).is_some_and(|parent| self.classified.shape(parent) == Shape::Admonition)
    }

    /// In such a table, a header or the cell of the icon is the title of the note.
    pub(super) fn enter_cell_of_note(&mut self, cell: NodeId) -> Below {
        let is_title = self.tree.is(cell, Tag::Th) || self.tree.has_class(cell, "icon");
        match self.classified.mark(cell).text {
            // Only an icon.
            0 => Below::Skip,
            _ if is_title => self.enter_bold(cell),
            _ => self.enter_block(cell),
        }
    }

    /// `GET /path` as code: a heading in Swagger, which has no other.
    pub(super) fn enter_operation(&mut self, id: NodeId, tag: Tag) -> Option<Below> {
        if self.inline.place != Place::Paragraph {
            return None;
        }
        let texts = |class: &str| {
            let found = self.tree.subtree(id).find(|below| self.tree.has_class(*below, class));
            found.and_then(|found| crate::metadata::clean(&self.tree.all_text(found)))
        };
        let next_to_verb = || {
            let verb = self.tree.elements(id).find(|child| self.tree.has_class(*child, "http-verb"))?;
            let path = self.tree.following(verb).find(|next| self.tree.tag(*next).is_some())?;
            crate::metadata::clean(&self.tree.all_text(path))
        };
        let method = texts("opblock-summary-method").or_else(|| texts("http-verb"))?.to_uppercase();
        let path = texts("opblock-summary-path").or_else(next_to_verb)?;
        let description = texts("opblock-summary-description");
        self.flush();
        self.inline.place = if tag == Tag::Div { Place::Heading } else { Place::Paragraph };
        self.inline.push_code(&format!("{method} {path}"));
        match self.inline.place {
            Place::Heading => self.leave_heading(OPERATION_LEVEL, self.anchor(id)),
            _ => self.flush(),
        }
        self.inline.push_text(&description.unwrap_or_default());
        self.flush();
        Some(Below::Skip)
    }

    pub(super) fn enter_footnote_reference(&mut self, id: NodeId) -> Option<Below> {
        let label = footnote_label(&self.tree.all_text(id))?;
        self.inline.push_raw(&format!("[^{label}]"), &format!("[{label}]"));
        Some(Below::Skip)
    }

    pub(super) fn holds_footnote_reference(&self, id: NodeId) -> bool {
        self.tree.elements(id).any(|child| self.classified.shape(child) == Shape::FootnoteReference)
    }

    /// A footnote in its own box, which begins with its label.
    pub(super) fn enter_footnote(&mut self, id: NodeId, tag: Tag) -> Option<Below> {
        if matches!(tag, Tag::Sup | Tag::A) {
            return self.enter_footnote_reference(id);
        }
        if !matches!(tag, Tag::Aside | Tag::Div) || self.inline.place != Place::Paragraph {
            return None;
        }
        let is_label = |below: &NodeId| self.tree.has_class(*below, "label") || self.is_number_of_footnote(*below);
        let label = self.tree.subtree(id).take(8).find(is_label)?;
        let label = footnote_label(&self.tree.all_text(label))?;
        self.open_box(id, format!("[^{label}]: "), "    ");
        Some(Below::Walk)
    }

    pub(super) fn is_footnote_label(&self, id: NodeId) -> bool {
        let is_in_footnote =
            |id: NodeId| self.tree.parent(id).is_some_and(|parent| self.classified.shape(parent) == Shape::Footnote);
        let is_label = self.tree.is(id, Tag::Span) && self.tree.has_class(id, "label");
        is_label && is_in_footnote(id) || self.is_number_of_footnote(id)
    }

    /// Asciidoctor begins a footnote with a link back, and a full stop.
    fn is_number_of_footnote(&self, id: NodeId) -> bool {
        let footnote = self.tree.parent(id).filter(|parent| self.classified.shape(*parent) == Shape::Footnote);
        self.tree.is(id, Tag::A)
            && footnote.is_some_and(|footnote| {
                self.tree.is(footnote, Tag::Div) && self.tree.elements(footnote).next() == Some(id)
            })
    }

    /// The text without the full stop after such a number.
    pub(super) fn after_number<'t>(&self, text: NodeId, words: &'t str) -> &'t str {
        let Some(rest) = words.strip_prefix(". ") else { return words };
        let follows =
            |parent| self.tree.elements(parent).next().is_some_and(|first| self.tree.next(first) == Some(text));
        let parent = self.tree.parent(text).filter(|parent| self.classified.shape(*parent) == Shape::Footnote);
        if parent.is_some_and(follows) { rest } else { words }
    }

    /// The labels are held until their panels.
    pub(super) fn enter_tab_list(&mut self, id: NodeId) -> Option<Below> {
        self.separate();
        let is_label = |below: &NodeId| {
            matches!(self.tree.tag(*below), Some(Tag::Li | Tag::Label | Tag::Button | Tag::A | Tag::Div))
        };
        let labels = self.tree.elements(id).filter(is_label);
        self.tab_labels = labels.filter_map(|label| crate::metadata::clean(&self.tree.all_text(label))).collect();
        Some(Below::Skip)
    }

    /// The labels are the first child, the code blocks are in the second.
    pub(super) fn enter_code_group(&mut self, id: NodeId) -> Option<Below> {
        let labels = self.tree.elements(id).next()?;
        self.enter_tab_list(labels);
        None
    }

    pub(super) fn is_list_of_code_group(&self, id: NodeId) -> bool {
        let group = self.tree.parent(id).filter(|parent| self.classified.shape(*parent) == Shape::CodeGroup);
        group.is_some_and(|group| self.tree.elements(group).next() == Some(id))
    }

    pub(super) fn is_in_code_group(&self, id: NodeId) -> bool {
        self.tree.ancestors(id).take(4).any(|above| self.classified.shape(above) == Shape::CodeGroup)
    }

    pub(super) fn enter_tab_panel(&mut self) {
        self.separate();
        let Some(label) = self.tab_labels.pop_front() else { return };
        if self.inline.place == Place::Paragraph {
            let mut escaped = String::new();
            super::escape::push_text(&mut escaped, &label, false);
            self.output.paragraph(&format!("**{escaped}**"), &label);
        }
    }

    /// The signature of a function or type, formatted as code.
    pub(super) fn enter_signature(&mut self, id: NodeId, tag: Tag) -> Option<Below> {
        if self.inline.place != Place::Paragraph {
            return None;
        }
        let signature = super::code::text(self.tree, self.classified, id);
        let signature = crate::metadata::clean(&without_marks(&signature))?;
        if let Some(level) = tag.heading_level() {
            self.flush();
            self.inline.place = Place::Heading;
            self.inline.push_code(&signature);
            self.leave_heading(level, self.anchor(id));
            return Some(Below::Skip);
        }
        let is_term = tag == Tag::Dt && self.open_term();
        if !is_term {
            self.separate();
        }
        self.inline.push_code(&signature);
        self.flush();
        Some(Below::Skip)
    }
}

/// The permalink sign is not part of a signature.
fn without_marks(signature: &str) -> String {
    signature.trim_end().trim_end_matches(['¶', '#']).replace('\n', " ")
}

/// `[1]` is `1`. A label has no spaces.
fn footnote_label(text: &str) -> Option<String> {
    let label = text.trim().trim_matches(['[', ']', '(', ')', '^', ' ']);
    let is_label = !label.is_empty()
        && label.len() <= 32
        && label.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '*' | '.'));
    is_label.then(|| label.to_owned())
}
