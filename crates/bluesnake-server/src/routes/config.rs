//! Settings saved for a site.

use axum::Json;
use bluesnake_app::view::ConfigView;
use bluesnake_app::{ConfigChange, Job, RunKind, job, request_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::hidden;
use super::settings::{names_in, object_in, problems};
use crate::error::Problem;
use crate::extract::{InBody, InQuery, Reply};
use crate::options::ServerOptions;
use crate::state::Server;

/// Which site.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Site {
    /// Any URL of the site, or its host.
    url: String,
    /// The job whose defaults fill `effective`.
    #[serde(default, deserialize_with = "job")]
    #[param(value_type = Option<Job>, inline)]
    job: Option<RunKind>,
}

/// Which job.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfJob {
    /// The job.
    #[serde(default, deserialize_with = "job")]
    #[param(value_type = Option<Job>, inline)]
    job: Option<RunKind>,
}

/// What to change. Absent fields stay as they are; null restores a default.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ConfigBody {
    /// Any URL of the site, or its host.
    url: String,
    /// Whether a new crawl resumes a paused run.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    incremental_crawling_enabled: Option<Option<bool>>,
    /// Maximum number of URLs per session; 0 = no limit.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    crawl_budget: Option<Option<u64>>,
    /// Settings of any job in groups, see /settings/schema; null removes a saved setting, or a whole group of them.
    #[serde(default)]
    #[schema(value_type = Object, example = json!({"politeness": {"rate": 2}}))]
    settings: Map<String, Value>,
}

/// The settings saved for a site, and those that a job uses, defaults included.
#[utoipa::path(get, path = "/config", tag = "config", params(Site), responses((status = 200, body = ConfigView)))]
pub(crate) async fn show(server: Server, InQuery(site): InQuery<Site>) -> Reply<ConfigView> {
    Ok(Json(hidden::config(
        server.app.config_of(&site.url, site.job.unwrap_or(RunKind::Crawl)).await?,
        &server.options,
    )))
}

/// Saves settings for a site. Every later run of any job uses those it has.
#[utoipa::path(put, path = "/config", tag = "config", request_body = ConfigBody,
    responses((status = 200, body = ConfigView)))]
pub(crate) async fn change(server: Server, InBody(body): InBody<ConfigBody>) -> Reply<ConfigView> {
    let mut settings = body.settings;
    let mut problems = problems(&settings, &server.options);
    let mut unset = nulls(&settings, &server.options);
    match body.crawl_budget {
        None => {}
        Some(None) => unset.push("limits.session_budget".to_owned()),
        Some(Some(budget)) => {
            if let Some(limits) = object_in(&mut settings, "limits") {
                limits.insert("session_budget".to_owned(), budget.into());
            }
        }
    }
    let incremental = body.incremental_crawling_enabled.map(Option::unwrap_or_default);
    let change = ConfigChange { settings, unset, incremental };
    problems.extend(change.problems(&body.url));
    if !problems.is_empty() {
        return Err(Problem::fields(problems));
    }
    Ok(Json(hidden::config(server.app.change_config(&body.url, change).await?, &server.options)))
}

/// The JSON Schema of the request that starts a job, with the help and the default of every setting.
#[utoipa::path(get, path = "/settings/schema", tag = "config", params(OfJob), responses((status = 200, body = Object)))]
pub(crate) async fn schema(InQuery(asked): InQuery<OfJob>) -> Json<Value> {
    Json(request_schema(asked.job.unwrap_or(RunKind::Crawl)))
}

/// Distinguishes null from a missing field.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The settings to reset: those that are null, and all that requests may change in a group that is null.
fn nulls(groups: &Map<String, Value>, options: &ServerOptions) -> Vec<String> {
    let mut paths = Vec::new();
    for (group, keys) in groups {
        let keys = match keys {
            Value::Null => names_in(group, options).into_iter().map(str::to_owned).collect(),
            keys => keys
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(_, value)| value.is_null())
                .map(|(key, _)| key.clone())
                .collect::<Vec<_>>(),
        };
        paths.extend(keys.into_iter().map(|key| format!("{group}.{key}")));
    }
    paths
}
