//! The settings file of a weave, in JSON or TOML. Reports all problems at once.

use std::path::PathBuf;

use bluesnake_engine::plan::FetchInput;
use bluesnake_engine::{PlanProblems, WeaveInput, WeavePlan};
use serde_json::{Map, Value, json};

use crate::settings::{FieldProblem, Groups, read_settings, toml_groups};
use crate::spelling::nearest;

/// The default database of a file that names a seed.
const DB_PATH: &str = "crawler.db";
/// The default metrics file in that case.
const METRICS_PATH: &str = "metrics.log";
/// Keys that set a setting: key, group, name.
const SETTINGS: [(&str, &str, &str); 10] = [
    ("max_depth", "weave", "max_depth"),
    ("max_crawls_per_node", "weave", "max_crawls_per_node"),
    ("max_subdomains_per_root", "weave", "max_subdomains_per_root"),
    ("max_outbound_links", "weave", "max_outbound_links"),
    ("concurrent_workers", "politeness", "parallelism"),
    ("request_timeout_ms", "fetch", "timeout_ms"),
    ("retry_attempts", "fetch", "attempts"),
    ("retry_delay_ms", "fetch", "retry_delays_ms"),
    ("exclude", "weave", "exclude"),
    ("default_exclusions", "weave", "default_exclusions"),
];
/// The other keys, besides the groups of settings.
const TEXTS: [&str; 3] = ["seed_url", "db_path", "metrics_path"];
/// The shortest timeout that a file may set.
const SHORTEST_TIMEOUT_MS: u64 = 1000;

/// The content of a file. Flags and defaults fill in absent keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeaveFile {
    /// Start URL.
    pub seed_url: Option<String>,
    /// The settings.
    pub settings: WeaveInput,
    /// The database, if the file names one.
    pub db_path: Option<PathBuf>,
    /// Where the metrics are written at the end.
    pub metrics_path: Option<PathBuf>,
}

impl WeaveFile {
    /// Reads a file; JSON if it starts with a brace, else TOML.
    pub fn read(text: &str) -> Result<Self, Vec<FieldProblem>> {
        let content: Groups = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text)
                .map_err(|error| vec![FieldProblem::new("file", format!("invalid JSON: {error}"))])?,
            false => toml_groups(text)?,
        };
        Self::of(content)
    }

    /// The database, if none is named elsewhere. A file that names a seed has its own, unless `BLUESNAKE_HOME` is set.
    pub fn database(&self, has_home: bool) -> Option<PathBuf> {
        let default = (self.seed_url.is_some() && !has_home).then(|| DB_PATH.into());
        self.db_path.clone().or(default)
    }

    fn of(content: Map<String, Value>) -> Result<Self, Vec<FieldProblem>> {
        let (mut groups, single): (Groups, Groups) = content.into_iter().partition(|(_, value)| value.is_object());
        let (mut file, mut problems) = (Self::default(), Vec::new());
        for (key, value) in &single {
            if let Err(problem) = file.take(&mut groups, key, value) {
                problems.push(problem);
            }
        }
        let (settings, wrong) = read_settings(&groups);
        file.settings = settings;
        file.leave_time_for_responses();
        let named_in_file = |problem: FieldProblem| {
            let key = SETTINGS
                .iter()
                .find(|(key, group, name)| problem.field == format!("{group}.{name}") && single.contains_key(*key));
            let seed = (problem.field == "seeds").then(|| "seed_url".to_owned());
            let field = key.map(|(key, ..)| (*key).to_owned()).or(seed).unwrap_or(problem.field);
            FieldProblem { field, ..problem }
        };
        problems.extend(wrong.into_iter().chain(file.problems()).map(named_in_file));
        if !problems.is_empty() {
            return Err(problems);
        }
        if file.seed_url.is_some() {
            file.metrics_path.get_or_insert_with(|| METRICS_PATH.into());
        }
        Ok(file)
    }

    /// Reads one key: a text, or a setting of a group.
    fn take(&mut self, groups: &mut Groups, key: &str, value: &Value) -> Result<(), FieldProblem> {
        let Some((_, group, name)) = SETTINGS.iter().find(|(known, ..)| *known == key) else {
            return self.take_text(key, value);
        };
        let value = match key {
            "request_timeout_ms" if value.as_u64().is_some_and(|time| time < SHORTEST_TIMEOUT_MS) => {
                return Err(FieldProblem::new(key, format!("must be at least {SHORTEST_TIMEOUT_MS}")));
            }
            "retry_attempts" if *value == json!(0) => json!(1),
            "retry_delay_ms" => json!([value]),
            _ => value.clone(),
        };
        groups.entry(*group).or_insert_with(|| json!({}))[*name] = value;
        Ok(())
    }

    fn take_text(&mut self, key: &str, value: &Value) -> Result<(), FieldProblem> {
        if !TEXTS.contains(&key) {
            let known = SETTINGS.iter().map(|(key, ..)| *key).chain(TEXTS);
            let hint = nearest(key, known).map(|meant| format!("did you mean `{meant}`?"));
            return Err(FieldProblem { hint, ..FieldProblem::new(key, format!("unknown key `{key}`")) });
        }
        let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| FieldProblem::new(key, format!("must be a string, not {value}")))?;
        match key {
            "seed_url" => self.seed_url = Some(text.to_owned()),
            "db_path" => self.db_path = Some(text.into()),
            _ => self.metrics_path = Some(text.into()),
        }
        Ok(())
    }

    /// Raises the total timeout to the response timeout, unless the file sets it.
    fn leave_time_for_responses(&mut self) {
        let fetch = &mut self.settings.fetch;
        let usual = FetchInput::defaults().total_timeout_ms;
        if fetch.total_timeout_ms.is_none() && fetch.timeout_ms > usual {
            fetch.total_timeout_ms = fetch.timeout_ms;
        }
    }

    /// Problems in the settings that could be read.
    fn problems(&self) -> Vec<FieldProblem> {
        let seed = self.seed_url.clone().unwrap_or_else(|| "https://example.com/".to_owned());
        let PlanProblems(problems) = match WeavePlan::new([seed], self.settings.clone()) {
            Ok(_) => return Vec::new(),
            Err(problems) => problems,
        };
        problems.into_iter().map(|problem| FieldProblem::new(problem.field, problem.message)).collect()
    }
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
        assert_eq!((&file.db_path, file.database(true)), (&None, None), "BLUESNAKE_HOME is set");
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
    fn all_problems_are_reported_at_once_with_suggestions() {
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
        // Values out of range are reported under the key in the file, together with all other problems.
        let json = r#"{"max_dept": 2, "concurrent_workers": 5000, "max_depth": 0, "exclude": ["a b"],
            "scope": {"max_depth": 3}, "limits": {"backlog_urls": 1}}"#;
        let mut fields: Vec<String> =
            WeaveFile::read(json).unwrap_err().into_iter().map(|problem| problem.field).collect();
        fields.sort_unstable();
        let expected =
            ["concurrent_workers", "exclude", "limits.backlog_urls", "max_dept", "max_depth", "scope.max_depth"];
        assert_eq!(fields, expected);
        let json = r#"{"fetch": {"user_agnet": "x"}, "weave": {"max_depth": 0}, "scope": {"max_depth": 3}}"#;
        assert_eq!(WeaveFile::read(json).unwrap_err().len(), 3, "an unreadable setting does not hide the others");
        let total = |json: &str| WeaveFile::read(json).unwrap().settings.fetch.total_timeout_ms;
        assert_eq!(total(r#"{"request_timeout_ms": 90000}"#), Some(90_000));
        assert_eq!(total(r#"{"request_timeout_ms": 90000, "fetch": {"total_timeout_ms": 300000}}"#), Some(300_000));
        assert_eq!(total(r#"{"request_timeout_ms": 9000}"#), None);
        for wrong in ["{", "[1]", "seed_url = ", "{\"max_depth\": 1e99}"] {
            assert!(WeaveFile::read(wrong).is_err(), "{wrong}");
        }
    }
}
