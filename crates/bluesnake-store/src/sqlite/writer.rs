//! The one thread that writes.
//!
//! Jobs arrive through a bounded channel; each is one transaction. If another process holds the database, the writer
//! waits and logs it; it never loses a job silently.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::Failure;
use crate::error::DatabaseError;

/// How many jobs may be queued.
const WAITING: usize = 16;
/// How long the writer waits for another process in total.
const PATIENCE: Duration = Duration::from_secs(60);

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// How durable a change must be before it counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// It survives a crash of the process.
    Normal,
    /// It survives power loss.
    Full,
}

/// The handle of the thread, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Writer {
    path: PathBuf,
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(path: &Path, connection: Connection) -> Self {
        let (jobs, mut waiting) = mpsc::channel::<Job>(WAITING);
        let work = move || {
            while let Some(job) = waiting.blocking_recv() {
                // A job that panics drops its reply channel, which informs the caller; other jobs continue.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&connection)));
            }
            // So that an idle database is a single file.
            let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        };
        let thread = std::thread::Builder::new().name("database".to_owned()).spawn(work);
        Self { path: path.to_owned(), jobs: Some(jobs), thread: Some(thread.expect("a thread can be started")) }
    }

    /// Queues a job to run in a transaction.
    pub(super) async fn begin<T: Send + 'static>(
        &self,
        what: &'static str,
        durability: Durability,
        job: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<Response<T>, DatabaseError> {
        let (response, responded) = oneshot::channel();
        let path = self.path.clone();
        let job: Job = Box::new(move |connection| {
            // The caller may be gone and no longer need the result.
            let _ = response.send(in_transaction(connection, &path, what, durability, job));
        });
        let jobs = self.jobs.as_ref().expect("the way is open until it is dropped");
        jobs.send(job).await.map_err(|_| gone(what))?;
        Ok(Response { what, responded })
    }
}

/// The pending result of a job.
#[derive(Debug)]
pub(super) struct Response<T> {
    what: &'static str,
    responded: oneshot::Receiver<Result<T, DatabaseError>>,
}

impl<T> Response<T> {
    pub(super) async fn wait(self) -> Result<T, DatabaseError> {
        self.responded.await.unwrap_or_else(|_| Err(gone(self.what)))
    }
}

fn gone(what: &str) -> DatabaseError {
    DatabaseError::Other { what: what.to_owned(), source: "the writer has ended".into() }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs.take();
        if let Some(thread) = self.thread.take() {
            // It catches its own panics.
            let _ = thread.join();
        }
    }
}

fn in_transaction<T>(
    connection: &Connection,
    path: &Path,
    what: &str,
    durability: Durability,
    job: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
) -> Result<T, DatabaseError> {
    let tell = |error| DatabaseError::of(path, what, error);
    if durability == Durability::Full {
        connection.pragma_update(None, "synchronous", "FULL").map_err(tell)?;
    }
    let result = begin(connection, path, what).and_then(|transaction| {
        let done = job(&transaction).map_err(|failure| failure.reported(path, what))?;
        transaction.commit().map_err(tell)?;
        Ok(done)
    });
    if durability == Durability::Full {
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(tell)?;
        // So that the main file alone knows every run, whatever happens to the log. This only moves the checkpoint
        // forward.
        let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    }
    result
}

/// Begins a transaction, waiting while another process writes.
fn begin<'a>(connection: &'a Connection, path: &Path, what: &str) -> Result<Transaction<'a>, DatabaseError> {
    let since = Instant::now();
    loop {
        match Transaction::new_unchecked(connection, TransactionBehavior::Immediate) {
            Ok(transaction) => return Ok(transaction),
            Err(error) if is_busy(&error) => {
                let waited = since.elapsed();
                if waited >= PATIENCE {
                    return Err(DatabaseError::Locked { path: path.to_owned(), waited });
                }
                tracing::warn!(
                    "the database is locked by another program; waiting for it since {} s",
                    waited.as_secs()
                );
            }
            Err(error) => return Err(DatabaseError::of(path, what, error)),
        }
    }
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
