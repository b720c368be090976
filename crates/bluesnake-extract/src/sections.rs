//! A page split at its headings, so that search results lead to the right place.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A heading and the text up to the next one. Text before the first heading has level 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    pub level: u8,
    pub heading: String,
    /// Its URL fragment.
    pub anchor: Option<String>,
    /// Other fragments that lead to it: ids in it, right before it, and of its section.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_anchors: Vec<String>,
    /// Its range in [`crate::Extracted::text`]; see [`crate::Extracted::section_text`].
    pub text: Range<usize>,
}

/// How many sections a page has at most; the last one contains the text of all that follow.
pub const MOST_SECTIONS: usize = 4_096;
/// One section is for the text before the first heading.
const MOST_HEADINGS: usize = MOST_SECTIONS - 1;

/// Records a heading, unless the page has too many of them.
pub(crate) fn record(headings: &mut Vec<Section>, heading: Section) {
    if headings.len() < MOST_HEADINGS {
        headings.push(heading);
    }
}

/// Splits a text at its headings; each comes with the range of its own words.
pub(crate) fn cut(text: &str, headings: Vec<Section>) -> Vec<Section> {
    let ends: Vec<usize> = headings.iter().map(|heading| heading.text.start).chain([text.len()]).collect();
    let before =
        Section { level: 0, heading: String::new(), anchor: None, other_anchors: Vec::new(), text: 0..ends[0] };
    let below =
        headings.into_iter().zip(&ends[1..]).map(|(heading, end)| Section { text: heading.text.end..*end, ..heading });
    let sections = std::iter::once(before).chain(below);
    let sections = sections.map(|section| Section { text: trimmed(text, section.text), ..section });
    sections.filter(|section| section.level > 0 || section.text.start < section.text.end).collect()
}

/// A range trimmed of white space, and clamped to the text.
pub(crate) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let end = range.end.min(text.len());
    let inside = &text[range.start.min(end)..end];
    let start = end - inside.trim_start().len();
    start..start + inside.trim().len()
}

#[cfg(test)]
mod tests {
    use super::{Section, cut};

    #[test]
    fn a_text_is_cut_at_its_headings() {
        let text = "before\n\nOne\n\nfirst\n\nTwo";
        let heading = |level, title: &str| {
            let start = text.find(title).unwrap();
            Section {
                level,
                heading: title.to_owned(),
                anchor: None,
                other_anchors: Vec::new(),
                text: start..start + title.len(),
            }
        };
        let sections = cut(text, vec![heading(1, "One"), heading(2, "Two")]);
        let seen: Vec<(u8, &str, &str)> = sections
            .iter()
            .map(|section| (section.level, section.heading.as_str(), &text[section.text.clone()]))
            .collect();
        assert_eq!(seen, [(0, "", "before"), (1, "One", "first"), (2, "Two", "")]);
    }
}
