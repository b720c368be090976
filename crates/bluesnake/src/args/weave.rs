//! The flags of `weave`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use bluesnake_app::plan::{RobotsMode, WeaveInput};
use bluesnake_app::weave::{ColourBy, Selection, WeaveFile, selection};
use bluesnake_app::{AppError, StartMode, WeaveRequest};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Args, Subcommand};

use super::browser::WeaveBrowserArguments;
use super::one_of;
use super::session::{SessionArguments, given};
use crate::report::Usage;

const WEAVE_EXAMPLES: &str = "\
Examples:
  bluesnake weave example.com
  bluesnake weave example.com --max-depth 2 --parallelism 20
  bluesnake weave --config weave.json
  bluesnake weave other.example                     (adds a seed to the same graph)
  bluesnake weave --retry-failed                    (hosts that failed)
  bluesnake weave render -o graph.svg
  bluesnake weave stats --json
  bluesnake export RUN --format gexf -o graph.gexf

There is one graph that grows: weaving again continues the newest one, --fresh starts another.
--config takes JSON or TOML; docs/guide/weave.md lists its keys. Flags override the file.
Exit codes: 0 complete, 1 failed, 2 invalid usage or settings, 3 stopped with hosts pending";

#[derive(Debug, Args)]
#[command(after_help = WEAVE_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct WeaveArguments {
    #[command(subcommand)]
    pub(crate) command: Option<WeaveCommand>,

    /// Hosts to start from; without any, the newest graph continues.
    #[arg(value_name = "SEED")]
    seeds: Vec<String>,

    /// Start a new graph.
    #[arg(long, help_heading = "Runs")]
    fresh: bool,
    /// Retry hosts that failed: names that did not resolve, timeouts, server errors and the like.
    #[arg(long, help_heading = "Runs", conflicts_with = "fresh")]
    retry_failed: bool,
    /// Write metrics as JSON to this file when the weave ends.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    metrics: Option<PathBuf>,

    /// Visit hosts that are at most N links away from a seed.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,
    /// Request at most N pages from each host.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_crawls_per_node: Option<u32>,
    /// Include at most N subdomains of each registrable domain; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_subdomains_per_root: Option<u32>,
    /// Include at most N hosts that a page links to; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_outbound_links: Option<u32>,

    /// Leave out this host and everything below it; `ads.*` is every subdomain whose first label is ads.
    #[arg(long, value_name = "HOST", help_heading = "Scope")]
    exclude: Vec<String>,
    /// Include social networks, advertising and analytics.
    #[arg(long, help_heading = "Scope")]
    no_default_exclusions: bool,
    /// What to do about robots.txt: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Politeness")]
    robots: Option<RobotsMode>,
    /// Send this User-Agent.
    #[arg(long, value_name = "TEXT", help_heading = "Requests")]
    user_agent: Option<String>,
    /// Connect to this address instead; HOST may be *.example.com.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "Requests")]
    resolve: Vec<String>,
    /// Allow private and loopback addresses, from any page that links to them.
    #[arg(long, help_heading = "Requests")]
    allow_private: bool,

    #[command(flatten)]
    browser: WeaveBrowserArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WeaveCommand {
    /// Draw a graph as SVG.
    Render(RenderArguments),
    /// Print statistics of a graph: hosts, links, density, degrees, components, top domains.
    Stats(StatsArguments),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake weave render -o graph.svg
  bluesnake weave render 4 -o near.svg --root example.com --depth 2 --labels 40")]
pub(crate) struct RenderArguments {
    /// Run number of the weave, or a site [default: the newest weave].
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Output file; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    pub(crate) replace: bool,
    /// Label at most N hosts.
    #[arg(long, value_name = "N")]
    pub(crate) labels: Option<usize>,
    /// Meaning of colours.
    #[arg(long, value_name = "WHAT", value_parser = colours(), default_value = "cluster")]
    pub(crate) colour: ColourBy,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake weave stats
  bluesnake weave stats 4 --min-weight 2 --json")]
pub(crate) struct StatsArguments {
    /// Run number of the weave, or a site [default: the newest weave].
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    #[command(flatten)]
    pub(crate) shown: super::Shown,
}

fn colours() -> impl TypedValueParser<Value = ColourBy> {
    one_of([
        (ColourBy::Cluster, PossibleValue::new("cluster").help("Hosts that link to each other more than to others")),
        (ColourBy::Component, PossibleValue::new("component").help("Hosts that are connected")),
    ])
}

/// Selects a subgraph.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Part of a graph")]
pub(crate) struct SelectionArguments {
    /// Only links of at least this weight.
    #[arg(long, value_name = "N")]
    min_weight: Option<u32>,
    /// Omit hosts without links.
    #[arg(long)]
    remove_isolated: bool,
    /// Only this host and what it reaches within --depth links.
    #[arg(long, value_name = "HOST")]
    root: Option<String>,
    /// With --root: follow at most N links [default: 2].
    #[arg(long, value_name = "N", requires = "root")]
    depth: Option<u32>,
}

impl SelectionArguments {
    pub(crate) fn selection(&self) -> Selection {
        selection(self.min_weight, self.root.clone(), self.depth, self.remove_isolated)
    }
}

impl WeaveArguments {
    /// The settings file, if one is named.
    pub(crate) fn file(&self) -> anyhow::Result<WeaveFile> {
        let Some((path, text)) = self.session.config_file()? else { return Ok(WeaveFile::default()) };
        WeaveFile::read(&text).map_err(AppError::from).with_context(|| format!("cannot use {}", path.display()))
    }

    /// Where the metrics go.
    pub(crate) fn metrics(&self, file: &WeaveFile) -> Option<PathBuf> {
        self.metrics.clone().or_else(|| file.metrics_path.clone())
    }

    /// The request of the command line and the file.
    pub(crate) fn request(&self, file: &WeaveFile) -> anyhow::Result<WeaveRequest> {
        let urls = match self.seeds.is_empty() {
            true => file.seed_url.iter().cloned().collect(),
            false => self.seeds.clone(),
        };
        urls.iter().try_for_each(|url| check_host(url))?;
        Ok(WeaveRequest {
            settings: self.session.over_file(self.flags(), &urls, file.settings.clone())?,
            urls,
            mode: if self.fresh { StartMode::Fresh } else { StartMode::Auto },
            force: self.session.force,
            retry_failed: self.retry_failed,
        })
    }

    fn flags(&self) -> WeaveInput {
        let mut input = WeaveInput { render: self.browser.input(), ..WeaveInput::default() };
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

/// Nodes of a graph cannot be removed, so mistakes are reported first.
fn check_host(text: &str) -> Result<(), Usage> {
    let wrong = |hint: String| Err(Usage(format!("`{text}` is not a host to start from: {hint}")));
    if !text.contains(['.', ':', '/']) && text != "localhost" {
        return wrong("subcommands are `render` and `stats`; write a single-label host as http://NAME/".to_owned());
    }
    if text.starts_with(['/', '.', '~']) || (!text.contains("://") && Path::new(text).is_file()) {
        let way_out = format!("use --config {text} for a settings file, or https://{text} for a host");
        return wrong(format!("it is a file: {way_out}"));
    }
    Ok(())
}
