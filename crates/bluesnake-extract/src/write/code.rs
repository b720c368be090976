//! Code blocks: their text exactly as shown, without the columns and buttons that highlighters add.

use super::inline::{Place, Style};
use super::links::is_glyph;
use super::{Below, Writer};
use crate::classify::Classified;
use crate::removal::Reason;
use crate::tree::{Attr, NodeId, Step, Tag, Tree};

impl Writer<'_> {
    pub(super) fn code_block(&mut self, id: NodeId) -> Below {
        // mdBook wraps the <pre> in another <pre>.
        if self.tree.elements(id).any(|child| self.tree.is(child, Tag::Pre)) {
            return self.enter_block(id);
        }
        let code = text(self.tree, self.classified, id);
        if is_number_column(self.tree, id, &code) {
            self.separate();
            return Below::Skip;
        }
        match with_marks_of_changes(self.tree, self.classified, id) {
            Some(changes) => self.push_block(id, "diff", &changes),
            None => self.push_block(id, &language(self.tree, id), &code),
        }
        Below::Skip
    }

    fn push_block(&mut self, id: NodeId, language: &str, code: &str) {
        if self.inline.place != Place::Paragraph {
            return self.inline.push_code(code);
        }
        self.flush();
        if !code.trim().is_empty() {
            self.counts.code_blocks += 1;
            if self.is_in_code_group(id) {
                self.enter_tab_panel();
            }
            self.output.code(language, code);
        }
    }

    /// Doxygen puts each line of code into a `div`, and a space that does not break into an empty one.
    pub(super) fn enter_lines(&mut self, id: NodeId) -> Option<Below> {
        let lines = self.tree.subtree(id).filter(|below| self.tree.has_class(*below, "line"));
        let lines = lines.map(|line| text(self.tree, self.classified, line).trim_end().to_owned());
        let code = lines.collect::<Vec<_>>().join("\n");
        if code.is_empty() {
            return None;
        }
        self.push_block(id, "", &code);
        Some(Below::Skip)
    }

    /// Code with line breaks is a block, even if not marked as one.
    pub(super) fn code_span(&mut self, id: NodeId) -> Below {
        if self.tree.subtree(id).any(|below| self.tree.is(below, Tag::Pre)) {
            return Below::Walk;
        }
        let has_breaks = self.tree.subtree(id).any(|below| self.tree.is(below, Tag::Br));
        if has_breaks && self.inline.place == Place::Paragraph && self.lists.is_empty() {
            return self.code_block(id);
        }
        let code = text(self.tree, self.classified, id);
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

    /// A link that is the only content of a piece of code goes around it.
    pub(super) fn only_link(&self, id: NodeId) -> Option<Style> {
        let mut inside = self.tree.children(id);
        let only = inside.next().filter(|_| inside.next().is_none())?;
        let href = self.tree.attr(only, Attr::Href).filter(|_| self.tree.is(only, Tag::A))?;
        let is_in_link = self.frames.iter().any(|(id, _)| self.tree.is(*id, Tag::A));
        let target = self.links.absolute(href).filter(|_| !is_in_link && self.inline.place != Place::Heading)?;
        Some(Style::Link { target, title: None })
    }
}

/// The text of a `<pre>`, line by line, without line numbers, copy buttons and hidden parts.
pub(super) fn text(tree: &Tree, classified: &Classified, root: NodeId) -> String {
    let mut code = String::new();
    let is_line = |id: NodeId| id != root && tree.tag(id).is_some_and(starts_line);
    let is_skipped = |id: NodeId| id != root && is_not_code(tree, classified, id);
    tree.walk(root, |step| match step {
        Step::Enter(id) => {
            let skip = is_skipped(id);
            match (tree.tag(id), tree.text(id)) {
                (_, Some(text)) => code.push_str(text),
                (Some(Tag::Br), _) => code.push('\n'),
                _ if !skip && is_line(id) => end_line(&mut code),
                _ => {}
            }
            skip
        }
        Step::Leave(id) => {
            if is_line(id) && !is_skipped(id) && tree.next(id).is_some() {
                end_line(&mut code);
            }
            false
        }
    });
    code
}

/// Code whose lines are marked as added or removed by their classes only, as a diff. Without the marks it would be
/// neither the old code nor the new.
fn with_marks_of_changes(tree: &Tree, classified: &Classified, pre: NodeId) -> Option<String> {
    if !tree.has_class(pre, "has-diff") {
        return None;
    }
    let lines = tree.subtree(pre).filter(|id| tree.has_class(*id, "line"));
    let mark = |line: NodeId| match (tree.has_class(line, "add"), tree.has_class(line, "remove")) {
        (true, _) => '+',
        (_, true) => '-',
        _ => ' ',
    };
    let mut changes = String::new();
    for line in lines {
        changes.push(mark(line));
        changes.push_str(text(tree, classified, line).trim_end_matches('\n'));
        changes.push('\n');
    }
    Some(changes).filter(|changes| !changes.is_empty())
}

/// Line numbers, buttons and hidden parts. Other names mean nothing here: highlighters use them for tokens.
fn is_not_code(tree: &Tree, classified: &Classified, id: NodeId) -> bool {
    match classified.mark(id).drop {
        Some(Reason::LineNumbers) => !is_mark_of_change(tree, id),
        Some(Reason::Hidden | Reason::Excluded) => true,
        Some(Reason::Button) => !tree.has_class(id, "lang"),
        // Popups above a word: twoslash's, or marked by their role.
        Some(Reason::Popup) => {
            tree.attr(id, Attr::Role).is_some() || tree.classes(id).any(|class| class.starts_with("twoslash"))
        }
        // Sphinx inserts a link back to the text into the code.
        Some(Reason::Permalink) => tree.is(id, Tag::A) && (tree.has_class(id, "viewcode-back") || is_glyph(tree, id)),
        _ => false,
    }
}

/// `+` or `-` in the column of line numbers.
fn is_mark_of_change(tree: &Tree, id: NodeId) -> bool {
    let text = tree.all_text(id);
    matches!(text.trim(), "+" | "-")
}

/// Highlighters put each line into a block or a row.
fn starts_line(tag: Tag) -> bool {
    matches!(tag, Tag::Div | Tag::P | Tag::Li | Tag::Tr | Tag::Ol | Tag::Ul | Tag::Table)
}

fn end_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

/// A column of line numbers in a `<pre>` of its own, next to the code.
pub(super) fn is_number_column(tree: &Tree, pre: NodeId, code: &str) -> bool {
    let mut numbers = code.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::parse::<u32>);
    let Some(Ok(first)) = numbers.next() else { return false };
    let mut expected = first;
    let counts_up = numbers.all(|number| {
        expected = expected.saturating_add(1);
        number == Ok(expected)
    });
    counts_up && is_beside_code(tree, pre)
}

fn is_beside_code(tree: &Tree, pre: NodeId) -> bool {
    let next_element = |id| tree.following(id).find(|next| tree.tag(*next).is_some());
    let cell = tree.with_ancestors(pre).take(4);
    cell.filter_map(next_element)
        .any(|beside| tree.subtree(beside).take(8).any(|id| tree.is(id, Tag::Pre) || tree.is(id, Tag::Code)))
}

/// The language of a code block, from its classes, those of the `<code>` in it, or of the boxes around it.
pub(super) fn language(tree: &Tree, pre: NodeId) -> String {
    let mut nodes = tree.elements(pre).take(1).chain(tree.with_ancestors(pre).take(5));
    nodes.find_map(|id| language_of(tree, id)).unwrap_or_default()
}

fn language_of(tree: &Tree, id: NodeId) -> Option<String> {
    let attributes = [Attr::DataLang, Attr::DataLanguage].into_iter().filter_map(|name| tree.attr(id, name));
    let mut names = attributes.chain(named_in_classes(tree, id));
    names.find_map(clean_language)
}

/// Prefixes of language names, in the order tried.
const PREFIXES: &[&str] =
    &["language-", "lang-", "highlight-source-", "highlight-text-", "highlight-", "brush:", "code-", "src-"];

/// Highlighter classes that come with a bare language name.
const HIGHLIGHTERS: &[&str] =
    &["hljs", "sourceCode", "prettyprint", "brush:", "chroma", "programlisting", "src", "rust-example-rendered"];

fn named_in_classes(tree: &Tree, id: NodeId) -> impl Iterator<Item = &str> {
    let prefixed =
        PREFIXES.iter().flat_map(move |prefix| tree.classes(id).filter_map(move |class| class.strip_prefix(prefix)));
    let is_highlighted = tree.classes(id).any(|class| HIGHLIGHTERS.contains(&class));
    let plain =
        tree.classes(id).filter(move |class| (is_highlighted || *class == "rust") && !HIGHLIGHTERS.contains(class));
    prefixed.chain(plain)
}

/// Names that are not languages.
const NO_LANGUAGE: &str = "default none plain plaintext notranslate block wrapper line numbers toolbar copy \
    nohighlight linenums numberlines ghostty";

fn clean_language(name: &str) -> Option<String> {
    let name = name.trim_matches([';', ' ', ':']).to_ascii_lowercase();
    let is_plausible = (1..=20).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_' | b'.'))
        && !NO_LANGUAGE.split(' ').any(|known| known == name);
    is_plausible.then_some(name)
}
