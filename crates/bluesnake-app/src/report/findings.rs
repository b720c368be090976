//! Every check with findings: what it found, why it matters, how to fix it, and where.

use maud::{Markup, html};

use super::data::Issues;
use super::format::{count, number, percent, title};
use super::overview::priority;
use super::web::{Link, Web};
use crate::view::{CheckView, SharedView};

/// How many findings of templates to list for each check.
const SHARED: usize = 5;

/// All checks with findings, grouped by priority.
pub(super) fn findings(issues: &Issues, origin: &str) -> Markup {
    if issues.findings().next().is_none() {
        return html! {};
    }
    html! {
        section.s.fresh #findings {
            header { h2 { "Findings" } p { "Why each one matters, how to fix it, and the first URLs" } }
            @for name in ["high", "medium", "low"] {
                @let mut found = issues.findings().filter(|(check, _)| check.priority == name).peekable();
                @if found.peek().is_some() {
                    div.card.group.above {
                        div.gh { (priority(name)) (title(name)) " priority" }
                        @for (check, urls) in found { (finding(check, urls, issues.view.pages, origin)) }
                    }
                }
            }
        }
    }
}

fn finding(check: &CheckView, urls: &[(Link, Option<Web>)], pages: u64, origin: &str) -> Markup {
    let kind = match check.kind {
        "issue" => "tag err",
        "warning" => "tag warn",
        _ => "tag",
    };
    html! {
        article.check id=(check.id) {
            div.ch {
                div {
                    div.t { span class=(kind) { (title(check.kind)) } span.tag { (title(check.theme)) } }
                    h3 { @if let Some(summary) = &check.summary { (summary) } @else { (check.name) } }
                    p.t3 { (check.name) }
                }
                div.big.n {
                    (number(check.urls))
                    small {
                        @if check.share.is_some() { (percent(check.urls, pages)) " of pages" }
                        @else if check.urls == 1 { "URL" } @else { "URLs" }
                    }
                }
            }
            div.why {
                div { b { "Why it matters" } p { (check.why) } }
                div { b { "How to fix it" } p { (check.fix) } }
            }
            @if !check.shared.is_empty() { (templates(&check.shared, origin)) }
            @if !urls.is_empty() { (affected(check, urls)) }
        }
    }
}

/// Findings that come from a template: one change fixes many pages.
fn templates(shared: &[SharedView], origin: &str) -> Markup {
    html! {
        ul.shared {
            @for one in shared.iter().take(SHARED) {
                li {
                    b.n { "On " (number(one.pages)) " of " (count(one.of, "page", "pages")) }
                    @if let Some(detail) = &one.detail { ": " bdi { (Web::new(detail)) } }
                    @if let Some(element) = &one.element { div.el { bdi { (Web::new(element)) } } }
                    div.t3 { "First on " (Link::new(&one.first_url, origin)) }
                }
            }
            @if shared.len() > SHARED {
                li.t3 { "and " (number((shared.len() - SHARED) as u64)) " more shared by many pages" }
            }
        }
    }
}

fn affected(check: &CheckView, urls: &[(Link, Option<Web>)]) -> Markup {
    let has_details = urls.iter().any(|(_, detail)| detail.is_some());
    let (listed, findings) = (urls.len() as u64, check.findings);
    html! {
        details open {
            summary {
                @if listed < findings { "First " (number(listed)) " of " (number(findings)) " findings" }
                @else { (count(findings, "finding", "findings")) }
            }
            table.wide {
                thead { tr { th scope="col" { "URL" } @if has_details { th scope="col" { "Detail" } } } }
                tbody {
                    @for (url, detail) in urls {
                        tr {
                            td { (url) }
                            @if has_details {
                                td.t2 { @if let Some(detail) = detail { bdi { (detail) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}
