//! The flags of `page`.

use std::path::PathBuf;
use std::str::FromStr;

use bluesnake_app::capture::output::Links;
use bluesnake_app::plan::{CaptureInput, RenderWhen, RobotsMode};
use bluesnake_app::{CaptureRequest, StartMode};
use clap::{Args, ValueEnum};

use super::browser::BrowserArguments;
use super::capture::{ElementArguments, links};
use super::crawl::check_url;
use super::session::RequestArguments;
use crate::report::Usage;

const EXAMPLES: &str = "\
Examples:
  bluesnake page https://docs.example.com/install
  bluesnake page https://docs.example.com/install --links none | llm 'summarise this'
  bluesnake page https://docs.example.com/install --format html -o install.html
  bluesnake page https://app.example.com/ --format screenshot -o app.png
  bluesnake page /install --run docs.example.com          from a capture, without a request

Stores nothing. Exit codes: 0 printed, 1 failed, 2 invalid usage or settings";

/// Flags that would have no effect on a page that is captured already. Those that the environment can set are ignored.
const NOT_OF_CAPTURES: [&str; 11] = [
    "include_element",
    "exclude_element",
    "render",
    "render_mode",
    "wait_for",
    "browser",
    "robots",
    "header",
    "cookie",
    "proxy",
    "set",
];

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PageArguments {
    /// The URL of the page.
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Read the page from this capture instead of fetching it: a run number, or the site for its newest capture.
    #[arg(long, value_name = "RUN", conflicts_with_all = NOT_OF_CAPTURES)]
    pub(crate) run: Option<String>,
    /// The output format.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: PageFormat,
    /// How to write links in Markdown.
    #[arg(long, value_name = "STYLE", value_parser = links(&[Links::Local]), default_value = "absolute", help_heading = "Output")]
    pub(crate) links: Links,
    /// Add the page's metadata to Markdown as front matter.
    #[arg(long, help_heading = "Output")]
    pub(crate) front_matter: bool,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, help_heading = "Output", requires = "output")]
    pub(crate) replace: bool,

    #[command(flatten)]
    elements: ElementArguments,
    #[command(flatten)]
    browser: BrowserArguments,
    /// What to do about robots.txt: respect, ignore or ignore-report.
    #[arg(long, value_name = "MODE", value_parser = RobotsMode::from_str, help_heading = "Requests")]
    robots: Option<RobotsMode>,
    #[command(flatten)]
    requests: RequestArguments,
}

/// What to print of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// Clean Markdown.
    #[default]
    Markdown,
    /// Plain text.
    Text,
    /// The document: as rendered, or else as received.
    Html,
    /// Markdown with all metadata as JSON.
    Json,
    /// A picture of the rendered page, as PNG.
    Screenshot,
}

impl PageArguments {
    /// Fails if an option has no effect on the format.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let is_plain = self.format != PageFormat::Markdown;
        if is_plain && (self.front_matter || self.links != Links::Absolute) {
            return Err(Usage("--links and --front-matter are for Markdown only".to_owned()).into());
        }
        Ok(())
    }

    /// The request of the command line.
    pub(crate) fn request(&self) -> anyhow::Result<CaptureRequest> {
        check_url(&self.url)?;
        let mut input = CaptureInput { render: self.browser.input(), ..CaptureInput::default() };
        if self.format == PageFormat::Screenshot {
            input.render.screenshot = Some(true);
            input.render.when.get_or_insert(RenderWhen::On);
        }
        input.politeness.robots = self.robots;
        if matches!(self.format, PageFormat::Html | PageFormat::Screenshot) {
            input.fetch.prefer_markdown = Some(false);
        }
        self.elements.add_to(&mut input);
        let urls = vec![self.url.clone()];
        let settings = self.requests.settings(input, &urls)?;
        Ok(CaptureRequest { urls, settings, page_limit: None, refresh: true, mode: StartMode::Fresh, force: false })
    }
}
