//! Output of captures for people: figures, written files, previews and search results.

use std::fmt::Write;
use std::path::Path;

use bluesnake_app::capture::{CaptureStatus, CaptureView, Found, Previewed, output::Written};
use bluesnake_app::{Ended, Finished};

use super::paint::Paint;
use super::summary::{needed_to_resume, shells};
use super::table::Grid;
use super::{bluesnake, counted, plural, thousands, time, visible};

/// The maximum number of failed pages listed.
const LISTED: usize = 10;

/// The summary of a capture after a session.
pub(crate) fn summary(ended: &Ended, finished: &Finished, capture: &CaptureView) -> String {
    let paint = Paint::stdout();
    let what = match capture.status {
        CaptureStatus::Completed => paint.green("captured"),
        CaptureStatus::CompletedWithErrors => paint.yellow("captured, with errors"),
        CaptureStatus::InProgress | CaptureStatus::Interrupted => paint.yellow("interrupted"),
    };
    let count = |number: i64| thousands(number.max(0) as u64);
    let mut text = format!(
        "{what}: {}, {}, {} (o200k; {} cl100k) in {}\n\n",
        counted(capture.pages_processed, "page"),
        counted(capture.words, "word"),
        counted(capture.tokens_o200k, "token"),
        count(capture.tokens_cl100k),
        time::span(finished.elapsed),
    );
    let lines = [
        (capture.pages_processed, plural(capture.pages_processed, "page", "pages")),
        (capture.duplicates, plural(capture.duplicates, "duplicate URL", "duplicate URLs")),
        (capture.pages_failed, "failed"),
        (capture.left_out, "skipped: refused, redirects, files, robots.txt and sitemaps (see the receipt)"),
        (capture.queue_size, "pending"),
    ];
    for (number, name) in lines.into_iter().filter(|(number, _)| *number != 0) {
        let _ = writeln!(text, "{:>10}  {name}", count(number));
    }
    let _ = writeln!(
        text,
        "{:>10}  {}",
        count(capture.pages_found),
        paint.bold(plural(capture.pages_found, "URL found", "URLs found"))
    );
    for base in capture.bases.iter().filter(|_| capture.bases.len() > 1 || capture.bases[0].page_limit.is_some()) {
        let limit = base.page_limit.map(|limit| format!("/{}", thousands(limit))).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {}: {}{limit} {}",
            visible(&base.url),
            count(base.pages),
            plural(base.pages, "page", "pages")
        );
    }
    let _ = writeln!(
        text,
        "\ndownloaded {}, not modified {}, from cache {}",
        count(capture.downloaded),
        count(capture.not_modified),
        count(capture.from_cache)
    );
    if !capture.errors.is_empty() {
        let _ = writeln!(text, "\n{}", paint.red("failed:"));
        for error in capture.errors.iter().take(LISTED) {
            let _ = writeln!(text, "  {}  {}", visible(&error.url), visible(&error.error));
        }
        if capture.errors.len() > LISTED {
            let _ = writeln!(text, "  and {} more", capture.errors.len() - LISTED);
        }
    }
    shells(&mut text, finished.progress.shells);
    if let Some(run) = ended.run {
        let bluesnake = bluesnake();
        let next = match capture.status {
            CaptureStatus::Interrupted | CaptureStatus::InProgress => {
                format!("{bluesnake} resume {run}{}", needed_to_resume(&finished.reason))
            }
            _ => format!(
                "{bluesnake} search WORDS\n  {bluesnake} capture --run {run} -o FOLDER\n  {bluesnake} receipt {run}"
            ),
        };
        let _ = writeln!(text, "\nstored as run {run}\n  {next}");
    }
    text
}

/// What was written, and where.
pub(crate) fn written(path: &Path, written: &Written) -> String {
    format!(
        "wrote {}, {:.1} MB in {}, to {}",
        counted(written.pages, "page"),
        written.bytes as f64 / 1e6,
        counted(written.files, "file"),
        path.display()
    )
}

/// What would be captured, and what not.
pub(crate) fn preview(previewed: &[Previewed]) -> String {
    let paint = Paint::stdout();
    let pages: Vec<&Previewed> = previewed.iter().filter(|one| one.is_captured).collect();
    let tokens: u64 = pages.iter().map(|page| u64::from(page.tokens.unwrap_or_default())).sum();
    let mut text = format!("{} ({}, {})\n", paint.bold("would be captured"), pages.len(), counted(tokens, "token"));
    let mut grid = Grid::new(&["tokens", "title", "url"]).right(&[0]);
    for page in pages {
        let tokens = page.tokens.map(|tokens| thousands(u64::from(tokens))).unwrap_or_default();
        grid.row([tokens, page.title.clone().unwrap_or_default(), page.url.clone()]);
    }
    text += &grid.text();
    let others: Vec<&Previewed> = previewed.iter().filter(|one| !one.is_captured).collect();
    let _ = writeln!(text, "\n{} ({})", paint.bold("would not"), others.len());
    let mut grid = Grid::new(&["reason", "url"]);
    for other in others {
        let reason = match (&other.reason, &other.duplicate_of) {
            (_, Some(original)) => format!("duplicate of {original}"),
            (reason, None) => reason.clone().unwrap_or_default(),
        };
        grid.row([reason, other.url.clone()]);
    }
    text + &grid.text()
}

/// Search results, best first.
pub(crate) fn found(found: &[Found]) -> String {
    let paint = Paint::stdout();
    if found.is_empty() {
        return "nothing found\n".to_owned();
    }
    let mut text = String::new();
    for one in found {
        let title = one.title.as_deref().unwrap_or_default();
        let heading = if one.heading.is_empty() || one.heading == title {
            String::new()
        } else {
            format!(" › {}", one.heading)
        };
        let _ = writeln!(text, "{}{}", paint.bold(visible(title)), visible(&heading));
        let _ = writeln!(text, "  {}", visible(&one.url));
        let _ = writeln!(text, "  {}\n", emphasised(one, paint));
    }
    text
}

fn emphasised(found: &Found, paint: Paint) -> String {
    let letters: Vec<char> = found.snippet.chars().collect();
    let (mut text, mut at) = (String::new(), 0);
    for (start, end) in &found.matches {
        let plain: String = letters[at..*start].iter().collect();
        let matching: String = letters[*start..*end].iter().collect();
        text += &visible(&plain);
        text += &paint.yellow(visible(&matching));
        at = *end;
    }
    let rest: String = letters[at..].iter().collect();
    text + &visible(&rest)
}
