//! The summary after a session: the receipt, broken URLs and where they are linked, and what to do next.

use std::borrow::Cow;
use std::fmt::Write;

use bluesnake_app::view::IssuesView;
use bluesnake_app::{Disposition, EndReason, Ended, Finished, Receipt, RunState, Summary};

use super::issues::most_important;
use super::paint::Paint;
use super::{bluesnake, counted, in_shell, secrets, thousands, time, visible};

/// The maximum number of broken URLs and truncated pages listed.
pub(crate) const LISTED: usize = 10;

/// The summary of a session and its run.
pub(crate) fn summary(
    host: &str,
    ended: &Ended,
    finished: &Finished,
    summary: &Summary,
    issues: Option<&IssuesView>,
) -> String {
    let paint = Paint::stdout();
    let mut text = headline(finished, paint);
    let _ = writeln!(text, "\n{}", receipt(&summary.receipt, "URL", paint));
    statuses(&mut text, &summary.statuses, paint);
    cut(&mut text, summary, paint);
    broken(&mut text, ended, summary, paint);
    refused(&mut text, summary);
    shells(&mut text, finished.progress.shells);
    slowest(&mut text, summary, paint);
    if let Some(issues) = issues {
        text += &most_important(issues, paint);
    }
    next(&mut text, host, ended, finished, summary, paint);
    text
}

fn headline(finished: &Finished, paint: Paint) -> String {
    let progress = &finished.progress;
    let rate = progress.visits as f64 / finished.elapsed.as_secs_f64().max(0.001);
    let what = ending(&finished.reason, "complete", paint);
    format!(
        "{what}: {}, {} in {} ({rate:.0} per second, {:.1} MB)\n",
        counted(progress.visits, "visit"),
        counted(progress.pages, "page"),
        time::span(finished.elapsed),
        progress.bytes as f64 / 1e6,
    )
}

/// How a session ended; `complete` says that nothing is left.
pub(crate) fn ending(reason: &EndReason, complete: &str, paint: Paint) -> String {
    match reason {
        EndReason::Exhausted => paint.green(complete),
        EndReason::BudgetSpent => paint.yellow("paused, budget used up"),
        EndReason::TimeSpent => paint.yellow("paused, time limit reached"),
        EndReason::BytesSpent => paint.yellow("paused, byte limit reached (scope.max_bytes)"),
        EndReason::Stopped => paint.yellow("stopped"),
        EndReason::BrokenOff(why) => paint.red(format!("broken off ({})", visible(why))),
        EndReason::HostGivenUp { host, why } => {
            paint.yellow(format!("paused, gave up on {} ({})", visible(host), visible(why)))
        }
    }
}

/// The receipt as a table of URLs or hosts: each disposition with its reasons, and the sum.
pub(crate) fn receipt(receipt: &Receipt, thing: &str, paint: Paint) -> String {
    let mut text = String::new();
    for disposition in Disposition::ALL {
        let count = receipt.count(disposition);
        if count == 0 {
            continue;
        }
        let reasons: Vec<String> = receipt
            .reasons(disposition)
            .into_iter()
            .map(|(reason, count)| format!("{} {}", reason.as_str().replace('_', " "), thousands(count)))
            .collect();
        let name = format!("{:<10}", disposition.as_str());
        let name = match disposition {
            Disposition::Failed => paint.red(name),
            Disposition::Pending => paint.yellow(name),
            _ => name,
        };
        let _ = writeln!(text, "{:>10}  {name}  {}", thousands(count), reasons.join(", "));
    }
    let things = if receipt.seen() == 1 { "" } else { "s" };
    let _ = writeln!(text, "{:>10}  {}", thousands(receipt.seen()), paint.bold(format!("{thing}{things} seen")));
    text
}

fn statuses(text: &mut String, statuses: &[(i64, i64)], paint: Paint) {
    let classes = [("2xx", 200), ("3xx", 300), ("4xx", 400), ("5xx", 500)];
    let shown: Vec<String> = classes
        .iter()
        .filter_map(|(name, from)| {
            let count: i64 = statuses.iter().filter(|(status, _)| status / 100 * 100 == *from).map(|(_, n)| n).sum();
            let shown = format!("{name} {}", thousands(count));
            (count > 0).then(|| if *from >= 400 { paint.red(shown) } else { shown })
        })
        .collect();
    if !shown.is_empty() {
        let _ = writeln!(text, "{} {}", paint.bold("statuses:"), shown.join(", "));
    }
}

/// What limits cut off, so that nothing disappears silently.
fn cut(text: &mut String, summary: &Summary, paint: Paint) {
    let (cut, count) = &summary.cut;
    if *count == 0 {
        return;
    }
    let _ = writeln!(text, "\n{} ({}):", paint.bold("cut by limits"), thousands(*count));
    for row in cut {
        let url = visible(&row.url);
        if row.links_cut > 0 {
            let _ = writeln!(text, "  {} beyond limits.links_per_page  {url}", counted(row.links_cut, "link"));
        }
        if let Some(why) = &row.cut {
            let _ = writeln!(text, "  truncated, {why}  {url}");
        }
        if let Some(note) = &row.note {
            let _ = writeln!(text, "  {}  {url}", visible(note));
        }
    }
}

fn broken(text: &mut String, ended: &Ended, summary: &Summary, paint: Paint) {
    let (broken, count) = &summary.broken;
    if *count == 0 {
        return;
    }
    let _ = writeln!(text, "\n{} ({}):", paint.bold("broken"), thousands(*count));
    for row in broken {
        let status = row.status.map(|status| status.to_string());
        let what = status.unwrap_or_else(|| row.reason.as_str().replace('_', " "));
        let _ = writeln!(text, "  {}  {}", paint.red(what), visible(&row.url));
        if let Some(page) = &row.found_at {
            let _ = writeln!(text, "       {}", paint.dim(format!("linked from {}", visible(page))));
        }
    }
    let more = count - broken.len() as i64;
    if let Some(run) = ended.run.filter(|_| more > 0) {
        let _ = writeln!(
            text,
            "  … and {} more: {} export {run} --table issues -o issues.csv",
            thousands(more),
            bluesnake()
        );
    }
}

fn refused(text: &mut String, summary: &Summary) {
    match summary.refused() {
        0 => {}
        1 => *text += "\n1 URL refuses automated requests (401, 403 or 429); check it in a browser\n",
        more => {
            let more = thousands(more);
            let _ =
                writeln!(text, "\n{more} URLs refuse automated requests (401, 403 or 429); check them in a browser");
        }
    }
}

/// Pages that need a browser, if none was used.
pub(crate) fn shells(text: &mut String, shells: u64) {
    match shells {
        0 => {}
        1 => *text += "\n1 page is empty without JavaScript; --render auto renders such pages in a browser\n",
        more => {
            let more = thousands(more);
            let _ = writeln!(
                text,
                "\n{more} pages are empty without JavaScript; --render auto renders such pages in a browser"
            );
        }
    }
}

fn slowest(text: &mut String, summary: &Summary, paint: Paint) {
    if summary.slowest.len() < 2 {
        return;
    }
    let _ = writeln!(text, "\n{}", paint.bold("slowest pages:"));
    for page in &summary.slowest {
        let _ = writeln!(text, "  {:>6} ms  {}", page.total_us / 1000, visible(&page.url));
    }
}

/// The next command to type.
fn next(text: &mut String, host: &str, ended: &Ended, finished: &Finished, summary: &Summary, paint: Paint) {
    let Some(run) = ended.run else { return };
    let bluesnake = bluesnake();
    let _ = match ended.state {
        RunState::Completed => writeln!(
            text,
            "\n{} run {run} of {}\n  {bluesnake} export {run} --table pages -o pages.xlsx\n  {bluesnake} links {run} {}",
            paint.bold("stored as"),
            visible(host),
            example_url(summary),
        ),
        _ => writeln!(
            text,
            "\n{} {bluesnake} resume {host}{}",
            paint.bold("resume with:"),
            needed_to_resume(&finished.reason)
        ),
    };
}

/// The flags that a resumed run needs to make progress.
pub(crate) fn needed_to_resume(reason: &EndReason) -> &'static str {
    if *reason == EndReason::BytesSpent { " --set scope.max_bytes=N" } else { "" }
}

/// A URL for an example command: one that can be typed as printed.
fn example_url(summary: &Summary) -> String {
    let mut urls = summary.broken.0.iter().map(|broken| broken.url.as_str());
    let whole = urls.find(|url| matches!(secrets().show(url), Cow::Borrowed(_)));
    whole.map_or("URL".to_owned(), in_shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_urls_for_the_shell() {
        assert_eq!(in_shell("https://a.example/b_c%20d"), "https://a.example/b_c%20d");
        assert_eq!(in_shell("https://a.example/b"), "https://a.example/b");
        assert_eq!(in_shell("https://a.example/?a=1&b"), "'https://a.example/?a=1&b'");
        assert_eq!(in_shell("https://a.example/$(x)'y"), "'https://a.example/$(x)'\\''y'");
    }
}
