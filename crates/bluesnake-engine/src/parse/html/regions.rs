//! Which parts of the visible text are the main text, and which are quotes or code.

use std::ops::Range;

use super::stack::Surroundings;
use crate::link::Position;

/// The parts of the visible text by what they are, while it is read.
#[derive(Debug, Default)]
pub(super) struct Regions {
    main: Vec<Range<usize>>,
    quoted: Vec<Range<usize>>,
    here: Region,
    /// Where the current region begins.
    since: usize,
}

/// What a place is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    is_main: bool,
    is_quoted: bool,
}

impl Regions {
    /// The text of this length is followed by a text with these surroundings.
    #[inline]
    pub(super) fn enter(&mut self, surroundings: &Surroundings, length: usize) {
        let is_main = matches!(surroundings.position, Position::Content | Position::Unknown);
        let region = Region { is_main, is_quoted: surroundings.is_quoted };
        if region != self.here {
            self.leave(length);
            self.here = region;
        }
    }

    fn leave(&mut self, length: usize) {
        let range = self.since..length;
        self.since = length;
        if range.is_empty() {
            return;
        }
        for (ranges, _) in [(&mut self.main, self.here.is_main), (&mut self.quoted, self.here.is_quoted)]
            .into_iter()
            .filter(|(_, is_it)| *is_it)
        {
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range.clone()),
            }
        }
    }

    /// The main text, and the text in quotes and code, of a text of this length.
    pub(super) fn finish(mut self, length: usize) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        self.leave(length);
        (self.main, self.quoted)
    }
}
