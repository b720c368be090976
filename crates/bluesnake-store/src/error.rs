//! Database errors, by what the caller can do about them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bluesnake_engine::StoreError;
use rusqlite::ErrorCode;

/// Why a database operation failed.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The file does not exist; a first crawl creates it.
    #[error("no database at {}", .0.display())]
    Missing(PathBuf),
    /// A newer bluesnake wrote it; update this one.
    #[error("{} was written by a newer bluesnake: its format is {found}, this version supports {known}", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version we support.
        known: u32,
    },
    /// An older bluesnake wrote it, and it cannot be migrated in place.
    #[error("{} was written by an older bluesnake: its format is {found}, this version needs {known}", .path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version we read.
        known: u32,
    },
    /// The file was deleted or replaced while it was in use; what was stored is gone with it.
    #[error("{} was removed or replaced while it was in use", .0.display())]
    Removed(PathBuf),
    /// It is not one of our databases, or it is damaged; nothing was changed.
    #[error("{} is not a bluesnake database, or is damaged", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// SQLite's error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file or its folder cannot be opened or written.
    #[error("{} cannot be written", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The disk is full; what was stored is safe.
    #[error("the disk of {} is full", .0.display())]
    Full(PathBuf),
    /// Another process has locked the database for too long.
    #[error("{} has been locked by another process for more than {} s", .path.display(), .waited.as_secs())]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
    /// The requested item does not exist.
    #[error("{0}")]
    NotFound(String),
    /// Another session of the project is running, here or in another process; the text names it if known.
    #[error("crawl already in progress for this project{0}")]
    InProgress(String),
    /// It exists, but its state does not allow this; another process may have changed it meanwhile.
    #[error("{0}")]
    Conflict(String),
    /// A user's query failed.
    #[error("{0}")]
    Query(String),
    /// It took too long and was stopped; a narrower one may succeed.
    #[error("{what}: it took longer than {} s", .limit.as_secs())]
    TooSlow {
        /// The operation.
        what: String,
        /// The time limit.
        limit: Duration,
    },
    /// Anything else.
    #[error("{what}")]
    Other {
        /// The operation.
        what: String,
        /// SQLite's error.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl DatabaseError {
    /// Stored data of ours that cannot be parsed.
    pub fn unreadable(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other { what: format!("{} cannot be read", what.into()), source: source.into() }
    }

    /// Classifies an SQLite error by what can be done about it.
    pub(crate) fn of(path: &Path, what: &str, source: rusqlite::Error) -> Self {
        // A value that we cannot have written.
        if let rusqlite::Error::FromSqlConversionFailure(_, _, source) = source {
            return Self::damaged(path, source);
        }
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(path.to_owned()),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::damaged(path, source),
            Some(
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure,
            ) => Self::unwritable(path, source),
            _ => Self::Other { what: what.to_owned(), source: source.into() },
        }
    }

    pub(crate) fn damaged(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Damaged { path: path.to_owned(), source: source.into() }
    }

    pub(crate) fn unwritable(path: &Path, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unwritable { path: path.to_owned(), source: source.into() }
    }

    pub(crate) fn not_found(what: impl Into<String>) -> Self {
        Self::NotFound(what.into())
    }
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        Self { message: "cannot write results to the database".to_owned(), source: Some(error.into()) }
    }
}
