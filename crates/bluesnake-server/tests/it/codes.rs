//! Every code that the description lists is provoked here, and has the status that the guide says.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use bluesnake_app::{App, AppOptions};
use bluesnake_server::{ServerOptions, Token};
use serde_json::{Value, json};
use testsite::{Latency, scenarios};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::client::{Answer, Ask, PATIENCE};
use crate::world::{World, fast, folder, limited, local, long};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Codes that a client cannot provoke: a bug of ours, and a race with another process. Each with the source file and the
/// test in it that covers the code.
const FROM_INSIDE: [(&str, &str, &str); 2] = [
    ("internal", include_str!("../../src/guard/mod.rs"), "a_bug_in_a_handler_is_one_answer_with_an_id"),
    ("conflict", include_str!("../../src/error.rs"), "what_somebody_else_changed_meanwhile_is_a_conflict"),
];

fn documented() -> Vec<String> {
    let description: Value = serde_json::from_str(bluesnake_server::document()).unwrap();
    let codes = &description["components"]["schemas"]["ProblemCode"]["enum"];
    codes.as_array().expect("the codes are listed").iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

/// The codes of the guide with their statuses.
fn in_the_guide() -> BTreeMap<String, u16> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/rest.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let mut codes = BTreeMap::new();
    for line in guide.lines() {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let Some(status) = cells.next().and_then(|cell| cell.parse::<u16>().ok()) else { continue };
        let is_code =
            |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let words = cells.next().unwrap_or_default().split('`').skip(1).step_by(2);
        codes.extend(words.filter(is_code).filter(|word| *word != "problems").map(|code| (code.to_owned(), status)));
    }
    codes
}

#[test]
fn the_guide_has_the_codes_of_the_description() {
    let mut documented = documented();
    documented.sort();
    assert_eq!(in_the_guide().into_keys().collect::<Vec<_>>(), documented);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_code_can_be_provoked() {
    let statuses = in_the_guide();
    for code in documented() {
        if let Some((_, source, test)) = FROM_INSIDE.iter().find(|(inside, ..)| *inside == code) {
            assert!(source.contains(&format!("fn {test}")), "{code}: there is no {test}");
            continue;
        }
        provoke(&code).await.is_problem(statuses[&code], &code);
    }
}

/// A response with this code.
async fn provoke(code: &str) -> Answer {
    match code {
        "bad_request" => plain().await.get("/api/v1/projects/x").await,
        "not_json" => plain().await.send(post("/api/v1/crawl", "{")).await,
        "no_host" => plain().await.send(Ask::new("GET", "/api/v1/version").header("Host", "-")).await,
        "no_token" => guarded().await.get("/api/v1/version").await,
        "wrong_token" => guarded().await.send(with_token("guess")).await,
        "foreign_origin" => {
            plain().await.send(Ask::new("GET", "/api/v1/version").header("Origin", "https://evil.example")).await
        }
        "sql_is_off" => plain().await.post("/api/v1/sql", &json!({"query": "SELECT 1"})).await,
        "not_found" => plain().await.get("/api/v1/projects/9").await,
        "no_such_path" => plain().await.get("/api/v1/nothing").await,
        "method_not_allowed" => plain().await.send(Ask::new("PATCH", "/api/v1/config")).await,
        "crawl_in_progress" => a_second_start().await,
        "no_paused_run" => known().await.send(Ask::new("POST", "/api/v1/resume-crawl/1")).await,
        "not_running" => known().await.send(Ask::new("POST", "/api/v1/stop-crawl/1")).await,
        "other_settings" => other_settings().await,
        "secrets_not_stored" => {
            let secret = json!({"url": "http://a.example/", "settings": {"fetch": {"headers": {"X-Key": "canary"}}}});
            plain().await.put("/api/v1/config", &secret).await
        }
        "run_has_sessions" => one_of_two_sessions().await,
        "no_documents" => after_a_crawl("format=warc").await,
        "body_too_large" => {
            let world = World::start("code-body", limited(|limits| limits.body_bytes = 10)).await;
            world.post("/api/v1/crawl", &json!({"url": "http://a.example/"})).await
        }
        "not_json_type" => plain().await.send(Ask::new("POST", "/api/v1/crawl").text("url=x")).await,
        "wrong_host" => plain().await.send(Ask::new("GET", "/api/v1/version").header("Host", "evil.example")).await,
        "invalid_fields" => plain().await.post("/api/v1/crawl", &json!({})).await,
        "invalid_parameter" => plain().await.get("/api/v1/projects?cursor=nonsense").await,
        "invalid" => after_a_crawl("format=sitemap&part=9").await,
        "query_refused" => asking().await.post("/api/v1/sql", &json!({"query": "DELETE FROM runs"})).await,
        "too_many_requests" => {
            let world = World::start("code-rate", limited(|limits| limits.requests_per_second = 1)).await;
            first_that_is(429, async || world.get("/api/v1/version").await).await
        }
        "too_many_wrong_tokens" => {
            let world = guarded().await;
            first_that_is(429, async || world.send(with_token("guess")).await).await
        }
        "head_too_large" => {
            let world = World::start("code-head", limited(|limits| limits.header_bytes = 500)).await;
            world.send(Ask::new("GET", "/api/v1/version").header("X-Long", &"x".repeat(500))).await
        }
        "unavailable" => {
            let folder = folder("code-gone");
            let world = World::on(&folder.join("bluesnake.db"), local()).await;
            std::fs::remove_dir_all(&folder).unwrap();
            world.get("/api/v1/health").await
        }
        "too_slow" => {
            let world =
                World::start("code-slow", limited(|limits| limits.request_time = Duration::from_millis(200))).await;
            world.send(post("/api/v1/crawl", "{").header("Content-Length", "100")).await
        }
        "too_many_crawls" => a_full_queue().await,
        "too_many_exports" => {
            let world = World::start("code-exports", limited(|limits| limits.exports = 0)).await;
            let site = scenarios::small().start().await;
            let run = world.crawl_to_the_end(&site, json!({})).await["runId"].clone();
            world.get(&format!("/api/v1/runs/{run}/export")).await
        }
        "too_many_queries" => a_second_question().await,
        "too_many_event_streams" => a_second_listener().await,
        "too_many_connections" => {
            let world = World::start("code-connections", limited(|limits| limits.connections = 1)).await;
            let _idle = TcpStream::connect(world.address).await.unwrap();
            world.get("/api/v1/version").await
        }
        "closing" => a_start_at_the_end().await,
        unknown => panic!("no test provokes {unknown}; every documented code needs a line here"),
    }
}

async fn plain() -> World {
    World::start("code-plain", local()).await
}

/// A server that knows a project which was never crawled.
async fn known() -> World {
    let world = World::start("code-known", local()).await;
    world.put("/api/v1/config", &json!({"url": "http://a.example/"})).await.is(200);
    world
}

async fn guarded() -> World {
    World::start("code-token", ServerOptions { token: Some(Token::new(TOKEN).unwrap()), ..local() }).await
}

/// A server that runs one SQL query at a time.
async fn asking() -> World {
    let limits = limited(|limits| {
        limits.queries = 1;
        limits.requests_per_second = 0;
    });
    World::start("code-sql", ServerOptions { allow_sql: true, ..limits }).await
}

fn with_token(token: &str) -> Ask {
    Ask::new("GET", "/api/v1/version").header("Authorization", &format!("Bearer {token}"))
}

fn post(path: &str, body: &str) -> Ask {
    Ask::new("POST", path).header("Content-Type", "application/json").text(body)
}

/// Repeats the request until the response has a status.
async fn first_that_is(status: u16, ask: impl AsyncFn() -> Answer) -> Answer {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = ask().await;
        if answer.status == status {
            return answer;
        }
        assert!(Instant::now() < deadline, "still {}: {}", answer.status, answer.text());
    }
}

async fn after_a_crawl(export: &str) -> Answer {
    let (world, site) = (World::start("code-crawled", local()).await, scenarios::small().start().await);
    let run = world.crawl_to_the_end(&site, json!({})).await["runId"].clone();
    world.get(&format!("/api/v1/runs/{run}/export?{export}")).await
}

async fn a_second_start() -> Answer {
    let (world, site) = (World::start("code-twice", local()).await, long().start().await);
    world.crawl(&site, json!({})).await;
    world.post("/api/v1/crawl", &json!({"url": site.url("/")})).await
}

async fn other_settings() -> Answer {
    let (world, site) = (World::start("code-settings", local()).await, scenarios::high_fan_out(20).start().await);
    world.crawl_to_the_end(&site, json!({"settings": {"limits": {"session_budget": 5}}})).await;
    world.post("/api/v1/resume-crawl/1", &json!({"settings": {"scope": {"max_depth": 1}}})).await
}

async fn one_of_two_sessions() -> Answer {
    let (world, site) = (World::start("code-sessions", local()).await, scenarios::high_fan_out(20).start().await);
    let first = world.crawl_to_the_end(&site, json!({"settings": {"limits": {"session_budget": 5}}})).await;
    world.post("/api/v1/resume-crawl/1", &json!({"settings": fast()})).await.is(202);
    world.wait_for_end(1).await;
    let refused = world.delete(&format!("/api/v1/crawls/{}", first["crawlId"])).await;
    assert_eq!(world.get("/api/v1/runs/1").await.json()["crawls"].as_array().unwrap().len(), 2, "nothing is gone");
    refused
}

/// One crawl runs, a hundred wait, and one more is requested.
async fn a_full_queue() -> Answer {
    let options =
        AppOptions { max_concurrent_sessions: 1, ..AppOptions::new(folder("code-queue").join("bluesnake.db")) };
    let limits = limited(|limits| limits.requests_per_second = 0);
    let world = World::of(App::open(options).await.unwrap(), limits).await;
    let site = long().start().await;
    world.crawl(&site, json!({})).await;
    let mut waiting = JoinSet::new();
    for at in 0..100 {
        let ask = Ask::new("POST", "/api/v1/crawl").json(&json!({"url": format!("http://host-{at}.invalid/")}));
        let address = world.address;
        waiting.spawn(async move { ask.send(address).await });
    }
    for answer in waiting.join_all().await {
        assert_eq!(answer.is(202).json()["phase"], "queued");
    }
    let refused = world.post("/api/v1/crawl", &json!({"url": "http://one-more.invalid/"})).await;
    assert_eq!(refused.header("retry-after"), Some("5"));
    let known = world.get("/api/v1/projects?limit=1000").await.json();
    assert_eq!(known["items"].as_array().unwrap().len(), 101, "what is refused makes no project");
    // A place in the queue is free again when one leaves it.
    world.send(Ask::new("POST", "/api/v1/stop-crawl/2")).await.is(202);
    world.wait_for_end(2).await;
    world.post("/api/v1/crawl", &json!({"url": "http://one-more.invalid/"})).await.is(202);
    refused
}

async fn a_second_question() -> Answer {
    let world = asking().await;
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let ask = |seconds: f64| Ask::new("POST", "/api/v1/sql").json(&json!({"query": endless, "seconds": seconds}));
    // Until the long one is there first: two that come at once may be taken in any order.
    let ask_twice = async || {
        let mut first = TcpStream::connect(world.address).await.unwrap();
        first.write_all(&ask(2.0).bytes(world.address)).await.unwrap();
        world.send(ask(0.001)).await
    };
    first_that_is(503, ask_twice).await
}

async fn a_second_listener() -> Answer {
    let world = World::start("code-events", limited(|limits| limits.event_streams = 1)).await;
    let mut first = TcpStream::connect(world.address).await.unwrap();
    first.write_all(&Ask::new("GET", "/api/v1/events").bytes(world.address)).await.unwrap();
    let mut begin = [0; 12];
    first.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
    world.get("/api/v1/events").await
}

/// An already connected client starts a crawl while another one is being paused.
async fn a_start_at_the_end() -> Answer {
    let slow = scenarios::high_fan_out(20).latency(Latency::fixed(Duration::from_secs(3)), 1);
    let (world, site) = (World::start("code-closing", local()).await, slow.start().await);
    let address = world.address;
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(format!("GET /api/v1/version HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
    let mut received = Vec::new();
    while !received.ends_with(b"}") {
        assert!(client.read_buf(&mut received).await.unwrap() > 0, "{}", String::from_utf8_lossy(&received));
    }
    world.crawl(&site, json!({"settings": {"politeness": {"grace_ms": 20_000}}})).await;
    site.wait_for(|seen| seen.requests() > 0).await;
    world.begin_end();
    let deadline = Instant::now() + PATIENCE;
    while TcpStream::connect(address).await.is_ok() {
        assert!(Instant::now() < deadline, "new connections are refused");
    }
    let ask = Ask::new("POST", "/api/v1/crawl").json(&json!({"url": "http://a.example/"}));
    client.write_all(&ask.bytes(address)).await.unwrap();
    let mut received = Vec::new();
    tokio::time::timeout(PATIENCE, client.read_to_end(&mut received)).await.expect("an answer in time").unwrap();
    let answer = Answer::of(&received);
    world.shut_down().await;
    answer
}
