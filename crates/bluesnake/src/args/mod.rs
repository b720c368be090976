//! The command line. Flags only fill a request; the app and the engine decide what they mean.

mod browser;
mod capture;
mod condition;
mod crawl;
mod findings;
mod page;
mod serve;
mod session;
mod urls;
mod weave;

use std::path::PathBuf;

use bluesnake_app::export::{ExportFormat, FORMATS};
use bluesnake_app::{Groups, JOBS, RunKind, Table, default_settings};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand};

pub(crate) use self::capture::{CaptureArguments, ErrorsArguments, SearchArguments};
pub(crate) use self::condition::{Condition, known_check};
pub(crate) use self::crawl::{CrawlArguments, ResumeArguments};
pub(crate) use self::findings::{
    ChecksArguments, CompareArguments, Difference, IssuesArguments, IssuesFormat, ReportArguments, word_of,
};
pub(crate) use self::page::{PageArguments, PageFormat};
pub(crate) use self::serve::{LogFormat, McpArguments, ServeArguments};
pub(crate) use self::session::{ProgressMode, SessionArguments, environment};
pub(crate) use self::urls::UrlsArguments;
pub(crate) use self::weave::{RenderArguments, SelectionArguments, StatsArguments, WeaveArguments, WeaveCommand};

const AFTER_HELP: &str = "\
A first crawl:
  bluesnake crawl https://example.com

Results are stored in one SQLite file, ~/.bluesnake/bluesnake.db; change that with --db or BLUESNAKE_HOME.
Exit codes: 0 done, 1 failed, 2 usage or settings error, 3 stopped and resumable, 4 a --fail-on condition holds";

/// A deterministic web crawler: same site, same settings, same results.
#[derive(Debug, Parser)]
#[command(name = "bluesnake", version, max_term_width = 110, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Log more: -v sessions, -vv each URL, -vvv everything.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,

    /// Database file [default: bluesnake.db in BLUESNAKE_HOME or ~/.bluesnake].
    #[arg(long, value_name = "PATH", env = "BLUESNAKE_DB", global = true)]
    pub(crate) db: Option<PathBuf>,

    /// Show values of secret-looking URL parameters (token, key, password …) instead of `***`; logs stay masked.
    #[arg(long, global = true)]
    pub(crate) show_secrets: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Crawl a site and store every URL, page and link.
    Crawl(Box<CrawlArguments>),
    /// Capture a documentation site as clean Markdown.
    Capture(Box<CaptureArguments>),
    /// Build, rank and draw the graph of which hosts link to which.
    Weave(Box<WeaveArguments>),
    /// Resume a run paused by a budget, Ctrl-C, an error or a crash.
    Resume(Box<ResumeArguments>),
    /// Show what is wrong with a site: the findings of a run, most important first.
    Issues(Box<IssuesArguments>),
    /// List the URLs of a run, filtered and sorted, or write them to a file.
    Urls(Box<UrlsArguments>),
    /// List all checks, or explain one.
    Checks(ChecksArguments),
    /// Show what changed between two runs.
    Compare(Box<CompareArguments>),
    /// Write a run as one HTML file to send.
    Report(ReportArguments),
    /// List, show and delete crawled sites.
    #[command(subcommand)]
    Projects(ProjectsCommand),
    /// List, show and delete runs: logical crawls of a site in one or more sessions.
    #[command(subcommand)]
    Runs(RunsCommand),
    /// Sessions: one sitting of a run each.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Show where every URL of a run ended up, and why.
    Receipt(RunArgument),
    /// Show links on a page, and links to it.
    Links(LinksArguments),
    /// Print one page as clean Markdown, text, HTML or JSON.
    Page(Box<PageArguments>),
    /// Search captured documentation by section.
    Search(SearchArguments),
    /// List the pages that captures could not fetch, and why.
    Errors(ErrorsArguments),
    /// Query the database with one read-only SELECT.
    Sql(SqlArguments),
    /// Export a run as CSV, JSON lines, Parquet, Excel, sitemap, WARC or a graph format.
    Export(Box<ExportArguments>),
    /// Copy everything readable from a damaged database into a new file.
    Repair(RepairArguments),
    /// Show and change the settings of a project.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Start the REST API with live events.
    Serve(Box<ServeArguments>),
    /// Serve language models over the Model Context Protocol, on standard input and output.
    Mcp(McpArguments),
    /// Print shell completions.
    #[command(after_help = "Example:\n  bluesnake completions bash > /etc/bash_completion.d/bluesnake")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages.
    #[command(after_help = "Example:\n  bluesnake man ~/.local/share/man/man1")]
    Man {
        /// Output folder.
        folder: PathBuf,
    },
}

/// Output format of commands that show something.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Shown {
    /// Print JSON instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgument {
    /// Run number, a site for its newest run, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectsCommand {
    /// List all projects with their latest runs.
    List(Shown),
    /// Show a project with its queue.
    Show {
        /// Site by host, URL or number.
        #[arg(value_name = "PROJECT")]
        project: String,
        /// Write the site's favicon to this file; fetched once, then stored.
        #[arg(long, value_name = "FILE")]
        favicon: Option<PathBuf>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Delete a project with all its results.
    Delete {
        /// Site by host, URL or number.
        #[arg(value_name = "PROJECT")]
        project: String,
        /// Do not ask for confirmation.
        #[arg(short, long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List all runs, newest first.
    List {
        /// Only of this site.
        #[arg(value_name = "PROJECT")]
        project: Option<String>,
        /// Only runs of this job.
        #[arg(long, value_parser = jobs())]
        job: Option<RunKind>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Show a run with its sessions and settings.
    Show(RunArgument),
    /// Delete a run with all its results.
    Delete {
        /// Run number.
        run: i64,
        /// Do not ask for confirmation.
        #[arg(short, long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, oldest first.
    List {
        /// Only of this site.
        #[arg(value_name = "PROJECT")]
        project: Option<String>,
        #[command(flatten)]
        shown: Shown,
    },
    /// Show a session.
    Show {
        /// The session by its number.
        session: i64,
        #[command(flatten)]
        shown: Shown,
    },
    /// Delete a session that is the only one of its run, with all its results.
    Delete {
        /// The session by its number.
        session: i64,
        /// Do not ask for confirmation.
        #[arg(short, long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake links example.com https://example.com/pricing
  bluesnake links 3 /pricing --inlinks --json")]
pub(crate) struct LinksArguments {
    /// Run number, a site for its newest run, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// URL of the page, or its path on the site.
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Only links to the page.
    #[arg(long, conflicts_with = "outlinks")]
    pub(crate) inlinks: bool,
    /// Only links on the page.
    #[arg(long)]
    pub(crate) outlinks: bool,
    /// Show at most N links per direction.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake sql 'SELECT status, count(*) FROM discovered_urls WHERE run_id = 3 GROUP BY status'
  bluesnake sql \"SELECT url, title FROM discovered_urls WHERE title LIKE '%draft%'\" --json

docs/database.md describes tables and views; `SELECT name, sql FROM sqlite_schema` lists them.")]
pub(crate) struct SqlArguments {
    /// One SELECT; `-` reads it from standard input.
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) query: String,
    /// Return at most N rows.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
    /// Stop the query after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    pub(crate) timeout: f64,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake export example.com --table pages --format xlsx -o pages.xlsx
  bluesnake export 3 --table links --format parquet -o links.parquet
  bluesnake export 3 --format csv -o - | head
  bluesnake export 3 --format sitemap -o sitemap.xml
  bluesnake export 3 --format warc -o site.warc.gz        (after a crawl with --store-bodies)
  bluesnake export 4 --table nodes -o nodes.csv           (weave: hosts with their ranks)
  bluesnake export 4 --format gexf -o graph.gexf --min-weight 2
  bluesnake export 4 --format common-crawl -o FOLDER

Rows are in number order; equal runs produce equal files, unless --times is given.
In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe; --raw leaves it unchanged.
Values of secret-looking URL parameters are masked as ***; --show-secrets writes them.")]
pub(crate) struct ExportArguments {
    /// Run number, a site for its newest run, or `latest`.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Table to export; nodes and edges are for weaves.
    #[arg(long, value_name = "TABLE", value_parser = tables())]
    pub(crate) table: Option<Table>,
    /// File format [default: inferred from the file extension].
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: Option<ExportFormat>,
    /// Output file; `-` is standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,
    /// Only these columns, in this order.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) columns: Vec<String>,
    /// Add columns with fetch time, duration and session.
    #[arg(long)]
    pub(crate) times: bool,
    /// Do not escape spreadsheet formulas in CSV.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Base URL of the parts of a split sitemap [default: the site's root].
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake repair -o repaired.db
  bluesnake repair --db damaged.db -o repaired.db --json

The damaged file (--db) is only read. Everything readable is copied, table by table, and losses are listed.
Runs that lost rows keep their remaining results and cannot be resumed.")]
pub(crate) struct RepairArguments {
    /// New database; must not exist.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Parses one of these words.
fn one_of<T>(words: impl IntoIterator<Item = (T, PossibleValue)>) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let words: Vec<_> = words.into_iter().collect();
    PossibleValuesParser::new(words.iter().map(|(_, word)| word.clone())).map(move |given| {
        let found = words.iter().find(|(_, word)| word.matches(&given, false));
        found.expect("clap accepts only these words").0.clone()
    })
}

fn tables() -> impl TypedValueParser<Value = Table> {
    one_of(Table::ALL.iter().map(|table| (*table, PossibleValue::new(table.as_str()))))
}

/// Pages of captures are written by `capture --run`.
fn formats() -> impl TypedValueParser<Value = ExportFormat> {
    let formats = FORMATS.into_iter().filter(|(format, ..)| !matches!(format, ExportFormat::Pages(_)));
    one_of(formats.map(|(format, _, word, help)| (format, PossibleValue::new(word).help(help))))
}

fn jobs() -> impl TypedValueParser<Value = RunKind> {
    one_of([
        (RunKind::Crawl, PossibleValue::new("crawl").alias("audit").help("Audit a site")),
        (RunKind::Capture, PossibleValue::new("capture").help("Capture documentation")),
        (RunKind::Weave, PossibleValue::new("weave").help("Weave a graph of hosts")),
    ])
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print one setting of a project, or its default.
    #[command(after_help = "Example:\n  bluesnake config get example.com politeness.rate")]
    Get {
        /// Site by host, URL or number.
        #[arg(value_name = "PROJECT")]
        project: String,
        /// Setting.
        #[arg(value_name = "GROUP.KEY")]
        key: String,
    },
    /// Save settings for a project. Every later run of any job uses those it has.
    #[command(after_help = "Examples:
  bluesnake config set example.com politeness.rate=2 scope.include_subdomains=true
  bluesnake config set example.com --incremental true limits.session_budget=500")]
    Set {
        /// Site by host or URL; created if it does not exist.
        #[arg(value_name = "PROJECT")]
        project: String,
        /// Settings to save.
        #[arg(value_name = "GROUP.KEY=VALUE")]
        settings: Vec<String>,
        /// Whether a new crawl of the site resumes a paused run.
        #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set)]
        incremental: Option<bool>,
    },
    /// Remove a saved setting; the default applies again.
    Unset {
        /// Site by host, URL or number.
        #[arg(value_name = "PROJECT")]
        project: String,
        /// Setting.
        #[arg(value_name = "GROUP.KEY")]
        key: String,
    },
    /// Print settings that differ from the defaults, and where each comes from.
    Show {
        /// The site by host, URL or number; without it, no saved settings.
        #[arg(value_name = "PROJECT")]
        project: Option<String>,
        /// Print every setting of the job, defaults included.
        #[arg(long)]
        all: bool,
        /// The job.
        #[arg(long, value_parser = jobs(), default_value = "crawl")]
        job: RunKind,
        #[command(flatten)]
        shown: Shown,
    },
    /// Write a settings file with every setting of a job, its default and its meaning, for `--config`.
    Init {
        /// Output file; `-` is standard output.
        #[arg(value_name = "FILE", default_value = "bluesnake.toml")]
        file: PathBuf,
        /// The job.
        #[arg(long, value_parser = jobs(), default_value = "crawl")]
        job: RunKind,
    },
    /// Print the JSON Schema of the request that starts a job, with the help and the default of every setting.
    #[command(after_help = "Example:\n  bluesnake config schema weave | jq '.properties.settings.properties.weave'")]
    Schema {
        /// The job.
        #[arg(value_name = "JOB", value_parser = jobs(), default_value = "crawl")]
        job: RunKind,
    },
}

/// The command line with the defaults of settings in the help of their flags.
pub(crate) fn command() -> clap::Command {
    let command = JOBS.into_iter().fold(Arguments::command(), |command, job| {
        let defaults = default_settings(job);
        command.mut_subcommand(job.as_str(), |command| command.mut_args(|arg| with_default(arg, &defaults)))
    });
    with_negative_numbers(command)
}

/// Makes `--rate -1` an invalid value instead of an unknown flag.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let is_option = |arg: &clap::Arg| arg.get_long().is_some() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(with_negative_numbers)
}

/// Flags whose settings have defaults. A default of clap's own would override file and environment.
const SETTINGS_OF_FLAGS: [(&str, &str, &str); 16] = [
    ("max_urls", "scope", "max_urls"),
    ("page_limit", "scope", "page_limit"),
    ("max_depth", "scope", "max_depth"),
    ("max_depth", "weave", "max_depth"),
    ("external_hops", "scope", "external_hops"),
    ("paths", "scope", "paths"),
    ("check_external", "resources", "check_external"),
    ("discover", "discover", "mechanisms"),
    ("robots", "politeness", "robots"),
    ("user_agent", "fetch", "user_agent"),
    ("budget", "limits", "session_budget"),
    ("parallelism", "politeness", "parallelism"),
    ("rate", "politeness", "rate"),
    ("max_crawls_per_node", "weave", "max_crawls_per_node"),
    ("max_subdomains_per_root", "weave", "max_subdomains_per_root"),
    ("max_outbound_links", "weave", "max_outbound_links"),
];

fn with_default(arg: clap::Arg, defaults: &Groups) -> clap::Arg {
    let settings = SETTINGS_OF_FLAGS.iter().filter(|(flag, ..)| arg.get_id() == flag);
    let mut found = settings.filter_map(|(_, group, key)| defaults.get(*group)?.get(key));
    let default = match found.next() {
        Some(serde_json::Value::String(word)) => word.clone(),
        Some(value) => value.to_string(),
        None => return arg,
    };
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help} [default: {default}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_shows_the_default_of_the_job() {
        let help = |job: &str| {
            let mut command = command();
            let help = command.find_subcommand_mut(job).unwrap().render_long_help().to_string();
            help.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for (job, expected) in [
            (
                "crawl",
                "--rate <R> Send each host at most R requests per second; 0 = as fast as it responds [default: 10.0]",
            ),
            ("capture", "0 = as fast as it responds [default: 5.0]"),
            ("weave", "0 = as fast as it responds [default: 1.0]"),
            ("weave", "Visit hosts that are at most N links away from a seed [default: 5]"),
        ] {
            assert!(help(job).contains(expected), "{job}: {}", help(job));
        }
        for (flag, ..) in SETTINGS_OF_FLAGS {
            let command = command();
            let has_flag =
                |name: &str| command.find_subcommand(name).unwrap().get_arguments().any(|arg| arg.get_id() == flag);
            assert!(["crawl", "capture", "weave"].into_iter().any(has_flag), "{flag}");
        }
    }
}
