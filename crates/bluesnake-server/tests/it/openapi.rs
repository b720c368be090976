//! The description that is committed is the one that is served, and it describes what there is.

use std::path::Path;

use serde_json::Value;

use crate::world::{World, local};

#[tokio::test(flavor = "multi_thread")]
async fn the_committed_description_is_the_one_that_is_served() {
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

#[test]
fn every_operation_has_a_name_of_its_own_a_summary_and_all_its_problems() {
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    assert_eq!(description["openapi"], "3.1.0");
    let mut names = std::collections::BTreeSet::new();
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
