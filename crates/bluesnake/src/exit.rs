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

impl Exit {
    /// Of two ends the one that needs more attention: failed, then stopped, then done.
    pub(crate) fn worst(self, other: Self) -> Self {
        let rank = |exit: Self| match exit {
            Self::Done => 0,
            Self::Stopped => 1,
            Self::Usage => 2,
            Self::Failed => 3,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
