//! Sections of pages in parts of limited size, for retrieval by language models.
//!
//! A chunk never crosses a heading. A section with too many tokens is split between its blocks; a block that is too
//! large itself between its lines, then its words. Parts of code blocks and tables repeat their fence or header; code
//! inside lists and quotes is split like text. No text is added or lost.

use std::collections::HashMap;
use std::ops::Range;

use bluesnake_extract::{Tokens, tokens};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::links::dialect;
use crate::capture::CapturedPage;

/// A line of the file. Every line has every key.
#[derive(Serialize)]
struct Chunk<'a> {
    /// The same in every capture with the same URL, headings and part.
    id: String,
    url: &'a str,
    title: Option<&'a str>,
    /// The headings above the text, outermost first, with its own.
    heading_path: &'a [String],
    anchor: Option<&'a str>,
    /// From 1, if a section has several.
    part: usize,
    parts: usize,
    tokens_o200k: usize,
    tokens_cl100k: usize,
    markdown: &'a str,
}

/// The chunks of a page, a JSON line each.
pub(super) fn lines(page: &CapturedPage, max_tokens: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for section in sections(page) {
        let place =
            format!("{}\n{}\n{}", page.url, section.path.join("\n"), section.anchor.as_deref().unwrap_or_default());
        let earlier = seen.entry(place.clone()).or_default();
        *earlier += 1;
        let parts = parts(&section.blocks, &page.markdown, max_tokens);
        for (at, (markdown, tokens)) in parts.iter().enumerate() {
            let chunk = Chunk {
                id: id(&format!("{place}\n{earlier}\n{at}")),
                url: &page.url,
                title: page.title.as_deref(),
                heading_path: &section.path,
                anchor: section.anchor.as_deref(),
                part: at + 1,
                parts: parts.len(),
                tokens_o200k: tokens.o200k,
                tokens_cl100k: tokens.cl100k,
                markdown,
            };
            lines.push(serde_json::to_string(&chunk).expect("a chunk is plain text") + "\n");
        }
    }
    lines
}

/// 128 bits of a hash are enough to tell all chunks apart.
fn id(place: &str) -> String {
    Sha256::digest(place.as_bytes())[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A heading with the blocks up to the next one.
#[derive(Debug, Default)]
struct Section {
    path: Vec<String>,
    anchor: Option<String>,
    blocks: Vec<Block>,
}

/// A paragraph, list, table or other block at the top level of a page.
#[derive(Debug)]
struct Block {
    range: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Heading,
    Fence,
    Table,
    Other,
}

/// The sections of a page in order, without empty ones.
fn sections(page: &CapturedPage) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut open: Vec<(HeadingLevel, String)> = Vec::new();
    let mut known = page.headings.iter();
    let (mut depth, mut heading) = (0_usize, None::<(HeadingLevel, String)>);
    for (event, range) in Parser::new_ext(&page.markdown, dialect()).into_offset_iter() {
        match &event {
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = match tag {
                        Tag::CodeBlock(CodeBlockKind::Fenced(_)) => Kind::Fence,
                        Tag::Table(_) => Kind::Table,
                        Tag::Heading { .. } => Kind::Heading,
                        _ => Kind::Other,
                    };
                    let range = start_of_line(&page.markdown, range.start)..range.end;
                    if let Tag::Heading { level, .. } = tag {
                        heading = Some((*level, String::new()));
                        sections.push(Section::default());
                    }
                    sections.last_mut().expect("there is a first section").blocks.push(Block { range, kind });
                }
                depth += 1;
            }
            Event::End(end) => {
                depth -= 1;
                if matches!(end, TagEnd::Heading(_)) && depth == 0 {
                    let (level, words) = heading.take().expect("a heading ends after its start");
                    open.retain(|(above, _)| *above < level);
                    let words = words.trim().to_owned();
                    let mut following = known.clone();
                    let section = sections.last_mut().expect("a heading starts a section");
                    if let Some(same) = following.find(|known| same_words(&known.words, &words)) {
                        section.anchor = same.anchor.clone();
                        known = following;
                    }
                    open.push((level, words));
                    section.path = open.iter().map(|(_, words)| words.clone()).collect();
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some((_, words)) = &mut heading {
                    words.push_str(text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, words)) = &mut heading {
                    words.push(' ');
                }
            }
            Event::Rule if depth == 0 => {
                let block = Block { range, kind: Kind::Other };
                sections.last_mut().expect("there is a first section").blocks.push(block);
            }
            _ => {}
        }
    }
    sections.retain(|section| !section.blocks.is_empty());
    sections
}

/// The range of an indented block begins after its indentation.
fn start_of_line(markdown: &str, at: usize) -> usize {
    markdown[..at].trim_end_matches([' ', '\t']).len()
}

fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// A section in as few parts as possible, with their token counts.
fn parts(blocks: &[Block], markdown: &str, max_tokens: usize) -> Vec<(String, Tokens)> {
    let whole = blocks.first().map_or(0, |first| first.range.start)..blocks.last().map_or(0, |last| last.range.end);
    let whole = markdown[whole].trim_matches('\n');
    let counted = tokens(whole);
    if counted.o200k <= max_tokens {
        return vec![(whole.to_owned(), counted)];
    }
    // A heading shares its part with the beginning of the block that follows it.
    let mut room = max_tokens;
    // Blocks that may share a part; the parts of one block are not joined again.
    let mut together = vec![Vec::new()];
    for block in blocks {
        let text = markdown[block.range.clone()].trim_matches('\n');
        let tokens = tokens(text).o200k;
        let parts = if tokens <= room { vec![text.to_owned()] } else { cut(text, block.kind, room) };
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                together.push(Vec::new());
            }
            together.last_mut().expect("there is a first group").push(part);
        }
        room =
            if block.kind == Kind::Heading && tokens < max_tokens / 2 { max_tokens - tokens - 1 } else { max_tokens };
    }
    let packed = together.into_iter().flat_map(|group| pack(group.into_iter(), "\n\n", &Frame::default(), max_tokens));
    packed.map(|text| (tokens(&text), text)).map(|(tokens, text)| (text, tokens)).collect()
}

/// What the parts of a block repeat: the fence of code, the header of a table.
#[derive(Debug, Default)]
struct Frame<'a> {
    before: &'a str,
    after: &'a str,
}

impl<'a> Frame<'a> {
    /// The frame of a block and what is inside. A frame that leaves too little room is not repeated.
    fn of(block: &'a str, kind: Kind, max_tokens: usize) -> (Self, &'a str) {
        let after_lines = |count: usize| block.match_indices('\n').nth(count - 1).map_or(block.len(), |(at, _)| at + 1);
        let (start, end) = match kind {
            Kind::Fence => {
                let last = block.rfind('\n').map_or(block.len(), |at| at + 1);
                let is_closed = block[last..].trim_start().starts_with(['`', '~']);
                (after_lines(1), if is_closed { last } else { block.len() })
            }
            Kind::Table => (after_lines(2), block.len()),
            Kind::Heading | Kind::Other => (0, block.len()),
        };
        let frame = Self { before: &block[..start], after: &block[end.max(start)..] };
        let is_small = tokens(frame.before).o200k + tokens(frame.after).o200k <= max_tokens / 4;
        if is_small { (frame, &block[start..end.max(start)]) } else { (Self::default(), block) }
    }

    fn around(&self, text: &str) -> String {
        let gap = if self.after.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{}{}{gap}{}", self.before, text, self.after)
    }
}

/// A block that is too large, in parts.
fn cut(block: &str, kind: Kind, max_tokens: usize) -> Vec<String> {
    let (frame, inside) = Frame::of(block, kind, max_tokens);
    // One token is for the line break before the end of the frame.
    let room = max_tokens - tokens(frame.before).o200k - tokens(frame.after).o200k - 1;
    let pieces = inside.split_inclusive('\n').flat_map(|line| match tokens(line).o200k <= room {
        true => vec![line.to_owned()],
        false => pack(words(line, room), "", &Frame::default(), room),
    });
    let parts = pack(pieces, "", &frame, max_tokens).into_iter();
    parts.map(|part| part.trim_matches('\n').to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The words of a line, each with the space after it; one with too many bytes is cut. A token has at least one byte.
fn words(line: &str, room: usize) -> impl Iterator<Item = String> {
    line.split_inclusive(' ').flat_map(move |word| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(room.max(4)));
            rest = after;
            (!piece.is_empty()).then(|| piece.to_owned())
        })
    })
}

/// Joins pieces, in their order, to few texts that fit.
fn pack(pieces: impl Iterator<Item = String>, gap: &str, frame: &Frame<'_>, max_tokens: usize) -> Vec<String> {
    let of_frame = tokens(frame.before).o200k + tokens(frame.after).o200k;
    let mut packed = Vec::new();
    let (mut group, mut estimate) = (Vec::new(), of_frame);
    for piece in pieces {
        let of_piece = tokens(&piece).o200k;
        let mut after = estimate + of_piece + usize::from(!group.is_empty());
        group.push(piece);
        if after > max_tokens && group.len() > 1 {
            // The tokens of a text are rarely more than those of its pieces, and often fewer.
            after = tokens(&frame.around(&group.join(gap))).o200k;
        }
        if after > max_tokens && group.len() > 1 {
            let last = group.split_off(group.len() - 1);
            fit(&std::mem::replace(&mut group, last), gap, frame, max_tokens, &mut packed);
            after = of_frame + of_piece;
        }
        estimate = after;
    }
    fit(&group, gap, frame, max_tokens, &mut packed);
    packed
}

/// Joins a group of pieces; halves it if it has more tokens than estimated.
fn fit(group: &[String], gap: &str, frame: &Frame<'_>, max_tokens: usize, packed: &mut Vec<String>) {
    if group.is_empty() {
        return;
    }
    let text = frame.around(&group.join(gap));
    if group.len() == 1 || tokens(&text).o200k <= max_tokens {
        packed.push(text);
    } else {
        let (first, second) = group.split_at(group.len() / 2);
        fit(first, gap, frame, max_tokens, packed);
        fit(second, gap, frame, max_tokens, packed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Heading;

    fn page(markdown: &str) -> CapturedPage {
        let heading = |words: &str, anchor: &str| Heading {
            words: words.to_owned(),
            anchor: Some(anchor.to_owned()),
            ..Heading::default()
        };
        CapturedPage {
            url: "https://a.test/guide".to_owned(),
            title: Some("Guide".to_owned()),
            headings: vec![heading("Guide", "top"), heading("Install", "install"), heading("Linux", "linux")],
            markdown: markdown.to_owned(),
            ..CapturedPage::default()
        }
    }

    fn read(markdown: &str, max_tokens: usize) -> Vec<serde_json::Value> {
        lines(&page(markdown), max_tokens).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn each_section_is_a_chunk_with_its_headings_and_anchor() {
        let chunks = read("Before.\n\n# Guide\n\nText.\n\n## Install\n\n### *Linux*\n\n- a\n\n## Other\n\nLast.", 100);
        let seen: Vec<_> =
            chunks.iter().map(|chunk| (chunk["heading_path"].to_string(), chunk["anchor"].to_string())).collect();
        let path = |path: &str, anchor: &str| (path.to_owned(), anchor.to_owned());
        assert_eq!(
            seen,
            [
                path("[]", "null"),
                path(r#"["Guide"]"#, r#""top""#),
                path(r#"["Guide","Install"]"#, r#""install""#),
                path(r#"["Guide","Install","Linux"]"#, r#""linux""#),
                path(r#"["Guide","Other"]"#, "null"),
            ]
        );
        assert_eq!(chunks[1]["markdown"], "# Guide\n\nText.");
        assert_eq!(chunks[3]["markdown"], "### *Linux*\n\n- a");
        assert_eq!(chunks[1]["tokens_o200k"], tokens("# Guide\n\nText.").o200k);
    }

    #[test]
    fn ids_differ_and_do_not_depend_on_the_text() {
        let one = read("# Guide\n\nText.\n\n## Same\n\na\n\n## Same\n\nb", 100);
        let other = read("# Guide\n\nOther text.\n\n## Same\n\na\n\n## Same\n\nb", 100);
        let ids = |chunks: &[serde_json::Value]| chunks.iter().map(|chunk| chunk["id"].to_string()).collect::<Vec<_>>();
        assert_eq!(ids(&one), ids(&other));
        assert_eq!(ids(&one).iter().collect::<std::collections::HashSet<_>>().len(), 3);
    }

    #[test]
    fn no_chunk_has_too_many_tokens() {
        let code = format!("```rust\n{}```", "let value = compute(argument);\n".repeat(200));
        let table = format!("| a | b |\n|---|---|\n{}", "| one | two |\n".repeat(200));
        let paragraph = "Some words of a paragraph that goes on. ".repeat(200);
        let list = "- an item of a list\n".repeat(200);
        let word = "x".repeat(20_000);
        let text = [code.as_str(), &table, &paragraph, &list, &word].map(str::trim).join("\n\n");
        for max_tokens in [64, 300] {
            let chunks = read(&format!("# Guide\n\n{text}"), max_tokens);
            for chunk in &chunks {
                assert!(chunk["tokens_o200k"].as_u64().unwrap() <= max_tokens as u64, "{chunk}");
            }
            let texts: Vec<&str> = chunks.iter().map(|chunk| chunk["markdown"].as_str().unwrap()).collect();
            let count = |words: &str| texts.iter().map(|text| text.matches(words).count()).sum::<usize>();
            assert_eq!(
                (count("let value"), count("| one"), count("- an item"), count("paragraph")),
                (200, 200, 200, 200)
            );
            assert!(texts.concat().contains(&word), "a long word is cut without spaces");
            for text in &texts {
                assert_eq!(text.matches("```").count() % 2, 0, "{text}");
                assert_eq!(text.contains("| one"), text.contains("|---|---|"), "{text}");
            }
            assert_eq!(chunks.last().unwrap()["parts"], chunks.len());
        }
    }

    #[test]
    fn text_without_spaces_is_cut_without_adding_any() {
        let text = "爬虫抓取网页并保存链接。".repeat(300);
        let chunks = read(&text, 100);
        assert!(chunks.len() > 5);
        let texts: String = chunks.iter().map(|chunk| chunk["markdown"].as_str().unwrap()).collect();
        assert_eq!(texts, text);
    }

    #[test]
    fn a_heading_stays_with_its_text() {
        let chunks = read(&format!("# Guide\n\n{}", "Words of one long paragraph. ".repeat(100)), 64);
        assert!(chunks[0]["markdown"].as_str().unwrap().starts_with("# Guide\n\nWords of one"), "{}", chunks[0]);
        let code = format!("# Guide\n\n{}", "    indented code;\n".repeat(3));
        assert_eq!(read(&code, 64)[0]["markdown"], code.trim_end());
    }

    #[test]
    fn notes_are_kept() {
        let chunks = read("# Guide\n\nText[^1].\n\n[^1]: Note\n", 64);
        assert!(chunks[0]["markdown"].as_str().unwrap().contains("[^1]: Note"), "{}", chunks[0]);
    }
}
