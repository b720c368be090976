//! The file of a weave: what to weave and how, in JSON or TOML. All problems are told at once.

use std::path::PathBuf;

use bluesnake_engine::plan::{FetchInput, Problem};
use bluesnake_engine::{PlanInput, PlanProblems, Preset};
use serde_json::{Map, Value};

use super::plan_of;
use crate::config::{FieldProblem, is_group, read_settings};
use crate::spelling::nearest;

/// Where results go when a file that names a seed does not say it.
const DB_PATH: &str = "crawler.db";
/// Where the figures go then.
const METRICS_PATH: &str = "metrics.log";
/// The keys of a file, besides the groups of settings, and the settings that they stand for.
const KEYS: [(&str, &str); 13] = [
    ("seed_url", "seeds"),
    ("max_depth", "weave.max_depth"),
    ("max_crawls_per_node", "weave.max_crawls_per_node"),
    ("max_subdomains_per_root", "weave.max_subdomains_per_root"),
    ("max_outbound_links", "weave.max_outbound_links"),
    ("concurrent_workers", "politeness.parallelism"),
    ("request_timeout_ms", "fetch.timeout_ms"),
    ("retry_attempts", "fetch.attempts"),
    ("retry_delay_ms", "fetch.retry_delays_ms"),
    ("exclude", "weave.exclude"),
    ("default_exclusions", "weave.default_exclusions"),
    ("db_path", ""),
    ("metrics_path", ""),
];
/// The shortest time that a file may give an answer.
const SHORTEST_TIMEOUT_MS: u64 = 1000;

/// What a file says. Keys that it does not have are left to flags and defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeaveFile {
    /// Where to start.
    pub seed_url: Option<String>,
    /// The settings.
    pub settings: PlanInput,
    /// The database, if the file names one.
    pub db_path: Option<PathBuf>,
    /// Where the figures are written at the end.
    pub metrics_path: Option<PathBuf>,
}

impl WeaveFile {
    /// Reads a file; JSON when it begins with a brace, else TOML.
    pub fn read(text: &str) -> Result<Self, Vec<FieldProblem>> {
        let whole = |message: String| vec![FieldProblem { field: "file".to_owned(), message, hint: None }];
        let content: Value = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text).map_err(|error| whole(format!("it is no JSON: {error}")))?,
            false => toml::from_str(text).map_err(|error: toml::de::Error| {
                let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
                whole(format!("line {line} is no TOML: {}", error.message()))
            })?,
        };
        let Value::Object(content) = content else { return Err(whole("it is no object".to_owned())) };
        Self::of(content)
    }

    /// The database of a weave that names none elsewhere. A file that names a seed has one of its own, unless there is a
    /// home for databases.
    pub fn database(&self, has_home: bool) -> Option<PathBuf> {
        let default = (self.seed_url.is_some() && !has_home).then(|| DB_PATH.into());
        self.db_path.clone().or(default)
    }

    fn of(content: Map<String, Value>) -> Result<Self, Vec<FieldProblem>> {
        let (groups, single): (Map<_, _>, Map<_, _>) = content.into_iter().partition(|(key, _)| is_group(key));
        let mut keys = Keys::default();
        single.iter().for_each(|(key, value)| keys.take(key, value));
        let (given, wrong) = read_settings(&groups);
        let Keys { file, mut problems } = keys;
        problems.extend(wrong);
        let mut file = Self { settings: file.settings.over(given), ..file };
        file.leave_time_for_answers();
        problems.extend(file.problems().into_iter().map(|problem| {
            let key = KEYS.iter().find(|(key, setting)| *setting == problem.field && single.contains_key(*key));
            let field = key.map_or(problem.field, |(key, _)| (*key).to_owned());
            FieldProblem { field, message: problem.message, hint: None }
        }));
        if !problems.is_empty() {
            return Err(problems);
        }
        if file.seed_url.is_some() {
            file.metrics_path.get_or_insert_with(|| METRICS_PATH.into());
        }
        Ok(file)
    }

    /// A whole answer takes at least as long as its beginning, unless the file says how long it takes.
    fn leave_time_for_answers(&mut self) {
        let fetch = &mut self.settings.fetch;
        let usual = FetchInput::defaults().total_timeout_ms;
        if fetch.total_timeout_ms.is_none() && fetch.timeout_ms > usual {
            fetch.total_timeout_ms = fetch.timeout_ms;
        }
    }

    /// What is wrong with what could be read.
    fn problems(&self) -> Vec<Problem> {
        let seed = self.seed_url.clone().unwrap_or_else(|| "https://example.com/".to_owned());
        let settings = self.settings.clone().over(PlanInput::preset(Preset::Graph));
        let plan = plan_of(&[seed], settings, &self.settings);
        plan.err().map(|PlanProblems(problems)| problems).unwrap_or_default()
    }
}

/// The keys of a file while they are read.
#[derive(Default)]
struct Keys {
    file: WeaveFile,
    problems: Vec<FieldProblem>,
}

impl Keys {
    fn take(&mut self, key: &str, value: &Value) {
        let settings = &mut self.file.settings;
        let result = match key {
            "seed_url" => text(value).map(|seed| self.file.seed_url = Some(seed)),
            "db_path" => text(value).map(|path| self.file.db_path = Some(path.into())),
            "metrics_path" => text(value).map(|path| self.file.metrics_path = Some(path.into())),
            "max_depth" => number(value).map(|number| settings.weave.max_depth = Some(number)),
            "max_crawls_per_node" => number(value).map(|number| settings.weave.max_crawls_per_node = Some(number)),
            "max_subdomains_per_root" => {
                number(value).map(|number| settings.weave.max_subdomains_per_root = Some(number))
            }
            "max_outbound_links" => number(value).map(|number| settings.weave.max_outbound_links = Some(number)),
            "concurrent_workers" => number(value).map(|number| settings.politeness.parallelism = Some(number as usize)),
            "request_timeout_ms" => timeout(value).map(|time| settings.fetch.timeout_ms = Some(time)),
            "retry_attempts" => number(value).map(|number| settings.fetch.attempts = Some(number.max(1))),
            "retry_delay_ms" => {
                number(value).map(|number| settings.fetch.retry_delays_ms = Some(vec![u64::from(number)]))
            }
            "exclude" => texts(value).map(|hosts| settings.weave.exclude = Some(hosts)),
            "default_exclusions" => match value {
                Value::Bool(value) => {
                    settings.weave.default_exclusions = Some(*value);
                    Ok(())
                }
                _ => Err("must be true or false".to_owned()),
            },
            _ => {
                let message = "there is no such key".to_owned();
                let hint = nearest(key, KEYS.map(|(key, _)| key)).map(|meant| format!("did you mean `{meant}`?"));
                return self.problems.push(FieldProblem { field: key.to_owned(), message, hint });
            }
        };
        if let Err(message) = result {
            self.problems.push(FieldProblem { field: key.to_owned(), message, hint: None });
        }
    }
}

fn number(value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("must be a whole number, not {value}"))
}

fn timeout(value: &Value) -> Result<u64, String> {
    let time = value.as_u64().filter(|time| *time >= SHORTEST_TIMEOUT_MS);
    time.ok_or_else(|| format!("must be a whole number of at least {SHORTEST_TIMEOUT_MS}, not {value}"))
}

fn text(value: &Value) -> Result<String, String> {
    let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("must be a text, not {value}"))
}

fn texts(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().map(|list| list.iter().map(text).collect());
    list.unwrap_or_else(|| Err(format!("must be a list of texts, not {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read_and_paths_have_defaults_once_a_seed_is_named() {
        let json = r#"{"seed_url": "https://example.com", "max_depth": 2, "max_crawls_per_node": 4,
            "max_subdomains_per_root": 5, "max_outbound_links": 6, "concurrent_workers": 7, "request_timeout_ms": 8000,
            "retry_attempts": 2, "retry_delay_ms": 900, "exclude": ["a.example"], "default_exclusions": false}"#;
        let file = WeaveFile::read(json).unwrap();
        let (weave, fetch) = (&file.settings.weave, &file.settings.fetch);
        assert_eq!((weave.max_depth, weave.max_crawls_per_node), (Some(2), Some(4)));
        assert_eq!((weave.max_subdomains_per_root, weave.max_outbound_links), (Some(5), Some(6)));
        assert_eq!((file.settings.politeness.parallelism, fetch.timeout_ms), (Some(7), Some(8000)));
        assert_eq!((fetch.attempts, fetch.retry_delays_ms.as_deref()), (Some(2), Some(&[900][..])));
        assert_eq!(
            (weave.exclude.as_deref(), weave.default_exclusions),
            (Some(&["a.example".to_owned()][..]), Some(false))
        );
        assert_eq!((&file.db_path, file.database(true)), (&None, None), "there is a home for databases");
        assert_eq!(file.database(false), Some("crawler.db".into()));
        assert_eq!(file.metrics_path.as_deref(), Some(std::path::Path::new("metrics.log")));
        assert_eq!(WeaveFile::read("{}").unwrap(), WeaveFile::default());
    }

    #[test]
    fn toml_says_the_same_and_has_groups_of_settings() {
        let toml = "seed_url = 'example.com'\nmax_depth = 2\ndb_path = 'g.db'\n[fetch]\nuser_agent = 'x'\n";
        let file = WeaveFile::read(toml).unwrap();
        assert_eq!(file.settings.fetch.user_agent.as_deref(), Some("x"));
        assert_eq!((file.seed_url.as_deref(), file.settings.weave.max_depth), (Some("example.com"), Some(2)));
        assert_eq!(file.db_path.as_deref(), Some(std::path::Path::new("g.db")));
    }

    #[test]
    fn all_problems_are_told_at_once_with_suggestions() {
        let json = r#"{"max_dept": 2, "max_crawls_per_node": 0, "request_timeout_ms": 10, "seed_url": 7,
            "concurrent_workers": -1, "exclude": "x", "fetch": {"user_agnet": "x"}}"#;
        let problems = WeaveFile::read(json).unwrap_err();
        let mut fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
        fields.sort_unstable();
        let expected = [
            "concurrent_workers",
            "exclude",
            "fetch.user_agnet",
            "max_crawls_per_node",
            "max_dept",
            "request_timeout_ms",
            "seed_url",
        ];
        assert_eq!(fields, expected);
        let meant = problems.iter().find(|problem| problem.field == "max_dept").and_then(|found| found.hint.clone());
        assert_eq!(meant.as_deref(), Some("did you mean `max_depth`?"));
        // What is out of range is told by the name that stands in the file, with all the rest.
        let json = r#"{"max_dept": 2, "concurrent_workers": 5000, "max_depth": 0, "exclude": ["a b"],
            "scope": {"max_depth": 3}, "limits": {"backlog_urls": 1}}"#;
        let mut fields: Vec<String> =
            WeaveFile::read(json).unwrap_err().into_iter().map(|problem| problem.field).collect();
        fields.sort_unstable();
        let expected =
            ["concurrent_workers", "exclude", "limits.backlog_urls", "max_dept", "max_depth", "scope.max_depth"];
        assert_eq!(fields, expected);
        let json = r#"{"fetch": {"user_agnet": "x"}, "weave": {"max_depth": 0}, "scope": {"max_depth": 3}}"#;
        assert_eq!(WeaveFile::read(json).unwrap_err().len(), 3, "one that cannot be read does not hide the others");
        let total = |json: &str| WeaveFile::read(json).unwrap().settings.fetch.total_timeout_ms;
        assert_eq!(total(r#"{"request_timeout_ms": 90000}"#), Some(90_000));
        assert_eq!(total(r#"{"request_timeout_ms": 90000, "fetch": {"total_timeout_ms": 300000}}"#), Some(300_000));
        assert_eq!(total(r#"{"request_timeout_ms": 9000}"#), None);
        for wrong in ["{", "[1]", "seed_url = ", "{\"max_depth\": 1e99}"] {
            assert!(WeaveFile::read(wrong).is_err(), "{wrong}");
        }
    }
}
