//! `bluesnake mcp` as a client uses it: a child process that talks JSON-RPC over its standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testsite::{Latency, scenarios};

use crate::home::Home;

/// A client with its server.
struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Client {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = home.command(&[&["mcp"], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, id: 0 }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request and reads up to its response; every line is JSON-RPC.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            assert_ne!(self.from.read_line(&mut line).unwrap(), 0, "the server left");
            let message: Value = serde_json::from_str(&line).expect("every line is JSON");
            assert_eq!(message["jsonrpc"], "2.0");
            if message["id"] == self.id {
                return message;
            }
        }
    }

    fn greet(&mut self) {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        assert_eq!(self.ask("initialize", params)["result"]["serverInfo"]["name"], "bluesnake");
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Leaves as clients do: closes standard input. Returns the exit code and what was logged.
    fn leave(mut self) -> (Option<i32>, String) {
        drop(self.to.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.from, &mut rest).unwrap();
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_crawls_and_reads_over_standard_streams() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("mcp-client");
    let mut client = Client::start(&home, &["--allow-private"]);
    client.greet();
    assert_eq!(client.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 12);
    let run = client.call(
        "crawl",
        json!({ "url": site.url("/"), "settings": { "politeness": { "rate": 0 } }, "wait_seconds": 50 }),
    );
    assert_eq!(run["state"], "completed", "{run}");
    let rows = client.call("query", json!({ "run": run["run"], "filter": { "type": "html" }, "limit": 5 }));
    assert_eq!(rows["content_from_web"]["rows"].as_array().unwrap().len(), 5, "{rows}");
    assert_eq!(client.ask("nonsense", json!({}))["error"]["code"], -32601);
    assert_eq!(client.leave(), (Some(0), String::new()));
}

/// A run must not be lost with the client that started it.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_paused_when_its_client_leaves_and_the_next_one_resumes_it() {
    let site = scenarios::high_fan_out(2_000).latency(Latency::fixed(Duration::from_millis(50)), 1).start().await;
    let home = Home::new("mcp-leaves");
    let mut client = Client::start(&home, &["--allow-private"]);
    client.greet();
    let run = client
        .call("crawl", json!({ "url": site.url("/"), "settings": { "politeness": { "rate": 0 } }, "wait_seconds": 0 }));
    assert_eq!(run["state"], "in_progress", "{run}");
    assert_eq!(client.leave().0, Some(0));
    assert_eq!(home.ask::<String>("SELECT state FROM runs"), "paused");
    let mut next = Client::start(&home, &["--allow-private"]);
    next.greet();
    let resumed = next.call("crawl", json!({ "run": run["run"], "wait_seconds": 0 }));
    assert_eq!((&resumed["run"], &resumed["state"]), (&run["run"], &"in_progress".into()), "{resumed}");
    next.leave();
}

#[tokio::test]
async fn a_client_that_says_nothing_or_nonsense_does_no_harm() {
    let home = Home::new("mcp-nonsense");
    assert_eq!(Client::start(&home, &[]).leave().0, Some(0));
    let mut client = Client::start(&home, &[]);
    client.greet();
    writeln!(client.to.as_mut().unwrap(), "not json").unwrap();
    writeln!(client.to.as_mut().unwrap(), "[1,2,3]").unwrap();
    assert_eq!(client.ask("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 12);
    client.leave();
}
