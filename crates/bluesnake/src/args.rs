//! The command line as it is typed. Flags only fill a [`PlanInput`]; what they mean is decided by the engine.

use std::str::FromStr;

use anyhow::{Context, bail};
use bluesnake_engine::plan::{CheckExternal, Mechanisms, RobotsMode};
use bluesnake_engine::{CanonicalUrl, PlanInput, Preset};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// A web crawler whose results do not depend on luck.
#[derive(Debug, Parser)]
#[command(name = "bluesnake", version, max_term_width = 110)]
pub(crate) struct Arguments {
    /// Say more: -v life-cycle, -vv each URL, -vvv everything.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Crawl a site and tell where every URL ended up.
    Crawl(CrawlArguments),
}

const EXAMPLES: &str = "\
Examples:
  bluesnake crawl https://example.com
  bluesnake crawl https://example.com --max-urls 500 --exclude '/tag/' --json > visits.jsonl
  bluesnake crawl https://example.com/docs/ --preset docs
  bluesnake crawl https://staging.example.com --resolve 'staging.example.com:10.0.0.7' --auth me:secret

Exit codes: 0 complete, 1 failed, 2 wrong usage or settings, 3 stopped with URLs pending";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CrawlArguments {
    /// Where to start; https:// is added when no scheme is given.
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,

    /// Defaults for a kind of job: site, docs or graph.
    #[arg(long, value_parser = Preset::from_str, default_value = "site")]
    preset: Preset,

    /// Fetch at most N URLs in this session; the rest stays pending.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    budget: Option<u64>,
    /// Fetch at most N URLs in all.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_urls: Option<u64>,
    /// Take at most N unique pages for each URL given.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    page_limit: Option<u64>,
    /// Follow at most N links in a row.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,

    /// Count subdomains as part of the site.
    #[arg(long, help_heading = "Scope")]
    include_subdomains: bool,
    /// Visit only the URLs given, with their resources.
    #[arg(long, help_heading = "Scope")]
    single_page: bool,
    /// Fetch only URLs that match one of these patterns.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    include: Vec<String>,
    /// Never fetch URLs that match one of these patterns.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    exclude: Vec<String>,
    /// Follow links out of the site for up to N steps, 0 to 5.
    #[arg(long, value_name = "N", help_heading = "Scope")]
    external_hops: Option<u32>,
    /// Which URLs outside the site are checked: none, resources or all.
    #[arg(long, value_name = "WHICH", value_parser = CheckExternal::from_str, help_heading = "Scope")]
    check_external: Option<CheckExternal>,
    /// Where URLs are found: spider, sitemap, both or sitemap_then_spider.
    #[arg(long, value_name = "HOW", value_parser = Mechanisms::from_str, help_heading = "Scope")]
    discover: Option<Mechanisms>,
    /// Read this sitemap instead of looking for one.
    #[arg(long, value_name = "URL", help_heading = "Scope")]
    sitemap: Vec<String>,

    /// Make at most N requests at once.
    #[arg(short, long, value_name = "N", help_heading = "Politeness")]
    parallelism: Option<usize>,
    /// Ask each host at most R times a second; 0 = as fast as it answers.
    #[arg(long, value_name = "R", help_heading = "Politeness")]
    rate: Option<f64>,
    /// What robots.txt means: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Politeness")]
    robots: Option<RobotsMode>,

    /// Send this User-Agent.
    #[arg(long, value_name = "TEXT", help_heading = "Requests")]
    user_agent: Option<String>,
    /// Send this header to the hosts given.
    #[arg(long, value_name = "NAME: VALUE", help_heading = "Requests")]
    header: Vec<String>,
    /// Send this cookie to the hosts given.
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Requests")]
    cookie: Vec<String>,
    /// Authenticate at the hosts given.
    #[arg(
        long,
        value_name = "USER:PASSWORD",
        env = "BLUESNAKE_AUTH",
        hide_env_values = true,
        help_heading = "Requests"
    )]
    auth: Option<String>,
    /// Send every request through this http, https or socks5 proxy.
    #[arg(long, value_name = "URL", help_heading = "Requests")]
    proxy: Option<String>,
    /// Connect to another address; HOST may be *.example.com.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "Requests")]
    resolve: Vec<String>,
    /// Reach private and loopback addresses too; implied when a URL given names one.
    #[arg(long, help_heading = "Requests")]
    allow_private: bool,

    /// Change any setting, for example limits.url_length=4000.
    #[arg(long, value_name = "GROUP.KEY=VALUE")]
    set: Vec<String>,
    /// Print each visit as a line of JSON on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// How progress is shown on stderr; a bar on a terminal, else nothing.
    #[arg(long, value_name = "HOW")]
    pub(crate) progress: Option<ProgressMode>,
    /// Print no summary and no progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What is wrong with the command line.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// A line that moves.
    Bar,
    /// JSON lines for programs.
    Json,
    /// Nothing.
    None,
}

impl CrawlArguments {
    /// The settings that the flags ask for, over those of the preset.
    pub(crate) fn plan_input(&self) -> anyhow::Result<PlanInput> {
        let mut input = PlanInput::default();
        for setting in &self.set {
            let key = setting.split('=').next().unwrap_or_default();
            let given = set(setting).map_err(|error| Usage(format!("cannot use --set {key}: {error}")))?;
            input = given.over(input);
        }
        Ok(self.flags()?.over(input).over(PlanInput::preset(self.preset)))
    }

    fn flags(&self) -> anyhow::Result<PlanInput> {
        let mut input = PlanInput::default();
        input.limits.session_budget = self.budget;
        input.limits.max_urls = self.max_urls;
        input.limits.page_limit = self.page_limit;
        input.scope.max_depth = self.max_depth;
        input.scope.include_subdomains = self.include_subdomains.then_some(true);
        input.scope.single_page = self.single_page.then_some(true);
        input.scope.include = given(&self.include);
        input.scope.exclude = given(&self.exclude);
        input.scope.external_hops = self.external_hops;
        input.scope.check_external = self.check_external;
        input.discover.mechanisms = self.discover;
        input.discover.sitemaps = given(&self.sitemap);
        input.politeness.parallelism = self.parallelism;
        input.politeness.rate = self.rate;
        input.politeness.robots = self.robots;
        input.fetch.user_agent.clone_from(&self.user_agent);
        input.fetch.proxy.clone_from(&self.proxy);
        input.fetch.resolve = given(&self.resolve);
        input.fetch.initial_cookies = given(&self.cookie);
        input.fetch.allow_private = self.allow_private.then_some(true);
        for header in &self.header {
            let (name, value) =
                header.split_once(':').ok_or_else(|| Usage("--header takes `NAME: VALUE`, with a colon".to_owned()))?;
            let headers = input.fetch.headers.get_or_insert_default();
            headers.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        if let Some(auth) = &self.auth {
            let seeds = self.urls.iter().filter_map(|text| CanonicalUrl::from_user_input(text).ok());
            input.fetch.auth = Some(seeds.map(|seed| (seed.origin().to_owned(), auth.clone())).collect());
        }
        Ok(input)
    }
}

fn given(values: &[String]) -> Option<Vec<String>> {
    (!values.is_empty()).then(|| values.to_vec())
}

/// Reads `group.key=value`; the value is JSON, or a word.
fn set(setting: &str) -> anyhow::Result<PlanInput> {
    let (path, value) = setting.split_once('=').context("it has no `=`")?;
    let Some((group, key)) = path.split_once('.') else { bail!("the key has no group, as in limits.url_length") };
    let word = || serde_json::Value::String(value.to_owned());
    let attempt = |value: serde_json::Value| {
        let mut keys = serde_json::Map::new();
        keys.insert(key.to_owned(), value);
        let mut groups = serde_json::Map::new();
        groups.insert(group.to_owned(), keys.into());
        serde_json::from_value::<PlanInput>(groups.into())
    };
    let as_json = serde_json::from_str(value).ok().map(attempt);
    match as_json {
        Some(Ok(input)) => Ok(input),
        // `1.0` for a text, or a number where a list is wanted: the word itself may fit, else a list of it.
        _ => {
            attempt(word()).or_else(|error| attempt(serde_json::json!([value])).map_err(|_| error)).map_err(Into::into)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_setting_can_be_set() {
        assert_eq!(set("limits.url_length=4000").unwrap().limits.url_length, Some(4000));
        assert_eq!(set("politeness.robots=ignore").unwrap().politeness.robots, Some(RobotsMode::Ignore));
        assert_eq!(set("scope.exclude=/tag/").unwrap().scope.exclude, Some(vec!["/tag/".to_owned()]));
        assert!(set("limits.url_lenght=4000").is_err());
        assert!(set("nonsense").is_err());
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
