//! A separate server for each test: a free port, an empty database, and the app behind it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bluesnake_app::{App, AppOptions};
use bluesnake_server::{ServerLimits, ServerOptions};
use serde_json::{Value, json};
use testsite::{Latency, Running, Site, scenarios};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::client::{Answer, Ask, PATIENCE};

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) address: SocketAddr,
    pub(crate) app: App,
    end: CancellationToken,
    tasks: JoinSet<()>,
}

/// Options that let a test crawl the site on this machine.
pub(crate) fn local() -> ServerOptions {
    ServerOptions { allow_private: true, ..ServerOptions::default() }
}

/// The same with other limits.
pub(crate) fn limited(change: impl FnOnce(&mut ServerLimits)) -> ServerOptions {
    let mut options = local();
    change(&mut options.limits);
    options
}

/// A site whose crawl takes longer than any test.
pub(crate) fn long() -> Site {
    scenarios::high_fan_out(2000).latency(Latency::fixed(Duration::from_millis(50)), 1)
}

/// Settings that crawl as fast as the site answers.
pub(crate) fn fast() -> Value {
    json!({"politeness": {"rate": 0, "grace_ms": 50}, "discover": {"mechanisms": "spider"}})
}

impl World {
    pub(crate) async fn start(name: &str, options: ServerOptions) -> Self {
        Self::on(&folder(name).join("bluesnake.db"), options).await
    }

    /// On a database that may have been there before.
    pub(crate) async fn on(database: &Path, options: ServerOptions) -> Self {
        Self::of(App::open(AppOptions::new(database)).await.unwrap(), options).await
    }

    /// With an app that may crawl already.
    pub(crate) async fn of(app: App, options: ServerOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, mut tasks) = (CancellationToken::new(), JoinSet::new());
        let ended = end.clone().cancelled_owned();
        tasks.spawn(bluesnake_server::serve(listener, app.clone(), options, ended));
        Self { address, app, end, tasks }
    }

    /// Lets the server end as a signal would.
    pub(crate) fn begin_end(&self) {
        self.end.cancel();
    }

    /// Ends the server as a signal would, and waits until it has.
    pub(crate) async fn shut_down(mut self) {
        self.begin_end();
        let ended = tokio::time::timeout(PATIENCE, self.tasks.join_next()).await;
        ended.expect("the server ends").expect("there is one task").expect("without panic");
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        ask.send(self.address).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Ask::new("GET", path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Ask::new("POST", path).json(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Ask::new("PUT", path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Ask::new("DELETE", path)).await
    }

    /// Starts a crawl over HTTP.
    pub(crate) async fn crawl(&self, site: &Running, more: Value) -> Value {
        let mut body = json!({"url": site.url("/"), "settings": fast()});
        merge(&mut body, more);
        let answer = self.post("/api/v1/crawl", &body).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.json()
    }

    /// Starts a crawl over HTTP and waits for its end.
    pub(crate) async fn crawl_to_the_end(&self, site: &Running, more: Value) -> Value {
        let started = self.crawl(site, more).await;
        self.wait_for_end(started["id"].as_i64().unwrap()).await;
        started
    }

    /// Waits until nothing of a project is crawled any more.
    pub(crate) async fn wait_for_end(&self, project: i64) {
        if let Some(crawl) = self.app.active_session(project) {
            tokio::time::timeout(PATIENCE, crawl.wait()).await.expect("the crawl ends");
        }
    }
}

/// Puts values over others, field by field.
pub(crate) fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more,
    }
}

/// An empty folder; it stays after a failure, to be looked at.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("server-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A URL as one segment of a path.
pub(crate) fn segment(url: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    url.bytes().map(|byte| if is_plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}
