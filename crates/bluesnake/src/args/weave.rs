//! The flags of `weave`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use bluesnake_app::plan::{PlanInput, PlanProblems, Problem, RobotsMode};
use bluesnake_app::weave::{Neighbourhood, Selection, WeaveFile, of_use};
use bluesnake_app::{AppError, RunKind, StartMode, StartRequest};
use clap::{Args, Subcommand, ValueEnum};

use super::crawl::{SessionArguments, environment, given};
use crate::report::Usage;

const WEAVE_EXAMPLES: &str = "\
Examples:
  bluesnake weave example.com
  bluesnake weave example.com --max-depth 2 --parallelism 20
  bluesnake weave --config weave.json
  bluesnake weave other.example                     (adds a starting point to the same graph)
  bluesnake weave --retry-failed                    (hosts that could not be had)
  bluesnake weave render -o graph.svg
  bluesnake weave stats --json
  bluesnake export RUN --format gexf -o graph.gexf

There is one graph that grows: weaving again goes on with the newest one, --fresh begins another.
Each host is asked once a second, three hosts at a time, unless --rate and --parallelism say otherwise.
--config takes JSON or TOML; its keys and their defaults are in docs/guide/weave.md. Flags count more than the file.
Exit codes: 0 complete, 1 failed, 2 wrong usage or settings, 3 stopped with hosts pending";

#[derive(Debug, Args)]
#[command(after_help = WEAVE_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct WeaveArguments {
    #[command(subcommand)]
    pub(crate) command: Option<WeaveCommand>,

    /// Hosts to start from; without any the newest graph goes on.
    #[arg(value_name = "SEED")]
    seeds: Vec<String>,

    /// Begin a new graph.
    #[arg(long, help_heading = "Runs")]
    fresh: bool,
    /// Ask hosts again that could not be had: names that did not resolve, timeouts, server errors and the like.
    #[arg(long, help_heading = "Runs", conflicts_with = "fresh")]
    retry_failed: bool,
    /// Write the figures as JSON to this file when the weave ends.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    metrics: Option<PathBuf>,

    /// Visit hosts that are at most N links away from a starting point; 5 unless it is said.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,
    /// Ask for at most N pages of each host; 3 unless it is said.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_crawls_per_node: Option<u32>,
    /// Take at most N subdomains of each registrable domain, 3 unless it is said; 0 = any number.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_subdomains_per_root: Option<u32>,
    /// Take at most N hosts that a page links to, 10 unless it is said; 0 = any number.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_outbound_links: Option<u32>,

    /// Leave out this host with everything below it; `ads.*` is every subdomain whose first label is ads.
    #[arg(long, value_name = "HOST", help_heading = "Scope")]
    exclude: Vec<String>,
    /// Keep social networks, advertising and analytics.
    #[arg(long, help_heading = "Scope")]
    no_default_exclusions: bool,
    /// What robots.txt means: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Politeness")]
    robots: Option<RobotsMode>,
    /// Send this User-Agent.
    #[arg(long, value_name = "TEXT", help_heading = "Requests")]
    user_agent: Option<String>,
    /// Connect to another address; HOST may be *.example.com.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "Requests")]
    resolve: Vec<String>,
    /// Reach private and loopback addresses too, whoever links to them.
    #[arg(long, help_heading = "Requests")]
    allow_private: bool,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WeaveCommand {
    /// Draw a graph as SVG.
    Render(RenderArguments),
    /// Count a graph: hosts, links, density, degrees, components, top domains.
    Stats(StatsArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake weave render -o graph.svg
  bluesnake weave render 4 -o near.svg --root example.com --depth 2 --labels 40")]
pub(crate) struct RenderArguments {
    /// The weave by its number, or a site; without it the newest.
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The file; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a file that is there.
    #[arg(long)]
    pub(crate) replace: bool,
    /// At most N names.
    #[arg(long, value_name = "N")]
    pub(crate) labels: Option<usize>,
    /// What colours stand for.
    #[arg(long, value_name = "WHAT", default_value = "cluster")]
    pub(crate) colour: ColourName,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake weave stats
  bluesnake weave stats 4 --min-weight 2 --json")]
pub(crate) struct StatsArguments {
    /// The weave by its number, or a site; without it the newest.
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    #[command(flatten)]
    pub(crate) shown: super::Shown,
}

/// What colours stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourName {
    /// Hosts that link to each other more than to others.
    Cluster,
    /// Hosts that are connected at all.
    Component,
}

/// Which part of a graph.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Part of a graph")]
pub(crate) struct SelectionArguments {
    /// Only links of at least this weight.
    #[arg(long, value_name = "N")]
    min_weight: Option<u32>,
    /// Without hosts that have no link.
    #[arg(long)]
    remove_isolated: bool,
    /// Only this host and what can be reached from it by two links, or as many as --depth says.
    #[arg(long, value_name = "HOST")]
    root: Option<String>,
    /// With --root: by following at most N links.
    #[arg(long, value_name = "N", requires = "root")]
    depth: Option<u32>,
}

impl SelectionArguments {
    pub(crate) fn is_given(&self) -> bool {
        self.min_weight.is_some() || self.remove_isolated || self.root.is_some()
    }

    pub(crate) fn selection(&self) -> Selection {
        Selection {
            min_weight: self.min_weight.unwrap_or(0),
            around: self.root.clone().map(|root| Neighbourhood::new(root, self.depth)),
            remove_isolated: self.remove_isolated,
        }
    }
}

impl WeaveArguments {
    /// What the file says, when one is named.
    pub(crate) fn file(&self) -> anyhow::Result<WeaveFile> {
        let Some((path, text)) = self.session.config_file()? else { return Ok(WeaveFile::default()) };
        let read = WeaveFile::read(&text).map_err(|problems| {
            let told = problems.into_iter().map(|problem| {
                let hint = problem.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                Problem { field: problem.field, message: format!("{}{hint}", problem.message) }
            });
            AppError::Plan(PlanProblems(told.collect()))
        });
        read.with_context(|| format!("{} cannot be used", path.display()))
    }

    /// Where the figures go.
    pub(crate) fn metrics(&self, file: &WeaveFile) -> Option<PathBuf> {
        self.metrics.clone().or_else(|| file.metrics_path.clone())
    }

    /// What the command line and the file ask for.
    pub(crate) fn request(&self, file: &WeaveFile) -> anyhow::Result<StartRequest> {
        let urls = match self.seeds.is_empty() {
            true => file.seed_url.iter().cloned().collect(),
            false => self.seeds.clone(),
        };
        urls.iter().try_for_each(|url| check_host(url))?;
        let flags = self.flags().over(self.session.flags(&urls)?);
        Ok(StartRequest {
            // What the environment says is meant for crawls, too.
            settings: flags.over(of_use(environment()?)).over(file.settings.clone()),
            urls,
            mode: if self.fresh { StartMode::Fresh } else { StartMode::Auto },
            force: self.session.is_forced(),
            retry_failed: self.retry_failed,
            kind: Some(RunKind::Weave),
            is_operator: true,
            ..StartRequest::default()
        })
    }

    fn flags(&self) -> PlanInput {
        let mut input = PlanInput::default();
        input.weave.max_depth = self.max_depth;
        input.weave.max_crawls_per_node = self.max_crawls_per_node;
        input.weave.max_subdomains_per_root = self.max_subdomains_per_root;
        input.weave.max_outbound_links = self.max_outbound_links;
        input.weave.exclude = given(&self.exclude);
        input.weave.default_exclusions = self.no_default_exclusions.then_some(false);
        input.politeness.robots = self.robots;
        input.fetch.user_agent.clone_from(&self.user_agent);
        input.fetch.resolve = given(&self.resolve);
        input.fetch.allow_private = self.allow_private.then_some(true);
        input
    }
}

/// Whatever is a node stays one, so that mistakes are told before.
fn check_host(text: &str) -> Result<(), Usage> {
    let wrong = |hint: String| Err(Usage(format!("`{text}` is no host to start from: {hint}")));
    if !text.contains(['.', ':', '/']) && text != "localhost" {
        return wrong(
            "subcommands are `render` and `stats`; a host of one label is written as http://NAME/".to_owned(),
        );
    }
    if text.starts_with(['/', '.', '~']) || (!text.contains("://") && Path::new(text).is_file()) {
        let way_out = format!("a file with settings is given as --config {text}, a host as https://{text}");
        return wrong(format!("it names a file: {way_out}"));
    }
    Ok(())
}
