//! The conditions of `--fail-on`.

use std::fmt;
use std::str::FromStr;

use bluesnake_app::compare::CheckChange;
use bluesnake_app::view::{CheckText, CheckView};
use bluesnake_app::{check, depends_on_time};
use clap::Args;

const PRIORITIES: [&str; 3] = ["high", "medium", "low"];
const KINDS: [&str; 2] = ["issue", "warning"];

/// `--fail-on` of commands that know the findings of a run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FailOnArguments {
    /// Exit with code 4 on matching findings: a check id, a minimum priority (high, medium, low) or type (issue,
    /// warning); `new`, or `new:` plus any of these, for findings the previous completed run did not have.
    #[arg(long = "fail-on", value_name = "WHAT", value_parser = Condition::from_str, help_heading = "Conditions")]
    pub(crate) conditions: Vec<Condition>,
}

/// Which findings are not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// Only those that the run before does not have.
    pub(crate) is_new: bool,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Anything,
    Check(&'static str),
    /// This priority or a higher one, by its place in [`PRIORITIES`].
    Priority(usize),
    /// This kind or a more certain one, by its place in [`KINDS`].
    Kind(usize),
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "new" | "new-issues" => Ok(Self { is_new: true, what: What::Anything }),
            text => {
                let (is_new, word) = text.strip_prefix("new:").map_or((false, text), |word| (true, word));
                Ok(Self { is_new, what: What::of(word)? })
            }
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match &self.what {
            What::Anything => return f.write_str("new"),
            What::Check(id) => id,
            What::Priority(at) => PRIORITIES[*at],
            What::Kind(at) => KINDS[*at],
        };
        write!(f, "{}{word}", if self.is_new { "new:" } else { "" })
    }
}

impl Condition {
    /// The same for new findings.
    pub(crate) fn if_new(self) -> Self {
        Self { is_new: true, ..self }
    }

    /// Whether it is about the findings of this check.
    pub(crate) fn covers(&self, check: &CheckView) -> bool {
        self.what.covers(check.id, check.priority, check.kind)
    }

    /// The same for a check of a comparison.
    pub(crate) fn covers_change(&self, check: &CheckChange) -> bool {
        self.what.covers(check.id, check.priority, check.kind)
    }
}

impl What {
    fn of(word: &str) -> Result<Self, String> {
        let place = |words: &[&str]| words.iter().position(|known| *known == word);
        if let Some(at) = place(&PRIORITIES) {
            return Ok(Self::Priority(at));
        }
        if let Some(at) = place(&KINDS) {
            return Ok(Self::Kind(at));
        }
        known_check(word).map(|check| Self::Check(check.id))
    }

    fn covers(&self, id: &str, priority: &str, kind: &str) -> bool {
        let is_within = |words: &[&str], at: usize, word: &str| words[..=at].contains(&word);
        match self {
            Self::Check(check) => *check == id,
            // A condition on all findings would make equal runs differ.
            _ if depends_on_time(id) => false,
            Self::Anything => true,
            Self::Priority(at) => is_within(&PRIORITIES, *at, priority),
            Self::Kind(at) => is_within(&KINDS, *at, kind),
        }
    }
}

/// The check of this id.
pub(crate) fn known_check(id: &str) -> Result<CheckText, String> {
    check(id).map_err(|error| match error.hint() {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(condition: &str, id: &str, priority: &str, kind: &str) -> bool {
        condition.parse::<Condition>().unwrap().what.covers(id, priority, kind)
    }

    #[test]
    fn a_priority_includes_higher_ones_and_a_kind_more_certain_ones() {
        assert!(covers("medium", "x", "high", "issue") && covers("medium", "x", "medium", "issue"));
        assert!(!covers("medium", "x", "low", "issue"));
        assert!(covers("warning", "x", "low", "issue") && !covers("issue", "x", "low", "warning"));
        assert!(!covers("warning", "x", "high", "opportunity"));
    }

    #[test]
    fn time_fails_no_build_unless_asked_for() {
        assert!(!covers("low", "slow-response", "low", "warning") && !covers("new", "slow-response", "low", "warning"));
        assert!(covers("slow-response", "slow-response", "low", "warning"));
    }

    #[test]
    fn conditions_are_written_as_they_are_read() {
        for text in ["high", "issue", "new", "new:high", "internal-client-error", "new:internal-client-error"] {
            assert_eq!(text.parse::<Condition>().unwrap().to_string(), text);
        }
        let wrong = "internal-client-eror".parse::<Condition>().unwrap_err();
        assert_eq!(wrong, "no check `internal-client-eror`; did you mean `internal-client-error`?");
    }
}
