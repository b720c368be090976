//! `bluesnake sql`: one SELECT, read-only, with a limit of rows, time and memory; and the views that it is for.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use testsite::scenarios;

use crate::program::{Done, Home};

/// The columns that were published for each view; more may follow.
const VIEWS: &[(&str, &[&str])] = &[
    (
        "discovered_urls",
        &[
            "crawl_id",
            "url",
            "visited",
            "status",
            "title",
            "meta_description",
            "content_hash",
            "indexable",
            "content_type",
            "error",
            "h1",
            "h2",
            "canonical_url",
            "word_count",
            "depth",
        ],
    ),
    (
        "page_links",
        &[
            "crawl_id",
            "source_url",
            "target_url",
            "type",
            "text",
            "context",
            "is_internal",
            "status",
            "title",
            "content_type",
            "position",
            "dom_path",
            "url_action",
        ],
    ),
    ("crawl_queue_items", &["project_id", "url", "url_hash", "source", "depth", "visited", "created_at", "updated_at"]),
    ("incremental_crawl_runs", &["id", "project_id", "state", "created_at", "updated_at"]),
];

async fn crawled(name: &str) -> Home {
    let site = scenarios::small().start().await;
    let home = Home::new(name);
    home.crawl(&site.url("/"), &["-q"]);
    home
}

#[tokio::test(flavor = "multi_thread")]
async fn every_view_has_its_published_columns_and_rows() {
    let site = scenarios::small().start().await;
    let home = Home::new("views");
    home.crawl(&site.url("/"), &["--budget", "8", "--incremental", "-q"]);
    for (view, published) in VIEWS {
        let rows = home.rows(&format!("SELECT * FROM {view}"));
        let row = rows.first().unwrap_or_else(|| panic!("{view} has no rows"));
        for column in *published {
            assert!(row.get(column).is_some(), "{view} has no column {column}: {row}");
        }
    }
    let queue = home.rows(
        "SELECT source, visited, typeof(url_hash) AS hash, count(*) AS n FROM crawl_queue_items GROUP BY 1, 2, 3",
    );
    assert!(queue.iter().all(|row| row["hash"] == "integer"), "{queue:?}");
    let count = |visited: u64| -> u64 {
        queue.iter().filter(|row| row["visited"] == visited).map(|row| row["n"].as_u64().unwrap()).sum()
    };
    assert_eq!(count(1) as usize, site.seen().requests(), "fetched URLs are visited in the queue");
    assert!(count(0) > 0);
    assert_eq!(home.rows("SELECT state FROM incremental_crawl_runs")[0]["state"], "paused");
    let urls = home.rows("SELECT url, visited, indexable FROM discovered_urls WHERE status = 200 AND title = 'Home'");
    assert_eq!((urls.len(), &urls[0]["visited"], urls[0]["indexable"].as_str()), (1, &1.into(), Some("Yes")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_prints_a_table_or_json() {
    let home = crawled("select").await;
    let table = home.ok(&["sql", "SELECT 1 AS one, 'two' AS two, NULL AS three, 2.5 AS four, x'00ff' AS five"]);
    let lines: Vec<Vec<&str>> = table.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [vec!["one", "two", "three", "four", "five"], vec!["1", "two", "2.5", "00ff"]]);
    assert_eq!(table.stderr, "");
    let rows = home.rows("WITH n(i) AS (VALUES (1), (2)) SELECT i, 'x' AS word, NULL AS none FROM n");
    assert_eq!(
        rows,
        [
            serde_json::json!({"i": 1, "word": "x", "none": null}),
            serde_json::json!({"i": 2, "word": "x", "none": null})
        ]
    );
    assert!(home.rows("SELECT 1 WHERE 0").is_empty());

    let mut child = home.command(&["sql", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"SELECT 'from' || ' stdin' AS x -- and a comment\n;\n").unwrap();
    let done = Done::of(child.wait_with_output().unwrap());
    assert!(done.stdout.contains("from stdin"), "{}", done.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_beyond_the_limit_are_cut_with_a_notice() {
    let home = crawled("row_cap").await;
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let check = |arguments: &[&str], rows: usize, told: &str| {
        let done = home.ok(&[&["sql", endless, "--json"], arguments].concat());
        let found: Vec<serde_json::Value> = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!((found.len(), done.stderr.trim()), (rows, told));
    };
    check(&[], 1000, "only the first 1,000 rows; raise --limit for more");
    check(&["--limit", "7"], 7, "only the first 7 rows; raise --limit for more");
    let exact = home.ok(&["sql", "SELECT 1 UNION SELECT 2", "--limit", "2"]);
    assert_eq!(exact.stderr, "", "nothing was cut");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_query_times_out() {
    let home = crawled("timeout").await;
    let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    // One step of SQLite's machine that takes hours: the clock must not wait for its end.
    let one_step = "SELECT instr(printf('%.*c', 4000000, 'a'), printf('%.*c', 2000000, 'a') || 'b')";
    for query in [count, one_step] {
        let started = Instant::now();
        home.run(&["sql", query, "--timeout", "0.5"]).fails(2, &["the query took longer than 0.5 s and was stopped"]);
        // The whole query takes hours.
        assert!(started.elapsed() < Duration::from_secs(300), "{:?} for {query}", started.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn anything_but_a_single_select_is_refused_and_changes_nothing() {
    let home = crawled("refused").await;
    let contents = || {
        let tables = home.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
        let count = |table: &serde_json::Value| {
            home.rows(&format!("SELECT count(*) AS n FROM {}", table["name"].as_str().unwrap()))
        };
        let counts: Vec<_> = tables.iter().map(|table| (table["name"].clone(), count(table))).collect();
        (
            counts,
            home.rows("SELECT sql FROM sqlite_schema"),
            home.rows("SELECT * FROM projects"),
            home.rows("SELECT * FROM runs"),
        )
    };
    let before = contents();
    let other = home.path("other.db");
    for query in [
        "INSERT INTO projects (host, url, created_at) VALUES ('x', 'x', 1)",
        "UPDATE projects SET host = 'x'",
        "UPDATE projects SET host = 'x' RETURNING host",
        "DELETE FROM projects",
        "DELETE FROM runs RETURNING id",
        "DROP TABLE projects",
        "DROP VIEW page_links",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "CREATE TEMP VIEW projects AS SELECT 1",
        "ALTER TABLE projects RENAME TO x",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA user_version",
        "PRAGMA writable_schema = 1",
        "SELECT * FROM pragma_user_version",
        &format!("ATTACH '{}' AS other", other.display()),
        "DETACH main",
        "VACUUM",
        &format!("VACUUM INTO '{}'", other.display()),
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "SAVEPOINT x",
        "SELECT load_extension('x')",
        "SELECT LOAD_EXTENSION('x', 'y')",
        "SELECT writefile('x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM projects",
        "SELECT 1;; PRAGMA user_version",
        "",
        " ",
        ";",
        "\n-- nothing",
        "/* nothing */",
        "nonsense",
        "WITH x AS (SELECT 1) DELETE FROM projects",
        "EXPLAIN DELETE FROM projects",
    ] {
        let done = home.run(&["sql", query]);
        assert_eq!((done.code, done.stdout.as_str()), (Some(2), ""), "{query:?}\n{}", done.stderr);
        assert!(done.stderr.starts_with("error: "), "{query:?}: {}", done.stderr);
        assert!(!done.stderr.contains("panicked"), "{query:?}: {}", done.stderr);
    }
    assert_eq!(contents(), before);
    assert!(!other.exists());
    home.run(&["sql", "DELETE FROM projects"]).fails(2, &["only SELECT can be asked"]);
    home.run(&["sql", "SELECT 1; SELECT 2"]).fails(2, &["there is more than one statement"]);
    home.run(&["sql", "/* nothing */"]).fails(2, &["no query"]);
    home.run(&["sql", "SELECT 1", "--timeout=-1"]).fails(2, &["--timeout must be a number of seconds"]);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_value_that_would_exhaust_memory_is_refused() {
    let home = crawled("huge_values").await;
    for query in [
        "SELECT zeroblob(1000000000)",
        "SELECT length(zeroblob(1000000000))",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT length(hex(zeroblob(15000000)))",
        "SELECT length(replace(printf('%.*c', 10000000, 'x'), 'x', 'xxxxxxxxxx'))",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT length(group_concat(printf('%.*c', 1000000, 'x'))) FROM n",
    ] {
        let (done, peak_mb) = with_limited_memory(&home, query);
        done.fails(2, &["error: "]);
        assert!(peak_mb < 150, "{query}: {peak_mb} MB");
    }
}

/// Runs a query and returns the peak memory of its process.
#[cfg(target_os = "linux")]
fn with_limited_memory(home: &Home, query: &str) -> (Done, u64) {
    let peak = home.path("peak");
    let line =
        format!("ulimit -v 4000000; '{}' sql \"$0\" --timeout 3; code=$?; exit $code", env!("CARGO_BIN_EXE_bluesnake"));
    let mut time = std::process::Command::new("/usr/bin/time");
    time.args(["-f", "%M", "-o"]).arg(&peak).args(["sh", "-c", &line, query]).env("BLUESNAKE_HOME", home.path("data"));
    let Ok(output) = time.output() else {
        eprintln!("not measured: there is no /usr/bin/time");
        return (home.run(&["sql", query]), 0);
    };
    let text = std::fs::read_to_string(&peak).unwrap();
    let kilobytes: u64 = text.lines().last().unwrap().trim().parse().unwrap();
    (Done::of(output), kilobytes / 1024)
}
