//! Blocks that appear on many pages of a site are boilerplate, even if no single page shows it.
//!
//! A [`Corpus`] counts on how many pages each block appears; page order does not matter. Then it removes the repeated
//! ones from each page. Code, tables and short answers to common questions stay: only running text and lists are
//! removed, and headings left without content.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::Extracted;
use crate::classify::visible_chars;
use crate::removal::{Reason, Removed};
use crate::sections::{Section, trimmed};
use crate::title;

/// One block of a page: a hash of its text, and its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockFingerprint {
    pub hash: u64,
    pub kind: BlockKind,
    /// Its range in [`Extracted::markdown`].
    pub markdown: Range<usize>,
    /// Its range in [`Extracted::text`].
    pub text: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    Heading(u8),
    Text,
    List,
    Code,
    Table,
    Rule,
}

impl BlockFingerprint {
    /// How many blocks of a page are compared with those of other pages.
    pub(crate) const MOST: usize = 1 << 17;

    pub(crate) fn of(
        kind: BlockKind,
        markdown: &str,
        markdown_range: Range<usize>,
        text: &str,
        text_range: Range<usize>,
    ) -> Self {
        let markdown_range = trimmed(markdown, markdown_range);
        let text_range = trimmed(text, text_range);
        Self {
            hash: xxh3_64(markdown[markdown_range.clone()].as_bytes()),
            kind,
            markdown: markdown_range,
            text: text_range,
        }
    }
}

/// The blocks of all pages of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corpus {
    pages: usize,
    /// On how many pages each block appears.
    counts: BTreeMap<u64, usize>,
    /// How many pages have this title, or this as the first or last part of it.
    titles: BTreeMap<u64, usize>,
}

/// With fewer pages than this, nothing is considered repeated.
const FEW_PAGES: usize = 5;

impl Corpus {
    /// Counts the blocks of one page and the parts of its title, each once.
    pub fn add(&mut self, page: &Extracted) {
        self.pages += 1;
        let distinct: BTreeSet<u64> = page.blocks.iter().map(|block| block.hash).collect();
        for hash in distinct {
            *self.counts.entry(hash).or_default() += 1;
        }
        let title = page.title.as_deref().unwrap_or_default();
        let last = title::parts(title).map(|(_, last)| last);
        let first = title::first_part(title).map(|(first, _)| first);
        let parts: BTreeSet<&str> = [Some(title), first, last].into_iter().flatten().collect();
        for part in parts {
            *self.titles.entry(xxh3_64(part.as_bytes())).or_default() += 1;
        }
    }

    /// Adds the counts of another corpus of the same site.
    pub fn merge(&mut self, other: &Self) {
        self.pages += other.pages;
        for (hash, count) in &other.counts {
            *self.counts.entry(*hash).or_default() += count;
        }
        for (hash, count) in &other.titles {
            *self.titles.entry(*hash).or_default() += count;
        }
    }

    /// Whether this block appears on at least half of the pages.
    pub fn is_repeated(&self, block: &BlockFingerprint) -> bool {
        self.is_on_most_pages(self.counts.get(&block.hash))
    }

    /// Whether at least half of the titles are, begin or end with this.
    fn is_name_of_site(&self, part: &str) -> bool {
        self.is_on_most_pages(self.titles.get(&xxh3_64(part.as_bytes())))
    }

    fn is_on_most_pages(&self, count: Option<&usize>) -> bool {
        count.is_some_and(|count| self.pages >= FEW_PAGES && *count >= FEW_PAGES && count * 2 >= self.pages)
    }

    /// The title without the name of the site; if nothing else is in it, the first heading that is not that name.
    fn retitle(&self, page: &mut Extracted) {
        let Some(title) = page.title.as_deref() else { return };
        if !self.is_name_of_site(title) {
            page.title = Some(title::strip(title, |part| self.is_name_of_site(part)).to_owned());
            return;
        }
        let headings = page.sections.iter().filter(|section| section.level > 0);
        let own = headings.map(|section| &section.heading).find(|heading| *heading != title);
        page.title = own.cloned().or(page.title.take());
    }

    /// Removes repeated blocks from a page and records them in [`Extracted::removed`]. The last block of a page
    /// always stays. Also removes the name of the site from its title.
    pub fn clean(&self, page: &mut Extracted) {
        self.retitle(page);
        let goes = self.repeated(&page.blocks);
        if goes.iter().all(|goes| !goes) || goes.iter().all(|goes| *goes) {
            return;
        }
        for (block, _) in page.blocks.iter().zip(&goes).filter(|(_, goes)| **goes) {
            let text = &page.text[block.text.clone()];
            let what = text.chars().take(60).collect::<String>().replace('\n', " ");
            page.removed.push(Removed { what, reason: Reason::Repeated, chars: visible_chars(text) as usize });
        }
        remove_blocks(page, &goes);
    }

    /// For each block whether to remove it.
    fn repeated(&self, blocks: &[BlockFingerprint]) -> Vec<bool> {
        let may_go = |block: &BlockFingerprint| matches!(block.kind, BlockKind::Text | BlockKind::List);
        let mut goes: Vec<bool> = blocks.iter().map(|block| may_go(block) && self.is_repeated(block)).collect();
        // From the end, so that a heading sees whether anything below it stays.
        for at in (0..blocks.len()).rev() {
            let BlockKind::Heading(level) = blocks[at].kind else { continue };
            let is_same_section =
                |block: &BlockFingerprint| !matches!(block.kind, BlockKind::Heading(other) if other <= level);
            let below = blocks[at + 1..].iter().take_while(|block| is_same_section(block)).count();
            goes[at] = below > 0 && self.is_repeated(&blocks[at]) && goes[at + 1..=at + below].iter().all(|goes| *goes);
        }
        goes
    }
}

/// Rebuilds the page from the remaining blocks, and adjusts the ranges of blocks and sections.
fn remove_blocks(page: &mut Extracted, goes: &[bool]) {
    let (old_markdown, old_text) = (std::mem::take(&mut page.markdown), std::mem::take(&mut page.text));
    let mut markdown = Cut::new(&old_markdown);
    let mut text = Cut::new(&old_text);
    let removed: Vec<&BlockFingerprint> =
        page.blocks.iter().zip(goes).filter(|(_, goes)| **goes).map(|(block, _)| block).collect();
    for block in &removed {
        markdown.remove(block.markdown.clone());
        text.remove(block.text.clone());
    }
    let headings: Vec<&BlockFingerprint> = removed
        .into_iter()
        .filter(|block| matches!(block.kind, BlockKind::Heading(_)) && !block.text.is_empty())
        .collect();
    page.sections.retain(|section| !is_below_one_of(&old_text, &headings, section));
    for section in &mut page.sections {
        section.text = text.moved(&section.text);
    }
    for block in &mut page.blocks {
        block.markdown = markdown.moved(&block.markdown);
        block.text = text.moved(&block.text);
    }
    page.anchors.retain(|anchor| !markdown.is_removed(anchor.at));
    for anchor in &mut page.anchors {
        anchor.at = markdown.place(anchor.at);
    }
    let mut stays = goes.iter().map(|goes| !goes);
    page.blocks.retain(|_| stays.next().expect("one entry per block"));
    (page.markdown, page.text) = (markdown.finish(), text.finish());
    for section in &mut page.sections {
        section.text = trimmed(&page.text, section.text.clone());
    }
    for block in &mut page.blocks {
        block.markdown = trimmed(&page.markdown, block.markdown.clone());
        block.text = trimmed(&page.text, block.text.clone());
    }
    page.sections.retain(|section| section.level > 0 || !section.text.is_empty());
}

/// Whether one of these headings, which are in text order, begins the section.
fn is_below_one_of(text: &str, headings: &[&BlockFingerprint], section: &Section) -> bool {
    let before = headings.partition_point(|heading| heading.text.end <= section.text.start);
    headings[..before].last().is_some_and(|heading| {
        heading.kind == BlockKind::Heading(section.level)
            && text[heading.text.clone()] == section.heading
            && text[heading.text.end..section.text.start].trim().is_empty()
    })
}

/// A string from which ranges are removed, in order, with the white space after each.
struct Cut<'a> {
    whole: &'a str,
    /// Each with the total length before it, so that positions are found without adding them up again.
    removed: Vec<(Range<usize>, usize)>,
}

impl<'a> Cut<'a> {
    fn new(whole: &'a str) -> Self {
        Self { whole, removed: Vec::new() }
    }

    fn remove(&mut self, range: Range<usize>) {
        let (from, before) = self.removed.last().map_or((0, 0), |(last, before)| (last.end, before + last.len()));
        // An image is a block without text.
        if range.is_empty() || range.start < from {
            return;
        }
        let behind = &self.whole[range.end..];
        let end = range.end + behind.len() - behind.trim_start_matches('\n').len();
        self.removed.push((range.start..end, before));
    }

    /// Where a range is after the removal.
    fn moved(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start);
        start..self.place(range.end).max(start)
    }

    fn place(&self, at: usize) -> usize {
        let begun = self.removed.partition_point(|(removed, _)| removed.start <= at);
        let last = self.removed[..begun].last();
        at - last.map_or(0, |(removed, before)| before + at.min(removed.end) - removed.start)
    }

    fn is_removed(&self, at: usize) -> bool {
        let begun = self.removed.partition_point(|(removed, _)| removed.start <= at);
        self.removed[..begun].last().is_some_and(|(removed, _)| removed.contains(&at))
    }

    fn finish(self) -> String {
        let mut kept = String::with_capacity(self.whole.len());
        let mut from = 0;
        for (removed, _) in &self.removed {
            kept.push_str(&self.whole[from..removed.start]);
            from = removed.end;
        }
        kept.push_str(&self.whole[from..]);
        kept.truncate(kept.trim_end_matches('\n').len());
        kept
    }
}
