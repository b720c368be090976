//! The flags of `issues`, `checks`, `compare` and `report`.

use std::path::PathBuf;

use bluesnake_app::compare::Class;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};

use super::condition::{Condition, FailOnArguments};
use super::{Shown, one_of};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake issues example.com
  bluesnake issues latest --priority high
  bluesnake issues 3 --check internal-client-error
  bluesnake issues 3 --check internal-client-error | bluesnake crawl --urls -     check these URLs again
  bluesnake issues 3 --set audit.title_max=70
  bluesnake issues 3 --format junit > junit.xml
  bluesnake issues 3 --fail-on high --fail-on broken-fragment

--set checks a completed run again with other thresholds, without fetching anything, and stores the result.
Exit codes: 0 done, 4 a --fail-on condition holds")]
pub(crate) struct IssuesArguments {
    /// Run number, a site for its newest run, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// List every URL that this check found, one per line, with details after a tab.
    #[arg(long, value_name = "ID", conflicts_with_all = ["priority", "kind", "all"])]
    pub(crate) check: Option<String>,
    /// Only checks of this priority.
    #[arg(long, value_name = "PRIORITY")]
    pub(crate) priority: Option<PriorityWord>,
    /// Only checks of this type.
    #[arg(long, value_name = "TYPE")]
    pub(crate) kind: Option<KindWord>,
    /// Show checks without findings too, and those that were not made.
    #[arg(long)]
    pub(crate) all: bool,
    /// Check again with another threshold; repeatable.
    #[arg(long, value_name = "audit.KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json")]
    pub(crate) format: IssuesFormat,
    #[command(flatten)]
    pub(crate) fail_on: FailOnArguments,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Output of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IssuesFormat {
    /// For people.
    Text,
    /// JSON.
    Json,
    /// JUnit XML: a test case per check; those that --fail-on names fail, or without it those of type issue.
    Junit,
    /// GitHub annotations, one per check.
    Github,
}

/// The words of a setting of checks.
macro_rules! words {
    ($name:ident { $( $(#[$doc:meta])* $variant:ident = $word:literal, )* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $( $(#[$doc])* $variant, )* }

        impl $name {
            pub(crate) fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }
    };
}

words! { PriorityWord {
    /// Do first.
    High = "high",
    /// Do next.
    Medium = "medium",
    /// Do last.
    Low = "low",
} }

words! { KindWord {
    /// An error.
    Issue = "issue",
    /// May be intended.
    Warning = "warning",
    /// Could be better.
    Opportunity = "opportunity",
} }

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake checks
  bluesnake checks near-duplicate
  bluesnake checks --json | jq -r '.[] | select(.priority == \"high\") | .id'

Switch checks off with the setting audit.off, for example: bluesnake config set example.com audit.off=url-underscores")]
pub(crate) struct ChecksArguments {
    /// Explain this check.
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake compare example.com                    the newest run and the one before
  bluesnake compare 3 5
  bluesnake compare 3 5 --class gone               list the URLs that are gone
  bluesnake compare 3 5 -o changes.csv
  bluesnake compare 3 5 --fail-on new --fail-on gone

Exit codes: 0 done, 4 a --fail-on condition holds")]
pub(crate) struct CompareArguments {
    /// The run before: its number, or a site for its newest run.
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The run after; if omitted, A is the run after, and it is compared with the completed run before it.
    #[arg(value_name = "B")]
    pub(crate) b: Option<String>,
    /// List the URLs of this class only.
    #[arg(long, value_name = "CLASS", value_parser = classes())]
    pub(crate) class: Option<Class>,
    /// List the URLs on which this check found something in either run.
    #[arg(long, value_name = "ID")]
    pub(crate) check: Option<String>,
    /// Write every difference to this file, as CSV, JSON lines, Parquet or Excel by its extension; `-` is CSV on
    /// standard output.
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "output")]
    pub(crate) replace: bool,
    /// Exit with code 4 if there are such differences: new for new findings, new:WHAT for new findings of a check,
    /// priority or type; appeared, gone, not-visited or changed for URLs.
    #[arg(long = "fail-on", value_name = "WHAT", value_parser = difference, help_heading = "Conditions")]
    pub(crate) fail_on: Vec<Difference>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// A difference that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Difference {
    /// New findings.
    Findings(Condition),
    /// URLs of this class.
    Urls(Class),
}

fn difference(text: &str) -> Result<Difference, String> {
    let class = Class::ALL.into_iter().find(|class| *class != Class::Same && word_of(*class) == text);
    match class {
        Some(class) => Ok(Difference::Urls(class)),
        // Only new findings are differences.
        None => text.parse().map(|condition: Condition| Difference::Findings(condition.if_new())),
    }
}

/// The name of a class on the command line.
pub(crate) fn word_of(class: Class) -> &'static str {
    match class {
        Class::NotVisited => "not-visited",
        Class::NotVisitedBefore => "not-visited-before",
        class => class.as_str(),
    }
}

fn classes() -> impl TypedValueParser<Value = Class> {
    one_of(Class::ALL.map(|class| (class, PossibleValue::new(word_of(class)))))
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake report example.com -o report.html
  bluesnake report 5 --against 3 -o report.html

The report is one file without scripts; it opens in any browser, on a phone too, and prints well.")]
pub(crate) struct ReportArguments {
    /// Run number, a site for its newest run, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Also report what changed since this run.
    #[arg(long, value_name = "RUN")]
    pub(crate) against: Option<String>,
    /// Output file; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) replace: bool,
}
