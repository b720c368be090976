//! What a caller asks for when a crawl is to start, and the plan that follows from it.

use std::fmt;
use std::sync::Arc;

use bluesnake_engine::plan::Problem;
use bluesnake_engine::{CanonicalUrl, CrawlPlan, PlanInput, PlanProblems, Preset};
use bluesnake_store::state::{PauseReason, RunKind};
use bluesnake_store::{ProjectRow, RunRow};

use crate::error::{AppError, Conflict};
use crate::frozen;
use crate::weave;

/// What to do with a run of the project that is not completed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartMode {
    /// Resume it when the project crawls incrementally, else start a new run.
    #[default]
    Auto,
    /// Resume it; an error when there is none.
    Resume,
    /// Start a new run; one that is paused can still be resumed.
    Fresh,
}

type VisitHook = Arc<dyn Fn(serde_json::Value) + Send + Sync>;

/// Calls into the caller while a crawl runs.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Called with each visit as JSON: of a URL in the order of commits, of a host of a weave in any order.
    pub visit: Option<VisitHook>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("visit", &self.visit.is_some()).finish()
    }
}

/// What a caller asks for.
#[derive(Clone, Debug, Default)]
pub struct StartRequest {
    /// Where to start. The first one names the project.
    pub urls: Vec<String>,
    /// Settings of this request, over the saved ones.
    pub settings: PlanInput,
    /// What the run is for; none = a crawl, or whatever there is to resume.
    pub kind: Option<RunKind>,
    /// The defaults below the saved settings.
    pub preset: Option<Preset>,
    /// Whether the project crawls incrementally; none = as it was saved.
    pub incremental: Option<bool>,
    /// A capture downloads everything again, also what earlier captures have.
    pub refresh: bool,
    /// A weave asks hosts again that could not be had in earlier sessions.
    pub retry_failed: bool,
    /// What to do with an open run.
    pub mode: StartMode,
    /// Resume with other settings than those the run was started with.
    pub force: bool,
    /// Allow private addresses when a URL given names one: the caller is the operator of this machine.
    pub is_operator: bool,
    /// Calls into the caller.
    pub hooks: Hooks,
}

/// The first URL as a project knows it: trimmed, with a scheme, host in lower case, a port that is not the default.
pub(crate) fn project_address(urls: &[String]) -> Result<CanonicalUrl, AppError> {
    let text = urls.first().ok_or_else(|| AppError::Invalid("there is no URL to crawl".to_owned()))?;
    CanonicalUrl::from_user_input(text).map_err(|problem| {
        let problems = vec![Problem { field: "seeds".to_owned(), message: format!("{text}: {problem}") }];
        PlanProblems(problems).into()
    })
}

impl StartRequest {
    /// Whether it can be done at all, as far as that can be told without the database.
    pub fn check(&self) -> Result<(), AppError> {
        self.plan(PlanInput::default())?;
        project_address(&self.urls)?;
        check_names(&self.urls)
    }

    /// The plan of a new run, over the saved settings of its project.
    pub(crate) fn plan(&self, saved: PlanInput) -> Result<CrawlPlan, AppError> {
        let settings = self.settings.clone().over(saved).over(PlanInput::preset(self.preset.unwrap_or(Preset::Site)));
        self.plan_of(&self.urls, settings)
    }

    /// The plan of the next session of a run. Refused when it would find other things, unless forced.
    pub(crate) fn plan_to_resume(&self, run: &RunRow, saved: PlanInput) -> Result<CrawlPlan, AppError> {
        let mut seeds: Vec<String> = serde_json::from_str(&run.seeds).unwrap_or_default();
        let adds_seeds = self.kind == Some(RunKind::Weave);
        if adds_seeds {
            seeds.extend(self.urls.iter().cloned());
        }
        // A new starting point belongs to the graph as it was begun.
        let below = if self.urls.is_empty() || adds_seeds {
            let goes_on = run.reason.as_deref() == Some(PauseReason::Crashed.as_str());
            frozen::to_resume(&run.plan, goes_on, &saved)?
        } else {
            saved.over(PlanInput::preset(self.preset.unwrap_or(Preset::Site)))
        };
        let plan = self.plan_of(&seeds, self.settings.clone().over(below))?;
        let mut differences = frozen::differences(&run.plan, &plan);
        if !self.urls.is_empty() && !adds_seeds {
            let asked = CrawlPlan::new(&self.urls, PlanInput::default())?.seeds;
            if asked != plan.seeds {
                differences.push("the URLs to start from are others".to_owned());
            }
        }
        if differences.is_empty() || self.force {
            return Ok(plan);
        }
        let list = differences.join("; ");
        let hint = match adds_seeds {
            true => "use the same settings, `--fresh` to begin another graph, or `--force` to go on with this one",
            false => "use the same settings, `--force` to go on with the new ones, or `--fresh` to start a new run",
        };
        Err(AppError::Conflict {
            reason: Conflict::OtherSettings,
            message: format!("run {} was started with other settings: {list}", run.id),
            hint: hint.to_owned(),
        })
    }

    fn plan_of(&self, seeds: &[String], mut settings: PlanInput) -> Result<CrawlPlan, AppError> {
        // Whoever types the address of a private host at this machine wants it crawled.
        // A weave goes to every host that somebody links to, so that one of them does not open the way to all.
        let is_of_one_site = self.kind != Some(RunKind::Weave);
        if self.is_operator && is_of_one_site && seeds.iter().any(|text| names_private_host(text)) {
            settings.fetch.allow_private.get_or_insert(true);
        }
        if self.kind == Some(RunKind::Capture) {
            // A later capture asks whether these still hold, and reads them again if they do.
            settings.parse.keep_html = Some(true);
        }
        Ok(match self.kind {
            Some(RunKind::Weave) => weave::plan_of(seeds, settings, &self.settings)?,
            Some(RunKind::Crawl | RunKind::Capture) | None => CrawlPlan::new(seeds, settings)?,
        })
    }

    /// Whether the run that starts is an incremental one.
    pub(crate) fn is_incremental(&self, saved: bool) -> bool {
        self.incremental.unwrap_or(saved)
    }
}

/// A word without a dot is a slip more often than a host; whoever means a host of their network writes its scheme.
fn check_names(urls: &[String]) -> Result<(), AppError> {
    let problems: Vec<Problem> = urls
        .iter()
        .filter_map(|text| {
            let name = text.trim();
            let is_host = name.contains(['.', ':', '[']) || name.split(['/', '?', '#']).next() == Some("localhost");
            let message =
                format!("`{name}` is not a host name: write {name}.com, or http://{name}/ for a host of your network");
            (!is_host).then(|| Problem { field: "seeds".to_owned(), message })
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(PlanProblems(problems).into()) }
}

fn names_private_host(text: &str) -> bool {
    let Ok(seed) = CanonicalUrl::from_user_input(text) else { return false };
    let host = seed.host().trim_matches(['[', ']']);
    let is_local_name = host == "localhost" || host.ends_with(".localhost");
    is_local_name || host.parse().is_ok_and(|address| !bluesnake_engine::fetch::is_global(address))
}

/// Which of the open runs of a project to resume, if any; the one active last is the first of them.
pub(crate) fn run_to_resume(
    request: &StartRequest,
    project: &ProjectRow,
    open: &[RunRow],
    is_incremental: bool,
) -> Result<Option<RunRow>, AppError> {
    match (request.mode, open) {
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
