//! Ends of every kind, and what the next session makes of them: SIGKILL, signals, budgets, many small sessions.
//!
//! The moment of a fault is a place in the server's log, so no test depends on how fast the machine is.

use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use testsite::{Latency, Page, Reply, Running, Seen, Site, Summary, Web};

use crate::home::{Ended, Home, Working};
use crate::verify::{Claim, check_file, compare, refetches, verify};

/// How long the server may wait for the next request before a test gives up.
const PATIENCE: Duration = Duration::from_secs(300);
/// Longer than any test waits.
const LONG_GRACE: &str = "politeness.grace_ms=600000";
/// How many pages the site has that is killed.
const PAGES: u64 = 5000;

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_killed_repeatedly_ends_like_an_uninterrupted_one() {
    let kills: usize =
        std::env::var("BLUESNAKE_KILLS").map_or(20, |text| text.parse().expect("BLUESNAKE_KILLS is a number"));
    let site = Web::random(11).pages(PAGES).redirects(2).missing(1).resources(20).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let straight = Home::new("kill-straight");
    straight.run(&["crawl", &url, "--rate", "0", "--parallelism", "5"]).await.expect(0);
    let known = verify(Claim::of(&straight, &site)).await;

    let home = Home::new("kill");
    let since = site.seen().requests();
    let mut delivered = 0;
    let mut costs = Vec::new();
    for moment in moments(0x5eed, kills, known.requests) {
        let start = site.seen().requests();
        let working = home.start(&first_or_next(&home, &["crawl", &url, "--rate", "0", "--parallelism", "16"], &host));
        reach(&site, moment.reached(since, start)).await;
        let ended = working.kill().await;
        let Some(code) = ended.code else {
            delivered += 1;
            check_copy(&home);
            costs.push(refetches(&site.log()[since..]));
            continue;
        };
        // It was done before the blow fell, which only the last ones can be.
        assert_eq!(code, 0, "{ended:#?}");
        break;
    }
    if home.ask::<i64>("SELECT count(*) FROM runs WHERE state <> 'completed'") > 0 {
        home.run(&["resume", &host]).await.expect(0).says(&["complete: "]);
    }

    let bytes = compare((&straight, &host), (&home, &host)).await;
    let (allowed, cost) = (PAGES as usize * 2 / 100, refetches(&site.log()[since..]));
    let most = costs.iter().scan(0, |last, cost| Some(cost - std::mem::replace(last, *cost))).max().unwrap_or(0);
    println!(
        "{delivered} kills, {} URLs, {bytes} bytes of exports equal; fetched again {cost}, {:.1} for each kill, \
         at most {most} between two, {allowed} allowed",
        known.urls,
        cost as f64 / delivered as f64,
    );
    verify(Claim { since, refetches: allowed * delivered, ..Claim::of(&home, &site) }).await;
    assert!(delivered + 2 >= kills, "only {delivered} of {kills} kills came in time");
}

/// When a process is killed.
#[derive(Clone, Copy, Debug)]
struct Moment {
    /// This many distinct URLs were requested since the run began …
    asked: usize,
    /// … and this many requests were made by this process.
    requests: usize,
}

impl Moment {
    /// A question to the log that remembers what it has counted.
    fn reached(self, since: usize, start: usize) -> impl FnMut(&Summary) -> bool {
        let (mut counted, mut asked) = (since, HashSet::new());
        move |seen| {
            asked.extend(seen.log()[counted..].iter().map(|seen| seen.target.clone()));
            counted = seen.requests();
            counted - start >= self.requests && asked.len() >= self.asked
        }
    }
}

/// Moments from the first instant to the last URL, in this order.
fn moments(seed: u64, count: usize, urls: usize) -> Vec<Moment> {
    assert!(count >= 6, "there are six special moments");
    let mut dice = Dice(seed);
    let mut asked: Vec<usize> = (0..count).map(|_| dice.below(urls)).collect();
    asked.sort_unstable();
    let random = |asked| Moment { asked, requests: dice.below(50).min(urls - asked) };
    let mut moments: Vec<Moment> = asked.into_iter().map(random).collect();
    let at = |asked, requests| Moment { asked, requests };
    // At start-up, with the first request, with the last one, and when nothing is left but to tell the end.
    let special = [at(0, 0), at(0, 1), at(0, 2), at(urls - 1, 0), at(urls, 0), at(urls, 0)];
    for (place, moment) in [0, 1, 2, count - 3, count - 2, count - 1].into_iter().zip(special) {
        moments[place] = moment;
    }
    moments
}

/// Small, and the same everywhere: splitmix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// Waits for a place in the server's log.
async fn reach(site: &Running, is_reached: impl FnMut(&Summary) -> bool) {
    let reached = tokio::time::timeout(PATIENCE, site.wait_for(is_reached)).await;
    assert!(reached.is_ok(), "nothing was asked any more after {} requests", site.seen().requests());
}

/// The command to continue: `resume` as soon as there is a run.
fn first_or_next<'a>(home: &Home, first: &[&'a str], host: &'a str) -> Vec<&'a str> {
    if has_run(home) { vec!["resume", host] } else { first.to_vec() }
}

/// Whether a run has begun. Reads a copy: opening the database repairs it, which is bluesnake's job here.
fn has_run(home: &Home) -> bool {
    let connection = copy(home);
    connection
        .is_some_and(|copy| copy.query_row("SELECT count(*) > 0 FROM runs", [], |row| row.get(0)).unwrap_or(false))
}

/// I4 at the moment of a kill, on a copy of what the killed process left.
fn check_copy(home: &Home) {
    if let Some(copy) = copy(home) {
        check_file(&copy);
    }
}

fn copy(home: &Home) -> Option<Connection> {
    let to = home.folder().join("../copy.db");
    for suffix in ["", "-wal", "-shm"] {
        let (from, to) = (format!("{}{suffix}", home.db().display()), format!("{}{suffix}", to.display()));
        let _ = std::fs::remove_file(&to);
        // Shared memory is made anew from the log.
        if suffix != "-shm" && std::fs::exists(&from).expect("the folder can be read") {
            std::fs::copy(&from, &to).expect("a file can be copied");
        }
    }
    std::fs::exists(&to).expect("the folder can be read").then(|| Connection::open(&to).expect("a copy can be opened"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_at_startup_leaves_nothing_incomplete() {
    let site = Web::random(20).pages(12).start().await;
    let url = site.url("/");
    let mut stages = BTreeSet::new();
    for step in 0..48 {
        let home = Home::new("kill-start");
        let working = home.start(&["crawl", &url, "--rate", "0"]);
        let spawned = Instant::now();
        // From the first instruction to the first requests; wherever it is by then is a place to die.
        while spawned.elapsed() < Duration::from_micros(400) * step {
            std::hint::spin_loop();
        }
        working.kill().await;
        check_copy(&home);
        stages.insert((home.db().exists(), has_run(&home)));
        let since = site.seen().requests();
        home.run(&["crawl", &url, "--rate", "0"]).await.expect(0);
        verify(Claim { since, ..Claim::of(&home, &site) }).await;
    }
    println!("killed at start-up: (a file, a run) was {stages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_split_into_sessions_finds_the_same_with_one_worker() {
    splits_find_the_same("1", "16").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_split_into_sessions_finds_the_same_with_many_workers() {
    splits_find_the_same("16", "1").await;
}

async fn splits_find_the_same(parallelism: &str, other: &str) {
    let site = Web::random(12).pages(400).redirects(5).missing(3).resources(30).start().await;
    let straight = in_sessions(&site, other, 1, 300).await;
    for (sessions, budget) in [(1, 300), (3, 100), (300, 1)] {
        let found = in_sessions(&site, parallelism, sessions, budget).await;
        assert_eq!(found, straight, "{sessions} × {budget} at parallelism {parallelism}");
    }
    println!("1 × 300, 3 × 100 and 300 × 1 at parallelism {parallelism}: {} bytes equal", straight.len());
}

/// Crawls in this many sessions; returns every URL and the receipt, without session numbers.
async fn in_sessions(site: &Running, parallelism: &str, sessions: usize, budget: usize) -> String {
    let (url, host, budget_text) = (site.url("/"), site.addr().to_string(), budget.to_string());
    let home = Home::new(&format!("sessions-{parallelism}-{sessions}-{}", site.port()));
    let since = site.seen().requests();
    let more = ["--rate", "0", "--parallelism", parallelism, "--budget", &budget_text, "--quiet"];
    for session in 0..sessions {
        let start = site.seen().requests();
        let command: [&str; 2] = if session == 0 { ["crawl", &url] } else { ["resume", &host] };
        home.run(&[&command, &more[..]].concat()).await.expect(3);
        assert_eq!(counted(&site.log()[start..]), budget, "session {session} of {sessions} fetches its budget");
    }
    verify(Claim { since, is_complete: false, ..Claim::of(&home, site) }).await;
    assert_eq!(home.ask::<String>("SELECT state || ', ' || reason FROM runs"), "paused, budget");
    assert_eq!(home.ask::<usize>("SELECT count(*) FROM sessions WHERE state = 'completed'"), sessions);
    let columns =
        "number,url,source,parent_url,depth,action,disposition,reason,status,content_type,title,kind,task,hops";
    let urls = home.export(&host, "urls", "csv", &["--columns", columns]).await;
    urls + &home.export(&host, "receipt", "csv", &[]).await
}

/// What a budget counts: everything but the files that lead crawlers.
fn counted(log: &[Seen]) -> usize {
    log.iter().filter(|seen| !is_guide(seen)).count()
}

fn is_guide(seen: &Seen) -> bool {
    seen.target == "/robots.txt" || seen.target.contains("sitemap")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_ends_exactly_at_its_budget_is_completed() {
    let site = Web::random(13).pages(60).redirects(5).missing(5).start().await;
    let (url, urls) = (site.url("/"), site.expected().len());
    for (name, budget, code, state) in
        [("exact", urls, 0, "completed"), ("short", urls - 1, 3, "paused"), ("ample", urls + 1, 0, "completed")]
    {
        let home = Home::new(&format!("budget-{name}"));
        let since = site.seen().requests();
        home.run(&["crawl", &url, "--rate", "0", "--budget", &budget.to_string()]).await.expect(code);
        assert_eq!(home.ask::<String>("SELECT state FROM runs"), state, "{name}");
        assert_eq!(counted(&site.log()[since..]), urls.min(budget), "{name}");
        verify(Claim { since, is_complete: code == 0, ..Claim::of(&home, &site) }).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_session_continues_with_the_rest_of_its_budget() {
    let site = Web::random(14).pages(300).site().latency(Latency::fixed(Duration::from_millis(10)), 1).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let home = Home::new("budget-killed");
    for (kill, requests) in [30, 60, 90].into_iter().enumerate() {
        let first = ["crawl", &url, "--rate", "0", "--parallelism", "4", "--budget", "150"];
        let next = ["resume", &host];
        let working = home.start(if kill == 0 { &first } else { &next });
        reach(&site, |seen| distinct(seen.log()) > requests).await;
        assert_eq!(working.kill().await.code, None);
    }
    home.run(&["resume", &host]).await.expect(3).says(&["budget used up"]);
    let figures = verify(Claim { refetches: 3 * 100, is_complete: false, ..Claim::of(&home, &site) }).await;
    println!("a budget of 150, three kills: {figures:?}");
    assert_eq!(home.ask::<i64>("SELECT count(*) FROM sessions"), 1, "the session is the same one");
    let spent = "SELECT count(*) FROM discovered_urls
        WHERE visited AND url NOT LIKE '%/robots.txt' AND url NOT LIKE '%sitemap%'";
    assert_eq!(home.ask::<i64>(spent), 150);
    assert_eq!(home.ask::<String>("SELECT state || ', ' || reason FROM runs"), "paused, budget");
    home.run(&["resume", &host, "--budget", "0"]).await.expect(0);
    verify(Claim { refetches: 3 * 100, ..Claim::of(&home, &site) }).await;
}

fn distinct(log: &[Seen]) -> usize {
    log.iter().map(|seen| seen.target.as_str()).collect::<BTreeSet<_>>().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_url_leaks_between_the_sessions_of_an_incremental_run() {
    let site = Web::random(15).pages(150).redirects(5).missing(5).resources(30).start().await;
    let url = site.url("/");
    let home = Home::new("incremental");
    for session in 1.. {
        let ended = home.run(&["crawl", &url, "--incremental", "--rate", "0", "--budget", "50"]).await;
        let state: String = home.ask("SELECT state FROM incremental_crawl_runs");
        assert_eq!(home.ask::<i64>("SELECT max(id) FROM sessions"), session, "each call is a session of one run");
        check_incremental(&home);
        let is_done = ended.code == Some(0);
        assert_eq!(state, if is_done { "completed" } else { "paused" }, "{ended:#?}");
        if is_done {
            println!("{session} sessions, nothing leaked, nothing visited twice");
            break;
        }
        ended.expect(3);
    }
    assert!(home.ask::<i64>("SELECT count(*) FROM sessions") > 3);
    verify(Claim::of(&home, &site)).await;
}

fn check_incremental(home: &Home) {
    let leaked =
        "SELECT count(*) FROM discovered_urls AS d JOIN sessions AS c ON c.id = d.crawl_id JOIN runs AS r ON r.id = c.run
        WHERE d.visited = 1 AND NOT EXISTS (SELECT 1 FROM crawl_queue_items AS q
            WHERE q.project_id = r.project AND q.url = d.url AND q.visited = 1)";
    assert_eq!(home.ask::<i64>(leaked), 0, "every URL that was visited is visited in the queue");
    let twice = "SELECT count(*) FROM (SELECT url, count(DISTINCT crawl_id) AS sessions FROM discovered_urls
        WHERE visited = 1 GROUP BY run_id, url HAVING sessions > 1)";
    assert_eq!(home.ask::<i64>(twice), 0, "no URL is visited in two sessions");
    let counts = "SELECT (SELECT count(*) FROM crawl_queue_items WHERE visited = 1) =
        (SELECT count(*) FROM discovered_urls WHERE visited = 1)";
    assert!(home.ask::<bool>(counts), "the queue has visited what was visited");
    let pending = "SELECT (SELECT count(*) FROM crawl_queue_items WHERE visited = 0) =
        (SELECT count(*) FROM discovered_urls WHERE disposition = 'pending')";
    assert!(home.ask::<bool>(pending), "what waits is in the queue");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_stops_a_crawl_cleanly_and_prints_how_to_resume() {
    let site = Web::random(16).pages(300).site().latency(Latency::fixed(Duration::from_millis(10)), 1).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let straight = Home::new("signal-straight");
    straight.run(&["crawl", &url, "--rate", "0", "--parallelism", "16"]).await.expect(0);
    for name in ["INT", "TERM", "HUP"] {
        let since = site.seen().requests();
        let home = Home::new(&format!("signal-{name}"));
        let working = home.start(&["crawl", &url, "--rate", "0", "--parallelism", "4", "--set", LONG_GRACE]);
        reach(&site, |seen| seen.requests() >= since + 40).await;
        working.signal(name);
        let signalled = Instant::now();
        working.end().await.expect(3).says(&["stopped: ", "stopping: ", &format!("bluesnake resume {host}")]);
        assert!(signalled.elapsed() < PATIENCE, "{name}: it waited for the grace period");
        assert_eq!(home.ask::<String>("SELECT state || ', ' || reason FROM runs"), "paused, signal", "{name}");
        assert_eq!(home.ask::<String>("SELECT state FROM sessions"), "stopped", "{name}");
        verify(Claim { since, is_complete: false, ..Claim::of(&home, &site) }).await;
        home.run(&["resume", &host]).await.expect(0);
        verify(Claim { since, ..Claim::of(&home, &site) }).await;
        compare((&straight, &host), (&home, &host)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_interrupt_exits_at_once_and_keeps_results() {
    let slow = Reply::sequence([Reply::html("slow").delay(Duration::from_secs(600)), Reply::html("slow")]);
    let home_page = Page::titled("Home").link("/slow").links((0..20).map(|page| format!("/{page}")));
    let mut site = Site::new().page("/", home_page).reply("/slow", slow);
    for page in 0..20 {
        site = site.page(&format!("/{page}"), Page::titled(&format!("Page {page}")));
    }
    let site = site.start().await;
    let host = site.addr().to_string();
    let home = Home::new("signal-twice");
    let mut working = home.start(&["crawl", &site.url("/"), "--rate", "0", "--set", LONG_GRACE]);
    reach(&site, |seen| seen.count("/slow") == 1 && seen.count("/19") == 1).await;
    working.signal("INT");
    working.says("stopping: ").await;
    let again = Instant::now();
    working.signal("INT");
    working.end().await.expect(3).says(&[&format!("resume with: bluesnake resume {host}")]);
    assert!(again.elapsed() < PATIENCE, "it left after {:?}", again.elapsed());
    home.run(&["runs", "list"]).await.expect(0).says(&["paused (crashed)"]);
    let fetched = site.seen().requests();
    verify(Claim { refetches: fetched, is_complete: false, ..Claim::of(&home, &site) }).await;
    home.run(&["resume", &host]).await.expect(0);
    verify(Claim { refetches: fetched, ..Claim::of(&home, &site) }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_start_after_a_kill_reports_the_crash_and_resume_needs_no_repair() {
    let site = Web::random(17).pages(500).site().latency(Latency::fixed(Duration::from_millis(10)), 1).start().await;
    let host = site.addr().to_string();
    let home = Home::new("crashed");
    let working = home.start(&["crawl", &site.url("/"), "--rate", "0", "--parallelism", "4"]);
    reach(&site, |seen| seen.requests() >= 200).await;
    assert_eq!(working.kill().await.code, None);
    assert_eq!(
        home.ask::<String>("SELECT state FROM runs"),
        "in_progress",
        "the killed process could not update the database"
    );
    home.run(&["runs", "list"]).await.expect(0).says(&["paused (crashed)"]);
    home.run(&["runs", "show", &host]).await.expect(0).says(&["ended without saying so", "bluesnake resume 1"]);
    let before = site.seen().requests();
    let resumed = Instant::now();
    let working = home.start(&["resume", &host]);
    reach(&site, |seen| seen.requests() > before).await;
    let first_request = resumed.elapsed();
    working.end().await.expect(0);
    let figures = verify(Claim { refetches: 100, ..Claim::of(&home, &site) }).await;
    println!("first request {first_request:?} after a crash; {figures:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn politeness_holds_across_a_kill() {
    let site = Web::random(18).pages(8).start().await;
    let host = site.addr().to_string();
    let home = Home::new("polite");
    let working = home.start(&["crawl", &site.url("/"), "--rate", "2", "--parallelism", "4"]);
    reach(&site, |seen| seen.requests() >= 4).await;
    assert_eq!(working.kill().await.code, None);
    home.run(&["resume", &host]).await.expect(0);
    let gap = site.seen().shortest_gap_without_robots();
    verify(Claim { refetches: 4, ..Claim::of(&home, &site) }).await;
    println!("shortest gap over a kill at 2 requests a second: {gap:?}");
    assert!(gap >= Duration::from_millis(450), "I7: {gap:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_short_sessions_equal_one_long_one() {
    const CYCLES: usize = 30;
    let site = Web::random(19).pages(400).redirects(4).missing(3).resources(30);
    let site = site.site().latency(Latency::uniform(Duration::ZERO, Duration::from_millis(8)), 3).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let straight = Home::new("soak-straight");
    straight.run(&["crawl", &url, "--rate", "0", "--parallelism", "16"]).await.expect(0);
    let home = Home::new("soak");
    let since = site.seen().requests();
    let mut dice = Dice(0x50a1);
    for cycle in 0..CYCLES {
        let start = site.seen().requests();
        let first = ["crawl", &url, "--rate", "0", "--parallelism", "3"];
        let next = ["resume", &host];
        let working = home.start(if cycle == 0 { &first } else { &next });
        let requests = 1 + dice.below(8);
        reach(&site, |seen| seen.requests() >= start + requests).await;
        let ended = stop(working, ["INT", "TERM"][cycle % 2]).await.expect(3);
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:#?}");
    }
    home.run(&["resume", &host]).await.expect(0);
    let figures = verify(Claim { since, ..Claim::of(&home, &site) }).await;
    assert_eq!(home.ask::<usize>("SELECT count(*) FROM sessions"), CYCLES + 1);
    let bytes = compare((&straight, &host), (&home, &host)).await;
    assert_eq!(figures.refetches, 0, "an orderly stop loses nothing");
    println!("{CYCLES} cycles: {figures:?}, {bytes} bytes of exports equal");
}

async fn stop(working: Working, signal: &str) -> Ended {
    working.signal(signal);
    working.end().await
}
