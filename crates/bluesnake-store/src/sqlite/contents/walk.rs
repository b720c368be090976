//! Reads several tables of a run side by side, in number order: one pass over each, and no lookups.

use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Connection, Row, Rows};

/// Rows of a query that are ordered by their first column, a number.
pub(super) struct Ordered<'a> {
    rows: Rows<'a>,
    /// The number of the current row; `None` after the last one.
    number: Option<u32>,
}

impl<'a> Ordered<'a> {
    pub(super) fn new(rows: Rows<'a>) -> rusqlite::Result<Self> {
        let mut ordered = Self { rows, number: None };
        ordered.advance()?;
        Ok(ordered)
    }

    /// The row of a number, if there is one. Numbers are asked for in ascending order.
    pub(super) fn at(&mut self, number: u32) -> rusqlite::Result<Option<&Row<'a>>> {
        while self.number.is_some_and(|current| current < number) {
            self.advance()?;
        }
        Ok(self.rows.get().filter(|_| self.number == Some(number)))
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.rows.advance()?;
        self.number = self.rows.get().map(|row| row.get(0)).transpose()?;
        Ok(())
    }
}

/// Reads every URL of a run with its visit. The first column of both queries is the number, and `?1` is the run.
pub(super) fn urls_with_visits(
    connection: &Connection,
    run: i64,
    (urls, visits): (&str, &str),
    mut each: impl FnMut(u32, &Row<'_>, Option<&Row<'_>>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let (mut urls, mut visits) = (connection.prepare_cached(urls)?, connection.prepare_cached(visits)?);
    let (mut urls, mut visits) = (urls.query([run])?, Ordered::new(visits.query([run])?)?);
    while let Some(url) = urls.next()? {
        let number = url.get(0)?;
        each(number, url, visits.at(number)?)?;
    }
    Ok(())
}
