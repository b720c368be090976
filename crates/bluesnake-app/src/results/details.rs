//! Everything about one URL of a run: its facts, headers, redirects, duplicates and issues, and the links from and to it.

use std::collections::BTreeMap;

use bluesnake_engine::plan::AuditSettings;
use bluesnake_store::{Cell, Column, Hop, Table, row_columns};
use serde_json::Value;

use super::paging::Span;
use super::rows::whole_row;
use super::window::Window;
use crate::app::App;
use crate::audit::stored_settings;
use crate::error::AppError;
use crate::view::{CheckText, HeaderView, HopView, InlinkView, LinkView, UrlDetail, UrlIssueView};

impl App {
    /// The number of a URL that a run has seen.
    pub async fn url_number(&self, run: i64, url: &str) -> Result<u32, AppError> {
        Ok(self.number_of(run, url).await?.0)
    }

    /// Everything about one URL of a run.
    pub async fn url(&self, run: i64, number: u32) -> Result<UrlDetail, AppError> {
        self.has_table(run, Table::Urls).await?;
        // First, so that a run that is completed meanwhile has the findings of one audit or the other.
        let live = self.live_audit(run).await?;
        let found = self.contents().url_details(run, number).await?;
        let (issues, settings) = match live {
            None => {
                let audit = self.contents().audit(run).await?;
                (found.issues, audit.map(|audit| stored_settings(&audit.settings)).unwrap_or_default())
            }
            Some(live) => (live.issues_of(number), live.settings().clone()),
        };
        Ok(UrlDetail {
            run_id: run,
            version: found.version,
            row: whole_row(found.row),
            facts: found.facts.as_deref().map(json),
            extracted: found.extracted.as_deref().map(json),
            headers: found.headers.into_iter().map(|(name, value)| HeaderView { name, value }).collect(),
            chain: hops(found.chain),
            identical: hops(found.identical),
            duplicates: hops(found.duplicates),
            near_duplicates: hops(found.near_duplicates),
            issues: issues.into_iter().filter_map(|(id, detail)| issue(&id, detail, &settings)).collect(),
        })
    }

    /// The documents that link to a URL, in number order.
    pub async fn inlinks(&self, run: i64, number: u32, span: Span) -> Result<Window<InlinkView>, AppError> {
        self.has_table(run, Table::Links).await?;
        let sources = self.live_audit(run).await?.map(|live| live.sources(number));
        let found = self.contents().inlinks_window(run, number, sources, span.offset, span.limit.get()).await?;
        Ok(Window::of(found, |row| InlinkView { link: row.link.into(), links: row.links }))
    }

    /// The links of a document, in document order.
    pub async fn outlinks(&self, run: i64, number: u32, span: Span) -> Result<Window<LinkView>, AppError> {
        self.has_table(run, Table::Links).await?;
        let found = self.contents().outlinks_window(run, number, span.offset, span.limit.get()).await?;
        Ok(Window::of(found, LinkView::from))
    }

    /// The URLs of these numbers.
    pub(super) async fn urls_of(&self, run: i64, numbers: Vec<u32>) -> Result<BTreeMap<u32, String>, AppError> {
        let columns: Vec<Column> =
            row_columns().iter().copied().filter(|column| ["number", "url"].contains(&column.name)).collect();
        let rows = self.contents().rows_of(run, numbers, columns).await?;
        let pairs = rows.into_iter().filter_map(|row| match <[Cell; 2]>::try_from(row) {
            Ok([Cell::Integer(number), Cell::Text(url)]) => Some((number as u32, url)),
            _ => None,
        });
        Ok(pairs.collect())
    }
}

/// What the store keeps as JSON.
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn hops(found: Vec<Hop>) -> Vec<HopView> {
    found.into_iter().map(HopView::from).collect()
}

/// An issue with the texts of its check; none if this version does not know the check.
fn issue(id: &str, detail: Option<String>, settings: &AuditSettings) -> Option<UrlIssueView> {
    let check = bluesnake_audit::check(id)?;
    Some(UrlIssueView { check: CheckText::of(check, check.title(settings)), detail })
}
