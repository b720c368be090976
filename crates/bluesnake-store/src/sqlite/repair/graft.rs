//! Restores the root pages of a file's tables from a new file of the same format.
//!
//! Every file is created by the same steps, so tables start on the same pages, unless the file was migrated from an
//! older format. The types of those pages show whether it was.

use std::fs::File;
use std::io::{Error, Read, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::Connection;

use super::{BLOCK, open};
use crate::error::DatabaseError;
use crate::sqlite::columns::list;

/// Where the file header stores its change counter and size, and the counter for which that size is valid.
const CHANGES_AND_SIZE: std::ops::Range<usize> = 24..32;
const VALID_FOR: std::ops::Range<usize> = 92..96;
/// Page types in the first byte of a page: interior or leaf, of a table or of an index (WITHOUT ROWID).
const TABLE: [u8; 2] = [5, 13];
const KEYED: [u8; 2] = [2, 10];

/// Restores these pages. `scratch` is a path for the new file, which is left there.
pub(super) fn graft(damaged: &Path, scratch: &Path) -> Result<(), DatabaseError> {
    let tell = |error| DatabaseError::of(scratch, "cannot create a new database", error);
    let unwritable = |error: Error| DatabaseError::unwritable(damaged, error);
    let fresh = open::empty(scratch, open::NEWEST)?;
    let (roots, pages) = (roots(&fresh).map_err(tell)?, schema_pages(&fresh).map_err(tell)?);
    fresh.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").map_err(tell)?;
    fresh.close().map_err(|(_, error)| tell(error))?;
    let mut file = File::options().read(true).write(true).open(damaged).map_err(unwritable)?;
    if !roots.iter().all(|root| root.is_in(&mut file)) {
        return Err(DatabaseError::damaged(damaged, "cannot read the list of its tables"));
    }
    let copied = File::open(scratch)
        .and_then(|mut fresh| pages.iter().try_for_each(|page| copy_page(&mut fresh, &mut file, *page)));
    copied.map_err(unwritable)
}

fn copy_page(fresh: &mut File, damaged: &mut File, number: u64) -> std::io::Result<()> {
    let (mut page, at) = (vec![0; BLOCK], SeekFrom::Start((number - 1) * BLOCK as u64));
    fresh.seek(at)?;
    fresh.read_exact(&mut page)?;
    if number == 1 {
        // A size without a matching change counter is ignored; the file's own is used.
        page[CHANGES_AND_SIZE].fill(0);
        page[VALID_FOR].fill(1);
    }
    damaged.seek(at)?;
    damaged.write_all(&page)
}

fn schema_pages(fresh: &Connection) -> rusqlite::Result<Vec<u64>> {
    list(fresh, "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'", [])
}

/// The root page of a table.
struct Root {
    page: u64,
    kinds: [u8; 2],
}

impl Root {
    fn is_in(&self, file: &mut File) -> bool {
        let mut kind = [0];
        let read = file.seek(SeekFrom::Start((self.page - 1) * BLOCK as u64)).and_then(|_| file.read_exact(&mut kind));
        read.is_ok() && self.kinds.contains(&kind[0])
    }
}

fn roots(fresh: &Connection) -> rusqlite::Result<Vec<Root>> {
    let sql = "SELECT s.rootpage, coalesce(l.wr, 1) FROM sqlite_schema AS s
               LEFT JOIN pragma_table_list AS l ON l.name = s.name AND s.type = 'table' WHERE s.rootpage > 0";
    let roots: Vec<(u64, bool)> = list(fresh, sql, [])?;
    let to_root = |(page, is_keyed)| Root { page, kinds: if is_keyed { KEYED } else { TABLE } };
    Ok(roots.into_iter().map(to_root).collect())
}
