//! Which settings a request may change over the network, and how far.
//!
//! On the command line the operator may set anything; here others use the resources of the operator's machine.

use bluesnake_app::{FieldProblem, Groups, JOBS, groups_of};
use serde_json::{Map, Value, json};

use crate::options::ServerOptions;

/// Settings that name a file or folder of this machine. They cannot be set over the network.
pub(super) const LOCAL: [&str; 3] = ["ca_file", "cache_dir", "browser"];
/// Settings that bypass the address check.
pub(super) const PRIVATE: [&str; 3] = ["proxy", "resolve", "allow_private"];

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const MIB: u64 = 1024 * 1024;

/// Upper limits for requests, because higher values cost memory or delay the shutdown of the server.
const CEILINGS: [(&str, &str, u64); 22] = [
    ("memory", "window_bytes", 1024 * MIB),
    ("memory", "backlog_urls", 100_000),
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
    ("discover", "sitemap_body_limit", 100 * MIB),
    ("fetch", "header_bytes", MIB),
    ("weave", "max_depth", 100),
    ("render", "timeout_ms", MINUTE),
    ("render", "slots", 8),
];
/// Settings among them for which 0 means no limit.
const ZERO_IS_ALL: [&str; 2] = ["body_limit", "sitemap_body_limit"];

/// Limits the settings of a request that starts a run: forbidden settings are problems, and private addresses are out of
/// reach, whatever is saved for the project.
pub(super) fn guard(groups: &mut Groups, options: &ServerOptions) -> Vec<FieldProblem> {
    let problems = problems(groups, options);
    let Some(fetch) = object_in(groups, "fetch") else { return problems };
    if !options.allow_private {
        fetch.insert("allow_private".to_owned(), false.into());
        // Both bypass the address check, so those that the operator saved for the project do not apply here.
        fetch.insert("proxy".to_owned(), "".into());
        fetch.insert("resolve".to_owned(), json!(options.resolve));
    } else if !options.resolve.is_empty() {
        fetch.entry("resolve").or_insert_with(|| json!(options.resolve));
    }
    problems
}

/// The object in a field. Null and a missing field count as an empty object, so that neither evades a limit; for any other
/// value the reader of the request reports a problem.
pub(super) fn object_in<'a>(fields: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Map<String, Value>> {
    let value = fields.entry(name).or_insert(Value::Null);
    if value.is_null() {
        *value = json!({});
    }
    value.as_object_mut()
}

/// Problems with settings that are forbidden over the network.
pub(super) fn problems(groups: &Groups, options: &ServerOptions) -> Vec<FieldProblem> {
    let mut problems = forbidden(groups, options);
    problems.extend(above_ceilings(groups));
    problems
}

/// The settings of a group that requests may change.
pub(super) fn names_in(group: &str, options: &ServerOptions) -> Vec<&'static str> {
    let is_refused = |name: &str| LOCAL.contains(&name) || (PRIVATE.contains(&name) && !options.allow_private);
    let groups = JOBS.into_iter().flat_map(groups_of).filter(|known| known.name == group);
    let names = groups.flat_map(|group| group.fields).map(|field| field.name);
    names.filter(|name| group != "fetch" || !is_refused(name)).collect()
}

fn forbidden(groups: &Groups, options: &ServerOptions) -> Vec<FieldProblem> {
    let refused = |name: &'static str, message: &str, hint: Option<&str>| {
        given(groups, "fetch", name).map(|_| problem("fetch", name, message.to_owned(), hint))
    };
    let local = LOCAL.map(|name| refused(name, "files of the server cannot be set over the network", None));
    let hint = "the operator can start the server with `--allow-private`";
    let private = PRIVATE.map(|name| refused(name, "this could reach addresses that are not public", Some(hint)));
    local.into_iter().chain(private.into_iter().filter(|_| !options.allow_private)).flatten().collect()
}

fn above_ceilings(groups: &Groups) -> Vec<FieldProblem> {
    let above = |(group, name, most): (&str, &str, u64)| {
        let least = u64::from(ZERO_IS_ALL.contains(&name));
        let is_fine = |value: &Value| value.as_u64().is_none_or(|number| (least..=most).contains(&number));
        let value = given(groups, group, name)?;
        let holds = value.as_array().map_or_else(|| is_fine(value), |list| list.iter().all(is_fine));
        let message = format!("over the network it must be {least} to {most}");
        (!holds).then(|| problem(group, name, message, Some("the operator can use more with `bluesnake crawl`")))
    };
    CEILINGS.into_iter().filter_map(above).collect()
}

fn given<'a>(groups: &'a Groups, group: &str, name: &str) -> Option<&'a Value> {
    groups.get(group)?.as_object()?.get(name)
}

fn problem(group: &str, name: &str, message: String, hint: Option<&str>) -> FieldProblem {
    FieldProblem { field: format!("{group}.{name}"), message, hint: hint.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use bluesnake_app::{default_settings, job_with};

    use super::*;

    #[test]
    fn every_ceiling_is_one_of_a_setting_and_not_below_its_default() {
        for (group, name, most) in CEILINGS {
            let job = job_with(&format!("{group}.{name}")).expect("the setting of a ceiling exists");
            let defaults = default_settings(job);
            assert_eq!(above_ceilings(&defaults), []);
            let above = if defaults[group][name].is_array() { json!([0, most + 1]) } else { json!(most + 1) };
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
