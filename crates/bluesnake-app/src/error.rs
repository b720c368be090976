//! What the app cannot do, told apart by what a caller can do about it.

use bluesnake_engine::{CrawlError, PlanProblems};
use bluesnake_store::DatabaseError;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ask for something else: it is not there.
    NotFound,
    /// Wait, or change the state of things first.
    Conflict,
    /// Change what was asked.
    Invalid,
    /// See to the machine: disk, permissions, another program.
    Unavailable,
    /// Report a bug.
    Internal,
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The database could not do it.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// Settings or seeds are wrong.
    #[error("the settings are not valid")]
    Plan(#[from] PlanProblems),
    /// The crawl could not start or broke off.
    #[error(transparent)]
    Crawl(CrawlError),
    /// What was asked does not fit the state of things.
    #[error("{message}")]
    Conflict {
        /// Why not.
        message: String,
        /// What to do.
        hint: String,
    },
    /// What was asked cannot be done.
    #[error("{0}")]
    Invalid(String),
    /// The same, where there is something to say about what to do.
    #[error("{message}")]
    Rejected {
        /// Why not.
        message: String,
        /// What to do.
        hint: String,
    },
    /// It is not there, and something can be done about it.
    #[error("{message}")]
    Absent {
        /// What is not there.
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
            Self::Database(DatabaseError::Conflict(_)) | Self::Conflict { .. } => Kind::Conflict,
            Self::Database(DatabaseError::Query(_)) | Self::Plan(_) | Self::Invalid(_) | Self::Rejected { .. } => {
                Kind::Invalid
            }
            Self::Database(DatabaseError::Other { .. }) | Self::Crawl(CrawlError::Bug(_)) => Kind::Internal,
            Self::Database(_) | Self::Export(_) => Kind::Unavailable,
            Self::Crawl(CrawlError::Fetch(_)) => Kind::Invalid,
            Self::Crawl(_) => Kind::Unavailable,
        }
    }

    /// What to do about it, when there is something to say.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Conflict { hint, .. } | Self::Rejected { hint, .. } | Self::Absent { hint, .. } => {
                return Some(hint.clone());
            }
            Self::Database(error) => database_hint(error)?,
            Self::Export(crate::export::ExportError::Exists(_)) => "choose another name, or say `--replace`",
            Self::Crawl(CrawlError::Store(error)) => {
                let below = error.source.as_ref().and_then(|source| source.downcast_ref::<DatabaseError>());
                database_hint(below?)?
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
        DatabaseError::Damaged { .. } => "nothing was changed; restore a copy, or choose another file with `--db`",
        DatabaseError::Unwritable { .. } => {
            "check permissions and limits of the folder and its disk, or choose another file with `--db`"
        }
        DatabaseError::Full(_) => "nothing is lost: make room and resume the run",
        DatabaseError::Removed(_) => "put it back, or crawl again",
        DatabaseError::Locked { .. } => "end the program that holds it, and resume the run",
        DatabaseError::TooSlow { .. } => "ask for less: a narrower filter, or the order of numbers",
        DatabaseError::Conflict(message) if message.starts_with("crawl already in progress") => {
            "wait for it, or stop that process; its results can be read meanwhile"
        }
        _ => return None,
    })
}
