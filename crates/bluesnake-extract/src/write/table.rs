//! Tables: data tables, those that Markdown cannot express, and layout tables.

use super::inline::{Inline, Place};
use super::{Below, Frame, Writer, html};
use crate::classify::Classified;
use crate::corpus::BlockKind;
use crate::marks::Shape;
use crate::tree::{Attr, NodeId, Tag, Tree, is_cell};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableKind {
    /// Rows of single lines.
    Simple,
    /// Merged cells, or blocks in cells: kept as HTML.
    Complex,
    /// Boxes side by side; its cells are read one after another.
    Layout,
    /// A note beside its icon.
    Note,
}

/// Facts about the whole table.
#[derive(Debug, Default)]
struct Survey {
    rows: usize,
    widest: usize,
    has_header: bool,
    has_merged: bool,
    has_nested: bool,
    has_blocks: bool,
    has_headings: bool,
}

pub(super) fn kind(tree: &Tree, classified: &Classified, table: NodeId) -> TableKind {
    let is_presentation = matches!(tree.attr(table, Attr::Role), Some("presentation" | "none"));
    if is_presentation || classified.shape(table) == Shape::CodeTable {
        return TableKind::Layout;
    }
    let survey = Survey::of(tree, classified, table);
    if !survey.has_header && survey.is_layout() {
        TableKind::Layout
    } else if survey.has_merged || survey.has_nested || survey.has_blocks {
        TableKind::Complex
    } else {
        TableKind::Simple
    }
}

impl Survey {
    fn of(tree: &Tree, classified: &Classified, table: NodeId) -> Self {
        let mut survey = Self::default();
        let mut cells = 0;
        for id in tree.subtree(table).skip(1).filter(|id| !classified.is_dropped(*id)) {
            let Some(tag) = tree.tag(id) else { continue };
            match tag {
                Tag::Tr => {
                    survey.rows += 1;
                    cells = 0;
                }
                Tag::Td | Tag::Th => {
                    cells += 1;
                    survey.widest = survey.widest.max(cells);
                    survey.has_header |= tag == Tag::Th;
                    survey.has_merged |= is_merged(tree, id);
                }
                Tag::Caption | Tag::Thead => survey.has_header = true,
                Tag::Table => survey.has_nested = true,
                Tag::Pre | Tag::Ul | Tag::Ol | Tag::Dl | Tag::Blockquote | Tag::Hr | Tag::Details => {
                    survey.has_blocks = true;
                }
                _ if tag.is_heading() => survey.has_headings = true,
                _ => {}
            }
        }
        survey
    }

    fn is_layout(&self) -> bool {
        self.widest <= 1 || self.has_nested || self.has_headings || self.rows <= 1 && self.has_blocks
    }
}

fn is_merged(tree: &Tree, cell: NodeId) -> bool {
    let spans = [Attr::Colspan, Attr::Rowspan].into_iter().filter_map(|name| tree.attr(cell, name));
    spans.filter_map(|span| span.trim().parse::<u32>().ok()).any(|span| span > 1)
}

/// A table of single lines, row by row, while its cells are being written.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    /// The text above the rows.
    pub(super) caption: Option<(String, String)>,
}

#[derive(Debug, Default)]
struct Row {
    cells: Vec<(String, String)>,
    is_header: bool,
    aligns: Vec<&'static str>,
}

impl Rows {
    pub(super) fn start_row(&mut self, is_header: bool) {
        self.rows.push(Row { is_header, ..Row::default() });
    }

    pub(super) fn push_cell(&mut self, cell: (String, String), align: &'static str) {
        if self.rows.is_empty() {
            self.start_row(false);
        }
        let row = self.rows.last_mut().expect("a row was started");
        row.cells.push(cell);
        row.aligns.push(align);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| row.cells.iter().all(|(markdown, _)| markdown.is_empty()))
    }

    /// The table as lines of Markdown, and its plain text.
    pub(super) fn finish(&self) -> (String, String) {
        let widest = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        let (header, body) = match self.rows.split_first() {
            Some((first, others)) if first.is_header => (Some(first), others),
            _ => (None, self.rows.as_slice()),
        };
        let mut markdown = String::new();
        push_row(&mut markdown, header.map_or(&[], |row| &row.cells), widest);
        markdown.push_str("\n|");
        for at in 0..widest {
            let align = self.rows.first().and_then(|row| row.aligns.get(at)).copied().unwrap_or("---");
            markdown.push(' ');
            markdown.push_str(align);
            markdown.push_str(" |");
        }
        for row in body.iter().filter(|row| !row.cells.is_empty()) {
            markdown.push('\n');
            push_row(&mut markdown, &row.cells, 0);
        }
        (markdown, self.text())
    }

    fn text(&self) -> String {
        let row = |row: &Row| {
            let texts = row.cells.iter().map(|(_, text)| text.as_str());
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        };
        self.rows.iter().map(row).filter(|row| !row.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// Rows may be shorter than the header, so only the header is padded.
fn push_row(out: &mut String, cells: &[(String, String)], at_least: usize) {
    out.push('|');
    for (markdown, _) in cells {
        out.push(' ');
        out.push_str(markdown);
        out.push_str(if markdown.is_empty() { "|" } else { " |" });
    }
    for _ in cells.len()..at_least {
        out.push_str(" |");
    }
}

/// The delimiter of a column, by the alignment of its first cell.
pub(super) fn align(tree: &Tree, cell: NodeId) -> &'static str {
    let style = tree.attr(cell, Attr::Style).and_then(|style| style.split_once("text-align:"));
    let value = style.map(|(_, value)| value.trim_start()).or_else(|| tree.attr(cell, Attr::Align)).unwrap_or_default();
    let delimiters = [("center", ":---:"), ("right", "---:"), ("left", ":---")];
    delimiters.iter().find(|(name, _)| value.starts_with(name)).map_or("---", |(_, delimiter)| delimiter)
}

impl Writer<'_> {
    pub(super) fn enter_table(&mut self, id: NodeId) -> Below {
        if self.inline.place == Place::Cell {
            return self.enter_block(id);
        }
        self.separate();
        let is_of_note = self.is_in_note(id);
        let kind = if is_of_note { TableKind::Note } else { kind(self.tree, self.classified, id) };
        match kind {
            TableKind::Complex => {
                let (tree, classified) = (self.tree, self.classified);
                let inside = tree.subtree(id).skip(1).filter(|below| !classified.is_dropped(*below));
                inside.filter_map(|below| tree.fragment(below)).for_each(|id| self.output.note_anchor(id));
                let html = html::table(self.tree, self.classified, &self.links, id);
                self.counts.tables += 1;
                self.output.verbatim(BlockKind::Table, &html.markup, &html.text);
                return Below::Skip;
            }
            TableKind::Simple => self.tables.push(Rows::default()),
            TableKind::Layout | TableKind::Note => {}
        }
        self.push(id, Frame::Table(kind));
        Below::Walk
    }

    pub(super) fn leave_table(&mut self, kind: TableKind) {
        self.separate();
        if matches!(kind, TableKind::Layout | TableKind::Note) {
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

    /// Whether the innermost table is one whose cells become cells.
    pub(super) fn is_in_rows(&self) -> bool {
        self.innermost_table() == Some(TableKind::Simple) && self.inline.place != Place::Cell
    }

    fn innermost_table(&self) -> Option<TableKind> {
        self.frames.iter().rev().find_map(|(_, frame)| match frame {
            Frame::Table(kind) => Some(*kind),
            _ => None,
        })
    }

    pub(super) fn enter_row(&mut self, id: NodeId) -> Below {
        if !self.is_in_rows() {
            return self.enter_block(id);
        }
        let is_in_head = self.tree.parent(id).is_some_and(|parent| self.tree.is(parent, Tag::Thead));
        let mut cells = self.tree.elements(id).filter(|cell| self.tree.tag(*cell).is_some_and(is_cell)).peekable();
        let is_header = is_in_head || cells.peek().is_some() && cells.all(|cell| self.tree.is(cell, Tag::Th));
        if let Some(rows) = self.tables.last_mut() {
            rows.start_row(is_header);
        }
        Below::Walk
    }

    pub(super) fn enter_cell(&mut self, id: NodeId) -> Below {
        if self.innermost_table() == Some(TableKind::Note) && self.inline.place == Place::Paragraph {
            return self.enter_cell_of_note(id);
        }
        if !self.is_in_rows() {
            return self.enter_block(id);
        }
        self.flush();
        let around = std::mem::replace(&mut self.inline, Inline::new(Place::Cell));
        self.push(id, Frame::Cell { align: align(self.tree, id), around });
        Below::Walk
    }

    pub(super) fn leave_cell(&mut self, align: &'static str, around: Inline) {
        let cell = std::mem::replace(&mut self.inline, around).take();
        if let Some(rows) = self.tables.last_mut() {
            rows.push_cell(cell, align);
        }
    }

    pub(super) fn enter_caption(&mut self, id: NodeId) -> Below {
        if !self.is_in_rows() {
            return self.enter_block(id);
        }
        let around = std::mem::replace(&mut self.inline, Inline::new(Place::Heading));
        self.push(id, Frame::Caption { around });
        Below::Walk
    }

    pub(super) fn leave_caption(&mut self, around: Inline) {
        let caption = std::mem::replace(&mut self.inline, around).take();
        if let Some(rows) = self.tables.last_mut().filter(|_| !caption.0.is_empty()) {
            rows.caption = Some(caption);
        }
    }
}
