//! Filtered and sorted lists as numbers in order, so that any window of them is a slice.

use std::sync::Arc;

use rusqlite::Connection;

use super::View;
use super::columns::Grid;
use super::filter::RowFilter;
use super::folders::Folders;
use super::rows::RowSort;
use super::select::Bits;
use super::texts::Texts;
use crate::sqlite::Failure;
use crate::sqlite::contents::Order as Direction;

/// The numbers of a list, ascending by what it is sorted by.
#[derive(Debug)]
pub(super) enum Order {
    /// All numbers, from 1 to this.
    Dense(u32),
    /// An order that belongs to the grid.
    Column(Arc<Grid>, RowSort),
    /// An order of its own.
    Own(Arc<Vec<u32>>),
}

impl Order {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Dense(last) => u64::from(*last),
            Self::Column(grid, _) => grid.len() as u64,
            Self::Own(numbers) => numbers.len() as u64,
        }
    }

    /// The number at a position, counted from the end of the list that a direction begins at.
    pub(super) fn directed(&self, direction: Direction, position: u64) -> u32 {
        match direction {
            Direction::Ascending => self.at(position),
            Direction::Descending => self.at(self.len() - 1 - position),
        }
    }

    /// The number at a position.
    fn at(&self, position: u64) -> u32 {
        match self {
            Self::Dense(_) => position as u32 + 1,
            Self::Column(grid, sort) => grid.kept_order(*sort).expect("it was made")[position as usize],
            Self::Own(numbers) => numbers[position as usize],
        }
    }
}

impl View<'_> {
    /// The order of a list; kept for the next window of it.
    pub(super) fn order(&self, connection: &Connection, filter: &RowFilter, sort: RowSort) -> Result<Order, Failure> {
        self.grid.make_order(connection, self.run, sort)?;
        if *filter == RowFilter::default() {
            match sort {
                RowSort::Number => return Ok(Order::Dense(self.grid.len() as u32)),
                RowSort::Url | RowSort::Title => return Ok(Order::Column(Arc::clone(&self.grid), sort)),
                _ => {}
            }
        }
        let key = (self.id, filter.clone(), sort);
        let weight = |numbers: &Vec<u32>| size_of_val(numbers.as_slice());
        let make = || Ok::<_, Failure>(self.grid.sorted(&self.select(connection, filter)?, sort));
        self.kept.orders.get_or_make(&key, weight, make).map(Order::Own)
    }
}

impl Grid {
    /// All numbers in the order of their URLs.
    pub(super) fn by_url(&self, connection: &Connection, run: i64) -> rusqlite::Result<&[u32]> {
        self.make_order(connection, run, RowSort::Url)?;
        Ok(self.kept_order(RowSort::Url).expect("it was made"))
    }

    /// Makes the order by URL or title, unless it is known.
    pub(in crate::sqlite) fn make_order(
        &self,
        connection: &Connection,
        run: i64,
        sort: RowSort,
    ) -> rusqlite::Result<()> {
        let order = match sort {
            RowSort::Url => &self.by_url,
            RowSort::Title => &self.by_title,
            _ => return Ok(()),
        };
        if order.get().is_none() {
            let read = if sort == RowSort::Url { Texts::urls } else { Texts::titles };
            let texts = read(connection, run, self.len())?;
            // Another reader may have been faster with the same.
            let made = order.get_or_init(|| texts.order());
            if sort == RowSort::Url {
                self.folders.get_or_init(|| Folders::of(self, &texts, made));
            }
        }
        Ok(())
    }

    /// The folders of its URLs, if it is not stored.
    pub(in crate::sqlite) fn folders(&self, connection: &Connection, run: i64) -> rusqlite::Result<&Folders> {
        let order = self.by_url(connection, run)?;
        if self.folders.get().is_none() {
            let texts = Texts::urls(connection, run, self.len())?;
            self.folders.get_or_init(|| Folders::of(self, &texts, order));
        }
        Ok(self.folders.get().expect("they were made"))
    }

    fn kept_order(&self, sort: RowSort) -> Option<&[u32]> {
        match sort {
            RowSort::Url => self.by_url.get().map(Vec::as_slice),
            RowSort::Title => self.by_title.get().map(Vec::as_slice),
            _ => None,
        }
    }

    /// The numbers of these URLs in order; orders by text are made.
    fn sorted(&self, bits: &Bits, sort: RowSort) -> Vec<u32> {
        if let Some(order) = self.kept_order(sort) {
            return order.iter().copied().filter(|number| bits.contains(*number)).collect();
        }
        // Missing values are the largest of their column, and come first.
        match sort {
            RowSort::Status => sorted_by(bits, |at| self.status[at].into()),
            RowSort::Depth => sorted_by(bits, |at| self.depth[at].wrapping_add(1).into()),
            RowSort::ResponseTime => sorted_by(bits, |at| self.time[at].wrapping_add(1)),
            RowSort::Size => sorted_by(bits, |at| self.bytes[at].wrapping_add(1)),
            RowSort::WordCount => sorted_by(bits, |at| self.words[at].wrapping_add(1)),
            RowSort::Inlinks => sorted_by(bits, |at| self.inlinks[at].wrapping_add(1)),
            // Scores are not negative, so their bits have their order.
            RowSort::LinkScore => sorted_by(bits, |at| {
                Some(self.score[at]).filter(|score| *score >= 0.0).map_or(0, |score| score.to_bits() + 1)
            }),
            RowSort::ContentType => sorted_by(bits, |at| self.media[at].into()),
            RowSort::Number | RowSort::Url | RowSort::Title => {
                let mut numbers = Vec::with_capacity(bits.count());
                bits.for_each(|at| numbers.push(at as u32 + 1));
                numbers
            }
        }
    }
}

/// The numbers of these URLs by a key, then by number.
fn sorted_by(bits: &Bits, key: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut keyed: Vec<u64> = Vec::with_capacity(bits.count());
    bits.for_each(|at| keyed.push(u64::from(key(at)) << 32 | (at as u64 + 1)));
    keyed.sort_unstable();
    keyed.into_iter().map(|keyed| keyed as u32).collect()
}
