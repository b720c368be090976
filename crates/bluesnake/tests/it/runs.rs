//! Projects, runs and crawls on the command line: listing, deleting, pausing and resuming.

use std::process::Child;

use serde_json::{Value, json};
use testsite::{Latency, Page, Reply, Running, Site, scenarios};

use crate::program::{Done, Home, interrupt, project};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Demands that these keys are there.
#[track_caller]
fn has_keys(value: &Value, expected: &[&str]) {
    let found = keys(value);
    for key in expected {
        assert!(found.contains(key), "{key} is missing in {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_byte_limit_lets_a_paused_run_continue() {
    let site = scenarios::high_fan_out(60).start().await;
    let (home, host) = (Home::new("byte_limit"), project(&site));
    let paused = home.crawl(&site.url("/"), &["--set", "scope.max_bytes=2000"]);
    assert_eq!(paused.code, Some(3), "{}", paused.stderr);
    assert!(paused.stdout.contains("paused, byte limit reached (scope.max_bytes)"), "{}", paused.stdout);
    let next = format!("resume {host} --set scope.max_bytes=N\n");
    assert!(paused.stdout.contains(&next), "{}", paused.stdout);
    assert_eq!(home.run(&["resume", &host]).code, Some(3), "the limit of a run applies to its sessions");
    home.ok(&["config", "set", &host, "scope.max_bytes=10000000"]);
    home.ok(&["resume", &host, "--rate", "0"]);
    assert_eq!(home.json(&["runs", "show", &host])["state"], "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_runs_and_crawls_are_listed_and_shown() {
    let site = scenarios::high_fan_out(20).start().await;
    let other = scenarios::small().start().await;
    let home = Home::new("listed");
    home.crawl(&site.url("/page/3"), &["--budget", "5", "--discover", "spider", "-q"]);
    home.ok(&["resume", &project(&site), "--rate", "0", "-q"]);
    home.crawl(&other.url("/"), &["-q"]);

    let projects = home.json(&["projects", "list"]);
    let hosts: Vec<&str> =
        projects.as_array().unwrap().iter().map(|project| project["domain"].as_str().unwrap()).collect();
    let mut expected = [project(&site), project(&other)];
    expected.sort();
    assert_eq!(hosts, expected, "in the order of hosts");
    let shown = home.json(&["projects", "show", &site.url("/anything")]);
    has_keys(
        &shown["project"],
        &["id", "url", "domain", "crawlDateTime", "crawlDuration", "pagesCrawled", "latestCrawlId"],
    );
    assert_eq!(shown["project"]["url"], site.url("/"), "the path of the seed is not part of a project");
    assert_eq!(shown["project"]["latestCrawlId"], 2);
    let table = home.ok(&["projects", "list"]).stdout;
    assert!(hosts.iter().all(|host| table.contains(host)) && table.contains("completed"), "{table}");

    let run = home.json(&["runs", "show", &project(&site)]);
    has_keys(&run, &["id", "projectID", "state", "crawls", "totalPagesCrawled", "createdAt"]);
    let crawls = run["crawls"].as_array().unwrap();
    assert_eq!(crawls.len(), 2);
    crawls.iter().for_each(|crawl| has_keys(crawl, &["id", "state", "pagesCrawled"]));
    let pages: u64 = crawls.iter().map(|crawl| crawl["pagesCrawled"].as_u64().unwrap()).sum();
    assert_eq!((run["totalPagesCrawled"].as_u64(), pages), (Some(21), 21));
    assert_eq!((run["state"].as_str(), run["urlsPending"].as_u64()), (Some("completed"), Some(0)));
    assert_eq!(run["seeds"], json!([site.url("/page/3")]));
    assert_eq!(home.json(&["runs", "list"]).as_array().unwrap().len(), 2);
    assert_eq!(home.json(&["runs", "list", &project(&other)])[0]["id"], 2);
    let text = home.ok(&["runs", "show", "1"]).stdout;
    assert!(text.starts_with(&format!("run 1 (crawl) of {}: completed\n", project(&site))), "{text}");

    let ids = |value: Value| -> Vec<u64> {
        value.as_array().unwrap().iter().map(|crawl| crawl["id"].as_u64().unwrap()).collect()
    };
    assert_eq!(ids(home.json(&["sessions", "list"])), [1, 2, 3]);
    assert_eq!(ids(home.json(&["sessions", "list", &project(&site)])), [1, 2]);
    let first = home.json(&["sessions", "show", "1"]);
    assert_eq!((first["runId"].as_u64(), first["urlsVisited"].as_u64()), (Some(1), Some(5)));
    assert_eq!((first["state"].as_str(), first["reason"].as_str()), (Some("completed"), Some("budget_reached")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_command_shows_the_counts_of_a_project() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("queue_status");
    home.ok(&["config", "set", &site.url("/"), "politeness.rate=0"]);
    let queue = || home.json(&["projects", "show", &project(&site)])["queue"].clone();
    let names = [
        "canResume",
        "currentRunID",
        "hasQueue",
        "pending",
        "projectID",
        "runCrawlIDs",
        "runState",
        "total",
        "visited",
    ];
    assert_eq!(keys(&queue()), names);
    let before = json!({"projectID": 1, "hasQueue": false, "visited": 0, "pending": 0, "total": 0, "canResume": false,
        "currentRunID": null, "runState": "", "runCrawlIDs": []});
    assert_eq!(queue(), before);

    home.crawl(&site.url("/"), &["--budget", "5", "--discover", "spider", "-q"]);
    let paused = queue();
    assert_eq!(keys(&paused), names);
    assert_eq!((paused["visited"].as_u64(), paused["canResume"].as_bool()), (Some(5), Some(true)));
    assert_eq!(paused["total"].as_u64().unwrap(), 5 + paused["pending"].as_u64().unwrap());
    assert_eq!((&paused["runState"], &paused["currentRunID"]), (&json!("paused"), &json!(1)));

    home.ok(&["resume", "1", "-q"]);
    let done = queue();
    assert_eq!((done["pending"].as_u64(), done["canResume"].as_bool()), (Some(0), Some(false)));
    assert_eq!((&done["runState"], &done["runCrawlIDs"]), (&json!("completed"), &json!([1, 2])));
    let asked = site.seen().paths().iter().filter(|path| *path != "/robots.txt").count();
    assert_eq!(done["visited"].as_u64().unwrap() as usize, asked, "by the log of the server");
    assert!(site.seen().requested_more_than_once().iter().all(|path| path.ends_with("robots.txt")));
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_asks_first_and_needs_yes_without_a_terminal() {
    let site = scenarios::small().start().await;
    let home = Home::new("asks_first");
    home.crawl(&site.url("/"), &["-q"]);
    home.run(&["projects", "delete", "1"]).fails(2, &["and all results would be deleted; confirm with --yes"]);
    home.run(&["runs", "delete", "1"]).fails(2, &["run 1 of", "would be deleted; confirm with --yes"]);
    home.run(&["sessions", "delete", "1"])
        .fails(2, &["session 1 and all its results would be deleted; confirm with --yes"]);
    assert_eq!(home.json(&["runs", "list"]).as_array().unwrap().len(), 1, "nothing is gone");
    home.run(&["runs", "delete", "9", "--yes"]).fails(1, &["error: "]);
    home.ok(&["sessions", "delete", "1", "--yes"]);
    home.run(&["runs", "show", "1"]).fails(1, &["error: "]);
    home.ok(&["projects", "delete", "1", "--yes"]);
    assert_eq!(home.json(&["projects", "list"]), json!([]));
}

/// The number of rows of each run in every table.
fn rows_of_runs(home: &Home, runs: &[u64]) -> Vec<(String, u64, u64)> {
    let mut counts = Vec::new();
    for table in
        home.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    {
        let name = table["name"].as_str().unwrap();
        let header = home.ok(&["sql", &format!("SELECT * FROM {name} LIMIT 0")]).stdout;
        let columns: Vec<&str> = header.split_whitespace().collect();
        let Some(column) = ["run", "run_id"].into_iter().find(|column| columns.contains(column)) else { continue };
        for run in runs {
            let count = home.rows(&format!("SELECT count(*) AS n FROM {name} WHERE {column} = {run}"));
            counts.push((name.to_owned(), *run, count[0]["n"].as_u64().unwrap()));
        }
    }
    assert!(counts.len() > 6, "tables of runs are found by their column `run`: {counts:?}");
    counts
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_project_removes_all_its_rows_and_no_others() {
    let (site, other) = (scenarios::resources().start().await, scenarios::small().start().await);
    let home = Home::new("cascade");
    home.crawl(&site.url("/"), &["-q", "--store-bodies"]);
    home.crawl(&other.url("/"), &["-q", "--store-bodies"]);
    home.crawl(&site.url("/"), &["-q", "--budget", "3"]);
    home.ok(&["config", "set", &site.url("/"), "politeness.rate=2"]);
    home.ok(&["projects", "show", "1", "--favicon", "icon"]);
    let of = |counts: &[(String, u64, u64)], run: u64| -> Vec<u64> {
        counts.iter().filter(|(_, of, _)| *of == run).map(|(_, _, n)| *n).collect()
    };
    let before = rows_of_runs(&home, &[1, 2, 3]);
    assert!([1, 2, 3].iter().all(|run| of(&before, *run).iter().sum::<u64>() > 10), "{before:?}");
    let export = || home.ok(&["export", "2", "--table", "links", "--format", "jsonl"]).stdout;
    let links = export();

    home.ok(&["runs", "delete", "1", "--yes"]);
    let after = rows_of_runs(&home, &[1, 2, 3]);
    assert_eq!(of(&after, 1).iter().sum::<u64>(), 0, "{after:?}");
    assert_eq!((of(&after, 2), of(&after, 3)), (of(&before, 2), of(&before, 3)));

    home.ok(&["projects", "delete", &project(&site), "--yes"]);
    let after = rows_of_runs(&home, &[1, 2, 3]);
    assert_eq!(of(&after, 3).iter().sum::<u64>(), 0, "{after:?}");
    assert_eq!(of(&after, 2), of(&before, 2));
    assert_eq!(export(), links);
    assert_eq!(home.json(&["projects", "list"]).as_array().unwrap().len(), 1);
    home.run(&["config", "show", &project(&site)]).fails(1, &["no project"]);
    for table in ["configs", "runs"] {
        assert!(home.rows(&format!("SELECT * FROM {table} WHERE project = 1")).is_empty(), "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_does_not_block_a_crawl_of_another_process_and_is_refused_for_its_project() {
    let (old, live) = (scenarios::high_fan_out(300).start().await, scenarios::high_fan_out(3000).start().await);
    let home = Home::new("remove_meanwhile");
    home.crawl(&old.url("/"), &["-q"]);
    let crawl = ["crawl", &live.url("/"), "--rate", "40", "-q", "--set", "politeness.grace_ms=50"];
    let mut child = home.command(&crawl).spawn().unwrap();
    live.wait_for(|seen| seen.requests() > 5).await;

    home.run(&["projects", "delete", &project(&live), "--yes"])
        .fails(1, &["crawl already in progress for this project"]);
    home.run(&["runs", "delete", "2", "--yes"]).fails(1, &["crawl already in progress for this project", "hint: "]);
    home.ok(&["projects", "delete", &project(&old), "--yes"]);

    let asked = live.seen().requests();
    live.wait_for(|seen| seen.requests() > asked + 5).await;
    assert!(child.try_wait().unwrap().is_none(), "the other crawl continues");
    assert_eq!(home.json(&["runs", "show", "2"])["state"], "in_progress");
    interrupt(&child);
    assert_eq!(Done::of(child.wait_with_output().unwrap()).code, Some(3));
    assert_eq!(home.json(&["runs", "show", "2"])["reason"], "signal");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_sessions_cannot_be_deleted() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("crawls_delete");
    home.crawl(&site.url("/"), &["--budget", "5", "-q"]);
    home.run(&["resume", "1", "--budget", "5", "--rate", "0", "-q"]).fails(3, &[]);
    home.run(&["sessions", "delete", "1", "--yes"]).fails(
        1,
        &[
            "session 1 is one of 2 sessions of run 1, whose results belong together",
            "hint: `bluesnake runs delete 1` removes all of them",
        ],
    );
    home.ok(&["runs", "delete", "1", "--yes"]);
    home.run(&["sessions", "show", "1"]).fails(1, &["error: "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incremental_crawl_resumes_by_itself_and_equals_an_uninterrupted_one() {
    let (site, straight) = (scenarios::high_fan_out(20).start().await, scenarios::high_fan_out(20).start().await);
    let home = Home::new("incremental");
    let codes: Vec<Option<i32>> = (0..4)
        .map(|_| home.crawl(&site.url("/"), &["--incremental", "--budget", "8", "--discover", "spider", "-q"]).code)
        .collect();
    assert_eq!(codes, [Some(3), Some(3), Some(0), Some(3)], "the fourth one starts a new run");
    let runs = home.json(&["runs", "list"]);
    let sessions: Vec<usize> =
        runs.as_array().unwrap().iter().map(|run| run["crawls"].as_array().unwrap().len()).collect();
    assert_eq!(sessions, [1, 3]);
    assert_eq!((runs[1]["state"].as_str(), runs[1]["isIncremental"].as_bool()), (Some("completed"), Some(true)));
    let visited: Vec<u64> =
        runs[1]["crawls"].as_array().unwrap().iter().map(|crawl| crawl["urlsVisited"].as_u64().unwrap()).collect();
    assert_eq!(visited, [8, 8, 5], "a budget is the exact number of fetches");

    home.crawl(&straight.url("/"), &["--discover", "spider", "-q"]);
    let columns = "number,url,source,depth,disposition,reason,status,title,indexable";
    let table = |run: &str, site: &Running| {
        let export = home.ok(&["export", run, "--format", "jsonl", "--columns", columns]).stdout;
        export.replace(&project(site), "site")
    };
    assert_eq!(table("1", &site), table("3", &straight));
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_saved_as_incremental_resume_without_a_flag_and_others_start_anew() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("saved_incremental");
    let crawl = || home.crawl(&site.url("/"), &["--budget", "5", "-q"]);
    let current = || home.json(&["projects", "show", &project(&site)])["project"]["runId"].clone();
    crawl();
    crawl();
    assert_eq!(current(), 2, "a plain crawl starts a new run");
    home.ok(&["config", "set", &site.url("/"), "--incremental", "true"]);
    crawl();
    assert_eq!(current(), 2, "an incremental one resumes");
    assert_eq!(home.json(&["runs", "list"]).as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_run_reports_the_paused_one_and_leaves_it_resumable() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("kept_paused");
    home.crawl(&site.url("/"), &["--incremental", "--fresh", "-q"]).fails(2, &["--fresh", "cannot be used with"]);
    home.crawl(&site.url("/"), &["--budget", "5", "--discover", "spider", "-q"]).fails(3, &[]);
    let paused = format!("run 1 of {} is still paused; resume it with: bluesnake resume 1", project(&site));
    for more in [&[] as &[&str], &["--fresh"]] {
        let started = home.crawl(&site.url("/"), more);
        assert_eq!(started.code, Some(0), "{}", started.stderr);
        assert!(started.stderr.contains(&paused), "{}", started.stderr);
    }
    let old = home.json(&["runs", "show", "1"]);
    assert_eq!((old["state"].as_str(), old["reason"].as_str()), (Some("paused"), Some("budget")));
    assert_eq!(old["urlsVisited"], 5);
    home.ok(&["resume", &project(&site), "--rate", "0", "-q"]);
    let states: Vec<Value> =
        home.json(&["runs", "list"]).as_array().unwrap().iter().map(|run| run["state"].clone()).collect();
    assert_eq!(states, ["completed", "completed", "completed"]);
    home.run(&["resume", "1"])
        .fails(1, &["no paused run to resume: run 1 is completed", "hint: `bluesnake runs list`"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_budget_applies_to_every_session_started_or_resumed() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("saved_budget");
    home.ok(&["config", "set", &site.url("/"), "limits.session_budget=8", "politeness.rate=0"]);
    let crawl = ["crawl", &site.url("/"), "-q", "--discover", "spider"];
    home.run(&crawl).fails(3, &[]);
    home.run(&["resume", &project(&site), "-q"]).fails(3, &[]);
    home.ok(&["resume", "1", "-q"]);
    let visited: Vec<u64> = home
        .json(&["sessions", "list"])
        .as_array()
        .unwrap()
        .iter()
        .map(|crawl| crawl["urlsVisited"].as_u64().unwrap())
        .collect();
    assert_eq!(visited, [8, 8, 5]);

    // A budget of one session counts more than the one that is saved.
    home.run(&crawl).fails(3, &[]);
    home.ok(&["resume", &project(&site), "--budget", "100", "-q"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_and_sitemaps_cost_no_budget() {
    let pages: Vec<String> = (0..12).map(|i| format!("/page/{i}")).collect();
    let site = pages.iter().fold(Site::new(), |site, path| site.page(path, Page::titled(path)));
    let site = site.page("/", Page::titled("Home").links(&pages)).sitemap("/sitemap.xml", pages.clone()).start().await;
    let home = Home::new("guides");
    let first = home.crawl(&site.url("/"), &["--budget", "5", "--json"]);
    assert_eq!(first.code, Some(3), "{}", first.stderr);
    assert_eq!(first.json_lines().last().unwrap()["visits"], 5, "{}", first.stdout);
    home.ok(&["resume", &project(&site), "--rate", "0", "-q"]);
    assert_eq!(site.seen().count("/sitemap.xml"), 1, "robots.txt and sitemaps were fetched");
    let run = home.json(&["runs", "show", "1"]);
    let visited: Vec<&Value> = run["crawls"].as_array().unwrap().iter().map(|crawl| &crawl["urlsVisited"]).collect();
    assert_eq!((visited, &run["urlsVisited"]), (vec![&json!(5), &json!(8)], &json!(13)));
    assert_eq!(home.json(&["projects", "show", &project(&site)])["queue"]["visited"], 13);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_capture_does_not_hide_a_paused_audit() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("hidden_audit");
    home.crawl(&site.url("/"), &["--budget", "5", "--discover", "spider", "-q"]).fails(3, &[]);
    home.ok(&["capture", &site.url("/"), "--rate", "0", "-q"]);
    let shown = home.json(&["projects", "show", &project(&site)]);
    assert_eq!((&shown["project"]["runState"], &shown["project"]["runId"]), (&json!("paused"), &json!(1)));
    let queue = &shown["queue"];
    assert_eq!((&queue["canResume"], &queue["runState"]), (&json!(true), &json!("paused")));
    assert_eq!((&queue["currentRunID"], &queue["visited"]), (&json!(1), &json!(5)));
    home.ok(&["resume", &project(&site), "--rate", "0", "-q"]);
    let runs = home.json(&["runs", "list"]);
    let ends: Vec<(&Value, &Value)> =
        runs.as_array().unwrap().iter().map(|run| (&run["kind"], &run["state"])).collect();
    assert_eq!(ends, [(&json!("capture"), &json!("completed")), (&json!("crawl"), &json!("completed"))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn resuming_what_is_not_paused_is_an_error() {
    let site = scenarios::small().start().await;
    let home = Home::new("nothing_to_resume");
    home.crawl(&site.url("/"), &["--resume"]).fails(1, &["no paused run to resume for", "hint: `bluesnake crawl "]);
    assert_eq!(site.seen().requests(), 0);
    home.crawl(&site.url("/"), &["-q"]);
    home.crawl(&site.url("/"), &["--resume"])
        .fails(1, &["error: cannot start the crawl", "no paused run to resume for"]);
    home.run(&["resume", &project(&site)]).fails(1, &["no paused run to resume: run 1 is completed"]);
    home.run(&["resume", "no.example"]).fails(1, &["no project no.example"]);
    assert_eq!(home.json(&["runs", "list"]).as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_resumes_with_its_original_settings() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("changed_plan");
    let crawl = |more: &[&str]| home.crawl(&site.url("/"), &[&["--budget", "4", "-q"], more].concat());
    crawl(&["--max-depth", "3", "--exclude", "/page/9$"]);
    let refused = [
        "was started with other settings: scope.exclude was [\"/page/9$\"] and is [] now; scope.max_depth was 3 and is 5 now",
        "hint: use the same settings, `--force` to continue with the new ones, or `--fresh`",
    ];
    crawl(&["--resume", "--max-depth", "5"]).fails(1, &refused);
    assert_eq!(home.json(&["runs", "show", "1"])["crawls"].as_array().unwrap().len(), 1, "nothing was begun");

    // Pace may change, and settings that are not given stay as they were.
    home.run(&["resume", "1", "--budget", "4", "--rate", "0", "--parallelism", "9", "-q"]).fails(3, &[]);
    let plan = home.plan("1");
    assert_eq!((&plan["politeness"]["parallelism"], &plan["scope"]["max_depth"]), (&json!(9), &json!(3)));
    home.run(&["resume", "1", "--set", "scope.max_depth=5"]).fails(1, &["scope.max_depth was 3 and is 5 now"]);
    crawl(&["--resume", "--max-depth", "3", "--exclude", "/page/9$"]).fails(3, &[]);

    home.run(&["resume", "1", "--set", "scope.exclude=[\"/page/8$\"]", "--force", "--rate", "0", "-q"]).fails(0, &[]);
    assert_eq!(home.plan("1")["scope"]["exclude"], json!(["/page/8$"]));
    let done = home.json(&["runs", "show", "1"]);
    assert_eq!((done["state"].as_str(), done["crawls"].as_array().unwrap().len()), (Some("completed"), 4));
    assert_eq!(site.seen().count("/page/9"), 0, "refused URLs stay refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_seed_of_a_run_is_restored_after_a_pause() {
    let pages = (0..5).fold(Site::new(), |site, i| {
        site.page(&format!("/start/{i}"), Page::titled(&format!("Start {i}")).link(&format!("/found/{i}")))
            .page(&format!("/found/{i}"), Page::titled(&format!("Found {i}")))
    });
    let site = pages.start().await;
    let home = Home::new("seeds_restored");
    let urls: Vec<String> = (0..5).map(|i| site.url(&format!("/start/{i}"))).collect();
    let crawl: Vec<&str> =
        ["crawl"].into_iter().chain(urls.iter().map(String::as_str)).chain(["--rate", "0", "-q"]).collect();
    home.run(&[&crawl[..], &["--budget", "1"]].concat()).fails(3, &[]);
    assert_eq!(home.json(&["runs", "show", "1"])["seeds"], json!(urls));
    home.run(&["crawl", &urls[0], "--resume"]).fails(1, &["the URLs to start from are different"]);
    home.ok(&["resume", "1", "--rate", "0", "-q"]);
    for i in 0..5 {
        assert_eq!((site.seen().count(&format!("/start/{i}")), site.seen().count(&format!("/found/{i}"))), (1, 1));
    }
    let seeds = home.rows("SELECT url, depth FROM discovered_urls WHERE source = 'initial' ORDER BY number");
    assert_eq!(seeds.len(), 5);
    assert!(seeds.iter().all(|seed| seed["depth"] == 0), "{seeds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_not_stored_and_have_to_be_given_again() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("secrets_again");
    let secrets = ["--auth", "me:canary", "--header", "X-Key: canary", "--cookie", "id=canary"];
    home.crawl(&site.url("/"), &[&["--budget", "4", "-q"], &secrets[..]].concat()).fails(3, &[]);
    let refused = home.run(&["resume", "1"]);
    refused.fails(
        1,
        &[
            "fetch.auth was given when the run started",
            "fetch.headers was given",
            "fetch.initial_cookies was given",
            "have to be given again",
        ],
    );
    assert!(!refused.stderr.contains("canary"));
    assert!(!home.plan("1").to_string().contains("canary"));
    home.ok(&[&["resume", "1", "--rate", "0", "-q"], &secrets[..]].concat());
    let without: Vec<String> = site
        .log()
        .into_iter()
        .filter(|seen| {
            seen.header("authorization").is_none()
                || seen.header("x-key") != Some("canary")
                || seen.header("cookie") != Some("id=canary")
        })
        .map(|seen| seen.target)
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn separate_sites_are_separate_projects_with_limited_concurrency() {
    let slow = || {
        scenarios::high_fan_out(5)
            .reply("/", Reply::html("<a href=/page/1>1</a>").delay(std::time::Duration::from_secs(2)))
    };
    let sites = [slow().start().await, slow().start().await, slow().start().await];
    let urls: Vec<String> = sites.iter().map(|site| site.url("/")).collect();
    let home = Home::new("separate");
    let crawl: Vec<&str> =
        ["crawl", "--separate", "--rate", "0", "--json"].into_iter().chain(urls.iter().map(String::as_str)).collect();
    let done = home.ok(&[&crawl[..], &["--max-sessions", "1"]].concat());
    let finished = done.json_lines().into_iter().filter(|line| line["type"] == "finished").count();
    assert_eq!((finished, home.json(&["projects", "list"]).as_array().unwrap().len()), (3, 3));
    let mut spans: Vec<_> = sites
        .iter()
        .map(|site| {
            let log = site.log();
            (log[0].at, log.iter().filter_map(|seen| seen.answered).max().unwrap())
        })
        .collect();
    spans.sort();
    assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "never two at once: {spans:?}");

    let asked: Vec<usize> = sites.iter().map(|site| site.seen().requests()).collect();
    home.ok(&[&crawl[..], &["--max-sessions", "0"]].concat());
    let mut spans: Vec<_> = sites
        .iter()
        .zip(asked)
        .map(|(site, asked)| {
            let log = site.log();
            (log[asked].at, log.iter().filter_map(|seen| seen.answered).max().unwrap())
        })
        .collect();
    spans.sort();
    assert!(spans.windows(2).all(|pair| pair[0].1 > pair[1].0), "all at once: {spans:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_given_twice_does_not_stop_the_others() {
    let slow = Latency::fixed(std::time::Duration::from_millis(200));
    let (site, other) = (scenarios::small().latency(slow, 1).start().await, scenarios::small().start().await);
    let home = Home::new("named_twice");
    let done = home.run(&["crawl", "--separate", "--rate", "0", &site.url("/"), &other.url("/"), &site.url("/about")]);
    assert!(done.stderr.contains("crawl already in progress for this project"), "{}", done.stderr);
    let states: Vec<Value> =
        home.json(&["runs", "list"]).as_array().unwrap().iter().map(|run| run["state"].clone()).collect();
    assert!(states.iter().all(|state| state == "completed"), "{states:?}\n{}", done.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_crawl_of_a_project_is_refused_while_the_first_one_runs() {
    let site = scenarios::high_fan_out(3000).start().await;
    let home = Home::new("second_crawl");
    let crawl = ["crawl", &site.url("/"), "--rate", "20", "-q", "--set", "politeness.grace_ms=50"];
    let child: Child = home.command(&crawl).spawn().unwrap();
    site.wait_for(|seen| seen.requests() > 3).await;
    let pid = child.id().to_string();
    home.run(&crawl)
        .fails(1, &["error: cannot start the crawl", "crawl already in progress for this project", &pid, "hint: "]);
    home.run(&["resume", "1"]).fails(1, &["run 1 is being crawled"]);
    interrupt(&child);
    assert_eq!(Done::of(child.wait_with_output().unwrap()).code, Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_favicon_is_fetched_once_and_written_to_a_file() {
    let icon = b"\x89PNG\r\n\x1a\nicon".to_vec();
    let site = Site::new()
        .page("/", Page::titled("Home").head("<link rel=icon href=/icon.png>"))
        .reply("/icon.png", Reply::bytes("image/png", icon.clone()))
        .start()
        .await;
    let home = Home::new("favicon");
    home.crawl(&site.url("/"), &["-q", "--set", "resources.check=false"]);
    for file in ["one", "two"] {
        let done = home.ok(&["projects", "show", &project(&site), "--favicon", file]);
        assert!(done.stderr.contains("image/png, 12 bytes"), "{}", done.stderr);
        assert_eq!(std::fs::read(home.path(file)).unwrap(), icon);
    }
    assert_eq!(site.seen().count("/icon.png"), 1, "by the log of the server");
}
