//! The tree of a site: the folders of its internal URLs.
//!
//! Folders end at a slash of the path. They are found in one walk over the URLs in their order, in which the URLs of a
//! folder are neighbours.

use bluesnake_engine::Disposition;
use rusqlite::Connection;

use super::columns::{Grid, INDEXABLE, INTERNAL};
use super::rows::Window;
use super::texts::{Texts, common_length};
use crate::error::DatabaseError;
use crate::sqlite::columns::{list, one, rows};
use crate::sqlite::contents::Contents;

/// The most folders that are shown of one folder.
const SHOWN: usize = 1_000;
/// How deep folders are told apart, hosts not counted.
const LEVELS: usize = 16;
/// The most folders that are kept of a run; if there are more, the deepest levels are left out.
const KEPT: usize = 200_000;

rows! {
    /// A folder of a site with everything below it. Only internal URLs count.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct FolderRow {
        /// The start of its URLs, for [`super::RowFilter::prefix`]; ends with a slash.
        pub path: String,
        /// The last part of the path, with its slash; for a host the whole path.
        pub name: String,
        /// URLs in it.
        pub urls: u64,
        /// Indexable pages among them.
        pub indexable: u64,
        /// Failed URLs, and those with an error status.
        pub errors: u64,
        /// Folders directly in it.
        pub folders: u64,
    }
}

impl Contents<'_> {
    /// The folders directly in a folder, ordered by name, at most 1,000; the hosts of the site for an empty path. The
    /// total counts all.
    pub async fn folders(self, run: i64, path: String) -> Result<Window<FolderRow>, DatabaseError> {
        self.with_grid(run, move |connection, view| {
            let (total, items) = match view.audit {
                Some(_) => stored(connection, run, &path)?,
                None => view.grid.folders(connection, run)?.children(&path),
            };
            Ok(Window { total, offset: 0, version: view.grid.len() as u64, items })
        })
        .await
    }
}

fn stored(connection: &Connection, run: i64, path: &str) -> rusqlite::Result<(u64, Vec<FolderRow>)> {
    let total = one(connection, "SELECT count(*) FROM folders WHERE run = ?1 AND parent = ?2", (run, path))?;
    let sql = "SELECT parent || name, name, urls, indexable, errors, folders FROM folders
               WHERE run = ?1 AND parent = ?2 ORDER BY name LIMIT ?3";
    Ok((total, list(connection, sql, (run, path, SHOWN))?))
}

/// The folders of a run, ordered by parent and name.
#[derive(Debug, Default)]
pub(in crate::sqlite) struct Folders {
    pub(in crate::sqlite) all: Vec<Folder>,
    /// Their memory.
    pub(super) bytes: usize,
}

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::sqlite) struct Folder {
    pub(in crate::sqlite) parent: String,
    pub(in crate::sqlite) name: String,
    pub(in crate::sqlite) counts: Counts,
}

/// What is in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sqlite) struct Counts {
    pub(in crate::sqlite) urls: u64,
    pub(in crate::sqlite) indexable: u64,
    pub(in crate::sqlite) errors: u64,
    pub(in crate::sqlite) folders: u64,
}

impl Folders {
    /// The folders of the internal URLs of a grid; `order` is the order of all URLs.
    pub(super) fn of(grid: &Grid, urls: &Texts, order: &[u32]) -> Self {
        let levels = levels_to_keep(grid, urls, order);
        let mut folders = Vec::new();
        walk(grid, urls, order, levels, |path, parent, counts| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            folders.push(Folder { parent: text(&path[..parent]), name: text(&path[parent..]), counts });
        });
        folders.sort_unstable_by(|one, other| (&one.parent, &one.name).cmp(&(&other.parent, &other.name)));
        let bytes = |folder: &Folder| size_of::<Folder>() + folder.parent.len() + folder.name.len();
        Self { bytes: folders.iter().map(bytes).sum(), all: folders }
    }

    /// How many folders are directly in a folder, and the first of them.
    fn children(&self, parent: &str) -> (u64, Vec<FolderRow>) {
        let first = self.all.partition_point(|folder| folder.parent.as_str() < parent);
        let count = self.all[first..].partition_point(|folder| folder.parent == parent);
        let to_row = |folder: &Folder| {
            let Counts { urls, indexable, errors, folders } = folder.counts;
            let path = format!("{}{}", folder.parent, folder.name);
            FolderRow { path, name: folder.name.clone(), urls, indexable, errors, folders }
        };
        (count as u64, self.all[first..first + count].iter().take(SHOWN).map(to_row).collect())
    }
}

/// A folder whose URLs are being walked over.
struct Open {
    /// The length of its path.
    end: usize,
    counts: Counts,
}

/// Reports every folder down to a level: its path, the length of its parent's path, and its counts.
fn walk(grid: &Grid, urls: &Texts, order: &[u32], levels: usize, mut each: impl FnMut(&[u8], usize, Counts)) {
    let mut open: Vec<Open> = Vec::new();
    let mut last: &[u8] = &[];
    let mut close = |open: &mut Vec<Open>, last: &[u8], kept: usize| {
        while open.len() > kept {
            let Some(Open { end, counts }) = open.pop() else { return };
            each(&last[..end], open.last().map_or(0, |parent| parent.end), counts);
        }
    };
    let is_internal = |number: &&u32| grid.flags[**number as usize - 1] & INTERNAL != 0;
    for number in order.iter().filter(is_internal) {
        let (url, at) = (urls.of(*number), *number as usize - 1);
        let common = common_length(last, url);
        let ends = || folder_ends(url).take(levels + 1);
        let is_still_open = |(open, end): &(&Open, usize)| open.end == *end && *end <= common;
        let kept = open.iter().zip(ends()).take_while(is_still_open).count();
        close(&mut open, last, kept);
        for end in ends().skip(kept) {
            if let Some(parent) = open.last_mut() {
                parent.counts.folders += 1;
            }
            open.push(Open { end, counts: Counts::default() });
        }
        for Open { counts, .. } in &mut open {
            counts.urls += 1;
            counts.indexable += u64::from(grid.flags[at] & INDEXABLE != 0);
            counts.errors += u64::from(is_error(grid, at));
        }
        last = url;
    }
    close(&mut open, last, 0);
}

fn is_error(grid: &Grid, at: usize) -> bool {
    grid.status[at] >= 400 || grid.reason(at).disposition() == Disposition::Failed
}

/// Where the folders of a URL end: after the host, and after every further slash of the path.
fn folder_ends(url: &[u8]) -> impl Iterator<Item = usize> {
    let path_end = url.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
    let host = url.windows(3).position(|part| part == b"://").map_or(0, |at| at + 3);
    (host..path_end).filter(|at| url[*at] == b'/').map(|at| at + 1)
}

/// How many levels below hosts leave no more than [`KEPT`] folders.
fn levels_to_keep(grid: &Grid, urls: &Texts, order: &[u32]) -> usize {
    let mut by_level = [0; LEVELS + 1];
    walk(grid, urls, order, LEVELS, |path, _, _| {
        let level = folder_ends(path).count() - 1;
        by_level[level] += 1;
    });
    let sums = by_level.iter().scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    sums.skip(1).take_while(|sum| *sum <= KEPT).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_end_at_slashes_of_the_path() {
        let folders = |url: &'static str| folder_ends(url.as_bytes()).map(|end| &url[..end]).collect::<Vec<_>>();
        assert_eq!(folders("https://a.test/"), ["https://a.test/"]);
        assert_eq!(folders("https://a.test/b/c?d=/e/"), ["https://a.test/", "https://a.test/b/"]);
        assert_eq!(folders("https://a.test//"), ["https://a.test/", "https://a.test//"]);
        assert!(folders("https://a.test").is_empty());
    }
}
