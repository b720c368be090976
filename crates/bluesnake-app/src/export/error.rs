//! Why an export could not be written.

use std::io;
use std::path::PathBuf;

use ::parquet::errors::ParquetError;

/// Why an export could not be written. After any of these the final name is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Choose another name, or ask for the file to be replaced.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// Choose a name that is not a folder, a device or a pipe.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// Choose a folder that exists and may be written to.
    #[error("cannot create {}", path.display())]
    Create { path: PathBuf, source: io::Error },
    /// Make room on the disk, or find out why the reader of the pipe closed it.
    #[error("cannot write the export")]
    Write(#[from] io::Error),
}

impl From<::csv::Error> for ExportError {
    fn from(error: ::csv::Error) -> Self {
        // The crate's own conversion hides the kind of error.
        match error.into_kind() {
            ::csv::ErrorKind::Io(error) => Self::Write(error),
            other => Self::Write(io::Error::other(format!("{other:?}"))),
        }
    }
}

impl From<zip::result::ZipError> for ExportError {
    fn from(error: zip::result::ZipError) -> Self {
        Self::Write(error.into())
    }
}

impl From<ParquetError> for ExportError {
    fn from(error: ParquetError) -> Self {
        let error = match error {
            ParquetError::External(cause) => match cause.downcast::<io::Error>() {
                Ok(cause) => *cause,
                Err(cause) => io::Error::other(cause),
            },
            other => io::Error::other(other),
        };
        Self::Write(error)
    }
}
