//! Stores values shared by many rows once: places, anchors, headers.
//!
//! Its memory is bounded. A forgotten value is stored again under another id, which costs a row and changes no
//! result: ids are never shown.

use std::hash::{BuildHasher, BuildHasherDefault, RandomState};

use bluesnake_engine::Links;
use bluesnake_engine::links::PackedLink;
use hashbrown::HashMap;
use rusqlite::{Connection, Transaction, params};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::columns::one;
use super::{Database, facts};

/// How many values to remember in each of the two generations; a few megabytes in all.
const REMEMBERED: usize = 150_000;

/// Fingerprints are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct AsIs(u64);

impl std::hash::Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("fingerprints are whole numbers");
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }
}

type Ids = HashMap<u64, u32, BuildHasherDefault<AsIs>>;

/// The ids of recently stored values.
#[derive(Debug, Default)]
struct Memory {
    young: Ids,
    old: Ids,
    last: u32,
}

impl Memory {
    fn of(connection: &Connection, table: &str, run: i64) -> rusqlite::Result<Self> {
        let sql = format!("SELECT coalesce(max(id), 0) FROM {table} WHERE run = ?1");
        Ok(Self { last: one(connection, &sql, [run])?, ..Self::default() })
    }

    /// The id of a recently used value.
    fn recent(&self, fingerprint: u64) -> Option<u32> {
        self.young.get(&fingerprint).copied()
    }

    /// The id of a value, and whether it is new.
    fn id(&mut self, fingerprint: u64) -> (u32, bool) {
        if let Some(id) = self.recent(fingerprint) {
            return (id, false);
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

/// Assigns ids to values shared by many rows of a run.
#[derive(Debug)]
pub(super) struct Interner {
    /// Different for each session, so that nobody can craft colliding texts.
    seed: u64,
    places: Memory,
    anchors: Memory,
    headers: Memory,
    /// Values with new ids, to be stored with the batch.
    new: New,
    scratch: Vec<u8>,
}

/// Additional rows of a batch.
#[derive(Debug, Default)]
pub(super) struct New {
    places: Vec<Place>,
    anchors: Vec<(u32, u32, Box<str>)>,
    headers: Vec<(u32, String)>,
}

/// Identifies a link's place, and its anchor, which is a place with text.
#[derive(Clone, Copy, Debug)]
struct Fingerprint {
    place: u64,
    anchor: u64,
}

/// Whether two links of a document are certainly at the same place.
fn is_same_place(one: &PackedLink<'_>, other: &PackedLink<'_>) -> bool {
    let parts = |link: &PackedLink<'_>| (link.place, link.kind, link.rel, link.position, link.path_type, link.origin);
    parts(one) == parts(other)
}

#[derive(Debug)]
struct Place {
    id: u32,
    kind: i64,
    rel: u8,
    position: &'static str,
    path_type: &'static str,
    origin: &'static str,
    dom_path: Box<str>,
}

impl Interner {
    pub(super) fn of(connection: &Connection, run: i64) -> rusqlite::Result<Self> {
        Ok(Self {
            seed: RandomState::new().hash_one(run),
            places: Memory::of(connection, "places", run)?,
            anchors: Memory::of(connection, "anchors", run)?,
            headers: Memory::of(connection, "headers", run)?,
            new: New::default(),
            scratch: Vec::new(),
        })
    }

    /// The values to store since the last call.
    pub(super) fn take_new(&mut self) -> New {
        std::mem::take(&mut self.new)
    }

    /// The ids of the anchors of a document's links, in order.
    pub(super) fn anchors(&mut self, database: &Database, links: &Links) -> Vec<u32> {
        let links: Vec<PackedLink<'_>> = links.iter().collect();
        let fingerprints = self.fingerprints(&links);
        // Look up all of them before anything changes: the table is larger than the processor's caches, and this way
        // many entries are loaded in parallel.
        let known: Vec<Option<u32>> =
            fingerprints.iter().map(|fingerprint| self.anchors.recent(fingerprint.anchor)).collect();
        let with_links = known.iter().zip(fingerprints.iter().zip(&links));
        let ids = with_links
            .map(|(known, (fingerprint, link))| known.unwrap_or_else(|| self.anchor(database, *fingerprint, link)));
        ids.collect()
    }

    fn anchor(&mut self, database: &Database, fingerprint: Fingerprint, link: &PackedLink<'_>) -> u32 {
        let (id, is_new) = self.anchors.id(fingerprint.anchor);
        if is_new {
            let place = self.place(database, fingerprint.place, link);
            self.new.anchors.push((id, place, link.text.into()));
        }
        id
    }

    fn fingerprints(&mut self, links: &[PackedLink<'_>]) -> Vec<Fingerprint> {
        let mut before: Option<(&PackedLink<'_>, u64)> = None;
        let fingerprints = links.iter().map(|link| {
            // Consecutive links are mostly at the same place.
            let place = match before {
                Some((other, place)) if is_same_place(other, link) => place,
                _ => self.fingerprint_of_place(link),
            };
            before = Some((link, place));
            Fingerprint { place, anchor: xxh3_64_with_seed(link.text.as_bytes(), place) }
        });
        fingerprints.collect()
    }

    fn fingerprint_of_place(&mut self, link: &PackedLink<'_>) -> u64 {
        self.scratch.clear();
        let where_and_how = [link.position as u8, link.path_type as u8, link.origin as u8];
        self.scratch.extend([link.kind as u8, link.rel.bits()]);
        self.scratch.extend(where_and_how);
        self.scratch.extend(link.dom_path.as_bytes());
        xxh3_64_with_seed(&self.scratch, self.seed)
    }

    fn place(&mut self, database: &Database, key: u64, link: &PackedLink<'_>) -> u32 {
        let (id, is_new) = self.places.id(key);
        if is_new {
            self.new.places.push(Place {
                id,
                kind: database.kind_code(link.kind),
                rel: link.rel.bits(),
                position: link.position.as_str(),
                path_type: link.path_type.as_str(),
                origin: link.origin.as_str(),
                dom_path: link.dom_path.into(),
            });
        }
        id
    }

    /// The id of a response's header fields, in the form of [`facts::kept_headers`].
    pub(super) fn headers(&mut self, fields: &[u8]) -> u32 {
        let (id, is_new) = self.headers.id(xxh3_64_with_seed(fields, self.seed));
        if is_new {
            self.new.headers.push((id, facts::headers(fields)));
        }
        id
    }
}

impl New {
    pub(super) fn store(&self, transaction: &Transaction<'_>, run: i64) -> rusqlite::Result<()> {
        let mut places = transaction.prepare_cached(
            "INSERT INTO places (run, id, kind, rel, position, path_type, origin, dom_path)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for place in &self.places {
            let Place { id, kind, rel, position, path_type, origin, dom_path } = place;
            places.execute(params![run, id, kind, rel, position, path_type, origin, &**dom_path])?;
        }
        let sql = "INSERT INTO anchors (run, id, place, text) VALUES (?1, ?2, ?3, ?4)";
        let mut anchors = transaction.prepare_cached(sql)?;
        for (id, place, text) in &self.anchors {
            anchors.execute(params![run, id, place, &**text])?;
        }
        let mut headers = transaction.prepare_cached("INSERT INTO headers (run, id, fields) VALUES (?1, ?2, ?3)")?;
        for (id, fields) in &self.headers {
            headers.execute(params![run, id, fields])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequently_used_values_keep_their_id() {
        let mut memory = Memory::default();
        let (menu, _) = memory.id(1);
        for other in 0..3 * REMEMBERED as u64 {
            memory.id(10 + other);
            assert_eq!(memory.id(1), (menu, false));
        }
        assert!(memory.young.len() + memory.old.len() <= 2 * REMEMBERED, "memory is bounded");
    }
}
