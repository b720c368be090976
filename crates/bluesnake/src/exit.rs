//! What the exit code says.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done = 0,
    /// It could not.
    Failed = 1,
    /// The command line or the settings are wrong.
    Usage = 2,
    /// It stopped before its end; what is left is pending.
    Stopped = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
