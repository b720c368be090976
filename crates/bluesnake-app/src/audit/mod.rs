//! The audit of a run: made of its stored rows when it is sealed or audited again, and stored.
//!
//! The checks are in [`bluesnake_audit`], which knows no database; `feed.rs` gives it the rows, `keep.rs` stores its
//! report. A run without a stored audit is audited in memory, see `live.rs`.

mod feed;
mod keep;
mod live;

use bluesnake_audit::check;
use bluesnake_engine::plan::{AuditGroupInput, AuditSettings};
use bluesnake_engine::{AuditInput, AuditPlan, CrawlError, JobInput};
use bluesnake_store::state::{RunKind, RunState};
use bluesnake_store::{Database, RunRow};
use serde_json::Value;

use crate::app::{App, Work};
use crate::error::AppError;
use crate::settings::{FieldProblem, Groups, read_settings};
use crate::spelling::nearest;
use crate::view::IssuesView;

pub(crate) use self::feed::Audited;
pub(crate) use self::live::{LiveAudit, LiveAudits};

impl App {
    /// Makes the audit of a completed run again and stores it, with other thresholds if given. Fails while the project
    /// is being crawled.
    pub fn audit(&self, run: i64, changes: Option<AuditGroupInput>) -> Work<'_, IssuesView> {
        Box::pin(async move {
            let row = self.catalog().run(run).await?;
            if row.kind == RunKind::Weave {
                return Err(AppError::Absent {
                    message: format!("run {run} is a weave; it has no issues"),
                    hint: "`bluesnake runs list` shows what each run is for".to_owned(),
                });
            }
            if row.state != RunState::Completed {
                return Err(AppError::Rejected {
                    message: format!("run {run} is not completed, so its audit cannot be stored"),
                    hint: "its issues are computed whenever they are read".to_owned(),
                });
            }
            let settings = settings_of(&row, changes.unwrap_or_default())?;
            let claim = self.catalog().claim(row.project).await?;
            let database = self.database().clone();
            // A caller that goes away meanwhile must not leave the run without an audit.
            #[expect(clippy::disallowed_methods, reason = "it must outlive its caller, and it ends by itself")]
            let work = tokio::spawn(async move {
                let _claim = claim;
                make_and_keep(&database, run, settings).await
            });
            work.await.unwrap_or_else(|end| Err(CrawlError::Bug(end.to_string()).into()))?;
            self.issues(run).await
        })
    }
}

/// Reads changes of audit settings, in groups as a request has them. Reports all problems at once.
pub fn audit_changes(groups: &Groups) -> Result<AuditGroupInput, Vec<FieldProblem>> {
    let (settings, mut problems) = read_settings::<AuditInput>(groups);
    let is_known = |group: &str| AuditInput::GROUPS.iter().any(|known| known.name == group);
    let others = groups.keys().filter(|group| *group != "audit" && is_known(group));
    problems.extend(others.map(|group| FieldProblem::new(group, "only settings of the group `audit` can change")));
    problems.extend(unknown_checks(settings.audit.off.as_deref().unwrap_or_default()));
    if problems.is_empty() { Ok(settings.audit) } else { Err(problems) }
}

/// The last step before an audit is completed: makes its depths exact, and stores what the checks find. The caller owns
/// the project.
pub(crate) async fn seal(database: &Database, run: i64, settings: AuditSettings) -> Result<(), AppError> {
    match make_and_keep(database, run, settings).await {
        // A bug in a check must not keep the run from being completed.
        Err(AppError::Crawl(CrawlError::Bug(story))) => {
            tracing::error!(run, story, "the audit failed");
            Ok(database.contents().seal(run).await?)
        }
        ended => ended,
    }
}

/// Makes the audit of a run whose queue was cleared, and which is completed by that. The caller owns the project.
pub(crate) async fn after_clearing(database: &Database, run: &RunRow) -> Result<(), AppError> {
    match run.kind {
        RunKind::Crawl => seal(database, run.id, settings_of(run, AuditGroupInput::default())?).await,
        _ => Ok(()),
    }
}

/// Makes the audit of a run that is completed, or will be, and stores it. The caller owns the project.
async fn make_and_keep(database: &Database, run: i64, settings: AuditSettings) -> Result<(), AppError> {
    let audited = make(database.clone(), run, true, settings).await?;
    keep::keep(database, run, audited).await
}

/// Makes the audit of a run.
async fn make(database: Database, run: i64, is_completed: bool, settings: AuditSettings) -> Result<Audited, AppError> {
    let work = tokio::task::spawn_blocking(move || Audited::read(&database, run, is_completed, settings));
    work.await.unwrap_or_else(|end| Err(CrawlError::Bug(end.to_string()).into()))
}

/// The settings of a stored audit.
pub(crate) fn stored_settings(settings: &str) -> AuditSettings {
    let stored: AuditGroupInput = serde_json::from_str(settings).unwrap_or_default();
    stored.over(AuditGroupInput::defaults()).into()
}

/// The audit settings of a run, under changes.
fn settings_of(run: &RunRow, changes: AuditGroupInput) -> Result<AuditSettings, AppError> {
    let plan: Value = serde_json::from_str(&run.plan).unwrap_or_default();
    // Runs of earlier versions, and captures, have no such group.
    let frozen: AuditGroupInput = serde_json::from_value(plan["audit"].clone()).unwrap_or_default();
    let unknown = unknown_checks(changes.off.as_deref().unwrap_or_default());
    if !unknown.is_empty() {
        return Err(unknown.into());
    }
    let input = AuditInput { audit: changes.over(frozen), ..AuditInput::default() };
    Ok(AuditPlan::new(&run.seeds, input)?.audit)
}

/// Problems with ids of checks that do not exist.
pub(crate) fn unknown_checks(off: &[String]) -> Vec<FieldProblem> {
    let unknown = off.iter().filter(|id| check(id).is_none());
    let problem = |id: &String| {
        let meant = nearest(id, bluesnake_audit::all_checks().map(|check| check.id));
        let hint = meant.map(|meant| format!("did you mean `{meant}`?"));
        FieldProblem { hint, ..FieldProblem::new("audit.off", format!("no check `{id}`")) }
    };
    unknown.map(problem).collect()
}
