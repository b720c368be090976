//! What the machine does wrong: a full disk, a broken file, another program at the database, a clock that jumps.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rusqlite::Connection;
use testsite::{Latency, Running, Web};

use crate::home::{Ended, Home, Working};
use crate::verify::{Claim, check_file, compare, verify};

/// A site whose crawl takes a while: every response has this latency, on any machine.
async fn slow_site(seed: u64, pages: u64, latency_ms: u64) -> Running {
    let latency = Latency::fixed(Duration::from_millis(latency_ms));
    Web::random(seed).pages(pages).redirects(3).missing(2).site().latency(latency, seed).start().await
}

async fn requests(site: &Running, count: usize) {
    let reached = tokio::time::timeout(Duration::from_secs(300), site.wait_for(|seen| seen.requests() >= count)).await;
    assert!(reached.is_ok(), "only {} of {count} requests were made", site.seen().requests());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_crawl_of_a_site_is_refused_while_the_first_continues() {
    let site = slow_site(21, 400, 25).await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let home = Home::new("two-on-one");
    let mut first = home.start(&["crawl", &url, "--rate", "0", "--parallelism", "2"]);
    requests(&site, 30).await;
    let pid = format!("process {}", first.pid());
    for arguments in [&["crawl", &url] as &[&str], &["crawl", &url, "--fresh"], &["resume", &host]] {
        let refused = home.run(arguments).await.expect(1).says(&["error: ", "hint: "]);
        assert!(!refused.stderr.contains("bluesnake resume"), "{refused:#?}");
        if arguments[0] == "crawl" {
            refused.says(&["crawl already in progress", &pid]);
        }
    }
    let mut slowest = Duration::ZERO;
    let select = "SELECT count(*) FROM discovered_urls WHERE visited";
    for arguments in [
        &["projects", "list"] as &[&str],
        &["projects", "show", &host],
        &["runs", "list"],
        &["receipt", &host],
        &["sql", select],
        &["export", &host, "--table", "urls"],
        &["export", &host, "--table", "links", "--format", "jsonl"],
    ] {
        let read = home.run(arguments).await.expect(0);
        assert_eq!(read.stderr, "", "{arguments:?}");
        slowest = slowest.max(read.took);
    }
    home.run(&["runs", "list"]).await.expect(0).says(&["in_progress"]);
    assert!(!first.has_ended(), "all of that happened during a crawl");
    first.end().await.expect(0).says(&["complete: "]);
    let figures = verify(Claim::of(&home, &site)).await;
    assert_eq!(home.ask::<i64>("SELECT count(*) FROM sessions"), 1);
    println!("the slowest reader beside a crawl took {slowest:?}; {figures:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_crawl_two_sites_into_one_database() {
    let (one, other) = (slow_site(22, 300, 5).await, slow_site(23, 300, 5).await);
    let home = Home::new("two-on-two");
    let start = |site: &Running| home.start(&["crawl", &site.url("/"), "--rate", "0", "--parallelism", "4"]);
    let (first, second) = (start(&one), start(&other));
    first.end().await.expect(0);
    second.end().await.expect(0);
    for (name, site) in [("one", &one), ("other", &other)] {
        verify(Claim::of(&home, site)).await;
        let host = site.addr().to_string();
        let alone = Home::new(&format!("two-on-two-{name}"));
        alone.run(&["crawl", &site.url("/"), "--rate", "0"]).await.expect(0);
        compare((&alone, &host), (&home, &host)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_can_create_one_database_concurrently() {
    for round in 0..25 {
        let home = Home::new("made-at-once");
        let start = |at: usize| home.start(&["config", "set", &format!("host{at}.example"), "politeness.rate=2"]);
        let processes: Vec<Working> = (0..8).map(start).collect();
        for process in processes {
            process.end().await.expect(0);
        }
        assert_eq!(home.ask::<i64>("SELECT count(*) FROM projects"), 8, "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_locked_database_is_reported() {
    let site = slow_site(24, 300, 10).await;
    let home = Home::new("locked");
    let mut crawl = home.start(&["crawl", &site.url("/"), "--rate", "0", "--parallelism", "4"]);
    requests(&site, 50).await;
    let other = home.connect();
    other.execute_batch("BEGIN EXCLUSIVE").expect("another program may write");
    // SQLite itself waits five seconds before it reports anything.
    crawl.says("the database is locked by another program").await;
    other.execute_batch("ROLLBACK").expect("the lock is released");
    drop(other);
    crawl.end().await.expect(0);
    verify(Claim::of(&home, &site)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_jumps_do_not_cause_a_takeover_of_a_live_crawl() {
    let site = slow_site(25, 300, 20).await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let home = Home::new("clock");
    let mut crawl = home.start(&["crawl", &url, "--rate", "0", "--parallelism", "2"]);
    requests(&site, 20).await;
    let pid = format!("process {}", crawl.pid());
    for shift in [86_400, -2 * 86_400, -365 * 86_400] {
        let jump =
            format!("UPDATE owners SET heartbeat_at = heartbeat_at + {shift}, started_at = started_at + {shift}");
        assert_eq!(home.connect().execute(&jump, []).expect("the row can be changed"), 1);
        home.run(&["crawl", &url]).await.expect(1).says(&["crawl already in progress", &pid]);
        home.run(&["resume", &host]).await.expect(1).says(&["is being crawled"]);
        home.run(&["runs", "list"]).await.expect(0).says(&["in_progress"]);
    }
    assert!(!crawl.has_ended(), "all of that happened during a crawl");
    crawl.end().await.expect(0).says(&["complete: "]);
    verify(Claim::of(&home, &site)).await;
    assert_eq!(home.ask::<i64>("SELECT count(*) FROM sessions"), 1);
}

/// A small disk, removed when this value is dropped.
struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// `None` if mounting is not permitted.
    fn mount(name: &str, size: &str) -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults").join(name);
        let disk = Self { folder };
        disk.unmount();
        std::fs::create_dir_all(&disk.folder).expect("a folder can be made");
        disk.call(&["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).then_some(disk)
    }

    fn resize(&self, size: &str) {
        assert!(self.call(&["-o", &format!("remount,size={size}")]), "what was mounted can be changed");
    }

    fn call(&self, arguments: &[&str]) -> bool {
        let mut mount = Command::new("mount");
        mount.args(arguments).arg(&self.folder);
        mount.output().is_ok_and(|output| output.status.success())
    }

    fn unmount(&self) {
        // Nothing may be mounted there.
        let _ = Command::new("umount").arg(&self.folder).output();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        self.unmount();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stops_the_crawl_loudly_and_nothing_is_lost() {
    let site = Web::random(26).pages(800).redirects(3).page_bytes(4000).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let straight = Home::new("full-straight");
    straight.run(&["crawl", &url, "--rate", "0", "--store-bodies"]).await.expect(0);
    let first = ["crawl", &url, "--rate", "0", "--parallelism", "8", "--store-bodies"];

    let since = site.seen().requests();
    let disk = SmallDisk::mount("small-disk", "3400k");
    match &disk {
        None => println!("nothing can be mounted here: only the limit of file sizes is tried"),
        Some(disk) => {
            let home = Home::at(disk.folder.join("home"));
            let full = home.run(&first).await;
            check_stop(full, &home, &["is full", "hint: nothing is lost: make room"], &host).await;
            // Enough room to open the file, which needs another 32 KiB, and to start; not enough to continue.
            disk.resize("3800k");
            // Without a byte to write why it ended, it is found as one that crashed.
            let listed = home.run(&["runs", "list"]).await.expect(0).stdout;
            assert!(listed.contains("paused (error)") || listed.contains("paused (crashed)"), "{listed}");
            home.run(&["resume", &host]).await.expect(3).says(&["is full"]);
            disk.resize("64m");
            let lost = site.seen().requests() - since;
            home.run(&["resume", &host]).await.expect(0);
            let figures = verify(Claim { since, refetches: lost, ..Claim::of(&home, &site) }).await;
            compare((&straight, &host), (&home, &host)).await;
            println!("a disk of 3 MB: {figures:?}");
        }
    }

    let since = site.seen().requests();
    let home = Home::new("file-size");
    let limited = Working::start(with_limited_files(&home, &first, 2300));
    let full = limited.end().await;
    check_stop(full, &home, &["bluesnake.db", "hint: "], &host).await;
    let lost = site.seen().requests() - since;
    home.run(&["resume", &host]).await.expect(0);
    let figures = verify(Claim { since, refetches: lost, ..Claim::of(&home, &site) }).await;
    compare((&straight, &host), (&home, &host)).await;
    println!("files of at most 2 MB: {figures:?}");
}

/// The stop is fully reported, and the stored data is intact.
async fn check_stop(stopped: Ended, home: &Home, parts: &[&str], host: &str) {
    let stopped = stopped.expect(3).says(&["error: the crawl of", "failed", "caused by: "]).says(parts);
    stopped.says(&[&format!("resume with: bluesnake resume {host}")]);
    check_file(&home.connect());
}

/// The binary with a file size limit in KiB; writing beyond it is an error, not a kill.
fn with_limited_files(home: &Home, arguments: &[&str], kib: u32) -> Command {
    let plain = home.command(arguments);
    let mut shell = Command::new("sh");
    // POSIX counts in blocks of 512 bytes.
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", kib * 2), "sh"]);
    shell.arg(plain.get_program()).args(plain.get_args());
    shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(home.folder());
    shell
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_file_is_refused_and_unchanged() {
    let site = Web::random(27).pages(300).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let sound = Home::new("sound");
    sound.run(&["crawl", &url, "--rate", "0"]).await.expect(0);
    let sound = std::fs::read(sound.db()).expect("a database at rest is one file");
    let crawled = site.seen().requests();

    let page = u16::from_be_bytes([sound[16], sound[17]]) as usize;
    let changed = |change: fn(&mut Vec<u8>, usize)| {
        let mut bytes = sound.clone();
        change(&mut bytes, page);
        bytes
    };
    let damaged: &[&str] = &["is not a bluesnake database, or is damaged", "hint: nothing was changed"];
    let newer: &[&str] = &["was written by a newer bluesnake", "hint: update bluesnake"];
    let cases: [(&str, Vec<u8>, &[&str]); 11] = [
        ("text", b"Dear diary, this is not a database. ".repeat(100), damaged),
        ("zeros", vec![0; 65_536], damaged),
        ("another-program", of_another_program("CREATE TABLE songs (title)"), damaged),
        ("another-application", of_another_program("PRAGMA application_id = 7; CREATE TABLE songs (title)"), damaged),
        ("newer", changed(|bytes, _| bytes[60..64].copy_from_slice(&99u32.to_be_bytes())), newer),
        (
            "newer-with-rollback-journal",
            changed(|bytes, _| {
                bytes[18..20].copy_from_slice(&[1, 1]);
                bytes[60..64].copy_from_slice(&99u32.to_be_bytes());
            }),
            newer,
        ),
        ("without-version", changed(|bytes, _| bytes[60..64].fill(0)), damaged),
        ("truncated", changed(|bytes, page| bytes.truncate(bytes.len() / 2 / page * page)), damaged),
        ("truncated-in-page", changed(|bytes, page| bytes.truncate(page * 3 + 100)), damaged),
        ("flipped-head", changed(|bytes, _| bytes[3] ^= 0x10), damaged),
        ("flipped-schema", changed(|bytes, page| bytes[100..page].iter_mut().for_each(|byte| *byte ^= 0x41)), damaged),
    ];
    for (name, bytes, parts) in cases {
        let home = Home::new(&format!("broken-{name}"));
        std::fs::write(home.db(), &bytes).expect("a file can be written");
        let path = home.db().display().to_string();
        for arguments in
            [&["crawl", &url, "--rate", "0"] as &[&str], &["resume", &host], &["projects", "list"], &["receipt", &host]]
        {
            let refused = home.run(arguments).await;
            assert_eq!(refused.code, Some(1), "{name}: {arguments:?} {refused:#?}");
            refused.says(&["error: ", &path]).says(parts);
            assert!(
                std::fs::read(home.db()).expect("it still exists") == bytes,
                "{name}: {arguments:?} changed the file"
            );
        }
        let left: Vec<_> =
            std::fs::read_dir(home.folder()).expect("a folder").map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["bluesnake.db"], "{name}");
    }
    assert_eq!(site.seen().requests(), crawled, "nothing was requested");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emptied_database_is_not_recreated() {
    let site = Web::random(31).pages(5).start().await;
    let (url, host) = (site.url("/"), site.addr().to_string());
    let home = Home::new("cut-to-nothing");
    home.run(&["crawl", &url, "--rate", "0"]).await.expect(0);
    let crawled = site.seen().requests();
    std::fs::write(home.db(), "").expect("a file can be written");
    let damaged = ["is not a bluesnake database, or is damaged", "hint: "];
    for arguments in [&["projects", "list"] as &[&str], &["resume", &host], &["crawl", &url, "--rate", "0"]] {
        home.run(arguments).await.expect(1).says(&damaged);
        assert_eq!(std::fs::metadata(home.db()).expect("it exists").len(), 0, "{arguments:?}");
    }
    assert_eq!(site.seen().requests(), crawled, "nothing was requested");
    // What a process killed before its first write leaves is not a database yet.
    let begun = Home::new("not-yet-begun");
    std::fs::write(begun.db(), "").expect("a file can be written");
    begun.run(&["projects", "list"]).await.expect(1).says(&damaged);
    begun.run(&["crawl", &url, "--rate", "0"]).await.expect(0);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn database_files_are_private_and_an_idle_database_is_one_file() {
    use std::os::unix::fs::PermissionsExt;
    let site = slow_site(32, 100, 20).await;
    let home = Home::new("private");
    let crawl = home.start(&["crawl", &site.url("/"), "--rate", "0", "--parallelism", "2"]);
    requests(&site, 20).await;
    for suffix in ["", "-wal"] {
        let file = std::fs::metadata(format!("{}{suffix}", home.db().display())).expect("it exists while in use");
        assert_eq!(file.permissions().mode() & 0o077, 0, "bluesnake.db{suffix} can be read by others");
    }
    crawl.end().await.expect(0);
    for suffix in ["-wal", "-shm"] {
        assert!(!Path::new(&format!("{}{suffix}", home.db().display())).exists(), "bluesnake.db{suffix} is left");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_page_is_reported_or_harmless_and_never_crashes() {
    let site = Web::random(29).pages(300).start().await;
    let host = site.addr().to_string();
    let home = Home::new("damaged-page");
    home.run(&["crawl", &site.url("/"), "--rate", "0", "--budget", "250"]).await.expect(3);
    let sound = std::fs::read(home.db()).expect("a database at rest is one file");
    let page = u16::from_be_bytes([sound[16], sound[17]]) as usize;
    let (mut told, mut harmless) = (0, 0);
    for damaged in (1..sound.len() / page).step_by((sound.len() / page / 30).max(1)) {
        let mut bytes = sound.clone();
        bytes[damaged * page..damaged * page + 8].iter_mut().for_each(|byte| *byte ^= 0xa5);
        for arguments in
            [&["receipt", &host] as &[&str], &["export", &host, "--table", "links"], &["resume", &host, "--quiet"]]
        {
            let _ = std::fs::remove_file(home.folder().join("bluesnake.db-wal"));
            let _ = std::fs::remove_file(home.folder().join("bluesnake.db-shm"));
            std::fs::write(home.db(), &bytes).expect("a file can be written");
            let ended = home.run(arguments).await;
            assert!(!ended.stderr.contains("panicked"), "page {damaged}: {arguments:?} {ended:#?}");
            match ended.code {
                Some(0) => harmless += 1,
                Some(1 | 3) => {
                    told += 1;
                    ended.says(&["error: ", "is not a bluesnake database, or is damaged", "hint: "]);
                }
                _ => panic!("page {damaged}: {arguments:?} {ended:#?}"),
            }
        }
    }
    println!("damaged pages: {told} times told, {harmless} times harmless");
    assert!(told > 0, "nothing was damaged");
}

fn of_another_program(sql: &str) -> Vec<u8> {
    let connection = Connection::open_in_memory().expect("a database can be made");
    connection.execute_batch(sql).expect("it can be filled");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("another-{}.db", sql.len()));
    let _ = std::fs::remove_file(&path);
    connection.execute("VACUUM INTO ?1", [path.to_string_lossy()]).expect("it can be written");
    std::fs::read(path).expect("it exists")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unwritable_target_is_reported_before_any_request() {
    let site = Web::random(28).pages(3).start().await;
    let url = site.url("/");
    let home = Home::new("unwritable");
    let file = home.folder().join("file");
    std::fs::write(&file, "not a folder").expect("a file can be written");
    let folder = home.folder().join("folder.db");
    std::fs::create_dir(&folder).expect("a folder can be made");
    // Not even root can write there.
    let nowhere = PathBuf::from("/proc/bluesnake/results.db");
    let pseudo = PathBuf::from("/sys/results.db");
    for path in [file.join("results.db"), folder, nowhere, pseudo] {
        let shown = path.display().to_string();
        let parent = path.parent().expect("it is in a folder").display().to_string();
        let refused = home.run(&["crawl", &url, "--db", &shown]).await.expect(1).says(&["error: ", "hint: "]);
        assert!(refused.stderr.contains(&shown) || refused.stderr.contains(&parent), "{refused:#?}");
    }
    assert_eq!(std::fs::read(&file).expect("it exists"), b"not a folder");
    for arguments in [&["resume", "example.com"] as &[&str], &["projects", "list"], &["export", "1"]] {
        home.run(arguments).await.expect(1).says(&["no database at", "hint: a first `bluesnake crawl URL` makes it"]);
    }
    assert!(!home.db().exists(), "a query creates no database");
    assert_eq!(site.seen().requests(), 0, "nothing was requested");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_with_pages_that_always_fail_completes_with_default_settings_and_explains_its_waits() {
    let site = testsite::scenarios::always_failing(40, 12, 500).start().await;
    let home = Home::new("always-failing");
    let done = home.run(&["crawl", &site.url("/"), "--progress", "json"]).await.expect(0).says(&["complete: "]);
    for number in 0..40 {
        let requests = if number < 28 { 1 } else { 3 };
        assert_eq!(site.seen().count(&format!("/page/{number}")), requests, "page {number}");
    }
    let lines = done.stderr.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let reasons: Vec<String> = lines.filter_map(|line| line["waiting"]["reason"].as_str().map(str::to_owned)).collect();
    assert!(reasons.iter().any(|reason| reason == "retry"), "{reasons:?}");
}

/// What people do with results they only look at.
fn readings<'a>(host: &'a str, out: &'a str) -> Vec<Vec<&'a str>> {
    let select = "SELECT count(*) FROM page_links";
    vec![
        vec!["projects", "list"],
        vec!["projects", "show", host],
        vec!["runs", "list"],
        vec!["runs", "show", "1"],
        vec!["sessions", "list"],
        vec!["receipt", "1"],
        vec!["links", "1", "/"],
        vec!["sql", select],
        vec!["export", "1", "--table", "links"],
        vec!["export", "1", "--table", "issues", "--format", "jsonl"],
        vec!["export", "1", "--table", "pages", "-o", out, "--replace"],
        vec!["config", "show", host],
        vec!["search", "page"],
        vec!["weave", "stats"],
        vec!["export", "2", "--table", "nodes"],
    ]
}

/// A database with an audit and a weave of a small site.
async fn results(home: &Home, site: &Running) {
    let url = site.url("/");
    home.run(&["crawl", &url, "--rate", "0", "-q"]).await.expect(0);
    home.run(&["weave", &url, "--rate", "0", "-q", "--allow-private"]).await;
}

async fn check_reading(home: &Home, command: impl Fn(&[&str]) -> Command, host: &str, out: &str) {
    let bytes = std::fs::read(home.db()).expect("it exists");
    for arguments in readings(host, out) {
        let ended = Working::start(command(&arguments)).end().await;
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:#?}");
    }
    for arguments in
        [&["resume", host] as &[&str], &["runs", "delete", "1", "--yes"], &["config", "set", host, "x.y=1"]]
    {
        let ended = Working::start(command(arguments)).end().await;
        assert!(matches!(ended.code, Some(1 | 2)), "{arguments:?}: {ended:#?}");
    }
    assert!(std::fs::read(home.db()).expect("it exists") == bytes, "nothing was changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_on_a_read_only_or_full_disk_can_be_listed_and_exported() {
    let site = Web::random(51).pages(30).start().await;
    let host = site.addr().to_string();
    let Some(disk) = SmallDisk::mount("read-only-disk", "12m") else {
        println!("nothing can be mounted here");
        return;
    };
    let home = Home::at(disk.folder.join("home"));
    results(&home, &site).await;
    let elsewhere = Home::new("read-only-output");
    let out = elsewhere.folder().join("pages.csv").display().to_string();

    // Not a byte is left: what cannot even be listed there cannot be removed to make room, either.
    let filler = disk.folder.join("filler");
    let mut full = std::fs::File::create(&filler).expect("a file can be made");
    while std::io::Write::write_all(&mut full, &[0; 4096]).is_ok() {}
    check_reading(&home, |arguments| home.command(arguments), &host, &out).await;
    drop(full);
    std::fs::remove_file(&filler).expect("it can be removed");

    assert!(disk.call(&["-o", "remount,ro"]), "what was mounted can be changed");
    check_reading(&home, |arguments| home.command(arguments), &host, &out).await;
    let refused = home.run(&["crawl", &site.url("/")]).await.expect(1).says(&["cannot be written", "hint: "]);
    assert!(refused.stderr.contains("bluesnake.db"), "{refused:#?}");
}

/// A program run as another user, who can read the folder but not write to it; `None` if the user cannot be changed.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn results_in_a_folder_of_another_user_can_be_listed_and_exported() {
    use std::os::unix::fs::PermissionsExt;
    let as_nobody = |plain: Command| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(plain.get_program()).args(plain.get_args()).env_clear();
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir("/");
        command
    };
    // Other users may not be able to enter the build folder.
    let place = std::env::temp_dir().join(format!("bluesnake-nobody-{}", std::process::id()));
    std::fs::create_dir_all(&place).expect("a folder can be made");
    let open = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    open(&place, 0o755);
    let binary = place.join("bluesnake");
    std::fs::copy(env!("CARGO_BIN_EXE_bluesnake"), &binary).expect("the binary can be copied");
    let site = Web::random(52).pages(30).start().await;
    let (host, home) = (site.addr().to_string(), Home::at(place.join("home")));
    results(&home, &site).await;
    open(&home.folder(), 0o555);
    open(&home.db(), 0o444);
    let mut probe = as_nobody(Command::new("true"));
    if !probe.output().is_ok_and(|probe| probe.status.success()) {
        println!("nobody else can be had here");
        return;
    }
    let out = place.join("out");
    std::fs::create_dir(&out).expect("a folder can be made");
    open(&out, 0o777);
    let out = out.join("pages.csv");
    let command = |arguments: &[&str]| {
        let plain = home.command(arguments);
        let mut copied = Command::new(&binary);
        copied.args(plain.get_args()).envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        as_nobody(copied)
    };
    check_reading(&home, command, &host, &out.display().to_string()).await;
    let _ = std::fs::remove_dir_all(place);
}

/// A database as left by an older version: of this format, with this many URLs.
fn older(path: &Path, format: usize, urls: usize) {
    let mut connection = Connection::open(path).expect("a database can be made");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bluesnake-store/migrations/sqlite");
    let mut steps: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    steps.sort();
    connection.execute_batch("PRAGMA journal_mode = WAL").expect("it is in the mode of today");
    let all = connection.transaction().unwrap();
    for step in &steps[..format] {
        all.execute_batch(&std::fs::read_to_string(step).unwrap()).expect("a step can be taken");
    }
    all.execute_batch(
        "INSERT INTO projects (host, url, created_at) VALUES ('a.example', 'https://a.example/', 0);
         INSERT INTO runs (project, state, seeds, plan, is_incremental, created_at, updated_at)
         VALUES (1, 'completed', '[]', '{}', 0, 0, 0);",
    )
    .unwrap();
    let mut insert = all
        .prepare(
            "INSERT INTO urls (run, number, url, hash, source, kind, steps, is_from_seed, hops, redirects, base, is_internal,
                               action, task, disposition, reason, crawl)
             VALUES (1, ?1, 'https://a.example/page/' || ?1, ?1, 'spider', 'anchor', 1, 1, 0, 0, 0, 1, 'crawl', 'page',
                     'fetched', 'page', 1)",
        )
        .unwrap();
    for number in 1..=urls {
        insert.execute([number]).unwrap();
    }
    drop(insert);
    all.pragma_update(None, "application_id", 0x626c_7565).unwrap();
    all.pragma_update(None, "user_version", format).unwrap();
    all.commit().unwrap();
}

/// A kill during a migration leaves the file unchanged, and only a complete copy.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_the_format_changes_destroys_neither_the_file_nor_its_copy() {
    const URLS: usize = 60_000;
    let home = Home::new("killed-migration");
    older(&home.db(), 5, URLS);
    let count = |path: &Path| -> (i64, i64) {
        let file = Connection::open(path).expect("it can be opened");
        check_file(&file);
        let urls = file.query_row("SELECT count(*) FROM urls", [], |row| row.get(0)).expect("it is complete");
        (urls, file.pragma_query_value(None, "user_version", |row| row.get(0)).expect("it has a version"))
    };
    let (copy, partial) =
        (home.folder().join("bluesnake.db.before-5"), home.folder().join("bluesnake.db.before-5.partial"));
    let (mut kills, mut halves) = (0, 0);
    while kills < 12 {
        let mut working = home.start(&["runs", "list"]);
        // Ever later, from the first byte of the copy on.
        let reached = |kills: u64| {
            let written = std::fs::metadata(&partial).map_or(0, |file| file.len());
            written > kills * 400_000 || (copy.exists() && kills > 8)
        };
        while !reached(kills) && !working.has_ended() {
            tokio::task::yield_now().await;
        }
        let ended = working.kill().await;
        if ended.code.is_some() {
            break;
        }
        kills += 1;
        halves += i32::from(partial.exists());
        if copy.exists() {
            assert_eq!(count(&copy), (URLS as i64, 5), "a finished copy is complete");
        }
    }
    home.run(&["runs", "list"]).await.expect(0).says(&["a.example"]);
    assert_eq!(count(&home.db()).0, URLS as i64);
    assert_eq!(count(&copy), (URLS as i64, 5));
    assert!(!partial.exists(), "half a copy does not stay");
    assert!(kills > 0 && halves > 0, "{kills} kills, {halves} of them in the middle of a copy");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&copy).expect("it exists").permissions().mode();
        assert_eq!(mode & 0o077, 0, "the copy can be read by others");
    }
    println!("{kills} kills, {halves} of them in the middle of a copy");
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let home = crate::program::Home::new("full-output");
    home.ok(&["config", "set", "a.test", "politeness.rate=1"]);
    for arguments in [&["projects", "list"][..], &["checks"], &["runs", "list", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let done = crate::program::Done::of(home.command(arguments).stdout(full).output().unwrap());
        done.fails(1, &["cannot write to standard output", "No space left"]);
    }
}
