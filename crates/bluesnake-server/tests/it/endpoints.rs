//! Every endpoint works as documented.

use serde_json::{Value, json};
use testsite::{Page, Reply, Site, scenarios};

use crate::client::Ask;
use crate::guard::operations;
use crate::world::{World, fast, folder, limited, local, long, segment};

#[tokio::test(flavor = "multi_thread")]
async fn health_version_metrics_and_docs_respond() {
    let world = World::start("system", local()).await;
    assert_eq!(world.get("/api/v1/health").await.is(200).json(), json!({"status": "ok", "database": "ok"}));
    let version = world.get("/api/v1/version").await.is(200).json();
    assert_eq!(version["version"], bluesnake_app::VERSION);
    let metrics = world.get("/metrics").await;
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let counted = r#"bluesnake_http_requests_total{method="GET",route="/api/v1/health",status="200"} 1"#;
    assert!(metrics.text().lines().any(|line| line == counted), "{}", metrics.text());
    for (path, media_type, words) in [
        ("/api/docs", "text/html", "/api/docs/docs.js"),
        ("/api/docs/docs.js", "text/javascript", "openapi.json"),
        ("/api/docs/docs.css", "text/css", "body"),
    ] {
        let page = world.get(path).await;
        assert!(page.header("content-type").unwrap().starts_with(media_type), "{path}");
        assert!(page.is(200).text().contains(words), "{path}");
        assert!(!page.text().contains("<script>") && !page.text().contains("//cdn"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_started_and_its_results_are_read() {
    let site = scenarios::small().start().await;
    let world = World::start("results", local()).await;
    let started = world.crawl_to_the_end(&site, json!({})).await;
    let (project, run, crawl) = (&started["id"], &started["runId"], &started["crawlId"]);
    assert_eq!(started["domain"], site.addr().to_string());

    let listed = world.get("/api/v1/projects").await.is(200).json();
    assert_eq!((&listed["items"][0]["id"], &listed["hasMore"]), (project, &json!(false)));
    assert_eq!(listed["items"][0]["latestCrawlId"], *crawl);
    assert_eq!(world.get(&format!("/api/v1/projects/{project}")).await.is(200).json()["runState"], "completed");
    let crawls = world.get(&format!("/api/v1/projects/{project}/crawls")).await.is(200).json();
    assert_eq!((&crawls["items"][0]["id"], &crawls["items"][0]["runId"]), (crawl, run));
    let runs = world.get(&format!("/api/v1/projects/{project}/runs")).await.is(200).json();
    assert_eq!(runs["items"][0]["id"], *run);

    let everywhere = world.get("/api/v1/runs?job=audit&state=completed").await.is(200).json();
    assert_eq!(everywhere["items"], runs["items"]);
    for nothing in ["state=paused", "job=weave", "projectID=1&job=capture"] {
        assert_eq!(world.get(&format!("/api/v1/runs?{nothing}")).await.is(200).json()["items"], json!([]), "{nothing}");
    }

    let shown = world.get(&format!("/api/v1/run/{run}")).await.is(200).json();
    assert_eq!(shown, world.get(&format!("/api/v1/runs/{run}")).await.is(200).json());
    assert_eq!((&shown["projectID"], &shown["state"]), (project, &json!("completed")));
    assert_eq!(shown["crawls"][0]["pagesCrawled"], shown["totalPagesCrawled"]);
    assert!(shown["createdAt"].is_i64());

    let receipt = world.get(&format!("/api/v1/runs/{run}/receipt")).await.is(200).json();
    assert_eq!((&receipt["addsUp"], &receipt["seen"]), (&json!(true), &shown["urlsSeen"]));
    let summary = world.get(&format!("/api/v1/runs/{run}/summary")).await.is(200).json();
    assert_eq!(summary["receipt"], receipt);

    let stats = world.get(&format!("/api/v1/projects/{project}/active-stats")).await.is(200).json();
    assert_eq!((&stats["total"], &stats["crawled"]), (&shown["urlsSeen"], &shown["urlsVisited"]));
    let queue = world.get(&format!("/api/v1/projects/{project}/queue")).await.is(200).json();
    assert_eq!((&queue["currentRunID"], &queue["pending"], &queue["canResume"]), (run, &json!(0), &json!(false)));
    assert_eq!(queue["runCrawlIDs"], json!([crawl]));
    assert_eq!(world.get("/api/v1/active-crawls").await.is(200).json(), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_filtered_sorted_searched_and_paginated() {
    let site = scenarios::high_fan_out(30).start().await;
    let world = World::start("pages", local()).await;
    let started = world.crawl_to_the_end(&site, json!({})).await;
    let (run, crawl) = (&started["runId"], &started["crawlId"]);

    let (mut numbers, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.get(&format!("/api/v1/runs/{run}/pages?limit=7&cursor={cursor}")).await.is(200).json();
        numbers.extend(page["items"].as_array().unwrap().iter().map(|row| row["number"].as_i64().unwrap()));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    let seen = world.get(&format!("/api/v1/runs/{run}")).await.json()["urlsSeen"].as_u64().unwrap() as usize;
    assert_eq!(numbers.len(), seen, "every row once");
    assert!(numbers.is_sorted());

    let urls = |page: &Value| -> Vec<String> {
        page["items"].as_array().unwrap().iter().map(|row| row["url"].as_str().unwrap().to_owned()).collect()
    };
    let down = world.get(&format!("/api/v1/crawls/{crawl}/pages?type=html&sort=url&order=desc")).await.is(200).json();
    assert!(urls(&down).is_sorted_by(|a, b| a >= b) && urls(&down).len() == 31, "{down}");
    let missing = world.get(&format!("/api/v1/runs/{run}/pages?status=4xx")).await.is(200).json();
    assert!(urls(&missing).iter().all(|url| !url.contains("/page")), "{missing}");
    let target = &urls(&down)[3];
    let word = segment(&format!("page/{}", target.rsplit('/').next().unwrap()));
    for path in [
        format!("/api/v1/search/{crawl}?q={word}&type=html"),
        format!("/api/v1/runs/{run}/pages?search={word}&type=html"),
    ] {
        let found = world.get(&path).await.is(200).json();
        assert!(urls(&found).contains(target) && urls(&found).len() < 31, "{path}: {found}");
    }
    let shown = world.get(&format!("/api/v1/crawls/{crawl}?type=html&limit=5")).await.is(200).json();
    assert_eq!((&shown["id"], shown["results"].as_array().unwrap().len()), (crawl, 5));
    assert_eq!(shown["hasMore"], true);
    let links = world.get(&format!("/api/v1/runs/{run}/links?search={word}")).await.is(200).json();
    assert_eq!(links["items"][0]["targetUrl"], *target);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_and_content_of_a_page_by_segment_and_by_parameter() {
    let page = Page::titled("A & B").link("/b?x=1&y=/z");
    let site = Site::new().page("/", page).page("/b?x=1&y=/z", Page::titled("B")).start().await;
    let world = World::start("page", local()).await;
    let crawl = &world.crawl_to_the_end(&site, json!({"settings": {"keep": {"html": true}}})).await["crawlId"];
    let url = site.url("/b?x=1&y=/z");
    let links = world.get(&format!("/api/v1/crawls/{crawl}/pages/{}/links", segment(&url))).await.is(200).json();
    assert_eq!((&links["url"], &links["inlinks"][0]["sourceUrl"]), (&json!(url), &json!(site.url("/"))));
    let same = world.get(&format!("/api/v1/crawls/{crawl}/page/links?url={}", segment(&url))).await.is(200).json();
    assert_eq!(same, links);

    let content = world.get(&format!("/api/v1/crawls/{crawl}/pages/{}/content", segment(&site.url("/")))).await;
    assert!(content.is(200).text().contains("A &amp; B"), "{}", content.text());
    assert_eq!(content.header("content-type"), Some("text/plain; charset=utf-8"), "never run by a browser");
    assert_eq!(content.header("x-page-content-type"), Some("text/html"));
    let same = world.get(&format!("/api/v1/crawls/{crawl}/page/content?url={}", segment(&site.url("/")))).await;
    assert_eq!(same.body, content.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_stopped_resumed_and_abandoned() {
    let site = long().start().await;
    let world = World::start("stopped", local()).await;
    let started = world.crawl(&site, json!({})).await;
    let (project, run) = (started["id"].as_i64().unwrap(), &started["runId"]);
    let active = world.get("/api/v1/active-crawls").await.is(200).json();
    assert_eq!((&active[0]["projectID"], &active[0]["isHere"]), (&json!(project), &json!(true)));
    site.wait_for(|seen| seen.requests() > 20).await;

    world.post("/api/v1/crawl", &json!({"url": site.url("/")})).await.is_problem(409, "crawl_in_progress");
    world.delete(&format!("/api/v1/projects/{project}")).await.is(409);
    let stopping = world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await;
    assert_eq!(stopping.is(202).json()["projectID"], project);
    world.wait_for_end(project).await;
    let paused = world.get(&format!("/api/v1/runs/{run}")).await.json();
    assert_eq!((&paused["state"], &paused["reason"]), (&json!("paused"), &json!("user")));

    let resumed = world.send(Ask::new("POST", &format!("/api/v1/resume-crawl/{project}"))).await;
    assert_eq!(resumed.is(202).json()["runId"], *run);
    world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/pause"))).await.is(202);
    world.wait_for_end(project).await;
    let again = world.post(&format!("/api/v1/runs/{run}/resume"), &json!({"settings": fast()})).await;
    assert_eq!(again.is(202).json()["runId"], *run);
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is(202);
    world.wait_for_end(project).await;
    let sessions = world.get(&format!("/api/v1/run/{run}")).await.json()["crawls"].as_array().unwrap().len();
    assert_eq!(sessions, 3);

    let cleared = world.delete(&format!("/api/v1/projects/{project}/queue")).await.is(200).json();
    assert_eq!(cleared["runId"], *run);
    assert!(cleared["cleared"].as_u64().unwrap() > 0, "{cleared}");
    let queue = world.get(&format!("/api/v1/projects/{project}/queue")).await.json();
    assert_eq!((&queue["pending"], &queue["canResume"]), (&json!(0), &json!(false)));
    world.send(Ask::new("POST", &format!("/api/v1/resume-crawl/{project}"))).await.is_problem(409, "no_paused_run");
    world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/resume"))).await.is_problem(409, "no_paused_run");
    world.send(Ask::new("POST", &format!("/api/v1/runs/{run}/pause"))).await.is_problem(409, "not_running");
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is_problem(409, "not_running");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_body_selects_budgets_incremental_and_fresh_runs() {
    let site = scenarios::high_fan_out(20).start().await;
    let world = World::start("modes", local()).await;
    let budget = json!({"incremental": true, "settings": {"limits": {"session_budget": 5}}});
    let first = world.crawl_to_the_end(&site, budget.clone()).await;
    let paused = world.get(&format!("/api/v1/runs/{}", first["runId"])).await.json();
    assert_eq!((&paused["state"], &paused["reason"]), (&json!("paused"), &json!("budget")));
    let second = world.crawl_to_the_end(&site, budget).await;
    assert_eq!(second["runId"], first["runId"], "a paused incremental run is resumed");
    assert_ne!(second["crawlId"], first["crawlId"]);
    let other = json!({"url": site.url("/"), "mode": "resume", "settings": {"scope": {"max_depth": 1}}});
    world.post("/api/v1/crawl", &other).await.is_problem(409, "other_settings");
    let forced = json!({"mode": "resume", "force": true, "settings": {"scope": {"max_depth": 1}}});
    assert_eq!(world.crawl_to_the_end(&site, forced).await["runId"], first["runId"]);
    let fresh = world.crawl_to_the_end(&site, json!({"mode": "fresh"})).await;
    assert_ne!(fresh["runId"], first["runId"]);
    let done = json!({"url": site.url("/"), "mode": "resume"});
    world.post("/api/v1/crawl", &done).await.is_problem(409, "no_paused_run");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_saved_for_a_site_and_problems_are_reported_by_field() {
    let world = World::start("config", local()).await;
    let before = world.get("/api/v1/config?url=https://example.com/x").await.is(200).json();
    assert_eq!((&before["projectID"], &before["incrementalCrawlingEnabled"]), (&json!(null), &json!(false)));
    assert_eq!(world.get("/api/v1/projects").await.json()["items"], json!([]), "a query creates no project");
    let change = json!({"url": "https://example.com", "incrementalCrawlingEnabled": true, "crawlBudget": 50,
                        "settings": {"politeness": {"rate": 2.0}}});
    let after = world.put("/api/v1/config", &change).await.is(200).json();
    assert_eq!(after, world.get("/api/v1/config?url=example.com").await.json());
    assert_eq!((&after["incrementalCrawlingEnabled"], &after["crawlBudget"]), (&json!(true), &json!(50)));
    assert_eq!(after["effective"]["politeness"]["rate"], 2.0);

    // Null differs from a missing field: it resets the saved value.
    let unset = json!({"url": "example.com", "crawlBudget": null, "incrementalCrawlingEnabled": null,
                       "settings": {"politeness": {"rate": null}, "scope": {"max_depth": 3}}});
    let without = world.put("/api/v1/config", &unset).await.is(200).json();
    assert_eq!(without["settings"]["scope"], json!({"max_depth": 3}), "{without}");
    assert_eq!(without["settings"]["politeness"], before["settings"]["politeness"], "{without}");
    assert_eq!((&without["incrementalCrawlingEnabled"], &without["crawlBudget"]), (&json!(false), &json!(0)));
    assert_eq!(without["effective"]["politeness"]["rate"], before["effective"]["politeness"]["rate"]);
    world
        .put("/api/v1/config", &json!({"url": "example.com", "settings": {"scope": {"max_depth": null}}}))
        .await
        .is(200);
    assert_eq!(world.put("/api/v1/config", &change).await.is(200).json(), after);
    let group = json!({"url": "example.com", "settings": {"politeness": null, "limits": null}});
    let without = world.put("/api/v1/config", &group).await.is(200).json();
    assert_eq!(without["settings"], before["settings"], "null resets the whole group");
    assert_eq!(without["crawlBudget"], 0);
    assert_eq!(world.put("/api/v1/config", &change).await.is(200).json(), after);

    let wrong = json!({"url": "example.com", "settings":
        {"limits": {"url_lenght": 5}, "scope": {"max_depth": "deep", "include": ["("]}, "limit": {}}});
    let problem = world.put("/api/v1/config", &wrong).await.is_problem(422, "invalid_fields");
    let fields: Vec<&str> =
        problem["problems"].as_array().unwrap().iter().map(|p| p["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["limit", "limits.url_lenght", "scope.max_depth", "scope.include"], "{problem}");
    assert_eq!(problem["problems"][1]["hint"], "did you mean `limits.url_length`?");
    let wrong = json!({"url": "example.com", "settings": {"scope": {"include": ["("], "external_hops": 9}}});
    let problem = world.put("/api/v1/config", &wrong).await.is_problem(422, "invalid_fields");
    assert_eq!(problem["problems"].as_array().unwrap().len(), 2, "{problem}");
    let secret = json!({"url": "example.com", "settings": {"fetch": {"headers": {"X-Key": "canary"}}}});
    let problem = world.put("/api/v1/config", &secret).await.is_problem(409, "secrets_not_stored");
    assert!(!problem.to_string().contains("canary"));
    assert_eq!(after, world.get("/api/v1/config?url=example.com").await.json(), "nothing was changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn favicons_are_served_as_images_never_as_documents() {
    let icon = |name: &str, media_type: &'static str| {
        Site::new()
            .page("/", Page::titled("Home").head(&format!("<link rel=icon href=/{name}>")))
            .reply(&format!("/{name}"), Reply::bytes(media_type, b"<svg onload=alert(1)>".to_vec()))
    };
    let world = World::start("favicon", local()).await;
    let fetch = async |path: &str| world.send(Ask::new("POST", path)).await;
    let site = icon("icon.png", "image/png").start().await;
    let project = &world.crawl_to_the_end(&site, json!({})).await["id"];
    let (path, asked) = (format!("/api/v1/projects/{project}/favicon"), site.seen().requests());
    world.get(&path).await.is_problem(404, "not_found");
    assert_eq!(site.seen().requests(), asked, "reading causes no requests");
    let answer = fetch(&path).await;
    assert_eq!((answer.is(200).header("content-type"), answer.body.len()), (Some("image/png"), 21));
    assert_eq!(world.get(&path).await.is(200).body, answer.body, "it is kept");
    let site = icon("icon.svg", "image/svg+xml").start().await;
    let project = &world.crawl_to_the_end(&site, json!({})).await["id"];
    for answer in [
        fetch(&format!("/api/v1/projects/{project}/favicon")).await,
        world.get(&format!("/api/v1/projects/{project}/favicon")).await,
    ] {
        answer.is_problem(404, "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_runs_and_crawls_are_deleted_with_their_results() {
    let site = scenarios::small().start().await;
    let world = World::start("delete", local()).await;
    let first = world.crawl_to_the_end(&site, json!({})).await;
    let second = world.crawl_to_the_end(&site, json!({})).await;
    world.delete(&format!("/api/v1/crawls/{}", first["crawlId"])).await.is(204);
    world.get(&format!("/api/v1/runs/{}", first["runId"])).await.is_problem(404, "not_found");
    world.delete(&format!("/api/v1/runs/{}", second["runId"])).await.is(204);
    world.delete(&format!("/api/v1/runs/{}", second["runId"])).await.is_problem(404, "not_found");
    world.delete(&format!("/api/v1/projects/{}", first["id"])).await.is(204);
    world.get(&format!("/api/v1/projects/{}", first["id"])).await.is_problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_is_off_by_default_and_read_only_when_allowed() {
    let question = |query: &str| json!({"query": query});
    let world = World::start("no-sql", local()).await;
    world.post("/api/v1/sql", &question("SELECT 1")).await.is_problem(403, "sql_is_off");

    let mut options = local();
    options.allow_sql = true;
    let world = World::start("sql", options).await;
    let answer = world.post("/api/v1/sql", &question("SELECT 1 AS one, 'x' AS x")).await.is(200).json();
    assert_eq!(answer, json!({"columns": ["one", "x"], "rows": [[1, "x"]], "isCut": false}));
    for refused in [
        "DELETE FROM projects",
        "SELECT 1; SELECT 2",
        "ATTACH '/etc/passwd' AS x",
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "VACUUM INTO '/tmp/x'",
        "",
    ] {
        let problem = world.post("/api/v1/sql", &question(refused)).await.is_problem(422, "query_refused");
        assert!(!problem.to_string().contains("bluesnake.db"), "{problem}");
    }
    let slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let slow = json!({"query": slow, "seconds": 0.2});
    world.post("/api/v1/sql", &slow).await.is_problem(422, "query_refused");
    let cut = json!({"query": "SELECT 1 UNION ALL SELECT 2", "limit": 1});
    assert_eq!(world.post("/api/v1/sql", &cut).await.json()["isCut"], true);
    world.post("/api/v1/sql", &json!({"query": "SELECT 1", "limit": 0})).await.is_problem(422, "invalid_fields");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_requests_write_nothing() {
    let site = scenarios::small().start().await;
    let database = folder("looks").join("bluesnake.db");
    let world = World::on(&database, limited(|limits| limits.requests_per_second = 0)).await;
    world.crawl_to_the_end(&site, json!({"settings": {"keep": {"html": true}}})).await;
    // It is another number after any write of another connection.
    let connection = rusqlite::Connection::open(&database).unwrap();
    let version = || connection.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)).unwrap();
    let (before, asked) = (version(), site.seen().requests());
    let is_read = |method: &str, path: &str| method == "GET" && !path.ends_with("/events");
    for (method, path) in operations("1").into_iter().filter(|(method, path)| is_read(method, path)) {
        for method in [method.as_str(), "HEAD", "OPTIONS"] {
            assert!(world.send(Ask::new(method, &path)).await.status < 500, "{method} {path}");
        }
        assert_eq!(version(), before, "{path} wrote to the database");
    }
    assert_eq!(site.seen().requests(), asked, "and no requests were made");
    world.put("/api/v1/config", &json!({"url": "http://a.example/"})).await.is(200);
    assert_ne!(version(), before, "a write would have been seen");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_budget_applies_to_resumed_sessions_too() {
    let site = scenarios::high_fan_out(20).start().await;
    let world = World::start("saved-budget", local()).await;
    let saved = json!({"url": site.url("/"), "crawlBudget": 8, "settings": fast()});
    world.put("/api/v1/config", &saved).await.is(200);
    let started = world.crawl_to_the_end(&site, json!({})).await;
    let (project, run) = (started["id"].as_i64().unwrap(), format!("/api/v1/runs/{}", started["runId"]));
    for path in [format!("/api/v1/resume-crawl/{project}"), format!("{run}/resume")] {
        let paused = world.get(&run).await.json();
        assert_eq!((&paused["state"], &paused["reason"]), (&json!("paused"), &json!("budget")), "{paused}");
        world.send(Ask::new("POST", &path)).await.is(202);
        world.wait_for_end(project).await;
    }
    let done = world.get(&run).await.json();
    let visited: Vec<&Value> = done["crawls"].as_array().unwrap().iter().map(|crawl| &crawl["urlsVisited"]).collect();
    assert_eq!((&done["state"], visited), (&json!("completed"), vec![&json!(8), &json!(8), &json!(5)]));
}

/// What is current is looked up for each job.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_hides_no_paused_audit_and_a_new_run_closes_none() {
    let site = scenarios::high_fan_out(20).start().await;
    let world = World::start("per-job", local()).await;
    let budget = json!({"settings": {"limits": {"session_budget": 5}}});
    let audit = world.crawl_to_the_end(&site, budget.clone()).await;
    let project = audit["id"].as_i64().unwrap();
    let capture = json!({"url": site.url("/"), "settings": fast()});
    let capture = world.post("/api/v1/captures", &capture).await.is(202).json();
    world.wait_for_end(project).await;
    let at = |path: &str| format!("/api/v1/projects/{project}{path}");

    let queue = world.get(&at("/queue")).await.is(200).json();
    assert_eq!(
        (&queue["currentRunID"], &queue["runState"], &queue["canResume"], &queue["visited"]),
        (&audit["runId"], &json!("paused"), &json!(true), &json!(5))
    );
    assert_eq!(world.get(&at("/active-stats")).await.is(200).json()["crawled"], 5);
    let shown = world.get(&at("")).await.json();
    assert_eq!((&shown["runId"], &shown["runState"]), (&audit["runId"], &json!("paused")));
    let of_capture = world.get(&at("/queue?kind=capture")).await.is(200).json();
    assert_eq!((&of_capture["currentRunID"], &of_capture["runState"]), (&capture["runId"], &json!("completed")));
    assert!(world.get(&at("/active-stats?kind=capture")).await.is(200).json()["crawled"].as_i64() > Some(20));
    assert_eq!(world.get(&at("/queue?kind=weave")).await.is(200).json()["currentRunID"], Value::Null);
    world.get(&at("/queue?kind=nonsense")).await.is(400);

    let second = world.crawl_to_the_end(&site, budget).await;
    assert_eq!(second["pausedRunIds"], json!([audit["runId"]]), "it names the run that stays paused");
    let resumed = world.post(&format!("/api/v1/resume-crawl/{project}"), &json!({"kind": "capture"})).await;
    resumed.is_problem(409, "no_paused_run");
    world.send(Ask::new("POST", &format!("/api/v1/runs/{}/resume", audit["runId"]))).await.is(202);
    world.wait_for_end(project).await;
    assert_eq!(world.get(&format!("/api/v1/runs/{}", audit["runId"])).await.json()["state"], "completed");
    let resumed = world.post(&format!("/api/v1/resume-crawl/{project}"), &json!({"kind": "crawl"})).await;
    assert_eq!(resumed.is(202).json()["runId"], second["runId"]);
    world.wait_for_end(project).await;
}
