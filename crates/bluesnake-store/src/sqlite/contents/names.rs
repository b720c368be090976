//! Columns with few different names, each parsed once for all rows of a scan.

use bluesnake_engine::Reason;

use crate::sqlite::columns::Columns;

/// The few different names of a column, parsed once each.
pub(super) struct Words<T> {
    known: Vec<(Box<str>, T)>,
    parse: fn(&str) -> Option<T>,
}

impl<T: Copy> Words<T> {
    pub(super) fn new(parse: fn(&str) -> Option<T>) -> Self {
        Self { known: Vec::new(), parse }
    }

    pub(super) fn read(&mut self, columns: &mut Columns<'_>) -> rusqlite::Result<T> {
        let word = columns.text()?;
        if let Some((_, value)) = self.known.iter().find(|(known, _)| **known == *word) {
            return Ok(*value);
        }
        let value = (self.parse)(word).ok_or_else(|| columns.unreadable(format!("`{word}` is not a known name")))?;
        self.known.push((word.into(), value));
        Ok(value)
    }
}

/// The same for reasons, which have two names.
#[derive(Default)]
pub(super) struct Reasons(Vec<(Box<str>, Box<str>, Reason)>);

impl Reasons {
    pub(super) fn read(&mut self, columns: &mut Columns<'_>) -> rusqlite::Result<Reason> {
        let (disposition, reason) = (columns.text()?, columns.text()?);
        let mut known = self.0.iter();
        if let Some((.., known)) = known.find(|(first, second, _)| **second == *reason && **first == *disposition) {
            return Ok(*known);
        }
        let known = Reason::from_words(disposition, reason)
            .ok_or_else(|| columns.unreadable(format!("`{reason}` is not a reason for `{disposition}`")))?;
        self.0.push((disposition.into(), reason.into(), known));
        Ok(known)
    }
}
