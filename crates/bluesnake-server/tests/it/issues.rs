//! Issues: the catalogue, what the checks found, and audits with other thresholds.

use serde_json::{Value, json};
use testsite::{Page, Reply, Site, scenarios};

use crate::client::Ask;
use crate::world::{World, limited, local};

/// A site with a broken link, a page without title, and two that share one.
fn flawed() -> Site {
    let words = "word ".repeat(250);
    Site::new()
        .page("/", Page::titled("Home").links(["/a", "/b", "/untitled", "/gone"]).text(&words))
        .page("/a", Page::titled("The same title").text(&words).link("/"))
        .page("/b", Page::titled("The same title").text(&words).link("/gone"))
        .reply("/untitled", Reply::html("<p>nothing"))
        .reply("/gone", Reply::status(404))
}

async fn audited(name: &str) -> (World, testsite::Running, i64) {
    let site = flawed().start().await;
    let world = World::start(name, limited(|limits| limits.requests_per_second = 0)).await;
    let run = world.crawl_to_the_end(&site, json!({})).await["runId"].as_i64().unwrap();
    (world, site, run)
}

fn check<'a>(issues: &'a Value, id: &str) -> &'a Value {
    let checks = issues["checks"].as_array().unwrap();
    checks.iter().find(|check| check["id"] == id).unwrap_or_else(|| panic!("no check {id}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_catalogue_explains_every_check() {
    let world = World::start("checks", local()).await;
    let checks = world.get("/api/v1/checks").await.is(200).json();
    let checks = checks.as_array().unwrap();
    assert!(checks.len() > 150, "{}", checks.len());
    for check in checks {
        for text in ["id", "theme", "name", "kind", "priority", "why", "fix"] {
            assert!(check[text].as_str().is_some_and(|text| !text.is_empty() && !text.contains("{}")), "{check}");
        }
        assert!(["issue", "warning", "opportunity"].contains(&check["kind"].as_str().unwrap()), "{check}");
        assert!(["high", "medium", "low"].contains(&check["priority"].as_str().unwrap()), "{check}");
    }
    world.get("/api/v1/checks?theme=titles").await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_has_counts_that_its_rows_confirm() {
    let (world, site, run) = audited("issues").await;
    let issues = world.get(&format!("/api/v1/runs/{run}/issues")).await.is(200).json();
    let seen = world.get(&format!("/api/v1/runs/{run}")).await.json()["urlsSeen"].clone();
    assert_eq!((&issues["runId"], &issues["version"]), (&json!(run), &seen));
    assert_eq!((&issues["isCompleted"], &issues["pages"]), (&json!(true), &json!(4)));
    let checks = issues["checks"].as_array().unwrap();
    assert_eq!(checks.len(), world.get("/api/v1/checks").await.json().as_array().unwrap().len(), "zeros too");

    let rank = |check: &Value| {
        let place = |words: [&str; 3], word: &Value| words.iter().position(|known| word == known).unwrap();
        let priority = place(["high", "medium", "low"], &check["priority"]);
        (
            priority,
            place(["issue", "warning", "opportunity"], &check["kind"]),
            u64::MAX - check["urls"].as_u64().unwrap(),
        )
    };
    assert!(checks.iter().is_sorted_by_key(rank), "highest priority first");
    let mut found = 0;
    for check in checks.iter().filter(|check| check["findings"] != 0) {
        let id = check["id"].as_str().unwrap();
        let rows = world.get(&format!("/api/v1/runs/{run}/issues/{id}?limit=500")).await.is(200).json();
        assert_eq!(rows["total"], check["findings"], "{id}");
        assert_eq!(rows["items"].as_array().unwrap().len() as u64, check["findings"].as_u64().unwrap().min(500));
        let first: Vec<&Value> = rows["items"].as_array().unwrap().iter().take(3).collect();
        assert_eq!(check["examples"].as_array().unwrap().iter().collect::<Vec<_>>(), first, "{id}");
        let grid = world.get(&format!("/api/v1/runs/{run}/rows?issue={id}")).await.is(200).json();
        assert_eq!(grid["total"], check["urls"], "{id}");
        assert!(check["summary"].is_string() && check["notChecked"].is_null(), "{check}");
        found += 1;
    }
    assert!(found > 5, "{issues}");

    let broken = check(&issues, "internal-client-error");
    assert_eq!((&broken["urls"], &broken["examples"][0]["url"]), (&json!(1), &json!(site.url("/gone"))));
    assert_eq!(broken["share"], json!(null), "not a share of pages: {broken}");
    let duplicates = check(&issues, "title-duplicate");
    assert_eq!((&duplicates["urls"], &duplicates["share"]), (&json!(2), &json!(0.5)), "{duplicates}");
    let second = world.get(&format!("/api/v1/runs/{run}/issues/title-duplicate?offset=1&limit=1")).await.is(200).json();
    assert_eq!((&second["total"], &second["offset"]), (&json!(2), &json!(1)));
    assert_eq!(second["items"][0]["url"], site.url("/b"));
    let past = world.get(&format!("/api/v1/runs/{run}/issues/title-duplicate?offset=9")).await.is(200).json();
    assert_eq!((&past["items"], &past["total"]), (&json!([]), &json!(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_checks_and_windows_are_refused() {
    let (world, _site, run) = audited("issues-refused").await;
    let unknown = world.get(&format!("/api/v1/runs/{run}/issues/title-duplicat")).await;
    assert_eq!(unknown.is_problem(404, "not_found")["hint"], "did you mean `title-duplicate`?");
    let hostile = world.get(&format!("/api/v1/runs/{run}/issues/%27%20OR%201%3D1%20--")).await;
    hostile.is_problem(404, "not_found");
    for (query, why) in
        [("limit=0", "1 to 500"), ("limit=501", "1 to 500"), ("sort=url", "unknown field"), ("offset=x", "offset")]
    {
        let problem = world.get(&format!("/api/v1/runs/{run}/issues/title-duplicate?{query}")).await;
        assert!(problem.is_problem(400, "bad_request")["detail"].as_str().unwrap().contains(why), "{query}");
    }
    world.get("/api/v1/runs/99/issues").await.is_problem(404, "not_found");
    world.get("/api/v1/runs/99/issues/title-duplicate").await.is_problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_audited_again_with_other_thresholds() {
    let (world, site, run) = audited("audit-again").await;
    let path = format!("/api/v1/runs/{run}/audit");
    let asked = site.seen().requests();
    let before = world.get(&format!("/api/v1/runs/{run}/issues")).await.is(200).json();
    let changes = json!({"settings": {"audit": {"title_max": 5, "title_max_pixels": 10, "off": ["title-duplicate"]}}});
    let after = world.post(&path, &changes).await.is(200).json();
    assert_eq!(check(&before, "title-too-long")["urls"], 0);
    assert_eq!(check(&after, "title-too-long")["urls"], 2, "{after}");
    assert!(check(&after, "title-too-long")["name"].as_str().unwrap().contains('5'), "the name has the threshold");
    assert_eq!(check(&after, "title-duplicate")["findings"], 0);
    assert!(check(&after, "title-duplicate")["notChecked"].is_string());
    assert_eq!(world.get(&format!("/api/v1/runs/{run}/issues")).await.is(200).json(), after, "it is stored");
    let rows = world.get(&format!("/api/v1/runs/{run}/rows?issue=title-too-long&sort=url")).await.is(200).json();
    assert_eq!((&rows["total"], &rows["items"][0]["url"]), (&json!(2), &json!(site.url("/a"))));
    let again = world.send(Ask::new("POST", &path)).await.is(200).json();
    assert_eq!(again, before, "without a body, as the run was started");
    assert_eq!(site.seen().requests(), asked, "the site is not asked");

    let wrong = json!({"settings": {"audit": {"title_max": "long", "titel_min": 1, "off": ["title-duplicat"]},
                                    "scope": {"max_depth": 1}, "weave": {"max_depth": 1}}});
    let problem = world.post(&path, &wrong).await.is_problem(422, "invalid_fields");
    let mut fields: Vec<&str> =
        problem["problems"].as_array().unwrap().iter().map(|problem| problem["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["audit.off", "audit.titel_min", "audit.title_max", "scope", "weave.max_depth"], "{problem}");
    let wrong = json!({"settings": {"audit": {"near_duplicate_percent": 5}}});
    let problem = world.post(&path, &wrong).await.is_problem(422, "invalid_fields");
    assert_eq!(problem["problems"][0]["field"], "audit.near_duplicate_percent", "{problem}");
    world.post(&path, &json!({"setting": {}})).await.is_problem(422, "invalid_fields");
    world.send(Ask::new("POST", "/api/v1/runs/99/audit")).await.is_problem(404, "not_found");
    assert_eq!(world.get(&format!("/api/v1/runs/{run}/issues")).await.json(), before, "nothing was changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_is_crawled_is_not_audited_again() {
    let (world, _site, run) = audited("audit-conflict").await;
    let started = world.crawl(&crate::world::long().start().await, json!({})).await;
    world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/audit"))).await.is(200);
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{}", started["id"]))).await.is(202);
}

/// A capture stores no audit: it is made in memory, and is the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_has_issues_too() {
    let site = scenarios::small().start().await;
    let world = World::start("issues-capture", local()).await;
    let body = json!({"url": site.url("/"), "settings": {"politeness": {"rate": 0}}});
    let started = world.post("/api/v1/captures", &body).await.is(202).json();
    world.wait_for_end(started["id"].as_i64().unwrap()).await;
    let run = &started["runId"];
    let issues = world.get(&format!("/api/v1/runs/{run}/issues")).await.is(200).json();
    assert_eq!(issues["isCompleted"], true);
    let stored = world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/audit"))).await.is(200).json();
    assert_eq!(stored, issues);
}
