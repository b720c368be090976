//! What people see of the binary: the summary of a crawl, JSON for programs, errors, help, and nothing that the web could
//! make a terminal do.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use testsite::{Fault, Latency, Page, Reply, Site, scenarios};

use crate::program::{Done, Home, interrupt, project};

/// A word that a terminal would obey: it sets the clipboard.
const ESCAPE: &str = "\u{1b}]52;c;ZXZpbA==\u{7}";

#[tokio::test(flavor = "multi_thread")]
async fn a_first_crawl_ends_with_a_receipt_that_adds_up() {
    let site = scenarios::small().start().await;
    let home = Home::new("first_crawl");
    let done = home.crawl(&site.url("/"), &[]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(done.stdout.starts_with("complete: "), "{}", done.stdout);
    assert_eq!(done.stderr, "");
    let receipt: Vec<u64> =
        done.stdout.lines().skip(2).map_while(|line| line.split_whitespace().next()?.parse().ok()).collect();
    let (seen, classes) = receipt.split_last().expect("there is a receipt");
    assert_eq!(*seen, classes.iter().sum::<u64>(), "{}", done.stdout);

    let again = home.ok(&["receipt", &project(&site)]);
    assert!(done.stdout.contains(&again.stdout), "{}", again.stdout);
    let json = home.json(&["receipt", "1"]);
    assert_eq!((json["seen"].as_u64(), json["addsUp"].as_bool()), (Some(*seen), Some(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn verbose_flags_log_more() {
    let site = scenarios::small().start().await;
    let home = Home::new("verbose");
    let lines =
        |flags: &[&str]| home.crawl(&site.url("/"), flags).stderr.lines().map(str::to_owned).collect::<Vec<_>>();
    let about = |lines: &[String], words: &str| lines.iter().filter(|line| line.contains(words)).count();
    assert_eq!(lines(&[]), Vec::<String>::new());
    let told = lines(&["-v"]);
    assert_eq!((about(&told, "session started"), about(&told, "session ended")), (1, 1), "{told:#?}");
    assert!(told[0].contains(&format!("host=\"{}\"", site.addr())) && told[0].contains("run=2"), "{told:#?}");
    assert_eq!(about(&told, "visited"), 0, "URLs are not logged at this level: {told:#?}");
    let told = lines(&["-vv"]);
    assert!(about(&told, "visited") >= site.expected().len(), "a line for each URL: {told:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_pluralized() {
    let site = Site::new().page("/", Page::titled("Alone")).start().await;
    let home = Home::new("one_page");
    let crawled = home.crawl(&site.url("/"), &["--discover", "spider", "--robots", "ignore"]);
    assert!(crawled.stdout.contains("1 visit, 1 page in"), "{}", crawled.stdout);
    assert!(crawled.stdout.contains("1  URL seen"), "{}", crawled.stdout);
    let captured = home.ok(&["capture", &site.url("/"), "--rate", "0", "-o", "all.md"]);
    assert!(captured.stdout.contains("captured: 1 page, "), "{}", captured.stdout);
    assert!(
        captured.stderr.contains("wrote 1 page, ") && captured.stderr.contains(" in 1 file, "),
        "{}",
        captured.stderr
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_are_shown_in_unicode_only_where_that_is_safe() {
    // The second one is `аррӏе` in Cyrillic letters.
    for (ascii, shown) in [("xn--mnchen-3ya.test", "münchen.test"), ("xn--80ak6aa92e.test", "xn--80ak6aa92e.test")] {
        let site = Site::new().host(ascii, Site::new().page("/", Page::titled("Home").link("/gone"))).start().await;
        let home = Home::new(&format!("unicode-{ascii}"));
        let url = format!("http://{ascii}:{}/", site.port());
        let crawled = home.crawl(&url, &["--resolve", &format!("*.test:{}", site.addr())]);
        assert!(crawled.stdout.contains(&format!("404  http://{shown}:{}/gone", site.port())), "{}", crawled.stdout);
        let listed = home.ok(&["projects", "list"]).stdout;
        assert!(listed.contains(&format!(" {shown}:")), "{listed}");
        assert!(home.json(&["projects", "list"])[0]["domain"].as_str().unwrap().starts_with(ascii), "{listed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn summary_shows_statuses_broken_links_slow_pages_and_next_steps() {
    let slow = Page::titled("Slow").link("/gone").to_html();
    let site = Site::new()
        .page("/", Page::titled("Home").link("/slow").link("/moved").link("/breaks").link("/members"))
        .reply("/slow", Reply::html(slow).delay(Duration::from_millis(200)))
        .redirect("/moved", 301, "/")
        .reply("/breaks", Reply::status(500))
        .reply("/members", Reply::status(403))
        .start()
        .await;
    let home = Home::new("summary");
    let done = home.crawl(&site.url("/"), &["--set", "fetch.attempts=1"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let summary = &done.stdout;
    let lines: Vec<&str> = summary.lines().collect();
    let after = |line: &str| {
        let at =
            lines.iter().position(|found| *found == line).unwrap_or_else(|| panic!("no line {line:?} in\n{summary}"));
        lines[at + 1..].to_vec()
    };
    // robots.txt and two sitemap URLs are missing, too.
    assert!(lines.contains(&"statuses: 2xx 2, 3xx 1, 4xx 5, 5xx 1"), "{summary}");
    assert_eq!(after(&format!("  404  {}", site.url("/gone")))[0], format!("       linked from {}", site.url("/slow")));
    assert_eq!(after(&format!("  500  {}", site.url("/breaks")))[0], format!("       linked from {}", site.url("/")));
    assert!(!summary.contains("403  http"), "it may work for people: {summary}");
    assert!(lines.contains(&"1 URL refuses automated requests (401, 403 or 429); check it in a browser"), "{summary}");
    let slowest = after("slowest pages:")[0];
    assert!(slowest.ends_with(&site.url("/slow")), "{slowest}");
    let ms: u64 = slowest.split_whitespace().next().unwrap().parse().unwrap();
    assert!((200..10_000).contains(&ms), "{slowest}");
    let next = after(&format!("stored as run 1 of {}", project(&site)));
    assert_eq!(next[0], "  bluesnake export 1 --table pages -o pages.xlsx");
    for line in &next[..2] {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        home.ok(&words);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suggested_commands_are_safe_to_paste_into_a_shell() {
    let path = "/a;touch$IFS$9owned;'x'&y";
    let site = Site::new().page("/", Page::titled("Home").link(path)).start().await;
    let home = Home::new("safe_command");
    let done = home.crawl(&site.url("/"), &[]);
    let command = done.stdout.lines().find(|line| line.starts_with("  bluesnake links")).expect("a next command");
    let command = command.trim().replacen("bluesnake", env!("CARGO_BIN_EXE_bluesnake"), 1);
    let shell = std::process::Command::new("sh")
        .args(["-c", &command])
        .env("BLUESNAKE_HOME", home.path("data"))
        .current_dir(home.path(""))
        .output()
        .unwrap();
    assert!(!home.path("owned").exists(), "the shell ran a part of the URL: {command}");
    assert!(shell.status.success(), "{command}: {}", String::from_utf8_lossy(&shell.stderr));
    assert!(String::from_utf8_lossy(&shell.stdout).contains('&'), "the complete URL was requested");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_lines_go_to_stdout_one_per_visit_and_one_at_the_end() {
    let site = scenarios::small().start().await;
    let home = Home::new("json_lines");
    let done = home.crawl(&site.url("/"), &["--json"]);
    let lines = done.json_lines();
    let (last, visits) = lines.split_last().unwrap();
    assert_eq!((last["type"].as_str(), last["complete"].as_bool()), (Some("finished"), Some(true)));
    assert_eq!((last["runId"].as_i64(), last["crawlId"].as_i64()), (Some(1), Some(1)));
    assert_eq!((last["state"].as_str(), last["receipt"]["addsUp"].as_bool()), (Some("completed"), Some(true)));
    let is_guide = |url: &str| url.ends_with("/robots.txt") || url.contains("/sitemap");
    let guides = visits.iter().filter(|visit| is_guide(visit["url"].as_str().unwrap())).count();
    assert_eq!(last["visits"], visits.len() - guides, "robots.txt and sitemaps are fetched and are not visits");
    assert!(visits.iter().all(|line| line["type"] == "visit"));
    let first = visits.iter().find(|visit| visit["url"] == site.url("/")).unwrap();
    assert_eq!((first["status"].as_u64(), first["source"].as_str()), (Some(200), Some("initial")));
    let mut numbers: Vec<u64> = visits.iter().map(|visit| visit["number"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), visits.len(), "one line for each visit");
    assert_eq!(done.stderr, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_progress_comes_at_most_four_times_a_second_and_ends_with_the_final_figures() {
    let site = scenarios::high_fan_out(40).latency(Latency::fixed(Duration::from_millis(100)), 1).start().await;
    let home = Home::new("progress_json");
    let started = Instant::now();
    let done = home.crawl(&site.url("/"), &["--progress", "json", "--json", "-p", "4"]);
    let seconds = started.elapsed().as_secs_f64();
    let lines: Vec<Value> =
        done.stderr.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert!(lines.len() as f64 <= 4.0 * seconds + 5.0, "{} lines in {seconds} s", lines.len());
    assert!(lines.len() as f64 >= 2.0 * (seconds - 1.0), "{} lines in {seconds} s", lines.len());
    for line in &lines {
        assert_eq!((line["type"].as_str(), line["domain"].as_str()), (Some("progress"), Some(&*project(&site))));
        assert!(line["seen"].is_u64() && line["pending"].is_u64() && line["rate"].is_number(), "{line}");
        assert_eq!(line["dropped"], 0);
    }
    let visits: Vec<u64> = lines.iter().map(|line| line["visits"].as_u64().unwrap()).collect();
    assert!(visits.is_sorted(), "{visits:?}");
    let finished = done.json_lines().pop().unwrap();
    let last = lines.last().unwrap();
    assert_eq!((&last["visits"], last["pending"].as_u64()), (&finished["visits"], Some(0)), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn quiet_prints_nothing_and_keeps_the_exit_code() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("quiet");
    let check = |more: &[&str], code| {
        let done = home.crawl(&site.url("/"), &[&["--quiet"], more].concat());
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (Some(code), "", ""));
    };
    check(&["--budget", "5"], 3);
    check(&["--fresh"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_prints_how_to_resume() {
    let site = scenarios::high_fan_out(20).start().await;
    let home = Home::new("spent_budget");
    let done = home.crawl(&site.url("/"), &["--budget", "5", "--discover", "spider"]);
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(done.stdout.starts_with("paused, budget used up: "), "{}", done.stdout);
    let next = format!("resume with: bluesnake resume {}", project(&site));
    assert!(done.stdout.ends_with(&format!("{next}\n")), "{}", done.stdout);
    // robots.txt is read at no charge.
    assert_eq!(site.seen().paths().iter().filter(|path| *path != "/robots.txt").count(), 5);
    home.ok(&["resume", &project(&site), "--rate", "0"]);
}

#[test]
fn invalid_settings_are_reported_all_at_once() {
    let done = Home::new("wrong_settings").run(&["crawl", "mailto:x", "--include", "(", "--external-hops", "9"]);
    done.fails(
        2,
        &["error: cannot start the crawl\n", "seeds: ", "scope.include: ", "scope.external_hops: ", "hint: "],
    );
}

#[test]
fn an_invalid_command_creates_no_database() {
    let home = Home::new("no_database");
    home.run(&["crawl"]).fails(2, &["error: ", "<URL>"]);
    home.run(&["crawl", "http://a.example/", "--no-such-flag"]).fails(2, &["--no-such-flag"]);
    home.run(&["projects", "list"]).fails(1, &["error: ", "hint: a first `bluesnake crawl URL` makes it"]);
    assert!(!home.path("data/bluesnake.db").exists());
}

#[test]
fn missing_items_are_reported_with_a_hint() {
    let home = Home::new("not_there");
    home.ok(&["config", "set", "http://a.example/", "politeness.rate=2"]);
    home.run(&["projects", "show", "b.example"])
        .fails(1, &["error: no project b.example", "hint: `bluesnake projects list`"]);
    home.run(&["runs", "show", "7"]).fails(1, &["error: ", "7"]);
    home.run(&["runs", "show", "a.example"]).fails(1, &["error: a.example has no run yet"]);
    home.run(&["sessions", "show", "7"]).fails(1, &["error: ", "7"]);
    home.run(&["resume", "a.example"]).fails(1, &["error: cannot resume", "caused by: a.example has no run yet"]);
    home.run(&["projects", "list", "--db", "postgres://x/y"]).fails(2, &["--db must be a file path", "hint: "]);
    home.run(&["projects", "list", "--db", "missing.db"]).fails(1, &["missing.db", "hint: "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_is_created_at_the_requested_path() {
    let site = Site::new().page("/", Page::titled("Home")).start().await;
    let home = Home::new("place_of_database");
    home.crawl(&site.url("/"), &["--db", "mine.db"]);
    assert!(home.path("mine.db").exists() && !home.path("data").exists());
    let mut by_environment = home.command(&["projects", "list"]);
    by_environment.env("BLUESNAKE_DB", "mine.db");
    let done = Done::of(by_environment.output().unwrap());
    assert!(done.stdout.contains(&project(&site)), "{} {}", done.stdout, done.stderr);
    let mut without = home.command(&["crawl", &site.url("/")]);
    without.env_remove("BLUESNAKE_HOME");
    assert!(without.output().unwrap().status.success());
    assert!(home.path(".bluesnake/bluesnake.db").exists());
}

#[test]
fn an_unreachable_server_is_an_error_with_a_hint() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let done = Home::new("no_server").run(&["crawl", &url, "--set", "fetch.attempts=1"]);
    done.fails(
        1,
        &[
            &format!("error: cannot crawl {url}"),
            "caused by: the connection was refused",
            "hint: check that the server is running",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn terminal_escapes_from_the_web_are_escaped() {
    let site = Site::new()
        .page("/", Page::titled(&format!("Home {ESCAPE}")).link_text("/a%1B%5D52;c;x%07", ESCAPE).link("/hidden"))
        .page("/a%1B%5D52;c;x%07", Page::titled(&format!("\u{202e}{ESCAPE}\r\nroot# ")).status(404))
        .reply("/hidden", Reply::status(200).header("Content-Type", "text/html\u{1b}[2J").body("x"))
        .start()
        .await;
    let home = Home::new("escapes");
    let crawl = home.crawl(&site.url("/"), &["-vvv"]);
    let host = project(&site);
    let shown: Vec<(String, Done)> = [
        vec!["projects", "list"],
        vec!["projects", "show", &host],
        vec!["runs", "list"],
        vec!["runs", "show", "1"],
        vec!["sessions", "list"],
        vec!["receipt", "1"],
        vec!["links", "1", "/"],
        vec!["links", "1", "/a%1B%5D52;c;x%07", "--inlinks"],
        vec!["links", "1", "/", "--json"],
        vec!["sql", "SELECT * FROM discovered_urls"],
        vec!["sql", "SELECT * FROM page_links"],
        vec!["sql", "SELECT * FROM discovered_urls", "--json"],
        vec!["sql", "SELECT '\u{1b}[2J' AS [\u{1b}[2J]"],
        vec!["sql", "SELECT '\u{1b}[2J' FROM [\u{1b}[2J]"],
        vec!["config", "show", &host],
        vec!["links", "1", "/\u{1b}[2J"],
        vec!["projects", "show", "x\u{1b}[2J"],
        vec!["config", "get", &host, "scope.\u{1b}[2J"],
    ]
    .into_iter()
    .map(|arguments| (arguments.join(" "), home.run(&arguments)))
    .chain([("crawl".to_owned(), crawl)])
    .collect();
    for (command, done) in &shown {
        let is_obeyed = |c: char| c == '\u{202e}' || (c.is_control() && c != '\n');
        let found = |text: &str| text.lines().find(|line| line.contains(is_obeyed)).map(ToOwned::to_owned);
        assert_eq!((found(&done.stdout), found(&done.stderr)), (None, None), "{command:?}");
    }
    let table = home.ok(&["sql", "SELECT char(27) || ']52;c;x' || char(7) AS title"]).stdout;
    assert!(table.contains("\\x1b]52;c;x\\x07"), "{table}");
}

#[tokio::test(flavor = "multi_thread")]
async fn piped_output_has_no_colours() {
    let site = scenarios::small().start().await;
    let home = Home::new("no_colours");
    let crawl = home.crawl(&site.url("/"), &["-vv"]);
    assert!(!crawl.stderr.is_empty());
    let runs = home.ok(&["runs", "list"]);
    for text in [&crawl.stdout, &crawl.stderr, &runs.stdout] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn terminals_get_colours_unless_disabled_and_tables_fit() {
    let site = Site::new()
        .page("/", Page::titled("Home").link_text("/a", &"a long text ".repeat(20)).link("/b"))
        .start()
        .await;
    let home = Home::new("terminal");
    let on_terminal = |arguments: &str, no_color: &str| {
        // A real one, made by `script` of util-linux.
        let line = format!("stty rows 24 cols 60; '{}' {arguments}", env!("CARGO_BIN_EXE_bluesnake"));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env("BLUESNAKE_HOME", home.path("data")).env("TERM", "xterm");
        script.env("NO_COLOR", no_color).env_remove("BLUESNAKE_DB").stdin(Stdio::null());
        Done::of(script.output().unwrap()).stdout
    };
    let crawl = format!("crawl {} --rate 0", site.url("/"));
    assert!(on_terminal(&format!("{crawl} --fresh"), "").contains("\u{1b}[32mcomplete\u{1b}[0m"));
    let plain = on_terminal(&format!("{crawl} --fresh --progress none"), "1");
    assert!(plain.contains("complete: ") && !plain.contains('\u{1b}'), "{plain:?}");
    for command in [
        "links 1 /",
        "runs list",
        "projects list",
        "sql 'SELECT url, title, status, content_type FROM discovered_urls'",
        "config show --all",
    ] {
        let shown = on_terminal(command, "1");
        let painted = on_terminal(command, "");
        let unpainted: String = painted
            .split('\u{1b}')
            .enumerate()
            .map(|(at, part)| if at == 0 { part } else { part.split_once('m').map_or("", |(_, text)| text) })
            .collect();
        assert_eq!(unpainted, shown, "colours take no room");
        let widest = shown.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0);
        assert!((1..=60).contains(&widest), "{command}: {widest} columns\n{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stops_the_crawl_and_still_prints_the_receipt() {
    let mut site = Site::new();
    let mut page = Page::titled("Home");
    for i in 0..10 {
        page = page.link(&format!("/hang/{i}"));
        site = site.fault(&format!("/hang/{i}"), Fault::HangBeforeHeaders);
    }
    let site = site.page("/", page).start().await;
    let home = Home::new("interrupt");
    // Without an end to its waiting, it would wait for these servers.
    let patient = ["--set", "fetch.timeout_ms=600000", "--set", "fetch.total_timeout_ms=600000"];
    let crawl = ["crawl", &site.url("/"), "--rate", "0", "--set", "politeness.grace_ms=50"];
    let crawl = [&crawl[..], &patient].concat();
    let child = home.command(&crawl).spawn().unwrap();
    site.wait_for(|seen| seen.paths().iter().any(|path| path.starts_with("/hang"))).await;
    let interrupted = Instant::now();
    interrupt(&child);
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    assert!(interrupted.elapsed() < Duration::from_secs(300), "{:?}", interrupted.elapsed());
    assert!(done.stdout.contains("pending") && done.stdout.contains("bluesnake resume"), "{}", done.stdout);
    let run = home.json(&["runs", "show", "1"]);
    assert_eq!((run["state"].as_str(), run["reason"].as_str()), (Some("paused"), Some("signal")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_pipe_is_not_an_error() {
    let site = scenarios::high_fan_out(300).start().await;
    let home = Home::new("reader_gone");
    home.crawl(&site.url("/"), &["-q"]);
    for arguments in [
        ["links", "1", "/"].as_slice(),
        &["sql", "SELECT * FROM page_links"],
        &["export", "1", "--table", "links"],
        &["export", "1", "--table", "links", "--format", "jsonl"],
        &["export", "1", "--table", "links", "--format", "parquet"],
        &["crawl", &site.url("/"), "--fresh", "--rate", "0", "--json"],
    ] {
        let mut child = home.command(arguments).spawn().unwrap();
        let mut first = Vec::new();
        BufReader::with_capacity(16, child.stdout.take().unwrap()).read_until(b'\n', &mut first).unwrap();
        let done = Done::of(child.wait_with_output().unwrap());
        let code = if arguments[0] == "crawl" { 3 } else { 0 };
        assert_eq!((done.code, done.stderr.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(!first.is_empty(), "{arguments:?}");
    }
}

#[test]
fn every_command_has_help_and_those_that_need_it_an_example() {
    let home = Home::new("help");
    let commands = commands(&home);
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = home.ok(&words).stdout;
        assert!(help.contains("Usage: bluesnake"), "{command}\n{help}");
        assert!(!help.contains('\\'), "{command} shows a backslash\n{help}");
        let needs_none = ["list", "show", "delete", "receipt", "unset", "init"];
        let is_group = help.contains("Commands:");
        if !is_group && !needs_none.iter().any(|word| command.ends_with(word)) {
            assert!(help.contains("Example"), "{command} has no example\n{help}");
        }
        let width = help.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(width <= 130, "{command}: {width} columns");
    }
    let crawl = home.ok(&["crawl", "--help"]).stdout;
    assert!(crawl.contains("Exit codes: 0 complete, 1 failed, 2 invalid usage or settings, 3 stopped"), "{crawl}");
    assert!(home.ok(&["--version"]).stdout.starts_with("bluesnake 0."));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let home = Home::new("completions");
    let commands = commands(&home);
    for shell in ["bash", "zsh", "fish"] {
        let script = home.ok(&["completions", shell]).stdout;
        for word in commands.iter().filter_map(|command| command.split_whitespace().last()) {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
        assert!(script.contains("--max-urls") || script.contains("max-urls"), "{shell}");
    }
    home.ok(&["man", "pages"]);
    let overview = std::fs::read_to_string(home.path("pages/bluesnake.1")).unwrap();
    for command in &commands {
        let name = format!("bluesnake-{}", command.replace(' ', "-"));
        let page = std::fs::read_to_string(home.path(&format!("pages/{name}.1")));
        let page = page.unwrap_or_else(|error| panic!("no page {name}: {error}"));
        assert!(page.contains(".SH"), "{name}");
        if !command.contains(' ') {
            assert!(overview.contains(&name.replace('-', "\\-")), "{name} is missing in the overview");
        }
    }
}

/// Every command and subcommand, as `--help` lists them.
fn commands(home: &Home) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![String::new()];
    while let Some(parent) = waiting.pop() {
        let words: Vec<&str> = parent.split_whitespace().chain(["--help"]).collect();
        let help = home.ok(&words).stdout;
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed = listed
            .take_while(|line| !line.is_empty())
            .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        for name in listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
            let command = format!("{parent} {name}").trim().to_owned();
            waiting.push(command.clone());
            found.push(command);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typo_creates_no_project() {
    let home = Home::new("slips");
    std::fs::write(home.path("urls.txt"), "https://a.example/\n").unwrap();
    for command in ["crawl", "capture"] {
        home.run(&[command, "-"]).fails(2, &["`-` is not a URL", "--urls -"]);
        home.run(&[command, "urls.txt"]).fails(2, &["`urls.txt` is a file", "--urls urls.txt", "https://urls.txt"]);
        home.run(&[command, "example"]).fails(2, &["`example` is not a host name", "example.com", "http://example/"]);
        home.run(&[command, "example/docs"]).fails(2, &["is not a host name"]);
    }
    home.run(&["crawl", "--separate", "a.example", "-"]).fails(2, &["`-` is not a URL"]);
    home.run(&["crawl", "--urls", "missing.txt"]).fails(2, &["cannot read the URLs in missing.txt"]);
    home.run(&["crawl", "--urls", "-"]).fails(2, &["no URL given"]);
    assert!(!home.path("data").exists(), "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_whose_start_page_is_an_error_page_fails_and_keeps_its_results() {
    for (status, name) in
        [(401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"), (500, "Internal Server Error")]
    {
        let site = Site::new().reply("/", Reply::status(status)).redirect("/moved", 302, "/").start().await;
        let home = Home::new(&format!("start_page_{status}"));
        let quick = ["-q", "--set", "fetch.attempts=1"];
        for path in ["/", "/moved"] {
            let url = site.url(path);
            let words = [&format!("error: cannot crawl {url}"), &format!("HTTP {status} {name}"), "hint: "];
            home.crawl(&url, &[&quick[..], &["--fresh"]].concat()).fails(1, &words.map(|word| word as &str));
        }
        let run = home.json(&["runs", "show", "1"]);
        assert_eq!((run["state"].as_str(), run["urlsVisited"].as_u64()), (Some("completed"), Some(1)), "{run}");
    }
    // One that responds is enough.
    let site = Site::new().page("/fine", Page::titled("fine")).start().await;
    let home = Home::new("start_page_fine");
    home.ok(&["crawl", &site.url("/"), &site.url("/fine"), "-q", "--rate", "0"]);
}

#[test]
fn a_negative_number_is_an_invalid_value_of_its_flag() {
    let home = Home::new("negative");
    home.run(&["crawl", "http://a.test/", "--rate", "-1"]).fails(2, &["politeness.rate: must be 0 (no limit)"]);
    home.run(&["search", "x", "--limit", "-1"]).fails(2, &["invalid value '-1' for '--limit <N>'"]);
}
