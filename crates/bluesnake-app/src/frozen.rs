//! The plan of a run, frozen at its start: what may change in a later session, and what may not.
//!
//! Settings that cannot change the results (pace, parallelism, session budgets) may differ from session to session.
//! Secrets are never stored; a session that needs them must be given them again.

use bluesnake_engine::plan::FetchInput;
use bluesnake_engine::{AuditInput, Job, JobInput};
use bluesnake_store::state::RunKind;
use serde_json::{Map, Value, json};

use crate::error::AppError;
use crate::settings::default_settings;

/// Stored in place of a secret.
const HIDDEN: &str = "…";

/// Settings that may differ between the sessions of a run.
const PER_SESSION: &[&str] = &[
    "limits.session_budget",
    "scope.max_bytes",
    "limits.max_seconds",
    "memory.window_bytes",
    "memory.backlog_urls",
    "politeness.parallelism",
    "politeness.rate",
    "politeness.per_host",
    "politeness.per_address",
    "politeness.max_crawl_delay_ms",
    "politeness.robots_retry_ms",
    "politeness.adaptive",
    "politeness.backoff_ms",
    "politeness.max_retry_after_ms",
    "politeness.breaker_failures",
    "politeness.breaker_pause_ms",
    "politeness.breaker_trips",
    "politeness.grace_ms",
    "fetch.proxy",
    "render.slots",
    "render.browser",
];

/// The settings of a plan as stored: all of them, without secrets.
pub(crate) fn to_text(plan: &Job) -> String {
    let mut settings = serde_json::to_value(plan).expect("a plan is JSON");
    let fetch = settings["fetch"].as_object_mut().expect("the group of requests is an object");
    for group in ["auth", "headers"] {
        for value in fetch[group].as_object_mut().expect("a map of names").values_mut() {
            *value = HIDDEN.into();
        }
    }
    for cookie in fetch["initial_cookies"].as_array_mut().expect("a list of cookies") {
        let name = cookie.as_str().and_then(|cookie| cookie.split('=').next()).unwrap_or_default().to_owned();
        *cookie = format!("{name}={HIDDEN}").into();
    }
    if fetch["proxy"].as_str().is_some_and(|proxy| proxy.contains('@')) {
        fetch["proxy"] = HIDDEN.into();
    }
    settings.to_string()
}

/// The stored settings as a layer for the next session, without hidden values.
pub(crate) fn to_input<I: JobInput>(stored: &str, goes_on: bool) -> Result<I, AppError> {
    let unreadable = |error| AppError::Invalid(format!("cannot read the stored plan of the run: {error}"));
    let mut settings: Value = serde_json::from_str(stored).map_err(unreadable)?;
    if let Some(fetch) = settings.get_mut("fetch").and_then(Value::as_object_mut) {
        for group in ["auth", "headers", "initial_cookies"] {
            if !is_empty(&fetch[group]) {
                fetch.remove(group);
            }
        }
        if fetch["proxy"] == HIDDEN {
            fetch.remove("proxy");
        }
    }
    // A crashed session keeps its limits; a new one gets those it is given, or those saved for the project.
    if let Some(limits) = settings.get_mut("limits").and_then(Value::as_object_mut) {
        for name in ["session_budget", "max_seconds"] {
            let is_unlimited = limits.get(name).and_then(Value::as_f64).unwrap_or(0.0) == 0.0;
            if !goes_on || is_unlimited {
                limits.remove(name);
            }
        }
    }
    serde_json::from_value(settings).map_err(unreadable)
}

/// The fetch settings of a run, whatever its job.
pub(crate) fn fetch_of(stored: &str) -> Result<FetchInput, AppError> {
    let stored: Value = serde_json::from_str(stored).unwrap_or_default();
    Ok(to_input::<AuditInput>(&json!({"fetch": stored["fetch"]}).to_string(), false)?.fetch)
}

/// The stored settings of a run with the limits saved for its project, as a layer for the next session.
pub(crate) fn to_resume<I: JobInput>(stored: &str, goes_on: bool, mut saved: I) -> Result<I, AppError> {
    let mut limits = I::default();
    let (own, saved_limits) = (limits.shared().limits, saved.shared().limits);
    own.session_budget = saved_limits.session_budget;
    own.max_seconds = saved_limits.max_seconds;
    let settings = to_input::<I>(stored, goes_on)?.over(limits);
    // A limit of the whole run also applies to the next session, unless another one was saved.
    let saved = serde_json::to_value(saved).expect("settings are JSON");
    match saved["scope"].get("max_bytes").filter(|_| !goes_on) {
        None => Ok(settings),
        Some(bytes) => {
            let layer = json!({"scope": {"max_bytes": bytes}});
            Ok(serde_json::from_value::<I>(layer).expect("a saved setting of the job").over(settings))
        }
    }
}

/// The session budget in the stored settings.
pub(crate) fn session_budget(stored: &str) -> u64 {
    let settings: Value = serde_json::from_str(stored).unwrap_or_default();
    settings["limits"]["session_budget"].as_u64().unwrap_or(0)
}

/// What differs between a new plan and the stored one and must not, as sentences.
pub(crate) fn differences(stored: &str, plan: &Job, kind: RunKind) -> Vec<String> {
    let differing = between(stored, &to_text(plan), kind).into_iter();
    differing.map(|(name, old, new)| sentence(&name, &old, &new)).collect()
}

/// The settings that can change results and differ between two stored plans, with both values.
pub(crate) fn between(before: &str, after: &str, kind: RunKind) -> Vec<(String, Value, Value)> {
    let [before, after]: [Value; 2] = [before, after].map(|plan| serde_json::from_str(plan).unwrap_or_default());
    // A setting that did not exist when the run began had no effect, like its default.
    let defaults = default_settings(kind);
    let nothing = Map::new();
    let mut differing = Vec::new();
    for (group, fields) in &defaults {
        let [before, after] = [&before, &after].map(|plan| plan[group].as_object().unwrap_or(&nothing));
        for (field, default) in fields.as_object().expect("a group is an object") {
            let name = format!("{group}.{field}");
            let [old, new] = [before, after].map(|group| group.get(field).unwrap_or(default));
            if old != new && !PER_SESSION.contains(&name.as_str()) {
                differing.push((name, old.clone(), new.clone()));
            }
        }
    }
    differing
}

/// Whether the value of a setting is about this machine. It is the operator's business, and results go to any caller.
pub(crate) fn is_local(name: &str) -> bool {
    matches!(name, "fetch.ca_file" | "fetch.cache_dir" | "fetch.proxy" | "fetch.resolve" | "render.browser")
}

fn sentence(name: &str, old: &Value, new: &Value) -> String {
    if is_local(name) {
        return format!("{name} is different now");
    }
    let is_secret = matches!(name, "fetch.auth" | "fetch.headers" | "fetch.initial_cookies");
    match is_secret && !is_empty(old) && is_empty(new) {
        true => format!("{name} was given when the run started; secrets are not stored and have to be given again"),
        false => format!("{name} was {old} and is {new} now"),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => value.is_null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(change: impl FnOnce(&mut AuditInput)) -> Job {
        let mut input = AuditInput::default();
        change(&mut input);
        input.into_job(&["https://a.example/".to_owned()]).unwrap()
    }

    fn differences(stored: &str, plan: &Job) -> Vec<String> {
        super::differences(stored, plan, RunKind::Crawl)
    }

    #[test]
    fn pace_may_change_and_scope_may_not() {
        let stored = to_text(&plan(|_| {}));
        assert!(differences(&stored, &plan(|input| input.politeness.parallelism = Some(64))).is_empty());
        assert!(differences(&stored, &plan(|input| input.limits.session_budget = Some(64))).is_empty());
        let changed = differences(&stored, &plan(|input| input.scope.max_depth = Some(3)));
        assert_eq!(changed, ["scope.max_depth was 0 and is 3 now"]);
    }

    #[test]
    fn secrets_are_not_stored_and_have_to_be_given_again() {
        let secret = |input: &mut AuditInput| {
            input.fetch.auth = Some([("https://a.example".to_owned(), "me:canary".to_owned())].into());
            input.fetch.headers = Some([("X-Key".to_owned(), "canary".to_owned())].into());
            input.fetch.initial_cookies = Some(vec!["session=canary".to_owned()]);
            input.fetch.proxy = Some("http://me:canary@proxy:8080".to_owned());
        };
        let stored = to_text(&plan(secret));
        assert!(!stored.contains("canary"), "{stored}");
        assert!(differences(&stored, &plan(secret)).is_empty());
        let without = differences(&stored, &plan(|_| {}));
        assert_eq!(without.len(), 3, "{without:?}");
        assert!(without[0].contains("given again"), "{without:?}");
    }

    #[test]
    fn a_run_of_an_earlier_version_can_be_resumed() {
        let mut stored: Value = serde_json::from_str(&to_text(&plan(|_| {}))).unwrap();
        stored.as_object_mut().unwrap().remove("keep");
        stored["discover"].as_object_mut().unwrap().remove("llms_txt");
        assert_eq!(differences(&stored.to_string(), &plan(|_| {})), [""; 0]);
        let changed = differences(&stored.to_string(), &plan(|input| input.keep.html = Some(true)));
        assert_eq!(changed, ["keep.html was false and is true now"]);
    }

    #[test]
    fn a_stored_plan_is_a_layer_of_settings_again() {
        let original = plan(|input| {
            input.scope.max_depth = Some(3);
            input.limits.session_budget = Some(5);
        });
        let again = to_input::<AuditInput>(&to_text(&original), false).unwrap();
        let again = again.into_job(&["https://a.example/".to_owned()]).unwrap();
        assert!(differences(&to_text(&original), &again).is_empty());
        assert_eq!(again.limits().session_budget, 0, "a budget is that of its session");
    }

    #[test]
    fn a_saved_byte_limit_replaces_that_of_the_run() {
        let stored = to_text(&plan(|input| input.scope.max_bytes = Some(1_000)));
        let mut saved = AuditInput::default();
        let limit = |goes_on, saved: &AuditInput| to_resume(&stored, goes_on, saved.clone()).unwrap().scope.max_bytes;
        assert_eq!(limit(false, &saved), Some(1_000));
        saved.scope.max_bytes = Some(5_000);
        assert_eq!(limit(false, &saved), Some(5_000));
        assert_eq!(limit(true, &saved), Some(1_000), "a session that crashed keeps the limits it had");
    }

    #[test]
    fn every_setting_that_may_change_exists() {
        let all: Value = serde_json::from_str(&to_text(&plan(|_| {}))).unwrap();
        for name in PER_SESSION {
            let (group, field) = name.split_once('.').unwrap();
            assert!(all[group].get(field).is_some(), "{name}");
        }
    }
}
