//! A tree of files that gets its name only when it is complete.
//!
//! It is written into `.NAME.tmp-…` next to its final place, accessible only to us, and then swapped with the
//! existing tree. A kill leaves the old tree or the new one, and the next capture cleans up the rest. Nothing is ever
//! opened in a folder that another user could have prepared, so no symlink is followed.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::AppError;
use crate::export::ExportError;

/// Marks a folder as ours to replace, and lists the entries we wrote.
pub(super) const MARKER: &str = ".bluesnake-capture";
const MARKER_TEXT: &str = "Written by bluesnake capture, which replaces this folder as a whole. Its entries:\n";
/// What file managers leave behind.
const IGNORED: [&str; 3] = [".DS_Store", "Thumbs.db", "desktop.ini"];

const LOCK: &str = "lock";
const NEW: &str = "tree";
const OLD: &str = "old";

/// A tree being written. Without [`Folder::finish`] nothing is left of it.
#[derive(Debug)]
pub(super) struct Folder {
    target: PathBuf,
    file: Option<BufWriter<File>>,
    folders: HashSet<String>,
    top: BTreeSet<String>,
    /// Held while the process lives, so that no other capture removes the folder. Closed before it, as Windows
    /// requires.
    lock: File,
    passing: TempDir,
}

impl Folder {
    pub(super) fn create(target: &Path) -> Result<Self, AppError> {
        let target = named(target)?;
        clear_leftovers(&target);
        check_replaceable(&target)?;
        let (passing, lock) = create_passing(&target).map_err(|error| cannot_write(&target, &error))?;
        Ok(Self { target, file: None, folders: HashSet::new(), top: BTreeSet::new(), lock, passing })
    }

    /// Starts a file. The path has `/` between its parts and was made by [`super::names`].
    pub(super) fn start(&mut self, path: &str) -> io::Result<()> {
        self.end_file()?;
        let tree = self.passing.path().join(NEW);
        for (slash, _) in path.match_indices('/') {
            if self.folders.insert(path[..slash].to_owned()) {
                fs::create_dir(tree.join(&path[..slash]))?;
            }
        }
        self.top.insert(path.split('/').next().unwrap_or(path).to_owned());
        self.file = Some(BufWriter::new(File::create_new(tree.join(path))?));
        Ok(())
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.as_mut().expect("a file was started").write_all(bytes)
    }

    fn end_file(&mut self) -> io::Result<()> {
        match self.file.take() {
            Some(mut file) => file.flush(),
            None => Ok(()),
        }
    }

    /// Puts the tree in place.
    pub(super) fn finish(mut self) -> Result<(), AppError> {
        self.complete().map_err(ExportError::Write)?;
        // The place may have changed in the hours since we began.
        check_replaceable(&self.target)?;
        let (new, old) = (self.passing.path().join(NEW), self.passing.path().join(OLD));
        let swapped = swap_in(&new, &old, &self.target);
        Ok(swapped.map_err(|source| ExportError::Create { path: self.target.clone(), source })?)
    }

    fn complete(&mut self) -> io::Result<()> {
        self.end_file()?;
        let entries: String = self.top.iter().map(|name| format!("{name}\n")).collect();
        fs::write(self.passing.path().join(NEW).join(MARKER), format!("{MARKER_TEXT}{entries}"))?;
        sync(&self.lock)
    }
}

impl Drop for Folder {
    /// Removes the unfinished tree, or the old one.
    fn drop(&mut self) {
        self.file = None;
        if let Err(error) = remove_trees(self.passing.path()) {
            tracing::warn!(%error, "{} cannot be removed", self.passing.path().display());
        }
    }
}

/// The lock goes last, so that the next capture can finish an interrupted removal.
fn remove_trees(passing: &Path) -> io::Result<()> {
    for tree in [NEW, OLD] {
        match fs::remove_dir_all(passing.join(tree)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A folder that only we may access, and the lock that shows we are alive.
fn create_passing(target: &Path) -> io::Result<(TempDir, File)> {
    let mut attempts = 3;
    loop {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let passing = builder.prefix(&passing_prefix(target)).tempdir_in(parent(target))?;
        attempts -= 1;
        match lock_new(passing.path()) {
            Ok(lock) => {
                fs::create_dir(passing.path().join(NEW))?;
                return Ok((passing, lock));
            }
            // Until it has a lock, another capture may mistake the folder for a leftover.
            Err(_) if attempts > 0 => {}
            Err(error) => return Err(error),
        }
    }
}

fn lock_new(passing: &Path) -> io::Result<File> {
    let lock = File::create_new(passing.join(LOCK))?;
    lock.try_lock()?;
    Ok(lock)
}

/// Whether a capture may and can be written here; checked before hours of work, and again at the end.
pub(super) fn check(target: &Path) -> Result<(), AppError> {
    let target = named(target)?;
    check_replaceable(&target)?;
    if is_mount_point(&target) {
        return Err(AppError::Rejected {
            message: format!("{} is a mount point", target.display()),
            hint: "a capture replaces the whole folder, which is impossible there; choose a folder inside it"
                .to_owned(),
        });
    }
    // Only creating one shows whether it can be created; nothing is left of it.
    create_passing(&target).map(drop).map_err(|error| cannot_write(&target, &error))
}

/// Without the temporary name of the tree, which means nothing to the user.
fn cannot_write(target: &Path, error: &io::Error) -> AppError {
    AppError::Rejected {
        message: format!("cannot write to {}: {}", parent(target).display(), io::Error::from(error.kind())),
        hint: "choose an existing, writable location".to_owned(),
    }
}

/// A mount point cannot be swapped with another folder.
#[cfg(unix)]
fn is_mount_point(target: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::symlink_metadata(path).map(|metadata| metadata.dev()).ok();
    device(target).is_some_and(|here| fs::metadata(parent(target)).is_ok_and(|above| above.dev() != here))
}

#[cfg(not(unix))]
fn is_mount_point(_target: &Path) -> bool {
    false
}

/// Without a trailing slash, which would make us follow a symlink.
fn named(target: &Path) -> Result<PathBuf, AppError> {
    match target.file_name() {
        Some(name) => Ok(target.with_file_name(name)),
        None => Err(AppError::Rejected {
            message: format!("{} is not a folder name", target.display()),
            hint: "choose a folder such as `-o docs`; it is created if necessary".to_owned(),
        }),
    }
}

fn parent(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn passing_prefix(target: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().expect("a target has a name"));
    prefix.push(".tmp-");
    prefix
}

fn check_replaceable(target: &Path) -> Result<(), AppError> {
    let rejected = |why: &str, hint: &str| {
        Err(AppError::Rejected { message: format!("{} {why}", target.display()), hint: hint.to_owned() })
    };
    let metadata = match fs::symlink_metadata(target) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot_write(target, &error)),
    };
    if metadata.is_symlink() {
        return rejected("is a symbolic link", "name the folder itself; a capture replaces it as a whole");
    }
    if !metadata.is_dir() {
        return rejected("is not a folder", "name another place, or remove the file");
    }
    let foreign = foreign_entry(target).map_err(|source| ExportError::Create { path: target.to_owned(), source })?;
    match foreign {
        None => Ok(()),
        Some(entry) => rejected(
            &format!("has something that is not from a capture: {entry}"),
            "a capture replaces its folder as a whole: name a new or an empty one, or move that away",
        ),
    }
}

/// The first entry, by name, that no capture wrote.
fn foreign_entry(folder: &Path) -> io::Result<Option<String>> {
    let mut entries = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable();
    let marker = folder.join(MARKER);
    let is_marked = fs::symlink_metadata(&marker).is_ok_and(|metadata| metadata.is_file());
    let marker = if is_marked { fs::read_to_string(&marker)? } else { String::new() };
    let ours: HashSet<_> = marker.strip_prefix(MARKER_TEXT).unwrap_or_default().lines().chain([MARKER]).collect();
    Ok(entries.into_iter().find(|entry| !ours.contains(entry.as_str()) && !IGNORED.contains(&entry.as_str())))
}

/// Removes what killed captures left next to the target. What cannot be removed stays and does no harm.
fn clear_leftovers(target: &Path) {
    let prefix = passing_prefix(target);
    let Ok(entries) = fs::read_dir(parent(target)) else { return };
    for entry in entries.flatten() {
        let is_leftover = entry.file_name().as_encoded_bytes().starts_with(prefix.as_encoded_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_leftover && let Err(error) = clear(&entry.path(), target) {
            tracing::debug!(%error, leftover = %entry.path().display(), "left where it is");
        }
    }
}

fn clear(leftover: &Path, target: &Path) -> io::Result<()> {
    let lock_path = leftover.join(LOCK);
    match fs::symlink_metadata(&lock_path) {
        Ok(metadata) if metadata.is_file() => {}
        // Killed before the lock existed, or after it was gone. Anything else is not empty, and stays.
        _ => return fs::remove_dir(leftover),
    }
    let lock = File::open(&lock_path)?;
    lock.try_lock()?;
    // Killed between the two steps of a swap: the old tree is the only one that was ever in place.
    let old = leftover.join(OLD);
    if old.is_dir() && fs::symlink_metadata(target).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        fs::rename(&old, target)?;
    }
    remove_trees(leftover)?;
    drop(lock);
    fs::remove_dir_all(leftover)
}

fn swap_in(new: &Path, old: &Path, target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::rename(new, target),
        Err(error) => Err(error),
        Ok(_) if exchange(new, target)? => Ok(()),
        Ok(_) => swap_in_two_steps(new, old, target),
    }
}

/// For file systems that cannot exchange two names atomically. [`clear`] repairs what a kill between the steps
/// leaves.
fn swap_in_two_steps(new: &Path, old: &Path, target: &Path) -> io::Result<()> {
    fs::rename(target, old)?;
    fs::rename(new, target).inspect_err(|_| {
        if let Err(error) = fs::rename(old, target) {
            tracing::error!(%error, "the earlier capture cannot be put back; it is at {}", old.display());
        }
    })
}

/// False if not supported.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(new: &Path, target: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        // The last two are equal on some systems, so they cannot be patterns.
        Err(error) if [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_new: &Path, _target: &Path) -> io::Result<bool> {
    Ok(false)
}

/// One call for the whole file system of the tree: syncing thousands of small files one by one would take minutes.
#[cfg(target_os = "linux")]
fn sync(file_there: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(file_there)?)
}

#[cfg(not(target_os = "linux"))]
fn sync(file_there: &File) -> io::Result<()> {
    file_there.sync_all()
}

#[cfg(test)]
mod tests;
