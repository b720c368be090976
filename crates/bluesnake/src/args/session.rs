//! Flags of every command that starts a session, and the other sources of its settings.

use std::path::{Path, PathBuf};

use anyhow::Context;
use bluesnake_app::plan::{AuditInput, CaptureInput, JobInput, WeaveInput};
use bluesnake_app::{AppError, ResumeRequest, RunKind, assignment, env_settings, file_settings, to_groups};
use clap::{Args, ValueEnum};

use crate::report::Usage;

/// Flags of every command that starts a session.
#[derive(Clone, Debug, Args)]
pub(crate) struct SessionArguments {
    /// Fetch at most N URLs (weave: visit N hosts) in this session, the rest stays pending; 0 = no limit.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    budget: Option<u64>,
    /// Send at most N requests at once.
    #[arg(short, long, value_name = "N", help_heading = "Politeness")]
    parallelism: Option<usize>,
    /// Send each host at most R requests per second; 0 = as fast as it responds.
    #[arg(long, value_name = "R", help_heading = "Politeness")]
    rate: Option<f64>,

    #[command(flatten)]
    requests: RequestArguments,

    /// Resume with settings that differ from those the run was started with.
    #[arg(long, help_heading = "Runs")]
    pub(super) force: bool,
    /// Print each visit (weave: each host) as a JSON line on stdout.
    #[arg(long)]
    pub(crate) json: bool,
    /// How to show progress on stderr; the default is a bar on a terminal, else lines.
    #[arg(long, value_name = "HOW")]
    pub(crate) progress: Option<ProgressMode>,
    /// Print neither summary nor progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Flags of every command that sends requests.
#[derive(Clone, Debug, Args)]
pub(crate) struct RequestArguments {
    /// Send this header to the start hosts.
    #[arg(long, value_name = "NAME: VALUE", help_heading = "Requests")]
    header: Vec<String>,
    /// Send this cookie to the start hosts.
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Requests")]
    cookie: Vec<String>,
    /// Authenticate with the start hosts.
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

    /// Read settings from this TOML file (weave: or JSON); `bluesnake config init` writes one with every default.
    #[arg(long, value_name = "FILE", env = "BLUESNAKE_CONFIG")]
    config: Option<PathBuf>,
    /// Change any setting, for example limits.url_length=4000.
    #[arg(long, value_name = "GROUP.KEY=VALUE")]
    set: Vec<String>,
}

/// Progress display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    /// Live progress bar.
    Bar,
    /// A line every ten seconds.
    Lines,
    /// JSON lines for programs.
    Json,
    /// No progress.
    None,
}

impl SessionArguments {
    /// The settings of a job: its own flags, then these, `--set`, the environment and the file.
    pub(super) fn settings<I: JobInput>(&self, own: I, seeds: &[String]) -> anyhow::Result<I> {
        self.requests.settings(own.over(self.flags()), seeds)
    }

    /// The same, for a file that was read already.
    pub(super) fn over_file<I: JobInput>(&self, own: I, seeds: &[String], file: I) -> anyhow::Result<I> {
        self.requests.over_file(own.over(self.flags()), seeds, file)
    }

    /// The request to resume a run of this job with these seeds.
    pub(crate) fn resume(&self, job: RunKind, seeds: &[String]) -> anyhow::Result<ResumeRequest> {
        let settings = match job {
            RunKind::Crawl => to_groups(&self.settings(AuditInput::default(), seeds)?),
            RunKind::Capture => to_groups(&self.settings(CaptureInput::default(), seeds)?),
            RunKind::Weave => to_groups(&self.settings(WeaveInput::default(), seeds)?),
        };
        Ok(ResumeRequest { settings, force: self.force, kind: None })
    }

    /// The settings file with its content.
    pub(super) fn config_file(&self) -> anyhow::Result<Option<(&Path, String)>> {
        self.requests.config_file()
    }

    fn flags<I: JobInput>(&self) -> I {
        let mut input = I::default();
        let shared = input.shared();
        shared.limits.session_budget = self.budget;
        *shared.parallelism = self.parallelism;
        *shared.rate = self.rate;
        input
    }
}

impl RequestArguments {
    /// The settings of a job: its own flags, then these, `--set`, the environment and the file.
    pub(super) fn settings<I: JobInput>(&self, own: I, seeds: &[String]) -> anyhow::Result<I> {
        let file = match self.config_file()? {
            None => I::default(),
            Some((path, text)) => file_settings(&text)
                .map_err(AppError::from)
                .with_context(|| format!("cannot use {}", path.display()))?,
        };
        self.over_file(own, seeds, file)
    }

    /// The same, for a file that was read already.
    fn over_file<I: JobInput>(&self, own: I, seeds: &[String], file: I) -> anyhow::Result<I> {
        let flags = own.over(self.flags(seeds)?).over(self.assigned()?);
        Ok(flags.over(environment()?).over(file))
    }

    fn config_file(&self) -> anyhow::Result<Option<(&Path, String)>> {
        let Some(path) = &self.config else { return Ok(None) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Usage(format!("cannot read the settings file {}: {error}", path.display())))?;
        Ok(Some((path, text)))
    }

    fn flags<I: JobInput>(&self, seeds: &[String]) -> anyhow::Result<I> {
        let mut input = I::default();
        let shared = input.shared();
        shared.fetch.proxy.clone_from(&self.proxy);
        shared.fetch.initial_cookies = given(&self.cookie);
        for header in &self.header {
            let (name, value) =
                header.split_once(':').ok_or_else(|| Usage("--header must be `NAME: VALUE`".to_owned()))?;
            let headers = shared.fetch.headers.get_or_insert_default();
            headers.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        if let Some(auth) = &self.auth {
            let origins = seeds.iter().filter_map(|text| bluesnake_app::origin_of(text));
            shared.fetch.auth = Some(origins.map(|origin| (origin, auth.clone())).collect());
        }
        Ok(input)
    }

    fn assigned<I: JobInput>(&self) -> anyhow::Result<I> {
        let (mut assigned, mut wrong) = (I::default(), Vec::new());
        for setting in &self.set {
            let key = setting.split('=').next().unwrap_or_default();
            match assignment::<I>(setting) {
                Ok(given) => assigned = given.over(assigned),
                Err(problem) => wrong.push(format!("cannot use --set {key}: {}", problem.sentence())),
            }
        }
        if wrong.is_empty() { Ok(assigned) } else { Err(Usage(wrong.join("; ")).into()) }
    }
}

/// Settings in the environment.
pub(crate) fn environment<I: JobInput>() -> anyhow::Result<I> {
    env_settings(std::env::vars()).map_err(AppError::from).context("cannot use the environment")
}

pub(super) fn given(values: &[String]) -> Option<Vec<String>> {
    (!values.is_empty()).then(|| values.to_vec())
}
