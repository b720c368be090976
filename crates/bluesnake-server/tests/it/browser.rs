//! What a real browser lets a page of another site do to a server on this machine.
//!
//! `tools/browser` installs the Chromium that these tests use. Where there is none, they say that they are skipped.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use bluesnake_server::ServerOptions;
use serde_json::json;
use testsite::{Page, Site};

use crate::client::PATIENCE;
use crate::world::{World, folder, local, long};

/// Everything a page can try without asking anybody, and what needs to ask. It says when it is done.
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
  for (const [name, run] of Object.entries(tries)) {
    const end = await run().then((answer) => (answer && answer.type) || answer || "done", () => "refused");
    document.body.append(Object.assign(document.createElement("p"), {textContent: `${name}=${end};`}));
  }
  document.body.append(Object.assign(document.createElement("p"), {textContent: "all=tried;"}));
}
addEventListener("load", attack);
"#;

/// Every browser that is installed: they differ in what they load when.
fn browsers() -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let find = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    let found: Vec<PathBuf> = ["chromium-headless-shell", "chromium"].into_iter().filter_map(find).collect();
    if found.is_empty() {
        assert!(std::env::var_os("CI").is_none(), "there is no Chromium; tools/browser installs one");
        println!("skipped: there is no Chromium; tools/browser installs one");
    }
    found
}

/// Opens a page and returns what it looks like when nothing is left to do.
async fn open(browser: PathBuf, name: &str, url: &str) -> String {
    let profile = folder(name);
    let mut command = Command::new("timeout");
    command.arg(PATIENCE.as_secs().to_string()).arg(browser).arg(format!("--user-data-dir={}", profile.display()));
    // Tests may run as root, where Chromium has no sandbox of its own; it sees nothing but pages of ours.
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=20000", url]);
    // It may ask nobody but us, whatever it wants to know on its own.
    command.arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE 127.0.0.2");
    let output = tokio::task::spawn_blocking(move || command.stdin(Stdio::null()).output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_gets_nowhere() {
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

    let seen = open(browser, "browser-profile", &evil.url("/")).await;
    assert!(seen.contains("all=tried;"), "{seen}");
    for (name, end) in [("asked", "refused"), ("remove", "refused"), ("read", "refused"), ("events", "refused")] {
        assert!(seen.contains(&format!("{name}={end};")), "{name}: {seen}");
    }
    // By the server's own figures: the browser did ask, and was refused each time.
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
async fn a_page_of_a_named_origin_may_ask() {
    let Some(browser) = browsers().into_iter().next() else { return };
    // Where the server is stands behind the hash, which no site gets to see.
    let script = "fetch(`http://${location.hash.slice(1)}/api/v1/version`).then((answer) => answer.json())\
                  .then((answer) => { document.title = `read=${answer.name};`; });";
    let page = Page::titled("Friend").html(&format!("<script>{script}</script>"));
    let friend = Site::new().bind("127.0.0.2").page("/", page).start().await;
    for (name, origins, is_read) in [("named", vec![friend.origin()], true), ("unnamed", Vec::new(), false)] {
        let world = World::start("browser-friend", ServerOptions { cors_origins: origins, ..local() }).await;
        let url = format!("{}#{}", friend.url("/"), world.address);
        let seen = open(browser.clone(), "browser-friend-profile", &url).await;
        assert_eq!(seen.contains("read=bluesnake;"), is_read, "{name}: {seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_the_docs_shows_every_operation() {
    let Some(browser) = browsers().into_iter().next() else { return };
    let world = World::start("browser-docs", local()).await;
    let seen = open(browser, "browser-docs-profile", &format!("http://{}/api/docs", world.address)).await;
    for path in ["/api/v1/stop-crawl/{projectID}", "/api/v1/captures/search", "too_many_crawls"] {
        assert!(seen.contains(path), "{path}: {seen}");
    }
}
