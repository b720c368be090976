//! Settings from outside: files, the environment, single assignments, and what is saved for a project.
//!
//! One shape for all of them, [`PlanInput`]. A key that does not exist is refused, with the nearest one that does.

use bluesnake_engine::PlanInput;
use bluesnake_engine::plan::{
    DiscoverInput, FetchInput, LimitInput, ParseInput, PolitenessInput, ScopeInput, WeaveInput,
};
use bluesnake_store::ConfigRow;
use serde::Serialize;
use serde_json::{Map, Value, json};
use strsim::levenshtein;

use crate::app::App;
use crate::error::{AppError, Conflict};
use crate::spelling::without_type_names;
use crate::view::ConfigView;

/// Every group with its keys.
const GROUPS: [(&str, &[&str]); 7] = [
    ("discover", DiscoverInput::FIELDS),
    ("scope", ScopeInput::FIELDS),
    ("limits", LimitInput::FIELDS),
    ("politeness", PolitenessInput::FIELDS),
    ("fetch", FetchInput::FIELDS),
    ("parse", ParseInput::FIELDS),
    ("weave", WeaveInput::FIELDS),
];

/// Why a setting cannot be used; a sentence with a suggestion where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingProblem(pub String);

/// What is wrong with one field of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldProblem {
    /// The field: `limits.url_length`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// What may have been meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// What a caller wants to change of what is saved for a project.
#[derive(Clone, Debug, Default)]
pub struct ConfigChange {
    /// Settings, over those saved before.
    pub settings: PlanInput,
    /// Settings to forget, so that the default counts again: `politeness.rate`.
    pub unset: Vec<String>,
    /// Whether the project crawls incrementally.
    pub incremental: Option<bool>,
}

impl From<SettingProblem> for AppError {
    fn from(problem: SettingProblem) -> Self {
        Self::Invalid(problem.0)
    }
}

/// Reads `group.key=value`; the value is JSON, or a word.
pub fn assignment(text: &str) -> Result<PlanInput, SettingProblem> {
    let (path, value) = text.split_once('=').ok_or_else(|| SettingProblem("it has no `=`".to_owned()))?;
    let (group, key) = known(path.trim())?;
    one(group, key, value)
}

/// Reads a settings file in TOML.
pub fn file_settings(text: &str) -> Result<PlanInput, SettingProblem> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        SettingProblem(format!("line {line} is no TOML: {}", error.message()))
    })?;
    let mut settings = PlanInput::default();
    for (group, keys) in table {
        let toml::Value::Table(keys) = keys else { return Err(SettingProblem(unknown_group(&group))) };
        for (key, value) in keys {
            let (group, key) = known(&format!("{group}.{key}"))?;
            let value =
                serde_json::to_value(value).map_err(|error| SettingProblem(format!("{group}.{key}: {error}")))?;
            let given = setting(group, key, value).map_err(|error| told(group, key, &error))?;
            settings = given.over(settings);
        }
    }
    Ok(settings)
}

/// Reads `BLUESNAKE_GROUP__KEY` variables; others that begin with `BLUESNAKE_` are not settings of a crawl.
pub fn env_settings(variables: impl IntoIterator<Item = (String, String)>) -> Result<PlanInput, SettingProblem> {
    let mut settings = PlanInput::default();
    let mut found: Vec<(String, String)> = variables.into_iter().collect();
    found.sort();
    for (name, value) in found {
        let Some(path) = name.strip_prefix("BLUESNAKE_").and_then(|name| name.split_once("__")) else { continue };
        let path = format!("{}.{}", path.0.to_ascii_lowercase(), path.1.to_ascii_lowercase());
        let tell = |why: String| SettingProblem(format!("{name}: {why}"));
        let (group, key) = known(&path).map_err(|problem| tell(problem.0))?;
        settings = one(group, key, &value).map_err(|problem| tell(problem.0))?.over(settings);
    }
    Ok(settings)
}

/// Reads settings in JSON, as requests bring them: groups with their keys. All problems are told at once.
pub fn json_settings(groups: &Map<String, Value>) -> Result<PlanInput, Vec<FieldProblem>> {
    match read_settings(groups) {
        (settings, problems) if problems.is_empty() => Ok(settings),
        (_, problems) => Err(problems),
    }
}

/// The settings that could be read, and what is wrong with the others.
pub(crate) fn read_settings(groups: &Map<String, Value>) -> (PlanInput, Vec<FieldProblem>) {
    let (mut settings, mut problems) = (PlanInput::default(), Vec::new());
    for (group, keys) in groups {
        let keys = match keys {
            _ if !is_group(group) => {
                let hint = nearest_key(group).map(|meant| format!("did you mean `{meant}`?"));
                problems.push(FieldProblem { field: group.clone(), message: unknown_group(group), hint });
                continue;
            }
            Value::Object(keys) => keys,
            // As for a single setting, null is none.
            Value::Null => continue,
            _ => {
                let message = "a group of settings is an object".to_owned();
                problems.push(FieldProblem { field: group.clone(), message, hint: None });
                continue;
            }
        };
        for (key, value) in keys {
            let field = format!("{group}.{key}");
            match known(&field) {
                Err(_) => problems.push(unknown_setting(field)),
                Ok((group, key)) => match setting(group, key, value.clone()) {
                    Ok(given) => settings = given.over(settings),
                    Err(error) => {
                        let message = told(group, key, &error).0;
                        problems.push(FieldProblem { field, message, hint: None });
                    }
                },
            }
        }
    }
    (settings, problems)
}

fn unknown_setting(field: String) -> FieldProblem {
    let hint = nearest_key(&field).map(|meant| format!("did you mean `{meant}`?"));
    FieldProblem { message: format!("`{field}` is no setting"), hint, field }
}

/// One setting out of a text: JSON, else the word itself, else a list of it.
fn one(group: &str, key: &str, value: &str) -> Result<PlanInput, SettingProblem> {
    let read = match serde_json::from_str(value).ok().map(|value| setting(group, key, value)) {
        Some(Ok(input)) => Ok(input),
        _ => setting(group, key, value.into()).or_else(|error| setting(group, key, json!([value])).map_err(|_| error)),
    };
    read.map_err(|error| told(group, key, &error))
}

fn setting(group: &str, key: &str, value: Value) -> Result<PlanInput, serde_json::Error> {
    let keys: Map<String, Value> = [(key.to_owned(), value)].into_iter().collect();
    let groups: Map<String, Value> = [(group.to_owned(), keys.into())].into_iter().collect();
    serde_json::from_value(groups.into())
}

/// What is wrong with a value; of one that may be a secret it is not told, because that would tell the value.
fn told(group: &str, key: &str, error: &serde_json::Error) -> SettingProblem {
    match may_be_secret(key) {
        true => SettingProblem(format!("{group}.{key}: the value has not the form that it must have")),
        false => SettingProblem(format!("{group}.{key}: {}", without_type_names(&error.to_string()))),
    }
}

fn may_be_secret(key: &str) -> bool {
    matches!(key, "auth" | "headers" | "initial_cookies" | "proxy")
}

/// The group and key of a path, or what may have been meant.
fn known(path: &str) -> Result<(&'static str, &'static str), SettingProblem> {
    let Some((group, key)) = path.split_once('.') else {
        return Err(SettingProblem(match nearest_key(path) {
            Some(meant) => format!("`{path}` is no setting; did you mean `{meant}`?"),
            None => format!("`{path}` has no group, as in `limits.url_length`"),
        }));
    };
    let Some((group, keys)) = GROUPS.iter().find(|(name, _)| *name == group) else {
        return Err(SettingProblem(unknown_group(group)));
    };
    match keys.iter().find(|known| **known == key) {
        Some(key) => Ok((group, key)),
        None => Err(SettingProblem(match nearest_key(path) {
            Some(meant) => format!("`{path}` is no setting; did you mean `{meant}`?"),
            None => format!("`{path}` is no setting; `{group}` has {}", keys.join(", ")),
        })),
    }
}

fn unknown_group(group: &str) -> String {
    let names = GROUPS.map(|(name, _)| name);
    format!("`{group}` is no group of settings; there are {}", names.join(", "))
}

/// The setting whose name is nearest, when it is near enough.
fn nearest_key(path: &str) -> Option<String> {
    let all = GROUPS.iter().flat_map(|(group, keys)| keys.iter().map(move |key| (*group, *key)));
    let distances = all.map(|(group, key)| {
        let full = format!("{group}.{key}");
        let wanted = path.rsplit('.').next().unwrap_or(path);
        (levenshtein(path, &full).min(levenshtein(wanted, key)), full)
    });
    let near: Vec<(usize, String)> = distances.filter(|(near, meant)| *near <= 1 + meant.len() / 6).collect();
    let nearest = near.iter().map(|(distance, _)| *distance).min()?;
    // One name may stand in several groups.
    let meant: Vec<&str> =
        near.iter().filter(|(distance, _)| *distance == nearest).map(|(_, meant)| meant.as_str()).collect();
    Some(meant[..meant.len().min(3)].join("` or `"))
}

/// Whether settings come in a group of this name.
pub(crate) fn is_group(name: &str) -> bool {
    GROUPS.iter().any(|(group, _)| *group == name)
}

/// A settings file with every setting, its default and its meaning.
pub fn example_file() -> String {
    let meanings = [
        DiscoverInput::MEANINGS,
        ScopeInput::MEANINGS,
        LimitInput::MEANINGS,
        PolitenessInput::MEANINGS,
        FetchInput::MEANINGS,
        ParseInput::MEANINGS,
        WeaveInput::MEANINGS,
    ];
    let defaults = serde_json::to_value(PlanInput::defaults()).expect("settings are JSON");
    let mut text =
        "# Every setting of bluesnake with its default. Use it with: bluesnake crawl URL --config FILE\n".to_owned();
    for ((group, keys), (about, meanings)) in GROUPS.iter().zip(meanings) {
        text.push_str(&format!("\n#{about}\n[{group}]\n"));
        for (key, meaning) in keys.iter().zip(meanings) {
            text.push_str(&format!("#{meaning}\n{key} = {}\n", in_toml(&defaults[group][key])));
        }
    }
    text
}

/// A default as TOML writes it; texts, numbers and lists look as in JSON, maps do not.
fn in_toml(value: &Value) -> String {
    match value {
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        other => other.to_string(),
    }
}

impl App {
    /// What is saved for a project: its settings, and whether it crawls incrementally.
    pub async fn saved_settings(&self, project: i64) -> Result<(PlanInput, bool), AppError> {
        let Some(ConfigRow { settings, is_incremental }) = self.catalog().config(project).await? else {
            return Ok((PlanInput::default(), false));
        };
        let settings = serde_json::from_str(&settings)
            .map_err(|error| AppError::Invalid(format!("the saved settings cannot be read: {error}")))?;
        Ok((settings, is_incremental))
    }

    /// Saves settings for a project, over those saved before; checked as a plan of it would be.
    pub async fn save_settings(
        &self,
        project: i64,
        settings: PlanInput,
        incremental: Option<bool>,
    ) -> Result<(), AppError> {
        self.save_change(project, ConfigChange { settings, incremental, ..ConfigChange::default() }).await
    }

    async fn save_change(&self, project: i64, change: ConfigChange) -> Result<(), AppError> {
        refuse_secrets(&change.settings)?;
        let row = self.catalog().project(project).await?;
        let (before, was_incremental) = self.saved_settings(project).await?;
        let settings = change.settings.over(without(before, &change.unset)?);
        bluesnake_engine::CrawlPlan::new([&row.url], settings.clone())?;
        let settings = serde_json::to_string(&settings).expect("settings are JSON");
        let is_incremental = change.incremental.unwrap_or(was_incremental);
        Ok(self.catalog().save_config(project, ConfigRow { settings, is_incremental }).await?)
    }

    /// What is saved for the site of a URL, over the defaults. A site that nobody crawled has the defaults.
    pub async fn config_of(&self, url: &str) -> Result<ConfigView, AppError> {
        let address = crate::start::project_address(&[url.to_owned()])?;
        let project = self.catalog().project_of_host(address.authority()).await?;
        let (saved, is_incremental) = match &project {
            Some(project) => self.saved_settings(project.id).await?,
            None => (PlanInput::default(), false),
        };
        let effective = saved.clone().over(PlanInput::defaults());
        Ok(ConfigView {
            project_id: project.map(|project| project.id),
            domain: address.authority().to_owned(),
            incremental_crawling_enabled: is_incremental,
            crawl_budget: effective.limits.session_budget.unwrap_or(0),
            settings: serde_json::to_value(saved).expect("settings are JSON"),
            effective: serde_json::to_value(effective).expect("settings are JSON"),
        })
    }

    /// Changes what is saved for the site of a URL, which is made when it is not there.
    pub async fn change_config(&self, url: &str, change: ConfigChange) -> Result<ConfigView, AppError> {
        // Checked before anything is stored, so that a mistake makes no project.
        refuse_secrets(&change.settings)?;
        bluesnake_engine::CrawlPlan::new([url], change.settings.clone())?;
        let project = self.project_at(url).await?;
        self.save_change(project.id, change).await?;
        self.config_of(url).await
    }

    /// Forgets a saved setting of a project, so that the default counts again.
    pub async fn unset_setting(&self, project: i64, path: &str) -> Result<(), AppError> {
        self.save_change(project, ConfigChange { unset: vec![path.to_owned()], ..ConfigChange::default() }).await
    }
}

/// The settings without some of them.
fn without(settings: PlanInput, paths: &[String]) -> Result<PlanInput, SettingProblem> {
    let mut groups = serde_json::to_value(settings).expect("settings are JSON");
    for path in paths {
        let (group, key) = known(path)?;
        if let Some(keys) = groups.get_mut(group).and_then(Value::as_object_mut) {
            keys.remove(key);
        }
    }
    Ok(serde_json::from_value(groups).expect("settings without some of them are settings"))
}

/// Secrets are not stored, so they cannot be saved for a project.
fn refuse_secrets(settings: &PlanInput) -> Result<(), AppError> {
    let fetch = &settings.fetch;
    let has_secret_proxy = fetch.proxy.as_ref().is_some_and(|proxy| proxy.contains('@'));
    let is_secret =
        fetch.auth.is_some() || fetch.headers.is_some() || fetch.initial_cookies.is_some() || has_secret_proxy;
    if !is_secret {
        return Ok(());
    }
    Err(AppError::Conflict {
        reason: Conflict::SecretsNotStored,
        message: "passwords, headers and cookies are never stored in the database".to_owned(),
        hint: "keep them in a file of your own for `--config`, in the environment, or give them with each crawl"
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bluesnake_engine::plan::RobotsMode;

    #[test]
    fn any_setting_can_be_assigned() {
        assert_eq!(assignment("limits.url_length=4000").unwrap().limits.url_length, Some(4000));
        assert_eq!(assignment("politeness.robots=ignore").unwrap().politeness.robots, Some(RobotsMode::Ignore));
        assert_eq!(assignment("scope.exclude=/tag/").unwrap().scope.exclude, Some(vec!["/tag/".to_owned()]));
        assert!(assignment("limits.url_length=many").is_err());
        assert!(assignment("nonsense").is_err());
    }

    #[test]
    fn a_wrong_key_is_refused_with_a_suggestion() {
        let check = |text: &str, meant: &str| {
            let SettingProblem(why) = assignment(&format!("{text}=1")).unwrap_err();
            assert!(why.contains(meant), "{text}: {why}");
        };
        check("limits.url_lenght", "did you mean `limits.url_length`?");
        check("max_depth", "did you mean `scope.max_depth` or `weave.max_depth`?");
        check("fetch.max_depth", "did you mean `scope.max_depth` or `weave.max_depth`?");
        check("limit.url_length", "`limit` is no group of settings");
        check("scope.zzzzzzzz", "`scope` has include_subdomains");
    }

    #[test]
    fn the_example_file_holds_every_default() {
        assert_eq!(file_settings(&example_file()).unwrap(), PlanInput::defaults());
    }

    #[test]
    fn files_and_variables_have_the_same_shape() {
        let file = file_settings("[limits]\nmax_urls = 5\n[scope]\nexclude = [\"/a\"]\n").unwrap();
        assert_eq!((file.limits.max_urls, file.scope.exclude), (Some(5), Some(vec!["/a".to_owned()])));
        assert!(file_settings("[limits]\nmax_url = 5\n").unwrap_err().0.contains("did you mean `limits.max_urls`?"));
        assert!(file_settings("max_urls = 5\n").unwrap_err().0.contains("no group"));
        assert!(file_settings("[limits]\nmax_urls = \"five\"\n").is_err());

        let variable = |name: &str, value: &str| env_settings([(name.to_owned(), value.to_owned())]);
        assert_eq!(variable("BLUESNAKE_LIMITS__MAX_URLS", "7").unwrap().limits.max_urls, Some(7));
        assert_eq!(variable("BLUESNAKE_HOME", "/x").unwrap(), PlanInput::default());
        assert!(variable("BLUESNAKE_LIMITS__MAX_URL", "7").unwrap_err().0.contains("did you mean"));
    }
}
