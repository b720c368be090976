//! URLs waiting for their turn: the next ones in memory, the rest in the store.
//!
//! Memory is a setting: beyond its capacity the backlog keeps only the turn from which rows must be read from the
//! store.

use std::collections::VecDeque;

use crate::admit::UrlRow;
use crate::receipt::Turn;

/// URLs waiting for their turn.
#[derive(Debug)]
pub(crate) struct Backlog {
    capacity: usize,
    rows: VecDeque<UrlRow>,
    /// From this turn on, rows are only in the store.
    stored_from: Option<Turn>,
}

impl Backlog {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, rows: VecDeque::new(), stored_from: None }
    }

    /// The backlog of a run that is entirely in the store.
    pub(crate) fn all_stored(capacity: usize) -> Self {
        Self { stored_from: Some(Turn(0)), ..Self::new(capacity) }
    }

    /// Adds the next row in turn order.
    pub(crate) fn push(&mut self, row: UrlRow) {
        if self.stored_from.is_some() {
            return;
        }
        if self.rows.len() >= self.capacity {
            self.stored_from = row.turn;
            return;
        }
        self.rows.push_back(row);
    }

    pub(crate) fn first(&self) -> Option<&UrlRow> {
        self.rows.front()
    }

    pub(crate) fn take_first(&mut self) -> Option<UrlRow> {
        self.rows.pop_front()
    }

    /// Puts back the row that was just taken.
    pub(crate) fn put_back(&mut self, row: UrlRow) {
        self.rows.push_front(row);
    }

    /// The turn to read the store from, when memory is empty.
    pub(crate) fn to_read(&self) -> Option<Turn> {
        let from = self.stored_from.filter(|_| self.rows.is_empty())?;
        Some(Turn(from.0.saturating_sub(1)))
    }

    /// How many rows to read at once.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Adds rows from the store; fewer than the capacity means that there are no more.
    pub(crate) fn refill(&mut self, rows: Vec<UrlRow>) {
        let is_all = rows.len() < self.capacity;
        let last = rows.last().and_then(|row| row.turn);
        debug_assert!(self.rows.is_empty(), "the store is read when memory has run dry");
        self.rows = rows.into();
        self.stored_from = if is_all { None } else { last.map(|turn| Turn(turn.0 + 1)) };
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.stored_from.is_none()
    }
}
