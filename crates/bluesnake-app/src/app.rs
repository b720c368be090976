//! The app: one database file, and what this process does with it.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use bluesnake_engine::CrawlError;
use bluesnake_store::{Catalog, Contents, Database, DatabaseError};

use crate::audit::LiveAudits;
use crate::capture::Repeated;
use crate::compare::Comparisons;
use crate::error::AppError;
use crate::sessions::Sessions;

/// Options of the app.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The database file.
    pub database: PathBuf,
    /// What the app does with it.
    pub access: Access,
    /// How many sessions may run concurrently; 0 = unlimited.
    pub max_concurrent_sessions: usize,
}

impl AppOptions {
    /// Two concurrent sessions, in this file.
    pub fn new(database: impl Into<PathBuf>) -> Self {
        Self { database: database.into(), access: Access::Create, max_concurrent_sessions: 2 }
    }
}

/// What the app does with its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Write; creates the file if it does not exist.
    Create,
    /// Write; the file must exist.
    Write,
    /// Read; the file must exist. Also works where nothing can be written.
    Read,
}

/// What bluesnake can do. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    database: Database,
    sessions: Sessions,
    repeated: Repeated,
    live_audits: LiveAudits,
    comparisons: Comparisons,
}

impl App {
    /// Opens the database. Runs whose process is gone become paused, and interrupted deletions are finished.
    pub async fn open(options: AppOptions) -> Result<Self, AppError> {
        let database = match open_to_write(&options).await {
            Err(error @ (DatabaseError::Unwritable { .. } | DatabaseError::Full(_)))
                if options.access == Access::Read =>
            {
                let path = options.database.clone();
                // If it cannot be read either, the reason why it cannot be written says more.
                off_the_runtime(move || match Database::open_to_read(&path) {
                    Err(DatabaseError::Unwritable { .. } | DatabaseError::Full(_)) => Err(error.into()),
                    opened => Ok(opened?),
                })
                .await?
            }
            opened => opened?,
        };
        let sessions = Sessions::new(options.max_concurrent_sessions);
        let (repeated, live_audits) = (Repeated::default(), LiveAudits::default());
        let comparisons = Comparisons::default();
        Ok(Self { shared: Arc::new(Shared { database, sessions, repeated, live_audits, comparisons }) })
    }

    pub(crate) fn database(&self) -> &Database {
        &self.shared.database
    }

    pub(crate) fn catalog(&self) -> Catalog<'_> {
        self.database().catalog()
    }

    pub(crate) fn contents(&self) -> Contents<'_> {
        self.database().contents()
    }

    pub(crate) fn running(&self) -> &Sessions {
        &self.shared.sessions
    }

    pub(crate) fn repeated(&self) -> &Repeated {
        &self.shared.repeated
    }

    pub(crate) fn live_audits(&self) -> &LiveAudits {
        &self.shared.live_audits
    }

    pub(crate) fn comparisons(&self) -> &Comparisons {
        &self.shared.comparisons
    }

    /// Whether the database responds.
    pub async fn check_database(&self) -> Result<(), AppError> {
        let limits = bluesnake_store::Limits { rows: 1, time: std::time::Duration::from_secs(5) };
        self.query("SELECT count(*) FROM projects", limits).await?;
        Ok(())
    }
}

async fn open_to_write(options: &AppOptions) -> Result<Database, DatabaseError> {
    let open = if options.access == Access::Create { Database::open } else { Database::open_existing };
    let path = options.database.clone();
    let opened = tokio::task::spawn_blocking(move || open(&path)).await;
    let database = opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
    for run in database.catalog().reconcile().await? {
        tracing::info!(run, "a run whose process is gone can be resumed");
    }
    database.catalog().remove_hidden(None).await?;
    Ok(database)
}

/// The future of a long operation. Boxed, so that it is compiled here, not again in every crate that awaits it.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, AppError>> + Send + 'a>>;

/// Runs blocking work on its own thread; panics propagate.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

/// Runs work to its end, even if the caller stops waiting for it.
pub(crate) async fn outliving<T: Send + 'static>(
    work: impl Future<Output = Result<T, AppError>> + Send + 'static,
) -> Result<T, AppError> {
    #[expect(clippy::disallowed_methods, reason = "it must outlive its caller, and it ends by itself")]
    let task = tokio::spawn(work);
    task.await.unwrap_or_else(|end| Err(CrawlError::Bug(end.to_string()).into()))
}

/// Copies what is readable of a damaged database into a new file and reports what was lost. The original is
/// unchanged.
pub async fn repair(from: PathBuf, to: PathBuf) -> Result<bluesnake_store::Repaired, AppError> {
    off_the_runtime(move || Ok(bluesnake_store::repair(&from, &to)?)).await
}
