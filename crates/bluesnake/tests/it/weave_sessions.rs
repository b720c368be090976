//! How sessions of `bluesnake weave` end and resume: signals, budgets, kills, failed hosts, other settings.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use testsite::{Fault, Page, Reply, Running, Site, Web};

use crate::home::{Home, Working};
use crate::weave::{arguments, flags};

/// A host that links to one that responds and one that hangs.
async fn hanging() -> Running {
    let links = ["slow.test", "fast.test"].map(|host| format!("http://{host}/"));
    Site::new()
        .host("a.test", Site::new().page("/", Page::titled("A").links(links)))
        .host("fast.test", Site::new().page("/", Page::titled("fast")))
        .host("slow.test", Site::new().fault("/", Fault::HangBeforeHeaders))
        .start()
        .await
}

async fn both_are_asked(site: &Running) {
    let asked = site.wait_for(|seen| seen.count_on("slow.test", "/") == 1 && seen.count_on("fast.test", "/") == 1);
    tokio::time::timeout(Duration::from_secs(300), asked).await.expect("the slow host is requested");
}

fn metrics(home: &Home) -> Value {
    let text = std::fs::read_to_string(home.folder().join("metrics.json")).expect("metrics are written");
    serde_json::from_str(&text).expect("metrics are JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_exits_at_once_and_is_in_the_metrics() {
    let site = hanging().await;
    let (home, flags) = (Home::new("weave-forced"), flags(&site));
    let more = ["a.test", "--metrics", "metrics.json", "--set", "politeness.grace_ms=600000"];
    let mut working = home.start(&arguments(&flags, &more));
    both_are_asked(&site).await;
    working.signal("INT");
    working.says("press Ctrl-C again").await;
    working.signal("INT");
    let left = working.end().await.expect(3).says(&["resume with: bluesnake weave"]);
    assert!(left.took < Duration::from_secs(300), "it waited for the grace period: {:?}", left.took);
    let told = metrics(&home);
    assert_eq!((&told["termination_reason"], &told["nodes_discovered"]), (&"forced_exit".into(), &Value::from(3)));
    home.run(&["runs", "list"]).await.expect(0).says(&["paused"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_weave_logs_its_progress() {
    let site = hanging().await;
    let (home, flags) = (Home::new("weave-log"), flags(&site));
    let mut working = home.start(&arguments(&flags, &["a.test", "--set", "fetch.timeout_ms=60000"]));
    working.says("a.test: 2 of 3 known, 10").await;
    working.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_limit_pauses_a_weave() {
    let site = hanging().await;
    let (home, flags) = (Home::new("weave-time"), flags(&site));
    let more =
        ["a.test", "--metrics", "metrics.json", "--set", "limits.max_seconds=1", "--set", "politeness.grace_ms=1"];
    home.run(&arguments(&flags, &more)).await.expect(3).says(&["paused, time limit reached", "bluesnake weave"]);
    assert_eq!(metrics(&home)["termination_reason"], "budget");
    assert_eq!(home.ask::<String>("SELECT state || ' ' || reason FROM runs"), "paused budget");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_weave_session_continues_with_the_rest_of_its_budget() {
    let site = Web::hosts_graph(23, 120, 2).start().await;
    let (home, flags) = (Home::new("weave-budget"), flags(&site));
    let seed = site.url_on("h0.test", "/");
    let working = home.start(&arguments(&flags, &[&seed, "--budget", "50", "--parallelism", "2"]));
    let asked = site.wait_for(|seen| seen.requests() >= 60);
    tokio::time::timeout(Duration::from_secs(300), asked).await.expect("hosts are requested");
    working.kill().await;
    let visited = "SELECT count(*) FROM nodes WHERE crawl_count > 0";
    let before = home.ask::<i64>(visited);
    assert!((1..50).contains(&before), "{before} hosts were visited before it was killed");
    home.run(&["weave"]).await.expect(3).says(&["paused, budget used up"]);
    assert_eq!(home.ask::<i64>(visited), 50);
    // A new budget applies to the remaining hosts.
    let working = home.start(&["weave", "--parallelism", "2"]);
    let asked = site.seen().requests() + 30;
    let more = site.wait_for(move |seen| seen.requests() >= asked);
    tokio::time::timeout(Duration::from_secs(300), more).await.expect("hosts are requested");
    working.kill().await;
    let before = home.ask::<i64>(visited);
    home.run(&["weave", "--budget", "3"]).await.expect(3).says(&["paused, budget used up"]);
    assert_eq!(home.ask::<i64>(visited), before + 3);
    home.run(&["weave"]).await.expect(0).says(&["woven: 120 hosts"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_network_is_reported_and_the_weave_resumes_later() {
    let hosts: Vec<String> = (0..25).map(|number| format!("http://n{number}.test/")).collect();
    let home_page = Site::new().page("/", Page::titled("Home").links(&hosts));
    let site = Site::new().host("home.test", home_page).start().await;
    let (home, flags) = (Home::new("weave-offline"), flags(&site));
    home.run(&arguments(&flags, &["home.test", "--budget", "1"])).await.expect(3);
    // No machine can connect to the broadcast address: the system reports that there is no route.
    let nowhere = ["weave", "--force", "--resolve", "*.test:255.255.255.255:80"];
    home.run(&nowhere).await.expect(3).says(&["stopped, no host can be reached any more", "bluesnake weave"]);
    assert_eq!(home.ask::<i64>("SELECT count(*) FROM nodes WHERE disposition = 'pending'"), 25);
    home.run(&arguments(&flags, &["--force"])).await.expect(0).says(&["woven: 26 hosts"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_hosts_are_reported_and_retried_on_request() {
    let sick = Reply::sequence([Reply::status(500), Reply::html("<title>well</title>")]);
    let site = Site::new()
        .host("a.test", Site::new().page("/", Page::titled("A")))
        .host("sick.test", Site::new().reply("/", sick))
        .host("fine.test", Site::new().page("/", Page::titled("fine")))
        .start()
        .await;
    let (home, flags) = (Home::new("weave-again"), flags(&site));
    let one_attempt = ["--set", "fetch.attempts=1"];
    home.run(&arguments(&flags, &[&["a.test"], &one_attempt[..]].concat())).await.expect(0);
    // A starting point that does not exist, in a graph that is fine.
    let lost = home.run(&["weave", "exmaple.invalid"]).await.expect(1);
    lost.says(&["cannot crawl exmaple.invalid", "check the spelling"]);
    let some_lost = home.run(&["weave", "fine.test", "sick.test", "nope.invalid"]).await.expect(0);
    some_lost.says(&["woven: 5 hosts", "cannot crawl nope.invalid", "cannot crawl sick.test"]);
    assert_eq!(site.seen().count_on("sick.test", "/"), 1);
    home.run(&["weave"]).await.expect(0);
    assert_eq!(site.seen().count_on("sick.test", "/"), 1, "a finished graph makes no requests");
    home.run(&["weave", "--retry-failed"]).await;
    assert_eq!(site.seen().count_on("sick.test", "/"), 2);
    let described = "SELECT description FROM nodes WHERE host = 'sick.test'";
    assert_eq!(home.ask::<String>(described), "well");
    assert_eq!(site.seen().count_on("a.test", "/"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_other_jobs_are_refused_with_a_suggestion() {
    let home = Home::new("weave-unused");
    let sets = ["scope.max_depth=2", "scope.max_urls=9", "keep.html=true"];
    let mut arguments = vec!["weave", "example.com"];
    sets.iter().for_each(|set| arguments.extend(["--set", set]));
    let refused = home.run(&arguments).await.expect(2);
    let refused = refused.says(&["unknown settings group `scope`; did you mean `weave.max_depth`?", "keep.html"]);
    refused.says(&["scope.max_urls"]);
    home.run(&["weave", "a.test", "--set", "weave.max_depth=0"]).await.expect(2).says(&["weave.max_depth: must be"]);
    assert!(!home.db().exists(), "a typo creates no database");
    let unknown = home.run(&["weave", "a.test", "--set", "max_depth=1", "--set", "fetch.foo=1"]).await.expect(2);
    unknown.says(&["--set max_depth", "did you mean `weave.max_depth`?", "--set fetch.foo"]);
    home.run(&["config", "init", "all.toml", "--job", "weave"]).await.expect(0);
    let more = ["weave", "--config", "all.toml", "http://127.0.0.1:1/", "--set", "fetch.attempts=1"];
    home.run(&more).await.expect(1).says(&["private"]);
    // The environment is shared by all jobs.
    let mut command = home.command(&["weave", "http://127.0.0.1:1/", "--fresh", "--set", "fetch.attempts=1"]);
    command.env("BLUESNAKE_SCOPE__MAX_URLS", "9").env("BLUESNAKE_WEAVE__MAX_DEPTH", "7");
    Working::start(command).end().await.expect(1).says(&["private"]);
    let plan: Value = serde_json::from_str(&home.ask::<String>("SELECT plan FROM runs WHERE id = 2")).expect("JSON");
    assert_eq!((plan.get("scope"), &plan["weave"]["max_depth"]), (None, &Value::from(7)));
}

#[tokio::test(flavor = "multi_thread")]
async fn typos_are_reported_before_they_become_hosts_and_hints_name_the_database() {
    let site = hanging().await;
    let (home, flags) = (Home::new("weave-mistakes"), flags(&site));
    std::fs::write(home.folder().join("weave.json"), "{}").expect("a file can be written");
    home.run(&["weave", "weave.json"]).await.expect(2).says(&["--config weave.json"]);
    home.run(&["weave", "/etc/passwd"]).await.expect(2).says(&["it is a file"]);
    home.run(&["weave", "--fresh"]).await.expect(1).says(&["no database"]);
    assert!(!home.db().exists());

    let more = ["fast.test", "--db", "my graphs.db"];
    let done = home.run(&arguments(&flags, &more)).await.expect(0);
    done.says(&["bluesnake --db 'my graphs.db' weave render 1", "bluesnake --db 'my graphs.db' weave stats 1"]);
    let asked = async |arguments: &[&str]| home.run(&[&["--db", "my graphs.db"], arguments].concat()).await;
    asked(&["export", "1", "--table", "pages"]).await.expect(2).says(&["run 1 is a weave; it has no pages", "edges"]);
    asked(&["export", "1", "--format", "sitemap", "-o", "s.xml"]).await.expect(2).says(&["is a weave"]);
    let crawled = format!("http://127.0.0.1:{}/", site.port());
    asked(&["crawl", &crawled, "--quiet", "--rate", "0"]).await;
    asked(&["export", "2", "--table", "edges"]).await.expect(2).says(&["run 2 is not a weave; it has no edges"]);
    asked(&["weave", "--fresh"]).await.expect(2).says(&["a new graph needs a host to start from"]);
    asked(&["weave", "--fresh", "--retry-failed", "a.test"]).await.expect(2).says(&["--retry-failed"]);
    let missing = asked(&["weave", "nobody.test"]).await.expect(1);
    missing.says(&["cannot crawl nobody.test", "its front page is an error page"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_size_limit_is_reported() {
    let site = Web::hosts_graph(31, 2_000, 2).start().await;
    let (home, flags) = (Home::new("weave-file-limit"), flags(&site));
    let seed = site.url_on("h0.test", "/");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 8000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_bluesnake")]);
    command.args(arguments(&flags, &[&seed])).env_clear().current_dir(home.folder());
    command.env("BLUESNAKE_HOME", home.folder()).env("HOME", home.folder());
    let full = Working::start(command).end().await.expect(3);
    full.says(&["error: the weave of", "resume with: bluesnake weave"]);
    home.run(&["weave"]).await.expect(0).says(&["woven: 2,000 hosts"]);
}
