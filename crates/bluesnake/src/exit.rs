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
    /// It succeeded, but a condition of `--fail-on` holds.
    Unacceptable = 4,
}

impl Exit {
    /// The more severe of two: failed, then usage, then stopped, then unacceptable, then done.
    pub(crate) fn worst(self, other: Self) -> Self {
        let rank = |exit: Self| match exit {
            Self::Done => 0,
            Self::Unacceptable => 1,
            Self::Stopped => 2,
            Self::Usage => 3,
            Self::Failed => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
