//! Lists of runs and captures over all projects, newest first.

use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{RunFigures, RunFilter};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::App;
use crate::error::AppError;
use crate::results::paging::{self, Limit, Page};
use crate::results::{Job, RunStates, job};
use crate::view::{CaptureRunView, RunView};

/// Which runs to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[into_params(parameter_in = Query)]
pub struct RunsQuery {
    /// Only runs of this job; `audit` is another name for `crawl`.
    #[serde(deserialize_with = "job")]
    #[param(value_type = Option<Job>, inline)]
    pub job: Option<RunKind>,
    /// Only runs in this state.
    #[param(value_type = Option<RunStates>, inline)]
    pub state: Option<RunState>,
    /// Only runs of this project.
    #[serde(rename = "projectID")]
    #[param(rename = "projectID")]
    pub project_id: Option<i64>,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
    /// `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// Which captures to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[into_params(parameter_in = Query)]
pub struct CapturesQuery {
    /// Only captures whose run is in this state.
    #[param(value_type = Option<RunStates>, inline)]
    pub state: Option<RunState>,
    /// Only captures of this project.
    #[serde(rename = "projectID")]
    #[param(rename = "projectID")]
    pub project_id: Option<i64>,
    /// Maximum number of rows.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000, default = 100)]
    pub limit: Limit,
    /// `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

impl RunsQuery {
    /// The runs of one project.
    pub fn of_project(project: i64, limit: Limit, cursor: Option<String>) -> Self {
        Self { project_id: Some(project), limit, cursor, ..Self::default() }
    }
}

impl From<CapturesQuery> for RunsQuery {
    fn from(query: CapturesQuery) -> Self {
        let CapturesQuery { state, project_id, limit, cursor } = query;
        Self { job: Some(RunKind::Capture), state, project_id, limit, cursor }
    }
}

impl App {
    /// One page of runs with their sessions.
    pub async fn runs_list(&self, query: RunsQuery) -> Result<Page<RunView>, AppError> {
        Ok(self.listed(query).await?.map(RunView::from))
    }

    /// One page of captures, without figures that need counting.
    pub async fn captures_list(&self, query: CapturesQuery) -> Result<Page<CaptureRunView>, AppError> {
        Ok(self.listed(query.into()).await?.map(CaptureRunView::from))
    }

    async fn listed(&self, query: RunsQuery) -> Result<Page<RunFigures>, AppError> {
        if let Some(project) = query.project_id {
            self.catalog().project(project).await?;
        }
        let filter = RunFilter { project: query.project_id, kind: query.job, state: query.state };
        let scope = format!("runs {filter:?}");
        let before: Option<i64> = paging::position(&scope, query.cursor.as_deref())?;
        let rows = self.catalog().runs_before(filter, before, query.limit.and_one_more()).await?;
        Ok(Page::cut(rows, query.limit, &scope, |row| row.run.id))
    }
}
