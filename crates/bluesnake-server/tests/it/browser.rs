//! What a real browser lets a page of another site do to a server on this machine.
//!
//! `tools/browser` installs the Chromium that these tests use.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bluesnake_server::ServerOptions;
use serde_json::json;
use testsite::{Page, Running, Site};

use crate::client::PATIENCE;
use crate::world::{World, folder, local, long};

/// Everything a page can try without asking anybody, and what needs to ask. It tells its own site when it is done.
const ATTACK: &str = r#"
const api = "http://SERVER/api/v1";
const json = {"Content-Type": "application/json"};
const body = JSON.stringify({url: "http://victim.example/"});
const tries = {
  stop: () => fetch(`${api}/stop-crawl/1`, {method: "POST", mode: "no-cors"}),
  pause: () => fetch(`${api}/runs/1/pause`, {method: "POST", mode: "no-cors", credentials: "include"}),
  crawl: () => fetch(`${api}/crawl`, {method: "POST", mode: "no-cors", body}),
  asked: () => fetch(`${api}/crawl`, {method: "POST", headers: json, body}),
  remove: () => fetch(`${api}/projects/1`, {method: "DELETE"}),
  read: () => fetch(`${api}/projects`).then((answer) => answer.text()),
  hold: () => fetch(`${api}/runs/1/export`, {mode: "no-cors"}),
  events: () => new Promise((done, failed) => {
    const source = new EventSource(`${api}/events`);
    source.onopen = done;
    source.onerror = () => { source.close(); failed("refused"); };
  }),
  icon: () => element("img", `${api}/projects/1/favicon`),
  script: () => element("script", `${api}/openapi.json`),
  frame: () => element("iframe", "http://SERVER/api/docs"),
  form: () => new Promise((done) => {
    const form = document.createElement("form");
    Object.assign(form, {method: "POST", action: `${api}/captures`, enctype: "text/plain", target: "hidden"});
    const frame = document.createElement("iframe");
    // A frame is loaded twice: first empty, and some browsers say so. What the server sends back cannot be looked at.
    const isEmpty = () => { try { return frame.contentWindow.location.href === "about:blank"; } catch { return false; } };
    Object.assign(frame, {name: "hidden", onload: () => isEmpty() || done("sent")});
    document.body.append(frame, form);
    form.submit();
  }),
};
function element(name, address) {
  return new Promise((done, failed) => {
    const made = document.createElement(name);
    Object.assign(made, {src: address, onload: () => done("loaded"), onerror: () => failed("refused")});
    document.body.append(made);
  });
}
async function attack() {
  const ends = [];
  for (const [name, run] of Object.entries(tries)) {
    const end = await run().then((answer) => (answer && answer.type) || answer || "done", () => "refused");
    ends.push(`${name}=${end}`);
  }
  // Requests its own site when done, so that the test need not guess.
  await fetch(`/done?${ends.join("&")}`);
}
addEventListener("load", attack);
"#;

/// Every browser that is installed: they differ in what they load when.
fn browsers() -> Vec<PathBuf> {
    let in_target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = [in_target].into_iter().chain(std::env::split_paths(&path)).collect();
    let find = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    let found: Vec<PathBuf> = ["chromium-headless-shell", "chromium"].into_iter().filter_map(find).collect();
    assert!(!found.is_empty(), "there is no Chromium; run tools/browser");
    found
}

/// A headless browser with its own profile. Tests may run as root, where Chromium has no sandbox; it loads only our pages
/// and cannot reach other hosts.
fn command(browser: &Path, name: &str) -> Command {
    let mut command = Command::new(browser);
    command.arg(format!("--user-data-dir={}", folder(name).display())).args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
    ]);
    command.arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2");
    command.stdin(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command
}

/// A browser with a page open, until it is dropped.
struct Open(Child);

impl Open {
    fn page(browser: &Path, name: &str, url: &str) -> Self {
        // With a port for debuggers it stays open until it is ended.
        let mut command = command(browser, name);
        Self(command.args(["--remote-debugging-port=0", url]).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // The program may be a script around the browser, and the browser has processes of its own.
        let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.0.id())]).status();
        let _ = self.0.wait();
    }
}

/// A page as a browser prints it when it takes it for done; none when it does not end in time.
async fn dumped(browser: &Path, name: &str, url: &str, patience: Duration) -> Option<String> {
    let mut command = command(browser, name);
    command.args(["--dump-dom", "--virtual-time-budget=20000", url]).stdout(Stdio::piped());
    let mut open = Open(command.spawn().unwrap());
    let mut stdout = open.0.stdout.take().unwrap();
    let mut printed = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let ended = tokio::time::timeout(patience, &mut printed).await;
    drop(open);
    ended.ok().map(|text| text.unwrap().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_browser_is_killed() {
    let script = folder("browser-hangs").join("browser");
    std::fs::write(&script, "#!/bin/sh\nsleep 100000\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(dumped(&script, "browser-hangs-profile", "about:blank", Duration::from_millis(200)).await, None);
}

/// What a page of a site tells that site when it is done: the query of `/done`.
async fn told(site: &Running, browser: &Path, name: &str, url: &str) -> String {
    let _open = Open::page(browser, name, url);
    let is_done = |target: &str| target.starts_with("/done?");
    let waited = site.wait_for(|seen| seen.paths().iter().any(|path| is_done(path)));
    tokio::time::timeout(PATIENCE, waited).await.expect("the page is done");
    let log = site.log();
    log.iter().rev().map(|seen| seen.target.clone()).find(|target| is_done(target)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_from_other_origins_are_refused() {
    for browser in browsers() {
        gets_nowhere(browser).await;
    }
}

async fn gets_nowhere(browser: PathBuf) {
    let victim = long().start().await;
    let world = World::start("browser", local()).await;
    world.crawl(&victim, json!({})).await;
    let script = ATTACK.replace("SERVER", &world.address.to_string());
    let evil =
        Site::new().bind("127.0.0.2").page("/", Page::titled("Evil").html(&format!("<script>{script}</script>")));
    let evil = evil.start().await;

    let ends = told(&evil, &browser, "browser-profile", &evil.url("/")).await;
    for name in ["asked", "remove", "read", "events"] {
        assert!(ends.contains(&format!("{name}=refused")), "{name}: {ends}");
    }
    // By the server's own metrics: the browser did send requests, and each was refused.
    let figures = world.get("/metrics").await.text();
    let of = |method: &str, route: &str, status: &str| {
        let wanted = format!("{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} ");
        figures.lines().find_map(|line| line.split_once(&wanted).map(|(_, count)| count.parse::<u64>().unwrap()))
    };
    for (method, route) in [
        ("POST", "/api/v1/stop-crawl/{projectID}"),
        ("POST", "/api/v1/runs/{id}/pause"),
        ("POST", "/api/v1/crawl"),
        ("OPTIONS", "/api/v1/crawl"),
        ("OPTIONS", "/api/v1/projects/{id}"),
        ("GET", "/api/v1/projects"),
        ("GET", "/api/v1/runs/{id}/export"),
        ("GET", "/api/v1/events"),
        ("GET", "/api/v1/projects/{id}/favicon"),
        ("GET", "/api/v1/openapi.json"),
        ("GET", "/api/docs"),
        ("POST", "/api/v1/captures"),
    ] {
        assert!(of(method, route, "403").is_some(), "{method} {route}: {figures}");
        assert!(
            of(method, route, "200").is_none() && of(method, route, "204").is_none(),
            "{method} {route}: {figures}"
        );
    }
    let active = world.get("/api/v1/active-crawls").await.json();
    assert_eq!((active.as_array().unwrap().len(), &active[0]["projectID"]), (1, &json!(1)), "and it still crawls");
    assert_eq!(world.get("/api/v1/projects").await.json()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_from_allowed_origins_are_accepted() {
    // Where the server is stands behind the hash, which no site gets to see.
    let script = "fetch(`http://${location.hash.slice(1)}/api/v1/version`).then((answer) => answer.json())\
                  .then((answer) => answer.name, () => 'nothing').then((name) => fetch(`/done?read=${name}`));";
    let page = Page::titled("Friend").html(&format!("<script>{script}</script>"));
    for browser in browsers() {
        for (is_named, read) in [(true, "bluesnake"), (false, "nothing")] {
            let friend = Site::new().bind("127.0.0.2").page("/", page.clone()).start().await;
            let cors_origins = if is_named { vec![friend.origin()] } else { Vec::new() };
            let world = World::start("browser-friend", ServerOptions { cors_origins, ..local() }).await;
            let url = format!("{}#{}", friend.url("/"), world.address);
            let told = told(&friend, &browser, "browser-friend-profile", &url).await;
            assert_eq!(told, format!("/done?read={read}"), "{browser:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_the_docs_shows_every_operation() {
    for browser in browsers() {
        let world = World::start("browser-docs", local()).await;
        let url = format!("http://{}/api/docs", world.address);
        let shown = ["/api/v1/stop-crawl/{projectID}", "/api/v1/captures/search", "too_many_crawls"];
        let is_shown = |seen: &str| shown.iter().all(|path| seen.contains(path));
        // A browser prints what there is when it takes a page for done, which may be too early on a busy machine.
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let seen = dumped(&browser, "browser-docs-profile", &url, left).await.expect("the browser ends");
            if is_shown(&seen) {
                break;
            }
            assert!(Instant::now() < deadline, "{browser:?}: {seen}");
        }
    }
}
