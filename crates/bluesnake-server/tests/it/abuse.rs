//! Malicious requests and misbehaving clients.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;
use testsite::{Page, Reply, Site, scenarios};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::client::{Ask, PATIENCE, send};
use crate::world::{World, folder, limited, local, segment};

/// SQL injection attempts through a search field.
const SQL: [&str; 50] = [
    "'",
    "\"",
    "''",
    "`",
    "\\",
    "\\'",
    "%",
    "_",
    "%%",
    "%27",
    "' OR '1'='1",
    "' OR 1=1 --",
    "\" OR 1=1 --",
    "') OR ('1'='1",
    "1; DROP TABLE urls",
    "'; DROP TABLE urls; --",
    "x' UNION SELECT * FROM projects --",
    "1 UNION SELECT 1,2,3",
    "' AND (SELECT count(*) FROM sqlite_schema) > 0 --",
    "'||(SELECT name FROM sqlite_schema)||'",
    "1/*",
    "*/",
    "--",
    "#",
    ";",
    ");",
    "))",
    "((",
    "' ESCAPE '",
    "LIKE '%",
    "*",
    "a*",
    "^a",
    "a NEAR b",
    "a AND",
    "OR",
    "NOT",
    "\"a",
    "a\"",
    "{col}: x",
    "col:x",
    "-x",
    "+x",
    "\u{0}",
    "\u{feff}",
    "𝒳",
    "ü' OR 'ü'='ü",
    "' OR rowid IS NOT NULL --",
    "char(39)",
    "CAST(x AS INT)",
];

/// Two hundred of them: as they are, behind an open quote, behind an open bracket, and before something else.
fn hostile() -> Vec<String> {
    let frames: [fn(&str) -> String; 4] = [
        str::to_owned,
        |text| format!("x' {text}"),
        |text| format!("x\") {text}"),
        |text| format!("{text} AND 1=1 --"),
    ];
    SQL.iter().flat_map(|text| frames.iter().map(move |frame| frame(text))).collect()
}

/// Every table with its definition and how many rows it has; the file is whole.
fn contents(database: &Path) -> Vec<(String, String, i64)> {
    let connection = Connection::open(database).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    assert!(!connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap(), "keys lead somewhere");
    let mut select =
        connection.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    let tables = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default())));
    let tables: Vec<(String, String)> = tables.unwrap().map(Result::unwrap).collect();
    let rows =
        |name: &str| connection.query_row(&format!("SELECT count(*) FROM \"{name}\""), [], |row| row.get(0)).unwrap();
    tables.into_iter().map(|(name, sql)| (name.clone(), sql, rows(&name))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_in_search_sort_filter_and_cursor_is_text() {
    let site = Site::new()
        .page("/", Page::titled("it's 100% \"fine\"").link("/b"))
        .page("/b", Page::titled("B"))
        .start()
        .await;
    let database = folder("sql-strings").join("bluesnake.db");
    let world = World::on(&database, limited(|limits| limits.requests_per_second = 0)).await;
    let started = world.crawl_to_the_end(&site, json!({})).await;
    let (run, crawl) = (&started["runId"], &started["crawlId"]);
    let capture = json!({"url": site.url("/"), "settings": {"politeness": {"rate": 0}}});
    let captured = world.post("/api/v1/captures", &capture).await.is(202).json();
    world.wait_for_end(captured["id"].as_i64().unwrap()).await;
    let capture = &captured["runId"];
    let before = contents(&database);
    assert!(before.iter().any(|(name, _, rows)| name == "runs" && *rows == 2), "{before:?}");

    assert_eq!(hostile().len(), 200);
    for text in hostile() {
        let text = segment(&text);
        for path in [
            format!("/api/v1/search/{crawl}?q={text}"),
            format!("/api/v1/runs/{run}/pages?search={text}"),
            format!("/api/v1/runs/{run}/pages?contentType={text}"),
            format!("/api/v1/runs/{run}/links?search={text}"),
        ] {
            let answer = world.get(&path).await;
            assert!(answer.is(200).json()["items"].as_array().unwrap().len() <= 3, "{path}");
        }
        let found = world.get(&format!("/api/v1/captures/search?q={text}")).await;
        assert!([200, 422].contains(&found.status), "{text}: {}", found.text());
        for path in [
            format!("/api/v1/runs/{run}/pages?sort={text}"),
            format!("/api/v1/runs/{run}/pages?order={text}"),
            format!("/api/v1/runs/{run}/pages?status={text}"),
            format!("/api/v1/runs/{run}/pages?type={text}"),
            format!("/api/v1/runs/{run}/pages?cursor={text}"),
            format!("/api/v1/runs/{run}/links?source={text}"),
            format!("/api/v1/runs/{run}/links?target={text}"),
            format!("/api/v1/runs/{run}/links?position={text}"),
            format!("/api/v1/runs/{text}"),
            format!("/api/v1/crawls/{crawl}/pages/{text}/links"),
            format!("/api/v1/runs/{run}/export?columns={text}"),
            format!("/api/v1/captures/{capture}/page?url={text}"),
            format!("/api/v1/captures/search?q=fine&projectID={text}"),
        ] {
            let answer = world.get(&path).await;
            assert!([400, 404, 422].contains(&answer.status), "{path}: {}", answer.text());
            let text = answer.text().to_lowercase();
            assert!(
                !text.contains("sqlite") && !text.contains("select ")
                    || path.contains("sqlite")
                    || path.contains("SELECT"),
                "{path}: {text}"
            );
        }
    }
    let found = world.get(&format!("/api/v1/search/{crawl}?q={}", segment("100% \"fine\""))).await.json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "and text is found");
    assert_eq!(contents(&database), before, "nothing was changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn path_traversal_is_impossible() {
    let world = World::start("traversal", local()).await;
    for path in [
        "/../../etc/passwd",
        "/api/docs/../../../etc/passwd",
        "/api/docs/%2e%2e/%2e%2e/etc/passwd",
        "/api/docs/..%2f..%2fetc",
        "/api/docs//etc/passwd",
        "/api/docs/docs.js/../docs.css",
        "/api/v1/%00",
        "/api/v1/runs/..%2f..%2f1",
        "/api/v1/runs/1%2f..",
        "/api/docs/C:\\windows",
        "//etc/passwd",
        "/api/v1/crawls/1/pages/..%2f..%2f..%2fetc%2fpasswd/content",
    ] {
        let answer = world.get(path).await;
        assert!([400, 404].contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        assert!(!answer.text().contains("root:"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn overlong_and_endless_heads_are_dropped() {
    let world = World::start("loris", limited(|limits| limits.header_time = Duration::from_millis(300))).await;
    let long = Ask::new("GET", "/api/v1/version").header("X-Long", &"x".repeat(40_000));
    assert_eq!(world.send(long).await.status, 431);
    let many = (0..200).fold(Ask::new("GET", "/api/v1/version"), |ask, at| ask.header(&format!("X-{at}"), "x"));
    assert_eq!(world.send(many).await.status, 431);

    let started = Instant::now();
    let mut slow = TcpStream::connect(world.address).await.unwrap();
    slow.write_all(b"GET /api/v1/version HTTP/1.1\r\nHost: x\r\nX-Slow: ").await.unwrap();
    let mut received = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, slow.read_to_end(&mut received)).await;
    let _ = ended.expect("the server does not wait for ever");
    assert!(started.elapsed() >= Duration::from_millis(250), "{:?}", started.elapsed());
    world.get("/api/v1/version").await.is(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_body_times_out() {
    let world = World::start("slow-body", limited(|limits| limits.request_time = Duration::from_millis(300))).await;
    let here = world.address;
    // The last two may take longer, but not because of their bodies.
    for path in ["/api/v1/captures", "/api/v1/crawl", "/api/v1/runs/1/audit"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {here}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
        );
        let answer = tokio::time::timeout(PATIENCE, send(here, head.as_bytes())).await.expect("a response in time");
        answer.is_problem(503, "too_slow");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_limit_are_refused_and_the_server_survives() {
    let world = World::start(
        "connections",
        limited(|limits| {
            limits.connections = 4;
            limits.header_time = Duration::from_secs(20);
        }),
    )
    .await;
    let mut idle = Vec::new();
    for _ in 0..4 {
        idle.push(TcpStream::connect(world.address).await.unwrap());
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        let answer = world.get("/api/v1/version").await;
        if answer.status == 503 {
            answer.is_problem(503, "too_many_connections");
            break;
        }
        assert!(Instant::now() < deadline, "four idle connections use up the limit");
    }
    drop(idle);
    let deadline = Instant::now() + PATIENCE;
    while world.get("/api/v1/version").await.status != 200 {
        assert!(Instant::now() < deadline, "a connection is accepted again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_client_cannot_take_every_connection() {
    let world = World::start("greedy", limited(|limits| limits.connections_per_client = 3)).await;
    let mut idle = Vec::new();
    for _ in 0..3 {
        idle.push(TcpStream::connect(world.address).await.unwrap());
    }
    let refused = world.get("/api/v1/version").await;
    let problem = refused.is_problem(503, "too_many_connections");
    assert!(problem["detail"].as_str().unwrap().contains("from your address"), "{problem}");

    // Another address of this machine, where the system has one, is another client.
    let other = TcpSocket::new_v4().unwrap();
    if other.bind("127.0.0.2:0".parse().unwrap()).is_ok() {
        let mut other = other.connect(world.address).await.unwrap();
        other.write_all(&Ask::new("GET", "/api/v1/version").bytes(world.address)).await.unwrap();
        let mut begin = [0; 12];
        other.read_exact(&mut begin).await.unwrap();
        assert_eq!(&begin, b"HTTP/1.1 200");
    }
    drop(idle);
    let deadline = Instant::now() + PATIENCE;
    while world.get("/api/v1/version").await.status != 200 {
        assert!(Instant::now() < deadline, "a connection is accepted again");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_listeners_are_refused_cleanly_and_cost_nothing() {
    let world = World::start(
        "many-listeners",
        limited(|limits| {
            limits.event_streams = 8;
            limits.connections = 64;
            limits.requests_per_second = 0;
        }),
    )
    .await;
    let request = Ask::new("GET", "/api/v1/events").bytes(world.address);
    let (mut listening, mut refused) = (Vec::new(), 0);
    let memory_before = resident_kib();
    for _ in 0..100 {
        let mut batch = tokio::task::JoinSet::new();
        for _ in 0..100 {
            batch.spawn(listen(world.address, request.clone()));
        }
        for (status, stream) in batch.join_all().await {
            match status {
                200 => listening.push(stream),
                503 => refused += 1,
                other => panic!("{other}"),
            }
        }
    }
    assert_eq!((listening.len(), refused), (8, 9_992));
    let grown = resident_kib().saturating_sub(memory_before);
    assert!(grown < 64 * 1024, "{grown} KiB more");
    world.get("/api/v1/version").await.is(200);
    let metrics = world.get("/metrics").await.text();
    assert!(metrics.lines().any(|line| line == "bluesnake_event_streams 8"), "{metrics}");
}

/// Requests events and reads the first piece of the response.
async fn listen(server: std::net::SocketAddr, request: Vec<u8>) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(server).await.unwrap();
    let _ = stream.write_all(&request).await;
    let mut first = [0; 64];
    let read = tokio::time::timeout(PATIENCE, stream.read(&mut first)).await.expect("a response in time").unwrap_or(0);
    let status = String::from_utf8_lossy(&first[..read]).split(' ').nth(1).and_then(|word| word.parse().ok());
    // A connection closed before a response was read is a refusal too.
    (status.unwrap_or(503), stream)
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_keeps_its_slot_when_the_client_disconnects() {
    let mut options = limited(|limits| {
        limits.queries = 1;
        limits.requests_per_second = 0;
    });
    options.allow_sql = true;
    let world = World::start("question-left", options).await;
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let ask = |seconds: f64| Ask::new("POST", "/api/v1/sql").json(&json!({"query": endless, "seconds": seconds}));
    let started = Instant::now();
    let mut leavers = Vec::new();
    // Until one has the place: a short question may have been there first.
    while world.send(ask(0.001)).await.status != 503 {
        assert!(started.elapsed() < PATIENCE);
        let mut leaver = TcpStream::connect(world.address).await.unwrap();
        leaver.write_all(&ask(2.0).bytes(world.address)).await.unwrap();
        leavers.push(leaver);
    }
    drop(leavers);
    while world.send(ask(0.001)).await.status == 503 {
        assert!(started.elapsed() < PATIENCE, "the query ends at its own limit");
    }
    assert!(started.elapsed() >= Duration::from_secs(2), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_but_steady_reader_gets_the_whole_response() {
    const LENGTH: usize = 8_000_000;
    let page = format!("<!doctype html><title>Long</title><p>{}", "x".repeat(LENGTH));
    let site = Site::new().reply("/", Reply::html(page)).start().await;
    let world = World::start("slow-reader", limited(|limits| limits.stall_time = Duration::from_secs(3))).await;
    let started = world.crawl_to_the_end(&site, json!({"settings": {"keep": {"html": true}}})).await;
    let path = format!("/api/v1/crawls/{}/page/content?url={}", started["crawlId"], site.url("/"));

    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 * 1024).unwrap();
    let mut stream = socket.connect(world.address).await.unwrap();
    stream.write_all(&Ask::new("GET", &path).bytes(world.address)).await.unwrap();
    // Seven seconds in all, more than twice the read timeout.
    let (mut received, mut piece) = (0, vec![0; 64 * 1024]);
    let (begun, mut ticks) = (Instant::now(), tokio::time::interval(Duration::from_millis(60)));
    loop {
        ticks.tick().await;
        match stream.read(&mut piece).await.unwrap_or(0) {
            0 => break,
            read => received += read,
        }
    }
    assert!(received > LENGTH, "{received} bytes after {:?}", begun.elapsed());
    assert!(begun.elapsed() > Duration::from_secs(6), "it was slow: {:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_never_reads_slows_no_crawl() {
    let site = scenarios::high_fan_out(300).start().await;
    let world = World::start("never-reads", local()).await;
    let mut deaf = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(world.address).await.unwrap();
        stream.write_all(&Ask::new("GET", "/api/v1/events").bytes(world.address)).await.unwrap();
        deaf.push(stream);
    }
    let run = &world.crawl_to_the_end(&site, json!({})).await["runId"];
    assert_eq!(world.get(&format!("/api/v1/runs/{run}")).await.json()["state"], "completed");
    drop(deaf);
}
