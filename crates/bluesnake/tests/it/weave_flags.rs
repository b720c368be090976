//! No inert flag of `weave`: each makes a difference that can be seen, in the stored plan, in the requests that the site
//! sees, or in the output. That the settings behind them make one in every weave is shown where the engine is tested.

use serde_json::{Value, json};
use testsite::{Page, Reply, Running, Site};

use crate::flags::flags_in;
use crate::home::{Ended, Home};

async fn site() -> Running {
    let sick = Reply::sequence([Reply::status(500), Reply::html("<title>well</title>")]);
    Site::new()
        .host("a.test", Site::new().page("/", Page::titled("A").links(["http://b.test/", "http://sick.test/"])))
        .host("b.test", Site::new().page("/", Page::titled("B")))
        .host("sick.test", Site::new().reply("/", sick))
        .start()
        .await
}

async fn weave(home: &Home, site: &Running, more: &[&str]) -> Ended {
    let resolve = format!("*.test:127.0.0.1:{}", site.port());
    let base = ["weave", "a.test", "--resolve", &resolve, "--allow-private", "--set", "fetch.attempts=1"];
    let pace: &[&str] = if more.contains(&"--rate") { &[] } else { &["--rate", "0"] };
    home.run(&[&base[..], pace, more].concat()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_flag_of_weave_makes_a_difference() {
    let flags = flags_in(&Home::new("weave-flags").run(&["weave", "--help"]).await.expect(0).stdout);
    assert!(flags.len() > 25, "{flags:?}");
    for flag in flags {
        check(&flag, &Home::new(&format!("weave-flag-{flag}"))).await;
    }
}

async fn check(flag: &str, home: &Home) {
    let dashed = format!("--{flag}");
    let plan =
        async |value: &str, at: &str, expected: Value| changes_the_plan(home, &dashed, value, at, expected).await;
    let site = site().await;
    let output = async |more: &[&str]| weave(home, &site, more).await;
    match flag {
        "max-depth" => plan("1", "/weave/max_depth", json!(1)).await,
        "max-crawls-per-node" => plan("7", "/weave/max_crawls_per_node", json!(7)).await,
        "max-subdomains-per-root" => plan("7", "/weave/max_subdomains_per_root", json!(7)).await,
        "max-outbound-links" => plan("7", "/weave/max_outbound_links", json!(7)).await,
        "exclude" => plan("b.test", "/weave/exclude", json!(["b.test"])).await,
        "no-default-exclusions" => plan("", "/weave/default_exclusions", json!(false)).await,
        "render-mode" => plan("fast", "/render/mode", json!("fast")).await,
        "browser" => plan("/x", "/render/browser", json!("/x")).await,
        "robots" => plan("ignore-report", "/politeness/robots", json!("ignore-report")).await,
        "parallelism" => plan("9", "/politeness/parallelism", json!(9)).await,
        "rate" => plan("77", "/politeness/rate", json!(77.0)).await,
        "budget" => {
            output(&["--budget", "1"]).await.expect(3).says(&["budget used up"]);
            assert_eq!(site.seen().hosts(), ["a.test"]);
        }
        "user-agent" => sends(home, &["--user-agent", "mine/1"], ("user-agent", "mine/1")).await,
        "header" => sends(home, &["--header", "X-Mine: 1"], ("x-mine", "1")).await,
        "cookie" => sends(home, &["--cookie", "a=b"], ("cookie", "a=b")).await,
        "auth" => sends(home, &["--auth", "me:you"], ("authorization", "Basic bWU6eW91")).await,
        "proxy" => {
            home.run(&["weave", "a.test", "--proxy", &site.url("/"), "--rate", "0", "--set", "fetch.attempts=1"]).await;
            assert!(site.seen().requests() > 0, "the proxy received the request");
        }
        "resolve" => {
            output(&[]).await.expect(0);
            assert_eq!(site.seen().count_on("a.test", "/"), 1);
        }
        "render" => {
            let failed = output(&["--render", "on", "--browser", "/nonexistent"]).await;
            failed.expect(2).says(&["cannot render pages"]);
        }
        "allow-private" => {
            let seed = site.url("/");
            home.run(&["weave", &seed]).await.expect(1).says(&["use `--allow-private`"]);
            assert_eq!(site.seen().requests(), 0);
            home.run(&["weave", &seed, "--fresh", "--allow-private", "--rate", "0"]).await;
            assert!(site.seen().requests() > 0);
        }
        "fresh" => {
            output(&[]).await;
            output(&["--fresh"]).await;
            assert_eq!(home.ask::<i64>("SELECT count(*) FROM runs"), 2);
        }
        "force" => {
            output(&[]).await.expect(0);
            output(&["--max-depth", "1"]).await.expect(1).says(&["--fresh", "--force"]);
            output(&["--max-depth", "1", "--force"]).await.expect(0);
        }
        "retry-failed" => {
            output(&[]).await;
            output(&[&dashed]).await.expect(0);
            assert_eq!(site.seen().count_on("sick.test", "/"), 2);
        }
        "metrics" => {
            output(&["--metrics", "m.json"]).await;
            assert!(home.folder().join("m.json").exists());
        }
        "set" => {
            output(&["--set", "weave.max_depth=1", "--set", "weave.exclude=[\"b.test\"]"]).await;
            assert_eq!(site.seen().count_on("b.test", "/"), 0);
        }
        "config" => {
            std::fs::write(home.folder().join("w.json"), r#"{"exclude": ["b.test"]}"#).expect("a file can be written");
            output(&["--config", "w.json"]).await;
            assert_eq!(site.seen().count_on("b.test", "/"), 0);
        }
        "json" => {
            let printed = output(&["--json"]).await.stdout;
            let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            assert_eq!((lines.len(), &lines[3]["type"]), (4, &json!("finished")), "three hosts and the end");
        }
        "progress" => assert!(output(&["--progress", "json"]).await.stderr.contains("\"type\":\"progress\"")),
        "quiet" => assert_eq!(output(&["--quiet"]).await.stdout, ""),
        "verbose" => assert!(output(&["-vv"]).await.stderr.contains("DEBUG")),
        "show-secrets" => {
            let described = Page::titled("read http://c.test/?token=canary first");
            let site = Site::new().host("a.test", Site::new().page("/", described)).start().await;
            for (more, shown) in [(&["--json"][..], "token=***"), (&["--json", "--show-secrets"], "token=canary")] {
                let printed = weave(&Home::new("weave-flag-secrets"), &site, more).await.stdout;
                assert!(printed.contains(shown), "{more:?} {printed}");
            }
        }
        "db" => {
            output(&["--db", "mine.db"]).await;
            assert!(home.folder().join("mine.db").exists());
        }
        "help" => assert!(home.run(&["weave", "--help"]).await.stdout.contains("Usage: ")),
        other => panic!("--{other} has no case here: what difference does it make?"),
    }
}

async fn changes_the_plan(home: &Home, flag: &str, value: &str, at: &str, expected: Value) {
    let site = site().await;
    weave(home, &site, &[]).await.expect(0);
    let given: Vec<&str> = [flag, value].into_iter().filter(|word| !word.is_empty()).collect();
    weave(home, &site, &[&["--fresh"], &given[..]].concat()).await.expect(0);
    let [before, after] = [1, 2].map(|run| {
        let plan: Value = serde_json::from_str(&home.ask::<String>(&format!("SELECT plan FROM runs WHERE id = {run}")))
            .expect("a plan is JSON");
        plan.pointer(at).cloned()
    });
    assert_ne!(before, after, "{flag} changes nothing");
    assert_eq!(after, Some(expected), "{flag}");
}

/// Whether the given host receives this header, over http as given.
async fn sends(home: &Home, given: &[&str], (header, value): (&str, &str)) {
    let site = site().await;
    let seed = site.url_on("a.test", "/");
    let base = ["weave", &seed, "--resolve", "*.test:127.0.0.1", "--allow-private", "--rate", "0", "--max-depth", "1"];
    home.run(&[&base[..], given].concat()).await;
    let log = site.log();
    let mut of_a = log.iter().filter(|seen| seen.host.starts_with("a.test")).peekable();
    assert!(of_a.peek().is_some() && of_a.all(|seen| seen.header(header) == Some(value)), "{header}: {log:?}");
}
