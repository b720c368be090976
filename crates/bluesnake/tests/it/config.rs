//! Settings: saved for a project, in a file, in the environment, as flags; each wins over the one before. And secrets.

use std::path::Path;

use serde_json::{Value, json};
use testsite::{Page, Reply, Site};

use crate::program::{Done, Home, project};

#[test]
fn the_example_file_is_what_config_init_writes() {
    let home = Home::new("config_init");
    let example = home.ok(&["config", "init", "-"]).stdout;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bluesnake.example.toml");
    assert_eq!(std::fs::read_to_string(file).unwrap(), example);
    home.ok(&["config", "init"]);
    assert_eq!(std::fs::read_to_string(home.path("bluesnake.toml")).unwrap(), example);
    std::fs::write(home.path("bluesnake.toml"), "mine").unwrap();
    home.run(&["config", "init"]).fails(1, &["cannot create bluesnake.toml"]);
    assert_eq!(std::fs::read(home.path("bluesnake.toml")).unwrap(), b"mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_every_default_changes_nothing() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let home = Home::new("all_defaults");
    home.ok(&["config", "init", "all.toml"]);
    home.ok(&["crawl", &site.url("/"), "-q", "--fresh", "--allow-private"]);
    home.ok(&["crawl", &site.url("/"), "-q", "--fresh", "--allow-private", "--config", "all.toml"]);
    assert_eq!(home.plan("1"), home.plan("2"));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_look_like_secrets_in_urls_are_printed_exactly() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let (home, pattern) = (Home::new("exact_settings"), "[?&]session=[^&]*");
    let (host, list) = (project(&site), json!([pattern]));
    home.ok(&["config", "set", &host, &format!("scope.exclude={list}")]);
    assert_eq!(home.ok(&["config", "get", &host, "scope.exclude"]).stdout.trim(), list.to_string());
    assert!(home.ok(&["config", "show", &host]).stdout.contains(&list.to_string()));
    assert_eq!(home.json(&["config", "show", &host])[1]["value"], list);
    home.crawl(&site.url("/"), &["-q"]);
    assert_eq!(home.plan("1")["scope"]["exclude"], list);
}

#[test]
fn saved_project_settings_can_be_read_changed_and_deleted() {
    let home = Home::new("saved_settings");
    let get = |key: &str| home.ok(&["config", "get", "a.example", key]).stdout.trim().to_owned();
    home.ok(&["config", "set", "https://A.example:443/path", "politeness.rate=2", "scope.exclude=[\"/x\", \"/y\"]"]);
    assert_eq!((get("politeness.rate"), get("scope.exclude")), ("2.0".to_owned(), "[\"/x\",\"/y\"]".to_owned()));
    assert_eq!((get("fetch.attempts"), get("incremental")), ("3".to_owned(), "false".to_owned()));
    home.ok(&["config", "set", "a.example", "--incremental", "true", "fetch.attempts=5"]);
    assert_eq!(
        (get("politeness.rate"), get("fetch.attempts"), get("incremental")),
        ("2.0".into(), "5".into(), "true".into())
    );

    let shown = home.json(&["config", "show", "a.example"]);
    let expected = json!([
        {"setting": "incremental", "value": true, "from": "project"},
        {"setting": "fetch.attempts", "value": 5, "from": "project"},
        {"setting": "politeness.rate", "value": 2.0, "from": "project"},
        {"setting": "scope.exclude", "value": ["/x", "/y"], "from": "project"},
    ]);
    assert_eq!(shown, expected);
    let all = home.json(&["config", "show", "a.example", "--all"]);
    assert!(all.as_array().unwrap().len() > 80);
    assert!(all.as_array().unwrap().contains(&json!({"setting": "scope.max_depth", "value": 0, "from": "default"})));
    let table = home.ok(&["config", "show", "a.example"]).stdout;
    assert!(table.contains("politeness.rate") && table.contains("project"), "{table}");

    home.ok(&["config", "unset", "a.example", "politeness.rate"]);
    assert_eq!(
        (get("politeness.rate"), get("fetch.attempts"), get("incremental")),
        ("10.0".into(), "5".into(), "true".into())
    );
    home.run(&["config", "set", "a.example"]).fails(2, &["nothing to save"]);
    home.run(&["config", "set", "a.example", "scope.external_hops=9"])
        .fails(2, &["cannot save the settings", "scope.external_hops: "]);
    home.run(&["config", "set", "a.example", "scope.max_depth=deep"]).fails(2, &["scope.max_depth: "]);
    assert_eq!(home.json(&["config", "show", "a.example"]).as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_override_the_environment_the_file_the_project_and_the_defaults_in_this_order() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let home = Home::new("layers");
    let last = |key: &str| {
        let plan = home.plan(&project(&site));
        let sent = site.log().last().unwrap().header("user-agent").unwrap().to_owned();
        assert_eq!(plan["fetch"]["user_agent"], sent, "the stored bytes equal the sent ones");
        (sent, plan["fetch"][key].clone())
    };
    let url = site.url("/");
    let mut layers: Vec<&str> = vec!["crawl", &url, "-q", "--fresh"];
    let crawl = |layers: &[&str], variable: Option<&str>| {
        let mut command = home.command(layers);
        command.envs(variable.map(|value| ("BLUESNAKE_FETCH__USER_AGENT", value)));
        let done = Done::of(command.output().unwrap());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
    };
    crawl(&layers, None);
    assert_eq!(last("attempts"), ("bluesnake/1.0 (+https://snake.blue)".to_owned(), json!(3)));
    home.ok(&["config", "set", &url, "fetch.user_agent=project", "fetch.attempts=2"]);
    crawl(&layers, None);
    assert_eq!(last("attempts"), ("project".to_owned(), json!(2)));
    std::fs::write(home.path("file.toml"), "[fetch]\nuser_agent = \"file\"\n").unwrap();
    layers.extend(["--config", "file.toml"]);
    crawl(&layers, None);
    assert_eq!(last("attempts"), ("file".to_owned(), json!(2)), "missing settings come from the layer below");
    crawl(&layers, Some("environment"));
    assert_eq!(last("attempts").0, "environment");
    layers.extend(["--set", "fetch.user_agent=assigned"]);
    crawl(&layers, Some("environment"));
    assert_eq!(last("attempts").0, "assigned");
    layers.extend(["--user-agent", "flag"]);
    crawl(&layers, Some("environment"));
    assert_eq!(last("attempts").0, "flag");
    let seen: Vec<Value> = home.json(&["config", "show", &url]).as_array().unwrap().clone();
    assert!(seen.iter().all(|setting| setting["from"] == "project"), "flags are not saved: {seen:?}");
}

#[test]
fn a_setting_that_does_not_exist_is_refused_wherever_it_is_written() {
    let home = Home::new("unknown_settings");
    let meant = "unknown setting `scope.max_url`; did you mean `scope.max_urls`?";
    std::fs::write(home.path("typo.toml"), "[scope]\nmax_url = 5\n").unwrap();
    std::fs::write(home.path("group.toml"), "[politness]\nrate = 5\n").unwrap();
    std::fs::write(home.path("broken.toml"), "[limits\n").unwrap();
    let crawl = ["crawl", "http://127.0.0.1:9/"];
    home.run(&[&crawl[..], &["--config", "typo.toml"]].concat()).fails(2, &["typo.toml", meant]);
    home.run(&[&crawl[..], &["--config", "group.toml"]].concat())
        .fails(2, &["unknown settings group `politness`; did you mean `politeness`?"]);
    home.run(&[&crawl[..], &["--config", "broken.toml"]].concat()).fails(2, &["broken.toml", "line 1"]);
    home.run(&[&crawl[..], &["--config", "missing.toml"]].concat())
        .fails(2, &["cannot read the settings file missing.toml"]);
    home.run(&[&crawl[..], &["--set", "scope.max_url=5"]].concat())
        .fails(2, &["cannot use --set scope.max_url", meant]);
    home.run(&[&crawl[..], &["--set", "scope.max_urls"]].concat())
        .fails(2, &["cannot use --set scope.max_urls: missing `=`"]);
    let mut command = home.command(&crawl);
    command.env("BLUESNAKE_SCOPE__MAX_URL", "5");
    Done::of(command.output().unwrap()).fails(2, &["BLUESNAKE_SCOPE__MAX_URL", meant]);
    home.run(&["config", "set", "a.example", "scope.max_url=5"]).fails(2, &[meant]);
    home.ok(&["config", "set", "a.example", "scope.max_urls=5"]);
    home.run(&["config", "get", "a.example", "scope.max_url"]).fails(2, &[meant]);
    home.run(&["config", "unset", "a.example", "scope.max_url"]).fails(2, &[meant]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_left_behind_in_files_logs_or_output() {
    let page =
        |title: &str| Page::titled(title).link("/a?token=canary-query&page=2").link("/gone").link("/moved").to_html();
    let cookie = |reply: Reply| reply.header("Set-Cookie", "session=canary-set; Path=/; HttpOnly");
    let site = Site::new()
        .reply("/", cookie(Reply::html(page("Home"))))
        .reply("/a", cookie(Reply::html(page("A"))))
        .reply("/moved", cookie(Reply::redirect(302, "/a?token=canary-query&page=2")))
        .start()
        .await;
    let with_login = |login: &str| site.url("/").replace("http://", &format!("http://{login}@"));
    let home = Home::new("canary");
    let mut said = String::new();
    let mut run = |arguments: &[&str], code: i32| {
        let done = home.run(arguments);
        assert_eq!(done.code, Some(code), "{arguments:?}\n{}", done.stderr);
        said.push_str(&done.stdout);
        said.push_str(&done.stderr);
        done
    };
    let quick = ["--rate", "0", "--fresh", "-vvv", "--progress", "json", "--store-bodies", "--set", "fetch.attempts=1"];
    let mut crawl = |url: &str, more: &[&str], code| run(&[&["crawl", url], &quick[..], more].concat(), code);
    let logged = crawl(&with_login("canary-user:canary-password"), &[], 0).stderr;
    assert!(logged.len() > 1000, "everything is logged: {logged}");
    crawl(
        &site.url("/"),
        &["--auth", "me:canary-auth", "--cookie", "id=canary-cookie", "--header", "X-Api-Key: canary-header"],
        0,
    );
    let asked = site.log().iter().any(|seen| seen.header("x-api-key") == Some("canary-header"));
    assert!(asked && site.log().iter().any(|seen| seen.header("authorization").is_some()));
    let sent_back = |seen: &testsite::Seen| seen.header("cookie").is_some_and(|cookie| cookie.contains("canary-set"));
    assert!(site.log().iter().any(sent_back), "the cookie that the site set is used");
    // An invalid proxy, and URLs that cannot be crawled: the problem is reported without the secret.
    let proxy = format!("http://canary-proxy:canary-proxy@{}", project(&site));
    crawl(&site.url("/"), &["--proxy", &proxy], 0);
    crawl("http://canary-user:canary-password@127.0.0.1:9/", &[], 1);
    crawl("http://canary-user:canary-password@[/", &[], 2);
    crawl(&site.url("/"), &["--proxy", "nonsense://canary-proxy:canary-proxy@x"], 2);
    crawl(&site.url("/"), &["--auth", "canary-auth"], 2);
    crawl(&site.url("/"), &["--header", "canary-header"], 2);
    crawl(&site.url("/"), &["--header", "X: canary-header\u{1}"], 2);
    crawl(&site.url("/"), &["--cookie", "canary-cookie"], 2);
    crawl(&site.url("/"), &["--set", "fetch.auth=canary-auth"], 2);
    crawl(&site.url("/"), &["--auth", "me:canary-auth", "--budget", "1"], 3);
    run(&["resume", "1", "--auth", "me:canary-auth"], 1);
    run(&["resume", &project(&site)], 1);
    for command in [
        &["runs", "list", "--json"][..],
        &["projects", "list", "--json"],
        &["runs", "show", "1", "--json"],
        &["config", "show", "1"],
    ] {
        run(command, 0);
    }
    for id in ["1", "2"] {
        for table in ["urls", "pages", "links", "issues", "receipt"] {
            run(&["export", id, "--table", table, "--times", "-o", &format!("{id}-{table}.jsonl")], 0);
        }
        run(&["export", id, "-o", &format!("{id}.warc.gz")], 0);
        run(&["export", id, "--format", "warc", "-o", &format!("{id}.plain.warc.gz")], 0);
    }
    let unzipped = std::process::Command::new("gzip").args(["-dc"]).arg(home.path("1.warc.gz")).output().unwrap();
    std::fs::write(home.path("1.warc"), unzipped.stdout).unwrap();

    let secrets = [
        "canary-user",
        "canary-password",
        "canary-auth",
        "canary-cookie",
        "canary-header",
        "canary-proxy",
        "canary-set",
        // The same in base64, as it goes over the wire, at each of its three offsets.
        "Y2FuYXJ5L",
        "NhbmFyeS",
        "jYW5hcnkt",
    ];
    for secret in secrets {
        let line = said.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret} was printed");
        assert_eq!(files_with(&home.path(""), secret), Vec::<String>::new(), "{secret} was written");
    }
    let logs: Vec<&str> = said.lines().filter(|line| line.contains("canary-query")).collect();
    assert!(
        logs.iter().all(|line| !line.contains("TRACE") && !line.contains("DEBUG") && !line.contains("\"progress\"")),
        "{logs:?}"
    );
    assert!(!files_with(&home.path("data"), "canary-query").is_empty(), "URLs are stored completely");
}

/// Every file below a folder that contains these bytes.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}
