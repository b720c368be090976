//! The flags for pages that need a browser.

use std::path::PathBuf;
use std::str::FromStr;

use bluesnake_app::plan::{RenderInput, RenderMode, RenderWhen, WeaveRenderInput, WeaveRenderWhen};
use clap::Args;

use super::session::given;

/// How pages are rendered.
#[derive(Clone, Debug, Args)]
pub(crate) struct BrowserArguments {
    /// Which pages to render in Chrome or Chromium: off, on or auto (those that are empty without JavaScript).
    #[arg(long, value_name = "WHICH", value_parser = RenderWhen::from_str, help_heading = "Rendering")]
    render: Option<RenderWhen>,
    /// How much time scripts get: fast (2 s), balanced (5 s) or thorough (15 s) of virtual time.
    #[arg(long, value_name = "MODE", value_parser = RenderMode::from_str, help_heading = "Rendering")]
    render_mode: Option<RenderMode>,
    /// Wait for an element that matches this selector.
    #[arg(long, value_name = "CSS", help_heading = "Rendering")]
    wait_for: Vec<String>,
    /// The browser to use [default: BLUESNAKE_BROWSER, or the one that is installed].
    #[arg(long, value_name = "PATH", help_heading = "Rendering")]
    browser: Option<PathBuf>,
}

impl BrowserArguments {
    pub(super) fn input(&self) -> RenderInput {
        RenderInput {
            when: self.render,
            mode: self.render_mode,
            wait_for: given(&self.wait_for),
            browser: self.browser.clone(),
            ..RenderInput::default()
        }
    }
}

/// How pages of a weave are rendered.
#[derive(Clone, Debug, Args)]
pub(crate) struct WeaveBrowserArguments {
    /// Whether to render pages in Chrome or Chromium: off or on.
    #[arg(long, value_name = "WHETHER", value_parser = WeaveRenderWhen::from_str, help_heading = "Rendering")]
    render: Option<WeaveRenderWhen>,
    /// How much time scripts get: fast (2 s), balanced (5 s) or thorough (15 s) of virtual time.
    #[arg(long, value_name = "MODE", value_parser = RenderMode::from_str, help_heading = "Rendering")]
    render_mode: Option<RenderMode>,
    /// The browser to use [default: BLUESNAKE_BROWSER, or the one that is installed].
    #[arg(long, value_name = "PATH", help_heading = "Rendering")]
    browser: Option<PathBuf>,
}

impl WeaveBrowserArguments {
    pub(super) fn input(&self) -> WeaveRenderInput {
        WeaveRenderInput {
            when: self.render,
            mode: self.render_mode,
            browser: self.browser.clone(),
            ..WeaveRenderInput::default()
        }
    }
}
