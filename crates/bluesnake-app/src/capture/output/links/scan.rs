//! The links of a Markdown text as a parser sees them, and changes to their places in it.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

/// What can be a link in a Markdown text.
#[derive(Debug, Default)]
pub(super) struct Scan<'a> {
    /// Links and images; those inside another come before it.
    pub(super) links: Vec<Link<'a>>,
    /// Where definitions of references are, with their labels and destinations.
    pub(super) definitions: Vec<Definition>,
    pub(super) html: Vec<Range<usize>>,
}

/// A link or an image.
#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) kind: LinkType,
    pub(super) is_image: bool,
    /// Whether it is inside another link or image.
    pub(super) is_nested: bool,
    pub(super) destination: CowStr<'a>,
    pub(super) range: Range<usize>,
    /// Where its text ends.
    pub(super) text_end: usize,
}

#[derive(Debug)]
pub(super) struct Definition {
    pub(super) range: Range<usize>,
    pub(super) label: String,
    pub(super) destination: String,
}

/// Reads a text.
pub(super) fn scan(markdown: &str) -> Scan<'_> {
    let mut scan = Scan::default();
    let mut events = Parser::new_ext(markdown, dialect()).into_offset_iter();
    let mut open: Vec<Link<'_>> = Vec::new();
    for (event, range) in events.by_ref() {
        match event {
            Event::Start(Tag::Link { link_type: kind, dest_url: destination, .. }) => {
                let (is_nested, text_end) = (!open.is_empty(), range.start + 1);
                open.push(Link { kind, is_image: false, is_nested, destination, range, text_end });
                continue;
            }
            Event::Start(Tag::Image { link_type: kind, dest_url: destination, .. }) => {
                let (is_nested, text_end) = (!open.is_empty(), range.start + 2);
                open.push(Link { kind, is_image: true, is_nested, destination, range, text_end });
                continue;
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let mut link = open.pop().expect("a link ends after its start");
                // The parser leaves the brackets of `[text][]` out.
                if link.kind == LinkType::Collapsed && markdown[link.range.end..].starts_with("[]") {
                    link.range.end += 2;
                }
                scan.links.push(link);
            }
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => scan.html.push(range.clone()),
            _ => {}
        }
        if let Some(link) = open.last_mut() {
            link.text_end = link.text_end.max(range.end);
        }
    }
    scan.definitions = events
        .reference_definitions()
        .iter()
        .map(|(label, definition)| Definition {
            range: definition.span.clone(),
            label: label.to_owned(),
            destination: definition.dest.to_string(),
        })
        .collect();
    scan
}

/// The Markdown that extraction writes, and sites serve.
pub(in super::super) fn dialect() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// A range of the Markdown and its replacement.
#[derive(Debug)]
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) text: String,
}

impl Edit {
    pub(super) fn removal(place: Range<usize>) -> Self {
        Self { place, text: String::new() }
    }
}

/// The Markdown after all edits. Of overlapping ones, which cannot both be right, the outer one is made.
pub(super) fn edited(markdown: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.place.start, std::cmp::Reverse(edit.place.end)));
    let mut written = String::with_capacity(markdown.len());
    let mut done = 0;
    for edit in edits {
        if edit.place.start < done {
            continue;
        }
        written.push_str(&markdown[done..edit.place.start]);
        written.push_str(&edit.text);
        done = edit.place.end;
    }
    written.push_str(&markdown[done..]);
    written
}
