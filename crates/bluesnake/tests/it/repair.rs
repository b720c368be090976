//! `bluesnake repair`: what can be read of a damaged database, and nothing else, in a new file.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;
use testsite::{Latency, Running, Web};

use crate::home::Home;
use crate::verify::{check_file, compare};

/// A database with a complete run and a paused one.
async fn crawled(name: &str, seed: u64) -> (Home, Running) {
    let site = Web::random(seed).pages(400).redirects(3).missing(2).start().await;
    let home = Home::new(name);
    home.run(&["crawl", &site.url("/"), "--rate", "0", "--store-bodies", "-q"]).await.expect(0);
    home.run(&["crawl", &site.url("/"), "--rate", "0", "--budget", "50", "-q"]).await.expect(3);
    (home, site)
}

fn page_size(bytes: &[u8]) -> usize {
    u16::from_be_bytes([bytes[16], bytes[17]]) as usize
}

/// The rows of each table.
fn rows(path: &Path) -> BTreeMap<String, i64> {
    let connection = Connection::open(path).expect("it can be opened");
    let tables = "SELECT name FROM pragma_table_list
                  WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%' AND name <> 'owners'";
    let mut select = connection.prepare(tables).expect("tables are listed");
    let names: Vec<String> = select.query_map([], |row| row.get(0)).and_then(Iterator::collect).expect("names");
    let count = |name: &String| connection.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| row.get(0));
    names.iter().map(|name| (name.clone(), count(name).expect("rows can be counted"))).collect()
}

/// Repairs the database of a home, which is not changed by that. Returns the report and the exit code.
async fn repair(home: &Home, to: &Path) -> (Option<i32>, String, Value) {
    let _ = std::fs::remove_file(to);
    let names = |home: &Home| {
        let mut names: Vec<_> =
            std::fs::read_dir(home.folder()).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (bytes, before) = (std::fs::read(home.db()).unwrap(), names(home));
    let ended = home.run(&["repair", "-o", to.to_str().unwrap(), "--json"]).await;
    assert!(std::fs::read(home.db()).unwrap() == bytes, "the original was changed");
    let mut expected = before;
    if ended.code == Some(0) {
        expected.push(to.file_name().unwrap().to_owned());
        expected.sort();
    }
    assert_eq!(names(home), expected, "no other files remain");
    (ended.code, ended.stderr, serde_json::from_str(&ended.stdout).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_database_is_copied_whole() {
    let (home, site) = crawled("repair-sound", 61).await;
    let to = home.folder().join("repaired.db");
    let (code, said, report) = repair(&home, &to).await;
    assert_eq!((code, &report["isWhole"], &report["damagedRunIds"]), (Some(0), &true.into(), &Value::Array(vec![])));
    assert!(said.contains("nothing was lost") && said.contains("is unchanged"), "{said}");
    assert_eq!(rows(&to), rows(&home.db()));
    check_file(&Connection::open(&to).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&to).unwrap().permissions().mode() & 0o077, 0, "it can be read by others");
    }

    let copy = Home::new("repair-sound-copy");
    std::fs::copy(&to, copy.db()).unwrap();
    compare((&home, "1"), (&copy, "1")).await;
    copy.run(&["resume", &site.addr().to_string(), "--rate", "0", "-q"]).await.expect(0);
    compare((&home, "1"), (&copy, "2")).await;

    home.run(&["repair", "-o", to.to_str().unwrap()]).await.expect(1).says(&["exists", "choose another name"]);
    home.run(&["repair"]).await.expect(2).says(&["--output"]);
    copy.run(&["repair", "--db", "nowhere.db", "-o", "x.db"]).await.expect(1).says(&["no database at"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn salvage_keeps_everything_but_a_corrupt_page() {
    let (home, site) = crawled("repair-flipped", 62).await;
    let host = site.addr().to_string();
    let sound = std::fs::read(home.db()).unwrap();
    let whole = rows(&home.db());
    let (page, to) = (page_size(&sound), home.folder().join("repaired.db"));
    let (mut harmed, mut kept, mut all) = (0, 0, 0);
    for at in (1..sound.len() / page).step_by((sound.len() / page / 40).max(1)) {
        let mut bytes = sound.clone();
        bytes[at * page..at * page + 8].iter_mut().for_each(|byte| *byte ^= 0xa5);
        std::fs::write(home.db(), &bytes).unwrap();
        let (code, said, report) = repair(&home, &to).await;
        assert_eq!(code, Some(0), "page {at}: {said}");
        check_file(&Connection::open(&to).unwrap());
        let saved = rows(&to);
        let lost: Vec<&String> =
            whole.iter().filter(|(name, count)| saved[*name] < **count).map(|(name, _)| name).collect();
        // The audit of what is damaged is dropped with it.
        let harmed_tables = lost.iter().filter(|name| **name != "audits").count();
        assert!(harmed_tables <= 1, "page {at} is part of one table, but {lost:?} lost rows: {report}");
        for name in lost {
            harmed += 1;
            let told = report["tables"].as_array().unwrap().iter().find(|table| table["name"] == **name).unwrap();
            let is_told = told["lost"].as_i64() > Some(0) || told["damagedPlaces"].as_i64() > Some(0);
            assert!(
                is_told && report["isWhole"] == false,
                "page {at}: {name} lost rows, but {told} does not report it"
            );
            (kept, all) = (kept + saved[name], all + whole[name]);
        }
        // What is left can be used like any database.
        let db = to.to_str().unwrap();
        home.run(&["runs", "list", "--db", db]).await.expect(0);
        home.run(&["receipt", "1", "--db", db]).await.expect(0);
        home.run(&["export", "1", "--table", "links", "--db", db]).await.expect(0);
        home.run(&["crawl", &site.url("/"), "--rate", "0", "-q", "--budget", "3", "--fresh", "--db", db])
            .await
            .expect(3);
        for suffix in ["", ".locks"] {
            let beside = format!("{db}{suffix}");
            let _ = std::fs::remove_file(&beside);
            let _ = std::fs::remove_dir_all(&beside);
        }
    }
    std::fs::write(home.db(), &sound).unwrap();
    assert!(harmed > 0, "nothing was damaged");
    println!("{harmed} damaged tables of {host}: {kept} of {all} rows saved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_lost_rows_keeps_the_rest_and_is_not_resumed() {
    let (home, _site) = crawled("repair-closed", 63).await;
    let connection = home.connect();
    let root: usize =
        connection.query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'urls'", [], |row| row.get(0)).unwrap();
    drop(connection);
    let mut bytes = std::fs::read(home.db()).unwrap();
    let page = page_size(&bytes);
    // The last leaf of a tree is the last child of its root: it has URLs of the newest run.
    let at = (root - 1) * page;
    assert!(matches!(bytes[at], 2 | 5), "the table has more than one page");
    let leaf = u32::from_be_bytes(bytes[at + 8..at + 12].try_into().unwrap()) as usize;
    bytes[(leaf - 1) * page..][..8].fill(0xff);
    std::fs::write(home.db(), &bytes).unwrap();
    let to = home.folder().join("repaired.db");
    let (code, said, report) = repair(&home, &to).await;
    assert_eq!((code, &report["damagedRunIds"]), (Some(0), &serde_json::json!([2])), "{said}");
    assert!(said.contains("runs that lost rows and cannot be resumed: 2"), "{said}");
    let db = to.to_str().unwrap();
    home.run(&["runs", "show", "2", "--db", db])
        .await
        .expect(0)
        .says(&["completed (damaged)", "rows of this run were lost"]);
    home.run(&["resume", "2", "--db", db]).await.expect(1).says(&["no paused run to resume"]);
    home.run(&["receipt", "1", "--db", db]).await.expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn salvage_keeps_the_rest_of_a_truncated_database() {
    let (home, _site) = crawled("repair-truncated", 64).await;
    let sound = std::fs::read(home.db()).unwrap();
    let (page, to) = (page_size(&sound), home.folder().join("repaired.db"));
    let whole: i64 = rows(&home.db()).values().sum();
    for length in [sound.len() / 2 / page * page, sound.len() * 3 / 4 / page * page, sound.len() / 2 + 100] {
        std::fs::write(home.db(), &sound[..length]).unwrap();
        home.run(&["runs", "list"]).await.expect(1).says(&["damaged", "bluesnake repair"]);
        let (code, said, report) = repair(&home, &to).await;
        assert_eq!((code, &report["isWhole"]), (Some(0), &false.into()), "{said}");
        check_file(&Connection::open(&to).unwrap());
        let saved: i64 = rows(&to).values().sum();
        assert!(saved > 0 && saved < whole, "{saved} of {whole} rows");
        home.run(&["runs", "list", "--db", to.to_str().unwrap()]).await.expect(0);
        println!("{length} of {} bytes: {saved} of {whole} rows saved", sound.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_its_log_is_salvaged() {
    let site = Web::random(65).pages(400).site();
    let site = site.latency(Latency::fixed(std::time::Duration::from_millis(5)), 65).start().await;
    let home = Home::new("repair-log");
    let working = home.start(&["crawl", &site.url("/"), "--rate", "0", "--parallelism", "8"]);
    site.wait_for(|seen| seen.requests() > 200).await;
    working.kill().await;
    let to = home.folder().join("repaired.db");
    // With its log nothing is missing.
    let (code, said, _) = repair(&home, &to).await;
    assert_eq!(code, Some(0), "{said}");
    check_file(&Connection::open(&to).unwrap());
    let with_log = rows(&to)["urls"];
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", home.db().display()));
    }
    let (code, said, _) = repair(&home, &to).await;
    assert_eq!(code, Some(0), "{said}");
    check_file(&Connection::open(&to).unwrap());
    println!("URLs with the log {with_log}, without it {}", rows(&to)["urls"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_first_page_is_restored_and_foreign_files_are_refused() {
    let (home, _site) = crawled("repair-foreign", 66).await;
    let whole = rows(&home.db());
    let sound = std::fs::read(home.db()).unwrap();
    let to = home.folder().join("repaired.db");
    let mut head = sound.clone();
    head[3] ^= 0x10;
    std::fs::write(home.db(), &head).unwrap();
    let (code, said, report) = repair(&home, &to).await;
    assert_eq!((code, &report["isWhole"]), (Some(0), &true.into()), "the first bytes are known: {said}");
    let mut schema = sound.clone();
    schema[100..page_size(&sound)].iter_mut().for_each(|byte| *byte ^= 0x41);
    std::fs::write(home.db(), &schema).unwrap();
    let (code, said, report) = repair(&home, &to).await;
    assert_eq!((code, &report["isWhole"]), (Some(0), &true.into()), "where tables begin is known, too: {said}");
    assert_eq!(rows(&to), whole);
    for bytes in [b"Dear diary, this is not a database. ".repeat(100), vec![0; 65_536], Vec::new()] {
        std::fs::write(home.db(), &bytes).unwrap();
        let (code, said, _) = repair(&home, &to).await;
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("cannot repair the database") && !to.exists(), "{said}");
    }
}
