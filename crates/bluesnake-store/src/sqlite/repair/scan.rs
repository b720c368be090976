//! Reads what is readable of a table: from its first row, and after each damaged place from the next reachable key.

use std::collections::BTreeSet;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, OptionalExtension, params_from_iter};

use super::{Repaired, RepairedTable};
use crate::sqlite::columns::list;
use crate::sqlite::contents::DERIVED;

/// Tables that are not copied: current owners, and SQLite's internal tables.
const LEFT_OUT: &str = "name NOT LIKE 'sqlite_%' AND name <> 'owners'";

/// Copies every table. `damaged_runs` of the result lists the runs with damaged places in their own tables.
pub(super) fn copy_tables(damaged: &Connection, saved: &Connection) -> rusqlite::Result<Repaired> {
    let mut repaired = Repaired::default();
    let mut damaged_runs = BTreeSet::new();
    saved.execute_batch("BEGIN")?;
    let tables = tables(saved)?;
    // Tables of runs come last, when the runs are known.
    let (of_runs, others): (Vec<_>, Vec<_>) = tables.into_iter().partition(|table| table.run_key.is_some());
    for table in others {
        let mut copy = Copy::new(damaged, saved, &table)?;
        copy.walk(None)?;
        repaired.tables.push(copy.end());
    }
    repaired.tables.push(sections(damaged, saved)?);
    let runs = runs(damaged, saved)?;
    for table in of_runs {
        let mut copy = Copy::new(damaged, saved, &table)?;
        for run in &runs {
            let places = copy.damaged_places;
            copy.walk(Some(*run))?;
            // What an audit derived can be made again.
            if copy.damaged_places > places && !DERIVED.contains(&table.name.as_str()) {
                damaged_runs.insert(*run);
            }
        }
        repaired.tables.push(copy.end());
    }
    saved.execute_batch("COMMIT")?;
    repaired.tables.sort_by(|one, other| one.name.cmp(&other.name));
    repaired.damaged_runs = damaged_runs.into_iter().collect();
    Ok(repaired)
}

/// A table as in the new file.
struct Shape {
    name: String,
    columns: Vec<String>,
    /// The columns of its key, if its rows are keyed by run and have no rowid.
    run_key: Option<Vec<String>>,
}

fn tables(saved: &Connection) -> rusqlite::Result<Vec<Shape>> {
    let sql = format!("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND {LEFT_OUT}");
    let shape = |(name, is_keyed): (String, bool)| {
        let info = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 OR ?2 ORDER BY pk, cid";
        let (columns, key) = (list(saved, info, (&name, true))?, list(saved, info, (&name, false))?);
        Ok(Shape { name, columns, run_key: is_keyed.then_some(key) })
    };
    list(saved, &sql, [])?.into_iter().map(shape).collect()
}

/// The runs of which anything is left.
fn runs(damaged: &Connection, saved: &Connection) -> rusqlite::Result<BTreeSet<i64>> {
    let mut runs: BTreeSet<i64> = list(saved, "SELECT id FROM runs", [])?.into_iter().collect();
    for table in ["urls", "nodes"] {
        let mut after = 0;
        let sql = format!("SELECT min(run) FROM {table} WHERE run > ?1");
        // Nothing is known about an unreadable table.
        while let Ok(Some(run)) = damaged.query_row(&sql, [after], |row| row.get::<_, Option<i64>>(0)) {
            runs.insert(run);
            after = run;
        }
    }
    Ok(runs)
}

/// The position of a walk: at a number, after which it can continue, or at a text, after which it cannot.
#[derive(Clone, Copy)]
enum Key {
    Number(i64),
    Text,
}

/// One table being copied.
struct Copy<'a> {
    damaged: &'a Connection,
    insert: CachedStatement<'a>,
    name: String,
    /// All rows, the rows from a key on, and the next key.
    all: String,
    rest: String,
    next: String,
    copied: u64,
    damaged_places: u64,
}

impl<'a> Copy<'a> {
    fn new(damaged: &'a Connection, saved: &'a Connection, table: &Shape) -> rusqlite::Result<Self> {
        let Shape { name, columns, run_key } = table;
        let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
        let list = quoted.join(", ");
        let places = vec!["?"; columns.len()].join(", ");
        let insert = saved.prepare_cached(&format!("INSERT OR IGNORE INTO {name} ({list}) VALUES ({places})"))?;
        // A run is walked by the next column of the key, if that is a number.
        let (key, of_run, order) = match run_key {
            None => ("rowid".to_owned(), "?2 IS NULL", "rowid".to_owned()),
            Some(key) => (key[1].clone(), "run = ?2", key.join(", ")),
        };
        let from = format!("FROM {name} NOT INDEXED WHERE {of_run}");
        Ok(Self {
            damaged,
            insert,
            name: name.clone(),
            // No number comes before every text, so the first rows are not asked for by their key.
            all: format!("SELECT {key}, {list} {from} ORDER BY {order}"),
            rest: format!("SELECT {key}, {list} {from} AND {key} >= ?1 ORDER BY {order}"),
            next: format!("SELECT {key} {from} AND {key} >= ?1 ORDER BY {order} LIMIT 1"),
            copied: 0,
            damaged_places: 0,
        })
    }

    fn end(self) -> RepairedTable {
        RepairedTable { name: self.name, copied: self.copied, damaged_places: self.damaged_places, lost: None }
    }

    /// Copies the rows of a run, or all rows of a table without runs.
    fn walk(&mut self, run: Option<i64>) -> rusqlite::Result<()> {
        let mut from = None;
        loop {
            let (last, is_whole) = self.copy_from(from, run)?;
            if is_whole {
                return Ok(());
            }
            self.damaged_places += 1;
            let next = match last {
                Some(Key::Number(last)) => last.checked_add(1),
                Some(Key::Text) => None,
                // Numbers begin at 1.
                None => from.unwrap_or(0).max(0).checked_add(1),
            };
            from = next.and_then(|next| self.next_readable(next, run));
            if from.is_none() {
                return Ok(());
            }
        }
    }

    /// Copies rows, from the first or from a key on, until there are no more, or one cannot be read. Returns the last
    /// key, and which of the two happened.
    fn copy_from(&mut self, key: Option<i64>, run: Option<i64>) -> rusqlite::Result<(Option<Key>, bool)> {
        let mut last = None;
        let rows = if key.is_none() { &self.all } else { &self.rest };
        let Ok(mut select) = self.damaged.prepare_cached(rows) else { return Ok((None, false)) };
        let Ok(mut rows) = select.query((key, run)) else { return Ok((None, false)) };
        loop {
            match rows.next() {
                Err(_) => return Ok((last, false)),
                Ok(None) => return Ok((last, true)),
                Ok(Some(row)) => {
                    last = match row.get_ref(0)? {
                        ValueRef::Integer(key) => Some(Key::Number(key)),
                        _ => Some(Key::Text),
                    };
                    let columns = row.as_ref().column_count();
                    let value = |at| row.get_ref(at).map(ToSqlOutput::Borrowed);
                    let values = (1..columns).map(value).collect::<rusqlite::Result<Vec<_>>>();
                    // A row that violates a constraint of its table is damaged too.
                    let inserted = values.and_then(|values| self.insert.execute(params_from_iter(values)));
                    match inserted {
                        Ok(count) => self.copied += count as u64,
                        Err(error) if is_our_trouble(&error) => return Err(error),
                        Err(_) => self.damaged_places += 1,
                    }
                }
            }
        }
    }

    /// The first key at or after this one from which rows can be read again, found by bisection.
    fn next_readable(&self, start: i64, run: Option<i64>) -> Option<i64> {
        let is_readable = |key: i64| {
            let probe = |next: &mut CachedStatement<'_>| next.query_row((key, run), |_| Ok(())).optional();
            self.damaged.prepare_cached(&self.next).and_then(|mut next| probe(&mut next)).is_ok()
        };
        if is_readable(start) {
            return Some(start);
        }
        let (mut broken, mut step) = (start, 1i64);
        let mut readable = loop {
            let key = start.checked_add(step)?;
            if is_readable(key) {
                break key;
            }
            broken = key;
            step = step.checked_mul(2)?;
        };
        while readable - broken > 1 {
            let middle = broken + (readable - broken) / 2;
            if is_readable(middle) { readable = middle } else { broken = middle }
        }
        Some(readable)
    }
}

/// Whether writing the new file failed.
fn is_our_trouble(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::*;
    matches!(error.sqlite_error_code(), Some(DiskFull | SystemIoFailure | ReadOnly | CannotOpen | OutOfMemory))
}

/// The sections of captured pages: read from SQLite's content table, and reindexed.
fn sections(damaged: &Connection, saved: &Connection) -> rusqlite::Result<RepairedTable> {
    let name = "sections".to_owned();
    let has_sections = "SELECT 1 FROM pragma_table_list WHERE name = 'sections'";
    let mut table = RepairedTable { name, copied: 0, damaged_places: 0, lost: None };
    if !saved.prepare(has_sections)?.exists([])? {
        return Ok(table);
    }
    let content = Shape {
        name: "sections_content".to_owned(),
        columns: ["id", "c0", "c1", "c2", "c3"].map(str::to_owned).to_vec(),
        run_key: None,
    };
    let mut copy = Copy::new(damaged, saved, &content)?;
    copy.insert = saved
        .prepare_cached("INSERT INTO sections (rowid, title, heading, text, anchor) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    copy.walk(None)?;
    (table.copied, table.damaged_places) = (copy.copied, copy.damaged_places);
    Ok(table)
}
