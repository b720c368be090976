//! Which URLs match a filter: one pass over each column that it names.

use std::sync::Arc;

use rusqlite::Connection;

use super::View;
use super::cache::Set;
use super::columns::{Grid, HAS_INDEX_STATE, INDEXABLE, INTERNAL, NO_DEPTH, NONE, PAGE};
use super::filter::{Bounds, IssueFilter, RowFilter};
use crate::error::DatabaseError;
use crate::sqlite::Failure;
use crate::sqlite::columns::{Columns, first, one};
use crate::sqlite::contents::audit::numbers;
use crate::sqlite::contents::walk::urls_with_visits;
use crate::sqlite::contents::{PageType, StatusFilter};
use crate::sqlite::functions::contains;

/// A set of URLs: one bit for each number, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    pub(super) fn all(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(64)];
        if let Some(last) = words.last_mut() {
            *last >>= words_rest(len);
        }
        Self { words, len }
    }

    pub(super) fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    pub(super) fn of(len: usize, numbers: impl Iterator<Item = u32>) -> Self {
        let mut bits = Self::none(len);
        numbers.filter(|number| (1..=len as u32).contains(number)).for_each(|number| bits.insert(number));
        bits
    }

    pub(super) fn insert(&mut self, number: u32) {
        let at = number as usize - 1;
        self.words[at / 64] |= 1 << (at % 64);
    }

    pub(super) fn contains(&self, number: u32) -> bool {
        let at = number as usize - 1;
        self.words[at / 64] & (1 << (at % 64)) != 0
    }

    pub(super) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn weight(&self) -> usize {
        self.words.len() * 8
    }

    /// Calls a function with the index of each of its URLs, ascending: numbers less one.
    pub(super) fn for_each(&self, mut each: impl FnMut(usize)) {
        for (start, word) in (0..).step_by(64).zip(&self.words) {
            if *word == u64::MAX {
                (start..start + 64).for_each(&mut each);
                continue;
            }
            let mut rest = *word;
            while rest != 0 {
                each(start + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    fn keep_only(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// Keeps the URLs whose value in a column is wanted.
    fn keep<T: Copy>(&mut self, column: &[T], is_wanted: impl Fn(T) -> bool) {
        for (word, values) in self.words.iter_mut().zip(column.chunks(64)) {
            let mut wanted = 0;
            for (at, value) in values.iter().enumerate() {
                wanted |= u64::from(is_wanted(*value)) << at;
            }
            *word &= wanted;
        }
    }
}

/// How many bits of the last word are not used.
fn words_rest(len: usize) -> usize {
    len.next_multiple_of(64) - len
}

impl View<'_> {
    /// The URLs that match a filter.
    pub(super) fn select(&self, connection: &Connection, filter: &RowFilter) -> Result<Bits, Failure> {
        let mut bits = self.grid.select(filter);
        if let Some(prefix) = filter.prefix.as_ref().filter(|prefix| !prefix.is_empty()) {
            let set = Set::Prefix(prefix.clone());
            bits.keep_only(&*self.set(set, || self.with_prefix(connection, prefix))?);
        }
        if let Some(issue) = &filter.issue {
            bits.keep_only(&*self.with_issue(connection, issue)?);
        }
        if let Some(text) = filter.search.as_ref().filter(|text| !text.is_empty()) {
            let set = Set::Search(text.to_ascii_lowercase());
            bits.keep_only(&*self.set(set, || self.with_text(connection, text))?);
        }
        if let Some(rule) = &filter.contains {
            let set = Set::Contains(rule.clone());
            bits.keep_only(&*self.set(set, || self.with_matches(connection, rule, |count| count > 0))?);
        }
        if let Some(rule) = &filter.lacks {
            let set = Set::Lacks(rule.clone());
            bits.keep_only(&*self.set(set, || self.with_matches(connection, rule, |count| count == 0))?);
        }
        Ok(bits)
    }

    fn set(&self, set: Set, make: impl FnOnce() -> Result<Bits, Failure>) -> Result<Arc<Bits>, Failure> {
        self.kept.sets.get_or_make(&(self.id, set), Bits::weight, make)
    }

    /// URLs that begin with a text are neighbours in the order of URLs.
    fn with_prefix(&self, connection: &Connection, prefix: &str) -> Result<Bits, Failure> {
        let order = self.grid.by_url(connection, self.run)?;
        let url = |number: u32| -> rusqlite::Result<String> {
            one(connection, "SELECT url FROM urls WHERE run = ?1 AND number = ?2", (self.run, number))
        };
        let first = partition_point(order, |number| Ok(url(number)?.as_str() < prefix))?;
        let behind = &order[first..];
        let count = partition_point(behind, |number| Ok(url(number)?.starts_with(prefix)))?;
        Ok(Bits::of(self.grid.len(), behind[..count].iter().copied()))
    }

    fn with_issue(&self, connection: &Connection, issue: &IssueFilter) -> Result<Arc<Bits>, Failure> {
        let len = self.grid.len();
        if let Some(numbers) = &issue.numbers {
            return Ok(Arc::new(Bits::of(len, numbers.iter().copied())));
        }
        let run = self.run;
        if self.audit.is_none() {
            return Err(DatabaseError::NotFound(format!("run {run} has no stored audit")).into());
        }
        self.set(Set::Issue(issue.check.clone()), || {
            let sql = "SELECT numbers FROM issue_counts WHERE run = ?1 AND check_id = ?2";
            let packed: Option<Vec<u8>> = first(connection, sql, (run, &issue.check))?;
            let packed = packed.ok_or_else(|| DatabaseError::NotFound(format!("unknown check `{}`", issue.check)))?;
            Ok(Bits::of(len, numbers::unpack(&packed)))
        })
    }

    /// Reads all URLs, titles and descriptions.
    fn with_text(&self, connection: &Connection, text: &str) -> Result<Bits, Failure> {
        let mut bits = Bits::none(self.grid.len());
        let urls = "SELECT number, url FROM urls WHERE run = ?1 ORDER BY number";
        let visits = "SELECT number, title, description FROM visits WHERE run = ?1 ORDER BY number";
        urls_with_visits(connection, self.run, (urls, visits), |number, url, visit| {
            let has_text = |text: Option<&[u8]>, part: &[u8]| text.is_some_and(|text| contains(text, part));
            let mut found = has_text(url.get_ref(1)?.as_bytes_or_null()?, text.as_bytes());
            if let Some(visit) = visit.filter(|_| !found) {
                let mut columns = Columns::of(visit);
                let _number: u32 = columns.read()?;
                found = has_text(columns.optional_bytes()?, text.as_bytes())
                    || has_text(columns.optional_bytes()?, text.as_bytes());
            }
            // A run that grows may have more URLs than the grid.
            if found && number as usize <= bits.len {
                bits.insert(number);
            }
            Ok(())
        })?;
        Ok(bits)
    }
}

impl Grid {
    /// The URLs that match what a filter says about columns.
    fn select(&self, filter: &RowFilter) -> Bits {
        let mut bits = Bits::all(self.len());
        if filter.page_type != PageType::All {
            bits.keep(&self.kind, |kind| kind == filter.page_type as u8);
        }
        self.keep_reasons(&mut bits, filter);
        match filter.status {
            None => {}
            Some(StatusFilter::Exact(wanted)) => bits.keep(&self.status, |status| status == wanted),
            Some(StatusFilter::Class(digit)) => bits.keep(&self.status, |status| status / 100 == u16::from(digit)),
        }
        if let Some(start) = filter.content_type.as_ref().filter(|start| !start.is_empty()) {
            let start = start.to_ascii_lowercase();
            let wanted: Vec<bool> =
                self.names.media.iter().map(|media| media.to_ascii_lowercase().starts_with(&start)).collect();
            bits.keep(&self.media, |media| wanted[usize::from(media)]);
        }
        if let Some(source) = filter.source {
            let wanted: Vec<bool> = self.names.sources.iter().map(|known| *known == source).collect();
            bits.keep(&self.source, |source| wanted[usize::from(source)]);
        }
        self.keep_flags(&mut bits, filter);
        if !filter.depth.is_open() {
            bits.keep(&self.depth, |depth| depth != NO_DEPTH && filter.depth.contains(depth.into()));
        }
        for (bounds, column) in [
            (filter.words, &self.words),
            (filter.bytes, &self.bytes),
            (filter.time_ms, &self.time),
            (filter.inlinks, &self.inlinks),
        ] {
            if !bounds.is_open() {
                bits.keep(column, |value| value != NONE && bounds.contains(value));
            }
        }
        bits
    }

    fn keep_reasons(&self, bits: &mut Bits, filter: &RowFilter) {
        if filter.disposition.is_none() && filter.reason.is_none() {
            return;
        }
        let is_wanted = |reason: &bluesnake_engine::Reason| {
            filter.disposition.is_none_or(|wanted| reason.disposition() == wanted)
                && filter.reason.as_ref().is_none_or(|wanted| reason.as_str() == wanted)
        };
        let wanted: Vec<bool> = self.names.reasons.iter().map(is_wanted).collect();
        bits.keep(&self.reason, |reason| wanted[usize::from(reason)]);
    }

    fn keep_flags(&self, bits: &mut Bits, filter: &RowFilter) {
        let (mut mask, mut wanted) = (0, 0);
        for (is_set, flag) in [(filter.is_internal, INTERNAL), (filter.is_page, PAGE)] {
            if let Some(is_set) = is_set {
                mask |= flag;
                wanted |= if is_set { flag } else { 0 };
            }
        }
        if let Some(is_indexable) = filter.is_indexable {
            mask |= HAS_INDEX_STATE | INDEXABLE;
            wanted |= HAS_INDEX_STATE | if is_indexable { INDEXABLE } else { 0 };
        }
        if mask != 0 {
            bits.keep(&self.flags, |flags| flags & mask == wanted);
        }
    }
}

impl Bounds {
    fn is_open(self) -> bool {
        self == Self::default()
    }

    fn contains(self, value: u32) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// The first index whose number is not wanted, where all wanted ones come first.
fn partition_point(
    numbers: &[u32],
    mut is_wanted: impl FnMut(u32) -> rusqlite::Result<bool>,
) -> rusqlite::Result<usize> {
    let (mut low, mut high) = (0, numbers.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if is_wanted(numbers[middle])? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_any_length_hold_exactly_their_numbers() {
        for len in [0, 1, 63, 64, 65, 128, 130] {
            let all = Bits::all(len);
            assert_eq!(all.count(), len);
            let indexes = |bits: &Bits| {
                let mut indexes = Vec::new();
                bits.for_each(|at| indexes.push(at));
                indexes
            };
            assert_eq!(indexes(&all), (0..len).collect::<Vec<_>>());
            let odd = Bits::of(len, (1..=len as u32 + 5).step_by(2));
            assert_eq!(indexes(&odd), (0..len).step_by(2).collect::<Vec<_>>());
            assert_eq!(odd.count(), len.div_ceil(2));
            assert!((1..=len as u32).all(|number| odd.contains(number) == (number % 2 == 1)));
        }
    }
}
