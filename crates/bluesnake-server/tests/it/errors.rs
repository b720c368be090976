//! Every documented error: its status and code, without internal details.

use serde_json::{Value, json};

use crate::client::Ask;
use crate::world::{World, folder, limited, local};

#[tokio::test(flavor = "multi_thread")]
async fn missing_resources_return_404() {
    let world = World::start("404", local()).await;
    for path in [
        "/api/v1/projects/9",
        "/api/v1/projects/9/crawls",
        "/api/v1/projects/9/runs",
        "/api/v1/projects/9/queue",
        "/api/v1/projects/9/active-stats",
        "/api/v1/projects/9/favicon",
        "/api/v1/runs/9",
        "/api/v1/run/9",
        "/api/v1/runs/9/receipt",
        "/api/v1/runs/9/summary",
        "/api/v1/runs/9/pages",
        "/api/v1/runs/9/links",
        "/api/v1/runs/9/export",
        "/api/v1/runs/9/rows",
        "/api/v1/runs/9/rows/export",
        "/api/v1/runs/9/facets",
        "/api/v1/runs/9/histogram?of=size",
        "/api/v1/runs/9/tree",
        "/api/v1/runs/9/issues",
        "/api/v1/runs/9/issues/title-missing",
        "/api/v1/runs/9/urls/1",
        "/api/v1/runs/9/urls/1/inlinks",
        "/api/v1/runs/9/urls/1/outlinks",
        "/api/v1/runs/9/compare/8",
        "/api/v1/runs/9/compare/8/rows",
        "/api/v1/runs/9/compare/8/export",
        "/api/v1/runs/9/previous",
        "/api/v1/runs/9/report",
        "/api/v1/runs?projectID=9",
        "/api/v1/captures?projectID=9",
        "/api/v1/crawls/9",
        "/api/v1/crawls/9/pages",
        "/api/v1/search/9?q=x",
        "/api/v1/crawls/9/page/links?url=http://a/",
        "/api/v1/crawls/9/page/content?url=http://a/",
        "/api/v1/crawls/9/pages/http%3A%2F%2Fa%2F/links",
        "/api/v1/projects/-1",
    ] {
        world.get(path).await.is_problem(404, "not_found");
    }
    for path in ["/api/v1/projects/9", "/api/v1/projects/9/queue", "/api/v1/runs/9", "/api/v1/crawls/9"] {
        world.delete(path).await.is_problem(404, "not_found");
    }
    for path in [
        "/api/v1/stop-crawl/9",
        "/api/v1/resume-crawl/9",
        "/api/v1/runs/9/pause",
        "/api/v1/runs/9/resume",
        "/api/v1/runs/9/audit",
    ] {
        world.send(Ask::new("POST", path)).await.is_problem(404, "not_found");
    }
    for path in ["/assets/nothing.js", "/api", "/api/v1", "/api/v1/nothing", "/api/v1/projects/", "/mcp/nothing"] {
        world.get(path).await.is_problem(404, "no_such_path");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_return_400_and_invalid_ones_422() {
    let world = World::start("400", local()).await;
    for path in [
        "/api/v1/projects/x",
        "/api/v1/projects/99999999999999999999",
        "/api/v1/projects?limit=0",
        "/api/v1/projects?limit=1001",
        "/api/v1/projects?limit=x",
        "/api/v1/projects?limits=5",
        "/api/v1/config",
        "/api/v1/config?url=a&url=b",
        "/api/v1/events?projectID=x",
        "/api/v1/search/1",
        "/api/v1/runs?state=sleeping",
        "/api/v1/runs?job=nap",
        "/api/v1/runs?kind=crawl",
        "/api/v1/captures?job=crawl",
        "/api/v1/captures?limit=1001",
        "/api/v1/runs/1/rows?limit=501",
        "/api/v1/runs/1/urls/x",
        "/api/v1/runs/1/compare/x",
        "/api/v1/runs/1/compare/2/rows?limit=0",
        "/api/v1/runs/1/report?download=maybe",
        "/api/v1/runs/1/report?against=x",
    ] {
        is_plain(&world.get(path).await.is_problem(400, "bad_request"));
    }
    world.get("/api/v1/projects?cursor=nonsense").await.is_problem(422, "invalid_parameter");
    world.get("/api/v1/config?url=ftp://a").await.is_problem(422, "invalid_fields");
    let post = |body: &str| Ask::new("POST", "/api/v1/crawl").header("Content-Type", "application/json").text(body);
    for broken in ["{", "", "{} {}", "nonsense", "[1"] {
        world.send(post(broken)).await.is_problem(400, "not_json");
    }
    for (body, field) in [
        (json!({}), "url"),
        (json!({"url": "http://a/", "urls": ["http://b/"]}), "urls"),
        (json!({"url": 5}), "url"),
        (json!({"uri": "http://a/"}), "uri"),
        (json!({"url": "http://a/", "mode": "sideways"}), "mode"),
        (json!({"url": "http://a/", "preset": "x"}), "preset"),
        (json!({"url": "ftp://a/"}), "seeds"),
        (json!({"url": "http://a/", "settings": {"fetch": {"attempts": "x"}}}), "fetch.attempts"),
        (json!({"url": "http://a/", "settings": {"fetch": {"attempts": -1}}}), "fetch.attempts"),
        (json!({"url": "http://a/", "settings": {"politeness": {"rate": "x"}}}), "politeness.rate"),
        (json!({"url": "http://a/", "settings": []}), "settings"),
        (json!({"url": "http://a/", "urls": {}}), "urls"),
        (json!([]), "body"),
    ] {
        let problem = world.post("/api/v1/crawl", &body).await.is_problem(422, "invalid_fields");
        assert_eq!(problem["problems"][0]["field"], field, "{problem}");
        is_plain(&problem);
    }
    let problem = world.post("/api/v1/crawl", &json!({"uri": "http://a/"})).await.json();
    assert_eq!(problem["hint"], "did you mean `url`?", "{problem}");
}

/// Demands words for people: nothing of how the server is made.
#[track_caller]
fn is_plain(problem: &Value) {
    let detail = problem["detail"].as_str().unwrap();
    assert!(!detail.starts_with(char::is_uppercase), "{detail}");
    let words: Vec<&str> = detail.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    for inner in ["i64", "u32", "u64", "usize", "f64", "struct", "deserialize", "sequence", "map", "AuditRequest"] {
        assert!(!words.contains(&inner), "{inner}: {detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_methods_return_405_with_an_allow_header() {
    let world = World::start("405", local()).await;
    for (method, path, allow) in [
        ("POST", "/api/v1/projects", "GET,HEAD"),
        ("GET", "/api/v1/crawl", "POST"),
        ("PATCH", "/api/v1/config", "GET,HEAD,PUT"),
        ("PUT", "/api/v1/runs/1", "GET,HEAD,DELETE"),
        ("BREW", "/api/v1/health", "GET,HEAD"),
    ] {
        let answer = world.send(Ask::new(method, path)).await;
        answer.is_problem(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
    }
    let head = world.send(Ask::new("HEAD", "/api/v1/health")).await;
    assert_eq!((head.status, head.body.len(), head.header("content-length")), (200, 0, Some("31")));
    let options = world.send(Ask::new("OPTIONS", "/api/v1/config")).await;
    assert_eq!((options.status, options.header("allow")), (204, Some("GET,HEAD,PUT")));
    assert_eq!(options.header("access-control-allow-origin"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_types_and_rates_are_limited() {
    let world = World::start("limits", limited(|limits| limits.body_bytes = 1000)).await;
    let long = json!({"url": format!("http://a/{}", "x".repeat(1000))});
    world.post("/api/v1/crawl", &long).await.is_problem(413, "body_too_large");
    let chunked = Ask::new("POST", "/api/v1/crawl")
        .header("Content-Type", "application/json")
        .header("Transfer-Encoding", "chunked")
        .header("Content-Length", "-")
        .text(&format!("7d0\r\n{}\r\n0\r\n\r\n", " ".repeat(2000)));
    world.send(chunked).await.is_problem(413, "body_too_large");
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""] {
        for method in ["POST", "PUT", "DELETE", "GET"] {
            let ask = Ask::new(method, "/api/v1/config").header("Content-Type", media_type).text("{}");
            world.send(ask).await.is_problem(415, "not_json_type");
        }
    }
    world.send(Ask::new("PUT", "/api/v1/config").text("{}")).await.is_problem(415, "not_json_type");

    let world = World::start("rate", limited(|limits| limits.requests_per_second = 1)).await;
    for _ in 0..10 {
        world.get("/api/v1/version").await.is(200);
    }
    let asked = std::time::Instant::now();
    let refused = world.get("/api/v1/version").await;
    assert!(asked.elapsed() >= std::time::Duration::from_millis(900), "guessing in a loop is slow");
    refused.is_problem(429, "too_many_requests");
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_database_returns_503_without_its_path() {
    let folder = folder("gone");
    let world = World::on(&folder.join("canary.db"), local()).await;
    std::fs::remove_dir_all(&folder).unwrap();
    world.get("/api/v1/health").await.is_problem(503, "unavailable");
    for answer in [
        world.post("/api/v1/crawl", &json!({"url": "http://a.example/"})).await,
        world.put("/api/v1/config", &json!({"url": "http://a.example/", "crawlBudget": 5})).await,
        world.get("/api/v1/health").await,
    ] {
        assert!(!answer.text().contains("canary") && !answer.text().contains("SELECT"), "{}", answer.text());
        assert!(!answer.text().contains("INSERT") && !answer.text().contains("/server-gone"), "{}", answer.text());
    }
}
