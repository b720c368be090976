//! Findings for people: what is wrong, where first, why, and how to fix it.

use std::fmt::Write;

use bluesnake_app::view::{CheckText, CheckView, IssueRowView, IssuesView, SharedView};

use super::lines::Lines;
use super::paint::Paint;
use super::table::Grid;
use super::{bluesnake, counted, thousands, visible};

/// How many causes in templates are listed per check.
const SHARED: usize = 3;
/// How many checks the summary of a crawl lists.
const MOST_IMPORTANT: usize = 10;

/// The findings of a run, grouped by priority.
pub(crate) fn issues(host: &str, issues: &IssuesView, shown: &[&CheckView]) -> String {
    let (paint, lines) = (Paint::stdout(), Lines::stdout());
    let mut text = headline(host, issues, paint);
    let mut priority = "";
    for check in shown {
        if check.priority != priority {
            priority = check.priority;
            let _ = writeln!(text, "\n{}", paint.bold(format!("{} priority", capitalised(priority))));
        }
        text.push('\n');
        text += &one(issues.run_id, check, paint, lines);
    }
    if shown.is_empty() {
        let _ = writeln!(text, "\nnothing found");
    }
    text
}

fn headline(host: &str, issues: &IssuesView, paint: Paint) -> String {
    let found = issues.checks.iter().filter(|check| check.urls > 0).count();
    let skipped = issues.checks.iter().filter(|check| check.not_checked.is_some()).count();
    let state = if issues.is_completed { "" } else { ", not completed" };
    let mut text = format!(
        "{}{state}: {}, {}\n",
        paint.bold(format!("run {} of {}", issues.run_id, visible(host))),
        counted(issues.pages, "page"),
        counted(issues.version, "URL"),
    );
    let _ = write!(text, "{found} of {} checks found something", issues.checks.len());
    let _ = match skipped {
        0 => writeln!(text),
        skipped => writeln!(text, "; {skipped} skipped (see --all)"),
    };
    text
}

/// One check with its findings.
fn one(run: i64, check: &CheckView, paint: Paint, lines: Lines) -> String {
    let headline = format!("  {}", paint.bold(visible(check.summary.as_deref().unwrap_or(&check.name))));
    let mut text = lines.ends(&headline, &paint.dim(meta(check)), "    ");
    if let Some(why_not) = &check.not_checked {
        text += &lines.paragraph(&format!("    {}  ", paint.dim("not checked")), why_not);
        return text;
    }
    text += &lines.paragraph(&format!("    {}  ", paint.dim("why")), check.why);
    text += &lines.paragraph(&format!("    {}  ", paint.dim("fix")), check.fix);
    for shared in check.shared.iter().take(SHARED) {
        text += &lines.paragraph("    ", &shared_line(shared));
    }
    let from_templates: u64 = check.shared.iter().map(|shared| shared.pages).sum();
    let examples = if from_templates >= check.findings { &[] } else { check.examples.as_slice() };
    for example in examples {
        text += &example_line(example, paint, lines);
    }
    let listed = examples.len() as u64 + u64::from(examples.is_empty() && !check.shared.is_empty());
    if check.findings > listed {
        let command = format!("{} issues {run} --check {}", bluesnake(), check.id);
        let _ = writeln!(text, "    {}", paint.dim(format!("all {}: {command}", thousands(check.findings))));
    }
    text
}

/// `issue, 1.7 %, title-missing`.
fn meta(check: &CheckView) -> String {
    let share = check.share.filter(|_| check.urls > 0).map(percent).unwrap_or_default();
    format!("{}{share}, {}", check.kind, check.id)
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        small if small < 0.1 => ", under 0.1 %".to_owned(),
        share if share >= 10.0 => format!(", {share:.0} %"),
        share => format!(", {share:.1} %"),
    }
}

/// `on 689 of 693 pages: nav > a "Imprint"`.
fn shared_line(shared: &SharedView) -> String {
    let of = if shared.of >= shared.pages { format!(" of {}", thousands(shared.of)) } else { String::new() };
    let parts: Vec<&str> = shared.element.iter().chain(&shared.detail).map(String::as_str).collect();
    let what = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(" → ")) };
    let line = format!("on {}{of} pages{what}, first {}", thousands(shared.pages), shared.first_url);
    visible(&line).into_owned()
}

/// A URL with its detail, next to it or below.
fn example_line(example: &IssueRowView, paint: Paint, lines: Lines) -> String {
    let url = format!("    {}", visible(&example.url));
    match &example.detail {
        None => format!("{url}\n"),
        Some(detail) => lines.ends(&url, &paint.dim(visible(detail)), "      "),
    }
}

/// The explanation of a check.
pub(crate) fn explanation(check: &CheckText) -> String {
    let (paint, lines) = (Paint::stdout(), Lines::stdout());
    let mut text = lines.ends(
        &paint.bold(&check.name),
        &paint.dim(format!("{} {}, {}", check.priority, check.kind, check.id)),
        "  ",
    );
    text += &lines.paragraph(&format!("  {}  ", paint.dim("why")), check.why);
    text + &lines.paragraph(&format!("  {}  ", paint.dim("fix")), check.fix)
}

/// The catalogue.
pub(crate) fn catalogue(checks: &[CheckText]) -> String {
    let mut grid = Grid::new(&["id", "check", "type", "priority"]);
    for check in checks {
        grid.row([check.id.to_owned(), check.name.clone(), check.kind.to_owned(), check.priority.to_owned()]);
    }
    grid.text()
}

/// The most important findings, for the summary of a crawl.
pub(crate) fn most_important(issues: &IssuesView, paint: Paint) -> String {
    let found: Vec<&CheckView> = issues.checks.iter().filter(|check| check.urls > 0).collect();
    let lines = Lines::stdout();
    let mut text = format!("\n{}", paint.bold("findings"));
    if found.is_empty() {
        return format!("{text}: none\n");
    }
    let _ = writeln!(text, " ({}):", found.len());
    for check in found.iter().take(MOST_IMPORTANT) {
        let priority = format!("{:<6}", check.priority);
        let priority = match check.priority {
            "high" => paint.red(priority),
            "medium" => paint.yellow(priority),
            _ => priority,
        };
        text += &lines.paragraph(&format!("  {priority}  "), &visible(check.summary.as_deref().unwrap_or(&check.name)));
    }
    let more = match found.len().saturating_sub(MOST_IMPORTANT) {
        0 => String::new(),
        more => format!("{more} more; "),
    };
    let _ = writeln!(text, "  {more}where, why and how to fix it: {} issues {}", bluesnake(), issues.run_id);
    text
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_as_many_digits_as_they_need() {
        assert_eq!([0.0004, 0.017, 0.5, 1.0].map(percent), [", under 0.1 %", ", 1.7 %", ", 50 %", ", 100 %"]);
    }

    #[test]
    fn a_finding_of_a_template_is_one_line() {
        let shared = SharedView {
            detail: None,
            element: Some("nav > a \"Imprint\"".to_owned()),
            pages: 689,
            of: 693,
            first_number: 1,
            first_url: "https://a.example/".to_owned(),
        };
        let line = shared_line(&shared);
        assert_eq!(line, "on 689 of 693 pages: nav > a \"Imprint\", first https://a.example/");
    }
}
