//! What is saved for a site.

use axum::Json;
use axum::extract::State;
use bluesnake_app::ConfigChange;
use bluesnake_app::view::ConfigView;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::hidden;
use super::settings::{names_in, settings_to_save};
use crate::error::Problem;
use crate::extract::{InBody, InQuery};
use crate::options::ServerOptions;
use crate::state::Server;

/// Of which site.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Site {
    /// Any URL of the site, or its host.
    url: String,
}

/// What to change. What is left out stays as it is; what is null goes back to its default.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ConfigBody {
    /// Any URL of the site, or its host.
    url: String,
    /// Whether a new crawl goes on with a paused run.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    incremental_crawling_enabled: Option<Option<bool>>,
    /// URLs of one session; 0 = no limit.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<u64>)]
    crawl_budget: Option<Option<u64>>,
    /// Settings in their groups, as docs/settings.md lists them; null forgets a saved one, or those of a whole group.
    #[serde(default)]
    #[schema(value_type = Object, example = json!({"politeness": {"rate": 2}}))]
    settings: Map<String, Value>,
}

/// What is saved for a site, and what counts with the defaults.
#[utoipa::path(get, path = "/config", tag = "config", params(Site), responses((status = 200, body = ConfigView)))]
pub(crate) async fn show(
    State(server): State<Server>,
    InQuery(site): InQuery<Site>,
) -> Result<Json<ConfigView>, Problem> {
    Ok(Json(hidden::config(server.app.config_of(&site.url).await?, &server.options)))
}

/// Saves settings for a site; every later crawl of it uses them.
#[utoipa::path(put, path = "/config", tag = "config", request_body = ConfigBody,
    responses((status = 200, body = ConfigView)))]
pub(crate) async fn change(
    State(server): State<Server>,
    InBody(body): InBody<ConfigBody>,
) -> Result<Json<ConfigView>, Problem> {
    let mut settings = settings_to_save(&body.settings, &server.options)?;
    let mut unset = nulls(&body.settings, &server.options);
    match body.crawl_budget {
        None => {}
        Some(None) => unset.push("limits.session_budget".to_owned()),
        Some(budget) => settings.limits.session_budget = budget,
    }
    let incremental = body.incremental_crawling_enabled.map(Option::unwrap_or_default);
    let change = ConfigChange { settings, unset, incremental };
    Ok(Json(hidden::config(server.app.change_config(&body.url, change).await?, &server.options)))
}

/// Tells null from nothing.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The settings that are null: `politeness.rate`. A group that is null is all of its settings that requests may change.
fn nulls(groups: &Map<String, Value>, options: &ServerOptions) -> Vec<String> {
    let mut paths = Vec::new();
    for (group, keys) in groups {
        let keys = match keys {
            Value::Null => names_in(group, options),
            keys => keys
                .as_object()
                .into_iter()
                .flatten()
                .filter(|(_, value)| value.is_null())
                .map(|(key, _)| key.clone())
                .collect(),
        };
        paths.extend(keys.into_iter().map(|key| format!("{group}.{key}")));
    }
    paths
}
