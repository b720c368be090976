//! Where an export goes: to stdout, to whoever takes bytes, or to a file that has its name only when it is complete.
//!
//! A file is written beside its final place, synced and renamed, so a kill or a full disk never leaves half an export
//! under the name that was asked for.

use std::fs;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use super::ExportError;

const BUFFER_BYTES: usize = 128 * 1024;

/// What to do when the name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Keep,
    Replace,
}

/// A buffered place to write to. Without [`Output::finish`] no file appears.
#[derive(Debug)]
pub struct Output(Place);

/// Whatever takes bytes.
struct Stream(Box<dyn Write + Send>);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stream")
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[derive(Debug)]
enum Place {
    Stream(BufWriter<Stream>),
    Stdout(BufWriter<Stdout>),
    File { partial: Partial, path: PathBuf, existing: Existing },
}

impl Output {
    pub fn stdout() -> Self {
        Self(Place::Stdout(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())))
    }

    /// Hands bytes on as they come. Whoever takes them cannot tell a whole export from half of one by the bytes alone.
    pub fn stream(to: impl Write + Send + 'static) -> Self {
        Self(Place::Stream(BufWriter::with_capacity(BUFFER_BYTES, Stream(Box::new(to)))))
    }

    /// Whether [`Output::file`] would take this name: for those who ask before they have anything to write.
    pub fn check(path: &Path, existing: Existing) -> Result<(), ExportError> {
        check_free(path, existing)?;
        create_partial(path).map(drop)
    }

    /// Refuses at once what could not be put in place at the end.
    pub fn file(path: &Path, existing: Existing) -> Result<Self, ExportError> {
        check_free(path, existing)?;
        Ok(Self(Place::File { partial: create_partial(path)?, path: path.to_owned(), existing }))
    }

    pub fn finish(self) -> Result<(), ExportError> {
        match self.0 {
            Place::Stdout(mut stdout) => Ok(stdout.flush()?),
            Place::Stream(mut stream) => Ok(stream.flush()?),
            Place::File { partial, path, existing } => publish(complete(partial)?, &path, existing),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Place::Stdout(stdout) => stdout.write(bytes),
            Place::Stream(stream) => stream.write(bytes),
            Place::File { partial, .. } => partial.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Place::Stdout(stdout) => stdout.flush(),
            Place::Stream(stream) => stream.flush(),
            Place::File { partial, .. } => partial.flush(),
        }
    }
}

/// A file under a passing name, removed when dropped.
pub(super) type Partial = BufWriter<NamedTempFile>;

pub(super) fn check_free(path: &Path, existing: Existing) -> Result<(), ExportError> {
    let is_file = match fs::metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(_) => return Ok(()),
    };
    match existing {
        // A rename would replace a device such as /dev/null by a file.
        _ if !is_file => Err(ExportError::NotAFile(path.to_owned())),
        Existing::Keep => Err(ExportError::Exists(path.to_owned())),
        Existing::Replace => Ok(()),
    }
}

pub(super) fn create_partial(path: &Path) -> Result<Partial, ExportError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bluesnake-").suffix(".partial");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let partial = builder.tempfile_in(folder);
    let partial = partial.map_err(|source| ExportError::Create { path: path.to_owned(), source })?;
    Ok(BufWriter::with_capacity(BUFFER_BYTES, partial))
}

/// Brings everything to the disk and closes the file; it is still under its passing name.
pub(super) fn complete(partial: Partial) -> Result<TempPath, ExportError> {
    let partial = partial.into_inner().map_err(io::IntoInnerError::into_error)?;
    partial.as_file().sync_all()?;
    Ok(partial.into_temp_path())
}

pub(super) fn publish(complete: TempPath, path: &Path, existing: Existing) -> Result<(), ExportError> {
    let published = match existing {
        Existing::Keep => complete.persist_noclobber(path),
        Existing::Replace => complete.persist(path),
    };
    published.map_err(|failure| match failure.error.kind() {
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
    fn a_missing_folder_is_told_by_the_name_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/pages.csv");
        assert!(
            matches!(Output::file(&path, Existing::Keep), Err(ExportError::Create { path: named, .. }) if named == path)
        );
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_the_file_as_the_umask_says() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));

        Output::file(&ours, Existing::Keep).unwrap().finish().unwrap();
        fs::write(&plain, "").unwrap();

        let [ours, plain] = [ours, plain].map(|path| fs::metadata(path).unwrap().permissions().mode());
        assert_eq!(ours, plain);
    }
}
