//! What the database cannot do, told apart by what somebody can do about it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bluesnake_engine::StoreError;
use rusqlite::ErrorCode;

/// Why the database could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// There is no file; a first crawl makes it.
    #[error("no database at {}", .0.display())]
    Missing(PathBuf),
    /// A newer bluesnake wrote it; this one has to be updated.
    #[error("{} was written by a newer bluesnake: its format is {found}, this version supports {known}", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version it has.
        found: u32,
        /// The newest version that we know.
        known: u32,
    },
    /// An older bluesnake wrote it, and it cannot be brought up to date where it is.
    #[error("{} was written by an older bluesnake: its format is {found}, this version needs {known}", .path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// The version it has.
        found: u32,
        /// The version that we read.
        known: u32,
    },
    /// The file was taken away while it was in use; what was stored went with it.
    #[error("{} was removed or replaced while it was in use", .0.display())]
    Removed(PathBuf),
    /// It is no database of ours, or it is damaged; nothing was changed.
    #[error("{} is not a bluesnake database, or is damaged", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The file or its folder cannot be opened or written.
    #[error("{} cannot be written", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The disk is full; what was stored is safe.
    #[error("the disk of {} is full", .0.display())]
    Full(PathBuf),
    /// Another program holds the database for too long.
    #[error("{} has been locked by another process for more than {} s", .path.display(), .waited.as_secs())]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long we waited.
        waited: Duration,
    },
    /// The thing that was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// Another session of the project runs, here or in another process; the text says whose, when that is known.
    #[error("crawl already in progress for this project{0}")]
    InProgress(String),
    /// It is there, and its state, which somebody else may have changed meanwhile, does not allow it.
    #[error("{0}")]
    Conflict(String),
    /// A query of a user that cannot be answered.
    #[error("{0}")]
    Query(String),
    /// It took too long and was stopped; something narrower may not.
    #[error("{what}: it took longer than {} s", .limit.as_secs())]
    TooSlow {
        /// What was tried.
        what: String,
        /// How long it may take.
        limit: Duration,
    },
    /// Anything else.
    #[error("{what}")]
    Other {
        /// What was tried.
        what: String,
        /// What SQLite says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl DatabaseError {
    /// Something of ours that is stored and cannot be understood.
    pub fn unreadable(what: impl Into<String>, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other { what: format!("{} cannot be read", what.into()), source: source.into() }
    }

    /// Sorts an error of SQLite by what can be done about it.
    pub(crate) fn of(path: &Path, what: &str, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(path),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged { path, source: source.into() },
            Some(
                ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure,
            ) => Self::Unwritable { path, source: source.into() },
            _ => Self::Other { what: what.to_owned(), source: source.into() },
        }
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
