//! Repairs a damaged database: copies what is readable to a new file, and counts what was lost.
//!
//! The original is only read. The work is done on a copy of it with its log, since SQLite would change both.

mod graft;
mod mend;
mod scan;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension};

use super::open;
use crate::error::DatabaseError;

/// The header of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// How much of a file to read at once; unreadable blocks become zeros in the copy.
const BLOCK: usize = 16 * 1024;

/// The result for one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairedTable {
    /// Its name.
    pub name: String,
    /// Rows that were copied.
    pub copied: u64,
    /// Damaged places after which rows could not be read.
    pub damaged_places: u64,
    /// Rows known to be lost; `None` if the original number is unknown.
    pub lost: Option<u64>,
}

/// The result of a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The tables, ordered by name.
    pub tables: Vec<RepairedTable>,
    /// Runs that lost rows. They keep the rest, and cannot be resumed.
    pub damaged_runs: Vec<i64>,
}

impl Repaired {
    /// Whether everything could be read.
    pub fn is_whole(&self) -> bool {
        let is_whole = |table: &RepairedTable| table.damaged_places == 0 && table.lost.unwrap_or(0) == 0;
        self.damaged_runs.is_empty() && self.tables.iter().all(is_whole)
    }
}

/// Copies what is readable of a database into a new file. The original is unchanged; an existing target is not
/// replaced.
pub fn repair(from: &Path, to: &Path) -> Result<Repaired, DatabaseError> {
    if !from.exists() {
        return Err(DatabaseError::Missing(from.to_owned()));
    }
    check_at_rest(from)?;
    let unwritable = |error: std::io::Error| DatabaseError::unwritable(to, error);
    if to.exists() {
        return Err(DatabaseError::Conflict(format!("{} exists; choose another name for the copy", to.display())));
    }
    let work = Work::beside(to);
    work.remove();
    let repaired = work.copy(from).map_err(unwritable).and_then(|()| work.save(from));
    let placed = repaired.and_then(|repaired| work.place(to).map(|()| repaired).map_err(unwritable));
    work.remove();
    placed
}

/// A file that changes while it is copied would yield a damaged copy.
fn check_at_rest(path: &Path) -> Result<(), DatabaseError> {
    let locks = std::fs::read_dir(open::beside(path, ".locks")).into_iter().flatten().flatten();
    let is_held = |file: File| matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock));
    match locks.filter_map(|lock| File::open(lock.path()).ok()).any(is_held) {
        true => Err(DatabaseError::InProgress(", and the database cannot be repaired meanwhile".to_owned())),
        false => Ok(()),
    }
}

/// The temporary files of a repair.
struct Work {
    damaged: PathBuf,
    saved: PathBuf,
    /// A new database, for comparison.
    fresh: PathBuf,
}

impl Work {
    fn beside(to: &Path) -> Self {
        let beside = |suffix| open::beside(to, suffix);
        Self { damaged: beside(".damaged"), saved: beside(".partial"), fresh: beside(".fresh") }
    }

    fn remove(&self) {
        for file in [&self.damaged, &self.saved, &self.fresh] {
            for suffix in ["", "-wal", "-shm"] {
                // It may not exist.
                let _ = std::fs::remove_file(open::beside(file, suffix));
            }
        }
    }

    fn copy(&self, from: &Path) -> std::io::Result<()> {
        copy_file(from, &self.damaged)?;
        let log = open::beside(from, "-wal");
        if log.exists() {
            copy_file(&log, &open::beside(&self.damaged, "-wal"))?;
        }
        restore_magic(&self.damaged)
    }

    fn save(&self, from: &Path) -> Result<Repaired, DatabaseError> {
        let unreadable = |error| DatabaseError::of(from, "nothing of the database can be read", error);
        let damaged = match open_damaged(&self.damaged) {
            Ok(damaged) => damaged,
            Err(error) => {
                let grafted = graft::graft(&self.damaged, &self.fresh);
                // The first error says more.
                grafted.and_then(|()| open_damaged(&self.damaged).map_err(unreadable)).map_err(|_| unreadable(error))?
            }
        };
        let format = format_of(from, &damaged)?;
        let tell = |error| DatabaseError::of(&self.saved, "cannot write the repaired database", error);
        open::create_private(&self.saved).map_err(|error| DatabaseError::unwritable(&self.saved, error))?;
        let mut saved = open::empty(&self.saved, format)?;
        saved.execute_batch("PRAGMA foreign_keys = OFF").map_err(tell)?;
        let mut repaired = scan::copy_tables(&damaged, &saved).map_err(tell)?;
        open::bring_up_to_date(&self.saved, &mut saved)?;
        mend::mend(&saved, &mut repaired).map_err(tell)?;
        // A single file, without a log, flushed to disk.
        saved.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").map_err(tell)?;
        saved.close().map_err(|(_, error)| tell(error))?;
        Ok(repaired)
    }

    fn place(&self, to: &Path) -> std::io::Result<()> {
        File::open(&self.saved)?.sync_all()?;
        // Unlike a rename, a hard link never replaces a file created meanwhile.
        std::fs::hard_link(&self.saved, to).or_else(|_| std::fs::rename(&self.saved, to))
    }
}

/// Copies a file block by block; unreadable blocks become zeros.
fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    let mut source = File::open(from)?;
    let length = source.metadata()?.len();
    let mut target = open::create_private(to)?;
    let mut block = vec![0; BLOCK];
    for start in (0..length).step_by(BLOCK) {
        let wanted = BLOCK.min((length - start) as usize);
        let read = source.seek(SeekFrom::Start(start)).and_then(|_| source.read_exact(&mut block[..wanted]));
        if read.is_err() {
            block.fill(0);
        }
        target.write_all(&block[..wanted])?;
    }
    target.sync_all()
}

/// SQLite refuses files without the header.
fn restore_magic(path: &Path) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let mut head = [0; 18];
    let is_ours = file.read_exact(&mut head).is_ok() && head[16..18] == (BLOCK as u16).to_be_bytes();
    if is_ours && head[..16] != MAGIC[..] {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(MAGIC)?;
    }
    Ok(())
}

/// A connection that continues where SQLite would give up: with a truncated file, or a partial schema.
fn open_damaged(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON")?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// The format of a file, verified to be ours.
fn format_of(path: &Path, damaged: &Connection) -> Result<u32, DatabaseError> {
    let tell = |error| DatabaseError::of(path, "cannot read the database", error);
    let has_runs = "SELECT 1 FROM sqlite_schema WHERE name IN ('projects', 'runs', 'urls', 'visits')";
    let is_ours = damaged.query_row(has_runs, [], |_| Ok(())).optional().map_err(tell)?.is_some();
    let found: u32 = damaged.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(tell)?;
    let known = open::NEWEST;
    match found {
        _ if !is_ours => Err(DatabaseError::damaged(path, "it has no table of bluesnake that can be read")),
        found if found > known => Err(DatabaseError::Newer { path: path.to_owned(), found, known }),
        // The version was lost; most files have the newest one.
        0 => Ok(known),
        found => Ok(found),
    }
}
