//! The flags of `crawl` and `resume`. They fill settings and say what to do with an open run.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use bluesnake_app::plan::{CheckExternal, Mechanisms, PlanInput, Preset, RobotsMode};
use bluesnake_app::{StartMode, StartRequest, assignment, env_settings, file_settings};
use clap::{Args, ValueEnum};

use crate::report::Usage;

const CRAWL_EXAMPLES: &str = "\
Examples:
  bluesnake crawl https://example.com
  bluesnake crawl https://example.com --budget 500            then: bluesnake resume example.com
  bluesnake crawl https://example.com --max-urls 500 --exclude '/tag/' --json > visits.jsonl
  bluesnake crawl https://example.com/docs/ --preset docs --store-bodies
  bluesnake crawl a.example b.example c.example --separate
  bluesnake crawl --urls sites.txt --separate
  bluesnake crawl https://staging.example.com --resolve 'staging.example.com:10.0.0.7' --auth me:secret

Every setting has a flag or can be changed with --set; docs/settings.md lists them.
Exit codes: 0 complete, 1 failed, 2 wrong usage or settings, 3 stopped with URLs pending";

const RESUME_EXAMPLES: &str = "\
Examples:
  bluesnake resume example.com
  bluesnake resume 3 --budget 500 --parallelism 10

A run goes on with the settings it was started with; its pace and its budget may change. Passwords, headers and
cookies are never stored: give them again.";

#[derive(Debug, Args)]
#[command(after_help = CRAWL_EXAMPLES)]
pub(crate) struct CrawlArguments {
    /// Where to start; https:// is added when no scheme is given. The first host names the project.
    #[arg(required_unless_present = "urls_file", value_name = "URL")]
    urls: Vec<String>,
    /// Read more URLs to start from in this file, one per line; `-` reads standard input.
    #[arg(long = "urls", id = "urls_file", value_name = "FILE")]
    urls_file: Option<PathBuf>,

    /// Defaults for a kind of job: site, docs or graph.
    #[arg(long, value_parser = Preset::from_str, default_value = "site")]
    preset: Preset,

    /// Go on with a paused run of this site, if there is one; such a run is also resumed by a plain crawl.
    #[arg(long, help_heading = "Runs", conflicts_with = "fresh")]
    incremental: bool,
    /// Go on with the paused run of this site; an error when there is none.
    #[arg(long, help_heading = "Runs", conflicts_with = "fresh")]
    resume: bool,
    /// Start a new run, whatever was left of an earlier one.
    #[arg(long, help_heading = "Runs")]
    fresh: bool,
    /// Crawl each URL as a project of its own, two at a time.
    #[arg(long, help_heading = "Runs", conflicts_with_all = ["resume"])]
    pub(crate) separate: bool,
    /// With --separate: crawl at most N sites at a time; 0 = all of them.
    #[arg(long, value_name = "N", help_heading = "Runs", default_value_t = 2)]
    pub(crate) max_sessions: usize,

    /// Fetch at most N URLs in all; the rest is refused.
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
    /// Where URLs are found: spider, sitemap, both (also spider,sitemap) or sitemap_then_spider.
    #[arg(long, value_name = "HOW", value_parser = mechanisms, help_heading = "Scope")]
    discover: Option<Mechanisms>,
    /// Read this sitemap instead of looking for one.
    #[arg(long, value_name = "URL", help_heading = "Scope")]
    sitemap: Vec<String>,
    /// What robots.txt means: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Politeness")]
    robots: Option<RobotsMode>,

    /// Send this User-Agent.
    #[arg(long, value_name = "TEXT", help_heading = "Requests")]
    user_agent: Option<String>,
    /// Connect to another address; HOST may be *.example.com.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "Requests")]
    resolve: Vec<String>,
    /// Reach private and loopback addresses too; implied when a URL given names one.
    #[arg(long, help_heading = "Requests")]
    allow_private: bool,

    /// Keep the documents and their text in the database, compressed.
    #[arg(long, help_heading = "Results")]
    store_bodies: bool,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

#[derive(Debug, Args)]
#[command(after_help = RESUME_EXAMPLES)]
pub(crate) struct ResumeArguments {
    /// The run by its number, or the site by host or URL.
    #[arg(value_name = "PROJECT|RUN")]
    pub(crate) target: String,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// What may differ from session to session.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionArguments {
    /// Fetch at most N URLs, or visit N hosts of a weave, in this session; the rest stays pending.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    budget: Option<u64>,
    /// Make at most N requests at once.
    #[arg(short, long, value_name = "N", help_heading = "Politeness")]
    parallelism: Option<usize>,
    /// Ask each host at most R times a second; 0 = as fast as it answers.
    #[arg(long, value_name = "R", help_heading = "Politeness")]
    rate: Option<f64>,

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

    /// Go on with settings that differ from those the run was started with.
    #[arg(long, help_heading = "Runs")]
    force: bool,
    /// Read settings from this TOML file, or for a weave from JSON; `bluesnake config init` writes one with all of them.
    #[arg(long, value_name = "FILE", env = "BLUESNAKE_CONFIG")]
    config: Option<PathBuf>,
    /// Change any setting, for example limits.url_length=4000.
    #[arg(long, value_name = "GROUP.KEY=VALUE")]
    set: Vec<String>,
    /// Print each visit, or each host of a weave, as a line of JSON on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// How progress is shown on stderr: on a terminal as a bar, else as lines.
    #[arg(long, value_name = "HOW")]
    pub(crate) progress: Option<ProgressMode>,
    /// Print no summary and no progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Lines that move.
    Bar,
    /// A line every ten seconds.
    Lines,
    /// JSON lines for programs.
    Json,
    /// Nothing.
    None,
}

pub(super) fn mechanisms(text: &str) -> Result<Mechanisms, String> {
    match text {
        "spider,sitemap" | "sitemap,spider" => Ok(Mechanisms::Both),
        word => word.parse(),
    }
}

/// A mistake does not become a project that stays.
pub(super) fn check_url(text: &str) -> Result<(), Usage> {
    if text == "-" {
        return Err(Usage("`-` is not a URL; `bluesnake crawl --urls -` reads URLs from standard input".to_owned()));
    }
    if !text.contains("://") && Path::new(text).is_file() {
        return Err(Usage(format!(
            "`{text}` is a file; `bluesnake crawl --urls {text}` reads URLs from it, https://{text} is a site of that name"
        )));
    }
    Ok(())
}

/// The URLs of a file: one per line, without empty lines and those that begin with `#`.
fn urls_in(file: &Path) -> anyhow::Result<Vec<String>> {
    let text = match file.as_os_str() == "-" {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(file),
    };
    let text = text.map_err(|error| Usage(format!("cannot read the URLs in {}: {error}", file.display())))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

impl CrawlArguments {
    /// The URLs of the command line, then those of the file.
    pub(crate) fn all_urls(&self) -> anyhow::Result<Vec<String>> {
        let mut urls = self.urls.clone();
        urls.iter().try_for_each(|url| check_url(url))?;
        if let Some(file) = &self.urls_file {
            urls.extend(urls_in(file)?);
        }
        match urls.is_empty() {
            true => Err(Usage("there is no URL to crawl".to_owned()).into()),
            false => Ok(urls),
        }
    }

    /// What the command line asks for, for these of its URLs.
    pub(crate) fn request(&self, urls: &[String]) -> anyhow::Result<StartRequest> {
        let flags = self.flags().over(self.session.flags(urls)?);
        Ok(StartRequest {
            urls: urls.to_vec(),
            settings: flags.over(self.session.below_flags()?),
            preset: Some(self.preset),
            incremental: self.incremental.then_some(true),
            mode: match (self.resume, self.fresh) {
                (true, _) => StartMode::Resume,
                (_, true) => StartMode::Fresh,
                _ => StartMode::Auto,
            },
            force: self.session.force,
            is_operator: true,
            ..StartRequest::default()
        })
    }

    fn flags(&self) -> PlanInput {
        let mut input = PlanInput::default();
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
        input.politeness.robots = self.robots;
        input.fetch.user_agent.clone_from(&self.user_agent);
        input.fetch.resolve = given(&self.resolve);
        input.fetch.allow_private = self.allow_private.then_some(true);
        input.parse.keep_html = self.store_bodies.then_some(true);
        input.parse.keep_text = self.store_bodies.then_some(true);
        input
    }
}

impl SessionArguments {
    /// What the command line asks for, for a run with these seeds.
    pub(crate) fn request(&self, seeds: &[String]) -> anyhow::Result<StartRequest> {
        let settings = self.flags(seeds)?.over(self.below_flags()?);
        Ok(StartRequest { settings, force: self.force, is_operator: true, ..StartRequest::default() })
    }

    /// Settings of the environment, over those of a file.
    fn below_flags(&self) -> anyhow::Result<PlanInput> {
        let environment = environment()?;
        let Some((path, text)) = self.config_file()? else { return Ok(environment) };
        let file = file_settings(&text).map_err(|problem| Usage(format!("{}: {}", path.display(), problem.0)))?;
        Ok(environment.over(file))
    }

    /// The file that was named, and what stands in it.
    pub(super) fn config_file(&self) -> anyhow::Result<Option<(&Path, String)>> {
        let Some(path) = &self.config else { return Ok(None) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Usage(format!("the settings file {} cannot be read: {error}", path.display())))?;
        Ok(Some((path, text)))
    }

    pub(super) fn is_forced(&self) -> bool {
        self.force
    }

    pub(super) fn flags(&self, seeds: &[String]) -> anyhow::Result<PlanInput> {
        let mut input = PlanInput::default();
        input.limits.session_budget = self.budget;
        input.politeness.parallelism = self.parallelism;
        input.politeness.rate = self.rate;
        input.fetch.proxy.clone_from(&self.proxy);
        input.fetch.initial_cookies = given(&self.cookie);
        for header in &self.header {
            let (name, value) =
                header.split_once(':').ok_or_else(|| Usage("--header takes `NAME: VALUE`, with a colon".to_owned()))?;
            let headers = input.fetch.headers.get_or_insert_default();
            headers.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        if let Some(auth) = &self.auth {
            let origins = seeds.iter().filter_map(|text| bluesnake_app::origin_of(text));
            input.fetch.auth = Some(origins.map(|origin| (origin, auth.clone())).collect());
        }
        let (mut assigned, mut wrong) = (PlanInput::default(), Vec::new());
        for setting in &self.set {
            let key = setting.split('=').next().unwrap_or_default();
            match assignment(setting) {
                Ok(given) => assigned = given.over(assigned),
                Err(problem) => wrong.push(format!("cannot use --set {key}: {}", problem.0)),
            }
        }
        if wrong.is_empty() { Ok(input.over(assigned)) } else { Err(Usage(wrong.join("; ")).into()) }
    }
}

/// Settings of the environment.
pub(super) fn environment() -> anyhow::Result<PlanInput> {
    Ok(env_settings(std::env::vars()).map_err(|problem| Usage(problem.0))?)
}

pub(super) fn given(values: &[String]) -> Option<Vec<String>> {
    (!values.is_empty()).then(|| values.to_vec())
}
