//! The finished Markdown and plain text, block by block, and the lists and quotes around the next block.

use std::ops::Range;

use super::escape;
use crate::anchors::{self, Anchor, MOST_ANCHORS};
use crate::corpus::{BlockFingerprint, BlockKind};
use crate::sections::{self, Section};

/// How many nested lists and quotes to show. Each line carries the markers of all of them, so without a limit a small
/// page could become a huge one.
const MAX_PREFIXES: usize = 24;

/// A container that prefixes each line of its blocks.
#[derive(Debug)]
struct Container {
    /// Before its first line: the marker of a list item.
    first: String,
    /// Before every other line.
    rest: String,
    is_started: bool,
    spacing: Spacing,
}

/// How blocks in a container are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// An empty line between blocks.
    Loose,
    /// An item of a list of single lines. The first one is separated like the list itself.
    Tight { is_first: bool },
}

#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) markdown: String,
    pub(super) text: String,
    /// Each with the range of its words in the text.
    pub(super) headings: Vec<Section>,
    /// The separator between the last text and the next.
    text_gap: &'static str,
    /// Ids for the next block.
    noted: Vec<String>,
    anchors: Vec<Anchor>,
    /// How many ids were noted.
    ids: usize,
    /// Where the text of the last block begins.
    last_block: usize,
    containers: Vec<Container>,
    starts: Vec<(BlockKind, usize, usize)>,
}

impl Output {
    pub(super) fn open_container(&mut self, first: impl Into<String>, rest: impl Into<String>, spacing: Spacing) {
        let is_shown = self.containers.len() < MAX_PREFIXES;
        let (first, rest) = if is_shown { (first.into(), rest.into()) } else { (String::new(), String::new()) };
        self.containers.push(Container { first, rest, is_started: false, spacing });
    }

    /// Returns whether something was written in it.
    pub(super) fn close_container(&mut self) -> bool {
        self.containers.pop().is_some_and(|container| container.is_started)
    }

    /// A list or quote begins here and counts as one block, whatever is in it.
    pub(super) fn begin_group(&mut self, kind: BlockKind) {
        if self.containers.is_empty() {
            self.starts.push((kind, self.markdown.len(), self.text.len()));
        }
    }

    pub(super) fn paragraph(&mut self, markdown: &str, text: &str) {
        self.begin_block(BlockKind::Text);
        for (at, line) in markdown.split('\n').enumerate() {
            self.begin_line(at);
            match escape::line_escape(line) {
                Some(escaped) => {
                    self.markdown.push_str(&line[..escaped]);
                    self.markdown.push('\\');
                    self.markdown.push_str(&line[escaped..]);
                }
                None => self.markdown.push_str(line),
            }
        }
        self.push_text(text.trim());
    }

    pub(super) fn heading(&mut self, level: u8, markdown: &str, text: &str, anchor: Option<String>) {
        self.begin_block(BlockKind::Heading(level));
        let mut other_anchors = std::mem::take(&mut self.noted);
        other_anchors.retain(|id| Some(id) != anchor.as_ref());
        self.begin_line(0);
        for _ in 0..level {
            self.markdown.push('#');
        }
        self.markdown.push(' ');
        self.markdown.push_str(markdown);
        if markdown.ends_with('#') {
            self.markdown.truncate(self.markdown.len() - 1);
            self.markdown.push_str("\\#");
        }
        let place = self.push_text(text.trim());
        sections::record(
            &mut self.headings,
            Section { level, heading: text.trim().to_owned(), anchor, other_anchors, text: place },
        );
    }

    /// Lines written unchanged.
    pub(super) fn verbatim(&mut self, kind: BlockKind, markdown: &str, text: &str) {
        self.begin_block(kind);
        for (at, line) in markdown.split('\n').enumerate() {
            self.begin_line(at);
            self.markdown.push_str(line);
        }
        self.push_plain(text);
    }

    /// A fenced block with its lines unchanged.
    pub(super) fn code(&mut self, language: &str, code: &str) {
        let fence = "`".repeat(escape::backtick_runs(code).max().map_or(3, |longest| (longest + 1).max(3)));
        self.begin_block(BlockKind::Code);
        self.begin_line(0);
        self.markdown.push_str(&fence);
        self.markdown.push_str(language);
        for line in code.strip_suffix('\n').unwrap_or(code).split('\n') {
            if line.is_empty() {
                self.markdown.push('\n');
                self.blank_line();
            } else {
                self.begin_line(1);
                self.markdown.push_str(line);
            }
        }
        self.begin_line(1);
        self.markdown.push_str(&fence);
        self.push_plain(code);
    }

    /// Strips trailing spaces and collapses empty lines.
    fn push_plain(&mut self, text: &str) {
        let mut plain = String::with_capacity(text.len());
        for line in text.lines().map(str::trim_end) {
            if !(line.is_empty() && (plain.is_empty() || plain.ends_with("\n\n"))) {
                plain.push_str(line);
                plain.push('\n');
            }
        }
        self.push_text(plain.trim_end());
    }

    fn begin_block(&mut self, kind: BlockKind) {
        self.begin_group(kind);
        if self.markdown.is_empty() {
            return;
        }
        let is_tight = self.is_tight();
        self.markdown.push('\n');
        if !is_tight {
            self.blank_line();
            self.markdown.push('\n');
        }
        let gap = if is_tight { "\n" } else { "\n\n" };
        self.text_gap = if gap.len() > self.text_gap.len() { gap } else { self.text_gap };
    }

    /// Appends the plain text of a block, separated from the previous one. Some blocks have none.
    fn push_text(&mut self, text: &str) -> Range<usize> {
        if !text.is_empty() && !self.text.is_empty() {
            self.text.push_str(self.text_gap);
        }
        if !text.is_empty() {
            self.text_gap = "";
        }
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    /// Searches outwards for the container that separates this block from the previous one.
    fn is_tight(&self) -> bool {
        for container in self.containers.iter().rev() {
            match container.spacing {
                Spacing::Loose if container.is_started => return false,
                Spacing::Tight { is_first } if container.is_started || !is_first => return true,
                Spacing::Loose | Spacing::Tight { .. } => {}
            }
        }
        false
    }

    fn blank_line(&mut self) {
        let start = self.markdown.len();
        for container in self.containers.iter().take_while(|container| container.is_started) {
            self.markdown.push_str(&container.rest);
        }
        let end = start + self.markdown[start..].trim_end().len();
        self.markdown.truncate(end);
    }

    /// Line 0 follows [`Output::begin_block`], which has ended the previous line.
    fn begin_line(&mut self, line: usize) {
        if line > 0 {
            self.markdown.push('\n');
        }
        for container in &mut self.containers {
            let prefix = if container.is_started { &container.rest } else { &container.first };
            self.markdown.push_str(prefix);
            container.is_started = true;
        }
        if line == 0 {
            self.last_block = self.markdown.len();
            self.place_anchors();
        }
    }

    /// Records an id for the next block.
    pub(super) fn note_anchor(&mut self, id: &str) {
        if self.ids < MOST_ANCHORS && anchors::is_target(id) {
            self.ids += 1;
            self.noted.push(id.to_owned());
        }
    }

    fn place_anchors(&mut self) {
        let at = self.last_block;
        self.anchors.extend(self.noted.drain(..).map(|id| Anchor { id, at }));
    }

    /// Ids after the last block belong to it.
    pub(super) fn finish_anchors(&mut self) -> Vec<Anchor> {
        self.place_anchors();
        std::mem::take(&mut self.anchors)
    }

    /// The top-level blocks of the page, with their ranges.
    pub(super) fn blocks(&self) -> Vec<BlockFingerprint> {
        let ends = self.starts.iter().skip(1).map(|(_, markdown, text)| (*markdown, *text));
        let ends = ends.chain([(self.markdown.len(), self.text.len())]);
        let blocks = self.starts.iter().zip(ends).map(|((kind, markdown, text), (markdown_end, text_end))| {
            BlockFingerprint::of(*kind, &self.markdown, *markdown..markdown_end, &self.text, *text..text_end)
        });
        blocks.filter(|block| !block.markdown.is_empty()).take(BlockFingerprint::MOST).collect()
    }
}
