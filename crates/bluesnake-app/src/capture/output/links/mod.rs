//! Rewrites links between captured pages to lead from file to file.
//!
//! Only destinations change: in links and images, reference definitions, autolinks, and `href` and `src` of HTML.
//! Code is unchanged, because the Markdown is actually parsed. Start with [`Targets::rewrite`].

use std::collections::HashMap;
use std::ops::Range;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use pulldown_cmark::LinkType;
use url::Url;

use super::anchors::NeededIds;
use crate::capture::Heading;
use scan::{Definition, Edit, Link, edited, scan};

mod scan;
mod style;

pub(super) use scan::dialect;
pub(super) use style::{with_inline_links, with_references, without_links};

/// Longer redirect chains lead nowhere.
const REDIRECTS: usize = 10;

/// Which file contains the page of a URL.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// Indexes in the capture, by URL without fragment.
    pages: HashMap<String, usize>,
    paths: Vec<String>,
    /// Where a fragment leads in the file of a page, if it is that of a heading.
    fragments: HashMap<(usize, String), String>,
    /// Other ids, which files contain if links lead to them.
    needed: NeededIds,
}

impl Targets {
    /// Adds the next page. Its own URL takes precedence over alternate URLs of earlier pages.
    pub(super) fn add(&mut self, path: String, url: &str) {
        self.paths.push(path);
        self.add_alternate(self.paths.len() - 1, url);
    }

    /// After all pages are added.
    pub(super) fn add_alternate(&mut self, place: usize, url: &str) {
        if let Some((page, _)) = split_fragment(url) {
            self.pages.entry(page).or_insert(place);
        }
    }

    /// The headings of a page: Markdown viewers identify them by their text, the web by their ids.
    pub(super) fn add_headings(&mut self, place: usize, headings: &[Heading]) {
        let mut used: HashMap<String, usize> = HashMap::new();
        for Heading { words, anchor, other_anchors } in headings {
            let plain = slug(words);
            let earlier = used.entry(plain.clone()).or_default();
            let slug = if *earlier == 0 { plain } else { format!("{plain}-{earlier}") };
            *earlier += 1;
            for fragment in anchor.iter().chain(other_anchors).chain([&slug]) {
                self.fragments.entry((place, fragment.clone())).or_insert_with(|| slug.clone());
            }
        }
    }

    /// Pairs of URL and redirect target. After all pages and their alternates are added.
    pub(super) fn add_redirects(&mut self, redirects: &[(String, String)]) {
        let next: HashMap<&str, &str> = redirects.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        for (from, to) in redirects {
            let steps = std::iter::successors(Some(to.as_str()), |at| next.get(at).copied());
            let place = steps.take(REDIRECTS).find_map(|at| self.place_of(&split_fragment(at)?.0));
            if let Some(place) = place {
                self.add_alternate(place, from);
            }
        }
    }

    /// The ids besides those of headings that links lead to. After everything else is added.
    pub(super) fn set_needed(&mut self, needed: NeededIds) {
        self.needed = needed;
    }

    /// Whether the file at this place must contain an id. Those of headings it has anyway.
    pub(super) fn is_needed(&self, place: usize, id: &str) -> bool {
        self.needed.contains(place, id) && !self.fragments.contains_key(&(place, id.to_owned()))
    }

    pub(super) fn place_of(&self, page: &str) -> Option<usize> {
        self.pages.get(page).or_else(|| self.pages.get(&with_slash_toggled(page)?)).copied()
    }

    /// The Markdown of the page at `path`, with relative links to other pages.
    pub(super) fn rewrite(&self, path: &str, markdown: &str) -> String {
        let mut found = Found { links: self, path, markdown, edits: Vec::new() };
        let scan = scan(markdown);
        // Links cannot be nested, so a URL inside one is text.
        scan.links
            .iter()
            .filter(|link| !link.is_nested || link.kind != LinkType::Autolink)
            .for_each(|link| found.link(link));
        scan.html.into_iter().for_each(|range| found.html(range));
        scan.definitions.iter().for_each(|definition| found.definition(definition));
        edited(markdown, found.edits)
    }

    /// How a page refers to another URL, if that is a captured page. An id that no file contains keeps its web URL,
    /// where it leads to the right place.
    fn relative(&self, from: &str, destination: &str) -> Option<String> {
        let (page, fragment) = split_fragment(destination)?;
        let place = self.place_of(&page)?;
        let to = self.paths[place].as_str();
        let Some(fragment) = fragment else { return Some(relative_path(from, to)) };
        let fragment = percent_decode_str(&fragment).decode_utf8_lossy().into_owned();
        let is_start = fragment.eq_ignore_ascii_case("top");
        let key = (place, fragment);
        let id = match self.fragments.get(&key) {
            Some(slug) => slug,
            None if self.needed.contains(place, &key.1) => &key.1,
            None => return is_start.then(|| relative_path(from, to)),
        };
        let fragment = format!("#{}", utf8_percent_encode(id, IN_FRAGMENT));
        Some(if to == from { fragment } else { relative_path(from, to) + &fragment })
    }
}

/// What looks like the destination of an inline link, perhaps in code.
pub(super) fn destinations(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.match_indices("](").map(|(at, mark)| {
        let text = &markdown[at + mark.len()..];
        match text.strip_prefix('<') {
            Some(inner) => unescaped(inner, ">").map_or("", |end| &inner[..end]),
            None => &text[..bare_length(text)],
        }
    })
}

/// The id of a heading in Markdown viewers, as on GitHub.
fn slug(words: &str) -> String {
    let letters = words.trim().to_lowercase();
    let letters = letters.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    letters.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

struct Found<'a> {
    links: &'a Targets,
    path: &'a str,
    markdown: &'a str,
    edits: Vec<Edit>,
}

impl Found<'_> {
    fn link(&mut self, link: &Link<'_>) {
        match link.kind {
            LinkType::Inline => {
                let end_of_text = self.markdown[link.text_end..link.range.end].find("](");
                let Some(place) = end_of_text.map(|place| link.text_end + place + 2) else { return };
                self.destination(place..link.range.end, &link.destination);
            }
            LinkType::Autolink => self.autolink(link),
            // References are changed where they are defined.
            _ => {}
        }
    }

    /// `<https://…>` can only contain absolute URLs, so it becomes a link whose text is the URL.
    fn autolink(&mut self, link: &Link<'_>) {
        // In a table, a pipe would end the cell.
        if link.destination.contains('|') || !can_take_bracket(&self.markdown[..link.range.start]) {
            return;
        }
        if let Some(relative) = self.links.relative(self.path, &link.destination) {
            let text = format!("[{}]({relative})", as_text(&link.destination));
            self.edits.push(Edit { place: link.range.clone(), text });
        }
    }

    fn definition(&mut self, definition: &Definition) {
        let span = &definition.range;
        if let Some(place) = unescaped(&self.markdown[span.clone()], "]:") {
            self.destination(span.start + place + 2..span.end, &definition.destination);
        }
    }

    /// The destination at the start of `place`, after white space.
    fn destination(&mut self, place: Range<usize>, destination: &str) {
        let text = &self.markdown[place.clone()];
        let start = text.len() - text.trim_start().len();
        let text = &text[start..];
        let (start, text) = match text.strip_prefix('<') {
            Some(inner) => (start + 1, unescaped(inner, ">").map_or("", |end| &inner[..end])),
            None => (start, &text[..bare_length(text)]),
        };
        // With escapes the two spellings differ; without them, a difference means we are at the wrong place.
        if text != destination && !text.contains(['\\', '&']) {
            return;
        }
        if let Some(relative) = self.links.relative(self.path, destination) {
            let start = place.start + start;
            self.edits.push(Edit { place: start..start + text.len(), text: relative });
        }
    }

    fn html(&mut self, range: Range<usize>) {
        for value in attribute_values(&self.markdown[range.clone()]) {
            let value = range.start + value.start..range.start + value.end;
            let destination = self.markdown[value.clone()].trim().replace("&amp;", "&");
            if let Some(text) = self.links.relative(self.path, &destination) {
                self.edits.push(Edit { place: value, text });
            }
        }
    }
}

/// Whether a link in brackets means the same after this text as one in angle brackets: not after something that looks
/// like reference text or an image marker, or within other brackets or a tag.
fn can_take_bracket(before: &str) -> bool {
    /// More than a line; a long text is not searched again for each of its links.
    const NEAR_BYTES: usize = 2_000;
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR_BYTES))..];
    let stands_apart = near.chars().next_back().is_none_or(|last| last.is_whitespace() || "(*_|".contains(last));
    let is_within = |open: char, close: char| near.rfind(open) > near.rfind(close);
    let words = near.trim_end();
    stands_apart && !is_within('<', '>') && !is_within('[', ']') && !words.ends_with("](") && !words.ends_with("]:")
}

/// Up to white space, or to an unbalanced closing parenthesis.
fn bare_length(text: &str) -> usize {
    let (mut depth, mut is_escaped) = (0_u32, false);
    for (place, character) in text.char_indices() {
        match character {
            character if character.is_ascii_whitespace() || character.is_ascii_control() => return place,
            _ if is_escaped => {}
            '(' => depth += 1,
            ')' if depth == 0 => return place,
            ')' => depth -= 1,
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    text.len()
}

fn unescaped(text: &str, wanted: &str) -> Option<usize> {
    text.match_indices(wanted).map(|(place, _)| place).find(|place| !is_escaped(text, *place))
}

fn is_escaped(text: &str, place: usize) -> bool {
    let before = &text.as_bytes()[..place];
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The quoted values of `href` and `src` in the tags of a piece of HTML.
fn attribute_values(html: &str) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut place = 0;
    while let Some(start) = html[place..].find('<').map(|found| place + found) {
        place = if html[start..].starts_with("<!--") {
            html[start..].find("-->").map_or(html.len(), |end| start + end + 3)
        } else if html[start + 1..].starts_with(|character: char| character.is_ascii_alphabetic()) {
            read_tag(html, start, &mut values)
        } else {
            start + 1
        };
    }
    values
}

/// Returns where the tag ends.
fn read_tag(html: &str, start: usize, values: &mut Vec<Range<usize>>) -> usize {
    let bytes = html.as_bytes();
    let mut place = start + 1;
    let mut name_start = place;
    while let Some(byte) = bytes.get(place) {
        match byte {
            b'>' => return place + 1,
            b'"' | b'\'' => {
                let name = html[name_start..place].trim_end();
                // Without a closing quote, or over several lines, it is not a URL.
                let Some(length) = html[place + 1..].find(char::from(*byte)) else { return html.len() };
                let value_end = place + 1 + length;
                let name = name.strip_suffix('=').map(str::trim);
                let is_address = |name: &str| ["href", "src"].iter().any(|known| name.eq_ignore_ascii_case(known));
                if name.is_some_and(is_address) && !html[place..value_end].contains('\n') {
                    values.push(place + 1..value_end);
                }
                place = value_end;
                name_start = place + 1;
            }
            byte if byte.is_ascii_whitespace() => {
                let run = bytes[place..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                // An attribute may have spaces around its `=`; after others, the next name begins.
                if bytes[place - 1] != b'=' && bytes.get(place + run) != Some(&b'=') {
                    name_start = place + run;
                }
                place += run - 1;
            }
            _ => {}
        }
        place += 1;
    }
    html.len()
}

/// What a fragment must not contain in a Markdown destination, a URL and an HTML attribute alike.
const IN_FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'&')
    .add(b'\'')
    .add(b'(')
    .add(b')')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'`')
    .add(b'|');

/// The same for a path.
const IN_PATH: &AsciiSet = &IN_FRAGMENT.add(b'#').add(b'%').add(b'?').add(b'^').add(b'{').add(b'}');

/// The URL in the form pages are identified by, and its fragment.
pub(super) fn split_fragment(url: &str) -> Option<(String, Option<String>)> {
    if !url.get(..4)?.eq_ignore_ascii_case("http") {
        return None;
    }
    let mut url = Url::parse(url).ok()?;
    let fragment = url.fragment().filter(|fragment| !fragment.is_empty()).map(str::to_owned);
    url.set_fragment(None);
    Some((url.into(), fragment))
}

/// Sites treat both spellings alike; if both are separate pages, each is found before this is tried.
fn with_slash_toggled(page: &str) -> Option<String> {
    let mut url = Url::parse(page).ok()?;
    let path = url.path().to_owned();
    match path.strip_suffix('/') {
        Some("") => return None,
        Some(bare) => url.set_path(bare),
        None => url.set_path(&format!("{path}/")),
    }
    Some(url.into())
}

/// The relative path from one file of the tree to another, as written in a link.
pub(super) fn relative_path(from: &str, to: &str) -> String {
    let folder: Vec<_> = from.split('/').collect();
    let target: Vec<_> = to.split('/').collect();
    let (folder, below) = (&folder[..folder.len() - 1], &target[..target.len() - 1]);
    let shared = folder.iter().zip(below).take_while(|(ours, theirs)| ours == theirs).count();
    let up = "../".repeat(folder.len() - shared);
    up + &utf8_percent_encode(&target[shared..].join("/"), IN_PATH).to_string()
}

/// The text as shown in a link.
pub(super) fn as_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\[]*_`<>~&$|".contains(character) {
            escaped.push('\\');
        }
        escaped.push(if character.is_control() { ' ' } else { character });
    }
    escaped
}

#[cfg(test)]
mod tests;
