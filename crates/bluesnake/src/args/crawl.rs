//! The flags of `crawl` and `resume`.

use std::path::Path;
use std::str::FromStr;

use bluesnake_app::plan::{AuditInput, CheckExternal, Mechanisms, RobotsMode};
use bluesnake_app::{AuditRequest, StartMode};
use clap::Args;

use super::browser::BrowserArguments;
use super::condition::FailOnArguments;
use super::session::{SessionArguments, given};
use crate::report::Usage;

const CRAWL_EXAMPLES: &str = "\
Examples:
  bluesnake crawl https://example.com
  bluesnake crawl https://example.com --budget 500            then: bluesnake resume example.com
  bluesnake crawl https://example.com --max-urls 500 --exclude '/tag/' --json > visits.jsonl
  bluesnake crawl https://example.com --store-bodies
  bluesnake crawl https://app.example.com --render auto       pages that need JavaScript
  bluesnake crawl a.example b.example c.example --separate
  bluesnake crawl --urls urls.txt                             visit exactly these URLs
  bluesnake crawl --urls https://example.com/sitemap.xml      and those of a sitemap
  bluesnake crawl --urls sites.txt --separate                 crawl each of these sites
  bluesnake crawl https://example.com --fail-on high --fail-on new
  bluesnake crawl https://staging.example.com --resolve 'staging.example.com:10.0.0.7' --auth me:secret

--set changes any setting; docs/settings.md and `bluesnake config schema crawl` list them.
Exit codes: 0 complete, 1 failed, 2 invalid usage or settings, 3 stopped with URLs pending, 4 a --fail-on condition
holds";

const RESUME_EXAMPLES: &str = "\
Examples:
  bluesnake resume example.com
  bluesnake resume 3 --budget 500 --parallelism 10

A run resumes with the settings it was started with; its pace and its budget may change. Passwords, headers and
cookies are never stored: pass them again.";

#[derive(Debug, Args)]
#[command(after_help = CRAWL_EXAMPLES)]
pub(crate) struct CrawlArguments {
    /// Where to start; https:// is the default scheme. The first host names the project.
    #[arg(required_unless_present = "urls_file", value_name = "URL")]
    urls: Vec<String>,
    /// Visit exactly the URLs in this list, with their resources: a text file with one URL per line (`#` starts a
    /// comment), a sitemap, or the URL of either; `-` reads standard input. --max-depth N also follows their links.
    #[arg(long = "urls", id = "urls_file", value_name = "FILE|URL")]
    pub(crate) list: Option<String>,

    /// Resume a paused run of this site if there is one; a plain crawl resumes such a run too.
    #[arg(long, help_heading = "Runs", conflicts_with = "fresh")]
    incremental: bool,
    /// Resume the paused run of this site; fail if there is none.
    #[arg(long, help_heading = "Runs", conflicts_with = "fresh")]
    resume: bool,
    /// Start a new run, even if an earlier one is paused.
    #[arg(long, help_heading = "Runs")]
    fresh: bool,
    /// Crawl each URL, also of a list, as a project of its own.
    #[arg(long, help_heading = "Runs", conflicts_with_all = ["resume"])]
    pub(crate) separate: bool,
    /// With --separate: crawl at most N sites at a time; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Runs", default_value_t = 2)]
    pub(crate) max_sessions: usize,

    /// Fetch at most N URLs in the whole run; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_urls: Option<u64>,
    /// Fetch at most N unique pages per URL given; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    page_limit: Option<u64>,
    /// Follow at most N links in a row; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,

    /// Treat subdomains as part of the site.
    #[arg(long, help_heading = "Scope")]
    include_subdomains: bool,
    /// Visit only the start URLs, with their resources.
    #[arg(long, help_heading = "Scope")]
    single_page: bool,
    /// Fetch only URLs that match one of these patterns.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    include: Vec<String>,
    /// Never fetch URLs that match one of these patterns.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    exclude: Vec<String>,
    /// Follow links out of the site for N steps, 0 to 5.
    #[arg(long, value_name = "N", help_heading = "Scope")]
    external_hops: Option<u32>,
    /// Which URLs outside the site to check: none, resources or all.
    #[arg(long, value_name = "WHICH", value_parser = CheckExternal::from_str, help_heading = "Scope")]
    check_external: Option<CheckExternal>,
    /// Where to find URLs: spider, sitemap, both (also spider,sitemap) or sitemap_then_spider.
    #[arg(long, value_name = "HOW", value_parser = mechanisms, help_heading = "Scope")]
    discover: Option<Mechanisms>,
    /// Read this sitemap instead of searching for one.
    #[arg(long, value_name = "URL", help_heading = "Scope")]
    sitemap: Vec<String>,
    /// What to do about robots.txt: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Politeness")]
    robots: Option<RobotsMode>,

    /// Send this User-Agent.
    #[arg(long, value_name = "TEXT", help_heading = "Requests")]
    user_agent: Option<String>,
    /// Connect to this address instead; HOST may be *.example.com.
    #[arg(long, value_name = "HOST:ADDRESS[:PORT]", help_heading = "Requests")]
    resolve: Vec<String>,
    /// Allow private and loopback addresses; implied if a URL given names one.
    #[arg(long, help_heading = "Requests")]
    allow_private: bool,

    #[command(flatten)]
    browser: BrowserArguments,

    /// Store the documents and their text in the database.
    #[arg(long, help_heading = "Results")]
    store_bodies: bool,

    #[command(flatten)]
    pub(crate) fail_on: FailOnArguments,
    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

#[derive(Debug, Args)]
#[command(after_help = RESUME_EXAMPLES)]
pub(crate) struct ResumeArguments {
    /// Run number, or a site by host or URL.
    #[arg(value_name = "PROJECT|RUN")]
    pub(crate) target: String,

    #[command(flatten)]
    pub(crate) fail_on: FailOnArguments,
    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

pub(super) fn mechanisms(text: &str) -> Result<Mechanisms, String> {
    match text {
        "spider,sitemap" | "sitemap,spider" => Ok(Mechanisms::Both),
        word => word.parse(),
    }
}

/// Mistakes must not create projects.
pub(super) fn check_url(text: &str) -> Result<(), Usage> {
    if text == "-" {
        return Err(Usage("`-` is not a URL; `bluesnake crawl --urls -` reads URLs from standard input".to_owned()));
    }
    if !text.contains("://") && Path::new(text).is_file() {
        return Err(Usage(format!(
            "`{text}` is a file; `bluesnake crawl --urls {text}` reads URLs from it; write https://{text} for a site of that name"
        )));
    }
    Ok(())
}

impl CrawlArguments {
    /// The URLs of the command line, without those of the list.
    pub(crate) fn given_urls(&self) -> anyhow::Result<Vec<String>> {
        self.urls.iter().try_for_each(|url| check_url(url))?;
        Ok(self.urls.clone())
    }

    /// The settings to fetch the list with.
    pub(crate) fn settings_for_list(&self) -> anyhow::Result<AuditInput> {
        let urls: Vec<String> = self.urls.iter().chain(&self.list).cloned().collect();
        self.session.settings(self.flags(), &urls)
    }

    /// The request of the command line for some of its URLs.
    pub(crate) fn request(&self, urls: &[String]) -> anyhow::Result<AuditRequest> {
        let mut settings = self.session.settings(self.flags(), urls)?;
        if self.list.is_some() && !self.separate && self.max_depth.is_none() {
            settings.scope.single_page.get_or_insert(true);
        }
        Ok(AuditRequest {
            urls: urls.to_vec(),
            list: None,
            settings,
            incremental: self.incremental.then_some(true),
            mode: match (self.resume, self.fresh) {
                (true, _) => StartMode::Resume,
                (_, true) => StartMode::Fresh,
                _ => StartMode::Auto,
            },
            force: self.session.force,
        })
    }

    fn flags(&self) -> AuditInput {
        let mut input = AuditInput { render: self.browser.input(), ..AuditInput::default() };
        input.scope.max_urls = self.max_urls;
        input.scope.page_limit = self.page_limit;
        input.scope.max_depth = self.max_depth;
        input.scope.include_subdomains = self.include_subdomains.then_some(true);
        input.scope.single_page = self.single_page.then_some(true);
        input.scope.include = given(&self.include);
        input.scope.exclude = given(&self.exclude);
        input.scope.external_hops = self.external_hops;
        input.resources.check_external = self.check_external;
        input.discover.mechanisms = self.discover;
        input.discover.sitemaps = given(&self.sitemap);
        input.politeness.robots = self.robots;
        input.fetch.user_agent.clone_from(&self.user_agent);
        input.fetch.resolve = given(&self.resolve);
        input.fetch.allow_private = self.allow_private.then_some(true);
        input.keep.html = self.store_bodies.then_some(true);
        input.keep.text = self.store_bodies.then_some(true);
        input
    }
}
