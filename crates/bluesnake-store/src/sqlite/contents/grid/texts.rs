//! The texts of a run in one piece of memory, and their order.

use rusqlite::Connection;

use crate::sqlite::columns::Columns;

/// A text for every URL, by number; empty if there is none.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl Texts {
    /// The URLs of a run up to a number.
    pub(super) fn urls(connection: &Connection, run: i64, last: usize) -> rusqlite::Result<Self> {
        Self::read(
            connection,
            "SELECT number, url FROM urls WHERE run = ?1 AND number <= ?2 ORDER BY number",
            run,
            last,
        )
    }

    /// The titles of a run up to a number.
    pub(super) fn titles(connection: &Connection, run: i64, last: usize) -> rusqlite::Result<Self> {
        let sql =
            "SELECT number, title FROM visits WHERE run = ?1 AND number <= ?2 AND title IS NOT NULL ORDER BY number";
        Self::read(connection, sql, run, last)
    }

    fn read(connection: &Connection, sql: &str, run: i64, last: usize) -> rusqlite::Result<Self> {
        let mut texts = Self { bytes: Vec::new(), ends: Vec::with_capacity(last) };
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query((run, last))?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let number: usize = columns.read()?;
            texts.fill(number - 1);
            texts.bytes.extend_from_slice(columns.optional_bytes()?.unwrap_or_default());
            texts.ends.push(texts.bytes.len());
        }
        texts.fill(last);
        Ok(texts)
    }

    /// Adds empty texts up to a number.
    fn fill(&mut self, number: usize) {
        self.ends.resize(number.max(self.ends.len()), self.bytes.len());
    }

    /// The text of a number.
    pub(super) fn of(&self, number: u32) -> &[u8] {
        let at = number as usize - 1;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[at]]
    }

    /// All numbers, ordered by text and then by number.
    pub(super) fn order(&self) -> Vec<u32> {
        let all = 1..=self.ends.len() as u32;
        let skipped = self.common_prefix();
        // Most pairs differ in the first bytes that can differ, which are compared without a look at the texts.
        let key = |text: &[u8]| {
            let mut key = [0; 8];
            let shown = text.get(skipped..).unwrap_or_default();
            let shown = &shown[..shown.len().min(8)];
            key[..shown.len()].copy_from_slice(shown);
            u64::from_be_bytes(key)
        };
        let mut order: Vec<(u64, u32)> = all.map(|number| (key(self.of(number)), number)).collect();
        order.sort_unstable_by(|(key, number), (other_key, other)| {
            key.cmp(other_key).then_with(|| self.of(*number).cmp(self.of(*other))).then(number.cmp(other))
        });
        order.into_iter().map(|(_, number)| number).collect()
    }

    /// The length of what all texts begin with, except empty ones.
    fn common_prefix(&self) -> usize {
        let mut texts = (1..=self.ends.len() as u32).map(|number| self.of(number)).filter(|text| !text.is_empty());
        let Some(first) = texts.next() else { return 0 };
        texts.fold(first.len(), |length, text| common_length(&first[..length], text))
    }
}

/// How many bytes two texts have in common at the start.
pub(super) fn common_length(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_ordered_by_their_bytes_and_then_by_number() {
        let mut texts = Texts::default();
        let all = ["https://a/long/way/b", "", "https://a/long/way/", "https://a/long/way/b", "", "https://a/long/wax"];
        for text in all {
            texts.bytes.extend_from_slice(text.as_bytes());
            texts.ends.push(texts.bytes.len());
        }
        assert_eq!(texts.order(), [2, 5, 6, 3, 1, 4]);
        let mut naive: Vec<(&str, u32)> = all.into_iter().zip(1..).collect();
        naive.sort_unstable();
        assert_eq!(texts.order(), naive.iter().map(|(_, number)| *number).collect::<Vec<_>>());
    }
}
