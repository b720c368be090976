//! From a request to a plan: which settings apply, and which run is resumed.

use std::fmt;
use std::sync::Arc;

use bluesnake_engine::{AuditInput, CanonicalUrl, Job, JobInput};
use bluesnake_store::state::{PauseReason, RunKind};
use bluesnake_store::{ProjectRow, RunRow};

use crate::audit::unknown_checks;
use crate::config::Saved;
use crate::error::{AppError, Conflict};
use crate::frozen;
use crate::list::{check_list, listed_urls};
use crate::request::{StartMode, StartRequest};
use crate::settings::{FieldProblem, Groups, json_settings, to_groups, with_input};

type VisitHook = Arc<dyn Fn(serde_json::Value) + Send + Sync>;

/// Calls into the caller while a crawl runs.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Called with each visit as JSON: for URLs in commit order, for hosts of a weave in any order.
    pub visit: Option<VisitHook>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("visit", &self.visit.is_some()).finish()
    }
}

/// The caller, as opposed to the request.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The caller is the operator of this machine: private addresses are allowed if a given URL names one.
    pub is_operator: bool,
    /// Calls into the caller.
    pub hooks: Hooks,
}

impl Caller {
    /// The operator of this machine.
    pub fn operator() -> Self {
        Self { is_operator: true, hooks: Hooks::default() }
    }
}

/// What to start or resume, whatever the job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// `None` = the job of the run to resume.
    pub(crate) kind: Option<RunKind>,
    pub(crate) urls: Vec<String>,
    /// The URL of a list of further URLs.
    pub(crate) list: Option<String>,
    /// Settings of the job.
    pub(crate) settings: Groups,
    /// Whether the project crawls incrementally; `None` = as saved.
    pub(crate) incremental: Option<bool>,
    pub(crate) refresh: bool,
    pub(crate) retry_failed: bool,
    pub(crate) mode: StartMode,
    pub(crate) force: bool,
    pub(crate) caller: Caller,
}

/// The first URL in the form of a project: trimmed, with a scheme, lower-case host, and a non-default port.
pub(crate) fn project_address(urls: &[String]) -> Result<CanonicalUrl, AppError> {
    let text = urls.first().ok_or_else(|| AppError::Invalid("no URL given".to_owned()))?;
    let wrong = |problem| vec![FieldProblem::new("seeds", format!("{text}: {problem}"))];
    CanonicalUrl::from_user_input(text).map_err(|problem| wrong(problem).into())
}

impl StartRequest {
    /// Validates everything that needs no database.
    pub fn check(&self, caller: &Caller) -> Result<(), AppError> {
        Asked { caller: caller.clone(), ..self.clone().into() }.check()
    }
}

impl Asked {
    pub(crate) fn check(&self) -> Result<(), AppError> {
        if self.urls.is_empty() {
            return Err(vec![FieldProblem::new("url", "no URL given")].into());
        }
        self.plan(&Saved::default())?;
        project_address(&self.urls)?;
        check_names(&self.urls)
    }

    /// The same with the URLs of its list instead of the list. Only these are visited, unless their links may be followed.
    pub(crate) async fn with_list(mut self) -> Result<Self, AppError> {
        let Some(list) = self.list.take() else { return Ok(self) };
        check_list(&list)?;
        // What is wrong with the settings is not a problem of the list.
        Self { urls: vec![list.clone()], ..self.clone() }.check()?;
        let mut settings: AuditInput = json_settings(&self.settings)?;
        self.urls.extend(listed_urls(&list, settings.clone(), &self.caller).await?);
        if settings.scope.max_depth.is_none() {
            settings.scope.single_page.get_or_insert(true);
        }
        self.settings = to_groups(&settings);
        Ok(self)
    }

    fn job(&self) -> RunKind {
        self.kind.unwrap_or(RunKind::Crawl)
    }

    /// The plan of a new run, on top of its project's saved settings.
    pub(crate) fn plan(&self, saved: &Saved) -> Result<Job, AppError> {
        with_input!(self.job(), I => self.new_plan::<I>(saved))
    }

    fn new_plan<I: JobInput>(&self, saved: &Saved) -> Result<Job, AppError> {
        let settings: I = json_settings(&self.settings)?;
        let plan = self.plan_of(&self.urls, settings.over(saved.of_job()))?;
        let unknown = match &plan {
            Job::Audit(plan) => unknown_checks(&plan.audit.off),
            Job::Capture(_) | Job::Weave(_) => Vec::new(),
        };
        if unknown.is_empty() { Ok(plan) } else { Err(unknown.into()) }
    }

    /// The plan of the next session of a run. Fails if its results would differ, unless forced.
    pub(crate) fn plan_to_resume(&self, run: &RunRow, saved: &Saved) -> Result<Job, AppError> {
        with_input!(run.kind, I => self.next_plan::<I>(run, saved))
    }

    fn next_plan<I: JobInput>(&self, run: &RunRow, saved: &Saved) -> Result<Job, AppError> {
        let mut seeds = run.seeds.clone();
        let adds_seeds = run.kind == RunKind::Weave;
        if adds_seeds {
            seeds.extend(self.urls.iter().cloned());
        }
        // A new seed joins the graph with its original settings.
        let below = if self.urls.is_empty() || adds_seeds {
            let goes_on = run.reason.as_deref() == Some(PauseReason::Crashed.as_str());
            frozen::to_resume(&run.plan, goes_on, saved.of_job())?
        } else {
            saved.of_job()
        };
        let plan = self.plan_of(&seeds, json_settings::<I>(&self.settings)?.over(below))?;
        let mut differences = frozen::differences(&run.plan, &plan, run.kind);
        if !self.urls.is_empty() && !adds_seeds && I::default().into_job(&self.urls)?.seeds() != plan.seeds() {
            differences.push("the URLs to start from are different".to_owned());
        }
        if differences.is_empty() || self.force {
            return Ok(plan);
        }
        let list = differences.join("; ");
        let hint = match adds_seeds {
            true => "use the same settings, `--fresh` to start another graph, or `--force` to continue this one",
            false => "use the same settings, `--force` to continue with the new ones, or `--fresh` to start a new run",
        };
        Err(AppError::Conflict {
            reason: Conflict::OtherSettings,
            message: format!("run {} was started with other settings: {list}", run.id),
            hint: hint.to_owned(),
        })
    }

    fn plan_of<I: JobInput>(&self, seeds: &[String], mut settings: I) -> Result<Job, AppError> {
        // An operator who enters a private host wants it crawled. A weave visits every host that others link to, so
        // one private seed must not allow all private hosts.
        let is_of_one_site = self.job() != RunKind::Weave;
        if self.caller.is_operator && is_of_one_site && seeds.iter().any(|text| names_private_host(text)) {
            settings.shared().fetch.allow_private.get_or_insert(true);
        }
        Ok(settings.into_job(seeds)?)
    }

    /// Whether the run being started is incremental.
    pub(crate) fn is_incremental(&self, saved: bool) -> bool {
        self.incremental.unwrap_or(saved)
    }
}

fn check_names(urls: &[String]) -> Result<(), AppError> {
    let problems: Vec<FieldProblem> =
        urls.iter().filter_map(|text| Some(FieldProblem::new("seeds", odd_name(text)?))).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}

/// A name without a dot is more often a typo than a host; local hosts must be written with a scheme.
pub(crate) fn odd_name(text: &str) -> Option<String> {
    let name = text.trim();
    let is_host = name.contains(['.', ':', '[']) || name.split(['/', '?', '#']).next() == Some("localhost");
    let message =
        || format!("`{name}` is not a host name: write {name}.com, or http://{name}/ for a host of your network");
    (!is_host).then(message)
}

pub(crate) fn names_private_host(text: &str) -> bool {
    let Ok(seed) = CanonicalUrl::from_user_input(text) else { return false };
    let host = seed.host().trim_matches(['[', ']']);
    let is_local_name = host == "localhost" || host.ends_with(".localhost");
    is_local_name || host.parse().is_ok_and(|address| !bluesnake_engine::fetch::is_global(address))
}

/// Which of a project's open runs to resume, if any; the most recently active is the first.
pub(crate) fn run_to_resume(
    asked: &Asked,
    project: &ProjectRow,
    open: &[RunRow],
    is_incremental: bool,
) -> Result<Option<RunRow>, AppError> {
    match (asked.mode, open) {
        (StartMode::Fresh, _) => Ok(None),
        (StartMode::Auto, open) => Ok(open.iter().find(|run| is_incremental || run.is_incremental).cloned()),
        (StartMode::Resume, [run, ..]) => Ok(Some(run.clone())),
        (StartMode::Resume, []) => Err(AppError::Conflict {
            reason: Conflict::NoPausedRun,
            message: format!("no paused run to resume for {}", project.host),
            hint: format!("`bluesnake crawl {}` starts a new one", project.url),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_by_host_and_port() {
        let check = |text: &str, host: &str| {
            assert_eq!(project_address(&[text.to_owned()]).unwrap().authority(), host, "{text}");
        };
        check("  Example.COM ", "example.com");
        check("http://example.com:80/a?b#c", "example.com");
        check("https://example.com:8443/x", "example.com:8443");
        check("http://[::1]:8080/", "[::1]:8080");
    }
}
