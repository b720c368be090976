//! What many rows have in common is stored once: places, anchors, headers.
//!
//! The memory for it is bounded. What was forgotten is stored again under another id, which costs a row and changes no
//! answer: ids are never shown.

use std::hash::BuildHasherDefault;

use bluesnake_engine::Link;
use hashbrown::HashMap;
use rusqlite::{Connection, Transaction, params};
use xxhash_rust::xxh3::Xxh3;

/// How many things are remembered in each of the two generations.
const REMEMBERED: usize = 50_000;

/// The fingerprints are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct AsIs(u64);

impl std::hash::Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("fingerprints are whole numbers");
    }

    fn write_u128(&mut self, fingerprint: u128) {
        self.0 = fingerprint as u64;
    }
}

type Ids = HashMap<u128, u32, BuildHasherDefault<AsIs>>;

/// The ids of what was stored lately.
#[derive(Debug, Default)]
struct Memory {
    young: Ids,
    old: Ids,
    last: u32,
}

impl Memory {
    fn of(connection: &Connection, table: &str, run: i64) -> rusqlite::Result<Self> {
        let sql = format!("SELECT coalesce(max(id), 0) FROM {table} WHERE run = ?1");
        let last = connection.query_row(&sql, [run], |row| row.get(0))?;
        Ok(Self { last, ..Self::default() })
    }

    /// The id of a thing, and whether it is new.
    fn id(&mut self, fingerprint: u128) -> (u32, bool) {
        if let Some(id) = self.young.get(&fingerprint) {
            return (*id, false);
        }
        if self.young.len() >= REMEMBERED {
            self.old = std::mem::take(&mut self.young);
        }
        let known = self.old.get(&fingerprint).copied();
        let id = known.unwrap_or_else(|| {
            self.last += 1;
            self.last
        });
        self.young.insert(fingerprint, id);
        (id, known.is_none())
    }
}

/// Stores what many rows of a run have in common.
#[derive(Debug)]
pub(super) struct Interner {
    run: i64,
    places: Memory,
    anchors: Memory,
    headers: Memory,
}

impl Interner {
    pub(super) fn of(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        Ok(Self {
            run,
            places: Memory::of(connection, "places", run)?,
            anchors: Memory::of(connection, "anchors", run)?,
            headers: Memory::of(connection, "headers", run)?,
        })
    }

    /// The id of a link's anchor.
    pub(super) fn anchor(&mut self, transaction: &Transaction<'_>, link: &Link) -> rusqlite::Result<u32> {
        let mut hash = Xxh3::new();
        hash.update(&[link.position as u8, link.path_type as u8]);
        hash.update(link.dom_path.as_bytes());
        let place_key = hash.digest128();
        hash.update(&[0]);
        hash.update(link.text.as_bytes());
        hash.update(&[0]);
        hash.update(link.context.as_bytes());
        let (id, is_new) = self.anchors.id(hash.digest128());
        if is_new {
            let place = self.place(transaction, place_key, link)?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO anchors (run, id, place, text, context) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            insert.execute(params![self.run, id, place, &*link.text, &*link.context])?;
        }
        Ok(id)
    }

    fn place(&mut self, transaction: &Transaction<'_>, key: u128, link: &Link) -> rusqlite::Result<u32> {
        let (id, is_new) = self.places.id(key);
        if is_new {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO places (run, id, position, path_type, dom_path) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            let (position, path_type) = (link.position.as_str(), link.path_type.as_str());
            insert.execute(params![self.run, id, position, path_type, &*link.dom_path])?;
        }
        Ok(id)
    }

    /// The id of some header fields.
    pub(super) fn headers(&mut self, transaction: &Transaction<'_>, fields: &str) -> rusqlite::Result<u32> {
        let mut hash = Xxh3::new();
        hash.update(fields.as_bytes());
        let (id, is_new) = self.headers.id(hash.digest128());
        if is_new {
            let mut insert = transaction.prepare_cached("INSERT INTO headers (run, id, fields) VALUES (?1, ?2, ?3)")?;
            insert.execute(params![self.run, id, fields])?;
        }
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_again_and_again_keeps_its_id() {
        let mut memory = Memory::default();
        let (menu, _) = memory.id(1);
        for other in 0..3 * REMEMBERED as u128 {
            memory.id(10 + other);
            assert_eq!(memory.id(1), (menu, false));
        }
        assert!(memory.young.len() + memory.old.len() <= 2 * REMEMBERED, "memory is bounded");
    }
}
