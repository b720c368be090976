//! The settings of a request: what may come over the network, and how much of it.
//!
//! Whoever crawls from the command line may set what he likes; here somebody asks for the resources of another one's machine.

use bluesnake_app::plan::PlanInput;
use bluesnake_app::{FieldProblem, json_settings};
use serde_json::{Map, Value};

use crate::error::Problem;
use crate::options::ServerOptions;

/// Settings that name a file or a folder of this machine. They never come over the network.
pub(super) const LOCAL: [&str; 2] = ["ca_file", "cache_dir"];
/// Settings that lead past the check of addresses.
pub(super) const PRIVATE: [&str; 3] = ["proxy", "resolve", "allow_private"];

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const MIB: u64 = 1024 * 1024;

/// The most that a request may set, because it costs memory, or holds up the end of the server.
const CEILINGS: [(&str, &str, u64); 20] = [
    ("limits", "window_bytes", 1024 * MIB),
    ("limits", "backlog_urls", 100_000),
    ("politeness", "parallelism", 100),
    ("politeness", "max_crawl_delay_ms", 10 * MINUTE),
    ("politeness", "robots_retry_ms", 60 * MINUTE),
    ("politeness", "backoff_ms", 10 * MINUTE),
    ("politeness", "max_retry_after_ms", 60 * MINUTE),
    ("politeness", "breaker_pause_ms", 10 * MINUTE),
    ("politeness", "grace_ms", 30 * SECOND),
    ("fetch", "connect_timeout_ms", 2 * MINUTE),
    ("fetch", "timeout_ms", 5 * MINUTE),
    ("fetch", "idle_timeout_ms", 5 * MINUTE),
    ("fetch", "total_timeout_ms", 10 * MINUTE),
    ("fetch", "timeout_step_ms", 5 * MINUTE),
    ("fetch", "retry_delays_ms", 10 * MINUTE),
    ("fetch", "attempts", 10),
    ("fetch", "body_limit", 50 * MIB),
    ("fetch", "sitemap_body_limit", 100 * MIB),
    ("fetch", "header_bytes", MIB),
    ("weave", "max_depth", 100),
];
/// Settings among them whose 0 stands for no limit.
const ZERO_IS_ALL: [&str; 2] = ["body_limit", "sitemap_body_limit"];

/// The settings of a request that starts something: what may not come over the network is refused, and addresses that are
/// not public are out of reach, whatever is saved for the project.
pub(super) fn settings(groups: &Map<String, Value>, options: &ServerOptions) -> Result<PlanInput, Problem> {
    let mut settings = settings_to_save(groups, options)?;
    if !options.allow_private {
        settings.fetch.allow_private = Some(false);
        // Both are taken at their word, so what the operator saved for crawls of his own does not count here.
        settings.fetch.proxy = Some(String::new());
        settings.fetch.resolve = Some(options.resolve.clone());
    } else if !options.resolve.is_empty() {
        settings.fetch.resolve.get_or_insert_with(|| options.resolve.clone());
    }
    Ok(settings)
}

/// The settings of a request, without those that may not come over the network. All problems are told at once.
pub(super) fn settings_to_save(groups: &Map<String, Value>, options: &ServerOptions) -> Result<PlanInput, Problem> {
    let mut problems = forbidden(groups, options);
    problems.extend(above_ceilings(groups));
    match json_settings(groups) {
        Ok(settings) if problems.is_empty() => return Ok(settings),
        Ok(_) => {}
        Err(more) => problems.extend(more),
    }
    Err(Problem::fields(problems))
}

/// The settings of a group that may come over the network.
pub(super) fn names_in(group: &str, options: &ServerOptions) -> Vec<String> {
    let defaults = serde_json::to_value(PlanInput::defaults()).expect("settings are JSON");
    let names = defaults[group].as_object().into_iter().flat_map(Map::keys);
    let is_refused = |name: &str| LOCAL.contains(&name) || (PRIVATE.contains(&name) && !options.allow_private);
    names.filter(|name| group != "fetch" || !is_refused(name)).cloned().collect()
}

fn forbidden(groups: &Map<String, Value>, options: &ServerOptions) -> Vec<FieldProblem> {
    let refused = |name: &'static str, message: &str, hint: Option<&str>| {
        given(groups, "fetch", name).map(|_| problem("fetch", name, message.to_owned(), hint))
    };
    let local = LOCAL.map(|name| refused(name, "files of the server cannot be named over the network", None));
    let hint = "the operator can start the server with `--allow-private`";
    let private = PRIVATE.map(|name| refused(name, "this could reach addresses that are not public", Some(hint)));
    local.into_iter().chain(private.into_iter().filter(|_| !options.allow_private)).flatten().collect()
}

fn above_ceilings(groups: &Map<String, Value>) -> Vec<FieldProblem> {
    let above = |(group, name, most): (&str, &str, u64)| {
        let least = u64::from(ZERO_IS_ALL.contains(&name));
        let is_fine = |value: &Value| value.as_u64().is_none_or(|number| (least..=most).contains(&number));
        let value = given(groups, group, name)?;
        let holds = value.as_array().map_or_else(|| is_fine(value), |list| list.iter().all(is_fine));
        let message = format!("over the network it is {least} to {most}");
        (!holds).then(|| problem(group, name, message, Some("the operator can crawl with more by `bluesnake crawl`")))
    };
    CEILINGS.into_iter().filter_map(above).collect()
}

fn given<'a>(groups: &'a Map<String, Value>, group: &str, name: &str) -> Option<&'a Value> {
    groups.get(group)?.as_object()?.get(name)
}

fn problem(group: &str, name: &str, message: String, hint: Option<&str>) -> FieldProblem {
    FieldProblem { field: format!("{group}.{name}"), message, hint: hint.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_ceiling_is_one_of_a_setting_and_not_below_its_default() {
        let defaults = serde_json::to_value(PlanInput::defaults()).unwrap();
        assert_eq!(above_ceilings(defaults.as_object().unwrap()), []);
        for (group, name, most) in CEILINGS {
            let default = &defaults[group][name];
            let above = if default.is_array() { json!([0, most + 1]) } else { json!(most + 1) };
            assert!(!default.is_null(), "{group}.{name}");
            let problems = above_ceilings(json!({group: {name: above}}).as_object().unwrap());
            assert_eq!((problems.len(), problems[0].field.as_str()), (1, format!("{group}.{name}").as_str()));
            assert!(problems[0].message.contains(&most.to_string()), "{problems:?}");
        }
        for name in ZERO_IS_ALL {
            let group = CEILINGS.iter().find(|(_, of, _)| *of == name).unwrap().0;
            assert_eq!(above_ceilings(json!({group: {name: 0}}).as_object().unwrap()).len(), 1, "{name}");
        }
    }
}
