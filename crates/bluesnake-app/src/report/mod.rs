//! A run as one HTML file to send: no script, no request to anywhere, readable on a phone and on paper.
//!
//! `data.rs` reads what is shown; the other files are its sections. Foreign text is always a [`web::Web`], and the
//! templates escape whatever they are given.

mod changes;
mod charts;
mod data;
mod findings;
mod format;
mod overview;
mod tables;
mod web;

use bluesnake_store::state::RunKind;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::app::{App, Work};
use crate::error::AppError;
use crate::view::RunView;

use self::data::Data;
pub(crate) use self::format::number;
use self::web::Web;

/// The largest report, in bytes.
const LARGEST: usize = 1_000_000;
/// How many URLs to list for each check and each class of changes; the next one if a report is too large.
const LISTED: [usize; 5] = [20, 10, 5, 2, 0];
/// Nothing but the styles in the file itself: an attack through a flaw of ours would have nothing to work with.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

impl App {
    /// The report of a run as an HTML document, at most 1 MB, with what changed since another run if one is given.
    /// Secrets in URLs are masked.
    /// It shows no more of the run itself than `run` does, from which a caller may have removed what others must not see.
    pub fn report(&self, run: RunView, against: Option<i64>) -> Work<'_, String> {
        Box::pin(async move {
            if run.kind == RunKind::Weave.as_str() {
                return Err(AppError::Rejected {
                    message: format!("run {} is a weave; only audits and captures have reports", run.id),
                    hint: "`bluesnake runs list` shows what each run is for".to_owned(),
                });
            }
            let mut report = String::new();
            for listed in LISTED {
                report = page(&Data::read(self, &run, against, listed).await?).into_string();
                if report.len() <= LARGEST {
                    break;
                }
            }
            Ok(report)
        })
    }
}

fn page(data: &Data) -> Markup {
    let site = Web::new(&data.run.domain);
    let origin = data.origin.as_str();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                meta name="generator" content={ "bluesnake " (crate::VERSION) };
                title { "Report of " (site) ", run " (data.run.id) }
                style { (PreEscaped(include_str!("report.css"))) }
            }
            body {
                (charts::patterns())
                div.page {
                    header.top { (logo()) span { "Site report" } }
                    main {
                        (overview::hero(data))
                        (overview::tiles(data))
                        (overview::overview(data))
                        @if let Some(comparison) = &data.comparison { (changes::changes(comparison)) }
                        @if let Some(issues) = &data.issues { (findings::findings(issues, origin)) }
                        (tables::extremes(data))
                        (tables::limits(data))
                        (tables::receipt(data))
                        (tables::settings(data))
                        @if let Some(issues) = &data.issues { (tables::checks(issues)) }
                    }
                    footer {
                        span { "Report of run " (data.run.id) " of " (site) }
                        span { "Made with bluesnake " (crate::VERSION) }
                    }
                }
            }
        }
    }
}

fn logo() -> Markup {
    html! {
        span.logo {
            svg viewBox="0 0 24 24" aria-hidden="true" {
                path d="M17.5 5.5H10a3.75 3.75 0 0 0 0 7.5h4a3 3 0 0 1 0 6H5" fill="none" stroke="var(--accent)"
                    stroke-width="3.4" stroke-linecap="round" {}
                circle cx="18" cy="5.5" r="2.9" fill="var(--accent)" {}
                circle cx="18.9" cy="4.9" r=".9" fill="var(--surface)" {}
            }
            "bluesnake"
        }
    }
}
