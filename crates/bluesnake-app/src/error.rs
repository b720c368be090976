//! Errors of the app, by what the caller can do about them.

use bluesnake_engine::plan::Problem;
use bluesnake_engine::{CrawlError, PlanProblems};
use bluesnake_store::DatabaseError;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Request something else: it does not exist.
    NotFound,
    /// Wait, or change the state first.
    Conflict(Conflict),
    /// Change the request.
    Invalid,
    /// Change the SQL query.
    Query,
    /// Request less: it took too long and was stopped.
    TooSlow,
    /// Check the machine: disk, permissions, other processes.
    Unavailable,
    /// Report a bug.
    Internal,
}

/// Which state does not allow the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The project is being crawled, by this process or another one.
    InProgress,
    /// The project, or the run, is not being crawled by this process.
    NotRunning,
    /// There is no run that could be resumed.
    NoPausedRun,
    /// The run was started with other settings.
    OtherSettings,
    /// The settings to be saved contain a secret.
    SecretsNotStored,
    /// The run has other sessions.
    RunHasSessions,
    /// The run keeps no documents.
    NoDocuments,
    /// The queue of crawls is full.
    QueueFull,
    /// The process is shutting down and starts nothing more.
    Closing,
    /// Another process changed it meanwhile.
    Changed,
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// Settings or seeds are invalid.
    #[error("the settings are not valid")]
    Plan(#[from] PlanProblems),
    /// The crawl could not start, or failed.
    #[error(transparent)]
    Crawl(CrawlError),
    /// The current state does not allow the request.
    #[error("{message}")]
    Conflict {
        /// Which state.
        reason: Conflict,
        /// Why not.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The request is impossible.
    #[error("{0}")]
    Invalid(String),
    /// The same, with a hint.
    #[error("{message}")]
    Rejected {
        /// Why not.
        message: String,
        /// What to do.
        hint: String,
    },
    /// It does not exist; the hint says what to do.
    #[error("{message}")]
    Absent {
        /// What does not exist.
        message: String,
        /// What to do.
        hint: String,
    },
    /// An export could not be written.
    #[error(transparent)]
    Export(#[from] crate::export::ExportError),
}

impl From<CrawlError> for AppError {
    fn from(error: CrawlError) -> Self {
        match error {
            CrawlError::Plan(problems) => Self::Plan(problems),
            other => Self::Crawl(other),
        }
    }
}

impl AppError {
    /// What a caller can do about it.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Database(DatabaseError::NotFound(_) | DatabaseError::Missing(_)) | Self::Absent { .. } => {
                Kind::NotFound
            }
            Self::Conflict { reason, .. } => Kind::Conflict(*reason),
            Self::Database(DatabaseError::InProgress(_)) => Kind::Conflict(Conflict::InProgress),
            Self::Database(DatabaseError::Conflict(_)) => Kind::Conflict(Conflict::Changed),
            Self::Database(DatabaseError::Query(_)) => Kind::Query,
            Self::Database(DatabaseError::TooSlow { .. }) => Kind::TooSlow,
            Self::Plan(_) | Self::Invalid(_) | Self::Rejected { .. } => Kind::Invalid,
            Self::Database(DatabaseError::Other { .. }) | Self::Crawl(CrawlError::Bug(_)) => Kind::Internal,
            Self::Database(_) | Self::Export(_) => Kind::Unavailable,
            Self::Crawl(CrawlError::Fetch(_)) => Kind::Invalid,
            Self::Crawl(_) => Kind::Unavailable,
        }
    }

    /// The problems in settings and seeds, by field; empty for any other error.
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Plan(PlanProblems(problems)) => problems,
            _ => &[],
        }
    }

    /// The error with all its causes, in one line.
    pub fn story(&self) -> String {
        let causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        causes.fold(self.to_string(), |story, cause| format!("{story}: {cause}"))
    }

    /// What to do about it, if known.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Conflict { hint, .. } | Self::Rejected { hint, .. } | Self::Absent { hint, .. } => {
                return Some(hint.clone());
            }
            Self::Database(error) => database_hint(error)?,
            Self::Export(crate::export::ExportError::Exists(_)) => "choose another name, or use `--replace`",
            Self::Crawl(CrawlError::Store(error)) => {
                let below = error.source.as_ref().and_then(|source| source.downcast_ref::<DatabaseError>());
                database_hint(below?)?
            }
            Self::Crawl(CrawlError::Shortage(_)) => {
                "raise the limit on open files (`ulimit -n`) or close other programs, then resume the run"
            }
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

fn database_hint(error: &DatabaseError) -> Option<&'static str> {
    Some(match error {
        DatabaseError::Missing(_) => {
            "a first `bluesnake crawl URL` makes it; `--db` or BLUESNAKE_HOME name another place"
        }
        DatabaseError::Newer { .. } => "update bluesnake, or choose another file with `--db`",
        DatabaseError::Older { .. } => "copy it to a place that can be written, and choose that file with `--db`",
        DatabaseError::Damaged { .. } => {
            "nothing was changed; `bluesnake repair -o FILE` copies what can be read, or restore a copy of yours"
        }
        DatabaseError::Unwritable { .. } => {
            "check permissions and limits of the folder and its disk, or choose another file with `--db`"
        }
        DatabaseError::Full(_) => "nothing is lost: make room and resume the run",
        DatabaseError::Removed(_) => "put it back, or crawl again",
        DatabaseError::Locked { .. } => "end the program that holds it, and resume the run",
        DatabaseError::TooSlow { .. } => "use a narrower filter, or number order",
        DatabaseError::InProgress(_) => "wait for it, or stop that process; its results can be read meanwhile",
        _ => return None,
    })
}
