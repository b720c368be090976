//! Secrets in URLs: complete in the database, because requests need them; masked in all output.

use std::path::Path;
use std::process::Command;

use testsite::{Page, Reply, Running, Site};

use crate::program::{Done, Home};

/// Output that contains this leaks a secret.
const CANARY: &str = "CaNaRy7f3a";

/// Secrets in every kind of reference, in redirects, in broken links, and percent-encoded inside of another URL.
async fn site() -> Running {
    let link = |path: &str| format!("{path}?access_token={CANARY}");
    let encoded = format!("/login?next=%2Fa%3Fapi_key%3D{CANARY}%26b%3D1");
    Site::new()
        .page(
            "/",
            Page::titled("Home")
                .link(&link("/a"))
                .link(&format!("/a?access_token={CANARY}2"))
                .link(&link("/gone"))
                .link(&link("/moved"))
                .link(&encoded)
                .link(&format!("http://127.0.0.1:9/x?sig={CANARY}&b=1"))
                .image(&format!("/i.png?X-Amz-Signature={CANARY}"))
                .html(&format!(
                    "<p>Words around <code>GET /v1?key=SAMPLE</code> <a href='/;jsessionid={CANARY}'>x</a>"
                )),
        )
        .page("/a", Page::titled("A").canonical(&link("/a")).link("/b"))
        .page("/b", Page::titled("B"))
        .page("/login", Page::titled("Login"))
        .redirect("/moved", 302, &link("/b"))
        .reply("/i.png", Reply::bytes("image/png", *b"\x89PNG"))
        .start()
        .await
}

#[track_caller]
fn is_masked(what: &str, text: &str) {
    let found = text.find(CANARY).map(|at| text[..at].chars().rev().take(200).collect::<Vec<_>>());
    let before: Option<String> = found.map(|letters| letters.into_iter().rev().collect());
    assert_eq!(before, None, "{what} shows a secret after this");
}

#[track_caller]
fn prints_masked(home: &Home, arguments: &[&str]) -> Done {
    let done = home.ok(arguments);
    is_masked(&format!("{arguments:?}"), &done.stdout);
    is_masked(&format!("{arguments:?} on stderr"), &done.stderr);
    done
}

fn texts_of(path: &Path) -> Option<String> {
    let python = crate::home::python()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts_of.py");
    let done = Done::of(Command::new(python).arg(script).arg(path).output().unwrap());
    assert_eq!(done.code, Some(0), "{}\n{}", done.stdout, done.stderr);
    Some(done.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_in_a_url_is_in_no_log_no_line_and_no_export() {
    let site = site().await;
    let home = Home::new("secrets");
    let seed = site.url(&format!("/?token={CANARY}"));
    let crawl = ["crawl", &seed, "--rate", "0", "--check-external", "none", "--store-bodies", "-vvv"];
    let done = prints_masked(&home, &[&crawl[..], &["--json", "--progress", "json"]].concat());
    assert!(done.stdout.contains("access_token=***"), "{}", done.stdout);
    assert!(done.stderr.contains("access_token=***"), "the log has a line for each URL: {}", done.stderr);
    prints_masked(&home, &crawl);

    for command in ["projects list", "projects show 1", "runs list", "runs show 1", "sessions list", "receipt 1"] {
        for json in [&[][..], &["--json"]] {
            prints_masked(&home, &[&command.split(' ').collect::<Vec<_>>()[..], json].concat());
        }
    }
    prints_masked(&home, &["links", "1", &seed]);
    prints_masked(&home, &["sql", "SELECT * FROM discovered_urls"]);
    // The database has them whole, or the pages could not be fetched again.
    let whole = home.ok(&["sql", "SELECT url FROM discovered_urls", "--show-secrets"]);
    assert!(whole.stdout.contains(&format!("access_token={CANARY}2")), "{}", whole.stdout);

    for table in ["urls", "pages", "links", "issues", "receipt"] {
        for format in ["csv", "jsonl", "parquet", "xlsx"] {
            exports_masked(&home, &["--table", table], &format!("{table}.{format}"), table != "receipt");
        }
    }
    exports_masked(&home, &[], "sitemap.xml", true);
    exports_masked(&home, &[], "site.warc.gz", true);
}

/// Exports once without the option, and once with it.
fn exports_masked(home: &Home, more: &[&str], file: &str, has_secrets: bool) {
    prints_masked(home, &[&["export", "1", "-o", file], more].concat());
    let whole = format!("whole-{file}");
    home.ok(&[&["export", "1", "-o", &whole, "--show-secrets"], more].concat());
    let (Some(masked), Some(whole)) = (texts_of(&home.path(file)), texts_of(&home.path(&whole))) else { return };
    is_masked(file, &masked);
    assert_eq!(whole.contains(CANARY), has_secrets, "{file} with --show-secrets");
}

#[tokio::test(flavor = "multi_thread")]
async fn masked_rows_stay_distinct_and_joinable() {
    let site = site().await;
    let home = Home::new("secrets-rows");
    home.crawl(&site.url("/"), &["-q", "--check-external", "none"]);
    let rows = |table: &str| -> Vec<serde_json::Value> {
        let done = home.ok(&["export", "1", "--table", table, "--format", "jsonl"]);
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let urls = rows("urls");
    let equal: Vec<_> = urls.iter().filter(|row| row["url"] == site.url("/a?access_token=***")).collect();
    assert_eq!(equal.len(), 2, "{urls:#?}");
    assert_ne!(equal[0]["number"], equal[1]["number"]);
    for link in rows("links") {
        let target = urls.iter().find(|row| row["number"] == link["target_number"]).unwrap();
        assert_eq!(target["url"], link["target_url"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capture_masks_urls_and_keeps_what_pages_say() {
    let site = site().await;
    let home = Home::new("secrets-capture");
    let seed = site.url(&format!("/?token={CANARY}"));
    prints_masked(&home, &["capture", &seed, "--rate", "0", "-o", "folder", "-vv"]);
    prints_masked(&home, &["search", "Words"]);
    prints_masked(&home, &["search", "Words", "--json"]);
    for file in ["folder", "all.md", "all.txt", "all.jsonl", "all.zip"] {
        if file != "folder" {
            prints_masked(&home, &["capture", "--run", "1", "-o", file]);
        }
        let Some(text) = texts_of(&home.path(file)) else { return };
        is_masked(file, &text);
        // Plain text does not mark code.
        assert_eq!(text.contains("GET /v1?key=SAMPLE"), file != "all.txt", "{file}: {text}");
    }
    home.ok(&["capture", "--run", "1", "-o", "whole.md", "--show-secrets"]);
    assert!(std::fs::read_to_string(home.path("whole.md")).unwrap().contains(CANARY));
}
