//! From a request to a run that is stored: which run it is of, with which plan, and whether there is room.

use std::collections::BTreeMap;
use std::sync::Arc;

use bluesnake_engine::CrawlError;
use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{Claim, ProjectRow, RunRow};
use tokio::sync::oneshot;

use super::drive;
use super::handle::{Active, SessionHandle};
use super::session::Session;
use crate::app::App;
use crate::error::{AppError, Conflict};
use crate::start::{StartMode, StartRequest, project_address, run_to_resume};

/// Which run a session is to be of.
struct Start {
    /// None = a new one.
    resumes: Option<RunRow>,
    also_paused: Vec<RunRow>,
    is_incremental: bool,
}

impl App {
    /// Starts a crawl, or resumes a run, as the request and the saved settings say. When this returns, the run is stored:
    /// whatever becomes of the program, it is found again.
    pub async fn start_session(&self, request: StartRequest) -> Result<SessionHandle, AppError> {
        // Checked in full before anything is stored: a typo creates no project, and every problem is reported at once.
        let request = StartRequest { kind: request.kind.or(Some(RunKind::Crawl)), ..request };
        request.check()?;
        let address = project_address(&request.urls)?;
        self.check_room()?;
        let url = format!("{}/", address.origin());
        let project = self.catalog().get_or_create_project(address.authority(), &url).await?;
        self.start(project, request).await
    }

    /// Resumes the run of a project that was paused last, of one kind or of all, with the settings it was started with.
    pub async fn resume_project(&self, project: ProjectRow, request: StartRequest) -> Result<SessionHandle, AppError> {
        self.start(project, StartRequest { mode: StartMode::Resume, urls: Vec::new(), ..request }).await
    }

    /// Resumes this very run, with the settings it was started with.
    pub async fn resume_run(&self, run: &RunRow, request: StartRequest) -> Result<SessionHandle, AppError> {
        if !run.can_resume() {
            let (reason, message) = match run.state {
                RunState::InProgress => (Conflict::InProgress, format!("run {} is being crawled", run.id)),
                _ => (Conflict::NoPausedRun, format!("no paused run to resume: run {} is {}", run.id, run.state)),
            };
            let hint = "`bluesnake runs list` shows what can be resumed".to_owned();
            return Err(AppError::Conflict { reason, message, hint });
        }
        let project = self.catalog().project(run.project).await?;
        let mode = StartMode::Resume;
        self.go_on(project, StartRequest { mode, urls: Vec::new(), ..request }, run.clone()).await
    }

    /// Resumes every run that was interrupted by the end of a program, as the request says, and tells what could not be.
    pub async fn resume_interrupted(
        &self,
        request: &StartRequest,
    ) -> Result<Vec<Result<SessionHandle, AppError>>, AppError> {
        let mut interrupted = self.catalog().runs(None).await?;
        interrupted.retain(|run| run.can_resume() && run.was_interrupted());
        // In the order in which they were asked for. Of several runs of a project only one can go on now: the newest.
        let newest: BTreeMap<i64, i64> = interrupted.iter().rev().map(|run| (run.project, run.id)).collect();
        interrupted.sort_by_key(|run| (newest[&run.project] != run.id, run.id));
        let mut resumed = Vec::new();
        for run in interrupted {
            resumed.push(self.resume_run(&run, request.clone()).await);
        }
        Ok(resumed)
    }

    async fn start(&self, project: ProjectRow, request: StartRequest) -> Result<SessionHandle, AppError> {
        self.check_room()?;
        // A run that can be resumed was left by a process that has ended.
        self.take_in_crashed().await?;
        let claim = self.catalog().claim(project.id).await?;
        let (_, is_saved_incremental) = self.saved_settings(project.id).await?;
        let is_incremental = request.is_incremental(is_saved_incremental);
        let mut open = self.catalog().open_runs(project.id, request.kind).await?;
        let resumes = run_to_resume(&request, &project, &open, is_incremental)?;
        open.retain(|run| resumes.as_ref().is_none_or(|resumes| resumes.id != run.id));
        self.begin(claim, project, request, Start { resumes, also_paused: open, is_incremental }).await
    }

    /// Resumes this run, whatever its state.
    pub(crate) async fn go_on(
        &self,
        project: ProjectRow,
        request: StartRequest,
        run: RunRow,
    ) -> Result<SessionHandle, AppError> {
        self.check_room()?;
        self.take_in_crashed().await?;
        let claim = self.catalog().claim(project.id).await?;
        let run = self.catalog().run(run.id).await?;
        let is_incremental = run.is_incremental;
        let mut also_paused = Vec::new();
        if request.mode == StartMode::Resume {
            also_paused = self.catalog().open_runs(project.id, None).await?;
            also_paused.retain(|open| open.id != run.id);
        }
        self.begin(claim, project, request, Start { resumes: Some(run), also_paused, is_incremental }).await
    }

    async fn begin(
        &self,
        claim: Claim,
        project: ProjectRow,
        request: StartRequest,
        start: Start,
    ) -> Result<SessionHandle, AppError> {
        let Start { resumes, also_paused, is_incremental } = start;
        let (saved, _) = self.saved_settings(project.id).await?;
        let kind = resumes.as_ref().map(|run| run.kind).or(request.kind).unwrap_or(RunKind::Crawl);
        let request = StartRequest { kind: Some(kind), ..request };
        let plan = match &resumes {
            None => request.plan(saved)?,
            Some(run) => request.plan_to_resume(run, saved)?,
        };
        let seeds: Vec<&str> = plan.seeds.iter().map(|seed| seed.as_str()).collect();
        let active = Arc::new(Active::new(project, kind, also_paused));
        let session = Session {
            database: self.database().clone(),
            claim,
            seeds: serde_json::to_string(&seeds).expect("addresses are JSON"),
            plan,
            kind,
            refresh: request.refresh,
            retry_failed: request.retry_failed,
            resumes,
            is_incremental,
            hooks: request.hooks,
            active: Arc::clone(&active),
        };
        self.running().active().admit(&active)?;
        let (accept, accepted) = oneshot::channel();
        drive::spawn(self, session, accept);
        match accepted.await {
            Ok(accepted) => accepted.map(|()| SessionHandle { active }),
            Err(_) => Err(CrawlError::Bug("the session ended without being accepted".to_owned()).into()),
        }
    }
}
