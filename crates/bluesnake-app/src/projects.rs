//! Projects, runs and crawls: finding them, listing them, removing them.

use bluesnake_engine::CanonicalUrl;
use bluesnake_store::{ProjectRow, RunRow};

use crate::error::AppError;
use crate::running::App;
use crate::view::{CrawlView, ProjectView, QueueStatus, RunView};

impl App {
    /// Every project with its latest run, in the order of hosts.
    pub async fn projects(&self) -> Result<Vec<ProjectView>, AppError> {
        let mut views = Vec::new();
        for project in self.database().projects().await? {
            views.push(self.project_view(project).await?);
        }
        Ok(views)
    }

    /// A project by number, host or URL.
    pub async fn find_project(&self, text: &str) -> Result<ProjectRow, AppError> {
        if let Ok(id) = text.parse() {
            return Ok(self.database().project(id).await?);
        }
        let host = CanonicalUrl::from_user_input(text).map(|url| url.authority().to_owned());
        let found = match host {
            Ok(host) => self.database().project_of_host(&host).await?,
            Err(_) => None,
        };
        found.ok_or_else(|| {
            bluesnake_store::DatabaseError::NotFound(format!(
                "there is no project {text}; `bluesnake projects list` shows them"
            ))
            .into()
        })
    }

    /// The project of a host or URL, made when it is not there; a number must be there.
    pub async fn get_or_create_project(&self, text: &str) -> Result<ProjectRow, AppError> {
        if text.parse::<i64>().is_ok() {
            return self.find_project(text).await;
        }
        let address = crate::start::project_address(&[text.to_owned()])?;
        let url = format!("{}/", address.origin());
        Ok(self.database().get_or_create_project(address.authority(), &url).await?)
    }

    /// A project with its latest run.
    pub async fn project_view(&self, project: ProjectRow) -> Result<ProjectView, AppError> {
        let runs = self.database().runs(Some(project.id)).await?;
        let crawls = match runs.first() {
            Some(run) => self.database().crawls(run.id).await?,
            None => Vec::new(),
        };
        let pages = crawls.iter().map(|crawl| crawl.pages).sum();
        Ok(ProjectView::of(project, &runs, crawls.last(), pages))
    }

    /// A run by its number, or the newest run of a project by host or URL. Bare numbers are runs.
    pub async fn find_run(&self, text: &str) -> Result<RunRow, AppError> {
        if let Ok(id) = text.parse() {
            return Ok(self.database().run(id).await?);
        }
        let project = self.find_project(text).await?;
        let newest = self.database().runs(Some(project.id)).await?.into_iter().next();
        newest
            .ok_or_else(|| bluesnake_store::DatabaseError::NotFound(format!("{} has no run yet", project.host)).into())
    }

    /// Runs with their sessions, the newest first; of one project or of all.
    pub async fn runs(&self, project: Option<i64>) -> Result<Vec<RunView>, AppError> {
        let mut views = Vec::new();
        for run in self.database().runs(project).await? {
            views.push(self.run_view(run).await?);
        }
        Ok(views)
    }

    /// A run with its sessions and figures.
    pub async fn run_view(&self, run: RunRow) -> Result<RunView, AppError> {
        let counts = self.database().counts(run.id).await?;
        let crawls = self.database().crawls(run.id).await?;
        let domain = self.database().project(run.project).await?.host;
        Ok(RunView::of(run, domain, counts, &crawls))
    }

    /// The sessions of all runs of a project, the first first; or of all projects.
    pub async fn crawls(&self, project: Option<i64>) -> Result<Vec<CrawlView>, AppError> {
        let mut views = Vec::new();
        for run in self.database().runs(project).await?.into_iter().rev() {
            views.extend(self.database().crawls(run.id).await?.iter().map(CrawlView::from));
        }
        Ok(views)
    }

    /// One session.
    pub async fn crawl_view(&self, crawl: i64) -> Result<CrawlView, AppError> {
        Ok(CrawlView::from(&self.database().crawl(crawl).await?))
    }

    /// How far the newest run of a project is.
    pub async fn queue_status(&self, project: i64) -> Result<QueueStatus, AppError> {
        self.database().project(project).await?;
        let Some(run) = self.database().runs(Some(project)).await?.into_iter().next() else {
            return Ok(QueueStatus { project_id: project, ..QueueStatus::default() });
        };
        let counts = self.database().counts(run.id).await?;
        let crawls = self.database().crawls(run.id).await?;
        let pending = if run.was_closed() { 0 } else { counts.pending };
        Ok(QueueStatus {
            project_id: project,
            has_queue: counts.seen > 0 && !run.was_closed(),
            visited: counts.visited,
            pending,
            total: counts.visited + pending,
            can_resume: run.can_resume() && pending > 0,
            current_run_id: Some(run.id),
            run_state: run.state.as_str(),
            run_crawl_ids: crawls.iter().map(|crawl| crawl.id).collect(),
        })
    }

    /// Gives up what is left of the paused run of a project: it keeps its results, and nothing of it is resumed.
    pub async fn clear_queue(&self, project: i64) -> Result<(), AppError> {
        self.database().project(project).await?;
        let claim = self.database().claim(project).await?;
        match self.database().close_run(&claim).await? {
            Some(_) => Ok(()),
            None => Err(AppError::Conflict {
                message: format!("project {project} has no paused run, so nothing waits in its queue"),
                hint: "only a run that is paused or failed has a queue to clear".to_owned(),
            }),
        }
    }

    /// Whether the database answers.
    pub async fn check_database(&self) -> Result<(), AppError> {
        let limits = bluesnake_store::Limits { rows: 1, time: std::time::Duration::from_secs(5) };
        self.query("SELECT count(*) FROM projects", limits).await?;
        Ok(())
    }

    /// Removes a project with everything that was found.
    pub async fn delete_project(&self, project: i64) -> Result<(), AppError> {
        Ok(self.database().delete_project(project).await?)
    }

    /// Removes a run with everything that was found.
    pub async fn delete_run(&self, run: i64) -> Result<(), AppError> {
        Ok(self.database().delete_run(run).await?)
    }

    /// Removes a crawl that is the only session of its run, and so the run. One of several cannot be taken out.
    pub async fn delete_crawl(&self, crawl: i64) -> Result<(), AppError> {
        let run = self.database().crawl(crawl).await?.run;
        let sessions = self.database().crawls(run).await?.len();
        if sessions > 1 {
            return Err(AppError::Conflict {
                message: format!(
                    "crawl {crawl} is one of {sessions} sessions of run {run}, whose results belong together"
                ),
                hint: format!("`bluesnake runs delete {run}` removes all of them"),
            });
        }
        self.delete_run(run).await
    }
}
