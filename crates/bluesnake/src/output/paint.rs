//! Colours, on a terminal only and unless NO_COLOR is set.

use std::fmt::Display;
use std::io::IsTerminal;

/// Colours text, or leaves it unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    /// For stdout.
    pub(crate) fn stdout() -> Self {
        Self { is_on: std::io::stdout().is_terminal() && Self::is_wanted() }
    }

    /// Whether stderr is coloured.
    pub(crate) fn is_on_stderr() -> bool {
        std::io::stderr().is_terminal() && Self::is_wanted()
    }

    fn is_wanted() -> bool {
        std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    pub(crate) fn bold(self, text: impl Display) -> String {
        self.with("1", text)
    }

    pub(crate) fn dim(self, text: impl Display) -> String {
        self.with("2", text)
    }

    pub(crate) fn red(self, text: impl Display) -> String {
        self.with("31", text)
    }

    pub(crate) fn green(self, text: impl Display) -> String {
        self.with("32", text)
    }

    pub(crate) fn yellow(self, text: impl Display) -> String {
        self.with("33", text)
    }

    fn with(self, code: &str, text: impl Display) -> String {
        if self.is_on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}
