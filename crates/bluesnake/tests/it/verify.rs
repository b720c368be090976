//! What must be true of a run after any fault: one function, over the database and the server's own log.
//!
//! The invariants I1 to I9 are those of the fault matrix. Start with [`verify`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use serde_json::Value;
use testsite::{Running, Seen, Web};
use tokio::task::JoinSet;

use crate::home::Home;

/// The tables that are exported, and how.
const TABLES: [&str; 5] = ["urls", "pages", "links", "issues", "receipt"];
const FORMATS: [&str; 2] = ["csv", "jsonl"];

/// What a test claims about the newest run of a site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
    pub(crate) home: &'a Home,
    pub(crate) site: &'a Running,
    /// The first request of the log that belongs to this run.
    pub(crate) since: usize,
    /// How many requests there may be beyond one for each URL.
    pub(crate) refetches: usize,
    /// Whether every URL has had its turn.
    pub(crate) is_complete: bool,
}

/// The figures of a run that passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) urls: usize,
    pub(crate) requests: usize,
    pub(crate) refetches: usize,
}

impl<'a> Claim<'a> {
    /// A complete run without a refetch, which made every request of the site's log.
    pub(crate) fn of(home: &'a Home, site: &'a Running) -> Self {
        Self { home, site, since: 0, refetches: 0, is_complete: true }
    }
}

/// Checks the invariants; nothing may be at work in the home.
pub(crate) async fn verify(claim: Claim<'_>) -> Figures {
    let Claim { home, site, .. } = claim;
    let host = site.addr().to_string();
    let receipt = home.run(&["receipt", &host, "--json"]).await.expect(0).stdout;
    let classes = home.export(&host, "receipt", "jsonl", &[]).await;
    let pages = home.export(&host, "pages", "jsonl", &["--columns", "number,url"]).await;
    let ends = ["--columns", "source_number,source_url,ordinal,target_number,target_url"];
    let links = home.export(&host, "links", "jsonl", &ends).await;

    let connection = home.connect();
    check_file(&connection);
    check_states(&connection);
    let run = newest_run(&connection, &host);
    let rows = Rows::of(&connection, run);
    check_receipt(&connection, run, &receipt, &classes, &rows);
    check_truth(&rows, claim);
    check_pages(&pages, &rows);
    check_links(&links, &rows);
    check_nothing_left(home);
    check_log(&rows, claim)
}

/// I4: the file is whole.
pub(crate) fn check_file(connection: &Connection) {
    let verdict: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("it can be checked");
    assert_eq!(verdict, "ok", "I4");
    let mut broken = connection.prepare("PRAGMA foreign_key_check").expect("it can be checked");
    assert!(!broken.exists([]).expect("it can be checked"), "I4: a row points at nothing");
}

/// At most one crawl in progress for each run; and now, at rest, none.
fn check_states(connection: &Connection) {
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("states can be read");
    let live =
        "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM sessions WHERE state = 'in_progress' GROUP BY run)";
    assert!(count(live) <= 1, "one session of a run at a time");
    let at_work = "SELECT (SELECT count(*) FROM runs WHERE state = 'in_progress') + (SELECT count(*) FROM owners)";
    assert_eq!(count(at_work), 0, "no session is running, in the database either");
}

fn newest_run(connection: &Connection, host: &str) -> i64 {
    let sql = "SELECT max(r.id) FROM runs AS r JOIN projects AS p ON p.id = r.project WHERE p.host = ?1";
    connection.query_row(sql, [host], |row| row.get(0)).expect("the site has a run")
}

/// What the database says about each URL of a run.
struct Rows {
    by_number: BTreeMap<i64, Row>,
    by_url: BTreeMap<String, i64>,
}

struct Row {
    url: String,
    is_visited: bool,
    status: Option<i64>,
    disposition: String,
}

impl Rows {
    /// Reads them. I1: every URL has one row, and numbers have no gap.
    fn of(connection: &Connection, run: i64) -> Self {
        let sql = "SELECT number, url, visited, status, disposition FROM discovered_urls WHERE run_id = ?1";
        let mut select = connection.prepare(sql).expect("the view is there");
        let read = |row: &rusqlite::Row<'_>| {
            let (url, disposition) = (row.get(1)?, row.get(4)?);
            Ok((row.get(0)?, Row { url, is_visited: row.get(2)?, status: row.get(3)?, disposition }))
        };
        let rows: Vec<(i64, Row)> =
            select.query_map([run], read).and_then(Iterator::collect).expect("the view can be read");
        let count = rows.len();
        let by_url: BTreeMap<String, i64> = rows.iter().map(|(number, row)| (row.url.clone(), *number)).collect();
        let by_number: BTreeMap<i64, Row> = rows.into_iter().collect();
        assert_eq!((by_url.len(), by_number.len()), (count, count), "I1: one row for each URL");
        assert!(by_number.keys().copied().eq(1..=count as i64), "I1: no number is missing");
        Self { by_number, by_url }
    }

    fn visited(&self) -> impl Iterator<Item = &Row> {
        self.by_number.values().filter(|row| row.is_visited)
    }
}

/// I3: what the receipt says, what its export says and what is stored are the same, and add up.
fn check_receipt(connection: &Connection, run: i64, shown: &str, exported: &str, rows: &Rows) {
    let receipt: Value = serde_json::from_str(shown).expect("the receipt is JSON");
    assert_eq!((&receipt["addsUp"], &receipt["seen"]), (&true.into(), &rows.by_number.len().into()), "I3");
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    rows.by_number.values().for_each(|row| *counted.entry(&row.disposition).or_default() += 1);
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for line in json_lines(exported) {
        *sums.entry(text(&line["disposition"])).or_default() += line["count"].as_u64().expect("a count is a number");
    }
    assert!(sums.iter().map(|(word, sum)| (word.as_str(), *sum)).eq(counted.clone()), "I3: {sums:?} {counted:?}");
    for (word, class) in receipt["classes"].as_object().expect("classes are an object") {
        let reasons = class["reasons"].as_object().expect("reasons are an object").values();
        let sum: u64 = reasons.map(|count| count.as_u64().expect("a count is a number")).sum();
        let stored = counted.get(word.as_str()).copied().unwrap_or_default();
        assert_eq!((class["count"].as_u64(), sum), (Some(stored), stored), "I3: {word}");
    }
    let told = "SELECT coalesce(sum(visits + guides), 0) FROM sessions WHERE run = ?1";
    let stored = "SELECT count(*) FROM visits WHERE run = ?1";
    let count = |sql: &str| connection.query_row(sql, [run], |row| row.get::<_, i64>(0)).expect("it can be counted");
    assert_eq!(count(told), count(stored), "I3: the figures of the sessions are the rows stored");
}

/// I1: everything the site declares has its final row, with the status it declares.
fn check_truth(rows: &Rows, claim: Claim<'_>) {
    let expected = claim.site.expected();
    for (url, truth) in expected.iter().filter(|(_, truth)| truth.is_followed && truth.status != 0) {
        let row = rows.by_url.get(url).map(|number| &rows.by_number[number]);
        match row {
            Some(row) if row.is_visited => assert_eq!(row.status, Some(truth.status.into()), "I1: {url}"),
            _ => assert!(!claim.is_complete, "I1: {url} has no final row"),
        }
    }
    if claim.is_complete {
        let pending = rows.by_number.values().find(|row| row.disposition == "pending");
        assert!(pending.is_none(), "I1: {} is pending", pending.expect("it is there").url);
    }
}

/// I2: everything stored was requested, everything requested is stored, and nothing twice except what a fault cost.
fn check_log(rows: &Rows, claim: Claim<'_>) -> Figures {
    let log = &claim.site.log()[claim.since..];
    let asked: BTreeSet<String> = log.iter().map(|seen| claim.site.url(&seen.target)).collect();
    let stored: BTreeSet<String> = rows.visited().map(|row| row.url.clone()).collect();
    let invented: Vec<_> = stored.difference(&asked).collect();
    assert!(invented.is_empty(), "I2: stored but never requested: {invented:?}");
    if claim.is_complete {
        let lost: Vec<_> = asked.difference(&stored).collect();
        assert!(lost.is_empty(), "I2: requested but not stored: {lost:?}");
    }
    let refetches = refetches(log);
    assert!(refetches <= claim.refetches, "I2: {refetches} URLs were fetched again, {} may be", claim.refetches);
    Figures { urls: rows.by_number.len(), requests: log.len(), refetches }
}

/// Requests beyond one per URL; robots.txt is requested in every session.
pub(crate) fn refetches(log: &[Seen]) -> usize {
    let pages = log.iter().filter(|seen| seen.target != "/robots.txt");
    let once: BTreeSet<&str> = pages.clone().map(|seen| seen.target.as_str()).collect();
    pages.count() - once.len()
}

/// No page has two rows, and each is one of the URLs.
fn check_pages(exported: &str, rows: &Rows) {
    let mut seen = BTreeSet::new();
    for page in json_lines(exported) {
        let url = text(&page["url"]);
        assert_eq!(rows.by_url.get(&url), page["number"].as_i64().as_ref(), "{url}");
        assert!(seen.insert(url), "a page is there twice: {page}");
    }
}

/// I5: both ends of every link are stored, and no link is there twice.
fn check_links(exported: &str, rows: &Rows) {
    let mut last = (0, -1);
    for link in json_lines(exported) {
        for end in ["source", "target"] {
            let number = link[format!("{end}_number")].as_i64().expect("numbers are numbers");
            let row = rows.by_number.get(&number).unwrap_or_else(|| panic!("I5: nothing is stored of {link}"));
            assert_eq!(row.url, text(&link[format!("{end}_url")]), "I5");
        }
        let place = (link["source_number"].as_i64().expect("a number"), link["ordinal"].as_i64().expect("a number"));
        assert!(place > last, "I5: a link is there twice: {link}");
        last = place;
    }
}

/// I8: no process works here any more, and nothing lies about but the database and its locks.
fn check_nothing_left(home: &Home) {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        entries.map(|entry| entry.expect("an entry can be read").file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names(&home.temporary()), [""; 0], "I8: temporary files");
    let known = ["bluesnake.db", "bluesnake.db-wal", "bluesnake.db-shm", "bluesnake.db.locks"];
    let left: Vec<String> = names(&home.folder()).into_iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert_eq!(left, [""; 0], "I8: files");
    if cfg!(target_os = "linux") {
        assert_eq!(processes_in(home), [""; 0], "I8: processes");
    }
}

/// Processes with the environment of this home.
fn processes_in(home: &Home) -> Vec<String> {
    let mark = format!("BLUESNAKE_HOME={}\0", home.folder().display());
    let processes = std::fs::read_dir("/proc").expect("Linux shows its processes").flatten();
    let is_ours = |folder: &Path| {
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|part| part == mark.as_bytes())
    };
    processes
        .filter(|entry| is_ours(&entry.path()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// I6: every export is the same, byte for byte. Returns how many bytes were compared.
pub(crate) async fn compare(one: (&Home, &str), other: (&Home, &str)) -> usize {
    let mut bytes = 0;
    for table in TABLES {
        for format in FORMATS {
            let (left, right) =
                (one.0.export(one.1, table, format, &[]).await, other.0.export(other.1, table, format, &[]).await);
            bytes += left.len();
            if left != right {
                let differing = left.lines().zip(right.lines()).find(|(left, right)| left != right);
                let lines = (left.lines().count(), right.lines().count());
                panic!("I6: {table} as {format} differs, {lines:?} lines, first at {differing:#?}");
            }
        }
    }
    bytes
}

fn json_lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON"))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_corruption_is_detected() {
    let site = Arc::new(Web::random(40).pages(30).start().await);
    let cases = [
        ("nothing is broken", "UPDATE urls SET number = number", true),
        ("a visit is lost", "DELETE FROM visits WHERE number = 5", false),
        ("a URL is pending", "UPDATE urls SET disposition = 'pending' WHERE number = 7", false),
        ("a URL is lost", "DELETE FROM urls WHERE number = 9", false),
        ("a URL is another", "UPDATE urls SET url = url || 'x' WHERE number = 11", false),
        (
            "a URL is there twice",
            "UPDATE urls SET url = (SELECT url FROM urls WHERE number = 3) WHERE number = 4",
            false,
        ),
        ("a status is wrong", "UPDATE visits SET status = 500 WHERE number = 14", false),
        ("a session counts wrong", "UPDATE sessions SET visits = visits + 1", false),
    ];
    for (at, (what, sql, is_sound)) in cases.into_iter().enumerate() {
        let since = site.seen().requests();
        let home = Home::new(&format!("seen-{at}"));
        home.run(&["crawl", &site.url("/"), "--rate", "0"]).await.expect(0);
        assert_ne!(home.connect().execute(sql, []).expect("it can be broken"), 0, "{what}");
        let mut verdict = JoinSet::new();
        let site = Arc::clone(&site);
        verdict.spawn(async move { verify(Claim { since, ..Claim::of(&home, &site) }).await });
        let verdict = verdict.join_next().await.expect("there is a task");
        assert_eq!(verdict.is_ok(), is_sound, "{what}");
    }
}
