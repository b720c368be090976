//! The flags of `capture` and `search`.

use std::path::PathBuf;
use std::str::FromStr;

use bluesnake_app::capture::output::{Format, Links, OutputOptions};
use bluesnake_app::plan::{CaptureInput, Mechanisms, PathMatch, RobotsMode};
use bluesnake_app::{CaptureRequest, StartMode};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};

use super::browser::BrowserArguments;
use super::crawl::{check_url, mechanisms};
use super::one_of;
use super::session::{SessionArguments, given};

const CAPTURE_EXAMPLES: &str = "\
Examples:
  bluesnake capture https://docs.example.com/guide/ -o guide
  bluesnake capture https://docs.example.com/ --preview
  bluesnake capture https://docs.example.com/ --format single -o docs.md
  bluesnake capture https://a.example/docs/ https://b.example/manual/ --page-limit 200 --format zip -o docs.zip
  bluesnake capture --run 3 --format jsonl -o - | head -1
  bluesnake capture --run 3 --format chunks --max-tokens 500 --links none -o chunks.jsonl
  bluesnake capture --run 3 --run 5 -o both.zip

Running the command again resumes a capture that was stopped; --fresh starts over. Pages of an earlier capture are
revalidated and downloaded again only if they changed; --refresh downloads everything.
Exit codes: 0 complete, 1 failed, 2 invalid usage or settings, 3 stopped with pages pending";

#[derive(Debug, Args)]
#[command(after_help = CAPTURE_EXAMPLES)]
pub(crate) struct CaptureArguments {
    /// Where to start; pages below this path are captured. The first host names the project.
    #[arg(required_unless_present = "runs", value_name = "URL")]
    pub(crate) urls: Vec<String>,

    /// The folder or file to write; `-` writes to standard output (single, text, jsonl and chunks only).
    #[arg(short, long, value_name = "PATH", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// The output format; without it, inferred from the file extension.
    #[arg(long, value_name = "FORMAT", value_parser = formats(), help_heading = "Output")]
    pub(crate) format: Option<Format>,
    /// How to write links; without it, local in a folder or ZIP file and absolute elsewhere.
    #[arg(long, value_name = "STYLE", value_parser = links(&[]), help_heading = "Output")]
    pub(crate) links: Option<Links>,
    /// Split sections with more than N tokens (chunks only).
    #[arg(long, value_name = "N", default_value_t = OutputOptions::CHUNK_TOKENS, help_heading = "Output")]
    pub(crate) max_tokens: usize,
    /// Add the time of the fetch to each page; without it, equal captures give equal files.
    #[arg(long, help_heading = "Output")]
    pub(crate) times: bool,
    /// Replace an existing file; a folder of an earlier capture is always replaced.
    #[arg(long, help_heading = "Output")]
    pub(crate) replace: bool,
    /// List what would be captured, and what would not and why; store nothing.
    #[arg(long, help_heading = "Output", conflicts_with_all = ["output", "runs"])]
    pub(crate) preview: bool,
    /// Write the pages of a captured run, without crawling: its number, or the site for its newest capture. Several
    /// runs are merged; a page that is in several of them is taken from the first.
    #[arg(long = "run", value_name = "RUN", help_heading = "Output", conflicts_with = "urls")]
    pub(crate) runs: Vec<String>,

    /// Start a new capture, even if an earlier one is paused.
    #[arg(long, help_heading = "Runs")]
    fresh: bool,
    /// Download pages again even if an earlier capture has them.
    #[arg(long, help_heading = "Runs")]
    refresh: bool,

    /// Capture at most N unique pages per URL given; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    page_limit: Option<u64>,
    /// Follow at most N links in a row; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    max_depth: Option<u32>,

    /// Which paths to capture: strict (below the URL given), loose (any path that starts with it) or any.
    #[arg(long, value_name = "HOW", value_parser = PathMatch::from_str, help_heading = "Scope")]
    paths: Option<PathMatch>,
    /// Follow links to other paths and hosts for N steps, 0 to 5.
    #[arg(long, value_name = "N", help_heading = "Scope")]
    external_hops: Option<u32>,
    /// Fetch only URLs that match one of these patterns.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    include: Vec<String>,
    /// Never fetch URLs that match one of these patterns.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    exclude: Vec<String>,
    /// Where to find URLs: spider, sitemap, both or sitemap_then_spider.
    #[arg(long, value_name = "HOW", value_parser = mechanisms, help_heading = "Scope")]
    discover: Option<Mechanisms>,
    /// Read this sitemap instead of searching for one.
    #[arg(long, value_name = "URL", help_heading = "Scope")]
    sitemap: Vec<String>,
    /// What to do about robots.txt: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Politeness")]
    robots: Option<RobotsMode>,

    #[command(flatten)]
    elements: ElementArguments,
    #[command(flatten)]
    browser: BrowserArguments,

    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// Which elements of a page are its content.
#[derive(Debug, Args)]
pub(crate) struct ElementArguments {
    /// Elements that are the content; on pages without a match, the content is detected automatically.
    #[arg(long, value_name = "CSS", help_heading = "Content")]
    include_element: Vec<String>,
    /// Elements to drop.
    #[arg(long, value_name = "CSS", help_heading = "Content")]
    exclude_element: Vec<String>,
}

impl ElementArguments {
    pub(super) fn add_to(&self, input: &mut CaptureInput) {
        input.capture.include = given(&self.include_element);
        input.capture.exclude = given(&self.exclude_element);
    }
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let formats = [
        (Format::Tree, "tree", "A folder with a file per page, an index, llms.txt and llms-full.txt"),
        (Format::Single, "single", "One Markdown file with all pages"),
        (Format::Text, "text", "One file with the plain text of all pages"),
        (Format::Jsonl, "jsonl", "One JSON line per page"),
        (Format::Chunks, "chunks", "One JSON line per section, for retrieval; --max-tokens splits long ones"),
        (Format::Zip, "zip", "The folder as a ZIP archive"),
        (Format::TextZip, "text-zip", "A ZIP archive with a plain text file per page"),
    ];
    one_of(formats.map(|(format, word, help)| (format, PossibleValue::new(word).help(help))))
}

/// All styles of links but these.
pub(super) fn links(without: &'static [Links]) -> impl TypedValueParser<Value = Links> {
    let help = |style| match style {
        Links::Local => "Links between captured pages lead from file to file",
        Links::Absolute => "Web URLs",
        Links::Reference => "Numbers, with the URLs listed once each at the end of the page",
        Links::None => "Only the texts of links",
    };
    let styles = Links::ALL.into_iter().filter(|style| !without.contains(style));
    one_of(styles.map(move |style| (style, PossibleValue::new(style.as_str()).help(help(style)))))
}

impl CaptureArguments {
    /// The request of the command line.
    pub(crate) fn request(&self) -> anyhow::Result<CaptureRequest> {
        self.urls.iter().try_for_each(|url| check_url(url))?;
        Ok(CaptureRequest {
            urls: self.urls.clone(),
            settings: self.session.settings(self.flags(), &self.urls)?,
            page_limit: None,
            refresh: self.refresh,
            mode: if self.fresh { StartMode::Fresh } else { StartMode::Auto },
            force: self.session.force,
        })
    }

    fn flags(&self) -> CaptureInput {
        let mut input = CaptureInput { render: self.browser.input(), ..CaptureInput::default() };
        input.scope.page_limit = self.page_limit;
        input.scope.max_depth = self.max_depth;
        input.scope.paths = self.paths;
        input.scope.external_hops = self.external_hops;
        input.scope.include = given(&self.include);
        input.scope.exclude = given(&self.exclude);
        input.discover.mechanisms = self.discover;
        input.discover.sitemaps = given(&self.sitemap);
        input.politeness.robots = self.robots;
        self.elements.add_to(&mut input);
        input
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake search 'connection pool'
  bluesnake search '\"exact phrase\" words' --project docs.example.com --json")]
pub(crate) struct SearchArguments {
    /// Words or a question; put "phrases" in quotes.
    #[arg(value_name = "QUERY", required = true)]
    pub(crate) query: Vec<String>,
    /// Only in the capture of this site.
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Show at most N sections.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) shown: super::Shown,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bluesnake errors
  bluesnake errors docs.example.com --days 7
  bluesnake errors --run 12 --json

A failed page is requested again by the next capture of its site. Deleting a run deletes its errors.")]
pub(crate) struct ErrorsArguments {
    /// Only pages of this site.
    #[arg(value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Only pages of this capture: a run number, or the site for its newest capture.
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Only pages requested in the last N days.
    #[arg(long, value_name = "N")]
    pub(crate) days: Option<u32>,
    /// Show at most N pages.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) shown: super::Shown,
}
