//! The description that is committed is the one that is served, and it describes what there is.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::world::{World, local};

#[tokio::test(flavor = "multi_thread")]
async fn the_committed_openapi_description_matches_the_served_one() {
    let world = World::start("openapi", local()).await;
    let served = world.get("/api/v1/openapi.json").await;
    assert_eq!(served.header("content-type"), Some("application/json"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api/openapi.json");
    if std::env::var_os("BLUESNAKE_UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &served.body).unwrap();
    }
    let committed = std::fs::read(&path).unwrap_or_default();
    assert!(
        committed == served.body,
        "docs/api/openapi.json is out of date: run this test with BLUESNAKE_UPDATE_DOCS=1 and commit it"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn list_parameters_match_what_handlers_read() {
    let world = World::start("parameters", local()).await;
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    for list in [
        "/api/v1/runs/{id}/pages",
        "/api/v1/crawls/{id}/pages",
        "/api/v1/runs/{id}/links",
        "/api/v1/runs/{id}/rows",
        "/api/v1/runs/{id}/rows/export",
        "/api/v1/runs/{id}/facets",
        "/api/v1/runs/{id}/histogram",
        "/api/v1/runs/{id}/tree",
        "/api/v1/runs/{id}/issues/{check}",
        "/api/v1/runs/{id}/urls/{number}/inlinks",
        "/api/v1/runs/{id}/urls/{number}/outlinks",
        "/api/v1/runs/{a}/compare/{b}/rows",
        "/api/v1/runs/{a}/compare/{b}/export",
        "/api/v1/runs",
        "/api/v1/captures",
        "/api/v1/weaves",
        "/api/v1/weaves/{id}/nodes",
        "/api/v1/weaves/{id}/edges",
    ] {
        let parameters = description["paths"][list]["get"]["parameters"].as_array().unwrap();
        let described: BTreeSet<&str> =
            parameters.iter().filter(|one| one["in"] == "query").map(|one| one["name"].as_str().unwrap()).collect();
        assert!(described.contains("showSecrets"), "every request may have it: {described:?}");
        let described: BTreeSet<&str> = described.into_iter().filter(|name| *name != "showSecrets").collect();
        // An unknown one is refused with the names of those that are known.
        let filled = list.split('/').map(|part| if part.starts_with('{') { "1" } else { part });
        let refused = world.get(&format!("{}?nonsense=1", filled.collect::<Vec<_>>().join("/"))).await;
        let detail = refused.is_problem(400, "bad_request")["detail"].as_str().unwrap().to_owned();
        let read: BTreeSet<&str> = detail.split('`').skip(1).step_by(2).filter(|word| *word != "nonsense").collect();
        assert_eq!(described, read, "{list}: {detail}");
    }
}

#[test]
fn every_tag_of_an_operation_is_described() {
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    let described: BTreeSet<&str> =
        description["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let operations = description["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
    let used: BTreeSet<&str> = operations.map(|(_, operation)| operation["tags"][0].as_str().unwrap()).collect();
    assert_eq!(used, described);
}

#[test]
fn every_operation_has_a_unique_name_a_summary_and_all_its_errors() {
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    assert_eq!(description["openapi"], "3.1.0");
    let mut names = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let what = format!("{method} {path}");
            assert!(names.insert(operation["operationId"].as_str().unwrap().to_owned()), "{what}");
            assert!(operation["summary"].as_str().is_some_and(|text| text.len() > 5), "{what}");
            for status in ["400", "401", "403", "404", "409", "413", "415", "421", "422", "429", "500", "503"] {
                let content = &operation["responses"][status]["content"]["application/problem+json"];
                assert_eq!(content["schema"]["$ref"], "#/components/schemas/Problem", "{what} {status}");
            }
            for (status, answer) in operation["responses"].as_object().unwrap() {
                assert!(answer["description"].as_str().is_some_and(|text| !text.is_empty()), "{what} {status}");
            }
        }
    }
    assert!(names.len() > 30, "{names:?}");
}

#[test]
fn ids_of_runs_have_one_name() {
    fn check(path: &str, value: &Value) {
        for name in value["properties"].as_object().into_iter().flat_map(|properties| properties.keys()) {
            assert!(!["runID", "latestRunId"].contains(&name.as_str()), "{path}: `{name}` must be `runId`");
        }
        for (key, child) in value.as_object().into_iter().flatten() {
            check(&format!("{path}/{key}"), child);
        }
        value.as_array().into_iter().flatten().for_each(|child| check(path, child));
    }
    check("", &serde_json::from_str(bluesnake_server::document()).unwrap());
}

/// Where it changes nothing, `showSecrets` is not described.
#[test]
fn show_secrets_is_documented_where_it_applies() {
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    let has = |method: &str, path: &str| {
        let operation = &description["paths"][path][method];
        assert!(operation.is_object(), "{method} {path}");
        operation["parameters"].as_array().into_iter().flatten().any(|one| one["name"] == "showSecrets")
    };
    for (method, path) in [
        ("get", "/api/v1/runs/{id}"),
        ("get", "/api/v1/runs/{id}/pages"),
        ("get", "/api/v1/runs/{id}/export"),
        ("get", "/api/v1/runs/{id}/rows/export"),
        ("get", "/api/v1/runs/{a}/compare/{b}/export"),
        ("get", "/api/v1/runs"),
        ("get", "/api/v1/runs/{id}/rows"),
        ("get", "/api/v1/runs/{id}/issues"),
        ("get", "/api/v1/runs/{id}/urls/{number}"),
        ("get", "/api/v1/runs/{a}/compare/{b}/rows"),
        ("post", "/api/v1/runs/{id}/audit"),
        ("get", "/api/v1/captures/{id}/page"),
        ("get", "/api/v1/captures/search"),
        ("post", "/api/v1/captures/preview"),
        ("post", "/api/v1/sql"),
    ] {
        assert!(has(method, path), "{method} {path}");
    }
    for (method, path) in [
        ("get", "/api/v1/config"),
        ("put", "/api/v1/config"),
        ("get", "/api/v1/crawls/{id}/page/content"),
        ("get", "/api/v1/crawls/{id}/pages/{url}/content"),
        ("get", "/api/v1/events"),
        ("get", "/api/v1/openapi.json"),
        ("get", "/api/v1/projects/{id}/favicon"),
        ("get", "/metrics"),
        ("get", "/api/v1/runs/{id}/report"),
        ("post", "/api/v1/crawl"),
        ("delete", "/api/v1/projects/{id}/queue"),
    ] {
        assert!(!has(method, path), "{method} {path}");
    }
}

/// What generators of clients stumble over: a schema that is `false`, and files described as lists of numbers.
#[test]
fn every_schema_is_an_object_and_files_are_binary() {
    fn check(path: &str, value: &Value) {
        for (key, child) in value.as_object().into_iter().flatten() {
            let path = format!("{path}/{key}");
            assert!(!(key == "items" && child.is_boolean()), "{path} is a boolean");
            assert!(
                child["format"] != "int32" || key != "items" || child["minimum"] != 0,
                "{path} are bytes as numbers"
            );
            check(&path, child);
        }
        value
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .for_each(|(at, child)| check(&format!("{path}/{at}"), child));
    }
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    check("", &description);
    for (path, item) in description["paths"].as_object().unwrap() {
        for parameter in item["get"]["parameters"].as_array().into_iter().flatten() {
            assert!(!parameter["schema"]["type"].is_null(), "{path}: {parameter}");
        }
    }
    let export = &description["paths"]["/api/v1/runs/{id}/export"]["get"]["responses"]["200"]["content"];
    assert_eq!(export["*/*"]["schema"], serde_json::json!({"type": "string", "format": "binary"}));
}

/// Generated clients send every default that is documented.
#[tokio::test(flavor = "multi_thread")]
async fn documented_defaults_are_accepted_and_change_nothing() {
    let site = testsite::scenarios::small().start().await;
    let world = World::start("defaults", local()).await;
    let started = world.crawl_to_the_end(&site, serde_json::json!({})).await;
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    let mut asked = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        let defaults: Vec<String> = item["get"]["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|one| !one["schema"]["default"].is_null() && one["in"] == "query")
            .map(|one| {
                format!("{}={}", one["name"].as_str().unwrap(), one["schema"]["default"].to_string().trim_matches('"'))
            })
            .collect();
        let is_endless = path.ends_with("/events");
        let is_of_a_crawl = !path.contains("weaves") && !path.contains("captures") && !path.contains("{url}");
        let needs_more = path.ends_with("/page/content") || path.ends_with("/page/links") || path.ends_with("/config");
        if defaults.is_empty() || is_endless || !is_of_a_crawl || needs_more {
            continue;
        }
        let ids = [
            ("{id}", "runId"),
            ("{a}", "runId"),
            ("{b}", "runId"),
            ("{number}", "runId"),
            ("{crawlId}", "crawlId"),
            ("{projectID}", "id"),
            ("{runID}", "runId"),
        ];
        let filled = ids.iter().fold(path.clone(), |path, (name, id)| path.replace(name, &started[*id].to_string()));
        let filled = filled.replace("{check}", "title-missing");
        let more = match path.as_str() {
            path if path.contains("/search/") => "q=page&",
            path if path.ends_with("/histogram") => "of=size&",
            _ => "",
        };
        let answer = world.get(&format!("{filled}?{more}{}", defaults.join("&"))).await;
        assert!(answer.status == 200 || answer.status == 404, "{filled} {defaults:?}: {}", answer.text());
        asked += u32::from(answer.status == 200);
    }
    assert!(asked > 10, "{asked}");
}
