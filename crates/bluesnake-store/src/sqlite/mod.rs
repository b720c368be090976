//! The SQLite file: opened here, written by one thread, read by any number.
//!
//! WAL mode: readers never block the writer. Each change is one transaction; storage errors are reported, never
//! swallowed.

mod catalog;
mod columns;
mod commit;
mod contents;
mod facts;
mod functions;
mod intern;
mod open;
mod pack;
mod packed;
mod prepare;
mod query;
mod queue;
mod repair;
mod weave;
mod writer;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bluesnake_engine::LinkKind;
use rusqlite::{Connection, ErrorCode, Params, Transaction};

use crate::error::DatabaseError;

pub use self::catalog::*;
pub use self::contents::*;
pub use self::query::{Limits, QueryResult};
pub use self::queue::RunStore;
pub use self::repair::{Repaired, RepairedTable, repair};

use self::columns::FromColumns;
use self::open::Reading;
use self::writer::Writer;

/// How many reader connections to keep.
const IDLE_READERS: usize = 4;

/// Time limit for one page of a list.
const DEADLINE: Duration = Duration::from_secs(10);
/// How many SQLite VM steps to run between two clock checks.
const STEPS: i32 = 10_000;

/// A database file with its writer. Cheap to clone; all clones share the writer.
#[derive(Clone, Debug)]
pub struct Database {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    // Closed before the writer: the last connection cleans up, and a reader cannot.
    readers: Mutex<Vec<Connection>>,
    reading: Reading,
    /// `None` if the file cannot be written.
    writer: Option<Writer>,
    /// Identifies the file, if the system supports it.
    file: Option<FileId>,
    /// The code of each link kind, by its index in [`LinkKind::ALL`].
    kinds: Vec<i64>,
    /// What lists of URLs need again and again.
    lists: contents::Kept,
}

impl Database {
    /// Opens or creates the file and migrates its format.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        open::check_not_emptied(path)?;
        let connection = open::writable(path)?;
        Self::with(path, connection)
    }

    /// Opens an existing file.
    pub fn open_existing(path: &Path) -> Result<Self, DatabaseError> {
        if !path.exists() {
            return Err(DatabaseError::Missing(path.to_owned()));
        }
        open::check_not_empty(path)?;
        Self::open(path)
    }

    /// Opens an existing file read-only, even where nothing can be written.
    pub fn open_to_read(path: &Path) -> Result<Self, DatabaseError> {
        let reading = open::check_readable(path)?;
        let connection = open::readable(path, reading)?;
        let kinds = open::known_link_kinds(&connection);
        let kinds = kinds.map_err(|error| DatabaseError::of(path, "cannot read the database", error))?;
        Ok(Self::of(path, reading, None, kinds))
    }

    fn with(path: &Path, connection: Connection) -> Result<Self, DatabaseError> {
        let kinds = open::link_kinds(&connection).map_err(|error| DatabaseError::of(path, "cannot read it", error))?;
        Ok(Self::of(path, Reading::Shared, Some(Writer::start(path, connection)), kinds))
    }

    fn of(path: &Path, reading: Reading, writer: Option<Writer>, kinds: Vec<i64>) -> Self {
        let readers = Mutex::new(Vec::new());
        let (path, file, lists) = (path.to_owned(), FileId::of(path), contents::Kept::default());
        let shared = Shared { path, readers, reading, writer, file, kinds, lists };
        Self { shared: Arc::new(shared) }
    }

    fn writer(&self) -> Result<&Writer, DatabaseError> {
        let read_only = || DatabaseError::unwritable(self.path(), "the database was opened for reading only");
        self.shared.writer.as_ref().ok_or_else(read_only)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// A deleted file can still be written, but the data would be lost.
    pub(crate) fn check_in_place(&self) -> Result<(), DatabaseError> {
        if FileId::of(self.path()) == self.shared.file {
            return Ok(());
        }
        Err(DatabaseError::Removed(self.path().to_owned()))
    }

    /// Runs a job in one transaction of the writer.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.writer()?.begin(what, writer::Durability::Normal, job).await?.wait().await
    }

    /// The same for a job that receives input while it runs.
    async fn begin_write<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<writer::Response<T>, DatabaseError> {
        self.writer()?.begin(what, writer::Durability::Normal, job).await
    }

    /// The same for state changes: they are on disk when this returns.
    pub(crate) async fn write_durably<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.writer()?.begin(what, writer::Durability::Full, job).await?.wait().await
    }

    /// Runs a job on a read-only connection, off the async threads.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let database = self.clone();
        off_the_runtime(what, move || database.read_here(what, |connection| job(connection))).await
    }

    /// All rows of a query.
    async fn list<T: FromColumns + Send + 'static>(
        &self,
        what: &'static str,
        sql: impl Into<Cow<'static, str>>,
        params: impl Params + Send + 'static,
    ) -> Result<Vec<T>, DatabaseError> {
        let sql = sql.into();
        self.read(what, move |connection| Ok(columns::list(connection, &sql, params)?)).await
    }

    /// The first row of a query, if it has one.
    async fn first<T: FromColumns + Send + 'static>(
        &self,
        what: &'static str,
        sql: impl Into<Cow<'static, str>>,
        params: impl Params + Send + 'static,
    ) -> Result<Option<T>, DatabaseError> {
        let sql = sql.into();
        self.read(what, move |connection| Ok(columns::first(connection, &sql, params)?)).await
    }

    /// Runs a job on a read-only connection, on this thread.
    pub(crate) fn read_here<T>(
        &self,
        what: &'static str,
        job: impl FnOnce(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, DatabaseError> {
        let idle = self.shared.readers().pop();
        let mut connection = idle.map_or_else(|| open::readable(self.path(), self.shared.reading), Ok)?;
        let result = job(&mut connection).map_err(|failure| failure.reported(self.path(), what));
        let mut readers = self.shared.readers();
        if readers.len() < IDLE_READERS {
            readers.push(connection);
        }
        result
    }

    /// Like [`Database::read`] with a time limit: anything longer than [`DEADLINE`] is stopped.
    pub(crate) async fn read_in_time<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let timed = move |connection: &mut Connection| {
            let until = Instant::now() + DEADLINE;
            connection.progress_handler(STEPS, Some(move || Instant::now() >= until))?;
            let result = job(connection);
            connection.progress_handler(0, None::<fn() -> bool>)?;
            match result {
                Err(Failure::Sqlite(error)) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                    Err(DatabaseError::TooSlow { what: what.to_owned(), limit: DEADLINE }.into())
                }
                result => result,
            }
        };
        let database = self.clone();
        off_the_runtime(what, move || database.read_here(what, timed)).await
    }

    pub(crate) fn kind_code(&self, kind: LinkKind) -> i64 {
        self.shared.kinds[kind as usize]
    }

    /// The link kind of a code.
    pub(crate) fn kind_of_code(&self, code: i64) -> Option<LinkKind> {
        self.shared.kinds.iter().position(|known| *known == code).map(|at| LinkKind::ALL[at])
    }
}

async fn off_the_runtime<T: Send + 'static>(
    what: &'static str,
    job: impl FnOnce() -> Result<T, DatabaseError> + Send + 'static,
) -> Result<T, DatabaseError> {
    let result = tokio::task::spawn_blocking(job).await;
    result.unwrap_or_else(|panic| Err(DatabaseError::Other { what: what.to_owned(), source: panic.into() }))
}

impl Shared {
    fn readers(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Identifies a file regardless of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(u64, u64);

impl FileId {
    fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(path).ok().map(|file| Self(file.dev(), file.ino()))
        }
        #[cfg(not(unix))]
        {
            std::fs::metadata(path).ok().map(|_| Self(0, 0))
        }
    }
}

/// What can go wrong in a transaction: an SQLite error, or a decision of ours.
#[derive(Debug)]
pub(crate) enum Failure {
    Sqlite(rusqlite::Error),
    Told(DatabaseError),
}

impl Failure {
    fn reported(self, path: &Path, what: &str) -> DatabaseError {
        match self {
            Self::Sqlite(error) => DatabaseError::of(path, what, error),
            Self::Told(error) => error,
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        Self::Told(error)
    }
}

/// Unix time in milliseconds. Nothing is ordered by it, so clock jumps do no harm.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// Unix time in seconds.
pub(crate) fn now() -> i64 {
    now_ms() / 1000
}
