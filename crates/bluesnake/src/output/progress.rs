//! The line that moves while a crawl runs.

use std::time::{Duration, Instant};

use bluesnake_engine::{HostNews, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::visible;
use crate::args::ProgressMode;

/// How progress is shown.
#[derive(Debug)]
pub(crate) enum Display {
    Bar(Box<ProgressBar>),
    Json,
    None,
}

impl Display {
    pub(crate) fn new(mode: ProgressMode) -> Self {
        match mode {
            ProgressMode::None => Self::None,
            ProgressMode::Json => Self::Json,
            ProgressMode::Bar => {
                let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(4));
                let style = "{spinner:.green} [{elapsed}] {bar:24.cyan/blue} {pos}/{len} URLs  {msg}";
                bar.set_style(
                    ProgressStyle::with_template(style).expect("the template is valid").progress_chars("━╸─"),
                );
                bar.enable_steady_tick(Duration::from_millis(250));
                Self::Bar(Box::new(bar))
            }
        }
    }

    /// Shows the figures of this moment.
    pub(crate) fn update(&self, progress: Progress, started: Instant) {
        match self {
            Self::Bar(bar) => {
                bar.set_length(progress.visits + progress.pending);
                bar.set_position(progress.visits);
                let rate = progress.visits as f64 / started.elapsed().as_secs_f64().max(0.001);
                bar.set_message(format!(
                    "{rate:.0}/s, {} pages, {} in flight, {} failed",
                    progress.pages, progress.in_flight, progress.failed
                ));
            }
            Self::Json => eprintln!(
                "{}",
                json!({
                    "type": "progress",
                    "elapsedMs": started.elapsed().as_millis() as u64,
                    "seen": progress.seen,
                    "pending": progress.pending,
                    "inFlight": progress.in_flight,
                    "visits": progress.visits,
                    "pages": progress.pages,
                    "failed": progress.failed,
                    "bytes": progress.bytes,
                    "dropped": progress.dropped,
                })
            ),
            Self::None => {}
        }
    }

    /// Tells that a host rests or was given up.
    pub(crate) fn news(&self, news: &HostNews) {
        let line = match news {
            HostNews::Resting { host, pause, why } => {
                format!("{host} rests for {:.1} s: {why}", pause.as_secs_f64())
            }
            HostNews::GivenUp { host, why, pauses_run: true } => format!("{host} is given up: {why}"),
            // A dead host among the outside links is a result, and stands in the summary.
            HostNews::GivenUp { pauses_run: false, .. } => return,
        };
        match self {
            Self::Bar(bar) => bar.println(visible(&line)),
            Self::Json => eprintln!("{}", json!({ "type": "host", "message": line })),
            Self::None => {}
        }
    }

    pub(crate) fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}
