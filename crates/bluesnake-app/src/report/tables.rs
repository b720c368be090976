//! The end of a report: slow and large URLs, what limits cut, the whole receipt, settings and checks without findings.

use bluesnake_engine::Disposition;
use maud::{Markup, html};

use super::data::{Data, Issues};
use super::format::{bytes, count, milliseconds, number, percent, title, words};
use super::web::Link;

/// The slowest pages and the largest URLs.
pub(super) fn extremes(data: &Data) -> Markup {
    let slowest: Vec<_> = data.slowest.iter().map(|(url, ms)| (url, milliseconds(*ms))).collect();
    let largest: Vec<_> = data.largest.iter().map(|(url, size)| (url, bytes(*size))).collect();
    html! {
        section.s {
            header { h2 { "Speed and size" } p { "One measurement each: times differ from run to run" } }
            div.half {
                (ranking("Slowest pages", "Time", &slowest))
                (ranking("Largest files of the site", "Decoded size", &largest))
            }
        }
    }
}

fn ranking(name: &str, what: &str, rows: &[(&Link, String)]) -> Markup {
    html! {
        div.card.wrap {
            table {
                thead { tr { th scope="col" { (name) } th.r scope="col" { (what) } } }
                tbody {
                    @for (url, value) in rows { tr { td { (url) } td.r { (value) } } }
                    @if rows.is_empty() { tr { td.t3 colspan="2" { "None" } } }
                }
            }
        }
    }
}

/// URLs that a limit kept from being read, as a whole or in part.
pub(super) fn limits(data: &Data) -> Markup {
    let (urls, total) = &data.cut;
    let refused = data.receipt.reasons(Disposition::Refused);
    if urls.is_empty() && refused.is_empty() {
        return html! {};
    }
    html! {
        section.s {
            header { h2 { "Limits" } p { "Rules and limits that kept URLs from being read" } }
            div.half {
                div.card.wrap {
                    table {
                        thead { tr { th scope="col" { "Refused" } th.r scope="col" { "URLs" } } }
                        tbody {
                            @for (reason, count) in &refused {
                                tr { td { (title(reason.as_str())) } td.r { (number(*count)) } }
                            }
                            @if refused.is_empty() { tr { td.t3 colspan="2" { "No URL was refused" } } }
                        }
                    }
                }
                div.card.wrap {
                    table {
                        thead { tr { th scope="col" { "Truncated" } th scope="col" { "What" } } }
                        tbody {
                            @for (url, what) in urls { tr { td { (url) } td.t2 { (what) } } }
                            @if urls.is_empty() { tr { td.t3 colspan="2" { "No response was truncated" } } }
                        }
                    }
                    @if *total > urls.len() as u64 {
                        p.more.last { "and " (number(total - urls.len() as u64)) " more" }
                    }
                }
            }
        }
    }
}

/// Every reason of every class, down to the total.
pub(super) fn receipt(data: &Data) -> Markup {
    let seen = data.receipt.seen();
    html! {
        section.s #receipt {
            header { h2 { "Receipt" } p { "Every URL ever seen, once" } }
            div.card.wrap.split {
                table {
                    thead { tr {
                        th scope="col" { "Outcome" } th scope="col" { "Reason" } th.r scope="col" { "URLs" }
                        th.r scope="col" { "Share" }
                    } }
                    tbody {
                        @for (disposition, count) in data.classes() {
                            @for (at, (reason, part)) in data.receipt.reasons(disposition).into_iter().enumerate() {
                                tr {
                                    td { @if at == 0 { b { (title(disposition.as_str())) } " " span.t3.n { (number(count)) } } }
                                    td.t2 { (words(reason.as_str())) }
                                    td.r { (number(part)) }
                                    td.r.t3 { (percent(part, seen)) }
                                }
                            }
                        }
                        tr { td { b { "URLs seen" } } td {} td.r { b { (number(seen)) } } td.r.t3 { "100 %" } }
                    }
                }
            }
        }
    }
}

/// What the run was asked to do.
pub(super) fn settings(data: &Data) -> Markup {
    html! {
        section.s {
            header { h2 { "Settings" } p { "What differs from the defaults" } }
            div.card.wrap {
                table {
                    thead { tr { th.third scope="col" { "Setting" } th scope="col" { "Value" } } }
                    tbody {
                        tr { td { "seeds" } td { @for (at, seed) in data.run.seeds.iter().take(5).enumerate() {
                            @if at > 0 { ", " } (Link::new(seed, ""))
                        } @if data.run.seed_count > 5 { " and " (number(data.run.seed_count - 5)) " more" } } }
                        @for (name, value) in &data.settings { tr { td { code { (name) } } td { code { (value) } } } }
                    }
                }
            }
        }
    }
}

/// Checks that passed, and those that were not made.
pub(super) fn checks(issues: &Issues) -> Markup {
    let all = &issues.view.checks;
    let passed: Vec<_> = all.iter().filter(|check| check.urls == 0 && check.not_checked.is_none()).collect();
    let not_made: Vec<_> = all.iter().filter_map(|check| Some((&check.name, check.not_checked.as_ref()?))).collect();
    html! {
        section.s {
            header { h2 { "Checks without findings" } p { (count(passed.len() as u64, "check", "checks")) " passed" } }
            div.card.pad.split {
                ul.cols { @for check in passed { li { (check.name) } } }
                @if !not_made.is_empty() {
                    h3.after { (count(not_made.len() as u64, "check", "checks")) " skipped" }
                    ul.cols { @for (name, why) in not_made { li { (name) " " span.t3 { "– " (why) } } } }
                }
            }
        }
    }
}
