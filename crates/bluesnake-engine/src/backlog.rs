//! URLs that wait for their turn: the next ones in memory, the rest in the store.
//!
//! Memory is a setting: beyond its capacity the backlog keeps only the turn from which on the store has to be asked.

use std::collections::VecDeque;

use crate::admit::UrlRow;
use crate::receipt::Turn;

/// URLs that wait for their turn.
#[derive(Debug)]
pub(crate) struct Backlog {
    capacity: usize,
    rows: VecDeque<UrlRow>,
    /// From this turn on, rows are in the store only.
    stored_from: Option<Turn>,
}

impl Backlog {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, rows: VecDeque::new(), stored_from: None }
    }

    /// The backlog of a run of which everything is in the store.
    pub(crate) fn all_stored(capacity: usize) -> Self {
        Self { stored_from: Some(Turn(0)), ..Self::new(capacity) }
    }

    /// Takes the next row in the order of turns.
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

    /// Gives the row back that was just taken.
    pub(crate) fn put_back(&mut self, row: UrlRow) {
        self.rows.push_front(row);
    }

    /// The turn after which the store has to be read, when memory has run dry.
    pub(crate) fn to_read(&self) -> Option<Turn> {
        let from = self.stored_from.filter(|_| self.rows.is_empty())?;
        Some(Turn(from.0.saturating_sub(1)))
    }

    /// How many rows to read at once.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Takes what the store had; fewer rows than the capacity means that nothing else is there.
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
