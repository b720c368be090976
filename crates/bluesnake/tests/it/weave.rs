//! `bluesnake weave` as people use it: the declared graph after kills, files that other programs read, pictures.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use testsite::{Fault, Page, Running, Site, Web};

use crate::home::{Home, Working, kills, python};

/// The flags for a web whose hosts are all served by one port.
pub(crate) fn flags(site: &Running) -> Vec<String> {
    let resolve = format!("*.test:127.0.0.1:{}", site.port());
    let flags = ["--resolve", &resolve, "--allow-private", "--rate", "0", "--max-outbound-links", "0"];
    let limits = ["--max-subdomains-per-root", "0", "--max-depth", "99", "--set", "fetch.retry_delays_ms=[1]"];
    flags.iter().chain(&limits).map(ToString::to_string).collect()
}

pub(crate) fn arguments<'a>(flags: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    ["weave"].into_iter().chain(more.iter().copied()).chain(flags.iter().map(String::as_str)).collect()
}

/// Everything that is exported of a graph.
async fn exports(home: &Home, run: &str) -> String {
    let mut all = String::new();
    for table in ["nodes", "edges", "receipt"] {
        all += &home.run(&["export", run, "--table", table]).await.expect(0).stdout;
    }
    for format in ["gexf", "graphml", "dot", "json", "svg"] {
        all += &home.run(&["export", run, "--format", format]).await.expect(0).stdout;
    }
    all
}

/// The links of an export, between hosts without their port.
fn woven(jsonl: &str) -> BTreeMap<(String, String), u32> {
    let host = |value: &Value| value.as_str().unwrap().split(':').next().unwrap().to_owned();
    let edge = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        ((host(&row["from"]), host(&row["to"])), row["weight"].as_u64().unwrap() as u32)
    };
    jsonl.lines().map(edge).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_hosts_are_woven_to_the_same_files_at_any_parallelism() {
    let web = Web::hosts_graph(7, 2_000, 2).links_per_page(3..=7);
    let site = web.clone().start().await;
    let (seed, flags) = (site.url_on("h0.test", "/"), flags(&site));
    let mut first: Option<String> = None;
    for parallelism in ["1", "16", "128"] {
        let home = Home::new(&format!("weave-at-{parallelism}"));
        let woven_now = home.run(&arguments(&flags, &[&seed, "--parallelism", parallelism])).await.expect(0);
        woven_now.says(&["woven: 2,000 hosts"]);
        let edges = home.run(&["export", "1", "--table", "edges", "--format", "jsonl"]).await.expect(0).stdout;
        assert!(woven(&edges) == web.host_links(), "the links are not the declared ones at {parallelism}");
        let files = exports(&home, "1").await;
        assert!(*first.get_or_insert_with(|| files.clone()) == files, "the exports differ at {parallelism}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_weave_killed_repeatedly_gives_the_declared_graph() {
    let kills = kills(20);
    let web = Web::hosts_graph(5, (kills as u64 * 40).max(2_000), 3).links_per_page(3..=8);
    let site = web.clone().start().await;
    let (seed, flags) = (site.url_on("h0.test", "/"), flags(&site));
    let straight = Home::new("weave-straight");
    straight.run(&arguments(&flags, &[&seed, "--parallelism", "5"])).await.expect(0).says(&["woven: "]);
    let requests = site.seen().requests();
    let edges = straight.run(&["export", "1", "--table", "edges", "--format", "jsonl"]).await.expect(0).stdout;
    assert!(woven(&edges) == web.host_links(), "the graph is not the declared one");

    let home = Home::new("weave-killed");
    for kill in 0..kills {
        let start = site.seen().requests();
        let working: Working = home.start(&arguments(&flags, &[&seed, "--parallelism", "16"]));
        // The sessions together make fewer requests than the weave needs, so each is killed before it completes.
        let moment = start + requests / (kills + 3);
        let reached =
            tokio::time::timeout(Duration::from_secs(300), site.wait_for(move |seen| seen.requests() >= moment));
        assert!(reached.await.is_ok(), "session {kill} stopped sending requests");
        assert_eq!(working.kill().await.code, None, "session {kill} ended before it was killed");
        assert_eq!(home.ask::<String>("PRAGMA integrity_check"), "ok");
    }
    home.run(&arguments(&flags, &[&seed])).await.expect(0).says(&["woven: "]);
    assert!(exports(&home, "1").await == exports(&straight, "1").await, "the exports differ");
    let pages = "SELECT count(*) FROM node_pages";
    assert_eq!(home.ask::<i64>(pages), straight.ask::<i64>(pages), "a page is missing or stored twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_programs_read_the_same_graph_and_find_the_same_ranks() {
    let Some(python) = python() else { return };
    // 150 hosts, ten others that link to none, and one that no host links to.
    let site = Web::hosts_graph(9, 150, 2).external(10).start().await;
    let home = Home::new("weave-networkx");
    home.run(&arguments(&flags(&site), &[&site.url_on("h0.test", "/"), "www.alone.test"])).await.expect(0);
    let place = |name: &str| home.folder().join(name).to_string_lossy().into_owned();
    for name in ["nodes.csv", "nodes.parquet", "nodes.jsonl", "edges.csv", "edges.parquet"] {
        let (table, format) = name.split_once('.').unwrap();
        home.run(&["export", "1", "--table", table, "--format", format, "-o", &place(name)]).await.expect(0);
    }
    let graphs =
        [("g.gexf", "gexf"), ("g12.gexf", "gexf-1.2"), ("g.graphml", "graphml"), ("g.json", "json"), ("g.dot", "dot")];
    for (name, format) in graphs {
        home.run(&["export", "1", "--format", format, "-o", &place(name)]).await.expect(0);
    }
    home.run(&["export", "1", "--format", "common-crawl", "-o", &place("cc")]).await.expect(0);
    home.run(&["export", "1", "--format", "csv-pair", "-o", &place("pair")]).await.expect(0);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_graph.py");
    let read = Command::new(python).arg(script).arg(home.folder()).output().expect("Python runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    assert!(String::from_utf8_lossy(&read.stdout).starts_with("read 161 "));
    // A part of the graph, and a folder that would be overwritten.
    let root = format!("h1.test:{}", site.port());
    let part = home.run(&["export", "1", "--format", "json", "--root", &root, "--depth", "1"]).await;
    let part: Value = serde_json::from_str(&part.expect(0).stdout).unwrap();
    let nodes = part["nodes"].as_array().unwrap().len();
    assert!(nodes > 1 && nodes < 161, "{nodes}");
    home.run(&["export", "1", "--format", "csv-pair", "-o", &place("pair")]).await.expect(1).says(&["--replace"]);
    home.run(&["export", "1", "--table", "nodes", "--min-weight", "2"]).await.expect(2);
    home.run(&["export", "1", "--format", "gexf", "--root", "nobody.test"]).await.expect(2).says(&["nobody.test"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_configures_a_weave_and_flags_override_it() {
    let site = Web::hosts_graph(4, 40, 2).start().await;
    let home = Home::new("weave-file");
    let place = |name: &str| home.folder().join(name).to_string_lossy().into_owned();
    let file = |name: &str, text: &str| {
        std::fs::write(home.folder().join(name), text).unwrap();
        place(name)
    };
    let seed = site.url_on("h0.test", "/");
    let json = file(
        "weave.json",
        &serde_json::json!({
            "seed_url": seed, "max_depth": 1, "max_crawls_per_node": 1, "max_outbound_links": 2,
            "concurrent_workers": 4, "db_path": place("named.db"), "metrics_path": place("metrics.log"),
            "fetch": {"resolve": [format!("*.test:127.0.0.1:{}", site.port())], "allow_private": true},
            "politeness": {"rate": 0.0},
        })
        .to_string(),
    );
    let done = home.run(&["weave", "--config", &json, "--max-outbound-links", "3"]).await.expect(0);
    let metrics: Value = serde_json::from_str(&std::fs::read_to_string(place("metrics.log")).unwrap()).unwrap();
    assert_eq!(metrics["termination_reason"], "queue_empty");
    let keys: Vec<&String> = metrics.as_object().unwrap().keys().collect();
    let expected = [
        "avg_fetch_time_ms",
        "edges_recorded",
        "end_time",
        "nodes_crawled",
        "nodes_discovered",
        "pages_failed",
        "pages_fetched",
        "start_time",
        "termination_reason",
        "total_fetch_time_ms",
    ];
    assert_eq!(keys, expected);
    let nodes = metrics["nodes_discovered"].as_u64().unwrap();
    assert!((5..=13).contains(&nodes), "three hosts of each page, at depth 0 and 1: {metrics}");
    assert_eq!(metrics["nodes_crawled"], metrics["pages_fetched"], "one page of each host");
    done.says(&[&format!("woven: {nodes} hosts"), "cut by limits: pages of", "links of"]);
    assert!(Path::new(&place("named.db")).exists());

    let toml = file("weave.toml", "seed_url = 'x.test'\nmax_dept = 2\nrequest_timeout_ms = 5\n[fetch]\nresolv = 1\n");
    let wrong = home.run(&["weave", "--config", &toml]).await.expect(2);
    let told = wrong.says(&["weave.toml", "max_depth", "at least 1000", "fetch.resolve"]);
    assert!(!told.stderr.contains("\\x0a"), "{}", told.stderr);
    home.run(&["weave", "--config", &place("nowhere.json")]).await.expect(2).says(&["cannot read"]);
    home.run(&["weave"]).await.expect(1).says(&["bluesnake"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_graph_resumes_and_grows_without_repeated_requests() {
    let site = Site::new()
        .host("a.test", Site::new().page("/", Page::titled("A").link("http://b.test/")))
        .host("b.test", Site::new().page("/", Page::titled("B")))
        .host("z.test", Site::new().page("/", Page::titled("Z").link("http://a.test/").link("http://y.test/")))
        .host("y.test", Site::new().page("/", Page::titled("Y")))
        .start()
        .await;
    let (home, flags) = (Home::new("weave-grows"), flags(&site));
    home.run(&arguments(&flags, &["a.test"])).await.expect(0).says(&["woven: 2 hosts, 1 link; 2 pages"]);
    home.run(&["weave"]).await.expect(0).says(&["woven: 2 hosts, 1 link; 0 pages"]);
    home.run(&["weave", "z.test"]).await.expect(0).says(&["woven: 4 hosts, 3 links; 2 pages"]);
    let again = home.run(&["weave", "z.test", "--max-depth", "1"]).await.expect(1);
    again.says(&["weave.max_depth was 99 and is 1 now", "--force"]);
    let asked = site.seen();
    assert!(["a.test", "b.test", "y.test", "z.test"].iter().all(|host| asked.count_on(host, "/") == 1));
    home.run(&arguments(&flags, &["--fresh", "y.test"])).await.expect(0).says(&["woven: 1 host, 0 links", "run 2"]);
    home.run(&["weave", "stats", "1"]).await.expect(0).says(&["graph of run 1", "density", "most linked domains"]);
    let stats = home.run(&["weave", "stats", "1", "--json"]).await.expect(0).stdout;
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!((&stats["nodes"], &stats["edges"]), (&Value::from(4), &Value::from(3)));
    let picture = home.folder().join("graph.svg");
    let picture = picture.to_string_lossy();
    home.run(&["weave", "render", "1", "-o", &picture]).await.expect(0).says(&["drew 4 hosts and 3 links"]);
    assert!(std::fs::read_to_string(&*picture).unwrap().contains("z.test"));
    home.run(&["weave", "render", "1", "-o", &picture]).await.expect(1).says(&["--replace"]);
    home.run(&["receipt", "1"]).await.expect(0).says(&["4  hosts seen"]);
    home.run(&["runs", "delete", "1", "--yes"]).await.expect(0);
    for table in ["nodes", "edges", "node_pages", "mentions", "refused_hosts"] {
        assert_eq!(home.ask::<i64>(&format!("SELECT count(*) FROM {table} WHERE run = 1")), 0, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_pauses_a_weave_and_is_in_its_metrics() {
    let links = ["slow.test", "fast.test"].map(|host| format!("http://{host}/"));
    let site = Site::new()
        .host("a.test", Site::new().page("/", Page::titled("A").links(links)))
        .host("fast.test", Site::new().page("/", Page::titled("fast")))
        .host("slow.test", Site::new().fault("/", Fault::HangBeforeHeaders))
        .start()
        .await;
    let (home, flags) = (Home::new("weave-signal"), flags(&site));
    let metrics = home.folder().join("metrics.json");
    let more = ["a.test", "--metrics", metrics.to_str().unwrap(), "--set", "politeness.grace_ms=1"];
    let working = home.start(&arguments(&flags, &more));
    let asked = site.wait_for(|seen| seen.count_on("slow.test", "/") == 1 && seen.count_on("fast.test", "/") == 1);
    tokio::time::timeout(Duration::from_secs(300), asked).await.expect("the slow host is requested");
    working.signal("INT");
    working.end().await.expect(3).says(&["stopped", "bluesnake weave"]);
    let told: Value = serde_json::from_str(&std::fs::read_to_string(&metrics).unwrap()).unwrap();
    assert_eq!((&told["termination_reason"], &told["nodes_discovered"]), (&"signal".into(), &Value::from(3)));
    assert_eq!(home.ask::<String>("SELECT state || ' ' || reason FROM runs"), "paused signal");
    assert_eq!(home.ask::<String>("SELECT disposition FROM nodes WHERE host = 'slow.test'"), "pending");
}

/// `db_path` has a different default without a home folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_a_database_setting_creates_none() {
    let site = Site::new().host("a.test", Site::new().page("/", Page::titled("A"))).start().await;
    let home = Home::new("weave-file-home");
    let config = home.temporary().join("weave.json");
    let text = serde_json::json!({
        "seed_url": "http://a.test/",
        "metrics_path": home.temporary().join("metrics.log"),
        "fetch": {"resolve": [format!("*.test:127.0.0.1:{}", site.port())], "allow_private": true},
        "politeness": {"rate": 0.0},
    });
    std::fs::write(&config, text.to_string()).unwrap();
    let weave = || {
        let mut command = home.command(&["weave", "--config", config.to_str().unwrap(), "-q"]);
        command.current_dir(home.temporary());
        command
    };
    Working::start(weave()).end().await.expect(0);
    assert!(home.db().exists() && !home.temporary().join("crawler.db").exists());
    let mut homeless = weave();
    homeless.env_remove("BLUESNAKE_HOME");
    Working::start(homeless).end().await.expect(0);
    assert!(home.temporary().join("crawler.db").exists());
}
