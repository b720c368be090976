//! A URL whose turn has come.

use crate::admit::UrlRow;
use crate::receipt::{Number, Reason, Turn};

/// A URL whose turn has come and that may be fetched. The ledger makes those of a site.
#[derive(Debug)]
pub(crate) struct Admitted(UrlRow);

impl Admitted {
    /// A URL that the ledger lets through.
    pub(super) fn in_turn(row: UrlRow) -> Self {
        Self(row)
    }

    /// A URL that no ledger numbers: a page of a woven host, or a probe of the network. Its row has a turn.
    pub(crate) fn outside_the_ledger(row: UrlRow) -> Self {
        Self(row)
    }

    pub(crate) fn row(&self) -> &UrlRow {
        &self.0
    }

    pub(crate) fn into_row(self) -> UrlRow {
        self.0
    }

    /// Its place in the queue.
    pub(crate) fn turn(&self) -> Turn {
        self.0.turn.expect("an admitted URL has a turn")
    }
}

/// What becomes of a URL whose turn has come.
#[derive(Debug)]
pub(crate) enum Turned {
    /// It may be fetched.
    Admitted(Admitted),
    /// It will not be fetched in this run.
    Ended(Number, Reason),
    /// It has to wait for a visit in flight, which may return its place in a budget.
    Waits(UrlRow),
    /// The session's budget is spent; the URL stays pending.
    SessionSpent(UrlRow),
}
