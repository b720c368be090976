//! Waiting URLs in little memory: about twenty bytes each.
//!
//! Rows arrive in turn order and leave nearly in that order, so they are kept in blocks that are freed as a whole. Values
//! shared by many rows are stored once, as a [`Shape`]; the paths of full blocks are in a file, as in a store on disk.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use bluesnake_engine::admit::Depth;
use bluesnake_engine::{Action, CanonicalUrl, LinkKind, Number, Reason, Source, Task, Turn, UrlRow};

const ROWS_PER_BLOCK: usize = 1024;

/// The queue.
#[derive(Debug)]
pub(crate) struct Queue {
    file: File,
    /// Offset of the next block in the file.
    file_end: u64,
    blocks: VecDeque<Block>,
    shapes: Vec<Shape>,
    bytes: usize,
    peak_bytes: usize,
}

#[derive(Debug, Default)]
struct Block {
    entries: Vec<Entry>,
    /// The paths, until the block is full.
    text: String,
    /// Their offset in the file from then on.
    offset: u64,
    waiting: usize,
}

#[derive(Debug)]
struct Entry {
    turn: Turn,
    number: Number,
    /// Zero for seeds.
    parent: u32,
    /// The end of its text in the block's text.
    end: u32,
    shape: u16,
    is_waiting: bool,
}

/// The part of a row that many rows share.
#[derive(Debug, PartialEq)]
struct Shape {
    origin: Box<str>,
    source: Source,
    kind: LinkKind,
    depth: Depth,
    hops: u32,
    redirects: u32,
    base: u32,
    is_internal: bool,
    action: Action,
    task: Task,
    reason: Reason,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            file: nameless_file().expect("a temporary file can be created"),
            file_end: 0,
            blocks: VecDeque::new(),
            shapes: Vec::new(),
            bytes: 0,
            peak_bytes: 0,
        }
    }
}

/// A temporary file that disappears with the process.
fn nameless_file() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("bluesnake-bench-queue-{}", std::process::id()));
    let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

impl Queue {
    /// Adds a row with a turn, later than all before.
    pub(crate) fn push(&mut self, row: &UrlRow) {
        let turn = row.turn.expect("only rows with a turn wait");
        let shape = self.shape_of(row);
        if self.blocks.back().is_none_or(|block| block.entries.len() == ROWS_PER_BLOCK) {
            self.write_out_last();
            self.blocks.push_back(Block::default());
        }
        let block = self.blocks.back_mut().expect("a block was just added");
        assert!(block.entries.last().is_none_or(|last| last.turn < turn), "rows arrive in turn order");
        self.bytes += size_of::<Entry>();
        self.peak_bytes = self.peak_bytes.max(self.bytes);
        block.push(row, turn, shape);
    }

    /// The row of this turn was visited.
    pub(crate) fn visited(&mut self, turn: Turn) {
        let at = self.blocks.partition_point(|block| block.last_turn() < turn);
        if let Some(block) = self.blocks.get_mut(at)
            && let Ok(place) = block.entries.binary_search_by_key(&turn, |entry| entry.turn)
        {
            self.bytes -= block.finish(place);
            self.give_up_finished();
        }
    }

    /// The row of this number ended without a visit. Rare, so a linear search is fine.
    pub(crate) fn settled(&mut self, number: Number) {
        let waits = |entry: &Entry| entry.number == number && entry.is_waiting;
        let found = self.blocks.iter().find_map(|block| block.entries.iter().find(|entry| waits(entry)));
        if let Some(turn) = found.map(|entry| entry.turn) {
            self.visited(turn);
        }
    }

    /// Rows with turns above `after`, at most `limit`.
    pub(crate) fn waiting(&self, after: Turn, limit: usize) -> Vec<UrlRow> {
        let from = self.blocks.partition_point(|block| block.last_turn() <= after);
        let known: usize = self.blocks.range(from..).map(|block| block.waiting).sum();
        // Exact capacity: a growing vector could use twice as much and distort the measurement.
        let mut rows = Vec::with_capacity(known.min(limit));
        for block in self.blocks.range(from..) {
            let text = block.text(&self.file);
            rows.extend(block.waiting(&text, after, &self.shapes).take(limit - rows.len()));
            if rows.len() == limit {
                break;
            }
        }
        rows
    }

    fn write_out_last(&mut self) {
        if let Some(full) = self.blocks.back_mut() {
            let text = std::mem::take(&mut full.text);
            write_at(&self.file, text.as_bytes(), self.file_end).expect("the file of the queue can be written");
            full.offset = self.file_end;
            self.file_end += text.len() as u64;
        }
    }

    /// Its peak size in bytes.
    pub(crate) fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    fn shape_of(&mut self, row: &UrlRow) -> u16 {
        let shape = Shape::of(row);
        let known = self.shapes.iter().position(|known| *known == shape);
        let place = known.unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        u16::try_from(place).expect("the rows of a measured site have few shapes")
    }

    fn give_up_finished(&mut self) {
        let is_finished = |block: &Block| block.waiting == 0 && block.entries.len() == ROWS_PER_BLOCK;
        while self.blocks.front().is_some_and(is_finished) {
            self.blocks.pop_front();
        }
    }
}

impl Block {
    fn push(&mut self, row: &UrlRow, turn: Turn, shape: u16) {
        self.text.push_str(row.url.path_and_query());
        self.entries.push(Entry {
            turn,
            number: row.number,
            parent: row.parent.map_or(0, |parent| parent.0),
            end: u32::try_from(self.text.len()).expect("the URLs of a block are below four gigabytes"),
            shape,
            is_waiting: true,
        });
        self.waiting += 1;
    }

    fn last_turn(&self) -> Turn {
        self.entries.last().expect("a block is never empty").turn
    }

    /// Marks a row as done and returns the bytes it held.
    fn finish(&mut self, place: usize) -> usize {
        let was_waiting = std::mem::take(&mut self.entries[place].is_waiting);
        self.waiting -= usize::from(was_waiting);
        if was_waiting { size_of::<Entry>() } else { 0 }
    }

    fn text(&self, file: &File) -> Cow<'_, str> {
        if self.entries.len() < ROWS_PER_BLOCK || !self.text.is_empty() {
            return Cow::Borrowed(&self.text);
        }
        let mut bytes = vec![0; self.entries.last().map_or(0, |last| last.end as usize)];
        read_at(file, &mut bytes, self.offset).expect("the file of the queue can be read");
        Cow::Owned(String::from_utf8(bytes).expect("paths were written"))
    }

    fn path<'a>(&self, text: &'a str, place: usize) -> &'a str {
        let start = place.checked_sub(1).map_or(0, |before| self.entries[before].end);
        &text[start as usize..self.entries[place].end as usize]
    }

    fn waiting<'a>(&'a self, text: &'a str, after: Turn, shapes: &'a [Shape]) -> impl Iterator<Item = UrlRow> + 'a {
        let places = 0..self.entries.len();
        let waiting = places.filter(move |place| self.entries[*place].is_waiting && self.entries[*place].turn > after);
        waiting.map(|place| {
            let entry = &self.entries[place];
            shapes[usize::from(entry.shape)].row(entry, self.path(text, place))
        })
    }
}

impl Shape {
    fn of(row: &UrlRow) -> Self {
        Self {
            origin: row.url.origin().into(),
            source: row.source,
            kind: row.kind,
            depth: row.depth,
            hops: row.hops,
            redirects: row.redirects,
            base: row.base,
            is_internal: row.is_internal,
            action: row.action,
            task: row.task,
            reason: row.reason,
        }
    }

    fn row(&self, entry: &Entry, path_and_query: &str) -> UrlRow {
        UrlRow {
            number: entry.number,
            url: CanonicalUrl::from_stored(format!("{}{path_and_query}", self.origin)),
            parent: (entry.parent > 0).then_some(Number(entry.parent)),
            source: self.source,
            kind: self.kind,
            depth: self.depth,
            hops: self.hops,
            redirects: self.redirects,
            base: self.base,
            is_internal: self.is_internal,
            action: self.action,
            task: self.task,
            turn: Some(entry.turn),
            reason: self.reason,
        }
    }
}

fn write_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

fn read_at(mut file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(turn: u32) -> UrlRow {
        UrlRow {
            number: Number(turn + 7),
            url: CanonicalUrl::parse(&format!("http://a/{turn}")).unwrap(),
            parent: Some(Number(1)),
            source: Source::Spider,
            kind: LinkKind::Anchor,
            depth: Depth { steps: turn % 3, from_seed: true },
            hops: 0,
            redirects: 0,
            base: 0,
            is_internal: true,
            action: Action::Crawl,
            task: Task::Page,
            turn: Some(Turn(turn)),
            reason: Reason::Queued,
        }
    }

    fn queue_of(turns: u32) -> Queue {
        let mut queue = Queue::default();
        (1..=turns).for_each(|turn| queue.push(&row(turn)));
        queue
    }

    #[test]
    fn rows_are_returned_unchanged() {
        let queue = queue_of(3000);
        let back = queue.waiting(Turn(2000), 1).remove(0);
        assert_eq!(format!("{back:?}"), format!("{:?}", row(2001)));
    }

    #[test]
    fn visited_and_settled_rows_no_longer_wait() {
        let mut queue = queue_of(5);
        queue.visited(Turn(2));
        queue.settled(row(4).number);
        let turns: Vec<u32> = queue.waiting(Turn(0), 10).iter().map(|row| row.turn.unwrap().0).collect();
        assert_eq!(turns, [1, 3, 5]);
    }

    #[test]
    fn memory_is_freed_for_any_order_of_visits() {
        let mut queue = queue_of(4096);
        (1..=4096).rev().for_each(|turn| queue.visited(Turn(turn)));
        assert_eq!((queue.blocks.len(), queue.bytes), (0, 0));
        assert_eq!(queue.peak_bytes(), 4096 * size_of::<Entry>());
    }
}
