//! No inert flag: each flag of `crawl` makes a difference that can be seen, in the stored plan, in the requests that the
//! site sees, or in the output. A flag without a case here fails the test.

use serde_json::{Value, json};
use testsite::{Page, Running, Site, scenarios};

use crate::program::{Done, Home, project};

/// The long names of all flags in a text of help.
pub(crate) fn flags_in(help: &str) -> Vec<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.filter_map(|line| line.split_whitespace().find_map(|word| word.strip_prefix("--")));
    names.map(|name| name.trim_end_matches(['.', ',']).to_owned()).filter(|name| !name.is_empty()).collect()
}

async fn site() -> Running {
    Site::new()
        .robots("User-agent: *\nDisallow: /private\n")
        .page("/", Page::titled("Home").links(["/a", "/b", "/private"]))
        .page("/a", Page::titled("A").link("/deep"))
        .page("/b", Page::titled("B"))
        .page("/deep", Page::titled("Deep"))
        .page("/private", Page::titled("Private"))
        .page("/listed", Page::titled("Listed"))
        .sitemap("/map.xml", ["/listed"])
        .start()
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_flag_of_crawl_makes_a_difference() {
    let home = Home::new("flags");
    let flags = flags_in(&home.ok(&["crawl", "--help"]).stdout);
    assert!(flags.len() > 30, "{flags:?}");
    for flag in flags {
        check(&flag, &Home::new(&format!("flag_{flag}"))).await;
    }
}

async fn check(flag: &str, home: &Home) {
    let dashed = format!("--{flag}");
    let plan = |value: &str, at: &str, expected: Value| {
        let (flag, home, at) = (dashed.clone(), home, at.to_owned());
        let given: Vec<String> = [flag].into_iter().chain((!value.is_empty()).then(|| value.to_owned())).collect();
        async move { changes_the_plan(home, &given, &at, expected).await }
    };
    match flag {
        "max-urls" => plan("2", "/scope/max_urls", json!(2)).await,
        "page-limit" => plan("2", "/scope/page_limit", json!(2)).await,
        "max-depth" => plan("1", "/scope/max_depth", json!(1)).await,
        "budget" => plan("2", "/limits/session_budget", json!(2)).await,
        "include-subdomains" => plan("", "/scope/include_subdomains", json!(true)).await,
        "include" => plan("/a", "/scope/include", json!(["/a"])).await,
        "exclude" => plan("/a", "/scope/exclude", json!(["/a"])).await,
        "external-hops" => plan("1", "/scope/external_hops", json!(1)).await,
        "check-external" => plan("none", "/resources/check_external", json!("none")).await,
        "resolve" => plan("x.example:127.0.0.1", "/fetch/resolve", json!(["x.example:127.0.0.1"])).await,
        "parallelism" => plan("9", "/politeness/parallelism", json!(9)).await,
        "rate" => plan("77", "/politeness/rate", json!(77.0)).await,
        "proxy" => {
            let proxy = site().await;
            plan(&proxy.url("/"), "/fetch/proxy", json!(proxy.url("/"))).await;
            assert!(proxy.seen().requests() > 0, "the proxy received the request");
        }
        "render" => {
            let given = ["--render", "on", "--browser", "/nonexistent"];
            home.crawl(&site().await.url("/"), &given).fails(2, &["cannot render pages"]);
        }
        "render-mode" => plan("fast", "/render/mode", json!("fast")).await,
        "wait-for" => plan("main", "/render/wait_for", json!(["main"])).await,
        "browser" => plan("/x", "/render/browser", json!("/x")).await,
        "single-page" => is_asked(home, &["--single-page"], "/a", false).await,
        "discover" => is_asked(home, &["--discover", "spider"], "/sitemap.xml", false).await,
        "sitemap" => {
            let site = site().await;
            home.crawl(&site.url("/"), &["-q", "--sitemap", &site.url("/map.xml")]);
            assert_eq!(site.seen().count("/listed"), 1);
        }
        "robots" => is_asked(home, &["--robots", "ignore"], "/private", true).await,
        "set" => is_asked(home, &["--set", "scope.max_depth=1"], "/deep", false).await,
        "config" => {
            std::fs::write(home.path("one.toml"), "[scope]\nmax_depth = 1\n").unwrap();
            is_asked(home, &["--config", "one.toml"], "/deep", false).await;
        }
        "user-agent" => sends(home, &["--user-agent", "mine/1"], "user-agent", "mine/1").await,
        "header" => sends(home, &["--header", "X-Mine: 1"], "x-mine", "1").await,
        "cookie" => sends(home, &["--cookie", "a=b"], "cookie", "a=b").await,
        "auth" => sends(home, &["--auth", "me:you"], "authorization", "Basic bWU6eW91").await,
        "allow-private" => {
            let site = site().await;
            let crawl = |more: &[&str]| {
                let refused = ["--set", "fetch.allow_private=false", "--fresh", "-q"];
                home.crawl(&site.url("/"), &[&refused[..], more].concat())
            };
            crawl(&[]).fails(1, &["hint: use `--allow-private` to reach private addresses"]);
            assert_eq!(site.seen().requests(), 0);
            assert_eq!(crawl(&["--allow-private"]).code, Some(0));
        }
        "store-bodies" => {
            let site = site().await;
            home.crawl(&site.url("/"), &["-q", "--store-bodies"]);
            home.ok(&["export", "1", "-o", "x.warc.gz"]);
        }
        "incremental" => assert_eq!(sessions_after(home, &["--incremental"]).await, [2]),
        "resume" => assert_eq!(sessions_after(home, &["--resume"]).await, [2]),
        "fresh" => {
            let site = scenarios::high_fan_out(9).start().await;
            home.ok(&["config", "set", &site.url("/"), "--incremental", "true"]);
            (0..2).for_each(|_| drop(home.crawl(&site.url("/"), &["--budget", "3", "-q", "--fresh"])));
            assert_eq!(home.json(&["runs", "list"]).as_array().unwrap().len(), 2);
        }
        "force" => {
            let site = scenarios::high_fan_out(9).start().await;
            home.crawl(&site.url("/"), &["--budget", "3", "-q"]);
            let changed = ["--resume", "--max-depth", "5", "-q"];
            assert_eq!(home.crawl(&site.url("/"), &changed).code, Some(1));
            assert_eq!(home.crawl(&site.url("/"), &[&changed[..], &["--force"]].concat()).code, Some(0));
        }
        "separate" | "max-sessions" => {
            let (one, two) = (site().await, site().await);
            let crawl = ["crawl", "-q", "--rate", "0", &one.url("/"), &two.url("/")];
            home.ok(&[&crawl[..], &["--separate", "--max-sessions", "1"]].concat());
            assert_eq!(home.json(&["projects", "list"]).as_array().unwrap().len(), 2);
            let last = one.log().iter().filter_map(|seen| seen.answered).max().unwrap();
            assert!(last <= two.log()[0].at, "one at a time");
        }
        "json" => assert_eq!(output(home, &["--json"]).await.json_lines().pop().unwrap()["type"], "finished"),
        "progress" => assert!(output(home, &["--progress", "json"]).await.stderr.contains("\"type\":\"progress\"")),
        "fail-on" => assert_eq!(output(home, &["--fail-on", "title-too-short"]).await.code, Some(4)),
        "quiet" => assert_eq!(output(home, &["--quiet"]).await.stdout, ""),
        "verbose" => assert!(output(home, &["-vv"]).await.stderr.contains("DEBUG")),
        "show-secrets" => {
            let site = Site::new().page("/", Page::titled("Home").link("/gone?token=canary")).start().await;
            let shown = home.crawl(&site.url("/"), &["--show-secrets"]).stdout;
            assert!(shown.contains("token=canary"), "{shown}");
            assert!(home.crawl(&site.url("/"), &[]).stdout.contains("token=***"));
        }
        "urls" => {
            let site = site().await;
            std::fs::write(home.path("sites.txt"), format!("# mine\n\n  {}\n", site.url("/"))).unwrap();
            home.ok(&["crawl", "-q", "--rate", "0", "--urls", "sites.txt"]);
            assert_eq!((site.seen().count("/"), site.seen().count("/a")), (1, 0));
        }
        "db" => {
            output(home, &["--db", "mine.db"]).await;
            assert!(home.path("mine.db").exists());
        }
        "help" => assert!(home.ok(&["crawl", "--help"]).stdout.contains("Usage: ")),
        other => panic!("--{other} has no case here: what difference does it make?"),
    }
}

async fn changes_the_plan(home: &Home, given: &[String], at: &str, expected: Value) {
    let site = site().await;
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let url = site.url("/");
    let crawl = ["crawl", &url, "-q", "--fresh", "--set", "politeness.rate=0"];
    home.run(&crawl);
    home.run(&[&crawl[..], &given[..]].concat());
    let [before, after] = ["1", "2"].map(|run| home.plan(run).pointer(at).cloned());
    assert_ne!(before, after, "{given:?} changes nothing");
    assert_eq!(after, Some(expected), "{given:?}");
}

async fn is_asked(home: &Home, given: &[&str], path: &str, expected: bool) {
    let (with, without) = (site().await, site().await);
    home.crawl(&with.url("/"), &[&["-q"], given].concat());
    home.crawl(&without.url("/"), &["-q"]);
    let asked = [&with, &without].map(|site| site.seen().count(path) > 0);
    assert_eq!(asked, [expected, !expected], "{given:?} and {path}");
}

async fn sends(home: &Home, given: &[&str], header: &str, value: &str) {
    let site = site().await;
    home.crawl(&site.url("/"), &[&["-q"], given].concat());
    let log = site.log();
    let without: Vec<&str> =
        log.iter().filter(|seen| seen.header(header) != Some(value)).map(|seen| seen.target.as_str()).collect();
    assert!(!log.is_empty() && without.is_empty(), "{given:?}: {without:?}");
}

/// How many sessions each run has after a crawl with a budget and one with this flag.
async fn sessions_after(home: &Home, given: &[&str]) -> Vec<usize> {
    let site = scenarios::high_fan_out(9).start().await;
    home.crawl(&site.url("/"), &["--budget", "3", "-q"]);
    home.crawl(&site.url("/"), &[&["-q"], given].concat());
    let runs = home.json(&["runs", "list", &project(&site)]);
    runs.as_array().unwrap().iter().map(|run| run["crawls"].as_array().unwrap().len()).collect()
}

async fn output(home: &Home, given: &[&str]) -> Done {
    home.crawl(&site().await.url("/"), given)
}
