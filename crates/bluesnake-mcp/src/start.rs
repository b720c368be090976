//! Tools that start, watch and pause runs.

use std::time::Duration;

use bluesnake_app::view::{self, Run};
use bluesnake_app::{
    AppError, AuditRequest, CaptureRequest, Groups, Request, ResumeRequest, RunState, SessionHandle, Snapshot,
    WeaveRequest,
};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::Tools;
use crate::answer::{Answer, Fields};
use crate::arguments::{Arguments, wrong};
use crate::call::Client;

/// Longer waits would meet the time limits of clients.
const LONGEST_WAIT: u64 = 50;
const DEFAULT_WAIT: u64 = 20;
/// How often a waiting client hears about progress.
const BETWEEN_REPORTS: Duration = Duration::from_secs(1);

impl Tools {
    pub(crate) async fn crawl(&self, arguments: Arguments, client: &Client) -> Result<Fields, AppError> {
        self.start::<AuditRequest>(arguments, client).await
    }

    pub(crate) async fn capture(&self, arguments: Arguments, client: &Client) -> Result<Fields, AppError> {
        self.start::<CaptureRequest>(arguments, client).await
    }

    pub(crate) async fn weave(&self, arguments: Arguments, client: &Client) -> Result<Fields, AppError> {
        self.start::<WeaveRequest>(arguments, client).await
    }

    /// Starts or resumes a run, waits a while, and tells how far it is.
    async fn start<R: Request>(&self, mut arguments: Arguments, client: &Client) -> Result<Fields, AppError> {
        let (url, run) = (arguments.take::<String>("url")?, arguments.take::<i64>("run")?);
        let settings = arguments.take::<Groups>("settings")?.unwrap_or_default();
        let is_fresh = arguments.take::<bool>("fresh")?.unwrap_or_default();
        let (wait, budget) = (wait(&mut arguments, DEFAULT_WAIT)?, arguments.budget()?);
        arguments.end()?;
        let settings = self.guarded(settings)?;
        let handle = match run {
            Some(_) if url.is_some() || is_fresh => {
                return Err(wrong("run", "resumes a run; leave `url` and `fresh` out"));
            }
            Some(run) => {
                let request = ResumeRequest { settings, ..ResumeRequest::default() };
                self.app.resume_run(run, request, self.access.caller.clone()).await?
            }
            None => {
                let mut body = Map::new();
                body.insert("url".to_owned(), url.into());
                body.insert("settings".to_owned(), settings.into());
                if is_fresh {
                    body.insert("mode".to_owned(), "fresh".into());
                }
                let request = R::read(body)?;
                self.app.start(request, self.access.caller.clone()).await?
            }
        };
        let run = wait_for_run(&handle).await.ok_or_else(|| AppError::Invalid("the run did not start".to_owned()))?;
        let is_cancelled = watch(&handle, wait, client).await == Watched::Cancelled;
        if is_cancelled {
            handle.stop();
        }
        Ok(self
            .progress(&self.app.run(run).await?, Some(&handle))
            .await?
            .fit(budget, self.access.secrets)
            .finish(0, None))
    }

    pub(crate) async fn status(&self, mut arguments: Arguments, client: &Client) -> Result<Fields, AppError> {
        let named = arguments.take_text("run")?;
        let (wait, budget) = (wait(&mut arguments, 0)?, arguments.budget()?);
        arguments.end()?;
        let Some(name) = named else {
            let active = self.app.active_everywhere().await?;
            let answer = Answer::new().with("running", active.len()).with_rows(active, None);
            return Ok(answer.fit(budget, self.access.secrets).finish(0, None));
        };
        let run = self.app.find_run(&name).await?;
        let handle =
            self.app.active_sessions().into_iter().find(|handle| handle.snapshots().borrow().run_id == Some(run.id));
        if let Some(handle) = &handle {
            watch(handle, wait, client).await;
        }
        let run = self.app.run(run.id).await?;
        Ok(self.progress(&run, handle.as_ref()).await?.fit(budget, self.access.secrets).finish(0, None))
    }

    pub(crate) async fn stop(&self, mut arguments: Arguments) -> Result<Fields, AppError> {
        let run = arguments.run(&self.app).await?;
        let budget = arguments.budget()?;
        arguments.end()?;
        self.app.pause_run(run.id).await?;
        let answer =
            Answer::new().with("run", run.id).with("state", "pausing").with("hint", "requests in flight may finish");
        Ok(answer.fit(budget, self.access.secrets).finish(0, None))
    }

    /// How far a run is, and where its URLs ended up so far.
    async fn progress(&self, run: &Run, handle: Option<&SessionHandle>) -> Result<Answer, AppError> {
        let mut answer = Answer::new()
            .with("run", run.id)
            .with("job", run.kind.as_str())
            .with("state", run.state.as_str())
            .with("reason", run.reason.as_deref())
            .with("can_resume", run.can_resume);
        if let Some(handle) = handle.filter(|_| run.state == RunState::InProgress) {
            let now = handle.snapshots().borrow().clone();
            let fetching: Vec<&String> = now.current.iter().take(3).collect();
            answer = answer.with("progress", figures(&now)).with_web("fetching", fetching);
            answer = answer.with_web("waiting", now.waiting.as_ref().map(|waiting| &waiting.message));
        }
        answer = self.with_figures_of_job(answer, run).await?;
        let receipt = self.app.receipt(run.id).await?;
        Ok(answer.with("receipt", view::receipt(&receipt)))
    }

    /// Settings that a caller of this door may use.
    fn guarded(&self, mut settings: Groups) -> Result<Groups, AppError> {
        let problems = (self.access.guard)(&mut settings);
        if problems.is_empty() { Ok(settings) } else { Err(problems.into()) }
    }
}

fn wait(arguments: &mut Arguments, default: u64) -> Result<Duration, AppError> {
    match arguments.take::<u64>("wait_seconds")?.unwrap_or(default) {
        seconds @ ..=LONGEST_WAIT => Ok(Duration::from_secs(seconds)),
        _ => Err(wrong("wait_seconds", "must be 0 to 50; call `status` to wait again")),
    }
}

/// The run of a session, once it is known.
async fn wait_for_run(handle: &SessionHandle) -> Option<i64> {
    let mut snapshots = handle.snapshots();
    let known = snapshots.wait_for(|snapshot| snapshot.run_id.is_some()).await.ok()?;
    known.run_id
}

/// How a wait ended.
#[derive(Debug, PartialEq, Eq)]
enum Watched {
    Ended,
    Running,
    Cancelled,
}

/// Waits for the end of a session, at most so long, and reports progress meanwhile.
async fn watch(handle: &SessionHandle, time: Duration, client: &Client) -> Watched {
    let end = Instant::now() + time;
    let mut report = Instant::now() + BETWEEN_REPORTS;
    loop {
        tokio::select! {
            _ = handle.wait() => return Watched::Ended,
            () = client.cancelled.cancelled() => return Watched::Cancelled,
            () = sleep_until(report.min(end)) => {}
        }
        if Instant::now() >= end {
            return Watched::Running;
        }
        let now = handle.snapshots().borrow().clone();
        let done = now.seen.saturating_sub(now.pending);
        let message = format!("{done} of {} known URLs, {} pages, {:.1}/s", now.seen, now.pages, now.rate);
        // A client that does not read must not hold up the wait.
        let _ = timeout_at(end, client.tell(done, now.seen, message)).await;
        report += BETWEEN_REPORTS;
    }
}

fn figures(now: &Snapshot) -> Value {
    json!({
        "seen": now.seen,
        "pending": now.pending,
        "visits": now.visits,
        "pages": now.pages,
        "failed": now.failed,
        "rate": (now.rate * 10.0).round() / 10.0,
        "seconds": now.elapsed_ms / 1000,
        "seconds_left": now.eta_ms.map(|left| left / 1000),
    })
}
