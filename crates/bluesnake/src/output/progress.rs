//! Live progress of a crawl: a bar on a terminal, lines or JSON elsewhere.

use std::time::{Duration, Instant};

use bluesnake_app::{Phase, Snapshot, Waiting};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{counted, json, say, thousands, time, visible};
use crate::args::ProgressMode;

/// The maximum number of current URLs shown.
const CURRENT: usize = 3;

/// Time between two lines in a log.
const SILENCE: Duration = Duration::from_secs(10);
/// A wait this long is logged as soon as it begins.
const LONG_WAIT_MS: u64 = 2_000;

/// How progress is shown, for all crawls of a command.
#[derive(Debug)]
pub(crate) struct Display {
    mode: ProgressMode,
    bars: MultiProgress,
}

impl Display {
    pub(crate) fn new(mode: ProgressMode) -> Self {
        let target = match mode {
            ProgressMode::Bar => ProgressDrawTarget::stderr_with_hz(4),
            ProgressMode::Lines | ProgressMode::Json | ProgressMode::None => ProgressDrawTarget::hidden(),
        };
        Self { mode, bars: MultiProgress::with_draw_target(target) }
    }

    /// Lines for another crawl.
    pub(crate) fn of(&self, host: &str) -> Line {
        let bar = self.bars.add(ProgressBar::new(0));
        let style = ProgressStyle::with_template("{spinner:.green} {prefix:.bold} {bar:30.cyan/blue} {msg}");
        bar.set_style(style.expect("the template is valid").progress_chars("━╸─"));
        bar.set_prefix(visible(host).into_owned());
        if self.mode == ProgressMode::Bar {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Line { mode: self.mode, host: host.to_owned(), bar, told: Instant::now(), wait: None }
    }

    /// Prints a line above the live display.
    pub(crate) fn say(&self, line: &str) {
        match self.mode {
            ProgressMode::Bar => self.bars.suspend(|| say(line)),
            ProgressMode::Lines | ProgressMode::Json | ProgressMode::None => say(line),
        }
    }
}

/// The lines of one crawl.
#[derive(Debug)]
pub(crate) struct Line {
    mode: ProgressMode,
    host: String,
    bar: ProgressBar,
    /// When the last line was written.
    told: Instant,
    /// The host and reason of the wait in the last line.
    wait: Option<(String, &'static str)>,
}

impl Line {
    /// Shows the current figures.
    pub(crate) fn update(&mut self, snapshot: &Snapshot) {
        match self.mode {
            ProgressMode::None => {}
            ProgressMode::Lines => {
                if let Some(line) = self.line_of(snapshot, Instant::now()) {
                    say(&line);
                }
            }
            ProgressMode::Json => say(&json::progress(&self.host, snapshot).to_string()),
            ProgressMode::Bar => {
                self.bar.set_length(snapshot.seen);
                self.bar.set_position(snapshot.seen.saturating_sub(snapshot.pending));
                self.bar.set_message(message(snapshot, usize::from(console::Term::stderr().size().1)));
            }
        }
    }

    /// The figures as a line, every ten seconds and whenever a long wait begins.
    fn line_of(&mut self, snapshot: &Snapshot, now: Instant) -> Option<String> {
        let wait = notable_wait(snapshot);
        let waits_for = wait.map(|wait| (wait.host.clone(), wait.reason));
        let is_new = wait.is_some_and(|wait| wait.remaining_ms >= LONG_WAIT_MS) && waits_for != self.wait;
        if now.duration_since(self.told) < SILENCE && !is_new {
            return None;
        }
        (self.told, self.wait) = (now, waits_for);
        let wait = wait.map(|wait| format!(", {}", visible(&wait.message))).unwrap_or_default();
        Some(format!("{}: {}, {}{wait}", visible(&self.host), figures(snapshot), totals(snapshot)))
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The wait that explains why nothing happens, if any.
fn notable_wait(snapshot: &Snapshot) -> Option<&Waiting> {
    snapshot.waiting.as_ref().filter(|wait| wait.is_notable && snapshot.phase == Phase::Crawling)
}

/// The figures after the bar; below it current URLs, waits and failing hosts. No line is wider than the terminal.
fn message(snapshot: &Snapshot, width: usize) -> String {
    let mut lines = vec![figures(snapshot)];
    lines.push(format!("  {}", totals(snapshot)));
    let last = &snapshot.current[snapshot.current.len().saturating_sub(CURRENT)..];
    lines.extend(last.iter().map(|url| format!("  → {}", visible(url))));
    lines.extend(notable_wait(snapshot).map(|wait| format!("  ⏸ {}", visible(&wait.message))));
    lines.extend(snapshot.hosts.iter().map(|host| format!("  ! {} {}", host.host, visible(&host.message))));
    let fitted = lines.iter().enumerate().map(|(at, line)| {
        let room = if at == 0 { width.saturating_sub(60).max(20) } else { width.saturating_sub(1) };
        console::truncate_str(line, room, "…").into_owned()
    });
    fitted.collect::<Vec<_>>().join("\n")
}

fn figures(snapshot: &Snapshot) -> String {
    let done = thousands(snapshot.seen.saturating_sub(snapshot.pending));
    match snapshot.phase {
        Phase::Queued => "waiting for another crawl to finish".to_owned(),
        Phase::Starting => "starting".to_owned(),
        Phase::Stopping => format!("stopping, {} under way", snapshot.in_flight),
        Phase::Finishing | Phase::Ended => "finishing".to_owned(),
        Phase::Crawling => format!("{done} of {} known", thousands(snapshot.seen)),
    }
}

fn totals(snapshot: &Snapshot) -> String {
    let elapsed = time::span(Duration::from_millis(snapshot.elapsed_ms));
    let eta = snapshot.eta_ms.map(|ms| format!(", about {} left", time::span(Duration::from_millis(ms))));
    format!(
        "{elapsed}, {:.0}/s, {}, {} in flight, {} failed, {:.1} MB{}",
        snapshot.rate,
        counted(snapshot.pages, "page"),
        snapshot.in_flight,
        thousands(snapshot.failed),
        snapshot.bytes as f64 / 1e6,
        eta.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_a_line_every_ten_seconds() {
        let mut line = Display::new(ProgressMode::Lines).of("a.example");
        let (snapshot, start) =
            (Snapshot { phase: Phase::Crawling, seen: 9, pending: 2, ..Snapshot::default() }, line.told);
        let told: Vec<u64> =
            (0..35).filter(|second| line.line_of(&snapshot, start + Duration::from_secs(*second)).is_some()).collect();
        assert_eq!(told, [10, 20, 30]);
        let last = line.line_of(&snapshot, start + Duration::from_secs(40)).unwrap();
        assert!(last.starts_with("a.example: 7 of 9 known, "), "{last}");
    }

    #[test]
    fn logs_a_long_wait_at_once_and_then_every_ten_seconds() {
        let mut line = Display::new(ProgressMode::Lines).of("a.example");
        let start = line.told;
        let waiting = Waiting {
            host: "a.example".to_owned(),
            reason: "throttled",
            remaining_ms: 30_000,
            message: "waiting 30 s for a.example: the host is rate-limiting us".to_owned(),
            is_notable: true,
        };
        let crawling = Snapshot { phase: Phase::Crawling, seen: 9, pending: 2, ..Snapshot::default() };
        let waits = Snapshot { waiting: Some(waiting.clone()), ..crawling.clone() };
        let told: Vec<u64> =
            (1..25).filter(|second| line.line_of(&waits, start + Duration::from_secs(*second)).is_some()).collect();
        assert_eq!(told, [1, 11, 21]);
        let shown = line.line_of(&waits, start + Duration::from_secs(31)).unwrap();
        assert!(shown.ends_with(&waiting.message), "{shown}");
        assert!(message(&waits, 100).contains("⏸ waiting 30 s"), "{}", message(&waits, 100));
        let busy = Snapshot { waiting: Some(Waiting { is_notable: false, ..waiting }), ..crawling };
        assert!(!message(&busy, 100).contains("waiting"));
    }

    #[test]
    fn progress_lines_fit_the_terminal_and_escape_control_characters() {
        let snapshot = Snapshot {
            phase: Phase::Crawling,
            seen: 12_345,
            pending: 345,
            current: vec![format!("http://a/{}\x1b[2J", "x".repeat(200))],
            ..Snapshot::default()
        };
        let shown = message(&snapshot, 80);
        assert!(shown.starts_with("12,000 of 12,345"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert!(!message(&snapshot, 400).contains('\x1b'));
    }
}
