//! What changed since another run.

use maud::{Markup, html};

use super::charts::{Part, stacked};
use super::data::Comparison;
use super::format::{count, moment, number, title, words};
use super::overview::priority;
use super::web::{Link, Web};
use crate::compare::{ChangeView, CheckChange, Class, ComparedRun, ComparisonView, Field, FieldChange};

/// How many checks with changes to list.
const CHECKS: usize = 20;

/// The comparison, if there is one.
pub(super) fn changes(comparison: &Comparison) -> Markup {
    let view = &comparison.view;
    html! {
        section.s.fresh #changes {
            header {
                h2 { "Changes since run " (view.a.run_id) }
                p { "from " (moment(view.a.created_at)) }
            }
            (plans(view))
            div.half { (urls(view)) (checks(view)) }
            (fields(view))
            @for (class, rows) in &comparison.rows {
                @if view.count(*class) > 0 && !rows.is_empty() { (table(*class, rows, view, &comparison.origin)) }
            }
        }
    }
}

/// A warning, if the runs had different settings or one of them saw only a part.
fn plans(view: &ComparisonView) -> Markup {
    let part = |run: &ComparedRun| (!run.is_whole).then(|| format!("Run {} did not see the whole site.", run.run_id));
    let parts: Vec<String> = [&view.a, &view.b].into_iter().filter_map(part).collect();
    if view.plans_differ.is_empty() && parts.is_empty() {
        return html! {};
    }
    html! {
        div.note {
            span aria-hidden="true" { "▲" }
            div {
                @for part in &parts { p { (part) " URLs it does not know count as not visited." } }
                @if !view.plans_differ.is_empty() {
                    p { "The runs had different settings, which may explain differences:" }
                    ul {
                        @for difference in &view.plans_differ {
                            li {
                                code { (difference.setting) }
                                @if let (Some(before), Some(after)) = (&difference.before, &difference.after) {
                                    " was " code { (Web::new(before)) } " and is " code { (Web::new(after)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The colour of a class, and whether it is hatched.
fn look(class: Class) -> (&'static str, bool) {
    match class {
        Class::Appeared => ("f2", false),
        Class::Gone => ("f4", false),
        Class::NotVisited | Class::NotVisitedBefore => ("f3", true),
        Class::Changed => ("f1", false),
        Class::Same => ("f8", false),
    }
}

/// The order of classes in bars: those that both runs have come first.
const ORDER: [Class; 6] =
    [Class::Same, Class::Changed, Class::NotVisited, Class::NotVisitedBefore, Class::Gone, Class::Appeared];

fn urls(view: &ComparisonView) -> Markup {
    let of = |class: Class| view.classes.iter().find(|count| count.class == class);
    let bar = |run: &ComparedRun, size: fn(&crate::compare::ClassCount) -> u64| {
        let parts: Vec<Part> = ORDER
            .into_iter()
            .filter_map(of)
            .map(|count| {
                let (fill, is_hatched) = look(count.class);
                Part { size: size(count), fill, is_hatched }
            })
            .collect();
        html! {
            p.head.tight { span { b { "Run " (run.run_id) } } span.t3.n { (count_of(run)) } }
            (stacked(&parts, &format!("URLs of run {} by what happened to them", run.run_id)))
        }
    };
    html! {
        section.card.pad {
            div.head { h3 { "URLs" } p { (moment(view.a.created_at)) " → " (moment(view.b.created_at)) } }
            (bar(&view.a, |count| count.in_a))
            div.gap {}
            (bar(&view.b, |count| count.in_b))
            div.legend {
                @for count in ORDER.into_iter().filter_map(of).filter(|count| count.urls > 0) {
                    @let (fill, is_hatched) = look(count.class);
                    i class=(if is_hatched { format!("{fill} hatch") } else { fill.to_owned() }) {}
                    span { (class_name(count.class)) }
                    span.r.n { (number(count.urls)) }
                    span {}
                }
            }
            div.sum {
                (sum(&view.a, view, |count| count.in_a))
                (sum(&view.b, view, |count| count.in_b))
            }
            @if !view.not_visited.is_empty() {
                p.t3.small { "Not visited: " (reasons(view)) "." }
            }
        }
    }
}

fn count_of(run: &ComparedRun) -> String {
    count(run.urls, "URL", "URLs")
}

/// The parts of a run, and that they add up.
fn sum(run: &ComparedRun, view: &ComparisonView, size: fn(&crate::compare::ClassCount) -> u64) -> Markup {
    let parts = ORDER.into_iter().filter_map(|class| view.classes.iter().find(|count| count.class == class));
    let parts = parts.filter(|count| size(count) > 0);
    let parts: Vec<String> =
        parts.map(|count| format!("{} {}", number(size(count)), words(count.class.as_str()))).collect();
    html! { span { "Run " (run.run_id) } span.n { (parts.join(" + ")) " = " b { (number(run.urls)) } } }
}

fn reasons(view: &ComparisonView) -> String {
    let reasons = view.not_visited.iter().map(|count| format!("{} {}", number(count.urls), words(count.reason)));
    reasons.collect::<Vec<_>>().join(", ")
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Appeared => "Appeared",
        Class::Gone => "Gone",
        Class::NotVisited => "Not visited this time",
        Class::NotVisitedBefore => "Not visited before",
        Class::Changed => "Changed",
        Class::Same => "Same",
    }
}

/// Checks with new or fixed findings, around a middle line.
fn checks(view: &ComparisonView) -> Markup {
    let changed = |check: &&CheckChange| check.new + check.fixed + check.gone_with_page > 0;
    let all: Vec<&CheckChange> = view.checks.iter().filter(changed).collect();
    let largest = all.iter().map(|check| check.new.max(check.fixed + check.gone_with_page)).max().unwrap_or(1);
    let sum = |of: fn(&CheckChange) -> u64| number(view.checks.iter().map(of).sum());
    html! {
        section.card.pad {
            div.head {
                h3 { "Issues" }
                div.key {
                    span { i.o {} "Fixed or gone " (sum(|check| check.fixed + check.gone_with_page)) }
                    span { i.f4 {} "New " (sum(|check| check.new)) }
                    span { "Still there " (sum(|check| check.still)) }
                }
            }
            @if !view.b.has_issues { p.t3 { "Issues were not compared." } }
            @else if all.is_empty() { p.t3 { "No issue is new or fixed." } }
            @else {
                table {
                    thead { tr {
                        th scope="col" { "Check" } th.both scope="col" { "fixed | new" }
                        th.r scope="col" { "run " (view.a.run_id) " → " (view.b.run_id) }
                    } }
                    tbody { @for check in all.iter().take(CHECKS) { (check_row(check, largest)) } }
                }
                @if all.len() > CHECKS { p.more { "and " (count((all.len() - CHECKS) as u64, "other check", "other checks")) } }
            }
        }
    }
}

fn check_row(check: &CheckChange, largest: u64) -> Markup {
    // Lengths grow with the square root, so that 4 and 689 fit in one column.
    let length = |urls: u64| if urls == 0 { 0.0 } else { ((urls as f64 / largest as f64).sqrt() * 32.0).max(3.0) };
    let fixed = check.fixed + check.gone_with_page;
    let (left, right) = (length(fixed), length(check.new));
    let text = format!("{} fixed or gone, {} new", number(fixed), number(check.new));
    html! {
        tr {
            td { span.row { (priority(check.priority)) span { (check.name) } } }
            td {
                svg.centred width="116" height="16" viewBox="0 0 116 16" role="img" aria-label=(text) {
                    @if fixed > 0 {
                        text x=(format!("{:.1}", 54.0 - left)) y="12" text-anchor="end" { (number(fixed)) }
                        rect.o x=(format!("{:.1}", 57.0 - left)) y="4" width=(format!("{:.1}", (left - 2.0).max(1.0))) height="8" rx="1" {}
                    }
                    @if check.new > 0 {
                        rect.f4 x="59" y="3" width=(format!("{right:.1}")) height="10" rx="1" {}
                        text x=(format!("{:.1}", 63.0 + right)) y="12" { (number(check.new)) }
                    }
                }
            }
            td.r { span.t2 { (number(check.before)) } span.t3 { " → " } b { (number(check.after)) } }
        }
    }
}

/// How many URLs changed in which field.
fn fields(view: &ComparisonView) -> Markup {
    let changed = view.count(Class::Changed);
    let mut fields: Vec<_> = view.fields.iter().filter(|count| count.urls > 0).collect();
    fields.sort_by_key(|count| std::cmp::Reverse(count.urls));
    if fields.is_empty() {
        return html! {};
    }
    html! {
        p.key.below {
            b.t1 { (count(changed, "URL changed", "URLs changed")) ":" }
            @for field in fields { span { (field_name(field.field)) " " b.n { (number(field.urls)) } } }
        }
    }
}

fn field_name(field: Field) -> &'static str {
    match field {
        Field::Status => "Status",
        Field::Redirect => "Redirect target",
        Field::Title => "Title",
        Field::Description => "Description",
        Field::H1 => "H1",
        Field::Canonical => "Canonical",
        Field::Robots => "Robots",
        Field::Indexable => "Indexable",
        Field::Content => "Content",
        Field::Words => "Words",
        Field::Depth => "Depth",
        Field::Inlinks => "Inlinks",
        Field::Reason => "Reason",
    }
}

fn table(class: Class, rows: &[ChangeView], view: &ComparisonView, origin: &str) -> Markup {
    let (total, listed) = (view.count(class), rows.len() as u64);
    html! {
        div.below {
            div.head.near {
                h3 { (class_name(class)) }
                p { @if listed < total { "First " (number(listed)) " of " (number(total)) } @else { (count(total, "URL", "URLs")) } }
            }
            div.card.wrap.split {
                table.wide {
                    @match class {
                        Class::Changed => {
                            thead { tr {
                                th.third scope="col" { "URL" } th scope="col" { "Field" }
                                th scope="col" { "Run " (view.a.run_id) } th scope="col" { "Run " (view.b.run_id) }
                            } }
                            tbody { @for row in rows { (changed(row, origin)) } }
                        },
                        _ => {
                            thead { tr { th scope="col" { "URL" } th scope="col" { "Status" } th scope="col" { "Why" } } }
                            tbody { @for row in rows { (other(row, origin)) } }
                        },
                    }
                }
            }
        }
    }
}

/// A row for each field; fingerprints say nothing to people.
fn changed(row: &ChangeView, origin: &str) -> Markup {
    html! {
        @for (at, field) in row.fields.iter().enumerate() {
            tr {
                td { @if at == 0 { (Link::new(&row.url, origin)) } }
                td.t2.nw { (field_name(field.name)) }
                @if field.name == Field::Content { td.t3 colspan="2" { "The text of the page changed" } }
                @else { (values(field)) }
            }
        }
    }
}

fn values(field: &FieldChange) -> Markup {
    let value = |value: &Option<String>| match value.as_deref() {
        None | Some("") => html! { span.t3 { "–" } },
        Some(value) => html! { bdi { (Web::new(value)) } },
    };
    html! { td.t2 data-label="before" { (value(&field.before)) } td data-label="after" { (value(&field.after)) } }
}

fn other(row: &ChangeView, origin: &str) -> Markup {
    let status = row.fields.iter().find(|field| field.name == Field::Status);
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    html! {
        tr {
            td { (Link::new(&row.url, origin)) }
            td.nw.n { @if let Some(status) = status { (text(&status.before)) " → " (text(&status.after)) } }
            td.t2 { (why(row)) }
        }
    }
}

fn why(row: &ChangeView) -> String {
    let status = |word: &str| word.strip_prefix("status_").map(str::to_owned);
    match (row.class, row.reason) {
        (Class::Gone, Some("not_linked")) => "No page links to it any more".to_owned(),
        (Class::Gone, Some(reason)) => {
            status(reason).map_or_else(String::new, |status| format!("Responds with {status}"))
        }
        (Class::Appeared, Some("not_linked")) => "Linked for the first time".to_owned(),
        (Class::Appeared, Some(reason)) => {
            status(reason).map_or_else(String::new, |status| format!("Was {status} before"))
        }
        (_, reason) => reason.map(title).unwrap_or_default(),
    }
}
