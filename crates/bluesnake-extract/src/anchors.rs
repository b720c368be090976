//! Ids that links may lead to, other than those of headings, and how they are written where a link needs one.
//!
//! An anchor belongs to a block: that which contains the element with the id, or comes next. Most ids of a page are the
//! target of no link, so the Markdown does not contain them; [`insert_anchors`] adds those that are needed.

use serde::{Deserialize, Serialize};

use crate::Extracted;

/// An id of the page and the place it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, usize)", into = "(String, usize)")]
pub struct Anchor {
    pub id: String,
    /// Where the text of its block begins in [`Extracted::markdown`], after the markers of lists and quotes.
    pub at: usize,
}

impl From<(String, usize)> for Anchor {
    fn from((id, at): (String, usize)) -> Self {
        Self { id, at }
    }
}

impl From<Anchor> for (String, usize) {
    fn from(Anchor { id, at }: Anchor) -> Self {
        (id, at)
    }
}

/// How many ids of a page are recorded. The rest cannot be the target of links between files.
pub const MOST_ANCHORS: usize = 10_000;

/// Longer ids are not recorded.
const LONGEST_ID: usize = 256;

/// Whether an id can be a target: the standard allows no white space in it.
pub(crate) fn is_target(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= LONGEST_ID
        && !id.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

impl Extracted {
    /// The Markdown with an `<a id="…"></a>` for each id that is needed. Headings keep their own anchors.
    pub fn with_anchors(&self, is_needed: impl Fn(&str) -> bool) -> String {
        insert_anchors(&self.markdown, &self.anchors, is_needed)
    }
}

/// Inserts the anchors that are needed, each id once. They must be in the order of their places, as extracted.
pub fn insert_anchors(markdown: &str, anchors: &[Anchor], is_needed: impl Fn(&str) -> bool) -> String {
    let mut written = String::with_capacity(markdown.len());
    let mut done = 0;
    let mut seen = hashbrown::HashSet::new();
    for of_block in anchors.chunk_by(|a, b| a.at == b.at) {
        let needed = of_block.iter().map(|anchor| anchor.id.as_str()).filter(|id| is_needed(id));
        let tags: String = needed.filter(|id| seen.insert(*id)).map(tag).collect();
        let at = of_block[0].at;
        if tags.is_empty() || at < done || !markdown.is_char_boundary(at) {
            continue;
        }
        let at = at + check_box(&markdown[at..]);
        written.push_str(&markdown[done..at]);
        written.push_str(&tags);
        if !takes_tags(&markdown[at..]) {
            end_paragraph(&mut written, prefix(markdown, at));
        }
        done = at;
    }
    written.push_str(&markdown[done..]);
    written
}

fn tag(id: &str) -> String {
    let id = id.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<a id=\"{id}\"></a>")
}

/// The length of the check box of a task, which must come first.
fn check_box(block: &str) -> usize {
    let boxes = ["[x] ", "[ ] "];
    boxes.iter().find(|mark| block.starts_with(**mark)).map_or(0, |mark| mark.len())
}

/// Whether a block still means the same with a tag before it: not code, formulas, tables and rules.
fn takes_tags(block: &str) -> bool {
    !["```", "$$", "|", "<", "* * *", "    "].iter().any(|start| block.starts_with(start))
}

/// What is before the text on its line: indentation and markers.
fn prefix(markdown: &str, at: usize) -> &str {
    let line = markdown[..at].rfind('\n').map_or(0, |end| end + 1);
    &markdown[line..at]
}

/// Ends the paragraph of a tag, so that the next block begins on a line of its own in the same list or quote.
fn end_paragraph(written: &mut String, prefix: &str) {
    let again: String = prefix.chars().map(|letter| if letter == '>' { '>' } else { ' ' }).collect();
    written.push('\n');
    written.push_str(again.trim_end());
    written.push('\n');
    written.push_str(&again);
}
