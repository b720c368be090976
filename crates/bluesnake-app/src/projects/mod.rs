//! Projects with their runs and sessions: find, list, delete.

mod favicon;
mod lists;

use bluesnake_engine::CanonicalUrl;
use bluesnake_store::state::RunKind;
use bluesnake_store::{ProjectRow, RunFilter, Table};

use crate::app::App;
use crate::audit;
use crate::error::{AppError, Conflict};
use crate::export::has_table;
use crate::results::paging::{self, Limit, Page};
use crate::sessions::Phase;
use crate::settings::JOBS;
use crate::view::{ActiveStats, ClearedQueue, Project, ProjectView, QueueStatus, Run, RunView, SessionView};

pub use self::favicon::Reach;
pub use self::lists::{CapturesQuery, RunsQuery};

impl App {
    /// Every project with its current run, ordered by host.
    pub async fn projects(&self) -> Result<Vec<ProjectView>, AppError> {
        let figures = self.catalog().all_project_figures().await?;
        Ok(figures.into_iter().map(ProjectView::from).collect())
    }

    /// A project by number, host or URL.
    pub async fn find_project(&self, text: &str) -> Result<Project, AppError> {
        if let Ok(id) = text.parse() {
            return Ok(self.catalog().project(id).await?.into());
        }
        let host = CanonicalUrl::from_user_input(text).map(|url| url.authority().to_owned());
        let found = match host {
            Ok(host) => self.catalog().project_of_host(&host).await?,
            Err(_) => None,
        };
        found.map(Project::from).ok_or_else(|| AppError::Absent {
            message: format!("no project {text}"),
            hint: "`bluesnake projects list` shows them".to_owned(),
        })
    }

    /// The project of a host or URL, created if missing; a number must exist.
    pub async fn get_or_create_project(&self, text: &str) -> Result<Project, AppError> {
        if text.parse::<i64>().is_ok() {
            return self.find_project(text).await;
        }
        Ok(self.project_at(text).await?.into())
    }

    /// The project of a host or URL, created if missing.
    pub(crate) async fn project_at(&self, text: &str) -> Result<ProjectRow, AppError> {
        let address = crate::start::project_address(&[text.to_owned()])?;
        let url = format!("{}/", address.origin());
        Ok(self.catalog().get_or_create_project(address.authority(), &url).await?)
    }

    /// A project with its current run.
    pub async fn project_view(&self, project: i64) -> Result<ProjectView, AppError> {
        Ok(self.catalog().project_figures(project).await?.into())
    }

    /// A run by its number.
    pub async fn run(&self, run: i64) -> Result<Run, AppError> {
        Ok(self.catalog().run(run).await?.into())
    }

    /// A run by its number, the newest run of a project by host or URL, or the newest of all as `latest`. Bare numbers
    /// are runs.
    pub async fn find_run(&self, text: &str) -> Result<Run, AppError> {
        if let Ok(id) = text.parse() {
            return self.run(id).await;
        }
        if text == "latest" {
            return self.latest_run().await;
        }
        let project = self.find_project(text).await?;
        let newest = self.catalog().newest_run(project.id, None).await?;
        newest.map(Run::from).ok_or_else(|| no_run(&project))
    }

    async fn latest_run(&self) -> Result<Run, AppError> {
        match self.catalog().runs_before(RunFilter::default(), None, 1).await?.first() {
            Some(newest) => self.run(newest.run.id).await,
            None => Err(AppError::Absent {
                message: "no run yet".to_owned(),
                hint: "`bluesnake crawl URL` starts one".to_owned(),
            }),
        }
    }

    /// The same, but for a project the newest run whose job has such a table. If there is none, the newest of all, so
    /// that the error can name it.
    pub async fn find_run_with(&self, table: Table, text: &str) -> Result<Run, AppError> {
        let newest = self.find_run(text).await?;
        if has_table(newest.kind, table) || text.parse::<i64>().is_ok() {
            return Ok(newest);
        }
        let mut found: Option<Run> = None;
        for kind in JOBS.into_iter().filter(|kind| has_table(*kind, table)) {
            let run = self.catalog().newest_run(newest.project, Some(kind)).await?;
            found = found.into_iter().chain(run.map(Run::from)).max_by_key(|run| run.id);
        }
        Ok(found.unwrap_or(newest))
    }

    /// Runs with their sessions, newest first; of one project or all.
    pub async fn runs(&self, project: Option<i64>, job: Option<RunKind>) -> Result<Vec<RunView>, AppError> {
        let filter = RunFilter { project, kind: job, state: None };
        let figures = self.catalog().runs_before(filter, None, i64::MAX as usize).await?;
        Ok(figures.into_iter().map(RunView::from).collect())
    }

    /// A run with its sessions and figures.
    pub async fn run_view(&self, run: i64) -> Result<RunView, AppError> {
        let run = self.catalog().run(run).await?;
        Ok(self.catalog().run_figures(run).await?.into())
    }

    /// The sessions of all runs of a project, oldest first; or of all projects.
    pub async fn sessions(&self, project: Option<i64>) -> Result<Vec<SessionView>, AppError> {
        let newest_first = self.catalog().sessions_before(project, None, i64::MAX as usize).await?;
        Ok(newest_first.into_iter().rev().map(SessionView::from).collect())
    }

    /// One session.
    pub async fn session_view(&self, session: i64) -> Result<SessionView, AppError> {
        Ok(self.catalog().session(session).await?.into())
    }

    /// The run that `resume` refers to: by number, or by site the last paused one of any job. If a site has no such
    /// run, the error names its newest one.
    pub async fn find_run_to_resume(&self, text: &str) -> Result<Run, AppError> {
        if let Ok(id) = text.parse() {
            return self.run(id).await;
        }
        let project = self.find_project(text).await?;
        self.take_in_crashed().await?;
        let current = self.catalog().current_run(project.id, None).await?;
        current.map(Run::from).ok_or_else(|| no_run(&project))
    }

    /// The counts of the current run of a project, of one kind or all.
    pub async fn queue_status(&self, project: i64, kind: Option<RunKind>) -> Result<QueueStatus, AppError> {
        self.catalog().project(project).await?;
        let Some(run) = self.catalog().current_run(project, kind).await? else {
            return Ok(QueueStatus { project_id: project, ..QueueStatus::default() });
        };
        let counts = self.catalog().counts(run.id, self.live_pending(project, run.id)).await?;
        let sessions = self.catalog().sessions(run.id).await?;
        Ok(QueueStatus {
            project_id: project,
            has_queue: counts.seen > 0,
            visited: counts.visited,
            pending: counts.pending,
            total: counts.visited + counts.pending,
            // A run that has seen nothing starts from its seeds.
            can_resume: run.can_resume() && (counts.pending > 0 || counts.seen == 0),
            current_run_id: Some(run.id),
            run_state: run.state.as_str(),
            run_crawl_ids: sessions.iter().map(|session| session.id).collect(),
        })
    }

    /// One page of projects with their latest run, newest first.
    pub async fn projects_page(&self, limit: Limit, cursor: Option<&str>) -> Result<Page<ProjectView>, AppError> {
        let scope = "projects";
        let before: Option<i64> = paging::position(scope, cursor)?;
        let rows = self.catalog().projects_before(before, limit.and_one_more()).await?;
        Ok(Page::cut(rows, limit, scope, |row| row.project.id).map(ProjectView::from))
    }

    /// One page of sessions, newest first; of one project or all.
    pub async fn sessions_page(
        &self,
        project: Option<i64>,
        limit: Limit,
        cursor: Option<&str>,
    ) -> Result<Page<SessionView>, AppError> {
        if let Some(project) = project {
            self.catalog().project(project).await?;
        }
        let scope = format!("sessions of {project:?}");
        let before: Option<i64> = paging::position(&scope, cursor)?;
        let rows = self.catalog().sessions_before(project, before, limit.and_one_more()).await?;
        Ok(Page::cut(rows, limit, &scope, |row| row.id).map(SessionView::from))
    }

    /// The counts of the current run of a project by type; of one kind or all. Cheap, even while it is being crawled.
    pub async fn active_stats(&self, project: i64, kind: Option<RunKind>) -> Result<ActiveStats, AppError> {
        self.catalog().project(project).await?;
        let Some(run) = self.catalog().current_run(project, kind).await? else { return Ok(ActiveStats::default()) };
        let (counts, types) = self.catalog().type_counts(run.id, self.live_pending(project, run.id)).await?;
        Ok(ActiveStats::of(counts, types))
    }

    /// How many URLs are pending in a run of this process, which knows without counting.
    pub(crate) fn live_pending(&self, project: i64, run: i64) -> Option<i64> {
        let snapshots = self.active_session(project)?.snapshots();
        let now = snapshots.borrow();
        (now.run_id == Some(run) && now.phase == Phase::Crawling).then_some(now.pending as i64)
    }

    /// Discards the pending URLs of a project's last paused run, of one kind or all, and completes it; results stay.
    /// Fails while the project is being crawled.
    pub async fn clear_queue(&self, project: i64, kind: Option<RunKind>) -> Result<ClearedQueue, AppError> {
        self.catalog().project(project).await?;
        self.take_in_crashed().await?;
        let claim = self.catalog().claim(project).await?;
        let open = self.catalog().open_runs(project, kind).await?;
        let Some(run) = open.first() else { return Ok(ClearedQueue::default()) };
        let cleared = self.catalog().clear_queue(&claim, run.id).await?;
        audit::after_clearing(self.database(), run).await?;
        Ok(ClearedQueue { run_id: Some(run.id), cleared })
    }

    /// Deletes a project with all its results.
    pub async fn delete_project(&self, project: i64) -> Result<(), AppError> {
        Ok(self.catalog().delete_project(project).await?)
    }

    /// Deletes a run and all its results.
    pub async fn delete_run(&self, run: i64) -> Result<(), AppError> {
        Ok(self.catalog().delete_run(run).await?)
    }

    /// Deletes a session that is the only one of its run, and so the run. One of several cannot be deleted.
    pub async fn delete_session(&self, session: i64) -> Result<(), AppError> {
        let run = self.catalog().session(session).await?.run;
        let sessions = self.catalog().sessions(run).await?.len();
        if sessions > 1 {
            return Err(AppError::Conflict {
                reason: Conflict::RunHasSessions,
                message: format!(
                    "session {session} is one of {sessions} sessions of run {run}, whose results belong together"
                ),
                hint: format!("`bluesnake runs delete {run}` removes all of them"),
            });
        }
        self.delete_run(run).await
    }
}

fn no_run(project: &Project) -> AppError {
    bluesnake_store::DatabaseError::NotFound(format!("{} has no run yet", project.host)).into()
}

/// The origin of a URL as typed by a user: `https://example.com`.
pub fn origin_of(url: &str) -> Option<String> {
    CanonicalUrl::from_user_input(url).ok().map(|url| url.origin().to_owned())
}
