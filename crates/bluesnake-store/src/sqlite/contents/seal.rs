//! The last step before a run is completed: computes what is known only at the end.
//!
//! Depths: the smallest number of links from a seed. The crawl counts them as it goes, in an order that is almost
//! that of depths; here they are made exact, in one or two passes over the links with a few bytes per URL.

use bluesnake_engine::link::Rel;
use hashbrown::HashMap;
use rusqlite::{Connection, params};

use super::Contents;
use crate::error::DatabaseError;
use crate::sqlite::columns::{list, one};
use crate::sqlite::{Database, Failure, packed};

const NO_WAY: u32 = u32::MAX;
/// How many rows to change per transaction.
const AT_ONCE: usize = 5_000;
/// How many anchors to remember.
const REMEMBERED: usize = 50_000;

impl Contents<'_> {
    /// Makes the depths of a run exact.
    pub async fn seal(self, run: i64) -> Result<(), DatabaseError> {
        let database = self.0.clone();
        let changed = self
            .read("cannot compute the depths", move |connection| database.contents().changed_depths(connection, run))
            .await?;
        for chunk in changed.chunks(AT_ONCE) {
            let chunk = chunk.to_vec();
            self.write("cannot store the depths", move |transaction| {
                let sql = "UPDATE urls SET depth = ?3 WHERE run = ?1 AND number = ?2";
                let mut update = transaction.prepare_cached(sql)?;
                for (number, depth) in chunk {
                    update.execute(params![run, number, depth])?;
                }
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    fn changed_depths(self, connection: &Connection, run: i64) -> Result<Vec<(u32, Option<u32>)>, Failure> {
        let sql = "SELECT coalesce(depth, 4294967295), parent IS NULL AND is_from_seed FROM urls
                   WHERE run = ?1 ORDER BY number";
        let urls: Vec<(u32, bool)> = list(connection, sql, [run])?;
        let to_start = |(_, is_seed): &(u32, bool)| if *is_seed { 0 } else { NO_WAY };
        let mut depths: Vec<u32> = urls.iter().map(to_start).collect();
        let silent = self.silent_pages(connection, run, depths.len())?;
        while self.relax(connection, run, &silent, &mut depths)? {}
        let changed = (1..).zip(urls.iter().zip(&depths)).filter(|(_, ((stored, _), depth))| stored != *depth);
        Ok(changed.map(|(number, (_, depth))| (number, Some(*depth).filter(|depth| *depth != NO_WAY))).collect())
    }

    /// Pages with nofollow for robots, by number.
    fn silent_pages(self, connection: &Connection, run: i64, urls: usize) -> rusqlite::Result<Vec<bool>> {
        let mut silent = vec![false; urls + 1];
        for page in list::<usize>(connection, "SELECT number FROM visits WHERE run = ?1 AND is_nofollow = 1", [run])? {
            silent[page] = true;
        }
        Ok(silent)
    }

    /// One pass over the links. Returns whether another pass may shorten a path.
    fn relax(self, connection: &Connection, run: i64, silent: &[bool], depths: &mut [u32]) -> rusqlite::Result<bool> {
        let mut ways = Ways { database: self.0, connection, run, known: HashMap::new() };
        let mut select = connection.prepare("SELECT source, list FROM link_lists WHERE run = ?1 ORDER BY source")?;
        let mut rows = select.query([run])?;
        let mut has_improved_earlier = false;
        while let Some(row) = rows.next()? {
            let source: usize = row.get(0)?;
            let from = depths[source - 1];
            if from == NO_WAY {
                continue;
            }
            for (target, anchor) in packed::links(row.get_ref(1)?.as_blob()?) {
                let target = target as usize;
                if from + 1 < depths[target - 1] && ways.is_followed(anchor, silent[source])? {
                    depths[target - 1] = from + 1;
                    has_improved_earlier |= target < source;
                }
            }
        }
        Ok(has_improved_earlier)
    }
}

/// Which anchors are followed.
struct Ways<'a> {
    database: &'a Database,
    connection: &'a Connection,
    run: i64,
    known: HashMap<(u32, bool), bool>,
}

impl Ways<'_> {
    fn is_followed(&mut self, anchor: u32, page_says_nofollow: bool) -> rusqlite::Result<bool> {
        if let Some(is_followed) = self.known.get(&(anchor, page_says_nofollow)) {
            return Ok(*is_followed);
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let sql = "SELECT p.kind, p.rel FROM anchors AS a JOIN places AS p ON p.run = a.run AND p.id = a.place
                   WHERE a.run = ?1 AND a.id = ?2";
        let (kind, rel) = one(self.connection, sql, (self.run, anchor))?;
        let kind = self.database.kind_of_code(kind);
        let is_followed = kind.is_some_and(|kind| kind.is_followed(Rel::from_bits(rel), page_says_nofollow));
        self.known.insert((anchor, page_says_nofollow), is_followed);
        Ok(is_followed)
    }
}
