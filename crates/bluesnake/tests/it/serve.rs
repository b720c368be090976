//! `bluesnake serve` as people use it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testsite::{Latency, Page, Site, scenarios};

use crate::program::{Done, Home, interrupt};

const PATIENCE: Duration = Duration::from_secs(300);

/// A server that was started as a process.
struct Served {
    /// None once it was waited for.
    process: Option<Child>,
    address: SocketAddr,
    start_line: String,
}

impl Served {
    /// Starts it on a free port and reads where it is.
    fn start(home: &Home, more: &[&str]) -> Self {
        let mut process = home.command(&[&["serve", "--port", "0"], more].concat()).spawn().unwrap();
        let mut start_line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut start_line).unwrap();
        let address = start_line.split("http://").nth(1).and_then(|rest| rest.split('/').next()?.parse().ok());
        Self {
            process: Some(process),
            address: address.unwrap_or_else(|| panic!("no address in {start_line:?}")),
            start_line,
        }
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>, more: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let (host, length) = (self.address, body.len());
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}{kind}Content-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None, "").1
    }

    fn crawl(&self, url: &str) -> (u16, Value) {
        let settings = json!({"politeness": {"rate": 0, "grace_ms": 50}, "discover": {"mechanisms": "spider"}});
        self.ask("POST", "/api/v1/crawl", Some(&json!({"url": url, "settings": settings})), "")
    }

    /// Repeats the request until the response is as expected.
    fn until(&self, path: &str, is_reached: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.get(path);
            if is_reached(&found) {
                return found;
            }
            assert!(Instant::now() < deadline, "{path} is still {found}");
        }
    }

    /// Sends SIGTERM and reads the output.
    fn terminate(mut self) -> Done {
        let process = self.process.take().expect("it is waited for once");
        let sent = Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap();
        assert!(sent.success());
        Done::of(process.wait_with_output().unwrap())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // A test leaves nothing behind, also when it failed.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn long() -> Site {
    scenarios::high_fan_out(2000).latency(Latency::fixed(Duration::from_millis(50)), 1)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_start_line_shows_url_access_and_database() {
    let home = Home::new("serve-start");
    let served = Served::start(&home, &["-vv"]);
    for words in ["no token required", "public addresses only", "bluesnake.db", "http://127.0.0.1:"] {
        assert!(served.start_line.contains(words), "{}", served.start_line);
    }
    assert_eq!(served.get("/api/v1/health"), json!({"status": "ok", "database": "ok"}));
    let done = served.terminate();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("stopping") && done.stderr.contains("route=\"/api/v1/health\""), "{}", done.stderr);

    let served = Served::start(&home, &["-vv", "--log-format", "json", "--token", "0123456789abcdef"]);
    assert!(served.start_line.contains("token required") && !served.start_line.contains("0123"));
    assert_eq!(served.ask("GET", "/api/v1/version", None, "").0, 401);
    assert_eq!(served.ask("GET", "/api/v1/version", None, "Authorization: Bearer 0123456789abcdef\r\n").0, 200);
    let done = served.terminate();
    let lines: Vec<Value> = done.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let request = lines.iter().find(|line| line["status"] == 200).unwrap_or_else(|| panic!("{}", done.stderr));
    assert_eq!((&request["route"], &request["method"]), (&json!("/api/v1/version"), &json!("GET")));
    assert!(request["ms"].is_f64() && request["id"].is_string(), "{request}");
}

#[test]
fn a_public_address_needs_a_token() {
    let home = Home::new("serve-exposed");
    for host in ["0.0.0.0", "::"] {
        home.run(&["serve", "--host", host, "--port", "0"])
            .fails(2, &["can be reached from other machines", "--generate-token"]);
        let no_token = home.run(&["serve", "--host", host, "--port", "0", "--no-token"]);
        no_token.fails(2, &["can be reached from other machines"]);
    }
    home.run(&["serve", "--port", "0", "--token", "short"]).fails(2, &["at least 16 characters"]);
    home.run(&["serve", "--port", "0", "--cors-origin", "*"]).fails(2, &["--cors-origin must be an origin"]);
    home.run(&["serve", "--port", "0", "--resolve", "nonsense"]).fails(2, &["--resolve: "]);
    assert!(!home.path("data").exists(), "nothing was created");

    let served = Served::start(&home, &["--host", "0.0.0.0", "--generate-token"]);
    let token = served.start_line.split("token: ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(token.len(), 64);
    assert!(served.start_line.contains("http://127.0.0.1:") && served.start_line.contains("--allow-host"));
    assert_eq!(served.ask("GET", "/api/v1/projects", None, "").0, 401);
    assert_eq!(served.ask("GET", "/api/v1/projects", None, &format!("Authorization: Bearer {token}\r\n")).0, 200);
    assert!(!served.terminate().stderr.contains(&token), "shown once, and not in the log");
}

#[test]
fn a_port_in_use_is_reported_with_a_hint() {
    let home = Home::new("serve-taken");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let done = home.run(&["serve", "--port", &port]);
    done.fails(1, &[&format!("error: cannot listen on 127.0.0.1:{port}"), "caused by: ", "hint: the port is in use"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_pauses_runs_and_auto_resume_continues_them() {
    let home = Home::new("serve-signal");
    let site = long().start().await;
    let served = Served::start(&home, &["--allow-private"]);
    let (status, started) = served.crawl(&site.url("/"));
    assert_eq!(status, 202, "{started}");
    let run = format!("/api/v1/runs/{}", started["runId"]);
    site.wait_for(|seen| seen.requests() > 20).await;
    let done = served.terminate();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("pausing 1 crawl"), "{}", done.stderr);
    assert!(done.stderr.contains("resume with: bluesnake resume"), "{}", done.stderr);

    let served = Served::start(&home, &[]);
    let paused = served.get(&run);
    assert_eq!((&paused["state"], &paused["reason"]), (&json!("paused"), &json!("signal")));
    assert_eq!(served.get("/api/v1/active-crawls"), json!([]));
    served.terminate();

    let before = site.seen().requests();
    // A server does not resume crawls of hosts it may not reach.
    let done = Served::start(&home, &["--auto-resume"]).terminate();
    assert!(done.stderr.contains("cannot resume"), "{}", done.stderr);
    assert_eq!(site.seen().requests(), before);

    let served = Served::start(&home, &["--auto-resume", "--allow-private"]);
    site.wait_for(|seen| seen.requests() > before + 10).await;
    assert_eq!(served.get(&run)["state"], "in_progress");
    let done = served.terminate();
    assert!(done.stderr.contains("resuming"), "{}", done.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_runs_are_resumed_after_shutdown_like_running_ones() {
    let home = Home::new("serve-queue");
    let (one, two) = (long().start().await, scenarios::small().start().await);
    let served = Served::start(&home, &["--allow-private", "--max-sessions", "1"]);
    assert_eq!(served.crawl(&one.url("/")).0, 202);
    let (status, waiting) = served.crawl(&two.url("/"));
    assert_eq!((status, &waiting["phase"], waiting["runId"].is_i64()), (202, &json!("queued"), true));
    let done = served.terminate();
    let resume = format!("resume with: bluesnake resume {}", two.addr());
    assert!(done.stderr.contains("pausing 2 crawls") && done.stderr.contains(&resume), "{}", done.stderr);
    assert_eq!(two.seen().requests(), 0);

    let served = Served::start(&home, &["--allow-private"]);
    let project = format!("/api/v1/projects/{}", waiting["id"]);
    assert_eq!(served.get(&project)["runState"], "paused", "it is found again");
    served.terminate();
    let served = Served::start(&home, &["--allow-private", "--auto-resume"]);
    served.until(&project, |project| project["runState"] == "completed");
    assert!(two.seen().requests() > 1);
}

/// A job that was accepted is durable.
#[tokio::test(flavor = "multi_thread")]
async fn a_queued_crawl_survives_a_kill() {
    let home = Home::new("serve-killed-queue");
    let (one, two, three) =
        (long().start().await, scenarios::small().start().await, scenarios::high_fan_out(20).start().await);
    // A resumed run waits, too.
    home.run(&["crawl", &three.url("/"), "--rate", "0", "--budget", "5", "-q"]).fails(3, &[]);
    let mut served = Served::start(&home, &["--allow-private", "--max-sessions", "1"]);
    assert_eq!(served.crawl(&one.url("/")).0, 202);
    let (status, waiting) = served.crawl(&two.url("/"));
    assert_eq!((status, &waiting["phase"]), (202, &json!("queued")), "{waiting}");
    let resumed =
        served.ask("POST", "/api/v1/resume-crawl/1", Some(&json!({"settings": {"politeness": {"rate": 0}}})), "");
    assert_eq!((resumed.0, &resumed.1["phase"]), (202, &json!("queued")), "{}", resumed.1);
    let killed = served.process.as_mut().unwrap();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(two.seen().requests(), 0);

    let served = Served::start(&home, &["--allow-private"]);
    for accepted in [&waiting, &resumed.1] {
        let found = served.get(&format!("/api/v1/runs/{}", accepted["runId"]));
        assert_eq!((&found["state"], &found["reason"]), (&json!("paused"), &json!("crashed")), "{found}");
    }
    served.terminate();
    let served = Served::start(&home, &["--allow-private", "--auto-resume"]);
    for accepted in [&waiting, &resumed.1] {
        served.until(&format!("/api/v1/runs/{}", accepted["runId"]), |run| run["state"] == "completed");
    }
    assert!(two.seen().requests() > 1);
    assert_eq!(served.get(&format!("/api/v1/runs/{}", waiting["runId"]))["crawls"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_and_the_server_share_a_database_and_never_a_crawl() {
    let home = Home::new("serve-both");
    let (one, other) = (long().start().await, long().start().await);
    let served = Served::start(&home, &["--allow-private"]);

    // The command line crawls: the server sees it and does not start it again.
    let crawling = home.command(&["crawl", &one.url("/"), "--rate", "0"]).spawn().unwrap();
    one.wait_for(|seen| seen.requests() > 20).await;
    let seen = served.until("/api/v1/active-crawls", |found| found[0]["progress"]["visits"].as_u64() > Some(0));
    assert_eq!((&seen[0]["isHere"], &seen[0]["domain"]), (&json!(false), &json!(one.addr().to_string())));
    let (status, problem) = served.crawl(&one.url("/"));
    assert_eq!((status, &problem["code"]), (409, &json!("crawl_in_progress")));
    interrupt(&crawling);
    assert_eq!(Done::of(crawling.wait_with_output().unwrap()).code, Some(3));
    served.until("/api/v1/active-crawls", |found| *found == json!([]));

    // The server crawls: the command line sees it and does not start it again.
    let (status, started) = served.crawl(&other.url("/"));
    assert_eq!(status, 202, "{started}");
    other.wait_for(|seen| seen.requests() > 20).await;
    home.run(&["crawl", &other.url("/")]).fails(1, &["crawl already in progress"]);
    let shown = home.json(&["runs", "show", &started["runId"].to_string()]);
    assert_eq!(shown["state"], "in_progress");
    served.terminate();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_walk_through_works_command_by_command() {
    let home = Home::new("serve-guide");
    let site = scenarios::high_fan_out(20).start().await;
    let served = Served::start(&home, &["--allow-private", "--rate-limit", "0"]);
    let token = "0123456789abcdef0123456789abcdef";
    let guarded = Served::start(&Home::new("serve-guide-token"), &["--token", token]);
    let mut count = 0;
    for command in commands("rest.md") {
        let api = |server: &Served| format!("http://{}/api/v1", server.address);
        let mut shell = Command::new("timeout");
        shell.args(["30", "bash", "-c", &command]).current_dir(home.path("")).env("SITE", site.url("/"));
        shell.env("API", api(&served)).env("GUARDED", api(&guarded)).env("TOKEN", token);
        let shell = shell.output().unwrap();
        let said = String::from_utf8_lossy(&shell.stdout);
        assert!(shell.status.success(), "{command}\n{said}\n{}", String::from_utf8_lossy(&shell.stderr));
        if command.contains("/crawl ") && count < 5 {
            served.until("/api/v1/projects/1", |project| project["runState"] == "completed");
        }
        if command.contains("url_lenght") {
            assert!(said.contains("did you mean `limits.url_length`?"), "{said}");
        }
        if command.contains("/events") {
            assert!(said.contains("retry: 2000"), "{said}");
        }
        if command.contains("$GUARDED") {
            assert_eq!(said.contains("no_token"), !command.contains("$TOKEN"), "{said}");
        }
        if command.ends_with("/metrics") {
            assert!(said.contains("bluesnake_http_requests_total{"), "{said}");
        }
        count += 1;
    }
    assert!(count > 40, "{count} commands");
    assert!(home.path("run-1-pages.xlsx").exists() && home.path("capture-2.zip").exists());
}

/// The commands of a page of the guide.
fn commands(page: &str) -> Vec<String> {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(page);
    let page = std::fs::read_to_string(page).unwrap();
    let blocks = page.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guide_to_results_works_command_by_command() {
    let home = Home::new("serve-results");
    let missing = Page::titled("Home").links(["/a", "/missing"]);
    let site = Site::new().page("/", missing).page("/a", Page::titled("A").link("/")).start().await;
    let served = Served::start(&home, &["--allow-private", "--rate-limit", "0"]);
    let commands = commands("results.md");
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        let mut shell = Command::new("timeout");
        shell.args(["30", "bash", "-c", &command]).current_dir(home.path("")).env("SITE", site.url("/"));
        let shell = shell.env("API", format!("http://{}/api/v1", served.address)).output().unwrap();
        let said = String::from_utf8_lossy(&shell.stdout);
        assert!(shell.status.success(), "{command}\n{said}\n{}", String::from_utf8_lossy(&shell.stderr));
        if command.contains("rows?status=4xx") {
            let rows: Value = serde_json::from_str(&said).unwrap();
            // Besides the page: robots.txt and two sitemaps, which the site does not have either.
            assert_eq!((&rows["total"], &rows["items"][0]["url"]), (&json!(4), &json!(site.url("/missing"))));
        }
    }
    assert!(home.path("report-2.html").exists());
}
