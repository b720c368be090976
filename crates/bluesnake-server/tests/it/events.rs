//! Live events.

use std::time::Duration;

use bluesnake_app::{App, AppOptions, AuditRequest, Caller};
use serde_json::{Value, json};
use testsite::{Latency, scenarios};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Ask, PATIENCE};
use crate::world::{World, folder, limited, local, long};

/// One event as it came.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    id: String,
    kind: String,
    pub(crate) data: Value,
}

/// A subscriber.
pub(crate) struct Listener {
    stream: TcpStream,
    text: String,
    comments: usize,
}

impl Listener {
    async fn start(world: &World, ask: Ask) -> Self {
        let mut stream = TcpStream::connect(world.address).await.unwrap();
        stream.write_all(&ask.bytes(world.address)).await.unwrap();
        let mut listener = Self { stream, text: String::new(), comments: 0 };
        while !listener.text.contains("retry: 2000\n\n") {
            assert!(listener.read().await, "{}", listener.text);
        }
        assert!(listener.text.starts_with("HTTP/1.1 200"), "{}", listener.text);
        assert!(listener.text.contains("content-type: text/event-stream"), "{}", listener.text);
        let end = listener.text.find("retry: 2000\n\n").unwrap() + "retry: 2000\n\n".len();
        listener.text.drain(..end);
        listener
    }

    pub(crate) async fn on(world: &World) -> Self {
        Self::start(world, Ask::new("GET", "/api/v1/events")).await
    }

    /// Whether more came.
    async fn read(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        let read =
            tokio::time::timeout(PATIENCE, self.stream.read(&mut bytes)).await.expect("a sign of life").unwrap_or(0);
        self.text.push_str(&String::from_utf8_lossy(&bytes[..read]));
        read > 0
    }

    /// The next event; none at the end of the stream.
    async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                self.comments += usize::from(block.contains(": still here"));
                if let (Some(id), Some(kind), Some(data)) = (field("id: "), field("event: "), field("data: ")) {
                    return Some(Told { id, kind, data: serde_json::from_str(&data).unwrap() });
                }
            } else if !self.read().await {
                return None;
            }
        }
    }

    /// Every event until one of this kind.
    pub(crate) async fn until(&mut self, kind: &str) -> Vec<Told> {
        let mut told = Vec::new();
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("no {kind} after {told:?}"));
            let is_last = event.kind == kind;
            told.push(event);
            if is_last {
                return told;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_cover_a_crawl_from_start_to_end() {
    let site = scenarios::high_fan_out(40).latency(Latency::fixed(Duration::from_millis(100)), 1).start().await;
    let world = World::start("told", local()).await;
    let mut listener = Listener::on(&world).await;
    let started = world.crawl(&site, json!({})).await;
    let told = listener.until("completed").await;
    assert_eq!(told[0].kind, "started");
    let ids = |event: &Told| ["projectID", "runId", "crawlId"].map(|name| event.data[name].clone());
    let answered = ["id", "runId", "crawlId"].map(|name| started[name].clone());
    assert_eq!(ids(&told[0]), answered, "the first event has ids already");
    assert!(told[1..told.len() - 1].iter().all(|event| event.kind == "progress"), "{told:?}");
    assert!(told.len() > 3, "{told:?}");
    let end = &told[told.len() - 1].data;
    assert_eq!(ids(&told[told.len() - 1]), answered);
    assert_eq!((&end["runState"], &end["type"]), (&json!("completed"), &json!("completed")));
    assert_eq!(end["progress"]["pages"], 41);
    let visits: Vec<u64> = told[1..].iter().map(|event| event.data["progress"]["visits"].as_u64().unwrap()).collect();
    assert!(visits.is_sorted(), "{visits:?}");
    let elapsed = end["progress"]["elapsedMs"].as_f64().unwrap() / 1000.0;
    assert!(told.len() as f64 <= 4.0 * elapsed + 5.0, "{} in {elapsed} s", told.len());
    let metrics = world.get("/metrics").await.text();
    assert!(metrics.lines().any(|line| line == "bluesnake_pages_total 41"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_says_why_nothing_is_fetched_while_a_host_rests() {
    let site = scenarios::high_fan_out(5).robots("User-agent: *\nCrawl-delay: 3\n").start().await;
    let world = World::start("waiting", local()).await;
    let mut listener = Listener::on(&world).await;
    let project = world.crawl(&site, json!({})).await["id"].clone();
    let waiting = loop {
        let progress = listener.until("progress").await.pop().unwrap().data;
        if progress["progress"]["waiting"]["reason"] == "crawl_delay" {
            break progress["progress"]["waiting"].clone();
        }
    };
    let host = waiting["host"].as_str().unwrap();
    assert!(host.starts_with("127.0.0.1"), "{waiting}");
    let message = waiting["message"].as_str().unwrap();
    assert!(message.starts_with("waiting ") && message.contains(host), "{waiting}");
    assert!(message.ends_with("keeping to the Crawl-delay of robots.txt"), "{waiting}");
    assert!((1..=3000).contains(&waiting["remainingMs"].as_u64().unwrap()), "{waiting}");
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is(202);
    listener.until("stopped").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_pause_and_people_stop() {
    let site = long().start().await;
    let world = World::start("paused", local()).await;
    let mut listener = Listener::on(&world).await;
    world.crawl(&site, json!({"settings": {"limits": {"session_budget": 3}}})).await;
    let paused = listener.until("paused").await.pop().unwrap().data;
    assert_eq!((&paused["runState"], &paused["reason"]), (&json!("paused"), &json!("budget")));
    let project = world.crawl(&site, json!({"mode": "fresh"})).await["id"].clone();
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is(202);
    let stopped = listener.until("stopped").await.pop().unwrap().data;
    assert_eq!((&stopped["runState"], &stopped["reason"]), (&json!("paused"), &json!("user")));
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnecting_clients_get_missed_events_or_a_loss_notice() {
    let site = scenarios::small().start().await;
    let world = World::start("comes-back", local()).await;
    let mut listener = Listener::on(&world).await;
    world.crawl_to_the_end(&site, json!({})).await;
    let told = listener.until("completed").await;
    let back = |id: &str| Ask::new("GET", "/api/v1/events").header("Last-Event-ID", id);
    let missed = Listener::start(&world, back(&told[0].id)).await.until("completed").await;
    let ids = |events: &[Told]| -> Vec<String> { events.iter().map(|event| event.id.clone()).collect() };
    assert_eq!(ids(&missed), ids(&told[1..]));
    for lost in ["nonsense", "00000000-1", "' OR 1=1 --"] {
        let reset = Listener::start(&world, back(lost)).await.next().await.unwrap();
        assert_eq!((reset.kind.as_str(), &reset.data["type"]), ("reset", &json!("reset")), "{lost}");
    }
    let other = Ask::new("GET", "/api/v1/events?projectID=999").header("Last-Event-ID", &told[0].id);
    let mut other = Listener::start(&world, other).await;
    let one = Ask::new("GET", "/api/v1/events?projectID=1").header("Last-Event-ID", &told[0].id);
    assert_eq!(ids(&Listener::start(&world, one).await.until("completed").await), ids(&told[1..]));
    world.shut_down().await;
    assert!(other.next().await.is_none(), "nothing of another project, and then the end");
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_are_sent_while_idle() {
    let world = World::start("heartbeat", limited(|limits| limits.heartbeat = Duration::from_millis(50))).await;
    let mut listener = Listener::on(&world).await;
    while listener.text.matches(": still here").count() < 3 {
        assert!(listener.read().await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_pauses_crawls_and_a_restart_finds_them() {
    let site = long().start().await;
    let database = folder("restart").join("bluesnake.db");
    let world = World::on(&database, local()).await;
    let mut listener = Listener::on(&world).await;
    let run = world.crawl(&site, json!({})).await["runId"].clone();
    site.wait_for(|seen| seen.requests() > 10).await;
    world.shut_down().await;
    let stopped = listener.until("stopped").await.pop().unwrap().data;
    assert_eq!((&stopped["runState"], &stopped["reason"]), (&json!("paused"), &json!("signal")));
    assert!(listener.next().await.is_none(), "the stream ends");

    let world = World::on(&database, local()).await;
    let found = world.get(&format!("/api/v1/runs/{run}")).await.json();
    assert_eq!((&found["state"], &found["reason"]), (&json!("paused"), &json!("signal")));
    let resumed = world
        .app
        .resume_interrupted(&bluesnake_server::resume_request(&local()), &bluesnake_server::caller(&local()))
        .await
        .unwrap();
    assert_eq!(resumed.len(), 1);
    let handle = resumed.into_iter().next().unwrap().unwrap();
    handle.snapshots().wait_for(|figures| figures.run_id.is_some()).await.unwrap();
    handle.stop();
    handle.wait().await;
    assert_eq!(
        world
            .app
            .resume_interrupted(&bluesnake_server::resume_request(&local()), &bluesnake_server::caller(&local()))
            .await
            .unwrap()
            .len(),
        0,
        "what a person stopped stays stopped"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_started_before_the_server_is_reported_and_counted() {
    let site = long().start().await;
    let app = App::open(AppOptions::new(folder("began-before").join("bluesnake.db"))).await.unwrap();
    let crawl = app.start(fast_request(site.url("/")), Caller::operator()).await.unwrap();
    site.wait_for(|seen| seen.requests() > 10).await;
    let world = World::of(app, local()).await;
    let mut listener = Listener::on(&world).await;
    let progress = listener.until("progress").await.pop().unwrap().data;
    assert_eq!(progress["projectID"], crawl.project().id);
    crawl.stop();
    let stopped = listener.until("stopped").await.pop().unwrap().data;
    let pages = &stopped["progress"]["pages"];
    assert!(pages.as_u64().unwrap() > 0, "{stopped}");
    let metrics = world.get("/metrics").await.text();
    assert!(metrics.lines().any(|line| line == format!("bluesnake_pages_total {pages}")), "{metrics}");
}

/// A crawl started from the command line, as fast as the site responds.
fn fast_request(url: String) -> AuditRequest {
    let mut request = AuditRequest { urls: vec![url], ..AuditRequest::default() };
    request.settings.politeness.rate = Some(0.0);
    request.settings.politeness.grace_ms = Some(50);
    request
}

#[tokio::test(flavor = "multi_thread")]
async fn crawls_of_other_processes_are_seen_and_not_started_twice() {
    let site = long().start().await;
    let database = folder("others").join("bluesnake.db");
    let world = World::on(&database, local()).await;
    let mut listener = Listener::on(&world).await;
    // Another app on the same file is to the server what another process is: it shares nothing but the database.
    let other = App::open(AppOptions::new(&database)).await.unwrap();
    let crawl = other.start(fast_request(site.url("/")), Caller::operator()).await.unwrap();
    let project = crawl.project().id;
    let progress = listener.until("progress").await.pop().unwrap().data;
    assert_eq!((&progress["projectID"], progress["progress"]["visits"].as_u64().unwrap() > 0), (&json!(project), true));
    let active = world.get("/api/v1/active-crawls").await.is(200).json();
    assert_eq!((&active[0]["projectID"], &active[0]["isHere"]), (&json!(project), &json!(false)));
    let again = json!({"url": site.url("/")});
    world.post("/api/v1/crawl", &again).await.is_problem(409, "crawl_in_progress");
    world.send(Ask::new("POST", &format!("/api/v1/stop-crawl/{project}"))).await.is_problem(409, "not_running");
    crawl.stop();
    crawl.wait().await;
    let stopped = listener.until("stopped").await.pop().unwrap().data;
    assert_eq!((&stopped["runState"], &stopped["reason"]), (&json!("paused"), &json!("user")));
    assert_eq!(world.get("/api/v1/active-crawls").await.json(), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_of_another_process_that_began_before_anybody_listened_did_not_just_start() {
    let site = long().start().await;
    let database = folder("others-before").join("bluesnake.db");
    let other = App::open(AppOptions::new(&database)).await.unwrap();
    let crawl = other.start(fast_request(site.url("/")), Caller::operator()).await.unwrap();
    site.wait_for(|seen| seen.requests() > 20).await;
    let world = World::on(&database, local()).await;
    let told = Listener::on(&world).await.until("progress").await;
    let kinds: Vec<&str> = told.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["progress"]);
    crawl.stop();
    crawl.wait().await;
}
