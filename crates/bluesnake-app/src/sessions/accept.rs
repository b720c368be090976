//! From a request to a stored run: which run it belongs to, with which plan, and whether there is room.

use std::collections::BTreeMap;
use std::sync::Arc;

use bluesnake_engine::CrawlError;
use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{Claim, ProjectRow, RunRow};
use tokio::sync::oneshot;

use super::drive;
use super::handle::{Active, SessionHandle};
use super::session::Session;
use crate::app::{App, Work};
use crate::error::{AppError, Conflict};
use crate::rendering::browser_for;
use crate::request::{ResumeRequest, StartMode, StartRequest};
use crate::start::{Asked, Caller, project_address, run_to_resume};
use crate::view::Run;

/// Which run a session belongs to.
struct Start {
    /// `None` = a new one.
    resumes: Option<RunRow>,
    also_paused: Vec<RunRow>,
    is_incremental: bool,
}

impl Asked {
    fn to_resume(request: ResumeRequest, caller: Caller) -> Self {
        let ResumeRequest { settings, force, kind } = request;
        Self { kind, settings, force, caller, mode: StartMode::Resume, ..Self::default() }
    }
}

impl App {
    /// Starts a job or resumes a run, according to the request and the saved settings. When this returns, the run is
    /// stored and survives a crash.
    pub fn start(&self, request: impl Into<StartRequest>, caller: Caller) -> Work<'_, SessionHandle> {
        let asked = Asked { caller, ..request.into().into() };
        if asked.kind == Some(RunKind::Weave) {
            Box::pin(self.weave(asked))
        } else {
            Box::pin(self.start_project(asked))
        }
    }

    /// Starts or resumes a run of the project of the first URL.
    pub(crate) async fn start_project(&self, asked: Asked) -> Result<SessionHandle, AppError> {
        // No list is fetched for a crawl that could not start.
        self.check_room()?;
        let asked = asked.with_list().await?;
        // Checked in full before anything is stored: a typo creates no project, and every problem is reported at once.
        asked.check()?;
        let address = project_address(&asked.urls)?;
        self.check_room()?;
        let url = format!("{}/", address.origin());
        let project = self.catalog().get_or_create_project(address.authority(), &url).await?;
        self.admit(project, asked).await
    }

    /// Resumes the last paused run of a project, of the requested job or any, with its original settings.
    pub fn resume_project(&self, project: i64, request: ResumeRequest, caller: Caller) -> Work<'_, SessionHandle> {
        Box::pin(async move {
            let project = self.catalog().project(project).await?;
            self.admit(project, Asked::to_resume(request, caller)).await
        })
    }

    /// Resumes this run, with its original settings.
    pub fn resume_run(&self, run: i64, request: ResumeRequest, caller: Caller) -> Work<'_, SessionHandle> {
        Box::pin(async move {
            let run = self.catalog().run(run).await?;
            if !run.can_resume() {
                let (reason, message) = match run.state {
                    RunState::InProgress => (Conflict::InProgress, format!("run {} is being crawled", run.id)),
                    _ => (Conflict::NoPausedRun, format!("no paused run to resume: run {} is {}", run.id, run.state)),
                };
                let hint = "`bluesnake runs list` shows what can be resumed".to_owned();
                return Err(AppError::Conflict { reason, message, hint });
            }
            let project = self.catalog().project(run.project).await?;
            self.go_on(project, Asked::to_resume(request, caller), run).await
        })
    }

    /// Resumes every run interrupted by the end of a process, according to the request, and reports those that could
    /// not be resumed.
    pub async fn resume_interrupted(
        &self,
        request: &ResumeRequest,
        caller: &Caller,
    ) -> Result<Vec<Result<SessionHandle, AppError>>, AppError> {
        let mut interrupted = self.catalog().runs(None).await?;
        interrupted.retain(|run| run.can_resume() && run.was_interrupted());
        // In the order in which they were requested. Of several runs of a project only one can continue now: the
        // newest.
        let newest: BTreeMap<i64, i64> = interrupted.iter().rev().map(|run| (run.project, run.id)).collect();
        interrupted.sort_by_key(|run| (newest[&run.project] != run.id, run.id));
        let mut resumed = Vec::new();
        for run in interrupted {
            resumed.push(self.resume_run(run.id, request.clone(), caller.clone()).await);
        }
        Ok(resumed)
    }

    async fn admit(&self, project: ProjectRow, asked: Asked) -> Result<SessionHandle, AppError> {
        self.check_room()?;
        // A resumable run was left by a process that has ended.
        self.take_in_crashed().await?;
        let claim = self.catalog().claim(project.id).await?;
        let (_, is_saved_incremental) = self.saved_settings(project.id).await?;
        let is_incremental = asked.is_incremental(is_saved_incremental);
        let mut open = self.catalog().open_runs(project.id, asked.kind).await?;
        let resumes = run_to_resume(&asked, &project, &open, is_incremental)?;
        open.retain(|run| resumes.as_ref().is_none_or(|resumes| resumes.id != run.id));
        self.begin(claim, project, asked, Start { resumes, also_paused: open, is_incremental }).await
    }

    /// Resumes this run, whatever its state.
    pub(crate) async fn go_on(
        &self,
        project: ProjectRow,
        asked: Asked,
        run: RunRow,
    ) -> Result<SessionHandle, AppError> {
        self.check_room()?;
        self.take_in_crashed().await?;
        let claim = self.catalog().claim(project.id).await?;
        let run = self.catalog().run(run.id).await?;
        let is_incremental = run.is_incremental;
        let mut also_paused = Vec::new();
        if asked.mode == StartMode::Resume {
            also_paused = self.catalog().open_runs(project.id, None).await?;
            also_paused.retain(|open| open.id != run.id);
        }
        self.begin(claim, project, asked, Start { resumes: Some(run), also_paused, is_incremental }).await
    }

    async fn begin(
        &self,
        claim: Claim,
        project: ProjectRow,
        asked: Asked,
        start: Start,
    ) -> Result<SessionHandle, AppError> {
        let Start { resumes, also_paused, is_incremental } = start;
        let (saved, _) = self.saved_settings(project.id).await?;
        let kind = resumes.as_ref().map(|run| run.kind).or(asked.kind).unwrap_or(RunKind::Crawl);
        let asked = Asked { kind: Some(kind), ..asked };
        let plan = match &resumes {
            None => asked.plan(&saved)?,
            Some(run) => asked.plan_to_resume(run, &saved)?,
        };
        let browser = browser_for(&plan.clone().into()).await?;
        let seeds: Vec<&str> = plan.seeds().iter().map(|seed| seed.as_str()).collect();
        let active = Arc::new(Active::new(project.into(), kind, also_paused.into_iter().map(Run::from).collect()));
        let session = Session {
            database: self.database().clone(),
            claim,
            seeds: serde_json::to_string(&seeds).expect("addresses are JSON"),
            plan,
            browser,
            kind,
            refresh: asked.refresh,
            retry_failed: asked.retry_failed,
            resumes,
            is_incremental,
            hooks: asked.caller.hooks,
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
