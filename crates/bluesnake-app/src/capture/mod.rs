//! Captures: documentation sites as clean Markdown.
//!
//! A capture is a run like any other, with a reader: `reader.rs` extracts a document from each page, the store keeps
//! it, `settle.rs` removes what all pages repeat from the search index, `pages.rs` returns the documents, and
//! `search.rs` searches them.

mod errors;
mod masked;
pub mod output;
mod pages;
mod preview;
mod reader;
mod search;
mod settle;
mod single;
mod view;
mod write;

use std::future::Future;
use std::path::Path;

use self::output::{OutputOptions, Written};
use crate::app::{App, off_the_runtime};
use crate::config::Saved;
use crate::error::AppError;
use crate::request::CaptureRequest;
use crate::results::paging::{Limit, Page, position};
use crate::secrets::Secrets;
use crate::start::{Caller, project_address};
use crate::view::{DocumentView, Run};

pub use errors::{CaptureError, ErrorsQuery, LoggedError};
pub use pages::{CapturedPage, Heading};
pub use preview::{Previewed, preview};
pub use search::Found;
pub use single::{FetchedPage, fetch_page};
pub use view::{CaptureBase, CaptureStatus, CaptureView};

pub(crate) use pages::Repeated;
pub(crate) use reader::{earlier, reader};
pub(crate) use settle::settle;

impl App {
    /// The newest capture of a project.
    pub async fn newest_capture(&self, project: &str) -> Result<Run, AppError> {
        let project = self.find_project(project).await?;
        let run = self.catalog().captured_runs(Some(project.id)).await?.first().copied();
        let run = run.ok_or_else(|| AppError::Absent {
            message: format!("{} was not captured", project.host),
            hint: format!("`bluesnake capture {}` does that", project.url),
        })?;
        self.run(run).await
    }

    /// The figures of a capture.
    pub async fn capture(&self, run: i64) -> Result<CaptureView, AppError> {
        view::capture(self, run).await
    }

    /// One page of the list of captured pages, without their texts.
    pub async fn captured_pages(
        &self,
        run: i64,
        limit: Limit,
        cursor: Option<&str>,
    ) -> Result<Page<DocumentView>, AppError> {
        let scope = format!("documents of {run}");
        let after: Option<i64> = position(&scope, cursor)?;
        self.capture(run).await?;
        let rows = self.contents().documents_after(run, after.unwrap_or(0), limit.and_one_more()).await?;
        Ok(Page::cut(rows, limit, &scope, |row| row.number).map(DocumentView::from))
    }

    /// A page of a capture by one of its URLs, as in its file.
    pub async fn captured_page(&self, run: i64, url: &str) -> Result<CapturedPage, AppError> {
        let number = self.number_of(run, url).await?;
        let row = self.contents().document_of(run, number).await?.ok_or_else(|| AppError::Absent {
            message: format!("run {run} has no document of {url}"),
            hint: "only captures have documents; start one with `bluesnake capture URL`".to_owned(),
        })?;
        let app = self.clone();
        off_the_runtime(move || pages::page_of(row, pages::corpus(&app, run)?.as_ref())).await
    }

    /// Writes the pages of captures to a folder or file. A page in several of them is taken from the first.
    pub async fn write_captures(&self, runs: &[i64], path: &Path, options: OutputOptions) -> Result<Written, AppError> {
        let mut base_urls = Vec::new();
        for run in runs {
            base_urls.extend(self.capture(*run).await?.bases.into_iter().map(|base| base.url));
        }
        let (app, runs, path) = (self.clone(), runs.to_vec(), path.to_owned());
        off_the_runtime(move || write::write(&app, &runs, &path, options, base_urls)).await
    }

    /// Searches the newest complete capture of each seed, or of those of one project.
    pub async fn search_captures(
        &self,
        words: &str,
        project: Option<i64>,
        limit: usize,
        secrets: Secrets,
    ) -> Result<Vec<Found>, AppError> {
        let runs = self.catalog().captured_runs(project).await?;
        let found = search::search(self, words, runs, limit).await?;
        Ok(found.into_iter().map(|section| search::shown(section, secrets)).collect())
    }

    /// Searches one capture, which need not be the newest or complete.
    pub async fn search_capture(
        &self,
        words: &str,
        run: i64,
        limit: usize,
        secrets: Secrets,
    ) -> Result<Vec<Found>, AppError> {
        self.capture(run).await?;
        let found = search::search(self, words, vec![run], limit).await?;
        Ok(found.into_iter().map(|section| search::shown(section, secrets)).collect())
    }

    /// Like [`preview`], with the saved settings of the project. Uses a session slot meanwhile.
    pub async fn preview(
        &self,
        request: &CaptureRequest,
        caller: Caller,
        stop: impl Future<Output = ()>,
    ) -> Result<Vec<Previewed>, AppError> {
        let saved = self.settings_for(request).await?;
        let _place = self.running().place().await;
        preview::preview(request, caller, saved, stop).await
    }

    /// The saved settings of the project a request would belong to; a new site has none.
    pub async fn settings_for(&self, request: &CaptureRequest) -> Result<Saved, AppError> {
        let address = project_address(&request.urls)?;
        match self.catalog().project_of_host(address.authority()).await? {
            Some(project) => Ok(self.saved_settings(project.id).await?.0),
            None => Ok(Saved::default()),
        }
    }
}
