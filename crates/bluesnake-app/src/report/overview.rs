//! The first page of a report: what the run is, what it found, and where every URL ended up.

use bluesnake_engine::Disposition;
use maud::{Markup, html};

use super::charts::{Column, Part, columns, share, stacked};
use super::data::{Data, Issues, TIMES};
use super::format::{bytes, count, duration, milliseconds, moment, number, percent, title};
use super::web::Web;
use crate::view::CheckView;

/// Depths beyond this are one column.
const DEEPEST: u32 = 8;
/// From here on a response is slow.
const SLOW_MS: u32 = 1_000;

/// Site, run and the result in one sentence.
pub(super) fn hero(data: &Data) -> Markup {
    let run = &data.run;
    let (milliseconds, transferred) =
        run.crawls.iter().fold((0, 0), |(ms, bytes), session| (ms + session.crawl_duration, bytes + session.bytes));
    let state = match run.state {
        "completed" => "tag ok",
        "failed" => "tag err",
        _ => "tag warn",
    };
    html! {
        div.hero {
            h1 { (Web::new(&run.domain)) }
            p.facts {
                span class=(state) { (title(run.state)) }
                span.n { "Run " (run.id) } span.t3 { "·" }
                span.n { (moment(run.created_at)) } span.t3 { "·" }
                span.n { (duration(milliseconds.unsigned_abs())) } span.t3 { "·" }
                span.n { (count(run.urls_visited.unsigned_abs(), "request", "requests")) } span.t3 { "·" }
                span.n { (bytes(transferred.unsigned_abs())) }
            }
            p.lead { (lead(data)) }
            @if let Some(detail) = run.detail.as_deref().filter(|_| run.state != "completed") {
                p.lead { (title(run.state)) ": " (Web::new(detail)) }
            }
        }
    }
}

fn lead(data: &Data) -> Markup {
    let Some(issues) = &data.issues else {
        return html! { b { (count(data.receipt.seen(), "URL", "URLs")) } " seen." };
    };
    let (found, made) =
        (issues.findings().count(), issues.view.checks.iter().filter(|c| c.not_checked.is_none()).count());
    let (found, made) = (found as u64, made as u64);
    let high = issues.findings().filter(|(check, _)| check.priority == "high").count() as u64;
    html! {
        @if found == 0 && issues.view.pages == 0 {
            b { "No page was fetched" } ", so there was nothing to check."
        } @else if found == 0 {
            b { "All " (count(made, "check", "checks")) " passed" } " on " (count(issues.view.pages, "page", "pages")) "."
        } @else {
            b { (number(found)) " of " (count(made, "check", "checks")) } " found something on "
            (count(issues.view.pages, "page", "pages")) ". "
            @if high > 0 {
                b { (number(high)) } @if high == 1 { " of them has" } @else { " of them have" } " high priority."
            } @else { "None of them has high priority." }
        }
        @if !issues.view.is_completed {
            " The run is not completed: checks that need the complete site were skipped."
        }
    }
}

/// The figures people ask for first.
pub(super) fn tiles(data: &Data) -> Markup {
    let errors = data.statuses[4] + data.statuses[5] + data.statuses[0];
    let of_priority = |priority: &str| -> u64 {
        let found = data.issues.iter().flat_map(Issues::findings);
        found.filter(|(check, _)| check.priority == priority).map(|(check, _)| check.urls).sum()
    };
    let pages = data.depths.iter().map(|(_, pages)| pages).sum();
    html! {
        dl.card.tiles {
            (tile("URLs seen", &number(data.receipt.seen()), &format!("{} requested", number(data.run.urls_visited.unsigned_abs()))))
            (tile("Pages of the site", &number(pages), &format!("{} indexable", number(data.indexable))))
            (tile("URLs with errors", &number(errors), &format!("{} 4xx, {} 5xx, {} failed", number(data.statuses[4]), number(data.statuses[5]), number(data.statuses[0]))))
            @if data.issues.is_some() {
                (tile("High-priority findings", &number(of_priority("high")), &format!("{} medium, {} low", number(of_priority("medium")), number(of_priority("low")))))
            }
            (tile("Median response", &data.median_ms.map_or("–".to_owned(), milliseconds), "of HTML pages"))
        }
    }
}

fn tile(name: &str, value: &str, note: &str) -> Markup {
    html! { div { dt { (name) } dd.v { (value) } dd.s { (note) } } }
}

/// Every check with findings, highest priority first, and the receipt beside it.
pub(super) fn overview(data: &Data) -> Markup {
    html! {
        div.two {
            @if let Some(issues) = &data.issues { (issue_list(issues)) }
            div {
                (receipt(data))
                @if let Some(issues) = &data.issues { (by_priority(issues)) }
            }
        }
        div.three { (statuses(data)) (depths(data)) (times(data)) }
    }
}

fn issue_list(issues: &Issues) -> Markup {
    let passed = issues.view.checks.iter().filter(|check| check.urls == 0 && check.not_checked.is_none()).count();
    html! {
        section.card.pad.split {
            div.head {
                h3 { "Issues" }
                p { (count(passed as u64, "check", "checks")) " passed" }
            }
            @if issues.findings().next().is_none() && issues.view.pages > 0 {
                p.clean { "✓ No check found anything." }
            }
            div.list {
                @for (priority, name) in [("high", "High priority"), ("medium", "Medium"), ("low", "Low")] {
                    @let mut found = issues.findings().filter(|(check, _)| check.priority == priority).peekable();
                    @if found.peek().is_some() {
                        h3 { (name) }
                        @for (check, _) in found { (issue_line(check, issues.view.pages)) }
                    }
                }
            }
        }
    }
}

fn issue_line(check: &CheckView, pages: u64) -> Markup {
    html! {
        a href={ "#" (check.id) } {
            (priority(check.priority))
            span { (check.name) }
            span.tr { @if check.share.is_some() { (share(check.urls, pages, fill(check.priority))) } }
            span.c.n { (number(check.urls)) }
            span.p.n { @if check.share.is_some() { (percent(check.urls, pages)) } }
        }
    }
}

/// The colour of a priority in charts.
fn fill(priority: &str) -> &'static str {
    match priority {
        "high" => "f4",
        "medium" => "f3",
        _ => "f8",
    }
}

/// The mark of a priority: three bars, like signal strength.
pub(super) fn priority(priority: &str) -> Markup {
    let class = match priority {
        "high" => "prio h",
        "medium" => "prio m",
        _ => "prio l",
    };
    html! { span class=(class) role="img" aria-label=(title(priority) + " priority") { i {} i {} i {} } }
}

/// The colour of a class of URLs, and whether it is hatched: what was not requested is.
fn look(disposition: Disposition) -> (&'static str, bool) {
    match disposition {
        Disposition::Fetched => ("f1", false),
        Disposition::Redirected => ("f5", false),
        Disposition::Failed => ("f4", false),
        Disposition::Refused => ("f3", true),
        Disposition::Recorded => ("f8", false),
        Disposition::Skipped => ("f8", true),
        Disposition::Pending => ("f0", false),
    }
}

fn receipt(data: &Data) -> Markup {
    let seen = data.receipt.seen();
    let parts: Vec<Part> = data
        .classes()
        .map(|(disposition, size)| {
            let (fill, is_hatched) = look(disposition);
            Part { size, fill, is_hatched }
        })
        .collect();
    html! {
        section.card.pad {
            div.head { h3 { "Receipt" } p { a href="#receipt" { "All reasons" } } }
            (stacked(&parts, "URLs by where they ended up"))
            div.legend {
                @for (disposition, count) in data.classes() {
                    @let (fill, is_hatched) = look(disposition);
                    i class=(if is_hatched { format!("{fill} hatch") } else { fill.to_owned() }) {}
                    span { (title(disposition.as_str())) }
                    span.r.n { (number(count)) }
                    span.r.n.t3 { (percent(count, seen)) }
                }
                hr;
                span {} span.b { "URLs seen" } span.r.n.b { (number(seen)) } span.r.n.t3 { "100 %" }
            }
        }
    }
}

fn by_priority(issues: &Issues) -> Markup {
    let sizes = ["high", "medium", "low"].map(|priority| {
        let found = issues.findings().filter(|(check, _)| check.priority == priority);
        (priority, found.map(|(check, _)| check.urls).sum::<u64>())
    });
    let parts = sizes.map(|(priority, size)| Part::new(size, fill(priority)));
    let total: u64 = sizes.iter().map(|(_, size)| size).sum();
    html! {
        section.card.pad.below {
            div.head { h3 { "Issues by priority" } p { "URLs, summed over checks" } }
            (stacked(&parts, "Findings by priority"))
            div.legend {
                @for (priority, size) in sizes {
                    i class=(fill(priority)) {}
                    span { (title(priority)) } span.r.n { (number(size)) } span.r.n.t3 { (percent(size, total)) }
                }
                hr;
                span {} span.b { "Findings" } span.r.n.b { (number(total)) } span.r.n.t3 { "100 %" }
            }
        }
    }
}

fn statuses(data: &Data) -> Markup {
    let [failed, _, ok, redirect, client, server] = data.statuses;
    let all = [
        ("2xx", ok, "f1"),
        ("3xx", redirect, "f5"),
        ("4xx", client, "f4"),
        ("5xx", server, "f4"),
        ("failed", failed, "f8"),
    ];
    let bars = all.map(|(label, value, fill)| Column { label: label.to_owned(), value, fill });
    chart("Responses", "URLs by status", &bars)
}

fn depths(data: &Data) -> Markup {
    let mut bars: Vec<Column> = Vec::new();
    for (depth, pages) in &data.depths {
        let label = match depth {
            Some(depth) if *depth >= DEEPEST => format!("{DEEPEST}+"),
            Some(depth) => depth.to_string(),
            None => "none".to_owned(),
        };
        match bars.iter_mut().find(|bar| bar.label == label) {
            Some(bar) => bar.value += pages,
            None => bars.push(Column { label, value: *pages, fill: if depth.is_some() { "f1" } else { "f8" } }),
        }
    }
    chart("Depth", "Pages by links from the start", &bars)
}

fn times(data: &Data) -> Markup {
    let label = |ms: u32| if ms < 1_000 { ms.to_string() } else { format!("{} s", ms / 1_000) };
    let labels =
        TIMES.map(|ms| format!("<{}", label(ms))).into_iter().chain([format!("≥{}", label(TIMES[TIMES.len() - 1]))]);
    let is_slow = TIMES.map(|ms| ms > SLOW_MS).into_iter().chain([true]);
    let bars: Vec<Column> = labels
        .zip(&data.times)
        .zip(is_slow)
        .map(|((label, value), is_slow)| Column { label, value: *value, fill: if is_slow { "f3" } else { "f1" } })
        .collect();
    chart("Response times", "Pages by milliseconds", &bars)
}

fn chart(name: &str, what: &str, bars: &[Column]) -> Markup {
    let label = bars.iter().map(|bar| format!("{}: {}", bar.label, number(bar.value))).collect::<Vec<_>>().join(", ");
    html! {
        figure.card.pad {
            figcaption.head { h3 { (name) } p { (what) } }
            (columns(bars, &label))
        }
    }
}
