//! The error log: failed pages of all captures, newest capture first.

use bluesnake_store::{FailedPage, FailedPages};
use serde::Deserialize;
use utoipa::IntoParams;

use super::view::captured_run;
use crate::app::App;
use crate::error::AppError;
use crate::results::paging::{Limit, Page, position};
use crate::view::view;

/// Which failed pages to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[into_params(parameter_in = Query)]
pub struct ErrorsQuery {
    /// Only pages of this capture.
    pub run_id: Option<i64>,
    /// Only pages of this project.
    #[serde(rename = "projectID")]
    #[param(rename = "projectID")]
    pub project_id: Option<i64>,
    /// Only pages requested at this time or later: Unix time in seconds.
    pub since: Option<i64>,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
    /// `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

view! {
    /// A failed page.
    pub struct CaptureError from page: FailedPage {
        /// Its URL.
        pub url: String = page.url.clone(),
        /// Its canonical form. Only canonical URLs are stored, so both are equal.
        pub canonical_url: String = page.url,
        /// Why.
        pub error: String,
        /// When it was requested: Unix time in seconds.
        pub timestamp: i64 = page.visited_at / 1000,
    }
}

view! {
    /// A failed page of any capture.
    pub struct LoggedError from page: FailedPage {
        /// The capture.
        pub run_id: i64 = page.run,
        /// The project.
        #[serde(rename = "projectID")]
        pub project_id: i64 = page.project,
        /// `host[:port]` of the project.
        pub domain: String = page.host,
        /// The URL of the page.
        pub url: String,
        /// Why it failed.
        pub error: String,
        /// When it was requested: Unix time in seconds.
        pub timestamp: i64 = page.visited_at / 1000,
    }
}

impl App {
    /// One page of the error log.
    pub async fn capture_errors(&self, query: ErrorsQuery) -> Result<Page<LoggedError>, AppError> {
        if let Some(project) = query.project_id {
            self.catalog().project(project).await?;
        }
        if let Some(run) = query.run_id {
            captured_run(self, run).await?;
        }
        let since = query.since.map(|seconds| seconds.saturating_mul(1000));
        let filter = FailedPages { project: query.project_id, run: query.run_id, since };
        let scope = format!("errors {filter:?}");
        let after: Option<(i64, i64)> = position(&scope, query.cursor.as_deref())?;
        let rows = self.contents().failed_pages(filter, after, query.limit.and_one_more()).await?;
        Ok(Page::cut(rows, query.limit, &scope, |row| (row.run, row.number)).map(LoggedError::from))
    }
}
