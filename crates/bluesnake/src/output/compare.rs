//! Comparisons of two runs for people.

use std::fmt::Write;

use bluesnake_app::compare::{ChangeView, Class, ComparisonView};

use super::lines::Lines;
use super::paint::Paint;
use super::table::Grid;
use super::{bluesnake, counted, thousands, time, visible};

/// What changed: URLs by class, and findings by check.
pub(crate) fn comparison(compared: &ComparisonView) -> String {
    let (paint, lines) = (Paint::stdout(), Lines::stdout());
    let mut text = headline(compared, paint);
    for setting in &compared.plans_differ {
        let value = |value: &Option<String>| value.clone().unwrap_or("…".to_owned());
        let change = format!("{}: {} → {}", setting.setting, value(&setting.before), value(&setting.after));
        text += &lines.paragraph("  settings differ  ", &visible(&change));
    }
    for missing in &compared.not_compared {
        text += &lines.paragraph("  not compared  ", &format!("{}: {}", missing.field.as_str(), missing.why));
    }
    let _ = writeln!(text, "\n{}", paint.bold("URLs"));
    for count in &compared.classes {
        text += &lines.paragraph(&format!("{:>10}  ", thousands(count.urls)), &class_line(compared, count.class));
    }
    findings(&mut text, compared, paint);
    let (a, b) = (compared.a.run_id, compared.b.run_id);
    let _ = writeln!(
        text,
        "\nlist them: {0} compare {a} {b} --class gone, or all: {0} compare {a} {b} -o changes.csv",
        bluesnake()
    );
    text
}

fn headline(compared: &ComparisonView, paint: Paint) -> String {
    let (a, b) = (&compared.a, &compared.b);
    let of = match a.domain == b.domain {
        true => format!("run {} and run {} of {}", a.run_id, b.run_id, visible(&a.domain)),
        false => format!("run {} of {} and run {} of {}", a.run_id, visible(&a.domain), b.run_id, visible(&b.domain)),
    };
    let mut text = format!("{}\n", paint.bold(of));
    for run in [a, b] {
        let whole = if run.is_whole { "" } else { ", not the whole site" };
        let _ = writeln!(
            text,
            "  run {}, {}: {}, {}{whole}",
            run.run_id,
            time::moment(run.created_at),
            counted(run.urls, "URL"),
            counted(run.pages, "page"),
        );
    }
    text
}

fn class_line(compared: &ComparisonView, class: Class) -> String {
    let join = |parts: Vec<String>| if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let reasons = |reasons: &[bluesnake_app::compare::ReasonCount]| {
        join(reasons.iter().map(|one| format!("{} {}", one.reason.replace('_', " "), thousands(one.urls))).collect())
    };
    match class {
        Class::Appeared => "appeared".to_owned(),
        Class::Gone => "gone".to_owned(),
        Class::NotVisited => format!("not visited this time{}", reasons(&compared.not_visited)),
        Class::NotVisitedBefore => format!("not visited before{}", reasons(&compared.not_visited_before)),
        Class::Changed => {
            let fields = compared.fields.iter().filter(|field| field.urls > 0);
            let fields = fields.map(|field| format!("{} {}", field.field.as_str(), thousands(field.urls)));
            format!("changed{}", join(fields.collect()))
        }
        Class::Same => "the same".to_owned(),
    }
}

/// Checks whose findings changed; the others are counted.
fn findings(text: &mut String, compared: &ComparisonView, paint: Paint) {
    let is_changed = |check: &&bluesnake_app::compare::CheckChange| check.before != check.after || check.new > 0;
    let (changed, same): (Vec<_>, Vec<_>) = compared.checks.iter().partition(is_changed);
    let _ = writeln!(text, "\n{}", paint.bold("findings"));
    if !changed.is_empty() {
        let mut grid =
            Grid::new(&["priority", "check", "before", "new", "fixed", "gone", "after"]).right(&[2, 3, 4, 5, 6]);
        for check in changed {
            grid.row([
                check.priority.to_owned(),
                check.name.clone(),
                thousands(check.before),
                thousands(check.new),
                thousands(check.fixed),
                thousands(check.gone_with_page),
                thousands(check.after),
            ]);
        }
        text.push_str(&grid.text());
    }
    let still: u64 = same.iter().map(|check| check.still).sum();
    let _ = match same.len() {
        0 => Ok(()),
        checks => writeln!(text, "  {} of {} unchanged", counted(still, "finding"), counted(checks, "check")),
    };
}

/// One URL, its class, what changed, and its findings.
pub(crate) fn row(change: &ChangeView) -> String {
    let mut parts = vec![change.url.clone(), change.class.as_str().replace('_', " ")];
    parts.extend(change.reason.map(|reason| reason.replace('_', " ")));
    for field in &change.fields {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        parts.push(format!("{}: {} → {}", field.name.as_str(), value(&field.before), value(&field.after)));
    }
    parts.extend(change.issues.iter().map(|issue| format!("{} {}", issue.change.as_str().replace('_', " "), issue.id)));
    let cells: Vec<_> = parts.iter().map(|part| visible(part)).collect();
    format!("{}\n", cells.join("\t"))
}
