//! Settings saved for a project, for every later run of any job.

use bluesnake_engine::{JobInput, PlanProblems};
use bluesnake_store::ConfigRow;
use bluesnake_store::state::RunKind;
use serde_json::{Map, Value};

use crate::app::App;
use crate::error::{AppError, Conflict};
use crate::settings::{
    FieldProblem, Groups, JOBS, default_settings, groups_of, job_with, read_settings, to_groups, unknown, with_input,
};
use crate::view::ConfigView;

/// Settings saved for a project. Each job uses those that it has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved(pub Groups);

impl Saved {
    /// The settings that a job uses.
    pub(crate) fn of_job<I: JobInput>(&self) -> I {
        // Saved settings were valid when saved; one that is no longer valid has its default.
        read_settings(&self.known_to::<I>()).0
    }

    /// The saved settings that a job has.
    fn known_to<I: JobInput>(&self) -> Groups {
        let mut own = Groups::new();
        for group in I::GROUPS {
            let saved = self.0.get(group.name).and_then(Value::as_object);
            let is_own = |key: &str| group.fields.iter().any(|field| field.name == key);
            let keys = saved.into_iter().flatten().filter(|(key, _)| is_own(key));
            own.insert(group.name.to_owned(), keys.map(|(key, value)| (key.clone(), value.clone())).collect());
        }
        own
    }

    /// Every setting of a job: the saved ones, and the defaults of the others.
    pub fn over_defaults(&self, job: RunKind) -> Groups {
        let mut all = Self(default_settings(job));
        all.put(with_input!(job, I => to_groups(&self.of_job::<I>())));
        all.0
    }

    /// Adds settings, replacing those of the same name.
    pub fn put(&mut self, groups: Groups) {
        for (group, keys) in groups {
            let saved = self.0.entry(group).or_insert_with(|| Map::new().into());
            if let (Value::Object(saved), Value::Object(keys)) = (saved, keys) {
                saved.extend(keys.into_iter().filter(|(_, value)| !value.is_null()));
            }
        }
        self.0.retain(|_, keys| keys.as_object().is_some_and(|keys| !keys.is_empty()));
    }

    fn remove(&mut self, path: &str) -> Result<(), AppError> {
        let (group, key) =
            path.split_once('.').filter(|_| job_with(path).is_some()).ok_or_else(|| unknown_error(path))?;
        if let Some(keys) = self.0.get_mut(group).and_then(Value::as_object_mut) {
            keys.remove(key);
        }
        Ok(())
    }

    /// The problems that a run of any job would have with these settings.
    fn problems(&self, url: &str) -> Vec<FieldProblem> {
        let seeds = [url.to_owned()];
        let mut problems = unknown_settings(&self.0);
        for problem in JOBS.into_iter().flat_map(|job| with_input!(job, I => problems_of::<I>(self, &seeds))) {
            if problems.iter().all(|known| known.field != problem.field) {
                problems.push(problem);
            }
        }
        problems
    }
}

fn unknown_error(path: &str) -> AppError {
    AppError::Invalid(unknown(path).sentence())
}

/// Settings that no job has.
fn unknown_settings(groups: &Groups) -> Vec<FieldProblem> {
    let mut problems = Vec::new();
    for (group, keys) in groups {
        let is_known = || JOBS.into_iter().flat_map(groups_of).any(|known| known.name == group);
        match keys {
            Value::Object(keys) if !keys.is_empty() => {
                let paths = keys.keys().map(|key| format!("{group}.{key}"));
                problems.extend(paths.filter(|path| job_with(path).is_none()).map(|path| unknown(&path)));
            }
            Value::Object(_) | Value::Null if is_known() => {}
            Value::Object(_) | Value::Null => {
                problems.push(FieldProblem { field: group.clone(), ..unknown(&format!("{group}.*")) })
            }
            _ => problems.push(FieldProblem::new(group.clone(), "a group of settings must be an object")),
        }
    }
    problems
}

/// Problems in the settings that a job has.
fn problems_of<I: JobInput>(saved: &Saved, seeds: &[String]) -> Vec<FieldProblem> {
    let (settings, mut problems) = read_settings::<I>(&saved.known_to::<I>());
    if let Err(PlanProblems(found)) = settings.into_job(seeds) {
        problems.extend(found.into_iter().map(|problem| FieldProblem::new(problem.field, problem.message)));
    }
    problems
}

/// Changes to the saved settings of a project.
#[derive(Clone, Debug, Default)]
pub struct ConfigChange {
    /// Settings of any job; they override those saved before.
    pub settings: Groups,
    /// Saved settings to remove, so that their defaults apply again: `politeness.rate`.
    pub unset: Vec<String>,
    /// Whether the project crawls incrementally.
    pub incremental: Option<bool>,
}

impl ConfigChange {
    /// The problems in it. A URL that cannot be crawled is one too.
    pub fn problems(&self, url: &str) -> Vec<FieldProblem> {
        Saved(self.settings.clone()).problems(url)
    }
}

impl App {
    /// The saved settings of a project, and whether it crawls incrementally.
    pub async fn saved_settings(&self, project: i64) -> Result<(Saved, bool), AppError> {
        let Some(ConfigRow { settings, is_incremental }) = self.catalog().config(project).await? else {
            return Ok((Saved::default(), false));
        };
        let settings = serde_json::from_str(&settings)
            .map_err(|error| AppError::Invalid(format!("cannot read the saved settings: {error}")))?;
        Ok((Saved(settings), is_incremental))
    }

    /// Changes the saved settings of a project.
    pub async fn save_settings(&self, project: i64, change: ConfigChange) -> Result<(), AppError> {
        refuse_secrets(&change.settings)?;
        let row = self.catalog().project(project).await?;
        let (mut settings, was_incremental) = self.saved_settings(project).await?;
        check(change.problems(&row.url))?;
        change.unset.iter().try_for_each(|path| settings.remove(path))?;
        settings.put(change.settings);
        check(settings.problems(&row.url))?;
        let settings = serde_json::to_string(&settings.0).expect("settings are JSON");
        let is_incremental = change.incremental.unwrap_or(was_incremental);
        Ok(self.catalog().save_config(project, ConfigRow { settings, is_incremental }).await?)
    }

    /// The settings saved for the site of a URL, and those that a job uses, defaults included. A site without a project
    /// has the defaults.
    pub async fn config_of(&self, url: &str, job: RunKind) -> Result<ConfigView, AppError> {
        let address = crate::start::project_address(&[url.to_owned()])?;
        let project = self.catalog().project_of_host(address.authority()).await?;
        let (saved, is_incremental) = match &project {
            Some(project) => self.saved_settings(project.id).await?,
            None => (Saved::default(), false),
        };
        let effective = saved.over_defaults(job);
        Ok(ConfigView {
            project_id: project.map(|project| project.id),
            domain: address.authority().to_owned(),
            incremental_crawling_enabled: is_incremental,
            crawl_budget: effective["limits"]["session_budget"].as_u64().unwrap_or(0),
            settings: saved.0.into(),
            effective: effective.into(),
        })
    }

    /// Changes the settings saved for the site of a URL; creates its project if there is none.
    pub async fn change_config(&self, url: &str, change: ConfigChange) -> Result<ConfigView, AppError> {
        // Checked before anything is stored, so that a mistake creates no project.
        refuse_secrets(&change.settings)?;
        check(change.problems(url))?;
        let project = self.project_at(url).await?;
        self.save_settings(project.id, change).await?;
        self.config_of(url, RunKind::Crawl).await
    }
}

fn check(problems: Vec<FieldProblem>) -> Result<(), AppError> {
    if problems.is_empty() { Ok(()) } else { Err(problems.into()) }
}

/// Secrets are not stored, so they cannot be saved for a project.
fn refuse_secrets(settings: &Groups) -> Result<(), AppError> {
    let given = |key: &str| settings.get("fetch").and_then(|fetch| fetch.get(key)).filter(|value| !value.is_null());
    let has_secret_proxy = given("proxy").and_then(Value::as_str).is_some_and(|proxy| proxy.contains('@'));
    let has_secret = ["auth", "headers", "initial_cookies"].into_iter().any(|key| given(key).is_some());
    if !has_secret && !has_secret_proxy {
        return Ok(());
    }
    Err(AppError::Conflict {
        reason: Conflict::SecretsNotStored,
        message: "passwords, headers and cookies are never stored in the database".to_owned(),
        hint: "keep them in a file for `--config` or in the environment, or give them with each run".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bluesnake_engine::{AuditInput, WeaveInput};
    use serde_json::json;

    fn saved(settings: Value) -> Saved {
        Saved(settings.as_object().unwrap().clone())
    }

    #[test]
    fn each_job_uses_the_saved_settings_that_it_has() {
        let saved = saved(json!({"politeness": {"rate": 2.0}, "scope": {"max_depth": 3}, "weave": {"max_depth": 4}}));
        let (audit, weave) = (saved.of_job::<AuditInput>(), saved.of_job::<WeaveInput>());
        assert_eq!((audit.politeness.rate, audit.scope.max_depth), (Some(2.0), Some(3)));
        assert_eq!((weave.politeness.rate, weave.weave.max_depth), (Some(2.0), Some(4)));
        assert_eq!(saved.over_defaults(RunKind::Capture)["politeness"]["rate"], 2.0);
    }

    #[test]
    fn problems_of_every_job_are_reported_once() {
        let saved =
            saved(json!({"politeness": {"parallelism": 0}, "weave": {"max_depth": 0}, "scope": {"max_dept": 1},
            "speed": {"rate": 1}, "limits": {"url_length": "x"}}));
        let problems = saved.problems("a.example");
        let mut fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        fields.sort_unstable();
        let expected =
            ["limits.url_length", "politeness.parallelism", "scope.max_dept", "speed.rate", "weave.max_depth"];
        assert_eq!(fields, expected);
    }
}
