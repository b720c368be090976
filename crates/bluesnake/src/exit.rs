//! Exit codes.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It succeeded.
    Done = 0,
    /// It failed.
    Failed = 1,
    /// The command line or the settings are wrong.
    Usage = 2,
    /// It stopped early; the rest is pending.
    Stopped = 3,
}

impl Exit {
    /// The more severe of two: failed, then usage, then stopped, then done.
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
