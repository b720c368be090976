//! Pages served as Markdown: whether they really are, and what they contain.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use url::Url;

use crate::corpus::{BlockFingerprint, BlockKind};
use crate::raw_html;
use crate::removal::{Reason, Removed};
use crate::sections::{self, Section};
use crate::{Extracted, Metadata};

/// Whether this is Markdown, and not an HTML page served in its place.
///
/// A Markdown media type is trusted unless the body is HTML. Plain text and unknown types must look like Markdown.
pub fn is_markdown(body: &str, content_type: Option<&str>) -> bool {
    if looks_like_html(body) || body.trim().is_empty() || body.contains('\0') {
        return false;
    }
    let media_type =
        content_type.and_then(|value| value.split(';').next()).map(|value| value.trim().to_ascii_lowercase());
    match media_type.as_deref() {
        Some("text/markdown" | "text/x-markdown") => true,
        Some("text/plain" | "application/octet-stream" | "") | None => looks_like_markdown(body),
        Some(_) => false,
    }
}

fn looks_like_html(body: &str) -> bool {
    let start = body.trim_start_matches('\u{feff}').trim_start();
    let start: String = start.chars().take(512).collect::<String>().to_ascii_lowercase();
    ["<!doctype html", "<head", "<body", "<?xml", "<!--"].iter().any(|sign| start.starts_with(sign))
        || start.contains("<html")
        || start.contains("<head>")
}

/// A heading, a list, a link, a fence or a quote near the beginning.
fn looks_like_markdown(body: &str) -> bool {
    let lines = || body.lines().take(200).map(str::trim_start);
    let is_block = |line: &str| {
        let heading = line.trim_start_matches('#');
        let is_heading = heading.len() < line.len() && heading.starts_with(' ');
        is_heading || ["```", "- ", "* ", "> "].iter().any(|mark| line.starts_with(mark))
    };
    lines().any(|line| is_block(line) || line.contains("](")) && !body.trim_start().starts_with(['{', '['])
}

/// Extracts a page that is already Markdown: the same bytes, but with absolute links and without front matter.
pub fn from_markdown(body: &str, url: &Url) -> Extracted {
    let body = body.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let reading = Reading::of(&body);
    let (mut markdown, left_relative) = reading.with_absolute_links(&body, url);
    let mut read = Reading::of(&markdown);
    if let Some(end) = read.missing_end.take() {
        markdown.push('\n');
        markdown.push_str(&end);
        read = Reading::of(&markdown);
    }
    let sections = sections::cut(&read.text, std::mem::take(&mut read.headings));
    let front = |name: &str| front_matter_field(reading.front_matter.as_deref().unwrap_or_default(), name);
    let first_heading = || Some(sections.iter().find(|section| section.level == 1)?.heading.clone());
    let what = format!("the host of {left_relative} links");
    let removed = (left_relative > 0).then_some(Removed { what, reason: Reason::TooLong, chars: 0 });
    Extracted {
        title: front("title").or_else(first_heading),
        description: front("description"),
        language: front("lang").or_else(|| front("language")),
        metadata: Metadata { description: front("description"), ..Metadata::default() },
        framework: None,
        confidence: 1.0,
        removed: removed.into_iter().collect(),
        blocks: read.blocks(&markdown),
        is_listing: false,
        anchors: Vec::new(),
        sections,
        text: read.text,
        markdown,
    }
}

/// A short link may have a long URL: how many bytes absolute URLs may add to a page.
const MAX_GROWTH: usize = 32 << 20;

/// One pass over a document.
#[derive(Debug, Default)]
struct Reading {
    text: String,
    /// Each with the range of its words in the text.
    headings: Vec<Section>,
    /// Top-level blocks, with their ranges in the source and in the text.
    blocks: Vec<(BlockKind, Range<usize>, Range<usize>)>,
    /// The position of each link's target in the source.
    targets: Vec<(Range<usize>, String)>,
    front_matter: Option<String>,
    /// What would close the code or HTML still open at the end.
    missing_end: Option<String>,
    /// The first byte after the front matter.
    start: usize,
}

impl Reading {
    fn of(source: &str) -> Self {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            | Options::ENABLE_FOOTNOTES;
        let parser = Parser::new_ext(source, options);
        let mut reading = Self::default();
        for (_, definition) in parser.reference_definitions().iter() {
            // The label may be the same word as the target.
            let label = source[definition.span.clone()].find("]:").unwrap_or_default();
            reading.take_target(source, definition.span.start + label..definition.span.end, &definition.dest);
        }
        let mut reader = Reader { source, reading, ..Reader::default() };
        for (event, range) in parser.into_offset_iter() {
            reader.take(event, range);
        }
        let mut reading = reader.reading;
        reading.text.truncate(reading.text.trim_end().len());
        reading.targets.sort_by_key(|(range, _)| range.start);
        reading
    }

    /// Finds the target in this part of the source, as written.
    fn take_target(&mut self, source: &str, range: Range<usize>, target: &str) {
        let from = range.start;
        let found = source.get(range).and_then(|written| written.find(target));
        if let Some(at) = found.filter(|_| !target.is_empty()) {
            self.targets.push((from + at..from + at + target.len(), target.to_owned()));
        }
    }

    fn take_addresses(&mut self, source: &str, range: Range<usize>) {
        let html = &source[range.clone()];
        let addresses = raw_html::addresses(html).into_iter();
        self.targets.extend(
            addresses.map(|place| (range.start + place.start..range.start + place.end, html[place].trim().to_owned())),
        );
    }

    /// Also returns how many links stay relative because the page would become too long.
    fn with_absolute_links(&self, source: &str, url: &Url) -> (String, usize) {
        let mut markdown = String::with_capacity(source.len() + 64);
        let (mut from, mut left_relative) = (self.start, 0);
        for (range, target) in &self.targets {
            if range.start < from {
                continue;
            }
            if markdown.len() > from + MAX_GROWTH {
                left_relative += 1;
                continue;
            }
            let Ok(absolute) = url.join(target) else { continue };
            markdown.push_str(&source[from..range.start]);
            markdown.push_str(absolute.as_str());
            from = range.end;
        }
        markdown.push_str(&source[from.min(source.len())..]);
        (markdown.trim().to_owned(), left_relative)
    }

    fn blocks(&self, source: &str) -> Vec<BlockFingerprint> {
        let blocks = self.blocks.iter().map(|(kind, markdown, text)| {
            BlockFingerprint::of(*kind, source, markdown.clone(), &self.text, text.clone())
        });
        blocks.take(BlockFingerprint::MOST).collect()
    }
}

#[derive(Default)]
struct Reader<'a> {
    source: &'a str,
    reading: Reading,
    depth: usize,
    /// The outermost open element is the last of the blocks.
    in_block: bool,
    /// The open block of HTML.
    html: String,
    is_fenced: bool,
    /// The level of the open heading, and where its words begin in the text.
    heading: Option<(u8, usize)>,
    /// For each open link, where its text ended last, and its target.
    links: Vec<(usize, String)>,
    in_metadata: bool,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        if let Some((text_end, _)) =
            self.links.last_mut().filter(|_| !matches!(event, Event::End(TagEnd::Link | TagEnd::Image)))
        {
            *text_end = range.end.max(*text_end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) if self.in_metadata => self.reading.front_matter = Some(text.to_string()),
            Event::Text(text) | Event::Code(text) => self.reading.text.push_str(&text),
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineHtml(html) => self.take_inline_html(&html, range),
            Event::SoftBreak | Event::HardBreak => self.reading.text.push(' '),
            _ => {}
        }
    }

    /// The text between tags arrives as text events.
    fn take_inline_html(&mut self, html: &str, range: Range<usize>) {
        self.reading.take_addresses(self.source, range);
        if html.get(..3).is_some_and(|tag| tag.eq_ignore_ascii_case("<br")) {
            self.reading.text.push(' ');
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if self.depth == 0 {
            let text = self.reading.text.len();
            let block = block_kind(&tag).map(|kind| (kind, range.clone(), text..text));
            self.in_block = block.is_some();
            self.reading.blocks.extend(block);
        }
        match tag {
            Tag::Heading { level, .. } => self.heading = Some((level as u8, self.reading.text.len())),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((range.start + 1, dest_url.to_string()))
            }
            Tag::CodeBlock(kind) => self.is_fenced = matches!(kind, CodeBlockKind::Fenced(_)),
            Tag::MetadataBlock(_) => self.in_metadata = true,
            _ => {}
        }
        self.depth += 1;
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        self.depth = self.depth.saturating_sub(1);
        match tag {
            TagEnd::Link | TagEnd::Image => {
                if let Some((text_end, target)) = self.links.pop() {
                    self.reading.take_target(self.source, text_end..range.end, &target);
                    if let Some((outer_end, _)) = self.links.last_mut() {
                        *outer_end = range.end;
                    }
                }
            }
            TagEnd::MetadataBlock(_) => {
                self.in_metadata = false;
                self.reading.start = range.end;
            }
            TagEnd::Heading(_) => self.end_heading(),
            TagEnd::HtmlBlock => self.end_html(range.clone()),
            TagEnd::TableCell => self.reading.text.push(' '),
            TagEnd::Paragraph
            | TagEnd::Item
            | TagEnd::CodeBlock
            | TagEnd::TableRow
            | TagEnd::TableHead
            | TagEnd::Table
            | TagEnd::BlockQuote(_) => self.end_line(),
            _ => {}
        }
        if self.depth > 0 {
            return;
        }
        if let Some((_, _, text)) = self.reading.blocks.last_mut().filter(|_| self.in_block) {
            text.end = self.reading.text.len();
        }
        // A block still open in a list or quote ends with it.
        self.reading.missing_end = match tag {
            TagEnd::CodeBlock if self.is_fenced => missing_fence(&self.source[range]),
            TagEnd::HtmlBlock => raw_html::missing_end(&self.source[range]).map(str::to_owned),
            _ => None,
        };
    }

    fn end_html(&mut self, range: Range<usize>) {
        let html = std::mem::take(&mut self.html);
        self.reading.text.push_str(&raw_html::text(&html));
        self.end_line();
        self.reading.take_addresses(self.source, range);
    }

    fn end_heading(&mut self) {
        let Some((level, start)) = self.heading.take() else { return };
        let heading = self.reading.text[start..].trim().to_owned();
        let anchor = Some(slug(&heading)).filter(|slug| !slug.is_empty());
        let text = start..self.reading.text.len();
        sections::record(
            &mut self.reading.headings,
            Section { level, heading, anchor, other_anchors: Vec::new(), text },
        );
        self.end_line();
    }

    fn end_line(&mut self) {
        let text = &mut self.reading.text;
        text.truncate(text.trim_end_matches([' ', '\n']).len());
        if !text.is_empty() {
            text.push('\n');
        }
    }
}

/// The missing closing fence of a code block.
fn missing_fence(block: &str) -> Option<String> {
    let (first, below) = block.split_once('\n').unwrap_or((block, ""));
    let first = first.trim_start();
    let mark = first.chars().next()?;
    let fence = &first[..first.len() - first.trim_start_matches(mark).len()];
    let last = below.trim_end().rsplit('\n').next().unwrap_or_default().trim();
    let is_closed = last.starts_with(fence) && last.trim_start_matches(mark).is_empty();
    (!is_closed).then(|| fence.to_owned())
}

fn block_kind(tag: &Tag<'_>) -> Option<BlockKind> {
    Some(match tag {
        Tag::Heading { level, .. } => BlockKind::Heading(*level as u8),
        Tag::Paragraph | Tag::BlockQuote(_) => BlockKind::Text,
        Tag::List(_) => BlockKind::List,
        Tag::CodeBlock(_) => BlockKind::Code,
        Tag::Table(_) => BlockKind::Table,
        _ => return None,
    })
}

/// A plain value of YAML front matter.
fn front_matter_field(front_matter: &str, name: &str) -> Option<String> {
    let value = front_matter.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?.trim();
    let value = value.trim_matches(['"', '\'']);
    (!value.is_empty() && !matches!(value, "|" | ">" | ">-" | "|-")).then(|| value.to_owned())
}

/// The anchor most programs generate for a heading.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() }).collect()
}
