//! Where an export goes: to stdout, to a stream, or to a file that gets its name only when it is complete.
//!
//! A file is written next to its final place, synced and renamed, so a kill or a full disk never leaves a partial
//! export under the requested name. Until then its writer holds a lock on it, which the system releases however the
//! writer ends; the next export into the folder removes unlocked leftovers.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::ExportError;

const BUFFER_BYTES: usize = 128 * 1024;
const PREFIX: &str = ".bluesnake-";
const SUFFIX: &str = ".partial";
/// How often a new file may be mistaken for a leftover before it has its lock.
const ATTEMPTS: usize = 10;

/// What to do if the name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

impl Existing {
    pub fn replaced_if(is_replaced: bool) -> Self {
        if is_replaced { Self::Replace } else { Self::Keep }
    }
}

/// Whether a path means stdout.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// A buffered place to write to. Without [`Output::finish`] no file appears.
pub struct Output(Place);

enum Place {
    Stream(BufWriter<Box<dyn Write + Send>>),
    File { partial: Partial, path: PathBuf, existing: Existing },
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Output")
    }
}

impl Output {
    /// Writes to a file, or to stdout if the path is `-`.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, ExportError> {
        if is_stdout(path) { Ok(Self::stream(io::stdout())) } else { Self::file(path, existing) }
    }

    /// Passes bytes on as they arrive. The receiver cannot tell a complete export from a partial one by the bytes
    /// alone.
    pub fn stream(to: impl Write + Send + 'static) -> Self {
        Self(Place::Stream(BufWriter::with_capacity(BUFFER_BYTES, Box::new(to))))
    }

    /// Whether [`Output::file`] would accept this name, for callers that have nothing to write yet.
    pub fn check(path: &Path, existing: Existing) -> Result<(), ExportError> {
        check_free(path, existing)?;
        create_partial(path).map(drop)
    }

    /// Fails at once if the file could not be put in place at the end.
    pub fn file(path: &Path, existing: Existing) -> Result<Self, ExportError> {
        check_free(path, existing)?;
        Ok(Self(Place::File { partial: create_partial(path)?, path: path.to_owned(), existing }))
    }

    pub fn finish(self) -> Result<(), ExportError> {
        match self.0 {
            Place::Stream(mut stream) => Ok(stream.flush()?),
            Place::File { partial, path, existing } => publish(complete(partial)?, &path, existing),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Place::Stream(stream) => stream.write(bytes),
            Place::File { partial, .. } => partial.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Place::Stream(stream) => stream.flush(),
            Place::File { partial, .. } => partial.flush(),
        }
    }
}

/// A file under a temporary name, removed when dropped.
pub(super) type Partial = BufWriter<NamedTempFile>;

pub(super) fn check_free(path: &Path, existing: Existing) -> Result<(), ExportError> {
    let is_file = match fs::metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(_) => return Ok(()),
    };
    match existing {
        // A rename would replace a device such as /dev/null with a file.
        _ if !is_file => Err(ExportError::NotAFile(path.to_owned())),
        Existing::Keep => Err(ExportError::Exists(path.to_owned())),
        Existing::Replace => Ok(()),
    }
}

pub(super) fn create_partial(path: &Path) -> Result<Partial, ExportError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    remove_leftovers(folder);
    let partial = create_locked(folder).map_err(|source| ExportError::Create { path: path.to_owned(), source })?;
    Ok(BufWriter::with_capacity(BUFFER_BYTES, partial))
}

fn create_locked(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    for _ in 0..ATTEMPTS {
        let partial = builder.tempfile_in(folder)?;
        match partial.as_file().try_lock() {
            // Another export may have mistaken it for a leftover before it was locked.
            Ok(()) if partial.path().exists() => return Ok(partial),
            Ok(()) | Err(fs::TryLockError::WouldBlock) => {}
            // On a file system without locks, leftovers are not removed either.
            Err(fs::TryLockError::Error(_)) => return Ok(partial),
        }
    }
    Err(io::Error::other("other exports keep removing the file before it can be locked"))
}

/// Removes the files of killed exports: those whose lock is free.
fn remove_leftovers(folder: &Path) {
    let is_partial = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
    // Files that cannot be read or removed do no harm.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file
            && entry.file_name().to_str().is_some_and(is_partial)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Flushes everything to disk; the file still has its temporary name, and is locked.
pub(super) fn complete(partial: Partial) -> Result<NamedTempFile, ExportError> {
    let partial = partial.into_inner().map_err(io::IntoInnerError::into_error)?;
    partial.as_file().sync_all()?;
    Ok(partial)
}

pub(super) fn publish(complete: NamedTempFile, path: &Path, existing: Existing) -> Result<(), ExportError> {
    let published = match existing {
        Existing::Keep => complete.persist_noclobber(path),
        Existing::Replace => complete.persist(path),
    };
    published.map(drop).map_err(|failure| match failure.error.kind() {
        io::ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
        _ => ExportError::Create { path: path.to_owned(), source: failure.error },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_has_its_name_only_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.csv");

        let mut output = Output::file(&path, Existing::Keep).unwrap();
        output.write_all(b"url\n").unwrap();
        output.flush().unwrap();
        assert!(!path.exists());
        output.finish().unwrap();

        assert_eq!(fs::read(&path).unwrap(), b"url\n");
        assert_eq!(names(folder.path()), ["pages.csv"]);
    }

    #[test]
    fn nothing_is_left_of_an_export_that_was_given_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut output = Output::file(&folder.path().join("pages.csv"), Existing::Keep).unwrap();
        output.write_all(b"url\n").unwrap();

        drop(output);

        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn leftovers_of_killed_exports_are_removed_and_live_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let killed = folder.path().join(".bluesnake-killed.partial");
        fs::write(&killed, "half").unwrap();
        let mine = folder.path().join(".bluesnake-notes");
        fs::write(&mine, "not ours").unwrap();
        let (one, two) = (folder.path().join("one.csv"), folder.path().join("two.csv"));

        let mut first = Output::file(&one, Existing::Keep).unwrap();
        assert!(!killed.exists() && mine.exists());
        first.write_all(b"1").unwrap();
        let mut second = Output::file(&two, Existing::Keep).unwrap();
        second.write_all(b"2").unwrap();
        first.finish().unwrap();
        Output::check(&folder.path().join("three.csv"), Existing::Keep).unwrap();
        second.finish().unwrap();

        assert_eq!((fs::read(one).unwrap(), fs::read(two).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
    }

    #[test]
    fn exports_into_one_folder_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let folder = folder.path();
                scope.spawn(move || {
                    for round in 0..50 {
                        let path = folder.join(format!("{thread}-{round}.csv"));
                        let mut output = Output::file(&path, Existing::Keep).unwrap();
                        output.write_all(b"whole").unwrap();
                        output.finish().unwrap();
                    }
                });
            }
        });
        assert_eq!(names(folder.path()).len(), 400);
    }

    #[test]
    fn an_existing_file_is_kept_unless_it_may_be_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.csv");
        fs::write(&path, "old").unwrap();

        let refused = Output::file(&path, Existing::Keep).unwrap_err();
        assert!(matches!(refused, ExportError::Exists(taken) if taken == path));
        Output::file(&path, Existing::Replace).unwrap().finish().unwrap();

        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn a_file_that_came_up_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pages.csv");
        let output = Output::file(&path, Existing::Keep).unwrap();
        fs::write(&path, "somebody else's").unwrap();

        assert!(matches!(output.finish(), Err(ExportError::Exists(_))));

        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
        assert_eq!(names(folder.path()), ["pages.csv"]);
    }

    #[test]
    fn a_folder_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(Output::file(folder.path(), Existing::Replace), Err(ExportError::NotAFile(_))));
    }

    #[test]
    fn a_missing_folder_is_reported_by_the_requested_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/pages.csv");
        assert!(
            matches!(Output::file(&path, Existing::Keep), Err(ExportError::Create { path: named, .. }) if named == path)
        );
    }

    #[cfg(unix)]
    #[test]
    fn permissions_of_the_file_follow_the_umask() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));

        Output::file(&ours, Existing::Keep).unwrap().finish().unwrap();
        fs::write(&plain, "").unwrap();

        let [ours, plain] = [ours, plain].map(|path| fs::metadata(path).unwrap().permissions().mode());
        assert_eq!(ours, plain);
    }
}
