//! Settings from outside: files, the environment, single assignments and requests.
//!
//! Each job has one shape for all of them, a [`JobInput`]. Everything is read as JSON values in groups by
//! [`read_settings`], which reports all problems at once and suggests the setting that may have been meant.

use bluesnake_engine::JobInput;
use bluesnake_engine::plan::{Field, Group, is_secret};
use bluesnake_store::state::RunKind;
use serde::Serialize;
use serde_json::{Map, Value, json};
use strsim::levenshtein;

use crate::error::AppError;
use crate::spelling::{nearest, without_type_names};

/// Groups of settings with their values, of any job.
pub type Groups = Map<String, Value>;

/// An invalid field of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct FieldProblem {
    /// The field: `limits.url_length`.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// A suggestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl FieldProblem {
    /// A problem without a hint.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), hint: None }
    }

    fn unknown(what: &str, field: &str, meant: Option<String>) -> Self {
        let hint = meant.map(|meant| format!("did you mean `{meant}`?"));
        Self { field: field.to_owned(), message: format!("unknown {what} `{field}`"), hint }
    }

    /// In one sentence, hint included.
    pub fn sentence(&self) -> String {
        let hint = self.hint.iter().map(|hint| format!("; {hint}")).collect::<String>();
        format!("{}{hint}", self.message)
    }
}

impl From<Vec<FieldProblem>> for AppError {
    fn from(problems: Vec<FieldProblem>) -> Self {
        let told = problems
            .into_iter()
            .map(|problem| bluesnake_engine::plan::Problem { message: problem.sentence(), field: problem.field });
        Self::Plan(bluesnake_engine::PlanProblems(told.collect()))
    }
}

/// Evaluates an expression with the type of a job's settings.
macro_rules! with_input {
    ($job:expr, $input:ident => $value:expr) => {
        match $job {
            RunKind::Crawl => {
                type $input = bluesnake_engine::AuditInput;
                $value
            }
            RunKind::Capture => {
                type $input = bluesnake_engine::CaptureInput;
                $value
            }
            RunKind::Weave => {
                type $input = bluesnake_engine::WeaveInput;
                $value
            }
        }
    };
}

pub(crate) use with_input;

/// The settings of a job as JSON values.
pub fn to_groups<I: JobInput>(input: &I) -> Groups {
    match serde_json::to_value(input).expect("settings are JSON") {
        Value::Object(groups) => groups,
        _ => unreachable!("settings come in groups"),
    }
}

/// Every setting of a job with its default.
pub fn default_settings(job: RunKind) -> Groups {
    with_input!(job, I => to_groups(&I::defaults()))
}

/// The groups of settings that a job has.
pub fn groups_of(job: RunKind) -> &'static [Group] {
    with_input!(job, I => I::GROUPS)
}

/// The jobs, in the order in which they are listed.
pub const JOBS: [RunKind; 3] = [RunKind::Crawl, RunKind::Capture, RunKind::Weave];

/// The first job that has a setting: `scope.max_depth`.
pub fn job_with(path: &str) -> Option<RunKind> {
    JOBS.into_iter().find(|job| find(groups_of(*job), path).is_some())
}

fn find(groups: &'static [Group], path: &str) -> Option<(&'static Group, &'static Field)> {
    let (group, key) = path.split_once('.')?;
    let group = groups.iter().find(|known| known.name == group)?;
    Some((group, group.fields.iter().find(|field| field.name == key)?))
}

/// Which settings may be named.
#[derive(Clone, Copy)]
enum Known {
    /// Those of one job.
    Of(&'static [Group]),
    /// Those of every job.
    OfAll,
}

impl Known {
    fn groups(self) -> Vec<&'static Group> {
        match self {
            Self::Of(groups) => groups.iter().collect(),
            Self::OfAll => JOBS.iter().flat_map(|job| groups_of(*job)).collect(),
        }
    }

    /// What is wrong with a path that names no setting.
    fn problem_with(self, path: &str) -> Option<FieldProblem> {
        let groups = self.groups();
        let (group, key) = path.split_once('.').unwrap_or((path, ""));
        let named: Vec<_> = groups.iter().filter(|known| known.name == group).collect();
        if named.iter().any(|known| known.fields.iter().any(|field| field.name == key)) {
            return None;
        }
        if named.is_empty() && !key.is_empty() {
            let meant = nearest(group, groups.iter().map(|known| known.name)).map(str::to_owned);
            let meant = meant.or_else(|| nearest_setting(&groups, path));
            return Some(FieldProblem {
                field: path.to_owned(),
                ..FieldProblem::unknown("settings group", group, meant)
            });
        }
        Some(FieldProblem::unknown("setting", path, nearest_setting(&groups, path)))
    }
}

/// The setting with the most similar name, if it is similar enough. One name may occur in several groups.
fn nearest_setting(groups: &[&Group], path: &str) -> Option<String> {
    let wanted = path.rsplit('.').next().unwrap_or(path);
    let mut near: Vec<(usize, String)> = Vec::new();
    for group in groups {
        for field in group.fields {
            let full = format!("{}.{}", group.name, field.name);
            let away = levenshtein(path, &full).min(levenshtein(wanted, field.name));
            if away <= 1 + full.len() / 6 && near.iter().all(|(_, other)| *other != full) {
                near.push((away, full));
            }
        }
    }
    let least = near.iter().map(|(away, _)| *away).min()?;
    near.retain(|(away, _)| *away == least);
    let meant: Vec<&str> = near.iter().map(|(_, meant)| meant.as_str()).take(3).collect();
    Some(meant.join("` or `"))
}

/// Reads settings of a job; returns those that could be read, and what is wrong with the others.
pub(crate) fn read_settings<I: JobInput>(groups: &Groups) -> (I, Vec<FieldProblem>) {
    let (mut settings, mut problems) = (I::default(), Vec::new());
    for (group, keys) in groups {
        let keys = match keys {
            Value::Object(keys) if !keys.is_empty() => keys,
            // Null for a group, like null for a setting, sets nothing.
            Value::Null | Value::Object(_) => {
                problems.extend(unknown_group(I::GROUPS, group));
                continue;
            }
            _ => {
                let wrong = || FieldProblem::new(group.clone(), "a group of settings must be an object");
                problems.push(unknown_group(I::GROUPS, group).unwrap_or_else(wrong));
                continue;
            }
        };
        for (key, value) in keys {
            let path = format!("{group}.{key}");
            match Known::Of(I::GROUPS).problem_with(&path) {
                Some(problem) => problems.push(problem),
                None => match setting::<I>(group, key, value.clone()) {
                    Ok(given) => settings = given.over(settings),
                    Err(message) => problems.push(FieldProblem::new(path, message)),
                },
            }
        }
    }
    (settings, problems)
}

fn unknown_group(groups: &'static [Group], name: &str) -> Option<FieldProblem> {
    let is_known = groups.iter().any(|group| group.name == name);
    let meant = || nearest(name, groups.iter().map(|group| group.name)).map(str::to_owned);
    (!is_known).then(|| FieldProblem::unknown("settings group", name, meant()))
}

/// Reads settings of a job from JSON values in groups.
pub fn json_settings<I: JobInput>(groups: &Groups) -> Result<I, Vec<FieldProblem>> {
    match read_settings(groups) {
        (settings, problems) if problems.is_empty() => Ok(settings),
        (_, problems) => Err(problems),
    }
}

/// One setting with a value in JSON.
fn setting<I: JobInput>(group: &str, key: &str, value: Value) -> Result<I, String> {
    let keys: Map<String, Value> = [(key.to_owned(), value)].into_iter().collect();
    let groups: Groups = [(group.to_owned(), keys.into())].into_iter().collect();
    serde_json::from_value(groups.into()).map_err(|error| match is_secret(key) {
        // The message would contain the value.
        true => "the value has the wrong form".to_owned(),
        false => without_type_names(&error.to_string()),
    })
}

/// One setting with a value in text: JSON, else the word itself, else a list of it.
fn text_setting<I: JobInput>(path: &str, text: &str) -> Result<I, FieldProblem> {
    if let Some(problem) = Known::Of(I::GROUPS).problem_with(path) {
        return Err(problem);
    }
    let (group, key) = path.split_once('.').expect("a setting has a group");
    let read = match serde_json::from_str(text).ok().map(|value| setting(group, key, value)) {
        Some(Ok(input)) => Ok(input),
        _ => setting(group, key, text.into()).or_else(|error| setting(group, key, json!([text])).map_err(|_| error)),
    };
    read.map_err(|message| FieldProblem::new(path, message))
}

/// Reads `group.key=value`; the value is JSON, or a word.
pub fn assignment<I: JobInput>(text: &str) -> Result<I, FieldProblem> {
    let (path, value) = text.split_once('=').ok_or_else(|| FieldProblem::new(text, "missing `=`"))?;
    text_setting(path.trim(), value)
}

/// Reads `group.key=value` as a setting of any job.
pub fn any_assignment(text: &str) -> Result<Groups, FieldProblem> {
    let path = text.split('=').next().unwrap_or_default().trim();
    match job_with(path) {
        None if text.contains('=') => Err(unknown(path)),
        job => with_input!(job.unwrap_or(RunKind::Crawl), I => assignment::<I>(text).map(|input| to_groups(&input))),
    }
}

/// What is wrong with the name of a setting that no job has.
pub fn unknown(path: &str) -> FieldProblem {
    Known::OfAll.problem_with(path).unwrap_or_else(|| FieldProblem::new(path, "is a setting"))
}

/// Reads a settings file in TOML.
pub fn file_settings<I: JobInput>(text: &str) -> Result<I, Vec<FieldProblem>> {
    json_settings(&toml_groups(text)?)
}

/// The content of a TOML file as JSON values.
pub(crate) fn toml_groups(text: &str) -> Result<Groups, Vec<FieldProblem>> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        vec![FieldProblem::new(format!("line {line}"), format!("invalid TOML: {}", error.message()))]
    })
}

/// Reads `BLUESNAKE_GROUP__KEY` variables. The environment is shared by all jobs, so settings of other jobs are skipped.
pub fn env_settings<I: JobInput>(
    variables: impl IntoIterator<Item = (String, String)>,
) -> Result<I, Vec<FieldProblem>> {
    let (mut settings, mut problems) = (I::default(), Vec::new());
    let mut found: Vec<(String, String)> = variables.into_iter().collect();
    found.sort();
    for (name, value) in found {
        let Some((group, key)) = name.strip_prefix("BLUESNAKE_").and_then(|name| name.split_once("__")) else {
            continue;
        };
        let path = format!("{}.{}", group.to_ascii_lowercase(), key.to_ascii_lowercase());
        let read = match (find(I::GROUPS, &path), job_with(&path)) {
            (Some(_), _) => text_setting::<I>(&path, &value),
            (None, Some(_)) => continue,
            (None, None) => Err(unknown(&path)),
        };
        match read {
            Ok(given) => settings = given.over(settings),
            Err(problem) => problems.push(FieldProblem { field: name, ..problem }),
        }
    }
    if problems.is_empty() { Ok(settings) } else { Err(problems) }
}

/// A settings file with every setting of a job, its default and its help.
pub fn example_file(job: RunKind) -> String {
    let defaults = default_settings(job);
    let command = job.as_str();
    let mut text = format!(
        "# Every setting of `bluesnake {command}` with its default. Use it with: bluesnake {command} URL --config FILE\n"
    );
    for group in groups_of(job) {
        text.push_str(&format!("\n# {}\n[{}]\n", group.help, group.name));
        for field in group.fields {
            // TOML writes all values but maps as JSON does; maps are empty by default.
            text.push_str(&format!("# {}\n{} = {}\n", field.help, field.name, defaults[group.name][field.name]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bluesnake_engine::plan::RobotsMode;
    use bluesnake_engine::{AuditInput, CaptureInput, WeaveInput};

    fn audit(text: &str) -> Result<AuditInput, FieldProblem> {
        assignment(text)
    }

    #[test]
    fn any_setting_can_be_assigned() {
        assert_eq!(audit("limits.url_length=4000").unwrap().limits.url_length, Some(4000));
        assert_eq!(audit("politeness.robots=ignore").unwrap().politeness.robots, Some(RobotsMode::Ignore));
        assert_eq!(audit("scope.exclude=/tag/").unwrap().scope.exclude, Some(vec!["/tag/".to_owned()]));
        assert!(audit("limits.url_length=many").is_err());
        assert!(audit("nonsense").is_err());
        assert_eq!(any_assignment("weave.max_depth=2").unwrap()["weave"], json!({"max_depth": 2}));
        assert!(any_assignment("weave.max_dept=2").unwrap_err().hint.unwrap().contains("`weave.max_depth`"));
    }

    #[test]
    fn an_unknown_setting_is_refused_with_a_suggestion() {
        fn check<I: JobInput>(text: &str, expected: &str) {
            let problem = assignment::<I>(&format!("{text}=1")).unwrap_err();
            assert_eq!(problem.sentence(), expected);
        }
        check::<AuditInput>(
            "limits.url_lenght",
            "unknown setting `limits.url_lenght`; did you mean `limits.url_length`?",
        );
        check::<AuditInput>("max_depth", "unknown setting `max_depth`; did you mean `scope.max_depth`?");
        check::<AuditInput>("politness.rate", "unknown settings group `politness`; did you mean `politeness`?");
        check::<AuditInput>("scope.zzzzzzzz", "unknown setting `scope.zzzzzzzz`");
        check::<AuditInput>("weave.max_depth", "unknown settings group `weave`; did you mean `scope.max_depth`?");
        check::<WeaveInput>("scope.max_depth", "unknown settings group `scope`; did you mean `weave.max_depth`?");
        check::<CaptureInput>("keep.html", "unknown settings group `keep`");
    }

    #[test]
    fn the_example_file_holds_every_default_of_its_job() {
        fn check<I: JobInput>(job: RunKind) {
            assert_eq!(file_settings::<I>(&example_file(job)).unwrap(), I::defaults());
        }
        check::<AuditInput>(RunKind::Crawl);
        check::<CaptureInput>(RunKind::Capture);
        check::<WeaveInput>(RunKind::Weave);
    }

    #[test]
    fn files_and_variables_have_the_same_shape() {
        let file = file_settings::<AuditInput>("[scope]\nmax_urls = 5\nexclude = [\"/a\"]\n").unwrap();
        assert_eq!((file.scope.max_urls, file.scope.exclude), (Some(5), Some(vec!["/a".to_owned()])));
        let problems =
            file_settings::<AuditInput>("max_urls = 5\n[scope]\nmax_url = 5\nmax_depth = \"x\"\n").unwrap_err();
        let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        assert_eq!(fields, ["max_urls", "scope.max_depth", "scope.max_url"], "all problems at once");

        fn variable<I: JobInput>(name: &str, value: &str) -> Result<I, Vec<FieldProblem>> {
            env_settings([(name.to_owned(), value.to_owned())])
        }
        let audit: AuditInput = variable("BLUESNAKE_SCOPE__MAX_URLS", "7").unwrap();
        assert_eq!(audit.scope.max_urls, Some(7));
        assert_eq!(variable("BLUESNAKE_HOME", "/x"), Ok(AuditInput::default()));
        let weave = variable("BLUESNAKE_SCOPE__MAX_URLS", "7");
        assert_eq!(weave, Ok(WeaveInput::default()), "a weave has no such setting");
        let wrong = variable::<AuditInput>("BLUESNAKE_SCOPE__MAX_URL", "7");
        assert_eq!(wrong.unwrap_err()[0].hint.as_deref(), Some("did you mean `scope.max_urls`?"));
    }
}
